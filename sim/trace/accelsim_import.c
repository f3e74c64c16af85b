/* A kernel file is read twice: first its static code (a writer needs it before the first step), then its warps. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "accelsim_statics.h"
#include "internal.h"

struct importer {
    const char *name;
    const void *memory; /* NULL: from the file */
    size_t size;
    struct accelsim_limits limits;
    struct sass_header header;
    struct statics statics;
    struct sass_code given;    /* static code that came with the file */
    char (*shapes)[SHAPE_MAX]; /* of the given code: what each line must say */
    uint32_t n_regs;
    struct trace_writer *writer; /* second pass */
    struct trace_warp_buffer *buffers;
    uint64_t n_steps, n_ctas;
    uint64_t *blocks;               /* a bit a block of the grid that has come; NULL while they come in order */
    uint64_t local_low, local_high; /* offsets of local memory that were touched; first pass */
    uint64_t local_bytes;
    uint32_t warps_per_cta, warp;
    uint32_t alive;   /* lanes of the warp that have not ended */
    bool is_exit;     /* the line ends lanes */
    uint64_t pair_pc; /* the line before was the first record of an LDGSTS at this PC; UINT64_MAX */
    struct sass_line line;
};

static uint64_t local_offset(const struct importer *im, uint64_t address)
{
    const uint64_t base = im->header.h.local_base;
    return base && address >= base && address - base < GENERIC_WINDOW_BYTES ? address - base : address;
}

/* Local memory as our traces show it: interleaved by lane, each warp apart. */
static int local_addresses(struct importer *im, const struct text_source *s, uint32_t bytes, struct error *err)
{
    struct sass_line *l = &im->line;
    for (uint32_t left = l->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t offset = local_offset(im, l->addresses[lane]);
        if (!im->writer) {
            if (offset > UINT32_MAX)
                return source_bad(s, err, "lane %u: local address 0x%llx is beyond 4 GB", lane,
                                  (unsigned long long)l->addresses[lane]);
            if (offset < im->local_low) im->local_low = offset;
            if (offset + bytes > im->local_high) im->local_high = offset + bytes;
            continue;
        }
        offset -= im->local_low;
        const uint64_t warp = (im->n_ctas * im->warps_per_cta + im->warp) * TRACE_LANES * im->local_bytes;
        l->addresses[lane] = LOCAL_WINDOW_BASE + warp + offset / 4 * 128 + lane * 4 + offset % 4;
    }
    return 0;
}

static void record(struct importer *im, const struct trace_inst *inst, uint32_t index)
{
    struct trace_warp_buffer *b = &im->buffers[im->warp];
    trace_record_step(b, index, im->line.mask);
    if (inst->flags & TRACE_GUARDED) trace_record_guard(b, (uint32_t)im->line.imm);
    if (trace_class_is_memory(inst->cls) && im->line.mask) trace_record_access(b, im->line.mask, im->line.addresses);
}

/* A line of a file whose static code came with it: PC and shape must be those of the code. */
static int given_line(struct importer *im, const struct text_source *s, struct error *err)
{
    struct sass_line *l = &im->line;
    const uint64_t index = l->pc / SASS_PC_BYTES;
    const uint32_t n_code = im->given.launch.n_code;
    im->is_exit = true;
    if (l->pc % SASS_PC_BYTES == 0 && index == n_code && l->opcode_length == 4 && memcmp(l->opcode, "EXIT", 4) == 0)
        return 0;
    if (l->pc % SASS_PC_BYTES || index >= n_code)
        return source_bad(s, err, "PC %llx lies outside the static code in the header", (unsigned long long)l->pc);
    const struct trace_inst *inst = &im->given.code[index];
    const char *shape = im->shapes[index];
    im->is_exit = inst->cls == TRACE_EXIT;
    if (strlen(shape) != l->shape_length || memcmp(shape, l->shape, l->shape_length) != 0) {
        source_bad(s, err, "the line disagrees with the static code in the header, which says '%.100s'", shape);
        return error_at(err, s->name, s->line, -1,
                        "a changed trace is read without it: delete what follows 'poise-code=' and that word");
    }
    if (trace_class_is_memory(inst->cls) && l->mask && !l->has_addresses)
        return source_bad(s, err, "a memory instruction without addresses");
    if (inst->flags & TRACE_GUARDED && l->imm > UINT32_MAX)
        return source_bad(s, err, "the active mask of a guarded instruction has more than 32 bits");
    if (inst->space == TRACE_SPACE_LOCAL && trace_class_is_memory(inst->cls) && l->mask && !im->given.has_raw_local &&
        local_addresses(im, s, inst->bytes, err) < 0)
        return -1;
    if (im->writer) record(im, inst, (uint32_t)index);
    return 0;
}

static int found_line(struct importer *im, const struct text_source *s, struct error *err)
{
    struct sass_line *l = &im->line;
    struct static_line *e;
    if (statics_find(&e, &im->statics, l, &im->header.h, !im->writer, s, err) < 0) return -1;
    im->is_exit = e->inst.cls == TRACE_EXIT;
    const bool is_second = e->is_pair && im->pair_pc == l->pc;
    im->pair_pc = e->is_pair && !is_second ? l->pc : UINT64_MAX;
    if (is_second) return 0;
    if (e->memory != SASS_NONE && l->mask && !l->has_addresses) {
        if (e->memory != SASS_CONST)
            return source_bad(s, err, "%.*s is a memory instruction: its width must not be 0", (int)l->opcode_length,
                              l->opcode);
        memset(l->addresses, 0, sizeof l->addresses); /* LDC and ULDC are traced without */
    }
    if (e->memory == SASS_LOCAL && l->mask && local_addresses(im, s, e->inst.bytes, err) < 0) return -1;
    if (im->writer) record(im, &e->inst, e->index);
    return 0;
}

static int read_warp(struct importer *im, struct text_source *s, uint64_t n, struct error *err)
{
    const struct trace_launch *launch = &im->header.launch;
    const uint32_t lanes = warp_lanes(launch->block[0] * launch->block[1] * launch->block[2], im->warp);
    char *text;
    size_t length;
    statics_start_warp(&im->statics);
    im->pair_pc = UINT64_MAX;
    im->alive = lanes;
    im->is_exit = false;
    if (n == 0) return source_bad(s, err, "warp %u has no instructions: the trace is damaged", im->warp);
    for (uint64_t i = 0; i < n; i++) {
        do {
            const int more = source_line(s, &text, &length, err);
            if (more <= 0)
                return more < 0 ? -1
                                : source_bad(s, err, "the file ends within warp %u: %llu of %llu instructions",
                                             im->warp, (unsigned long long)i, (unsigned long long)n);
        } while (length == 0 || (length == 1 && *text == '\r'));
        if (*text == '#' || *text == 'w')
            return source_bad(s, err, "warp %u has %llu instructions, not %llu", im->warp, (unsigned long long)i,
                              (unsigned long long)n);
        if (sass_line_parse(&im->line, s, &im->header.h, text, err) < 0) return -1;
        if (im->line.mask & ~lanes)
            return source_bad(s, err, "mask %08x has lanes that warp %u does not have", im->line.mask, im->warp);
        if (!im->given.code && im->line.mask & ~im->alive) /* a trace of our own may say so */
            return source_bad(s, err, "mask %08x has lanes of warp %u that have ended", im->line.mask, im->warp);
        if ((im->given.code ? given_line(im, s, err) : found_line(im, s, err)) < 0) return -1;
        if (im->is_exit) im->alive &= ~im->line.mask;
    }
    if (!im->is_exit || im->alive)
        return source_bad(s, err, "warp %u does not end with EXIT of its live lanes (%08x): the trace is damaged",
                          im->warp, im->alive);
    im->n_steps += n;
    return im->n_steps > im->limits.max_steps
               ? source_bad(s, err, "more than %llu instructions", (unsigned long long)im->limits.max_steps)
               : 0;
}

/* "KEY = NUMBER" */
static bool scan_key(const char *text, const char *key, uint64_t *out)
{
    const size_t n = strlen(key);
    if (strncmp(text, key, n) != 0) return false;
    const char *at = text + n;
    skip_blanks(&at);
    if (*at++ != '=') return false;
    skip_blanks(&at);
    if (!scan_decimal(&at, out)) return false;
    skip_blanks(&at);
    return *at == '\0';
}

/* The next line that is not blank; 0 at the end. */
static int next_line(struct text_source *s, char **text, struct error *err)
{
    size_t length;
    int more;
    while ((more = source_line(s, text, &length, err)) > 0) {
        while (length && isspace((unsigned char)(*text)[length - 1])) (*text)[--length] = '\0';
        if (length) break;
    }
    return more;
}

/* "thread block = x,y,z" */
static bool scan_block(const char *text, uint64_t out[3])
{
    const char *at = text + strlen("thread block");
    char before = '=';
    for (int i = 0; i < 3; i++, before = ',') {
        skip_blanks(&at);
        if (*at++ != before) return false;
        skip_blanks(&at);
        if (!scan_decimal(&at, &out[i])) return false;
    }
    skip_blanks(&at);
    return *at == '\0';
}

/* Each block of the grid comes once, in whatever order the other simulator's tracer met them. */
static int take_block(struct importer *im, const struct text_source *s, const char *text, struct error *err)
{
    const uint32_t *grid = im->header.launch.grid;
    uint64_t at[3];
    if (!scan_block(text, at)) return source_bad(s, err, "'%.40s': 'thread block = x,y,z' is needed", text);
    const unsigned long long x = at[0], y = at[1], z = at[2];
    if (x >= grid[0] || y >= grid[1] || z >= grid[2])
        return source_bad(s, err, "block (%llu,%llu,%llu) lies outside the grid of (%u,%u,%u)", x, y, z, grid[0],
                          grid[1], grid[2]);
    const uint64_t id = x + grid[0] * (y + grid[1] * z), n = (uint64_t)grid[0] * grid[1] * grid[2];
    if (!im->blocks) {
        if (id == im->n_ctas) return 0;
        if (!(im->blocks = calloc(n / 64 + 1, sizeof *im->blocks)))
            return error_set(err, ERR_MEMORY, "%s: no memory for %llu blocks", im->name, (unsigned long long)n);
        for (uint64_t i = 0; i < im->n_ctas; i++) im->blocks[i / 64] |= 1ull << i % 64;
    }
    uint64_t *word = &im->blocks[id / 64];
    if (*word >> id % 64 & 1) return source_bad(s, err, "block (%llu,%llu,%llu) comes twice", x, y, z);
    *word |= 1ull << id % 64;
    return 0;
}

static int read_block(struct importer *im, struct text_source *s, struct error *err)
{
    uint32_t seen[32] = {0}, n_seen = 0; /* 1024 threads are 32 warps; block dimensions were checked */
    char *text;
    uint64_t warp, n;
    bool has_place = false;
    int more;
    if (im->writer && !(im->buffers = trace_writer_cta_begin(im->writer)))
        return error_set(err, ERR_MEMORY, "%s: no memory", im->name);
    while ((more = next_line(s, &text, err)) > 0 && strcmp(text, "#END_TB") != 0) {
        if (!has_place && strncmp(text, "thread block", 12) == 0) {
            if (take_block(im, s, text, err) < 0) return -1;
            has_place = true;
            continue;
        }
        if (!has_place) return source_bad(s, err, "'%.40s': 'thread block = x,y,z' is needed", text);
        if (!scan_key(text, "warp", &warp))
            return source_bad(s, err, "'%.40s': 'warp = N' or '#END_TB' is needed", text);
        if (warp >= im->warps_per_cta || seen[warp])
            return source_bad(s, err, "warp %llu of a block of %u warps%s", (unsigned long long)warp, im->warps_per_cta,
                              warp < im->warps_per_cta ? " comes twice" : "");
        seen[warp] = 1;
        n_seen++;
        im->warp = (uint32_t)warp;
        more = next_line(s, &text, err);
        if (more <= 0) break;
        if (!scan_key(text, "insts", &n)) return source_bad(s, err, "'%.40s': 'insts = N' is needed", text);
        if (read_warp(im, s, n, err) < 0) return -1;
    }
    if (more < 0) return -1;
    if (more == 0) return source_bad(s, err, "the file ends within block %llu", (unsigned long long)im->n_ctas);
    if (n_seen < im->warps_per_cta)
        return source_bad(s, err, "the block has %u warps, not %u", n_seen, im->warps_per_cta);
    if (im->writer && trace_writer_cta_end(im->writer, err) < 0) return -1;
    im->n_ctas++;
    return 0;
}

static int check_shape(struct importer *im, const struct text_source *s, struct error *err)
{
    const struct trace_launch *l = &im->header.launch;
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1];
    if (threads > 1024 || threads * l->block[2] > 1024) return source_bad(s, err, "a block of more than 1024 threads");
    if ((uint64_t)l->grid[0] * l->grid[1] > UINT32_MAX || (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > UINT32_MAX)
        return source_bad(s, err, "a grid of more than 2^32 - 1 blocks");
    im->warps_per_cta = (uint32_t)(threads * l->block[2] + TRACE_LANES - 1) / TRACE_LANES;
    return 0;
}

static int read_blocks(struct importer *im, struct text_source *s, struct error *err)
{
    const struct trace_launch *l = &im->header.launch;
    const uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    char *text;
    int more;
    im->n_ctas = im->n_steps = 0;
    free(im->blocks);
    im->blocks = NULL;
    while ((more = next_line(s, &text, err)) > 0) {
        if (strcmp(text, "#BEGIN_TB") != 0) return source_bad(s, err, "'%.40s': '#BEGIN_TB' is needed", text);
        if (im->n_ctas == n) return source_bad(s, err, "more than the grid's %llu blocks", (unsigned long long)n);
        if (read_block(im, s, err) < 0) return -1;
    }
    if (more < 0) return -1;
    return im->n_ctas == n ? 0
                           : source_bad(s, err, "the file has %llu blocks, the grid %llu",
                                        (unsigned long long)im->n_ctas, (unsigned long long)n);
}

/* One pass over the file. */
static int read_file(struct importer *im, struct error *err)
{
    struct text_source s;
    int result = im->memory ? source_open_memory(&s, im->name, im->memory, im->size, im->limits.max_line_bytes, err)
                            : source_open(&s, im->name, im->limits.max_line_bytes, err);
    if (result < 0) return -1;
    sass_header_fini(&im->header);
    result = sass_header_read(&im->header, &s, err);
    if (result == 0) result = check_shape(im, &s, err);
    if (result == 0 && im->header.code && !im->given.code) {
        result = sass_code_unpack(&im->given, im->header.code, im->name, err);
        const uint32_t n = result == 0 ? im->given.launch.n_code : 0;
        im->shapes = calloc(n + 1, sizeof *im->shapes);
        if (result == 0 && !im->shapes)
            result = error_set(err, ERR_MEMORY, "%s: no memory for %u instructions", im->name, n);
        const enum accelsim_isa isa = im->header.h.binary_version == ACCELSIM_KEPLER ? ACCELSIM_KEPLER : ACCELSIM_VOLTA;
        for (uint32_t i = 0; i < n && result == 0; i++)
            sass_shape_text(im->shapes[i], SHAPE_MAX, &im->given.code[i], isa);
    }
    if (result == 0) result = read_blocks(im, &s, err);
    source_close(&s);
    return result;
}

static int local_layout(struct importer *im, struct error *err)
{
    const uint64_t round = 15;
    if (im->given.code) {
        im->local_bytes = (im->given.launch.local_bytes + round) & ~round;
        if (im->local_high > im->local_bytes)
            return error_set(err, ERR_INPUT, "%s: local memory up to byte %llu of %llu", im->name,
                             (unsigned long long)im->local_high, (unsigned long long)im->local_bytes);
        im->local_low = 0;
    } else if (im->local_high) {
        im->local_low &= ~round;
        im->local_bytes = (im->local_high - im->local_low + round) & ~round;
        if (im->local_bytes > 512u << 10)
            return error_set(err, ERR_INPUT, "%s: local memory of %llu bytes a thread; at most 512 KB", im->name,
                             (unsigned long long)im->local_bytes);
    }
    return 0;
}

static int start_writer(struct importer *im, struct error *err)
{
    struct trace_launch launch = im->header.launch;
    if (local_layout(im, err) < 0) return -1;
    if (im->given.code) {
        const struct trace_launch *g = &im->given.launch;
        if (memcmp(g->grid, launch.grid, sizeof g->grid) != 0 || memcmp(g->block, launch.block, sizeof g->block) != 0 ||
            g->regs_per_thread != launch.regs_per_thread || g->shared_bytes != launch.shared_bytes)
            return error_set(err, ERR_INPUT, "%s: the header disagrees with the launch in its static code", im->name);
        return trace_writer_new(&im->writer, im->header.kernel, g, im->given.code, g->n_code, im->given.strings,
                                im->given.n_strings, err);
    }
    struct trace_inst *code = NULL;
    char *strings = NULL;
    size_t n_strings;
    if (statics_finish(&im->statics, &code, &strings, &n_strings, &launch.n_regs, err) < 0) return -1;
    launch.local_bytes = (uint32_t)im->local_bytes;
    const int result =
        trace_writer_new(&im->writer, im->header.kernel, &launch, code, im->statics.n, strings, n_strings, err);
    free(code);
    free(strings);
    return result;
}

/* Provenance: a JSON object; the caller's to free(). */
static char *provenance(const struct importer *im, const struct accelsim_import *how)
{
    const struct accelsim_header *h = &im->header.h;
    char *text = NULL, nvbit[64];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (size_t i = 0; i < sizeof nvbit; i++)
        nvbit[i] =
            h->nvbit[i] && (!isprint((unsigned char)h->nvbit[i]) || strchr("\"\\", h->nvbit[i])) ? '?' : h->nvbit[i];
    fprintf(out,
            "{\"importer\":\"accel-sim\",\"kernel_id\":%llu,\"binary_version\":%u,\"tracer_version\":%u,\"nvbit\":\"%"
            "s\",\"stream\":%llu",
            (unsigned long long)h->id, h->binary_version, h->tracer_version, nvbit, (unsigned long long)h->stream);
    fprintf(out, ",\"shmem_base\":\"0x%llx\",\"local_base\":\"0x%llx\",\"memcpy\":[",
            (unsigned long long)h->shared_base, (unsigned long long)h->local_base);
    for (size_t i = 0; how && i < how->n_copies; i++)
        fprintf(out, "%s[\"0x%llx\",%llu]", i ? "," : "", (unsigned long long)how->copies[i].address,
                (unsigned long long)how->copies[i].bytes);
    fprintf(out, "]}");
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}

static int import(struct trace **out, struct importer *im, const struct accelsim_import *how, struct error *err)
{
    if (out) *out = NULL;
    im->limits = how && how->limits ? *how->limits : (struct accelsim_limits){0};
    if (!im->limits.max_steps) im->limits.max_steps = 1ull << 33;
    if (!im->limits.max_static) im->limits.max_static = 65535;
    if (!im->limits.max_line_bytes) im->limits.max_line_bytes = 64u << 20;
    im->local_low = UINT64_MAX;
    int result = statics_init(&im->statics, (uint32_t)im->limits.max_static, err);
    if (result == 0) result = read_file(im, err);
    if (result == 0) result = start_writer(im, err);
    if (result == 0) result = read_file(im, err);
    if (result == 0) {
        char *about = provenance(im, how);
        result = about ? trace_writer_finish(im->writer, how ? how->save_path : NULL, about, out, err)
                       : error_set(err, ERR_MEMORY, "%s: no memory", im->name);
        if (about) im->writer = NULL;
        free(about);
        if (result < 0) error_while(err, "%s", im->name);
    }
    trace_writer_free(im->writer);
    sass_header_fini(&im->header);
    sass_code_fini(&im->given);
    statics_fini(&im->statics);
    free(im->shapes);
    free(im->blocks);
    return result;
}

int accelsim_import(struct trace **out, const char *path, const struct accelsim_import *how, struct error *err)
{
    struct importer im = {.name = path};
    return import(out, &im, how, err);
}

int accelsim_import_text(struct trace **out, const char *name, const void *data, size_t size,
                         const struct accelsim_import *how, struct error *err)
{
    struct importer im = {.name = name, .memory = data ? data : "", .size = size};
    return import(out, &im, how, err);
}
