#include "poise/model_machine.h"

#include <jansson.h>
#include <stdio.h>
#include "poise/file.h"
#include "poise/gpu.h"
#include "poise/launches.h"

json_t *model_machine(const struct gpu_params *params)
{
    const struct launch_machine m = gpu_launch_machine(params);
    json_t *all = gpu_params_json(params);
    const json_int_t warps = json_integer_value(json_object_get(json_object_get(all, "core"), "max_warps"));
    json_decref(all);
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "sms", (json_int_t)m.sms, "schedulers", (json_int_t)m.schedulers, "warps",
                     warps, "l1_lines", (json_int_t)m.l1_lines, "l2_lines", (json_int_t)m.l2_lines);
}

void model_machine_differs(char *out, size_t size, const char *model, const struct gpu_params *params)
{
    struct error ignored;
    json_t *file = file_read_json(model, &ignored), *own = model_machine(params), *value;
    const json_t *trained = json_object_get(json_object_get(file, "training"), "machine");
    const char *key;
    size_t used = 0;
    out[0] = '\0';
    json_object_foreach(own, key, value) {
        const json_t *then = json_object_get(trained, key);
        if (!json_is_integer(then) || json_equal(then, value) || used >= size) continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s %lld, not %lld", used ? "; " : "", key,
                                 (long long)json_integer_value(value), (long long)json_integer_value(then));
    }
    json_decref(file);
    json_decref(own);
}
