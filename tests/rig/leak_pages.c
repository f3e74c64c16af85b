/* The leak check at the end of a process reads every page of static data. 10 MB of these are the sanitizer's own
 * tables, which hardly anything touched: 2,000 page faults, three quarters of what an empty program costs. A page that
 * is neither in memory nor in swap has never been written, so it holds no pointer. This shows the leak check all other
 * pages. */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, BATCH = 512, PARTS = 1024 };

struct shown {
    int (*each)(struct dl_phdr_info *, size_t, void *);
    void *data;
    int pagemap;
};

int __real_dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data);
int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data);

static int is_ending;

__attribute__((destructor)) static void note_end(void) { is_ending = 1; }

/* Adds the touched parts of segment `whole` to parts[n ..]; returns their new number, -1 where that cannot be told. */
static int touched_parts(const struct shown *shown, uintptr_t base, const ElfW(Phdr) * whole, ElfW(Phdr) * parts, int n)
{
    uint64_t flags[BATCH];
    const uintptr_t from = base + whole->p_vaddr, end = from + whole->p_memsz;
    int is_open = 0;
    for (uintptr_t page = from / PAGE; page * PAGE < end;) {
        size_t count = (end - 1) / PAGE - page + 1;
        count = count < BATCH ? count : BATCH;
        const long bytes = (long)(count * sizeof *flags);
        if (syscall(SYS_pread64, shown->pagemap, flags, bytes, (off_t)(page * sizeof *flags)) != bytes) return -1;
        for (size_t i = 0; i < count; i++, page++) {
            const uintptr_t start = page * PAGE > from ? page * PAGE : from;
            const uintptr_t stop = (page + 1) * PAGE < end ? (page + 1) * PAGE : end;
            const int was_open = is_open;
            is_open = flags[i] >> 62 != 0;
            if (!is_open) continue;
            if (!was_open) {
                if (n == PARTS) return -1;
                parts[n] = *whole;
                parts[n++].p_vaddr = start - base;
            }
            parts[n - 1].p_memsz = stop - base - parts[n - 1].p_vaddr;
        }
    }
    return n;
}

static int show(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct shown *shown = data;
    static ElfW(Phdr) parts[PARTS + 64];
    struct dl_phdr_info changed = *info;
    int n = 0;
    for (int i = 0; i < info->dlpi_phnum && n < PARTS; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const int is_data = segment->p_type == PT_LOAD && (segment->p_flags & PF_W);
        const int touched = is_data ? touched_parts(shown, info->dlpi_addr, segment, parts, n) : -1;
        if (touched < 0) parts[n++] = *segment;
        else n = touched;
    }
    changed.dlpi_phdr = parts;
    changed.dlpi_phnum = (ElfW(Half))n;
    return shown->each(&changed, size, shown->data);
}

int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data)
{
    struct shown shown = {each, data, -1};
    if (is_ending) shown.pagemap = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (shown.pagemap < 0) return __real_dl_iterate_phdr(each, data);
    const int result = __real_dl_iterate_phdr(show, &shown);
    syscall(SYS_close, shown.pagemap);
    return result;
}
