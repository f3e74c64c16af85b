/* What the tests of whole CUDA programs share: a folder, a shell, and what the program suite says. */
#ifndef CUDA_PROGRAMS_RIG_H
#define CUDA_PROGRAMS_RIG_H
#include "folder.h"
#include "where.h"
#include "rig.h"
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES POISE_SOURCE_DIR "/tests/e2e/cuda"
#define SUITE SOURCES "/programs/suite.cu"
#define POISE POISE_BINARY_DIR "/experiments/poise"
#define LIBRARY POISE_BINARY_DIR "/sim/cuda/lib"

static char dir[64], said[1 << 14];

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The exit status; what was printed, on either stream, is in `said`. */
static int shell(const char *format, ...)
{
    char command[8192], path[128];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(command + n, sizeof command - (size_t)n, " >%s/said 2>&1", dir);
    const int status = system(command);
    snprintf(path, sizeof path, "%s/said", dir);
    FILE *in = fopen(path, "r");
    said[in ? fread(said, 1, sizeof said - 1, in) : 0] = '\0';
    if (in) fclose(in);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int folder(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/poise-cuda-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}
static int remove_all(void **state)
{
    (void)state;
    return folder_remove(dir) == 0 ? 0 : -1;
}

static void need(const char *tool, const char *what)
{
    if (shell("command -v %s", tool) == 0) return;
    print_message("skipped: %s is not installed (%s)\n", tool, what);
    skip();
}

static inline void write_text(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Every program of programs.def ran and passed its own checks. */
static inline void assert_all_programs_passed(const char *how)
{
    static const char *const names[] = {
#define X(name) #name,
#include "programs/programs.def"
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s ok\n", names[i]);
        const char *at = strstr(said, line);
        if (!at || (at != said && at[-1] != '\n')) fail_msg("%s: %s did not pass: %s", how, names[i], said);
    }
}
#endif
