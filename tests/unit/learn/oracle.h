/* Tables of counts with what a reference says of them. */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include "poise/table_csv.h"
#include "poise/validate.h"

#define ORACLE_FOLDER POISE_SOURCE_DIR "/tests/reference/nb/"
struct oracle {
    const char *name;
    struct table_csv table;
    struct training_set set;
    struct groups groups; /* of a table that has them */
    json_t *json;
};

/* NAME.csv, whose target is y, and NAME`ending`, the reference's answers. */
static inline void oracle_load(struct oracle *o, const char *name, const char *ending)
{
    char path[512];
    struct error err;
    json_error_t why;
    /* R's weights, which the reference has, are precisions */
    const struct training_choice choice = {.target = "y", .weights = WEIGHTS_PRECISION};
    *o = (struct oracle){.name = name};
    snprintf(path, sizeof path, ORACLE_FOLDER "%s.csv", name);
    assert_ok(table_csv_read(&o->table, path, &err), &err);
    assert_ok(training_set_init(&o->set, &o->table, &choice, &err), &err);
    if (o->set.groups) assert_ok(groups_init(&o->groups, o->set.groups, o->set.data.n, &err), &err);
    snprintf(path, sizeof path, ORACLE_FOLDER "%s%s", name, ending);
    o->json = json_load_file(path, 0, &why);
    if (!o->json) fail_msg("%s: %s", path, why.text);
}

static inline void oracle_unload(struct oracle *o)
{
    json_decref(o->json);
    groups_fini(&o->groups);
    training_set_fini(&o->set);
    table_csv_fini(&o->table);
}
#endif
