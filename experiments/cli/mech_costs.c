#include "cli/mech_costs.h"

#include <jansson.h>
#include <string.h>

static const double nodes_nm[] = {40, 45};
static const char *const kinds[] = {[STORAGE_ARRAY] = "array",
                                    [STORAGE_QUEUE] = "queue",
                                    [STORAGE_REGISTER] = "registers",
                                    [STORAGE_WIRES] = "wires",
                                    [STORAGE_SWITCH] = "switch"};

static json_t *range_json(struct energy_range r)
{
    return json_pack("{s:f,s:f,s:f}", "value", r.value, "low", r.low, "high", r.high);
}

static json_t *published_json(const char *name)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n_storage_published; i++) {
        const struct storage_published *p = &storage_published[i];
        if (strcmp(p->mech, name) != 0) continue;
        json_array_append_new(list, json_pack("{s:s,s:f,s:s,s:s,s:f,s:I}", "what", p->what, "value", p->value, "unit",
                                              p->unit, "source", p->source, "node_nm", p->node_nm, "sms",
                                              (json_int_t)p->sms));
    }
    return list;
}

/* {"name","parts","bits_per_sm","bits_once","bits","bytes","mm2_40nm","mm2_45nm","paper"} */
static json_t *cost_json(const char *name, const struct mech_cost *rows, size_t n, uint32_t sms)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(parts, json_pack("{s:s,s:s,s:I,s:I}", "part", rows[i].what, "kind", kinds[rows[i].kind],
                                               "bits_per_sm", (json_int_t)rows[i].sm_bits, "bits_once",
                                               (json_int_t)rows[i].gpu_bits));
    const struct storage_cost cost = storage_of(rows, n, sms, nodes_nm[0]);
    json_t *out = json_pack("{s:s,s:b,s:o,s:I,s:I,s:I,s:f}", "name", name, "worked_out", n > 0, "parts", parts,
                            "bits_per_sm", (json_int_t)cost.sm_bits, "bits_once", (json_int_t)cost.gpu_bits, "bits",
                            (json_int_t)cost.bits, "bytes", (double)cost.bits / 8);
    for (size_t i = 0; i < COUNT_OF(nodes_nm); i++) {
        char key[24];
        snprintf(key, sizeof key, "mm2_%.0fnm", nodes_nm[i]);
        json_object_set_new(out, key, range_json(storage_of(rows, n, sms, nodes_nm[i]).mm2));
    }
    json_object_set_new(out, "paper", published_json(name));
    return out;
}

static void print_published(const char *name)
{
    for (size_t i = 0; i < n_storage_published; i++) {
        const struct storage_published *p = &storage_published[i];
        if (strcmp(p->mech, name) != 0) continue;
        printf("    paper: %s %g %s", p->what, p->value, p->unit);
        if (p->node_nm > 0) printf(" at %g nm", p->node_nm);
        printf(", %u SMs [%s]\n", (unsigned)p->sms, p->source);
    }
}

static void print_cost(const char *name, const struct mech_cost *rows, size_t n, uint32_t sms)
{
    if (n == 0) return;
    const struct storage_cost at40 = storage_of(rows, n, sms, nodes_nm[0]),
                              at45 = storage_of(rows, n, sms, nodes_nm[1]);
    printf("%-15s %12llu %12llu %12.1f  %.3g (%.2g to %.2g) %10.3g\n", name, (unsigned long long)at40.sm_bits,
           (unsigned long long)at40.gpu_bits, (double)at40.bits / 8, at40.mm2.value, at40.mm2.low, at40.mm2.high,
           at45.mm2.value);
    print_published(name);
}

/* Where one mechanism is asked for: what its bits are. */
static void print_parts(const struct mech_cost *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("    %-9s %7llu bits an SM, %llu once: %s\n", kinds[rows[i].kind], (unsigned long long)rows[i].sm_bits,
               (unsigned long long)rows[i].gpu_bits, rows[i].what);
}

static int mech_cost(json_t *list, const struct mech_type *type, const struct gpu_params *machine, bool json,
                     bool is_asked, struct error *err)
{
    struct mech_spec spec;
    struct mech_cost rows[MECH_COSTS_MAX];
    uint32_t sms;
    if (mech_new(&spec, type, err) < 0) return -1;
    const size_t n = mech_costs(&spec, machine, rows, &sms);
    if (json) json_array_append_new(list, cost_json(mech_name(type), rows, n, sms));
    else print_cost(mech_name(type), rows, n, sms);
    if (!json && is_asked) print_parts(rows, n);
    mech_free(&spec);
    return 0;
}

/* What an organisation of this machine's L1 has beyond a plain one with tags of 20 bits, as TSC Tab. 3 counts. */
static int organisations(json_t *list, const struct gpu_params *machine, bool json, struct error *err)
{
    static const char *const names[] = {"sectored", "lamar_tsc", "tsc", "dsc", "elastic"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct gpu_params *p = gpu_params_copy(machine);
        if (!p) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
        struct error none;
        if (gpu_params_set(p, "l1.organisation", names[i], &none) < 0 || gpu_params_check(p, &none) < 0) {
            gpu_params_free(p);
            continue; /* this machine cannot have it */
        }
        uint32_t sms;
        const struct mech_spec nothing = {.type = mech_find("gto")};
        struct mech_cost unused[MECH_COSTS_MAX];
        mech_costs(&nothing, p, unused, &sms);
        const struct mech_cost row = {"tags, valid and order bits beyond a plain L1", gpu_l1_extra_bits(p, 20), 0,
                                      STORAGE_ARRAY};
        if (json) json_array_append_new(list, cost_json(names[i], &row, 1, sms));
        else print_cost(names[i], &row, 1, sms);
        gpu_params_free(p);
    }
    return 0;
}

int mech_costs_list(json_t *out, const struct mech_type *asked, const struct gpu_params *machine, bool json,
                    struct error *err)
{
    json_t *mechs = json_array(), *l1 = json_array();
    int result = 0;
    if (!json)
        printf("%-15s %12s %12s %12s  %s %s\n", "mechanism", "bits an SM", "bits once", "bytes in all",
               "mm2 at 40 nm (low to high)", "at 45 nm");
    for (size_t i = 0; i < mech_count() && result == 0; i++)
        if (!asked || mech_at(i) == asked) result = mech_cost(mechs, mech_at(i), machine, json, asked != NULL, err);
    if (result == 0 && !asked && !json) printf("organisations of L1\n");
    if (result == 0 && !asked) result = organisations(l1, machine, json, err);
    json_object_set_new(out, "mechs", mechs);
    json_object_set_new(out, "organisations", l1);
    return result;
}
