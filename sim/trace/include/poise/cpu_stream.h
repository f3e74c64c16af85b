/* The access stream of a CPU program: its loads and stores in program order, and how many instructions lie between
 * them. A file of it is a container like a warp trace's (sim/trace/container.h), with sections of its own:
 *
 *   CPU_STREAM     struct cpu_stream_counts
 *   CPU_BEGUN      cpu_access.begun, residuals of 1: most are the only access of the next instruction
 *   CPU_KINDS      bytes * 2 + is_store, residuals of the kind before it
 *   CPU_ADDRESSES  distance from the last address of a load or a store, whichever it is
 *   PROVENANCE     JSON: command, recorder
 *
 * Identity: XXH3-128 of the counts and the accesses; provenance is not part of it.
 *
 * Addresses are those of a memory of the program's own: its 4096-byte pages are numbered in the order in which it first
 * touches them, as a system would hand out frames. So neither the layout of the address space nor what the environment
 * puts on the stack moves a page. What a recording does not hold: which registers an instruction reads, and
 * instruction fetches. */
#ifndef POISE_CPU_STREAM_H
#define POISE_CPU_STREAM_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/hash.h"

#define CPU_PAGE_BYTES 4096u
#define CPU_ADDRESS_BITS 34 /* a program may touch 16 GiB */

struct cpu_access {
    uint64_t address; /* of its first byte */
    uint32_t begun;   /* instructions begun since the access before it, its own included; 0: of the same instruction */
    uint8_t is_store;
    uint8_t bytes;
    uint16_t reserved; /* 0 */
};
_Static_assert(sizeof(struct cpu_access) == 16, "cpu_access is hashed as it is");

/* Also a file format. */
struct cpu_stream_counts {
    uint64_t insts; /* instructions; those behind the last access are counted here alone */
    uint64_t accesses;
    uint64_t pages;   /* that were touched: all addresses lie below pages * CPU_PAGE_BYTES */
    uint64_t skipped; /* instructions before the first one recorded */
};
struct cpu_stream {
    struct cpu_stream_counts counts;
    struct cpu_access *accesses;
    char *provenance; /* JSON */
    struct hash hash;
    uint64_t file_bytes; /* 0: it was neither read from a file nor written to one */
};
void cpu_stream_free(struct cpu_stream *stream); /* accepts NULL */

/* Takes over `accesses` (from malloc), even when it fails. Checks them: addresses within the pages, sizes of 1 to 128
 * bytes, no more instructions begun than there are, the first access in an instruction of its own. */
int cpu_stream_new(struct cpu_stream **out, const struct cpu_stream_counts *counts, struct cpu_access *accesses,
                   const char *provenance, struct error *err);
int cpu_stream_write(struct cpu_stream *stream, const char *path, struct error *err);
int cpu_stream_open(struct cpu_stream **out, const char *path, struct error *err);
int cpu_stream_parse(struct cpu_stream **out, const char *name, const void *data, size_t size, struct error *err);

/* Reads what Valgrind's lackey prints with --trace-mem=yes and makes a stream of `insts` instructions behind the first
 * `skip`, or of as many as there are. The rest of the text stays unread. */
int cpu_stream_from_lackey(struct cpu_stream **out, const char *name, FILE *text, uint64_t skip, uint64_t insts,
                           const char *provenance, struct error *err);
#endif
