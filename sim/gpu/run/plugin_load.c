/* Loading a plug-in: what can be wrong with a file is said here, in a line. */
#include <dlfcn.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cache/org.h"
#include "config/params.h"
#include "config/plugins.h"
#include "poise/file.h"
#include "poise/gpu.h"
#include "poise/plugin.h"
#include "poise/sys/hooks.h"

/* Names stand in specs, on command lines (NAME,KEY=VALUE) and in lists of choices (a|b). */
static bool is_name(const char *name)
{
    const char first = name ? name[0] : '\0';
    return ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

static int check_name(const char *path, const char *what, const char *name, bool is_taken, struct error *err)
{
    if (!is_name(name))
        return error_set(err, ERR_INPUT, "%s: a %s is called '%s': a letter, then letters, digits, _ . and -", path,
                         what, name ? name : "");
    return is_taken ? error_set(err, ERR_INPUT, "%s: there is a %s '%s' already", path, what, name) : 0;
}

static int check_rows(const char *path, const struct mech_type *type, struct error *err)
{
    for (size_t i = 0; i < type->params.n_rows; i++) {
        const struct param_row *row = &type->params.rows[i];
        if (!row->name || !row->unit || !row->source || !row->doc || row->offset >= type->params.size)
            return error_set(err, ERR_INPUT, "%s: %s: parameter %zu lacks its name, unit, source, doc or place", path,
                             type->name, i);
    }
    for (size_t i = 0; i < type->stats.n_rows; i++) {
        const struct stat_row *row = &type->stats.rows[i];
        if (!row->name || !row->unit || !row->doc || row->offset >= type->stats.size)
            return error_set(err, ERR_INPUT, "%s: %s: counter %zu lacks its name, unit, doc or place", path, type->name,
                             i);
    }
    return 0;
}

static int check_mech(const char *path, const struct mech_type *type, struct error *err)
{
    if (check_name(path, "mechanism", type->name, type->name && mech_find(type->name), err) < 0) return -1;
    if (!type->title || !type->source || !type->init || !type->state_size)
        return error_set(err, ERR_INPUT, "%s: %s: a mechanism needs title, source, state_size and init", path,
                         type->name);
    if (type->stats.n_rows && !type->stats_of)
        return error_set(err, ERR_INPUT, "%s: %s: its counters need stats_of", path, type->name);
    return check_rows(path, type, err);
}

static int check_replacement(const char *path, const struct replacement_type *type, struct error *err)
{
    const bool is_taken = type->name && (strcmp(type->name, "usual") == 0 || replacement_named(type->name));
    if (check_name(path, "replacement policy", type->name, is_taken, err) < 0) return -1;
    if (type->set_bits && type->on_hit && type->on_fill) return 0;
    return error_set(err, ERR_INPUT, "%s: %s: a replacement policy needs set_bits, on_hit and on_fill", path,
                     type->name);
}

static bool has_organisation(const char *name)
{
    static const char *const groups[] = {"l1", "l2"};
    size_t n;
    const struct gpu_param_group *all = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        for (size_t k = 0; k < COUNT_OF(groups); k++) {
            struct gpu_params any;
            struct error err;
            if (strcmp(all[g].table.owner, groups[k]) == 0 &&
                params_set(&all[g].table, (char *)&any + all[g].offset, "organisation", name, &err) == 0)
                return true;
        }
    return false;
}

static int check_organisation(const char *path, const struct org_type *type, struct error *err)
{
    const bool is_taken = type->name && has_organisation(type->name);
    if (check_name(path, "cache organisation", type->name, is_taken, err) < 0) return -1;
    if (type->chunk_bytes < 8 || type->chunk_bytes > 128 || type->chunk_bytes & (type->chunk_bytes - 1))
        return error_set(err, ERR_INPUT, "%s: %s: chunk_bytes = %u: a power of two from 8 to 128 is needed", path,
                         type->name, type->chunk_bytes);
    if (type->chunk_bytes != SECTOR_BYTES && !(type->probe && type->fill))
        return error_set(err, ERR_INPUT, "%s: %s: chunks that are no sectors of %d bytes need probe and fill", path,
                         type->name, SECTOR_BYTES);
    if (type->most_others > ORG_OTHERS)
        return error_set(err, ERR_INPUT, "%s: %s: most_others = %u: at most %d", path, type->name, type->most_others,
                         ORG_OTHERS);
    if (!type->may_take != !type->take || (type->may_take && !type->is_sectored))
        return error_set(err, ERR_INPUT, "%s: %s: may_take, take and is_sectored go together", path, type->name);
    return 0;
}

#define CHECK_LIST(list, check) \
    for (size_t i = 0; i < PLUGIN_MOST && what->list[i]; i++) { \
        if (check(path, what->list[i], err) < 0) return -1; \
        for (size_t k = 0; k < i; k++) \
            if (strcmp(what->list[k]->name, what->list[i]->name) == 0) \
                return error_set(err, ERR_INPUT, "%s: '%s' is there twice", path, what->list[i]->name); \
    }
static int check(const char *path, const struct poise_plugin *what, struct error *err)
{
    if (!what->mechs[0] && !what->replacements[0] && !what->organisations[0])
        return error_set(err, ERR_INPUT, "%s: this plug-in brings nothing", path);
    CHECK_LIST(replacements, check_replacement)
    CHECK_LIST(organisations, check_organisation)
    CHECK_LIST(mechs, check_mech)
    for (size_t i = 0; i < PLUGIN_MOST && what->mechs[i]; i++) {
        const char *under = what->mechs[i]->l2_replacement;
        bool is_known = !under || replacement_named(under);
        for (size_t k = 0; k < PLUGIN_MOST && what->replacements[k] && !is_known; k++)
            is_known = strcmp(what->replacements[k]->name, under) == 0;
        if (!is_known)
            return error_set(err, ERR_INPUT, "%s: %s: l2_replacement '%s' is no replacement policy", path,
                             what->mechs[i]->name, under);
    }
    return 0;
}

/* Functions are looked up after the headers have been compared: one that another version had is no riddle then. */
static int open_file(const struct poise_plugin **out, const char *path, const char *resolved, struct error *err)
{
    static const char no_object[] = "%s: it cannot be loaded as a plug-in: %s";
    void *library = dlopen(resolved, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return error_set(err, ERR_INPUT, no_object, path, dlerror());
    const struct poise_plugin *what = dlsym(library, "poise_plugin");
    int result = 0;
    if (!what)
        result = error_set(err, ERR_INPUT,
                           "%s: no plug-in: it has no symbol 'poise_plugin', which POISE_PLUGIN(..) of poise/plugin.h "
                           "defines",
                           path);
    else if (strncmp(what->abi, POISE_ABI, sizeof what->abi) != 0)
        result = error_set(err, ERR_INPUT,
                           "%s: it was built against headers of another version (%.*s; these are %s): build it again",
                           path, PLUGIN_ABI_SIZE - 1, what->abi, POISE_ABI);
    else if (!dlopen(resolved, RTLD_NOW | RTLD_LOCAL)) result = error_set(err, ERR_INPUT, no_object, path, dlerror());
    else result = check(path, what, err);
    if (result < 0) dlclose(library);
    *out = what;
    return result;
}

static void note_caches(struct plugin_file *file)
{
    const struct poise_plugin *what = file->what;
    for (size_t i = 0; i < PLUGIN_MOST && what->replacements[i]; i++)
        file->replacements[i] = what->replacements[i]->name;
    for (size_t i = 0; i < PLUGIN_MOST && what->organisations[i]; i++) {
        const struct org_type *org = what->organisations[i];
        file->organisations[i] =
            (struct plugin_organisation){org->name, org->may_take != NULL, org->is_sectored, org->set_frames};
    }
}

int plugin_load(const char *path, struct error *err)
{
    char *data = NULL, *resolved = realpath(path, NULL);
    size_t size = 0;
    const struct poise_plugin *what = NULL;
    if (file_read(&data, &size, path, err) < 0) {
        err->code = ERR_INPUT;
        free(resolved);
        return -1;
    }
    const struct hash hash = hash_bytes(data, size);
    free(data);
    for (const struct plugin_file *f = plugins_first(); f; f = f->next)
        if (memcmp(&f->hash, &hash, sizeof hash) == 0) return free(resolved), 0;
    struct plugin_file *file = calloc(1, sizeof *file);
    if (!file || !resolved) error_set(err, ERR_MEMORY, "%s: out of memory for a plug-in", path);
    if (!file || !resolved || open_file(&what, path, resolved, err) < 0) {
        free(resolved);
        free(file);
        return -1;
    }
    *file = (struct plugin_file){.path = resolved, .hash = hash, .what = what};
    note_caches(file);
    plugins_add(file);
    return 0;
}

json_t *plugins_json(void)
{
    json_t *list = json_array();
    for (const struct plugin_file *f = plugins_first(); f; f = f->next) {
        char text[HASH_TEXT_SIZE];
        hash_text(&f->hash, text);
        json_array_append_new(list, json_pack("{s:s,s:s}", "path", f->path, "hash", text));
    }
    return list;
}

int plugins_load_json(const json_t *plugins, struct error *err)
{
    size_t i;
    json_t *plugin;
    json_array_foreach(plugins, i, plugin) {
        const char *path = json_string_value(json_object_get(plugin, "path")),
                   *hash = json_string_value(json_object_get(plugin, "hash"));
        bool is_known = false;
        if (!path || !hash) return error_set(err, ERR_RUN, "a message of a plug-in cannot be read");
        for (int round = 0; round < 2 && !is_known; round++) {
            if (round == 1 && plugin_load(path, err) < 0) return -1;
            for (const struct plugin_file *f = plugins_first(); f && !is_known; f = f->next) {
                char text[HASH_TEXT_SIZE];
                hash_text(&f->hash, text);
                is_known = strcmp(text, hash) == 0;
            }
        }
        if (!is_known) return error_set(err, ERR_RUN, "%s: this plug-in is another file here", path);
    }
    return 0;
}
