// What inference at batch size one is: a chain of small kernels, each of which needs what the one before it made. A layer is a norm, a
// matrix-vector product, an activation, a second product and the residual; LAYERS of them run in each of the four forms of forms.h, and must
// give the same bits. Products load their weights, which no kernel writes, before they wait: that is what programmatic launches gain.
// The result is compared with a reference on the host, up to rounding.
// Usage: chain [--layers=64] [--size=256] [--repeat=1] [--form=all|serial|pdl|graph|graph-pdl]
//
// build: chain -arch=sm_90 -std=c++17 -lineinfo
#include <cmath>
#include <vector>

#include "forms.h"

constexpr int WARP = 32, ROWS = 8, MATRICES = 4, MOST = 1024;

// One block: out = in / rms(in).
__global__ void norm(const float* in, float* out, int size) {
    __shared__ float sums[WARP];
    trigger();
    wait_for_primary();
    float sum = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) sum += in[i] * in[i];
    for (int step = WARP / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < blockDim.x / WARP; warp++) sum += sums[warp];
    float scale = 1.0f / sqrtf(sum / size + 1e-5f);
    for (int i = threadIdx.x; i < size; i += blockDim.x) out[i] = in[i] * scale;
}

// A warp a row; its weights are there before it waits.
__global__ void product(const float* weights, const float* in, float* out, int size) {
    int row = blockIdx.x * ROWS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    float own[MOST / WARP];
    trigger();
#pragma unroll
    for (int i = 0; i < MOST / WARP; i++) own[i] = i * WARP + lane < size && row < size ? weights[row * size + i * WARP + lane] : 0.0f;
    wait_for_primary();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < MOST / WARP; i++)
        if (i * WARP + lane < size) sum += own[i] * in[i * WARP + lane];
    for (int step = WARP / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0 && row < size) out[row] = sum;
}

__global__ void activate(float* values, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    trigger();
    wait_for_primary();
    if (i < size) values[i] = values[i] / (1.0f + expf(-values[i]));
}

__global__ void add(float* state, const float* update, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    trigger();
    wait_for_primary();
    if (i < size) state[i] += update[i];
}

float weight(int matrix, int at, int size) { return noise(matrix + 1, at) * 2.0f / std::sqrt(float(size)); }

std::vector<float> reference(int layers, int size) {
    std::vector<std::vector<double>> weights(MATRICES);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int i = 0; i < size * size; i++) weights[matrix].push_back(weight(matrix, i, size));
    std::vector<double> state(size), normed(size), hidden(size);
    for (int i = 0; i < size; i++) state[i] = noise(77, i);
    auto multiply = [&](const std::vector<double>& matrix, const std::vector<double>& in) {
        std::vector<double> out(size);
        for (int row = 0; row < size; row++)
            for (int i = 0; i < size; i++) out[row] += matrix[row * size + i] * in[i];
        return out;
    };
    for (int layer = 0; layer < layers; layer++) {
        double sum = 0;
        for (double value : state) sum += value * value;
        for (int i = 0; i < size; i++) normed[i] = state[i] / std::sqrt(sum / size + 1e-5);
        hidden = multiply(weights[2 * layer % MATRICES], normed);
        for (double& value : hidden) value = value / (1.0 + std::exp(-value));
        hidden = multiply(weights[(2 * layer + 1) % MATRICES], hidden);
        for (int i = 0; i < size; i++) state[i] += hidden[i];
    }
    return std::vector<float>(state.begin(), state.end());
}

int main(int count, char** words) {
    int layers = option(count, words, "layers", 64), size = option(count, words, "size", 256);
    int repeat = option(count, words, "repeat", 1);
    std::string wanted = option(count, words, "form", "all");
    if (layers < 1 || size < 1 || size > MOST || repeat < 1)
        return std::fprintf(stderr, "chain: 1 or more layers, a size of 1 to %d\n", MOST), 1;
    float *weights, *state, *normed, *hidden, *update;
    size_t matrix = size_t(size) * size;
    std::vector<float> start(size), all(MATRICES * matrix);
    for (int i = 0; i < size; i++) start[i] = noise(77, i);
    for (size_t i = 0; i < all.size(); i++) all[i] = weight(i / matrix, i % matrix, size);
    CHECK(cudaMalloc(&weights, all.size() * sizeof(float)));
    CHECK(cudaMemcpy(weights, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice));
    for (float** vector : {&state, &normed, &hidden, &update}) CHECK(cudaMalloc(vector, size * sizeof(float)));
    // The stream below does not join the one in which that copy was made.
    CHECK(cudaDeviceSynchronize());
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    std::vector<float> expected = reference(layers, size), first;
    int wrong = 0, ran = 0;
    for (Form form : FORMS) {
        if (wanted != "all" && wanted != form.name) continue;
        Chain chain(stream, form);
        std::vector<float> result(size);
        CHECK(cudaStreamSynchronize(stream));
        auto layer = [&](int number) {
            int blocks = (size + ROWS - 1) / ROWS, threads = ROWS * WARP, wide = (size + 127) / 128;
            chain.launch(norm, 1, threads, state, normed, size);
            chain.launch(product, blocks, threads, weights + 2 * number % MATRICES * matrix, normed, hidden, size);
            chain.launch(activate, wide, 128, hidden, size);
            chain.launch(product, blocks, threads, weights + (2 * number + 1) % MATRICES * matrix, hidden, update, size);
            chain.launch(add, wide, 128, state, update, size);
        };
        for (int again = 0; again < repeat; again++) {
            CHECK(cudaMemcpyAsync(state, start.data(), size * sizeof(float), cudaMemcpyHostToDevice, stream));
            chain.run(1, [&] {
                for (int number = 0; number < layers; number++) layer(number);
            });
        }
        CHECK(cudaMemcpyAsync(result.data(), state, size * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        double worst = 0;
        for (int i = 0; i < size; i++) worst = std::max(worst, std::fabs(double(result[i]) - expected[i]) / (1.0 + std::fabs(expected[i])));
        bool same = first.empty() || std::memcmp(first.data(), result.data(), size * sizeof(float)) == 0, near = worst < 1e-3;
        if (first.empty()) first = result;
        std::printf("%s layers=%d size=%d kernels=%d digest=%016llx error=%.1e%s%s\n", form.name, layers, size, chain.launched(), digest(result), worst,
                    same ? "" : " DIFFERS", near ? "" : " WRONG");
        wrong += !same || !near;
        ran++;
    }
    if (ran == 0) return std::fprintf(stderr, "chain: there is no form %s\n", wanted.c_str()), 1;
    std::printf("chain %s\n", wrong ? "failed" : "ok");
    return wrong != 0;
}
