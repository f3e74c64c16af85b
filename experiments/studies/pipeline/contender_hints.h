/* The words @hint, @hint_corrected, @hint_tenth, @hint_remembered, @hint_other and @hint_smaller of contenders.
 * (private) */
#ifndef POISE_CONTENDER_HINTS_H
#define POISE_CONTENDER_HINTS_H
#include "studies/pipeline/pipeline_internal.h"

/* What is known of a launch: it itself, also with models/hint.json; its first tenth; the launch of the kernel before it
 * in the program; the kernel with other data, of like size or far smaller, and this launch's grid and block. */
enum hint_kind { HINT_OF_LAUNCH, HINT_CORRECTED, HINT_OF_TENTH, HINT_REMEMBERED, HINT_OF_OTHER, HINT_OF_SMALLER };
/* Where `in` begins with such a word: writes the launch's hint into a file of the results and its path into out, ""
 * where there is nothing to know. Returns how many characters the word has, 0 for another word, -1. */
int contender_hint(const struct pipeline *p, const struct profile *q, const char *in, char *out, size_t size,
                   struct error *err);
#endif
