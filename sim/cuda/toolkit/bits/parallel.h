/* What cub's and thrust's algorithms over whole arrays are made of: something for each index, reductions, scans and
 * stable sorts, as kernels on a stream. Nothing is assumed of an operator but that it is associative, and for
 * reductions commutative; sums are formed in an order that depends on the number of elements alone. */
#ifndef POISE_BITS_PARALLEL_H
#define POISE_BITS_PARALLEL_H
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>

namespace poise
{
namespace parallel
{
constexpr unsigned threads = 256, items = 4, tile = threads * items, most_blocks = 512, sort_tile = 512;

static inline size_t ceil_div(size_t n, size_t by) { return (n + by - 1) / by; }
template <class T> static inline size_t room_for(size_t n) { return ceil_div(n * sizeof(T), 256) * 256; }

/* Room for elements that are not constructed. */
template <class T, unsigned n> struct room_of {
    alignas(T) unsigned char bytes[n * sizeof(T)];
};

/* ---- for each index ---- */
template <class F> __global__ void each_kernel(size_t n, F f)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) f(i);
}
template <class F> static inline cudaError_t each(cudaStream_t stream, size_t n, F f)
{
    if (n == 0) return cudaSuccess;
    const size_t wanted = ceil_div(n, threads);
    const unsigned blocks = wanted > 65536 ? 65536 : (unsigned)wanted;
    each_kernel<<<blocks, threads, 0, stream>>>(n, f);
    return cudaPeekAtLastError();
}

/* ---- reductions: a partial one for each block, then one block for those ---- */
template <class T, class In, class Op, class Out>
__global__ void reduce_kernel(size_t n, In in, Op op, Out out, bool has_first, T first)
{
    __shared__ room_of<T, threads> room;
    T *const sums = (T *)room.bytes;
    const unsigned t = threadIdx.x;
    const size_t begin = (size_t)blockIdx.x * threads, step = (size_t)gridDim.x * threads;
    const unsigned active = n - begin < threads ? (unsigned)(n - begin) : threads;
    if (t < active) {
        T sum = in(begin + t);
        for (size_t i = begin + t + step; i < n; i += step) sum = op(sum, in(i));
        new (&sums[t]) T(sum);
    }
    for (unsigned half = threads / 2; half; half /= 2) {
        __syncthreads();
        if (t < half && t + half < active) sums[t] = op(sums[t], sums[t + half]);
    }
    if (t == 0) out(blockIdx.x, has_first ? (T)op(first, sums[0]) : sums[0]);
}
template <class T> static inline size_t reduce_room(size_t) { return room_for<T>(most_blocks); }
/* out(0, result) on the device; room: reduce_room<T>(n) bytes of device memory. Without elements, the first. */
template <class T, class In, class Op, class Out>
static inline cudaError_t reduce(cudaStream_t stream, void *room, size_t n, In in, Op op, bool has_first, T first,
                                 Out out)
{
    if (n == 0) return has_first ? each(stream, 1, [=] __device__(size_t) mutable { out(0, first); }) : cudaSuccess;
    T *const partial = (T *)room;
    const size_t wanted = ceil_div(n, tile);
    const unsigned blocks = wanted < most_blocks ? (unsigned)wanted : most_blocks;
    if (blocks == 1) {
        reduce_kernel<T><<<1, threads, 0, stream>>>(n, in, op, out, has_first, first);
        return cudaPeekAtLastError();
    }
    auto keep = [=] __device__(size_t block, const T &sum) { new (&partial[block]) T(sum); };
    auto load = [=] __device__(size_t i) -> T { return partial[i]; };
    reduce_kernel<T><<<blocks, threads, 0, stream>>>(n, in, op, keep, false, first);
    reduce_kernel<T><<<1, threads, 0, stream>>>((size_t)blocks, load, op, out, has_first, first);
    return cudaPeekAtLastError();
}

/* ---- scans: the sum of each tile, what stands before each tile, then each element's place ---- */
template <class T, class Op> static __device__ T scan_threads(T *sums, T mine, Op op, bool is_active, unsigned active)
{
    const unsigned t = threadIdx.x;
    if (is_active) new (&sums[t]) T(mine);
    for (unsigned by = 1; by < active; by *= 2) {
        __syncthreads();
        const bool adds = is_active && t >= by;
        if (adds) mine = op(sums[t - by], mine);
        __syncthreads();
        if (adds) sums[t] = mine;
    }
    __syncthreads();
    return mine;
}
/* With emit: emit(i, whether anything is before i, what is before it, what is up to it). */
template <bool emits, class T, class In, class Op, class Emit>
__global__ void scan_kernel(size_t n, In in, Op op, T *totals, bool has_first, T first, Emit emit)
{
    __shared__ room_of<T, threads> room;
    T *const sums = (T *)room.bytes;
    const size_t base = (size_t)blockIdx.x * tile, left = n - base, begin = base + threadIdx.x * items;
    const unsigned count = left < tile ? (unsigned)left : tile, active = (count + items - 1) / items;
    const bool is_active = threadIdx.x < active;
    room_of<T, items> space;
    T *const v = (T *)space.bytes;
    const unsigned mine = !is_active ? 0 : n - begin < items ? (unsigned)(n - begin) : items;
    T sum = first;
    for (unsigned k = 0; k < mine; k++) {
        new (&v[k]) T(in(begin + k));
        sum = k == 0 ? v[0] : (T)op(sum, v[k]);
    }
    scan_threads(sums, sum, op, is_active, active);
    if (!emits) {
        if (threadIdx.x == 0) new (&totals[blockIdx.x]) T(sums[active - 1]);
        return;
    }
    bool has_before = has_first || blockIdx.x > 0;
    T before = blockIdx.x > 0 ? totals[blockIdx.x] : first;
    if (is_active && threadIdx.x > 0) {
        before = has_before ? (T)op(before, sums[threadIdx.x - 1]) : sums[threadIdx.x - 1];
        has_before = true;
    }
    for (unsigned k = 0; k < mine; k++) {
        const T upto = has_before ? (T)op(before, v[k]) : v[k];
        emit(begin + k, has_before, before, upto);
        before = upto;
        has_before = true;
    }
}
/* Totals become what stands before each tile. */
template <class T, class Op> __global__ void scan_totals_kernel(size_t n, T *totals, Op op, bool has_first, T first)
{
    T sum = totals[0];
    if (has_first) sum = op(first, sum);
    for (size_t i = 1; i < n; i++) {
        const T mine = totals[i];
        totals[i] = sum;
        sum = op(sum, mine);
    }
}
template <class T> static inline size_t scan_room(size_t n) { return room_for<T>(ceil_div(n, tile) + 1); }
template <class T, class In, class Op, class Emit>
static inline cudaError_t scan(cudaStream_t stream, void *room, size_t n, In in, Op op, bool has_first, T first,
                               Emit emit)
{
    if (n == 0) return cudaSuccess;
    T *const totals = (T *)room;
    const size_t tiles = ceil_div(n, tile);
    if (tiles > 1) {
        scan_kernel<false, T><<<(unsigned)tiles, threads, 0, stream>>>(n, in, op, totals, has_first, first, emit);
        scan_totals_kernel<T><<<1, 1, 0, stream>>>(tiles, totals, op, has_first, first);
    }
    scan_kernel<true, T><<<(unsigned)tiles, threads, 0, stream>>>(n, in, op, totals, has_first, first, emit);
    return cudaPeekAtLastError();
}

/* ---- choosing elements: chosen(i), then put(i, whether chosen, how many chosen ones stand before it) ---- */
struct plus_count {
    __host__ __device__ size_t operator()(size_t a, size_t b) const { return a + b; }
};
template <class Chosen, class Put, class Count>
static inline cudaError_t choose(cudaStream_t stream, void *room, size_t n, Chosen chosen, Put put, Count count)
{
    if (n == 0) return each(stream, 1, [=] __device__(size_t) mutable { count((size_t)0); });
    auto in = [=] __device__(size_t i) mutable -> size_t { return chosen(i) ? 1 : 0; };
    auto emit = [=] __device__(size_t i, bool, size_t before, size_t upto) mutable {
        put(i, upto > before, before);
        if (i == n - 1) count(upto);
    };
    return scan<size_t>(stream, room, n, in, plus_count(), true, (size_t)0, emit);
}
static inline size_t choose_room(size_t n) { return scan_room<size_t>(n); }

/* ---- stable sorts: runs are merged in pairs; an element's place is its own and its rank among the other run ---- */
struct nothing {
};
template <class K, class V> struct item {
    K key;
    V value;
};
template <class I, class Less> static __device__ size_t place(const I *run, size_t i, size_t width, size_t n, Less less)
{
    const size_t start = i / (2 * width) * 2 * width, middle = start + width;
    if (middle >= n) return i;
    const bool is_left = i < middle;
    size_t low = is_left ? middle : start, high = is_left ? (middle + width < n ? middle + width : n) : middle;
    const size_t other = low;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        const bool goes_before = is_left ? less(run[at].key, run[i].key) : !less(run[i].key, run[at].key);
        if (goes_before) low = at + 1;
        else high = at;
    }
    return start + (is_left ? i - start : i - middle) + (low - other);
}
template <class I, class Less> __global__ void sort_tiles_kernel(size_t n, I *v, Less less)
{
    __shared__ room_of<I, 2 * sort_tile> room;
    const size_t base = (size_t)blockIdx.x * sort_tile, left = n - base, t = threadIdx.x;
    const size_t count = left < sort_tile ? left : sort_tile;
    I *from = (I *)room.bytes, *to = from + sort_tile;
    if (t < count) new (&from[t]) I(v[base + t]);
    for (size_t width = 1; width < count; width *= 2) {
        __syncthreads();
        if (t < count) new (&to[place(from, t, width, count, less)]) I(from[t]);
        I *const swap = from;
        from = to, to = swap;
    }
    __syncthreads();
    if (t < count) v[base + t] = from[t];
}
template <class I> static inline size_t sort_room(size_t n) { return 2 * room_for<I>(n); }
/* load(i, item) fills the items, store(i, item) takes the sorted ones. */
template <class I, class Load, class Less, class Store>
static inline cudaError_t sort(cudaStream_t stream, void *room, size_t n, Load load, Less less, Store store)
{
    I *a = (I *)room, *b = (I *)((char *)room + room_for<I>(n));
    size_t width = 1;
    each(stream, n, [=] __device__(size_t i) mutable { new (&a[i]) I(load(i)); });
    if constexpr (sizeof(I) <= 40) {
        if (n) sort_tiles_kernel<<<(unsigned)ceil_div(n, sort_tile), sort_tile, 0, stream>>>(n, a, less);
        width = sort_tile;
    }
    for (; width < n; width *= 2) {
        each(stream, n, [=] __device__(size_t i) { new (&b[place(a, i, width, n, less)]) I(a[i]); });
        I *const swap = a;
        a = b, b = swap;
    }
    return each(stream, n, [=] __device__(size_t i) mutable { store(i, a[i]); });
}
} // namespace parallel
} // namespace poise
#endif
