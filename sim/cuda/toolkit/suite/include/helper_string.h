/* Command lines "-name=value" as the samples' helper_string.h reads them. */
#ifndef POISE_SUITE_HELPER_STRING_H
#define POISE_SUITE_HELPER_STRING_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#ifndef STRCPY
#define STRCPY(out, size, from) strcpy(out, from)
#endif
#ifndef FOPEN
#define FOPEN(file, path, mode) ((file) = fopen(path, mode))
#define FOPEN_FAIL(result) ((result) == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#endif

/* What stands behind "-name" or "--name", and behind its '='; NULL where it is not there. */
static inline const char *poise_flag(int argc, const char **argv, const char *name)
{
    const size_t n = strcspn(name, "=");
    for (int i = 1; i < argc; i++) {
        const char *at = argv[i];
        while (*at == '-') at++;
        if (at == argv[i] || strncasecmp(at, name, n) != 0 || (at[n] && at[n] != '=')) continue;
        return at + n + (at[n] == '=');
    }
    return NULL;
}
static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
    return poise_flag(argc, argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *value = poise_flag(argc, argv, name);
    return value ? atoi(value) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *value = poise_flag(argc, argv, name);
    return value ? (float)atof(value) : 0;
}
static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **out)
{
    const char *value = poise_flag(argc, argv, name);
    *out = (char *)value;
    return value != NULL;
}
template <class T> static inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *out)
{
    const char *value = poise_flag(argc, argv, name);
    if (value) *out = (T)atof(value);
    return value != NULL;
}
static inline int stringRemoveDelimiter(char delimiter, const char *text)
{
    int n = 0;
    while (text[n] == delimiter) n++;
    return n >= (int)strlen(text) - 1 ? 0 : n;
}
static inline int getFileExtension(char *path, char **extension)
{
    char *dot = strrchr(path, '.');
    *extension = dot ? dot + 1 : path + strlen(path);
    return (int)(*extension - path);
}
/* A file that a program brings along: beside it, or in its folder of data. */
static inline char *sdkFindFilePath(const char *name, const char *program)
{
    static const char *const places[] = {"%s", "./data/%s", "../data/%s", "../../data/%s"};
    char path[4096];
    (void)program;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, places[i], name);
        FILE *in = fopen(path, "rb");
        if (!in) continue;
        fclose(in);
        return strdup(path);
    }
    return NULL;
}
#endif
