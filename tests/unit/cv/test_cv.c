/* poise cv: specs and their complaints, regret against profiles, what the report holds, the same bytes twice. */
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "studies/cv/cv.h"
#include "poise/file.h"

#define SPEC POISE_SOURCE_DIR "/experiments/specs/ci-cv.yaml"
#define HEAD "schema: 1\nkind: cv\nname: t\ndataset: d.csv\n"

static void specs_are_read_and_mistakes_named_with_line_and_hint(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"schema: 1\nkind: cv\nname: t\nmodels: [{family: nb2}]\n", "'dataset' is missing"},
        {"schema: 1\nkind: cv\nname: t\ndataset: ''\nmodels: [{family: nb2}]\n", "'dataset' is empty"},
        {HEAD "profile: [a]\nmodels: [{family: nb2}]\n", "'profile' needs one value"},
        {HEAD, "'models' needs a list"},
        {HEAD "models: [{family: nb3}]\n", "no family 'nb3'"},
        {HEAD "models: [{family: nb2}, {family: nb2}]\n", "two models are called 'nb2'"},
        {HEAD "models: [{family: svr, settings: {D: 3}}]\n", "D"},
        {HEAD "models: [{family: svr, tune: {C: [1, x]}}]\n", "x"},
        {HEAD "models: [{family: nb2, name: '=1,2'}]\n", "no comma, quote or wildcard"},
        {HEAD "models: [{family: nb2, name: 'a b'}]\n", "the name becomes a folder"},
        {HEAD "models: [{family: nb2}]\nstudies: [ablations]\n", "did you mean 'ablation'"},
        {HEAD "models: [{family: nb2}]\nvalidation: {fold: 3}\n", "fold"},
        {HEAD "models: [{family: nb2}]\nvalidation: {folds: 1}\n", "folds"},
        {"schema: 1\nkind: sweep\nname: t\ndataset: d\nmodels: [{family: nb2}]\n",
         "'poise sweep' reads this spec; poise cv reads kind cv"},
        {HEAD "models: [{family: nb2}]\ntarget: N\n", "did you mean 'targets'"},
    };
    struct cv_spec spec;
    struct error err;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(-1, cv_spec_parse(&spec, "t.yaml", wrong[i].text, strlen(wrong[i].text), &err));
        if (!strstr(err.text, wrong[i].says) || !strstr(err.text, "t.yaml"))
            fail_msg("%s: %s", wrong[i].says, err.text);
    }
    assert_ok(cv_spec_read(&spec, SPEC, &err), &err);
    assert_int_equal(8, spec.n_models);
    assert_int_equal(5, spec.n_features);
    assert_true(spec.models[3].tunes && spec.models[4].n_axes == 2 && !spec.models[0].tunes);
    assert_non_null(strstr(spec.dataset, "experiments/specs/../../datasets/features/quickstart/dataset.csv"));
    cv_spec_fini(&spec);
}

static void put(const char *path, const char *text)
{
    struct error err;
    assert_ok(file_write(path, text, strlen(text), &err), &err);
}

static void remove_files(const char *dir)
{
    static const char *const files[] = {"data.csv", "profile.csv"};
    char path[128];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        remove(path);
    }
    rmdir(dir);
}

/* The mean predictor over a data set and its profile, in a folder of its own. */
struct scored {
    char dir[32];
    struct cv_spec spec;
    struct cv_data data;
    struct cv_score score;
    struct error err;
};
static void score_mean(struct scored *s, const char *dataset, const char *profile, const char *validation)
{
    char path[128], text[512];
    *s = (struct scored){.dir = "/tmp/poise-cv-XXXXXX"};
    assert_non_null(mkdtemp(s->dir));
    snprintf(path, sizeof path, "%s/data.csv", s->dir);
    put(path, dataset);
    snprintf(path, sizeof path, "%s/profile.csv", s->dir);
    put(path, profile);
    snprintf(text, sizeof text,
             "schema: 1\nkind: cv\nname: t\ndataset: %s/data.csv\nprofile: %s/profile.csv\nmodels: [{family: mean}]\n"
             "validation: {%s}\n",
             s->dir, s->dir, validation);
    assert_ok(cv_spec_parse(&s->spec, "t.yaml", text, strlen(text), &s->err), &s->err);
    assert_ok(cv_data_init(&s->data, &s->spec, &s->err), &s->err);
    const struct cv_task task = {.model = &s->spec.models[0], .columns = s->data.columns, .k = s->data.n_columns};
    assert_ok(cv_score_init(&s->score, &s->data, &s->spec.params, &task, &s->err), &s->err);
}

static void scored_fini(struct scored *s)
{
    cv_score_fini(&s->score);
    cv_data_fini(&s->data);
    cv_spec_fini(&s->spec);
    remove_files(s->dir);
}

/* Two benchmarks; the mean predictor of one is the other's mean, so every regret can be worked out by hand. */
static void regret_is_the_speedup_lost_against_the_best_point_of_each_profile(void **state)
{
    (void)state;
    struct scored s;
    score_mean(&s, "benchmark,trace,W,N,p,intercept\na,t1,24,4,2,1\na,t2,24,8,2,1\nb,t3,12,12,4,1\n",
               "trace,N,p,speedup\nt1,12,4,1.5\nt1,4,2,2\nt1,24,24,1\nt2,11,4,1.2\nt2,8,2,1.6\nt2,24,24,1\nt3,3,1,1."
               "8\nt3,6,2,2.4\nt3,12,12,1\n",
               "stride_N: 2, stride_p: 4");
    /* a is predicted by b: (12, 4). t1 has that point: 1.5 of 2. t2's nearest is (11, 4): 1.2 of 1.6. */
    assert_true(fabs(s.score.regret[0] - 0.25) < 1e-12);
    assert_true(fabs(s.score.regret[1] - 0.25) < 1e-12);
    /* b is predicted by a: (6, 2) of 24, with W = 12 (3, 1): 1.8 of 2.4; the search moves to (5, 1), whose nearest
     * is (6, 2). */
    assert_true(fabs(s.score.regret[2] - 0.25) < 1e-12);
    assert_true(fabs(s.score.regret_search[2]) < 1e-12);
    assert_int_equal(2, s.score.exact);
    assert_true(fabs(cv_metric_value(&s.score, CV_ERROR_N, NULL, 3) - (8.0 / 4 + 4.0 / 8 + 6.0 / 12) / 3) < 1e-12);
    assert_true(fabs(cv_metric_value(&s.score, CV_REGRET, NULL, 3) - 0.25) < 1e-12);
    scored_fini(&s);
}

/* The same tuples for W = 24 and 12, not scaled: what is predicted is looked up as it is, and clamped to each row's
 * own W. */
static void targets_of_scale_0_range_to_each_row_s_warps(void **state)
{
    (void)state;
    struct scored s;
    score_mean(&s, "benchmark,trace,W,N,p,intercept\na,t1,24,16,4,1\nb,t2,8,6,2,1\n",
               "trace,N,p,speedup\nt1,16,4,2\nt1,6,2,1.5\nt1,24,24,1\nt2,8,4,1.2\nt2,6,2,1.6\nt2,8,8,1\n", "scale: 0");
    assert_true(s.score.predicted[0][0] == 6 && s.score.predicted[1][0] == 2); /* b's tuple as it is */
    assert_true(fabs(s.score.regret[0] - 0.25) < 1e-12);
    assert_true(s.score.predicted[0][1] == 8 && s.score.predicted[1][1] == 4); /* a's 16 is more than b's 8 warps */
    assert_true(fabs(s.score.regret[1] - 0.25) < 1e-12);
    assert_int_equal(1, s.score.outside);
    assert_true(fabs(cv_metric_value(&s.score, CV_SCALE_N, NULL, 2) - (10.0 / 24 + 2.0 / 8) / 2) < 1e-12);
    assert_true(fabs(cv_metric_value(&s.score, CV_SCALE_P, &(size_t){1}, 1) - 2.0 / 8) < 1e-12);
    /* without W, or with one that is none, there is no range */
    static const struct {
        const char *table, *says;
    } wrong[] = {
        {"benchmark,N,p,intercept\na,16,4,1\nb,6,2,1\n", "no column 'W'"},
        {"benchmark,W,N,p,intercept\na,24,16,4,1\nb,0,6,2,1\n", "data.csv:3: 0 is no number of warps"},
    };
    char path[128];
    s.spec.profile[0] = '\0';
    snprintf(path, sizeof path, "%s/data.csv", s.dir);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct cv_data data;
        put(path, wrong[i].table);
        assert_int_equal(-1, cv_data_init(&data, &s.spec, &s.err));
        if (!strstr(s.err.text, wrong[i].says)) fail_msg("%s", s.err.text);
    }
    scored_fini(&s);
}

static char *report_text(const char *path)
{
    struct cv_spec spec;
    struct error err;
    json_t *report;
    assert_ok(cv_spec_read(&spec, path, &err), &err);
    assert_ok(cv_run(&report, &spec, NULL, &err), &err);
    char *text = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(report);
    cv_spec_fini(&spec);
    return text;
}

static void the_report_has_the_contract_s_keys_and_the_same_bytes_twice(void **state)
{
    (void)state;
    char *one = report_text(SPEC), *two = report_text(SPEC);
    assert_string_equal(one, two);
    json_t *json = json_loads(one, 0, NULL), *models = json_object_get(json, "models"),
           *folds = json_object_get(json, "folds");
    static const char *const keys[] = {"name",     "error_N", "error_p",       "mae",
                                       "spearman", "regret",  "regret_search", "ci95"};
    assert_int_equal(8, json_array_size(models));
    for (size_t m = 0; m < 8; m++)
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            if (!json_object_get(json_array_get(models, m), keys[k])) fail_msg("model %zu has no %s", m, keys[k]);
    assert_int_equal(3, json_array_size(folds));
    assert_non_null(json_object_get(json_array_get(folds, 0), "group"));
    assert_int_equal(8, json_object_size(json_object_get(json_array_get(folds, 0), "models")));
    assert_int_equal(7 * 5, json_array_size(json_object_get(json, "paired")));
    for (int s = 0; s < N_CV_STUDIES; s++)
        if (!json_object_get(json_object_get(json, "studies"), cv_study_names[s]))
            fail_msg("no study %s", cv_study_names[s]);
    json_t *regret = json_object_get(json_array_get(models, 0), "regret");
    assert_true(json_number_value(regret) >= 0 && json_number_value(regret) < 1);
    json_decref(json);
    free(one);
    free(two);
}

static void noise_of_sigma_0_changes_nothing_and_selection_is_judged_on_unseen_groups(void **state)
{
    (void)state;
    char *text = report_text(SPEC);
    json_t *json = json_loads(text, 0, NULL), *model = json_array_get(json_object_get(json, "models"), 0);
    const json_t *studies = json_object_get(json, "studies"),
                 *noise = json_array_get(json_object_get(studies, "noise"), 0);
    assert_true(json_number_value(json_object_get(noise, "regret")) ==
                json_number_value(json_object_get(model, "regret")));
    const json_t *selection = json_object_get(studies, "selection"), *nested = json_object_get(selection, "nested");
    assert_int_equal(3, json_array_size(nested));
    const json_t *steps = json_object_get(selection, "steps");
    assert_true(json_array_size(steps) >= 2 && json_array_size(steps) <= 4); /* the constant, then at most 3 */
    const json_t *ablation = json_object_get(studies, "ablation");
    assert_int_equal(4, json_array_size(ablation)); /* the constant stays */
    json_decref(json);
    free(text);
}

static void repeated_folds_pool_every_repeat_and_never_split_a_group(void **state)
{
    (void)state;
    struct cv_spec spec;
    struct cv_data data;
    struct cv_score score;
    struct error err;
    assert_ok(cv_spec_read(&spec, SPEC, &err), &err);
    spec.params.kind = 1;
    spec.params.folds = 2;
    spec.params.repeats = 4;
    assert_ok(cv_data_init(&data, &spec, &err), &err);
    const struct cv_task task = {.model = &spec.models[7], .columns = data.columns, .k = data.n_columns};
    assert_ok(cv_score_init(&score, &data, &spec.params, &task, &err), &err);
    assert_int_equal(4 * data.n, score.m);
    for (size_t r = 0; r < 4; r++)
        for (size_t i = 0; i < data.n; i++)
            for (size_t j = 0; j < data.n; j++)
                if (data.groups.of[i] == data.groups.of[j])
                    assert_int_equal(score.folds[r].of[i], score.folds[r].of[j]);
    cv_score_fini(&score);
    cv_data_fini(&data);
    cv_spec_fini(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_are_read_and_mistakes_named_with_line_and_hint),
        cmocka_unit_test(regret_is_the_speedup_lost_against_the_best_point_of_each_profile),
        cmocka_unit_test(targets_of_scale_0_range_to_each_row_s_warps),
        cmocka_unit_test(the_report_has_the_contract_s_keys_and_the_same_bytes_twice),
        cmocka_unit_test(noise_of_sigma_0_changes_nothing_and_selection_is_judged_on_unseen_groups),
        cmocka_unit_test(repeated_folds_pool_every_repeat_and_never_split_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
