/* The devices that programs can see. SM limits: CUDA C++ Programming Guide, technical specifications by compute
 * capability; SM counts, clocks, buses, L2 sizes and memory (of the smaller, where there are two): NVIDIA's data
 * sheets. kepler32 is the simulated preset [THESIS Tab. 5.1]. */
#include "poise/cuda_device.h"

#include <stdio.h>
#include <string.h>

#define KIB 1024u
#define GIB (UINT64_C(1) << 30)
/* Registers are given out in units of 256 to a warp, shared memory in units of 128 bytes. */
#define SM_OF(threads_, ctas_, shared_kib) \
    { \
        .threads = threads_, .warps = (threads_) / TRACE_LANES, .ctas = ctas_, .registers = 65536, \
        .warp_register_unit = 256, .shared_bytes = (shared_kib)*KIB, .shared_unit_bytes = 128 \
    }

static const struct cuda_device devices[] = {
    {"a100", "NVIDIA A100 (Poise functional device)", 8, 0, 108, SM_OF(2048, 32, 164), 48 * KIB, 163 * KIB, KIB,
     1410000, 1215000, 5120, 40 * KIB *KIB, 40 * GIB},
    {"rtx3090", "NVIDIA GeForce RTX 3090 (Poise functional device)", 8, 6, 82, SM_OF(1536, 16, 100), 48 * KIB, 99 * KIB,
     KIB, 1695000, 9751000, 384, 6 * KIB *KIB, 24 * GIB},
    {"h100", "NVIDIA H100 (Poise functional device)", 9, 0, 132, SM_OF(2048, 32, 228), 48 * KIB, 227 * KIB, KIB,
     1980000, 2619000, 5120, 50 * KIB *KIB, 80 * GIB},
    {"v100", "Tesla V100 (Poise functional device)", 7, 0, 80, SM_OF(2048, 32, 96), 48 * KIB, 96 * KIB, 0, 1530000,
     877000, 4096, 6 * KIB *KIB, 16 * GIB},
    {"kepler32", "Poise functional device (kepler32)", 3, 5, 32, SM_LIMITS_KEPLER32, 48 * KIB, 48 * KIB, 0, 1400000,
     924000, 384, 2 * KIB *KIB, 6 * GIB},
};

const struct cuda_device *cuda_device_at(size_t i) { return i < sizeof devices / sizeof *devices ? &devices[i] : NULL; }

int cuda_device_choose(struct cuda_device *out, const char *name, uint64_t sms, struct error *err)
{
    char names[128] = "";
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        const size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", devices[i].name);
        if (strcmp(devices[i].name, name) != 0) continue;
        if (sms > CUDA_DEVICE_MAX_SMS)
            return error_set(err, ERR_INPUT, "a device of %llu SMs, at most %u", (unsigned long long)sms,
                             CUDA_DEVICE_MAX_SMS);
        *out = devices[i];
        if (sms) out->sms = (uint32_t)sms;
        return 0;
    }
    error_set(err, ERR_INPUT, "there is no device '%s' for programs to see", name);
    char hint[200];
    snprintf(hint, sizeof hint, "the devices are %s", names);
    return error_at(err, NULL, 0, -1, hint);
}
