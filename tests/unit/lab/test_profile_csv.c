#include "rig.h"

#include "poise/profile_csv.h"
#include "poise/runner.h"

#define HEAD \
    "# poise profile: 1\n# model_version: 2\n# config: kepler32\n# config_hash: 0123456789abcdef0123456789abcdef\n# " \
    "size: small\n"
#define COUNTERS \
    "workload,input,launch,trace,N,p,ms,core_cycles,warp_insts,line_requests,global_loads,l1d_load_accesses,l1d_load_" \
    "hits,l1d_intra_warp_hits,miss_latency_sum,l1d_fills"
#define COLUMNS COUNTERS "\n"
#define COLUMNS_W COUNTERS ",W\n"
#define FIRST_W "mvt,-1,0,00112233445566778899aabbccddeeff,1,1,12,5000,1380,1754,162,1664,1267,443,70107,333"
#define FIRST FIRST_W "\n"

static void an_empty_cell_says_what_the_cell_above_it_says(void **state)
{
    (void)state;
    struct profile_table t;
    struct error err;
    static const char text[] = HEAD "# set: l1.sets=64\n# with: bucl\n" COLUMNS FIRST
                                    ",,,,2,,7,4000,,,,,1000,,,\n,,3,ffeeddccbbaa99887766554433221100,1,,,,,,,,,,,\n";
    assert_ok(profile_table_parse(&t, "p.csv", text, sizeof text - 1, &err), &err);
    assert_int_equal(3, t.n_rows);
    assert_int_equal(2, t.n_launches);
    assert_true(t.rows[1].at.N == 2 && t.rows[1].at.p == 1 && t.rows[1].ms == 7);
    assert_int_equal(4000, profile_table_value(&t, 1, "core_cycles"));
    assert_int_equal(1380, profile_table_value(&t, 1, "warp_insts"));
    assert_int_equal(1000, profile_table_value(&t, 2, "l1d_load_hits"));
    assert_string_equal("mvt", t.launches[1].workload);
    assert_true(t.launches[1].index == 3 && t.launches[1].first == 2 && t.launches[1].n == 1 &&
                t.launches[1].input == -1);
    assert_string_equal("l1.sets=64", t.set[0]);
    assert_string_equal("bucl", t.with[0]);
    assert_false(profile_table_is_whole(&t));
    assert_true(profile_table_seconds(&t) > 0.0259 && profile_table_seconds(&t) < 0.0261);
    profile_table_fini(&t);
}

static void what_is_written_reads_back_in_the_same_bytes(void **state)
{
    (void)state;
    struct profile_table t;
    struct error err;
    static const char text[] =
        HEAD COLUMNS FIRST ",,,,2,1,7,4000,,,,,1000,,,\n,,,,,2,,4001,,,,,,,,\nmvt,-1,3,"
                           "ffeeddccbbaa99887766554433221100,1,1,7,4001,1380,1754,162,1664,1000,443,70107,333\n";
    char *out;
    size_t size;
    assert_ok(profile_table_parse(&t, "p.csv", text, sizeof text - 1, &err), &err);
    FILE *file = open_memstream(&out, &size);
    assert_ok(profile_table_print(&t, file, &err), &err);
    fclose(file);
    /* the writer gives every row its own p and milliseconds */
    assert_non_null(strstr(out, ",,,,,2,7,4001,,,,,,,,\n"));
    struct profile_table again;
    assert_ok(profile_table_parse(&again, "again.csv", out, size, &err), &err);
    assert_memory_equal(t.values, again.values, t.n_rows * t.n_counters * sizeof *t.values);
    assert_memory_equal(t.rows, again.rows, t.n_rows * sizeof *t.rows);
    profile_table_fini(&again);
    profile_table_fini(&t);
    free(out);
}

/* Half a grid may end on a complete triangle: only W tells. */
static void a_grid_is_whole_when_it_has_all_tuples_of_W_warps(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *first, *next;
        uint32_t W;
    } cases[] = {
        {COLUMNS_W, FIRST_W ",3\n", ",,,,2,1,,4000,,,,,,,,,\n,,,,,2,,4001,,,,,,,,,\n", 0},
        {COLUMNS_W, FIRST_W ",2\n", ",,,,2,1,,4000,,,,,,,,,\n,,,,,2,,4001,,,,,,,,,\n", 2},
        {COLUMNS_W, FIRST_W ",2\n", ",,,,2,1,,4000,,,,,,,,,\n", 0},
        {COLUMNS, FIRST, ",,,,2,1,,4000,,,,,,,,\n,,,,,2,,4001,,,,,,,,\n", 2}, /* an older table */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct profile_table t, again;
        struct error err;
        char text[2048], *out;
        size_t size;
        snprintf(text, sizeof text, HEAD "%s%s%s", cases[i].columns, cases[i].first, cases[i].next);
        assert_ok(profile_table_parse(&t, "p.csv", text, strlen(text), &err), &err);
        assert_int_equal(cases[i].W, profile_table_warps(&t, &t.launches[0]));
        FILE *file = open_memstream(&out, &size);
        assert_ok(profile_table_print(&t, file, &err), &err);
        fclose(file);
        assert_ok(profile_table_parse(&again, "again.csv", out, size, &err), &err);
        assert_int_equal(t.launches[0].W, again.launches[0].W);
        assert_int_equal(cases[i].W, profile_table_warps(&again, &again.launches[0]));
        profile_table_fini(&again);
        profile_table_fini(&t);
        free(out);
    }
}

static void mistakes_name_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "p.csv:1: the file is empty"},
        {"N,p\n", "p.csv:1: this is no Poise profile: it starts with '# poise profile: 1'"},
        {"# poise profile: 2\n", "p.csv:1: this is no Poise profile: it starts with '# poise profile: 1'"},
        {"# poise profile: 1\n# modelversion: 2\n",
         "p.csv:2: no key 'modelversion': model_version, config, config_hash, set, with, size"},
        {"# poise profile: 1\n# config: kepler32\n" COLUMNS,
         "p.csv:3: no line '# model_version: ...' is above the columns"},
        {HEAD "workload,launch\n", "p.csv:6: column 2: 'launch' is where 'input' should be"},
        {HEAD "workload,input,launch,trace,N,p,ms,core_cycle\n",
         "p.csv:6: column 8: no counter 'core_cycle'; did you mean 'core_cycles'?"},
        {HEAD "workload,input,launch,trace,N,p,ms,core_cycles\n",
         "p.csv:6: column 8: there is no column warp_insts, which features and tables need"},
        {HEAD COLUMNS, "p.csv:6: the profile has no rows"},
        {HEAD COLUMNS ",,,,1,1,1,1,1,1,1,1,1,1,1,1\n",
         "p.csv:7: column 1: the first row has nothing above it that an empty cell could repeat"},
        {HEAD COLUMNS FIRST ",,,,2,\n", "p.csv:8: column 6: the line ends too early: is the file cut off?"},
        {HEAD COLUMNS FIRST ",,,,2,3,,,,,,,,,,\n", "p.csv:8: (2, 3) is no tuple with 1 <= p <= N"},
        {HEAD COLUMNS FIRST ",,,,65,1,,,,,,,,,,\n", "p.csv:8: column 5: '65' is not a whole number from 1 to 64"},
        {HEAD COLUMNS FIRST ",,,,1,1,,,,,,,,,,\n", "p.csv:8: (1, 1) is given twice in this launch"},
        {HEAD COLUMNS FIRST ",,,,2,1,,0,,,,,,,,\n", "p.csv:8: a run of 0 cycles"},
        {HEAD COLUMNS FIRST ",,,,2,1,,,,,,,1665,,,\n", "p.csv:8: more L1 hits than accesses"},
        {HEAD COLUMNS FIRST ",,,,2,1,,-4,,,,,,,,\n",
         "p.csv:8: column 8: '-4' is not a whole number from 0 to 9223372036854775807"},
        {HEAD COLUMNS FIRST ",,,0f,2,1,,,,,,,,,,\n", "p.csv:8: column 4: '0f' is no hash of 32 hexadecimal digits"},
        {HEAD COUNTERS ",W,dram_reads\n", "p.csv:6: column 17: no counter 'W'"},
        {HEAD COLUMNS_W FIRST_W ",\n",
         "p.csv:7: column 17: the first row has nothing above it that an empty cell could repeat"},
        {HEAD COLUMNS_W FIRST_W ",65\n", "p.csv:7: column 17: '65' is not a whole number from 1 to 64"},
        {HEAD COLUMNS_W FIRST_W ",2\n,,,,2,1,,4000,,,,,,,,,3\n", "p.csv:8: column 17: W = 3 in a launch with W = 2"},
        {HEAD COLUMNS_W FIRST_W ",2\n,,,,3,1,,4000,,,,,,,,,\n", "p.csv:8: N = 3 in a launch of 2 warps per scheduler"},
        {HEAD COLUMNS FIRST FIRST, "p.csv:8: launch 0 of mvt is given twice, or its rows are not together"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct profile_table t;
        struct error err;
        assert_int_equal(-1, profile_table_parse(&t, "p.csv", cases[i].text, strlen(cases[i].text), &err));
        assert_string_equal(cases[i].message, err.text);
        assert_int_equal(2, error_exit_status(&err));
        assert_true(err.line > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_cell_says_what_the_cell_above_it_says),
        cmocka_unit_test(what_is_written_reads_back_in_the_same_bytes),
        cmocka_unit_test(a_grid_is_whole_when_it_has_all_tuples_of_W_warps),
        cmocka_unit_test(mistakes_name_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
