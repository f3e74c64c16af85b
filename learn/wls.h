/* Weighted least squares by orthogonal factorisation, rows fed in blocks: [R q] is kept, the rows are not.
 * (private)
 *
 *   [ previous R  q ]
 *   [ next block    ] --dgeqrf--> [ R  q ]         at the end dgeqp3 of R (column pivoting)
 *
 * Normal equations would square the condition number; a block that stays in cache makes one pass over the data
 * enough. */
#ifndef POISE_LEARN_WLS_H
#define POISE_LEARN_WLS_H
#include <stdbool.h>
#include <stddef.h>

#define WLS_RHS 2
#define WLS_BLOCK 512
struct wls {
    size_t r, cols, ld, filled; /* columns of the design; + WLS_RHS; rows of the block */
    bool has_failed;            /* LAPACK refused a block since wls_begin(): wls_solve() says no */
    double *memory, *block, *factor, *tau, *work, *norms;
    int *pivots;
    size_t work_size;
    /* after wls_solve() */
    double *steps[WLS_RHS];            /* r values each */
    double products[WLS_RHS][WLS_RHS]; /* q_a . q_b = b_a' A (A'A)^-1 A' b_b */
    size_t deficient;                  /* columns that pivoting found to depend on others: their steps are 0 */
};
int wls_init(struct wls *wls, size_t r); /* -1: out of memory */
void wls_fini(struct wls *wls);
void wls_begin(struct wls *wls);
/* Room for `count` <= WLS_BLOCK rows: column c starts at result + c * wls->ld; columns r and r + 1 are the
 * right-hand sides. */
double *wls_rows(struct wls *wls, size_t count);
bool wls_solve(struct wls *wls);                       /* false: something was not finite */
void wls_variances(struct wls *wls, double *diagonal); /* of (A'A)^-1; after wls_solve() */
void wls_covariance(struct wls *wls, double *matrix);  /* all of (A'A)^-1, r x r; 0 in deficient directions; after
                                                        * wls_solve() */
/* The triangular factor before pivoting, column-major r x r with leading dimension wls->ld; instead of wls_solve(). */
const double *wls_triangle(struct wls *wls);
#endif
