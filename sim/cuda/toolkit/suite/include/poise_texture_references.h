/* Texture references, which CUDA 12 dropped, by texture objects: a reference is a managed variable that holds one. The
 * real nvcc reads this by poise_dropped.h; poise cc has texture references of its own. */
#ifndef POISE_SUITE_TEXTURE_REFERENCES_H
#define POISE_SUITE_TEXTURE_REFERENCES_H
#include <limits.h>
#include <string.h>

/* The channels of an element: a program may ask a reference for them before it binds it. */
template <class T> struct poise_channels {
    static constexpr cudaChannelFormatDesc desc() { return {0, 0, 0, 0, cudaChannelFormatKindNone}; }
};
#define POISE_CHANNELS(type, bits, n, kind) \
    template <> struct poise_channels<type> { \
        static constexpr cudaChannelFormatDesc desc() \
        { \
            return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, cudaChannelFormatKind##kind}; \
        } \
    };
#define POISE_ALL_CHANNELS(one, vector, bits, kind) \
    POISE_CHANNELS(one, bits, 1, kind) \
    POISE_CHANNELS(vector##1, bits, 1, kind) \
    POISE_CHANNELS(vector##2, bits, 2, kind) \
    POISE_CHANNELS(vector##4, bits, 4, kind)
POISE_CHANNELS(char, 8, 1, Signed)
POISE_ALL_CHANNELS(signed char, char, 8, Signed)
POISE_ALL_CHANNELS(unsigned char, uchar, 8, Unsigned)
POISE_ALL_CHANNELS(short, short, 16, Signed)
POISE_ALL_CHANNELS(unsigned short, ushort, 16, Unsigned)
POISE_ALL_CHANNELS(int, int, 32, Signed)
POISE_ALL_CHANNELS(unsigned int, uint, 32, Unsigned)
POISE_ALL_CHANNELS(float, float, 32, Float)
#undef POISE_ALL_CHANNELS
#undef POISE_CHANNELS

template <class T, int dim = 1, cudaTextureReadMode mode = cudaReadModeElementType> struct poise_texture {
    int normalized = 0;
    cudaTextureFilterMode filterMode = cudaFilterModePoint;
    cudaTextureAddressMode addressMode[3] = {};
    cudaChannelFormatDesc channelDesc = poise_channels<T>::desc();
    int sRGB = 0;
    cudaTextureObject_t object = 0;
};

/* What a fetch gives: numbers of the array, or shares of their range. */
template <class T, cudaTextureReadMode mode> struct poise_fetched {
    typedef T type;
};
#define POISE_SHARES(one) \
    template <> struct poise_fetched<one##1, cudaReadModeNormalizedFloat> { \
        typedef float1 type; \
    }; \
    template <> struct poise_fetched<one##2, cudaReadModeNormalizedFloat> { \
        typedef float2 type; \
    }; \
    template <> struct poise_fetched<one##4, cudaReadModeNormalizedFloat> { \
        typedef float4 type; \
    };
POISE_SHARES(char)
POISE_SHARES(uchar)
POISE_SHARES(short)
POISE_SHARES(ushort)
#undef POISE_SHARES
#define POISE_SHARE(one) \
    template <> struct poise_fetched<one, cudaReadModeNormalizedFloat> { \
        typedef float type; \
    };
POISE_SHARE(char)
POISE_SHARE(signed char)
POISE_SHARE(unsigned char)
POISE_SHARE(short)
POISE_SHARE(unsigned short)
#undef POISE_SHARE

/* ---- the host's side ---- */

template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(poise_texture<T, dim, mode> &t)
{
    const cudaError_t result = t.object ? cudaDestroyTextureObject(t.object) : cudaSuccess;
    t.object = 0;
    return result;
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t poise_bind(poise_texture<T, dim, mode> &t, const cudaResourceDesc &resource)
{
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    for (int i = 0; i < 3; i++) /* numbers of texels do not wrap around */
        desc.addressMode[i] =
            !t.normalized && t.addressMode[i] == cudaAddressModeWrap ? cudaAddressModeClamp : t.addressMode[i];
    desc.filterMode = t.filterMode;
    desc.readMode = mode;
    desc.normalizedCoords = t.normalized;
    cudaUnbindTexture(t);
    return cudaCreateTextureObject(&t.object, &resource, &desc, NULL);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, poise_texture<T, dim, mode> &t, const void *data,
                                          const cudaChannelFormatDesc &format, size_t size = UINT_MAX)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(data);
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = size == UINT_MAX ? (size_t)1 << 27 : size;
    if (offset) *offset = 0;
    return poise_bind(t, resource);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, poise_texture<T, dim, mode> &t, const void *data,
                                          size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, t, data, cudaCreateChannelDesc<T>(), size);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, poise_texture<T, dim, mode> &t, const void *data,
                                            const cudaChannelFormatDesc &format, size_t width, size_t height,
                                            size_t pitch)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<void *>(data);
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (offset) *offset = 0;
    return poise_bind(t, resource);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, poise_texture<T, dim, mode> &t, const void *data,
                                            size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, t, data, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(poise_texture<T, dim, mode> &t, cudaArray_const_t array)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return poise_bind(t, resource);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(poise_texture<T, dim, mode> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &)
{
    return cudaBindTextureToArray(t, array);
}
/* As C calls them. */
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, poise_texture<T, dim, mode> *t, const void *data,
                                          const cudaChannelFormatDesc *format, size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, *t, data, *format, size);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, poise_texture<T, dim, mode> *t, const void *data,
                                            const cudaChannelFormatDesc *format, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, *t, data, *format, width, height, pitch);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(poise_texture<T, dim, mode> *t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc *)
{
    return cudaBindTextureToArray(*t, array);
}
template <class T, int dim, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(poise_texture<T, dim, mode> *t)
{
    return cudaUnbindTexture(*t);
}

/* ---- the device's side ---- */

#define POISE_FETCH \
    template <class T, int dim, cudaTextureReadMode mode> static __device__ inline typename poise_fetched<T, mode>::type
POISE_FETCH tex1Dfetch(const poise_texture<T, dim, mode> &t, int x)
{
    return tex1Dfetch<typename poise_fetched<T, mode>::type>(t.object, x);
}
POISE_FETCH tex1D(const poise_texture<T, dim, mode> &t, float x)
{
    return tex1D<typename poise_fetched<T, mode>::type>(t.object, x);
}
POISE_FETCH tex2D(const poise_texture<T, dim, mode> &t, float x, float y)
{
    return tex2D<typename poise_fetched<T, mode>::type>(t.object, x, y);
}
POISE_FETCH tex3D(const poise_texture<T, dim, mode> &t, float x, float y, float z)
{
    return tex3D<typename poise_fetched<T, mode>::type>(t.object, x, y, z);
}
#undef POISE_FETCH
/* The word also stands for the type of what a function gives or takes: attributes that do not apply there are passed
 * over, and such a function may be called from both sides. */
#pragma nv_diag_suppress 1835
#define texture __host__ __device__ __managed__ poise_texture
#endif
