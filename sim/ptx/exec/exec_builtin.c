/* vprintf, __assertfail, malloc and free: functions that device code declares and CUDA's run time provides. They run
 * lane after lane, ascending. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"

#define MAX_TEXT 8192u    /* of a format or a string argument */
#define MAX_OUTPUT 16384u /* of one vprintf */
#define MAX_FIELD 1024    /* width and precision */

struct output {
    char text[MAX_OUTPUT];
    size_t n;
};

static uint64_t argument(const struct run *r, const struct warp *w, const struct uop *u, uint32_t index, uint32_t lane)
{
    const struct call_arg *a = &r->kernel->args[(size_t)u->imm + index];
    uint64_t value = 0;
    memcpy(&value, w->regs + a->slot + (size_t)lane * a->bytes, a->bytes);
    return value;
}

static void result(const struct run *r, struct warp *w, const struct uop *u, uint32_t lane, uint64_t value)
{
    const struct call_arg *a = &r->kernel->args[(size_t)u->imm + u->e];
    memcpy(w->regs + a->slot + (size_t)lane * a->bytes, &value, a->bytes);
}

/* A string of the device, cut at size - 1 bytes. */
static int read_text(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                     char *text, size_t size)
{
    size_t n = 0;
    for (; n + 1 < size; n++) {
        const unsigned char *at = lane_memory(r, w, u, lane, address + n, 1);
        if (!at) return -1;
        if (!*at) break;
        text[n] = (char)*at;
    }
    text[n] = '\0';
    return 0;
}

static void put(struct output *out, const char *text, size_t n)
{
    const size_t room = sizeof out->text - out->n;
    if (n > room) n = room;
    memcpy(out->text + out->n, text, n);
    out->n += n;
}

/* One conversion of a format: "%-08.3lf" */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    bool is_wide;
    char letter;
};

struct arguments {
    uint64_t at;
    uint32_t n;
};

/* The next argument, at its own alignment. */
static int take(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, struct arguments *args,
                uint32_t bytes, uint64_t *value)
{
    args->at = (args->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *at = lane_memory(r, w, u, lane, args->at, bytes);
    if (!at) return -1;
    *value = 0;
    memcpy(value, at, bytes);
    args->at += bytes;
    args->n++;
    return 0;
}

static int field(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, struct arguments *args,
                 const char **at, int *out)
{
    uint64_t value;
    long n = 0;
    if (**at == '*') {
        if (take(r, w, u, lane, args, 4, &value) < 0) return -1;
        n = (int32_t)(uint32_t)value;
        ++*at;
    } else {
        while (**at >= '0' && **at <= '9') {
            n = n > MAX_FIELD ? n : n * 10 + (**at - '0');
            ++*at;
        }
    }
    *out = n > MAX_FIELD ? MAX_FIELD : n < -MAX_FIELD ? -MAX_FIELD : (int)n;
    return 0;
}

static int parse_conversion(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane,
                            struct arguments *args, const char **at, struct conversion *c)
{
    size_t n = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; **at && strchr("-+ #0", **at); ++*at)
        if (n < sizeof c->flags - 2 && !strchr(c->flags, **at)) c->flags[n++] = **at;
    if (**at == '*' || (**at >= '0' && **at <= '9')) {
        if (field(r, w, u, lane, args, at, &c->width) < 0) return -1;
        if (c->width < 0) { /* a negative width means '-' */
            c->width = -c->width;
            if (!strchr(c->flags, '-')) c->flags[n++] = '-';
        }
    }
    if (**at == '.') {
        ++*at;
        if (field(r, w, u, lane, args, at, &c->precision) < 0) return -1;
        if (c->precision < 0) c->precision = -1;
    }
    for (; **at && strchr("hlLjzt", **at); ++*at) c->is_wide |= **at != 'h';
    c->letter = **at;
    if (**at) ++*at;
    return 0;
}

static void specifier(const struct conversion *c, const char *length, char letter, char *out, size_t size)
{
    char width[16] = "", precision[16] = "";
    if (c->width >= 0) snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(out, size, "%%%s%s%s%s%c", c->flags, width, precision, length, letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int convert(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, struct arguments *args,
                   const struct conversion *c, struct output *out)
{
    char format[64], text[MAX_TEXT + 2 * MAX_FIELD], string[MAX_TEXT];
    uint64_t value;
    int n = 0;
    if (c->letter == '%') {
        put(out, "%", 1);
        return 0;
    }
    if (!c->letter || !strchr("diouxXcspfFeEgGaA", c->letter)) return 0;
    const bool is_int = strchr("diouxXc", c->letter) != NULL;
    if (take(r, w, u, lane, args, is_int && !c->is_wide ? 4 : 8, &value) < 0) return -1;
    if (c->letter == 's') {
        if (read_text(r, w, u, lane, value, string, sizeof string) < 0) return -1;
        specifier(c, "", 's', format, sizeof format);
        n = snprintf(text, sizeof text, format, string);
    } else if (c->letter == 'p') {
        specifier(c, "ll", 'x', format, sizeof format);
        n = snprintf(string, sizeof string, format, (unsigned long long)value);
        n = snprintf(text, sizeof text, "0x%s", string);
    } else if (c->letter == 'c') {
        specifier(c, "", 'c', format, sizeof format);
        n = snprintf(text, sizeof text, format, (int)(unsigned char)value);
    } else if (is_int) {
        const bool is_signed = c->letter == 'd' || c->letter == 'i';
        specifier(c, "ll", c->letter, format, sizeof format);
        const long long wide =
            is_signed ? (c->is_wide ? (long long)value : (long long)(int32_t)(uint32_t)value) : (long long)value;
        n = snprintf(text, sizeof text, format, wide);
    } else {
        double x;
        memcpy(&x, &value, 8);
        specifier(c, "", c->letter, format, sizeof format);
        n = snprintf(text, sizeof text, format, x);
    }
    if (n > 0) put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    return 0;
}
#pragma GCC diagnostic pop

/* vprintf(format, arguments): the arguments lie one behind the other, each at its alignment. */
static int print(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    char format[MAX_TEXT];
    struct output out = {.n = 0};
    struct arguments args = {argument(r, w, u, 1, lane), 0};
    if (read_text(r, w, u, lane, argument(r, w, u, 0, lane), format, sizeof format) < 0) return -1;
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        put(&out, at, plain);
        at += plain;
        if (!*at) break;
        at++;
        struct conversion c;
        if (parse_conversion(r, w, u, lane, &args, &at, &c) < 0 || convert(r, w, u, lane, &args, &c, &out) < 0)
            return -1;
    }
    if (r->services && r->services->print) r->services->print(r->services->self, out.text, out.n);
    result(r, w, u, lane, args.n);
    return 0;
}

/* __assertfail(message, file, line, function, size of a character) */
static int fail_assertion(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane)
{
    char message[200], file[120], function[160];
    if (read_text(r, w, u, lane, argument(r, w, u, 0, lane), message, sizeof message) < 0 ||
        read_text(r, w, u, lane, argument(r, w, u, 1, lane), file, sizeof file) < 0 ||
        read_text(r, w, u, lane, argument(r, w, u, 3, lane), function, sizeof function) < 0)
        return -1;
    return run_fault(r, w, u, lane, "%s:%u: %s: assertion `%s' failed", file, (uint32_t)argument(r, w, u, 2, lane),
                     function, message);
}

/* Parameters: the kernel's address, grid, block (three words each), dynamic shared memory. The room is new memory. */
static int launch_room(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_module *m = r->kernel->module;
    const struct call_arg *args = &r->kernel->args[(size_t)u->imm];
    struct ptx_device_launch launch = {.shared_bytes = (uint32_t)argument(r, w, u, 3, lane)};
    const uint64_t number = (argument(r, w, u, 0, lane) - PTX_CODE_WINDOW) / 16;
    while (launch.kernel < m->n_kernels && m->kernels[launch.kernel].number != number) launch.kernel++;
    if (launch.kernel == m->n_kernels)
        return run_fault(r, w, u, lane, "a launch of 0x%llx, which is no kernel of this module",
                         (unsigned long long)argument(r, w, u, 0, lane));
    memcpy(launch.grid, w->regs + args[1].slot + (size_t)lane * args[1].bytes, sizeof launch.grid);
    memcpy(launch.block, w->regs + args[2].slot + (size_t)lane * args[2].bytes, sizeof launch.block);
    const struct ptx_services *s = r->services;
    result(r, w, u, lane, s && s->launch_room ? s->launch_room(s->self, &launch) : 0);
    return 0;
}

/* What was looked up before may be gone. */
static void forget_extents(struct run *r)
{
    memset(r->extents, 0, ((size_t)r->kernel->n_code + 1) * sizeof *r->extents);
}

/* What a function gives by a pointer. */
static int give(struct run *r, struct warp *w, const struct uop *u, uint32_t lane, uint64_t value, uint32_t bytes)
{
    unsigned char *at = lane_memory(r, w, u, lane, argument(r, w, u, 0, lane), bytes);
    if (!at) return -1;
    memcpy(at, &value, bytes);
    r->changed = r->counts.warp_insts;
    return 0;
}

/* cudaMemcpyAsync(to, from, bytes, kind, stream) and its like: done in the order of the grid's launches. */
static int copy_later(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_services *s = r->services;
    uint64_t a[6];
    for (uint32_t i = 0; i < 6; i++) a[i] = i < u->e ? argument(r, w, u, i, lane) : 0;
    struct ptx_device_copy c = {.to = a[0]};
    switch ((enum builtin)u->op) {
    case BUILTIN_COPY: c.from = a[1], c.width = a[2], c.rows = 1; break;
    case BUILTIN_COPY_ROWS: c.to_pitch = a[1], c.from = a[2], c.from_pitch = a[3], c.width = a[4], c.rows = a[5]; break;
    case BUILTIN_SET: c.sets = true, c.value = (uint8_t)a[1], c.width = a[2], c.rows = 1; break;
    default: c.sets = true, c.to_pitch = a[1], c.value = (uint8_t)a[2], c.width = a[3], c.rows = a[4]; break;
    }
    if (!s || !s->copy) return run_fault(r, w, u, lane, "a copy by a kernel, which is not offered here");
    result(r, w, u, lane, s->copy(s->self, &c));
    return 0;
}

/* cudaMalloc(&pointer, bytes) */
static int allocate_at(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_services *s = r->services;
    const uint64_t at = s && s->allocate ? s->allocate(s->self, argument(r, w, u, 1, lane)) : 0;
    result(r, w, u, lane, at ? 0 : 2 /* cudaErrorMemoryAllocation */);
    return give(r, w, u, lane, at, sizeof at);
}

static int release(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_services *s = r->services;
    const uint64_t address = argument(r, w, u, 0, lane);
    if (u->d2) result(r, w, u, lane, 0);
    if (!address || !s || !s->release) return 0;
    if (s->release(s->self, address) < 0)
        return run_fault(r, w, u, lane, "free of 0x%llx, which malloc did not give", (unsigned long long)address);
    forget_extents(r);
    return 0;
}

/* cudaDeviceGetAttribute(&value, which, device) */
static int attribute(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const struct ptx_services *s = r->services;
    const int which = (int)argument(r, w, u, 1, lane), device = (int)argument(r, w, u, 2, lane);
    int32_t value = 0;
    const uint32_t error = s && s->attribute ? s->attribute(s->self, which, device, &value) : 1;
    result(r, w, u, lane, error);
    return error ? 0 : give(r, w, u, lane, (uint32_t)value, sizeof value);
}

/* A function that needs one lane's arguments alone, and may end the launch. */
static int call_lane(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    switch ((enum builtin)u->op) {
    case BUILTIN_PRINTF: return print(r, w, u, lane);
    case BUILTIN_ASSERT: return fail_assertion(r, w, u, lane);
    case BUILTIN_FREE: return release(r, w, u, lane);
    case BUILTIN_LAUNCH_ROOM: return launch_room(r, w, u, lane);
    case BUILTIN_COPY:
    case BUILTIN_COPY_ROWS:
    case BUILTIN_SET:
    case BUILTIN_SET_ROWS: return copy_later(r, w, u, lane);
    case BUILTIN_MALLOC_AT: return allocate_at(r, w, u, lane);
    case BUILTIN_ATTRIBUTE: return attribute(r, w, u, lane);
    case BUILTIN_HANDLE_NEW: result(r, w, u, lane, 0); return give(r, w, u, lane, 1, 8);
    case BUILTIN_DEVICE: result(r, w, u, lane, 0); return give(r, w, u, lane, 0, 4);
    case BUILTIN_DEVICES: result(r, w, u, lane, 0); return give(r, w, u, lane, 1, 4);
    case BUILTIN_SET_CONDITION: /* cudaGraphSetConditional(handle, value) */
        return give(r, w, u, lane, (uint32_t)argument(r, w, u, 1, lane), 4);
    default: result(r, w, u, lane, 0); return 0;
    }
}

int exec_builtin(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const struct ptx_services *s = r->services;
    if (r->shadows) return -1; /* its order shows: all of it is done again on one thread */
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        if (u->op == BUILTIN_MALLOC) {
            result(r, w, u, l, s && s->allocate ? s->allocate(s->self, argument(r, w, u, 0, l)) : 0);
        } else if (u->op == BUILTIN_LAUNCH) {
            result(r, w, u, l, s && s->launch ? s->launch(s->self, argument(r, w, u, 0, l)) : 1);
            forget_extents(r);
        } else if (call_lane(r, w, u, l) < 0) {
            return -1;
        }
    }
    return 0;
}
