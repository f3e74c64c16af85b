/* Starting clang and its like for `poise cc` (cc_run.c). Internal to the command. */
#ifndef POISE_CC_RUN_H
#define POISE_CC_RUN_H
#include <stdbool.h>
#include "cli/cc_options.h"
#include "poise/error.h"

/* The words that are there anyway are far fewer than the room that cc_options leaves. */
static inline void cc_add(struct words *w, const char *item) { w->items[w->n++] = item; }
void cc_add_all(struct words *w, const struct words *more);
#define ADD_LIST(w, ...) \
    do { \
        const char *const list_[] = {__VA_ARGS__}; \
        for (size_t i_ = 0; i_ < COUNT_OF(list_); i_++) cc_add(w, list_[i_]); \
    } while (0)

const char *cc_clang(void); /* POISE_CLANG, or clang */
/* Its major version; 0: it does not run. Debian's path of clang has it; another clang is asked, and its start takes a
 * tenth of the time of compiling a small file. */
unsigned cc_clang_version(void);
/* Waits for the program; its messages are on our stderr. */
int cc_run(struct words *w, const char *what, struct error *err);
/* The same without its messages: whether it succeeded. */
bool cc_run_quietly(struct words *w);
/* A folder of the user's cache, $XDG_CACHE_HOME/poise/NAME or ~/.cache/poise/NAME, which is made; false: there is
 * none. */
bool cc_cache_folder(char *out, size_t room, const char *name);
#endif
