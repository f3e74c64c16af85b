#include "parse/lex.h"

#include <stdlib.h>
#include <string.h>

void lex_init(struct lexer *lexer, const char *text, size_t size)
{
    *lexer = (struct lexer){.at = text, .end = text + size, .line_start = text, .line = 1};
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static char peek(const struct lexer *x, size_t ahead) { return (size_t)(x->end - x->at) > ahead ? x->at[ahead] : '\0'; }

static void newline(struct lexer *x)
{
    x->line++;
    x->line_start = x->at;
}

/* Skips white space and comments; false if a comment does not end. */
static bool skip_blank(struct lexer *x)
{
    while (x->at < x->end) {
        const char c = *x->at;
        if (c == '\n') {
            x->at++;
            newline(x);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            x->at++;
        } else if (c == '/' && peek(x, 1) == '/') {
            while (x->at < x->end && *x->at != '\n') x->at++;
        } else if (c == '/' && peek(x, 1) == '*') {
            const struct lexer start = *x;
            for (x->at += 2; !(peek(x, 0) == '*' && peek(x, 1) == '/');) {
                if (x->at >= x->end) {
                    *x = start;
                    return false;
                }
                if (*x->at++ == '\n') newline(x);
            }
            x->at += 2;
        } else {
            return true;
        }
    }
    return true;
}

static void bad(struct token *t, const char *why)
{
    t->kind = TOK_BAD;
    t->why = why;
}

/* 0f3F800000 and 0d3FF0000000000000: IEEE bits in hexadecimal. */
static void lex_float_bits(struct lexer *x, struct token *t, int digits)
{
    x->at += 2;
    for (int i = 0; i < digits; i++, x->at++) {
        const int v = hex_value(peek(x, 0));
        if (v > 15) {
            bad(t, digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
            return;
        }
        t->value = t->value << 4 | (uint64_t)v;
    }
    t->kind = digits == 8 ? TOK_F32 : TOK_F64;
}

static void lex_integer(struct lexer *x, struct token *t, unsigned base)
{
    const char *first = x->at;
    for (; hex_value(peek(x, 0)) < (int)base; x->at++) {
        uint64_t wide;
        if (__builtin_mul_overflow(t->value, (uint64_t)base, &wide) ||
            __builtin_add_overflow(wide, (uint64_t)hex_value(*x->at), &t->value)) {
            bad(t, "the number does not fit 64 bits");
            return;
        }
    }
    if (x->at == first) {
        bad(t, "a number without digits");
        return;
    }
    t->kind = TOK_INT;
    if (peek(x, 0) == 'U') x->at++;
}

static bool is_decimal_float(const struct lexer *x)
{
    size_t i = 0;
    while (is_digit(peek(x, i))) i++;
    return peek(x, i) == '.' || ((peek(x, i) == 'e' || peek(x, i) == 'E') &&
                                 (is_digit(peek(x, i + 1)) || peek(x, i + 1) == '-' || peek(x, i + 1) == '+'));
}

static void lex_decimal_float(struct lexer *x, struct token *t)
{
    char text[64];
    size_t n = 0;
    for (; n < sizeof text - 1; n++) {
        const char c = peek(x, n);
        const bool sign = (c == '-' || c == '+') && n && (text[n - 1] == 'e' || text[n - 1] == 'E');
        if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign) break;
        text[n] = c;
    }
    text[n] = '\0';
    char *end;
    const double value = strtod(text, &end);
    if (*end || n == sizeof text - 1) {
        bad(t, "not a number");
        return;
    }
    memcpy(&t->value, &value, sizeof value);
    x->at += n;
    t->kind = TOK_F64;
}

static void lex_number(struct lexer *x, struct token *t)
{
    const char a = peek(x, 0), b = peek(x, 1);
    if (a == '0' && (b == 'f' || b == 'F')) {
        lex_float_bits(x, t, 8);
    } else if (a == '0' && (b == 'd' || b == 'D')) {
        lex_float_bits(x, t, 16);
    } else if (a == '0' && (b == 'x' || b == 'X')) {
        x->at += 2;
        lex_integer(x, t, 16);
    } else if (a == '0' && (b == 'b' || b == 'B')) {
        x->at += 2;
        lex_integer(x, t, 2);
    } else if (is_decimal_float(x)) {
        lex_decimal_float(x, t);
    } else {
        lex_integer(x, t, a == '0' && is_digit(b) ? 8 : 10);
    }
    if (t->kind != TOK_BAD && (is_letter(peek(x, 0)) || is_digit(peek(x, 0)))) bad(t, "letters follow the number");
}

static void lex_string(struct lexer *x, struct token *t)
{
    t->at = ++x->at;
    while (x->at < x->end && *x->at != '"' && *x->at != '\n') x->at += *x->at == '\\' && x->end - x->at > 1 ? 2 : 1;
    if (peek(x, 0) != '"') {
        bad(t, "a string that does not end");
        return;
    }
    t->size = (size_t)(x->at++ - t->at);
    t->kind = TOK_STRING;
}

static void lex_dot(struct lexer *x, struct token *t)
{
    t->at = ++x->at;
    t->kind = TOK_DOT;
    for (;;) {
        while (is_letter(peek(x, 0)) || is_digit(peek(x, 0))) x->at++;
        if (peek(x, 0) != ':' || peek(x, 1) != ':') break;
        x->at += 2; /* .shared::cta */
    }
    if (x->at == t->at) bad(t, "a lone '.'");
}

struct token lex_next(struct lexer *x)
{
    const char *before = x->at;
    const bool ends = skip_blank(x);
    struct token t = {.kind = TOK_END, .at = x->at, .line = x->line, .joined = before == x->at};
    t.column = (uint32_t)(x->at - x->line_start) + 1;
    if (!ends) {
        bad(&t, "a comment that does not end");
        return t;
    }
    if (x->at >= x->end) return t;
    const char c = *x->at;
    if (is_letter(c)) {
        t.kind = TOK_NAME;
        while (is_letter(peek(x, 0)) || is_digit(peek(x, 0))) x->at++;
    } else if (is_digit(c)) {
        lex_number(x, &t);
    } else if (c == '"') {
        lex_string(x, &t);
        return t;
    } else if (c == '.') {
        lex_dot(x, &t);
    } else if (c > ' ' && c < 127) {
        t.kind = TOK_PUNCT;
        t.punct = c;
        x->at++;
    } else {
        bad(&t, "a character that PTX does not use");
    }
    t.size = (size_t)(x->at - t.at);
    return t;
}
