// d01: the same over three generations, on the NULL stream: the root reads as four bytes at once what its grandchild writes
// byte by byte; a fence of the root does not help. No line table: the places are lines of PTX.
//
// build: -arch=sm_90 -rdc=true -lcudadevrt
#include "../../case.h"

__global__ void leaf(unsigned char* text) { text[threadIdx.x] = 'a' + threadIdx.x % 26; }

__global__ void middle(unsigned char* text) {
    if (threadIdx.x == 1) leaf<<<1, 64>>>(text);
}

__global__ void root(unsigned char* text, unsigned* sums) {
    if (threadIdx.x == 0) middle<<<1, 2>>>(text);
    __threadfence();
    __syncthreads();
    uchar4 four = reinterpret_cast<uchar4*>(text)[threadIdx.x];  //~ race/parent-child
    sums[threadIdx.x] = four.x + four.y + four.z + four.w;
}

int main() {
    unsigned char* text = zeros<unsigned char>(64);
    unsigned* sums = zeros<unsigned>(16);
    root<<<1, 16>>>(text, sums);
    return verdict(wrong(sums, 16, [](int i) {
        unsigned sum = 0;
        for (int k = 4 * i; k < 4 * i + 4; ++k) sum += 'a' + k % 26;
        return sum;
    }));
}
