#include "poise/launches.h"

#include <math.h>
#include "poise/hash.h"

const char *const launch_trait_names[N_LAUNCH_TRAITS] = {
#define T(name, formula, doc) #name,
    LAUNCH_TRAITS(T)
#undef T
};
const char *const launch_trait_docs[N_LAUNCH_TRAITS] = {
#define T(name, formula, doc) doc,
    LAUNCH_TRAITS(T)
#undef T
};

static double ratio(uint64_t above, uint64_t below) { return below ? (double)above / (double)below : 0; }
static double log2_1(double x) { return log2(1 + x); }

uint64_t launch_group(const struct launch_counts *c)
{
    const uint64_t identity[] = {c->kernel, c->threads, c->resident_ctas};
    return hash_checksum(identity, sizeof identity);
}

void launch_traits(double out[N_LAUNCH_TRAITS], const struct launch_counts *c, const struct launch_machine *m)
{
#define T(name, formula, doc) out[LAUNCH_TRAIT_##name] = formula;
    LAUNCH_TRAITS(T)
#undef T
}

/* What takes longest of issuing, L1's port and memory, and what a warp alone would take, once for each wave of CTAs. */
double launch_size(const struct launch_counts *c, const struct launch_machine *m)
{
    enum { INST_CYCLES = 8, ACCESS_CYCLES = 100, START_CYCLES = 200 }; /* assumed */
    const uint32_t busy = c->ctas < m->sms ? c->ctas : m->sms;
    const double sms = busy ? busy : 1;
    const double room = (double)m->sms * (c->resident_ctas ? c->resident_ctas : 1);
    const double waves = fmax(1, c->ctas / room), accesses = ratio(c->loads + c->atomics, c->warps);
    const double issue = (double)c->insts / (sms * m->schedulers), port = (double)c->requests / sms;
    const double memory = (double)c->lines + 0.5 * (double)(c->requests - c->near - c->lines);
    return START_CYCLES + waves * ((double)c->longest * INST_CYCLES + accesses * ACCESS_CYCLES) +
           fmax(issue, fmax(port, memory));
}
