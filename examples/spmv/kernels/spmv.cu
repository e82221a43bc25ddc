// Sparse matrix times vector with an activation, y = relu(A x), for matrices whose rows differ much in length.
//
// One thread per row leaves a warp waiting for its longest row. Each strategy below treats rows of more than `heavy`
// entries in another way: a child grid per row launched by the kernel itself (cdp, cdp-deterministic), one child grid
// for a list of them (worklist), or a second launch by the host (two-pass); or all work is cut into equal pieces wherever
// rows end (merge). Used by the Rust example beside it and, included, by programs/spmv.cu.

#include "../../../crates/host/kernels/hotfire.cuh"

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
    HotfireLedger* ledger;
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
static __device__ bool launched(Scratch scratch) {
    if (!hotfire_launched(scratch.ledger)) return false;
    Launches* launches = scratch.launches;
    atomicMax(&launches->peak, atomicAdd(&launches->pending, 1) + 1);
    return true;
}

static __device__ bool row_launched(Scratch scratch, int row) {
    bool ok = launched(scratch);
    if (ok) atomicAdd(&scratch.launches->children, 1);
    else scratch.lost_rows[atomicAdd(&scratch.launches->lost, 1)] = row;
    return ok;
}

static __device__ void tail_launched(Scratch scratch) {
    if (launched(scratch)) scratch.launches->tails = 1;
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

template <bool checked>
static __device__ void cdp(Csr a, const float* x, float* y, Scratch scratch) {
    int row = this_row();
    if (row < a.rows) {
        int length = a.start[row + 1] - a.start[row];
        if (length <= a.heavy) {
            y[row] = part(a, x, row, 0, 1);
        } else {
            y[row] = 0.f;  // what this thread wrote before the launch is visible to the child
            unsigned* finished = &scratch.finished[atomicAdd(&scratch.launches->tickets, 1)];
            heavy_row<<<heavy_blocks(length), THREADS, 0, cudaStreamFireAndForget>>>(a, x, y, row, scratch.launches, finished);
            if (checked) row_launched(scratch, row);
        }
    }
    if (row == 0) {
        relu_all<<<(a.rows + THREADS - 1) / THREADS, THREADS, 0, cudaStreamTailLaunch>>>(y, a.rows);
        tail_launched(scratch);
    }
}

extern "C" __global__ void spmv_cdp(Csr a, const float* x, float* y, Scratch scratch) { cdp<true>(a, x, y, scratch); }

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

// ---- merge: rows and entries are merged into one path, and every block takes an equal piece of it
//
// The path of Merrill and Garland ("Merge-based parallel sparse matrix-vector multiplication", 2016): a step down ends a row,
// a step right consumes an entry. A block leaves the sum of the row that it does not end as its carry, and a second kernel
// adds the carries. All additions have one order.

constexpr int MERGE_THREADS = 256, MERGE_STEPS = 8, MERGE_TILE = MERGE_THREADS * MERGE_STEPS;

struct Carry {
    int row;
    float sum;
};

// How many of the first `steps` steps of the path end rows: the ends of rows are merged with the numbers of entries.
static __device__ int ended_rows(const int* ends, int rows, int entries, int steps) {
    int low = max(steps - entries, 0), high = min(steps, rows);
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends[middle] <= steps - middle - 1) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Once for a matrix: the rows that are ended where each block begins, and at the end of the path.
extern "C" __global__ void merge_pieces(Csr a, int* pieces, int blocks) {
    int i = this_row();
    if (i > blocks) return;
    int entries = a.start[a.rows];
    int steps = min((long long)i * MERGE_TILE, (long long)a.rows + entries);
    pieces[i] = ended_rows(a.start + 1, a.rows, entries, steps);
}

// A row's sum so far; if a row ended on the way, what was before it does not count.
struct Run {
    bool ended;
    float sum;
};

static __device__ Run then(Run a, Run b) { return {a.ended || b.ended, b.ended ? b.sum : a.sum + b.sum}; }

// What the threads in front leave for the row that this thread begins in, and for the last thread what the block leaves.
static __device__ Run runs_before(Run own, Run* whole) {
    __shared__ Run warps[MERGE_THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        Run before = {bool(__shfl_up_sync(0xffffffff, int(own.ended), offset)), __shfl_up_sync(0xffffffff, own.sum, offset)};
        if (lane >= offset) own = then(before, own);
    }
    if (lane == 31) warps[warp] = own;
    __syncthreads();
    Run front = {false, 0.f};
    for (int i = 0; i < warp; ++i) front = then(front, warps[i]);
    Run before = {bool(__shfl_up_sync(0xffffffff, int(own.ended), 1)), __shfl_up_sync(0xffffffff, own.sum, 1)};
    *whole = then(front, own);
    return lane ? then(front, before) : front;
}

extern "C" __global__ void __launch_bounds__(MERGE_THREADS)
    spmv_merge(Csr a, const float* x, float* y, const int* pieces, Carry* carries) {
    __shared__ float products[MERGE_TILE];
    __shared__ int ends[MERGE_TILE + 1];
    cudaTriggerProgrammaticLaunchCompletion();
    int all = a.start[a.rows];
    int first_row = pieces[blockIdx.x], last_row = pieces[blockIdx.x + 1];
    int from = blockIdx.x * MERGE_TILE - first_row;
    int to = min((long long)(blockIdx.x + 1) * MERGE_TILE, (long long)a.rows + all) - last_row;
    int rows = last_row - first_row, entries = to - from;
    // All loads of a kind before the first that depends on them. What is read once does not push x out of the cache.
    int columns[MERGE_STEPS];
    float values[MERGE_STEPS];
#pragma unroll
    for (int k = 0; k < MERGE_STEPS; ++k) {
        int i = threadIdx.x + k * MERGE_THREADS;
        columns[k] = i < entries ? __ldcs(&a.column[from + i]) : 0;
        values[k] = i < entries ? __ldcs(&a.value[from + i]) : 0.f;
    }
#pragma unroll
    for (int k = 0; k < MERGE_STEPS; ++k)
        if (threadIdx.x + k * MERGE_THREADS < entries) values[k] *= x[columns[k]];
#pragma unroll
    for (int k = 0; k < MERGE_STEPS; ++k) products[threadIdx.x + k * MERGE_THREADS] = values[k];
    for (int i = threadIdx.x; i < rows; i += MERGE_THREADS) ends[i] = a.start[first_row + i + 1] - from;
    __syncthreads();

    int step = min(int(threadIdx.x) * MERGE_STEPS, rows + entries), last = min(step + MERGE_STEPS, rows + entries);
    int row = ended_rows(ends, rows, entries, step), entry = step - row, own_first = row;
    float sum = 0.f, first = 0.f;
    for (; step < last; ++step) {
        if (row < rows && entry >= ends[row]) {
            if (row == own_first) first = sum;  // it may have begun in front of this thread
            else y[first_row + row] = relu(sum);
            ++row, sum = 0.f;
        } else {
            sum += products[entry++];
        }
    }
    Run whole, before = runs_before({row > own_first, sum}, &whole);
    if (row > own_first) {
        sum = before.sum + first;
        // The block's first row may have begun in front of the block: its carries are still to come.
        bool partial = own_first == 0 && from > a.start[first_row];
        y[first_row + own_first] = partial ? sum : relu(sum);
    }
    if (threadIdx.x == MERGE_THREADS - 1) carries[blockIdx.x] = {last_row, whole.sum};
}

// A warp for each run of carries of one row. The row's last part is in y.
static __device__ void add_carries(float* y, int rows, const Carry* carries, int blocks) {
    int i = this_row() / 32, lane = threadIdx.x % 32;
    if (i >= blocks) return;
    int row = carries[i].row;
    if (row >= rows || i > 0 && carries[i - 1].row == row) return;
    float sum = 0.f;
    for (int k = i + lane; k < blocks && carries[k].row == row; k += 32) sum += carries[k].sum;
    sum = warp_sum(sum);
    if (lane == 0) y[row] = relu(y[row] + sum);
}

extern "C" __global__ void merge_carries(float* y, int rows, const Carry* carries, int blocks) {
    cudaGridDependencySynchronize();
    add_carries(y, rows, carries, blocks);
}

// ---- two-pass: the number of heavy rows, for the host

extern "C" __global__ void publish_heavy(const Launches* launches, unsigned* heavy) { *heavy = launches->heavy; }

// ---- faults that `spmv --plant` asks for

// Nobody looks whether the launch of a child worked.
extern "C" __global__ void planted_cdp_unchecked(Csr a, const float* x, float* y, Scratch scratch) { cdp<false>(a, x, y, scratch); }

// It waits for nothing: no matrix has a negative number of rows.
extern "C" __global__ void planted_merge_carries(float* y, int rows, const Carry* carries, int blocks) {
    if (rows < 0) cudaGridDependencySynchronize();
    add_carries(y, rows, carries, blocks);
}
