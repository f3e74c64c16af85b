#include "poise/policy.h"

#include <math.h>

#define P(id, title) #id,
const char *const policy_names[N_POLICIES] = {POLICIES(P)};
#undef P
#define P(id, title) title,
const char *const policy_titles[N_POLICIES] = {POLICIES(P)};
#undef P

void measure_add(struct measure *into, const struct measure *from)
{
    into->cycles += from->cycles;
    into->warp_insts += from->warp_insts;
    into->line_requests += from->line_requests;
    into->l1_accesses += from->l1_accesses;
    into->l1_hits += from->l1_hits;
    into->latency_sum += from->latency_sum;
    into->latency_count += from->latency_count;
}

struct measure measure_scaled(const struct measure *m, double weight)
{
#define SCALED(field) .field = (uint64_t)llround(weight * (double)m->field)
    return (struct measure){SCALED(cycles),  SCALED(warp_insts),  SCALED(line_requests), SCALED(l1_accesses),
                            SCALED(l1_hits), SCALED(latency_sum), SCALED(latency_count)};
#undef SCALED
}

double measure_hit_rate(const struct measure *m)
{
    return m->l1_accesses ? (double)m->l1_hits / (double)m->l1_accesses : 0;
}

double measure_aml_cycles(const struct measure *m)
{
    return m->latency_count ? (double)m->latency_sum / (double)m->latency_count : 0;
}

const struct tuple_run *launch_diagonal(const struct launch_runs *launch, uint32_t N)
{
    const uint32_t n = N < launch->W ? N : launch->W;
    for (size_t i = 0; i < launch->n_points; i++)
        if (launch->points[i].at.N == n && launch->points[i].at.p == n) return &launch->points[i];
    return NULL;
}

const struct tuple_run *launch_best(const struct launch_runs *launch)
{
    const struct tuple_run *best = NULL;
    for (size_t i = 0; i < launch->n_points; i++) {
        const struct tuple_run *r = &launch->points[i];
        if (!best || r->m.cycles < best->m.cycles ||
            (r->m.cycles == best->m.cycles &&
             (r->at.N < best->at.N || (r->at.N == best->at.N && r->at.p < best->at.p))))
            best = r;
    }
    return best;
}

static const struct tuple_run *launch_at(const struct launch_runs *l, struct warp_tuple at)
{
    const uint32_t N = at.N < l->W ? at.N : l->W, p = at.p < N ? at.p : N;
    for (size_t i = 0; i < l->n_points; i++)
        if (l->points[i].at.N == N && l->points[i].at.p == p) return &l->points[i];
    return NULL;
}

/* Mean over benchmarks of their launches' mean log speedup at one tuple; -INFINITY where a profiled launch lacks it. */
static double constant_score(const struct launch_runs *launches, const uint32_t *benchmark, size_t n,
                             struct warp_tuple at)
{
    double sum = 0;
    size_t n_benchmarks = 0;
    for (size_t i = 0; i < n; i++) {
        double own = 0;
        size_t n_own = 0, first = 0;
        while (!(launches[first].n_points && benchmark[first] == benchmark[i]) && first < i) first++;
        if (!launches[i].n_points || first < i) continue; /* a benchmark is counted at its first profiled launch */
        for (size_t k = i; k < n; k++) {
            if (!launches[k].n_points || benchmark[k] != benchmark[i]) continue;
            const struct tuple_run *r = launch_at(&launches[k], at);
            if (!r || r->m.cycles == 0) return -INFINITY;
            own += log((double)launches[k].gto.cycles / (double)r->m.cycles);
            n_own++;
        }
        sum += own / (double)n_own;
        n_benchmarks++;
    }
    return n_benchmarks ? sum / (double)n_benchmarks : -INFINITY;
}

struct warp_tuple policy_constant(const struct launch_runs *launches, const uint32_t *benchmark, size_t n)
{
    struct warp_tuple best = {0, 0};
    double best_score = -INFINITY;
    uint32_t W = 0;
    for (size_t i = 0; i < n; i++)
        if (launches[i].n_points && launches[i].W > W) W = launches[i].W;
    for (uint32_t N = 1; N <= W; N++)
        for (uint32_t p = 1; p <= N; p++) {
            const struct warp_tuple at = {N, p};
            const double score = constant_score(launches, benchmark, n, at);
            if (score > best_score) best = at, best_score = score;
        }
    return best;
}

uint32_t policy_swl(const struct launch_runs *launches, size_t n)
{
    uint32_t W = 0, best = 0;
    uint64_t best_cycles = UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (launches[i].n_points && launches[i].W > W) W = launches[i].W;
    for (uint32_t N = W; N >= 1; N--) {
        uint64_t cycles = 0;
        bool is_known = true;
        for (size_t i = 0; i < n && is_known; i++) {
            if (launches[i].n_points == 0) continue;
            const struct tuple_run *r = launch_diagonal(&launches[i], N);
            if (r) cycles += r->m.cycles;
            else is_known = false;
        }
        if (is_known && cycles < best_cycles) best = N, best_cycles = cycles;
    }
    return best;
}

void policy_totals(const struct launch_runs *launches, size_t n, struct policy_total out[N_POLICIES])
{
    const uint32_t swl = policy_swl(launches, n);
    const struct launch_runs *longest = NULL;
    for (int k = 0; k < N_POLICIES; k++) out[k] = (struct policy_total){0};
    for (size_t i = 0; i < n; i++) {
        const struct launch_runs *l = &launches[i];
        const struct tuple_run *diagonal = swl ? launch_diagonal(l, swl) : NULL, *best = launch_best(l);
        measure_add(&out[POLICY_gto].m, &l->gto);
        measure_add(&out[POLICY_swl].m, diagonal ? &diagonal->m : &l->gto);
        measure_add(&out[POLICY_static_best].m, best ? &best->m : &l->gto);
        measure_add(&out[POLICY_poise].m, &l->poise);
        if (best && (!longest || l->gto.cycles > longest->gto.cycles)) longest = l;
    }
    for (int k = 0; k < N_POLICIES; k++)
        out[k].speedup = out[k].m.cycles ? (double)out[POLICY_gto].m.cycles / (double)out[k].m.cycles : 0;
    out[POLICY_swl].N = out[POLICY_swl].p = swl;
    if (!longest) return;
    out[POLICY_gto].N = out[POLICY_gto].p = longest->W;
    out[POLICY_static_best].N = launch_best(longest)->at.N;
    out[POLICY_static_best].p = launch_best(longest)->at.p;
}

double harmonic_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += 1 / values[i];
    return n ? (double)n / sum : 0;
}
