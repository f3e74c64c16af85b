#include "poise/numerics.h"

#include <gsl/gsl_errno.h>
#include <libsvm/svm.h>
#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void say_nothing(const char *text) { (void)text; }
static void set_up(void)
{
    gsl_set_error_handler_off();
    svm_set_print_string_function(say_nothing);
}
void numerics_set_up(void) { pthread_once(&once, set_up); }

#define BLAS_BUFFER_BYTES ((size_t)144 << 20) /* OpenBLAS 0.3.21 for any processor: 128 MiB, and a bit */

/* Threads of the team that the caller is in may all call BLAS at once. One asks at a time: what one holds while it asks
 * is no lack of room for another. */
bool numerics_has_room(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t bytes = BLAS_BUFFER_BYTES;
    for (int level = 1; level <= omp_get_level(); level++) bytes *= (size_t)omp_get_team_size(level);
    pthread_mutex_lock(&lock);
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const bool has = room != MAP_FAILED && munmap(room, bytes) == 0;
    pthread_mutex_unlock(&lock);
    return has;
}
