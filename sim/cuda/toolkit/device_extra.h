/* Device functions that clang's headers leave to NVIDIA's: atomics on generic addresses, min and max of integers. */
#ifndef POISE_DEVICE_EXTRA_H
#define POISE_DEVICE_EXTRA_H
#define POISE_D static inline __device__ __attribute__((always_inline))

#define POISE_ATOMIC(name, op, signed_op)                                                                             \
    POISE_D int atomic##name(int *p, int v) { return signed_op(p, v, __ATOMIC_RELAXED); }                             \
    POISE_D unsigned atomic##name(unsigned *p, unsigned v) { return op(p, v, __ATOMIC_RELAXED); }                     \
    POISE_D unsigned long long atomic##name(unsigned long long *p, unsigned long long v) { return op(p, v, __ATOMIC_RELAXED); }
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
POISE_D float atomicExch(float *p, float v) { return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))); }
POISE_D unsigned long long atomicExch(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
POISE_D int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
POISE_D unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) { return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v); }
POISE_D unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v) { return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v); }
#undef POISE_D

#define POISE_HD2 static inline __host__ __device__ __attribute__((always_inline))
#define POISE_MIN_MAX(type)                                                                                           \
    POISE_HD2 type min(type a, type b) { return a < b ? a : b; }                                                      \
    POISE_HD2 type max(type a, type b) { return a > b ? a : b; }
POISE_MIN_MAX(unsigned)
POISE_MIN_MAX(unsigned long)
POISE_MIN_MAX(unsigned long long)
#undef POISE_MIN_MAX
#undef POISE_HD2
/* On the host nvcc has these in the global namespace as well. */
#define POISE_MIN_MAX(type)                                                                                           \
    static inline __host__ type min(type a, type b) { return a < b ? a : b; }                                         \
    static inline __host__ type max(type a, type b) { return a > b ? a : b; }
POISE_MIN_MAX(int)
POISE_MIN_MAX(long)
POISE_MIN_MAX(long long)
POISE_MIN_MAX(float)
POISE_MIN_MAX(double)
#undef POISE_MIN_MAX
#endif
