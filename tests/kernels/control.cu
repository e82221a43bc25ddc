// Control flow, variables, warps and memory: what the compiler makes of them must parse.
#include <cassert>
#include <cstdio>

struct Pair {
    char tag;
    int* pointer;
    short size;
};
__constant__ float weights[4] = {1, 2, 3, 4};
__managed__ int managed = 5;
__device__ int cell = 3;
__device__ int* pointer = &cell;
__device__ const char* names[] = {"one", "two"};
__device__ double doubles[3] = {1.5, -2.5e300};
__device__ Pair pairs[2] = {{1, &cell, 2}, {3, nullptr, 4}};

__device__ int recursive(int n) { return n < 2 ? 1 : recursive(n - 1) + recursive(n - 2); }
typedef int (*Function)(int, float);
__device__ int sum(int a, float b) { return a + b; }
__device__ int product(int a, float b) { return a * b; }
__device__ Function functions[2] = {sum, product};
struct Shape {
    __device__ virtual int area(int x) { return x; }
};
struct Square : Shape {
    int side;
    __device__ int area(int x) override { return x * side; }
};

extern "C" __global__ void calls(int* p) {
    p[0] = recursive(p[1]) + functions[p[3] & 1](p[4], 2.0f);
    Square square;
    square.side = p[5];
    Shape* shape = p[6] ? &square : new Shape;
    p[7] = shape->area(3);
    delete shape;
    int* local = (int*)alloca(p[8] * sizeof(int));
    local[p[9]] = 4;
    p[10] = local[p[11]];
    printf("%d %f %s\n", p[0], 1.5, names[p[1] & 1]);
    assert(p[12] != 0);
}

extern "C" __global__ void branches(int* p, int n) {
    switch (n) {
        case 0: p[0] = 1; break;
        case 1: p[3] = p[2] * 3; break;
        case 2: p[1] = sinf(p[1]); break;
        case 3: p[5] = p[6] / p[7]; break;
        case 4: p[8] = 7; p[9] = 4; break;
        case 5: atomicAdd(p, 1); break;
        case 6: p[1] = 9; p[7] = 3; break;
        case 7: __syncthreads(); break;
        case 9: p[3] *= p[4]; break;
        case 10: p[3] -= p[4]; break;
    }
    if (p[1] == 7) __trap();
    if (p[2] == 7) return;
    for (int i = 0; i < n; i++) p[i] += i * n;
}

extern "C" __global__ void variables(int* p) {
    extern __shared__ int dynamic[];
    __shared__ float tile[8][8];
    tile[threadIdx.x][threadIdx.y] = weights[threadIdx.x & 3];
    dynamic[threadIdx.x] = managed + names[threadIdx.x & 1][1] + *pointer + doubles[1] + pairs[p[1]].tag;
    __syncthreads();
    p[0] = dynamic[p[1]] + tile[p[2]][p[3]];
    p[1] = __isGlobal(p) + __isShared(p) + __isLocal(p) + __isConstant(p);
}

extern "C" __global__ void warps(int* p, float* f, long long* l, double* d, unsigned mask) {
    int x = p[threadIdx.x], same;
    p[0] = __shfl_sync(mask, x, 3) + __shfl_up_sync(mask, x, 1, 16) + __shfl_down_sync(mask, x, 2) + __shfl_xor_sync(mask, x, 4, 8);
    f[0] = __shfl_sync(mask, f[1], 2), l[0] = __shfl_xor_sync(mask, l[1], 2), d[0] = __shfl_down_sync(mask, d[1], 2);
    p[1] = __any_sync(mask, x) + __all_sync(mask, x) + __ballot_sync(mask, x) + __uni_sync(mask, x) + __activemask();
    __syncwarp(mask);
    p[2] = __match_any_sync(mask, x) + __match_all_sync(mask, x, &same) + same + __match_any_sync(mask, l[3]);
    p[3] = __syncthreads_count(x) + __syncthreads_and(x) + __syncthreads_or(x);
    __nanosleep(x);
#if __CUDA_ARCH__ >= 800
    p[4] = __reduce_add_sync(mask, unsigned(x)) + __reduce_min_sync(mask, x) + __reduce_xor_sync(mask, unsigned(x));
#endif
}

extern "C" __global__ void __launch_bounds__(256, 2) caches(const float* __restrict__ a, float* b, const float4* __restrict__ c) {
    b[threadIdx.x] = a[threadIdx.x] + __ldg(c + 3).x + __ldcg(b + 5) + __ldca(b + 6) + __ldcs(b + 7) + __ldlu(b + 8) + __ldcv(b + 9);
    __stwb(b + 10, 1.0f), __stcg(b + 11, 1.0f), __stcs(b + 12, 1.0f), __stwt(b + 13, 1.0f);
    volatile float* v = b;
    v[20] = v[21];
    __threadfence(), __threadfence_block(), __threadfence_system();
}

extern "C" __global__ void special(long long* p, unsigned* u) {
    p[0] = clock() + clock64();
    u[0] = threadIdx.x + blockIdx.y * gridDim.z + blockDim.y + warpSize;
    unsigned long long timer;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    unsigned multiprocessor;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 3; @p mov.u32 %0, %%smid; @!p mov.u32 %0, %%laneid; }" : "=r"(multiprocessor) : "r"(u[3]));
    p[1] = timer + multiprocessor + __cvta_generic_to_shared(u);
}

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* o, int4* q, float x, float y) {
    o[0] = tex1D<float4>(t, x), o[1] = tex1Dfetch<float4>(t, 3), o[2] = tex2D<float4>(t, x, y), o[3] = tex3D<float4>(t, x, y, x);
    o[4] = tex2DLayered<float4>(t, x, y, 2), o[5] = texCubemap<float4>(t, x, y, x), o[6] = tex2DLod<float4>(t, x, y, 1.0f);
    o[7] = tex2DGrad<float4>(t, x, y, make_float2(1, 2), make_float2(3, 4)), o[8] = tex2Dgather<float4>(t, x, y, 1);
    q[0] = tex2D<int4>(t, x, y);
    surf2Dread(&o[9].x, s, 4, 5), surf2Dwrite(o[9].x, s, 8, 9), surf1Dwrite(o[3], s, 4), surf3Dread(&q[1].x, s, 1, 2, 3, cudaBoundaryModeZero);
    uchar4 bytes;
    surf1Dread(&bytes, s, 4), surf2DLayeredwrite(short(3), s, 4, 5, 6, cudaBoundaryModeClamp);
    q[2].y = bytes.x;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int* p) {
    extern __shared__ int own[];
    int* other = (int*)__cluster_map_shared_rank(own, 1);
    other[threadIdx.x] = __clusterRelativeBlockRank() + __clusterDim().x + __clusterIdx().x;
    __cluster_barrier_arrive(), __cluster_barrier_wait(), __cluster_barrier_arrive_relaxed(), __cluster_barrier_wait();
    p[1] = own[3] + __cluster_query_shared_rank(own);
}
#endif
