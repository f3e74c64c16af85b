/* The device as the runtime API tells it, and the last error. */
#include "runtime/runtime.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */
/* A fault stays, however often it is asked for. */
cudaError_t cudaPeekAtLastError(void)
{
    const cudaError_t fault = runtime_fault();
    return fault ? fault : runtime_thread()->last_error;
}
cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = cudaPeekAtLastError();
    runtime_thread()->last_error = cudaSuccess;
    return error;
}

/* ---- versions ---- */
/* The major version of the runtime that the program was linked to: the 13 of libcudart.so.13, 0 if it names none. */
static int find_runtime(struct dl_phdr_info *info, size_t size, void *major)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char *strings = NULL;
        for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr; /* the loader has made it an address */
        for (const ElfW(Dyn) *d = dynamic; strings && d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED && strncmp(strings + d->d_un.d_val, "libcudart.so.", 13) == 0)
                *(int *)major = atoi(strings + d->d_un.d_val + 13);
    }
    return *(int *)major != 0;
}

int program_cuda_version(void)
{
    int major = 0;
    dl_iterate_phdr(find_runtime, &major);
    return major;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    const int major = program_cuda_version();
    if (!version) return runtime_note(cudaErrorInvalidValue);
    *version = major ? 1000 * major : CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return runtime_note_driver(cuDriverGetVersion(version)); }

/* ---- properties ---- */
#define ALWAYS 0, INT_MAX
/* Every member of cudaDeviceProp in order: INT or SIZE, how many, in CUDA versions first .. last, value of each.
 * CUDA 10 put uuid and luid in, 11 the L2 carve-out, 13 took members out [NVIDIA's headers of these versions, layout
 * only]. */
#define PROPERTIES(X) \
    X(1, 28, 10, INT_MAX, 0) /* uuid, luid, luidDeviceNodeMask */ \
    X(8, 1, ALWAYS, d.memory_bytes) \
    X(8, 1, ALWAYS, d.block_shared_bytes) \
    X(4, 1, ALWAYS, d.sm.registers) \
    X(4, 1, ALWAYS, TRACE_LANES) \
    X(8, 1, ALWAYS, INT_MAX) /* memPitch */ \
    X(4, 1, ALWAYS, MAX_BLOCK_THREADS) \
    X(4, 2, ALWAYS, 1024) /* maxThreadsDim */ \
    X(4, 1, ALWAYS, 64) \
    X(4, 1, ALWAYS, INT_MAX) /* maxGridSize */ \
    X(4, 2, ALWAYS, 65535) \
    X(4, 1, 0, 12, d.clock_khz) \
    X(8, 1, ALWAYS, 65536) /* totalConstMem */ \
    X(4, 1, ALWAYS, d.major) \
    X(4, 1, ALWAYS, d.minor) \
    X(8, 1, ALWAYS, 512) /* textureAlignment */ \
    X(8, 1, ALWAYS, 32) \
    X(4, 1, 0, 12, 1) /* deviceOverlap */ \
    X(4, 1, ALWAYS, d.sms) \
    X(4, 1, 0, 12, 0)      /* kernelExecTimeoutEnabled */ \
    X(4, 1, ALWAYS, 0)     /* integrated */ \
    X(4, 1, ALWAYS, 1)     /* canMapHostMemory */ \
    X(4, 1, 0, 12, 0)      /* computeMode */ \
    X(4, 1, ALWAYS, 65536) /* maxTexture1D */ \
    X(4, 1, ALWAYS, 16384) \
    X(4, 1, 0, 12, 134217728) /* maxTexture1DLinear */ \
    X(4, 2, ALWAYS, 65536)    /* maxTexture2D */ \
    X(4, 2, ALWAYS, 16384) \
    X(4, 3, ALWAYS, 65000) \
    X(4, 2, ALWAYS, 16384) \
    X(4, 3, ALWAYS, 4096) /* maxTexture3D */ \
    X(4, 3, ALWAYS, 2048) \
    X(4, 1, ALWAYS, 16384) \
    X(4, 2, ALWAYS, 2048) \
    X(4, 3, ALWAYS, 2048) \
    X(4, 2, ALWAYS, 2046) \
    X(4, 1, ALWAYS, 65536) /* maxSurface1D */ \
    X(4, 2, ALWAYS, 65536) \
    X(4, 3, ALWAYS, 4096) /* maxSurface3D */ \
    X(4, 2, ALWAYS, 2048) \
    X(4, 3, ALWAYS, 2048) /* maxSurface2DLayered */ \
    X(4, 3, ALWAYS, 0)    /* cube maps */ \
    X(8, 1, ALWAYS, 512)  /* surfaceAlignment */ \
    X(4, 1, ALWAYS, 1)    /* concurrentKernels */ \
    X(4, 5, ALWAYS, 0)    /* ECCEnabled .. tccDriver */ \
    X(4, 1, ALWAYS, 3)    /* asyncEngineCount */ \
    X(4, 1, ALWAYS, 1)    /* unifiedAddressing */ \
    X(4, 1, 0, 12, d.memory_clock_khz) \
    X(4, 1, ALWAYS, d.bus_bits) \
    X(4, 1, ALWAYS, d.l2_bytes) /* l2CacheSize */ \
    X(4, 1, 11, INT_MAX, 0)     /* persistingL2CacheMaxSize */ \
    X(4, 1, ALWAYS, d.sm.threads) \
    X(4, 1, ALWAYS, 1) /* streamPrioritiesSupported */ \
    X(4, 2, ALWAYS, 1) /* globalL1CacheSupported, localL1CacheSupported */ \
    X(8, 1, ALWAYS, d.sm.shared_bytes) \
    X(4, 1, ALWAYS, d.sm.registers) \
    X(4, 1, ALWAYS, 1)     /* managedMemory */ \
    X(4, 2, ALWAYS, 0)     /* isMultiGpuBoard, multiGpuBoardGroupID */ \
    X(4, 1, 8, INT_MAX, 0) /* hostNativeAtomicSupported */ \
    X(4, 1, 8, 12, 2)      /* singleToDoublePrecisionPerfRatio */ \
    X(4, 1, 8, INT_MAX, 0) /* pageableMemoryAccess */ \
    X(4, 1, 8, INT_MAX, 1) /* concurrentManagedAccess */ \
    X(4, 2, 9, INT_MAX, 0) /* computePreemptionSupported, canUseHostPointerForRegisteredMem */ \
    X(4, 1, 9, INT_MAX, 1) /* cooperativeLaunch */ \
    X(4, 1, 9, 12, 0)      /* cooperativeMultiDeviceLaunch */ \
    X(8, 1, 9, INT_MAX, d.optin_shared_bytes) \
    X(4, 2, 10, INT_MAX, 0) /* pageable tables, direct access */ \
    X(4, 1, 11, INT_MAX, d.sm.ctas) \
    X(4, 1, 11, INT_MAX, 0)                       /* accessPolicyMaxWindowSize */ \
    X(8, 1, 11, INT_MAX, d.reserved_shared_bytes) /* reservedSharedMemPerBlock */ \
    X(4, 17, 12, INT_MAX, 0)

static void fill_properties(unsigned char *out, int version)
{
    struct shim *s = shim_lock();
    const struct cuda_device d = s->device;
    shim_unlock(s, CUDA_SUCCESS);
    const struct {
        unsigned bytes, n;
        int first, last;
        unsigned long long value;
    } rows[] = {
#define X(...) {__VA_ARGS__},
        PROPERTIES(X)
#undef X
    };
    size_t at = 256;
    memset(out, 0, at);
    strcpy((char *)out, d.product);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned bytes = rows[i].bytes;
        if (version < rows[i].first || version > rows[i].last) continue;
        for (; at % bytes; at++) out[at] = 0;
        /* little-endian */
        for (unsigned k = 0; k < rows[i].n; k++, at += bytes) memcpy(out + at, &rows[i].value, bytes);
    }
}

static cudaError_t properties(void *out, int device, int version)
{
    const cudaError_t error = runtime_ready();
    if (error != cudaSuccess || !out || device != 0)
        return runtime_note(error ? error : out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    fill_properties(out, version);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *out, int device) { return properties(out, device, 12); }
#undef cudaGetDeviceProperties
__attribute__((visibility("default"))) cudaError_t cudaGetDeviceProperties(void *out, int device);
/* Up to CUDA 11 and again since 13. */
cudaError_t cudaGetDeviceProperties(void *out, int device)
{
    const int version = program_cuda_version();
    return properties(out, device, version ? version : 11);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device);
    if (error == cudaSuccess && (attribute == cudaDevAttrCanMapHostMemory ||
                                 attribute == cudaDevAttrUnifiedAddressing || attribute == cudaDevAttrManagedMemory))
        *value = 1; /* as this library offers them; the driver API alone does not */
    return runtime_note(error);
}

/* ---- choice and settings of the one device ---- */
cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuDeviceGetCount(count);
    return runtime_note(error);
}
cudaError_t cudaGetDevice(int *device)
{
    if (!device) return runtime_note(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return runtime_note(device == 0 ? runtime_choose() : cudaErrorInvalidDevice); }
cudaError_t cudaSetValidDevices(int *devices, int n)
{
    return runtime_note(n == 0 || (devices && n == 1 && *devices == 0) ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    return wanted ? cudaGetDevice(device) : runtime_note(cudaErrorInvalidValue);
}
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    return runtime_note(flags < 32 ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    if (!flags) return runtime_note(cudaErrorInvalidValue);
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return runtime_note(config <= cudaFuncCachePreferEqual ? runtime_ready() : cudaErrorInvalidValue);
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (!config) return runtime_note(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return runtime_note(runtime_ready());
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return runtime_note(config <= cudaSharedMemBankSizeEightByte ? runtime_ready() : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuCtxSetLimit((CUlimit)limit, value);
    return runtime_note(error);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuCtxGetLimit(value, (CUlimit)limit);
    return runtime_note(error);
}
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    return (void)peer, (void)flags, runtime_note(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) { return (void)peer, runtime_note(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    if (!text || length < 13 || device) return runtime_note(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    snprintf(text, (size_t)length, "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!device || !text) return runtime_note(cudaErrorInvalidValue);
    *device = 0;
    return runtime_note(strcmp(text, "0000:00:00.0") == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    return (void)device_flags, (void)flags, cudaSetDevice(device);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, int *status)
{
    const CUresult result = cuGetProcAddress_v2(symbol, function, (int)version, flags, status);
    /* the status says so */
    return runtime_note_driver(result == CUDA_ERROR_NOT_FOUND && status ? CUDA_SUCCESS : result);
}
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5; /* as CUDA's; they change nothing, since work runs in the order of the calls */
    return runtime_note(runtime_ready());
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can || device || peer) return runtime_note(can ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *can = 0;
    return runtime_note(runtime_ready());
}
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
