// Two streams, one array, nothing between them.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void fill(int* p, int value) {
    p[threadIdx.x] = value;  //~ race/stream
}
extern "C" __global__ void use(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x] + 1;  //~ race/stream
}
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "streams.cu", words(count, arguments)));
    Pointer p = zeros(256), out = zeros(256);
    Stream a = stream(), b = stream();
    launch(kernel(module, "fill"), 1, 64, a, p, 1);
    launch(kernel(module, "use"), 1, 64, b, p, out);
    cu("cuCtxSynchronize");
    return verdict(0);
}
