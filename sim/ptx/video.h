/* How decode_video.c tells exec_video.c what to do. */
#ifndef PTX_VIDEO_H
#define PTX_VIDEO_H
enum video_op { VIDEO_ADD, VIDEO_SUB, VIDEO_AVRG, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE,
                VIDEO_GT, VIDEO_GE };
enum { VIDEO_A_SIGNED = 1, VIDEO_B_SIGNED = 2, VIDEO_D_SIGNED = 4, VIDEO_SATURATES = 8, VIDEO_ADDS = 16 };
#endif
