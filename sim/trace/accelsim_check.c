/* A strict reading of the format, written from its specification and sharing nothing with the importer but the
 * opcode table: what passes here, the other simulator replays. Rules that its reader does not enforce but silently
 * misreads are errors here. [TRACE_FORMAT §1-4] */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "accelsim_internal.h"

struct checker {
    struct text_source *s;
    char *line;
    size_t length;
    unsigned arch, seen_keys;
    unsigned long long grid[3], block[3], version;
    bool has_lineinfo;
    uint32_t n_warps;
    struct accelsim_report report;
};

/* key, form: d decimal, x hexadecimal with 0x, 3 dimensions, t text, o optional decimal */
static const struct {
    const char *key, form;
} keys[] = {
    {"-kernel name", 't'},         {"-kernel id", 'd'},      {"-grid dim", '3'},
    {"-block dim", '3'},           {"-shmem", 'd'},          {"-nregs", 'd'},
    {"-binary version", 'd'},      {"-cuda stream id", 'd'}, {"-shmem base_addr", 'x'},
    {"-local mem base_addr", 'x'}, {"-nvbit version", 't'},  {"-accelsim tracer version", 'd'},
    {"-enable lineinfo", 'o'},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

/* The next line, blank ones too; 0 at the end. Every line must end with a newline. */
static int read_line(struct checker *c, struct error *err)
{
    const int more = source_line(c->s, &c->line, &c->length, err);
    if (more > 0 && !c->s->has_newline) return source_bad(c->s, err, "the last line does not end with a newline");
    if (more > 0 && strlen(c->line) != c->length) return source_bad(c->s, err, "a zero byte");
    if (more > 0 && c->length && c->line[c->length - 1] == '\r') return source_bad(c->s, err, "a carriage return");
    return more;
}

static int read_filled(struct checker *c, struct error *err)
{
    int more;
    do more = read_line(c, err);
    while (more > 0 && strspn(c->line, " ") == c->length);
    return more;
}

static int check_value(struct checker *c, size_t k, const char *value, struct error *err)
{
    unsigned long long v, d[3];
    int end = 0;
    const char form = keys[k].form;
    if (form == 't') return *value ? 0 : source_bad(c->s, err, "%s is empty", keys[k].key);
    if (form == '3') {
        if (sscanf(value, "(%llu,%llu,%llu)%n", &d[0], &d[1], &d[2], &end) != 3 || value[end] || !d[0] || !d[1] ||
            !d[2])
            return source_bad(c->s, err, "%s: (X,Y,Z) without blanks is needed", keys[k].key);
        memcpy(keys[k].key[1] == 'g' ? c->grid : c->block, d, sizeof d);
        return 0;
    }
    if (form == 'x')
        return sscanf(value, "0x%llx%n", &v, &end) == 1 && !value[end]
                   ? 0
                   : source_bad(c->s, err, "%s: a hexadecimal number with 0x is needed", keys[k].key);
    if (!isdigit((unsigned char)*value) || sscanf(value, "%llu%n", &v, &end) != 1 || value[end])
        return source_bad(c->s, err, "%s: a decimal number is needed", keys[k].key);
    if (strcmp(keys[k].key, "-binary version") == 0 && !(c->arch = sass_arch_of((uint32_t)v)))
        return source_bad(c->s, err, "binary version %llu is not known", v);
    if (strcmp(keys[k].key, "-accelsim tracer version") == 0) c->version = v;
    if (form == 'o') {
        if (v > 1) return source_bad(c->s, err, "-enable lineinfo is 0 or 1");
        c->has_lineinfo = v == 1;
    }
    return 0;
}

static int check_header(struct checker *c, struct error *err)
{
    int more;
    while ((more = read_filled(c, err)) > 0 && *c->line != '#') {
        size_t k = 0, n = 0;
        for (; k < N_KEYS; k++) {
            n = strlen(keys[k].key);
            if (strncmp(c->line, keys[k].key, n) == 0 && strncmp(c->line + n, " = ", 3) == 0) break;
        }
        if (k == N_KEYS)
            return source_bad(
                c->s, err, "'%.40s' is no header line: '-key = value' with one blank on each side is needed", c->line);
        if (c->seen_keys >> k & 1) return source_bad(c->s, err, "%s comes twice", keys[k].key);
        c->seen_keys |= 1u << k;
        if (check_value(c, k, c->line + n + 3, err) < 0) return -1;
    }
    if (more <= 0) return more < 0 ? -1 : source_bad(c->s, err, "no '#' line ends the header");
    for (size_t k = 0; k < N_KEYS; k++)
        if (!(c->seen_keys >> k & 1) && keys[k].form != 'o')
            return source_bad(c->s, err, "the header lacks %s", keys[k].key);
    const unsigned long long threads = c->block[0] * c->block[1] * c->block[2];
    if (c->block[0] > 1024 || c->block[1] > 1024 || c->block[2] > 1024 || threads > 1024)
        return source_bad(c->s, err, "a block of more than 1024 threads");
    c->n_warps = (uint32_t)((threads + 31) / 32);
    return 0;
}

/* Blank-separated fields. */
static char *field(char **at)
{
    while (**at == ' ') ++*at;
    char *begin = *at;
    while (**at && **at != ' ') ++*at;
    if (**at) *(*at)++ = '\0';
    return *begin ? begin : NULL;
}

static bool is_whole(const char *f, int base, unsigned long long *v)
{
    char *end;
    if (!f || !isxdigit((unsigned char)*f)) return false;
    *v = strtoull(f, &end, base);
    return *end == '\0';
}

static bool is_signed32(const char *f)
{
    char *end;
    if (!f || !(isdigit((unsigned char)*f) || (*f == '-' && isdigit((unsigned char)f[1])))) return false;
    const long long v = strtoll(f, &end, 10);
    return *end == '\0' && v == (int)v;
}

static int check_registers(struct checker *c, char **at, unsigned max, const char *what, struct error *err)
{
    unsigned long long n, r;
    if (!is_whole(field(at), 10, &n) || n > max) return source_bad(c->s, err, "the number of %s is 0 to %u", what, max);
    for (unsigned i = 0; i < n; i++) {
        const char *f = field(at);
        if (!f || *f != 'R' || !is_whole(f + 1, 10, &r))
            return source_bad(c->s, err, "%llu %s are needed, as R<n>", n, what);
    }
    return 0;
}

static int check_addresses(struct checker *c, char **at, uint32_t mask, struct error *err)
{
    const char *mode = field(at);
    const unsigned n = (unsigned)__builtin_popcount(mask);
    unsigned long long v;
    if (!mode || mode[1] || *mode < '0' || *mode > '2') return source_bad(c->s, err, "the address mode is 0, 1 or 2");
    c->report.memory_lines++;
    if (*mode == '1') {
        const uint32_t run = mask ? mask >> __builtin_ctz(mask) : 0;
        if (n == 1 || (run & (run + 1)))
            return source_bad(c->s, err,
                              "mode 1 needs active lanes without gaps, and not a single one; the mask is %08x", mask);
        if (!is_whole(field(at), 16, &v) || !is_signed32(field(at)))
            return source_bad(c->s, err, "mode 1: a hexadecimal base and a decimal stride are needed");
        return 0;
    }
    if (*mode == '2' && n == 0) return source_bad(c->s, err, "mode 2 needs an active lane");
    for (unsigned i = 0; i < n; i++) {
        const char *f = field(at);
        if (*mode == '2' && i > 0 ? !is_signed32(f) : !is_whole(f, 16, &v))
            return source_bad(c->s, err, "mode %s: %u addresses or differences are needed", mode, n);
    }
    return 0;
}

static int check_inst(struct checker *c, uint32_t *alive, bool *is_exit, struct error *err)
{
    char *at = c->line;
    unsigned long long v, mask, width;
    for (unsigned i = 0; i < (c->has_lineinfo ? 1u : 0u) + (c->version < 3 ? 4u : 0u); i++)
        if (!is_whole(field(&at), 10, &v)) return source_bad(c->s, err, "a decimal column before the PC is missing");
    const char *pc = field(&at), *m = field(&at);
    if (!is_whole(pc, 16, &v) || strpbrk(pc, "xX")) return source_bad(c->s, err, "the PC is hexadecimal, without 0x");
    if (!m || strlen(m) != 8 || !is_whole(m, 16, &mask))
        return source_bad(c->s, err, "the mask has 8 hexadecimal digits");
    if (mask & ~(unsigned long long)*alive)
        return source_bad(c->s, err, "mask %08llx: lanes that the warp does not have, or that have ended", mask);
    if (check_registers(c, &at, SASS_MAX_DST, "destinations", err) < 0) return -1;
    const char *opcode = field(&at);
    const struct sass_opcode *row = opcode ? sass_opcode_find(opcode, strlen(opcode)) : NULL;
    if (!row || !(row->archs & c->arch))
        return source_bad(c->s, err, "opcode '%s' is not in this architecture's table", opcode ? opcode : "");
    if (check_registers(c, &at, SASS_MAX_SRC, "sources", err) < 0) return -1;
    if (!is_whole(field(&at), 10, &width)) return source_bad(c->s, err, "the memory width is missing");
    if (row->memory != SASS_NONE && row->memory != SASS_CONST && !width)
        return source_bad(c->s, err, "%s is a memory instruction: its width must not be 0", opcode);
    if (width && check_addresses(c, &at, (uint32_t)mask, err) < 0) return -1;
    const char *imm = field(&at);
    if (imm && !is_whole(imm + (*imm == '-'), 10, &v)) return source_bad(c->s, err, "'%s' after the instruction", imm);
    if (imm && field(&at)) return source_bad(c->s, err, "more than an immediate after the instruction");
    *is_exit = row->cls == TRACE_EXIT;
    if (*is_exit) *alive &= ~(uint32_t)mask;
    c->report.lines++;
    return 0;
}

static int check_warp(struct checker *c, bool seen[32], struct error *err)
{
    unsigned warp, n;
    int end = 0;
    if (sscanf(c->line, "warp = %u%n", &warp, &end) != 1 || c->line[end])
        return source_bad(c->s, err, "'warp = w' or '#END_TB' is needed");
    if (warp >= c->n_warps || seen[warp])
        return source_bad(c->s, err, "warp %u: the block has warps 0 to %u, each once", warp, c->n_warps - 1);
    seen[warp] = true;
    int more = read_filled(c, err);
    if (more < 0) return -1;
    end = 0;
    if (!more || sscanf(c->line, "insts = %u%n", &n, &end) != 1 || c->line[end] || !n)
        return source_bad(c->s, err, "'insts = n' with n >= 1 is needed");
    const unsigned threads = (unsigned)(c->block[0] * c->block[1] * c->block[2]), left = threads - warp * 32;
    uint32_t alive = left >= 32 ? UINT32_MAX : (1u << left) - 1;
    bool is_exit = false;
    for (unsigned i = 0; i < n; i++) {
        more = read_filled(c, err);
        if (more <= 0) return more < 0 ? -1 : source_bad(c->s, err, "the file ends within warp %u", warp);
        if (!isxdigit((unsigned char)*c->line) && *c->line != ' ')
            return source_bad(c->s, err, "warp %u has %u instructions, not %u", warp, i, n);
        if (check_inst(c, &alive, &is_exit, err) < 0) return -1;
    }
    if (!is_exit || alive)
        return source_bad(c->s, err, "warp %u does not end with EXIT of all its live lanes (%08x)", warp, alive);
    c->report.warps++;
    return 0;
}

static int check_block(struct checker *c, struct error *err)
{
    bool seen[32] = {false};
    unsigned x, y, z;
    int end = 0, more = read_filled(c, err);
    if (more <= 0 || sscanf(c->line, "thread block = %u,%u,%u%n", &x, &y, &z, &end) != 3 || c->line[end])
        return more < 0 ? -1 : source_bad(c->s, err, "'thread block = x,y,z' is needed");
    if (x >= c->grid[0] || y >= c->grid[1] || z >= c->grid[2])
        return source_bad(c->s, err, "block %u,%u,%u is outside the grid", x, y, z);
    while ((more = read_filled(c, err)) > 0 && strcmp(c->line, "#END_TB") != 0)
        if (check_warp(c, seen, err) < 0) return -1;
    if (more <= 0) return more < 0 ? -1 : source_bad(c->s, err, "the file ends within a block");
    for (unsigned w = 0; w < c->n_warps; w++)
        if (!seen[w]) return source_bad(c->s, err, "warp %u of the block is missing", w);
    c->report.blocks++;
    return 0;
}

static int check_source(struct accelsim_report *out, struct text_source *s, struct error *err)
{
    struct checker c = {.s = s};
    int more, result = check_header(&c, err);
    if (result < 0) return -1;
    while ((more = read_filled(&c, err)) > 0) {
        if (strcmp(c.line, "#BEGIN_TB") != 0) return source_bad(s, err, "'%.40s': '#BEGIN_TB' is needed", c.line);
        if (check_block(&c, err) < 0) return -1;
    }
    if (more < 0) return -1;
    const unsigned __int128 blocks = (unsigned __int128)c.grid[0] * c.grid[1] * c.grid[2];
    if (blocks != c.report.blocks)
        return source_bad(s, err, "the file has %llu blocks; the grid has %s", (unsigned long long)c.report.blocks,
                          blocks > c.report.blocks ? "more" : "fewer");
    if (out) *out = c.report;
    return 0;
}

int accelsim_check(struct accelsim_report *out, const char *path, struct error *err)
{
    struct text_source s;
    if (!has_ending(path, ".traceg") && !has_ending(path, ".xz"))
        return error_set(err, ERR_INPUT,
                         "%s: a kernel file's name ends in .traceg or .xz; the other simulator opens nothing else",
                         path);
    if (source_open(&s, path, 64u << 20, err) < 0) return -1;
    const int result = check_source(out, &s, err);
    source_close(&s);
    return result;
}

int accelsim_check_text(struct accelsim_report *out, const char *name, const void *data, size_t size, struct error *err)
{
    struct text_source s;
    if (source_open_memory(&s, name, data, size, 64u << 20, err) < 0) return -1;
    const int result = check_source(out, &s, err);
    source_close(&s);
    return result;
}

int accelsim_check_list(struct accelsim_report *out, const char *path, struct error *err)
{
    struct accelsim_list list;
    const char *slash = strrchr(path, '/');
    int result = accelsim_list_read(&list, path, err);
    *out = (struct accelsim_report){0};
    size_t kernels = 0;
    for (size_t i = 0; i < list.n && result == 0; i++) {
        char file[4096];
        struct accelsim_report one = {0};
        if (!list.commands[i].is_kernel) continue;
        kernels++;
        snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, list.commands[i].file);
        if (file[strcspn(file,
                         " '\"$`;&|<>(){}*?[]\\!#~")]) /* the other simulator passes it unquoted through a shell */
            result = error_set(err, ERR_INPUT, "%s: the name has a character that a shell would read", file);
        if (result == 0) result = accelsim_check(&one, file, err);
        out->blocks += one.blocks;
        out->warps += one.warps;
        out->lines += one.lines;
        out->memory_lines += one.memory_lines;
    }
    accelsim_list_fini(&list);
    if (result == 0 && kernels == 0) result = error_set(err, ERR_INPUT, "%s: names no kernel", path);
    return result;
}
