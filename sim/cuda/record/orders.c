/* Launches whose atomics are performed in an order that is given: POISE_ATOMIC_ORDER names a folder with NNNN.order for
 * launch NNNN of the program, as 'poise sim --check' writes it. How far it could be followed goes beside it, into
 * NNNN.followed. A launch without a file runs as always. */
#include "driver/shim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "poise/file.h"

static void path_of(const struct recorder *r, const char *ending, char *out, size_t size)
{
    snprintf(out, size, "%s/%04" PRIu64 ".%s", r->orders, r->launches, ending);
}

int order_begin(const struct recorder *r, struct ptx_order **out, struct error *err)
{
    char path[4096], *text;
    size_t size;
    *out = NULL;
    if (!*r->orders) return 0;
    path_of(r, "order", path, sizeof path);
    if (access(path, F_OK) != 0) return 0;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = ptx_order_parse(out, path, text, size, err);
    free(text);
    return result;
}

int order_end(const struct recorder *r, struct ptx_order *order, struct error *err)
{
    char path[4096], text[200];
    if (!order) return 0;
    const struct ptx_order_counts c = ptx_order_counts(order);
    ptx_order_free(order);
    path_of(r, "followed", path, sizeof path);
    const int n = snprintf(text, sizeof text,
                           "listed %" PRIu64 "\nin_order %" PRIu64 "\nleft_out %" PRIu64 "\nbeyond %" PRIu64 "\n",
                           c.listed, c.in_order, c.left_out, c.beyond);
    return file_write(path, text, (size_t)n, err);
}
