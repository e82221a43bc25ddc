// Programs that break a rule of the launch model, each beside one that does not. `nvcc -ptx -arch=compute_90 -rdc=true -lineinfo`.
#include <cuda_runtime.h>
#include <stdint.h>

__device__ int out[1 << 14];
__device__ int lost;
__device__ uint64_t handle;

__global__ void leaf(int index) { out[index] = index; }
__global__ void write_at(int* p) { *p = 1; }
__global__ void nothing() {}

// --- failures

__global__ void tails(int n) {
    for (int i = 0; i < n; i++)
        leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(i);
}

__global__ void tails_counted(int n) {
    for (int i = 0; i < n; i++) {
        leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(i);
        if (cudaGetLastError() != cudaSuccess)
            atomicAdd(&lost, 1);
    }
}

__global__ void forget(int n) {
    for (int i = 0; i < n; i++)
        leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(i);
}

// One thread of each block reads its error, the others do not.
__global__ void too_wide() {
    leaf<<<1, 2048>>>(1);
    if (threadIdx.x == 0 && cudaPeekAtLastError() != cudaSuccess)
        atomicAdd(&lost, 1);
}

__global__ void too_wide_counted() {
    leaf<<<1, 2048>>>(1);
    if (cudaGetLastError() != cudaSuccess)
        atomicAdd(&lost, 1);
}

__global__ void nest(int depth) {
    if (depth > 0)
        nest<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1);
}

__global__ void tail_chain(int depth) {
    if (depth > 0)
        tail_chain<<<1, 1, 0, cudaStreamTailLaunch>>>(depth - 1);
}

__global__ void null_chain() { leaf<<<1, 1>>>(blockIdx.x * blockDim.x + threadIdx.x); }
__global__ void no_chain() { leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(threadIdx.x); }

__global__ void storm() {
    leaf<<<1, 8, 0, cudaStreamFireAndForget>>>(blockIdx.x * blockDim.x + threadIdx.x);
    if (cudaGetLastError() != cudaSuccess)
        atomicAdd(&lost, 1);
}

// --- streams

__global__ void use_stream(cudaStream_t stream) { leaf<<<1, 1, 0, stream>>>(1); }
__global__ void use_event(cudaEvent_t event) { cudaStreamWaitEvent(0, event, 0); }

__global__ void foreign_stream() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    use_stream<<<1, 1, 0, cudaStreamTailLaunch>>>(stream);
}

__global__ void foreign_event() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, 0);
    use_event<<<1, 1>>>(event);
}

__global__ void own_stream() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    leaf<<<1, 1, 0, stream>>>(1);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(0, event, 0);
    leaf<<<1, 1>>>(2);
}

__global__ void leak_stream() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    handle = (uint64_t)stream;
}

__global__ void special_record() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, cudaStreamTailLaunch);
}

__global__ void special_wait() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, 0);
    cudaStreamWaitEvent(cudaStreamFireAndForget, event, 0);
}

__global__ void special_asked() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (cudaEventRecord(event, cudaStreamTailLaunch) != cudaSuccess)
        atomicAdd(&lost, 1);
}

// --- private pointers. The children do not follow them.

struct Pair { int n; int* p; };
__global__ void take(int* p) { if (p == nullptr) out[0] = 1; }
__global__ void take_pair(Pair pair) { if (pair.p == nullptr) out[0] = 1; }
__global__ void take_number(uint64_t number) { out[0] = (int)number; }

__global__ void private_shared() {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        take<<<1, 1>>>(tile);
}

__global__ void private_struct(int n) {
    if (threadIdx.x != 0)
        return;
    int local[4];
    for (int i = 0; i < 4; i++)
        local[i] = i * n;
    Pair pair{n, &local[n & 3]};
    take_pair<<<1, 1>>>(pair);
    out[2] = local[n & 3];
}

__global__ void private_select(int* global, int n) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        take<<<1, 1>>>(n ? tile : global);
}

__noinline__ __device__ void hand_on(int* p) { take<<<1, 1>>>(p); }

__global__ void private_helper() {
    int local = 5;
    hand_on(&local);
    out[1] = local;
}

__global__ void private_copy(int* global) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 1;
    __syncthreads();
    cudaMemcpyAsync(global, tile, 128, cudaMemcpyDeviceToDevice, 0);
}

__global__ void private_set() {
    int local[4] = {1, 2, 3, 4};
    cudaMemsetAsync(local, 0, 16, 0);
    out[3] = local[lost & 3];
}

__global__ void public_pointers(int* global) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    take<<<1, 1>>>(global + tile[0]);
    take_pair<<<1, 1>>>(Pair{1, global});
    take_number<<<1, 1>>>(0x123456789abcdefull);
    cudaMemcpyAsync(global, global + 32, 128, cudaMemcpyDeviceToDevice, 0);
}

// --- the heap

__global__ void heap_unchecked() {
    int* p = (int*)malloc(65536);
    write_at<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
}

__global__ void heap_checked() {
    int* p = (int*)malloc(65536);
    if (p)
        write_at<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
    else
        atomicAdd(&lost, 1);
}

__global__ void heap_written() {
    int* p = (int*)malloc(65536);
    *p = 1;
}

__global__ void heap_too_late() {
    int* p = (int*)malloc(65536);
    *(volatile int*)p = 1;
    if (p)
        atomicAdd(&lost, *p);
}

// --- parameters by hand

struct Vector { float x, y, z; };
struct Empty {};
__global__ void mixed(char a, double b, int* p) { out[0] = a; out[1] = (int)b; *p = 3; }
__global__ void with_struct(int n, Vector v, Empty) { out[n] = (int)(v.x + v.y + v.z); }

template <typename T> __device__ void put(char* buffer, size_t at, T value) { *(T*)(buffer + at) = value; }

__global__ void params_right(int* p) {
    char* buffer = (char*)cudaGetParameterBuffer(64, 24);
    put(buffer, 0, 'x');
    put(buffer, 8, 2.0);
    put(buffer, 16, p);
    cudaLaunchDevice((void*)mixed, buffer, dim3(1), dim3(1), 0, 0);
    buffer = (char*)cudaGetParameterBuffer(64, 16);
    put(buffer, 0, 3);
    put(buffer, 4, Vector{1, 2, 3});
    cudaLaunchDevice((void*)with_struct, buffer, dim3(1), dim3(1), 0, 0);
}

__global__ void params_packed(int* p) {
    char* buffer = (char*)cudaGetParameterBuffer(64, 24);
    put(buffer, 0, 'x');
    memcpy(buffer + 1, &p, 8);
    put(buffer, 16, p);
    cudaLaunchDevice((void*)mixed, buffer, dim3(1), dim3(1), 0, 0);
}

__global__ void params_by_size() {
    char* buffer = (char*)cudaGetParameterBuffer(64, 24);
    put(buffer, 0, 3);
    put(buffer, 12, Vector{1, 2, 3});
    cudaLaunchDevice((void*)with_struct, buffer, dim3(1), dim3(1), 0, 0);
}

__global__ void params_missing(int* p) {
    char* buffer = (char*)cudaGetParameterBuffer(64, 24);
    put(buffer, 0, 'x');
    put(buffer, 16, p);
    cudaLaunchDevice((void*)mixed, buffer, dim3(1), dim3(1), 0, 0);
}
