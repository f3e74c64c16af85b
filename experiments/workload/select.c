/* Choosing launches by kernel name, size, input and index. */
#include <string.h>
#include "poise/suite.h"
#include "poise/sweep.h"

static bool among(const int32_t *list, size_t n, int32_t value)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == value) return true;
    return n == 0;
}

static int take(struct launches *out, const struct launches *all, const uint32_t *indices, size_t n_indices,
                bool profiled_only, struct error *err)
{
    for (size_t k = 0; k < n_indices; k++)
        if (indices[k] >= all->n)
            return error_set(err, ERR_INPUT, "launch %u: %s has %zu launches (0 .. %zu)", (unsigned)indices[k],
                             all->items[0].workload->name, all->n, all->n - 1);
    for (size_t i = 0; i < all->n; i++) {
        bool is_wanted = n_indices == 0;
        for (size_t k = 0; k < n_indices; k++) is_wanted |= indices[k] == all->items[i].index;
        if (is_wanted && (!profiled_only || all->items[i].is_profiled) && launches_add(out, &all->items[i], err) < 0)
            return -1;
    }
    return 0;
}

int select_launches(struct launches *out, const struct registry *registry, const struct lab_paths *paths,
                    const char *pattern, int size, const int32_t *inputs, size_t n_inputs, const uint32_t *indices,
                    size_t n_indices, bool profiled_only, struct error *err)
{
    const struct workload *exact;
    bool is_any = false, has_input = false;
    const bool is_glob = strpbrk(pattern, "*?[");
    size_t n_left_out = 0;
    if (!is_glob && registry_find(registry, pattern, &exact, err) < 0) return -1;
    for (size_t i = 0; i < registry->n; i++) {
        const struct workload *w = &registry->workloads[i];
        if (!workload_is_meant(w, pattern, size)) continue;
        if (w->of_suite && is_glob && !suite_is_ready(w, paths, size)) {
            n_left_out++;
            continue;
        }
        is_any = true;
        for (size_t k = 0; k < w->n_inputs; k++) {
            struct launches all = {0};
            if (!among(inputs, n_inputs, w->inputs[k])) continue;
            has_input = true;
            int result = workload_launches(&all, paths, w, size, w->inputs[k], err);
            if (result == 0) result = take(out, &all, indices, n_indices, profiled_only, err);
            launches_fini(&all);
            if (result < 0) return -1;
        }
    }
    suite_tell_left_out(pattern, n_left_out);
    if (is_any && has_input) return 0;
    if (n_left_out) return error_set(err, ERR_INPUT, "'%s': no program that it means is built and runs", pattern);
    if (is_any) return error_set(err, ERR_INPUT, "kernel '%s' has no such input", pattern);
    if (strchr(pattern, '/')) return suite_explain(pattern, err);
    error_set(err, ERR_INPUT, "no kernel matches '%s'", pattern);
    return error_at(err, NULL, 0, -1, "'poise kernels' lists them");
}
