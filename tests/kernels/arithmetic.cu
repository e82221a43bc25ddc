// Arithmetic that CUDA C++ offers, each function once: what the compiler makes of it must parse.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T>
__device__ void mathematics(T* p) {
    T x = p[0], y = p[1], z = p[2];
    int i = 3, exponent;
#define ONE(f) p[i++] = f(x);
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
    ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(erf)
    ONE(erfc) ONE(erfinv) ONE(normcdf) ONE(lgamma) ONE(tgamma) ONE(j0) ONE(y1) ONE(ceil) ONE(floor) ONE(trunc) ONE(rint) ONE(round)
    ONE(logb) ONE(fabs) ONE(sinpi)
#define TWO(f) p[i++] = f(x, y);
    TWO(pow) TWO(fmod) TWO(remainder) TWO(atan2) TWO(hypot) TWO(fmin) TWO(fmax) TWO(fdim) TWO(copysign) TWO(nextafter)
    p[i++] = fma(x, y, z) + frexp(x, &exponent) + ldexp(y, exponent) + modf(x, &z);
    sincos(x, &y, &z);
    p[i++] = y + z + isnan(x) + isinf(y) + isfinite(z) + signbit(x) + lrint(y) + llround(z);
}
extern "C" __global__ void mathematics_float(float* p) { mathematics(p); }
extern "C" __global__ void mathematics_double(double* p) { mathematics(p); }

extern "C" __global__ void rounding(float* f, double* d, int* i, long long* l, unsigned* u, unsigned long long* q) {
    float x = f[0], y = f[1];
    f[2] = __fadd_rn(x, y) + __fadd_rz(x, y) + __fsub_ru(x, y) + __fmul_rd(x, y) + __fmaf_rz(x, y, x) + __fdiv_ru(x, y);
    f[3] = __fsqrt_rd(x) + __frcp_rz(x) + __frsqrt_rn(x) + __sinf(x) + __cosf(y) + __expf(x) + __log2f(y) + __fdividef(x, y);
    f[4] = __saturatef(x) + __powf(x, y) + __tanf(x);
    d[2] = __dadd_rz(d[0], d[1]) + __dmul_ru(d[0], d[1]) + __fma_rd(d[0], d[1], d[2]) + __ddiv_rz(d[0], d[1]) + __dsqrt_ru(d[0]);
    i[0] = __float2int_rn(x) + __float2int_rd(y) + __double2int_rz(d[0]) + __float_as_int(x) + __double2hiint(d[1]);
    l[0] = __float2ll_ru(x) + __double2ll_rn(d[0]);
    u[0] = __float2uint_rz(x) + __double2uint_rd(d[0]);
    q[0] = __float2ull_rn(x) + __double2ull_ru(d[0]);
    f[5] = __int2float_rz(i[1]) + __uint2float_ru(u[1]) + __ll2float_rd(l[1]) + __ull2float_rn(q[1]) + __double2float_rz(d[0]);
    d[3] = __ll2double_rz(l[1]) + __ull2double_rd(q[1]) + i[1] + u[1] + __hiloint2double(i[2], i[3]);
}

extern "C" __global__ void integers(int* p, unsigned* u, long long* l, unsigned long long* q) {
    p[0] = __popc(p[1]) + __clz(p[1]) + __ffs(p[1]) + __brev(p[1]) + __byte_perm(p[1], p[2], 0x3210) + __mulhi(p[1], p[2]);
    p[1] = __mul24(p[1], p[2]) + __sad(p[1], p[2], u[3]) + __hadd(p[1], p[2]) + __rhadd(p[1], p[2]) + p[3] / p[4] + p[5] % p[6];
    u[0] = __umulhi(u[1], u[2]) + __usad(u[1], u[2], u[3]) + __funnelshift_l(u[1], u[2], u[3]) + __funnelshift_rc(u[1], u[2], u[3]);
    p[2] = __dp4a(p[1], p[2], p[3]) + __dp2a_lo(p[1], p[2], p[3]) + __dp2a_hi(p[1], p[2], p[3]);
    l[0] = __mul64hi(l[1], l[2]) + l[3] / l[4] + l[5] % l[6] + __popcll(q[1]) + __clzll(l[1]) + __ffsll(l[1]);
    q[0] = __umul64hi(q[1], q[2]) + __brevll(q[3]) + q[4] / 10;
    u[1] = __vadd4(u[1], u[2]) + __vabsdiffu4(u[1], u[2]) + __vmaxs2(u[1], u[2]) + __vcmpgtu4(u[1], u[2]) + __vsads4(u[1], u[2]);
    u[2] = __viaddmax_s16x2(u[1], u[2], u[3]) + __vimax3_s32(p[1], p[2], p[3]) + __vimin_s32_relu(p[1], p[2]) + __fns(u[1], 2, 3);
}

extern "C" __global__ void wide(unsigned __int128* p, __int128* q) {
    p[0] = p[1] + p[2] - p[3] * p[4];
    p[1] = p[2] / p[3];
    p[2] = p[3] << int(p[4]);
    q[0] = (q[1] >> 3) + (q[1] < q[2] ? q[1] : q[2]);
}

extern "C" __global__ void conversions(signed char* c, unsigned char* b, short* s, unsigned short* w, int* i, long long* l, float* f, double* d) {
    c[0] = s[1], b[0] = i[1], s[0] = f[1], w[0] = d[1], i[0] = c[1], l[0] = i[1] + c[2], f[0] = l[1], d[0] = w[1];
    c[3] = f[2], b[3] = d[2], s[3] = l[2], w[3] = b[2], i[3] = f[3], l[3] = d[3], f[3] = b[1], d[3] = l[4], f[4] = d[4], d[5] = f[5];
}

template <class T>
__device__ void halves_one(T* p) {
    T a = p[0], b = p[1], c = p[2];
    int i = 3;
    for (T x : {__hadd(a, b), __hsub(a, b), __hmul(a, b), __hfma(a, b, c), __hdiv(a, b), __habs(a), __hneg(a), __hadd_sat(a, b), __hmax(a, b),
                __hmin(a, b), hsqrt(a), hrcp(a), hlog(a), hexp(a), hsin(a), hcos(a), hceil(a), hrint(a), htrunc(a), hrsqrt(b), hexp2(b)})
        p[i++] = x;
    p[i] = T(float(__heq(a, b) + __hne(a, b) + __hlt(a, b) + __hge(a, b) + __hequ(a, b) + __hgtu(a, b) + __hisnan(a)));
}
template <class T>
__device__ void halves_two(T* p) {
    T a = p[0], b = p[1], c = p[2];
    int i = 3;
    for (T x : {__hadd2(a, b), __hmul2(a, b), __hfma2(a, b, c), __h2div(a, b), __habs2(a), __hneg2(a), __hmax2(a, b), __heq2(a, b), __hgeu2(a, b),
                h2sqrt(a), h2exp(a), h2log(a), h2rint(a), __hcmadd(a, b, c)})
        p[i++] = x;
    p[i].x = float(__heq2_mask(a, b) + __hbeq2(a, b) + __hbgtu2(a, b));
}
extern "C" __global__ void halves(__half* p, __half2* q, __nv_bfloat16* r, __nv_bfloat162* s) {
    halves_one(p), halves_two(q);
#if __CUDA_ARCH__ >= 800
    halves_one(r), halves_two(s);
#endif
}

extern "C" __global__ void half_conversions(__half* h, __nv_bfloat16* b, float* f, double* d, int* i, long long* l, short* s, signed char* c) {
    h[0] = __float2half_rz(f[0]), h[1] = __float2half_ru(f[1]), h[2] = __double2half(d[0]), h[3] = __int2half_rd(i[0]), h[4] = __ll2half_rn(l[0]);
    b[0] = __float2bfloat16_rz(f[0]), b[1] = __float2bfloat16_rd(f[1]), b[2] = __double2bfloat16(d[0]), b[3] = __int2bfloat16_ru(i[0]);
    f[2] = __half2float(h[5]) + __bfloat162float(b[5]), d[1] = double(h[6]) + double(b[6]);
    i[1] = __half2int_rz(h[7]) + __bfloat162int_rn(b[7]), l[1] = __half2ll_ru(h[8]), s[0] = __half2short_rd(h[9]), c[0] = __half2char_rz(h[10]);
    c[1] = __bfloat162char_rz(b[8]);
    ((__half2*)h)[9] = __float22half2_rn(((float2*)f)[3]), ((__nv_bfloat162*)b)[9] = __float22bfloat162_rn(((float2*)f)[4]);
}

extern "C" __global__ void eights(__nv_fp8_e4m3* a, __nv_fp8_e5m2* b, __nv_fp8x2_e4m3* pair, __nv_fp8x4_e5m2* four, float* f, __half* h, float4* q) {
    a[0] = __nv_fp8_e4m3(f[0]), b[0] = __nv_fp8_e5m2(h[0]), f[1] = float(a[1]), h[1] = __half(b[1]);
    pair[0] = __nv_fp8x2_e4m3(((__half2*)h)[2]), four[0] = __nv_fp8x4_e5m2(q[0]), q[1] = float4(four[1]), ((__half2*)h)[3] = __half2(pair[1]);
}
