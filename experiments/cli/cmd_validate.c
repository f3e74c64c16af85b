/* poise validate: how far we are from a reference simulator, and from what arithmetic says. */
#include <jansson.h>
#include <stdlib.h>
#include "cli/options.h"
#include "poise/lab.h"
#include "studies/validate/validate.h"

struct validate_options {
    const char *cases;
    uint64_t threads;
    bool closed_form, json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(validate_options, cases, 0, OPTION_TEXT, "DIR",
           "cases.json, with the traces and configurations that it names (default: the folder of the tests)"),
    OPTION_NAMED(validate_options, closed_form, "closed-form", 0, OPTION_FLAG, NULL,
                 "machines and programs whose figures arithmetic gives, in place of the cases"),
    OPTION(validate_options, threads, 0, OPTION_WHOLE, "N",
           "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(validate_options),
    OPTION(validate_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct validate_options *o = options;
    char reference[512];
    lab_path(reference, sizeof reference, "POISE_REFERENCE", "share/poise/reference/accelsim", POISE_REFERENCE_DEFAULT);
    struct validation v = {0};
    struct closed_result *forms = NULL;
    size_t n_forms = 0;
    if (arguments->n) return error_set(err, ERR_USAGE, "poise validate takes no argument '%s'", arguments->items[0]);
    const bool has_cases = o->cases || !o->closed_form;
    int result = has_cases ? validate_cases(&v, o->cases ? o->cases : reference,
                                            (unsigned)(o->threads > 1024 ? 1024 : o->threads), o->lenient, err)
                           : 0;
    if (result == 0 && o->closed_form) result = validate_closed_forms(&forms, &n_forms, err);
    if (result == 0 && o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "cases", validation_cases_json(&v));
        json_object_set_new(out, "overall", has_cases ? validation_overall_json(&v) : json_object());
        json_object_set_new(out, "closed_form", closed_forms_json(forms, n_forms));
        if (has_cases) json_object_set_new(out, "config", validation_config_json(&v));
        if (v.is_by_config) json_object_set_new(out, "by_config", validation_by_config_json(&v));
        result = cli_print_json(out, err);
    } else if (result == 0) {
        if (has_cases) validation_print(&v);
        closed_forms_print(forms, n_forms);
    }
    for (size_t i = 0; i < n_forms && result == 0; i++)
        if (!forms[i].pass) result = 1;
    free(forms);
    validation_fini(&v);
    return result;
}

const struct command command_validate = {"validate",
                                         "compare with a reference simulator and with closed forms",
                                         "[--cases DIR] [--closed-form] [--lenient] [--json]",
                                         "The reference's traces run on its configuration; differences are listed for "
                                         "each case and summed up. cases.json may name several\n"
                                         "configurations (`configs`) and runs by them: each configuration has a table "
                                         "of its own. Exit status 1: a closed form failed.\n",
                                         rows,
                                         COUNT_OF(rows),
                                         sizeof(struct validate_options),
                                         run};
