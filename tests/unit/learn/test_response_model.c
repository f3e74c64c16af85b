/* Files of response model: round trip, errors that name file and key, and the C header against the library. */
#include "folder.h"
#include "where.h"
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/hint_file.h"
#include "poise/response_model.h"

#define SEED POISE_SOURCE_DIR "/tests/fuzz/model/corpus_response/standard.json"

static void a_written_file_is_read_back_and_written_again_with_the_same_bytes(void **state)
{
    (void)state;
    struct response_model model, again;
    struct error err;
    char path[] = "/tmp/poise-surface-XXXXXX", *first, *second;
    size_t size;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(response_model_read(&model, SEED, &err), &err);
    assert_string_equal("h_prime", model.features[1]);
    assert_string_equal("W:W / 1:1", model.sampling);
    assert_ok(response_model_write(&model, path, &err), &err);
    assert_ok(response_model_read(&again, path, &err), &err);
    assert_memory_equal(&model.net, &again.net, sizeof model.net);
    assert_true(json_equal(model.training, again.training) && json_equal(model.validation, again.validation));
    assert_ok(file_read(&first, &size, path, &err), &err);
    assert_ok(response_model_text(&second, &again, path, &err), &err);
    assert_string_equal(first, second);
    unlink(path);
    free(first);
    free(second);
    response_model_fini(&model);
    response_model_fini(&again);
}

/* Sets one dotted key of the seed (or removes it, for a NULL text) and expects a refusal. */
static void refused(const char *key, const char *value, const char *expected)
{
    struct response_model model;
    struct error err;
    json_t *root = json_load_file(SEED, 0, NULL), *at = root;
    char part[64];
    assert_non_null(root);
    const char *dot;
    while ((dot = strchr(key, '.'))) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - key), key);
        at = json_object_get(at, part);
        key = dot + 1;
    }
    if (value) json_object_set_new(at, key, json_loads(value, JSON_DECODE_ANY, NULL));
    else json_object_del(at, key);
    char *text = json_dumps(root, 0);
    if (response_model_parse(&model, "m.json", text, strlen(text), &err) == 0) fail_msg("%s = %s was read", key, value);
    if (!strstr(err.text, "m.json: ") || !strstr(err.text, expected))
        fail_msg("'%s' instead of '%s'", err.text, expected);
    assert_null(model.training);
    free(text);
    json_decref(root);
}

/* corpus_response/small.json has the old words. */
static void a_file_of_the_old_kind_is_read_and_written_as_the_new_one(void **state)
{
    (void)state;
    struct response_model old, again;
    struct error err;
    char *text;
    assert_ok(response_model_read(&old, POISE_SOURCE_DIR "/tests/fuzz/model/corpus_response/small.json", &err), &err);
    assert_ok(response_model_text(&text, &old, "m.json", &err), &err);
    assert_non_null(strstr(text, "\"kind\": \"response\""));
    assert_null(strstr(text, "surface"));
    assert_ok(response_model_parse(&again, "m.json", text, strlen(text), &err), &err);
    assert_memory_equal(&old.net, &again.net, sizeof old.net);
    response_model_fini(&old);
    response_model_fini(&again);
    free(text);
    refused("kind", "\"surface\"", "surface.basis: must be a list"); /* one word for the kind and for its part */
}

static void wrong_files_are_refused_with_file_and_key(void **state)
{
    (void)state;
    struct response_model model;
    struct error err;
    refused("schema", "2", "schema: must be a whole number from 1 to 1");
    refused("kind", "\"predictor\"", "this is a predictor of one column");
    refused("kind", "\"other\"", "kind: must be \"response\"");
    refused("name", "\"\"", "name: must be a text of 1 to 63 bytes");
    refused("features", "[\"a\",\"a\",\"b\",\"c\",\"d\",\"e\"]", "features[1]: 'a' is given twice");
    refused("features", "[\"a\"]", "quantisation.scale: must be a list of 1 numbers, one for each feature, not 6");
    refused("sampling", "[[1,2]]", "sampling: must be a text of 1 to 127 characters");
    refused("lattice", "[1,1]", "lattice: levels must ascend");
    refused("lattice", "[1,2]", "response.basis[0]: must be a list of 3 whole numbers, not 55");
    refused("margin", "-1", "margin: must be a whole number from 0");
    refused("margin", NULL, "margin: must be a whole number from 0");
    refused("fraction_bits", "12", "fraction_bits: must be a whole number from 16 to 16");
    refused("quantisation.offset", "[0,0,0,0,0,0.1]",
            "quantisation.offset[5]: must be a number that single precision holds");
    refused("hidden.weights", "[]", "hidden.weights: must be a list of 1 to 16 lists");
    refused("hidden.weights", "[[1,2,3,4,5,128]]", "hidden.weights[0][5]: must be a whole number from -127 to 127");
    refused("hidden.biases", "[1]", "hidden.biases: must be a list of 8 whole numbers, not 1");
    refused("hidden.shifts", "[0,0,0,0,0,0,0,25]", "hidden.shifts[7]: must be a whole number from 0 to 24");
    refused("coefficients.weights", "[[1],[1],[1],[1]]", "coefficients.weights[0]: must be a list of 8 whole numbers");
    refused("response.mean_shift", "15", "response.mean_shift: must be a whole number from 0 to 14");
    refused("storage_bytes", "1", "storage_bytes: is 1, but the network takes 4");
    refused("training", NULL, "training.hash: must be 32 hexadecimal digits");
    refused("validation", "3", "validation: must be an object");
    assert_int_equal(-1, response_model_parse(&model, "m.json", "{\n]", 3, &err));
    if (!strstr(err.text, "m.json:2:")) fail_msg("%s", err.text);
    assert_int_equal(-1, response_model_read(&model, "/nonexistent.json", &err));
    if (!strstr(err.text, "/nonexistent.json")) fail_msg("%s", err.text);
}

enum { VECTORS = 10000 };

/* The program reads vectors in hexadecimal from its input and answers with the tuple for a W and the whole surface. */
static const char program[] = "#include <stdio.h>\n"
                              "#include \"poise_response_test.h\"\n"
                              "int main(void)\n"
                              "{\n"
                              "    float x[pt_FEATURES];\n"
                              "    int32_t z[pt_POINTS];\n"
                              "    unsigned W, N, p;\n"
                              "    int i;\n"
                              "    while (scanf(\"%u\", &W) == 1) {\n"
                              "        for (i = 0; i < pt_FEATURES; i++)\n"
                              "            if (scanf(\"%f\", &x[i]) != 1) return 1;\n"
                              "        pt_predict(x, W, &N, &p);\n"
                              "        pt_response(x, z);\n"
                              "        printf(\"%u %u\", N, p);\n"
                              "        for (i = 0; i < pt_POINTS; i++) printf(\" %ld\", (long)z[i]);\n"
                              "        printf(\"\\n\");\n"
                              "    }\n"
                              "    return 0;\n"
                              "}\n";

static float random_feature(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t r = (uint32_t)(*state >> 33);
    if (r % 97 == 0) return r & 128 ? INFINITY : NAN;
    return ((float)(r >> 8) / 4194304.0f - 1.0f) * (r % 5 == 0 ? 1000.0f : 1.0f);
}

static void write_text(const char *path, const char *text)
{
    struct error err;
    assert_ok(file_write(path, text, strlen(text), &err), &err);
}

static void compare_answers(const struct response_model *model, const char *path)
{
    FILE *in = fopen(path, "r");
    uint64_t seed = 5;
    assert_non_null(in);
    for (int v = 0; v < VECTORS; v++) {
        float x[RESPONSE_FEATURES_MAX];
        int32_t z[RESPONSE_POINTS_MAX];
        unsigned N, p;
        const uint32_t W = (uint32_t)(1 + v % 30);
        for (size_t i = 0; i < model->net.n_features; i++) x[i] = random_feature(&seed);
        response_net_eval(&model->net, x, z);
        const struct response_tuple best = response_net_best(&model->net, z, W);
        assert_int_equal(2, fscanf(in, "%u %u", &N, &p));
        if (N != best.N || p != best.p) fail_msg("vector %d: (%u, %u), not (%u, %u)", v, N, p, best.N, best.p);
        for (size_t j = 0; j < response_points(model->net.n_levels); j++) {
            long theirs;
            assert_int_equal(1, fscanf(in, "%ld", &theirs));
            assert_int_equal(z[j], theirs);
        }
    }
    fclose(in);
}

static void the_header_compiles_alone_and_predicts_the_same_bits_for_10000_vectors(void **state)
{
    (void)state;
    struct response_model model;
    struct error err;
    char folder[] = "/tmp/poise-surface-XXXXXX", path[128], command[1024], *header;
    size_t size;
    uint64_t seed = 5;
    assert_non_null(mkdtemp(folder));
    assert_ok(response_model_read(&model, SEED, &err), &err);
    snprintf(model.name, sizeof model.name, "a */ b");
    FILE *out = open_memstream(&header, &size);
    assert_ok(response_model_export(&model, "pt", out, &err), &err);
    fclose(out);
    assert_int_equal(-1, response_model_export(&model, "3x", stderr, &err));
    snprintf(path, sizeof path, "%s/poise_response_test.h", folder);
    write_text(path, header);
    snprintf(path, sizeof path, "%s/main.c", folder);
    write_text(path, program);
    snprintf(path, sizeof path, "%s/in", folder);
    out = fopen(path, "w");
    assert_non_null(out);
    for (int v = 0; v < VECTORS; v++) {
        fprintf(out, "%d", 1 + v % 30);
        for (size_t i = 0; i < model.net.n_features; i++) fprintf(out, " %a", (double)random_feature(&seed));
        fputc('\n', out);
    }
    fclose(out);
    snprintf(command, sizeof command,
             "cd %s && cc -std=c99 -Wall -Wextra -Werror -pedantic -Wno-unused-function -fsyntax-only -x c "
             "poise_response_test.h && "
             "cc -std=c99 -Wall -Wextra -Werror -pedantic -O2 main.c -o main && ./main <in >out",
             folder);
    assert_int_equal(0, system(command));
    snprintf(path, sizeof path, "%s/out", folder);
    compare_answers(&model, path);
    assert_int_equal(0, folder_remove(folder));
    free(header);
    response_model_fini(&model);
}

#define HINTS POISE_SOURCE_DIR "/tests/fuzz/model/corpus_hint/"

static void a_hint_is_found_for_the_launch_then_for_the_kernel_then_for_any(void **state)
{
    struct hint_file hints;
    struct error err;
    const struct launch_hint *hint;
    struct hint_wanted wanted = {7, 24, 8192, 600000};
    (void)state;
    assert_ok(hint_file_read(&hints, HINTS "launches.json", &err), &err);
    assert_int_equal(HINT_LAUNCH, hint_file_find(&hints, &wanted, &hint));
    assert_int_equal(8, hint->tuple.N);
    wanted.insts = 400000; /* another input: nearer to the first launch */
    assert_int_equal(HINT_KERNEL, hint_file_find(&hints, &wanted, &hint));
    assert_int_equal(4, hint->tuple.N);
    wanted.kernel = 8;
    assert_int_equal(HINT_NONE, hint_file_find(&hints, &wanted, &hint));
    hint_file_fini(&hints);
    assert_ok(hint_file_read(&hints, HINTS "one.json", &err), &err);
    assert_int_equal(HINT_ANY, hint_file_find(&hints, &wanted, &hint));
    assert_true(fabs(hint->spread - log(1.9 / 1.2) / 3.29) < 1e-3);
    hint_file_fini(&hints);
}

static void a_hints_surface_is_that_of_the_rule_of_admission(void **state)
{
    struct hint_file hints;
    struct error err;
    int32_t z[RESPONSE_POINTS_MAX];
    (void)state;
    assert_ok(hint_file_read(&hints, HINTS "one.json", &err), &err);
    struct response_tuple t = launch_hint_response(hints.items, true, response_levels, RESPONSE_LEVELS_MAX, 24, z);
    assert_true(t.N == 2 && t.p == 2 && z[2] == (int32_t)lrint(0.6 * 65536));
    t = launch_hint_response(hints.items, false, response_levels, RESPONSE_LEVELS_MAX, 24, z);
    assert_true(t.N == 1 && t.p == 1 && z[0] == -32768);
    assert_true(z[1] <= z[0]); /* (2,1) is not in it */
    hint_file_fini(&hints);
    assert_ok(hint_file_read(&hints, HINTS "launches.json", &err), &err);
    t = launch_hint_response(hints.items, false, response_levels, RESPONSE_LEVELS_MAX, 3, z);
    assert_true(t.N == 3 && t.p == 2); /* clamped */
    hint_file_fini(&hints);
}

static void wrong_hints_are_refused_with_file_and_key(void **state)
{
    static const char *const wrong[][2] = {
        {"[]", "one JSON object"},
        {"{", "not a JSON file"},
        {"{}", "tuple"},
        {"{\"launches\":[]}", "launches"},
        {"{\"tuple\":{\"N\":2,\"p\":3}}", "p <= N"},
        {"{\"tuple\":{\"N\":2,\"p\":1},\"gain\":{\"low\":2,\"high\":1}}", "gain"},
        {"{\"tuple\":{\"N\":2,\"p\":1},\"surface\":[{\"N\":2,\"p\":1}]}", "surface"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct hint_file hints;
        struct error err;
        assert_int_equal(-1, hint_file_parse(&hints, "h.json", wrong[i][0], strlen(wrong[i][0]), &err));
        if (!strstr(err.text, wrong[i][1]) || !strstr(err.text, "h.json")) fail_msg("%s: %s", wrong[i][0], err.text);
        assert_null(hints.items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_file_is_read_back_and_written_again_with_the_same_bytes),
        cmocka_unit_test(a_file_of_the_old_kind_is_read_and_written_as_the_new_one),
        cmocka_unit_test(wrong_files_are_refused_with_file_and_key),
        cmocka_unit_test(a_hint_is_found_for_the_launch_then_for_the_kernel_then_for_any),
        cmocka_unit_test(a_hints_surface_is_that_of_the_rule_of_admission),
        cmocka_unit_test(wrong_hints_are_refused_with_file_and_key),
        cmocka_unit_test(the_header_compiles_alone_and_predicts_the_same_bits_for_10000_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
