/* The study of whole programs under the learned policy, and the networks that its programs run with. */
#include "study_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "folder.h"
#include "studies/repro/repro_internal.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static struct workload workloads[3] = {{.name = "ccl", .family = "neighbour-gather"},
                                       {.name = "gco", .family = "neighbour-gather"},
                                       {.name = "mvt", .family = "row-scan"}};

/* Two programs of one family and one of another: harmonic means, and whom the policy harms. */
static void programs_are_told_by_their_mean_and_by_harm(void **state)
{
    static const char *const names[] = {"ccl", "gco", "mvt"};
    static const uint64_t cycles[] = {1250, 1000, 250};
    struct study_rig rig;
    struct repro_report report = {0};
    (void)state;
    study_begin_even(&rig, study_of("learned-programs"), names, COUNT_OF(names));
    for (size_t b = 0; b < COUNT_OF(names); b++) {
        rig.benchmarks[b].workload = &workloads[b];
        study_set(&rig, b, "learned", "core_cycles", cycles[b]);
        study_set(&rig, b, "constant (1,1)", "core_cycles", 2000);
    }
    study_set(&rig, 2, "each launch anew", "core_cycles", 250);
    study_report("learned-programs", &rig.data, &report);
    assert_int_equal(report.n_families, 2);
    NEAR(study_row(&report, "learned")->ours, 3 / 2.5);
    NEAR(study_row(&report, "learned, below 0.98 of GTO")->ours, 1);
    NEAR(study_row(&report, "learned, worst program over GTO")->ours, 0.8);
    NEAR(study_row(&report, "constant (1,1), below 0.98 of GTO")->ours, 3);
    NEAR(study_row(&report, "learned over constant (1,1)")->ours, 2 * 3 / 2.5);
    NEAR(study_row(&report, "learned over ladder")->ours, 3 / 2.5);
    NEAR(study_row(&report, "mvt learned")->ours, 4);
    /* so few families stay, and programs are drawn within each: ccl twice is the worst draw, gco twice the best */
    const struct repro_row *row = study_row(&report, "learned over ladder");
    assert_true(row->has_ci);
    NEAR(row->ci95[0], 3 / 2.75);
    NEAR(row->ci95[1], 3 / 2.25);
    assert_true(study_check(&report, "faster than ladder") && !study_check(&report, "faster than each launch anew"));
    assert_false(study_check(&report, "it costs no program more"));
    repro_report_fini(&report);
    study_end(&rig);
}

static void model_of(const struct workload *w, const char *dir, const char *mech, char *out)
{
    const struct launch launch = {.workload = w};
    struct run_job job = {.launch = &launch, .n_stack = 1};
    struct error err;
    assert_ok(mech_parse(&job.stack[0], mech, &err), &err);
    assert_ok(repro_networks_fill(&job, dir, &err), &err);
    params_text(params_find(mech_params(job.stack[0].type), "model"), job.stack[0].params, out, PARAM_TEXT_MAX);
    mech_free(&job.stack[0]);
}

static void touch(const char *dir, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fclose(out);
}

static void a_program_runs_with_the_network_that_saw_nothing_of_its_family(void **state)
{
    static const struct workload stranger = {.name = "nobody", .family = "of-its-own"};
    char dir[] = "/tmp/poise-networks-XXXXXX", model[PARAM_TEXT_MAX], expected[600];
    (void)state;
    assert_non_null(mkdtemp(dir));
    touch(dir, "response-neighbour-gather.json");
    touch(dir, "response.json");
    model_of(&workloads[0], dir, "learned,model=@network", model);
    snprintf(expected, sizeof expected, "%s/response-neighbour-gather.json", dir);
    assert_string_equal(model, expected);
    model_of(&stranger, dir, "learned,model=@network", model); /* nothing was learned from its family */
    snprintf(expected, sizeof expected, "%s/response.json", dir);
    assert_string_equal(model, expected);
    model_of(&workloads[0], dir, "learned,model=own.json", model); /* a file that the spec names stays */
    assert_string_equal(model, "own.json");
    folder_remove(dir);
}

static void a_study_without_networks_makes_none_and_names_a_pipeline_that_is_missing(void **state)
{
    struct repro_spec spec = {.config = "kepler32"};
    struct repro_options o = {.store = "out/store.sqlite"};
    char dir[600];
    struct error err;
    (void)state;
    snprintf(o.paths.configs, sizeof o.paths.configs, "%s", CONFIGS);
    assert_ok(repro_networks_make(&spec, &o, dir, sizeof dir, &err), &err);
    assert_string_equal(dir, "");
    strcpy(spec.networks, "no-such.yaml");
    assert_int_equal(repro_networks_make(&spec, &o, dir, sizeof dir, &err), -1);
    assert_non_null(strstr(err.text, "no-such.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_told_by_their_mean_and_by_harm),
        cmocka_unit_test(a_program_runs_with_the_network_that_saw_nothing_of_its_family),
        cmocka_unit_test(a_study_without_networks_makes_none_and_names_a_pipeline_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
