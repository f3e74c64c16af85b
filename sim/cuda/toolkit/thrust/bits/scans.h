/* thrust's scans, choices of elements, and sorts. */
#ifndef POISE_THRUST_SCANS_H
#define POISE_THRUST_SCANS_H
#include "algorithms.h"

namespace thrust
{
/* ---- scans ---- */
template <class In, class Out, class Op>
POISE_HERE poise_inclusive_scan(const poise_host &, In first, In last, Out out, Op op)
{
    if (first == last) return out;
    poise_value<In> sum = *first;
    for (*out = sum, ++first, ++out; first != last; ++first, ++out) *out = sum = op(sum, *first);
    return out;
}
template <class In, class Out, class Op>
POISE_ON poise_inclusive_scan(const poise_cuda &p, In first, In last, Out out, Op op)
{
    typedef poise_value<In> T;
    const size_t n = (size_t)(last - first);
    auto in = poise_raw(first);
    auto to = poise_raw(out);
    poise_room room(pp::scan_room<T>(n));
    pp::scan<T>(
        p.stream, room.at, n, [=] __device__(size_t i) mutable -> T { return in[i]; }, op, false, T(),
        [=] __device__(size_t i, bool, const T &, const T &upto) mutable { to[i] = upto; });
    return out + (ptrdiff_t)n;
}
template <class P, class In, class Out> POISE_HERE poise_inclusive_scan(const P &p, In first, In last, Out out)
{
    return poise_inclusive_scan(p, first, last, out, plus<poise_value<In>>());
}
POISE_DISPATCH(inclusive_scan)
template <class In, class Out, class T, class Op>
POISE_HERE poise_exclusive_scan(const poise_host &, In first, In last, Out out, T sum, Op op)
{
    for (; first != last; ++first, ++out) {
        const T before = sum;
        sum = op(sum, *first);
        *out = before;
    }
    return out;
}
template <class In, class Out, class T, class Op>
POISE_ON poise_exclusive_scan(const poise_cuda &p, In first, In last, Out out, T start, Op op)
{
    const size_t n = (size_t)(last - first);
    auto in = poise_raw(first);
    auto to = poise_raw(out);
    poise_room room(pp::scan_room<T>(n));
    pp::scan<T>(
        p.stream, room.at, n, [=] __device__(size_t i) mutable -> T { return in[i]; }, op, true, start,
        [=] __device__(size_t i, bool, const T &before, const T &) mutable { to[i] = before; });
    return out + (ptrdiff_t)n;
}
template <class P, class In, class Out, class T>
POISE_HERE poise_exclusive_scan(const P &p, In first, In last, Out out, T start)
{
    return poise_exclusive_scan(p, first, last, out, start, plus<T>());
}
template <class P, class In, class Out> POISE_HERE poise_exclusive_scan(const P &p, In first, In last, Out out)
{
    return poise_exclusive_scan(p, first, last, out, poise_value<In>(0));
}
POISE_DISPATCH(exclusive_scan)
template <class P, class In, class Out, class F, class Op>
POISE_HERE poise_transform_inclusive_scan(const P &p, In first, In last, Out out, F f, Op op)
{
    return poise_inclusive_scan(p, thrust::make_transform_iterator(first, f), thrust::make_transform_iterator(last, f),
                                out, op);
}
POISE_DISPATCH(transform_inclusive_scan)
template <class P, class In, class Out, class F, class T, class Op>
POISE_HERE poise_transform_exclusive_scan(const P &p, In first, In last, Out out, F f, T start, Op op)
{
    return poise_exclusive_scan(p, thrust::make_transform_iterator(first, f), thrust::make_transform_iterator(last, f),
                                out, start, op);
}
POISE_DISPATCH(transform_exclusive_scan)

/* ---- runs of equal keys ---- */
template <class T> struct poise_run {
    size_t runs; /* that begin up to here */
    T sum;
};
template <class Op> struct poise_join {
    mutable Op op;
    template <class T> POISE_HD poise_run<T> operator()(const poise_run<T> &a, const poise_run<T> &b) const
    {
        return poise_run<T>{a.runs + b.runs, b.runs ? b.sum : (T)op(a.sum, b.sum)};
    }
};
/* told(i, whether a run ends at i, its number, the sum up to i); the number of runs. */
template <class K, class V, class Same, class Op, class Told>
static POISE_HD size_t poise_runs(const poise_host &, K keys, size_t n, V values, Same same, Op op, Told told)
{
    size_t run = 0;
    for (size_t i = 0; i < n; run++) {
        poise_value<V> sum = values[i];
        for (;; sum = op(sum, values[++i])) {
            const bool ends = i + 1 == n || !same(keys[i], keys[i + 1]);
            told(i, ends, run, sum);
            if (ends) break;
        }
        i++;
    }
    return run;
}
template <class K, class V, class Same, class Op, class Told>
static inline size_t poise_runs(const poise_cuda &p, K keys, size_t n, V values, Same same, Op op, Told told)
{
    typedef poise_value<V> T;
    poise_room room(pp::scan_room<poise_run<T>>(n) + sizeof(size_t));
    size_t *const runs = (size_t *)((char *)room.at + pp::scan_room<poise_run<T>>(n)), none = 0;
    size_t here = 0;
    cudaMemcpyAsync(runs, &none, sizeof none, cudaMemcpyHostToDevice, p.stream);
    auto load = [=] __device__(size_t i) mutable {
        return poise_run<T>{i == 0 || !same(keys[i - 1], keys[i]) ? size_t(1) : size_t(0), (T)values[i]};
    };
    auto emit = [=] __device__(size_t i, bool, const poise_run<T> &, const poise_run<T> &upto) mutable {
        told(i, i + 1 == n || !same(keys[i], keys[i + 1]), upto.runs - 1, upto.sum);
        if (i + 1 == n) *runs = upto.runs;
    };
    pp::scan<poise_run<T>>(p.stream, room.at, n, load, poise_join<Op>{op}, false, poise_run<T>(), emit);
    cudaMemcpyAsync(&here, runs, sizeof here, cudaMemcpyDeviceToHost, p.stream);
    cudaStreamSynchronize(p.stream);
    return here;
}
template <class K, class KOut, class VOut> struct poise_put_run {
    mutable K keys;
    mutable KOut keys_out;
    mutable VOut values_out;
    template <class T> POISE_HD void operator()(size_t i, bool ends, size_t run, const T &sum) const
    {
        if (!ends) return;
        keys_out[run] = keys[i];
        values_out[run] = sum;
    }
};
template <class P, class K, class V, class KOut, class VOut, class Same, class Op>
POISE_HERE poise_reduce_by_key(const P &p, K first, K last, V values, KOut keys_out, VOut values_out, Same same, Op op)
{
    auto keys = poise_raw(first);
    auto to_keys = poise_raw(keys_out);
    auto to_values = poise_raw(values_out);
    const poise_put_run<decltype(keys), decltype(to_keys), decltype(to_values)> put{keys, to_keys, to_values};
    const ptrdiff_t runs = (ptrdiff_t)poise_runs(p, keys, (size_t)(last - first), poise_raw(values), same, op, put);
    return pair<KOut, VOut>(keys_out + runs, values_out + runs);
}
template <class P, class K, class V, class KOut, class VOut, class Same>
POISE_HERE poise_reduce_by_key(const P &p, K first, K last, V values, KOut keys_out, VOut values_out, Same same)
{
    return poise_reduce_by_key(p, first, last, values, keys_out, values_out, same, plus<poise_value<V>>());
}
template <class P, class K, class V, class KOut, class VOut>
POISE_HERE poise_reduce_by_key(const P &p, K first, K last, V values, KOut keys_out, VOut values_out)
{
    return poise_reduce_by_key(p, first, last, values, keys_out, values_out, equal_to<poise_value<K>>());
}
POISE_DISPATCH(reduce_by_key)
template <class Out> struct poise_put_sum {
    mutable Out out;
    template <class T> POISE_HD void operator()(size_t i, bool, size_t, const T &sum) const { out[i] = sum; }
};
template <class P, class K, class V, class Out, class Same = equal_to<poise_value<K>>, class Op = plus<poise_value<V>>>
POISE_HERE poise_inclusive_scan_by_key(const P &p, K first, K last, V values, Out out, Same same = Same(), Op op = Op())
{
    auto to = poise_raw(out);
    const size_t n = (size_t)(last - first);
    poise_runs(p, poise_raw(first), n, poise_raw(values), same, op, poise_put_sum<decltype(to)>{to});
    return out + (ptrdiff_t)n;
}
POISE_DISPATCH(inclusive_scan_by_key)

/* ---- choices of elements, in their order ---- */
template <class In, class S, class Out, class If>
static POISE_HD size_t poise_choose(const poise_host &, In in, size_t n, S stencil, Out out, If test)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (test(stencil[i])) out[m++] = in[i];
    return m;
}
template <class In, class S, class Out, class If>
static inline size_t poise_choose(const poise_cuda &p, In in, size_t n, S stencil, Out out, If test)
{
    poise_room room(pp::choose_room(n) + sizeof(size_t));
    size_t *const count = (size_t *)((char *)room.at + pp::choose_room(n)), here = 0;
    auto chosen = [=] __device__(size_t i) mutable -> bool { return test(stencil[i]); };
    auto put = [=] __device__(size_t i, bool is_chosen, size_t before) mutable {
        if (is_chosen) out[before] = in[i];
    };
    pp::choose(p.stream, room.at, n, chosen, put, [=] __device__(size_t m) { *count = m; });
    size_t m = here;
    cudaMemcpyAsync(&m, count, sizeof m, cudaMemcpyDeviceToHost, p.stream);
    cudaStreamSynchronize(p.stream);
    return m;
}
template <class P, class In, class S, class Out, class If>
POISE_HERE poise_copy_if(const P &p, In first, In last, S stencil, Out out, If test)
{
    return out + (ptrdiff_t)poise_choose(p, poise_raw(first), (size_t)(last - first), poise_raw(stencil),
                                         poise_raw(out), test);
}
template <class P, class In, class Out, class If>
POISE_HERE poise_copy_if(const P &p, In first, In last, Out out, If test)
{
    return poise_copy_if(p, first, last, first, out, test);
}
POISE_DISPATCH(copy_if)
/* A copy where the algorithm runs. */
template <class T> struct poise_copy_of {
    poise_room *there; /* NULL: malloc's, of the host or of a kernel */
    T *at;
    template <class In>
    POISE_HD poise_copy_of(const poise_host &, In in, size_t n) : there(NULL), at((T *)malloc(n * sizeof(T) + 1))
    {
        for (size_t i = 0; i < n; i++, ++in) new (&at[i]) T(*in);
    }
    template <class In>
    poise_copy_of(const poise_cuda &p, In in, size_t n) : there(new poise_room(n * sizeof(T))), at((T *)there->at)
    {
        poise_on_stream_copy(p.stream, poise_raw(in), n, at);
    }
    poise_copy_of(const poise_copy_of &) = delete;
    POISE_HD ~poise_copy_of()
    {
#ifndef __CUDA_ARCH__
        if (there) {
            delete there;
            return;
        }
#endif
        free(at);
    }
};
template <class P, class It, class S, class If> POISE_HERE poise_keep(const P &p, It first, It last, S stencil, If test)
{
    const size_t n = (size_t)(last - first);
    const poise_copy_of<poise_value<It>> from(p, first, n);
    const poise_copy_of<poise_value<S>> by(p, stencil, n);
    return first + (ptrdiff_t)poise_choose(p, from.at, n, by.at, poise_raw(first), test);
}
template <class P, class It, class If> POISE_HERE poise_remove_if(const P &p, It first, It last, If test)
{
    return poise_keep(p, first, last, first, thrust::not1(test));
}
template <class P, class It, class S, class If>
POISE_HERE poise_remove_if(const P &p, It first, It last, S stencil, If test)
{
    return poise_keep(p, first, last, stencil, thrust::not1(test));
}
POISE_DISPATCH(remove_if)
template <class P, class It, class T> POISE_HERE poise_remove(const P &p, It first, It last, T v)
{
    return poise_remove_if(p, first, last, poise_equals<T>{v});
}
POISE_DISPATCH(remove)
template <class P, class In, class Out, class If>
POISE_HERE poise_remove_copy_if(const P &p, In first, In last, Out out, If test)
{
    return poise_copy_if(p, first, last, out, thrust::not1(test));
}
POISE_DISPATCH(remove_copy_if)
template <class P, class It, class If> POISE_HERE poise_stable_partition(const P &p, It first, It last, If test)
{
    typedef poise_value<It> T;
    const size_t n = (size_t)(last - first);
    const poise_copy_of<T> from(p, first, n);
    const ptrdiff_t m = (ptrdiff_t)poise_choose(p, from.at, n, from.at, poise_raw(first), test);
    poise_choose(p, from.at, n, from.at, poise_raw(first + m), thrust::not1(test));
    return first + m;
}
POISE_DISPATCH(stable_partition)
template <class P, class It, class If> POISE_HERE poise_partition(const P &p, It first, It last, If test)
{
    return poise_stable_partition(p, first, last, test);
}
POISE_DISPATCH(partition)
template <class In, class Same> struct poise_begins_run {
    mutable In in;
    mutable Same same;
    POISE_HD bool operator()(size_t i) const { return i == 0 || !same(in[i - 1], in[i]); }
};
template <class P, class In, class Out, class Same = equal_to<poise_value<In>>>
POISE_HERE poise_unique_copy(const P &p, In first, In last, Out out, Same same = Same())
{
    auto in = poise_raw(first);
    const counting_iterator<size_t> places(0);
    const poise_begins_run<decltype(in), Same> begins{in, same};
    return out + (ptrdiff_t)poise_choose(p, in, (size_t)(last - first), places, poise_raw(out), begins);
}
POISE_DISPATCH(unique_copy)
template <class P, class It, class Same = equal_to<poise_value<It>>>
POISE_HERE poise_unique(const P &p, It first, It last, Same same = Same())
{
    typedef poise_value<It> T;
    const size_t n = (size_t)(last - first);
    const poise_copy_of<T> from(p, first, n);
    const counting_iterator<size_t> places(0);
    const poise_begins_run<T *, Same> begins{from.at, same};
    return first + (ptrdiff_t)poise_choose(p, from.at, n, places, poise_raw(first), begins);
}
POISE_DISPATCH(unique)
template <class P, class K, class V, class Same = equal_to<poise_value<K>>>
POISE_HERE poise_unique_by_key(const P &p, K first, K last, V values, Same same = Same())
{
    const size_t n = (size_t)(last - first);
    const poise_copy_of<poise_value<K>> keys(p, first, n);
    const poise_copy_of<poise_value<V>> from(p, values, n);
    const counting_iterator<size_t> places(0);
    const poise_begins_run<poise_value<K> *, Same> begins{keys.at, same};
    poise_choose(p, from.at, n, places, poise_raw(values), begins);
    const ptrdiff_t m = (ptrdiff_t)poise_choose(p, keys.at, n, places, poise_raw(first), begins);
    return pair<K, V>(first + m, values + m);
}
POISE_DISPATCH(unique_by_key)

/* ---- sorts, all of them stable ---- */
/* A thread's own: short runs by insertion, then merged between v and the room for as many. */
template <class T, class Less> POISE_HD void poise_merge_sort(T *v, T *room, size_t n, Less less)
{
    const size_t run = 8;
    for (size_t begin = 0; begin < n; begin += run)
        for (size_t i = begin + 1; i < n && i < begin + run; i++) {
            const T x = v[i];
            size_t k = i;
            for (; k > begin && less(x, v[k - 1]); k--) v[k] = v[k - 1];
            v[k] = x;
        }
    T *from = v, *to = room;
    for (size_t width = run; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            const size_t middle = begin + width < n ? begin + width : n,
                         end = begin + 2 * width < n ? begin + 2 * width : n;
            for (size_t i = begin, j = middle, k = begin; k < end; k++)
                to[k] = j == end || (i < middle && !less(from[j], from[i])) ? from[i++] : from[j++];
        }
        T *const other = from;
        from = to;
        to = other;
    }
    for (size_t i = 0; from != v && i < n; i++) v[i] = from[i];
}
template <class It, class Less> POISE_HERE poise_sort(const poise_host &p, It first, It last, Less less)
{
#ifdef __CUDA_ARCH__
    const size_t n = (size_t)(last - first);
    const poise_copy_of<poise_value<It>> v(p, first, n), room(p, first, n);
    poise_merge_sort(v.at, room.at, n, less);
    for (size_t i = 0; i < n; i++) first[i] = v.at[i];
#else
    (void)p;
    std::stable_sort(first, last, less);
#endif
}
template <class It, class Less> POISE_ON poise_sort(const poise_cuda &p, It first, It last, Less less)
{
    typedef pp::item<poise_value<It>, pp::nothing> I;
    const size_t n = (size_t)(last - first);
    auto in = poise_raw(first);
    poise_room room(pp::sort_room<I>(n));
    pp::sort<I>(
        p.stream, room.at, n,
        [=] __device__(size_t i) mutable {
            return I{in[i], {}};
        },
        less, [=] __device__(size_t i, const I &v) mutable { in[i] = v.key; });
    cudaStreamSynchronize(p.stream);
}
template <class P, class It> POISE_HERE poise_sort(const P &p, It first, It last)
{
    poise_sort(p, first, last, less<poise_value<It>>());
}
POISE_DISPATCH(sort)
template <class P, class It, class... Less> POISE_HERE poise_stable_sort(const P &p, It first, It last, Less... less)
{
    poise_sort(p, first, last, less...);
}
POISE_DISPATCH(stable_sort)
template <class Less> struct poise_by_key {
    mutable Less less;
    template <class I> POISE_HD bool operator()(const I &a, const I &b) const { return less(a.key, b.key); }
};
template <class K, class V, class Less>
POISE_HERE poise_sort_by_key(const poise_host &, K first, K last, V values, Less less)
{
    typedef pp::item<poise_value<K>, poise_value<V>> I;
    const size_t n = (size_t)(last - first);
    I *const v = (I *)malloc(2 * n * sizeof(I) + 1);
    for (size_t i = 0; i < n; i++) {
        new (&v[i]) I{first[i], values[i]};
        new (&v[n + i]) I{first[i], values[i]};
    }
    poise_merge_sort(v, v + n, n, poise_by_key<Less>{less});
    for (size_t i = 0; i < n; i++) first[i] = v[i].key, values[i] = v[i].value;
    for (size_t i = 0; i < 2 * n; i++) v[i].~I();
    free(v);
}
template <class K, class V, class Less>
POISE_ON poise_sort_by_key(const poise_cuda &p, K first, K last, V values, Less less)
{
    typedef pp::item<poise_value<K>, poise_value<V>> I;
    const size_t n = (size_t)(last - first);
    auto keys = poise_raw(first);
    auto with = poise_raw(values);
    poise_room room(pp::sort_room<I>(n));
    pp::sort<I>(
        p.stream, room.at, n,
        [=] __device__(size_t i) mutable {
            return I{keys[i], with[i]};
        },
        less,
        [=] __device__(size_t i, const I &v) mutable {
            keys[i] = v.key;
            with[i] = v.value;
        });
    cudaStreamSynchronize(p.stream);
}
template <class P, class K, class V> POISE_HERE poise_sort_by_key(const P &p, K first, K last, V values)
{
    poise_sort_by_key(p, first, last, values, less<poise_value<K>>());
}
POISE_DISPATCH(sort_by_key)
template <class P, class K, class V, class... Less>
POISE_HERE poise_stable_sort_by_key(const P &p, K first, K last, V values, Less... less)
{
    poise_sort_by_key(p, first, last, values, less...);
}
POISE_DISPATCH(stable_sort_by_key)
template <class It, class Less> struct poise_in_order {
    mutable It in;
    mutable Less less;
    POISE_HD bool operator()(size_t i) const { return !less(in[i + 1], in[i]); }
};
template <class P, class It, class Less = less<poise_value<It>>>
POISE_HERE poise_is_sorted(const P &p, It first, It last, Less less = Less())
{
    auto in = poise_raw(first);
    const counting_iterator<size_t> places(0);
    const ptrdiff_t pairs = last - first > 1 ? last - first - 1 : 0;
    return poise_all_of(p, places, places + pairs, poise_in_order<decltype(in), Less>{in, less});
}
POISE_DISPATCH(is_sorted)

/* ---- searches in what is sorted: one value, or many at once ---- */
template <class It, class Less, bool after_equals> struct poise_bound {
    mutable It in;
    ptrdiff_t n;
    mutable Less less;
    template <class T> POISE_HD ptrdiff_t operator()(const T &v) const
    {
        ptrdiff_t low = 0, high = n;
        while (low < high) {
            const ptrdiff_t at = low + (high - low) / 2;
            if (after_equals ? !less(v, in[at]) : (bool)less(in[at], v)) low = at + 1;
            else high = at;
        }
        return low;
    }
};
#define POISE_BOUNDS(name, after_equals) \
    template <class P, class It, class V, class Out> \
    POISE_HERE poise_##name(const P &p, It first, It last, V values, V values_end, Out out) \
    { \
        auto in = poise_raw(first); \
        typedef less<poise_value<It>> Less; \
        const poise_bound<decltype(in), Less, after_equals> bound{in, last - first, Less()}; \
        return poise_transform(p, values, values_end, out, bound); \
    } \
    template <class P, class It, class T> POISE_HERE poise_##name(const P &p, It first, It last, T v) \
    { \
        auto in = poise_raw(first); \
        typedef less<poise_value<It>> Less; \
        const poise_bound<decltype(in), Less, after_equals> bound{in, last - first, Less()}; \
        const constant_iterator<T> one(v); \
        return first + poise_transform_reduce(p, one, one + 1, bound, (ptrdiff_t)0, maximum<ptrdiff_t>()); \
    } \
    POISE_DISPATCH(name)
POISE_BOUNDS(lower_bound, false)
POISE_BOUNDS(upper_bound, true)
#undef POISE_BOUNDS
/* A permutation by the engine's numbers (Fisher and Yates), made on the host. */
template <class P, class It, class E> POISE_HERE poise_shuffle(const P &p, It first, It last, E engine)
{
    const size_t n = (size_t)(last - first);
    std::vector<size_t> places(n);
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)(((uint64_t)engine() - E::min) % (i + 1));
        places[i] = places[k];
        places[k] = i;
    }
    const poise_copy_of<poise_value<It>> from(p, first, n);
    if constexpr (std::is_same<P, poise_cuda>::value) {
        poise_room room(n * sizeof(size_t));
        const size_t *const there = (const size_t *)room.at;
        cudaMemcpy(room.at, places.data(), n * sizeof(size_t), cudaMemcpyHostToDevice);
        poise_gather(p, there, there + n, from.at, first);
        cudaStreamSynchronize(p.stream);
    } else poise_gather(p, places.begin(), places.end(), from.at, first);
}
POISE_DISPATCH(shuffle)
template <class P, class It> POISE_HERE poise_reverse(const P &p, It first, It last)
{
    const size_t n = (size_t)(last - first);
    const poise_copy_of<poise_value<It>> from(p, first, n);
    const auto back = thrust::make_reverse_iterator(from.at + n);
    poise_transform(p, back, back + (ptrdiff_t)n, first, identity<>());
}
POISE_DISPATCH(reverse)
template <class It, class Op> struct poise_step {
    mutable It in;
    mutable Op op;
    POISE_HD auto operator()(size_t i) const
    {
        typedef std::decay_t<decltype(op(in[i], in[i - 1]))> T;
        return i == 0 ? (T)in[0] : (T)op(in[i], in[i - 1]);
    }
};
template <class P, class In, class Out, class Op = minus<poise_value<In>>>
POISE_HERE poise_adjacent_difference(const P &p, In first, In last, Out out, Op op = Op())
{
    const size_t n = (size_t)(last - first);
    const poise_copy_of<poise_value<In>> from(p, first, n);
    return poise_make(p, out, n, poise_step<poise_value<In> *, Op>{from.at, op});
}
POISE_DISPATCH(adjacent_difference)
} // namespace thrust
#endif
