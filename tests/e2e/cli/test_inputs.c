/* What commands take as input: files that are none, names that are none, patterns that were not meant, and interrupts
 * while they wait. */
#include "spawn.h"
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define KERNEL(name, grid, blocks) \
    "-kernel name = " name "\n-kernel id = 1\n-grid dim = (" grid ",1,1)\n-block dim = (32,1,1)\n-shmem = 0\n" \
    "-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007e0000000000\n" \
    "-local mem base_addr = 0x00007e0100000000\n-nvbit version = none\n-accelsim tracer version = 4\n" \
    "-enable lineinfo = 0\n\n#traces format = free text\n\n" blocks
#define BLOCK(x) \
    "#BEGIN_TB\n\nthread block = " x ",0,0\n\nwarp = 0\ninsts = 2\n" \
    "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n"

static char root[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *out = fopen(path, "w");
    if (!out) fail_msg("%s cannot be written", path);
    fputs(text, out);
    fclose(out);
}

static void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(0, mkdir(path, 0777));
}

static const struct said *at(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* In the folder of the test, so that paths are short. */
static const struct said *at(const char *format, ...)
{
    char arguments[1500];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    return poise(root, arguments);
}

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    if (chdir(root) != 0) return -1;
    put("first.traceg", KERNEL("first_app", "1", BLOCK("0")));
    put("second.traceg", KERNEL("second_app", "2", BLOCK("0") BLOCK("1")));
    return at("trace import first.traceg -o first.ptrace")->status ||
           at("trace import second.traceg -o second.ptrace")->status;
}

static int end(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", root, root);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void kernels_of_two_applications_are_imported_into_files_of_their_own(void **state)
{
    (void)state;
    make_folder("kernels-a");
    make_folder("kernels-b");
    put("kernels-a/kernel-1.traceg", KERNEL("first_app", "1", BLOCK("0")));
    put("kernels-b/kernel-1.traceg", KERNEL("second_app", "2", BLOCK("0") BLOCK("1")));
    put("two.g", "kernels-a/kernel-1.traceg\nkernels-b/kernel-1.traceg\n");
    assert_int_equal(0, at("trace import two.g -o two")->status);
    assert_non_null(strstr(at("trace info two/kernels-a-kernel-1.ptrace")->out, "first_app"));
    assert_non_null(strstr(at("trace info two/kernels-b-kernel-1.ptrace")->out, "second_app"));
    /* the same file twice, and a name that the numbering would give */
    put("same.g", "kernels-a/kernel-1.traceg\nkernels-a/kernel-1.traceg\nkernels-b/kernel-1.traceg\n");
    const struct said *s = at("trace import same.g -o same --json");
    json_t *json = json_loads(s->out, 0, NULL), *traces = json_object_get(json, "traces");
    assert_int_equal(3, json_array_size(traces));
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(json_string_value(json_object_get(json_array_get(traces, i), "file")),
                                    json_string_value(json_object_get(json_array_get(traces, k), "file")));
    json_decref(json);
    /* and one application's names stay as they were */
    put("one.g", "kernels-a/kernel-1.traceg\n");
    assert_int_equal(0, at("trace import one.g -o one/")->status);
    assert_int_equal(0, at("trace info one/kernel-1.ptrace")->status);
}

#define SWEEP(trace) \
    "schema: 1\nkind: sweep\nname: s\nkernels: [{trace: '" trace "'}]\nconfig: kepler32\nstacks: [gto]\n"

/* The kernels of a sweep's CSV, one behind the other. */
static const char *swept(const char *spec)
{
    static char kernels[256];
    char line[4096];
    kernels[0] = '\0';
    const struct said *s = at("sweep '%s' --out results", spec);
    if (s->status) fail_msg("%s: %s", spec, s->err);
    FILE *in = fopen("results/sweep.csv", "r");
    for (int i = 0; in && fgets(line, sizeof line, in); i++)
        if (i)
            snprintf(kernels + strlen(kernels), sizeof kernels - strlen(kernels), "%.*s ", (int)strcspn(line, ","),
                     line);
    if (in) fclose(in);
    return kernels;
}

static void brackets_in_a_folder_are_its_name_and_a_path_comes_before_a_pattern(void **state)
{
    (void)state;
    assert_int_equal(0, system("mkdir -p 'run[1]' run1 'x[1]' && cp first.ptrace 'run[1]/mine.ptrace' && "
                               "cp second.ptrace run1/mine.ptrace && cp second.ptrace mine.ptrace && "
                               "cp first.ptrace 'x[1]/t[2].ptrace' && cp second.ptrace 'x[1]/t2.ptrace'"));
    put("run[1]/one.yaml", SWEEP("mine.ptrace"));
    assert_string_equal("first_app ", swept("run[1]/one.yaml"));
    put("run[1]/all.yaml", SWEEP("*.ptrace"));
    assert_string_equal("first_app ", swept("run[1]/all.yaml"));
    assert_null(strstr(at("sweep 'run[1]/all.yaml' --out results")->err, "as a pattern")); /* a star needs no note */
    put("x[1]/literal.yaml", SWEEP("t[2].ptrace"));
    assert_string_equal("first_app ", swept("x[1]/literal.yaml"));
    put("folder.yaml", SWEEP("run[1]"));
    assert_string_equal("first_app ", swept("folder.yaml"));
    /* Where the text is no path it is a pattern, which is told. */
    put("pattern.yaml", SWEEP("x[[]1]/t[0-9].ptrace"));
    assert_string_equal("second_app ", swept("pattern.yaml"));
    const struct said *s = at("sweep pattern.yaml --out results");
    assert_non_null(strstr(s->err, "as a pattern it names 1"));
    assert_non_null(strstr(s->err, "pattern.yaml:4:"));
}

static void a_trace_that_is_not_beside_the_spec_is_told(void **state)
{
    (void)state;
    make_folder("deep");
    put("deep/s.yaml", SWEEP("first.ptrace"));
    const struct said *s = at("sweep deep/s.yaml --out results");
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->err, "'first.ptrace' is not in the folder of the spec"));
}

/* Each would wait for a writer for ever. */
static void a_pipe_in_place_of_a_file_is_refused_at_once_by_every_command(void **state)
{
    static const char *const commands[] = {"sim --trace P.ptrace",
                                           "trace info P.ptrace",
                                           "trace import P.traceg -o y",
                                           "trace import P.g -o y",
                                           "trace check P.traceg",
                                           "trace export --accelsim d P.ptrace",
                                           "trace marking P.ptrace",
                                           "trace mark --marking P.json -o d first.ptrace",
                                           "sim --trace first.ptrace --config ./P.config",
                                           "sim --trace first.ptrace --config ./P.yaml",
                                           "configs --import P.config",
                                           "configs --diff P.config kepler32",
                                           "mechs --config ./P.yaml",
                                           "train P.csv --target N -o m.json",
                                           "cv P.yaml",
                                           "tune P.yaml",
                                           "sweep P.yaml --out d",
                                           "run P.yaml",
                                           "model show P.json",
                                           "predict first.ptrace --model P.json",
                                           "compare P.json P.log",
                                           "compare first.ptrace P.log",
                                           "store ls --store P.sqlite",
                                           "store query 'select 1' --store P.sqlite",
                                           "store merge z.sqlite P.sqlite",
                                           "policies --trace P.ptrace",
                                           "profile import P.csv",
                                           "cc P.cu -o a.out",
                                           "report P.json -o r.html",
                                           "eval --model P.json --trace first.ptrace"};
    char command[1024], said[4096];
    (void)state;
    assert_int_equal(0, system("for e in ptrace traceg g json config yaml csv log sqlite cu; do mkfifo P.$e; done"));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(command, sizeof command, "timeout -s KILL 20 " POISE_BINARY_DIR "/experiments/poise %s >said 2>&1",
                 commands[i]);
        const int status = system(command);
        slurp("said", said, sizeof said);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 2) fail_msg("poise %s: %d %s", commands[i], status, said);
    }
    /* What has always worked: a file as standard input. */
    put("d.csv", "y,x\n1,1\n2,2\n3,4\n5,6\n");
    assert_int_equal(0, at("train /dev/stdin --target y --family poisson -o m.json <d.csv")->status);
    assert_non_null(strstr(at("train P.csv --target y -o m.json")->err, "not a regular file but a pipe"));
    assert_non_null(strstr(at("sim --trace .")->err, "not a regular file but a folder"));
}

/* Whether a process has a handler for the signal: on a busy machine a program takes seconds to come that far. */
static bool is_caught(pid_t pid, int signal_number)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) sscanf(line, "SigCgt: %llx", &caught);
    if (in) fclose(in);
    return caught >> (signal_number - 1) & 1;
}

/* The status of a command that gets a signal after a while; seconds that it took from then on. */
static int interrupted(const char *command, int signal_number, double *seconds)
{
    struct timespec before, after;
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 300 && !is_caught(pid, signal_number); i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(pid, signal_number);
    clock_gettime(CLOCK_MONOTONIC, &before);
    while (waitpid(pid, &status, 0) < 0) {}
    clock_gettime(CLOCK_MONOTONIC, &after);
    *seconds = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_signal_ends_a_long_statement_a_recording_and_a_search_with_130(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM};
    /* the last two never look at a signal themselves */
    static const char *const commands[] = {
        "exec " POISE_BINARY_DIR
        "/experiments/poise store query \"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + "
        "1 FROM c) SELECT count(*) FROM c\" --store results/store.sqlite >said 2>&1",
        "exec " POISE_BINARY_DIR "/experiments/poise trace record --out rec -- sleep 300 >said 2>&1",
        "exec " POISE_BINARY_DIR
        "/experiments/poise store scaling --runs 1000000000 --store results/store.sqlite >said 2>&1",
        "exec " POISE_BINARY_DIR
        "/experiments/poise train big.csv --target y --family svr --tune -o m.json >said 2>&1"};
    (void)state;
    put("for-store.yaml", SWEEP("first.ptrace"));
    swept("for-store.yaml");
    FILE *big = fopen("big.csv", "w");
    fputs("y,a,b,c\n", big);
    for (int i = 0; i < 20000; i++) fprintf(big, "%d,%d,%d,%d\n", i % 7 + i % 3, i % 7, i % 11, i % 3);
    fclose(big);
    for (size_t i = 0; i < 2 * sizeof commands / sizeof *commands; i++) {
        double seconds;
        char said[4096];
        const int status = interrupted(commands[i / 2], signals[i % 2], &seconds);
        slurp("said", said, sizeof said);
        if (status != 130 || seconds > 10 || !strstr(said, "interrupted"))
            fail_msg("%s: status %d after %.1f s: %s", commands[i / 2], status, seconds, said);
    }
}

static void a_trace_of_the_other_simulator_is_told_to_be_imported(void **state)
{
    (void)state;
    static const char *const names[] = {"first.traceg", "two.g", "plain"};
    put("two.g", "first.traceg\nsecond.traceg\n");
    put("plain", KERNEL("first_app", "1", BLOCK("0")));
    for (size_t i = 0; i < 3; i++) {
        const struct said *s = at("sim --trace %s", names[i]);
        if (s->status != 2 || !strstr(s->err, "poise trace import")) fail_msg("%s: %s", names[i], s->err);
    }
}

static void kernels_of_other_names_are_told_by_compare_and_another_order_is_refused(void **state)
{
    (void)state;
#define LOG(name) "kernel_name = " name "\ngpu_sim_cycle = 10\ngpu_sim_insn = 5\n"
    const struct said *s = at("sim --trace first.ptrace --json");
    json_t *ours = json_loads(s->out, 0, NULL), *launches = json_object_get(ours, "launches");
    json_t *other = json_deep_copy(json_array_get(launches, 0));
    json_object_set_new(other, "name", json_string("second_app"));
    json_array_append_new(launches, other);
    assert_int_equal(0, json_dump_file(ours, "ours.json", 0));
    json_decref(ours);
    put("same.log", LOG("first_app") LOG("second_app"));
    put("crossed.log", LOG("second_app") LOG("first_app"));
    put("unlike.log", LOG("first_app") LOG("\033[31mthird"));
    put("nameless.log", "gpu_sim_cycle = 10\ngpu_sim_cycle = 20\n");
    s = at("compare ours.json same.log --json");
    assert_int_equal(0, s->status);
    assert_null(strstr(s->err, "another name"));
    s = at("compare ours.json crossed.log");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "another order"));
    s = at("compare ours.json unlike.log --json");
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->err, "1 of 2 kernels have another name"));
    assert_non_null(strstr(s->out, "\"other_names\": 1"));
    assert_null(strchr(s->err, '\033'));
    assert_null(strstr(at("compare ours.json nameless.log")->err, "another name"));
}

/* ESC, DEL, and CSI of the second set, from a spec, a path, a configuration, a log and a trace. */
static void escapes_of_names_and_errors_do_not_reach_a_terminal(void **state)
{
    static const char *const commands[] = {"sweep esc.yaml --out results",
                                           "sim --trace \"$(printf 'no\\033[31m\\302\\233m')\"",
                                           "configs --import esc.config",
                                           "configs --import esc.config --lenient -o y.yaml",
                                           "trace info escape.ptrace",
                                           "\"$(printf '\\033]0;x\\007')\"",
                                           "trace import \"$(printf 'a\\033.traceg')\" -o y",
                                           "train esc.csv --target y -o m"};
    (void)state;
    put("esc.yaml", "schema: 1\nkind: sweep\nname: s\nkernels: [{trace: \"no\\e[31m\\x9b\"}]\nstacks: [gto]\n");
    put("esc.config", "-gpgpu_n_clusters 1\033[31m\n-gpgpu\033_x 4\n-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:32:8,8\n"
                      "-gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:32:4,8:0,32\n");
    put("esc.csv", "y,x\033[31m\n1,2\n3,\033[31m\n");
    assert_int_equal(0, system("sed 's/first_app/first\\x1bapp/' first.ptrace >escape.ptrace"));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct said *s = at("%s", commands[i]);
        for (const char *c = s->err; *c; c++)
            if ((*c > 0 && *c < 0x20 && *c != '\n') || *c == 0x7f || (*c == '\xc2' && (unsigned char)c[1] < 0xa0))
                fail_msg("%s: control character %d in: %s", commands[i], *c, s->err);
        assert_null(strchr(s->out, '\033'));
        assert_true(*s->err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_two_applications_are_imported_into_files_of_their_own),
        cmocka_unit_test(brackets_in_a_folder_are_its_name_and_a_path_comes_before_a_pattern),
        cmocka_unit_test(a_trace_that_is_not_beside_the_spec_is_told),
        cmocka_unit_test(a_pipe_in_place_of_a_file_is_refused_at_once_by_every_command),
        cmocka_unit_test(a_signal_ends_a_long_statement_a_recording_and_a_search_with_130),
        cmocka_unit_test(a_trace_of_the_other_simulator_is_told_to_be_imported),
        cmocka_unit_test(kernels_of_other_names_are_told_by_compare_and_another_order_is_refused),
        cmocka_unit_test(escapes_of_names_and_errors_do_not_reach_a_terminal),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
