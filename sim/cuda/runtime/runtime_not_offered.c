/* The functions of the runtime API that programs may name and this library does not offer (driver/not_offered.c). */
#include "poise/runtime_not_offered.h"

int runtime_not_offered(const char *name); /* runtime_attributes.c */
#pragma GCC visibility push(default)
#define X(name, parameters) \
    int name(void); \
    int name(void) { return runtime_not_offered(#name); }
POISE_CUDART_NOT_OFFERED(X)
#undef X
#pragma GCC visibility pop
