/* poise report on results of the program itself, in every format. */
#include "document.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include "poise/gpu.h"

/* A build without Vega has every form but the page. */
static void page_or_skip(void)
{
    if (HAS_VEGA) return;
    print_message("skipped: no Vega in this build (apt-get install libjs-vega)\n");
    skip();
}

static void
a_quickstart_has_policies_maps_cycles_features_fit_and_provenance_with_the_summarys_own_figures(void **state)
{
    (void)state;
    char path[160];
    json_t *json = document(folder("quickstart"));
    snprintf(path, sizeof path, "%s/summary.json", folder("quickstart"));
    json_t *summary = json_load_file(path, 0, NULL);
    static const char *const ids[] = {"policies", "maps", "cycles", "features", "fit", "provenance", "terms"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) section(json, ids[i]);
    const json_t *speedup = part(section(json, "policies"), "figures", "speedup"),
                 *series = json_array_get(json_object_get(speedup, "series"), 3);
    const json_t *policies = json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 0), "policies");
    assert_string_equal("Poise", json_string_value(json_object_get(series, "name")));
    assert_float_equal(json_real_value(json_object_get(json_object_get(policies, "poise"), "speedup")),
                       json_number_value(json_array_get(json_object_get(series, "values"), 0)), 1e-5);
    /* three kernels, the mean and the paper's */
    assert_int_equal(5, json_array_size(json_object_get(speedup, "categories")));
    assert_float_equal(json_real_value(json_object_get(json_object_get(summary, "hmean"), "poise")),
                       json_number_value(json_array_get(json_object_get(series, "values"), 3)), 1e-5);
    json_decref(summary);
    json_decref(json);
}

static void a_map_has_every_simulated_point_counters_from_the_store_and_the_summarys_marks(void **state)
{
    (void)state;
    json_t *json = document(folder("quickstart"));
    const json_t *map = part(section(json, "maps"), "figures", "map-mvt-0"), *hover = json_object_get(map, "hover"),
                 *mark;
    assert_int_equal(10, json_array_size(json_object_get(map, "v"))); /* W = 4: the whole triangle */
    assert_int_equal(4, json_integer_value(json_object_get(map, "W")));
    assert_string_equal("L1 hit rate", json_string_value(json_object_get(json_array_get(hover, 0), "name")));
    assert_int_equal(6, json_array_size(hover));
    size_t i, found = 0;
    json_array_foreach(json_object_get(map, "marks"), i, mark) {
        if (strcmp(json_string_value(json_object_get(mark, "kind")), "static_best") != 0) continue;
        assert_float_equal(2, json_number_value(json_object_get(mark, "x")), 0);
        found++;
    }
    assert_int_equal(1, found);
    json_decref(json);
}

static void the_fit_comes_out_with_the_model_files_weights(void **state)
{
    (void)state;
    json_t *json = document(folder("quickstart"));
    const json_t *fit = section(json, "fit"), *note;
    size_t i;
    part(fit, "figures", "rootogram-n");
    json_array_foreach(json_object_get(fit, "notes"), i, note)
        if (strstr(json_string_value(note), "differ") || strstr(json_string_value(note), "not fitted"))
            fail_msg("%s", json_string_value(note));
    json_decref(json);
}

static void cv_tune_sweep_and_repro_each_have_their_section(void **state)
{
    (void)state;
    char line[400];
    must("repro thesis-tab-3.2 --list --json");
    snprintf(line, sizeof line, "%s %s %s", folder("cv"), folder("tune"), folder("sweep"));
    json_t *json = document(line);
    static const char *const figures[][2] = {{"cv-cv", "cv-regret"},
                                             {"cv-cv", "cv-folds"},
                                             {"cv-cv", "cv-ablation"},
                                             {"cv-cv", "cv-learning"},
                                             {"cv-cv", "cv-calibration"},
                                             {"cv-cv", "cv-selection"},
                                             {"tune-tune", "tune-best"},
                                             {"tune-tune", "tune-response-n"},
                                             {"tune-tune", "tune-sensitivity"},
                                             {"tune-tune", "tune-held-out"},
                                             {"sweep-maps", "map-mvt-0-l1-ways-8"}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        part(section(json, figures[i][0]), "figures", figures[i][1]);
    assert_int_equal(
        28, json_array_size(json_object_get(part(section(json, "sweep-sweep"), "tables", "sweep-table"), "rows")));
    json_decref(json);
}

static json_t *repro_row(const char *label, const char *benchmark, double paper, double ours, const char *unit)
{
    json_t *row = json_pack("{s:s,s:o,s:f,s:s}", "label", label, "paper", isnan(paper) ? json_null() : json_real(paper),
                            "ours", ours, "unit", unit);
    if (benchmark) json_object_set_new(row, "benchmark", json_string(benchmark));
    return row;
}

static void values_of_benchmarks_have_a_table_and_bars_of_their_own(void **state)
{
    (void)state;
    json_t *rows = json_array();
    json_array_append_new(rows, repro_row("SWL", NULL, 1.2, 1.5, "x"));
    json_array_append_new(rows, repro_row("mm SWL", "mm", NAN, 1.25, "x"));
    json_array_append_new(rows, repro_row("mvt SWL", "mvt", NAN, 1.75, "x"));
    json_array_append_new(rows, repro_row("mm P_best", "mm", 6.2, 6.25, "x"));
    json_array_append_new(rows, repro_row("mvt hits", "mvt", NAN, 40, "%"));
    json_t *map = json_pack("{s:s,s:s,s:s,s:s,s:s,s:[[ff][ff]]}", "benchmark", "mm", "of", "misses", "x", "misser", "y",
                            "holder", "unit", "%", "values", 0.0, 2.0, 7.5, 0.0);
    result_json("studies", "thesis-5.9.json",
                json_pack("{s:s,s:s,s:s,s:o,s:[o],s:[],s:[],s:b,s:s,s:s,s:s,s:i}", "id", "thesis-5.9", "title",
                          "rivals", "source", "Fig.", "rows", rows, "maps", map, "checks", "deviations", "direction_ok",
                          1, "mode", "quick", "config", "kepler32", "mean", "harmonic", "points", 4));
    json_t *json = document(folder("studies"));
    const json_t *repro = section(json, "repro"),
                 *table = json_object_get(part(repro, "tables", "repro-thesis-5-9-table"), "rows");
    assert_int_equal(2, json_array_size(table)); /* mm: SWL, P_best, the paper's, hits */
    const json_t *mm = json_array_get(table, 0), *mvt = json_array_get(table, 1);
    assert_string_equal("mm", json_string_value(json_array_get(mm, 0)));
    assert_true(json_number_value(json_array_get(mm, 1)) == 1.25 && json_number_value(json_array_get(mm, 2)) == 6.25 &&
                json_number_value(json_array_get(mm, 3)) == 6.2);
    assert_true(json_number_value(json_array_get(mvt, 1)) == 1.75 && json_number_value(json_array_get(mvt, 4)) == 40);
    const json_t *bars = part(repro, "figures", "repro-thesis-5-9-each-x");
    assert_int_equal(2, json_array_size(json_object_get(bars, "categories")));
    assert_int_equal(2, json_array_size(json_object_get(bars, "series")));
    part(repro, "figures", "repro-thesis-5-9-each-percent");
    const json_t *heat = part(repro, "figures", "repro-thesis-5-9-map-mm"), *top;
    top = json_array_get(json_object_get(heat, "values"), 0); /* the last row */
    assert_true(json_number_value(json_array_get(top, 0)) == 7.5);
    assert_string_equal("1", json_string_value(json_array_get(json_object_get(heat, "rows"), 0)));
    assert_true(json_number_value(json_object_get(heat, "limit")) == 7.5);
    /* what stands alone */
    assert_int_equal(1, json_array_size(json_object_get(part(repro, "tables", "repro-rows"), "rows")));
    json_decref(json);
}

static void every_assumed_parameter_of_the_machine_is_in_provenance(void **state)
{
    (void)state;
    json_t *json = document(folder("quickstart"));
    const json_t *rows = json_object_get(part(section(json, "provenance"), "tables", "assumed"), "rows"), *row, *params,
                 *param;
    const struct said *s = poise(root, "params --assumed --json");
    json_t *known = json_loads(s->out, 0, NULL);
    size_t i, k, machine = 0;
    params = json_object_get(known, "params");
    json_array_foreach(params, i, param) {
        char name[120];
        bool found = false;
        snprintf(name, sizeof name, "%s.%s", json_string_value(json_object_get(param, "group")),
                 json_string_value(json_object_get(param, "name")));
        json_array_foreach(rows, k, row) found |= strcmp(json_string_value(json_array_get(row, 0)), name) == 0;
        /* that this L1 or L2 has not */
        const bool is_of_an_organisation =
            strncmp(name + 2, ".tsc_", 5) == 0 || strncmp(name + 2, ".elastic_", 9) == 0 ||
            strncmp(name + 2, ".lamar_", 7) == 0 || strcmp(name, "l2.placed_writes") == 0;
        if (!found && !is_of_an_organisation &&
            (strncmp(name, "l1.", 3) == 0 || strncmp(name, "l2.", 3) == 0 || strncmp(name, "lsu.", 4) == 0))
            fail_msg("%s is assumed and not listed", name);
        machine += found;
    }
    assert_true(machine > 10);
    json_decref(known);
    json_decref(json);
}

static void the_page_is_the_same_bytes_twice_and_names_no_address_outside_itself(void **state)
{
    (void)state;
    page_or_skip();
    char *a = report(folder("quickstart"), "a.html"), *b = report(folder("quickstart"), "b.html");
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "default-src 'none'"));
    *strstr(a, "<script>") = '\0'; /* what is left is the head and the body; scripts can fetch nothing, as the policy
                                    * says */
    if (strstr(a, " src=") || strstr(a, "<link") || strstr(a, "@import") || strstr(a, "url(") || strstr(a, "//"))
        fail_msg("the page refers to something outside itself");
    free(a);
    free(b);
}

static void hostile_names_reach_no_format_as_markup_or_as_control_characters(void **state)
{
    (void)state;
    page_or_skip();
    char line[300];
    make_hostile("hostile");
    char *page = report(folder("hostile"), "hostile.html");
    const char *data = strstr(page, "id=\"data\">");
    assert_non_null(data);
    data += strlen("id=\"data\">");
    const size_t size = (size_t)(strstr(data, "</script>") - data);
    for (size_t i = 0; i < size; i++)
        if (data[i] == '<' || data[i] == '>' || data[i] == '&' || (unsigned char)data[i] >= 128)
            fail_msg("byte %zu of the data is %02x", i, (unsigned char)data[i]);
    if (strstr(page, "<img") || strstr(page, "onerror=window")) {
        const char *at = strstr(page, "<img");
        if (at) fail_msg("markup: %.60s", at);
    }
    char *copy = strndup(data, size);
    json_t *json = json_loads(copy, 0, NULL);
    assert_non_null(json); /* escapes and all, it is the document */
    json_decref(json);
    snprintf(line, sizeof line, "report %s --figures %s/hostile-figures", folder("hostile"), root);
    must(line);
    snprintf(line, sizeof line, "! grep -l '<img\\|<svg onload' %s/hostile-figures/*.svg", root);
    assert_int_equal(0, system(line));
    free(copy);
    free(page);
}

static void text_stays_in_its_width_and_without_colours_when_it_is_no_terminal(void **state)
{
    (void)state;
    static const unsigned widths[] = {60, 100, 160};
    for (size_t i = 0; i < 3; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s %s %s %s --width %u", folder("quickstart"), folder("cv"),
                 folder("tune"), folder("sweep"), widths[i]);
        char *text = report(arguments, "report.txt"), *save = NULL;
        assert_null(strchr(text, '\033'));
        assert_non_null(strstr(text, "How each policy did"));
        for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
            size_t columns = 0;
            for (const char *c = line; *c; c++) columns += ((unsigned char)*c & 0xc0) != 0x80;
            if (columns > widths[i]) fail_msg("%zu columns at width %u: %s", columns, widths[i], line);
        }
        free(text);
    }
}

static void csv_has_one_value_a_line_and_the_same_figures(void **state)
{
    (void)state;
    char *text = report(folder("quickstart"), "report.csv");
    assert_memory_equal("section,item,row,column,value\n", text, 30);
    assert_non_null(strstr(text, "\npolicies,speedup,1,categories,mvt\n"));
    assert_non_null(strstr(text, "\nmaps,map-mvt-0,static_best,x,2"));
    free(text);
}

static void figures_are_svg_and_where_the_build_has_librsvg_pdf(void **state)
{
    (void)state;
    char line[400], path[200], head[16];
    snprintf(line, sizeof line, "report %s %s %s --figures %s/figures --json", folder("quickstart"), folder("cv"),
             folder("tune"), root);
    const struct said *s = poise(root, line);
    assert_int_equal(0, s->status);
    json_t *done = json_loads(s->out, 0, NULL);
    const json_t *figures = json_object_get(done, "figures");
    assert_true(json_integer_value(json_object_get(figures, "n")) > 40);
    snprintf(path, sizeof path, "%s/figures/speedup.svg", root);
    slurp(path, head, sizeof head);
    assert_memory_equal("<svg xmlns=", head, 11);
    if (json_is_true(json_object_get(figures, "has_pdf"))) {
        snprintf(path, sizeof path, "%s/figures/speedup.pdf", root);
        slurp(path, head, sizeof head);
        assert_memory_equal("%PDF-", head, 5);
    } else {
        print_message("PDF skipped: this build has no librsvg (librsvg2-dev)\n");
    }
    json_decref(done);
}

static void a_file_name_that_means_no_format_is_refused_and_not_written(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"x.pdf", "--figures DIR writes each figure as PDF"},
                                           {"x.xlsx", ".html, .txt, .csv or .json"}};
    for (size_t i = 0; i < 2; i++) {
        char line[300], path[200];
        snprintf(path, sizeof path, "%s/%s", root, names[i][0]);
        snprintf(line, sizeof line, "report %s -o %s", folder("quickstart"), path);
        const struct said *s = poise(root, line);
        assert_int_equal(2, s->status);
        assert_non_null(strstr(s->err, names[i][1]));
        assert_int_equal(-1, access(path, F_OK));
    }
}

static void whole_numbers_are_whole_and_keep_their_digits(void **state)
{
    (void)state;
    fputs("benchmark,launch,trace,N,p,cycles,warp_insts,speedup,score\n"
          "a,a/0,0,1,1,1234567,10,2,1\na,a/0,0,2,1,650000,10,4,1\na,a/0,0,24,24,2600000,10,1,1\n",
          result_file("whole", "profile.csv"));
    fflush(NULL);
    result_json("whole", "summary.json",
                json_pack("{s:i,s:s,s:s,s:i,s:[{s:s,s:i,s:{s:{s:I,s:f},s:{s:I,s:f}},s:[]}],s:{s:f},s:{s:i}}", "schema",
                          1, "version", "1", "name", "whole", "model_version", 1, "benchmarks", "name", "a", "launches",
                          1, "policies", "gto", "cycles", (json_int_t)2600000, "speedup", 1.0, "static_best", "cycles",
                          (json_int_t)1234567, "speedup", 2.0, "profiled", "hmean", "gto", 1.0, "training", "launches",
                          0));
    char *text = report(folder("whole"), "whole.csv");
    assert_non_null(strstr(text, ",cycles,2600000\n"));
    assert_non_null(strstr(text, ",cycles,1234567\n"));
    assert_null(strstr(text, "e+"));
    free(text);
}

/* 3 points of 300: axes with a place for 1, 2 and 24 alone. */
static void a_map_of_few_points_has_axes_of_the_simulated_values(void **state)
{
    (void)state;
    json_t *json = document(folder("whole"));
    const json_t *map = part(section(json, "maps"), "figures", "map-a-0"), *ticks = json_object_get(map, "xticks");
    static const json_int_t expected[] = {1, 2, 24};
    assert_int_equal(3, json_array_size(ticks));
    for (size_t i = 0; i < 3; i++) assert_int_equal(expected[i], json_integer_value(json_array_get(ticks, i)));
    assert_int_equal(2, json_array_size(json_object_get(map, "yticks")));
    json_decref(json);
    json = document(folder("quickstart"));
    assert_null(json_object_get(part(section(json, "maps"), "figures", "map-mvt-0"), "xticks")); /* all of its points */
    json_decref(json);
}

static void in_text_such_a_map_has_numbers_and_terms_are_whole(void **state)
{
    (void)state;
    char *text = report(folder("whole"), "whole.txt");
    assert_non_null(strstr(text, "    1 2.00T   4.00B"));
    assert_non_null(strstr(text, "warps of each scheduler that may issue, the oldest first [THESIS 5.4]"));
    free(text);
}

static void features_have_words_and_training_rows_their_input(void **state)
{
    (void)state;
    json_t *json = document(folder("quickstart"));
    const json_t *features = section(json, "features"), *row, *label;
    size_t i;
    json_array_foreach(json_object_get(part(features, "tables", "feature-table"), "rows"), i, row)
        assert_true(strlen(json_string_value(json_array_get(row, 1))) &&
                    strlen(json_string_value(json_array_get(row, 2))) > 10);
    assert_true(i >= 2);
    json_array_foreach(json_object_get(json_array_get(json_object_get(features, "figures"), 0), "rows"), i, label)
        if (!strpbrk(json_string_value(label), "/") || !strpbrk(json_string_value(label), "0123456789"))
            fail_msg("%s", json_string_value(label));
    assert_true(i >= 2);
    json_decref(json);
}

static void weights_whose_intervals_all_include_zero_say_so_and_others_do_not(void **state)
{
    (void)state;
    json_t *json = document(folder("quickstart"));
    static const char *const ids[] = {"weights-n", "weights-p"};
    for (size_t k = 0; k < 2; k++) {
        const json_t *figure = part(section(json, "fit"), "figures", ids[k]),
                     *series = json_array_get(json_object_get(figure, "series"), 0);
        const json_t *low = json_object_get(series, "low"), *high = json_object_get(series, "high");
        bool all = json_array_size(low) > 0;
        for (size_t i = 0; i < json_array_size(low); i++)
            all = all && json_number_value(json_array_get(low, i)) <= 0 &&
                  json_number_value(json_array_get(high, i)) >= 0;
        assert_int_equal(
            all, strstr(json_string_value(json_object_get(figure, "caption")), "Every interval includes zero") != NULL);
    }
    json_decref(json);
}

static double machine_value(const json_t *document, const char *id, size_t machine)
{
    const json_t *series = json_object_get(part(section(document, "sweep"), "figures", id), "series");
    return json_number_value(json_array_get(json_object_get(json_array_get(series, machine), "values"), 0));
}

static void a_sweep_over_machines_compares_them_with_each_other(void **state)
{
    (void)state;
    char line[200];
    json_t *json = document(folder("sweep")), *json_now;
    const double few = machine_value(json, "machines-cycles-gto", 0),
                 many = machine_value(json, "machines-cycles-gto", 1);
    assert_true(few > many && many > 0); /* 4 ways, 8 ways */
    assert_true(machine_value(json, "machines-speed-gto", 0) == 1);
    assert_true(fabs(few / many - machine_value(json, "machines-speed-gto", 1)) < 1e-4);
    assert_int_equal(14,
                     json_array_size(json_object_get(part(section(json, "sweep"), "tables", "machine-table"), "rows")));
    json_decref(json);
    snprintf(line, sizeof line, "%s --relative-to l1.ways=8:gto", folder("sweep"));
    json = document(line);
    assert_true(fabs(many / few - machine_value(json, "machines-speed-gto", 0)) < 1e-4);
    json_decref(json);
    /* gto, on the reference */
    assert_true(machine_value(json_now = document(folder("sweep")), "machines-mean", 0) == 1);
    assert_true(machine_value(json_now, "machines-own", 0) == 1);
    json_decref(json_now);
    snprintf(line, sizeof line, "report %s --relative-to l1.ways=4 --format json", folder("quickstart"));
    assert_int_equal(2, poise(root, line)->status); /* no sweep is there */
    snprintf(line, sizeof line, "report %s --relative-to l1.ways=16", folder("sweep"));
    const struct said *s = poise(root, line);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "'l1.ways=4', 'l1.ways=8'"));
}

static void a_title_names_the_study_and_its_machine_unless_it_is_given(void **state)
{
    (void)state;
    char line[200];
    json_t *json = document(folder("quickstart"));
    assert_string_equal("ci-quickstart on kepler32, size test", json_string_value(json_object_get(json, "title")));
    json_decref(json);
    snprintf(line, sizeof line, "%s --title Mine", folder("quickstart"));
    json = document(line);
    assert_string_equal("Mine", json_string_value(json_object_get(json, "title")));
    json_decref(json);
}

static void what_is_no_result_is_refused_with_what_to_do(void **state)
{
    (void)state;
    char line[200];
    snprintf(line, sizeof line, "report %s/nothing --json", root);
    const struct said *s = poise(root, line);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "quickstart"));
    fclose(result_file("empty", "notes.txt"));
    snprintf(line, sizeof line, "report %s", folder("empty"));
    assert_int_equal(2, poise(root, line)->status);
    fputs("{\"benchmarks\": [1,", result_file("broken", "summary.json"));
    fflush(NULL);
    snprintf(line, sizeof line, "report %s", folder("broken"));
    s = poise(root, line);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "line 1"));
}

static void where_cycles_go_adds_up_no_two_machines(void **state)
{
    (void)state;
    json_t *json = document(folder("sweep"));
    const json_t *name, *names = json_object_get(part(section(json, "cycles"), "figures", "issue-slots"), "categories");
    size_t i, of_4 = 0, of_8 = 0;
    json_array_foreach(names, i, name) {
        of_4 += strstr(json_string_value(name), ", l1.ways=4") != NULL;
        of_8 += strstr(json_string_value(name), ", l1.ways=8") != NULL;
    }
    assert_true(of_4 > 0 && of_4 == of_8 && of_4 + of_8 == json_array_size(names));
    json_decref(json);
}

static void what_cannot_be_read_in_a_folder_is_named_and_passed_over(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"tsconfig.json", "{ // of another program"},
                                           {"weights.json", "{\"outputs\": {\"a\": 1}, \"scale\": 2}"},
                                           {"cases.json", "{\"cases\": 3, \"overall\": \"good\"}"},
                                           {"profile.csv", "a,b\n1,2\n"},
                                           {"other.sqlite", "no database, and long enough to be looked at as if"}};
    char line[300];
    snprintf(line, sizeof line, "cp -r %s %s", folder("sweep"), folder("mixed"));
    assert_int_equal(0, system(line));
    for (size_t i = 0; i < 5; i++) {
        FILE *out = result_file("mixed", files[i][0]);
        fputs(files[i][1], out);
        fclose(out);
    }
    snprintf(line, sizeof line, "%s/gone.json", folder("mixed"));
    assert_int_equal(0, symlink("nowhere.json", line));
    snprintf(line, sizeof line, "report %s --format text", folder("mixed"));
    const struct said *s = poise(root, line);
    assert_int_equal(0, s->status);
    static const char *const unread[] = {"tsconfig.json", "weights.json", "profile.csv", "other.sqlite", "gone.json"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "mixed/%s: passed over: ", unread[i]);
        if (!strstr(s->err, line)) fail_msg("%s: %s", unread[i], s->err);
        assert_non_null(strstr(s->out, unread[i]));
    }
    assert_null(strstr(s->err, "cases.json")); /* JSON, and of another kind */
    assert_non_null(strstr(s->out, "Where cycles go"));
}

static void a_file_that_cannot_be_written_is_named_as_it_was_asked_for(void **state)
{
    (void)state;
    char line[200];
    snprintf(line, sizeof line, "report %s -o /proc/x.html", folder("sweep"));
    const struct said *s = poise(root, line);
    assert_int_equal(1, s->status);
    assert_non_null(strstr(s->err, "/proc/x.html: "));
    assert_null(strstr(s->err, ".tmp"));
    s = poise(root, "trace synth divergence=2 reuse=2 -o /proc/x.ptrace");
    assert_int_equal(1, s->status);
    assert_non_null(strstr(s->err, "/proc/x.ptrace: "));
    assert_null(strstr(s->err, ".tmp"));
}

static void machines_of_one_folder_keep_their_names_and_nothing_is_added_up_over_them(void **state)
{
    (void)state;
    make_two_machines("machines");
    json_t *json = document(folder("machines"));
    const char *ids[] = {"map-mine-0-fermi15", "map-mine-0-volta80"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *map = part(section(json, "maps"), "figures", ids[i]);
        assert_string_equal(i ? "mine/0, volta80" : "mine/0, fermi15",
                            json_string_value(json_object_get(map, "title")));
        assert_int_equal(i ? 8 : 4, json_integer_value(json_object_get(map, "W"))); /* each machine's own */
    }
    const json_t *slots = part(section(json, "cycles"), "figures", "issue-slots"),
                 *categories = json_object_get(slots, "categories");
    assert_string_equal("mine, fermi15", json_string_value(json_array_get(categories, 0)));
    assert_string_equal("mine, volta80", json_string_value(json_array_get(categories, 2)));
    const json_t *columns = json_object_get(part(section(json, "provenance"), "tables", "differences"), "columns");
    assert_string_equal("fermi15", json_string_value(json_object_get(json_array_get(columns, 2), "name")));
    assert_true(json_array_size(json_object_get(part(section(json, "provenance"), "tables", "differences"), "rows")) >
                50);
    const json_t *tuples = part(section(json, "maps"), "tables", "tuple-table");
    assert_string_equal(
        "machine", json_string_value(json_object_get(json_array_get(json_object_get(tuples, "columns"), 1), "name")));
    json_decref(json);
    char *text = report(folder("machines"), "machines.txt"), *save = NULL;
    free(text);
    char line[300];
    snprintf(line, sizeof line, "report %s --format text --width 80", folder("machines"));
    const struct said *s = poise(root, line);
    char *copy = strdup(s->out);
    for (char *at = strtok_r(copy, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
        size_t n = 0;
        for (const char *c = at; *c; c++) n += ((unsigned char)*c & 0xc0) != 0x80;
        if (n > 80) fail_msg("%zu columns: %s", n, at);
    }
    assert_null(strstr(copy, "_Z4rows"));
    free(copy);
}

static void what_is_left_of_a_wide_table_has_the_names_of_its_rows(void **state)
{
    (void)state;
    FILE *out = result_file("wide", "sweep.csv");
    fputs("kernel,launch,trace,config,mechs,complete,error,core_cycles,ipc,l1d_hit_rate,l2_hit_rate,aml_cycles\n", out);
    fputs("k,k/0,t,,gto,1,,1000,2,0.5,0.25,300\nk,k/0,t,,\"swl,N=2\",1,,500,4,0.75,0.125,200\n", out);
    fclose(out);
    char line[300];
    snprintf(line, sizeof line, "report %s --format text --width 50", folder("wide"));
    assert_non_null(strstr(poise(root, line)->out, "k       k/0     swl,N=2          12.5 %"));
}

static void a_sweeps_page_draws_the_fastest_stacks_and_says_which_that_is(void **state)
{
    (void)state;
    FILE *out = result_file("many", "sweep.csv");
    fputs("kernel,launch,trace,config,mechs,complete,error,core_cycles\n", out);
    for (unsigned k = 0; k < 30; k++)
        fprintf(out, "k,mm/0,t,,%s%u,1,,%u\n", k ? "stack" : "gto", k, k == 0 ? 1000 : k == 27 ? 400 : 1000 + k);
    fclose(out);
    json_t *json = document(folder("many"));
    const json_t *series = json_object_get(part(section(json, "sweep"), "figures", "sweep-stacks"), "series");
    assert_int_equal(12, json_array_size(series));
    assert_string_equal("gto0", json_string_value(json_object_get(json_array_get(series, 0), "name")));
    assert_string_equal("stack27", json_string_value(json_object_get(json_array_get(series, 1), "name")));
    char *text = json_dumps(json_object_get(json, "findings"), JSON_COMPACT);
    assert_non_null(strstr(text, "The fastest of 30 stacks is stack27: 2.500 times the speed of gto0"));
    free(text);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_of_one_folder_keep_their_names_and_nothing_is_added_up_over_them),
        cmocka_unit_test(a_sweeps_page_draws_the_fastest_stacks_and_says_which_that_is),
        cmocka_unit_test(
            a_quickstart_has_policies_maps_cycles_features_fit_and_provenance_with_the_summarys_own_figures),
        cmocka_unit_test(a_map_has_every_simulated_point_counters_from_the_store_and_the_summarys_marks),
        cmocka_unit_test(the_fit_comes_out_with_the_model_files_weights),
        cmocka_unit_test(cv_tune_sweep_and_repro_each_have_their_section),
        cmocka_unit_test(values_of_benchmarks_have_a_table_and_bars_of_their_own),
        cmocka_unit_test(every_assumed_parameter_of_the_machine_is_in_provenance),
        cmocka_unit_test(the_page_is_the_same_bytes_twice_and_names_no_address_outside_itself),
        cmocka_unit_test(hostile_names_reach_no_format_as_markup_or_as_control_characters),
        cmocka_unit_test(text_stays_in_its_width_and_without_colours_when_it_is_no_terminal),
        cmocka_unit_test(what_is_left_of_a_wide_table_has_the_names_of_its_rows),
        cmocka_unit_test(csv_has_one_value_a_line_and_the_same_figures),
        cmocka_unit_test(figures_are_svg_and_where_the_build_has_librsvg_pdf),
        cmocka_unit_test(a_file_name_that_means_no_format_is_refused_and_not_written),
        cmocka_unit_test(whole_numbers_are_whole_and_keep_their_digits),
        cmocka_unit_test(a_map_of_few_points_has_axes_of_the_simulated_values),
        cmocka_unit_test(in_text_such_a_map_has_numbers_and_terms_are_whole),
        cmocka_unit_test(features_have_words_and_training_rows_their_input),
        cmocka_unit_test(weights_whose_intervals_all_include_zero_say_so_and_others_do_not),
        cmocka_unit_test(a_sweep_over_machines_compares_them_with_each_other),
        cmocka_unit_test(a_title_names_the_study_and_its_machine_unless_it_is_given),
        cmocka_unit_test(what_is_no_result_is_refused_with_what_to_do),
        cmocka_unit_test(where_cycles_go_adds_up_no_two_machines),
        cmocka_unit_test(what_cannot_be_read_in_a_folder_is_named_and_passed_over),
        cmocka_unit_test(a_file_that_cannot_be_written_is_named_as_it_was_asked_for),
    };
    return cmocka_run_group_tests(tests, results_begin, results_end);
}
