/* cub's algorithms over whole arrays, on the kernels of bits/parallel.h. As in cub, a call without room says how much
 * it wants. */
#ifndef POISE_CUB_DEVICE_H
#define POISE_CUB_DEVICE_H
#include <bits/parallel.h>
#include "util.h"

namespace cub
{
template <class It> using poise_value = typename std::iterator_traits<It>::value_type;
#define POISE_ROOM(wanted) \
    if (!room) { \
        bytes = (wanted) + 1; \
        return cudaSuccess; \
    }
template <class It> struct poise_load {
    It from;
    __device__ auto operator()(size_t i) { return (poise_value<It>)from[i]; }
};
template <class It> struct poise_store {
    It to;
    template <class T> __device__ void operator()(size_t i, const T &v) { to[i] = v; }
};

struct DeviceReduce {
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t Reduce(void *room, size_t &bytes, In in, Out out, N n, Op op, T first, cudaStream_t stream = 0,
                              bool = false)
    {
        POISE_ROOM(poise::parallel::reduce_room<T>((size_t)n))
        return poise::parallel::reduce<T>(stream, room, (size_t)n, poise_load<In>{in}, op, true, first,
                                          poise_store<Out>{out});
    }
    template <class In, class Out, class N, class T, class Op, class F>
    static cudaError_t TransformReduce(void *room, size_t &bytes, In in, Out out, N n, Op op, F f, T first,
                                       cudaStream_t stream = 0)
    {
        POISE_ROOM(poise::parallel::reduce_room<T>((size_t)n))
        auto load = [=] __device__(size_t i) mutable -> T { return f(in[i]); };
        return poise::parallel::reduce<T>(stream, room, (size_t)n, load, op, true, first, poise_store<Out>{out});
    }
    template <class In, class Out, class N>
    static cudaError_t Sum(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, n, cub::Sum(), sum_type<In, Out>(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Min(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, n, cub::Min(), std::numeric_limits<poise_value<In>>::max(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Max(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, n, cub::Max(), std::numeric_limits<poise_value<In>>::lowest(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t ArgMin(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0, bool = false)
    {
        return arg(room, bytes, in, out, n, cub::ArgMin(), std::numeric_limits<poise_value<In>>::max(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t ArgMax(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0, bool = false)
    {
        return arg(room, bytes, in, out, n, cub::ArgMax(), std::numeric_limits<poise_value<In>>::lowest(), stream);
    }
    /* Runs of equal keys, each to one. */
    template <class Keys, class Unique, class Values, class Sums, class Runs, class Op, class N>
    static cudaError_t ReduceByKey(void *room, size_t &bytes, Keys keys, Unique unique, Values values, Sums sums,
                                   Runs runs, Op op, N n, cudaStream_t stream = 0, bool = false)
    {
        typedef poise_value<Values> T;
        POISE_ROOM(poise::parallel::scan_room<segment<T>>((size_t)n))
        const size_t count = (size_t)n;
        auto load = [=] __device__(size_t i) mutable {
            return segment<T>{i == 0 || !(keys[i] == keys[i - 1]) ? size_t(1) : size_t(0), (T)values[i]};
        };
        auto join = [=] __device__(const segment<T> &a, const segment<T> &b) {
            return segment<T>{a.runs + b.runs, b.runs ? b.sum : (T)op(a.sum, b.sum)};
        };
        auto emit = [=] __device__(size_t i, bool, const segment<T> &, const segment<T> &upto) mutable {
            if (i + 1 < count && keys[i + 1] == keys[i]) return;
            unique[upto.runs - 1] = keys[i];
            sums[upto.runs - 1] = upto.sum;
            if (i + 1 == count) *runs = upto.runs;
        };
        return poise::parallel::scan<segment<T>>(stream, room, count, load, join, false, segment<T>(), emit);
    }

  private:
    template <class T> struct segment {
        size_t runs;
        T sum;
    };
    template <class In, class Out> static auto sum_type()
    {
        if constexpr (std::is_same<poise_value<In>, bool>::value || !std::is_same<poise_value<Out>, void>::value)
            return poise_value<Out>();
        else return poise_value<In>();
    }
    template <class In, class Out, class N, class Op, class T>
    static cudaError_t arg(void *room, size_t &bytes, In in, Out out, N n, Op op, T first, cudaStream_t stream)
    {
        return Reduce(room, bytes, ArgIndexInputIterator<In, int>(in), out, n, op, KeyValuePair<int, T>(1, first),
                      stream);
    }
};

struct DeviceScan {
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t ExclusiveScan(void *room, size_t &bytes, In in, Out out, Op op, T first, N n,
                                     cudaStream_t stream = 0, bool = false)
    {
        POISE_ROOM(poise::parallel::scan_room<T>((size_t)n))
        auto load = [=] __device__(size_t i) mutable -> T { return in[i]; };
        auto emit = [=] __device__(size_t i, bool, const T &before, const T &) mutable { out[i] = before; };
        return poise::parallel::scan<T>(stream, room, (size_t)n, load, op, true, first, emit);
    }
    template <class In, class Out, class Op, class N>
    static cudaError_t InclusiveScan(void *room, size_t &bytes, In in, Out out, Op op, N n, cudaStream_t stream = 0,
                                     bool = false)
    {
        typedef poise_value<In> T;
        POISE_ROOM(poise::parallel::scan_room<T>((size_t)n))
        auto emit = [=] __device__(size_t i, bool, const T &, const T &upto) mutable { out[i] = upto; };
        return poise::parallel::scan<T>(stream, room, (size_t)n, poise_load<In>{in}, op, false, T(), emit);
    }
    template <class In, class Out, class N>
    static cudaError_t ExclusiveSum(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0,
                                    bool = false)
    {
        return ExclusiveScan(room, bytes, in, out, cub::Sum(), poise_value<In>(), n, stream);
    }
    template <class In, class Out, class N>
    static cudaError_t InclusiveSum(void *room, size_t &bytes, In in, Out out, N n, cudaStream_t stream = 0,
                                    bool = false)
    {
        return InclusiveScan(room, bytes, in, out, cub::Sum(), n, stream);
    }
    template <class T, class N>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t> ExclusiveSum(void *room, size_t &bytes, T *data,
                                                                                  N n, cudaStream_t stream = 0)
    {
        return ExclusiveSum(room, bytes, data, data, n, stream);
    }
    template <class T, class N>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t> InclusiveSum(void *room, size_t &bytes, T *data,
                                                                                  N n, cudaStream_t stream = 0)
    {
        return InclusiveSum(room, bytes, data, data, n, stream);
    }
};

/* The chosen elements, in their order; a partition has the others after them, the last one first. */
struct DeviceSelect {
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void *room, size_t &bytes, In in, Flags flags, Out out, Count count, N n,
                               cudaStream_t stream = 0, bool = false)
    {
        auto chosen = [=] __device__(size_t i) mutable { return (bool)flags[i]; };
        return choose<false>(room, bytes, in, chosen, out, count, (size_t)n, stream);
    }
    template <class In, class Out, class Count, class N, class F>
    static cudaError_t If(void *room, size_t &bytes, In in, Out out, Count count, N n, F f, cudaStream_t stream = 0,
                          bool = false)
    {
        auto chosen = [=] __device__(size_t i) mutable { return (bool)f(in[i]); };
        return choose<false>(room, bytes, in, chosen, out, count, (size_t)n, stream);
    }
    template <class In, class Out, class Count, class N>
    static cudaError_t Unique(void *room, size_t &bytes, In in, Out out, Count count, N n, cudaStream_t stream = 0,
                              bool = false)
    {
        auto chosen = [=] __device__(size_t i) mutable { return i == 0 || !(in[i] == in[i - 1]); };
        return choose<false>(room, bytes, in, chosen, out, count, (size_t)n, stream);
    }
    template <bool keeps, class In, class Chosen, class Out, class Count>
    static cudaError_t choose(void *room, size_t &bytes, In in, Chosen chosen, Out out, Count count, size_t n,
                              cudaStream_t stream)
    {
        POISE_ROOM(poise::parallel::choose_room(n))
        auto put = [=] __device__(size_t i, bool is_chosen, size_t before) mutable {
            if (is_chosen) out[before] = in[i];
            else if (keeps) out[n - 1 - (i - before)] = in[i];
        };
        auto say = [=] __device__(size_t m) mutable { *count = m; };
        return poise::parallel::choose(stream, room, n, chosen, put, say);
    }
};
struct DevicePartition {
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void *room, size_t &bytes, In in, Flags flags, Out out, Count count, N n,
                               cudaStream_t stream = 0, bool = false)
    {
        auto chosen = [=] __device__(size_t i) mutable { return (bool)flags[i]; };
        return DeviceSelect::choose<true>(room, bytes, in, chosen, out, count, (size_t)n, stream);
    }
    template <class In, class Out, class Count, class N, class F>
    static cudaError_t If(void *room, size_t &bytes, In in, Out out, Count count, N n, F f, cudaStream_t stream = 0,
                          bool = false)
    {
        auto chosen = [=] __device__(size_t i) mutable { return (bool)f(in[i]); };
        return DeviceSelect::choose<true>(room, bytes, in, chosen, out, count, (size_t)n, stream);
    }
};
struct DeviceRunLengthEncode {
    template <class In, class Unique, class Lengths, class Runs, class N>
    static cudaError_t Encode(void *room, size_t &bytes, In in, Unique unique, Lengths lengths, Runs runs, N n,
                              cudaStream_t stream = 0, bool = false)
    {
        typedef poise_value<Lengths> L;
        return DeviceReduce::ReduceByKey(room, bytes, in, unique, ConstantInputIterator<L>((L)1), lengths, runs,
                                         cub::Sum(), n, stream);
    }
};

/* Stable sorts by less(key, key); segments, where there are any, are keys of a higher rank. */
template <class K, class V, class Less, class In, class InV, class Out, class OutV>
static inline cudaError_t poise_sort(void *room, size_t &bytes, In in, InV values, Out out, OutV values_out, size_t n,
                                     Less less, cudaStream_t stream)
{
    typedef poise::parallel::item<K, V> I;
    POISE_ROOM(poise::parallel::sort_room<I>(n))
    auto load = [=] __device__(size_t i) mutable {
        if constexpr (std::is_same<V, poise::parallel::nothing>::value) return I{(K)in[i], {}};
        else return I{(K)in[i], (V)values[i]};
    };
    auto store = [=] __device__(size_t i, const I &v) mutable {
        out[i] = v.key;
        if constexpr (!std::is_same<V, poise::parallel::nothing>::value) values_out[i] = v.value;
    };
    return poise::parallel::sort<I>(stream, room, n, load, less, store);
}
struct DeviceRadixSort {
#define POISE_RADIX(Suffix, descends) \
    template <class K, class N> \
    static cudaError_t SortKeys##Suffix(void *room, size_t &bytes, const K *in, K *out, N n, int begin = 0, \
                                        int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) \
    { \
        const poise_radix_less<K> less(begin, end, descends); \
        return poise_sort<K, poise::parallel::nothing>(room, bytes, in, nullptr, out, nullptr, (size_t)n, less, \
                                                       stream); \
    } \
    template <class K, class V, class N> \
    static cudaError_t SortPairs##Suffix(void *room, size_t &bytes, const K *in, K *out, const V *values, \
                                         V *values_out, N n, int begin = 0, int end = 8 * sizeof(K), \
                                         cudaStream_t stream = 0, bool = false) \
    { \
        const poise_radix_less<K> less(begin, end, descends); \
        return poise_sort<K, V>(room, bytes, in, values, out, values_out, (size_t)n, less, stream); \
    } \
    template <class K, class N> \
    static cudaError_t SortKeys##Suffix(void *room, size_t &bytes, DoubleBuffer<K> &keys, N n, int begin = 0, \
                                        int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) \
    { \
        return SortKeys##Suffix(room, bytes, keys.Current(), keys.Current(), n, begin, end, stream); \
    } \
    template <class K, class V, class N> \
    static cudaError_t SortPairs##Suffix(void *room, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, \
                                         N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0, \
                                         bool = false) \
    { \
        return SortPairs##Suffix(room, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n, \
                                 begin, end, stream); \
    }
    POISE_RADIX(, false)
    POISE_RADIX(Descending, true)
#undef POISE_RADIX
};
struct DeviceMergeSort {
#define POISE_MERGE(Prefix) \
    template <class Keys, class N, class Less> \
    static cudaError_t Prefix##Keys(void *room, size_t &bytes, Keys keys, N n, Less less, cudaStream_t stream = 0, \
                                    bool = false) \
    { \
        return poise_sort<poise_value<Keys>, poise::parallel::nothing>(room, bytes, keys, nullptr, keys, nullptr, \
                                                                       (size_t)n, less, stream); \
    } \
    template <class Keys, class Values, class N, class Less> \
    static cudaError_t Prefix##Pairs(void *room, size_t &bytes, Keys keys, Values values, N n, Less less, \
                                     cudaStream_t stream = 0, bool = false) \
    { \
        return poise_sort<poise_value<Keys>, poise_value<Values>>(room, bytes, keys, values, keys, values, (size_t)n, \
                                                                  less, stream); \
    }
    POISE_MERGE(Sort)
    POISE_MERGE(StableSort)
#undef POISE_MERGE
};

/* Segments [begin[i], end[i]): a block for each. */
template <class T, class In, class Out, class Begin, class End, class Op>
__global__ void poise_segments_kernel(In in, Out out, Begin begin, End end, Op op, T first)
{
    __shared__ poise::parallel::room_of<T, 128> room;
    T *const sums = (T *)room.bytes;
    const size_t from = (size_t)begin[blockIdx.x], to = (size_t)end[blockIdx.x];
    const unsigned t = threadIdx.x, active = from >= to ? 0 : to - from < 128 ? (unsigned)(to - from) : 128;
    if (t < active) {
        T sum = in[from + t];
        for (size_t i = from + t + 128; i < to; i += 128) sum = op(sum, (T)in[i]);
        new (&sums[t]) T(sum);
    }
    for (unsigned half = 64; half; half /= 2) {
        __syncthreads();
        if (t < half && t + half < active) sums[t] = op(sums[t], sums[t + half]);
    }
    if (t == 0) out[blockIdx.x] = active ? (T)op(first, sums[0]) : first;
}
struct DeviceSegmentedReduce {
    template <class In, class Out, class Begin, class End, class Op, class T, class N>
    static cudaError_t Reduce(void *room, size_t &bytes, In in, Out out, N segments, Begin begin, End end, Op op,
                              T first, cudaStream_t stream = 0, bool = false)
    {
        POISE_ROOM(0)
        if (segments) poise_segments_kernel<T><<<(unsigned)segments, 128, 0, stream>>>(in, out, begin, end, op, first);
        return cudaPeekAtLastError();
    }
    template <class In, class Out, class Begin, class End, class N>
    static cudaError_t Sum(void *room, size_t &bytes, In in, Out out, N segments, Begin begin, End end,
                           cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, segments, begin, end, cub::Sum(), poise_value<In>(), stream);
    }
    template <class In, class Out, class Begin, class End, class N>
    static cudaError_t Max(void *room, size_t &bytes, In in, Out out, N segments, Begin begin, End end,
                           cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, segments, begin, end, cub::Max(),
                      std::numeric_limits<poise_value<In>>::lowest(), stream);
    }
    template <class In, class Out, class Begin, class End, class N>
    static cudaError_t Min(void *room, size_t &bytes, In in, Out out, N segments, Begin begin, End end,
                           cudaStream_t stream = 0, bool = false)
    {
        return Reduce(room, bytes, in, out, segments, begin, end, cub::Min(),
                      std::numeric_limits<poise_value<In>>::max(), stream);
    }
};

struct DeviceHistogram {
    template <class In, class Counter, class Level, class N>
    static cudaError_t HistogramEven(void *room, size_t &bytes, In in, Counter *counts, int levels, Level low,
                                     Level high, N n, cudaStream_t stream = 0, bool = false)
    {
        POISE_ROOM(0)
        const int bins = levels - 1;
        cudaMemsetAsync(counts, 0, sizeof(Counter) * (size_t)bins, stream);
        return poise::parallel::each(stream, (size_t)n, [=] __device__(size_t i) mutable {
            const auto v = in[i];
            if (v < low || !(v < high)) return;
            if constexpr (std::is_integral<Level>::value)
                atomicAdd(&counts[(long long)(v - low) * bins / (long long)(high - low)], (Counter)1);
            else {
                const int bin = (int)((v - low) / ((high - low) / bins));
                atomicAdd(&counts[bin < bins ? bin : bins - 1], (Counter)1);
            }
        });
    }
    template <class In, class Counter, class Level, class N>
    static cudaError_t HistogramRange(void *room, size_t &bytes, In in, Counter *counts, int levels,
                                      const Level *bounds, N n, cudaStream_t stream = 0, bool = false)
    {
        POISE_ROOM(0)
        cudaMemsetAsync(counts, 0, sizeof(Counter) * (size_t)(levels - 1), stream);
        return poise::parallel::each(stream, (size_t)n, [=] __device__(size_t i) mutable {
            const auto v = in[i];
            int a = 0, b = levels - 1; /* bounds[a] <= v < bounds[b] */
            if (v < bounds[a] || !(v < bounds[b])) return;
            while (b - a > 1) {
                const int middle = (a + b) / 2;
                if (v < bounds[middle]) b = middle;
                else a = middle;
            }
            atomicAdd(&counts[a], (Counter)1);
        });
    }
};
struct DeviceFor {
    template <class N, class F> static cudaError_t Bulk(N n, F f, cudaStream_t stream = 0)
    {
        return poise::parallel::each(stream, (size_t)n, [=] __device__(size_t i) mutable { f((N)i); });
    }
    template <class It, class N, class F> static cudaError_t ForEachN(It it, N n, F f, cudaStream_t stream = 0)
    {
        return poise::parallel::each(stream, (size_t)n, [=] __device__(size_t i) mutable { f(it[i]); });
    }
};
#undef POISE_ROOM
} // namespace cub
#endif
