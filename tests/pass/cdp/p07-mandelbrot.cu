// p07: the Mandelbrot set by subdivision: a square whose border has one depth is filled, others are quartered by children.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

constexpr int SIDE = 128, LIMIT = 64, SMALL = 16;

__host__ __device__ inline int depth_of(int x, int y) {
    double cx = x * (3.0 / SIDE) - 2.2, cy = y * (3.0 / SIDE) - 1.5, a = 0, b = 0;
    int n = 0;
    // Products of few bits, rounded alike on both machines because they are never contracted.
    while (n < LIMIT) {
#ifdef __CUDA_ARCH__
        double aa = __dmul_rn(a, a), bb = __dmul_rn(b, b), ab = __dmul_rn(a, b);
#else
        double aa = a * a, bb = b * b, ab = a * b;
#endif
        if (aa + bb > 4) break;
        a = (aa - bb) + cx;
        b = (ab + ab) + cy;
        ++n;
    }
    return n;
}

__global__ void square(short* image, int x0, int y0, int side) {
    __shared__ int lowest, highest;
    if (threadIdx.x == 0) lowest = LIMIT, highest = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
        int k = i % side, edge = i / side;
        int depth = depth_of(x0 + (edge == 0 ? 0 : edge == 1 ? side - 1 : k), y0 + (edge == 2 ? 0 : edge == 3 ? side - 1 : k));
        atomicMin(&lowest, depth);
        atomicMax(&highest, depth);
    }
    __syncthreads();
    if (lowest == highest || side <= SMALL) {
        for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
            int x = x0 + i % side, y = y0 + i / side;
            image[y * SIDE + x] = lowest == highest ? lowest : depth_of(x, y);
        }
    } else if (threadIdx.x < 4) {
        int half = side / 2;
        square<<<1, 64, 0, cudaStreamFireAndForget>>>(image, x0 + threadIdx.x % 2 * half, y0 + threadIdx.x / 2 * half, half);
    }
}

int main() {
    short* image = zeros<short>(SIDE * SIDE);
    square<<<1, 64>>>(image, 0, 0, SIDE);
    // A filled square holds only pixels of its border's depth (the sets are connected); the reference is every pixel.
    return verdict(wrong(image, SIDE * SIDE, [](int i) { return depth_of(i % SIDE, i / SIDE); }));
}
