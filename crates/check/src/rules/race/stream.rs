//! `race/stream`: grids, copies and sets of streams that nothing orders.

use crate::rules::RuleText;

/// What `hotfire explain race/stream` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Work of two streams touches the same memory, and no event, graph edge or default stream orders it",
    models: "\
        Work of one stream runs in order. Work of different streams is ordered only by an event that one records \
        and the other waits for, by a graph edge, by the host synchronising in between, or by the legacy default \
        stream, which joins with every blocking stream on both sides but not with streams made by \
        cudaStreamNonBlocking. Copies and sets count as grids, the synchronous ones too: cudaMemset of device \
        memory and device-to-device copies do not wait, so a non-blocking stream is not ordered behind them.",
    fires: "\
        Two grids, copies or sets with no common launching ancestor on the device touch a common byte, one of \
        them writes, and neither comes before the other. This is also the name for a copy to __constant__ memory \
        while a grid that may read it is alive.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds.",
    cases: &[
        "h04: producer and consumer in two non-blocking streams with no event",
        "h08: cudaMemset of device memory, then a kernel in a non-blocking stream reads it",
        "d19: a copy to __constant__ data while a device-launched grid is alive",
    ],
    help: &[
        "\
            Record an event behind the first with cudaEventRecord(event, first_stream) and call \
            cudaStreamWaitEvent(second_stream, event) before the second.",
        "Or use one stream for both.",
        "Or synchronise the host between them.",
    ],
    source: "\
        launch-model 2.2, 2.5, 3.4.4; CUDA C++ Programming Guide, Streams, Implicit Synchronization; API \
        synchronization behavior",
};
