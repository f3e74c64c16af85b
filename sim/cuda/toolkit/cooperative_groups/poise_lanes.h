/* The part of cooperative_groups.h, which includes it, about groups within a warp: tiles of up to 32 threads and
 * coalesced threads. A group is a mask of lanes; values of any size travel word by word. */
#ifndef POISE_COOPERATIVE_LANES_H
#define POISE_COOPERATIVE_LANES_H

namespace cooperative_groups
{
namespace poise
{
POISE_G inline unsigned lane()
{
    unsigned l;
    asm("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}
POISE_G inline unsigned thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
POISE_G inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
POISE_G inline unsigned below(unsigned mask) { return __popc(mask & ((1u << lane()) - 1)); }
/* The lane of the k-th member. */
POISE_G inline unsigned member(unsigned mask, unsigned k)
{
    while (k--) mask &= mask - 1;
    return __ffs(mask) - 1;
}
/* Bits of lanes as bits of ranks. */
POISE_G inline unsigned by_rank(unsigned lanes, unsigned mask)
{
    unsigned packed = 0, k = 0;
    for (; mask; mask &= mask - 1, k++) packed |= (lanes >> (__ffs(mask) - 1) & 1) << k;
    return packed;
}
/* The value of another lane of the warp; every member takes part. */
template <class T> POISE_G inline T from_lane(unsigned mask, const T &v, unsigned source)
{
    enum { words = (sizeof(T) + 3) / 4 };
    unsigned w[words] = {};
    T out;
    __builtin_memcpy(w, &v, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; i++) w[i] = __shfl_sync(mask, w[i], source, 32);
    __builtin_memcpy(&out, w, sizeof(T));
    return out;
}
template <class G, class T, class Op> POISE_G inline T inclusive(const G &g, T v, Op op)
{
    for (unsigned by = 1; by < g.size(); by *= 2) {
        const T other = g.shfl_up(v, by);
        if (g.thread_rank() >= by) v = op(other, v);
    }
    return v;
}
} // namespace poise

/* A group of lanes of one warp, or a whole block. */
class thread_group
{
  public:
    POISE_G unsigned size() const { return n; }
    POISE_G unsigned num_threads() const { return n; }
    POISE_G unsigned thread_rank() const { return rank; }
    POISE_G void sync() const
    {
        if (is_block) __syncthreads();
        else __syncwarp(members);
    }
    POISE_G thread_group(unsigned n_, unsigned rank_, unsigned members_, bool is_block_)
        : n(n_), rank(rank_), members(members_), is_block(is_block_)
    {
    }
    POISE_G unsigned poise_members() const { return members; }
    POISE_G bool poise_is_block() const { return is_block; }

  protected:
    unsigned n, rank, members;
    bool is_block;
};

class coalesced_group : public thread_group
{
  public:
    POISE_G explicit coalesced_group(unsigned mask, unsigned meta_rank_ = 0, unsigned meta_size_ = 1)
        : thread_group(__popc(mask), poise::below(mask), mask, false), meta_rank(meta_rank_), meta_size(meta_size_)
    {
    }
    POISE_G unsigned meta_group_rank() const { return meta_rank; }
    POISE_G unsigned meta_group_size() const { return meta_size; }
    template <class T> POISE_G T shfl(T v, unsigned from) const
    {
        return poise::from_lane(members, v, poise::member(members, from % n));
    }
    template <class T> POISE_G T shfl_up(T v, unsigned by) const
    {
        return poise::from_lane(members, v, rank >= by ? poise::member(members, rank - by) : poise::lane());
    }
    template <class T> POISE_G T shfl_down(T v, unsigned by) const
    {
        return poise::from_lane(members, v, rank + by < n ? poise::member(members, rank + by) : poise::lane());
    }
    POISE_G int any(int p) const { return __any_sync(members, p); }
    POISE_G int all(int p) const { return __all_sync(members, p); }
    POISE_G unsigned ballot(int p) const { return poise::by_rank(__ballot_sync(members, p), members); }
    template <class T> POISE_G unsigned match_any(T v) const
    {
        return poise::by_rank(__match_any_sync(members, v), members);
    }
    template <class T> POISE_G unsigned match_all(T v, int &all_same) const
    {
        return poise::by_rank(__match_all_sync(members, v, &all_same), members);
    }

  private:
    unsigned meta_rank, meta_size;
};
POISE_G inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace poise
{
/* A tile of `width` lanes, a power of two up to 32, that are neighbours. */
template <unsigned width> class lane_tile : public thread_group
{
  public:
    POISE_G explicit lane_tile(unsigned meta_rank_, unsigned meta_size_)
        : thread_group(width, lane() % width, mask_of(), false), meta_rank(meta_rank_), meta_size(meta_size_)
    {
    }
    POISE_G static constexpr unsigned size() { return width; }
    POISE_G static constexpr unsigned num_threads() { return width; }
    POISE_G unsigned meta_group_rank() const { return meta_rank; }
    POISE_G unsigned meta_group_size() const { return meta_size; }
    template <class T> POISE_G T shfl(T v, int from) const
    {
        return from_lane(members, v, first() + (unsigned)from % width);
    }
    template <class T> POISE_G T shfl_up(T v, unsigned by) const
    {
        return from_lane(members, v, rank >= by ? lane() - by : lane());
    }
    template <class T> POISE_G T shfl_down(T v, unsigned by) const
    {
        return from_lane(members, v, rank + by < width ? lane() + by : lane());
    }
    template <class T> POISE_G T shfl_xor(T v, unsigned by) const
    {
        return from_lane(members, v, first() + ((rank ^ by) < width ? rank ^ by : rank));
    }
    POISE_G int any(int p) const { return __any_sync(members, p); }
    POISE_G int all(int p) const { return __all_sync(members, p); }
    POISE_G unsigned ballot(int p) const { return (__ballot_sync(members, p) & members) >> first(); }
    template <class T> POISE_G unsigned match_any(T v) const
    {
        return (__match_any_sync(members, v) & members) >> first();
    }
    template <class T> POISE_G unsigned match_all(T v, int &all_same) const
    {
        return (__match_all_sync(members, v, &all_same) & members) >> first();
    }

  private:
    unsigned meta_rank, meta_size;
    POISE_G static unsigned first() { return lane() / width * width; }
    POISE_G static unsigned mask_of() { return (width == 32 ? 0xffffffffu : (1u << width % 32) - 1) << first() % 32; }
};
} // namespace poise

/* ---- parts of groups ---- */
/* Threads that say yes and those that say no; the ones that say yes are group 1 of 2. */
template <class G> POISE_G inline coalesced_group binary_partition(const G &g, bool p)
{
    const unsigned members = g.poise_members(), yes = __ballot_sync(members, p) & members;
    return coalesced_group(p ? yes : members & ~yes, p, 2);
}
/* Threads with the same label; groups count in the order of their lowest ranks. */
template <class G, class T> POISE_G inline coalesced_group labeled_partition(const G &g, T label)
{
    const unsigned members = g.poise_members(), mine = __match_any_sync(members, label) & members;
    const unsigned leaders = __ballot_sync(members, poise::lane() == (unsigned)__ffs(mine) - 1) & members;
    return coalesced_group(mine, __popc(leaders & ((1u << (__ffs(mine) - 1)) - 1)), __popc(leaders));
}
template <unsigned width> POISE_G inline coalesced_group tiled_partition(const coalesced_group &g)
{
    unsigned rest = g.poise_members(), mine = 0;
    for (unsigned k = 0; rest; rest &= rest - 1, k++)
        if (k / width == g.thread_rank() / width) mine |= rest & -rest;
    return coalesced_group(mine, g.thread_rank() / width, (g.size() + width - 1) / width);
}
/* A size that is known when the kernel runs: a power of two up to 32. */
POISE_G inline thread_group tiled_partition(const thread_group &g, unsigned width)
{
    if (g.poise_is_block()) {
        const unsigned first = poise::lane() / width * width;
        return thread_group(width, poise::lane() % width, (width == 32 ? 0xffffffffu : (1u << width) - 1) << first,
                            false);
    }
    unsigned rest = g.poise_members(), mine = 0;
    for (unsigned k = 0; rest; rest &= rest - 1, k++)
        if (k / width == g.thread_rank() / width) mine |= rest & -rest;
    return thread_group(__popc(mine), poise::below(mine), mine, false);
}
} // namespace cooperative_groups
#endif
