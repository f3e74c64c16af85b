/* cub's operators, pairs, iterators over indices, and shuffles of any type. */
#ifndef POISE_CUB_UTIL_H
#define POISE_CUB_UTIL_H
#include <cuda_runtime.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <type_traits>
#define CUB_VERSION 200000
#define CUB_PTX_WARP_THREADS 32
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NS_QUALIFIER ::cub
#define CubDebug(e) (e)
#define CubDebugExit(e) (void)(e)
#define POISE_HD __host__ __device__ __forceinline__

namespace cub
{
#define POISE_OPERATOR(Name, result) \
    struct Name { \
        template <class A, class B> POISE_HD auto operator()(const A &a, const B &b) const { return result; } \
    };
POISE_OPERATOR(Sum, a + b)
POISE_OPERATOR(Difference, a - b)
POISE_OPERATOR(Division, a / b)
POISE_OPERATOR(Equality, a == b)
POISE_OPERATOR(Inequality, !(a == b))
#undef POISE_OPERATOR
struct Max {
    template <class T> POISE_HD T operator()(const T &a, const T &b) const { return b > a ? b : a; }
};
struct Min {
    template <class T> POISE_HD T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    POISE_HD KeyValuePair() {}
    POISE_HD KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
    POISE_HD bool operator!=(const KeyValuePair &b) const { return key != b.key || value != b.value; }
};
struct ArgMax { /* the first of equals */
    template <class P> POISE_HD P operator()(const P &a, const P &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class P> POISE_HD P operator()(const P &a, const P &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <class T> struct CastOp {
    template <class A> POISE_HD T operator()(const A &a) const { return (T)a; }
};
struct NullType {
};
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    POISE_HD DoubleBuffer() : selector(0) { d_buffers[0] = d_buffers[1] = nullptr; }
    POISE_HD DoubleBuffer(T *current, T *other) : selector(0) { d_buffers[0] = current, d_buffers[1] = other; }
    POISE_HD T *Current() { return d_buffers[selector]; }
    POISE_HD T *Alternate() { return d_buffers[selector ^ 1]; }
};

/* An iterator that is a function of an index. */
template <class Self, class T> struct IndexIterator {
    typedef T value_type;
    typedef T reference;
    typedef T *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    ptrdiff_t at;
    POISE_HD explicit IndexIterator(ptrdiff_t i = 0) : at(i) {}
    POISE_HD T operator*() const { return self()[0]; }
    POISE_HD Self operator+(ptrdiff_t n) const
    {
        Self s = self();
        s.at += n;
        return s;
    }
    POISE_HD Self operator-(ptrdiff_t n) const { return *this + -n; }
    POISE_HD ptrdiff_t operator-(const Self &b) const { return at - b.at; }
    POISE_HD Self &operator++() { return ++at, *(Self *)this; }
    POISE_HD Self &operator+=(ptrdiff_t n) { return at += n, *(Self *)this; }
    POISE_HD bool operator==(const Self &b) const { return at == b.at; }
    POISE_HD bool operator!=(const Self &b) const { return at != b.at; }

  private:
    POISE_HD const Self &self() const { return *(const Self *)this; }
};
template <class T, class Offset = ptrdiff_t>
struct CountingInputIterator : IndexIterator<CountingInputIterator<T, Offset>, T> {
    T first;
    POISE_HD explicit CountingInputIterator(const T &v) : first(v) {}
    POISE_HD T operator[](ptrdiff_t i) const { return first + (T)(this->at + i); }
};
template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator : IndexIterator<ConstantInputIterator<T, Offset>, T> {
    T value;
    POISE_HD explicit ConstantInputIterator(const T &v) : value(v) {}
    POISE_HD T operator[](ptrdiff_t) const { return value; }
};
template <class T, class F, class It, class Offset = ptrdiff_t>
struct TransformInputIterator : IndexIterator<TransformInputIterator<T, F, It, Offset>, T> {
    It base;
    F f;
    POISE_HD TransformInputIterator(It it, F op) : base(it), f(op) {}
    POISE_HD T operator[](ptrdiff_t i) const { return f(base[this->at + i]); }
};
template <class It, class Offset = ptrdiff_t, class V = typename std::iterator_traits<It>::value_type>
struct ArgIndexInputIterator : IndexIterator<ArgIndexInputIterator<It, Offset, V>, KeyValuePair<Offset, V>> {
    It base;
    POISE_HD explicit ArgIndexInputIterator(It it) : base(it) {}
    POISE_HD KeyValuePair<Offset, V> operator[](ptrdiff_t i) const
    {
        return KeyValuePair<Offset, V>((Offset)(this->at + i), base[this->at + i]);
    }
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier how, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator : IndexIterator<CacheModifiedInputIterator<how, T, Offset>, T> {
    const T *base;
    POISE_HD explicit CacheModifiedInputIterator(const T *p) : base(p) {}
    POISE_HD T operator[](ptrdiff_t i) const { return base[this->at + i]; }
};
template <CacheLoadModifier how, class It> __device__ __forceinline__ auto ThreadLoad(It it) { return *it; }
template <CacheStoreModifier how, class It, class T> __device__ __forceinline__ void ThreadStore(It it, T v)
{
    *it = v;
}

static __device__ __forceinline__ unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
static __device__ __forceinline__ unsigned WarpId() { return __nvvm_read_ptx_sreg_warpid(); }
static __device__ __forceinline__ int RowMajorTid(int x, int y, int)
{
    return (int)((threadIdx.z * y + threadIdx.y) * x + threadIdx.x);
}
/* v of the lane of this warp, word by word. */
template <class T> __device__ __forceinline__ T poise_from_lane(unsigned lanes, const T &v, int lane)
{
    unsigned words[(sizeof(T) + 3) / 4] = {};
    T r = v;
    __builtin_memcpy(words, &v, sizeof(T));
#pragma unroll
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = __shfl_sync(lanes, words[i], lane);
    __builtin_memcpy(&r, words, sizeof(T));
    return r;
}
template <int width, class T> __device__ __forceinline__ T ShuffleUp(T v, int by, int first, unsigned lanes)
{
    const int lane = (int)LaneId();
    return poise_from_lane(lanes, v, lane % width - by < first ? lane : lane - by);
}
template <int width, class T> __device__ __forceinline__ T ShuffleDown(T v, int by, int last, unsigned lanes)
{
    const int lane = (int)LaneId();
    return poise_from_lane(lanes, v, lane % width + by > last ? lane : lane + by);
}
template <int width, class T> __device__ __forceinline__ T ShuffleIndex(T v, int from, unsigned lanes)
{
    return poise_from_lane(lanes, v, (int)LaneId() / width * width + from);
}

/* Keys as whole numbers in whose order radix sorts put them. */
template <size_t bytes> struct poise_unsigned;
template <> struct poise_unsigned<1> {
    typedef uint8_t type;
};
template <> struct poise_unsigned<2> {
    typedef uint16_t type;
};
template <> struct poise_unsigned<4> {
    typedef uint32_t type;
};
template <> struct poise_unsigned<8> {
    typedef uint64_t type;
};
template <class K> __host__ __device__ typename poise_unsigned<sizeof(K)>::type poise_radix(const K &key)
{
    typedef typename poise_unsigned<sizeof(K)>::type U;
    constexpr U top = (U)((U)1 << (8 * sizeof(K) - 1));
    U bits;
    __builtin_memcpy(&bits, &key, sizeof(K));
    if constexpr (std::is_integral<K>::value) return std::is_signed<K>::value ? (U)(bits ^ top) : bits;
    if (bits == top) bits = 0; /* both zeros are equal */
    return bits & top ? (U)~bits : (U)(bits | top);
}
template <class K> struct poise_radix_less {
    unsigned shift;
    uint64_t mask;
    bool descends;
    __host__ __device__ poise_radix_less(int begin, int end, bool falls)
        : shift((unsigned)begin), mask(end - begin >= 64 ? ~0ull : (1ull << (end - begin)) - 1), descends(falls)
    {
    }
    __host__ __device__ bool operator()(const K &a, const K &b) const
    {
        const uint64_t x = (uint64_t)poise_radix(a) >> shift & mask, y = (uint64_t)poise_radix(b) >> shift & mask;
        return descends ? x > y : x < y;
    }
};
} // namespace cub
#endif
