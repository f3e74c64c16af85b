/* NAME.suite.yaml -> struct suite. */
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/spec_format.h"
#include "poise/text.h"
#include "suite/suite_internal.h"
#include "workload/spec_read.h"

static int read_arguments(struct suite_arguments *out, const struct yaml_file *file, const struct yaml_node *map,
                          const char *key, struct error *err)
{
    const char *texts[128];
    size_t n = 0;
    const struct yaml_node *node = yaml_get(map, key);
    if (!node) return 0;
    out->is_given = true;
    if (spec_texts(file, node, texts, COUNT_OF(texts), &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++)
        if (suite_arguments_add(out, texts[i]) < 0)
            return yaml_error(file, node, err, "%s: at most %zu bytes of arguments", key, sizeof out->text);
    return 0;
}

/* A path that stays below the checkout. */
static int read_folder(const struct yaml_file *file, const struct yaml_node *map, const char *key, bool needed,
                       char *out, size_t size, struct error *err)
{
    const struct yaml_node *node = yaml_get(map, key);
    if (spec_text(file, map, key, needed, out, size, err) < 0) return -1;
    if (!node) return 0;
    const size_t n = strlen(out);
    if (!n || *out == '/' || strstr(out, "../") || (n >= 2 && strcmp(out + n - 2, "..") == 0))
        return yaml_error(file, node, err, "%s: '%s' is not a path below the checkout", key, out);
    return 0;
}

static int read_build(struct suite_program *p, const struct yaml_file *file, const struct yaml_node *map,
                      struct error *err)
{
    static const char *const ways[] = {"make", "cmake", "sources"};
    snprintf(p->build, sizeof p->build, "sources");
    if (spec_text(file, map, "build", false, p->build, sizeof p->build, err) < 0) return -1;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const size_t n = strlen(ways[i]);
        if (strncmp(p->build, ways[i], n) == 0 && (p->build[n] == '\0' || p->build[n] == ' ')) return 0;
    }
    return yaml_error(file, yaml_get(map, "build"), err,
                      "build: '%s': make, cmake or sources is needed, and then arguments for it", p->build);
}

static int read_pattern(const struct yaml_file *file, const struct yaml_node *map, const char *key, char *out,
                        size_t size, struct error *err)
{
    regex_t regex;
    if (spec_text(file, map, key, false, out, size, err) < 0) return -1;
    if (!*out) return 0;
    if (regcomp(&regex, out, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
        return yaml_error(file, yaml_get(map, key), err, "check: '%s' is no extended regular expression", out);
    regfree(&regex);
    return 0;
}

/* check: output | none | {right: REGEX, wrong: REGEX} */
static int read_check(struct suite_program *p, const struct yaml_file *file, const struct yaml_node *node,
                      struct error *err)
{
    if (!node) return 0;
    if (node->kind == YAML_MAP)
        return spec_check(file, node, &spec_format_suite, "check.", err) < 0 ||
                       read_pattern(file, node, "right", p->right, sizeof p->right, err) < 0
                   ? -1
                   : read_pattern(file, node, "wrong", p->wrong, sizeof p->wrong, err);
    p->is_unchecked = node->kind == YAML_SCALAR && strcmp(node->text, "none") == 0;
    if (p->is_unchecked || (node->kind == YAML_SCALAR && strcmp(node->text, "output") == 0)) return 0;
    return yaml_error(file, node, err, "check: output, none or {right: REGEX, wrong: REGEX} is needed");
}

static int read_launches(struct suite_program *p, const struct yaml_file *file, const struct yaml_node *node,
                         struct error *err)
{
    if (!node) return 0;
    if (node->kind != YAML_LIST || node->n == 0 || node->n > SUITE_LAUNCHES_MAX)
        return yaml_error(file, node, err, "launches: a list of 1 to %d launch numbers", SUITE_LAUNCHES_MAX);
    for (size_t i = 0; i < node->n; i++) {
        int64_t number;
        if (spec_whole(file, node->items[i], 0, INT32_MAX, &number, err) < 0) return -1;
        p->launches[p->n_launches++] = (uint32_t)number;
    }
    return 0;
}

static int read_environment(struct suite_program *p, const struct yaml_file *file, const struct yaml_node *map,
                            struct error *err)
{
    if (read_arguments(&p->environment, file, map, "environment", err) < 0) return -1;
    for (size_t i = 0, at = 0; i < p->environment.n; i++, at += strlen(p->environment.text + at) + 1) {
        const char *text = p->environment.text + at, *equals = strchr(text, '=');
        if (!equals || equals == text || *text == '-')
            return yaml_error(file, yaml_get(map, "environment"), err, "environment: '%s': NAME=VALUE is needed", text);
    }
    return 0;
}

static int read_program(const struct suite *s, struct suite_program *p, const struct yaml_file *file,
                        const struct yaml_node *map, struct error *err)
{
    uint64_t max_launches = 0;
    if (spec_check(file, map, &spec_format_suite, "programs.", err) < 0 ||
        spec_name(file, map, "name", p->name, sizeof p->name, err) < 0)
        return -1;
    if (strlen(s->name) + 1 + strlen(p->name) >= sizeof((struct workload *)NULL)->name)
        return yaml_error(file, yaml_get(map, "name"), err, "%s/%s: at most %zu bytes", s->name, p->name,
                          sizeof((struct workload *)NULL)->name - 1);
    if (read_folder(file, map, "folder", true, p->folder, sizeof p->folder, err) < 0 ||
        read_build(p, file, map, err) < 0 ||
        read_folder(file, map, "program", false, p->program, sizeof p->program, err) < 0 ||
        read_folder(file, map, "reference", false, p->reference, sizeof p->reference, err) < 0 ||
        read_arguments(&p->arguments[SUITE_TEST], file, map, "test", err) < 0 ||
        read_arguments(&p->arguments[SUITE_FULL], file, map, "full", err) < 0 ||
        read_environment(p, file, map, err) < 0 || read_check(p, file, yaml_get(map, "check"), err) < 0 ||
        read_launches(p, file, yaml_get(map, "launches"), err) < 0 ||
        spec_u64(file, map, "max_launches", false, 1, UINT32_MAX, &max_launches, err) < 0 ||
        spec_u64(file, map, "seconds", false, 1, 1000000, &p->seconds, err) < 0)
        return -1;
    p->max_launches = (uint32_t)max_launches;
    return 0;
}

static int read_date(struct suite *out, const struct yaml_file *file, const struct yaml_node *root, struct error *err)
{
    int year, month, day, end = 0;
    if (spec_text(file, root, "date", false, out->date, sizeof out->date, err) < 0) return -1;
    if (!*out->date) return 0;
    if (sscanf(out->date, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 && end == 10 && !out->date[10]) return 0;
    return yaml_error(file, yaml_get(root, "date"), err, "date: '%s': YYYY-MM-DD is needed", out->date);
}

static int read_suite(struct suite *out, const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *root = yaml_root(file);
    if (spec_begin(file, &spec_format_suite, err) < 0 ||
        spec_name(file, root, "name", out->name, sizeof out->name, err) < 0 ||
        spec_text(file, root, "folder", true, out->folder, sizeof out->folder, err) < 0 ||
        spec_u64(file, root, "seconds", false, 1, 1000000, &out->seconds, err) < 0 ||
        spec_text(file, root, "revision", false, out->revision, sizeof out->revision, err) < 0 ||
        read_date(out, file, root, err) < 0 || suite_names_read(&out->names, file, yaml_get(root, "names"), err) < 0)
        return -1;
    const struct yaml_node *list = yaml_get(root, "programs");
    if (!list || list->kind != YAML_LIST) return yaml_error(file, list ? list : root, err, "'programs' must be a list");
    out->programs = calloc(list->n + 1, sizeof *out->programs);
    if (!out->programs) return error_set(err, ERR_MEMORY, "out of memory for %zu programs", list->n);
    for (size_t i = 0; i < list->n; i++, out->n++) {
        struct suite_program *p = &out->programs[i];
        if (read_program(out, p, file, list->items[i], err) < 0) return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->programs[k].name, p->name) == 0)
                return yaml_error(file, list->items[i], err, "program '%s' is given twice", p->name);
    }
    return 0;
}

int suite_parse(struct suite *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct yaml_file *file;
    *out = (struct suite){0};
    if (yaml_parse(&file, name, text, size, err) < 0) return -1;
    snprintf(out->file, sizeof out->file, "%s", name);
    const int result = read_suite(out, file, err);
    yaml_file_free(file);
    if (result < 0) suite_fini(out);
    return result;
}

/* A relative checkout is one beside the file. */
static void find_folder(struct suite *s)
{
    char path[2 * PATH_MAX], resolved[PATH_MAX];
    const char *slash = strrchr(s->file, '/');
    if (*s->folder == '/') return;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - s->file + 1) : 0, s->file, s->folder);
    if (realpath(path, resolved)) snprintf(s->folder, sizeof s->folder, "%.1023s", resolved);
}

static int load(struct suite *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = (struct suite){0};
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = suite_parse(out, path, text, size, err);
    free(text);
    if (result == 0) find_folder(out);
    return result;
}

/* A line that git prints of the checkout; "": none. */
static void ask_git(const char *folder, const char *what, char *out, size_t size)
{
    char command[1200];
    *out = '\0';
    if (strchr(folder, '\'')) return; /* no word of a shell */
    snprintf(command, sizeof command, "git -C '%s' %s 2>/dev/null", folder, what);
    FILE *pipe = popen(command, "r");
    if (!pipe) return;
    if (!fgets(out, (int)size, pipe)) *out = '\0';
    if (pclose(pipe) != 0) *out = '\0';
    out[strcspn(out, "\n")] = '\0';
}

void suite_find_revision(struct suite *suite)
{
    if (!*suite->revision) {
        ask_git(suite->folder, "describe --always --exclude='*' --abbrev=7 --dirty", suite->revision,
                sizeof suite->revision);
        if (*suite->revision && !*suite->date)
            ask_git(suite->folder, "log -1 --format=%cs", suite->date, sizeof suite->date);
    }
    if (!*suite->revision) snprintf(suite->revision, sizeof suite->revision, "unknown");
    if (!*suite->date) snprintf(suite->date, sizeof suite->date, "unknown");
}

void suite_fini(struct suite *suite)
{
    free(suite->programs);
    free(suite->names.items);
    *suite = (struct suite){0};
}

/* ---- where suites are ---- */

static bool is_file(const char *path) { return access(path, R_OK) == 0; }

/* Calls `take` with the file of each suite that is here, those of the current folder first: 1 ends it. */
static int each_file(int (*take)(void *to, const char *path), void *to)
{
    static const char ending[] = ".suite.yaml";
    glob_t found;
    int result = 0;
    if (glob("*.suite.yaml", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && result == 0; i++) result = take(to, found.gl_pathv[i]);
        globfree(&found);
    }
    const char *list = getenv("POISE_SUITES");
    for (const char *at = list; at && *at && result == 0; at += *at == ':') {
        char entry[PATH_MAX], pattern[PATH_MAX + 20];
        const size_t n = strcspn(at, ":");
        snprintf(entry, sizeof entry, "%.*s", (int)n, at);
        at += n;
        const size_t length = strlen(entry);
        const bool is_suite = length > sizeof ending && strcmp(entry + length - (sizeof ending - 1), ending) == 0;
        snprintf(pattern, sizeof pattern, is_suite ? "%s" : "%s/*.suite.yaml", entry);
        if (!*entry || glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc && result == 0; i++) result = take(to, found.gl_pathv[i]);
        globfree(&found);
    }
    return result;
}

struct wanted {
    const char *name;
    char path[PATH_MAX];
};
static int take_wanted(void *to, const char *path)
{
    struct wanted *w = to;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t n = strlen(w->name);
    if (strncmp(name, w->name, n) != 0 || strcmp(name + n, ".suite.yaml") != 0) return 0;
    snprintf(w->path, sizeof w->path, "%s", path);
    return 1;
}

int suite_find(struct suite *out, const char *name, struct error *err)
{
    struct wanted wanted = {.name = name};
    *out = (struct suite){0};
    if (!is_file(name) || !strstr(name, ".suite.yaml")) {
        if (each_file(take_wanted, &wanted) != 1) {
            error_set(err, ERR_INPUT, "no suite '%s': there is no %s.suite.yaml here or where POISE_SUITES says", name,
                      name);
            return suite_hint(err, "poise suite add %s DIR writes it", name);
        }
        name = wanted.path;
    }
    return load(out, name, err);
}

struct registering {
    struct registry *registry;
    struct error *err;
};

static int add_workloads(struct registry *r, const struct suite *s, struct error *err)
{
    struct workload *all = realloc(r->workloads, (r->n + s->n + 1) * sizeof *all);
    if (!all) return error_set(err, ERR_MEMORY, "out of memory for %zu programs", s->n);
    r->workloads = all;
    for (size_t i = 0; i < s->n; i++) {
        struct workload *w = &all[r->n];
        const struct suite_program *p = &s->programs[i];
        struct suite_entry *entry = calloc(1, sizeof *entry);
        if (!entry) return error_set(err, ERR_MEMORY, "out of memory for a program");
        *entry = (struct suite_entry){.program = *p, .seconds = s->seconds, .launches = suite_launches};
        memcpy(entry->suite, s->name, sizeof entry->suite);
        memcpy(entry->checkout, s->folder, sizeof entry->checkout);
        *w = (struct workload){
            .set = WORKLOAD_FURTHER, .inputs = {-1}, .n_inputs = 1, .of_suite = entry, .max_launches = p->max_launches};
        if ((size_t)snprintf(w->name, sizeof w->name, "%s/%s", s->name, p->name) >= sizeof w->name) continue;
        snprintf(w->suite, sizeof w->suite, "%s", s->name);
        snprintf(w->program, sizeof w->program, "%.127s", *p->program ? p->program : p->name);
        snprintf(w->doc, sizeof w->doc, "%.80s of %.150s", p->folder, s->file);
        memcpy(w->benchmark, w->name, sizeof w->benchmark);
        r->n++;
    }
    return 0;
}

static bool has_suite(const struct registry *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->workloads[i].of_suite && strcmp(r->workloads[i].suite, name) == 0) return true;
    return false;
}

static int take_registered(void *to, const char *path)
{
    struct registering *r = to;
    struct suite suite;
    struct error ignored;
    if (load(&suite, path, &ignored) < 0) return 0;
    const int result = has_suite(r->registry, suite.name) ? 0 : add_workloads(r->registry, &suite, r->err);
    suite_fini(&suite);
    return result < 0 ? -1 : 0;
}

int suites_register(struct registry *registry, struct error *err)
{
    struct registering r = {registry, err};
    return each_file(take_registered, &r) < 0 ? -1 : 0;
}

int suite_explain(const char *name, struct error *err)
{
    char suite_name[64];
    struct suite suite;
    snprintf(suite_name, sizeof suite_name, "%.*s", (int)strcspn(name, "/"), name);
    if (suite_find(&suite, suite_name, err) < 0) return -1;
    const char *names[256], *wanted = strchr(name, '/') + 1;
    size_t n = 0;
    while (n < suite.n && n < COUNT_OF(names)) names[n] = suite.programs[n].name, n++;
    error_set(err, ERR_INPUT, "no program '%s' in suite %s%s", wanted, suite.name,
              did_you_mean(wanted, names, n, sizeof *names).text);
    suite_fini(&suite);
    return suite_hint(err, "poise suite status %s lists its programs", suite_name);
}
