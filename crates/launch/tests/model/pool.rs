//! The launch pool (launch-model 3.5).

use hotfire_launch::{
    DeviceLaunchStream, Item, LaunchError, Limits, Model, Policy, PoolFull, Situation, Stage, Stream, Work,
};

fn running(pending_launches: u32) -> (Model, Item) {
    let mut model = Model::new(Limits { pending_launches, ..Limits::default() }, Policy::Eager);
    model.submit(Stream::LEGACY, Work::Grid);
    let grid = model.next(Situation::Idle).unwrap();
    (model, grid)
}

fn launch(model: &mut Model, launcher: Item, stream: DeviceLaunchStream) -> Item {
    model.reserve_slot(launcher).unwrap();
    model.launch(launcher, 0, stream, Work::Grid).unwrap()
}

/// Running, queued and tail launches count alike: with 2048 slots it is the 2049th that fails.
#[test]
fn the_launch_after_the_last_slot_fails() {
    use DeviceLaunchStream::{FireAndForget, Null, Tail};
    for stream in [FireAndForget, Null, Tail] {
        let (mut model, grid) = running(2048);
        for _ in 0..2048 {
            launch(&mut model, grid, stream);
            model.next(Situation::Busy);
        }
        assert_eq!(model.reserve_slot(grid), Err(PoolFull));
        assert_eq!((model.pending(), model.peak_pending()), (2048, 2048));
    }
}

#[test]
fn a_slot_is_held_until_done_not_until_complete() {
    let (mut model, root) = running(3);
    let child = launch(&mut model, root, DeviceLaunchStream::FireAndForget);
    assert_eq!(model.next(Situation::Busy), Some(child));
    let grandchild = launch(&mut model, child, DeviceLaunchStream::FireAndForget);
    let tail = launch(&mut model, child, DeviceLaunchStream::Tail);
    assert_eq!(model.next(Situation::Busy), Some(grandchild));
    model.finished(child);
    assert_eq!((model.stage(child), model.pending()), (Stage::Exited, 3), "its child runs");
    model.finished(grandchild);
    assert_eq!((model.stage(child), model.pending()), (Stage::Done, 1), "only the tail holds one");
    assert_eq!(model.next(Situation::Busy), Some(tail));
    model.finished(tail);
    assert_eq!((model.stage(child), model.pending()), (Stage::Complete, 0));
    assert!(!model.is_complete(root));
}

#[test]
fn a_reserved_slot_counts_and_can_be_given_back() {
    let (mut model, grid) = running(1);
    model.reserve_slot(grid).unwrap();
    assert_eq!(model.reserve_slot(grid), Err(PoolFull));
    model.release_slot();
    assert_eq!(model.reserve_slot(grid), Ok(()));
    model.launch(grid, 0, DeviceLaunchStream::Null, Work::Grid).unwrap();
    assert_eq!(model.launch(grid, 0, DeviceLaunchStream::Null, Work::Grid), Err(LaunchError::NoSlot));
    assert!(model.launch(grid, 0, DeviceLaunchStream::Null, Work::Operation).is_ok(), "operations take none");
}

#[test]
fn the_size_can_change_between_launches() {
    let (mut model, grid) = running(1);
    launch(&mut model, grid, DeviceLaunchStream::Tail);
    model.set_pending_launches(2);
    launch(&mut model, grid, DeviceLaunchStream::Tail);
    model.set_pending_launches(1);
    assert_eq!(model.reserve_slot(grid), Err(PoolFull));
    assert_eq!((model.pending_launches(), model.pending()), (1, 2));
}
