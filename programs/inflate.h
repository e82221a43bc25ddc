// Decompression of gzip files (RFC 1952) and the deflate streams inside them (RFC 1951): enough to read a
// compressed matrix without another library. Damaged input throws std::runtime_error.
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gzip {

// The bits of a deflate stream, least significant first.
class Bits {
public:
    Bits(const unsigned char* at, const unsigned char* end) : at_(at), end_(end) {}

    unsigned take(int count) {
        while (held_ < count) {
            if (at_ == end_) throw std::runtime_error("gzip: the file ends in the middle of the data");
            window_ |= std::uint64_t(*at_++) << held_;
            held_ += 8;
        }
        unsigned bits = unsigned(window_ & ((std::uint64_t(1) << count) - 1));
        window_ >>= count;
        held_ -= count;
        return bits;
    }

    // Drops what is left of the current byte. At most 7 bits are ever held across a call of `take`.
    const unsigned char* align() {
        window_ = 0;
        held_ = 0;
        return at_;
    }

    void skip_to(const unsigned char* at) { at_ = at; }
    const unsigned char* end() const { return end_; }

private:
    const unsigned char* at_;
    const unsigned char* end_;
    std::uint64_t window_ = 0;
    int held_ = 0;
};

// A canonical prefix code: how many codes there are of each length, and their symbols in order of the codes.
class Code {
public:
    Code(const unsigned char* lengths, int symbols) {
        for (int i = 0; i < symbols; ++i) ++count_[lengths[i]];
        count_[0] = 0;
        int left = 1;
        for (int length = 1; length <= 15; ++length) {
            left = 2 * left - count_[length];
            if (left < 0) throw std::runtime_error("gzip: a prefix code has too many codes");
        }
        std::array<int, 16> next{};
        for (int length = 1; length < 15; ++length) next[length + 1] = next[length] + count_[length];
        symbols_.resize(symbols);
        for (int i = 0; i < symbols; ++i)
            if (lengths[i]) symbols_[next[lengths[i]]++] = i;
    }

    int decode(Bits& bits) const {
        int code = 0, first = 0, index = 0;
        for (int length = 1; length <= 15; ++length) {
            code |= int(bits.take(1));
            if (code - first < count_[length]) return symbols_[index + code - first];
            index += count_[length];
            first = (first + count_[length]) << 1;
            code <<= 1;
        }
        throw std::runtime_error("gzip: a bit sequence is no code");
    }

private:
    std::array<int, 16> count_{};
    std::vector<int> symbols_;
};

inline void copy_back(std::string& out, std::size_t distance, int length) {
    if (distance > out.size()) throw std::runtime_error("gzip: a copy from before the start");
    for (std::size_t from = out.size() - distance; length-- > 0; ++from) out.push_back(out[from]);
}

inline void compressed(Bits& bits, const Code& literals, const Code& distances, std::string& out) {
    static const int base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                               31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    for (;;) {
        int symbol = literals.decode(bits);
        if (symbol == 256) return;
        if (symbol < 256) {
            out.push_back(char(symbol));
            continue;
        }
        if (symbol > 285) throw std::runtime_error("gzip: a length that does not exist");
        int length = base[symbol - 257] + int(bits.take(extra[symbol - 257]));
        int step = distances.decode(bits);
        if (step > 29) throw std::runtime_error("gzip: a distance that does not exist");
        int more = step < 4 ? 0 : step / 2 - 1;
        std::size_t distance = step < 4 ? step + 1 : ((2 + (step & 1)) << more) + 1;
        copy_back(out, distance + bits.take(more), length);
    }
}

inline void fixed(Bits& bits, std::string& out) {
    unsigned char lengths[288], distances[32];
    for (int i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    for (unsigned char& length : distances) length = 5;
    compressed(bits, Code(lengths, 288), Code(distances, 32), out);
}

inline void dynamic(Bits& bits, std::string& out) {
    static const int order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int literals = int(bits.take(5)) + 257, distances = int(bits.take(5)) + 1, shown = int(bits.take(4)) + 4;
    unsigned char of_lengths[19] = {}, lengths[320] = {};
    for (int i = 0; i < shown; ++i) of_lengths[order[i]] = (unsigned char)bits.take(3);
    Code code(of_lengths, 19);
    for (int i = 0; i < literals + distances;) {
        int symbol = code.decode(bits), repeat = 1;
        unsigned char length = (unsigned char)symbol;
        if (symbol == 16) {
            if (i == 0) throw std::runtime_error("gzip: a repetition of nothing");
            length = lengths[i - 1];
            repeat = 3 + int(bits.take(2));
        } else if (symbol > 16) {
            length = 0;
            repeat = symbol == 17 ? 3 + int(bits.take(3)) : 11 + int(bits.take(7));
        }
        if (i + repeat > literals + distances) throw std::runtime_error("gzip: too many code lengths");
        while (repeat-- > 0) lengths[i++] = length;
    }
    compressed(bits, Code(lengths, literals), Code(lengths + literals, distances), out);
}

inline void stored(Bits& bits, std::string& out) {
    const unsigned char* at = bits.align();
    if (bits.end() - at < 4) throw std::runtime_error("gzip: the file ends in the middle of the data");
    std::size_t length = at[0] | at[1] << 8;
    if (std::size_t(bits.end() - at) < 4 + length) throw std::runtime_error("gzip: the file ends in the middle of the data");
    out.append(reinterpret_cast<const char*>(at) + 4, length);
    bits.skip_to(at + 4 + length);
}

inline std::uint32_t crc(const std::string& data) {
    std::uint32_t table[256];
    for (std::uint32_t i = 0; i < 256; ++i) {
        table[i] = i;
        for (int k = 0; k < 8; ++k) table[i] = table[i] & 1 ? 0xedb88320u ^ (table[i] >> 1) : table[i] >> 1;
    }
    std::uint32_t value = ~0u;
    for (unsigned char byte : data) value = table[(value ^ byte) & 255] ^ (value >> 8);
    return ~value;
}

inline bool is_gzip(const std::string& file) { return file.size() > 2 && file[0] == '\x1f' && file[1] == '\x8b'; }

// The content of a gzip file of one member.
inline std::string decompress(const std::string& file) {
    const auto* at = reinterpret_cast<const unsigned char*>(file.data());
    const auto* end = at + file.size();
    if (file.size() < 18 || at[2] != 8) throw std::runtime_error("gzip: not a deflate file");
    int flags = at[3];
    at += 10;
    auto need = [&](std::ptrdiff_t bytes) {
        if (end - at < bytes) throw std::runtime_error("gzip: the file ends in its header");
    };
    if (flags & 4) {
        need(2);
        std::ptrdiff_t length = 2 + (at[0] | at[1] << 8);
        need(length);
        at += length;
    }
    for (int text : {8, 16}) {  // the file's name, a comment
        if (!(flags & text)) continue;
        do need(1);
        while (*at++);
    }
    if (flags & 2) need(2), at += 2;

    Bits bits(at, end);
    std::string out;
    for (bool last = false; !last;) {
        last = bits.take(1);
        switch (bits.take(2)) {
            case 0: stored(bits, out); break;
            case 1: fixed(bits, out); break;
            case 2: dynamic(bits, out); break;
            default: throw std::runtime_error("gzip: a block of an unknown kind");
        }
    }
    at = bits.align();
    need(8);
    std::uint32_t expected = at[0] | at[1] << 8 | at[2] << 16 | std::uint32_t(at[3]) << 24;
    if (crc(out) != expected) throw std::runtime_error("gzip: the checksum is wrong");
    return out;
}

}  // namespace gzip
