/* Folders that tests make. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H
#include <stdio.h>
#include <stdlib.h>

/* With all that is in it; 0, or what rm said. */
static inline int folder_remove(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    return system(command);
}
#endif
