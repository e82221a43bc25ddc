// The same, with an end of the iteration that decides about the loop of a graph's conditional node.
#include "solver.cuh"

extern "C" __global__ void control_while(Problem p, cudaGraphConditionalHandle go_on) {
    bool go = goes_on(p) && end_iteration(p);
    if (threadIdx.x == 0) cudaGraphSetConditional(go_on, go);
}
