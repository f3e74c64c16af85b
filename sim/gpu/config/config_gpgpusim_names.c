/* Every option of the other simulators by name, with the kind of its value: of GPGPU-Sim 3 and 4, of its power, CPU and
 * unified-memory branches, and of Accel-Sim's front end. What is not here, no version of them reads either. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

#define WHOLE_MOST 999999999999ULL /* what option_number() gives exactly, with room for products */
enum value_kind { KIND_WHOLE, KIND_SIGNED, KIND_FLAG, KIND_REAL, KIND_LIST, KIND_TEXT };
struct known_option {
    const char *name;
    enum value_kind kind;
    unsigned least; /* numbers of a list */
};
#define W(option) {option, KIND_WHOLE, 0},
#define S(option) {option, KIND_SIGNED, 0},
#define F(option) {option, KIND_FLAG, 0},
#define R(option) {option, KIND_REAL, 0},
#define L(option, least) {option, KIND_LIST, least},
#define T(option) {option, KIND_TEXT, 0},
static const struct known_option known[] = {
    /* clang-format off */
    W("arbiter_algo") W("dram_bnk_indexing_policy") W("dram_bnkgrp_indexing_policy") W("dram_data_command_freq_ratio")
    W("dram_latency") W("gpgpu_coalesce_arch") W("gpgpu_compute_capability_major") W("gpgpu_compute_capability_minor")
    W("gpgpu_dram_burst_length") W("gpgpu_dram_buswidth") W("gpgpu_dram_return_queue_size") W("gpgpu_dram_scheduler")
    W("gpgpu_dwf_heuristic") W("gpgpu_frfcfs_dram_sched_queue_size") W("gpgpu_inst_fetch_throughput")
    W("gpgpu_l1_banks") W("gpgpu_l1_banks_byte_interleaving") W("gpgpu_l1_banks_hashing_function")
    W("gpgpu_l1_cache_write_ratio") W("gpgpu_l1_latency") W("gpgpu_l2_rop_latency") W("gpgpu_max_insn_issue_per_warp")
    W("gpgpu_mem_address_mask") W("gpgpu_memory_partition_indexing") W("gpgpu_n_cluster_ejection_buffer_size")
    W("gpgpu_n_clusters") W("gpgpu_n_cores_per_cluster") W("gpgpu_n_ldst_response_buffer_size") W("gpgpu_n_mem")
    W("gpgpu_n_mem_per_ctrlr") W("gpgpu_n_shader") W("gpgpu_n_sub_partition_per_mchannel") W("gpgpu_num_cta_barriers")
    W("gpgpu_num_dp_units") W("gpgpu_num_int_units") W("gpgpu_num_mem_units") W("gpgpu_num_reg_banks")
    W("gpgpu_num_sched_per_core") W("gpgpu_num_sfu_units") W("gpgpu_num_sp_units") W("gpgpu_num_tensor_core_units")
    W("gpgpu_operand_collector_num_units_gen") W("gpgpu_operand_collector_num_units_mem")
    W("gpgpu_operand_collector_num_units_sp") W("gpgpu_pre_mem_stages") W("gpgpu_ptx_force_max_capability")
    W("gpgpu_ptx_force_min_capability") W("gpgpu_reg_file_port_throughput") W("gpgpu_registers_per_block")
    W("gpgpu_shader_cta") W("gpgpu_shader_registers") W("gpgpu_shmem_num_banks") W("gpgpu_shmem_per_block")
    W("gpgpu_shmem_size") W("gpgpu_shmem_size_PrefL1") W("gpgpu_shmem_size_PrefShared") W("gpgpu_shmem_sizeDefault")
    W("gpgpu_simd_model") W("gpgpu_smem_latency") W("gpgpu_tensor_core_avail") W("gpgpu_unified_l1d_size")
    W("gpu_n_mshr_per_shader") W("icnt_arbiter_algo") W("icnt_flit_size") W("icnt_grant_cycles")
    W("icnt_in_buffer_limit") W("icnt_out_buffer_limit") W("icnt_subnets") W("icnt_verbose") W("inct_grant_cycles")
    W("inct_in_buffer_limit") W("inct_out_buffer_limit") W("inct_subnets") W("inct_verbose") W("l1_banks")
    W("l1_latency") W("mem_unit_ports") W("memory_partition_indexing") W("n_regfile_gating_group") W("network_mode")
    W("rop_latency") W("smem_latency")
    S("checkpoint_CTA") S("checkpoint_CTA_t") S("checkpoint_insn_Y") S("checkpoint_kernel") S("checkpoint_option")
    S("enable_dma") S("eviction_policy") S("gpgpu_cache_port_per_bank") S("gpgpu_cflog_interval")
    S("gpgpu_const_port_per_bank") S("gpgpu_dram_sched_queue_size") S("gpgpu_heap_size_limit")
    S("gpgpu_interwarp_mshr_merge") S("gpgpu_kernel_launch_latency") S("gpgpu_local_mem_map")
    S("gpgpu_max_completed_cta") S("gpgpu_max_concurrent_kernel") S("gpgpu_max_cta") S("gpgpu_max_cycle")
    S("gpgpu_max_insn") S("gpgpu_mem_unit_ports") S("gpgpu_memlatency_stat") S("gpgpu_n_cache_bank")
    S("gpgpu_occupancy_sm_number") S("gpgpu_operand_collector_num_in_ports_dp")
    S("gpgpu_operand_collector_num_in_ports_gen") S("gpgpu_operand_collector_num_in_ports_int")
    S("gpgpu_operand_collector_num_in_ports_mem") S("gpgpu_operand_collector_num_in_ports_sfu")
    S("gpgpu_operand_collector_num_in_ports_sp") S("gpgpu_operand_collector_num_in_ports_tensor_core")
    S("gpgpu_operand_collector_num_out_ports_dp") S("gpgpu_operand_collector_num_out_ports_gen")
    S("gpgpu_operand_collector_num_out_ports_int") S("gpgpu_operand_collector_num_out_ports_mem")
    S("gpgpu_operand_collector_num_out_ports_sfu") S("gpgpu_operand_collector_num_out_ports_sp")
    S("gpgpu_operand_collector_num_out_ports_tensor_core") S("gpgpu_operand_collector_num_units")
    S("gpgpu_operand_collector_num_units_dp") S("gpgpu_operand_collector_num_units_int")
    S("gpgpu_operand_collector_num_units_sfu") S("gpgpu_operand_collector_num_units_tensor_core")
    S("gpgpu_partial_write_mask") S("gpgpu_pdom_sched_type") S("gpgpu_ptx_inst_debug_thread_uid")
    S("gpgpu_ptx_instruction_classification") S("gpgpu_ptx_sim_mode") S("gpgpu_runtime_pending_launch_count_limit")
    S("gpgpu_runtime_sync_depth_limit") S("gpgpu_shmem_pipe_speedup") S("gpgpu_shmem_port_per_bank")
    S("gpgpu_shmem_warp_parts") S("gpgpu_simt_core_sim_order") S("gpgpu_stack_size_limit")
    S("gpgpu_TB_launch_latency") S("gpgpu_warp_issue_shader") S("gpgpu_warpdistro_shader") S("gpu_concentration")
    S("hardware_prefetch") S("hwprefetch_oversub") S("liveness_message_freq") S("migrate_threshold")
    S("multiply_dma_penalty") S("page_fault_latency") S("page_table_walk_latency") S("power_simulation_mode")
    S("power_trace_zlevel") S("resume_CTA") S("resume_kernel") S("resume_option") S("tlb_size")
    S("trace_sampling_core") S("trace_sampling_memory_partition") S("visualizer_zlevel")
    F("accelwattch_hybrid_perfsim_CC_ACC") F("accelwattch_hybrid_perfsim_CYCLES")
    F("accelwattch_hybrid_perfsim_DRAM_RD") F("accelwattch_hybrid_perfsim_DRAM_WR")
    F("accelwattch_hybrid_perfsim_L1_RH") F("accelwattch_hybrid_perfsim_L1_RM") F("accelwattch_hybrid_perfsim_L1_WH")
    F("accelwattch_hybrid_perfsim_L1_WM") F("accelwattch_hybrid_perfsim_L2_RH") F("accelwattch_hybrid_perfsim_L2_RM")
    F("accelwattch_hybrid_perfsim_L2_WH") F("accelwattch_hybrid_perfsim_L2_WM") F("accelwattch_hybrid_perfsim_NOC")
    F("accelwattch_hybrid_perfsim_NUM_SM_IDLE") F("accelwattch_hybrid_perfsim_PIPE_DUTY")
    F("accelwattch_hybrid_perfsim_SHARED_ACC") F("accelwattch_hybrid_perfsim_VOLTAGE") F("adaptive_cache_config")
    F("adaptive_volta_cache_config") F("adpative_volta_cache_config") F("aggregate_power_stats")
    F("dram_dual_bus_interface") F("dram_elimnate_rw_turnaround") F("dram_seperate_write_queue_enable")
    F("dual_bus_interface") F("dvfs_enabled") F("Elimnate_rw_turnaround") F("enable_accurate_simulation")
    F("enable_ptx_file_line_stats") F("enable_smart_runtime") F("enable_specialized_operand_collector")
    F("fast_execution_mode") F("gmem_skip_L1D") F("gpgpu_adaptive_cache_config") F("gpgpu_cache:dl2_texture_only")
    F("gpgpu_cache_bkconflict") F("gpgpu_cache_wt_through") F("gpgpu_cdp_enabled") F("gpgpu_clock_gated_lanes")
    F("gpgpu_clock_gated_reg_file") F("gpgpu_concurrent_kernel_sm") F("gpgpu_cuda_sim") F("gpgpu_deadlock_detect")
    F("gpgpu_dual_issue_diff_exec_units") F("gpgpu_dwf_regbk") F("gpgpu_enable_specialized_operand_collector")
    F("gpgpu_experimental_lib_support") F("gpgpu_flush_cache") F("gpgpu_flush_l1_cache") F("gpgpu_flush_l2_cache")
    F("gpgpu_gmem_skip_L1D") F("gpgpu_ignore_resources_limitation") F("gpgpu_l2_readoverwrite")
    F("gpgpu_mem_addr_test") F("gpgpu_no_divg_load") F("gpgpu_no_dl1") F("gpgpu_operand_collector")
    F("gpgpu_perf_sim_memcpy") F("gpgpu_perfect_inst_const_cache") F("gpgpu_perfect_mem")
    F("gpgpu_ptx_convert_to_ptxplus") F("gpgpu_ptx_inst_debug_to_file") F("gpgpu_ptx_save_converted_ptxplus")
    F("gpgpu_ptx_use_cuobjdump") F("gpgpu_reg_bank_conflict_model") F("gpgpu_reg_bank_use_warp_id")
    F("gpgpu_reg_bankconflict") F("gpgpu_shmem_bkconflict") F("gpgpu_shmem_limited_broadcast")
    F("gpgpu_simple_dram_model") F("gpgpu_spread_blocks_across_cores") F("gpgpu_strict_simd_wrbk")
    F("gpgpu_sub_core_model") F("gpgpu_thread_swizzling") F("invalidate_clean") F("keep") F("l2_ideal")
    F("perf_sim_memcpy") F("perfect_inst_const_cache") F("power_per_cycle_dump") F("power_simulation_enabled")
    F("power_trace_enabled") F("save_embedded_ptx") F("Seperate_Write_Queue_Enable") F("sim_prof_enable")
    F("simple_dram_model") F("skip_cycles_enable") F("steady_power_levels_enabled") F("sub_core_model")
    F("trace_driven_mode") F("trace_enabled") F("visualizer_enabled")
    R("percentage_of_free_page_buffer") R("reserve_accessed_page_percent")
    T("accelwattch_xml_file") T("coption") T("gddr_size")
    T("gpgpu_cache:dl1") T("gpgpu_cache:dl1PrefL1") T("gpgpu_cache:dl1PrefShared") T("gpgpu_cache:dl1PreShared")
    T("gpgpu_cache:dl2") T("gpgpu_cache:il1") T("gpgpu_const_cache:l1")
    T("gpgpu_dram_timing_opt") T("gpgpu_dwf_hw") T("gpgpu_L2_queue")
    T("gpgpu_mem_addr_mapping") T("gpgpu_ptx_inst_debug_file") T("gpgpu_runtime_stat")
    T("gpgpu_scheduler") T("gpgpu_tex_cache:l1")
    T("gpuwattch_xml_file") T("hw_perf_bench_name") T("hw_perf_file_name") T("inter_config_file") T("mcpat_xml_file")
    T("page_size") T("pcie_bandwidth") T("ptx_line_stats_filename")
   
   
    T("specialized_unit_1")
    T("specialized_unit_2") T("specialized_unit_3") T("specialized_unit_4") T("specialized_unit_5")
    T("specialized_unit_6") T("specialized_unit_7") T("specialized_unit_8") T("steady_state_definition") T("trace")
    T("trace_components")
   
   
   
   
   
    T("visualizer_outputfile") T("Write_Queue_Size")
    L("cdp_latency", 5) L("dram_write_queue_size", 3) L("gpgpu_clock_domains", 4) L("gpgpu_dram_partition_queues", 4)
    L("gpgpu_pipeline_widths", 10) L("gpgpu_shader_core_pipeline", 2) L("gpgpu_shmem_option", 1)
    L("ptx_opcode_initiation_dp", 5) L("ptx_opcode_initiation_fp", 5) L("ptx_opcode_initiation_int", 5)
    L("ptx_opcode_initiation_sfu", 1) L("ptx_opcode_initiation_tensor", 1) L("ptx_opcode_latency_dp", 5)
    L("ptx_opcode_latency_fp", 5) L("ptx_opcode_latency_int", 5) L("ptx_opcode_latency_sfu", 1)
    L("ptx_opcode_latency_tesnor", 1) L("trace_opcode_latency_initiation_dp", 2)
    L("trace_opcode_latency_initiation_int", 2) L("trace_opcode_latency_initiation_sfu", 2)
    L("trace_opcode_latency_initiation_sp", 2) L("trace_opcode_latency_initiation_spec_op_1", 2)
    L("trace_opcode_latency_initiation_spec_op_2", 2) L("trace_opcode_latency_initiation_spec_op_3", 2)
    L("trace_opcode_latency_initiation_spec_op_4", 2) L("trace_opcode_latency_initiation_spec_op_5", 2)
    L("trace_opcode_latency_initiation_spec_op_6", 2) L("trace_opcode_latency_initiation_spec_op_7", 2)
    L("trace_opcode_latency_initiation_spec_op_8", 2) L("trace_opcode_latency_initiation_tensor", 2)
    /* clang-format on */
};

static const struct known_option *known_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(known[i].name, name) == 0) return &known[i];
    return NULL;
}

bool option_is_known(const char *name) { return known_find(name) != NULL; }

/* As the other simulator reads numbers: 0x and 0 begin hexadecimal and octal ones. They are kept as decimal text. */
static bool take_whole(char *value, bool is_signed)
{
    char *end, *digits = value + (is_signed && value[0] == '-');
    if (!*digits || strspn(digits, "0123456789abcdefxABCDEFX") != strlen(digits)) return false;
    const unsigned long long v = strtoull(digits, &end, 0);
    if (end == digits || *end || v > (is_signed ? (unsigned long long)INT64_MAX : WHOLE_MOST)) return false;
    snprintf(digits, VALUE_MAX - 1, "%llu", v);
    return true;
}

static bool is_real(const char *value)
{
    char *end;
    const double v = strtod(value, &end);
    return end != value && *end == '\0' && v > -1e18 && v < 1e18;
}

/* Numbers with commas or colons between them; how many, 0 where it is something else. */
static unsigned list_length(const char *value)
{
    unsigned n = 0;
    for (const char *at = value;; at++) {
        char *end;
        if (*at < '0' || *at > '9') return 0;
        strtod(at, &end);
        n++;
        at = end;
        if (*at == '\0') return n;
        if (*at != ',' && *at != ':') return 0;
    }
}

int option_check(struct importing *im, struct option *o)
{
    const struct known_option *k = known_find(o->name);
    im->now = o;
    if (!k) {
        const char *near = nearest_name(o->name, &known[0].name, COUNT_OF(known), sizeof *known);
        return refuse(im, "no such option%s%s%s", near ? "; did you mean -" : "", near ? near : "", near ? "?" : "");
    }
    if (!o->has_value && k->kind == KIND_FLAG) memcpy(o->value, "1", 2), o->has_value = true; /* as there */
    if (!o->has_value) return refuse(im, "the value is missing");
    if (k->kind == KIND_WHOLE && !take_whole(o->value, false)) return refuse(im, "a whole number is needed");
    if (k->kind == KIND_SIGNED && !take_whole(o->value, true)) return refuse(im, "a whole number is needed");
    if (k->kind == KIND_FLAG && strcmp(o->value, "0") != 0 && strcmp(o->value, "1") != 0)
        return refuse(im, "0 or 1 is needed");
    if (k->kind == KIND_LIST && (list_length(o->value) == 0 || list_length(o->value) < k->least))
        return refuse(im, "%u number%s needed, with commas or colons between them", k->least,
                      k->least == 1 ? " is" : "s are");
    return k->kind == KIND_REAL && !is_real(o->value) ? refuse(im, "a number is needed") : 0;
}
