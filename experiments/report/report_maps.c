/* Warp-tuple maps: one for each profiled launch, with what hindsight, the score, the model and the engine chose on
 * it. [THESIS Fig. 5.15] */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/regret.h"

/* mark, what it is */
#define MARKS(M) \
    M(static_best, "Static-Best", "the fastest simulated point") \
    M(target, "Target", "the highest score [THESIS Eq. 5.12]: what training aims at") \
    M(predicted, "Prediction", "the model's tuple, offline") \
    M(corrected, "Corrected", "where the engine's search ended, mean over SMs and periods")

static void add_mark(json_t *figure, const char *kind, double N, double p)
{
    json_t *marks = json_object_get(figure, "marks");
    if (!isnan(N))
        json_array_append_new(marks,
                              json_pack("{s:s,s:o,s:o}", "kind", kind, "x", report_number(N), "y", report_number(p)));
}

/* Hover columns: name, format, value of a point. */
static double hit_rate(const struct report_point *q)
{
    return q->run ? report_ratio(q->run->metrics, METRIC_l1d_load_hits, METRIC_l1d_load_accesses) : NAN;
}
static double aml(const struct report_point *q)
{
    return q->run ? report_ratio(q->run->metrics, METRIC_miss_latency_sum, METRIC_l1d_fills) : NAN;
}
static double memory_stalls(const struct report_point *q)
{
    return q->run && q->run->metrics[METRIC_issue_slots] > 0
               ? (q->run->metrics[METRIC_stall_data_mem] + q->run->metrics[METRIC_stall_str_mem]) /
                     q->run->metrics[METRIC_issue_slots]
               : NAN;
}
static double idle(const struct report_point *q)
{
    return q->run && q->run->metrics[METRIC_issue_slots] > 0
               ? (q->run->metrics[METRIC_stall_throttled] + q->run->metrics[METRIC_stall_idle]) /
                     q->run->metrics[METRIC_issue_slots]
               : NAN;
}
static double score(const struct report_point *q) { return q->score; }
static double cycles(const struct report_point *q) { return q->run ? q->run->metrics[METRIC_core_cycles] : NAN; }
static const struct {
    const char *name, *format;
    double (*value)(const struct report_point *);
} hovers[] = {
    {"L1 hit rate", "percent", hit_rate},   {"AML (cycles)", "whole", aml}, {"memory stalls", "percent", memory_stalls},
    {"throttled or idle", "percent", idle}, {"score", "ratio", score},      {"cycles", "whole", cycles},
};

static void add_columns(json_t *figure, const struct report_launch *launch)
{
    json_t *x = json_array(), *y = json_array(), *v = json_array(), *extra = json_array();
    for (size_t i = 0; i < launch->n; i++) {
        json_array_append_new(x, json_integer((json_int_t)launch->points[i].N));
        json_array_append_new(y, json_integer((json_int_t)launch->points[i].p));
        json_array_append_new(v, report_number(launch->points[i].speedup));
    }
    for (size_t h = 0; h < COUNT_OF(hovers); h++) {
        json_t *values = json_array();
        size_t known = 0;
        for (size_t i = 0; i < launch->n; i++) {
            const double value = hovers[h].value(&launch->points[i]);
            known += !isnan(value);
            json_array_append_new(values, isnan(value) ? json_null()
                                          : strcmp(hovers[h].format, "whole") == 0
                                              ? json_integer((json_int_t)(value + 0.5))
                                              : report_number(round(1e4 * value) / 1e4));
        }
        if (known)
            json_array_append_new(extra, json_pack("{s:s,s:s,s:O}", "name", hovers[h].name, "format", hovers[h].format,
                                                   "values", values));
        json_decref(values);
    }
    json_object_set_new(figure, "x", x);
    json_object_set_new(figure, "y", y);
    json_object_set_new(figure, "v", v);
    json_object_set_new(figure, "hover", extra);
}

/* ---- maps of few points ---- */

/* The distinct values of one coordinate, ascending. */
static json_t *values_of(const struct report_launch *launch, bool is_p)
{
    json_t *list = json_array();
    for (uint32_t v = 1; v <= launch->W; v++)
        for (size_t i = 0; i < launch->n; i++)
            if ((is_p ? launch->points[i].p : launch->points[i].N) == v) {
                json_array_append_new(list, json_integer(v));
                break;
            }
    return list;
}

/* A third of the plane or less is drawn by points on axes that have a place for each simulated value alone: a corner
 * where points crowd gets the room of what was left out. Returns whether it is so. */
static bool add_ticks(json_t *figure, const struct report_launch *launch)
{
    if (launch->W < 6 || 3 * launch->n > points_grid_size(launch->W)) return false;
    json_object_set_new(figure, "xticks", values_of(launch, false));
    json_object_set_new(figure, "yticks", values_of(launch, true));
    return true;
}

static void add_map(json_t *section, const struct report_launch *launch)
{
    char id[200], slug[160], caption[300], title[320];
    const struct report_point *best = report_best(launch);
    if (!best) return;
    snprintf(title, sizeof title, "%s%s%s", launch->launch, *launch->machine ? ", " : "", launch->machine);
    snprintf(id, sizeof id, "map-%s", report_slug(title, slug, sizeof slug));
    snprintf(caption, sizeof caption, "%s. %zu of %zu points; fastest: (%.0f, %.0f), %.3f times (%u, %u).",
             launch->is_training ? "Training" : "Evaluation", launch->n, points_grid_size(launch->W), best->N, best->p,
             best->speedup, launch->W, launch->W);
    if (!launch->summary && !launch->is_training)
        memmove(caption, caption + strlen("Evaluation. "), strlen(caption) - strlen("Evaluation. ") + 1);
    json_t *figure = report_figure(section, "heat", id, title, caption);
    json_object_set_new(figure, "size", json_string("small"));
    json_object_set_new(figure, "group",
                        json_string(launch->is_training ? "training"
                                    : launch->summary   ? "evaluation"
                                                        : "sweep"));
    json_object_set_new(figure, "W", json_integer(launch->W));
    json_object_set_new(figure, "middle", json_real(1));
    json_object_set_new(figure, "value", json_pack("{s:s,s:s}", "label", "speedup", "format", "ratio"));
    json_object_set_new(figure, "xaxis", json_pack("{s:s}", "label", "N: warps that may issue"));
    json_object_set_new(figure, "yaxis", json_pack("{s:s}", "label", "p: of these, may allocate"));
    add_columns(figure, launch);
    if (add_ticks(figure, launch)) {
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
                 " The axes have a place for each simulated value alone.");
        json_object_set_new(figure, "caption", json_string(caption));
    }
    json_object_set_new(figure, "marks", json_array());
    add_mark(figure, "static_best", best->N, best->p);
    add_mark(figure, "target", launch->target[0], launch->target[1]);
    add_mark(figure, "predicted", launch->predicted[0], launch->predicted[1]);
    add_mark(figure, "corrected", launch->corrected[0], launch->corrected[1]);
}

/* ---- the table of tuples ---- */

static void pair_cell(json_t *row, const double at[2])
{
    if (isnan(at[0])) json_array_append_new(row, json_null());
    else if (at[0] == floor(at[0]) && at[1] == floor(at[1])) report_cell_text(row, "%.0f, %.0f", at[0], at[1]);
    else report_cell_text(row, "%.1f, %.1f", at[0], at[1]);
}

/* What a tuple is worth on the launch's profile, at the nearest simulated point. */
static double worth(const struct report_launch *launch, const double at[2])
{
    struct profile_point points[512];
    size_t n = 0;
    if (isnan(at[0])) return NAN;
    for (size_t i = 0; i < launch->n && n < COUNT_OF(points); i++)
        points[n++] = (struct profile_point){(uint32_t)launch->points[i].N, (uint32_t)launch->points[i].p,
                                             launch->points[i].speedup};
    return n ? profile_value(points, n, (uint32_t)(at[0] + 0.5), (uint32_t)(at[1] + 0.5)).speedup : NAN;
}

static void add_table(json_t *section, const struct report_launches *launches)
{
    static const char *const columns[][2] = {{"launch", "text"},
                                             {"set", "text"},
                                             {"W", "whole"},
                                             {"points", "whole"},
                                             {"Static-Best", "text"},
                                             {"target", "text"},
                                             {"prediction", "text"},
                                             {"corrected", "text"},
                                             {"speedup, best", "ratio"},
                                             {"at target", "ratio"},
                                             {"at prediction", "ratio"},
                                             {"Poise's run", "ratio"},
                                             {"regret of prediction", "percent"}};
    json_t *table = report_table(section, "tuple-table", "Tuples and what they are worth");
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        report_column(table, columns[c][0], columns[c][1]);
        if (c == 0 && report_has_machines(launches)) report_column(table, "machine", "text");
    }
    for (size_t i = 0; i < launches->n; i++) {
        const struct report_launch *l = &launches->items[i];
        const struct report_point *best = report_best(l);
        if (!best) continue;
        const double at[2] = {best->N, best->p}, predicted = worth(l, l->predicted);
        const double gto_cycles = best->run ? best->speedup * best->run->metrics[METRIC_core_cycles] : NAN;
        json_t *row = report_row(table);
        report_cell_text(row, "%s", l->launch);
        if (report_has_machines(launches)) report_cell_text(row, "%s", l->machine);
        report_cell_text(row, "%s", l->is_training ? "training" : l->summary ? "evaluation" : "sweep");
        report_cell(row, l->W);
        report_cell(row, (double)l->n);
        pair_cell(row, at);
        pair_cell(row, l->target);
        pair_cell(row, l->predicted);
        pair_cell(row, l->corrected);
        report_cell(row, best->speedup);
        report_cell(row, worth(l, l->target));
        report_cell(row, predicted);
        report_cell(row, l->poise ? gto_cycles / l->poise->metrics[METRIC_core_cycles] : NAN);
        report_cell(row, 1 - predicted / best->speedup);
    }
}

int report_add_maps(const struct report_context *c, struct error *err)
{
    (void)err;
    if (c->launches->n == 0) return 0;
    json_t *section = report_open(c, "maps", "Warp tuples",
                                  "A cell is one simulated run of a launch with N warps a scheduler, of which p may "
                                  "allocate in L1; its colour is the speedup over all warps (W, W): "
                                  "blue is faster, brown slower. Cells without colour were not simulated. Each map has "
                                  "its own scale. Marks go round the cell that they mean.");
    json_t *legend = json_array();
#define M(kind, title, text) \
    json_array_append_new(legend, json_pack("{s:s,s:s,s:s}", "kind", #kind, "title", title, "text", text));
    MARKS(M)
#undef M
    json_object_set_new(section, "legend", legend);
    size_t ambiguous = 0;
    for (int training = 0; training < 2; training++)
        for (size_t i = 0; i < c->launches->n; i++) {
            const struct report_launch *launch = &c->launches->items[i];
            if (launch->is_training != (training == 1)) continue;
            add_map(section, launch);
            ambiguous += launch->is_ambiguous;
        }
    add_table(section, c->launches);
    if (ambiguous)
        report_note(section,
                    "Of %zu launches the store has Poise runs of several models, and which is this summary's is not "
                    "known: their corrected tuples are left out.",
                    ambiguous);
    return 0;
}
