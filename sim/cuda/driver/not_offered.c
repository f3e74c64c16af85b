/* The functions of the driver API that programs may name and this library does not offer: each answers that, by the
 * text of cuGetErrorString and by one line in the thread's last error. This file does not include cuda.h, where they
 * have their parameters: on the ABIs that we run on a function that reads none can be called with any. */
#include "poise/driver_not_offered.h"

int shim_not_offered(const char *name); /* queries.c */
#pragma GCC visibility push(default)
#define X(name, parameters) \
    int name(void); \
    int name(void) { return shim_not_offered(#name); }
POISE_CUDA_NOT_OFFERED(X)
#undef X
#pragma GCC visibility pop
