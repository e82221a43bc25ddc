// Sparse matrices in compressed rows: read from Matrix Market files or generated with a power law of row lengths.
#pragma once
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "inflate.h"

// Steele, Lea and Flood's SplitMix64: the same numbers on every machine.
struct Random {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    int below(int bound) { return int((next() >> 33) % std::uint64_t(bound)); }
    double unit() { return double(next() >> 11) * 0x1p-53; }           // [0, 1)
    float signed_unit() { return float(int(next() >> 40) - (1 << 23)) * 0x1p-23f; }  // [-1, 1), exact in float
};

struct Matrix {
    std::string name;
    int rows = 0, columns = 0;
    std::vector<int> start;   // of each row in the two arrays below, and one past the last
    std::vector<int> column;  // of each entry
    std::vector<float> value;

    int entries() const { return int(column.size()); }
    int length(int row) const { return start[row + 1] - start[row]; }
};

struct Entry {
    int row, column;
    float value;
};

// Rows keep the entries' order; entries of the same place stay apart (they add up in the product).
inline Matrix from_entries(std::string name, int rows, int columns, const std::vector<Entry>& entries) {
    Matrix matrix{std::move(name), rows, columns, std::vector<int>(std::size_t(rows) + 1), {}, {}};
    for (const Entry& entry : entries) ++matrix.start[entry.row + 1];
    for (int row = 0; row < rows; ++row) matrix.start[row + 1] += matrix.start[row];
    matrix.column.resize(entries.size());
    matrix.value.resize(entries.size());
    std::vector<int> next(matrix.start.begin(), matrix.start.end() - 1);
    for (const Entry& entry : entries) {
        int at = next[entry.row]++;
        matrix.column[at] = entry.column;
        matrix.value[at] = entry.value;
    }
    return matrix;
}

// A Matrix Market file in coordinate format, gzip or not: real, integer or pattern (every entry 1); general,
// symmetric or skew-symmetric.
class MarketReader {
public:
    static Matrix read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw std::runtime_error(path + ": cannot be opened");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        try {
            if (gzip::is_gzip(text)) text = gzip::decompress(text);
        } catch (const std::exception& error) {
            throw std::runtime_error(path + ": " + error.what());
        }
        return MarketReader(path, text).parse();
    }

private:
    MarketReader(const std::string& path, const std::string& text) : path_(path), at_(text.c_str()), end_(at_ + text.size()) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " + what);
    }

    std::string line() {
        if (at_ == end_) fail("the file ends early");
        ++line_;
        const char* stop = std::find(at_, end_, '\n');
        std::string line(at_, stop);
        at_ = stop == end_ ? end_ : stop + 1;
        return line;
    }

    static std::vector<std::string> words(const std::string& line) {
        std::vector<std::string> words(1);
        for (char c : line)
            if (!std::isspace((unsigned char)c)) words.back() += char(std::tolower((unsigned char)c));
            else if (!words.back().empty()) words.emplace_back();
        if (words.back().empty()) words.pop_back();
        return words;
    }

    long integer(const char*& at, long low, long high, const char* what) const {
        char* stop;
        long value = std::strtol(at, &stop, 10);
        if (stop == at || value < low || value > high) fail(std::string(what) + " is missing or out of range");
        at = stop;
        return value;
    }

    Matrix parse() {
        std::vector<std::string> banner = words(line());
        if (banner.size() != 5 || banner[0] != "%%matrixmarket" || banner[1] != "matrix" || banner[2] != "coordinate")
            fail("expected a line `%%MatrixMarket matrix coordinate FIELD SYMMETRY`");
        bool pattern = banner[3] == "pattern";
        if (!pattern && banner[3] != "real" && banner[3] != "integer") fail("field `" + banner[3] + "` is not supported");
        bool symmetric = banner[4] == "symmetric", skew = banner[4] == "skew-symmetric";
        if (!symmetric && !skew && banner[4] != "general") fail("symmetry `" + banner[4] + "` is not supported");

        std::string sizes;
        do sizes = line();
        while (sizes.empty() || sizes[0] == '%' || words(sizes).empty());
        const char* at = sizes.c_str();
        int rows = int(integer(at, 0, 1 << 30, "the number of rows"));
        int columns = int(integer(at, 0, 1 << 30, "the number of columns"));
        long count = integer(at, 0, 1 << 30, "the number of entries");
        if ((symmetric || skew) && rows != columns) fail("a symmetric matrix must be square");

        std::vector<Entry> entries;
        // A line has at least four characters, so the file's own size bounds what is reserved.
        entries.reserve(std::min<std::size_t>(count, (end_ - at_) / 4 + 1) * (symmetric || skew ? 2 : 1));
        while (count > 0) {
            std::string text = line();
            at = text.c_str();
            while (std::isspace((unsigned char)*at)) ++at;
            if (*at == 0 || *at == '%') continue;
            --count;
            Entry entry;
            entry.row = int(integer(at, 1, rows, "the row") - 1);
            entry.column = int(integer(at, 1, columns, "the column") - 1);
            entry.value = 1;
            if (!pattern) {
                char* stop;
                entry.value = std::strtof(at, &stop);
                if (stop == at || !std::isfinite(entry.value)) fail("the value is missing or not finite");
            }
            entries.push_back(entry);
            if ((symmetric || skew) && entry.row != entry.column)
                entries.push_back({entry.column, entry.row, skew ? -entry.value : entry.value});
        }
        if (entries.size() > (std::size_t(1) << 30)) fail("more than 2^30 entries");
        std::size_t slash = path_.rfind('/');
        return from_entries(slash == std::string::npos ? path_ : path_.substr(slash + 1), rows, columns, entries);
    }

    std::string path_;
    const char* at_;
    const char* end_;
    long line_ = 0;
};

// Row lengths by a power law, P(length) ~ length^-exponent, but for `hubs` rows of rows/4 to rows/2 entries each.
inline Matrix power_law(int rows, double exponent, int hubs, std::uint64_t seed) {
    Random random{seed};
    const int longest = std::max(1, std::min(rows, 1024));
    std::vector<double> cumulative(longest);
    double total = 0;
    for (int length = 1; length <= longest; ++length) cumulative[length - 1] = total += std::pow(length, -exponent);
    std::vector<int> lengths(rows);
    for (int& length : lengths)
        length = 1 + int(std::lower_bound(cumulative.begin(), cumulative.end() - 1, random.unit() * total) - cumulative.begin());
    for (int hub = 0; hub < hubs && rows > 0; ++hub) lengths[random.below(rows)] = rows / 4 + random.below(rows / 4 + 1);

    std::vector<Entry> entries;
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < lengths[row]; ++i) {
            int column = random.below(rows);
            entries.push_back({row, column, random.signed_unit()});
        }
    if (entries.size() > (std::size_t(1) << 30)) throw std::runtime_error("the generated matrix has more than 2^30 entries");
    return from_entries("power law, seed " + std::to_string(seed), rows, rows, entries);
}
