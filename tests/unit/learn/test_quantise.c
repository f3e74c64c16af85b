/* Fixed-point weights and the header that a C program compiles. */
#include "rig.h"
#include "where.h"

#include <math.h>
#include "poise/quantise.h"

#define THESIS POISE_SOURCE_DIR "/models/poise-thesis.json"

static void a_weight_is_within_half_a_step_and_the_largest_fills_the_bits(void **state)
{
    (void)state;
    struct model model;
    struct error err;
    assert_ok(model_read(&model, THESIS, &err), &err);
    for (size_t o = 0; o < model.n_outputs; o++)
        for (unsigned bits = QUANTISE_BITS_MIN; bits <= QUANTISE_BITS_MAX; bits++) {
            struct quantised q;
            double largest = 0;
            assert_ok(model_quantise(&q, &model.outputs[o], bits, &err), &err);
            for (size_t i = 0; i < model.outputs[o].n_features; i++) {
                assert_true(fabs(quantised_weight(&q, i) - model.outputs[o].weights[i]) <=
                            ldexp(0.5, -q.fraction_bits));
                largest = fmax(largest, fabs((double)q.weights[i]));
            }
            assert_true(largest <= ldexp(1, (int)bits - 1) - 1 && 2 * largest >= ldexp(1, (int)bits - 1) - 2);
        }
    struct quantised q;
    assert_int_equal(-1, model_quantise(&q, &model.outputs[0], 3, &err));
    assert_int_equal(-1, model_quantise(&q, &model.outputs[0], 33, &err));
}

static void the_error_falls_with_every_few_bits_and_is_nothing_at_32(void **state)
{
    (void)state;
    struct model model;
    struct error err;
    struct quantise_error curve[QUANTISE_BITS_MAX];
    float x[50 * 8];
    size_t n;
    uint32_t seed = 1;
    assert_ok(model_read(&model, THESIS, &err), &err);
    for (size_t i = 0; i < 400; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = i % 8 == 7 ? 1 : (float)(seed >> 8) * 0x1p-24f;
    }
    assert_ok(quantise_curve(curve, &n, &model.outputs[0], x, 50, &err), &err);
    assert_int_equal(29, n);
    for (size_t i = 4; i < n; i++)
        if (!(curve[i].weight_error <= curve[i - 4].weight_error / 4))
            fail_msg("%u bits: %g", curve[i].bits, curve[i].weight_error);
    assert_true(curve[0].relative_max > 0.05 && curve[12].relative_max < 0.01 && curve[n - 1].relative_max < 1e-5);
    assert_true(curve[n - 1].changed == 0);
}

/* A program of another project: it includes the header and prints what it predicts. */
static void predicts_as_the_model(const struct model *model)
{
    static const float x[8] = {0.25f, 0.5f, 0.125f, 0.375f, 0.0625f, 0.5f, 0.75f, 1.0f};
    static const char program[] =
        "#include <stdio.h>\n#include \"test_quantise.h\"\n"
        "int main(void)\n{\n    const float x[8] = {0.25f, 0.5f, 0.125f, 0.375f, 0.0625f, 0.5f, 0.75f, 1.0f};\n"
        "    printf(\"%.9g %.9g\", (double)poise_N_predict(x), (double)poise_N_predict_fixed(x));\n    return 0;\n}\n";
    struct error err;
    struct quantised q;
    double exact = 0, fixed = 0;
    FILE *source = fopen(POISE_BINARY_DIR "/test_quantise.c", "w");
    assert_non_null(source);
    fputs(program, source);
    fclose(source);
    assert_int_equal(0, system("cd " POISE_BINARY_DIR
                               " && cc -std=c17 -Wall -Wextra -Werror -o test_quantise.bin test_quantise.c -lm"));
    FILE *said = popen(POISE_BINARY_DIR "/test_quantise.bin", "r");
    assert_non_null(said);
    assert_int_equal(2, fscanf(said, "%lf %lf", &exact, &fixed));
    pclose(said);
    assert_ok(model_quantise(&q, &model->outputs[0], 16, &err), &err);
    assert_true(fabs((double)model_predict_f32(&model->outputs[0], x) - exact) < 1e-5 * exact);
    assert_true(fabs((double)quantised_predict(&q, &model->outputs[0], x) - fixed) < 1e-5 * fixed);
    remove(POISE_BINARY_DIR "/test_quantise.c");
    remove(POISE_BINARY_DIR "/test_quantise.bin");
}

static void the_header_compiles_and_holds_the_same_floats(void **state)
{
    (void)state;
    struct model model;
    struct error err;
    char *text, command[512];
    size_t size;
    assert_ok(model_read(&model, THESIS, &err), &err);
    snprintf(model.name, sizeof model.name, "a */ b");
    FILE *out = open_memstream(&text, &size);
    assert_ok(model_write_header(&model, 16, out, &err), &err);
    fclose(out);
    assert_null(strstr(text, "a */"));
    const char *at = strstr(text, "poise_N_weights[8] = {");
    assert_non_null(at);
    at = strchr(at, '{');
    for (size_t i = 0; i < 8; i++) {
        char *end;
        assert_true(strtof(at + 1, &end) == (float)model.outputs[0].weights[i]);
        at = strpbrk(end, ",}");
    }
    FILE *file = fopen(POISE_BINARY_DIR "/test_quantise.h", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command, "cc -std=c17 -Wall -Wextra -Werror -fsyntax-only -x c %s",
             POISE_BINARY_DIR "/test_quantise.h");
    assert_int_equal(0, system(command));
    predicts_as_the_model(&model);
    remove(POISE_BINARY_DIR "/test_quantise.h");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_is_within_half_a_step_and_the_largest_fills_the_bits),
        cmocka_unit_test(the_error_falls_with_every_few_bits_and_is_nothing_at_32),
        cmocka_unit_test(the_header_compiles_and_holds_the_same_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
