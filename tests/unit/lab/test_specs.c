#include "rig.h"
#include "where.h"

#include "poise/pipeline.h"
#include "poise/sweep.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"

static void registry_fails(const char *text, const char *message)
{
    struct registry r;
    struct error err;
    assert_int_equal(-1, registry_parse(&r, "list.yaml", text, strlen(text), &err));
    assert_string_equal(err.text, message);
    assert_int_equal(2, error_exit_status(&err));
}

static void the_registry_says_which_launches_are_profiled_by_size_and_input(void **state)
{
    (void)state;
    struct registry r;
    struct error err;
    const struct workload *w;
    const char *text =
        "schema: 1\nworkloads:\n"
        "  - {name: mm, suite: mars, set: evaluation, program: mm, profiled: {small: [0, 2], test: [1]}}\n"
        "  - {name: gco, suite: graph, set: training, program: gco, inputs: [0, 3], profiled: {small: {0: [4], 3: [5, "
        "6]}}}\n"
        "  - {name: ccl, suite: graph, set: training, program: ccl, benchmark: gco, launches: 5, inputs: [1, 2], "
        "profiled: {small: [[0], [1]]}}\n"
        "  - {name: nw, suite: rodinia, set: further, program: nw, class: 'coherent [BUCL]'}\n";
    assert_ok(registry_parse(&r, "list.yaml", text, strlen(text), &err), &err);
    assert_int_equal(4, r.n);
    assert_ok(registry_find(&r, "mm", &w, &err), &err);
    assert_int_equal(WORKLOAD_EVALUATION, w->set);
    assert_int_equal(1, w->n_inputs);
    assert_int_equal(-1, w->inputs[0]);
    assert_true(workload_is_profiled(w, 1, -1, 2));
    assert_false(workload_is_profiled(w, 1, -1, 1));
    assert_true(workload_is_profiled(w, 0, -1, 1));
    assert_ok(registry_find(&r, "gco", &w, &err), &err);
    assert_true(workload_is_profiled(w, 1, 3, 6) && workload_is_profiled(w, 1, 0, 4));
    assert_string_equal(w->benchmark, "gco");
    assert_int_equal(0, w->max_launches);
    assert_false(workload_is_profiled(w, 1, 0, 6));
    assert_ok(registry_find(&r, "ccl", &w, &err), &err);
    assert_true(workload_is_profiled(w, 1, 2, 1) && !workload_is_profiled(w, 1, 1, 1));
    assert_string_equal(w->benchmark, "gco");
    assert_int_equal(5, w->max_launches);
    assert_int_equal(WORKLOAD_TRAINING, w->set);
    assert_string_equal("", w->class);
    assert_ok(registry_find(&r, "nw", &w, &err), &err);
    assert_int_equal(WORKLOAD_FURTHER, w->set);
    assert_string_equal("coherent [BUCL]", w->class);
    assert_int_equal(-1, registry_find(&r, "gcu", &w, &err));
    assert_string_equal(err.text, "no kernel 'gcu'; did you mean 'gco'?");
    registry_fini(&r);
}

static void a_family_is_in_one_split_alone_and_patterns_mean_nothing_sealed(void **state)
{
    (void)state;
    struct registry r;
    struct error err;
    struct lab_paths paths = {.programs = "/nowhere", .traces = "/nowhere"};
    struct launches launches = {0};
    const char *text = "schema: 1\nworkloads:\n"
                       "  - {name: mvt, suite: s, set: further, program: mvt, family: row-scan, split: development, "
                       "profiled: {small: [0], eval: [0]}}\n"
                       "  - {name: rays, suite: s, set: further, program: rays, family: voxel-walk, split: sealed, "
                       "profiled: {small: [0], eval: [0]}}\n"
                       "  - {name: probe, suite: s, set: further, program: probe, family: hash-probe, split: training, "
                       "profiled: {eval: [0]}}\n"
                       "  - {name: mvt-large, suite: s, set: variant, program: mvt, inputs: [1], "
                       "profiled: {small: [0]}}\n";
    assert_ok(registry_parse(&r, "list.yaml", text, strlen(text), &err), &err);
    const struct workload *mvt = &r.workloads[0], *rays = &r.workloads[1], *probe = &r.workloads[2],
                          *variant = &r.workloads[3];
    assert_string_equal("row-scan", mvt->family);
    assert_int_equal(SPLIT_DEVELOPMENT, mvt->split);
    assert_true(workload_is_meant(mvt, "*", workload_size("small")) &&
                workload_is_meant(mvt, "mvt", workload_size("full")));
    assert_false(workload_is_meant(rays, "*", workload_size("small")));
    assert_false(workload_is_meant(variant, "mvt*", workload_size("small")));
    assert_true(workload_is_meant(variant, "mvt-large", workload_size("small")));
    assert_false(workload_is_meant(probe, "*", workload_size("small")));
    assert_true(workload_is_meant(probe, "p*", workload_size("eval")));
    assert_int_equal(-1, workload_launches(&launches, &paths, rays, workload_size("eval"), -1, &err));
    assert_non_null(strstr(err.text, "kernel rays is sealed"));
    registry_fini(&r);
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suite: s, set: further, program: a, family: f, split: "
                   "sealed}\n  - {name: b, suite: s, set: further, program: b, family: f, split: training}\n",
                   "list.yaml:4:5: family 'f' is in split sealed with a and in split training with b: a family is in "
                   "one split alone");
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suite: s, set: further, program: a, family: f}\n",
                   "list.yaml:3:5: a: family and split stand together");
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suite: s, set: further, program: a, family: f, split: test}\n",
                   "list.yaml:3:69: split 'test': choose development, training or sealed");
}

static void registry_errors_name_line_and_column(void **state)
{
    (void)state;
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suite: s, set: traning, program: a}\n",
                   "list.yaml:3:30: set 'traning': choose training, evaluation, further or variant");
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suite: s, set: training, program: ../a}\n",
                   "list.yaml:3:49: '../a': the program becomes a folder: no '/', no blanks, no '.' in front");
    registry_fails("schema: 1\nworkloads:\n  - {name: a, suit: s, set: training, program: a}\n",
                   "list.yaml:3:21: no key 'suit' here; did you mean 'suite'?");
    registry_fails("schema: 2\nworkloads: []\n", "list.yaml:1:9: 2 is out of range: allowed 1 .. 1");
}

static struct sweep *sweep_of(const char *text)
{
    struct sweep *s;
    struct error err;
    assert_ok(sweep_parse(&s, "s.yaml", text, strlen(text), CONFIGS, &err), &err);
    return s;
}

static void a_condition_leaves_the_triangle_of_the_grid(void **state)
{
    (void)state;
    struct sweep *s = sweep_of(
        "schema: 1\nkind: sweep\nname: t\nkernels: [mm]\nstacks:\n"
        "  - gto\n  - mech: tuple\n    axes: {N: {from: 1, to: 24}, p: {from: 1, to: 24}}\n    where: p <= N\n");
    assert_int_equal(301, sweep_n_stacks(s));
    assert_string_equal("gto", sweep_stack_text(s, 0));
    assert_string_equal("tuple,N=1,p=1", sweep_stack_text(s, 1));
    assert_string_equal("tuple,N=2,p=1", sweep_stack_text(s, 2));
    assert_string_equal("tuple,N=24,p=24", sweep_stack_text(s, 300));
    assert_int_equal(1, sweep_n_configs(s));
    sweep_free(s);
}

/* From whichever folder the program is called. */
static void a_stack_finds_the_models_that_come_with_the_program(void **state)
{
    (void)state;
    struct sweep *s = sweep_of("schema: 1\nkind: sweep\nname: t\nkernels: [mm]\nstacks:\n"
                               "  - \"poise,model=@models/poise-quickstart.json\"\n");
    assert_string_equal("poise,model=@models/poise-quickstart.json", sweep_stack_text(s, 0));
    sweep_free(s);
}

static void axes_of_the_configuration_and_of_the_stack_multiply(void **state)
{
    (void)state;
    struct sweep *s = sweep_of(
        "schema: 1\nkind: sweep\nname: t\nkernels: [mm]\naxes: {l1.ways: [4, 8], l1.mshrs: [16, 32, 64]}\nstacks:\n"
        "  - mech: tuple\n    axes: {tuple.N: {from: 1, to: 16, times: 2}}\n");
    assert_int_equal(6, sweep_n_configs(s));
    assert_string_equal("l1.ways=4 l1.mshrs=16", sweep_config_text(s, 0));
    assert_string_equal("l1.ways=8 l1.mshrs=64", sweep_config_text(s, 5));
    assert_int_equal(5, sweep_n_stacks(s)); /* 1 2 4 8 16 */
    struct launches launches = {0};
    struct launch l = {.kernel = "k"};
    struct run_job *jobs;
    struct error err;
    size_t n;
    assert_ok(launches_add(&launches, &l, &err), &err);
    assert_ok(sweep_jobs(s, &launches, &jobs, &n, &err), &err);
    assert_int_equal(30, n);
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    launches_fini(&launches);
    sweep_free(s);
}

static void sweep_fails(const char *text, const char *message)
{
    struct sweep *s;
    struct error err;
    assert_int_equal(-1, sweep_parse(&s, "s.yaml", text, strlen(text), CONFIGS, &err));
    assert_null(s);
    if (strcmp(err.text, message) != 0) fail_msg("got:  %s\nwant: %s", err.text, message);
    assert_int_equal(2, error_exit_status(&err));
    assert_true(err.line > 0);
}
#define HEAD "schema: 1\nkind: sweep\nname: t\nkernels: [mm]\n"

static void sweep_errors_name_line_and_column(void **state)
{
    (void)state;
    sweep_fails("schema: 1\nkind: sweep\nname: t\nkernel: [mm]\n",
                "s.yaml:4:9: no key 'kernel' here; did you mean 'kernels'?");
    sweep_fails(HEAD "stacks:\n  - tupel,N=2\n",
                "s.yaml:6:5: no mechanism 'tupel'; did you mean 'tuple'?; `poise mechs` lists them");
    sweep_fails(HEAD "stacks:\n  - mech: tuple\n    axes: {M: [1]}\n",
                "s.yaml:7:15: tuple: no parameter 'M'; did you mean 'N'?");
    sweep_fails(HEAD "stacks:\n  - mech: tuple\n    axes: {N: [1, 99]}\n",
                "s.yaml:7:15: tuple: N = 99 warps: allowed 0 .. 64 (THESIS 5.3.2)");
    sweep_fails(HEAD "stacks:\n  - mech: tuple\n    axes: {N: {from: 5, to: 1}}\n",
                "s.yaml:7:15: axis N: from 5 is above to 1");
    sweep_fails(HEAD "stacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: q <= N\n",
                "s.yaml:8:12: 'q <= N': a condition compares axes of this stack or numbers, as in 'p <= N'");
    sweep_fails(HEAD "stacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: N > 1\n",
                "s.yaml:8:12: the conditions leave nothing of this stack");
    sweep_fails(HEAD "set: {l1.wayz: 3}\nstacks: [gto]\n",
                "s.yaml:5:16: l1: no parameter 'wayz'; did you mean 'ways'?");
    sweep_fails("schema: 1\nkind: pipeline\nname: t\nkernels: [mm]\nstacks: [gto]\n",
                "s.yaml:2:7: kind 'pipeline': 'poise run' reads this spec; poise sweep reads kind sweep");
    sweep_fails("schema: 1\nkind: sweep\nname: t\nkernels: [{name: mm, size: tiny}]\nstacks: [gto]\n",
                "s.yaml:4:28: size 'tiny': choose test, small, eval or full");
}

static void a_pipeline_without_words_is_the_thesis(void **state)
{
    (void)state;
    struct pipeline_spec s;
    struct error err;
    const char *text = "schema: 1\nkind: pipeline\nname: q\n";
    assert_ok(pipeline_spec_parse(&s, "p.yaml", text, strlen(text), &err), &err);
    assert_int_equal(20, s.points.budget);
    assert_int_equal(8, s.n_features);
    assert_string_equal("kepler32", s.config);
    assert_true(s.dataset.threshold_speedup == 0.015 && s.dataset.threshold_cycles == 10000 && s.dataset.scale == 24);
    assert_int_equal(GLM_NB2, s.family);
    text = "schema: 1\nkind: pipeline\nname: q\nwith: [bucl, \"swl,N=3\"]\n";
    assert_ok(pipeline_spec_parse(&s, "p.yaml", text, strlen(text), &err), &err);
    assert_int_equal(2, s.n_with);
    assert_string_equal("swl,N=3", s.with[1]);
}

static void what_joins_whole_grids_stands_behind_the_lists(void **state)
{
    (void)state;
    struct pipeline_spec s;
    struct error err;
    const char *text = "schema: 1\nkind: pipeline\nname: q\ntraining: [gco, pvr]\nprofiles: [a.csv]\nwhole: {training: "
                       "[gco-many, ccl-many], profiles: [b.csv, c.csv]}\n";
    assert_ok(pipeline_spec_parse(&s, "p.yaml", text, strlen(text), &err), &err);
    assert_true(s.n_training == 2 && s.n_whole_training == 2 && s.n_profiles == 1 && s.n_whole_profiles == 2);
    assert_string_equal("pvr", s.training[1]);
    assert_string_equal("gco-many", s.training[2]);
    assert_string_equal("ccl-many", s.training[3]);
    assert_string_equal("a.csv", s.profiles[0]);
    assert_string_equal("c.csv", s.profiles[2]);
    /* what is not tabled is simulated */
    text = "schema: 1\nkind: pipeline\nname: q\ntraining: gco\nwhole: {training: ccl}\n";
    assert_ok(pipeline_spec_parse(&s, "p.yaml", text, strlen(text), &err), &err);
    assert_true(s.n_training == 1 && s.n_whole_training == 1 && s.n_whole_profiles == 0);
    assert_string_equal("ccl", s.training[1]);
}

static void pipeline_fails(const char *text, const char *message)
{
    struct pipeline_spec s;
    struct error err;
    assert_int_equal(-1, pipeline_spec_parse(&s, "p.yaml", text, strlen(text), &err));
    if (strcmp(err.text, message) != 0) fail_msg("got:  %s\nwant: %s", err.text, message);
}

static void pipeline_errors_name_line_and_column(void **state)
{
    (void)state;
    pipeline_fails("schema: 1\nkind: pipeline\nname: q\npoints: 2\n",
                   "p.yaml:4:9: points: all, active, lattice, coarse-to-fine, or a number from 3 to 2080");
    pipeline_fails("schema: 1\nkind: pipeline\nname: ../q\n",
                   "p.yaml:3:7: '../q': the name becomes a folder: no '/', no blanks, no '.' in front");
    pipeline_fails("schema: 1\nkind: pipeline\nname: q\nfeatures: [h_o, nope]\n", "p.yaml:4:11: no feature 'nope'");
    pipeline_fails("schema: 1\nkind: pipeline\nname: q\ndataset: {threshold_speed: 1}\n",
                   "p.yaml:4:28: dataset: no parameter 'threshold_speed'; did you mean 'threshold_speedup'?");
    pipeline_fails("schema: 1\nkind: pipeline\nname: q\nwith: bukl\n",
                   "p.yaml:4:7: no mechanism 'bukl'; did you mean 'bucl'?; `poise mechs` lists them");
    pipeline_fails("schema: 1\nkind: pipeline\nname: q\ncontenders:\n  - {name: a, launches: some}\n",
                   "p.yaml:5:25: launches 'some': choose all or profiled");
    pipeline_fails("schema: 1\nkind: sweep\nname: q\n",
                   "p.yaml:2:7: kind 'sweep': 'poise sweep' reads this spec; poise run reads kind pipeline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registry_says_which_launches_are_profiled_by_size_and_input),
        cmocka_unit_test(a_family_is_in_one_split_alone_and_patterns_mean_nothing_sealed),
        cmocka_unit_test(registry_errors_name_line_and_column),
        cmocka_unit_test(a_condition_leaves_the_triangle_of_the_grid),
        cmocka_unit_test(a_stack_finds_the_models_that_come_with_the_program),
        cmocka_unit_test(axes_of_the_configuration_and_of_the_stack_multiply),
        cmocka_unit_test(sweep_errors_name_line_and_column),
        cmocka_unit_test(a_pipeline_without_words_is_the_thesis),
        cmocka_unit_test(what_joins_whole_grids_stands_behind_the_lists),
        cmocka_unit_test(pipeline_errors_name_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
