/* A folder of traces belongs to one build of one program: NAME-SIZE[-INPUT]-HASH. Builds of a program, worktrees and
 * versions therefore share a cache without harm, and what is left of old ones goes when it is old. */
#include "workload/trace_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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
