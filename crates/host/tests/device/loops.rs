//! Two ways to iterate on the device.

use hotfire_host::{Chain, Covered, DeviceBuffer, Error, FailureLedger, LaunchPool, Module, TailLoop, WhileLoop};

use crate::{Test, kernel, stream};

pub const TESTS: &[Test] = &[
    ("a_tail_loop_runs_longer_than_the_pool", a_tail_loop_runs_longer_than_the_pool),
    ("a_while_loop_ends_when_the_device_says_so", a_while_loop_ends_when_the_device_says_so),
];

const TURNS: i32 = 5000;

fn a_tail_loop_runs_longer_than_the_pool() {
    let stream = stream();
    let pool = LaunchPool::for_pending(stream.device(), 2).expect("the pool of before");
    let ledger = FailureLedger::new(&stream).expect("a ledger");
    let left = DeviceBuffer::from_slice(&stream, &[TURNS]).expect("memory");
    let turns = Covered::new(DeviceBuffer::from_slice(&stream, &[0i32]).expect("memory"));
    let launch = kernel("count_down").over(1, 1);
    assert!(matches!(TailLoop::new(launch.clone(), &pool, 1 << 20), Err(Error::PoolTooSmall { .. })));
    let triggers = TailLoop::new(kernel("layer").over(1, 1), &pool, 1);
    assert!(matches!(triggers, Err(Error::TriggerBeforeTail { .. })), "{triggers:?}");
    let tail_loop = TailLoop::new(launch, &pool, 1).expect("there is room");
    // SAFETY: two numbers and a ledger, which are read below.
    unsafe { tail_loop.run(&stream, &(&left, turns.address(), &ledger)) }.expect("a launch");
    assert_eq!(turns.read(&stream, &ledger).expect("nothing was lost"), [TURNS]);
}

fn a_while_loop_ends_when_the_device_says_so() {
    let stream = stream();
    let left = DeviceBuffer::from_slice(&stream, &[TURNS]).expect("memory");
    let turns = DeviceBuffer::from_slice(&stream, &[0i32]).expect("memory");
    let module = Module::from_ptx(stream.device(), "while.ptx", include_str!("../../kernels/while.ptx"));
    let module = module.expect("the kernels load");
    let built = WhileLoop::build(stream.device(), |condition| {
        let launch = module.kernel("count_down_while")?.over(1, 1);
        // SAFETY: two numbers, which live as long as the loop.
        unsafe { Chain::new().kernel(launch, &(&left, &turns, condition)) }
    });
    let mut while_loop = built.expect("a WHILE node");
    // SAFETY: as above.
    unsafe { while_loop.run(&stream) }.expect("it runs");
    assert_eq!(turns.read(&stream).expect("a copy"), [TURNS]);
}
