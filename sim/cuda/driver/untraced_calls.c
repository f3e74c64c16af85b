/* What libraries need that stand for CUDA's own: bytes of the device, and a record of what is in no trace. */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>
#include "driver/graph.h"
#include "poise/cuda_shim.h"

void *poise_cuda_bytes(const void *device, size_t bytes)
{
    unsigned char *host = NULL;
    struct shim *s = shim_lock();
    const CUresult result = device_range(s, "a library", (uintptr_t)device, bytes, &host);
    return shim_unlock(s, result) == CUDA_SUCCESS ? host : NULL;
}

static int note(struct shim *s, const char *function)
{
    for (size_t i = 0; i < s->n_skipped; i++)
        if (strcmp(s->skipped[i].function, function) == 0) return s->skipped[i].calls++, 0;
    struct skipped *more = realloc(s->skipped, (s->n_skipped + 1) * sizeof *more);
    if (!more) return -1;
    s->skipped = more;
    more[s->n_skipped] = (struct skipped){.calls = 1};
    snprintf(more[s->n_skipped++].function, sizeof more->function, "%s", function);
    fprintf(stderr, "poise: %s runs on the host: its kernels are in no trace\n", function); /* no error: not counted */
    return 0;
}

/* The call becomes a node of the graph. */
static CUresult capture(CUstream stream, const char *function, const void *caller,
                        const struct poise_cuda_argument *arguments, size_t n)
{
    struct library_call *call;
    CUresult result = library_call_new(&call, function, caller, arguments, n);
    if (result != CUDA_SUCCESS) return result;
    result = capture_work(stream, &(struct graph_work){CU_GRAPH_NODE_TYPE_HOST, .library = call});
    library_call_leave(call);
    return result;
}

int poise_cuda_skip(const char *function, CUstream stream, uint64_t operations,
                    const struct poise_cuda_argument *arguments, size_t n)
{
    struct shim *s = shim_lock();
    CUcontext context;
    if (shim_ready(s, &context) != CUDA_SUCCESS) return shim_unlock(s, CUDA_SUCCESS), -1; /* a kernel's fault */
    if (!shim_thread()->runs_library_call && stream_is_captured(stream)) {
        CUresult captured = stream_use(context, stream);
        if (captured == CUDA_SUCCESS) captured = capture(stream, function, __builtin_return_address(0), arguments, n);
        return shim_unlock(s, captured) == CUDA_SUCCESS ? 1 : -1;
    }
    const int result = note(s, function);
    shim_spend_launch(s, operations / 32);
    shim_unlock(s, result < 0 ? shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "%s", function) : CUDA_SUCCESS);
    return result;
}

void poise_cuda_refuse(const char *function, const char *status, const char *why)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s: %s", function, status, why);
    shim_tell(line);
}
