/* A bump allocator for what lives as long as a module (or as long as its text is being read), growing arrays, and the
 * table that gives each spelling one number. Nothing here is ever freed singly. */
#ifndef PTX_POOL_H
#define PTX_POOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool_chunk;
struct pool {
    struct pool_chunk *chunks;
    size_t used, cap;
};
void *pool_take(struct pool *pool, size_t size); /* zeroed, 16-byte aligned; NULL when out of memory */
char *pool_text(struct pool *pool, const char *text, size_t size); /* a copy with a NUL behind it */
void pool_free(struct pool *pool);

/* Makes room for one more element behind the n-th; -1 when out of memory. */
int array_room(void **data, size_t *cap, size_t n, size_t element_bytes);
#define ARRAY_ROOM(data, cap, n) array_room((void **)&(data), &(cap), (n), sizeof *(data))

/* Spellings: equal text, equal number (from 1) and equal pointer. */
struct names {
    struct pool *pool;
    const char **text; /* by number */
    size_t n, cap;
    uint32_t *slots;
    size_t n_slots;
};
uint32_t names_put(struct names *names, const char *text, size_t size); /* 0 when out of memory */
void names_fini(struct names *names);

/* (scope, name) -> pointer */
struct scope_entry {
    uint32_t scope, name;
    void *value;
};
struct scope_table {
    struct scope_entry *slots;
    size_t n_slots, n;
};
void *scope_table_get(const struct scope_table *table, uint32_t scope, uint32_t name);
int scope_table_put(struct scope_table *table, uint32_t scope, uint32_t name, void *value);
void scope_table_fini(struct scope_table *table);
#endif
