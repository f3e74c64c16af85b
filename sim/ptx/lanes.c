#include "lanes.h"

#include <string.h>

static bool has_avx2(void)
{
#ifdef PTX_HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

static uint32_t name_hash(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    while (*name) h = (h ^ (unsigned char)*name++) * 16777619u;
    return h ^ h >> 15;
}

static void lane_index_add(struct lane_index *index, const struct lane_op *rows)
{
    for (; rows->name; rows++) {
        uint32_t at = name_hash(rows->name) & (MAX_LANE_OPS - 1);
        while (index->slots[at]) at = (at + 1) & (MAX_LANE_OPS - 1);
        index->slots[at] = rows;
    }
}

void lane_index_init(struct lane_index *index)
{
    memset(index, 0, sizeof *index);
#ifdef PTX_HAVE_AVX2
    if (has_avx2()) {
#define X(id) lane_index_add(index, id##_avx2);
        LANE_TABLES(X)
#undef X
        index->compares = compares_avx2;
        return;
    }
#endif
#define X(id) lane_index_add(index, id##_base);
    LANE_TABLES(X)
#undef X
    index->compares = compares_base;
    (void)has_avx2;
}

const struct lane_op *lane_find(const struct lane_index *index, const char *name)
{
    for (uint32_t at = name_hash(name) & (MAX_LANE_OPS - 1); index->slots[at]; at = (at + 1) & (MAX_LANE_OPS - 1))
        if (!strcmp(index->slots[at]->name, name)) return index->slots[at];
    return NULL;
}

const struct compare_op *compare_find(const struct lane_index *index, const char *name)
{
    for (const struct compare_op *row = index->compares; row->name; row++)
        if (!strcmp(row->name, name)) return row;
    return NULL;
}
