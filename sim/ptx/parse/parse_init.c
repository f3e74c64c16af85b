/* Initialisers of .global and .const variables: numbers, nested braces, addresses of other variables. */
#include <string.h>
#include "parse/parse.h"

/* Where the next element goes. A variable declared as "x[]" gets its size from what is written. */
struct init {
    struct var *var;
    uint64_t at, room; /* bytes */
    uint64_t element;
};

static int init_room(struct parser *p, struct init *init)
{
    if (init->at + init->element <= init->room) return 0;
    if (init->var->bytes) return parse_fail(p, &p->tok, "more values than %s holds", init->var->name);
    const uint64_t room = init->room ? init->room * 2 : 64;
    p->init_bytes += room;
    if (p->init_bytes > MAX_INIT_BYTES) return parse_fail(p, &p->tok, "the initialisers take more than 64 MiB");
    unsigned char *grown = pool_take(p->keep, room);
    if (!grown) return parse_memory(p);
    if (init->room) memcpy(grown, init->var->init, init->room);
    init->var->init = grown;
    init->room = room;
    return 0;
}

static void put_bytes(struct init *init, uint64_t value)
{
    memcpy(init->var->init + init->at, &value, init->element); /* little-endian, as the device */
    init->at += init->element;
}

static int init_number(struct parser *p, struct init *init, const struct token *at, const struct constant *c)
{
    uint64_t bits = c->value;
    const bool is_float = type_kind(init->var->type) == 'f';
    if (c->kind != CONSTANT_INT && !is_float)
        return parse_fail(p, at, "a floating-point value for an integer variable");
    if (is_float) { /* 1 means 1.0 here */
        double value;
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, 4);
        memcpy(&value, &bits, 8);
        if (c->kind == CONSTANT_INT) value = c->is_unsigned ? (double)bits : (double)(int64_t)bits;
        if (c->kind == CONSTANT_F32) value = (double)narrow;
        narrow = (float)value;
        memcpy(&low, &narrow, 4);
        memcpy(&bits, &value, 8);
        if (init->element == 4) bits = low;
    }
    put_bytes(init, bits);
    return 0;
}

/* name, name+8, generic(name)+8: the whole of its address, or `bytes` from bit `shift` on. */
static int init_address(struct parser *p, struct init *init, uint8_t bytes, uint8_t shift)
{
    const bool generic = is_name(p, "generic");
    if (generic) {
        next(p);
        if (expect_punct(p, '(') < 0) return -1;
    }
    if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected the name of a variable");
    struct symbol *s = symbol_find(p, token_name(p, &p->tok));
    if (s && s->kind == SYM_FUNC && init->element == bytes) { /* an entry of a table of functions */
        struct func *f = s->func->aliasee ? s->func->aliasee : s->func;
        if (!f->number) f->number = ++p->ast->n_addressed;
        put_bytes(init, (PTX_CODE_WINDOW + 16 * (uint64_t)f->number) >> shift);
        next(p);
        return generic ? expect_punct(p, ')') : 0;
    }
    if (!s || s->kind != SYM_VAR || (s->var->space != SP_GLOBAL && s->var->space != SP_CONST) || s->var->is_extern)
        return parse_fail(p, &p->tok, "an initialiser takes addresses of .global and .const variables of this module");
    if (init->element != bytes) return parse_fail(p, &p->tok, "an address needs an element of %u bytes", bytes);
    next(p);
    if (generic && expect_punct(p, ')') < 0) return -1;
    uint64_t addend = 0;
    const bool minus = is_punct(p, '-');
    if (minus || is_punct(p, '+')) {
        next(p);
        if (parse_term(p, &addend) < 0) return -1;
    }
    if (ARRAY_ROOM(p->relocs->items, p->relocs->cap, p->relocs->n) < 0) return parse_memory(p);
    p->relocs->items[p->relocs->n++] =
        (struct reloc){init->var, s->var, init->at, (int64_t)(minus ? 0 - addend : addend), generic, bytes, shift};
    put_bytes(init, 0);
    return 0;
}

/* Behind "0xff00(": the byte of an address that the mask says. */
static int init_masked(struct parser *p, struct init *init, const struct token *at, const struct constant *mask)
{
    uint8_t shift = 0;
    while (shift < 56 && mask->value != (uint64_t)0xff << shift) shift += 8;
    if (mask->kind != CONSTANT_INT || mask->value != (uint64_t)0xff << shift)
        return parse_fail(p, at, "a mask of an address has one byte of ones, as 0xff00");
    if (init_address(p, init, 1, shift) < 0) return -1;
    return expect_punct(p, ')');
}

static int init_value(struct parser *p, struct init *init)
{
    if (init_room(p, init) < 0) return -1;
    const struct token at = p->tok;
    struct constant c;
    if (at.kind == TOK_NAME && !is_name(p, "WARP_SZ")) return init_address(p, init, 8, 0);
    if (at.kind != TOK_NAME && at.kind != TOK_INT && at.kind != TOK_F32 && at.kind != TOK_F64 && at.kind != TOK_PUNCT)
        return parse_fail(p, &at, "expected a number");
    if (parse_constant(p, &c) < 0) return -1;
    return take_punct(p, '(') ? init_masked(p, init, &at, &c) : init_number(p, init, &at, &c);
}

int parse_initialiser(struct parser *p, struct var *v)
{
    struct init init = {.var = v, .element = type_bytes(v->type)};
    if (v->is_extern || v->is_opaque) return parse_fail(p, &p->tok, "%s cannot have an initialiser", v->name);
    v->has_init = true;
    if (v->bytes) {
        p->init_bytes += v->bytes;
        if (v->bytes > MAX_INIT_BYTES || p->init_bytes > MAX_INIT_BYTES)
            return parse_fail(p, &p->tok, "the initialisers take more than 64 MiB");
        init.room = v->bytes;
        if (!(v->init = pool_take(p->keep, v->bytes))) return parse_memory(p);
    }
    if (!is_punct(p, '{')) return init_value(p, &init);
    uint32_t depth = 0;
    do { /* {{1,2},{3,4}}: rows need not be complete in C, but PTX writers always complete them */
        while (take_punct(p, '{'))
            if (++depth > 8) return parse_fail(p, &p->tok, "braces are nested too deep");
        if (!is_punct(p, '}') && init_value(p, &init) < 0) return -1;
        while (depth && take_punct(p, '}')) depth--;
    } while (depth && take_punct(p, ','));
    if (depth) return expect_punct(p, '}');
    if (!v->bytes) v->bytes = init.at;
    return 0;
}
