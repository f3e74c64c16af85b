/* Atomics of whole numbers of 32 bits, which most are, for a warp at once: lane after lane, ascending, as
 * atomic_perform does it for one. */
#include <string.h>
#include "exec/exec.h"

/* Whether a word has another value than before, in any lane. */
typedef bool words_fn(unsigned char *regs, const struct uop *u, uint32_t mask, const uint64_t hosts[LANES]);

/* Of lane l: what is there, the operand, and the second of cas. */
#define WORDS(name, result) \
    static bool name(unsigned char *regs, const struct uop *u, uint32_t mask, const uint64_t hosts[LANES]) \
    { \
        uint32_t changed = 0; \
        for (uint32_t left = mask; left; left &= left - 1) { \
            const uint32_t l = (uint32_t)__builtin_ctz(left); \
            unsigned char *at = (unsigned char *)(uintptr_t)hosts[l]; \
            uint32_t old, b, after; \
            memcpy(&old, at, 4); \
            memcpy(&b, regs + u->b + l * 4, 4); \
            after = (result); \
            memcpy(at, &after, 4); \
            changed |= after ^ old; \
            if (u->d != NO_SLOT) memcpy(regs + u->d + l * 4, &old, 4); \
        } \
        return changed != 0; \
    }
static uint32_t third(const unsigned char *regs, const struct uop *u, uint32_t l)
{
    uint32_t c;
    memcpy(&c, regs + u->c + l * 4, 4);
    return c;
}
WORDS(add_words, old + b)
WORDS(min_unsigned, b < old ? b : old)
WORDS(max_unsigned, b > old ? b : old)
WORDS(min_signed, (int32_t)b < (int32_t)old ? b : old)
WORDS(max_signed, (int32_t)b > (int32_t)old ? b : old)
WORDS(and_words, old &b)
WORDS(or_words, old | b)
WORDS(xor_words, old ^ b)
WORDS(exchange_words, b)
WORDS(compare_words, old == b ? third(regs, u, l) : old)

static words_fn *function_of(const struct uop *u)
{
    const bool is_signed = u->type == T_S32;
    if (u->bytes != 4 || u->n_vec > 1 || (u->type != T_U32 && u->type != T_S32 && u->type != T_B32)) return NULL;
    switch (u->op) {
    case TRACE_ATOMIC_ADD: return add_words;
    case TRACE_ATOMIC_MIN: return is_signed ? min_signed : min_unsigned;
    case TRACE_ATOMIC_MAX: return is_signed ? max_signed : max_unsigned;
    case TRACE_ATOMIC_AND: return and_words;
    case TRACE_ATOMIC_OR: return or_words;
    case TRACE_ATOMIC_XOR: return xor_words;
    case TRACE_ATOMIC_EXCH: return exchange_words;
    case TRACE_ATOMIC_CAS: return u->c == NO_SLOT ? NULL : compare_words;
    default: return NULL;
    }
}

bool atomic_words(const struct warp *w, const struct uop *u, uint32_t mask, const uint64_t hosts[LANES], bool *changed)
{
    words_fn *perform = function_of(u);
    if (perform) *changed = perform(w->regs, u, mask, hosts);
    return perform != NULL;
}
