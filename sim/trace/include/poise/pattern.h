/* Launches whose accesses are asked for in numbers, written as a trace: no program runs, so that every count is exact
 * and no loop or address computation stands between two loads.
 *
 * A launch is warps that all do the same: `flight` loads, then the computing that uses them, and again. A load belongs
 * to one of up to four streams; streams take turns by their `share`. A stream walks, or draws from, a set of lines of
 * 128 bytes that a warp has for itself or shares with others:
 *
 *   scan    load i of a warp in this stream touches `degree` lines: place q = i / hold mod (lines / degree) of its set,
 *           hold = 128 / drift loads one after another on the same lines, each lane `drift` bytes further in its line.
 *           After `passes` walks over the set the next `lines` lines are its set
 *   gather  every `hold` loads each of the `degree` parts of a warp draws a line of the set by Zipf's law: the line of
 *           rank r with probability proportional to r^-skew
 *
 * With pitch 0 the lines of a load are neighbours; otherwise each part of the warp has a row of its own, which begins
 * `pitch` lines after the row of the part before, and sets that follow one another lie along the rows.
 *
 * What follows for the measures of poise/locality.h, with n loads of each of w warps:
 *   loads = w n; other instructions = in w n, the EXIT among them; a load of a scan touches exactly `degree` lines,
 *   one of a gather at most as many; a private scan touches an own line passes x hold times, with degree - 1 other
 *   lines of its own in between within a hold and lines - 1 from walk to walk. */
#ifndef POISE_PATTERN_H
#define POISE_PATTERN_H
#include "poise/table.h"
#include "poise/trace.h"

#define PATTERN_VERSION 1 /* of the writer: rises when the same knobs give other bytes */
#define PATTERN_STREAMS_MAX 4
enum pattern_kind { PATTERN_SCAN, PATTERN_GATHER };

#define PATTERN_LAUNCH(P) \
    P(U32, blocks, 192, 1, 65535, "blocks", "assumed", "blocks of the launch") \
    P(U32, warps, 8, 1, 32, "warps", "assumed", "warps of a block") \
    P(U32, registers, 20, 8, 255, "registers", "assumed", \
      "of a thread: they limit how many warps an SM holds; with 20 it holds 48 on kepler32") \
    P(U32, loads, 256, 1, 1000000, "loads", "assumed", "of each warp, of all streams") \
    P(U32, in, 8, 1, 100000, "instructions", "assumed", "I_n: other instructions of a warp for each load, exactly") \
    P(U32, flight, 1, 1, 16, "loads", "assumed", "loads that a warp issues before it uses the first of them") \
    P(U32, chains, 1, 1, 8, "chains", "assumed", \
      "independent chains that the computing makes up, one operation each in turn") \
    P(U32, streams, 1, 1, PATTERN_STREAMS_MAX, "streams", "assumed", \
      "streams, each with the knobs below; lists have one value each") \
    P(U32, seed, 1, 0, 4294967295.0, "1", "assumed", "where sets lie, and what is drawn")
PARAM_STRUCT(pattern_launch, PATTERN_LAUNCH);

#define PATTERN_STREAM(P) \
    P(ENUM, pattern, 0, 0, 1, "scan|gather", "assumed", "sets are walked in order, or lines are drawn from them") \
    P(U32, share, 1, 1, 64, "loads", "assumed", "loads of this stream in each turn of all streams") \
    P(U32, degree, 1, 1, 32, "lines", "assumed", "lines that a load touches") \
    P(U32, lines, 32, 1, 1048576, "lines", "assumed", "lines of a set; of a scan a multiple of degree") \
    P(U32, passes, 0, 0, 1000000, "walks", "assumed", \
      "scan: walks over a set before the next one; 0: one set to the end") \
    P(U32, sharers, 1, 0, 1048576, "warps", "assumed", \
      "warps one after another that have a set in common; 0: all of the launch") \
    P(U32, drift, 128, 4, 128, "bytes", "assumed", \
      "from one load to the next within the lines; divides 128, and 128 means new lines at every load") \
    P(U32, pitch, 0, 0, 1048576, "lines", "assumed", \
      "scan: from the row of one part of a warp to the next part's; 0: no rows") \
    P(F64, skew, 0, 0, 4, "exponent", "assumed", "gather: of Zipf's law; 0: every line as likely")
PARAM_STRUCT(pattern_stream, PATTERN_STREAM);

struct pattern {
    struct pattern_launch launch;
    struct pattern_stream streams[PATTERN_STREAMS_MAX];
};

void pattern_defaults(struct pattern *pattern);
/* "degree", "8,32": a stream's knob takes a list, whose last value stands for the streams after it. Errors: unknown
 * knob (with the nearest one), not a value, out of range. */
int pattern_set(struct pattern *pattern, const char *name, const char *text, struct error *err);
/* Knobs that contradict one another: says which, and what would do. */
int pattern_check(const struct pattern *pattern, struct error *err);
/* Knobs as text, "blocks=192 warps=8 ...": the same knobs give the same bytes. Returns `text`. */
#define PATTERN_TEXT_MAX 1024
const char *pattern_text(const struct pattern *pattern, char text[PATTERN_TEXT_MAX]);
void pattern_help(FILE *out);
/* Checks, then writes the trace to `path` (may be NULL) and to *out (may be NULL); its kernel is called `pattern`. */
int pattern_write(const struct pattern *pattern, const char *path, struct trace **out, struct error *err);
#endif
