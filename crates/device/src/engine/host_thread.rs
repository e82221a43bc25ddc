//! The thread that runs host functions (`cudaLaunchHostFunc`), one after the other, apart from the workers: a host function
//! may block for as long as it likes (CUDA Runtime API, execution control).

use super::threads;
use crate::device::Device;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl super::Engine {
    /// Runs host functions for ever.
    pub fn run_host_functions(&self) -> ! {
        threads::runs_host_functions();
        loop {
            let mut state = self.state.lock();
            let (item, function) = loop {
                match state.next_host_function() {
                    Some(next) => break next,
                    None => self.host_work.wait(&mut state),
                }
            };
            drop(state);
            let checking = self.baton.get().map(|baton| baton.checking);
            if let Some(checking) = checking {
                checking.host_function_begins(self, item);
            }
            if catch_unwind(AssertUnwindSafe(function)).is_err() {
                eprintln!("hotfire: a host function panicked");
            }
            if let Some(checking) = checking {
                checking.host_function_ended(self, item);
            }
            self.with(|state| state.host_function_ended(item));
            if let Some(baton) = self.baton.get() {
                baton.served.notify_all();
            }
        }
    }
}

impl Device {
    /// Starts the thread for host functions, if that has not happened.
    pub(crate) fn start_host_thread(&'static self) {
        self.host_thread.call_once(|| {
            let thread = std::thread::Builder::new().name("hotfire-host".into());
            if let Err(error) = thread.spawn(|| self.engine.run_host_functions()) {
                eprintln!("hotfire: no thread for host functions: {error}");
            }
        });
    }
}
