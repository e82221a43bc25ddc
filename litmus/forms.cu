// What single instructions compute: inline PTX on values at the edges of their types, a hash of all results to a line. Forms of integers and
// floats with an explicit rounding must agree bit for bit; lines that begin with "approx" are of instructions that are only as exact as their
// manual says, those that begin with "sum" show how products of small floats are added (raw bits).
// Usage: forms
//
// build: forms -arch=sm_90 -std=c++17
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define MUST(call)                                                                                  \
    do {                                                                                            \
        cudaError_t error = (call);                                                                 \
        if (error != cudaSuccess) {                                                                 \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));             \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;
#define L_u16 "h"
#define L_u32 "r"
#define L_u64 "l"

// How a NaN counts: all alike for results of some types.
enum Nan { NONE, F32, F64 };

// Instructions: how NaNs count, types of the result and of three sources, text.
#define FORMS(X)                                                                                    \
    X(NONE, u32, u32, u32, u32, "add.sat.s32 %0, %1, %2;")                                          \
    X(NONE, u32, u32, u32, u32, "sub.sat.s32 %0, %1, %2;")                                          \
    X(NONE, u32, u32, u32, u32, "add.cc.u32 %0, %1, %2; addc.u32 %0, %3, %3;")                      \
    X(NONE, u32, u32, u32, u32, "sub.cc.u32 %0, %1, %2; subc.u32 %0, %3, %1;")                      \
    X(NONE, u64, u64, u64, u64, "add.cc.u64 %0, %1, %2; addc.u64 %0, %3, %3;")                      \
    X(NONE, u32, u32, u32, u32, "mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, %0;")        \
    X(NONE, u32, u32, u32, u32, "mul.hi.s32 %0, %1, %2;")                                           \
    X(NONE, u32, u32, u32, u32, "mul.hi.u32 %0, %1, %2;")                                           \
    X(NONE, u64, u64, u64, u64, "mul.hi.s64 %0, %1, %2;")                                           \
    X(NONE, u64, u64, u64, u64, "mul.hi.u64 %0, %1, %2;")                                           \
    X(NONE, u64, u32, u32, u32, "mul.wide.s32 %0, %1, %2;")                                         \
    X(NONE, u64, u32, u32, u64, "mad.wide.u32 %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "mad.hi.sat.s32 %0, %1, %2, %3;")                                   \
    X(NONE, u32, u32, u32, u32, "mul24.hi.s32 %0, %1, %2;")                                         \
    X(NONE, u32, u32, u32, u32, "mad24.lo.u32 %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "mad24.hi.sat.s32 %0, %1, %2, %3;")                                 \
    X(NONE, u32, u32, u32, u32, "sad.s32 %0, %1, %2, %3;")                                          \
    X(NONE, u64, u64, u64, u64, "sad.u64 %0, %1, %2, %3;")                                          \
    X(NONE, u32, u32, u32, u32, "div.s32 %0, %1, %2;")                                              \
    X(NONE, u32, u32, u32, u32, "rem.s32 %0, %1, %2;")                                              \
    X(NONE, u64, u64, u64, u64, "div.u64 %0, %1, %2;")                                              \
    X(NONE, u64, u64, u64, u64, "rem.s64 %0, %1, %2;")                                              \
    X(NONE, u16, u16, u16, u16, "mul.hi.s16 %0, %1, %2;")                                           \
    X(NONE, u32, u32, u32, u32, "abs.s32 %0, %1;")                                                  \
    X(NONE, u32, u32, u32, u32, "min.s16x2 %0, %1, %2;")                                            \
    X(NONE, u32, u32, u32, u32, "max.relu.s16x2 %0, %1, %2;")                                       \
    X(NONE, u32, u32, u32, u32, "min.relu.s32 %0, %1, %2;")                                         \
    X(NONE, u32, u32, u32, u32, "add.u16x2 %0, %1, %2;")                                            \
    X(NONE, u32, u64, u64, u64, "popc.b64 %0, %1;")                                                 \
    X(NONE, u32, u64, u64, u64, "clz.b64 %0, %1;")                                                  \
    X(NONE, u32, u32, u32, u32, "bfind.s32 %0, %1;")                                                \
    X(NONE, u32, u32, u32, u32, "bfind.shiftamt.u32 %0, %1;")                                       \
    X(NONE, u32, u64, u64, u64, "bfind.s64 %0, %1;")                                                \
    X(NONE, u32, u32, u32, u32, "{.reg .b32 x, y; and.b32 x, %2, 31; bfe.s32 y, %3, 0, 6; fns.b32 %0, %1, x, y;}") \
    X(NONE, u64, u64, u64, u64, "brev.b64 %0, %1;")                                                 \
    X(NONE, u32, u32, u32, u32, "bfe.s32 %0, %1, %2, %3;")                                          \
    X(NONE, u64, u64, u32, u32, "bfe.u64 %0, %1, %2, %3;")                                          \
    X(NONE, u64, u64, u32, u32, "bfe.s64 %0, %1, %2, %3;")                                          \
    X(NONE, u32, u32, u32, u32, "bfi.b32 %0, %1, 0x5a5a5a5a, %2, %3;")                              \
    X(NONE, u32, u32, u32, u32, "szext.clamp.s32 %0, %1, %2;")                                      \
    X(NONE, u32, u32, u32, u32, "szext.wrap.u32 %0, %1, %2;")                                       \
    X(NONE, u32, u32, u32, u32, "bmsk.clamp.b32 %0, %1, %2;")                                       \
    X(NONE, u32, u32, u32, u32, "bmsk.wrap.b32 %0, %1, %2;")                                        \
    X(NONE, u32, u32, u32, u32, "dp4a.s32.u32 %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "dp4a.u32.u32 %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "dp2a.hi.s32.s32 %0, %1, %2, %3;")                                  \
    X(NONE, u32, u32, u32, u32, "lop3.b32 %0, %1, %2, %3, 0x9c;")                                   \
    X(NONE, u32, u32, u32, u32, "shf.l.clamp.b32 %0, %1, %2, %3;")                                  \
    X(NONE, u32, u32, u32, u32, "shf.r.wrap.b32 %0, %1, %2, %3;")                                   \
    X(NONE, u32, u32, u32, u32, "shr.s32 %0, %1, %2;")                                              \
    X(NONE, u64, u64, u32, u32, "shl.b64 %0, %1, %2;")                                              \
    X(NONE, u16, u16, u32, u32, "shr.s16 %0, %1, %2;")                                              \
    X(NONE, u32, u32, u32, u32, "prmt.b32 %0, %1, %2, %3;")                                         \
    X(NONE, u32, u32, u32, u32, "prmt.b32.f4e %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "prmt.b32.ecl %0, %1, %2, %3;")                                     \
    X(NONE, u32, u32, u32, u32, "prmt.b32.rc16 %0, %1, %2, %3;")                                    \
    X(NONE, u32, u32, u32, u32, "cnot.b32 %0, %1;")                                                 \
    X(NONE, u32, u32, u32, u32, "vadd.s32.u32.s32.sat %0, %1, %2;")                                 \
    X(NONE, u32, u32, u32, u32, "vabsdiff.u32.s32.s32.add %0, %1, %2, %3;")                         \
    X(NONE, u32, u32, u32, u32, "vadd2.s32.s32.s32.sat %0, %1, %2, %3;")                            \
    X(NONE, u32, u32, u32, u32, "vavrg2.s32.s32.s32 %0, %1, %2, %3;")                               \
    X(NONE, u32, u32, u32, u32, "vavrg4.u32.u32.u32 %0, %1, %2, %3;")                               \
    X(NONE, u32, u32, u32, u32, "vabsdiff4.u32.s32.s32.add %0, %1, %2, %3;")                        \
    X(NONE, u32, u32, u32, u32, "vsub4.s32.u32.u32.sat %0, %1, %2, %3;")                            \
    X(NONE, u32, u32, u32, u32, "vmax2.s32.s32.s32.add %0, %1, %2, %3;")                            \
    X(F32, u32, u32, u32, u32, "add.rn.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "add.rz.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "sub.rm.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "add.rp.ftz.f32 %0, %1, %2;")                                        \
    X(F32, u32, u32, u32, u32, "add.rn.sat.f32 %0, %1, %2;")                                        \
    X(F32, u32, u32, u32, u32, "mul.rn.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "mul.rm.ftz.f32 %0, %1, %2;")                                        \
    X(F32, u32, u32, u32, u32, "fma.rn.f32 %0, %1, %2, %3;")                                        \
    X(F32, u32, u32, u32, u32, "fma.rz.f32 %0, %1, %2, %3;")                                        \
    X(F32, u32, u32, u32, u32, "fma.rp.ftz.sat.f32 %0, %1, %2, %3;")                                \
    X(F32, u32, u32, u32, u32, "div.rn.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "div.rz.f32 %0, %1, %2;")                                            \
    X(F32, u32, u32, u32, u32, "div.rp.ftz.f32 %0, %1, %2;")                                        \
    X(F32, u32, u32, u32, u32, "rcp.rn.f32 %0, %1;")                                                \
    X(F32, u32, u32, u32, u32, "rcp.rm.f32 %0, %1;")                                                \
    X(F32, u32, u32, u32, u32, "sqrt.rn.f32 %0, %1;")                                               \
    X(F32, u32, u32, u32, u32, "sqrt.rp.f32 %0, %1;")                                               \
    X(F32, u32, u32, u32, u32, "min.f32 %0, %1, %2;")                                               \
    X(F32, u32, u32, u32, u32, "max.NaN.xorsign.abs.f32 %0, %1, %2;")                               \
    X(F32, u32, u32, u32, u32, "min.ftz.NaN.f32 %0, %1, %2;")                                       \
    X(F32, u32, u32, u32, u32, "copysign.f32 %0, %1, %2;")                                          \
    X(NONE, u32, u32, u32, u32, "{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}") \
    X(NONE, u32, u32, u32, u32, "{.reg .pred p; setp.leu.ftz.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}") \
    X(NONE, u32, u32, u32, u32, "set.gtu.s32.f32 %0, %1, %2;")                                      \
    X(F64, u64, u64, u64, u64, "add.rn.f64 %0, %1, %2;")                                            \
    X(F64, u64, u64, u64, u64, "sub.rz.f64 %0, %1, %2;")                                            \
    X(F64, u64, u64, u64, u64, "mul.rm.f64 %0, %1, %2;")                                            \
    X(F64, u64, u64, u64, u64, "fma.rn.f64 %0, %1, %2, %3;")                                        \
    X(F64, u64, u64, u64, u64, "fma.rp.f64 %0, %1, %2, %3;")                                        \
    X(F64, u64, u64, u64, u64, "div.rn.f64 %0, %1, %2;")                                            \
    X(F64, u64, u64, u64, u64, "div.rm.f64 %0, %1, %2;")                                            \
    X(F64, u64, u64, u64, u64, "rcp.rz.f64 %0, %1;")                                                \
    X(F64, u64, u64, u64, u64, "sqrt.rn.f64 %0, %1;")                                               \
    X(F64, u64, u64, u64, u64, "sqrt.rm.f64 %0, %1;")                                               \
    X(F64, u64, u64, u64, u64, "max.f64 %0, %1, %2;")                                               \
    X(NONE, u16, u16, u16, u16, "add.rn.f16 %0, %1, %2;")                                           \
    X(NONE, u16, u16, u16, u16, "fma.rn.f16 %0, %1, %2, %3;")                                       \
    X(NONE, u16, u16, u16, u16, "fma.rn.relu.bf16 %0, %1, %2, %3;")                                 \
    X(NONE, u32, u32, u32, u32, "add.rn.f16x2 %0, %1, %2;")                                         \
    X(NONE, u32, u32, u32, u32, "add.rn.ftz.sat.f16x2 %0, %1, %2;")                                 \
    X(NONE, u32, u32, u32, u32, "mul.rn.f16x2 %0, %1, %2;")                                         \
    X(NONE, u32, u32, u32, u32, "fma.rn.ftz.f16x2 %0, %1, %2, %3;")                                 \
    X(NONE, u32, u32, u32, u32, "fma.rn.bf16x2 %0, %1, %2, %3;")                                    \
    X(NONE, u32, u32, u32, u32, "mul.rn.bf16x2 %0, %1, %2;")                                        \
    X(NONE, u32, u32, u32, u32, "min.NaN.f16x2 %0, %1, %2;")                                        \
    X(NONE, u32, u32, u32, u32, "max.xorsign.abs.bf16x2 %0, %1, %2;")                               \
    X(NONE, u32, u32, u32, u32, "set.ltu.u32.f16x2 %0, %1, %2;")                                    \
    X(NONE, u32, u32, u32, u32, "cvt.rni.s32.f32 %0, %1;")                                          \
    X(NONE, u32, u32, u32, u32, "cvt.rzi.ftz.u32.f32 %0, %1;")                                      \
    X(NONE, u64, u32, u32, u32, "cvt.rmi.s64.f32 %0, %1;")                                          \
    X(NONE, u32, u64, u64, u64, "cvt.rpi.s32.f64 %0, %1;")                                          \
    X(NONE, u64, u64, u64, u64, "cvt.rzi.u64.f64 %0, %1;")                                          \
    X(F32, u32, u32, u32, u32, "cvt.rm.f32.s32 %0, %1;")                                            \
    X(F32, u32, u64, u64, u64, "cvt.rz.f32.u64 %0, %1;")                                            \
    X(F64, u64, u64, u64, u64, "cvt.rp.f64.s64 %0, %1;")                                            \
    X(F32, u32, u64, u64, u64, "cvt.rn.f32.f64 %0, %1;")                                            \
    X(F32, u32, u64, u64, u64, "cvt.rz.ftz.f32.f64 %0, %1;")                                        \
    X(F64, u64, u32, u32, u32, "cvt.ftz.f64.f32 %0, %1;")                                           \
    X(F32, u32, u32, u32, u32, "cvt.rpi.f32.f32 %0, %1;")                                           \
    X(NONE, u16, u32, u32, u32, "cvt.rn.f16.f32 %0, %1;")                                           \
    X(NONE, u16, u32, u32, u32, "cvt.rz.f16.f32 %0, %1;")                                           \
    X(NONE, u16, u64, u64, u64, "cvt.rn.f16.f64 %0, %1;")                                           \
    X(F32, u32, u16, u16, u16, "cvt.f32.f16 %0, %1;")                                               \
    X(F64, u64, u16, u16, u16, "cvt.f64.f16 %0, %1;")                                               \
    X(NONE, u32, u32, u32, u32, "cvt.rn.f16x2.f32 %0, %1, %2;")                                     \
    X(NONE, u32, u32, u32, u32, "cvt.rn.relu.bf16x2.f32 %0, %1, %2;")                               \
    X(NONE, u32, u32, u32, u32, "cvt.rz.bf16x2.f32 %0, %1, %2;")                                    \
    X(NONE, u32, u32, u32, u32, "cvt.rna.tf32.f32 %0, %1;")                                         \
    X(NONE, u16, u32, u32, u32, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;")                          \
    X(NONE, u16, u32, u32, u32, "cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;")                     \
    X(NONE, u16, u32, u32, u32, "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;")                            \
    X(NONE, u32, u16, u16, u16, "cvt.rn.f16x2.e4m3x2 %0, %1;")                                      \
    X(NONE, u32, u16, u16, u16, "cvt.rn.f16x2.e5m2x2 %0, %1;")                                      \
    X(NONE, u32, u32, u32, u32, "cvt.sat.s8.s32 %0, %1;")                                           \
    X(NONE, u32, u64, u64, u64, "cvt.sat.u16.s64 %0, %1;")

// Approximations: the largest error, in units of the last place, against what doubles say.
#define APPROXIMATE(X)                                                                              \
    X("rcp.approx.f32", 1 / x)                                                                      \
    X("rsqrt.approx.f32", 1 / std::sqrt(x))                                                         \
    X("sqrt.approx.f32", std::sqrt(x))                                                              \
    X("lg2.approx.f32", std::log2(x))                                                               \
    X("ex2.approx.f32", std::exp2(x))                                                               \
    X("sin.approx.f32", std::sin(x))                                                                \
    X("cos.approx.f32", std::cos(x))                                                                \
    X("tanh.approx.f32", std::tanh(x))

// Atomics, each on 16 bytes of its own: old and new contents count. Operand of 64 bits, its halves as vectors.
#define ATOMICS(X)                                                                                  \
    X(F32, "{.reg .f32 f; mov.b32 f, %2; atom.global.add.f32 f, [%1], f; mov.b32 %0, f;}")          \
    X(F64, "{.reg .f64 f; .reg .b64 l; mov.b64 f, %3; atom.global.add.f64 f, [%1], f; mov.b64 l, f; cvt.u32.u64 %0, l;}") \
    X(NONE, "atom.global.inc.u32 %0, [%1], %2;")                                                    \
    X(NONE, "atom.global.dec.u32 %0, [%1], %2;")                                                    \
    X(NONE, "atom.global.min.s32 %0, [%1], %2;")                                                    \
    X(NONE, "atom.global.max.u32 %0, [%1], %2;")                                                    \
    X(NONE, "atom.global.cas.b32 %0, [%1], 0, %2;")                                                 \
    X(NONE, "{.reg .b64 l; atom.global.max.s64 l, [%1], %3; cvt.u32.u64 %0, l;}")                   \
    X(NONE, "atom.global.add.noftz.f16x2 %0, [%1], %2;")                                            \
    X(NONE, "atom.global.add.noftz.bf16x2 %0, [%1], %2;")                                           \
    X(NONE, "{.reg .b16 a, b; mov.b32 {a, b}, %2; atom.global.add.noftz.f16 a, [%1], b; cvt.u32.u16 %0, a;}") \
    X(F32, "{.reg .f32 a, b, c, d; mov.b64 {a, b}, %3; atom.global.add.v2.f32 {c, d}, [%1], {a, b}; mov.b32 %0, d;}") \
    X(NONE, "{.reg .b32 a, b, c, d; mov.b64 {a, b}, %3; atom.global.add.noftz.v2.f16x2 {c, d}, [%1], {a, b}; mov.b32 %0, d;}") \
    X(NONE, "{.reg .b16 a, b, c, d, e, f, g, h; mov.b64 {a, b, c, d}, %3; atom.global.max.noftz.v4.bf16 {e, f, g, h}, [%1], {a, b, c, d}; cvt.u32.u16 %0, h;}") \
    X(NONE, "{.reg .b128 a, b, c; .reg .b64 l, h; mov.b128 a, {%3, %3}; mov.b128 b, {0, 0}; atom.global.cas.b128 c, [%1], b, a; mov.b128 {l, h}, c; cvt.u32.u64 %0, h;}") \
    X(NONE, "{.reg .b128 a, c; .reg .b64 l, h; mov.b128 a, {%3, %1}; atom.global.exch.b128 c, [%1], a; mov.b128 {l, h}, c; cvt.u32.u64 %0, l; st.global.u64 [%1+8], l;}")

__device__ u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Values at the edges, by number; beyond those any bits.
constexpr int EDGES = 96;
__device__ u64 edge(int n, int bits) {
    n %= EDGES;
    u64 top = 1ull << (bits - 1);
    switch (n) {
        case 0: return 0;
        case 1: return 1;
        case 2: return top;
        case 3: return top - 1;
        case 4: return ~0ull;
        case 5: return top + 1;
        case 6: return 31;
        case 7: return 32;
        case 8: return 33;
        case 9: return 0x5555555555555555ull;
    }
    // Of floats: zero, smallest, largest subnormal, smallest normal, one, infinity, NaN, and near them.
    const u64 f16s[] = {0x0001, 0x03ff, 0x0400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e01, 0x3800, 0x4248, 0x0080, 0x3f80, 0x7f7f, 0x7f80};
    const u64 f32s[] = {0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00001, 0x3f000000,
                        0x4b800000, 0x4f000000, 0x33800000, 0x3effffff, 0x40490fdb};
    const u64 f64s[] = {1, 0x000fffffffffffffull, 0x0010000000000000ull, 0x3ff0000000000000ull, 0x3ff0000000000001ull,
                        0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7ff8000000000001ull, 0x3fe0000000000000ull,
                        0x4340000000000001ull, 0x41e0000000000000ull, 0x43e0000000000000ull, 0x3810000000000000ull, 0x3690000000000000ull};
    if (n < 38) {
        int at = (n - 10) / 2;
        u64 value = bits == 64 ? f64s[at] : bits == 32 ? f32s[at] : f16s[at];
        return n & 1 ? value | top : value;
    }
    u64 any = mix(n * 1000003ull + bits);
    // Some in the middle, so that they meet.
    if (n < 70 && bits == 32) return (any & 0x807fffff) | (u64)(112 + any % 32) << 23;
    if (n < 70 && bits == 64) return (any & 0x800fffffffffffffull) | (1008 + any % 32) << 52;
    return any;
}

template <class T>
__device__ T value(int n) {
    u64 bits = edge(n, 8 * sizeof(T));
    // Two halves of different edges.
    if (sizeof(T) == 4 && n % 5 == 4) bits = edge(n * 7 + 1, 16) << 16 | (edge(n, 16) & 0xffff);
    return T(bits);
}

__device__ u64 counted(int nan, u64 bits) {
    if (nan == F32 && (u32(bits) & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
    if (nan == F64 && (bits & ~(1ull << 63)) > 0x7ff0000000000000ull) return ~0ull >> 1;
    return bits;
}

__device__ u64 evaluate(int form, int i, int j, int k) {
    constexpr int FIRST = __COUNTER__ + 1;
    switch (form) {
#define X(nan, D, A, B, C, text)                                                                    \
    case __COUNTER__ - FIRST: {                                                                     \
        D d = 0;                                                                                    \
        A a = value<A>(i);                                                                          \
        B b = value<B>(j);                                                                          \
        C c = value<C>(k);                                                                          \
        asm volatile(text : "=" L_##D(d) : L_##A(a), L_##B(b), L_##C(c));                           \
        return counted(nan, d);                                                                     \
    }
        FORMS(X)
#undef X
    }
    return 0;
}

__global__ void forms(int form, u64* hash) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= EDGES * EDGES) return;
    u64 result = evaluate(form, n % EDGES, n / EDGES, (n * 7 + n / EDGES * 5 + 3) % EDGES);
    atomicAdd(hash, mix(result ^ mix(n)));
}

__device__ u32 approximate(int form, u32 x) {
    constexpr int FIRST = __COUNTER__ + 1;
    u32 d = 0;
    switch (form) {
#define X(name, of)                                                                                 \
    case __COUNTER__ - FIRST: asm volatile(name " %0, %1;" : "=r"(d) : "r"(x)); return d;
        APPROXIMATE(X)
#undef X
    }
    return 0;
}

__global__ void approximations(int form, const float* x, float* result) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    result[n] = __uint_as_float(approximate(form, __float_as_uint(x[n])));
}

__device__ u32 change(int form, u64* at, u32 operand, u64 wide) {
    constexpr int FIRST = __COUNTER__ + 1;
    u32 d = 0;
    switch (form) {
#define X(nan, text)                                                                                \
    case __COUNTER__ - FIRST: asm volatile(text : "+r"(d) : "l"(at), "r"(operand), "l"(wide) : "memory"); return u32(counted(nan, d));
        ATOMICS(X)
#undef X
    }
    return 0;
}

__device__ __align__(16) u64 memory[2 * EDGES * EDGES];

__global__ void atomics(int form, int nan, u64* hash) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= EDGES * EDGES) return;
    u64* at = memory + 2 * n;
    int width = nan == F64 ? 64 : 32;
    u64 low = edge(n % EDGES, width), operand = edge(n / EDGES, width);
    if (width == 32) low = (low & 0xffffffff) | edge(n % EDGES + 1, 32) << 32, operand = (operand & 0xffffffff) | edge(n / EDGES + 5, 32) << 32;
    at[0] = low;
    at[1] = 0;
    u64 old = change(form, at, u32(operand), operand);
    u64 now = nan == F32 ? counted(F32, at[0] & 0xffffffff) | counted(F32, at[0] >> 32) << 32 : counted(nan, at[0]);
    // The second word of an exchange is an address.
    atomicAdd(hash, mix(old ^ mix(now ^ mix(n))));
}

// ---- sums of products ----

// A (rows of 16 or 8 elements) times B (columns of as many), plus C: bits in, bits of the first element and a hash of all out.
enum Kind { F16_F32, F16_F16, BF16_F32, TF32_F32, E4M3_F32, S8_S32, F64_F64, KINDS };

__global__ void product(int kind, const u64* a, const u64* b, const u64* c, u64* d) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    auto pack = [](const u64* from, int step, int count, int bits) {
        u32 word = 0;
        for (int i = 0; i < count; ++i) word |= u32(from[i * step]) << (i * bits);
        return word;
    };
    u32 A[4], B[2], C[4], D[4] = {};
    auto factors = [&](int k, int packed) {
        for (int r = 0; r < 4; ++r) A[r] = pack(a + (g + 8 * (r & 1)) * k + t * packed + r / 2 * 4 * packed, 1, packed, 32 / packed);
        for (int r = 0; r < 2; ++r) B[r] = pack(b + (t * packed + r * 4 * packed) * 8 + g, 8, packed, 32 / packed);
        for (int i = 0; i < 4; ++i) C[i] = u32(c[(g + i / 2 * 8) * 8 + t * 2 + i % 2]);
    };
    bool done = false;
#define MMA(shape, types)                                                                           \
    asm volatile("mma.sync.aligned." shape ".row.col." types                                        \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"             \
                 : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])                                   \
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]), "r"(C[1]), "r"(C[2]), "r"(C[3]))
    switch (kind) {
        case F16_F32: factors(16, 2); MMA("m16n8k16", "f32.f16.f16.f32"); break;
        case BF16_F32: factors(16, 2); MMA("m16n8k16", "f32.bf16.bf16.f32"); break;
        case TF32_F32: factors(8, 1); MMA("m16n8k8", "f32.tf32.tf32.f32"); break;
        case E4M3_F32: factors(32, 4); MMA("m16n8k32", "f32.e4m3.e4m3.f32"); break;
        case S8_S32: factors(32, 4); MMA("m16n8k32", "s32.s8.s8.s32"); break;
        case F16_F16: {
            factors(16, 2);
            u32 first = C[0] | C[1] << 16, second = C[2] | C[3] << 16, x, y;
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
                         : "=r"(x), "=r"(y)
                         : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(first), "r"(second));
            D[0] = x & 0xffff, D[1] = x >> 16, D[2] = y & 0xffff, D[3] = y >> 16;
            break;
        }
        case F64_F64: {
            u64 x, y;
            asm volatile("{.reg .f64 a, b, c, d, e, f; mov.b64 a, %2; mov.b64 b, %3; mov.b64 c, %4; mov.b64 d, %5;\n"
                         "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {e, f}, {a}, {b}, {c, d}; mov.b64 %0, e; mov.b64 %1, f;}"
                         : "=l"(x), "=l"(y)
                         : "l"(a[g * 4 + t]), "l"(b[t * 8 + g]), "l"(c[g * 8 + t * 2]), "l"(c[g * 8 + t * 2 + 1]));
            d[g * 8 + t * 2] = x, d[g * 8 + t * 2 + 1] = y;
            done = true;
            break;
        }
    }
    if (!done)
        for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = D[i];
}

struct Product {
    u64 *a, *b, *c, *d;
    Product() {
        MUST(cudaMallocManaged(&a, 512 * 8));
        MUST(cudaMallocManaged(&b, 512 * 8));
        MUST(cudaMallocManaged(&c, 128 * 8));
        MUST(cudaMallocManaged(&d, 128 * 8));
    }
    void clear() {
        MUST(cudaDeviceSynchronize());
        std::memset(a, 0, 512 * 8), std::memset(b, 0, 512 * 8), std::memset(c, 0, 128 * 8), std::memset(d, 0, 128 * 8);
    }
    void run(int kind) {
        product<<<1, 32>>>(kind, a, b, c, d);
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());
    }
};

static u64 host_mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// A power of two, with a sign.
static u64 power(int kind, int exponent, bool negative = false) {
    switch (kind) {
        case F16_F32:
        case F16_F16: return u64(negative) << 15 | (exponent < -14 ? 1u << (exponent + 24) : u64(exponent + 15) << 10);
        case BF16_F32: return u64(negative) << 15 | u64(exponent + 127) << 7;
        case E4M3_F32: return u64(negative) << 7 | u64(exponent + 7) << 3;
        case F64_F64: return u64(negative) << 63 | u64(exponent + 1023) << 52;
        default: return u64(negative) << 31 | u64(exponent + 127) << 23;
    }
}

static const char* KIND[] = {"f16.f32", "f16.f16", "bf16.f32", "tf32.f32", "e4m3.f32", "s8.s32", "f64.f64"};

static void sums() {
    Product p;
    // All elements: small integers are exact, others show the order.
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int round = 0; round < 3; ++round) {
            p.clear();
            for (int i = 0; i < 512; ++i) {
                u64 x = host_mix(kind * 10007 + round * 101 + i * 2), y = host_mix(kind * 10007 + round * 101 + i * 2 + 1);
                auto element = [&](u64 any) -> u64 {
                    if (kind == S8_S32) return any & 0xff;
                    if (round == 0) return any % 3 ? power(kind, any % 3 - 1, any >> 20 & 1) : 0;
                    switch (kind) {
                        case F16_F32:
                        case F16_F16: return (any & 0x83ff) | (11 + (any >> 20) % 8) << 10;
                        case BF16_F32: return (any & 0x807f) | (120 + (any >> 20) % 16) << 7;
                        case E4M3_F32: return (any & 0x87) | (4 + (any >> 20) % 8) << 3;
                        case F64_F64: return (any & 0x800fffffffffffffull) | (1018 + (any >> 53) % 8) << 52;
                        default: return (any & 0x807fffff) | (120 + (any >> 40) % 16) << 23;
                    }
                };
                p.a[i] = element(x), p.b[i] = element(y);
                if (i < 128) {
                    u64 z = host_mix(x);
                    if (kind == S8_S32) p.c[i] = z & 0xffffffff;
                    else if (kind == F16_F16 || kind == F64_F64) p.c[i] = element(z);
                    else p.c[i] = round == 0 ? power(TF32_F32, z % 5, z >> 20 & 1) : (z & 0x807fffff) | (120 + (z >> 40) % 16) << 23;
                }
            }
            p.run(kind);
            u64 hash = 0;
            for (int i = 0; i < 128; ++i) hash += host_mix(p.d[i] ^ host_mix(i));
            std::printf("%s %s round %d: %016llx, first %llx %llx %llx\n", round && kind != S8_S32 && kind != F64_F64 ? "sum" : "product",
                        KIND[kind], round, hash, p.d[0], p.d[1], p.d[64]);
        }
    }
    // One element: a few terms, and what is left of the smallest.
    struct Term {
        int x, y;
        bool negative;
    };
    auto one = [&](int kind, const char* what, std::vector<Term> terms, u64 c) {
        p.clear();
        for (size_t k = 0; k < terms.size(); ++k) {
            p.a[k] = power(kind, terms[k].x, terms[k].negative);
            p.b[k * 8] = power(kind, terms[k].y);
        }
        p.c[0] = c;
        p.run(kind);
        std::printf("sum one %s %s: %llx\n", KIND[kind], what, p.d[0]);
    };
    char what[64];
    for (int kind : {F16_F32, BF16_F32, TF32_F32}) {
        for (int k = 21; k < 29; ++k) {
            std::snprintf(what, sizeof what, "1 - 1 + 2^-%d", k);
            one(kind, what, {{0, 0, false}, {0, 0, true}, {-k / 2, -(k - k / 2), false}}, 0);
            std::snprintf(what, sizeof what, "c = 1, - 1 + 2^-%d", k);
            one(kind, what, {{0, 0, true}, {-k / 2, -(k - k / 2), false}}, 0x3f800000);
            std::snprintf(what, sizeof what, "1 - 1, c = 2^-%d", k);
            one(kind, what, {{0, 0, false}, {0, 0, true}}, u64(127 - k) << 23);
        }
        one(kind, "1 + 2^-24 + 2^-25", {{0, 0, false}, {-12, -12, false}, {-12, -13, false}}, 0);
        one(kind, "-1 - 2^-24 - 2^-25", {{0, 0, true}, {-12, -12, true}, {-12, -13, true}}, 0);
        one(kind, "nothing, c = -0", {}, 0x80000000);
        one(kind, "1 - 1, c = -0", {{0, 0, false}, {0, 0, true}}, 0x80000000);
        // Zeros beside large numbers: do they count for the exponent?
        p.clear();
        for (int k = 0; k < 8; ++k) p.b[k * 8] = power(kind, 15);
        p.c[0] = 0x35800001;
        p.run(kind);
        std::printf("sum one %s 0 * 2^15, c = 2^-20 + 2^-43: %llx\n", KIND[kind], p.d[0]);
        // Terms of 16, or of 8 and 8: large ones that cancel in the second half, a small one in the first.
        std::vector<Term> terms(16, Term{-13, -13, false});
        terms[14] = {0, 0, false}, terms[15] = {0, 0, true};
        if (kind != TF32_F32) one(kind, "14 * 2^-26 + 1 - 1", terms, 0);
        // Products above 2 before they are normalised.
        p.clear();
        p.a[0] = p.a[1] = p.b[0] = p.b[8] = kind == TF32_F32 ? 0x3fc00000 : kind == BF16_F32 ? 0x3fc0 : 0x3e00;
        p.a[1] |= kind == TF32_F32 ? 0x80000000 : 0x8000;
        p.a[2] = power(kind, -12), p.b[16] = power(kind, -13);
        p.run(kind);
        std::printf("sum one %s 2.25 - 2.25 + 2^-25: %llx\n", KIND[kind], p.d[0]);
    }
    one(BF16_F32, "2^127, c = 2^127 * 1.99", {{120, 7, false}}, 0x7f7f0000);
    one(BF16_F32, "2^127, c = largest", {{103, 0, false}}, 0x7f7fffff);
    one(BF16_F32, "2^-149", {{-100, -49, false}}, 0);
    one(BF16_F32, "2^-150 + 2^-150", {{-100, -50, false}, {-100, -50, false}}, 0);
    one(F16_F32, "2^-24 * 2^-24", {{-24, -24, false}}, 0);
    for (int k = 9; k < 14; ++k) {
        std::snprintf(what, sizeof what, "1 + 2^-%d", k);
        one(F16_F16, what, {{0, 0, false}, {-k, 0, false}}, 0);
        std::snprintf(what, sizeof what, "1 + 2^-%d + 2^-13 + 2^-22", k);
        one(F16_F16, what, {{0, 0, false}, {-k, 0, false}, {-13, 0, false}, {-11, -11, false}}, 0);
    }
    one(F16_F16, "2^15 + 2^15", {{15, 0, false}, {15, 0, false}}, 0);
    // Bits below those of tf32.
    p.clear();
    p.a[0] = 0x3f801fff, p.b[0] = 0x3f800000;
    p.run(TF32_F32);
    std::printf("sum one tf32.f32 1 + 2^-10 - 2^-23: %llx\n", p.d[0]);
    // How long a sum of fp8 is: 16 products and 16, or all together.
    std::vector<Term> terms(32, Term{-6, -6, false});
    terms[30] = {8, 8, false}, terms[31] = {8, 8, true};
    one(E4M3_F32, "30 * 2^-12 + 2^16 - 2^16", terms, 0);
    for (auto special : {std::vector<u64>{0x7c00, 0x0000}, {0x7c00, 0xfc00}, {0x7c00, 0x3c00}, {0x7e00, 0x3c00}}) {
        p.clear();
        p.a[0] = special[0], p.a[1] = special[1], p.b[0] = p.b[8] = special[1] == 0 ? 0 : 0x3c00;
        p.run(F16_F32);
        std::printf("sum one f16.f32 specials %llx %llx: %llx\n", special[0], special[1], p.d[0]);
    }
}

int main() {
    u64* hash;
    MUST(cudaMalloc(&hash, sizeof *hash));
    auto hashed = [&](auto launch) {
        u64 value = 0;
        MUST(cudaMemcpy(hash, &value, sizeof value, cudaMemcpyHostToDevice));
        launch((EDGES * EDGES + 127) / 128, 128);
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(&value, hash, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    };
    int form = 0;
#define X(nan, D, A, B, C, text)                                                                    \
    std::printf("form %s %016llx\n", text, hashed([&](int blocks, int threads) { forms<<<blocks, threads>>>(form, hash); })), ++form;
    FORMS(X)
#undef X
    form = 0;
#define X(nan, text)                                                                                \
    std::printf("atom %s %016llx\n", text, hashed([&](int blocks, int threads) { atomics<<<blocks, threads>>>(form, nan, hash); })), ++form;
    ATOMICS(X)
#undef X
    form = 0;
    constexpr int COUNT = 4096;
    float *x, *result;
    MUST(cudaMallocManaged(&x, COUNT * sizeof *x));
    MUST(cudaMallocManaged(&result, COUNT * sizeof *result));
    for (int n = 0; n < COUNT; ++n) x[n] = 0.0625f + n * (3.0f / COUNT);
#define X(name, of)                                                                                 \
    {                                                                                               \
        approximations<<<COUNT / 128, 128>>>(form++, x, result);                                    \
        MUST(cudaDeviceSynchronize());                                                              \
        double worst = 0, absolute = 0;                                                             \
        for (int n = 0; n < COUNT; ++n) {                                                           \
            double x_ = x[n];                                                                       \
            auto exact = [](double x) { return of; }(x_);                                           \
            int exponent;                                                                           \
            std::frexp(exact, &exponent);                                                           \
            worst = std::fmax(worst, std::fabs(result[n] - exact) / std::ldexp(1, exponent - 24));  \
            absolute = std::fmax(absolute, std::fabs(result[n] - exact));                           \
        }                                                                                           \
        std::printf("approx %s: %.3g ulp, %.3g at most\n", name, worst, absolute);                  \
    }
    APPROXIMATE(X)
#undef X
    sums();
    return 0;
}
