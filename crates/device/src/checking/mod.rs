//! What `hotfire check` adds to a device: findings, and who is who in them.

mod describe;

use hotfire_check::Collector;
use std::path::PathBuf;

/// The checker of one device.
pub(crate) struct Checking {
    /// What was found.
    pub collector: Collector,
    /// The directory that the report goes to: one file a process.
    output: Option<PathBuf>,
}

impl Checking {
    /// A checker, if `HOTFIRE_CHECK` names the directory for its report.
    pub fn of_environment() -> Option<Self> {
        let output = std::env::var_os("HOTFIRE_CHECK").filter(|path| !path.is_empty())?;
        Some(Self { collector: Collector::new(), output: Some(output.into()) })
    }

    /// Writes the report as it is now.
    pub fn write(&self) {
        let Some(directory) = &self.output else { return };
        let path = directory.join(format!("{}.json", std::process::id()));
        let report = self.collector.report();
        let written = serde_json::to_vec(&report).map_err(std::io::Error::other).and_then(|text| {
            let fresh = path.with_extension("new");
            std::fs::write(&fresh, text)?;
            std::fs::rename(&fresh, &path)
        });
        if let Err(error) = written {
            eprintln!("hotfire: cannot write {}: {error}", path.display());
        }
    }
}
