/* A folder of traces belongs to one build of one program: NAME-SIZE[-INPUT]-HASH. Builds of a program, worktrees and
 * versions therefore share a cache without harm, and what is left of old ones goes when it is old. */
#include "workload/trace_cache.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void cache_touch(const char *dir)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/index.json", dir);
    utimensat(AT_FDCWD, path, NULL, 0); /* of somebody else's cache it stays as it is */
}

static bool is_old(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) return false;
    const time_t used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
    return time(NULL) - used > (time_t)CACHE_DAYS * 86400;
}

static void remove_files(const char *dir, const char *ending, bool only_old)
{
    DIR *in = opendir(dir);
    for (struct dirent *e; in && (e = readdir(in));) {
        char path[1600];
        const size_t n = strlen(e->d_name), k = strlen(ending);
        if (n < k || strcmp(e->d_name + n - k, ending) != 0 || e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (!only_old || is_old(path)) unlink(path);
    }
    if (in) closedir(in);
}

/* "NAME.PID.tmp": the length of NAME, or 0. */
static size_t unfinished(const char *entry, pid_t *pid)
{
    const size_t n = strlen(entry);
    if (n < 7 || entry[0] == '.' || strcmp(entry + n - 4, ".tmp") != 0) return 0;
    size_t at = n - 4;
    while (at && isdigit((unsigned char)entry[at - 1])) at--;
    if (at < 2 || entry[at - 1] != '.' || n - 4 - at < 1 || n - 4 - at > 9) return 0;
    *pid = (pid_t)strtol(entry + at, NULL, 10);
    return *pid > 0 ? at - 1 : 0;
}

/* A process that has the number by now makes us wait for its end: no harm. */
static bool is_gone(pid_t pid) { return kill(pid, 0) < 0 && errno == ESRCH; }

static void remove_folder(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)) return;
    remove_files(path, "", false);
    rmdir(path);
}

void cache_clear(const char *traces, const char *held)
{
    DIR *in = opendir(traces);
    for (struct dirent *e; in && (e = readdir(in));) {
        char path[1300], lock[1400];
        pid_t pid;
        const size_t name = unfinished(e->d_name, &pid);
        if (!name || !is_gone(pid)) continue;
        snprintf(path, sizeof path, "%s/%s", traces, e->d_name);
        const size_t n = strlen(path) - strlen(e->d_name) + name;
        if (strlen(held) == n && strncmp(held, path, n) == 0) {
            remove_folder(path);
            continue;
        }
        snprintf(lock, sizeof lock, "%.*s.lock", (int)n, path);
        const int fd = open(lock, O_RDWR | O_CLOEXEC);
        if (fd < 0) continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) remove_folder(path);
        close(fd);
    }
    if (in) closedir(in);
}

void cache_forget(const char *traces)
{
    char path[1300], index[1400];
    DIR *in = opendir(traces);
    for (struct dirent *e; in && (e = readdir(in));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", traces, e->d_name);
        snprintf(index, sizeof index, "%s/index.json", path);
        if (!is_old(index)) continue; /* also where there is none: no folder of ours */
        remove_files(path, "", false);
        rmdir(path);
        snprintf(index, sizeof index, "%s.lock", path);
        unlink(index);
    }
    if (in) closedir(in);
    snprintf(path, sizeof path, "%s/decoded", traces);
    remove_files(path, ".trace", true); /* who has one open keeps it */
}
