/* Figures that the thesis' text states for Figs. 5.9 to 5.11: its means over the 11 evaluation benchmarks. */
#include <math.h>
#include "poise/pipeline.h"

const struct paper_row paper_rows[] = {
    {"gto", 1.0, 0.206, 0.0, "THESIS 5.7.4, 5.7.5, 5.7.6: the baseline"},
    {"swl", 1.218, 0.377, -0.107, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"pcal_swl", 1.315, 0.271, 0.324, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"static_best", 1.528, 0.436, 0.141, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"poise", 1.466, 0.401, 0.011, "THESIS 5.7.4, 5.7.5, 5.7.6; at most 2.94 on mm"},
};
const size_t n_paper_rows = COUNT_OF(paper_rows);
