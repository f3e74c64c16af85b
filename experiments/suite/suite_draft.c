/* Looking through a checkout: which folders are programs, what builds them, what they are called with. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/text.h"
#include "suite/suite_internal.h"

struct candidate {
    char folder[400], program[256], build[64], reference[400], missing[256];
    struct suite_arguments arguments[SUITE_SIZES], environment;
    char name[64], source[128];
};
struct drafting {
    const char *checkout, *suite, *below; /* programs lie below this folder of the checkout */
    struct suite_files files;
    struct candidate *items;
    size_t n, capacity;
    char (*folders)[400];
    size_t n_folders;
};

/* ---- folders ---- */

static const char *const makefiles[] = {"Makefile", "makefile", "GNUmakefile"};

static const char *makefile_of(const struct drafting *d, const char *folder)
{
    for (size_t i = 0; i < COUNT_OF(makefiles); i++)
        if (suite_has(&d->files, folder, makefiles[i])) return makefiles[i];
    return NULL;
}

static bool has_build(const struct drafting *d, const char *folder)
{
    return makefile_of(d, folder) || suite_has(&d->files, folder, "CMakeLists.txt");
}

/* Sources of the folder itself that define main(). */
static size_t count_mains(const struct drafting *d, const char *folder, char names[][128], size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < d->files.n; i++) {
        char in[PATH_MAX];
        const char *name;
        suite_folder_of(in, sizeof in, d->files.paths[i], &name);
        if (strcmp(in, folder) != 0 || !suite_is_source(name)) continue;
        char *text = suite_text(d->checkout, d->files.paths[i]);
        if (text && suite_has_main(text)) {
            if (n < most) snprintf(names[n], sizeof names[n], "%.127s", name);
            n++;
        }
        free(text);
    }
    return n;
}

static bool up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

static int add_folder(struct drafting *d, const char *folder, struct error *err)
{
    for (size_t i = 0; i < d->n_folders; i++)
        if (strcmp(d->folders[i], folder) == 0) return 0;
    void *all = realloc(d->folders, (d->n_folders + 1) * sizeof *d->folders);
    if (!all) return error_set(err, ERR_MEMORY, "out of memory for the folders of %s", d->checkout);
    d->folders = all;
    snprintf(d->folders[d->n_folders++], sizeof *d->folders, "%s", folder);
    return 0;
}

/* A folder with CUDA sources is a program where it has main() or something that builds it; else the next one above
 * that something builds. */
static int add_program_folder(struct drafting *d, const char *folder, struct error *err)
{
    char at[400], unused[1][128];
    const size_t bytes = strlen(folder) + 1;
    if (bytes > sizeof at) return 0;
    memcpy(at, folder, bytes);
    if (count_mains(d, at, unused, 0)) return add_folder(d, at, err);
    for (unsigned level = 0; level < 3; level++) {
        if (has_build(d, at) && (level == 0 || strcmp(at, ".") != 0)) return add_folder(d, at, err);
        if (!up(at)) return 0;
    }
    return 0;
}

/* Kernels that a program compiles while it runs, or those of libraries alone: main() in a source for the host that
 * includes a header of CUDA's. */
static bool is_host_program(const struct drafting *d, const char *path)
{
    static const char *const headers[] = {
        "cuda",      "cuda_runtime", "cuda_runtime_api", "cublas", "cublas_v2",  "cufft",      "cufftXt",
        "curand",    "cusparse",     "cusparse_v2",      "nvrtc",  "cusolverDn", "cusolverSp", "nvjpeg",
        "nvJitLink", "cudaProfiler", "cuda_profiler_api"};
    char *text = suite_is_source(path) ? suite_text(d->checkout, path) : NULL;
    const bool has_main = text && suite_has_main(text);
    bool found = false;
    for (size_t i = 0; has_main && !found && i < COUNT_OF(headers); i++) {
        char include[2][64];
        snprintf(include[0], sizeof include[0], "#include <%s.h>", headers[i]);
        snprintf(include[1], sizeof include[1], "#include \"%s.h\"", headers[i]);
        found = strstr(text, include[0]) || strstr(text, include[1]);
    }
    free(text);
    return found;
}

static int find_folders(struct drafting *d, struct error *err)
{
    char last[PATH_MAX] = "";
    for (size_t i = 0; i < d->files.n; i++) {
        char folder[PATH_MAX];
        const char *name;
        suite_folder_of(folder, sizeof folder, d->files.paths[i], &name);
        if (strcmp(folder, last) == 0 || !suite_is_in(d->files.paths[i], d->below)) continue;
        if (!suite_is_cuda(name) && !is_host_program(d, d->files.paths[i])) continue;
        memcpy(last, folder, sizeof last);
        if (add_program_folder(d, folder, err) < 0) return -1;
    }
    return 0;
}

/* ---- data ---- */

/* "a/b/../c" becomes "a/c"; false where it leads out of the checkout. */
static bool normalise(char *path)
{
    char out[PATH_MAX];
    size_t n = 0;
    for (char *at = path; *at;) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && strncmp(at, "..", 2) == 0) {
            if (!n) return false;
            while (n && out[n - 1] != '/') n--;
            if (n) n--;
        } else if (length && !(length == 1 && *at == '.')) {
            if (n) out[n++] = '/';
            if (n + length >= sizeof out) return false;
            memcpy(out + n, at, length);
            n += length;
        }
        at += length + (at[length] == '/');
    }
    out[n] = '\0';
    memcpy(path, out, n + 1);
    return true;
}

static bool exists(const struct drafting *d, const char *path)
{
    char full[2 * PATH_MAX];
    struct stat st;
    snprintf(full, sizeof full, "%s/%s", d->checkout, path);
    return stat(full, &st) == 0;
}

static bool looks_like_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    if (*text == '-' || *text == '/' || !*text) return false;
    return strchr(text, '/') || (dot && isalpha((unsigned char)dot[1]));
}

/* A file of the name, the one whose path ends as `text` does for longest. */
static const char *search(const struct drafting *d, const char *text)
{
    const char *found = NULL, *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    size_t best = 0;
    for (size_t i = 0; i < d->files.n && *name; i++) {
        const char *path = d->files.paths[i], *base = strrchr(path, '/');
        if (strcmp(base ? base + 1 : path, name) != 0) continue;
        size_t same = 0, n = strlen(path), k = strlen(text);
        while (same < n && same < k && path[n - 1 - same] == text[k - 1 - same]) same++;
        if (same > best) best = same, found = path;
    }
    return found;
}

/* Arguments that name files are written as they lie, from the program's folder; `from`: where the command stood. */
static void locate(const struct drafting *d, struct candidate *c, const struct suite_arguments *in, const char *from,
                   struct suite_arguments *out)
{
    *out = (struct suite_arguments){.is_given = true};
    for (size_t i = 0, at = 0; i < in->n; i++, at += strlen(in->text + at) + 1) {
        char path[PATH_MAX], written[PATH_MAX];
        const char *text = in->text + at, *found = NULL;
        snprintf(written, sizeof written, "%s", text);
        if (looks_like_file(text)) {
            snprintf(path, sizeof path, "%s/%s", from, text);
            if (normalise(path) && exists(d, path)) found = path;
            else if ((found = search(d, text)) == NULL && strchr(text, '/'))
                snprintf(c->missing, sizeof c->missing, "%.255s", text);
            if (found) suite_path_from(written, sizeof written, c->folder, found);
        }
        suite_arguments_add(out, written);
    }
}

/* ---- commands ---- */

struct commands {
    struct suite_command items[SUITE_COMMANDS_MAX];
    size_t n;
    char from[400];
};

static bool is_script(const char *name, unsigned pass)
{
    const size_t n = strlen(name);
    const bool is_shell = n > 3 && strcmp(name + n - 3, ".sh") == 0;
    switch (pass) {
    case 0: return strcmp(name, "run") == 0;
    case 1: return strcmp(name, "run.sh") == 0;
    case 2: return is_shell && strncmp(name, "run", 3) == 0;
    case 3: return is_shell && (strncmp(name, "test", 4) == 0 || strncmp(name, "verify", 6) == 0);
    case 4: return strncasecmp(name, "readme", 6) == 0;
    default: return false;
    }
}

static bool read_scripts(const struct drafting *d, const char *folder, unsigned pass, struct commands *out)
{
    for (size_t i = 0; i < d->files.n && out->n == 0; i++) {
        char in[PATH_MAX];
        const char *name;
        suite_folder_of(in, sizeof in, d->files.paths[i], &name);
        if (strcmp(in, folder) != 0 || !is_script(name, pass)) continue;
        char *text = suite_text(d->checkout, d->files.paths[i]);
        if (text) out->n = suite_commands_read(out->items, text, pass == 4);
        free(text);
    }
    snprintf(out->from, sizeof out->from, "%s", folder);
    return out->n > 0;
}

static bool read_makefile(const struct drafting *d, const char *folder, struct commands *out)
{
    char path[PATH_MAX];
    const char *name = makefile_of(d, folder);
    if (!name) return false;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = suite_text(d->checkout, path);
    if (text) out->n = suite_commands_of_makefile(out->items, text);
    free(text);
    snprintf(out->from, sizeof out->from, "%s", folder);
    return out->n > 0;
}

/* Commands of the folder above that call a program of this one. */
static bool read_above(const struct drafting *d, const char *folder, struct commands *out)
{
    char above[400];
    snprintf(above, sizeof above, "%s", folder);
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    const size_t n = strlen(name);
    if (!up(above)) return false;
    for (unsigned pass = 0; pass < 4; pass++)
        if (read_scripts(d, above, pass, out)) break;
    size_t kept = 0;
    for (size_t i = 0; i < out->n; i++) {
        struct suite_command *c = &out->items[i];
        if (strncmp(c->program, name, n) != 0 || c->program[n] != '/') continue;
        memmove(c->program, c->program + n + 1, strlen(c->program + n + 1) + 1);
        out->items[kept++] = *c;
    }
    return (out->n = kept) > 0;
}

static void find_commands(const struct drafting *d, const char *folder, struct commands *out)
{
    *out = (struct commands){.n = 0};
    for (unsigned pass = 0; pass < 4; pass++)
        if (read_scripts(d, folder, pass, out)) return;
    if (read_makefile(d, folder, out) || read_above(d, folder, out)) return;
    read_scripts(d, folder, 4, out);
}

/* ---- programs ---- */

static struct candidate *add(struct drafting *d, const char *folder, const char *program, const char *build)
{
    if (d->n == d->capacity) {
        const size_t capacity = d->capacity ? 2 * d->capacity : 64;
        struct candidate *items = realloc(d->items, capacity * sizeof *items);
        if (!items) return NULL;
        d->items = items;
        d->capacity = capacity;
    }
    struct candidate *c = &d->items[d->n++];
    memset(c, 0, sizeof *c);
    snprintf(c->folder, sizeof c->folder, "%s", folder);
    snprintf(c->program, sizeof c->program, "%s", program);
    snprintf(c->build, sizeof c->build, "%s", build);
    return c;
}

/* A version for the CPU that stands beside the folder: the names that suites give it. */
static void find_reference(const struct drafting *d, struct candidate *c)
{
    static const char *const names[] = {"cpu", "base", "serial", "host", "reference"};
    char above[400], unused[1][128];
    snprintf(above, sizeof above, "%s", c->folder);
    if (!up(above)) return;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[420];
        snprintf(path, sizeof path, "%.390s/%s", above, names[i]);
        if (strcmp(path, c->folder) == 0 || !exists(d, path) || !count_mains(d, path, unused, 0)) continue;
        snprintf(c->reference, sizeof c->reference, "%.399s", path);
        return;
    }
}

/* What a suite has for a real GPU is the full size; the test repeats less, where the program says what it repeats. */
static void lower_repeats(const struct drafting *d, struct candidate *c)
{
    struct suite_arguments lower, *test = &c->arguments[SUITE_TEST], *full = &c->arguments[SUITE_FULL];
    for (size_t i = 0; i < d->files.n && test->n; i++) {
        const char *path = d->files.paths[i];
        if (!suite_is_source(path) || !suite_is_in(path, c->folder)) continue;
        char *text = suite_text(d->checkout, path);
        const bool is_lower = text && suite_has_main(text) && suite_repeats_lower(&lower, test, text);
        free(text);
        if (!is_lower) continue;
        if (!full->is_given) *full = *test;
        *test = lower;
        return;
    }
}

/* The first command of a program is its test, the last its full size. */
static void set_arguments(const struct drafting *d, struct candidate *c, const struct commands *all,
                          const char *program)
{
    for (size_t i = 0; i < all->n; i++) {
        if (program && strcmp(all->items[i].program, program) != 0) continue;
        const struct suite_arguments *in = &all->items[i].arguments;
        if (!c->environment.n) c->environment = all->items[i].environment;
        if (!c->arguments[SUITE_TEST].is_given) locate(d, c, in, all->from, &c->arguments[SUITE_TEST]);
        else locate(d, c, in, all->from, &c->arguments[SUITE_FULL]);
    }
    lower_repeats(d, c);
}

/* Sources that each have main(), without anything that builds them: a program each. */
static int add_each_source(struct drafting *d, const char *folder, char names[][128], size_t n,
                           const struct commands *all, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        char build[160], stem[128];
        snprintf(build, sizeof build, "sources %.127s", names[i]);
        snprintf(stem, sizeof stem, "%.*s", (int)strcspn(names[i], "."), names[i]);
        struct candidate *c = add(d, folder, stem, build);
        if (!c) return error_set(err, ERR_MEMORY, "out of memory for the programs of %s", d->checkout);
        set_arguments(d, c, all, stem);
    }
    return 0;
}

static int add_programs(struct drafting *d, const char *folder, struct error *err)
{
    enum { MAINS_MAX = 64 };
    char mains[MAINS_MAX][128];
    struct commands *all = malloc(sizeof *all);
    if (!all) return error_set(err, ERR_MEMORY, "out of memory for commands");
    find_commands(d, folder, all);
    const bool is_make = makefile_of(d, folder) != NULL, is_cmake = suite_has(&d->files, folder, "CMakeLists.txt");
    const char *build = is_make ? "make" : is_cmake ? "cmake" : "sources";
    const size_t n_mains = count_mains(d, folder, mains, MAINS_MAX);
    int result = 0;
    if (!is_make && !is_cmake && n_mains > 1) {
        result = add_each_source(d, folder, mains, n_mains < MAINS_MAX ? n_mains : MAINS_MAX, all, err);
        free(all);
        return result;
    }
    for (size_t i = 0; i < all->n || (i == 0 && all->n == 0); i++) {
        bool is_new = true;
        const char *program = all->n ? all->items[i].program : "";
        for (size_t k = 0; k < i; k++) is_new &= strcmp(all->items[k].program, program) != 0;
        if (!is_new) continue;
        struct candidate *c = add(d, folder, is_make ? program : "", build);
        if (!c) {
            result = error_set(err, ERR_MEMORY, "out of memory for the programs of %s", d->checkout);
            break;
        }
        set_arguments(d, c, all, is_make ? program : NULL);
        find_reference(d, c);
        if (!is_make) break;
    }
    free(all);
    return result;
}

/* ---- names ---- */

static bool is_generic(const char *word, size_t n)
{
    static const char *const words[] = {"src", "source", "sources", "cuda", "gpu", "code", "cuda_src", "."};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i]) == n && strncasecmp(word, words[i], n) == 0) return true;
    return false;
}

/* The last `parts` words of the folder that are not every folder's, joined by '.'. */
static void name_of(char out[64], const struct drafting *d, const struct candidate *c, unsigned parts,
                    bool with_program)
{
    const char *words[32];
    size_t lengths[32], n = 0, at = 0;
    for (const char *p = c->folder; *p && n < 32;) {
        const size_t length = strcspn(p, "/");
        if (length && !is_generic(p, length)) words[n] = p, lengths[n++] = length;
        p += length + (p[length] == '/');
    }
    const char *slash = strrchr(c->program, '/'), *program = slash ? slash + 1 : c->program;
    *out = '\0';
    for (size_t i = n > parts ? n - parts : 0; i < n && at < 60; i++)
        at += (size_t)snprintf(out + at, 64 - at, "%s%.*s", at ? "." : "", (int)lengths[i], words[i]);
    if (at < 60 && (with_program || !at) && *program)
        snprintf(out + at, 64 - at, "%s%.*s", at ? "." : "", (int)strcspn(program, "."), program);
    if (!*out) snprintf(out, 64, "program");
    const size_t most = 60 - strlen(d->suite); /* "~12" may follow */
    out[most < 40 ? most : 40] = '\0';
    for (char *p = out; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._+-", *p)) *p = '_';
    if (*out == '.') *out = '_';
}

static size_t count_of(const struct drafting *d, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) n += strcmp(d->items[i].name, name) == 0;
    return n;
}

static bool is_alone(const struct drafting *d, size_t at)
{
    for (size_t i = 0; i < d->n; i++)
        if (i != at && strcmp(d->items[i].folder, d->items[at].folder) == 0) return false;
    return true;
}

/* The shortest name that nobody else has. */
static void name_all(struct drafting *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const bool is_several = !is_alone(d, i);
        if (is_several && *d->items[i].program) {
            struct candidate alone = d->items[i];
            snprintf(alone.folder, sizeof alone.folder, ".");
            name_of(d->items[i].name, d, &alone, 1, true);
        } else {
            name_of(d->items[i].name, d, &d->items[i], 1, false);
        }
    }
    for (unsigned parts = 2; parts < 6; parts++)
        for (size_t i = 0; i < d->n; i++) {
            char own[64];
            memcpy(own, d->items[i].name, sizeof own);
            if (count_of(d, own) < 2) continue;
            for (size_t k = i; k < d->n; k++)
                if (strcmp(d->items[k].name, own) == 0)
                    name_of(d->items[k].name, d, &d->items[k], parts, !is_alone(d, k));
        }
    for (size_t i = 0; i < d->n; i++)
        for (unsigned number = 2; count_of(d, d->items[i].name) > 1; number++)
            snprintf(d->items[i].name + strcspn(d->items[i].name, "~"), 8, "~%u", number);
}

/* ---- the text ---- */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 32) fprintf(out, "\\x%02x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

static void put_arguments(FILE *out, const char *key, const struct suite_arguments *a)
{
    fprintf(out, "    %s: [", key);
    for (size_t i = 0, at = 0; i < a->n; i++, at += strlen(a->text + at) + 1) {
        if (i) fputs(", ", out);
        put_text(out, a->text + at);
    }
    fputs("]\n", out);
}

static void put_key(FILE *out, const char *key, const char *text)
{
    if (!*text) return;
    fprintf(out, "    %s: ", key);
    put_text(out, text);
    fputc('\n', out);
}

static void put_program(FILE *out, const struct candidate *c)
{
    fprintf(out, "  - name: ");
    put_text(out, c->name);
    fputc('\n', out);
    put_key(out, "folder", c->folder);
    put_key(out, "build", c->build);
    put_key(out, "program", c->program);
    if (*c->missing) {
        char shown[300];
        fprintf(out, "    # the checkout has no %s\n", text_shown(c->missing, shown, sizeof shown));
    }
    if (c->arguments[SUITE_TEST].is_given) put_arguments(out, "test", &c->arguments[SUITE_TEST]);
    else fprintf(out, "    test: []\n");
    if (c->arguments[SUITE_FULL].is_given) put_arguments(out, "full", &c->arguments[SUITE_FULL]);
    if (c->environment.n) put_arguments(out, "environment", &c->environment);
    put_key(out, "reference", c->reference);
    fprintf(out, "    check: output\n");
}

static int write_draft(char **text, size_t *size, const struct drafting *d, const char *name, struct error *err)
{
    FILE *out = open_memstream(text, size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a draft");
    fprintf(out,
            "# A draft of 'poise suite add': edit it. 'poise help spec-suite' says what may stand here.\n"
            "# Arguments come from the folders' own scripts, makefiles and READMEs.\n"
            "kind: suite\nschema: 1\nname: %s\nfolder: ",
            name);
    put_text(out, d->checkout);
    if (strcmp(d->below, ".") != 0) {
        char shown[300];
        fprintf(out, " # programs of %s alone; they need files that lie above it",
                text_shown(d->below, shown, sizeof shown));
    }
    fprintf(out, "\nprograms:%s\n", d->n ? "" : " []");
    for (size_t i = 0; i < d->n; i++) put_program(out, &d->items[i]);
    if (fclose(out) == 0) return 0;
    free(*text);
    return error_set(err, ERR_MEMORY, "out of memory for a draft");
}

int suite_draft(char **text, size_t *size, size_t *n_programs, const char *name, const char *folder, struct error *err)
{
    char root[PATH_MAX], below[PATH_MAX];
    struct drafting d = {.checkout = root, .suite = name, .below = below};
    int result = suite_root(root, sizeof root, below, sizeof below, folder, err);
    if (result == 0) result = suite_files_list(&d.files, root, err);
    if (result == 0) result = find_folders(&d, err);
    for (size_t i = 0; i < d.n_folders && result == 0; i++) result = add_programs(&d, d.folders[i], err);
    if (result == 0) {
        name_all(&d);
        *n_programs = d.n;
        result = write_draft(text, size, &d, name, err);
    }
    suite_files_fini(&d.files);
    free(d.items);
    free(d.folders);
    return result;
}
