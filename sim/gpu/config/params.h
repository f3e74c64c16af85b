/* Every knob of the machine as a row, one group a hardware unit. Defaults are `kepler32` [THESIS Tab. 5.1]. */
#ifndef GPU_PARAMS_H
#define GPU_PARAMS_H
#include "poise/occupancy.h"
#include "poise/table.h"
#include "poise/trace.h"
#include "config/params_sass.h"
#include "config/plugins.h"
#include "config/replacement_list.h"
#include "config/set_index.h"

#define REF_CONFIG "reference configuration gtx480_32sm"
#define REF_SUB "reference simulator (Accel-Sim), configurations of Volta"
#define REF_DRAM "reference simulator (Accel-Sim), DRAM model"
#define REF_TABLE "Ramulator (Kim et al., IEEE CAL 2015); JESD235, JESD250"

/* Choices to which plug-ins add theirs. */
#define VALUE_CTYPE_POLICY uint32_t
#define VALUE_POLICY VALUE_ENUM
#define VALUE_MORE_POLICY plugins_replacement_name
#define VALUE_CTYPE_ORGANISATION uint32_t
#define VALUE_ORGANISATION VALUE_ENUM
#define VALUE_MORE_ORGANISATION plugins_organisation_name

/* Of every cache: a policy of cache/replacement_NAME.c. */
#define REPLACEMENT_PARAM(P, row, doc) \
    P(POLICY, row, REPLACE_USUAL, 0, REPLACE_VALUES - 1, REPLACEMENT_NAMES, \
      "TSC §3.3; TECHNIQUES 5.1.2; Jaleel et al., ISCA 2010", doc)

#define CLOCK_PARAMS(P) \
    P(U32, core_mhz, 1400, 1, 100000, "MHz", "THESIS Tab. 5.1", "core clock") \
    P(U32, xbar_mhz, 700, 1, 100000, "MHz", "THESIS Tab. 5.1", "crossbar clock") \
    P(U32, l2_mhz, 700, 1, 100000, "MHz", "THESIS Tab. 5.1", "L2 clock") \
    P(U32, dram_mhz, 924, 1, 100000, "MHz", "THESIS Tab. 5.1", "DRAM command clock")

#define CORE_PARAMS(P) \
    P(U32, sms, 32, 1, 128, "SMs", "THESIS Tab. 5.1", "streaming multiprocessors") \
    P(U32, schedulers, 2, 1, 12, "schedulers", "THESIS Tab. 5.1", "warp schedulers of an SM") \
    P(U32, max_warps, 48, 1, 64, "warps", "THESIS Tab. 5.1", "warp slots of an SM") \
    P(U32, max_threads, 1536, 32, 2048, "threads", "THESIS Tab. 5.1", "threads of an SM") \
    P(U32, max_ctas, 8, 1, 32, "CTAs", REF_CONFIG, "CTAs of an SM") \
    P(U32, registers, 32768, 1024, 262144, "registers", "THESIS Tab. 5.1", "registers of an SM") \
    P(U32, register_unit, 64, 1, 1024, "registers", "assumed", \
      "a warp's registers are allocated in multiples of this") \
    P(U32, shared_bytes, 49152, 0, 262144, "bytes", "THESIS Tab. 5.1", "shared memory of an SM") \
    P(U32, shared_unit, 128, 1, 4096, "bytes", "assumed", "a CTA's shared memory is allocated in multiples of this") \
    P(U32, simd_width, 32, 1, 32, "lanes", "THESIS Tab. 5.1", "lanes of one arithmetic unit") \
    P(U32, sp_units, 2, 1, 12, "units", REF_CONFIG, "integer and single-precision units") \
    P(U32, sfu_units, 1, 1, 8, "units", REF_CONFIG, "special-function units; they also divide") \
    P(U32, int_units, 0, 0, 8, "units", REF_CONFIG, "integer units; 0: the single-precision units do integers too") \
    P(U32, dp_units, 2, 0, 8, "units", "GPGPU-Sim 3.2.2, where both single-precision units do it", \
      "double-precision units; 0: the special-function units do it") \
    P(U32, branch_units, 0, 0, 8, "units", REF_SUB, "units for branches; 0: the single-precision units do them") \
    P(U32, texture_units, 0, 0, 8, "units", REF_SUB, \
      "units for texture instructions of imported traces; 0: the special-function units, in their time") \
    P(U32, tensor_units, 0, 0, 8, "units", REF_SUB, \
      "tensor cores; 0: the single-precision units multiply matrices, in the time of a multiply-add") \
    P(U32, uniform_units, 0, 0, 8, "units", REF_SUB, "uniform datapaths; 0: the integer units, in their time") \
    P(FLAG, sub_cores, 0, 0, 1, "flag", REF_SUB, \
      "each scheduler has its share of units, register banks and collectors for itself") \
    P(U32, collectors, 0, 0, 32, "collectors", REF_SUB, \
      "operand collectors that arithmetic of every kind takes, a share for each sub-core; 0: enough; needs sub_cores") \
    P(U32, read_steps, 1, 1, 4, "reads", REF_SUB, \
      "registers that a bank gives in a cycle, in sub-cores (gpgpu_reg_file_port_throughput)") \
    P(U32, issue_width, 1, 1, 2, "instructions", REF_SUB, \
      "instructions of one warp that a scheduler issues in a cycle, to different units") \
    P(U32, int_latency, 4, 1, 1000, "cycles", REF_CONFIG, "integer add and logic") \
    P(U32, int_interval, 1, 1, 1000, "cycles", REF_CONFIG, "integer add and logic: initiation interval") \
    P(U32, int_mul_latency, 5, 1, 1000, "cycles", REF_CONFIG, "integer multiply-add") \
    P(U32, int_mul_interval, 2, 1, 1000, "cycles", REF_CONFIG, "integer multiply: initiation interval") \
    P(U32, int_div_latency, 145, 1, 1000, "cycles", REF_CONFIG, "integer divide") \
    P(U32, int_div_interval, 8, 1, 1000, "cycles", REF_CONFIG, "integer divide: initiation interval") \
    P(U32, fp_latency, 4, 1, 1000, "cycles", REF_CONFIG, "single-precision add") \
    P(U32, fp_interval, 1, 1, 1000, "cycles", REF_CONFIG, "single-precision add: initiation interval") \
    P(U32, fp_mul_latency, 5, 1, 1000, "cycles", REF_CONFIG, "single-precision multiply-add") \
    P(U32, fp_mul_interval, 1, 1, 1000, "cycles", REF_CONFIG, "single-precision multiply-add: initiation interval") \
    P(U32, fp_div_latency, 39, 1, 1000, "cycles", REF_CONFIG, "single-precision divide") \
    P(U32, fp_div_interval, 4, 1, 1000, "cycles", REF_CONFIG, "single-precision divide: initiation interval") \
    P(U32, dp_latency, 8, 1, 1000, "cycles", REF_CONFIG, "double-precision add and multiply") \
    P(U32, dp_interval, 8, 1, 1000, "cycles", REF_CONFIG, "double precision: initiation interval") \
    P(U32, dp_div_latency, 330, 1, 1000, "cycles", REF_CONFIG, "double-precision divide") \
    P(U32, dp_div_interval, 130, 1, 1000, "cycles", REF_CONFIG, "double-precision divide: initiation interval") \
    P(U32, sfu_latency, 20, 1, 1000, "cycles", "assumed", "approximate special functions") \
    P(U32, sfu_interval, 8, 1, 1000, "cycles", "assumed", "special functions: initiation interval") \
    P(U32, branch_latency, 4, 1, 1000, "cycles", "assumed", "branch resolution") \
    P(U32, branch_interval, 1, 1, 1000, "cycles", REF_SUB, "branches: initiation interval") \
    P(U32, texture_unit_latency, 200, 1, 1000, "cycles", REF_SUB, "texture instructions in texture_units") \
    P(U32, texture_unit_interval, 4, 1, 1000, "cycles", REF_SUB, "texture instructions: initiation interval") \
    P(U32, tensor_latency, 32, 1, 1000, "cycles", REF_SUB, "matrix multiply-accumulate in tensor_units") \
    P(U32, tensor_interval, 32, 1, 1000, "cycles", REF_SUB, "matrix multiply-accumulate: initiation interval") \
    P(U32, uniform_latency, 4, 1, 1000, "cycles", REF_SUB, "operations of uniform_units") \
    P(U32, uniform_interval, 1, 1, 1000, "cycles", REF_SUB, "operations of uniform_units: initiation interval") \
    P(U32, write_cycles, 2, 0, 100, "cycles", REF_SUB, \
      "in sub-cores, from the end of an arithmetic latency until the result can be read; 0: it is forwarded") \
    P(U32, operand_cycles, 0, 0, 100, "cycles", "assumed", \
      "operand read and write-back stages, added to every latency") \
    P(U32, sp_collectors, 0, 0, 16, "collectors", REF_CONFIG, \
      "operand collectors of the single-precision units; 0: enough") \
    P(U32, register_banks, 0, 0, 32, "banks", REF_CONFIG, \
      "banks of the register file, a register a cycle each; 0: no conflicts") \
    P(U32, result_ports, 0, 0, 8, "ports", REF_CONFIG, \
      "results of arithmetic units written back in a cycle; 0: any number; needs register_banks") \
    P(ENUM, scheduler, 0, 0, 2, "gto|lrr|two_level", "THESIS Tab. 5.1", \
      "warp scheduler: greedy then oldest, loose round robin, two-level") \
    P(U32, active_warps, 8, 1, 64, "warps", "assumed", "two-level scheduler: warps of the active set") \
    P(ENUM, waiting, 0, 0, 1, "recorded|simulated", "assumed", \
      "a warp in a loop that waits for other warps runs the rounds that were recorded, or as many as it takes until " \
      "the writes that it waits for have been performed")
enum { WAITING_RECORDED, WAITING_SIMULATED };

#define FETCH_PARAMS(P) \
    P(FLAG, ideal, 0, 0, 1, "flag", "assumed", "instructions are always there") \
    P(U32, width, 2, 1, 8, "instructions", REF_CONFIG, "instructions a fetch brings, and a warp can buffer") \
    P(FLAG, across_jumps, 0, 0, 1, "flag", REF_CONFIG, \
      "a fetch brings what the trace executes next, also behind a jump, as a trace-driven front end does") \
    P(U32, inst_bytes, 8, 1, 16, "bytes", REF_CONFIG, "size of an instruction in memory") \
    P(U32, warps, 1, 1, 8, "warps", REF_SUB, "warps that fetch in a cycle (gpgpu_inst_fetch_throughput)") \
    P(U32, sets, 4, 0, 1024, "sets", REF_CONFIG, \
      "L1 instruction cache: sets; lines as L1D's; 0: instructions always hit") \
    P(U32, ways, 4, 1, 64, "ways", REF_CONFIG, "L1 instruction cache: ways") \
    P(U32, mshrs, 2, 1, 16, "entries", REF_CONFIG, "L1 instruction cache: lines that may be on their way") \
    REPLACEMENT_PARAM(P, replacement, "L1 instruction cache: which line goes; usual: lru")

#define LSU_PARAMS(P) \
    P(U32, pipeline_width, 10, 1, 256, "instructions", "THESIS Tab. 3.3", \
      "memory instructions waiting in the load-store unit") \
    P(U32, pending_requests, 0, 0, 4096, "requests", "THESIS Tab. 3.3, §3.5.3", \
      "line requests waiting there; an access of more enters in parts; 0: any number") \
    P(U32, pending_loads, 512, 16, 4096, "instructions", "assumed", \
      "loads and atomics of an SM that may be outstanding") \
    P(U32, shared_latency, 26, 1, 1000, "cycles", REF_CONFIG, "shared memory access") \
    P(U32, shared_banks, 32, 1, 32, "banks", REF_CONFIG, "shared memory banks, 4 bytes wide") \
    P(FLAG, shared_registers, 0, 0, 1, "flag", "NVIDIA developer forum, compute capability 7.0 to 7.5", \
      "a cycle of shared memory returns one register to a warp's lanes, or two if pairs of lanes name one address; " \
      "otherwise what all lanes share is returned at once") \
    P(U32, const_latency, 8, 1, 1000, "cycles", "assumed", "constant and parameter access that hits") \
    P(U32, const_address_cycles, 2, 0, 7, "cycles", "CUDA C++ Best Practices Guide; counters of a QV100", \
      "for each address of a constant access that names several; one address takes a cycle; 0: all take one") \
    P(U32, const_sets, 0, 0, 1024, "sets", "assumed", "constant cache: sets; 0: constants always hit; lines as L1D's") \
    P(U32, const_ways, 2, 1, 64, "ways", REF_CONFIG, "constant cache: ways") \
    P(U32, const_mshrs, 2, 1, 64, "entries", REF_CONFIG, "constant cache: lines that may be on their way") \
    REPLACEMENT_PARAM(P, const_replacement, "constant cache: which line goes; usual: lru") \
    P(U32, tex_sets, 4, 0, 1024, "sets", REF_CONFIG, \
      "texture cache: sets; 0: textures go through L1D; lines as L1D's") \
    P(U32, tex_ways, 24, 1, 1024, "ways", REF_CONFIG, "texture cache: ways") \
    P(U32, tex_mshrs, 128, 1, 1024, "entries", REF_CONFIG, "texture cache: lines that may be on their way") \
    REPLACEMENT_PARAM(P, tex_replacement, "texture cache: which line goes; usual: lru") \
    P(U32, tex_latency, 35, 1, 1000, "cycles", "assumed", "texture access that hits") \
    P(U32, read_only_merge, 4, 1, 64, "requests", REF_CONFIG, \
      "requests that wait for one line of the constant or texture cache") \
    P(FLAG, sector_requests, 0, 0, 1, "flag", REF_SUB, "a request for each 32-byte sector; otherwise one a line") \
    P(FLAG, atomic_conflicts, 0, 0, 1, "flag", REF_CONFIG, \
      "lanes of one atomic on the same bytes go as requests of their own; otherwise one a line")

/* The tag-split cache (cache/org_tsc.h) and decoupled sectors (cache/org_dsc.h): part of L1 and of L2, and of a
 * configuration's text where that is one of them. What a set stores, of both: */
#define TSC_SET_PARAMS(P) \
    P(U32, tsc_private_bits, 8, 0, 20, "bits", "TSC Tab. 2", \
      "of a line's tag, the low bits that each chunk has by itself; the rest is its group's") \
    P(U32, tsc_group_chunks, 0, 0, 64, "chunks", "TSC §3.1", \
      "chunks that share the rest of the tag; 0: as many as a line has") \
    P(U32, tsc_lookup_cycles, 1, 0, 100, "cycles", "TSC Tab. 2", "that a hit takes longer than in an ordinary cache") \
    P(ENUM, tsc_victims, 0, 0, 2, "groups|matching|anywhere", "assumed; anywhere: TSC §3.3", \
      "a chunk used recently goes after a group without any, or before: then a set that is full of one tag takes no " \
      "other; or any chunk of the set that was not used recently, and with it its group if that has another tag") \
    P(ENUM, tsc_nru_reset, 0, 0, 1, "all|others", "assumed", \
      "when every chunk of a set has been used recently, all are forgotten, or all but those just used") \
    P(U32, tsc_seed, 1, 0, 4294967295u, "1", "assumed", \
      "of the random choice among equal victims, and of the sampler sets")
#define DSC_PARAMS(P) P(U32, dsc_tags, 2, 2, 8, "tags", "TSC §5.2", "tags of a line's frame (a power of two)")
/* and when its misses fetch whole lines, of L1. */
#define TSC_MODE_PARAMS(P) \
    P(ENUM, tsc_mode, 0, 0, 3, "fine|coarse|duel|told", "TSC §3.5", \
      "what a miss fetches: the chunks touched, all of the line, what sampler sets of SM 0 find better, or what a " \
      "mechanism does (tsc_learned; until it has spoken the chunks touched)") \
    P(ENUM, tsc_coarse_waits, 0, 0, 1, "line|asked", "assumed", \
      "in coarse mode an access waits for the whole line, or for what it touches") \
    P(U32, tsc_sampler_sets, 4, 1, 1024, "sets", "TSC §3.5", \
      "sets of SM 0 that keep to fine mode, and as many to coarse mode") \
    P(ENUM, tsc_samples, 0, 0, 1, "requests|misses", "assumed", \
      "what sampler sets count as a miss: each request sent, or each access that misses") \
    P(U32, tsc_age_at, 1024, 1, 65535, "misses", "TSC §3.5", "misses of a mode at which all counters are halved") \
    P(U32, tsc_delay, 20, 1, 60, "core cycles", "assumed", "from a decision of SM 0 to its effect in every SM")
/* and of L2, where bank 0 has the sampler sets. */
#define TSC_L2_MODE_PARAMS(P) \
    P(ENUM, tsc_mode, 0, 0, 2, "fine|coarse|duel", "TSC §3, §3.5", \
      "what a miss fetches from DRAM: the sectors asked for, all of the line, or what sampler sets of bank 0 find " \
      "better") \
    P(U32, tsc_sampler_sets, 4, 1, 1024, "sets", "TSC §3.5", \
      "sets of bank 0 that keep to fine mode, and as many to coarse mode") \
    P(U32, tsc_age_at, 1024, 1, 65535, "misses", "TSC §3.5", "misses of a mode at which all counters are halved") \
    P(U32, tsc_delay, 20, 1, 60, "L2 cycles", "assumed", "from a decision of bank 0 to its effect in every bank")

/* Elastic-Cache (cache/org_elastic.h), likewise: of L1 and of L2, */
#define ELASTIC_SET_PARAMS(P) \
    P(U32, elastic_chunk_bits, 16, 4, 24, "bits", "ELASTIC §3B", \
      "of a chunk tag: which chunk of its line, and the low bits of the line's tag; the rest of that is the common " \
      "tag") \
    P(U32, elastic_banks, 4, 1, 8, "banks", "ELASTIC §3C", \
      "banks of chunk tags and of chunks, over which the slots of a line alternate (a power of two)") \
    P(ENUM, elastic_victims, 0, 0, 2, "all|line|invalid_first", "ELASTIC §3E", \
      "a word miss without a free slot takes an invalid line, then the least recently used chunk of all lines with " \
      "its common tag; or at once that of the first such line; or an invalid line, then that of the first such line") \
    P(ENUM, elastic_first, 0, 0, 1, "home|lowest", "ELASTIC §3D, §3E", \
      "chunks are looked for, and put, from their own bank on; or from slot 0 on")
#define ELASTIC_WALK_PARAMS(P) \
    P(ENUM, elastic_walk, 0, 0, 1, "beside|holds", "assumed", \
      "the cache goes on while a chunk is looked for in further banks, unless one that it needs is taken; or waits " \
      "until it is found")
/* and of L1. */
#define ELASTIC_REQUEST_PARAMS(P) \
    P(ENUM, elastic_requests, 0, 0, 1, "apart|together", "assumed", \
      "what a miss asks of a part of a line goes as a request for each chunk, or as one")

/* LAMAR's prediction of locality (cache/org_lamar.h), of L1. */
#define LAMAR_PARAMS(P) \
    P(ENUM, lamar_fetch, 0, 0, 1, "asked|predicted", "TSC §5.2, §6", \
      "what a miss of lamar_tsc fetches: the sectors touched; or the whole line, unless its locality is predicted to " \
      "be poor") \
    P(U32, lamar_lines, 512, 16, 65536, "lines", "assumed", \
      "whose touched sectors are remembered; a line that leaves the table is rated") \
    P(U32, lamar_poor, 2, 1, 31, "sectors", "assumed", "a line of which no more were touched has poor locality") \
    P(U32, lamar_bits, 8192, 64, 1048576, "bits", "assumed", \
      "of each of the two filters that know lines of poor locality") \
    P(U32, lamar_epoch, 1024, 1, 1048576, "lines", "assumed", \
      "of poor locality, after which the older filter is emptied")

#define L1_PARAMS(P) \
    P(ORGANISATION, organisation, 0, 0, 5, "plain|sectored|lamar_tsc|tsc|dsc|elastic", \
      "THESIS Tab. 5.1; TSC §3, §5.2; ELASTIC §3", \
      "lines fetched whole, or 32-byte sectors of them; sectors whose packets take the crossbar as long as whole " \
      "lines; chunks anywhere in their set; sectors of several lines in a frame; chunks anywhere in lines of their " \
      "common tag") \
    REPLACEMENT_PARAM(P, replacement, "which line or chunk goes; usual: lru, with organisation=tsc nru") \
    P(U32, chunk_bytes, 32, 8, 64, "bytes", "TSC §5.4", \
      "what is stored, valid and asked for as one, where lines are not fetched whole (a power of two)") \
    P(FLAG, streaming, 0, 0, 1, "flag", "ELASTIC §2", \
      "an MSHR for every line, and lines are taken when data comes: no miss waits for a line") \
    P(U32, unified_bytes, 0, 0, 1048576, "bytes", "ELASTIC §2", \
      "array that L1 and shared memory share: L1's ways are what 0, 8, 16, 32, 64 or 96 KB of shared memory leave; " \
      "0: l1.ways") \
    P(ENUM, shared_sizes, 0, 0, 2, "volta|turing|ampere", \
      "CUDA C++ Programming Guide, compute capabilities 7.0, 7.5 and 8.6", \
      "sizes of shared memory that an array of unified_bytes can have: 0, 8, 16, 32, 64, 96 KB; 32, 64 KB; 0, 8, 16, " \
      "32, 64, 100 KB") \
    P(U32, banks, 1, 1, 8, "banks", "ELASTIC §2", "banks that serve a request each in one cycle (a power of two)") \
    P(U32, bank_bytes, 128, 32, 128, "bytes", "ELASTIC §2", "bytes in a row that one bank holds (a power of two)") \
    P(ENUM, write_hit, 0, 0, 1, "evict|through", "THESIS Tab. 5.1", \
      "a store to a line that is present evicts it, or updates it; it goes to L2 in any case") \
    P(ENUM, write_miss, 0, 0, 1, "around|allocate", REF_SUB, \
      "a store of global memory that misses takes no line; or the line of its sectors") \
    P(FLAG, skip_global, 0, 0, 1, "flag", REF_SUB, "global memory bypasses L1 (gpgpu_gmem_skip_L1D)") \
    P(ENUM, local_stores, 0, 0, 2, "through|back|back_allocate", "assumed", \
      "local memory: as global memory; kept in L1 where its line is present; where it covers sectors it takes a line " \
      "too") \
    P(FLAG, flush_between, 1, 0, 1, "flag", REF_CONFIG, \
      "L1 starts cold in every launch of a program, where L2 is carried over") \
    P(U32, sets, 32, 1, 65536, "sets", "THESIS Tab. 5.1", \
      "L1D sets: 16 KB in all (a power of two, but for plain and sectored lines with set_index=linear)") \
    P(U32, ways, 4, 1, 8192, "ways", "THESIS Tab. 5.1", "L1D associativity") \
    P(U32, line_bytes, 128, 32, 256, "bytes", "THESIS Tab. 5.1", \
      "line size of L1, in which accesses are coalesced; and of L2, unless l2.line_bytes says otherwise (a power of " \
      "two)") \
    P(ENUM, set_index, 2, 0, 3, "linear|hash|fermi|fermi_any", "THESIS Tab. 5.1; Nugteren et al., HPCA 2014", \
      "set index: modulo; XOR of all bits; the published Fermi hash (32 or 64 sets); the same cut, or extended by " \
      "higher bits as they are, to any power of two (assumed)") \
    P(U32, mshrs, 32, 1, 4096, "entries", "THESIS Tab. 5.1", "miss status holding registers (streaming: one a line)") \
    P(U32, mshr_merge, 8, 1, 64, "requests", REF_CONFIG, "requests one MSHR can hold") \
    P(U32, miss_queue, 8, 1, 4096, "entries", "THESIS Tab. 3.1", "misses and stores waiting for the crossbar") \
    P(FLAG, late_lookup, 0, 0, 1, "flag", REF_CONFIG, \
      "requests pass a pipeline of hit_latency stages first and look up at its end") \
    P(U32, hit_latency, 35, 1, 1000, "cycles", REF_CONFIG, "load issue from the LSU to data") \
    P(U32, tag_cycles, 0, 0, 100, "cycles", "US patent 10459861; Jia et al. 2018; counters of a Quadro GV100", \
      "streaming, lsu.sector_requests: so soon after a sector's miss a load asks L2 for it again (0: never)") \
    TSC_SET_PARAMS(P) \
    TSC_MODE_PARAMS(P) \
    DSC_PARAMS(P) \
    ELASTIC_SET_PARAMS(P) \
    ELASTIC_REQUEST_PARAMS(P) \
    ELASTIC_WALK_PARAMS(P) \
    LAMAR_PARAMS(P)

#define XBAR_PARAMS(P) \
    P(ENUM, kind, 0, 0, 1, "crossbar|ideal", "THESIS Tab. 3.1", \
      "the network: a crossbar each way; or what bounds any network, in which packets take as long as in an empty " \
      "crossbar and no port is ever busy (neither speedup nor clusters matter)") \
    P(U32, request_flit_bytes, 32, 1, 1024, "bytes", "THESIS Tab. 5.1", "flit of the request crossbar") \
    P(U32, reply_flit_bytes, 32, 1, 1024, "bytes", "THESIS Tab. 5.1", "flit of the reply crossbar") \
    P(U32, header_bytes, 8, 0, 64, "bytes", "assumed", "address and control of a packet") \
    P(FLAG, whole_packets, 0, 0, 1, "flag", REF_CONFIG, \
      "a packet of any size takes one cycle of its ports (network_mode 2)") \
    P(U32, speedup, 1, 1, 8, "1", "GPGPU-Sim 3.2.2, GTX480/config_fermi_islip.icnt", \
      "flits a port moves through the switch in a cycle of its link (internal_speedup)") \
    P(U32, output_buffer, 64, 1, 4096, "flits", REF_CONFIG, \
      "flits that may wait for an output link when the switch is faster") \
    P(U32, reply_queue, 8, 1, 4096, "packets", "assumed", "packets an SM can hold at its reply port") \
    P(U32, cluster_sms, 1, 1, 256, "SMs", "ELASTIC Fig. 13", \
      "SMs of a cluster, which share one port of each crossbar: one packet a time (core.sms is a multiple of it)")

#define L2_PARAMS(P) \
    P(ORGANISATION, organisation, 0, 0, 4, "plain|sectored|tsc|dsc|elastic", \
      "THESIS Tab. 5.1; TSC §3, §5.2; ELASTIC §3", \
      "lines fetched whole, or 32-byte sectors of them; sectors anywhere in their set; sectors of several lines in a " \
      "frame; sectors of any lines with one common tag in a line") \
    REPLACEMENT_PARAM(P, replacement, "which line or sector goes; usual: lru, with organisation=tsc nru") \
    P(U32, line_bytes, 0, 0, 128, "bytes", "TSC Tab. 2", \
      "line size of L2 and of DRAM's requests (a power of two); 0: l1.line_bytes") \
    P(U32, banks, 24, 1, 256, "banks", "THESIS Tab. 5.1", "L2 banks (a multiple of the DRAM channels)") \
    P(U32, sets, 85, 1, 65535, "sets", "assumed", "sets of a bank, modulo index: 2 MB over 24 banks are 85.33") \
    P(U32, ways, 8, 1, 64, "ways", "THESIS Tab. 5.1", "associativity") \
    P(U32, copies, 1, 1, 2, "copies", "NVIDIA A100 whitepaper; counters of a Quadro GV100", \
      "partitions that each keep a copy of a line, so that only ways / copies hold lines of their own; of the plain " \
      "and sectored organisations") \
    P(U32, clean_after, 0, 0, 4096, "lines", "US patents 8060700, 8341358; counters of a Quadro GV100", \
      "lines of a bank with clean sectors that stores have overwritten whole: with one more the oldest is written to " \
      "DRAM and stays, clean (0: dirty lines stay until they are replaced); of plain and sectored lines") \
    P(ENUM, set_index, 0, 0, 4, "linear|hash|fermi|fermi_any|ipoly", "assumed", \
      "set of one of a bank's own lines: modulo; XOR of all bits; the published Fermi hash (32 or 64 sets); the same " \
      "for any power of two; remainder by an irreducible polynomial (Rau, ISCA 1991)") \
    P(ENUM, bank_index, 1, 0, 5, "linear|hash|chunked|addresses|ipoly|random", "assumed", \
      "line to bank: modulo; a digit sum that spreads power-of-two strides; as the reference maps line numbers " \
      "within a launch; as it maps addresses; that hashed by an irreducible polynomial (Rau, ISCA 1991); any bank, " \
      "line by line") \
    P(U32, low_bank_bit, 8, 7, 12, "bits", REF_SUB, \
      "where the reference's address mapping has the lowest bank bit, what chooses the channel left out") \
    P(U32, interleave_lines, 1, 1, 64, "lines", "assumed", "neighbouring lines that go to one bank") \
    P(U32, mshrs, 32, 1, 1024, "entries", "THESIS Tab. 3.1", "miss status holding registers of a bank") \
    P(U32, mshr_merge, 4, 1, 64, "requests", REF_CONFIG, "requests one MSHR can hold") \
    P(U32, access_queue, 8, 1, 4096, "entries", "THESIS Tab. 3.1", "requests waiting for the bank") \
    P(U32, miss_queue, 8, 2, 4096, "entries", "THESIS Tab. 3.1", "misses and write-backs waiting for DRAM") \
    P(U32, response_queue, 8, 1, 4096, "entries", "THESIS Tab. 3.3", "responses waiting for the crossbar") \
    P(U32, data_port_bytes, 32, 1, 256, "bytes", "THESIS Tab. 3.1", "data port of a bank, bytes a cycle") \
    P(ENUM, write_miss, 2, 0, 2, "allocate|through|fetch", "THESIS §3.2.2: GPGPU-Sim 3.2.2", \
      "a store that misses: write-back allocate, fetched unless it covers its line (or sectors); if it covers it, " \
      "written through and allocated clean; always written through and fetched") \
    P(FLAG, fill_port, 0, 0, 1, "flag", "assumed", "fills have a port of their own beside the data port") \
    P(U32, round_trip_cycles, 120, 0, 10000, "core cycles", "THESIS 2.2.2", \
      "uncongested L1 miss to data for an L2 hit; 0 = what the parts add up to") \
    P(U32, added_cycles, 0, 0, 10000, "core cycles", REF_CONFIG, \
      "delay added in front of the bank (gpgpu_l2_rop_latency)") \
    P(FLAG, merge_touches, 0, 0, 1, "flag", "reference simulator (Accel-Sim), tag array", \
      "a request that merges into a pending miss makes its line the most recent") \
    P(ENUM, placed_writes, 0, 0, 1, "lost|line", "assumed", \
      "where sectors have places of their own (tsc, dsc): of a line that loses dirty sectors these are written back, " \
      "or all its dirty sectors, of which the others stay, clean") \
    TSC_SET_PARAMS(P) \
    TSC_L2_MODE_PARAMS(P) \
    DSC_PARAMS(P) \
    ELASTIC_SET_PARAMS(P) \
    ELASTIC_WALK_PARAMS(P)

#define DRAM_PARAMS(P) \
    P(ENUM, part, 0, 0, 3, "none|hbm2|gddr6|gddr6_pc", "config/dram_parts.c", \
      "DRAM part whose timing, banks and clock are set at once, before what else is said of them (`poise configs " \
      "--parts`)") \
    P(U32, channels, 6, 1, 64, "channels", "THESIS Tab. 5.1", "memory partitions") \
    P(U32, queue, 16, 1, 256, "entries", "THESIS Tab. 3.3", "FR-FCFS scheduler queue of a channel") \
    P(U32, banks, 16, 1, 64, "banks", "THESIS Tab. 3.1", "banks of a channel, those of all its pseudo-channels") \
    P(ENUM, bank_index, 0, 0, 2, "linear|xor|ipoly", REF_DRAM, \
      "bank of an address: its bank bits; XOR of these and the row; the remainder of both by an irreducible " \
      "polynomial") \
    P(U32, bank_bit, 13, 8, 20, "bits", REF_DRAM, \
      "where the reference's address mapping has the other bank bits; rows lie above them") \
    P(U32, row_bytes, 4096, 128, 65536, "bytes", "assumed", "open row of a channel (both chips)") \
    P(U32, pseudo_channels, 1, 1, 4, "pseudo-channels", "JESD235 (HBM2), JESD250 (GDDR6)", \
      "of a channel: each has its share of the banks and a data bus, they share the commands (1, 2 or 4); banks take " \
      "turns by the low bits of their numbers") \
    P(U32, bus_bytes, 8, 1, 64, "bytes", "THESIS Tab. 3.1", \
      "data bus of a channel, or of each pseudo-channel: 2 chips of 32 bits") \
    P(U32, burst, 8, 1, 64, "transfers", "THESIS Tab. 3.1", "burst length") \
    P(U32, tCCD, 2, 1, 1000, "cycles", "THESIS Tab. 3.1", "column to column: one burst on the bus") \
    P(U32, tRRD, 6, 1, 1000, "cycles", "THESIS Tab. 3.1", "activate to activate, other bank") \
    P(U32, tRCD, 12, 1, 1000, "cycles", "THESIS Tab. 3.1", "activate to column") \
    P(U32, tRAS, 28, 1, 1000, "cycles", "THESIS Tab. 3.1", "activate to precharge") \
    P(U32, tRP, 12, 1, 1000, "cycles", "THESIS Tab. 3.1", "precharge to activate") \
    P(U32, tRC, 40, 1, 1000, "cycles", "THESIS Tab. 3.1", "activate to activate, same bank") \
    P(U32, tCL, 12, 1, 1000, "cycles", "THESIS Tab. 3.1", "read command to data") \
    P(U32, tWL, 4, 1, 1000, "cycles", "THESIS Tab. 3.1", "write command to data") \
    P(U32, tCDLR, 5, 1, 1000, "cycles", "THESIS Tab. 3.1", "end of write data to read command") \
    P(U32, tWR, 12, 1, 1000, "cycles", "THESIS Tab. 3.1", "end of write data to precharge") \
    P(U32, bank_groups, 1, 1, 16, "groups", REF_CONFIG, \
      "bank groups of a channel, or of each pseudo-channel; with more than one tCCDL, tRRDL and tWTRL apply within a " \
      "group") \
    P(ENUM, group_index, 0, 0, 1, "low|high", REF_DRAM, \
      "bank group of a bank: low or high bits of its number (dram_bnkgrp_indexing_policy 1 or 0; GPGPU-Sim 3.2.2 " \
      "knows high alone)") \
    P(U32, tCCDL, 2, 1, 1000, "cycles", REF_CONFIG, "column to column, same bank group") \
    P(U32, tRTPL, 0, 0, 1000, "cycles", REF_CONFIG, "read to precharge") \
    P(U32, extra_cycles, 100, 0, 10000, "core cycles", "THESIS 2.2.2", \
      "uncongested DRAM latency over an L2 hit, closed row; 0 = what the parts add up to") \
    P(U32, added_cycles, 0, 0, 10000, "core cycles", REF_CONFIG, "delay added in front of DRAM (dram_latency)") \
    P(U32, tRTW, 0, 0, 1000, "cycles", REF_DRAM, "read command to write command; 0: what keeps their data apart") \
    P(U32, tRCDWR, 0, 0, 1000, "cycles", REF_DRAM, "activate to write command; 0: tRCD") \
    P(U32, outstanding, 0, 0, 4096, "requests", REF_DRAM, \
      "requests of a channel, those among them that wait for added_cycles in front of the queue, where none comes in " \
      "while it is full; 0: they wait in the queue") \
    P(U32, tRRDL, 0, 0, 1000, "cycles", REF_TABLE, "activate to activate, same bank group; 0: tRRD") \
    P(U32, tWTRL, 0, 0, 1000, "cycles", REF_TABLE, "end of write data to read command, same bank group; 0: tCDLR") \
    P(U32, tFAW, 0, 0, 1000, "cycles", REF_TABLE, \
      "an activate to the fourth after it, of a pseudo-channel; 0: no such rule") \
    P(U32, tREFI, 0, 0, 10000000, "cycles", REF_TABLE, \
      "a refresh of all banks, or of the same bank, to the next; 0: DRAM is never refreshed") \
    P(U32, tRFC, 0, 0, 100000, "cycles", REF_TABLE, "refresh to activate; needs tREFI") \
    P(ENUM, refresh, 0, 0, 1, "all|bank", REF_TABLE, \
      "what a refresh is of: all banks of a pseudo-channel, or one after another") \
    P(U32, tRREFD, 0, 0, 1000, "cycles", REF_TABLE, \
      "refresh of a bank to an activate or a refresh of another; with refresh=bank") \
    P(FLAG, paired_commands, 0, 0, 1, "flag", REF_DRAM, \
      "a row command goes out beside a column command whose bank comes later in turn, and one free bank a cycle " \
      "takes its next request") \
    P(FLAG, early_room, 0, 0, 1, "flag", REF_DRAM, \
      "what waits for added_cycles takes a request as soon as the queue has room, before what is in it enters " \
      "there; needs outstanding") \
    P(FLAG, dual_bus, 0, 0, 1, "flag", REF_DRAM, \
      "row commands have a bus of their own: any bank's goes out beside a column command; needs paired_commands") \
    P(U32, write_queue, 0, 0, 1024, "entries", REF_DRAM, \
      "scheduler queue of writes alone; 0: they stand in the queue of reads") \
    P(U32, write_high, 0, 0, 1024, "entries", REF_DRAM, \
      "writes in their queue from which on they are served, in place of reads,") \
    P(U32, write_low, 0, 0, 1024, "entries", REF_DRAM, "until fewer than these are left")

/* Idealised memories, for limit studies. */
#define IDEAL_PARAMS(P) \
    P(ENUM, memory, 0, 0, 3, "none|infinite|dram|fixed", "THESIS 3.3", \
      "infinite: L2 and DRAM latencies, no queues (P_inf); dram: DRAM of infinite bandwidth (P_dram); fixed: every " \
      "L1 miss takes latency_cycles") \
    P(U32, latency_cycles, 0, 0, 100000, "core cycles", "THESIS Fig. 3.2", \
      "fixed: L1 miss to data; 0 is perfect memory behind L1") \
    P(FLAG, perfect_l1, 0, 0, 1, "flag", "MECHANISMS 'Bandwidth bottlenecks'", "every L1 load hits at once (PerfX)")
enum { IDEAL_NONE, IDEAL_INFINITE, IDEAL_DRAM, IDEAL_FIXED };

/* CPU cores that share L2, the last-level cache, and DRAM with the SMs (sim/cpu). No configuration's text names this
 * group where there are none. */
#define CPU_PARAMS(P) \
    P(U32, cores, 0, 0, 8, "cores", "TECHNIQUES 5.1.3", "CPU cores at ports of the crossbar behind those of the SMs") \
    P(U32, mhz, 3500, 1, 100000, "MHz", "assumed", "clock of a CPU core") \
    P(U32, width, 4, 1, 16, "instructions", "assumed", "dispatched and retired a cycle") \
    P(U32, window, 128, 8, 1024, "instructions", "assumed", "reorder buffer: dispatched and not yet retired") \
    P(U32, l1_bytes, 32768, 1024, 1048576, "bytes", "assumed", "private L1 data cache, lines of 64 bytes") \
    P(U32, l1_ways, 8, 1, 64, "ways", "assumed", "associativity of the private L1") \
    P(U32, l1_latency, 4, 1, 1000, "CPU cycles", "assumed", "load that hits in the private L1") \
    P(U32, l2_bytes, 262144, 1024, 16777216, "bytes", "assumed", "private L2") \
    P(U32, l2_ways, 8, 1, 64, "ways", "assumed", "associativity of the private L2") \
    P(U32, l2_latency, 12, 1, 1000, "CPU cycles", "assumed", "load that hits in the private L2") \
    P(U32, mshrs, 16, 1, 64, "lines", "assumed", "lines on their way from the last-level cache") \
    P(U32, chain, 4, 0, 1000, "loads", "assumed", \
      "every so-many-th load needs the data of the load before it; 0: none does") \
    P(U32, miss_queue, 8, 2, 1024, "packets", "assumed", "requests and write-backs that wait for the crossbar") \
    P(U32, reply_queue, 8, 1, 4096, "packets", "assumed", "packets a core can hold at its reply port") \
    P(U32, llc_port_bytes, 0, 0, 1024, "bytes", "assumed", \
      "flits of ports of their own that CPU cores have at every bank of the last-level cache, with queues of their " \
      "own; 0: their packets go through the SMs' ports and queues") \
    P(U32, llc_round_trip_cycles, 0, 0, 10000, "CPU cycles", "assumed", \
      "with ports of their own: uncongested miss of the private L2 to data for a hit of the last-level cache; 0 = " \
      "what the parts add up to")

/* What energy is worked out for (sim/energy); a run's cycles do not depend on it, and its key does not name it. No
 * configuration's text has what is left at its default. */
#define ENERGY_PARAMS(P) \
    P(U32, node_nm, 0, 0, 250, "nm", "THESIS 3.7.3; Volta architecture white paper (2017)", \
      "process; 0: 40, or 12 where SMs have sub-cores") \
    P(ENUM, memory, 0, 0, 3, "by_burst|gddr5|gddr6|hbm2", "JESD212, JESD250, JESD235", \
      "DRAM: by its burst of 8 (GDDR5), 16 (GDDR6), or 2 and 4 transfers (HBM2); or this one") \
    P(F64, constant_w, 0, 0, 1000, "W", "assumed", "board power that depends on nothing; 0: what the model has")
enum { MEMORY_BY_BURST, MEMORY_GDDR5, MEMORY_GDDR6, MEMORY_HBM2 };

/* group, its name in YAML */
/* clang-format off */
#define PARAM_GROUPS(G) G(clock, CLOCK_PARAMS) G(core, CORE_PARAMS) G(fetch, FETCH_PARAMS) G(lsu, LSU_PARAMS) \
    G(l1, L1_PARAMS) G(xbar, XBAR_PARAMS) \
    G(l2, L2_PARAMS) G(dram, DRAM_PARAMS) G(ideal, IDEAL_PARAMS) G(cpu, CPU_PARAMS) \
    G(energy, ENERGY_PARAMS) G(sass, SASS_PARAMS)
/* clang-format on */

#define G(group, ROWS) PARAM_STRUCT(group##_params, ROWS);
PARAM_GROUPS(G)
#undef G

struct gpu_params {
    char name[64];
#define G(group, ROWS) struct group##_params group;
    PARAM_GROUPS(G)
#undef G
};

/* CPU cores have ports of their own at the banks of L2. */
static inline bool cpus_have_ports(const struct gpu_params *p) { return p->cpu.cores && p->cpu.llc_port_bytes; }
/* Lines of a set of L1; of an array that it shares with shared memory, what the CTAs of an SM leave. [CUDA C++
 * Programming Guide, compute capabilities 7.0, 7.5 and 8.6; ELASTIC §2] */
uint32_t l1_ways(const struct l1_params *p, uint32_t shared_bytes);
enum { L1_PLAIN, L1_SECTORED, L1_LAMAR, L1_TSC, L1_DSC, L1_ELASTIC, L1_OF_PLUGINS /* and further values */ };
/* One whose organisation gives each chunk a place of its own. */
static inline bool l1_is_placed(const struct l1_params *p)
{
    return p->organisation < L1_OF_PLUGINS ? p->organisation >= L1_TSC
                                           : plugins_places_chunks(p->organisation - L1_OF_PLUGINS);
}
/* One that fetches more or less of a line by what it has seen of it. */
static inline bool l1_predicts(const struct l1_params *p) { return p->organisation == L1_LAMAR && p->lamar_fetch; }
static inline uint32_t l2_line_bytes(const struct gpu_params *p)
{
    return p->l2.line_bytes ? p->l2.line_bytes : p->l1.line_bytes;
}
/* Lines of L1 in one of L2; 1 if L1's are as large, or larger. */
static inline uint32_t l1_lines_of_l2(const struct gpu_params *p)
{
    return l2_line_bytes(p) > p->l1.line_bytes ? l2_line_bytes(p) / p->l1.line_bytes : 1;
}
/* What one request to L2 asks for lies in a line of both. */
static inline uint32_t send_bytes(const struct gpu_params *p)
{
    return p->l1.line_bytes < l2_line_bytes(p) ? p->l1.line_bytes : l2_line_bytes(p);
}
/* What line requests say of the bytes that they touch, for all who make and read them. The four bits of a request are
 * sectors of 32 bytes. They do not say it where L1's chunks are smaller than a sector, or where a line has more than
 * four: there the plan keeps a mask beside each request, in chunks of so many bytes, and the four bits are 0. */
static inline uint32_t plan_chunk_bytes(const struct gpu_params *p)
{
    return p->l1.chunk_bytes < 32 ? p->l1.chunk_bytes : 32;
}
static inline bool plan_names_chunks(const struct gpu_params *p)
{
    return plan_chunk_bytes(p) < 32 || p->l1.line_bytes > 4 * 32;
}
/* Of such an L1 messages do not say what it stores (cache/l1_chunked.h). */
static inline bool l1_is_chunked(const struct gpu_params *p)
{
    return p->l1.chunk_bytes != 32 || p->l1.line_bytes != l2_line_bytes(p) || l1_is_placed(&p->l1) ||
           l1_predicts(&p->l1);
}
/* Requests that one miss of L1 may send. */
static inline uint32_t l1_most_requests(const struct gpu_params *p)
{
    return p->l1.organisation == L1_ELASTIC ? p->l1.line_bytes / p->l1.chunk_bytes : p->l1.line_bytes / send_bytes(p);
}
enum { L1_CHUNKED_MSHRS = 1 << 11 };
/* An idealised memory that answers SMs at once, as many replies a cycle as there are. */
static inline bool memory_answers_at_once(const struct gpu_params *p)
{
    return p->ideal.memory == IDEAL_INFINITE || p->ideal.memory == IDEAL_FIXED;
}

/* l2.bank_index: plan/address.h explains them */
enum { LINEAR_BANKS, HASHED_BANKS, CHUNKED_BANKS, ADDRESSED_BANKS, IPOLY_BANKS, RANDOM_BANKS };
enum { TSC_GROUPS_FIRST, TSC_MATCHING_FIRST, TSC_ANYWHERE };
enum { TSC_RESET_ALL, TSC_RESET_OTHERS };
enum { TSC_FINE, TSC_COARSE, TSC_DUEL, TSC_TOLD };
enum { TSC_WAITS_LINE, TSC_WAITS_ASKED };
enum { TSC_SAMPLES_REQUESTS, TSC_SAMPLES_MISSES };
enum { ELASTIC_ALL_LINES, ELASTIC_ONE_LINE, ELASTIC_INVALID_FIRST };
enum { ELASTIC_HOME, ELASTIC_LOWEST };
enum { ELASTIC_APART, ELASTIC_TOGETHER };
enum { ELASTIC_WALK_BESIDE, ELASTIC_WALK_HOLDS };
enum { L2_PLAIN, L2_SECTORED, L2_TSC, L2_DSC, L2_ELASTIC, L2_OF_PLUGINS };
enum { PLACED_WRITES_LOST, PLACED_WRITES_LINE };
/* Ways of L2 that hold lines of their own: the others hold the copies of another partition. [l2.copies] */
static inline uint32_t l2_own_ways(const struct gpu_params *p)
{
    const uint32_t copies = p->l2.organisation <= L2_SECTORED ? p->l2.copies : 1;
    return p->l2.ways > copies ? p->l2.ways / copies : 1;
}
/* An L2 that asks DRAM for sectors, not for lines. */
static inline bool l2_is_sectored(const struct gpu_params *p)
{
    return p->l2.organisation < L2_OF_PLUGINS ? p->l2.organisation != L2_PLAIN
                                              : plugins_is_sectored(p->l2.organisation - L2_OF_PLUGINS);
}
/* One whose organisation gives each sector a place of its own (cache/l2_placed.h). */
static inline bool l2_is_placed(const struct gpu_params *p)
{
    return p->l2.organisation < L2_OF_PLUGINS ? p->l2.organisation >= L2_TSC
                                              : plugins_places_chunks(p->l2.organisation - L2_OF_PLUGINS);
}
enum { WRITE_EVICT_L1, WRITE_THROUGH_L1 };
enum { LOCAL_THROUGH, LOCAL_BACK, LOCAL_ALLOCATE };
enum { WRITE_ALLOCATE, WRITE_THROUGH, WRITE_FETCH };
enum { WRITE_AROUND_L1, WRITE_ALLOCATE_L1 };
enum { SHARED_VOLTA, SHARED_TURING, SHARED_AMPERE };
enum { DRAM_BANK_LINEAR, DRAM_BANK_XOR, DRAM_BANK_IPOLY };
enum { GROUP_OF_LOW_BITS, GROUP_OF_HIGH_BITS };
enum { REFRESH_ALL, REFRESH_BANK };
enum { SCHEDULE_GTO, SCHEDULE_LRR, SCHEDULE_TWO_LEVEL };
/* Port cycles of a packet: one at least, as one without payload takes its ports even where headers travel beside the
 * data (header_bytes 0). */
static inline uint8_t packet_flits(const struct xbar_params *xbar, uint32_t bytes, uint32_t flit_bytes)
{
    const uint32_t flits = (bytes + flit_bytes - 1) / flit_bytes;
    return (uint8_t)(xbar->whole_packets || !flits ? 1 : flits);
}
/* Latency and initiation interval of an operation class. */
struct class_timing {
    uint16_t latency, interval;
};
void core_class_timing(const struct core_params *core, struct class_timing timing[TRACE_N_CLASSES]);
/* CTAs and warps of this launch that one SM can hold, and needs to hold for its share of the grid. */
struct occupancy core_occupancy(const struct core_params *core, const struct trace_launch *launch);
static inline bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }
/* Part of gpu_params_check (params_dram.c). */
int params_check_dram(const struct gpu_params *p, struct error *err);
#endif
