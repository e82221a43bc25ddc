// The twin of fail/cdp/d16-new.cu: the heap is large enough.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

struct Node {
    Node* next;
    int values[4096];
};

__global__ void build(int count, int* out) {
    Node* head = nullptr;
    for (int i = 0; i < count; ++i) {
        Node* node = new Node;
        node->next = head;
        node->values[0] = i;
        head = node;
    }
    while (head) {
        *out += head->values[0];
        Node* next = head->next;
        delete head;
        head = next;
    }
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    int* out = zeros<int>(1);
    build<<<1, 1>>>(1000, out);
    return verdict(wrong(out, 1, [](int) { return 1000 * 999 / 2; }));
}
