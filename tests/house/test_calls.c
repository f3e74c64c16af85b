/* Who calls whom, file by file, as the linker sees it: an object file calls another if it leaves a symbol undefined
 * that the other defines. Circles of files are those on record in circles.txt, or smaller; what trains a model does not
 * reach the simulator; a function that no other file calls is static, or is not there; and no two files define one
 * symbol. */
#include "rig.h"
#include "sources.h"
#include "where.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FILES_MAX = 1024, NAME_MAX_BYTES = 256, SYMBOLS_MAX = 1 << 17 };

static struct file {
    char path[NAME_MAX_BYTES]; /* of the source, from the root of the repository */
    bool calls[FILES_MAX];
    int number, lowest; /* in the search for circles; number 0: not visited */
    bool is_on_stack;
    int circle; /* the number of its circle; 0: it is in none */
} files[FILES_MAX];
static int n_files;

static struct symbol {
    char *name;
    int file;
    bool is_defined, is_function,
        is_merged; /* merged: the linker makes one of several, as of OpenMP's critical sections */
} symbols[SYMBOLS_MAX];
static size_t n_symbols;

/* BUILD/sim/gpu/CMakeFiles/poise_gpu.dir/cache/l1.c.o is sim/gpu/cache/l1.c; "__" stands for a folder up. Takes the
 * text of `object` apart. */
static void source_of(char *object, char *out, size_t size)
{
    char *save, *parts[64];
    size_t n = 0, used = 0;
    const size_t root = strlen(POISE_BINARY_DIR "/");
    if (strncmp(object, POISE_BINARY_DIR "/", root) == 0) object += root;
    for (char *part = strtok_r(object, "/", &save); part && n < 64; part = strtok_r(NULL, "/", &save)) {
        if (strcmp(part, "CMakeFiles") == 0) strtok_r(NULL, "/", &save); /* the target's name */
        else if (strcmp(part, "__") == 0 && n) n--;
        else if (strcmp(part, ".") != 0) parts[n++] = part;
    }
    out[0] = '\0';
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "/" : "", parts[i]);
    if (used > 2 && used < size && strcmp(out + used - 2, ".o") == 0) out[used - 2] = '\0';
}

static int file_of(char *object)
{
    char path[NAME_MAX_BYTES];
    source_of(object, path, sizeof path);
    for (int i = n_files - 1; i >= 0; i--)
        if (strcmp(files[i].path, path) == 0) return i;
    assert_true(n_files < FILES_MAX);
    snprintf(files[n_files].path, sizeof files->path, "%s", path);
    return n_files++;
}

/* Definitions of a name stand before its uses. */
static int by_name(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : y->is_defined - x->is_defined;
}

/* A line of nm -A is OBJECT: then, where the symbol is defined, its address; then its type and its name. */
static void read_symbol(char *line)
{
    char type, name[512];
    char *colon = strchr(line, ':');
    if (!colon) return;
    *colon = '\0';
    if (sscanf(colon + 1, "%*[0-9a-f] %c %511s", &type, name) != 2 && sscanf(colon + 1, " %c %511s", &type, name) != 2)
        return;
    if (!strchr("UTDBRCVW", type)) return; /* small letters: of its file alone */
    assert_true(n_symbols < SYMBOLS_MAX);
    symbols[n_symbols++] =
        (struct symbol){strdup(name), file_of(line), type != 'U', type == 'T', strchr("CVW", type) != NULL};
}

static int read_objects(void **state)
{
    char line[2048];
    (void)state;
    FILE *nm = popen("xargs nm -A <" POISE_OBJECTS, "r");
    if (!nm) return -1;
    while (fgets(line, sizeof line, nm)) read_symbol(line);
    if (pclose(nm) != 0) return -1;
    qsort(symbols, n_symbols, sizeof *symbols, by_name);
    for (size_t i = 0, defined = 0; i < n_symbols; i++) {
        if (symbols[i].is_defined) defined = i;
        else if (symbols[defined].is_defined && strcmp(symbols[i].name, symbols[defined].name) == 0)
            files[symbols[i].file].calls[symbols[defined].file] |= symbols[i].file != symbols[defined].file;
    }
    return 0;
}

static int free_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_symbols; i++) free(symbols[i].name);
    return 0;
}

/* ---- circles: the strongly connected components, by Tarjan's algorithm ---- */
static int stack[FILES_MAX], n_stack, n_visited, n_circles;

static void visit(int f)
{
    files[f].number = files[f].lowest = ++n_visited;
    stack[n_stack++] = f;
    files[f].is_on_stack = true;
    for (int g = 0; g < n_files; g++) {
        if (!files[f].calls[g]) continue;
        if (!files[g].number) visit(g);
        if (files[g].is_on_stack && files[g].lowest < files[f].lowest) files[f].lowest = files[g].lowest;
    }
    if (files[f].lowest != files[f].number) return;
    const bool is_circle = stack[n_stack - 1] != f;
    n_circles += is_circle;
    for (int g = -1; g != f;) {
        g = stack[--n_stack];
        files[g].is_on_stack = false;
        files[g].circle = is_circle ? n_circles : 0;
    }
}

/* The line of circles.txt that each file stands in, from 1; 0: in none. */
static int on_record[FILES_MAX];

static void read_record(void)
{
    char line[4096], *save;
    int number = 0;
    FILE *in = fopen(POISE_SOURCE_DIR "/tests/house/circles.txt", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#') continue;
        number++;
        for (char *path = strtok_r(line, " \n", &save); path; path = strtok_r(NULL, " \n", &save))
            for (int f = 0; f < n_files; f++)
                if (strcmp(files[f].path, path) == 0) on_record[f] = number;
    }
    fclose(in);
}

static void print_circle(int circle)
{
    for (int f = 0; f < n_files; f++)
        for (int g = 0; g < n_files; g++)
            if (files[f].circle == circle && files[g].circle == circle && files[f].calls[g])
                fprintf(stderr, "  %s calls %s\n", files[f].path, files[g].path);
}

static void files_call_in_circles_only_where_it_is_on_record(void **state)
{
    bool is_new = false;
    (void)state;
    read_record();
    for (int f = 0; f < n_files; f++)
        if (!files[f].number) visit(f);
    for (int c = 1; c <= n_circles; c++) {
        int line = -1;
        bool is_known = true;
        for (int f = 0; f < n_files; f++) {
            if (files[f].circle != c) continue;
            if (line < 0) line = on_record[f];
            is_known &= on_record[f] != 0 && on_record[f] == line;
        }
        if (is_known) continue;
        fprintf(stderr, "a circle of calls that tests/house/circles.txt does not have:\n");
        print_circle(c);
        is_new = true;
    }
    for (int f = 0; f < n_files; f++)
        if (on_record[f] && !files[f].circle)
            print_message("%s calls in no circle any more: take it off tests/house/circles.txt\n", files[f].path);
    if (is_new) fail_msg("move what both sides need into a file below them");
}

/* ---- training ---- */
static bool is_simulator(const char *path)
{
    static const char *const rooms[] = {"sim/trace/",  "sim/ptx/",   "sim/cuda/", "sim/gpu/",
                                        "sim/energy/", "sim/quick/", "sim/mech/", "sim/cpu/"};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (strncmp(path, rooms[i], strlen(rooms[i])) == 0) return true;
    return false;
}

/* Fails if `from` reaches the simulator through any calls; returns how many files it reaches. */
static int check_reach(int from)
{
    int queue[FILES_MAX], n = 0, through[FILES_MAX];
    bool is_reached[FILES_MAX] = {false};
    queue[n++] = from;
    is_reached[from] = true;
    for (int i = 0; i < n; i++)
        for (int g = 0; g < n_files; g++) {
            if (!files[queue[i]].calls[g] || is_reached[g]) continue;
            is_reached[g] = true;
            through[g] = queue[i];
            queue[n++] = g;
            if (!is_simulator(files[g].path)) continue;
            for (int f = g; f != from; f = through[f])
                fprintf(stderr, "  %s is called by %s\n", files[f].path, files[through[f]].path);
            fail_msg("%s needs the simulator", files[from].path);
        }
    return n;
}

static void what_trains_a_model_needs_no_simulator(void **state)
{
    static const char *const trainers[] = {"experiments/cli/cmd_train.c", "experiments/cli/cmd_model.c",
                                           "experiments/cli/cmd_cv.c", "experiments/studies/pipeline/pipeline_train.c"};
    size_t found = 0;
    (void)state;
    for (int f = 0; f < n_files; f++) {
        const bool is_below = strncmp(files[f].path, "learn/", 6) == 0 || strncmp(files[f].path, "features/", 9) == 0;
        bool is_trainer = false;
        for (size_t i = 0; i < sizeof trainers / sizeof *trainers; i++)
            is_trainer |= strcmp(files[f].path, trainers[i]) == 0;
        if (is_trainer || is_below) check_reach(f);
        if (is_trainer) found++;
    }
    assert_int_equal(sizeof trainers / sizeof *trainers, found);
}

/* ---- functions that nobody calls ---- */
/* Functions that programs and libraries call which are not among the objects. */
static bool is_called_from_outside(const struct symbol *s)
{
    static const char *const others[] = {
        "main",
        "openblas_num_threads_env", /* by OpenBLAS */
        "__poiseRegisterLinkedBinary",
        "__poiseManagedVariables", /* by what poise cc links */
        "shim_told",
        "poise_cuda_bytes",
        "poise_cuda_refuse",
        "poise_cuda_skip" /* by libcudart.so and libcublas.so */
    };
    const bool is_cuda = strncmp(files[s->file].path, "sim/cuda/", 9) == 0;
    if (is_cuda && (strncmp(s->name, "cu", 2) == 0 || strncmp(s->name, "__cuda", 6) == 0)) return true; /* CUDA's API */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(s->name, others[i]) == 0) return true;
    return false;
}

static void functions_that_no_other_file_calls_are_static(void **state)
{
    size_t n = 0;
    (void)state;
    sources_gather("tests");
    for (size_t i = 0; i < n_symbols; i++) {
        const struct symbol *s = &symbols[i];
        const bool is_last = i + 1 == n_symbols || strcmp(s->name, s[1].name) != 0; /* no uses stand behind it */
        if (!is_last || !s->is_defined || !s->is_function || is_called_from_outside(s) || sources_have(s->name))
            continue;
        fprintf(stderr, "%s: %s is called by no other file: make it static, or delete it\n", files[s->file].path,
                s->name);
        n++;
    }
    sources_free();
    assert_int_equal(0, n);
}

/* ---- names ---- */
/* A linker takes the first library's symbol of a name, so which of two runs would depend on their order. */
static void a_symbol_is_defined_by_one_file(void **state)
{
    size_t n = 0;
    (void)state;
    for (size_t i = 1; i < n_symbols; i++) {
        const struct symbol *s = &symbols[i], *before = s - 1;
        if (!s->is_defined || !before->is_defined || s->is_merged || strcmp(s->name, before->name) != 0) continue;
        fprintf(stderr, "%s: %s defines %s as well: rename one of them\n", files[s->file].path,
                files[before->file].path, s->name);
        n++;
    }
    assert_int_equal(0, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_call_in_circles_only_where_it_is_on_record),
        cmocka_unit_test(what_trains_a_model_needs_no_simulator),
        cmocka_unit_test(functions_that_no_other_file_calls_are_static),
        cmocka_unit_test(a_symbol_is_defined_by_one_file),
    };
    return cmocka_run_group_tests(tests, read_objects, free_symbols);
}
