/* Random machines, mechanisms and launches, each run with and without skipping and in every other way that must not
 * matter: the same bytes.
 *
 *   differential [--cases FILE] [--add FILE] [--seed S] [--count N] [--seconds S] [--synthetic] [--pairs]
 *                                     first the cases of FILE, then drawn ones; --pairs: of two mechanisms each, by
 *                                     contract (trial.h), every pair once unless --count or --seconds says otherwise
 *   differential --case 'LINE'        one, as a failure prints it (trial.h)
 *
 * A failing trial is made smaller and printed as one line that runs it again; --add keeps it. Exit status: 0, 1 if any
 * failed, 2 bad usage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/clock.h"
#include "trial.h"
#include "where.h"

enum { SHRINK_SECONDS = 60, FAILURES_MAX = 10 };
struct options {
    const char *cases, *add, *one;
    uint64_t seed, count, seconds;
    bool is_synthetic, is_pairs;
};
struct counts {
    uint64_t same, refused, failed;
};

static bool still_fails(const struct trial *t, char *why, size_t size)
{
    return trial_run_apart(t, why, size) == TRIAL_DIFFERS;
}

/* Whether it fails without token i; if so it stays without. */
static bool drop_token(struct trial *t, size_t i, char *why, size_t size)
{
    struct trial less = *t;
    memmove(less.tokens[i], less.tokens[i + 1], (--less.n - i) * sizeof *less.tokens);
    if (!still_fails(&less, why, size)) return false;
    *t = less;
    return true;
}

/* Halves the numbers of a synthetic kernel, each as often as it goes on failing. */
static void halve_numbers(struct trial *t, size_t i, double deadline, char *why, size_t size)
{
    for (size_t nth = 1; nth <= 4; nth++) {
        while (clock_s() < deadline) {
            struct trial less = *t;
            char *at = less.tokens[i];
            for (size_t k = 0; k < nth && at; k++) at = strchr(at + 1, ',');
            if (!at) return;
            char *end;
            const unsigned long number = strtoul(at + 1, &end, 10);
            if (number < 2) break;
            snprintf(at + 1, TRIAL_TOKEN - (size_t)(at + 1 - less.tokens[i]), "%lu%s", number / 2,
                     t->tokens[i] + (end - less.tokens[i]));
            if (!still_fails(&less, why, size)) break;
            *t = less;
        }
    }
}

static void shrink(struct trial *t)
{
    char why[1024];
    const double deadline = clock_s() + SHRINK_SECONDS;
    for (bool again = true; again && clock_s() < deadline;) {
        again = false;
        for (size_t i = t->n; i-- > 0 && clock_s() < deadline;)
            if (t->n > 1) again |= drop_token(t, i, why, sizeof why);
    }
    for (size_t i = 0; i < t->n; i++)
        if (strncmp(t->tokens[i], "kernel=", 7) == 0) halve_numbers(t, i, deadline, why, sizeof why);
}

static void keep(const char *path, const char *line)
{
    FILE *out = fopen(path, "a");
    if (!out) fprintf(stderr, "%s: cannot be written\n", path);
    else if (fprintf(out, "%s\n", line) < 0 || fclose(out) != 0) fprintf(stderr, "%s: writing failed\n", path);
}

/* One that is known is told as it stands. */
static void run_one(struct trial *t, bool is_known, const struct options *o, struct counts *n)
{
    char why[1024], line[TRIAL_LINE];
    const enum verdict verdict = trial_run_apart(t, why, sizeof why);
    n->same += verdict == TRIAL_SAME;
    n->refused += verdict == TRIAL_REFUSED;
    if (verdict == TRIAL_BROKEN) printf("cannot be run: %s: %s\n", trial_line(t, line), why);
    n->failed += verdict == TRIAL_DIFFERS || verdict == TRIAL_BROKEN;
    if (verdict != TRIAL_DIFFERS) return;
    if (!is_known) {
        printf("found: %s: %s\n", trial_line(t, line), why);
        fflush(stdout);
        shrink(t);
        still_fails(t, why, sizeof why);
        if (o->add) keep(o->add, trial_line(t, line));
    }
    printf("FAILED: %s\n  differential --case '%s'\n", why, trial_line(t, line));
    fflush(stdout);
}

static int run_cases(const struct options *o, struct counts *n)
{
    char line[TRIAL_LINE];
    FILE *in = fopen(o->cases, "r");
    if (!in) {
        fprintf(stderr, "%s: cannot be read\n", o->cases);
        return -1;
    }
    while (fgets(line, sizeof line, in)) {
        struct trial t;
        line[strcspn(line, "#")] = '\0';
        trial_parse(&t, line);
        if (t.n) run_one(&t, true, o, n);
    }
    fclose(in);
    return 0;
}

static int read_options(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--synthetic") == 0 || strcmp(argv[i], "--pairs") == 0) {
            *(argv[i][2] == 's' ? &o->is_synthetic : &o->is_pairs) = true;
            continue;
        }
        i++;
        if (!value) return -1;
        if (strcmp(argv[i - 1], "--cases") == 0) o->cases = value;
        else if (strcmp(argv[i - 1], "--add") == 0) o->add = value;
        else if (strcmp(argv[i - 1], "--case") == 0) o->one = value;
        else if (strcmp(argv[i - 1], "--seed") == 0) o->seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--count") == 0) o->count = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--seconds") == 0) o->seconds = strtoull(value, NULL, 10);
        else return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.seed = 1};
    struct counts n = {0};
    struct trial t;
    const double began = clock_s();
    uint64_t drawn = 0;
    if (read_options(&o, argc, argv) < 0) {
        fprintf(stderr, "usage: differential [--cases FILE] [--add FILE] [--seed S] [--count N] [--seconds S] "
                        "[--synthetic] [--pairs] | --case 'LINE'\n");
        return 2;
    }
    setenv("POISE_TRACES", POISE_BINARY_DIR "/tests/differential/traces", 0);
    if (o.one) {
        trial_parse(&t, o.one);
        run_one(&t, true, &o, &n);
    }
    if (o.cases && run_cases(&o, &n) < 0) return 2;
    const uint64_t known = n.same + n.refused + n.failed;
    const uint64_t wanted = o.count ? o.count : o.seconds ? UINT64_MAX : o.is_pairs ? trial_pairs() : 0;
    for (; drawn < wanted && n.failed < FAILURES_MAX; drawn++) {
        if (o.seconds && clock_s() - began > (double)o.seconds) break;
        if (o.is_pairs) trial_draw_pair(&t, o.seed, drawn);
        else trial_draw(&t, o.seed, drawn, !o.is_synthetic);
        run_one(&t, false, &o, &n);
    }
    printf("%" PRIu64 " known and %" PRIu64 " drawn trials (seed %" PRIu64 ") in %.1f s: %" PRIu64 " the same, %" PRIu64
           " refused, %" PRIu64 " failed\n",
           known, drawn, o.seed, clock_s() - began, n.same, n.refused, n.failed);
    return n.failed ? 1 : 0;
}
