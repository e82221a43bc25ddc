// One iteration of conjugate gradients or of Jacobi's method as a few small kernels, for S x = b.
//
// Every sum is made of one partial sum a block, in an order that never changes, and every kernel that needs the whole adds
// the partial sums by itself: results are equal bit for bit however the kernels are launched. Each kernel waits for the one
// in front before it reads anything, and does nothing once `go` is 0.
#pragma once

struct State {
    int iteration;  // done so far
    int go;
    float squares;  // of the residual
};

struct Problem {
    const int* start;  // S without its diagonal, in compressed rows
    const int* column;
    const float* value;
    const float* diagonal;
    const float* b;
    float* x[2];  // Jacobi takes turns; conjugate gradients use the first
    float* residual;
    float* direction;
    float* product;           // S times the direction
    float* partial_products;  // one a block: direction times product
    float* partial_squares;   // one a block
    State* state;
    float* history;  // squares of the residual after each iteration
    int rows;
    int blocks;
    float enough;  // squares of the residual to stop at
    int most;      // iterations
};

constexpr int THREADS = 256;

static __device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

// For thread 0 only.
static __device__ float block_sum(float value) {
    __shared__ float warps[THREADS / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.f;
    if (threadIdx.x == 0)
        for (float warp : warps) sum += warp;
    return sum;
}

// The partial sums of all blocks, for every thread.
static __device__ float whole(const float* partials, int blocks) {
    __shared__ float sum;
    float own = 0.f;
    for (int i = threadIdx.x; i < blocks; i += THREADS) own += partials[i];
    own = block_sum(own);
    if (threadIdx.x == 0) sum = own;
    __syncthreads();
    return sum;
}

// A row of S without its diagonal times a vector, by a warp; for lane 0 only.
static __device__ float row_times(const Problem& p, int row, const float* vector) {
    float sum = 0.f;
    for (int i = p.start[row] + threadIdx.x % 32; i < p.start[row + 1]; i += 32) sum += p.value[i] * vector[p.column[i]];
    return warp_sum(sum);
}

// The kernels' common beginning: what is behind may be launched now, and what is in front must be complete.
static __device__ bool goes_on(const Problem& p) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    return p.state->go;
}

static __device__ int first_row() { return (blockIdx.x * THREADS + threadIdx.x) / 32; }
static __device__ int row_step(const Problem& p) { return p.blocks * (THREADS / 32); }

// ---- conjugate gradients

extern "C" __global__ void cg_multiply(Problem p) {
    if (!goes_on(p)) return;
    float dot = 0.f;
    for (int row = first_row(); row < p.rows; row += row_step(p)) {
        float sum = row_times(p, row, p.direction);
        if (threadIdx.x % 32 == 0) {
            sum += p.diagonal[row] * p.direction[row];
            p.product[row] = sum;
            dot += sum * p.direction[row];
        }
    }
    dot = block_sum(dot);
    if (threadIdx.x == 0) p.partial_products[blockIdx.x] = dot;
}

extern "C" __global__ void cg_step(Problem p) {
    if (!goes_on(p)) return;
    float alpha = p.state->squares / whole(p.partial_products, p.blocks), squares = 0.f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < p.rows; i += p.blocks * THREADS) {
        p.x[0][i] += alpha * p.direction[i];
        float residual = p.residual[i] - alpha * p.product[i];
        p.residual[i] = residual;
        squares += residual * residual;
    }
    __syncthreads();
    squares = block_sum(squares);
    if (threadIdx.x == 0) p.partial_squares[blockIdx.x] = squares;
}

extern "C" __global__ void cg_turn(Problem p) {
    if (!goes_on(p)) return;
    float beta = whole(p.partial_squares, p.blocks) / p.state->squares;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < p.rows; i += p.blocks * THREADS)
        p.direction[i] = p.residual[i] + beta * p.direction[i];
}

// ---- Jacobi

extern "C" __global__ void jacobi(Problem p) {
    if (!goes_on(p)) return;
    const float* from = p.x[p.state->iteration % 2];
    float *to = p.x[(p.state->iteration + 1) % 2], squares = 0.f;
    for (int row = first_row(); row < p.rows; row += row_step(p)) {
        float sum = row_times(p, row, from);
        if (threadIdx.x % 32 == 0) {
            float rest = p.b[row] - sum, residual = rest - p.diagonal[row] * from[row];
            to[row] = rest / p.diagonal[row];
            squares += residual * residual;
        }
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) p.partial_squares[blockIdx.x] = squares;
}

// ---- the end of an iteration, by one block; whether there is another

static __device__ bool end_iteration(const Problem& p) {
    float squares = whole(p.partial_squares, p.blocks);
    __shared__ int go;
    if (threadIdx.x == 0) {
        State& state = *p.state;
        p.history[state.iteration++] = squares;
        state.squares = squares;
        state.go = go = squares > p.enough && state.iteration < p.most;
    }
    __syncthreads();
    return go;
}

extern "C" __global__ void control(Problem p) {
    if (goes_on(p)) end_iteration(p);
}
