/* Records what is missing, a program a thread, and lines the launches up: training first, then evaluation, in the
 * registry's order. Of training benchmarks, and of all at size eval, only the profiled launches are wanted. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "poise/suite.h"
#include "studies/pipeline/pipeline_internal.h"
#include "runner/progress.h"

/* Which list of a spec a benchmark stands in. At size eval these are the splits of datasets/FAMILIES.md, which no
 * family crosses, and sealed benchmarks are in neither; at other sizes the sets. For the study that opens the sealed
 * benchmarks these stand in the place of the development set. Programs of somebody's suite are for either list. */
static bool is_of_list(const struct pipeline *p, const struct workload *w, enum workload_set set)
{
    const enum workload_split judged = p->options->paths.opens_sealed ? SPLIT_SEALED : SPLIT_DEVELOPMENT;
    if (strchr(w->name, '/')) return true;
    if (p->spec->size != workload_size("eval")) return w->set == set;
    return w->split == (set == WORKLOAD_TRAINING ? SPLIT_TRAINING : judged);
}

struct task {
    const struct workload *workload;
    int32_t input;
    struct launches launches;
};

static int place(const struct pipeline *p, const int at[2], struct error *err)
{
    const struct error inner = *err;
    error_set(err, inner.code, "%s:%d:%d: %s", p->spec->file, at[0], at[1], inner.text);
    return error_at(err, p->spec->file, at[0], -1, inner.hint);
}

/* A name without wildcards must exist, and at size eval be of the list's own split: families never cross. */
static int check_names(const struct pipeline *p, const char names[][64], size_t n, enum workload_set set,
                       struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct workload *w;
        const int *at = p->spec->name_at[set == WORKLOAD_TRAINING][i];
        if (strpbrk(names[i], "*?[")) continue;
        if (registry_find(&p->registry, names[i], &w, err) < 0) return at[0] ? place(p, at, err) : -1;
        if (p->spec->size != workload_size("eval") || is_of_list(p, w, set)) continue;
        return error_set(err, ERR_INPUT, "%s is not of the split that the %s list takes at size eval: %s", w->name,
                         workload_sets[set], w->split ? workload_splits[w->split] : "it is in none");
    }
    return 0;
}

/* Wildcards stand for benchmarks of the set alone, at size eval for those that have a launch to profile; a name means
 * what it names. */
static bool matches(const struct pipeline *p, const struct workload *w, enum workload_set set, const char names[][64],
                    size_t n)
{
    const int size = p->spec->size;
    const bool is_eval = size == workload_size("eval"), is_of_set = is_of_list(p, w, set);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], w->name) == 0) return true;
        if (w->of_suite && !suite_is_ready(w, &p->options->paths, size)) continue;
        if (is_of_set && fnmatch(names[i], w->name, FNM_PATHNAME) == 0 &&
            (!is_eval || workload_is_meant(w, names[i], size)))
            return true;
    }
    return false;
}

/* In which set it is used says a workload's own `set`: one that the spec trains on or judges against its own stands as
 * a copy. */
static const struct workload *in_set(struct pipeline *p, const struct workload *w, enum workload_set set,
                                     struct error *err)
{
    if (w->set == set || (w->set == WORKLOAD_FURTHER && set == WORKLOAD_EVALUATION)) return w;
    const struct workload *copy = own_workloads_copy(&p->registry.own, w, set);
    if (!copy) error_set(err, ERR_MEMORY, "out of memory for %s", w->name);
    return copy;
}

static int list_tasks(struct pipeline *p, struct task *tasks, size_t *n, struct error *err)
{
    const struct pipeline_spec *s = p->spec;
    for (int training = 1; training >= 0; training--)
        for (size_t i = 0; i < p->registry.n; i++) {
            const enum workload_set set = training ? WORKLOAD_TRAINING : WORKLOAD_EVALUATION;
            const struct workload *w = &p->registry.workloads[i];
            if (!matches(p, w, set, training ? s->training : s->evaluation, training ? p->n_groups : s->n_evaluation))
                continue;
            if (!(w = in_set(p, w, set, err))) return -1;
            for (size_t k = 0; k < w->n_inputs; k++)
                tasks[(*n)++] = (struct task){.workload = w, .input = w->inputs[k]};
        }
    return 0;
}

static int run_tasks(struct pipeline *p, struct task *tasks, size_t n, struct error *err)
{
    struct progress progress;
    const struct runner_options *o = &p->options->runner;
    int result = 0;
    progress_begin(&progress, o->progress, o->is_terminal, "traces", n, (double)n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads ? (int)o->threads : 2)
    for (size_t i = 0; i < n; i++) {
        struct error mine;
        if (o->stop && *o->stop) continue;
        const int failed = workload_launches(&tasks[i].launches, &p->options->paths, tasks[i].workload, p->spec->size,
                                             tasks[i].input, &mine);
        if (!failed && tasks[i].workload->set != WORKLOAD_TRAINING) launches_cap(&tasks[i].launches, p->options->cap);
#pragma omp critical(pipeline_record)
        {
            uint64_t insts = 0;
            for (size_t k = 0; k < tasks[i].launches.n; k++) insts += tasks[i].launches.items[k].warp_insts;
            if (failed && result == 0) *err = mine, result = -1;
            progress_step(&progress, 1, insts, failed);
        }
    }
    progress_end(&progress);
    return result == 0 && o->stop && *o->stop ? error_set(err, ERR_INTERRUPTED, "interrupted while recording traces")
                                              : result;
}

/* The launches that the spec wants, programs in order. */
static int choose(struct pipeline *p, struct task *tasks, size_t n, enum workload_set set, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < tasks[i].launches.n; k++) {
            const struct launch *l = &tasks[i].launches.items[k];
            if ((l->workload->set == WORKLOAD_TRAINING) != (set == WORKLOAD_TRAINING)) continue;
            const bool is_eval = p->spec->size == workload_size("eval");
            if ((l->workload->set == WORKLOAD_TRAINING || is_eval) && !l->is_profiled) continue;
            if (launches_add(&p->launches, l, err) < 0) return -1;
        }
    const bool is_training = set == WORKLOAD_TRAINING;
    return own_launches(&p->launches, &p->registry.own, p->spec->own[is_training], p->spec->n_own[is_training], set,
                        &p->registry, &p->options->paths, err);
}

static bool is_own(const struct pipeline *p, const struct workload *w)
{
    for (size_t i = 0; i < p->registry.own.n; i++)
        if (p->registry.own.items[i] == w) return true;
    return false;
}

/* What a spec's own lists both train on and judge: a launch's trace, or its benchmark. The registry's own sets are
 * disjoint. */
static int check_overlap(const struct pipeline *p, struct error *err)
{
    for (size_t i = 0; i < p->n_training; i++)
        for (size_t k = p->n_training; k < p->n_profiles; k++) {
            const struct launch *a = p->profiles[i].launch, *b = p->profiles[k].launch;
            const bool is_same = memcmp(&a->hash, &b->hash, sizeof a->hash) == 0;
            if (!is_own(p, a->workload) && !is_own(p, b->workload)) continue;
            if (!is_same && strcmp(a->workload->benchmark, b->workload->benchmark) != 0) continue;
            error_set(err, ERR_INPUT, "training row %s and evaluation row %s overlap: %s %s", a->label, b->label,
                      is_same ? "the same trace of kernel" : "both are of benchmark",
                      is_same ? a->kernel : a->workload->benchmark);
            return error_at(err, NULL, 0, -1,
                            "take one of them out of the spec's list; wildcards stand for the registry's own sets");
        }
    return 0;
}

static int collect(struct pipeline *p, struct task *tasks, size_t n, struct error *err)
{
    if (choose(p, tasks, n, WORKLOAD_TRAINING, err) < 0 || choose(p, tasks, n, WORKLOAD_EVALUATION, err) < 0) return -1;
    p->profiles = calloc(p->launches.n + 1, sizeof *p->profiles);
    p->benchmarks = calloc(p->registry.n + p->registry.own.n + 1, sizeof *p->benchmarks);
    if (!p->profiles || !p->benchmarks)
        return error_set(err, ERR_MEMORY, "out of memory for %zu launches", p->launches.n);
    for (size_t i = 0; i < p->launches.n; i++) {
        struct profile *q = &p->profiles[p->n_profiles++];
        q->launch = &p->launches.items[i];
        q->workload = q->launch->workload;
        p->n_training += q->workload->set == WORKLOAD_TRAINING;
        struct benchmark *b = p->n_benchmarks ? &p->benchmarks[p->n_benchmarks - 1] : NULL;
        if (!b || b->workload != q->workload) {
            b = &p->benchmarks[p->n_benchmarks++];
            *b = (struct benchmark){.workload = q->workload, .profiles = q};
            p->n_training_benchmarks += q->workload->set == WORKLOAD_TRAINING;
        }
        b->n++;
    }
    return check_overlap(p, err);
}

static int check_sets(const struct pipeline *p, struct error *err)
{
    if (p->n_training == 0)
        return error_set(err, ERR_INPUT, "no launch of the training benchmarks is profiled at size %s",
                         workload_sizes[p->spec->size]);
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        bool is_profiled = false;
        for (size_t k = 0; k < p->benchmarks[i].n; k++) is_profiled |= p->benchmarks[i].profiles[k].launch->is_profiled;
        if (!is_profiled)
            return error_set(err, ERR_INPUT, "%s: no launch is profiled at size %s: name one in the list of workloads",
                             p->benchmarks[i].workload->name, workload_sizes[p->spec->size]);
    }
    return p->n_benchmarks > p->n_training_benchmarks ? 0
                                                      : error_set(err, ERR_INPUT, "the spec evaluates no benchmark");
}

int pipeline_record(struct pipeline *p, struct error *err)
{
    const struct pipeline_spec *s = p->spec;
    if (check_names(p, s->training, s->n_training + s->n_whole_training, WORKLOAD_TRAINING, err) < 0 ||
        check_names(p, s->evaluation, s->n_evaluation, WORKLOAD_EVALUATION, err) < 0)
        return -1;
    size_t most = 0, n = 0;
    for (size_t i = 0; i < p->registry.n; i++) most += p->registry.workloads[i].n_inputs;
    struct task *tasks = calloc(2 * most + 1, sizeof *tasks);
    if (!tasks) return error_set(err, ERR_MEMORY, "out of memory for %zu programs", most);
    int result = list_tasks(p, tasks, &n, err);
    if (result == 0) result = run_tasks(p, tasks, n, err);
    if (result == 0) result = collect(p, tasks, n, err);
    if (result == 0) result = check_sets(p, err);
    for (size_t i = 0; i < n; i++) launches_fini(&tasks[i].launches);
    free(tasks);
    return result;
}
