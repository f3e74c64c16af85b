/* Learned choices of a policy: training, judging, exporting. Internal to the program. */
#ifndef POISE_CHOICE_LEARN_H
#define POISE_CHOICE_LEARN_H
#include "cli/options.h"

struct choice_options {
    const char *out, *store, *part, *name, *size, *columns;
    struct texts kernel, trace;
    uint64_t threads, seed, min_cycles, trials;
    bool dry_run, json, example;
};
int choice_learn(const struct choice_options *o, const char *table, struct error *err);
int choice_evaluate(const struct choice_options *o, const char *model, const char *table, struct error *err);
int choice_export(const struct choice_options *o, const char *model, struct error *err);
#endif
