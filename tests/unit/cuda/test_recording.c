#include "folder.h"
#include "cuda_rig.h"

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/trace.h"

static char folder[] = "/tmp/poise-record-XXXXXX";

/* Runs the program with up to 3 "NAME=value" settings; returns its exit status. */
static int run_program(const char *dir, const char *setting, const char *value)
{
    const pid_t pid = fork();
    if (pid == 0) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", folder, dir);
        setenv("POISE_TRACE_DIR", path, 1);
        if (setting) setenv(setting, value, 1);
        execl(THREE_LAUNCHES, THREE_LAUNCHES, KERNELS_PTX, "--second-argument", (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(pid, waitpid(pid, &status, 0));
    return WEXITSTATUS(status);
}

/* The lines of launches.jsonl as an array. */
static json_t *launches(const char *dir)
{
    char path[300], *text;
    size_t size;
    struct error err;
    json_t *lines = json_array();
    snprintf(path, sizeof path, "%s/%s/launches.jsonl", folder, dir);
    assert_ok(file_read(&text, &size, path, &err), &err);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *row = json_loads(line, 0, NULL);
        assert_non_null(row);
        json_array_append_new(lines, row);
    }
    free(text);
    return lines;
}

static struct trace *open_launch(const char *dir, json_t *row)
{
    char path[400];
    struct trace *t;
    struct error err;
    snprintf(path, sizeof path, "%s/%s/%s", folder, dir, json_string_value(json_object_get(row, "file")));
    assert_ok(trace_open(&t, path, NULL, &err), &err);
    return t;
}

static json_int_t integer(json_t *row, const char *key) { return json_integer_value(json_object_get(row, key)); }
static const char *string(json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }

static void three_launches_leave_3_traces_and_3_lines(void **state)
{
    (void)state;
    assert_int_equal(0, run_program("a", NULL, NULL));
    json_t *rows = launches("a");
    static const char *const files[] = {"0000-vector_add.ptrace", "0001-vector_add.ptrace", "0002-scale.ptrace"};
    assert_int_equal(3, json_array_size(rows));
    for (size_t i = 0; i < 3; i++) {
        json_t *row = json_array_get(rows, i);
        struct trace *t = open_launch("a", row);
        char hash[HASH_TEXT_SIZE];
        uint64_t threads = 0;
        for (uint64_t k = 0; k < t->n_steps; k++) threads += (uint64_t)__builtin_popcount(t->steps[k].mask);
        hash_text(&t->hash, hash);
        assert_int_equal(i, integer(row, "index"));
        assert_string_equal(files[i], string(row, "file"));
        assert_string_equal(hash, string(row, "hash"));
        assert_string_equal(trace_kernel(t), string(row, "kernel"));
        assert_int_equal(t->n_steps, integer(row, "warp_insts"));
        assert_int_equal(threads, integer(row, "thread_insts"));
        assert_int_equal(t->file_bytes, integer(row, "bytes"));
        assert_int_equal(t->launch.regs_per_thread, integer(row, "regs"));
        assert_int_equal(i == 1 ? 8 : 4, t->launch.n_ctas);
        trace_close(t);
    }
    json_decref(rows);
}

static void a_trace_holds_the_addresses_that_the_program_used(void **state)
{
    (void)state;
    json_t *rows = launches("a");
    struct trace *t = open_launch("a", json_array_get(rows, 0));
    const struct trace_warp *w = &t->warps[1];
    const uint32_t *access = t->accesses + w->first_access;
    uint64_t addresses[TRACE_LANES], lowest[3];
    int globals = 0;
    for (uint64_t k = w->first_step; k < w->first_step + w->n_steps; k++) {
        const struct trace_inst *inst = &t->code[t->steps[k].inst];
        if (inst->cls != TRACE_LOAD && inst->cls != TRACE_STORE) continue;
        access += trace_access_decode(access, t->steps[k].mask, addresses);
        if (inst->space != TRACE_SPACE_GLOBAL) continue;
        assert_int_equal(UINT32_MAX, t->steps[k].mask);
        assert_int_equal(4, inst->bytes);
        for (uint32_t l = 1; l < TRACE_LANES; l++) assert_true(addresses[l] == addresses[0] + 4 * l);
        lowest[globals++] = addresses[0];
    }
    assert_int_equal(3, globals); /* two loads and a store, in warp 1: 128 bytes into each array of 4000 bytes + gap */
    assert_true((lowest[0] & 0xffff000000000000) == 0 && lowest[0] >= 0x7f0000000000u);
    assert_int_equal(4352, lowest[1] - lowest[0]);
    assert_int_equal(4352, lowest[2] - lowest[1]);
    trace_close(t);
    json_decref(rows);
}

static void two_runs_give_the_same_hashes_wherever_memory_is_mapped(void **state)
{
    (void)state;
    assert_int_equal(0, run_program("b", NULL, NULL));
    json_t *a = launches("a"), *b = launches("b");
    assert_true(json_equal(a, b));
    assert_string_not_equal(string(json_array_get(a, 0), "hash"), string(json_array_get(a, 1), "hash"));
    json_decref(a);
    json_decref(b);
}

static void provenance_names_program_arguments_and_compiler(void **state)
{
    (void)state;
    json_t *rows = launches("a");
    struct trace *t = open_launch("a", json_array_get(rows, 2));
    json_t *p = json_loads(t->provenance, 0, NULL);
    assert_non_null(p);
    assert_string_equal("cuda_three_launches", string(p, "program"));
    assert_int_equal(2, json_array_size(json_object_get(p, "args")));
    assert_string_equal("--second-argument", json_string_value(json_array_get(json_object_get(p, "args"), 1)));
    assert_int_equal(2, integer(p, "launch_index"));
    assert_string_equal("scale", string(p, "kernel"));
    assert_string_equal("Debian clang version 14.0.6", string(p, "compiler"));
    assert_string_equal("3.2", string(p, "ptx_version"));
    assert_string_equal("sm_35", string(p, "ptx_target"));
    assert_int_equal(32, strlen(string(p, "ptx_hash")));
    assert_non_null(strstr(string(p, "flags"), "--cuda-gpu-arch=sm_35"));
    json_decref(p);
    trace_close(t);
    json_decref(rows);
}

static void launches_beyond_the_limit_run_but_are_not_recorded(void **state)
{
    (void)state;
    assert_int_equal(0, run_program("c", "POISE_TRACE_MAX_LAUNCHES", "1"));
    json_t *rows = launches("c");
    assert_int_equal(3, json_array_size(rows));
    assert_string_equal("0000-vector_add.ptrace", string(json_array_get(rows, 0), "file"));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "file")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "hash")));
    assert_true(integer(json_array_get(rows, 2), "warp_insts") > 0);
    json_decref(rows);
    assert_int_equal(0, run_program("d", "POISE_TRACE_SKIP", "2"));
    rows = launches("d");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "file")));
    assert_string_equal("0002-scale.ptrace", string(json_array_get(rows, 2), "file"));
    json_decref(rows);
    assert_int_equal(1, run_program("e", "POISE_TRACE_SKIP", "two"));
    setenv("POISE_TRACE_END", "1", 1); /* the program ends behind the one that is wanted */
    assert_int_equal(0, run_program("f", "POISE_TRACE_MAX_LAUNCHES", "1"));
    unsetenv("POISE_TRACE_END");
    rows = launches("f");
    assert_int_equal(1, json_array_size(rows));
    trace_close(open_launch("f", json_array_get(rows, 0)));
    json_decref(rows);
}

static int make_folder(void **state) { return (void)state, mkdtemp(folder) ? 0 : -1; }
static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_launches_leave_3_traces_and_3_lines),
        cmocka_unit_test(a_trace_holds_the_addresses_that_the_program_used),
        cmocka_unit_test(two_runs_give_the_same_hashes_wherever_memory_is_mapped),
        cmocka_unit_test(provenance_names_program_arguments_and_compiler),
        cmocka_unit_test(launches_beyond_the_limit_run_but_are_not_recorded),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
