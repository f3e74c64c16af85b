/* LAPACKE and OpenBLAS are loaded when a fit first calls them. Linked, they would take half of the time in which any
 * program starts that can learn, whatever it does then: a simulation needs none of them. */
#include "lapack.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <pthread.h>
#include <stddef.h>

/* What is called of LAPACKE: name, parameters, arguments. */
#define FUNCTIONS(F) \
    F(dgeqp3_work, \
      (int order, lapack_int m, lapack_int n, double *a, lapack_int lda, lapack_int *pivots, double *tau, \
       double *work, lapack_int n_work), \
      (order, m, n, a, lda, pivots, tau, work, n_work)) \
    F(dgeqrf_work, \
      (int order, lapack_int m, lapack_int n, double *a, lapack_int lda, double *tau, double *work, \
       lapack_int n_work), \
      (order, m, n, a, lda, tau, work, n_work)) \
    F(dormqr_work, \
      (int order, char side, char trans, lapack_int m, lapack_int n, lapack_int k, const double *a, lapack_int lda, \
       const double *tau, double *c, lapack_int ldc, double *work, lapack_int n_work), \
      (order, side, trans, m, n, k, a, lda, tau, c, ldc, work, n_work)) \
    F(dgesvd, \
      (int order, char jobu, char jobvt, lapack_int m, lapack_int n, double *a, lapack_int lda, double *s, double *u, \
       lapack_int ldu, double *vt, lapack_int ldvt, double *superb), \
      (order, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, superb)) \
    F(dposv, \
      (int order, char uplo, lapack_int n, lapack_int columns, double *a, lapack_int lda, double *b, lapack_int ldb), \
      (order, uplo, n, columns, a, lda, b, ldb)) \
    F(dpotrf, (int order, char uplo, lapack_int n, double *a, lapack_int lda), (order, uplo, n, a, lda)) \
    F(dpotri, (int order, char uplo, lapack_int n, double *a, lapack_int lda), (order, uplo, n, a, lda)) \
    F(dpotrs, \
      (int order, char uplo, lapack_int n, lapack_int columns, const double *a, lapack_int lda, double *b, \
       lapack_int ldb), \
      (order, uplo, n, columns, a, lda, b, ldb)) \
    F(dsyev, (int order, char jobz, char uplo, lapack_int n, double *a, lapack_int lda, double *values), \
      (order, jobz, uplo, n, a, lda, values))

/* Set once, before anybody reads them. */
static struct {
    bool is_there;
    lapack_dgemm_fn *dgemm;
#define F(name, parameters, arguments) lapack_int(*name) parameters;
    FUNCTIONS(F)
#undef F
} lapack;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* OpenBLAS starts a thread a core when it is loaded, and they spin for a tenth of a second: nobody here has work for
 * them, and sums must not depend on how many they are. The reference BLAS has no threads and not these functions. */
static void dismiss_threads(void *blas)
{
    void (*set_threads)(int) = NULL;
    int (*shut_down)(void) = NULL;
    *(void **)&set_threads = dlsym(blas, "openblas_set_num_threads");
    *(void **)&shut_down = dlsym(blas, "blas_thread_shutdown_");
    if (set_threads) set_threads(1);
    if (shut_down) shut_down();
}

/* OpenBLAS comes first and for all, so that LAPACKE finds LAPACK in it, whichever other one the system prefers. */
static void load(void)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_GLOBAL);
    void *lapacke = dlopen("liblapacke.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (blas) dismiss_threads(blas);
    if (lapacke) *(void **)&lapack.dgemm = dlsym(blas ? blas : lapacke, "dgemm_");
    lapack.is_there = lapack.dgemm != NULL;
#define F(name, parameters, arguments) \
    if (lapacke) *(void **)&lapack.name = dlsym(lapacke, "LAPACKE_" #name); \
    lapack.is_there &= lapack.name != NULL;
    FUNCTIONS(F)
#undef F
}

bool lapack_load(void)
{
    pthread_once(&once, load);
    return lapack.is_there;
}

lapack_dgemm_fn *lapack_dgemm(void) { return lapack.dgemm; }

#define F(name, parameters, arguments) \
    lapack_int LAPACKE_##name parameters { return lapack_load() ? lapack.name arguments : LAPACK_WORK_MEMORY_ERROR; }
FUNCTIONS(F)
#undef F
