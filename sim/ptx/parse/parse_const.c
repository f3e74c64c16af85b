/* Constant expressions: C's operators over literals, with PTX's few types. [PTX ISA 4.5] */
#include <string.h>
#include "parse/parse.h"

#define MAX_EXPRESSION_DEPTH 64

enum operator{
    OP_NONE,
    OP_OR_ELSE,
    OP_AND_ALSO,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_SHL,
    OP_SHR,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_REM
};
static const struct {
    const char *text;
    uint8_t precedence;
} operators[] = {[OP_NONE] = {"", 0},  [OP_OR_ELSE] = {"||", 2}, [OP_AND_ALSO] = {"&&", 3}, [OP_OR] = {"|", 4},
                 [OP_XOR] = {"^", 5},  [OP_AND] = {"&", 6},      [OP_EQ] = {"==", 7},       [OP_NE] = {"!=", 7},
                 [OP_LT] = {"<", 8},   [OP_LE] = {"<=", 8},      [OP_GT] = {">", 8},        [OP_GE] = {">=", 8},
                 [OP_SHL] = {"<<", 9}, [OP_SHR] = {">>", 9},     [OP_ADD] = {"+", 10},      [OP_SUB] = {"-", 10},
                 [OP_MUL] = {"*", 11}, [OP_DIV] = {"/", 11},     [OP_REM] = {"%", 11}};

/* The operator that begins at the current token, the longest one. */
static enum operator operator_here(const struct parser *p)
{
    enum operator found = OP_NONE;
    if (is_name(p, "%")) return OP_REM; /* '%' is a letter of names too */
    if (p->tok.kind != TOK_PUNCT) return OP_NONE;
    const char second = p->lexer.at < p->lexer.end ? *p->lexer.at : '\0';
    for (size_t i = 1; i < sizeof operators / sizeof operators[0]; i++) {
        const char *text = operators[i].text;
        if (text[0] != p->tok.punct || (text[1] && text[1] != second)) continue;
        if (!found || text[1]) found = (enum operator)i;
    }
    return found;
}

static void take_operator(struct parser *p, enum operator op)
{
    next(p);
    if (operators[op].text[1]) next(p);
}

static double as_double(const struct constant *c)
{
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)c->value;
    if (c->kind == CONSTANT_INT) return c->is_unsigned ? (double)c->value : (double)(int64_t)c->value;
    memcpy(&wide, &c->value, 8);
    memcpy(&narrow, &low, 4);
    return c->kind == CONSTANT_F32 ? (double)narrow : wide;
}

static void put_double(struct constant *c, double value)
{
    *c = (struct constant){.kind = CONSTANT_F64};
    memcpy(&c->value, &value, 8);
}

static bool is_true(const struct constant *c) { return c->kind == CONSTANT_INT ? c->value != 0 : as_double(c) != 0.0; }

static void put_int(struct constant *c, uint64_t value, bool is_unsigned)
{
    *c = (struct constant){.kind = CONSTANT_INT, .value = value, .is_unsigned = is_unsigned};
}

static bool compared(enum operator op, bool less, bool equal, bool unordered)
{
    switch (op) {
    case OP_EQ: return equal;
    case OP_NE: return !equal;
    case OP_LT: return less;
    case OP_LE: return less || equal;
    case OP_GT: return !less && !equal && !unordered;
    default: return !less && !unordered;
    }
}

static int apply_float(struct parser *p, const struct token *at, enum operator op, struct constant *a,
                       const struct constant *b)
{
    const double x = as_double(a), y = as_double(b);
    switch (op) {
    case OP_ADD: return put_double(a, x + y), 0;
    case OP_SUB: return put_double(a, x - y), 0;
    case OP_MUL: return put_double(a, x * y), 0;
    case OP_DIV: return put_double(a, x / y), 0;
    default: break;
    }
    if (operators[op].precedence != 7 && operators[op].precedence != 8)
        return parse_fail(p, at, "'%s' takes whole numbers", operators[op].text);
    put_int(a, compared(op, x < y, x == y, x != x || y != y), false);
    return 0;
}

static int divide(struct parser *p, const struct token *at, bool remains, struct constant *a, uint64_t y,
                  bool is_unsigned)
{
    const uint64_t x = a->value;
    uint64_t q, r;
    if (!y) return parse_fail(p, at, "a division by zero");
    if (is_unsigned) {
        q = x / y;
        r = x % y;
    } else if (y == UINT64_MAX) { /* by -1: what C leaves open for the least number wraps here */
        q = 0 - x;
        r = 0;
    } else {
        q = (uint64_t)((int64_t)x / (int64_t)y);
        r = (uint64_t)((int64_t)x % (int64_t)y);
    }
    put_int(a, remains ? r : q, is_unsigned);
    return 0;
}

static int apply(struct parser *p, const struct token *at, enum operator op, struct constant *a,
                 const struct constant *b)
{
    if (op == OP_OR_ELSE) return put_int(a, is_true(a) || is_true(b), false), 0;
    if (op == OP_AND_ALSO) return put_int(a, is_true(a) && is_true(b), false), 0;
    if (a->kind != CONSTANT_INT || b->kind != CONSTANT_INT) return apply_float(p, at, op, a, b);
    const bool is_unsigned = a->is_unsigned || b->is_unsigned;
    const uint64_t x = a->value, y = b->value;
    const bool less = is_unsigned ? x < y : (int64_t)x < (int64_t)y;
    switch (op) {
    case OP_OR: return put_int(a, x | y, true), 0;
    case OP_XOR: return put_int(a, x ^ y, true), 0;
    case OP_AND: return put_int(a, x & y, true), 0;
    case OP_SHL: return put_int(a, y < 64 ? x << y : 0, a->is_unsigned), 0;
    case OP_SHR:
        return put_int(a, a->is_unsigned ? y < 64 ? x >> y : 0 : (uint64_t)((int64_t)x >> (y < 64 ? y : 63)),
                       a->is_unsigned),
               0;
    case OP_ADD: return put_int(a, x + y, is_unsigned), 0;
    case OP_SUB: return put_int(a, x - y, is_unsigned), 0;
    case OP_MUL: return put_int(a, x * y, is_unsigned), 0;
    case OP_DIV:
    case OP_REM: return divide(p, at, op == OP_REM, a, y, is_unsigned);
    default: return put_int(a, compared(op, less, x == y, false), false), 0;
    }
}

static int parse_ternary(struct parser *p, struct constant *out, uint32_t depth);

/* Behind '(': an expression, or a cast of what follows. */
static int parse_parenthesis(struct parser *p, struct constant *out, uint32_t depth);

static int parse_unary(struct parser *p, struct constant *out, uint32_t depth)
{
    const struct token at = p->tok;
    if (depth > MAX_EXPRESSION_DEPTH) return parse_fail(p, &at, "operands are nested too deep");
    if (at.kind == TOK_INT || at.kind == TOK_F32 || at.kind == TOK_F64) {
        *out = (struct constant){.value = at.value};
        out->kind = at.kind == TOK_INT ? CONSTANT_INT : at.kind == TOK_F32 ? CONSTANT_F32 : CONSTANT_F64;
        out->is_unsigned = at.kind == TOK_INT && (at.value > INT64_MAX || at.at[at.size - 1] == 'U');
        next(p);
        return 0;
    }
    if (is_name(p, "WARP_SZ")) {
        put_int(out, 32, false);
        next(p);
        return 0;
    }
    if (take_punct(p, '(')) return parse_parenthesis(p, out, depth + 1);
    if (at.kind != TOK_PUNCT || !strchr("+-!~", at.punct)) return parse_fail(p, &at, "expected an operand");
    next(p);
    if (parse_unary(p, out, depth + 1) < 0) return -1;
    if (at.punct == '!') {
        put_int(out, !is_true(out), false);
    } else if (at.punct == '~') {
        if (out->kind != CONSTANT_INT) return parse_fail(p, &at, "'~' takes whole numbers");
        put_int(out, ~out->value, true);
    } else if (at.punct == '-') {
        if (out->kind == CONSTANT_INT) out->value = 0 - out->value;
        else out->value ^= out->kind == CONSTANT_F32 ? 0x80000000u : (uint64_t)1 << 63;
    }
    return 0;
}

static int parse_parenthesis(struct parser *p, struct constant *out, uint32_t depth)
{
    const struct token at = p->tok;
    const bool is_signed = take_dot(p, "s64"), is_cast = is_signed || take_dot(p, "u64");
    if (!is_cast && parse_ternary(p, out, depth) < 0) return -1;
    if (expect_punct(p, ')') < 0) return -1;
    if (!is_cast) return 0;
    if (parse_unary(p, out, depth) < 0) return -1;
    if (out->kind != CONSTANT_INT) return parse_fail(p, &at, "casts take whole numbers");
    out->is_unsigned = !is_signed;
    return 0;
}

static int parse_binary(struct parser *p, struct constant *out, uint8_t least, uint32_t depth)
{
    if (parse_unary(p, out, depth) < 0) return -1;
    for (;;) {
        const struct token at = p->tok;
        const enum operator op = operator_here(p);
        struct constant b;
        if (!op || operators[op].precedence < least) return 0;
        take_operator(p, op);
        if (parse_binary(p, &b, operators[op].precedence + 1, depth + 1) < 0 || apply(p, &at, op, out, &b) < 0)
            return -1;
    }
}

static int parse_ternary(struct parser *p, struct constant *out, uint32_t depth)
{
    struct constant yes, no;
    if (parse_binary(p, out, 0, depth) < 0) return -1;
    if (!take_punct(p, '?')) return 0;
    if (parse_ternary(p, &yes, depth + 1) < 0 || expect_punct(p, ':') < 0 || parse_ternary(p, &no, depth + 1) < 0)
        return -1;
    *out = is_true(out) ? yes : no;
    return 0;
}

int parse_constant(struct parser *p, struct constant *out) { return parse_ternary(p, out, 0); }

int parse_term(struct parser *p, uint64_t *out)
{
    char found[80];
    struct constant c;
    const struct token at = p->tok;
    if (at.kind != TOK_INT && !is_punct(p, '(') && !is_punct(p, '~') && !is_punct(p, '!') && at.kind != TOK_NAME)
        return parse_fail(p, &at, "expected an offset, found %s", token_text(&at, found, sizeof found));
    if (parse_binary(p, &c, operators[OP_MUL].precedence, 0) < 0) return -1;
    if (c.kind != CONSTANT_INT) return parse_fail(p, &at, "an offset is a whole number");
    *out = c.value;
    return 0;
}

int parse_count(struct parser *p, const char *what, uint64_t max, uint64_t *out)
{
    char found[80];
    struct constant c;
    const struct token at = p->tok;
    if (at.kind != TOK_INT && !is_punct(p, '('))
        return parse_fail(p, &at, "expected %s, found %s", what, token_text(&at, found, sizeof found));
    if (parse_constant(p, &c) < 0) return -1;
    if (c.kind != CONSTANT_INT || c.value > max)
        return parse_fail(p, &at, "%s is %llu, at most %llu is possible", what, (unsigned long long)c.value,
                          (unsigned long long)max);
    *out = c.value;
    return 0;
}
