//! Findings as text, JSON, SARIF and JUnit.
#![forbid(unsafe_code)]
