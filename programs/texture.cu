// What texture fetches give, against the formulas of the CUDA Programming Guide ("Texture Fetching") computed on the host: every filter
// and address mode in one to three dimensions, layers, cube maps, levels, gathers, all channel formats, arrays, pitched and linear memory.
// Coordinates are chosen so that weights have at most 8 fractional bits and no point lies on the edge of a texel: results must be equal.
// Then come arbitrary coordinates, with the tolerance of one 256th of weight an axis. Lines that begin with "note" only tell.
//
// build: texture -arch=sm_90 -std=c++17 -lineinfo
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_fp16.h>

#include "check.h"

enum Geometry { D1, D2, D3, A1, A2, CUBE, ACUBE, LOD2, GRAD2, FETCH };

struct Ask {
    float x, y, z, lod;
    int layer;
};

__global__ void fetch(cudaTextureObject_t t, Geometry geometry, const Ask* asks, float4* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Ask a = asks[i];
    switch (geometry) {
    case D1: out[i] = tex1D<float4>(t, a.x); break;
    case D2: out[i] = tex2D<float4>(t, a.x, a.y); break;
    case D3: out[i] = tex3D<float4>(t, a.x, a.y, a.z); break;
    case A1: out[i] = tex1DLayered<float4>(t, a.x, a.layer); break;
    case A2: out[i] = tex2DLayered<float4>(t, a.x, a.y, a.layer); break;
    case CUBE: out[i] = texCubemap<float4>(t, a.x, a.y, a.z); break;
    case ACUBE: out[i] = texCubemapLayered<float4>(t, a.x, a.y, a.z, a.layer); break;
    case LOD2: out[i] = tex2DLod<float4>(t, a.x, a.y, a.lod); break;
    case GRAD2: out[i] = tex2DGrad<float4>(t, a.x, a.y, make_float2(a.z, 0), make_float2(0, a.lod)); break;
    case FETCH: out[i] = tex1Dfetch<float4>(t, a.layer); break;
    }
}

template <typename T> __global__ void whole(cudaTextureObject_t t, T* out, int width) {
    out[threadIdx.x + width * blockIdx.x] = tex2D<T>(t, threadIdx.x, blockIdx.x);
}

template <int component> __global__ void gather(cudaTextureObject_t t, const Ask* asks, float4* out) {
    out[threadIdx.x] = tex2Dgather<float4>(t, asks[threadIdx.x].x, asks[threadIdx.x].y, component);
}

__global__ void queries(cudaTextureObject_t t, int* out) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
}

static int failures = 0;

// The device's answers.
static std::vector<float4> ask(cudaTextureObject_t t, Geometry geometry, const std::vector<Ask>& asks) {
    Ask* in;
    float4* out;
    int count = int(asks.size());
    CHECK(cudaMalloc(&in, count * sizeof(Ask)));
    CHECK(cudaMalloc(&out, count * sizeof(float4)));
    CHECK(cudaMemcpy(in, asks.data(), count * sizeof(Ask), cudaMemcpyHostToDevice));
    fetch<<<(count + 127) / 128, 128>>>(t, geometry, in, out, count);
    std::vector<float4> answers(count);
    CHECK(cudaMemcpy(answers.data(), out, count * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return answers;
}

static void say(const std::string& what, int wrong, int count) {
    std::printf("%-44s %s\n", what.c_str(), wrong ? (std::to_string(wrong) + " of " + std::to_string(count) + " wrong").c_str() : "ok");
    failures += wrong != 0;
}

static void compare(const std::string& what, const std::vector<Ask>& asks, const std::vector<float4>& got,
                    const std::vector<float4>& want, float tolerance) {
    int wrong = 0;
    for (size_t i = 0; i < got.size(); i++) {
        const float *g = &got[i].x, *w = &want[i].x;
        bool bad = false;
        for (int c = 0; c < 4; c++) bad |= !(std::fabs(g[c] - w[c]) <= tolerance);
        if (bad && wrong++ == 0) {
            std::printf("  first: (%.9g, %.9g, %.9g) lod %.9g layer %d: %.9g %.9g %.9g %.9g instead of %.9g %.9g %.9g %.9g\n", asks[i].x,
                        asks[i].y, asks[i].z, asks[i].lod, asks[i].layer, g[0], g[1], g[2], g[3], w[0], w[1], w[2], w[3]);
        }
    }
    say(what, wrong, int(got.size()));
}

// ---- the guide's formulas ----

struct Texels {
    int width, height, depth;  // slices, layers or faces
    std::vector<float4> at;
    float4 texel(int x, int y, int z) const { return at[x + width * (y + size_t(height) * z)]; }
};

struct Rules {
    cudaTextureAddressMode mode;
    bool normalised, linear;
    float4 border;
};

// Index of a texel that may be outside; -1 for border.
static int bring(long i, int n, cudaTextureAddressMode mode) {
    if (mode == cudaAddressModeWrap) return int(((i % n) + n) % n);
    if (mode == cudaAddressModeBorder && (i < 0 || i >= n)) return -1;
    return int(std::min<long>(std::max<long>(i, 0), n - 1));
}

static void along(double x, int n, const Rules& r, int index[2], double weight[2]) {
    cudaTextureAddressMode mode = r.mode;
    if (!r.normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) mode = cudaAddressModeClamp;
    if (r.normalised) {
        double whole = std::floor(x);
        if (mode == cudaAddressModeWrap) x -= whole;
        if (mode == cudaAddressModeMirror) x = std::fmod(std::fabs(whole), 2) == 1 ? 1 - (x - whole) : x - whole;
        x *= n;
    }
    if (!r.linear) {
        index[0] = index[1] = bring(long(std::floor(x)), n, mode);
        weight[0] = 1;
        weight[1] = 0;
        return;
    }
    double fixed = std::floor((x - 0.5) * 256 + 0.5), base = std::floor(fixed / 256);
    index[0] = bring(long(base), n, mode);
    index[1] = bring(long(base) + 1, n, mode);
    weight[1] = (fixed - 256 * base) / 256;
    weight[0] = 1 - weight[1];
}

static float4 model(const Texels& t, const Rules& r, int axes, const double c[3], int layer) {
    int index[3][2] = {{0, 0}, {0, 0}, {layer, layer}};
    double weight[3][2] = {{1, 0}, {1, 0}, {1, 0}};
    int sizes[3] = {t.width, t.height, t.depth};
    for (int a = 0; a < axes; a++) along(c[a], sizes[a], r, index[a], weight[a]);
    double sum[4] = {};
    for (int corner = 0; corner < 8; corner++) {
        int i = index[0][corner & 1], j = index[1][corner >> 1 & 1], k = index[2][corner >> 2];
        double w = weight[0][corner & 1] * weight[1][corner >> 1 & 1] * weight[2][corner >> 2];
        if (w == 0) continue;
        float4 v = i < 0 || j < 0 || k < 0 ? r.border : t.texel(i, j, k);
        for (int n = 0; n < 4; n++) sum[n] += w * (&v.x)[n];
    }
    return make_float4(float(sum[0]), float(sum[1]), float(sum[2]), float(sum[3]));
}

// ---- making things ----

static uint32_t state = 12345;
static uint32_t next() { return state = state * 1664525 + 1013904223; }
static float number() { return float(int(next() >> 20) - 2048) / 64; }

static Texels texels(int width, int height, int depth) {
    Texels t{width, height, depth, std::vector<float4>(size_t(width) * height * depth)};
    for (float4& v : t.at) v = make_float4(number(), number(), number(), number());
    return t;
}

static cudaArray_t array(const Texels& t, cudaExtent extent, unsigned flags) {
    cudaArray_t a;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    CHECK(cudaMalloc3DArray(&a, &desc, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void*)t.at.data(), t.width * sizeof(float4), t.width, t.height);
    copy.dstArray = a;
    copy.extent = make_cudaExtent(t.width, t.height, t.depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return a;
}

static cudaTextureObject_t object(cudaResourceDesc resource, const Rules& r, cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc desc = {};
    for (auto& mode : desc.addressMode) mode = r.mode;
    desc.filterMode = r.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = read;
    desc.normalizedCoords = r.normalised;
    std::memcpy(desc.borderColor, &r.border, sizeof r.border);
    desc.maxMipmapLevelClamp = 99;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}

static cudaResourceDesc of(cudaArray_t a) {
    cudaResourceDesc desc = {};
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = a;
    return desc;
}

// Coordinates from two textures below to two above; exact ones are odd 64ths of a texel for points and 32nds for filters.
static float coordinate(int n, bool normalised, bool exact, bool linear) {
    double texel = exact ? (int(next() >> 16) % (64 * n * 5) - 64 * n * 2) / 64.0 : 0;
    if (exact) texel = linear ? std::floor(texel * 32) / 32 : std::floor(texel) + (1 + 2 * (next() >> 27)) / 64.0;
    else texel = (double(next()) / 4294967296.0 * 5 - 2) * n;
    return float(normalised ? texel / n : texel);
}

static std::vector<Ask> asks(const Texels& t, const Rules& r, bool exact, int count, int layers) {
    std::vector<Ask> all(count);
    for (Ask& a : all) {
        a = {coordinate(t.width, r.normalised, exact, r.linear), coordinate(t.height, r.normalised, exact, r.linear),
             coordinate(t.depth, r.normalised, exact, r.linear), 0, layers > 1 ? int(next() >> 16) % layers : 0};
    }
    return all;
}

static const char* name(cudaTextureAddressMode mode) {
    const char* names[] = {"wrap", "clamp", "mirror", "border"};
    return names[mode];
}

// Every filter and address mode of one array.
static void modes(const char* what, const Texels& t, cudaExtent extent, unsigned flags, Geometry geometry, int axes) {
    cudaArray_t a = array(t, extent, flags);
    bool layered = geometry == A1 || geometry == A2;
    for (int mode = 0; mode < 4; mode++) {
        for (int rest = 0; rest < 4; rest++) {
            Rules r{cudaTextureAddressMode(mode), (rest & 1) != 0, (rest & 2) != 0, make_float4(3, -5, 7, 9)};
            cudaTextureObject_t object = ::object(of(a), r);
            for (bool exact : {true, false}) {
                if (!exact && !r.linear) continue;
                std::vector<Ask> asked = asks(t, r, exact, 2000, layered ? t.depth : 1);
                std::vector<float4> want;
                for (const Ask& k : asked) {
                    double c[3] = {k.x, k.y, k.z};
                    want.push_back(model(t, r, axes, c, k.layer));
                }
                std::string line = std::string(what) + " " + name(r.mode) + (r.normalised ? " normalised" : "") +
                                   (r.linear ? " linear" : " point") + (exact ? "" : " anywhere");
                compare(line, asked, ask(object, geometry, asked), want, exact ? 1e-4f : 0.25f * axes + 1e-3f);
            }
            CHECK(cudaDestroyTextureObject(object));
        }
    }
    CHECK(cudaFreeArray(a));
}

static void cubes(int layers) {
    Texels t = texels(8, 8, 6 * layers);
    unsigned flags = cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0);
    cudaArray_t a = array(t, make_cudaExtent(8, 8, 6 * layers), flags);
    Rules r{cudaAddressModeClamp, true, false, {}};
    cudaTextureObject_t object = ::object(of(a), r);
    std::vector<Ask> asked;
    std::vector<float4> want;
    for (int i = 0; i < 1200; i++) {
        int face = i % 6, layer = layers > 1 ? int(next() >> 16) % layers : 0;
        // The middle of a texel, and what direction leads there.
        int x = next() >> 29, y = next() >> 29;
        float s = (x + 0.5f) / 4 - 1, u = (y + 0.5f) / 4 - 1;
        float length = 1 + float(next() >> 30);
        float d[6][3] = {{1, -u, -s}, {-1, -u, s}, {s, 1, u}, {s, -1, -u}, {s, -u, 1}, {-s, -u, -1}};
        asked.push_back({d[face][0] * length, d[face][1] * length, d[face][2] * length, 0, layer});
        want.push_back(t.texel(x, y, 6 * layer + face));
    }
    compare(layers > 1 ? "layers of cube maps" : "cube map", asked, ask(object, layers > 1 ? ACUBE : CUBE, asked), want, 0);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(a));
}

static void levels() {
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float4>();
    CHECK(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(16, 8, 0), 4));
    std::vector<Texels> all;
    for (int level = 0; level < 4; level++) {
        all.push_back(texels(16 >> level, 8 >> level, 1));
        cudaArray_t a;
        CHECK(cudaGetMipmappedArrayLevel(&a, mipmap, level));
        const Texels& t = all.back();
        CHECK(cudaMemcpy2DToArray(a, 0, 0, t.at.data(), t.width * 16, t.width * 16, t.height, cudaMemcpyHostToDevice));
    }
    for (int between = 0; between < 2; between++) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = mipmap;
        cudaTextureDesc desc = {};
        for (auto& mode : desc.addressMode) mode = cudaAddressModeWrap;
        desc.filterMode = cudaFilterModePoint;
        desc.normalizedCoords = 1;
        desc.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.minMipmapLevelClamp = 0.25f;
        desc.maxMipmapLevelClamp = 2.75f;
        desc.mipmapLevelBias = 0.125f;
        cudaTextureObject_t object;
        CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
        Rules r{cudaAddressModeWrap, true, false, {}};
        std::vector<Ask> lods, grads;
        std::vector<float4> want;
        for (int i = 0; i < 600; i++) {
            // Sixteenths of a level and a bit: never in the middle between two levels, nor at the edge of a texel of the smallest.
            float lod = (int(next() >> 16) % 80 - 16) / 16.0f + 1 / 64.0f;
            Ask k = {(next() >> 29) / 8.0f + 1 / 64.0f, (next() >> 30) / 4.0f + 1 / 64.0f, 0, lod, 0};
            double level = std::min(std::max(lod + 0.125f, 0.25f), 2.75f);
            int first = between ? int(level) : int(std::floor(level + 0.5));
            double weight = between ? level - first : 0;
            double c[3] = {k.x, k.y, 0};
            float4 near = model(all[first], r, 2, c, 0), far = model(all[std::min(first + 1, 3)], r, 2, c, 0);
            float4 w;
            for (int n = 0; n < 4; n++) (&w.x)[n] = float((&near.x)[n] * (1 - weight) + (&far.x)[n] * weight);
            lods.push_back(k);
            want.push_back(w);
            // The same by gradients: along x, so many texels of the largest level.
            k.z = std::exp2(lod) / 16;
            k.lod = 0;
            grads.push_back(k);
        }
        compare(between ? "between levels" : "levels", lods, ask(object, LOD2, lods), want, between ? 0.3f : 0);
        compare(between ? "between levels by gradients" : "levels by gradients", grads, ask(object, GRAD2, grads), want, between ? 1.5f : 0);
        CHECK(cudaDestroyTextureObject(object));
    }
    CHECK(cudaFreeMipmappedArray(mipmap));
}

// Each channel format read as it is; 8- and 16-bit integers as fractions, too.
template <typename T, typename Channel, int channels, typename Vector> static void format(const char* what, float most) {
    constexpr int width = 16, height = 4, count = width * height;
    std::vector<T> host(count);
    for (T& v : host) {
        Channel raw[4];
        for (int c = 0; c < channels; c++) {
            uint32_t bits = next();
            std::memcpy(&raw[c], (char*)&bits + (sizeof bits - sizeof(Channel)), sizeof(Channel));
            if (std::is_floating_point<Channel>::value) raw[c] = Channel(number());
        }
        std::memcpy(&v, raw, sizeof v);
    }
    cudaArray_t a;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    CHECK(cudaMallocArray(&a, &desc, width, height));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, host.data(), width * sizeof(T), width * sizeof(T), height, cudaMemcpyHostToDevice));
    Rules r{cudaAddressModeClamp, false, false, {}};
    cudaTextureObject_t object = ::object(of(a), r);
    T* out;
    CHECK(cudaMalloc(&out, count * sizeof(T)));
    whole<T><<<height, width>>>(object, out, width);
    std::vector<T> got(count);
    CHECK(cudaMemcpy(got.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
    say(std::string(what) + " as it is", std::memcmp(got.data(), host.data(), count * sizeof(T)) != 0, 1);
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(object));
    if (most > 0) {
        r.linear = true;
        object = ::object(of(a), r, cudaReadModeNormalizedFloat);
        Vector* fractions;
        CHECK(cudaMalloc(&fractions, count * sizeof(Vector)));
        // Linear filtering at the corner of a texel is the mean of four; the last row and column are clamped.
        whole<Vector><<<height, width>>>(object, fractions, width);
        std::vector<Vector> read(count);
        CHECK(cudaMemcpy(read.data(), fractions, count * sizeof(Vector), cudaMemcpyDeviceToHost));
        auto fraction = [&](int x, int y, int c) {
            Channel raw[4];
            std::memcpy(raw, &host[std::max(x, 0) + width * std::max(y, 0)], sizeof(T));
            return std::max(float(raw[c]) / most, -1.0f);
        };
        int wrong = 0;
        for (int i = 0; i < count; i++) {
            int x = i % width, y = i / width;
            for (int c = 0; c < channels; c++) {
                float want = (fraction(x, y, c) + fraction(x - 1, y, c) + fraction(x, y - 1, c) + fraction(x - 1, y - 1, c)) / 4;
                float value = ((float*)&read[i])[c];
                if (!(std::fabs(value - want) <= 1e-4f) && wrong++ == 0) std::printf("  first: %.9g instead of %.9g\n", value, want);
            }
        }
        say(std::string(what) + " as fractions", wrong, count);
        CHECK(cudaFree(fractions));
        CHECK(cudaDestroyTextureObject(object));
    }
    CHECK(cudaFreeArray(a));
}

static void memory() {
    Texels t = texels(100, 1, 1);
    float4* linear;
    CHECK(cudaMalloc(&linear, 100 * sizeof(float4)));
    CHECK(cudaMemcpy(linear, t.at.data(), 100 * sizeof(float4), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = 100 * sizeof(float4);
    Rules r{cudaAddressModeClamp, false, false, make_float4(1, 1, 1, 1)};
    cudaTextureObject_t object = ::object(resource, r);
    std::vector<Ask> asked;
    std::vector<float4> want;
    for (int i = -5; i < 110; i++) {
        asked.push_back({0, 0, 0, 0, i});
        want.push_back(i < 0 || i >= 100 ? make_float4(0, 0, 0, 0) : t.texel(i, 0, 0));
    }
    compare("linear memory, zero outside", asked, ask(object, FETCH, asked), want, 0);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFree(linear));

    t = texels(20, 8, 1);
    size_t pitch;
    char* pitched;
    CHECK(cudaMallocPitch((void**)&pitched, &pitch, 20 * sizeof(float4), 8));
    CHECK(cudaMemcpy2D(pitched, pitch, t.at.data(), 20 * 16, 20 * 16, 8, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {pitched, cudaCreateChannelDesc<float4>(), 20, 8, pitch};
    for (bool linear : {false, true}) {
        Rules r{cudaAddressModeClamp, false, linear, {}};
        object = ::object(resource, r);
        asked = asks(t, r, true, 1000, 1);
        want.clear();
        for (const Ask& k : asked) {
            double c[3] = {k.x, k.y, 0};
            want.push_back(model(t, r, 2, c, 0));
        }
        compare(linear ? "pitched memory linear" : "pitched memory point", asked, ask(object, D2, asked), want, 1e-4f);
        CHECK(cudaDestroyTextureObject(object));
    }
    CHECK(cudaFree(pitched));
}

static void gathers() {
    Texels t = texels(8, 8, 1);
    cudaArray_t a = array(t, make_cudaExtent(8, 8, 0), cudaArrayTextureGather);
    Rules r{cudaAddressModeClamp, false, false, {}};
    cudaTextureObject_t object = ::object(of(a), r);
    std::vector<Ask> asked;
    for (int i = 0; i < 64; i++) asked.push_back({(next() >> 29) + 0.75f, (next() >> 29) + 0.25f, 0, 0, 0});
    Ask* in;
    float4* out;
    CHECK(cudaMalloc(&in, 64 * sizeof(Ask)));
    CHECK(cudaMalloc(&out, 64 * sizeof(float4)));
    CHECK(cudaMemcpy(in, asked.data(), 64 * sizeof(Ask), cudaMemcpyHostToDevice));
    for (int component = 0; component < 4; component++) {
        switch (component) {
        case 0: gather<0><<<1, 64>>>(object, in, out); break;
        case 1: gather<1><<<1, 64>>>(object, in, out); break;
        case 2: gather<2><<<1, 64>>>(object, in, out); break;
        case 3: gather<3><<<1, 64>>>(object, in, out); break;
        }
        std::vector<float4> got(64), want(64);
        CHECK(cudaMemcpy(got.data(), out, 64 * sizeof(float4), cudaMemcpyDeviceToHost));
        for (int i = 0; i < 64; i++) {
            int x = int(std::floor(asked[i].x - 0.5)), y = int(std::floor(asked[i].y - 0.5));
            auto at = [&](int dx, int dy) {
                float4 v = t.texel(std::min(std::max(x + dx, 0), 7), std::min(std::max(y + dy, 0), 7), 0);
                return (&v.x)[component];
            };
            want[i] = make_float4(at(0, 1), at(1, 1), at(1, 0), at(0, 0));
        }
        compare("gather of component " + std::to_string(component), asked, got, want, 0);
    }
    int* sizes;
    int answer[2];
    CHECK(cudaMalloc(&sizes, sizeof answer));
    queries<<<1, 1>>>(object, sizes);
    CHECK(cudaMemcpy(answer, sizes, sizeof answer, cudaMemcpyDeviceToHost));
    say("queries", answer[0] != 8 || answer[1] != 8, 1);
    CHECK(cudaFree(sizes));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(a));
}

// What the guide leaves open: told, not judged.
static void notes() {
    cudaArray_t a;
    float values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&a, &desc, 10, 0));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice));
    Rules r{cudaAddressModeWrap, true, false, {}};
    cudaTextureObject_t object = ::object(of(a), r);
    std::vector<Ask> asked = {{0.05f, 0, 0, 0, 0}};
    for (int i = 1; i < 10; i++) asked.push_back({i / 10.0f, 0, 0, 0, 0});
    std::vector<float4> got = ask(object, D1, asked);
    std::printf("note: channels that a texel lacks: %g %g %g\n", got[0].y, got[0].z, got[0].w);
    std::printf("note: texels at tenths of ten:");
    for (int i = 1; i < 10; i++) std::printf(" %g", got[i].x);
    CHECK(cudaDestroyTextureObject(object));
    r.linear = true;
    object = ::object(of(a), r);
    std::printf("\nnote: weights at 512ths, 256ths and so on of a texel:");
    asked.clear();
    for (int i = 0; i < 8; i++) asked.push_back({float((1.5 + i / 1024.0 + 1 / 8192.0) / 10), 0, 0, 0, 0});
    for (float4 v : ask(object, D1, asked)) std::printf(" %g", (v.x - 1) * 256);
    std::printf("\n");
    CHECK(cudaDestroyTextureObject(object));
    cudaResourceDesc resource = of(a);
    cudaTextureDesc odd = {};
    odd.filterMode = cudaFilterModeLinear;
    cudaArray_t integers;
    desc = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&integers, &desc, 10, 0));
    resource.res.array.array = integers;
    std::printf("note: linear filtering of integers: %d", int(cudaCreateTextureObject(&object, &resource, &odd, nullptr)));
    odd.filterMode = cudaFilterModePoint;
    odd.readMode = cudaReadModeNormalizedFloat;
    std::printf(", fractions of 32-bit integers: %d", int(cudaCreateTextureObject(&object, &resource, &odd, nullptr)));
    std::printf(", a texture destroyed twice: %d\n", int(cudaDestroyTextureObject(0x123456789)));
    cudaGetLastError();
    CHECK(cudaFreeArray(integers));
    CHECK(cudaFreeArray(a));
}

int main() {
    modes("1d", texels(16, 1, 1), make_cudaExtent(16, 0, 0), 0, D1, 1);
    modes("2d", texels(8, 16, 1), make_cudaExtent(8, 16, 0), 0, D2, 2);
    modes("3d", texels(8, 4, 16), make_cudaExtent(8, 4, 16), 0, D3, 3);
    modes("layers of rows", texels(16, 1, 5), make_cudaExtent(16, 0, 5), cudaArrayLayered, A1, 1);
    modes("layers", texels(8, 4, 5), make_cudaExtent(8, 4, 5), cudaArrayLayered, A2, 2);
    cubes(1);
    cubes(3);
    levels();
    format<unsigned char, unsigned char, 1, float>("uchar", 255);
    format<uchar2, unsigned char, 2, float2>("uchar2", 255);
    format<uchar4, unsigned char, 4, float4>("uchar4", 255);
    format<signed char, signed char, 1, float>("schar", 127);
    format<char4, signed char, 4, float4>("char4", 127);
    format<unsigned short, unsigned short, 1, float>("ushort", 65535);
    format<short2, short, 2, float2>("short2", 32767);
    format<ushort4, unsigned short, 4, float4>("ushort4", 65535);
    format<int, int, 1, float>("int", 0);
    format<uint2, unsigned, 2, float2>("uint2", 0);
    format<int4, int, 4, float4>("int4", 0);
    format<float, float, 1, float>("float", 0);
    format<float2, float, 2, float2>("float2", 0);
    memory();
    gathers();
    notes();
    std::printf("texture: %s\n", failures ? "WRONG" : "all ok");
    return failures != 0;
}
