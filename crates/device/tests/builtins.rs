//! printf, malloc and the questions that device code may ask.

mod common;

use common::{fixture, fixture_with};
use hotfire_device::{Config, Limit, Status};
use std::sync::Mutex;

static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[test]
fn printf_appears_when_the_host_synchronises() {
    let output: fn(&[u8]) = |text| OUTPUT.lock().unwrap().extend_from_slice(text);
    let f = fixture_with(Config { workers: Some(1), memory: Some(1 << 30), output: Some(output), ..Config::default() });
    let text = f.device.malloc(16).unwrap();
    f.write(text, b"from memory\0");
    f.launch("print", 1, 2, &parameters!(2i32, 0i32, text));
    assert_eq!(f.device.synchronize(), Status::SUCCESS);
    let output = String::from_utf8(OUTPUT.lock().unwrap().clone()).unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 3);
    for line in ["thread 0 of 2: text  1.50 1099511627776", "thread 1 of 2: text  1.50 1099511627776", "from memory"] {
        assert!(lines.contains(&line), "{output}");
    }
    assert_eq!(f.ints("results", 1), [1]);
}

#[test]
fn the_device_heap_has_a_limit() {
    let f = fixture();
    let out = f.device.malloc(8 * 64).unwrap();
    f.run("allocate", 1, 64, &parameters!(out));
    let mut pointers: Vec<u64> = f.read(out, 64);
    assert!(pointers.iter().all(|&pointer| pointer != 0 && pointer.is_multiple_of(16)));
    pointers.sort_unstable();
    assert_eq!(f.ints("results", 5), [2, 1, 0, 0, 1]);
    assert_eq!(f.device.set_limit(Limit::MallocHeapSize, 64 << 20), Status::INVALID_VALUE);
}

#[test]
fn device_code_asks_about_the_device() {
    let f = fixture();
    f.run("queries", 1, 1, &[]);
    assert_eq!(f.ints("results", 11), [0, 1, 132, 0, 2048, 0, 4, 1024, 16, 1, 1]);
}

#[test]
fn modules_that_synchronise_on_the_device_are_refused() {
    let f = fixture();
    let text = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) cudaDeviceSynchronize ();
.func helper() {
    { .param .b32 r0; call.uni (r0), cudaDeviceSynchronize, (); }
    ret;
}
.visible .entry innocent() { ret; }
.visible .entry guilty() {
    call.uni helper, ();
    ret;
}
";
    let Err(error) = f.device.load_module(vec![hotfire_ptx::parse(text).unwrap()]) else { panic!("loaded") };
    assert_eq!(error.status, Status::SYMBOL_NOT_FOUND);
    assert!(error.log.contains("kernel guilty calls cudaDeviceSynchronize in helper, PTX line 7"), "{}", error.log);
    assert!(!error.log.contains("innocent"));
}
