#include "parse/types.h"

#include <stddef.h>
#include <string.h>

static const struct type_row {
    const char *name;
    uint8_t bits;
    char kind;
} rows[] = {{"", 0, ' '},
#define X(id, text, bits, kind) {text, bits, kind},
            PTX_TYPES(X)
#undef X
};

enum ptx_type type_named(const char *name)
{
    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].name, name)) return (enum ptx_type)i;
    return T_NONE;
}

const char *type_name(enum ptx_type type) { return rows[type].name; }
uint32_t type_bits(enum ptx_type type) { return rows[type].bits; }
char type_kind(enum ptx_type type) { return rows[type].kind; }
