#include "poise/numerics.h"

#include <gsl/gsl_errno.h>
#include <libsvm/svm.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

/* Weak: the reference BLAS has no threads and does not have these functions. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void say_nothing(const char *text) { (void)text; }
static void set_up(void)
{
    gsl_set_error_handler_off();
    svm_set_print_string_function(say_nothing);
}
void numerics_set_up(void) { pthread_once(&once, set_up); }

#define BLAS_BUFFER_BYTES ((size_t)144 << 20) /* OpenBLAS 0.3.21 for any processor: 128 MiB, and a bit */

bool numerics_has_room(void)
{
    void *room =
        mmap(NULL, BLAS_BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, BLAS_BUFFER_BYTES) == 0;
}

/* OpenBLAS starts a thread a core when it is loaded, and they spin for a tenth of a second: nobody here has work for
 * them, and sums must not depend on how many they are. */
__attribute__((constructor)) static void dismiss_blas_threads(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (blas_thread_shutdown_) blas_thread_shutdown_();
}
