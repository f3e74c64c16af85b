/* Part of thrust. Vectors of device memory, which the host reaches at the same addresses, are universal. */
#ifndef POISE_THRUST_UNIVERSAL_VECTOR_H
#define POISE_THRUST_UNIVERSAL_VECTOR_H
#include <thrust/bits/all.h>
namespace thrust
{
template <class T> using universal_ptr = device_ptr<T>;
template <class T> using universal_allocator = device_allocator<T>;
template <class T, class A = device_allocator<T>> using universal_vector = device_vector<T, A>;
} // namespace thrust
#endif
