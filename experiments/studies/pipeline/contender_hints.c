/* Hints for contenders: @hint and its kin are files beside the results, one a launch, made by the quick model. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/quick_response.h"
#include "poise/trace.h"
#include "studies/pipeline/contender_hints.h"
#include "workload/hint_correction.h"

static const struct {
    const char *word, *file;
    enum hint_kind kind;
} kinds[] = {{"@hint_tenth", "tenth", HINT_OF_TENTH},          {"@hint_remembered", "remembered", HINT_REMEMBERED},
             {"@hint_other", "other", HINT_OF_OTHER},          {"@hint_smaller", "smaller", HINT_OF_SMALLER},
             {"@hint_corrected", "corrected", HINT_CORRECTED}, {"@hint", "this", HINT_OF_LAUNCH}};

/* The correction that the project ships. */
static int correct(json_t **out, const struct pipeline *p, struct quick_response *s, struct error *err)
{
    struct hint_correction c = {0};
    char dir[600], path[640];
    lab_models(dir, sizeof dir, p->options->paths.configs);
    snprintf(path, sizeof path, "%s/hint.json", dir);
    const int failed = hint_correction_read(&c, path, err);
    if (!failed) *out = hint_correction_hint(&c, s);
    correction_fini(&c.model);
    return failed;
}

/* From what this launch shows; of `unknown`, if it is not NULL, the shape alone is known. */
static int hint_of(json_t **out, const struct pipeline *p, const struct launch *launch, const struct launch *unknown,
                   double share, bool corrected, struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct quick_shape shape = {0};
    const struct quick_ask ask = {.share = share, .shape = unknown ? &shape : NULL};
    struct quick_response *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, ERR_MEMORY, "out of memory");
    if (unknown) {
        memcpy(shape.grid, unknown->grid, sizeof shape.grid);
        memcpy(shape.block, unknown->block, sizeof shape.block);
    }
    int failed = trace_open(&trace, launch->path, NULL, err);
    if (!failed) {
        failed = plan_new(&plan, trace, p->params, err);
        if (!failed) failed = quick_response_new(s, NULL, plan, p->params, &ask, err);
        if (!failed && corrected) failed = correct(out, p, s, err);
        else if (!failed) *out = quick_response_hint(s);
        plan_free(plan);
        trace_close(trace);
    }
    free(s);
    return failed;
}

/* The last launch of the same kernel that the program has before this one. */
static int before(struct launch *out, bool *has, const struct pipeline *p, const struct profile *q, struct error *err)
{
    struct launches list = {0};
    const struct launch *l = q->launch;
    *has = false;
    if (workload_launches(&list, &p->options->paths, q->workload, l->size, l->input, err) < 0) return -1;
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].index < l->index && strcmp(list.items[i].kernel, l->kernel) == 0)
            *out = list.items[i], *has = true;
    launches_fini(&list);
    return 0;
}

/* The kernel with other data: its longest launch with the program's next input, or where it has one alone with another
 * size: one of like size (small and eval), or test, which is far smaller. */
static int other_input(struct launch *out, bool *has, const struct pipeline *p, const struct profile *q, bool smaller,
                       struct error *err)
{
    const struct workload *w = q->workload;
    struct launches list = {0};
    int size = q->launch->size;
    int32_t input = q->launch->input;
    *has = false;
    for (size_t i = 0; i < w->n_inputs && w->n_inputs > 1 && !smaller; i++)
        if (w->inputs[i] == q->launch->input) input = w->inputs[(i + 1) % w->n_inputs];
    if (smaller) size = workload_size("test");
    else if (input == q->launch->input) size = workload_size(size == workload_size("small") ? "eval" : "small");
    if (size == q->launch->size && input == q->launch->input) return 0;
    if (workload_launches(&list, &p->options->paths, w, size, input, err) < 0) return -1;
    for (size_t i = 0; i < list.n; i++) {
        if (strcmp(list.items[i].kernel, q->launch->kernel) != 0) continue;
        if (!*has || list.items[i].warp_insts > out->warp_insts) *out = list.items[i];
        *has = true;
    }
    launches_fini(&list);
    return 0;
}

static int make(json_t **out, const struct pipeline *p, const struct profile *q, enum hint_kind kind, struct error *err)
{
    struct launch other;
    bool has = false;
    *out = NULL;
    switch (kind) {
    case HINT_OF_LAUNCH: return hint_of(out, p, q->launch, NULL, 0, false, err);
    case HINT_CORRECTED: return hint_of(out, p, q->launch, NULL, 0, true, err);
    case HINT_OF_TENTH: return hint_of(out, p, q->launch, NULL, 0.1, false, err);
    case HINT_REMEMBERED:
        if (before(&other, &has, p, q, err) < 0) return -1;
        return has ? hint_of(out, p, &other, NULL, 0, false, err) : 0;
    case HINT_OF_OTHER:
    case HINT_OF_SMALLER:
        if (other_input(&other, &has, p, q, kind == HINT_OF_SMALLER, err) < 0) return -1;
        return has ? hint_of(out, p, &other, q->launch, 0, false, err) : 0;
    }
    return 0;
}

int contender_hint(const struct pipeline *p, const struct profile *q, const char *in, char *out, size_t size,
                   struct error *err)
{
    size_t k = 0;
    char name[128], hash[HASH_TEXT_SIZE];
    json_t *hint;
    while (k < COUNT_OF(kinds) && strncmp(in, kinds[k].word, strlen(kinds[k].word)) != 0) k++;
    if (k == COUNT_OF(kinds)) return 0;
    hash_text(&q->launch->hash, hash);
    snprintf(name, sizeof name, "hint-%s-%s.json", kinds[k].file, hash);
    if (make(&hint, p, q, kinds[k].kind, err) < 0) return error_while(err, "%s of %s", kinds[k].word, q->launch->label);
    out[0] = '\0'; /* no such launch: as without a hint */
    if (hint) {
        char *text = json_dumps(hint, JSON_COMPACT | JSON_REAL_PRECISION(17));
        json_decref(hint);
        pipeline_path(p, name, out, size);
        const int failed =
            text ? file_write(out, text, strlen(text), err) : error_set(err, ERR_MEMORY, "%s: out of memory", name);
        free(text);
        if (failed) return -1;
    }
    return (int)strlen(kinds[k].word);
}
