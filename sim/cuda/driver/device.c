/* The one device and its attributes. */
#include "driver/shim.h"

#include <limits.h>
#include <string.h>

/* Attribute, value. What has no name in cuda.h stands with its number [CUDA 12, CUdevice_attribute]. Textures are as
 * large as runtime_device.c says; 0: there is none of it here. */
#define SEEN(member) ((int)s->device.member)
#define ATTRIBUTES(X) \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, MAX_BLOCK_THREADS) \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024) \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024) \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64) \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT_MAX) \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535) \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535) \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SEEN(block_shared_bytes)) \
    X(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536) \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, TRACE_LANES) \
    X(CU_DEVICE_ATTRIBUTE_MAX_PITCH, INT_MAX) \
    X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, SEEN(sm.registers)) \
    X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, SEEN(clock_khz)) \
    X(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512) \
    X(CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1) \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, SEEN(sms)) \
    X(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0) \
    X(CU_DEVICE_ATTRIBUTE_INTEGRATED, 0) \
    X(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, memory_is_shared(&s->memory)) \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0) \
    X(21, 65536) /* textures: width of 1D */ \
    X(22, 65536) /* 2D */ \
    X(23, 65536) \
    X(24, 4096) /* 3D */ \
    X(25, 4096) \
    X(26, 4096) \
    X(27, 16384) /* layered 2D, layers */ \
    X(28, 16384) \
    X(29, 2048) \
    X(30, 512) /* alignment of surfaces */ \
    X(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1) \
    X(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 0) \
    X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0) \
    X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0) \
    X(35, 0) /* TCC driver */ \
    X(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, SEEN(memory_clock_khz)) \
    X(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, SEEN(bus_bits)) \
    X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, SEEN(l2_bytes)) \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, SEEN(sm.threads)) \
    X(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3) \
    X(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, memory_is_shared(&s->memory)) \
    X(42, 16384) /* layered 1D textures, layers */ \
    X(43, 2048) \
    X(44, 0) /* texture gathers */ \
    X(45, 0) \
    X(46, 0) \
    X(47, 2048) /* 3D textures, the other way */ \
    X(48, 2048) \
    X(49, 16384) \
    X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0) \
    X(51, 32) /* alignment of a pitch for textures */ \
    X(52, 0)  /* cube maps */ \
    X(53, 0) \
    X(54, 0) \
    X(55, 65536) /* surfaces: 1D, 2D, 3D */ \
    X(56, 65536) \
    X(57, 65536) \
    X(58, 4096) \
    X(59, 4096) \
    X(60, 4096) \
    X(61, 65536) /* layered 1D and 2D surfaces */ \
    X(62, 2048) \
    X(63, 65536) \
    X(64, 65536) \
    X(65, 2048) \
    X(66, 0) /* cube maps as surfaces */ \
    X(67, 0) \
    X(68, 0) \
    X(69, 134217728) /* textures over linear memory */ \
    X(70, 65000) \
    X(71, 65000) \
    X(72, 65000) \
    X(73, 0) /* mipmapped arrays */ \
    X(74, 0) \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, SEEN(major)) \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, SEEN(minor)) \
    X(77, 0) \
    X(78, 1) /* priorities of streams: they change nothing */ \
    X(CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1) \
    X(CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1) \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, SEEN(sm.shared_bytes)) \
    X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, SEEN(sm.registers)) \
    X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, memory_is_shared(&s->memory)) \
    X(84, 0) /* several GPUs on a board */ \
    X(85, 0) \
    X(86, 0) /* atomics on the host's memory */ \
    X(87, 2) /* single over double precision */ \
    X(88, 0) /* pageable memory */ \
    X(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, memory_is_shared(&s->memory)) \
    X(90, 0) /* preemption */ \
    X(91, 0) /* registered memory by its host address */ \
    X(92, 0) /* stream memory operations, three of them */ \
    X(93, 0) \
    X(94, 0) \
    X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1) \
    X(96, 0) /* cooperative launches on several devices */ \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, SEEN(optin_shared_bytes)) \
    X(98, 0)  /* flushing remote writes */ \
    X(99, 1)  /* cudaHostRegister */ \
    X(100, 0) /* the host's page tables */ \
    X(101, 0) \
    X(102, 0) /* virtual memory management and its handles */ \
    X(103, 0) \
    X(104, 0) \
    X(105, 0) \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, SEEN(sm.ctas)) \
    X(107, 0) /* compressible memory */ \
    X(108, 0) /* L2 set aside for persisting accesses, and their window */ \
    X(109, 0) \
    X(110, 0) /* RDMA */ \
    X(111, SEEN(reserved_shared_bytes)) \
    X(112, 0) /* sparse arrays */ \
    X(113, 0) /* read-only registered memory */ \
    X(114, 0) /* timeline semaphores */ \
    X(115, 1) /* memory pools: those of the runtime API */ \
    X(116, 0) /* RDMA: direct, flush, order */ \
    X(117, 0) \
    X(118, 0) \
    X(119, 0) /* handles of pools */ \
    X(120, 0) /* clusters */ \
    X(121, 0) /* deferred mapping */ \
    X(122, 0) /* the second version of stream memory operations */ \
    X(123, 0) \
    X(124, 0) /* dma-buf */ \
    X(125, 0) /* events between processes */ \
    X(126, 0) /* memory synchronisation domains */ \
    X(127, 0) /* tensor maps */ \
    X(128, 0) /* fabric handles */ \
    X(129, 0) /* unified function pointers */ \
    X(130, 0) /* NUMA */ \
    X(131, 0) \
    X(132, 0) /* multicast */ \
    X(133, 0) /* MPS */ \
    X(134, 0) \
    X(135, 0)

uint32_t device_capability(void)
{
    struct shim *s = shim_lock();
    const uint32_t capability = cuda_device_capability(&s->device);
    shim_unlock(s, CUDA_SUCCESS);
    return capability;
}

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
    if (result == CUDA_SUCCESS) snprintf(name, (size_t)length, "%s", s->device.product);
    return shim_unlock(s, result);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, bytes, device, "cuDeviceTotalMem");
    if (result == CUDA_SUCCESS) *bytes = s->device.memory_bytes;
    return shim_unlock(s, result);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct shim *s = shim_lock();
    const CUresult result = check(s, major && minor ? major : NULL, device, "cuDeviceComputeCapability");
    if (result == CUDA_SUCCESS) {
        *major = SEEN(major);
        *minor = SEEN(minor);
    }
    return shim_unlock(s, result);
}

bool device_attribute(const struct shim *s, int attribute, int *value)
{
    switch (attribute) {
#define X(id, number) \
    case id: *value = number; return true;
        ATTRIBUTES(X)
#undef X
    default: return false;
    }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = check(s, value, device, "cuDeviceGetAttribute");
    if (result == CUDA_SUCCESS && !device_attribute(s, (int)attribute, value))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: attribute %d is not one this device has",
                           (int)attribute);
    return shim_unlock(s, result);
}
