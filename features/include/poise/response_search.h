/* Which warp tuple to try next, once a network has predicted a response surface (poise/response_net.h) and some tuples
 * have shown their rates. What the network got wrong is taken as a Gaussian process over (log2 N, log2 p): its standard
 * deviation grows with the relief of the predicted surface, `floor` + `slope` times the root mean square of what its
 * points lie below the highest, and two tuples share what their distances leave of it, (1 - dN / reach_N) (1 - dp /
 * reach_p), or nothing beyond. The rates that were seen move the surface where it was wrong, and tuples close to
 * them are known better than those far away. Pure functions on plain arrays; additions, multiplications, divisions
 * and square roots in double precision alone, so that every machine gives the same bits. */
#ifndef POISE_RESPONSE_SEARCH_H
#define POISE_RESPONSE_SEARCH_H
#include "poise/response_net.h"

#define RESPONSE_SHOWN_MAX 12
struct response_prior {
    double floor, slope;     /* of the standard deviation, in ln speedup, and in ln speedup by that of the relief */
    double reach_N, reach_p; /* doublings of N and of p after which nothing is shared */
    double noise;            /* standard deviation of ln of a rate that was seen once, against another's */
};
/* A tuple that the whole GPU has run. */
struct response_shown {
    struct response_tuple at;
    int32_t rate;   /* ln of its rate, mean of its views, up to a constant that all share; units of z */
    uint32_t views; /* 1 or more; 0: it was seen in a sampling, with RESPONSE_HASTY times the noise of a view */
};
#define RESPONSE_HASTY 4
struct response_step {
    size_t best;                /* of the tuples shown, the one whose rate is believed to be highest */
    bool pays;                  /* a tuple should be tried, or tried again: */
    struct response_tuple next; /* this one */
    double gain;                /* ln speedup over the best that it is expected to bring, where it brings any */
};
/* `shown` holds n tuples, 1 .. RESPONSE_SHOWN_MAX. A try pays if its expected gain, for `horizon` times the length of a
 * try, is more than what is expected to be lost during the try. Where the table is full nothing new pays. */
struct response_step response_search(const struct response_net *net, const int32_t *z, uint32_t W,
                                     const struct response_prior *prior, const struct response_shown *shown, size_t n,
                                     double horizon);
#endif
