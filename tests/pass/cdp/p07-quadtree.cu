// p07: a quadtree of points: nodes with too many points sort them into quarters and launch a grid for each quarter.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

#include <vector>

constexpr int POINTS = 2000, LEAF = 16, DEEPEST = 8;

struct Box {
    float x, y, side;
};

// One block a node. Counts the points of each leaf in `leaf`, by the leaf's first point.
__global__ void split(float2* points, float2* other, int first, int n, Box box, int depth, int* leaf) {
    if (n <= LEAF || depth == DEEPEST) {
        if (threadIdx.x == 0) leaf[first] = n;
        return;
    }
    __shared__ int count[4], next[4];
    float half = box.side / 2;
    auto quarter = [&](float2 p) { return (p.x >= box.x + half) + 2 * (p.y >= box.y + half); };
    if (threadIdx.x < 4) count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[quarter(points[first + i])], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int q = 0, sum = first; q < 4; sum += count[q++]) next[q] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 p = points[first + i];
        other[atomicAdd(&next[quarter(p)], 1)] = p;
    }
    __syncthreads();
    if (threadIdx.x < 4 && count[threadIdx.x] > 0) {
        int q = threadIdx.x, start = next[q] - count[q];
        split<<<1, 32, 0, cudaStreamFireAndForget>>>(other, points, start, count[q], {box.x + q % 2 * half, box.y + q / 2 * half, half}, depth + 1, leaf);
    }
}

// The leaves' sizes by the same rule, in the order of the quarters.
void reference(const std::vector<float2>& points, int first, Box box, int depth, std::vector<int>& leaf) {
    if (points.size() <= LEAF || depth == DEEPEST) {
        leaf[first] = points.size();
        return;
    }
    float half = box.side / 2;
    for (int q = 0; q < 4; ++q) {
        std::vector<float2> mine;
        for (float2 p : points)
            if ((p.x >= box.x + half) + 2 * (p.y >= box.y + half) == q) mine.push_back(p);
        if (!mine.empty()) reference(mine, first, {box.x + q % 2 * half, box.y + q / 2 * half, half}, depth + 1, leaf);
        first += mine.size();
    }
}

int main() {
    std::vector<float2> points(POINTS);
    unsigned state = 7;
    auto uniform = [&] { return ((state = state * 1664525 + 1013904223) >> 8) * 0x1p-24f; };
    for (float2& p : points) {
        float x = uniform(), y = uniform();
        p = make_float2(x * x, x * y);
    }
    float2 *device = zeros<float2>(POINTS), *other = zeros<float2>(POINTS);
    int* leaf = zeros<int>(POINTS);
    CHECK(cudaMemcpy(device, points.data(), POINTS * sizeof(float2), cudaMemcpyHostToDevice));
    split<<<1, 32>>>(device, other, 0, POINTS, {0, 0, 1}, 0, leaf);
    std::vector<int> expected(POINTS);
    reference(points, 0, {0, 0, 1}, 0, expected);
    return verdict(wrong(leaf, POINTS, [&](int i) { return expected[i]; }));
}
