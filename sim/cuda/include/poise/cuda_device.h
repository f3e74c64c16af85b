/* The device that CUDA programs see: what cudaGetDeviceProperties, attributes and occupancy answer, and what a
 * launch may ask for. It is apart from the GPU that is simulated later, since executing a kernel does not depend on
 * timing. */
#ifndef POISE_CUDA_DEVICE_H
#define POISE_CUDA_DEVICE_H
#include <stdint.h>
#include "poise/error.h"
#include "poise/occupancy.h"

struct cuda_device {
    const char *name;    /* as `poise cuda --device` takes it */
    const char *product; /* as cudaDeviceProp.name has it */
    uint32_t major, minor, sms;
    struct sm_limits sm;
    uint32_t block_shared_bytes;    /* of a CTA, unless its kernel asks for more */
    uint32_t optin_shared_bytes;    /* of a CTA whose kernel asks for more (cudaFuncSetAttribute) */
    uint32_t reserved_shared_bytes; /* that the system takes of each CTA's */
    uint32_t clock_khz, memory_clock_khz, bus_bits, l2_bytes;
    uint64_t memory_bytes;
};
#define CUDA_DEVICE_DEFAULT "a100"
#define CUDA_DEVICE_MAX_SMS 1024u /* --sms: more than any device has */

/* The devices in a fixed order; NULL beyond the last. */
const struct cuda_device *cuda_device_at(size_t i);
/* The device of that name, with so many SMs where sms is not 0. ERR_INPUT lists the names. */
int cuda_device_choose(struct cuda_device *out, const char *name, uint64_t sms, struct error *err);
static inline uint32_t cuda_device_capability(const struct cuda_device *d) { return 10 * d->major + d->minor; } /* 80 */
#endif
