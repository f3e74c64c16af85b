/* DRAM of gpgpusim.config: timing, queues, addresses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config/config_gpgpusim.h"

/* "entries:high:low" */
int map_write_queue(struct importing *im, const struct mapping *row, const char *value)
{
    double v[LIST_MAX];
    (void)row;
    FAIL_IF(numbers(im, value, v, 3));
    const bool is_used = option_number(im, "dram_seperate_write_queue_enable", 0) == 1;
    FAIL_IF(put(im, "dram.write_queue", is_used ? v[0] : 0));
    FAIL_IF(put(im, "dram.write_high", is_used ? v[1] : 0));
    return put(im, "dram.write_low", is_used ? v[2] : 0);
}

int map_dram_banks(struct importing *im, const struct mapping *row, const char *value)
{
    static const char *const names[] = {"linear", "xor", "ipoly"};
    (void)row;
    if (strlen(value) == 1 && value[0] >= '0' && value[0] <= '2')
        return put_text(im, "dram.bank_index", names[value[0] - '0']);
    FAIL_IF(refuse_beyond(im, value, 3));
    remark(im, "index %s of banks has no equivalent: linear", value);
    return 0;
}

int map_dram_latency(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(put_text(im, "dram.added_cycles", value));
    return put(im, "dram.extra_cycles", 0);
}

/* An older simulator has no such option, and takes high bits. */
int map_group_index(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(refuse_beyond(im, value, 1));
    return put_text(im, "dram.group_index", strcmp(value, "1") == 0 ? "low" : "high");
}

int map_bus(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row, (void)value;
    return put(im, "dram.bus_bytes",
               option_number(im, "gpgpu_n_mem_per_ctrlr", 1) * option_number(im, "gpgpu_dram_buswidth", 4));
}

/* What a channel has in its delay, its scheduler, its banks and its return queue is limited by credits. */
int map_dram_queue(struct importing *im, const struct mapping *row, const char *value)
{
    double sizes[LIST_MAX] = {0};
    if (option_number(im, "dram_seperate_write_queue_enable", 0) == 1)
        FAIL_IF(numbers(im, option_value(im, "dram_write_queue_size", "32:28:16"), sizes, 3));
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
int map_addresses(struct importing *im, const struct mapping *row, const char *value)
{
    unsigned chunk = 0, columns = 0, offset = 0, banks = 0;
    (void)row;
    const char *map = strchr(value, ';');
    const char *bits = map ? map + 1 : value;
    if (*value && bits[strspn(bits, "DBRCS01X.|")])
        return refuse(im, "'%c' is no bit of an address", bits[strspn(bits, "DBRCS01X.|")]);
    size_t n_bits = 0;
    for (const char *c = bits; *c; c++) n_bits += *c != '.' && *c != '|';
    if (*value && n_bits != 64) return refuse(im, "%zu bits of an address, and it has 64", n_bits);
    if (map && strncmp(value, "dramid@", 7) != 0) return refuse(im, "'dramid@N' is needed in front of the ';'");
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

/* nbk=16:CCD=2:... or the older form of 14 numbers in this order; the last three may be missing. */
int map_timing(struct importing *im, const struct mapping *row, const char *value)
{
    static const struct {
        const char *key, *parameter, *otherwise;
    } keys[] = {{"nbk", "dram.banks", NULL},  {"CCD", "dram.tCCD", NULL}, {"RRD", "dram.tRRD", NULL},
                {"RCD", "dram.tRCD", NULL},   {"RAS", "dram.tRAS", NULL}, {"RP", "dram.tRP", NULL},
                {"RC", "dram.tRC", NULL},     {"CL", "dram.tCL", NULL},   {"WL", "dram.tWL", NULL},
                {"CDLR", "dram.tCDLR", NULL}, {"WR", "dram.tWR", NULL},   {"nbkgrp", "dram.bank_groups", "1"},
                {"CCDL", "dram.tCCDL", "1"},  {"RTPL", "dram.tRTPL", "0"}};
    char text[VALUE_MAX], *rest = NULL;
    bool is_given[COUNT_OF(keys)] = {false};
    size_t position = 0;
    (void)row;
    snprintf(text, sizeof text, "%s", value);
    for (char *part = strtok_r(text, ": ", &rest); part; part = strtok_r(NULL, ": ", &rest), position++) {
        char *equals = strchr(part, '=');
        size_t k = 0;
        if (equals) *equals = '\0';
        while (k < COUNT_OF(keys) && (equals ? strcmp(keys[k].key, part) != 0 : k != position)) k++;
        if (k == COUNT_OF(keys)) return refuse(im, "'%s' is none of the timings there: nbk, CCD, RRD, .. RTPL", part);
        if (is_given[k]) return refuse(im, "%s is given twice", keys[k].key);
        const char *cycles = equals ? equals + 1 : part;
        const bool is_none = strcmp(keys[k].key, "CCDL") == 0 && strcmp(cycles, "0") == 0; /* of one group */
        FAIL_IF(put_text(im, keys[k].parameter, is_none ? "1" : cycles));
        is_given[k] = true;
    }
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        if (is_given[k]) continue;
        if (!keys[k].otherwise) return refuse(im, "%s is missing", keys[k].key);
        FAIL_IF(put_text(im, keys[k].parameter, keys[k].otherwise));
    }
    const struct dram_params *d = &im->params->dram;
    const double burst =
        option_number(im, "gpgpu_dram_burst_length", 4) / fmax(1, option_number(im, "dram_data_command_freq_ratio", 2));
    FAIL_IF(put(im, "dram.tRTW", d->tCL + burst + 2 > d->tWL ? floor(d->tCL + burst + 2 - d->tWL) : 0));
    FAIL_IF(put(im, "dram.tRCDWR", d->tRCD > d->tWL + 1 ? d->tRCD - d->tWL - 1 : 0));
    return put(im, "dram.paired_commands", 1);
}

int map_dram_scheduler(struct importing *im, const struct mapping *row, const char *value)
{
    (void)row;
    FAIL_IF(refuse_beyond(im, value, 1));
    im->is_mapped = strcmp(value, "1") == 0;
    remark(im, im->is_mapped ? "FR-FCFS, as ours" : "this scheduler has no equivalent: FR-FCFS");
    return 0;
}
