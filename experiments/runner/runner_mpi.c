/* The processes of a sweep over MPI ranks, and their mail.
 *
 *     rank 0   batch ---> ranks: options, configurations (each once), runs     <--- results, signs of life
 *     rank k   messages ---> OpenMP tasks, one thread more than runs: it talks, the others simulate
 *
 * Both sides poll with pauses: a waiting rank leaves its processor to others. Nobody blocks in a send, so neither a
 * dead rank nor two that send at once can hold the other up. Nor does the end: rank 0 sends the others home and
 * waits for their answers, but not for ranks that are lost, and MPI_Finalize does without its barrier, in which Open
 * MPI 4.1 may wait for a dead process for ever. */
#include "runner/runner_mpi.h"

#include <errno.h>
#include <fcntl.h>
#include "runner/mpi_library.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANK_TIMEOUT_S = 60 };

struct hello {
    char version[48];
    int model;
    uint64_t stats_size, error_size;
    unsigned threads;
    bool has_beat;
};
struct mail {
    MPI_Request request;
    char *data;
};

/* ---- mail ---- */

void mail_sweep(struct ranks *r)
{
    size_t kept = 0;
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->n_outbox; i++) {
        int is_sent = 0;
        mpi.Test(&r->outbox[i].request, &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) free(r->outbox[i].data);
        else r->outbox[kept++] = r->outbox[i];
    }
    pthread_mutex_unlock(&r->lock);
    r->n_outbox = kept;
}

int mail_post(struct ranks *r, int to, int tag, char *data, size_t size, struct error *err)
{
    if (r->n_outbox == r->cap_outbox) {
        const size_t capacity = 2 * r->cap_outbox + 64;
        struct mail *outbox = realloc(r->outbox, capacity * sizeof *outbox);
        if (!outbox) {
            free(data);
            return error_set(err, ERR_MEMORY, "out of memory for messages");
        }
        r->outbox = outbox;
        r->cap_outbox = capacity;
    }
    struct mail *mail = &r->outbox[r->n_outbox++];
    mail->data = data;
    r->load.messages++;
    pthread_mutex_lock(&r->lock);
    mpi.Isend(data, (int)size, mpi.bytes, to, tag, mpi.world, &mail->request);
    pthread_mutex_unlock(&r->lock);
    return 0;
}

int mail_post_text(struct ranks *r, int to, int tag, char *text, struct error *err)
{
    return text ? mail_post(r, to, tag, text, strlen(text), err)
                : error_set(err, ERR_MEMORY, "out of memory for a message");
}

static char *take(int *from, int *tag, size_t *size)
{
    int is_there = 0, n = 0;
    MPI_Status status;
    mpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi.world, &is_there, &status);
    if (!is_there) return NULL;
    mpi.Get_count(&status, mpi.bytes, &n);
    char *data = calloc(1, (size_t)n + 1);
    if (!data) return NULL; /* it stays and is asked for again */
    mpi.Recv(data, n, mpi.bytes, status.MPI_SOURCE, status.MPI_TAG, mpi.world, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *size = (size_t)n;
    return data;
}

char *mail_take(struct ranks *r, int *from, int *tag, size_t *size)
{
    pthread_mutex_lock(&r->lock);
    char *data = take(from, tag, size);
    pthread_mutex_unlock(&r->lock);
    r->load.messages += data != NULL;
    return data;
}

void mail_rest(unsigned *pause_us)
{
    usleep(*pause_us);
    *pause_us = *pause_us * 2 < PAUSE_MAX_US ? *pause_us * 2 : PAUSE_MAX_US;
}

/* ---- begin and end ---- */

/* This rank's share of its node: what it may run on, and not more than the node has for each of its simulating
 * ranks. */
static unsigned share_of_node(int rank)
{
    MPI_Comm node;
    int n = 1, first_here = 0;
    mpi.Comm_split_type(mpi.world, MPI_COMM_TYPE_SHARED, 0, mpi.no_info, &node);
    mpi.Comm_size(node, &n);
    const int is_first = rank == 0;
    mpi.Allreduce(&is_first, &first_here, 1, mpi.integer, mpi.max, node);
    mpi.Comm_free(&node);
    const long online = sysconf(_SC_NPROCESSORS_ONLN), workers = n - first_here;
    const long share = workers > 0 && online / workers > 1 ? online / workers : 1, allowed = omp_get_num_procs();
    return (unsigned)(share < allowed ? share : allowed);
}

/* MPI begins once in a rank, whatever programs run in it one after another; where it is begun again it ends the job. So
 * the first leaves a file in the launcher's own folder, which goes with the job. */
static int check_first_command(struct error *err)
{
    static const char *const folders[] = {"PMIX_SERVER_TMPDIR", "OMPI_MCA_orte_jobfam_session_dir"};
    const char *dir = NULL, *job = getenv("PMIX_NAMESPACE");
    char path[1200];
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !dir; i++) dir = getenv(folders[i]);
    if (!dir || !job) return 0;
    snprintf(path, sizeof path, "%.1000s/poise-%.100s-%u", dir, job, ranks_number());
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    if (fd >= 0 || errno != EEXIST) return 0;
    error_set(err, ERR_USAGE, "a second command of poise in one rank: MPI begins and ends once in each");
    return error_at(err, NULL, 0, -1,
                    "start each command with its own mpirun or srun, or unset PMIX_RANK and OMPI_COMM_WORLD_SIZE for a "
                    "plain run");
}

int ranks_begin(struct ranks **out, struct error *err)
{
    int provided, result = 0;
    *out = NULL;
    if (ranks_launched() <= 1) return 0;
    if (check_first_command(err) < 0 || mpi_load(err) < 0) return -1;
    struct ranks *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, ERR_MEMORY, "out of memory for ranks");
    const char *timeout = getenv("POISE_RANK_TIMEOUT");
    r->timeout_s = timeout && atof(timeout) > 0 ? atof(timeout) : RANK_TIMEOUT_S;
    setenv("OMPI_MCA_async_mpi_finalize", "1", 0); /* no barrier in MPI_Finalize: ranks_end has its own farewell */
    pthread_mutex_init(&r->lock, NULL);
    mpi.Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    mpi.Comm_set_errhandler(mpi.world, mpi.errors_return);
    mpi.Comm_rank(mpi.world, &r->rank);
    mpi.Comm_size(mpi.world, &r->size);
    struct hello mine = {.model = SIM_MODEL_VERSION,
                         .stats_size = gpu_stat_table.size,
                         .error_size = sizeof *err,
                         .threads = share_of_node(r->rank),
                         .has_beat = provided >= MPI_THREAD_SERIALIZED};
    snprintf(mine.version, sizeof mine.version, "%s", POISE_VERSION);
    struct hello *all = calloc((size_t)r->size, sizeof *all);
    r->peers = calloc((size_t)r->size, sizeof *r->peers);
    if (!all || !r->peers) mpi.Abort(mpi.world, 1);
    mpi.Allgather(&mine, sizeof mine, mpi.bytes, all, sizeof mine, mpi.bytes, mpi.world);
    for (int i = 0; i < r->size && result == 0; i++) {
        r->peers[i].threads = all[i].threads;
        if (all[i].model != mine.model || all[i].stats_size != mine.stats_size ||
            all[i].error_size != mine.error_size || strcmp(all[i].version, mine.version) != 0)
            result =
                error_set(err, ERR_USAGE,
                          "rank %d runs poise %s, model %d, another build than rank %d: install the same on all nodes",
                          i, all[i].version, all[i].model, r->rank);
    }
    r->has_beat = all[0].has_beat;
    free(all);
    *out = r;
    r->load.ranks = (unsigned)r->size;
    if (result == 0 && r->size > 1 && r->rank == 0 && r->has_beat && !(r->beat = beat_begin(r)))
        result = error_set(err, ERR_MEMORY, "no thread for rank 0's signs of life");
    if (result == 0 && r->size > 1) return 0;
    ranks_end(r);
    *out = NULL;
    return result;
}

static bool is_awaited(const struct ranks *r, double silence_s)
{
    for (int i = 1; i < r->size; i++)
        if (!r->peers[i].is_lost && !r->peers[i].is_home && silence_s < r->timeout_s) return true;
    return false;
}

/* Returns when all have answered, or those that are missing have been silent for the timeout. */
static void send_home(struct ranks *r)
{
    struct error ignored;
    double heard = clock_s();
    unsigned pause_us = PAUSE_MIN_US;
    for (int i = 1; i < r->size; i++) mail_post_text(r, i, TAG_HOME, strdup(" "), &ignored);
    while (is_awaited(r, clock_s() - heard)) {
        int from, tag;
        size_t size;
        char *data = mail_take(r, &from, &tag, &size);
        if (data) {
            r->peers[from].is_home |= tag == TAG_BYE;
            heard = clock_s();
            pause_us = PAUSE_MIN_US;
        } else {
            mail_sweep(r);
            mail_rest(&pause_us);
        }
        free(data);
    }
}

void ranks_end(struct ranks *r)
{
    struct error ignored;
    if (!r) return;
    beat_end(r->beat);
    if (r->rank == 0) send_home(r);
    else mail_post_text(r, 0, TAG_BYE, strdup(" "), &ignored);
    const double until = clock_s() + 1;
    for (unsigned pause_us = PAUSE_MIN_US; r->n_outbox && clock_s() < until; mail_rest(&pause_us)) mail_sweep(r);
    for (size_t i = 0; i < r->n_outbox; i++) { /* to a lost rank */
        mpi.Cancel(&r->outbox[i].request);
        mpi.Request_free(&r->outbox[i].request);
    }
    mpi.Finalize();
    pthread_mutex_destroy(&r->lock);
    free(r->outbox);
    free(r->peers);
    free(r);
}

bool ranks_is_first(const struct ranks *r) { return !r || r->rank == 0; }
const struct ranks_load *ranks_load(const struct ranks *r) { return r ? &r->load : NULL; }
