//! What is said at the end: counts, the pool, and findings that speak of a whole run.

use super::Checking;
use hotfire_check::Report;

impl Checking {
    /// The report as of now. `pool_size` and `high_water` are the launch pool's.
    pub fn conclude(&self, pool_size: u32, high_water: u32) -> Report {
        self.conclude_usage();
        let pool = self.pool(pool_size, high_water);
        self.advise();
        self.advise_overlap();
        self.conclude_failures(pool_size, pool.worst_case);
        let (host, device) = self.grids.lock().all().fold((0, 0), |(host, device), (_, record, _)| {
            if record.parent == 0 { (host + 1, device) } else { (host, device + 1) }
        });
        self.collector.summary(|summary| {
            summary.host_launches = host;
            summary.device_launches = device;
            summary.pool = pool;
        });
        let mut report = self.collector.report();
        report.summary.notes.extend(self.unchecked());
        report
    }
}
