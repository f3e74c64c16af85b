/* The table of `poise hint --table`: for each tuple of each launch what the quick model shows of it, and how fast it is
 * by a profile. `poise train --family correction` learns from it. Internal to the program. */
#ifndef POISE_HINT_TABLE_H
#define POISE_HINT_TABLE_H
#include <stdio.h>
#include "workload/hint_columns.h"
#include "poise/profile_csv.h"
#include "poise/workload.h"

struct hint_table {
    FILE *out; /* in memory; written in one go */
    char *text;
    size_t size;
    struct profile_table *profiles;
    size_t n_profiles;
};
int hint_table_open(struct hint_table *table, const char *const *profiles, size_t n, struct error *err);
/* The tuples that a profile has of the launch. Without profiles: all, and log_speedup is empty. */
void hint_table_add(struct hint_table *table, const struct launch *launch, const struct registry *registry,
                    const struct hint_surface *surface);
/* Takes no more tuples then. */
int hint_table_write(struct hint_table *table, const char *path, struct error *err);
void hint_table_close(struct hint_table *table); /* a table of zeros too */
#endif
