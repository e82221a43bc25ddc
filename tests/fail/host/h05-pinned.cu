// h05: mapped pinned memory is unregistered and freed, and a later kernel writes it by vectors of 16 bytes. A table of
// pointers keeps it reachable.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void fill(int4** table, int n) {
    for (int k = 0; k < n; ++k)
        table[k][threadIdx.x] = make_int4(k, 1, 2, 3);  //~ memory/freed
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
    CHECK(cudaFreeHost(host[1]));
    fill<<<1, 16>>>(table, live);
    CHECK(cudaDeviceSynchronize());
    return verdict(host[0][15].w != 3);
}
