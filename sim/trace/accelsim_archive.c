/* Members of a .tar or .tar.xz, held in memory. POSIX ustar; GNU and pax long names; other members are passed over. */
#include <stdlib.h>
#include <string.h>
#include "accelsim_source.h"
#include "poise/accelsim.h"

enum { BLOCK = 512 };

static bool octal(const char *field, size_t n, uint64_t *out)
{
    uint64_t v = 0;
    size_t i = 0;
    while (i < n && field[i] == ' ') i++;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) v = v << 3 | (uint64_t)(field[i] - '0');
    *out = v;
    return i == n || field[i] == '\0' || field[i] == ' ';
}

static bool sum_is_right(const char *header)
{
    uint64_t expected, sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? ' ' : (uint8_t)header[i];
    return octal(header + 148, 8, &expected) && sum == expected;
}

/* "path=NAME" of a pax record list; the caller's to free(). */
static char *pax_path(const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        char *end;
        const unsigned long n = strtoul(data + at, &end, 10);
        if (n == 0 || n > size - at || *end != ' ') return NULL;
        const char *key = end + 1, *stop = data + at + n - 1;
        if (stop - key > 5 && strncmp(key, "path=", 5) == 0) return strndup(key + 5, (size_t)(stop - key - 5));
        at += n;
    }
    return NULL;
}

static char *member_name(const char *header)
{
    char name[257];
    size_t n = 0;
    if (memcmp(header + 257, "ustar", 5) == 0 && header[345]) {
        n = strnlen(header + 345, 155);
        memcpy(name, header + 345, n);
        name[n++] = '/';
    }
    const size_t m = strnlen(header, 100);
    memcpy(name + n, header, m);
    name[n + m] = '\0';
    return strdup(name);
}

static int add_member(struct accelsim_archive *a, char *name, const char *data, size_t size)
{
    struct accelsim_member *more = realloc(a->members, (a->n + 1) * sizeof *more);
    if (!more || !name) return -1;
    a->members = more;
    const char *plain = strncmp(name, "./", 2) == 0 ? name + 2 : name;
    memmove(name, plain, strlen(plain) + 1);
    a->members[a->n++] = (struct accelsim_member){name, data, size};
    return 0;
}

static int walk(struct accelsim_archive *a, size_t total, const char *path, struct error *err)
{
    char *long_name = NULL;
    for (size_t at = 0; at + BLOCK <= total && a->data[at];) {
        const char *header = a->data + at;
        uint64_t size;
        if (!sum_is_right(header) || !octal(header + 124, 12, &size) || size > total - at - BLOCK) {
            free(long_name);
            error_set(err, ERR_INPUT, "%s: byte %zu of the archive: this is no tar member, or the archive is cut off",
                      path, at);
            return error_at(err, path, 0, (long)at, NULL);
        }
        const char *data = header + BLOCK, type = header[156];
        if (type == 'L' || type == 'x') {
            free(long_name);
            long_name = type == 'L' ? strndup(data, size) : pax_path(data, size);
        } else if (type == '0' || type == '\0') {
            char *name = long_name ? long_name : member_name(header);
            long_name = NULL;
            if (add_member(a, name, data, size) < 0) {
                free(name);
                return error_set(err, ERR_MEMORY, "%s: no memory for its members", path);
            }
        } else if (type != 'g') {
            free(long_name);
            long_name = NULL;
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    free(long_name);
    return 0;
}

int accelsim_archive_open(struct accelsim_archive *out, const char *path, size_t max_bytes, struct error *err)
{
    size_t size;
    *out = (struct accelsim_archive){0};
    if (source_read_all(&out->data, &size, path, max_bytes, err) < 0) return -1;
    if (walk(out, size, path, err) == 0) return 0;
    accelsim_archive_close(out);
    return -1;
}

const struct accelsim_member *accelsim_archive_find(const struct accelsim_archive *a, const char *name)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->members[i].name, name) == 0) return &a->members[i];
    return NULL;
}

void accelsim_archive_close(struct accelsim_archive *a)
{
    for (size_t i = 0; i < a->n; i++) free(a->members[i].name);
    free(a->members);
    free(a->data);
    *a = (struct accelsim_archive){0};
}
