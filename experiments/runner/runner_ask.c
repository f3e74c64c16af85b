/* What the store knows of a batch's runs. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "runner/runner_internal.h"

/* A deadlock is a property of the run and is kept, a crash one of the run and the build; other failures (memory, files)
 * are tried again. */
static bool is_final(struct runner *runner, const struct store_run *row)
{
    if (row->code != ERR_CRASH) return row->code == ERR_NONE || row->code == ERR_DEADLOCK;
    json_t *limits = json_loads(row->limits, 0, NULL);
    const char *build = json_string_value(json_object_get(limits, "build"));
    const bool is = build && strcmp(build, runner_build(runner)) == 0;
    json_decref(limits);
    return is;
}

static int result_from_row(struct run_result *out, const struct store_run *row, struct error *err)
{
    *out = (struct run_result){.is_done = true, .is_reused = true, .complete = row->complete};
    json_t *limits = json_loads(row->limits, 0, NULL);
    out->estimate = (struct gpu_estimate){json_number_value(json_object_get(limits, "estimated_cycles")),
                                          json_number_value(json_object_get(limits, "estimate_error"))};
    json_decref(limits);
    out->stats = stats_from_json(row->stats);
    out->mechs = json_loads(row->mechs, 0, NULL);
    if (!out->stats || !out->mechs) {
        free(out->stats);
        json_decref(out->mechs);
        *out = (struct run_result){0};
        return error_set(err, ERR_INPUT, "run %s: its row in the store cannot be read", row->key);
    }
    if (row->code != ERR_NONE) error_set(&out->err, row->code, "%s", row->message);
    return 0;
}

enum { CRASHES_TOLD = 5 };
static void tell_crash(struct batch *b, size_t i, const struct store_run *row)
{
    if (b->runner->options.progress && b->n_crashed++ < CRASHES_TOLD)
        fprintf(b->runner->options.progress,
                "%s: run %s: this build crashed on it, so it is skipped ('poise store gc' forgets it): %s\n",
                store_path(b->runner->store), b->jobs[i].launch->label, row->message);
}

static int ask_for(struct batch *b, size_t i, const struct hash *key, bool is_first, struct error *err)
{
    char text[HASH_TEXT_SIZE];
    struct store_run row;
    hash_text(key, text);
    const int found = b->runner->store ? store_get(b->runner->store, text, &row, err) : 0;
    if (found < 0) return -1;
    if (found == 0 && is_first && b->runner->store && row.is_damaged && b->runner->options.progress)
        fprintf(b->runner->options.progress,
                "%s: run %s: its row does not match its checksum: it counts as missing and is simulated again\n",
                store_path(b->runner->store), text);
    if (found == 0) return 0;
    int result = 0;
    const bool is_known = is_final(b->runner, &row), has_failed = row.code != ERR_NONE,
               is_new = !is_first && has_failed && row.seconds != b->seen[i];
    if ((is_known || is_new) && (b->jobs[i].is_profile || !strstr(row.stats, "\"" STORE_PROFILE_ONLY "\"")))
        result = result_from_row(&b->jobs[i].result, &row, err);
    else if (has_failed && is_first) b->seen[i] = row.seconds;
    if (is_known && is_first && row.code == ERR_CRASH) tell_crash(b, i, &row);
    store_run_fini(&row);
    return result;
}

int batch_ask_store(struct batch *b, size_t i, bool is_first, struct error *err)
{
    struct run_job *job = &b->jobs[i];
    if (ask_for(b, i, &job->key, is_first, err) < 0) return -1;
    if (job->result.is_done || !job->bound_cycles) return 0;
    const struct hash key = bounded_key(job);
    if (ask_for(b, i, &key, is_first, err) < 0) return -1;
    job->result.is_bounded = job->result.is_done && !job->result.complete;
    return 0;
}
