/* Arrays and texture objects in either API, for the programs about textures. */
#ifndef PROGRAM_TEXTURE_H
#define PROGRAM_TEXTURE_H
#include "program.h"

enum { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
struct TextureWish { /* of floats or bytes */
    int width, height, depth;
    bool bytes, layered, surface, linear, normalised;
    int address;
    bool cube; /* six layers are the faces of a cube */
};
#ifdef PROGRAM_DRIVER
typedef CUarray TextureArray;
static inline TextureArray texture_array(const void *from, TextureWish w)
{
    driver_module();
    CUDA_ARRAY3D_DESCRIPTOR d = {};
    d.Width = (size_t)w.width, d.Height = (size_t)w.height, d.Depth = (size_t)w.depth, d.NumChannels = 1;
    d.Format = w.bytes ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT;
    d.Flags = (w.layered ? CUDA_ARRAY3D_LAYERED : 0) | (w.surface ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
              (w.cube ? CUDA_ARRAY3D_CUBEMAP : 0);
    CUarray array = NULL;
    if (cuArray3DCreate(&array, &d)) return NULL;
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = from, c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = array;
    c.WidthInBytes = c.srcPitch = (size_t)w.width * (w.bytes ? 1 : 4),
    c.srcHeight = c.Height = w.height ? (size_t)w.height : 1, c.Depth = w.depth ? (size_t)w.depth : 1;
    return !from || !cuMemcpy3D(&c) ? array : NULL;
}
static inline void texture_read(void *to, TextureArray array, TextureWish w)
{
    CUDA_MEMCPY3D c = {};
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = to, c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = array;
    c.WidthInBytes = c.dstPitch = (size_t)w.width * (w.bytes ? 1 : 4),
    c.dstHeight = c.Height = w.height ? (size_t)w.height : 1, c.Depth = w.depth ? (size_t)w.depth : 1;
    cuMemcpy3D(&c);
}
static inline unsigned long long texture_object(TextureArray array, TextureWish w)
{
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {};
    unsigned long long object = 0;
    r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = array;
    for (int k = 0; k < 3; k++) t.addressMode[k] = (CUaddress_mode)w.address;
    t.filterMode = w.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    t.flags = w.normalised ? CU_TRSF_NORMALIZED_COORDINATES : 0; /* bytes become [0, 1] */
    return w.surface ? cuSurfObjectCreate(&object, &r) : cuTexObjectCreate(&object, &r, &t, NULL), object;
}
static inline unsigned long long texture_of_memory(const void *device, size_t bytes, bool is_int)
{
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {};
    unsigned long long object = 0;
    r.resType = CU_RESOURCE_TYPE_LINEAR, r.res.linear.devPtr = (CUdeviceptr)device, r.res.linear.sizeInBytes = bytes,
    r.res.linear.numChannels = is_int ? 4 : 1;
    r.res.linear.format = is_int ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_FLOAT, t.flags = CU_TRSF_READ_AS_INTEGER;
    return cuTexObjectCreate(&object, &r, &t, NULL), object;
}
static inline void texture_drop(unsigned long long object, TextureArray array, bool surface)
{
    surface ? cuSurfObjectDestroy(object) : cuTexObjectDestroy(object);
    if (array) cuArrayDestroy(array);
}
#else
typedef cudaArray_t TextureArray;
static inline cudaMemcpy3DParms texture_copy(TextureArray array, TextureWish w, void *host, bool up)
{
    cudaMemcpy3DParms c = {};
    const cudaPitchedPtr side = make_cudaPitchedPtr(host, (size_t)w.width * (w.bytes ? 1 : 4), (size_t)w.width,
                                                    w.height ? (size_t)w.height : 1);
    c.extent = make_cudaExtent((size_t)w.width, w.height ? (size_t)w.height : 1, w.depth ? (size_t)w.depth : 1);
    c.kind = up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (up) c.srcPtr = side, c.dstArray = array;
    else c.dstPtr = side, c.srcArray = array;
    return c;
}
static inline TextureArray texture_array(const void *from, TextureWish w)
{
    const cudaChannelFormatDesc d = w.bytes ? cudaCreateChannelDesc<unsigned char>() : cudaCreateChannelDesc<float>();
    const unsigned flags = (w.layered ? cudaArrayLayered : 0) | (w.surface ? cudaArraySurfaceLoadStore : 0) |
                           (w.cube ? cudaArrayCubemap : 0);
    cudaArray_t array = NULL;
    if (cudaMalloc3DArray(&array, &d, make_cudaExtent((size_t)w.width, (size_t)w.height, (size_t)w.depth), flags))
        return NULL;
    const cudaMemcpy3DParms c = texture_copy(array, w, (void *)from, true);
    return !from || !cudaMemcpy3D(&c) ? array : NULL;
}
static inline void texture_read(void *to, TextureArray array, TextureWish w)
{
    const cudaMemcpy3DParms c = texture_copy(array, w, to, false);
    cudaMemcpy3D(&c);
}
static inline unsigned long long texture_object(TextureArray array, TextureWish w)
{
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t object = 0;
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    for (int k = 0; k < 3; k++) t.addressMode[k] = (cudaTextureAddressMode)w.address;
    t.filterMode = w.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = w.bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.normalizedCoords = w.normalised;
    return w.surface ? cudaCreateSurfaceObject(&object, &r) : cudaCreateTextureObject(&object, &r, &t, NULL), object;
}
static inline unsigned long long texture_of_memory(const void *device, size_t bytes, bool is_int)
{
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t object = 0;
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = (void *)device, r.res.linear.sizeInBytes = bytes;
    r.res.linear.desc = is_int ? cudaCreateChannelDesc<int4>() : cudaCreateChannelDesc<float>(),
    t.readMode = cudaReadModeElementType;
    return cudaCreateTextureObject(&object, &r, &t, NULL), object;
}
static inline void texture_drop(unsigned long long object, TextureArray array, bool surface)
{
    surface ? cudaDestroySurfaceObject(object) : cudaDestroyTextureObject(object);
    if (array) cudaFreeArray(array);
}
#endif
#endif
