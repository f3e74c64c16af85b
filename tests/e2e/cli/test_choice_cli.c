/* poise choice from a spec to an answer: table, train, eval, ask, export. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

static char root[64];

/* Five synthetic kernels, each its own family; one of them is sealed. */
static const char spec[] =
    "schema: 1\nkind: choice\nname: tiny\nsize: test\ncap: 3000\nwindow: 2000\ntrial: 500\n"
    "sealed: {seed: 3, one_in: 5}\nkernels:\n"
    "  - {name: a, synth: {blocks: 32, divergence: 8, distance: 32, working_set: 64, reuse: 4, in: 19}}\n"
    "  - {name: b, synth: {blocks: 32, divergence: 1}}\n"
    "  - {name: c, synth: {blocks: 32, divergence: 2, distance: 4, working_set: 16, reuse: 4, in: 40}}\n"
    "  - {name: d, synth: {blocks: 32, divergence: 4}}\n"
    "  - {name: e, synth: {blocks: 32, divergence: 16, distance: 64, working_set: 64, reuse: 4, in: 22}}\n"
    "policies:\n  - {name: one, mech: \"swl,N=1\"}\n"
    "  - {name: fine, mech: bucl, set: {l1.organisation: tsc, l1.tsc_mode: duel}}\n";

static const struct said *good(const struct said *s)
{
    if (s->status) fail_msg("status %d: %s", s->status, s->err);
    return s;
}

static void write_spec(const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/tiny.yaml", root);
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    write_spec(spec);
    good(poisef(root, "choice table %s/tiny.yaml --store %s/s.sqlite -o %s/t.csv", root, root, root));
    good(poisef(root, "choice train %s/t.csv -o %s/m.json --json", root, root));
    return 0;
}

static int end(void **state)
{
    (void)state;
    return folder_remove(root);
}

static void read_file(char *out, size_t size, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", root, name);
    slurp(path, out, size);
}

static void the_table_has_a_row_a_launch_and_is_the_same_again_from_the_store(void **state)
{
    (void)state;
    char first[16384], again[16384];
    size_t rows = 0, sealed = 0;
    const struct said *s = good(poisef(root, "choice table %s/tiny.yaml --store %s/s.sqlite --dry-run", root, root));
    assert_non_null(strstr(s->out, " 0 to simulate"));
    good(poisef(root, "choice table %s/tiny.yaml --store %s/s.sqlite --threads 1 -o %s/u.csv", root, root, root));
    read_file(first, sizeof first, "t.csv");
    read_file(again, sizeof again, "u.csv");
    assert_string_equal(first, again);
    assert_non_null(strstr(first, "trial_one,trial_fine,\"gain one: --mech swl,N=1\","
                                  "gain fine: --mech bucl --set l1.organisation=tsc --set l1.tsc_mode=duel\n"));
    for (const char *at = first; (at = strchr(at, '\n')); at++) rows++;
    for (const char *at = first; (at = strstr(at, ",sealed,")); at++) sealed++;
    assert_true(rows == 6 && sealed == 1);
}

/* The cell of a column in the row of launch a/0; cells before it have no commas. */
static double cell(const char *table, size_t column)
{
    const char *at = strstr(table, "\na/0,");
    assert_non_null(at);
    for (size_t c = 0; c < column; c++) at = strchr(at, ',') + 1;
    return strtod(at, NULL);
}

static void a_gain_is_the_ratio_of_speeds_of_the_two_runs(void **state)
{
    (void)state;
    char table[16384];
    double speed[2];
    read_file(table, sizeof table, "t.csv");
    size_t first = 0;
    for (const char *at = table; strncmp(at, "\"gain", 5) != 0; at = strchr(at, ',') + 1) first++;
    json_t *runs = json_loads(
        good(poisef(root,
                    "store query \"SELECT mechanism, warp_insts AS insts, core_cycles, min(abs(warp_insts - 3000)) "
                    "FROM runs_tidy WHERE "
                    "benchmark = 'a' AND mechanism IN ('gto', 'swl') GROUP BY mechanism ORDER BY mechanism\" "
                    "--store %s/s.sqlite --json",
                    root))
            ->out,
        0, NULL);
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(json_object_get(runs, "rows"), i);
        speed[i] =
            json_number_value(json_object_get(row, "insts")) / json_number_value(json_object_get(row, "core_cycles"));
    }
    json_decref(runs);
    const double gain = cell(table, first), wanted = log(speed[1] / speed[0]);
    if (!(fabs(gain - wanted) < 0.0006 && fabs(wanted) > 0.01)) fail_msg("%g, not %g", gain, wanted);
}

static void a_model_is_evaluated_on_the_sealed_part_and_answers_for_a_trace(void **state)
{
    (void)state;
    json_t *scored = json_loads(good(poisef(root, "choice eval %s/m.json %s/t.csv --json", root, root))->out, 0, NULL);
    assert_int_equal(1, json_integer_value(json_object_get(scored, "families")));
    assert_int_equal(2, json_array_size(json_object_get(scored, "scores")));
    json_decref(scored);
    good(poisef(root, "trace synth --size test divergence=4 -o %s/x.ptrace", root));
    json_t *asked =
        json_loads(good(poisef(root, "choice ask %s/m.json --trace %s/x.ptrace --json", root, root))->out, 0, NULL);
    const json_t *row = json_array_get(json_object_get(asked, "launches"), 0);
    const char *options = json_string_value(json_object_get(row, "options"));
    assert_non_null(options);
    assert_int_equal(3, json_object_size(json_object_get(row, "predicted_log_speedup")));
    good(poisef(root, "sim --trace %s/x.ptrace %s", root, options)); /* they are options of poise sim */
    json_decref(asked);
    assert_non_null(strstr(good(poisef(root, "choice export %s/m.json", root))->out, "poise_choose(const double x["));
}

static void a_shortlist_is_tried_alone_and_its_cost_is_counted(void **state)
{
    (void)state;
    if (POISE_SANITIZED) skip(); /* test_choice has the same code */
    const char *const net = "closed with the cost of trials";
    assert_non_null(
        strstr(good(poisef(root, "choice train %s/t.csv --trials 2 -o %s/two.json", root, root))->out, net));
    assert_non_null(strstr(good(poisef(root, "choice eval %s/two.json %s/t.csv", root, root))->out, net));
    json_t *asked =
        json_loads(good(poisef(root, "choice ask %s/two.json --trace %s/x.ptrace --json", root, root))->out, 0, NULL);
    const json_t *row = json_array_get(json_object_get(asked, "launches"), 0),
                 *gains = json_object_get(row, "predicted_log_speedup");
    assert_int_equal(2, json_object_size(gains));
    assert_true(json_number_value(json_object_get(gains, json_string_value(json_object_get(row, "over")))) == 0);
    json_decref(asked);
    static const char *const wrong[] = {"--trials 1", "--trials 4", "--trials 2 --columns both"};
    for (size_t i = 0; i < 3; i++) {
        const struct said *s = poisef(root, "choice train %s/t.csv %s", root, wrong[i]);
        if (s->status != 2 || !strstr(s->err, "2 to 3 policies")) fail_msg("%s: %d %s", wrong[i], s->status, s->err);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *of, *to, *says;
    } wrong[] = {
        {"name: fine", "name: one", "has the name of another policy"},
        {"name: one", "name: gto", "is the baseline's name"},
        {", mech: \"swl,N=1\"}", "}", "'mech' or 'set' is missing"},
        {"l1.tsc_mode: duel", "l1.tsc_mode: dual", "tsc_mode = dual"},
        {"cap: 3000", "cap: 3000\nmin_insts: 1000000000", "no launch has so many warp instructions"},
        {"seed: 3", "sed: 3", "seed"},
        {"name: one", "name: \"o:ne\"", "'o:ne: --mech swl,N=1' is no 'NAME: --mech M'"},
        {"swl,N=1", "swl,N=1 --set l1.ways=2", "' --' would begin another option"},
        {"bucl, set: {l1.organisation: tsc, l1.tsc_mode: duel}", "\"swl,N=1\"", "this is what policy 1 is"},
        {"one_in: 5", "one_in: 6", "none would be sealed"},
        {"kind: choice", "kind: sweep", "'poise sweep' reads this spec"},
        {"trial: 500", "trial: 1", "trial: 1 core cycles are too few: a/0 executes nothing in them"},
        {"window: 2000", "window: 2", "window: 2 core cycles are too few: a/0 executes nothing in them"},
        {", mech: \"swl,N=1\"}", ", mech: []}", "a mechanism is needed here"},
        {"cap: 3000", "cap: 3000\ndoc: [a]", "'doc' needs one value"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[2048];
        const char *at = strstr(spec, wrong[i].of);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - spec), spec, wrong[i].to, at + strlen(wrong[i].of));
        write_spec(text);
        const struct said *s =
            poisef(root, "choice table %s/tiny.yaml --store %s/w.sqlite -o %s/w.csv", root, root, root);
        if (s->status != 2 || !strstr(s->err, wrong[i].says)) fail_msg("%s: %d %s", wrong[i].to, s->status, s->err);
    }
    char text[2048];
    const char *at = strstr(spec, "500\n");
    snprintf(text, sizeof text, "%.*s500000\n%s", (int)(at - spec), spec, at + 4);
    write_spec(text);
    assert_non_null(
        strstr(good(poisef(root, "choice table %s/tiny.yaml --store %s/w.sqlite -o %s/w.csv", root, root, root))->err,
               "trial lasts 500000 core cycles, and 5 of 5 launches are not longer (the first, a/0)"));
    write_spec(spec);
    assert_non_null(
        strstr(poisef(root, "choice train %s/t.csv --columns all", root)->err, "--columns all: before, window, both"));
    assert_non_null(strstr(poisef(root, "choice train %s/s.sqlite", root)->err, "s.sqlite"));
    assert_non_null(strstr(poisef(root, "choice train %s/t.csv --min-cycles 100000000", root)->err, "lasts so long"));
    assert_non_null(
        strstr(poisef(root, "choice eval %s/models/choice.json %s/t.csv", POISE_SOURCE_DIR, root)->err, "no column"));
    assert_non_null(strstr(poise(root, "choice ask")->err, "ask MODEL"));
    assert_non_null(strstr(poisef(root, "model show %s/m.json", root)->err, "which 'poise choice' takes"));
}

/* Of a table and of a model, changed by sed. */
static void what_a_table_or_a_model_must_not_say_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *file, *sed, *command, *says;
    } wrong[] = {
        {"t.csv", "3s/,training,/,Training,/", "train $ROOT/w", "w:3: part: 'Training', where 'training' or 'sealed'"},
        {"t.csv", "3s/,2000,500,/,2000,600,/", "train $ROOT/w", "w:3: trial: '600', where the same in all rows"},
        {"t.csv", "2s/,2000,500,/,0,500,/", "train $ROOT/w", "w:2: window: '0', where a whole number"},
        {"t.csv", "2s/,[^,]*$/,1e31/", "train $ROOT/w", "'1e31', where a number from -1e6 to 1e6 is needed"},
        {"t.csv", "3s/b,b,training,[^,]*/b,b,training,x/", "train $ROOT/w", "w:3: cycles: 'x', where a number"},
        {"t.csv", "3s/,b,b,/,b,NA,/", "train $ROOT/w", "w:3: family: 'NA', where a name"},
        {"t.csv", "2p", "train $ROOT/w", "w:3: launch: 'a/0', where a launch that no row before it has"},
        {"t.csv", "3s/b,b,training/b,a,sealed/", "train $ROOT/w",
         "w:3: part: 'sealed', where the part of the other rows"},
        {"t.csv", "1s/gain fine:/gain fine/", "train $ROOT/w", "the policy is no 'NAME: --mech M'"},
        {"t.csv", "1s/fine/gto/g", "train $ROOT/w", "gto is the baseline"},
        {"m.json", "s/\"trial\":500/\"trial\":400/", "eval $ROOT/w $ROOT/t.csv", "a window of 2000 and trials of 500"},
        {"m.json", "s/\"trial\":500/\"trial\":0/", "ask $ROOT/w --trace $ROOT/x.ptrace",
         "needs the length of its trial"},
    };
    setenv("ROOT", root, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[256];
        snprintf(line, sizeof line, "sed '%s' $ROOT/%s >$ROOT/w", wrong[i].sed, wrong[i].file);
        assert_int_equal(0, system(line));
        const struct said *s = poisef(root, "choice %s", wrong[i].command);
        if (s->status != 2 || !strstr(s->err, wrong[i].says)) fail_msg("%s: %d %s", wrong[i].sed, s->status, s->err);
    }
    assert_non_null(strstr(poisef(root, "choice eval %s/m.json %s/t.csv --part all", root, root)->err, "--part all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_a_row_a_launch_and_is_the_same_again_from_the_store),
        cmocka_unit_test(a_gain_is_the_ratio_of_speeds_of_the_two_runs),
        cmocka_unit_test(a_model_is_evaluated_on_the_sealed_part_and_answers_for_a_trace),
        cmocka_unit_test(a_shortlist_is_tried_alone_and_its_cost_is_counted),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_a_table_or_a_model_must_not_say_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
