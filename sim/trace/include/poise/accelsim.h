/* Accel-Sim's SASS traces (.traceg, .traceg.xz, kernelslist.g), read and written.      [reference TRACE_FORMAT]
 *
 * Importing: blocks in file order are CTAs 0, 1, ... (the other simulator hands them out in file order too); R<n> is
 * trace register n and R255, the zero register, is none; a line whose mask is 0 stays a step with mask 0; the second
 * record of LDGSTS is dropped, as the other simulator drops it. Static instructions are the distinct lines (PC,
 * opcode, registers, space).
 *
 * Exporting: what SASS cannot say (PTX opcode texts, classes such as integer division, more than one destination,
 * guards) is carried where the format leaves room: the static code, compressed, in the free text of the "#traces
 * format" line, and the active mask of guarded instructions as the trailing immediate. So import(export(t)) has t's
 * hash, and the other simulator sees plain SASS.
 *
 * Memory: a trace is held decoded, once; text is read through a window, so a 10 GB file needs its trace's size. */
#ifndef POISE_ACCELSIM_H
#define POISE_ACCELSIM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/trace.h"

/* ---- kernelslist.g ---- */
struct accelsim_copy {
    uint64_t address, bytes;
}; /* MemcpyHtoD */
struct accelsim_command {
    bool is_kernel;
    uint32_t line;             /* of the list */
    char *file;                /* kernel: as the list says, relative to its folder */
    struct accelsim_copy copy; /* otherwise */
};
struct accelsim_list {
    struct accelsim_command *commands;
    size_t n;
};
/* Lines that are neither a kernel nor MemcpyHtoD are skipped, as the format says. */
int accelsim_list_read(struct accelsim_list *out, const char *path, struct error *err);
int accelsim_list_parse(struct accelsim_list *out, const char *name, const char *text, size_t size, struct error *err);
void accelsim_list_fini(struct accelsim_list *list);

/* ---- kernels ---- */
struct accelsim_limits {
    uint64_t max_steps, max_static, max_line_bytes;
}; /* 0: the defaults: 2^33, 65535, 64 MiB */
/* The header, as far as it is not in struct trace_launch. */
struct accelsim_header {
    uint64_t id, stream, shared_base, local_base;
    uint32_t binary_version, tracer_version;
    char nvbit[64];
    bool has_lineinfo;
    bool has_code; /* written by accelsim_export: the static code came with it */
};
struct accelsim_import {
    const struct accelsim_limits *limits; /* may be NULL */
    const char *save_path;                /* may be NULL: where the trace is written */
    const struct accelsim_copy *copies;   /* host-to-device copies before this kernel; into the provenance */
    size_t n_copies;
};
/* A file that ends in .xz is decompressed. *out may be NULL. */
int accelsim_import(struct trace **out, const char *path, const struct accelsim_import *how, struct error *err);
/* The same from memory, not compressed (archives, fuzzing, tests). */
int accelsim_import_text(struct trace **out, const char *name, const void *data, size_t size,
                         const struct accelsim_import *how, struct error *err);

/* ---- export ---- */
enum accelsim_isa { ACCELSIM_KEPLER = 35, ACCELSIM_VOLTA = 70 }; /* the header's binary version */
/* Writes one kernel file (.traceg). `id` counts kernels from 1. */
int accelsim_export(const struct trace *trace, const char *path, enum accelsim_isa isa, uint64_t id, struct error *err);
int accelsim_export_stream(const struct trace *trace, FILE *out, const char *name, enum accelsim_isa isa, uint64_t id,
                           struct error *err);

/* ---- strict check ---- */
struct accelsim_report {
    uint64_t blocks, warps, lines, memory_lines;
};
/* Accepts exactly what the format specification promises that the other simulator reads; says file, line and rule. */
int accelsim_check(struct accelsim_report *out, const char *path, struct error *err);
int accelsim_check_text(struct accelsim_report *out, const char *name, const void *data, size_t size,
                        struct error *err);
/* The list, and every kernel that it names. */
int accelsim_check_list(struct accelsim_report *out, const char *path, struct error *err);

/* ---- .tar and .tar.xz, in memory ---- */
struct accelsim_member {
    char *name;
    const char *data;
    size_t size;
};
struct accelsim_archive {
    char *data;
    struct accelsim_member *members;
    size_t n;
};
int accelsim_archive_open(struct accelsim_archive *out, const char *path, size_t max_bytes, struct error *err);
/* NULL if there is none. */
const struct accelsim_member *accelsim_archive_find(const struct accelsim_archive *archive, const char *name);
void accelsim_archive_close(struct accelsim_archive *archive);
#endif
