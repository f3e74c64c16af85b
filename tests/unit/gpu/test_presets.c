/* What the machines of the papers are, where presets differ from each other: each fact with its source. */
#include "units.h"
#include "where.h"

/* In place of what was loaded before. */
static void load(const char *preset)
{
    gpu_params_free(params);
    params = gpu_params_new();
    assert_ok(gpu_params_load(params, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
}

/* internal_speedup is 1 in GPGPU-Sim 3.2.2's network file of the GTX 480, which the theses and papers of Fermi and
 * Kepler use; 2 in Accel-Sim's of newer cards; a crossbar that moves whole packets has none. */
static void the_switch_moves_one_flit_a_port_and_cycle(void **state)
{
    static const char *const ones[] = {
        "kepler32",
        "kepler16",
        "kepler32-linear",
        "kepler32-x4l1",
        "fermi15",
        "fermi15-hash",
        "fermi15-tsc",
        "accelsim32",
        "thesis-ch3",
        "thesis-ch3-l1",
        "thesis-ch3-l2",
        "thesis-ch3-dram",
        "thesis-ch3-l1-l2",
        "thesis-ch3-l2-dram",
        "thesis-ch3-all",
        "thesis-ch3-crossbar-16+48",
        "thesis-ch3-16+48",
        "thesis-ch3-16+68",
        "thesis-ch3-32+52",
        "apu6",
        "apu-llc",
        "volta80",
        "titanv",
        "titanx"}; /* of the last, whose packets are of one flit: they would gain nothing from two */
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ones); i++) {
        load(ones[i]);
        if (params->xbar.speedup != 1) fail_msg("%s: xbar.speedup is %u", ones[i], params->xbar.speedup);
    }
}

/* A hash is Fermi's wherever a paper's Fermi or Kepler hashes: [THESIS Tab. 5.1] L1, [TSC Tab. 2] L1, [BUCL §V] L1 and
 * L2. */
static void fermi_and_kepler_hash_sets_as_fermi_does_and_only_where_the_papers_say(void **state)
{
    static const struct {
        const char *preset;
        uint32_t l1, l2, banks;
    } rows[] = {{"kepler32", FERMI_INDEX, LINEAR_INDEX, HASHED_BANKS},
                {"kepler16", FERMI_INDEX, LINEAR_INDEX, HASHED_BANKS},
                {"kepler32-linear", LINEAR_INDEX, LINEAR_INDEX, HASHED_BANKS},
                {"kepler32-x4l1", LINEAR_INDEX, LINEAR_INDEX, HASHED_BANKS},
                {"fermi15", LINEAR_INDEX, LINEAR_INDEX, LINEAR_BANKS},
                {"thesis-ch3-all", LINEAR_INDEX, LINEAR_INDEX, LINEAR_BANKS},
                {"fermi15-hash", FERMI_INDEX, FERMI_INDEX, LINEAR_BANKS},
                {"fermi15-tsc", FERMI_INDEX, LINEAR_INDEX, LINEAR_BANKS},
                {"apu6", LINEAR_INDEX, LINEAR_INDEX, HASHED_BANKS},
                {"apu-llc", LINEAR_INDEX, LINEAR_INDEX, HASHED_BANKS}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        load(rows[i].preset);
        if (params->l1.set_index != rows[i].l1)
            fail_msg("%s: l1.set_index is %u", rows[i].preset, params->l1.set_index);
        if (params->l2.set_index != rows[i].l2)
            fail_msg("%s: l2.set_index is %u", rows[i].preset, params->l2.set_index);
        if (params->l2.bank_index != rows[i].banks)
            fail_msg("%s: l2.bank_index is %u", rows[i].preset, params->l2.bank_index);
    }
}

/* Options that Fermi's card file has and the thesis's text does not: [THESIS §3.4.2] has fills contend for the data
 * port. */
static void fills_share_the_data_port_and_bank_groups_are_off_by_default(void **state)
{
    static const char *const presets[] = {"kepler32", "fermi15", "fermi15-hash", "fermi15-tsc"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(presets); i++) {
        load(presets[i]);
        assert_false(params->l2.fill_port);
        assert_int_equal(1, params->dram.bank_groups);
    }
}

/* JESD235: 3.9 us from a refresh of all banks to the next, 260 ns each (DRAMsim3, HBM2_8Gb_x128), in whole cycles of
 * the machine's DRAM. The machine as its source has it is never refreshed: a gpgpusim.config has no refresh. */
static void volta80_refreshes_hbm2_at_its_dram_clock_and_volta80_ptx_never(void **state)
{
    (void)state;
    load("volta80-ptx");
    assert_int_equal(0, params->dram.tREFI);
    assert_int_equal(0, params->dram.tRFC);
    load("volta80");
    assert_int_equal(3900 * params->clock.dram_mhz / 1000, params->dram.tREFI);
    assert_int_equal((260 * params->clock.dram_mhz + 999) / 1000, params->dram.tRFC);
    assert_int_equal(REFRESH_ALL, params->dram.refresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_switch_moves_one_flit_a_port_and_cycle),
        T(fermi_and_kepler_hash_sets_as_fermi_does_and_only_where_the_papers_say),
        T(fills_share_the_data_port_and_bank_groups_are_off_by_default),
        T(volta80_refreshes_hbm2_at_its_dram_clock_and_volta80_ptx_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
