/* Drawing mixes, and their scores. */
#include "poise/mix.h"

#include <string.h>

const unsigned mix_sizes[MIX_SIZES] = {1, 2, 4};

static unsigned below(uint64_t *x, size_t n)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((*x >> 32) * n >> 32);
}

/* ---- decks: what is dealt does not come again before all others have ---- */

enum { DECK_MAX = 64 };
struct deck {
    unsigned cards[DECK_MAX], n, left;
};

static void shuffle(struct deck *d, uint64_t *x)
{
    for (unsigned i = d->n; i > 1; i--) {
        const unsigned k = below(x, i), card = d->cards[k];
        d->cards[k] = d->cards[i - 1];
        d->cards[i - 1] = card;
    }
    d->left = d->n;
}

static unsigned deal(struct deck *d, uint64_t *x)
{
    if (!d->left) shuffle(d, x);
    return d->cards[--d->left];
}

static void add_card(struct deck *d, unsigned card)
{
    if (d->n < DECK_MAX) d->cards[d->n++] = card;
}

/* ---- combinations of classes: how many of each, two bits a class and one more, in one number ---- */

enum { COUNT_BITS = 3 };
static void add_combinations(struct deck *out, const bool *has, unsigned class, unsigned left, unsigned combination)
{
    if (class == N_CPU_CLASSES) {
        if (!left) add_card(out, combination);
        return;
    }
    for (unsigned n = 0; n <= (has[class] ? left : 0); n++)
        add_combinations(out, has, class + 1, left - n, combination | n << COUNT_BITS * class);
}

static bool is_in(const struct mix *m, unsigned program)
{
    for (unsigned i = 0; i < m->n; i++)
        if (m->programs[i] == program) return true;
    return false;
}

static void draw_one(struct mix *m, unsigned combination, struct deck *programs, uint64_t *x)
{
    m->n = 0;
    for (unsigned class = 0; class < N_CPU_CLASSES; class ++)
        for (unsigned n = combination >> COUNT_BITS * class & ((1u << COUNT_BITS) - 1); n; n--) {
            unsigned program = deal(&programs[class], x);
            for (unsigned tries = 0; is_in(m, program) && tries < programs[class].n; tries++)
                program = deal(&programs[class], x);
            m->programs[m->n++] = program;
        }
}

void mix_draw(struct mix *out, const size_t counts[MIX_SIZES], const enum cpu_class *classes, size_t n_programs,
              size_t n_kernels, uint64_t seed)
{
    struct deck programs[N_CPU_CLASSES] = {0}, kernels = {0};
    bool has[N_CPU_CLASSES] = {false};
    uint64_t x = seed * 0x9e3779b97f4a7c15ull + 1;
    for (unsigned i = 0; i < n_programs; i++) {
        add_card(&programs[classes[i]], i);
        has[classes[i]] = true;
    }
    for (unsigned i = 0; i < n_kernels; i++) add_card(&kernels, i);
    for (int s = 0; s < MIX_SIZES; s++) {
        struct deck combinations = {0};
        add_combinations(&combinations, has, 0, mix_sizes[s], 0);
        for (size_t i = 0; i < counts[s]; i++, out++) {
            draw_one(out, deal(&combinations, &x), programs, &x);
            out->kernel = deal(&kernels, &x);
        }
    }
}

struct mix_score mix_score(const double *speedups, size_t n)
{
    double sum = 0, inverse = 0, least = speedups[0], most = speedups[0];
    for (size_t i = 0; i < n; i++) {
        sum += speedups[i];
        inverse += 1 / speedups[i];
        least = speedups[i] < least ? speedups[i] : least;
        most = speedups[i] > most ? speedups[i] : most;
    }
    return (struct mix_score){sum, (double)n / inverse, least / most};
}
