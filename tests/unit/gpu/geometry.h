/* The geometries of L1, as a product: every organisation, chunk, line, line of L2, with and without streaming. Tests
 * walk it, random machines are drawn from it. */
#ifndef TEST_GEOMETRY_H
#define TEST_GEOMETRY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/gpu.h"

enum { GEOMETRY_ROWS = 5 };
struct geometry {
    const char *set[GEOMETRY_ROWS][2]; /* rows of the machine, and their values */
};
uint32_t geometries(void);               /* points of the product */
struct geometry geometry_at(uint32_t i); /* the i-th */
/* Gives the machine that geometry. False if no machine may have it, with the parameters that `params` has besides;
 * then it is as it was. */
bool geometry_set(struct gpu_params *params, const struct geometry *g);
/* As "sectored, chunks of 16, lines of 64, L2's of 128, streaming". */
char *geometry_text(const struct geometry *g, char *text, size_t size);
#endif
