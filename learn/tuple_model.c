/* Predictions of model files: hands their weights to features/tuple_predict.c, which does the arithmetic, and binds
 * the outputs N and p to rows of the feature table. */
#include "poise/tuple_model.h"

_Static_assert(MODEL_FEATURES_MAX <= TUPLE_FEATURES_MAX, "a regression holds what a model file may hold");
static const char *const outputs[] = {"N", "p"};

float model_predict_f32(const struct model_output *output, const float *x)
{
    return log_link_predict_f32(output->weights, x, output->n_features);
}

void tuple_model_rebind(struct tuple_model *m, const struct model *model)
{
    for (int k = 0; k < 2; k++) m->out[k].weights = model_find(model, outputs[k])->weights;
}

int tuple_model_init(struct tuple_model *out, const struct model *model, const char *where, struct error *err)
{
    out->scale = (float)model->scale;
    for (int k = 0; k < 2; k++) {
        const struct model_output *o = model_find(model, outputs[k]);
        const char *names[MODEL_FEATURES_MAX];
        if (!o)
            return error_set(err, ERR_INPUT, "%s: no output %s: a model of warp tuples has outputs N and p", where,
                             outputs[k]);
        if (o->has_offset) {
            error_set(err, ERR_INPUT, "%s: output %s was trained with an offset, which a kernel does not have", where,
                      outputs[k]);
            return error_at(err, where, 0, -1, "train it without the column 'offset'");
        }
        for (size_t i = 0; i < o->n_features; i++) names[i] = o->features[i];
        if (features_resolve(names, o->n_features, out->out[k].rows, where, err) < 0) return -1;
        out->out[k].weights = o->weights;
        out->out[k].n = o->n_features;
    }
    return 0;
}

struct tuple_prediction tuple_model_predict(const struct tuple_model *m, const struct feature_counters *o,
                                            const struct feature_counters *a, uint32_t W)
{
    return tuple_predict(m->out, m->scale, o, a, W);
}
