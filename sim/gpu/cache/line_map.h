/* Line numbers to small numbers by open addressing, at most half full: what a search through hundreds of tags costs
 * in hardware nothing must cost here little. Nothing but indices is stored, so that a copy of the memory is a copy
 * of the map. */
#ifndef GPU_LINE_MAP_H
#define GPU_LINE_MAP_H
#include <stdbool.h>
#include <stdint.h>
#include "poise/arena.h"

#define NO_LINE UINT32_MAX /* no line has this number: plans use 28 bits */
struct line_slot {
    uint32_t line, value;
};
struct line_map {
    struct line_slot *slots; /* mask + 1 */
    uint32_t mask;
};
static inline void line_map_init(struct line_map *m, struct arena *arena, uint32_t entries)
{
    uint32_t size = 2;
    while (size < 2 * entries) size *= 2;
    m->mask = size - 1;
    m->slots = ARENA_TAKE(arena, struct line_slot, size);
    for (uint32_t i = 0; m->slots && i < size; i++) m->slots[i].line = NO_LINE;
}
static inline uint32_t line_map_home(const struct line_map *m, uint32_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15ull) >> 40) & m->mask;
}
/* It will be looked for soon: the host begins to fetch where its search begins. */
static inline void line_map_prefetch(const struct line_map *m, uint32_t line)
{
    __builtin_prefetch(&m->slots[line_map_home(m, line)]);
}
/* The value of `line`, or -1. */
static inline int line_map_find(const struct line_map *m, uint32_t line)
{
    for (uint32_t i = line_map_home(m, line);; i = (i + 1) & m->mask) {
        if (m->slots[i].line == line) return (int)m->slots[i].value;
        if (m->slots[i].line == NO_LINE) return -1;
    }
}
static inline void line_map_add(struct line_map *m, uint32_t line, uint32_t value)
{
    uint32_t i = line_map_home(m, line);
    while (m->slots[i].line != NO_LINE) i = (i + 1) & m->mask;
    m->slots[i] = (struct line_slot){line, value};
}
/* What follows moves up, as far as its home allows: no search ever meets a hole before its line. */
static inline void line_map_remove(struct line_map *m, uint32_t line)
{
    uint32_t hole = line_map_home(m, line);
    while (m->slots[hole].line != line) hole = (hole + 1) & m->mask;
    for (uint32_t i = (hole + 1) & m->mask; m->slots[i].line != NO_LINE; i = (i + 1) & m->mask) {
        const uint32_t home = line_map_home(m, m->slots[i].line);
        if (((i - home) & m->mask) < ((i - hole) & m->mask)) continue;
        m->slots[hole] = m->slots[i];
        hole = i;
    }
    m->slots[hole].line = NO_LINE;
}
#endif
