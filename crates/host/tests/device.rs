//! The crate on a device: the software device, unless a driver is there already.
//!
//! `cargo test` starts this program where there is no driver; it then starts itself again under `hotfire run`, with the same arguments.

mod device {
    pub mod chains;
    pub mod launches;
    pub mod loops;
    pub mod memory;
}

use std::process::ExitCode;

use hotfire_host::{Device, Error, Stream};
use libtest_mimic::{Arguments, Trial};
use xtask::hotfire::{Hotfire, Profile};

/// Says that the program has been started again.
const INSIDE: &str = "HOTFIRE_HOST_TESTS_INSIDE";

fn main() -> ExitCode {
    match Device::open(0) {
        Ok(_) => {}
        Err(Error::NoDriver) if std::env::var_os(INSIDE).is_none() => return again(),
        Err(error) => panic!("{error}"),
    }
    let mut trials = Vec::new();
    // The pool's test must come before the first kernel of the process, and is always run.
    device::launches::the_pool_is_sized_before_the_first_kernel();
    for group in [device::memory::TESTS, device::launches::TESTS, device::chains::TESTS, device::loops::TESTS] {
        trials.extend(group.iter().map(|&(name, test)| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        }));
    }
    // One after the other: while one test captures a graph, no other thread may synchronise with the device.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn again() -> ExitCode {
    let hotfire = Hotfire::build(Profile::own()).expect("hotfire builds");
    let own = std::env::current_exe().expect("a program has a path");
    let mut command = hotfire.run(&own);
    let status = command.args(std::env::args_os().skip(1)).env(INSIDE, "1").status().expect("hotfire starts");
    status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8))
}

/// A test by its name.
pub type Test = (&'static str, fn());

/// The device with a stream of its own.
pub fn stream() -> Stream {
    let device = Device::open(0).expect("main has opened it");
    Stream::new(&device).expect("a stream")
}

/// Kernels of `kernels/tests.cu`.
pub fn kernel(name: &str) -> hotfire_host::Kernel {
    let device = Device::open(0).expect("main has opened it");
    let text = include_str!("../kernels/tests.ptx");
    let module = hotfire_host::Module::from_ptx(&device, "tests.ptx", text).expect("the kernels load");
    module.kernel(name).expect("the kernel is there")
}
