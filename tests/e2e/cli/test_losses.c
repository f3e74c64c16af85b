/* What must not be lost, hang or be taken for something else: a full disk, little memory, names and numbers that lead
 * astray. */
#include "spawn.h"

#include <stdbool.h>
#include <stdlib.h>

static char root[64];

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    setenv("ROOT", root, 1);
    setenv("SRC", POISE_SOURCE_DIR, 1);
    setenv("POISE", POISE_BINARY_DIR "/experiments/poise", 1);
    return system("cd $ROOT && $POISE trace synth divergence=2 -o $ROOT/t.ptrace --size test >out 2>err && "
                  "(echo kernel,N,h_o,intercept; for i in 1 2 3 4 5 6 7 8 9; do echo k$i,$i,0.$i,1; done) >d.csv && "
                  "printf 'schema: 1\\nkind: sweep\\nname: s\\nkernels: []\\n' >s.yaml");
}

static int end(void **state)
{
    (void)state;
    return system("rm -rf $ROOT");
}

/* The exit status of a shell's command line; what it wrote to standard error is in `said`. */
static int shell(char *said, size_t size, const char *command)
{
    char line[1024], path[96];
    snprintf(line, sizeof line, "cd $ROOT && (%s) 2>$ROOT/err", command);
    const int status = system(line);
    snprintf(path, sizeof path, "%s/err", root);
    slurp(path, said, size);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Each prints to standard output when all is well. */
static const char *const printing[] = {
    "--version",
    "--help",
    "help",
    "help --man",
    "help --bash",
    "help sim",
    "sim --help",
    "sim --trace $ROOT/t.ptrace",
    "sim --trace $ROOT/t.ptrace --json",
    "sim --trace $ROOT/t.ptrace --stats gpgpusim",
    "trace info $ROOT/t.ptrace",
    "configs",
    "configs --diff kepler32 fermi15",
    "configs --export kepler32",
    "mechs",
    "mechs poise",
    "params",
    "kernels",
    "model show $SRC/models/poise-thesis.json",
    "train $ROOT/d.csv --target N --features h_o,intercept -o $ROOT/m.json",
    "repro --list",
    "predict $ROOT/t.ptrace --model $SRC/models/poise-quickstart.json",
};

static void output_that_does_not_arrive_ends_with_1_and_says_so_for_every_command(void **state)
{
    (void)state;
    char said[4096], command[400];
    size_t tried = 0;
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) {
        snprintf(command, sizeof command, "$POISE %s >$ROOT/whole", printing[i]);
        if (shell(said, sizeof said, command) != 0) fail_msg("poise %s: %s", printing[i], said);
        tried++;
        snprintf(command, sizeof command, "$POISE %s >/dev/full", printing[i]);
        const int status = shell(said, sizeof said, command);
        if (status != 1 || !strstr(said, "standard output"))
            fail_msg("poise %s: status %d: %s", printing[i], status, said);
    }
    assert_int_equal(sizeof printing / sizeof *printing, tried);
    /* a program that prints nothing may be started without an output */
    assert_int_equal(2, shell(said, sizeof said, "$POISE sim >&-"));
    assert_int_equal(0, shell(said, sizeof said,
                              "$POISE trace synth divergence=2 -o $ROOT/t2.ptrace --size test --json >/dev/null"));
}

static void files_that_do_not_fit_are_refused_and_leave_nothing_behind(void **state)
{
    (void)state;
    char said[4096];
    static const char *const writing[] = {"trace synth divergence=2 --size test -o",
                                          "train $ROOT/d.csv --target N --features h_o,intercept -o",
                                          "sim --trace $ROOT/t.ptrace --timeline", "configs --export kepler32 -o"};
    /* clang's OpenMP needs a file of shared memory for itself when it starts; `trace synth` is the first to ask it */
    for (size_t i = POISE_SANITIZED; i < sizeof writing / sizeof *writing; i++) {
        char command[400];
        /* no byte more than 0 in a file: what a full disk says */
        snprintf(command, sizeof command, "ulimit -f 0; trap '' XFSZ; exec $POISE %s $ROOT/never >/dev/null",
                 writing[i]);
        const int status = shell(said, sizeof said, command);
        if (status != 1) fail_msg("poise %s: status %d: %s", writing[i], status, said);
        assert_int_equal(0, system("test -z \"$(ls $ROOT | grep never)\""));
    }
}

static void numbers_beyond_their_range_are_usage_errors(void **state)
{
    static const char *const wrong[] = {
        "sim --trace t.ptrace --max-cycles 18446744073709551616",
        "sim --trace t.ptrace --max-cycles 99999999999999999999999",
        "sim --trace t.ptrace --max-cycles 9223372036854775808",
        "sim --trace t.ptrace --max-cycles ' 5'",
        "sim --trace t.ptrace --max-cycles +5",
        "sim --trace t.ptrace --warmup 18446744073709551617",
        "sim --kernel mvt --launch 4294967296",
        "sim --kernel mvt --input 99999999999999999999",
        "sweep s.yaml --shard 4294967297/4294967298",
        "sweep s.yaml --max-memory 18446744073709551615",
        "cuda --launches 0-18446744073709551616 true",
        "cuda --launches 3--5 true",
        "cuda --threads 257 true",
        "cuda --sms 0 true",
        "make-input points --size 10 --features 0 -o points",
        "trace record --threads 257 -- true",
        "cuda --max-insts 18446744073709551616 true",
        "sim --trace t.ptrace --max-cycles 0",
        "sim --trace t.ptrace --cap 0",
        "hint --trace t.ptrace --sms 0",
        "hint --trace t.ptrace --work 0",
        "sweep s.yaml --max-memory 0",
        "tune s.yaml --against random --seeds 0",
        "sweep s.yaml --sample error=0.02,error=0.03",
        "hint",
        "sim --trace t.ptrace --set core.sms=1e400",
        "sim --trace t.ptrace --set core.sms=4294967297",
        "sim --trace t.ptrace --mech tuple,N=4294967297",
    };
    char said[4096], command[400];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(command, sizeof command, "$POISE %s >/dev/null", wrong[i]);
        const int status = shell(said, sizeof said, command);
        if (status != 2) fail_msg("poise %s: status %d: %s", wrong[i], status, said);
    }
    assert_int_equal(
        0, shell(said, sizeof said, "$POISE sim --trace t.ptrace --max-cycles 9223372036854775807 >/dev/null"));
}

/* Weights, queries, merges, options and hints that are for nothing here. */
static const struct {
    const char *command;
    int status;
    const char *says;
} cases[] = {
    {"(echo y,a,weight; for i in 1 2 3 4 5 6; do echo $i,0.$i,1e300; done) >w.csv; "
     "$POISE train w.csv --target y --features a --intercept",
     2, "w.csv:2: the weight is 1.0000000000000001e+300: counts of rows above 2^53"},
    {"sed -i 's/1e300/0/' w.csv; $POISE train w.csv --target y --features a --intercept", 2,
     "w.csv: every weight is 0"},
    {"$POISE trace synth divergence=2 -o t3.ptrace --size test >/dev/null; $POISE hint --trace t3.ptrace --measure "
     "--store own.sqlite --json >h.json; sed 's/\"kernel_id\": [0-9]*/\"kernel_id\": 7/' h.json >other.json; "
     "$POISE sim --trace t.ptrace --mech learned,hint=other.json",
     0, "note: learned: the hint did nothing"},
    {"$POISE store query '' --store own.sqlite", 2, "an empty query"},
    {"$POISE store query begin --store own.sqlite", 2, "a query is one SELECT"},
    {"$POISE store merge own.sqlite ./own.sqlite", 2, "is the store that is merged into"},
    {"$POISE store merge never.sqlite nowhere.sqlite; s=$?; test ! -e never.sqlite && exit $s", 2,
     "nowhere.sqlite: there is no such store"},
    {"mkdir -p rec && $POISE trace record --out rec -- true", 1, "true launched no kernel on our CUDA library"},
    {"printf 'kind: suite\\nschema: 1\\nname: away\\nfolder: /never/there\\nprograms: [{name: a, folder: a, "
     "build: sources}]\\n' >away.suite.yaml; $POISE suite build away",
     2, "away.suite.yaml: folder: /never/there: No such file or directory"},
    {"$POISE sim --trace t.ptrace --json >ours.json; printf 'gpu_sim_cycle = nan\\ngpu_tot_sim_cycle = 7\\n' "
     ">theirs.log; $POISE compare ours.json theirs.log",
     2, "theirs.log: 'gpu_sim_cycle = nan': a number of cycles is needed"},
    {"$POISE cuda --launches 0-3 true", 2, "--launches goes with --trace-dir"},
    {"$POISE cuda --trace-dir rec --kernels '([' true", 2, "--kernels ([: this is no extended regular expression"},
    {"$POISE cuda --trace-dir t.ptrace true", 2, "--trace-dir t.ptrace: Not a directory"},
    {"$POISE configs --export kepler32 --out a --out b", 0,
     "note: --out takes one value: b counts, and a before it does not"},
    {"printf 'schema: 1\\nkind: sweep\\nname: s\\nkernels: [nosuch]\\nstacks: [gto]\\n' >where.yaml; $POISE sweep "
     "where.yaml --out sw",
     2, "where.yaml:4:11: no kernel 'nosuch'"},
    {"printf 'schema: 1\nkind: pipeline\nname: p\nsize: test\ntraining: [atax, nosuch]\n' >p.yaml; $POISE run p.yaml "
     "--out pl",
     2, "p.yaml:5:18: no kernel 'nosuch'"},
    {"printf 'schema: 1\nkind: pipeline\nname: p\nsize: test\ntraining: [atax]\nevaluation: [mvt]\n' >p.yaml; $POISE "
     "run p.yaml --out pl --dry-run 2>&1 >/dev/null | wc -c >&2",
     0, "0\n"},
    {"(echo N,a,b,c,intercept; for i in 1 2 3; do echo $i,0.$i,$((i*i)),$((7-i*3%5)),1; done) >few.csv; $POISE "
     "train "
     "few.csv --target N --features a,b,c,intercept --penalty ridge=0.1 --json",
     0, ""},
    {"$POISE train few.csv --target N --features a,b,c,intercept", 2, "or fit with a penalty"},
    {"$POISE sim --trace t.ptrace --store ''", 2, "poise sim: the value of --store is empty"},
    {"(trap '' XFSZ; ulimit -f 1; $POISE trace synth divergence=2 -o big.ptrace 2>&1) | grep -c 'no launch was "
     "recorded\\|File too large' >&2",
     0, "1\n"},
    {"$POISE hint --trace t.ptrace --sms 33", 2, "--sms 33: the machine has 32 SMs"},
    {"$POISE sim --trace t.ptrace --mech swl,N=1,N=2", 2, "swl: N is given twice"},
    {"$POISE sim --trace t.ptrace --set l1.ways=8 --set l1.ways=4", 2, "--set: l1.ways is given twice"},
    {"$POISE policies --trace t.ptrace --mech swl,N=2 --mech swl,N=2", 2, "--mech 'swl,N=2' is given twice"},
    {"$POISE train d.csv --target N --features h_o,intercept,h_o", 2, "--features: h_o is given twice"},
    {"$POISE trace synth divergence=2 divergence=3 -o t4.ptrace", 2, "divergence is given twice"},
    {"$POISE train d.csv --target N --features h_o,intercept -o ./d.csv", 2,
     "--out ./d.csv would be written over d.csv, which is given as well"},
    {"$POISE hint --trace t.ptrace --table t.ptrace", 2, "--table t.ptrace would be written over"},
    {"$POISE trace info t.ptrace --isa volta", 2, "poise trace: --isa is for export"},
    {"$POISE validate --set l1.ways=4", 2, "poise validate: --set is for --hardware, --microbench"},
    {": >empty.sqlite; $POISE store gc --store empty.sqlite; [ -s empty.sqlite ] && echo written >&2", 1,
     "empty.sqlite: an empty file is no store"},
    {"$POISE repro thesis-tab-3.2 --out re", 2, "poise repro: --out is for --all"},
    {"$POISE hint --trace t.ptrace --size full", 2, "poise hint: --size is for --kernel"},
    {"$POISE hint --trace t.ptrace --work 1", 2, "--work 1: so little ends a run before an instruction is done"},
    {"$POISE train d.csv --target N --features h_o,intercept -o n.json --name \"$(printf '\\377')\"", 2,
     "UTF-8 of at most 63 bytes is needed"},
    {"$POISE train d.csv --target N --features h_o,intercept -o n.json --name \"$(printf 'a\\033[31m')\"", 2,
     "it has a control character"},
    {"$POISE sim --json --trace \"$(printf '\\377')\"", 2, "{\"error\":{\"code\":\"ERR_INPUT\""},
    {": >e.log; echo a,b >e.csv; $POISE compare e.csv e.log", 2, "e.csv:1:1: not a JSON file"},
    {": >empty.config; $POISE configs --import empty.config", 2, "empty.config: a configuration without options"},
};

static void what_counts_for_nothing_is_told(void **state)
{
    char said[4096];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = shell(said, sizeof said, cases[i].command);
        if (status != cases[i].status || !strstr(said, cases[i].says))
            fail_msg("%s: status %d: %s", cases[i].command, status, said);
    }
}

/* Where both streams go to one file. */
static void what_is_said_stands_on_lines_of_its_own(void **state)
{
    char said[4096];
    (void)state;
    assert_int_equal(
        0, shell(said, sizeof said,
                 "$POISE sim --trace t.ptrace --mech learned,hint=other.json --all --store both.sqlite >both 2>&1 && "
                 "tail -n 2 both | grep -c '^poise: both.sqlite: 0 of 1 runs\\|^poise: note: learned: ' >&2"));
    assert_string_equal(said, "2\n");
}

/* After two seconds; a process that stands meanwhile costs nothing. */
static void an_interrupted_command_says_what_it_waits_for(void **state)
{
    char said[4096];
    (void)state;
    assert_int_equal(
        0, shell(said, sizeof said, "$POISE trace synth divergence=2 --size full -o long.ptrace 2>&1 >/dev/null"));
    for (int i = 0; i < 5; i++) { /* on a busy machine the run may not have begun, or have ended */
        shell(said, sizeof said,
              "$POISE sim --trace long.ptrace --no-skip >/dev/null & sleep 0.4; kill -TERM $!; sleep 0.05; "
              "kill -STOP $!; sleep 2.1; kill -CONT $!; sleep 0.3; kill -KILL $!; wait $!");
        if (strstr(said, "what runs now ends first")) return;
    }
    fail_msg("%s", said);
}

/* Not by the name of the program that watches the time of others. */
static void an_interrupted_suite_says_that_the_same_command_goes_on(void **state)
{
    char said[4096];
    (void)state;
    if (POISE_SANITIZED) skip(); /* a suite needs the CUDA libraries, which are not built there */
    const int status =
        shell(said, sizeof said,
              "mkdir -p slow/p; printf 'all:\\n\\tsleep 30\\n' >slow/p/Makefile; printf 'kind: suite\\nschema: "
              "1\\nname: slow\\nfolder: %s\\nprograms: [{name: a, folder: p, build: make}]\\n' $ROOT/slow "
              ">slow.suite.yaml; $POISE suite build slow & sleep 0.7; kill -TERM $!; wait $!");
    if (status != 130 || !strstr(said, "interrupted: the same command continues") || strstr(said, "timeout"))
        fail_msg("%d: %s", status, said);
}

static void the_name_of_a_spec_cannot_lead_out_of_the_results(void **state)
{
    static const struct {
        const char *command, *kind;
    } readers[] = {{"run", "pipeline"}, {"sweep", "sweep"}, {"tune", "tune"}, {"cv", "cv"}};
    char said[4096], command[400], place[64];
    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        snprintf(command, sizeof command,
                 "mkdir -p in/deep; cd in/deep; printf 'schema: 1\\nkind: %s\\nname: ../../x\\n' >../../%s.yaml; "
                 "$POISE %s ../../%s.yaml >/dev/null",
                 readers[i].kind, readers[i].kind, readers[i].command, readers[i].kind);
        const int status = shell(said, sizeof said, command);
        snprintf(place, sizeof place, "%s.yaml:3:7: '../../x'", readers[i].kind);
        if (status != 2 || !strstr(said, place)) fail_msg("poise %s: status %d: %s", readers[i].command, status, said);
    }
    assert_int_equal(0, system("test ! -e $ROOT/x && test ! -e $ROOT/in/x && test ! -e $ROOT/in/deep/results"));
}

/* With little address space every command works, or says that memory is short: none hangs, before main() or behind it.
 */
static void with_little_address_space_commands_work_or_say_so(void **state)
{
#if POISE_SANITIZED
    skip(); /* it takes terabytes of address space itself */
#endif
    static const char *const commands[] = {"--version", "mechs", "sim --trace $ROOT/t.ptrace --json",
                                           "model show $SRC/models/poise-thesis.json",
                                           "train $ROOT/d.csv --target N --features h_o,intercept -o $ROOT/m2.json"};
    char said[4096], command[400];
    size_t worked = 0;
    (void)state;
    for (unsigned kib = 60000; kib <= 400000; kib += 20000)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            snprintf(command, sizeof command,
                     "ulimit -v %u; unset OPENBLAS_NUM_THREADS; exec timeout -s KILL 20 $POISE %s >/dev/null", kib,
                     commands[i]);
            const int status = shell(said, sizeof said, command);
            const bool has_words = strstr(said, "memory") || strstr(said, "shared object"); /* ours, or the loader's */
            if (status != 0 && !(status < 124 && has_words) && !(status == 127 && has_words))
                fail_msg("%u KiB: poise %s: status %d: %s", kib, commands[i], status, said);
            worked += status == 0;
        }
    assert_true(worked > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_that_does_not_arrive_ends_with_1_and_says_so_for_every_command),
        cmocka_unit_test(files_that_do_not_fit_are_refused_and_leave_nothing_behind),
        cmocka_unit_test(numbers_beyond_their_range_are_usage_errors),
        cmocka_unit_test(with_little_address_space_commands_work_or_say_so),
        cmocka_unit_test(what_counts_for_nothing_is_told),
        cmocka_unit_test(what_is_said_stands_on_lines_of_its_own),
        cmocka_unit_test(an_interrupted_command_says_what_it_waits_for),
        cmocka_unit_test(an_interrupted_suite_says_that_the_same_command_goes_on),
        cmocka_unit_test(the_name_of_a_spec_cannot_lead_out_of_the_results),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
