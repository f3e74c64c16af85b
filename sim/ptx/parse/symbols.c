/* Nested scopes. Inline assembly opens blocks that redeclare names of the outer ones, so every name is resolved
 * where it stands. "%r<100>" declares a range whose members come to life when they are first used. */
#include <string.h>
#include "parse/parse.h"

int scope_open(struct parser *p)
{
    if (p->depth >= MAX_SCOPE_DEPTH)
        return parse_fail(p, &p->tok, "blocks are nested more than %d deep", MAX_SCOPE_DEPTH);
    if (ARRAY_ROOM(p->parents, p->cap_scopes, p->n_scopes) < 0) return parse_memory(p);
    p->parents[p->n_scopes] = p->scope;
    p->scope = (uint32_t)p->n_scopes++;
    p->depth++;
    return 0;
}

void scope_close(struct parser *p)
{
    p->scope = p->parents[p->scope];
    p->depth--;
}

struct symbol *symbol_new(struct parser *p, const struct token *at, uint32_t name, enum symbol_kind kind)
{
    if (!name) return parse_memory(p), NULL;
    if (scope_table_get(&p->symbols, p->scope, name)) {
        parse_fail(p, at, "'%s' is declared twice", p->names.text[name & ~LABEL_NAME(0)]);
        return NULL;
    }
    struct symbol *s = pool_take(&p->ast->pool, sizeof *s);
    if (!s || scope_table_put(&p->symbols, p->scope, name, s) < 0) return parse_memory(p), NULL;
    s->kind = kind;
    s->scope = p->scope;
    return s;
}

int reg_new(struct parser *p, enum ptx_type type, uint32_t *index)
{
    struct func *f = p->func;
    if (ARRAY_ROOM(f->regs, f->cap_regs, f->n_regs) < 0) return parse_memory(p);
    *index = (uint32_t)f->n_regs;
    f->regs[f->n_regs++] = type;
    return 0;
}

/* "%r12": the range "%r" and 12; false if the name is not of that form. */
static bool split_range(struct parser *p, const char *text, uint32_t *prefix, uint32_t *member)
{
    size_t n = strlen(text), digits = 0;
    while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9') digits++;
    if (!digits || digits > 9 || digits == n || (digits > 1 && text[n - digits] == '0')) return false;
    uint32_t value = 0;
    for (size_t i = n - digits; i < n; i++) value = value * 10 + (uint32_t)(text[i] - '0');
    *prefix = names_put(&p->names, text, n - digits);
    *member = value;
    return *prefix != 0;
}

struct symbol *symbol_find(struct parser *p, uint32_t name)
{
    uint32_t prefix, member;
    const bool ranged = split_range(p, p->names.text[name], &prefix, &member);
    for (uint32_t scope = p->scope;; scope = p->parents[scope]) {
        struct symbol *s = scope_table_get(&p->symbols, scope, name);
        if (s) return s;
        struct symbol *range = ranged ? scope_table_get(&p->symbols, scope, prefix) : NULL;
        if (range && range->kind == SYM_REG_RANGE && member < range->count) {
            s = pool_take(&p->ast->pool, sizeof *s);
            if (!s || reg_new(p, range->type, &s->index) < 0) return NULL;
            s->kind = SYM_REG;
            s->type = range->type;
            s->scope = scope;
            return scope_table_put(&p->symbols, scope, name, s) < 0 ? NULL : s;
        }
        if (!scope) return NULL;
    }
}

struct symbol *label_find(struct parser *p, uint32_t scope, uint32_t name)
{
    for (;; scope = p->parents[scope]) {
        struct symbol *s = scope_table_get(&p->symbols, scope, LABEL_NAME(name));
        if (s || !scope) return s;
    }
}
