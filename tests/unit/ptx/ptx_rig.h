/* A small device for PTX tests: a megabyte of memory with named allocations, modules from text, one-instruction
 * kernels. */
#ifndef PTX_RIG_H
#define PTX_RIG_H
#include "rig.h"
#include "where.h"
#include "poise/file.h"
#include "poise/ptx.h"

#define RIG_BASE 0x7f0000000000ull
#define RIG_BYTES (1u << 20)
#define HEADER ".version 6.3\n.target sm_75\n.address_size 64\n"

struct rig_device {
    unsigned char *bytes;
    struct ptx_extent allocations[16];
    size_t n;
    uint64_t top;
    unsigned finds;
    struct ptx_memory memory;
};

static inline struct ptx_extent rig_find(void *self, uint64_t address)
{
    struct rig_device *d = self;
    d->finds++;
    for (size_t i = 0; i < d->n; i++)
        if (address >= d->allocations[i].lo && address < d->allocations[i].hi) return d->allocations[i];
    return (struct ptx_extent){0, 0, NULL};
}

static inline void rig_init(struct rig_device *d)
{
    memset(d, 0, sizeof *d);
    d->bytes = aligned_alloc(256, RIG_BYTES);
    memset(d->bytes, 0, RIG_BYTES);
    d->memory = (struct ptx_memory){d->bytes, RIG_BASE, RIG_BYTES, rig_find, d};
}

static inline void rig_fini(struct rig_device *d) { free(d->bytes); }

/* Each allocation at the next multiple of 512, so that neighbours are never adjacent. */
static inline uint64_t rig_alloc(struct rig_device *d, size_t bytes, const void *init)
{
    const uint64_t at = RIG_BASE + d->top;
    d->top += (bytes + 1023) / 512 * 512;
    assert_true(d->n < 16 && d->top <= RIG_BYTES);
    d->allocations[d->n++] = (struct ptx_extent){at, at + bytes, NULL};
    if (init) memcpy(d->bytes + (at - RIG_BASE), init, bytes);
    return at;
}

static inline void *rig_host(struct rig_device *d, uint64_t address) { return d->bytes + (address - RIG_BASE); }

/* tests/unit/ptx/kernels/FILE. */
static inline struct ptx_module *rig_module_file(const char *file)
{
    char path[512], *text;
    size_t size;
    struct error err = {0};
    struct ptx_module *m;
    snprintf(path, sizeof path, "%s/tests/unit/ptx/kernels/%s", POISE_SOURCE_DIR, file);
    assert_ok(file_read(&text, &size, path, &err), &err);
    assert_ok(ptx_module_new(&m, file, text, size, &err), &err);
    free(text);
    return m;
}

static inline struct ptx_module *rig_module(const char *text)
{
    struct error err = {0};
    struct ptx_module *m;
    if (ptx_module_new(&m, "test.ptx", text, strlen(text), &err) < 0) fail_msg("%s\n%s", err.text, text);
    return m;
}

/* Runs the first kernel of the text with 64-bit parameters; returns ptx_run's result. */
static inline int rig_try(struct rig_device *d, const char *text, uint32_t grid, uint32_t block, const uint64_t *params,
                          size_t n, struct error *err)
{
    struct ptx_module *m = rig_module(text);
    const struct ptx_grid g = {{grid, 1, 1}, {block, 1, 1}, 0};
    struct ptx_counts counts;
    const int rc = ptx_run(ptx_module_kernel(m, 0), &g, params, n * 8, &d->memory, NULL, 1000000, &counts, err);
    ptx_module_free(m);
    return rc;
}

static inline void rig_run(struct rig_device *d, const char *text, uint32_t grid, uint32_t block,
                           const uint64_t *params, size_t n)
{
    struct error err = {0};
    if (rig_try(d, text, grid, block, params, n, &err) < 0) fail_msg("%s\n%s", err.text, text);
}

/* A body with registers %r %f %rd %fd %rs %p, %r0 = tid.x, and the parameter `out` in %rd0. */
static inline const char *rig_kernel(char *text, size_t size, const char *body)
{
    snprintf(
        text, size,
        HEADER
        ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<20>; .reg .b16 %%rs<20>; .reg .b32 %%r<40>; .reg .f32 "
        "%%f<40>;"
        " .reg .b64 %%rd<40>; .reg .f64 %%fd<40>;\nmov.u32 %%r0, %%tid.x; ld.param.u64 %%rd0, [out];\n%s\nret;\n}\n",
        body);
    return text;
}

/* Runs a body with `threads` threads of one CTA; returns out[0 .. words). */
static inline void rig_body(const char *body, uint32_t threads, uint32_t *out, size_t words)
{
    char text[8192];
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, words * 4, NULL);
    rig_run(&d, rig_kernel(text, sizeof text, body), 1, threads, &at, 1);
    memcpy(out, rig_host(&d, at), words * 4);
    rig_fini(&d);
}

/* One instruction over arrays: "add.s32 d, a, b" with d, a, b, c of the given types ("" if unused). n <= 1024
 * elements, so that the last warp is partial for most n. */
static inline void rig_op(const char *inst, const char *td, const char *ta, const char *tb, const char *tc, uint32_t n,
                          void *d_out, size_t d_size, const void *a, const void *b, const void *c)
{
    static const char *const names = "abc";
    const char *types[] = {ta, tb, tc};
    const void *in[] = {a, b, c};
    char text[4096];
    struct rig_device dev;
    rig_init(&dev);
    uint64_t params[4] = {0};
    size_t at =
        (size_t)snprintf(text, sizeof text,
                         HEADER ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
                                ".reg .b64 %%x, %%y, %%z, %%t; .reg .b32 %%i; .reg .pred p, q;\nmov.u32 %%i, %%tid.x;\n"
                                ".reg .%s d;\n",
                         td);
    for (int k = 0; k < 3; k++) {
        if (!types[k] || !*types[k]) continue;
        const size_t bytes = (size_t)atoi(types[k] + 1) / 8;
        params[k] = rig_alloc(&dev, bytes * n, in[k]);
        at +=
            (size_t)snprintf(text + at, sizeof text - at,
                             ".reg .%s %c; ld.param.u64 %%x, [p%c]; mul.wide.u32 %%y, %%i, %zu; add.u64 %%x, %%x, %%y; "
                             "ld.global.%s %c, [%%x];\n",
                             types[k], names[k], names[k], bytes, types[k], names[k]);
    }
    params[3] = rig_alloc(&dev, d_size * n, NULL);
    snprintf(text + at, sizeof text - at,
             "%s;\nld.param.u64 %%x, [pd]; mul.wide.u32 %%y, %%i, %zu; add.u64 %%x, %%x, %%y; st.global.%s [%%x], "
             "d;\nret;\n}\n",
             inst, d_size, td);
    rig_run(&dev, text, 1, n, params, 4);
    memcpy(d_out, rig_host(&dev, params[3]), d_size * n);
    rig_fini(&dev);
}
#endif
