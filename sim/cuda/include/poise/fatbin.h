/* CUDA fat binaries: what nvcc puts into a program for __cudaRegisterFatBinary and cuModuleLoadData.
 *
 * A wrapper {magic, version, data, file name} points to one or more of: a header {magic, version, header bytes,
 * payload bytes} followed by entries. An entry is a header (kind, header bytes, payload bytes, compressed bytes,
 * architecture, flags, bytes when expanded) and PTX text or machine code, plain or compressed (LZ4 block up to CUDA
 * 12, zstd since). */
#ifndef POISE_FATBIN_H
#define POISE_FATBIN_H
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

#define FATBIN_WRAPPER_MAGIC 0x466243b1u
#define FATBIN_LINKED_VERSION 2 /* of a wrapper whose `file` is a list of the fat binaries that were to be linked */
#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_HEADER_BYTES 16
#define FATBIN_MAX_TEXT (256u << 20) /* expanded PTX above this is refused: a hostile header must not take all memory */

struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data, *file;
};

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_MACHINE_CODE = 2 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };
struct fatbin_entry {
    uint32_t kind;
    uint32_t arch; /* 75: compute_75 or sm_75 */
    enum fatbin_packing packing;
    const unsigned char *payload;
    size_t stored_bytes, text_bytes;
};

/* Bytes of the fat binary whose header is at data, which has at least FATBIN_HEADER_BYTES; 0 if it is none. */
size_t fatbin_bytes(const void *data);
/* The entry at *at (0 at first), which moves on. 1: an entry; 0: the end; -1: damaged. */
int fatbin_next(struct fatbin_entry *out, const void *data, size_t size, size_t *at, struct error *err);
/* The PTX text that a device of this compute capability (35) takes: of the highest architecture up to it, else of the
 * lowest. ERR_INPUT with a hint about nvcc's flags when there is none. */
int fatbin_ptx(char **out, size_t *text_size, const void *data, size_t size, uint32_t capability, struct error *err);
/* A fat binary with one plain PTX entry; malloc'd. */
int fatbin_from_ptx(unsigned char **out, size_t *size, const char *text, size_t text_size, uint32_t arch,
                    struct error *err);
#endif
