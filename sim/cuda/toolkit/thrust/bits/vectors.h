/* thrust's vectors, in host and in device memory, and where algorithms run. */
#ifndef POISE_THRUST_VECTORS_H
#define POISE_THRUST_VECTORS_H
#include <algorithm>
#include <initializer_list>
#include <iostream> /* programs use it without naming it, as CUDA's header brings it */
#include <stdexcept>
#include <vector>
#include <bits/parallel.h>
#include "iterators.h"

namespace thrust
{
/* ---- execution policies ---- */
struct poise_host {
};
struct poise_cuda {
    cudaStream_t stream;
    POISE_HD constexpr poise_cuda(cudaStream_t s = 0) : stream(s) {}
    POISE_HD constexpr poise_cuda on(cudaStream_t s) const { return poise_cuda(s); }
    template <class A> POISE_HD poise_cuda operator()(const A &) const { return *this; } /* an allocator for room */
};
template <class P> struct execution_policy {
};
struct host_system_tag {
};
struct device_system_tag {
};
typedef device_system_tag poise_device_tag;
/* Kernels name policies too: for device code they are variables of the device. */
#ifdef __CUDA_ARCH__
#define POISE_POLICY static __device__ constexpr
#else
#define POISE_POLICY static constexpr
#endif
POISE_POLICY poise_host host{};
POISE_POLICY poise_cuda device{};
POISE_POLICY poise_host seq{};
namespace cuda
{
POISE_POLICY poise_cuda par{};
POISE_POLICY poise_cuda par_nosync{};
typedef device_system_tag tag;
template <class T> using pointer = device_ptr<T>;
} // namespace cuda
namespace cuda_cub
{
POISE_POLICY poise_cuda par{};
}
namespace omp
{
POISE_POLICY poise_host par{};
}
#undef POISE_POLICY
namespace system
{
class system_error : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};
} // namespace system
using system::system_error;

/* Device memory of an algorithm. */
struct poise_room {
    void *at;
    explicit poise_room(size_t bytes) : at(nullptr)
    {
        if (cudaMalloc(&at, bytes ? bytes : 1) != cudaSuccess) throw std::bad_alloc();
    }
    ~poise_room() { cudaFree(at); }
    poise_room(const poise_room &) = delete;
    poise_room &operator=(const poise_room &) = delete;
};

/* ---- copies between any two places ---- */
template <class It> constexpr bool poise_is_plain = std::is_pointer<It>::value;
template <class In, class Out> static inline void poise_on_stream_copy(cudaStream_t stream, In in, size_t n, Out out)
{
    poise::parallel::each(stream, n, [=] __device__(size_t i) mutable { out[i] = in[i]; });
}
template <class In, class Out> static inline Out poise_copy_to_device(In in, size_t n, Out out)
{
    typedef poise_value<In> T;
    std::vector<std::conditional_t<std::is_same<T, bool>::value, char, T>> here;
    here.reserve(n);
    for (size_t i = 0; i < n; i++, ++in) here.push_back((T)*in);
    poise_room room(n * sizeof(T));
    cudaMemcpy(room.at, here.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    poise_on_stream_copy(0, (const T *)room.at, n, poise_raw(out));
    cudaDeviceSynchronize();
    return out + (ptrdiff_t)n;
}
template <class In, class Out> static inline Out poise_copy_to_host(In in, size_t n, Out out)
{
    typedef poise_value<In> T;
    std::vector<char> here(n * sizeof(T) + 1);
    poise_room room(n * sizeof(T));
    poise_on_stream_copy(0, poise_raw(in), n, (T *)room.at);
    cudaMemcpy(here.data(), room.at, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++, ++out) *out = ((const T *)here.data())[i];
    return out;
}
template <class In, class Out> static inline Out copy_n(In in, size_t n, Out out)
{
    if constexpr (poise_on_device<In>::value && poise_on_device<Out>::value) {
        poise_on_stream_copy(0, poise_raw(in), n, poise_raw(out));
        return out + (ptrdiff_t)n;
    } else if constexpr (poise_on_device<Out>::value) return poise_copy_to_device(in, n, out);
    else if constexpr (poise_on_device<In>::value) return poise_copy_to_host(in, n, out);
    else {
        for (size_t i = 0; i < n; i++, ++in, ++out) *out = *in;
        return out;
    }
}
template <class In, class Out> static inline Out copy_n(const poise_cuda &p, In in, size_t n, Out out)
{
    poise_on_stream_copy(p.stream, poise_raw(in), n, poise_raw(out));
    return out + (ptrdiff_t)n;
}
template <class In, class Out> static inline Out copy(In first, In last, Out out)
{
    return thrust::copy_n(first, (size_t)(last - first), out);
}
template <class In, class Out> static inline Out copy(const poise_cuda &p, In first, In last, Out out)
{
    return thrust::copy_n(p, first, (size_t)(last - first), out);
}
template <class In, class Out> static inline Out copy(const poise_host &, In first, In last, Out out)
{
    return thrust::copy_n(first, (size_t)(last - first), out);
}
/* In a kernel: a thread's loop. */
template <class In, class Out> static inline __device__ Out copy_n(In in, size_t n, Out out)
{
    for (size_t i = 0; i < n; i++, ++in, ++out) *out = *in;
    return out;
}
template <class In, class Out> static inline __device__ Out copy(In first, In last, Out out)
{
    return thrust::copy_n(first, (size_t)(last - first), out);
}
template <class P, class In, class Out> static inline __device__ Out copy_n(const P &, In in, size_t n, Out out)
{
    return thrust::copy_n(in, n, out);
}
template <class P, class In, class Out> static inline __device__ Out copy(const P &, In first, In last, Out out)
{
    return thrust::copy_n(first, (size_t)(last - first), out);
}

/* ---- vectors ---- */
template <class T> using device_allocator = std::allocator<T>;
template <class T> using device_malloc_allocator = std::allocator<T>;
template <class T, class A = device_allocator<T>> class device_vector;
template <class T, class A = std::allocator<T>> class host_vector : public std::vector<T, A>
{
  public:
    using std::vector<T, A>::vector;
    host_vector() {}
    host_vector(const std::vector<T, A> &v) : std::vector<T, A>(v) {}
    template <class U, class B> host_vector(const device_vector<U, B> &v) { *this = v; }
    template <class U> host_vector(const device_ptr<U> &first, const device_ptr<U> &last)
    {
        this->resize((size_t)(last - first));
        thrust::copy(first, last, this->begin());
    }
    template <class U, class B> host_vector &operator=(const device_vector<U, B> &v)
    {
        this->resize(v.size());
        thrust::copy(v.begin(), v.end(), this->begin());
        return *this;
    }
};

template <class T, class A> class device_vector
{
    T *room;
    size_t count, space;

  public:
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<const T> const_iterator;
    typedef device_ptr<T> pointer;
    typedef device_ptr<const T> const_pointer;
    typedef device_reference<T> reference;
    typedef device_reference<const T> const_reference;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    device_vector() : room(nullptr), count(0), space(0) {}
    explicit device_vector(size_t n, const T &v = T()) : device_vector() { resize(n, v); }
    device_vector(const device_vector &v) : device_vector() { take(v.begin(), v.end()); }
    device_vector(device_vector &&v) noexcept : device_vector() { swap(v); }
    template <class U, class B> device_vector(const device_vector<U, B> &v) : device_vector()
    {
        take(v.begin(), v.end());
    }
    template <class U, class B> device_vector(const std::vector<U, B> &v) : device_vector()
    {
        take(v.begin(), v.end());
    }
    device_vector(std::initializer_list<T> v) : device_vector() { take(v.begin(), v.end()); }
    template <class It, class = std::enable_if_t<!std::is_integral<It>::value>>
    device_vector(It first, It last) : device_vector()
    {
        take(first, last);
    }
    ~device_vector() { cudaFree((void *)room); }
    device_vector &operator=(const device_vector &v)
    {
        if (&v != this) take(v.begin(), v.end());
        return *this;
    }
    device_vector &operator=(device_vector &&v) noexcept
    {
        swap(v);
        return *this;
    }
    template <class U, class B> device_vector &operator=(const device_vector<U, B> &v)
    {
        take(v.begin(), v.end());
        return *this;
    }
    template <class U, class B> device_vector &operator=(const std::vector<U, B> &v)
    {
        take(v.begin(), v.end());
        return *this;
    }
    iterator begin() { return iterator(room); }
    iterator end() { return iterator(room + count); }
    const_iterator begin() const { return const_iterator(room); }
    const_iterator end() const { return const_iterator(room + count); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    auto rbegin() { return thrust::make_reverse_iterator(end()); }
    auto rend() { return thrust::make_reverse_iterator(begin()); }
    pointer data() { return pointer(room); }
    const_pointer data() const { return const_pointer(room); }
    size_t size() const { return count; }
    size_t capacity() const { return space; }
    bool empty() const { return count == 0; }
    reference operator[](size_t i) { return reference(room + i); }
    const_reference operator[](size_t i) const { return const_reference(room + i); }
    reference front() { return reference(room); }
    reference back() { return reference(room + count - 1); }
    void clear() { count = 0; }
    void shrink_to_fit() {}
    void reserve(size_t n)
    {
        if (n <= space) return;
        void *p = nullptr;
        if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        if (count) cudaMemcpy(p, (const void *)room, count * sizeof(T), cudaMemcpyDeviceToDevice);
        cudaFree((void *)room);
        room = (T *)p;
        space = n;
    }
    void resize(size_t n, const T &v = T())
    {
        if (n > space) reserve(count ? std::max(n, 2 * space) : n);
        T *const to = room + count, x = v;
        if (n > count) poise::parallel::each(0, n - count, [=] __device__(size_t i) { to[i] = x; });
        count = n;
    }
    void push_back(const T &v) { resize(count + 1, v); }
    void pop_back() { count--; }
    void assign(size_t n, const T &v)
    {
        count = 0;
        resize(n, v);
    }
    template <class It, class = std::enable_if_t<!std::is_integral<It>::value>> void assign(It first, It last)
    {
        take(first, last);
    }
    iterator erase(iterator first, iterator last)
    {
        device_vector rest(last, end());
        thrust::copy(rest.begin(), rest.end(), first);
        count -= (size_t)(last - first);
        return first;
    }
    iterator erase(iterator at) { return erase(at, at + 1); }
    template <class It> void insert(iterator at, It first, It last)
    {
        const size_t place = (size_t)(at - begin()), n = (size_t)(last - first);
        device_vector rest(at, end());
        resize(count + n);
        thrust::copy(first, last, begin() + (ptrdiff_t)place);
        thrust::copy(rest.begin(), rest.end(), begin() + (ptrdiff_t)(place + n));
    }
    void swap(device_vector &v)
    {
        std::swap(room, v.room);
        std::swap(count, v.count);
        std::swap(space, v.space);
    }
    bool operator==(const device_vector &v) const { return host_vector<T>(*this) == host_vector<T>(v); }

  private:
    template <class It> void take(It first, It last)
    {
        count = 0;
        reserve((size_t)(last - first));
        count = (size_t)(last - first);
        thrust::copy(first, last, begin());
    }
};
template <class T, class A, class B> bool operator==(const std::vector<T, A> &a, const device_vector<T, B> &b)
{
    return host_vector<T>(b) == a;
}
template <class T, class A, class B> bool operator==(const device_vector<T, B> &a, const std::vector<T, A> &b)
{
    return host_vector<T>(a) == b;
}
template <class T, class A> void swap(device_vector<T, A> &a, device_vector<T, A> &b) { a.swap(b); }
} // namespace thrust
#endif
