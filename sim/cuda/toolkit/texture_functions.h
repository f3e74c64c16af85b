/* Textures and surfaces of device code: references (CUDA up to 11) and objects. A fetch is its PTX instruction; one
 * channel or two are the first of the four that it gives. */
#ifndef POISE_TEXTURE_FUNCTIONS_H
#define POISE_TEXTURE_FUNCTIONS_H

#include "channel_descriptor.h"

template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    __host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                     cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference()
    {
        normalized = norm, filterMode = filter, addressMode[0] = addressMode[1] = addressMode[2] = address,
        channelDesc = cudaCreateChannelDesc<T>();
    }
    __host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
        : textureReference()
    {
        normalized = norm, filterMode = filter, addressMode[0] = addressMode[1] = addressMode[2] = address,
        channelDesc = desc;
    }
};
template <class T, int dimensions = 1>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
    __host__ surface() { channelDesc = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
};

#define POISE_T static inline __device__ __attribute__((always_inline))
template <class H> POISE_T unsigned long long poise_handle(H reference)
{
    unsigned long long handle;
    asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}
POISE_T unsigned long long poise_handle(unsigned long long object) { return object; }

/* ---- fetches: by the kind of the result, each an instruction ---- */
template <int kind> struct poise_fetch;
#define POISE_FETCHES(kind_, v4, type, letter) \
    template <> struct poise_fetch<kind_> { \
        POISE_FETCH(v4, type, letter, at, "1d", "s32", "{%5}", (int x), "r"(x)) \
        POISE_FETCH(v4, type, letter, d1, "1d", "f32", "{%5}", (float x), "f"(x)) \
        POISE_FETCH(v4, type, letter, d2, "2d", "f32", "{%5, %6}", (float x, float y), "f"(x), "f"(y)) \
        POISE_FETCH(v4, type, letter, d3, "3d", "f32", "{%5, %6, %7, %7}", (float x, float y, float z), "f"(x), \
                    "f"(y), "f"(z)) \
        POISE_FETCH(v4, type, letter, a1, "a1d", "f32", "{%5, %6}", (int layer, float x), "r"(layer), "f"(x)) \
        POISE_FETCH(v4, type, letter, a2, "a2d", "f32", "{%5, %6, %7, %7}", (int layer, float x, float y), "r"(layer), \
                    "f"(x), "f"(y)) \
        POISE_FETCH(v4, type, letter, cube, "cube", "f32", "{%5, %6, %7, %7}", (float x, float y, float z), "f"(x), \
                    "f"(y), "f"(z)) \
        POISE_FETCH(v4, type, letter, acube, "acube", "f32", "{%5, %6, %7, %8}", \
                    (int layer, float x, float y, float z), "r"(layer), "f"(x), "f"(y), "f"(z)) \
        POISE_GATHER(v4, type, letter, r) \
        POISE_GATHER(v4, type, letter, g) POISE_GATHER(v4, type, letter, b) POISE_GATHER(v4, type, letter, a) \
    };
#define POISE_STRIP(...) __VA_ARGS__
#define POISE_FETCH(v4, type, letter, name, shape, index, list, parameters, ...) \
    POISE_T v4 name(unsigned long long t, POISE_STRIP parameters) \
    { \
        v4 v; \
        asm volatile("tex." shape ".v4." type "." index " {%0, %1, %2, %3}, [%4, " list "];" \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w) \
                     : "l"(t), __VA_ARGS__ \
                     : "memory"); \
        return v; \
    }
#define POISE_GATHER(v4, type, letter, part) \
    POISE_T v4 gather_##part(unsigned long long t, float x, float y) \
    { \
        v4 v; \
        asm volatile("tld4." #part ".2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w) \
                     : "l"(t), "f"(x), "f"(y) \
                     : "memory"); \
        return v; \
    }
#undef POISE_T
#define POISE_T static __device__ __attribute__((always_inline))
POISE_FETCHES('f', float4, "f32", "f")
POISE_FETCHES('u', uint4, "u32", "r")
POISE_FETCHES('s', int4, "s32", "r")
#undef POISE_T
#define POISE_T static inline __device__ __attribute__((always_inline))

/* name(object, coordinates), name(&result, object, coordinates), name(reference, coordinates) */
#define POISE_TEX(name, dimensions, method, parameters, ...) \
    template <class T> POISE_T T name(cudaTextureObject_t t, POISE_STRIP parameters) \
    { \
        return poise_texel<T>::from(poise_fetch<poise_texel<T>::kind>::method(t, __VA_ARGS__)); \
    } \
    template <class T> POISE_T void name(T *out, cudaTextureObject_t t, POISE_STRIP parameters) \
    { \
        *out = poise_texel<T>::from(poise_fetch<poise_texel<T>::kind>::method(t, __VA_ARGS__)); \
    } \
    template <class T> POISE_T T name(texture<T, dimensions, cudaReadModeElementType> t, POISE_STRIP parameters) \
    { \
        return poise_texel<T>::from(poise_fetch<poise_texel<T>::kind>::method(poise_handle(t), __VA_ARGS__)); \
    } \
    template <class T> \
    POISE_T typename poise_texel<T>::floats name(texture<T, dimensions, cudaReadModeNormalizedFloat> t, \
                                                 POISE_STRIP parameters) \
    { \
        return poise_texel<typename poise_texel<T>::floats>::from( \
            poise_fetch<'f'>::method(poise_handle(t), __VA_ARGS__)); \
    }
POISE_TEX(tex1Dfetch, 1, at, (int x), x)
POISE_TEX(tex1D, 1, d1, (float x), x)
POISE_TEX(tex2D, 2, d2, (float x, float y), x, y)
POISE_TEX(tex3D, 3, d3, (float x, float y, float z), x, y, z)
POISE_TEX(tex1DLayered, cudaTextureType1DLayered, a1, (float x, int layer), layer, x)
POISE_TEX(tex2DLayered, cudaTextureType2DLayered, a2, (float x, float y, int layer), layer, x, y)
POISE_TEX(tex1DLod, 1, d1, (float x, float), x) /* there is one level */
POISE_TEX(tex2DLod, 2, d2, (float x, float y, float), x, y)
POISE_TEX(tex3DLod, 3, d3, (float x, float y, float z, float), x, y, z)
POISE_TEX(tex1DLayeredLod, cudaTextureType1DLayered, a1, (float x, int layer, float), layer, x)
POISE_TEX(tex2DLayeredLod, cudaTextureType2DLayered, a2, (float x, float y, int layer, float), layer, x, y)
POISE_TEX(tex1DGrad, 1, d1, (float x, float, float), x)
POISE_TEX(tex2DGrad, 2, d2, (float x, float y, float2, float2), x, y)
POISE_TEX(tex3DGrad, 3, d3, (float x, float y, float z, float4, float4), x, y, z)
POISE_TEX(tex1DLayeredGrad, cudaTextureType1DLayered, a1, (float x, int layer, float, float), layer, x)
POISE_TEX(tex2DLayeredGrad, cudaTextureType2DLayered, a2, (float x, float y, int layer, float2, float2), layer, x, y)
POISE_TEX(texCubemap, cudaTextureTypeCubemap, cube, (float x, float y, float z), x, y, z)
POISE_TEX(texCubemapLod, cudaTextureTypeCubemap, cube, (float x, float y, float z, float), x, y, z)
POISE_TEX(texCubemapGrad, cudaTextureTypeCubemap, cube, (float x, float y, float z, float4, float4), x, y, z)
POISE_TEX(texCubemapLayered, cudaTextureTypeCubemapLayered, acube, (float x, float y, float z, int layer), layer, x, y,
          z)
POISE_TEX(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, acube, (float x, float y, float z, int layer, float),
          layer, x, y, z)
POISE_TEX(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, acube,
          (float x, float y, float z, int layer, float4, float4), layer, x, y, z)
#undef POISE_TEX
template <class T> POISE_T T tex2Dgather(cudaTextureObject_t t, float x, float y, int part = 0)
{
    typedef poise_fetch<poise_texel<T>::kind> F;
    return poise_texel<T>::from(part == 0   ? F::gather_r(t, x, y)
                                : part == 1 ? F::gather_g(t, x, y)
                                : part == 2 ? F::gather_b(t, x, y)
                                            : F::gather_a(t, x, y));
}

/* ---- surfaces: x in bytes ---- */
template <int bytes> struct poise_raw;
template <> struct poise_raw<1> {
    typedef unsigned short type;
};
template <> struct poise_raw<2> {
    typedef unsigned short type;
};
template <> struct poise_raw<4> {
    typedef unsigned int type;
};
template <> struct poise_raw<8> {
    typedef unsigned long long type;
};
template <int bytes> struct poise_surface;
#define POISE_SURFACE(bytes, bits, letter, suffix, clamp, shape, list, parameters, ...) \
    POISE_T poise_raw<bytes>::type read_##suffix(unsigned long long s, POISE_STRIP parameters) \
    { \
        poise_raw<bytes>::type v; \
        asm volatile("suld.b." shape "." bits "." clamp " {%0}, [%1, " list "];" \
                     : "=" letter(v) \
                     : "l"(s), __VA_ARGS__ \
                     : "memory"); \
        return v; \
    }
#define POISE_STORE(bytes, bits, letter, suffix, clamp, shape, list, parameters, ...) \
    POISE_T void write_##suffix(unsigned long long s, poise_raw<bytes>::type v, POISE_STRIP parameters) \
    { \
        asm volatile("sust.b." shape "." bits "." clamp " [%1, " list "], {%0};" \
                     : \
                     : letter(v), "l"(s), __VA_ARGS__ \
                     : "memory"); \
    }
#define POISE_CLAMPS(M, bytes, bits, letter, name, shape, list, parameters, ...) \
    M(bytes, bits, letter, name##_zero, "zero", shape, list, parameters, __VA_ARGS__) \
    M(bytes, bits, letter, name##_clamp, "clamp", shape, list, parameters, __VA_ARGS__) \
    M(bytes, bits, letter, name##_trap, "trap", shape, list, parameters, __VA_ARGS__)
#define POISE_SHAPES(M, bytes, bits, letter) \
    POISE_CLAMPS(M, bytes, bits, letter, d1, "1d", "{%2}", (int x), "r"(x)) \
    POISE_CLAMPS(M, bytes, bits, letter, d2, "2d", "{%2, %3}", (int x, int y), "r"(x), "r"(y)) \
    POISE_CLAMPS(M, bytes, bits, letter, d3, "3d", "{%2, %3, %4, %4}", (int x, int y, int z), "r"(x), "r"(y), "r"(z)) \
    POISE_CLAMPS(M, bytes, bits, letter, a1, "a1d", "{%3, %2}", (int x, int layer), "r"(x), "r"(layer)) \
    POISE_CLAMPS(M, bytes, bits, letter, a2, "a2d", "{%4, %2, %3, %3}", (int x, int y, int layer), "r"(x), "r"(y), \
                 "r"(layer))
#undef POISE_T
#define POISE_T static __device__ __attribute__((always_inline))
#define POISE_SIZES(bytes, bits, letter) \
    template <> struct poise_surface<bytes> { \
        POISE_SHAPES(POISE_SURFACE, bytes, bits, letter) POISE_SHAPES(POISE_STORE, bytes, bits, letter) \
    };
POISE_SIZES(1, "b8", "h")
POISE_SIZES(2, "b16", "h")
POISE_SIZES(4, "b32", "r")
POISE_SIZES(8, "b64", "l")
#undef POISE_T
#define POISE_T static inline __device__ __attribute__((always_inline))
#define POISE_BY_MODE(S, call, name, ...) \
    (mode == cudaBoundaryModeZero    ? S::call##_##name##_zero(__VA_ARGS__) \
     : mode == cudaBoundaryModeClamp ? S::call##_##name##_clamp(__VA_ARGS__) \
                                     : S::call##_##name##_trap(__VA_ARGS__))
/* Texels of 16 bytes go in two halves. */
#define POISE_SURF(function, dimensions, name, parameters, next, ...) \
    template <class T, class H> \
    POISE_T void poise_##function##read(T *out, H h, POISE_STRIP parameters, cudaSurfaceBoundaryMode mode) \
    { \
        enum { part = sizeof(T) > 8 ? 8 : sizeof(T) }; \
        typedef poise_surface<part> S; \
        const unsigned long long s = poise_handle(h); \
        typename poise_raw<part>::type v = POISE_BY_MODE(S, read, name, s, __VA_ARGS__); \
        __builtin_memcpy(out, &v, part); \
        if (sizeof(T) > 8) { \
            POISE_STRIP next; \
            v = POISE_BY_MODE(S, read, name, s, __VA_ARGS__); \
            __builtin_memcpy((char *)out + 8, &v, sizeof(T) > 8 ? part : 0); \
        } \
    } \
    template <class T, class H> \
    POISE_T void poise_##function##write(T value, H h, POISE_STRIP parameters, cudaSurfaceBoundaryMode mode) \
    { \
        enum { part = sizeof(T) > 8 ? 8 : sizeof(T) }; \
        typedef poise_surface<part> S; \
        const unsigned long long s = poise_handle(h); \
        typename poise_raw<part>::type v = 0; \
        __builtin_memcpy(&v, &value, part); \
        POISE_BY_MODE(S, write, name, s, v, __VA_ARGS__); \
        if (sizeof(T) > 8) { \
            POISE_STRIP next; \
            __builtin_memcpy(&v, (char *)&value + 8, sizeof(T) > 8 ? part : 0); \
            POISE_BY_MODE(S, write, name, s, v, __VA_ARGS__); \
        } \
    } \
    template <class T> \
    POISE_T void function##read(T *out, cudaSurfaceObject_t s, POISE_STRIP parameters, \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        poise_##function##read(out, s, __VA_ARGS__, mode); \
    } \
    template <class T> \
    POISE_T T function##read(cudaSurfaceObject_t s, POISE_STRIP parameters, \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        T v; \
        poise_##function##read(&v, s, __VA_ARGS__, mode); \
        return v; \
    } \
    template <class T> \
    POISE_T void function##write(T v, cudaSurfaceObject_t s, POISE_STRIP parameters, \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        poise_##function##write(v, s, __VA_ARGS__, mode); \
    } \
    template <class T> \
    POISE_T void function##read(T *out, surface<void, dimensions> s, POISE_STRIP parameters, \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        poise_##function##read(out, s, __VA_ARGS__, mode); \
    } \
    template <class T> \
    POISE_T void function##write(T v, surface<void, dimensions> s, POISE_STRIP parameters, \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        poise_##function##write(v, s, __VA_ARGS__, mode); \
    }
POISE_SURF(surf1D, 1, d1, (int x), (x += 8), x)
POISE_SURF(surf2D, 2, d2, (int x, int y), (x += 8), x, y)
POISE_SURF(surf3D, 3, d3, (int x, int y, int z), (x += 8), x, y, z)
POISE_SURF(surf1DLayered, cudaSurfaceType1DLayered, a1, (int x, int layer), (x += 8), x, layer)
POISE_SURF(surf2DLayered, cudaSurfaceType2DLayered, a2, (int x, int y, int layer), (x += 8), x, y, layer)
/* A face of a cube is a layer, six for each cube of a layered one. */
POISE_SURF(surfCubemap, cudaSurfaceTypeCubemap, a2, (int x, int y, int face), (x += 8), x, y, face)
POISE_SURF(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, a2, (int x, int y, int face), (x += 8), x, y, face)
#undef POISE_T
#endif
