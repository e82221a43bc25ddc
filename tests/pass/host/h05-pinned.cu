// The twin of fail/host/h05-pinned.cu: the table is used only as far as it is alive.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void fill(int4** table, int n) {
    for (int k = 0; k < n; ++k)
        table[k][threadIdx.x] = make_int4(k, 1, 2, 3);
}

int main() {
    int4 *host[2], *device[2], **table = zeros<int4*>(2);
    for (int k = 0; k < 2; ++k) {
        CHECK(cudaHostAlloc(&host[k], 16 * sizeof(int4), cudaHostAllocMapped));
        CHECK(cudaHostGetDevicePointer(&device[k], host[k], 0));
    }
    CHECK(cudaMemcpy(table, device, sizeof device, cudaMemcpyHostToDevice));
    fill<<<1, 16>>>(table, 2);
    CHECK(cudaDeviceSynchronize());
    int live = 2;
    CHECK(cudaFreeHost(host[--live]));
    fill<<<1, 16>>>(table, live);
    CHECK(cudaDeviceSynchronize());
    return verdict(host[0][15].w != 3);
}
