// Iteration by a conditional node of a graph: counts down.

extern "C" __global__ void count_down_while(int* left, int* turns, cudaGraphConditionalHandle go_on) {
    ++*turns;
    cudaGraphSetConditional(go_on, --*left > 0);
}
