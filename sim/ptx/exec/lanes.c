#include "lower/lanes.h"

#include <stdlib.h>
#include <string.h>

#define DECLARE(table) extern const struct lane_op table[];
#define VARIANT_TABLES(variant) \
    LANE_TABLES(DECLARE, variant) \
    extern const struct compare_op compares_##variant[]; \
    access_fn access_load_##variant, access_store_##variant;
#define NAME(table) table,
#define VARIANT_ROW(variant) \
    {#variant,           runs_##variant,        {LANE_TABLES(NAME, variant)}, \
     compares_##variant, access_load_##variant, access_store_##variant},
VARIANT_TABLES(base)
static bool runs_base(void) { return true; }
#ifdef PTX_HAVE_AVX
VARIANT_TABLES(avx2)
VARIANT_TABLES(avx512)
static bool runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
static bool runs_avx512(void)
{
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
static const struct lane_variant variants[] = {VARIANT_ROW(base) VARIANT_ROW(avx2) VARIANT_ROW(avx512)};
#else
static const struct lane_variant variants[] = {VARIANT_ROW(base)};
#endif

size_t lane_variants(const struct lane_variant **out)
{
    *out = variants;
    return sizeof variants / sizeof *variants;
}

static const struct lane_variant *choose(void)
{
    const struct lane_variant *best = variants;
    const char *wanted = getenv("POISE_LANES");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (!variants[i].can_run()) continue;
        best = &variants[i];
        if (wanted && !strcmp(wanted, best->name)) break;
    }
    return best;
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
    const struct lane_variant *variant = choose();
    memset(index, 0, sizeof *index);
    for (size_t i = 0; i < N_LANE_TABLES; i++) lane_index_add(index, variant->tables[i]);
    index->compares = variant->compares;
    index->load = variant->load;
    index->store = variant->store;
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
