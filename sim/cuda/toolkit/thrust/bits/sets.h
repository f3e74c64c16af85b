/* thrust's algorithms of two sorted arrays: merges and sets, searches with a comparison, and the first place where two
 * arrays differ. On the device each element finds its own place by searches in both arrays. */
#ifndef POISE_THRUST_SETS_H
#define POISE_THRUST_SETS_H
#include "scans.h"

namespace thrust
{
/* How many of n sorted elements stand before v: those less than it, or, after equals, those not greater. */
template <class In, class T, class Less>
static POISE_HD size_t poise_before(In in, size_t n, const T &v, Less less, bool after_equals)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (after_equals ? !less(v, in[at]) : (bool)less(in[at], v)) low = at + 1;
        else high = at;
    }
    return low;
}

/* ---- searches ---- */
/* What a search in n elements says of a value: its place before or after equals, or whether it is there. */
enum poise_search_kind { POISE_SEARCH_LOWER, POISE_SEARCH_UPPER, POISE_SEARCH_FOUND };
template <class In, class Less, int kind> struct poise_search {
    mutable In in;
    size_t n;
    mutable Less less;
    template <class T> POISE_HD ptrdiff_t operator()(const T &v) const
    {
        const size_t at = poise_before(in, n, v, less, kind == POISE_SEARCH_UPPER);
        return kind == POISE_SEARCH_FOUND ? at < n && !less(v, in[at]) : (ptrdiff_t)at;
    }
};
template <int kind, class P, class It, class T, class Less>
POISE_ON poise_search_one(const P &p, It first, It last, const T &v, Less less)
{
    auto in = poise_raw(first);
    const poise_search<decltype(in), Less, kind> search{in, (size_t)(last - first), less};
    const constant_iterator<T> one(v);
    return poise_transform_reduce(p, one, one + 1, search, (ptrdiff_t)0, maximum<ptrdiff_t>());
}
template <int kind, class P, class It, class V, class Out, class Less>
POISE_ON poise_search_all(const P &p, It first, It last, V values, V values_end, Out out, Less less)
{
    auto in = poise_raw(first);
    const poise_search<decltype(in), Less, kind> search{in, (size_t)(last - first), less};
    return poise_transform(p, values, values_end, out, search);
}
#define POISE_SEARCHES(name, kind) \
    template <class P, class It, class T, class Less> \
    POISE_ON poise_##name(const P &p, It first, It last, T v, Less less) \
    { \
        return first + poise_search_one<kind>(p, first, last, v, less); \
    } \
    template <class P, class It, class V, class Out, class Less> \
    POISE_ON poise_##name(const P &p, It first, It last, V values, V values_end, Out out, Less less) \
    { \
        return poise_search_all<kind>(p, first, last, values, values_end, out, less); \
    }
POISE_SEARCHES(lower_bound, POISE_SEARCH_LOWER)
POISE_SEARCHES(upper_bound, POISE_SEARCH_UPPER)
#undef POISE_SEARCHES
template <class P, class It, class T, class Less = less<poise_value<It>>>
POISE_ON poise_binary_search(const P &p, It first, It last, T v, Less less = Less())
{
    return poise_search_one<POISE_SEARCH_FOUND>(p, first, last, v, less) != 0;
}
template <class P, class It, class V, class Out, class Less = less<poise_value<It>>>
POISE_ON poise_binary_search(const P &p, It first, It last, V values, V values_end, Out out, Less less = Less())
{
    return poise_search_all<POISE_SEARCH_FOUND>(p, first, last, values, values_end, out, less);
}
POISE_DISPATCH(binary_search)
template <class P, class It, class T, class Less = less<poise_value<It>>>
POISE_ON poise_equal_range(const P &p, It first, It last, T v, Less less = Less())
{
    return thrust::make_pair(first + poise_search_one<POISE_SEARCH_LOWER>(p, first, last, v, less),
                             first + poise_search_one<POISE_SEARCH_UPPER>(p, first, last, v, less));
}
POISE_DISPATCH(equal_range)

/* ---- merges: equal elements of the first array come first ---- */
template <class A, class B, class Out, class Less>
POISE_ON poise_merge(const poise_host &, A a, A a_end, B b, B b_end, Out out, Less less)
{
    for (; a != a_end || b != b_end; ++out) {
        const bool is_second = a == a_end || (b != b_end && less(*b, *a));
        if (is_second) *out = *b, ++b;
        else *out = *a, ++a;
    }
    return out;
}
template <class A, class B, class Out, class Less>
POISE_ON poise_merge(const poise_cuda &p, A first, A last, B second, B second_last, Out out, Less less)
{
    auto a = poise_raw(first);
    auto b = poise_raw(second);
    auto to = poise_raw(out);
    const size_t na = (size_t)(last - first), nb = (size_t)(second_last - second);
    pp::each(p.stream, na + nb, [=] __device__(size_t i) mutable {
        if (i < na) to[i + poise_before(b, nb, a[i], less, false)] = a[i];
        else to[i - na + poise_before(a, na, b[i - na], less, true)] = b[i - na];
    });
    return out + (ptrdiff_t)(na + nb);
}
template <class P, class A, class B, class Out>
POISE_ON poise_merge(const P &p, A first, A last, B second, B second_last, Out out)
{
    return poise_merge(p, first, last, second, second_last, out, less<poise_value<A>>());
}
POISE_DISPATCH(merge)
/* Compares keys of (key, value) pairs. */
template <class Less> struct poise_less_key {
    mutable Less less;
    template <class X, class Y> POISE_HD bool operator()(const X &x, const Y &y) const
    {
        return less(thrust::get<0>(x), thrust::get<0>(y));
    }
};
template <class P, class K, class L, class V, class W, class Out, class Values, class Less = less<poise_value<K>>>
POISE_ON poise_merge_by_key(const P &p, K first, K last, L second, L second_last, V values, W more, Out out,
                            Values values_out, Less less = Less())
{
    auto a = thrust::make_zip_iterator(first, values);
    auto b = thrust::make_zip_iterator(second, more);
    const ptrdiff_t na = last - first, nb = second_last - second;
    poise_merge(p, a, a + na, b, b + nb, thrust::make_zip_iterator(out, values_out), poise_less_key<Less>{less});
    return thrust::make_pair(out + (na + nb), values_out + (na + nb));
}
POISE_DISPATCH(merge_by_key)

/* ---- sets, in which an element may occur several times: m times in one array and n times in the other ---- */
/* Whether the k-th equal element of its own array counts: the first n of them, or those from the n-th on. */
template <class Own, class Other, class Less> struct poise_counts {
    mutable Own own;
    size_t n_own;
    mutable Other other;
    size_t n_other;
    mutable Less less;
    bool in_both;
    POISE_HD bool operator()(size_t i) const
    {
        const size_t k = i - poise_before(own, n_own, own[i], less, false);
        const size_t n =
            poise_before(other, n_other, own[i], less, true) - poise_before(other, n_other, own[i], less, false);
        return in_both ? k < n : k >= n;
    }
};
template <class P, class A, class B, class Out, class Less>
static inline size_t poise_choose_counted(const P &p, A a, size_t na, B b, size_t nb, Out out, Less less, bool in_both)
{
    const poise_counts<A, B, Less> counts{a, na, b, nb, less, in_both};
    return poise_choose(p, a, na, counting_iterator<size_t>(0), out, counts);
}
#define POISE_SET(name) \
    template <class P, class A, class B, class Out> \
    POISE_ON poise_##name(const P &p, A first, A last, B second, B second_last, Out out) \
    { \
        return poise_##name(p, first, last, second, second_last, out, less<poise_value<A>>()); \
    } \
    POISE_DISPATCH(name)
/* min(m, n) of the first array's */
template <class P, class A, class B, class Out, class Less>
POISE_ON poise_set_intersection(const P &p, A first, A last, B second, B second_last, Out out, Less less)
{
    return out + (ptrdiff_t)poise_choose_counted(p, poise_raw(first), (size_t)(last - first), poise_raw(second),
                                                 (size_t)(second_last - second), poise_raw(out), less, true);
}
POISE_SET(set_intersection)
/* m - n of the first array's, or none */
template <class P, class A, class B, class Out, class Less>
POISE_ON poise_set_difference(const P &p, A first, A last, B second, B second_last, Out out, Less less)
{
    return out + (ptrdiff_t)poise_choose_counted(p, poise_raw(first), (size_t)(last - first), poise_raw(second),
                                                 (size_t)(second_last - second), poise_raw(out), less, false);
}
POISE_SET(set_difference)
/* m of the first array's and n - m of the second's, or none */
template <class P, class A, class B, class Out, class Less>
POISE_ON poise_set_union(const P &p, A first, A last, B second, B second_last, Out out, Less less)
{
    const poise_copy_of<poise_value<B>> more(p, second, (size_t)(second_last - second));
    const size_t n = poise_choose_counted(p, poise_raw(second), (size_t)(second_last - second), poise_raw(first),
                                          (size_t)(last - first), more.at, less, false);
    return poise_merge(p, first, last, more.at, more.at + n, out, less);
}
POISE_SET(set_union)
/* the difference of m and n, of the array that has more */
template <class P, class A, class B, class Out, class Less>
POISE_ON poise_set_symmetric_difference(const P &p, A first, A last, B second, B second_last, Out out, Less less)
{
    const size_t na = (size_t)(last - first), nb = (size_t)(second_last - second);
    const poise_copy_of<poise_value<A>> own(p, first, na);
    const poise_copy_of<poise_value<B>> more(p, second, nb);
    auto a = poise_raw(first);
    auto b = poise_raw(second);
    const size_t m = poise_choose_counted(p, a, na, b, nb, own.at, less, false),
                 n = poise_choose_counted(p, b, nb, a, na, more.at, less, false);
    return poise_merge(p, own.at, own.at + m, more.at, more.at + n, out, less);
}
POISE_SET(set_symmetric_difference)
#undef POISE_SET

/* ---- the first place where two arrays differ ---- */
template <class P, class A, class B, class Same = equal_to<poise_value<A>>>
POISE_ON poise_mismatch(const P &p, A first, A last, B second, Same same = Same())
{
    auto both = thrust::make_zip_iterator(first, second);
    const ptrdiff_t n = last - first,
                    at = poise_find_if(p, both, both + n, thrust::not1(poise_of_pair<Same>{same})) - both;
    return thrust::make_pair(first + at, second + at);
}
POISE_DISPATCH(mismatch)
} // namespace thrust
#endif
