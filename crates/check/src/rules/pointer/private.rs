//! `pointer/private`: shared or local memory given to another grid.

use crate::rules::RuleText;

/// What `hotfire explain pointer/private` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A pointer to shared or local memory is given to a child grid or to a device-side copy",
    models: "\
        Shared memory is private to its block, local memory to its thread. A pointer to either in a child's \
        parameters is illegal whether or not the child follows it; following it ends with \
        cudaErrorInvalidAddressSpace, which the context keeps. Given to a device-side memcpy or memset, the call \
        fails.",
    fires: "\
        The parameter buffer of a device launch holds such an address, also inside a struct passed by value, \
        chosen at run time or handed through a helper; or a copy or set of the device runtime gets one.",
    misses: "\
        Addresses that were disguised as numbers (offsets, compressed handles). A number in the parameters that \
        is no address but looks exactly like one of a live block would be reported.",
    cases: &["\
            d06: a shared pointer as argument; a local pointer in a struct; through a select; through a noinline \
            helper; to cudaMemcpyAsync in device code"],
    help: &["\
            Copy the data to global memory first (an allocation of the host, or a __device__ variable) and pass \
            that; or pass small data by value."],
    source: "launch-model 3.4.3; CUDA C++ Programming Guide, Dynamic Parallelism, Passing Pointers to Child Grids",
};
