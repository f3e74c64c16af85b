/* Which runs of a store are in whose hands. The processes that share a store are those of one host, for SQLite's WAL
 * needs shared memory: whether one of them lives is asked of the system, by its number and the moment it began, which
 * no other process shares. Of a process in another container or on another host only its sign of life is known, which a
 * thread writes every BEAT_S seconds. */
#include "store/store_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

enum { BEAT_S = 5, BEAT_LIVES_S = 30 };
struct process {
    char host[128], boot[64], pid_space[64], program[HASH_TEXT_SIZE];
    long pid;
    long long started; /* clock ticks after the boot */
};
struct store_session {
    struct store *store;
    struct process self;
    pthread_t thread;
    pthread_mutex_t lock; /* of is_over */
    pthread_cond_t ended;
    bool is_over, has_thread;
};

/* ---- processes ---- */

static void read_line(const char *path, char *out, size_t size)
{
    FILE *in = fopen(path, "re");
    *out = '\0';
    if (!in) return;
    if (!fgets(out, (int)size, in)) *out = '\0';
    out[strcspn(out, "\n")] = '\0';
    fclose(in);
}

/* A process's state, as ps has it, and when it began; false where the system does not say. */
static bool read_state(long pid, char *state, unsigned long long *ticks)
{
    char path[48], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_line(path, text, sizeof text);
    const char *behind = strrchr(text, ')'); /* a program's name may hold anything */
    return behind &&
           sscanf(behind + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", state,
                  ticks) == 2;
}

/* When a process began; 0 where it is not there any more, or only until its parent looks; -1 where nobody may know. */
static long long started(long pid)
{
    char state;
    unsigned long long ticks;
    if (!read_state(pid, &state, &ticks)) return kill((pid_t)pid, 0) == 0 || errno == EPERM ? -1 : 0;
    return state == 'Z' || state == 'X' ? 0 : (long long)ticks;
}

bool store_process_is_stopped(long pid)
{
    char state;
    unsigned long long ticks;
    return read_state(pid, &state, &ticks) && (state == 'T' || state == 't');
}

/* `program` tells one program of a process from the next, which exec begins: the kernel gives each its own bytes. */
static void identify(struct process *p)
{
    memset(p, 0, sizeof *p);
    const void *random = (const void *)getauxval(AT_RANDOM);
    const struct hash hash = hash_bytes(random ? random : "", random ? 16 : 0);
    hash_text(&hash, p->program);
    if (gethostname(p->host, sizeof p->host - 1) != 0) snprintf(p->host, sizeof p->host, "?");
    read_line("/proc/sys/kernel/random/boot_id", p->boot, sizeof p->boot);
    const ssize_t n = readlink("/proc/self/ns/pid", p->pid_space, sizeof p->pid_space - 1);
    p->pid_space[n > 0 ? n : 0] = '\0';
    p->pid = getpid();
    p->started = started(p->pid);
}

static void owner_text(const struct process *p, unsigned long long session, char out[STORE_OWNER_SIZE])
{
    snprintf(out, STORE_OWNER_SIZE, "%s %s %s %ld %lld %s %llx", *p->host ? p->host : "-", *p->boot ? p->boot : "-",
             *p->pid_space ? p->pid_space : "-", p->pid, p->started, p->program, session);
}

static bool read_owner(struct process *out, const char *text)
{
    return sscanf(text, "%127s %63s %63s %ld %lld %32s", out->host, out->boot, out->pid_space, &out->pid, &out->started,
                  out->program) == 6;
}

/* `beat`: when it last gave a sign of life. */
static bool lives(const struct process *self, const struct process *p, long long beat)
{
    if (strcmp(self->boot, p->boot) != 0 || strcmp(self->pid_space, p->pid_space) != 0) {
        const long long age = (long long)time(NULL) - beat;
        return age < BEAT_LIVES_S && age > -BEAT_LIVES_S;
    }
    if (p->pid == self->pid && strcmp(self->program, p->program) != 0) return false;
    const long long now = started(p->pid);
    return now == -1 || now == p->started;
}

/* ---- sessions ---- */

static bool wait_a_while(struct store_session *s)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += BEAT_S;
    pthread_mutex_lock(&s->lock);
    while (!s->is_over && pthread_cond_timedwait(&s->ended, &s->lock, &until) == 0) continue;
    const bool goes_on = !s->is_over;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

/* The connection is shared with the thread that owns the store; SQLite serialises them. */
static void *beat(void *session)
{
    struct store_session *s = session;
    while (wait_a_while(s)) {
        char sql[STORE_OWNER_SIZE + 80];
        snprintf(sql, sizeof sql, "UPDATE claims SET beat = %lld WHERE owner = '%s'", (long long)time(NULL),
                 s->store->owner);
        sqlite3_exec(s->store->db, sql, NULL, NULL, NULL);
    }
    return NULL;
}

static void start_beat(struct store_session *s)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->has_thread = pthread_create(&s->thread, NULL, beat, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_beat(struct store_session *s)
{
    pthread_mutex_lock(&s->lock);
    s->is_over = true;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
    if (s->has_thread) pthread_join(s->thread, NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->ended);
}

static int refuse_second_host(const struct store *store, const struct process *self, const struct process *p,
                              struct error *err)
{
    error_set(
        err, ERR_USAGE,
        "%s: process %ld of host %s is at work on this store, and this is host %s: only processes of one host can "
        "share a store",
        store->path, p->pid, p->host, self->host);
    return error_at(err, store->path, 0, -1,
                    "use mpirun (or srun --mpi=pmix) over the hosts, or a store each with --shard I/N and 'poise store "
                    "merge'; where that host is gone, wait 30 s");
}

int store_check_host(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    struct process self, p;
    if (store_prepare(store, &statement, "SELECT owner, max(beat) FROM sound_claims GROUP BY owner", err) < 0)
        return -1;
    identify(&self);
    int result = 0, step = SQLITE_DONE;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW)
        if (read_owner(&p, (const char *)sqlite3_column_text(statement, 0)) && strcmp(p.boot, self.boot) != 0 &&
            lives(&self, &p, sqlite3_column_int64(statement, 1)))
            result = refuse_second_host(store, &self, &p, err);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading who is at work");
    sqlite3_finalize(statement);
    return result;
}

int store_session_begin(struct store *store, struct error *err)
{
    struct store_session *s = calloc(1, sizeof *s);
    unsigned long long number;
    if (!s) return error_set(err, ERR_MEMORY, "out of memory for a session");
    if (store_session_end(store, err) < 0 || store_check_host(store, err) < 0) {
        free(s);
        return -1;
    }
    s->store = store;
    sqlite3_randomness(sizeof number, &number);
    identify(&s->self);
    owner_text(&s->self, number, store->owner);
    start_beat(s);
    store->session = s;
    return 0;
}

int store_session_end(struct store *store, struct error *err)
{
    struct store_session *s = store->session;
    char sql[STORE_OWNER_SIZE + 120];
    if (!s) return 0;
    stop_beat(s);
    /* and what a process that died had claimed after another had stored it, which nobody asks for again */
    snprintf(sql, sizeof sql, "DELETE FROM claims WHERE owner = '%s' OR key IN (SELECT key FROM runs)", store->owner);
    store->session = NULL;
    *store->owner = '\0';
    free(s);
    return store_begin(store, err) < 0 ? -1 : store_end(store, store_execute(store, sql, err), err);
}

/* ---- claims ---- */

/* Nobody's, ours, a dead process's or a living one's; *pid is then that process. */
enum holder { HOLDER_NONE, HOLDER_US, HOLDER_DEAD, HOLDER_OTHER };
static int find_holder(struct store *store, const char *key, enum holder *out, long *pid, struct error *err)
{
    sqlite3_stmt *statement;
    struct process p;
    if (store_statement(store, &statement, STORE_CLAIMED, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    const char *owner = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "";
    *out = HOLDER_NONE;
    if (step == SQLITE_ROW && strcmp(owner, store->owner) == 0) *out = HOLDER_US;
    else if (step == SQLITE_ROW) {
        const bool is_other =
            read_owner(&p, owner) && lives(&store->session->self, &p, sqlite3_column_int64(statement, 1));
        *out = is_other ? HOLDER_OTHER : HOLDER_DEAD;
        if (is_other) *pid = p.pid;
    }
    sqlite3_reset(statement);
    return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : store_fail(store, err, "reading a claim");
}

int store_is_taken(struct store *store, const char *key, long *pid, struct error *err)
{
    enum holder holder;
    return find_holder(store, key, &holder, pid, err) < 0 ? -1 : holder == HOLDER_OTHER;
}

static int claim_one(struct store *store, const char *key, enum store_claim *out, struct error *err)
{
    sqlite3_stmt *statement;
    enum holder holder;
    long pid;
    if (find_holder(store, key, &holder, &pid, err) < 0) return -1;
    *out = holder == HOLDER_OTHER  ? STORE_CLAIM_TAKEN
           : holder == HOLDER_DEAD ? STORE_CLAIM_LEFT_OVER
                                   : STORE_CLAIM_MINE;
    if (holder == HOLDER_OTHER || holder == HOLDER_US) return 0;
    if (store_statement(store, &statement, STORE_CLAIM, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, store->owner, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)time(NULL));
    return store_step_done(store, statement, err);
}

int store_claim_keys(struct store *store, const char (*keys)[HASH_TEXT_SIZE], size_t n, enum store_claim *out,
                     struct error *err)
{
    for (size_t i = 0; i < n; i++)
        if (claim_one(store, keys[i], &out[i], err) < 0) return -1;
    return 0;
}
