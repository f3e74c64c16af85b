/* What scripts and shells rely on: --json on every command, exit statuses, completions, the manual page, colours,
 * the cache. */
#include "folder.h"
#include "plain.h"
#include "spawn.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>

static char root[64], names[64][32];
static size_t n_names;

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    setenv("ROOT", root, 1); /* for the command lines below */
    setenv("SRC", POISE_SOURCE_DIR, 1);
    const struct said *s = poise(root, "help");
    for (const char *line = s->out; line && n_names < 64; line = strchr(line, '\n'), line += line != NULL)
        if (sscanf(line, "  %31[a-z-] ", names[n_names]) == 1 && line[0] == ' ' && line[2] != ' ') n_names++;
    assert_true(n_names >= 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return folder_remove(root);
}

/* A shell's command line; its exit status, its output in `out`. */
static int shell(char *out, size_t size, const char *command)
{
    FILE *in = popen(command, "r");
    assert_non_null(in);
    const size_t n = fread(out, 1, size - 1, in);
    out[n] = '\0';
    const int status = pclose(in);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One line for every command, some with several; in this order, since later ones read what earlier ones made. */
static const char *const invocations[] = {
    "run $SRC/experiments/specs/ci-quickstart.yaml --out $ROOT/q",
    "profile export $SRC/experiments/specs/ci-quickstart.yaml --store $ROOT/q/store.sqlite -o $ROOT/q/points.csv",
    "profile search $ROOT/q/points.csv",
    "profile import $ROOT/q/points.csv --store $ROOT/imported.sqlite",
    "repro --list",
    "sim --kernel mvt --launch 0 --size test",
    "stats",
    "policies --kernel mvt --launch 0 --size test --store $ROOT/pol.sqlite",
    "sweep $SRC/experiments/specs/ci-sweep.yaml --out $ROOT/s",
    "sweep $SRC/experiments/specs/ci-sweep.yaml --out $ROOT/s --dry-run",
    "features --kernel mvt --launch 0 --size test",
    "train $ROOT/d.csv --target N --family nb2 -o $ROOT/m.json",
    "cv $SRC/experiments/specs/ci-cv.yaml --out $ROOT/cv",
    "tune $SRC/experiments/specs/ci-tune.yaml --out $ROOT/t",
    "model show $SRC/models/poise-thesis.json",
    "eval --model $SRC/models/poise-thesis.json --kernel mvt --size test --store $ROOT/e.sqlite",
    "trace record --out $ROOT/rec -- " POISE_BINARY_DIR "/datasets/kernels/mvt --size test",
    "trace info $ROOT/rec/0000-mvt_rows.ptrace",
    "trace export --accelsim $ROOT/acc $ROOT/rec/0000-mvt_rows.ptrace",
    "trace check $ROOT/acc/kernelslist.g",
    "trace import $ROOT/acc/kernelslist.g -o $ROOT/imported.ptrace",
    "trace synth divergence=2 -o $ROOT/synth.ptrace --size test",
    "hint --trace $ROOT/synth.ptrace --measure --store $ROOT/hint.sqlite",
    "choice ask $SRC/models/choice-window.json --trace $ROOT/synth.ptrace",
    "predict $ROOT/synth.ptrace --model $SRC/models/poise-quickstart.json",
    "watch $ROOT/s --once",
    "report $ROOT/q -o $ROOT/report.html",
    "make-input keys --size 100 -o $ROOT/keys.txt",
    "kernels",
    "configs",
    "configs --diff kepler32 fermi15",
    "validate --closed-form",
    "compare $SRC/experiments/specs/ci-sweep.yaml",
    "mechs",
    "params",
    "store ls --store $ROOT/s/store.sqlite",
    "store verify --store $ROOT/s/store.sqlite",
    "store gc --store $ROOT/s/store.sqlite",
    "store scaling --store $ROOT/s/store.sqlite --runs 1000 --nodes 4",
    "store merge $ROOT/merged.sqlite $ROOT/s/store.sqlite",
    "cc $SRC/tests/e2e/cuda/programs/atomics.cu -o $ROOT/va",
    "cuda /nonexistent",
    "cpu list",
    "suite status $SRC/tests/fuzz/spec/corpus/tiny.suite.yaml",
};

static bool is_json_with_header(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    const bool is_good = json_is_integer(json_object_get(json, "schema")) &&
                         json_is_string(json_object_get(json, "version")) &&
                         json_is_integer(json_object_get(json, "model_version"));
    json_decref(json);
    return is_good;
}

/* The last line: what a compiler says may stand above it. */
static bool is_json_error(const char *text)
{
    for (const char *line; (line = strchr(text, '\n')) && line[1];) text = line + 1;
    json_t *json = json_loads(text, 0, NULL), *e = json_object_get(json, "error");
    const bool is_good = json_is_string(json_object_get(e, "code")) && json_is_string(json_object_get(e, "message")) &&
                         json_is_string(json_object_get(e, "file")) && json_is_integer(json_object_get(e, "line")) &&
                         json_is_integer(json_object_get(e, "byte")) && json_is_string(json_object_get(e, "hint"));
    json_decref(json);
    return is_good;
}

static void every_command_has_json_with_the_header_or_an_error_object(void **state)
{
    (void)state;
    char path[96], arguments[512];
    bool is_seen[64] = {false};
    snprintf(path, sizeof path, "%s/d.csv", root);
    FILE *csv = fopen(path, "w");
    fputs("kernel,N,p,h_o,intercept\n", csv);
    for (int i = 0; i < 40; i++) fprintf(csv, "k%d,%d,%d,%.3f,1\n", i, 1 + (i * 7) % 20, 1 + i % 4, i / 40.0);
    fclose(csv);
    for (size_t i = 0; i < sizeof invocations / sizeof *invocations; i++) {
        const char *separator = strstr(invocations[i], " -- ");
        const int n = separator ? (int)(separator - invocations[i]) : (int)strlen(invocations[i]);
        snprintf(arguments, sizeof arguments, "%.*s --json%s", n, invocations[i], separator ? separator : "");
        if (strncmp(invocations[i], "cuda ", 5) == 0)
            snprintf(arguments, sizeof arguments, "cuda --json %s", invocations[i] + 5);
        const struct said *s = poise(root, arguments);
        const bool is_good = s->status == 0 ? is_json_with_header(s->out) : *s->out == '\0' && is_json_error(s->err);
        if (!is_good) fail_msg("poise %s: status %d\n%s\n%s", arguments, s->status, s->out, s->err);
        /* compare, cc, cuda may lack what they need here */
        if (s->status && strncmp(arguments, "c", 1) != 0) fail_msg("poise %s: %s", arguments, s->err);
        for (size_t k = 0; k < n_names; k++)
            is_seen[k] |= strncmp(arguments, names[k], strlen(names[k])) == 0 && arguments[strlen(names[k])] == ' ';
    }
    for (size_t k = 0; k < n_names; k++)
        if (!is_seen[k]) fail_msg("no line of this test runs poise %s", names[k]);
}

static void every_command_answers_wrong_options_with_2_and_json(void **state)
{
    (void)state;
    for (size_t k = 0; k < n_names; k++) {
        char arguments[96];
        snprintf(arguments, sizeof arguments, "%.31s --json --no-such-option=1", names[k]);
        const struct said *s = poise(root, arguments);
        if (s->status != 2 || *s->out || !is_json_error(s->err))
            fail_msg("poise %s: status %d, %s%s", arguments, s->status, s->out, s->err);
        assert_non_null(strstr(s->err, "ERR_USAGE"));
    }
}

static void exit_statuses_are_those_of_the_manual(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int status;
    } cases[] = {
        {"kernels", 0},
        {"sim --kernel mvt --launch 0 --size test --set l1.ways=0", 2},
        {"sim --kernel mvt --launch 0 --size test --max-cycles 100", 6},
        /* a barrier that no other warp may reach */
        {"sim --kernel backprop --launch 0 --size test --mech tuple,N=1,literal_rank=1", 5},
        {"sweep $SRC/experiments/specs/ci-sweep.yaml --out /proc/none", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *s = poise(root, cases[i].arguments);
        if (s->status != cases[i].status) fail_msg("poise %s: %d\n%s", cases[i].arguments, s->status, s->err);
    }
    assert_non_null(strstr(
        poise(root, "help")->out,
        "0 ok, 1 the run failed, 2 bad usage or input, 5 deadlock found, 6 a limit was reached, 130 interrupted"));
}

static void bash_completes_commands_verbs_options_and_values(void **state)
{
    (void)state;
    static const struct {
        const char *line, *has, *lacks;
    } cases[] = {
        {"poise sw", "sweep", "sim"},
        {"poise sim --ker", "--kernel", "--config"},
        {"poise sim --kernel mv", "mvt", "atax"},
        {"poise sim --config kep", "kepler32", "fermi15"},
        {"poise sim --mech tup", "tuple", "gto"},
        {"poise sim --mech tuple,", "tuple,N=", "tuple"},
        {"poise sim --set l1.w", "l1.ways=", "l2.ways="},
        {"poise run x.yaml --size t", "test", "small"},
        {"poise store ver", "verify", "merge"},
        {"poise trace ex", "export", "csv"},
        {"poise sweep --dry", "--dry-run", "--out"},
        {"poise help --b", "--bash", "--zsh"},
    };
    char out[4096], command[1024], dir[512];
    snprintf(dir, sizeof dir, "%s/experiments:%s", POISE_BINARY_DIR, getenv("PATH"));
    setenv("PATH", dir, 1);
    if (shell(out, sizeof out, "bash -c 'type complete' 2>&1") != 0) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(command, sizeof command,
                 "bash -c 'eval \"$(poise help --bash)\"; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                 "_poise; echo \" ${COMPREPLY[*]} \"' 2>&1",
                 cases[i].line);
        assert_int_equal(0, shell(out, sizeof out, command));
        char has[64], lacks[64];
        snprintf(has, sizeof has, " %s ", cases[i].has);
        snprintf(lacks, sizeof lacks, " %s ", cases[i].lacks);
        if (!strstr(out, has) || strstr(out, lacks)) fail_msg("%s: %s", cases[i].line, out);
    }
    if (shell(out, sizeof out, "command -v zsh") != 0) print_message("no zsh here: its completion was not parsed\n");
    else if (shell(out, sizeof out, "poise help --zsh >$ROOT/_poise && zsh -n $ROOT/_poise 2>&1") != 0)
        fail_msg("zsh: %s", out);
}

static void the_manual_page_has_every_command_and_option_and_is_sound_roff(void **state)
{
    (void)state;
    static char man[1 << 18], help[1 << 16], out[4096];
    assert_int_equal(0, shell(man, sizeof man, "poise help --man"));
    size_t options = 0;
    for (size_t k = 0; k < n_names; k++) {
        char command[96], heading[64];
        snprintf(heading, sizeof heading, ".SS poise %.31s\n", names[k]);
        if (!strstr(man, heading)) fail_msg("no %s", heading);
        snprintf(command, sizeof command, "poise help %.31s", names[k]);
        assert_int_equal(0, shell(help, sizeof help, command));
        for (const char *at = strstr(help, "\n  "); at; at = strstr(at + 1, "\n  ")) { /* "  -o, --out DIR    doc" */
            char option[64], escaped[160] = "";
            const char *dashes = strstr(at, "--"), *line_end = strchr(at + 1, '\n');
            if (at[3] != '-' || !dashes || dashes > line_end || sscanf(dashes, "--%63[a-z0-9-]", option) != 1) continue;
            for (const char *c = option; *c; c++)
                snprintf(escaped + strlen(escaped), sizeof escaped - strlen(escaped), *c == '-' ? "\\-" : "%c", *c);
            char wanted[200];
            snprintf(wanted, sizeof wanted, "\\fB\\-\\-%s\\fR", escaped);
            if (!strstr(man, wanted)) fail_msg("poise %s --%s is not in the manual", names[k], option);
            options++;
        }
    }
    assert_true(options > 60);
    if (shell(out, sizeof out, "command -v groff") != 0) print_message("no groff here: the page was not set\n");
    else if (shell(out, sizeof out, "poise help --man | groff -man -ww -Tutf8 -z 2>&1") != 0 || *out)
        fail_msg("groff: %s", out);
}

/* What an error looks like on a terminal. */
static void error_on_terminal(char *out, size_t size)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(other >= 0);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(other, 2);
        execl(POISE_BINARY_DIR "/experiments/poise", "poise", "nonsense", (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(pid, &status, 0);
    const ssize_t n = read(terminal, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    close(other);
    close(terminal);
}

static void errors_are_red_on_a_terminal_but_not_with_no_color_or_a_dumb_one(void **state)
{
    (void)state;
    const int probe = posix_openpt(O_RDWR | O_NOCTTY);
    if (probe < 0) {
        print_message("skipped: no pseudo-terminal here\n");
        skip();
    }
    close(probe);
    char text[1024];
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    error_on_terminal(text, sizeof text);
    assert_non_null(strstr(text, "\033[1;31mpoise:\033[0m no command 'nonsense'"));
    setenv("NO_COLOR", "1", 1);
    error_on_terminal(text, sizeof text);
    assert_non_null(strstr(text, "poise: no command"));
    assert_null(strchr(text, '\033'));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    error_on_terminal(text, sizeof text);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(poise(root, "nonsense")->err, '\033')); /* no terminal */
}

static void traces_are_in_the_xdg_cache_and_an_old_or_strange_cache_is_recorded_anew(void **state)
{
    (void)state;
    char out[4096];
    unsetenv("POISE_TRACES");
    setenv("XDG_CACHE_HOME", "relative", 1); /* is none, by the specification */
    setenv("HOME", root, 1);
    const struct said *s = poise(root, "sim --kernel mvt --launch 0 --size test --json");
    assert_int_equal(0, s->status);
    char *first = strdup(s->out);
    assert_int_equal(0, shell(out, sizeof out, "ls $ROOT/.cache/poise/traces/mvt-test-*/index.json"));
    static const char *const harm[] = {
        /* another trace format, another program, no JSON, a trace that is gone; a
                                         * folder unused for long goes when another is recorded */
        "sed -i 's/\"trace_version\": [0-9]*/\"trace_version\": 99/' $ROOT/.cache/poise/traces/mvt-test-*/index.json",
        "sed -i 's/\"program\": \"./\"program\": \"z/' $ROOT/.cache/poise/traces/mvt-test-*/index.json",
        "echo nonsense >$(ls $ROOT/.cache/poise/traces/mvt-test-*/index.json)",
        "rm $ROOT/.cache/poise/traces/mvt-test-*/0000*",
        "cd $ROOT/.cache/poise/traces && mv mvt-test-*[0-9a-f] mvt-test-000000000000 && touch -a -m -d '2020-01-01' "
        "mvt-test-000000000000/index.json && touch -a -m -d '2020-01-01' decoded/*",
    };
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        assert_int_equal(0, shell(out, sizeof out, harm[i]));
        s = poise(root, "sim --kernel mvt --launch 0 --size test --json");
        if (s->status || strcmp(first, s->out) != 0) fail_msg("after %s: %s", harm[i], s->err);
    }
    assert_int_equal(0, shell(out, sizeof out,
                              "test ! -e $ROOT/.cache/poise/traces/mvt-test-000000000000 && ls "
                              "$ROOT/.cache/poise/traces/mvt-test-*/index.json"));
    setenv("POISE_TRACES", root, 1);
    free(first);
}

/* One glossary: help, manual and report show the same words. */
static void terms_are_explained_by_help_and_manual(void **state)
{
    (void)state;
    static const char *const words[] = {"AML",     "I_n",     "N",           "p",       "W",         "TUCD",
                                        "theta",   "SWL",     "Static-Best", "family",  "gang",      "hint",
                                        "in step", "literal", "mode",        "point",   "reference", "sampling",
                                        "size",    "sealed",  "statement",   "warm-up", "wave"};
    static char text[1 << 16], man[1 << 18];
    assert_int_equal(0, shell(text, sizeof text, "poise help terms"));
    assert_int_equal(0, shell(man, sizeof man, "poise --help --man"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s  ", words[i]);
        if (!strstr(text, line) && strncmp(text, line + 1, strlen(line + 1)) != 0) fail_msg("no term %s", words[i]);
    }
    assert_non_null(strstr(text, "\nfraction of Static-Best's gain\n  ")); /* a long name has a line of its own */
    assert_non_null(strstr(man, "core cycles from an L1 miss to its data"));
    /* the manual has every command's help and every key of the specs */
    const char *at = man;
    bool is_code = false;
    for (const struct plain_word *word; (word = plain_next(&at, &is_code));)
        fail_msg("the manual: '%s': say %s: ..%.60s", word->is, word->say, at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_json_with_the_header_or_an_error_object),
        cmocka_unit_test(every_command_answers_wrong_options_with_2_and_json),
        cmocka_unit_test(exit_statuses_are_those_of_the_manual),
        cmocka_unit_test(bash_completes_commands_verbs_options_and_values),
        cmocka_unit_test(the_manual_page_has_every_command_and_option_and_is_sound_roff),
        cmocka_unit_test(errors_are_red_on_a_terminal_but_not_with_no_color_or_a_dumb_one),
        cmocka_unit_test(traces_are_in_the_xdg_cache_and_an_old_or_strange_cache_is_recorded_anew),
        cmocka_unit_test(terms_are_explained_by_help_and_manual),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
