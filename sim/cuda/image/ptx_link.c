/* A text is cut into the statements at its top: directives, variables, functions. What comes out: the first text's
 * comments and header, prototypes of all functions, all variables, all functions. */
#include "poise/ptx_link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { DIRECTIVE, VARIABLE, FUNCTION };
struct statement {
    const char *text;
    size_t size, head; /* a function's header, up to its body */
    const char *name;
    size_t name_size;
    enum kind kind;
    size_t unit;
    bool is_external, is_local, is_weak; /* none: visible */
    bool has_body, is_entry;
    bool names_others; /* an initialiser with symbols in it */
    bool is_renamed, is_dropped;
};
struct linker {
    struct statement *items;
    size_t n, cap;
    char *out;
    size_t size, room;
    struct error *err;
};
struct token {
    const char *text;
    size_t size;
};

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }
static bool token_is(struct token t, const char *text)
{
    return t.size == strlen(text) && memcmp(t.text, text, t.size) == 0;
}

/* The next token at or after *at: a name, a .directive, a number, a string or one character; size 0 at the end. */
static struct token next_token(const char **at, const char *end)
{
    const char *p = *at;
    for (;;) {
        while (p < end && isspace((unsigned char)*p)) p++;
        if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
            while (p < end && *p != '\n') p++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            for (p += 2; p < end && !(p[0] == '/' && p[-1] == '*'); p++) continue;
            if (p < end) p++;
        } else {
            break;
        }
    }
    const char *start = p;
    if (p < end && *p == '"') {
        for (p++; p < end && *p != '"'; p++)
            if (*p == '\\' && p + 1 < end) p++;
        if (p < end) p++;
    } else if (p < end && (starts_name(*p) || *p == '.' || isdigit((unsigned char)*p))) {
        for (p++; p < end && is_name(*p); p++) continue;
    } else if (p < end) {
        p++;
    }
    *at = p;
    return (struct token){start, (size_t)(p - start)};
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* Skips what is between brackets, whose opening one was read. Whether there are names in it. */
static bool skip_braces(const char **at, const char *end)
{
    bool has_names = false;
    for (size_t depth = 1; depth;) {
        const struct token t = next_token(at, end);
        if (!t.size) break;
        if (*t.text == '{') depth++;
        if (*t.text == '}') depth--;
        has_names |= starts_name(*t.text);
    }
    return has_names;
}

static bool is_line(struct token t)
{
    static const char *const lines[] = {".version", ".target", ".address_size", ".file", ".loc"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (token_is(t, lines[i])) return true;
    return false;
}

static bool is_space(struct token t)
{
    static const char *const spaces[] = {".global", ".const",  ".shared",     ".local",
                                         ".tex",    ".texref", ".samplerref", ".surfref"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (token_is(t, spaces[i])) return true;
    return false;
}

static void note(struct statement *s, struct token t, unsigned depth)
{
    s->is_external |= token_is(t, ".extern");
    s->is_weak |= token_is(t, ".weak") || token_is(t, ".common");
    if (token_is(t, ".visible") || token_is(t, ".entry")) s->is_local = false;
    s->is_entry |= token_is(t, ".entry");
    if (token_is(t, ".func") || token_is(t, ".entry")) s->kind = FUNCTION;
    else if (is_space(t) && s->kind != FUNCTION) s->kind = VARIABLE;
    if (s->kind != DIRECTIVE && !s->name && depth == 0 && starts_name(*t.text)) s->name = t.text, s->name_size = t.size;
}

/* One statement from *at; false at the end of the text. */
static bool next_statement(struct statement *s, const char **at, const char *end)
{
    struct token t = next_token(at, end);
    unsigned depth = 0;
    bool is_value = false;
    if (!t.size) return false;
    *s = (struct statement){.text = t.text, .is_local = true};
    if (is_line(t)) {
        *at = line_end(*at, end);
        s->size = (size_t)(*at - s->text);
        return true;
    }
    for (; t.size; t = next_token(at, end)) {
        if (*t.text == '(') depth++;
        else if (*t.text == ')' && depth) depth--;
        else if (*t.text == '=') is_value = true;
        else if (*t.text == '{' && is_value) s->names_others |= skip_braces(at, end);
        else if (*t.text == '{') {
            s->head = (size_t)(t.text - s->text);
            s->has_body = true;
            skip_braces(at, end);
            break;
        } else if (*t.text == ';') {
            s->head = (size_t)(t.text - s->text);
            break;
        } else if (is_value) s->names_others |= starts_name(*t.text);
        else note(s, t, depth);
    }
    s->size = (size_t)(*at - s->text);
    if (!s->head) s->head = s->size; /* cut short */
    if (s->is_external || s->is_weak) s->is_local = false;
    return true;
}

static int put(struct linker *l, const char *text, size_t size)
{
    if (l->size + size + 1 > l->room) {
        const size_t room = 2 * (l->size + size + 1);
        char *grown = realloc(l->out, room);
        if (!grown) return error_set(l->err, ERR_MEMORY, "no memory for a linked module");
        l->out = grown;
        l->room = room;
    }
    memcpy(l->out + l->size, text, size);
    l->size += size;
    l->out[l->size] = '\0';
    return 0;
}

static bool same_name(const struct statement *a, const struct statement *b)
{
    return a->name && b->name && a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}
static bool is_definition(const struct statement *s)
{
    return !s->is_external && (s->kind == VARIABLE || (s->kind == FUNCTION && s->has_body));
}

static int by_name(const void *a, const void *b)
{
    const struct statement *const *x = a, *const *y = b;
    const size_t least = (*x)->name_size < (*y)->name_size ? (*x)->name_size : (*y)->name_size;
    const int order = memcmp((*x)->name, (*y)->name, least);
    if (order) return order;
    if ((*x)->name_size != (*y)->name_size) return (*x)->name_size < (*y)->name_size ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* All statements with one name, in the order of the texts. */
static int resolve_name(struct linker *l, struct statement **same, size_t n)
{
    struct statement *strong = NULL, *weak = NULL, *outside = NULL;
    bool is_in_two = false;
    for (size_t i = 1; i < n; i++) is_in_two |= same[i]->unit != same[0]->unit;
    for (size_t i = 0; i < n; i++) {
        struct statement *s = same[i];
        if (s->is_local) {
            s->is_renamed = is_in_two;
            continue;
        }
        if (!is_definition(s)) {
            if (outside || s->kind == FUNCTION) s->is_dropped = outside != NULL;
            if (!outside) outside = s;
            continue;
        }
        if (s->is_weak) {
            s->is_dropped = weak || strong;
            if (!s->is_dropped) weak = s;
        } else if (strong && strong->unit != s->unit) {
            return error_set(l->err, ERR_INPUT, "linking: %.*s is defined by two files, the %zu. and the %zu.",
                             (int)s->name_size, s->name, strong->unit + 1, s->unit + 1);
        } else {
            strong = s;
            if (weak) weak->is_dropped = true;
        }
    }
    for (size_t i = 0; i < n && (strong || weak); i++)
        if (!is_definition(same[i]) && !same[i]->is_local) same[i]->is_dropped = true;
    if (outside && !strong && !weak && outside->kind == VARIABLE && !memmem(outside->text, outside->head, ".shared", 7))
        return error_set(l->err, ERR_INPUT, "linking: %.*s is declared extern and no file defines it",
                         (int)outside->name_size, outside->name);
    return 0;
}

static int resolve(struct linker *l)
{
    size_t n = 0;
    int result = 0;
    struct statement **named = calloc(l->n + 1, sizeof(struct statement *));
    if (!named) return error_set(l->err, ERR_MEMORY, "no memory for a linked module");
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].name) named[n++] = &l->items[i];
    qsort(named, n, sizeof(struct statement *), by_name);
    for (size_t i = 0, end; i < n && result == 0; i = end) {
        for (end = i + 1; end < n && same_name(named[i], named[end]); end++) continue;
        result = resolve_name(l, named + i, end - i);
    }
    free(named);
    return result;
}

/* A text of a unit with the new names of its own symbols. */
static int put_renamed(struct linker *l, size_t unit, const char *text, size_t size)
{
    char suffix[24];
    const char *at = text, *end = text + size, *done = text;
    const int n = snprintf(suffix, sizeof suffix, PTX_LINK_RENAMED, 0, "", unit + 1);
    bool any = false;
    for (size_t i = 0; i < l->n; i++) any |= l->items[i].unit == unit && l->items[i].is_renamed;
    for (struct token t; any && (t = next_token(&at, end)).size;) {
        if (!starts_name(*t.text)) continue;
        for (size_t i = 0; i < l->n; i++) {
            const struct statement *s = &l->items[i];
            if (s->unit != unit || !s->is_renamed || s->name_size != t.size || memcmp(s->name, t.text, t.size) != 0)
                continue;
            if (put(l, done, (size_t)(at - done)) < 0 || put(l, suffix, (size_t)n) < 0) return -1;
            done = at;
            break;
        }
    }
    return put(l, done, (size_t)(end - done)) < 0 || put(l, "\n", 1) < 0 ? -1 : 0;
}

/* The line with the highest number after the directive: "6.3", "sm_75". */
static int put_highest(struct linker *l, const char *directive)
{
    const struct statement *best = NULL;
    double highest = -1;
    for (size_t i = 0; i < l->n; i++) {
        const struct statement *s = &l->items[i];
        const size_t n = strlen(directive);
        if (s->size <= n || memcmp(s->text, directive, n) != 0) continue;
        const char *digit = s->text + n, *end = s->text + s->size;
        while (digit < end && !isdigit((unsigned char)*digit)) digit++;
        const double value = digit < end ? strtod(digit, NULL) : 0;
        if (value > highest) highest = value, best = s;
    }
    return best ? put(l, best->text, best->size) : 0;
}

/* A kernel that is launched by another before it is defined. */
static bool is_first_prototype_of_kernel(const struct linker *l, size_t i)
{
    const struct statement *s = &l->items[i];
    bool is_first = s->kind == FUNCTION && s->is_entry && !s->has_body;
    for (size_t k = 0; k < i && is_first; k++)
        is_first = !l->items[k].is_entry || l->items[k].has_body || !same_name(&l->items[k], s);
    return is_first;
}

static int put_all(struct linker *l, const struct ptx_unit *first)
{
    const char *version = memmem(first->text, first->size, ".version", 8);
    if (put(l, "", 0) < 0) return -1; /* a text, if an empty one */
    /* comments: where it comes from */
    if (version && put(l, first->text, (size_t)(version - first->text)) < 0) return -1;
    if (put_highest(l, ".version") < 0 || put_highest(l, ".target") < 0 || put_highest(l, ".address_size") < 0)
        return -1;
    for (size_t i = 0; i < l->n; i++) {
        const struct statement *s = &l->items[i];
        if (is_first_prototype_of_kernel(l, i) && put_renamed(l, s->unit, s->text, s->size) < 0) return -1;
        if (s->kind != FUNCTION || s->is_entry || s->is_dropped) continue;
        const char *head = memmem(s->text, s->head, ".func", 5);
        if (put(l, ".extern ", 8) < 0 || put_renamed(l, s->unit, head, s->head - (size_t)(head - s->text)) < 0 ||
            put(l, ";\n", 2) < 0)
            return -1;
    }
    for (int names_others = 0; names_others < 2; names_others++) /* those that point to others come after them */
        for (size_t i = 0; i < l->n; i++) {
            const struct statement *s = &l->items[i];
            if (s->kind == VARIABLE && !s->is_dropped && s->names_others == names_others &&
                put_renamed(l, s->unit, s->text, s->size) < 0)
                return -1;
        }
    for (size_t i = 0; i < l->n; i++) {
        const struct statement *s = &l->items[i];
        if (s->kind == FUNCTION && !s->is_dropped && s->has_body && put_renamed(l, s->unit, s->text, s->size) < 0)
            return -1;
    }
    return 0;
}

static int cut(struct linker *l, const struct ptx_unit *u, size_t unit)
{
    struct statement s;
    for (const char *at = u->text, *end = u->text + strnlen(u->text, u->size); next_statement(&s, &at, end);) {
        if (l->n == l->cap) {
            const size_t cap = l->cap ? 2 * l->cap : 64;
            struct statement *grown = realloc(l->items, cap * sizeof *grown);
            if (!grown) return error_set(l->err, ERR_MEMORY, "no memory for a linked module");
            l->items = grown;
            l->cap = cap;
        }
        s.unit = unit;
        l->items[l->n++] = s;
    }
    return 0;
}

int ptx_link(char **out, size_t *size, const struct ptx_unit *units, size_t n, struct error *err)
{
    struct linker l = {.err = err};
    int result = n ? 0 : error_set(err, ERR_INPUT, "linking: no text");
    for (size_t i = 0; i < n && result == 0; i++) result = cut(&l, &units[i], i);
    if (result == 0) result = resolve(&l);
    if (result == 0) result = put_all(&l, &units[0]);
    free(l.items);
    if (result < 0) {
        free(l.out);
        return -1;
    }
    *out = l.out;
    *size = l.size;
    return 0;
}
