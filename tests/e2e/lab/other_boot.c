/* Preloaded: this process's host was booted another time, as another host was. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*next)(const char *, const char *);
    const char *boot = getenv("BOOT_ID_FILE");
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "fopen");
        memcpy(&next, &symbol, sizeof next);
    }
    return next(boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot : path, mode);
}
