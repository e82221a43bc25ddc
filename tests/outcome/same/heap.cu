// A list of nodes from the device's heap: addresses and the order of the list are the allocator's and the atomics'; and printf.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Node {
    Node* next;
    int value;
};

__global__ void build(Node** nodes, int* printed) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->next = nullptr;
    node->value = blockIdx.x;
    nodes[blockIdx.x] = node;
    printed[blockIdx.x] = printf("block %d\n", blockIdx.x);
}
__global__ void take(Node** nodes, int* values) {
    values[threadIdx.x] = nodes[threadIdx.x]->value;
    free(nodes[threadIdx.x]);
}

int main() {
    Node** nodes = zeros<Node*>(16);
    int *values = zeros<int>(16), *printed = zeros<int>(16);
    build<<<16, 1>>>(nodes, printed);
    take<<<1, 16>>>(nodes, values);
    return verdict(wrong(values, 16, [](int i) { return i; }));
}
