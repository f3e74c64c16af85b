/* Our static code as text: base64 of a zstd frame of launch, instructions and strings. What came from a file is
 * checked here for its sizes, and by the writer for its content. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "accelsim_internal.h"

enum { CODE_VERSION = 1, CODE_MAX_BYTES = 16 << 20 };
struct code_head {
    uint32_t version, n_strings, has_raw_local, reserved;
    struct trace_launch launch;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64_encode(const uint8_t *data, size_t size)
{
    char *text = malloc(4 * ((size + 2) / 3) + 1);
    size_t n = 0;
    for (size_t i = 0; text && i < size; i += 3) {
        const uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
        const uint32_t v =
            (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0u);
        for (uint32_t k = 0; k < 4; k++) text[n++] = k <= left ? digits[v >> (18 - 6 * k) & 63] : '=';
    }
    if (text) text[n] = '\0';
    return text;
}

static uint8_t *base64_decode(const char *text, size_t *size)
{
    const size_t n = strspn(text, digits);
    uint8_t *data = malloc(n / 4 * 3 + 4);
    uint32_t v = 0;
    *size = 0;
    for (size_t i = 0; data && i < n; i++) {
        v = v << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4 == 3) {
            data[(*size)++] = (uint8_t)(v >> 16);
            data[(*size)++] = (uint8_t)(v >> 8);
            data[(*size)++] = (uint8_t)v;
        }
    }
    if (data && n % 4 == 2) data[(*size)++] = (uint8_t)(v >> 4);
    if (data && n % 4 == 3) {
        data[(*size)++] = (uint8_t)(v >> 10);
        data[(*size)++] = (uint8_t)(v >> 2);
    }
    return data;
}

char *sass_code_pack(const struct trace *trace, bool has_raw_local, struct error *err)
{
    const size_t code_bytes = trace->launch.n_code * sizeof *trace->code,
                 size = sizeof(struct code_head) + code_bytes + trace->n_strings;
    const size_t bound = ZSTD_compressBound(size);
    uint8_t *raw = malloc(size), *packed = malloc(bound);
    char *text = NULL;
    if (raw && packed) {
        /* The writer puts the kernel's name behind the other strings; it is not stored twice. */
        const struct code_head head = {CODE_VERSION, trace->launch.kernel, has_raw_local, 0, trace->launch};
        memcpy(raw, &head, sizeof head);
        memcpy(raw + sizeof head, trace->code, code_bytes);
        memcpy(raw + sizeof head + code_bytes, trace->strings, head.n_strings);
        const size_t n = ZSTD_compress(packed, bound, raw, sizeof head + code_bytes + head.n_strings, 9);
        if (!ZSTD_isError(n)) text = base64_encode(packed, n);
    }
    free(raw);
    free(packed);
    if (!text) error_set(err, ERR_MEMORY, "%s: no memory for the static code", trace_kernel(trace));
    return text;
}

void sass_code_fini(struct sass_code *c)
{
    free(c->code);
    free(c->strings);
    *c = (struct sass_code){0};
}

static int take(struct sass_code *out, const uint8_t *raw, size_t size)
{
    struct code_head head;
    if (size < sizeof head) return -1;
    memcpy(&head, raw, sizeof head);
    const uint64_t code_bytes = (uint64_t)head.launch.n_code * sizeof *out->code;
    if (head.version != CODE_VERSION || head.launch.n_code == 0 || head.launch.n_code > 65535 ||
        sizeof head + code_bytes + head.n_strings != size)
        return -1;
    out->launch = head.launch;
    out->n_strings = head.n_strings;
    out->has_raw_local = head.has_raw_local != 0;
    out->code = malloc(code_bytes);
    out->strings = malloc(head.n_strings + 1);
    if (!out->code || !out->strings) return -1;
    memcpy(out->code, raw + sizeof head, code_bytes);
    memcpy(out->strings, raw + sizeof head + code_bytes, head.n_strings);
    for (uint32_t i = 0; i < head.launch.n_code; i++) /* the shapes are made from these before the writer checks them */
        if (out->code[i].n_dst > TRACE_MAX_DST || out->code[i].n_src > TRACE_MAX_SRC ||
            out->code[i].cls >= TRACE_N_CLASSES || out->code[i].space >= TRACE_N_SPACES)
            return -1;
    return 0;
}

int sass_code_unpack(struct sass_code *out, const char *text, const char *name, struct error *err)
{
    size_t size;
    *out = (struct sass_code){0};
    uint8_t *packed = base64_decode(text, &size);
    const unsigned long long raw_size = packed ? ZSTD_getFrameContentSize(packed, size) : 0;
    uint8_t *raw = raw_size && raw_size <= CODE_MAX_BYTES ? malloc(raw_size) : NULL;
    const size_t n = raw ? ZSTD_decompress(raw, raw_size, packed, size) : 0;
    const int result = raw && !ZSTD_isError(n) && n == raw_size ? take(out, raw, n) : -1;
    free(packed);
    free(raw);
    if (result == 0) return 0;
    sass_code_fini(out);
    error_set(err, ERR_INPUT, "%s: the static code in the header is damaged", name);
    return error_at(err, name, 0, -1, "to read the file without it, delete what follows 'poise-code=' and that word");
}
