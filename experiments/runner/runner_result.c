/* The result of a run from the simulator, as bytes between processes of one build, and as texts of the store. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/runner_internal.h"

struct head {
    struct error err;
    struct gpu_estimate estimate;
    uint64_t stats_size, text_size;
    bool complete;
};

int bytes_reserve(struct bytes *b, size_t more)
{
    if (b->capacity - b->n >= more) return 0;
    const size_t capacity = b->n + more + 65536;
    char *data = realloc(b->data, capacity);
    if (!data) return -1;
    b->data = data;
    b->capacity = capacity;
    return 0;
}

static void append(struct bytes *b, const void *data, size_t size)
{
    memcpy(b->data + b->n, data, size);
    b->n += size;
}

/* CPU programs beside the kernel, as one more element of `mechs`: a run of the store has no other place for it. */
static json_t *programs_json(const struct gpu_cpu_result *cpu)
{
    json_t *cores = json_array();
    for (unsigned i = 0; i < cpu->n; i++)
        json_array_append_new(cores, json_pack("{s:I,s:I,s:I,s:O}", "cycles", (json_int_t)cpu->cycles[i], "runs",
                                               (json_int_t)cpu->runs[i], "insts", (json_int_t)cpu->insts[i], "stats",
                                               cpu->stats[i]));
    return json_pack("{s:s,s:{},s:{s:I,s:I},s:o}", "name", "cpu", "params", "stats", "gpu_cycles",
                     (json_int_t)cpu->gpu_cycles, "gpu_runs", (json_int_t)cpu->gpu_runs, "cores", cores);
}

void result_take(struct run_result *out, struct gpu_result *from)
{
    out->err.code = ERR_NONE;
    out->complete = from->complete;
    out->estimate = from->estimate;
    out->stats = malloc(gpu_stat_table.size);
    if (out->stats) memcpy(out->stats, from->stats, gpu_stat_table.size);
    else error_set(&out->err, ERR_MEMORY, "out of memory for statistics");
    out->mechs = json_array();
    for (unsigned i = 0; i < from->n_mechs; i++) json_array_append(out->mechs, from->mechs[i]);
    if (from->sampled) json_array_append(out->mechs, from->sampled);
    if (from->cpu.n) json_array_append_new(out->mechs, programs_json(&from->cpu));
    if (from->phases) json_array_append(out->mechs, from->phases);
    if (from->n_launches) json_array_append_new(out->mechs, beside_json(from));
}

int result_pack(struct bytes *out, const struct run_result *r)
{
    const bool is_good = r->err.code == ERR_NONE;
    char *text = is_good ? json_dumps(r->mechs, JSON_COMPACT) : NULL;
    struct head head = {.err = r->err, .estimate = r->estimate, .complete = r->complete};
    if (is_good && !text) return -1;
    head.stats_size = is_good ? gpu_stat_table.size : 0;
    head.text_size = text ? strlen(text) : 0;
    const int result = bytes_reserve(out, sizeof head + head.stats_size + head.text_size);
    if (result == 0) {
        append(out, &head, sizeof head);
        if (is_good) append(out, r->stats, head.stats_size);
        if (is_good) append(out, text, head.text_size);
    }
    free(text);
    return result;
}

void result_unpack(struct run_result *out, const char *data, size_t size)
{
    struct head head;
    if (size < sizeof head) {
        error_set(&out->err, ERR_RUN, "a result of %zu bytes came, which is none", size);
        return;
    }
    memcpy(&head, data, sizeof head);
    out->err = head.err;
    if (head.err.code != ERR_NONE) return;
    if (head.stats_size != gpu_stat_table.size || size != sizeof head + head.stats_size + head.text_size) {
        error_set(&out->err, ERR_RUN, "a result of %zu bytes came, cut short or of another build", size);
        return;
    }
    out->complete = head.complete;
    out->estimate = head.estimate;
    out->stats = malloc(head.stats_size);
    out->mechs = json_loadb(data + sizeof head + head.stats_size, head.text_size, 0, NULL);
    if (out->stats) memcpy(out->stats, data + sizeof head, head.stats_size);
    if (!out->stats || !out->mechs) error_set(&out->err, ERR_MEMORY, "out of memory for statistics");
}

/* ---- the store's texts ---- */

enum { DECIMALS_MAX = 20 }; /* of 64 bits */

static char *put_decimals(char *to, uint64_t value)
{
    char digits[DECIMALS_MAX];
    size_t n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n) *to++ = digits[--n];
    return to;
}

/* By hand: a profile writes 87 counters for every few milliseconds of simulation. */
char *stats_to_json(const struct gpu_stats *stats)
{
    size_t size = 3;
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) size += strlen(gpu_stat_table.rows[i].name) + DECIMALS_MAX + 4;
    char *text = malloc(size), *to = text;
    if (!text) return NULL;
    *to++ = '{';
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) {
        if (i) *to++ = ',';
        *to++ = '"';
        to = stpcpy(to, gpu_stat_table.rows[i].name);
        *to++ = '"';
        *to++ = ':';
        to = put_decimals(to, stats_get(&gpu_stat_table.rows[i], stats));
    }
    memcpy(to, "}", 2);
    return text;
}

struct gpu_stats *stats_from_json(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    char *stats = json_is_object(json) ? calloc(1, gpu_stat_table.size) : NULL;
    for (size_t i = 0; stats && i < gpu_stat_table.n_rows; i++) {
        const struct stat_row *row = &gpu_stat_table.rows[i];
        *(uint64_t *)(void *)(stats + row->offset) = (uint64_t)json_integer_value(json_object_get(json, row->name));
    }
    json_decref(json);
    return (struct gpu_stats *)(void *)stats;
}

struct gpu_stats *stats_of_launch(const struct run_result *result, uint64_t warp_insts)
{
    char *stats = malloc(gpu_stat_table.size);
    if (!stats) return NULL;
    memcpy(stats, result->stats, gpu_stat_table.size);
    const double insts = gpu_stats_value(result->stats, "warp_insts");
    for (size_t i = 0; i < gpu_stat_table.n_rows && result->estimate.cycles > 0 && insts > 0; i++) {
        const struct stat_row *row = &gpu_stat_table.rows[i];
        uint64_t *value = (uint64_t *)(void *)(stats + row->offset);
        if (strcmp(row->name, "core_cycles") == 0) *value = (uint64_t)llround(result->estimate.cycles);
        else if (row->kind == STAT_SUM) *value = (uint64_t)llround((double)*value * (double)warp_insts / insts);
    }
    return (struct gpu_stats *)(void *)stats;
}

void measure_stats(struct measure *out, const struct gpu_stats *stats)
{
    struct feature_counters c;
    gpu_stats_features(stats, &c);
    *out = (struct measure){.cycles = (uint64_t)gpu_stats_value(stats, "core_cycles"),
                            .warp_insts = c.insts,
                            .line_requests = (uint64_t)gpu_stats_value(stats, "line_requests"),
                            .l1_accesses = c.l1_accesses,
                            .l1_hits = c.l1_hits,
                            .latency_sum = c.miss_latency_sum,
                            .latency_count = c.miss_count};
}

int config_hash(const struct gpu_params *params, char out[HASH_TEXT_SIZE], char **json, struct error *err)
{
    json_t *object = gpu_params_json(params);
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    const struct hash hash = hash_bytes(text, strlen(text));
    hash_text(&hash, out);
    if (json) *json = text;
    else free(text);
    return 0;
}

/* The program's own bytes: a version number says too little of which build this is. */
const char *runner_build(struct runner *runner)
{
    char part[4096];
    if (*runner->build) return runner->build;
    snprintf(runner->build, sizeof runner->build, "unknown");
    FILE *in = fopen("/proc/self/exe", "rbe");
    struct hasher *hasher = in ? hasher_new() : NULL;
    if (hasher) {
        for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;) hasher_add(hasher, part, n);
        const struct hash hash = hasher_finish(hasher);
        hash_text(&hash, runner->build);
    }
    if (in) fclose(in);
    return runner->build;
}

/* The element of `mechs` of this name. */
static const json_t *element(const struct run_result *result, const char *called)
{
    const json_t *mech;
    size_t i;
    json_array_foreach(result->mechs, i, mech) {
        const char *name = json_string_value(json_object_get(mech, "name"));
        if (name && strcmp(name, called) == 0) return mech;
    }
    return NULL;
}

const json_t *run_result_sampled(const struct run_result *result) { return element(result, GPU_SAMPLED); }
const json_t *run_result_phases(const struct run_result *result) { return element(result, GPU_PHASES); }

void run_result_fini(struct run_result *result)
{
    free(result->stats);
    json_decref(result->mechs);
    memset(result, 0, sizeof *result);
}

int run_job_tuple(struct run_job *job, uint32_t N, uint32_t p, struct error *err)
{
    char text[64];
    snprintf(text, sizeof text, "tuple,N=%u,p=%u", (unsigned)N, (unsigned)p);
    if (mech_parse(&job->stack[0], text, err) < 0) return -1;
    job->n_stack = 1;
    return 0;
}

void run_job_fini(struct run_job *job)
{
    for (unsigned i = 0; i < job->n_stack; i++) mech_free(&job->stack[i]);
    job->n_stack = 0;
    run_result_fini(&job->result);
}
