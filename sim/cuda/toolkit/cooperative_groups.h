/* Cooperative groups: blocks, tiles, coalesced threads and the grid. Lanes of a warp run together here, and the grid's
 * barrier is the one in the memory that the driver provides for a cooperative launch. */
#ifndef POISE_COOPERATIVE_GROUPS_H
#define POISE_COOPERATIVE_GROUPS_H
#define POISE_G __device__ __attribute__((always_inline))

namespace cooperative_groups {
namespace poise {
POISE_G inline unsigned lane() { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
POISE_G inline unsigned thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
}

class thread_group {
public:
    POISE_G unsigned size() const { return n; }
    POISE_G unsigned num_threads() const { return n; }
    POISE_G unsigned thread_rank() const { return rank; }
    POISE_G void sync() const { if (is_block) __syncthreads(); else __syncwarp(members); }
    POISE_G thread_group(unsigned n_, unsigned rank_, unsigned members_, bool is_block_) : n(n_), rank(rank_), members(members_), is_block(is_block_) {}
protected:
    unsigned n, rank, members;
    bool is_block;
};

class thread_block : public thread_group {
public:
    POISE_G thread_block() : thread_group(blockDim.x * blockDim.y * blockDim.z, poise::thread_in_block(), 0, true) {}
    POISE_G static void sync() { __syncthreads(); }
    POISE_G static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    POISE_G static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    POISE_G static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
POISE_G inline thread_block this_thread_block() { return thread_block(); }

/* Lanes that act together: exchange among them by rank. */
template <unsigned width> class thread_block_tile : public thread_group {
public:
    POISE_G thread_block_tile() : thread_group(width, poise::lane() % width, mask_of(), false) {}
    POISE_G unsigned meta_group_rank() const { return poise::thread_in_block() / width; }
    POISE_G unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + width - 1) / width; }
    template <class T> POISE_G T shfl(T v, int from) const { return __shfl_sync(members, v, from, width); }
    template <class T> POISE_G T shfl_up(T v, unsigned by) const { return __shfl_up_sync(members, v, by, width); }
    template <class T> POISE_G T shfl_down(T v, unsigned by) const { return __shfl_down_sync(members, v, by, width); }
    template <class T> POISE_G T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(members, v, by, width); }
    POISE_G int any(int p) const { return __any_sync(members, p); }
    POISE_G int all(int p) const { return __all_sync(members, p); }
    POISE_G unsigned ballot(int p) const { return (__ballot_sync(members, p) & members) >> (poise::lane() / width * width); }
private:
    POISE_G static unsigned mask_of() { return (width == 32 ? 0xffffffffu : (1u << width % 32) - 1) << (poise::lane() / width * width % 32); }
};
template <unsigned width, class G> POISE_G inline thread_block_tile<width> tiled_partition(const G &) { return thread_block_tile<width>(); }

class coalesced_group : public thread_group {
public:
    POISE_G explicit coalesced_group(unsigned mask) : thread_group(__popc(mask), __popc(mask & ((1u << poise::lane()) - 1)), mask, false) {}
    template <class T> POISE_G T shfl(T v, unsigned from) const { return __shfl_sync(members, v, lane_of(from)); }
    template <class T> POISE_G T shfl_down(T v, unsigned by) const { return rank + by < n ? __shfl_sync(members, v, lane_of(rank + by)) : __shfl_sync(members, v, lane_of(rank)); }
    POISE_G int any(int p) const { return __any_sync(members, p); }
    POISE_G int all(int p) const { return __all_sync(members, p); }
private:
    POISE_G unsigned lane_of(unsigned k) const
    {
        unsigned m = members;
        while (k--) m &= m - 1;
        return __ffs(m) - 1;
    }
};
POISE_G inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

class grid_group {
public:
    POISE_G bool is_valid() const { return workspace() != 0; }
    POISE_G unsigned long long size() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z; }
    POISE_G unsigned long long num_threads() const { return size(); }
    POISE_G unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    POISE_G unsigned long long block_rank() const { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    POISE_G unsigned long long thread_rank() const { return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + poise::thread_in_block(); }
    POISE_G dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    /* The last block to come turns the top bit of the counter over: the others count one each. */
    POISE_G void sync() const
    {
        volatile unsigned *counter = workspace();
        if (!counter) __trap();
        __syncthreads();
        if (poise::thread_in_block() == 0) {
            const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            __threadfence();
            const unsigned old = atomicAdd((unsigned *)counter, block_rank() == 0 ? 0x80000000u - (blocks - 1) : 1u);
            while (((*counter ^ old) & 0x80000000u) == 0) continue;
            __threadfence();
        }
        __syncthreads();
    }
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
template <class T> struct plus { POISE_G T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { POISE_G T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { POISE_G T operator()(T a, T b) const { return a < b ? b : a; } };
template <unsigned width, class T, class Op> POISE_G inline T reduce(const thread_block_tile<width> &g, T v, Op op)
{
#pragma unroll
    for (unsigned by = width / 2; by; by /= 2) v = op(v, g.shfl_xor(v, by));
    return v;
}
}
#undef POISE_G
#endif
