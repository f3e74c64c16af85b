/* Where Thrust, CUB and libcu++ (CCCL) are (cc_cccl.c). Internal to `poise cc`. */
#ifndef POISE_CC_CCCL_H
#define POISE_CC_CCCL_H
#include <stdbool.h>
#include <stddef.h>
#include "cli/cc_options.h"
#include "poise/error.h"

struct cc_cccl {
    char front[4200];   /* headers of ours that stand in front of some of theirs */
    char folder[4200];  /* of thrust/, cub/ and cuda/, or "" where the compiler finds them by itself */
    struct words words; /* clang's, for that folder */
    bool is_found;
};
/* The folder of --cccl where one is given, which must have Thrust and CUB. Else what Debian's packages install, which
 * the compiler finds by itself; else that of a CUDA toolkit; else none, which is no error yet. */
int cc_cccl_find(struct cc_cccl *out, const char *given, const char *toolkit, struct error *err);
/* Always -1. Where the source includes headers of Thrust, CUB or libcu++ that are not there, the error says what to
 * install. w: clang's words for host code. */
int cc_cccl_tell_missing(struct words *w, const char *source, const char *folder, struct error *err);
/* Whether the name, as an include has it, is one of Thrust, CUB or libcu++. */
bool cc_is_library_header(const char *name);
#endif
