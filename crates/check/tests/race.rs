//! The race checker by itself: small histories, each with the twin that differs by the order.

use hotfire_check::{
    BlockOrder, Caller, Cell, Checker, DeviceQueue, ItemLabel, Party, Problem, RangeAccess, Stamp, Strength, Touch,
};
use hotfire_launch::order::{Clock, Fact, Facts, ItemId, NO_ITEM};

/// A checker whose arena is a piece of real memory, so that values can be compared.
struct World {
    memory: Vec<u64>,
    checker: Checker,
    grids: u64,
}

/// One block of one thread or more; each thread has its time.
struct Block {
    order: Box<BlockOrder>,
    times: Vec<u32>,
}

impl World {
    fn new() -> World {
        let memory = vec![0u64; 512];
        let base = memory.as_ptr() as u64;
        let mut checker = Checker::new(base, 4096).unwrap();
        checker.preset(base, 4096);
        World { memory, checker, grids: 0 }
    }

    fn at(&self, byte: u64) -> u64 {
        self.memory.as_ptr() as u64 + byte
    }

    /// The host launches a grid behind these facts.
    fn grid(&mut self, behind: &Facts) -> ItemId {
        self.grids += 1;
        let clock = self.checker.host_clock(behind);
        self.checker.submit(ItemLabel::Grid(self.grids), NO_ITEM, false, None, clock)
    }

    fn block(&mut self, item: ItemId, index: u64, threads: usize) -> Block {
        let start = self.checker.start(item);
        let mut order = BlockOrder::new();
        let time = order.begin(&mut self.checker, item, index, &start, 0);
        Block { order, times: vec![time; threads] }
    }

    fn touch(&self, block: &Block, thread: usize, byte: u64, size: u32, strength: Strength) -> Touch {
        Touch {
            address: self.at(byte),
            size,
            stamp: Stamp::new(block.times[thread], thread as u16, strength, 1 + thread as u32),
            atomic: false,
            blind: true,
            acquire: false,
            release: false,
            value: [7, 7],
        }
    }

    fn read(&mut self, block: &mut Block, thread: usize, byte: u64, size: u32) -> bool {
        let touch = self.touch(block, thread, byte, size, Strength::Weak);
        let problem = self.checker.read(&mut block.order, &touch, cell);
        matches!(problem, Some(Problem::Race { .. }))
    }

    fn write(&mut self, block: &mut Block, thread: usize, byte: u64, size: u32) -> bool {
        let touch = self.touch(block, thread, byte, size, Strength::Weak);
        let problem = self.checker.write(&mut block.order, &touch, cell);
        matches!(problem, Some(Problem::Race { .. }))
    }

    /// A relaxed atomic of the device.
    fn atomic(&mut self, block: &mut Block, thread: usize, byte: u64) -> bool {
        let touch = Touch { atomic: true, ..self.touch(block, thread, byte, 4, Strength::Device) };
        let problem = self.checker.write(&mut block.order, &touch, cell);
        block.times[thread] = self.checker.strong(&mut block.order, &touch, true);
        matches!(problem, Some(Problem::Race { .. }))
    }

    fn fence(&mut self, block: &mut Block, thread: usize) {
        let time = block.times[thread];
        block.times[thread] = block.order.fence(&mut self.checker, thread as u16, time, Strength::Device);
    }

    fn barrier(&mut self, block: &mut Block) {
        let parties: Vec<Party> =
            block.times.iter().enumerate().map(|(thread, &time)| Party { thread: thread as u16, time }).collect();
        let time = block.order.barrier(&mut self.checker, &parties);
        block.times.fill(time);
    }

    fn launch(&mut self, block: &mut Block, thread: usize, queue: DeviceQueue) -> ItemId {
        self.grids += 1;
        let caller = Caller { thread: thread as u16, time: block.times[thread] };
        let label = ItemLabel::Grid(self.grids);
        let (item, time) = self.checker.device_launch(&mut block.order, caller, queue, label);
        block.times[thread] = time;
        item
    }
}

fn cell(checker: &mut Checker, _: &mut BlockOrder, address: u64) -> Option<Cell> {
    checker.shadow.cell(address).ok()
}

#[test]
fn a_barrier_orders_the_threads_of_a_block() {
    for barrier in [false, true] {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let mut block = world.block(grid, 0, 64);
        assert!(!world.write(&mut block, 0, 0, 4));
        if barrier {
            world.barrier(&mut block);
        }
        assert_eq!(world.read(&mut block, 40, 0, 4), !barrier);
    }
}

#[test]
fn a_reader_is_remembered_until_a_barrier() {
    for barrier in [false, true] {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let mut block = world.block(grid, 0, 64);
        (0..64).for_each(|thread| assert!(!world.read(&mut block, thread, 8, 4)));
        if barrier {
            world.barrier(&mut block);
        }
        assert_eq!(world.write(&mut block, 0, 8, 4), !barrier);
    }
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let mut world = World::new();
    let grid = world.grid(&Facts::default());
    let mut block = world.block(grid, 0, 8);
    (0..8).for_each(|thread| assert!(!world.write(&mut block, thread, 16 + thread as u64, 1)));
    assert!(world.read(&mut block, 0, 16, 4), "the word holds bytes of others");
    world.barrier(&mut block);
    assert!(!world.read(&mut block, 0, 16, 8));
    assert!(world.write(&mut block, 5, 18, 2), "thread 0 has read it");
}

#[test]
fn a_fence_and_an_atomic_carry_what_came_before() {
    for (release, acquire) in [(true, true), (false, true), (true, false)] {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let (mut first, mut second) = (world.block(grid, 0, 1), world.block(grid, 1, 1));
        assert!(!world.write(&mut first, 0, 0, 8));
        if release {
            world.fence(&mut first, 0);
        }
        assert!(!world.atomic(&mut first, 0, 64));
        assert!(!world.atomic(&mut second, 0, 64), "atomics exclude races");
        if acquire {
            world.fence(&mut second, 0);
        }
        assert_eq!(world.read(&mut second, 0, 0, 8), !(release && acquire), "{release} {acquire}");
    }
}

#[test]
fn fences_before_a_barrier_count_for_the_atomic_behind_it() {
    let mut world = World::new();
    let grid = world.grid(&Facts::default());
    let (mut first, mut last) = (world.block(grid, 0, 64), world.block(grid, 1, 1));
    for thread in 0..64 {
        world.write(&mut first, thread, 4 * thread as u64, 4);
        world.fence(&mut first, thread);
    }
    world.barrier(&mut first);
    world.atomic(&mut first, 0, 512);
    world.atomic(&mut last, 0, 512);
    world.fence(&mut last, 0);
    assert!((0..64).all(|thread| !world.read(&mut last, 0, 4 * thread, 4)));
}

#[test]
fn a_child_sees_what_its_launching_thread_saw() {
    for barrier in [false, true] {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let mut parent = world.block(grid, 0, 64);
        (0..64).for_each(|thread| assert!(!world.write(&mut parent, thread, 4 * thread as u64, 4)));
        if barrier {
            world.barrier(&mut parent);
        }
        let child = world.launch(&mut parent, 0, DeviceQueue::FireAndForget);
        assert!(!world.write(&mut parent, 0, 1024, 4));
        let mut child = world.block(child, 0, 1);
        assert!(!world.read(&mut child, 0, 0, 4), "the launching thread's own");
        assert_eq!(world.read(&mut child, 0, 40, 4), !barrier);
        assert!(world.read(&mut child, 0, 1024, 4), "written behind the launch");
    }
}

#[test]
fn streams_order_what_one_thread_launches() {
    for (queue, together) in
        [(DeviceQueue::Null(0), false), (DeviceQueue::FireAndForget, true), (DeviceQueue::Tail, false)]
    {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let mut parent = world.block(grid, 0, 1);
        let (first, second) = (world.launch(&mut parent, 0, queue), world.launch(&mut parent, 0, queue));
        let mut first = world.block(first, 0, 1);
        assert!(!world.write(&mut first, 0, 0, 4));
        let mut second = world.block(second, 0, 1);
        assert_eq!(world.read(&mut second, 0, 0, 4), together, "{queue:?}");
    }
}

#[test]
fn unordered_launches_into_one_stream_have_no_order() {
    for barrier in [false, true] {
        let mut world = World::new();
        let grid = world.grid(&Facts::default());
        let mut parent = world.block(grid, 0, 2);
        let first = world.launch(&mut parent, 0, DeviceQueue::Tail);
        if barrier {
            world.barrier(&mut parent);
        }
        let second = world.launch(&mut parent, 1, DeviceQueue::Tail);
        let mut first = world.block(first, 0, 1);
        assert!(!world.write(&mut first, 0, 0, 4));
        let mut second = world.block(second, 0, 1);
        assert_eq!(world.write(&mut second, 0, 0, 4), !barrier);
    }
}

#[test]
fn a_tail_sees_all_of_its_grid() {
    let mut world = World::new();
    let grid = world.grid(&Facts::default());
    let mut parent = world.block(grid, 0, 64);
    let tail = world.launch(&mut parent, 0, DeviceQueue::Tail);
    let child = world.launch(&mut parent, 1, DeviceQueue::FireAndForget);
    let mut child = world.block(child, 0, 1);
    let grandchild = world.launch(&mut child, 0, DeviceQueue::FireAndForget);
    let mut grandchild = world.block(grandchild, 0, 1);
    world.write(&mut parent, 63, 0, 4);
    world.write(&mut grandchild, 0, 4, 4);
    let mut tail = world.block(tail, 0, 1);
    assert!(!world.read(&mut tail, 0, 0, 8));
}

#[test]
fn the_host_must_synchronise() {
    for synchronised in [false, true] {
        let mut world = World::new();
        let fact = Fact { chain: 1, position: 1 };
        let clock = world.checker.host_clock(&Facts::default());
        let grid = world.checker.submit(ItemLabel::Grid(1), NO_ITEM, false, Some(fact), clock);
        let mut block = world.block(grid, 0, 1);
        world.write(&mut block, 0, 0, 4);
        if synchronised {
            world.checker.complete(grid);
            let mut facts = Facts::default();
            facts.learn(fact);
            assert!(world.checker.host_synchronised(&facts));
        }
        let access = RangeAccess { address: world.at(0), bytes: 4, write: false };
        assert_eq!(world.checker.host_access(access, 0).is_some(), !synchronised);
    }
}

#[test]
fn what_the_host_writes_after_the_launch_races() {
    let mut world = World::new();
    let access = |world: &World, byte| RangeAccess { address: world.at(byte), bytes: 4, write: true };
    let before = access(&world, 0);
    assert!(world.checker.host_access(before, 0).is_none());
    let grid = world.grid(&Facts::default());
    let after = access(&world, 4);
    assert!(world.checker.host_access(after, 0).is_none());
    let mut block = world.block(grid, 0, 1);
    assert!(!world.read(&mut block, 0, 0, 4));
    assert!(world.read(&mut block, 0, 4, 4));
}

#[test]
fn an_operation_knows_what_is_behind_it_only() {
    let mut world = World::new();
    let grid = world.grid(&Facts::default());
    let mut block = world.block(grid, 0, 1);
    world.write(&mut block, 0, 0, 4);
    let copy = world.checker.submit(ItemLabel::Operation(0), NO_ITEM, false, None, Clock::default());
    let time = world.checker.operation(copy);
    let access = RangeAccess { address: world.at(0), bytes: 64, write: false };
    let problem = world.checker.operate(copy, time, access);
    assert_eq!(
        problem,
        Some(Problem::Race {
            before: Stamp::new(block.times[0], 0, Strength::Weak, 1),
            wrote: true,
            address: world.at(0)
        })
    );
}
