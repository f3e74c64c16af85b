/* Before main and after it. After: POISE_STRICT_EXIT. Before: the device's addresses must be free on the host
 * (memory.c). Where the system's random layout put something there, which is about one start in 25 for a device of
 * 40 GB, the program is started again without that randomness. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

/* Of the device that the program will see. */
static uint64_t memory_bytes(void)
{
    struct error err;
    struct cuda_device d;
    const char *name = getenv("POISE_CUDA_DEVICE");
    if (name && *name && cuda_device_choose(&d, name, 0, &err) == 0) return d.memory_bytes;
    return cuda_device_choose(&d, CUDA_DEVICE_DEFAULT, 0, &err) == 0 ? d.memory_bytes : 0;
}

static bool addresses_are_free(void)
{
    void *const base = (void *)(uintptr_t)(DEVICE_MEMORY_BASE - MEMORY_PAGE);
    const size_t bytes = MEMORY_PAGE + memory_bytes();
    void *got = mmap(base, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return false;
    munmap(got, bytes);
    return got == base;
}

/* Runs last, as it was asked for first: what was told on stderr makes a program that says all went well end
 * otherwise. */
static void end(int status, void *unused)
{
    (void)unused;
    if (status != 0 || shim_told() == 0) return;
    fflush(NULL);
    _exit(1);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    const int now = personality(0xffffffff);
    const char *strict = getenv("POISE_STRICT_EXIT");
    if (strict && strcmp(strict, "1") == 0) on_exit(end, NULL);
    (void)argc;
    if (addresses_are_free() || now < 0 || (now & ADDR_NO_RANDOMIZE)) return;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) return;
    execve("/proc/self/exe", argv, environment); /* if that fails, the program goes on without managed memory */
}
