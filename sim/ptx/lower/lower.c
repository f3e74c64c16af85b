/* Kernels and the functions that they inline, instruction by instruction; then what a kernel needs as a whole. */
#include "lower/lower.h"

#include <stdlib.h>
#include <string.h>

static void lower_inst(struct lower *l)
{
    begin(l);
    if (l->inst->guard) {
        bool negated;
        l->u.guard = predicate_source(l, l->inst->guard, &negated);
        if (negated) l->u.flags |= UOP_GUARD_NOT;
    }
    decode_inst(l);
}

int open_function(struct lower *l, struct func *f)
{
    if (f->is_open) return lower_fail(l, "function %s calls itself where it is inlined", f->name);
    if (l->depth >= MAX_CALL_DEPTH) return lower_fail(l, "functions are nested more than %d deep", MAX_CALL_DEPTH);
    if (l->n_regs + f->n_regs > (size_t)1 << 24)
        return lower_fail(l, "kernel %s has too many registers", l->kernel->info.name);
    f->reg_base = (uint32_t)l->n_regs;
    f->stamp = ++l->stamp;
    for (size_t i = 0; i < f->n_regs; i++) {
        if (ARRAY_ROOM(l->regs, l->cap_regs, l->n_regs) < 0) return lower_memory(l), -1;
        l->regs[l->n_regs++] = (struct reg){f->regs[i], NO_SLOT};
    }
    f->is_open = true;
    l->depth++;
    return 0;
}

/* Lowers the body of f where we stand; labels are resolved when its end is known. */
int lower_function(struct lower *l, struct func *f)
{
    const struct func *caller = l->func;
    const struct inst *call = l->inst;
    const uint32_t call_index = l->index;
    const size_t first_fixup = l->n_fixups;
    uint32_t *where = calloc(f->n_insts + 1, sizeof *where);
    if (!where) return lower_memory(l), -1;
    l->func = f;
    for (uint32_t i = 0; i < f->n_insts && !l->failed; i++) {
        where[i] = (uint32_t)l->n_code;
        l->inst = &f->insts[i];
        l->index = i;
        lower_inst(l);
    }
    where[f->n_insts] = (uint32_t)l->n_code;
    for (size_t i = first_fixup; i < l->n_fixups && !l->failed; i++) {
        const struct fixup *x = &l->fixups[i];
        if (x->is_table) l->kernel->tables[x->index] = where[x->target];
        else l->code[x->index].target = where[x->target];
    }
    l->n_fixups = first_fixup;
    free(where);
    f->is_open = false;
    l->depth--;
    l->func = caller;
    l->inst = call;
    l->index = call_index;
    return l->failed ? -1 : 0;
}

/* The end of a kernel's text ends its threads, even if no ret stands there. */
static void close_kernel(struct lower *l, const struct func *entry)
{
    const uint32_t n = (uint32_t)l->n_code;
    const struct uop *last = n ? &l->code[n - 1] : NULL;
    bool falls = !last || last->guard != NO_SLOT ||
                 (last->kind != UOP_EXIT && last->kind != UOP_TRAP && last->kind != UOP_BRANCH &&
                  last->kind != UOP_BRANCH_TABLE);
    for (uint32_t i = 0; i < n && !falls; i++) falls = l->code[i].kind == UOP_BRANCH && l->code[i].target == n;
    for (size_t i = 0; i < l->kernel->n_tables && !falls; i++) falls = l->kernel->tables[i] == n;
    if (!falls) return;
    begin(l);
    l->func = entry;
    l->inst = NULL;
    emit(l, UOP_EXIT, TRACE_EXIT);
}

/* Dense trace registers in the order in which the code names them. */
/* The dense number of a register: the next one when it is seen for the first time. */
static uint16_t dense_number(uint32_t *number, uint32_t *n, uint32_t reg)
{
    if (!number[reg]) number[reg] = ++*n;
    return (uint16_t)(number[reg] - 1);
}

static int number_registers(struct lower *l)
{
    uint32_t *number = calloc(l->n_regs + 1, sizeof *number), n = 0;
    uint8_t *is_read = calloc(l->n_regs + 1, 1);
    if (!number || !is_read) lower_memory(l);
    for (size_t i = 0; i < l->n_code && !l->failed; i++)
        for (uint32_t k = 0; k < l->uses[i].n_src; k++) is_read[l->uses[i].src[k]] = 1;
    for (size_t i = 0; i < l->n_code && !l->failed; i++) {
        const struct uses *r = &l->uses[i];
        struct trace_inst *t = &l->insts[i];
        t->n_dst = r->n_dst;
        t->n_src = r->n_src;
        for (uint32_t k = 0; k < TRACE_MAX_DST; k++)
            t->dst[k] = k < r->n_dst ? dense_number(number, &n, r->dst[k]) : TRACE_NO_REG;
        for (uint32_t k = 0; k < TRACE_MAX_SRC; k++)
            t->src[k] = k < r->n_src ? dense_number(number, &n, r->src[k]) : TRACE_NO_REG;
        if (t->cls == TRACE_ATOMIC && r->n_dst && is_read[r->dst[0]]) t->flags |= TRACE_RESULT_USED;
    }
    if (n >= TRACE_NO_REG) lower_fail(l, "kernel %s uses more than 65534 registers", l->kernel->info.name);
    l->kernel->n_regs = n;
    free(number);
    free(is_read);
    return l->failed ? -1 : 0;
}

/* What an assembler keeps beside the values of the program (the stack pointer, addresses on the way): calibrated on
 * half of the kernels of tests/unit/ptx/data/register_counts.txt, tested on the other. */
#define REGISTERS_BESIDE 6u

static void set_registers(struct lower *l, const struct func *entry, uint32_t max_live)
{
    struct ptx_kernel_info *info = &l->kernel->info;
    info->regs_source = "live range";
    info->regs_per_thread = max_live + REGISTERS_BESIDE > 255 ? 255 : max_live + REGISTERS_BESIDE;
    for (size_t i = 0; i < l->ast->n_notes; i++)
        if (!strcmp(l->ast->notes[i].kernel, info->name)) {
            info->regs_source = "ptxas";
            info->regs_per_thread = l->ast->notes[i].n;
        }
    if (entry->maxnreg) {
        info->regs_source = ".maxnreg";
        info->regs_per_thread = entry->maxnreg;
    }
}

/* Hands what was built over to the kernel. */
static void finish(struct lower *l)
{
    struct ptx_kernel *k = l->kernel;
    k->code = l->code;
    k->insts = l->insts;
    k->n_code = (uint32_t)l->n_code;
    l->module_code += l->n_code;
    k->file_bytes = (uint32_t)((l->file_bytes + 63) & ~(uint64_t)63);
    if (k->stack_slot != NO_SLOT) {
        k->stack_base = (k->info.local_bytes + 15u) & ~15u;
        k->info.local_bytes = k->stack_base + STACK_BYTES;
    }
    k->info.static_shared_bytes = (uint32_t)l->shared_bytes;
    l->code = NULL;
    l->insts = NULL;
}

static int lower_params(struct lower *l, const struct func *entry)
{
    struct ptx_kernel *k = l->kernel;
    k->params = calloc(entry->n_params + 1, sizeof *k->params);
    if (!k->params) return lower_memory(l), -1;
    for (uint32_t i = 0; i < entry->n_params; i++) {
        const struct var *v = entry->params[i].var;
        k->params[i] = (struct ptx_param){(uint32_t)v->offset, (uint32_t)v->bytes, (uint32_t)v->align};
    }
    k->info.params = k->params;
    k->info.n_params = entry->n_params;
    k->info.param_bytes = entry->param_bytes;
    k->info.max_threads = entry->maxntid;
    return 0;
}

int lower_kernel(struct lower *l, struct func *entry, struct ptx_kernel *kernel)
{
    struct cfg cfg = {0};
    uint32_t max_live = 0;
    l->kernel = kernel;
    l->func = entry;
    l->inst = NULL;
    l->n_regs = l->n_fixups = l->n_uses = 0;
    l->code = NULL;
    l->insts = NULL;
    l->n_code = l->n_insts = l->cap_code = l->cap_insts = 0;
    l->file_bytes = l->shared_bytes = 0;
    l->depth = 0;
    l->cc = l->callee = NO_INDEX;
    l->calls_by_address = false;
    kernel->stack_slot = NO_SLOT;
    memset(l->special_slots, 0xff, sizeof l->special_slots);
    scope_table_fini(&l->strings);
    l->strings = (struct scope_table){0};
    kernel->module = l->module;
    kernel->number = entry->number;
    memcpy(kernel->cluster, entry->cluster, sizeof kernel->cluster);
    kernel->is_clustered = entry->is_clustered;
    l->kernel_stamp = ++l->stamp;
    if (!(kernel->info.name = pool_text(&l->module->pool, entry->name, strlen(entry->name))))
        return lower_memory(l), -1;
    if (lower_params(l, entry) < 0 || open_function(l, entry) < 0 || lower_function(l, entry) < 0) goto done;
    close_kernel(l, entry);
    lower_callees(l);
    l->inst = NULL;
    l->func = entry;
    if (l->failed || cfg_build(&cfg, l) < 0 || provenance(l) < 0 || liveness(l, &cfg, &max_live) < 0 ||
        number_registers(l) < 0)
        goto done;
    set_registers(l, entry, max_live);
    finish(l);
done:
    cfg_fini(&cfg);
    return l->failed ? -1 : 0;
}

void lower_fini(struct lower *l)
{
    free(l->regs);
    free(l->code);
    free(l->insts);
    free(l->uses);
    free(l->fixups);
    free(l->queue);
    scope_table_fini(&l->strings);
}
