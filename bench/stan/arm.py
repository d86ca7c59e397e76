"""Gelman and Hill, Data analysis using regression and multilevel models."""

import numpy as np
from scipy import special, stats

from cases import at, bernoulli_logit, data, density, levels, normal, poisson_log


@data("arm/election88_full")
def _(r):
    n = 24
    return dict(y=r.integers(0, 2, n), black=r.integers(0, 2, n), female=r.integers(0, 2, n), v_prev_full=r.normal(0.5, 0.1, n), age=levels(r, 4, n),
                edu=levels(r, 4, n), age_edu=levels(r, 16, n), state=levels(r, 6, n), region_full=levels(r, 5, n))


@density("arm/election88_full")
def _(d, p):
    b = p["beta"]
    eta = b[0] + b[1] * d["black"] + b[2] * d["female"] + b[3] * d["v_prev_full"] + b[4] * d["female"] * d["black"]
    lp = normal(b, 0, 100)
    for name, column in zip("abcde", ["age", "edu", "age_edu", "state", "region_full"]):
        lp += normal(p[name], 0, p["sigma_" + name])
        eta = eta + at(p[name], d[column])
    return lp + bernoulli_logit(d["y"], eta)


@data("arm/radon_multi_varying_coef_17.1")
def _(r):
    n = 15
    return dict(y=r.normal(1, 1, n), X=np.column_stack([np.ones(n), r.normal(size=n)]), county=levels(r, 4, n), W=np.eye(2))


@data("arm/weight_censored")
def _(r):
    height = r.normal(68, 3, 20)
    return dict(weight=np.minimum(150 + 4 * (height - 68) + r.normal(0, 25, 20), 175), height=height, C=175)


@density("arm/weight_censored")
def _(d, p):
    mu = p["a"] + p["b"] * (d["height"] - d["height"].mean())
    over = d["weight"] >= d["C"]
    return np.sum(np.where(over, stats.norm.logsf(d["C"], mu, p["sigma"]), stats.norm.logpdf(d["weight"], mu, p["sigma"])))


@data("arm/item_response")
def _(r):
    return dict(y=r.integers(0, 2, 24), j=levels(r, 6, 24), k=levels(r, 4, 24), x=r.normal(size=4))


@density("arm/item_response")
def _(d, p):
    a, b, g = p["a_raw"], p["b_raw"], p["g_raw"]
    scale = np.std(a, ddof=1)
    lp = normal(p["mu_a_raw"], 0, 1) + normal(p["mu_g_raw"], 0, 1) + normal(p["b_0_raw"], 0, 1) + normal(p["d_raw"], 0, 100)
    lp += normal(a, 100 * p["mu_a_raw"], p["sigma_a_raw"]) + normal(b, 100 * p["b_0_raw"] + p["d_raw"] * d["x"], p["sigma_b_raw"])
    lp += normal(g, 100 * p["mu_g_raw"], p["sigma_g_raw"])
    ability, difficulty = (a - a.mean()) / scale, (b - a.mean()) / scale
    return lp + bernoulli_logit(d["y"], at(g * scale, d["k"]) * (at(ability, d["j"]) - at(difficulty, d["k"])))


@data("arm/radon_redundant")
@data("arm/anova_radon_nopred")
def _(r):
    return dict(y=r.normal(1.2, 0.8, 14), county=levels(r, 5, 14))


@density("arm/radon_redundant")
def _(d, p):
    return normal(p["mu"], 0, 1) + normal(p["eta"], 0, p["sigma_eta"]) + normal(d["y"], 100 * p["mu"] + at(p["eta"], d["county"]), p["sigma_y"])


@density("arm/anova_radon_nopred")
def _(d, p):
    return normal(p["mu_a"], 0, 1) + normal(p["a"], 10 * p["mu_a"], p["sigma_a"]) + normal(d["y"], at(p["a"], d["county"]), p["sigma_y"])


@data("arm/hiv_inter")
def _(r):
    return dict(y=r.normal(4.5, 1, 16), time=r.uniform(0, 2, 16), treatment=r.integers(0, 2, 16), person=levels(r, 5, 16))


@density("arm/hiv_inter")
def _(d, p):
    lp = normal(p["beta"], 0, 1) + normal(p["mu_a1"], 0, 1) + normal(p["mu_a2"], 0, 1)
    lp += normal(p["a1"], 10 * p["mu_a1"], p["sigma_a1"]) + normal(p["a2"], 0.1 * p["mu_a2"], p["sigma_a2"])
    mu = p["beta"] * d["time"] * d["treatment"] + at(p["a1"], d["person"]) + at(p["a2"], d["person"]) * d["time"]
    return lp + normal(d["y"], mu, p["sigma_y"])


@data("arm/multiple_comparison")
def _(r):
    return dict(y=r.normal(8, 10, 8))


@data("arm/electric_multi_preds")
def _(r):
    return dict(post_test=r.normal(97, 15, 12), treatment=r.integers(0, 2, 12), pre_test=r.normal(72, 20, 12))


@data("arm/dogs")
def _(r):
    return dict(y=(r.uniform(size=(5, 8)) < np.linspace(0.9, 0.1, 8)).astype(int))


@density("arm/dogs")
def _(d, p):
    lp = normal(p["beta"], 0, 100)
    for dog in d["y"]:
        for t, shock in enumerate(dog):
            eta = p["beta"][0] + p["beta"][1] * np.sum(dog[:t] == 0) + p["beta"][2] * np.sum(dog[:t] == 1)
            lp += bernoulli_logit(shock, eta)
    return lp


@data("arm/earnings_pt2")
def _(r):
    names = ["male", "over65", "white", "immig", "educ_r", "any_ssi", "any_welfare", "any_charity"]
    return dict(earnings=r.normal(20, 10, 20), **{name: r.integers(0, 2, 20) for name in names})


@data("arm/wells_probit")
def _(r):
    return dict(switc=r.integers(0, 2, 15), dist=r.uniform(1, 200, 15))


@density("arm/wells_probit")
def _(d, p):
    z = p["alpha"] + p["beta"] * d["dist"] / 100
    return np.sum(special.log_ndtr(np.where(d["switc"] == 1, z, -z)))


@data("arm/roaches_overdispersion")
def _(r):
    return dict(y=r.poisson(5, 12), exposure2=r.uniform(0.5, 2, 12), roach1=r.normal(size=12), senior=r.integers(0, 2, 12), treatment=r.integers(0, 2, 12))


@density("arm/roaches_overdispersion")
def _(d, p):
    x = np.column_stack([d["roach1"], d["senior"], d["treatment"]])
    # noncentered: the coordinates are lambda / sigma
    return normal(p["lambda"] / p["sigma"], 0, 1) + poisson_log(d["y"], p["alpha"] + x @ p["beta"] + p["lambda"] + np.log(d["exposure2"]))


@data("arm/unemployment")
def _(r):
    y = r.uniform(3, 10, 13)
    return dict(y=y[1:], y_lag=y[:-1])


@density("arm/radon_multi_varying_coef_17.1")
def _(d, p):
    lp = normal(p["mu_raw"], 0, 100) + stats.wishart.logpdf(p["Tau"], 3, d["W"])
    lp += np.sum(stats.multivariate_normal.logpdf(p["B_raw"], p["mu_raw"], np.linalg.inv(p["Tau"])))
    return lp + normal(d["y"], np.sum(d["X"] * at(p["B_raw"] * p["xi"], d["county"]), axis=1), p["sigma"])


@density("arm/multiple_comparison")
def _(d, p):
    return normal(p["mu_theta"], 0, 1) + normal(p["theta"], 100 * p["mu_theta"], p["sigma_theta"]) + normal(d["y"], p["theta"], p["sigma_y"])


@density("arm/electric_multi_preds")
def _(d, p):
    return normal(d["post_test"], p["beta"][0] + p["beta"][1] * d["treatment"] + p["beta"][2] * d["pre_test"], p["sigma"])


@density("arm/earnings_pt2")
def _(d, p):
    x = np.column_stack([d[name] for name in ["male", "over65", "white", "immig", "educ_r", "any_ssi", "any_welfare", "any_charity"]])
    return normal(d["earnings"], p["b0"] + x @ p["beta"], p["sigma"])


@density("arm/unemployment")
def _(d, p):
    return normal(d["y"], p["alpha"] + p["beta"] * d["y_lag"], p["sigma"])
