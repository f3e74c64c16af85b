/* Where the bytes of an address are, in this library's view of device memory or in the program's own memory. */
#include "driver/shim.h"

/* The host bytes behind [address, address + bytes), which must lie within one allocation. */
CUresult device_range(const struct shim *s, const char *function, uint64_t address, uint64_t bytes,
                      unsigned char **host)
{
    const struct allocation *a = memory_find(&s->memory, address);
    if (!a)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx lies in no allocation", function,
                         (unsigned long long)address);
    if (bytes > a->hi - address)
        return shim_fail(CUDA_ERROR_INVALID_VALUE,
                         "%s: %llu bytes at 0x%llx go %llu beyond the end of the allocation at 0x%llx of %llu bytes",
                         function, (unsigned long long)bytes, (unsigned long long)address,
                         (unsigned long long)(bytes - (a->hi - address)), (unsigned long long)a->lo,
                         (unsigned long long)(a->hi - a->lo));
    *host = allocation_host(&s->memory, a, address);
    return CUDA_SUCCESS;
}

CUresult host_range(const struct shim *s, const char *function, uint64_t address, uint64_t bytes, unsigned char **host)
{
    if (memory_covers(address)) return device_range(s, function, address, bytes, host);
    *host = (unsigned char *)(uintptr_t)address;
    return address ? CUDA_SUCCESS : shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: host pointer is NULL", function);
}
