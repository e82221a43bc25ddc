// The twin of fail/streams: an event orders the two streams.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void fill(int* p, int value) {
    p[threadIdx.x] = value;
}
extern "C" __global__ void use(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x] + 1;
}
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "streams.cu", words(count, arguments)));
    Pointer p = zeros(256), out = zeros(256);
    Stream a = stream(), b = stream();
    void* filled = nullptr;
    cu("cuEventCreate", &filled, 2u);
    launch(kernel(module, "fill"), 1, 64, a, p, 1);
    cu("cuEventRecord", filled, a);
    cu("cuStreamWaitEvent", b, filled, 0u);
    launch(kernel(module, "use"), 1, 64, b, p, out);
    return verdict(wrong(out, 64, [](int) { return 2; }));
}
