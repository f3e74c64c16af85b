/* The micro-operation in hand: a clean slate, what becomes of it, and errors with the place of its instruction. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"

int lower_fail(struct lower *l, const char *format, ...)
{
    char text[400];
    if (l->failed) return -1;
    l->failed = true;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const uint32_t line = l->inst ? l->inst->line : l->func ? l->func->line : 0;
    const uint32_t column = l->inst ? l->inst->column : l->func ? l->func->column : 0;
    error_set(l->err, ERR_INPUT, "%s:%u:%u: %s", l->module->name, line, column, text);
    return error_at(l->err, l->module->name, line, -1, NULL);
}

int lower_unknown(struct lower *l) { return lower_fail(l, "unknown instruction '%s'", l->inst->text); }

void lower_memory(struct lower *l)
{
    if (!l->failed) error_set(l->err, ERR_MEMORY, "%s: out of memory", l->module->name);
    l->failed = true;
}

bool has_mod(const struct lower *l, const char *mod)
{
    for (uint32_t i = 0; i < l->inst->n_mods; i++)
        if (!strcmp(l->inst->mods[i], mod)) return true;
    return false;
}

/* Interned texts have one address each, but tables want numbers: look the text itself up. */
static uint32_t string_offset(struct lower *l, const char *text)
{
    struct ptx_kernel *k = l->kernel;
    const uintptr_t address = (uintptr_t)text;
    const uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
    const void *known = scope_table_get(&l->strings, high, low);
    if (known) return (uint32_t)(uintptr_t)known - 1;
    const size_t size = strlen(text) + 1;
    while (k->cap_strings < k->n_strings + size) {
        const size_t cap = k->cap_strings ? k->cap_strings * 2 : 1024;
        char *grown = realloc(k->strings, cap);
        if (!grown) return lower_memory(l), 0;
        k->strings = grown;
        k->cap_strings = cap;
    }
    const uint32_t at = (uint32_t)k->n_strings;
    memcpy(k->strings + at, text, size);
    k->n_strings += size;
    if (scope_table_put(&l->strings, high, low, (void *)(uintptr_t)(at + 1)) < 0) lower_memory(l);
    return at;
}

void emit(struct lower *l, enum uop_kind kind, enum trace_class cls)
{
    if (l->failed) return;
    if (l->n_code >= MAX_KERNEL_CODE) {
        lower_fail(l, "kernel %s has more than %u instructions", l->kernel->info.name, MAX_KERNEL_CODE);
        return;
    }
    if (l->module_code + l->n_code >= MAX_MODULE_CODE) {
        lower_fail(l, "the module's kernels have more than %llu instructions with the functions that they inline",
                   (unsigned long long)MAX_MODULE_CODE);
        return;
    }
    if (ARRAY_ROOM(l->code, l->cap_code, l->n_code) < 0 || ARRAY_ROOM(l->insts, l->cap_insts, l->n_insts) < 0 ||
        ARRAY_ROOM(l->uses, l->cap_uses, l->n_uses) < 0) {
        lower_memory(l);
        return;
    }
    l->u.kind = (uint8_t)kind;
    l->t.cls = (uint8_t)cls;
    l->t.pc = (uint32_t)l->n_code;
    l->t.line = l->inst ? l->inst->line : l->func->line;
    l->t.name = string_offset(l, l->inst ? l->inst->text : kind == UOP_RETURN ? "ret" : "exit");
    if (l->u.guard != NO_SLOT && cls != TRACE_BRANCH) {
        l->t.flags |= TRACE_GUARDED;
        l->u.flags |= UOP_RECORD_GUARD;
    }
    if (kind == UOP_LOAD) l->u.fn.access = l->lanes->load;
    if (kind == UOP_STORE) l->u.fn.access = l->lanes->store;
    l->u.record = cls == TRACE_LOAD || cls == TRACE_STORE || cls == TRACE_ATOMIC;
    l->code[l->n_code++] = l->u;
    l->insts[l->n_insts++] = l->t;
    l->r.keeps_loop = l->inst && l->inst->keeps_loop;
    l->uses[l->n_uses++] = l->r;
}

void fixup_add(struct lower *l, uint32_t index, uint32_t target, bool is_table)
{
    if (l->failed) return;
    if (ARRAY_ROOM(l->fixups, l->cap_fixups, l->n_fixups) < 0) lower_memory(l);
    else l->fixups[l->n_fixups++] = (struct fixup){index, target, is_table};
}

uint32_t message_add(struct lower *l, const char *text)
{
    struct ptx_kernel *k = l->kernel;
    const char *copy = pool_text(&l->module->pool, text, strlen(text));
    if (!copy || ARRAY_ROOM(k->messages, k->cap_messages, k->n_messages) < 0) return lower_memory(l), 0;
    k->messages[k->n_messages++] = copy;
    return (uint32_t)k->n_messages - 1;
}

void begin(struct lower *l)
{
    l->u = (struct uop){.guard = NO_SLOT,
                        .d = NO_SLOT,
                        .d2 = NO_SLOT,
                        .a = NO_SLOT,
                        .b = NO_SLOT,
                        .c = NO_SLOT,
                        .e = NO_SLOT,
                        .target = NO_INDEX,
                        .reconverge = NO_INDEX};
    memset(&l->t, 0, sizeof l->t);
    l->r = (struct uses){0};
}

void lane_named(struct lower *l, const char *name)
{
    const struct lane_op *op = lane_find(l->lanes, name);
    if (op) l->u.fn.lane = op->fn;
    else lower_unknown(l);
}
