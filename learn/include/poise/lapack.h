/* LAPACKE, loaded at the first call. With it come OpenBLAS, LAPACK and Fortran's library: linked, they would take a
 * third of the time in which each command starts, and few commands factor a matrix. */
#ifndef POISE_LAPACK_H
#define POISE_LAPACK_H
#include <lapacke.h>

#define LAPACK_FUNCTIONS(F) \
    F(dposv) \
    F(dpotrf) \
    F(dpotri) \
    F(dpotrs) \
    F(dsyev) \
    F(dgesvd) \
    F(dgeqrf_work) \
    F(dgeqp3_work) \
    F(dormqr_work)

struct lapack {
#define F(name) __typeof__(LAPACKE_##name) *name;
    LAPACK_FUNCTIONS(F)
#undef F
    /* BLAS by its Fortran name: of CBLAS a program may have GSL's, which is several times slower. Column-major. */
    void (*dgemm)(const char *a_is, const char *b_is, const int *rows, const int *columns, const int *inner,
                  const double *alpha, const double *a, const int *a_lead, const double *b, const int *b_lead,
                  const double *beta, double *c, const int *c_lead);
};

/* LAPACKE's functions by their names without the prefix, with its arguments and results: lapack()->dpotrf(..). From any
 * thread. BLAS is held to one thread (lapack.c). A machine without the libraries ends the process with a message, as
 * the system's loader would. */
const struct lapack *lapack(void);
#endif
