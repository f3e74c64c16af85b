#include "cli/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "poise/gpu.h"
#include "poise/mech.h"
#include "poise/spec_format.h"
#include "poise/terms.h"

/* ---- manual page ---- */

static void roff(FILE *out, const char *text)
{
    bool is_first = true;
    for (; text && *text; is_first = *text++ == '\n') {
        if (is_first && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else fputc(*text, out);
    }
}

static void man_option(const struct option_row *row, FILE *out)
{
    fprintf(out, ".TP\n\\fB");
    if (row->letter) fprintf(out, "\\-%c\\fR, \\fB", row->letter);
    fprintf(out, "\\-\\-");
    roff(out, row->name);
    fputs("\\fR", out);
    if (row->argument) {
        fputs(" \\fI", out);
        roff(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    if (row->modes) {
        roff(out, row->modes);
        fputs(": ", out);
    }
    roff(out, row->doc);
    fputc('\n', out);
}

static void man_command(const struct command *c, FILE *out)
{
    fprintf(out, ".SS poise %s\n", c->name);
    roff(out, c->summary);
    fputs(".\n.PP\n.nf\n\\fBpoise ", out);
    roff(out, c->name);
    fputs("\\fR ", out);
    roff(out, c->usage);
    fputs("\n.fi\n", out);
    if (c->details) {
        fputs(".PP\n", out);
        roff(out, c->details);
    }
    for (size_t i = 0; i < c->n_options; i++) man_option(&c->options[i], out);
    for (size_t i = 0; c->options_size && i < n_common_options; i++) man_option(&common_options[i], out);
}

static const struct {
    const char *name, *doc;
} variables[] = {
    {"POISE_TRACES", "folder of recorded traces; else $XDG_CACHE_HOME/poise/traces or ~/.cache/poise/traces"},
    {"POISE_KERNELS", "list of workloads, in place of datasets/kernels/list.yaml"},
    {"POISE_PROGRAMS", "folder of the built workloads"},
    {"POISE_CONFIGS", "folder of configuration presets"},
    {"POISE_REFERENCE", "folder of the reference's cases, for poise validate"},
    {"POISE_CUDA_LIB", "folder of our libcudart and libcuda"},
    {"POISE_CUDA_INCLUDE", "folder of our CUDA headers, for poise cc"},
    {"POISE_CLANG", "the clang of poise cc"},
    {"POISE_TRACE_DIR", "a program on our CUDA library writes its traces there; poise cuda --trace-dir sets it"},
    {"POISE_MAX_WARP_INSTS",
     "warp instructions after which a launch is ended (while recording 1,000,000,000; 0: never)"},
    {"POISE_THREADS",
     "threads that a program on our CUDA library may use for a launch's CTAs and its trace; else OMP_NUM_THREADS "
     "or as many as there are processors, for CTAs where a launch is long and they are measured to be faster"},
    {"POISE_RANK_TIMEOUT", "under mpirun: seconds after which a process that is not heard of is lost (60)"},
    {"POISE_MANGLED", "1: kernels by the linker's symbols, in place of their source's names"},
    {"NO_COLOR", "no colours, whatever the terminal"},
};

/* The text of 'poise help spec-KIND', as it is. */
static void man_spec(const struct spec_format *format, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = open_memstream(&text, &size);
    if (!in) return;
    spec_format_print(format, in);
    fclose(in);
    fprintf(out, ".SS The spec of poise %s\n.nf\n", format->command);
    roff(out, text);
    fputs(".fi\n", out);
    free(text);
}

void help_variables(FILE *out)
{
    for (size_t i = 0; i < COUNT_OF(variables); i++) fprintf(out, "  %-20s %s\n", variables[i].name, variables[i].doc);
}

void help_man(const struct command *const *commands, size_t n, FILE *out)
{
    fprintf(out,
            ".TH POISE 1 \"\" \"poise %s\" \"User Commands\"\n.SH NAME\npoise \\- learn warp\\-scheduling and caching "
            "policies for GPUs\n",
            POISE_VERSION);
    fputs(".SH SYNOPSIS\n\\fBpoise\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
          "From CUDA kernels to warp traces, simulation of policies, datasets, trained models and their evaluation.\n"
          "Data goes to standard output, progress and messages to standard error. With \\fB\\-\\-json\\fR data and "
          "errors are JSON.\n.SH COMMANDS\n",
          out);
    for (size_t i = 0; i < n; i++) man_command(commands[i], out);
    fputs(".SH TERMS\n", out);
    for (size_t i = 0; i < n_terms; i++) {
        fputs(".TP\n\\fB", out);
        roff(out, terms[i].name);
        fputs("\\fR\n", out);
        roff(out, terms[i].meaning);
        fprintf(out, " [");
        roff(out, terms[i].source);
        fputs("]\n", out);
    }
    fputs(".SH SPECS\n", out);
    for (size_t i = 0; i < n_spec_formats; i++) man_spec(spec_formats[i], out);
    fputs(".SH EXIT STATUS\n0 ok, 1 the run failed, 2 bad usage or input, 5 deadlock found, 6 a limit was reached, 130 "
          "interrupted.\n.SH ENVIRONMENT\n",
          out);
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", variables[i].name);
        roff(out, variables[i].doc);
        fputc('\n', out);
    }
}

/* ---- completion ---- */

/* What completes an option's value: a shell word for each kind, or the choices themselves ("test|small|full"). */
static const char *values_of(const struct option_row *row)
{
    static const struct {
        const char *option, *words;
    } known[] = {{"config", "$(poise configs 2>/dev/null)"},
                 {"kernel", "$(poise kernels 2>/dev/null | cut -d' ' -f1)"},
                 {"mech", "$(poise help --words mech 2>/dev/null)"},
                 {"set", "$(poise help --words set 2>/dev/null)"},
                 {"size", "test small eval full"},
                 {"stats", "gpgpusim"},
                 {"mode", "quick full"}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(row->name, known[i].option) == 0) return known[i].words;
    return NULL;
}

/* A word a line: mechanisms and "MECH,PARAMETER=", or the machine's "GROUP.PARAMETER=". */
int help_words(const char *what, FILE *out)
{
    size_t n_groups;
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    const bool is_mech = strcmp(what, "mech") == 0;
    if (!is_mech && strcmp(what, "set") != 0) return -1;
    for (size_t i = 0; i < mech_count() && is_mech; i++) {
        const struct param_table *params = mech_params(mech_at(i));
        fprintf(out, "%s\n", mech_name(mech_at(i)));
        for (size_t r = 0; r < params->n_rows; r++)
            fprintf(out, "%s,%s=\n", mech_name(mech_at(i)), params->rows[r].name);
    }
    for (size_t g = 0; g < n_groups && !is_mech; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++)
            fprintf(out, "%s.%s=\n", groups[g].table.owner, groups[g].table.rows[r].name);
    return 0;
}

/* The verbs of `usage`: lower-case words that begin it or follow a '|'. */
static void verbs_of(const struct command *c, FILE *out)
{
    bool is_start = true;
    for (const char *at = c->usage; *at; at++) {
        const size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        const char after = at[n];
        if (is_start && n && (after == ' ' || after == '\n' || after == '\0')) {
            fprintf(out, " %.*s", (int)n, at);
            at += n;
        }
        if (!*at) break;
        if (*at == '|' && at > c->usage && isspace((unsigned char)at[-1])) is_start = true; /* not inside csv|json */
        else if (!isspace((unsigned char)*at)) is_start = false;
    }
}

static void options_of(const struct command *c, FILE *out)
{
    for (size_t i = 0; i < c->n_options; i++) fprintf(out, " --%s", c->options[i].name);
    for (size_t i = 0; c->options_size && i < n_common_options; i++) fprintf(out, " --%s", common_options[i].name);
    fputs(" --help", out);
}

static void bash_values(const struct command *const *commands, size_t n, FILE *out)
{
    fputs("    case ${COMP_WORDS[1]}$prev in\n", out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < commands[i]->n_options; k++) {
            const struct option_row *row = &commands[i]->options[k];
            const char *words = values_of(row);
            if (!row->argument) continue;
            fprintf(out, "    %s--%s", commands[i]->name, row->name);
            if (row->letter) fprintf(out, " | %s-%c", commands[i]->name, row->letter);
            if (words)
                fprintf(out,
                        ") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); [[ $COMPREPLY == *= ]] && compopt -o nospace "
                        "2>/dev/null; return ;;\n",
                        words);
            else if (strstr(row->argument, "FILE") || strstr(row->argument, "JSON") || strstr(row->argument, "YAML"))
                fputs(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", out);
            else if (strstr(row->argument, "DIR")) fputs(") COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", out);
            else fputs(") return ;;\n", out);
        }
    fputs("    esac\n", out);
}

void help_bash(const struct command *const *commands, size_t n, FILE *out)
{
    fputs("# bash completion for poise, generated by 'poise help --bash'\n_poise() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= verbs=\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          out);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s ", commands[i]->name);
    fputs("help --help --version\" -- \"$cur\"))\n        return\n    fi\n", out);
    bash_values(commands, n, out);
    fputs("    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "    %s) words=\"", commands[i]->name);
        options_of(commands[i], out);
        fputs("\" verbs=\"", out);
        verbs_of(commands[i], out);
        fputs("\" ;;\n", out);
    }
    fputs("    help) words=\"--man --bash --zsh\" verbs=\"terms ", out);
    for (size_t i = 0; i < n_spec_formats; i++) fprintf(out, "spec-%s ", spec_formats[i]->command);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s ", commands[i]->name);
    fputs("\" ;;\n    esac\n"
          "    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    elif [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$verbs\" ]; then COMPREPLY=($(compgen -W \"$verbs\" -- "
          "\"$cur\"))\n"
          "    else COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\ncomplete -o filenames -F _poise poise\n",
          out);
}

static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text)) fputc('\\', out);
        if (*text == '\'') fputs("'\\''", out);
        else fputc(*text, out);
    }
}

static void zsh_option(const struct option_row *row, FILE *out)
{
    const char *words = values_of(row);
    fprintf(out, " \\\n                '%s--%s[", row->kind == OPTION_TEXTS ? "*" : "", row->name);
    zsh_text(out, row->doc);
    fputc(']', out);
    if (row->argument) {
        fputc(':', out);
        zsh_text(out, row->argument);
        if (words && *words != '$') fprintf(out, ":(%s)", words);
        else if (words) {
            fputs(":{compadd ", out);
            zsh_text(out, words);
            fputc('}', out);
        } else if (strstr(row->argument, "DIR")) fputs(":_files -/", out);
        else if (strstr(row->argument, "FILE") || strstr(row->argument, "JSON")) fputs(":_files", out);
        else fputs(": ", out);
    }
    fputc('\'', out);
}

void help_zsh(const struct command *const *commands, size_t n, FILE *out)
{
    fputs("#compdef poise\n# zsh completion for poise, generated by 'poise help --zsh'\n_poise() {\n    local -a "
          "commands\n    commands=(\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        zsh_text(out, commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("        'help:explain a command'\n    )\n    if (( CURRENT == 2 )); then\n        _describe command "
          "commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "        %s) _arguments", commands[i]->name);
        for (size_t k = 0; k < commands[i]->n_options; k++) zsh_option(&commands[i]->options[k], out);
        for (size_t k = 0; commands[i]->options_size && k < n_common_options; k++) zsh_option(&common_options[k], out);
        fputs(" \\\n                '--help[explain the command]'", out);
        fputs(" \\\n                '1:verb or file:{compadd --", out);
        verbs_of(commands[i], out);
        fputs("; _files}' \\\n                '*:file:_files' ;;\n", out);
    }
    fputs("        help) _describe command commands ;;\n    esac\n}\n_poise \"$@\"\n", out);
}
