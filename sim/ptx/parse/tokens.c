/* The token in hand: what it is, what must be there, and errors with its place. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "parse/parse.h"

int parse_fail(struct parser *p, const struct token *at, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at->kind == TOK_BAD) snprintf(text, sizeof text, "%s", at->why);
    error_set(p->err, ERR_INPUT, "%s:%u:%u: %s", p->name, at->line, at->column, text);
    return error_at(p->err, p->name, at->line, at->at - p->text, NULL);
}

int parse_memory(struct parser *p) { return error_set(p->err, ERR_MEMORY, "%s: out of memory", p->name); }

void next(struct parser *p) { p->tok = lex_next(&p->lexer); }

static bool spelled(const struct token *t, const char *text)
{
    return strlen(text) == t->size && !memcmp(text, t->at, t->size);
}

bool is_punct(const struct parser *p, char c) { return p->tok.kind == TOK_PUNCT && p->tok.punct == c; }

bool is_dot(const struct parser *p, const char *name) { return p->tok.kind == TOK_DOT && spelled(&p->tok, name); }

bool is_name(const struct parser *p, const char *name) { return p->tok.kind == TOK_NAME && spelled(&p->tok, name); }

bool take_punct(struct parser *p, char c)
{
    const bool there = is_punct(p, c);
    if (there) next(p);
    return there;
}

bool take_dot(struct parser *p, const char *name)
{
    const bool there = is_dot(p, name);
    if (there) next(p);
    return there;
}

const char *token_text(const struct token *t, char *text, size_t size)
{
    if (t->kind == TOK_END) return "the end of the text";
    snprintf(text, size, "'%s%.*s'", t->kind == TOK_DOT ? "." : "", (int)(t->size > 60 ? 60 : t->size), t->at);
    return text;
}

int expect_punct(struct parser *p, char c)
{
    char found[80];
    if (take_punct(p, c)) return 0;
    return parse_fail(p, &p->tok, "expected '%c', found %s", c, token_text(&p->tok, found, sizeof found));
}

int expect_int(struct parser *p, const char *what, uint64_t max, uint64_t *out)
{
    char found[80];
    if (p->tok.kind != TOK_INT)
        return parse_fail(p, &p->tok, "expected %s, found %s", what, token_text(&p->tok, found, sizeof found));
    if (p->tok.value > max)
        return parse_fail(p, &p->tok, "%s is %llu, at most %llu is possible", what, (unsigned long long)p->tok.value,
                          (unsigned long long)max);
    *out = p->tok.value;
    next(p);
    return 0;
}

uint32_t token_name(struct parser *p, const struct token *t) { return names_put(&p->names, t->at, t->size); }
