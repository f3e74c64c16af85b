/* What nvcc's front end reads and clang's does not, in the spelling of clang: k << <g, b>> >(a) is a launch,
 * __shared__ alignas(16) float a[4] has its alignment first, and a #pragma unroll in front of no loop is left out.
 * Every character that stays has its line and column, but for those that change places. */
#include "cli/cc_spelling.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cc_launch_text.h"

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t skip_blank(const char *s, size_t at)
{
    while (isspace((unsigned char)s[at])) at++;
    return at;
}

/* Three of a bracket from `at` on, perhaps with blanks between them: where they end, else 0. */
static size_t three(const char *s, size_t at, char bracket)
{
    for (int i = 0; i < 3; i++) {
        if (i) at = skip_blank(s, at);
        if (s[at++] != bracket) return 0;
    }
    return at;
}

/* The three without blanks, and these behind them. */
static bool close_up(char *text, size_t at, size_t end, char bracket)
{
    size_t to = at + 3;
    bool changes = false;
    for (size_t i = at; i < at + 3; i++) changes |= text[i] != bracket;
    if (!changes) return false;
    char *const blanks = malloc(end - at);
    size_t n = 0;
    if (!blanks) return false;
    for (size_t i = at; i < end; i++)
        if (text[i] != bracket) blanks[n++] = text[i];
    memset(text + at, bracket, 3);
    memcpy(text + to, blanks, n);
    free(blanks);
    return true;
}

/* The brackets that close the configuration which begins at `at`, with '(' behind them: *end where they end. */
static size_t closing(const char *s, size_t at, size_t *end)
{
    unsigned depth = 0;
    for (; s[at] && s[at] != ';'; at++) {
        if (s[at] == '(' || s[at] == '{') depth++;
        if ((s[at] == ')' || s[at] == '}') && depth-- == 0) return 0;
        if (!depth && (*end = three(s, at, '>')) && s[skip_blank(s, *end)] == '(') return at;
    }
    return 0;
}

/* text and code have the same characters; both change. */
static bool mend_launches(char *text, char *code)
{
    bool changes = false;
    for (size_t at = 0; code[at]; at++) {
        size_t end, closed_end;
        if (code[at] != '<' || (at && code[at - 1] == '<') || !(end = three(code, at, '<'))) continue;
        const size_t closed = closing(code, end, &closed_end);
        if (!closed) continue;
        changes |= close_up(text, at, end, '<');
        changes |= close_up(text, closed, closed_end, '>');
        close_up(code, at, end, '<');
        close_up(code, closed, closed_end, '>');
    }
    return changes;
}

/* Whether the word that ends at `end` may stand in front of alignas for nvcc; where it begins. */
static bool is_specifier(const char *s, size_t end, size_t *begin)
{
    static const char *const words[] = {"__shared__", "__constant__", "__device__", "__managed__",
                                        "extern",     "static",       "const",      "volatile"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);
        if (end < n || strncmp(s + end - n, words[i], n) != 0 || (end > n && is_letter(s[end - n - 1]))) continue;
        *begin = end - n;
        return true;
    }
    return false;
}

/* text[at, middle) and text[middle, end) change places; the blank between them is a part of the first. */
static bool exchange(char *text, size_t at, size_t blank, size_t middle, size_t end)
{
    char *const copy = malloc(end - at);
    if (!copy) return false;
    memcpy(copy, text + at, end - at);
    char *to = text + at;
    to = (char *)memcpy(to, copy + (middle - at), end - middle) + (end - middle);
    to = (char *)memcpy(to, copy + (blank - at), middle - blank) + (middle - blank);
    memcpy(to, copy, blank - at);
    free(copy);
    return true;
}

static bool mend_alignments(char *text, char *code)
{
    bool changes = false;
    for (char *word = code; (word = strstr(word, "alignas")); word++) {
        const size_t middle = (size_t)(word - code);
        size_t end = skip_blank(code, middle + 7), first = middle, blank = 0, begin;
        unsigned depth = 0;
        if ((middle && is_letter(code[middle - 1])) || code[end] != '(') continue;
        do depth += code[end] == '(', depth -= code[end] == ')';
        while (code[end++] && depth);
        for (size_t at = middle;; at = begin) {
            size_t before = at;
            while (before && isspace((unsigned char)code[before - 1])) before--;
            if (!is_specifier(code, before, &begin)) break;
            if (first == middle) blank = before;
            first = begin;
        }
        if (depth || first == middle) continue;
        changes |= exchange(text, first, blank, middle, end);
        exchange(code, first, blank, middle, end);
        word = code + end - 1;
    }
    return changes;
}

/* A #pragma unroll in front of a block, an if or the end of one, and one of 0 times: nvcc takes no notice. */
static bool mend_pragmas(char *text, const char *code, size_t size)
{
    bool changes = false;
    for (size_t at = 0; at < size; at++) {
        if (code[at] != '#') continue;
        size_t word = skip_blank(code, at + 1), end = at;
        if (strncmp(code + word, "pragma", 6) != 0) continue;
        word = skip_blank(code, word + 6);
        if (strncmp(code + word, "unroll", 6) != 0 || is_letter(code[word + 6])) continue;
        while (end < size && code[end] != '\n') end++;
        const char *next = code + skip_blank(code, end);
        const bool is_if = strncmp(next, "if", 2) == 0 && !is_letter(next[2]);
        size_t count = word + 6;
        while (code[count] == ' ' || code[count] == '(') count++;
        const bool is_zero = code[count] == '0' && !is_letter(code[count + 1]);
        if (*next != '{' && *next != '}' && !is_if && !is_zero) continue;
        memset(text + at, ' ', end - at);
        changes = true;
    }
    return changes;
}

char *cc_spelling(const char *text, size_t size)
{
    char *code = cc_code_of(text, size, true), *mended = malloc(size + 1);
    bool changes = false;
    if (code && mended && strlen(code) == size) {
        memcpy(mended, text, size);
        mended[size] = '\0';
        /* what is written between is no blank: what moves is in the text as it is in the code */
        for (size_t i = 0; i < size; i++)
            if (code[i] == ' ' && !isspace((unsigned char)text[i])) code[i] = '"';
        changes = mend_launches(mended, code);
        changes |= mend_alignments(mended, code);
        changes |= mend_pragmas(mended, code, size);
    }
    free(code);
    if (changes) return mended;
    free(mended);
    return NULL;
}
