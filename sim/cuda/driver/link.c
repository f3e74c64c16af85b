/* cuLink*: PTX texts become one module's text (ptx_link.c). And the addresses of this API's functions by name. */
#include "driver/shim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "poise/fatbin.h"
#include "poise/file.h"
#include "poise/ptx_link.h"

struct CUlinkState_st {
    struct ptx_unit *units; /* their texts are the state's */
    size_t n;
    char *linked;
    struct jit_log log; /* the program's */
};

/* A program that gives a log is told there, and may go on: it is an answer. */
static CUresult fail(const struct CUlinkState_st *state, CUresult code, const struct error *err)
{
    if (!state->log.size) return shim_fail_with(code, err);
    if (*err->hint) shim_answer(code, "%s (%s)", err->text, err->hint);
    else shim_answer(code, "%s", err->text);
    jit_log_write(&state->log, code);
    return code;
}

static CUresult append(struct CUlinkState_st *state, const char *text, size_t size)
{
    struct ptx_unit *grown = realloc(state->units, (state->n + 1) * sizeof *grown);
    char *own = malloc(size + 1);
    if (grown) state->units = grown;
    if (!grown || !own) {
        struct error err = {0};
        free(own);
        error_set(&err, ERR_MEMORY, "cuLinkAddData: no memory");
        return fail(state, CUDA_ERROR_OUT_OF_MEMORY, &err);
    }
    memcpy(own, text, size);
    own[size] = '\0';
    state->units[state->n++] = (struct ptx_unit){own, strlen(own)};
    return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned int n_options, CUjit_option *options, void **values, CUlinkState *state)
{
    if (!state || (n_options && (!options || !values)))
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkCreate: NULL");
    if (!(*state = calloc(1, sizeof **state))) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuLinkCreate: no memory");
    (*state)->log = jit_log_of(n_options, options, values);
    jit_log_write(&(*state)->log, CUDA_SUCCESS);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int n_options, CUjit_option *options, void **values)
{
    (void)n_options, (void)options, (void)values;
    if (!state || !data) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkAddData: NULL");
    if (type == CU_JIT_INPUT_PTX) return append(state, data, size);
    struct error err = {0};
    char *text;
    if (type != CU_JIT_INPUT_FATBINARY) {
        error_set(&err, ERR_INPUT, "%s: machine code for a real GPU; this device links PTX texts",
                  name ? name : "cuLinkAddData");
        return fail(state, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    }
    if (size < FATBIN_HEADER_BYTES) {
        error_set(&err, ERR_INPUT, "cuLinkAddData: %zu bytes are no fat binary", size);
        return fail(state, CUDA_ERROR_INVALID_IMAGE, &err);
    }
    if (fatbin_ptx(&text, &size, data, size, device_capability(), &err) < 0)
        return fail(state, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    const CUresult result = append(state, text, size);
    free(text);
    return result;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int n_options,
                       CUjit_option *options, void **values)
{
    struct error err = {0};
    char *text;
    size_t size;
    if (!state || !path) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkAddFile: NULL");
    if (file_read(&text, &size, path, &err) < 0) return fail(state, CUDA_ERROR_FILE_NOT_FOUND, &err);
    const CUresult result = cuLinkAddData(state, type, text, size, path, n_options, options, values);
    free(text);
    return result;
}

/* The text stays the state's. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    struct error err = {0};
    size_t bytes;
    if (!state || !image) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkComplete: NULL");
    if (!state->n) {
        error_set(&err, ERR_INPUT, "cuLinkComplete: nothing was added");
        return fail(state, CUDA_ERROR_INVALID_VALUE, &err);
    }
    free(state->linked);
    state->linked = NULL;
    if (ptx_link(&state->linked, &bytes, state->units, state->n, &err) < 0)
        return fail(state, CUDA_ERROR_INVALID_PTX, &err);
    *image = state->linked;
    if (size) *size = bytes + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkDestroy: NULL");
    for (size_t i = 0; i < state->n; i++) free((char *)(uintptr_t)state->units[i].text);
    free(state->units);
    free(state->linked);
    free(state);
    return CUDA_SUCCESS;
}

/* ---- functions by name ---- */
/* Of the versions of a symbol that CUDA has had, the newest that is here. */
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status)
{
    static const char *const suffixes[] = {"_v3", "_v2", ""};
    Dl_info own;
    void *library = NULL, *found = NULL;
    (void)version, (void)flags;
    if (!symbol || !function || strlen(symbol) > 200)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGetProcAddress: NULL");
    if (dladdr((void *)(uintptr_t)cuInit, &own)) library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) library = dlopen(NULL, RTLD_LAZY); /* linked into the program itself */
    for (size_t i = 0; i < 3 && library && !found && strncmp(symbol, "cu", 2) == 0; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", symbol, suffixes[i]);
        found = dlsym(library, name);
    }
    if (library) dlclose(library);
    *function = found;
    if (status) *status = found ? 0 : 1;
    return found ? CUDA_SUCCESS : shim_answer(CUDA_ERROR_NOT_FOUND, "cuGetProcAddress: no function %s", symbol);
}
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
