/* What every workload's host program shares: arguments, checked CUDA driver calls, data, comparison with the CPU
 * reference.
 *
 *     struct wl w;
 *     wl_begin(&w, &spec, argc, argv);        parses arguments, makes a context, loads the PTX that is linked in
 *     ... wl_upload, wl_function, wl_launch, wl_output, wl_compare_u32 / _f32 ...
 *     return wl_end(&w);                       prints one line, frees everything, 0 = all outputs agree, 1 = not
 *
 * A workload is a program, so the harness prints and exits: 2 on bad usage, 1 on a failed CUDA call. */
#ifndef WORKLOAD_H
#define WORKLOAD_H
#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "knob.h"

enum wl_size { WL_TEST, WL_SMALL, WL_FULL, WL_EVAL, WL_N_SIZES };

struct wl_spec {
    const char *name, *doc;
    const char *const *inputs;   /* what each input is, or NULL: the workload has one */
    int n_inputs;                /* 0 or the number of inputs */
    int n_drawn;                 /* so many more after them, whose parameters are drawn with the input's number as the
                                  * seed */
    const struct wl_knob *knobs; /* WL_KNOBS_MAX at most */
    int n_knobs;
    bool has_eval; /* it has size eval: the suite's own block shape, an input that keeps the machine busy for a
                    * million cycles */
};

struct wl {
    const struct wl_spec *spec;
    enum wl_size size;
    int input;
    bool verbose;
    bool flips; /* --flip-output-bit was given: flip_bit of all output bits, counted as they are copied
                 * back */
    uint64_t flip_bit, output_bits;
    uint64_t n_launches, n_compared, n_wrong;
    char first_wrong[200];
    uint32_t knobs[WL_KNOBS_MAX][WL_KNOB_VALUES_MAX];
    int n_knob_values[WL_KNOBS_MAX];
    CUdevice device;
    CUmodule module;
    struct wl_block *blocks; /* host and device memory that wl_end frees */
};

void wl_begin(struct wl *w, const struct wl_spec *spec, int argc, char **argv);
int wl_end(struct wl *w);
/* Ends the program: the message goes to stderr after the workload's name. */
_Noreturn void wl_fail(const struct wl *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like an argument that is out of range: exit status 2. */
_Noreturn void wl_refuse(const struct wl *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline uint32_t wl_knob(const struct wl *w, int knob, uint32_t phase)
{
    return w->knobs[knob][phase % (uint32_t)w->n_knob_values[knob]];
}
void wl_check(const struct wl *w, CUresult result, const char *call);
#define WL_CU(w, call) wl_check(w, (call), #call)

/* Zeroed host memory that lives until wl_end. */
void *wl_host(struct wl *w, size_t count, size_t bytes);
#define WL_NEW(w, type, count) ((type *)wl_host(w, (count), sizeof(type)))

CUdeviceptr wl_alloc(struct wl *w, size_t bytes);                    /* zeroed device memory, freed by wl_end */
CUdeviceptr wl_upload(struct wl *w, const void *from, size_t bytes); /* wl_alloc and a copy */
void wl_write(struct wl *w, CUdeviceptr to, const void *from, size_t bytes);
void wl_read(struct wl *w, void *to, CUdeviceptr from, size_t bytes);   /* control data: never flipped */
void wl_output(struct wl *w, void *to, CUdeviceptr from, size_t bytes); /* results: --flip-output-bit counts these */
/* Copies to a __constant__ or __device__ variable of the module. */
void wl_symbol(struct wl *w, const char *name, const void *from, size_t bytes);
/* n floats as a texture object that is linear in memory; the caller destroys it. */
CUtexObject wl_texture(struct wl *w, CUdeviceptr from, size_t n);
CUfunction wl_function(struct wl *w, const char *name);
/* One launch of gx x gy blocks of bx x by threads. */
void wl_launch(struct wl *w, CUfunction kernel, unsigned gx, unsigned gy, unsigned bx, unsigned by, void **args);
static inline unsigned wl_blocks(size_t threads, unsigned block) { return (unsigned)((threads + block - 1) / block); }

/* Bit-exact comparison: kernels and references compute in the same order with fmaf, division and square root, all of
 * which IEEE 754 rounds in one way. */
void wl_compare_u32(struct wl *w, const char *what, const uint32_t *got, const uint32_t *want, size_t n);
void wl_compare_f32(struct wl *w, const char *what, const float *got, const float *want, size_t n);
void wl_compare_f64(struct wl *w, const char *what, const double *got, const double *want, size_t n);
/* For outputs that are checked by a property: counts one comparison. */
void wl_expect(struct wl *w, bool holds, const char *what, size_t index);

/* splitmix64: the same numbers on every machine. */
struct wl_rng {
    uint64_t state;
};
uint64_t wl_rng_next(struct wl_rng *rng);
uint32_t wl_rng_below(struct wl_rng *rng, uint32_t n);
float wl_rng_unit(struct wl_rng *rng); /* [0, 1), 24 bits */
void wl_rng_fill(struct wl_rng *rng, float *to, size_t n);
#endif
