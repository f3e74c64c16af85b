/* Operators that cuda_fp16.h and cuda_bf16.h both have. */
#ifndef POISE_FLOAT16_OPERATORS_H
#define POISE_FLOAT16_OPERATORS_H
/* clang-format off */
#define POISE_STEPS(type, one) \
    POISE_HD type operator+(const type &a) { return a; } \
    POISE_HD type &operator++(type &a) { return a += one; } \
    POISE_HD type &operator--(type &a) { return a -= one; } \
    POISE_HD type operator++(type &a, int) \
    { \
        const type before = a; \
        ++a; \
        return before; \
    } \
    POISE_HD type operator--(type &a, int) \
    { \
        const type before = a; \
        --a; \
        return before; \
    }
#define POISE_PAIRS(type) \
    POISE_HD bool operator==(const type &a, const type &b) { return __hbeq2(a, b); } \
    POISE_HD bool operator!=(const type &a, const type &b) { return __hbne2(a, b); } \
    POISE_HD bool operator<(const type &a, const type &b) { return __hblt2(a, b); } \
    POISE_HD bool operator<=(const type &a, const type &b) { return __hble2(a, b); } \
    POISE_HD bool operator>(const type &a, const type &b) { return __hbgt2(a, b); } \
    POISE_HD bool operator>=(const type &a, const type &b) { return __hbge2(a, b); }
/* clang-format on */
#endif
