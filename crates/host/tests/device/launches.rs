//! Modules with device launches, the pool, the ledger, and attributes.

use hotfire_host::{Covered, Device, DeviceBuffer, Error, FailureLedger, LaunchPool, Module, Source};

use crate::{Test, kernel, stream};

pub const TESTS: &[Test] = &[
    ("children_run_and_the_ledger_stays_empty", children_run_and_the_ledger_stays_empty),
    ("lost_launches_cannot_be_overlooked", lost_launches_cannot_be_overlooked),
    ("arguments_must_fit", arguments_must_fit),
    ("attributes_are_taken", attributes_are_taken),
    ("a_source_needs_the_compiler", a_source_needs_the_compiler),
];

/// Not among the tests: `main` calls it before them all.
pub fn the_pool_is_sized_before_the_first_kernel() {
    let device = Device::open(0).expect("a device");
    let pool = LaunchPool::for_pending(&device, 3000).expect("3000 slots");
    assert!(pool.granted() >= 3000 && pool.needed() == 3000, "{pool:?}");
    assert_eq!(pool.bytes(), pool.granted() * LaunchPool::BYTES_PER_SLOT);
    let stream = stream();
    let values = DeviceBuffer::from_slice(&stream, &[1.0f32]).expect("memory");
    // SAFETY: one float, one thread.
    unsafe { kernel("scale").over(1, 1).on(&stream, &(&values, 2.0f32)) }.expect("a launch");
    assert!(matches!(LaunchPool::for_pending(&device, 4000), Err(Error::PoolAfterKernel)));
    LaunchPool::for_pending(&device, 2500).expect("there is room already");
}

fn children_run_and_the_ledger_stays_empty() {
    let stream = stream();
    let ledger = FailureLedger::new(&stream).expect("a ledger");
    let cells = Covered::new(DeviceBuffer::<i32>::zeroed(&stream, 64).expect("memory"));
    // SAFETY: a cell a thread.
    unsafe { kernel("fan").over(2, 32).on(&stream, &(cells.address(), &ledger)) }.expect("a launch");
    assert_eq!(cells.read(&stream, &ledger).expect("no launch was lost"), [1; 64]);
}

fn lost_launches_cannot_be_overlooked() {
    let stream = stream();
    let mut ledger = FailureLedger::new(&stream).expect("a ledger");
    let cells = Covered::new(DeviceBuffer::<i32>::zeroed(&stream, 3500).expect("memory"));
    let granted = LaunchPool::for_pending(stream.device(), 1).expect("the pool of before").granted();
    let tails = kernel("tails").over(1, 1);
    // SAFETY: a cell a launch.
    unsafe { tails.on(&stream, &(cells.address(), 3500i32, &ledger)) }.expect("a launch");
    let lost = 3500 - granted as u32;
    let Err(Error::LaunchesLost(failures)) = cells.read(&stream, &ledger) else { panic!("the loss was overlooked") };
    assert_eq!((failures.count, failures.code, failures.thread), (lost, 69, [0; 3]));
    assert!(failures.to_string().contains("the launch pool is full"), "{failures}");
    let (values, again) = cells.read_with_losses(&stream, &ledger).expect("they can be read all the same");
    assert_eq!(again, Some(failures));
    assert_eq!(values.iter().sum::<i32>() as usize, granted);
    ledger.clear(&stream).expect("a set");
    assert_eq!(ledger.read(&stream).expect("a copy"), None);
}

fn arguments_must_fit() {
    let stream = stream();
    let mut values = DeviceBuffer::from_slice(&stream, &[1.0f32; 32]).expect("memory");
    let scale = kernel("scale").over(1, 32);
    // SAFETY: refused before anything is launched.
    let refused = unsafe { scale.on(&stream, &(&mut values, 2.0f64)) };
    let Err(Error::Arguments { kernel, declared, given }) = refused else { panic!("{refused:?}") };
    assert_eq!((kernel.as_str(), declared, given), ("scale", vec![8, 4], vec![8, 8]));
    // SAFETY: as above.
    assert!(unsafe { scale.on(&stream, &(&mut values,)) }.is_err());
    assert_eq!(values.read(&stream).expect("a copy"), [1.0; 32]);
}

fn attributes_are_taken() {
    let stream = stream();
    let mut values = DeviceBuffer::from_slice(&stream, &[1.0f32; 64]).expect("memory");
    let scale = kernel("scale");
    assert!(matches!(scale.over(2, 32).programmatic(), Err(Error::NoWait { .. })));
    // SAFETY: a float a thread.
    unsafe { scale.over(2, 32).cooperative().priority(0).on(&stream, &(&mut values, 2.0f32)) }.expect("a launch");
    // SAFETY: as above; two clusters of two blocks, of 16 threads each.
    unsafe { scale.over(4, 16).clusters(2).on(&stream, &(&mut values, 2.0f32)) }.expect("a launch of clusters");
    // SAFETY: refused: four blocks are no number of clusters of three.
    let refused = unsafe { scale.over(4, 16).clusters(3).on(&stream, &(&mut values, 2.0f32)) };
    assert!(matches!(refused, Err(Error::Driver { .. })), "{refused:?}");
    let most = stream.device().multiprocessors().expect("a number") as u32 * 64;
    // SAFETY: refused: so many blocks are never resident at once.
    let refused = unsafe { scale.over(most, 1024).cooperative().on(&stream, &(&mut values, 2.0f32)) };
    assert!(matches!(refused, Err(Error::Driver { .. })), "{refused:?}");
    assert_eq!(values.read(&stream).expect("a copy"), [4.0; 64]);
}

fn a_source_needs_the_compiler() {
    let device = Device::open(0).expect("a device");
    let text = "extern \"C\" __global__ void child(int* p) { *p = 1; }\n\
                extern \"C\" __global__ void parent(int* p, HotfireLedger* l) { child<<<1, 1>>>(p); hotfire_launched(l); }";
    match Module::compile(&device, &Source::new("parent.cu", text)) {
        Ok(module) => {
            let stream = stream();
            let ledger = FailureLedger::new(&stream).expect("a ledger");
            let cell = Covered::new(DeviceBuffer::<i32>::zeroed(&stream, 1).expect("memory"));
            let parent = module.kernel("parent").expect("it is there").over(1, 1);
            // SAFETY: one cell.
            unsafe { parent.on(&stream, &(cell.address(), &ledger)) }.expect("a launch");
            assert_eq!(cell.read(&stream, &ledger).expect("nothing lost"), [1]);
        }
        Err(error) => assert!(matches!(error, Error::NoCompiler), "{error}"),
    }
}
