/* A study over our programs and over those of suites, side by side. The study does not know of it: suite_cast has the
 * registry give a suite's program under the paper's name. Both run over the programs that the suites have, so that
 * means are of the same programs. */
#include <stdlib.h>
#include <string.h>
#include "poise/pipeline.h"
#include "poise/repro.h"
#include "poise/suite.h"
#include "studies/repro/figure.h"

/* ---- what a study asks for ---- */

static bool has_wildcards(const char (*names)[64], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strpbrk(names[i], "*?[")) return true;
    return false;
}

static int find_of_spec(struct suite_cast *out, const struct repro_study *study, const struct repro_options *o,
                        struct error *err)
{
    struct repro_spec spec;
    char path[1200];
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&spec, path, o->paths.configs, o->config, err) < 0) return -1;
    const bool by_paper = spec.n_paper_kernels && has_wildcards(spec.kernels, spec.n_kernels);
    const int result =
        suite_cast_find(out, o->on, o->n_on, by_paper ? spec.paper_kernels : spec.kernels,
                        by_paper ? spec.n_paper_kernels : spec.n_kernels, &o->paths, spec.scopes[o->mode].size, err);
    repro_spec_fini(&spec);
    return result;
}

static int find_of_pipeline(struct suite_cast *out, const struct repro_study *study, const struct repro_options *o,
                            struct error *err)
{
    char path[1200];
    struct pipeline_spec *spec = malloc(sizeof *spec);
    if (!spec) return error_set(err, ERR_MEMORY, "out of memory for a study");
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    int result = pipeline_spec_load(spec, path, err);
    if (result == 0)
        result = suite_cast_find(out, o->on, o->n_on, spec->evaluation, spec->n_evaluation, &o->paths, spec->size, err);
    free(spec);
    return result;
}

static int refuse_none(const struct suite_cast *cast, const struct repro_study *study, const struct repro_options *o,
                       struct error *err)
{
    char list[400] = "", hint[220], names[100];
    size_t at = 0;
    for (size_t i = 0; i < cast->n && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s: %s", i ? "; " : "", cast->members[i].paper,
                               cast->members[i].why);
    repro_on_names(o, " or ", names, sizeof names);
    error_set(err, ERR_INPUT, "%s has no program of %s that is built: %s", names, study->id, list);
    snprintf(hint, sizeof hint,
             "'poise suite build SUITE' builds them; names: {%s: PROGRAM} in SUITE.suite.yaml says which is which",
             cast->n ? cast->members[0].paper : "bfs");
    return error_at(err, NULL, 0, -1, hint);
}

int repro_run_on(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                 struct error *err)
{
    struct repro_options o = *options;
    struct repro_result theirs = {0};
    struct suite_cast *cast = calloc(1, sizeof *cast);
    char names[100];
    *out = (struct repro_result){0};
    if (!cast) return error_set(err, ERR_MEMORY, "out of memory for names of programs");
    int result = repro_opens_sealed(study) || study->is_of_lengths || study->has_pairs
                     ? error_set(err, ERR_USAGE, "--on: %s is about programs of ours", study->id)
                 : study->tell ? find_of_pipeline(cast, study, &o, err)
                               : find_of_spec(cast, study, &o, err);
    if (result == 0 && cast->n_found == 0) result = refuse_none(cast, study, &o, err);
    o.only = cast;
    if (result == 0) result = repro_run(study, &o, out, err);
    o.paths.cast = cast;
    repro_on_names(&o, ", ", names, sizeof names);
    if (result == 0 && repro_run(study, &o, &theirs, err) < 0) result = error_while(err, "%s", names);
    if (result == 0) {
        repro_add_suite(&out->report, &theirs.report);
        out->second = theirs.report;
        theirs.report = (struct repro_report){0};
        out->report.n_runs += out->second.n_runs;
        out->totals.simulated += theirs.totals.simulated;
        out->totals.reused += theirs.totals.reused;
        out->totals.core_s += theirs.totals.core_s;
        out->totals.wall_s += theirs.totals.wall_s;
        out->cast = cast;
        if (out->report.out_of_memory) result = error_set(err, ERR_MEMORY, "out of memory for the report");
    } else {
        suite_cast_fini(cast);
        free(cast);
    }
    repro_result_fini(&theirs);
    if (result < 0) repro_result_fini(out);
    return result;
}
