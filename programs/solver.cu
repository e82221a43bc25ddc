// An iterative solver: conjugate gradients for Poisson's equation on a square grid, all of it on the device; a round is five kernels, each of
// which needs what the one before it made. ROUNDS of them run in each of the four forms of forms.h, and must give the same bits: sums are taken in
// one order. The host checks the residual of the solution, computed anew from the equation.
// Usage: solver [--side=48] [--rounds=100] [--form=all|serial|pdl|graph|graph-pdl]
//
// build: solver -arch=sm_90 -std=c++17 -lineinfo
#include <cmath>
#include <vector>

#include "forms.h"

constexpr int THREADS = 128;

struct Vectors {
    float *x, *r, *p, *q;
    float *parts, *squares;  // sums of blocks
    float *scalars;          // r.r before, alpha, beta
};

__device__ float sum_of_block(float value) {
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    return sums[0];
}

__device__ float sum_of_parts(const float* parts, int count) {
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += THREADS) sum += parts[i];
    return sum_of_block(sum);
}

// q = A p, and the parts of p.q.
__global__ void multiply(Vectors v, int side) {
    int i = blockIdx.x * THREADS + threadIdx.x, column = i % side, row = i / side;
    trigger();
    wait_for_primary();
    float product = 0;
    if (i < side * side) {
        float q = 4.0f * v.p[i];
        if (column > 0) q -= v.p[i - 1];
        if (column < side - 1) q -= v.p[i + 1];
        if (row > 0) q -= v.p[i - side];
        if (row < side - 1) q -= v.p[i + side];
        v.q[i] = q;
        product = q * v.p[i];
    }
    product = sum_of_block(product);
    if (threadIdx.x == 0) v.parts[blockIdx.x] = product;
}

__global__ void step_length(Vectors v, int parts) {
    trigger();
    wait_for_primary();
    float product = sum_of_parts(v.parts, parts);
    if (threadIdx.x == 0) v.scalars[1] = product > 0 ? v.scalars[0] / product : 0.0f;
}

// x += alpha p, r -= alpha q, and the parts of r.r.
__global__ void step(Vectors v, int size) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    trigger();
    wait_for_primary();
    float square = 0;
    if (i < size) {
        float alpha = v.scalars[1];
        v.x[i] += alpha * v.p[i];
        float r = v.r[i] - alpha * v.q[i];
        v.r[i] = r;
        square = r * r;
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) v.squares[blockIdx.x] = square;
}

__global__ void turn(Vectors v, int parts) {
    trigger();
    wait_for_primary();
    float square = sum_of_parts(v.squares, parts);
    if (threadIdx.x == 0) {
        v.scalars[2] = v.scalars[0] > 0 ? square / v.scalars[0] : 0.0f;
        v.scalars[0] = square;
    }
}

// p = r + beta p.
__global__ void direct(Vectors v, int size) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    trigger();
    wait_for_primary();
    if (i < size) v.p[i] = v.r[i] + v.scalars[2] * v.p[i];
}

int main(int count, char** words) {
    int side = option(count, words, "side", 48), rounds = option(count, words, "rounds", 100);
    std::string wanted = option(count, words, "form", "all");
    if (side < 2 || side > 2048 || rounds < 1) return std::fprintf(stderr, "solver: a side of 2 to 2048, 1 round or more\n"), 1;
    int size = side * side, blocks = (size + THREADS - 1) / THREADS;
    std::vector<float> b(size), zero(size), first;
    float square = 0;
    for (int i = 0; i < size; i++) b[i] = noise(5, i);
    for (float value : b) square += value * value;
    Vectors v;
    for (float** vector : {&v.x, &v.r, &v.p, &v.q}) CHECK(cudaMalloc(vector, size * sizeof(float)));
    for (float** vector : {&v.parts, &v.squares}) CHECK(cudaMalloc(vector, blocks * sizeof(float)));
    CHECK(cudaMalloc(&v.scalars, 3 * sizeof(float)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    int wrong = 0, ran = 0;
    for (Form form : FORMS) {
        if (wanted != "all" && wanted != form.name) continue;
        CHECK(cudaMemcpy(v.x, zero.data(), size * sizeof(float), cudaMemcpyHostToDevice));
        for (float* vector : {v.r, v.p}) CHECK(cudaMemcpy(vector, b.data(), size * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(v.scalars, &square, sizeof square, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        Chain chain(stream, form);
        // A graph is one round.
        chain.run(rounds, [&] {
            chain.launch(multiply, blocks, THREADS, v, side);
            chain.launch(step_length, 1, THREADS, v, blocks);
            chain.launch(step, blocks, THREADS, v, size);
            chain.launch(turn, 1, THREADS, v, blocks);
            chain.launch(direct, blocks, THREADS, v, size);
        });
        CHECK(cudaStreamSynchronize(stream));
        std::vector<float> x(size);
        CHECK(cudaMemcpy(x.data(), v.x, size * sizeof(float), cudaMemcpyDeviceToHost));
        double left = 0, all = 0;
        for (int i = 0; i < size; i++) {
            int column = i % side, row = i / side;
            double residual = b[i] - 4.0 * x[i];
            if (column > 0) residual += x[i - 1];
            if (column < side - 1) residual += x[i + 1];
            if (row > 0) residual += x[i - side];
            if (row < side - 1) residual += x[i + side];
            left += residual * residual;
            all += double(b[i]) * b[i];
        }
        double relative = std::sqrt(left / all);
        bool same = first.empty() || std::memcmp(first.data(), x.data(), size * sizeof(float)) == 0, near = relative < 1e-3 || rounds < 2 * side;
        if (first.empty()) first = x;
        std::printf("%s side=%d rounds=%d kernels=%d digest=%016llx residual=%.1e%s%s\n", form.name, side, rounds, chain.launched(), digest(x), relative,
                    same ? "" : " DIFFERS", near ? "" : " WRONG");
        wrong += !same || !near;
        ran++;
    }
    if (ran == 0) return std::fprintf(stderr, "solver: there is no form %s\n", wanted.c_str()), 1;
    std::printf("solver %s\n", wrong ? "failed" : "ok");
    return wrong != 0;
}
