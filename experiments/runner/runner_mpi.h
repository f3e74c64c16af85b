/* What the files of a sweep over MPI ranks share: runner_mpi.c has the processes and their mail,
 * runner_coordinator.c is rank 0, runner_worker.c the others. */
#ifndef POISE_RUNNER_MPI_H
#define POISE_RUNNER_MPI_H
#include <pthread.h>
#include <stddef.h>
#include "runner/runner_internal.h"
#include "runner/runner_ranks.h"

/* From rank 0: a batch's options, its configurations (each once), runs, and that nothing more comes. From the others:
 * results and an answer to TAG_HOME. From both: signs of life. */
enum { TAG_OPTIONS = 1, TAG_CONFIG, TAG_RUN, TAG_HOME, TAG_RESULT, TAG_BEAT, TAG_BYE };

struct peer {
    unsigned threads;
    double heard;
    size_t n_out;     /* runs that it has */
    size_t n_configs; /* of this batch, sent to it */
    bool is_lost;     /* not heard of */
    bool is_stopped;  /* it was interrupted, and begins no run */
    bool is_home;     /* it has answered TAG_HOME */
};
struct ranks {
    int rank, size;
    struct peer *peers; /* rank 0 only, but for `threads` */
    uint64_t batch;
    double timeout_s;
    bool has_beat;        /* rank 0 gives signs of life */
    struct beat *beat;    /* rank 0 only */
    pthread_mutex_t lock; /* MPI is called by one thread at a time */
    struct mail *outbox;
    size_t n_outbox, cap_outbox;
    struct ranks_load load;
};
/* In front of a result's bytes. */
struct result_head {
    uint64_t batch, number;
    double seconds;
};

/* Messages go out and come in without waiting. Posting takes the data; NULL text: out of memory. */
int mail_post(struct ranks *r, int to, int tag, char *data, size_t size, struct error *err);
int mail_post_text(struct ranks *r, int to, int tag, char *text, struct error *err);
/* The next message, if one is there: the caller's text with a 0 behind it. */
char *mail_take(struct ranks *r, int *from, int *tag, size_t *size);
void mail_sweep(struct ranks *r); /* frees what is sent */
/* Every BEAT_S seconds, or more often where the limit is short, a rank that the other side waits for gives a sign of
 * life. */
enum { BEAT_S = 2 };
struct beat *beat_begin(struct ranks *r); /* NULL: no thread could be started */
void beat_end(struct beat *b);            /* accepts NULL */
/* A pause that grows while nothing comes; it begins with PAUSE_MIN_US. */
enum { PAUSE_MIN_US = 50, PAUSE_MAX_US = 2000 };
void mail_rest(unsigned *pause_us);
#endif
