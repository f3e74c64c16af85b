/* The rules of the house that a program can check: who includes whom, how long files and functions are, and that
 * pages name files and commands that exist, and link to nothing that does not. */
#include "plain.h"
#include "rig.h"
#include "sources.h"
#include "where.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_LINES_MAX = 600, FUNCTION_LINES_MAX = 60, FAILURES_MAX = 40 };

/* Folders from the bottom up: a file includes public headers of its own folder and of those above it in this list. */
static const char *const order[] = {"sim/base", "features", "learn",      "sim/trace", "sim/ptx",
                                    "sim/cuda", "sim/gpu",  "sim/energy", "sim/quick", "experiments"};
enum { N_FOLDERS = sizeof order / sizeof *order };
static char failures[1 << 14];
static size_t n_failures;

static void complain(const char *format, ...)
{
    va_list args;
    const size_t used = strlen(failures);
    va_start(args, format);
    if (n_failures++ < FAILURES_MAX && used + 400 < sizeof failures) vsnprintf(failures + used, 400, format, args);
    va_end(args);
}

static int folder_of(const char *path)
{
    if (strncmp(path, "sim/mech/", 9) == 0 || strncmp(path, "sim/cpu/", 8) == 0) path = "sim/gpu/"; /* one library */
    for (int i = 0; i < N_FOLDERS; i++)
        if (strncmp(path, order[i], strlen(order[i])) == 0 && path[strlen(order[i])] == '/') return i;
    return -1;
}

static int owner_of(const char *header)
{
    for (int i = 0; i < N_FOLDERS; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s/include/%s", POISE_SOURCE_DIR, order[i], header);
        struct stat st;
        if (stat(path, &st) == 0) return i;
    }
    return -1;
}

/* Within a folder, rooms from the bottom up: a file includes headers of its own room and of those above it in its
 * row. sim/mech stands beside the rooms of sim/gpu: both name each other's headers through what is public or below
 * the machine. */
static const struct {
    const char *folder, *rooms[10];
} houses[] = {
    {"sim/gpu", {"config", "net", "plan", "memory", "cache", "core", "machine", "run"}},
    {"sim/ptx", {"parse", "lower", "exec"}},
    {"sim/cuda", {"driver", "runtime", "image", "record"}},
    {"experiments",
     {"workload", "store", "runner", "studies/sweep", "studies/tune", "studies/pipeline", "studies/cv", "studies/repro",
      "studies/validate", "report"}},
};

static int room_of(const char *const *rooms, const char *path)
{
    for (int i = 0; i < 10 && rooms[i]; i++)
        if (strncmp(path, rooms[i], strlen(rooms[i])) == 0 && path[strlen(rooms[i])] == '/') return i;
    return -1;
}

static void check_room(const char *path, int line, const char *header)
{
    for (size_t h = 0; h < sizeof houses / sizeof *houses; h++) {
        const size_t n = strlen(houses[h].folder);
        if (strncmp(path, houses[h].folder, n) != 0 || path[n] != '/') continue;
        const int own = room_of(houses[h].rooms, path + n + 1), other = room_of(houses[h].rooms, header);
        if (own >= 0 && other > own) complain("%s:%d: %s is in a room above this one\n", path, line, header);
        /* CPU cores are units on top of the machine, which knows them by machine/cpus.h alone */
        if (h == 0 && strncmp(header, "cpu/", 4) == 0)
            complain("%s:%d: %s is of sim/cpu, which includes this folder\n", path, line, header);
        if (strncmp(header, "../", 3) == 0)
            complain("%s:%d: %s: name the room instead, as in \"cache/l1.h\"\n", path, line, header);
    }
}

static void check_include(const char *path, int line, const char *text)
{
    char header[256];
    const int folder = folder_of(path);
    if (folder < 0 || sscanf(text, "#include \"%255[^\"]\"", header) != 1) return;
    if (strncmp(header, "poise/", 6) != 0) {
        check_room(path, line, header);
        return;
    }
    const int owner = owner_of(header);
    if (owner < 0) complain("%s:%d: %s is nobody's public header\n", path, line, header);
    else if (owner > folder)
        complain("%s:%d: %s belongs to %s, which %s must not know\n", path, line, header, order[owner], order[folder]);
}

/* Units of the machine are woken by the queues between them: none wakes another. */
static void check_waking(const char *path, int line, const char *text)
{
    static const char *const units[] = {"sim/gpu/memory/", "sim/gpu/cache/", "sim/gpu/core/", "sim/cpu/core.c"};
    static const char *const words[] = {"sleeper_wake", "clocks_poke", "agenda_put(", "ports_want(", "ports_hold("};
    bool is_unit = false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) is_unit |= strncmp(path, units[i], strlen(units[i])) == 0;
    for (size_t i = 0; is_unit && i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i])) complain("%s:%d: %s: a queue wakes who is at its ends\n", path, line, words[i]);
}

/* One function says a note, so that all are said in the same way. */
static void check_saying(const char *path, int line, const char *text)
{
    const bool is_its_own =
        strncmp(path, "sim/base/say.", 13) == 0 || strcmp(path, "sim/base/include/poise/say.h") == 0;
    if (!is_its_own && (strstr(text, "\"poise: note") || strstr(text, "\"poise: warning")))
        complain("%s:%d: say_note and say_warning (poise/say.h) write these\n", path, line);
}

static void check_file(const char *path)
{
    char full[600], text[2048];
    snprintf(full, sizeof full, "%s/%s", POISE_SOURCE_DIR, path);
    FILE *in = fopen(full, "r");
    const bool is_test = strncmp(path, "tests/", 6) == 0;
    int line = 0, opened = 0;
    if (!in) fail_msg("%s cannot be read", full);
    while (fgets(text, sizeof text, in)) {
        line++;
        if (!is_test) check_include(path, line, text);
        if (!is_test) check_waking(path, line, text);
        if (!is_test) check_saying(path, line, text);
        if (text[0] == '{') opened = line; /* the body of a function starts in the first column, and ends there */
        if (text[0] == '}' && text[1] != ';' && opened) {
            if (line - opened > FUNCTION_LINES_MAX)
                complain("%s:%d: a function of %d lines\n", path, opened, line - opened);
            opened = 0;
        }
    }
    fclose(in);
    if (line > FILE_LINES_MAX) complain("%s: %d lines\n", path, line);
}

static int visit(const char *full, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)where;
    const size_t n = strlen(full);
    const char *path = full + strlen(POISE_SOURCE_DIR) + 1;
    if (type == FTW_F && n > 2 && (strcmp(full + n - 2, ".c") == 0 || strcmp(full + n - 2, ".h") == 0))
        check_file(path);
    return 0;
}

static void headers_are_included_upwards_only_and_files_and_functions_are_short(void **state)
{
    (void)state;
    static const char *const roots[] = {"sim", "features", "learn", "experiments", "datasets/kernels", "tests"};
    failures[0] = '\0';
    n_failures = 0;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", POISE_SOURCE_DIR, roots[i]);
        if (nftw(path, visit, 16, FTW_PHYS) != 0) fail_msg("%s cannot be walked", path);
    }
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
}

/* ---- READ_ME_FIRST.md names what is there ---- */

static void check_name(const char *name)
{
    char path[600];
    struct stat st;
    const size_t n = strlen(name);
    if (n > 2 && (strcmp(name + n - 2, ".c") == 0 || strcmp(name + n - 2, ".h") == 0)) {
        snprintf(path, sizeof path, "%s/sim/gpu/%s", POISE_SOURCE_DIR, name);
        if (stat(path, &st) == 0) return;
        snprintf(path, sizeof path, "%s/sim/%s", POISE_SOURCE_DIR, name);
        if (stat(path, &st) != 0) complain("READ_ME_FIRST.md names the file %s\n", name);
        return;
    }
    const size_t word = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const bool is_call = strcmp(name + word, "()") == 0, is_stem = strcmp(name + word, "*") == 0;
    if (word < 3 || (name[word] && !is_call && !is_stem))
        return; /* text: a path, an option, a formula, dotted
                 * parameters */
    snprintf(path, sizeof path, "%.*s%s", (int)word, name, is_stem ? "*" : "");
    if (!sources_have(path)) complain("READ_ME_FIRST.md names %s, which no source has\n", name);
}

static void the_map_of_the_machine_names_files_and_functions_that_exist(void **state)
{
    (void)state;
    char text[4096];
    failures[0] = '\0';
    n_failures = 0;
    sources_gather("sim");
    FILE *in = fopen(POISE_SOURCE_DIR "/sim/gpu/READ_ME_FIRST.md", "r");
    assert_non_null(in);
    while (fgets(text, sizeof text, in))
        for (char *open = strchr(text, '`'), *close; open && (close = strchr(open + 1, '`'));
             open = strchr(close + 1, '`')) {
            *close = '\0';
            check_name(open + 1);
        }
    fclose(in);
    sources_free();
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
}

/* ---- mechanisms ---- */

static void a_mechanism_is_in_the_file_of_its_name(void **state)
{
    (void)state;
    char line[256], name[128];
    int n = 0;
    failures[0] = '\0';
    n_failures = 0;
    FILE *in = fopen(POISE_SOURCE_DIR "/sim/mech/mech_list.def", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char path[600], text[200];
        struct stat st;
        if (sscanf(line, "MECH(%127[a-z0-9_])", name) != 1) continue;
        n++;
        snprintf(path, sizeof path, "%s/sim/mech/%s.c", POISE_SOURCE_DIR, name);
        if (stat(path, &st) != 0) {
            complain("mech_list.def names %s, and there is no sim/mech/%s.c\n", name, name);
            continue;
        }
        sources_gather(path + strlen(POISE_SOURCE_DIR) + 1);
        snprintf(text, sizeof text, ".name = \"%s\"", name);
        if (!sources_have(text)) complain("sim/mech/%s.c has no mechanism of that name\n", name);
        sources_free();
    }
    fclose(in);
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
    assert_true(n >= 30);
}

/* ---- pages: what they name is there ---- */

enum { README_LINES_MAX = 200 };

/* Pages whose code blocks are meant to be typed in the root of the repository. */
static const char *const pages[] = {"README.md",
                                    "experiments/README.md",
                                    "experiments/STUDIES.md",
                                    "experiments/TUTORIAL.md",
                                    "experiments/report/README.md",
                                    "learn/README.md",
                                    "sim/cuda/README.md",
                                    "sim/gpu/README.md",
                                    "tests/README.md",
                                    ".github/CONTRIBUTING.md",
                                    "experiments/CONTRACTS.md",
                                    "experiments/studies/README.md"};

static FILE *open_page(const char *page)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", POISE_SOURCE_DIR, page);
    FILE *in = fopen(path, "r");
    if (!in) fail_msg("%s cannot be read", path);
    return in;
}

static void the_readme_has_at_most_200_lines(void **state)
{
    (void)state;
    char text[4096];
    int lines = 0;
    FILE *in = open_page("README.md");
    while (fgets(text, sizeof text, in)) lines++;
    fclose(in);
    assert_in_range(lines, 1, README_LINES_MAX);
}

/* Shows every line of the pages to `check`, which complains and returns how many things it looked at; fails if
 * anybody complained. */
static int check_pages(int (*check)(const char *page, char *line, bool is_code))
{
    int checked = 0;
    failures[0] = '\0';
    n_failures = 0;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char text[4096];
        bool is_code = false;
        FILE *in = open_page(pages[i]);
        while (fgets(text, sizeof text, in)) {
            if (strncmp(text, "```", 3) == 0) is_code = !is_code;
            else checked += check(pages[i], text, is_code);
        }
        fclose(in);
    }
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
    return checked;
}

/* The words of a line of a code block that begin with a folder of ours are files that are there. */
static int check_words(const char *page, char *line, bool is_code)
{
    int checked = 0;
    char *save;
    if (!is_code) return 0;
    for (char *word = strtok_r(line, " \t\n()", &save); word; word = strtok_r(NULL, " \t\n()", &save)) {
        static const char *const ours[] = {"./experiments/", "./tests/", "experiments/",
                                           "tests/",         "models/",  "datasets/"};
        char path[600];
        struct stat st;
        bool is_ours = false;
        if (word[0] == '#') break; /* a comment */
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) is_ours |= strncmp(word, ours[i], strlen(ours[i])) == 0;
        if (!is_ours) continue;
        snprintf(path, sizeof path, "%s/%s", POISE_SOURCE_DIR, word);
        if (stat(path, &st) != 0) complain("%s names %s\n", page, word);
        checked++;
    }
    return checked;
}

static void pages_name_files_that_exist(void **state)
{
    (void)state;
    assert_true(check_pages(check_words) >= 20);
}

/* The commands of the program, C(run) C(profile) ..., as the macro COMMANDS has them. */
static char *read_commands(void)
{
    static char text[4096]; /* read once */
    if (*text) return text;
    FILE *in = open_page("experiments/cli/options.h");
    while (fgets(text, sizeof text, in) && strncmp(text, "#define COMMANDS(C)", 19) != 0) {}
    size_t n = strlen(text);
    while (n >= 2 && text[n - 2] == '\\' && fgets(text + n, (int)(sizeof text - n), in)) n += strlen(text + n);
    fclose(in);
    if (strncmp(text, "#define COMMANDS(C)", 19) != 0) fail_msg("experiments/cli/options.h has no macro COMMANDS");
    return text;
}

/* If `text` begins with the program's name and a word: is that word a command of it? Returns 1 if there was a word. */
static int check_command(const char *page, const char *commands, const char *text)
{
    static const char *const names[] = {"poise ", "$poise ", "build/release/experiments/poise "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char word[64], entry[80];
        if (strncmp(text, names[i], strlen(names[i])) != 0) continue;
        if (sscanf(text + strlen(names[i]), "%63[a-z-]", word) != 1 || word[0] == '-') return 0; /* COMMAND, --help */
        snprintf(entry, sizeof entry, "C(%s)", word);
        for (char *c = entry; *c; c++)
            if (*c == '-') *c = '_'; /* C(make_input) is poise make-input */
        if (!strstr(commands, entry) && strcmp(word, "help") != 0)
            complain("%s names the command poise %s\n", page, word);
        return 1;
    }
    return 0;
}

static int check_commands_in_text(const char *page, const char *commands, const char *text)
{
    int checked = 0;
    const char *open = strchr(text, '`'), *close;
    for (; open && (close = strchr(open + 1, '`')); open = strchr(close + 1, '`'))
        checked += check_command(page, commands, open + 1);
    return checked;
}

/* In code blocks at the beginning of a line, elsewhere between backquotes. */
static int check_commands(const char *page, char *text, bool is_code)
{
    const char *commands = read_commands();
    return is_code ? check_command(page, commands, text) : check_commands_in_text(page, commands, text);
}

static void pages_name_commands_that_exist(void **state)
{
    (void)state;
    assert_true(check_pages(check_commands) >= 40);
}

/* Verbs stand in the command's usage, "train FILE | eval FILE"; options in its rows, OPTION(tag, name, ...). */
static bool has_mode(const char *text, const char *word, size_t length)
{
    char wanted[64];
    if (strncmp(word, "--", 2) == 0) {
        snprintf(wanted, sizeof wanted, "_options, %.*s, ", (int)length - 2, word + 2);
        return strstr(text, wanted);
    }
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, word);
    for (const char *at = text; (at = strstr(at, wanted)); at += length)
        if ((at[-1] == '"' && at[length] == ' ') || strncmp(at - 2, "| ", 2) == 0) return true;
    return false;
}

static int modes_checked;

static int check_modes(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)where;
    static const char before[] = ".modes = \"";
    static char text[1 << 17];
    if (kind != FTW_F || strncmp(strrchr(path, '/'), "/cmd_", 5) != 0) return 0;
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    for (const char *at = text; (at = strstr(at, before));) {
        at += strlen(before);
        for (size_t length; *at != '"'; at += length + strspn(at + length, ", "), modes_checked++)
            if (!has_mode(text, at, length = strcspn(at, ",\"")))
                complain("%s: an option is for '%.*s', which is no verb and no option\n", path, (int)length, at);
    }
    return 0;
}

static void modes_of_options_are_verbs_and_options_of_their_command(void **state)
{
    (void)state;
    n_failures = 0;
    failures[0] = '\0';
    assert_int_equal(nftw(POISE_SOURCE_DIR "/experiments/cli", check_modes, 16, FTW_PHYS), 0);
    assert_true(modes_checked >= 50);
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
}

static int links_checked;

/* A link's target is relative to its page; one into the page itself or into the network is not looked at. */
static void check_link(const char *page, const char *target)
{
    char path[1200];
    struct stat st;
    const size_t n = strcspn(target, "# )\n");
    if (n == 0 || memmem(target, n, "://", 3) || strncmp(target, "mailto:", 7) == 0) return;
    const char *slash = strrchr(page, '/');
    snprintf(path, sizeof path, "%s/%.*s%.*s", POISE_SOURCE_DIR, slash ? (int)(slash - page) + 1 : 0, page, (int)n,
             target);
    links_checked++;
    if (stat(path, &st) != 0) complain("%s: the link to %.*s is dead\n", page, (int)n, target);
}

static void check_links(const char *page, FILE *in)
{
    char text[8192];
    bool is_block = false;
    while (fgets(text, sizeof text, in)) {
        bool is_code = false;
        if (strncmp(text, "```", 3) == 0) is_block = !is_block;
        for (const char *at = text; !is_block && *at; at++) {
            if (*at == '`') is_code = !is_code;
            if (!is_code && strncmp(at, "](", 2) == 0) check_link(page, at + 2);
        }
    }
}

static void (*look_at_page)(const char *page, FILE *in); /* of a walk, which carries no argument */

static int visit_page(const char *full, const struct stat *st, int type, struct FTW *where)
{
    static const char *const no_sources[] = {"build", "results", ".git"};
    const size_t n = strlen(full);
    (void)st;
    for (size_t i = 0; type == FTW_D && where->level == 1 && i < sizeof no_sources / sizeof *no_sources; i++)
        if (strcmp(full + where->base, no_sources[i]) == 0) return FTW_SKIP_SUBTREE;
    if (type != FTW_F || n < 3 || strcmp(full + n - 3, ".md") != 0) return FTW_CONTINUE;
    FILE *in = fopen(full, "r");
    assert_non_null(in);
    look_at_page(full + strlen(POISE_SOURCE_DIR) + 1, in);
    fclose(in);
    return FTW_CONTINUE;
}

/* Shows every page of the repository to `look`, which complains. */
static void look_at_pages(void (*look)(const char *page, FILE *in))
{
    failures[0] = '\0';
    n_failures = 0;
    look_at_page = look;
    if (nftw(POISE_SOURCE_DIR, visit_page, 16, FTW_PHYS | FTW_ACTIONRETVAL) != 0)
        fail_msg("%s cannot be walked", POISE_SOURCE_DIR);
    if (n_failures) fail_msg("%zu complaints\n%s", n_failures, failures);
}

static void no_relative_link_of_a_page_is_dead(void **state)
{
    (void)state;
    look_at_pages(check_links);
    assert_true(links_checked >= 50);
}

/* ---- plain English ---- */

static void check_plain(const char *page, int line, const char *text)
{
    bool is_code = false;
    for (const struct plain_word *word; (word = plain_next(&text, &is_code));)
        complain("%s:%d: '%s': say %s\n", page, line, word->is, word->say);
}

static void check_plain_page(const char *page, FILE *in)
{
    char text[8192];
    bool is_block = false;
    for (int line = 1; fgets(text, sizeof text, in); line++) {
        if (strncmp(text, "```", 3) == 0) is_block = !is_block;
        else if (!is_block) check_plain(page, line, text);
    }
}

static void pages_have_no_private_words(void **state)
{
    (void)state;
    look_at_pages(check_plain_page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_included_upwards_only_and_files_and_functions_are_short),
        cmocka_unit_test(the_map_of_the_machine_names_files_and_functions_that_exist),
        cmocka_unit_test(a_mechanism_is_in_the_file_of_its_name),
        cmocka_unit_test(the_readme_has_at_most_200_lines),
        cmocka_unit_test(pages_name_files_that_exist),
        cmocka_unit_test(pages_name_commands_that_exist),
        cmocka_unit_test(modes_of_options_are_verbs_and_options_of_their_command),
        cmocka_unit_test(no_relative_link_of_a_page_is_dead),
        cmocka_unit_test(pages_have_no_private_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
