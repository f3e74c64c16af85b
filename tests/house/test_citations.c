/* Citations resolve: a paper's place is one that the paper has (papers.txt), MECHANISMS and DESIGN name a heading of
 * their page, and a page that a comment names is in the tree. */
#include "rig.h"
#include "where.h"

#include <ctype.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char complaints[8192];
static size_t n_complaints, n_papers, n_headings, n_pages;
static char *places, *mechanisms, *design;

static __attribute__((format(printf, 1, 2))) void complain(const char *format, ...)
{
    va_list args;
    const size_t used = strlen(complaints);
    va_start(args, format);
    vsnprintf(complaints + used, sizeof complaints - used, format, args);
    va_end(args);
    n_complaints++;
}

static char *read_whole(const char *path)
{
    struct stat st;
    FILE *in = fopen(path, "r");
    if (!in || fstat(fileno(in), &st) != 0) fail_msg("%s cannot be read", path);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(st.st_size, fread(text, 1, (size_t)st.st_size, in));
    fclose(in);
    return text;
}

/* Takes line breaks out of comments: a citation may stand on two lines. */
static void join_comments(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        const char *next = from + 1 + strspn(from + 1, " ");
        if (*from != '\n' || next[0] != '*' || next[1] != ' ') *to++ = *from;
        else {
            *to++ = ' ';
            from = next + strspn(next + 1, " ");
        }
    }
    *to = '\0';
}

/* ---- papers ---- */

static bool has_place(const char *work, const char *kind, const char *place, size_t n)
{
    char head[64];
    const size_t n_head = (size_t)snprintf(head, sizeof head, "%s %s", work, kind);
    for (const char *line = places; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, head, n_head) != 0) continue;
        const char *end = strchr(line, '\n');
        for (const char *at = line + n_head; at < end; at += strcspn(at, " \n")) {
            at += *at == ' ';
            if (strcspn(at, " \n") == n && strncmp(at, place, n) == 0) return true;
        }
    }
    return false;
}

/* The kind of place that `text` begins with, and where its number is; NULL where it is none: a name in a sentence. */
static const char *kind_of(const char *text, const char **number)
{
    static const char *const kinds[][2] = {{"§", "§"},       {"Figs.", "Fig."}, {"Fig.", "Fig."}, {"Tabs.", "Tab."},
                                           {"Tab.", "Tab."}, {"Eqs.", "Eq."},   {"Eq.", "Eq."}};
    text += *text == ' ';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i][0], strlen(kinds[i][0])) == 0) {
            *number = text + strlen(kinds[i][0]);
            *number += **number == ' ';
            return kinds[i][1];
        }
    *number = text;
    return isdigit((unsigned char)*text) ? "§" : NULL; /* THESIS 5.7.4 */
}

static void check_papers(const char *file, const char *text)
{
    static const char *const works[] = {"THESIS", "BUCL", "TSC", "ELASTIC", "TECHNIQUES"};
    for (size_t w = 0; w < sizeof works / sizeof *works; w++)
        for (const char *at = strstr(text, works[w]); at; at = strstr(at + 1, works[w])) {
            const char *after = at + strlen(works[w]), *number, *kind;
            if ((at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) || *after != ' ' ||
                !(kind = kind_of(after, &number)))
                continue;
            size_t n = strspn(number, "0123456789IVXABCD.ab");
            while (n && number[n - 1] == '.') n--;
            if (!has_place(works[w], kind, number, n))
                complain("%s: %s %s %.*s: the work has no such place\n", file, works[w], kind, (int)n, number);
            n_papers++;
        }
}

/* ---- our own pages ---- */

/* Is there a heading, or a word in bold, that begins so? */
static bool has_heading(const char *page, const char *name, size_t n)
{
    for (const char *line = page; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line + strspn(line, "#- *");
        if ((*line == '#' || strncmp(line, "- **", 4) == 0) && strncmp(at, name, n) == 0) return true;
    }
    return false;
}

static void check_headings(const char *file, const char *text)
{
    for (const char *at = strstr(text, "MECHANISMS '"); at; at = strstr(at + 1, "MECHANISMS '")) {
        const char *name = at + strlen("MECHANISMS '");
        const size_t n = strcspn(name, "'\n");
        if (!has_heading(mechanisms, name, n))
            complain("%s: MECHANISMS '%.*s': sim/mech/MECHANISMS.md has no such heading\n", file, (int)n, name);
        n_headings++;
    }
    for (const char *at = strstr(text, "DESIGN §"); at; at = strstr(at + 1, "DESIGN §")) {
        const char *name = at + strlen("DESIGN §");
        size_t n = strspn(name, "0123456789.");
        while (n && name[n - 1] == '.') n--;
        if (!has_heading(design, name, n))
            complain("%s: DESIGN §%.*s: sim/DESIGN.md has no such section\n", file, (int)n, name);
        n_headings++;
    }
}

static bool is_there(const char *folder, size_t n_folder, const char *name, size_t n)
{
    char path[1400];
    struct stat st;
    snprintf(path, sizeof path, "%.*s/%.*s", (int)n_folder, folder, (int)n, name);
    return stat(path, &st) == 0;
}

/* Names of pages in comments, from the file's folder upwards. Results and generated pages of studies are not in the
 * tree. */
static void check_pages(const char *file, const char *text)
{
    for (const char *at = strstr(text, ".md"); at; at = strstr(at + 1, ".md")) {
        const char *begin = at;
        bool found = false;
        if (isalnum((unsigned char)at[3]) || at[3] == '_') continue;
        while (begin > text && (isalnum((unsigned char)begin[-1]) || strchr("_-./", begin[-1]))) begin--;
        const size_t n = (size_t)(at + 3 - begin);
        if (n == 3 || *begin == '/' || strncmp(begin, "doc/", 4) == 0 /* of another project */ ||
            memmem(begin, n, "studies.md", 10) || (begin > text && strchr("%\"$", begin[-1])))
            continue;
        for (size_t up = strlen(file); up >= strlen(POISE_SOURCE_DIR) && !found; up--)
            if (file[up] == '/' || up == strlen(POISE_SOURCE_DIR)) found = is_there(file, up, begin, n);
        if (!found && strcmp(strndupa(begin, n), "CONTRACTS.md") == 0)
            found = is_there(POISE_SOURCE_DIR "/experiments", strlen(POISE_SOURCE_DIR "/experiments"), begin, n);
        if (!found && strcmp(strndupa(begin, n), "READ_ME_FIRST.md") == 0)
            found = is_there(POISE_SOURCE_DIR "/sim/gpu", strlen(POISE_SOURCE_DIR "/sim/gpu"), begin, n);
        if (!found) complain("%s: names the page %.*s, which is not there\n", file, (int)n, begin);
        n_pages++;
    }
}

static int visit(const char *file, const struct stat *st, int type, struct FTW *where)
{
    static const char *const endings[] = {".c", ".h", ".def", ".yaml", ".md", ".cmake", ".txt"};
    static const char *const no_sources[] = {"build", "results", ".git", "reference"};
    const char *base = file + where->base, *dot = strrchr(base, '.');
    bool is_source = false;
    (void)st;
    for (size_t i = 0; type == FTW_D && i < sizeof no_sources / sizeof *no_sources; i++)
        if (strcmp(base, no_sources[i]) == 0) return FTW_SKIP_SUBTREE;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) is_source |= strcmp(dot, endings[i]) == 0;
    if (type != FTW_F || !is_source || strcmp(base, "test_citations.c") == 0 || strcmp(base, "papers.txt") == 0)
        return FTW_CONTINUE;
    char *text = read_whole(file);
    if (strcmp(dot, ".md") != 0) join_comments(text);
    check_papers(file + strlen(POISE_SOURCE_DIR) + 1, text);
    check_headings(file + strlen(POISE_SOURCE_DIR) + 1, text);
    if (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".def") == 0) check_pages(file, text);
    free(text);
    return FTW_CONTINUE;
}

static void every_citation_resolves(void **state)
{
    (void)state;
    places = read_whole(POISE_SOURCE_DIR "/tests/house/papers.txt");
    mechanisms = read_whole(POISE_SOURCE_DIR "/sim/mech/MECHANISMS.md");
    design = read_whole(POISE_SOURCE_DIR "/sim/DESIGN.md");
    if (nftw(POISE_SOURCE_DIR, visit, 16, FTW_PHYS | FTW_ACTIONRETVAL) != 0)
        fail_msg("%s cannot be walked", POISE_SOURCE_DIR);
    if (n_complaints) fail_msg("%zu complaints\n%s", n_complaints, complaints);
    assert_true(n_papers > 150 && n_headings > 20 && n_pages > 5); /* that something was looked at */
    free(places);
    free(mechanisms);
    free(design);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_citation_resolves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
