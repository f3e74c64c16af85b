/* Our parameters as gpgpusim.config, and as YAML. */
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

/* Units that have an option of their own, in the order of their numbers. */
enum { N_SPECIALS = 4 };
struct special {
    const char *name;
    uint32_t units, latency, interval;
};
#define SPECIALS(c) \
    { \
        {"BRA", (c)->branch_units, (c)->branch_latency, (c)->branch_interval}, \
            {"TEX", (c)->texture_units, (c)->texture_unit_latency, (c)->texture_unit_interval}, \
            {"TENSOR", (c)->tensor_units, (c)->tensor_latency, (c)->tensor_interval}, \
        { \
            "UDP", (c)->uniform_units, (c)->uniform_latency, (c)->uniform_interval \
        } \
    }

/* Of memory instructions: a register on each side of the collectors, and the dispatch register; of sub-cores, a
 * register a scheduler. */
static void write_pipelines(const struct gpu_params *p, FILE *out)
{
    const struct core_params *c = &p->core;
    const uint32_t width = p->lsu.pipeline_width, others = c->collectors + 1,
                   apart = c->sub_cores && width > others + 1 ? (width - others) / 2 : 1;
    const uint32_t units = width > 4 ? width - 3 : 1;
    fprintf(out, "\n-gpgpu_pipeline_widths %u,0,0,1,%u,%u,0,0,1,%u,%u\n-gpgpu_operand_collector_num_units_mem %u\n",
            c->sp_units, apart, c->sp_units, apart, c->result_ports ? c->result_ports : 8, units);
    if (c->sub_cores)
        fprintf(
            out,
            "-gpgpu_sub_core_model 1\n-gpgpu_operand_collector_num_units_gen %u\n-gpgpu_reg_file_port_throughput %u\n",
            c->collectors, c->read_steps);
    if (c->issue_width > 1)
        fprintf(out, "-gpgpu_max_insn_issue_per_warp %u\n-gpgpu_dual_issue_diff_exec_units 1\n", c->issue_width);
    const struct special special[N_SPECIALS] = SPECIALS(c);
    for (int i = 0; i < N_SPECIALS; i++)
        if (special[i].units)
            fprintf(out, "-specialized_unit_%d 1,%u,%u,%u,%u,%s\n", i + 1, special[i].units, special[i].latency,
                    special[i].units, special[i].units, special[i].name);
    if (p->fetch.warps > 1) fprintf(out, "-gpgpu_inst_fetch_throughput %u\n", p->fetch.warps);
}

static void write_core(const struct gpu_params *p, FILE *out)
{
    static const char *const schedulers[] = {"gto", "lrr", "two_level_active"};
    const struct core_params *c = &p->core;
    fprintf(out, "-gpgpu_n_clusters %u\n-gpgpu_n_cores_per_cluster 1\n", c->sms);
    fprintf(out, "-gpgpu_clock_domains %u.0:%u.0:%u.0:%u.0\n", p->clock.core_mhz, p->clock.xbar_mhz, p->clock.l2_mhz,
            p->clock.dram_mhz);
    fprintf(
        out,
        "-gpgpu_shader_registers %u\n-gpgpu_shader_core_pipeline %u:32\n-gpgpu_shader_cta %u\n-gpgpu_simd_model 1\n",
        c->registers, c->max_threads, c->max_ctas);
    fprintf(out, "-gpgpu_num_sched_per_core %u\n-gpgpu_scheduler %s", c->schedulers, schedulers[c->scheduler]);
    if (c->scheduler == SCHEDULE_TWO_LEVEL) fprintf(out, ":%u:0:1", c->active_warps);
    write_pipelines(p, out);
    fprintf(out, "-gpgpu_operand_collector_num_units_sp %u\n-gpgpu_num_reg_banks %u\n",
            c->sp_collectors ? c->sp_collectors : 16, c->register_banks ? c->register_banks : 32);
    fprintf(out, "-gpgpu_num_sp_units %u\n-gpgpu_num_sfu_units %u\n-gpgpu_num_dp_units %u\n-gpgpu_num_int_units %u\n",
            c->sp_units, c->sfu_units, c->dp_units, c->int_units);
    fprintf(out, "-ptx_opcode_latency_int %u,%u,%u,%u,%u,32\n", c->int_latency, c->int_latency, c->int_mul_latency,
            c->int_mul_latency, c->int_div_latency);
    fprintf(out, "-ptx_opcode_initiation_int %u,%u,%u,%u,%u,4\n", c->int_interval, c->int_interval, c->int_mul_interval,
            c->int_mul_interval, c->int_div_interval);
    fprintf(out, "-ptx_opcode_latency_fp %u,%u,%u,%u,%u\n", c->fp_latency, c->fp_latency, c->fp_mul_latency,
            c->fp_mul_latency, c->fp_div_latency);
    fprintf(out, "-ptx_opcode_initiation_fp %u,%u,%u,%u,%u\n", c->fp_interval, c->fp_interval, c->fp_mul_interval,
            c->fp_mul_interval, c->fp_div_interval);
    fprintf(out, "-ptx_opcode_latency_dp %u,%u,%u,%u,%u\n", c->dp_latency, c->dp_latency, c->dp_latency, c->dp_latency,
            c->dp_div_latency);
    fprintf(out, "-ptx_opcode_initiation_dp %u,%u,%u,%u,%u\n", c->dp_interval, c->dp_interval, c->dp_interval,
            c->dp_interval, c->dp_div_interval);
    fprintf(out, "-ptx_opcode_latency_sfu %u\n-ptx_opcode_initiation_sfu %u\n", c->sfu_latency, c->sfu_interval);
}

/* For traces of SASS, where multiply-add has no latency of its own. */
static void write_trace(const struct gpu_params *p, FILE *out)
{
    const struct core_params *c = &p->core;
    fprintf(out, "-trace_opcode_latency_initiation_int %u,%u\n-trace_opcode_latency_initiation_sp %u,%u\n",
            c->int_latency, c->int_interval, c->fp_latency, c->fp_interval);
    fprintf(out, "-trace_opcode_latency_initiation_dp %u,%u\n-trace_opcode_latency_initiation_sfu %u,%u\n",
            c->dp_latency, c->dp_interval, c->sfu_latency, c->sfu_interval);
    const struct special special[N_SPECIALS] = SPECIALS(c);
    for (int i = 0; i < N_SPECIALS; i++)
        if (special[i].units)
            fprintf(out, "-trace_opcode_latency_initiation_spec_op_%d %u,%u\n", i + 1, special[i].latency,
                    special[i].interval);
}

/* What stands in crossbar buffers and what in queues is one here. */
static uint32_t crossbar_buffer(const struct gpu_params *p) { return p->xbar.whole_packets ? 64 : 0; }

/* How the other simulator's cache options call a set index. */
static char index_letter(uint32_t set_index)
{
    static const char letters[] = {
        [LINEAR_INDEX] = 'L', [HASH_INDEX] = 'X', [FERMI_INDEX] = 'H', [FERMI_ANY_INDEX] = 'H', [IPOLY_INDEX] = 'P'};
    return letters[set_index];
}

/* It knows LRU and FIFO; what else there is is told as lost. */
static char policy_letter(uint32_t replacement) { return replacement == REPLACE_fifo ? 'F' : 'L'; }

/* Requests of a line's MSHR as those of a sector's. */
static uint32_t merges(const struct gpu_params *p, bool is_sectored, uint32_t merge)
{
    return p->lsu.sector_requests && is_sectored && merge % 4 == 0 ? merge / 4 : merge;
}

static void write_l1(const struct gpu_params *p, FILE *out)
{
    static const char write[] = {[LOCAL_THROUGH] = 'E', [LOCAL_BACK] = 'L', [LOCAL_ALLOCATE] = 'L'};
    const struct l1_params *c = &p->l1;
    const uint32_t buffer = crossbar_buffer(p), miss_queue = c->miss_queue > buffer ? c->miss_queue - buffer : 1;
    fprintf(out, "-gpgpu_cache:dl1 %c:%u:%u:%u,%c:%c:%c:%c:%c,A:%u:%u,%u\n", c->organisation != L1_PLAIN ? 'S' : 'N',
            c->sets, c->line_bytes, c->ways, policy_letter(c->replacement),
            c->write_hit == WRITE_THROUGH_L1 ? 'T' : write[c->local_stores], c->streaming ? 's' : 'm',
            c->write_miss == WRITE_ALLOCATE_L1 ||
                    (c->write_hit != WRITE_THROUGH_L1 && c->local_stores == LOCAL_ALLOCATE)
                ? 'L'
                : 'N',
            index_letter(c->set_index), c->mshrs, merges(p, c->organisation != L1_PLAIN, c->mshr_merge), miss_queue);
    fprintf(out, "-gpgpu_l1_latency %u\n-gpgpu_smem_latency %u\n-gpgpu_flush_l1_cache %d\n-gpgpu_gmem_skip_L1D %d\n",
            c->hit_latency, p->lsu.shared_latency, c->flush_between, c->skip_global);
    if (p->lsu.sector_requests) fprintf(out, "-gpgpu_coalesce_arch 70\n");
    fprintf(out, "-gpgpu_l1_banks %u\n-gpgpu_l1_banks_byte_interleaving %u\n", c->banks, c->bank_bytes);
    if (c->unified_bytes)
        fprintf(out, "-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option %s\n-gpgpu_unified_l1d_size %u\n",
                c->shared_sizes == SHARED_TURING   ? "32,64"
                : c->shared_sizes == SHARED_AMPERE ? "0,8,16,32,64,100"
                                                   : "0,8,16,32,64,96",
                c->unified_bytes / 1024);
}

static void write_caches(const struct gpu_params *p, FILE *out)
{
    const uint32_t buffer = crossbar_buffer(p), line = p->l1.line_bytes;
    write_l1(p, out);
    fprintf(out,
            "-gpgpu_shmem_size %u\n-gpgpu_shmem_sizeDefault %u\n-gpgpu_shmem_num_banks %u\n-gpgpu_shmem_warp_parts 1\n",
            p->core.shared_bytes, p->core.shared_bytes, p->lsu.shared_banks);
    fprintf(out, "-gpgpu_cache:il1 N:%u:%u:%u,%c:R:f:N:L,A:%u:32,4\n", p->fetch.sets ? p->fetch.sets : 64,
            p->l1.line_bytes, p->fetch.ways, policy_letter(p->fetch.replacement), p->fetch.mshrs);
    if (p->lsu.tex_sets)
        fprintf(out, "-gpgpu_tex_cache:l1 N:%u:%u:%u,%c:R:m:N:L,T:%u:4,128:2\n", p->lsu.tex_sets, line, p->lsu.tex_ways,
                policy_letter(p->lsu.tex_replacement), p->lsu.tex_mshrs);
    fprintf(out, "-gpgpu_const_cache:l1 N:%u:%u:%u,%c:R:f:N:L,A:%u:%u,4\n", p->lsu.const_sets ? p->lsu.const_sets : 32,
            line, p->lsu.const_ways, policy_letter(p->lsu.const_replacement), p->lsu.const_mshrs,
            p->lsu.read_only_merge);
    if (!p->lsu.const_sets && !p->fetch.sets) fprintf(out, "-gpgpu_perfect_inst_const_cache 1\n");
    const uint32_t queue = p->l2.miss_queue > 8 ? p->l2.miss_queue - 8 : 1,
                   own = p->l2.miss_queue > 8 ? 8 : p->l2.miss_queue - 1;
    fprintf(out, "-gpgpu_cache:dl2 %c:%u:%u:%u,%c:B:m:%c:%c,A:%u:%u,%u:0,%u\n-gpgpu_cache:dl2_texture_only 0\n",
            p->l2.organisation == L2_SECTORED ? 'S' : 'N', p->l2.sets, line, p->l2.ways,
            policy_letter(p->l2.replacement), p->l2.write_miss == WRITE_FETCH ? 'W' : 'L',
            index_letter(p->l2.set_index), p->l2.mshrs, merges(p, p->l2.organisation == L2_SECTORED, p->l2.mshr_merge),
            own, p->l2.data_port_bytes);
    fprintf(out, "-gpgpu_dram_partition_queues %u:%u:%u:%u\n",
            p->l2.access_queue > buffer ? p->l2.access_queue - buffer : 1, queue, p->l2.mshrs,
            p->l2.response_queue > buffer ? p->l2.response_queue - buffer : 1);
    fprintf(out, "-gpgpu_l2_rop_latency %u\n-dram_latency %u\n", p->l2.added_cycles, p->dram.added_cycles);
    fprintf(out,
            "-network_mode %d\n-icnt_in_buffer_limit 64\n-icnt_out_buffer_limit 64\n-icnt_subnets "
            "2\n-icnt_arbiter_algo 1\n-icnt_flit_size %u\n",
            p->xbar.whole_packets ? 2 : 1, p->xbar.reply_flit_bytes);
    fprintf(out, "-gpgpu_n_cluster_ejection_buffer_size %u\n",
            p->xbar.reply_queue > buffer ? p->xbar.reply_queue - buffer : 1);
}

/* The bits of an address within its channel from the row's down: four of the bank, and a row's bytes in columns of a
 * burst. */
static void write_mapping(const struct gpu_params *p, FILE *out)
{
    char bits[33];
    const uint32_t chunk = (uint32_t)__builtin_ctz(p->l2.interleave_lines * p->l1.line_bytes),
                   burst = p->dram.bus_bytes * p->dram.burst;
    const uint32_t offset = (uint32_t)__builtin_ctz(burst), low = p->l2.low_bank_bit, high = p->dram.bank_bit;
    for (uint32_t i = 0; i < 32; i++)
        bits[31 - i] = i == low || (i >= high && i < high + 3) ? 'B'
                       : i < offset                            ? 'S'
                       : i < high                              ? 'C'
                       : i < 28                                ? 'R'
                                                               : '0';
    bits[32] = '\0';
    fprintf(out,
            "-gpgpu_mem_address_mask 1\n-gpgpu_mem_addr_mapping "
            "dramid@%u;00000000.00000000.00000000.00000000.%.8s.%.8s.%.8s.%.8s\n",
            chunk, bits, bits + 8, bits + 16, bits + 24);
}

static void write_dram(const struct gpu_params *p, FILE *out)
{
    const struct dram_params *d = &p->dram;
    const uint32_t parts = d->bus_bytes % 2 == 0 ? 2 : 1;
    fprintf(out, "-gpgpu_n_mem %u\n-gpgpu_n_sub_partition_per_mchannel %u\n", d->channels, p->l2.banks / d->channels);
    fprintf(out, "-gpgpu_dram_scheduler 1\n-gpgpu_frfcfs_dram_sched_queue_size %u\n-gpgpu_dram_return_queue_size %u\n",
            d->queue,
            d->outstanding > d->queue + d->write_queue + 1 ? d->outstanding - d->queue - d->write_queue - 1 : 116);
    fprintf(out,
            "-gpgpu_n_mem_per_ctrlr %u\n-gpgpu_dram_buswidth %u\n-gpgpu_dram_burst_length "
            "%u\n-dram_data_command_freq_ratio %u\n",
            parts, d->bus_bytes / parts, d->burst, d->burst / d->tCCD ? d->burst / d->tCCD : 1);
    if (p->l2.bank_index >= CHUNKED_BANKS) write_mapping(p, out);
    if (d->dual_bus) fprintf(out, "-dram_dual_bus_interface 1\n");
    if (d->write_queue)
        fprintf(out, "-dram_seperate_write_queue_enable 1\n-dram_write_queue_size %u:%u:%u\n", d->write_queue,
                d->write_high, d->write_low);
    fprintf(out,
            "-gpgpu_dram_timing_opt "
            "nbk=%u:CCD=%u:RRD=%u:RCD=%u:RAS=%u:RP=%u:RC=%u:CL=%u:WL=%u:CDLR=%u:WR=%u:nbkgrp=%u:CCDL=%u:RTPL=%u\n",
            d->banks, d->tCCD, d->tRRD, d->tRCD, d->tRAS, d->tRP, d->tRC, d->tCL, d->tWL, d->tCDLR, d->tWR,
            d->bank_groups, d->tCCDL, d->tRTPL);
    fprintf(out, "-dram_bnk_indexing_policy %u\n-dram_bnkgrp_indexing_policy %d\n-gpgpu_memory_partition_indexing %d\n",
            d->bank_index, d->group_index == GROUP_OF_LOW_BITS,
            p->l2.bank_index == IPOLY_BANKS    ? 2
            : p->l2.bank_index == RANDOM_BANKS ? 4
                                               : 0);
}

/* What the options say, read back, against what was written: the difference has no option. */
static int write_lost(const struct gpu_params *p, FILE *out, const char *text, size_t size, struct error *err)
{
    struct gpu_params *back = gpu_params_new();
    size_t n_groups;
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    int result = back ? gpgpusim_parse(back, "the exported configuration", text, size, NULL, err)
                      : error_set(err, ERR_MEMORY, "no memory for a configuration");
    for (size_t g = 0; g < n_groups && result == 0; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            char ours[PARAM_TEXT_MAX + 8], theirs[PARAM_TEXT_MAX + 8];
            params_text(row, (const char *)p + groups[g].offset, ours, sizeof ours);
            params_text(row, (const char *)back + groups[g].offset, theirs, sizeof theirs);
            if (strcmp(ours, theirs) != 0)
                fprintf(out, "# not expressed: %s.%s = %s (read back as %s)\n", groups[g].table.owner, row->name, ours,
                        theirs);
        }
    gpu_params_free(back);
    return result;
}

/* A cache of another organisation has no letter there: as an ordinary one it would be another machine. */
static int check_caches(const struct gpu_params *p, struct error *err)
{
    const char *const remedy = "gpgpusim.config knows plain and sectored caches alone; export the machine with one of "
                               "these, or keep it as YAML";
    if (p->l1.organisation > L1_LAMAR || p->l1.chunk_bytes != 32)
        return error_set(err, ERR_INPUT, "%s: %s", p->l1.chunk_bytes != 32 ? "l1.chunk_bytes" : "l1.organisation",
                         remedy);
    if (l2_is_placed(p) || p->l2.organisation >= L2_OF_PLUGINS)
        return error_set(err, ERR_INPUT, "l2.organisation: %s", remedy);
    return 0;
}

int gpgpusim_write(const struct gpu_params *params, FILE *out, struct error *err)
{
    if (check_caches(params, err) < 0) return -1;
    char *text = NULL;
    size_t size = 0;
    FILE *body = open_memstream(&text, &size);
    if (!body) return error_set(err, ERR_MEMORY, "no memory for a configuration");
    write_core(params, body);
    write_trace(params, body);
    write_caches(params, body);
    write_dram(params, body);
    int result = fclose(body) == 0 ? 0 : error_set(err, ERR_MEMORY, "no memory for a configuration");
    fprintf(out, "# %s\n", params->name);
    if (result == 0) result = write_lost(params, out, text, size, err);
    if (result == 0) fwrite(text, 1, size, out);
    free(text);
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "the configuration could not be written");
    return result;
}

int gpu_params_write_yaml(const struct gpu_params *params, const char *name, const char *doc, FILE *out,
                          struct error *err)
{
    size_t n_groups;
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    struct gpu_params *base = gpu_params_new();
    if (!base) return error_set(err, ERR_MEMORY, "no memory for a configuration");
    fprintf(out, "name: %s\ndoc: %s\nbase: kepler32\n", name, doc);
    for (size_t g = 0; g < n_groups; g++) {
        size_t n = 0;
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            char ours[PARAM_TEXT_MAX + 8], plain[PARAM_TEXT_MAX + 8];
            params_text(row, (const char *)params + groups[g].offset, ours, sizeof ours);
            params_text(row, (const char *)base + groups[g].offset, plain, sizeof plain);
            if (strcmp(ours, plain) != 0)
                fprintf(out, "%s%s: %s", n++ ? ", " : (fprintf(out, "%s: {", groups[g].table.owner), ""), row->name,
                        ours);
        }
        if (n) fprintf(out, "}\n");
    }
    gpu_params_free(base);
    return ferror(out) ? error_set(err, ERR_IO, "the configuration could not be written") : 0;
}
