// Kernels of the device's tests. The PTX beside this file comes from
//   nvcc -arch=sm_90 -rdc=true -std=c++17 -ptx kernels.cu -o kernels.ptx
#include <cassert>
#include <cstdio>

__device__ int order[65536];
__device__ int order_count;
__device__ int launched, dropped, last_code;
__device__ volatile int gate;
__constant__ int table[4] = {2, 3, 5, 7};
__device__ int initialised[3] = {10, 20, 30};
__device__ int* pointer = &initialised[1];
__device__ int results[64];

static __device__ void note(int tag) {
    int at = atomicAdd(&order_count, 1);
    if (at < 65536) order[at] = tag;
}
static __device__ void count(cudaError_t error) {
    if (error == cudaSuccess) launched++;
    else { dropped++; last_code = error; }
}

extern "C" __global__ void empty() {}
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void use_tables(int* out) { out[threadIdx.x] = table[threadIdx.x] + pointer[0] + initialised[0]; }
extern "C" __global__ void leaf(int tag) { note(tag); }
extern "C" __global__ void increment(int* x) { *x = *x + 1; }
extern "C" __global__ void wait_for(volatile int* flag, int* out) { while (*flag == 0) {} *out = *flag + 1; }
extern "C" __global__ void wait_at_barriers(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, (int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" __global__ void stuck(int* out) {
    if (threadIdx.x == 0) asm volatile("bar.sync 1, 64;");
    *out = 1;
}

extern "C" __global__ void child_with_tail(int tag) {
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(tag + 1000);
    leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(tag + 2000);
    note(tag);
}
extern "C" __global__ void tails() {
    if (threadIdx.x == 0) {
        leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(1);
        child_with_tail<<<1, 1, 0, cudaStreamFireAndForget>>>(10);
        leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(2);
        child_with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(20);
        leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
    }
}
extern "C" __global__ void storm(int n) {
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(i); count(cudaGetLastError()); }
}
extern "C" __global__ void storm_empty(int n) {
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { empty<<<1, 1, 0, cudaStreamFireAndForget>>>(); count(cudaGetLastError()); }
}
extern "C" __global__ void storm_tails(int n) {
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(i); count(cudaGetLastError()); }
}
extern "C" __global__ void blocked() { while (!gate) {} atomicAdd(&order_count, 1); }
extern "C" __global__ void hold(int n) {
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { blocked<<<1, 1, 0, cudaStreamFireAndForget>>>(); count(cudaGetLastError()); }
    __threadfence();
    gate = 1;
}
extern "C" __global__ void nest(int depth, int most) {
    if (depth == most) { leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(depth); return; }
    nest<<<1, 1, 0, cudaStreamFireAndForget>>>(depth + 1, most);
    count(cudaGetLastError());
}
extern "C" __global__ void tail_chain(int depth) {
    if (depth == 0) { note(7); return; }
    tail_chain<<<1, 1, 0, cudaStreamTailLaunch>>>(depth - 1);
    count(cudaGetLastError());
}
extern "C" __global__ void null_streams(int n) {
    if (threadIdx.x == 0) _Pragma("unroll 1") for (int i = 0; i < n; i++) leaf<<<1, 1>>>(blockIdx.x * 100 + i);
}
extern "C" __global__ void named() {
    cudaStream_t a, b;
    results[0] = cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    results[1] = cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    leaf<<<1, 1, 0, a>>>(1);
    leaf<<<1, 1, 0, a>>>(2);
    leaf<<<1, 1, 0, b>>>(11);
    leaf<<<1, 1, 0, b>>>(12);
    cudaEvent_t event;
    results[2] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    results[3] = cudaEventRecord(event, a);
    results[4] = cudaStreamWaitEvent(b, event, 0);
    leaf<<<1, 1, 0, b>>>(13);
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(99);
    results[5] = cudaStreamDestroy(a);
    results[6] = cudaStreamDestroy(b);
    results[7] = cudaEventDestroy(event);
    results[8] = cudaEventRecord(event, 0);
    results[9] = cudaEventCreateWithFlags(&event, 0);
    results[10] = cudaStreamCreateWithFlags(&a, 0);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    results[11] = cudaEventRecord(event, cudaStreamTailLaunch);
    results[12] = cudaGetLastError();
    results[13] = cudaGetLastError();
}
extern "C" __global__ void bad_configuration(int what) {
    if (what == 0) leaf<<<1, 2048, 0, cudaStreamFireAndForget>>>(1);
    if (what == 1) leaf<<<0, 32, 0, cudaStreamFireAndForget>>>(1);
    if (what == 2) leaf<<<1, 32, 300 * 1024, cudaStreamFireAndForget>>>(1);
    if (what == 3) leaf<<<dim3(1, 70000, 1), 32, 0, cudaStreamFireAndForget>>>(1);
    results[0] = cudaGetLastError();
    results[1] = cudaGetLastError();
    leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(5);
    results[2] = cudaGetLastError();
}
extern "C" __global__ void per_thread() {
    if (threadIdx.x == 0) leaf<<<1, 4096, 0, cudaStreamFireAndForget>>>(0);
    __syncthreads();
    order[threadIdx.x] = cudaPeekAtLastError();
    __syncthreads();
    order[32 + threadIdx.x] = cudaGetLastError();
    order[64 + threadIdx.x] = cudaGetLastError();
}
extern "C" __global__ void store_at(int* p) { *p = 1; }
extern "C" __global__ void child_fault() {
    store_at<<<1, 1, 0, cudaStreamFireAndForget>>>((int*)8);
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(5);
    last_code = cudaGetLastError();
}
extern "C" __global__ void private_pointer(int what) {
    __shared__ int s;
    int l = 3;
    s = 1;
    if (what == 0) store_at<<<1, 1, 0, cudaStreamFireAndForget>>>(&s);
    else store_at<<<1, 1, 0, cudaStreamFireAndForget>>>(&l);
    last_code = l + s;
}
extern "C" __global__ void device_copies(int* a, int* b) {
    __shared__ int s[4];
    s[threadIdx.x & 3] = 1;
    results[0] = cudaMemsetAsync(a, 1, 16, 0);
    results[1] = cudaMemcpyAsync(b, a, 8, cudaMemcpyDeviceToDevice, 0);
    results[2] = cudaMemcpyAsync(b, s, 8, cudaMemcpyDeviceToDevice, 0);
    results[3] = cudaGetLastError();
    results[4] = cudaMemcpy2DAsync(b + 4, 8, a, 4, 4, 2, cudaMemcpyDeviceToDevice, 0);
}
extern "C" __global__ void allocate(int** out) {
    int* p = (int*)malloc(64);
    p[threadIdx.x & 15] = 42;
    out[threadIdx.x] = p;
    int* q = nullptr;
    results[0] = cudaMalloc(&q, 1 << 30);
    cudaGetLastError();
    results[1] = q == nullptr;
    results[2] = cudaMalloc(&q, 256);
    *q = 5;
    results[3] = cudaFree(q);
    results[4] = malloc(1ull << 40) == nullptr;
    free(p);
}
extern "C" __global__ void queries() {
    int value = 0;
    size_t limit = 0;
    results[0] = cudaGetDevice(&value);
    cudaGetDeviceCount(&results[1]);
    cudaDeviceGetAttribute(&results[2], cudaDevAttrMultiProcessorCount, 0);
    results[3] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    results[4] = (int)limit;
    cudaFuncAttributes attributes;
    results[5] = cudaFuncGetAttributes(&attributes, wait_at_barriers);
    results[6] = (int)attributes.sharedSizeBytes;
    results[7] = attributes.maxThreadsPerBlock;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&results[8], leaf, 128, 0);
    const char* name = cudaGetErrorName(cudaErrorInvalidValue);
    results[9] = name[0] == 'c' && name[9] == 'I';
    results[10] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
}
extern "C" __global__ void print(int n, const char* text) {
    printf("thread %d of %d: %s %5.2f %lld\n", (int)threadIdx.x, n, "text", 1.5, 1ll << 40);
    if (threadIdx.x == 0) results[0] = printf("%s\n", text);
}
extern "C" __global__ void assert_positive(int n) {
    assert(n > 0);
}
extern "C" __global__ void __launch_bounds__(64) bounded() {}
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*functions[2])(int) = {twice, thrice};
extern "C" __global__ void call_by_address(int* out, int which) { *out = functions[which](7); }
extern "C" __global__ void choose(int which, int* out) {
    void (*kernel)(int*) = which ? increment : store_at;
    kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(out);
}
extern "C" __global__ void spin_rounds(volatile int* x, int n) { _Pragma("unroll 1") for (int i = 0; i < n; i++) *x = *x + 1; }
