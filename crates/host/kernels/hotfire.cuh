// What a kernel tells of its device launches: the device's side of `FailureLedger`.
//
// A launch that fails, most often because the launch pool is full, is dropped, and only the last error of the launching
// thread knows. So every launch is followed by `hotfire_launched(ledger)` in the same thread.
#pragma once

struct HotfireLedger {
    unsigned failures;
    int code;  // of the first failure, as are the rest
    unsigned block[3];
    unsigned thread[3];
};

// Whether the launch before it was accepted; a failure is entered.
static __device__ __forceinline__ bool hotfire_launched(HotfireLedger* ledger) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return true;
    if (atomicAdd(&ledger->failures, 1u) == 0) {
        ledger->code = int(error);
        ledger->block[0] = blockIdx.x, ledger->block[1] = blockIdx.y, ledger->block[2] = blockIdx.z;
        ledger->thread[0] = threadIdx.x, ledger->thread[1] = threadIdx.y, ledger->thread[2] = threadIdx.z;
    }
    return false;
}
