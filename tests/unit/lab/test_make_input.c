/* poise make-input's files: properties of what they hold, read back as the programs read them. */
#include "folder.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/inputs.h"
#include "poise/table.h"

static char path[200];
static int begin(void **state)
{
    (void)state;
    char folder[] = "/tmp/poise-input-XXXXXX";
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/input", folder);
    return 0;
}
static int end(void **state)
{
    (void)state;
    *strrchr(path, '/') = '\0';
    return folder_remove(path);
}

static const struct input_options plain = {.size = 300, .seed = 7, .shape = INPUT_SHAPES};

static char *make(const char *kind, const char *form, struct input_options o)
{
    const struct input_form *f;
    struct error err;
    char *text;
    size_t size;
    uint64_t bytes;
    assert_int_equal(input_find(&f, kind, form, &err), 0);
    assert_int_equal(input_make(f, &o, path, &bytes, &err), 0);
    assert_int_equal(file_read(&text, &size, path, &err), 0);
    assert_int_equal(size, bytes);
    return text;
}

static unsigned long next(char **at)
{
    char *from = *at;
    const unsigned long value = strtoul(from, at, 10);
    assert_ptr_not_equal(from, *at);
    return value;
}

static void the_same_seed_writes_the_same_bytes_and_another_seed_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_input_forms; i++) {
        const struct input_form *f = &input_forms[i];
        struct input_options other = plain;
        other.seed = 8;
        char *a = make(f->kind, f->name, plain), *b = make(f->kind, f->name, plain), *c = make(f->kind, f->name, other);
        assert_string_equal(a, b);
        if (strcmp(f->name, "binary") != 0) assert_string_not_equal(a, c);
        free(a);
        free(b);
        free(c);
    }
}

/* Reads a graph of the form bfs into a matrix of costs. */
static unsigned char *read_bfs(const char *text, size_t n, size_t *n_edges)
{
    char *at = (char *)(uintptr_t)text;
    unsigned char *cost = calloc(n * n, 1);
    unsigned long *start = calloc(n + 1, sizeof *start), sum = 0;
    assert_int_equal(next(&at), n);
    for (size_t v = 0; v < n; v++) {
        start[v] = next(&at);
        assert_int_equal(start[v], sum);
        sum += next(&at);
    }
    start[n] = sum;
    assert_int_equal(next(&at), 0);
    assert_int_equal(next(&at), sum);
    for (size_t v = 0; v < n; v++)
        for (unsigned long e = start[v]; e < start[v + 1]; e++) {
            const size_t to = next(&at);
            assert_true(to < n && to != v && cost[v * n + to] == 0);
            cost[v * n + to] = (unsigned char)next(&at);
            assert_in_range(cost[v * n + to], 1, 10);
        }
    free(start);
    *n_edges = sum;
    return cost;
}

static void a_graph_has_the_degree_and_is_symmetric_with_equal_costs(void **state)
{
    static const enum input_shape shapes[] = {INPUT_UNIFORM, INPUT_RMAT, INPUT_GRID};
    size_t most[COUNT_OF(shapes)] = {0};
    (void)state;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        struct input_options o = plain;
        size_t n_edges, n = o.size, first = 0;
        o.shape = shapes[s];
        if (shapes[s] != INPUT_GRID) o.degree = 6;
        char *text = make("graph", "bfs", o);
        unsigned char *cost = read_bfs(text, n, &n_edges);
        if (shapes[s] != INPUT_GRID) assert_int_equal(n_edges, 6 * n);
        for (size_t v = 0; v < n; v++) {
            size_t degree = 0;
            for (size_t u = 0; u < n; u++) {
                assert_int_equal(cost[v * n + u], cost[u * n + v]);
                degree += cost[v * n + u] != 0;
            }
            if (v == 0) first = degree;
            if (degree > most[s]) most[s] = degree;
        }
        if (shapes[s] != INPUT_GRID) assert_int_equal(first, most[s]);
        free(cost);
        free(text);
    }
    assert_true(most[1] > 2 * most[0]); /* R-MAT has hubs */
    assert_int_equal(most[2], 4);
}

static void a_directed_graph_has_so_many_arcs_in_every_form(void **state)
{
    struct input_options o = plain;
    char head[100], *text, *at;
    (void)state;
    o.directed = true;
    o.degree = 5;
    text = make("graph", "mtx", o);
    assert_non_null(strstr(text, "pattern general\n300 300 1500\n"));
    free(text);
    text = make("graph", "dimacs", o);
    assert_non_null(strstr(text, "\np sp 300 1500\na "));
    free(text);
    text = make("graph", "edges", o);
    size_t lines = 0;
    for (at = text; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 1500);
    free(text);
    o.directed = false;
    text = make("graph", "metis", o);
    snprintf(head, sizeof head, "300 %d\n", 300 * 5 / 2);
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    free(text);
}

static void the_right_hand_side_of_gaussian_is_that_of_all_ones(void **state)
{
    struct input_options o = plain;
    double sums[20] = {0};
    (void)state;
    o.size = 20;
    char *text = make("matrix", "gaussian", o), *at = text;
    assert_int_equal(next(&at), 20);
    for (size_t r = 0; r < 20; r++) {
        double others = 0, diagonal = 0;
        for (size_t c = 0; c < 20; c++) {
            const double value = strtod(at, &at);
            sums[r] += value;
            if (c == r) diagonal = value;
            else others += value < 0 ? -value : value;
        }
        assert_true(diagonal > others);
    }
    for (size_t r = 0; r < 20; r++) assert_true(strtod(at, &at) - sums[r] < 1e-9);
    free(text);
}

static void a_sparse_matrix_has_each_entry_once_and_a_dominant_diagonal(void **state)
{
    struct input_options o = plain;
    (void)state;
    o.degree = 4;
    char *text = make("matrix", "mtx", o), *at = strchr(text, '\n');
    assert_int_equal(next(&at), 300);
    assert_int_equal(next(&at), 300);
    assert_int_equal(next(&at), 300 * 5);
    double sum = 0;
    unsigned long before = 0, row = 0;
    for (size_t i = 0; i < 300 * 5; i++) {
        const unsigned long r = next(&at), c = next(&at), key = r * 1000 + c;
        assert_true(key > before);
        before = key;
        if (r != row) assert_true(row == 0 || (sum > 0.99 && sum < 1.01));
        if (r != row) sum = 0, row = r;
        sum += strtod(at, &at);
    }
    free(text);
}

static void points_have_their_features_and_nn_records_their_columns(void **state)
{
    struct input_options o = plain;
    (void)state;
    o.features = 3;
    char *text = make("points", "kmeans", o), *at = text;
    for (unsigned long i = 0; i < 300; i++) {
        assert_int_equal(next(&at), i);
        for (int f = 0; f < 3; f++) {
            const double value = strtod(at, &at);
            assert_true(value > -16 && value < 116);
        }
        assert_int_equal(*at, '\n');
    }
    free(text);
    o.features = 0;
    text = make("points", "nn", o);
    assert_int_equal(strlen(text), 300 * 49);
    for (size_t i = 0; i < 300; i++) {
        char degrees[6] = "";
        assert_int_equal(text[49 * i + 48], '\n');
        memcpy(degrees, text + 49 * i + 28, 5);
        assert_true(strtod(degrees, NULL) < 90);
    }
    free(text);
}

static void keys_are_counted_sorted_distinct_or_often_small(void **state)
{
    struct input_options o = plain;
    (void)state;
    o.shape = INPUT_SORTED;
    char *text = make("keys", "btree", o), *at = text;
    assert_int_equal(next(&at), 300);
    for (unsigned long i = 0, before = 0; i < 300; i++) {
        const unsigned long key = next(&at);
        assert_true(i == 0 || key > before);
        before = key;
    }
    free(text);
    o.shape = INPUT_ZIPF;
    text = at = make("keys", "lines", o);
    size_t small = 0;
    for (size_t i = 0; i < 300; i++) small += next(&at) < 1 << 15;
    assert_in_range(small, 100, 200); /* half of the logarithm's range */
    free(text);
}

static void a_web_log_has_a_view_a_line_and_pages_have_their_links(void **state)
{
    size_t n = 0;
    (void)state;
    char *text = make("weblog", "pageviews", plain);
    for (char *line = text, *newline; (newline = strchr(line, '\n')); line = newline + 1, n++) {
        *newline = '\0';
        assert_int_equal(strncmp(line, "http://www.", 11), 0);
        const char *tab = strchr(line, '\t');
        assert_non_null(tab);
        assert_int_equal(strlen(strrchr(line, '\t')), 9);
    }
    assert_int_equal(n, 300);
    free(text);
    text = make("weblog", "html", plain);
    n = 0;
    for (const char *at = text; (at = strstr(at, "<a href=\"")); at++) n++;
    assert_int_equal(n, 300);
    free(text);
}

static void what_a_form_does_not_take_is_an_error_and_leaves_no_file(void **state)
{
    static const struct {
        const char *kind, *form;
        struct input_options o;
        const char *says;
    } cases[] = {{"graph", "bfs", {.size = 0, .shape = INPUT_SHAPES}, "--size counts vertices"},
                 {"graph", "bfs", {.size = 8, .degree = 5, .shape = INPUT_SHAPES}, "half of --size"},
                 {"graph", "bfs", {.size = 8, .shape = INPUT_ZIPF}, "--shape zipf"},
                 {"graph", "bfs", {.size = 8, .degree = 2, .shape = INPUT_GRID}, "leave out --degree"},
                 {"graph", "metis", {.size = 8, .directed = true, .shape = INPUT_SHAPES}, "--directed"},
                 {"keys", NULL, {.size = 8, .features = 3, .shape = INPUT_SHAPES}, "--features"},
                 {"matrix", "lud", {.size = 100000, .shape = INPUT_SHAPES}, "1 to 60000"}};
    (void)state;
    unlink(path);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct input_form *f;
        struct error err = {0};
        uint64_t bytes;
        assert_int_equal(input_find(&f, cases[i].kind, cases[i].form, &err), 0);
        assert_int_equal(input_make(f, &cases[i].o, path, &bytes, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_int_not_equal(access(path, F_OK), 0);
    }
    const struct input_form *f;
    struct error err = {0};
    assert_int_equal(input_find(&f, "grpah", NULL, &err), -1);
    assert_non_null(strstr(err.text, "did you mean 'graph'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_writes_the_same_bytes_and_another_seed_others),
        cmocka_unit_test(a_graph_has_the_degree_and_is_symmetric_with_equal_costs),
        cmocka_unit_test(a_directed_graph_has_so_many_arcs_in_every_form),
        cmocka_unit_test(the_right_hand_side_of_gaussian_is_that_of_all_ones),
        cmocka_unit_test(a_sparse_matrix_has_each_entry_once_and_a_dominant_diagonal),
        cmocka_unit_test(points_have_their_features_and_nn_records_their_columns),
        cmocka_unit_test(keys_are_counted_sorted_distinct_or_often_small),
        cmocka_unit_test(a_web_log_has_a_view_a_line_and_pages_have_their_links),
        cmocka_unit_test(what_a_form_does_not_take_is_an_error_and_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
