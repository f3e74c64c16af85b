/* What the mechanism `learned` knows of a kernel, its memory of a program's last kernels, and what whole launches say.
 *
 * A launch that ran at one tuple, but for a quarter of its cycles, is a window too, and the only one that kernels of
 * short launches have: where two of them did the same work, to a tenth, the ratio of their rates is a view of their
 * tuples. */
#ifndef MECH_LEARNED_KERNELS_H
#define MECH_LEARNED_KERNELS_H
#include "poise/sampling.h"
#include "poise/response_search.h"
#include "current_tuple.h"

enum state { WAIT, SAMPLE, TRY, RUN, HOLD };
enum { VIEWS_MAX = 15 };
/* A launch that ran at one tuple. */
struct whole_launch {
    struct tuple at;
    uint64_t insts, cycles; /* insts 0: there is none */
};
/* What is known of a kernel, and how far its search has come. */
struct search {
    enum state state;      /* WAIT, SAMPLE, HOLD or RUN */
    uint64_t ran, lasted;  /* cycles of all launches before, and of the last one */
    struct sampling seen;  /* SAMPLE: the windows of all groups; otherwise the last step's */
    uint32_t round, first; /* of SAMPLE: the round, and the number of its first group */
    struct tuple best, prediction;
    int32_t z[RESPONSE_POINTS_MAX];                  /* the surface that the network predicted */
    struct response_shown shown[RESPONSE_SHOWN_MAX]; /* tuples that all SMs have run since the sampling or a drop */
    uint32_t n_shown;
    bool is_first;      /* no search has come to an end since the sampling */
    bool shows_nothing; /* the launch began as one whose warps are not in each other's way: a sampling must pay more */
    bool is_settled;    /* I_n is above I_max: no search */
    bool has_hasty;     /* what ran before the prediction has been seen, at `hasty` */
    int32_t hasty;      /* ln of its rate */
    struct tuple hasty_at;
    bool is_hinted; /* `z` is a hint's surface, which is wrong by `doubt`: one standard deviation of ln speedup */
    double doubt;
    bool has_rival; /* the best tuple has been seen hastily alone: `rival`, which ran before, is to be tried */
    struct tuple rival;
    bool tries_next; /* the next launch, or this one, is a try as a whole: it runs at `next` */
    struct tuple next;
    struct whole_launch last;
};

/* The natural logarithm of instructions a cycle, in 2^-16. */
static inline int32_t log_rate(uint64_t insts, uint64_t cycles)
{
    const int64_t log2_of = (int64_t)log2_q16(insts) - log2_q16(cycles);
    return (int32_t)(log2_of * 45426 / 65536); /* ln 2 in 1/65536 */
}

/* Where a tuple stands among those shown; n_shown: it is none of them. */
static inline uint32_t search_place(const struct search *s, struct tuple t)
{
    uint32_t i = 0;
    while (i < s->n_shown && !(s->shown[i].at.N == t.N && s->shown[i].at.p == t.p)) i++;
    return i;
}

/* A tuple that all SMs have run was seen at this rate. `views` 0: hastily. */
static inline void search_show(struct search *s, struct tuple t, int32_t rate, uint32_t views)
{
    const uint32_t i = search_place(s, t);
    if (i == RESPONSE_SHOWN_MAX) return;
    struct response_shown *shown = &s->shown[i];
    if (i == s->n_shown) {
        s->n_shown++;
        *shown = (struct response_shown){{t.N, t.p}, rate, views};
        return;
    }
    shown->rate = (int32_t)(((int64_t)shown->rate * shown->views + rate) / (shown->views + 1));
    shown->views += shown->views < VIEWS_MAX;
}

static inline int32_t search_rate(const struct search *s, struct tuple t)
{
    const uint32_t i = search_place(s, t);
    return i < s->n_shown ? s->shown[i].rate : 0;
}

/* What a window at one tuple has gained over the windows of the one that runs, before and after it. Where that one was
 * seen hastily alone and the other was not, it is the one that is seen anew. */
static inline void search_compare(struct search *s, struct tuple tried, struct tuple runs, int32_t gained)
{
    const uint32_t i = search_place(s, tried), j = search_place(s, runs);
    if (i < s->n_shown && j < s->n_shown && s->shown[i].views && !s->shown[j].views) {
        s->shown[j].rate = s->shown[i].rate - gained;
        s->shown[j].views = 1;
    } else {
        search_show(s, tried, search_rate(s, runs) + gained, 1);
    }
}

/* The end of a launch that ran at one tuple: what it says of its tuple by the last one's, or the other way round where
 * that one has not been shown. */
static inline void search_show_launch(struct search *s, const struct whole_launch *now)
{
    const struct whole_launch last = s->last;
    const uint64_t apart = now->insts > last.insts ? now->insts - last.insts : last.insts - now->insts;
    s->last = *now;
    if (!last.insts || apart > now->insts / 10 || s->n_shown == 0 || same(last.at, now->at)) return;
    const int32_t gained = log_rate(now->insts, now->cycles) - log_rate(last.insts, last.cycles);
    if (search_place(s, last.at) < s->n_shown) search_show(s, now->at, search_rate(s, last.at) + gained, 1);
    else search_show(s, last.at, search_rate(s, now->at) - gained, 1);
}

/* The kernels of a program that have run, by the addresses of their first instructions; `used` 0: none. */
struct known_kernel {
    uint32_t kernel, W, used;
    struct search search;
};
struct kernel_memory {
    uint32_t launches;
    struct known_kernel known[];
};
static inline bool kernel_is(const struct known_kernel *k, uint32_t kernel, uint32_t W)
{
    return k->used && k->kernel == kernel && k->W == W;
}
/* The kernel's place among n; of a new one the place that was used longest ago, which holds another kernel or none. */
static inline struct known_kernel *kernel_place(struct kernel_memory *m, uint32_t n, uint32_t kernel, uint32_t W)
{
    struct known_kernel *oldest = m->known;
    for (uint32_t i = 0; i < n; i++) {
        struct known_kernel *k = &m->known[i];
        if (kernel_is(k, kernel, W)) return k;
        if (k->used < oldest->used) oldest = k;
    }
    return oldest;
}
#endif
