/* Cooperative groups: blocks, tiles, coalesced threads and the grid. Lanes of a warp run together here, and the grid's
 * barrier is the one in the memory that the driver provides for a cooperative launch. */
#ifndef POISE_COOPERATIVE_GROUPS_H
#define POISE_COOPERATIVE_GROUPS_H
#define POISE_G __device__ __attribute__((always_inline))
#include "cooperative_groups/poise_lanes.h"

namespace cooperative_groups
{
/* Shared memory for tiles of more than a warp: what their threads exchange. */
template <unsigned max_threads = 1024> struct block_tile_memory {
    unsigned long long slots[max_threads];
};

class thread_block : public thread_group
{
  public:
    struct arrival_token {
    };
    POISE_G explicit thread_block(unsigned long long *slots_ = nullptr)
        : thread_group(poise::block_threads(), poise::thread_in_block(), 0, true), slots(slots_)
    {
    }
    POISE_G static void sync() { __syncthreads(); }
    POISE_G static unsigned size() { return poise::block_threads(); }
    POISE_G static unsigned num_threads() { return poise::block_threads(); }
    POISE_G static unsigned thread_rank() { return poise::thread_in_block(); }
    POISE_G static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    POISE_G static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    POISE_G static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    POISE_G static dim3 dim_threads() { return group_dim(); }
    POISE_G arrival_token barrier_arrive() const { return arrival_token(); }
    POISE_G void barrier_wait(arrival_token &&) const { __syncthreads(); }
    POISE_G unsigned long long *poise_slots() const { return slots; }

  private:
    unsigned long long *slots;
};
POISE_G inline thread_block this_thread_block() { return thread_block(); }
template <unsigned n> POISE_G inline thread_block this_thread_block(block_tile_memory<n> &memory)
{
    return thread_block(memory.slots);
}

namespace poise
{
/* A tile of several warps: they meet at a named barrier, and values of up to 8 bytes go through the block's memory. */
template <unsigned width> class warps_tile
{
  public:
    POISE_G warps_tile(unsigned meta_rank_, unsigned meta_size_, unsigned long long *slots_)
        : meta_rank(meta_rank_), meta_size(meta_size_), slots(slots_)
    {
        if (!slots_) __trap();
    }
    POISE_G static constexpr unsigned size() { return width; }
    POISE_G static constexpr unsigned num_threads() { return width; }
    POISE_G static unsigned thread_rank() { return thread_in_block() % width; }
    POISE_G unsigned meta_group_rank() const { return meta_rank; }
    POISE_G unsigned meta_group_size() const { return meta_size; }
    POISE_G void sync() const
    {
        asm volatile("barrier.sync %0, %1;" : : "r"((meta_rank + 1) % 16), "r"(width) : "memory");
    }
    template <class T> POISE_G T shfl(T v, unsigned from) const { return exchange(v, from % width); }
    template <class T> POISE_G T shfl_up(T v, unsigned by) const
    {
        return exchange(v, thread_rank() >= by ? thread_rank() - by : thread_rank());
    }
    template <class T> POISE_G T shfl_down(T v, unsigned by) const
    {
        return exchange(v, thread_rank() + by < width ? thread_rank() + by : thread_rank());
    }
    template <class T> POISE_G T shfl_xor(T v, unsigned by) const { return exchange(v, (thread_rank() ^ by) % width); }
    POISE_G int any(int p) const { return votes(p) != 0; }
    POISE_G int all(int p) const { return votes(p) == width; }

  private:
    unsigned meta_rank, meta_size;
    unsigned long long *slots;
    template <class T> POISE_G T exchange(T v, unsigned from) const
    {
        static_assert(sizeof(T) <= 8, "tiles of more than a warp exchange values of up to 8 bytes");
        unsigned long long word = 0;
        __builtin_memcpy(&word, &v, sizeof(T));
        sync();
        slots[meta_rank * width + thread_rank()] = word;
        sync();
        word = slots[meta_rank * width + from];
        sync();
        __builtin_memcpy(&v, &word, sizeof(T));
        return v;
    }
    POISE_G unsigned votes(int p) const
    {
        unsigned n = p != 0;
        for (unsigned by = width / 2; by; by /= 2) n += shfl_xor(n, by);
        return n;
    }
};
template <unsigned width, bool is_wide = (width > 32)> struct tile_kind {
    typedef lane_tile<width> type;
    POISE_G static type make(unsigned rank, unsigned n, unsigned long long *) { return type(rank, n); }
};
template <unsigned width> struct tile_kind<width, true> {
    typedef warps_tile<width> type;
    POISE_G static type make(unsigned rank, unsigned n, unsigned long long *slots) { return type(rank, n, slots); }
};
} // namespace poise
template <unsigned width, class Parent = void> class thread_block_tile : public poise::tile_kind<width>::type
{
    typedef typename poise::tile_kind<width>::type base;

  public:
    POISE_G thread_block_tile()
        : base(poise::tile_kind<width>::make(poise::thread_in_block() / width,
                                             (poise::block_threads() + width - 1) / width, nullptr))
    {
    }
    POISE_G explicit thread_block_tile(const base &b) : base(b) {}
    template <class Other> POISE_G thread_block_tile(const thread_block_tile<width, Other> &t) : base(t) {}
};
template <unsigned width> POISE_G inline thread_block_tile<width, thread_block> tiled_partition(const thread_block &b)
{
    return thread_block_tile<width, thread_block>(poise::tile_kind<width>::make(
        poise::thread_in_block() / width, (poise::block_threads() + width - 1) / width, b.poise_slots()));
}
template <unsigned width, unsigned parent, class Up>
POISE_G inline thread_block_tile<width, thread_block_tile<parent, Up>>
tiled_partition(const thread_block_tile<parent, Up> &g)
{
    static_assert(width <= 32 && width <= parent, "a part of a tile is within a warp");
    return thread_block_tile<width, thread_block_tile<parent, Up>>(
        poise::lane_tile<width>(g.thread_rank() / width, parent / width));
}
POISE_G inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

class grid_group
{
  public:
    struct arrival_token {
        unsigned old;
    };
    POISE_G bool is_valid() const { return workspace() != 0; }
    POISE_G unsigned long long size() const { return num_blocks() * poise::block_threads(); }
    POISE_G unsigned long long num_threads() const { return size(); }
    POISE_G unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    POISE_G unsigned long long block_rank() const
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    POISE_G unsigned long long thread_rank() const
    {
        return block_rank() * poise::block_threads() + poise::thread_in_block();
    }
    POISE_G dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    POISE_G dim3 dim_blocks() const { return group_dim(); }
    POISE_G dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    POISE_G dim3 thread_index() const
    {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    POISE_G dim3 dim_threads() const
    {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    /* The last block to come turns the top bit of the counter over: the others count one each. */
    POISE_G arrival_token barrier_arrive() const
    {
        arrival_token token = {0};
        if (!workspace()) __trap();
        __syncthreads();
        if (poise::thread_in_block() == 0) {
            const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            __threadfence();
            token.old = atomicAdd(workspace(), block_rank() == 0 ? 0x80000000u - (blocks - 1) : 1u);
        }
        return token;
    }
    POISE_G void barrier_wait(arrival_token &&token) const
    {
        volatile unsigned *counter = workspace();
        if (poise::thread_in_block() == 0) {
            while (((*counter ^ token.old) & 0x80000000u) == 0) continue;
            __threadfence();
        }
        __syncthreads();
    }
    POISE_G void sync() const { barrier_wait(barrier_arrive()); }

  private:
    POISE_G static unsigned *workspace()
    {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        const unsigned long long at = (unsigned long long)high << 32 | low;
        return at ? (unsigned *)(at + 4) : nullptr;
    }
};
POISE_G inline grid_group this_grid() { return grid_group(); }

template <class G> POISE_G inline void sync(const G &g) { g.sync(); }
template <class G> POISE_G inline unsigned long long thread_rank(const G &g) { return g.thread_rank(); }
template <class G> POISE_G inline unsigned long long group_size(const G &g) { return g.size(); }

/* ---- reductions and scans ---- */
template <class T = void> struct plus {
    POISE_G T operator()(T a, T b) const { return a + b; }
};
template <class T = void> struct less {
    POISE_G T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void> struct greater {
    POISE_G T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void> struct bit_and {
    POISE_G T operator()(T a, T b) const { return a & b; }
};
template <class T = void> struct bit_or {
    POISE_G T operator()(T a, T b) const { return a | b; }
};
template <class T = void> struct bit_xor {
    POISE_G T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned width, class Up, class T, class Op>
POISE_G inline T reduce(const thread_block_tile<width, Up> &g, T v, Op op)
{
#pragma unroll
    for (unsigned by = width / 2; by; by /= 2) v = op(v, g.shfl_xor(v, by));
    return v;
}
template <class T, class Op> POISE_G inline T reduce(const coalesced_group &g, T v, Op op)
{
    v = poise::inclusive(g, v, op);
    return g.shfl(v, g.size() - 1);
}
template <class G, class T, class Op> POISE_G inline T inclusive_scan(const G &g, T v, Op op)
{
    return poise::inclusive(g, v, op);
}
template <class G, class T> POISE_G inline T inclusive_scan(const G &g, T v)
{
    return poise::inclusive(g, v, plus<T>());
}
/* The first of a group gets a value of zeros. */
template <class G, class T, class Op> POISE_G inline T exclusive_scan(const G &g, T v, Op op)
{
    const T all = poise::inclusive(g, v, op), before = g.shfl_up(all, 1);
    return g.thread_rank() ? before : T();
}
template <class G, class T> POISE_G inline T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

/* One member calls; the others go on, or take what it returned. */
template <class G, class F, class... A> POISE_G inline void invoke_one(const G &g, F &&f, A &&...a)
{
    if (g.thread_rank() == 0) f(a...);
}
template <class G, class F, class... A>
POISE_G inline auto invoke_one_broadcast(const G &g, F &&f, A &&...a) -> decltype(f(a...))
{
    decltype(f(a...)) v = decltype(f(a...))();
    if (g.thread_rank() == 0) v = f(a...);
    return g.shfl(v, 0);
}

/* ---- copies by a group: done when wait returns ---- */
namespace poise
{
template <class G> POISE_G inline void copy(const G &g, void *to, const void *from, size_t bytes)
{
    const unsigned long long rank = g.thread_rank(), n = g.size(),
                             at = (unsigned long long)to | (unsigned long long)from | bytes;
    if (at % 16 == 0)
        for (size_t i = rank; i < bytes / 16; i += n) ((uint4 *)to)[i] = ((const uint4 *)from)[i];
    else if (at % 4 == 0)
        for (size_t i = rank; i < bytes / 4; i += n) ((unsigned *)to)[i] = ((const unsigned *)from)[i];
    else
        for (size_t i = rank; i < bytes; i += n) ((char *)to)[i] = ((const char *)from)[i];
}
} // namespace poise
template <class G, class T, class Shape>
POISE_G inline void memcpy_async(const G &g, T *to, const T *from, const Shape &bytes)
{
    poise::copy(g, to, from, (size_t)bytes);
}
template <class G, class T, class To, class From>
POISE_G inline void memcpy_async(const G &g, T *to, const To &room, const T *from, const From &elements)
{
    const size_t n = (size_t)room < (size_t)elements ? (size_t)room : (size_t)elements;
    poise::copy(g, to, from, n * sizeof(T));
}
template <class G> POISE_G inline void wait(const G &g) { g.sync(); }
template <unsigned stages, class G> POISE_G inline void wait_prior(const G &g) { g.sync(); }
} // namespace cooperative_groups
#undef POISE_G
#endif
