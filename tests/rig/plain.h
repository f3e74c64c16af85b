/* Words that meant something in this project alone, for tests of pages, help texts and messages. */
#ifndef POISE_TESTS_PLAIN_H
#define POISE_TESTS_PLAIN_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct plain_word {
    const char *is, *say;
};
static const struct plain_word plain_words[] = {
    {"part of the gain", "fraction of Static-Best's gain"},
    {"in force", "current"},
    {"a draw", "a sample"},
    {"company", "what runs beside it"},
    {"aside", "in a separate flit"},
    {"goes round", "bypasses"},
    {"go round", "bypass"},
    {"stands", "is"},
    {"told", "given, or reported"},
    {"mended", "corrected"},
    {"nobody", "no kernel, no unit"},
    {"somebody", "a user"},
    {"besides", "in addition"},
    {"held to", "compared with"},
    {"judge", "evaluate"},
    {"judged", "evaluated"},
    {"judges", "evaluates"},
    {"to be had", "available"},
    {"in hand", "that are running"},
    {"at hand", "available"},
    {"of today", "current"},
    {"today's", "current"},
    {"borne out", "that hold"},
    {"drawn again", "sampled with replacement"},
    {"mend", "correct"},
    {"works out", "computes"},
    {"worked out", "computed"},
    {"anew", "again"},
    {"in sight", "known"},
    {"of our making", "invented"},
    {"goes on where", "continues where"},
    {"no cause", "not a cause"},
    {"a diary", "a list of what was done"},
    {"word by word", "literally"},
};

/* The next of these words in *text, which moves behind it; NULL: none. What stands in backquotes is code and is not
 * looked at; *is_code begins as false. */
static inline const struct plain_word *plain_next(const char **text, bool *is_code)
{
    bool is_in_word = false;
    for (const char *at = *text; *at; is_in_word = isalpha((unsigned char)*at++)) {
        if (*at == '`') *is_code = !*is_code;
        for (size_t i = 0; !*is_code && !is_in_word && i < sizeof plain_words / sizeof *plain_words; i++) {
            const size_t n = strlen(plain_words[i].is);
            if (strncasecmp(at, plain_words[i].is, n) != 0 || isalpha((unsigned char)at[n])) continue;
            *text = at + n;
            return &plain_words[i];
        }
    }
    return NULL;
}

#endif
