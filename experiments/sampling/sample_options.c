#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/number.h"
#include "poise/program_sample.h"

enum { WHOLE_INSTS = 1000000 };

static int read_warm(struct sample_options *out, const char *text, struct error *err)
{
    uint64_t n;
    if (strcmp(text, "all") == 0) out->warm = SAMPLE_WARM_ALL;
    else if (strcmp(text, "none") == 0) out->warm = 0;
    else if (whole_parse(text, 0, INT64_MAX, &n)) out->warm = (int64_t)n;
    else return error_set(err, ERR_USAGE, "--sample warm=%s: all, none or a number of line requests is needed", text);
    return 0;
}

static int read_one(struct sample_options *out, const char *name, const char *value, struct error *err)
{
    char *end = NULL;
    if (strcmp(name, "error") == 0) {
        out->error = strtod(value, &end);
        if (end != value && !*end && out->error >= 1e-4 && out->error <= 0.5) return 0;
        return error_set(err, ERR_USAGE, "--sample error=%s: a share from 0.0001 to 0.5 is needed, as 0.02", value);
    }
    if (strcmp(name, "warm") == 0) return read_warm(out, value, err);
    uint64_t *whole = strcmp(name, "seed") == 0 ? &out->seed : strcmp(name, "whole") == 0 ? &out->whole_insts : NULL;
    if (!whole) return error_set(err, ERR_USAGE, "--sample %s: choose error, seed, warm or whole", name);
    if (whole_parse(value, 0, INT64_MAX, whole)) return 0;
    return error_set(err, ERR_USAGE, "--sample %s=%s: a whole number is needed", name, value);
}

int sample_options_parse(struct sample_options *out, const char *text, struct error *err)
{
    char copy[256], *rest = NULL;
    const char *seen[8];
    size_t n = 0;
    *out = (struct sample_options){.seed = 1, .whole_insts = WHOLE_INSTS, .warm = SAMPLE_WARM_ALL};
    if (strlen(text) >= sizeof copy) return error_set(err, ERR_USAGE, "--sample %.60s...: this is too long", text);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(part, '=');
        if (!equals) return error_set(err, ERR_USAGE, "--sample %s: NAME=VALUE is needed, as error=0.02", part);
        *equals = '\0';
        for (size_t i = 0; i < n; i++)
            if (strcmp(seen[i], part) == 0) return error_set(err, ERR_USAGE, "--sample: %s is given twice", part);
        if (n < sizeof seen / sizeof *seen) seen[n++] = part;
        if (read_one(out, part, equals + 1, err) < 0) return -1;
    }
    if (out->error > 0) return 0;
    return error_set(err, ERR_USAGE, "--sample %s: error=E is needed, as error=0.02", text);
}
