// g01: a warp stores the tile of its product in shared memory by wmma, and the other one reads it with no barrier between.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"
#include <mma.h>

using namespace nvcuda;

__global__ void square(const half* in, float* out) {
    __shared__ __align__(32) float sums[256];
    unsigned i = threadIdx.x;
    if (i < 32) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
        wmma::load_matrix_sync(a, in, 16);
        wmma::load_matrix_sync(b, in, 16);
        wmma::fill_fragment(c, 0.0f);
        wmma::mma_sync(c, a, b, c);
        wmma::store_matrix_sync(sums, c, 16, wmma::mem_row_major);
    }
    if (i >= 32)
        for (int k = i - 32; k < 256; k += 32) out[k] = sums[k];  //~ race/block
}

// Rows and columns exchanged in pairs: its square is one.
__global__ void exchange(half* in) {
    int row = threadIdx.x / 16, column = threadIdx.x % 16;
    in[threadIdx.x] = __int2half_rn(row == (column ^ 1));
}

int main() {
    half* in = zeros<half>(256);
    float* out = zeros<float>(256);
    exchange<<<1, 256>>>(in);
    square<<<1, 64>>>(in, out);
    return verdict(wrong(out, 256, [](int i) { return i / 16 == i % 16; }));
}
