/* thrust's algorithms: poise_NAME for the host and for the device, and NAME, which takes a policy or sees by its
 * iterators where they lead. Here: one element after the other, reductions and searches. */
#ifndef POISE_THRUST_ALGORITHMS_H
#define POISE_THRUST_ALGORITHMS_H
#include "functional.h"
#include "vectors.h"

namespace thrust
{
template <class T> struct poise_is_policy : std::false_type {
};
template <> struct poise_is_policy<poise_cuda> : std::true_type {
};
template <> struct poise_is_policy<poise_host> : std::true_type {
};
#define POISE_DISPATCH(name) \
    template <class... A> static inline auto name(const poise_cuda &p, A... a) { return poise_##name(p, a...); } \
    template <class... A> static inline auto name(const poise_host &p, A... a) { return poise_##name(p, a...); } \
    POISE_IN_KERNEL(name) \
    template <class It, class... A, class = std::enable_if_t<!poise_is_policy<It>::value>> \
    static inline auto name(It it, A... a) \
    { \
        if constexpr (poise_on_device<It>::value || (poise_on_device<A>::value || ...)) \
            return poise_##name(poise_cuda(), it, a...); \
        else return poise_##name(poise_host(), it, a...); \
    }
/* In a kernel an algorithm is one thread's, whatever the policy. */
#define POISE_IN_KERNEL(name) \
    template <class P, class... A, class = std::enable_if_t<poise_is_policy<P>::value>> \
    static inline __device__ auto name(const P &, A... a) \
    { \
        return poise_##name(poise_host(), a...); \
    } \
    template <class It, class... A, class = std::enable_if_t<!poise_is_policy<It>::value>> \
    static inline __device__ auto name(It it, A... a) \
    { \
        return poise_##name(poise_host(), it, a...); \
    }
#define POISE_ON static inline auto
#define POISE_HERE static inline __host__ __device__ auto /* loops, of the host or of a thread in a kernel */
namespace pp = poise::parallel;

/* ---- each element ---- */
template <class It, class N, class F> POISE_HERE poise_for_each_n(const poise_host &, It it, N n, F f)
{
    for (N i = 0; i < n; i++, ++it) f(*it);
    return it;
}
template <class It, class N, class F> POISE_ON poise_for_each_n(const poise_cuda &p, It it, N n, F f)
{
    auto from = poise_raw(it);
    pp::each(p.stream, (size_t)n, [=] __device__(size_t i) mutable { f(from[i]); });
    return it + (ptrdiff_t)n;
}
POISE_DISPATCH(for_each_n)
template <class P, class It, class F> POISE_HERE poise_for_each(const P &p, It first, It last, F f)
{
    return poise_for_each_n(p, first, last - first, f);
}
POISE_DISPATCH(for_each)
/* to[i] = f(i) */
template <class It, class F> POISE_HERE poise_make(const poise_host &, It it, size_t n, F f)
{
    for (size_t i = 0; i < n; i++, ++it) *it = f(i);
    return it;
}
template <class It, class F> POISE_ON poise_make(const poise_cuda &p, It it, size_t n, F f)
{
    auto to = poise_raw(it);
    pp::each(p.stream, n, [=] __device__(size_t i) mutable { to[i] = f(i); });
    return it + (ptrdiff_t)n;
}
template <class T> struct poise_constant {
    T v;
    POISE_HD T operator()(size_t) const { return v; }
};
template <class T> struct poise_line {
    T first, step;
    POISE_HD T operator()(size_t i) const { return (T)(first + step * (T)i); }
};
template <class P, class It, class N, class T> POISE_HERE poise_fill_n(const P &p, It it, N n, T v)
{
    typedef poise_value<It> V;
    return poise_make(p, it, (size_t)n, poise_constant<V>{(V)v});
}
POISE_DISPATCH(fill_n)
template <class P, class It, class T> POISE_HERE poise_fill(const P &p, It first, It last, T v)
{
    poise_fill_n(p, first, last - first, v);
}
POISE_DISPATCH(fill)
template <class P, class It, class T = poise_value<It>, class S = poise_value<It>>
POISE_HERE poise_sequence(const P &p, It first, It last, T start = T(0), S step = S(1))
{
    typedef poise_value<It> V;
    poise_make(p, first, (size_t)(last - first), poise_line<V>{(V)start, (V)step});
}
POISE_DISPATCH(sequence)
template <class P, class It, class F> POISE_HERE poise_tabulate(const P &p, It first, It last, F f)
{
    poise_make(p, first, (size_t)(last - first), f);
}
POISE_DISPATCH(tabulate)
template <class It, class F> POISE_HERE poise_generate(const poise_host &, It first, It last, F f)
{
    for (; first != last; ++first) *first = f();
}
template <class It, class F> POISE_ON poise_generate(const poise_cuda &p, It first, It last, F f)
{
    poise_make(p, first, (size_t)(last - first), [=] __device__(size_t) mutable { return f(); });
}
POISE_DISPATCH(generate)

template <class In, class Out, class F> POISE_HERE poise_transform(const poise_host &, In first, In last, Out out, F f)
{
    for (; first != last; ++first, ++out) *out = f(*first);
    return out;
}
template <class In, class Out, class F> POISE_ON poise_transform(const poise_cuda &p, In first, In last, Out out, F f)
{
    auto in = poise_raw(first);
    auto to = poise_raw(out);
    const size_t n = (size_t)(last - first);
    pp::each(p.stream, n, [=] __device__(size_t i) mutable { to[i] = f(in[i]); });
    return out + (ptrdiff_t)n;
}
template <class A, class B, class Out, class F>
POISE_HERE poise_transform(const poise_host &, A first, A last, B second, Out out, F f)
{
    for (; first != last; ++first, ++second, ++out) *out = f(*first, *second);
    return out;
}
template <class A, class B, class Out, class F>
POISE_ON poise_transform(const poise_cuda &p, A first, A last, B second, Out out, F f)
{
    auto a = poise_raw(first);
    auto b = poise_raw(second);
    auto to = poise_raw(out);
    const size_t n = (size_t)(last - first);
    pp::each(p.stream, n, [=] __device__(size_t i) mutable { to[i] = f(a[i], b[i]); });
    return out + (ptrdiff_t)n;
}
POISE_DISPATCH(transform)
template <class In, class Out, class F, class If>
POISE_HERE poise_transform_if(const poise_host &, In first, In last, Out out, F f, If test)
{
    for (; first != last; ++first, ++out)
        if (test(*first)) *out = f(*first);
    return out;
}
template <class In, class Out, class F, class If>
POISE_ON poise_transform_if(const poise_cuda &p, In first, In last, Out out, F f, If test)
{
    auto in = poise_raw(first);
    auto to = poise_raw(out);
    const size_t n = (size_t)(last - first);
    pp::each(p.stream, n, [=] __device__(size_t i) mutable {
        if (test(in[i])) to[i] = f(in[i]);
    });
    return out + (ptrdiff_t)n;
}
template <class In, class S, class Out, class F, class If>
POISE_HERE poise_transform_if(const poise_host &, In first, In last, S stencil, Out out, F f, If test)
{
    for (; first != last; ++first, ++stencil, ++out)
        if (test(*stencil)) *out = f(*first);
    return out;
}
template <class In, class S, class Out, class F, class If>
POISE_ON poise_transform_if(const poise_cuda &p, In first, In last, S stencil, Out out, F f, If test)
{
    auto in = poise_raw(first);
    auto at = poise_raw(stencil);
    auto to = poise_raw(out);
    const size_t n = (size_t)(last - first);
    pp::each(p.stream, n, [=] __device__(size_t i) mutable {
        if (test(at[i])) to[i] = f(in[i]);
    });
    return out + (ptrdiff_t)n;
}
POISE_DISPATCH(transform_if)
template <class If, class T> struct poise_replaced {
    mutable If test;
    T v;
    POISE_HD T operator()(const T &old) const { return test(old) ? v : old; }
};
template <class T> struct poise_equals {
    T v;
    template <class U> POISE_HD bool operator()(const U &u) const { return u == v; }
};
template <class P, class It, class If, class T> POISE_HERE poise_replace_if(const P &p, It first, It last, If test, T v)
{
    typedef poise_value<It> V;
    poise_transform(p, first, last, first, poise_replaced<If, V>{test, (V)v});
}
POISE_DISPATCH(replace_if)
template <class P, class It, class T> POISE_HERE poise_replace(const P &p, It first, It last, T old, T v)
{
    poise_replace_if(p, first, last, poise_equals<T>{old}, v);
}
POISE_DISPATCH(replace)
template <class P, class Map, class In, class Out>
POISE_HERE poise_gather(const P &p, Map first, Map last, In in, Out out)
{
    auto from = thrust::make_permutation_iterator(in, first);
    return poise_transform(p, from, from + (last - first), out, identity<>());
}
POISE_DISPATCH(gather)
template <class P, class In, class Map, class Out>
POISE_HERE poise_scatter(const P &p, In first, In last, Map map, Out out)
{
    poise_transform(p, first, last, thrust::make_permutation_iterator(out, map), identity<>());
}
POISE_DISPATCH(scatter)
template <class P, class In, class Map, class S, class Out>
POISE_HERE poise_scatter_if(const P &p, In first, In last, Map map, S stencil, Out out)
{
    poise_transform_if(p, first, last, stencil, thrust::make_permutation_iterator(out, map), identity<>(),
                       identity<bool>());
}
POISE_DISPATCH(scatter_if)

/* ---- reductions ---- */
template <class It, class T, class F> POISE_HERE poise_reduce(const poise_host &, It first, It last, T sum, F f)
{
    for (; first != last; ++first) sum = f(sum, *first);
    return sum;
}
template <class It, class T, class F> POISE_ON poise_reduce(const poise_cuda &p, It first, It last, T start, F f)
{
    const size_t n = (size_t)(last - first);
    if (n == 0) return start;
    auto in = poise_raw(first);
    poise_room room(pp::reduce_room<T>(n) + sizeof(T));
    T *const result = (T *)((char *)room.at + pp::reduce_room<T>(n));
    auto load = [=] __device__(size_t i) mutable -> T { return in[i]; };
    pp::reduce<T>(p.stream, room.at, n, load, f, true, start, [=] __device__(size_t, const T &v) { *result = v; });
    T here = start;
    cudaMemcpyAsync((void *)&here, result, sizeof(T), cudaMemcpyDeviceToHost, p.stream);
    cudaStreamSynchronize(p.stream);
    return here;
}
template <class P, class It, class T> POISE_HERE poise_reduce(const P &p, It first, It last, T start)
{
    return poise_reduce(p, first, last, start, plus<T>());
}
template <class P, class It> POISE_HERE poise_reduce(const P &p, It first, It last)
{
    typedef poise_value<It> T;
    return poise_reduce(p, first, last, T(0), plus<T>());
}
POISE_DISPATCH(reduce)
template <class P, class It, class F, class T, class Op>
POISE_HERE poise_transform_reduce(const P &p, It first, It last, F f, T start, Op op)
{
    typedef transform_iterator<F, It, T> Mapped;
    return poise_reduce(p, Mapped(first, f), Mapped(last, f), start, op);
}
POISE_DISPATCH(transform_reduce)
template <class F> struct poise_of_pair {
    mutable F f;
    template <class T> POISE_HD auto operator()(const T &t) const { return f(thrust::get<0>(t), thrust::get<1>(t)); }
};
template <class P, class A, class B, class T, class Sum, class Product>
POISE_HERE poise_inner_product(const P &p, A first, A last, B second, T start, Sum sum, Product product)
{
    auto both = thrust::make_zip_iterator(first, second);
    return poise_transform_reduce(p, both, both + (last - first), poise_of_pair<Product>{product}, start, sum);
}
template <class P, class A, class B, class T>
POISE_HERE poise_inner_product(const P &p, A first, A last, B second, T start)
{
    return poise_inner_product(p, first, last, second, start, plus<T>(), multiplies<T>());
}
POISE_DISPATCH(inner_product)
template <class If> struct poise_one_if {
    mutable If test;
    template <class T> POISE_HD ptrdiff_t operator()(const T &v) const { return test(v) ? 1 : 0; }
};
template <class P, class It, class If> POISE_HERE poise_count_if(const P &p, It first, It last, If test)
{
    return poise_transform_reduce(p, first, last, poise_one_if<If>{test}, (ptrdiff_t)0, plus<ptrdiff_t>());
}
POISE_DISPATCH(count_if)
template <class P, class It, class T> POISE_HERE poise_count(const P &p, It first, It last, T v)
{
    return poise_count_if(p, first, last, poise_equals<T>{v});
}
POISE_DISPATCH(count)
template <class P, class It, class If> POISE_HERE poise_any_of(const P &p, It first, It last, If test)
{
    return poise_count_if(p, first, last, test) > 0;
}
POISE_DISPATCH(any_of)
template <class P, class It, class If> POISE_HERE poise_all_of(const P &p, It first, It last, If test)
{
    return poise_count_if(p, first, last, test) == last - first;
}
POISE_DISPATCH(all_of)
template <class P, class It, class If> POISE_HERE poise_none_of(const P &p, It first, It last, If test)
{
    return poise_count_if(p, first, last, test) == 0;
}
POISE_DISPATCH(none_of)

/* The place of the element that goes before all others; of equals the first. */
template <class It, class Less> struct poise_first_place {
    mutable It in;
    mutable Less less;
    POISE_HD ptrdiff_t operator()(ptrdiff_t a, ptrdiff_t b) const
    {
        if (less(in[a], in[b])) return a;
        if (less(in[b], in[a])) return b;
        return a < b ? a : b;
    }
};
template <class Less> struct poise_turned {
    mutable Less less;
    template <class A, class B> POISE_HD bool operator()(const A &a, const B &b) const { return less(b, a); }
};
template <class P, class It, class Less> POISE_HERE poise_min_element(const P &p, It first, It last, Less less)
{
    if (first == last) return last;
    auto in = poise_raw(first);
    const counting_iterator<ptrdiff_t> places(0);
    const poise_first_place<decltype(in), Less> op{in, less};
    return first + poise_reduce(p, places, places + (last - first), (ptrdiff_t)0, op);
}
template <class P, class It> POISE_HERE poise_min_element(const P &p, It first, It last)
{
    return poise_min_element(p, first, last, less<poise_value<It>>());
}
POISE_DISPATCH(min_element)
template <class P, class It, class Less> POISE_HERE poise_max_element(const P &p, It first, It last, Less less)
{
    return poise_min_element(p, first, last, poise_turned<Less>{less});
}
template <class P, class It> POISE_HERE poise_max_element(const P &p, It first, It last)
{
    return poise_max_element(p, first, last, less<poise_value<It>>());
}
POISE_DISPATCH(max_element)
template <class P, class It, class... Less> POISE_HERE poise_minmax_element(const P &p, It first, It last, Less... less)
{
    return pair<It, It>(poise_min_element(p, first, last, less...), poise_max_element(p, first, last, less...));
}
POISE_DISPATCH(minmax_element)
template <class It, class If> struct poise_place_if {
    mutable It in;
    mutable If test;
    ptrdiff_t none;
    POISE_HD ptrdiff_t operator()(ptrdiff_t i) const { return test(in[i]) ? i : none; }
};
template <class P, class It, class If> POISE_HERE poise_find_if(const P &p, It first, It last, If test)
{
    auto in = poise_raw(first);
    const ptrdiff_t n = last - first;
    const counting_iterator<ptrdiff_t> places(0);
    const poise_place_if<decltype(in), If> op{in, test, n};
    return first + poise_transform_reduce(p, places, places + n, op, n, minimum<ptrdiff_t>());
}
POISE_DISPATCH(find_if)
template <class P, class It, class T> POISE_HERE poise_find(const P &p, It first, It last, T v)
{
    return poise_find_if(p, first, last, poise_equals<T>{v});
}
POISE_DISPATCH(find)
template <class P, class A, class B> POISE_HERE poise_equal(const P &p, A first, A last, B second)
{
    auto both = thrust::make_zip_iterator(first, second);
    return poise_all_of(p, both, both + (last - first), poise_of_pair<equal_to<>>{});
}
POISE_DISPATCH(equal)
} // namespace thrust
#endif
