/* The names and texts of the runtime's errors. */
#include "runtime/runtime.h"

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define X(value, id, text) {id, #id, text},
    POISE_CUDART_ERRORS(X)
#undef X
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error) return errors[i].name;
    return "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error) return errors[i].text;
    return "unrecognized error code";
}
