/* Learned choices of a policy: what is learned on groups left out, what scores say, model files and their C. */
#include "rig.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "poise/choice.h"
#include "poise/validate.h"

enum { K = 2, M = 3, GROUPS = 24, ROWS = 2, N = GROUPS * ROWS };
struct sample {
    struct response_data data;
    double x[N * K], z[N * M];
    size_t group[N];
    struct response_tuple tuples[M];
};
static const char *const names[K] = {"locality", "noise"};
static const char *const policies[M] = {"few: --mech swl,N=2", "fine: --set l1.organisation=tsc", "gto: --mech gto"};
static const size_t both[K] = {0, 1}, noise[1] = {1};

/* Below 0.3 of locality the first policy gains 1; above it the second gains 0.2 and the first loses 0.3. */
static void sample_init(struct sample *s)
{
    struct random random = {5};
    *s = (struct sample){.tuples = {{1, 1}, {2, 1}, {3, 1}}};
    for (size_t i = 0; i < N; i++) {
        const double a = (double)(i / ROWS) / GROUPS;
        s->group[i] = i / ROWS;
        s->x[i * K] = a, s->x[i * K + 1] = random_normal(&random);
        s->z[i * M] = a < 0.3 ? 1 : -0.3;
        s->z[i * M + 1] = a < 0.3 ? -0.2 : 0.2;
    }
    s->data = (struct response_data){.n = N,
                                     .k = K,
                                     .m = M,
                                     .x = s->x,
                                     .z = s->z,
                                     .group = s->group,
                                     .n_groups = GROUPS,
                                     .tuples = s->tuples,
                                     .names = names};
}

static const struct choice_score *score_of(const struct choice_validation *v, const char *learner, const char *columns)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->scores[i].learner, learner) == 0 && strcmp(v->scores[i].columns, columns) == 0)
            return &v->scores[i];
    fail_msg("no score of %s, %s", learner, columns);
    return NULL;
}

static const struct choice_columns sets[] = {{.name = "both", .columns = both, .n = 2},
                                             {.name = "noise", .columns = noise, .n = 1}};

static void a_threshold_is_learned_on_groups_left_out_and_noise_is_not(void **state)
{
    (void)state;
    struct sample s;
    struct choice_validation v;
    struct error err;
    sample_init(&s);
    assert_ok(choice_validate(&v, &s.data, sets, 2, NULL, 1, &err), &err);
    /* 8 of 24 groups lie below: the first policy gains (8 - 16 * 0.3) / 24, the second (16 * 0.2 - 8 * 0.2) / 24 */
    assert_int_equal(0, v.single);
    assert_true(fabs(v.oracle - (8 + 16 * 0.2) / 24) < 1e-12);
    const struct choice_score *single = score_of(&v, "best single", "");
    assert_true(fabs(single->gain - (8 - 16 * 0.3) / 24) < 1e-12 && fabs(single->regret - 16 * 0.5 / 24) < 1e-12);
    assert_true(single->closed == 0 && single->over == 0 && single->n_worse == 0);
    /* most groups are best served by the second */
    assert_true(fabs(score_of(&v, "most often best", "")->gain - (16 * 0.2 - 8 * 0.2) / 24) < 1e-12);
    static const char *const learn_it[] = {"one threshold", "policy tree", "policy trees", "forest"};
    for (size_t l = 0; l < 4; l++) {
        const struct choice_score *own = score_of(&v, learn_it[l], "both");
        if (!(own->closed > 0.7 && own->interval[0] > 0 && own->over > 0)) fail_msg("%s: %g", learn_it[l], own->closed);
    }
    for (size_t i = 0; i < v.n; i++)
        if (strcmp(v.scores[i].columns, "noise") == 0 && v.scores[i].closed > 0.3)
            fail_msg("%s of noise closes %g", v.scores[i].learner, v.scores[i].closed);
    choice_validation_fini(&v);
}

static void a_tree_parts_rows_where_a_wrong_choice_costs_most(void **state)
{
    (void)state;
    struct sample s;
    struct error err;
    struct family_settings settings;
    struct response_predictor *p;
    double mean[M];
    sample_init(&s);
    /* the first column says for a quarter of the groups what is worth 1, the second for half of them what is worth 0.1
     */
    for (size_t i = 0; i < N; i++) {
        const bool is_rare = i / ROWS % 4 == 0, is_half = i / ROWS % 2 == 1;
        s.x[i * K] = is_rare, s.x[i * K + 1] = is_half;
        s.z[i * M] = is_rare ? 1 : -1, s.z[i * M + 1] = is_half ? 0.1 : -0.1;
    }
    response_defaults(&response_policy, &settings);
    assert_ok(response_set(&response_policy, &settings, "depth", "1", &err), &err);
    assert_ok(response_fit(&p, &response_policy, &s.data, &settings, &err), &err);
    response_predict(p, (const double[]){1, 0}, mean, NULL);
    assert_true(mean[0] == 1);
    response_predict(p, (const double[]){0, 0}, mean, NULL);
    assert_true(mean[0] == -1 && mean[2] == 0);
    response_predictor_free(p);
}

static void scores_are_what_is_worked_out_by_hand(void **state)
{
    (void)state;
    struct sample s;
    struct choice_score score;
    struct error err;
    size_t choice[N];
    sample_init(&s);
    for (size_t i = 0; i < N; i++) choice[i] = i < N / 2 ? 2 : 1; /* the first half of the groups: the baseline */
    assert_ok(choice_score(&score, &s.data, choice, 1, NULL, 1, &err), &err);
    /* 8 groups lose 1, 4 lose 0.2, 12 nothing; the second policy alone loses 1.2 on 8 */
    assert_true(fabs(score.regret - (8 + 4 * 0.2) / 24) < 1e-12);
    assert_true(fabs(score.closed - (1 - (8 + 4 * 0.2) / (8 * 1.2))) < 1e-12);
    assert_true(fabs(score.gain - 12 * 0.2 / 24) < 1e-12);
    assert_int_equal(4, score.n_worse);
    assert_true(score.interval[0] < score.closed && score.closed < score.interval[1]);
}

/* Columns that are trials: what the policies gain, with an error that both trials of a row share. */
static const size_t first_two[M - 1] = {0, 1};
static const struct choice_columns trial_columns = {.name = "trials", .columns = first_two, .n = 2, .are_trials = true};
static void sample_of_trials(struct sample *s)
{
    struct random random = {6};
    sample_init(s);
    for (size_t i = 0; i < N; i++) {
        const double shared = 0.1 * random_normal(&random);
        for (size_t j = 0; j + 1 < M; j++) s->x[i * K + j] = s->z[i * M + j] + shared;
    }
}

static void a_shortlist_is_of_policies_that_gain_most_together(void **state)
{
    (void)state;
    struct sample s;
    struct error err;
    size_t list[M];
    sample_init(&s);
    assert_ok(choice_shortlist(list, M, &s.data, &err), &err);
    assert_true(list[0] == 0 && list[1] == 1 && list[2] == 2); /* the second adds 16 * 0.5, the baseline 16 * 0.3 */
    for (size_t i = 0; i < N; i++) s.z[i * M + 1] = s.z[i * M] - 0.1; /* the second best everywhere, and of no use */
    assert_ok(choice_shortlist(list, M, &s.data, &err), &err);
    assert_true(list[0] == 0 && list[1] == 2 && list[2] == 1);
}

static void trials_cost_what_they_fall_behind(void **state)
{
    (void)state;
    struct sample s;
    sample_of_trials(&s);
    double lasts[N];
    for (size_t i = 0; i < N; i++) lasts[i] = 1e9;
    s.x[0] = log(2), s.x[1] = log(0.5), s.z[0] = log(2);
    static const size_t second[] = {1};
    struct choice_trials t = {.set = &trial_columns, .cycles = 100, .lasts = lasts, .tried = second, .n = 1};
    /* 100 cycles at half the speed do the work of 50; 950 are left, at twice the speed */
    assert_true(fabs(choice_net(&s.data, &t, 0, 0, 1000) - log(1000 / (100 + 950 / 2.0))) < 1e-12);
    t.tried = NULL; /* all: 200 of work by the first, 50 by the second, 100 by the baseline */
    assert_true(fabs(choice_net(&s.data, &t, 0, 0, 1000) - log(1000 / (300 + 650 / 2.0))) < 1e-12);
    lasts[0] = 60; /* a launch's work: 30 cycles of the first, 100 of the second, 60 of the baseline */
    assert_true(fabs(choice_net(&s.data, &t, 0, 0, 1000) - log(1000 / (190 + (1000 - 60 - 50 - 60) / 2.0))) < 1e-12);
    /* a kernel that ends in its first trial */
    assert_true(fabs(choice_net(&s.data, &t, 0, 0, 40) - log(2)) < 1e-12);
}

static void trials_of_two_policies_are_compared_with_each_other(void **state)
{
    (void)state;
    struct sample s;
    struct choice_validation v;
    struct choice_model m;
    struct error err;
    double lasts[N];
    sample_of_trials(&s);
    for (size_t i = 0; i < N; i++) lasts[i] = 1e9;
    const struct choice_trials trials = {.set = &trial_columns, .cycles = 1e5, .lasts = lasts};
    assert_ok(choice_validate(&v, &s.data, &trial_columns, 1, &trials, 1, &err), &err);
    for (size_t l = 0; l < 2; l++) { /* their shared error is none of theirs */
        const struct choice_score *own = score_of(&v, l ? "ridge" : "fastest trial", "2 trials");
        assert_true(own->tried == 2 && own->closed > 0.99);
        for (size_t k = 0; k < CHOICE_LENGTHS; k++) {
            assert_true(own->net[k] < own->closed && own->net_interval[k][0] <= own->net[k]);
            assert_true(k == 0 || own->net[k] > own->net[k - 1]);
        }
    }
    assert_true(score_of(&v, "ridge", "trials")->tried == M && score_of(&v, "best single", "")->tried == 0);
    choice_validation_fini(&v);
    assert_ok(choice_train_few(&m, &s.data, policies, &trial_columns, 2, &err), &err);
    assert_true(m.m == 2 && m.k == 2 && m.single == 0);
    for (size_t i = 0; i < N; i++) { /* the best of each row, also by trials that are compared with another policy's */
        const double *x = s.x + i * K, moved[] = {x[0] - 5, x[1] - 5};
        assert_int_equal(i / ROWS < 8 ? 0 : 1, choice_policy(&m, x, NULL));
        assert_int_equal(choice_policy(&m, x, NULL), choice_policy(&m, moved, NULL));
    }
    choice_model_fini(&m);
    assert_ok(choice_train_few(&m, &s.data, policies, &trial_columns, 3, &err), &err); /* the baseline comes last */
    assert_true(m.m == 3 && m.k == 2 && strcmp(m.policies[2], policies[2]) == 0);
    choice_model_fini(&m);
}

static void validation_is_the_same_bytes_at_any_number_of_threads(void **state)
{
    (void)state;
    struct sample s;
    struct choice_validation one, four;
    struct error err;
    sample_init(&s);
    omp_set_num_threads(1);
    assert_ok(choice_validate(&one, &s.data, sets, 1, NULL, 3, &err), &err);
    omp_set_num_threads(4);
    assert_ok(choice_validate(&four, &s.data, sets, 1, NULL, 3, &err), &err);
    assert_int_equal(one.n, four.n);
    for (size_t i = 0; i < one.n; i++) {
        assert_memory_equal(&one.scores[i].regret, &four.scores[i].regret, sizeof(double));
        assert_memory_equal(one.scores[i].interval, four.scores[i].interval, sizeof one.scores[i].interval);
    }
    choice_validation_fini(&one);
    choice_validation_fini(&four);
}

static void too_few_families_and_too_many_columns_are_refused(void **state)
{
    (void)state;
    struct sample s;
    struct choice_validation v;
    struct error err;
    static const size_t many[RESPONSE_FEATURES_MAX + 1];
    const struct choice_columns wide = {.name = "wide", .columns = many, .n = RESPONSE_FEATURES_MAX + 1},
                                trials = {.name = "trials", .columns = noise, .n = 1, .are_trials = true};
    sample_init(&s);
    assert_int_equal(-1, choice_validate(&v, &s.data, &wide, 1, NULL, 1, &err));
    assert_int_equal(-1, choice_validate(&v, &s.data, &trials, 1, NULL, 1, &err));
    if (!strstr(err.text, "1 columns 'trials' of 3 policies")) fail_msg("%s", err.text);
    s.data.n = 2 * ROWS, s.data.n_groups = 2;
    assert_int_equal(-1, choice_validate(&v, &s.data, sets, 1, NULL, 1, &err));
    if (!strstr(err.text, "2 families: three are needed")) fail_msg("%s", err.text);
}

static void a_model_is_the_same_choice_from_its_file_and_in_c(void **state)
{
    (void)state;
    struct sample s;
    struct choice_model m, again;
    struct error err;
    char dir[] = "/tmp/poise-choice-XXXXXX", path[64], command[256];
    sample_init(&s);
    assert_non_null(mkdtemp(dir));
    assert_ok(choice_train(&m, &s.data, policies, &sets[0], &err), &err);
    snprintf(m.name, sizeof m.name, "test");
    snprintf(path, sizeof path, "%s/m.json", dir);
    assert_ok(choice_model_write(&m, path, &err), &err);
    assert_ok(choice_model_read(&again, path, &err), &err);
    snprintf(path, sizeof path, "%s/m.c", dir);
    FILE *out = fopen(path, "w");
    choice_model_export(&again, out);
    fprintf(out, "static const double x[][POISE_COLUMNS] = {");
    for (size_t i = 0; i < N; i++) fprintf(out, "{%a, %a}, ", s.x[i * K], s.x[i * K + 1]);
    fprintf(out, "};\nstatic const int wanted[] = {");
    size_t taken[M] = {0};
    for (size_t i = 0; i < N; i++) {
        double gains[M], own[M];
        const size_t choice = choice_policy(&m, s.x + i * K, gains);
        assert_int_equal(choice, choice_policy(&again, s.x + i * K, own));
        assert_memory_equal(gains, own, sizeof own);
        taken[choice]++;
        fprintf(out, "%zu, ", choice);
    }
    fprintf(out,
            "};\nint main(void)\n{\n    (void)poise_columns;\n    for (int i = 0; i < %d; i++)\n"
            "        if (poise_choose(x[i]) != wanted[i]) return 1;\n"
            "    return poise_policies[0][0] != 'f';\n}\n",
            N);
    fclose(out);
    assert_true(taken[0] > 0 && taken[1] > 0);
    snprintf(command, sizeof command, "cc -std=c99 -Wall -Werror -ffp-contract=off -o %s/m %s && %s/m", dir, path, dir);
    assert_int_equal(0, system(command));
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(0, system(command));
    choice_model_fini(&m);
    choice_model_fini(&again);
}

static void broken_files_are_refused_by_the_key_that_is_wrong(void **state)
{
    (void)state;
    static const char good[] =
        "{\"schema\":1,\"kind\":\"choice\",\"name\":\"n\",\"model_version\":4,\"window\":0,\"trial\":5,"
        "\"columns\":[\"a\"],\"policies\":[\"p: --mech ccws\",\"gto: --mech gto\"],\"single\":0,"
        "\"weights\":[[1,2],[0,0]],\"training\":{}}";
    static const char *const wrong[][3] = {
        {"\"choice\"", "\"model\"", "kind"},        {"\"schema\":1", "\"schema\":2", "schema"},
        {"\"single\":0", "\"single\":2", "single"}, {"[1,2]", "[1]", "weights"},
        {"[1,2]", "[1,null]", "weights"},           {"[\"a\"]", "[]", "columns"},
        {"\"trial\":5", "\"trial\":-5", "trial"},   {"\"training\":{}", "\"training\":1", "training"},
        {"\"p: --mech ccws\",", "", "policies"},    {"\"name\":\"n\"", "\"name\":\"\"", "name"},
        {"p: --mech ccws", "p", "'p' is no"},       {"p: --mech", "gto: --mech", "the name of another policy"},
        {"ccws", "ccws\\u001b", "a control"},
    };
    struct choice_model m;
    struct error err;
    const double x[] = {3};
    assert_ok(choice_model_parse(&m, "good", good, strlen(good), &err), &err);
    assert_int_equal(0, choice_policy(&m, x, NULL)); /* 1 * 3 + 2 */
    choice_model_fini(&m);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        const char *at = strstr(good, wrong[i][0]);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, wrong[i][1], at + strlen(wrong[i][0]));
        assert_int_equal(-1, choice_model_parse(&m, "bad.json", text, strlen(text), &err));
        if (!strstr(err.text, "bad.json") || !strstr(err.text, wrong[i][2])) fail_msg("%s: %s", wrong[i][1], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_is_learned_on_groups_left_out_and_noise_is_not),
        cmocka_unit_test(a_tree_parts_rows_where_a_wrong_choice_costs_most),
        cmocka_unit_test(scores_are_what_is_worked_out_by_hand),
        cmocka_unit_test(a_shortlist_is_of_policies_that_gain_most_together),
        cmocka_unit_test(trials_cost_what_they_fall_behind),
        cmocka_unit_test(trials_of_two_policies_are_compared_with_each_other),
        cmocka_unit_test(validation_is_the_same_bytes_at_any_number_of_threads),
        cmocka_unit_test(too_few_families_and_too_many_columns_are_refused),
        cmocka_unit_test(a_model_is_the_same_choice_from_its_file_and_in_c),
        cmocka_unit_test(broken_files_are_refused_by_the_key_that_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
