// d16: no launch at all: nodes of a list by `new` until the heap is full, used by the thread itself.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Node {
    Node* next;
    int values[4096];
};

__global__ void build(int count, int* out) {
    Node* head = nullptr;
    for (int i = 0; i < count; ++i) {
        Node* node = new Node;  //~ memory/heap
        node->next = head;  //~ memory/bounds
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
    int* out = zeros<int>(1);
    build<<<1, 1>>>(1000, out);
    return verdict(wrong(out, 1, [](int) { return 1000 * 999 / 2; }));
}
