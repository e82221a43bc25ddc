// The outcomes that small programs have when they run again and again: for each statement of sections 2 to 5 of the launch model that can
// be observed a test with its allowed outcomes (outcomes/*.h; README.md lists statements and tests).
//
// Usage: outcomes [REPETITIONS [MICROSECONDS [PREFIX…]]]: how often, how long a grid waits for what may never come, which tests.
// Each line: test | outcome | count. A line FORBIDDEN test | outcome for one that the statement rules out; the exit code tells too.
//
// build: outcomes -arch=sm_90 -std=c++17 -rdc=true -lcudadevrt
#include "outcomes/blocks.h"
#include "outcomes/dependents.h"
#include "outcomes/graphs.h"
#include "outcomes/pool.h"
#include "outcomes/streams.h"
#include "outcomes/tails.h"
#include "outcomes/test.h"
#include "outcomes/tree.h"

#include <algorithm>
#include <map>
#include <sstream>

static std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> found;
    for (std::string word; stream >> word;) found.push_back(word);
    return found;
}

static std::vector<std::string> split(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    size_t from = 0;
    for (size_t at; (at = text.find(separator, from)) != std::string::npos; from = at + separator.size())
        parts.push_back(text.substr(from, at - from));
    parts.push_back(text.substr(from));
    return parts;
}

static bool is_allowed(const std::string& allowed, const std::string& outcome) {
    if (allowed.rfind("order ", 0) != 0) {
        std::vector<std::string> all = split(allowed, " | ");
        return std::find(all.begin(), all.end(), outcome) != all.end();
    }
    std::vector<std::string> left = words(outcome), known;
    auto place = [&](const std::string& name) { return std::find(left.begin(), left.end(), name) - left.begin(); };
    for (const std::string& rule : words(allowed.substr(6))) {
        std::vector<std::string> names = split(rule, "<");
        for (size_t i = 0; i < names.size(); ++i) {
            if (std::count(left.begin(), left.end(), names[i]) != 1) return false;
            if (i > 0 && place(names[i - 1]) > place(names[i])) return false;
            if (std::find(known.begin(), known.end(), names[i]) == known.end()) known.push_back(names[i]);
        }
    }
    return left.size() == known.size();
}

static void reset() {
    static const State none = {};
    MUST(cudaDeviceSynchronize());
    shared->gate = shared->saw = shared->value = shared->flag = 0;
    MUST(cudaMemcpyToSymbol(state, &none, sizeof none));
    MUST(cudaDeviceSynchronize());
}

static bool run_test(const Test& test, int repetitions) {
    std::map<std::string, int> outcomes;
    for (int i = 0; i < repetitions; ++i) {
        ++turn;
        reset();
        ++outcomes[test.once()];
    }
    bool good = true;
    for (const auto& [outcome, count] : outcomes) {
        std::printf("%s | %s | %d\n", test.name, outcome.c_str(), count);
        if (is_allowed(test.allowed, outcome)) continue;
        good = false;
        std::printf("FORBIDDEN %s | %s (section %s allows %s)\n", test.name, outcome.c_str(), test.statement, test.allowed);
    }
    std::fflush(stdout);
    return good;
}

int main(int argc, char** argv) {
    // A kernel's first launch may wait for what runs, unless all are loaded before.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int repetitions = argc > 1 ? std::atoi(argv[1]) : 10;
    unsigned long long wait = argc > 2 ? std::strtoull(argv[2], nullptr, 10) * 1000 : 50'000;
    unsigned long long long_wait = 2'000'000'000;
    MUST(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, SLOTS));
    MUST(cudaMemcpyToSymbol(limit, &wait, sizeof wait));
    MUST(cudaMemcpyToSymbol(patience, &long_wait, sizeof long_wait));
    MUST(cudaMallocHost(&shared, sizeof *shared));
    for (cudaStream_t* stream : {&first, &second}) MUST(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    bool good = true;
    // Only by name: what is forbidden here happens, so that one sees that the program would tell.
    const std::vector<Test> wrong = {{"2.2", "WRONG-list", same_stream, "2 1"},
                                     {"2.2", "WRONG-order", same_stream, "order 2<1"},
                                     {"2.2", "WRONG-number", same_stream, "order 1<2 3"}};
    for (const auto& tests : {stream_tests(), block_tests(), tree_tests(), tail_tests(), pool_tests(), dependent_tests(),
                              graph_tests(), wrong})
        for (const Test& test : tests) {
            bool chosen = argc <= 3 && std::string(test.name).rfind("WRONG", 0) != 0;
            for (int i = 3; i < argc; ++i) chosen |= std::string(test.name).rfind(argv[i], 0) == 0;
            if (chosen) good &= run_test(test, repetitions);
        }
    return good ? 0 : 1;
}
