/* thrust's tuples and pairs: of values, or of references, which assignments go through. */
#ifndef POISE_THRUST_TUPLES_H
#define POISE_THRUST_TUPLES_H
#include <cuda_runtime.h>
#include <cstddef>
#include <type_traits>
#include <utility>
#define POISE_HD __host__ __device__ __forceinline__

namespace thrust
{
template <class... T> struct tuple;
template <class A, class B> struct pair;
struct null_type {
};
template <> struct tuple<> {
    POISE_HD tuple() {}
};
template <class H, class... R> struct tuple<H, R...> {
    H head;
    tuple<R...> rest;
    POISE_HD tuple() : head(), rest() {}
    POISE_HD tuple(const tuple &t) : head(t.head), rest(t.rest) {}
    template <class A, class... B,
              class = std::enable_if_t<sizeof...(B) == sizeof...(R) && std::is_convertible<A, H>::value>>
    POISE_HD tuple(A &&a, B &&...b) : head(static_cast<A &&>(a)), rest(static_cast<B &&>(b)...)
    {
    }
    template <class A, class... B, class = std::enable_if_t<sizeof...(B) == sizeof...(R)>>
    POISE_HD tuple(const tuple<A, B...> &t) : head(t.head), rest(t.rest)
    {
    }
    POISE_HD tuple &operator=(const tuple &t)
    {
        head = t.head;
        rest = t.rest;
        return *this;
    }
    template <class A, class... B> POISE_HD tuple &operator=(const tuple<A, B...> &t)
    {
        head = t.head;
        rest = t.rest;
        return *this;
    }
    template <class A, class B> POISE_HD tuple &operator=(const std::pair<A, B> &p)
    {
        head = p.first;
        rest.head = p.second;
        return *this;
    }
    template <class A, class B> POISE_HD tuple &operator=(const pair<A, B> &p)
    {
        head = p.first;
        rest.head = p.second;
        return *this;
    }
};
template <size_t i, class H, class... R> struct tuple_element_of : tuple_element_of<i - 1, R...> {
};
template <class H, class... R> struct tuple_element_of<0, H, R...> {
    typedef H type;
};
template <size_t i, class T> struct tuple_element;
template <size_t i, class... T> struct tuple_element<i, tuple<T...>> : tuple_element_of<i, T...> {
};
template <size_t i, class T> struct tuple_element<i, const T> : tuple_element<i, T> {
};
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> : std::integral_constant<size_t, sizeof...(T)> {
};

/* A reference to what is in the tuple, or what the reference in it refers to. */
template <size_t i, class... T> POISE_HD typename tuple_element_of<i, T...>::type &get(tuple<T...> &t)
{
    if constexpr (i == 0) return t.head;
    else return thrust::get<i - 1>(t.rest);
}
template <size_t i, class... T>
POISE_HD std::add_const_t<typename tuple_element_of<i, T...>::type> &get(const tuple<T...> &t)
{
    if constexpr (i == 0) return t.head;
    else return thrust::get<i - 1>(t.rest);
}
template <size_t i, class... T> POISE_HD typename tuple_element_of<i, T...>::type get(tuple<T...> &&t)
{
    if constexpr (i == 0) return t.head;
    else return thrust::get<i - 1>(static_cast<decltype(t.rest) &&>(t.rest));
}
template <class... T> POISE_HD tuple<std::decay_t<T>...> make_tuple(const T &...v)
{
    return tuple<std::decay_t<T>...>(v...);
}
template <class... T> POISE_HD tuple<T &...> tie(T &...v) { return tuple<T &...>(v...); }
POISE_HD bool operator==(const tuple<> &, const tuple<> &) { return true; }
POISE_HD bool operator<(const tuple<> &, const tuple<> &) { return false; }
template <class A, class... R, class B, class... Q>
POISE_HD bool operator==(const tuple<A, R...> &a, const tuple<B, Q...> &b)
{
    return a.head == b.head && a.rest == b.rest;
}
template <class A, class... R, class B, class... Q>
POISE_HD bool operator<(const tuple<A, R...> &a, const tuple<B, Q...> &b)
{
    return a.head < b.head || (!(b.head < a.head) && a.rest < b.rest);
}
template <class... A, class... B> POISE_HD bool operator!=(const tuple<A...> &a, const tuple<B...> &b)
{
    return !(a == b);
}
template <class... A, class... B> POISE_HD bool operator>(const tuple<A...> &a, const tuple<B...> &b) { return b < a; }

template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    POISE_HD pair() : first(), second() {}
    POISE_HD pair(const A &a, const B &b) : first(a), second(b) {}
    template <class C, class D> POISE_HD pair(const pair<C, D> &p) : first(p.first), second(p.second) {}
    POISE_HD bool operator==(const pair &b) const { return first == b.first && second == b.second; }
    POISE_HD bool operator!=(const pair &b) const { return !(*this == b); }
    POISE_HD bool operator<(const pair &b) const
    {
        return first < b.first || (!(b.first < first) && second < b.second);
    }
};
template <class A, class B> POISE_HD pair<std::decay_t<A>, std::decay_t<B>> make_pair(const A &a, const B &b)
{
    return pair<std::decay_t<A>, std::decay_t<B>>(a, b);
}
} // namespace thrust
#endif
