#include "driver/shim.h"

static const struct {
    CUresult code;
    const char *name, *text;
} rows[] = {
#define X(value, id, text) {id, #id, text},
    POISE_CUDA_ERRORS(X)
#undef X
};

const char *cuda_error_name(CUresult code)
{
    const char *name = "CUDA_ERROR_UNKNOWN";
    cuGetErrorName(code, &name);
    return name;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == error) return *text = rows[i].name, CUDA_SUCCESS;
    *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == error) return *text = rows[i].text, CUDA_SUCCESS;
    *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
