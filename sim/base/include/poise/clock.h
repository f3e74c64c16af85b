/* Seconds, for what is measured and for deadlines. */
#ifndef POISE_CLOCK_H
#define POISE_CLOCK_H
double clock_s(void);      /* monotonic */
double thread_cpu_s(void); /* processor time of this thread: what its work costs, whoever else uses the machine */
#endif
