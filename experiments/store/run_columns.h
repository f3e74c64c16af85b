/* What a row of an export says of its run besides its results: the machine, the benchmark, the mechanism, and a column
 * for each parameter in which machines differ and for each parameter of a mechanism. Names follow from the rows alone:
 * equal contents give equal columns. Internal to poise_lab. */
#ifndef POISE_RUN_COLUMNS_H
#define POISE_RUN_COLUMNS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
struct json_t;
struct gpu_params;

struct run_columns;
int run_columns_new(struct run_columns **out, struct error *err);
void run_columns_free(struct run_columns *columns); /* accepts NULL */
/* A column that the table has besides: parameters get other names. */
void run_columns_reserve(struct run_columns *columns, const char *name);
/* First every machine, under a key that rows name it by, and every stack: a list of {name, params}. */
int run_columns_machine(struct run_columns *columns, const char *key, const struct gpu_params *params,
                        struct error *err);
bool run_columns_knows(const struct run_columns *columns, const char *key); /* that machine */
int run_columns_stack(struct run_columns *columns, const struct json_t *stack, struct error *err);
int run_columns_finish(struct run_columns *columns, struct error *err);
/* Then the columns, without a comma at either end: "machine,benchmark,mechanism,l1.ways,N,p". */
void run_columns_head(const struct run_columns *columns, FILE *out);
void run_columns_row(const struct run_columns *columns, const char *machine, const char *benchmark,
                     const struct json_t *stack, FILE *out);
/* What tells a machine from the others: "l1.ways=8"; where they have several names, "volta80 l1.ways=8". */
const char *run_columns_label(const struct run_columns *columns, const char *machine, char *text, size_t size);
/* A stack as --mech takes it: names, and the parameters that are not as they are by themselves, "tuple,N=2,p=1 + mrpb";
 * "gto" for none. Returns `text`. */
const char *run_columns_policy(const struct json_t *stack, char *text, size_t size);
/* The columns of parameters one by one: first those of machines, then those of mechanisms. */
struct param_row;
struct run_column {
    const char *name;
    bool is_axis;        /* of the machine: `owner`.`param` is its place in a configuration */
    const char *owner;   /* the group, or the mechanism that the column is named after */
    size_t owner_length; /* 0: of whichever mechanism has it alone */
    const char *param;
    const struct param_row *row; /* what explains it; NULL: this build knows no such parameter */
    bool is_taken;               /* another column has the parameter's name, so that the mechanism's is before it */
};
size_t run_columns_count(const struct run_columns *columns);
void run_columns_at(const struct run_columns *columns, size_t i, struct run_column *out);
/* A column that rows elsewhere have, in place of run_columns_stack. */
int run_columns_param(struct run_columns *columns, const char *column, struct error *err);
/* A machine's value of the i-th column, an axis. `text` has PARAM_TEXT_MAX bytes. */
const char *run_columns_value(const struct run_columns *columns, const char *machine, size_t axis, char *text);
/* The i-th machine by key: its name and *key; NULL behind the last. */
const char *run_columns_machine_at(const struct run_columns *columns, size_t i, const char **key);
/* Its configuration; borrowed. */
const struct gpu_params *run_columns_params_at(const struct run_columns *columns, size_t i, const char **key);
#endif
