// Kernels that wait for each other. The PTX beside this file comes from
//   nvcc -arch=sm_90 -rdc=true -std=c++17 -lineinfo -ptx progress.cu -o progress.ptx
#include <cooperative_groups.h>

__device__ volatile int flag, other;
__device__ int count;
__device__ int results[1024];

extern "C" __global__ void set_flag() { flag = 1; }
extern "C" __global__ void spin_on_flag() { while (flag == 0) {} }
extern "C" __global__ void spin_on(volatile int* at) { while (*at == 0) {} }
extern "C" __global__ void spin_with_sleep() { while (flag == 0) __nanosleep(100); }
extern "C" __global__ void spin_with_clock() {
    long long now = 0;
    while (flag == 0) now = clock64();
    results[0] = (int)now;
}
extern "C" __global__ void spin_for_a_lock() { while (atomicCAS(&count, 0, 1) != 0) {} }
extern "C" __global__ void take_lock() { count = 1; }
// Leave by themselves: by a count, by the clock.
extern "C" __global__ void bounded_by_count(int n) {
    for (int i = 0; i < n && flag == 0; i++) {}
    results[0] = flag;
}
extern "C" __global__ void bounded_by_clock(long long ns) {
    long long start = clock64();
    while (flag == 0 && clock64() - start < ns) {}
    results[0] = flag + 7;
}
// Each waits for what the other would write behind its own wait.
extern "C" __global__ void first() { while (other == 0) {} flag = 1; }
extern "C" __global__ void second() { while (flag == 0) {} other = 1; }
extern "C" __global__ void siblings() {
    first<<<1, 1, 0, cudaStreamFireAndForget>>>();
    second<<<1, 1, 0, cudaStreamFireAndForget>>>();
}
extern "C" __global__ void waits_for_its_tail() {
    set_flag<<<1, 1, 0, cudaStreamTailLaunch>>>();
    while (flag == 0) {}
}
extern "C" __global__ void waits_for_its_child() {
    set_flag<<<1, 1, 0, cudaStreamFireAndForget>>>();
    while (flag == 0) {}
}
extern "C" __global__ void sets_what_its_child_waits_for() {
    spin_on_flag<<<1, 1, 0, cudaStreamFireAndForget>>>();
    flag = 1;
}
extern "C" __global__ void comes(volatile int* mine, volatile int* other) {
    *mine = 1;
    while (*other == 0) {}
}
extern "C" __global__ void meeting_siblings() {
    comes<<<1, 1, 0, cudaStreamFireAndForget>>>(&flag, &other);
    comes<<<1, 1, 0, cudaStreamFireAndForget>>>(&other, &flag);
}
// Looks now and then, without waiting.
extern "C" __global__ void counts_looks_at_its_child() {
    set_flag<<<1, 1, 0, cudaStreamFireAndForget>>>();
    int sum = 0;
    for (int i = 0; i < 300; i++) sum = sum * 31 + flag + i;
    results[0] = sum;
}
// Home-made grid barrier.
extern "C" __global__ void grid_barrier(int blocks) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&count, 1);
        while (*(volatile int*)&count < blocks) {}
    }
    __syncthreads();
}
// Each block waits for the one before it.
extern "C" __global__ void chain() {
    if (threadIdx.x == 0) {
        while (*(volatile int*)&count < (int)blockIdx.x) {}
        __threadfence();
        atomicAdd(&count, 1);
    }
    __syncthreads();
}
// Half of the threads never come.
extern "C" __global__ void missing() {
    if (threadIdx.x < 32) __syncthreads();
    else asm volatile("bar.sync 1;" ::: "memory");
    results[threadIdx.x] = 1;
}
extern "C" __global__ void exited() {
    if (threadIdx.x >= 32) return;
    __syncthreads();
    results[threadIdx.x] = 1;
}
extern "C" __global__ void divergent() {
    if (threadIdx.x % 2) {
        results[threadIdx.x] = 1;
        asm volatile("bar.sync 0;" ::: "memory");
    } else {
        asm volatile("bar.sync 0;" ::: "memory");
        results[threadIdx.x] = 2;
    }
}
extern "C" __global__ void unaligned() {
    if (threadIdx.x % 2) {
        results[threadIdx.x] = 1;
        asm volatile("barrier.sync 0;" ::: "memory");
    } else {
        asm volatile("barrier.sync 0;" ::: "memory");
        results[threadIdx.x] = 2;
    }
}
extern "C" __global__ void parted() {
    if (threadIdx.x % 2) asm volatile("bar.sync 1, 32;" ::: "memory");
    else asm volatile("bar.sync 2, 32;" ::: "memory");
}
extern "C" __global__ void lanes_missing() {
    if (threadIdx.x % 32 == 0) __syncwarp();
    else asm volatile("bar.sync 0;" ::: "memory");
}
// All blocks of a cooperative launch meet, again and again.
extern "C" __global__ void meet(int rounds, int* out) {
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        int at = (blockIdx.x + round) % gridDim.x;
        if (threadIdx.x == 0) out[at] += round == 0 || out[at] == round ? 1 : 1000;
        grid.sync();
    }
    if (grid.is_valid() && threadIdx.x == 0) atomicAdd(&count, 1);
}
