/* Preloaded: a run whose memory has CRASH_BYTES or more crashes, as one with a fault of the simulator would. A
 * machine with a large L1 is such a run. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int posix_memalign(void **out, size_t align, size_t size)
{
    static int (*next)(void **, size_t, size_t);
    const char *least = getenv("CRASH_BYTES");
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "posix_memalign");
        memcpy(&next, &symbol, sizeof next);
    }
    if (least && size >= strtoul(least, NULL, 10)) raise(SIGSEGV);
    return next(out, align, size);
}
