/* What programs ask of contexts, modules, functions, pointers and streams, and settings that change nothing on a device
 * whose work is done when a call returns. */
#include "driver/shim.h"

#include <string.h>

int shim_not_offered(const char *name);
int shim_not_offered(const char *name)
{
    return (int)shim_fail(CUDA_ERROR_NOT_SUPPORTED, "%s is not offered by the functional device (sim/cuda/README.md)",
                          name);
}

/* Ready, and what is asked for has a place to go. */
static CUresult ask(const char *function, const void *out)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && !out) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL", function);
    return shim_unlock(s, result);
}
static CUresult one_device(const char *function, CUdevice device)
{
    const CUresult result = ask(function, function);
    if (result != CUDA_SUCCESS || device == 0) return result;
    return shim_fail(CUDA_ERROR_INVALID_DEVICE, "%s: device %d: there is one device, 0", function, device);
}

/* ---- the device ---- */
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    const CUresult result = uuid ? one_device("cuDeviceGetUuid", device) : ask("cuDeviceGetUuid", NULL);
    if (result == CUDA_SUCCESS) memset(uuid, 0, sizeof *uuid);
    return result;
}
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    const CUresult result =
        text && length > 0 ? one_device("cuDeviceGetPCIBusId", device) : ask("cuDeviceGetPCIBusId", NULL);
    if (result == CUDA_SUCCESS) snprintf(text, (size_t)length, "0000:00:00.0");
    return result;
}
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    const CUresult result = ask("cuDeviceGetByPCIBusId", device && text ? text : NULL);
    if (result != CUDA_SUCCESS) return result;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4 &&
        sscanf(text, "%x:%x.%x", &bus, &slot, &function) != 3)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetByPCIBusId: %s is not domain:bus:device.function", text);
    if (domain | bus | slot | function)
        return shim_fail(CUDA_ERROR_INVALID_DEVICE, "cuDeviceGetByPCIBusId: the only device is at 0000:00:00.0, not %s",
                         text);
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    const CUresult result =
        can ? one_device("cuDeviceCanAccessPeer", device ? device : peer) : ask("cuDeviceCanAccessPeer", NULL);
    if (result == CUDA_SUCCESS) *can = 0; /* a device is not its own peer */
    return result;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    (void)peer, (void)flags;
    return shim_fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "cuCtxEnablePeerAccess: there is one device");
}
CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    return shim_fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "cuCtxDisablePeerAccess: there is one device");
}

/* ---- contexts ---- */
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    (void)flags; /* how a thread waits: work is done already */
    return one_device("cuDevicePrimaryCtxSetFlags", device);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *is_active)
{
    const CUresult result =
        flags && is_active ? one_device("cuDevicePrimaryCtxGetState", device) : ask("cuDevicePrimaryCtxGetState", NULL);
    if (result != CUDA_SUCCESS) return result;
    struct shim *s = shim_lock();
    *is_active = s->primary != NULL;
    *flags = CU_CTX_MAP_HOST;
    return shim_unlock(s, CUDA_SUCCESS);
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    const CUresult result = ask("cuCtxGetCacheConfig", config);
    if (result == CUDA_SUCCESS) *config = CU_FUNC_CACHE_PREFER_NONE;
    return result;
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    const CUresult result = ask("cuCtxGetSharedMemConfig", config);
    if (result == CUDA_SUCCESS) *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return result;
}
static CUresult set_banks(const char *function, CUsharedconfig config)
{
    if ((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE) return ask(function, function);
    return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: no configuration %d", function, (int)config);
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) { return set_banks("cuCtxSetSharedMemConfig", config); }
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    CUmodule module;
    const CUresult result = cuFuncGetModule(&module, function);
    return result == CUDA_SUCCESS ? set_banks("cuFuncSetSharedMemConfig", config) : result;
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    const CUresult result = ask("cuCtxGetStreamPriorityRange", "");
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return result;
}
CUresult cuCtxResetPersistingL2Cache(void) { return ask("cuCtxResetPersistingL2Cache", ""); }

/* ---- modules and functions ---- */
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleGetLoadingMode: NULL");
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    return cuLibraryGetKernelCount(count, (CUlibrary)(void *)module); /* a library is a module here */
}
static CUresult known_function(const char *name, CUfunction function, const void *out)
{
    CUcontext context;
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = function_find(context, function);
    if (result == CUDA_SUCCESS && !out) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL", name);
    return shim_unlock(s, result);
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    const CUresult result = known_function("cuFuncGetModule", function, module);
    if (result == CUDA_SUCCESS) *module = function->module;
    return result;
}
CUresult cuFuncGetName(const char **name, CUfunction function)
{
    const CUresult result = known_function("cuFuncGetName", function, name);
    if (result == CUDA_SUCCESS) *name = function->info->name;
    return result;
}

/* ---- memory ---- */
CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
    const CUresult result = ask("cuMemHostGetFlags", flags);
    if (result != CUDA_SUCCESS) return result;
    struct shim *s = shim_lock();
    const struct allocation *a = memory_covers((uintptr_t)host) ? memory_find(&s->memory, (uintptr_t)host) : NULL;
    const bool is_pinned = (a && a->kind == ALLOCATION_PINNED) || memory_find_registered(&s->memory, host);
    shim_unlock(s, CUDA_SUCCESS);
    if (!is_pinned) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostGetFlags: %p is not pinned memory", host);
    *flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}

static CUresult attribute_of(const struct allocation *a, CUdeviceptr pointer, CUpointer_attribute attribute,
                             void *value)
{
    const bool is_managed = a->kind == ALLOCATION_MANAGED, is_registered = a->kind == ALLOCATION_REGISTERED,
               is_pinned = a->kind == ALLOCATION_PINNED || is_registered;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return *(CUcontext *)value = a->owner, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return *(unsigned *)value = is_pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return *(CUdeviceptr *)value = pointer, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_pinned && !is_managed) return CUDA_ERROR_INVALID_VALUE;
        *(void **)value = is_registered ? a->host + (pointer - a->lo) : (void *)(uintptr_t)pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return *(unsigned long long *)value = a->lo, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return *(unsigned *)value = is_managed, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return *(int *)value = 0, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return *(CUdeviceptr *)value = a->lo, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return *(size_t *)value = a->hi - a->lo, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED: return *(bool *)value = true, CUDA_SUCCESS;
    default: return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuPointerGetAttribute: attribute %d", (int)attribute);
    }
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    const struct allocation *a = memory_covers(pointer)
                                     ? memory_find(&s->memory, pointer)
                                     : memory_find_registered(&s->memory, (void *)(uintptr_t)pointer);
    if (a && !memory_covers(pointer)) pointer = a->lo + (pointer - (uintptr_t)a->host);
    if (result == CUDA_SUCCESS && (!value || !a))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuPointerGetAttribute: %s",
                           value ? "memory that CUDA has not given out" : "NULL");
    if (result == CUDA_SUCCESS) result = attribute_of(a, pointer, attribute, value);
    return shim_unlock(s, result);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    (void)to_context, (void)from_context; /* of one device */
    return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes)
{
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}

/* Row by row of `width` items of the size. */
#define FILL_ROWS(bits, type) \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, \
                                      CUstream stream) \
    { \
        CUresult result = CUDA_SUCCESS; \
        if (height > 1 && pitch < width * sizeof(type)) \
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemsetD2D" #bits ": pitch %zu is less than a row", pitch); \
        for (size_t y = 0; result == CUDA_SUCCESS && y < height; y++) \
            result = cuMemsetD##bits##Async(to + y * pitch, value, width, stream); \
        return result; \
    } \
    CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) \
    { \
        return cuMemsetD2D##bits##Async(to, pitch, value, width, height, NULL); \
    }
FILL_ROWS(8, unsigned char)
FILL_ROWS(16, unsigned short)
FILL_ROWS(32, unsigned int)

/* ---- streams and events ---- */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    CUcontext current;
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, &current);
    if (result == CUDA_SUCCESS) result = stream_find(current, stream);
    if (result == CUDA_SUCCESS && !context) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamGetCtx: NULL");
    if (result == CUDA_SUCCESS) *context = current;
    return shim_unlock(s, result);
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    CUcontext context;
    const CUresult result = device ? cuStreamGetCtx(stream, &context) : ask("cuStreamGetDevice", NULL);
    if (result == CUDA_SUCCESS) *device = 0;
    return result;
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    if (!callback || flags) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamAddCallback: NULL or flags %u", flags);
    const CUresult result = cuStreamSynchronize(stream);
    if (result == CUDA_SUCCESS) callback(stream, CUDA_SUCCESS, data);
    return result;
}
