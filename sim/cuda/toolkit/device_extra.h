/* Device functions that clang's headers leave to NVIDIA's: atomics on generic addresses, min and max of integers. */
#ifndef POISE_DEVICE_EXTRA_H
#define POISE_DEVICE_EXTRA_H
#define POISE_D static inline __device__ __attribute__((always_inline))

#define POISE_ATOMIC(name, op, signed_op) \
    POISE_D int atomic##name(int *p, int v) { return signed_op(p, v, __ATOMIC_RELAXED); } \
    POISE_D unsigned atomic##name(unsigned *p, unsigned v) { return op(p, v, __ATOMIC_RELAXED); } \
    POISE_D unsigned long long atomic##name(unsigned long long *p, unsigned long long v) \
    { \
        return op(p, v, __ATOMIC_RELAXED); \
    }
POISE_ATOMIC(Add, __atomic_fetch_add, __atomic_fetch_add)
POISE_ATOMIC(And, __atomic_fetch_and, __atomic_fetch_and)
POISE_ATOMIC(Or, __atomic_fetch_or, __atomic_fetch_or)
POISE_ATOMIC(Xor, __atomic_fetch_xor, __atomic_fetch_xor)
POISE_ATOMIC(Min, __atomic_fetch_min, __atomic_fetch_min)
POISE_ATOMIC(Max, __atomic_fetch_max, __atomic_fetch_max)
#undef POISE_ATOMIC
POISE_D int atomicSub(int *p, int v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
POISE_D unsigned atomicSub(unsigned *p, unsigned v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
POISE_D float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
POISE_D double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
POISE_D unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
POISE_D unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
POISE_D int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
POISE_D unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
POISE_D float atomicExch(float *p, float v)
{
    return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v)));
}
POISE_D unsigned long long atomicExch(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v);
}
POISE_D int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
POISE_D unsigned atomicCAS(unsigned *p, unsigned old, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
POISE_D unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}
/* ---- matches, reductions over a warp, and addresses, which clang's headers of this version lack ---- */
POISE_D unsigned poise_match_any(unsigned mask, unsigned v)
{
    unsigned r;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));
    return r;
}
POISE_D unsigned poise_match_any(unsigned mask, unsigned long long v)
{
    unsigned r;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(mask));
    return r;
}
POISE_D unsigned poise_match_all(unsigned mask, unsigned v, int *all)
{
    unsigned r;
    asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b32 %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"
                 : "=r"(r), "=r"(*all)
                 : "r"(v), "r"(mask));
    return r;
}
POISE_D unsigned poise_match_all(unsigned mask, unsigned long long v, int *all)
{
    unsigned r;
    asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b64 %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"
                 : "=r"(r), "=r"(*all)
                 : "l"(v), "r"(mask));
    return r;
}
template <int bytes> struct poise_word {
    typedef unsigned type;
};
template <> struct poise_word<8> {
    typedef unsigned long long type;
};
template <class T> POISE_D typename poise_word<sizeof(T)>::type poise_bits_of(T v)
{
    typename poise_word<sizeof(T)>::type r;
    __builtin_memcpy(&r, &v, sizeof r);
    return r;
}
template <class T> POISE_D unsigned __match_any_sync(unsigned mask, T v)
{
    return poise_match_any(mask, poise_bits_of(v));
}
template <class T> POISE_D unsigned __match_all_sync(unsigned mask, T v, int *all)
{
    return poise_match_all(mask, poise_bits_of(v), all);
}
/* clang-format off */
#define POISE_REDUX(name, op, type, kind) POISE_D type __reduce_##name##_sync(unsigned mask, type v) \
    { type r; asm volatile("redux.sync." op "." kind " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); return r; }
/* clang-format on */
/* clang-format off */
POISE_REDUX(add, "add", int, "s32") POISE_REDUX(min, "min", int, "s32") POISE_REDUX(max, "max", int, "s32")
POISE_REDUX(add, "add", unsigned, "u32") POISE_REDUX(min, "min", unsigned, "u32")
POISE_REDUX(max, "max", unsigned, "u32")
POISE_REDUX(and, "and", unsigned, "b32") POISE_REDUX(or, "or", unsigned, "b32")
POISE_REDUX(xor, "xor", unsigned, "b32")
#undef POISE_REDUX
POISE_D size_t __cvta_generic_to_shared(const void *p)
{
    size_t r;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
/* clang-format on */
POISE_D size_t __cvta_generic_to_global(const void *p)
{
    size_t r;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
POISE_D void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
#undef POISE_D

#define POISE_HD2 static inline __host__ __device__ __attribute__((always_inline))
#define POISE_MIN_MAX(type) \
    POISE_HD2 type min(type a, type b) { return a < b ? a : b; } \
    POISE_HD2 type max(type a, type b) { return a > b ? a : b; }
POISE_MIN_MAX(unsigned)
POISE_MIN_MAX(unsigned long)
POISE_MIN_MAX(unsigned long long)
POISE_MIN_MAX(long)
POISE_MIN_MAX(long long)
#undef POISE_MIN_MAX
/* clang has those of int for the device. Without the others an argument would silently become one. */
POISE_HD2 float min(float a, float b) { return fminf(a, b); }
POISE_HD2 float max(float a, float b) { return fmaxf(a, b); }
POISE_HD2 double min(double a, double b) { return fmin(a, b); }
POISE_HD2 double max(double a, double b) { return fmax(a, b); }
#undef POISE_HD2
/* On the host nvcc has them in the global namespace as well. */
static inline __host__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ int max(int a, int b) { return a > b ? a : b; }
#endif
