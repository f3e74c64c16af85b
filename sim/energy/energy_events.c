/* The rows. A figure is where its source says, at the source's process; `units` turns one count into so many of them.
 * A row without a published figure says `assumed`. */
#include "energy_internal.h"

#include <math.h>

#define HOROWITZ "Horowitz, ISSCC 2014, Fig. 1.1.9"
#define KECKLER "Keckler et al., IEEE Micro 31(5) 2011, Tab. 1"
#define DALLY "Dally, MICRO-52 (2019) keynote: 30 pJ to fetch and decode an instruction and its operands"
#define FGDRAM "O'Connor et al., MICRO 2017, Tab. 3"
#define ACCELWATTCH "AccelWattch (MICRO 2021), SM7_GV100/accelwattch_ptx_sim.xml at bf451918"
#define GPUWATTCH "GPUWattch (ISCA 2013), gpuwattch_gtx480.xml at 7412eb30"

/* From two published points each: a multiply-add and 8 KB of SRAM of 40 and 10 nm, a wire of both [KECKLER]; an idle SM
 * of 40 nm [GPUWATTCH] and of 12 nm [ACCELWATTCH]. */
double energy_scaled(enum energy_law law, double from_nm, double to_nm)
{
    static const double exponents[] = {[LAW_LOGIC] = 1.26, [LAW_WIRE] = 0.316, [LAW_LEAKAGE] = 1.43};
    return law == LAW_NONE || !(from_nm > 0) ? 1 : pow(to_nm / from_nm, exponents[law]);
}

double energy_node_nm(const struct gpu_params *p)
{
    return p->energy.node_nm ? p->energy.node_nm : p->core.sub_cores ? 12 : 40;
}

/* 8 bytes of 8 KB take 10 pJ, of 32 KB 20 and of 1 MB 100 [HOROWITZ]: between and beyond them as a power of the size. A
 * line of 128 bytes in 16 KB is 223 pJ so; 0.2 nJ follow from TSC §5.6. */
double sram_pj(double kilobytes, double bytes)
{
    const double exponent = kilobytes < 32 ? log(2) / log(4) : log(5) / log(32);
    return bytes / 8 * 20 * pow(kilobytes / 32, exponent);
}

/* 700 mm2 [THESIS 3.7.3]; 815 where SMs have sub-cores, as a Volta. SMs take half of it. */
static double die_mm(const struct gpu_params *p) { return sqrt(p->core.sub_cores ? 815 : 700); }
/* 3.5 mm between neighbours of 15 SMs on 700 mm2. [THESIS 4.5.5] */
double energy_pitch_mm(const struct gpu_params *p) { return 3.5 * die_mm(p) / sqrt(700) * sqrt(15.0 / p->core.sms); }

/* 240 fJ a bit and mm for a transition at 40 nm; half of the bits change. */
struct energy_range wire_pj(double bits, double mm, double node_nm)
{
    const double pj = bits * mm * 0.12 * energy_scaled(LAW_WIRE, 40, node_nm);
    return (struct energy_range){0.6 * pj, pj, 1.6 * pj};
}

/* ---- units of a count ---- */

static double sector_bytes(const struct gpu_params *p) { return p->lsu.sector_requests ? 32 : p->l1.line_bytes; }
static double l1_kb(const struct gpu_params *p)
{
    const double own = (double)p->l1.sets * p->l1.ways * p->l1.line_bytes;
    return (p->l1.unified_bytes ? p->l1.unified_bytes : own) / 1024;
}
static double of_l1(const struct gpu_params *p) { return sram_pj(l1_kb(p), sector_bytes(p)); }
static double of_shared(const struct gpu_params *p)
{
    const double kb = (p->l1.unified_bytes ? p->l1.unified_bytes : p->core.shared_bytes) / 1024.0;
    return kb > 0 ? sram_pj(kb / p->lsu.shared_banks, 4.0 * p->lsu.shared_banks) : 0;
}
static double of_fetch(const struct gpu_params *p)
{
    const double kb = p->fetch.sets ? (double)p->fetch.sets * p->fetch.ways * p->l1.line_bytes / 1024 : 16;
    return sram_pj(kb, (double)p->fetch.width * p->fetch.inst_bytes);
}
static double of_constants(const struct gpu_params *p)
{
    const double sets = p->lsu.const_sets ? p->lsu.const_sets : 32;
    return sram_pj(sets * p->lsu.const_ways * p->l1.line_bytes / 1024, 8);
}
static double of_textures(const struct gpu_params *p)
{
    const double kb = (double)p->lsu.tex_sets * p->lsu.tex_ways * p->l1.line_bytes / 1024;
    return kb > 0 ? sram_pj(kb, sector_bytes(p)) : of_l1(p);
}
static double of_l2(const struct gpu_params *p)
{
    const double bytes = p->l2.organisation == L2_PLAIN ? send_bytes(p) : 32;
    return sram_pj((double)p->l2.sets * p->l2.ways * l2_line_bytes(p) / 1024, bytes);
}
/* Bits times millimetres: half the die's side on average. */
static double across(const struct gpu_params *p, double bytes) { return 8 * bytes * die_mm(p) / 2; }
/* Where a packet of any size is one flit, bytes are those of its header and of the data that it must have. */
static double request_flit(const struct gpu_params *p)
{
    return p->xbar.whole_packets ? 0 : p->xbar.request_flit_bytes;
}
static double reply_flit(const struct gpu_params *p) { return p->xbar.whole_packets ? 0 : p->xbar.reply_flit_bytes; }
static double header(const struct gpu_params *p) { return p->xbar.whole_packets ? fmax(8, p->xbar.header_bytes) : 0; }
static double data(const struct gpu_params *p) { return p->xbar.whole_packets ? sector_bytes(p) : 0; }
static double of_request_flit(const struct gpu_params *p) { return across(p, request_flit(p)); }
static double of_reply_flit(const struct gpu_params *p) { return across(p, reply_flit(p)); }
static double of_header(const struct gpu_params *p) { return across(p, header(p)); }
static double of_data(const struct gpu_params *p) { return across(p, data(p)); }

static uint32_t memory_of(const struct gpu_params *p)
{
    if (p->energy.memory != MEMORY_BY_BURST) return p->energy.memory;
    return p->dram.burst > 8 ? MEMORY_GDDR6 : p->dram.burst > 4 ? MEMORY_GDDR5 : MEMORY_HBM2;
}
enum { BURST_BITS = 64 * 8 };
static double hbm2_bits(const struct gpu_params *p) { return memory_of(p) == MEMORY_HBM2 ? BURST_BITS : 0; }
static double gddr5_bits(const struct gpu_params *p) { return memory_of(p) == MEMORY_GDDR5 ? BURST_BITS : 0; }
static double gddr6_bits(const struct gpu_params *p) { return memory_of(p) == MEMORY_GDDR6 ? BURST_BITS : 0; }
static double hbm2_row(const struct gpu_params *p)
{
    return memory_of(p) == MEMORY_HBM2 ? p->dram.row_bytes / 1024.0 : 0;
}
static double gddr_row(const struct gpu_params *p)
{
    return memory_of(p) == MEMORY_HBM2 ? 0 : p->dram.row_bytes / 1024.0;
}

/* Of power, a count is a core cycle or a slot of a scheduler: picoseconds of it, times what there is. */
static double cycle_ps(const struct gpu_params *p) { return 1e6 / p->clock.core_mhz; }
static double sm_cycles(const struct gpu_params *p) { return cycle_ps(p) * p->core.sms; }
static double sm_slots(const struct gpu_params *p) { return cycle_ps(p) / p->core.schedulers; }
static double board_cycles(const struct gpu_params *p) { return p->energy.constant_w > 0 ? 0 : cycle_ps(p); }
static double own_board_cycles(const struct gpu_params *p) { return p->energy.constant_w * cycle_ps(p); }
/* 128 bits of pins are a quarter of a device's share: watts are given for 32 bits of GDDR, and for 128 of HBM2. */
static double hbm2_cycles(const struct gpu_params *p)
{
    return memory_of(p) == MEMORY_HBM2 ? cycle_ps(p) * p->dram.channels * p->dram.bus_bytes / 16.0 : 0;
}
static double gddr_cycles(const struct gpu_params *p)
{
    return memory_of(p) == MEMORY_HBM2 ? 0 : cycle_ps(p) * p->dram.channels * p->dram.bus_bytes / 4.0;
}

/* A counter of struct gpu_stats, from 1. */
#define C(counter) ((int)(offsetof(struct gpu_stats, counter) / sizeof(uint64_t)) + 1)
#define OFF(kind, counter, unit, doc) -C(counter),
#define CLASSES_TAKEN_OFF CLASS_STATS(OFF)
/* clang-format off */
#define DATA_MOVED {C(l1d_stores), C(l1d_atomics), C(l1d_writebacks), C(l1d_fills), C(read_only_fills), C(l1i_fills)}
const struct energy_event energy_events[] = {
    {ENERGY_core, "fetch, decode, schedule", {C(thread_insts)}, {5, 10, 15}, "pJ a thread",
     DALLY "; less four operands", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: int", {C(insts_int)}, {0.05, 0.1, 0.5}, "pJ a thread",
     HOROWITZ ": 32-bit add", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: int_mul", {C(insts_int_mul)}, {1.6, 3.2, 5}, "pJ a thread",
     HOROWITZ ": 32-bit multiply and add", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: int_div", {C(insts_int_div)}, {400, 780, 1200}, "pJ a thread",
     "25 instructions (datasets/kernels/microbench/README.md), each as the other rows have it", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: fp", {C(insts_fp)}, {0.5, 0.9, 1.8}, "pJ a thread",
     HOROWITZ ": 32-bit floating-point add", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: fp_mul", {C(insts_fp_mul)}, {2.3, 4.6, 7}, "pJ a thread",
     HOROWITZ ": 32-bit floating-point multiply and add", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: fp_div", {C(insts_fp_div)}, {170, 350, 700}, "pJ a thread",
     "assumed: ten multiply-adds, each an instruction", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: dp", {C(insts_dp)}, {12, 25, 50}, "pJ a thread",
     HOROWITZ ": the step from 16 to 32 bits once more; " KECKLER " has 50 at 40 nm", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: dp_div", {C(insts_dp_div)}, {550, 1100, 2200}, "pJ a thread",
     "19 instructions (datasets/kernels/microbench/README.md), half of them multiply-adds", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: sfu", {C(insts_sfu)}, {5, 25, 50}, "pJ a thread",
     "assumed: a table and multiply-adds", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: tensor", {C(insts_tensor)}, {200, 460, 900}, "pJ a thread",
     "assumed: 128 fused multiply-adds of 16 bits", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: udp", {C(insts_udp)}, {0.05, 0.1, 0.5}, "pJ a thread",
     HOROWITZ ": 32-bit add", 45, LAW_LOGIC, NULL},
    {ENERGY_core, "operation: of no class", {C(thread_insts), CLASSES_TAKEN_OFF}, {0.5, 2, 5}, "pJ a thread",
     "assumed: a mean; runs of before classes were counted", 45, LAW_LOGIC, NULL},
    {ENERGY_register_file, "three operands",
     {C(thread_insts), -C(insts_branch), -C(insts_barrier), -C(insts_fence), -C(insts_exit)},
     {9, 15, 21}, "pJ a thread",
     "read of 4 bytes in 8 KB, " HOROWITZ "; how many is assumed", 45, LAW_LOGIC, NULL},
    {ENERGY_register_file, "a third source",
     {C(insts_int_mul), C(insts_fp_mul), C(insts_dp), C(insts_tensor)}, {3, 5, 7}, "pJ a thread",
     "read of 4 bytes in 8 KB, " HOROWITZ, 45, LAW_LOGIC, NULL},
    {ENERGY_shared_memory, "passes", {C(shared_passes)}, {0.6, 1, 1.6}, "x SRAM law",
     HOROWITZ "; size of a bank", 45, LAW_LOGIC, of_shared},
    {ENERGY_l1, "L1 data", {C(l1d_load_accesses), C(l1d_stores), C(l1d_local_stores_kept), C(l1d_fills)},
     {0.6, 1, 1.6}, "x SRAM law",
     HOROWITZ "; TSC §5.6", 45, LAW_LOGIC, of_l1},
    {ENERGY_l1, "instructions", {C(fetches), C(l1i_fills)},
     {0.6, 1, 1.6}, "x SRAM law", HOROWITZ, 45, LAW_LOGIC, of_fetch},
    {ENERGY_l1, "constants", {C(const_accesses)}, {0.6, 1, 1.6}, "x SRAM law", HOROWITZ, 45, LAW_LOGIC, of_constants},
    {ENERGY_l1, "textures", {C(tex_accesses), C(read_only_fills)}, {0.6, 1, 1.6}, "x SRAM law",
     HOROWITZ, 45, LAW_LOGIC, of_textures},
    {ENERGY_network, "request flits: wires", {C(request_flits)}, {0.07, 0.12, 0.19}, "pJ a bit and mm",
     KECKLER ", half of the bits change", 40, LAW_WIRE, of_request_flit},
    {ENERGY_network, "request flits: buffers and switch", {C(request_flits)}, {0.5, 1.3, 2.6}, "pJ a byte",
     "two accesses of 2 KB, " HOROWITZ, 45, LAW_LOGIC, request_flit},
    {ENERGY_network, "reply flits: wires", {C(reply_flits)}, {0.07, 0.12, 0.19}, "pJ a bit and mm",
     KECKLER ", half of the bits change", 40, LAW_WIRE, of_reply_flit},
    {ENERGY_network, "reply flits: buffers and switch", {C(reply_flits)}, {0.5, 1.3, 2.6}, "pJ a byte",
     "two accesses of 2 KB, " HOROWITZ, 45, LAW_LOGIC, reply_flit},
    {ENERGY_network, "headers: wires", {C(request_packets), C(reply_packets)}, {0.07, 0.12, 0.19}, "pJ a bit and mm",
     KECKLER ", half of the bits change", 40, LAW_WIRE, of_header},
    {ENERGY_network, "headers: buffers and switch", {C(request_packets), C(reply_packets)},
     {0.5, 1.3, 2.6}, "pJ a byte",
     "two accesses of 2 KB, " HOROWITZ, 45, LAW_LOGIC, header},
    {ENERGY_network, "data: wires",
     DATA_MOVED, {0.07, 0.12, 0.19}, "pJ a bit and mm",
     KECKLER ", half of the bits change", 40, LAW_WIRE, of_data},
    {ENERGY_network, "data: buffers and switch",
     DATA_MOVED, {0.5, 1.3, 2.6}, "pJ a byte",
     "two accesses of 2 KB, " HOROWITZ, 45, LAW_LOGIC, data},
    {ENERGY_l2, "L2", {C(l2_accesses), C(l2_misses), C(l2_writebacks)}, {0.6, 1, 1.6}, "x SRAM law",
     HOROWITZ "; size of a bank", 45, LAW_LOGIC, of_l2},
    {ENERGY_dram, "HBM2 read", {C(dram_reads)}, {2.9, 3.48, 4.2}, "pJ a bit",
     FGDRAM ": array, data path and pins", 0, LAW_NONE, hbm2_bits},
    {ENERGY_dram, "GDDR5 read", {C(dram_reads)}, {8, 11, 15}, "pJ a bit",
     FGDRAM ": 14 in all; the split is assumed", 0, LAW_NONE, gddr5_bits},
    {ENERGY_dram, "GDDR6 read", {C(dram_reads)}, {5.5, 7.5, 10}, "pJ a bit",
     "assumed: two thirds of GDDR5", 0, LAW_NONE, gddr6_bits},
    {ENERGY_dram, "HBM2 write", {C(dram_writes)}, {2.9, 3.48, 4.2}, "pJ a bit",
     FGDRAM ": array, data path and pins", 0, LAW_NONE, hbm2_bits},
    {ENERGY_dram, "GDDR5 write", {C(dram_writes)}, {8, 11, 15}, "pJ a bit",
     FGDRAM ": 14 in all; the split is assumed", 0, LAW_NONE, gddr5_bits},
    {ENERGY_dram, "GDDR6 write", {C(dram_writes)}, {5.5, 7.5, 10}, "pJ a bit",
     "assumed: two thirds of GDDR5", 0, LAW_NONE, gddr6_bits},
    {ENERGY_dram, "HBM2 activate", {C(dram_activates)}, {700, 909, 1200}, "pJ a row of 1 KB",
     FGDRAM, 0, LAW_NONE, hbm2_row},
    {ENERGY_dram, "GDDR activate", {C(dram_activates)}, {900, 1500, 2500}, "pJ a row of 1 KB",
     "assumed: as of HBM2, at 1.5 V in place of 1.2", 0, LAW_NONE, gddr_row},
    {ENERGY_dram, "HBM2 background and refresh", {C(core_cycles)}, {0.1, 0.2, 0.35}, "W for 128 pins",
     "assumed: 1.6 W a stack of eight channels", 0, LAW_NONE, hbm2_cycles},
    {ENERGY_dram, "GDDR background and refresh", {C(core_cycles)}, {0.2, 0.35, 0.6}, "W for 32 pins",
     "assumed: standby and refresh of a device at 1.5 V", 0, LAW_NONE, gddr_cycles},
    {ENERGY_static, "an SM that idles", {C(core_cycles)}, {0.2, 0.28279166, 0.4}, "W an SM",
     ACCELWATTCH "; 1.59 at 40 nm, " GPUWATTCH, 12, LAW_LEAKAGE, sm_cycles},
    {ENERGY_static, "an SM with warps, in addition", {C(issue_slots), -C(stall_idle)}, {0.1, 0.185, 0.3}, "W an SM",
     ACCELWATTCH ": 37.4 W for 80 SMs of 32 lanes", 12, LAW_LEAKAGE, sm_slots},
    {ENERGY_constant, "board", {C(core_cycles)}, {20, 32.32522272, 45}, "W",
     ACCELWATTCH "; of other boards assumed", 0, LAW_NONE, board_cycles},
    {ENERGY_constant, "board, as configured", {C(core_cycles)}, {1, 1, 1}, "x energy.constant_w",
     "the configuration", 0, LAW_NONE, own_board_cycles},
};
/* clang-format on */
const size_t n_energy_events = COUNT_OF(energy_events);

/* Of the board power of a QV100, on half of the kernels that are known (README.md): a constant, and one scale of what
 * an SM does. The rest is as published. */
static double fit_of(const struct energy_event *e)
{
    const double of_an_sm = 1.63, of_the_constant = 2.03;
    if (e->part == ENERGY_constant) return e->units == board_cycles ? of_the_constant : 1;
    return e->part <= ENERGY_l1 ? of_an_sm : 1;
}
_Static_assert(ENERGY_core == 0 && ENERGY_l1 == 3, "what an SM does stands first");

struct energy_range energy_event_pj(const struct energy_event *e, const struct gpu_params *p)
{
    const double factor =
        energy_scaled(e->law, e->node_nm, energy_node_nm(p)) * (e->units ? e->units(p) : 1) * fit_of(e);
    return (struct energy_range){e->pj.low * factor, e->pj.value * factor, e->pj.high * factor};
}
