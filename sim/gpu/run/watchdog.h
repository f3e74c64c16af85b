/* Whether a run still makes progress. Progress is what a run has only so much of, as its trace and its programs hold
 * no more: instructions, line requests, their replies, atomics performed. So neither a machine that stands still nor
 * one whose packets go in circles passes for one that works. */
#ifndef GPU_WATCHDOG_H
#define GPU_WATCHDOG_H
#include "machine/machine.h"

/* It looks around at fixed core cycles, so that skipping changes nothing. */
enum { WATCHDOG_LOOK = 8192 };
struct watchdog {
    uint64_t look;     /* the next one, */
    uint64_t progress; /* the one that saw the last progress, */
    uint64_t last;     /* and the work done until then */
};
/* All looks up to base tick `time`, the next in which something happens. True if at one of them, w->look, nothing had
 * gone on for `patience` core cycles; 0: for a million beyond the longest wait that the machine can know. */
bool watchdog_looks(struct watchdog *w, const struct gpu *gpu, uint64_t patience, uint64_t time);
/* A limit ends the run at core cycle `now`. True if nothing has gone on for longer than a sound run ever waits, so that
 * the machine would not have gone on either. */
bool watchdog_stands(const struct watchdog *w, const struct gpu *gpu, uint64_t patience, uint64_t now);
/* The error: what waits for what in core cycle `now`. Returns -1. */
int watchdog_deadlock(const struct gpu *gpu, uint64_t now, struct error *err);
#endif
