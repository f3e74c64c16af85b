/* Thrust's traits of types, of which programs take those that C++ has. */
#ifndef POISE_THRUST_TYPE_TRAITS_H
#define POISE_THRUST_TYPE_TRAITS_H
#include <type_traits>
namespace thrust
{
namespace detail
{
using std::add_const;
using std::conditional;
using std::enable_if;
using std::false_type;
using std::integral_constant;
using std::is_arithmetic;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_pointer;
using std::is_same;
using std::remove_const;
using std::remove_cv;
using std::remove_reference;
using std::true_type;
template <bool b, class T> struct enable_if_c : std::enable_if<b, T> {
};
template <bool b, class T, class F> struct eval_if : std::conditional<b, T, F>::type {
};
template <class T> struct identity_ {
    typedef T type;
};
} // namespace detail
} // namespace thrust
#endif
