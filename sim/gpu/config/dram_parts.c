/* DRAM parts: what `dram.part` sets at once, each number with its source. The machine says how many channels of it
 * there are, and what its scheduler has; what is set after the part takes its place. */
#include "config/params.h"
#include "poise/gpu.h"

#define GEM5 "gem5, HBM_2000_4H_1x64 (a pseudo-channel of HBM2)"
#define RAMULATOR_HBM2 "Ramulator 2, HBM2"
#define RAMULATOR_GDDR6 "Ramulator 2, GDDR6 at 1.35 V, cycles of 0.57 ns"
#define MICRON "Micron MT61K256M32 (8 Gb, 2 channels), brief"

static const struct gpu_dram_part parts[] = {
    {"hbm2", "clock.dram_mhz", "1000", GEM5},
    {"hbm2", "dram.pseudo_channels", "2", "JESD235: 128 bits as two of 64"},
    {"hbm2", "dram.bus_bytes", "8", GEM5},
    {"hbm2", "dram.burst", "4", GEM5},
    {"hbm2", "dram.banks", "32", GEM5 ": 16 of each"},
    {"hbm2", "dram.bank_groups", "4", GEM5},
    {"hbm2", "dram.group_index", "low", "assumed"},
    {"hbm2", "dram.row_bytes", "1024", GEM5},
    {"hbm2", "dram.tCCD", "2", GEM5 ": tBURST"},
    {"hbm2", "dram.tCCDL", "3", GEM5},
    {"hbm2", "dram.tRRD", "4", GEM5},
    {"hbm2", "dram.tRRDL", "6", GEM5},
    {"hbm2", "dram.tFAW", "16", GEM5 ": tXAW"},
    {"hbm2", "dram.tRCD", "12", GEM5},
    {"hbm2", "dram.tRCDWR", "6", GEM5},
    {"hbm2", "dram.tRAS", "28", GEM5},
    {"hbm2", "dram.tRP", "14", GEM5},
    {"hbm2", "dram.tRC", "42", GEM5 ": tRAS + tRP"},
    {"hbm2", "dram.tCL", "18", GEM5},
    {"hbm2", "dram.tWL", "7", GEM5},
    {"hbm2", "dram.tCDLR", "4", GEM5 ": tWTR"},
    {"hbm2", "dram.tWTRL", "9", GEM5},
    {"hbm2", "dram.tWR", "14", GEM5},
    {"hbm2", "dram.tRTPL", "5", GEM5 ": tRTP"},
    {"hbm2", "dram.tRTW", "15", RAMULATOR_HBM2 ": CL + burst + 2 - WL"},
    {"hbm2", "dram.tREFI", "3900", GEM5},
    {"hbm2", "dram.tRFC", "220", GEM5},
    {"hbm2", "dram.refresh", "all", GEM5},
    {"hbm2", "dram.tRREFD", "8", RAMULATOR_HBM2},
    {"hbm2", "dram.paired_commands", "true", "JESD235: row and column commands have pins of their own"},
    {"hbm2", "dram.dual_bus", "true", "JESD235: row and column commands have pins of their own"},

    {"gddr6", "clock.dram_mhz", "1750", MICRON ": 14 Gb/s a pin, 8 bits a cycle of CK"},
    {"gddr6", "dram.pseudo_channels", "1", MICRON ": two channels of a device are two of the machine"},
    {"gddr6", "dram.bus_bytes", "2", MICRON},
    {"gddr6", "dram.burst", "16", MICRON},
    {"gddr6", "dram.banks", "16", MICRON},
    {"gddr6", "dram.bank_groups", "4", RAMULATOR_GDDR6},
    {"gddr6", "dram.group_index", "low", "assumed"},
    {"gddr6", "dram.row_bytes", "2048", MICRON},
    {"gddr6", "dram.tCCD", "2", MICRON ": 16 bits a pin at 8 a cycle"},
    {"gddr6", "dram.tCCDL", "3", "Accel-Sim, SM75_RTX2060: 6 cycles of half the length"},
    {"gddr6", "dram.tRRD", "7", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRRDL", "7", RAMULATOR_GDDR6},
    {"gddr6", "dram.tFAW", "28", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRCD", "26", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRCDWR", "16", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRAS", "53", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRP", "26", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRC", "79", RAMULATOR_GDDR6},
    {"gddr6", "dram.tCL", "24", RAMULATOR_GDDR6},
    {"gddr6", "dram.tWL", "6", RAMULATOR_GDDR6},
    {"gddr6", "dram.tCDLR", "9", RAMULATOR_GDDR6 ": tWTRS"},
    {"gddr6", "dram.tWTRL", "11", RAMULATOR_GDDR6},
    {"gddr6", "dram.tWR", "26", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRTPL", "4", RAMULATOR_GDDR6 ": tRTP"},
    {"gddr6", "dram.tRTW", "24", RAMULATOR_GDDR6 ": CL + 2 + 4 - WL"},
    {"gddr6", "dram.tREFI", "3333", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRFC", "210", RAMULATOR_GDDR6},
    {"gddr6", "dram.refresh", "all", RAMULATOR_GDDR6},
    {"gddr6", "dram.tRREFD", "14", RAMULATOR_GDDR6},
    {"gddr6", "dram.dual_bus", "false", "JESD250: one bus for all commands"},

    /* In pseudo-channel mode both channels of a device take their commands from one bus. */
    {"gddr6_pc", "dram.part", "gddr6", MICRON},
    {"gddr6_pc", "dram.pseudo_channels", "2", MICRON ": pseudo-channel mode"},
    {"gddr6_pc", "dram.banks", "32", MICRON ": 16 of each"},
};

const struct gpu_dram_part *gpu_dram_parts(size_t *n)
{
    *n = COUNT_OF(parts);
    return parts;
}
