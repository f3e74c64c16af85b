/* What no device has more of, so that CUDA's assembler refuses it: constant memory of a program, and shared memory that
 * is declared in a kernel (a kernel that asks for more has it as dynamic shared memory). */
#ifndef POISE_CUDA_LIMITS_H
#define POISE_CUDA_LIMITS_H
#include "poise/error.h"
#include "poise/ptx.h"

#define CUDA_CONSTANT_BYTES 65536u
#define CUDA_STATIC_SHARED_BYTES 49152u
/* ERR_LIMIT names `name`, and the variable or the kernel. */
int cuda_limits_check(const struct ptx_module *module, const char *name, struct error *err);
#endif
