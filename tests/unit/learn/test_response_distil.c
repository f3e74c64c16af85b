/* Distillation: the integer network answers as the family does, costs little regret, and takes at most 1 KB. */
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include <omp.h>
#include "poise/response_distil.h"
#include "poise/response_model.h"
#include "response_problem.h"

static struct response_predictor *fit(const char *name, const struct response_data *data)
{
    struct response_predictor *p;
    struct error err;
    assert_ok(response_fit(&p, response_family_find(name), data, NULL, &err), &err);
    return p;
}

/* Mean regret on fresh rows without noise, of a family and of its network. */
static void fresh_regrets(const struct response_predictor *own, const struct response_net *net, double out[2])
{
    struct problem fresh;
    const struct response_rule rule = {0, 0};
    double mean[PROBLEM_M];
    problem_init(&fresh, 100, 3, 0, 99);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < fresh.data.n; i++) {
        const double *x = fresh.x + i * PROBLEM_K, *z = fresh.z + i * PROBLEM_M;
        response_predict(own, x, mean, NULL);
        const size_t a = response_choose(fresh.tuples, PROBLEM_M, mean, NULL, &rule, 24);
        const size_t b = response_distilled_choose(net, fresh.tuples, x, 24);
        out[0] += response_regret(z, PROBLEM_M, a) / (double)fresh.data.n;
        out[1] += response_regret(z, PROBLEM_M, b) / (double)fresh.data.n;
    }
    problem_fini(&fresh);
}

static void every_family_is_distilled_with_little_regret_within_1_KB(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    /* rms: the most that the network may differ from the family, in ln(speedup); the surfaces span about 3 */
    const struct {
        const char *name;
        double rms;
    } limits[] = {{"constant", 0.006}, {"ridge", 0.008}, {"gp", 0.03}, {"forest", 0.05}};
    const struct response_distil_options options = {.seed = 1, .samples = 1024};
    problem_init(&p, 30, 6, 0.05, 7);
    for (size_t f = 0; f < sizeof limits / sizeof *limits; f++) {
        struct response_predictor *own = fit(limits[f].name, &p.data);
        struct response_distilled d;
        double regret[2];
        assert_ok(response_distil(&d, own, &p.data, &options, &err), &err);
        fresh_regrets(own, &d.net, regret);
        if (d.rms > limits[f].rms || regret[1] > regret[0] + 0.02)
            fail_msg("%s: rms %g, regret on fresh rows %g -> %g", limits[f].name, d.rms, regret[0], regret[1]);
        assert_int_equal(response_net_bytes(&d.net), d.bytes);
        assert_true(d.bytes <= RESPONSE_NET_BYTES_MAX);
        response_predictor_free(own);
    }
    problem_fini(&p);
}

static void the_network_has_the_same_bytes_at_any_number_of_threads_and_depends_on_its_seed(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_distilled one, other;
    struct response_distil_options options = {.samples = 200, .iterations = 50, .seed = 3, .rule = {0.5, 0.02}};
    const int before = omp_get_max_threads();
    problem_init(&p, 12, 4, 0.05, 8);
    struct response_predictor *own = fit("gp", &p.data);
    omp_set_num_threads(1);
    assert_ok(response_distil(&one, own, &p.data, &options, &err), &err);
    for (int threads = 2; threads <= 8; threads *= 4) {
        omp_set_num_threads(threads);
        assert_ok(response_distil(&other, own, &p.data, &options, &err), &err);
        assert_memory_equal(&one, &other, sizeof one);
    }
    omp_set_num_threads(before);
    assert_int_equal(1311, one.net.margin); /* 0.02 * 65536, rounded */
    options.seed = 4;
    assert_ok(response_distil(&other, own, &p.data, &options, &err), &err);
    assert_memory_not_equal(&one.net, &other.net, sizeof one.net);
    response_predictor_free(own);
    problem_fini(&p);
}

static void changing_integers_one_by_one_brings_the_network_nearer(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_distilled d;
    double rms[3];
    const uint32_t sweeps[3] = {1, 3, 12};
    problem_init(&p, 12, 4, 0.05, 8);
    struct response_predictor *own = fit("forest", &p.data);
    for (size_t i = 0; i < 3; i++) {
        const struct response_distil_options options = {
            .samples = 300, .iterations = 60, .sweeps = sweeps[i], .seed = 3};
        assert_ok(response_distil(&d, own, &p.data, &options, &err), &err);
        rms[i] = d.rms;
    }
    if (!(rms[1] < rms[0] && rms[2] < rms[1])) fail_msg("%g %g %g", rms[0], rms[1], rms[2]);
    response_predictor_free(own);
    problem_fini(&p);
}

static void a_distilled_network_goes_through_a_file_to_the_same_tuples(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_distilled d;
    struct response_model model, again;
    char hash[HASH_TEXT_SIZE], *text;
    const char *const sampling = "W:W / 1:1";
    const struct response_distil_options options = {.samples = 200, .iterations = 50, .seed = 5};
    problem_init(&p, 12, 4, 0.05, 9);
    struct response_predictor *own = fit("ridge", &p.data);
    assert_ok(response_distil(&d, own, &p.data, &options, &err), &err);
    assert_ok(response_data_hash(hash, &p.data, &err), &err);
    assert_ok(response_distilled_model(&model, "test", &d, &p.data, sampling, 3, &err), &err);
    assert_ok(response_model_text(&text, &model, "model.json", &err), &err);
    assert_ok(response_model_parse(&again, "model.json", text, strlen(text), &err), &err);
    assert_string_equal(hash, json_string_value(json_object_get(again.training, "hash")));
    assert_string_equal("pressure", again.features[1]);
    assert_string_equal(sampling, again.sampling);
    assert_int_equal(3, again.model_version);
    assert_true(json_number_value(json_object_get(again.training, "regret_net")) == d.regret_net);
    for (size_t i = 0; i < p.data.n; i++) {
        float x[PROBLEM_K];
        int32_t z[RESPONSE_POINTS_MAX];
        for (size_t j = 0; j < PROBLEM_K; j++) x[j] = (float)p.x[i * PROBLEM_K + j];
        response_net_eval(&again.net, x, z);
        const struct response_tuple tuple = response_net_best(&again.net, z, 24);
        const size_t choice = response_distilled_choose(&d.net, p.tuples, p.x + i * PROBLEM_K, 24);
        assert_int_equal(p.tuples[choice].N, tuple.N);
        assert_int_equal(p.tuples[choice].p, tuple.p);
    }
    char long_name[80];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    struct response_model none;
    assert_int_equal(-1, response_distilled_model(&none, long_name, &d, &p.data, sampling, 3, &err));
    p.x[0] += 1; /* the hash is of everything learned from */
    char other[HASH_TEXT_SIZE];
    assert_ok(response_data_hash(other, &p.data, &err), &err);
    assert_string_not_equal(hash, other);
    free(text);
    response_model_fini(&model);
    response_model_fini(&again);
    response_predictor_free(own);
    problem_fini(&p);
}

static void what_cannot_be_distilled_is_refused(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_distilled d;
    problem_init(&p, 6, 2, 0, 10);
    struct response_predictor *own = fit("constant", &p.data);
    struct response_distil_options options = {.hidden = 17};
    assert_int_equal(-1, response_distil(&d, own, &p.data, &options, &err));
    if (!strstr(err.text, "17 hidden units and 4 coefficients: at most 16 and 8")) fail_msg("%s", err.text);
    options.hidden = 0;
    options.rule.margin = -0.1;
    assert_int_equal(-1, response_distil(&d, own, &p.data, &options, &err));
    if (!strstr(err.text, "margin -0.1")) fail_msg("%s", err.text);
    options.rule.margin = 0;
    p.tuples[1].N = 5, p.tuples[2].N = 5, p.tuples[3].N = 6, p.tuples[4].N = 6, p.tuples[5].N = 6;
    for (size_t j = 6; j < PROBLEM_M; j++) p.tuples[j].N += 10;
    assert_int_equal(-1, response_distil(&d, own, &p.data, &options, &err));
    if (!strstr(err.text, "the 55 tuples are no lattice")) fail_msg("%s", err.text);
    response_predictor_free(own);
    problem_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_is_distilled_with_little_regret_within_1_KB),
        cmocka_unit_test(the_network_has_the_same_bytes_at_any_number_of_threads_and_depends_on_its_seed),
        cmocka_unit_test(changing_integers_one_by_one_brings_the_network_nearer),
        cmocka_unit_test(a_distilled_network_goes_through_a_file_to_the_same_tuples),
        cmocka_unit_test(what_cannot_be_distilled_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
