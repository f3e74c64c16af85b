/* What is wrong in clang's PTX and can be mended in its text. */
#ifndef CLI_CC_PTX_H
#define CLI_CC_PTX_H
#include <stddef.h>
#include "poise/error.h"

/* *text is malloc'd, of *size bytes and a zero after them, and may become another. */
int cc_mend_ptx(char **text, size_t *size, struct error *err);
#endif
