// p07: quicksort: each grid partitions its range alone and launches one grid a side.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

#include <algorithm>
#include <vector>

__global__ void sort(unsigned* keys, int n) {
    if (n <= 16) {
        for (int i = 1; i < n; ++i)
            for (int k = i; k > 0 && keys[k - 1] > keys[k]; --k) {
                unsigned key = keys[k];
                keys[k] = keys[k - 1];
                keys[k - 1] = key;
            }
        return;
    }
    unsigned pivot = keys[n / 2];
    int low = 0, high = n - 1;
    while (low <= high) {
        while (keys[low] < pivot) ++low;
        while (keys[high] > pivot) --high;
        if (low > high) break;
        unsigned key = keys[low];
        keys[low++] = keys[high];
        keys[high--] = key;
    }
    if (high > 0) sort<<<1, 1, 0, cudaStreamFireAndForget>>>(keys, high + 1);
    if (low < n - 1) sort<<<1, 1, 0, cudaStreamFireAndForget>>>(keys + low, n - low);
}

int main() {
    std::vector<unsigned> keys(3000);
    unsigned state = 1;
    for (unsigned& key : keys) key = (state = state * 1664525 + 1013904223) >> 8;
    unsigned* device = zeros<unsigned>(3000);
    CHECK(cudaMemcpy(device, keys.data(), 3000 * sizeof(unsigned), cudaMemcpyHostToDevice));
    sort<<<1, 1>>>(device, 3000);
    std::sort(keys.begin(), keys.end());
    return verdict(wrong(device, 3000, [&](int i) { return keys[i]; }));
}
