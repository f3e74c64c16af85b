/* Images and files of numbers, as the samples' helper_image.h reads, writes and compares them: binary PGM and PPM. */
#ifndef POISE_SUITE_HELPER_IMAGE_H
#define POISE_SUITE_HELPER_IMAGE_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fstream>
#include <string>
#include <vector>

/* Pixels of one or three bytes; false where the file is no such image. */
static inline bool poise_load_image(const char *path, std::vector<unsigned char> &out, unsigned *width,
                                    unsigned *height, unsigned *channels)
{
    std::ifstream in(path, std::ios::binary);
    std::string word;
    unsigned numbers[3], n = 0;
    if (!(in >> word) || (word != "P5" && word != "P6")) return false;
    while (n < 3 && in >> word) {
        if (word[0] == '#') std::getline(in, word);
        else numbers[n++] = (unsigned)atoi(word.c_str());
    }
    if (n < 3 || numbers[2] > 255) return false;
    in.get();
    *width = numbers[0], *height = numbers[1];
    in.seekg(1, std::ios::beg);
    *channels = in.peek() == '6' ? 3 : 1;
    in.seekg(0, std::ios::end);
    const size_t size = (size_t)*width * *height * *channels;
    if ((size_t)in.tellg() < size) return false;
    in.seekg(-(std::streamoff)size, std::ios::end);
    out.resize(size);
    return (bool)in.read((char *)out.data(), (std::streamsize)size);
}
static inline bool poise_save_image(const char *path, const unsigned char *data, unsigned width, unsigned height,
                                    unsigned channels)
{
    std::ofstream out(path, std::ios::binary);
    out << (channels == 1 ? "P5" : "P6") << "\n" << width << "\n" << height << "\n255\n";
    out.write((const char *)data, (std::streamsize)width * height * channels);
    return (bool)out;
}
static inline bool __loadPPM(const char *path, unsigned char **data, unsigned *width, unsigned *height,
                             unsigned *channels)
{
    std::vector<unsigned char> pixels;
    if (!poise_load_image(path, pixels, width, height, channels)) return false;
    if (!*data) *data = (unsigned char *)malloc(pixels.size());
    memcpy(*data, pixels.data(), pixels.size());
    return true;
}
static inline bool __savePPM(const char *path, unsigned char *data, unsigned width, unsigned height, unsigned channels)
{
    return poise_save_image(path, data, width, height, channels);
}
/* Numbers of bytes stand as they are; floating point as a share of 255. */
template <class T> static inline T poise_from_byte(unsigned char b) { return (T)b; }
template <> inline float poise_from_byte<float>(unsigned char b) { return (float)b / 255.0f; }
template <class T> static inline unsigned char poise_to_byte(T v) { return (unsigned char)v; }
template <> inline unsigned char poise_to_byte<float>(float v) { return (unsigned char)(v * 255.0f); }

template <class T> static inline bool sdkLoadPGM(const char *path, T **data, unsigned *width, unsigned *height)
{
    std::vector<unsigned char> pixels;
    unsigned channels;
    if (!poise_load_image(path, pixels, width, height, &channels)) return false;
    if (!*data) *data = (T *)malloc(pixels.size() * sizeof(T));
    for (size_t i = 0; i < pixels.size(); i++) (*data)[i] = poise_from_byte<T>(pixels[i]);
    return true;
}
template <class T> static inline bool sdkSavePGM(const char *path, T *data, unsigned width, unsigned height)
{
    std::vector<unsigned char> pixels((size_t)width * height);
    for (size_t i = 0; i < pixels.size(); i++) pixels[i] = poise_to_byte<T>(data[i]);
    return poise_save_image(path, pixels.data(), width, height, 1);
}
template <class T> static inline bool sdkLoadPPM4(const char *path, T **data, unsigned *width, unsigned *height)
{
    std::vector<unsigned char> pixels;
    unsigned channels;
    if (!poise_load_image(path, pixels, width, height, &channels) || channels != 3) return false;
    const size_t n = (size_t)*width * *height;
    *data = (T *)malloc(4 * n * sizeof(T));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) (*data)[4 * i + k] = poise_from_byte<T>(pixels[3 * i + k]);
        (*data)[4 * i + 3] = 0;
    }
    return true;
}
static inline bool sdkLoadPPM4ub(const char *path, unsigned char **data, unsigned *width, unsigned *height)
{
    return sdkLoadPPM4(path, data, width, height);
}
static inline bool sdkLoadPPMub(const char *path, unsigned char **data, unsigned *width, unsigned *height)
{
    unsigned channels;
    *data = NULL;
    return __loadPPM(path, data, width, height, &channels) && channels == 3;
}
static inline bool sdkSavePPM4ub(const char *path, unsigned char *data, unsigned width, unsigned height)
{
    std::vector<unsigned char> pixels(3 * (size_t)width * height);
    for (size_t i = 0; i < pixels.size(); i++) pixels[i] = data[4 * (i / 3) + i % 3];
    return poise_save_image(path, pixels.data(), width, height, 3);
}

/* ---- files of numbers ---- */

template <class T> static inline bool sdkReadFile(const char *path, T **data, unsigned *n, bool verbose)
{
    std::ifstream in(path);
    std::vector<T> numbers;
    (void)verbose;
    for (T one; in >> one;) numbers.push_back(one);
    if (numbers.empty() || (*data && *n != numbers.size())) return false;
    if (!*data) *data = (T *)malloc(numbers.size() * sizeof(T));
    *n = (unsigned)numbers.size();
    memcpy(*data, numbers.data(), numbers.size() * sizeof(T));
    return true;
}
template <class T, class S>
static inline bool sdkWriteFile(const char *path, const T *data, unsigned n, const S epsilon, bool verbose,
                                bool append = false)
{
    std::ofstream out(path, append ? std::ios::app : std::ios::trunc);
    (void)verbose;
    out << "# " << epsilon << "\n";
    for (unsigned i = 0; i < n; i++) out << data[i] << ' ';
    out << std::endl;
    return (bool)out;
}
static inline void sdkDumpBin(void *data, unsigned bytes, const char *path)
{
    std::ofstream(path, std::ios::binary).write((const char *)data, bytes);
}
static inline void sdkDumpBin2(void *data, unsigned bytes, const char *path) { sdkDumpBin(data, bytes, path); }

/* More than `threshold` of the values differ by more than epsilon: not the same. */
template <class T> static inline bool poise_is_near(const T *a, const T *b, size_t n, double epsilon, double threshold)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) bad += !(fabs((double)a[i] - (double)b[i]) <= epsilon);
    return threshold > 0 ? (double)bad <= threshold * (double)n : bad == 0;
}
template <class T>
static inline bool poise_compare_files(const char *source, const char *reference, unsigned n, double epsilon,
                                       double threshold)
{
    std::vector<T> a(n), b(n);
    std::ifstream in(source, std::ios::binary), other(reference, std::ios::binary);
    return in.read((char *)a.data(), (std::streamsize)(n * sizeof(T))) &&
           other.read((char *)b.data(), (std::streamsize)(n * sizeof(T))) &&
           poise_is_near(a.data(), b.data(), n, epsilon, threshold);
}
static inline bool sdkCompareBin2BinUint(const char *source, const char *reference, unsigned n, float epsilon,
                                         float threshold, char *program)
{
    (void)program;
    return poise_compare_files<unsigned>(source, reference, n, epsilon, threshold);
}
static inline bool sdkCompareBin2BinFloat(const char *source, const char *reference, unsigned n, float epsilon,
                                          float threshold, char *program)
{
    (void)program;
    return poise_compare_files<float>(source, reference, n, epsilon, threshold);
}
static inline bool poise_compare_images(const char *source, const char *reference, float epsilon, float threshold)
{
    std::vector<unsigned char> a, b;
    unsigned size_a[3], size_b[3];
    return poise_load_image(source, a, &size_a[0], &size_a[1], &size_a[2]) &&
           poise_load_image(reference, b, &size_b[0], &size_b[1], &size_b[2]) && a.size() == b.size() &&
           poise_is_near(a.data(), b.data(), a.size(), epsilon, threshold);
}
static inline bool sdkComparePPM(const char *source, const char *reference, float epsilon, float threshold,
                                 bool verbose)
{
    (void)verbose;
    return poise_compare_images(source, reference, epsilon, threshold);
}
static inline bool sdkComparePGM(const char *source, const char *reference, float epsilon, float threshold,
                                 bool verbose)
{
    (void)verbose;
    return poise_compare_images(source, reference, epsilon, threshold);
}
#endif
