/* Markings: reading one, and putting it on a trace. */
#include "poise/marking.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "poise/file.h"

/* ---- reading ---- */

static int bad(const char *name, size_t i, const char *why, struct error *err)
{
    return error_set(err, ERR_INPUT, "%s: mark %zu: %s", name, i, why);
}

static const char *read_whole(const json_t *mark, const char *key, uint64_t most, uint64_t *out)
{
    const json_t *value = json_object_get(mark, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
        return "\"pc\", \"launch\", \"from\" and \"to\" are whole numbers from 0 on";
    *out = (uint64_t)json_integer_value(value);
    return NULL;
}

/* Which instructions: exactly one of pc, from and to, rule. */
static const char *read_selector(struct trace_mark *out, const json_t *mark)
{
    const char *rule = json_string_value(json_object_get(mark, "rule")), *why;
    const bool has_pc = json_object_get(mark, "pc"), has_range = json_object_get(mark, "from");
    uint64_t pc;
    if (has_pc + has_range + (json_object_get(mark, "rule") != NULL) != 1)
        return "one of \"pc\", \"from\" with \"to\", and \"rule\" says which instructions get it";
    if (has_pc) {
        out->by = MARK_BY_PC;
        why = read_whole(mark, "pc", UINT32_MAX, &pc);
        out->pc = why ? 0 : (uint32_t)pc;
        return why;
    }
    if (has_range) {
        out->by = MARK_BY_RANGE;
        if ((why = read_whole(mark, "from", INT64_MAX, &out->from)) ||
            (why = read_whole(mark, "to", INT64_MAX, &out->to)))
            return why;
        return out->from < out->to ? NULL : "\"from\" must lie before \"to\"";
    }
    out->by = MARK_BY_RULE;
    for (int i = 0; rule && i < N_TRACE_RULES; i++)
        if (strcmp(rule, trace_rule_names[i]) == 0) {
            out->rule = (enum trace_rule)i;
            return (i == RULE_ONE_CTA) == (out->cache_op == TRACE_CACHE_CP)
                       ? NULL
                       : "handed_over and handed_once are rules for \"cc\", one_cta is one for \"cp\"";
        }
    return "\"rule\" is \"handed_over\", \"handed_once\" or \"one_cta\"";
}

static const char *read_mark(struct trace_mark *out, const json_t *mark)
{
    static const char *const keys[] = {"operator", "kernel", "launch", "pc",   "from", "to",
                                       "rule",     "opcode", "line",   "share"}; /* the last three are for readers */
    const char *name = json_string_value(json_object_get(mark, "operator"));
    const json_t *kernel = json_object_get(mark, "kernel"), *value;
    const char *key;
    uint64_t launch = 0;
    *out = (struct trace_mark){.kernel = "*", .launch = -1};
    if (!json_is_object(mark)) return "a mark is an object: {\"operator\": \"cc\", \"pc\": 31}";
    json_object_foreach((json_t *)(uintptr_t)mark, key, value) {
        size_t i = 0;
        while (i < sizeof keys / sizeof keys[0] && strcmp(key, keys[i]) != 0) i++;
        if (i == sizeof keys / sizeof keys[0])
            return "its keys are operator, kernel, launch, and pc, from with to, or rule";
    }
    if (!name || (strcmp(name, "cc") != 0 && strcmp(name, "cp") != 0)) return "\"operator\" is \"cc\" or \"cp\"";
    out->cache_op = strcmp(name, "cc") == 0 ? TRACE_CACHE_CC : TRACE_CACHE_CP;
    if (kernel && (!json_is_string(kernel) || json_string_length(kernel) >= sizeof out->kernel))
        return "\"kernel\" is a name or a glob of at most 95 bytes";
    if (kernel) memcpy(out->kernel, json_string_value(kernel), json_string_length(kernel) + 1);
    if (json_object_get(mark, "launch")) {
        const char *why = read_whole(mark, "launch", UINT32_MAX, &launch);
        if (why) return why;
        out->launch = (int64_t)launch;
    }
    return read_selector(out, mark);
}

int trace_marking_parse(struct trace_marking *out, const char *text, size_t size, const char *name, struct error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, 0, &why);
    if (!root) return error_set(err, ERR_INPUT, "%s:%d: no JSON: %s", name, why.line, why.text);
    const json_t *list = json_object_get(root, "marking");
    int result =
        json_is_array(list)
            ? 0
            : error_set(err, ERR_INPUT, "%s: no array \"marking\"; `poise trace marking TRACE...` writes one", name);
    out->n = 0;
    if (result == 0 && json_array_size(list) > MARKS_MAX)
        result =
            error_set(err, ERR_INPUT, "%s: %zu marks, at most %d are read", name, json_array_size(list), MARKS_MAX);
    for (size_t i = 0; result == 0 && i < json_array_size(list); i++) {
        const char *problem = read_mark(&out->marks[i], json_array_get(list, i));
        if (problem) result = bad(name, i, problem, err);
        else out->n++;
    }
    json_decref(root);
    return result;
}

int trace_marking_read(struct trace_marking *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = trace_marking_parse(out, text, size, path, err);
    free(text);
    return result;
}

/* ---- which instructions ---- */

/* A load or store of global memory whose operator is not the program's own choice. */
static bool can_have(const struct trace_inst *inst, uint8_t op)
{
    const bool is_right = inst->cls == (op == TRACE_CACHE_CC ? TRACE_STORE : TRACE_LOAD);
    const bool is_free = inst->cache_op == TRACE_CACHE_DEFAULT || inst->cache_op == TRACE_CACHE_CA ||
                         inst->cache_op == TRACE_CACHE_WB || inst->cache_op == TRACE_CACHE_CC ||
                         inst->cache_op == TRACE_CACHE_CP;
    return is_right && is_free && inst->space == TRACE_SPACE_GLOBAL && trace_inst_scope(inst) <= TRACE_SCOPE_CTA;
}

enum { IN_RANGE = 1, OUT_OF_RANGE = 2 };

/* Whether the accesses of each static instruction lie in [from, to), outside of it, or both. */
static void find_ranges(uint8_t *where, const struct trace *t, uint64_t from, uint64_t to)
{
    uint64_t addresses[TRACE_LANES];
    memset(where, 0, t->launch.n_code);
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const uint32_t *words = t->accesses + t->warps[w].first_access;
        const struct trace_step *steps = t->steps + t->warps[w].first_step;
        for (uint64_t i = 0; i < t->warps[w].n_steps; i++) {
            const struct trace_inst *inst = &t->code[steps[i].inst];
            if (!steps[i].mask || !inst_is_memory(inst)) continue;
            words += trace_access_decode(words, steps[i].mask, addresses);
            for (uint32_t left = steps[i].mask; left; left &= left - 1) {
                const uint64_t a = addresses[__builtin_ctz(left)];
                where[steps[i].inst] |= a >= from && a + inst->bytes <= to ? IN_RANGE : OUT_OF_RANGE;
            }
        }
    }
}

static bool selects(const struct trace_mark *m, const struct trace *t, uint32_t i, const uint8_t *where,
                    const struct inst_use *uses)
{
    if (m->by == MARK_BY_PC) return t->code[i].pc == m->pc;
    return m->by == MARK_BY_RANGE ? where[i] == IN_RANGE : trace_rule_holds(&uses[i], m->rule);
}

int trace_marking_ops(uint8_t *ops, struct trace_marked *out, const struct trace *t, size_t launch,
                      const struct trace_marking *marking, const struct trace_uses *uses, struct error *err)
{
    uint8_t *where = calloc(t->launch.n_code + 1, 1);
    int result = where ? 0 : error_set(err, ERR_MEMORY, "%s: no memory for its marking", trace_kernel(t));
    *out = (struct trace_marked){0};
    for (uint32_t i = 0; i < t->launch.n_code; i++) ops[i] = t->code[i].cache_op;
    for (uint32_t k = 0; k < marking->n && result == 0; k++) {
        const struct trace_mark *m = &marking->marks[k];
        bool found = false;
        const bool is_meant = strcmp(m->kernel, trace_kernel(t)) == 0 || fnmatch(m->kernel, trace_kernel(t), 0) == 0;
        if (!is_meant || (m->launch >= 0 && (size_t)m->launch != launch)) continue;
        if (m->by == MARK_BY_RANGE) find_ranges(where, t, m->from, m->to);
        for (uint32_t i = 0; i < t->launch.n_code; i++) {
            if (!can_have(&t->code[i], m->cache_op)) continue;
            out->n_shared += m->by == MARK_BY_RANGE && where[i] == (IN_RANGE | OUT_OF_RANGE);
            if (!selects(m, t, i, where, m->by == MARK_BY_RULE ? uses->insts[launch] : NULL)) continue;
            ops[i] = m->cache_op;
            found = true;
        }
        if (m->by == MARK_BY_PC && !found)
            result = error_set(err, ERR_INPUT,
                               "kernel %s: mark %u: instruction %u is no %s of global memory that a mark may change",
                               trace_kernel(t), k, m->pc, m->cache_op == TRACE_CACHE_CC ? "store" : "load");
    }
    for (uint32_t i = 0; i < t->launch.n_code; i++) {
        out->n_cc += ops[i] == TRACE_CACHE_CC;
        out->n_cp += ops[i] == TRACE_CACHE_CP;
    }
    free(where);
    return result;
}

/* ---- writing ---- */

int trace_write_with_ops(const struct trace *t, const uint8_t *ops, const char *path, struct error *err)
{
    struct trace other = *t;
    struct trace_inst *code = malloc((t->launch.n_code + 1) * sizeof *code);
    struct container_out *file = malloc(sizeof *file);
    int result = code && file ? 0 : error_set(err, ERR_MEMORY, "%s: no memory to write", path);
    if (result == 0) {
        memcpy(code, t->code, t->launch.n_code * sizeof *code);
        for (uint32_t i = 0; i < t->launch.n_code; i++) code[i].cache_op = ops[i];
        other.code = code;
        result = trace_check_code(&other, path, NULL, err);
    }
    if (result == 0) result = trace_identity(&other, &other.hash, err);
    if (result == 0) result = trace_to_rest(file, &other, err);
    if (result == 0) {
        result = container_write(file, path, err);
        container_out_free(file);
    }
    free(file);
    free(code);
    return result;
}
