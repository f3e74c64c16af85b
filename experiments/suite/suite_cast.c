/* Programs of suites in the place of ours: for `poise repro --on`. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "suite/suite_internal.h"

static int read_shipped(struct suite_names *out, const struct lab_paths *paths, struct error *err)
{
    char path[600];
    struct yaml_file *file;
    *out = (struct suite_names){0};
    snprintf(path, sizeof path, "%s/../specs/suite-names.yaml", paths->configs);
    if (yaml_load(&file, path, err) < 0) return -1;
    const int result = suite_names_read(out, file, yaml_get(yaml_root(file), "names"), err);
    yaml_file_free(file);
    return result;
}

/* ---- finding ---- */

static bool is_pattern_of(const char *pattern, const struct suite *s, const struct suite_program *p, bool by_folder)
{
    char text[500];
    snprintf(text, sizeof text, "%s/%s", s->name, by_folder ? p->folder : p->name);
    return fnmatch(pattern, text, FNM_CASEFOLD) == 0 || (!by_folder && fnmatch(pattern, p->name, FNM_CASEFOLD) == 0);
}

struct search {
    const struct lab_paths *paths;
    int size;
    const struct suite *suites;
    size_t n_suites;
    const struct registry *registry;
    struct cast_member *member;
};

static bool is_ready(const struct search *s, const char *name)
{
    for (size_t i = 0; i < s->registry->n; i++)
        if (strcmp(s->registry->workloads[i].name, name) == 0)
            return suite_is_ready(&s->registry->workloads[i], s->paths, s->size);
    return false;
}

/* As a row of stored results has it: build arguments such as -DN=1024, then the program's. */
static void tell_arguments(struct cast_member *m, const struct suite_program *p, int size)
{
    const struct suite_arguments *a = suite_arguments_of(p, size);
    const char *of_build = strchr(p->build, ' '), *text = a->text;
    size_t at = (size_t)snprintf(m->arguments, sizeof m->arguments, "%.150s", of_build ? of_build + 1 : "");
    for (size_t i = 0; i < a->n && at < sizeof m->arguments; i++, text += strlen(text) + 1)
        at += (size_t)snprintf(m->arguments + at, sizeof m->arguments - at, "%s%s", at ? " " : "", text);
    if (p->max_launches && at < sizeof m->arguments)
        snprintf(m->arguments + at, sizeof m->arguments - at, "%sfirst %u launches", at ? "; " : "", p->max_launches);
}

/* The first program that a pattern means and that is built; names of programs before folders. */
static void find_by(const struct search *s, const struct suite_name *name)
{
    struct cast_member *m = s->member;
    for (size_t k = 0; name && k < name->n && !*m->program; k++)
        for (size_t way = 0; way < 2 * s->n_suites && !*m->program; way++) {
            const struct suite *suite = &s->suites[way % s->n_suites];
            for (size_t i = 0; i < suite->n && !*m->program; i++) {
                char program[sizeof m->program + 40];
                if (!is_pattern_of(name->patterns[k], suite, &suite->programs[i], way >= s->n_suites)) continue;
                snprintf(program, sizeof program, "%s/%s", suite->name, suite->programs[i].name);
                if (is_ready(s, program)) {
                    snprintf(m->program, sizeof m->program, "%.79s", program);
                    tell_arguments(m, &suite->programs[i], s->size);
                } else if (!*m->why) snprintf(m->why, sizeof m->why, "%.80s is not built, or does not run", program);
            }
        }
    if (*m->program) *m->why = '\0';
    else if (!*m->why && name && name->n)
        snprintf(m->why, sizeof m->why, "no program matches %.90s", name->patterns[0]);
}

static const struct suite_name *name_of(const struct suite_names *names, const char *paper)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i].paper, paper) == 0) return &names->items[i];
    return NULL;
}

static int add_member(struct suite_cast *out, const char *paper, struct error *err)
{
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->members[i].paper, paper) == 0) return 0;
    struct cast_member *more = realloc(out->members, (out->n + 1) * sizeof *more);
    if (!more) return error_set(err, ERR_MEMORY, "out of memory for names of programs");
    out->members = more;
    more[out->n] = (struct cast_member){0};
    snprintf(more[out->n++].paper, sizeof more->paper, "%s", paper);
    return 0;
}

static int list_members(struct suite_cast *out, const struct registry *registry, const char (*asked)[64],
                        size_t n_asked, int size, struct error *err)
{
    for (size_t a = 0; a < n_asked; a++) {
        if (!strpbrk(asked[a], "*?[") && add_member(out, asked[a], err) < 0) return -1;
        for (size_t i = 0; strpbrk(asked[a], "*?[") && i < registry->n; i++)
            if (!registry->workloads[i].of_suite && workload_is_meant(&registry->workloads[i], asked[a], size) &&
                add_member(out, registry->workloads[i].name, err) < 0)
                return -1;
    }
    return 0;
}

static int find_all(struct suite_cast *out, struct search *s, const char (*asked)[64], size_t n_asked,
                    struct error *err)
{
    struct suite_names shipped = {0};
    int result = list_members(out, s->registry, asked, n_asked, s->size, err);
    if (result == 0) result = read_shipped(&shipped, s->paths, err);
    for (size_t i = 0; i < out->n && result == 0; i++) {
        s->member = &out->members[i];
        const struct workload *ours;
        struct error ignored;
        if (registry_find(s->registry, s->member->paper, &ours, &ignored) < 0) {
            snprintf(s->member->why, sizeof s->member->why, "it is no workload of ours");
            continue;
        }
        for (size_t k = 0; k < s->n_suites; k++) { /* bfs in parboil.suite.yaml is Parboil's before it is Rodinia's */
            const struct search own = {s->paths, s->size, &s->suites[k], 1, s->registry, s->member};
            find_by(&own, name_of(&s->suites[k].names, s->member->paper));
        }
        for (size_t k = 0; k < s->n_suites; k++) find_by(s, name_of(&s->suites[k].names, s->member->paper));
        find_by(s, name_of(&shipped, s->member->paper));
        if (!*s->member->program && !*s->member->why)
            snprintf(s->member->why, sizeof s->member->why,
                     "nothing says which program this is: names: in the suite's "
                     "file");
        out->n_found += *s->member->program != '\0';
    }
    free(shipped.items);
    return result;
}

static void add_name(char *list, size_t size, const char *name)
{
    const size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s", n ? "+" : "", name);
}

static void name_suites(struct suite_cast *out, struct suite *suites, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        suite_find_revision(&suites[i]);
        add_name(out->suites, sizeof out->suites, suites[i].name);
        add_name(out->revisions, sizeof out->revisions, suites[i].revision);
        add_name(out->dates, sizeof out->dates, suites[i].date);
    }
}

int suite_cast_find(struct suite_cast *out, const char *const *suites, size_t n_suites, const char (*asked)[64],
                    size_t n_asked, const struct lab_paths *paths, int size, struct error *err)
{
    struct registry registry = {0};
    struct suite *all = calloc(n_suites + 1, sizeof *all);
    int result = all ? 0 : error_set(err, ERR_MEMORY, "out of memory for suites");
    *out = (struct suite_cast){0};
    for (size_t i = 0; i < n_suites && result == 0; i++) result = suite_find(&all[i], suites[i], err);
    if (result == 0) result = registry_load(&registry, paths->kernels, err);
    struct search search = {.paths = paths, .size = size, .suites = all, .n_suites = n_suites, .registry = &registry};
    if (result == 0) result = find_all(out, &search, asked, n_asked, err);
    if (result == 0) name_suites(out, all, n_suites);
    for (size_t i = 0; all && i < n_suites; i++) suite_fini(&all[i]);
    free(all);
    registry_fini(&registry);
    if (result < 0) suite_cast_fini(out);
    return result;
}

void suite_cast_fini(struct suite_cast *cast)
{
    free(cast->members);
    *cast = (struct suite_cast){0};
}

/* ---- in place of ours ---- */

/* It keeps its name and its place in the lists; the program, its inputs and its launches are the suite's. */
static int stand_in(struct workload *ours, const struct workload *theirs, struct error *err)
{
    struct suite_entry *entry = calloc(1, sizeof *entry);
    if (!entry) return error_set(err, ERR_MEMORY, "out of memory for a program");
    *entry = *theirs->of_suite;
    ours->of_suite = entry;
    memcpy(ours->program, theirs->program, sizeof ours->program);
    memcpy(ours->suite, theirs->suite, sizeof ours->suite);
    memcpy(ours->doc, theirs->doc, sizeof ours->doc);
    ours->max_launches = theirs->max_launches;
    ours->inputs[0] = -1;
    ours->n_inputs = 1;
    ours->knobs[0] = '\0';
    return 0;
}

int suite_cast_apply(const struct suite_cast *cast, struct registry *registry, struct error *err)
{
    for (size_t i = 0; cast && i < cast->n; i++) {
        const struct cast_member *m = &cast->members[i];
        struct workload *ours = NULL, *theirs = NULL;
        for (size_t w = 0; *m->program && w < registry->n; w++) {
            if (strcmp(registry->workloads[w].name, m->paper) == 0) ours = &registry->workloads[w];
            if (strcmp(registry->workloads[w].name, m->program) == 0) theirs = &registry->workloads[w];
        }
        if (ours && theirs && stand_in(ours, theirs, err) < 0) return -1;
    }
    return 0;
}
