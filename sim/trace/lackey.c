/* Valgrind lackey's text -> access stream. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cpu_stream.h"

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* What Valgrind's lackey prints with --trace-mem=yes: one line an instruction or access.
 *   I  04016f00,3      instruction                       [Valgrind User Manual, 'Lackey: an example tool', --trace-mem]
 *    L 1ffeffe7e,8     load      S ..  store      M ..  modify: a load and a store of the same instruction
 * Lines that begin with == or -- or ** are Valgrind's own. */
enum lackey_kind { LACKEY_OTHER, LACKEY_INST, LACKEY_LOAD, LACKEY_STORE, LACKEY_MODIFY, LACKEY_BAD };
struct lackey_line {
    uint64_t address;
    uint32_t bytes;
};
static enum lackey_kind lackey_parse(const char *line, struct lackey_line *out)
{
    enum lackey_kind kind = LACKEY_BAD;
    if (line[0] == 'I' && line[1] == ' ' && line[2] == ' ') kind = LACKEY_INST;
    else if (line[0] == ' ' && line[1] && line[2] == ' ')
        kind = line[1] == 'L'   ? LACKEY_LOAD
               : line[1] == 'S' ? LACKEY_STORE
               : line[1] == 'M' ? LACKEY_MODIFY
                                : LACKEY_BAD;
    else if (line[0] && line[0] == line[1] && strchr("=-*", line[0])) return LACKEY_OTHER;
    if (kind == LACKEY_BAD) return LACKEY_BAD;
    const char *at = line + 3;
    uint64_t address = 0;
    uint32_t bytes = 0;
    int digits = 0;
    for (int d; (d = hex_digit(*at)) >= 0 && digits < 16; at++, digits++) address = address << 4 | (uint64_t)d;
    if (!digits || *at++ != ',') return LACKEY_BAD;
    for (digits = 0; *at >= '0' && *at <= '9' && digits < 4; at++, digits++) bytes = bytes * 10 + (uint32_t)(*at - '0');
    if (!digits || (*at && *at != '\n')) return LACKEY_BAD;
    *out = (struct lackey_line){address, bytes};
    return kind;
}

/* ---- pages in the order of their first touch: a hash table with open addressing ---- */

struct pages {
    uint64_t *keys; /* page of the program + 1; 0: empty */
    uint32_t *frames;
    uint64_t mask, n;
};

static uint64_t place_of(const struct pages *p, uint64_t page)
{
    uint64_t at = page * 0x9e3779b97f4a7c15ull >> 20 & p->mask;
    while (p->keys[at] && p->keys[at] != page + 1) at = (at + 1) & p->mask;
    return at;
}

static bool pages_grow(struct pages *p)
{
    const uint64_t size = p->keys ? 2 * (p->mask + 1) : 1024;
    struct pages larger = {calloc(size, sizeof *larger.keys), calloc(size, sizeof *larger.frames), size - 1, p->n};
    if (!larger.keys || !larger.frames) {
        free(larger.keys);
        free(larger.frames);
        return false;
    }
    for (uint64_t i = 0; p->keys && i <= p->mask; i++) {
        if (!p->keys[i]) continue;
        const uint64_t at = place_of(&larger, p->keys[i] - 1);
        larger.keys[at] = p->keys[i];
        larger.frames[at] = p->frames[i];
    }
    free(p->keys);
    free(p->frames);
    *p = larger;
    return true;
}

/* The address in the program's own memory. False: no memory of ours. */
static bool pages_translate(struct pages *p, uint64_t *address)
{
    if ((!p->keys || 2 * p->n > p->mask) && !pages_grow(p)) return false;
    const uint64_t page = *address / CPU_PAGE_BYTES, at = place_of(p, page);
    if (!p->keys[at]) {
        p->keys[at] = page + 1;
        p->frames[at] = (uint32_t)p->n++;
    }
    *address = p->frames[at] * (uint64_t)CPU_PAGE_BYTES + *address % CPU_PAGE_BYTES;
    return true;
}

/* ---- the stream ---- */

struct builder {
    struct cpu_access *accesses;
    uint64_t n, room, insts;
    uint32_t begun;
    struct pages pages;
};

static bool add_access(struct builder *b, const struct lackey_line *line, bool is_store)
{
    if (b->n == b->room) {
        const uint64_t room = b->room ? 2 * b->room : 4096;
        struct cpu_access *larger = realloc(b->accesses, room * sizeof *larger);
        if (!larger) return false;
        b->accesses = larger;
        b->room = room;
    }
    uint64_t address = line->address;
    if (!pages_translate(&b->pages, &address)) return false;
    b->accesses[b->n++] =
        (struct cpu_access){address, b->begun, is_store, (uint8_t)(line->bytes > 128 ? 128 : line->bytes), 0};
    b->begun = 0;
    return true;
}

/* 1: go on; 0: there is enough; -1: an error. */
static int take_line(struct builder *b, const char *name, long number, const char *text, uint64_t skip, uint64_t insts,
                     struct error *err)
{
    struct lackey_line line = {0, 0};
    const enum lackey_kind kind = lackey_parse(text, &line);
    if (kind == LACKEY_OTHER) return 1;
    if (kind == LACKEY_BAD || (kind != LACKEY_INST && line.bytes == 0)) {
        error_set(err, ERR_INPUT, "%s: line %ld is none of lackey's: '%.60s'", name, number, text);
        return error_at(err, name, number, -1,
                        "record with valgrind --tool=lackey --trace-mem=yes, its log and nothing else");
    }
    if (kind == LACKEY_INST) {
        if (b->insts == skip + insts) return 0;
        b->insts++;
        b->begun += b->insts > skip;
        return 1;
    }
    if (b->insts <= skip) return 1;
    const bool done =
        (kind == LACKEY_STORE || add_access(b, &line, false)) && (kind == LACKEY_LOAD || add_access(b, &line, true));
    return done ? 1 : error_set(err, ERR_MEMORY, "%s: no memory for %" PRIu64 " accesses", name, b->n);
}

int cpu_stream_from_lackey(struct cpu_stream **out, const char *name, FILE *text, uint64_t skip, uint64_t insts,
                           const char *provenance, struct error *err)
{
    struct builder b = {0};
    char *line = NULL;
    size_t size = 0;
    long number = 0;
    int result = 1;
    *out = NULL;
    while (result > 0 && getline(&line, &size, text) >= 0)
        result = take_line(&b, name, ++number, line, skip, insts, err);
    free(line);
    if (result >= 0 && b.insts <= skip) {
        result = error_set(err, ERR_INPUT,
                           "%s: the program ended after %" PRIu64 " instructions; %" PRIu64 " were to be skipped", name,
                           b.insts, skip);
    } else if (result >= 0) {
        const struct cpu_stream_counts counts = {b.insts - skip, b.n, b.pages.n, skip};
        result = cpu_stream_new(out, &counts, b.accesses, provenance, err);
        b.accesses = NULL;
    }
    free(b.accesses);
    free(b.pages.keys);
    free(b.pages.frames);
    return result < 0 ? -1 : 0;
}
