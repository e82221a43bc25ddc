// The twin of fail/child: a tail reads it.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void child(int* p) {
    p[threadIdx.x] = 5;
}
extern "C" __global__ void tail(const int* p, int* out) {
    *out = p[3];
}
extern "C" __global__ void parent(int* p, int* out) {
    child<<<1, 32>>>(p);
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(p, out);
}
)";

int main(int count, char** arguments) {
    start();
    auto options = words(count, arguments);
    options.push_back("--relocatable-device-code=true");
    Module module = link(compile(source, "child.cu", options));
    Pointer p = zeros(128), out = zeros(4);
    launch(kernel(module, "parent"), 1, 1, nullptr, p, out);
    return verdict(wrong(out, 1, [](int) { return 5; }));
}
