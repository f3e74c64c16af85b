/* Threads of the host, where one piece of work is done by several. */
#ifndef POISE_THREADS_H
#define POISE_THREADS_H
#include <pthread.h>
#include <stdbool.h>
#include "poise/error.h"

#define HOST_THREADS_MAX 256u

/* How many threads one program may use: the variable POISE_THREADS, else the first number of OMP_NUM_THREADS, else the
 * processors that the process may run on; 0 in a variable stands for these as well. 1 to HOST_THREADS_MAX. is_asked
 * (may be NULL): whether POISE_THREADS says it. An error where that is no number. */
int host_threads(unsigned *n, bool *is_asked, struct error *err);
/* pthread_create of a thread to which no signal is delivered: the program's handlers run where the program expects
 * them. It rounds as the caller does. 0, or an error number. */
int thread_start(pthread_t *thread, void *(*work)(void *self), void *self);
/* Calls work(self, 0) here and work(self, 1 .. n - 1) on threads of their own, and returns when all have ended. Where a
 * thread cannot be had, its work is done here, after the first. */
void threads_run(unsigned n, void (*work)(void *self, unsigned index), void *self);
#endif
