/* Whether a row has what the paper's has: direction, order and magnitude, and `met`, which is all three. */
#include <math.h>
#include <string.h>
#include "poise/repro.h"

/* What a value stands for: the gain in percent of a factor, else the value itself. */
static double gain_of(const struct repro_row *row, double value)
{
    return strcmp(row->unit, "x") == 0 ? 100 * (value - 1) : value;
}

/* Percentage points are what such a row is counted in. */
static bool is_in_points(const struct repro_row *row)
{
    return strcmp(row->unit, "x") == 0 || strcmp(row->unit, "%") == 0 || strcmp(row->unit, "points") == 0;
}

static double judged(const struct repro_row *row, enum repro_of of) { return of == OF_SUITE ? row->suite : row->ours; }

static bool is_asked(const struct repro_row *row, enum repro_of of)
{
    return isfinite(row->paper) && isfinite(judged(row, of));
}

static double band_points(const struct repro_row *row) { return row->points > 0 ? row->points : REPRO_POINTS_APART; }

int repro_row_direction(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    const double paper = gain_of(r, r->paper), ours = gain_of(r, judged(r, of));
    if (fpclassify(paper) == FP_ZERO) return fabs(ours) <= (is_in_points(r) ? band_points(r) : 0);
    return paper > 0 ? ours > 0 : ours < 0;
}

int repro_row_magnitude(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    const double paper = gain_of(r, r->paper), ours = gain_of(r, judged(r, of));
    const double within = r->within > 0 ? r->within : REPRO_WITHIN;
    if (is_in_points(r) && fabs(ours - paper) <= band_points(r) + 1e-9) return 1;
    if (!(paper * ours > 0)) return fpclassify(paper) == FP_ZERO && fpclassify(ours) == FP_ZERO;
    return fabs(ours) <= within * fabs(paper) + 1e-9 && fabs(paper) <= within * fabs(ours) + 1e-9;
}

/* The values of a column of the table of benchmarks are rivals, and so are rows that stand alone, of one unit; a study
 * that compares less says which rows belong together. */
static bool are_rivals(const struct repro_row *a, const struct repro_row *b)
{
    if (a == b || strcmp(a->unit, b->unit) != 0 || !a->item != !b->item) return false;
    if (a->item) return strcmp(a->label + a->item, b->label + b->item) == 0;
    return strcmp(a->rivals, b->rivals) == 0;
}

int repro_row_order(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *other = &report->rows[i];
        if (!are_rivals(r, other) || !is_asked(other, of)) continue;
        const double paper = r->paper - other->paper, ours = judged(r, of) - judged(other, of);
        if (fpclassify(paper) != FP_ZERO && !(paper * ours > 0)) return 0;
    }
    return 1;
}

int repro_row_met(const struct repro_report *report, size_t row, enum repro_of of)
{
    if (!isfinite(report->rows[row].paper)) return -1;
    return repro_row_direction(report, row, of) == 1 && repro_row_order(report, row, of) == 1 &&
           repro_row_magnitude(report, row, of) == 1;
}

struct repro_answers repro_answers(const struct repro_report *report, enum repro_of of)
{
    struct repro_answers a = {0};
    for (size_t i = 0; i < report->n_rows; i++) {
        if (!isfinite(report->rows[i].paper)) continue;
        a.rows++;
        a.measured += is_asked(&report->rows[i], of);
        a.direction += repro_row_direction(report, i, of) == 1;
        a.order += repro_row_order(report, i, of) == 1;
        a.magnitude += repro_row_magnitude(report, i, of) == 1;
        a.met += repro_row_met(report, i, of) == 1;
    }
    return a;
}
