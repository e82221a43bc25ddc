// What the programs share that run one algorithm over ten data types and many sizes: the types, input of any size for each,
// arrays on the device, the arguments `[TYPE|all [SIZE,…|all]]`, and one line a case.
//
// Sums are exact in every type and in every order, so that results can be compared bit for bit: see `addend`.
#pragma once
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr size_t SIZES[] = {0, 1, 31, 32, 33, 1000, 100003, 1000000, 10000000};

template <class T> const char* const NAME = nullptr;
template <> inline const char* const NAME<int8_t> = "int8";
template <> inline const char* const NAME<uint8_t> = "uint8";
template <> inline const char* const NAME<int16_t> = "int16";
template <> inline const char* const NAME<__half> = "half";
template <> inline const char* const NAME<int32_t> = "int32";
template <> inline const char* const NAME<uint32_t> = "uint32";
template <> inline const char* const NAME<float> = "float";
template <> inline const char* const NAME<int64_t> = "int64";
template <> inline const char* const NAME<uint64_t> = "uint64";
template <> inline const char* const NAME<double> = "double";

template <class T> constexpr bool IS_FLOAT = std::is_floating_point<T>::value || std::is_same<T, __half>::value;

// The order of values, on the host: `__half` by way of float, which holds each of its values.
template <class T> bool less(T a, T b) { return a < b; }
template <> inline bool less(__half a, __half b) { return __half2float(a) < __half2float(b); }

// Alike in every bit.
template <class T> bool same(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class T> bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A number that depends on all of seed and i.
inline uint64_t random(uint64_t seed, uint64_t i) {
    uint64_t z = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// A small whole number as a T.
template <class T> T from(int value) { return T(value); }
template <> inline __half from<__half>(int value) { return __float2half_rn(float(value)); }

// Any value of T but NaN, which has no place in an order; zeros of both signs and infinities are among them.
template <class T> T any(uint64_t seed, uint64_t i) {
    uint64_t bits = random(seed, i);
    constexpr int mantissa = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
    if (IS_FLOAT<T>) {
        uint64_t sign = 1ull << (8 * sizeof(T) - 1), exponent = sign - (1ull << mantissa);
        if (i % 61 == 0) bits &= sign;
        if ((bits & exponent) == exponent) bits &= ~((1ull << mantissa) - 1);
    }
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// One of few values, so that neighbours are often equal.
template <class T> T few(uint64_t seed, uint64_t i) { return from<T>(int(random(seed, i) % 3)); }

// A summand of one of n whose every partial sum, in whatever order, is exact: -1, 0 or 1 in floating point, with no more than
// about a thousand that are not 0 in half precision, whose whole numbers end at 2048.
template <class T> T addend(uint64_t seed, uint64_t i, size_t n) {
    uint64_t number = random(seed, i);
    if (std::is_same<T, __half>::value && n > 1000 && number % (n / 1000) != 0) return from<T>(0);
    if (IS_FLOAT<T>) return from<T>(int((number >> 40) % 3) - 1);
    return from<T>(int((number >> 40) % 201) - (T(-1) < T(0) ? 100 : 0));
}

template <class T, class F> std::vector<T> fill(size_t n, F value) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = value(i);
    return values;
}

// An array on the device. Behind it lie bytes that must stay as they are.
template <class T> class Array {
    static constexpr size_t GUARD = 64;
    T* start = nullptr;
    size_t length;
    Array(const Array&) = delete;
    void operator=(const Array&) = delete;

  public:
    explicit Array(size_t n) : length(n) {
        CHECK(cudaMalloc(&start, n * sizeof(T) + GUARD));
        CHECK(cudaMemset(start, 0xa5, n * sizeof(T) + GUARD));
    }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        CHECK(cudaMemcpy(start, values.data(), length * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Array() { CHECK(cudaFree(start)); }
    T* get() const { return start; }
    T* end() const { return start + length; }

    // The first n elements, after the device has done all its work.
    std::vector<T> read(size_t n) const {
        CHECK(cudaDeviceSynchronize());
        std::vector<T> values(n);
        unsigned char guard[GUARD];
        CHECK(cudaMemcpy(values.data(), start, n * sizeof(T), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(guard, end(), GUARD, cudaMemcpyDeviceToHost));
        for (unsigned char byte : guard) {
            if (byte != 0xa5) {
                std::printf("written past the end WRONG\n");
                std::exit(1);
            }
        }
        return values;
    }
    std::vector<T> read() const { return read(length); }
};

// What one case says: prints the line of a check that fails, and knows whether all were right.
class Verdict {
    std::string text;
    bool good = true;

  public:
    explicit Verdict(std::string text) : text(std::move(text)) {}
    void expect(bool right, const char* what) {
        if (!right) std::printf("%s: %s WRONG\n", text.c_str(), what);
        good &= right;
    }
    bool done() const {
        if (good) std::printf("%s ok\n", text.c_str());
        std::fflush(stdout);
        return good;
    }
};

// Runs `Case<T>::run(n, verdict)` for each chosen type of `Types` and each chosen size; the exit code of the program.
template <template <class> class Case, class... Types> int run_cases(int count, char** arguments) {
    std::string type = count > 1 ? arguments[1] : "all", sizes = count > 2 ? arguments[2] : "all";
    int ran = 0, wrong = 0;
    auto one = [&](const char* name, auto run) {
        if (type != "all" && type != name) return;
        for (size_t n : SIZES) {
            if (sizes != "all" && ("," + sizes + ",").find("," + std::to_string(n) + ",") == std::string::npos) continue;
            Verdict verdict(std::string(name) + " " + std::to_string(n));
            run(n, verdict);
            ++ran;
            wrong += !verdict.done();
        }
    };
    (one(NAME<Types>, Case<Types>::run), ...);
    std::printf("%d cases, %d wrong\n", ran, wrong);
    if (ran == 0) std::fprintf(stderr, "usage: %s [TYPE|all [SIZE,...|all]]\n", arguments[0]);
    return ran > 0 && wrong == 0 ? 0 : 1;
}

// The types of one width are one program, so that each compiles in less than a minute: `WIDTH` stands in the build lines.
#if WIDTH == 8
#define TYPES int8_t, uint8_t
#elif WIDTH == 16
#define TYPES int16_t, __half
#elif WIDTH == 32
#define TYPES int32_t, uint32_t, float
#elif WIDTH == 64
#define TYPES int64_t, uint64_t, double
#endif
