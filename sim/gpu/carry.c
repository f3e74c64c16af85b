/* What lives on between the launches of a program: L2 lines (dirty ones too) and open DRAM rows. */
#include "carry.h"

#include <stdlib.h>
#include <string.h>

struct gpu_carry {
    uint32_t lines, banks, rows, channels, ways; /* L2 lines of a bank, L2 banks, DRAM banks of a channel, channels */
    uint32_t *keys, *stamps;
    struct tag_line *tags;
    int64_t *open_rows;
    uint64_t first_line; /* plan line numbers count from here */
    bool is_filled;
};

struct gpu_carry *gpu_carry_new(const struct gpu_params *p)
{
    struct gpu_carry *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->lines = p->l2.sets * p->l2.ways;
    c->banks = p->l2.banks;
    c->rows = p->dram.banks;
    c->channels = p->dram.channels;
    c->keys = calloc((size_t)c->lines * c->banks, sizeof *c->keys);
    c->tags = calloc((size_t)c->lines * c->banks, sizeof *c->tags);
    c->stamps = calloc(c->banks, sizeof *c->stamps);
    c->open_rows = calloc((size_t)c->rows * c->channels, sizeof *c->open_rows);
    if (c->keys && c->tags && c->stamps && c->open_rows) return c;
    gpu_carry_free(c);
    return NULL;
}

void gpu_carry_free(struct gpu_carry *c)
{
    if (!c) return;
    free(c->keys);
    free(c->tags);
    free(c->stamps);
    free(c->open_rows);
    free(c);
}

int carry_load(const struct gpu_carry *c, struct gpu *g, struct error *err)
{
    const struct gpu_params *p = g->params;
    if (c->lines != p->l2.sets * p->l2.ways || c->banks != p->l2.banks || c->rows != p->dram.banks || c->channels != p->dram.channels)
        return error_set(err, ERR_USAGE, "the L2 carried over belongs to a machine of another shape");
    if (!c->is_filled) return 0;
    if (c->first_line != g->plan->first_line)
        return error_set(err, ERR_INPUT, "launches whose memory lies in different 16 GB regions cannot carry L2 over");
    for (uint32_t b = 0; b < c->banks; b++) {
        struct tags *t = &g->banks[b].tags;
        memcpy(t->keys, c->keys + (size_t)b * c->lines, c->lines * sizeof *t->keys);
        memcpy(t->lines, c->tags + (size_t)b * c->lines, c->lines * sizeof *t->lines);
        t->stamp = c->stamps[b];
    }
    for (uint32_t d = 0; d < c->channels; d++)
        for (uint32_t b = 0; b < c->rows; b++) g->channels[d].banks[b].row = c->open_rows[d * c->rows + b];
    return 0;
}

void carry_save(struct gpu_carry *c, const struct gpu *g)
{
    for (uint32_t b = 0; b < c->banks; b++) {
        const struct tags *t = &g->banks[b].tags;
        memcpy(c->keys + (size_t)b * c->lines, t->keys, c->lines * sizeof *t->keys);
        memcpy(c->tags + (size_t)b * c->lines, t->lines, c->lines * sizeof *t->lines);
        c->stamps[b] = t->stamp;
    }
    for (uint32_t d = 0; d < c->channels; d++)
        for (uint32_t b = 0; b < c->rows; b++) c->open_rows[d * c->rows + b] = g->channels[d].banks[b].row;
    c->first_line = g->plan->first_line;
    c->is_filled = true;
}
