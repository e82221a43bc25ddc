//! Faults: each kind ends the block with CUDA's code, the place and the thread, and the worker goes on.

use super::*;
use crate::exec::FaultReport;
use hotfire_jit::abi::{Fault, access, space};
use std::arch::asm;

fn fault_of(bench: &mut Bench, launch: &Launch, parameters: &[u64]) -> FaultReport {
    let outcome = bench.worker.run(&launch.code(parameters), 0);
    let Outcome::Fault(report) = outcome else { panic!("{outcome:?}") };
    // The worker is as good as before.
    assert_eq!(bench.output(&Launch::thread(waits, 1, 70)), vec![1; 70]);
    report
}

unsafe extern "C-unwind" fn waits(c: *mut ThreadContext) {
    // SAFETY: generated code's contract; the same in all kernels here.
    unsafe {
        sync(c);
        put(c, 1);
    }
}

/// Thread 37 does what parameter 0 says, when all others wait or have exited.
unsafe extern "C-unwind" fn faults(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        if linear(c).is_multiple_of(2) {
            return;
        }
        if linear(c) == 37 {
            (rt().yield_now)(c);
            let address = parameter(c, 1);
            match parameter(c, 0) {
                0 => _ = (address as *const u32).read_volatile(),
                1 => (address as *mut u32).write_volatile(1),
                2 => asm!("ud2"),
                3 => asm!("div {0:e}", in(reg) 0u32, inout("eax") 1u32 => _, inout("edx") 0u32 => _),
                4 => (rt().fault)(c, address as u32, 77, 3),
                5 => crate::exec::on_worker_stack(c, || panic!("a panic of the device's own, on purpose")),
                6 => _ = (rt().call_target)(c, address, 0),
                _ => crate::exec::fault(c, Fault::Assert, 5),
            }
        }
        sync(c);
    }
}

fn report_of(bench: &mut Bench, parameters: &[u64]) -> (Fault, u64) {
    let report = fault_of(bench, &Launch::thread(faults, 1, 64), parameters);
    assert_eq!((report.block, report.thread), ([0; 3], [37, 0, 0]));
    (report.fault, report.address)
}

#[test]
fn signals_become_faults() {
    let mut bench = Bench::new();
    let arena = bench.memory.arena();
    let freed = bench.memory.alloc(Kind::Device, 4096, 256).unwrap();
    bench.memory.free(freed).unwrap();
    let regions = crate::exec::region::existing().unwrap();
    let window = regions.windows.take(4096).unwrap();
    for (parameters, expected) in [
        ([0, 0], (Fault::IllegalAddress, 0)),
        ([1, 16], (Fault::IllegalAddress, 16)),
        ([0, freed], (Fault::IllegalAddress, freed)),
        ([1, arena.base + arena.size - 4], (Fault::IllegalAddress, arena.base + arena.size - 4)),
        // No address at all: the processor does not say which.
        ([0, 0x8000_0000_0000_0000], (Fault::IllegalAddress, 0)),
        // Behind the end of somebody else's shared memory.
        ([0, window.base + 4096], (Fault::InvalidAddressSpace, window.base + 4096)),
        ([2, 0], (Fault::IllegalInstruction, 0)),
        ([3, 0], (Fault::LaunchFailure, 0)),
    ] {
        assert_eq!(report_of(&mut bench, &parameters), expected, "{parameters:x?}");
    }
    regions.windows.give(window);
}

#[test]
fn threads_may_end_in_every_fault() {
    let mut bench = Bench::new();
    for code in [700, 710, 714, 715, 716, 717, 718, 719] {
        let (fault, address) = report_of(&mut bench, &[4, code]);
        assert_eq!((fault as u64, address), (code, 77));
    }
    assert_eq!(report_of(&mut bench, &[6, 0x1234]), (Fault::InvalidPc, 0x1234));
    assert_eq!(report_of(&mut bench, &[7, 0]), (Fault::Assert, 5));
}

#[test]
fn a_panic_of_a_builtin_is_a_launch_failure() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let report = report_of(&mut Bench::new(), &[5, 0]);
    std::panic::set_hook(hook);
    assert_eq!(report, (Fault::LaunchFailure, 0));
}

unsafe extern "C-unwind" fn faulty_loop(c: *mut ThreadContext, first: u32, count: u32) {
    // SAFETY: as above.
    unsafe {
        for linear in first..first + count {
            (*c).linear = linear;
            (*c).tid = [linear % 8, linear / 8, 0];
            if (*(*c).block).ctaid[0] == 2 && linear == 21 {
                (8 as *const u32).read_volatile();
            }
        }
    }
}

#[test]
fn a_range_ends_at_the_block_that_faults() {
    let mut bench = Bench::new();
    let mut launch = Launch::looped(faulty_loop, 5, 1);
    launch.block = [8, 4, 1];
    let (finished, outcome) = bench.worker.run_range(&launch.code(&[]), 0, 5);
    let Outcome::Fault(report) = outcome else { panic!("{outcome:?}") };
    assert_eq!(finished, 2);
    assert_eq!((report.fault, report.block, report.thread), (Fault::IllegalAddress, [2, 0, 0], [5, 2, 0]));
}

/// Asks whether an access is legal: address, size, kind. Thread 0 only; its shared and local memory are in the words before.
unsafe extern "C-unwind" fn asks(c: *mut ThreadContext) {
    let local = 0u64;
    // SAFETY: as above.
    unsafe {
        if linear(c) != 0 {
            (rt().barrier)(c, 1, 0, 0, 0, 0);
            return;
        }
        let address = match parameter(c, 0) {
            0 => parameter(c, 1),
            1 => ((*(*c).block).shared as u64).wrapping_add(parameter(c, 1)),
            2 => (&raw const local as u64) & !15,
            // Another thread's: stacks of one size follow each other.
            _ => (&raw const local as u64 & !15) + (64 << 10),
        };
        (rt().check_access)(c, address, parameter(c, 2) as u32, parameter(c, 3) as u32, 0);
    }
}

#[test]
fn accesses_are_told_apart() {
    let mut bench = Bench::new();
    let device = bench.memory.alloc(Kind::Device, 4096, 256).unwrap();
    let host = Box::leak(vec![0u64; 100].into_boxed_slice()).as_ptr() as u64;
    let heap = Box::leak(vec![0u64; 100].into_boxed_slice()).as_ptr() as u64;
    bench.memory.register_host(host, 800).unwrap();
    let regions = crate::exec::region::existing().unwrap();
    let other = regions.windows.take(4096).unwrap();
    let (plain, global) = (access::READ, access::READ | access::GLOBAL);
    const OK: Option<Fault> = None;
    let (illegal, space, misaligned) =
        (Some(Fault::IllegalAddress), Some(Fault::InvalidAddressSpace), Some(Fault::MisalignedAddress));
    for (address, size, kind, expected) in [
        ([0, device], 4, global, OK),
        ([0, device + 2], 4, global, misaligned),
        ([0, device + 8], 16, plain, misaligned),
        ([0, host], 8, global, OK),
        ([0, host + 792], 8, plain, OK),
        ([0, (host + 799) & !7], 16, plain, if host % 16 == 8 { illegal } else { misaligned }),
        ([0, host], 8, access::READ | access::CONST, illegal),
        ([0, heap], 8, global, illegal),
        ([0, 0], 4, plain, illegal),
        ([0, u64::MAX - 15], 16, plain, illegal),
        ([1, 0], 4, plain, OK),
        ([1, 4092], 4, access::WRITE | access::ATOMIC, OK),
        ([1, 4096], 4, plain, illegal),
        ([1, 1 << 31], 4, plain, illegal),
        ([1, 0], 4, global, space),
        ([1, 1], 4, plain, misaligned),
        ([0, other.base], 4, plain, space),
        ([0, other.base], 4, global, space),
        ([2, 0], 16, plain, OK),
        ([2, 0], 8, access::WRITE | access::LOCAL, OK),
        ([2, 0], 8, global, space),
        ([3, 0], 8, plain, space),
    ] {
        let launch = Launch::thread(asks, 1, 2).shared(4000);
        let code = launch.code(&[address[0], address[1], size, u64::from(kind)]);
        let found = match bench.worker.run(&code, 0) {
            Outcome::Finished => None,
            Outcome::Fault(report) => Some(report.fault),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{address:x?}, size {size}, kind {kind}");
    }
    regions.windows.give(other);
}

unsafe extern "C-unwind" fn spaces(c: *mut ThreadContext) {
    let local = 0u32;
    // SAFETY: as above.
    unsafe {
        let block = &*(*c).block;
        let is = |address: u64, space: u32| (rt().is_space)(c, address, space) == 1;
        let of = |address: u64| {
            (space::GLOBAL..=space::PARAM).fold(0, |found, which| found | u32::from(is(address, which)) << which)
        };
        let found = [
            of(parameter(c, 0)),
            of(block.shared as u64),
            of(&raw const local as u64),
            of(parameter(c, 1)),
            of(parameter(c, 2)),
            of(8),
        ];
        put(c, found.iter().rev().fold(0, |all, &one| all << 5 | one));
    }
}

#[test]
fn addresses_are_in_one_space_each() {
    let mut bench = Bench::new();
    let constant = bench.memory.alloc(Kind::Constant, 64, 64).unwrap();
    let host = Box::leak(vec![0u64; 1].into_boxed_slice()).as_ptr() as u64;
    bench.memory.register_host(host, 8).unwrap();
    let out = bench.words(1);
    bench.finish(&Launch::thread(spaces, 1, 1).shared(16), &[out.as_ptr() as u64, constant, host]);
    let bits = [1 << space::GLOBAL, 1 << space::SHARED, 1 << space::LOCAL, 1 << space::CONST, 1 << space::GLOBAL, 0u32];
    assert_eq!(load(out)[0], bits.iter().rev().fold(0, |all, &one| all << 5 | one));
}
