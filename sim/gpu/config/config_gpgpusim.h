/* Internal to the importer of gpgpusim.config: options as read, and what the mapping rows use. */
#ifndef CONFIG_GPGPUSIM_H
#define CONFIG_GPGPUSIM_H
#include "config/params.h"
#include "poise/gpgpusim.h"
#include "poise/gpu.h"

#define LENIENT_HINT "mend the file, or leave out what is wrong in it with --lenient, which lists what it left out"
enum { OPTIONS_MAX = 1000, VALUE_MAX = 1024 };
struct option {
    char *name, *value; /* without the dash */
    const char *file;
    long line;
    bool has_value, is_used, is_absent;
};
struct importing {
    struct gpu_params *params;
    struct option *options;
    size_t n;
    const struct option *now; /* the one being mapped: errors name it */
    char text[600];           /* what became of it */
    char why[400];            /* why it was refused */
    bool is_mapped, is_lenient;
    const char *file; /* the first one: the machine is called after it */
    struct gpgpusim_notes *notes;
    struct error *err;
};
#define OURS ""
struct mapping;
typedef int map_fn(struct importing *im, const struct mapping *row, const char *value);
struct mapping {
    const char *option;
    const char *otherwise; /* the other simulator's default, used where the file does not say; one that cannot be
                            * read is refused, so that the file has to say. OURS: ours stays, with a note; NULL: ours
                            * stays, and is what the other simulator takes */
    map_fn *map;           /* NULL: ignored, for the reason in `target` */
    const char *target;    /* parameter, or the reason */
};
extern const struct mapping gpgpusim_mappings[];
extern const size_t n_gpgpusim_mappings;

/* config_gpgpusim_names.c. Is there an option of this name in the other simulators? */
bool option_is_known(const char *name);
/* Refuses an unknown name, a missing value, and what is no number where one is needed; a number becomes decimal. */
int option_check(struct importing *im, struct option *o);

/* config_gpgpusim_options.c. The option's value, or `otherwise` if the files do not have it; marks nothing. */
const char *option_value(const struct importing *im, const char *name, const char *otherwise);
double option_number(const struct importing *im, const char *name, double otherwise);
/* Sets a parameter and says so in the note. */
int put(struct importing *im, const char *parameter, double value);
int put_text(struct importing *im, const char *parameter, const char *value);
void remark(struct importing *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
int refuse(struct importing *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "4,13,4,5,145,32" -> numbers; fewer than `needed`, or another text where they end, is an error. `rest`: what may
 * follow the last one and its comma; NULL: nothing. */
enum { LIST_MAX = 20 };
int numbers_then(struct importing *im, const char *value, double out[LIST_MAX], int needed, const char **rest);
int numbers(struct importing *im, const char *value, double out[LIST_MAX], int needed);
/* One of a few numbers, which the other simulator has names for. */
int refuse_beyond(struct importing *im, const char *value, int most);

#define FAIL_IF(call) \
    do { \
        if ((call) < 0) return -1; \
    } while (0)
static inline bool is_local_network(const struct importing *im) { return option_number(im, "network_mode", 1) == 2; }
static inline bool has_sub_cores(const struct importing *im)
{
    return option_number(im, "gpgpu_sub_core_model", 0) == 1;
}
static inline bool skips_l1(const struct importing *im) { return option_number(im, "gpgpu_gmem_skip_L1D", 0) == 1; }
/* Requests are sectors from Maxwell on, and where L1 is not looked up. */
static inline bool has_sector_requests(const struct importing *im)
{
    const double arch = option_number(im, "gpgpu_coalesce_arch", 13);
    return arch >= 40 || (arch >= 20 && skips_l1(im));
}
/* config_gpgpusim_cache.c: options of caches and of the queues beside them. */
/* config_gpgpusim_dram.c */
map_fn map_write_queue, map_dram_banks, map_dram_latency, map_group_index, map_bus, map_dram_queue, map_addresses,
    map_timing, map_dram_scheduler;
map_fn map_l1, map_l2, map_partition_queues, map_icache, map_read_only;
#endif
