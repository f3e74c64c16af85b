/* The machines of a folder of reference cases: configuration files, with what the trace front end's file beside each
 * adds. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/gpgpusim.h"
#include "studies/validate/validate.h"

static bool is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* X.config has X.trace.config beside it, or the folder one trace.config for all. `options`: more text of the same form,
 * or NULL. */
static int load_machine(struct validate_machine *m, const struct validation *v, const char *options, struct error *err)
{
    char config[4096], trace[4352], stem[256];
    snprintf(stem, sizeof stem, "%s", m->file);
    char *dot = strstr(stem, ".config");
    if (dot) *dot = '\0';
    snprintf(config, sizeof config, "%s/%s", v->dir, m->file);
    snprintf(trace, sizeof trace, "%s/%s.trace.config", v->dir, stem);
    if (!is_there(trace)) snprintf(trace, sizeof trace, "%s/trace.config", v->dir);
    const char *const paths[] = {config, trace};
    if (!(m->params = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    const struct gpgpusim_files files = {
        .paths = paths, .n = is_there(trace) ? 2 : 1, .options = options, .is_lenient = v->is_lenient};
    struct gpgpusim_notes notes;
    if (gpgpusim_load_with(m->params, &files, &notes, err) < 0) return -1;
    gpgpusim_notes_print_lenient(&notes, stderr);
    gpgpusim_notes_fini(&notes);
    return 0;
}

static int take_machine(struct validation *v, const char *name, const char *file, const char *options,
                        struct error *err)
{
    struct validate_machine *m = &v->machines[v->n_machines++];
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->file, sizeof m->file, "%s", file);
    return load_machine(m, v, options, err);
}

int validate_load_machines(struct validation *v, const json_t *root, const char *path, struct error *err)
{
    json_t *configs = json_object_get(root, "configs"), *file;
    const json_t *options = json_object_get(root, "options");
    const char *name;
    v->is_by_config = configs != NULL;
    if (configs && (!json_is_object(configs) || !json_object_size(configs)))
        return error_set(err, ERR_INPUT, "%s: 'configs' is a map of names to configuration files", path);
    if (options && !json_is_string(options))
        return error_set(err, ERR_INPUT, "%s: 'options' is a text of options", path);
    v->machines = calloc(configs ? json_object_size(configs) : 1, sizeof *v->machines);
    if (!v->machines) return error_set(err, ERR_MEMORY, "%s: no memory for its configurations", path);
    if (!configs) return take_machine(v, "", "gtx480_32sm_lx.config", json_string_value(options), err);
    json_object_foreach(configs, name, file) {
        const char *text = json_string_value(file);
        if (!text || strchr(text, '/') || strlen(text) >= sizeof v->machines->file)
            return error_set(err, ERR_INPUT, "%s: configuration '%s' is not the name of a file in the folder", path,
                             name);
        if (take_machine(v, name, text, json_string_value(options), err) < 0) return -1;
    }
    return 0;
}
