/* Command-line options as rows: parsing, defaults and --help come from the same table. Internal to the program. */
#ifndef POISE_OPTIONS_H
#define POISE_OPTIONS_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/runner.h"
#include "poise/workload.h"

#define TEXTS_MAX 256
struct texts {
    const char *items[TEXTS_MAX];
    size_t n;
};

/* bool; const char *; the same, of a file that is written; uint64_t; uint64_t that is 0 where the option is not given
 * and at least 1 where it is; struct texts */
enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_OUT, OPTION_WHOLE, OPTION_COUNT, OPTION_TEXTS };
struct option_row {
    const char *name; /* "json"; given as --json */
    char letter;      /* 'o' for -o; 0 */
    enum option_kind kind;
    size_t offset;
    const char *argument; /* "FILE"; NULL for flags */
    const char *doc;
    /* "train, --all": the modes of the command that take the option, verbs or options; others refuse it. NULL: all. */
    const char *modes;
};
/* clang-format off */
/* The last argument is the text, and what else the row has, as .modes. */
#define OPTION_NAMED(tag, member, text, short_name, type, value, ...) \
    {.name = text, .letter = short_name, .kind = type, .offset = offsetof(struct tag, member), .argument = value, \
     .doc = __VA_ARGS__}
#define OPTION(tag, member, ...) OPTION_NAMED(tag, member, #member, __VA_ARGS__)
/* clang-format on */

/* What makes everything for CUDA programs of the user's own. */
#define OWN_KERNELS_HINT "experiments/quickstart.sh --own-kernels installs clang and builds our CUDA library"

/* Of commands that read a gpgpusim.config; main() takes it for all of them. */
#define OPTION_LENIENT(tag) \
    OPTION(tag, lenient, 0, OPTION_FLAG, NULL, "leave out what is wrong in a gpgpusim.config, and list it")

/* Of every command whose options are rows. */
extern const struct option_row common_options[];
extern const size_t n_common_options;
/* What becomes of the value of --plugin; NULL: the command does not know it. */
typedef int common_option_fn(const char *value, struct error *err);

struct cli {
    struct lab_paths paths;
    char decoded[600]; /* decoded traces, in the folder of traces */
    const volatile sig_atomic_t *stop;
    bool json;           /* --json was given: errors are JSON too */
    bool lenient;        /* --lenient was given: what is wrong in a gpgpusim.config is left out */
    struct ranks *ranks; /* the other processes under mpirun; NULL in a plain run */
};
struct spec_format;
/* --example: an annotated spec that runs. */
int cli_print_example(const struct cli *cli, const struct spec_format *format);
struct command {
    const char *name, *summary, *usage, *details; /* details: NULL or more lines for --help */
    const struct option_row *options;
    size_t n_options;
    size_t options_size; /* 0: the command takes its arguments as they are; the rows are for --help */
    /* An exit status, or -1 with an error. */
    int (*run)(struct cli *cli, const void *options, const struct texts *arguments, struct error *err);
};
/* Every option has its value in `out` (zeroed first); what is no option goes to `arguments`; after "--" everything
 * does. */
int options_parse(const struct command *command, void *out, struct texts *arguments, int argc, char **argv,
                  bool *wants_help, common_option_fn *take_common, struct error *err);
/* Of KEY=VALUE pairs from the item `first` on no key is there twice; `option` is what the error begins with. */
int texts_check_pairs(const struct texts *pairs, size_t first, const char *option, struct error *err);
/* --name of a model, or NULL: UTF-8 that a model file has room for. */
int cli_check_model_name(const char *name, struct error *err);
void options_help(const struct command *command, FILE *out);
/* A terminal that can, and nobody who set NO_COLOR [no-color.org]. */
bool cli_has_colour(FILE *out);
/* Columns of text: COLUMNS, or standard output's where that is a terminal and is written to, or 100. */
unsigned cli_width(bool is_stdout);
/* The same, but without an end where neither is there: programs that read lines get them whole. */
unsigned cli_line_width(void);
/* Progress on stderr, threads, SIGINT. */
void cli_runner_options(const struct cli *cli, struct runner_options *out, uint64_t threads);
/* Prints a JSON object to stdout with a newline; takes it. */
int cli_print_json(struct json_t *json, struct error *err);
/* What a dry run found. */
int cli_print_estimate(const char *name, const struct runner_estimate *estimate, bool json, struct error *err);

/* clang-format off */
#define COMMANDS(C) \
    C(run) C(profile) C(repro) C(sim) C(policies) C(sweep) C(features) C(predict) C(hint) C(choice) C(train) C(cv) \
    C(tune) C(report) C(watch) C(model) C(eval) C(trace) C(cpu) C(cc) C(cuda) C(kernels) C(configs) C(validate) \
    C(compare) C(mechs) C(params) C(stats) C(store) C(suite) C(make_input)
/* clang-format on */
#define C(id) extern const struct command command_##id;
COMMANDS(C)
#undef C
#endif
