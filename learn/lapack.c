#include "poise/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "poise/say.h"

static struct lapack functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void missing(void)
{
    say_line(stderr, "poise: %s (Debian: liblapacke and libopenblas0)", dlerror());
    exit(1);
}

/* OpenBLAS starts a thread a core when it is loaded, and they spin for a tenth of a second: nobody here has work for
 * them, and sums must not depend on how many they are. Another BLAS does not have these functions. */
static void dismiss_blas_threads(void *blas)
{
    union { /* C has no other way from an object's address to a function's */
        void *address;
        void (*set_threads)(int threads);
        int (*shut_down)(void);
    } function;
    if ((function.address = dlsym(blas, "openblas_set_num_threads"))) function.set_threads(1);
    if ((function.address = dlsym(blas, "blas_thread_shutdown_"))) function.shut_down();
}

/* OpenBLAS first and for all that is loaded later: LAPACKE's own BLAS is whichever the system chose. */
static void load(void)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_GLOBAL);
    void *library = blas ? dlopen("liblapacke.so.3", RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!library) missing();
    dismiss_blas_threads(blas);
    if (!(*(void **)&functions.dgemm = dlsym(blas, "dgemm_"))) missing();
#define F(name) \
    if (!(*(void **)&functions.name = dlsym(library, "LAPACKE_" #name))) missing();
    LAPACK_FUNCTIONS(F)
#undef F
}

const struct lapack *lapack(void)
{
    pthread_once(&once, load);
    return &functions;
}
