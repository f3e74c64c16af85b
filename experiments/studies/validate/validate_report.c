#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include "poise/lab.h"
#include "studies/validate/validate.h"

double validate_error(double ours, double reference) { return reference > 0 ? ours / reference - 1 : NAN; }
static double hit_rate(const struct validate_figures *f) { return f->l1d_loads > 0 ? f->l1d_hits / f->l1d_loads : 0; }

double pearson_of(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) mx += x[i] / (double)n, my += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return n > 1 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

double kendall_of(const double *x, const double *y, size_t n)
{
    double concordant = 0, x_pairs = 0, y_pairs = 0; /* pairs not tied in x, in y */
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const int dx = (x[i] > x[k]) - (x[i] < x[k]), dy = (y[i] > y[k]) - (y[i] < y[k]);
            concordant += dx * dy;
            x_pairs += dx != 0;
            y_pairs += dy != 0;
        }
    return x_pairs > 0 && y_pairs > 0 ? concordant / sqrt(x_pairs * y_pairs) : NAN;
}

static json_t *figures_json(const struct validate_figures *f)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "cycles", json_or_null(f->cycles), "l1d_load_accesses",
                     json_or_null(f->l1d_loads), "l1d_load_hits", json_or_null(f->l1d_hits), "l1d_mshr_merges",
                     json_or_null(f->l1d_merges), "l1d_misses", json_or_null(f->l1d_misses), "l2_accesses",
                     json_or_null(f->l2_accesses), "l2_misses", json_or_null(f->l2_misses), "dram_reads",
                     json_or_null(f->dram_reads), "dram_writes", json_or_null(f->dram_writes));
}

static json_t *run_json(const struct validate_run *r)
{
    const struct validate_figures *o = &r->ours, *f = &r->reference;
    json_t *out =
        json_pack("{s:s,s:I,s:I}", "run", r->run, "cycles", (json_int_t)o->cycles, "ref_cycles", (json_int_t)f->cycles);
    json_object_set_new(out, "error", json_or_null(validate_error(o->cycles, f->cycles)));
    json_object_set_new(out, "l1d_hit_rate", json_real(hit_rate(o)));
    json_object_set_new(out, "l1d_hit_rate_delta", json_or_null(hit_rate(o) - hit_rate(f)));
    json_object_set_new(out, "l1d_accesses_error", json_or_null(validate_error(o->l1d_loads, f->l1d_loads)));
    json_object_set_new(out, "l2_misses_error", json_or_null(validate_error(o->l2_misses, f->l2_misses)));
    json_object_set_new(out, "dram_reads_error", json_or_null(validate_error(o->dram_reads, f->dram_reads)));
    json_object_set_new(out, "ours", figures_json(o));
    json_object_set_new(out, "reference", figures_json(f));
    return out;
}

/* Of one machine: its run without a limit, and the curve of limits. */
static json_t *case_json(const struct validate_case *c)
{
    json_t *out = json_pack("{s:s,s:I}", "name", c->name, "warp_insts", (json_int_t)c->warp_insts), *swl = json_array();
    if (c->gto) {
        json_t *gto = run_json(c->gto);
        json_object_update(out, gto);
        json_decref(gto);
    }
    for (size_t k = 0; k < c->n_runs; k++) {
        if (!c->runs[k].limit) continue;
        json_t *run = run_json(&c->runs[k]);
        json_object_set_new(run, "N", json_integer(c->runs[k].limit));
        json_array_append_new(swl, run);
    }
    if (c->n_runs > 1) {
        json_object_set_new(out, "swl_loss", json_or_null(c->swl_loss));
        json_object_set_new(out, "best_N", c->best_limit ? json_integer(c->best_limit) : json_string("all"));
        json_object_set_new(out, "ref_best_N",
                            c->reference_best_limit ? json_integer(c->reference_best_limit) : json_string("all"));
    }
    json_object_set_new(out, "swl", swl);
    return out;
}

json_t *validation_cases_json(const struct validation *v)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < v->n; i++) {
        const struct validate_case *c = &v->cases[i];
        if (!v->is_by_config) json_array_append_new(cases, case_json(c));
        for (size_t k = 0; k < c->n_runs && v->is_by_config; k++) {
            json_t *out = json_pack("{s:s,s:I}", "name", c->name, "warp_insts", (json_int_t)c->warp_insts),
                   *run = run_json(&c->runs[k]);
            json_object_update(out, run);
            json_decref(run);
            json_array_append_new(cases, out);
        }
    }
    return cases;
}

json_t *validation_overall_json(const struct validation *v)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "mape", json_or_null(v->gto.mape), "pearson",
                     json_or_null(v->gto.pearson), "kendall", json_or_null(v->gto.kendall), "max_swl_loss",
                     json_or_null(v->max_swl_loss), "mape_all", json_or_null(v->all.mape), "pearson_all",
                     json_or_null(v->all.pearson), "kendall_all", json_or_null(v->all.kendall));
}

json_t *validation_by_config_json(const struct validation *v)
{
    json_t *out = json_object();
    for (size_t i = 0; i < v->n_machines; i++) {
        const struct validate_agreement *a = &v->machines[i].agreement;
        json_object_set_new(out, v->machines[i].name,
                            json_pack("{s:o,s:o,s:o}", "mape", json_or_null(a->mape), "pearson",
                                      json_or_null(a->pearson), "kendall", json_or_null(a->kendall)));
    }
    return out;
}

json_t *validation_config_json(const struct validation *v)
{
    if (!v->is_by_config) return gpu_params_json(v->machines[0].params);
    json_t *out = json_object();
    for (size_t i = 0; i < v->n_machines; i++)
        json_object_set_new(out, v->machines[i].name, gpu_params_json(v->machines[i].params));
    return out;
}

static void print_head(const char *what)
{
    printf("%s\n\n%-14s %9s %9s %7s %7s %7s %5s %8s %8s %8s %8s %7s\n", what, "case", "cycles", "", "error", "L1 hits",
           "", "diff", "L2 miss", "", "DRAM rd", "", "error");
}

static void print_run(const char *label, const struct validate_run *r)
{
    const struct validate_figures *o = &r->ours, *f = &r->reference;
    const bool has_l1 = f->l1d_loads > 0;
    printf("%-14s %9.0f %9.0f %+6.1f%% ", label, o->cycles, f->cycles, 100 * validate_error(o->cycles, f->cycles));
    if (has_l1)
        printf("%6.1f%% %6.1f%% %+5.1f", 100 * hit_rate(o), 100 * hit_rate(f), 100 * (hit_rate(o) - hit_rate(f)));
    else printf("%7s %7s %5s", "-", "-", "-");
    printf(" %8.0f %8.0f %8.0f %8.0f %+6.1f%%\n", o->l2_misses, f->l2_misses, o->dram_reads, f->dram_reads,
           100 * validate_error(o->dram_reads, f->dram_reads));
}

static void print_curve(const struct validate_case *c)
{
    if (c->gto) print_run(c->name, c->gto);
    for (size_t k = 0; k < c->n_runs; k++) {
        char label[32];
        snprintf(label, sizeof label, "  N = %u", c->runs[k].limit);
        if (c->runs[k].limit) print_run(label, &c->runs[k]);
    }
    if (isnan(c->swl_loss)) return;
    char ours[16] = "all", theirs[16] = "all";
    if (c->best_limit) snprintf(ours, sizeof ours, "%u", c->best_limit);
    if (c->reference_best_limit) snprintf(theirs, sizeof theirs, "%u", c->reference_best_limit);
    printf("  best N: %s; the reference's: %s; ours used there loses %.1f%% of its speedup\n", ours, theirs,
           100 * c->swl_loss);
}

static void print_machine(const struct validation *v, size_t m)
{
    const struct validate_agreement *a = &v->machines[m].agreement;
    char head[400];
    snprintf(head, sizeof head, "%s: %s, in each pair ours is first", v->machines[m].name, v->machines[m].file);
    print_head(head);
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->cases[i].n_runs; k++)
            if (v->cases[i].runs[k].machine == m) print_run(v->cases[i].name, &v->cases[i].runs[k]);
    printf("  mean absolute cycle error %.1f%%, Pearson %.4f, Kendall %.3f\n\n", 100 * a->mape, a->pearson, a->kendall);
}

void validation_print(const struct validation *v)
{
    if (v->is_by_config) {
        for (size_t m = 0; m < v->n_machines; m++) print_machine(v, m);
        printf("L1 hits: of loads of 32-byte sectors, without merges into pending misses; -: the reference looks no "
               "load up. DRAM reads: 64 bytes.\n");
        return;
    }
    print_head("The reference's traces on its configuration; in each pair ours is first.");
    for (size_t i = 0; i < v->n; i++) print_curve(&v->cases[i]);
    printf("\nGTO: mean absolute cycle error %.1f%%, Pearson %.4f, Kendall %.3f. All runs: %.1f%%, %.4f, %.3f.\n",
           100 * v->gto.mape, v->gto.pearson, v->gto.kendall, 100 * v->all.mape, v->all.pearson, v->all.kendall);
    printf("N: warps a scheduler that may run. L1 hits: of loads after coalescing, without merges into pending misses. "
           "DRAM reads: 64-byte\n"
           "commands without those that fetch a line for a store, which the reference counts apart.\n");
}
