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

static int init_number(struct parser *p, struct init *init, bool negative)
{
    uint64_t bits = p->tok.value;
    if (p->tok.kind == TOK_INT) {
        if (type_kind(init->var->type) == 'f') { /* 1 means 1.0 here */
            const double value = negative ? -(double)bits : (double)bits;
            const float narrow = (float)value;
            uint32_t narrow_bits;
            memcpy(&narrow_bits, &narrow, 4);
            memcpy(&bits, &value, 8);
            if (init->element == 4) bits = narrow_bits;
        } else if (negative) {
            bits = 0 - bits;
        }
    } else if (p->tok.kind == TOK_F32 || p->tok.kind == TOK_F64) {
        if (type_kind(init->var->type) != 'f')
            return parse_fail(p, &p->tok, "a floating-point value for an integer variable");
        double value;
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, 4);
        memcpy(&value, &bits, 8);
        if (p->tok.kind == TOK_F32) value = (double)narrow;
        if (negative) value = -value;
        narrow = (float)value;
        memcpy(&low, &narrow, 4);
        memcpy(&bits, &value, 8);
        if (init->element == 4) bits = low;
    } else {
        return parse_fail(p, &p->tok, "expected a number");
    }
    put_bytes(init, bits);
    next(p);
    return 0;
}

/* name, name+8, generic(name)+8 */
static int init_address(struct parser *p, struct init *init)
{
    const bool generic = is_name(p, "generic");
    if (generic) {
        next(p);
        if (expect_punct(p, '(') < 0) return -1;
    }
    if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected the name of a variable");
    struct symbol *s = symbol_find(p, token_name(p, &p->tok));
    if (s && s->kind == SYM_FUNC && init->element == 8) { /* an entry of a table of functions */
        if (!s->func->number) s->func->number = ++p->ast->n_addressed;
        put_bytes(init, PTX_CODE_WINDOW + 16 * (uint64_t)s->func->number);
        next(p);
        return generic ? expect_punct(p, ')') : 0;
    }
    if (!s || s->kind != SYM_VAR || (s->var->space != SP_GLOBAL && s->var->space != SP_CONST) || s->var->is_extern)
        return parse_fail(p, &p->tok, "an initialiser takes addresses of .global and .const variables of this module");
    if (init->element != 8) return parse_fail(p, &p->tok, "an address needs an element of 8 bytes");
    next(p);
    if (generic && expect_punct(p, ')') < 0) return -1;
    uint64_t addend = 0;
    const bool minus = is_punct(p, '-');
    if (minus || is_punct(p, '+')) {
        next(p);
        if (expect_int(p, "an offset", INT64_MAX, &addend) < 0) return -1;
    }
    if (ARRAY_ROOM(p->relocs->items, p->relocs->cap, p->relocs->n) < 0) return parse_memory(p);
    p->relocs->items[p->relocs->n++] =
        (struct reloc){init->var, s->var, init->at, minus ? -(int64_t)addend : (int64_t)addend, generic};
    put_bytes(init, 0);
    return 0;
}

static int init_value(struct parser *p, struct init *init)
{
    if (init_room(p, init) < 0) return -1;
    const bool negative = take_punct(p, '-');
    if (p->tok.kind == TOK_NAME && !negative) return init_address(p, init);
    return init_number(p, init, negative);
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
