// A parent reads what its child writes: relocatable code, linked by the driver.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void child(int* p) {
    p[threadIdx.x] = 5;  //~ race/parent-child
}
extern "C" __global__ void parent(int* p, int* out) {
    child<<<1, 32>>>(p);
    *out = p[3];  //~ race/parent-child
}
)";

int main(int count, char** arguments) {
    start();
    auto options = words(count, arguments);
    options.push_back("--relocatable-device-code=true");
    Module module = link(compile(source, "child.cu", options));
    Pointer p = zeros(128), out = zeros(4);
    launch(kernel(module, "parent"), 1, 1, nullptr, p, out);
    cu("cuCtxSynchronize");
    return verdict(0);
}
