//! Device code of the first dynamic parallelism, which this device refuses as an sm_90 one does (`launch-model.md`
//! section 7).

pub mod synchronize;
