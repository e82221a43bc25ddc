//! The functions that nothing implements: each exists, names itself once on stderr and answers "not supported".
//!
//! They take no parameters: in the C calling convention of this platform the caller owns the argument registers and
//! stack, so a function that ignores its arguments need not declare them.

macro_rules! stub {
    (driver $name:ident) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> u32 {
            static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
            crate::notice::unimplemented(stringify!($name), &SEEN);
            hotfire_device::Status::NOT_SUPPORTED.0
        }
    };
    (runtime $name:ident) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> u32 {
            static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
            crate::notice::unimplemented(stringify!($name), &SEEN);
            crate::thread::failed(hotfire_device::Status::NOT_SUPPORTED).0
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/stubs.rs"));
