/* What the program says of itself: examples of specs that run, their rows, the command that a spec belongs to, nearest
 * names, and what it does although nobody may have meant it. */
#include "folder.h"
#include "spawn.h"

#include <stdbool.h>

static char root[64];

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return folder_remove(root);
}

static void keep_example(const char *command)
{
    char line[512];
    snprintf(line, sizeof line, "%s/experiments/poise %s --example >%s/%s.yaml", POISE_BINARY_DIR, command, root,
             command);
    assert_int_equal(0, system(line));
}

static void says(const char *what, const struct said *s, int status, const char *text)
{
    if (s->status != status || !strstr(s->err, text))
        fail_msg("%s: status %d, not %d with '%s': %s", what, s->status, status, text, s->err);
}

static const char *const commands[] = {"sweep", "tune", "run", "cv"};

static void the_example_of_each_spec_runs_as_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        keep_example(commands[i]);
        const struct said *s =
            poisef(root, "%s %s/%s.yaml --out %s/out-%s", commands[i], root, commands[i], root, commands[i]);
        if (s->status) fail_msg("%s: %s", commands[i], s->err);
    }
}

/* Every key of the example stands among the rows, and the rows stand in the manual page. */
static void help_and_the_manual_have_the_rows_of_each_spec(void **state)
{
    (void)state;
    static char man[1 << 18];
    memcpy(man, poise(root, "help --man")->out, sizeof man);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char heading[64], path[128], example[1 << 14];
        keep_example(commands[i]);
        snprintf(path, sizeof path, "%s/%s.yaml", root, commands[i]);
        slurp(path, example, sizeof example);
        const struct said *s = poisef(root, "help spec-%s", commands[i]);
        assert_int_equal(0, s->status);
        snprintf(heading, sizeof heading, ".SS The spec of poise %s\n", commands[i]);
        assert_non_null(strstr(man, heading));
        size_t keys = 0;
        for (const char *line = example; line && *line; line = strchr(line, '\n'), line += line != NULL) {
            char key[32] = "", row[40];
            if (sscanf(line, "%31[a-z_]:", key) != 1) continue;
            snprintf(row, sizeof row, "\n  %s ", key);
            if (!strstr(s->out, row)) fail_msg("%s: no row for %s", commands[i], key);
            keys++;
        }
        assert_true(keys >= 6);
    }
}

static void a_spec_given_to_another_command_names_its_own(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sweep", "tune", "pipeline", "cv"};
    for (size_t i = 0; i < 4; i++) keep_example(commands[i]);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            char text[160];
            if (i == k) continue;
            snprintf(text, sizeof text, "kind '%s': 'poise %s' reads this spec; poise %s reads kind %s", kinds[k],
                     commands[k], commands[i], kinds[i]);
            says(commands[i], poisef(root, "%s %s/%s.yaml", commands[i], root, commands[k]), 2, text);
        }
    says("repro", poisef(root, "repro %s/sweep.yaml", root), 2, "kind 'sweep': 'poise sweep' reads this spec");
    says("config", poisef(root, "sim --kernel mvt --config %s/sweep.yaml", root), 2,
         "the spec of an experiment, not a configuration");
    says("sweep", poise(root, "sweep " POISE_SOURCE_DIR "/experiments/configs/volta80.yaml"), 2,
         "a configuration of the machine, not a spec");
    says("repro", poise(root, "sweep " POISE_SOURCE_DIR "/experiments/specs/thesis-ch3/baseline.yaml"), 2,
         "'poise repro' reads this spec");
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    says("command", poise(root, "polices"), 2, "did you mean 'policies'?");
    says("topic", poise(root, "help spec-sweeep"), 2, "did you mean 'spec-sweep'?");
    says("preset", poise(root, "sim --kernel mvt --config keplar32"), 2, "no configuration 'keplar32'");
    says("preset", poise(root, "sim --kernel mvt --config keplar32"), 2, "did you mean 'kepler32'?");
    says("kernel", poise(root, "policies --kernel mvtt"), 2, "did you mean 'mvt'?");
}

static void what_has_no_effect_is_said(void **state)
{
    (void)state;
    says("swl", poise(root, "sim --kernel mvt --launch 0 --size test --mech swl"), 0, "swl without N limits no warp");
    says("pcal", poise(root, "sim --kernel mvt --launch 0 --size test --mech pcal"), 0,
         "pcal without N starts its search from all warps");
    says(
        "tuple",
        poise(root, "eval --model " POISE_SOURCE_DIR "/models/poise-thesis.json --kernel mvt --size test --mech tuple"),
        0, "tuple without N and p");
    says("threads", poise(root, "sim --kernel mvt --launch 0 --size test --threads 0"), 0,
         "--threads 0 is as many as there are processors");
    const struct said *s = poise(root, "sim --kernel mvt --launch 0 --size test --mech swl,N=2 --threads 1");
    assert_int_equal(0, s->status);
    assert_null(strstr(s->err, "note:"));
}

static void a_tuning_that_does_not_carry_over_says_so(void **state)
{
    (void)state;
    char command[1024];
    snprintf(command, sizeof command,
             "printf 'schema: 1\\nkind: tune\\nname: t\\nsize: test\\nkernels: [{name: mvt, launches: [0]}]\\n"
             "heldout: [{name: bicg, launches: [0]}]\\nmech: swl\\nparameters: {N: [1]}\\nmethod: {name: grid}\\n' "
             ">%s/t.yaml",
             root);
    assert_int_equal(0, system(command));
    const struct said *s = poisef(root, "tune %s/t.yaml --out %s/t", root, root);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "on the held-out set it is slower than the baseline"));
}

/* What `poise sim --json` prints has a row; `poise sim` prints a dozen figures, and all with --all. */
static void every_counter_is_explained_and_a_dozen_are_shown(void **state)
{
    (void)state;
    static char list[1 << 18];
    memcpy(list, poise(root, "stats")->out, sizeof list);
    static char json[1 << 16];
    const struct said *s = poise(root, "sim --kernel mvt --launch 0 --size test --json");
    const char *from = strstr(s->out, "\n \"stats\": {");
    assert_non_null(from);
    snprintf(json, sizeof json, "%s", from + 12);
    size_t n = 0;
    bool is_stall = false;
    for (char *line = strtok(json, "\n"); line && strcmp(line, " }") != 0 && strcmp(line, " },") != 0;
         line = strtok(NULL, "\n")) {
        char name[64], row[80];
        if (strstr(line, "\"stalls\": {")) is_stall = true;
        else if (sscanf(line, " \"%63[a-z0-9_]\"", name) == 1) {
            snprintf(row, sizeof row, "\n  %s%s ", is_stall ? "stall_" : "", name);
            if (!strstr(list, row)) fail_msg("poise stats lacks %s", row + 3);
            n++;
        }
    }
    assert_true(n > 90);
    s = poise(root, "stats l2_hits nothing --json");
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "\"sim/gpu/cache/l2.c\""));
    assert_null(strstr(s->out, "l2_misses"));
    says("stats", poise(root, "stats l2_hit"), 2, "did you mean 'l2_hits'?");
    s = poise(root, "sim --kernel mvt --launch 0 --size test --mech ccws");
    assert_non_null(strstr(s->out, "\n  aml_cycles "));
    assert_non_null(strstr(s->out, "\nissue slots\n  issued "));
    assert_null(strstr(s->out, "request_flits"));
    size_t lines = 0;
    for (const char *at = s->out; (at = strchr(at, '\n')); at++) lines++;
    assert_true(lines < 40);
    assert_non_null(strstr(poise(root, "sim --kernel mvt --launch 0 --size test --all")->out, "\nrequest_flits "));
}

/* The line that the errors name is one that the script has. */
static void what_own_kernels_need_is_said_as_one_line_that_exists(void **state)
{
    (void)state;
    char script[1 << 14];
    setenv("POISE_CLANG", "/nonexistent/clang", 1);
    const struct said *s = poise(root, "cc " POISE_SOURCE_DIR "/sim/cuda/example.cu -o /nonexistent/a");
    unsetenv("POISE_CLANG");
    says("cc", s, 1, "experiments/quickstart.sh --own-kernels installs clang and builds our CUDA library");
    slurp(POISE_SOURCE_DIR "/experiments/quickstart.sh", script, sizeof script);
    assert_non_null(strstr(script, "= --own-kernels ]"));
    assert_non_null(strstr(script, "--target own_kernels"));
}

static double number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

static void a_sweep_over_machines_compares_them_with_the_reference_that_is_chosen(void **state)
{
    (void)state;
    char command[1024], csv[1 << 14], path[128];
    snprintf(command, sizeof command,
             "printf 'schema: 1\\nkind: sweep\\nname: m\\nsize: test\\nkernels: [{name: mvt, launches: [0]}, {name: "
             "atax, launches: [0]}]\\n"
             "config: [kepler32, fermi15]\\naxes: {l1.ways: [4, 8]}\\nstacks: [gto, swl,N=1]\\nmetrics: {over: "
             "reference.core_cycles / core_cycles}\\n"
             "relative_to: fermi15 l1.ways=4\\n' | sed 's/swl,N=1/\"swl,N=1\"/' >%s/m.yaml",
             root);
    assert_int_equal(0, system(command));
    const struct said *s = poisef(root, "sweep %s/m.yaml --out %s/m --json", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "\"config\": \"kepler32 l1.ways=8\""));
    const char *row =
        strstr(s->out, "\"rows\": ["); /* kepler32 l1.ways=4 under gto stands first, the reference third */
    const double first = number(row, "\"core_cycles\": ");
    for (int i = 0; i < 2; i++) row = strstr(row + 1, "\"config\": ");
    row = strstr(row + 1, "\"config\": \"fermi15 l1.ways=4\"");
    assert_non_null(row);
    assert_true(first > 0 && number(row, "\"speed\": ") == 1 && number(row, "\"launches\": ") == 2);
    snprintf(path, sizeof path, "%s/m/sweep.csv", root);
    slurp(path, csv, sizeof csv);
    size_t ones = 0;
    for (const char *line = strchr(csv, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *end = strchr(line + 1, '\n'), *last = end;
        while (last && last > line && *last != ',') last--;
        if (strncmp(line + 1, "mvt", 3) == 0 && strstr(line, "fermi15 l1.ways=4") &&
            strstr(line, "fermi15 l1.ways=4") < end) {
            assert_true(strtod(last + 1, NULL) == 1);
            ones++;
        }
    }
    assert_int_equal(2, ones);
    s = poisef(root, "sweep %s/m.yaml --out %s/m --relative-to 'kepler32 l1.ways=8:swl,N=1'", root, root);
    assert_non_null(strstr(s->out, "0 simulated now"));
    char *text = strdup(s->out);
    for (char *at = text; (at = strchr(at, '\n'));) *at = ' '; /* wherever it is wrapped */
    assert_non_null(strstr(text, "speed: over kepler32 l1.ways=8 under swl,N=1, the harmonic mean"));
    free(text);
    says("sweep", poisef(root, "sweep %s/m.yaml --out %s/m --relative-to volta80", root, root), 2,
         "the sweep has no such machine; its first is 'kepler32 l1.ways=4'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_each_spec_runs_as_it_is),
        cmocka_unit_test(help_and_the_manual_have_the_rows_of_each_spec),
        cmocka_unit_test(a_spec_given_to_another_command_names_its_own),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(what_has_no_effect_is_said),
        cmocka_unit_test(every_counter_is_explained_and_a_dozen_are_shown),
        cmocka_unit_test(a_sweep_over_machines_compares_them_with_the_reference_that_is_chosen),
        cmocka_unit_test(what_own_kernels_need_is_said_as_one_line_that_exists),
        cmocka_unit_test(a_tuning_that_does_not_carry_over_says_so),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
