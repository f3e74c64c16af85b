/* cuLink*: PTX texts become one module's text. And the addresses of this API's functions by name. */
#include "shim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "poise/fatbin.h"
#include "poise/file.h"

struct CUlinkState_st {
    char *text;
    size_t size;
    unsigned n;
};

/* The directives that stand once in a module. */
static bool is_header(const char *line, size_t size)
{
    static const char *const headers[] = {".version", ".target", ".address_size"};
    while (size && (*line == ' ' || *line == '\t')) line++, size--;
    for (size_t i = 0; i < 3; i++)
        if (size > strlen(headers[i]) && strncmp(line, headers[i], strlen(headers[i])) == 0) return true;
    return false;
}

static CUresult append(struct CUlinkState_st *state, const char *text, size_t size)
{
    while (size && text[size - 1] == '\0') size--;
    char *grown = realloc(state->text, state->size + size + 2);
    if (!grown) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuLinkAddData: no memory");
    state->text = grown;
    for (const char *line = text, *end = text + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *next = newline ? newline + 1 : end;
        if (state->n == 0 || !is_header(line, (size_t)(next - line))) {
            memcpy(state->text + state->size, line, (size_t)(next - line));
            state->size += (size_t)(next - line);
        }
        line = next;
    }
    state->text[state->size++] = '\n';
    state->text[state->size] = '\0';
    state->n++;
    return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned int n_options, CUjit_option *options, void **values, CUlinkState *state)
{
    (void)options, (void)values;
    if (!state || (n_options && (!options || !values))) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkCreate: NULL");
    *state = calloc(1, sizeof **state);
    return *state ? CUDA_SUCCESS : shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuLinkCreate: no memory");
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int n_options,
                       CUjit_option *options, void **values)
{
    (void)n_options, (void)options, (void)values;
    if (!state || !data) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkAddData: NULL");
    if (type == CU_JIT_INPUT_PTX) return append(state, data, size);
    if (type != CU_JIT_INPUT_FATBINARY)
        return shim_fail(CUDA_ERROR_NO_BINARY_FOR_GPU, "%s: machine code for a real GPU; this device links PTX texts", name ? name : "cuLinkAddData");
    struct error err = {0};
    char *text;
    if (size < FATBIN_HEADER_BYTES || fatbin_ptx(&text, &size, data, size, 35, &err) < 0)
        return err.text[0] ? shim_fail_with(CUDA_ERROR_NO_BINARY_FOR_GPU, &err) : shim_fail(CUDA_ERROR_INVALID_IMAGE, "cuLinkAddData: %zu bytes are no fat binary", size);
    const CUresult result = append(state, text, size);
    free(text);
    return result;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int n_options, CUjit_option *options, void **values)
{
    struct error err = {0};
    char *text;
    size_t size;
    if (!state || !path) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkAddFile: NULL");
    if (file_read(&text, &size, path, &err) < 0) return shim_fail_with(CUDA_ERROR_FILE_NOT_FOUND, &err);
    const CUresult result = cuLinkAddData(state, type, text, size, path, n_options, options, values);
    free(text);
    return result;
}

/* The text stays the state's. It is a module when it is loaded; what is wrong with it is told then. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    if (!state || !image || !state->n) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkComplete: NULL, or nothing was added");
    *image = state->text;
    if (size) *size = state->size + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkDestroy: NULL");
    free(state->text);
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
    if (!symbol || !function || strlen(symbol) > 200) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGetProcAddress: NULL");
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
    return found ? CUDA_SUCCESS : shim_fail(CUDA_ERROR_NOT_FOUND, "cuGetProcAddress: no function %s", symbol);
}
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
