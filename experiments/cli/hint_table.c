#include "cli/hint_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"

int hint_table_open(struct hint_table *t, const char *const *profiles, size_t n, struct error *err)
{
    *t = (struct hint_table){.profiles = calloc(n + 1, sizeof *t->profiles)};
    t->out = open_memstream(&t->text, &t->size);
    if (!t->profiles || !t->out) return error_set(err, ERR_MEMORY, "out of memory for a table of hints");
    for (; t->n_profiles < n; t->n_profiles++)
        if (profile_table_read(&t->profiles[t->n_profiles], profiles[t->n_profiles], err) < 0)
            return error_while(err, "--profile");
    fprintf(t->out, "launch,group,trace,N,p,W,log_speedup");
    for (size_t c = 0; c < N_HINT_COLUMNS; c++) fprintf(t->out, ",%s", hint_column_names[c]);
    fputc('\n', t->out);
    return 0;
}

/* The launch in a profile, by its trace. */
static const struct profile_launch *profiled(const struct hint_table *t, const struct launch *launch,
                                             const struct profile_table **in)
{
    char trace[HASH_TEXT_SIZE];
    hash_text(&launch->hash, trace);
    for (size_t k = 0; k < t->n_profiles; k++)
        for (size_t i = 0; i < t->profiles[k].n_launches; i++)
            if (strcmp(t->profiles[k].launches[i].trace, trace) == 0) {
                *in = &t->profiles[k];
                return &t->profiles[k].launches[i];
            }
    return NULL;
}

/* Programs of a family are one group. A profile knows better than a trace's file what a launch is called. */
static void names_of(const struct launch *launch, const struct profile_launch *known, const struct registry *registry,
                     char label[200], const char **group)
{
    const struct workload *w = launch->workload;
    struct error ignored;
    snprintf(label, 200, "%s", launch->label);
    if (known && registry_find(registry, known->workload, &w, &ignored) == 0)
        snprintf(label, 200, known->input < 0 ? "%s/%u" : "%s/%u.%d", known->workload, (unsigned)known->index,
                 (int)known->input);
    *group = w ? workload_family(w) : label;
}

void hint_table_add(struct hint_table *t, const struct launch *launch, const struct registry *registry,
                    const struct hint_surface *s)
{
    const struct profile_table *in = NULL;
    const struct profile_launch *known = profiled(t, launch, &in);
    char label[200], trace[HASH_TEXT_SIZE];
    const char *group;
    names_of(launch, known, registry, label, &group);
    hash_text(&launch->hash, trace);
    const double base = known ? (double)profile_table_cycles(in, known, (struct warp_tuple){.N = s->W, .p = s->W}) : 0;
    for (size_t i = 0; i < s->n; i++) {
        const double cycles = known ? (double)profile_table_cycles(in, known, s->tuples[i]) : 0;
        double x[N_HINT_COLUMNS];
        if (t->n_profiles && !(base > 0 && cycles > 0)) continue;
        hint_columns(s, i, x);
        csv_print(t->out, label);
        csv_next(t->out, group);
        fprintf(t->out, ",%s,%u,%u,%u,", trace, (unsigned)s->tuples[i].N, (unsigned)s->tuples[i].p, (unsigned)s->W);
        if (t->n_profiles) fprintf(t->out, "%.9g", log(base / cycles));
        for (size_t c = 0; c < N_HINT_COLUMNS; c++) fprintf(t->out, ",%.9g", x[c]);
        fputc('\n', t->out);
    }
}

int hint_table_write(struct hint_table *t, const char *path, struct error *err)
{
    FILE *out = t->out;
    t->out = NULL;
    return file_write_stream(path, out, &t->text, &t->size, err);
}

void hint_table_close(struct hint_table *t)
{
    if (t->out) fclose(t->out);
    free(t->text);
    for (size_t k = 0; k < t->n_profiles; k++) profile_table_fini(&t->profiles[k]);
    free(t->profiles);
    *t = (struct hint_table){0};
}
