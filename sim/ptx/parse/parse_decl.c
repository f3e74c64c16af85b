/* Declarations: registers, variables of every space, formal parameters. */
#include <stdlib.h>
#include <string.h>
#include "parse/parse.h"

enum space space_named(const char *dot, bool *known)
{
    static const struct {
        const char *name;
        enum space space;
    } rows[] = {
        {"global", SP_GLOBAL},     {"shared", SP_SHARED}, {"shared::cta", SP_SHARED}, {"shared::cluster", SP_SHARED},
        {"local", SP_LOCAL},       {"const", SP_CONST},   {"param", SP_PARAM},        {"param::entry", SP_PARAM},
        {"param::func", SP_PARAM},
    };
    *known = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].name, dot)) return rows[i].space;
    *known = false;
    return SP_GENERIC;
}

/* The current token as a type, which is consumed; T_NONE if it is none. */
static enum ptx_type take_type(struct parser *p, bool *is_opaque)
{
    static const char *const opaque[] = {"texref", "samplerref", "surfref"};
    char text[16];
    if (p->tok.kind != TOK_DOT || p->tok.size >= sizeof text) return T_NONE;
    memcpy(text, p->tok.at, p->tok.size);
    text[p->tok.size] = '\0';
    enum ptx_type type = type_named(text);
    *is_opaque = false;
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(text, opaque[i])) {
            *is_opaque = true;
            type = T_B64;
        }
    if (type) next(p);
    return type;
}

/* [.align n] [.v2|.v4] .type [.ptr .space .align n] */
struct shape {
    enum ptx_type type;
    bool is_opaque, is_managed;
    uint64_t align, lanes;
};

/* .attribute(.managed, .unified(uuid1, uuid2)), behind ".attribute" */
int parse_attributes(struct parser *p, bool *is_managed)
{
    char found[80];
    if (expect_punct(p, '(') < 0) return -1;
    for (uint32_t depth = 1; depth;) {
        if (p->tok.kind == TOK_END || p->tok.kind == TOK_BAD)
            return parse_fail(p, &p->tok, "an attribute that does not end");
        if (is_punct(p, '(')) depth++;
        if (is_punct(p, ')')) depth--;
        if (p->tok.kind == TOK_DOT && !is_dot(p, "managed") && !is_dot(p, "unified"))
            return parse_fail(p, &p->tok, "unknown attribute %s", token_text(&p->tok, found, sizeof found));
        *is_managed |= is_dot(p, "managed");
        next(p);
    }
    return 0;
}

static int parse_shape(struct parser *p, struct shape *shape)
{
    *shape = (struct shape){.lanes = 1};
    for (;;) {
        if (take_dot(p, "attribute")) {
            if (parse_attributes(p, &shape->is_managed) < 0) return -1;
        } else if (take_dot(p, "align")) {
            const struct token at = p->tok;
            if (expect_int(p, "an alignment", 1 << 16, &shape->align) < 0) return -1;
            if (!shape->align || (shape->align & (shape->align - 1)))
                return parse_fail(p, &at, "an alignment is a power of two");
        } else if (take_dot(p, "v2")) {
            shape->lanes = 2;
        } else if (take_dot(p, "v4")) {
            shape->lanes = 4;
        } else {
            break;
        }
    }
    shape->type = take_type(p, &shape->is_opaque);
    if (!shape->type) return parse_fail(p, &p->tok, "expected a type such as .u32");
    if (shape->type == T_PRED) return parse_fail(p, &p->tok, "memory cannot hold predicates");
    if (take_dot(p, "ptr")) {
        uint64_t align;
        bool known;
        char text[16] = "";
        if (p->tok.kind == TOK_DOT && p->tok.size < sizeof text) memcpy(text, p->tok.at, p->tok.size);
        space_named(text, &known);
        if (known) next(p);
        if (take_dot(p, "align") && expect_int(p, "an alignment", 1 << 16, &align) < 0) return -1;
    }
    return 0;
}

/* name[n][m]: its size in bytes; "[]" gives 0. */
static int parse_extent(struct parser *p, struct var *v, uint64_t element_bytes)
{
    v->bytes = element_bytes;
    while (take_punct(p, '[')) {
        uint64_t n = 0;
        if (!is_punct(p, ']') && parse_count(p, "a number of elements", (uint64_t)1 << 40, &n) < 0) return -1;
        if (expect_punct(p, ']') < 0) return -1;
        if (__builtin_mul_overflow(v->bytes, n, &v->bytes) || v->bytes > (uint64_t)1 << 40)
            return parse_fail(p, &p->tok, "%s is larger than any device memory", v->name);
    }
    return 0;
}

static struct var *parse_one(struct parser *p, enum space space, const struct shape *shape)
{
    if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected the name of a variable"), NULL;
    const struct token at = p->tok;
    const uint32_t name = token_name(p, &at);
    struct var *v = pool_take(p->keep, sizeof *v);
    if (!v || !name) return parse_memory(p), NULL;
    v->name = p->names.text[name];
    v->owner = p->func;
    v->space = space;
    v->type = shape->type;
    v->is_opaque = shape->is_opaque;
    v->is_managed = shape->is_managed;
    v->index = NO_INDEX;
    v->stamp = NO_INDEX;
    next(p);
    const uint64_t natural = shape->lanes * type_bytes(shape->type);
    v->align = shape->align ? shape->align : natural;
    if (parse_extent(p, v, natural) < 0) return NULL;
    /* "_" is a parameter without a name */
    if (strcmp(v->name, "_") != 0) {
        struct symbol *s = symbol_new(p, &at, name, SYM_VAR);
        if (!s) return NULL;
        s->var = v;
    }
    return v;
}

static int keep_variable(struct parser *p, struct var_list *list, struct var *v)
{
    if (ARRAY_ROOM(list->items, list->cap, list->n) < 0) return parse_memory(p);
    v->index = (uint32_t)list->n;
    list->items[list->n++] = v;
    return 0;
}

static int parse_variables(struct parser *p, enum space space, const struct shape *shape, bool is_extern)
{
    do {
        struct var *v = parse_one(p, space, shape);
        if (!v) return -1;
        v->is_extern = is_extern;
        if (take_punct(p, '=')) {
            if (space != SP_GLOBAL && space != SP_CONST)
                return parse_fail(p, &p->tok, "only .global and .const variables have initialisers");
            if (parse_initialiser(p, v) < 0) return -1;
        }
        if (space == SP_LOCAL && v->bytes > 512u << 10)
            return parse_fail(p, &p->tok, "%s: a thread has at most 512 KiB of local memory", v->name);
        if (space == SP_SHARED && v->bytes > 256u << 10)
            return parse_fail(p, &p->tok, "%s: a CTA has at most 256 KiB of shared memory", v->name);
        if (space == SP_PARAM && v->bytes > 4096)
            return parse_fail(p, &p->tok, "%s: a parameter has at most 4096 bytes", v->name);
        const bool placed = (space == SP_GLOBAL || space == SP_CONST) && !is_extern && !v->is_opaque;
        if (placed && keep_variable(p, p->vars, v) < 0) return -1;
        if (v->is_opaque && !p->func && keep_variable(p, p->texrefs, v) < 0) return -1;
    } while (take_punct(p, ','));
    return expect_punct(p, ';');
}

int parse_variable(struct parser *p, enum space space, bool is_extern)
{
    struct shape shape;
    return parse_shape(p, &shape) < 0 ? -1 : parse_variables(p, space, &shape, is_extern);
}

int parse_texture(struct parser *p, bool is_extern)
{
    struct shape shape;
    if (parse_shape(p, &shape) < 0) return -1;
    shape.type = T_B64;
    shape.is_opaque = true;
    return parse_variables(p, SP_GLOBAL, &shape, is_extern);
}

/* .reg .b32 %r<10>, x, y; */
int parse_reg(struct parser *p)
{
    bool is_opaque;
    if (is_dot(p, "v2") || is_dot(p, "v4")) return parse_fail(p, &p->tok, "vector registers are not supported");
    const struct token type_at = p->tok;
    const enum ptx_type type = take_type(p, &is_opaque);
    if (type_at.kind == TOK_DOT && type_at.size == 4 && !memcmp(type_at.at, "b128", 4))
        return parse_fail(p, &type_at, "registers of 128 bits are not supported");
    if (!type || is_opaque) return parse_fail(p, &type_at, "expected a register type such as .b32");
    do {
        if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected the name of a register");
        const struct token at = p->tok;
        const uint32_t name = token_name(p, &at);
        next(p);
        const bool ranged = take_punct(p, '<');
        uint64_t count = 0;
        if (ranged && (expect_int(p, "a number of registers", 1u << 30, &count) < 0 || expect_punct(p, '>') < 0))
            return -1;
        struct symbol *s = symbol_new(p, &at, name, ranged ? SYM_REG_RANGE : SYM_REG);
        if (!s) return -1;
        s->type = type;
        s->count = (uint32_t)count;
        if (!ranged && reg_new(p, type, &s->index) < 0) return -1;
    } while (take_punct(p, ','));
    return expect_punct(p, ';');
}

/* Behind '(': ".param .u64 a, .reg .f32 b)". */
int parse_formals(struct parser *p, struct formal **out, uint32_t *n)
{
    struct formal *list = NULL;
    size_t count = 0, cap = 0;
    int rc = -1;
    if (take_punct(p, ')')) return 0;
    do {
        bool is_opaque;
        if (ARRAY_ROOM(list, cap, count) < 0) {
            parse_memory(p);
            goto done;
        }
        struct formal *f = &list[count];
        *f = (struct formal){0};
        if (take_dot(p, "reg")) {
            f->type = take_type(p, &is_opaque);
            const struct token at = p->tok;
            struct symbol *s = NULL;
            if (!f->type || at.kind != TOK_NAME) {
                parse_fail(p, &at, "expected a register parameter such as .reg .f32 %%f1");
                goto done;
            }
            if (!(s = symbol_new(p, &at, token_name(p, &at), SYM_REG)) || reg_new(p, f->type, &f->reg) < 0) goto done;
            s->type = f->type;
            s->index = f->reg;
            next(p);
        } else if (take_dot(p, "param")) {
            struct shape shape;
            if (parse_shape(p, &shape) < 0 || !(f->var = parse_one(p, SP_PARAM, &shape))) goto done;
        } else {
            parse_fail(p, &p->tok, "expected .param or .reg");
            goto done;
        }
        count++;
    } while (take_punct(p, ','));
    if (expect_punct(p, ')') < 0) goto done;
    *out = pool_take(&p->ast->pool, count * sizeof *list);
    if (!*out) {
        parse_memory(p);
        goto done;
    }
    memcpy(*out, list, count * sizeof *list);
    *n = (uint32_t)count;
    rc = 0;
done:
    free(list);
    return rc;
}
