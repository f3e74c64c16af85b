/* tests/goals.json as the lists of tests/GOALS.md (groups, and their goals that are not met), or with --brief as the
 * README's few rows. Prints them; with --check FILE says whether FILE contains them.
 *   goals_table [--brief] [--check FILE] */
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "where.h"

static void print_value(const json_t *value, FILE *out)
{
    if (json_is_integer(value)) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) fprintf(out, "%.4g", json_real_value(value));
    else if (json_is_string(value)) fprintf(out, "%s", json_string_value(value));
    else if (json_is_boolean(value)) fprintf(out, "%s", json_is_true(value) ? "yes" : "no");
    else fprintf(out, "not measured");
}

static const char *text(const json_t *goal, const char *key)
{
    const char *value = json_string_value(json_object_get(goal, key));
    return value ? value : "";
}

/* The group of "B.mape" is "B", the script that measures it: tests/house/goals/B.sh. */
static size_t group_length(const json_t *goal) { return strcspn(text(goal, "id"), "."); }

static bool is_of_same_group(const json_t *a, const json_t *b)
{
    return group_length(a) == group_length(b) && strncmp(text(a, "id"), text(b, "id"), group_length(a)) == 0;
}

struct group {
    size_t all, met;
    const char *title;
};

/* The group that begins with this goal; none where an earlier goal began it. */
static struct group group_at(const json_t *root, size_t first)
{
    const json_t *goals = json_object_get(root, "goals"), *goal = json_array_get(goals, first);
    struct group group = {.all = 0};
    if (first > 0 && is_of_same_group(goal, json_array_get(goals, first - 1))) return group;
    for (size_t i = first; i < json_array_size(goals); i++) {
        const json_t *other = json_array_get(goals, i);
        if (!is_of_same_group(goal, other)) continue;
        group.all++;
        group.met += json_is_true(json_object_get(other, "met"));
    }
    group.title =
        json_string_value(json_object_getn(json_object_get(root, "groups"), text(goal, "id"), group_length(goal)));
    if (!group.title) {
        fprintf(stderr, "tests/goals.json: group '%.*s' has no title: the first line of tests/house/goals/%.*s.sh\n",
                (int)group_length(goal), text(goal, "id"), (int)group_length(goal), text(goal, "id"));
        exit(1);
    }
    return group;
}

/* The first sentence of a reason, or what is before its first semicolon: the whole of it is in goals.json. */
static void print_reason(const char *reason, FILE *out)
{
    static const char answers[] = "not direction, order, magnitude"; /* ours and a paper's: a cause may follow */
    size_t n = strspn(reason, answers);
    if (strncmp(reason, "not ", 4) == 0 && strncmp(reason + n, ". ", 2) == 0) reason += n + 2;
    n = 0;
    while (reason[n] && reason[n] != ';' &&
           !(reason[n] == '.' && (!reason[n + 1] || (reason[n + 1] == ' ' && isupper((unsigned char)reason[n + 2])))))
        n++;
    if (n > 0) fprintf(out, " (%.*s)", (int)n, reason);
}

static void print_goal(const json_t *goal, const char *last_reason, FILE *out)
{
    const char *reason = text(goal, "reason");
    fprintf(out, "- %s: **", text(goal, "goal"));
    print_value(json_object_get(goal, "measured"), out);
    fputs("**", out);
    print_reason(*reason && strcmp(reason, last_reason) == 0 ? "as above" : reason, out);
    fputc('\n', out);
}

/* Every group with its goals that are not met, then the groups without such a goal. */
static void print_all(const json_t *root, FILE *out)
{
    const json_t *goals = json_object_get(root, "goals");
    const char *last = "", *between = "\nAll goals are met of";
    size_t i;
    json_t *goal;
    json_array_foreach(goals, i, goal) {
        const struct group group = group_at(root, i);
        if (group.met < group.all)
            fprintf(out, "%s**%s** (%.*s): %zu of %zu met\n\n", i ? "\n" : "", group.title, (int)group_length(goal),
                    text(goal, "id"), group.met, group.all);
        if (json_is_true(json_object_get(goal, "met"))) continue;
        print_goal(goal, last, out);
        last = text(goal, "reason");
    }
    json_array_foreach(goals, i, goal) {
        const struct group group = group_at(root, i);
        if (group.met < group.all || group.all == 0) continue;
        fprintf(out, "%s %s (%.*s, %zu)", between, group.title, (int)group_length(goal), text(goal, "id"), group.all);
        between = ";";
    }
    fputs(".\n", out);
}

/* What the README says of accuracy and speed: the measured value times `scale`, with so many decimals and its unit. */
static const struct {
    const char *id, *what, *unit;
    double scale;
    int decimals;
} in_brief[] = {
    {"B.mape", "mean absolute error of cycles against the reference", " %", 100, 1},
    {"Y.mape", "the same against a Quadro GV100, 14 kernels from CUDA source", " %", 100, 1},
    {"C.reference_geomean",
     "speed side by side with the reference, Fermi class, one thread, geometric mean (two cores, 2026-11)", " times", 1,
     0},
    {"M.qv100_speed", "the same on the QV100", " times", 1, 0},
    {"C.trace_bytes", "size of a trace on disk for each warp instruction, over all workloads", " bytes", 1, 2},
};

static void print_in_brief(const json_t *root, FILE *out)
{
    const json_t *goals = json_object_get(root, "goals");
    fprintf(out, "| what | measured | by |\n| --- | --- | --- |\n");
    for (size_t row = 0; row < sizeof in_brief / sizeof *in_brief; row++) {
        size_t i;
        json_t *goal;
        json_array_foreach(goals, i, goal) {
            if (strcmp(text(goal, "id"), in_brief[row].id) != 0) continue;
            fprintf(out, "| %s | %.*f%s | `%s` |\n", in_brief[row].what, in_brief[row].decimals,
                    in_brief[row].scale * json_number_value(json_object_get(goal, "measured")), in_brief[row].unit,
                    text(goal, "command"));
        }
    }
}

static char *table(const char *path, bool is_brief)
{
    char *out_text = NULL;
    size_t size = 0;
    json_t *root = json_load_file(path, 0, NULL);
    FILE *out = root ? open_memstream(&out_text, &size) : NULL;
    if (out) {
        (is_brief ? print_in_brief : print_all)(root, out);
        fclose(out);
    }
    json_decref(root);
    return out_text;
}

int main(int argc, char **argv)
{
    const bool is_brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    char *want = table(POISE_SOURCE_DIR "/tests/goals.json", is_brief);
    argc -= is_brief;
    argv += is_brief;
    if (!want) {
        fprintf(stderr, "tests/goals.json cannot be read\n");
        return 1;
    }
    if (argc < 3 || strcmp(argv[1], "--check") != 0) {
        fputs(want, stdout);
        free(want);
        return 0;
    }
    FILE *in = fopen(argv[2], "r");
    char *have = calloc(1, 1 << 20);
    const size_t n = in && have ? fread(have, 1, (1 << 20) - 1, in) : 0;
    const int found = n > 0 && strstr(have, want) != NULL;
    if (in) fclose(in);
    free(have);
    free(want);
    if (!found) fprintf(stderr, "%s does not hold the table of tests/goals.json: run tests/house/update.sh\n", argv[2]);
    return found ? 0 : 1;
}
