/* The samples' exception.h: an error with its file and line. */
#ifndef POISE_SUITE_EXCEPTION_H
#define POISE_SUITE_EXCEPTION_H
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>
#include <string>

template <class Base> class Exception : public Base
{
  public:
    explicit Exception(const std::string &what) : Base(what) {}
    static void throw_it(const char *file, int line, const char *detailed = "-")
    {
        std::ostringstream text;
        text << "Exception in file '" << file << "' in line " << line << "\nDetailed description: " << detailed << "\n";
        throw Exception(text.str());
    }
    static void throw_it(const char *file, int line, const std::string &detailed)
    {
        throw_it(file, line, detailed.c_str());
    }
};
template <class Any> inline void handleException(const Any &exception)
{
    std::cerr << exception.what() << std::endl;
    exit(EXIT_FAILURE);
}
#define RUNTIME_EXCEPTION(what) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, what)
#define LOGIC_EXCEPTION(what) Exception<std::logic_error>::throw_it(__FILE__, __LINE__, what)
#define RANGE_EXCEPTION(what) Exception<std::range_error>::throw_it(__FILE__, __LINE__, what)
#endif
