/* Runs that need too much, crash or are cut short, formulas and filters of a spec, and a clock that jumps. */
#include "lab.h"
#include <math.h>

static char small[96];

static int begin(void **state)
{
    static const char text[] =
        "schema: 1\nkind: sweep\nname: small\nsize: test\nkernels: [{name: mvt, launches: [0]}, {name: atax, launches: "
        "[0, 1]}]\n"
        "filters: [launch < 1, warp_insts > 100]\nset: {l1.ways: 512}\nstacks:\n  - gto\n  - mech: tuple\n    axes: "
        "{N: [1, 4], p: [1, 4]}\n    where: p <= N\n"
        "metrics:\n  speedup: baseline.core_cycles / core_cycles\n  mpki: 1000 * l1d_misses / warp_insts\n";
    struct error err;
    if (lab_begin(state) < 0) return -1;
    snprintf(small, sizeof small, "%s/small.yaml", root);
    return file_write(small, text, sizeof text - 1, &err);
}

static const struct said *sweep(const char *options, const char *dir)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "sweep %s %s --threads 2 --out %s/%s", small, options, root, dir);
    return poise(root, arguments);
}

static void a_run_of_16_mib_fails_under_1_mib_with_a_hint_and_passes_with_more(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* its allocator cannot be refused memory */
#endif
    assert_int_equal(0, sweep("", "whole")->status);
    char *whole = export_of("whole");
    const struct said *s = sweep("--max-memory 1", "little");
    assert_int_equal(1, s->status);
    assert_non_null(strstr(s->err, "8 of 8 runs failed"));
    assert_non_null(strstr(s->err, "bytes for a run"));
    assert_non_null(strstr(s->err, "give it more with --max-memory"));
    char *failed = export_of("little");
    assert_non_null(strstr(failed, "ERR_MEMORY"));
    assert_int_equal(0, sweep("--max-memory 1024", "little")->status); /* tried again, not taken from the store */
    char *text = export_of("little");
    assert_string_equal(whole, text);
    free(failed);
    free(text);
    free(whole);
}

static void metrics_are_columns_and_filters_leave_the_first_launches(void **state)
{
    (void)state;
    assert_int_equal(0, sweep("", "whole")->status);
    char *csv = file_of("whole", "sweep.csv"), *line = strtok(csv, "\n");
    assert_non_null(strstr(line, ",aml_cycles,speedup,mpki"));
    int rows = 0, gto = 0;
    while ((line = strtok(NULL, "\n"))) {
        const char *last = strrchr(line, ',');
        *(char *)(uintptr_t)last = '\0';
        const double speedup = atof(strrchr(line, ',') + 1), mpki = atof(last + 1);
        assert_true(speedup > 0.05 && speedup < 20 && mpki > 0);
        assert_null(strstr(line, "/1,"));
        gto += strstr(line, ",gto,") && strcmp(strrchr(line, ','), ",1") == 0; /* against itself */
        rows++;
    }
    assert_int_equal(8, rows);
    assert_int_equal(2, gto);
    free(csv);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    const size_t size = strlen(what);
    while ((text = strstr(text, what))) text += size, n++;
    return n;
}

/* core_cycles of the first row of sweep.csv that has `what` before its error. */
static __attribute__((noinline)) double cycles_of(const char *csv, const char *what)
{
    const char *at = strstr(csv, what), *comma = at ? strchr(at + strlen(what), ',') : NULL;
    assert_non_null(comma);
    return strtod(comma + 1, NULL);
}

static void an_instruction_limit_ends_runs_in_the_same_cycle_with_and_without_skipping(void **state)
{
    (void)state;
    char text[2048], *spec_text = file_of(".", "small.yaml");
    struct error err;
    snprintf(text, sizeof text, "%slimits: {max_insts: 500}\n", spec_text);
    assert_ok(file_write(small, text, strlen(text), &err), &err);
    const struct said *s = sweep("--json", "short");
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "\"limited\": 8"));
    assert_int_equal(0, sweep("--no-skip", "ticked")->status);
    char *a = file_of("short", "sweep.csv"), *b = file_of("ticked", "sweep.csv");
    assert_string_equal(a, b);
    assert_ok(file_write(small, spec_text, strlen(spec_text), &err), &err);
    free(a);
    free(b);
    free(spec_text);
}

static void runs_that_end_early_are_estimates_under_keys_of_their_own(void **state)
{
    (void)state;
    static const char base[] =
        "schema: 1\nkind: sweep\nname: small\nsize: test\nkernels: [{name: mvt, launches: [0]}, {name: atax, launches: "
        "[0]}]\n"
        "stacks: [gto, \"tuple,N=2,p=1\"]\nmetrics: {speedup: baseline.core_cycles / core_cycles}\n";
    char text[1024], *spec_text = file_of(".", "small.yaml");
    struct error err;
    snprintf(text, sizeof text, "%slimits: {early_end: 0.3}\n", base);
    assert_ok(file_write(small, text, strlen(text), &err), &err);
    const struct said *s = sweep("--json", "early");
    assert_int_equal(0, s->status);
    const char *ended = strstr(s->out, "\"ended_early\": ");
    assert_non_null(ended);
    const int n = atoi(ended + strlen("\"ended_early\": "));
    assert_true(n >= 2);
    assert_non_null(strstr(s->out, "\"limited\": 0"));
    char *one = file_of("early", "sweep.csv"), *best = file_of("early", "best.csv"), *rows = export_of("early");
    assert_non_null(strstr(one, ",aml_cycles,estimate_error,speedup\n"));
    assert_int_equal(n, count(rows, "estimated_cycles"));
    assert_int_equal(4, count(rows, "\"\"early_end\"\":0.3"));
    assert_int_equal(3, count(best, "\n"));          /* estimates compete */
    assert_int_equal(0, sweep("", "early")->status); /* from the store: the same figures */
    char *two = file_of("early", "sweep.csv");
    assert_string_equal(one, two);
    static const char sim[] = "sim --kernel mvt --launch 0 --size test --early-end 0.3";
    char *ended_now = strdup(poise(root, sim)->out); /* to the last digit of the estimate */
    assert_non_null(strstr(ended_now, "(ended early)"));
    assert_string_equal(ended_now, poisef(root, "%s --store %s/early/store.sqlite", sim, root)->out);
    assert_ok(file_write(small, base, sizeof base - 1, &err), &err);
    s = sweep("--json", "early");
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "\"runs_simulated\": 4")); /* a whole run is none of those */
    assert_non_null(strstr(s->out, "\"ended_early\": 0"));
    char *whole = file_of("early", "sweep.csv");
    const double estimate = cycles_of(one, ",gto,0,"), truth = cycles_of(whole, ",gto,1,");
    assert_true(estimate != truth && fabs(estimate / truth - 1) < 0.5);
    assert_ok(file_write(small, spec_text, strlen(spec_text), &err), &err);
    free(one), free(two), free(best), free(rows), free(whole), free(spec_text), free(ended_now);
}

/* A process that `parent` started for a run; 0: none now. */
static pid_t child_of(pid_t parent)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    slurp(path, text, sizeof text);
    return atoi(text);
}

static void a_run_that_crashes_is_recorded_with_its_signal_and_stops_nothing(void **state)
{
    (void)state;
    char out[128], *whole = sweep_export("whole216");
    int status;
    snprintf(out, sizeof out, "%s/crashed", root);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        snprintf(out, sizeof out, "%s/err", root);
        dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
        dup2(2, 1);
        snprintf(out, sizeof out, "%s/crashed", root);
        execl(POISE_BINARY_DIR "/experiments/poise", "poise", "sweep", spec, "--threads", "1", "--timeout", "60",
              "--out", out, (char *)NULL);
        _exit(127);
    }
    pid_t victim = 0;
    for (int i = 0; i < 120000 && !(victim = child_of(pid)); i++) usleep(500);
    assert_true(victim > 0 && kill(victim, SIGABRT) == 0);
    assert_int_equal(pid, waitpid(pid, &status, 0));
    char *failed = export_of("crashed");
    if (WEXITSTATUS(status) == 0) { /* it was done before the signal came */
        print_message("the run was quicker than the signal\n");
    } else {
        assert_int_equal(1, WEXITSTATUS(status));
        assert_non_null(strstr(failed, "ended by signal 6"));
    }
    char arguments[160];
    snprintf(arguments, sizeof arguments, "store gc --store %s", out);
    strcat(arguments, "/store.sqlite");
    assert_int_equal(0, poise(root, arguments)->status); /* this build would skip it */
    char *text = sweep_export("crashed");
    assert_string_equal(whole, text);
    free(failed);
    free(text);
    free(whole);
}

static void a_clock_that_jumps_by_years_changes_nothing(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* its library must be the first that is loaded */
#endif
    assert_int_equal(0, sweep("", "whole")->status);
    char *whole = export_of("whole");
    setenv("LD_PRELOAD", LAB_CLOCK, 1);
    const int first = sweep("--timeout 60", "jumpy")->status, second = sweep("", "jumpy")->status;
    unsetenv("LD_PRELOAD");
    assert_int_equal(0, first);
    assert_int_equal(0, second);
    char *text = export_of("jumpy");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_16_mib_fails_under_1_mib_with_a_hint_and_passes_with_more),
        cmocka_unit_test(metrics_are_columns_and_filters_leave_the_first_launches),
        cmocka_unit_test(an_instruction_limit_ends_runs_in_the_same_cycle_with_and_without_skipping),
        cmocka_unit_test(runs_that_end_early_are_estimates_under_keys_of_their_own),
        cmocka_unit_test(a_run_that_crashes_is_recorded_with_its_signal_and_stops_nothing),
        cmocka_unit_test(a_clock_that_jumps_by_years_changes_nothing),
    };
    return cmocka_run_group_tests(tests, begin, lab_end);
}
