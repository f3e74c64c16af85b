/* CUDA arrays. They lie in device memory row after row; a GPU's own order of texels is not published. Copies in up
 * to three dimensions between any two of host, device memory and arrays. */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

#define ROW_ALIGN 64u

static const struct {
    CUarray_format format;
    char kind;
    uint8_t bits;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 'u', 8},   {CU_AD_FORMAT_UNSIGNED_INT16, 'u', 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, 'u', 32}, {CU_AD_FORMAT_SIGNED_INT8, 's', 8},
    {CU_AD_FORMAT_SIGNED_INT16, 's', 16},   {CU_AD_FORMAT_SIGNED_INT32, 's', 32},
    {CU_AD_FORMAT_HALF, 'f', 16},           {CU_AD_FORMAT_FLOAT, 'f', 32},
};

bool format_of(CUarray_format format, unsigned channels, struct ptx_texture *out)
{
    if (channels != 1 && channels != 2 && channels != 4) return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format != format) continue;
        out->kind = formats[i].kind;
        out->channel_bits = formats[i].bits;
        out->channels = (uint8_t)channels;
        return true;
    }
    return false;
}

CUresult array_find(CUcontext context, CUarray array)
{
    for (CUarray a = context->arrays; a; a = a->next)
        if (a == array) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not an array of the current context");
}

void arrays_free(CUcontext context)
{
    for (CUarray a; (a = context->arrays); free(a)) context->arrays = a->next;
}

static CUresult array_new(struct shim *s, CUcontext context, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct ptx_texture texture;
    if (!format_of(d->Format, d->NumChannels, &texture))
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "array: format 0x%x with %u channels", (unsigned)d->Format,
                         d->NumChannels);
    if (d->Width == 0 || d->Width > 1u << 27 || d->Height > 1u << 17 || d->Depth > 1u << 14)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "array: %zu x %zu x %zu texels", d->Width, d->Height, d->Depth);
    if (d->Flags & CUDA_ARRAY3D_CUBEMAP &&
        (d->Width != d->Height || (d->Flags & CUDA_ARRAY3D_LAYERED ? !d->Depth || d->Depth % 6 : d->Depth != 6)))
        return shim_fail(CUDA_ERROR_INVALID_VALUE,
                         "array: %zu x %zu x %zu texels are no cube map: faces are square, and there are six for each "
                         "cube",
                         d->Width, d->Height, d->Depth);
    const uint64_t row = d->Width * texture.channels * texture.channel_bits / 8u,
                   pitch = (row + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    const uint64_t slice = pitch * (d->Height ? d->Height : 1), bytes = slice * (d->Depth ? d->Depth : 1);
    CUarray a = calloc(1, sizeof *a);
    const uint64_t at = a ? memory_take(&s->memory, bytes, context, NULL) : 0;
    if (!at) {
        free(a);
        return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "array: no room for %llu bytes", (unsigned long long)bytes);
    }
    memory_find(&s->memory, at)->kind = ALLOCATION_ARRAY;
    *a = (struct CUarray_st){context->arrays, context, *d, at, pitch, slice};
    *out = context->arrays = a;
    return CUDA_SUCCESS;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!array || !descriptor))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuArray3DCreate: NULL");
    if (result == CUDA_SUCCESS) result = array_new(s, context, array, descriptor);
    return shim_unlock(s, result);
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuArrayCreate: NULL");
    const CUDA_ARRAY3D_DESCRIPTOR wide = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
    return cuArray3DCreate(array, &wide);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = array_find(context, array);
    if (result == CUDA_SUCCESS && !descriptor)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuArray3DGetDescriptor: NULL");
    if (result == CUDA_SUCCESS) *descriptor = array->desc;
    return shim_unlock(s, result);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult result = descriptor ? cuArray3DGetDescriptor(&d, array)
                                       : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuArrayGetDescriptor: NULL");
    if (result == CUDA_SUCCESS) *descriptor = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return result;
}

CUresult cuArrayDestroy(CUarray array)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = array_find(context, array);
    if (result == CUDA_SUCCESS) {
        CUarray *link = &context->arrays;
        while (*link != array) link = &(*link)->next;
        *link = array->next;
        memory_drop(&s->memory, memory_find(&s->memory, array->address));
        free(array);
    }
    return shim_unlock(s, result);
}

/* ---- copies ---- */
/* One side of a copy: byte (x, y, z) of it lies at base + x + y * pitch + z * slice. */
struct side {
    unsigned char *base;
    size_t pitch, slice;
};
struct wanted {
    const char *what;
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};
struct box {
    size_t width, height, depth;
};

static CUresult array_side(CUcontext context, const struct shim *s, const struct wanted *w, struct box box,
                           struct side *out)
{
    const CUresult result = array_find(context, w->array);
    if (result != CUDA_SUCCESS) return result;
    const CUarray a = w->array;
    struct ptx_texture t = {0};
    format_of(a->desc.Format, a->desc.NumChannels, &t);
    const size_t row = a->desc.Width * t.channels * t.channel_bits / 8u, rows = a->desc.Height ? a->desc.Height : 1,
                 slices = a->desc.Depth ? a->desc.Depth : 1;
    if (w->x > row || box.width > row - w->x || w->y > rows || box.height > rows - w->y || w->z > slices ||
        box.depth > slices - w->z)
        return shim_fail(
            CUDA_ERROR_INVALID_VALUE,
            "%s: (%zu, %zu, %zu) + %zu bytes x %zu x %zu lies outside of an array of %zu bytes x %zu x %zu", w->what,
            w->x, w->y, w->z, box.width, box.height, box.depth, row, rows, slices);
    out->base = memory_host(&s->memory, a->address) + w->x + w->y * a->pitch + w->z * a->slice_pitch;
    out->pitch = a->pitch;
    out->slice = a->slice_pitch;
    return CUDA_SUCCESS;
}

static CUresult side_of(CUcontext context, const struct shim *s, const struct wanted *w, struct box box,
                        struct side *out)
{
    if (w->type == CU_MEMORYTYPE_ARRAY) return array_side(context, s, w, box, out);
    const size_t pitch = w->pitch ? w->pitch : w->x + box.width, height = w->height ? w->height : w->y + box.height;
    uint64_t address = w->type == CU_MEMORYTYPE_HOST ? (uintptr_t)w->host : w->device;
    size_t slice, skip, span;
    if (w->x + box.width > pitch || w->y + box.height > height || __builtin_mul_overflow(pitch, height, &slice) ||
        __builtin_mul_overflow(w->z, slice, &skip) || __builtin_mul_overflow(box.depth - 1, slice, &span) ||
        span > SIZE_MAX / 4 || skip > SIZE_MAX / 4)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: a pitch of %zu for rows of %zu bytes", w->what, pitch,
                         w->x + box.width);
    out->pitch = pitch;
    out->slice = slice;
    address += skip + w->y * pitch + w->x;
    span += (box.height - 1) * pitch + box.width;
    return (w->type == CU_MEMORYTYPE_DEVICE ? device_range : host_range)(s, w->what, address, span, &out->base);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
    if (!c) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemcpy3D: NULL");
    const struct wanted to = {"cuMemcpy3D",   c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
                              c->dstXInBytes, c->dstY,          c->dstZ,    c->dstPitch,  c->dstHeight};
    const struct wanted from = {"cuMemcpy3D",   c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
                                c->srcXInBytes, c->srcY,          c->srcZ,    c->srcPitch,  c->srcHeight};
    const struct box box = {c->WidthInBytes, c->Height, c->Depth};
    struct shim *s = shim_lock();
    CUcontext context;
    struct side out = {0}, in = {0};
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result != CUDA_SUCCESS || !box.width || !box.height || !box.depth) return shim_unlock(s, result);
    result = side_of(context, s, &to, box, &out);
    if (result == CUDA_SUCCESS) result = side_of(context, s, &from, box, &in);
    if (result == CUDA_SUCCESS && stream_is_captured(stream))
        return shim_unlock(s, capture_work(stream, &(struct graph_work){CU_GRAPH_NODE_TYPE_MEMCPY, .copy = *c}));
    for (size_t z = 0; z < box.depth && result == CUDA_SUCCESS; z++)
        for (size_t y = 0; y < box.height; y++)
            memmove(out.base + z * out.slice + y * out.pitch, in.base + z * in.slice + y * in.pitch, box.width);
    if (result == CUDA_SUCCESS) shim_spend_copy(s, box.width * box.height * box.depth);
    return shim_unlock(s, result);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) { return cuMemcpy3DAsync(c, NULL); }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
    if (!c) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemcpy2D: NULL");
    return cuMemcpy3DAsync(&(CUDA_MEMCPY3D){.dstMemoryType = c->dstMemoryType,
                                            .dstHost = c->dstHost,
                                            .dstDevice = c->dstDevice,
                                            .dstArray = c->dstArray,
                                            .dstXInBytes = c->dstXInBytes,
                                            .dstY = c->dstY,
                                            .dstPitch = c->dstPitch,
                                            .srcMemoryType = c->srcMemoryType,
                                            .srcHost = c->srcHost,
                                            .srcDevice = c->srcDevice,
                                            .srcArray = c->srcArray,
                                            .srcXInBytes = c->srcXInBytes,
                                            .srcY = c->srcY,
                                            .srcPitch = c->srcPitch,
                                            .WidthInBytes = c->WidthInBytes,
                                            .Height = c->Height,
                                            .Depth = 1},
                           stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) { return cuMemcpy2DAsync(c, NULL); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) { return cuMemcpy2DAsync(c, NULL); }

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)
{
    return cuMemcpy2DAsync(&(CUDA_MEMCPY2D){.dstXInBytes = offset,
                                            .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                            .dstArray = to,
                                            .srcMemoryType = CU_MEMORYTYPE_HOST,
                                            .srcHost = from,
                                            .WidthInBytes = bytes,
                                            .Height = 1},
                           stream);
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
    return cuMemcpy2DAsync(&(CUDA_MEMCPY2D){.srcXInBytes = offset,
                                            .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                            .srcArray = from,
                                            .dstMemoryType = CU_MEMORYTYPE_HOST,
                                            .dstHost = to,
                                            .WidthInBytes = bytes,
                                            .Height = 1},
                           stream);
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes)
{
    return cuMemcpyHtoAAsync(to, offset, from, bytes, NULL);
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync(to, from, offset, bytes, NULL);
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    return cuMemcpy2D(&(CUDA_MEMCPY2D){.dstXInBytes = offset,
                                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                       .dstArray = to,
                                       .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                       .srcDevice = from,
                                       .WidthInBytes = bytes,
                                       .Height = 1});
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    return cuMemcpy2D(&(CUDA_MEMCPY2D){.srcXInBytes = offset,
                                       .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                       .srcArray = from,
                                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                       .dstDevice = to,
                                       .WidthInBytes = bytes,
                                       .Height = 1});
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    return cuMemcpy2D(&(CUDA_MEMCPY2D){.dstXInBytes = to_offset,
                                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                       .dstArray = to,
                                       .srcXInBytes = from_offset,
                                       .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                       .srcArray = from,
                                       .WidthInBytes = bytes,
                                       .Height = 1});
}
