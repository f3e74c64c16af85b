/* How decode_video.c tells exec_video.c what to do. */
#ifndef PTX_VIDEO_H
#define PTX_VIDEO_H
#include <stdint.h>
enum video_op {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVRG,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_EQ,
    VIDEO_NE,
    VIDEO_LT,
    VIDEO_LE,
    VIDEO_GT,
    VIDEO_GE
};
enum { VIDEO_A_SIGNED = 1, VIDEO_B_SIGNED = 2, VIDEO_D_SIGNED = 4, VIDEO_SATURATES = 8, VIDEO_ADDS = 16 };

/* Scalar video instructions: what uop.imm holds. */
enum video_scalar {
    SCALAR_ADD,
    SCALAR_SUB,
    SCALAR_ABSDIFF,
    SCALAR_MIN,
    SCALAR_MAX,
    SCALAR_SHL,
    SCALAR_SHR,
    SCALAR_MAD,
    SCALAR_SET
};
struct video_spelling {
    uint8_t op, compare;            /* enum video_scalar; SET: enum video_op */
    uint8_t a_part, b_part, d_part; /* as struct operand's */
    uint8_t second;                 /* 0 none, 1 add, 2 min, 3 max */
    uint8_t flags;                  /* VIDEO_A_SIGNED .. VIDEO_SATURATES, and the ones below */
    uint8_t shift;                  /* MAD: of the result */
};
enum { VIDEO_WRAPS = 32, VIDEO_PLUS_ONE = 64 };
#endif
