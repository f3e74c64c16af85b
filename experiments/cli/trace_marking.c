#include "cli/output_names.h"
#include "cli/trace_marking.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/marking.h"

struct program {
    struct trace *launches[TEXTS_MAX];
    size_t n;
};

static void program_close(struct program *p)
{
    for (size_t i = 0; i < p->n; i++) trace_close(p->launches[i]);
}

static int program_open(struct program *p, const struct texts *arguments, struct error *err)
{
    p->n = 0;
    if (arguments->n < 2)
        return error_set(err, ERR_USAGE, "poise trace %s needs the traces of a program's launches, in order",
                         arguments->items[0]);
    for (size_t i = 1; i < arguments->n; i++) {
        if (trace_open(&p->launches[p->n], arguments->items[i], NULL, err) < 0) {
            program_close(p);
            return -1;
        }
        p->n++;
    }
    return 0;
}

static const struct trace *const *launches_of(const struct program *p)
{
    return (const struct trace *const *)(const void *)p->launches;
}

static double share(const struct inst_use *u, enum trace_rule rule)
{
    return u->touched ? (double)u->fulfils[rule] / (double)u->touched : 0;
}

/* The first launch of each kernel speaks for all of them. */
static bool is_first(const struct trace_uses *uses, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (uses->insts[k] == uses->insts[i]) return false;
    return true;
}

/* A mark of an instruction, with what a reader wants to know of it; NULL: it is proposed none. */
static json_t *propose(const struct trace *t, uint32_t i, const struct inst_use *u, enum trace_rule of_stores)
{
    const struct trace_inst *inst = &t->code[i];
    const bool is_store = inst->cls == TRACE_STORE;
    const enum trace_rule rule = is_store ? of_stores : RULE_ONE_CTA;
    if (inst->space != TRACE_SPACE_GLOBAL || !(is_store || inst->cls == TRACE_LOAD) || !trace_rule_holds(u, rule))
        return NULL;
    return json_pack("{s:s,s:s,s:I,s:s,s:I,s:f}", "operator", is_store ? "cc" : "cp", "kernel", trace_kernel(t), "pc",
                     (json_int_t)inst->pc, "opcode", t->strings + inst->name, "line", (json_int_t)inst->line, "share",
                     share(u, rule));
}

static json_t *propose_all(const struct trace_uses *uses, enum trace_rule of_stores)
{
    json_t *list = json_array();
    for (size_t k = 0; k < uses->n; k++) {
        const struct trace *t = uses->launches[k];
        for (uint32_t i = 0; is_first(uses, k) && i < t->launch.n_code; i++) {
            json_t *mark = propose(t, i, &uses->insts[k][i], of_stores);
            if (mark) json_array_append_new(list, mark);
        }
    }
    return list;
}

static void print_uses(const struct trace_uses *uses, enum trace_rule of_stores)
{
    printf("%-24s %5s %5s  %-18s %11s %11s %8s  %s\n", "kernel", "pc", "line", "instruction", "handed over",
           "handed once", "one CTA", "operator");
    for (size_t k = 0; k < uses->n; k++) {
        const struct trace *t = uses->launches[k];
        for (uint32_t i = 0; is_first(uses, k) && i < t->launch.n_code; i++) {
            const struct inst_use *u = &uses->insts[k][i];
            if (!u->touched) continue;
            json_t *mark = propose(t, i, u, of_stores);
            const char *op = json_string_value(json_object_get(mark, "operator"));
            printf("%-24.24s %5u %5u  %-18.18s", trace_kernel(t), t->code[i].pc, t->code[i].line,
                   t->strings + t->code[i].name);
            if (t->code[i].cls == TRACE_STORE)
                printf(" %10.1f%% %10.1f%% %8s", 100 * share(u, RULE_HANDED_OVER), 100 * share(u, RULE_HANDED_ONCE),
                       "");
            else printf(" %11s %11s %7.1f%%", "", "", 100 * share(u, RULE_ONE_CTA));
            printf("  %s%s\n", op ? "." : "", op ? op : "");
            json_decref(mark);
        }
    }
}

static int read_rule(const char *text, enum trace_rule *out, struct error *err)
{
    *out = RULE_HANDED_OVER;
    if (text && strcmp(text, trace_rule_names[RULE_HANDED_ONCE]) == 0) *out = RULE_HANDED_ONCE;
    else if (text && strcmp(text, trace_rule_names[RULE_HANDED_OVER]) != 0)
        return error_set(err, ERR_USAGE, "--rule %s: choose handed_over or handed_once", text);
    return 0;
}

static int write_marking(json_t *marking, const char *path, struct error *err)
{
    json_t *root = json_pack("{s:O}", "marking", marking);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    const int result = text ? file_write(path, text, strlen(text), err)
                            : error_set(err, ERR_MEMORY, "%s: no memory for the marking", path);
    free(text);
    json_decref(root);
    return result;
}

int trace_propose_marking(const struct texts *arguments, const char *rule, const char *out, json_t *json,
                          struct error *err)
{
    struct program p;
    struct trace_uses uses;
    enum trace_rule of_stores;
    if (read_rule(rule, &of_stores, err) < 0 || program_open(&p, arguments, err) < 0) return -1;
    int result = trace_uses_find(&uses, launches_of(&p), p.n, err);
    if (result == 0) {
        json_t *marking = propose_all(&uses, of_stores);
        if (out) result = write_marking(marking, out, err);
        if (json) json_object_set(json, "marking", marking);
        else if (!out) print_uses(&uses, of_stores);
        json_decref(marking);
        trace_uses_free(&uses);
    }
    program_close(&p);
    return result;
}

/* Where each marked trace goes in the folder; the caller's to free(), as what it points to. */
static char **marked_names(const struct texts *arguments, size_t n, struct error *err)
{
    char **names = calloc(n + 1, sizeof *names);
    bool is_whole = names != NULL;
    for (size_t i = 0; is_whole && i < n; i++) is_whole = (names[i] = strdup(arguments->items[i + 1])) != NULL;
    if (is_whole && output_names(names, n, err) == 0) return names;
    if (!is_whole) error_set(err, ERR_MEMORY, "out of memory for %zu names", n);
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
    return NULL;
}

/* One launch: its marked trace, and what was marked. */
static int mark_one(const struct trace *t, size_t launch, const char *from, const char *dir, const char *name,
                    const struct trace_marking *marking, const struct trace_uses *uses, json_t *list, struct error *err)
{
    char path[4096];
    struct trace_marked marked;
    uint8_t *ops = calloc(t->launch.n_code + 1, 1);
    int result = ops ? 0 : error_set(err, ERR_MEMORY, "%s: no memory for its marking", from);
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        result = error_set(err, ERR_INPUT, "%s: the path of its marked trace is too long", from);
    if (result == 0 && file_is_same(path, from))
        result = error_set(err, ERR_USAGE, "-o %s: the marked trace would replace the recorded one", dir);
    if (result == 0) result = trace_marking_ops(ops, &marked, t, launch, marking, uses, err);
    if (result == 0) result = trace_write_with_ops(t, ops, path, err);
    free(ops);
    if (result < 0) return -1;
    if (list)
        json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:I}", "path", path, "cc", (json_int_t)marked.n_cc, "cp",
                                              (json_int_t)marked.n_cp, "shared", (json_int_t)marked.n_shared));
    else
        printf("%s: %u stores .cc, %u loads .cp%s\n", path, marked.n_cc, marked.n_cp,
               marked.n_shared ? "; instructions that touch other data too stay as they are" : "");
    return 0;
}

static bool needs_uses(const struct trace_marking *marking)
{
    for (uint32_t i = 0; i < marking->n; i++)
        if (marking->marks[i].by == MARK_BY_RULE) return true;
    return false;
}

int trace_mark_files(const struct texts *arguments, const char *marking_path, const char *out, json_t *json,
                     struct error *err)
{
    struct program p;
    struct trace_uses uses = {0};
    if (!marking_path || !out)
        return error_set(err, ERR_USAGE,
                         "poise trace mark --marking FILE -o DIR TRACE...; `poise trace marking` proposes a file");
    struct trace_marking *marking = malloc(sizeof *marking);
    if (!marking) return error_set(err, ERR_MEMORY, "%s: no memory to read it", marking_path);
    int result = trace_marking_read(marking, marking_path, err);
    if (result == 0) result = file_make_folders(out, err);
    if (result == 0) result = program_open(&p, arguments, err);
    if (result < 0) {
        free(marking);
        return -1;
    }
    if (needs_uses(marking)) result = trace_uses_find(&uses, launches_of(&p), p.n, err);
    json_t *list = json && result == 0 ? json_array() : NULL;
    if (list) json_object_set_new(json, "marked", list);
    char **names = result == 0 ? marked_names(arguments, p.n, err) : NULL;
    if (result == 0 && !names) result = -1;
    for (size_t i = 0; i < p.n && result == 0; i++)
        result = mark_one(p.launches[i], i, arguments->items[i + 1], out, names[i], marking, &uses, list, err);
    for (size_t i = 0; names && i < p.n; i++) free(names[i]);
    free(names);
    trace_uses_free(&uses);
    program_close(&p);
    free(marking);
    return result;
}
