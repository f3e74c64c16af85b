/* The one device and its attributes. */
#include "driver/shim.h"

#include <limits.h>
#include <string.h>

/* attribute, value */
#define SM ((struct sm_limits)SM_LIMITS_KEPLER32)
#define ATTRIBUTES(X) \
    X(MAX_THREADS_PER_BLOCK, MAX_BLOCK_THREADS) \
    X(MAX_BLOCK_DIM_X, 1024) \
    X(MAX_BLOCK_DIM_Y, 1024) \
    X(MAX_BLOCK_DIM_Z, 64) \
    X(MAX_GRID_DIM_X, INT_MAX) \
    X(MAX_GRID_DIM_Y, 65535) \
    X(MAX_GRID_DIM_Z, 65535) \
    X(MAX_SHARED_MEMORY_PER_BLOCK, (int)SM.shared_bytes) \
    X(TOTAL_CONSTANT_MEMORY, 65536) \
    X(WARP_SIZE, TRACE_LANES) \
    X(MAX_PITCH, INT_MAX) \
    X(MAX_REGISTERS_PER_BLOCK, (int)SM.registers) \
    X(CLOCK_RATE, DEVICE_CLOCK_KHZ) \
    X(TEXTURE_ALIGNMENT, 512) \
    X(GPU_OVERLAP, 0) \
    X(MULTIPROCESSOR_COUNT, DEVICE_SMS) \
    X(KERNEL_EXEC_TIMEOUT, 0) \
    X(INTEGRATED, 0) \
    X(CAN_MAP_HOST_MEMORY, memory_is_shared(&s->memory)) \
    X(COMPUTE_MODE, 0) \
    X(CONCURRENT_KERNELS, 0) \
    X(ECC_ENABLED, 0) \
    X(PCI_BUS_ID, 0) \
    X(PCI_DEVICE_ID, 0) \
    X(MEMORY_CLOCK_RATE, DEVICE_MEMORY_CLOCK_KHZ) \
    X(GLOBAL_MEMORY_BUS_WIDTH, 384) \
    X(L2_CACHE_SIZE, 2 << 20) \
    X(MAX_THREADS_PER_MULTIPROCESSOR, (int)SM.threads) \
    X(ASYNC_ENGINE_COUNT, 0) \
    X(UNIFIED_ADDRESSING, memory_is_shared(&s->memory)) \
    X(PCI_DOMAIN_ID, 0) \
    X(COMPUTE_CAPABILITY_MAJOR, 3) \
    X(COMPUTE_CAPABILITY_MINOR, 5) \
    X(GLOBAL_L1_CACHE_SUPPORTED, 1) \
    X(LOCAL_L1_CACHE_SUPPORTED, 1) \
    X(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, (int)SM.shared_bytes) \
    X(MAX_REGISTERS_PER_MULTIPROCESSOR, (int)SM.registers) \
    X(CONCURRENT_MANAGED_ACCESS, memory_is_shared(&s->memory)) \
    X(MANAGED_MEMORY, memory_is_shared(&s->memory)) \
    X(COOPERATIVE_LAUNCH, 1) \
    X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, (int)SM.shared_bytes) \
    X(MAX_BLOCKS_PER_MULTIPROCESSOR, (int)SM.ctas)

static CUresult check(struct shim *s, const void *out, CUdevice device, const char *function)
{
    const CUresult result = shim_ready(s, NULL);
    if (result != CUDA_SUCCESS) return result;
    if (!out) return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL", function);
    return device == 0
               ? CUDA_SUCCESS
               : shim_fail(CUDA_ERROR_INVALID_DEVICE, "%s: device %d: there is one device, 0", function, device);
}

CUresult cuDeviceGetCount(int *count)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, count, 0, "cuDeviceGetCount");
    if (result == CUDA_SUCCESS) *count = 1;
    return shim_unlock(s, result);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, device, ordinal, "cuDeviceGet");
    if (result == CUDA_SUCCESS) *device = 0;
    return shim_unlock(s, result);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = check(s, name, device, "cuDeviceGetName");
    if (result == CUDA_SUCCESS && length <= 0)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetName: length %d", length);
    if (result == CUDA_SUCCESS) snprintf(name, (size_t)length, "%s", DEVICE_NAME);
    return shim_unlock(s, result);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, bytes, device, "cuDeviceTotalMem");
    if (result == CUDA_SUCCESS) *bytes = DEVICE_MEMORY_BYTES;
    return shim_unlock(s, result);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, major && minor ? major : NULL, device, "cuDeviceComputeCapability");
    if (result == CUDA_SUCCESS) {
        *major = 3;
        *minor = 5;
    }
    return shim_unlock(s, result);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = check(s, value, device, "cuDeviceGetAttribute");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    switch (attribute) {
#define X(id, number) \
    case CU_DEVICE_ATTRIBUTE_##id: *value = number; break;
        ATTRIBUTES(X)
#undef X
    default:
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: attribute %d is not one this device has",
                           (int)attribute);
    }
    return shim_unlock(s, result);
}
