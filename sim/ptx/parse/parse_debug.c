/* Directives for debuggers, which end without a ';': what follows on their line is read as ever. [PTX ISA 11.5] */
#include "parse/parse.h"

static int more_ints(struct parser *p, const char *what, uint32_t n)
{
    uint64_t ignored;
    for (uint32_t i = 0; i < n; i++)
        if (expect_int(p, what, UINT64_MAX, &ignored) < 0) return -1;
    return 0;
}

/* .file 1 "name"{, time, bytes}; clang may give a folder and a name */
static int parse_file(struct parser *p)
{
    if (more_ints(p, "the number of a file", 1) < 0) return -1;
    if (p->tok.kind != TOK_STRING) return parse_fail(p, &p->tok, ".file needs a name between quotes");
    while (p->tok.kind == TOK_STRING) next(p);
    while (take_punct(p, ','))
        if (more_ints(p, "a time or a size", 1) < 0) return -1;
    return 0;
}

/* .loc file line column{, function_name label{+offset}, inlined_at file line column} */
static int parse_loc(struct parser *p)
{
    if (more_ints(p, "a file and a line", 2) < 0) return -1;
    if (p->tok.kind == TOK_INT) next(p); /* the column */
    while (take_punct(p, ',')) {
        if (is_name(p, "function_name")) {
            next(p);
            if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "function_name needs a label");
            next(p);
            if (take_punct(p, '+') && more_ints(p, "an offset", 1) < 0) return -1;
        } else if (is_name(p, "inlined_at")) {
            next(p);
            if (more_ints(p, "a file, a line and a column", 3) < 0) return -1;
        } else {
            return parse_fail(p, &p->tok, "a .loc goes on with function_name or inlined_at");
        }
    }
    return 0;
}

/* .section .debug_info { ... }: debugging data, which may hold anything but braces. */
static int parse_section(struct parser *p)
{
    while (!is_punct(p, '{') && p->tok.kind != TOK_END && p->tok.kind != TOK_BAD) next(p);
    while (!is_punct(p, '}')) {
        if (p->tok.kind == TOK_END || p->tok.kind == TOK_BAD)
            return parse_fail(p, &p->tok, "a .section that does not end");
        next(p);
    }
    next(p);
    return 0;
}

/* @@DWARF .byte 1, 2   @@DWARF .4byte label+4   @@DWARF .section .debug_info, "", @progbits   @@DWARF label: */
static int parse_dwarf(struct parser *p)
{
    next(p); /* the second '@' */
    if (!is_name(p, "DWARF") && !is_name(p, "dwarf")) return parse_fail(p, &p->tok, "expected @@DWARF");
    next(p);
    if (p->tok.kind == TOK_NAME) {
        next(p);
        return expect_punct(p, ':');
    }
    if (p->tok.kind != TOK_DOT) return parse_fail(p, &p->tok, "expected data such as .byte 1");
    next(p);
    do {
        (void)take_punct(p, '@');
        if (p->tok.kind != TOK_INT && p->tok.kind != TOK_NAME && p->tok.kind != TOK_DOT && p->tok.kind != TOK_STRING)
            return parse_fail(p, &p->tok, "expected a number, a label or a name");
        next(p);
        while (take_punct(p, '+') || take_punct(p, '-')) next(p);
    } while (take_punct(p, ','));
    return 0;
}

bool takes_debugging(const struct parser *p)
{
    const bool is_dwarf = is_punct(p, '@') && p->lexer.at < p->lexer.end && *p->lexer.at == '@';
    return is_dwarf || is_dot(p, "file") || is_dot(p, "loc") || is_dot(p, "section");
}

int parse_debugging(struct parser *p)
{
    if (take_dot(p, "file")) return parse_file(p);
    if (take_dot(p, "loc")) return parse_loc(p);
    if (take_dot(p, "section")) return parse_section(p);
    next(p);
    return parse_dwarf(p);
}
