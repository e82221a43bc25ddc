// The Mandelbrot set by subdivision (Mariani and Silver): a block that finds the same dwell all along its square's border
// fills the square, a small one computes every pixel, any other launches a grid for its quarters. The host does the same by
// recursion, and the two images must agree in every pixel.
// Usage: mandelbrot [SIZE [POOL [IMAGE.pgm]]]
//
// build: mandelbrot -arch=sm_90 -rdc=true -fmad=false -std=c++17 -lcudadevrt
#include <cstring>
#include <vector>

#include "check.h"

constexpr int DWELL = 256;     // iterations after which a point counts as inside
constexpr int SMALLEST = 32;   // squares up to this side are computed pixel by pixel
constexpr int THREADS = 64;
constexpr double X = -1.5, Y = -1.0, SIDE = 2.0;

struct Counts {
    int grids, filled, refused;
};

// Without fused multiply-add (see the build line) host and device round alike.
__host__ __device__ inline int dwell(int x, int y, int size) {
    double re = X + SIDE * x / size, im = Y + SIDE * y / size, a = re, b = im;
    int n = 0;
    for (; n < DWELL && a * a + b * b < 4.0; ++n) {
        double next = a * a - b * b + re;
        b = 2.0 * a * b + im;
        a = next;
    }
    return n;
}

// The i-th of the 4 (side - 1) pixels on a square's border.
struct Pixel {
    int x, y;
};
__host__ __device__ inline Pixel border(int x, int y, int side, int i) {
    int along = i % (side - 1);
    switch (i / (side - 1)) {
        case 0: return {x + along, y};
        case 1: return {x + side - 1, y + along};
        case 2: return {x + side - 1 - along, y + side - 1};
        default: return {x, y + side - 1 - along};
    }
}

// One block per square; `gridDim` 2 x 2 are the quarters of a larger one, 1 x 1 is the whole image.
__global__ void subdivide(unsigned short* image, int size, int left, int top, int side, Counts* counts) {
    __shared__ int least, most;
    int x = left + blockIdx.x * side, y = top + blockIdx.y * side;
    if (threadIdx.x == 0) {
        least = DWELL + 1;
        most = -1;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * (side - 1); i += THREADS) {
        Pixel pixel = border(x, y, side, i);
        int n = dwell(pixel.x, pixel.y, size);
        atomicMin(&least, n);
        atomicMax(&most, n);
    }
    __syncthreads();
    bool fill = least == most;
    if (!fill && side > SMALLEST) {
        bool refused = false;
        if (threadIdx.x == 0) {
            subdivide<<<dim3(2, 2), THREADS, 0, cudaStreamFireAndForget>>>(image, size, x, y, side / 2, counts);
            refused = cudaGetLastError() != cudaSuccess;
            atomicAdd(refused ? &counts->refused : &counts->grids, 1);
        }
        if (!__syncthreads_or(refused)) return;
        // Refused: this block computes every pixel of the square itself.
    }
    if (fill && threadIdx.x == 0) atomicAdd(&counts->filled, 1);
    for (int i = threadIdx.x; i < side * side; i += THREADS) {
        int px = x + i % side, py = y + i / side;
        image[py * size + px] = (unsigned short)(fill ? least : dwell(px, py, size));
    }
}

static void reference(std::vector<unsigned short>& image, int size, int x, int y, int side) {
    int least = DWELL + 1, most = -1;
    for (int i = 0; i < 4 * (side - 1); ++i) {
        Pixel pixel = border(x, y, side, i);
        int n = dwell(pixel.x, pixel.y, size);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least != most && side > SMALLEST) {
        for (int quarter = 0; quarter < 4; ++quarter)
            reference(image, size, x + quarter % 2 * (side / 2), y + quarter / 2 * (side / 2), side / 2);
        return;
    }
    for (int py = y; py < y + side; ++py)
        for (int px = x; px < x + side; ++px) image[py * size + px] = (unsigned short)(least == most ? least : dwell(px, py, size));
}

int main(int count, char** words) {
    int size = count > 1 ? std::atoi(words[1]) : 1024;
    if (size < 2 || size > 1 << 14 || (size & (size - 1))) return std::fprintf(stderr, "mandelbrot: SIZE must be a power of two up to 16384\n"), 1;
    if (count > 2 && std::atoi(words[2]) > 0) CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::atoi(words[2])));

    std::size_t pixels = std::size_t(size) * size;
    unsigned short* device;
    Counts *counts, host;
    CHECK(cudaMalloc(&device, pixels * sizeof *device));
    CHECK(cudaMalloc(&counts, sizeof *counts));
    CHECK(cudaMemset(device, 0xff, pixels * sizeof *device));
    CHECK(cudaMemset(counts, 0, sizeof *counts));
    subdivide<<<1, THREADS>>>(device, size, 0, 0, size, counts);
    CHECK(cudaGetLastError());
    std::vector<unsigned short> image(pixels), expected(pixels);
    reference(expected, size, 0, 0, size);
    CHECK(cudaMemcpy(image.data(), device, pixels * sizeof *device, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&host, counts, sizeof host, cudaMemcpyDeviceToHost));

    // A refused square has every pixel exact, so a pixel is right if it is what either way gives.
    std::size_t wrong = 0, inside = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
        bool right = image[i] == expected[i] || (host.refused && image[i] == dwell(int(i % size), int(i / size), size));
        wrong += !right;
        inside += image[i] == DWELL;
    }
    std::printf("mandelbrot %dx%d grids=%d filled=%d refused=%d inside=%.4f wrong=%zu %s\n", size, size, host.grids, host.filled,
                host.refused, double(inside) / double(pixels), wrong, wrong ? "WRONG" : "ok");
    if (count > 3) {
        std::FILE* file = std::fopen(words[3], "wb");
        if (!file) return std::perror(words[3]), 1;
        std::fprintf(file, "P5 %d %d 255\n", size, size);
        for (unsigned short n : image) std::fputc(255 - n * 255 / DWELL, file);
        std::fclose(file);
    }
    return wrong ? 1 : 0;
}
