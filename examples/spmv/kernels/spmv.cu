// Sparse matrix times vector with an activation, y = relu(A x), for matrices whose rows differ much in length.
//
// One thread per row leaves a warp waiting for its longest row. Each strategy below treats rows of more than `heavy`
// entries in another way: a child grid per row launched by the kernel itself (cdp, cdp-deterministic), one child grid
// for a list of them (worklist), or a second launch by the host (two-pass). Used by the Rust example beside it and,
// included, by programs/spmv.cu.

// The matrix in compressed rows.
struct Csr {
    const int* start;  // of each row in the two arrays below, and one past the last
    const int* column;
    const float* value;
    int rows;
    int heavy;  // rows with more entries than this are heavy
};

// A heavy row whose child grid writes one partial sum a block.
struct Partials {
    int row;
    int count;
    unsigned first;
};

// What the kernels tell of their launches. All of it is zero before a run.
struct Launches {
    int children;         // launched for heavy rows
    int tails;            // tail launches
    int lost;             // heavy rows whose launch was refused; `lost_rows` has them
    int lost_tails;       // tail launches that were refused
    int error;            // of a refused launch
    int pending;          // launched and not yet at its end
    int peak;             // the most of them seen at once: at most the true number, so never above the pool's size
    unsigned heavy;       // entries in `heavy_rows` or `partial_rows`
    unsigned partials;    // sums in `partials` given out so far
    unsigned tickets;     // entries in `finished` given out so far
};

// Where they leave it, with the scratch memory of the strategies. The arrays have an entry for each heavy row, but
// `partials`, which has one for each block of their child grids.
struct Scratch {
    Launches* launches;
    int* lost_rows;
    int* heavy_rows;
    Partials* partial_rows;
    float* partials;
    unsigned* finished;  // blocks of a child that have ended
};

constexpr int THREADS = 256;

static __device__ int heavy_blocks(int length) { return min((length + THREADS - 1) / THREADS, 1024); }

static __device__ float relu(float value) { return fmaxf(value, 0.f); }

// Every `step`-th product of a row, from `first` on.
static __device__ float part(Csr a, const float* x, int row, int first, int step) {
    float sum = 0.f;
    for (int i = a.start[row] + first, end = a.start[row + 1]; i < end; i += step) sum += a.value[i] * x[a.column[i]];
    return sum;
}

static __device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

// The sum over the block, in an order that never changes; for thread 0 only.
static __device__ float block_sum(float value) {
    __shared__ float warps[THREADS / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.f;
    if (threadIdx.x == 0)
        for (float warp : warps) sum += warp;
    __syncthreads();  // `warps` may be used again
    return sum;
}

// A launch failed if this thread's last error says so; nobody else is told.
static __device__ bool launched(Launches* launches) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        launches->error = error;
        return false;
    }
    atomicMax(&launches->peak, atomicAdd(&launches->pending, 1) + 1);
    return true;
}

static __device__ bool row_launched(Scratch scratch, int row) {
    bool ok = launched(scratch.launches);
    if (ok) atomicAdd(&scratch.launches->children, 1);
    else scratch.lost_rows[atomicAdd(&scratch.launches->lost, 1)] = row;
    return ok;
}

static __device__ void tail_launched(Scratch scratch) {
    if (launched(scratch.launches)) scratch.launches->tails = 1;
    else scratch.launches->lost_tails = 1;
}

// The last block of a child to come here ends what `launched` began.
static __device__ void block_finished(Launches* launches, unsigned* finished) {
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(finished, 1) + 1 == gridDim.x) atomicSub(&launches->pending, 1);
}

static __device__ int this_row() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- inline: one thread per row, however long

extern "C" __global__ void spmv_inline(Csr a, const float* x, float* y) {
    int row = this_row();
    if (row < a.rows) y[row] = relu(part(a, x, row, 0, 1));
}

// ---- cdp: one child grid per heavy row, added up by atomics; the tail applies the activation to all rows

extern "C" __global__ void heavy_row(Csr a, const float* x, float* y, int row, Launches* launches, unsigned* finished) {
    float sum = warp_sum(part(a, x, row, this_row(), gridDim.x * blockDim.x));
    if (threadIdx.x % 32 == 0) atomicAdd(&y[row], sum);
    block_finished(launches, finished);
}

extern "C" __global__ void relu_all(float* y, int rows) {
    int row = this_row();
    if (row < rows) y[row] = relu(y[row]);
}

extern "C" __global__ void spmv_cdp(Csr a, const float* x, float* y, Scratch scratch) {
    int row = this_row();
    if (row < a.rows) {
        int length = a.start[row + 1] - a.start[row];
        if (length <= a.heavy) {
            y[row] = part(a, x, row, 0, 1);
        } else {
            y[row] = 0.f;  // what this thread wrote before the launch is visible to the child
            unsigned* finished = &scratch.finished[atomicAdd(&scratch.launches->tickets, 1)];
            heavy_row<<<heavy_blocks(length), THREADS, 0, cudaStreamFireAndForget>>>(a, x, y, row, scratch.launches, finished);
            row_launched(scratch, row);
        }
    }
    if (row == 0) {
        relu_all<<<(a.rows + THREADS - 1) / THREADS, THREADS, 0, cudaStreamTailLaunch>>>(y, a.rows);
        tail_launched(scratch);
    }
}

// ---- cdp-deterministic: the children leave one partial sum a block, and the tail adds them in their order

extern "C" __global__ void heavy_row_partials(Csr a, const float* x, float* partials, int row, Launches* launches,
                                              unsigned* finished) {
    float sum = block_sum(part(a, x, row, this_row(), gridDim.x * blockDim.x));
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
    block_finished(launches, finished);
}

extern "C" __global__ void add_partials(float* y, Scratch scratch) {
    unsigned count = scratch.launches->heavy;
    for (unsigned i = this_row(); i < count; i += gridDim.x * blockDim.x) {
        Partials heavy = scratch.partial_rows[i];
        float sum = 0.f;
        for (int k = 0; k < heavy.count; ++k) sum += scratch.partials[heavy.first + k];
        y[heavy.row] = relu(sum);
    }
}

extern "C" __global__ void spmv_cdp_deterministic(Csr a, const float* x, float* y, Scratch scratch) {
    int row = this_row();
    if (row < a.rows) {
        int length = a.start[row + 1] - a.start[row];
        if (length <= a.heavy) {
            y[row] = relu(part(a, x, row, 0, 1));
        } else {
            y[row] = 0.f;
            // Where the sums lie depends on who comes first, what they are and in which order they are added does not.
            int blocks = heavy_blocks(length);
            unsigned first = atomicAdd(&scratch.launches->partials, unsigned(blocks));
            unsigned* finished = &scratch.finished[atomicAdd(&scratch.launches->tickets, 1)];
            heavy_row_partials<<<blocks, THREADS, 0, cudaStreamFireAndForget>>>(a, x, &scratch.partials[first], row,
                                                                                 scratch.launches, finished);
            if (row_launched(scratch, row))
                scratch.partial_rows[atomicAdd(&scratch.launches->heavy, 1)] = {row, blocks, first};
        }
    }
    if (row == 0) {
        add_partials<<<8, THREADS, 0, cudaStreamTailLaunch>>>(y, scratch);
        tail_launched(scratch);
    }
}

// ---- worklist and two-pass: light rows first, heavy ones into a list, then one grid for the list

static __device__ void light_rows(Csr a, const float* x, float* y, Scratch scratch) {
    int row = this_row();
    if (row >= a.rows) return;
    if (a.start[row + 1] - a.start[row] <= a.heavy) {
        y[row] = relu(part(a, x, row, 0, 1));
    } else {
        y[row] = 0.f;
        scratch.heavy_rows[atomicAdd(&scratch.launches->heavy, 1)] = row;
    }
}

// One block per row of the list at a time.
extern "C" __global__ void heavy_list(Csr a, const float* x, float* y, Scratch scratch) {
    for (unsigned i = blockIdx.x; i < scratch.launches->heavy; i += gridDim.x) {
        int row = scratch.heavy_rows[i];
        float sum = block_sum(part(a, x, row, threadIdx.x, blockDim.x));
        if (threadIdx.x == 0) y[row] = relu(sum);
    }
}

extern "C" __global__ void spmv_worklist(Csr a, const float* x, float* y, Scratch scratch) {
    light_rows(a, x, y, scratch);
    if (this_row() == 0) {
        heavy_list<<<132, THREADS, 0, cudaStreamTailLaunch>>>(a, x, y, scratch);
        tail_launched(scratch);
    }
}

extern "C" __global__ void spmv_light(Csr a, const float* x, float* y, Scratch scratch) { light_rows(a, x, y, scratch); }
