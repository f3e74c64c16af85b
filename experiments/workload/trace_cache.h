/* Looking after the folder of recorded traces. Internal to poise_lab. */
#ifndef POISE_TRACE_CACHE_H
#define POISE_TRACE_CACHE_H
enum { CACHE_DAYS = 60 };
/* This trace folder is in use today. */
void cache_touch(const char *dir);
/* Removes folders NAME.PID.tmp in which a recording was made that was killed: its process is gone, and nobody holds the
 * lock of NAME, here or on another host. What has no such lock is none of ours. `held`: the folder whose lock the
 * caller has. */
void cache_clear(const char *traces, const char *held);
/* Removes trace folders and decoded files that nobody used for CACHE_DAYS. What cannot be removed stays. */
void cache_forget(const char *traces);
#endif
