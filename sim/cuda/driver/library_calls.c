/* Calls of libraries that stand for CUDA's own, in a captured stream: the graph's node keeps the function and its
 * arguments, and calls it at each launch. What the host may change after the call (numbers, handles, descriptors) is
 * kept as it was. */
#include "driver/graph.h"

#include <dlfcn.h>
#include <ffi.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cuda_shim.h"

enum { ARGUMENTS_MAX = 32, ALIGNMENT = 16 };

struct library_call {
    size_t holders; /* nodes, and who makes one */
    char name[64];
    void (*function)(void);
    ffi_cif cif;
    ffi_type *types[ARGUMENTS_MAX];
    void *values[ARGUMENTS_MAX]; /* of words */
    uint64_t words[ARGUMENTS_MAX];
    unsigned char behind[]; /* copies that pointers among the arguments point to */
};

static size_t room(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* The function of the name in the library that `caller` lies in. */
static bool find(void (**out)(void), const void *caller, const char *name)
{
    Dl_info info;
    void *address = NULL, *library = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
        address = dlsym(library, name);
        dlclose(library); /* the program holds it */
    }
    memcpy(out, &address, sizeof *out);
    return address != NULL;
}

static void keep_arguments(struct library_call *call, const struct poise_cuda_argument *arguments, size_t n)
{
    unsigned char *behind = call->behind;
    for (size_t i = 0; i < n; i++) {
        call->types[i] = arguments[i].bytes == sizeof(int) ? &ffi_type_sint : &ffi_type_pointer;
        call->values[i] = &call->words[i];
        memcpy(&call->words[i], arguments[i].value, arguments[i].bytes);
        if (!arguments[i].behind) continue;
        void *from;
        memcpy(&from, arguments[i].value, sizeof from);
        memcpy(behind, from, arguments[i].behind);
        memcpy(&call->words[i], &(void *){behind}, sizeof(void *));
        behind += room(arguments[i].behind);
    }
}

CUresult library_call_new(struct library_call **out, const char *function, const void *caller,
                          const struct poise_cuda_argument *arguments, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (arguments[i].behind == POISE_CUDA_RESULT_ON_HOST)
            return shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                             "%s: a captured call cannot give its result to the host: use the device's pointer mode",
                             function);
        bytes += room(arguments[i].behind);
    }
    struct library_call *call = n && n <= ARGUMENTS_MAX ? calloc(1, sizeof *call + bytes) : NULL;
    if (n && !call) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a captured call");
    if (!call || !find(&call->function, caller, function)) {
        free(call);
        return shim_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s: it runs on the host and cannot be captured",
                         function);
    }
    snprintf(call->name, sizeof call->name, "%s", function);
    keep_arguments(call, arguments, n);
    call->holders = 1;
    *out = call;
    if (ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, (unsigned)n, &ffi_type_sint, call->types) == FFI_OK)
        return CUDA_SUCCESS;
    library_call_leave(call);
    return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "%s: libffi refuses the captured call", function);
}

void library_call_keep(struct library_call *call) { call->holders++; }
void library_call_leave(struct library_call *call)
{
    if (--call->holders == 0) free(call);
}

CUresult library_call_run(struct library_call *call)
{
    struct shim_thread *t = shim_thread();
    ffi_arg status = 0;
    t->runs_library_call = true;
    ffi_call(&call->cif, call->function, &status, call->values);
    t->runs_library_call = false;
    if ((int)status == 0) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_LAUNCH_FAILED, "%s, captured earlier, returned %d", call->name, (int)status);
}
