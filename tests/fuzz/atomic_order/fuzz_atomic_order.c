/* Any bytes as an order of atomics: refused with a text, or read, with nothing followed yet. */
#include <stdlib.h>
#include "poise/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct ptx_order *order;
    if (ptx_order_parse(&order, "fuzz.order", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0' || order) abort();
        return 0;
    }
    const struct ptx_order_counts counts = ptx_order_counts(order);
    if (counts.listed != counts.left_out || counts.in_order || counts.beyond) abort();
    ptx_order_free(order);
    return 0;
}
