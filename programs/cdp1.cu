// A program of the first dynamic parallelism: its kernel launches a child, waits for it and uses the result. No device of
// compute capability 9.0 runs it; it is here to be refused. A second kernel of the same module does nothing of the kind.
//
// build: cdp1 -arch=sm_80 -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true -lineinfo -lcudadevrt
// build: cdp1-ptx -gencode arch=compute_80,code=compute_80 -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true -lineinfo -lcudadevrt
#include <cstdio>
#include <cstring>

__device__ int value, answer;

__global__ void child() { value = 20; }

__global__ void parent() {
    child<<<1, 1>>>();
    cudaDeviceSynchronize();  // this is what compute capability 9.0 does not have
    answer = value + 22;
}

__global__ void harmless() { answer = 42; }

int main(int count, char** words) {
    bool spare = count > 1 && std::strcmp(words[1], "harmless") == 0;
    if (spare) harmless<<<1, 1>>>();
    else parent<<<1, 1>>>();
    cudaError_t launch = cudaGetLastError();
    cudaError_t sync = cudaDeviceSynchronize();
    int read = -1;
    cudaError_t copy = cudaMemcpyFromSymbol(&read, answer, sizeof read);
    std::printf("cdp1 %s launch=%d %s sync=%d copy=%d answer=%d\n", spare ? "harmless" : "parent", int(launch), cudaGetErrorName(launch),
                int(sync), int(copy), read);
    return launch == cudaSuccess && read == 42 ? 0 : 1;
}
