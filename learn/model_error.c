#include "model_error.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/text.h"

int model_error(struct error *err, const char *file, const char *key, const char *hint, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, ERR_INPUT, "%s: %s: %s", file, key, text);
    return error_at(err, file, 0, -1, hint);
}

static int is_other(struct error *err, const char *file, const char *what, const char *wanted)
{
    error_set(err, ERR_INPUT, "%s: this is %s", file, what);
    return error_at(
        err, file, 0, -1,
        strcmp(wanted, "response") == 0
            ? "the file of a response surface is needed, such as models/poise-best.json"
            : "a model's file is needed: 'poise run' and 'poise train -o FILE' write them, models/ has some");
}

static bool begins(const char *text, size_t size, const char *with)
{
    return size >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* A first line of names with commas between them. */
static bool is_table(const char *text, size_t size)
{
    size_t commas = 0;
    for (size_t i = 0; i < size && text[i] != '\n' && text[i] != '\r'; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == '{' || c == '[' || c == ':') return false;
        commas += c == ',';
    }
    return commas > 0;
}

static bool has_line(const char *text, size_t size, const char *line)
{
    const char *at = memmem(text, size, line, strlen(line));
    return at && (at == text || at[-1] == '\n');
}

int model_other_text(struct error *err, const char *file, const char *text, size_t size, const char *wanted)
{
    if (begins(text, size, "SQLite format 3")) return is_other(err, file, "a store of runs", wanted);
    if (begins(text, size, "\x89PTRACE")) return is_other(err, file, "a trace of a launch", wanted);
    if (has_line(text, size, "schema:") && has_line(text, size, "kind:")) return is_other(err, file, "a spec", wanted);
    if (is_table(text, size)) return is_other(err, file, "a table (CSV), to which 'poise train' fits a model", wanted);
    return 0;
}

/* Keys that the JSON files of other commands have, and no model. */
static const struct {
    const char *first, *second, *what;
} others[] = {{"hmean", "benchmarks", "a summary of results: its model is model.json in the same folder"},
              {"coef", "loglik", "the report of a fit, not the model: 'poise train -o FILE' writes that"},
              {"stats", "launches", "what 'poise sim --json' printed"},
              {"trials", "best", "the report of a tuning"},
              {"folds", "models", "the report of a cross-validation"},
              {"runs_simulated", "wall_s", "what a command wrote of its own run (run_info)"}};

int model_other_json(struct error *err, const char *file, const json_t *root, const char *wanted)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const bool is_response = kind && (strcmp(kind, "response") == 0 || strcmp(kind, "surface") == 0),
               is_regressions = !kind && json_is_object(json_object_get(root, "outputs"));
    if (is_response && strcmp(wanted, "response") != 0)
        return is_other(err, file, "a response surface, which the mechanism learned runs: learned,model=FILE", wanted);
    if (is_regressions && strcmp(wanted, "response") == 0)
        return is_other(err, file, "a model of regressions, which the mechanism poise runs: poise,model=FILE", wanted);
    if (kind && strcmp(kind, "predictor") == 0)
        return is_other(err, file, "a predictor of one column, which 'poise model predict' takes", wanted);
    if (kind && strcmp(kind, "choice") == 0)
        return is_other(err, file, "a learned choice of a policy, which 'poise choice' takes", wanted);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (json_object_get(root, others[i].first) && json_object_get(root, others[i].second))
            return is_other(err, file, others[i].what, wanted);
    return 0;
}

char *model_json_text(json_t *root, const char *file, struct error *err)
{
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17)), *line = NULL;
    json_decref(root);
    if (!text || asprintf(&line, "%s\n", text) < 0) line = NULL, error_set(err, ERR_MEMORY, "%s: out of memory", file);
    free(text);
    return line;
}

static bool has_control(json_t *value)
{
    size_t i;
    const char *key;
    json_t *item;
    bool has = json_is_string(value) && text_has_control(json_string_value(value));
    json_object_foreach(value, key, item) has |= text_has_control(key) || has_control(item);
    json_array_foreach(value, i, item) has |= has_control(item);
    return has;
}

json_t *model_json_load(const char *file, const char *text, size_t size, const char *hint, struct error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root) {
        error_set(err, ERR_INPUT, "%s:%d:%d: not a JSON file: %s", file, why.line, why.column, why.text);
        error_at(err, file, why.line, why.position, hint);
        return NULL;
    }
    if (!has_control(root)) return root;
    json_decref(root);
    error_set(err, ERR_INPUT, "%s: a text or a key in it has a control character", file);
    error_at(err, file, 0, -1, hint);
    return NULL;
}
