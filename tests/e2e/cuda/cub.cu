/* CUB: collectives of warps and blocks in kernels, and algorithms over arrays, against the host. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>
#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/util_allocator.cuh>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1; \
        } \
    } while (0)
struct largest {
    __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

/* 96 threads of 3 items: sums, what stands before each item, the items sorted, the items dealt out by turns. */
__global__ void blocks_kernel(const int *x, int *sums, int *before, int *sorted, int *dealt)
{
    typedef cub::BlockReduce<int, 96> Reduce;
    typedef cub::BlockScan<int, 96> Scan;
    typedef cub::BlockRadixSort<int, 96, 3> Sort;
    typedef cub::BlockLoad<int, 96, 3, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, 96, 3, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::BlockExchange<int, 96, 3> Exchange;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Load::TempStorage load;
        Store::TempStorage store;
        Exchange::TempStorage exchange;
    } room;
    const int base = blockIdx.x * 96 * 3;
    int v[3], out[3], total;
    Load(room.load).Load(x + base, v);
    __syncthreads();
    const int sum = Reduce(room.reduce).Sum(v);
    __syncthreads();
    const int part = Reduce(room.reduce).Sum(v[0], 70);
    __syncthreads();
    Scan(room.scan).ExclusiveSum(v, out, total);
    __syncthreads();
    if (threadIdx.x == 0) sums[3 * blockIdx.x] = sum, sums[3 * blockIdx.x + 1] = part, sums[3 * blockIdx.x + 2] = total;
    Store(room.store).Store(before + base, out);
    __syncthreads();
    Exchange(room.exchange).BlockedToStriped(v, out);
    for (int i = 0; i < 3; i++) dealt[base + threadIdx.x * 3 + i] = out[i];
    __syncthreads();
    Sort(room.sort).Sort(v);
    __syncthreads();
    Store(room.store).Store(sorted + base, v);
}
__global__ void warps_kernel(const float *x, float *out)
{
    typedef cub::WarpReduce<float, 16> Reduce;
    typedef cub::WarpScan<double> Scan;
    __shared__ Reduce::TempStorage reduce[4];
    __shared__ Scan::TempStorage scan[2];
    const float most = Reduce(reduce[threadIdx.x / 16]).Reduce(x[threadIdx.x], largest());
    double upto;
    Scan(scan[threadIdx.x / 32]).InclusiveSum((double)x[threadIdx.x], upto);
    out[2 * threadIdx.x] = threadIdx.x % 16 == 0 ? most : 0;
    out[2 * threadIdx.x + 1] = (float)upto;
}
/* Takes its operands by reference, as operations of programs do. */
struct minus_twice {
    template <class T> __device__ T operator()(T &a, T &b) const { return a - 2 * b; }
};
struct differs {
    __device__ bool operator()(const int &a, const int &b) const { return a != b; }
};

/* 70 threads of 3 items and their neighbours: what is left and right of each, where runs begin and end, items handed
 * on by a thread, counts. 12 numbers a thread and 8 counts a block. */
__global__ void neighbours_kernel(const int *x, int *out, int *counts, int valid)
{
    typedef cub::BlockAdjacentDifference<int, 70> Difference;
    typedef cub::BlockDiscontinuity<int, 70> Runs;
    typedef cub::BlockShuffle<int, 70> Shuffle;
    typedef cub::BlockHistogram<int, 70, 3, 8, cub::BLOCK_HISTO_ATOMIC> Histogram;
    __shared__ union {
        Difference::TempStorage difference;
        Runs::TempStorage runs;
        Shuffle::TempStorage shuffle;
        Histogram::TempStorage histogram;
    } room;
    __shared__ int bins[8];
    int v[3], left[3], right[3], heads[3], tails[3], up[3] = {-1, -1, -1}, rotated = -1;
    for (int i = 0; i < 3; i++) v[i] = left[i] = x[3 * threadIdx.x + i];
    Difference(room.difference).SubtractLeft(left, left, minus_twice()); /* in place */
    __syncthreads();
    Difference(room.difference).SubtractRightPartialTile(v, right, minus_twice(), valid);
    __syncthreads();
    Runs(room.runs).FlagHeadsAndTails(heads, tails, v, differs());
    __syncthreads();
    Shuffle(room.shuffle).Up(v, up);
    __syncthreads();
    Shuffle(room.shuffle).Rotate(v[0], rotated, 3);
    __syncthreads();
    Histogram(room.histogram).Histogram(v, bins);
    __syncthreads();
    if (threadIdx.x < 8) counts[threadIdx.x] = bins[threadIdx.x];
    int *mine = out + 13 * threadIdx.x;
    for (int i = 0; i < 3; i++)
        mine[i] = left[i], mine[3 + i] = right[i], mine[6 + i] = heads[i] + 2 * tails[i], mine[9 + i] = up[i];
    mine[12] = rotated;
}

template <class T> static T *up(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> static std::vector<T> down(const T *p, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
/* cub's algorithms are called twice, the first time for the room that they want. */
#define TWICE(call) \
    do { \
        void *room = nullptr; \
        size_t bytes = 0; \
        CHECK(cub::call == cudaSuccess); \
        CHECK(bytes > 0 && cudaMalloc(&room, bytes) == cudaSuccess); \
        CHECK(cub::call == cudaSuccess); \
        cudaFree(room); \
    } while (0)

static int collectives()
{
    const int blocks = 3, each = 96 * 3, n = blocks * each;
    std::vector<int> x(n);
    for (int i = 0; i < n; i++) x[i] = (int)(i * 2654435761u >> 8) % 1000 - 500;
    int *in = up(x), *sums = up(std::vector<int>(3 * blocks)), *before = up(x), *sorted = up(x), *dealt = up(x);
    blocks_kernel<<<blocks, 96>>>(in, sums, before, sorted, dealt);
    const auto s = down(sums, 3 * blocks), b = down(before, n), o = down(sorted, n), d = down(dealt, n);
    for (int k = 0; k < blocks; k++) {
        const int *v = &x[k * each];
        int sum = 0, part = 0;
        for (int t = 0; t < 70; t++) part += v[3 * t];
        for (int i = 0; i < each; i++) {
            CHECK(b[k * each + i] == sum && d[k * each + i] == v[i % 3 * 96 + i / 3]);
            sum += v[i];
        }
        CHECK(s[3 * k] == sum && s[3 * k + 1] == part && s[3 * k + 2] == sum);
        std::vector<int> w(v, v + each);
        std::sort(w.begin(), w.end());
        CHECK(std::equal(w.begin(), w.end(), &o[k * each]));
    }
    std::vector<float> y(64);
    for (int i = 0; i < 64; i++) y[i] = (float)(i * 37 % 64);
    float *warps_in = up(y), *warps_out = up(std::vector<float>(128));
    warps_kernel<<<1, 64>>>(warps_in, warps_out);
    const auto r = down(warps_out, 128);
    double upto = 0;
    for (int i = 0; i < 64; i++) {
        if (i % 32 == 0) upto = 0;
        upto += y[i];
        CHECK(r[2 * i + 1] == (float)upto);
        if (i % 16 == 0) CHECK(r[2 * i] == *std::max_element(&y[i], &y[i] + 16));
    }
    return 0;
}

static int neighbours()
{
    const int threads = 70, n = 3 * threads, valid = 200;
    std::vector<int> x(n), wanted_counts(8);
    for (int i = 0; i < n; i++) x[i] = (int)(i * 2654435761u >> 9) % 8 / (i % 3 ? 1 : 2), wanted_counts[x[i]]++;
    int *out = up(std::vector<int>(13 * threads)), *counts = up(std::vector<int>(8));
    neighbours_kernel<<<1, threads>>>(up(x), out, counts, valid);
    const auto r = down(out, 13 * threads);
    CHECK(down(counts, 8) == wanted_counts);
    for (int i = 0; i < n; i++) {
        const int *of = &r[13 * (i / 3) + i % 3];
        CHECK(of[0] == (i ? x[i] - 2 * x[i - 1] : x[i]));
        CHECK(of[3] == (i + 1 < valid ? x[i] - 2 * x[i + 1] : x[i]));
        CHECK(of[6] == (i == 0 || x[i - 1] != x[i] ? 1 : 0) + (i + 1 == n || x[i] != x[i + 1] ? 2 : 0));
        CHECK(of[9] == (i ? x[i - 1] : -1));
    }
    for (int t = 0; t < threads; t++) CHECK(r[13 * t + 12] == x[3 * ((t + 3) % threads)]);
    return 0;
}

static int arrays()
{
    const int n = 3000;
    std::vector<int> x(n), order(n);
    std::vector<float> f(n);
    for (int i = 0; i < n; i++) x[i] = (int)(i * 2654435761u >> 7) % 100, order[i] = i, f[i] = (float)(50 - x[i]) / 4;
    int *in = up(x), *out = up(x), *places = up(order), *places_out = up(order), *count = up(std::vector<int>(1));
    float *floats = up(f), *floats_out = up(f);
    TWICE(DeviceReduce::Sum(room, bytes, in, count, n));
    CHECK(down(count, 1)[0] == std::accumulate(x.begin(), x.end(), 0));
    TWICE(DeviceReduce::Max(room, bytes, in, count, n));
    CHECK(down(count, 1)[0] == 99);
    TWICE(DeviceReduce::Reduce(room, bytes, floats, floats_out, n, largest(), -1e9f));
    CHECK(down(floats_out, 1)[0] == 12.5f);
    TWICE(DeviceScan::ExclusiveSum(room, bytes, in, out, n));
    auto scanned = down(out, n);
    for (int i = 0, sum = 0; i < n; sum += x[i++]) CHECK(scanned[i] == sum);
    TWICE(DeviceSelect::If(room, bytes, in, out, count, n, is_even()));
    std::vector<int> even;
    std::copy_if(x.begin(), x.end(), std::back_inserter(even), is_even());
    CHECK(down(count, 1)[0] == (int)even.size() && down(out, even.size()) == even);
    TWICE(DeviceRadixSort::SortPairs(room, bytes, in, out, places, places_out, n));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] < x[b]; });
    CHECK(down(places_out, n) == order);
    const auto sorted = down(out, n);
    for (int i = 0; i < n; i++) CHECK(sorted[i] == x[order[i]]);
    TWICE(DeviceRadixSort::SortKeysDescending(room, bytes, floats, floats_out, n));
    std::sort(f.begin(), f.end(), [](float a, float b) { return a > b; });
    CHECK(down(floats_out, n) == f);
    int *keys = up(std::vector<int>(n)), *lengths = up(std::vector<int>(n));
    TWICE(DeviceRunLengthEncode::Encode(room, bytes, out, keys, lengths, count, n));
    CHECK(down(count, 1)[0] == 100);
    const auto k = down(keys, 100), l = down(lengths, 100);
    for (int i = 0; i < 100; i++) CHECK(k[i] == i && l[i] == std::count(x.begin(), x.end(), i));
    int *histogram = up(std::vector<int>(10));
    TWICE(DeviceHistogram::HistogramEven(room, bytes, in, histogram, 11, 0, 100, n));
    const auto h = down(histogram, 10);
    for (int i = 0; i < 10; i++) CHECK(h[i] == std::accumulate(l.begin() + 10 * i, l.begin() + 10 * i + 10, 0));
    int *ends = up(std::vector<int>{0, 7, 7, 1000, n});
    TWICE(DeviceSegmentedReduce::Sum(room, bytes, in, out, 4, ends, ends + 1));
    const auto segments = down(out, 4);
    CHECK(segments[0] == std::accumulate(&x[0], &x[7], 0) && segments[1] == 0);
    CHECK(segments[2] == std::accumulate(&x[7], &x[1000], 0) && segments[3] == std::accumulate(&x[1000], &x[0] + n, 0));
    return 0;
}

/* What was given back is there again for as much of the same size class, of another it is not. */
static int allocations()
{
    cub::CachingDeviceAllocator keeper(true);
    void *a = nullptr, *b = nullptr, *c = nullptr;
    CHECK(keeper.DeviceAllocate(&a, 600) == cudaSuccess && cudaMemset(a, 1, 600) == cudaSuccess);
    CHECK(keeper.DeviceFree(a) == cudaSuccess);
    CHECK(keeper.DeviceAllocate(&b, 4000) == cudaSuccess && b == a);
    CHECK(keeper.DeviceAllocate(&c, 4000) == cudaSuccess && c != a && cudaMemset(c, 1, 4000) == cudaSuccess);
    CHECK(keeper.DeviceFree(b) == cudaSuccess && keeper.DeviceFree(c) == cudaSuccess && keeper.FreeAllCached() == cudaSuccess);
    void *large = nullptr;
    CHECK(keeper.DeviceAllocate(&large, 5 << 20) == cudaSuccess && cudaMemset(large, 1, 5 << 20) == cudaSuccess);
    CHECK(keeper.DeviceFree(large) == cudaSuccess);
    return 0;
}

/* Three elements a lane: blocked to striped and back, and to the ranks of the reverse order; a rest that is not full. */
template <int width> __global__ void warp_moves_kernel(const int *x, int *striped, int *blocked, int *reversed, int valid)
{
    typedef cub::WarpExchange<int, 3, width> Exchange;
    __shared__ typename Exchange::TempStorage room[64 / width];
    const int part = threadIdx.x / width, base = part * 3 * width, lane = threadIdx.x % width;
    int v[3], moved[3], rank[3];
    cub::WarpLoad<int, 3, cub::WARP_LOAD_DIRECT, width>().Load(x + base, v, valid - base, -1);
    Exchange(room[part]).BlockedToStriped(v, moved);
    cub::WarpStore<int, 3, cub::WARP_STORE_DIRECT, width>().Store(striped + base, moved);
    for (int i = 0; i < 3; i++) rank[i] = 3 * width - 1 - (lane * 3 + i);
    Exchange(room[part]).StripedToBlocked(moved, moved);
    cub::WarpStore<int, 3, cub::WARP_STORE_VECTORIZE, width>().Store(blocked + base, moved, valid - base);
    Exchange(room[part]).ScatterToStriped(v, rank);
    cub::WarpStore<int, 3, cub::WARP_STORE_STRIPED, width>().Store(reversed + base, v);
}
template <int width> static int warp_moves()
{
    const int n = 192, valid = n - 5;
    std::vector<int> x(n);
    for (int i = 0; i < n; i++) x[i] = i * i;
    int *from = up(x), *to[3];
    for (int **t = to; t < to + 3; t++) *t = up(std::vector<int>(n, -2));
    warp_moves_kernel<width><<<1, 64>>>(from, to[0], to[1], to[2], valid);
    const auto striped = down(to[0], n), blocked = down(to[1], n), reversed = down(to[2], n);
    for (int i = 0; i < n; i++) {
        const int base = i / (3 * width) * 3 * width, at = i - base, turned = base + at % 3 * width + at / 3, back = base + 3 * width - 1 - at;
        CHECK(striped[i] == (turned < valid ? x[turned] : -1));
        CHECK(blocked[i] == (i < valid ? x[i] : -2) && reversed[i] == (back < valid ? x[back] : -1));
    }
    return 0;
}

int main()
{
    if (warp_moves<32>() || warp_moves<8>()) return 1;
    if (allocations() || collectives() || neighbours() || arrays()) return 1;
    std::printf("cub ok\n");
    return 0;
}
