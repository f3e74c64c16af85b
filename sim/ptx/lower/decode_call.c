/* Calls. A function is inlined where it is called, unless it may be active more than once or nobody knows who calls
 * it: recursive functions, functions whose address is taken and functions with alloca stand once behind the kernel's
 * own code and are called with a frame (exec_call.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"

/* One argument or result that is passed in a register: a move between caller and callee. */
static void move_register(struct lower *l, uint32_t to, uint32_t from, uint32_t width)
{
    char name[16];
    snprintf(name, sizeof name, "mov_%u", width);
    const struct lane_op *op = lane_find(l->lanes, name);
    if (!op) {
        lower_fail(l, "%s: a register parameter of %u bits", l->inst->text, width);
        return;
    }
    begin(l);
    use_src(l, from);
    use_dst(l, to);
    l->u.a = reg_slot(l, from);
    l->u.d = reg_slot(l, to);
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, TRACE_INT);
}

/* An actual parameter: a .param variable of the caller. */
static bool is_argument(const struct operand *o)
{
    return o->kind == OPND_VAR && o->var->space == SP_PARAM && !o->var->is_kernel_param && !o->value;
}

/* A formal .param variable that is no array takes registers and constants as well [PTX ISA, Parameter State Space]. */
static bool takes_values(const struct var *formal)
{
    return formal->bytes * 8 == type_bits(formal->type) && formal->bytes >= 4;
}

/* Such an argument on its way to the variable, or a result on its way from it: a move. */
static void move_value(struct lower *l, struct var *formal, const struct operand *actual, bool is_result)
{
    char name[16];
    uint32_t reg;
    const uint32_t width = (uint32_t)formal->bytes * 8, slot = arg_slot(l, formal, &reg);
    const bool is_float = formal->type == T_F32 || formal->type == T_F64;
    snprintf(name, sizeof name, "mov_%u", width);
    const struct lane_op *op = lane_find(l->lanes, name);
    begin(l);
    if (is_result) use_src(l, reg);
    else use_dst(l, reg);
    const uint32_t other = is_result ? dest(l, actual, width) : source(l, actual, width, is_float);
    l->u.a = is_result ? slot : other;
    l->u.d = is_result ? other : slot;
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, TRACE_INT);
}

/* Formal and actual .param variables are one: the callee reads what the caller wrote. */
static void bind(struct lower *l, struct func *callee, const struct formal *formals, uint32_t n,
                 const struct operand *actuals)
{
    if (n != (actuals ? actuals->n : 0)) {
        lower_fail(l, "call of %s: %u parameters where %u are declared", callee->name, actuals ? actuals->n : 0, n);
        return;
    }
    for (uint32_t i = 0; i < n && !l->failed; i++) {
        const struct operand *o = &actuals->items[i];
        struct var *formal = formals[i].var;
        if (!formal) {
            if (o->kind != OPND_REG || type_bits(o->type) != type_bits(formals[i].type) || o->negated)
                lower_fail(l, "call of %s: parameter %u must be a register of %u bits", callee->name, i + 1,
                           type_bits(formals[i].type));
            continue;
        }
        if (!is_argument(o) && takes_values(formal)) continue; /* move_value() */
        if (!is_argument(o) || o->var->bytes != formal->bytes) {
            lower_fail(l, "call of %s: parameter %u must be a .param variable of %llu bytes", callee->name, i + 1,
                       (unsigned long long)formal->bytes);
            continue;
        }
        uint32_t reg;
        const uint32_t slot = arg_slot(l, o->var, &reg);
        formal->stamp = callee->stamp;
        formal->offset = slot;
        formal->index = reg;
    }
}

static void inline_call(struct lower *l, struct func *f, const struct operand *rets, const struct operand *args)
{
    const uint32_t caller_base = l->func->reg_base;
    if (open_function(l, f) < 0) return;
    bind(l, f, f->params, f->n_params, args);
    bind(l, f, f->rets, f->n_rets, rets);
    if (l->failed) return;
    for (uint32_t i = 0; i < f->n_params && !l->failed; i++)
        if (!f->params[i].var)
            move_register(l, f->reg_base + f->params[i].reg, caller_base + args->items[i].reg,
                          type_bits(f->params[i].type));
        else if (!is_argument(&args->items[i])) move_value(l, f->params[i].var, &args->items[i], false);
    if (lower_function(l, f) < 0) return;
    for (uint32_t i = 0; i < f->n_rets && !l->failed; i++)
        if (!f->rets[i].var)
            move_register(l, caller_base + rets->items[i].reg, f->reg_base + f->rets[i].reg,
                          type_bits(f->rets[i].type));
        else if (!is_argument(&rets->items[i])) move_value(l, f->rets[i].var, &rets->items[i], true);
}

static void arg_add(struct lower *l, uint32_t slot, uint64_t bytes)
{
    struct ptx_kernel *k = l->kernel;
    if (ARRAY_ROOM(k->args, k->cap_args, k->n_args) < 0) lower_memory(l);
    else k->args[k->n_args++] = (struct call_arg){slot, (uint32_t)bytes};
}

/* The actual parameters and results of a call with a frame -> u.imm, u.e, u.d2. A trace instruction has room for
 * some of them as dependences; the others follow the same path. */
static void call_args(struct lower *l, const struct operand *args, const struct operand *rets)
{
    const struct operand *lists[] = {args, rets};
    l->u.imm = (int64_t)l->kernel->n_args;
    l->u.e = args ? args->n : 0;
    l->u.d2 = rets ? rets->n : 0;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; lists[k] && i < lists[k]->n && !l->failed; i++) {
            const struct operand *o = &lists[k]->items[i];
            uint32_t reg;
            if (!is_argument(o)) {
                lower_fail(l, "%s: parameter %u of a call that is not inlined must be a .param variable", l->inst->text,
                           i + 1);
                return;
            }
            arg_add(l, arg_slot(l, o->var, &reg), o->var->bytes);
            if (k == 0 && l->r.n_src < TRACE_MAX_SRC) use_src(l, reg);
            if (k == 1 && l->r.n_dst < TRACE_MAX_DST) use_dst(l, reg);
        }
}

static uint32_t callee_of(struct lower *l, struct func *f)
{
    struct ptx_kernel *k = l->kernel;
    if (f->callee_stamp == l->kernel_stamp) return f->callee;
    if (ARRAY_ROOM(k->callees, k->cap_callees, k->n_callees) < 0 ||
        ARRAY_ROOM(l->queue, l->cap_queue, k->n_callees) < 0)
        return lower_memory(l), 0;
    const char *name = pool_text(&l->module->pool, f->name, strlen(f->name));
    if (!name) return lower_memory(l), 0;
    l->queue[k->n_callees] = f;
    k->callees[k->n_callees] = (struct callee){.name = name, .number = f->number};
    f->callee_stamp = l->kernel_stamp;
    return f->callee = (uint32_t)k->n_callees++;
}

static void framed_call(struct lower *l, struct func *f, const struct operand *args, const struct operand *rets)
{
    stack_slot(l);
    if (f) {
        if (f->n_params != (args ? args->n : 0) || f->n_rets != (rets ? rets->n : 0)) {
            lower_fail(l, "call of %s: %u parameters and %u results where %u and %u are declared", f->name,
                       args ? args->n : 0, rets ? rets->n : 0, f->n_params, f->n_rets);
            return;
        }
        l->u.target = callee_of(l, f);
    } else {
        l->calls_by_address = true;
    }
    call_args(l, args, rets);
    emit(l, UOP_CALL, TRACE_BRANCH);
}

/* Functions of CUDA's run time that device code declares but does not define. */
static const struct {
    const char *name;
    uint8_t op, n_params, n_rets, bytes[9];
} builtins[] = {
    {"vprintf", BUILTIN_PRINTF, 2, 1, {8, 8, 4}},
    {"__assertfail", BUILTIN_ASSERT, 5, 0, {8, 8, 4, 8, 8}},
    {"malloc", BUILTIN_MALLOC, 1, 1, {8, 8}},
    {"free", BUILTIN_FREE, 1, 0, {8}},
    {"__cudaCDP2GetParameterBufferV2", BUILTIN_LAUNCH_ROOM, 4, 1, {8, 12, 12, 4, 8}},
    {"__cudaCDP2LaunchDeviceV2", BUILTIN_LAUNCH, 2, 1, {8, 8, 4}},
    {"cudaGraphSetConditional", BUILTIN_SET_CONDITION, 2, 0, {8, 4}},
    {"__cudaCDP2StreamCreateWithFlags", BUILTIN_HANDLE_NEW, 2, 1, {8, 4, 4}},
    {"__cudaCDP2StreamWaitEvent", BUILTIN_NOTHING, 3, 1, {8, 8, 4, 4}},
    {"__cudaCDP2EventCreateWithFlags", BUILTIN_HANDLE_NEW, 2, 1, {8, 4, 4}},
    {"__cudaCDP2EventRecord", BUILTIN_NOTHING, 2, 1, {8, 8, 4}},
    {"__cudaCDP2EventRecordWithFlags", BUILTIN_NOTHING, 3, 1, {8, 8, 4, 4}},
    {"__cudaCDP2EventDestroy", BUILTIN_NOTHING, 1, 1, {8, 4}},
    {"__cudaCDP2Malloc", BUILTIN_MALLOC_AT, 2, 1, {8, 8, 4}},
    {"__cudaCDP2Free", BUILTIN_FREE, 1, 1, {8, 4}},
    {"__cudaCDP2MemcpyAsync", BUILTIN_COPY, 5, 1, {8, 8, 8, 4, 8, 4}},
    {"__cudaCDP2Memcpy2DAsync", BUILTIN_COPY_ROWS, 8, 1, {8, 8, 8, 8, 8, 8, 4, 8, 4}},
    {"__cudaCDP2MemsetAsync", BUILTIN_SET, 4, 1, {8, 4, 8, 8, 4}},
    {"__cudaCDP2Memset2DAsync", BUILTIN_SET_ROWS, 6, 1, {8, 8, 4, 8, 8, 8, 4}},
    {"__cudaCDP2DeviceGetAttribute", BUILTIN_ATTRIBUTE, 3, 1, {8, 4, 4, 4}},
    {"__cudaCDP2GetDevice", BUILTIN_DEVICE, 1, 1, {8, 4}},
    {"__cudaCDP2GetDeviceCount", BUILTIN_DEVICES, 1, 1, {8, 4}},
    {"__cudaCDP2StreamDestroy", BUILTIN_NOTHING, 1, 1, {8, 4}},
    {"__cudaCDP2GetLastError", BUILTIN_NOTHING, 0, 1, {4}},
    {"__cudaCDP2PeekAtLastError", BUILTIN_NOTHING, 0, 1, {4}},
};

/* Also under the name for streams of one thread's own (-default-stream per-thread). */
static bool is_builtin(const char *builtin, const char *name)
{
    const size_t n = strlen(builtin);
    return strncmp(builtin, name, n) == 0 && (!name[n] || strcmp(name + n, "_ptsz") == 0);
}

static void bodyless_call(struct lower *l, const struct func *f, const struct operand *args, const struct operand *rets)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (!is_builtin(builtins[i].name, f->name)) continue;
        const size_t first = l->kernel->n_args, n = (size_t)builtins[i].n_params + builtins[i].n_rets;
        call_args(l, args, rets);
        bool fits = !l->failed && l->u.e == builtins[i].n_params && l->u.d2 == builtins[i].n_rets;
        for (size_t k = 0; k < n && fits; k++) fits = l->kernel->args[first + k].bytes == builtins[i].bytes[k];
        if (!fits) lower_fail(l, "call of %s: these are not its parameters", f->name);
        l->u.op = builtins[i].op;
        emit(l, UOP_BUILTIN, TRACE_BRANCH);
        return;
    }
    char text[300];
    snprintf(text, sizeof text, "the program called %.200s, which has no body in this module", f->name);
    l->u.imm = message_add(l, text);
    emit(l, UOP_TRAP, TRACE_EXIT);
}

/* call (results), function, (arguments){, prototype} */
void decode_call(struct lower *l)
{
    const struct inst *i = l->inst;
    uint32_t k = 0;
    const struct operand *rets = NULL, *args = NULL;
    if (k < i->n_operands && i->operands[k].kind == OPND_LIST) rets = &i->operands[k++];
    const struct operand *name = operand_at(l, k++);
    if (k < i->n_operands && i->operands[k].kind == OPND_LIST) args = &i->operands[k++];
    if (l->failed) return;
    if (has_mod(l, "uni")) l->t.flags |= TRACE_UNIFORM;
    if (name->kind == OPND_REG) {
        l->u.a = source(l, name, 64, false);
        framed_call(l, NULL, args, rets);
        return;
    }
    if (name->kind != OPND_FUNC || k < i->n_operands) {
        lower_fail(l, "%s: expected a function", i->text);
        return;
    }
    struct func *f = name->func;
    if (!f->has_body) {
        bodyless_call(l, f, args, rets);
    } else if (f->is_entry) {
        lower_fail(l, "kernel %s cannot be called", f->name);
    } else if (f->is_called) {
        framed_call(l, f, args, rets);
    } else { /* a guarded call is jumped over */
        if (i->guard) {
            l->u.flags ^= UOP_GUARD_NOT;
            fixup_add(l, (uint32_t)l->n_code, l->index + 1, false);
            emit(l, UOP_BRANCH, TRACE_BRANCH);
        } else {
            l->t.flags |= TRACE_UNIFORM;
            emit(l, UOP_NOP, TRACE_BRANCH);
        }
        if (!l->failed) inline_call(l, f, rets, args);
    }
}

static void lower_callee(struct lower *l, uint32_t index)
{
    struct ptx_kernel *k = l->kernel;
    struct func *f = l->queue[index];
    l->callee = index;
    l->file_bytes = (l->file_bytes + 63) & ~(uint64_t)63;
    k->callees[index].lo = (uint32_t)l->file_bytes;
    k->callees[index].first_init = k->n_inits;
    k->callees[index].first_arg = (uint32_t)k->n_args;
    k->callees[index].n_params = f->n_params;
    k->callees[index].n_rets = f->n_rets;
    l->inst = NULL;
    l->func = f;
    if (open_function(l, f) < 0) return;
    for (uint32_t i = 0; i < f->n_params + f->n_rets && !l->failed; i++) {
        const struct formal *formal = i < f->n_params ? &f->params[i] : &f->rets[i - f->n_params];
        uint32_t reg;
        if (formal->var) arg_add(l, arg_slot(l, formal->var, &reg), formal->var->bytes);
        else lower_fail(l, "function %s is called with a frame, so its parameters must be .param", f->name);
    }
    k->callees[index].entry = (uint32_t)l->n_code;
    if (lower_function(l, f) < 0) return;
    begin(l);
    l->func = f;
    l->inst = NULL;
    emit(l, UOP_RETURN, TRACE_BRANCH);
    l->file_bytes = (l->file_bytes + 63) & ~(uint64_t)63;
    k->callees[index].hi = (uint32_t)l->file_bytes;
    k->callees[index].end_init = k->n_inits;
}

void lower_callees(struct lower *l)
{
    for (uint32_t i = 0;; i++) {
        for (size_t n = 0; l->calls_by_address && n < l->ast->n_funcs; n++)
            if (l->ast->funcs[n]->number && l->ast->funcs[n]->has_body && !l->failed) callee_of(l, l->ast->funcs[n]);
        if (l->failed || i >= l->kernel->n_callees) break;
        lower_callee(l, i);
    }
    l->callee = NO_INDEX;
}

/* ---- which functions need frames ---- */

struct calls {
    uint32_t (*edges)[2]; /* caller, callee */
    size_t n, cap;
};

/* The function that an instruction calls; NULL if it is no direct call. */
static struct func *called_by(const struct inst *i, uint32_t *operand)
{
    if (strcmp(i->mnemonic, "call") != 0 || !i->n_operands) return NULL;
    *operand = i->operands[0].kind == OPND_LIST ? 1 : 0;
    return *operand < i->n_operands && i->operands[*operand].kind == OPND_FUNC ? i->operands[*operand].func : NULL;
}

static int scan_function(struct lower *l, struct func *f, uint32_t index, struct calls *calls)
{
    for (size_t n = 0; n < f->n_insts; n++) {
        const struct inst *i = &f->insts[n];
        uint32_t at = NO_INDEX;
        struct func *callee = called_by(i, &at);
        if (!strcmp(i->mnemonic, "alloca")) f->takes_stack = true;
        for (uint32_t k = 0; k < i->n_operands; k++)
            if (i->operands[k].kind == OPND_FUNC && k != at && !i->operands[k].func->number)
                i->operands[k].func->number = ++l->ast->n_addressed;
        if (!callee || !callee->has_body) continue;
        if (ARRAY_ROOM(calls->edges, calls->cap, calls->n) < 0) return lower_memory(l), -1;
        calls->edges[calls->n][0] = index;
        calls->edges[calls->n++][1] = callee->stamp;
    }
    return 0;
}

/* Takes away, again and again, what has no edge in one direction; what stays lies on cycles or between them.
 * side: 0 counts calls made, 1 calls received. */
static int peel(struct lower *l, const struct calls *calls, uint8_t *gone, int side)
{
    const size_t n = l->ast->n_funcs;
    uint32_t *degree = calloc(n + 1, sizeof *degree), *start = calloc(n + 2, sizeof *start),
             *list = calloc(calls->n + 1, sizeof *list), *stack = calloc(n + 1, sizeof *stack), depth = 0;
    const bool ready = degree && start && list && stack;
    for (size_t i = 0; i < calls->n && ready; i++) {
        degree[calls->edges[i][side]]++;
        start[calls->edges[i][!side] + 1]++;
    }
    for (size_t i = 0; i < n && ready; i++) start[i + 1] += start[i];
    for (size_t i = calls->n; i-- > 0 && ready;) list[--start[calls->edges[i][!side] + 1]] = calls->edges[i][side];
    /* the run of node v is now list[start[v + 1] .. its old end) = up to start[v + 2], or all for the last */
    for (uint32_t i = 0; i < n && ready; i++)
        if (!degree[i]) stack[depth++] = i;
    while (depth) {
        const uint32_t v = stack[--depth];
        const uint32_t end = v + 1 < n ? start[v + 2] : (uint32_t)calls->n;
        gone[v] = 1;
        for (uint32_t k = start[v + 1]; k < end; k++)
            if (--degree[list[k]] == 0) stack[depth++] = list[k];
    }
    free(degree);
    free(start);
    free(list);
    free(stack);
    return ready ? 0 : (lower_memory(l), -1);
}

int find_called(struct lower *l)
{
    const struct ast *ast = l->ast;
    struct calls calls = {0};
    uint8_t *gone = calloc(ast->n_funcs + 1, 1);
    int rc = gone ? 0 : (lower_memory(l), -1);
    for (uint32_t i = 0; i < ast->n_funcs; i++) ast->funcs[i]->stamp = i;
    for (uint32_t i = 0; i < ast->n_funcs && rc == 0; i++) rc = scan_function(l, ast->funcs[i], i, &calls);
    if (rc == 0) rc = peel(l, &calls, gone, 0);
    if (rc == 0) rc = peel(l, &calls, gone, 1);
    for (size_t i = 0; i < ast->n_funcs && rc == 0; i++) {
        struct func *f = ast->funcs[i];
        f->is_called = !f->is_entry && f->has_body && (!gone[i] || f->number || f->takes_stack);
    }
    free(gone);
    free(calls.edges);
    return rc;
}
