/* Device memory: one reserved range at a fixed device address, first fit, so that the same calls give the same
 * addresses. Below it lies one page more: a driver keeps memory of its own there, so that hardware lets programs pass
 * that read a little before their first array. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DISCARD_BYTES (1u << 20) /* from here on pages are given back instead of being cleared */

/* At its own device addresses where they are free: pinned and managed memory are then one pointer on both sides. */
bool memory_init(struct device_memory *m)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *const same = (void *)(uintptr_t)(DEVICE_MEMORY_BASE - MEMORY_PAGE);
    const size_t bytes = MEMORY_PAGE + DEVICE_MEMORY_BYTES;
    void *host = mmap(same, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (host != MAP_FAILED && host != same) { /* a kernel older than 4.17 takes it as a hint */
        munmap(host, bytes);
        host = MAP_FAILED;
    }
    if (host == MAP_FAILED) host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (host == MAP_FAILED) return false;
    m->host = (unsigned char *)host + MEMORY_PAGE;
    return true;
}

static uint64_t next_start(uint64_t end) { return (end + MEMORY_GAP + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN; }

uint64_t memory_take(struct device_memory *m, uint64_t bytes, CUcontext owner, CUmodule module)
{
    const uint64_t limit = DEVICE_MEMORY_BASE + DEVICE_MEMORY_BYTES - MEMORY_GAP;
    uint64_t lo = DEVICE_MEMORY_BASE;
    size_t i = 0;
    if (bytes == 0 || bytes > DEVICE_MEMORY_BYTES) return 0;
    while (i < m->n && m->allocations[i].lo < next_start(lo + bytes)) lo = next_start(m->allocations[i++].hi);
    if (lo > limit || bytes > limit - lo) return 0;
    if (m->n == m->cap) {
        const size_t cap = m->cap ? 2 * m->cap : 64;
        struct allocation *more = realloc(m->allocations, cap * sizeof *more);
        if (!more) return 0;
        m->allocations = more;
        m->cap = cap;
    }
    memmove(m->allocations + i + 1, m->allocations + i, (m->n - i) * sizeof *m->allocations);
    m->allocations[i] = (struct allocation){lo, lo + bytes, owner, module, ALLOCATION_DEVICE, NULL};
    m->n++;
    m->used += bytes;
    if (m->is_stained) memset(memory_host(m, lo), 0, bytes);
    return lo;
}

/* The last allocation that starts at or before the address, if it reaches that far. */
struct allocation *memory_find(const struct device_memory *m, uint64_t address)
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->allocations[mid].lo <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo && address < m->allocations[lo - 1].hi ? &m->allocations[lo - 1] : NULL;
}

bool memory_is_mapped(const struct device_memory *m, uint64_t address, uint64_t bytes)
{
    for (uint64_t page = address / MEMORY_PAGE * MEMORY_PAGE; page < address + bytes; page += MEMORY_PAGE) {
        if (page == DEVICE_MEMORY_BASE - MEMORY_PAGE) continue;
        size_t lo = 0, hi = m->n; /* allocations that start below the page's end: the last of them reaches furthest */
        while (lo < hi) {
            const size_t mid = lo + (hi - lo) / 2;
            if (m->allocations[mid].lo < page + MEMORY_PAGE) lo = mid + 1;
            else hi = mid;
        }
        if (lo == 0 || m->allocations[lo - 1].hi <= page) return false;
    }
    return true;
}

/* Freed memory is zero again: what a later owner reads before writing does not depend on history. */
static void clear(struct device_memory *m, const struct allocation *a)
{
    unsigned char *host = memory_host(m, a->lo);
    const uint64_t bytes = a->hi - a->lo, page = 4096, offset = a->lo - DEVICE_MEMORY_BASE;
    const uint64_t first = (offset + page - 1) / page * page - offset, last = (offset + bytes) / page * page - offset;
    if (bytes < DISCARD_BYTES || madvise(host + first, last - first, MADV_DONTNEED) < 0) {
        memset(host, 0, bytes);
    } else {
        memset(host, 0, first);
        memset(host + last, 0, bytes - last);
    }
}

void memory_drop(struct device_memory *m, struct allocation *a)
{
    if (!a->host) clear(m, a);
    m->used -= a->hi - a->lo;
    m->n--;
    const size_t i = (size_t)(a - m->allocations);
    memmove(a, a + 1, (m->n - i) * sizeof *a);
}

void memory_drop_owned(struct device_memory *m, CUcontext owner, CUmodule module)
{
    for (size_t i = m->n; i-- > 0;)
        if (m->allocations[i].owner == owner && (!module || m->allocations[i].module == module))
            memory_drop(m, &m->allocations[i]);
}

static struct ptx_extent find_extent(void *self, uint64_t address)
{
    const struct allocation *a = memory_find(self, address);
    return a ? (struct ptx_extent){a->lo, a->hi, a->host} : (struct ptx_extent){0, 0, NULL};
}

struct ptx_memory memory_for_ptx(struct device_memory *m)
{
    return (struct ptx_memory){m->host - MEMORY_PAGE, DEVICE_MEMORY_BASE - MEMORY_PAGE,
                               MEMORY_PAGE + DEVICE_MEMORY_BYTES, find_extent, m};
}
