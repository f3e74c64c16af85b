/* The policies by their numbers and names. */
#include <string.h>

#include "cache/order.h"
#include "config/plugins.h"

#define ROW(policy) [REPLACE_##policy] = &replacement_##policy,
static const struct replacement_type *const rows[] = {REPLACEMENTS(ROW)};
#undef ROW

const struct replacement_type *replacement_of(uint32_t parameter, const struct replacement_type *usual)
{
    if (parameter >= REPLACE_VALUES) return plugins_replacement(parameter - REPLACE_VALUES);
    return parameter == REPLACE_USUAL ? usual : rows[parameter];
}

const struct replacement_type *replacement_named(const char *name)
{
    for (uint32_t i = REPLACE_USUAL + 1; i < REPLACE_VALUES; i++)
        if (strcmp(rows[i]->name, name) == 0) return rows[i];
    for (uint32_t i = 0; plugins_replacement(i); i++)
        if (strcmp(plugins_replacement(i)->name, name) == 0) return plugins_replacement(i);
    return NULL;
}
