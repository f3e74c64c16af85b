#include "study_rig.h"

const struct repro_list *studies(void)
{
    static struct repro_list *list; /* for as long as the tests run */
    struct error err;
    if (!list) assert_ok(repro_list_load(&list, CONFIGS, &err), &err);
    return list;
}

const struct repro_study *study_of(const char *id)
{
    const struct repro_study *study;
    struct error err;
    assert_ok(repro_list_find(studies(), id, &study, &err), &err);
    return study;
}

void study_report(const char *id, const struct repro_data *data, struct repro_report *report)
{
    struct error err;
    assert_ok(repro_report(study_of(id), data, report, &err), &err);
}

void set_counter(struct gpu_stats *stats, const char *name, uint64_t value)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            memcpy((char *)stats + gpu_stat_table.rows[i].offset, &value, sizeof value);
}

void study_begin(struct study_rig *r, const struct repro_study *study, const char *const *names, size_t n,
                 const struct study_counter *usual, size_t n_usual)
{
    char path[1024];
    struct error err;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
    assert_ok(repro_spec_load(&r->spec, path, CONFIGS, NULL, &err), &err);
    r->data = (struct repro_data){.combined = r->spec.combined,
                                  .refusals = r->spec.refusals,
                                  .n_refusals = r->spec.n_refusals,
                                  .benchmarks = r->benchmarks,
                                  .n = n};
    repro_spec_points(&r->spec, &r->data);
    for (size_t b = 0; b < n; b++) {
        r->benchmarks[b] = (struct repro_benchmark){.name = names[b]};
        for (size_t p = 0; p < r->spec.n_points; p++) {
            assert_non_null(r->benchmarks[b].stats[p] = calloc(1, gpu_stat_table.size));
            assert_non_null(r->benchmarks[b].mechs[p] = json_object());
            for (size_t i = 0; i < n_usual; i++) set_counter(r->benchmarks[b].stats[p], usual[i].name, usual[i].value);
        }
    }
}

void study_begin_even(struct study_rig *r, const struct repro_study *study, const char *const *names, size_t n)
{
    static const struct study_counter usual[] = {{"core_cycles", 1000}, {"thread_insts", 1000}};
    study_begin(r, study, names, n, usual, COUNT_OF(usual));
}

void study_end(struct study_rig *r)
{
    for (size_t b = 0; b < r->data.n; b++)
        for (size_t p = 0; p < r->data.n_points; p++) {
            free(r->benchmarks[b].stats[p]);
            json_decref(r->benchmarks[b].mechs[p]);
        }
    repro_spec_fini(&r->spec);
}

static size_t point_of(const struct study_rig *r, const char *point)
{
    const size_t p = repro_point(&r->data, point);
    if (p >= r->data.n_points) fail_msg("no point '%s'", point);
    return p;
}

void study_set(struct study_rig *r, size_t benchmark, const char *point, const char *counter, uint64_t value)
{
    set_counter(r->benchmarks[benchmark].stats[point_of(r, point)], counter, value);
}

void study_set_mech(struct study_rig *r, size_t benchmark, const char *point, const char *mech, const char *counter,
                    uint64_t value)
{
    json_t *all = r->benchmarks[benchmark].mechs[point_of(r, point)];
    if (!json_object_get(all, mech)) json_object_set_new(all, mech, json_object());
    json_object_set_new(json_object_get(all, mech), counter, json_integer((json_int_t)value));
}

const struct repro_row *study_row(const struct repro_report *report, const char *label)
{
    for (size_t i = 0; i < report->n_rows; i++)
        if (strcmp(report->rows[i].label, label) == 0) return &report->rows[i];
    fail_msg("no row '%s'", label);
    return NULL;
}

bool study_check(const struct repro_report *report, const char *text)
{
    for (size_t i = 0; i < report->n_checks; i++)
        if (strstr(report->checks[i].text, text)) return report->checks[i].holds;
    fail_msg("no check '%s'", text);
    return false;
}
