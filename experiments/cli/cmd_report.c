/* poise report DIR...: what result folders hold, as a page, text, CSV, JSON, figures. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/report.h"
#include "poise/say.h"

struct report_options {
    const char *out, *format, *title, *relative_to, *figures;
    uint64_t width;
    bool json;
};
static const struct option_row rows[] = {
    OPTION(report_options, out, 'o', OPTION_OUT, "FILE",
           "the report (default: report.html; other formats: standard output)"),
    OPTION(report_options, format, 0, OPTION_TEXT, "FORMAT",
           "html, text, csv or json (default: by the ending of -o, or html)"),
    OPTION(report_options, title, 0, OPTION_TEXT, "TEXT",
           "the title (default: the studies' names, machines and sizes)"),
    OPTION_NAMED(report_options, relative_to, "relative-to", 0, OPTION_TEXT, "MACHINE[:STACK]",
                 "the reference of a sweep over machines (default: its first machine and stack)"),
    OPTION(report_options, width, 0, OPTION_WHOLE, "COLUMNS", "of text (default: the terminal's, or 100)"),
    OPTION(report_options, figures, 0, OPTION_TEXT, "DIR", "also write every figure as SVG and PDF for a paper"),
    OPTION(report_options, json, 0, OPTION_FLAG, NULL,
           "say what was written as JSON; without -o: print the report as JSON"),
};

/* The format that is asked for, or that the ending of -o means. An ending that means none is refused: a page in a file
 * called x.pdf helps nobody. */
static int format_of(const struct report_options *o, const char **format, struct error *err)
{
    static const struct {
        const char *ending, *format;
    } endings[] = {{".html", "html"}, {".htm", "html"}, {".txt", "text"}, {".csv", "csv"}, {".json", "json"}};
    const char *slash = o->out ? strrchr(o->out, '/') : NULL,
               *end = o->out ? strrchr(slash ? slash : o->out, '.') : NULL;
    *format = o->format ? o->format : o->json && !o->out ? "json" : "html";
    if (o->format || !end || end[1] == '\0') return 0;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strcasecmp(end, endings[i].ending) == 0) return *format = endings[i].format, 0;
    if (strcasecmp(end, ".pdf") == 0) {
        error_set(err, ERR_USAGE, "-o %s: a whole report cannot be written as PDF", o->out);
        return error_at(
            err, NULL, 0, -1,
            "--figures DIR writes each figure as PDF; to have all, write report.html and print it to PDF in a browser");
    }
    error_set(err, ERR_USAGE, "-o %s: no format ends in %s", o->out, end);
    return error_at(err, NULL, 0, -1,
                    "end the name in .html, .txt, .csv or .json, or say --format html, text, csv or json");
}

static struct report_style style_of(const struct report_options *o, bool is_stdout)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool is_terminal = is_stdout && isatty(STDOUT_FILENO) == 1;
    struct report_style style = {.width = cli_width(is_stdout),
                                 .has_colour =
                                     is_terminal && !(no_colour && *no_colour) && !(term && strcmp(term, "dumb") == 0)};
    if (o->width) style.width = (unsigned)(o->width > 1000 ? 1000 : o->width);
    if (style.width < 40) style.width = 40;
    return style;
}

static int write_json(const json_t *document, FILE *out, struct error *err)
{
    return json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 && fputc('\n', out) == '\n'
               ? 0
               : error_set(err, ERR_IO, "writing the report failed");
}

static int write_format(const json_t *document, const char *format, const struct report_style *style, FILE *out,
                        struct error *err)
{
    if (strcmp(format, "html") == 0) return report_html(document, out, err);
    if (strcmp(format, "text") == 0) return report_text(document, style, out, err);
    if (strcmp(format, "csv") == 0) return report_csv(document, out, err);
    if (strcmp(format, "json") == 0) return write_json(document, out, err);
    return error_set(err, ERR_USAGE, "--format %s: choose html, text, csv or json", format);
}

/* Files appear complete or not at all. */
static int write_out(const json_t *document, const char *format, const char *path, const struct report_style *style,
                     struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    if (!path) {
        if (write_format(document, format, style, stdout, err) < 0) return -1;
        return fflush(stdout) == 0 ? 0 : error_set(err, ERR_IO, "writing to standard output failed");
    }
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for the report");
    int result = write_format(document, format, style, out, err);
    fclose(out);
    if (result == 0) result = file_write(path, text, size, err);
    free(text);
    return result;
}

static int write_others(const json_t *document, const struct report_options *o, json_t *done, struct error *err)
{
    size_t n = 0;
    bool has_pdf = false;
    if (o->figures) {
        if (report_figures(document, o->figures, &n, &has_pdf, err) < 0) return -1;
        say_line(stderr, "%zu figures in %s as SVG%s", n, o->figures,
                 has_pdf ? " and PDF" : "; no PDF, as librsvg (librsvg2-dev) was missing at the build or is now");
        json_object_set_new(done, "figures",
                            json_pack("{s:s,s:I,s:b}", "dir", o->figures, "n", (json_int_t)n, "has_pdf", (int)has_pdf));
    }
    return 0;
}

static void tell_unread(const json_t *document)
{
    const json_t *source, *file;
    size_t s, f;
    json_array_foreach(json_object_get(document, "sources"), s, source)
        json_array_foreach(json_object_get(source, "files"), f, file)
            if (json_object_get(file, "unread"))
                say_line(stderr, "%s/%s: passed over: %s", json_string_value(json_object_get(source, "name")),
                         json_string_value(json_object_get(file, "file")),
                         json_string_value(json_object_get(file, "unread")));
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct report_options *o = options;
    const char *format;
    if (format_of(o, &format, err) < 0) return -1;
    const bool is_html = strcmp(format, "html") == 0, wants_more = o->figures != NULL;
    const char *path = o->out ? o->out : is_html ? "report.html" : NULL;
    json_t *document;
    (void)cli;
    if (arguments->n == 0) {
        error_set(err, ERR_USAGE, "poise report needs at least one result folder");
        return error_at(err, NULL, 0, -1, "poise report results/quickstart -o report.html");
    }
    if (o->out && strcmp(o->out, "-") == 0) path = NULL;
    const struct report_style style = style_of(o, path == NULL);
    const struct report_choice choice = {.title = o->title, .relative_to = o->relative_to};
    if (report_build(&document, arguments->items, arguments->n, &choice, err) < 0) return -1;
    tell_unread(document);
    json_t *done = lab_json();
    json_object_set_new(done, "format", json_string(format));
    json_object_set_new(done, "sections",
                        json_integer((json_int_t)json_array_size(json_object_get(document, "sections"))));
    int result = write_others(document, o, done, err);
    /* figures alone are asked for without a page */
    if (result == 0 && (o->out || o->format || !wants_more)) {
        result = write_out(document, format, path, &style, err);
        if (result == 0 && path && !o->json) say_line(stderr, "written to %s", path);
        if (path) json_object_set_new(done, "out", json_string(path));
    }
    json_decref(document);
    if (result == 0 && o->json && (path || wants_more)) return cli_print_json(done, err);
    json_decref(done);
    return result;
}

const struct command command_report = {
    "report",
    "show results: a page, text, CSV, figures for a paper",
    "DIR... [-o FILE] [--format html|text|csv|json] [--figures DIR]",
    "Folders of run, sweep, cv and tune, and any *.json of repro, train, validate in them, are known by their keys.\n"
    "A sweep over machines has charts of their cycles and of their speed over a reference, which --relative-to chooses "
    "by the name that the\n"
    "sweep's table gives a machine ('l1.ways=4', or 'l1.ways=4:gto' with a stack of mechanisms).\n"
    "The page needs no network and no server: it opens from disk, prints, and every figure in it can be saved as SVG "
    "or PNG.\n"
    "NO_COLOR and COLUMNS are honoured in text.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct report_options),
    run};
