/* What parameters of DRAM go together. */
#include "config/params.h"
#include "poise/error.h"

static uint32_t next_power(uint32_t n)
{
    uint32_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static int check_refresh(const struct dram_params *d, struct error *err)
{
    const uint32_t pseudo = d->pseudo_channels, least = d->tRFC + 2 * (d->tRC + d->tWL + d->tCCD + d->tWR);
    if (!is_power_of_two(pseudo) || d->banks % pseudo)
        return error_set(err, ERR_INPUT,
                         "dram.pseudo_channels = %u: a power of two is needed that divides dram.banks = %u", pseudo,
                         d->banks);
    if (!d->tREFI != !d->tRFC)
        return error_set(err, ERR_INPUT, "dram.tREFI = %u and dram.tRFC = %u: a refresh needs both", d->tREFI, d->tRFC);
    if (d->tREFI && d->tREFI < least)
        return error_set(err, ERR_INPUT,
                         "dram.tREFI = %u: refreshes of dram.tRFC = %u leave requests no time; at least %u is needed",
                         d->tREFI, d->tRFC, least);
    if (d->tREFI && d->refresh == REFRESH_BANK && d->tREFI / (d->banks / pseudo) <= d->tRREFD + d->tRRD)
        return error_set(err, ERR_INPUT,
                         "dram.tREFI = %u: of each of %u banks in turn, refreshes would come closer than dram.tRREFD = "
                         "%u and dram.tRRD = %u allow",
                         d->tREFI, d->banks / pseudo, d->tRREFD, d->tRRD);
    return 0;
}

int params_check_dram(const struct gpu_params *p, struct error *err)
{
    const struct dram_params *d = &p->dram;
    const uint32_t a_channel = p->l2.banks / d->channels, slices = next_power(d->channels) * a_channel;
    if (p->l2.bank_index == IPOLY_BANKS && !is_power_of_two(a_channel))
        return error_set(err, ERR_INPUT,
                         "l2.banks = %u over %u channels: l2.bank_index=ipoly needs a power of two a channel",
                         p->l2.banks, d->channels);
    if (p->l2.bank_index == IPOLY_BANKS && slices > IPOLY_MOST)
        return error_set(err, ERR_INPUT, "l2.banks = %u: l2.bank_index=ipoly reaches to %d banks", p->l2.banks,
                         IPOLY_MOST);
    if (d->bank_index && (!is_power_of_two(d->banks) || p->l2.bank_index < CHUNKED_BANKS))
        return error_set(
            err, ERR_INPUT,
            "dram.bank_index: needs a power of two of dram.banks, and l2.bank_index=chunked or one after it");
    if ((d->dual_bus || d->write_queue) && !d->paired_commands)
        return error_set(err, ERR_INPUT, "dram.dual_bus and dram.write_queue need dram.paired_commands");
    if (check_refresh(d, err) < 0) return -1;
    if (d->write_queue &&
        (d->write_high > d->write_queue || d->write_low > d->write_high || !d->write_high || !d->write_low))
        return error_set(
            err, ERR_INPUT,
            "dram.write_queue = %u: write_low = %u to write_high = %u must lie between 1 and it, in this order",
            d->write_queue, d->write_low, d->write_high);
    return 0;
}
