/* The program: a table of subcommands. Errors are printed here and nowhere else; data goes to stdout, the rest to
 * stderr. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/help.h"
#include "cli/options.h"
#include "poise/arena.h"
#include "poise/kernel_name.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/numerics.h"
#include "poise/plugin.h"
#include "poise/say.h"
#include "poise/spec_format.h"
#include "poise/terms.h"
#include "runner/crash.h"
#include "runner/runner_ranks.h"

#define C(id) &command_##id,
static const struct command *const commands[] = {COMMANDS(C)};
#undef C

/* Under mpirun the first process runs these and the others simulate for it; other commands run in every process. */
static const struct command *const in_ranks[] = {&command_run, &command_sweep, &command_tune, &command_repro};

/* These look at the signal themselves and leave things in order, but for the verbs named; what others do can end at any
 * instruction. */
static const struct {
    const struct command *command;
    const char *but;
} watching[] = {{&command_run, ""},     {&command_sweep, ""},
                {&command_tune, ""},    {&command_repro, ""},
                {&command_sim, ""},     {&command_policies, ""},
                {&command_profile, ""}, {&command_features, "coverage"},
                {&command_predict, ""}, {&command_hint, ""},
                {&command_eval, ""},    {&command_kernels, ""},
                {&command_cpu, ""},     {&command_store, "scaling"},
                {&command_watch, ""},   {&command_suite, "add status"},
                {&command_cc, ""},      {&command_trace, "info import export check marking mark"}};

/* Set by SIGINT and SIGTERM; a second one ends the program at once, and the first where nobody watches. A handler can
 * reach nothing but a global. */
static volatile sig_atomic_t stop, is_watched, is_json;
static void on_signal(int signal_number)
{
    static const char said[] = "poise: interrupted\n",
                      json[] = "{\"error\":{\"code\":\"ERR_INTERRUPTED\",\"file\":\"\",\"line\":0,\"byte\":-1,"
                               "\"message\":\"interrupted\",\"hint\":\"\"}}\n";
    (void)signal_number;
    stop = 1;
    if (is_watched) {
        alarm(2);
        return;
    }
    (void)!(is_json ? write(STDERR_FILENO, json, sizeof json - 1) : write(STDERR_FILENO, said, sizeof said - 1));
    _exit(130);
}

/* Whoever waits for long hears what for. */
static void on_alarm(int signal_number)
{
    static const char said[] = "poise: interrupted: what runs now ends first; a second Ctrl-C ends it at once\n";
    (void)signal_number;
    if (!is_json) (void)!write(STDERR_FILENO, said, sizeof said - 1);
}

static bool is_word(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (const char *at = words; n && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

static bool watches(const struct command *command, const char *verb)
{
    for (size_t i = 0; i < COUNT_OF(watching); i++)
        if (watching[i].command == command) return !is_word(verb, watching[i].but);
    return false;
}

static void usage(FILE *out)
{
    fprintf(out, "usage: poise [--plugin FILE]... COMMAND [OPTIONS]\n\nLearn warp-scheduling and caching policies for "
                 "GPUs: from CUDA "
                 "kernels to trained models.\n\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\nEnvironment variables:\n");
    help_variables(out);
    fprintf(out, "\n'poise COMMAND --help' explains each, 'poise help --man' all of them, "
                 "'poise help terms' the words, 'poise help spec-sweep' "
                 "(-run, -tune, -cv, -suite) a spec. 'poise --version' prints versions.\n"
                 "Exit status: 0 ok, 1 the run failed, 2 bad usage or input, 5 deadlock found, 6 a limit was reached, "
                 "130 interrupted.\n");
}

static void help_terms(const struct command *const *all, size_t n, FILE *out)
{
    (void)all, (void)n;
    terms_print(out, cli_width(true));
}

/* Topics besides commands: "spec-sweep" and so on. */
static int help_topic(const char *name, struct error *err)
{
    const char *names[COUNT_OF(commands) + 8];
    char topics[8][24];
    size_t n = 0;
    for (size_t i = 0; i < n_spec_formats && i < COUNT_OF(topics); i++) {
        snprintf(topics[i], sizeof topics[i], "spec-%s", spec_formats[i]->command);
        if (strcmp(name, topics[i]) == 0) return spec_format_print(spec_formats[i], stdout), 0;
        names[n++] = topics[i];
    }
    for (size_t i = 0; i < COUNT_OF(commands); i++) names[n++] = commands[i]->name;
    error_set(err, ERR_USAGE, "poise help %s: no such command or topic%s", name,
              did_you_mean(name, names, n, sizeof *names).text);
    return error_at(
        err, NULL, 0, -1,
        "a command, spec-run, spec-sweep, spec-tune, spec-cv, spec-suite, terms, --man, --bash or --zsh is needed");
}

/* poise help [COMMAND | spec-COMMAND | terms | --man | --bash | --zsh | --words mech|set] */
static int help(int argc, char **argv, struct error *err)
{
    static const struct {
        const char *name;
        void (*print)(const struct command *const *, size_t, FILE *);
    } texts[] = {{"--man", help_man}, {"--bash", help_bash}, {"--zsh", help_zsh}, {"terms", help_terms}};
    if (argc == 0) usage(stdout);
    if (argc == 2 && strcmp(argv[0], "--words") == 0 && help_words(argv[1], stdout) == 0) return 0;
    for (size_t i = 0; argc == 1 && i < COUNT_OF(texts); i++)
        if (strcmp(argv[0], texts[i].name) == 0) return texts[i].print(commands, COUNT_OF(commands), stdout), 0;
    for (size_t i = 0; argc == 1 && i < COUNT_OF(commands); i++)
        if (strcmp(argv[0], commands[i]->name) == 0) return options_help(commands[i], stdout), 0;
    return argc == 0 ? 0 : help_topic(argv[0], err);
}

static int report(const struct cli *cli, const struct error *err)
{
    if (cli->json) {
        json_t *json = error_json(err);
        char *text = json_dumps(json, JSON_COMPACT);
        say_line(stderr, "%s", text ? text : err->text);
        free(text);
        json_decref(json);
    } else {
        const bool is_red = cli_has_colour(stderr);
        char text[2 * sizeof err->text];
        fflush(stdout); /* as poise/say.h does, which has no colours */
        fprintf(stderr, "%spoise:%s %s\n", is_red ? "\033[1;31m" : "", is_red ? "\033[0m" : "",
                kernel_shown(err->text, text, sizeof text));
        if (*err->hint) fprintf(stderr, "  %s\n", err->hint);
    }
    return error_exit_status(err);
}

static int unknown_command(const char *name, struct error *err)
{
    const char *names[COUNT_OF(commands)];
    for (size_t i = 0; i < COUNT_OF(commands); i++) names[i] = commands[i]->name;
    error_set(err, ERR_USAGE, "no command '%s'%s", name,
              did_you_mean(name, names, COUNT_OF(names), sizeof *names).text);
    return error_at(err, NULL, 0, -1, "poise --help lists the commands");
}

static int run_command(struct cli *cli, const struct command *command, int argc, char **argv, struct error *err)
{
    struct texts arguments;
    bool wants_help;
    void *options = calloc(1, command->options_size + 1);
    if (!options) return error_set(err, ERR_MEMORY, "out of memory");
    int result = options_parse(command, options, &arguments, argc, argv, &wants_help, plugin_load, err);
    if (result == 0 && wants_help) options_help(command, stdout);
    else if (result == 0) result = command->run(cli, options, &arguments, err);
    free(options);
    return result;
}

/* Rank 0 is gone: what this process simulates has nobody to go to. Without MPI_Finalize, which would wait for it. */
static void leave(void *cli, const struct error *err) { _exit(report(cli, err)); }

enum { FIRST_SPEAKS_US = 500000 };

static bool runs_in_ranks(const struct command *command)
{
    for (size_t i = 0; i < COUNT_OF(in_ranks); i++)
        if (in_ranks[i] == command) return true;
    return false;
}

static void tell_plain_tasks(void)
{
    const char *first = getenv("SLURM_PROCID");
    if (ranks_plain_tasks() > 1 && first && strcmp(first, "0") == 0)
        say_line(stderr,
                 "poise: %u tasks of srun without MPI: where they name one store they share its runs, and each writes "
                 "the results (srun --mpi=pmix has one of them do it, and goes over several hosts)",
                 ranks_plain_tasks());
}

static int run_in_ranks(struct cli *cli, const struct command *command, int argc, char **argv, struct error *err)
{
    if (runs_in_ranks(command)) {
        tell_plain_tasks();
        if (ranks_begin(&cli->ranks, err) < 0) {
            if (ranks_number() == 0) return -1; /* the first says what all of them met */
            usleep(FIRST_SPEAKS_US);            /* a launcher ends the job with the first that fails */
            return error_exit_status(err);
        }
    }
    if (!ranks_is_first(cli->ranks)) {
        if (ranks_serve(cli->ranks, &stop, leave, cli, err) < 0)
            return -1; /* without MPI_Finalize: the launcher ends the job */
        ranks_end(cli->ranks);
        return 0;
    }
    const int status = run_command(cli, command, argc, argv, err);
    ranks_end(cli->ranks);
    return status;
}

/* --plugin FILE before the command: *argc and *argv are what follows. */
static int load_plugins(int *argc, char ***argv, struct error *err)
{
    static const char word[] = "--plugin";
    const size_t length = sizeof word - 1;
    while (*argc > 1 && strncmp((*argv)[1], word, length) == 0 && strchr("=", (*argv)[1][length])) {
        const bool is_apart = !(*argv)[1][length];
        if (is_apart && *argc == 2) return error_set(err, ERR_USAGE, "poise: --plugin needs FILE");
        if (plugin_load(is_apart ? (*argv)[2] : (*argv)[1] + length + 1, err) < 0) return -1;
        *argc -= 1 + is_apart;
        *argv += 1 + is_apart;
    }
    return 0;
}

static int run_named(struct cli *cli, int argc, char **argv, struct error *err)
{
    if (load_plugins(&argc, &argv, err) < 0) return -1;
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("poise %s, simulation model %d\n", POISE_VERSION, SIM_MODEL_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 2, argv + 2, err);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (strcmp(argv[1], commands[i]->name) != 0) continue;
        is_watched = watches(commands[i], argc > 2 ? argv[2] : "");
        return run_in_ranks(cli, commands[i], argc - 2, argv + 2, err);
    }
    return unknown_command(argv[1], err);
}

/* Data that did not arrive is a failure, of whatever command: a full disk, a reader that is gone. Checked here, once
 * for all of them. */
static int close_output(int status, struct error *err)
{
    errno = 0;
    const bool was_lost = ferror(stdout) != 0, has_text = __fpending(stdout) != 0, is_lost = fclose(stdout) != 0;
    const bool is_unused =
        is_lost && errno == EBADF && !has_text; /* started without an output, and had nothing to say */
    if (status < 0 || !(was_lost || (is_lost && !is_unused))) return status;
    return error_set(err, ERR_IO, "standard output: writing failed: %s",
                     errno ? strerror(errno) : "not all of the output is there");
}

int main(int argc, char **argv)
{
    struct cli cli = {.stop = &stop};
    struct error err = {0};
    heap_set_up();
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const struct sigaction late = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &late, NULL);
    crash_guard(argv, &stop);
    lab_paths_init(&cli.paths);
    snprintf(cli.decoded, sizeof cli.decoded, "%s/decoded", cli.paths.traces);
    cli.paths.stop = &stop;
    numerics_set_up();
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        cli.json |= strcmp(argv[i], "--json") == 0;
        cli.lenient |= strcmp(argv[i], "--lenient") == 0;
    }
    is_json = cli.json;
    const int status = close_output(run_named(&cli, argc, argv, &err), &err);
    return status < 0 ? report(&cli, &err) : status;
}
