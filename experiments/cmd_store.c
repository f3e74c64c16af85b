/* poise store ls|export csv|verify: what a store holds. */
#include <string.h>
#include "options.h"
#include "poise/store.h"

struct store_options { const char *store; };
static const struct option_row rows[] = {
    OPTION(store_options, store, 0, OPTION_TEXT, "FILE", "the store (default: results/quickstart/store.sqlite)"),
};

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct store_options *o = options;
    const char *path = o->store ? o->store : "results/quickstart/store.sqlite", *verb = arguments->n ? arguments->items[0] : "";
    const bool exports = strcmp(verb, "export") == 0, verifies = strcmp(verb, "verify") == 0, lists = strcmp(verb, "ls") == 0;
    if (!exports && !verifies && !lists) return error_set(err, ERR_USAGE, "poise store: choose ls, export csv or verify");
    if (exports && (arguments->n != 2 || strcmp(arguments->items[1], "csv") != 0))
        return error_set(err, ERR_USAGE, "poise store export: csv is the format there is");
    FILE *file = fopen(path, "rb");
    if (!file) return error_set(err, ERR_INPUT, "%s: there is no such store", path);
    fclose(file);
    struct store *store;
    struct error later;
    uint64_t n = 0;
    if (store_open(&store, path, err) < 0) return -1;
    int result = exports ? store_export_csv(store, stdout, err) : verifies ? store_verify(store, &n, err) : store_count(store, &n, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result == 0 && verifies) printf("%s: %llu runs, all sound\n", path, (unsigned long long)n);
    if (result == 0 && lists) printf("%s: %llu runs\n", path, (unsigned long long)n);
    return result;
}

const struct command command_store = {"store", "list, check and export the runs of a store", "ls | export csv | verify [--store FILE]", NULL,
                                      rows, COUNT_OF(rows), sizeof(struct store_options), run};
