// Host code reads mapped memory before it has synchronised with the kernel that writes it.
#include "../nvrtc.h"

const char* source = R"(
extern "C" __global__ void answer(int* p) {
    *p = 42;  //~ race/host
}
)";

int main(int count, char** arguments) {
    start();
    Module module = load(compile(source, "mapped.cu", words(count, arguments)));
    int* shared = nullptr;
    cu("cuMemHostAlloc", &shared, size_t(4096), 2u);
    *shared = 0;
    Pointer p = 0;
    cu("cuMemHostGetDevicePointer_v2", &p, static_cast<void*>(shared), 0u);
    launch(kernel(module, "answer"), 1, 1, nullptr, p);
    int early = *shared;  //~ race/host
    cu("cuCtxSynchronize");
    return verdict(early != 42 && early != 0);
}
