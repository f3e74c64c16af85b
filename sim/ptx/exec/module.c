/* Modules and kernels as their users see them. */
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"
#include "parse/parse.h"

static void free_ast(struct ast *ast)
{
    for (size_t i = 0; i < ast->n_funcs; i++) {
        free(ast->funcs[i]->insts);
        free(ast->funcs[i]->regs);
    }
    free(ast->funcs);
    free(ast->notes);
    pool_free(&ast->pool);
}

static void free_kernel(struct ptx_kernel *k)
{
    free(k->code);
    free(k->insts);
    free(k->strings);
    free(k->inits);
    free(k->zeros);
    free(k->written);
    free(k->tables);
    free(k->messages);
    free(k->callees);
    free(k->args);
    free(k->mmas);
    free(k->params);
}

void ptx_module_free(struct ptx_module *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->n_kernels; i++) free_kernel(&m->kernels[i]);
    free(m->kernels);
    free(m->run_in_order);
    free(m->variables);
    free(m->addresses);
    free(m->vars);
    free(m->relocs);
    free(m->texrefs);
    free(m->textures);
    free(m->is_bound);
    pool_free(&m->pool);
    free(m->name);
    free(m);
}

static int add_variables(struct ptx_module *m, struct error *err)
{
    m->variables = calloc(m->n_vars + 1, sizeof *m->variables);
    m->addresses = calloc(m->n_vars + 1, sizeof *m->addresses);
    if (!m->variables || !m->addresses) return error_set(err, ERR_MEMORY, "%s: out of memory", m->name);
    for (size_t i = 0; i < m->n_vars; i++) {
        const struct var *v = m->vars[i];
        m->variables[i] = (struct ptx_variable){v->name,
                                                v->space == SP_CONST ? TRACE_SPACE_CONST : TRACE_SPACE_GLOBAL,
                                                v->bytes,
                                                v->align,
                                                v->has_init ? v->init : NULL,
                                                v->is_managed};
    }
    m->textures = calloc(m->n_texrefs + 1, sizeof *m->textures);
    m->is_bound = calloc(m->n_texrefs + 1, sizeof *m->is_bound);
    return m->textures && m->is_bound ? 0 : error_set(err, ERR_MEMORY, "%s: out of memory", m->name);
}

static int add_kernels(struct ptx_module *m, struct ast *ast, struct error *err)
{
    struct lane_index *lanes = malloc(sizeof *lanes);
    struct lower l = {.module = m, .ast = ast, .lanes = lanes, .err = err};
    int rc = 0;
    size_t n = 0;
    for (size_t i = 0; i < ast->n_funcs; i++) n += ast->funcs[i]->is_entry && ast->funcs[i]->has_body;
    m->kernels = calloc(n + 1, sizeof *m->kernels);
    m->run_in_order = calloc(n + 1, sizeof *m->run_in_order);
    if (!m->kernels || !m->run_in_order || !lanes) {
        rc = error_set(err, ERR_MEMORY, "%s: out of memory", m->name);
    } else {
        lane_index_init(lanes);
        rc = find_called(&l);
    }
    for (size_t i = 0; i < ast->n_funcs && rc == 0; i++)
        if (ast->funcs[i]->is_entry && ast->funcs[i]->has_body)
            rc = lower_kernel(&l, ast->funcs[i], &m->kernels[m->n_kernels++]);
    for (size_t i = 0; i < m->n_kernels; i++) m->kernels[i].runs_in_order = &m->run_in_order[i];
    lower_fini(&l);
    free(lanes);
    return rc;
}

int ptx_module_new(struct ptx_module **out, const char *name, const char *text, size_t size, struct error *err)
{
    struct ast ast = {0};
    struct var_list vars = {0};
    struct reloc_list relocs = {0};
    struct var_list texrefs = {0};
    struct ptx_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m || !(m->name = strdup(name))) {
        free(m);
        return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    }
    while (size && text[size - 1] == '\0') size--; /* cuModuleLoadData counts the terminator in */
    int rc = parse_module(&ast, &m->pool, &vars, &relocs, &texrefs, name, text, size, err);
    m->vars = vars.items;
    m->n_vars = vars.n;
    m->relocs = relocs.items;
    m->n_relocs = relocs.n;
    m->texrefs = texrefs.items;
    m->n_texrefs = texrefs.n;
    if (rc == 0) rc = add_variables(m, err);
    if (rc == 0) rc = add_kernels(m, &ast, err);
    free_ast(&ast);
    if (rc < 0) ptx_module_free(m);
    else *out = m;
    return rc;
}

size_t ptx_module_n_variables(const struct ptx_module *m) { return m->n_vars; }
const struct ptx_variable *ptx_module_variable(const struct ptx_module *m, size_t i)
{
    return i < m->n_vars ? &m->variables[i] : NULL;
}

void ptx_module_place(struct ptx_module *m, size_t i, uint64_t address)
{
    if (i >= m->n_vars) return;
    m->addresses[i] = address;
    if (m->vars[i]->space == SP_CONST) m->constants = address >> 32 << 32;
    for (size_t k = 0; k < m->n_relocs; k++) { /* initialisers that hold this address */
        const struct reloc *x = &m->relocs[k];
        if (x->target->index != i) continue;
        const uint64_t value = (address + (uint64_t)x->addend) >> x->shift;
        memcpy(x->var->init + x->at, &value, x->bytes); /* little-endian, as the device */
    }
}

size_t ptx_module_n_textures(const struct ptx_module *m) { return m->n_texrefs; }
const char *ptx_module_texture_name(const struct ptx_module *m, size_t i)
{
    return i < m->n_texrefs ? m->texrefs[i]->name : NULL;
}

void ptx_module_bind_texture(struct ptx_module *m, size_t i, const struct ptx_texture *texture)
{
    if (i >= m->n_texrefs) return;
    m->is_bound[i] = texture != NULL;
    if (texture) m->textures[i] = *texture;
}

size_t ptx_module_n_kernels(const struct ptx_module *m) { return m->n_kernels; }
const struct ptx_kernel *ptx_module_kernel(const struct ptx_module *m, size_t i)
{
    return i < m->n_kernels ? &m->kernels[i] : NULL;
}

const struct ptx_kernel *ptx_kernel_find(const struct ptx_module *m, const char *name)
{
    for (size_t i = 0; i < m->n_kernels; i++)
        if (!strcmp(m->kernels[i].info.name, name)) return &m->kernels[i];
    return NULL;
}

const struct ptx_kernel_info *ptx_kernel_info(const struct ptx_kernel *kernel) { return &kernel->info; }

void ptx_kernel_code(const struct ptx_kernel *kernel, const struct trace_inst **code, uint32_t *n_code,
                     const char **strings, size_t *n_strings, uint32_t *n_regs)
{
    *code = kernel->insts;
    *n_code = kernel->n_code;
    *strings = kernel->strings;
    *n_strings = kernel->n_strings;
    *n_regs = kernel->n_regs;
}
