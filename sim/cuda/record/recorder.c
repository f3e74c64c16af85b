/* Recording: a trace file for each launch and one line about it in launches.jsonl. */
#include "driver/shim.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/number.h"
#include "poise/threads.h"

/* A launch that is recorded ends here where nobody gave a limit: a kernel that never ends would fill the disk. */
#define RECORDED_LAUNCH_INSTS ((uint64_t)1000000000)

static int number_from(const char *variable, uint64_t *value, struct error *err)
{
    const char *text = getenv(variable);
    if (!text || !*text) return 0;
    if (!whole_parse(text, 0, UINT64_MAX, value))
        return error_set(err, ERR_INPUT, "%s = %s is not a whole number below 2^64", variable, text);
    return 0;
}

static int kernels_from(const char *variable, struct recorder *r, struct error *err)
{
    const char *text = getenv(variable);
    if (!text || !*text) return 0;
    if (regcomp(&r->kernels, text, REG_EXTENDED | REG_NOSUB) != 0)
        return error_set(err, ERR_INPUT, "%s = %s is not an extended regular expression", variable, text);
    r->has_kernels = true;
    return 0;
}

/* An empty folder is hardly what was asked for. */
static void tell_if_nothing_was_recorded(void)
{
    struct shim *s = shim_try_lock();
    if (!s) return;
    const uint64_t launches = s->recorder.launches;
    const bool is_empty = launches && !s->recorder.recorded_insts && !s->recorder.has_failed;
    char text[320];
    shim_unlock(s, CUDA_SUCCESS);
    if (!is_empty) return;
    snprintf(text, sizeof text,
             "no launch was recorded: --kernels, --launches and --max-insts (POISE_TRACE_KERNELS, POISE_TRACE_SKIP, "
             "POISE_TRACE_MAX_LAUNCHES, POISE_TRACE_MAX_INSTS) leave out all %llu of them",
             (unsigned long long)launches);
    shim_tell(text);
}

/* Reads the environment once, at the first launch, and starts an empty launches.jsonl. */
static int configure(struct recorder *r, struct error *err)
{
    char path[4096];
    const char *folder = getenv("POISE_TRACE_DIR");
    bool is_asked;
    r->max = r->max_insts = r->max_warp_insts = UINT64_MAX;
    r->max_idle_insts = PTX_IDLE_INSTS;
    if (number_from("POISE_TRACE_SKIP", &r->skip, err) < 0 ||
        number_from("POISE_TRACE_MAX_LAUNCHES", &r->max, err) < 0 ||
        number_from("POISE_TRACE_MAX_INSTS", &r->max_insts, err) < 0 ||
        number_from("POISE_MAX_IDLE_INSTS", &r->max_idle_insts, err) < 0 ||
        number_from("POISE_TURN_INSTS", &r->turn_insts, err) < 0 ||
        number_from("POISE_MAX_WARP_INSTS", &r->max_warp_insts, err) < 0 ||
        kernels_from("POISE_TRACE_KERNELS", r, err) < 0 || host_threads(&r->threads, &is_asked, err) < 0)
        return -1;
    /* A program whose CTAs store all over memory takes twice as long on two threads: who asks for them gets them,
     * others where they are seen to be faster. */
    r->cta_threads = r->threads;
    r->threads_if_faster = !is_asked;
    const char *progress = getenv("POISE_PROGRESS"), *ends = getenv("POISE_TRACE_END");
    r->ends_program = ends && strcmp(ends, "1") == 0;
    if (progress && strcmp(progress, "1") == 0) launch_progress_begin(&r->progress);
    if (folder && *folder) {
        if ((size_t)snprintf(r->folder, sizeof r->folder, "%s", folder) >= sizeof r->folder)
            return error_set(err, ERR_INPUT, "POISE_TRACE_DIR is too long");
        snprintf(path, sizeof path, "%s/launches.jsonl", r->folder);
        if (file_make_folders(r->folder, err) < 0 || file_write(path, "", 0, err) < 0) return -1;
        r->on = true;
        atexit(tell_if_nothing_was_recorded);
    }
    const char *orders = getenv("POISE_ATOMIC_ORDER");
    if (orders && *orders && r->on)
        return error_set(err, ERR_INPUT,
                         "POISE_ATOMIC_ORDER and POISE_TRACE_DIR: what follows an order is not recorded");
    if (orders && (size_t)snprintf(r->orders, sizeof r->orders, "%s", orders) >= sizeof r->orders)
        return error_set(err, ERR_INPUT, "POISE_ATOMIC_ORDER is too long");
    if (r->max_idle_insts == 0) r->max_idle_insts = UINT64_MAX;
    if (r->max_warp_insts == UINT64_MAX) r->max_warp_insts = r->on ? RECORDED_LAUNCH_INSTS : 0;
    r->configured = true;
    return 0;
}

/* A file name from a kernel name, which may be mangled or long. */
static void file_name(char *out, size_t size, uint64_t index, const char *kernel)
{
    char plain[96];
    size_t n = 0;
    for (; kernel[n] && n + 1 < sizeof plain; n++)
        plain[n] = isalnum((unsigned char)kernel[n]) || kernel[n] == '_' ? kernel[n] : '_';
    plain[n] = '\0';
    snprintf(out, size, "%04llu-%s.ptrace", (unsigned long long)index, plain);
}

int recorder_begin(struct recorder *r, struct recording *rec, const struct CUfunc_st *f, const struct ptx_grid *grid,
                   struct error *err)
{
    memset(rec, 0, sizeof *rec);
    if (!r->configured && configure(r, err) < 0) return -1;
    if (!r->on || r->launches < r->skip || r->launches - r->skip >= r->max || r->recorded_insts >= r->max_insts)
        return 0;
    if (r->has_kernels && regexec(&r->kernels, f->info->name, 0, NULL, 0) != 0) return 0;
    const struct trace_inst *code;
    const char *strings;
    size_t n_strings;
    uint32_t n_code;
    struct trace_launch launch = function_launch(f, grid);
    ptx_kernel_code(f->kernel, &code, &n_code, &strings, &n_strings, &launch.n_regs);
    const int n = snprintf(rec->path, sizeof rec->path, "%s/", r->folder);
    file_name(rec->path + n, sizeof rec->path - (size_t)n, r->launches, f->info->name);
    rec->file = rec->path + n;
    if (trace_writer_new(&rec->writer, f->info->name, &launch, code, n_code, strings, n_strings, err) < 0) return -1;
    trace_writer_threads(rec->writer, r->threads);
    return 0;
}

static json_t *launch_line(const struct recorder *r, const struct recording *rec, const struct CUfunc_st *f,
                           const struct ptx_grid *grid, const struct ptx_counts *counts, const struct trace *trace)
{
    char hash[HASH_TEXT_SIZE] = "";
    if (trace) hash_text(&trace->hash, hash);
    return json_pack("{s:I, s:s, s:o, s:o, s:[I,I,I], s:[I,I,I], s:I, s:s, s:I, s:I, s:I, s:I}", "index",
                     (json_int_t)r->launches, "kernel", f->info->name, "file",
                     trace ? json_string(rec->file) : json_null(), "hash", trace ? json_string(hash) : json_null(),
                     "grid", (json_int_t)grid->grid[0], (json_int_t)grid->grid[1], (json_int_t)grid->grid[2], "block",
                     (json_int_t)grid->block[0], (json_int_t)grid->block[1], (json_int_t)grid->block[2], "regs",
                     (json_int_t)f->info->regs_per_thread, "regs_source", f->info->regs_source, "shared_bytes",
                     (json_int_t)(f->info->static_shared_bytes + grid->dynamic_shared_bytes), "warp_insts",
                     (json_int_t)counts->warp_insts, "thread_insts", (json_int_t)counts->thread_insts, "bytes",
                     (json_int_t)(trace ? trace->file_bytes : 0));
}

static int append_line(const struct recorder *r, json_t *line, struct error *err)
{
    char path[4096];
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text) return error_set(err, ERR_MEMORY, "no memory for a line of launches.jsonl");
    snprintf(path, sizeof path, "%s/launches.jsonl", r->folder);
    FILE *out = fopen(path, "ae");
    const bool written = out && fprintf(out, "%s\n", text) > 0;
    const int why = errno;
    free(text);
    if (out && fclose(out) != 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    return written ? 0 : error_set(err, ERR_IO, "%s: %s", path, strerror(why));
}

/* What the program would do at its exit may wait for this launch, so nothing of it runs. */
static void end_program_if_done(const struct recorder *r)
{
    if (!r->on || !r->ends_program || r->launches < r->skip || r->launches - r->skip < r->max) return;
    fflush(NULL);
    _exit(0);
}

int recorder_end(const struct service_call *call, struct recording *rec, const struct CUfunc_st *f,
                 const struct ptx_grid *grid, const struct ptx_counts *counts, struct error *err)
{
    struct recorder *r = &call->shim->recorder;
    struct trace *trace = NULL;
    int result = 0;
    if (rec->writer) {
        char *provenance = provenance_text(call->shim, f, call);
        if (provenance) {
            result = trace_writer_finish(rec->writer, rec->path, provenance, &trace, err);
        } else {
            trace_writer_free(rec->writer);
            result = error_set(err, ERR_MEMORY, "no memory for the provenance");
        }
        free(provenance);
    }
    if (result == 0 && r->on) {
        json_t *line = launch_line(r, rec, f, grid, counts, trace);
        if (line && call->strays)
            json_object_set_new(line, "outside_allocations", json_integer((json_int_t)call->strays));
        result = append_line(r, line, err);
    }
    if (trace) r->recorded_insts += counts->warp_insts;
    trace_close(trace);
    r->launches++;
    r->has_failed |= result < 0; /* and the error says why */
    if (result == 0) end_program_if_done(r);
    return result;
}
