/* cub's collectives of a block: reductions, scans, loads, stores and exchanges. The algorithm that a program names
 * makes no difference. */
#ifndef POISE_CUB_BLOCK_H
#define POISE_CUB_BLOCK_H
#include "warp.h"

namespace cub
{
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/* Storage that is not constructed, in a union or in shared memory. */
template <class T> struct Uninitialized {
    alignas(T) unsigned char bytes[sizeof(T)];
    POISE_HD T &Alias() { return *(T *)bytes; }
};
#define POISE_COLLECTIVE(Name) \
    typedef Uninitialized<Room> TempStorage; \
    __device__ __forceinline__ Name() : room(own()), tid((unsigned)RowMajorTid(X, Y, Z)) {} \
    __device__ __forceinline__ explicit Name(TempStorage &s) : room(s.Alias()), tid((unsigned)RowMajorTid(X, Y, Z)) {} \
\
  private: \
    Room &room; \
    const unsigned tid; \
    static __device__ __forceinline__ Room &own() \
    { \
        __shared__ TempStorage storage; \
        return storage.Alias(); \
    } \
\
  public:

/* What the warps of a block share. The last warp may have fewer lanes. */
template <class T, int threads> struct poise_warps {
    enum { count = (threads + 31) / 32 };
    T sums[count];
    T total;
    static __device__ __forceinline__ unsigned lanes(unsigned tid)
    {
        const unsigned left = threads - tid / 32 * 32;
        return left >= 32 ? 0xffffffffu : (1u << left) - 1;
    }
};

template <class T, int X, BlockReduceAlgorithm how = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int arch = 0>
class BlockReduce
{
    enum { threads = X * Y * Z };
    typedef poise_warps<T, threads> Room;

  public:
    POISE_COLLECTIVE(BlockReduce)
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op) { return Reduce(v, op, threads); }
    /* Of the first threads alone; thread 0 gets the result. */
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op, int valid)
    {
        const unsigned lane = tid % 32, lanes = Room::lanes(tid);
        for (unsigned by = 1; by < 32; by *= 2) {
            const bool adds = lane % (2 * by) == 0 && tid + by < (unsigned)valid && (lanes >> (lane + by) & 1);
            const T other = poise_from_lane(lanes, v, adds ? (int)(lane + by) : (int)lane);
            if (adds) v = op(v, other);
        }
        if (lane == 0) room.sums[tid / 32] = v;
        __syncthreads();
        if (tid == 0)
            for (unsigned w = 1; w < Room::count && w * 32 < (unsigned)valid; w++) v = op(v, room.sums[w]);
        return v;
    }
    template <int n, class Op> __device__ __forceinline__ T Reduce(T (&v)[n], Op op)
    {
        T sum = v[0];
        for (int i = 1; i < n; i++) sum = op(sum, v[i]);
        return Reduce(sum, op);
    }
    __device__ __forceinline__ T Sum(T v) { return Reduce(v, cub::Sum()); }
    __device__ __forceinline__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int n> __device__ __forceinline__ T Sum(T (&v)[n]) { return Reduce(v, cub::Sum()); }
};

template <class T, int X, BlockScanAlgorithm how = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int arch = 0>
class BlockScan
{
    enum { threads = X * Y * Z };
    typedef poise_warps<T, threads> Room;

  public:
    POISE_COLLECTIVE(BlockScan)
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &out, Op op)
    {
        T before, total;
        scan(v, out, before, total, op);
    }
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &out, Op op, T &total)
    {
        T before;
        scan(v, out, before, total, op);
    }
    /* prefix(total), called by the first warp, says what stands before the block. */
    template <class Op, class Prefix> __device__ __forceinline__ void InclusiveScan(T v, T &out, Op op, Prefix &prefix)
    {
        T before, total, upto;
        scan(v, upto, before, total, op);
        out = op(ask(total, prefix), upto);
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, Op op)
    {
        T upto, total;
        scan(v, upto, out, total, op);
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, T first, Op op)
    {
        T total;
        ExclusiveScan(v, out, first, op, total);
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, T first, Op op, T &total)
    {
        T upto, before;
        scan(v, upto, before, total, op);
        out = tid == 0 ? first : (T)op(first, before);
    }
    template <class Op, class Prefix> __device__ __forceinline__ void ExclusiveScan(T v, T &out, Op op, Prefix &prefix)
    {
        T upto, before, total;
        scan(v, upto, before, total, op);
        const T first = ask(total, prefix);
        out = tid == 0 ? first : (T)op(first, before);
    }
    __device__ __forceinline__ void InclusiveSum(T v, T &out) { InclusiveScan(v, out, cub::Sum()); }
    template <class More> __device__ __forceinline__ void InclusiveSum(T v, T &out, More &more)
    {
        InclusiveScan(v, out, cub::Sum(), more);
    }
    __device__ __forceinline__ void ExclusiveSum(T v, T &out) { ExclusiveScan(v, out, T(0), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &out, T &total)
    {
        ExclusiveScan(v, out, T(0), cub::Sum(), total);
    }
    template <class Prefix> __device__ __forceinline__ void ExclusiveSum(T v, T &out, Prefix &prefix)
    {
        ExclusiveScan(v, out, cub::Sum(), prefix);
    }
    /* Several items a thread: the sums of threads are scanned, then each goes through its own. */
    template <int n, class Op> __device__ __forceinline__ void InclusiveScan(T (&v)[n], T (&out)[n], Op op)
    {
        T total;
        InclusiveScan(v, out, op, total);
    }
    template <int n, class Op> __device__ __forceinline__ void InclusiveScan(T (&v)[n], T (&out)[n], Op op, T &total)
    {
        T upto, before;
        scan(fold(v, op), upto, before, total, op);
        out[0] = tid == 0 ? v[0] : (T)op(before, v[0]);
        for (int i = 1; i < n; i++) out[i] = op(out[i - 1], v[i]);
    }
    template <int n, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&v)[n], T (&out)[n], T first, Op op, T &total)
    {
        T upto, before;
        scan(fold(v, op), upto, before, total, op);
        walk(v, out, tid == 0 ? first : (T)op(first, before), op);
    }
    template <int n, class Op> __device__ __forceinline__ void ExclusiveScan(T (&v)[n], T (&out)[n], T first, Op op)
    {
        T total;
        ExclusiveScan(v, out, first, op, total);
    }
    template <int n, class Op, class Prefix>
    __device__ __forceinline__ void ExclusiveScan(T (&v)[n], T (&out)[n], Op op, Prefix &prefix)
    {
        T upto, before, total;
        scan(fold(v, op), upto, before, total, op);
        const T first = ask(total, prefix);
        walk(v, out, tid == 0 ? first : (T)op(first, before), op);
    }
    template <int n, class Op, class Prefix>
    __device__ __forceinline__ void InclusiveScan(T (&v)[n], T (&out)[n], Op op, Prefix &prefix)
    {
        T upto, before, total;
        scan(fold(v, op), upto, before, total, op);
        const T first = ask(total, prefix);
        out[0] = op(tid == 0 ? first : (T)op(first, before), v[0]);
        for (int i = 1; i < n; i++) out[i] = op(out[i - 1], v[i]);
    }
    template <int n> __device__ __forceinline__ void InclusiveSum(T (&v)[n], T (&out)[n])
    {
        InclusiveScan(v, out, cub::Sum());
    }
    template <int n, class More> __device__ __forceinline__ void InclusiveSum(T (&v)[n], T (&out)[n], More &more)
    {
        InclusiveScan(v, out, cub::Sum(), more);
    }
    template <int n> __device__ __forceinline__ void ExclusiveSum(T (&v)[n], T (&out)[n])
    {
        ExclusiveScan(v, out, T(0), cub::Sum());
    }
    template <int n> __device__ __forceinline__ void ExclusiveSum(T (&v)[n], T (&out)[n], T &total)
    {
        ExclusiveScan(v, out, T(0), cub::Sum(), total);
    }
    template <int n, class Prefix> __device__ __forceinline__ void ExclusiveSum(T (&v)[n], T (&out)[n], Prefix &prefix)
    {
        ExclusiveScan(v, out, cub::Sum(), prefix);
    }

  private:
    template <int n, class Op> static __device__ __forceinline__ T fold(T (&v)[n], Op op)
    {
        T sum = v[0];
        for (int i = 1; i < n; i++) sum = op(sum, v[i]);
        return sum;
    }
    template <int n, class Op> static __device__ __forceinline__ void walk(T (&v)[n], T (&out)[n], T before, Op op)
    {
        for (int i = 0; i < n; i++) {
            const T mine = v[i];
            out[i] = before;
            before = op(before, mine);
        }
    }
    template <class Prefix> __device__ __forceinline__ T ask(T total, Prefix &prefix)
    {
        if (tid < 32) {
            const T first = prefix(total);
            if (tid == 0) room.total = first;
        }
        __syncthreads();
        return room.total;
    }
    /* before: of all threads but the first, for which it is not defined. */
    template <class Op> __device__ __forceinline__ void scan(T v, T &upto, T &before, T &total, Op op)
    {
        const unsigned lane = tid % 32, warp = tid / 32, lanes = Room::lanes(tid);
        for (unsigned by = 1; by < 32; by *= 2) {
            const T other = poise_from_lane(lanes, v, lane >= by ? (int)(lane - by) : (int)lane);
            if (lane >= by) v = op(other, v);
        }
        before = poise_from_lane(lanes, v, lane ? (int)lane - 1 : 0);
        if (lane == 31 || tid == threads - 1) room.sums[warp] = v;
        __syncthreads();
        T sum = room.sums[0];
        for (unsigned w = 1; w <= Room::count; w++) {
            if (w == warp) {
                v = op(sum, v);
                before = lane ? (T)op(sum, before) : sum;
            }
            if (w < Room::count) sum = op(sum, room.sums[w]);
        }
        upto = v;
        total = sum;
    }
};

template <class T, int X, int n, BlockLoadAlgorithm how = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int arch = 0>
class BlockLoad
{
    struct Room {
        char unused;
    };

  public:
    POISE_COLLECTIVE(BlockLoad)
    template <class It> __device__ __forceinline__ void Load(It from, T (&v)[n])
    {
        for (int i = 0; i < n; i++) v[i] = from[at(i)];
    }
    template <class It> __device__ __forceinline__ void Load(It from, T (&v)[n], int valid)
    {
        for (int i = 0; i < n; i++)
            if (at(i) < valid) v[i] = from[at(i)];
    }
    template <class It, class Default>
    __device__ __forceinline__ void Load(It from, T (&v)[n], int valid, Default otherwise)
    {
        for (int i = 0; i < n; i++) v[i] = at(i) < valid ? (T)from[at(i)] : (T)otherwise;
    }

  private:
    __device__ __forceinline__ int at(int i) const
    {
        return how == BLOCK_LOAD_STRIPED ? i * X * Y * Z + (int)tid : (int)tid * n + i;
    }
};
template <class T, int X, int n, BlockStoreAlgorithm how = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int arch = 0>
class BlockStore
{
    struct Room {
        char unused;
    };

  public:
    POISE_COLLECTIVE(BlockStore)
    template <class It> __device__ __forceinline__ void Store(It to, T (&v)[n]) { Store(to, v, X * Y * Z * n); }
    template <class It> __device__ __forceinline__ void Store(It to, T (&v)[n], int valid)
    {
        for (int i = 0; i < n; i++) {
            const int at = how == BLOCK_STORE_STRIPED ? i * X * Y * Z + (int)tid : (int)tid * n + i;
            if (at < valid) to[at] = v[i];
        }
    }
};
template <int X, class T, int n, class It> __device__ __forceinline__ void LoadDirectStriped(int t, It from, T (&v)[n])
{
    for (int i = 0; i < n; i++) v[i] = from[t + i * X];
}
template <int X, class T, int n, class It> __device__ __forceinline__ void StoreDirectStriped(int t, It to, T (&v)[n])
{
    for (int i = 0; i < n; i++) to[t + i * X] = v[i];
}
template <class T, int n, class It> __device__ __forceinline__ void LoadDirectBlocked(int t, It from, T (&v)[n])
{
    for (int i = 0; i < n; i++) v[i] = from[t * n + i];
}
template <class T, int n, class It> __device__ __forceinline__ void StoreDirectBlocked(int t, It to, T (&v)[n])
{
    for (int i = 0; i < n; i++) to[t * n + i] = v[i];
}

template <class T, int X, int n, bool slices = false, int Y = 1, int Z = 1, int arch = 0> class BlockExchange
{
    enum { threads = X * Y * Z };
    struct Room {
        T items[threads * n];
    };

  public:
    POISE_COLLECTIVE(BlockExchange)
    __device__ __forceinline__ void BlockedToStriped(T (&v)[n]) { BlockedToStriped(v, v); }
    __device__ __forceinline__ void StripedToBlocked(T (&v)[n]) { StripedToBlocked(v, v); }
    template <class O> __device__ __forceinline__ void BlockedToStriped(T (&v)[n], O (&out)[n])
    {
        for (int i = 0; i < n; i++) room.items[tid * n + i] = v[i];
        __syncthreads();
        for (int i = 0; i < n; i++) out[i] = room.items[i * threads + tid];
    }
    template <class O> __device__ __forceinline__ void StripedToBlocked(T (&v)[n], O (&out)[n])
    {
        for (int i = 0; i < n; i++) room.items[i * threads + tid] = v[i];
        __syncthreads();
        for (int i = 0; i < n; i++) out[i] = room.items[tid * n + i];
    }
    template <class R> __device__ __forceinline__ void ScatterToBlocked(T (&v)[n], R (&rank)[n])
    {
        for (int i = 0; i < n; i++) room.items[rank[i]] = v[i];
        __syncthreads();
        for (int i = 0; i < n; i++) v[i] = room.items[tid * n + i];
    }
    template <class R> __device__ __forceinline__ void ScatterToStriped(T (&v)[n], R (&rank)[n])
    {
        for (int i = 0; i < n; i++) room.items[rank[i]] = v[i];
        __syncthreads();
        for (int i = 0; i < n; i++) v[i] = room.items[i * threads + tid];
    }
};

/* Sorts by digits of one bit each: zeros keep their order, ones come after all zeros. */
template <class K, int X, int n, class V = NullType, int bits = 4, bool memoizes = true, int how = 0, int Y = 1,
          int Z = 1, int arch = 0>
class BlockRadixSort
{
    enum { threads = X * Y * Z };
    union Room {
        typename BlockScan<int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>::TempStorage scan;
        typename BlockExchange<K, X, n, false, Y, Z>::TempStorage keys;
        typename BlockExchange<V, X, n, false, Y, Z>::TempStorage values;
    };

  public:
    POISE_COLLECTIVE(BlockRadixSort)
    __device__ __forceinline__ void Sort(K (&k)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, (V(*)[n]) nullptr, begin, end, false, false);
    }
    __device__ __forceinline__ void Sort(K (&k)[n], V (&v)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, &v, begin, end, false, false);
    }
    __device__ __forceinline__ void SortDescending(K (&k)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, (V(*)[n]) nullptr, begin, end, true, false);
    }
    __device__ __forceinline__ void SortDescending(K (&k)[n], V (&v)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, &v, begin, end, true, false);
    }
    __device__ __forceinline__ void SortBlockedToStriped(K (&k)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, (V(*)[n]) nullptr, begin, end, false, true);
    }
    __device__ __forceinline__ void SortBlockedToStriped(K (&k)[n], V (&v)[n], int begin = 0, int end = 8 * sizeof(K))
    {
        sort(k, &v, begin, end, false, true);
    }

  private:
    __device__ __forceinline__ void sort(K (&k)[n], V (*v)[n], int begin, int end, bool descends, bool stripes)
    {
        for (int bit = begin; bit < end; bit++) {
            int is_zero[n], before[n], zeros, rank[n];
            for (int i = 0; i < n; i++) is_zero[i] = ((poise_radix(k[i]) >> bit & 1) != 0) == descends;
            __syncthreads();
            BlockScan<int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>(room.scan).ExclusiveSum(is_zero, before, zeros);
            for (int i = 0; i < n; i++) rank[i] = is_zero[i] ? before[i] : zeros + (int)tid * n + i - before[i];
            __syncthreads();
            BlockExchange<K, X, n, false, Y, Z>(room.keys).ScatterToBlocked(k, rank);
            if (!v) continue;
            __syncthreads();
            BlockExchange<V, X, n, false, Y, Z>(room.values).ScatterToBlocked(*v, rank);
        }
        if (!stripes) return;
        __syncthreads();
        BlockExchange<K, X, n, false, Y, Z>(room.keys).BlockedToStriped(k);
        if (!v) return;
        __syncthreads();
        BlockExchange<V, X, n, false, Y, Z>(room.values).BlockedToStriped(*v);
    }
};
} // namespace cub
#include "block_neighbours.h"
#undef POISE_COLLECTIVE
#endif
