// Speeds, one a run: prints `NAME VALUE` for the benchmark that is named. Units: see each function. Times are the host's, from
// before the first launch to the end of a synchronisation, after one run to warm up; the value is the best of a few.
// Usage: bench vector-add|xorshift|matmul|launches|children|tail|graph|start
//
// build: bench -arch=sm_90 -rdc=true -std=c++17 -lcudadevrt
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

using Clock = std::chrono::steady_clock;

// Seconds of the fastest of `runs` runs of `work`, each to its end on the device.
template <class Work>
static double best(int runs, Work work) {
    double best = 1e300;
    for (int run = 0; run <= runs; ++run) {  // run 0 warms up
        Clock::time_point begin = Clock::now();
        work();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (run > 0 && seconds < best) best = seconds;
    }
    return best;
}

[[noreturn]] static void wrong(const char* name) {
    std::fprintf(stderr, "bench %s: wrong result\n", name);
    std::exit(1);
}

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Millions of elements a second.
static double vector_add() {
    const int n = 1 << 22;
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = float(i % 1000);
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&c, n * sizeof(float)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    double seconds = best(5, [&] { vector_add<<<n / 256, 256>>>(a, b, c, n); });
    CHECK(cudaMemcpy(host.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        if (host[i] != 2 * float(i % 1000)) wrong("vector-add");
    return n / seconds / 1e6;
}

__host__ __device__ inline unsigned xorshift_of(unsigned seed, int rounds) {
#pragma unroll 1
    for (int i = 0; i < rounds; ++i) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
    }
    return seed;
}

__global__ void xorshift(unsigned* out, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = xorshift_of(i + 1, rounds);
}

// Millions of PTX instructions a second over all threads; a round is nine: three shifts, three xors, and the loop's add,
// compare and branch.
static double xorshift() {
    const int threads = 1 << 14, rounds = 4000;
    unsigned* out;
    CHECK(cudaMalloc(&out, threads * sizeof(unsigned)));
    double seconds = best(3, [&] { xorshift<<<threads / 256, 256>>>(out, rounds); });
    unsigned last;
    CHECK(cudaMemcpy(&last, out + threads - 1, sizeof last, cudaMemcpyDeviceToHost));
    if (last != xorshift_of(threads, rounds)) wrong("xorshift");
    return 9.0 * threads * rounds / seconds / 1e6;
}

constexpr int TILE = 16;

__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Millions of floating-point operations a second, 2 n^3 for the product.
static double matmul() {
    const int n = 256;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = float(i % 7 - 3);
        b[i] = float(i % 5 - 2);
    }
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, n * n * sizeof(float)));
    CHECK(cudaMalloc(&db, n * n * sizeof(float)));
    CHECK(cudaMalloc(&dc, n * n * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    double seconds = best(5, [&] { matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n); });
    CHECK(cudaMemcpy(c.data(), dc, n * n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;  // small integers: exact in any order
            for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
            if (c[row * n + column] != sum) wrong("matmul");
        }
    return 2.0 * n * n * n / seconds / 1e6;
}

__global__ void empty() {}

// Host launches a second of a grid of one thread that does nothing, in one stream.
static double launches() {
    const int count = 50000;
    return count / best(3, [&] {
        for (int i = 0; i < count; ++i) empty<<<1, 1>>>();
    });
}

__global__ void count(int* p) { *p += 1; }

// Microseconds a kernel of a captured graph of 2,000 tiny ones in a line, launched again and again.
static double graph() {
    const int kernels = 2000, launches = 20;
    int* p;
    CHECK(cudaMalloc(&p, sizeof(int)));
    CHECK(cudaMemset(p, 0, sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < kernels; ++i) count<<<1, 1, 0, stream>>>(p);
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    const int runs = 5;
    double seconds = best(runs, [&] {
        for (int i = 0; i < launches; ++i) CHECK(cudaGraphLaunch(exec, stream));
    });
    int counted;
    CHECK(cudaMemcpy(&counted, p, sizeof(int), cudaMemcpyDeviceToHost));
    if (counted != kernels * launches * (runs + 1)) wrong("graph");
    return seconds / launches / kernels * 1e6;
}

__device__ int refused, reached;

static void expect_none_refused(const char* name) {
    int count;
    CHECK(cudaMemcpyFromSymbol(&count, refused, sizeof count));
    if (count) wrong(name);
}

__global__ void children(int count) {
    for (int i = 0; i < count; ++i) {
        empty<<<1, 1, 0, cudaStreamFireAndForget>>>();
        if (cudaGetLastError() != cudaSuccess) ++refused;
    }
}

// Fire-and-forget children a second, launched by one thread.
static double children() {
    const int count = 30000;
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 32768));
    double seconds = best(3, [&] { children<<<1, 1>>>(count); });
    expect_none_refused("children");
    return count / seconds;
}

__global__ void tail(int links) {
    if (links == 0) {
        ++reached;
        return;
    }
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(links - 1);
    if (cudaGetLastError() != cudaSuccess) ++refused;
}

// Microseconds a link of a chain of grids, each the tail of the one before.
static double tail() {
    const int links = 10000;
    double seconds = best(3, [&] { tail<<<1, 1>>>(links); });
    expect_none_refused("tail");
    int ends;
    CHECK(cudaMemcpyFromSymbol(&ends, reached, sizeof ends));
    if (ends != 4) wrong("tail");
    return seconds / links * 1e6;
}

int main(int count, char** words) {
    std::string name = count > 1 ? words[1] : "";
    if (name == "start") {
        // Whoever started this process takes the time to this line.
        empty<<<1, 1>>>();
        CHECK(cudaDeviceSynchronize());
        std::puts("start");
        return 0;
    }
    struct {
        const char* name;
        double (*run)();
    } const benchmarks[] = {{"vector-add", vector_add}, {"xorshift", xorshift}, {"matmul", matmul},
                            {"launches", launches},     {"children", children}, {"tail", tail},
                            {"graph", graph}};
    for (const auto& benchmark : benchmarks)
        if (name == benchmark.name) {
            std::printf("%s %.6g\n", benchmark.name, benchmark.run());
            return 0;
        }
    std::fprintf(stderr, "usage: bench vector-add|xorshift|matmul|launches|children|tail|graph|start\n");
    return 1;
}
