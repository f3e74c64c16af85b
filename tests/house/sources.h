/* Words in the C files of a folder. */
#ifndef POISE_TEST_SOURCES_H
#define POISE_TEST_SOURCES_H
#include <stdbool.h>

void sources_gather(const char *folder); /* adds all .c and .h files below it; fails if it cannot be walked */
void sources_free(void);
/* Is there such a word? `stem*` stands for one that begins so. */
bool sources_have(const char *name);
#endif
