// A cooperative grid by the functions of the device runtime, as Numba calls them. The PTX beside this file comes from
//   nvcc -arch=sm_90 -rdc=true -std=c++17 -lineinfo -ptx by_name.cu -o by_name.ptx
__device__ int count;
__device__ unsigned wrong;

// As `meet` of progress.cu. Threads also look whether their rank and the size of the grid are right.
extern "C" __global__ void meet(int rounds, int* out) {
    unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    for (int round = 0; round < rounds; round++) {
        int at = (blockIdx.x + round) % gridDim.x;
        if (threadIdx.x == 0) out[at] += round == 0 || out[at] == round ? 1 : 1000;
        if (cudaCGSynchronize(grid, 0) != cudaSuccess) atomicAdd(&wrong, 1);
    }
    unsigned threads = 0, grids = 0, rank = 0, of = 7;
    if (cudaCGGetSize(&threads, &grids, grid) != cudaSuccess || cudaCGGetRank(&rank, &of, grid) != cudaSuccess) atomicAdd(&wrong, 1);
    if (threads != gridDim.x * blockDim.x || grids != 1) atomicAdd(&wrong, 1);
    if (rank != blockIdx.x * blockDim.x + threadIdx.x || of != 0) atomicAdd(&wrong, 1);
    if (threadIdx.x == 0) atomicAdd(&count, 1);
}

// Without a cooperative launch there is no handle, and nobody waits.
extern "C" __global__ void alone(unsigned long long* handle, int* errors) {
    unsigned size = 5;
    *handle = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    errors[0] = cudaCGSynchronize(*handle, 0);
    errors[1] = cudaCGGetSize(&size, nullptr, *handle);
    errors[2] = cudaCGGetRank(&size, nullptr, *handle);
    errors[3] = size;
}
