/* Where a trace comes from: program, arguments, compiler. Not part of its identity. */
#include "driver/shim.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The rest of the first line that starts with `key`, into out. */
static void line_after(char *out, size_t size, const char *text, size_t n, const char *key)
{
    const size_t n_key = strlen(key);
    for (size_t at = 0; at < n;) {
        const char *line = text + at, *end = memchr(line, '\n', n - at);
        const size_t length = end ? (size_t)(end - line) : n - at;
        if (length > n_key && memcmp(line, key, n_key) == 0) {
            size_t from = n_key, to = length;
            while (from < to && (line[from] == ' ' || line[from] == '\t')) from++;
            while (to > from && (line[to - 1] == ' ' || line[to - 1] == '\t' || line[to - 1] == '\r')) to--;
            snprintf(out, size, "%.*s", (int)(to - from), line + from);
            return;
        }
        at += length + 1;
    }
    out[0] = '\0';
}

void provenance_of_module(struct CUmod_st *m, const char *text, size_t size)
{
    m->ptx_hash = hash_bytes(text, size);
    line_after(m->compiler, sizeof m->compiler, text, size, "// compiler:");
    line_after(m->flags, sizeof m->flags, text, size, "// flags:");
    line_after(m->version, sizeof m->version, text, size, ".version");
    line_after(m->target, sizeof m->target, text, size, ".target");
}

/* The program's name without its folder, and its arguments. */
static json_t *command_line(char *program, size_t size)
{
    char text[8192];
    json_t *args = json_array();
    snprintf(program, size, "?");
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return args;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return args;
    text[n] = '\0';
    const char *slash = strrchr(text, '/');
    snprintf(program, size, "%.255s", slash ? slash + 1 : text);
    for (ssize_t at = (ssize_t)strlen(text) + 1; at < n; at += (ssize_t)strlen(text + at) + 1) {
        json_t *arg = json_string(text + at);
        json_array_append_new(args, arg ? arg : json_string("(not UTF-8)"));
    }
    return args;
}

char *provenance_text(const struct shim *s, const struct CUfunc_st *f, const struct service_call *call)
{
    char program[256], hash[HASH_TEXT_SIZE];
    const struct CUmod_st *m = f->module;
    json_t *args = command_line(program, sizeof program);
    hash_text(&m->ptx_hash, hash);
    json_t *json = json_pack("{s:s, s:o, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:I}", "program", program,
                             "args", args, "launch_index", (json_int_t)s->recorder.launches, "kernel", f->info->name,
                             "regs_source", f->info->regs_source, "ptx_hash", hash, "ptx_version", m->version,
                             "ptx_target", m->target, "compiler", m->compiler, "flags", m->flags, "recorder_version", 1,
                             "device", s->device.name, "device_sms", (json_int_t)s->device.sms);
    if (json && call->strays) { /* absent from what stays within its allocations */
        json_object_set_new(json, "outside_allocations", json_integer((json_int_t)call->strays));
        json_object_set_new(json, "first_outside", json_string(call->first_stray));
    }
    if (json && s->recorder.turn_insts)
        json_object_set_new(json, "turn_insts", json_integer((json_int_t)s->recorder.turn_insts));
    if (json && s->n_skipped) { /* the program's work is not all in traces */
        json_t *calls = json_object();
        for (size_t i = 0; i < s->n_skipped; i++)
            json_object_set_new(calls, s->skipped[i].function, json_integer((json_int_t)s->skipped[i].calls));
        json_object_set_new(json, "skipped_calls", calls);
    }
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}
