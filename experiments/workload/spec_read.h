/* Reading typed values from YAML maps; every complaint names file, line and column. Internal to poise_lab. */
#ifndef POISE_SPEC_READ_H
#define POISE_SPEC_READ_H
#include <stdbool.h>
#include <stdint.h>
#include "poise/yaml.h"

/* Refuses keys that are not among `known`, with the nearest one. */
int spec_keys(const struct yaml_file *file, const struct yaml_node *map, const char *const *known, size_t n_known,
              struct error *err);
/* Each leaves *out alone where the key is absent, unless `needed`. */
int spec_text(const struct yaml_file *file, const struct yaml_node *map, const char *key, bool needed, char *out,
              size_t size, struct error *err);
/* A text that becomes the name of a file or folder of ours: one that cannot lead out of the folder it stands in. */
int spec_name(const struct yaml_file *file, const struct yaml_node *map, const char *key, char *out, size_t size,
              struct error *err);
int spec_u64(const struct yaml_file *file, const struct yaml_node *map, const char *key, bool needed, uint64_t min,
             uint64_t max, uint64_t *out, struct error *err);
int spec_f64(const struct yaml_file *file, const struct yaml_node *map, const char *key, double min, double max,
             double *out, struct error *err);
/* A stack: a mechanism or a list of one or more, as spec_texts. */
int spec_mechs(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err);
/* A scalar or a list of scalars as texts that live as long as the file: at most `max` of them. */
int spec_texts(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err);
/* The same of names, of which none is there twice. */
int spec_names(const struct yaml_file *file, const struct yaml_node *node, const char **out, size_t max, size_t *n,
               struct error *err);
/* Loads the plug-ins that the spec names, before its mechanisms and machines are read: files beside it or in the
 * current folder. */
int spec_plugins(const struct yaml_file *file, struct error *err);
/* A scalar that is a whole number. */
int spec_whole(const struct yaml_file *file, const struct yaml_node *node, int64_t min, int64_t max, int64_t *out,
               struct error *err);
#endif
