#include "geometry.h"

#include <stdio.h>
#include <string.h>
#include "../../../sim/gpu/config/params.h"

/* The values of each row, the one that changes fastest last. */
static const struct {
    const char *row, *values[7];
} rows[GEOMETRY_ROWS] = {
    {"l1.organisation", {"plain", "sectored", "lamar_tsc", "tsc", "dsc", "elastic"}},
    {"l2.line_bytes", {"0", "32", "64", "128"}},
    {"l1.line_bytes", {"32", "64", "128", "256"}},
    {"l1.chunk_bytes", {"8", "16", "32", "64"}},
    {"l1.streaming", {"false", "true"}},
};

static uint32_t values_of(uint32_t row)
{
    uint32_t n = 0;
    while (rows[row].values[n]) n++;
    return n;
}

uint32_t geometries(void)
{
    uint32_t n = 1;
    for (uint32_t r = 0; r < GEOMETRY_ROWS; r++) n *= values_of(r);
    return n;
}

struct geometry geometry_at(uint32_t i)
{
    struct geometry g;
    for (uint32_t r = GEOMETRY_ROWS; r-- > 0; i /= values_of(r)) {
        g.set[r][0] = rows[r].row;
        g.set[r][1] = rows[r].values[i % values_of(r)];
    }
    return g;
}

bool geometry_set(struct gpu_params *params, const struct geometry *g)
{
    struct error err;
    struct gpu_params *next = gpu_params_copy(params);
    bool may = next != NULL;
    for (uint32_t r = 0; r < GEOMETRY_ROWS && may; r++)
        may = gpu_params_set(next, g->set[r][0], g->set[r][1], &err) == 0;
    may = may && gpu_params_check(next, &err) == 0;
    if (may) *params = *next;
    gpu_params_free(next);
    return may;
}

char *geometry_text(const struct geometry *g, char *text, size_t size)
{
    snprintf(text, size, "%s, chunks of %s, lines of %s, L2's of %s%s", g->set[0][1], g->set[3][1], g->set[2][1],
             g->set[1][1], strcmp(g->set[4][1], "true") == 0 ? ", streaming" : "");
    return text;
}
