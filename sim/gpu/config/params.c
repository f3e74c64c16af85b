#include "config/params.h"

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/gpgpusim.h"
#include "poise/gpu.h"
#include "poise/yaml.h"
#include "poise/log2.h"

#define G(group, ROWS) static const struct param_row group##_rows[] = {ROWS(ROW_##group)};
#define ROW_clock(...) PARAM_ROW_OF(clock_params, __VA_ARGS__)
#define ROW_core(...) PARAM_ROW_OF(core_params, __VA_ARGS__)
#define ROW_lsu(...) PARAM_ROW_OF(lsu_params, __VA_ARGS__)
#define ROW_l1(...) PARAM_ROW_OF(l1_params, __VA_ARGS__)
#define ROW_xbar(...) PARAM_ROW_OF(xbar_params, __VA_ARGS__)
#define ROW_l2(...) PARAM_ROW_OF(l2_params, __VA_ARGS__)
#define ROW_fetch(...) PARAM_ROW_OF(fetch_params, __VA_ARGS__)
#define ROW_ideal(...) PARAM_ROW_OF(ideal_params, __VA_ARGS__)
#define ROW_cpu(...) PARAM_ROW_OF(cpu_params, __VA_ARGS__)
#define ROW_energy(...) PARAM_ROW_OF(energy_params, __VA_ARGS__)
#define ROW_dram(...) PARAM_ROW_OF(dram_params, __VA_ARGS__)
#define ROW_sass(...) PARAM_ROW_OF(sass_params, __VA_ARGS__)
PARAM_GROUPS(G)
#undef G

static const struct gpu_param_group groups[] = {
#define G(group, ROWS) \
    {{#group, group##_rows, COUNT_OF(group##_rows), sizeof(struct group##_params)}, offsetof(struct gpu_params, group)},
    PARAM_GROUPS(G)
#undef G
};
#define NAME_OF(group, ROWS) " " #group
#define GROUP_NAMES PARAM_GROUPS(NAME_OF) /* " clock core .." */

const struct gpu_param_group *gpu_param_groups(size_t *n)
{
    *n = COUNT_OF(groups);
    return groups;
}

struct gpu_params *gpu_params_new(void)
{
    struct gpu_params *params = calloc(1, sizeof *params);
    if (!params) return NULL;
    strcpy(params->name, "kepler32");
    for (size_t i = 0; i < COUNT_OF(groups); i++) params_defaults(&groups[i].table, (char *)params + groups[i].offset);
    return params;
}

struct gpu_params *gpu_params_copy(const struct gpu_params *params)
{
    struct gpu_params *copy = malloc(sizeof *copy);
    if (copy) *copy = *params;
    return copy;
}

void gpu_params_free(struct gpu_params *params) { free(params); }

static const struct gpu_param_group *find_group(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (strlen(groups[i].table.owner) == length && strncmp(groups[i].table.owner, name, length) == 0)
            return &groups[i];
    return NULL;
}

/* Of GROUP.NAME; *name is then behind the dot. */
static const struct gpu_param_group *group_of(const char *dotted, const char **name)
{
    const char *dot = strchr(dotted, '.');
    *name = dot ? dot + 1 : NULL;
    return dot ? find_group(dotted, (size_t)(dot - dotted)) : NULL;
}

/* Sets what the DRAM part of that name has; of no other name anything. */
static int dram_part_set(struct gpu_params *params, const char *name, struct error *err)
{
    size_t n;
    const struct gpu_dram_part *parts = gpu_dram_parts(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(parts[i].part, name) == 0 && gpu_params_set(params, parts[i].parameter, parts[i].value, err) < 0)
            return -1;
    return 0;
}

int gpu_params_set(struct gpu_params *params, const char *dotted, const char *text, struct error *err)
{
    const char *name;
    const struct gpu_param_group *group = group_of(dotted, &name);
    if (!group) return error_set(err, ERR_INPUT, "'%s': a parameter is GROUP.NAME with a group of" GROUP_NAMES, dotted);
    if (strcmp(dotted, "dram.part") == 0 && dram_part_set(params, text, err) < 0) return -1;
    return params_set(&group->table, (char *)params + group->offset, name, text, err);
}

const struct param_row *gpu_params_find(const struct gpu_params *params, const char *dotted, const void **of)
{
    const char *name;
    const struct gpu_param_group *group = group_of(dotted, &name);
    if (!group) return NULL;
    *of = (const char *)params + group->offset;
    return params_find(&group->table, name);
}

static int load_file(struct gpu_params *params, const char *path, const char *dir, int depth, struct error *err);

static int load_tree(struct gpu_params *params, const struct yaml_file *file, const char *dir, int depth,
                     struct error *err)
{
    const struct yaml_node *root = yaml_root(file), *base = yaml_get(root, "base"), *name = yaml_get(root, "name");
    if (!root || root->kind != YAML_MAP) return yaml_error(file, root, err, "a configuration is a map of groups");
    if (yaml_get(root, "kind"))
        return yaml_error(file, yaml_get(root, "kind"), err, "this is the spec of an experiment, not a configuration");
    if (base) {
        if (base->kind != YAML_SCALAR || strchr(base->text, '/'))
            return yaml_error(file, base, err, "base: the name of a preset is needed");
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.yaml", dir, base->text);
        if (depth > 8)
            return yaml_error(file, base, err, "presets inherit from each other in a ring, or more than 8 deep");
        if (load_file(params, path, dir, depth + 1, err) < 0) return -1;
    }
    const struct yaml_node *dram = yaml_get(root, "dram"), *part = dram ? yaml_get(dram, "part") : NULL;
    if (part && part->kind == YAML_SCALAR && dram_part_set(params, part->text, err) < 0) return -1;
    if (name && name->kind == YAML_SCALAR) snprintf(params->name, sizeof params->name, "%.63s", name->text);
    for (size_t i = 0; i < root->n; i++) {
        const char *key = root->keys[i];
        if (!strcmp(key, "name") || !strcmp(key, "base") || !strcmp(key, "doc")) continue;
        const struct gpu_param_group *group = find_group(key, strlen(key));
        if (!group) return yaml_error(file, root->items[i], err, "no group '%s': groups are" GROUP_NAMES, key);
        if (yaml_params(file, root->items[i], &group->table, (char *)params + group->offset, err) < 0) return -1;
    }
    return 0;
}

static int load_file(struct gpu_params *params, const char *path, const char *dir, int depth, struct error *err)
{
    struct yaml_file *file;
    if (yaml_load(&file, path, err) < 0) return error_while(err, "configuration");
    const int result = load_tree(params, file, dir, depth, err);
    yaml_file_free(file);
    return result;
}

enum { PRESETS_MAX = 128 };
static int is_preset(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

/* A name that no preset has: which is nearest? */
static int no_preset(const char *name, const char *dir, struct error *err)
{
    struct dirent **files = NULL;
    const char *names[PRESETS_MAX];
    size_t n = 0;
    const int found = scandir(dir, &files, is_preset, alphasort);
    for (int i = 0; i < found; i++) {
        files[i]->d_name[strlen(files[i]->d_name) - 5] = '\0';
        if (n < PRESETS_MAX) names[n++] = files[i]->d_name;
    }
    error_set(err, ERR_INPUT, "no configuration '%s' in %s%s", name, dir,
              did_you_mean(name, names, n, sizeof *names).text);
    for (int i = 0; i < found; i++) free(files[i]);
    free(files);
    return error_at(err, NULL, 0, -1, "`poise configs` lists the presets; a path to a YAML file works too");
}

int gpu_params_load(struct gpu_params *params, const char *name_or_path, const char *dir, struct error *err)
{
    char path[4096];
    const size_t n = strlen(name_or_path);
    const bool is_path = strchr(name_or_path, '/') || (n > 5 && !strcmp(name_or_path + n - 5, ".yaml"));
    if (gpgpusim_is_config(name_or_path)) {
        error_set(err, ERR_INPUT, "%s: a gpgpusim.config is read by --config alone", name_or_path);
        return error_at(err, name_or_path, 0, -1, "poise configs --import FILE.config -o FILE.yaml makes YAML of it");
    }
    if (is_path) snprintf(path, sizeof path, "%s", name_or_path);
    else snprintf(path, sizeof path, "%s/%s.yaml", dir, name_or_path);
    if (!is_path && access(path, F_OK) < 0) return no_preset(name_or_path, dir, err);
    if (load_file(params, path, dir, 0, err) < 0) {
        if (err->code == ERR_INPUT && !err->line)
            error_at(err, path, 0, -1, "`poise configs` lists the presets; a path to a YAML file works too");
        return -1;
    }
    return gpu_params_check(params, err);
}

int gpu_params_parse(struct gpu_params *params, const char *name, const char *text, size_t size, const char *dir,
                     struct error *err)
{
    struct yaml_file *file;
    if (yaml_parse(&file, name, text, size, err) < 0) return -1;
    const int result = load_tree(params, file, dir, 0, err);
    yaml_file_free(file);
    return result < 0 ? -1 : gpu_params_check(params, err);
}

/* A set index is defined for some numbers of sets only; `cache`: l1 or l2. */
static int check_set_index(const char *cache, uint32_t set_index, uint32_t sets, struct error *err)
{
    if (set_index == FERMI_INDEX && sets != 32 && sets != 64)
        return error_set(err, ERR_INPUT,
                         "%s.sets = %u: Fermi's set index is published for 32 and 64 sets; change %s.ways instead, or "
                         "choose %s.set_index=linear or hash",
                         cache, sets, cache, cache);
    if ((set_index == HASH_INDEX || set_index == FERMI_ANY_INDEX) && !is_power_of_two(sets))
        return error_set(err, ERR_INPUT, "%s.sets = %u: %s.set_index=%s needs a power of two", cache, sets, cache,
                         set_index == HASH_INDEX ? "hash" : "fermi_any");
    if (set_index == IPOLY_INDEX && (!is_power_of_two(sets) || sets > IPOLY_MOST))
        return error_set(err, ERR_INPUT, "%s.sets = %u: %s.set_index=ipoly needs a power of two up to %d", cache, sets,
                         cache, IPOLY_MOST);
    return 0;
}

static int check_sub_cores(const struct gpu_params *p, struct error *err)
{
    const struct core_params *c = &p->core;
    const struct {
        const char *name;
        uint32_t n;
    } shares[] = {{"sp_units", c->sp_units},         {"sfu_units", c->sfu_units},
                  {"int_units", c->int_units},       {"dp_units", c->dp_units},
                  {"branch_units", c->branch_units}, {"texture_units", c->texture_units},
                  {"tensor_units", c->tensor_units}, {"uniform_units", c->uniform_units},
                  {"collectors", c->collectors},     {"register_banks", c->register_banks}};
    if (!c->sub_cores && (c->collectors || c->read_steps > 1))
        return error_set(err, ERR_INPUT, "core.collectors = %u, core.read_steps = %u: these need core.sub_cores",
                         c->collectors, c->read_steps);
    for (size_t i = 0; c->sub_cores && i < COUNT_OF(shares); i++)
        if (shares[i].n % c->schedulers)
            return error_set(err, ERR_INPUT,
                             "core.%s = %u is not a multiple of core.schedulers = %u, as core.sub_cores needs",
                             shares[i].name, shares[i].n, c->schedulers);
    if (c->sub_cores && !c->register_banks)
        return error_set(err, ERR_INPUT, "core.sub_cores needs core.register_banks");
    return 0;
}

static int check_elastic(const struct l1_params *l1, struct error *err)
{
    const uint32_t chunks = l1->line_bytes / l1->chunk_bytes;
    const uint32_t lines = l1->unified_bytes ? l1->unified_bytes / l1->line_bytes : l1->sets * l1->ways;
    if (l1->chunk_bytes < 32 || chunks < 2)
        return error_set(err, ERR_INPUT,
                         "l1.chunk_bytes = %u: l1.organisation = elastic divides a line of l1.line_bytes = %u into "
                         "chunks of 32 or 64 bytes",
                         l1->chunk_bytes, l1->line_bytes);
    if (!is_power_of_two(l1->elastic_banks) || l1->elastic_banks > chunks)
        return error_set(err, ERR_INPUT,
                         "l1.elastic_banks = %u: a power of two is needed, of the %u chunks of a line at most",
                         l1->elastic_banks, chunks);
    if (l1->elastic_chunk_bits - log2_floor(chunks) + log2_floor(l1->sets) > 24)
        return error_set(err, ERR_INPUT, "l1.elastic_chunk_bits = %u: with l1.sets = %u at most %u",
                         l1->elastic_chunk_bits, l1->sets, 24 + log2_floor(chunks) - log2_floor(l1->sets));
    if (lines * chunks > 32768)
        return error_set(err, ERR_INPUT, "l1.ways = %u: l1.organisation = elastic has at most 32768 chunks, not %u",
                         l1->ways, lines * chunks);
    if (l1->streaming && lines > L1_CHUNKED_MSHRS)
        return error_set(err, ERR_INPUT,
                         "l1.streaming = 1: l1.organisation = elastic has at most %u lines with an MSHR each, not %u",
                         (unsigned)L1_CHUNKED_MSHRS, lines);
    if (l1->miss_queue < chunks)
        return error_set(err, ERR_INPUT, "l1.miss_queue = %u: a miss of l1.organisation = elastic may send %u requests",
                         l1->miss_queue, chunks);
    return 0;
}

/* An organisation that gives each chunk a place. */
static int check_places(const struct l1_params *l1, struct error *err)
{
    const uint32_t chunks = l1->line_bytes / l1->chunk_bytes, slots = l1->ways * chunks,
                   group = l1->tsc_group_chunks ? l1->tsc_group_chunks : chunks;
    if (!l1->flush_between) return error_set(err, ERR_INPUT, "l1.flush_between: with this l1.organisation only 1");
    if (l1->organisation == L1_ELASTIC) return check_elastic(l1, err);
    if (l1->unified_bytes) return error_set(err, ERR_INPUT, "l1.unified_bytes: with this l1.organisation only 0");
    if (l1->organisation >= L1_OF_PLUGINS) return 0;
    if (l1->organisation == L1_DSC) {
        if (is_power_of_two(l1->dsc_tags) && l1->ways * l1->dsc_tags <= 64) return 0;
        return error_set(err, ERR_INPUT,
                         "l1.dsc_tags = %u: a power of two is needed, and with l1.ways = %u at most 64 tags a set",
                         l1->dsc_tags, l1->ways);
    }
    if (slots > 64)
        return error_set(err, ERR_INPUT, "l1.ways = %u: a set of l1.organisation = tsc has at most 64 chunks, not %u",
                         l1->ways, slots);
    if (slots % group || slots / group > 32)
        return error_set(err, ERR_INPUT,
                         "l1.tsc_group_chunks = %u: a set of %u chunks is at most 32 whole groups of so many", group,
                         slots);
    if (l1->tsc_mode == TSC_DUEL && 2 * l1->tsc_sampler_sets > l1->sets)
        return error_set(err, ERR_INPUT, "l1.tsc_sampler_sets = %u: twice as many of l1.sets = %u are needed",
                         l1->tsc_sampler_sets, l1->sets);
    return 0;
}

/* Lines and chunks that are not those of L2 and of messages: what they may be, and what they do without. */
static int check_chunks(const struct gpu_params *p, struct error *err)
{
    const struct l1_params *l1 = &p->l1;
    if (!is_power_of_two(l1->chunk_bytes) || l1->chunk_bytes > l1->line_bytes)
        return error_set(err, ERR_INPUT, "l1.chunk_bytes = %u: a power of two is needed, of l1.line_bytes = %u at most",
                         l1->chunk_bytes, l1->line_bytes);
    if (l2_line_bytes(p) > 128)
        return error_set(err, ERR_INPUT,
                         "l1.line_bytes = %u: L2's lines have 128 bytes at most; set l2.line_bytes=128 as well",
                         l1->line_bytes);
    if (l1->streaming && l1->organisation >= L1_OF_PLUGINS)
        return error_set(err, ERR_INPUT,
                         "l1.streaming = 1: an organisation of a plug-in says itself when it takes lines");
    const uint32_t parts = l1->line_bytes / l2_line_bytes(p);
    if (parts > 4)
        return error_set(err, ERR_INPUT, "l1.line_bytes = %u: a line of L1 is at most four of L2, l2.line_bytes = %u",
                         l1->line_bytes, l2_line_bytes(p));
    if (l1->organisation == L1_PLAIN && l1->chunk_bytes != 32)
        return error_set(err, ERR_INPUT,
                         "l1.chunk_bytes = %u: lines of l1.organisation = plain are fetched whole; choose sectored",
                         l1->chunk_bytes);
    if (!l1_is_chunked(p)) return 0;
    if (parts > l1->miss_queue)
        return error_set(err, ERR_INPUT,
                         "l1.miss_queue = %u: a miss on a line as large as %u of L2's may send %u requests",
                         l1->miss_queue, parts, parts);
    if (l1_is_placed(l1) && check_places(l1, err) < 0) return -1;
    const char *text = l1_is_placed(l1) ? "this l1.organisation" : "an L1 whose lines or chunks are not those of L2";
    if (l1->streaming && l1->organisation != L1_ELASTIC)
        return error_set(err, ERR_INPUT, "l1.streaming = 1: not in %s", text);
    if (l1->local_stores != LOCAL_THROUGH)
        return error_set(err, ERR_INPUT, "l1.local_stores: only 'through' in %s", text);
    if (l1->mshrs > L1_CHUNKED_MSHRS)
        return error_set(err, ERR_INPUT, "l1.mshrs = %u: at most %u in %s", l1->mshrs, (unsigned)L1_CHUNKED_MSHRS,
                         text);
    return 0;
}

static int check_l2_elastic(const struct l2_params *l2, uint32_t sectors, struct error *err)
{
    if (!is_power_of_two(l2->sets))
        return error_set(err, ERR_INPUT, "l2.sets = %u: l2.organisation = elastic needs a power of two", l2->sets);
    if (sectors < 2)
        return error_set(err, ERR_INPUT,
                         "l2.line_bytes: l2.organisation = elastic divides a line into 2 sectors or more");
    if (!is_power_of_two(l2->elastic_banks) || l2->elastic_banks > sectors)
        return error_set(err, ERR_INPUT,
                         "l2.elastic_banks = %u: a power of two is needed, of the %u sectors of a line at most",
                         l2->elastic_banks, sectors);
    if (l2->elastic_chunk_bits - log2_floor(sectors) + log2_floor(l2->sets) > 24)
        return error_set(err, ERR_INPUT, "l2.elastic_chunk_bits = %u: with l2.sets = %u at most %u",
                         l2->elastic_chunk_bits, l2->sets, 24 + log2_floor(sectors) - log2_floor(l2->sets));
    return 0;
}

/* An L2 whose organisation gives each sector a place. */
static int check_l2_places(const struct gpu_params *p, struct error *err)
{
    const struct l2_params *l2 = &p->l2;
    const uint32_t sectors = l2_line_bytes(p) / 32, slots = l2->ways * sectors,
                   group = l2->tsc_group_chunks ? l2->tsc_group_chunks : sectors;
    if (l2->write_miss == WRITE_THROUGH)
        return error_set(err, ERR_INPUT, "l2.write_miss: with this l2.organisation only 'allocate' or 'fetch'");
    if (l2->organisation >= L2_OF_PLUGINS)
        return plugins_check_l2(l2->organisation - L2_OF_PLUGINS, l2->ways, sectors, err);
    if (l2->organisation == L2_ELASTIC) return check_l2_elastic(l2, sectors, err);
    if (l2->organisation == L2_DSC) {
        if (is_power_of_two(l2->dsc_tags) && l2->ways * l2->dsc_tags <= 64) return 0;
        return error_set(err, ERR_INPUT,
                         "l2.dsc_tags = %u: a power of two is needed, and with l2.ways = %u at most 64 tags a set",
                         l2->dsc_tags, l2->ways);
    }
    if (!is_power_of_two(l2->sets) || log2_floor(l2->sets) + l2->tsc_private_bits > 31)
        return error_set(err, ERR_INPUT,
                         "l2.sets = %u: l2.organisation = tsc needs a power of two, and with l2.tsc_private_bits = %u "
                         "at most 31 bits in all",
                         l2->sets, l2->tsc_private_bits);
    if (slots > 64)
        return error_set(err, ERR_INPUT, "l2.ways = %u: a set of l2.organisation = tsc has at most 64 sectors, not %u",
                         l2->ways, slots);
    if (slots % group || slots / group > 32)
        return error_set(err, ERR_INPUT,
                         "l2.tsc_group_chunks = %u: a set of %u sectors is at most 32 whole groups of so many", group,
                         slots);
    if (l2->tsc_mode == TSC_DUEL && 2 * l2->tsc_sampler_sets > l2->sets)
        return error_set(err, ERR_INPUT, "l2.tsc_sampler_sets = %u: twice as many of l2.sets = %u are needed",
                         l2->tsc_sampler_sets, l2->sets);
    return 0;
}

/* CPU cores have lines of 64 bytes, which a line of L2 holds one or two of. */
static int check_cpu(const struct gpu_params *p, struct error *err)
{
    const struct {
        const char *name;
        uint32_t bytes, ways;
    } caches[] = {{"l1", p->cpu.l1_bytes, p->cpu.l1_ways}, {"l2", p->cpu.l2_bytes, p->cpu.l2_ways}};
    for (size_t i = 0; i < COUNT_OF(caches); i++)
        if (caches[i].bytes % (64 * caches[i].ways) || !is_power_of_two(caches[i].bytes / 64 / caches[i].ways))
            return error_set(err, ERR_INPUT,
                             "cpu.%s_bytes = %u: with %u ways of 64 bytes this is no power of two of sets",
                             caches[i].name, caches[i].bytes, caches[i].ways);
    if (l2_line_bytes(p) != 64 && l2_line_bytes(p) != 128)
        return error_set(err, ERR_INPUT,
                         "line_bytes = %u of L2: with CPU cores, whose lines have 64 bytes, it is 64 or 128",
                         l2_line_bytes(p));
    if (memory_answers_at_once(p))
        return error_set(err, ERR_INPUT, "ideal.memory: CPU cores need a memory with queues");
    if (p->cpu.llc_round_trip_cycles && !p->cpu.llc_port_bytes)
        return error_set(err, ERR_INPUT, "cpu.llc_round_trip_cycles needs ports of their own (cpu.llc_port_bytes)");
    if (cpus_have_ports(p) && p->l2.banks > 128)
        return error_set(err, ERR_INPUT, "l2.banks = %u: with ports for CPU cores (cpu.llc_port_bytes) at most 128",
                         p->l2.banks);
    if (p->core.sms + p->cpu.cores > 128)
        return error_set(err, ERR_INPUT, "cpu.cores = %u: SMs and CPU cores together are at most 128", p->cpu.cores);
    return 0;
}

int gpu_params_check(const struct gpu_params *p, struct error *err)
{
    if (p->cpu.cores && check_cpu(p, err) < 0) return -1;
    if (!is_power_of_two(p->l1.line_bytes))
        return error_set(err, ERR_INPUT, "l1.line_bytes = %u: a power of two is needed", p->l1.line_bytes);
    if (p->l2.line_bytes && !is_power_of_two(p->l2.line_bytes))
        return error_set(err, ERR_INPUT, "l2.line_bytes = %u: a power of two is needed, or 0 for l1.line_bytes",
                         p->l2.line_bytes);
    if (check_chunks(p, err) < 0 || (l2_is_placed(p) && check_l2_places(p, err) < 0)) return -1;
    if (!is_power_of_two(p->l1.sets) && (p->l1.set_index != LINEAR_INDEX || p->l1.organisation > L1_SECTORED))
        return error_set(err, ERR_INPUT,
                         "l1.sets = %u: a power of two is needed, but for l1.organisation=plain or sectored with "
                         "l1.set_index=linear",
                         p->l1.sets);
    if (!is_power_of_two(p->l1.banks))
        return error_set(err, ERR_INPUT, "l1.banks = %u: a power of two is needed", p->l1.banks);
    if (!is_power_of_two(p->l1.bank_bytes))
        return error_set(err, ERR_INPUT, "l1.bank_bytes = %u: a power of two is needed", p->l1.bank_bytes);
    if (p->l1.unified_bytes && p->l1.unified_bytes < p->core.shared_bytes + p->l1.sets * p->l1.line_bytes)
        return error_set(err, ERR_INPUT,
                         "l1.unified_bytes = %u: core.shared_bytes = %u would leave L1 less than a line a set",
                         p->l1.unified_bytes, p->core.shared_bytes);
    if (check_set_index("l1", p->l1.set_index, p->l1.sets, err) < 0) return -1;
    if (check_set_index("l2", p->l2.set_index, p->l2.sets, err) < 0) return -1;
    if (p->l1.local_stores != LOCAL_THROUGH && !p->l1.streaming && p->l1.miss_queue < 2)
        return error_set(
            err, ERR_INPUT,
            "l1.miss_queue = %u: with l1.local_stores = back or back_allocate a miss may write a dirty line "
            "back as well, so 2 are needed",
            p->l1.miss_queue);
    if (check_sub_cores(p, err) < 0 || params_check_dram(p, err) < 0) return -1;
    if (p->l2.banks % p->dram.channels)
        return error_set(err, ERR_INPUT, "l2.banks = %u is not a multiple of dram.channels = %u", p->l2.banks,
                         p->dram.channels);
    if (p->core.max_warps % p->core.schedulers)
        return error_set(err, ERR_INPUT, "core.max_warps = %u is not a multiple of core.schedulers = %u",
                         p->core.max_warps, p->core.schedulers);
    if (p->core.sms % p->xbar.cluster_sms)
        return error_set(err, ERR_INPUT, "core.sms = %u is not a multiple of xbar.cluster_sms = %u", p->core.sms,
                         p->xbar.cluster_sms);
    if (p->dram.row_bytes % l2_line_bytes(p))
        return error_set(err, ERR_INPUT, "dram.row_bytes = %u is not a multiple of %s = %u", p->dram.row_bytes,
                         p->l2.line_bytes ? "l2.line_bytes" : "l1.line_bytes", l2_line_bytes(p));
    return 0;
}

/* Later than the first stores of this model version: at their defaults they are no part of a configuration's text,
 * so that runs keep their keys. */
static bool is_added(const char *group, const char *name)
{
    /* clang-format off */
    static const char *const added[][2] = {
        {"core", "texture_units"}, {"core", "texture_unit_latency"}, {"core", "texture_unit_interval"},
        {"core", "tensor_units"}, {"core", "tensor_latency"}, {"core", "tensor_interval"},
        {"core", "uniform_units"}, {"core", "uniform_latency"}, {"core", "uniform_interval"},
        {"core", "branch_units"}, {"core", "branch_interval"}, {"core", "sub_cores"}, {"core", "collectors"},
        {"core", "read_steps"}, {"core", "write_cycles"}, {"l2", "copies"}, {"l2", "clean_after"},
        {"core", "issue_width"}, {"core", "waiting"}, {"fetch", "warps"}, {"lsu", "sector_requests"},
        {"lsu", "shared_registers"}, {"l1", "tag_cycles"},
        {"l1", "shared_sizes"}, {"l1", "write_miss"}, {"l1", "skip_global"}, {"l1", "chunk_bytes"},
        {"xbar", "kind"}, {"xbar", "cluster_sms"}, {"l2", "line_bytes"}, {"l2", "merge_touches"},
        {"l2", "low_bank_bit"}, {"l1", "lamar_fetch"}, {"l1", "lamar_lines"}, {"l1", "lamar_poor"},
        {"l1", "replacement"}, {"l2", "replacement"}, {"fetch", "replacement"},
        {"lsu", "const_replacement"}, {"lsu", "tex_replacement"}, {"l1", "lamar_bits"}, {"l1", "lamar_epoch"},
        {"l2", "tsc_mode"}, {"l2", "tsc_sampler_sets"}, {"l2", "tsc_age_at"}, {"l2", "tsc_delay"},
        {"dram", "tRTW"}, {"dram", "tRCDWR"}, {"dram", "outstanding"}, {"dram", "paired_commands"},
        {"dram", "bank_index"}, {"dram", "bank_bit"}, {"dram", "early_room"}, {"dram", "dual_bus"},
        {"dram", "write_queue"}, {"dram", "write_high"}, {"dram", "write_low"},
        {"dram", "part"}, {"dram", "pseudo_channels"}, {"dram", "tRRDL"}, {"dram", "tWTRL"}, {"dram", "tFAW"},
        {"dram", "tREFI"},
        {"dram", "tRFC"}, {"dram", "refresh"}, {"dram", "tRREFD"}};
    /* clang-format on */
    if (strcmp(group, "energy") == 0 || strcmp(group, "sass") == 0) return true;
    for (size_t i = 0; i < COUNT_OF(added); i++)
        if (strcmp(added[i][0], group) == 0 && strcmp(added[i][1], name) == 0) return true;
    return false;
}

/* A parameter of an organisation that the cache of this group does not have. */
static bool is_of_another(const struct gpu_params *params, const char *group, const char *name)
{
    if (strcmp(group, "l2") == 0) {
        if (strcmp(name, "placed_writes") == 0) return !l2_is_placed(params);
        if (strncmp(name, "tsc_", 4) == 0) return params->l2.organisation != L2_TSC;
        if (strncmp(name, "elastic_", 8) == 0) return params->l2.organisation != L2_ELASTIC;
        return strncmp(name, "dsc_", 4) == 0 && params->l2.organisation != L2_DSC;
    }
    if (strncmp(name, "tsc_", 4) == 0) return params->l1.organisation != L1_TSC;
    if (strncmp(name, "elastic_", 8) == 0) return params->l1.organisation != L1_ELASTIC;
    if (strncmp(name, "lamar_", 6) == 0) return params->l1.organisation != L1_LAMAR;
    return strncmp(name, "dsc_", 4) == 0 && params->l1.organisation != L1_DSC;
}

/* What the organisation has by itself, by its name: the same machine. */
static void make_usual(struct gpu_params *p)
{
    const struct {
        uint32_t *value, usual;
    } caches[] = {{&p->l1.replacement, p->l1.organisation == L1_TSC ? REPLACE_nru : REPLACE_lru},
                  {&p->l2.replacement, p->l2.organisation == L2_TSC ? REPLACE_nru : REPLACE_lru},
                  {&p->fetch.replacement, REPLACE_lru},
                  {&p->lsu.const_replacement, REPLACE_lru},
                  {&p->lsu.tex_replacement, REPLACE_lru}};
    for (size_t i = 0; i < COUNT_OF(caches); i++)
        if (*caches[i].value == caches[i].usual) *caches[i].value = REPLACE_USUAL;
}

static void leave_out_added(const struct gpu_param_group *group, const struct gpu_params *params, json_t *object)
{
    struct gpu_params usual;
    params_defaults(&group->table, (char *)&usual + group->offset);
    for (size_t r = 0; r < group->table.n_rows; r++) {
        const struct param_row *row = &group->table.rows[r];
        if (is_of_another(params, group->table.owner, row->name)) json_object_del(object, row->name);
        char is[PARAM_TEXT_MAX + 8], was[PARAM_TEXT_MAX + 8];
        if (!is_added(group->table.owner, row->name)) continue;
        if (strcmp(params_text(row, (const char *)params + group->offset, is, sizeof is),
                   params_text(row, (const char *)&usual + group->offset, was, sizeof was)) == 0)
            json_object_del(object, row->name);
    }
}

json_t *gpu_params_json(const struct gpu_params *given)
{
    json_t *object = json_object();
    struct gpu_params usual = *given, *params = &usual;
    make_usual(params);
    json_object_set_new(object, "name", json_string(params->name));
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        json_t *group = params_json(&groups[i].table, (const char *)params + groups[i].offset);
        if (!params->cpu.cores && groups[i].offset == offsetof(struct gpu_params, cpu)) {
            json_decref(group); /* a machine without CPU cores is what it was before there were any */
            continue;
        }
        leave_out_added(&groups[i], params, group);
        if (json_object_size(group) == 0) json_decref(group);
        else json_object_set_new(object, groups[i].table.owner, group);
    }
    return object;
}
