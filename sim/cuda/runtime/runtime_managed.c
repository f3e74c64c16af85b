/* Managed variables of programs that poise cc compiled. clang knows none: the host's side of each is a variable of its
 * own, in a section whose bounds the program tells. What the host changed goes to the device before each launch, what
 * a launch changed comes back after it; launches end before their calls return. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *begin, *end;
} sections[64]; /* of the program and the libraries that it has loaded */
static unsigned n_sections;

void __poiseManagedVariables(char *begin, char *end)
{
    struct runtime *r = runtime_lock();
    bool is_known = begin == end;
    for (unsigned i = 0; i < n_sections; i++) is_known |= sections[i].begin == begin;
    if (!is_known && n_sections < sizeof sections / sizeof *sections) {
        sections[n_sections].begin = begin;
        sections[n_sections++].end = end;
    }
    runtime_unlock(r);
}

static bool is_managed(const struct runtime_variable *v)
{
    for (unsigned i = 0; i < n_sections; i++)
        if ((const char *)v->host >= sections[i].begin && (const char *)v->host < sections[i].end) return true;
    return false;
}

/* The device's bytes of v; NULL where it cannot be found, which the launch itself will tell. */
static void *device_bytes(const struct runtime_variable *v)
{
    CUdeviceptr address;
    size_t bytes;
    if (runtime_variable(&address, &bytes, v->host) != cudaSuccess) return NULL;
    return poise_cuda_bytes((const void *)(uintptr_t)address, v->bytes);
}

void runtime_managed_begin(struct runtime_variable *v)
{
    if (!n_sections || !is_managed(v)) return;
    void *device = runtime_ready() == cudaSuccess ? device_bytes(v) : NULL;
    v->known = device ? malloc(v->bytes) : NULL;
    if (!v->known) return;
    memcpy(v->known, device, v->bytes);
    memcpy((void *)(uintptr_t)v->host, device, v->bytes);
}

void runtime_managed_exchange(bool to_device)
{
    if (!n_sections) return;
    struct runtime *r = runtime_lock();
    struct runtime_variable *v = r->variables;
    runtime_unlock(r);
    for (; v; v = v->next) {
        void *const host = (void *)(uintptr_t)v->host, *const device = v->known ? device_bytes(v) : NULL;
        void *const from = to_device ? host : device, *const to = to_device ? device : host;
        if (!device || memcmp(from, v->known, v->bytes) == 0) continue;
        memcpy(to, from, v->bytes);
        memcpy(v->known, from, v->bytes);
    }
}
