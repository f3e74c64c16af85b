#include "cli/model_kind.h"

#include <stdio.h>
#include <string.h>
#include "cli/model_response.h"
#include "poise/model.h"
#include "poise/response_model.h"
#include "poise/tuple_model.h"

static int check_regressions(const char *path, struct error *err)
{
    struct model model;
    struct tuple_model bound;
    return model_read(&model, path, err) < 0 || tuple_model_init(&bound, &model, path, err) < 0 ? -1 : 0;
}

int model_mech(char *out, size_t size, const char *path, struct error *err)
{
    const bool is_learned = response_file_is(path);
    if (is_learned) {
        struct response_model model;
        if (response_model_read(&model, path, err) < 0) return -1;
        response_model_fini(&model);
    } else if (check_regressions(path, err) < 0) {
        return -1;
    }
    if (snprintf(out, size, "%s,model=%s", is_learned ? "learned" : "poise", path) < (int)size) return 0;
    return error_set(err, ERR_USAGE, "--model %.60s...: this path is too long", path);
}

bool model_mech_is_learned(const char *mech) { return strncmp(mech, "learned,", 8) == 0; }
