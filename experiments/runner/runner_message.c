#include "runner/runner_message.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/mech.h"
#include "poise/plugin.h"
#include "poise/table.h"

char *message_options(uint64_t batch, const struct runner_options *o)
{
    json_t *json =
        json_pack("{s:I,s:i,s:s?,s:f,s:I,s:I,s:o}", "batch", (json_int_t)batch, "threads", (int)o->threads,
                  "decoded_dir", o->decoded_dir, "timeout_s", o->timeout_s, "memory_mib", (json_int_t)o->memory_mib,
                  "plan_bytes_max", (json_int_t)o->plan_bytes_max, "plugins", plugins_json());
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

static json_t *stack_json(const struct run_job *job)
{
    json_t *stack = json_array();
    for (unsigned i = 0; i < job->n_stack; i++) {
        const struct param_table *table = mech_params(job->stack[i].type);
        json_t *params = json_object();
        for (size_t k = 0; k < table->n_rows; k++) {
            char text[PARAM_TEXT_MAX];
            json_object_set_new(params, table->rows[k].name,
                                json_string(params_text(&table->rows[k], job->stack[i].params, text, sizeof text)));
        }
        json_array_append_new(stack, json_pack("{s:s,s:o}", "name", mech_name(job->stack[i].type), "params", params));
    }
    return stack;
}

char *message_run(const struct run_job *job, uint64_t batch, uint64_t number, size_t config)
{
    char trace[HASH_TEXT_SIZE], key[HASH_TEXT_SIZE];
    const struct launch *l = job->launch;
    hash_text(&l->hash, trace);
    hash_text(&job->key, key);
    json_t *json =
        json_pack("{s:I,s:I,s:I,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:f,s:f,s:I,s:I,s:b,s:b,s:o}", "batch",
                  (json_int_t)batch, "number", (json_int_t)number, "config", (json_int_t)config, "key", key, "trace",
                  trace, "path", l->path, "label", l->label, "kernel", l->kernel, "warp_insts",
                  (json_int_t)l->warp_insts, "max_cycles", (json_int_t)job->limits.max_cycles, "max_insts",
                  (json_int_t)job->limits.max_insts, "bound_cycles", (json_int_t)job->bound_cycles, "early_end",
                  job->limits.early_end, "sample", job->limits.sample, "watchdog_cycles",
                  (json_int_t)job->limits.watchdog_cycles, "warmup_cycles", (json_int_t)job->limits.warmup_cycles,
                  "no_skip", (int)job->limits.no_skip, "isolated", (int)job->is_isolated, "mechs", stack_json(job));
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

static uint64_t whole(const json_t *json, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(json, key));
}

static const char *text_of(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    return text ? text : "";
}

int message_read_options(struct runner_options *out, uint64_t *batch, char **decoded_dir, const char *text, size_t size,
                         struct error *err)
{
    json_t *json = json_loadb(text, size, 0, NULL);
    const char *dir = json_string_value(json_object_get(json, "decoded_dir"));
    *out = (struct runner_options){.threads = (unsigned)whole(json, "threads"),
                                   .timeout_s = json_number_value(json_object_get(json, "timeout_s")),
                                   .memory_mib = whole(json, "memory_mib"),
                                   .plan_bytes_max = whole(json, "plan_bytes_max")};
    *batch = whole(json, "batch");
    *decoded_dir = dir ? strdup(dir) : NULL;
    out->decoded_dir = *decoded_dir;
    const int result = json ? plugins_load_json(json_object_get(json, "plugins"), err)
                            : error_set(err, ERR_RUN, "a message with options of %zu bytes cannot be read", size);
    json_decref(json);
    return result;
}

static int read_stack(struct run_job *job, const json_t *stack, struct error *err)
{
    size_t i;
    json_t *mech, *value;
    json_array_foreach(stack, i, mech) {
        const struct mech_type *type = mech_find(text_of(mech, "name"));
        const char *key;
        if (!type || job->n_stack == MECH_STACK_MAX)
            return error_set(err, ERR_RUN, "no mechanism '%s' here", text_of(mech, "name"));
        if (mech_new(&job->stack[job->n_stack], type, err) < 0) return -1;
        job->n_stack++;
        json_object_foreach(json_object_get(mech, "params"), key, value)
            if (*json_string_value(value) &&
                mech_set(&job->stack[job->n_stack - 1], key, json_string_value(value), err) < 0)
                return -1;
    }
    return 0;
}

static int read_hash(struct hash *out, const char *text)
{
    for (size_t i = 0; i < sizeof out->bytes; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return -1;
        out->bytes[i] = (uint8_t)byte;
    }
    return 0;
}

static int read_run(struct assignment *a, struct gpu_params *const *configs, size_t n_configs, const json_t *json,
                    struct error *err)
{
    struct hash expected;
    struct run_job *job = &a->job;
    const uint64_t config = whole(json, "config");
    a->launch.size = a->launch.input = -1;
    snprintf(a->launch.path, sizeof a->launch.path, "%s", text_of(json, "path"));
    snprintf(a->launch.label, sizeof a->launch.label, "%s", text_of(json, "label"));
    snprintf(a->launch.kernel, sizeof a->launch.kernel, "%s", text_of(json, "kernel"));
    a->launch.warp_insts = whole(json, "warp_insts");
    job->launch = &a->launch;
    job->limits = (struct gpu_limits){.max_cycles = whole(json, "max_cycles"),
                                      .max_insts = whole(json, "max_insts"),
                                      .watchdog_cycles = whole(json, "watchdog_cycles"),
                                      .warmup_cycles = whole(json, "warmup_cycles"),
                                      .no_skip = json_is_true(json_object_get(json, "no_skip"))};
    job->limits.early_end = json_number_value(json_object_get(json, "early_end"));
    job->limits.sample = json_number_value(json_object_get(json, "sample"));
    job->bound_cycles = whole(json, "bound_cycles");
    job->is_isolated = json_is_true(json_object_get(json, "isolated"));
    if (config >= n_configs || read_hash(&a->launch.hash, text_of(json, "trace")) < 0 ||
        read_hash(&expected, text_of(json, "key")) < 0)
        return error_set(err, ERR_RUN, "a message of a run cannot be read");
    job->params = configs[config];
    if (read_stack(job, json_object_get(json, "mechs"), err) < 0 ||
        gpu_run_key(&job->key, &a->launch.hash, job->params, job->stack, job->n_stack, &job->limits, err) < 0)
        return -1;
    if (memcmp(&expected, &job->key, sizeof expected) == 0) return 0;
    error_set(err, ERR_RUN, "%s: the key of this run is another one here", a->launch.label);
    return error_at(err, NULL, 0, -1, "all ranks must run the same program and see the same files");
}

int message_read_run(struct assignment **out, struct gpu_params *const *configs, size_t n_configs, const char *text,
                     size_t size, struct error *err)
{
    json_t *json = json_loadb(text, size, 0, NULL);
    *out = json ? calloc(1, sizeof **out) : NULL;
    if (!*out) {
        json_decref(json);
        return error_set(err, ERR_RUN, "a message of %zu bytes cannot be read", size);
    }
    (*out)->batch = whole(json, "batch");
    (*out)->number = whole(json, "number");
    const int result = read_run(*out, configs, n_configs, json, err);
    json_decref(json);
    return result;
}

void assignment_free(struct assignment *a)
{
    if (!a) return;
    run_job_fini(&a->job);
    free(a);
}
