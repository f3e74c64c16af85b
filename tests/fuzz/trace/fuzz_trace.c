/* Any bytes as a trace. Checksums and the size in the header are put right first, or no mutation would get past them;
 * each input is also tried as it is. Files that decode to more than 64 MB are left out: run lengths make them legal. */
#include "sealed.h"
#include "poise/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size)
{
    struct error err;
    struct trace *t;
    struct container_header h;
    if (size >= sizeof h) {
        memcpy(&h, data, sizeof h);
        const uint64_t limit = 1 << 20;
        if (h.n_steps > limit || h.n_warps > limit || h.n_accesses > limit || h.n_guards > limit) return;
    }
    if (trace_parse(&t, "fuzz", data, size, &err) == 0) trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse(data, size);
    uint8_t *copy = sealed(data, size, 1 << 24);
    if (copy) parse(copy, size);
    free(copy);
    return 0;
}
