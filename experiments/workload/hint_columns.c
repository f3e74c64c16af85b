#include "workload/hint_columns.h"

#include <math.h>

#define C(name, doc) #name,
const char *const hint_column_names[N_HINT_COLUMNS] = {HINT_COLUMNS(C)};
#undef C
#define C(name, doc) doc,
const char *const hint_column_docs[N_HINT_COLUMNS] = {HINT_COLUMNS(C)};
#undef C

static double ratio(uint64_t of, uint64_t all) { return all ? (double)of / (double)all : 0; }
static double speed(const struct quick_run *r) { return ratio(r->insts, r->cycles); }
static double l1_hit(const struct quick_run *r) { return ratio(r->l1_hits, r->l1_accesses); }
static double l2_hit(const struct quick_run *r) { return ratio(r->l2_hits, r->l2_accesses); }

/* ln of a tuple's speedup over (W, W), within what a machine can bring. */
static double quick_of(const struct hint_surface *s, size_t i)
{
    enum { MOST = 5 };
    const double base = speed(&s->runs[s->n - 1]), own = speed(&s->runs[i]);
    return base > 0 && own > 0 ? fmin(fmax(log(own / base), -MOST), MOST) : -MOST;
}

/* Half a doubling away a tuple counts for 0.6 of the tuple itself. */
static double smooth_of(const struct hint_surface *s, size_t i)
{
    double sum = 0, weights = 0;
    for (size_t j = 0; j < s->n; j++) {
        const double dN = log2(s->tuples[j].N) - log2(s->tuples[i].N), dp = log2(s->tuples[j].p) - log2(s->tuples[i].p),
                     weight = exp(-2 * (dN * dN + dp * dp));
        sum += weight * quick_of(s, j);
        weights += weight;
    }
    return sum / weights;
}

static double highest(const struct hint_surface *s)
{
    double most = -INFINITY;
    for (size_t i = 0; i < s->n; i++) most = fmax(most, quick_of(s, i));
    return most;
}

void hint_columns(const struct hint_surface *s, size_t i, double out[N_HINT_COLUMNS])
{
    const struct quick_run *own = &s->runs[i], *all = &s->runs[s->n - 1], *one = &s->runs[0];
    const double N = s->tuples[i].N, p = s->tuples[i].p;
    out[HINT_quick] = quick_of(s, i);
    out[HINT_smooth] = smooth_of(s, i);
    out[HINT_relief] = highest(s);
    out[HINT_below] = out[HINT_relief] - out[HINT_quick];
    out[HINT_l1_hit] = l1_hit(own), out[HINT_l1_more] = l1_hit(own) - l1_hit(all), out[HINT_l1_one] = l1_hit(one);
    out[HINT_l2_hit] = l2_hit(own), out[HINT_l2_more] = l2_hit(own) - l2_hit(all);
    out[HINT_lines] = ratio(own->l1_accesses, own->cycles);
    out[HINT_dram] = ratio(own->dram_reads + own->dram_writes, own->cycles);
    out[HINT_reply] = ratio(own->reply_bytes, own->cycles);
    out[HINT_lines_all] = ratio(all->l1_accesses, all->cycles);
    out[HINT_dram_all] = ratio(all->dram_reads + all->dram_writes, all->cycles);
    out[HINT_reply_all] = ratio(all->reply_bytes, all->cycles);
    out[HINT_insts_all] = speed(all);
    out[HINT_lines_inst] = log2(0.01 + ratio(own->l1_accesses, own->insts));
    out[HINT_log2_N] = log2(N), out[HINT_log2_p] = log2(p), out[HINT_log2_W] = log2(s->W);
    out[HINT_log2_share] = log2(N / s->W);
    out[HINT_is_all] = N == s->W && p == s->W, out[HINT_is_equal] = N == p;
    out[HINT_log2_waves] = log2(1 + s->waves);
}
