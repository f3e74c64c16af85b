/* cub's reductions and scans of a warp, or of parts of it. */
#ifndef POISE_CUB_WARP_H
#define POISE_CUB_WARP_H
#include "util.h"

namespace cub
{
/* The lanes of this thread's part of its warp. */
template <int width> __device__ __forceinline__ unsigned poise_part_of_warp()
{
    if (width == 32) return 0xffffffffu;
    return ((1u << width % 32) - 1) << LaneId() / width * width;
}
template <class T, int width = 32, int arch = 0> class WarpReduce
{
  public:
    struct TempStorage {
    };
    __device__ __forceinline__ explicit WarpReduce(TempStorage &) {}
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op) { return Reduce(v, op, width); }
    /* Of the first lanes alone. */
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op, int valid)
    {
        const int lane = (int)(LaneId() % width);
        for (int by = 1; by < width; by *= 2) {
            const T other = ShuffleDown<width>(v, by, width - 1, poise_part_of_warp<width>());
            if (lane % (2 * by) == 0 && lane + by < valid) v = op(v, other);
        }
        return v;
    }
    __device__ __forceinline__ T Sum(T v) { return Reduce(v, cub::Sum()); }
    __device__ __forceinline__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    __device__ __forceinline__ T Max(T v) { return Reduce(v, cub::Max()); }
    __device__ __forceinline__ T Min(T v) { return Reduce(v, cub::Min()); }
    template <class Flag> __device__ __forceinline__ T HeadSegmentedSum(T v, Flag head)
    {
        return HeadSegmentedReduce(v, head, cub::Sum());
    }
    template <class Flag> __device__ __forceinline__ T TailSegmentedSum(T v, Flag tail)
    {
        return TailSegmentedReduce(v, tail, cub::Sum());
    }
    template <class Flag, class Op> __device__ __forceinline__ T HeadSegmentedReduce(T v, Flag head, Op op)
    {
        const unsigned heads = ballot(head) >> 1;
        const unsigned later = LaneId() % width + 1 < width ? heads >> LaneId() % width << LaneId() % width : 0;
        return segmented(v, op, later ? __ffs((int)later) - 1 : width - 1);
    }
    template <class Flag, class Op> __device__ __forceinline__ T TailSegmentedReduce(T v, Flag tail, Op op)
    {
        const unsigned later = ballot(tail) >> LaneId() % width << LaneId() % width;
        return segmented(v, op, later ? __ffs((int)later) - 1 : width - 1);
    }

  private:
    template <class Flag> static __device__ __forceinline__ unsigned ballot(Flag flag)
    {
        const unsigned all = __ballot_sync(poise_part_of_warp<width>(), flag ? 1 : 0) >> LaneId() / width * width;
        return width == 32 ? all : all & ((1u << width % 32) - 1);
    }
    template <class Op> static __device__ __forceinline__ T segmented(T v, Op op, int last)
    {
        const int lane = (int)(LaneId() % width);
        for (int by = 1; by < width; by *= 2) {
            const T other = ShuffleDown<width>(v, by, width - 1, poise_part_of_warp<width>());
            if (lane + by <= last) v = op(v, other);
        }
        return v;
    }
};

template <class T, int width = 32, int arch = 0> class WarpScan
{
  public:
    struct TempStorage {
    };
    __device__ __forceinline__ explicit WarpScan(TempStorage &) {}
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &out, Op op)
    {
        const int lane = (int)(LaneId() % width);
        for (int by = 1; by < width; by *= 2) {
            const T other = ShuffleUp<width>(v, by, 0, poise_part_of_warp<width>());
            if (lane >= by) v = op(other, v);
        }
        out = v;
    }
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &out, Op op, T &aggregate)
    {
        InclusiveScan(v, out, op);
        aggregate = Broadcast(out, width - 1);
    }
    /* Without a first value that of lane 0 is not defined. */
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, Op op)
    {
        T all;
        InclusiveScan(v, all, op);
        out = ShuffleUp<width>(all, 1, 0, poise_part_of_warp<width>());
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, T first, Op op)
    {
        ExclusiveScan(v, out, op);
        out = LaneId() % width == 0 ? first : (T)op(first, out);
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &out, T first, Op op, T &aggregate)
    {
        T all;
        InclusiveScan(v, all, op, aggregate);
        out = ShuffleUp<width>(all, 1, 0, poise_part_of_warp<width>());
        out = LaneId() % width == 0 ? first : (T)op(first, out);
    }
    __device__ __forceinline__ void InclusiveSum(T v, T &out) { InclusiveScan(v, out, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T v, T &out, T &total) { InclusiveScan(v, out, cub::Sum(), total); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &out) { ExclusiveScan(v, out, T(0), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &out, T &total)
    {
        ExclusiveScan(v, out, T(0), cub::Sum(), total);
    }
    __device__ __forceinline__ T Broadcast(T v, unsigned from)
    {
        return ShuffleIndex<width>(v, (int)from, poise_part_of_warp<width>());
    }
};
} // namespace cub
#endif
