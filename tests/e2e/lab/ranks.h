/* What the tests share in which several processes work on one store: shell commands, and what they printed. */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H
#include "lab.h"

static inline int lab_begin_with_mpi(void **state)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the MPI library's own */
    return lab_begin(state);
}

/* The text of a file in the folder. */
static inline char *said(const char *name)
{
    static char text[1 << 18];
    char path[160];
    snprintf(path, sizeof path, "%s/%s", root, name);
    slurp(path, text, sizeof text);
    return text;
}

static inline int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The exit status; -1 after a signal. */
static inline int shell(const char *format, ...)
{
    char command[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif
