/* Trials that somebody outside evaluates: lines of JSON go out and come in.
 *
 *   out  {"id": 1, "params": {"N": 4, "p": 2}}     a trial. One is always out; a line `ask` more, and another is
 *   in   {"ask": 1}                                (or the word ask) at least as many trials are out as were asked for
 *   in   {"id": 1, "value": 1.83}                  what the trial gave, in the spec's metric; null: it failed
 *   in   {"id": "x", "params": {..}}               a point of the other side's own: simulated here, and answered with
 *   out  {"id": "x", "value": 1.83}
 *   in   {"params": {..}, "value": 1.83}           a point that is known: a trial like any other
 *
 * The method sees trials as if they had been simulated here. The end of the input ends the tuning. */
#include <errno.h>
#include <gsl/gsl_rng.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/lab.h"
#include "poise/numerics.h"
#include "studies/tune/tune_internal.h"

enum { WAIT_MS = 200, ASKS_MAX = 100000, FILLER_TRIES = 20000, LINE_MAX_BYTES = 1 << 20 };
static const char lines_are[] =
    "a line is {\"ask\": 1}, {\"id\": 1, \"value\": 1.83} of a trial, or {\"id\": \"x\", \"params\": {..}}";

struct asker {
    const struct tune_pipe *pipe;
    char *text; /* what was read and is no whole line yet */
    size_t n, capacity;
    long line;
    bool is_at_end, has_ended, is_ready; /* no more input, nor a line of it; launches are there */
    uint64_t asked, told;
    size_t *written; /* points by id - 1 */
    size_t n_written, cap_written;
    gsl_rng *rng;
};

static int bad_line(const struct asker *a, struct error *err, const char *what)
{
    error_set(err, ERR_INPUT, "standard input:%ld: %s", a->line, what);
    return error_at(err, "standard input", a->line, -1, lines_are);
}

/* ---- lines ---- */

static bool take_line(struct asker *a, char **line)
{
    char *end = a->n ? memchr(a->text, '\n', a->n) : NULL;
    if (!end && a->is_at_end && a->n) end = a->text + a->n; /* the last one may lack its end */
    if (!end) return false;
    const size_t length = (size_t)(end - a->text), used = length < a->n ? length + 1 : length;
    *line = strndup(a->text, length);
    memmove(a->text, a->text + used, a->n - used);
    a->n -= used;
    a->line++;
    return true;
}

/* 1: a line, the caller's; 0: the input has ended. */
static int read_line(struct asker *a, char **line, struct error *err)
{
    for (;;) {
        if (take_line(a, line)) return *line ? 1 : error_set(err, ERR_MEMORY, "out of memory for a line");
        if (a->is_at_end) return 0;
        if (a->n + 4096 > a->capacity) {
            char *text = a->capacity < LINE_MAX_BYTES ? realloc(a->text, a->capacity + 65536) : NULL;
            if (!text) return bad_line(a, err, "this line is too long");
            a->text = text;
            a->capacity += 65536;
        }
        struct pollfd in = {.fd = a->pipe->in, .events = POLLIN};
        const int ready = poll(&in, 1, WAIT_MS);
        if (a->pipe->stop && *a->pipe->stop) return error_set(err, ERR_INTERRUPTED, "interrupted");
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t got = read(a->pipe->in, a->text + a->n, 4096);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return error_set(err, ERR_IO, "standard input: %s", strerror(errno));
        if (got == 0) a->is_at_end = true;
        a->n += (size_t)got;
    }
}

static int write_line(struct asker *a, json_t *line, struct error *err)
{
    char *text = line ? json_dumps(line, JSON_REAL_PRECISION(15)) : NULL;
    json_decref(line);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for a line");
    const bool is_lost = fprintf(a->pipe->out, "%s\n", text) < 0 || fflush(a->pipe->out) != 0;
    free(text);
    return is_lost ? error_set(err, ERR_IO, "standard output: no program reads the trials any more") : 0;
}

/* ---- trials that are out ---- */

static bool is_out(const struct tune *t, size_t point)
{
    for (size_t i = 0; i < t->asker->n_written; i++)
        if (t->asker->written[i] == point) return true;
    return false;
}

static int write_trial(struct tune *t, size_t point, struct error *err)
{
    struct asker *a = t->asker;
    if (a->n_written == a->cap_written) {
        size_t *written = realloc(a->written, (2 * a->cap_written + 64) * sizeof *written);
        if (!written) return error_set(err, ERR_MEMORY, "out of memory for trials");
        a->written = written;
        a->cap_written = 2 * a->cap_written + 64;
    }
    a->written[a->n_written++] = point;
    return write_line(a, json_pack("{s:I,s:o}", "id", (json_int_t)a->n_written, "params", tune_params_json(t, point)),
                      err);
}

/* A point for somebody who asks for more than the method wants to know now. */
static bool draw_filler(const struct tune *t, size_t *point)
{
    for (int i = 0; i < FILLER_TRIES; i++) {
        double x[AXES_MAX];
        for (size_t k = 0; k < t->axes.n; k++) x[k] = gsl_rng_uniform(t->asker->rng);
        *point = tune_canonical(t, point_at(&t->axes, x));
        if (tune_allows(t, *point) && !tune_find(t, *point, 0) && !is_out(t, *point)) return true;
    }
    return false;
}

static int write_wanted(struct tune *t, const size_t *points, size_t n, struct error *err)
{
    struct asker *a = t->asker;
    const uint64_t want = a->asked > a->told + 1 ? a->asked : a->told + 1;
    for (size_t i = 0; i < n && a->n_written < want; i++)
        if (!tune_find(t, points[i], 0) && !is_out(t, points[i]) && write_trial(t, points[i], err) < 0) return -1;
    for (size_t point; a->n_written < a->asked && draw_filler(t, &point);)
        if (write_trial(t, point, err) < 0) return -1;
    return 0;
}

/* ---- what comes in ---- */

static int point_of_line(struct tune *t, json_t *params, size_t *point, struct error *err)
{
    char why[200], what[300];
    if (!json_is_object(params)) return bad_line(t->asker, err, "params: an object of parameters is needed");
    if (tune_point_of(t, tune_value_of_json, params, point, why, sizeof why) == 0) return 0;
    snprintf(what, sizeof what, "params: %s", why);
    return bad_line(t->asker, err, what);
}

/* One value an objective: a number, or a list of them. */
static int value_of_line(const struct tune *t, const json_t *value, double out[TUNE_OBJECTIVES_MAX], struct error *err)
{
    const bool is_list = json_is_array(value);
    for (size_t k = 0; k < t->n_objectives; k++) {
        const json_t *own = is_list ? json_array_get(value, k) : value;
        out[k] = json_is_number(own) ? json_number_value(own) : NAN;
        if (!json_is_null(own) && !json_is_number(own))
            return bad_line(t->asker, err, "value: a number is needed, or null of a trial that failed");
    }
    if (is_list ? json_array_size(value) == t->n_objectives : t->n_objectives == 1 || json_is_null(value)) return 0;
    return bad_line(t->asker, err, "value: a list of as many numbers is needed as the spec has metrics");
}

static json_t *value_json(const struct tune *t, const double *metrics)
{
    json_t *list = json_array();
    for (size_t k = 0; k < t->n_objectives; k++) json_array_append_new(list, json_or_null(metrics[k]));
    if (t->n_objectives > 1) return list;
    json_t *one = json_incref(json_array_get(list, 0));
    json_decref(list);
    return one;
}

/* The value of a trial that is out. */
static int tell(struct tune *t, const json_t *id, const json_t *value, struct error *err)
{
    struct asker *a = t->asker;
    const json_int_t number = json_integer_value(id);
    char what[100];
    double metric[TUNE_OBJECTIVES_MAX];
    if (!json_is_integer(id) || number < 1 || (uint64_t)number > a->n_written) {
        snprintf(what, sizeof what, "id: no such trial is out; %zu were written", a->n_written);
        return bad_line(a, err, what);
    }
    const size_t point = a->written[number - 1];
    if (tune_find(t, point, 0)) {
        snprintf(what, sizeof what, "id: trial %" JSON_INTEGER_FORMAT " has its value already", number);
        return bad_line(a, err, what);
    }
    if (value_of_line(t, value, metric, err) < 0) return -1;
    a->told++;
    return tune_add_trial(t, point, 0, metric, err);
}

static int tell_known(struct tune *t, json_t *params, const json_t *value, struct error *err)
{
    size_t point;
    double metric[TUNE_OBJECTIVES_MAX];
    if (point_of_line(t, params, &point, err) < 0 || value_of_line(t, value, metric, err) < 0) return -1;
    return tune_find(t, point, 0) ? 0 : tune_add_trial(t, point, 0, metric, err);
}

/* A point of the other side's own, simulated here. */
static int evaluate(struct tune *t, json_t *id, json_t *params, struct error *err)
{
    struct asker *a = t->asker;
    size_t point;
    double metric[TUNE_OBJECTIVES_MAX];
    if (point_of_line(t, params, &point, err) < 0) return -1;
    if (!a->is_ready && a->pipe->prepare(a->pipe->context, err) < 0) return -1;
    a->is_ready = true;
    if (tune_score(t, &t->train, &point, 1, 0, false, NULL, metric, err) < 0) return -1;
    if (!tune_find(t, point, 0) && tune_add_trial(t, point, 0, metric, err) < 0) return -1;
    return write_line(a, json_pack("{s:O,s:o}", "id", id, "value", value_json(t, metric)), err);
}

static int ask(struct asker *a, const json_t *n, struct error *err)
{
    const json_int_t more = json_is_integer(n) ? json_integer_value(n) : 1;
    if (more < 1 || more > ASKS_MAX) return bad_line(a, err, "ask: a number of trials from 1 on is needed");
    a->asked += (uint64_t)more;
    return 0;
}

static int handle_object(struct tune *t, json_t *object, struct error *err)
{
    json_t *wrapped = json_object_get(object, "tell"), *of = json_is_object(wrapped) ? wrapped : object;
    json_t *id = json_object_get(of, "id"), *params = json_object_get(of, "params"),
           *value = json_object_get(of, "value");
    if (json_object_get(of, "ask")) return ask(t->asker, json_object_get(of, "ask"), err);
    const bool is_of_trial =
        json_is_integer(id) && json_integer_value(id) >= 1 && (uint64_t)json_integer_value(id) <= t->asker->n_written;
    if (value && params && !is_of_trial) return tell_known(t, params, value, err);
    if (value && id) return tell(t, id, value, err);
    if (params && id) return evaluate(t, id, params, err);
    return bad_line(t->asker, err, id ? "neither a value nor params" : "no id");
}

static bool is_blank(const char *line) { return line[strspn(line, " \t\r")] == '\0'; }

static int handle(struct tune *t, char *line, struct error *err)
{
    char word[8];
    if (is_blank(line)) return 0;
    if (sscanf(line, " %7s", word) == 1 && strcmp(word, "ask") == 0) return ask(t->asker, NULL, err);
    json_error_t why;
    json_t *json = json_loads(line, JSON_DECODE_ANY, &why);
    int result;
    if (!json) result = bad_line(t->asker, err, "this is no JSON");
    else if (json_is_string(json) && strcmp(json_string_value(json), "ask") == 0) result = ask(t->asker, NULL, err);
    else if (json_is_object(json)) result = handle_object(t, json, err);
    else result = bad_line(t->asker, err, "an object is needed");
    json_decref(json);
    return result;
}

/* ---- for the search ---- */

static int try_outside(struct tune *t, const size_t *points, size_t n, unsigned rung, struct error *err)
{
    if (rung)
        return error_set(err, ERR_USAGE,
                         "%s: the method halving runs prefixes, which a program outside cannot: choose another method",
                         t->name);
    for (;;) {
        bool is_waiting = false;
        char *line;
        for (size_t i = 0; i < n; i++) is_waiting |= !tune_find(t, points[i], 0);
        if (!is_waiting) return 0;
        if (write_wanted(t, points, n, err) < 0) return -1;
        const int got = read_line(t->asker, &line, err);
        if (got < 0) return -1;
        t->asker->has_ended = got == 0;
        if (got == 0) return error_set(err, ERR_INPUT, "%s: the input ended before any trial had a value", t->name);
        const int result = handle(t, line, err);
        free(line);
        if (result < 0) return -1;
    }
}

int tune_run_asked(struct tune *t, const struct tune_pipe *pipe, struct runner *runner, json_t **report,
                   struct error *err)
{
    struct asker a = {.pipe = pipe};
    *report = NULL;
    t->runner = runner;
    t->asker = &a;
    t->outside = try_outside;
    numerics_set_up();
    a.rng = gsl_rng_alloc(gsl_rng_mt19937);
    int result = a.rng ? 0 : error_set(err, ERR_MEMORY, "out of memory for the search");
    if (result == 0) {
        gsl_rng_set(a.rng, (unsigned long)t->seed);
        result = tune_search(t, err);
        if (a.has_ended && t->n_trials) result = 0; /* the other side has enough */
    }
    if (result == 0) result = tune_report(t, report, err);
    t->asker = NULL;
    t->outside = NULL;
    if (a.rng) gsl_rng_free(a.rng);
    free(a.text);
    free(a.written);
    return result;
}
