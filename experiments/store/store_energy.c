/* machine_energy(config, counter, joules, microseconds) beside runs_tidy: what one count of each counter takes on each
 * machine, so that SQL has time and energy of a run without a function of ours. */
#include <string.h>
#include "poise/energy.h"
#include "store/store_internal.h"
#include "store/store_tidy.h"

struct coefficients {
    struct store *store;
    sqlite3_stmt *statement;
    double cycle_us;
    struct error *err;
    int result;
};

static void put(void *to, const char *counter, double joules)
{
    struct coefficients *c = to;
    if (c->result < 0) return;
    sqlite3_bind_text(c->statement, 2, counter, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(c->statement, 3, joules);
    sqlite3_bind_double(c->statement, 4, strcmp(counter, "core_cycles") == 0 ? c->cycle_us : 0);
    c->result = store_step_done(c->store, c->statement, c->err);
}

int tidy_put_energy(struct store *store, const struct run_columns *machines, const char *schema, struct error *err)
{
    char sql[120];
    const char *config;
    const struct gpu_params *params;
    struct coefficients c = {.store = store, .err = err};
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s.machine_energy VALUES(?1, ?2, ?3, ?4)", schema);
    if (store_prepare(store, &c.statement, sql, err) < 0) return -1;
    for (size_t i = 0; c.result == 0 && (params = run_columns_params_at(machines, i, &config)); i++) {
        sqlite3_bind_text(c.statement, 1, config, -1, SQLITE_TRANSIENT);
        c.cycle_us = energy_cycle_us(params);
        energy_coefficients(params, put, &c);
    }
    sqlite3_finalize(c.statement);
    return c.result;
}
