/* A headless Chromium, driven through its debugging pipe: JSON messages ended by NUL, no socket, no server, no other
 * dependency. Whatever the page complains of (exceptions, console errors and warnings, refused loads) is collected. */
#ifndef TEST_BROWSER_H
#define TEST_BROWSER_H
#include "rig.h"
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct browser {
    pid_t pid;
    int to, from, next_id;
    char *buffer, session[80], profile[64];
    size_t used, capacity;
    json_t *complaints; /* texts */
    json_t *downloads;  /* file names */
};

static inline double browser_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline const char *browser_path(void)
{
    static const char *const paths[] = {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (access(paths[i], X_OK) == 0) return paths[i];
    return NULL;
}

static inline void browser_note(struct browser *b, const json_t *event)
{
    const char *method = json_string_value(json_object_get(event, "method"));
    const json_t *params = json_object_get(event, "params");
    if (!method) return;
    const char *type = json_string_value(json_object_get(params, "type")),
               *level = json_string_value(json_object_get(json_object_get(params, "entry"), "level"));
    const bool is_console = strcmp(method, "Runtime.consoleAPICalled") == 0 && type &&
                            (strcmp(type, "error") == 0 || strcmp(type, "warning") == 0);
    const bool is_log = strcmp(method, "Log.entryAdded") == 0 && level && strcmp(level, "error") == 0;
    if (is_console || is_log || strcmp(method, "Runtime.exceptionThrown") == 0 ||
        strcmp(method, "Page.javascriptDialogOpening") == 0) {
        char *text = json_dumps(params, JSON_COMPACT);
        json_array_append_new(b->complaints, json_stringn(text, strlen(text) < 900 ? strlen(text) : 900));
        free(text);
    }
    if (strcmp(method, "Page.downloadWillBegin") == 0 || strcmp(method, "Browser.downloadWillBegin") == 0)
        json_array_append(b->downloads, json_object_get(params, "suggestedFilename"));
}

/* The next message, or NULL after `seconds`. */
static inline json_t *browser_receive(struct browser *b, double seconds)
{
    const double end = browser_now() + seconds;
    for (;;) {
        char *nul = b->used ? memchr(b->buffer, '\0', b->used) : NULL;
        if (nul) {
            const size_t size = (size_t)(nul - b->buffer) + 1;
            json_t *message = json_loads(b->buffer, 0, NULL);
            memmove(b->buffer, b->buffer + size, b->used - size);
            b->used -= size;
            return message;
        }
        const double left = end - browser_now();
        struct pollfd poll_from = {.fd = b->from, .events = POLLIN};
        if (left <= 0 || poll(&poll_from, 1, (int)(1000 * left) + 1) <= 0) return NULL;
        if (b->capacity - b->used < 65536) b->buffer = realloc(b->buffer, b->capacity = 2 * b->capacity + 65536);
        const ssize_t n = read(b->from, b->buffer + b->used, b->capacity - b->used);
        if (n <= 0) return NULL;
        b->used += (size_t)n;
    }
}

/* Sends a command and waits for its answer; `params` is taken over. The result is the caller's. */
static inline json_t *browser_call(struct browser *b, const char *method, json_t *params)
{
    const int id = ++b->next_id;
    json_t *message = json_pack("{s:i,s:s,s:o}", "id", id, "method", method, "params", params ? params : json_object());
    if (*b->session && strncmp(method, "Target.", 7) != 0 && strncmp(method, "Browser.", 8) != 0)
        json_object_set_new(message, "sessionId", json_string(b->session));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    assert_int_equal((ssize_t)strlen(text) + 1, write(b->to, text, strlen(text) + 1));
    free(text);
    for (;;) {
        json_t *answer = browser_receive(b, 60);
        if (!answer) fail_msg("no answer of the browser to %s", method);
        if (json_integer_value(json_object_get(answer, "id")) == id) {
            const json_t *error = json_object_get(answer, "error");
            if (error) fail_msg("%s: %s", method, json_string_value(json_object_get(error, "message")));
            json_t *result = json_incref(json_object_get(answer, "result"));
            json_decref(answer);
            return result;
        }
        browser_note(b, answer);
        json_decref(answer);
    }
}

static inline void browser_do(struct browser *b, const char *method, json_t *params)
{
    json_decref(browser_call(b, method, params));
}

static inline void browser_start(struct browser *b)
{
    int to[2], from[2];
    char profile_option[96];
    *b = (struct browser){.complaints = json_array(), .downloads = json_array()};
    snprintf(b->profile, sizeof b->profile, "/tmp/poise-browser-XXXXXX");
    assert_non_null(mkdtemp(b->profile));
    snprintf(profile_option, sizeof profile_option, "--user-data-dir=%s", b->profile);
    assert_int_equal(0, pipe2(to, O_CLOEXEC));
    assert_int_equal(0, pipe2(from, O_CLOEXEC));
    b->pid = fork();
    if (b->pid == 0) {
        const int null = open("/dev/null", O_RDWR);
        const int in = fcntl(to[0], F_DUPFD, 10), out = fcntl(from[1], F_DUPFD, 10);
        dup2(null, 0), dup2(null, 1), dup2(null, 2);
        dup2(in, 3), dup2(out, 4);
        execl(browser_path(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
              "--disable-extensions", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
              "--remote-debugging-pipe", profile_option, "about:blank", (char *)NULL);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    b->to = to[1];
    b->from = from[0];
    json_t *target = browser_call(b, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    json_t *attached =
        browser_call(b, "Target.attachToTarget",
                     json_pack("{s:O,s:b}", "targetId", json_object_get(target, "targetId"), "flatten", 1));
    snprintf(b->session, sizeof b->session, "%s", json_string_value(json_object_get(attached, "sessionId")));
    json_decref(target);
    json_decref(attached);
    browser_do(b, "Page.enable", NULL);
    browser_do(b, "Runtime.enable", NULL);
    browser_do(b, "Log.enable", NULL);
}

static inline void browser_stop(struct browser *b)
{
    char command[128];
    if (!b->pid) return;
    close(b->to), close(b->from);
    kill(b->pid, SIGKILL);
    waitpid(b->pid, NULL, 0);
    snprintf(command, sizeof command, "sleep 0.2; rm -rf %s", b->profile);
    if (system(command) != 0) print_message("%s stays\n", b->profile);
    json_decref(b->complaints);
    json_decref(b->downloads);
    free(b->buffer);
    *b = (struct browser){.pid = 0};
}

/* The value of an expression, waited for where it is a promise. The caller's. */
static inline json_t *browser_value(struct browser *b, const char *expression)
{
    json_t *result =
        browser_call(b, "Runtime.evaluate",
                     json_pack("{s:s,s:b,s:b}", "expression", expression, "awaitPromise", 1, "returnByValue", 1));
    if (json_object_get(result, "exceptionDetails")) {
        char *text = json_dumps(json_object_get(result, "exceptionDetails"), JSON_COMPACT);
        fail_msg("%s: %s", expression, text);
    }
    json_t *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return value;
}

static inline double browser_number(struct browser *b, const char *expression)
{
    json_t *value = browser_value(b, expression);
    const double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    json_decref(value);
    return number;
}

static inline const char *browser_text(struct browser *b, const char *expression)
{
    static char text[4096];
    json_t *value = browser_value(b, expression);
    snprintf(text, sizeof text, "%s", json_string_value(value) ? json_string_value(value) : "");
    json_decref(value);
    return text;
}

/* Waits until the expression is true; fails after a minute. */
static inline void browser_until(struct browser *b, const char *expression)
{
    const double end = browser_now() + 60;
    while (browser_number(b, expression) == 0) {
        if (browser_now() > end) fail_msg("never: %s", expression);
        usleep(50000);
    }
}

/* Opens a file; seconds until the page is there and every figure near the window is drawn. */
static inline double browser_open(struct browser *b, const char *path, int width, int height)
{
    char url[512];
    browser_do(b, "Emulation.setDeviceMetricsOverride",
               json_pack("{s:i,s:i,s:i,s:b}", "width", width, "height", height, "deviceScaleFactor", 1, "mobile", 0));
    snprintf(url, sizeof url, "file://%s", path);
    const double start = browser_now();
    browser_do(b, "Page.navigate", json_pack("{s:s}", "url", url));
    browser_until(b, "document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes' && "
                     "[...document.querySelectorAll('.chart')].every(c => c.dataset.drawn || "
                     "c.getBoundingClientRect().top > innerHeight || !c.clientWidth)");
    return browser_now() - start;
}

static inline void browser_mouse(struct browser *b, const char *type, double x, double y)
{
    const bool is_press = strcmp(type, "mouseMoved") != 0;
    browser_do(b, "Input.dispatchMouseEvent",
               json_pack("{s:s,s:f,s:f,s:s,s:i}", "type", type, "x", x, "y", y, "button", is_press ? "left" : "none",
                         "clickCount", (int)is_press));
}

static inline void browser_scheme(struct browser *b, const char *scheme)
{
    browser_do(b, "Emulation.setEmulatedMedia",
               json_pack("{s:[{s:s,s:s}]}", "features", "name", "prefers-color-scheme", "value", scheme));
}

static inline int base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Writes what a command answers in base64 (screenshots, PDF); its size. */
static inline size_t browser_save(struct browser *b, const char *method, json_t *params, const char *path)
{
    json_t *result = browser_call(b, method, params);
    const char *data = json_string_value(json_object_get(result, "data"));
    FILE *out = fopen(path, "wb");
    unsigned bits = 0, n = 0;
    size_t size = 0;
    assert_non_null(out);
    for (; data && *data; data++) {
        const int digit = base64_digit(*data);
        if (digit < 0) continue;
        bits = bits << 6 | (unsigned)digit;
        if ((n += 6) < 8) continue;
        n -= 8;
        fputc((int)(bits >> n & 255), out);
        size++;
    }
    fclose(out);
    json_decref(result);
    return size;
}

static inline void browser_screenshot(struct browser *b, const char *path, bool is_whole)
{
    browser_save(b, "Page.captureScreenshot",
                 json_pack("{s:s,s:b}", "format", "png", "captureBeyondViewport", (int)is_whole), path);
}

static inline void browser_has_no_complaints(struct browser *b)
{
    json_t *event;
    while ((event = browser_receive(b, 0.05)) != NULL) {
        browser_note(b, event);
        json_decref(event);
    }
    if (json_array_size(b->complaints))
        fail_msg("the page complains: %s", json_string_value(json_array_get(b->complaints, 0)));
}
#endif
