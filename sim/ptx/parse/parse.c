/* The module level of PTX: version and target, linkage, functions. Declarations are in parse_decl.c, initialisers in
 * parse_init.c, statements and operands in parse_inst.c. */
#include "parse/parse.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/table.h"

/* .maxntid 256, 1, 1: the product, at most `max`, and each where it is asked for. */
static int parse_dims(struct parser *p, const char *what, uint64_t max, uint32_t *each, uint32_t *product)
{
    uint64_t n = 1, one = 1;
    uint32_t i = 0;
    do {
        const struct token at = p->tok;
        if (i == 3) return parse_fail(p, &p->tok, "more than three dimensions");
        if (expect_int(p, what, max, &one) < 0) return -1;
        if (one == 0) return parse_fail(p, &at, "%s is 0, at least 1 is needed", what);
        n *= one;
        if (each) each[i] = (uint32_t)one;
        if (n > max)
            return parse_fail(p, &at, "the product is %llu, at most %llu is possible", (unsigned long long)n,
                              (unsigned long long)max);
        i++;
    } while (take_punct(p, ','));
    *product = (uint32_t)n;
    return 0;
}

static int skip_pragma(struct parser *p)
{
    while (!is_punct(p, ';')) {
        if (p->tok.kind != TOK_STRING && !is_punct(p, ','))
            return parse_fail(p, &p->tok, ".pragma needs a string and ';'");
        next(p);
    }
    next(p);
    return 0;
}

/* Performance directives between the parameters and the body. */
static int parse_func_directives(struct parser *p, struct func *f)
{
    uint64_t n;
    uint32_t product;
    while (p->tok.kind == TOK_DOT) {
        if (take_dot(p, "maxnreg")) {
            if (expect_int(p, "a number of registers", 255, &n) < 0) return -1;
            f->maxnreg = (uint32_t)n;
        } else if (take_dot(p, "maxntid") || take_dot(p, "reqntid")) {
            if (parse_dims(p, "a number of threads", 1024, NULL, &f->maxntid) < 0) return -1;
        } else if (take_dot(p, "minnctapersm") || take_dot(p, "maxnctapersm") || take_dot(p, "maxclusterrank")) {
            if (expect_int(p, "a number of CTAs", UINT32_MAX, &n) < 0) return -1;
        } else if (take_dot(p, "reqnctapercluster")) {
            f->is_clustered = true;
            if (parse_dims(p, "a number of CTAs", UINT16_MAX, f->cluster, &product) < 0) return -1;
        } else if (take_dot(p, "explicitcluster")) {
            f->is_clustered = true;
        } else if (take_dot(p, "abi_preserve") || take_dot(p, "abi_preserve_control")) {
            if (expect_int(p, "a number of registers", UINT32_MAX, &n) < 0) return -1;
        } else if (take_dot(p, "pragma")) {
            if (skip_pragma(p) < 0) return -1;
        } else if (!take_dot(p, "noreturn")) {
            char found[80];
            return parse_fail(p, &p->tok, "unknown directive %s", token_text(&p->tok, found, sizeof found));
        }
    }
    return 0;
}

static struct func *func_new(struct parser *p, bool is_entry)
{
    struct func *f = pool_take(&p->ast->pool, sizeof *f);
    if (!f || ARRAY_ROOM(p->ast->funcs, p->ast->cap_funcs, p->ast->n_funcs) < 0) return parse_memory(p), NULL;
    p->ast->funcs[p->ast->n_funcs++] = f;
    f->is_entry = is_entry;
    for (int i = 0; i < 3; i++) f->cluster[i] = 1;
    f->line = p->tok.line;
    f->column = p->tok.column;
    return f;
}

/* A second declaration of a function (prototypes may repeat; one has the body) continues the first symbol. */
static int func_declare(struct parser *p, struct func *f)
{
    if (p->tok.kind != TOK_NAME) return parse_fail(p, &p->tok, "expected the name of a function");
    const uint32_t name = token_name(p, &p->tok);
    if (!name) return parse_memory(p);
    struct symbol *s = scope_table_get(&p->symbols, 0, name);
    if (!s) {
        const uint32_t scope = p->scope;
        p->scope = 0;
        s = symbol_new(p, &p->tok, name, SYM_FUNC);
        p->scope = scope;
        if (!s) return -1;
        s->func = f;
    } else if (s->kind != SYM_FUNC) {
        return parse_fail(p, &p->tok, "'%s' is declared twice", p->names.text[name]);
    }
    f->name = p->names.text[name];
    next(p);
    return 0;
}

/* Lays the parameters out as the driver API's parameter buffer is: each at its own alignment. */
static int place_params(struct parser *p, struct func *f)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        struct var *v = f->params[i].var;
        if (!v) return parse_fail(p, &p->tok, "the parameters of kernel %s must be .param", f->name);
        at = (at + v->align - 1) / v->align * v->align;
        v->offset = at;
        v->is_kernel_param = true;
        at += v->bytes;
        if (at > 32764)
            return parse_fail(p, &p->tok, "the parameters of kernel %s take more than 32764 bytes", f->name);
    }
    f->param_bytes = (uint32_t)at;
    return 0;
}

static int parse_func(struct parser *p, bool is_entry)
{
    struct func *f = func_new(p, is_entry);
    bool is_managed = false; /* of variables: functions are .unified */
    if (!f || scope_open(p) < 0) return -1;
    p->func = f;
    if (!is_entry && take_dot(p, "attribute") && parse_attributes(p, &is_managed) < 0) return -1;
    if (is_managed) return parse_fail(p, &p->tok, "a function has no attribute .managed");
    if (!is_entry && take_punct(p, '(') && parse_formals(p, &f->rets, &f->n_rets) < 0) return -1;
    if (func_declare(p, f) < 0) return -1;
    if (take_punct(p, '(') && parse_formals(p, &f->params, &f->n_params) < 0) return -1;
    if (is_entry && place_params(p, f) < 0) return -1;
    if (parse_func_directives(p, f) < 0) return -1;
    if (!take_punct(p, ';')) {
        if (!is_punct(p, '{')) return expect_punct(p, '{');
        /* the symbol of an earlier prototype now means the function with the body */
        struct symbol *s = scope_table_get(&p->symbols, 0, names_put(&p->names, f->name, strlen(f->name)));
        const struct token at = {.kind = TOK_NAME, .at = p->text, .line = f->line, .column = f->column};
        if (s->func->has_body && s->func != f) return parse_fail(p, &at, "'%s' is declared twice", f->name);
        if (s->func != f) {
            free(s->func->regs);
            f->number = s->func->number;
            *s->func = *f;
            p->ast->n_funcs--;
            f = p->func = s->func;
            for (uint32_t i = 0; i < f->n_params; i++)
                if (f->params[i].var) f->params[i].var->owner = f;
            for (uint32_t i = 0; i < f->n_rets; i++)
                if (f->rets[i].var) f->rets[i].var->owner = f;
        }
        f->has_body = true;
        if (parse_body(p) < 0) return -1;
    }
    scope_close(p);
    p->func = NULL;
    return 0;
}

/* [PTX ISA, release notes]: the last of each major version, but for the newest, which has no last one yet. */
static int parse_version(struct parser *p)
{
    static const unsigned last[] = {0, 5, 3, 2, 3, 0, 5, 8, 8, UINT_MAX};
    enum { NEWEST = COUNT_OF(last) - 1 };
    char text[16], rest;
    unsigned major = 0, minor = 0;
    snprintf(text, sizeof text, "%.*s", (int)(p->tok.size < sizeof text ? p->tok.size : sizeof text - 1), p->tok.at);
    if (p->tok.kind != TOK_F64 || sscanf(text, "%u.%u%c", &major, &minor, &rest) != 2)
        return parse_fail(p, &p->tok, ".version needs a number such as 6.3");
    if (major > NEWEST) return parse_fail(p, &p->tok, ".version %s is newer than any known here (%d.x)", text, NEWEST);
    if (major == 0 || minor > last[major]) return parse_fail(p, &p->tok, "there is no PTX of version %s", text);
    next(p);
    return 0;
}

/* sm_75, sm_90a; and what else is known of a target [PTX ISA, .target]. */
static bool is_target(const struct token *t)
{
    static const char *const others[] = {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    size_t n = 3;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (t->size == strlen(others[i]) && memcmp(t->at, others[i], t->size) == 0) return true;
    if (t->kind != TOK_NAME || t->size < 5 || memcmp(t->at, "sm_", n) != 0) return false;
    while (n < t->size && t->at[n] >= '0' && t->at[n] <= '9') n++;
    return n > 4 && n < 7 && (n == t->size || (n + 1 == t->size && (t->at[n] == 'a' || t->at[n] == 'f')));
}

static int parse_header(struct parser *p)
{
    if (take_dot(p, "version")) {
        return parse_version(p);
    } else if (take_dot(p, "target")) {
        uint32_t n_sms = 0;
        do {
            if (!is_target(&p->tok)) return parse_fail(p, &p->tok, ".target needs a name such as sm_75");
            n_sms += memcmp(p->tok.at, "sm_", 3) == 0; /* all names of targets are longer */
            if (n_sms > 1) return parse_fail(p, &p->tok, ".target names one architecture, and this is the second");
            next(p);
        } while (take_punct(p, ','));
    } else if (take_dot(p, "address_size")) {
        uint64_t bits;
        const struct token at = p->tok;
        if (expect_int(p, "an address size", 64, &bits) < 0) return -1;
        if (bits != 64) return parse_fail(p, &at, ".address_size %llu: only 64 is supported", (unsigned long long)bits);
    }
    return 0;
}

/* Before anything else, as NVIDIA's assembler has it. */
static int parse_head(struct parser *p)
{
    if (!is_dot(p, "version"))
        return parse_fail(p, &p->tok, ".version is missing: PTX begins with it, as in .version 6.3");
    if (parse_header(p) < 0) return -1;
    if (!is_dot(p, "target"))
        return parse_fail(p, &p->tok, ".target is missing: it follows .version, as in .target sm_75");
    return parse_header(p);
}

static int parse_declaration(struct parser *p)
{
    bool is_extern = false, known;
    for (;; next(p)) {
        if (is_dot(p, "extern")) is_extern = true;
        else if (!is_dot(p, "visible") && !is_dot(p, "weak") && !is_dot(p, "common")) break;
    }
    if (take_dot(p, "entry")) return parse_func(p, true);
    if (take_dot(p, "func")) return parse_func(p, false);
    if (take_dot(p, "tex")) return parse_texture(p, is_extern);
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(p->tok.size > 60 ? 60 : p->tok.size),
             p->tok.kind == TOK_DOT ? p->tok.at : "");
    const enum space space = space_named(text, &known);
    if (!known || space == SP_PARAM || space == SP_LOCAL) {
        char found[80];
        return parse_fail(p, &p->tok, "expected a declaration, found %s", token_text(&p->tok, found, sizeof found));
    }
    next(p);
    return parse_variable(p, space, is_extern);
}

static struct func *function_here(struct parser *p)
{
    char found[80];
    const struct token at = p->tok;
    const struct symbol *s = at.kind == TOK_NAME ? symbol_find(p, token_name(p, &at)) : NULL;
    next(p);
    if (s && s->kind == SYM_FUNC && !s->func->is_entry) return s->func;
    parse_fail(p, &at, ".alias takes two functions, found %s", token_text(&at, found, sizeof found));
    return NULL;
}

/* .alias name, function; the name has been declared, the function has a body */
static int parse_alias(struct parser *p)
{
    const struct token at = p->tok;
    struct func *name = function_here(p), *f;
    if (!name || expect_punct(p, ',') < 0 || !(f = function_here(p))) return -1;
    if (name->has_body || name->aliasee || !f->has_body || f->n_params != name->n_params || f->n_rets != name->n_rets)
        return parse_fail(p, &at, ".alias %s, %s: a declared function and one of the same type with a body", name->name,
                          f->name);
    if (name->number && f->number)
        return parse_fail(p, &at, "variables hold the addresses of both %s and its alias %s", f->name, name->name);
    name->aliasee = f;
    if (name->number) f->number = name->number;
    p->has_aliases = true;
    return expect_punct(p, ';');
}

/* What names an alias means the function. */
static void follow_aliases(struct operand *list, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (list[k].kind == OPND_FUNC && list[k].func->aliasee) list[k].func = list[k].func->aliasee;
        if (list[k].items) follow_aliases(list[k].items, list[k].n);
    }
}

static int parse_top(struct parser *p)
{
    if (is_dot(p, "version") || is_dot(p, "target") || is_dot(p, "address_size")) return parse_header(p);
    if (takes_debugging(p)) return parse_debugging(p);
    if (take_dot(p, "alias")) return parse_alias(p);
    if (take_dot(p, "pragma")) return skip_pragma(p);
    if (take_punct(p, ';')) return 0;
    return parse_declaration(p);
}

/* "// ptxas: <kernel> <n> registers (<details>)": what NVIDIA's assembler said, recorded by the workload's author. */
static int read_notes(struct parser *p, const char *text, size_t size)
{
    static const char mark[] = "// ptxas: ";
    const char *end = text + size;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL;) {
        at += sizeof mark - 1;
        char line[512], kernel[384];
        unsigned n;
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((eol ? eol : end) - at);
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
        if (sscanf(line, "%383s %3u registers", kernel, &n) != 2 || !n || n > 255) continue;
        if (ARRAY_ROOM(p->ast->notes, p->ast->cap_notes, p->ast->n_notes) < 0) return parse_memory(p);
        const char *copy = pool_text(&p->ast->pool, kernel, strlen(kernel));
        if (!copy) return parse_memory(p);
        p->ast->notes[p->ast->n_notes++] = (struct reg_note){copy, n};
    }
    return 0;
}

int parse_module(struct ast *ast, struct pool *keep, struct var_list *vars, struct reloc_list *relocs,
                 struct var_list *texrefs, const char *name, const char *text, size_t size, struct error *err)
{
    struct parser p = {.name = name,
                       .text = text,
                       .err = err,
                       .ast = ast,
                       .keep = keep,
                       .vars = vars,
                       .relocs = relocs,
                       .texrefs = texrefs,

                       .names = {.pool = keep}};
    lex_init(&p.lexer, text, size);
    int rc = ARRAY_ROOM(p.parents, p.cap_scopes, 0);
    if (rc < 0) {
        parse_memory(&p);
    } else {
        p.parents[p.n_scopes++] = 0;
        rc = read_notes(&p, text, size);
    }
    if (rc == 0) next(&p);
    if (rc == 0) rc = parse_head(&p);
    while (rc == 0 && p.tok.kind != TOK_END) rc = parse_top(&p);
    for (size_t i = 0; rc == 0 && p.has_aliases && i < ast->n_funcs; i++)
        for (size_t k = 0; k < ast->funcs[i]->n_insts; k++)
            follow_aliases(ast->funcs[i]->insts[k].operands, ast->funcs[i]->insts[k].n_operands);
    free(p.parents);
    free(p.targets);
    names_fini(&p.names);
    scope_table_fini(&p.symbols);
    return rc;
}
