/* Matrices, points, keys, logs and words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "inputs/inputs_internal.h"

/* ---- dense matrices: hundredths, so that sums are exact ---- */

static int hundredths(struct random *random) { return (int)random_below(random, 201) - 100; }

static void put_hundredths(FILE *out, int64_t value)
{
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    fprintf(out, "%s%" PRIu64 ".%02" PRIu64, value < 0 ? "-" : "", size / 100, size % 100);
}

/* Returns the sum of the row. `dominant`: what stands on the diagonal besides; -1: nothing. */
static int64_t put_row(const struct input_options *o, struct random *random, uint64_t row, int64_t dominant, FILE *out)
{
    int64_t sum = 0;
    for (uint64_t c = 0; c < o->size; c++) {
        const int64_t value = hundredths(random) + (c == row && dominant >= 0 ? dominant : 0);
        if (c) fputc(' ', out);
        put_hundredths(out, value);
        sum += value;
    }
    fputc('\n', out);
    return sum;
}

static void put_rows(const struct input_options *o, int64_t dominant, FILE *out)
{
    struct random random = {o->seed};
    for (uint64_t r = 0; r < o->size; r++) put_row(o, &random, r, dominant, out);
}

int input_matrix_rows(const struct input_options *o, FILE *out, struct error *err)
{
    (void)err;
    put_rows(o, -1, out);
    return 0;
}

int input_matrix_dense(const struct input_options *o, FILE *out, struct error *err)
{
    fprintf(out, "%" PRIu64 " %" PRIu64 "\n", o->size, o->size);
    return input_matrix_rows(o, out, err);
}

/* No row's other values sum to more than a hundred a column. */
int input_matrix_lud(const struct input_options *o, FILE *out, struct error *err)
{
    (void)err;
    fprintf(out, "%" PRIu64 "\n", o->size);
    put_rows(o, 100 * ((int64_t)o->size + 1), out);
    return 0;
}

int input_matrix_gaussian(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    int64_t *sums = calloc(o->size, sizeof *sums);
    if (!sums) return error_set(err, ERR_MEMORY, "out of memory for %" PRIu64 " rows", o->size);
    fprintf(out, "%" PRIu64 "\n\n", o->size);
    for (uint64_t r = 0; r < o->size; r++) sums[r] = put_row(o, &random, r, 100 * ((int64_t)o->size + 1), out);
    fputc('\n', out);
    for (uint64_t r = 0; r < o->size; r++) {
        if (r) fputc(' ', out);
        put_hundredths(out, sums[r]);
    }
    fputc('\n', out);
    free(sums);
    return 0;
}

int input_matrix_array(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    fprintf(out, "%%%%MatrixMarket matrix array real general\n%" PRIu64 " %" PRIu64 "\n", o->size, o->size);
    for (uint64_t i = 0; i < o->size * o->size; i++) {
        put_hundredths(out, hundredths(&random));
        fputc('\n', out);
    }
    return 0;
}

int input_grid(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    for (uint64_t i = 0; i < o->size * o->size; i++)
        fprintf(out, "%" PRIu64 ".%03" PRIu64 "\n", 320 + (uint64_t)random_below(&random, 20),
                (uint64_t)random_below(&random, 1000));
    return 0;
}

/* ---- points: about one of some centres each, by a sum of four uniform numbers ---- */

struct points {
    struct random random;
    const struct input_options *o;
    double *centres;
};

static int points_begin(struct points *p, const struct input_options *o, struct error *err)
{
    *p = (struct points){.random = {o->seed}, .o = o};
    const size_t n = (size_t)(o->clusters * o->features);
    if (!(p->centres = malloc(n * sizeof *p->centres)))
        return error_set(err, ERR_MEMORY, "out of memory for %" PRIu64 " centres", o->clusters);
    for (size_t i = 0; i < n; i++) p->centres[i] = 100 * random_uniform(&p->random);
    return 0;
}

static double next_feature(struct points *p, uint64_t cluster, uint64_t feature)
{
    double spread = 0;
    for (int i = 0; i < 4; i++) spread += random_uniform(&p->random);
    return p->centres[cluster * p->o->features + feature] + 8 * (spread - 2);
}

static int put_points(const struct input_options *o, bool numbered, FILE *out, struct error *err)
{
    struct points p;
    if (points_begin(&p, o, err) < 0) return -1;
    for (uint64_t i = 0; i < o->size; i++) {
        const uint64_t cluster = random_below(&p.random, o->clusters);
        if (numbered) fprintf(out, "%" PRIu64 " ", i);
        for (uint64_t f = 0; f < o->features; f++)
            fprintf(out, "%.4f%c", next_feature(&p, cluster, f), f + 1 < o->features ? ' ' : '\n');
    }
    free(p.centres);
    return 0;
}

int input_points_kmeans(const struct input_options *o, FILE *out, struct error *err)
{
    return put_points(o, true, out, err);
}

int input_points_text(const struct input_options *o, FILE *out, struct error *err)
{
    return put_points(o, false, out, err);
}

int input_points_binary(const struct input_options *o, FILE *out, struct error *err)
{
    struct points p;
    if (points_begin(&p, o, err) < 0) return -1;
    for (uint64_t i = 0; i < o->size; i++) {
        const uint64_t cluster = random_below(&p.random, o->clusters);
        for (uint64_t f = 0; f < o->features; f++) {
            const float value = (float)next_feature(&p, cluster, f);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (int k = 0; k < 32; k += 8) putc((int)(bits >> k & 0xff), out);
        }
    }
    free(p.centres);
    return 0;
}

/* Latitude in columns 29 to 33, longitude in 34 to 38. */
int input_points_nn(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    for (uint64_t i = 0; i < o->size; i++) {
        char name[11];
        for (int k = 0; k < 10; k++) name[k] = (char)('A' + random_below(&random, 26));
        name[10] = '\0';
        const unsigned year = 1950 + (unsigned)random_below(&random, 70),
                       month = 1 + (unsigned)random_below(&random, 12), day = 1 + (unsigned)random_below(&random, 28),
                       hour = (unsigned)random_below(&random, 24), lat = (unsigned)random_below(&random, 900),
                       lng = (unsigned)random_below(&random, 3600), wind = (unsigned)random_below(&random, 200),
                       pressure = 900 + (unsigned)random_below(&random, 120);
        fprintf(out, "%4u %2u %2u %2u %2u %-10s %3u.%u%3u.%u%5u%5u\n", year, month, day, hour, (unsigned)(i % 100),
                name, lat / 10, lat % 10, lng / 10, lng % 10, wind, pressure);
    }
    return 0;
}

/* ---- keys ---- */

/* Below n, the k-th about as often as 1 / k. */
static uint64_t zipf(struct random *random, uint64_t n)
{
    unsigned bits = 0;
    while (n >> bits > 1) bits++;
    uint64_t k;
    do {
        const uint64_t span = 1ull << random_below(random, bits + 1);
        k = span + random_below(random, span);
    } while (k > n);
    return k - 1;
}

int input_keys_lines(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    const uint64_t most = 1ull << 31, step = most / o->size;
    (void)err;
    for (uint64_t i = 0; i < o->size; i++) {
        const uint64_t key = o->shape == INPUT_SORTED ? i * step + random_below(&random, step)
                             : o->shape == INPUT_ZIPF ? zipf(&random, most)
                                                      : random_below(&random, most);
        fprintf(out, "%" PRIu64 "\n", key);
    }
    return 0;
}

int input_keys_counted(const struct input_options *o, FILE *out, struct error *err)
{
    fprintf(out, "%" PRIu64 "\n", o->size);
    return input_keys_lines(o, out, err);
}

/* ---- words and logs ---- */

/* The k-th word: 2 to 9 letters that follow from k; with its number behind, none is another's. */
static void put_word(FILE *out, uint64_t k, uint64_t seed, bool is_unique)
{
    struct random letters = {seed ^ (k + 1) * 0x9e3779b97f4a7c15u};
    const size_t n = 2 + random_below(&letters, 8);
    for (size_t i = 0; i < n; i++) putc('a' + (int)random_below(&letters, 26), out);
    if (is_unique) fprintf(out, "%" PRIu64, k);
}

int input_words(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    for (uint64_t i = 0; i < o->size; i++) {
        put_word(out, zipf(&random, o->vocabulary), o->seed, false);
        putc(i % 12 == 11 || i + 1 == o->size ? '\n' : ' ', out);
    }
    return 0;
}

static void put_url(FILE *out, uint64_t page, uint64_t seed)
{
    fputs("http://www.", out);
    put_word(out, page / 16, seed, true);
    fputs(".com/", out);
    put_word(out, page, seed, true);
    fputs(".html", out);
}

int input_weblog_pageviews(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    for (uint64_t i = 0; i < o->size; i++) {
        put_url(out, zipf(&random, o->vocabulary), o->seed);
        const uint64_t visitor = random_next(&random), cookie = random_next(&random) & UINT32_MAX;
        fprintf(out, "\t%u.%u.%u.%u\t%08" PRIx64 "\n", (unsigned)(1 + visitor % 223), (unsigned)(visitor >> 8 & 255),
                (unsigned)(visitor >> 16 & 255), (unsigned)(visitor >> 24 & 255), cookie);
    }
    return 0;
}

int input_weblog_html(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    (void)err;
    for (uint64_t at = 0, page = 0; at < o->size; page++) {
        const uint64_t most = o->size - at, drawn = 1 + random_below(&random, 16), n = drawn < most ? drawn : most;
        fprintf(out, "<html><head><title>page %" PRIu64 "</title></head><body>\n", page);
        for (uint64_t i = 0; i < n; i++) {
            for (size_t words = 1 + random_below(&random, 8); words; words--) {
                put_word(out, zipf(&random, o->vocabulary), o->seed, false);
                putc(' ', out);
            }
            fputs("<a href=\"", out);
            put_url(out, zipf(&random, o->vocabulary), o->seed);
            fputs("\">", out);
            put_word(out, random_below(&random, o->vocabulary), o->seed, false);
            fputs("</a>\n", out);
        }
        fputs("</body></html>\n", out);
        at += n;
    }
    return 0;
}
