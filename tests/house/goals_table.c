/* tests/goals.json as the README's table. Prints it; with --check FILE says whether FILE contains it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *table(const char *path)
{
    char *out_text = NULL;
    size_t size = 0, i;
    json_t *goal, *root = json_load_file(path, 0, NULL);
    FILE *out = root ? open_memstream(&out_text, &size) : NULL;
    if (!out) {
        json_decref(root);
        return NULL;
    }
    fprintf(out, "| goal | measured | met |\n| --- | --- | --- |\n");
    json_array_foreach(json_object_get(root, "goals"), i, goal) {
        const json_t *met = json_object_get(goal, "met");
        const char *reason = text(goal, "reason");
        fprintf(out, "| %s | ", text(goal, "goal"));
        print_value(json_object_get(goal, "measured"), out);
        fprintf(out, " | %s%s%s |\n", json_is_true(met) ? "yes" : json_is_false(met) ? "no" : "open", *reason ? ": " : "", reason);
    }
    fclose(out);
    json_decref(root);
    return out_text;
}

int main(int argc, char **argv)
{
    char *want = table(POISE_SOURCE_DIR "/tests/goals.json");
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
