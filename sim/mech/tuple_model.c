#include "poise/tuple_model.h"

static const char *const outputs[] = {"N", "p"};

void tuple_model_rebind(struct tuple_model *m, const struct model *model)
{
    for (int k = 0; k < 2; k++) m->out[k] = model_find(model, outputs[k]);
}

int tuple_model_init(struct tuple_model *out, const struct model *model, const char *where, struct error *err)
{
    out->scale = (float)model->scale;
    for (int k = 0; k < 2; k++) {
        const struct model_output *o = out->out[k] = model_find(model, outputs[k]);
        const char *names[MODEL_FEATURES_MAX];
        if (!o)
            return error_set(err, ERR_INPUT, "%s: no output %s: a model of warp tuples has outputs N and p", where,
                             outputs[k]);
        for (size_t i = 0; i < o->n_features; i++) names[i] = o->features[i];
        if (features_resolve(names, o->n_features, out->rows[k], where, err) < 0) return -1;
    }
    return 0;
}

struct tuple_prediction tuple_model_predict(const struct tuple_model *m, const struct feature_counters *o,
                                            const struct feature_counters *a, uint32_t W)
{
    struct tuple_prediction t;
    for (int k = 0; k < 2; k++) {
        float x[MODEL_FEATURES_MAX];
        features_vector_f32(m->rows[k], m->out[k]->n_features, o, a, x);
        t.raw[k] = model_predict_f32(m->out[k], x);
    }
    warps_unscale(t.raw[0], t.raw[1], W, m->scale, &t.N, &t.p);
    return t;
}
