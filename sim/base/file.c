#include "poise/file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_kind(const char *path, mode_t mode, struct error *err)
{
    const char *kind = S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a device";
    error_set(err, ERR_INPUT, "%s: not a regular file but %s", path, kind);
    return error_at(err, path, 0, -1, S_ISDIR(mode) ? NULL : "write what it gives to a file first, and name that");
}

int file_check_regular(const char *path, struct error *err)
{
    struct stat st;
    return stat(path, &st) < 0 || S_ISREG(st.st_mode) ? 0 : refuse_kind(path, st.st_mode, err);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int file_open(const char *path, struct error *err)
{
    struct stat st;
    if (file_check_regular(path, err) < 0) return -1;
    /* What came in its place since does not make us wait either. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return error_set(err, errno == ENOENT ? ERR_INPUT : ERR_IO, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
    refuse_kind(path, st.st_mode, err);
    close(fd);
    return -1;
}

int file_read(char **out, size_t *size, const char *path, struct error *err)
{
    struct stat st;
    *out = NULL;
    const int fd = file_open(path, err);
    if (fd < 0) return -1;
    if (fstat(fd, &st) < 0) {
        error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    char *data = malloc((size_t)st.st_size + 1);
    if (!data) {
        close(fd);
        return error_set(err, ERR_MEMORY, "%s: no memory for %lld bytes", path, (long long)st.st_size);
    }
    size_t done = 0;
    while (done < (size_t)st.st_size) {
        const ssize_t n = read(fd, data + done, (size_t)st.st_size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    close(fd);
    if (done < (size_t)st.st_size) {
        free(data);
        return error_set(err, ERR_IO, "%s: read stopped at byte %zu of %lld", path, done, (long long)st.st_size);
    }
    data[done] = '\0';
    *out = data;
    *size = done;
    return 0;
}

json_t *file_read_json(const char *path, struct error *err)
{
    char *text;
    size_t size;
    json_error_t why;
    if (file_read(&text, &size, path, err) < 0) return NULL;
    json_t *json = json_loadb(text, size, 0, &why);
    free(text);
    if (json) return json;
    error_set(err, ERR_INPUT, "%s:%d:%d: not a JSON file: %s", path, why.line, why.column, why.text);
    error_at(err, path, why.line, why.position, NULL);
    return NULL;
}

/* A link leads to the file that is replaced. What is there and is no file (a device, a pipe) is written as it is:
 * a file in its place would be the end of it. */
int file_target(struct file_target *out, const char *path, struct error *err)
{
    struct stat st;
    *out = (struct file_target){.is_direct = false};
    const bool is_there = stat(path, &st) == 0;
    if (is_there && S_ISDIR(st.st_mode)) return error_set(err, ERR_IO, "%s: %s", path, strerror(EISDIR));
    out->is_direct = is_there && !S_ISREG(st.st_mode);
    char *real = is_there && !out->is_direct ? realpath(path, NULL) : NULL;
    const char *end = real ? real : path;
    const int n = out->is_direct ? snprintf(out->path, sizeof out->path, "%s", path)
                                 : snprintf(out->path, sizeof out->path, "%s.%ld.tmp", end, (long)getpid());
    const bool fits = n < (int)sizeof out->path;
    if (fits) memcpy(out->end, end, strlen(end) + 1);
    free(real);
    return fits ? 0 : error_set(err, ERR_INPUT, "%.80s...: the path is too long", path);
}

int file_target_end(const struct file_target *target, int why, const char *path, struct error *err)
{
    if (!why && !target->is_direct && rename(target->path, target->end) < 0) why = errno;
    if (!why) return 0;
    if (!target->is_direct) unlink(target->path);
    return error_set(err, ERR_IO, "%s: %s", path, strerror(why));
}

int file_write(const char *path, const void *data, size_t size, struct error *err)
{
    struct file_target target;
    if (file_target(&target, path, err) < 0) return -1;
    const int fd = open(target.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    int why = done < size ? errno : 0;
    if (close(fd) < 0 && !why) why = errno;
    return file_target_end(&target, why, path, err);
}

int file_write_stream(const char *path, FILE *stream, char **text, const size_t *size, struct error *err)
{
    const bool has_failed = ferror(stream), is_whole = fclose(stream) == 0 && !has_failed;
    const int result =
        is_whole ? file_write(path, *text, *size, err) : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    free(*text);
    *text = NULL;
    return result;
}

int file_make_folders(const char *path, struct error *err)
{
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1;; p++) {
        if (*p != '/' && *p != '\0') continue;
        const char was = *p;
        *p = '\0';
        if (mkdir(part, 0777) < 0 && errno != EEXIST) return error_set(err, ERR_IO, "%s: %s", part, strerror(errno));
        *p = was;
        if (was == '\0') return 0;
    }
}

bool file_in_path(char *out, size_t size, const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(out, size, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(out, X_OK) == 0) return true;
    }
    return false;
}
