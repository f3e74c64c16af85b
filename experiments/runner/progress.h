/* Progress of a batch on stderr: a bar on a terminal, a line every ten seconds elsewhere. Internal to poise_lab. */
#ifndef POISE_PROGRESS_H
#define POISE_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/clock.h"

struct progress {
    FILE *out; /* NULL: silent */
    bool is_terminal;
    const char *what;
    size_t total, done, failed;
    double cost_total, cost_done; /* ETA follows estimated cost, not the number of runs */
    uint64_t warp_insts;
    double started, last;
};
void progress_begin(struct progress *p, FILE *out, bool is_terminal, const char *what, size_t total, double cost_total);
void progress_step(struct progress *p, double cost, uint64_t warp_insts, bool has_failed);
void progress_end(struct progress *p);
#endif
