/* Folders that tests make. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* With all that is in it; 0, or what rm said. */
static inline int folder_remove(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    return system(command);
}

static char folder_of_process[32];
static pid_t folder_owner;

static inline void folder_end(void)
{
    if (getpid() == folder_owner) folder_remove(folder_of_process); /* a child that ends leaves it alone */
}

/* A new folder, whose name goes to `path` (64 bytes suffice); it is removed when the process ends. NULL: it failed. */
static inline char *folder_fresh(char *path, size_t size)
{
    if (!*folder_of_process) {
        snprintf(folder_of_process, sizeof folder_of_process, "/tmp/poise-test-XXXXXX");
        if (!mkdtemp(folder_of_process) || chmod(folder_of_process, 0755) < 0) return *folder_of_process = '\0', NULL;
        folder_owner = getpid();
        atexit(folder_end);
    }
    snprintf(path, size, "%s/XXXXXX", folder_of_process);
    return mkdtemp(path);
}
#endif
