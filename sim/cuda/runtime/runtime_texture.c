/* Arrays, textures and surfaces of the runtime API, on the driver's. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

static const struct {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
} formats[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

static cudaError_t to_format(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned *channels)
{
    const int bits[] = {d->x, d->y, d->z, d->w};
    for (*channels = 0; *channels < 4 && bits[*channels] == d->x; ++*channels) continue;
    for (unsigned k = *channels; k < 4; k++)
        if (bits[k]) return cudaErrorInvalidChannelDescriptor;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].kind == d->f && formats[i].bits == d->x) return *format = formats[i].format, cudaSuccess;
    return cudaErrorInvalidChannelDescriptor;
}

static struct cudaChannelFormatDesc from_format(CUarray_format format, unsigned channels)
{
    struct cudaChannelFormatDesc d = {0, 0, 0, 0, cudaChannelFormatKindNone};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].format == format) {
            const int bits = formats[i].bits;
            d = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                               channels > 3 ? bits : 0, formats[i].kind};
        }
    return d;
}

/* ---- arrays ---- */
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {extent.width, extent.height, extent.depth, CU_AD_FORMAT_FLOAT, 0, flags};
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!array || !desc)) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) error = to_format(desc, &d.Format, &d.NumChannels);
    if (error == cudaSuccess) error = (cudaError_t)cuArray3DCreate(array, &d);
    return runtime_note(error);
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && array) error = (cudaError_t)cuArrayDestroy(array);
    return runtime_note(error);
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuArray3DGetDescriptor(&d, array);
    if (error != cudaSuccess) return runtime_note(error);
    if (desc) *desc = from_format(d.Format, d.NumChannels);
    if (extent) *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags) *flags = d.Flags;
    return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return desc ? cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array)
                : runtime_note(cudaErrorInvalidValue);
}

/* ---- copies ---- */
static CUmemorytype side_type(const void *pointer)
{
    return memory_covers((uintptr_t)pointer) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

/* Columns of a 3D copy are bytes where no array takes part, else texels. */
static size_t texel_bytes(cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    struct ptx_texture t;
    return cuArray3DGetDescriptor(&d, array) == CUDA_SUCCESS && format_of(d.Format, d.NumChannels, &t)
               ? t.channels * t.channel_bits / 8u
               : 1;
}

CUDA_MEMCPY3D runtime_box(const struct cudaMemcpy3DParms *p)
{
    const size_t unit = p->srcArray ? texel_bytes(p->srcArray) : p->dstArray ? texel_bytes(p->dstArray) : 1;
    return (CUDA_MEMCPY3D){.srcXInBytes = p->srcPos.x * (p->srcArray ? unit : 1),
                           .srcY = p->srcPos.y,
                           .srcZ = p->srcPos.z,
                           .srcMemoryType = p->srcArray ? CU_MEMORYTYPE_ARRAY : side_type(p->srcPtr.ptr),
                           .srcHost = p->srcPtr.ptr,
                           .srcDevice = (uintptr_t)p->srcPtr.ptr,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPtr.pitch,
                           .srcHeight = p->srcPtr.ysize,
                           .dstXInBytes = p->dstPos.x * (p->dstArray ? unit : 1),
                           .dstY = p->dstPos.y,
                           .dstZ = p->dstPos.z,
                           .dstMemoryType = p->dstArray ? CU_MEMORYTYPE_ARRAY : side_type(p->dstPtr.ptr),
                           .dstHost = p->dstPtr.ptr,
                           .dstDevice = (uintptr_t)p->dstPtr.ptr,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPtr.pitch,
                           .dstHeight = p->dstPtr.ysize,
                           .WidthInBytes = p->extent.width * unit,
                           .Height = p->extent.height,
                           .Depth = p->extent.depth};
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr)))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    const CUDA_MEMCPY3D copy = runtime_box(p);
    return runtime_note_driver(cuMemcpy3DAsync(&copy, stream));
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return cudaMemcpy3DAsync(p, NULL); }

static cudaError_t copy_2d(CUDA_MEMCPY2D copy, cudaStream_t stream)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuMemcpy2DAsync(&copy, stream);
    return runtime_note(error);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind; /* the address says it */
    return copy_2d((CUDA_MEMCPY2D){.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .dstArray = to,
                                   .dstXInBytes = x,
                                   .dstY = y,
                                   .srcMemoryType = side_type(from),
                                   .srcHost = from,
                                   .srcDevice = (uintptr_t)from,
                                   .srcPitch = pitch,
                                   .WidthInBytes = width,
                                   .Height = height},
                   stream);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    return copy_2d((CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .srcArray = (cudaArray_t)(uintptr_t)from,
                                   .srcXInBytes = x,
                                   .srcY = y,
                                   .dstMemoryType = side_type(to),
                                   .dstHost = to,
                                   .dstDevice = (uintptr_t)to,
                                   .dstPitch = pitch,
                                   .WidthInBytes = width,
                                   .Height = height},
                   stream);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    (void)kind;
    return copy_2d((CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .srcArray = (cudaArray_t)(uintptr_t)from,
                                   .srcXInBytes = from_x,
                                   .srcY = from_y,
                                   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .dstArray = to,
                                   .dstXInBytes = to_x,
                                   .dstY = to_y,
                                   .WidthInBytes = width,
                                   .Height = height},
                   NULL);
}

/* Old programs copy a whole array as one run of bytes: rows from (x, y) on. */
static cudaError_t run_of_bytes(cudaArray_t array, size_t x, size_t y, unsigned char *pointer, size_t bytes,
                                bool to_array, cudaStream_t stream)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuArray3DGetDescriptor(&d, array);
    const size_t row = error == cudaSuccess ? d.Width * texel_bytes(array) : 0;
    while (error == cudaSuccess && bytes) {
        const size_t n = bytes < row - x ? bytes : row - x;
        if (x >= row) return runtime_note(cudaErrorInvalidValue);
        error = to_array ? cudaMemcpy2DToArrayAsync(array, x, y, pointer, n, n, 1, cudaMemcpyDefault, stream)
                         : cudaMemcpy2DFromArrayAsync(pointer, n, array, x, y, n, 1, cudaMemcpyDefault, stream);
        pointer += n;
        bytes -= n;
        x = 0;
        y++;
    }
    return runtime_note(error);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return (void)kind, run_of_bytes(to, x, y, (unsigned char *)(uintptr_t)from, bytes, true, stream);
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return (void)kind, run_of_bytes((cudaArray_t)(uintptr_t)from, x, y, to, bytes, false, stream);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, NULL);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, NULL);
}
/* A run of bytes from one array into another goes through the host. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t bytes, enum cudaMemcpyKind kind)
{
    unsigned char *between = malloc(bytes ? bytes : 1);
    if (!between) return runtime_note(cudaErrorMemoryAllocation);
    cudaError_t error = cudaMemcpyFromArray(between, from, from_x, from_y, bytes, kind);
    if (error == cudaSuccess) error = cudaMemcpyToArray(to, to_x, to_y, between, bytes, kind);
    free(between);
    return error;
}

/* ---- objects ---- */
static cudaError_t to_resource(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (CUresourcetype)r->resType;
    switch (r->resType) {
    case cudaResourceTypeArray: out->res.array.hArray = r->res.array.array; return cudaSuccess;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return to_format(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return to_format(&r->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
    default: return cudaErrorNotSupported;
    }
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *t, const struct cudaResourceViewDesc *view)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC d = {0};
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!object || !resource || !t)) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) error = to_resource(resource, &r);
    if (error != cudaSuccess) return runtime_note(error);
    for (int k = 0; k < 3; k++) d.addressMode[k] = (CUaddress_mode)t->addressMode[k];
    d.filterMode = (CUfilter_mode)t->filterMode;
    d.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
              (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
              (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
    return runtime_note_driver(cuTexObjectCreate(object, &r, &d, (const CUDA_RESOURCE_VIEW_DESC *)view));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuTexObjectDestroy(object);
    return runtime_note(error);
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t object)
{
    CUDA_RESOURCE_DESC r;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = out ? (cudaError_t)cuTexObjectGetResourceDesc(&r, object) : cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    memset(out, 0, sizeof *out);
    out->resType = (enum cudaResourceType)r.resType;
    if (r.resType == CU_RESOURCE_TYPE_ARRAY) {
        out->res.array.array = r.res.array.hArray;
    } else if (r.resType == CU_RESOURCE_TYPE_LINEAR) {
        out->res.linear.devPtr = (void *)(uintptr_t)r.res.linear.devPtr;
        out->res.linear.desc = from_format(r.res.linear.format, r.res.linear.numChannels);
        out->res.linear.sizeInBytes = r.res.linear.sizeInBytes;
    } else {
        out->res.pitch2D.devPtr = (void *)(uintptr_t)r.res.pitch2D.devPtr;
        out->res.pitch2D.desc = from_format(r.res.pitch2D.format, r.res.pitch2D.numChannels);
        out->res.pitch2D.width = r.res.pitch2D.width;
        out->res.pitch2D.height = r.res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r.res.pitch2D.pitchInBytes;
    }
    return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t object)
{
    CUDA_TEXTURE_DESC d;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = out ? (cudaError_t)cuTexObjectGetTextureDesc(&d, object) : cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    *out = (struct cudaTextureDesc){.filterMode = (enum cudaTextureFilterMode)d.filterMode,
                                    .readMode = d.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                                                  : cudaReadModeNormalizedFloat,
                                    .normalizedCoords = d.flags & CU_TRSF_NORMALIZED_COORDINATES ? 1 : 0};
    for (int k = 0; k < 3; k++) out->addressMode[k] = (enum cudaTextureAddressMode)d.addressMode[k];
    return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    CUDA_RESOURCE_DESC r;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!object || !resource)) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) error = to_resource(resource, &r);
    if (error == cudaSuccess) error = (cudaError_t)cuSurfObjectCreate(object, &r);
    return runtime_note(error);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuSurfObjectDestroy(object);
    return runtime_note(error);
}

/* ---- references: the program's struct has the settings, as they are when it binds ---- */
static cudaError_t prepare(CUtexref *out, const struct textureReference *t, const struct cudaChannelFormatDesc *desc)
{
    CUarray_format format;
    unsigned channels;
    if (!t || !desc) return cudaErrorInvalidValue;
    cudaError_t error = runtime_reference(out, t);
    if (error == cudaSuccess) error = to_format(desc, &format, &channels);
    if (error == cudaSuccess) error = (cudaError_t)cuTexRefSetFormat(*out, format, (int)channels);
    for (int k = 0; k < 3 && error == cudaSuccess; k++)
        error = (cudaError_t)cuTexRefSetAddressMode(*out, k, (CUaddress_mode)t->addressMode[k]);
    if (error == cudaSuccess) error = (cudaError_t)cuTexRefSetFilterMode(*out, (CUfilter_mode)t->filterMode);
    /* Whether integers are read as they are is in the type of the reference: in the code, as the type of the result. */
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetFlags(*out, t->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u);
    return error;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t bytes)
{
    CUtexref r;
    cudaError_t error = prepare(&r, t, desc);
    if (error == cudaSuccess) error = (cudaError_t)cuTexRefSetAddress(offset, r, (uintptr_t)pointer, bytes);
    return runtime_note(error);
}
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    CUtexref r;
    CUDA_ARRAY_DESCRIPTOR d = {width, height, CU_AD_FORMAT_FLOAT, 1};
    cudaError_t error = prepare(&r, t, desc);
    if (error == cudaSuccess) error = to_format(desc, &d.Format, &d.NumChannels);
    if (error == cudaSuccess) error = (cudaError_t)cuTexRefSetAddress2D(r, &d, (uintptr_t)pointer, pitch);
    if (error == cudaSuccess && offset) *offset = 0;
    return runtime_note(error);
}
cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    CUtexref r;
    cudaError_t error = prepare(&r, t, desc);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetArray(r, (cudaArray_t)(uintptr_t)array, CU_TRSA_OVERRIDE_FORMAT);
    return runtime_note(error);
}
cudaError_t cudaUnbindTexture(const struct textureReference *t)
{
    CUtexref r;
    cudaError_t error = runtime_reference(&r, t);
    if (error == cudaSuccess) error = (cudaError_t)cuTexRefSetAddress(NULL, r, 0, 0);
    return runtime_note(error);
}
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t)
{
    if (!offset || !t) return runtime_note(cudaErrorInvalidValue);
    *offset = 0;
    return cudaSuccess;
}
cudaError_t cudaGetTextureReference(const struct textureReference **reference, const void *symbol)
{
    CUtexref r;
    if (!reference) return runtime_note(cudaErrorInvalidValue);
    *reference = symbol;
    return runtime_note(runtime_reference(&r, symbol));
}
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    CUtexref r;
    (void)desc; /* the array's own */
    cudaError_t error = runtime_reference(&r, s);
    if (error == cudaSuccess) error = (cudaError_t)cuSurfRefSetArray(r, (cudaArray_t)(uintptr_t)array, 0);
    return runtime_note(error);
}
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **reference, const void *symbol)
{
    CUtexref r;
    if (!reference) return runtime_note(cudaErrorInvalidValue);
    *reference = symbol;
    return runtime_note(runtime_reference(&r, symbol));
}
