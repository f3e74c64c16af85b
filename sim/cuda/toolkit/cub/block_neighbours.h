/* cub's collectives of a block that look at neighbouring items: differences, heads and tails of runs, items handed on
 * by a thread or more; and histograms. Items are blocked: thread t has those from n t on. */
#ifndef POISE_CUB_BLOCK_NEIGHBOURS_H
#define POISE_CUB_BLOCK_NEIGHBOURS_H

namespace cub
{
/* An item of every thread. */
template <class T, int threads> struct poise_edges {
    T items[threads];
    /* Gives `mine` to the other threads; true and `theirs` where a thread stands `distance` further. */
    __device__ __forceinline__ bool pass(unsigned tid, const T &mine, T &theirs, int distance)
    {
        const int from = (int)tid + distance;
        items[tid] = mine;
        __syncthreads();
        if (from >= 0 && from < threads) theirs = items[from];
        return from >= 0 && from < threads;
    }
};

/* The first item of a block without a predecessor, the last one without a successor and items from `valid` on stay. */
template <class T, int X, int Y = 1, int Z = 1, int arch = 0> class BlockAdjacentDifference
{
    enum { threads = X * Y * Z };
    typedef poise_edges<T, threads> Room;

  public:
    POISE_COLLECTIVE(BlockAdjacentDifference)
    template <int n, class O, class Op> __device__ __forceinline__ void SubtractLeft(T (&v)[n], O (&out)[n], Op op)
    {
        SubtractLeftPartialTile(v, out, op, threads * n);
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&v)[n], O (&out)[n], Op op, T before_block)
    {
        SubtractLeftPartialTile(v, out, op, threads * n, before_block);
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void SubtractLeftPartialTile(T (&v)[n], O (&out)[n], Op op, int valid)
    {
        T before;
        const bool has = room.pass(tid, v[n - 1], before, -1);
        left(v, out, op, valid, has, before);
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void SubtractLeftPartialTile(T (&v)[n], O (&out)[n], Op op, int valid, T before_block)
    {
        T before = before_block;
        room.pass(tid, v[n - 1], before, -1);
        left(v, out, op, valid, true, before);
    }
    template <int n, class O, class Op> __device__ __forceinline__ void SubtractRight(T (&v)[n], O (&out)[n], Op op)
    {
        SubtractRightPartialTile(v, out, op, threads * n);
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void SubtractRight(T (&v)[n], O (&out)[n], Op op, T after_block)
    {
        T after = after_block;
        room.pass(tid, v[0], after, 1);
        right(v, out, op, threads * n + 1, after);
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void SubtractRightPartialTile(T (&v)[n], O (&out)[n], Op op, int valid)
    {
        T after;
        room.pass(tid, v[0], after, 1);
        right(v, out, op, valid, after);
    }

  private:
    /* The operation may take its operands by reference, and `out` may be `v`. */
    template <int n, class O, class Op>
    __device__ __forceinline__ void left(T (&v)[n], O (&out)[n], Op op, int valid, bool has, T before)
    {
        for (int i = n - 1; i >= 0; i--) {
            T item = v[i], other = i > 0 ? v[i > 0 ? i - 1 : 0] : before;
            out[i] = (i > 0 || has) && (int)tid * n + i < valid ? op(item, other) : item;
        }
    }
    template <int n, class O, class Op>
    __device__ __forceinline__ void right(T (&v)[n], O (&out)[n], Op op, int valid, T after)
    {
        for (int i = 0; i < n; i++) {
            T item = v[i], other = i + 1 < n ? v[i + 1 < n ? i + 1 : 0] : after;
            out[i] = (int)tid * n + i + 1 < valid ? op(item, other) : item;
        }
    }
};

/* Where op(an item, the next one) holds a run ends with the one and begins with the other; the first item of a block
 * is a head and the last one a tail where nothing is said about what stands beside them. */
template <class T, int X, int Y = 1, int Z = 1, int arch = 0> class BlockDiscontinuity
{
    enum { threads = X * Y * Z };
    struct Room {
        poise_edges<T, threads> first, last;
    };

  public:
    POISE_COLLECTIVE(BlockDiscontinuity)
    template <int n, class F, class Op> __device__ __forceinline__ void FlagHeads(F (&heads)[n], T (&v)[n], Op op)
    {
        T before;
        const bool has = room.last.pass(tid, v[n - 1], before, -1);
        mark_heads(heads, v, op, has, before);
    }
    template <int n, class F, class Op>
    __device__ __forceinline__ void FlagHeads(F (&heads)[n], T (&v)[n], Op op, T before_block)
    {
        T before = before_block;
        room.last.pass(tid, v[n - 1], before, -1);
        mark_heads(heads, v, op, true, before);
    }
    template <int n, class F, class Op> __device__ __forceinline__ void FlagTails(F (&tails)[n], T (&v)[n], Op op)
    {
        T after;
        const bool has = room.first.pass(tid, v[0], after, 1);
        mark_tails(tails, v, op, has, after);
    }
    template <int n, class F, class Op>
    __device__ __forceinline__ void FlagTails(F (&tails)[n], T (&v)[n], Op op, T after_block)
    {
        T after = after_block;
        room.first.pass(tid, v[0], after, 1);
        mark_tails(tails, v, op, true, after);
    }
    template <int n, class F, class Op>
    __device__ __forceinline__ void FlagHeadsAndTails(F (&heads)[n], F (&tails)[n], T (&v)[n], Op op)
    {
        FlagHeads(heads, v, op);
        FlagTails(tails, v, op);
    }
    template <int n, class F, class Op>
    __device__ __forceinline__ void FlagHeadsAndTails(F (&heads)[n], T before_block, F (&tails)[n], T after_block,
                                                      T (&v)[n], Op op)
    {
        FlagHeads(heads, v, op, before_block);
        FlagTails(tails, v, op, after_block);
    }

  private:
    template <int n, class F, class Op>
    static __device__ __forceinline__ void mark_heads(F (&heads)[n], T (&v)[n], Op op, bool has, const T &before)
    {
        for (int i = n - 1; i > 0; i--) heads[i] = op(v[i - 1], v[i]) ? 1 : 0;
        heads[0] = !has || op(before, v[0]) ? 1 : 0;
    }
    template <int n, class F, class Op>
    static __device__ __forceinline__ void mark_tails(F (&tails)[n], T (&v)[n], Op op, bool has, const T &after)
    {
        for (int i = 0; i + 1 < n; i++) tails[i] = op(v[i], v[i + 1]) ? 1 : 0;
        tails[n - 1] = !has || op(v[n - 1], after) ? 1 : 0;
    }
};

/* What a thread would get from outside the block it does not get; its item stays as it was. */
template <class T, int X, int Y = 1, int Z = 1, int arch = 0> class BlockShuffle
{
    enum { threads = X * Y * Z };
    typedef poise_edges<T, threads> Room;

  public:
    POISE_COLLECTIVE(BlockShuffle)
    __device__ __forceinline__ void Offset(T v, T &out, int distance = 1) { room.pass(tid, v, out, distance); }
    __device__ __forceinline__ void Rotate(T v, T &out, unsigned distance = 1)
    {
        const unsigned to = (tid + distance) % threads;
        room.pass(tid, v, out, (int)to - (int)tid);
    }
    template <int n> __device__ __forceinline__ void Up(T (&v)[n], T (&out)[n])
    {
        const T last = v[n - 1];
        for (int i = n - 1; i > 0; i--) out[i] = v[i - 1];
        room.pass(tid, last, out[0], -1);
    }
    template <int n> __device__ __forceinline__ void Up(T (&v)[n], T (&out)[n], T &last_of_block)
    {
        Up(v, out);
        last_of_block = room.items[threads - 1];
    }
    template <int n> __device__ __forceinline__ void Down(T (&v)[n], T (&out)[n])
    {
        const T first = v[0];
        for (int i = 0; i + 1 < n; i++) out[i] = v[i + 1];
        room.pass(tid, first, out[n - 1], 1);
    }
    template <int n> __device__ __forceinline__ void Down(T (&v)[n], T (&out)[n], T &first_of_block)
    {
        Down(v, out);
        first_of_block = room.items[0];
    }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
/* By atomics, whatever is asked for. The counters are in shared or global memory. */
template <class T, int X, int n, int bins, BlockHistogramAlgorithm how = BLOCK_HISTO_SORT, int Y = 1, int Z = 1,
          int arch = 0>
class BlockHistogram
{
    struct Room {
    };

  public:
    POISE_COLLECTIVE(BlockHistogram)
    template <class C> __device__ __forceinline__ void InitHistogram(C *counters)
    {
        for (unsigned i = tid; i < (unsigned)bins; i += X * Y * Z) counters[i] = 0;
    }
    template <class C> __device__ __forceinline__ void Composite(T (&v)[n], C *counters)
    {
        for (int i = 0; i < n; i++) atomicAdd(counters + v[i], 1);
    }
    template <class C> __device__ __forceinline__ void Histogram(T (&v)[n], C *counters)
    {
        InitHistogram(counters);
        __syncthreads();
        Composite(v, counters);
    }
};
} // namespace cub
#endif
