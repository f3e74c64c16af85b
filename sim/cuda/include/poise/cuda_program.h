/* What a program file says about CUDA, before it is run: does it load the runtime from a library, does it hold PTX. */
#ifndef POISE_CUDA_PROGRAM_H
#define POISE_CUDA_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

struct cuda_program {
    bool loads_runtime, loads_driver; /* libcudart.so.*, libcuda.so.* are among the libraries it needs */
    bool loads_compiler;              /* libnvrtc.so.*: its kernels may come while it runs */
    bool has_rpath;                   /* libraries are searched there before LD_LIBRARY_PATH */
    bool has_fatbin, has_ptx;
    uint32_t machine_code; /* sm_ number of some machine code; 0 if none */
    char absent[48];       /* the first library of NVIDIA's that it needs and that is not here, or "" */
};
/* From a file's bytes (ELF, 64 bits). */
int cuda_program_read(struct cuda_program *out, const void *data, size_t size, struct error *err);
/* Of a file: 0 if it can run on our libraries, else an error that says how to compile it. A library that is not here is
 * one line on stderr. */
int cuda_program_check(const char *path, struct error *err);
#endif
