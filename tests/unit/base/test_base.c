#include "rig.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/arena.h"
#include "poise/clock.h"
#include "poise/file.h"
#include "poise/hash.h"
#include "poise/number.h"
#include "poise/table.h"
#include "poise/threads.h"
#include "poise/wheel.h"
#include "poise/yaml.h"

#define TOY_PARAMS(P) \
    P(U32, ways, 4, 1, 64, "ways", "THESIS Tab. 5.1", "associativity") \
    P(ENUM, index, 1, 0, 1, "linear|hash", "THESIS Tab. 5.1", "set index function") \
    P(F64, gain, 0.5, 0, 1, "1", "assumed", "a gain") \
    P(FLAG, on, 0, 0, 1, "flag", "assumed", "a switch") \
    P(TEXT, model, 0, 0, 0, "path", "assumed", "a file")
PARAM_STRUCT(toy_params, TOY_PARAMS);
#define ROW(...) PARAM_ROW_OF(toy_params, __VA_ARGS__)
static const struct param_row toy_rows[] = {TOY_PARAMS(ROW)};
#undef ROW
static const struct param_table toy = {"toy", toy_rows, COUNT_OF(toy_rows), sizeof(struct toy_params)};

static void rows_give_defaults_and_json_in_row_order(void **state)
{
    (void)state;
    struct toy_params p;
    params_defaults(&toy, &p);
    json_t *json = params_json(&toy, &p);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"ways\":4,\"index\":\"hash\",\"gain\":0.5,\"on\":false,\"model\":\"\"}");
    free(text);
    json_decref(json);
}

/* Choices that a row gets at run time. */
static const char *more_index(uint32_t i)
{
    static const char *const names[] = {"fermi", "ipoly"};
    return i < COUNT_OF(names) ? names[i] : NULL;
}

static void choices_that_come_later_stand_behind_those_of_the_unit(void **state)
{
    (void)state;
    const struct param_row row = {
        .name = "index", .unit = "linear|hash", .source = "assumed", .doc = "", .type = VALUE_ENUM, .more = more_index};
    const struct param_table table = {"toy", &row, 1, sizeof(uint32_t)};
    struct error err;
    uint32_t value = 0;
    char text[64];
    assert_int_equal(0, params_set(&table, &value, "index", "ipoly", &err));
    assert_int_equal(3, value);
    assert_string_equal("ipoly", params_text(&row, &value, text, sizeof text));
    assert_string_equal("linear|hash|fermi|ipoly", params_unit(&row, text, sizeof text));
    assert_int_equal(-1, params_set(&table, &value, "index", "lined", &err));
    assert_non_null(strstr(err.text, "choose one of linear|hash|fermi|ipoly"));
    value = 7;
    assert_string_equal("", params_text(&row, &value, text, sizeof text));
}

static void help_shows_the_default_of_a_choice_and_not_its_first(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    params_help(&toy, out);
    fclose(out);
    assert_non_null(strstr(text, "  index                      hash         {linear|hash}  set index function"));
    free(text);
}

static void only_a_near_word_is_what_somebody_meant(void **state)
{
    (void)state;
    static const char *const names[] = {"grid", "sobol", "bobyqa", "halving", "gp", "sim", "tuple", "kepler32"};
    static const char *const cases[][2] = {{"sobl", "sobol"},        {"smi", "sim"},    {"tupel", "tuple"},
                                           {"keplar32", "kepler32"}, {"bayes", NULL},   {"zzz", NULL},
                                           {"optuna", NULL},         {"volta80", NULL}, {"random", NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *near = nearest_name(cases[i][0], names, COUNT_OF(names), sizeof *names);
        if (!near != !cases[i][1] || (near && strcmp(near, cases[i][1]) != 0))
            fail_msg("%s: %s", cases[i][0], near ? near : "none");
    }
}

static void a_wrong_value_names_limits_and_source_and_a_wrong_name_the_nearest(void **state)
{
    (void)state;
    struct toy_params p;
    struct error err;
    params_defaults(&toy, &p);
    assert_int_equal(-1, params_set(&toy, &p, "ways", "900", &err));
    assert_string_equal(err.text, "toy: ways = 900 ways: allowed 1 .. 64 (THESIS Tab. 5.1)");
    assert_int_equal(2, error_exit_status(&err));
    assert_int_equal(-1, params_set(&toy, &p, "way", "9", &err));
    assert_string_equal(err.text, "toy: no parameter 'way'; did you mean 'ways'?");
    assert_int_equal(-1, params_set(&toy, &p, "zzzzzzzz", "9", &err));
    assert_string_equal(err.text, "toy: no parameter 'zzzzzzzz'; its parameters: ways, index, gain, on, model");
    assert_int_equal(-1, params_set(&toy, &p, "index", "prime", &err));
    assert_string_equal(err.text, "toy: index = prime: choose one of linear|hash");
    assert_int_equal(-1, params_set(&toy, &p, "ways", "2.5", &err));
    assert_int_equal(-1, params_set(&toy, &p, "ways", "", &err));
    assert_int_equal(-1, params_set(&toy, &p, "ways", "4x", &err));
    assert_int_equal(4, p.ways);
    assert_ok(params_set(&toy, &p, "index", "linear", &err), &err);
    assert_int_equal(0, p.index);
    assert_ok(params_set(&toy, &p, "on", "yes", &err), &err);
    assert_true(p.on);
}

static void yaml_errors_name_file_line_and_column(void **state)
{
    (void)state;
    struct error err;
    struct yaml_file *file;
    struct toy_params p;
    const char *text = "l1:\n  ways: 8\n  gian: 1\n";
    params_defaults(&toy, &p);
    assert_ok(yaml_parse(&file, "a.yaml", text, strlen(text), &err), &err);
    assert_int_equal(-1, yaml_params(file, yaml_get(yaml_root(file), "l1"), &toy, &p, &err));
    assert_string_equal(err.text, "a.yaml:3:9: toy: no parameter 'gian'; did you mean 'gain'?");
    assert_int_equal(3, err.line);
    assert_int_equal(8, p.ways);
    yaml_file_free(file);
    assert_int_equal(-1, yaml_parse(&file, "b.yaml", "a: [1, 2", 8, &err));
    assert_null(file);
    assert_int_equal(-1, yaml_parse(&file, "c.yaml", "a: 1\na: 2\n", 10, &err));
    assert_string_equal(err.text, "c.yaml:2:1: this key is given twice");
    assert_int_equal(-1, yaml_parse(&file, "d.yaml", "a: 1\n---\nb: 2\n", 14, &err));
    assert_string_equal(err.text, "d.yaml:2:1: a second document begins here: a file is one");
    assert_int_equal(-1, yaml_parse(&file, "e.yaml", "a: 1\n...\n]\n", 11, &err));
    assert_non_null(strstr(err.text, "e.yaml:3:1: "));
    assert_int_equal(-1, yaml_parse(&file, "f.yaml", "a: \"b\\0c\"\n", 10, &err));
    assert_string_equal(err.text, "f.yaml:1:4: a text with a zero byte");
}

static void arena_measures_what_it_lays_out(void **state)
{
    (void)state;
    struct error err;
    struct arena a = {0};
    for (int pass = 0; pass < 2; pass++) {
        char *x = ARENA_TAKE(&a, char, 3);
        uint64_t *y = ARENA_TAKE(&a, uint64_t, 100);
        if (pass == 0) {
            assert_null(y);
            assert_ok(arena_new(&a, a.used, &err), &err);
        } else {
            assert_non_null(x);
            assert_int_equal(0, (uintptr_t)y % 64);
        }
    }
    arena_free(&a);
}

static void *fill_one(void *unused)
{
    struct arena a;
    struct error err;
    (void)unused;
    assert_ok(arena_new(&a, 3 << 20, &err), &err); /* this thread's own, which ends with it */
    memset(a.base, 0xff, a.size);
    arena_free(&a);
    return NULL;
}

/* 65 MB: too large to be kept. */
static void a_threads_block_is_used_again_and_cleared(void **state)
{
    static const size_t sizes[] = {3 << 20, 100, 40 << 20, 65 << 20, 3 << 20, 40 << 20};
    struct error err;
    struct arena a, b;
    pthread_t thread;
    const void *kept = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_ok(arena_new(&a, sizes[i], &err), &err);
        assert_ok(arena_new(&b, 200, &err), &err);
        assert_true(a.base + a.size <= b.base || b.base + b.size <= a.base);
        for (size_t at = 0; at < a.size; at += 37) assert_int_equal(0, a.base[at]);
        memset(a.base, 0xff, a.size);
        memset(b.base, 0xff, b.size);
        if (i == 2) kept = a.block;
        if (i > 2) assert_int_equal(i != 3, a.block == kept);
        arena_free(&b);
        arena_free(&a);
    }
    assert_int_equal(0, pthread_create(&thread, NULL, fill_one, NULL));
    pthread_join(thread, NULL);
}

static void tables_of_any_size_are_aligned_and_zero(void **state)
{
    (void)state;
    for (size_t n = 1; n < 1 << 21; n = n * 5 + 3) {
        uint64_t *dirty = table_new(n, sizeof *dirty);
        assert_non_null(dirty);
        memset(dirty, 0xff, n * sizeof *dirty);
        free(dirty);
        uint64_t *table = table_new(n, sizeof *table), any = 0; /* in the same place, as likely as not */
        for (size_t i = 0; i < n; i++) any |= table[i];
        assert_int_equal(0, any);
        assert_int_equal(0, (uintptr_t)table % 64);
        free(table);
    }
}

static void an_array_keeps_what_is_in_it_while_it_grows(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t cap = 0, n = 0;
    for (; n < 5000000; n++) { /* from a few bytes to 20 MB */
        if (n == cap) assert_non_null(array = array_grow(array, &cap, n + 1, sizeof *array));
        assert_true(n < cap);
        array[n] = (uint32_t)(n * 2654435761u);
    }
    for (size_t i = 0; i < n; i++)
        if (array[i] != (uint32_t)(i * 2654435761u)) fail_msg("element %zu has changed", i);
    free(array);
}

static void a_file_is_written_whole_and_read_back(void **state)
{
    (void)state;
    struct error err;
    char path[] = "/tmp/poise-test-XXXXXX", *data;
    size_t size;
    close(mkstemp(path));
    assert_ok(file_write(path, "abc", 3, &err), &err);
    assert_ok(file_read(&data, &size, path, &err), &err);
    assert_int_equal(3, size);
    assert_string_equal("abc", data);
    free(data);
    unlink(path);
    assert_int_equal(-1, file_read(&data, &size, path, &err));
    assert_int_equal(ERR_INPUT, err.code);
}

/* A file in the place of a device would be the end of it, and a link leads to the file that is meant. */
static void a_pipe_and_a_link_stay_what_they_are_when_they_are_written(void **state)
{
    (void)state;
    struct error err;
    struct stat st;
    char dir[] = "/tmp/poise-test-XXXXXX", pipe[64], link[64], file[64], got[8] = "", *data;
    size_t size;
    assert_non_null(mkdtemp(dir));
    snprintf(pipe, sizeof pipe, "%s/pipe", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    snprintf(file, sizeof file, "%s/file", dir);
    assert_int_equal(0, mkfifo(pipe, 0600));
    const int fd = open(pipe, O_RDONLY | O_NONBLOCK);
    assert_ok(file_write(pipe, "abc", 3, &err), &err);
    assert_int_equal(3, read(fd, got, sizeof got - 1));
    assert_string_equal("abc", got);
    close(fd);
    assert_int_equal(0, lstat(pipe, &st));
    assert_true(S_ISFIFO(st.st_mode));
    assert_ok(file_write(file, "abc", 3, &err), &err);
    assert_int_equal(0, symlink("file", link));
    assert_ok(file_write(link, "defg", 4, &err), &err);
    assert_int_equal(0, lstat(link, &st));
    assert_true(S_ISLNK(st.st_mode));
    assert_ok(file_read(&data, &size, file, &err), &err);
    assert_string_equal("defg", data);
    free(data);
    assert_int_equal(-1, file_write(dir, "abc", 3, &err));
    assert_non_null(strstr(err.text, "Is a directory"));
    unlink(pipe);
    unlink(link);
    unlink(file);
    assert_int_equal(0, rmdir(dir)); /* no temporary file stays */
}

static void a_hash_is_the_same_streamed_or_whole(void **state)
{
    (void)state;
    char a[HASH_TEXT_SIZE], b[HASH_TEXT_SIZE];
    struct hasher *h = hasher_new();
    hasher_add(h, "poi", 3);
    hasher_add(h, "se", 2);
    const struct hash streamed = hasher_finish(h), whole = hash_bytes("poise", 5);
    hash_text(&streamed, a);
    hash_text(&whole, b);
    assert_string_equal(a, b);
    assert_int_equal(32, strlen(a));
    for (size_t i = 0; i < sizeof whole.bytes; i++) {
        char pair[3];
        snprintf(pair, sizeof pair, "%02x", whole.bytes[i]);
        assert_memory_equal(pair, a + 2 * i, 2);
    }
}

static void context_is_put_in_front_of_an_error(void **state)
{
    (void)state;
    struct error err;
    error_set(&err, ERR_DEADLOCK, "no progress for %d cycles", 7);
    error_while(&err, "run %s", "k1");
    assert_string_equal(err.text, "run k1: no progress for 7 cycles");
    assert_int_equal(5, error_exit_status(&err));
}

static void a_document_that_is_too_deep_is_refused_in_time_that_does_not_grow_with_it(void **state)
{
    enum { DEPTH = 1000000 }; /* libyaml alone: 16 s for 50,000 and the square of that beyond */
    static const struct {
        const char *open, *says;
    } forms[] = {{"[", "deep.yaml:1:66: nested too deeply"},
                 {"{a: ", "nested too deeply"},
                 {"- ", "nested too deeply"},
                 {"[{? ", "a key must be plain text"}};
    (void)state;
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        const size_t n = strlen(forms[f].open);
        struct yaml_file *file;
        struct error err;
        char *text = malloc(DEPTH * n + 1);
        for (size_t i = 0; i < DEPTH; i++) memcpy(text + i * n, forms[f].open, n);
        const double began = thread_cpu_s();
        assert_int_equal(-1, yaml_parse(&file, "deep.yaml", text, DEPTH * n, &err));
        assert_true(thread_cpu_s() - began < 2);
        assert_non_null(strstr(err.text, forms[f].says));
        free(text);
    }
}

static void an_alias_is_its_anchors_node_and_counts_as_many_nodes(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {{"a: *b\n", "x.yaml:1:4: found undefined alias"},
               {"a: &b [*b]\n", "x.yaml:1:8: this alias stands inside of its own anchor"},
               {"a: &b 1\nc: &b 2\n", "x.yaml:2:4: this anchor is given twice"},
               {"a: &b [1]\n*b : 2\n", "x.yaml:2:1: a key must be plain text"}};
    struct yaml_file *file;
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(-1, yaml_parse(&file, "x.yaml", bad[i].text, strlen(bad[i].text), &err));
        assert_string_equal(err.text, bad[i].says);
    }
    const char *good = "name: &n poise\n*n : &l [1, {two: *n}]\nagain: *l\n";
    assert_ok(yaml_parse(&file, "x.yaml", good, strlen(good), &err), &err);
    const struct yaml_node *list = yaml_get(yaml_root(file), "again");
    assert_ptr_equal(list, yaml_get(yaml_root(file), "poise"));
    assert_string_equal("poise", yaml_get(list->items[1], "two")->text);
    assert_int_equal(2, list->items[1]->line);
    yaml_file_free(file);

    char bomb[4096], *at = bomb; /* each list holds the one before nine times: 9^9 nodes */
    at += sprintf(at, "x0: &x0 [1]\n");
    for (int i = 1; i <= 9; i++) {
        at += sprintf(at, "x%d: &x%d [", i, i);
        for (int k = 0; k < 9; k++) at += sprintf(at, "*x%d%s", i - 1, k < 8 ? ", " : "]\n");
    }
    assert_int_equal(-1, yaml_parse(&file, "bomb.yaml", bomb, strlen(bomb), &err));
    assert_non_null(strstr(err.text, "too many nodes"));

    at = bomb; /* 100 levels, each an alias of the one before */
    at += sprintf(at, "- &x0 [1]\n");
    for (int i = 1; i < 100; i++) at += sprintf(at, "- &x%d [*x%d]\n", i, i - 1);
    assert_int_equal(-1, yaml_parse(&file, "ladder.yaml", bomb, strlen(bomb), &err));
    assert_non_null(strstr(err.text, "nested too deeply"));
}

static void sixty_four_levels_are_read_and_a_map_of_too_many_keys_is_refused(void **state)
{
    char text[200] = "";
    struct yaml_file *file;
    struct error err;
    (void)state;
    for (int i = 0; i < 64; i++) text[i] = '[', text[64 + i] = ']';
    assert_ok(yaml_parse(&file, "levels.yaml", text, strlen(text), &err), &err);
    yaml_file_free(file);
    char *keys = malloc(200000 * 12), *at = keys;
    for (int i = 0; i < 200000; i++) at += sprintf(at, "k%d: 1\n", i);
    const double began = thread_cpu_s();
    assert_int_equal(-1, yaml_parse(&file, "keys.yaml", keys, (size_t)(at - keys), &err));
    assert_non_null(strstr(err.text, "more than 8192 keys"));
    assert_true(thread_cpu_s() - began < 5);
    free(keys);
}

static void a_whole_number_has_digits_alone_and_fits(void **state)
{
    static const char *const wrong[] = {
        "", "-1", "+1", " 1", "1 ", "0x10", "1e3", "18446744073709551616", "99999999999999999999999", "many"};
    uint64_t v = 7;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_false(whole_parse(wrong[i], 0, UINT64_MAX, &v));
    assert_false(whole_parse("64", 0, 63, &v) || whole_parse("0", 1, 63, &v));
    assert_int_equal(7, v);
    assert_true(whole_parse("18446744073709551615", 0, UINT64_MAX, &v) && v == UINT64_MAX);
    assert_string_equal("-9", whole_scan("0003-9", &v));
    assert_int_equal(3, v);
}

/* Against a list of 64 cycles: what is due comes in its cycle, or early if that was beyond the wheel, and is put in
 * again; nothing comes late, and cycles without an entry may be passed over. */
static void a_wheel_gives_what_is_due_and_never_late(void **state)
{
    struct wheel wheel = {0};
    uint32_t due[64], now = 0, early = 0;
    uint64_t seed = 11;
    (void)state;
    memset(due, 0xff, sizeof due);
    for (int round = 0; round < 100000; round++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const uint32_t i = (uint32_t)(seed >> 58), after = 1 + (uint32_t)(seed >> 40 & 0xffff) % 200;
        if (due[i] == WHEEL_NEVER) wheel_put(&wheel, 1ull << i, due[i] = now + after);
        if (seed >> 32 & 1) continue;
        uint32_t first = WHEEL_NEVER;
        for (int k = 0; k < 64; k++) first = due[k] < first ? due[k] : first;
        const uint32_t next = wheel_first(&wheel);
        assert_true(next <= first && next > now);
        now = next != WHEEL_NEVER && seed >> 33 & 1 ? next : now + 1;
        for (uint64_t left = wheel_take(&wheel, now); left; left &= left - 1) {
            const int k = __builtin_ctzll(left);
            if (due[k] > now) {
                early++;
                wheel_put(&wheel, left & -left, due[k]);
            } else {
                assert_int_equal(now, due[k]);
                due[k] = WHEEL_NEVER;
            }
        }
    }
    assert_true(early > 0);
}

static unsigned threads_by(const char *own, const char *openmp)
{
    unsigned n = 0;
    struct error err;
    setenv("POISE_THREADS", own, 1);
    setenv("OMP_NUM_THREADS", openmp, 1);
    assert_ok(host_threads(&n, NULL, &err), &err);
    return n;
}

static void the_number_of_threads_is_our_variable_or_that_of_openmp_or_all(void **state)
{
    (void)state;
    struct error err;
    unsigned n = 0;
    const unsigned all = threads_by("", "");
    assert_true(all >= 1);
    assert_int_equal(3, threads_by("3", "7"));
    assert_int_equal(7, threads_by("", "7"));
    assert_int_equal(4, threads_by("", "4,2"));
    assert_int_equal(all, threads_by("0", "7"));
    assert_int_equal(all, threads_by("", "many"));
    assert_int_equal(HOST_THREADS_MAX, threads_by("", "100000"));
    bool is_asked;
    setenv("POISE_THREADS", "2", 1);
    assert_ok(host_threads(&n, &is_asked, &err), &err);
    assert_true(is_asked);
    setenv("POISE_THREADS", "", 1);
    assert_ok(host_threads(&n, &is_asked, &err), &err);
    assert_false(is_asked);
    setenv("POISE_THREADS", "many", 1);
    assert_int_equal(-1, host_threads(&n, NULL, &err));
    assert_non_null(strstr(err.text, "POISE_THREADS = many"));
    unsetenv("POISE_THREADS");
    unsetenv("OMP_NUM_THREADS");
}

struct shares {
    unsigned of[5];
    pthread_t by[5];
};
static void take_share(void *self, unsigned index)
{
    struct shares *s = self;
    s->of[index]++;
    s->by[index] = pthread_self();
}

static void every_share_of_a_work_is_done_once_and_the_first_here(void **state)
{
    (void)state;
    struct shares s = {.of = {0}};
    threads_run(4, take_share, &s);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(1, s.of[i]);
    assert_int_equal(0, s.of[4]);
    assert_true(pthread_equal(s.by[0], pthread_self()));
    assert_false(pthread_equal(s.by[1], pthread_self()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wheel_gives_what_is_due_and_never_late),
        cmocka_unit_test(rows_give_defaults_and_json_in_row_order),
        cmocka_unit_test(choices_that_come_later_stand_behind_those_of_the_unit),
        cmocka_unit_test(help_shows_the_default_of_a_choice_and_not_its_first),
        cmocka_unit_test(only_a_near_word_is_what_somebody_meant),
        cmocka_unit_test(a_wrong_value_names_limits_and_source_and_a_wrong_name_the_nearest),
        cmocka_unit_test(yaml_errors_name_file_line_and_column),
        cmocka_unit_test(a_document_that_is_too_deep_is_refused_in_time_that_does_not_grow_with_it),
        cmocka_unit_test(an_alias_is_its_anchors_node_and_counts_as_many_nodes),
        cmocka_unit_test(sixty_four_levels_are_read_and_a_map_of_too_many_keys_is_refused),
        cmocka_unit_test(a_whole_number_has_digits_alone_and_fits),
        cmocka_unit_test(arena_measures_what_it_lays_out),
        cmocka_unit_test(a_threads_block_is_used_again_and_cleared),
        cmocka_unit_test(tables_of_any_size_are_aligned_and_zero),
        cmocka_unit_test(an_array_keeps_what_is_in_it_while_it_grows),
        cmocka_unit_test(a_file_is_written_whole_and_read_back),
        cmocka_unit_test(a_pipe_and_a_link_stay_what_they_are_when_they_are_written),
        cmocka_unit_test(a_hash_is_the_same_streamed_or_whole),
        cmocka_unit_test(the_number_of_threads_is_our_variable_or_that_of_openmp_or_all),
        cmocka_unit_test(every_share_of_a_work_is_done_once_and_the_first_here),
        cmocka_unit_test(context_is_put_in_front_of_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
