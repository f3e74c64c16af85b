/* Barriers in shared memory on which threads arrive and wait apart, by the primitives [CUDA C++ programming guide,
 * Memory Barrier Primitives Interface]. */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#include <cuda_runtime.h>
#include <stdint.h>
#define POISE_D static inline __device__ __attribute__((always_inline))
typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

POISE_D unsigned poise_mbarrier(const __mbarrier_t *b)
{
    unsigned long long at;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(b));
    return (unsigned)at;
}
POISE_D uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
POISE_D void __mbarrier_init(__mbarrier_t *b, uint32_t n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(poise_mbarrier(b)), "r"(n) : "memory");
}
POISE_D void __mbarrier_inval(__mbarrier_t *b)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(poise_mbarrier(b)) : "memory");
}
POISE_D __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(poise_mbarrier(b)) : "memory");
    return token;
}
POISE_D __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(poise_mbarrier(b)) : "memory");
    return token;
}
POISE_D uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    uint32_t n;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"((unsigned long long)token));
    return n;
}
POISE_D bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t token)
{
    int done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(poise_mbarrier(b)), "l"((unsigned long long)token)
                 : "memory");
    return done != 0;
}
POISE_D bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool parity)
{
    int done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(poise_mbarrier(b)), "r"((unsigned)parity)
                 : "memory");
    return done != 0;
}
/* Nobody sleeps: the answer is there at once. */
POISE_D bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t token, uint32_t)
{
    return __mbarrier_test_wait(b, token);
}
POISE_D bool __mbarrier_try_wait_parity(__mbarrier_t *b, bool parity, uint32_t)
{
    return __mbarrier_test_wait_parity(b, parity);
}
#undef POISE_D
#endif
