//! Clusters: blocks that run together, meet at a barrier of their own and reach into each other's shared memory.
//!
//! The first block of a cluster that starts makes the windows of all, so that an address in the shared memory of a block means something
//! before that block begins. Blocks of a cluster stand next to each other in the order in which blocks are handed out; whoever starts
//! one may start the others (the engine sees to room).

use super::block::Block;
use super::fiber::Fiber;
use super::window::Window;
use super::{context, region, runtime};
use hotfire_check::{BlockOrder, Phase};
use hotfire_jit::abi::{ThreadContext, barrier, cluster as code};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// One cluster.
#[derive(Debug)]
pub struct Cluster {
    windows: Vec<Window>,
    barrier: Mutex<Barrier>,
    /// What its blocks know, in a checked run; null before a block begins and after it ended.
    orders: Vec<AtomicPtr<BlockOrder>>,
}

/// The barrier of a cluster.
#[derive(Debug)]
struct Barrier {
    /// Threads that have not exited, those included that have not begun.
    live: u32,
    /// Those of them that have not arrived.
    missing: u32,
    /// The present phase; the first is 1.
    phase: u64,
}

impl Barrier {
    fn new(threads: u32) -> Barrier {
        Barrier { live: threads, missing: threads, phase: 1 }
    }

    /// One thread less is missing. True if the phase is over.
    fn settle(&mut self) -> bool {
        self.missing -= 1;
        if self.missing > 0 {
            return false;
        }
        self.missing = self.live;
        self.phase += 1;
        true
    }
}

impl Cluster {
    fn new(blocks: u64, threads: u32, shared: u32) -> io::Result<Cluster> {
        let windows = &region::get()?.windows;
        let mut cluster =
            Cluster { windows: Vec::new(), barrier: Mutex::new(Barrier::new(threads)), orders: Vec::new() };
        for _ in 0..blocks {
            cluster.windows.push(windows.take(shared)?);
            cluster.orders.push(AtomicPtr::default());
        }
        Ok(cluster)
    }

    /// The window of the block of that rank.
    pub fn window(&self, rank: usize) -> Window {
        self.windows[rank]
    }

    /// The rank of the block in whose window an address lies, and that window.
    pub fn window_of(&self, address: u64) -> Option<(usize, Window)> {
        let inside = |window: &Window| address.wrapping_sub(window.base) < super::window::WINDOW;
        self.windows.iter().position(inside).map(|rank| (rank, self.windows[rank]))
    }

    /// Says what the block of that rank knows, or that there is none any more.
    pub fn set_order(&self, rank: usize, order: *mut BlockOrder) {
        self.orders[rank].store(order, Ordering::Release);
    }

    /// What the block of that rank knows; null if it is not there.
    pub fn order(&self, rank: usize) -> *mut BlockOrder {
        self.orders[rank].load(Ordering::Acquire)
    }

    /// What the checker knows the barrier by.
    fn key(&self) -> u64 {
        // No object of a program lies at an odd address.
        ptr::from_ref(self) as u64 | 1
    }

    /// Fills a block's table of windows.
    pub fn fill(&self, rank: usize, table: &mut [u64; code::WINDOWS]) {
        table[0] = self.windows[rank].base;
        for (place, window) in table[1..].iter_mut().zip(&self.windows) {
            *place = window.base;
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(regions) = region::existing() {
            self.windows.iter().for_each(|&window| regions.windows.give(window));
        }
    }
}

/// The clusters of a grid of which not all blocks have begun, with how many have not.
#[derive(Debug, Default)]
pub struct Clusters(Mutex<HashMap<u64, (Arc<Cluster>, u64)>>);

impl Clusters {
    /// The cluster of a block that begins: `index` counts clusters, `blocks` is their size, `threads` those of a block.
    ///
    /// # Errors
    /// The operating system's, when there is no shared memory to be had.
    pub fn join(&self, index: u64, blocks: u64, threads: u32, shared: u32) -> io::Result<Arc<Cluster>> {
        let mut clusters = self.0.lock();
        let (cluster, missing) = match clusters.get_mut(&index) {
            Some(entry) => entry,
            None => {
                let cluster = Cluster::new(blocks, threads * blocks as u32, shared)?;
                clusters.entry(index).or_insert((Arc::new(cluster), blocks))
            }
        };
        let cluster = cluster.clone();
        *missing -= 1;
        if *missing == 0 {
            clusters.remove(&index);
        }
        Ok(cluster)
    }
}

/// [`hotfire_jit::abi::Runtime::cluster_barrier`]
pub(super) unsafe extern "C-unwind" fn cluster_barrier(context: *mut ThreadContext, kind: u32, site: u32) {
    // SAFETY: called by generated code; no reference to the block is held across the switch.
    unsafe {
        let fiber = context.cast::<Fiber>();
        if kind & !code::RELAXED == code::ARRIVE {
            let Some(cluster) = &(*(*fiber).block).cluster else {
                // A block without a cluster is one by itself; its threads meet at its own barrier when they wait.
                return;
            };
            let mut barrier = cluster.barrier.lock();
            if (*fiber).cluster_phase == barrier.phase {
                return;
            }
            (*fiber).cluster_phase = barrier.phase;
            let (over, relaxed) = (barrier.settle(), kind & code::RELAXED != 0);
            drop(barrier);
            match (over, relaxed) {
                (true, _) => order(context, Phase::Over { arrives: !relaxed }),
                (false, false) => order(context, Phase::Arrives),
                (false, true) => {}
            }
            return;
        }
        if (*(*fiber).block).cluster.is_none() {
            runtime::barrier(context, 0, 0, barrier::SYNC, 0, site);
            return;
        }
        let waits = |fiber: *mut Fiber| {
            let cluster = (*(*fiber).block).cluster.as_ref();
            cluster.is_some_and(|cluster| cluster.barrier.lock().phase <= (*fiber).cluster_phase)
        };
        (*fiber).at_cluster = true;
        while waits(fiber) {
            context::yield_now(context);
        }
        (*fiber).at_cluster = false;
        order(context, Phase::Waited);
    }
}

/// [`hotfire_jit::abi::Runtime::cluster_rank`]
pub(super) unsafe extern "C-unwind" fn cluster_rank(context: *mut ThreadContext, address: u64) -> u32 {
    // SAFETY: called by generated code.
    unsafe {
        let block = &*(*context.cast::<Fiber>()).block;
        match &block.cluster {
            Some(cluster) => cluster.window_of(address).map_or(u32::MAX, |(rank, _)| rank as u32),
            None if address.wrapping_sub(block.window.base) < super::window::WINDOW => 0,
            None => u32::MAX,
        }
    }
}

/// A thread of a cluster ended: nobody waits for it at the barrier any more.
///
/// # Safety
/// `fiber` runs a thread of `block`.
pub(super) unsafe fn exited(block: *mut Block, fiber: *mut Fiber) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(cluster) = &(*block).cluster else { return };
        let mut barrier = cluster.barrier.lock();
        barrier.live -= 1;
        let over = (*fiber).cluster_phase != barrier.phase && barrier.settle();
        drop(barrier);
        if over {
            order(fiber.cast(), Phase::Over { arrives: false });
        }
    }
}

/// Tells the checker what this means for who knows what.
unsafe fn order(context: *mut ThreadContext, phase: Phase) {
    // SAFETY: the context is that of the running thread; the worker holds the checker.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let Some(key) = (*block).cluster.as_ref().map(|cluster| cluster.key()) else { return };
        super::mbarrier::order(context, key, Some(phase));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_takes_every_live_thread() {
        let mut barrier = Barrier::new(3);
        assert!(!barrier.settle() && !barrier.settle() && barrier.settle());
        assert_eq!((barrier.phase, barrier.missing), (2, 3));
        // One exits instead of arriving, and is not counted again.
        barrier.live -= 1;
        assert!(!barrier.settle() && !barrier.settle() && barrier.settle());
        assert_eq!((barrier.phase, barrier.missing), (3, 2));
    }

    #[test]
    fn clusters_are_known_until_all_blocks_have_begun() {
        let clusters = Clusters::default();
        let first = clusters.join(0, 2, 32, 100).unwrap();
        let other = clusters.join(1, 2, 32, 100).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
        assert!(Arc::ptr_eq(&first, &clusters.join(0, 2, 32, 100).unwrap()));
        assert_eq!(clusters.0.lock().len(), 1);
        let (rank, window) = first.window_of(first.window(1).base + 50).unwrap();
        assert_eq!((rank, window), (1, first.window(1)));
        assert_eq!(first.window_of(other.window(0).base), None);
    }
}
