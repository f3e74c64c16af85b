/* What a texel of each type is: cudaCreateChannelDesc<T>() on the host and the conversions of fetches on the device. */
#ifndef POISE_CHANNEL_DESCRIPTOR_H
#define POISE_CHANNEL_DESCRIPTOR_H
#include <cuda_runtime.h>
#ifdef __cplusplus

/* ---- texel types: T = type of a texel, base = of a channel, letter = kind ---- */
template <class T> struct poise_texel;
#define POISE_TEXEL(type, base_, kind_) \
    template <> struct poise_texel<type> { \
        typedef base_ base; \
        typedef float floats; \
        enum { channels = 1, kind = kind_ }; \
        template <class V> static __device__ type from(V v) { return (type)v.x; } \
    };
#define POISE_TEXELS(name, base_, kind_) \
    POISE_TEXEL(base_, base_, kind_) \
    template <> struct poise_texel<name##1> { \
        typedef base_ base; \
        typedef float1 floats; \
        enum { channels = 1, kind = kind_ }; \
        template <class V> static __device__ name##1 from(V v) { return make_##name##1((base_)v.x); } \
    }; \
    template <> struct poise_texel<name##2> { \
        typedef base_ base; \
        typedef float2 floats; \
        enum { channels = 2, kind = kind_ }; \
        template <class V> static __device__ name##2 from(V v) { return make_##name##2((base_)v.x, (base_)v.y); } \
    }; \
    template <> struct poise_texel<name##4> { \
        typedef base_ base; \
        typedef float4 floats; \
        enum { channels = 4, kind = kind_ }; \
        template <class V> static __device__ name##4 from(V v) \
        { \
            return make_##name##4((base_)v.x, (base_)v.y, (base_)v.z, (base_)v.w); \
        } \
    };
POISE_TEXELS(char, signed char, 's')
POISE_TEXELS(uchar, unsigned char, 'u')
POISE_TEXELS(short, short, 's')
POISE_TEXELS(ushort, unsigned short, 'u')
POISE_TEXELS(int, int, 's')
POISE_TEXELS(uint, unsigned int, 'u')
POISE_TEXELS(float, float, 'f')
POISE_TEXEL(char, char, 's')
#undef POISE_TEXELS
#undef POISE_TEXEL

static inline __host__ cudaChannelFormatDesc poise_channels(int bits, int n, int kind)
{
    return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                                 kind == 'f'   ? cudaChannelFormatKindFloat
                                 : kind == 's' ? cudaChannelFormatKindSigned
                                               : cudaChannelFormatKindUnsigned);
}
template <class T> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return poise_channels(8 * (int)sizeof(typename poise_texel<T>::base), poise_texel<T>::channels,
                          poise_texel<T>::kind);
}
#endif
#endif
