#include "test_store.h"

#include <math.h>
#include "poise/csv.h"

static void a_row_put_is_found_at_once_and_after_reopening(void **state)
{
    (void)state;
    struct error err;
    struct store_run r;
    const char *path = fresh_path();
    struct store *s = filled(path, 0, 5);
    assert_int_equal(1, store_get(s, "k004", &r, &err));
    assert_string_equal("{\"core_cycles\":1004,\"hits\":4}", r.stats);
    store_run_fini(&r);
    assert_int_equal(0, store_get(s, "k005", &r, &err));
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_open(&s, path, &err), &err);
    assert_int_equal(1, store_get(s, "k000", &r, &err));
    assert_true(r.complete && r.code == ERR_NONE && r.seconds == 0.5);
    store_run_fini(&r);
    uint64_t n;
    assert_ok(store_count(s, &n, &err), &err);
    assert_int_equal(5, n);
    assert_ok(store_verify(s, &n, &err), &err);
    assert_int_equal(5, n);
    assert_ok(store_close(s, &err), &err);
}

static void equal_stores_export_equal_bytes_whatever_the_order_of_writing(void **state)
{
    (void)state;
    struct error err;
    size_t n, m;
    struct store *s = filled(fresh_path(), 0, 100);
    char *a = exported(s, &n);
    assert_ok(store_close(s, &err), &err);
    s = filled(fresh_path(), 99, -1);
    char *b = exported(s, &m);
    assert_ok(store_close(s, &err), &err);
    assert_int_equal(n, m);
    assert_string_equal(a, b);
    assert_true(
        strncmp(a, "key,trace,workload,kernel,size,input,launch,mechs,limits,complete,error,message,core_cycles,hits\n",
                80) == 0);
    assert_non_null(strstr(a, "k000,t1,mm,\"mm_kernel, one\",test,-1,3,"));
    assert_null(strstr(a, "0.5")); /* no times */
    free(a);
    free(b);
}

static void two_connections_see_each_others_rows(void **state)
{
    (void)state;
    struct error err;
    struct store_run r;
    const char *path = fresh_path();
    struct store *a = filled(path, 0, 1), *b = filled(path, 1, 2);
    assert_ok(store_flush(a, &err), &err);
    assert_ok(store_flush(b, &err), &err);
    assert_int_equal(1, store_get(a, "k001", &r, &err));
    store_run_fini(&r);
    assert_ok(store_close(a, &err), &err);
    assert_ok(store_close(b, &err), &err);
}

static void a_row_put_again_replaces_the_failed_one(void **state)
{
    (void)state;
    struct error err;
    struct store_run r = row("k1", "{}"), got;
    char message[] = "out of memory";
    struct store *s = filled(fresh_path(), 0, 0);
    r.code = ERR_MEMORY;
    r.message = message;
    assert_ok(store_put(s, &r, &err), &err);
    r = row("k1", "{\"core_cycles\":7}");
    assert_ok(store_put(s, &r, &err), &err);
    assert_ok(store_flush(s, &err), &err);
    assert_int_equal(1, store_get(s, "k1", &got, &err));
    assert_int_equal(ERR_NONE, got.code);
    store_run_fini(&got);
    uint64_t n;
    assert_ok(store_count(s, &n, &err), &err);
    assert_int_equal(1, n);
    assert_ok(store_close(s, &err), &err);
}

static void plans_and_history_are_kept(void **state)
{
    (void)state;
    struct error err;
    struct store_plan p = {24, 1000, 5000}, q;
    double rate;
    struct store *s = filled(fresh_path(), 0, 4);
    assert_ok(store_flush(s, &err), &err);
    assert_int_equal(0, store_get_plan(s, "t1", "c1", &q, &err));
    assert_ok(store_put_plan(s, "t1", "c1", &p, &err), &err);
    assert_int_equal(1, store_get_plan(s, "t1", "c1", &q, &err));
    assert_true(q.warps_per_scheduler == 24 && q.warp_insts == 1000 && q.line_requests == 5000);
    assert_ok(store_history(s, "t1", &rate, &err), &err);
    assert_true(rate == 0.5 / 1000);
    assert_ok(store_history(s, "other", &rate, &err), &err);
    assert_true(rate == 0);
    assert_ok(store_close(s, &err), &err);
}

static void a_later_schema_a_damaged_file_and_a_missing_folder_are_refused_with_a_hint(void **state)
{
    (void)state;
    struct error err;
    struct store *s;
    const char *path = fresh_path();
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_close(s, &err), &err);
    sqlite3 *db;
    sqlite3_open(path, &db);
    sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(-1, store_open(&s, path, &err));
    assert_int_equal(ERR_INPUT, err.code);
    assert_non_null(strstr(err.text, "store schema 99, this build reads up to 4"));
    path = fresh_path();
    assert_ok(file_write(path, "this is no database, and long enough to be looked at", 52, &err), &err);
    assert_int_equal(-1, store_open(&s, path, &err));
    assert_true(strlen(err.hint) > 0);
    assert_int_equal(-1, store_open(&s, "/proc/no/such/s.sqlite", &err));
    assert_int_equal(ERR_IO, err.code);
}

static void a_store_of_schema_1_is_brought_up_to_date_and_keeps_its_100_runs(void **state)
{
    (void)state;
    struct error err;
    size_t n;
    uint64_t count;
    const char *path = fresh_path();
    struct store *s = filled(path, 0, 100);
    char *before = exported(s, &n);
    assert_ok(store_close(s, &err), &err);
    sqlite3 *db; /* what version 1 had */
    sqlite3_open(path, &db);
    assert_int_equal(SQLITE_OK, sqlite3_exec(db,
                                             "DROP TABLE experiments; DROP VIEW parameters; DROP VIEW statistics; "
                                             "ALTER TABLE runs DROP COLUMN checksum; PRAGMA user_version = 1",
                                             NULL, NULL, NULL));
    sqlite3_close(db);
    assert_ok(store_open_read(&s, path, &err), &err); /* reading leaves it as it is */
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_open(&s, path, &err), &err);
    char *after = exported(s, &n);
    assert_string_equal(before, after);
    assert_ok(store_put_experiment(s, "e", "spec", &err), &err);
    char *rows = NULL;
    FILE *out = open_memstream(&rows, &n);
    assert_ok(
        store_query(s, "SELECT value FROM statistics WHERE key = 'k007' AND name = 'core_cycles'", out, NULL, &err),
        &err);
    fclose(out);
    assert_string_equal("value\n1007\n", rows);
    assert_ok(store_count(s, &count, &err), &err);
    assert_int_equal(100, count);
    assert_ok(store_close(s, &err), &err);
    free(rows);
    free(before);
    free(after);
}

static bool is_refused(struct store *s, const char *key)
{
    struct error err;
    struct store_run r;
    const int found = store_get(s, key, &r, &err);
    assert_true(found >= 0);
    if (found) store_run_fini(&r);
    return !found && r.is_damaged;
}

static void a_row_altered_in_any_column_but_its_times_is_refused_until_it_is_put_again(void **state)
{
    (void)state;
    static const char *const columns[] = {"trace = 't2'",
                                          "config = 'c2'",
                                          "mechs = '[]'",
                                          "limits = '{\"max_cycles\":1}'",
                                          "stats = '{}'",
                                          "stats = ''",
                                          "stats = replace(stats, '1001', '1002')",
                                          "complete = 0",
                                          "code = 5",
                                          "message = 'x'",
                                          "checksum = 0"};
    struct error err;
    uint64_t n;
    const char *path = fresh_path();
    assert_ok(store_close(filled(path, 0, 3), &err), &err);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[128], *text = NULL;
        size_t size;
        snprintf(sql, sizeof sql, "UPDATE runs SET %s WHERE key = 'k001'", columns[i]);
        alter(path, sql);
        struct store *s;
        assert_ok(store_open(&s, path, &err), &err);
        assert_true(is_refused(s, "k001") && !is_refused(s, "k000") && !is_refused(s, "k003"));
        assert_int_equal(-1, store_verify(s, &n, &err));
        assert_non_null(strstr(err.text, "1 of 3 runs do not match their checksums, the first is k001"));
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(-1, store_export_csv(s, out, &err));
        assert_int_equal(-1, store_export_json(s, out, &err));
        assert_int_equal(-1, store_export_libsvm(s, "core_cycles", out, NULL, &err));
        fclose(out);
        free(text);
        const struct store_run again = row("k001", "{\"core_cycles\":1001,\"hits\":1}");
        assert_ok(store_put(s, &again, &err), &err);
        assert_ok(store_verify(s, &n, &err), &err);
        assert_false(is_refused(s, "k001"));
        assert_ok(store_close(s, &err), &err);
    }
    alter(path, "UPDATE runs SET seconds = 7 WHERE key = 'k001'");
    struct store *s;
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_verify(s, &n, &err), &err);
    assert_ok(store_close(s, &err), &err);
}

static void a_store_of_schema_2_gets_checksums_but_not_for_runs_without_statistics(void **state)
{
    (void)state;
    struct error err;
    uint64_t n;
    struct store *s;
    const char *path = fresh_path();
    struct store_run failed = row("k900", "{}");
    char message[] = "deadlock";
    failed.code = ERR_DEADLOCK;
    failed.message = message;
    s = filled(path, 0, 4);
    assert_ok(store_put(s, &failed, &err), &err);
    assert_ok(store_close(s, &err), &err);
    alter(path, "ALTER TABLE runs DROP COLUMN checksum; UPDATE runs SET stats = '{}' WHERE key = 'k001'; UPDATE runs "
                "SET stats = '{' WHERE key = 'k002';"
                "PRAGMA user_version = 2");
    for (int pass = 0; pass < 2; pass++) { /* read as it is, then brought up to date */
        assert_ok(pass ? store_open(&s, path, &err) : store_open_read(&s, path, &err), &err);
        assert_true(!is_refused(s, "k000") && is_refused(s, "k001") && is_refused(s, "k002") &&
                    !is_refused(s, "k003") && !is_refused(s, "k900"));
        assert_int_equal(-1, store_verify(s, &n, &err));
        assert_non_null(strstr(err.text, "2 of 5 runs"));
        assert_ok(store_close(s, &err), &err);
    }
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_gc(s, &n, &err), &err);
    assert_int_equal(2, n);
    assert_ok(store_verify(s, &n, &err), &err);
    assert_int_equal(3, n);
    assert_ok(store_close(s, &err), &err);
}

static void a_merge_takes_no_refused_row_and_lets_one_of_ours_give_way(void **state)
{
    (void)state;
    struct error err;
    uint64_t added, n;
    size_t size;
    char a[64], b[64];
    snprintf(a, sizeof a, "%s", fresh_path());
    snprintf(b, sizeof b, "%s", fresh_path());
    struct store *s = filled(fresh_path(), 0, 8);
    char *whole = exported(s, &size);
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_close(filled(a, 0, 6), &err), &err);
    assert_ok(store_close(filled(b, 3, 9), &err), &err);
    alter(a, "UPDATE runs SET stats = '{}' WHERE key = 'k004'");
    alter(b, "UPDATE runs SET stats = '{}' WHERE key IN ('k005', 'k008')");
    assert_ok(store_open(&s, a, &err), &err);
    assert_ok(store_merge(s, b, &added, &err), &err);
    assert_int_equal(2, added); /* k006 and k007 */
    assert_ok(store_verify(s, &n, &err), &err);
    char *merged = exported(s, &size);
    assert_string_equal(whole, merged);
    assert_ok(store_close(s, &err), &err);
    free(whole);
    free(merged);
}

static void a_merge_adds_what_is_missing_and_refuses_statistics_that_differ(void **state)
{
    (void)state;
    struct error err;
    uint64_t added;
    size_t n;
    char a[64], b[64];
    snprintf(a, sizeof a, "%s", fresh_path());
    snprintf(b, sizeof b, "%s", fresh_path());
    struct store *s = filled(fresh_path(), 0, 30);
    char *whole = exported(s, &n), *merged;
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_close(filled(b, 10, 30), &err), &err);
    s = filled(a, 0, 20);
    assert_ok(store_merge(s, b, &added, &err), &err);
    assert_int_equal(10, added);
    merged = exported(s, &n);
    assert_string_equal(whole, merged);
    const struct store_run other = row("k005", "{\"core_cycles\":1}");
    assert_ok(store_put(s, &other, &err), &err);
    assert_ok(store_flush(s, &err), &err);
    const struct store_run wrong = row("k015", "{\"core_cycles\":1}");
    assert_ok(store_put(s, &wrong, &err), &err);
    assert_int_equal(-1, store_merge(s, b, &added, &err));
    assert_non_null(strstr(err.text, "run k015 has other statistics"));
    assert_ok(store_close(s, &err), &err);
    free(whole);
    free(merged);
}

static void json_and_libsvm_exports_hold_every_run(void **state)
{
    (void)state;
    struct error err;
    size_t n;
    char *text = NULL;
    struct store *s = filled(fresh_path(), 0, 3);
    FILE *out = open_memstream(&text, &n);
    assert_ok(store_export_json(s, out, &err), &err);
    fclose(out);
    assert_non_null(strstr(text, "\"key\":\"k002\""));
    assert_non_null(strstr(text, "\"stats\":{\"core_cycles\":1002,\"hits\":2,\"time_us\":"));
    free(text);
    out = open_memstream(&text, &n);
    assert_ok(store_export_libsvm(s, "core_cycles", out, NULL, &err), &err);
    fclose(out);
    assert_string_equal("1000\n1001 1:1\n1002 1:2\n", text);
    free(text);
    out = fopen("/dev/null", "w");
    assert_int_equal(-1, store_export_libsvm(s, "nothing", out, NULL, &err));
    fclose(out);
    assert_ok(store_close(s, &err), &err);
}

static void whole_numbers_print_whole_and_others_the_shortest_text_that_reads_back(void **state)
{
    (void)state;
    char text[40];
    assert_string_equal("0.1", number_text(0.1, text, sizeof text));
    assert_string_equal("1.015", number_text(1.015, text, sizeof text));
    assert_string_equal("0.3333333333333333", number_text(1.0 / 3, text, sizeof text));
    assert_string_equal("12345678", number_text(12345678, text, sizeof text));
    assert_string_equal("0", number_text(0, text, sizeof text));
    assert_string_equal("100000", number_text(100000, text, sizeof text));
    assert_string_equal("-653860", number_text(-653860, text, sizeof text));
    assert_string_equal("999999999999999", number_text(999999999999999, text, sizeof text));
    assert_string_equal("1e+15", number_text(1e15, text, sizeof text));
    assert_string_equal("0", number_text(-0.0, text, sizeof text));
    assert_string_equal("5e-324", number_text(5e-324, text, sizeof text));
    uint64_t random = 7;
    for (int i = 0; i < 60000; i++) { /* bit patterns, their powers of two, whole numbers, short fractions: no text
                                       * of fewer digits reads back */
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = i % 4 == 1 ? random & ~((1ull << 52) - 1) : random;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 4 == 2) value = (double)(int64_t)(random >> (11 + random % 50));
        if (i % 4 == 3) value = (double)(random >> 40) / 1000;
        if (!isfinite(value) || (value == trunc(value) && fabs(value) < 1e15)) continue;
        char expected[40];
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(expected, sizeof expected, "%.*g", digits, value);
            if (strtod(expected, NULL) == value) break;
        }
        assert_string_equal(expected, number_text(value, text, sizeof text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_put_is_found_at_once_and_after_reopening),
        cmocka_unit_test(equal_stores_export_equal_bytes_whatever_the_order_of_writing),
        cmocka_unit_test(two_connections_see_each_others_rows),
        cmocka_unit_test(a_row_put_again_replaces_the_failed_one),
        cmocka_unit_test(plans_and_history_are_kept),
        cmocka_unit_test(a_later_schema_a_damaged_file_and_a_missing_folder_are_refused_with_a_hint),
        cmocka_unit_test(a_store_of_schema_1_is_brought_up_to_date_and_keeps_its_100_runs),
        cmocka_unit_test(a_row_altered_in_any_column_but_its_times_is_refused_until_it_is_put_again),
        cmocka_unit_test(a_store_of_schema_2_gets_checksums_but_not_for_runs_without_statistics),
        cmocka_unit_test(a_merge_takes_no_refused_row_and_lets_one_of_ours_give_way),
        cmocka_unit_test(a_merge_adds_what_is_missing_and_refuses_statistics_that_differ),
        cmocka_unit_test(json_and_libsvm_exports_hold_every_run),
        cmocka_unit_test(whole_numbers_print_whole_and_others_the_shortest_text_that_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
