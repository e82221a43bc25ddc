//! The part of SARIF 2.1.0 that is written, with the standard's names.

use serde::Serialize;

/// Where the schema of the format is.
pub const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// `message`, `multiformatMessageString`
#[derive(Serialize)]
pub struct Text {
    pub text: String,
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text { text }
    }
}

/// `sarifLog`
#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run<'a>; 1],
}

/// `run`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run<'a> {
    pub tool: Tool,
    pub invocations: [Invocation; 1],
    pub results: Vec<Outcome<'a>>,
    pub column_kind: &'static str,
}

/// `tool`
#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

/// `toolComponent`
#[derive(Serialize)]
pub struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub rules: Vec<RuleDescription>,
}

/// `reportingDescriptor`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleDescription {
    pub id: &'static str,
    pub short_description: Text,
    pub full_description: Text,
    pub help: Text,
    pub default_configuration: Configuration,
}

/// `reportingConfiguration`
#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

/// `invocation`: the summary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    #[serde(rename = "toolExecutionNotifications")]
    pub notifications: Vec<Notification>,
}

/// `notification`
#[derive(Serialize)]
pub struct Notification {
    pub level: &'static str,
    pub message: Text,
}

/// `result`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome<'a> {
    pub rule_id: &'static str,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: Text,
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Stack>,
    pub occurrence_count: u64,
    pub partial_fingerprints: Fingerprints,
    pub properties: Properties<'a>,
}

/// What stays the same while the program changes elsewhere.
#[derive(Serialize)]
pub struct Fingerprints {
    #[serde(rename = "hotfirePlaces/v1")]
    pub places: String,
}

/// `propertyBag`: what the standard has no name for.
#[derive(Serialize)]
pub struct Properties<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub consequences: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<&'a str>,
}

/// `location`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<Physical>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<Logical>,
}

/// `physicalLocation`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    pub artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// `artifactLocation`
#[derive(Serialize)]
pub struct Artifact {
    pub uri: String,
}

/// `region`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
}

/// `logicalLocation`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logical {
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

/// `stack`
#[derive(Serialize)]
pub struct Stack {
    pub message: Text,
    pub frames: Vec<StackFrame>,
}

/// `stackFrame`
#[derive(Serialize)]
pub struct StackFrame {
    pub location: Location,
}
