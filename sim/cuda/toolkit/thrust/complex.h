/* thrust's complex numbers. */
#ifndef POISE_THRUST_COMPLEX_H
#define POISE_THRUST_COMPLEX_H
#include <complex>
#include <thrust/bits/all.h>

namespace thrust
{
template <class T> struct complex {
    typedef T value_type;
    T x, y;
    POISE_HD complex(const T &re = T(), const T &im = T()) : x(re), y(im) {}
    template <class U> POISE_HD complex(const complex<U> &z) : x((T)z.x), y((T)z.y) {}
    template <class U> complex(const std::complex<U> &z) : x((T)z.real()), y((T)z.imag()) {}
    operator std::complex<T>() const { return std::complex<T>(x, y); }
    POISE_HD T real() const { return x; }
    POISE_HD T imag() const { return y; }
    POISE_HD void real(T v) { x = v; }
    POISE_HD void imag(T v) { y = v; }
    POISE_HD complex &operator+=(const complex &b) { return *this = *this + b; }
    POISE_HD complex &operator-=(const complex &b) { return *this = *this - b; }
    POISE_HD complex &operator*=(const complex &b) { return *this = *this * b; }
    POISE_HD complex &operator/=(const complex &b) { return *this = *this / b; }
    friend POISE_HD complex operator+(const complex &a) { return a; }
    friend POISE_HD complex operator-(const complex &a) { return complex(-a.x, -a.y); }
    friend POISE_HD complex operator+(const complex &a, const complex &b) { return complex(a.x + b.x, a.y + b.y); }
    friend POISE_HD complex operator-(const complex &a, const complex &b) { return complex(a.x - b.x, a.y - b.y); }
    friend POISE_HD complex operator*(const complex &a, const complex &b)
    {
        return complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
    /* Scaled by the larger part of the divisor, so that its square does not overflow [Smith, CACM 5 (1962)]. */
    friend POISE_HD complex operator/(const complex &a, const complex &b)
    {
        if ((b.x < 0 ? -b.x : b.x) >= (b.y < 0 ? -b.y : b.y)) {
            const T r = b.y / b.x, d = b.x + r * b.y;
            return complex((a.x + a.y * r) / d, (a.y - a.x * r) / d);
        }
        const T r = b.x / b.y, d = b.x * r + b.y;
        return complex((a.x * r + a.y) / d, (a.y * r - a.x) / d);
    }
    friend POISE_HD bool operator==(const complex &a, const complex &b) { return a.x == b.x && a.y == b.y; }
    friend POISE_HD bool operator!=(const complex &a, const complex &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const complex &z) { return out << std::complex<T>(z.x, z.y); }
};
template <class T> POISE_HD T norm(const complex<T> &z) { return z.x * z.x + z.y * z.y; }
template <class T> POISE_HD T abs(const complex<T> &z) { return hypot(z.x, z.y); }
template <class T> POISE_HD T arg(const complex<T> &z) { return atan2(z.y, z.x); }
template <class T> POISE_HD complex<T> conj(const complex<T> &z) { return complex<T>(z.x, -z.y); }
template <class T> POISE_HD complex<T> polar(const T &length, const T &angle = T())
{
    return complex<T>(length * cos(angle), length * sin(angle));
}
template <class T> POISE_HD complex<T> exp(const complex<T> &z) { return thrust::polar((T)::exp(z.x), z.y); }
template <class T> POISE_HD complex<T> log(const complex<T> &z)
{
    return complex<T>((T)::log(thrust::abs(z)), thrust::arg(z));
}
template <class T> POISE_HD complex<T> sqrt(const complex<T> &z)
{
    return thrust::polar((T)::sqrt(thrust::abs(z)), thrust::arg(z) / 2);
}
template <class T> POISE_HD complex<T> pow(const complex<T> &z, const complex<T> &power)
{
    return z == complex<T>() ? z : thrust::exp(power * thrust::log(z));
}
template <class T> POISE_HD complex<T> pow(const complex<T> &z, const T &power)
{
    return thrust::pow(z, complex<T>(power));
}
template <class T> POISE_HD complex<T> sin(const complex<T> &z)
{
    return complex<T>((T)(::sin(z.x) * ::cosh(z.y)), (T)(::cos(z.x) * ::sinh(z.y)));
}
template <class T> POISE_HD complex<T> cos(const complex<T> &z)
{
    return complex<T>((T)(::cos(z.x) * ::cosh(z.y)), (T)(-::sin(z.x) * ::sinh(z.y)));
}
} // namespace thrust
#endif
