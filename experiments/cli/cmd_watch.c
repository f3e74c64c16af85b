/* poise watch DIR: a live view of a running sweep. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/clock.h"
#include "poise/say.h"
#include "poise/watch.h"

struct watch_options {
    uint64_t interval;
    bool once, json;
};
static const struct option_row rows[] = {
    OPTION(watch_options, interval, 0, OPTION_COUNT, "SECONDS", "between two looks (default: 2)"),
    OPTION(watch_options, once, 0, OPTION_FLAG, NULL, "look once and end"),
    OPTION(watch_options, json, 0, OPTION_FLAG, NULL, "print what was seen as JSON, once"),
};

static struct report_style style_of(size_t *lines)
{
    struct winsize size;
    struct report_style style = {.width = 80};
    *lines = 1000;
    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return style;
    style.has_colour = true;
    style.width = size.ws_col < 40 ? 40 : size.ws_col;
    *lines = size.ws_row > 16 ? size.ws_row - 14 : 3;
    return style;
}

/* Redraws in place on a terminal; elsewhere one look after another. False when there is nothing left to wait for. */
static bool show(const json_t *now, bool once)
{
    size_t lines;
    const struct report_style style = style_of(&lines);
    if (style.has_colour && !once) fputs("\033[H\033[2J", stdout);
    watch_print(now, &style, lines, stdout);
    fflush(stdout);
    const json_t *left = json_object_get(now, "left");
    return !json_is_number(left) || json_number_value(left) > 0;
}

/* Looks must not cost the sweep its processors: a look that takes long is followed by a longer pause. */
static void pause_between(const struct cli *cli, double interval, double cost)
{
    const double until = clock_s() + (10 * cost > interval ? 10 * cost : interval);
    while (!*cli->stop && clock_s() < until) usleep(50000);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct watch_options *o = options;
    json_t *now;
    bool goes_on = true, has_waited = false;
    if (arguments->n != 1)
        return error_set(err, ERR_USAGE, "poise watch needs one result folder, such as that of poise sweep --out DIR");
    while (goes_on && !*cli->stop) {
        const double began = clock_s();
        if (watch_read(&now, arguments->items[0], err) < 0) {
            if (o->once || o->json || has_waited) return -1;
            say_line(stderr, "%s: no store yet; waiting", arguments->items[0]);
            has_waited = true; /* once: a sweep that is about to begin */
        } else {
            if (o->json) return cli_print_json(now, err);
            goes_on = show(now, o->once) && !o->once;
            json_decref(now);
        }
        if (goes_on) pause_between(cli, o->interval ? (double)o->interval : 2, clock_s() - began);
    }
    return *cli->stop ? error_set(err, ERR_INTERRUPTED, "interrupted") : 0;
}

const struct command command_watch = {"watch",
                                      "a live view of a running sweep: rate, time left, failures, best so far",
                                      "DIR [--once] [--json]",
                                      "Reads DIR/store.sqlite and writes nothing. It ends with the sweep.\n",
                                      rows,
                                      COUNT_OF(rows),
                                      sizeof(struct watch_options),
                                      run};
