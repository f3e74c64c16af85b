#include "parse/pool.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 16)

struct pool_chunk {
    struct pool_chunk *next;
    max_align_t data[];
};

void *pool_take(struct pool *pool, size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + 15) & ~(size_t)15;
    if (!pool->chunks || pool->cap - pool->used < size) {
        const size_t cap = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        struct pool_chunk *chunk = calloc(1, sizeof *chunk + cap);
        if (!chunk) return NULL;
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        pool->cap = cap;
        pool->used = 0;
    }
    void *out = (char *)pool->chunks->data + pool->used;
    pool->used += size;
    return out;
}

char *pool_text(struct pool *pool, const char *text, size_t size)
{
    char *copy = pool_take(pool, size + 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void pool_free(struct pool *pool)
{
    for (struct pool_chunk *chunk = pool->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *pool = (struct pool){0};
}

int array_room(void **data, size_t *cap, size_t n, size_t element_bytes)
{
    if (n < *cap) return 0;
    const size_t wanted = *cap ? *cap * 2 : 16;
    void *grown = realloc(*data, wanted * element_bytes);
    if (!grown) return -1;
    *data = grown;
    *cap = wanted;
    return 0;
}

static uint64_t text_hash(const char *text, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */
    for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

static int names_grow(struct names *names)
{
    const size_t n_slots = names->n_slots ? names->n_slots * 2 : 1024;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots) return -1;
    for (uint32_t id = 1; id <= names->n; id++) {
        size_t at = text_hash(names->text[id], strlen(names->text[id])) & (n_slots - 1);
        while (slots[at]) at = (at + 1) & (n_slots - 1);
        slots[at] = id;
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    return 0;
}

uint32_t names_put(struct names *names, const char *text, size_t size)
{
    if (names->n * 2 >= names->n_slots && names_grow(names) < 0) return 0;
    size_t at = text_hash(text, size) & (names->n_slots - 1);
    for (; names->slots[at]; at = (at + 1) & (names->n_slots - 1)) {
        const char *known = names->text[names->slots[at]];
        if (!strncmp(known, text, size) && !known[size]) return names->slots[at];
    }
    if (ARRAY_ROOM(names->text, names->cap, names->n + 1) < 0) return 0;
    const char *copy = pool_text(names->pool, text, size);
    if (!copy) return 0;
    names->text[++names->n] = copy;
    names->slots[at] = (uint32_t)names->n;
    return names->slots[at];
}

void names_fini(struct names *names)
{
    free(names->text);
    free(names->slots);
}

static size_t scope_hash(uint32_t scope, uint32_t name, size_t n_slots)
{
    const uint64_t h = (((uint64_t)scope << 32) | name) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (n_slots - 1);
}

void *scope_table_get(const struct scope_table *table, uint32_t scope, uint32_t name)
{
    if (!table->n_slots) return NULL;
    for (size_t at = scope_hash(scope, name, table->n_slots); table->slots[at].value;
         at = (at + 1) & (table->n_slots - 1))
        if (table->slots[at].scope == scope && table->slots[at].name == name) return table->slots[at].value;
    return NULL;
}

static void scope_table_place(struct scope_entry *slots, size_t n_slots, struct scope_entry entry)
{
    size_t at = scope_hash(entry.scope, entry.name, n_slots);
    while (slots[at].value) at = (at + 1) & (n_slots - 1);
    slots[at] = entry;
}

int scope_table_put(struct scope_table *table, uint32_t scope, uint32_t name, void *value)
{
    if (table->n * 2 >= table->n_slots) {
        const size_t n_slots = table->n_slots ? table->n_slots * 2 : 1024;
        struct scope_entry *slots = calloc(n_slots, sizeof *slots);
        if (!slots) return -1;
        for (size_t i = 0; i < table->n_slots; i++)
            if (table->slots[i].value) scope_table_place(slots, n_slots, table->slots[i]);
        free(table->slots);
        table->slots = slots;
        table->n_slots = n_slots;
    }
    scope_table_place(table->slots, table->n_slots, (struct scope_entry){scope, name, value});
    table->n++;
    return 0;
}

void scope_table_fini(struct scope_table *table) { free(table->slots); }
