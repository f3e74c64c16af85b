/* Launches in device code: k<<<grid, block>>>(a, b) becomes poise_launch::by<decltype(&k), (&k)>(grid, block)(a, b),
 * where a function's head says __global__ or __device__. A launch of a template whose arguments are to be deduced, or
 * of a pointer, stays, and clang refuses it. */
#include "cli/cc_launch_text.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 200u

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the comment, literal or preprocessor line that begins at s[i]; i where none does. */
static size_t skipped_to(const char *s, size_t n, size_t i, bool begins_line)
{
    size_t k = i;
    if (s[i] == '#' && begins_line) {
        while (k < n && s[k] != '\n') k += s[k] == '\\' && k + 1 < n ? 2 : 1;
    } else if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
        while (k < n && s[k] != '\n') k++;
    } else if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
        const char *end = memmem(s + i + 2, n - i - 2, "*/", 2);
        k = end ? (size_t)(end - s) + 2 : n;
    } else if (s[i] == '"' || (s[i] == '\'' && (i == 0 || !is_name(s[i - 1])))) {
        for (k++; k < n && s[k] != s[i] && s[k] != '\n'; k++)
            if (s[k] == '\\') k++;
        k++;
    }
    return k < n ? k : n;
}

/* The end of the raw string whose quote is at s[i]. */
static size_t raw_end(const char *s, size_t n, size_t i)
{
    char mark[24];
    size_t length = 0;
    while (i + 1 + length < n && length < 16 && s[i + 1 + length] != '(') length++;
    if (i + 1 + length >= n || s[i + 1 + length] != '(') return i + 1;
    const int size = snprintf(mark, sizeof mark, ")%.*s\"", (int)length, s + i + 1);
    const char *end = memmem(s + i, n - i, mark, (size_t)size);
    return end ? (size_t)(end - s) + (size_t)size : n;
}

char *cc_code_of(const char *text, size_t n, bool has_directives)
{
    char *code = malloc(n + 1);
    bool begins_line = true;
    if (!code) return NULL;
    memcpy(code, text, n);
    code[n] = 0;
    for (size_t i = 0; i < n;) {
        size_t end = skipped_to(text, n, i, begins_line && !has_directives);
        if (text[i] == '"' && i && text[i - 1] == 'R' && (i < 2 || !is_name(text[i - 2]))) end = raw_end(text, n, i);
        begins_line = text[i] == '\n' || (begins_line && isspace((unsigned char)text[i]));
        if (end == i) {
            i++;
            continue;
        }
        for (; i < end; i++)
            if (text[i] != '\n') code[i] = ' ';
    }
    return code;
}

static bool has_word(const char *s, size_t begin, size_t end, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = s + begin; (at = memmem(at, (size_t)(s + end - at), word, length)); at++)
        if ((at == s || !is_name(at[-1])) && !is_name(at[length])) return true;
    return false;
}

/* Where the name before s[end] begins, with its namespaces and template arguments; end where there is none. */
static size_t name_before(const char *s, size_t end)
{
    size_t at = end;
    while (at > 0 && isspace((unsigned char)s[at - 1])) at--;
    if (at > 0 && s[at - 1] == '>') {
        unsigned depth = 0;
        do {
            at--;
            if (s[at] == '>') depth++;
            if (s[at] == '<') depth--;
        } while (at > 0 && depth);
        while (at > 0 && isspace((unsigned char)s[at - 1])) at--;
    }
    const size_t name_end = at;
    while (at > 0 && (is_name(s[at - 1]) || s[at - 1] == ':')) at--;
    return at == name_end ? end : at;
}

/* The >>> that closes a launch's configuration, where parameters follow it; 0 where none does. */
static size_t closing(const char *s, size_t n, size_t from)
{
    unsigned depth = 0;
    for (size_t i = from; i + 3 < n; i++) {
        if (s[i] == '(' || s[i] == '{') depth++;
        if ((s[i] == ')' || s[i] == '}') && depth-- == 0) return 0;
        if (s[i] == ';') return 0;
        if (depth || strncmp(s + i, ">>>", 3) != 0) continue;
        return s[i + 3 + strspn(s + i + 3, " \t\r\n")] == '(' ? i : 0;
    }
    return 0;
}

/* Braces around the place that is looked at. */
struct scopes {
    bool is_device[MAX_DEPTH];
    unsigned parentheses[MAX_DEPTH], depth, open;
    size_t head; /* where the text before the next brace begins */
};

static void scopes_read(struct scopes *b, const char *code, size_t i)
{
    switch (code[i]) {
    case '(': b->open++; break;
    case ')': b->open -= b->open > 0; break;
    case ';':
        if (b->open == 0) b->head = i + 1;
        break;
    case '{':
        if (b->depth + 1 < MAX_DEPTH) {
            const bool is_device = b->is_device[b->depth] || has_word(code, b->head, i, "__global__") ||
                                   has_word(code, b->head, i, "__device__");
            b->parentheses[b->depth] = b->open;
            b->is_device[++b->depth] = is_device;
        }
        b->open = 0;
        b->head = i + 1;
        break;
    case '}':
        if (b->depth > 0) b->open = b->parentheses[--b->depth];
        b->head = i + 1;
        break;
    default: break;
    }
}

/* A name with blanks for the ends of its lines. */
static void put_name(FILE *out, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++) fputc(name[i] == '\n' ? ' ' : name[i], out);
}

/* The call up to its configuration's closing parenthesis. */
static void put_call(FILE *out, const char *name, size_t n, const char *configuration, size_t n_configuration)
{
    fputs("::poise_launch::by<decltype(&", out);
    put_name(out, name, n);
    fputs("), (&", out);
    put_name(out, name, n);
    fputs(")>", out);
    for (size_t i = 0; i < n; i++)
        if (name[i] == '\n') fputc('\n', out);
    fputc('(', out);
    fwrite(configuration, 1, n_configuration, out);
    fputc(')', out);
}

char *cc_launch_text(const char *text, size_t size, size_t *length)
{
    struct scopes b = {.depth = 0};
    char *result = NULL, *code;
    size_t done = 0;
    if (!memmem(text, size, "<<<", 3) || !(code = cc_code_of(text, size, false))) return NULL;
    FILE *out = open_memstream(&result, length);
    for (size_t i = 0; out && i < size; i++) {
        scopes_read(&b, code, i);
        if (strncmp(code + i, "<<<", 3) != 0) continue;
        const size_t name = name_before(code, i), end = closing(code, size, i + 3);
        if (b.is_device[b.depth] && name < i && name >= done && end > 0) {
            fwrite(text + done, 1, name - done, out);
            put_call(out, code + name, i - name, text + i + 3, end - i - 3);
            done = end + 3;
        }
        i = end > 0 ? end + 2 : i + 2;
    }
    if (out) fwrite(text + done, 1, size - done, out);
    free(code);
    if (out && fclose(out) == 0 && done > 0) return result;
    free(result);
    return NULL;
}
