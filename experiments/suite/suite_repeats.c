/* Arguments that count repeats, by the variable that a program takes them into, "repeat = atoi(argv[2])", or by what it
 * says of them, "Usage: %s <rows> <columns> <repeat>". A command that a suite gives for a real GPU repeats a kernel
 * often to time it; a test does it once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "poise/number.h"
#include "suite/suite_internal.h"

enum { WORDS_MAX = 32, STEPS_IN_TEST = 4 };

/* One argument of a usage message: `option` is the "-n" in front of it, or empty. */
struct place {
    char name[64], option[32];
};
struct usage {
    struct place places[WORDS_MAX];
    size_t n;
};

/* Takes the words of a message: "<..>" are arguments, "-x" in front of one is its option. */
static void take_message(struct usage *u, const char *message)
{
    char option[32] = "";
    for (const char *at = message; *at && u->n < WORDS_MAX;) {
        if (*at == '<' && strchr(at, '>')) {
            const size_t n = strcspn(at + 1, ">");
            struct place *p = &u->places[u->n++];
            snprintf(p->name, sizeof p->name, "%.*s", (int)(n < sizeof p->name - 1 ? n : sizeof p->name - 1), at + 1);
            for (char *c = p->name; *c; c++) *c = (char)tolower((unsigned char)*c);
            memcpy(p->option, option, sizeof option);
            *option = '\0';
            at += n + 2;
        } else if (*at == '-' && isalpha((unsigned char)at[1])) {
            const size_t n = strcspn(at, " \t=<]");
            snprintf(option, sizeof option, "%.*s", (int)(n < sizeof option - 1 ? n : sizeof option - 1), at);
            at += n;
        } else {
            at++;
        }
    }
}

/* The literals from "Usage" to the end of the branch that prints it, one behind another. */
static void read_usage(struct usage *u, const char *text)
{
    char message[2048];
    size_t n = 0;
    const char *at = strstr(text, "Usage");
    if (!at) at = strstr(text, "usage:");
    u->n = 0;
    if (!at) return;
    for (bool is_inside = true; *at && n + 1 < sizeof message; at++) {
        if (*at == '\\' && at[1]) {
            at++;
            if (is_inside) message[n++] = ' ';
        } else if (*at == '"') is_inside = !is_inside;
        else if (is_inside && *at == '\n') break; /* a comment, no literal */
        else if (is_inside) message[n++] = *at;
        else if (*at == '}' || strncmp(at, "return", 6) == 0 || strncmp(at, "exit", 4) == 0) break;
    }
    message[n] = '\0';
    take_message(u, message);
}

static bool has_word(const char *name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *at = strstr(name, words[i]);
        if (at && (at == name || !isalpha((unsigned char)at[-1]))) return true;
    }
    return false;
}

/* The most that a test needs of what a place counts; 0: it counts no repeats. */
static uint64_t most_of(const char *name)
{
    static const char *const repeats[] = {"repeat", "repetition", "trial", "run", "reps"};
    static const char *const steps[] = {"iter", "step", "timestep", "pass", "round", "loop", "epoch"};
    if (strstr(name, "block") || strstr(name, "thread") || strstr(name, "size") || strstr(name, "file")) return 0;
    if (has_word(name, repeats, COUNT_OF(repeats))) return 1;
    return has_word(name, steps, COUNT_OF(steps)) || strncmp(name, "niter", 5) == 0 || strncmp(name, "nrep", 4) == 0
               ? STEPS_IN_TEST
               : 0;
}

static const char *option_place(const struct usage *u, const char *option)
{
    for (size_t i = 0; i < u->n; i++)
        if (*u->places[i].option && strcmp(u->places[i].option, option) == 0) return u->places[i].name;
    return NULL;
}

/* What the k-th argument that no option has is called; NULL: the message has another number of them. */
static const char *plain_place(const struct usage *u, size_t k, size_t n_plain)
{
    size_t n = 0;
    const char *found = NULL;
    for (size_t i = 0; i < u->n; i++) {
        if (*u->places[i].option) continue;
        if (n == k) found = u->places[i].name;
        n++;
    }
    return n == n_plain ? found : NULL;
}

static bool is_option(const char *text) { return text[0] == '-' && isalpha((unsigned char)text[1]); }

static size_t count_plain(const struct usage *u, const struct suite_arguments *a)
{
    size_t n = 0;
    const char *before = "";
    for (size_t i = 0, at = 0; i < a->n; before = a->text + at, i++, at += strlen(a->text + at) + 1)
        n += !is_option(a->text + at) && !option_place(u, before);
    return n;
}

/* "numIterations" becomes "num iterations". */
static void split_words(char *out, size_t size, const char *from, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at + 2 < size; i++) {
        if (isupper((unsigned char)from[i]) && i && islower((unsigned char)from[i - 1])) out[at++] = ' ';
        out[at++] = from[i] == '_' ? ' ' : (char)tolower((unsigned char)from[i]);
    }
    out[at] = '\0';
}

/* The variable that takes argv[k]; false where none does. */
static bool variable_of(char *out, size_t size, const char *text, size_t k)
{
    char word[32];
    snprintf(word, sizeof word, "argv[%zu]", k);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        const char *c = at;
        while (c > text && (isalnum((unsigned char)c[-1]) || strchr("_:( \t<>", c[-1]))) c--;
        if (c == text || c[-1] != '=') continue;
        for (c--; c > text && isspace((unsigned char)c[-1]);) c--;
        const char *end = c;
        while (c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_')) c--;
        if (c == end) continue;
        split_words(out, size, c, (size_t)(end - c));
        return true;
    }
    return false;
}

bool suite_repeats_lower(struct suite_arguments *out, const struct suite_arguments *in, const char *text)
{
    struct usage *u = malloc(sizeof *u);
    bool is_lower = false;
    *out = (struct suite_arguments){.is_given = in->is_given};
    if (!u) return false;
    read_usage(u, text);
    const size_t n_plain = count_plain(u, in);
    const char *before = "";
    for (size_t i = 0, at = 0, k = 0; i < in->n; before = in->text + at, i++, at += strlen(in->text + at) + 1) {
        char number[32], variable[64];
        uint64_t value;
        const char *word = in->text + at, *of_option = option_place(u, before), *name = of_option;
        if (!of_option && !is_option(word)) name = plain_place(u, k++, n_plain);
        if (variable_of(variable, sizeof variable, text, i + 1)) name = variable;
        const uint64_t most = name ? most_of(name) : 0;
        if (most && whole_parse(word, most + 1, INT64_MAX, &value)) {
            snprintf(number, sizeof number, "%u", (unsigned)most);
            word = number;
            is_lower = true;
        }
        suite_arguments_add(out, word);
    }
    free(u);
    return is_lower;
}
