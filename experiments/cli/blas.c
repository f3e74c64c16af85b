/* OpenBLAS reads in its constructor, before main(), how many threads it is to start, and takes a buffer of 128 MiB and
 * a stack for each. Where address space is short (ulimit -v) it tries that again for ever, and no command could say
 * why. The program needs one thread of it (numerics.c): OpenBLAS asks this function through its own table of symbols,
 * in which the program's comes first, and then starts none and takes no buffer until it is called. Another BLAS does
 * not ask, and nothing happens. */
int openblas_num_threads_env(void); /* instead of the value of OPENBLAS_NUM_THREADS */
__attribute__((visibility("default"), used)) int openblas_num_threads_env(void) { return 1; }
