/* The page in a real browser: Debian's chromium, headless. POISE_SCREENSHOTS=DIR keeps pictures of what was seen. */
#include "results.h"
#include "browser.h"

#include <sys/stat.h>

static struct browser browser;

static int begin(void **state)
{
    if (results_begin(state) != 0) return -1;
    char line[600];
    make_hostile("hostile");
    make_large("large");
    snprintf(line, sizeof line, "report %s/quickstart %s/cv %s/tune %s/sweep -o %s/all.html", root, root, root, root,
             root);
    must(line);
    snprintf(line, sizeof line, "report %s/quickstart -o %s/quickstart.html", root, root);
    must(line);
    snprintf(line, sizeof line, "report %s/hostile -o %s/hostile.html", root, root);
    must(line);
    snprintf(line, sizeof line, "report %s/large -o %s/large.html", root, root);
    must(line);
    browser_start(&browser);
    return 0;
}

static int end(void **state)
{
    browser_stop(&browser);
    return results_end(state);
}

static const char *page(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s.html", root, name);
    return path;
}

static void keep(const char *name)
{
    const char *dir = getenv("POISE_SCREENSHOTS");
    char path[400];
    if (!dir) return;
    snprintf(path, sizeof path, "%s/%s.png", dir, name);
    browser_screenshot(&browser, path, false);
}

static void
it_opens_at_1280_and_at_400_pixels_and_complains_of_nothing_and_nothing_is_wider_than_the_window(void **state)
{
    (void)state;
    static const int widths[] = {1280, 400};
    static const char *const pages[] = {"quickstart", "all"};
    for (size_t w = 0; w < 2; w++)
        for (size_t p = 0; p < 2; p++) {
            char name[60];
            browser_open(&browser, page(pages[p]), widths[w], 900);
            snprintf(name, sizeof name, "%s-%d", pages[p], widths[w]);
            keep(name);
            /* every figure drawn, as printing does */
            browser_number(&browser, "dispatchEvent(new Event('beforeprint')), 1");
            browser_until(&browser,
                          "[...document.querySelectorAll('.chart')].every(c => c.querySelector('svg.marks'))");
            browser_number(&browser, "dispatchEvent(new Event('afterprint')), 1");
            assert_true(browser_number(&browser, "document.documentElement.scrollWidth") <= widths[w]);
            if (widths[w] == 1280)
                assert_string_equal(
                    "",
                    browser_text(
                        &browser,
                        "[...document.querySelectorAll('.scroll, .chart')].filter(s => s.scrollWidth > s.clientWidth)"
                        ".map(s => (s.id || s.parentNode.id) + ' ').join('')"));
            assert_true(browser_number(&browser, "document.querySelectorAll('figure').length") > 10);
            browser_has_no_complaints(&browser);
        }
}

static void every_figure_has_a_text_for_who_cannot_see_it_and_a_link_to_it(void **state)
{
    (void)state;
    browser_open(&browser, page("all"), 1280, 900);
    assert_string_equal(
        "", browser_text(&browser,
                         "[...document.querySelectorAll('.chart')].filter(c => c.getAttribute('role') !== 'img' || "
                         "!(c.getAttribute('aria-label').length > 20)).map(c => c.getAttribute('aria-label')).join()"));
    assert_true(browser_number(
        &browser, "[...document.querySelectorAll('figure')].every(f => f.querySelector('h3 a').getAttribute('href') "
                  "=== '#' + f.id && document.querySelectorAll('[id=\"' + f.id + '\"]').length === 1)"));
}

static void the_mouse_over_a_cell_shows_its_tuple_speedup_hit_rate_latency_and_stalls(void **state)
{
    (void)state;
    browser_open(&browser, page("quickstart"), 1280, 900);
    browser_number(&browser, "document.documentElement.style.scrollBehavior = 'auto', "
                             "document.getElementById('map-mvt-0').scrollIntoView({block: 'center'}), 1");
    browser_until(&browser, "document.querySelector('#map-mvt-0 .mark-rect path') !== null");
    usleep(150000);
    const char *at = "(() => { const r = document.querySelector('#map-mvt-0 .mark-rect path').getBoundingClientRect(); "
                     "return %s; })()";
    char x[200], y[200];
    snprintf(x, sizeof x, at, "r.x + r.width / 2");
    snprintf(y, sizeof y, at, "r.y + r.height / 2");
    browser_mouse(&browser, "mouseMoved", browser_number(&browser, x), browser_number(&browser, y));
    browser_until(&browser, "!document.getElementById('tip').hidden");
    const char *text = browser_text(&browser, "document.getElementById('tip').innerText");
    static const char *const words[] = {"N = ", "speedup", "L1 hit rate", "AML", "memory stalls"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("no '%s' in: %s", words[i], text);
    keep("hover");
    browser_mouse(&browser, "mouseMoved", 5, 400);
    browser_until(&browser, "document.getElementById('tip').hidden");
    browser_has_no_complaints(&browser);
}

static void tables_sort_both_ways_and_filter_as_one_types(void **state)
{
    (void)state;
    const char *column =
        "[...document.querySelectorAll('#policy-table tbody tr')].map(r => parseFloat(r.cells[3].textContent))";
    char check[300];
    browser_open(&browser, page("quickstart"), 1280, 900);
    const int rows = (int)browser_number(&browser, "document.querySelectorAll('#policy-table tbody tr').length");
    assert_true(rows >= 12); /* three benchmarks, four policies and whatever else competes */
    browser_number(&browser, "document.querySelectorAll('#policy-table th button')[3].click(), 1");
    snprintf(check, sizeof check, "%s.every((v, i, all) => i === 0 || all[i - 1] >= v)", column);
    assert_true(browser_number(&browser, check));
    assert_string_equal(
        "descending",
        browser_text(&browser, "document.querySelectorAll('#policy-table th')[3].getAttribute('aria-sort')"));
    browser_number(&browser, "document.querySelectorAll('#policy-table th button')[3].click(), 1");
    snprintf(check, sizeof check, "%s.every((v, i, all) => i === 0 || all[i - 1] <= v)", column);
    assert_true(browser_number(&browser, check));
    browser_number(&browser, "document.querySelector('#policy-table input').focus(), 1");
    browser_do(&browser, "Input.insertText", json_pack("{s:s}", "text", "mvt static-best"));
    assert_int_equal(1, (int)browser_number(&browser, "document.querySelectorAll('#policy-table tbody tr').length"));
    snprintf(check, sizeof check, "1 of %d rows", rows);
    assert_string_equal(check, browser_text(&browser, "document.querySelector('#policy-table .count').textContent"));
}

static void maps_are_filtered_by_kernel_and_by_set(void **state)
{
    (void)state;
    browser_open(&browser, page("quickstart"), 1280, 900);
    const char *shown = "[...document.querySelectorAll('#maps figure')].filter(f => !f.hidden).length";
    const int all = (int)browser_number(&browser, shown);
    browser_number(&browser, "document.querySelector('#maps .tools input').focus(), 1");
    browser_do(&browser, "Input.insertText", json_pack("{s:s}", "text", "atax"));
    const int some = (int)browser_number(&browser, shown);
    assert_true(some >= 1 && some < all);
    assert_true(browser_number(&browser, "[...document.querySelectorAll('#maps figure')].every(f => f.hidden !== "
                                         "f.querySelector('h3').textContent.includes('atax'))"));
    browser_number(
        &browser, "(() => { const i = document.querySelector('#maps .tools input'), s = document.querySelector('#maps "
                  "select'); i.value = ''; s.value = 'training'; s.dispatchEvent(new Event('change')); return 1; })()");
    assert_true(browser_number(
        &browser,
        "[...document.querySelectorAll('#maps figure')].every(f => f.hidden === (f.dataset.group !== 'training'))"));
}

static void colours_follow_the_system_and_the_button(void **state)
{
    (void)state;
    const char *ground = "getComputedStyle(document.body).backgroundColor";
    char light[80], dark[80];
    browser_scheme(&browser, "light");
    browser_open(&browser, page("quickstart"), 1280, 900);
    snprintf(light, sizeof light, "%.79s", browser_text(&browser, ground));
    browser_scheme(&browser, "dark");
    browser_until(&browser, "document.documentElement.dataset.theme === 'dark'");
    snprintf(dark, sizeof dark, "%.79s", browser_text(&browser, ground));
    assert_string_not_equal(light, dark);
    keep("dark");
    /* contrast of text on its ground: WCAG AA, 4.5 */
    const char *contrast =
        "(() => { const l = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255; return v <= 0.03928 ? v "
        "/ 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
        "const s = getComputedStyle(document.querySelector('.lead')), a = l(s.color), b = "
        "l(getComputedStyle(document.body).backgroundColor); return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); "
        "})()";
    assert_true(browser_number(&browser, contrast) >= 4.5);
    browser_number(&browser, "document.getElementById('theme').click(), 1"); /* light, whatever the system says */
    assert_string_equal(light, browser_text(&browser, ground));
    assert_true(browser_number(&browser, contrast) >= 4.5);
    browser_number(&browser, "document.getElementById('theme').click(), document.getElementById('theme').click(), 1");
    browser_scheme(&browser, "light");
    browser_has_no_complaints(&browser);
}

static void saved(const char *dir, const char *kind, const char *magic, size_t length)
{
    char script[200], path[300], head[64] = "";
    struct stat st;
    snprintf(script, sizeof script, "document.querySelector('#speedup [data-save=%s]').click(), 1", kind);
    browser_number(&browser, script);
    snprintf(path, sizeof path, "%s/speedup.%s", dir, kind);
    for (const double until = browser_now() + 10; stat(path, &st) != 0 || st.st_size == 0;) {
        if (browser_now() > until) fail_msg("%s does not come", path);
        browser_number(&browser, "1");
        usleep(20000);
    }
    slurp(path, head, sizeof head);
    assert_memory_equal(magic, head, length);
}

static void a_figure_is_saved_as_svg_png_and_csv(void **state)
{
    (void)state;
    char dir[100];
    snprintf(dir, sizeof dir, "%s/downloads", root);
    browser_do(&browser, "Browser.setDownloadBehavior",
               json_pack("{s:s,s:s,s:b}", "behavior", "allow", "downloadPath", dir, "eventsEnabled", 1));
    browser_open(&browser, page("quickstart"), 1280, 900);
    saved(dir, "svg", "<svg ", 5);
    saved(dir, "png", "\x89PNG", 4);
    saved(dir, "csv", "category,series,value", 21);
    browser_has_no_complaints(&browser);
}

static void it_prints(void **state)
{
    (void)state;
    char path[100], head[16];
    browser_open(&browser, page("quickstart"), 1280, 900);
    snprintf(path, sizeof path, "%s/printed.pdf", root);
    assert_true(browser_save(&browser, "Page.printToPDF", json_pack("{s:b}", "printBackground", 0), path) > 20000);
    slurp(path, head, sizeof head);
    assert_memory_equal("%PDF-", head, 5);
}

static void hostile_names_are_text_and_nothing_else(void **state)
{
    (void)state;
    browser_open(&browser, page("hostile"), 1280, 900);
    browser_number(&browser, "dispatchEvent(new Event('beforeprint')), 1");
    browser_until(&browser, "[...document.querySelectorAll('.chart')].every(c => c.querySelector('svg.marks'))");
    assert_true(browser_number(&browser, "window.hacked === undefined && document.images.length === 0 && "
                                         "document.querySelectorAll('script').length === 3"));
    assert_true(
        browser_number(&browser, "document.querySelector('#policy-table td').textContent.startsWith('</script><img')"));
    /* the policy holds even if markup did get in */
    browser_number(&browser,
                   "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=1\">'), 1");
    usleep(100000);
    assert_true(browser_number(&browser, "window.hacked === undefined"));
    json_array_clear(browser.complaints); /* the policy's own refusal */
    json_t *event;
    while ((event = browser_receive(&browser, 0.1)) != NULL) json_decref(event);
}

/* Seconds of the processor that the page's main thread has used; other tests take processors from the browser. */
static double seconds_of_main_thread(void)
{
    json_t *answer = browser_call(&browser, "Performance.getMetrics", NULL), *metric;
    double seconds = -1;
    size_t i;
    json_array_foreach(json_object_get(answer, "metrics"), i, metric)
        if (strcmp(json_string_value(json_object_get(metric, "name")), "TaskDuration") == 0)
            seconds = json_number_value(json_object_get(metric, "value"));
    json_decref(answer);
    return seconds;
}

static void a_hundred_kernels_of_300_points_are_under_5_mb_and_open_in_under_2_seconds(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(0, stat(page("large"), &st));
    browser_do(&browser, "Performance.enable", json_pack("{s:s}", "timeDomain", "threadTicks"));
    const double before = seconds_of_main_thread(), wall = browser_open(&browser, page("large"), 1280, 900),
                 after = seconds_of_main_thread();
    assert_int_equal(LARGE_KERNELS, (int)browser_number(&browser, "document.querySelectorAll('#maps figure').length"));
    print_message("report-bytes %lld report-open-seconds %.3f, of the processor %.3f to %.3f\n", (long long)st.st_size,
                  wall, before, after);
    keep("large");
    assert_true(st.st_size < 5000000);
    assert_true(before > 0 && after > before && after - before < 2);
    browser_has_no_complaints(&browser);
}

/* A mark is an outline: nothing of it lies on the colour of the cell that it means. */
static void marks_do_not_hide_their_cells(void **state)
{
    (void)state;
    browser_open(&browser, page("quickstart"), 1280, 900);
    browser_number(&browser, "document.getElementById('map-mvt-0').scrollIntoView(), 1");
    browser_until(&browser, "document.querySelector('#map-mvt-0 svg.marks') !== null");
    assert_true(browser_number(&browser,
                               "document.querySelectorAll('#map-mvt-0 svg.marks path[stroke-width=\"1.6\"]').length") >=
                2);
    assert_true(browser_number(&browser,
                               "[...document.querySelectorAll('#map-mvt-0 svg.marks "
                               "path[stroke-width=\"1.6\"]')].every(p => p.getAttribute('fill') === 'transparent')"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            it_opens_at_1280_and_at_400_pixels_and_complains_of_nothing_and_nothing_is_wider_than_the_window),
        cmocka_unit_test(every_figure_has_a_text_for_who_cannot_see_it_and_a_link_to_it),
        cmocka_unit_test(the_mouse_over_a_cell_shows_its_tuple_speedup_hit_rate_latency_and_stalls),
        cmocka_unit_test(tables_sort_both_ways_and_filter_as_one_types),
        cmocka_unit_test(maps_are_filtered_by_kernel_and_by_set),
        cmocka_unit_test(colours_follow_the_system_and_the_button),
        cmocka_unit_test(a_figure_is_saved_as_svg_png_and_csv),
        cmocka_unit_test(it_prints),
        cmocka_unit_test(hostile_names_are_text_and_nothing_else),
        cmocka_unit_test(marks_do_not_hide_their_cells),
        cmocka_unit_test(a_hundred_kernels_of_300_points_are_under_5_mb_and_open_in_under_2_seconds),
    };
    if (!browser_path() || !HAS_VEGA) {
        fprintf(stderr, "skipped: no %s (apt-get install %s)\n", HAS_VEGA ? "chromium" : "Vega in this build",
                HAS_VEGA ? "chromium" : "libjs-vega");
        return 77;
    }
    return cmocka_run_group_tests(tests, begin, end);
}
