#include "poise/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read(char **out, size_t *size, const char *path, struct error *err)
{
    *out = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_set(err, errno == ENOENT ? ERR_INPUT : ERR_IO, "%s: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return error_set(err, ERR_INPUT, "%s: not a regular file", path);
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

int file_write(const char *path, const void *data, size_t size, struct error *err)
{
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    const int failed = done < size ? errno : 0;
    if (close(fd) < 0 || failed || rename(temporary, path) < 0) {
        const int why = failed ? failed : errno;
        unlink(temporary);
        return error_set(err, ERR_IO, "%s: %s", path, strerror(why));
    }
    return 0;
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
