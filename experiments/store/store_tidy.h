/* The table of runs as people read it: the view runs_tidy, one row a run, which SQL, pandas, R and our exports share.
 * Beside it:
 *
 *   machine_names(config, machine)             machine_energy(config, counter, joules, microseconds)
 *   kernel_names(symbol, kernel)               error_names(code, name)
 *   runs_tidy_columns(position, name, kind, unit, meaning)
 *
 * All of it follows from the other tables and has no checksums: tidy_check() works it out again. It is written when a
 * run, a trace or a machine brings a name that it has not. Internal to the store. */
#ifndef POISE_STORE_TIDY_H
#define POISE_STORE_TIDY_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"
#include "store/run_columns.h"

struct store;
struct store_run;
struct tidy;

int tidy_add_functions(struct store *store, struct error *err); /* of each connection */
/* Of a store that is open for writing: makes the view where there is none. */
int tidy_open(struct store *store, struct error *err);
void tidy_free(struct tidy *tidy); /* accepts NULL */
/* What a row brings; tidy_write() is due where it is something new. */
int tidy_note(struct store *store, const struct store_run *run, struct error *err);
bool tidy_is_due(const struct store *store);
void tidy_expect(struct store *store); /* a trace was written */
/* Inside of a transaction; machines and kernels alone wait for a second, or for `is_last`. */
int tidy_write(struct store *store, bool is_last, struct error *err);
/* Fills machine_energy of a schema. (store_energy.c) */
int tidy_put_energy(struct store *store, const struct run_columns *machines, const char *schema, struct error *err);
int tidy_rewrite(struct store *store, struct error *err); /* after rows went or came from elsewhere */
/* Fails where a row of these tables or a view differs from what the runs give, and names it. (store_tidy_check.c) */
int tidy_check(struct store *store, struct error *err);

/* The view as this connection's own, exactly for the rows that are there: also of a store that is only read. */
enum tidy_kind { TIDY_RUN, TIDY_NAME, TIDY_AXIS, TIDY_PARAMETER, TIDY_COUNTER, TIDY_FIGURE };
struct tidy_column {
    const char *name, *unit, *meaning;
    enum tidy_kind kind;
};
struct tidy_table {
    struct tidy *tidy; /* owns the names */
    struct tidy_column *columns;
    size_t n;
    sqlite3_stmt *statement; /* SELECT *, sorted by key */
};
int tidy_begin(struct tidy_table *out, struct store *store, struct error *err);
void tidy_end(struct tidy_table *table, struct store *store);
int tidy_view(struct store *store, struct error *err); /* for queries, where the file has no view */
#endif
