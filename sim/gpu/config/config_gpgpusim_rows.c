/* One row an option. What the other simulator's places add up to in our model:
 *
 *   LSU queue          ID_OC_MEM register, collector units for memory, OC_EX_MEM register, dispatch register:
 *                      lsu.pipeline_width
 *   L1 latency         a pipeline in front of the lookup: l1.late_lookup
 *   crossbar           network_mode 2 has buffers at every port: they lengthen our queues on both sides of it
 *   L2                 its miss queue empties into the partition's L2-to-DRAM queue, and so on: neighbours in a row
 *   are one queue here
 *   latencies          gpgpu_l2_rop_latency and dram_latency are added to the path; our totals are switched off
 *   constant cache     its lines are as long as L1D's here: as many bytes
 *   adaptive L1        gpgpu_unified_l1d_size, or the 128 KB of files before there was that option
 *   operands           ID_OC, collection (2), OC_EX, dispatch, write-back: core.operand_cycles; of sub-cores they
 *   are modelled */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

enum { OPERAND_STAGES = 6, LIST_MAX = 20, SECTOR_PACKET = 40 };

static int number(struct importing *im, const struct mapping *row, const char *value)
{
    return put_text(im, row->target, value);
}

/* "4,13,4,5,145,32" -> numbers; fewer than `needed` is an error. */
static int numbers(struct importing *im, const char *value, const char *between, double out[LIST_MAX], int needed)
{
    int n = 0;
    for (const char *at = value; n < LIST_MAX; at++) {
        char *end;
        out[n] = strtod(at, &end);
        if (end == at) break;
        n++;
        at = end;
        if (!*at || !strchr(between, *at)) break;
    }
    return n >= needed ? n : refuse(im, "%d numbers are needed", needed);
}

static int map_sms(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row, (void)value;
    return put(im, "core.sms",
               option_number(im, "gpgpu_n_clusters", 10) * option_number(im, "gpgpu_n_cores_per_cluster", 3));
}

static int map_banks(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row, (void)value;
    const double channels = option_number(im, "gpgpu_n_mem", 8);
    FAIL_IF(put(im, "dram.channels", channels));
    return put(im, "l2.banks", channels * option_number(im, "gpgpu_n_sub_partition_per_mchannel", 1));
}

static int map_clocks(struct importing *im, const struct mapping *row, const char *value)
{
    static const char *const domains[] = {"clock.core_mhz", "clock.xbar_mhz", "clock.l2_mhz", "clock.dram_mhz"};
    double mhz[LIST_MAX];
    (void)row;
    FAIL_IF(numbers(im, value, ":", mhz, 4));
    for (int i = 0; i < 4; i++) {
        FAIL_IF(put(im, domains[i], floor(mhz[i] + 0.5)));
        if (mhz[i] != floor(mhz[i])) remark(im, "%g MHz rounded", mhz[i]);
    }
    return 0;
}

static int map_threads(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    (void)row;
    FAIL_IF(numbers(im, value, ":", v, 2));
    if (v[1] != 32) return refuse(im, "warps have 32 threads here");
    FAIL_IF(put(im, "core.max_threads", v[0]));
    return put(im, "core.max_warps", v[0] / 32);
}

static int map_scheduler(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    if (strcmp(value, "lrr") == 0) return put_text(im, "core.scheduler", "lrr");
    if (strncmp(value, "two_level_active", 16) == 0) {
        const char *colon = strchr(value, ':');
        FAIL_IF(put_text(im, "core.scheduler", "two_level"));
        return colon && strtod(colon + 1, NULL) >= 1 ? put(im, "core.active_warps", floor(strtod(colon + 1, NULL))) : 0;
    }
    FAIL_IF(put_text(im, "core.scheduler", "gto"));
    const char *limit = strncmp(value, "warp_limiting:", 14) == 0 ? strrchr(value, ':') : NULL;
    if (limit) remark(im, "the limit is a mechanism here: --mech swl,N=%s", limit + 1);
    else if (strcmp(value, "gto") != 0) remark(im, "scheduler '%s' has no equivalent", value);
    return 0;
}

/* Latencies or intervals of ADD,MAX,MUL,MAD,DIV into the parameters that `target` begins the names of. */
static int map_ptx_class(struct importing *im, const struct mapping *row, const char *value)
{
    const bool is_latency = strstr(row->option, "latency") != NULL, is_dp = strcmp(row->target, "core.dp") == 0;
    const char *what = is_latency ? "latency" : "interval";
    double v[LIST_MAX];
    char name[64];
    FAIL_IF(numbers(im, value, ",", v, 5));
    snprintf(name, sizeof name, "%s_%s", row->target, what);
    FAIL_IF(put(im, name, v[0]));
    snprintf(name, sizeof name, "%s_mul_%s", row->target, what);
    if (!is_dp) FAIL_IF(put(im, name, is_latency ? v[3] : v[2])); /* latency of MAD, interval of MUL */
    snprintf(name, sizeof name, "%s_div_%s", row->target, what);
    FAIL_IF(put(im, name, v[4]));
    remark(im, is_dp ? "MAX, MUL and MAD take ADD's" : "MAX takes ADD's");
    return 0;
}

static int map_ptx_sfu(struct importing *im, const struct mapping *row, const char *value)
{
    return put(im, row->target, strtod(value, NULL));
}

/* "latency,interval" of a class of SASS; comes after the PTX rows and so prevails. */
static int map_trace_class(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    char names[200], *rest = NULL;
    FAIL_IF(numbers(im, value, ",", v, 2));
    FAIL_IF(put(im, "fetch.across_jumps", 1));
    snprintf(names, sizeof names, "%s", row->target);
    for (const char *class = strtok_r(names, " ", &rest); class; class = strtok_r(NULL, " ", &rest)) {
        char name[64];
        snprintf(name, sizeof name, "core.%s_latency", class);
        FAIL_IF(put(im, name, v[0]));
        snprintf(name, sizeof name, "core.%s_interval", class);
        if (strcmp(class, "branch") != 0) FAIL_IF(put(im, name, v[1]));
    }
    return 0;
}

static int map_coalescing(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row, (void)value;
    FAIL_IF(put(im, "lsu.atomic_conflicts", 1));
    FAIL_IF(put(im, "lsu.sector_requests", has_sector_requests(im)));
    remark(im, "%s of the whole warp are merged; lanes of an atomic on the same bytes go apart",
           has_sector_requests(im) ? "sectors" : "lines");
    return 0;
}

/* ID_OC_SP,ID_OC_DP,ID_OC_INT,ID_OC_SFU,ID_OC_MEM,OC_EX_SP,OC_EX_DP,OC_EX_INT,OC_EX_SFU,OC_EX_MEM,EX_WB,... */
static int map_pipeline(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    (void)row;
    const int n = numbers(im, value, ",", v, 10);
    FAIL_IF(n);
    const bool is_divided = has_sub_cores(im);
    const double collectors = is_divided ? option_number(im, "gpgpu_operand_collector_num_units_gen", 0)
                                         : option_number(im, "gpgpu_operand_collector_num_units_mem", 2);
    FAIL_IF(put(im, "lsu.pipeline_width", v[4] + collectors + v[9] + 1));
    FAIL_IF(put(im, "core.operand_cycles", is_divided ? 0 : OPERAND_STAGES));
    FAIL_IF(n > 10 ? put(im, "core.result_ports", v[10] <= 8 ? v[10] : 8) : 0);
    if (is_divided)
        remark(im, "a sub-core has one issue register a kind, whatever the widths, and writes all results back");
    else remark(im, "other widths have no equivalent: one instruction a scheduler and cycle");
    return 0;
}

/* Divided among the schedulers: units, register banks, and the collectors that all kinds of instruction share. */
static int map_sub_cores(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    const bool is_divided = strcmp(value, "1") == 0;
    FAIL_IF(put(im, "core.sub_cores", is_divided));
    FAIL_IF(put(im, "core.collectors", is_divided ? option_number(im, "gpgpu_operand_collector_num_units_gen", 0) : 0));
    const double reads = option_number(im, "gpgpu_reg_file_port_throughput", 1);
    FAIL_IF(put(im, "core.read_steps", is_divided ? reads : 1));
    if (!is_divided && reads > 1) remark(im, "a bank gives one register a cycle here, not %g", reads);
    return 0;
}

/* Units that a file names; the front end sends them the instructions of a kind. */
static const struct special {
    const char *name, *units, *latency, *interval;
} specials[] = {{"BRA", "core.branch_units", "core.branch_latency", "core.branch_interval"},
                {"TEX", "core.texture_units", "core.texture_unit_latency", "core.texture_unit_interval"},
                {"TENSOR", "core.tensor_units", "core.tensor_latency", "core.tensor_interval"},
                {"UDP", "core.uniform_units", "core.uniform_latency", "core.uniform_interval"}};

static const struct special *special_of(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(specials); i++)
        if (strcmp(specials[i].name, name) == 0) return &specials[i];
    return NULL;
}

/* "<is used>,<units>,<most latency>,<ID_OC width>,<OC_EX width>,<name>" */
static int map_special(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    FAIL_IF(numbers(im, value, ",", v, 5));
    const struct special *unit = special_of(strrchr(value, ',') + 1);
    (void)row;
    if (!unit) {
        remark(im, "no equivalent");
        return 0;
    }
    return put(im, unit->units, v[0] == 1 ? v[1] : 0);
}

/* Its "latency,interval". `target`: the unit's own option. */
static int map_special_timing(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    const struct special *unit = special_of(strrchr(option_value(im, row->target, ","), ',') + 1);
    if (!unit) {
        remark(im, "see %s", row->target);
        return 0;
    }
    FAIL_IF(numbers(im, value, ",", v, 2));
    FAIL_IF(put(im, unit->latency, v[0]));
    return put(im, unit->interval, v[1]);
}

static int map_issue_width(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    const double width = strtod(value, NULL);
    FAIL_IF(put(im, "core.issue_width", width <= 2 ? width : 2));
    if (width > 2) remark(im, "at most two here");
    if (width > 1 && option_number(im, "gpgpu_dual_issue_diff_exec_units", 1) != 1)
        remark(im, "to different units, where the other simulator asks for none");
    return 0;
}

/* How channels and sub-partitions are hashed. */
static int map_partitions(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    if (im->params->l2.bank_index != ADDRESSED_BANKS) {
        remark(im, "of this address mapping there is none");
        return 0;
    }
    if (strcmp(value, "0") == 0) return put_text(im, "l2.bank_index", "addresses");
    if (strcmp(value, "2") == 0) return put_text(im, "l2.bank_index", "ipoly");
    if (strcmp(value, "4") == 0) return put_text(im, "l2.bank_index", "random");
    remark(im, "index %s of partitions has no equivalent: not hashed", value);
    return 0;
}

/* "entries:high:low" */
static int map_write_queue(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    (void)row;
    FAIL_IF(numbers(im, value, ":", v, 3));
    const bool is_used = option_number(im, "dram_seperate_write_queue_enable", 0) == 1;
    FAIL_IF(put(im, "dram.write_queue", is_used ? v[0] : 0));
    FAIL_IF(put(im, "dram.write_high", is_used ? v[1] : 0));
    return put(im, "dram.write_low", is_used ? v[2] : 0);
}

static int map_dram_banks(struct importing *im, const struct mapping *row, const char *value)
{
    static const char *const names[] = {"linear", "xor", "ipoly"};
    (void)row;
    if (strlen(value) == 1 && value[0] >= '0' && value[0] <= '2')
        return put_text(im, "dram.bank_index", names[value[0] - '0']);
    remark(im, "index %s of banks has no equivalent: linear", value);
    return 0;
}

static int map_network(struct importing *im, const struct mapping *row, const char *value)
{
    const bool is_local = strcmp(value, "2") == 0;
    (void)row;
    FAIL_IF(put(im, "xbar.whole_packets", is_local));
    /* internal_speedup of Accel-Sim's network files; GPGPU-Sim 3.2.2's of the GTX 480 says 1; a local crossbar has
     * none. With one virtual channel, and a switch cycle each to get it and to pass, a packet of one flit takes two
     * switch cycles: as many as a cycle has. */
    const bool is_one_flit = has_sector_requests(im) && option_number(im, "icnt_flit_size", 32) >= SECTOR_PACKET;
    FAIL_IF(put(im, "xbar.speedup", is_local || is_one_flit ? 1 : 2));
    FAIL_IF(put(im, "xbar.reply_queue",
                option_number(im, "gpgpu_n_cluster_ejection_buffer_size", 8) +
                    (is_local ? option_number(im, "icnt_out_buffer_limit", 64) : 0)));
    if (!is_local)
        remark(im, "the network simulator's own file is not read: a crossbar with flits, internal_speedup 2%s",
               is_one_flit ? ", which packets of one flit do not gain from" : "");
    return 0;
}

static int map_flit(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(put_text(im, "xbar.request_flit_bytes", value));
    return put_text(im, "xbar.reply_flit_bytes", value);
}

static int map_l1_latency(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(put_text(im, "l1.hit_latency", strcmp(value, "0") == 0 ? "1" : value));
    return put(im, "l1.late_lookup", 1);
}

static int map_rop(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(put_text(im, "l2.added_cycles", value));
    return put(im, "l2.round_trip_cycles", 0);
}

static int map_dram_latency(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(put_text(im, "dram.added_cycles", value));
    return put(im, "dram.extra_cycles", 0);
}

/* An older simulator has no such option, and takes high bits. */
static int map_group_index(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    return put_text(im, "dram.group_index", strcmp(value, "1") == 0 ? "low" : "high");
}

static int map_bus(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row, (void)value;
    return put(im, "dram.bus_bytes",
               option_number(im, "gpgpu_n_mem_per_ctrlr", 1) * option_number(im, "gpgpu_dram_buswidth", 4));
}

/* What a channel has in its delay, its scheduler, its banks and its return queue is limited by credits. */
static int map_dram_queue(struct importing *im, const struct mapping *row, const char *value)
{
    double sizes[LIST_MAX] = {0};
    if (option_number(im, "dram_seperate_write_queue_enable", 0) == 1)
        numbers(im, option_value(im, "dram_write_queue_size", "0"), ":", sizes, 1);
    const double returning = option_number(im, "gpgpu_dram_return_queue_size", 0);
    const double credits = option_number(im, "gpgpu_frfcfs_dram_sched_queue_size", 0) + returning + sizes[0] + 1;
    (void)row;
    FAIL_IF(put(im, "dram.early_room", has_sub_cores(im))); /* accelsim32 has it with the next model version */
    FAIL_IF(put(im, "dram.outstanding", returning > 0 && strcmp(value, "0") != 0 && credits < 4096 ? credits : 4096));
    if (strcmp(value, "0") != 0) return put_text(im, "dram.queue", value);
    FAIL_IF(put(im, "dram.queue", 256));
    remark(im, "0 is without limit there");
    return 0;
}

/* Bits from the last on: the lowest of the bank, and the three others, which stand together below the row's. */
static int map_bank_bits(struct importing *im, const char *map)
{
    char bits[80];
    unsigned n = 0, low = 0, high;
    for (const char *c = map + strlen(map); c > map && n + 1 < sizeof bits; c--)
        if (strchr("RBCS01", c[-1])) bits[n++] = c[-1];
    bits[n] = '\0';
    while (low < n && bits[low] != 'B') low++;
    high = low + 1;
    while (high < n && bits[high] != 'B') high++;
    if (high + 3 >= n || strncmp(bits + high, "BBBR", 4) != 0 || strchr(bits + high + 3, 'B')) {
        remark(im, "bank and column bits as in BBBCCCCB.CCSSSSSS");
        return 0;
    }
    FAIL_IF(put(im, "l2.low_bank_bit", low));
    return put(im, "dram.bank_bit", high);
}

/* "dramid@8;...RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", most significant bit first */
static int map_addresses(struct importing *im, const struct mapping *row, const char *value)
{
    unsigned chunk = 0, columns = 0, offset = 0, banks = 0;
    (void)row;
    const char *map = strchr(value, ';');
    if (sscanf(value, "dramid@%u", &chunk) != 1 || chunk < 7 || chunk > 16 || !map) {
        remark(im, "this mapping has no equivalent");
        return 0;
    }
    for (const char *c = map; *c; c++) {
        columns += *c == 'C';
        offset += *c == 'S';
        banks += *c == 'B';
    }
    FAIL_IF(put_text(im, "l2.bank_index", "addresses"));
    FAIL_IF(put(im, "l2.interleave_lines", (double)((1u << chunk) / im->params->l1.line_bytes)));
    if (columns + offset >= 7 && columns + offset <= 16)
        FAIL_IF(put(im, "dram.row_bytes", (double)(1u << (columns + offset))));
    FAIL_IF(map_bank_bits(im, map));
    if (banks < 16 && (1u << banks) != im->params->dram.banks) remark(im, "%u bank bits", banks);
    return 0;
}

/* nbk=16:CCD=2:... or the older form of 14 numbers in this order */
static int map_timing(struct importing *im, const struct mapping *row, const char *value)
{
    static const struct {
        const char *key, *parameter;
    } keys[] = {{"nbk", "dram.banks"},  {"CCD", "dram.tCCD"},   {"RRD", "dram.tRRD"}, {"RCD", "dram.tRCD"},
                {"RAS", "dram.tRAS"},   {"RP", "dram.tRP"},     {"RC", "dram.tRC"},   {"CL", "dram.tCL"},
                {"WL", "dram.tWL"},     {"CDLR", "dram.tCDLR"}, {"WR", "dram.tWR"},   {"nbkgrp", "dram.bank_groups"},
                {"CCDL", "dram.tCCDL"}, {"RTPL", "dram.tRTPL"}};
    char text[VALUE_MAX], *rest = NULL;
    size_t position = 0;
    (void)row;
    snprintf(text, sizeof text, "%s", value);
    for (char *part = strtok_r(text, ": ", &rest); part; part = strtok_r(NULL, ": ", &rest), position++) {
        char *equals = strchr(part, '=');
        size_t k = 0;
        if (equals) *equals = '\0';
        while (k < COUNT_OF(keys) && (equals ? strcmp(keys[k].key, part) != 0 : k != position)) k++;
        if (k == COUNT_OF(keys)) remark(im, "%s has no equivalent", part);
        else FAIL_IF(put_text(im, keys[k].parameter, equals ? equals + 1 : part));
    }
    const struct dram_params *d = &im->params->dram;
    const double burst =
        option_number(im, "gpgpu_dram_burst_length", 4) / fmax(1, option_number(im, "dram_data_command_freq_ratio", 2));
    FAIL_IF(put(im, "dram.tRTW", d->tCL + burst + 2 > d->tWL ? floor(d->tCL + burst + 2 - d->tWL) : 0));
    FAIL_IF(put(im, "dram.tRCDWR", d->tRCD > d->tWL + 1 ? d->tRCD - d->tWL - 1 : 0));
    return put(im, "dram.paired_commands", 1);
}

static int map_dram_scheduler(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    im->is_mapped = strcmp(value, "1") == 0;
    remark(im, im->is_mapped ? "FR-FCFS, as ours" : "this scheduler has no equivalent: FR-FCFS");
    return 0;
}

static int map_policy(struct importing *im, const struct mapping *row, const char *value)
{
    const char *expected = row->target;
    im->is_mapped = strcmp(value, expected) == 0;
    remark(im, im->is_mapped ? "as ours" : "ours is %s", expected);
    return 0;
}

/* Read by the row of another option. */
static int map_with(struct importing *im, const struct mapping *row, const char *value)
{
    (void)value;
    im->is_mapped = true;
    remark(im, "%s", row->target);
    return 0;
}

#define N(option, otherwise, parameter) {option, otherwise, number, parameter},
#define F(option, otherwise, function) {option, otherwise, function, NULL},
#define P(option, value) {option, NULL, map_policy, value},
#define W(option, where) {option, NULL, map_with, where},
#define X(option, why) {option, NULL, NULL, why},
#define FUNCTIONAL "functional simulation"
#define REPORTING "reporting and power"
#define TENSOR "the specialised unit TENSOR is what counts"
#define PREFERRED "for programs that ask for more L1 or shared memory"
#define COLLECTORS "collector units are not modelled but for single precision and in sub-cores"
const struct mapping gpgpusim_mappings[] = {
    /* what others depend on first */
    /* clang-format off */
    F("gpgpu_cache:dl1", NULL, map_l1)
    F("gpgpu_n_clusters", "10", map_sms)
    W("gpgpu_n_cores_per_cluster", "in core.sms; each has a port: with shared ones TITAN V is further off")
    F("gpgpu_n_mem", "8", map_banks) W("gpgpu_n_sub_partition_per_mchannel", "in l2.banks")
    F("gpgpu_clock_domains", "500:2000:2000:2000", map_clocks)
    N("gpgpu_shader_registers", "8192", "core.registers") F("gpgpu_shader_core_pipeline", "1024:32", map_threads)
    N("gpgpu_shader_cta", "8", "core.max_ctas") N("gpgpu_num_sched_per_core", "1", "core.schedulers")
    F("gpgpu_scheduler", "gto", map_scheduler)
    N("gpgpu_num_sp_units", "1", "core.sp_units") N("gpgpu_num_sfu_units", "1", "core.sfu_units")
    /* clang-format on */
    {"ptx_opcode_latency_int", NULL, map_ptx_class, "core.int"},
    {"ptx_opcode_initiation_int", NULL, map_ptx_class, "core.int"},
    {"ptx_opcode_latency_fp", NULL, map_ptx_class, "core.fp"},
    {"ptx_opcode_initiation_fp", NULL, map_ptx_class, "core.fp"},
    {"ptx_opcode_latency_dp", NULL, map_ptx_class, "core.dp"},
    {"ptx_opcode_initiation_dp", NULL, map_ptx_class, "core.dp"},
    {"ptx_opcode_latency_sfu", NULL, map_ptx_sfu, "core.sfu_latency"},
    {"ptx_opcode_initiation_sfu", NULL, map_ptx_sfu, "core.sfu_interval"},
    {"trace_opcode_latency_initiation_int", NULL, map_trace_class, "int int_mul branch"},
    {"trace_opcode_latency_initiation_sp", NULL, map_trace_class, "fp fp_mul"},
    {"trace_opcode_latency_initiation_dp", NULL, map_trace_class, "dp"},
    {"trace_opcode_latency_initiation_sfu", NULL, map_trace_class, "sfu"},
    /* clang-format off */
    F("gpgpu_l1_latency", "1", map_l1_latency) N("gpgpu_smem_latency", "3", "lsu.shared_latency")
    N("gpgpu_shmem_size", "16384", "core.shared_bytes") N("gpgpu_shmem_num_banks", "16", "lsu.shared_banks")
    F("gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1", map_pipeline)
    W("gpgpu_operand_collector_num_units_mem", "in lsu.pipeline_width")
    F("gpgpu_cache:dl2", NULL, map_l2) F("gpgpu_dram_partition_queues", "8:8:8:8", map_partition_queues)
    F("gpgpu_cache:il1", NULL, map_icache)
    F("network_mode", "1", map_network) F("icnt_flit_size", "32", map_flit)
    W("icnt_in_buffer_limit", "in l1.miss_queue and l2.response_queue")
    W("icnt_out_buffer_limit", "in xbar.reply_queue and l2.access_queue")
    W("gpgpu_n_cluster_ejection_buffer_size", "in xbar.reply_queue")
    P("icnt_subnets", "2") P("icnt_arbiter_algo", "1")
    F("gpgpu_l2_rop_latency", "85", map_rop) F("dram_latency", "30", map_dram_latency)
    F("gpgpu_dram_scheduler", NULL, map_dram_scheduler) F("gpgpu_frfcfs_dram_sched_queue_size", "0", map_dram_queue)
    F("gpgpu_dram_buswidth", "4", map_bus) W("gpgpu_n_mem_per_ctrlr", "in dram.bus_bytes")
    N("gpgpu_dram_burst_length", "4", "dram.burst")
    F("gpgpu_dram_timing_opt", NULL, map_timing) F("gpgpu_mem_addr_mapping", NULL, map_addresses)
    W("dram_data_command_freq_ratio", "in dram.tRTW; a burst takes tCCD here")
    W("gpgpu_dram_return_queue_size", "in dram.outstanding")
    F("dram_bnk_indexing_policy", NULL, map_dram_banks) F("dram_bnkgrp_indexing_policy", "0", map_group_index)
    F("gpgpu_memory_partition_indexing", NULL, map_partitions) N("dram_dual_bus_interface", NULL, "dram.dual_bus")
    F("dram_write_queue_size", NULL, map_write_queue) W("dram_seperate_write_queue_enable", "in dram.write_queue")
    P("gpgpu_cache:dl2_texture_only", "0") N("gpgpu_gmem_skip_L1D", NULL, "l1.skip_global") P("gpgpu_simd_model", "1")
    F("gpgpu_max_insn_issue_per_warp", NULL, map_issue_width)
    W("gpgpu_dual_issue_diff_exec_units", "in core.issue_width") P("gpgpu_mem_address_mask", "1")
    F("gpgpu_sub_core_model", NULL, map_sub_cores)
    W("gpgpu_operand_collector_num_units_gen", "in core.collectors and lsu.pipeline_width")
    W("gpgpu_reg_file_port_throughput", "in core.read_steps") P("gpgpu_enable_specialized_operand_collector", "0")
    X("gpgpu_operand_collector_num_in_ports_gen", "issue registers are emptied in turn, as there")
    X("gpgpu_operand_collector_num_out_ports_gen", "every collector that is ready is emptied")
    N("gpgpu_inst_fetch_throughput", NULL, "fetch.warps")
    F("specialized_unit_1", NULL, map_special) F("specialized_unit_2", NULL, map_special)
    F("specialized_unit_3", NULL, map_special) F("specialized_unit_4", NULL, map_special)
    /* clang-format on */
    {"trace_opcode_latency_initiation_spec_op_1", NULL, map_special_timing, "specialized_unit_1"},
    {"trace_opcode_latency_initiation_spec_op_2", NULL, map_special_timing, "specialized_unit_2"},
    {"trace_opcode_latency_initiation_spec_op_3", NULL, map_special_timing, "specialized_unit_3"},
    {"trace_opcode_latency_initiation_spec_op_4", NULL, map_special_timing, "specialized_unit_4"},
    /* clang-format off */
    X("trace_opcode_latency_initiation_tensor", TENSOR) X("ptx_opcode_latency_tesnor", TENSOR)
    X("ptx_opcode_initiation_tensor", TENSOR)
    X("gpgpu_tensor_core_avail", TENSOR) X("gpgpu_num_tensor_core_units", TENSOR)
    X("gpgpu_kernel_launch_latency", "a launch begins with its first CTA here")
    X("gpgpu_TB_launch_latency", "a CTA begins when there is room for it")
    X("gpgpu_max_concurrent_kernel", "launches run one after another")
    X("gpgpu_registers_per_block", "core.registers is what counts")
    X("gpgpu_shmem_per_block", "core.shared_bytes is what counts")
    X("gpgpu_ignore_resources_limitation", "a CTA that does not fit is refused")
    X("gpgpu_clock_gated_lanes", REPORTING) X("gpuwattch_xml_file", REPORTING)
    X("inter_config_file", "not read: buffers and speed as in GPGPU-Sim's config_pascal_islip.icnt")
    X("gpgpu_cache:dl1PrefL1", PREFERRED) X("gpgpu_cache:dl1PrefShared", PREFERRED)
    X("gpgpu_shmem_size_PrefL1", PREFERRED) X("gpgpu_shmem_size_PrefShared", PREFERRED)
    X("gpgpu_runtime_sync_depth_limit", FUNCTIONAL) X("gpgpu_runtime_pending_launch_count_limit", FUNCTIONAL)
    N("smem_latency", NULL, "lsu.shared_latency")
    X("gpgpu_operand_collector_num_units_dp", COLLECTORS) X("gpgpu_operand_collector_num_in_ports_sfu", COLLECTORS)
    X("gpgpu_operand_collector_num_out_ports_sfu", COLLECTORS)
    X("gpgpu_operand_collector_num_in_ports_mem", COLLECTORS)
    X("gpgpu_operand_collector_num_out_ports_mem", COLLECTORS)
    X("gpgpu_operand_collector_num_in_ports_dp", COLLECTORS) X("gpgpu_operand_collector_num_out_ports_dp", COLLECTORS)
    N("gpgpu_flush_l1_cache", "0", "l1.flush_between") N("gpgpu_num_dp_units", "0", "core.dp_units")
    N("gpgpu_num_int_units", "0", "core.int_units")
    /* clang-format on */
    {"gpgpu_tex_cache:l1", NULL, map_read_only, "tex"},
    {"gpgpu_const_cache:l1", NULL, map_read_only, "const"},
    F("gpgpu_coalesce_arch", "13", map_coalescing)
    /* clang-format off */
    W("gpgpu_l1_banks", "in l1.banks") W("mem_unit_ports", "in l1.banks")
    W("gpgpu_l1_banks_byte_interleaving", "in l1.bank_bytes")
    W("gpgpu_adaptive_cache_config", "in l1.unified_bytes") W("adaptive_volta_cache_config", "in l1.unified_bytes")
    W("gpgpu_unified_l1d_size", "in l1.unified_bytes")
    W("gpgpu_perfect_inst_const_cache", "in lsu.const_sets and fetch.sets")
    W("gpgpu_shmem_option", "in l1.shared_sizes")
    X("gpgpu_l1_cache_write_ratio",
      "a line that a store has taken goes in its turn, however few they are: L1 is written through")
    X("gpgpu_perf_sim_memcpy", "copies from the host do not warm L2: every launch starts cold")
    X("gpgpu_shmem_sizeDefault", "gpgpu_shmem_size is what counts")
    X("gpgpu_shmem_limited_broadcast", "any number of words is broadcast")
    X("gpgpu_shmem_warp_parts", "a warp accesses shared memory as a whole")
    N("gpgpu_num_reg_banks", "8", "core.register_banks")
    X("gpgpu_reg_bank_use_warp_id", "the warp shifts its banks in any case, as there")
    N("gpgpu_operand_collector_num_units_sp", "4", "core.sp_collectors")
    X("gpgpu_operand_collector_num_units_sfu", "a special-function unit has always a collector")
    X("gpgpu_operand_collector_num_in_ports_sp", COLLECTORS) X("gpgpu_operand_collector_num_out_ports_sp", COLLECTORS)
    X("gpgpu_ptx_instruction_classification", FUNCTIONAL) X("gpgpu_ptx_sim_mode", FUNCTIONAL)
    X("gpgpu_ptx_force_max_capability", FUNCTIONAL)
    X("gpgpu_stack_size_limit", FUNCTIONAL) X("gpgpu_heap_size_limit", FUNCTIONAL)
    X("gpgpu_compute_capability_major", FUNCTIONAL)
    X("gpgpu_compute_capability_minor", FUNCTIONAL) X("gpgpu_ptx_convert_to_ptxplus", FUNCTIONAL)
    X("gpgpu_ptx_save_converted_ptxplus", FUNCTIONAL)
    X("gpgpu_occupancy_sm_number", FUNCTIONAL) X("gpgpu_memlatency_stat", REPORTING)
    X("gpgpu_runtime_stat", REPORTING)
    X("enable_ptx_file_line_stats", REPORTING) X("visualizer_enabled", REPORTING)
    X("power_simulation_enabled", REPORTING)
    /* clang-format on */
};
const size_t n_gpgpusim_mappings = COUNT_OF(gpgpusim_mappings);
