/* One row an option. What the other simulator's places add up to in our model:
 *
 *   LSU queue          ID_OC_MEM register, collector units for memory, OC_EX_MEM register, dispatch register:
 *                      lsu.pipeline_width
 *   L1 latency         a pipeline in front of the lookup: l1.late_lookup
 *   crossbar           network_mode 2 has buffers at every port: they lengthen our queues on both sides of it
 *   L2                 its miss queue empties into the partition's L2-to-DRAM queue, and so on: neighbours in a row
 *                      are one queue here
 *   latencies          gpgpu_l2_rop_latency and dram_latency are added to the path; our totals are switched off
 *   constant cache     its lines are as long as L1D's here: as many bytes
 *   adaptive L1        gpgpu_unified_l1d_size, or the 128 KB of files before there was that option
 *   operands           ID_OC, collection (2), OC_EX, dispatch, write-back: core.operand_cycles; of sub-cores they
 *                      are modelled */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

enum { OPERAND_STAGES = 6, SECTOR_PACKET = 40 };

static int number(struct importing *im, const struct mapping *row, const char *value)
{
    return put_text(im, row->target, value);
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
    FAIL_IF(numbers(im, value, mhz, 4));
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
    FAIL_IF(numbers(im, value, v, 2));
    if (v[1] != 32) return refuse(im, "warps have 32 threads here");
    FAIL_IF(put(im, "core.max_threads", v[0]));
    return put(im, "core.max_warps", v[0] / 32);
}

/* The number behind the `n`th colon, from 1 on; below 0 where there is none. */
static double part_of(const char *value, int n)
{
    char *end;
    for (; n > 0 && value; n--) value = (value = strchr(value, ':')) ? value + 1 : NULL;
    const double v = value ? strtod(value, &end) : -1;
    return value && end != value && (*end == ':' || *end == '\0') ? v : -1;
}

static int map_scheduler(struct importing *im, const struct mapping *row, const char *value)
{
    const char *colon = strchr(value, ':');
    const size_t n = colon ? (size_t)(colon - value) : strlen(value);
    const char *const names[] = {"lrr", "gto", "two_level_active", "warp_limiting", "old", "rrr"};
    size_t i = 0;
    (void)row;
    while (i < COUNT_OF(names) && !(strlen(names[i]) == n && strncmp(names[i], value, n) == 0)) i++;
    if (i == COUNT_OF(names))
        return refuse(im, "the schedulers there: lrr, gto, two_level_active:N:.., warp_limiting:P:N, old, rrr");
    if (i == 2) {
        if (part_of(value, 1) < 1) return refuse(im, "two_level_active:N needs the number of active warps");
        FAIL_IF(put_text(im, "core.scheduler", "two_level"));
        return put(im, "core.active_warps", floor(part_of(value, 1)));
    }
    FAIL_IF(put_text(im, "core.scheduler", i == 0 ? "lrr" : "gto"));
    if (i == 3 && part_of(value, 2) < 0) return refuse(im, "warp_limiting:P:N needs two numbers");
    if (i == 3) remark(im, "the limit is a mechanism here: --mech swl,N=%g", part_of(value, 2));
    if (i > 3) remark(im, "scheduler '%s' has no equivalent", value);
    return 0;
}

/* Latencies or intervals of ADD,MAX,MUL,MAD,DIV into the parameters that `target` begins the names of. */
static int map_ptx_class(struct importing *im, const struct mapping *row, const char *value)
{
    const bool is_latency = strstr(row->option, "latency") != NULL, is_dp = strcmp(row->target, "core.dp") == 0;
    const char *what = is_latency ? "latency" : "interval";
    double v[LIST_MAX];
    char name[64];
    FAIL_IF(numbers(im, value, v, 5));
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
    double v[LIST_MAX];
    FAIL_IF(numbers(im, value, v, 1));
    return put(im, row->target, v[0]);
}

/* "latency,interval" of a class of SASS; comes after the PTX rows and so prevails. */
static int map_trace_class(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    char names[200], *rest = NULL;
    FAIL_IF(numbers(im, value, v, 2));
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
    const int n = numbers(im, value, v, 10);
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
    const char *name;
    (void)row;
    FAIL_IF(numbers_then(im, value, v, 5, &name));
    if (!*name || *name == ',') return refuse(im, "5 numbers and the unit's name are needed");
    const struct special *unit = special_of(name);
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
    const char *comma = strrchr(option_value(im, row->target, ","), ',');
    const struct special *unit = comma ? special_of(comma + 1) : NULL;
    FAIL_IF(numbers(im, value, v, 2));
    if (!unit) {
        remark(im, "see %s", row->target);
        return 0;
    }
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
    FAIL_IF(refuse_beyond(im, value, 5));
    remark(im, "index %s of partitions has no equivalent: not hashed", value);
    return 0;
}

static int map_network(struct importing *im, const struct mapping *row, const char *value)
{
    const bool is_local = strcmp(value, "2") == 0;
    (void)row;
    if (!is_local && strcmp(value, "1") != 0) return refuse(im, "1 and 2 are the networks there");
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

#define DEFAULT_L2 "64:128:8,L:B:m:N,A:16:4,4" /* which no version since 3.0 reads */
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
    F("gpgpu_cache:dl1", "none", map_l1)
    F("gpgpu_n_clusters", "10", map_sms)
    W("gpgpu_n_cores_per_cluster", "in core.sms; each has a port: with shared ones TITAN V is further off")
    F("gpgpu_n_mem", "8", map_banks) W("gpgpu_n_sub_partition_per_mchannel", "in l2.banks")
    F("gpgpu_clock_domains", "500:2000:2000:2000", map_clocks)
    N("gpgpu_shader_registers", "8192", "core.registers") F("gpgpu_shader_core_pipeline", "1024:32", map_threads)
    N("gpgpu_shader_cta", "8", "core.max_ctas") N("gpgpu_num_sched_per_core", "1", "core.schedulers")
    F("gpgpu_scheduler", "gto", map_scheduler)
    N("gpgpu_num_sp_units", "1", "core.sp_units") N("gpgpu_num_sfu_units", "1", "core.sfu_units")
    /* clang-format on */
    {"ptx_opcode_latency_int", "1,1,19,25,145,32", map_ptx_class, "core.int"},
    {"ptx_opcode_initiation_int", "1,1,4,4,32,4", map_ptx_class, "core.int"},
    {"ptx_opcode_latency_fp", "1,1,1,1,30", map_ptx_class, "core.fp"},
    {"ptx_opcode_initiation_fp", "1,1,1,1,5", map_ptx_class, "core.fp"},
    {"ptx_opcode_latency_dp", "8,8,8,8,335", map_ptx_class, "core.dp"},
    {"ptx_opcode_initiation_dp", "8,8,8,8,130", map_ptx_class, "core.dp"},
    {"ptx_opcode_latency_sfu", "8", map_ptx_sfu, "core.sfu_latency"},
    {"ptx_opcode_initiation_sfu", "8", map_ptx_sfu, "core.sfu_interval"},
    {"trace_opcode_latency_initiation_int", NULL, map_trace_class, "int int_mul branch"},
    {"trace_opcode_latency_initiation_sp", NULL, map_trace_class, "fp fp_mul"},
    {"trace_opcode_latency_initiation_dp", NULL, map_trace_class, "dp"},
    {"trace_opcode_latency_initiation_sfu", NULL, map_trace_class, "sfu"},
    /* clang-format off */
    F("gpgpu_l1_latency", "1", map_l1_latency) N("gpgpu_smem_latency", "3", "lsu.shared_latency")
    N("gpgpu_shmem_size", "16384", "core.shared_bytes") N("gpgpu_shmem_num_banks", "16", "lsu.shared_banks")
    F("gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1", map_pipeline)
    W("gpgpu_operand_collector_num_units_mem", "in lsu.pipeline_width")
    F("gpgpu_cache:dl2", DEFAULT_L2, map_l2) F("gpgpu_dram_partition_queues", "8:8:8:8", map_partition_queues)
    F("gpgpu_cache:il1", OURS, map_icache)
    F("network_mode", "1", map_network) F("icnt_flit_size", "32", map_flit)
    W("icnt_in_buffer_limit", "in l1.miss_queue and l2.response_queue")
    W("icnt_out_buffer_limit", "in xbar.reply_queue and l2.access_queue")
    W("gpgpu_n_cluster_ejection_buffer_size", "in xbar.reply_queue")
    P("icnt_subnets", "2") P("icnt_arbiter_algo", "1")
    F("gpgpu_l2_rop_latency", "85", map_rop) F("dram_latency", "30", map_dram_latency)
    F("gpgpu_dram_scheduler", NULL, map_dram_scheduler) F("gpgpu_frfcfs_dram_sched_queue_size", "0", map_dram_queue)
    F("gpgpu_dram_buswidth", "4", map_bus) W("gpgpu_n_mem_per_ctrlr", "in dram.bus_bytes")
    N("gpgpu_dram_burst_length", "4", "dram.burst")
    F("gpgpu_dram_timing_opt", "4:2:8:12:21:13:34:9:4:5:13:1:0:0", map_timing)
    F("gpgpu_mem_addr_mapping", OURS, map_addresses)
    W("dram_data_command_freq_ratio", "in dram.tRTW; a burst takes tCCD here")
    W("gpgpu_dram_return_queue_size", "in dram.outstanding")
    F("dram_bnk_indexing_policy", NULL, map_dram_banks) F("dram_bnkgrp_indexing_policy", "0", map_group_index)
    F("gpgpu_memory_partition_indexing", NULL, map_partitions) N("dram_dual_bus_interface", NULL, "dram.dual_bus")
    F("dram_write_queue_size", NULL, map_write_queue) W("dram_seperate_write_queue_enable", "in dram.write_queue")
    P("gpgpu_cache:dl2_texture_only", "0") N("gpgpu_gmem_skip_L1D", "0", "l1.skip_global") P("gpgpu_simd_model", "1")
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
    {"gpgpu_tex_cache:l1", OURS, map_read_only, "tex"},
    {"gpgpu_const_cache:l1", OURS, map_read_only, "const"},
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
