// Atomics, cooperative groups, asynchronous copies, matrices: what the compiler makes of them must parse.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;

template <class T>
__device__ void atomics(T* p, T v) {
    T x = atomicAdd(p, v) + atomicExch(p + 1, v) + atomicCAS(p + 2, v, v) + atomicMin(p + 3, v) + atomicMax(p + 4, v) + atomicAnd(p + 5, v);
    p[6] = x + atomicOr(p + 7, v) + atomicXor(p + 8, v) + atomicAdd_system(p + 9, v) + atomicCAS_block(p + 10, v, x);
    atomicAdd(p + 11, x);
}
extern "C" __global__ void atomic(int* i, unsigned* u, unsigned long long* q, float* f, double* d, __half2* h, unsigned short* w) {
    atomics(i, 3), atomics(u, 3u), atomics(q, 3ull);
    u[20] = atomicInc(u + 21, 7) + atomicDec(u + 22, 7), f[0] = atomicAdd(f + 1, 2.0f), d[0] = atomicAdd(d + 1, 2.0);
    h[0] = atomicAdd(h + 1, h[2]), w[0] = atomicCAS(w + 1, (unsigned short)3, (unsigned short)4);
    __shared__ int shared[8];
    atomicAdd(shared + i[0], 1);
    __syncthreads();
    i[1] = shared[3];
}

template <class A>
__device__ long long ordered(A* a) {
    auto v = a->load(cuda::memory_order_acquire);
    v += a->load(cuda::memory_order_relaxed) + a->load();
    a->store(v, cuda::memory_order_release), a->store(v);
    auto old = a->fetch_add(1, cuda::memory_order_acq_rel);
    old += a->exchange(v, cuda::memory_order_release);
    a->compare_exchange_strong(v, old), a->compare_exchange_weak(v, old, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
    return v + old;
}
extern "C" __global__ void memory_orders(cuda::atomic<int>* a, cuda::atomic<long long, cuda::thread_scope_device>* b,
                                         cuda::atomic<unsigned char, cuda::thread_scope_block>* c, long long* o) {
    o[0] = ordered(a) + ordered(b) + ordered(c);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    a->wait(4), a->notify_all();
}

extern "C" __global__ void copies(int4* p, int* q) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int4 s[256];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s, p, sizeof s, barrier);
    auto token = barrier.arrive();
    barrier.wait(std::move(token)), barrier.arrive_and_drop();
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    pipeline.producer_acquire();
    cuda::memcpy_async(s + threadIdx.x, p + threadIdx.x, cuda::aligned_size_t<16>(16), pipeline);
    pipeline.producer_commit(), pipeline.consumer_wait();
    q[threadIdx.x] = s[255 - threadIdx.x].x;
    pipeline.consumer_release();
    cg::memcpy_async(block, s, p, cuda::aligned_size_t<16>(sizeof s)), cg::wait(block);
}

extern "C" __global__ void groups(int* p, float* f) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    p[0] = cg::reduce(warp, p[1], cg::plus<int>()) + cg::reduce(tile, p[2], cg::less<int>()) + cg::inclusive_scan(tile, p[3]);
    f[0] = cg::reduce(warp, f[1], cg::plus<float>());
    if (p[4]) {
        auto some = cg::coalesced_threads();
        p[5] = some.shfl(p[6], 0) + some.any(p[7]) + some.size();
    }
    grid.sync();
    p[8] = warp.match_any(p[9]) + warp.shfl_down(p[10], 2) + cg::labeled_partition(warp, p[11]).size();
}

#if __CUDA_ARCH__ >= 700
using namespace nvcuda;
template <class A, class C, int M, int N, int K, class LayoutA, class LayoutB>
__device__ void product(const A* a, const A* b, C* c) {
    wmma::fragment<wmma::matrix_a, M, N, K, A, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fill_fragment(fc, C(0));
    wmma::load_matrix_sync(fa, a, 16), wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void matrices(half* h, float* f, signed char* s, int* i, unsigned* r) {
    using Row = wmma::row_major;
    using Col = wmma::col_major;
    product<half, float, 16, 16, 16, Row, Col>(h, h, f), product<half, half, 32, 8, 16, Col, Row>(h, h, h);
    product<signed char, int, 16, 16, 16, Row, Col>(s, s, i);
#if __CUDA_ARCH__ >= 800
    unsigned a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(r[0]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(r[1]), "r"(r[2]));
#endif
}
#endif
