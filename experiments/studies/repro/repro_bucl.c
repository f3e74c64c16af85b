/* BUCL, selective L1 bypassing for un-coalesced loads: Figs. 7, 8, 9 and Tab. III, and what its studies share. */
#include "studies/repro/repro_bucl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct bucl_benchmark bucl_benchmarks[BUCL_BENCHMARKS] = {
    {"kmn", "KMN", true},     {"bfs", "BFS", true},      {"particlefilter", "PTF", true}, {"gaussian", "GAU", true},
    {"sssp", "SSSP", true},   {"backprop", "BP", false}, {"b+tree", "BT", false},         {"nw", "NW", false},
    {"2dconv", "2DC", false}, {"myocyte", "MYC", false},
};

size_t bucl_find(const struct repro_data *data, const char *name)
{
    size_t b = 0;
    while (b < data->n && strcmp(data->benchmarks[b].name, name) != 0) b++;
    return b;
}

size_t bucl_group(const struct repro_data *data, bool is_uncoalesced, size_t members[BUCL_BENCHMARKS])
{
    size_t n = 0;
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (bucl_benchmarks[i].is_uncoalesced == is_uncoalesced && b < data->n) members[n++] = b;
    }
    return n;
}

double bucl_mean(const struct repro_data *data, enum repro_mean mean, bool is_uncoalesced,
                 double (*f)(const struct repro_data *, size_t, size_t), size_t point)
{
    double values[BUCL_BENCHMARKS];
    size_t members[BUCL_BENCHMARKS];
    const size_t n = bucl_group(data, is_uncoalesced, members);
    for (size_t i = 0; i < n; i++) values[i] = f(data, members[i], point);
    return repro_mean(mean, values, n);
}

double bucl_speedup(const struct repro_data *data, size_t b, size_t point) { return repro_speedup(data, b, point); }

double bucl_hit_rate(const struct repro_data *data, size_t b, size_t point)
{
    return repro_value(data, b, point, "l1d_load_accesses") > 0 ? 100 * repro_value(data, b, point, "l1d_hit_rate")
                                                                : NAN;
}

size_t bucl_best(const struct repro_data *data, size_t b, const char *prefix, unsigned *N)
{
    size_t best = data->n_points;
    const size_t length = strlen(prefix);
    for (size_t p = 0; p < data->n_points; p++) {
        if (strncmp(data->points[p], prefix, length) != 0 || data->points[p][length] != ' ') continue;
        const unsigned n = (unsigned)strtoul(data->points[p] + length + 1, NULL, 10);
        const double gain = best < data->n_points ? repro_speedup(data, b, p) - repro_speedup(data, b, best) : 1;
        if (gain < 0 || (gain == 0 && n < *N)) continue;
        best = p;
        *N = n;
    }
    return best;
}

void bucl_note(const struct repro_data *data, struct repro_report *report)
{
    char missing[160] = "";
    for (size_t i = 0, used = 0; i < BUCL_BENCHMARKS; i++)
        if (bucl_find(data, bucl_benchmarks[i].name) == data->n && used < sizeof missing)
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "",
                                     bucl_benchmarks[i].label);
    if (*missing) repro_deviation(report, "of the paper's benchmarks, not measured here: %s", missing);
    repro_deviation(report, "the paper's run on GPGPU-Sim 3.2.2 with 51 M to 922 M instructions");
}

/* ---- schemes: a point, or the best of points ---- */

struct scheme {
    const char *title, *point;
    bool is_best;
    double uncoalesced, coherent;
};
static const struct scheme mrpb = {"MRPB", "MRPB", false, 22, NAN},
                           prf5k = {"BUCL-Prf5k", "BUCL-Prf5k", false, 38, NAN},
                           prf10k = {"BUCL-Prf10k", "BUCL-Prf10k", false, 29, NAN},
                           swl = {"SWL-Best", "SWL", true, 16, 3}, dyn = {"BUCL-Dyn", "BUCL-Dyn", false, 36, 5},
                           swbu = {"SWBU", "SWBU", true, 45, NAN};

static size_t point_of(const struct repro_data *data, size_t b, const struct scheme *s)
{
    unsigned N = 0;
    return s->is_best ? bucl_best(data, b, s->point, &N) : repro_point(data, s->point);
}

/* The group's mean of a scheme: of speedups or of hit rates. */
static double scheme_mean(const struct repro_data *data, enum repro_mean mean, bool is_uncoalesced,
                          double (*f)(const struct repro_data *, size_t, size_t), const struct scheme *s)
{
    double values[BUCL_BENCHMARKS];
    size_t members[BUCL_BENCHMARKS];
    const size_t n = bucl_group(data, is_uncoalesced, members);
    for (size_t i = 0; i < n; i++) values[i] = f(data, members[i], point_of(data, members[i], s));
    return repro_mean(mean, values, n);
}

static double gain_of(const struct repro_data *data, size_t b, const struct scheme *s)
{
    return 100 * (repro_speedup(data, b, point_of(data, b, s)) - 1);
}

static double mean_gain(const struct repro_data *data, bool is_uncoalesced, const struct scheme *s,
                        struct repro_report *report)
{
    const double gain = 100 * (scheme_mean(data, MEAN_GEOMETRIC, is_uncoalesced, bucl_speedup, s) - 1);
    repro_row(report, is_uncoalesced ? s->uncoalesced : s->coherent, gain, "%", "%s %s",
              is_uncoalesced ? "GMUC" : "GMCH", s->title);
    return gain;
}

static void each_gain(const struct repro_data *data, const struct scheme *const *schemes, size_t n, bool with_coherent,
                      struct repro_report *report)
{
    static const struct {
        const char *label, *title;
        double gain;
    } told[] = {{"BP", "MRPB", -7}, {"2DC", "MRPB", -4}};
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n || !(with_coherent || bucl_benchmarks[i].is_uncoalesced)) continue;
        for (size_t k = 0; k < n; k++) {
            double paper = NAN;
            for (size_t t = 0; t < COUNT_OF(told); t++)
                if (strcmp(told[t].label, bucl_benchmarks[i].label) == 0 &&
                    strcmp(told[t].title, schemes[k]->title) == 0)
                    paper = told[t].gain;
            repro_cell(report, paper, gain_of(data, b, schemes[k]), "%", bucl_benchmarks[i].label, "%s",
                       schemes[k]->title);
        }
    }
}

/* ---- Fig. 7 ---- */

/* What a load around L1 brings is not in the paper, and decides most. Parts of BUCL and MRPB on their own. */
static void parts(const struct repro_data *data, struct repro_report *report)
{
    static const struct scheme ours[] = {{"BUCL-Dyn, whole lines", "BUCL-Dyn lines", false, NAN, NAN},
                                         {"BUCL-Dyn, instruction level alone", "instruction level", false, NAN, NAN},
                                         {"BUCL, access level alone", "access level", false, NAN, NAN},
                                         {"BUCL-Dyn, merges as hits", "BUCL-Dyn merges", false, NAN, NAN},
                                         {"MRPB, whole lines", "MRPB lines", false, NAN, NAN},
                                         {"MRPB, FIFOs of 8", "MRPB FIFOs of 8", false, NAN, NAN},
                                         {"MRPB, reordering alone", "MRPB reordering", false, NAN, NAN},
                                         {"MRPB, bypassing alone", "MRPB bypassing", false, NAN, NAN}};
    for (size_t i = 0; i < COUNT_OF(ours); i++) {
        mean_gain(data, true, &ours[i], report);
        mean_gain(data, false, &ours[i], report);
    }
    repro_deviation(report, "a load around L1 brings the sectors that it touches, as in the simulator that the paper "
                            "used; 'whole lines' is the other reading");
}

static void report_7(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct scheme *const shown[] = {&mrpb, &prf5k, &prf10k, &swl, &dyn};
    enum { MRPB, PRF5K, PRF10K, SWL, DYN, N };
    double u[N], c[N];
    const size_t kmn = bucl_find(data, "kmn"), bp = bucl_find(data, "backprop"), conv = bucl_find(data, "2dconv");
    (void)study;
    for (size_t i = 0; i < N; i++) u[i] = mean_gain(data, true, shown[i], report);
    for (size_t i = 0; i < N; i++) c[i] = mean_gain(data, false, shown[i], report);
    if (kmn < data->n)
        repro_row(report, 19, 100 * ((100 + gain_of(data, kmn, &dyn)) / (100 + gain_of(data, kmn, &mrpb)) - 1), "%",
                  "KMN BUCL-Dyn over MRPB");
    each_gain(data, shown, N, true, report);
    parts(data, report);
    BUCL_CHECK(report, u[DYN], u[DYN] > 0, "BUCL-Dyn gains on un-coalesced benchmarks");
    BUCL_CHECK(report, u[DYN], u[DYN] > u[MRPB], "it gains more than MRPB there");
    BUCL_CHECK(report, u[DYN], u[DYN] > u[SWL], "it gains more than SWL-Best there");
    BUCL_CHECK(report, u[DYN], u[PRF5K] > u[MRPB] && u[PRF10K] > u[MRPB],
               "both profiled flavours gain more than MRPB there");
    BUCL_CHECK(report, u[DYN], u[MRPB] > 0 && u[SWL] > 0, "MRPB and SWL-Best gain there");
    BUCL_CHECK(report, u[DYN] + c[DYN], u[DYN] > c[DYN],
               "BUCL-Dyn gains more on un-coalesced benchmarks than on coherent ones");
    BUCL_CHECK(report, c[DYN], c[DYN] > 0, "BUCL-Dyn gains a little on coherent benchmarks");
    BUCL_CHECK(report, c[DYN], c[DYN] > c[SWL], "it gains more than SWL-Best on coherent benchmarks");
    const double loss =
        bp < data->n && conv < data->n ? fmax(gain_of(data, bp, &mrpb), gain_of(data, conv, &mrpb)) : NAN;
    BUCL_CHECK(report, loss, loss < 0, "MRPB loses on BP and 2DC");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_7 = {"bucl-7",
                                         "IPC of BUCL, MRPB and SWL-Best over the baseline",
                                         "BUCL Fig. 7",
                                         MEAN_GEOMETRIC,
                                         "bucl/schemes.yaml",
                                         report_7,
                                         NULL};

/* ---- Fig. 8 ---- */

static void report_8(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct scheme base = {"baseline", "base", false, 18, NAN};
    static const struct {
        const struct scheme *scheme;
        double paper;
    } shown[] = {{&base, 18}, {&mrpb, 39}, {&swl, 39}, {&dyn, 63}};
    enum { BASE, MRPB, SWL, DYN, N };
    double u[N], c[N];
    for (size_t i = 0; i < N; i++) {
        u[i] = scheme_mean(data, study->mean, true, bucl_hit_rate, shown[i].scheme);
        repro_row(report, shown[i].paper, u[i], "%", "AGUC %s", shown[i].scheme->title);
    }
    for (size_t i = 0; i < N; i++) {
        c[i] = scheme_mean(data, study->mean, false, bucl_hit_rate, shown[i].scheme);
        repro_row(report, NAN, c[i], "%", "AGCH %s", shown[i].scheme->title);
    }
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        for (size_t k = 0; k < N && b < data->n; k++)
            repro_cell(report, NAN, bucl_hit_rate(data, b, point_of(data, b, shown[k].scheme)), "%",
                       bucl_benchmarks[i].label, "%s", shown[k].scheme->title);
    }
    BUCL_CHECK(report, u[DYN], u[DYN] > u[BASE], "BUCL raises the hit rate of un-coalesced benchmarks");
    BUCL_CHECK(report, u[DYN], u[DYN] > u[MRPB] && u[DYN] > u[SWL], "it raises it more than MRPB and SWL-Best do");
    BUCL_CHECK(report, u[DYN], u[MRPB] > u[BASE] && u[SWL] > u[BASE], "MRPB and SWL-Best raise it too");
    BUCL_CHECK(report, c[DYN], c[DYN] >= c[BASE], "it does not fall on coherent benchmarks");
    repro_deviation(report, "hits over accesses that looked L1 up, as in the paper: what goes around L1 is in neither; "
                            "a benchmark all of whose loads do is left out");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_8 = {"bucl-8",
                                         "L1D hit rates under BUCL, MRPB and SWL-Best",
                                         "BUCL Fig. 8",
                                         MEAN_ARITHMETIC,
                                         "bucl/schemes.yaml",
                                         report_8,
                                         NULL};

/* ---- Fig. 9 and Tab. III ---- */

static void report_9(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct scheme *const shown[] = {&swl, &dyn, &swbu};
    enum { SWL, DYN, SWBU, N };
    double u[N];
    (void)study;
    for (size_t i = 0; i < N; i++) u[i] = mean_gain(data, true, shown[i], report);
    each_gain(data, shown, N, false, report);
    BUCL_CHECK(report, u[SWBU], u[SWBU] > u[SWL], "SWBU gains more than SWL-Best");
    BUCL_CHECK(report, u[SWBU], u[SWBU] > u[DYN], "SWBU gains more than BUCL");
    repro_deviation(report, "SWBU's N is searched anew under BUCL, over the same values as SWL-Best's");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_9 = {"bucl-9",
                                         "SWBU: static wavefront limiting and BUCL together",
                                         "BUCL Fig. 9",
                                         MEAN_GEOMETRIC,
                                         "bucl/schemes.yaml",
                                         report_9,
                                         NULL};

static void report_tab_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *label;
        double swl, swbu;
    } paper[] = {{"KMN", 3, 12}, {"BFS", 12, 18}, {"PTF", 20, 41}, {"GAU", 7, 14}, {"SSSP", 5, 10}};
    const double schedulers = repro_param(data, 0, "core", "schedulers");
    size_t n = 0, more = 0, fewer = 0;
    (void)study;
    for (size_t i = 0; i < COUNT_OF(paper); i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        unsigned alone = 0, together = 0;
        if (b == data->n || bucl_best(data, b, "SWL", &alone) == data->n_points ||
            bucl_best(data, b, "SWBU", &together) == data->n_points)
            continue;
        repro_cell(report, paper[i].swl, schedulers * alone, "warps", paper[i].label, "SWL-Best");
        repro_cell(report, paper[i].swbu, schedulers * together, "warps", paper[i].label, "SWBU");
        n++;
        more += together > alone;
        fewer += together < alone;
    }
    const double all = n ? (double)n : NAN;
    BUCL_CHECK(report, all, fewer == 0, "no benchmark's best number of warps falls under SWBU (%zu of %zu)", fewer, n);
    BUCL_CHECK(report, all, more == n, "each one's rises (%zu of %zu)", more, n);
    repro_deviation(report, "warps of an SM, schedulers times N; N is searched over the values that the spec lists; "
                            "equals go to more warps");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_tab_3 = {"bucl-tab-3",
                                             "optimal warps of SWL-Best and SWBU",
                                             "BUCL Tab. III",
                                             MEAN_GEOMETRIC,
                                             "bucl/schemes.yaml",
                                             report_tab_3,
                                             NULL};
