/* Traces over the whole suite: bytes at rest a warp instruction, graph kernels apart (their addresses are entropy),
 * and the time to open. */
#include "bench.h"

#include <string.h>
#include <unistd.h>

struct bytes {
    uint64_t bytes, insts;
};
static double per_inst(struct bytes b) { return b.insts ? (double)b.bytes / (double)b.insts : 0; }

/* What input graphs address; bfs of Rodinia walks one too. */
static bool is_graph(const struct workload *w) { return strcmp(w->suite, "graph") == 0 || strcmp(w->name, "bfs") == 0; }

/* Wall seconds until a decoded trace can be read: the at-rest file's header, its provenance, the decoded file's
 * mapping. */
static int time_open(const struct bench *b, const char *path, const char *decoded, double *seconds, struct error *err)
{
    double times[REPS_MAX];
    for (int r = -1; r < b->reps; r++) { /* the first decodes */
        struct trace *trace;
        const double start = clock_s();
        if (trace_open(&trace, path, decoded, err) < 0) return -1;
        if (r >= 0) times[r] = clock_s() - start;
        trace_close(trace);
    }
    *seconds = median(times, b->reps, NULL);
    return 0;
}

int bench_suite(const struct bench *b, json_t *out, struct error *err)
{
    struct bytes all = {0}, graphs = {0};
    struct launches launches = {0};
    const struct launch *largest = NULL;
    char decoded[600];
    double open_s = 0;
    int result = 0;
    for (size_t i = 0; i < b->registry.n && result == 0; i++)
        for (size_t k = 0; k < b->registry.workloads[i].n_inputs && result == 0; k++)
            result = workload_launches(&launches, &b->paths, &b->registry.workloads[i], b->size,
                                       b->registry.workloads[i].inputs[k], err);
    for (size_t i = 0; i < launches.n; i++) {
        const struct launch *l = &launches.items[i];
        all.bytes += l->bytes, all.insts += l->warp_insts;
        if (is_graph(l->workload)) graphs.bytes += l->bytes, graphs.insts += l->warp_insts;
        if (!largest || l->bytes > largest->bytes) largest = l;
    }
    snprintf(decoded, sizeof decoded, "%s/decoded", b->paths.traces);
    if (result == 0 && largest) result = time_open(b, largest->path, decoded, &open_s, err);
    const struct bytes rest = {all.bytes - graphs.bytes, all.insts - graphs.insts};
    if (result == 0 && !b->json)
        printf("\ntraces: %zu launches, %.3g M warp instructions, %.3f bytes each at rest (graph kernels %.3f, the "
               "others %.3f); "
               "the largest (%s) opens in %.0f us when decoded\n",
               launches.n, 1e-6 * (double)all.insts, per_inst(all), per_inst(graphs), per_inst(rest),
               largest ? largest->label : "-", 1e6 * open_s);
    json_object_set_new(out, "suite",
                        json_pack("{s:I,s:I,s:f,s:f,s:f,s:f}", "launches", (json_int_t)launches.n, "warp_insts",
                                  (json_int_t)all.insts, "bytes_per_winst", per_inst(all), "bytes_per_winst_graphs",
                                  per_inst(graphs), "bytes_per_winst_others", per_inst(rest), "open_decoded_s",
                                  open_s));
    launches_fini(&launches);
    return result;
}
