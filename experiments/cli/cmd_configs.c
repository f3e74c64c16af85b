/* poise configs: list presets; import and export gpgpusim.config; what differs between two machines. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/config_load.h"
#include "cli/options.h"
#include "poise/file.h"
#include "poise/gpgpusim.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/text.h"

struct configs_options {
    struct texts import;
    const char *export, *out;
    bool diff, parts, lenient, json;
};
static const struct option_row rows[] = {
    OPTION(configs_options, import, 0, OPTION_TEXTS, "FILE",
           "read a gpgpusim.config, print it as YAML and say what became of each option; more files add to it"),
    OPTION(configs_options, export, 0, OPTION_TEXT, "C", "write a preset or YAML file as gpgpusim.config"),
    OPTION(configs_options, diff, 0, OPTION_FLAG, NULL,
           "what differs between A and B: presets, YAML files or gpgpusim.config"),
    OPTION(configs_options, parts, 0, OPTION_FLAG, NULL,
           "what each DRAM part (dram.part) sets, and where the number is from"),
    OPTION(configs_options, out, 'o', OPTION_OUT, "FILE", "write there, not to standard output",
           .modes = "--import, --export"),
    OPTION_LENIENT(configs_options),
    OPTION(configs_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int is_yaml(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

static int list(struct cli *cli, bool as_json, struct error *err)
{
    struct dirent **names;
    const int n = scandir(cli->paths.configs, &names, is_yaml, alphasort);
    if (n < 0) return error_set(err, ERR_INPUT, "%s: %s", cli->paths.configs, strerror(errno));
    json_t *out = lab_json(), *configs = json_object();
    int result = 0;
    for (int i = 0; i < n; i++) {
        names[i]->d_name[strlen(names[i]->d_name) - 5] = '\0';
        if (!as_json) printf("%s\n", names[i]->d_name);
        struct gpu_params *params = as_json && result == 0 ? gpu_params_new() : NULL;
        if (params && (result = gpu_params_load(params, names[i]->d_name, cli->paths.configs, err)) == 0)
            json_object_set_new(configs, names[i]->d_name, gpu_params_json(params));
        gpu_params_free(params);
        free(names[i]);
    }
    free(names);
    json_object_set_new(out, "configs", configs);
    if (as_json && result == 0) return cli_print_json(out, err);
    json_decref(out);
    return result;
}

int config_load(struct gpu_params *params, const char *name, const struct cli *cli, struct error *err)
{
    struct gpgpusim_notes notes;
    if (!gpgpusim_is_config(name)) return gpu_params_load(params, name, cli->paths.configs, err);
    const struct gpgpusim_files files = {.paths = &name, .n = 1, .is_lenient = cli->lenient};
    if (gpgpusim_load_with(params, &files, &notes, err) < 0) return -1;
    size_t n = 0;
    char shown[4096];
    for (size_t i = 0; i < notes.n; i++) n += notes.items[i].fate == GPGPUSIM_IGNORED;
    fprintf(stderr, "%s: %zu options without an equivalent or effect here ('poise configs --import' explains each):",
            text_shown(name, shown, sizeof shown), n);
    for (size_t i = 0; i < notes.n; i++)
        if (notes.items[i].fate == GPGPUSIM_IGNORED) fprintf(stderr, " -%s", notes.items[i].option);
    fprintf(stderr, "\n");
    gpgpusim_notes_print_lenient(&notes, stderr);
    gpgpusim_notes_fini(&notes);
    return 0;
}

static const char *const fates[] = {[GPGPUSIM_MAPPED] = "mapped",
                                    [GPGPUSIM_ABSENT] = "absent",
                                    [GPGPUSIM_IGNORED] = "ignored",
                                    [GPGPUSIM_LENIENT] = "lenient"};

static json_t *notes_json(const struct gpgpusim_notes *notes, enum gpgpusim_fate fate)
{
    json_t *out = json_array();
    for (size_t i = 0; i < notes->n; i++) {
        const struct gpgpusim_note *n = &notes->items[i];
        if (n->fate != fate) continue;
        json_array_append_new(out, json_pack("{s:s,s:s,s:s,s:s,s:I}", "option", n->option, "value", n->value, "text",
                                             n->text, "file", n->file, "line", (json_int_t)n->line));
    }
    return out;
}

static void print_notes(const struct gpgpusim_notes *notes)
{
    static const char *const heads[] = {"Mapped:", "Not in the file; the other simulator's default was taken:",
                                        "Ignored:", "Left out, as --lenient says:"};
    for (size_t fate = 0; fate < COUNT_OF(heads); fate++) {
        fprintf(stderr, "%s\n", heads[fate]);
        for (size_t i = 0; i < notes->n; i++) {
            const struct gpgpusim_note *n = &notes->items[i];
            if ((size_t)n->fate == fate)
                fprintf(stderr, "  -%s %.60s%s\n      %s\n", n->option, n->value, strlen(n->value) > 60 ? "..." : "",
                        n->text);
        }
    }
}

/* Takes the stream's text to `path` or standard output. */
static int deliver(FILE *stream, char **text, size_t *size, const char *path, int result, struct error *err)
{
    if (fclose(stream) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0 && path) result = file_write(path, *text, *size, err);
    if (result == 0 && !path) fwrite(*text, 1, *size, stdout);
    free(*text);
    return result;
}

static int import_files(const struct cli *cli, const struct configs_options *o, struct error *err)
{
    struct gpgpusim_notes notes = {0};
    struct gpu_params *params = gpu_params_new();
    char doc[1024] = "Imported from", *text = NULL;
    size_t size;
    if (!params) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    const struct gpgpusim_files files = {.paths = o->import.items, .n = o->import.n, .is_lenient = cli->lenient};
    int result = gpgpusim_load_with(params, &files, &notes, err);
    for (size_t i = 0; i < o->import.n && strlen(doc) < 800; i++) {
        const char *slash = strrchr(o->import.items[i], '/');
        snprintf(doc + strlen(doc), sizeof doc - strlen(doc), "%s %.80s", i ? " and" : "",
                 slash ? slash + 1 : o->import.items[i]);
    }
    char name[80] = "imported";
    if (o->out) {
        const char *slash = strrchr(o->out, '/'), *base = slash ? slash + 1 : o->out;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    }
    if (result == 0 && o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "config", gpu_params_json(params));
        for (size_t fate = 0; fate < COUNT_OF(fates); fate++)
            json_object_set_new(out, fates[fate], notes_json(&notes, (enum gpgpusim_fate)fate));
        result = cli_print_json(out, err);
    } else if (result == 0) {
        print_notes(&notes);
    }
    if (result == 0 && (!o->json || o->out)) {
        FILE *stream = open_memstream(&text, &size);
        result = stream ? gpu_params_write_yaml(params, name, doc, stream, err)
                        : error_set(err, ERR_MEMORY, "out of memory for a configuration");
        if (stream) result = deliver(stream, &text, &size, o->out, result, err);
    }
    gpgpusim_notes_fini(&notes);
    gpu_params_free(params);
    return result;
}

static int export_config(const struct cli *cli, const struct configs_options *o, struct error *err)
{
    struct gpu_params *params = gpu_params_new();
    char *text = NULL;
    size_t size;
    if (!params) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    int result = config_load(params, o->export, cli, err);
    FILE *stream = result == 0 ? open_memstream(&text, &size) : NULL;
    if (stream) result = deliver(stream, &text, &size, o->out, gpgpusim_write(params, stream, err), err);
    else if (result == 0) result = error_set(err, ERR_MEMORY, "out of memory for a configuration");
    gpu_params_free(params);
    return result;
}

static void compare_groups(const struct gpu_params *a, const struct gpu_params *b, json_t *out, bool as_json)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            char name[160], ours[PARAM_TEXT_MAX + 8], theirs[PARAM_TEXT_MAX + 8];
            params_text(row, (const char *)a + groups[g].offset, ours, sizeof ours);
            params_text(row, (const char *)b + groups[g].offset, theirs, sizeof theirs);
            if (strcmp(ours, theirs) == 0) continue;
            snprintf(name, sizeof name, "%s.%s", groups[g].table.owner, row->name);
            json_array_append_new(out, json_pack("{s:s,s:s,s:s}", "parameter", name, "a", ours, "b", theirs));
            if (!as_json) printf("%-26s %12s %12s  %s\n", name, ours, theirs, row->doc);
        }
}

static int diff(const struct cli *cli, const struct texts *names, bool as_json, struct error *err)
{
    struct gpu_params *a = gpu_params_new(), *b = gpu_params_new();
    int result = a && b ? 0 : error_set(err, ERR_MEMORY, "out of memory for configurations");
    if (result == 0) result = config_load(a, names->items[0], cli, err);
    if (result == 0) result = config_load(b, names->items[1], cli, err);
    if (result == 0) {
        json_t *out = lab_json(), *differences = json_array();
        if (!as_json) printf("%-26s %12.12s %12.12s\n", "", names->items[0], names->items[1]);
        compare_groups(a, b, differences, as_json);
        json_object_set_new(out, "differences", differences);
        if (as_json) result = cli_print_json(out, err);
        else json_decref(out);
    }
    gpu_params_free(a);
    gpu_params_free(b);
    return result;
}

static int list_parts(bool as_json, struct error *err)
{
    size_t n;
    const struct gpu_dram_part *parts = gpu_dram_parts(&n);
    json_t *out = lab_json(), *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct gpu_dram_part *p = &parts[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s}", "part", p->part, "parameter", p->parameter, "value",
                                              p->value, "source", p->source));
        if (!as_json) printf("%-10s %-22s %8s  %s\n", p->part, p->parameter, p->value, p->source);
    }
    json_object_set_new(out, "parts", list);
    if (as_json) return cli_print_json(out, err);
    json_decref(out);
    return 0;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct configs_options *o = options;
    if ((o->import.n > 0) + (o->export != NULL) + o->diff + o->parts > 1)
        return error_set(err, ERR_USAGE, "poise configs: one of --import, --export, --diff and --parts");
    if (o->diff && arguments->n != 2)
        return error_set(err, ERR_USAGE, "poise configs --diff needs two configurations: --diff kepler32 accelsim32");
    if (!o->diff && arguments->n)
        return error_set(err, ERR_USAGE, "poise configs takes no argument '%s'", arguments->items[0]);
    if (o->parts) return list_parts(o->json, err);
    if (o->diff) return diff(cli, arguments, o->json, err);
    if (o->import.n) return import_files(cli, o, err);
    return o->export ? export_config(cli, o, err) : list(cli, o->json, err);
}

const struct command command_configs = {
    "configs",
    "list, compare, import and export configurations",
    "[--json] | --diff A B | --parts [--json] | --import gpgpusim.config... [-o FILE.yaml] | --export C [-o "
    "gpgpusim.config]",
    "Imported: options of GPGPU-Sim and Accel-Sim become our parameters; what became of each option is reported on "
    "stderr.\nAn option that neither has, a value that is none, and a missing cache are errors, unless --lenient.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct configs_options),
    run};
