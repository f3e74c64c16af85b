/* poise repro tech-7 over one program: profile, marking and runs with L2 kept between launches. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include <unistd.h>
#include "poise/file.h"

static void a_program_is_profiled_marked_and_run_and_shards_are_refused(void **state)
{
    (void)state;
    static const char registry[] = "schema: 1\nworkloads:\n"
                                   "  - {name: hotspot, suite: rodinia, set: further, program: hotspot}\n";
    char root[64], path[128], text[256];
    struct error err;
    json_error_t why;
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(path, sizeof path, "%s/list.yaml", root);
    assert_ok(file_write(path, registry, sizeof registry - 1, &err), &err);
    setenv("POISE_KERNELS", path, 1);
    snprintf(path, sizeof path, "%s/traces", root);
    setenv("POISE_TRACES", path, 1);
    snprintf(text, sizeof text, "repro tech-7 --mode quick --json --store %s/store.sqlite", root);
    const struct said *s = poise(root, text);
    if (s->status) fail_msg("%s", s->err);
    json_t *out = json_loads(s->out, 0, &why);
    assert_int_equal(json_integer_value(json_object_get(out, "points")), 56);
    size_t i, ours = 0;
    json_t *row;
    json_array_foreach(json_object_get(out, "rows"), i, row) ours += json_is_number(json_object_get(row, "ours"));
    assert_true(ours > 0);
    assert_true(json_array_size(json_object_get(out, "checks")) > 0);
    assert_true(json_array_size(json_object_get(out, "deviations")) > 0);
    json_decref(out);
    snprintf(path, sizeof path, "%s/marking-hotspot-768-KB-marked.json", root);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(path, sizeof path, "%s/marked-hotspot-768-KB-by-hand/0001.ptrace", root);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(text, sizeof text, "repro tech-7 --shard 1/2 --store %s/store.sqlite", root);
    assert_int_equal(poise(root, text)->status, 2);
    assert_int_equal(folder_remove(root), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_is_profiled_marked_and_run_and_shards_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
