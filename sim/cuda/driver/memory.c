/* Device memory: one reserved range at a fixed device address, first fit, so that the same calls give the same
 * addresses. Below it lies one page more: a driver keeps memory of its own there, so that hardware lets programs pass
 * that read a little before their first array. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>
#include "poise/arena.h"

#define DISCARD_BYTES (1u << 20) /* from here on pages are given back instead of being cleared */

/* The device's range at its own addresses, or NULL where they are not free. */
static unsigned char *map_same(size_t bytes, int protection, int flags, int file)
{
    void *const same = (void *)(uintptr_t)(DEVICE_MEMORY_BASE - MEMORY_PAGE);
    void *host = mmap(same, bytes, protection, flags | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
    if (host != MAP_FAILED && host != same) { /* a kernel older than 4.17 takes it as a hint */
        munmap(host, bytes);
        host = MAP_FAILED;
    }
    return host == MAP_FAILED ? NULL : host;
}

/* Of the device that the program will see. */
static uint64_t memory_bytes(void)
{
    struct error err;
    struct cuda_device d;
    const char *name = getenv("POISE_CUDA_DEVICE");
    if (name && *name && cuda_device_choose(&d, name, 0, &err) == 0) return d.memory_bytes;
    return cuda_device_choose(&d, CUDA_DEVICE_DEFAULT, 0, &err) == 0 ? d.memory_bytes : 0;
}

/* Before main. The device's addresses must be free on the host, or a pointer would not say whose memory it names. Where
 * the system's random layout put something there, which is about one start in 25 for a device of 40 GB, the program is
 * started again without that randomness. */
__attribute__((constructor)) static void start_where_addresses_are_free(int argc, char **argv, char **environment)
{
    const int now = personality(0xffffffff);
    const size_t bytes = MEMORY_PAGE + memory_bytes();
    void *const got = map_same(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    (void)argc;
    if (got) munmap(got, bytes);
    if (got || now < 0 || (now & ADDR_NO_RANDOMIZE)) return;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) return;
    execve("/proc/self/exe", argv, environment); /* if that fails, the program goes on without managed memory */
}

/* The same bytes twice: for the program at the device's addresses, where pages open as the host may touch them, and for
 * this library elsewhere. */
static unsigned char *map_twice(size_t bytes)
{
    const int file = memfd_create("poise-device-memory", MFD_CLOEXEC);
    void *ours = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0 && map_same(bytes, PROT_NONE, MAP_SHARED, file))
        ours = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (file >= 0) close(file);
    return ours == MAP_FAILED ? NULL : ours;
}

/* At its own device addresses where they are free: pinned and managed memory are then one pointer on both sides. The
 * heap comes in large pages from here on: recording a launch of 100,000 warp instructions touches 500 small ones, and
 * their first touch takes a third of its time. */
bool memory_init(struct device_memory *m, uint64_t device_bytes, bool is_strict)
{
    heap_set_up();
    const int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    const size_t bytes = MEMORY_PAGE + device_bytes;
    unsigned char *host = is_strict ? map_twice(bytes) : map_same(bytes, access, flags, -1);
    m->is_shared = host != NULL;
    if (is_strict && !host) return false;
    if (!host) {
        void *const any = mmap(NULL, bytes, access, flags | MAP_NORESERVE, -1, 0);
        if (any == MAP_FAILED) return false;
        host = any;
    }
    m->host = host + MEMORY_PAGE;
    m->bytes = device_bytes;
    m->strict_page = is_strict ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return true;
}

/* Memory of the host's as well has pages of its own where others are closed to it. */
static uint64_t page_of(const struct device_memory *m, enum allocation_kind kind)
{
    const bool is_open = kind == ALLOCATION_PINNED || kind == ALLOCATION_MANAGED;
    return m->strict_page && is_open ? m->strict_page : 1;
}
static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
static uint64_t next_start(const struct device_memory *m, uint64_t end, enum allocation_kind kind)
{
    return round_up(round_up(end, page_of(m, kind)) + MEMORY_GAP, MEMORY_ALIGN);
}
static void set_access(const struct device_memory *m, const struct allocation *a, int access)
{
    const uint64_t page = page_of(m, a->kind);
    if (page > 1) (void)mprotect((void *)(uintptr_t)a->lo, round_up(a->hi - a->lo, page), access);
}

uint64_t memory_take_from(struct device_memory *m, uint64_t from, uint64_t bytes, CUcontext owner, CUmodule module,
                          enum allocation_kind kind)
{
    const uint64_t limit = DEVICE_MEMORY_BASE + m->bytes - MEMORY_GAP, page = page_of(m, kind);
    uint64_t lo = round_up(from, page);
    size_t i = 0;
    if (bytes == 0 || bytes > m->bytes) return 0;
    for (; i < m->n && m->allocations[i].lo < next_start(m, lo + bytes, kind); i++) {
        const uint64_t next = round_up(next_start(m, m->allocations[i].hi, m->allocations[i].kind), page);
        if (next > lo) lo = next;
    }
    if (lo > limit || bytes > limit - lo) return 0;
    if (m->n == m->cap) {
        const size_t cap = m->cap ? 2 * m->cap : 64;
        struct allocation *more = realloc(m->allocations, cap * sizeof *more);
        if (!more) return 0;
        m->allocations = more;
        m->cap = cap;
    }
    memmove(m->allocations + i + 1, m->allocations + i, (m->n - i) * sizeof *m->allocations);
    m->allocations[i] = (struct allocation){.lo = lo, .hi = lo + bytes, .owner = owner, .module = module, .kind = kind};
    m->n++;
    m->used += bytes;
    set_access(m, &m->allocations[i], PROT_READ | PROT_WRITE);
    if (m->is_stained) memset(memory_host(m, lo), 0, bytes);
    return lo;
}

uint64_t memory_take_as(struct device_memory *m, uint64_t bytes, CUcontext owner, CUmodule module,
                        enum allocation_kind kind)
{
    return memory_take_from(m, DEVICE_MEMORY_BASE, bytes, owner, module, kind);
}

uint64_t memory_take(struct device_memory *m, uint64_t bytes, CUcontext owner, CUmodule module)
{
    return memory_take_as(m, bytes, owner, module, ALLOCATION_DEVICE);
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
void memory_clear(struct device_memory *m, const struct allocation *a)
{
    unsigned char *host = memory_host(m, a->lo);
    const uint64_t bytes = a->hi - a->lo, page = 4096, offset = a->lo - DEVICE_MEMORY_BASE;
    const uint64_t first = (offset + page - 1) / page * page - offset, last = (offset + bytes) / page * page - offset;
    if (bytes < DISCARD_BYTES ||
        madvise(host + first, last - first, m->strict_page ? MADV_REMOVE : MADV_DONTNEED) < 0) {
        memset(host, 0, bytes);
    } else {
        memset(host, 0, first);
        memset(host + last, 0, bytes - last);
    }
}

struct hash memory_hash(const struct device_memory *m)
{
    struct hash hash = {0};
    for (size_t i = 0; i < m->n; i++) {
        const struct allocation *a = &m->allocations[i];
        const struct {
            struct hash before, own;
        } both = {hash, hash_bytes(allocation_host(m, a, a->lo), a->hi - a->lo)};
        hash = hash_bytes(&both, sizeof both);
    }
    return hash;
}

void memory_drop(struct device_memory *m, struct allocation *a)
{
    if (!a->host) memory_clear(m, a);
    set_access(m, a, PROT_NONE);
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
    if (a && a->is_reserved) a = NULL;
    return a ? (struct ptx_extent){a->lo, a->hi, a->host} : (struct ptx_extent){0, 0, NULL};
}

struct ptx_memory memory_for_ptx(struct device_memory *m)
{
    return (struct ptx_memory){m->host - MEMORY_PAGE, DEVICE_MEMORY_BASE - MEMORY_PAGE, MEMORY_PAGE + m->bytes,
                               find_extent, m};
}
