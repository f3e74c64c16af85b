/* Profiles as a table that a repository can keep: what each warp tuple of a launch took and hit, so that nobody has
 * to simulate it again.
 *
 *   # poise profile: 1
 *   # model_version: 2
 *   # config: kepler32                      a preset; further lines `set: l1.sets=64` and `with: bucl`, as in a
 *                                           pipeline's spec
 *   # config_hash: 3c753a14e8fd3266c4b1efaa8d599ea4
 *   # size: small
 *   workload,input,launch,trace,N,p,ms,core_cycles,warp_insts,...
 *   mvt,-1,0,8d2f...,1,1,213,372804,82944,...
 *   ,,,,2,1,198,301177,,...
 *
 * An empty cell says what the cell above it says. Behind `ms` (host time of the run, in thousandths of a second)
 * stand counters by their names in gpu_stats; those of profile_default_counters always do. A table belongs to one
 * version of the simulation model, one configuration and the traces that its hashes name. The last column may be W,
 * warps per scheduler: it tells whether a launch's grid is whole. A table without it is taken at its largest N. */
#ifndef POISE_PROFILE_CSV_H
#define POISE_PROFILE_CSV_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/hash.h"
#include "poise/points.h"
#include "poise/table.h"

#define PROFILE_WARPS_MAX 64
#define PROFILE_COUNTERS_MAX 256
#define PROFILE_CHANGES_MAX 64
struct profile_launch {
    char workload[64], trace[HASH_TEXT_SIZE];
    int32_t input;     /* -1: the workload has none */
    uint32_t index, W; /* warps per scheduler; 0: the table does not tell */
    size_t first, n;   /* its rows */
};
struct profile_row {
    struct warp_tuple at;
    uint32_t ms;
};
struct profile_table {
    int model_version;
    char config[512], config_hash[HASH_TEXT_SIZE], size[16];
    char set[PROFILE_CHANGES_MAX][128];  /* "l1.sets=64" */
    char with[PROFILE_CHANGES_MAX][256]; /* mechanisms beside the tuple */
    size_t n_set, n_with;
    const struct stat_row *counters[PROFILE_COUNTERS_MAX];
    size_t n_counters;
    bool has_W;
    struct profile_launch *launches;
    size_t n_launches, cap_launches;
    struct profile_row *rows; /* by launch; N, then p ascending where the program wrote them */
    uint64_t *values;         /* n_rows x n_counters */
    size_t n_rows, cap_rows;
};
/* What the pipeline needs of a run (features, targets, tables) and what a report's map shows. */
extern const char *const profile_default_counters[];
extern const size_t n_profile_default_counters;

void profile_table_fini(struct profile_table *table);
/* Adds a counter column; before the first row. An unknown name is an error with the nearest known one. */
int profile_table_column(struct profile_table *table, const char *name, struct error *err);
/* `first`, `n` are set here */
int profile_table_launch(struct profile_table *table, const struct profile_launch *launch, struct error *err);
void profile_table_drop_launch(struct profile_table *table); /* the last one, with its rows */
/* Adds a row to the last launch: n_counters values. */
int profile_table_row(struct profile_table *table, const struct profile_row *row, const uint64_t *values,
                      struct error *err);
/* 0 where there is no such column */
uint64_t profile_table_value(const struct profile_table *table, size_t row, const char *counter);
bool profile_table_is_whole(const struct profile_table *table);  /* it has every counter of a run */
double profile_table_seconds(const struct profile_table *table); /* host time of all rows */

/* A launch whose whole grid the table has, or 0: its warps per scheduler. */
uint32_t profile_table_warps(const struct profile_table *table, const struct profile_launch *launch);
/* 0: not there */
uint64_t profile_table_cycles(const struct profile_table *table, const struct profile_launch *launch,
                              struct warp_tuple at);

int profile_table_print(const struct profile_table *table, FILE *out, struct error *err);
/* Errors name line and column. Numbers are checked against each other: a tuple has 1 <= p <= N and stands once in
 * its launch, hits are not above accesses, cycles are above 0. */
int profile_table_parse(struct profile_table *out, const char *name, const char *text, size_t size, struct error *err);
int profile_table_read(struct profile_table *out, const char *path, struct error *err);
#endif
