#include "cli/trace_accelsim.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/output_names.h"
#include "poise/accelsim.h"
#include "poise/file.h"
#include "poise/say.h"
#include "poise/text.h"

enum { PATH_BYTES = 4096 };

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int join(char *out, const char *base, const char *file, struct error *err)
{
    const char *slash = strrchr(base, '/');
    if (snprintf(out, PATH_BYTES, "%.*s%s", slash ? (int)(slash - base + 1) : 0, base, file) < PATH_BYTES) return 0;
    return error_set(err, ERR_INPUT, "%s: this path is too long", file);
}

/* a/kernel-3.traceg.xz -> a/kernel-3.ptrace; the caller's to free() */
static char *trace_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strstr(base, ".trace");
    const int n = (int)(base - file) + (dot ? (int)(dot - base) : (int)strcspn(base, "."));
    char *name = NULL;
    return asprintf(&name, "%.*s.ptrace", n, file) < 0 ? NULL : name;
}

static int target(char *out, const char *dir, const char *name, struct error *err)
{
    if (snprintf(out, PATH_BYTES, "%s/%s", dir, name) < PATH_BYTES) return 0;
    return error_set(err, ERR_INPUT, "%s/%s: this path is too long", dir, name);
}

static int import_one(const char *from, const char *to, const struct accelsim_copy *copies, size_t n_copies,
                      json_t *json, struct error *err)
{
    const struct accelsim_import how = {.save_path = to, .copies = copies, .n_copies = n_copies};
    struct trace *trace;
    char shown[PATH_BYTES];
    if (accelsim_import(&trace, from, &how, err) < 0) return -1;
    if (json)
        json_array_append_new(json_object_get(json, "traces"),
                              json_pack("{s:s,s:s,s:I,s:I}", "file", to, "kernel", trace_kernel(trace), "warp_insts",
                                        (json_int_t)trace->n_steps, "bytes", (json_int_t)trace->file_bytes));
    else
        say_line(stderr, "%s: %s, %" PRIu64 " warp instructions, %" PRIu64 " bytes",
                 text_shown(to, shown, sizeof shown), trace_kernel(trace), trace->n_steps, trace->file_bytes);
    trace_close(trace);
    return 0;
}

/* Every kernel of the list has a file of its own. */
static int list_names(char **names, const struct accelsim_list *list, struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->commands[i].is_kernel && !(names[n++] = trace_name(list->commands[i].file)))
            return error_set(err, ERR_MEMORY, "out of memory for names");
    return output_names(names, n, err);
}

/* `names`: of the kernels, in the folder `out`; NULL: `out` is the file of the only one. */
static int import_all(const char *path, const struct accelsim_list *list, const char *out, char *const *names,
                      struct accelsim_copy *copies, json_t *json, struct error *err)
{
    size_t n = 0, n_copies = 0;
    int result = 0;
    for (size_t i = 0; i < list->n && result == 0; i++) {
        char from[PATH_BYTES], to[PATH_BYTES];
        if (!list->commands[i].is_kernel) {
            copies[n_copies++] = list->commands[i].copy;
            continue;
        }
        result = join(from, path, list->commands[i].file, err);
        if (result == 0 && names) result = target(to, out, names[n++], err);
        if (result == 0) result = import_one(from, names ? to : out, copies, n_copies, json, err);
        if (result < 0) error_while(err, "%s:%u", path, list->commands[i].line);
        n_copies = 0;
    }
    return result;
}

static int import_list(const char *path, const struct accelsim_list *list, const char *out, json_t *json,
                       struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) n += list->commands[i].is_kernel;
    if (n == 0) return error_set(err, ERR_INPUT, "%s: names no kernel", path);
    const bool is_file = n == 1 && !is_folder(out) && out[strlen(out) - 1] != '/';
    struct accelsim_copy *copies = calloc(list->n + 1, sizeof *copies);
    char **names = calloc(n, sizeof *names);
    int result = copies && names ? 0 : error_set(err, ERR_MEMORY, "%s: no memory", path);
    if (result == 0 && !is_file) result = list_names(names, list, err);
    if (result == 0 && !is_file) result = file_make_folders(out, err);
    if (result == 0) result = import_all(path, list, out, is_file ? NULL : names, copies, json, err);
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
    free(copies);
    return result;
}

/* One kernel file into a folder. */
static int import_into(const char *path, const char *dir, json_t *json, struct error *err)
{
    char to[PATH_BYTES], *name = trace_name(path);
    int result = name ? output_names(&name, 1, err) : error_set(err, ERR_MEMORY, "out of memory for a name");
    if (result == 0) result = target(to, dir, name, err);
    free(name);
    return result < 0 ? -1 : import_one(path, to, NULL, 0, json, err);
}

static bool is_list(const char *path)
{
    const size_t n = strlen(path);
    return n > 2 && strcmp(path + n - 2, ".g") == 0;
}

int trace_import(const struct texts *arguments, const char *out, json_t *json, struct error *err)
{
    if (json) json_object_set_new(json, "traces", json_array());
    if (arguments->n != 2 || !out || !*out)
        return error_set(err, ERR_USAGE, "poise trace import needs a list or a kernel file, and -o FILE or -o DIR");
    const char *path = arguments->items[1];
    if (!is_list(path))
        return is_folder(out) ? import_into(path, out, json, err) : import_one(path, out, NULL, 0, json, err);
    struct accelsim_list list;
    if (accelsim_list_read(&list, path, err) < 0) return -1;
    const int result = import_list(path, &list, out, json, err);
    accelsim_list_fini(&list);
    return result;
}

/* The copies that an import left in the provenance go back into the list. */
static void write_copies(FILE *list, const struct trace *trace)
{
    json_t *provenance = json_loads(trace->provenance ? trace->provenance : "{}", 0, NULL), *copy;
    size_t i;
    json_array_foreach(json_object_get(provenance, "memcpy"), i, copy) {
        const char *address = json_string_value(json_array_get(copy, 0));
        if (address)
            fprintf(list, "MemcpyHtoD,%s,%" JSON_INTEGER_FORMAT "\n", address,
                    json_integer_value(json_array_get(copy, 1)));
    }
    json_decref(provenance);
}

static int export_one(FILE *list, const char *dir, const char *from, enum accelsim_isa isa, size_t id,
                      struct error *err)
{
    char to[PATH_BYTES];
    struct trace *trace;
    if (trace_open(&trace, from, NULL, err) < 0) return -1;
    snprintf(to, sizeof to, "%s/kernel-%zu.traceg", dir, id);
    write_copies(list, trace);
    fprintf(list, "kernel-%zu.traceg\n", id);
    const int result = accelsim_export(trace, to, isa, id, err);
    trace_close(trace);
    return result;
}

int trace_export(const struct texts *arguments, const char *dir, const char *isa_name, json_t *json, struct error *err)
{
    enum accelsim_isa isa = ACCELSIM_KEPLER;
    char *text = NULL, path[PATH_BYTES];
    size_t size;
    if (arguments->n < 2 || !dir || strlen(dir) > 3000)
        return error_set(err, ERR_USAGE, "poise trace export needs --accelsim DIR and traces");
    if (isa_name && strcmp(isa_name, "volta") == 0) isa = ACCELSIM_VOLTA;
    else if (isa_name && strcmp(isa_name, "kepler") != 0)
        return error_set(err, ERR_USAGE, "--isa %s: choose kepler or volta", isa_name);
    if (file_make_folders(dir, err) < 0) return -1;
    FILE *list = open_memstream(&text, &size);
    if (!list) return error_set(err, ERR_MEMORY, "no memory for kernelslist.g");
    int result = 0;
    for (size_t i = 1; i < arguments->n && result == 0; i++)
        result = export_one(list, dir, arguments->items[i], isa, i, err);
    if (fclose(list) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "no memory for kernelslist.g");
    snprintf(path, sizeof path, "%s/kernelslist.g", dir);
    if (result == 0) result = file_write(path, text, size, err);
    if (result == 0 && json)
        json_object_update_new(json, json_pack("{s:s,s:I}", "list", path, "kernels", (json_int_t)arguments->n - 1));
    else if (result == 0) say_line(stderr, "%s: %zu kernel%s", path, arguments->n - 1, arguments->n == 2 ? "" : "s");
    free(text);
    return result;
}

int trace_check(const struct texts *arguments, json_t *json, struct error *err)
{
    if (json) json_object_set_new(json, "files", json_array());
    if (arguments->n < 2) return error_set(err, ERR_USAGE, "poise trace check needs kernelslist.g or .traceg files");
    for (size_t i = 1; i < arguments->n; i++) {
        const char *path = arguments->items[i];
        struct accelsim_report report;
        if ((is_list(path) ? accelsim_check_list(&report, path, err) : accelsim_check(&report, path, err)) < 0)
            return -1;
        if (json)
            json_array_append_new(json_object_get(json, "files"),
                                  json_pack("{s:s,s:I,s:I,s:I,s:I}", "file", path, "blocks", (json_int_t)report.blocks,
                                            "warps", (json_int_t)report.warps, "insts", (json_int_t)report.lines,
                                            "memory_insts", (json_int_t)report.memory_lines));
        else
            printf("%s: %" PRIu64 " blocks, %" PRIu64 " warps, %" PRIu64 " instructions, %" PRIu64 " with addresses\n",
                   path, report.blocks, report.warps, report.lines, report.memory_lines);
    }
    return 0;
}
