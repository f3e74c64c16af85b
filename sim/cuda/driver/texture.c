/* Texture and surface references of modules, texture and surface objects. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>

/* ---- references ---- */
CUresult references_new(CUmodule module)
{
    module->n_references = ptx_module_n_textures(module->ptx);
    module->references = calloc(module->n_references + 1, sizeof *module->references);
    if (!module->references) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for texture references");
    for (size_t i = 0; i < module->n_references; i++)
        module->references[i] =
            (struct CUtexref_st){.module = module,
                                 .index = i,
                                 .texture = {.address_mode = {PTX_TEXTURE_CLAMP, PTX_TEXTURE_CLAMP, PTX_TEXTURE_CLAMP},
                                             .channels = 1,
                                             .channel_bits = 32,
                                             .kind = 'f'}};
    return CUDA_SUCCESS;
}

static CUresult reference_find(CUcontext context, CUtexref reference)
{
    for (CUmodule m = context->modules; m; m = m->next)
        for (size_t i = 0; i < m->n_references; i++)
            if (&m->references[i] == reference) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_HANDLE, "not a texture or surface reference of the current context");
}

static CUresult get_reference(const char *function, CUtexref *reference, CUmodule module, const char *name)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!reference || !name))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL", function);
    if (result == CUDA_SUCCESS) result = module_find(context, module);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    for (size_t i = 0; i < module->n_references; i++)
        if (strcmp(ptx_module_texture_name(module->ptx, i), name) == 0)
            return *reference = &module->references[i], shim_unlock(s, CUDA_SUCCESS);
    return shim_unlock(s, shim_fail(CUDA_ERROR_NOT_FOUND, "the module has no texture or surface '%s'", name));
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
    return get_reference("cuModuleGetTexRef", reference, module, name);
}
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
    return get_reference("cuModuleGetSurfRef", reference, module, name);
}

static void fill_from_array(struct ptx_texture *t, const struct CUarray_st *a)
{
    format_of(a->desc.Format, a->desc.NumChannels, t);
    t->address = a->address;
    t->pitch = a->pitch;
    t->slice_pitch = a->slice_pitch;
    t->width = (uint32_t)a->desc.Width;
    t->height = (uint32_t)a->desc.Height;
    t->depth = (uint32_t)a->desc.Depth;
    t->is_linear_memory = false;
}

static void bind(CUtexref r)
{
    ptx_module_bind_texture(r->module->ptx, r->index, r->texture.address ? &r->texture : NULL);
}

/* A setter: the lock, the checks, one change. */
#define SETTER(condition, text, ...) \
    do { \
        struct shim *s = shim_lock(); \
        CUcontext context; \
        CUresult result = shim_ready(s, &context); \
        if (result == CUDA_SUCCESS) result = reference_find(context, reference); \
        if (result == CUDA_SUCCESS && !(condition)) result = shim_fail(CUDA_ERROR_INVALID_VALUE, text); \
        if (result == CUDA_SUCCESS) { \
            __VA_ARGS__; \
            bind(reference); \
        } \
        return shim_unlock(s, result); \
    } while (0)

static CUresult set_array(CUtexref reference, CUarray array)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = reference_find(context, reference);
    if (result == CUDA_SUCCESS) result = array_find(context, array);
    if (result == CUDA_SUCCESS) {
        fill_from_array(&reference->texture, array);
        bind(reference);
    }
    return shim_unlock(s, result);
}
CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags)
{
    return (void)flags, set_array(reference, array);
}
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags)
{
    return (void)flags, set_array(reference, array);
}

CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels)
{
    SETTER(format_of(format, (unsigned)channels, &reference->texture), "cuTexRefSetFormat: no such format", (void)0);
}
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode)
{
    SETTER(dimension >= 0 && dimension < 3 && (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER,
           "cuTexRefSetAddressMode: no such dimension or mode",
           reference->texture.address_mode[dimension] = (uint8_t)mode);
}
CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode)
{
    SETTER((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, "cuTexRefSetFilterMode: no such mode",
           reference->texture.filters = mode == CU_TR_FILTER_MODE_LINEAR);
}
CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags)
{
    SETTER(flags < 64, "cuTexRefSetFlags: unknown flags",
           reference->texture.reads_unit = !(flags & CU_TRSF_READ_AS_INTEGER);
           reference->texture.is_normalised = flags & CU_TRSF_NORMALIZED_COORDINATES);
}
CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref reference)
{
    SETTER(flags, "cuTexRefGetFlags: NULL",
           *flags = (reference->texture.reads_unit ? 0u : CU_TRSF_READ_AS_INTEGER) |
                    (reference->texture.is_normalised ? CU_TRSF_NORMALIZED_COORDINATES : 0u));
}
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference)
{
    return (void)function, (void)unit, (void)reference, CUDA_SUCCESS;
}

static CUresult linear(const struct shim *s, struct ptx_texture *t, uint64_t address, size_t bytes)
{
    unsigned char *host;
    const uint32_t texel = t->channels * t->channel_bits / 8u;
    if (!bytes) return shim_fail(CUDA_ERROR_INVALID_VALUE, "texture: 0 bytes of linear memory");
    /* Programs bind more than they allocated (all that may follow); what lies in no allocation is never fetched. */
    const struct allocation *a = memory_find(&s->memory, address);
    if (a && bytes > a->hi - address) bytes = a->hi - address;
    const CUresult result = device_range(s, "texture", address, bytes, &host);
    if (result != CUDA_SUCCESS) return result;
    if (bytes / texel > UINT32_MAX)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "texture: %zu bytes of linear memory", bytes);
    t->address = address;
    t->width = (uint32_t)(bytes / texel);
    t->height = t->depth = 0;
    t->pitch = t->slice_pitch = 0;
    t->is_linear_memory = true;
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddress(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = reference_find(context, reference);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (address == 0) reference->texture.address = 0;
    else result = linear(s, &reference->texture, address, bytes);
    if (result == CUDA_SUCCESS) {
        if (offset) *offset = 0; /* any address will do */
        bind(reference);
    }
    return shim_unlock(s, result);
}

static CUresult pitched(const struct shim *s, struct ptx_texture *t, uint64_t address, size_t width, size_t height,
                        size_t pitch)
{
    unsigned char *host;
    const uint32_t texel = t->channels * t->channel_bits / 8u;
    if (!width || !height || width > 1u << 20 || height > 1u << 20 || width * texel > pitch)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "texture: %zu x %zu texels with a pitch of %zu bytes", width, height,
                         pitch);
    const CUresult result = device_range(s, "texture", address, pitch * (height - 1) + width * texel, &host);
    if (result != CUDA_SUCCESS) return result;
    t->address = address;
    t->pitch = pitch;
    t->slice_pitch = pitch * height;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->depth = 0;
    t->is_linear_memory = false;
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddress2D(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address, size_t pitch)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = reference_find(context, reference);
    if (result == CUDA_SUCCESS && (!d || !format_of(d->Format, d->NumChannels, &reference->texture)))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefSetAddress2D: NULL or no such format");
    if (result == CUDA_SUCCESS) result = pitched(s, &reference->texture, address, d->Width, d->Height, pitch);
    if (result == CUDA_SUCCESS) bind(reference);
    return shim_unlock(s, result);
}

/* ---- objects ---- */
void objects_free(CUcontext context)
{
    for (struct texture_object *o; (o = context->objects); free(o)) context->objects = o->next;
}

static struct texture_object *object_find(CUcontext context, uint64_t handle, bool is_surface)
{
    for (struct texture_object *o = context->objects; o; o = o->next)
        if (o->handle == handle && o->is_surface == is_surface) return o;
    shim_fail(CUDA_ERROR_INVALID_HANDLE, "0x%llx is no %s object of the current context", (unsigned long long)handle,
              is_surface ? "surface" : "texture");
    return NULL;
}

static CUresult fill_resource(CUcontext context, const struct shim *s, const CUDA_RESOURCE_DESC *r,
                              struct ptx_texture *t)
{
    CUresult result;
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        result = array_find(context, r->res.array.hArray);
        if (result == CUDA_SUCCESS) fill_from_array(t, r->res.array.hArray);
        return result;
    case CU_RESOURCE_TYPE_LINEAR:
        if (!format_of(r->res.linear.format, r->res.linear.numChannels, t)) break;
        return linear(s, t, r->res.linear.devPtr, r->res.linear.sizeInBytes);
    case CU_RESOURCE_TYPE_PITCH2D:
        if (!format_of(r->res.pitch2D.format, r->res.pitch2D.numChannels, t)) break;
        return pitched(s, t, r->res.pitch2D.devPtr, r->res.pitch2D.width, r->res.pitch2D.height,
                       r->res.pitch2D.pitchInBytes);
    default: return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "texture: mipmapped arrays");
    }
    return shim_fail(CUDA_ERROR_INVALID_VALUE, "texture: no such format");
}

static CUresult object_new(bool is_surface, uint64_t *handle, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *desc)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    struct texture_object *o = result == CUDA_SUCCESS ? calloc(1, sizeof *o) : NULL;
    if (result == CUDA_SUCCESS && !o) result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a texture object");
    if (result == CUDA_SUCCESS) result = fill_resource(context, s, resource, &o->texture);
    if (result == CUDA_SUCCESS && is_surface && resource->resType != CU_RESOURCE_TYPE_ARRAY)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "a surface is made from an array");
    if (result != CUDA_SUCCESS) {
        free(o);
        return shim_unlock(s, result);
    }
    o->is_surface = is_surface;
    o->resource = *resource;
    o->context = context;
    if (desc) {
        o->desc = *desc;
        o->texture.filters = desc->filterMode == CU_TR_FILTER_MODE_LINEAR;
        o->texture.reads_unit = !(desc->flags & CU_TRSF_READ_AS_INTEGER);
        o->texture.is_normalised = desc->flags & CU_TRSF_NORMALIZED_COORDINATES;
        for (int k = 0; k < 3; k++) o->texture.address_mode[k] = (uint8_t)desc->addressMode[k];
    }
    *handle = o->handle = TEXTURE_OBJECT_BASE + ++s->objects;
    o->next = context->objects;
    context->objects = o;
    return shim_unlock(s, CUDA_SUCCESS);
}

static CUresult object_drop(uint64_t handle, bool is_surface)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    struct texture_object *o = result == CUDA_SUCCESS ? object_find(context, handle, is_surface) : NULL;
    if (result == CUDA_SUCCESS && !o) result = CUDA_ERROR_INVALID_HANDLE;
    if (o) {
        struct texture_object **link = &context->objects;
        while (*link != o) link = &(*link)->next;
        *link = o->next;
        free(o);
    }
    return shim_unlock(s, result);
}

static CUresult object_desc(uint64_t handle, bool is_surface, CUDA_RESOURCE_DESC *resource, CUDA_TEXTURE_DESC *texture)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    const struct texture_object *o = result == CUDA_SUCCESS ? object_find(context, handle, is_surface) : NULL;
    if (result == CUDA_SUCCESS && !o) result = CUDA_ERROR_INVALID_HANDLE;
    if (o && resource) *resource = o->resource;
    if (o && texture) *texture = o->desc;
    return shim_unlock(s, result);
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    if (!object || !resource || !texture) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate: NULL");
    if (view) return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate: resource views");
    for (int k = 0; k < 3; k++)
        if ((unsigned)texture->addressMode[k] > CU_TR_ADDRESS_MODE_BORDER)
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate: address mode %d",
                             (int)texture->addressMode[k]);
    if (texture->flags & CU_TRSF_SEAMLESS_CUBEMAP && texture->filterMode == CU_TR_FILTER_MODE_LINEAR)
        return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate: filtering across the edges of a cube's faces");
    uint64_t handle;
    const CUresult result = object_new(false, &handle, resource, texture);
    if (result == CUDA_SUCCESS) *object = handle;
    return result;
}
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    if (!object || !resource) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuSurfObjectCreate: NULL");
    uint64_t handle;
    const CUresult result = object_new(true, &handle, resource, NULL);
    if (result == CUDA_SUCCESS) *object = handle;
    return result;
}
CUresult cuTexObjectDestroy(CUtexObject object) { return object_drop(object, false); }
CUresult cuSurfObjectDestroy(CUsurfObject object) { return object_drop(object, true); }
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    return object_desc(object, false, resource, NULL);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    return object_desc(object, false, NULL, texture);
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    return object_desc(object, true, resource, NULL);
}
