/* Whose file a store is, the rows of all its tables, and what exports say of a run. */
#include "test_store.h"

static uint64_t bytes_of(const char *path)
{
    char *text;
    size_t size;
    struct error err;
    assert_ok(file_read(&text, &size, path, &err), &err);
    const struct hash h = hash_bytes(text, size);
    uint64_t sum;
    memcpy(&sum, h.bytes, sizeof sum);
    free(text);
    return sum;
}

/* Whatever its schema number says, and in either mode of journal. */
static void a_database_of_another_program_is_refused_by_name_and_stays_as_it_is(void **state)
{
    (void)state;
    static const char *const files[] = {
        "CREATE TABLE photos(a); INSERT INTO photos VALUES(1)",
        "CREATE TABLE photos(a); PRAGMA user_version = 2",
        "CREATE TABLE runs(a); CREATE TABLE photos(b); PRAGMA user_version = 3",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 5",
        "PRAGMA journal_mode = WAL; CREATE TABLE photos(a)",
        "CREATE VIEW photos AS SELECT 1",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct error err;
        struct store *s;
        const char *path = fresh_path();
        alter(path, files[i]);
        const uint64_t before = bytes_of(path);
        assert_int_equal(-1, store_open(&s, path, &err));
        assert_int_equal(ERR_INPUT, err.code);
        assert_non_null(strstr(err.text, "a database of another program"));
        assert_int_equal(-1, store_open_read(&s, path, &err));
        assert_true(before == bytes_of(path));
    }
}

static void a_schema_number_that_no_build_writes_is_refused(void **state)
{
    (void)state;
    static const char *const numbers[] = {"-1", "0", "-2147483648", "2147483647"};
    struct error err;
    struct store *s;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char sql[64];
        const char *path = fresh_path();
        assert_ok(store_close(filled(path, 0, 2), &err), &err);
        snprintf(sql, sizeof sql, "PRAGMA user_version = %s", numbers[i]);
        alter(path, sql);
        assert_int_equal(-1, store_open(&s, path, &err));
        assert_int_equal(ERR_INPUT, err.code);
        assert_non_null(strstr(err.text, "store schema"));
        assert_int_equal(-1, store_open_read(&s, path, &err));
    }
}

/* A store as schema 3 had it is taken, and gets the header and the checksums. */
static void a_store_of_schema_3_gets_an_application_id_and_checksums_in_every_table(void **state)
{
    (void)state;
    struct error err;
    struct store *s;
    struct store_plan p = {24, 1000, 5000}, q;
    uint64_t n;
    const char *path = fresh_path();
    s = filled(path, 0, 3);
    assert_ok(store_put_plan(s, "t1", "c1", &p, &err), &err);
    assert_ok(store_close(s, &err), &err);
    alter(path, "DROP TABLE claims; ALTER TABLE traces DROP COLUMN checksum; ALTER TABLE configs DROP COLUMN checksum;"
                "ALTER TABLE plans DROP COLUMN checksum; ALTER TABLE provenance DROP COLUMN checksum;"
                "ALTER TABLE experiments DROP COLUMN checksum; PRAGMA user_version = 3; PRAGMA application_id = 0");
    assert_ok(store_open_read(&s, path, &err), &err);
    assert_int_equal(1, store_get_plan(s, "t1", "c1", &q, &err));
    assert_ok(store_verify(s, &n, &err), &err);
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_open(&s, path, &err), &err);
    assert_int_equal(1, store_get_plan(s, "t1", "c1", &q, &err));
    assert_ok(store_verify(s, &n, &err), &err);
    assert_int_equal(3, n);
    assert_ok(store_close(s, &err), &err);
    alter(path, "UPDATE plans SET warps_per_scheduler = 4");
    assert_ok(store_open(&s, path, &err), &err);
    assert_int_equal(STORE_REFUSED, store_get_plan(s, "t1", "c1", &q, &err));
    assert_ok(store_close(s, &err), &err);
}

static void a_row_altered_in_any_table_is_found_by_name_and_written_again(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *says;
    } cases[] = {
        {"UPDATE plans SET warps_per_scheduler = 7", "1 of 1 rows of plans do not match"},
        {"UPDATE plans SET config = 'c2'", "1 of 1 rows of plans do not match"},
        {"UPDATE traces SET workload = 'other'", "1 of 1 rows of traces do not match"},
        {"UPDATE traces SET launch = 4", "1 of 1 rows of traces do not match"},
        {"UPDATE configs SET json = '[]'", "1 of 1 rows of configs do not match"},
        {"UPDATE provenance SET value = '2'", "1 of 1 rows of provenance do not match"},
        {"UPDATE experiments SET spec = '2'", "1 of 1 rows of experiments do not match"},
        {"INSERT INTO claims VALUES('k', 'o', 0, 0)", "1 of 1 rows of claims do not match"},
    };
    struct error err;
    struct store *s;
    struct store_plan p = {24, 1000, 5000};
    const struct store_trace trace = {"t1", "mm", "mm_kernel, one", "test", -1, 3, 1000};
    uint64_t n;
    const char *path = fresh_path();
    s = filled(path, 0, 3);
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        assert_ok(store_put_plan(s, "t1", "c1", &p, &err), &err);
        assert_ok(store_put_trace(s, &trace, &err), &err);
        assert_ok(store_put_config(s, "c1", "{}", &err), &err);
        assert_ok(store_put_provenance(s, "a", "1", &err), &err);
        assert_ok(store_put_experiment(s, "e", "1", &err), &err);
        if (i == 1 || i == 2) assert_ok(store_gc(s, &n, &err), &err); /* the plan under another key */
        assert_ok(store_put_plan(s, "t1", "c1", &p, &err), &err);
        assert_ok(store_verify(s, &n, &err), &err);
        if (i == sizeof cases / sizeof *cases) break;
        assert_ok(store_close(s, &err), &err);
        alter(path, cases[i].sql);
        assert_ok(store_open(&s, path, &err), &err);
        assert_int_equal(-1, store_verify(s, &n, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].sql, err.text);
        if (strstr(cases[i].sql, "claims")) assert_ok(store_gc(s, &n, &err), &err);
    }
    assert_ok(store_close(s, &err), &err);
}

static void exports_name_machine_benchmark_and_mechanism_and_have_a_column_a_parameter(void **state)
{
    (void)state;
    struct error err;
    size_t n;
    struct store *s = filled(fresh_path(), 0, 0);
    static const char *const machines[] = {"{\"name\":\"kepler32\",\"l1\":{\"ways\":2}}",
                                           "{\"name\":\"kepler32\",\"l1\":{\"ways\":8}}"};
    static char mechs[] = "[{\"name\":\"tuple\",\"params\":{\"N\":4,\"p\":1},\"stats\":{}}]";
    for (int i = 0; i < 2; i++) {
        char key[8];
        struct store_run r = row("k", "{\"core_cycles\":7}");
        snprintf(r.key, sizeof r.key, "k%d", i);
        snprintf(r.config, sizeof r.config, "m%d", i);
        snprintf(key, sizeof key, "m%d", i);
        r.mechs = mechs;
        assert_ok(store_put_config(s, key, machines[i], &err), &err);
        assert_ok(store_put(s, &r, &err), &err);
    }
    char *csv = exported(s, &n);
    assert_non_null(strstr(csv, ",message,machine,benchmark,mechanism,l1.ways,N,p,core_cycles\n"));
    assert_non_null(strstr(csv, ",kepler32 l1.ways=2,mm,tuple,2,4,1,7\n"));
    assert_non_null(strstr(csv, ",kepler32 l1.ways=8,mm,tuple,8,4,1,7\n"));
    free(csv);
    char *text = NULL;
    FILE *out = open_memstream(&text, &n);
    assert_ok(store_export_json(s, out, &err), &err);
    fclose(out);
    assert_non_null(strstr(text, "\"machine\":\"kepler32 l1.ways=8\",\"benchmark\":\"mm\",\"mechanism\":\"tuple\","
                                 "\"parameters\":{\"l1.ways\":8,\"N\":4,\"p\":1}"));
    free(text);
    out = open_memstream(&text, &n);
    assert_ok(store_export_libsvm(s, "core_cycles", out, NULL, &err), &err);
    fclose(out);
    assert_string_equal("7 1:4 2:1 3:2\n7 1:4 2:1 3:8\n", text);
    free(text);
    assert_ok(store_close(s, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_of_another_program_is_refused_by_name_and_stays_as_it_is),
        cmocka_unit_test(a_schema_number_that_no_build_writes_is_refused),
        cmocka_unit_test(a_store_of_schema_3_gets_an_application_id_and_checksums_in_every_table),
        cmocka_unit_test(a_row_altered_in_any_table_is_found_by_name_and_written_again),
        cmocka_unit_test(exports_name_machine_benchmark_and_mechanism_and_have_a_column_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
