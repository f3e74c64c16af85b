/* LAPACK, loaded when a fit first needs it. */
#ifndef LEARN_LAPACK_H
#define LEARN_LAPACK_H
#include <stdbool.h>

/* Loads it, from whichever thread; false: it is not there, or memory is too short for it. The functions of <lapacke.h>
 * that poise_learn calls do this first, and fail as they do without memory (LAPACK_WORK_MEMORY_ERROR). */
bool lapack_load(void);

/* Multiplies matrices in column-major order: BLAS's dgemm by its Fortran name, since of CBLAS a program may have GSL's,
 * which is several times slower. To be asked for once lapack_load() has returned true. */
typedef void lapack_dgemm_fn(const char *a_is, const char *b_is, const int *rows, const int *columns, const int *inner,
                             const double *alpha, const double *a, const int *a_lead, const double *b,
                             const int *b_lead, const double *beta, double *c, const int *c_lead);
lapack_dgemm_fn *lapack_dgemm(void);
#endif
