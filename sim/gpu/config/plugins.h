/* The plug-ins of this process (poise/plugin.h): what they add to the lists of mechanisms, replacement policies and
 * cache organisations. Internal to poise_gpu; run/plugin_load.c puts them here. */
#ifndef GPU_PLUGINS_H
#define GPU_PLUGINS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/hash.h"
#include "poise/plugin.h"
struct mech_type;

/* What configurations must know of an organisation. */
struct plugin_organisation {
    const char *name;
    bool places_chunks, is_sectored;
    uint32_t (*set_frames)(uint32_t lines, uint32_t chunks); /* NULL: as many as lines */
};
/* A plug-in that has been loaded. `path` is absolute. */
struct plugin_file {
    char *path;
    struct hash hash; /* of the file's content */
    const struct poise_plugin *what;
    const char *replacements[PLUGIN_MOST]; /* names */
    struct plugin_organisation organisations[PLUGIN_MOST];
    const struct plugin_file *next;
};
/* It is known from now on, and stays. By one thread at a time. */
void plugins_add(struct plugin_file *file);
const struct plugin_file *plugins_first(void);
/* The i-th of those of all plug-ins, in the order in which they were loaded, or NULL. */
const struct mech_type *plugins_mech(size_t i);
const struct replacement_type *plugins_replacement(uint32_t i);
const struct org_type *plugins_organisation(uint32_t i);
const char *plugins_replacement_name(uint32_t i);
const char *plugins_organisation_name(uint32_t i);
/* Of the i-th organisation. */
bool plugins_places_chunks(uint32_t i);
bool plugins_is_sectored(uint32_t i);
uint32_t plugins_set_frames(uint32_t i, uint32_t lines, uint32_t chunks);
/* Whether an L2 of so many ways, of lines of so many sectors, can have it. */
int plugins_check_l2(uint32_t i, uint32_t ways, uint32_t sectors, struct error *err);
/* Which plug-in brings it; NULL: none does. */
const struct plugin_file *plugins_of_mech(const struct mech_type *type);
const struct plugin_file *plugins_of_replacement(uint32_t i);
const struct plugin_file *plugins_of_organisation(uint32_t i);
#endif
