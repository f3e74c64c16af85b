/* Parts that a trace may have besides its steps: all in the same way, in both forms. */
#include "internal.h"

#include <string.h>

#define PART(section, item, field) \
    { \
        SECTION_##section, BLOCK_##section, sizeof(struct item), offsetof(struct trace, field), \
            offsetof(struct trace, n_##field) \
    }
const struct trace_part trace_parts[N_TRACE_PARTS] = {PART(SPUN, trace_spun, spun), PART(WORDS, trace_word, words),
                                                      PART(WAITS, trace_wait, waits),
                                                      PART(WRITES, trace_write, writes)};

const void *trace_part_data(const struct trace *t, const struct trace_part *p)
{
    const void *data;
    memcpy(&data, (const char *)t + p->data, sizeof data);
    return data;
}

uint64_t trace_part_count(const struct trace *t, const struct trace_part *p)
{
    uint64_t count;
    memcpy(&count, (const char *)t + p->count, sizeof count);
    return count;
}

void trace_part_set(struct trace *t, const struct trace_part *p, const void *data, uint64_t count)
{
    memcpy((char *)t + p->data, &data, sizeof data);
    memcpy((char *)t + p->count, &count, sizeof count);
}

int trace_part_find(const struct container *in, const struct trace_part *p, const struct section **section,
                    uint64_t *count, struct error *err)
{
    enum { MOST = 4 * TRACE_LANES }; /* words that one step touches */
    const struct section *s = *section = container_find(in, p->type);
    *count = s ? s->raw / p->item : 0;
    if (!s || (s->raw && s->raw % p->item == 0 && *count / MOST <= in->header.n_steps)) return 0;
    return container_bad(err, in->name, (long)s->offset, "section %s has %llu bytes", section_name(p->type),
                         (unsigned long long)s->raw);
}
