/* Configurations: any bytes are either a machine or an error that says where. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct gpu_params *params = gpu_params_new();
    if (gpu_params_parse(params, "input", (const char *)data, size, "/nonexistent", &err) < 0 && !err.text[0]) abort();
    gpu_params_free(params);
    return 0;
}
