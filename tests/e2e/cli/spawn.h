/* Runs the built program through a shell and keeps what it says. */
#ifndef TEST_SPAWN_H
#define TEST_SPAWN_H
#include <stdarg.h>
#include "folder.h"
#include "rig.h"
#include "where.h"
#include <sys/wait.h>
#include <unistd.h>

struct said {
    int status;
    char out[1 << 18], err[1 << 14];
};

static inline void slurp(const char *path, char *out, size_t size)
{
    FILE *in = fopen(path, "r");
    const size_t n = in ? fread(out, 1, size - 1, in) : 0;
    out[n] = '\0';
    if (in) fclose(in);
}

/* `arguments` follow the program's path; `dir` is an existing folder for its output. */
static inline struct said *poise(const char *dir, const char *arguments)
{
    static struct said said;
    char command[8192], path[256];
    const int length = snprintf(command, sizeof command, "%s/experiments/poise %s >%s/out 2>%s/err", POISE_BINARY_DIR,
                                arguments, dir, dir);
    assert_true(length < (int)sizeof command);
    const int status = system(command);
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(path, sizeof path, "%s/out", dir);
    slurp(path, said.out, sizeof said.out);
    snprintf(path, sizeof path, "%s/err", dir);
    slurp(path, said.err, sizeof said.err);
    /* What a sanitizer or a crash says is in no other place; ctest shows it where the test fails. */
    if (said.status == 1 || said.status < 0)
        fprintf(stderr, "poise %.200s: status %d: %s\n", arguments, said.status, said.err);
    return &said;
}
/* The same, with arguments as printf makes them. */
__attribute__((format(printf, 2, 3))) static inline struct said *poisef(const char *dir, const char *format, ...)
{
    char arguments[7168];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    assert_true(length < (int)sizeof arguments);
    return poise(dir, arguments);
}

static inline const char *fresh_dir(void)
{
    static char dir[64];
    assert_non_null(folder_fresh(dir, sizeof dir));
    return dir;
}
#endif
