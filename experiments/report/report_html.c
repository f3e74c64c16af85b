/* The page: a template with its parts put in. Safe against whatever the data holds, three times over: the document
 * is JSON in which no '<', '>' or '&' is left, scripts put it on the page as text and never as markup, and the
 * page's policy lets no script run but the two whose hashes it names, and lets nothing be fetched from anywhere. */
#include "report/report_internal.h"

#include <stdlib.h>
#include <string.h>
#include "report/report_assets.h"

static unsigned hex_digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* 'sha256-...' as policies want it. */
static void print_hash(const char *hex, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, n = 0;
    fputs(" 'sha256-", out);
    for (; *hex; hex++) {
        bits = bits << 4 | hex_digit(*hex);
        for (n += 4; n >= 6; n -= 6) fputc(digits[bits >> (n - 6) & 63], out);
    }
    if (n) fputc(digits[bits << (6 - n) & 63], out); /* 256 bits leave four */
    fputs("=' ", out);
}

static void print_policy(FILE *out)
{
    fputs("default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
          "script-src",
          out);
    print_hash(report_assets.vega_sha256, out);
    print_hash(report_assets.app_sha256, out);
}

/* ASCII JSON (so no U+2028 either) in which the characters that matter to HTML are written as \u escapes: they occur
 * in strings alone. */
static int print_data(const json_t *document, FILE *out, struct error *err)
{
    char *text = json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7));
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for the page");
    for (const char *c = text; *c; c++)
        if (*c == '<' || *c == '>' || *c == '&') fprintf(out, "\\u%04x", (unsigned)*c);
        else fputc(*c, out);
    free(text);
    return 0;
}

static int print_part(const char *name, size_t length, const json_t *document, FILE *out, struct error *err)
{
    static const struct {
        const char *name;
        size_t length;
    } parts[] = {{"policy", 6}, {"title", 5}, {"style", 5}, {"data", 4}, {"vega", 4}, {"app", 3}};
    size_t i = 0;
    while (i < COUNT_OF(parts) && (parts[i].length != length || strncmp(parts[i].name, name, length) != 0)) i++;
    switch (i) {
    case 0: print_policy(out); return 0;
    case 1: report_print_escaped(report_string(document, "title"), out); return 0;
    case 2: fputs(report_assets.style, out); return 0;
    case 3: return print_data(document, out, err);
    case 4: fputs(report_assets.vega, out); return 0;
    case 5: fputs(report_assets.app, out); return 0;
    default: return error_set(err, ERR_RUN, "page.html names a part '%.*s' that there is not", (int)length, name);
    }
}

int report_html(const json_t *document, FILE *out, struct error *err)
{
    static const char mark[] = "<!--@", end[] = "-->";
    const char *at = report_assets.page;
    if (!report_assets.has_vega) {
        error_set(err, ERR_RUN, "this build has no Vega, which draws the page's figures");
        return error_at(
            err, NULL, 0, -1,
            "install libjs-vega, run cmake --preset release and build again; or use --format text, or --figures DIR");
    }
    for (const char *next; (next = strstr(at, mark)) != NULL; at = strstr(next, end) + strlen(end)) {
        const char *name = next + strlen(mark);
        fwrite(at, 1, (size_t)(next - at), out);
        if (print_part(name, (size_t)(strstr(name, end) - name), document, out, err) < 0) return -1;
    }
    fputs(at, out);
    return ferror(out) ? error_set(err, ERR_IO, "writing the page failed") : 0;
}
