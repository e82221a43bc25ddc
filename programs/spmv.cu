// The worked example of dynamic parallelism: y = relu(A x) by five strategies, each checked row by row.
// Usage: spmv [options] [MATRIX.mtx[.gz]]; `spmv --help` lists the options.
//
// build: spmv -arch=sm_90 -rdc=true -fmad=false -std=c++17 -lcudadevrt
#include <cstring>
#include <cstdio>

#include "../examples/spmv/kernels/spmv.cu"
#include "check.h"
#include "matrix.h"

static const char* const HELP = R"(usage: spmv [options] [MATRIX.mtx[.gz]]

  --strategy NAME    inline, cdp, cdp-deterministic, worklist, two-pass or all (default all)
  --heavy N          rows with more than N entries are heavy (default 4096)
  --pool N           ask for N slots for pending device launches (default: what the heavy rows need, at least 2048);
                     an H200 never gives fewer than 32
  --repeat N         run each strategy N times (default 1)
  --generate ROWS,EXPONENT,HUBS,SEED
                     a matrix whose row lengths follow a power law, with HUBS very long rows, instead of a file

Exit code 0: every row of every run is within its error bound of a double precision reference, but for the rows
(and the activation) whose launch was refused: those are reported, and hold exactly what a lost launch leaves.
)";

struct Options {
    std::string strategy = "all", file, generate;
    int heavy = 4096, pool = 0, repeat = 1;
};

[[noreturn]] static void usage(const std::string& what) {
    std::fprintf(stderr, "spmv: %s\n%s", what.c_str(), HELP);
    std::exit(1);
}

static Options parse(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        std::string word = words[i];
        auto value = [&] { return ++i < count ? std::string(words[i]) : (usage(word + " needs a value"), std::string()); };
        auto number = [&](int low) {
            std::string text = value();
            char* end;
            long number = std::strtol(text.c_str(), &end, 10);
            if (*end || text.empty() || number < low || number > 1 << 30) usage(word + " " + text + ": out of range");
            return int(number);
        };
        if (word == "--help") std::fputs(HELP, stdout), std::exit(0);
        else if (word == "--strategy") options.strategy = value();
        else if (word == "--heavy") options.heavy = number(1);
        else if (word == "--pool") options.pool = number(1);
        else if (word == "--repeat") options.repeat = number(1);
        else if (word == "--generate") options.generate = value();
        else if (word[0] == '-' || !options.file.empty()) usage("unexpected " + word);
        else options.file = word;
    }
    if (options.file.empty() == options.generate.empty()) usage("give a matrix file or --generate");
    return options;
}

static Matrix matrix_of(const Options& options) {
    if (options.generate.empty()) return MarketReader::read(options.file);
    int rows, hubs, used = 0;
    double exponent;
    unsigned long long seed;
    const char* text = options.generate.c_str();
    if (std::sscanf(text, "%d,%lf,%d,%llu%n", &rows, &exponent, &hubs, &seed, &used) != 4 || text[used] || rows < 1 ||
        rows > 1 << 26 || hubs < 0 || !std::isfinite(exponent))
        usage("--generate " + options.generate + ": expected ROWS,EXPONENT,HUBS,SEED");
    return power_law(rows, exponent, hubs, seed);
}

// What must come out: a double precision result before the activation, and how far single precision may be from it.
struct Reference {
    std::vector<double> sum, bound;

    Reference(const Matrix& matrix, const std::vector<float>& x) : sum(matrix.rows), bound(matrix.rows) {
        for (int row = 0; row < matrix.rows; ++row) {
            double magnitude = 0;
            for (int i = matrix.start[row]; i < matrix.start[row + 1]; ++i) {
                double product = double(matrix.value[i]) * double(x[matrix.column[i]]);
                sum[row] += product;
                magnitude += std::fabs(product);
            }
            bound[row] = (matrix.length(row) + 1) * 0x1p-24 * magnitude;
        }
    }
};

template <class T>
static T* on_device(const std::vector<T>& values) {
    T* pointer;
    CHECK(cudaMalloc(&pointer, std::max<std::size_t>(values.size(), 1) * sizeof(T)));
    if (!values.empty()) CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

struct Result {
    std::vector<float> y;
    Launches launches{};
    HotfireLedger ledger{};
    std::vector<int> lost_rows;
    float milliseconds = 0;
};

class Device {
public:
    Device(const Matrix& matrix, const std::vector<float>& x, int heavy) : rows_(matrix.rows) {
        int sums = 0;
        for (int row = 0; row < matrix.rows; ++row)
            if (matrix.length(row) > heavy) {
                ++heavy_;
                sums += std::min((matrix.length(row) + THREADS - 1) / THREADS, 1024);
            }
        a_ = {on_device(matrix.start), on_device(matrix.column), on_device(matrix.value), matrix.rows, heavy};
        x_ = on_device(x);
        y_ = on_device(std::vector<float>(matrix.rows));
        scratch_.launches = on_device(std::vector<Launches>(1));
        scratch_.lost_rows = on_device(std::vector<int>(heavy_));
        scratch_.heavy_rows = on_device(std::vector<int>(heavy_));
        scratch_.partial_rows = on_device(std::vector<Partials>(heavy_));
        scratch_.partials = on_device(std::vector<float>(sums));
        scratch_.finished = on_device(std::vector<unsigned>(heavy_));
        scratch_.ledger = on_device(std::vector<HotfireLedger>(1));
        CHECK(cudaEventCreate(&begin_));
        CHECK(cudaEventCreate(&end_));
    }

    int heavy() const { return heavy_; }

    Result run(const std::string& strategy) {
        CHECK(cudaMemset(y_, 0xff, rows_ * sizeof(float)));  // not a number: a row that nobody writes is found
        CHECK(cudaMemset(scratch_.launches, 0, sizeof(Launches)));
        CHECK(cudaMemset(scratch_.ledger, 0, sizeof(HotfireLedger)));
        CHECK(cudaMemset(scratch_.finished, 0, std::max(heavy_, 1) * sizeof(unsigned)));
        int blocks = (rows_ + THREADS - 1) / THREADS;
        CHECK(cudaEventRecord(begin_));
        if (strategy == "inline") spmv_inline<<<blocks, THREADS>>>(a_, x_, y_);
        else if (strategy == "cdp") spmv_cdp<<<blocks, THREADS>>>(a_, x_, y_, scratch_);
        else if (strategy == "cdp-deterministic") spmv_cdp_deterministic<<<blocks, THREADS>>>(a_, x_, y_, scratch_);
        else if (strategy == "worklist") spmv_worklist<<<blocks, THREADS>>>(a_, x_, y_, scratch_);
        else two_pass(blocks);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end_));
        CHECK(cudaEventSynchronize(end_));

        Result result;
        CHECK(cudaEventElapsedTime(&result.milliseconds, begin_, end_));
        CHECK(cudaMemcpy(&result.launches, scratch_.launches, sizeof(Launches), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&result.ledger, scratch_.ledger, sizeof(HotfireLedger), cudaMemcpyDeviceToHost));
        result.y.resize(rows_);
        CHECK(cudaMemcpy(result.y.data(), y_, rows_ * sizeof(float), cudaMemcpyDeviceToHost));
        result.lost_rows.resize(result.launches.lost);
        if (result.launches.lost)
            CHECK(cudaMemcpy(result.lost_rows.data(), scratch_.lost_rows, result.launches.lost * sizeof(int), cudaMemcpyDeviceToHost));
        return result;
    }

private:
    // The host waits for the list, then launches exactly as many blocks as there are heavy rows.
    void two_pass(int blocks) {
        spmv_light<<<blocks, THREADS>>>(a_, x_, y_, scratch_);
        Launches launches;
        CHECK(cudaMemcpy(&launches, scratch_.launches, sizeof launches, cudaMemcpyDeviceToHost));
        if (launches.heavy) heavy_list<<<launches.heavy, THREADS>>>(a_, x_, y_, scratch_);
    }

    int rows_, heavy_ = 0;
    Csr a_;
    float *x_, *y_;
    Scratch scratch_;
    cudaEvent_t begin_, end_;
};

struct Verdict {
    std::string fault;  // empty when all is well
    double worst = 0;   // the largest error of a row, as a fraction of its bound
};

static Verdict verify(const Matrix& matrix, const Reference& reference, int heavy, const std::string& strategy, const Result& result) {
    const Launches& launches = result.launches;
    bool children = strategy == "cdp" || strategy == "cdp-deterministic", tail = children || strategy == "worklist";
    int heavy_rows = 0;
    for (int row = 0; row < matrix.rows; ++row) heavy_rows += matrix.length(row) > heavy;
    if (launches.children + launches.lost != (children ? heavy_rows : 0)) return {"heavy rows and launches differ"};
    if (launches.tails + launches.lost_tails != (tail ? 1 : 0)) return {"not exactly one tail launch"};
    if (launches.pending != launches.tails) return {"a child grid has not ended"};

    std::vector<char> lost(matrix.rows);
    for (int row : result.lost_rows) {
        if (row < 0 || row >= matrix.rows || lost[row] || matrix.length(row) <= heavy) return {"the list of lost rows is wrong"};
        lost[row] = true;
    }
    Verdict verdict;
    for (int row = 0; row < matrix.rows; ++row) {
        double expected = std::max(reference.sum[row], 0.0), bound = reference.bound[row];
        if (launches.lost_tails) {
            if (strategy == "cdp") expected = reference.sum[row];  // all sums are there, the activation is not
            else lost[row] = matrix.length(row) > heavy;           // it is the tail that stores heavy rows
        }
        if (lost[row]) expected = bound = 0;
        double error = std::fabs(double(result.y[row]) - expected);
        if (!(error <= bound)) {
            char text[160];
            std::snprintf(text, sizeof text, "row %d of %d entries: %.9g, expected %.9g within %.3g", row, matrix.length(row),
                          result.y[row], expected, bound);
            return {text};
        }
        if (bound > 0) verdict.worst = std::max(verdict.worst, error / bound);
    }
    return verdict;
}

// FNV-1a over the bits of the result: equal results have equal digests.
static unsigned long long digest(const std::vector<float>& y) {
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (float value : y) {
        unsigned bits;
        std::memcpy(&bits, &value, 4);
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 255)) * 0x100000001b3ull;
    }
    return hash;
}

int main(int count, char** words) try {
    const std::vector<std::string> all = {"inline", "cdp", "cdp-deterministic", "worklist", "two-pass"};
    Options options = parse(count, words);
    std::vector<std::string> strategies = options.strategy == "all" ? all : std::vector<std::string>{options.strategy};
    if (std::find(all.begin(), all.end(), strategies[0]) == all.end()) usage("no strategy `" + options.strategy + "`");

    Matrix matrix = matrix_of(options);
    if (matrix.rows == 0) throw std::runtime_error(matrix.name + ": no rows");
    std::vector<float> x(matrix.columns);
    Random random{1};
    for (float& value : x) value = random.signed_unit();
    Reference reference(matrix, x);

    int heavy_rows = 0, longest = 0;
    for (int row = 0; row < matrix.rows; ++row) {
        heavy_rows += matrix.length(row) > options.heavy;
        longest = std::max(longest, matrix.length(row));
    }
    // Every heavy row and the tail may be pending at once. The limit is set before the first kernel.
    int bound = heavy_rows + 1;
    std::size_t slots = options.pool ? options.pool : std::max(2048, bound), given;
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, slots));
    CHECK(cudaDeviceGetLimit(&given, cudaLimitDevRuntimePendingLaunchCount));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));

    std::printf("device  %s, sm_%d%d, %d SMs\n", properties.name, properties.major, properties.minor, properties.multiProcessorCount);
    std::printf("matrix  %s: %d x %d, %d entries, longest row %d\n", matrix.name.c_str(), matrix.rows, matrix.columns,
                matrix.entries(), longest);
    std::printf("heavy   %d rows above %d entries: at most %d pending launches\n", heavy_rows, options.heavy, bound);
    std::printf("pool    %zu slots (asked for %zu)\n\n", given, slots);

    Device device(matrix, x, options.heavy);
    bool good = true;
    for (const std::string& strategy : strategies)
        for (int run = 0; run < options.repeat; ++run) {
            Result result = device.run(strategy);
            Verdict verdict = verify(matrix, reference, options.heavy, strategy, result);
            const Launches& launches = result.launches;
            std::printf("%-18s children=%d tails=%d peak=%d lost=%d lost-tails=%d worst=%.3f y=%016llx ms=%.3f %s\n", strategy.c_str(),
                        launches.children, launches.tails, launches.peak, launches.lost, launches.lost_tails, verdict.worst,
                        digest(result.y), result.milliseconds, verdict.fault.empty() ? "ok" : ("WRONG: " + verdict.fault).c_str());
            if (launches.lost || launches.lost_tails)
                std::printf("%-18s lost to %s: %d heavy rows read zero%s\n", "", cudaGetErrorName(cudaError_t(result.ledger.code)),
                            launches.lost, launches.lost_tails ? ", and what the tail does is missing" : "");
            good &= verdict.fault.empty();
        }
    return good ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "spmv: %s\n", error.what());
    return 1;
}
