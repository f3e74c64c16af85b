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

/* cudaStreamCreateWithFlags(&stream, flags): grids that a grid launches run one after another in any case. */
static int stream_new(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const uint64_t handle = 1;
    unsigned char *at = lane_memory(r, w, u, lane, argument(r, w, u, 0, lane), sizeof handle);
    if (!at) return -1;
    memcpy(at, &handle, sizeof handle);
    r->changed = r->counts.warp_insts;
    result(r, w, u, lane, 0);
    return 0;
}

/* cudaGraphSetConditional(handle, value) */
static int set_condition(struct run *r, struct warp *w, const struct uop *u, uint32_t lane)
{
    const uint32_t value = (uint32_t)argument(r, w, u, 1, lane);
    unsigned char *at = lane_memory(r, w, u, lane, argument(r, w, u, 0, lane), sizeof value);
    if (!at) return -1;
    memcpy(at, &value, sizeof value);
    r->changed = r->counts.warp_insts;
    return 0;
}

int exec_builtin(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const struct ptx_services *s = r->services;
    if (r->shadows) return -1; /* its order shows: all of it is done again on one thread */
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        switch ((enum builtin)u->op) {
        case BUILTIN_PRINTF:
            if (print(r, w, u, l) < 0) return -1;
            break;
        case BUILTIN_ASSERT: return fail_assertion(r, w, u, l);
        case BUILTIN_MALLOC:
            result(r, w, u, l, s && s->allocate ? s->allocate(s->self, argument(r, w, u, 0, l)) : 0);
            break;
        case BUILTIN_FREE: {
            const uint64_t address = argument(r, w, u, 0, l);
            if (!address || !s || !s->release) break;
            if (s->release(s->self, address) < 0)
                return run_fault(r, w, u, l, "free of 0x%llx, which malloc did not give", (unsigned long long)address);
            forget_extents(r);
            break;
        }
        case BUILTIN_LAUNCH_ROOM:
            if (launch_room(r, w, u, l) < 0) return -1;
            break;
        case BUILTIN_LAUNCH:
            result(r, w, u, l, s && s->launch ? s->launch(s->self, argument(r, w, u, 0, l)) : 1);
            forget_extents(r);
            break;
        case BUILTIN_STREAM_NEW:
            if (stream_new(r, w, u, l) < 0) return -1;
            break;
        case BUILTIN_SET_CONDITION:
            if (set_condition(r, w, u, l) < 0) return -1;
            break;
        case BUILTIN_NOTHING: result(r, w, u, l, 0); break;
        }
    }
    return 0;
}
