/* poise validate: how far we are from a reference simulator, and from what arithmetic says. */
#include <jansson.h>
#include <stdlib.h>
#include "cli/options.h"
#include "cli/validate_modes.h"
#include "poise/lab.h"
#include "poise/spec_format.h"
#include "studies/validate/validate.h"

struct validate_options {
    const char *cases, *hardware, *explain, *machine, *out, *store;
    struct texts set;
    uint64_t threads;
    bool closed_form, microbench, counters, example, json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(validate_options, cases, 0, OPTION_TEXT, "DIR",
           "cases.json, with the traces and configurations that it names (default: the folder of the tests)"),
    OPTION_NAMED(validate_options, closed_form, "closed-form", 0, OPTION_FLAG, NULL,
                 "machines and programs whose figures arithmetic gives, in place of the cases"),
    OPTION(validate_options, hardware, 0, OPTION_TEXT, "DIR",
           "measurements of a GPU (hardware.yaml) in place of the cases: cycles and counters beside ours"),
    OPTION(validate_options, microbench, 0, OPTION_FLAG, NULL,
           "latencies, throughputs, caches and bandwidths of a machine, beside published ones of GPUs and those that "
           "--hardware DIR measured"),
    OPTION(validate_options, explain, 0, OPTION_TEXT, "KERNEL",
           "counters, instruction classes and stalls of the kernels of this name", .modes = "--hardware"),
    OPTION(validate_options, machine, 0, OPTION_TEXT, "M",
           "a preset, a YAML file or a gpgpusim.config (default: the file's, volta80)",
           .modes = "--hardware, --microbench"),
    OPTION(validate_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter of the machine",
           .modes = "--hardware, --microbench"),
    OPTION(validate_options, out, 'o', OPTION_TEXT, "DIR", "write hardware.csv and the plot of cycles there",
           .modes = "--hardware"),
    OPTION(validate_options, store, 0, OPTION_TEXT, "FILE", "take what is in this store, keep what is new",
           .modes = "--hardware"),
    OPTION(validate_options, counters, 0, OPTION_FLAG, NULL, "list the counters that hardware.yaml may name"),
    OPTION(validate_options, example, 0, OPTION_FLAG, NULL, "print an annotated hardware.yaml"),
    OPTION(validate_options, threads, 0, OPTION_WHOLE, "N",
           "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(validate_options),
    OPTION(validate_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int run_cases(const struct validate_options *o, struct error *err)
{
    char reference[512];
    lab_path(reference, sizeof reference, "POISE_REFERENCE", "share/poise/reference/accelsim", POISE_REFERENCE_DEFAULT);
    struct validation v = {0};
    struct closed_result *forms = NULL;
    size_t n_forms = 0;
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

/* Options of one way alone. */
static int check_options(const struct validate_options *o, const struct texts *arguments, struct error *err)
{
    if (arguments->n) return error_set(err, ERR_USAGE, "poise validate takes no argument '%s'", arguments->items[0]);
    if ((o->hardware || o->microbench) && (o->cases || o->closed_form))
        return error_set(err, ERR_USAGE, "--hardware and --microbench go without --cases and --closed-form");
    if ((!o->hardware || o->microbench) && (o->explain || o->out || o->store))
        return error_set(err, ERR_USAGE, "--explain, --out and --store go with --hardware DIR alone");
    if (!o->hardware && !o->microbench && (o->machine || o->set.n))
        return error_set(err, ERR_USAGE, "--machine and --set go with --hardware DIR or --microbench");
    return 0;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct validate_options *o = options;
    if (check_options(o, arguments, err) < 0) return -1;
    if (o->example) return cli_print_example(cli, &spec_format_hardware);
    if (o->counters) return validate_print_counters(), 0;
    const struct validate_hardware h = {o->hardware, o->machine, &o->set,    o->explain,
                                        o->out,      o->store,   o->threads, o->json};
    if (o->microbench) return validate_microbench(cli, &h, err);
    if (o->hardware) return validate_hardware(cli, &h, err);
    return run_cases(o, err);
}

const struct command command_validate = {
    "validate",
    "compare with a reference simulator, with a GPU and with closed forms",
    "[--cases DIR | --hardware DIR | --microbench] [--closed-form] [--lenient] [--json]",
    "The reference's traces run on its configuration; differences are listed for "
    "each case and summed up. cases.json may name several\n"
    "configurations (`configs`) and runs by them: each configuration has a table "
    "of its own. --hardware compares with measurements of a GPU; a row whose program is not "
    "here is listed as 'not found', and is in no mean.\n"
    "Exit status 1: a closed form, or a program of the measurements, failed.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct validate_options),
    run};
