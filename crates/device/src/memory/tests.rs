use super::*;

fn memory() -> Arc<Memory> {
    Memory::new(64 << 20).unwrap()
}

#[test]
fn arena_is_aligned_to_its_size() {
    let (a, b) = (memory(), memory());
    for arena in [a.arena(), b.arena()] {
        assert_eq!(arena.size, ARENA_SIZE);
        assert!(arena.base.is_multiple_of(arena.size));
    }
    assert_ne!(a.arena().base, b.arena().base);
}

#[test]
fn find_knows_exact_bounds() {
    let memory = memory();
    let a = memory.alloc(Kind::Device, 1000, 256).unwrap();
    let expected = Allocation { base: a, size: 1000, kind: Kind::Device };
    assert_eq!(memory.find(a), Some(expected));
    assert_eq!(memory.find(a + 999), Some(expected));
    assert_eq!(memory.find(a + 1000), None);
    assert_eq!(memory.find(a - 1), None);
    assert!(memory.is_device_accessible(a + 10, 990) && !memory.is_device_accessible(a + 10, 991));
    assert_eq!(memory.free(a + 1), Err(NotAllocated));
    assert_eq!(memory.free(a), Ok(expected));
    assert_eq!(memory.free(a), Err(NotAllocated));
    assert_eq!(memory.find(a), None);
}

#[test]
fn limit_counts_device_memory_only() {
    let memory = memory();
    let a = memory.alloc(Kind::Device, 40 << 20, 256).unwrap();
    assert_eq!(memory.alloc(Kind::Managed, 30 << 20, 256), None);
    let pinned = memory.alloc(Kind::PinnedHost, 30 << 20, 256).unwrap();
    assert_eq!(memory.used(), 40 << 20);
    memory.free(a).unwrap();
    assert_eq!(memory.used(), 0);
    memory.alloc(Kind::Managed, 30 << 20, 256).unwrap();
    memory.free(pinned).unwrap();
    assert_eq!(memory.used(), 30 << 20);
    assert_eq!(memory.alloc(Kind::Device, u64::MAX, 1), None);
    assert_eq!(memory.alloc(Kind::Device, 0, 1), None);
    assert_eq!(memory.alloc(Kind::Device, 1, 3), None);
}

#[test]
fn memory_is_zero_and_writable() {
    let memory = memory();
    for size in [1u64, 4096, 3 << 20] {
        let a = memory.alloc(Kind::Managed, size, 256).unwrap();
        // SAFETY: allocated just now.
        let bytes = unsafe { std::slice::from_raw_parts_mut(a as *mut u8, size as usize) };
        assert!(bytes.iter().all(|&byte| byte == 0));
        bytes.fill(0xff);
        memory.free(a).unwrap();
    }
}

#[test]
fn freed_addresses_are_reused_late() {
    let memory = memory();
    let a = memory.alloc(Kind::Device, 4096, 256).unwrap();
    memory.free(a).unwrap();
    for _ in 0..100 {
        let b = memory.alloc(Kind::Device, 4096, 256).unwrap();
        assert_ne!(a, b);
        memory.free(b).unwrap();
    }
}

#[test]
fn parameter_blocks_are_recycled_and_found() {
    let memory = memory();
    for (size, class) in [(1, 64), (64, 64), (65, 128), (4000, 4096), (32768, 32768)] {
        let a = memory.alloc(Kind::Parameters, size, 64).unwrap();
        let b = memory.alloc(Kind::Parameters, size, 64).unwrap();
        assert!(a != b && a.is_multiple_of(64) && memory.contains(a));
        assert_eq!(memory.find(a + size - 1), Some(Allocation { base: a, size: class, kind: Kind::Parameters }));
        // SAFETY: a block of at least `size` bytes, allocated just now.
        unsafe { std::slice::from_raw_parts_mut(b as *mut u8, size as usize) }.fill(1);
        memory.free(a).unwrap();
        assert_eq!(memory.alloc(Kind::Parameters, size, 64), Some(a));
    }
    let large = memory.alloc(Kind::Parameters, 100_000, 64).unwrap();
    assert_eq!(memory.find(large).unwrap().size, 100_000);
    memory.free(large).unwrap();
    assert_eq!(memory.used(), 0);
}

#[test]
fn registered_host_memory_is_accessible() {
    let memory = memory();
    let host = vec![0u8; 10_000];
    let base = host.as_ptr() as u64;
    assert!(!memory.is_device_accessible(base, 1));
    memory.register_host(base, 10_000).unwrap();
    assert!(memory.is_device_accessible(base + 1, 9_999) && !memory.is_device_accessible(base + 1, 10_000));
    assert_eq!(memory.find_registered(base + 5), Some((base, 10_000)));
    assert_eq!(memory.unregister_host(base), Ok(10_000));
    assert!(!memory.is_device_accessible(base, 1));
    let device = memory.alloc(Kind::Device, 4096, 256).unwrap();
    assert_eq!(memory.register_host(device, 16), Err(RegisterError::Overlap));
}

#[test]
fn threads_never_get_the_same_memory() {
    let memory = Memory::new(1 << 30).unwrap();
    std::thread::scope(|scope| {
        for mark in 1..=3u64 {
            let memory = &memory;
            scope.spawn(move || {
                let mut live = Vec::new();
                for round in 0..600u64 {
                    let kind = if round % 3 == 0 { Kind::Device } else { Kind::Parameters };
                    let size = 1 + round * 37 % 9000;
                    let address = memory.alloc(kind, size, 64).unwrap();
                    // SAFETY: allocated just now, for at least that many bytes.
                    unsafe { std::slice::from_raw_parts_mut(address as *mut u8, size as usize) }.fill(mark as u8);
                    live.push((address, size));
                    if round % 2 == 1 {
                        let (address, size) = live.swap_remove((round * 7) as usize % live.len());
                        // SAFETY: live, and nobody else's.
                        let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, size as usize) };
                        assert!(bytes.iter().all(|&byte| byte == mark as u8));
                        assert!(memory.is_device_accessible(address, size));
                        memory.free(address).unwrap();
                    }
                }
                live.into_iter().for_each(|(address, _)| _ = memory.free(address).unwrap());
            });
        }
    });
    assert_eq!(memory.used(), 0);
}
