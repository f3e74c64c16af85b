/* thrust's pointers and iterators. An algorithm runs on the device when one of its iterators leads there; kernels get
 * them with plain pointers instead of device pointers (poise_raw). */
#ifndef POISE_THRUST_ITERATORS_H
#define POISE_THRUST_ITERATORS_H
#include <iterator>
#include "tuples.h"

namespace thrust
{
/* What a program sees of an element in device memory: reads and writes copy it. */
template <class T> class device_ptr;
template <class T> class device_reference
{
    T *at;

  public:
    typedef std::remove_const_t<T> value_type;
    POISE_HD explicit device_reference(T *p) : at(p) {}
    POISE_HD device_reference(const device_reference &r) : at(r.at) {}
    POISE_HD operator value_type() const
    {
#ifdef __CUDA_ARCH__
        return *at;
#else
        value_type v;
        cudaMemcpy((void *)&v, (const void *)at, sizeof v, cudaMemcpyDeviceToHost);
        return v;
#endif
    }
    POISE_HD device_reference &operator=(const value_type &v)
    {
#ifdef __CUDA_ARCH__
        *at = v;
#else
        cudaMemcpy((void *)at, (const void *)&v, sizeof v, cudaMemcpyHostToDevice);
#endif
        return *this;
    }
    POISE_HD device_reference &operator=(const device_reference &r) { return *this = (value_type)r; }
    POISE_HD device_ptr<T> operator&() const { return device_ptr<T>(at); }
#define POISE_CHANGE(op) \
    template <class U> POISE_HD device_reference &operator op##=(const U &u) \
    { \
        return *this = (value_type)((value_type) * this op u); \
    }
    POISE_CHANGE(+)
    POISE_CHANGE(-)
    POISE_CHANGE(*)
    POISE_CHANGE(/)
#undef POISE_CHANGE
    POISE_HD device_reference &operator++() { return *this += 1; }
};

template <class T> class device_ptr
{
    T *at;

  public:
    typedef std::remove_const_t<T> value_type;
    typedef device_reference<T> reference;
    typedef device_ptr pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    POISE_HD device_ptr() : at(nullptr) {}
    POISE_HD device_ptr(std::nullptr_t) : at(nullptr) {}
    POISE_HD explicit device_ptr(T *p) : at(p) {}
    template <class U, class = std::enable_if_t<std::is_convertible<U *, T *>::value>>
    POISE_HD device_ptr(const device_ptr<U> &p) : at(p.get())
    {
    }
    POISE_HD T *get() const { return at; }
    POISE_HD reference operator*() const { return reference(at); }
    POISE_HD reference operator[](ptrdiff_t i) const { return reference(at + i); }
    POISE_HD device_ptr operator+(ptrdiff_t n) const { return device_ptr(at + n); }
    POISE_HD device_ptr operator-(ptrdiff_t n) const { return device_ptr(at - n); }
    template <class U> POISE_HD ptrdiff_t operator-(const device_ptr<U> &b) const { return at - b.get(); }
    POISE_HD device_ptr &operator+=(ptrdiff_t n) { return at += n, *this; }
    POISE_HD device_ptr &operator-=(ptrdiff_t n) { return at -= n, *this; }
    POISE_HD device_ptr &operator++() { return ++at, *this; }
    POISE_HD device_ptr &operator--() { return --at, *this; }
    POISE_HD device_ptr operator++(int) { return device_ptr(at++); }
    POISE_HD device_ptr operator--(int) { return device_ptr(at--); }
    template <class U> POISE_HD bool operator==(const device_ptr<U> &b) const { return at == b.get(); }
    template <class U> POISE_HD bool operator!=(const device_ptr<U> &b) const { return at != b.get(); }
    template <class U> POISE_HD bool operator<(const device_ptr<U> &b) const { return at < b.get(); }
    POISE_HD explicit operator bool() const { return at != nullptr; }
};
template <class T> POISE_HD device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> POISE_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T> POISE_HD T *raw_pointer_cast(T *p) { return p; }
template <class T> POISE_HD T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <class T> POISE_HD T &raw_reference_cast(const device_reference<T> &r) { return *(&r).get(); }
template <class T> POISE_HD T &raw_reference_cast(T &r) { return r; }
template <class T> static inline device_ptr<T> device_malloc(size_t n)
{
    void *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return device_ptr<T>((T *)p);
}
template <class T> static inline void device_free(const device_ptr<T> &p) { cudaFree((void *)p.get()); }

template <class It> using poise_value = typename std::iterator_traits<It>::value_type;
template <class It> using poise_reference = decltype(std::declval<It &>()[0]);
template <class It> struct iterator_value {
    typedef poise_value<It> type;
};
template <class It> struct iterator_traits : std::iterator_traits<It> {
};
template <class It> struct iterator_difference {
    typedef ptrdiff_t type;
};

/* Self has at(i), the element i places on, and move(n). */
template <class Self, class V, class R> struct iterator_facade {
    typedef V value_type;
    typedef R reference;
    typedef void pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    POISE_HD R operator*() const { return self().at(0); }
    POISE_HD R operator[](ptrdiff_t i) const { return self().at(i); }
    POISE_HD Self operator+(ptrdiff_t n) const
    {
        Self s(self());
        s.move(n);
        return s;
    }
    POISE_HD Self operator-(ptrdiff_t n) const { return *this + -n; }
    POISE_HD Self &operator+=(ptrdiff_t n) { return self().move(n), self(); }
    POISE_HD Self &operator-=(ptrdiff_t n) { return self().move(-n), self(); }
    POISE_HD Self &operator++() { return self().move(1), self(); }
    POISE_HD Self &operator--() { return self().move(-1), self(); }
    POISE_HD Self operator++(int)
    {
        Self s(self());
        self().move(1);
        return s;
    }
    POISE_HD ptrdiff_t operator-(const Self &b) const { return self().distance_from(b); }
    POISE_HD bool operator==(const Self &b) const { return self().distance_from(b) == 0; }
    POISE_HD bool operator!=(const Self &b) const { return self().distance_from(b) != 0; }
    POISE_HD bool operator<(const Self &b) const { return self().distance_from(b) < 0; }

  private:
    POISE_HD const Self &self() const { return *(const Self *)this; }
    POISE_HD Self &self() { return *(Self *)this; }
};
template <class T, class System = void, class Traversal = void, class Difference = ptrdiff_t>
struct counting_iterator : iterator_facade<counting_iterator<T, System, Traversal, Difference>, T, T> {
    T value;
    POISE_HD counting_iterator(T v = T()) : value(v) {}
    POISE_HD T at(ptrdiff_t i) const { return (T)(value + i); }
    POISE_HD void move(ptrdiff_t n) { value = (T)(value + n); }
    POISE_HD ptrdiff_t distance_from(const counting_iterator &b) const { return (ptrdiff_t)(value - b.value); }
};
template <class T> POISE_HD counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <class T> struct constant_iterator : iterator_facade<constant_iterator<T>, T, T> {
    T value;
    ptrdiff_t place;
    POISE_HD constant_iterator(T v = T(), ptrdiff_t i = 0) : value(v), place(i) {}
    POISE_HD T at(ptrdiff_t) const { return value; }
    POISE_HD void move(ptrdiff_t n) { place += n; }
    POISE_HD ptrdiff_t distance_from(const constant_iterator &b) const { return place - b.place; }
};
template <class T> POISE_HD constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
struct poise_anything {
    template <class T> POISE_HD const poise_anything &operator=(const T &) const { return *this; }
};
struct discard_iterator : iterator_facade<discard_iterator, poise_anything, poise_anything> {
    ptrdiff_t place;
    POISE_HD discard_iterator(ptrdiff_t i = 0) : place(i) {}
    POISE_HD poise_anything at(ptrdiff_t) const { return poise_anything(); }
    POISE_HD void move(ptrdiff_t n) { place += n; }
    POISE_HD ptrdiff_t distance_from(const discard_iterator &b) const { return place - b.place; }
};
static inline discard_iterator make_discard_iterator() { return discard_iterator(); }
template <class F, class It>
using poise_result = std::decay_t<decltype(std::declval<F &>()(std::declval<poise_reference<It>>()))>;
template <class F, class It, class R = poise_result<F, It>, class V = std::decay_t<R>>
struct transform_iterator : iterator_facade<transform_iterator<F, It, R, V>, V, R> {
    It from;
    mutable F f;
    POISE_HD transform_iterator(It it, F op) : from(it), f(op) {}
    POISE_HD explicit transform_iterator(It it) : from(it), f() {}
    POISE_HD R at(ptrdiff_t i) const { return f(from[i]); }
    POISE_HD void move(ptrdiff_t n) { from += n; }
    POISE_HD ptrdiff_t distance_from(const transform_iterator &b) const { return from - b.from; }
    POISE_HD It base() const { return from; }
};
template <class It, class F> POISE_HD transform_iterator<F, It> make_transform_iterator(It it, F f)
{
    return transform_iterator<F, It>(it, f);
}
template <class It, class Map>
struct permutation_iterator : iterator_facade<permutation_iterator<It, Map>, poise_value<It>, poise_reference<It>> {
    mutable It from;
    mutable Map map;
    POISE_HD permutation_iterator(It it, Map m) : from(it), map(m) {}
    POISE_HD poise_reference<It> at(ptrdiff_t i) const { return from[(ptrdiff_t)map[i]]; }
    POISE_HD void move(ptrdiff_t n) { map += n; }
    POISE_HD ptrdiff_t distance_from(const permutation_iterator &b) const { return map - b.map; }
};
template <class It, class Map> POISE_HD permutation_iterator<It, Map> make_permutation_iterator(It it, Map map)
{
    return permutation_iterator<It, Map>(it, map);
}
template <class It>
struct reverse_iterator : iterator_facade<reverse_iterator<It>, poise_value<It>, poise_reference<It>> {
    mutable It from;
    POISE_HD explicit reverse_iterator(It it) : from(it) {}
    POISE_HD poise_reference<It> at(ptrdiff_t i) const { return from[-1 - i]; }
    POISE_HD void move(ptrdiff_t n) { from -= n; }
    POISE_HD ptrdiff_t distance_from(const reverse_iterator &b) const { return b.from - from; }
    POISE_HD It base() const { return from; }
};
template <class It> POISE_HD reverse_iterator<It> make_reverse_iterator(It it) { return reverse_iterator<It>(it); }

template <class Tuple> struct zip_iterator;
template <class... It>
struct zip_iterator<tuple<It...>>
    : iterator_facade<zip_iterator<tuple<It...>>, tuple<poise_value<It>...>, tuple<poise_reference<It>...>> {
    mutable tuple<It...> of;
    POISE_HD zip_iterator(const tuple<It...> &t) : of(t) {}
    POISE_HD tuple<poise_reference<It>...> at(ptrdiff_t i) const { return at(i, std::index_sequence_for<It...>()); }
    POISE_HD void move(ptrdiff_t n) { move(n, std::index_sequence_for<It...>()); }
    POISE_HD ptrdiff_t distance_from(const zip_iterator &b) const { return of.head - b.of.head; }
    POISE_HD const tuple<It...> &get_iterator_tuple() const { return of; }

  private:
    template <size_t... k> POISE_HD tuple<poise_reference<It>...> at(ptrdiff_t i, std::index_sequence<k...>) const
    {
        return tuple<poise_reference<It>...>(thrust::get<k>(of)[i]...);
    }
    template <size_t... k> POISE_HD void move(ptrdiff_t n, std::index_sequence<k...>)
    {
        ((void)(thrust::get<k>(of) += n), ...);
    }
};
template <class... It> POISE_HD zip_iterator<tuple<It...>> make_zip_iterator(const tuple<It...> &t)
{
    return zip_iterator<tuple<It...>>(t);
}
template <class A, class B, class... It> POISE_HD zip_iterator<tuple<A, B, It...>> make_zip_iterator(A a, B b, It... it)
{
    return zip_iterator<tuple<A, B, It...>>(tuple<A, B, It...>(a, b, it...));
}
template <class F> struct zip_function {
    mutable F f;
    POISE_HD zip_function(F op) : f(op) {}
    template <class... T> POISE_HD decltype(auto) operator()(const tuple<T...> &t) const
    {
        return call(t, std::index_sequence_for<T...>());
    }

  private:
    template <class T, size_t... k> POISE_HD decltype(auto) call(const T &t, std::index_sequence<k...>) const
    {
        return f(thrust::get<k>(t)...);
    }
};
template <class F> POISE_HD zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }

/* Whether an argument of an algorithm leads to device memory. */
template <class T> struct poise_on_device : std::false_type {
};
template <class T> struct poise_on_device<device_ptr<T>> : std::true_type {
};
template <class F, class It, class R, class V>
struct poise_on_device<transform_iterator<F, It, R, V>> : poise_on_device<It> {
};
template <class It> struct poise_on_device<reverse_iterator<It>> : poise_on_device<It> {
};
template <class It, class Map>
struct poise_on_device<permutation_iterator<It, Map>>
    : std::integral_constant<bool, poise_on_device<It>::value || poise_on_device<Map>::value> {
};
template <class... It>
struct poise_on_device<zip_iterator<tuple<It...>>> : std::integral_constant<bool, (poise_on_device<It>::value || ...)> {
};

/* For kernels. */
template <class It> static POISE_HD It poise_raw(const It &it) { return it; }
template <class T> static POISE_HD T *poise_raw(const device_ptr<T> &p) { return p.get(); }
template <class F, class It, class R, class V>
static POISE_HD auto poise_raw(const transform_iterator<F, It, R, V> &it);
template <class It> static POISE_HD auto poise_raw(const reverse_iterator<It> &it);
template <class It, class Map> static POISE_HD auto poise_raw(const permutation_iterator<It, Map> &it);
template <class... It> static POISE_HD auto poise_raw(const zip_iterator<tuple<It...>> &it);
template <class F, class It, class R, class V> static POISE_HD auto poise_raw(const transform_iterator<F, It, R, V> &it)
{
    auto from = poise_raw(it.from);
    return transform_iterator<F, decltype(from), R, V>(from, it.f);
}
template <class It> static POISE_HD auto poise_raw(const reverse_iterator<It> &it)
{
    auto from = poise_raw(it.from);
    return reverse_iterator<decltype(from)>(from);
}
template <class It, class Map> static POISE_HD auto poise_raw(const permutation_iterator<It, Map> &it)
{
    auto from = poise_raw(it.from);
    auto map = poise_raw(it.map);
    return permutation_iterator<decltype(from), decltype(map)>(from, map);
}
template <class T, size_t... k> static POISE_HD auto poise_raw_zip(const T &t, std::index_sequence<k...>)
{
    return thrust::make_zip_iterator(thrust::make_tuple(poise_raw(thrust::get<k>(t))...));
}
template <class... It> static POISE_HD auto poise_raw(const zip_iterator<tuple<It...>> &it)
{
    return poise_raw_zip(it.of, std::index_sequence_for<It...>());
}
template <class It> static POISE_HD It next(It it, ptrdiff_t n = 1) { return it + n; }
template <class It> static POISE_HD ptrdiff_t distance(It a, It b) { return b - a; }
template <class It> static POISE_HD void advance(It &it, ptrdiff_t n) { it += n; }
} // namespace thrust
#endif
