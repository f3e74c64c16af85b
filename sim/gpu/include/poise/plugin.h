/* Plug-ins: mechanisms, replacement policies and cache organisations in a shared object, which `poise --plugin FILE` or
 * a spec's `plugins:` loads. A plug-in is one source file:
 *
 *   #include <poise/plugin.h>
 *   #include <poise/sys/hooks.h>            (mechanisms: struct mech_type)
 *   #include <cache/order.h>                (replacement policies: struct replacement_type)
 *   #include <cache/org.h>                  (cache organisations: struct org_type)
 *   ...
 *   POISE_PLUGIN(.mechs = {&my_mechanism}, .replacements = {&my_policy}, .organisations = {&my_organisation});
 *
 *   cc -O2 -shared -fPIC mine.c -o mine.so $(pkg-config --cflags poise_gpu)
 *   poise --plugin ./mine.so sim --kernel mvt --mech mine
 *
 * It links no library of Poise: the program that loads it has what the headers declare. What it brings must hold what
 * the headers say of such rows: state in the run's arena, no globals that change, the same answers for the same inputs.
 * The hash of the file's content is part of the key of each run that uses something of it. */
#ifndef POISE_PLUGIN_H
#define POISE_PLUGIN_H
#include <stdbool.h>
#include <stddef.h>
#include <poise/abi.h> /* made by the build */
#include "poise/error.h"
#include "poise/mech.h"
struct json_t;
struct org_type;
struct replacement_type;

enum { PLUGIN_ABI_SIZE = 32, PLUGIN_MOST = 16 };
struct poise_plugin {
    /* Of the headers that it was built against. This stands first in every version, so that another can be told. */
    char abi[PLUGIN_ABI_SIZE];
    /* Each list ends with NULL, or with the last place. */
    const struct mech_type *mechs[PLUGIN_MOST];
    const struct replacement_type *replacements[PLUGIN_MOST];
    const struct org_type *organisations[PLUGIN_MOST];
};
/* The symbol that is looked for. */
#define POISE_PLUGIN(...) \
    extern const struct poise_plugin poise_plugin; \
    __attribute__((visibility("default"))) const struct poise_plugin poise_plugin = {.abi = POISE_ABI, __VA_ARGS__}

/* ---- for programs that load them ---- */

/* Its rows are known from now on, in the whole process. The same file a second time changes nothing. ERR_INPUT: it
 * cannot be read, is no plug-in, was built against other headers, or brings a name that is taken. Not while other
 * threads load one. */
int plugin_load(const char *path, struct error *err);
/* What has been loaded, a {path, hash} each: a new reference. */
struct json_t *plugins_json(void);
/* Loads them in another process; ERR_RUN where a file is another one there. */
int plugins_load_json(const struct json_t *plugins, struct error *err);
#endif
