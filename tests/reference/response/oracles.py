# Writes response.json beside this file: data and what scikit-learn answers on them. Needs scikit-learn 1.2.1 (Debian 12:
# python3-sklearn). Tests read the JSON alone; run this only to make it anew:   python3 tests/reference/response/oracles.py
import json
import os
import numpy
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.ensemble._forest import _generate_sample_indices
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

N, K, M, NEW = 60, 4, 6, 12
random = numpy.random.default_rng(20)
x = random.normal(size=(N + NEW, K)) * [1, 10, 0.1, 3] + [0, 5, 1, -2]
s = (x - [0, 5, 1, -2]) / [1, 10, 0.1, 3]
shapes = random.normal(size=(3, M))
coefs = numpy.stack([s[:, 0] + 0.5 * s[:, 1] ** 2, numpy.sin(2 * s[:, 2]), numpy.where(s[:, 3] > 0, 1, -1) * s[:, 0]], axis=1)
z = coefs @ shapes + 0.05 * random.normal(size=(N + NEW, M))
group = numpy.repeat(numpy.arange(10), 6)
x, xn, z = x[:N], x[N:], z[:N]
mean, sd = x.mean(axis=0), x.std(axis=0)
xs, xns = (x - mean) / sd, (xn - mean) / sd
weights = numpy.tile([0.5, 1, 1.5, 0.5, 1.5, 1], 10)   # mean 1 within each group


def listed(a):
    return numpy.asarray(a).tolist()


out = {"x": listed(x), "z": listed(z), "new": listed(xn), "group": listed(group), "weights": listed(weights)}
mw, sw = numpy.average(x, axis=0, weights=weights), None
sw = numpy.sqrt(numpy.average((x - mw) ** 2, axis=0, weights=weights))
out["ridge"] = [{"lambda": a, "predicted": listed(Ridge(alpha=a).fit((x - mw) / sw, z, sample_weight=weights).predict((xn - mw) / sw))}
                for a in (0.1, 10.0)]
pca = PCA(n_components=3, svd_solver="full").fit(z)
out["pca"] = {"mean": listed(pca.mean_), "components": listed(pca.components_), "variances": listed(pca.explained_variance_ * (N - 1) / N)}
zc = z - z.mean(axis=0)
length, noise = 1.7, 0.02
gp = GaussianProcessRegressor(kernel=RBF(length), alpha=noise, optimizer=None).fit(xs, zc)
predicted, deviation = gp.predict(xns, return_std=True)
out["gp"] = {"length": length, "noise": noise, "predicted": listed(predicted + z.mean(axis=0)),
             "deviation": listed(deviation[:, 0] if deviation.ndim == 2 else deviation)}
for name, start in (("gp_isotropic", 2.0), ("gp_ard", numpy.full(K, 2.0))):
    kernel = ConstantKernel(1.0, (1e-4, 1e4)) * RBF(start, (0.05, 1e3)) + WhiteKernel(0.1, (1e-7, 1e3))
    gp = GaussianProcessRegressor(kernel=kernel, alpha=0, n_restarts_optimizer=4, random_state=1).fit(xs, zc)
    out[name] = {"predicted": listed(gp.predict(xns) + z.mean(axis=0)), "likelihood": gp.log_marginal_likelihood_value_,
                 "lengths": listed(numpy.atleast_1d(gp.kernel_.k1.k2.length_scale)),
                 "noise": float(gp.kernel_.k2.noise_level / gp.kernel_.k1.k1.constant_value)}
# Deeper trees have nodes where two features part the rows alike; scikit-learn then takes one of them by chance.
out["tree"] = [{"depth": d, "min_leaf": leaf,
                "predicted": listed(DecisionTreeRegressor(max_depth=d, min_samples_leaf=leaf, random_state=0).fit(xs, z).predict(xns)),
                "weighted": listed(DecisionTreeRegressor(max_depth=d, min_samples_leaf=leaf, random_state=0)
                                   .fit(xs, z, sample_weight=weights).predict(xns))} for d, leaf in ((1, 1), (3, 4), (8, 7))]
forest = RandomForestRegressor(n_estimators=7, max_depth=2, max_features=None, random_state=3).fit(xs, z)
out["forest"] = {"depth": 2, "samples": [listed(_generate_sample_indices(t.random_state, N, N)) for t in forest.estimators_],
                 "predicted": listed(forest.predict(xns))}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "response.json"), "w") as file:
    json.dump(out, file)
    file.write("\n")
