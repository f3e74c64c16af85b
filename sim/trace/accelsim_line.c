/* The header of a kernel file, and one instruction line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "accelsim_internal.h"

void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\r') ++*at;
}

bool scan_decimal(const char **at, uint64_t *out)
{
    const char *p = *at;
    uint64_t v = 0;
    if (!isdigit((unsigned char)*p)) return false;
    for (; isdigit((unsigned char)*p); p++) {
        if (v > (UINT64_MAX - 9) / 10) return false;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    *at = p;
    *out = v;
    return true;
}

static bool scan_signed(const char **at, int64_t *out)
{
    const char *p = *at;
    const bool is_negative = *p == '-';
    uint64_t v;
    p += is_negative || *p == '+';
    if (!scan_decimal(&p, &v) || v > (uint64_t)INT64_MAX) return false;
    *at = p;
    *out = is_negative ? -(int64_t)v : (int64_t)v;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool scan_hex(const char **at, uint64_t *out)
{
    const char *p = *at;
    uint64_t v = 0;
    if (p[0] == '0' && (p[1] | 32) == 'x') p += 2;
    const char *first = p;
    for (; hex_digit(*p) >= 0; p++) {
        if (v >> 60) return false;
        v = v << 4 | (uint64_t)hex_digit(*p);
    }
    if (p == first) return false;
    *at = p;
    *out = v;
    return true;
}

/* ---- header ---- */
static bool key_is(const char **value, const char *line, const char *key)
{
    const size_t n = strlen(key);
    if (strncmp(line, key, n) != 0) return false;
    const char *at = line + n;
    skip_blanks(&at);
    if (*at != '=') return false;
    at++;
    skip_blanks(&at);
    *value = at;
    return true;
}

static bool scan_dims(const char *at, uint32_t out[3])
{
    if (*at++ != '(') return false;
    for (int d = 0; d < 3; d++) {
        uint64_t v;
        skip_blanks(&at);
        if (!scan_decimal(&at, &v) || v == 0 || v > UINT32_MAX) return false;
        out[d] = (uint32_t)v;
        skip_blanks(&at);
        if (*at++ != (d == 2 ? ')' : ',')) return false;
    }
    skip_blanks(&at);
    return *at == '\0';
}

/* Lines of a header that have been read, of which every tracer writes those that are needed: without the others a
 * launch has the same threads, registers and shared memory. */
enum {
    KEY_GRID = 1,
    KEY_BLOCK = 2,
    KEY_NAME = 4,
    KEY_BINARY = 8,
    KEY_SHMEM = 16,
    KEY_NREGS = 32,
    KEY_NEEDED = 63,
    KEY_LINEINFO = 64,
    KEY_NVBIT = 128,
    KEY_ID = 256,
    KEY_SHARED_BASE = 512,
    KEY_LOCAL_BASE = 1024,
    KEY_STREAM = 2048,
    KEY_VERSION = 4096
};

static int see_key(unsigned *seen, unsigned key, const struct text_source *s, const char *line, struct error *err)
{
    if (*seen & key) return source_bad(s, err, "'%.*s' is there twice", (int)strcspn(line, "="), line);
    *seen |= key;
    return 0;
}

static int header_number(const struct text_source *s, const char *at, bool is_hex, uint64_t max, uint64_t *out,
                         struct error *err)
{
    const char *end = at;
    const bool ok = is_hex ? scan_hex(&end, out) : scan_decimal(&end, out);
    skip_blanks(&end);
    if (ok && *end == '\0' && *out <= max) return 0;
    return source_bad(s, err, "'%.40s': a %s number up to %llu is needed", at, is_hex ? "hexadecimal" : "decimal",
                      (unsigned long long)max);
}

static int header_key(struct sass_header *out, unsigned *seen, const struct text_source *s, const char *line,
                      struct error *err)
{
    const char *value;
    uint64_t v;
    static const struct {
        const char *key;
        size_t offset;
        bool is_hex, is_wide;
        unsigned seen;
    } numbers[] = {
        {"-kernel id", offsetof(struct sass_header, h.id), false, true, KEY_ID},
        {"-shmem base_addr", offsetof(struct sass_header, h.shared_base), true, true, KEY_SHARED_BASE},
        {"-local mem base_addr", offsetof(struct sass_header, h.local_base), true, true, KEY_LOCAL_BASE},
        {"-shmem", offsetof(struct sass_header, launch.shared_bytes), false, false, KEY_SHMEM},
        {"-nregs", offsetof(struct sass_header, launch.regs_per_thread), false, false, KEY_NREGS},
        {"-binary version", offsetof(struct sass_header, h.binary_version), false, false, KEY_BINARY},
        {"-cuda stream id", offsetof(struct sass_header, h.stream), false, true, KEY_STREAM},
        {"-accelsim tracer version", offsetof(struct sass_header, h.tracer_version), false, false, KEY_VERSION},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!key_is(&value, line, numbers[i].key)) continue;
        if (header_number(s, value, numbers[i].is_hex, numbers[i].is_wide ? UINT64_MAX : INT32_MAX, &v, err) < 0)
            return -1;
        if (numbers[i].is_wide) *(uint64_t *)(void *)((char *)out + numbers[i].offset) = v;
        else *(uint32_t *)(void *)((char *)out + numbers[i].offset) = (uint32_t)v;
        return see_key(seen, numbers[i].seen, s, line, err);
    }
    if (key_is(&value, line, "-enable lineinfo")) {
        if (header_number(s, value, false, 1, &v, err) < 0) return -1;
        out->h.has_lineinfo = v == 1;
        return see_key(seen, KEY_LINEINFO, s, line, err);
    } else if (key_is(&value, line, "-grid dim") || key_is(&value, line, "-block dim")) {
        const bool is_grid = line[1] == 'g';
        if (!scan_dims(value, is_grid ? out->launch.grid : out->launch.block))
            return source_bad(s, err, "'%.40s': three positive dimensions (X,Y,Z) are needed", value);
        return see_key(seen, is_grid ? KEY_GRID : KEY_BLOCK, s, line, err);
    } else if (key_is(&value, line, "-kernel name")) {
        if (!*value) return source_bad(s, err, "-kernel name is empty");
        free(out->kernel);
        if (!(out->kernel = strdup(value))) return error_set(err, ERR_MEMORY, "%s: no memory for a name", s->name);
        for (char *c = out->kernel; *c; c++)
            if (!isprint((unsigned char)*c)) *c = '?';
        return see_key(seen, KEY_NAME, s, line, err);
    } else if (key_is(&value, line, "-nvbit version")) {
        snprintf(out->h.nvbit, sizeof out->h.nvbit, "%.63s", value);
        return see_key(seen, KEY_NVBIT, s, line, err);
    }
    return 0;
}

static int header_check(const struct sass_header *h, unsigned seen, const struct text_source *s, struct error *err)
{
    if ((seen & KEY_NEEDED) != KEY_NEEDED)
        return source_bad(s, err, "the header lacks '%s'",
                          !(seen & KEY_GRID)    ? "-grid dim"
                          : !(seen & KEY_BLOCK) ? "-block dim"
                          : !(seen & KEY_NAME)  ? "-kernel name"
                          : !(seen & KEY_SHMEM) ? "-shmem"
                          : !(seen & KEY_NREGS) ? "-nregs"
                                                : "-binary version");
    if (!sass_arch_of(h->h.binary_version))
        return source_bad(
            s, err, "binary version %u: 35 (Kepler), 60 61 (Pascal), 70 (Volta), 75 (Turing), 80 86 (Ampere) are known",
            h->h.binary_version);
    return 0;
}

int sass_header_read(struct sass_header *out, struct text_source *s, struct error *err)
{
    char *line;
    size_t length;
    unsigned seen = 0;
    int more;
    *out = (struct sass_header){0};
    while ((more = source_line(s, &line, &length, err)) > 0) {
        if (length && line[length - 1] == '\r') line[--length] = '\0';
        if (memchr(line, '\0', length)) return source_bad(s, err, "a zero byte in the header");
        if (*line == '#') {
            const char *mark = strstr(line, CODE_MARK);
            if (mark && !(out->code = strdup(mark + strlen(CODE_MARK))))
                return error_set(err, ERR_MEMORY, "%s: no memory for the static code", s->name);
            out->h.has_code = mark != NULL;
            return header_check(out, seen, s, err);
        }
        if (*line == '-' && header_key(out, &seen, s, line, err) < 0) return -1;
        if (*line && *line != '-')
            return source_bad(
                s, err,
                "'%.40s' in the header: '-key = value' or '#' is needed; is this a post-processed .traceg file?", line);
    }
    return more < 0 ? -1 : source_bad(s, err, "the file ends within its header");
}

void sass_header_fini(struct sass_header *h)
{
    free(h->kernel);
    free(h->code);
    h->kernel = h->code = NULL;
}

/* ---- instructions ---- */
static bool scan_registers(const char **at, uint8_t *n, uint16_t *regs, unsigned max)
{
    uint64_t v;
    skip_blanks(at);
    if (!scan_decimal(at, &v) || v > max) return false;
    *n = (uint8_t)v;
    for (unsigned i = 0; i < *n; i++) {
        skip_blanks(at);
        if (**at != 'R') return false;
        ++*at;
        if (!scan_decimal(at, &v) || v >= TRACE_NO_REG) return false;
        regs[i] = (uint16_t)v;
    }
    return true;
}

static bool scan_list(const char **at, struct sass_line *l)
{
    for (uint32_t left = l->mask; left; left &= left - 1) {
        skip_blanks(at);
        if (!scan_hex(at, &l->addresses[__builtin_ctz(left)])) return false;
    }
    return true;
}

static bool scan_stride(const char **at, struct sass_line *l)
{
    uint64_t address;
    int64_t stride;
    skip_blanks(at);
    if (!scan_hex(at, &address)) return false;
    skip_blanks(at);
    if (!scan_signed(at, &stride) || stride != (int32_t)stride) return false;
    for (uint32_t left = l->mask; left; left &= left - 1, address += (uint64_t)stride)
        l->addresses[__builtin_ctz(left)] = address;
    return true;
}

static bool scan_deltas(const char **at, struct sass_line *l)
{
    uint64_t address = 0;
    bool is_first = true;
    for (uint32_t left = l->mask; left; left &= left - 1) {
        int64_t delta;
        skip_blanks(at);
        if (is_first ? !scan_hex(at, &address) : !scan_signed(at, &delta)) return false;
        if (!is_first) address += (uint64_t)delta;
        is_first = false;
        l->addresses[__builtin_ctz(left)] = address;
    }
    return true;
}

static int scan_memory(const char **at, struct sass_line *l, const struct text_source *s, struct error *err)
{
    uint64_t mode;
    skip_blanks(at);
    if (!scan_decimal(at, &mode) || mode > 2)
        return source_bad(s, err, "the address mode is 0 (list), 1 (base and stride) or 2 (base and differences)");
    const uint32_t run = l->mask ? l->mask >> __builtin_ctz(l->mask) : 0;
    if (mode == 1 && run && (run & (run + 1)) != 0)
        return source_bad(s, err, "base and stride need active lanes without gaps; the mask is %08x", l->mask);
    if (!l->mask) { /* nothing was accessed: a base may follow modes 1 and 2, and is ignored */
        while (mode && **at) ++*at;
        return 0;
    }
    const bool ok = mode == 0 ? scan_list(at, l) : mode == 1 ? scan_stride(at, l) : scan_deltas(at, l);
    l->has_addresses = true;
    return ok ? 0
              : source_bad(s, err, "%d active lanes, but the addresses are fewer or no numbers",
                           __builtin_popcount(l->mask));
}

static bool scan_prefix(const char **at, struct sass_line *l, const struct accelsim_header *h)
{
    uint64_t v;
    skip_blanks(at);
    if (h->has_lineinfo) {
        if (!scan_decimal(at, &l->line) || l->line > UINT32_MAX) return false;
        skip_blanks(at);
    }
    for (int column = 0; h->tracer_version < 3 && column < 4; column++) { /* block x y z, warp: known already */
        if (!scan_decimal(at, &v)) return false;
        skip_blanks(at);
    }
    if (!scan_hex(at, &l->pc)) return false;
    skip_blanks(at);
    const char *mask = *at;
    if (!scan_hex(at, &v) || *at - mask != 8) return false; /* tracers write all digits: a short one was cut */
    l->mask = (uint32_t)v;
    skip_blanks(at);
    return true;
}

int sass_line_parse(struct sass_line *l, const struct text_source *s, const struct accelsim_header *header,
                    const char *text, struct error *err)
{
    const char *at = text;
    uint64_t v;
    l->line = l->imm = 0;
    l->has_addresses = false;
    if (!scan_prefix(&at, l, header))
        return source_bad(s, err, "an instruction starts with %sPC and mask of 8 digits",
                          header->has_lineinfo ? "line, " : "");
    l->shape = at;
    if (!scan_registers(&at, &l->n_dst, l->dst, TRACE_MAX_DST))
        return source_bad(s, err, "a count of at most %d destinations and as many R<n> are needed", TRACE_MAX_DST);
    skip_blanks(&at);
    l->opcode = at;
    while (*at && !isspace((unsigned char)*at)) at++;
    l->opcode_length = (size_t)(at - l->opcode);
    if (l->opcode_length == 0 || l->opcode_length >= SASS_OPCODE_MAX)
        return source_bad(s, err, "an opcode is needed after the destinations");
    if (!scan_registers(&at, &l->n_src, l->src, TRACE_MAX_SRC))
        return source_bad(s, err, "a count of at most %d sources and as many R<n> are needed", TRACE_MAX_SRC);
    skip_blanks(&at);
    if (!scan_decimal(&at, &v) || v > 4096)
        return source_bad(s, err, "the memory width (0 without addresses) is needed after the sources");
    l->width = (uint32_t)v;
    l->shape_length = (size_t)(at - l->shape);
    if (l->width && scan_memory(&at, l, s, err) < 0) return -1;
    skip_blanks(&at);
    if (*at && !scan_decimal(&at, &l->imm)) {
        int64_t negative;
        if (!scan_signed(&at, &negative)) return source_bad(s, err, "'%.40s' after the instruction", at);
        l->imm = (uint64_t)negative;
    }
    skip_blanks(&at);
    return *at ? source_bad(s, err, "'%.40s' after the instruction", at) : 0;
}

size_t sass_shape_text(char *text, size_t size, const struct trace_inst *inst, enum accelsim_isa isa)
{
    char opcode[SASS_OPCODE_MAX];
    const bool is_memory = trace_class_is_memory(inst->cls);
    int n = 0;
#define PUT(...) n += snprintf(text + n, size - (size_t)n, __VA_ARGS__)
#define SASS_REG(r) ((r) < SASS_ZERO_REG ? (unsigned)(r) : (unsigned)(r) + 1u) /* 255 is the zero register */
    if (inst->n_dst) PUT("1 R%u ", SASS_REG(inst->dst[0]));
    else PUT("0 ");
    sass_opcode_text(opcode, inst, isa);
    const unsigned n_src = inst->n_src < SASS_MAX_SRC ? inst->n_src : SASS_MAX_SRC;
    PUT("%s %u", opcode, n_src);
    for (unsigned i = 0; i < n_src; i++) PUT(" R%u", SASS_REG(inst->src[i]));
    PUT(" %u", is_memory ? inst->bytes : 0u);
#undef PUT
#undef SASS_REG
    return (size_t)n;
}
