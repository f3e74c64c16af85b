/* SIMD video instructions on two 16-bit or four 8-bit elements. [PTX ISA 9.7.17] type: the flags below; op: what is done. */
#include "lane_macros.h"
#include "video.h"

static inline s32 element(u32 x, int k, int bits, bool is_signed)
{
    const u32 raw = x >> k * bits & ((1u << bits) - 1);
    return is_signed ? (s32)(raw << (32 - bits)) >> (32 - bits) : (s32)raw;
}

static inline s32 operate(uint8_t op, s32 a, s32 b)
{
    switch ((enum video_op)op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_AVRG: return (a + b + 1) >> 1;
    case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    case VIDEO_EQ: return a == b;
    case VIDEO_NE: return a != b;
    case VIDEO_LT: return a < b;
    case VIDEO_LE: return a <= b;
    case VIDEO_GT: return a > b;
    case VIDEO_GE: return a >= b;
    }
    return 0;
}

static inline u32 video_of(const struct uop *u, u32 a, u32 b, u32 c, int bits)
{
    const s32 top = (s32)(u->type & VIDEO_D_SIGNED ? (1u << (bits - 1)) - 1 : (1u << bits) - 1);
    const s32 bottom = u->type & VIDEO_D_SIGNED ? -top - 1 : 0;
    u32 packed = 0, total = c;
    for (int k = 0; k < 32 / bits; k++) {
        s32 x = operate(u->op, element(a, k, bits, u->type & VIDEO_A_SIGNED), element(b, k, bits, u->type & VIDEO_B_SIGNED));
        if (u->type & VIDEO_SATURATES) x = x > top ? top : x < bottom ? bottom : x;
        packed |= ((u32)x & ((1u << bits) - 1)) << k * bits;
        total += (u32)x;
    }
    return u->type & VIDEO_ADDS ? total : packed;
}

#define VIDEO_ROWS(L3)                                                                                                \
    L3(video2, u32, u32, u32, u32, video_of(u, a, b, c, 16))                                                          \
    L3(video4, u32, u32, u32, u32, video_of(u, a, b, c, 8))
VIDEO_ROWS(FN3)
const struct lane_op VARIANT(lanes_video)[] = {VIDEO_ROWS(ROW3){NULL, NULL, 0, {0}, 0}};
