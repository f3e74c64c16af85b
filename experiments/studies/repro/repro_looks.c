/* What is written of evaluations of sealed workloads. */
#include "studies/repro/repro_looks.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "poise/csv.h"
#include "poise/file.h"

/* Open at its end. */
static FILE *open_looks(const struct repro_options *o, struct error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/../../datasets/sealed.csv", o->paths.configs);
    FILE *out = access(path, W_OK) == 0 ? fopen(path, "a") : NULL;
    if (out) return out;
    error_set(err, ERR_IO, "%s: the file of evaluations of sealed workloads is not here or cannot be written", path);
    error_at(err, NULL, 0, -1, "run this study in a checkout of the project, and commit the file afterwards");
    return NULL;
}

static int close_looks(FILE *out, struct error *err)
{
    return fclose(out) == 0 ? 0 : error_set(err, ERR_IO, "the file of evaluations could not be written");
}

int looks_writable(const struct repro_options *o, struct error *err)
{
    FILE *out = open_looks(o, err);
    return out ? close_looks(out, err) : -1;
}

/* A model names what it learned from ("training": {"families"}), and the families that its own judgement left out in
 * turn. */
static bool has_seen(const json_t *model, const char *family)
{
    size_t i;
    const json_t *name, *training = json_object_get(model, "training"),
                        *validation = json_object_get(model, "validation");
    json_array_foreach(json_object_get(training, "families"), i, name)
        if (json_is_string(name) && strcmp(json_string_value(name), family) == 0) return true;
    return json_object_get(json_object_get(validation, "log_regret_by_family"), family) != NULL;
}

static int check_model(const struct registry *registry, const struct pipeline_spec *spec, const char *path,
                       struct error *err)
{
    const struct workload *w;
    int result = 0;
    json_t *model = file_read_json(path, err);
    if (!model) return -1;
    for (size_t i = 0; i < spec->n_evaluation && result == 0; i++) {
        result = registry_find(registry, spec->evaluation[i], &w, err);
        if (result < 0 || !has_seen(model, w->family)) continue;
        result =
            error_set(err, ERR_INPUT, "%s has learned from family %s, which is sealed (%s)", path, w->family, w->name);
        error_at(
            err, NULL, 0, -1,
            "an evaluation of sealed workloads judges a model by families that it never saw: datasets/FAMILIES.md");
    }
    json_decref(model);
    return result;
}

static int check_models(const struct repro_options *o, const struct registry *registry,
                        const struct pipeline_spec *spec, struct error *err)
{
    static const char word[] = "@models";
    char dir[600], path[1200];
    int result = 0;
    lab_models(dir, sizeof dir, o->paths.configs);
    for (size_t i = 0; i < spec->n_contenders; i++)
        for (size_t m = 0; m < spec->contenders[i].n_mech && result == 0; m++) {
            const char *at = strstr(spec->contenders[i].mech[m], word);
            if (!at) continue;
            at += strlen(word);
            snprintf(path, sizeof path, "%s%.*s", dir, (int)strcspn(at, ","), at);
            result = check_model(registry, spec, path, err);
        }
    return result;
}

static int check_sealed(const struct registry *registry, const struct pipeline_spec *spec, struct error *err)
{
    for (size_t i = 0; i < spec->n_evaluation; i++) {
        const struct workload *w;
        if (registry_find(registry, spec->evaluation[i], &w, err) < 0) return -1;
        if (w->split == SPLIT_SEALED) continue;
        error_set(err, ERR_INPUT,
                  "learned-sealed: %s is not sealed any more: datasets/sealed.csv has what was seen of it", w->name);
        return error_at(
            err, NULL, 0, -1,
            "another evaluation needs other families: name them in datasets/FAMILIES.md, seal their programs in "
            "datasets/kernels/list.yaml, and list these in the study's spec");
    }
    return 0;
}

int looks_check(const struct repro_options *o, const struct pipeline_spec *spec, struct error *err)
{
    struct registry registry;
    if (registry_load(&registry, o->paths.kernels, err) < 0) return -1;
    int result = check_sealed(&registry, spec, err);
    if (result == 0) result = check_models(o, &registry, spec, err);
    registry_fini(&registry);
    return result;
}

/* A line up to and with its figure: date,study,program,model_version,figure. */
static void print_head(FILE *out, const struct repro_study *study, const char *figure)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime_r(&now, &utc));
    fprintf(out, "%s,%s,%s,%d", date, study->id, POISE_VERSION, SIM_MODEL_VERSION);
    csv_next(out, figure);
}

int looks_begin(const struct repro_study *study, const struct repro_options *o, struct error *err)
{
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    print_head(out, study, "begun");
    fputs(",,,,\n", out);
    return close_looks(out, err);
}

int looks_end(const struct repro_study *study, const struct repro_options *o, const struct repro_report *report,
              struct error *err)
{
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *row = &report->rows[i];
        print_head(out, study, row->label);
        fprintf(out, ",%.3f,", row->ours);
        if (row->has_ci) fprintf(out, "%.3f,%.3f", row->ci95[0], row->ci95[1]);
        else fputc(',', out);
        csv_next(out, row->unit);
        fputc('\n', out);
    }
    return close_looks(out, err);
}

int looks_add_length(const struct repro_study *study, const struct repro_options *o, const struct launch *launch,
                     uint64_t core_cycles, struct error *err)
{
    char figure[300];
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    snprintf(figure, sizeof figure, "%s at size %s under GTO", launch->label, workload_sizes[launch->size]);
    print_head(out, study, figure);
    fprintf(out, ",%" PRIu64 ",,,cycles\n", core_cycles);
    return close_looks(out, err);
}

bool repro_opens_sealed(const struct repro_study *study)
{
    return strcmp(study->id, "learned-sealed") == 0 || strcmp(study->id, "learned-lengths") == 0;
}
