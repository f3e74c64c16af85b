/* PTX text -> struct ast. Internal to parse*.c, but for parse_module. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H
#include "parse/ast.h"
#include "parse/lex.h"

#define MAX_SCOPE_DEPTH 64
#define MAX_INIT_BYTES ((uint64_t)64 << 20) /* of all initialised variables of a module together */

struct var_list {
    struct var **items;
    size_t n, cap;
};
struct reloc_list {
    struct reloc *items;
    size_t n, cap;
};

struct parser {
    const char *name, *text; /* name: for errors */
    struct lexer lexer;
    struct token tok; /* the current one */
    struct error *err;
    struct ast *ast;
    struct pool *keep;     /* of the module's life */
    struct var_list *vars; /* .global and .const */
    struct reloc_list *relocs;
    struct var_list *texrefs;
    struct names names;
    struct scope_table symbols;
    uint32_t *parents; /* by scope */
    size_t n_scopes, cap_scopes;
    uint32_t scope, depth;
    struct func *func; /* being parsed */
    bool takes_lists;  /* a call: '(' opens a list of arguments */
    bool keeps_loop;   /* .pragma "nounroll" stood before the next instruction */
    uint64_t init_bytes;
    struct symbol **targets; /* .branchtargets of this function */
    size_t n_targets, cap_targets;
    bool has_aliases;
    struct var *reserved; /* shared memory of the system's, once a register of it was named */
};

int parse_module(struct ast *ast, struct pool *keep, struct var_list *vars, struct reloc_list *relocs,
                 struct var_list *texrefs, const char *name, const char *text, size_t size, struct error *err);

/* tokens.c */
int parse_fail(struct parser *p, const struct token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
int parse_memory(struct parser *p);
void next(struct parser *p);
bool is_punct(const struct parser *p, char c);
bool is_dot(const struct parser *p, const char *name);
bool is_name(const struct parser *p, const char *name);
bool take_punct(struct parser *p, char c);
bool take_dot(struct parser *p, const char *name);
int expect_punct(struct parser *p, char c);
int expect_int(struct parser *p, const char *what, uint64_t max, uint64_t *out);
/* As errors quote it; `text` has room for `size` bytes. */
const char *token_text(const struct token *t, char *text, size_t size);
uint32_t token_name(struct parser *p, const struct token *t); /* 0: out of memory */

/* parse_const.c */
enum constant_kind { CONSTANT_INT, CONSTANT_F32, CONSTANT_F64 };
struct constant {
    enum constant_kind kind;
    bool is_unsigned; /* INT */
    uint64_t value;   /* F32, F64: the bits */
};
int parse_constant(struct parser *p, struct constant *out); /* an expression */
int parse_term(struct parser *p, uint64_t *out);            /* up to the next + or -: behind one of these */
int parse_count(struct parser *p, const char *what, uint64_t max, uint64_t *out); /* an expression of at most max */

/* parse_debug.c: .file, .loc, .section, @@DWARF */
bool takes_debugging(const struct parser *p);
int parse_debugging(struct parser *p);

/* symbols.c */
int scope_open(struct parser *p);
void scope_close(struct parser *p);
struct symbol *symbol_new(struct parser *p, const struct token *at, uint32_t name, enum symbol_kind kind);
struct symbol *symbol_find(struct parser *p, uint32_t name);
#define LABEL_NAME(name) ((name) | 0x80000000u)
struct symbol *label_find(struct parser *p, uint32_t scope, uint32_t name);
int reg_new(struct parser *p, enum ptx_type type, uint32_t *index);

/* parse_decl.c */
int parse_attributes(struct parser *p, bool *is_managed); /* behind ".attribute" */
enum space space_named(const char *dot, bool *known);
int parse_variable(struct parser *p, enum space space, bool is_extern);
int parse_texture(struct parser *p, bool is_extern); /* .tex .u32 name, the old spelling of .global .texref name */
int parse_reg(struct parser *p);
int parse_formals(struct parser *p, struct formal **out, uint32_t *n);

/* parse_init.c */
int parse_initialiser(struct parser *p, struct var *var);

/* decode.c */
bool mnemonic_exists(const char *name);

/* refused.c: what is in PTX and not here, as the page names it; NULL: it is not in that table. The i-th of the table;
 * NULL behind the last. */
const char *ptx_refused(const char *mnemonic, const char *const *mods, uint32_t n_mods);
/* Does the instruction have a modifier clash[0] that is none of its own, or, where clash[1] is not NULL, two that
 * exclude each other? */
bool ptx_modifiers_clash(const char *mnemonic, const char *const *mods, uint32_t n_mods, const char *clash[2]);
const char *ptx_refusal(size_t i);

/* parse_inst.c */
int parse_body(struct parser *p);
#endif
