// pvr: page view rank. The complete MapReduce pipeline: count, scan, emit, group (insert, scan, scatter), reduce, rank.
// A map task is one record of a web log, a thread walks its own record word by word (uncoalesced); a reduce task is one
// page, a thread gathers the values of that page's records.
//
// A record is a visitor, an HTTP status, the bytes sent and a URL of words that a zero word ends. A value (what map emits)
// is `value_words` words long, of which the first three are bytes, visitor and 1.
#include "mapreduce.cuh"

#define RECORD_STATUS 1
#define RECORD_BYTES 2
#define RECORD_URL 3
#define STATUS_OK 200

// How many key/value pairs each record will emit: one for a page that was delivered and whose URL is short enough.
extern "C" __global__ void pvr_count(const u32 *log, const u32 *first, u32 max_url_words, u32 *counts, u32 n)
{
    u32 task = thread_index();
    if (task >= n) return;
    const u32 *record = log + first[task], *url = record + RECORD_URL;
    u32 status = record[RECORD_STATUS];
#pragma unroll 1
    while (*url != 0) url++;
    counts[task] = status == STATUS_OK && url <= record + RECORD_URL + max_url_words ? 1 : 0;
}

extern "C" __global__ void pvr_emit(const u32 *log, const u32 *first, const u32 *counts, const u32 *offsets, u32 *keys, u32 *values,
                                    u32 value_words, u32 n)
{
    u32 task = thread_index();
    if (task >= n || counts[task] == 0) return;
    const u32 *record = log + first[task], *url = record + RECORD_URL;
    u32 hash = 2166136261u;
#pragma unroll 1
    for (u32 word; (word = *url) != 0; url++) hash = (hash ^ word) * 16777619u;
    hash ^= hash >> 15;
    u32 at = offsets[task];
    keys[at] = hash ? hash : 1;
    u32 *value = values + at * value_words;
    value[0] = record[RECORD_BYTES];
    value[1] = record[0];
    value[2] = 1;
}

// A page's views, bytes and latest visitor number.
extern "C" __global__ void pvr_reduce(const u32 *start, const u32 *order, const u32 *values, u32 value_words, u32 *views, u32 *bytes,
                                      u32 *last_visitor, u32 n_slots)
{
    u32 slot = thread_index();
    if (slot >= n_slots) return;
    u32 end = start[slot + 1], n_views = 0, sum = 0, last = 0;
#pragma unroll 1
    for (u32 i = start[slot]; i < end; i++) {
        const u32 *value = values + order[i] * value_words;
        sum += value[0];
        u32 visitor = value[1];
        last = visitor > last ? visitor : last;
        n_views += value[2];
    }
    views[slot] = n_views;
    bytes[slot] = sum;
    last_visitor[slot] = last;
}

// Ranking is a second pass with the views as the key: bin 0 holds the most viewed pages.
extern "C" __global__ void pvr_rank_count(const u32 *views, u32 *bins, u32 n_bins, u32 n_slots)
{
    u32 slot = thread_index();
    if (slot >= n_slots) return;
    u32 v = views[slot];
    if (v) atomicAdd(&bins[v < n_bins ? n_bins - 1 - v : 0], 1);
}

extern "C" __global__ void pvr_rank_place(const u32 *views, const u32 *table, u32 *bins, const u32 *bin_start, u32 n_bins, u32 *ranking,
                                          u32 n_slots)
{
    u32 slot = thread_index();
    if (slot >= n_slots) return;
    u32 v = views[slot];
    if (v == 0) return;
    u32 bin = v < n_bins ? n_bins - 1 - v : 0;
    ranking[bin_start[bin] + atomicAdd(&bins[bin], ~0u) - 1] = table[slot];
}
