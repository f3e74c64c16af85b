#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cc_names.h"

static const char mark[] = "__static__";

static bool is_in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }
static size_t name_size(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && is_in_name(at[n])) n++;
    return n;
}

/* What a text has, and what stands in its place: NAME and NAME__static__FILE, or _ZL4NAME and NAME. */
struct name {
    const char *text, *shown;
    size_t old, all;
};
struct names {
    struct name *items;
    size_t n;
};

static const struct name *find(const struct names *names, const char *text, size_t size)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->items[i].old == size && memcmp(names->items[i].text, text, size) == 0) return &names->items[i];
    return NULL;
}

static int add(struct names *out, struct name name)
{
    struct name *grown = realloc(out->items, (out->n + 1) * sizeof *grown);
    if (!grown) return -1;
    out->items = grown;
    out->items[out->n++] = name;
    return 0;
}

static int collect(struct names *out, const char *text, const char *end)
{
    for (const char *at = text; (at = strstr(at, mark)); at += strlen(mark)) {
        const char *begin = at;
        while (begin > text && is_in_name(begin[-1])) begin--;
        const size_t old = (size_t)(at - begin);
        if (!old || find(out, begin, old)) continue;
        if (add(out, (struct name){begin, begin, old, name_size(begin, end)}) < 0) return -1;
    }
    return 0;
}

/* By the rules of C++'s names [Itanium C++ ABI, 5.1]: what has internal linkage. */
static bool is_private(const char *name, size_t size)
{
    return (size > 3 && (memcmp(name, "_ZL", 3) == 0 || memcmp(name, "_ZZL", 4) == 0)) ||
           memmem(name, size, "_GLOBAL__N_1", 12);
}

/* The name that a declaration gives: the last word before what follows names. */
static const char *declared(const char *line, const char *end, size_t *size)
{
    const char *name = NULL;
    for (const char *at = line; at < end && !strchr("[=;(\n", *at); at++)
        if (is_in_name(*at) && (isspace((unsigned char)at[-1]))) name = at, *size = name_size(at, end);
    return name;
}

/* The variable that a line declares to all files; NULL: none. */
static const char *visible_variable(const char *line, const char *end, size_t *size)
{
    static const char *const visible[] = {".visible .global ", ".visible .const "};
    for (int i = 0; i < 2; i++)
        if (strncmp(line, visible[i], strlen(visible[i])) == 0) return declared(line + strlen(".visible "), end, size);
    return NULL;
}

/* `static` variables outside of functions: _ZL4NAME. */
static int collect_static(struct names *out, const char *text, const char *end)
{
    for (const char *line = text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        size_t size = 0;
        const char *name = visible_variable(line, next, &size);
        if (name && size > 4 && memcmp(name, "_ZL", 3) == 0) {
            char *own;
            const unsigned long n = strtoul(name + 3, &own, 10);
            if (own + n == name + size && add(out, (struct name){name, own, size, n}) < 0) return -1;
        }
        line = next;
    }
    return 0;
}

static void put_line(FILE *out, const char *line, const char *end, const struct names *names, bool hides)
{
    size_t size = 0;
    if (hides && strncmp(line, ".extern ", 8) == 0 && strncmp(line + 8, ".func", 5) != 0) {
        const char *name = declared(line + 8, end, &size);
        if (name && find(names, name, size)) return;
    }
    const char *own = hides ? visible_variable(line, end, &size) : NULL;
    if (own && is_private(own, size)) line += strlen(".visible ");
    while (line < end) {
        const size_t n = name_size(line, end);
        const struct name *renamed = n ? find(names, line, n) : NULL;
        if (renamed) fwrite(renamed->shown, 1, renamed->all, out);
        else fwrite(line, 1, n ? n : 1, out);
        line += n ? n : 1;
    }
}

static int rewrite(char **text, size_t *size, bool hides, struct error *err)
{
    struct names names = {0};
    char *changed = NULL;
    size_t changed_size = 0;
    const char *const end = *text + *size;
    const int collected = hides ? collect(&names, *text, end) : collect_static(&names, *text, end);
    FILE *out = collected < 0 ? NULL : open_memstream(&changed, &changed_size);
    for (const char *line = *text; out && line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        put_line(out, line, next, &names, hides);
        line = next;
    }
    free(names.items);
    if (!out || fclose(out) != 0) return free(changed), error_set(err, ERR_MEMORY, "out of memory");
    free(*text);
    *text = changed;
    *size = changed_size;
    return 0;
}

int cc_private_names(char **text, size_t *size, struct error *err) { return rewrite(text, size, true, err); }
int cc_plain_names(char **text, size_t *size, struct error *err) { return rewrite(text, size, false, err); }
