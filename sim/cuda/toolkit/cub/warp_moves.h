/* cub's loads, stores and exchanges of a warp, or of parts of it: n elements for each lane, in the lanes' order
 * (blocked) or lane by lane in turn (striped). */
#ifndef POISE_CUB_WARP_MOVES_H
#define POISE_CUB_WARP_MOVES_H
#include "warp.h"

namespace cub
{
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

/* The place of a lane's i-th element. */
template <int n, int width, bool is_striped> static __device__ __forceinline__ int poise_lane_place(int i)
{
    const int lane = (int)LaneId() % width;
    return is_striped ? i * width + lane : lane * n + i;
}

template <class T, int n, WarpLoadAlgorithm how = WARP_LOAD_DIRECT, int width = 32, int arch = 0> class WarpLoad
{
  public:
    struct TempStorage {
    };
    __device__ __forceinline__ WarpLoad() {}
    __device__ __forceinline__ explicit WarpLoad(TempStorage &) {}
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
    __device__ __forceinline__ static int at(int i) { return poise_lane_place<n, width, how == WARP_LOAD_STRIPED>(i); }
};
template <class T, int n, WarpStoreAlgorithm how = WARP_STORE_DIRECT, int width = 32, int arch = 0> class WarpStore
{
  public:
    struct TempStorage {
    };
    __device__ __forceinline__ WarpStore() {}
    __device__ __forceinline__ explicit WarpStore(TempStorage &) {}
    template <class It> __device__ __forceinline__ void Store(It to, T (&v)[n])
    {
        for (int i = 0; i < n; i++) to[at(i)] = v[i];
    }
    template <class It> __device__ __forceinline__ void Store(It to, T (&v)[n], int valid)
    {
        for (int i = 0; i < n; i++)
            if (at(i) < valid) to[at(i)] = v[i];
    }

  private:
    __device__ __forceinline__ static int at(int i) { return poise_lane_place<n, width, how == WARP_STORE_STRIPED>(i); }
};
/* By way of shared memory, whatever algorithm is asked for. */
template <class T, int n, int width = 32, int how = WARP_EXCHANGE_SMEM> class WarpExchange
{
  public:
    struct TempStorage {
        T items[n * width];
    };
    __device__ __forceinline__ explicit WarpExchange(TempStorage &r) : room(r) {}
    template <class O> __device__ __forceinline__ void BlockedToStriped(const T (&v)[n], O (&out)[n])
    {
        move<false, true>(v, out);
    }
    template <class O> __device__ __forceinline__ void StripedToBlocked(const T (&v)[n], O (&out)[n])
    {
        move<true, false>(v, out);
    }
    template <class R> __device__ __forceinline__ void ScatterToStriped(T (&v)[n], R (&rank)[n])
    {
        ScatterToStriped(v, v, rank);
    }
    template <class O, class R>
    __device__ __forceinline__ void ScatterToStriped(const T (&v)[n], O (&out)[n], R (&rank)[n])
    {
        for (int i = 0; i < n; i++) room.items[rank[i]] = v[i];
        take<true>(out);
    }

  private:
    TempStorage &room;
    template <bool from_striped, bool to_striped, class O>
    __device__ __forceinline__ void move(const T (&v)[n], O (&out)[n])
    {
        for (int i = 0; i < n; i++) room.items[poise_lane_place<n, width, from_striped>(i)] = v[i];
        take<to_striped>(out);
    }
    template <bool is_striped, class O> __device__ __forceinline__ void take(O (&out)[n])
    {
        __syncwarp(poise_part_of_warp<width>());
        for (int i = 0; i < n; i++) out[i] = room.items[poise_lane_place<n, width, is_striped>(i)];
        __syncwarp(poise_part_of_warp<width>());
    }
};
} // namespace cub
#endif
