/* What a program's output says of its results, and whether two outputs say the same.
 *
 * A line is bad with FAIL, mismatch, incorrect or wrong, and good with PASS, 'matches', 'correct', 'verified' or
 * success of a test. Counts decide before words: "0 mismatches" and "Percent: 0" are good, "12 errors" is bad. A bound
 * ("max error 1e-6", "tolerance") says nothing. One bad line outweighs all good ones. */
#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "poise/text.h"
#include "suite/suite_internal.h"

const char *const suite_verdicts[] = {"nothing to check", "right", "wrong"};

enum { LINE_BYTES = 600 };

static bool matches(const char *pattern, const char *line)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool found = regexec(&regex, line, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

#define WORD(w) "(^|[^a-z])(" w ")([^a-z]|$)"
#define FAULTS "mismatch(es|ed)?|mis-match(es)?|errors?|failures?|fails?|failed|incorrect|differences?|wrong"

/* What follows or leads the word is a whole number. */
static enum suite_verdict judge_count(const char *line)
{
    static const char *const patterns[] = {
        "(^|[^0-9.e-])([0-9]+) +([a-z]+ +)?(" FAULTS ")([^a-z]|$)",
        "(" FAULTS "|non-matching|number of errors|error count|percent)[^0-9]*[:=(] *([0-9]+)(%|[^0-9.e]|\\.? *$)",
        "non-matching.*: *([0-9]+) *$"};
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        regex_t regex;
        regmatch_t m[5];
        if (regcomp(&regex, patterns[i], REG_EXTENDED) != 0) continue;
        const size_t groups = regex.re_nsub;
        const bool found = regexec(&regex, line, COUNT_OF(m), m, 0) == 0;
        regfree(&regex);
        if (!found) continue;
        for (size_t k = 1; k <= groups && k < COUNT_OF(m); k++) {
            if (m[k].rm_so < 0 || !isdigit((unsigned char)line[m[k].rm_so])) continue;
            return strtod(line + m[k].rm_so, NULL) == 0 ? SUITE_RIGHT : SUITE_WRONG;
        }
    }
    return SUITE_NOTHING;
}

/* `line` is in small letters. */
static enum suite_verdict judge_line(const char *line)
{
    static const char bound[] = WORD(
        "max|maximum|rms|relative|rel|average|avg|mean|tolerance|threshold|epsilon|norm|l1|l2|squared|residual|rate");
    if (matches(WORD("no|without( any)?") "(data |result )?(" FAULTS ")", line)) return SUITE_RIGHT;
    if (matches("(error|errors|fault)s?[^a-z0-9]*(code|string|at line|in file)", line)) return SUITE_NOTHING;
    const bool is_bound = matches(bound, line);
    const bool is_share = strstr(line, "non-matching") != NULL;
    const enum suite_verdict count = is_bound && !is_share ? SUITE_NOTHING : judge_count(line);
    if (count != SUITE_NOTHING) return count;
    if (matches(
            WORD(
                "not|isn't|doesn't|does not|do not|did not|don't") ".*(pass|match|correct|equal|agree|verif|identical)",
            line) ||
        matches(WORD("unsuccessful(ly)?|unverified"), line))
        return SUITE_WRONG;
    if (matches(WORD("fail|fails|failed|failure|mismatch|mismatches|mismatched|incorrect|wrong"), line) &&
        !matches("(if|when|unless|whether|ignore)[^a-z]", line))
        return SUITE_WRONG;
    if (matches(WORD("pass|passed|passes"), line) &&
        !matches("pass(es)?[ (]*[:=#]? *[0-9]|[0-9]+ *pass(es)?([^a-z]|$)|(first|second|one|two|multi|single)[- ]pass",
                 line))
        return SUITE_RIGHT;
    if (matches("(test|tests|verification|validation|check|results?|output|outputs|comparison)[^.]*" WORD(
                    "ok|okay|success|succeeded|successful|successfully|correct|valid|verified|match|matches|matched|"
                    "agree|agrees|equal|identical"),
                line))
        return SUITE_RIGHT;
    if (matches(WORD("verified|correct|success") "[^a-z]*$", line) && !matches("[?]", line)) return SUITE_RIGHT;
    return SUITE_NOTHING;
}

static void take_line(char out[LINE_BYTES], const char **at)
{
    const size_t length = strcspn(*at, "\n");
    snprintf(out, LINE_BYTES, "%.*s", (int)(length < LINE_BYTES - 1 ? length : LINE_BYTES - 1), *at);
    *at += length + ((*at)[length] == '\n');
}

static void keep(char *why, size_t size, const char *line)
{
    char shown[LINE_BYTES];
    text_shown(line + strspn(line, " \t"), shown, sizeof shown);
    for (char *c = shown; *c; c++)
        if (*c == '\t' || *c == '|' || *c == '\r') *c = ' ';
        else if ((unsigned char)*c > 126) *c = '?'; /* a state's text is UTF-8 */
    snprintf(why, size, "%.*s", (int)size - 1, shown);
}

enum suite_verdict suite_judge(const char *output, const char *right, const char *wrong, char *why, size_t size)
{
    enum suite_verdict verdict = SUITE_NOTHING;
    const bool is_own = *right || *wrong;
    char line[LINE_BYTES], lower[LINE_BYTES];
    *why = '\0';
    for (const char *at = output; *at;) {
        take_line(line, &at);
        if (strncmp(line, "poise", 5) == 0) continue; /* our library's */
        for (size_t i = 0; (lower[i] = (char)tolower((unsigned char)line[i])); i++) {}
        const enum suite_verdict mine = !is_own                          ? judge_line(lower)
                                        : *wrong && matches(wrong, line) ? SUITE_WRONG
                                        : *right && matches(right, line) ? SUITE_RIGHT
                                                                         : SUITE_NOTHING;
        if (mine == SUITE_NOTHING || (verdict == SUITE_RIGHT && mine == SUITE_RIGHT)) continue;
        verdict = mine;
        keep(why, size, line);
        if (mine == SUITE_WRONG) break;
    }
    if (is_own && verdict == SUITE_NOTHING && *right) {
        snprintf(why, size, "no line matches %.300s", right);
        return SUITE_WRONG;
    }
    return verdict;
}

/* ---- two outputs ---- */

/* Lines of times, rates and versions differ from run to run. */
static bool is_of_time(const char *line)
{
    char lower[LINE_BYTES];
    for (size_t i = 0; (lower[i] = (char)tolower((unsigned char)line[i])); i++) {}
    return strncmp(lower, "poise", 5) == 0 ||
           matches("time|elapsed|second|[0-9] "
                   "*(ms|us|ns|s)([^a-z]|$)|[gm]b(yte)?s?/s|flop|bandwidth|throughput|speed|clock|cycles|date|"
                   "driver|runtime version|device|takes? |took |duration|latency|per sec",
                   lower);
}

static const char *next_line(char out[LINE_BYTES], const char *at)
{
    while (*at) {
        take_line(out, &at);
        if (out[strspn(out, " \t\r")] && !is_of_time(out)) return at;
    }
    return NULL;
}

/* Words are the same, numbers nearly; *n counts numbers. */
static bool is_same_line(const char *a, const char *b, size_t *n)
{
    while (*a || *b) {
        char *end_a, *end_b;
        a += strspn(a, " \t\r"), b += strspn(b, " \t\r");
        const bool may_be = *a && (isdigit((unsigned char)*a) || strchr("+-.", *a));
        const double x = may_be ? strtod(a, &end_a) : 0, y = may_be ? strtod(b, &end_b) : 0;
        if (may_be && end_a > a && end_b > b) {
            if (!(fabs(x - y) <= 1e-3 * fmax(fabs(x), fabs(y)) + 1e-6) && !(isnan(x) && isnan(y))) return false;
            a = end_a, b = end_b;
            ++*n;
            continue;
        }
        if (*a != *b) return false;
        if (*a) a++, b++;
    }
    return true;
}

enum suite_verdict suite_compare(const char *a, const char *b, char *why, size_t size)
{
    char line_a[LINE_BYTES], line_b[LINE_BYTES];
    size_t numbers = 0, lines = 0;
    for (;;) {
        const char *next_a = next_line(line_a, a), *next_b = next_line(line_b, b);
        if (!next_a && !next_b) break;
        if (!next_a || !next_b || !is_same_line(line_a, line_b, &numbers)) {
            char first[200], second[200];
            keep(first, sizeof first, next_a ? line_a : "(the end)");
            keep(second, sizeof second, next_b ? line_b : "(the end)");
            snprintf(why, size, "'%.150s' against '%.150s'", first, second);
            return SUITE_WRONG;
        }
        a = next_a, b = next_b;
        lines++;
    }
    snprintf(why, size, numbers ? "%zu lines with %zu numbers are equal" : "no line has a result", lines, numbers);
    return numbers ? SUITE_RIGHT : SUITE_NOTHING;
}
