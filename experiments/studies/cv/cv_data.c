/* The data set of a validation: which columns, which groups, which profile belongs to which row (by the trace's
 * hash). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/cv/cv.h"
#include "poise/dataset.h"
#include "poise/regret.h"

bool cv_is_constant(const struct cv_data *data, size_t column)
{
    const double *x = data->set.data.x + column * data->n;
    for (size_t i = 1; i < data->n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

static size_t index_of(const char *name, const char **names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0) i++;
    return i;
}

/* The column that names the groups, or NULL. */
static const char *group_column(const struct cv_data *d, const struct cv_spec *spec)
{
    const struct table_column *group = table_csv_find(&d->table, spec->group);
    if (!group) group = table_csv_find(&d->table, "group");
    return group ? group->name : NULL;
}

/* The union of features and candidates, each name once; where each stands. */
static int choose_columns(struct cv_data *d, const struct cv_spec *spec, const char **names, size_t *n,
                          struct error *err)
{
    const char *wanted[2][CV_COLUMNS_MAX];
    size_t n_wanted[2] = {spec->n_features, spec->n_candidates};
    for (size_t i = 0; i < spec->n_features; i++) wanted[0][i] = spec->features[i];
    for (size_t i = 0; i < spec->n_candidates; i++) wanted[1][i] = spec->candidates[i];
    bool has_all = true;
    for (size_t i = 0; i < N_POISE_FEATURES; i++) has_all &= table_csv_find(&d->table, poise_feature_names[i]) != NULL;
    if (spec->n_features == 0 && has_all)
        for (; n_wanted[0] < N_POISE_FEATURES; n_wanted[0]++) wanted[0][n_wanted[0]] = poise_feature_names[n_wanted[0]];
    if (n_wanted[0] == 0) { /* the rule of poise train */
        struct training_set set;
        const char *words[16];
        size_t n_words = 0;
        for (; dataset_word_columns[n_words]; n_words++) words[n_words] = dataset_word_columns[n_words];
        words[n_words] = group_column(d, spec); /* it has its use */
        words[n_words + 1] = NULL;
        if (training_set_init(&set, &d->table,
                              &(struct training_choice){.target = spec->targets[0],
                                                        .roles = {dataset_outcome_columns, words},
                                                        .is_repeated = true,
                                                        .notes = &d->notes},
                              err) < 0)
            return -1;
        for (size_t j = 0; j < set.data.k; j++) {
            if (n_wanted[0] == CV_COLUMNS_MAX || (spec->n_targets > 1 && strcmp(set.names[j], spec->targets[1]) == 0))
                continue;
            const struct table_column *column = table_csv_find(&d->table, set.names[j]);
            wanted[0][n_wanted[0]++] = column->name;
        }
        training_set_fini(&set);
    }
    for (size_t r = 0; r < n_feature_rows && spec->n_candidates == 0; r++)
        if (table_csv_find(&d->table, feature_rows[r].name)) wanted[1][n_wanted[1]++] = feature_rows[r].name;
    if (n_wanted[1] == 0)
        for (size_t i = 0; i < n_wanted[0]; i++) wanted[1][n_wanted[1]++] = wanted[0][i];
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; i < n_wanted[list]; i++) {
            const size_t at = index_of(wanted[list][i], names, *n);
            if (at == *n) names[(*n)++] = wanted[list][i];
            if (list == 0) d->columns[d->n_columns++] = at;
            else d->candidates[d->n_candidates++] = at;
        }
    return 0;
}

static int number_at(const struct table_csv *table, const char *column, size_t row, double *out, struct error *err)
{
    const struct table_column *c = table_csv_find(table, column);
    if (!c) return error_set(err, ERR_INPUT, "%s: no column '%s'", table->source, column);
    *out = c->values[row];
    if (isfinite(*out)) return 0;
    error_set(err, ERR_INPUT, "%s:%ld: column '%s' is no finite number", table->source, table->lines[row], column);
    return error_at(err, table->source, table->lines[row], -1, NULL);
}

static const char *text_at(const struct table_csv *table, const char *column, size_t row)
{
    const struct table_column *c = table_csv_find(table, column);
    return c ? c->texts[row] : NULL;
}

/* The points of one trace; rows of a profile stand together, but that is not relied on. */
static int collect(struct cv_data *d, const struct table_csv *profile, size_t row, struct profile_point *points,
                   size_t *used, struct error *err)
{
    const char *trace = text_at(&d->table, "trace", row);
    struct cv_launch *launch = &d->launches[row];
    double W = 0;
    launch->points = points + *used;
    if (!trace || number_at(&d->table, "W", row, &W, err) < 0)
        return trace ? -1
                     : error_set(err, ERR_INPUT, "%s: no column 'trace': it says which profile a row belongs to",
                                 d->table.source);
    for (size_t i = 0; i < profile->n_rows; i++) {
        double N, p, speedup;
        const char *own = text_at(profile, "trace", i);
        if (!own) return error_set(err, ERR_INPUT, "%s: no column 'trace'", profile->source);
        if (strcmp(own, trace) != 0) continue;
        if (number_at(profile, "N", i, &N, err) < 0 || number_at(profile, "p", i, &p, err) < 0 ||
            number_at(profile, "speedup", i, &speedup, err) < 0)
            return -1;
        if (!(N >= 1 && N <= 4096 && p >= 1 && p <= N && speedup > 0)) {
            error_set(err, ERR_INPUT, "%s:%ld: (%g, %g) with speedup %g is no point of a profile", profile->source,
                      profile->lines[i], N, p, speedup);
            return error_at(err, profile->source, profile->lines[i], -1, NULL);
        }
        launch->points[launch->n++] = (struct profile_point){(uint32_t)N, (uint32_t)p, speedup};
    }
    *used += launch->n;
    launch->W = W >= 1 && W <= 4096 ? (uint32_t)W : 0;
    if (launch->n > 0 && launch->W > 0) return 0;
    error_set(err, ERR_INPUT, "%s:%ld: no profile of trace %.40s in %s", d->table.source, d->table.lines[row], trace,
              profile->source);
    return error_at(err, d->table.source, d->table.lines[row], -1,
                    "the data set and the profile must come from the same run");
}

static int read_profile(struct cv_data *d, const char *path, struct error *err)
{
    struct table_csv profile;
    if (table_csv_read(&profile, path, err) < 0) return -1;
    d->launches = calloc(d->n + 1, sizeof *d->launches);
    size_t used = 0, room = 1;
    const struct table_column *trace = table_csv_find(&profile, "trace");
    for (size_t i = 0; trace && i < d->n; i++) /* two rows of one trace share its points: count them twice */
        for (size_t j = 0; j < profile.n_rows; j++) {
            const char *own = text_at(&d->table, "trace", i);
            room += own && strcmp(own, trace->texts[j]) == 0;
        }
    d->points = calloc(room, sizeof *d->points);
    int failed = d->launches && d->points ? 0 : error_set(err, ERR_MEMORY, "out of memory for the profile");
    for (size_t i = 0; i < d->n && !failed; i++) failed = collect(d, &profile, i, d->points, &used, err);
    table_csv_fini(&profile);
    d->has_profile = !failed;
    return failed;
}

static int find_groups(struct cv_data *d, const struct cv_spec *spec, struct error *err)
{
    const char *group = group_column(d, spec);
    if (!group) {
        error_set(err, ERR_INPUT, "%s: no column '%s' and none called 'group'", d->table.source, spec->group);
        return error_at(err, d->table.source, 1, -1,
                        "kernels of one benchmark are alike: a fold must not split them, so groups are needed");
    }
    return groups_init(&d->groups, table_csv_find(&d->table, group)->texts, d->table.n_rows, err);
}

/* Targets in warps as they are range to each row's own W. */
static int find_ranges(struct cv_data *d, struct error *err)
{
    for (size_t i = 0; i < d->n; i++) {
        double W;
        if (number_at(&d->table, "W", i, &W, err) < 0)
            return error_at(err, d->table.source, d->table.lines[i], -1,
                            "scale 0: targets are warps as they are, of W a scheduler");
        if (W >= 1 && W <= 4096) continue;
        error_set(err, ERR_INPUT, "%s:%ld: %g is no number of warps per scheduler (W)", d->table.source,
                  d->table.lines[i], W);
        return error_at(err, d->table.source, d->table.lines[i], -1, NULL);
    }
    d->W = table_csv_find(&d->table, "W")->values;
    return 0;
}

/* Rows without a group are left out; a row of frequency weight w stands w times, in folds, figures and draws alike. */
static int prepare_rows(struct cv_data *d, const struct cv_spec *spec, bool *is_repeated, struct error *err)
{
    const char *group = group_column(d, spec);
    *is_repeated = spec->weights == WEIGHTS_FREQUENCY && table_csv_find(&d->table, "weight");
    for (size_t t = 0; t < spec->n_targets; t++) *is_repeated &= strcmp(spec->targets[t], "weight") != 0;
    if (group && table_csv_drop_missing(&d->table, group, &d->notes, err) < 0) return -1;
    return *is_repeated ? table_csv_repeat(&d->table, "weight", err) : 0;
}

int cv_data_init(struct cv_data *d, const struct cv_spec *spec, struct error *err)
{
    const char *names[2 * CV_COLUMNS_MAX];
    size_t k = 0;
    bool is_repeated;
    memset(d, 0, sizeof *d);
    if (table_read(&d->table, spec->dataset, err) < 0) return -1;
    int failed = prepare_rows(d, spec, &is_repeated, err);
    d->n = d->table.n_rows;
    d->n_targets = spec->n_targets;
    d->scale = spec->params.scale;
    if (!failed) failed = choose_columns(d, spec, names, &k, err);
    const struct training_choice choice = {.target = spec->targets[0],
                                           .features = names,
                                           .n_features = k,
                                           .weights = spec->weights,
                                           .notes = &d->notes,
                                           .is_repeated = is_repeated};
    if (!failed) failed = training_set_init(&d->set, &d->table, &choice, err);
    for (size_t t = 0; t < spec->n_targets && !failed; t++) {
        const struct table_column *column = table_csv_find(&d->table, spec->targets[t]);
        double ignored;
        if (!column)
            failed = error_set(err, ERR_INPUT, "%s: no column '%s' for the target", d->table.source, spec->targets[t]);
        for (size_t i = 0; i < d->n && !failed; i++) failed = number_at(&d->table, spec->targets[t], i, &ignored, err);
        if (!failed) d->y[t] = column->values;
    }
    if (!failed) failed = find_groups(d, spec, err);
    if (!failed && spec->params.scale == 0) failed = find_ranges(d, err);
    const bool is_tuple =
        spec->n_targets == 2 && strcmp(spec->targets[0], "N") == 0 && strcmp(spec->targets[1], "p") == 0;
    d->is_tuple = is_tuple;
    if (!failed && spec->profile[0] && !is_tuple)
        failed = error_set(err, ERR_INPUT, "a profile needs the targets N and p, in this order");
    if (!failed && spec->profile[0]) failed = read_profile(d, spec->profile, err);
    if (failed) cv_data_fini(d);
    return failed;
}

void cv_data_fini(struct cv_data *d)
{
    groups_fini(&d->groups);
    training_set_fini(&d->set);
    table_csv_fini(&d->table);
    free(d->launches);
    free(d->points);
    memset(d, 0, sizeof *d);
}
