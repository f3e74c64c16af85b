#include "cli/cc_run.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/file.h"

extern char **environ;

void cc_add_all(struct words *w, const struct words *more)
{
    for (size_t i = 0; i < more->n && w->n < CC_WORDS_MAX - 1; i++) cc_add(w, more->items[i]);
}

const char *cc_clang(void) { return getenv("POISE_CLANG") ? getenv("POISE_CLANG") : "clang"; }

unsigned cc_clang_version(void)
{
    static const char folder[] = "/llvm-";
    char found[PATH_MAX], path[PATH_MAX], command[4200];
    const char *clang = cc_clang();
    unsigned version = 0;
    if (!strchr(clang, '/') && file_in_path(found, sizeof found, clang)) clang = found;
    const char *llvm = realpath(clang, path) ? strstr(path, folder) : NULL;
    if (llvm && sscanf(llvm + strlen(folder), "%u/bin/", &version) == 1) return version;
    snprintf(command, sizeof command, "\"%s\" -dumpversion 2>/dev/null", cc_clang());
    FILE *in = popen(command, "re");
    if (in && fscanf(in, "%u", &version) != 1) version = 0;
    if (in) pclose(in);
    return version;
}

/* The status of wait(), or -1 with *failed as errno has it. */
static int run(struct words *w, const posix_spawn_file_actions_t *actions, int *failed)
{
    char *argv[CC_WORDS_MAX + 1];
    pid_t pid;
    int status;
    for (size_t i = 0; i < w->n; i++) argv[i] = (char *)(uintptr_t)w->items[i];
    argv[w->n] = NULL;
    *failed = posix_spawnp(&pid, argv[0], actions, NULL, argv, environ);
    if (*failed) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return *failed = errno, -1;
    return status;
}

int cc_run(struct words *w, const char *what, struct error *err)
{
    int failed;
    const int status = run(w, NULL, &failed);
    if (failed) {
        error_set(err, ERR_RUN, "%s: %s", w->items[0], strerror(failed));
        return error_at(err, NULL, 0, -1, OWN_KERNELS_HINT "; POISE_CLANG names another clang, 14 or later");
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
        return error_set(err, ERR_INTERRUPTED, "%s: interrupted", what);
    return status == 0 ? 0 : error_set(err, ERR_RUN, "%s failed", what);
}

bool cc_run_quietly(struct words *w)
{
    posix_spawn_file_actions_t actions;
    int failed = 0, status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) == 0)
        status = run(w, &actions, &failed);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0;
}

bool cc_cache_folder(char *out, size_t room, const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct error ignored = {0};
    if (cache && *cache == '/') snprintf(out, room, "%s/poise/%s", cache, name);
    else if (home && *home == '/') snprintf(out, room, "%s/.cache/poise/%s", home, name);
    else return false;
    return file_make_folders(out, &ignored) == 0;
}
