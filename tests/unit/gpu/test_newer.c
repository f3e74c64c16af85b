/* What newer GPUs have that older ones do not: sub-cores, several fetches a cycle, two instructions of a warp at a
 * time, a request a sector, L1 that stores take lines of or that global memory goes around, hashed L2 slices, and DRAM
 * with a row bus and a queue of writes. */
#include "plan/address.h"
#include "poise/accelsim.h"
#include "units.h"
#include "synth.h"

#define SUB_CORES \
    "core.sub_cores=1", "core.sp_units=2", "core.sfu_units=2", "core.register_banks=8", "core.collectors=4", \
        "core.operand_cycles=0"
#define SECTORS "lsu.sector_requests=1", "l1.organisation=sectored", "l2.organisation=sectored", "l1.mshr_merge=32"
#define PAIRED "dram.tRTW=12", "dram.tRCDWR=7", "dram.outstanding=60", "dram.added_cycles=50", "dram.paired_commands=1"

static double run(struct trace *trace, const char *const *set, const char *name)
{
    char *json = synth_run_both(trace, (struct synth_run){.set = set});
    const double value = synth_value(json, name);
    free(json);
    trace_close(trace);
    return value;
}

/* `n` adds of each of `warps` warps, each waiting for its register's last. */
static struct trace *adds(uint32_t warps, uint32_t n)
{
    struct synth s;
    const uint32_t ctas = warps > 20 ? 2 : 1;
    synth_begin(&s, ctas, warps / ctas);
    for (uint32_t c = 0; c < ctas; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < warps / ctas; w++) {
            for (uint32_t i = 0; i < n; i++) synth_op(&s, w, SYNTH_ADD, UINT32_MAX);
            synth_op(&s, w, SYNTH_EXIT, UINT32_MAX);
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

/* Issue, collector and read (in one cycle of two steps), register of the unit, unit, write-back: five cycles besides
 * the unit's own. */
static void a_chain_takes_its_latency_and_the_stages_of_a_sub_core(void **state)
{
    static const char *const two[] = {SUB_CORES, "core.read_steps=2", "core.int_latency=4", "core.int_interval=2",
                                      NULL};
    static const char *const one[] = {SUB_CORES, "core.read_steps=1", "core.int_latency=4", "core.int_interval=2",
                                      NULL};
    (void)state;
    assert_true(run(adds(1, 120), two, "core_cycles") - run(adds(1, 20), two, "core_cycles") == 100 * (4 + 5));
    assert_true(run(adds(1, 120), one, "core_cycles") - run(adds(1, 20), one, "core_cycles") == 100 * (4 + 6));
}

/* One warp of `n` instructions of this SASS opcode, each of which reads the result of the last. */
static struct trace *sass_chain(const char *opcode, uint32_t n)
{
    char *text = NULL;
    size_t size;
    struct trace *trace;
    struct error why = {0};
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "-kernel name = chain\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
                 "-nregs = 8\n-binary version = 86\n-cuda stream id = 0\n-shmem base_addr = 0x0\n"
                 "-local mem base_addr = 0x0\n-nvbit version = none\n-accelsim tracer version = 4\n"
                 "-enable lineinfo = 0\n\n#traces format = text\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n");
    fprintf(out, "insts = %u\n", n + 1);
    for (uint32_t i = 0; i < n; i++) fprintf(out, "0000 ffffffff 1 R2 %s 1 R2 0\n", opcode);
    fprintf(out, "0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n");
    fclose(out);
    assert_ok(accelsim_import_text(&trace, "chain.traceg", text, size, NULL, &why), &why);
    free(text);
    return trace;
}

static double cycles_of_one_more(const char *opcode, const char *const *set)
{
    return (run(sass_chain(opcode, 120), set, "core_cycles") - run(sass_chain(opcode, 20), set, "core_cycles")) / 100;
}

/* Tensor cores, uniform datapaths and texture units have pipelines of their own where a machine has them, in sub-cores
 * and without; elsewhere units that every machine has take their time. */
static void tensor_uniform_and_texture_instructions_have_units_of_their_own(void **state)
{
#define SPECIAL \
    "core.tensor_units=2", "core.tensor_latency=33", "core.uniform_units=2", "core.uniform_latency=11", \
        "core.texture_units=2", "core.texture_unit_latency=201"
#define PLAIN "core.fp_mul_latency=7", "core.int_latency=5", "core.sfu_latency=21", "fetch.ideal=1"
    static const char *const divided[] = {SUB_CORES, "core.read_steps=2", PLAIN, SPECIAL, NULL},
                             *const shared[] = {PLAIN, SPECIAL, NULL}, *const without[] = {PLAIN, NULL};
    static const struct {
        const char *opcode;
        double special, usual;
    } rows[] = {{"HMMA.16816.F32", 33, 7}, {"IMMA.16816.S8.S8", 33, 7}, {"BMMA.168256.XOR.POPC", 33, 7},
                {"DMMA.884", 33, 7},       {"UIADD3", 11, 5},           {"R2UR", 11, 5},
                {"TEX.SCR.LL", 201, 21},   {"SULD.D.BA.2D", 201, 21},   {"HFMA2.MMA", 7, 7}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(cycles_of_one_more(rows[i].opcode, divided) == rows[i].special + 5);
        assert_true(cycles_of_one_more(rows[i].opcode, shared) == rows[i].special);
        assert_true(cycles_of_one_more(rows[i].opcode, without) == rows[i].usual);
    }
}

/* A unit of its own starts one every interval, whatever the other sub-core does: eight warps of each keep it busy. */
static void a_sub_core_is_as_fast_as_its_own_unit(void **state)
{
    static const char *const set[] = {
        SUB_CORES, "core.read_steps=2", "core.int_interval=2", "core.scheduler=lrr", "fetch.warps=4", "fetch.sets=0",
        NULL};
    (void)state;
    const double cycles = run(adds(16, 120), set, "core_cycles") - run(adds(16, 20), set, "core_cycles");
    if (cycles != 100 * 8 * 2) fail_msg("%g cycles", cycles);
}

/* Without collectors enough, those that wait for their registers to be read stand in the way. */
static void collectors_are_waited_for(void **state)
{
    static const char *const few[] = {
        SUB_CORES, "core.collectors=2", "core.register_banks=2", "core.int_interval=1", "fetch.warps=4", "fetch.sets=0",
        NULL};
    static const char *const many[] = {SUB_CORES,
                                       "core.collectors=16",
                                       "core.register_banks=16",
                                       "core.int_interval=1",
                                       "fetch.warps=4",
                                       "fetch.sets=0",
                                       NULL};
    (void)state;
    assert_true(run(adds(16, 100), few, "core_cycles") >= 1.5 * run(adds(16, 100), many, "core_cycles"));
}

/* Every second warp of each sub-core adds, the others add doubles. */
static struct trace *adds_and_doubles(uint32_t n_adds, uint32_t n_doubles)
{
    struct synth s;
    synth_begin(&s, 1, 16);
    synth_cta(&s);
    for (uint32_t w = 0; w < 16; w++) {
        const bool is_double = w / 2 % 2;
        for (uint32_t i = 0; i < (is_double ? n_doubles : n_adds); i++)
            synth_op(&s, w, is_double ? SYNTH_DP : SYNTH_ADD, UINT32_MAX);
        synth_op(&s, w, SYNTH_EXIT, UINT32_MAX);
    }
    synth_cta_end(&s);
    return synth_end(&s);
}

/* What waits for a slow unit keeps its collector; where there are none, it stands in nobody's way. */
static void without_collectors_a_slow_unit_holds_up_no_other_kind(void **state)
{
    static const char *const few[] = {SUB_CORES,       "core.dp_units=2", "core.dp_interval=16",
                                      "fetch.warps=4", "fetch.sets=0",    NULL};
    static const char *const none[] = {
        SUB_CORES, "core.collectors=0", "core.dp_units=2", "core.dp_interval=16", "fetch.warps=4", "fetch.sets=0",
        NULL};
    (void)state;
    const double alone = run(adds_and_doubles(0, 50), none, "core_cycles");
    assert_true(run(adds_and_doubles(300, 50), none, "core_cycles") <= 1.02 * alone);
    assert_true(run(adds_and_doubles(300, 50), few, "core_cycles") >= 1.2 * alone);
}

static void one_fetch_a_cycle_feeds_two_instructions_a_cycle_and_more_feed_more(void **state)
{
    static const char *const one[] = {"core.sms=1", "core.schedulers=4", "core.sp_units=4", "fetch.sets=0", NULL};
    static const char *const four[] = {"core.sms=1",   "core.schedulers=4", "core.sp_units=4",
                                       "fetch.sets=0", "fetch.warps=4",     NULL};
    (void)state;
    const double slow = run(adds(40, 120), one, "core_cycles"), fast = run(adds(40, 120), four, "core_cycles");
    assert_true(slow >= 40 * 120 / 2);
    assert_true(fast <= 0.6 * slow);
    assert_true(run(adds(4, 10), one, "l1i_misses") == 0);
}

/* Adds beside independent loads of the same warp. */
static struct trace *adds_and_loads(uint32_t n)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++) {
        synth_op(&s, 0, SYNTH_ADD, UINT32_MAX);
        synth_access(&s, 0, i % 2 ? SYNTH_LOAD_4 : SYNTH_LOAD_5, 1, 1 << 20, 0);
    }
    synth_op(&s, 0, SYNTH_EXIT, UINT32_MAX);
    synth_cta_end(&s);
    return synth_end(&s);
}

static void two_instructions_of_a_warp_issue_together_to_different_units(void **state)
{
    static const char *const one[] = {"fetch.ideal=1", NULL}, *const two[] = {"fetch.ideal=1", "core.issue_width=2",
                                                                              NULL};
    (void)state;
    assert_true(run(adds_and_loads(50), one, "warp_insts") == run(adds_and_loads(50), two, "warp_insts"));
    assert_true(run(adds_and_loads(50), two, "core_cycles") < run(adds_and_loads(50), one, "core_cycles"));
    assert_true(run(adds(1, 50), two, "core_cycles") ==
                run(adds(1, 50), one, "core_cycles")); /* of one unit they go one by one */
}

/* A store of a line, and loads of it when that has long been done. */
static struct trace *store_then_load(void)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_STORE, UINT32_MAX, 1 << 20, 4);
    synth_op(&s, 0, SYNTH_FENCE, UINT32_MAX);
    synth_access(&s, 0, SYNTH_LOAD_4, UINT32_MAX, 1 << 20, 4);
    synth_op(&s, 0, SYNTH_EXIT, UINT32_MAX);
    synth_cta_end(&s);
    return synth_end(&s);
}

static void a_request_is_one_of_a_sector(void **state)
{
    static const char *const set[] = {SECTORS, "fetch.sets=0", NULL};
    (void)state;
    assert_true(run(store_then_load(), set, "line_requests") == 8);
    assert_true(run(store_then_load(), set, "l2_accesses") == 8);
    assert_true(run(store_then_load(), set, "l1d_load_accesses") == 4);
    assert_true(run(store_then_load(), set, "l1d_sector_misses") == 3);
}

static void a_store_that_takes_its_sectors_lets_loads_hit(void **state)
{
    static const char *const around[] = {SECTORS, "l1.write_hit=through", NULL}, *const takes[] = {
                                                                                     SECTORS, "l1.write_hit=through",
                                                                                     "l1.write_miss=allocate", NULL};
    (void)state;
    assert_true(run(store_then_load(), around, "l1d_load_hits") == 0);
    assert_true(run(store_then_load(), takes, "l1d_load_hits") == 4);
    assert_true(run(store_then_load(), takes, "l1d_stores") == 4);
}

static void global_memory_goes_around_l1(void **state)
{
    static const char *const set[] = {SECTORS, "l1.skip_global=1", "l1.late_lookup=1", NULL};
    (void)state;
    assert_true(run(store_then_load(), set, "l1d_load_accesses") == 0);
    assert_true(run(store_then_load(), set, "l1d_bypassed") == 4);
}

/* Two warps load the same four sectors. The second comes while the tags do not show the misses of the first yet, and
 * asks L2 again; with tags that take one cycle it waits for what is on its way. */
static struct trace *load_twice(void)
{
    struct synth s;
    synth_begin(&s, 1, 2);
    synth_cta(&s);
    for (uint32_t w = 0; w < 2; w++) {
        synth_access(&s, w, SYNTH_LOAD, UINT32_MAX, 1 << 20, 4);
        synth_op(&s, w, SYNTH_ADD, UINT32_MAX);
        synth_op(&s, w, SYNTH_EXIT, UINT32_MAX);
    }
    synth_cta_end(&s);
    return synth_end(&s);
}

static void loads_close_behind_a_miss_ask_l2_again(void **state)
{
    static const char *const never[] = {SECTORS, "l1.streaming=1", "l1.tag_cycles=1", NULL}, *const always[] = {
                                                                                                 SECTORS,
                                                                                                 "l1.streaming=1",
                                                                                                 "l1.tag_cycles=100",
                                                                                                 NULL};
    (void)state;
    assert_true(run(load_twice(), never, "l1d_asked_again") == 0);
    assert_true(run(load_twice(), always, "l2_accesses") == run(load_twice(), never, "l2_accesses") + 4);
    assert_true(run(load_twice(), always, "l1d_asked_again") == 4);
    assert_true(run(load_twice(), always, "l1d_mshr_merges") == 4);
    assert_true(run(load_twice(), always, "l1d_misses") == 4);
}

/* Sixteen bytes that all lanes share: two passes where shared memory returns registers, else one. */
static void shared_memory_returns_registers(void **state)
{
    static const char *const set[] = {"lsu.shared_registers=1", NULL};
    const uint64_t base = 0x7f0000000000ull; /* synth_access adds it */
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct synth s;
        synth_begin_operator(&s, 1, 1, (struct synth_operator){.bytes = 16});
        synth_cta(&s);
        synth_access(&s, 0, SYNTH_LOAD_OP, UINT32_MAX, TRACE_SHARED_WINDOW - base, 0);
        synth_op(&s, 0, SYNTH_EXIT, UINT32_MAX);
        synth_cta_end(&s);
        assert_true(run(synth_end(&s), k ? set : NULL, "shared_passes") == (k ? 2 : 1));
    }
}

/* Loads of two lines, then stores there. */
static struct trace *load_then_store(uint64_t at)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint64_t line = 0; line < 2; line++) synth_access(&s, 0, SYNTH_LOAD, UINT32_MAX, (1 << 20) + 4096 * line, 4);
    synth_op(&s, 0, SYNTH_ADD, UINT32_MAX);
    for (uint64_t line = 0; line < 2; line++)
        synth_access(&s, 0, SYNTH_STORE, UINT32_MAX, (1 << 20) + 4096 * line + at, 4);
    synth_op(&s, 0, SYNTH_EXIT, UINT32_MAX);
    synth_cta_end(&s);
    return synth_end(&s);
}

/* A bank may keep one overwritten line: of two, each of four sectors that are stored one by one, the first goes. Stores
 * that begin in the middle of a sector overwrite none. */
static void stores_of_whole_sectors_let_l2_clean_lines(void **state)
{
    static const char *const keeps[] = {SECTORS, "l2.banks=1", "dram.channels=1", "l2.write_miss=allocate", NULL},
                             *const cleans[] = {
                                 SECTORS, "l2.banks=1", "dram.channels=1", "l2.write_miss=allocate", "l2.clean_after=1",
                                 NULL};
    (void)state;
    assert_true(run(load_then_store(0), keeps, "l2_writebacks") == 0);
    assert_true(run(load_then_store(0), cleans, "l2_writebacks") == 1);
    assert_true(run(load_then_store(0), cleans, "dram_writes") == 2);
    assert_true(run(load_then_store(16), cleans, "l2_writebacks") == 0);
}

static void the_remainder_of_a_polynomial_spreads_every_power_of_two(void **state)
{
    (void)state;
    assert_int_equal(ipoly_index(1 << 5, 32), 5);  /* x^5 = x^2 + 1 */
    assert_int_equal(ipoly_index(1 << 6, 64), 3);  /* x^6 = x + 1 */
    assert_int_equal(ipoly_index(1 << 6, 32), 10); /* x^6 = x^3 + x */
    for (uint32_t n = 2; n <= IPOLY_MOST; n *= 2)
        for (uint32_t stride = 1; stride < 1u << 16; stride *= 2) {
            uint32_t seen[IPOLY_MOST] = {0};
            for (uint32_t i = 0; i < n; i++) seen[ipoly_index(i * stride, n)]++;
            for (uint32_t i = 0; i < n; i++) assert_int_equal(seen[i], 1);
        }
    for (uint32_t n = 1; n <= IPOLY_MOST; n *= 2) {
        const struct ipoly tables = ipoly_tables(n);
        for (uint32_t i = 0; i < 4096; i++)
            assert_int_equal(ipoly_index(i * 0x9e3779b9u, n), ipoly_look_up(&tables, i * 0x9e3779b9u));
    }
}

static uint32_t lines_of(const struct address_map *map, uint32_t bank, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t line = 0; line < n; line++) found += address_l2(map, line).bank == bank;
    return found;
}

/* Of 24 channels with two slices the hash makes 64: 16 of them come to slices that have one already. */
static void slices_that_are_no_power_of_two_are_loaded_unevenly(void **state)
{
    enum { LINES = 1 << 16 };
    (void)state;
    params->dram.channels = 24;
    params->l2.banks = 48;
    params->l2.interleave_lines = 2;
    params->l2.bank_index = IPOLY_BANKS;
    assert_ok(gpu_params_check(params, &err), &err);
    struct address_map map = address_map_of(params);
    for (uint32_t bank = 0; bank < 48; bank++) {
        const double share = lines_of(&map, bank, LINES) * 64.0 / LINES;
        if (bank < 16 ? share < 1.8 || share > 2.2 : share < 0.8 || share > 1.2)
            fail_msg("bank %u has %g / 64", bank, share);
    }
    params->l2.bank_index = RANDOM_BANKS;
    map = address_map_of(params);
    for (uint32_t bank = 0; bank < 48; bank++) {
        const double share = lines_of(&map, bank, LINES) * 48.0 / LINES;
        if (share < 0.85 || share > 1.15) fail_msg("bank %u has %g / 48", bank, share);
    }
}

/* Bits of Volta's mapping: 8, and 12 to 14, then the row; XORed with its low bits. */
static void dram_banks_are_where_the_mapping_has_them(void **state)
{
    (void)state;
    params->dram.channels = 1;
    params->l2.banks = 1;
    params->l2.interleave_lines = 2;
    params->l2.bank_index = ADDRESSED_BANKS;
    params->dram.bank_bit = 12;
    struct address_map map = address_map_of(params);
    assert_int_equal(address_dram(&map, 1 << (8 - 7), 0).bank, 1);
    assert_int_equal(address_dram(&map, 1 << (12 - 7), 0).bank, 2);
    assert_int_equal(address_dram(&map, 1 << (14 - 7), 0).bank, 8);
    assert_int_equal(address_dram(&map, 5 << (15 - 7), 0).row, 5);
    assert_int_equal(address_dram(&map, 5 << (15 - 7), 0).bank, 0);
    params->dram.bank_index = DRAM_BANK_XOR;
    map = address_map_of(params);
    assert_int_equal(address_dram(&map, 5 << (15 - 7) | 1 << (12 - 7), 0).bank, 5 ^ 2);
}

/* Writes stay in their queue while they are few. */
static void few_writes_are_left_in_their_queue(void **state)
{
    static const char *const none[] = {PAIRED, "l2.sets=1", "l2.ways=1", NULL}, *const apart[] = {PAIRED,
                                                                                                  "l2.sets=1",
                                                                                                  "l2.ways=1",
                                                                                                  "dram.write_queue=64",
                                                                                                  "dram.write_high=32",
                                                                                                  "dram.write_low=8",
                                                                                                  NULL};
    (void)state;
    const double written = run(synth_mixture(4, 4, 12, 3), none, "dram_writes"),
                 left = written - run(synth_mixture(4, 4, 12, 3), apart, "dram_writes");
    assert_true(left > 0 && left <= 6 * 32 * 2); /* of six channels, requests of two bursts */
}

/* The same bytes with cycles skipped and with every cycle ticked, whatever launch. */
static void skipping_changes_nothing_on_any_of_them(void **state)
{
    static const char *const sets[][16] = {
        {SUB_CORES, "core.read_steps=2", "fetch.warps=4", NULL},
        {SUB_CORES, "core.collectors=2", "core.branch_units=2", "core.scheduler=lrr", "fetch.sets=0",
         "lsu.pipeline_width=4", NULL},
        {SUB_CORES, SECTORS, "l1.late_lookup=1", "l1.banks=4", "l1.bank_bytes=32", NULL},
        {SECTORS, "l1.write_hit=through", "l1.write_miss=allocate", "l1.miss_queue=4", "l1.ways=1", NULL},
        {SECTORS, "l1.skip_global=1", "l1.late_lookup=1", "l1.banks=2", "core.issue_width=2", "l1.miss_queue=4", NULL},
        {"core.issue_width=2", "fetch.warps=2", NULL},
        {PAIRED, "dram.dual_bus=1", "dram.early_room=1", "dram.queue=8", NULL},
        {PAIRED, "dram.write_queue=16", "dram.write_high=12", "dram.write_low=4", "l2.sets=2", "l2.ways=2",
         "dram.dual_bus=1", NULL},
        {"l2.bank_index=ipoly", "l2.banks=12", "l2.interleave_lines=2", "l2.set_index=ipoly", "l2.sets=64",
         "dram.bank_index=xor", "dram.bank_bit=12", NULL},
        {"l2.bank_index=random", "l2.interleave_lines=2", "l2.low_bank_bit=7", "dram.bank_index=ipoly", "l2.banks=12",
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        for (uint32_t seed = 1; seed <= 3; seed++) {
            run(synth_any(6, 5, 30, seed), sets[i], "core_cycles");
            run(synth_mixture(6, 4, 6, seed), sets[i], "core_cycles");
        }
}

static void what_does_not_go_together_is_refused(void **state)
{
    static const struct {
        const char *set[4], *says;
    } rows[] = {
        {{"core.collectors=4", NULL}, "these need core.sub_cores"},
        {{"core.sub_cores=1", NULL}, "core.sfu_units = 1 is not a multiple of core.schedulers = 2"},
        {{"core.sub_cores=1", "core.sfu_units=2", NULL}, "core.sub_cores needs core.register_banks"},
        {{"dram.dual_bus=1", NULL}, "need dram.paired_commands"},
        {{"dram.paired_commands=1", "dram.write_queue=8", NULL}, "must lie between 1 and it"},
        {{"dram.bank_index=xor", NULL}, "dram.bank_index: needs"},
        {{"l2.set_index=ipoly", NULL}, "needs a power of two up to 256"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct gpu_params *p = gpu_params_new();
        struct error why = {0};
        for (size_t k = 0; rows[i].set[k]; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s", rows[i].set[k]);
            char *value = strchr(name, '=');
            *value++ = '\0';
            assert_ok(gpu_params_set(p, name, value, &why), &why);
        }
        assert_int_equal(gpu_params_check(p, &why), -1);
        if (!strstr(why.text, rows[i].says)) fail_msg("%s", why.text);
        gpu_params_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_latency_and_the_stages_of_a_sub_core),
        cmocka_unit_test(tensor_uniform_and_texture_instructions_have_units_of_their_own),
        cmocka_unit_test(a_sub_core_is_as_fast_as_its_own_unit),
        cmocka_unit_test(collectors_are_waited_for),
        cmocka_unit_test(without_collectors_a_slow_unit_holds_up_no_other_kind),
        cmocka_unit_test(one_fetch_a_cycle_feeds_two_instructions_a_cycle_and_more_feed_more),
        cmocka_unit_test(two_instructions_of_a_warp_issue_together_to_different_units),
        cmocka_unit_test(a_request_is_one_of_a_sector),
        cmocka_unit_test(a_store_that_takes_its_sectors_lets_loads_hit),
        cmocka_unit_test(global_memory_goes_around_l1),
        cmocka_unit_test(loads_close_behind_a_miss_ask_l2_again),
        cmocka_unit_test(shared_memory_returns_registers),
        cmocka_unit_test(stores_of_whole_sectors_let_l2_clean_lines),
        cmocka_unit_test(the_remainder_of_a_polynomial_spreads_every_power_of_two),
        cmocka_unit_test_setup_teardown(slices_that_are_no_power_of_two_are_loaded_unevenly, setup, teardown),
        cmocka_unit_test_setup_teardown(dram_banks_are_where_the_mapping_has_them, setup, teardown),
        cmocka_unit_test(few_writes_are_left_in_their_queue),
        cmocka_unit_test(skipping_changes_nothing_on_any_of_them),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
