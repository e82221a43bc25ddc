// The same, with an end of the iteration that launches the next one into its own tail stream.
#include "../../../crates/host/kernels/hotfire.cuh"
#include "solver.cuh"

// Tails run in launch order, each when the one in front is complete: there is nothing to wait for. And nothing is
// triggered here, for an H200 never ends a kernel that triggers and then launches tails (litmus/README.md).
extern "C" __global__ void control_tail(Problem p, int method, int first, HotfireLedger* ledger) {
    bool go = p.state->go;
    if (go && !first) go = end_iteration(p);
    if (!go || threadIdx.x > 0) return;
    if (method == 0) {
        cg_multiply<<<p.blocks, THREADS, 0, cudaStreamTailLaunch>>>(p);
        hotfire_launched(ledger);
        cg_step<<<p.blocks, THREADS, 0, cudaStreamTailLaunch>>>(p);
        hotfire_launched(ledger);
        cg_turn<<<p.blocks, THREADS, 0, cudaStreamTailLaunch>>>(p);
    } else {
        jacobi<<<p.blocks, THREADS, 0, cudaStreamTailLaunch>>>(p);
    }
    hotfire_launched(ledger);
    control_tail<<<1, THREADS, 0, cudaStreamTailLaunch>>>(p, method, 0, ledger);
    hotfire_launched(ledger);
}
