/* Caches of gpgpusim.config, and the queues beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

enum { TRACE_INST_BYTES = 16, FETCH_WIDTH = 2, SECTORS = 4, MERGE_MOST = 64 };
/* Buffers of the network simulator's own files, which are not read: input_buffer_size and ejection_buffer_size of
 * config_fermi_islip.icnt, config_kepler_islip.icnt and config_pascal_islip.icnt, GPGPU-Sim 4. */
enum { NETWORK_IN = 256, NETWORK_OUT = 64 };

/* An MSHR of the other simulator's sectored caches is one of a sector: a line's has the requests of four. */
static double merges_of(const struct importing *im, bool is_sectored, double merge)
{
    return !is_sectored || !has_sector_requests(im) ? merge
           : SECTORS * merge < MERGE_MOST           ? SECTORS * merge
                                                    : MERGE_MOST;
}

/* <kind>:<sets>:<line>:<ways>,<replace>:<write>:<allocate>:<write allocate>:<index>,<mshr kind>:<n>:<merge>,<miss
 * queue>[:<result queue>][,<port>] */
struct cache {
    char kind, replacement, write, allocate, write_allocate, index, mshr;
    double sets, line, ways, mshrs, merge, queue, port;
};
static int parse_cache(struct importing *im, const char *value, struct cache *c)
{
    int end = 0, more = 0;
    *c = (struct cache){0};
    const int n = sscanf(value, "%c:%lf:%lf:%lf,%c:%c:%c:%c:%c,%c:%lf:%lf,%lf%n", &c->kind, &c->sets, &c->line,
                         &c->ways, &c->replacement, &c->write, &c->allocate, &c->write_allocate, &c->index, &c->mshr,
                         &c->mshrs, &c->merge, &c->queue, &end);
    double results;
    if (n == 13 && sscanf(value + end, ":%lf%n", &results, &more) == 1) end += more; /* a queue of results */
    if (n == 13 && sscanf(value + end, ",%lf%n", &c->port, &more) == 1) end += more; /* bytes a cycle; 0: a line */
    if (n < 13 || value[end])
        return refuse(im, "kind:sets:bsize:assoc,rep:wr:alloc:wr_alloc:index,mshr:n:merge,queue is needed");
    if (!strchr("NS", c->kind) || !strchr("LF", c->replacement) || !strchr("RBTEL", c->write) ||
        !strchr("mfs", c->allocate) || !strchr("NWFL", c->write_allocate) || !strchr("LHPXCR", c->index) ||
        !strchr("FTAS", c->mshr))
        return refuse(im, "a letter has no meaning there: N|S:..,L|F:R|B|T|E|L:m|f|s:N|W|F|L:L|H|P|X|C|R,F|T|A|S:..");
    return 0;
}

/* L: least recently used, as caches of lines usually are; F: first in, first out. */
static const char *policy_of(const struct cache *c) { return c->replacement == 'F' ? "fifo" : "usual"; }

/* 'H' is Fermi's index; the other simulator stops where it is given other numbers of sets. */
static bool is_fermi_index(const struct cache *c) { return c->index == 'H' && (c->sets == 32 || c->sets == 64); }

static int map_index(struct importing *im, const struct cache *c)
{
    const char *index = c->index == 'L' ? "linear" : is_fermi_index(c) ? "fermi" : "hash";
    if (c->index != 'L' && !is_fermi_index(c)) remark(im, "set index '%c' of %g sets: our hash", c->index, c->sets);
    return put_text(im, "l1.set_index", index);
}

/* How L1 treats stores: T through; L local memory is kept, global memory evicts. */
static int map_l1_stores(struct importing *im, const struct cache *c)
{
    if (!strchr("LTE", c->write)) remark(im, "write policy '%c' has no equivalent: stores go through", c->write);
    FAIL_IF(put_text(im, "l1.write_hit", c->write == 'T' ? "through" : "evict"));
    FAIL_IF(put_text(im, "l1.local_stores",
                     c->write != 'L'            ? "through"
                     : c->write_allocate == 'N' ? "back"
                                                : "back_allocate"));
    /* Lazy fetch on read: a store takes its sectors without fetching the rest of the line. */
    FAIL_IF(put_text(im, "l1.write_miss", c->write == 'T' && c->write_allocate == 'L' ? "allocate" : "around"));
    if (!strchr("NL", c->write_allocate))
        remark(im, "write allocation '%c' has no equivalent: global stores take no line", c->write_allocate);
    return 0;
}

static int map_shared_sizes(struct importing *im)
{
    static const char *const lists[][2] = {
        {"0,8,16,32,64,96", "volta"}, {"32,64", "turing"}, {"0,8,16,32,64,100", "ampere"}};
    const char *list = option_value(im, "gpgpu_shmem_option", lists[0][0]);
    size_t i = 0;
    while (i < COUNT_OF(lists) && strcmp(lists[i][0], list) != 0) i++;
    if (i == COUNT_OF(lists)) remark(im, "sizes %s of shared memory have no equivalent: Volta's", list);
    return put_text(im, "l1.shared_sizes", lists[i < COUNT_OF(lists) ? i : 0][1]);
}

/* Ports under their old and their new name. */
static int map_l1_banks(struct importing *im)
{
    const double banks = option_number(im, "gpgpu_l1_banks", option_number(im, "mem_unit_ports", 1));
    const bool is_adaptive =
        option_number(im, "gpgpu_adaptive_cache_config", option_number(im, "adaptive_volta_cache_config", 0)) == 1;
    FAIL_IF(put(im, "l1.banks", banks));
    FAIL_IF(put(im, "l1.bank_bytes", banks > 1 ? option_number(im, "gpgpu_l1_banks_byte_interleaving", 32) : 128));
    FAIL_IF(map_shared_sizes(im));
    return put(im, "l1.unified_bytes", is_adaptive ? 1024 * option_number(im, "gpgpu_unified_l1d_size", 128) : 0);
}

int map_l1(struct importing *im, const struct mapping *row, const char *value)
{
    struct cache c;
    (void)row;
    if (strcmp(value, "none") == 0) return refuse(im, "a machine without L1 data cache cannot be expressed");
    FAIL_IF(parse_cache(im, value, &c));
    FAIL_IF(put(im, "l1.sets", c.sets));
    FAIL_IF(put(im, "l1.line_bytes", c.line));
    FAIL_IF(put(im, "l1.ways", c.ways));
    FAIL_IF(map_index(im, &c));
    FAIL_IF(put(im, "l1.mshrs", c.mshrs));
    FAIL_IF(put(im, "l1.mshr_merge", merges_of(im, c.kind == 'S', c.merge)));
    /* With network_mode 2 the miss queue empties, one a cycle, into the crossbar's input buffer; what skips L1 goes
     * into that of any network. */
    const double buffer = is_local_network(im) ? option_number(im, "icnt_in_buffer_limit", 64)
                          : skips_l1(im)       ? NETWORK_IN
                                               : 0;
    FAIL_IF(put(im, "l1.miss_queue", c.queue + buffer));
    FAIL_IF(put_text(im, "l1.organisation", c.kind == 'S' ? "sectored" : "plain"));
    FAIL_IF(put(im, "l1.streaming", c.allocate == 's'));
    FAIL_IF(map_l1_stores(im, &c));
    FAIL_IF(map_l1_banks(im));
    FAIL_IF(put_text(im, "l1.replacement", policy_of(&c)));
    if (c.allocate != 'm' && c.allocate != 's') remark(im, "allocation '%c' has no equivalent: on miss", c.allocate);
    return 0;
}

/* ICNT-to-L2 : L2-to-DRAM : DRAM-to-L2 : L2-to-ICNT */
static int partition_queues(const struct importing *im, double out[4])
{
    const char *text = option_value(im, "gpgpu_dram_partition_queues", "8:8:8:8");
    int end = 0;
    return sscanf(text, "%lf:%lf:%lf:%lf%n", &out[0], &out[1], &out[2], &out[3], &end) == 4 && !text[end] ? 0 : -1;
}

int map_l2(struct importing *im, const struct mapping *row, const char *value)
{
    struct cache c;
    double queues[4];
    (void)row;
    FAIL_IF(parse_cache(im, value, &c));
    if (partition_queues(im, queues) < 0)
        return refuse(im, "gpgpu_dram_partition_queues is not four numbers with colons");
    FAIL_IF(put_text(im, "l2.organisation", c.kind == 'S' ? "sectored" : "plain"));
    FAIL_IF(put(im, "l2.sets", c.sets));
    FAIL_IF(put(im, "l2.ways", c.ways));
    FAIL_IF(put_text(im, "l2.replacement", policy_of(&c)));
    FAIL_IF(put(im, "l2.mshrs", c.mshrs));
    FAIL_IF(put(im, "l2.mshr_merge", merges_of(im, c.kind == 'S', c.merge)));
    FAIL_IF(put(im, "l2.miss_queue", c.queue + queues[1]));
    FAIL_IF(put(im, "l2.data_port_bytes", c.port > 0 ? c.port : im->params->l1.line_bytes));
    FAIL_IF(put(im, "l2.fill_port", 1)); /* the other simulator books fills on a port of their own */
    FAIL_IF(put(im, "l2.merge_touches", 1));
    FAIL_IF(put_text(im, "l2.write_miss", c.write_allocate == 'W' ? "fetch" : "allocate"));
    if (c.line != im->params->l1.line_bytes)
        remark(im, "line of %g bytes: L1's %u here", c.line, im->params->l1.line_bytes);
    FAIL_IF(put_text(im, "l2.set_index", is_fermi_index(&c) ? "fermi" : c.index == 'P' ? "ipoly" : "linear"));
    if (!strchr("LP", c.index) && !is_fermi_index(&c))
        remark(im, "set index '%c' of %g sets has no equivalent: linear", c.index, c.sets);
    if (c.write != 'B') remark(im, "write policy '%c' has no equivalent: write-back", c.write);
    if (!strchr("WFL", c.write_allocate))
        remark(im, "write allocation '%c' has no equivalent: allocates", c.write_allocate);
    return 0;
}

int map_partition_queues(struct importing *im, const struct mapping *row, const char *value)
{
    double queues[4];
    (void)row, (void)value;
    if (partition_queues(im, queues) < 0) return refuse(im, "four numbers with colons are needed");
    const bool is_local = is_local_network(im);
    FAIL_IF(put(im, "l2.access_queue",
                queues[0] + (is_local ? option_number(im, "icnt_out_buffer_limit", 64) : NETWORK_OUT)));
    FAIL_IF(put(im, "l2.response_queue",
                queues[3] + (is_local ? option_number(im, "icnt_in_buffer_limit", 64) : NETWORK_IN)));
    remark(im, "L2-to-DRAM is in l2.miss_queue; DRAM-to-L2 is as large as the MSHRs");
    return 0;
}

int map_icache(struct importing *im, const struct mapping *row, const char *value)
{
    struct cache c;
    (void)row;
    FAIL_IF(parse_cache(im, value, &c));
    FAIL_IF(put(im, "fetch.sets", option_number(im, "gpgpu_perfect_inst_const_cache", 0) == 1 ? 0 : c.sets));
    FAIL_IF(put(im, "fetch.ways", c.ways));
    FAIL_IF(put_text(im, "fetch.replacement", policy_of(&c)));
    FAIL_IF(put(im, "fetch.mshrs", c.mshrs));
    FAIL_IF(put(im, "fetch.inst_bytes", TRACE_INST_BYTES));
    FAIL_IF(put(im, "fetch.width", FETCH_WIDTH));
    if (c.line != im->params->l1.line_bytes)
        remark(im, "line of %g bytes: L1's %u here", c.line, im->params->l1.line_bytes);
    return 0;
}

/* Constant and texture caches: lines as long as L1D's, as many bytes. */
int map_read_only(struct importing *im, const struct mapping *row, const char *value)
{
    struct cache c;
    char name[64];
    FAIL_IF(parse_cache(im, value, &c));
    const double lines = c.sets * c.line / im->params->l1.line_bytes;
    const bool is_perfect =
        strcmp(row->target, "const") == 0 && option_number(im, "gpgpu_perfect_inst_const_cache", 0) == 1;
    snprintf(name, sizeof name, "lsu.%s_sets", row->target);
    FAIL_IF(put(im, name, is_perfect ? 0 : lines >= 1 ? floor(lines) : 1));
    snprintf(name, sizeof name, "lsu.%s_ways", row->target);
    FAIL_IF(put(im, name, c.ways));
    snprintf(name, sizeof name, "lsu.%s_replacement", row->target);
    FAIL_IF(put_text(im, name, policy_of(&c)));
    snprintf(name, sizeof name, "lsu.%s_mshrs", row->target);
    FAIL_IF(put(im, name, c.mshrs));
    if (strcmp(row->target, "const") == 0) FAIL_IF(put(im, "lsu.read_only_merge", c.merge));
    if (c.line != im->params->l1.line_bytes)
        remark(im, "line of %g bytes: L1's %u here", c.line, im->params->l1.line_bytes);
    return 0;
}
