//! Finds code of the first version of dynamic parallelism (launch-model.md, section 7).
//!
//! CDP1's device runtime has the names of CDP2's without the prefix `__cudaCDP2`. A module that calls device-side
//! `cudaDeviceSynchronize` cannot be loaded on a device of capability 9.0.

use crate::ast::{CallTarget, Location, Module, Name, Statement};

/// A call of CDP1's device runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cdp1Call {
    /// The kernel or function that calls.
    pub function: Name,
    /// What it calls.
    pub callee: Name,
    /// Where.
    pub location: Location,
}

/// Device-side synchronisation, in the names that CUDA's headers gave it.
const SYNCHRONISE: [&str; 3] = [
    "cudaDeviceSynchronize",
    "__cudaDeviceSynchronizeDeprecationAvoidance",
    "cudaDeviceSynchronizeDeprecationAvoidance",
];
const LAUNCH: [&str; 6] = [
    "cudaGetParameterBuffer",
    "cudaGetParameterBufferV2",
    "cudaLaunchDevice",
    "cudaLaunchDevice_ptsz",
    "cudaLaunchDeviceV2",
    "cudaLaunchDeviceV2_ptsz",
];

impl Cdp1Call {
    /// True for device-side synchronisation, which exists in CDP1 only; false for a launch through CDP1's names.
    pub fn synchronises(&self) -> bool {
        SYNCHRONISE.contains(&&*self.callee)
    }
}

/// Every call of CDP1's synchronisation and launch functions, in textual order.
pub fn cdp1_calls(module: &Module) -> Vec<Cdp1Call> {
    let mut calls = Vec::new();
    for function in &module.functions {
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            if let Statement::Call(call) = statement
                && let CallTarget::Direct(callee) = &call.target
                && (SYNCHRONISE.contains(&&**callee) || LAUNCH.contains(&&**callee))
            {
                let (function, callee) = (function.name.clone(), callee.clone());
                calls.push(Cdp1Call { function, callee, location: call.location });
            }
        }
    }
    calls
}
