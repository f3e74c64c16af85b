/* Whose file a store is, the rows of all its tables, and what exports say of a run. */
#include "test_store.h"
#include "where.h"

#include <jansson.h>
#include "poise/csv.h"
#include "poise/gpu.h"
#include "poise/kernel_name.h"

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
    static const char *const others[][2] = {
        {"DROP TABLE experiments", "with 6 of 7 tables"},
        {"DROP TABLE claims", "with 6 of 7 tables"},
        {"CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "a trigger, which no build writes"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *path = fresh_path();
        assert_ok(store_close(filled(path, 0, 2), &err), &err);
        alter(path, others[i][0]);
        assert_int_equal(-1, store_open(&s, path, &err));
        if (!strstr(err.text, others[i][1])) fail_msg("%s: %s", others[i][0], err.text);
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
        {"UPDATE kernel_names SET kernel = 'other'", "1 rows of kernel_names are not what the runs give"},
        {"UPDATE error_names SET name = 'x' WHERE code = 1", "1 rows of error_names are not what the runs give"},
        {"UPDATE runs_tidy_columns SET meaning = 'x' WHERE name = 'key'", "the first is key"},
        {"DROP VIEW parameters", "the view parameters does not say"},
        {"DROP VIEW statistics; CREATE VIEW statistics AS SELECT key, 'x' AS name, 1 AS value FROM runs",
         "the view statistics does not say"},
        {"DROP VIEW runs_tidy; CREATE VIEW runs_tidy AS SELECT key, 1 AS core_cycles FROM runs",
         "the view runs_tidy does not say"},
        {"DROP VIEW runs_tidy; CREATE VIEW runs_tidy AS SELECT 1 AS x", "the view runs_tidy does not say"},
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
        if (store_verify(s, &n, &err) == 0) fail_msg("%s: sound", cases[i].sql);
        if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].sql, err.text);
        if (!strstr(cases[i].says, "do not match") || strstr(cases[i].sql, "claims"))
            assert_ok(store_gc(s, &n, &err), &err);
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
    assert_non_null(strstr(csv, ",message,machine,benchmark,mechanism,l1.ways,N,p,core_cycles,time_us,energy_j\n"));
    assert_non_null(strstr(csv, ",kepler32 l1.ways=2,mm,tuple,2,4,1,7,0.005,"));
    assert_non_null(strstr(csv, ",kepler32 l1.ways=8,mm,tuple,8,4,1,7,0.005,"));
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

/* What another program reads: no function of ours is in that connection. */
static char *read_by_others(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(SQLITE_OK, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL));
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const int n = sqlite3_column_count(statement);
    for (int i = 0; i < n; i++) csv_print(out, sqlite3_column_name(statement, i)), fputs(i + 1 < n ? "," : "\n", out);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < n; i++) {
            const unsigned char *cell = sqlite3_column_text(statement, i);
            if (cell) csv_print(out, (const char *)cell);
            fputs(i + 1 < n ? "," : "\n", out);
        }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    fclose(out);
    return text;
}

static void put_stack(struct store *s, const char *key, const char *config, char *mechs, const char *stats)
{
    struct error err;
    struct store_run r = row(key, stats);
    snprintf(r.config, sizeof r.config, "%s", config);
    r.mechs = mechs;
    assert_ok(store_put(s, &r, &err), &err);
}

static void any_program_reads_the_table_that_the_export_writes(void **state)
{
    (void)state;
    static char alone[] = "[{\"name\":\"tuple\",\"params\":{\"N\":4,\"p\":1,\"literal_rank\":false},\"stats\":{}}]",
                both[] = "[{\"name\":\"tuple\",\"params\":{\"N\":4,\"p\":1,\"literal_rank\":true}},"
                         "{\"name\":\"pcal\",\"params\":{\"N\":3,\"window\":7}},{\"name\":\"cpu\",\"params\":{}}]",
                none[] = "[]";
    struct error err;
    size_t n;
    const char *path = fresh_path();
    struct store *s = filled(path, 0, 0);
    const struct store_trace trace = {"t1", "mm", "_Z4rowsIfEvPKT_PS0_ii", "test", -1, 3, 1000};
    assert_ok(store_close(s, &err), &err);
    alter(path, "DELETE FROM runs; DELETE FROM traces; DELETE FROM configs");
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_put_trace(s, &trace, &err), &err);
    assert_ok(store_put_config(s, "m0", "{\"name\":\"fermi15\",\"l1\":{\"ways\":2}}", &err), &err);
    put_stack(s, "k0", "m0", alone, "{\"core_cycles\":7}");
    assert_ok(store_flush(s, &err), &err);
    /* a further machine, stack and counter in a later transaction */
    assert_ok(store_put_config(s, "m1", "{\"name\":\"fermi15\",\"l1\":{\"ways\":8}}", &err), &err);
    put_stack(s, "k1", "m1", both, "{\"core_cycles\":9,\"warp_insts\":5}");
    put_stack(s, "k2", "m1", none, "{\"core_cycles\":8,\"warp_insts\":5}");
    char *csv = exported(s, &n);
    assert_ok(store_close(s, &err), &err);
    char *seen = read_by_others(path, "SELECT * FROM runs_tidy ORDER BY key");
    assert_string_equal(csv, seen);
    assert_non_null(strstr(csv,
                           ",machine,benchmark,mechanism,l1.ways,N,literal_rank,p,pcal.N,tuple.N,window,core_cycles,"
                           "warp_insts,time_us,energy_j\n"));
    assert_non_null(strstr(csv, ",mm,rows<float>,test,-1,3,"));
    assert_non_null(strstr(csv, ",mm,tuple,2,4,false,1,,,,7,,0.005,"));
    assert_non_null(strstr(csv, ",mm,tuple+pcal,8,,true,1,3,4,7,9,5,0.00642857142857,"));
    assert_non_null(strstr(csv, ",mm,gto,8,,,,,,,8,5,"));
    free(seen);
    seen =
        read_by_others(path, "SELECT name, kind, unit FROM runs_tidy_columns WHERE name IN ('l1.ways', 'core_cycles')");
    assert_string_equal("name,kind,unit\nl1.ways,axis,ways\ncore_cycles,counter,core cycles\n", seen);
    free(seen);
    free(csv);
    /* what goes from the store goes from the view */
    uint64_t removed;
    alter(path, "DELETE FROM runs WHERE key <> 'k0'");
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_gc(s, &removed, &err), &err);
    csv = exported(s, &n);
    assert_ok(store_close(s, &err), &err);
    seen = read_by_others(path, "SELECT * FROM runs_tidy ORDER BY key");
    assert_string_equal(csv, seen);
    assert_null(strstr(csv, "pcal"));
    free(seen);
    free(csv);
}

static void a_store_without_the_view_gets_it_and_reads_the_same_without_writing(void **state)
{
    (void)state;
    struct error err;
    size_t n, m;
    const char *path = fresh_path();
    assert_ok(store_close(filled(path, 0, 3), &err), &err);
    struct store *s;
    alter(path, "DROP VIEW runs_tidy; DROP TABLE runs_tidy_columns; DROP TABLE machine_names; DROP TABLE kernel_names");
    assert_ok(store_open_read(&s, path, &err), &err);
    char *text = NULL;
    FILE *out = open_memstream(&text, &m);
    assert_ok(store_query(s, "SELECT count(*) AS n FROM runs_tidy WHERE core_cycles > 1000", out, NULL, &err), &err);
    fclose(out);
    assert_string_equal("n\n2\n", text);
    free(text);
    char *before = exported(s, &n);
    assert_ok(store_close(s, &err), &err);
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_close(s, &err), &err);
    char *seen = read_by_others(path, "SELECT * FROM runs_tidy ORDER BY key");
    assert_string_equal(before, seen);
    free(seen);
    free(before);
}

static void json_lines_are_flat_and_units_stand_in_a_file_of_their_own(void **state)
{
    (void)state;
    struct error err;
    size_t n;
    char *text = NULL;
    struct store *s = filled(fresh_path(), 0, 2);
    FILE *out = open_memstream(&text, &n);
    assert_ok(store_export_lines(s, out, &err), &err);
    fclose(out);
    assert_non_null(strstr(text, "\"mechanism\":\"gto\",\"core_cycles\":1000,\"hits\":0,\"time_us\":"));
    assert_non_null(strstr(text, "}\n{\"key\":\"k001\","));
    assert_string_equal("}\n", text + n - 2);
    free(text);
    out = open_memstream(&text, &n);
    assert_ok(store_export_units(s, out, &err), &err);
    fclose(out);
    assert_int_equal(0, strncmp(text, "column,unit,meaning\nkey,,", 25));
    assert_non_null(strstr(text, "\ncore_cycles,core cycles,"));
    assert_non_null(strstr(text, "\nhits,,\n"));
    free(text);
    assert_ok(store_close(s, &err), &err);
}

static void machines_go_by_short_names_that_differ(void **state)
{
    (void)state;
    static const char *const machines[] = {"{\"name\":\"fermi15\"}", "{\"name\":\"volta80\"}",
                                           "{\"name\":\"mine\",\"l1\":{\"ways\":2},\"core\":{\"sms\":3}}",
                                           "{\"name\":\"mine\",\"l1\":{\"ways\":8},\"core\":{\"sms\":5}}"};
    struct error err;
    const char *path = fresh_path();
    struct store *s = filled(path, 0, 0);
    static char none[] = "[]";
    char key[8], config[12];
    for (int i = 0; i < 4; i++) {
        char *json = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&json, &size);
        struct gpu_params *params = gpu_params_new();
        const char *name = i == 0 ? "fermi15" : i == 1 ? "volta80" : NULL;
        if (name) assert_ok(gpu_params_load(params, name, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        json_t *whole = name ? gpu_params_json(params) : json_loads(machines[i], 0, NULL);
        json_dumpf(whole, out, JSON_COMPACT);
        fclose(out);
        snprintf(config, sizeof config, "%dabcdef", i);
        snprintf(key, sizeof key, "k%d", i);
        assert_ok(store_put_config(s, config, json, &err), &err);
        put_stack(s, key, config, none, "{\"core_cycles\":7}");
        json_decref(whole);
        gpu_params_free(params);
        free(json);
    }
    assert_ok(store_close(s, &err), &err);
    char *seen = read_by_others(path, "SELECT machine FROM runs_tidy ORDER BY key");
    assert_string_equal("machine\nfermi15\nvolta80\nmine #2abc\nmine #3abc\n", seen);
    free(seen);
    static const char *const altered[] = {"UPDATE machine_names SET machine = 'x' WHERE machine = 'volta80'",
                                          "UPDATE machine_energy SET joules = 2 * joules WHERE joules > 0"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t n;
        alter(path, altered[i]);
        assert_ok(store_open(&s, path, &err), &err);
        assert_int_equal(-1, store_verify(s, &n, &err));
        assert_non_null(strstr(err.text, i ? " rows of machine_energy are not" : "1 rows of machine_names are not"));
        assert_ok(store_gc(s, &n, &err), &err);
        assert_ok(store_verify(s, &n, &err), &err);
        assert_ok(store_close(s, &err), &err);
    }
}

static void kernels_go_by_the_names_of_their_source(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"_Z6gatherPKiPKfPfi", "gather"},
        {"_Z4rowsIfEvPKT_PS0_ii", "rows<float>"},
        {"_ZN4mine4axpyEPfPKfNS_5scaleEi", "mine::axpy"},
        {"_ZN12_GLOBAL__N_11kEPfPFviE", "(anonymous namespace)::k"},
        {"mvt_rows", "mvt_rows"},
        {"_Z", "_Z"},
        {"_ZZZ", "_ZZZ"},
        {"", ""},
    };
    char text[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(names[i][1], kernel_name(names[i][0], text, sizeof text));
    const char *label = "0001-_Z4rowsIfEvPKT_PS0_ii/0 and _Z6gatherPKiPKfPfi.ptrace";
    assert_string_equal("0001-rows<float>/0 and gather.ptrace", kernel_shown(label, text, sizeof text));
    assert_string_equal("0001-row", kernel_shown(label, text, 9));
    setenv("POISE_MANGLED", "1", 1);
    assert_string_equal(label, kernel_shown(label, text, sizeof text));
    unsetenv("POISE_MANGLED");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_of_another_program_is_refused_by_name_and_stays_as_it_is),
        cmocka_unit_test(a_schema_number_that_no_build_writes_is_refused),
        cmocka_unit_test(a_store_of_schema_3_gets_an_application_id_and_checksums_in_every_table),
        cmocka_unit_test(a_row_altered_in_any_table_is_found_by_name_and_written_again),
        cmocka_unit_test(exports_name_machine_benchmark_and_mechanism_and_have_a_column_a_parameter),
        cmocka_unit_test(any_program_reads_the_table_that_the_export_writes),
        cmocka_unit_test(a_store_without_the_view_gets_it_and_reads_the_same_without_writing),
        cmocka_unit_test(json_lines_are_flat_and_units_stand_in_a_file_of_their_own),
        cmocka_unit_test(machines_go_by_short_names_that_differ),
        cmocka_unit_test(kernels_go_by_the_names_of_their_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
