#include "config/plugins.h"

#include <stdatomic.h>
#include "poise/sys/l2_hooks.h"

/* What a process has loaded is a part of its code, as the rows of mech_list.def are: there is one list a process. It
 * only grows, at its end, and what is in it never changes, so that threads read it without a lock. */
static _Atomic(struct plugin_file *) first;

void plugins_add(struct plugin_file *file)
{
    struct plugin_file *last = atomic_load(&first);
    file->next = NULL;
    if (!last) {
        atomic_store(&first, file);
        return;
    }
    while (last->next) last = (struct plugin_file *)last->next;
    __atomic_store_n(&last->next, file, __ATOMIC_RELEASE);
}

const struct plugin_file *plugins_first(void) { return atomic_load(&first); }

/* The i-th of a list of all plug-ins. */
#define FIND(list, i, file) \
    const struct plugin_file *file = plugins_first(); \
    for (; file; file = file->next) { \
        size_t n = 0; \
        while (n < PLUGIN_MOST && file->what->list[n]) n++; \
        if (i < n) break; \
        i -= (uint32_t)n; \
    }

const struct mech_type *plugins_mech(size_t i)
{
    FIND(mechs, i, file)
    return file ? file->what->mechs[i] : NULL;
}

const struct replacement_type *plugins_replacement(uint32_t i)
{
    FIND(replacements, i, file)
    return file ? file->what->replacements[i] : NULL;
}

const struct org_type *plugins_organisation(uint32_t i)
{
    FIND(organisations, i, file)
    return file ? file->what->organisations[i] : NULL;
}

const struct plugin_file *plugins_of_replacement(uint32_t i)
{
    FIND(replacements, i, file)
    return file;
}

const struct plugin_file *plugins_of_organisation(uint32_t i)
{
    FIND(organisations, i, file)
    return file;
}

const struct plugin_file *plugins_of_mech(const struct mech_type *type)
{
    for (const struct plugin_file *file = plugins_first(); file; file = file->next)
        for (size_t k = 0; k < PLUGIN_MOST && file->what->mechs[k]; k++)
            if (file->what->mechs[k] == type) return file;
    return NULL;
}

const char *plugins_replacement_name(uint32_t i)
{
    FIND(replacements, i, file)
    return file ? file->replacements[i] : NULL;
}

const char *plugins_organisation_name(uint32_t i)
{
    FIND(organisations, i, file)
    return file ? file->organisations[i].name : NULL;
}

static struct plugin_organisation organisation_at(uint32_t i)
{
    FIND(organisations, i, file)
    return file ? file->organisations[i] : (struct plugin_organisation){0};
}

bool plugins_places_chunks(uint32_t i) { return organisation_at(i).places_chunks; }
bool plugins_is_sectored(uint32_t i) { return organisation_at(i).is_sectored; }

uint32_t plugins_set_frames(uint32_t i, uint32_t lines, uint32_t chunks)
{
    const struct plugin_organisation org = organisation_at(i);
    return org.set_frames ? org.set_frames(lines, chunks) : lines;
}

int plugins_check_l2(uint32_t i, uint32_t ways, uint32_t sectors, struct error *err)
{
    const uint32_t frames = plugins_set_frames(i, ways, sectors);
    if (frames && frames <= L2_FRAMES_MAX) return 0;
    return error_set(err, ERR_INPUT, "l2.ways = %u: this l2.organisation has %u frames a set, allowed 1 .. %d", ways,
                     frames, L2_FRAMES_MAX);
}
