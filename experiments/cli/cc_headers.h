/* Headers that are compiled once (cc_headers.c). Internal to `poise cc`. */
#ifndef POISE_CC_HEADERS_H
#define POISE_CC_HEADERS_H
#include <stddef.h>
#include "cli/cc_options.h"

/* w: clang's words for a CUDA source, but for the source itself and where its output goes. Puts a precompiled header
 * of the user's cache in the place of `-include cuda_runtime.h`; it holds that header and, where the source begins
 * with includes of Thrust or CUB, these. It is made where there is none, or one of other headers. The words stay as
 * they are where there is no cache, or where what is compiled would not be the same. path: room for its name. */
void cc_headers_use(struct words *w, const char *source, char *path, size_t room);
#endif
