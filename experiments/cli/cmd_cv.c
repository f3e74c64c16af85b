/* poise cv SPEC.yaml: models compared on benchmarks that they have not seen. */
#include <jansson.h>
#include "studies/cv/cv.h"
#include "cli/options.h"
#include "poise/say.h"
#include "poise/spec_format.h"

struct cv_cli_options {
    const char *out;
    bool json, example;
};
static const struct option_row rows[] = {
    OPTION(cv_cli_options, out, 0, OPTION_TEXT, "DIR", "write cv.json and the CSV files that reports draw from"),
    OPTION(cv_cli_options, json, 0, OPTION_FLAG, NULL, "print the report as JSON instead of the table"),
    OPTION(cv_cli_options, example, 0, OPTION_FLAG, NULL,
           "print an annotated spec that runs (poise cv --example > my.yaml)"),
};

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct cv_cli_options *o = options;
    struct cv_spec spec;
    json_t *report;
    if (o->example) return cli_print_example(cli, &spec_format_cv);
    if (arguments->n != 1) return error_set(err, ERR_USAGE, "poise cv needs one spec");
    if (cv_spec_read(&spec, arguments->items[0], err) < 0) return -1;
    int result = cv_run(&report, &spec, o->out, err);
    size_t i;
    json_t *warning;
    if (result == 0)
        json_array_foreach(json_object_get(report, "warnings"), i, warning)
            say_warning(stderr, "%s: %s", spec.dataset, json_string_value(warning));
    if (result == 0 && o->json) result = cli_print_json(report, err);
    else if (result == 0) cv_print(report, stdout), json_decref(report);
    cv_spec_fini(&spec);
    return result;
}

const struct command command_cv = {
    "cv",
    "cross-validate models, benchmark by benchmark",
    "SPEC.yaml [--out DIR]",
    "'poise help spec-cv' explains the spec, --example prints one.\n"
    "A spec of kind cv names a data set, the profile its rows come from, models, and studies: ablation, importance, "
    "learning_curve,\n"
    "noise, stability, selection, lasso, calibration (or all). experiments/specs/ci-cv.yaml is a small one.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct cv_cli_options),
    run};
