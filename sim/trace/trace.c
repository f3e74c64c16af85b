/* A trace in memory, however it came there: what it is called, and what is freed with it. */
#include <stdlib.h>
#include <sys/mman.h>
#include "internal.h"

struct trace *trace_alloc(void)
{
    struct trace *t = calloc(1, sizeof *t);
    if (t) t->owner = calloc(1, sizeof *t->owner);
    if (t && t->owner) return t;
    free(t);
    return NULL;
}

void trace_close(struct trace *t)
{
    if (!t) return;
    for (size_t i = 0; i < sizeof t->owner->blocks / sizeof t->owner->blocks[0]; i++) free(t->owner->blocks[i]);
    if (t->owner->map) munmap(t->owner->map, t->owner->map_bytes);
    free(t->owner);
    free(t);
}

const char *trace_kernel(const struct trace *t) { return t->strings + t->launch.kernel; }
