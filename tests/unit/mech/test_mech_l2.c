/* Write-buffering and read-bypassing on the access sequences of TECHNIQUES Figs. 3 to 6, DRAM access by DRAM access;
 * lockdown on ELASTIC 4D's example and its four algorithms; the profile and marking that both read. */
#include "l2_rig.h"

#include <jansson.h>
#include <unistd.h>
#include "l2_marks.h"
#include "line_table.h"
#include "poise/file.h"
#include "stack.h"

static const char *const two_ways[] = {"l2.ways=2", NULL}, *const four_ways[] = {"l2.ways=4", NULL};
enum { A0 = 10, A1, A2, A3, B0 = 20, B1, B2, B3 };

/* What DRAM is asked by one access after another; `access`: "S" or "L", "c" for .cc, "p" for .cp, and the line. */
static void follow(struct l2_rig *rig, const char *const (*accesses)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *what = accesses[i][0];
        const bool is_marked = what[1] == 'c' || what[1] == 'p';
        const unsigned op = what[1] == 'c' ? TRACE_CACHE_CC : what[1] == 'p' ? TRACE_CACHE_CP : TRACE_CACHE_DEFAULT;
        const uint32_t line = (uint32_t)atoi(what + 1 + is_marked);
        const char *dram = *what == 'S' ? l2_rig_store(rig, line, op, 0) : l2_rig_load(rig, line, op, 0);
        assert_string_equal(dram, accesses[i][1]);
    }
}
#define FOLLOW(mech, ...) \
    do { \
        static const char *const sequence[][2] = __VA_ARGS__; \
        l2_rig_new(&rig, two_ways, (const char *const[]){mech, NULL}); \
        follow(&rig, sequence, COUNT_OF(sequence)); \
    } while (0)

static void lru_hands_nothing_over_as_in_fig_3(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer", {{"S10", ""},
                            {"S11", ""},
                            {"S12", "WR:10 "},
                            {"S13", "WR:11 "},
                            {"L10", "WR:12 LD:10 "},
                            {"L11", "WR:13 LD:11 "},
                            {"L12", "LD:12 "},
                            {"L13", "LD:13 "}});
    l2_rig_free(&rig);
}

static void write_buffering_hands_over_what_fits_as_in_fig_4(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer", {{"Sc10", ""},
                            {"Sc11", ""},
                            {"Sc12", "WR:12 "},
                            {"Sc13", "WR:13 "},
                            {"L10", ""},
                            {"L11", ""},
                            {"L12", "LD:12 "},
                            {"L13", "LD:13 "}});
    assert_false(l2_rig_holds(&rig, A0));
    assert_true(l2_rig_holds(&rig, A2) && l2_rig_holds(&rig, A3));
    assert_int_equal(l2_rig_stat(&rig, 0, "c_set"), 2);
    assert_int_equal(l2_rig_stat(&rig, 0, "c_freed"), 2);
    assert_int_equal(l2_rig_stat(&rig, 0, "written_around"), 2);
    l2_rig_free(&rig);
}

/* Eight loads and two writes: the figure prints clean lines as written too. */
static void loads_evict_what_was_buffered_as_in_fig_5(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer", {{"Sc10", ""},
                            {"Sc11", ""},
                            {"L20", "WR:10 LD:20 "},
                            {"L21", "WR:11 LD:21 "},
                            {"L22", "LD:22 "},
                            {"L23", "LD:23 "},
                            {"L10", "LD:10 "},
                            {"L11", "LD:11 "},
                            {"L12", "LD:12 "},
                            {"L13", "LD:13 "}});
    l2_rig_free(&rig);
}

static void read_bypassing_keeps_it_as_in_fig_6(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer", {{"Sc10", ""},
                            {"Sc11", ""},
                            {"Lp20", "LD:20 "},
                            {"Lp21", "LD:21 "},
                            {"Lp22", "LD:22 "},
                            {"Lp23", "LD:23 "},
                            {"L10", ""},
                            {"L11", ""},
                            {"L12", "LD:12 "},
                            {"L13", "LD:13 "}});
    assert_int_equal(l2_rig_stat(&rig, 0, "read_around"), 4);
    l2_rig_free(&rig);
}

static void full_protection_sends_loads_around_a_set_of_buffered_lines(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer,protect=all",
           {{"Sc10", ""}, {"Sc11", ""}, {"L20", "LD:20 "}, {"L20", "LD:20 "}, {"L10", ""}, {"L11", ""}});
    l2_rig_free(&rig);
}

static void reads_of_what_was_freed_and_lost_are_counted_and_may_be_avoided(void **state)
{
    (void)state;
    struct l2_rig rig;
    FOLLOW("write_buffer", {{"Sc10", ""}, {"L10", ""}, {"L10", "LD:10 "}, {"L10", ""}, {"S11", ""}});
    assert_int_equal(l2_rig_stat(&rig, 0, "c_lost_reads"), 1);
    l2_rig_free(&rig);
    FOLLOW("write_buffer,freed=write_back", {{"Sc10", ""}, {"L10", "WR:10 "}, {"L10", "LD:10 "}});
    assert_int_equal(l2_rig_stat(&rig, 0, "c_lost_reads"), 0);
    l2_rig_free(&rig);
    FOLLOW("write_buffer", {{"Sc10", ""}, {"L10", ""}, {"S10", ""}, {"L10", ""}}); /* stored again: the line is good */
    assert_int_equal(l2_rig_stat(&rig, 0, "c_lost_reads"), 0);
    l2_rig_free(&rig);
}

static void a_line_of_four_sectors_is_freed_when_all_that_was_written_has_been_read(void **state)
{
    (void)state;
    for (int literal = 0; literal < 2; literal++) {
        struct l2_rig rig;
        l2_rig_new(&rig, (const char *const[]){"l2.ways=2", "l2.organisation=sectored", NULL},
                   (const char *const[]){literal ? "write_buffer,free_at=first_read" : "write_buffer", NULL});
        struct request r = {.line = A0, .kind = REQUEST_WRITE, .sectors = 6, .op = TRACE_CACHE_CC};
        l2_rig_do(&rig, &r);
        r = (struct request){.line = A0, .kind = REQUEST_READ, .sectors = 2};
        l2_rig_do(&rig, &r);
        assert_int_equal(l2_rig_holds(&rig, A0), !literal);
        r.sectors = 4;
        l2_rig_do(&rig, &r);
        assert_int_equal(l2_rig_stat(&rig, 0, "c_freed"), 1);
        l2_rig_free(&rig);
    }
}

/* ---- lockdown ---- */

static const char *written(const char *text)
{
    static char path[64];
    struct error err;
    snprintf(path, sizeof path, "/tmp/poise-test-l2-%ld.json", (long)getpid());
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    return path;
}

/* ELASTIC 4D: counts 110, 114, 115 and 119 with a threshold of 100. */
static const char example[] = "{\"lines\": [[128, 114], [256, 110], [384, 119], [512, 115], [640, 3]]}";

static void a_set_that_is_locked_sends_accesses_around_and_relaxed_loses_the_line_with_110(void **state)
{
    (void)state;
    const char *path = written(example);
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        struct l2_rig rig;
        char mech[200];
        snprintf(mech, sizeof mech, "lockdown,counts=profile,threshold=100,profile=%s%s", path,
                 relaxed ? ",relaxed=1" : "");
        l2_rig_new(&rig, four_ways, (const char *const[]){mech, NULL});
        for (uint32_t line = 1; line <= 4; line++) l2_rig_load(&rig, line, 0, 0);
        assert_string_equal(l2_rig_load(&rig, 5, 0, 0), "LD:5 ");
        assert_int_equal(l2_rig_stat(&rig, 0, "bypassed"), !relaxed);
        assert_int_equal(l2_rig_stat(&rig, 0, "locked"), 4);
        for (uint32_t line = 1; line <= 4; line++) assert_int_equal(l2_rig_holds(&rig, line), !relaxed || line != 2);
        if (relaxed) { /* line 5 is not locked: it goes next */
            l2_rig_load(&rig, 6, 0, 0);
            assert_true(!l2_rig_holds(&rig, 5) && l2_rig_holds(&rig, 1) && l2_rig_holds(&rig, 6));
        }
        l2_rig_free(&rig);
    }
    unlink(path);
}

static void counts_in_flight_lock_and_the_next_best_candidate_goes(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, two_ways, (const char *const[]){"lockdown,counts=in_flight,threshold=3", NULL});
    for (int i = 0; i < 4; i++) l2_rig_load(&rig, A0, 0, 0);
    l2_rig_load(&rig, A1, 0, 0);
    assert_int_equal(l2_rig_stat(&rig, 0, "locked"), 1);
    l2_rig_load(&rig, A2, 0, 0); /* A0 is older and stays */
    assert_true(l2_rig_holds(&rig, A0) && !l2_rig_holds(&rig, A1) && l2_rig_holds(&rig, A2));
    for (int i = 0; i < 3; i++) l2_rig_store(&rig, A2, 0, 0);
    l2_rig_load(&rig, A3, 0, 0);
    assert_int_equal(l2_rig_stat(&rig, 0, "bypassed"), 1);
    l2_rig_free(&rig);
}

/* Ten accesses to a line of threshold 3 with one taken each tenth: locked until enough others have come. */
static void decaying_counts_unlock_what_is_not_accessed_any_more(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, two_ways, (const char *const[]){"lockdown,counts=decay,threshold=3,decay_accesses=10", NULL});
    for (int i = 0; i < 6; i++) l2_rig_load(&rig, A0, 0, 0); /* three above, and none taken yet */
    for (uint32_t i = 0; i < 20; i++) l2_rig_load(&rig, 100 + i, 0, 0);
    assert_true(l2_rig_holds(&rig, A0)); /* 26 accesses: two taken */
    for (uint32_t i = 0; i < 8; i++) l2_rig_load(&rig, 200 + i, 0, 0);
    assert_false(l2_rig_holds(&rig, A0));
    l2_rig_free(&rig);
}

/* Of counts 3, 110, 114, 115 and 119 three in five do not exceed 114, and one in five 3. */
static void a_threshold_can_be_a_percentile_of_the_profile(void **state)
{
    (void)state;
    const char *path = written(example);
    struct l2_rig rig;
    struct mech_spec spec;
    struct error err;
    char mech[200];
    snprintf(mech, sizeof mech, "lockdown,counts=profile,percentile=60,profile=%s", path);
    l2_rig_new(&rig, four_ways, (const char *const[]){mech, NULL});
    assert_int_equal(l2_rig_stat(&rig, 0, "locked"), 2);
    for (uint32_t line = 1; line <= 4; line++) l2_rig_load(&rig, line, 0, 0);
    for (uint32_t line = 5; line <= 6; line++) l2_rig_load(&rig, line, 0, 0); /* 1 and 2 go, 3 and 4 stay */
    for (uint32_t line = 1; line <= 6; line++) assert_int_equal(l2_rig_holds(&rig, line), line > 2);
    l2_rig_free(&rig);
    snprintf(mech, sizeof mech, "lockdown,counts=in_flight,percentile=20,profile=%s", path);
    l2_rig_new(&rig, two_ways, (const char *const[]){mech, NULL});
    for (int i = 0; i < 3; i++) l2_rig_load(&rig, A0, 0, 0);
    assert_int_equal(l2_rig_stat(&rig, 0, "locked"), 0);
    l2_rig_load(&rig, A0, 0, 0); /* the fourth */
    assert_int_equal(l2_rig_stat(&rig, 0, "locked"), 1);
    l2_rig_free(&rig);
    unlink(path);
    assert_int_equal(mech_parse(&spec, "lockdown,percentile=50", &err), -1);
    assert_non_null(strstr(err.text, "lockdown,percentile needs profile=FILE"));
}

/* ---- files ---- */

static void marks_are_found_by_address_and_what_is_wrong_is_named(void **state)
{
    (void)state;
    static struct l2_marks marks;
    struct error err;
    static const char good[] = "{\"marking\": [{\"operator\": \"cp\", \"from\": 4096, \"to\": 8192}, "
                               "{\"operator\": \"cc\", \"from\": 0, \"to\": 256}]}";
    assert_ok(l2_marks_parse(&marks, NULL, NULL, good, strlen(good), "m.json", &err), &err);
    assert_int_equal(marks.n, 2);
    assert_int_equal(l2_marks_find(&marks, 255), TRACE_CACHE_CC);
    assert_int_equal(l2_marks_find(&marks, 256), TRACE_CACHE_DEFAULT);
    assert_int_equal(l2_marks_find(&marks, 4096), TRACE_CACHE_CP);
    assert_int_equal(l2_marks_find(&marks, 8192), TRACE_CACHE_DEFAULT);
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"{", "m.json:1: no JSON"},
        {"{}", "no array \"marking\""},
        {"{\"marking\": [{\"operator\": \"ca\", \"from\": 1, \"to\": 2}]}", "marking 0"},
        {"{\"marking\": [{\"operator\": \"cc\", \"from\": 2, \"to\": 2}]}", "marking 0"},
        {"{\"marking\": [{\"operator\": \"cc\", \"from\": 0, \"to\": 9}, {\"operator\": \"cp\", \"from\": 8, \"to\": "
         "10}]}",
         "marking 1"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(l2_marks_parse(&marks, NULL, NULL, wrong[i].text, strlen(wrong[i].text), "m.json", &err), -1);
        assert_non_null(strstr(err.text, wrong[i].says));
    }
    struct mech_spec spec;
    assert_int_equal(mech_parse(&spec, "lockdown,counts=profile", &err), -1);
    assert_non_null(strstr(err.text, "profile=FILE"));
}

static void a_table_of_lines_keeps_what_fits_and_says_when_it_is_full(void **state)
{
    (void)state;
    struct line_table *t = calloc(1, line_table_bytes(100));
    line_table_begin(t, 100);
    uint32_t n = 0;
    while (line_table_take(t, n * 977)) n++;
    assert_true(n >= 100);
    for (uint32_t i = 0; i < n; i++) assert_non_null(line_table_find(t, i * 977));
    assert_null(line_table_find(t, n * 977));
    assert_ptr_equal(line_table_take(t, 977), line_table_find(t, 977));
    free(t);
}

/* Launch 1 writes 10 and 11 and reads 20 once, 30 twice; launch 2 reads 10 and 11. */
static void the_profile_counts_and_proposes_what_was_handed_over_and_what_was_read_once(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.ways=8", NULL},
               (const char *const[]){"l2_profile,gap=0,threshold=1", NULL});
    l2_rig_store(&rig, A0, 0, 0);
    l2_rig_store(&rig, A1, 0, 0);
    l2_rig_load(&rig, B0, 0, 0);
    l2_rig_load(&rig, 30, 0, 0);
    l2_rig_load(&rig, 30, 0, 1);
    const struct mech_type *type = rig.stack[0].type;
    type->end(rig.self[0], 1);
    memset(rig.self[0], 0, 2 * sizeof(uint64_t)); /* the next launch counts anew */
    l2_rig_load(&rig, A0, 0, 0);
    l2_rig_load(&rig, A1, 0, 0);
    json_t *detail = type->detail(rig.self[0]);
    char *text = json_dumps(detail, JSON_SORT_KEYS | JSON_COMPACT);
    assert_string_equal(
        text, "{\"line_bytes\":128,\"lines\":[[1280,2],[1408,2],[3840,2]],\"marking\":["
              "{\"from\":1280,\"operator\":\"cc\",\"to\":1536},{\"from\":2560,\"operator\":\"cp\",\"to\":2688}]}");
    free(text);
    json_decref(detail);
    l2_rig_free(&rig);
}

static void locks_and_buffers_conserve_requests_and_repeat(void **state)
{
    (void)state;
    static const char *const set[] = {"l2.set_index=linear", "l2.sets=4", "l2.ways=4", "l2.banks=12", NULL};
    static const char *const sectored[] = {
        "l2.set_index=linear",      "l2.sets=4", "l2.ways=2", "l2.banks=12", "l1.organisation=sectored",
        "l2.organisation=sectored", NULL};
    static const char all[] = "{\"marking\": [{\"operator\": \"cc\", \"from\": 0, \"to\": 1000000000000000}]}";
    const char *path = written(all);
    char buffer[200];
    snprintf(buffer, sizeof buffer, "write_buffer,marking=%s", path);
    const struct stack_run runs[] = {
        {{"lockdown,threshold=2"}, set, false},
        {{"lockdown,threshold=2,relaxed=1"}, set, false},
        {{"lockdown,counts=decay,threshold=1,decay_accesses=50", "drrip"}, set, false},
        {{buffer}, set, false},
        {{buffer, "srrip", "lockdown,threshold=5"}, sectored, false},
        {{"write_buffer,freed=write_back,protect=all", "ucp,repartition=2000"}, set, false},
        {{"l2_profile"}, sectored, false},
    };
    stack_runs_hold(runs, COUNT_OF(runs));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_hands_nothing_over_as_in_fig_3),
        cmocka_unit_test(write_buffering_hands_over_what_fits_as_in_fig_4),
        cmocka_unit_test(loads_evict_what_was_buffered_as_in_fig_5),
        cmocka_unit_test(read_bypassing_keeps_it_as_in_fig_6),
        cmocka_unit_test(full_protection_sends_loads_around_a_set_of_buffered_lines),
        cmocka_unit_test(reads_of_what_was_freed_and_lost_are_counted_and_may_be_avoided),
        cmocka_unit_test(a_line_of_four_sectors_is_freed_when_all_that_was_written_has_been_read),
        cmocka_unit_test(a_set_that_is_locked_sends_accesses_around_and_relaxed_loses_the_line_with_110),
        cmocka_unit_test(counts_in_flight_lock_and_the_next_best_candidate_goes),
        cmocka_unit_test(a_threshold_can_be_a_percentile_of_the_profile),
        cmocka_unit_test(decaying_counts_unlock_what_is_not_accessed_any_more),
        cmocka_unit_test(marks_are_found_by_address_and_what_is_wrong_is_named),
        cmocka_unit_test(a_table_of_lines_keeps_what_fits_and_says_when_it_is_full),
        cmocka_unit_test(the_profile_counts_and_proposes_what_was_handed_over_and_what_was_read_once),
        cmocka_unit_test(locks_and_buffers_conserve_requests_and_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
