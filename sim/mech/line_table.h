/* A table of lines of a fixed size, in the memory that a mechanism keeps about L2: open addressing, nothing is taken
 * out. What does not fit any more is not entered, and the caller counts it. */
#ifndef MECH_LINE_TABLE_H
#define MECH_LINE_TABLE_H
#include <stddef.h>
#include <stdint.h>

struct line_entry {
    uint32_t key; /* line + 1; 0: free */
    uint32_t count;
    uint64_t value; /* the mechanism's */
};
struct line_table {
    uint32_t used, bits; /* 2^bits places, of which seven in eight are used */
    struct line_entry entries[];
};
static inline uint32_t line_table_bits(uint32_t lines)
{
    uint32_t bits = 4;
    while (bits < 28 && (7ull << bits) / 8 < lines) bits++;
    return bits;
}
static inline size_t line_table_bytes(uint32_t lines)
{
    return sizeof(struct line_table) + (sizeof(struct line_entry) << line_table_bits(lines));
}
/* In zeroed memory of that size. */
static inline void line_table_begin(struct line_table *t, uint32_t lines)
{
    if (!t->bits) t->bits = line_table_bits(lines);
}
static inline uint32_t line_table_place(const struct line_table *t, uint32_t line)
{
    const uint32_t mask = (1u << t->bits) - 1;
    uint32_t at = line * 2654435769u >> (32 - t->bits);
    while (t->entries[at].key && t->entries[at].key != line + 1) at = (at + 1) & mask;
    return at;
}
/* NULL: it is not there. */
static inline const struct line_entry *line_table_find(const struct line_table *t, uint32_t line)
{
    const struct line_entry *e = &t->entries[line_table_place(t, line)];
    return e->key ? e : NULL;
}
/* NULL: the table is full. */
static inline struct line_entry *line_table_take(struct line_table *t, uint32_t line)
{
    struct line_entry *e = &t->entries[line_table_place(t, line)];
    if (e->key) return e;
    if (t->used >= (7u << t->bits) / 8) return NULL;
    t->used++;
    e->key = line + 1;
    return e;
}
#endif
