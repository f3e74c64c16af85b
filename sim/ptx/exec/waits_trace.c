/* What was waited for, as the trace has it: only words that some wait names, in order. */
#include <stdlib.h>
#include "exec/waits.h"

static int by_address(const void *a, const void *b)
{
    const struct trace_word *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->cta < y->cta ? -1 : x->cta > y->cta;
}

static int by_step(uint64_t a, uint32_t a_word, uint64_t b, uint32_t b_word)
{
    if (a != b) return a < b ? -1 : 1;
    return a_word < b_word ? -1 : a_word > b_word;
}

static int by_write(const void *a, const void *b)
{
    const struct trace_write *x = a, *y = b;
    return by_step(x->step, x->word, y->step, y->word);
}

static int by_wait(const void *a, const void *b)
{
    const struct trace_wait *x = a, *y = b;
    return by_step(x->step, x->word, y->step, y->word);
}

/* Each word's number in the trace, from 1 on; 0: no wait names it. */
static void number_words(const struct waits *x, struct trace_waited *out, uint32_t *numbers)
{
    for (size_t i = 0; i < x->n_found; i++) numbers[x->found[i].word] = 1;
    for (size_t i = 0; i < x->n_words; i++) /* `reserved` keeps whose it is until they are sorted */
        if (numbers[i])
            out->words[out->n_words++] = (struct trace_word){x->words[i].address, x->words[i].cta, (uint32_t)i};
    qsort(out->words, out->n_words, sizeof *out->words, by_address);
    for (uint32_t i = 0; i < out->n_words; i++) {
        numbers[out->words[i].reserved] = i + 1;
        out->words[i].reserved = 0;
    }
}

static void put_lists(const struct waits *x, const struct trace_writer *recorder, struct trace_waited *out,
                      const uint32_t *numbers)
{
    for (size_t i = 0; i < x->n_log; i++) {
        const struct change *c = &x->log[i];
        if (numbers[c->word])
            out->writes[out->n_writes++] =
                (struct trace_write){trace_writer_first_step(recorder, c->warp) + c->step, numbers[c->word] - 1, 0};
    }
    for (size_t i = 0; i < x->n_found; i++) {
        const struct found_wait *f = &x->found[i];
        out->waits[out->n_waits++] = (struct trace_wait){trace_writer_first_step(recorder, f->warp) + f->step, f->count,
                                                         numbers[f->word] - 1, f->round};
    }
    qsort(out->writes, out->n_writes, sizeof *out->writes, by_write);
    qsort(out->waits, out->n_waits, sizeof *out->waits, by_wait);
}

int waits_record(struct run *r, struct trace_writer *recorder)
{
    const struct waits *x = r->waits;
    struct trace_waited out = {0};
    if (x->lacks_memory || x->gives_up || !x->n_found)
        return x->lacks_memory ? error_set(r->err, ERR_MEMORY, "kernel %s: out of memory for what its warps wait for",
                                           r->kernel->info.name)
                               : 0;
    uint32_t *numbers = calloc(x->n_words + 1, sizeof *numbers);
    out.words = malloc((x->n_words + 1) * sizeof *out.words);
    out.writes = malloc((x->n_log + 1) * sizeof *out.writes);
    out.waits = malloc((x->n_found + 1) * sizeof *out.waits);
    if (numbers && out.words && out.writes && out.waits) {
        number_words(x, &out, numbers);
        put_lists(x, recorder, &out, numbers);
        free(numbers);
        trace_writer_waited(recorder, &out);
        return 0;
    }
    free(numbers);
    free(out.words);
    free(out.writes);
    free(out.waits);
    return error_set(r->err, ERR_MEMORY, "kernel %s: out of memory for what its warps wait for", r->kernel->info.name);
}
