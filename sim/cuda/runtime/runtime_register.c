/* What a program registers before main: fat binaries, kernels, variables. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>
#include "poise/cuda_shim.h"
#include "poise/fatbin.h"

static struct runtime_binary *binary_of(void **handle)
{
    return handle ? (struct runtime_binary *)(void *)((char *)handle - offsetof(struct runtime_binary, handle)) : NULL;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct fatbin_wrapper *w = wrapper;
    struct runtime_binary *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->data = w->magic == FATBIN_WRAPPER_MAGIC ? w->data : NULL;
    if (b->data && w->version == FATBIN_LINKED_VERSION) b->parts = (const void **)(uintptr_t)w->file;
    struct runtime *r = runtime_lock();
    b->next = r->binaries;
    r->binaries = b;
    runtime_unlock(r);
    return &b->handle;
}

/* A file that poise cc compiled to be linked: all of them are one binary, until its code has been needed. */
void __poiseRegisterLinkedBinary(void (*globals)(void **), void *wrapper)
{
    const struct fatbin_wrapper *w = wrapper;
    struct runtime *r = runtime_lock();
    struct runtime_binary *b = r->binaries;
    while (b && (b->n_parts == 0 || b->is_tried)) b = b->next;
    if (!b && (b = calloc(1, sizeof *b))) {
        b->next = r->binaries;
        r->binaries = b;
    }
    const void **grown = b ? realloc(b->parts, (b->n_parts + 2) * sizeof *grown) : NULL;
    if (grown) {
        b->parts = grown;
        b->parts[b->n_parts++] = w->data;
        b->parts[b->n_parts] = NULL;
    }
    runtime_unlock(r);
    if (grown) globals(&b->handle);
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* Called when the program or a shared library ends: its code and the names in it are about to go. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime_binary *b = binary_of(handle);
    struct runtime *r = runtime_lock();
    for (struct runtime_function **link = &r->functions, *f; (f = *link);) {
        if (f->binary == b) *link = f->next, free(f);
        else link = &f->next;
    }
    for (struct runtime_variable **link = &r->variables, *v; (v = *link);) {
        if (v->binary == b) *link = v->next, free(v->known), free(v);
        else link = &v->next;
    }
    struct runtime_binary **link = &r->binaries;
    while (*link && *link != b) link = &(*link)->next;
    if (*link) *link = b->next;
    runtime_unlock(r);
    if (b && b->n_parts) free(b->parts);
    free(b);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct runtime_function *f = handle ? calloc(1, sizeof *f) : NULL;
    if (!f) return;
    struct runtime *r = runtime_lock();
    *f = (struct runtime_function){.next = r->functions, .binary = binary_of(handle), .host = host, .name = name};
    r->functions = f;
    runtime_unlock(r);
}

static struct runtime_variable *register_variable(void **handle, const void *host, bool is_reference, void **pointer,
                                                  const char *name, size_t bytes)
{
    struct runtime_variable *v = handle ? calloc(1, sizeof *v) : NULL;
    if (!v) return NULL;
    struct runtime *r = runtime_lock();
    *v = (struct runtime_variable){.next = r->variables,
                                   .binary = binary_of(handle),
                                   .unit = binary_of(handle)->n_parts,
                                   .host = host,
                                   .is_reference = is_reference,
                                   .pointer = pointer,
                                   .name = name,
                                   .bytes = bytes};
    r->variables = v;
    runtime_unlock(r);
    return v;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_external, size_t bytes,
                       int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    struct runtime_variable *v = register_variable(handle, host, false, NULL, name, bytes);
    if (v) runtime_managed_begin(v);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_external, size_t bytes,
                              int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    register_variable(handle, host, false, host, name, bytes);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int normalised, int is_external)
{
    (void)device, (void)dimensions, (void)normalised, (void)is_external;
    register_variable(handle, host, true, NULL, name, 0);
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int is_external)
{
    (void)device, (void)dimensions, (void)is_external;
    register_variable(handle, host, true, NULL, name, 0);
}

/* The program is about to use a managed variable: device memory lies at its own address on the host. */
char __cudaInitModule(void **handle)
{
    const struct runtime_binary *b = binary_of(handle);
    if (!b || runtime_ready() != cudaSuccess) return 0;
    struct runtime *r = runtime_lock();
    struct runtime_variable *v = r->variables;
    runtime_unlock(r);
    for (; v; v = v->next) {
        CUdeviceptr address;
        size_t bytes;
        if (v->binary != b || !v->pointer) continue;
        if (runtime_variable(&address, &bytes, v->host) != cudaSuccess) return 0;
        *v->pointer = (void *)(uintptr_t)address;
    }
    return 1;
}
