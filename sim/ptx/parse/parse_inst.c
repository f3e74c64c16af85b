/* Statements: declarations in a body, labels, instructions and their operands. */
#include <stdlib.h>
#include <string.h>
#include "parse/parse.h"

#define MAX_OPERANDS 16
#define MAX_LIST 4096

static int parse_operand(struct parser *p, struct operand *o, uint32_t depth);

static int set_items(struct parser *p, struct operand *o, const struct operand *items, size_t n)
{
    o->items = pool_take(&p->ast->pool, (n ? n : 1) * sizeof *items);
    if (!o->items) return parse_memory(p);
    if (n) memcpy(o->items, items, n * sizeof *items);
    o->n = (uint32_t)n;
    return 0;
}

/* "{a, b}" or "(a, b)", behind the opening bracket. */
static int parse_list(struct parser *p, struct operand *o, char close, uint32_t depth)
{
    struct operand *items = NULL;
    size_t n = 0, cap = 0;
    int rc = 0;
    if (depth > 4) return parse_fail(p, &p->tok, "operands are nested too deep");
    while (rc == 0 && !is_punct(p, close)) {
        if (n >= MAX_LIST) rc = parse_fail(p, &p->tok, "more than %d operands", MAX_LIST);
        else if (ARRAY_ROOM(items, cap, n) < 0) rc = parse_memory(p);
        else rc = parse_operand(p, &items[n], depth + 1);
        n++;
        if (rc == 0 && !take_punct(p, ',')) break;
    }
    if (rc == 0) rc = expect_punct(p, close);
    if (rc == 0) rc = set_items(p, o, items, n);
    free(items);
    return rc;
}

/* A signed offset behind a name or register: "+8", "-8", "+-8". */
static int parse_offset(struct parser *p, int64_t *offset)
{
    while (is_punct(p, '+') || is_punct(p, '-')) {
        bool minus = false;
        while (is_punct(p, '+') || is_punct(p, '-')) {
            minus ^= is_punct(p, '-');
            next(p);
        }
        uint64_t n;
        if (parse_term(p, &n) < 0) return -1;
        *offset = (int64_t)((uint64_t)*offset + (minus ? 0 - n : n));
    }
    return 0;
}

static int parse_address(struct parser *p, struct operand *o, uint32_t depth)
{
    struct operand base = {0};
    o->kind = OPND_ADDRESS;
    if (depth > 4) return parse_fail(p, &p->tok, "operands are nested too deep");
    if (parse_operand(p, &base, depth + 1) < 0) return -1;
    if (base.kind == OPND_VAR || base.kind == OPND_INT) {
        o->value = base.value;
        base.value = 0;
    } else if (base.kind != OPND_REG) {
        return parse_fail(p, &p->tok, "an address is a register, a variable or a number, with an optional offset");
    }
    if (parse_offset(p, &o->value) < 0) return -1;
    struct operand items[2] = {base};
    size_t n = 1;
    if (take_punct(p, ',')) { /* [texture, coordinates] */
        const struct token at = p->tok;
        if (parse_operand(p, &items[n++], depth + 1) < 0) return -1;
        if (items[1].kind != OPND_VECTOR && items[1].kind != OPND_REG)
            return parse_fail(p, &at, "expected the coordinates of a texture; separate samplers are not supported");
    }
    if (set_items(p, o, items, n) < 0) return -1;
    return expect_punct(p, ']');
}

static int parse_number(struct parser *p, struct operand *o)
{
    static const enum operand_kind kinds[] = {
        [CONSTANT_INT] = OPND_INT, [CONSTANT_F32] = OPND_F32, [CONSTANT_F64] = OPND_F64};
    struct constant c;
    if (parse_constant(p, &c) < 0) return -1;
    o->kind = kinds[c.kind];
    o->value = (int64_t)c.value;
    return 0;
}

static const char *const special_names[] = {
#define X(id, text) text,
    SPECIALS(X)
#undef X
};

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* %envreg0 to %envreg31: all but two hold 0. */
static bool is_environment(const char *text)
{
    char *end;
    if (!begins(text, "%envreg") || text[7] < '0' || text[7] > '9') return false;
    const unsigned long n = strtoul(text + 7, &end, 10);
    return !*end && n < 32;
}

/* "%reserved_smem_offset_1" and its like: the shared memory that the system keeps for itself in every CTA, where
 * cooperative groups put what their warps exchange (288 bytes from _1 on). A CTA has it where a kernel names it. 1: it
 * is one, 0: it is none, -1: told. */
enum { RESERVED_BYTES = 1024, RESERVED_FIRST = 512 };
static int find_reserved(struct parser *p, const char *text, struct operand *o)
{
    static const struct {
        const char *name;
        uint64_t value;
        bool is_size;
    } offsets[] = {{"_begin", 0, false},
                   {"_0", 0, false},
                   {"_1", RESERVED_FIRST, false},
                   {"_end", RESERVED_BYTES, false},
                   {"_cap", RESERVED_BYTES, true}};
    static const char prefix[] = "%reserved_smem_offset";
    if (!begins(text, prefix)) return 0;
    size_t i = 0;
    while (i < sizeof offsets / sizeof offsets[0] && strcmp(text + sizeof prefix - 1, offsets[i].name) != 0) i++;
    if (i == sizeof offsets / sizeof offsets[0]) return 0;
    if (!p->reserved) {
        if (!(p->reserved = pool_take(p->keep, sizeof *p->reserved))) return parse_memory(p);
        *p->reserved = (struct var){.name = prefix,
                                    .space = SP_SHARED,
                                    .type = T_B8,
                                    .bytes = RESERVED_BYTES,
                                    .align = 16,
                                    .index = UINT32_MAX,
                                    .stamp = UINT32_MAX};
    }
    o->kind = offsets[i].is_size ? OPND_INT : OPND_VAR;
    o->var = offsets[i].is_size ? NULL : p->reserved;
    o->value = offsets[i].value;
    return 1;
}

/* "%tid.x": a name and, joined, a component. 1: it is one, 0: it is none, -1: told. */
static int find_special(struct parser *p, const struct token *at, struct operand *o)
{
    static const char *const refused[] = {
#define X(text) text,
        REFUSED_SPECIALS(X)
#undef X
    };
    char text[64];
    size_t n = at->size;
    if (n >= 48 || at->at[0] != '%') return 0;
    memcpy(text, at->at, n);
    const bool dotted = p->tok.kind == TOK_DOT && p->tok.joined && p->tok.size == 1;
    const bool is_fourth = dotted && p->tok.at[0] == 'w'; /* of %tid.w and its like: 0 */
    if (dotted) {
        text[n++] = '.';
        text[n++] = is_fourth ? 'x' : p->tok.at[0];
    }
    text[n] = '\0';
    for (uint32_t i = 0; i < N_SPECIALS; i++)
        if (!strcmp(special_names[i], text)) {
            *o = (struct operand){
                .kind = is_fourth ? OPND_INT : OPND_SPECIAL, .reg = i, .line = o->line, .column = o->column};
            if (dotted) next(p);
            return 1;
        }
    const int reserved = symbol_find(p, token_name(p, at)) ? 0 : find_reserved(p, text, o);
    if (reserved) return reserved;
    if (is_environment(text)) {
        o->kind = OPND_SPECIAL;
        o->reg = SPECIAL_ENVREG;
        return 1;
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (begins(text, refused[i]) && !symbol_find(p, token_name(p, at)))
            return parse_fail(p, at, "special register %s is not supported", text);
    return 0;
}

static int resolve(struct parser *p, const struct token *at, uint32_t name, struct operand *o)
{
    const struct symbol *s = symbol_find(p, name);
    if (!s) {
        o->kind = OPND_LABEL; /* a label further down, or an unknown name: told when the function ends */
        o->reg = name;
        o->scope = p->scope;
        return 0;
    }
    switch (s->kind) {
    case SYM_REG:
        o->kind = OPND_REG;
        o->reg = s->index;
        o->type = s->type;
        return 0;
    case SYM_VAR:
        o->kind = OPND_VAR;
        o->var = s->var;
        return parse_offset(p, &o->value);
    case SYM_FUNC:
        o->kind = OPND_FUNC;
        o->func = s->func;
        return 0;
    case SYM_OTHER: o->kind = OPND_PROTOTYPE; return 0;
    case SYM_TARGETS: *o = *s->targets; return 0;
    default: return parse_fail(p, at, "'%s' cannot be an operand", p->names.text[name]);
    }
}

/* "%r1.b0": a byte or a half of a register, for video instructions. */
static void take_part(struct parser *p, struct operand *o)
{
    static const char *const parts[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
    for (uint8_t i = 0; i < 6 && o->kind == OPND_REG && p->tok.joined && !o->part; i++)
        if (take_dot(p, parts[i])) o->part = i + 1;
}

static int parse_name(struct parser *p, struct operand *o, uint32_t depth)
{
    const struct token at = p->tok;
    next(p);
    if (at.size == 1 && at.at[0] == '_') {
        o->kind = OPND_SINK;
    } else {
        const uint32_t name = token_name(p, &at);
        if (!name) return parse_memory(p);
        const int special = find_special(p, &at, o);
        if (special < 0 || (!special && resolve(p, &at, name, o) < 0)) return -1;
        take_part(p, o);
    }
    if (is_punct(p, '|') && (o->kind == OPND_REG || o->kind == OPND_SINK)) { /* p|q: two results */
        struct operand second = {0};
        if (depth > 4) return parse_fail(p, &p->tok, "operands are nested too deep");
        next(p);
        if (parse_operand(p, &second, depth + 1) < 0) return -1;
        return set_items(p, o, &second, 1);
    }
    return 0;
}

/* Whether a number follows the current token: !0 is a constant, !p a predicate. */
static bool is_number_next(const struct parser *p)
{
    struct lexer ahead = p->lexer;
    const struct token t = lex_next(&ahead);
    return t.kind != TOK_NAME && !(t.kind == TOK_PUNCT && t.punct == '!');
}

static int parse_operand(struct parser *p, struct operand *o, uint32_t depth)
{
    *o = (struct operand){.line = p->tok.line, .column = p->tok.column};
    if (take_punct(p, '{')) {
        o->kind = OPND_VECTOR;
        return parse_list(p, o, '}', depth);
    }
    if (p->takes_lists && depth == 0 && take_punct(p, '(')) {
        o->kind = OPND_LIST;
        return parse_list(p, o, ')', depth);
    }
    if (take_punct(p, '[')) return parse_address(p, o, depth);
    if (is_punct(p, '!') && !is_number_next(p)) {
        next(p);
        if (depth > 4) return parse_fail(p, &p->tok, "operands are nested too deep");
        const struct token at = p->tok;
        if (parse_operand(p, o, depth + 1) < 0) return -1;
        if (o->kind != OPND_REG) return parse_fail(p, &at, "only a predicate register can be negated");
        o->negated = !o->negated;
        return 0;
    }
    if (p->tok.kind == TOK_NAME && !is_name(p, "WARP_SZ")) return parse_name(p, o, depth);
    return parse_number(p, o);
}

static struct inst *inst_new(struct parser *p)
{
    struct func *f = p->func;
    if (ARRAY_ROOM(f->insts, f->cap_insts, f->n_insts) < 0) return parse_memory(p), NULL;
    struct inst *i = &f->insts[f->n_insts++];
    *i = (struct inst){.line = p->tok.line, .column = p->tok.column, .keeps_loop = p->keeps_loop};
    p->keeps_loop = false;
    return i;
}

/* "ld.global.f32": mnemonic, modifiers, and the whole as one text. */
static int parse_opcode(struct parser *p, struct inst *i, const struct token *mnemonic)
{
    char text[256];
    size_t n = mnemonic->size < 60 ? mnemonic->size : 60;
    memcpy(text, mnemonic->at, n);
    uint32_t name = token_name(p, mnemonic);
    if (!name) return parse_memory(p);
    i->mnemonic = p->names.text[name];
    for (; p->tok.kind == TOK_DOT; next(p)) {
        if (i->n_mods >= MAX_MODS || p->tok.size > 60 || n + p->tok.size + 1 >= sizeof text)
            return parse_fail(p, &p->tok, "too many modifiers");
        text[n++] = '.';
        memcpy(text + n, p->tok.at, p->tok.size);
        n += p->tok.size;
        if (!(name = token_name(p, &p->tok))) return parse_memory(p);
        i->mods[i->n_mods++] = p->names.text[name];
    }
    if (!(name = names_put(&p->names, text, n))) return parse_memory(p);
    i->text = p->names.text[name];
    return 0;
}

static int parse_inst(struct parser *p, struct operand *guard, const struct token *mnemonic)
{
    struct operand operands[MAX_OPERANDS];
    size_t n = 0;
    struct inst *i = inst_new(p);
    if (!i) return -1;
    i->line = mnemonic->line;
    i->column = mnemonic->column;
    i->guard = guard;
    if (parse_opcode(p, i, mnemonic) < 0) return -1;
    const char *refused = ptx_refused(i->mnemonic, i->mods, i->n_mods);
    if (refused && !mnemonic_exists(i->mnemonic))
        return parse_fail(p, mnemonic, "%s: %s is not supported", i->text, refused);
    if (!mnemonic_exists(i->mnemonic)) return parse_fail(p, mnemonic, "unknown instruction '%s'", i->text);
    p->takes_lists = !strcmp(i->mnemonic, "call");
    while (!is_punct(p, ';')) {
        if (n >= MAX_OPERANDS) return parse_fail(p, &p->tok, "too many operands");
        if (parse_operand(p, &operands[n++], 0) < 0) return -1;
        if (!take_punct(p, ',')) break;
    }
    if (expect_punct(p, ';') < 0) return -1;
    struct operand all = {0};
    if (set_items(p, &all, operands, n) < 0) return -1;
    i->operands = all.items;
    i->n_operands = (uint32_t)n;
    return 0;
}

static int parse_guarded(struct parser *p)
{
    struct operand *guard = pool_take(&p->ast->pool, sizeof *guard);
    if (!guard) return parse_memory(p);
    const struct token at = p->tok;
    if (parse_operand(p, guard, 0) < 0) return -1;
    if (guard->kind != OPND_REG || guard->type != T_PRED || guard->n)
        return parse_fail(p, &at, "a guard is a predicate register");
    if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected an instruction");
    const struct token mnemonic = p->tok;
    next(p);
    return parse_inst(p, guard, &mnemonic);
}

/* "name:" and what may follow it; or an instruction. */
static int parse_label_or_inst(struct parser *p)
{
    const struct token at = p->tok;
    next(p);
    if (!take_punct(p, ':')) return parse_inst(p, NULL, &at);
    const uint32_t name = token_name(p, &at);
    if (!name) return parse_memory(p);
    if (is_dot(p, "branchtargets") || is_dot(p, "callprototype") || is_dot(p, "calltargets")) {
        const bool targets = is_dot(p, "branchtargets");
        struct symbol *s = symbol_new(p, &at, name, targets ? SYM_TARGETS : SYM_OTHER);
        if (!s) return -1;
        next(p);
        if (!targets) {
            while (!is_punct(p, ';') && p->tok.kind != TOK_END && p->tok.kind != TOK_BAD) next(p);
            return expect_punct(p, ';');
        }
        if (!(s->targets = pool_take(&p->ast->pool, sizeof *s->targets))) return parse_memory(p);
        s->targets->kind = OPND_LIST;
        return parse_list(p, s->targets, ';', 1);
    }
    struct symbol *s = symbol_new(p, &at, LABEL_NAME(name), SYM_LABEL);
    if (!s) return -1;
    s->index = (uint32_t)p->func->n_insts;
    return 0;
}

static int parse_dot_statement(struct parser *p)
{
    if (take_dot(p, "reg")) return parse_reg(p);
    if (take_dot(p, "local")) return parse_variable(p, SP_LOCAL, false);
    if (take_dot(p, "shared")) return parse_variable(p, SP_SHARED, false);
    if (take_dot(p, "param")) return parse_variable(p, SP_PARAM, false);
    if (take_dot(p, "global")) return parse_variable(p, SP_GLOBAL, false);
    if (take_dot(p, "const")) return parse_variable(p, SP_CONST, false);
    if (take_dot(p, "pragma")) {
        for (; p->tok.kind == TOK_STRING || is_punct(p, ','); next(p))
            p->keeps_loop |= memmem(p->tok.at, p->tok.size, "nounroll", 8) != NULL;
        return expect_punct(p, ';');
    }
    return parse_fail(p, &p->tok, "unknown directive '.%.*s'", (int)(p->tok.size > 60 ? 60 : p->tok.size), p->tok.at);
}

/* Labels can be used before they stand there, so they are looked up when the function is complete. */
static int resolve_labels(struct parser *p, struct operand *list, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        struct operand *o = &list[k];
        if (o->kind == OPND_LABEL && !o->negated) {
            const struct symbol *s = label_find(p, o->scope, o->reg);
            const struct token at = {.kind = TOK_NAME, .at = p->text, .line = o->line, .column = o->column};
            if (!s) return parse_fail(p, &at, "'%.80s' is not declared", p->names.text[o->reg]);
            o->reg = s->index;
            o->negated = true; /* resolved: a list of branch targets may be shared by several instructions */
        }
        if (o->items && resolve_labels(p, o->items, o->n) < 0) return -1;
    }
    return 0;
}

int parse_body(struct parser *p)
{
    const uint32_t outer = p->depth;
    if (expect_punct(p, '{') < 0) return -1;
    while (!(p->depth == outer && is_punct(p, '}'))) {
        int rc;
        if (take_punct(p, '{')) rc = scope_open(p);
        else if (take_punct(p, '}')) rc = 0, scope_close(p);
        else if (take_punct(p, ';')) rc = 0;
        else if (takes_debugging(p)) rc = parse_debugging(p);
        else if (take_punct(p, '@')) rc = parse_guarded(p);
        else if (p->tok.kind == TOK_DOT) rc = parse_dot_statement(p);
        else if (p->tok.kind == TOK_NAME) rc = parse_label_or_inst(p);
        else
            rc = parse_fail(p, &p->tok,
                            p->tok.kind == TOK_END ? "the text ends inside a function" : "expected an instruction");
        if (rc < 0) return -1;
    }
    next(p);
    for (size_t i = 0; i < p->func->n_insts; i++)
        if (resolve_labels(p, p->func->insts[i].operands, p->func->insts[i].n_operands) < 0) return -1;
    return 0;
}
