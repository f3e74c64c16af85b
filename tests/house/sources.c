#include "sources.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "rig.h"
#include "where.h"

static char *sources; /* all files, one after another */
static size_t n_sources;

static int gather(const char *full, const struct stat *st, int type, struct FTW *where)
{
    (void)where;
    const size_t n = strlen(full);
    if (type != FTW_F || n < 3 || (strcmp(full + n - 2, ".c") != 0 && strcmp(full + n - 2, ".h") != 0)) return 0;
    FILE *in = fopen(full, "r");
    sources = realloc(sources, n_sources + (size_t)st->st_size + 1);
    assert_non_null(sources);
    assert_non_null(in);
    n_sources += fread(sources + n_sources, 1, (size_t)st->st_size, in);
    sources[n_sources] = '\0';
    fclose(in);
    return 0;
}

void sources_gather(const char *folder)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", POISE_SOURCE_DIR, folder);
    if (nftw(path, gather, 16, FTW_PHYS) != 0) fail_msg("%s cannot be walked", path);
}

void sources_free(void)
{
    free(sources);
    sources = NULL;
    n_sources = 0;
}

static bool is_word_part(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool sources_have(const char *name)
{
    const size_t n = strcspn(name, "*");
    for (const char *at = sources; (at = memmem(at, (size_t)(sources + n_sources - at), name, n)); at += n)
        if ((at == sources || !is_word_part(at[-1])) && (name[n] == '*' || !is_word_part(at[n]))) return true;
    return false;
}
