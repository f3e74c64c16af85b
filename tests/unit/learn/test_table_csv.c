#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include "poise/csv.h"
#include "poise/table.h"
#include "poise/table_csv.h"
#include "poise/validate.h"

static void parse(struct table_csv *table, const char *text)
{
    struct error err;
    assert_ok(table_csv_parse(table, "d.csv", text, strlen(text), &err), &err);
}

static void a_table_has_numbers_words_and_the_line_of_each_row(void **state)
{
    (void)state;
    struct table_csv t;
    parse(&t, "\xef\xbb\xbf"
              "a,\"b \"\"x\"\", c\",d\r\n1, 2.5 ,x\r\n\r\n-3e2,,\"y,\nz\"\n4,nan,");
    assert_int_equal(3, t.n_columns);
    assert_int_equal(3, t.n_rows);
    assert_string_equal("b \"x\", c", t.columns[1].name);
    assert_true(t.columns[0].values[0] == 1 && t.columns[0].values[1] == -300 && t.columns[0].values[2] == 4);
    assert_true(t.columns[1].values[0] == 2.5 && isnan(t.columns[1].values[1]) && isnan(t.columns[1].values[2]));
    assert_string_equal("y,\nz", t.columns[2].texts[1]);
    assert_string_equal("", t.columns[2].texts[2]);
    assert_int_equal(2, t.lines[0]);
    assert_int_equal(4, t.lines[1]);
    assert_int_equal(6, t.lines[2]);
    assert_int_equal(0, t.columns[0].words);
    assert_int_equal(2, t.columns[2].words);
    table_csv_fini(&t);
}

/* Our writer's cells: of any text they are that text again, no spreadsheet takes one for a formula, and numbers are
 * numbers. */
static void what_the_csv_writer_writes_is_read_back_and_is_no_formula(void **state)
{
    static const char *const texts[] = {"d=4,r=4", "=1+1", "+x",    "-x",        "@SUM(A1)", "\tx",  "\rx",  "'",
                                        "''",      "'=x",  "''=x",  "'a",        "'-1.5",    "-1.5", "+2e3", "-inf",
                                        "-",       "=",    "-1.5x", "say \"x\"", "\"",       " a ",  " ",    "a\nb",
                                        "a\r\nb",  "\nx",  "-0x10", "größe",     "=\"a\",b", "a;b",  "",     "1 -2"};
    enum { N = COUNT_OF(texts) };
    char *text = NULL;
    size_t size;
    struct table_csv t;
    (void)state;
    FILE *out = open_memstream(&text, &size);
    fputs("first,second\n", out);
    for (size_t i = 0; i < N; i++) {
        csv_print(out, texts[i]);
        csv_next(out, texts[i]);
        fputc('\n', out);
    }
    fclose(out);
    parse(&t, text);
    assert_int_equal(N, t.n_rows);
    for (size_t i = 0; i < N; i++) {
        assert_string_equal(texts[i], t.columns[0].texts[i]);
        assert_string_equal(texts[i], t.columns[1].texts[i]);
    }
    assert_true(t.columns[0].values[13] == -1.5 && t.columns[0].values[14] == 2000);
    for (const char *line = text; *line; line++) { /* what begins a cell, quoted or not */
        const char *cell = line + (*line == '"');
        char *stop;
        if (line > text && line[-1] != '\n' && line[-1] != ',') continue;
        if (*cell && strchr("=+-@\t\r", *cell) && (strtod(cell, &stop), stop == cell || !strchr(",\n", *stop)))
            fail_msg("a formula: %.20s", line);
    }
    free(text);
    table_csv_fini(&t);
}

static void a_wrong_file_is_refused_with_file_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "d.csv:1: column 1: the file is empty"},
        {"a,,b\n1,2,3\n", "d.csv:1: column 2: the column has no name"},
        {"a,b,a\n", "d.csv:1: column 3: the name 'a' is given twice"},
        {"a,b\n1,2\n3\n", "d.csv:3: column 1: the line ends after 1 of 2 cells"},
        {"a,b\n1,2,3\n", "d.csv:2: column 3: the line has more cells than the header's 2"},
        {"a,b\n1,\"2\n", "d.csv:2: column 2: the quote is never closed"},
        {"a,b\n1,\"2\"x\n", "d.csv:2: column 2: text after the closing quote"},
        {"a,\033[31mb\n1,2\n", "d.csv:1: column 2: a control character"},
        {"a,b\n1,2\n1,\"x\xc2\x9b\"\n", "d.csv:3: column 2: a control character"},
        {"a,b\n1,2\"x\n", "d.csv:2: column 2: a quote inside an unquoted cell"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table_csv t;
        struct error err = {0};
        assert_int_equal(-1, table_csv_parse(&t, "d.csv", cases[i].text, strlen(cases[i].text), &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_true(err.line > 0);
    }
    struct table_csv t;
    struct error err;
    assert_int_equal(-1, table_csv_parse(&t, "d.csv", "a\n\0\n", 4, &err));
    assert_int_equal(-1, table_csv_read(&t, "/nowhere/d.csv", &err));
}

static const char dataset[] =
    "benchmark,kernel,launch,trace,W,N,p,cycles,speedup,score,h_o,eta_o,intercept,group,weight\n"
    "pvr,k1,0,00aa,24,6,3,50000,1.2,1.1,0.2,0.1,1,3,1\n"
    "gco,k2,1,1e55,16,9,2,60000,1.3,1.2,0.4,0.3,1,4,2\n";

static const char *const outcomes[] = {"N", "p", "W", "launch", "cycles", "speedup", "score", NULL};
static const char *const words[] = {"benchmark", "kernel", "trace", NULL};

static void a_dataset_gives_its_features_and_never_its_outcomes(void **state)
{
    (void)state;
    struct table_csv t;
    struct training_set s;
    struct error err;
    parse(&t, dataset);
    const struct training_choice choice = {.target = "N", .roles = {outcomes, words}};
    assert_ok(training_set_init(&s, &t, &choice, &err), &err);
    assert_int_equal(2, s.data.n);
    assert_int_equal(3, s.data.k);
    assert_string_equal("h_o", s.names[0]);
    assert_string_equal("eta_o", s.names[1]);
    assert_string_equal("intercept", s.names[2]);
    assert_true(s.data.y[0] == 6 && s.data.y[1] == 9);
    assert_true(s.data.x[0] == 0.2 && s.data.x[1] == 0.4 && s.data.x[2] == 0.1);
    assert_true(s.data.weight[1] == 2 && s.data.offset == NULL);
    assert_string_equal("3", s.groups[0]);
    training_set_fini(&s);
    table_csv_fini(&t);
}

static void features_are_chosen_by_name_and_an_intercept_is_added_once(void **state)
{
    (void)state;
    struct table_csv t;
    struct training_set s;
    struct error err;
    parse(&t, dataset);
    const char *const features[] = {"eta_o", "W"};
    struct training_choice choice = {.target = "p", .features = features, .n_features = 2, .add_intercept = true};
    assert_ok(training_set_init(&s, &t, &choice, &err), &err);
    assert_int_equal(3, s.data.k);
    assert_string_equal("W", s.names[1]); /* asked for by name: taken */
    assert_string_equal("intercept", s.names[2]);
    assert_true(s.data.x[4] == 1 && s.data.x[5] == 1);
    training_set_fini(&s);
    choice = (struct training_choice){.target = "p", .roles = {outcomes, words}, .add_intercept = true};
    assert_ok(training_set_init(&s, &t, &choice, &err), &err);
    assert_int_equal(3, s.data.k); /* the table's own intercept */
    training_set_fini(&s);
    table_csv_fini(&t);
}

static void a_wrong_choice_says_what_and_where(void **state)
{
    (void)state;
    static const char *const missing[] = {"eta_p"}, *const twice[] = {"h_o", "h_o"}, *const target[] = {"N"},
                             *const word[] = {"kernel"};
    static const struct {
        const char *text;
        struct training_choice choice;
        const char *says;
    } cases[] = {
        {dataset, {.target = "M"}, "d.csv: no column 'M' for the target"},
        {dataset,
         {.target = "N", .features = missing, .n_features = 1},
         "d.csv: no column 'eta_p' for the features; did you mean 'eta_o'?"},
        {dataset, {.target = "N", .features = twice, .n_features = 2}, "feature 'h_o' is named twice"},
        {dataset, {.target = "N", .features = target, .n_features = 1}, "'N' is the target"},
        {dataset, {.target = "N", .features = word, .n_features = 1}, "d.csv:2: column 'kernel': 'k1' is not a number"},
        {"y,a\n1,2\n2,3x\n", {.target = "y"}, "d.csv:3: column 'a': '3x' is not a number"},
        {"y,a\n1,2\n,3\n", {.target = "y"}, "d.csv:3: column 'y': the cell is empty"},
        {"y,N\n1,2\n", {.target = "y", .roles = {outcomes, words}}, "d.csv: no numeric column is left to regress on"},
        {"y,a\n", {.target = "y"}, "d.csv: no rows below the header"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table_csv t;
        struct training_set s;
        struct error err = {0};
        parse(&t, cases[i].text);
        assert_int_equal(-1, training_set_init(&s, &t, &cases[i].choice, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        table_csv_fini(&t);
    }
}

static void an_error_of_the_fit_names_the_line_of_the_file(void **state)
{
    (void)state;
    struct table_csv t;
    struct training_set s;
    struct glm_fit fit;
    struct error err;
    parse(&t, "y,a,intercept\n1,2,1\n\n2,nan,1\n3,1,1\n");
    const struct training_choice choice = {.target = "y"};
    const struct glm_options options = {.family = GLM_NB2};
    assert_ok(training_set_init(&s, &t, &choice, &err), &err);
    assert_int_equal(-1, glm_fit(&fit, &s.data, &options, &err));
    assert_string_equal("d.csv:4: column 'a' is nan: it must be a finite number", err.text);
    assert_int_equal(4, err.line);
    training_set_fini(&s);
    table_csv_fini(&t);
}

static void what_a_regression_leaves_out_is_named_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *says;
    } cases[] = {
        {"\"2,5\"", "column 'b' left out: '2,5' (line 2) looks like a number and is none: a decimal comma?"},
        {"10%", "'10%' (line 2) looks like a number and is none: write the number without the percent sign"},
        {"12 ms", "'12 ms' (line 2) looks like a number and is none: write the number alone, without a unit"},
        {"$5", "write the number alone"},
        {"spmv", "column 'b' left out: 'spmv' (line 2) is a word"},
        {"", "column 'b' left out: every cell is empty"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[200];
        struct table_csv t;
        struct training_set s;
        struct error err;
        struct table_notes notes = {.n = 0};
        snprintf(text, sizeof text, "y,a,b\n1,2,%s\n2,3,%s\n", cases[i].cell, cases[i].cell);
        parse(&t, text);
        const struct training_choice choice = {.target = "y", .notes = &notes};
        assert_ok(training_set_init(&s, &t, &choice, &err), &err);
        assert_int_equal(1, s.data.k);
        assert_int_equal(1, notes.n);
        if (!strstr(notes.texts[0], cases[i].says)) fail_msg("%s: %s", cases[i].cell, notes.texts[0]);
        training_set_fini(&s);
        if (i < 4) { /* as the target it is an error with the same advice */
            assert_int_equal(-1, training_set_init(&s, &t, &(struct training_choice){.target = "b"}, &err));
            assert_non_null(strstr(err.text, "is not a number"));
            assert_non_null(strstr(cases[i].says, "number"));
            assert_true(strstr(err.hint, i == 0 ? "decimal comma" : "number") != NULL);
        }
        table_csv_fini(&t);
    }
}

static void offsets_that_are_whole_numbers_are_a_warning_and_a_missing_group_is_none(void **state)
{
    (void)state;
    struct table_csv t;
    struct training_set s;
    struct groups groups;
    struct error err;
    struct table_notes notes = {.n = 0};
    static const char *const texts[] = {"a", "b", " na"};
    parse(&t, "y,a,offset\n1,2,3\n2,3,12\n");
    assert_ok(training_set_init(&s, &t, &(struct training_choice){.target = "y", .notes = &notes}, &err), &err);
    assert_int_equal(1, notes.n);
    assert_non_null(strstr(notes.texts[0], "did you mean log(offset)?"));
    training_set_fini(&s);
    table_csv_fini(&t);
    notes.n = 0;
    parse(&t, "y,Weight,a\n1,2,3\n2,3,12\n");
    assert_ok(training_set_init(&s, &t, &(struct training_choice){.target = "y", .notes = &notes}, &err), &err);
    assert_int_equal(2, s.data.k);
    assert_int_equal(1, notes.n);
    assert_non_null(strstr(notes.texts[0], "column 'Weight' is a feature: the column of that role is called 'weight'"));
    training_set_fini(&s);
    table_csv_fini(&t);
    assert_int_equal(-1, groups_init(&groups, texts, 3, &err));
    assert_non_null(strstr(err.text, "row 3: the group is ' na'"));
    assert_int_equal(-1, table_csv_parse(&t, "d.csv", "a,b\n1,2,5\n", 10, &err));
    assert_non_null(strstr(err.hint, "a decimal comma"));
}

static void rows_without_a_group_are_left_out_by_line_and_rows_of_weight_w_stand_w_times(void **state)
{
    (void)state;
    struct table_csv t;
    struct error err;
    struct table_notes notes = {.n = 0};
    parse(&t, "y,group,weight\n1,a,2\n2,,1\n3,NA,1\n4,b,0\n5,n/a,1\n6,b,3\n7,nap,1\n");
    assert_ok(table_csv_drop_missing(&t, "group", &notes, &err), &err);
    assert_int_equal(4, t.n_rows);
    assert_int_equal(1, notes.n);
    assert_string_equal("3 rows left out (line 3, 4, 6): 'group' is empty or NA there, and a group needs a name",
                        notes.texts[0]);
    assert_ok(table_csv_repeat(&t, "weight", &err), &err);
    static const double y[] = {1, 1, 6, 6, 6, 7};
    static const long lines[] = {2, 2, 7, 7, 7, 8};
    assert_int_equal(COUNT_OF(y), t.n_rows);
    for (size_t i = 0; i < COUNT_OF(y); i++) assert_true(t.columns[0].values[i] == y[i] && t.lines[i] == lines[i]);
    table_csv_fini(&t);
    parse(&t, "y,group,weight\n1,,0.5\n");
    assert_int_equal(-1, table_csv_repeat(&t, "weight", &err));
    assert_non_null(strstr(err.text, ":2: column 'weight': 0.5: a frequency weight is a whole number"));
    assert_int_equal(-1, table_csv_drop_missing(&t, "group", &notes, &err));
    assert_non_null(strstr(err.text, "no group is left"));
    table_csv_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_numbers_words_and_the_line_of_each_row),
        cmocka_unit_test(what_the_csv_writer_writes_is_read_back_and_is_no_formula),
        cmocka_unit_test(a_wrong_file_is_refused_with_file_line_and_column),
        cmocka_unit_test(a_dataset_gives_its_features_and_never_its_outcomes),
        cmocka_unit_test(features_are_chosen_by_name_and_an_intercept_is_added_once),
        cmocka_unit_test(a_wrong_choice_says_what_and_where),
        cmocka_unit_test(an_error_of_the_fit_names_the_line_of_the_file),
        cmocka_unit_test(what_a_regression_leaves_out_is_named_with_its_reason),
        cmocka_unit_test(offsets_that_are_whole_numbers_are_a_warning_and_a_missing_group_is_none),
        cmocka_unit_test(rows_without_a_group_are_left_out_by_line_and_rows_of_weight_w_stand_w_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
