//! JUnit's XML, for CI systems that show test results: a test case for each finding, failed if the finding decides the exit code.

use crate::text::{self, Sources, Style};
use crate::xml::Xml;
use crate::{is_failure, words};
use hotfire_check::{Finding, Report};

/// One suite. A clean report has one test case that passed, as many readers reject empty suites.
pub fn to_junit(report: &Report, sources: &mut Sources, deny_warnings: bool) -> String {
    let failures =
        report.findings.iter().filter(|finding| is_failure(finding.severity, deny_warnings)).count().to_string();
    let tests = report.findings.len().max(1).to_string();
    let mut xml = Xml::new();
    xml.open("testsuites", &[("name", "hotfire check"), ("tests", &tests), ("failures", &failures), ("errors", "0")]);
    let suite =
        [("name", "hotfire check"), ("tests", &tests), ("failures", &failures), ("errors", "0"), ("skipped", "0")];
    xml.open("testsuite", &suite);
    if report.findings.is_empty() {
        xml.element("testcase", &[("classname", "hotfire"), ("name", "clean")], "");
    }
    for finding in &report.findings {
        xml.open("testcase", &[("classname", &class(finding)), ("name", &name(finding))]);
        let page = text::one(finding, sources, Style::Plain);
        if is_failure(finding.severity, deny_warnings) {
            xml.element("failure", &[("type", finding.rule.name()), ("message", &finding.message)], &page);
        } else {
            xml.element("system-out", &[], &page);
        }
        xml.close();
    }
    xml.element("system-out", &[], &text::summary(report).join("\n"));
    xml.finish()
}

fn class(finding: &Finding) -> String {
    format!("hotfire.{}", finding.rule.name().replace('/', "."))
}

/// Stable from run to run, and different for different places.
fn name(finding: &Finding) -> String {
    let places: Vec<_> =
        finding.accesses.iter().filter_map(words::shown_place).map(|place| words::place(&place)).collect();
    if places.is_empty() { finding.message.clone() } else { format!("{} at {}", finding.rule, places.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect_file;

    #[test]
    fn findings_are_test_cases() {
        let mut sources = Sources::new();
        sources.insert("race.cu", examples::SOURCE);
        expect_file!["../tests/report.junit.xml"].assert_eq(&to_junit(&examples::report(), &mut sources, false));
    }

    #[test]
    fn a_clean_report_is_a_test_that_passed() {
        let report = Report { version: 1, ..Report::default() };
        let page = to_junit(&report, &mut Sources::new(), true);
        assert!(page.contains("tests=\"1\" failures=\"0\"") && page.contains("name=\"clean\"/>"), "{page}");
    }
}
