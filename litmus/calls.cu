// What calls of the device runtime do that the documents leave open: launches by the first version of the entry point into each kind
// of stream, and sets and copies in device code. Usage: calls
//
// build: calls -std=c++17 -arch=sm_90 -rdc=true -lcudadevrt
#include <cstdio>
#include <cstring>

__device__ int ran;
__device__ int codes[8];

__global__ void child(int* cell) { atomicAdd(cell, 1); }

__device__ int first_version(int* cell, cudaStream_t stream) {
    void* buffer = cudaGetParameterBuffer(64, sizeof cell);
    if (!buffer) return -1;
    std::memcpy(buffer, &cell, sizeof cell);
    return cudaLaunchDevice(reinterpret_cast<void*>(child), buffer, dim3(1), dim3(1), 0, stream);
}

// One kind of stream a run: an error of one launch must not hide behind another.
__global__ void launch(int kind, int* cell) {
    cudaStream_t stream = 0;
    if (kind == 1) codes[1] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (kind == 2) stream = cudaStreamFireAndForget;
    if (kind == 3) stream = cudaStreamTailLaunch;
    if (kind == 4) stream = cudaStreamPerThread;
    if (kind == 5) stream = cudaStreamLegacy;
    codes[0] = first_version(cell, stream);
    codes[2] = cudaGetLastError();
}

__global__ void set(int kind, char* to, int bytes) {
    cudaStream_t stream = 0;
    if (kind == 1) codes[1] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (kind == 2) stream = cudaStreamFireAndForget;
    if (kind == 3) stream = cudaStreamTailLaunch;
    codes[0] = cudaMemsetAsync(to, 0x5a, bytes, stream);
    codes[2] = cudaGetLastError();
}

__global__ void copy(int kind, char* to, const char* from, int bytes) {
    cudaStream_t stream = 0;
    if (kind == 1) codes[1] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (kind == 2) stream = cudaStreamFireAndForget;
    if (kind == 3) stream = cudaStreamTailLaunch;
    codes[0] = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
    codes[2] = cudaGetLastError();
}

static const char* const KINDS[] = {"NULL", "named", "fire-and-forget", "tail", "per-thread", "legacy"};

static void answer(const char* what, const char* kind, int done, const char* of) {
    cudaError_t end = cudaDeviceSynchronize();
    int got[8], none[8] = {};
    cudaMemcpyFromSymbol(got, codes, sizeof got);
    cudaMemcpyToSymbol(codes, none, sizeof none);
    std::printf("%s stream=%s code=%d last=%d %s=%d host=%s\n", what, kind, got[0], got[2], of, done, cudaGetErrorName(end));
}

int main() {
    int* cell;
    cudaMalloc(&cell, sizeof *cell);
    for (int kind = 0; kind < 6; ++kind) {
        cudaMemset(cell, 0, sizeof *cell);
        launch<<<1, 1>>>(kind, cell);
        int ran = -1;
        cudaDeviceSynchronize();
        cudaMemcpy(&ran, cell, sizeof ran, cudaMemcpyDeviceToHost);
        answer("launch-v1", KINDS[kind], ran, "ran");
    }
    char *to, *from, bytes[4096];
    cudaMalloc(&to, sizeof bytes);
    cudaMalloc(&from, sizeof bytes);
    cudaMemset(from, 0x5a, sizeof bytes);
    for (int count : {1, 3, 8, 64, 4096})
        for (int kind = 0; kind < 4; ++kind)
            for (int copies = 0; copies < 2; ++copies) {
                cudaMemset(to, 0, sizeof bytes);
                if (copies) copy<<<1, 1>>>(kind, to, from, count);
                else set<<<1, 1>>>(kind, to, count);
                cudaDeviceSynchronize();
                cudaMemcpy(bytes, to, sizeof bytes, cudaMemcpyDeviceToHost);
                int done = 0;
                for (char byte : bytes) done += byte == 0x5a;
                char what[40];
                std::snprintf(what, sizeof what, "%s %d", copies ? "copy" : "set", count);
                answer(what, KINDS[kind], done, "bytes");
            }
}
