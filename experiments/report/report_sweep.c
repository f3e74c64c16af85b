/* A sweep's runs: every one in a table, and what each stack of mechanisms gains over the baseline. */
#include "report/report_internal.h"
enum { ROWS_SHOWN_MAX = 5000 };

static void add_table(json_t *section, const struct table_csv *t)
{
    static const struct report_head heads[] = {{"kernel", "text", "kernel"},
                                               {"launch", "text", "launch"},
                                               {"configuration", "text", "config"},
                                               {"mechanisms", "text", "mechs"},
                                               {"cycles", "whole", "core_cycles"},
                                               {"time (us)", "number", "time_us"},
                                               {"energy (J)", "number", "energy_j"},
                                               {"EDP (J s)", "number", "edp"},
                                               {"IPC", "number", "ipc"},
                                               {"L1 hit rate", "percent", "l1d_hit_rate"},
                                               {"L2 hit rate", "percent", "l2_hit_rate"},
                                               {"AML (cycles)", "number", "aml_cycles"},
                                               {"complete", "whole", "complete"},
                                               {"error", "text", "error"}};
    report_table_of(section, "sweep-table", "Runs", t, heads, COUNT_OF(heads), ROWS_SHOWN_MAX);
    if (t->n_rows > ROWS_SHOWN_MAX)
        report_note(section, "The first %d of %zu runs are shown; sweep.csv has all.", ROWS_SHOWN_MAX, t->n_rows);
}

int report_add_sweep(const struct report_context *c, struct error *err)
{
    const struct table_csv *t = &c->input->sweep;
    if (t->n_columns == 0) return 0;
    char text[200];
    snprintf(text, sizeof text, "%zu runs; %zu in the store, %zu failed, %zu stopped by a limit.", t->n_rows,
             c->input->store.n, c->input->store.failed, c->input->store.incomplete);
    json_t *section = report_open(c, "sweep", "The sweep", text);
    if (report_add_machines(c->document, section, t, c->choice->relative_to, err) < 0) return -1;
    add_table(section, t);
    if (c->input->store.damaged)
        report_finding(c->document, "%zu rows of %s's store do not match their checksums and are left out.",
                       c->input->store.damaged, c->input->name);
    if (c->input->store.failed)
        report_finding(c->document, "%zu runs of %s failed.", c->input->store.failed, c->input->name);
    return 0;
}
