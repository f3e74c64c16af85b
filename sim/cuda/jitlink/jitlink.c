/* libnvJitLink over the driver's cuLink*: what is added is PTX, or a fat binary that has it. NVIDIA's header calls
 * these functions by names with its version, which are here for CUDA 12.0 to 12.9 and 13.0 to 13.2. */
#include "toolkit/nvJitLink.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"

struct nvJitLink {
    CUlinkState link;
    char why[600];   /* the driver's text of the last failure */
    char log[1200];  /* all that failed */
    const char *ptx; /* linked; the text is the driver's */
    size_t size;     /* with its NUL */
};

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor)
{
    if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
    *major = 12, *minor = 0;
    return NVJITLINK_SUCCESS;
}

/* None but the architecture changes what is linked. */
static bool is_known(const char *option)
{
    static const char *const names[] = {"-arch=",
                                        "-lto",
                                        "-ptx",
                                        "-g",
                                        "-lineinfo",
                                        "-O",
                                        "-ftz=",
                                        "-fma=",
                                        "-prec-",
                                        "-maxrregcount",
                                        "-verbose",
                                        "-time",
                                        "-kernels-used",
                                        "-X",
                                        "-minimal",
                                        "-no-cache",
                                        "-split-",
                                        "-variables-",
                                        "-optimize-unus",
                                        "-jump-table-",
                                        "-device-stack-p",
                                        "-has-cta"};
    if (strncmp(option, "--", 2) == 0) option++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(option, names[i], strlen(names[i])) == 0) return true;
    return false;
}

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *out, uint32_t n_options, const char **options)
{
    bool has_arch = false;
    if (!out || (n_options && !options)) return NVJITLINK_ERROR_NULL_INPUT;
    for (uint32_t i = 0; i < n_options; i++) {
        if (!options[i]) return NVJITLINK_ERROR_NULL_INPUT;
        if (!is_known(options[i])) return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
        const char *arch = strstr(options[i], "-arch=");
        if (!arch) continue;
        has_arch = true;
        if (strncmp(arch + 6, "sm_", 3) != 0 && strncmp(arch + 6, "compute_", 8) != 0)
            return NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
    }
    if (!has_arch) return NVJITLINK_ERROR_MISSING_ARCH;
    struct nvJitLink *new = calloc(1, sizeof *new);
    CUjit_option log[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {new ? new->why : NULL, (void *)sizeof new->why};
    if (!new || cuLinkCreate(2, log, values, &new->link) != CUDA_SUCCESS) {
        free(new);
        return NVJITLINK_ERROR_INTERNAL;
    }
    *out = new;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle)
{
    if (!handle || !*handle) return NVJITLINK_ERROR_NULL_INPUT;
    cuLinkDestroy((*handle)->link);
    free(*handle);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

/* A line of the log, and which error it is. */
static nvJitLinkResult fail(struct nvJitLink *l, nvJitLinkResult result, const char *name, const char *why)
{
    const size_t n = strlen(l->log);
    snprintf(l->log + n, sizeof l->log - n, "%s%.200s%s%s", n ? "\n" : "", name ? name : "", name ? ": " : "", why);
    return result;
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle l, nvJitLinkInputType type, const void *data, size_t size,
                                 const char *name)
{
    static const char begin[] = "\x50\xed\x55\xba"; /* of a fat binary */
    if (!l || !data || !size) return NVJITLINK_ERROR_NULL_INPUT;
    if (l->ptx) return NVJITLINK_ERROR_INVALID_INPUT;
    if (type < NVJITLINK_INPUT_CUBIN || (type > NVJITLINK_INPUT_INDEX && type != NVJITLINK_INPUT_ANY))
        return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    const bool is_fat = size > 4 && memcmp(data, begin, 4) == 0, is_elf = size > 4 && memcmp(data, "\177ELF", 4) == 0;
    const CUjitInputType is = is_fat ? CU_JIT_INPUT_FATBINARY : is_elf ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_PTX;
    const CUresult result = cuLinkAddData(l->link, is, (void *)(uintptr_t)data, size, name ? name : "", 0, NULL, NULL);
    return result == CUDA_SUCCESS ? NVJITLINK_SUCCESS : fail(l, NVJITLINK_ERROR_INVALID_INPUT, name, l->why);
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle l, nvJitLinkInputType type, const char *path)
{
    if (!l || !path) return NVJITLINK_ERROR_NULL_INPUT;
    struct error err;
    char *data;
    size_t size;
    if (file_read(&data, &size, path, &err) < 0) return fail(l, NVJITLINK_ERROR_INVALID_INPUT, NULL, err.text);
    const nvJitLinkResult result = size ? nvJitLinkAddData(l, type, data, size, path)
                                        : fail(l, NVJITLINK_ERROR_INVALID_INPUT, path, "the file is empty");
    free(data);
    return result;
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle l)
{
    void *text;
    size_t size;
    if (!l) return NVJITLINK_ERROR_NULL_INPUT;
    if (l->ptx) return NVJITLINK_SUCCESS;
    if (cuLinkComplete(l->link, &text, &size) != CUDA_SUCCESS)
        return fail(l, NVJITLINK_ERROR_PTX_COMPILE, NULL, l->why);
    l->ptx = text;
    l->size = size;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult give_size(size_t *out, const struct nvJitLink *l, size_t size)
{
    if (!l || !out) return NVJITLINK_ERROR_NULL_INPUT;
    *out = size;
    return NVJITLINK_SUCCESS;
}
static nvJitLinkResult give(void *out, const struct nvJitLink *l, const char *text, size_t size)
{
    if (!l || !out) return NVJITLINK_ERROR_NULL_INPUT;
    if (!text) return NVJITLINK_ERROR_INVALID_INPUT;
    memcpy(out, text, size);
    return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle l, size_t *size)
{
    return l && !l->ptx ? NVJITLINK_ERROR_INVALID_INPUT : give_size(size, l, l ? l->size : 0);
}
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle l, void *out)
{
    return give(out, l, l ? l->ptx : NULL, l ? l->size : 0);
}
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle l, size_t *size)
{
    return nvJitLinkGetLinkedCubinSize(l, size);
}
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle l, char *out) { return nvJitLinkGetLinkedCubin(l, out); }
/* An empty log has no bytes, one that says something has its NUL. */
static size_t log_size(const struct nvJitLink *l) { return l && *l->log ? strlen(l->log) + 1 : 0; }
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle l, size_t *size) { return give_size(size, l, log_size(l)); }
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle l, char *out)
{
    return give(out, l, l ? l->log : "", log_size(l));
}
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle l, size_t *size) { return give_size(size, l, 0); }
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle l, char *out) { return give(out, l, "", 0); }

/* ---- names with versions ---- */

#define NAME(name, version, ...) \
    nvJitLinkResult __nvJitLink##name##_##version(__VA_ARGS__) __attribute__((alias("nvJitLink" #name)));
#define NAMES(version) \
    NAME(Create, version, nvJitLinkHandle *, uint32_t, const char **) \
    NAME(Destroy, version, nvJitLinkHandle *) \
    NAME(AddData, version, nvJitLinkHandle, nvJitLinkInputType, const void *, size_t, const char *) \
    NAME(AddFile, version, nvJitLinkHandle, nvJitLinkInputType, const char *) \
    NAME(Complete, version, nvJitLinkHandle) \
    NAME(GetLinkedCubinSize, version, nvJitLinkHandle, size_t *) \
    NAME(GetLinkedCubin, version, nvJitLinkHandle, void *) \
    NAME(GetLinkedPtxSize, version, nvJitLinkHandle, size_t *) \
    NAME(GetLinkedPtx, version, nvJitLinkHandle, char *) \
    NAME(GetErrorLogSize, version, nvJitLinkHandle, size_t *) \
    NAME(GetErrorLog, version, nvJitLinkHandle, char *) \
    NAME(GetInfoLogSize, version, nvJitLinkHandle, size_t *) \
    NAME(GetInfoLog, version, nvJitLinkHandle, char *)
NAMES(12_0)
NAMES(12_1)
NAMES(12_2)
NAMES(12_3)
NAMES(12_4)
NAMES(12_5)
NAMES(12_6)
NAMES(12_7)
NAMES(12_8)
NAMES(12_9)
NAMES(13_0)
NAMES(13_1)
NAMES(13_2)
