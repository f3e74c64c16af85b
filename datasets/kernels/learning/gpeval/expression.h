/* Expressions in postfix order, a byte a node. Included by kernel.cu and host.c. */
#ifndef GPEVAL_EXPRESSION_H
#define GPEVAL_EXPRESSION_H
#ifdef __CUDA__
#define GP static inline __device__
#else
#define GP static inline
#endif
#define GP_VARIABLES 64
#define GP_CONSTANTS 16
#define GP_BYTES_MAX 16384 /* of all expressions */
#define GP_EXPRESSIONS_MAX 256
enum {
    GP_END,
    GP_ADD,
    GP_SUBTRACT,
    GP_MULTIPLY,
    GP_DIVIDE,
    GP_LARGER,
    GP_OPERATORS,
    GP_VARIABLE = 8,
    GP_CONSTANT = GP_VARIABLE + GP_VARIABLES
};
/* What a node from GP_CONSTANT on stands for: -1, -7/8, ... 7/8. */
GP float gp_constant(unsigned node)
{
    return (float)((int)node - GP_CONSTANT - GP_CONSTANTS / 2) * (2.0f / GP_CONSTANTS);
}
#endif
