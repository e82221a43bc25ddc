// Clusters: which launches are refused, and how; what the queries answer; that a barrier and reaching into shared memory work.
//
// build: clusters -arch=sm_90 -std=c++17 -rdc=true -lcudadevrt
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void plain(unsigned* out) {
    __shared__ unsigned mine;
    cg::cluster_group cluster = cg::this_cluster();
    mine = cluster.block_rank();
    cluster.sync();
    unsigned next = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % cluster.num_blocks());
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = 100 * cluster.num_blocks() + 10 * mine + next;
}

__global__ void __cluster_dims__(2, 1, 1) pairs(unsigned* out) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = 10 * cluster.num_blocks() + cluster.block_rank();
}

__global__ void child_of_two(unsigned* out, int* error) {
    pairs<<<3, 32>>>(out);
    error[0] = cudaGetLastError();
    pairs<<<4, 32>>>(out);
    error[1] = cudaGetLastError();
}

template <typename Kernel>
int launch(Kernel* kernel, dim3 grid, dim3 cluster, unsigned* out) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int error = cudaLaunchKernelEx(&config, kernel, out);
    cudaGetLastError();
    if (!error) error = cudaDeviceSynchronize();
    return error;
}

int main() {
    unsigned* out;
    int* error;
    cudaMallocManaged(&out, 64 * sizeof *out);
    cudaMallocManaged(&error, 2 * sizeof *error);
    std::printf("grid 3, cluster 2: %d\n", launch(plain, dim3(3), dim3(2), out));
    std::printf("grid 4x3, cluster 2x2: %d\n", launch(plain, dim3(4, 3), dim3(2, 2), out));
    std::printf("cluster 0: %d\n", launch(plain, dim3(4), dim3(0, 1, 1), out));
    std::printf("cluster 16, not allowed: %d\n", launch(plain, dim3(16), dim3(16), out));
    std::printf("cluster 32, not allowed: %d\n", launch(plain, dim3(32), dim3(32), out));
    cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    std::printf("cluster 16, allowed: %d\n", launch(plain, dim3(16), dim3(16), out));
    std::printf("  block 15: %u\n", out[15]);
    std::printf("cluster 32, allowed: %d\n", launch(plain, dim3(32), dim3(32), out));
    std::printf("grid 4x4, cluster 2x2: %d\n", launch(plain, dim3(4, 4), dim3(2, 2), out));
    for (int i = 0; i < 16; ++i) std::printf(i % 4 == 3 ? " %u\n" : " %u", out[i]);
    std::printf("made for 2, asked for 2: %d\n", launch(pairs, dim3(4), dim3(2), out));
    std::printf("made for 2, asked for 4: %d\n", launch(pairs, dim3(4), dim3(4), out));
    pairs<<<3, 32>>>(out);
    std::printf("made for 2, grid 3: %d\n", int(cudaGetLastError()));
    pairs<<<4, 32>>>(out);
    std::printf("made for 2, grid 4: %d", int(cudaGetLastError()));
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; ++i) std::printf(" %u", out[i]);
    child_of_two<<<1, 1>>>(out, error);
    int sync = cudaDeviceSynchronize();
    std::printf("\nfrom a kernel: grid 3: %d, grid 4: %d, then %d\n", error[0], error[1], sync);
    cudaFuncAttributes attributes = {};
    cudaFuncGetAttributes(&attributes, pairs);
    std::printf("attributes: must be set %d, %d x %d x %d, large %d\n", attributes.clusterDimMustBeSet,
                attributes.requiredClusterWidth, attributes.requiredClusterHeight, attributes.requiredClusterDepth,
                attributes.nonPortableClusterSizeAllowed);
    int size = -1, count = -1, supported = -1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(64);
    config.blockDim = dim3(1024);
    int code = cudaOccupancyMaxPotentialClusterSize(&size, plain, &config);
    std::printf("largest cluster, allowed: %d (%d)\n", size, code);
    code = cudaOccupancyMaxPotentialClusterSize(&size, pairs, &config);
    std::printf("largest cluster, made for 2: %d (%d)\n", size, code);
    code = cudaOccupancyMaxActiveClusters(&count, pairs, &config);
    std::printf("clusters of 2 blocks of 1024 threads: %d (%d)\n", count, code);
    cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
    std::printf("supported: %d\n", supported);
}
