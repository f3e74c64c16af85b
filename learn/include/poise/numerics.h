/* The process-wide settings of the numeric libraries, in one place. */
#ifndef POISE_NUMERICS_H
#define POISE_NUMERICS_H
#include <stdbool.h>

/* Once a process, whoever calls first and from whichever thread: GSL's error handler, which would abort the process, is
 * switched off, and libsvm prints nothing. Both are settings of the whole process, and GSL's stays off for the rest of
 * a program that uses it too: results are told by codes and NaN instead. Everything in poise_learn that calls GSL does
 * this first; call it where other code of yours or ours uses GSL. A program that sets a handler of its own does so
 * before, and must expect it to be replaced. (BLAS is held to one thread as soon as it is loaded, see
 * lapack.c.) */
void numerics_set_up(void);

/* Whether BLAS will find memory for the buffers of the caller and of the other threads of its OpenMP teams: OpenBLAS
 * takes one for each thread that calls it at a time, and where there is none it tries again for ever. Asked before each
 * piece of work that calls it (fits do); false: tell it as out of memory. */
bool numerics_has_room(void);
#endif
