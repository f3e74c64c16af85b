/* cub's allocator that keeps what is given back, by sizes that are powers of `bin_growth`. */
#ifndef POISE_CUB_UTIL_ALLOCATOR_CUH
#define POISE_CUB_UTIL_ALLOCATOR_CUH
#include "util.h"
#include <map>
#include <mutex>

namespace cub
{
class CachingDeviceAllocator
{
  public:
    static const unsigned INVALID_BIN = ~0u;
    static const size_t INVALID_SIZE = ~(size_t)0;
    static const int INVALID_DEVICE_ORDINAL = -1;

    CachingDeviceAllocator(unsigned growth, unsigned least = 1, unsigned greatest = INVALID_BIN,
                           size_t most_kept = INVALID_SIZE, bool skip_cleanup = false, bool = false)
        : base(growth), keeps_at_end(skip_cleanup), limit(most_kept)
    {
        for (unsigned bin = 0; bin < least; bin++) smallest *= growth;
        if (greatest != INVALID_BIN)
            for (largest = 1; greatest > 0; greatest--) largest *= growth;
    }
    /* From 512 bytes to 2 MiB by eights, and three of the greatest kept. */
    explicit CachingDeviceAllocator(bool skip_cleanup = false, bool = false)
        : CachingDeviceAllocator(8, 3, 7, 3 * ((size_t)1 << 21) - 1, skip_cleanup)
    {
    }
    CachingDeviceAllocator(const CachingDeviceAllocator &) = delete;
    ~CachingDeviceAllocator()
    {
        if (!keeps_at_end) FreeAllCached();
    }
    cudaError_t SetMaxCachedBytes(size_t bytes)
    {
        limit = bytes;
        return cudaSuccess;
    }
    cudaError_t DeviceAllocate(void **p, size_t bytes, cudaStream_t = 0)
    {
        const std::lock_guard<std::mutex> held(mutex);
        size_t size = smallest;
        while (size < bytes && size < largest) size *= base;
        if (size < bytes) size = bytes; /* greater than what is kept */
        const auto old = kept.find(size);
        if (size <= largest && old != kept.end()) {
            *p = old->second;
            kept.erase(old);
            bytes_kept -= size;
        } else {
            cudaError_t error = cudaMalloc(p, size);
            if (error == cudaErrorMemoryAllocation && !kept.empty()) {
                (void)cudaGetLastError();
                give_back();
                error = cudaMalloc(p, size);
            }
            if (error != cudaSuccess) return error;
        }
        taken[*p] = size;
        return cudaSuccess;
    }
    cudaError_t DeviceAllocate(int, void **p, size_t bytes, cudaStream_t stream = 0)
    {
        return DeviceAllocate(p, bytes, stream);
    }
    cudaError_t DeviceFree(void *p)
    {
        const std::lock_guard<std::mutex> held(mutex);
        const auto block = taken.find(p);
        if (block == taken.end()) return cudaFree(p);
        const size_t size = block->second;
        taken.erase(block);
        if (size > largest || bytes_kept + size > limit) return cudaFree(p);
        kept.insert({size, p});
        bytes_kept += size;
        return cudaSuccess;
    }
    cudaError_t DeviceFree(int, void *p) { return DeviceFree(p); }
    cudaError_t FreeAllCached()
    {
        const std::lock_guard<std::mutex> held(mutex);
        return give_back();
    }

  private:
    const unsigned base;
    const bool keeps_at_end;
    size_t limit, smallest = 1, largest = INVALID_SIZE, bytes_kept = 0;
    std::mutex mutex;
    std::map<void *, size_t> taken;
    std::multimap<size_t, void *> kept;

    cudaError_t give_back()
    {
        cudaError_t first = cudaSuccess;
        for (const auto &block : kept) {
            const cudaError_t error = cudaFree(block.second);
            if (first == cudaSuccess) first = error;
        }
        kept.clear();
        bytes_kept = 0;
        return first;
    }
};
} // namespace cub
#endif
