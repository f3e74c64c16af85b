/* The rows of kind cv. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"schema", "1", "needed", "the version of this format"},
    {"kind", "cv", "needed", "what this spec is"},
    {"name", "WORD", "needed", "what reports call it"},
    {"doc", "text", "", "for readers"},
    {"dataset", "FILE", "needed", "rows to learn from, as dataset.csv of 'poise run'; relative to the spec's folder"},
    {"profile", "FILE", "none", "profile.csv of the same job, for regrets"},
    {"group", "a column", "benchmark",
     "what is left out as one; 'poise run' writes the benchmarks that its spec declares"},
    {"targets", "one or two columns", "[N, p]", "what is predicted"},
    {"weights", "frequency or precision", "frequency",
     "what a column 'weight' says: how often the row occurs, or what its variance is divided by"},
    {"features", "a list of columns", "those of Tab. 5.3, else all", "what it is predicted from"},
    {"candidates", "a list of columns", "every feature", "of the studies that choose features"},
    {"validation", "a map", "leave one group out",
     "kind (logo, kfold), folds, repeats, seed, bootstrap, level, ...: learn/README.md"},
    {"models", "a list", "needed", "what is compared"},
    {"models.family", "a family", "needed", "nb2, poisson, ols, ridge, svr, nusvr, knn, mean"},
    {"models.name", "WORD", "the family", "what tables call it"},
    {"models.settings", "{C: 10}", "the family's", "an error lists what a family has"},
    {"models.tune", "true, false or a map", "false",
     "search settings inside each training part: the family's grid, or {C: [1, 10]}"},
    {"studies", "all or a list", "none",
     "ablation, importance, learning_curve, noise, stability, selection, lasso, calibration"},
};
static const char example[] =
    "schema: 1\n"
    "kind: cv\n"
    "name: my-cv\n"
    "dataset: @datasets/features/quickstart/dataset.csv     # or results/NAME/dataset.csv of a job of your own\n"
    "profile: @datasets/features/quickstart/profile.csv     # its tuples, for what a prediction loses\n"
    "group: benchmark                      # one benchmark is left out at a time\n"
    "features: [h_o, h_prime, eta_o, eta_prime, intercept]\n"
    "validation: {kind: logo, bootstrap: 200}\n"
    "models:\n"
    "  - {family: nb2}\n"
    "  - {family: ridge, tune: true}       # settings are searched inside each training part\n"
    "  - {family: mean}                    # what every model has to beat\n"
    "studies: [importance]\n";
const struct spec_format spec_format_cv = {.kind = "cv",
                                           .command = "cv",
                                           .doc = "Models compared on benchmarks that they have not seen.",
                                           .rows = rows,
                                           .n_rows = COUNT_OF(rows),
                                           .example = example};
