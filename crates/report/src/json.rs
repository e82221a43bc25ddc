//! The report as JSON, and back: `docs/report.md` documents the schema.

use hotfire_check::Report;

/// The schema that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// One document, indented, with a line end.
pub fn to_json(report: &Report) -> String {
    // Plain data with text keys cannot fail to be written.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    text.push('\n');
    text
}

/// Reads what [`to_json`] wrote, or the device.
pub fn from_json(text: &str) -> Result<Report, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    // Another version's fields would only give a confusing message.
    let Version { version } =
        serde_json::from_str(text).map_err(|error| format!("this is no report of hotfire check: {error}"))?;
    if version != VERSION {
        return Err(format!("this report has version {version} of the schema; version {VERSION} is understood here"));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect_file;

    #[test]
    fn the_schema() {
        expect_file!["../tests/report.json"].assert_eq(&to_json(&examples::report()));
    }

    #[test]
    fn what_is_written_can_be_read() {
        let report = examples::report();
        assert_eq!(from_json(&to_json(&report)), Ok(report));
    }

    #[test]
    fn other_documents_are_refused() {
        assert!(from_json("{}").is_err_and(|error| error.contains("missing field `version`")));
        assert!(from_json(r#"{"version":2,"findings":"?"}"#).is_err_and(|error| error.contains("version 2 ")));
        let unknown = r#"{"version":1,"findings":[{"rule":"race/none"}],"summary":{}}"#;
        assert!(from_json(unknown).is_err_and(|error| error.contains("race/none")));
    }
}
