/* What a comparison with a GPU says: tables, JSON, CSV and the picture. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/hardware.h"
#include "poise/lab.h"
#include "poise/text.h"
#include "studies/validate/validate.h"

/* ---- counters over all rows ---- */

/* How near one counter is, over the rows that have it. */
struct counter_agreement {
    const char *name;
    size_t n;
    double mape, worst;
};

/* Names in order of their first appearance; the list is the caller's to free(). */
static struct counter_agreement *agreements(const struct hardware_comparison *c, size_t *n_out)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < c->n; i++) most += c->results[i].row->n_measured;
    struct counter_agreement *all = calloc(most + 1, sizeof *all);
    for (size_t i = 0; i < c->n && all; i++)
        for (size_t k = 0; k < c->results[i].row->n_measured; k++) {
            const struct hardware_measured *m = &c->results[i].row->measured[k];
            size_t at = 0;
            while (at < n && strcmp(all[at].name, m->name) != 0) at++;
            if (at == n) all[n++] = (struct counter_agreement){.name = m->name};
            const double error = fabs(validate_error(hardware_ours(&c->results[i], m->name), m->value));
            if (isnan(error)) continue;
            all[at].mape += error;
            all[at].n++;
            if (error > all[at].worst) all[at].worst = error;
        }
    for (size_t i = 0; i < n; i++) all[i].mape = all[i].n ? all[i].mape / (double)all[i].n : NAN;
    *n_out = all ? n : 0;
    return all;
}

/* ---- JSON ---- */

static void add_power_range(json_t *counter, const struct hardware_result *r)
{
    struct energy e;
    json_object_set_new(counter, "fitted", json_boolean(r->row->is_fitted));
    if (!hardware_energy(r, &e)) return;
    json_object_set_new(counter, "low", json_real(e.total.low / e.time_us * 1e6));
    json_object_set_new(counter, "high", json_real(e.total.high / e.time_us * 1e6));
}

static json_t *result_json(const struct hardware_result *r)
{
    json_t *counters = json_object();
    for (size_t k = 0; k < r->row->n_measured; k++) {
        const struct hardware_measured *m = &r->row->measured[k];
        const double ours = hardware_ours(r, m->name);
        json_t *counter = json_pack("{s:o,s:o,s:o}", "ours", json_or_null(ours), "hw", json_or_null(m->value), "error",
                                    json_or_null(validate_error(ours, m->value)));
        if (strcmp(m->name, "power_w") == 0) add_power_range(counter, r);
        json_object_set_new(counters, m->name, counter);
    }
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:I,s:o,s:o,s:o,s:o}", "name", r->row->name, "program", r->row->program,
                     "kernel", r->row->kernel, "state", hardware_states[r->state], "why", r->why, "launches",
                     (json_int_t)r->n_launches, "cycles", json_or_null(r->cycles), "hw_cycles",
                     json_or_null(r->row->cycles), "error", json_or_null(r->error), "counters", counters);
}

static json_t *power_json(const struct hardware_comparison *c, bool is_fitted)
{
    const struct hardware_power p = hardware_power(c, is_fitted);
    return json_pack("{s:I,s:o,s:I}", "kernels", (json_int_t)p.kernels, "mape", json_or_null(p.mape), "within",
                     (json_int_t)p.within);
}

json_t *hardware_json(const struct hardware_comparison *c)
{
    const struct hardware_overall o = hardware_overall(c);
    json_t *kernels = json_array(), *by_counter = json_object();
    size_t n;
    struct counter_agreement *all = agreements(c, &n);
    for (size_t i = 0; i < c->n; i++) json_array_append_new(kernels, result_json(&c->results[i]));
    for (size_t i = 0; i < n; i++)
        json_object_set_new(by_counter, all[i].name,
                            json_pack("{s:I,s:o,s:o}", "kernels", (json_int_t)all[i].n, "mape",
                                      json_or_null(all[i].mape), "worst", json_or_null(all[i].n ? all[i].worst : NAN)));
    free(all);
    return json_pack("{s:s,s:s,s:o,s:{s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:s,s:o,s:{s:o,s:o}}}", "gpu", c->hardware->gpu,
                     "source", c->hardware->source, "kernels", kernels, "overall", "kernels", (json_int_t)o.kernels,
                     "not_found", (json_int_t)o.not_found, "failed", (json_int_t)o.failed, "mape", json_or_null(o.mape),
                     "median", json_or_null(o.median), "log_pearson", json_or_null(o.log_pearson), "worst",
                     json_or_null(o.worst), "worst_name", o.worst_name, "counters", by_counter, "power", "fitted",
                     power_json(c, true), "others", power_json(c, false));
}

/* ---- text ---- */

static void print_values(const char *name, double ours, double measured, FILE *out)
{
    const double error = validate_error(ours, measured);
    fprintf(out, "  %-36.36s %14.0f ", name, ours);
    if (isnan(measured)) fprintf(out, "%14s %9s\n", "-", "-");
    else if (isnan(error)) fprintf(out, "%14.0f %9s\n", measured, "-");
    else fprintf(out, "%14.0f %+8.1f%%\n", measured, 100 * error);
}

static void print_result(const struct hardware_result *r, FILE *out)
{
    char shown[sizeof r->why + 4];
    if (r->state == HARDWARE_SIMULATED) print_values(r->row->name, r->cycles, r->row->cycles, out);
    else
        fprintf(out, "  %-36.36s %14s %14.0f %9s  %s\n", r->row->name, hardware_states[r->state], r->row->cycles, "-",
                text_shown(r->why, shown, sizeof shown));
}

static void print_counter(const struct hardware_comparison *c, const struct counter_agreement *a, FILE *out)
{
    fprintf(out, "\n%s", a->name);
    if (a->n) fprintf(out, ": mean absolute error %.1f%%, worst %.1f%%", 100 * a->mape, 100 * a->worst);
    fputc('\n', out);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->results[i].row->n_measured; k++) {
            const struct hardware_result *r = &c->results[i];
            if (strcmp(r->row->measured[k].name, a->name) != 0 || r->state != HARDWARE_SIMULATED) continue;
            print_values(r->row->name, hardware_ours(r, a->name), r->row->measured[k].value, out);
        }
}

void hardware_print(const struct hardware_comparison *c, FILE *out)
{
    const struct hardware_overall o = hardware_overall(c);
    size_t n;
    struct counter_agreement *all = agreements(c, &n);
    fprintf(out, "%s against the simulated machine; means over the launches.\n\n", c->hardware->gpu);
    fprintf(out, "  %-36s %14s %14s %9s\ncycles\n", "kernel", "ours", "measured", "error");
    for (size_t i = 0; i < c->n; i++) print_result(&c->results[i], out);
    for (size_t i = 0; i < n; i++) print_counter(c, &all[i], out);
    free(all);
    fprintf(out, "\n%zu kernels", o.kernels);
    if (o.kernels)
        fprintf(out, ": mean absolute error of cycles %.1f%%, median %.1f%%, worst %.1f%% (%s)", 100 * o.mape,
                100 * o.median, 100 * o.worst, o.worst_name);
    if (!isnan(o.log_pearson)) fprintf(out, ", correlation of logarithms %.3f", o.log_pearson);
    fprintf(out, ". %zu not found, %zu failed: in no mean.\n", o.not_found, o.failed);
}

/* ---- files ---- */

static void csv_line(const struct hardware_result *r, const char *counter, double ours, double measured, FILE *out)
{
    const double values[] = {ours, measured, validate_error(ours, measured)};
    csv_print(out, r->row->name);
    csv_next(out, hardware_states[r->state]);
    csv_next(out, counter);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        char text[40];
        fprintf(out, ",%s", isfinite(values[i]) ? number_text(values[i], text, sizeof text) : "");
    }
    fputc('\n', out);
}

int hardware_csv(const struct hardware_comparison *c, FILE *out, struct error *err)
{
    fputs("kernel,state,counter,ours,measured,error\n", out);
    for (size_t i = 0; i < c->n; i++) {
        const struct hardware_result *r = &c->results[i];
        csv_line(r, "cycles", r->cycles, r->row->cycles, out);
        for (size_t k = 0; k < r->row->n_measured; k++)
            csv_line(r, r->row->measured[k].name, hardware_ours(r, r->row->measured[k].name), r->row->measured[k].value,
                     out);
    }
    return ferror(out) ? error_set(err, ERR_IO, "the table cannot be written") : 0;
}
