/* `poise cuda --host-access strict`: the program's host code touches memory of the device, which hardware answers with
 * a segmentation fault. So does this library, by page protection (memory.c); here the fault is told before it ends the
 * program: the address, what it belongs to, and where in the program the access is. */
#include "driver/shim.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction before; /* of the program, which goes on with it */
static const struct device_memory *memory;

/* "reads" or "writes", where the processor says it. */
static const char *direction(const ucontext_t *context)
{
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
    return (void)context, "touches";
#endif
}

static void *instruction(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)context->uc_mcontext.pc;
#else
    return (void)context, NULL;
#endif
}

/* The name of the module's variable at the address, or NULL. */
static const char *variable(const struct allocation *a)
{
    for (size_t i = 0; a->module && i < a->module->n_variables; i++)
        if (a->module->addresses[i] == a->lo) return ptx_module_variable(a->module->ptx, i)->name;
    return NULL;
}

static void describe(char *text, size_t size, const struct allocation *a, uint64_t address)
{
    static const char *const kinds[] = {[ALLOCATION_DEVICE] = "device memory (cudaMalloc)",
                                        [ALLOCATION_PINNED] = "pinned memory",
                                        [ALLOCATION_MANAGED] = "managed memory",
                                        [ALLOCATION_ARRAY] = "a CUDA array",
                                        [ALLOCATION_HEAP] = "memory that a kernel took",
                                        [ALLOCATION_REGISTERED] = "registered memory"};
    if (!a) {
        snprintf(text, size, "in the device's range, but in no allocation");
        return;
    }
    const char *name = variable(a);
    snprintf(text, size, "byte %llu of %llu bytes of %s%s at 0x%llx", (unsigned long long)(address - a->lo),
             (unsigned long long)(a->hi - a->lo), name ? "the device's variable " : kinds[a->kind], name ? name : "",
             (unsigned long long)a->lo);
}

static void fault(int number, siginfo_t *info, void *context)
{
    const uint64_t address = (uintptr_t)info->si_addr;
    (void)number;
    if (address - DEVICE_MEMORY_BASE < memory->bytes) {
        char what[300], text[700], where[300] = "";
        Dl_info file;
        const char *at = instruction(context);
        if (at && dladdr(at, &file) && file.dli_fname)
            snprintf(where, sizeof where, " (%.200s+0x%llx)", file.dli_fname,
                     (unsigned long long)(at - (const char *)file.dli_fbase));
        describe(what, sizeof what, memory_find(memory, address), address);
        const int n =
            snprintf(text, sizeof text,
                     "poise: the host %s 0x%llx%s: %s, which only kernels can reach: copy it (cudaMemcpy), or "
                     "take managed or pinned memory\n",
                     direction(context), (unsigned long long)address, where, what);
        if (write(STDERR_FILENO, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0) _exit(139);
    }
    sigaction(SIGSEGV, &before, NULL); /* the access is tried again, and ends the program as it would without us */
}

void host_access_watch(const struct device_memory *m)
{
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    memory = m;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}
