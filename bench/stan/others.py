"""Basic estimators, the folders of chapters and case studies, and the miscellaneous models."""

import numpy as np
from scipy import linalg, special, stats

from cases import at, bernoulli_logit, cauchy, data, density, inv_gamma, levels, normal, poisson_log


@data("basic/negative_binomial")
def _(r):
    return dict(y=r.negative_binomial(3, 0.4, 20))


@density("basic/negative_binomial")
def _(d, p):
    return cauchy(p["alpha"], 10) + cauchy(p["beta"], 10) + np.sum(stats.nbinom.logpmf(d["y"], p["alpha"], p["beta"] / (1 + p["beta"])))


@data("basic/normal_censored")
def _(r):
    return dict(U=1, N_censored=4, y=1 - np.abs(r.normal(size=10)))


@density("basic/normal_censored")
def _(d, p):
    return np.sum(stats.norm.logpdf(d["y"], p["mu"], 1) - stats.norm.logcdf(1, p["mu"], 1)) + 4 * stats.norm.logsf(1, p["mu"], 1)


@data("basic/normal_mixture_k")
def _(r):
    return dict(y=np.concatenate([r.normal(-3, 1, 8), r.normal(4, 2, 8)]), K=2)


@density("basic/normal_mixture_k")
def _(d, p):
    each = np.log(p["theta"]) + stats.norm.logpdf(d["y"][:, None], p["mu"], p["sigma"])
    return normal(p["mu"], 0, 10) + np.sum(special.logsumexp(each, axis=1))


@data("basic/normal_truncated")
def _(r):
    return dict(U=0.5, y=0.5 - np.abs(r.normal(size=12)))


@density("basic/normal_truncated")
def _(d, p):
    return np.sum(stats.norm.logpdf(d["y"], p["mu"], p["sigma"]) - stats.norm.logcdf(0.5, p["mu"], p["sigma"]))


def grid():
    """The edges of a grid of 3 by 3 areas."""
    pairs = [(i, i + 1) for i in range(1, 10) if i % 3] + [(i, i + 3) for i in range(1, 7)]
    return dict(node1=[a for a, _ in pairs], node2=[b for _, b in pairs])


@data("knitr/bym2")
def _(r):
    return dict(y=r.poisson(4, 9), E=r.uniform(2, 6, 9), x=r.normal(size=(9, 2)), scaling_factor=0.5, **grid())


@data("knitr/pois_icar")
def _(r):
    return dict(y=r.poisson(4, 9), E=r.uniform(2, 6, 9), x=r.normal(size=9), **grid())


def icar(d, phi):
    return -0.5 * np.sum((at(phi, d["node1"]) - at(phi, d["node2"])) ** 2) + normal(np.sum(phi), 0, 0.009)


@density("knitr/bym2")
def _(d, p):
    effect = np.sqrt(1 - p["rho"]) * p["theta"] + np.sqrt(p["rho"] / 0.5) * p["phi"]
    lp = sum(normal(p[name], 0, 1) for name in ["beta0", "betas", "theta", "sigma"]) + stats.beta.logpdf(p["rho"], 0.5, 0.5) + icar(d, p["phi"])
    return lp + poisson_log(d["y"], np.log(d["E"]) + p["beta0"] + d["x"] @ p["betas"] + effect * p["sigma"])


@density("knitr/pois_icar")
def _(d, p):
    lp = sum(normal(p[name], 0, 1) for name in ["beta0", "beta1", "sigma"]) + icar(d, p["phi"])
    return lp + poisson_log(d["y"], np.log(d["E"]) + p["beta0"] + p["beta1"] * d["x"] + p["phi"] * p["sigma"])


@data("knitr/mixture")
def _(r):
    return dict(y=r.normal(0, 3, 12), mu=[-3, 0, 4])


@density("knitr/mixture")
def _(d, p):
    return cauchy(p["sigma"], 2.5) + np.sum(special.logsumexp(np.log(p["theta"]) + stats.norm.logpdf(d["y"][:, None], d["mu"], p["sigma"]), axis=1))


@data("knitr/ratings_3")
def _(r):
    return dict(y=r.normal(3, 1, 15), movie=levels(r, 4, 15), rater=levels(r, 5, 15))


@density("knitr/ratings_3")
def _(d, p):
    mu = p["mu"] + p["sigma_a"] * at(p["alpha"], d["movie"]) + p["sigma_b"] * at(p["beta"], d["rater"])
    return normal(p["alpha"], 0, 1) + normal(p["beta"], 0, 1) + normal(d["y"], mu, p["sigma_y"])


@data("knitr/sum_of_exponentials")
def _(r):
    x = np.linspace(0.5, 8, 12)
    return dict(x=x, y=(np.exp(-0.1 * x) + 0.8 * np.exp(-2 * x)) * r.lognormal(0, 0.2, 12))


@density("knitr/sum_of_exponentials")
def _(d, p):
    curve = p["a"][0] * np.exp(-p["b"][0] * d["x"]) + p["a"][1] * np.exp(-p["b"][1] * d["x"])
    return np.sum(stats.lognorm.logpdf(d["y"], p["sigma"], scale=curve))


@data("knitr/worldcup_no_sqrt")
def _(r):
    one = levels(r, 6, 12)
    return dict(dif=r.integers(-3, 4, 12), team_1=one, team_2=one % 6 + 1, prior_score=np.linspace(-1, 1, 6), df=7)


@density("knitr/worldcup_no_sqrt")
def _(d, p):
    a = p["b"] * d["prior_score"] + p["sigma_a"] * p["alpha"]
    return normal(p["alpha"], 0, 1) + np.sum(stats.t.logpdf(d["dif"], 7, at(a, d["team_1"]) - at(a, d["team_2"]), p["sigma_y"]))


@data("knitr/golf_angle_distance_4")
def _(r):
    n, x = r.integers(200, 2000, 8), np.linspace(2, 20, 8)
    return dict(n=n, x=x, y=r.binomial(n, 1.2 / (x + 0.5)**0.7), r=0.07, R=0.177, overshot=1, distance_tolerance=3)


@density("knitr/golf_angle_distance_4")
def _(d, p):
    angle = 2 * stats.norm.cdf(np.arcsin((0.177 - 0.07) / d["x"]) / p["sigma_angle"]) - 1
    reach = (d["x"] + 1) * p["sigma_distance"]
    q = angle * (stats.norm.cdf(2 / reach) - stats.norm.cdf(-1 / reach))
    lp = sum(normal(p[name], 0, 1) for name in ["sigma_angle", "sigma_distance", "sigma_y"])
    return lp + normal(d["y"] / d["n"], q, np.sqrt(q * (1 - q) / d["n"] + p["sigma_y"] ** 2))


@data("knitr/nn-simple")
def _(r):
    return dict(x=r.normal(size=(12, 4)), y=levels(r, 3, 12))


@density("knitr/nn-simple")
@density("misc/multi_logit")
def _(d, p):
    v = np.tanh(d["x"] @ p["alpha"]) @ p["beta"] if "alpha" in p else d["x"] @ p["beta"]
    lp = normal(p["alpha"], 0, 2) + normal(p["beta"], 0, 2) if "alpha" in p else cauchy(p["beta"], 2.5)
    return lp + np.sum(at(special.log_softmax(v, axis=1).T, d["y"]).diagonal())


@data("knitr/soil_incubation")
def _(r):
    ts = np.linspace(1, 30, 9)
    return dict(eCO2mean=7.7 * (1 - np.exp(-0.05 * ts)) + r.normal(0, 0.1, 9), ts=ts, t0=0, totalC_t0=7.7)


@density("knitr/soil_incubation")
def _(d, p):
    lp = sum(normal(p[name], 0, 1) for name in ["k1", "k2", "alpha21", "alpha12"]) + stats.beta.logpdf(p["gamma"], 10, 1) + cauchy(p["sigma"], 1)
    system = np.array([[-p["k1"], p["alpha12"] * p["k2"]], [p["alpha21"] * p["k1"], -p["k2"]]])
    kept = [np.sum(linalg.expm(system * t) @ [p["gamma"] * 7.7, (1 - p["gamma"]) * 7.7]) for t in d["ts"]]
    return lp + normal(d["eCO2mean"], 7.7 - np.array(kept), p["sigma"])


@data("misc/lda")
def _(r):
    return dict(w=levels(r, 5, 20), doc=levels(r, 4, 20), alpha=[0.8, 1.2], beta=[1, 1, 2, 1, 0.5])


@density("misc/lda")
def _(d, p):
    lp = np.sum((d["alpha"] - 1) * np.log(p["theta"])) + np.sum((d["beta"] - 1) * np.log(p["phi"]))
    return lp + np.sum(np.log([np.dot(p["theta"][m - 1], p["phi"][:, w - 1]) for m, w in zip(d["doc"], d["w"])]))


@data("misc/occupancy")
def _(r):
    y = r.integers(0, 2, (8, 4))
    y[:3] = 0
    return dict(y=y)


@density("misc/occupancy")
def _(d, p):
    lp = 0
    for row in d["y"]:
        here = p["psi1"] * p["p"] ** row.sum() * (1 - p["p"]) ** (4 - row.sum())
        lp += np.log(here + (0 if row.any() else 1 - p["psi1"]))
    return lp


@data("misc/funnel")
def _(r):
    return dict()


@density("misc/funnel")
def _(d, p):
    return normal(p["y"], 0, 3) + normal(p["x"], 0, np.exp(p["y"] / 2))


@data("misc/gam_one_centered_design")
def _(r):
    x = np.linspace(0, 1, 15)
    bumps = np.exp(-20 * (x[:, None] - np.linspace(0, 1, 5)) ** 2)
    design = np.column_stack([np.ones(15), bumps - bumps.mean(axis=0)])
    return dict(y=r.poisson(5, 15), X=design, P=np.column_stack([np.zeros(4), np.diff(np.eye(6), 2, axis=0)[:, 1:]]))


@density("misc/gam_one_centered_design")
def _(d, p):
    mu = np.exp(d["X"] @ p["beta"])
    lp = normal(d["P"] @ p["beta"], 0, 1 / (p["alpha"] * p["lambda"]))
    return lp + np.sum(stats.nbinom.logpmf(d["y"], p["alpha"], p["alpha"] / (mu + p["alpha"])))


@data("misc/arch1")
def _(r):
    return dict(r=r.normal(0.3, 1, 20))


@density("misc/arch1")
def _(d, p):
    return sum(normal(d["r"][t], p["mu"], np.sqrt(p["alpha0"] + p["alpha1"] * (d["r"][t - 1] - p["mu"]) ** 2)) for t in range(1, 20))


@data("misc/garch1_1")
def _(r):
    return dict(r=r.normal(0.3, 1, 20), sigma1=0.5)


@density("misc/garch1_1")
def _(d, p):
    v, lp = 0.25, 0
    for t in range(20):
        if t > 0:
            v = p["alpha0"] + p["w"][0] * (d["r"][t - 1] - p["mu"]) ** 2 + p["w"][1] * v
        lp += normal(d["r"][t], p["mu"], np.sqrt(v))
    return lp


@data("misc/koyck")
def _(r):
    return dict(y=r.normal(0.3, 1, 20), x=r.normal(size=20))


@density("misc/koyck")
def _(d, p):
    lp = cauchy(p["alpha"], 5) + cauchy(p["beta"], 5) + cauchy(p["sigma"], 5)
    return lp + normal(d["y"][1:], p["alpha"] + p["beta"] * d["x"][1:] + p["lambda"] * d["y"][:-1], p["sigma"])


@data("misc/gp-fit")
def _(r):
    return dict(x=np.sort(r.uniform(-5, 5, 9)), y=r.normal(size=9))


@density("misc/gp-fit")
def _(d, p):
    k = p["alpha"] ** 2 * np.exp(-0.5 * ((d["x"][:, None] - d["x"]) / p["rho"]) ** 2) + p["sigma"] ** 2 * np.eye(9)
    return inv_gamma(p["rho"], 5, 5) + normal(p["alpha"], 0, 1) + normal(p["sigma"], 0, 1) + stats.multivariate_normal.logpdf(d["y"], np.zeros(9), k)


@data("misc/hier_multivariate")
def _(r):
    return dict(y=r.normal(size=15), x=r.normal(size=(15, 2)), u=r.normal(size=(4, 3)), jj=levels(r, 4, 15))


@density("misc/hier_multivariate")
def _(d, p):
    s = np.diag(p["tau"]) @ p["Omega"] @ np.diag(p["tau"])
    lp = cauchy(p["tau"], 2.5) + np.log(np.linalg.det(p["Omega"])) + normal(p["gamma"], 0, 5)
    lp += sum(stats.multivariate_normal.logpdf(p["beta"][j], d["u"][j] @ p["gamma"], s) for j in range(4))
    return lp + normal(d["y"], np.sum(d["x"] * at(p["beta"], d["jj"]), axis=1), p["sigma"])


@data("misc/irt2")
def _(r):
    return dict(y=r.integers(0, 2, 20), jj=levels(r, 5, 20), kk=levels(r, 4, 20))


@density("misc/irt2")
def _(d, p):
    lp = normal(p["alpha"], 0, 1) + normal(p["beta"], 0, 1) + normal(p["delta"], 0.75, 1) + normal(p["log_gamma"], 0, 1)
    return lp + bernoulli_logit(d["y"], np.exp(at(p["log_gamma"], d["kk"])) * (at(p["alpha"], d["jj"]) - at(p["beta"], d["kk"]) + p["delta"]))


@data("misc/regression_std")
def _(r):
    x = r.normal(3, 2, 12)
    return dict(x=x, y=1 + 2 * x + r.normal(size=12))


@data("misc/stochastic-volatility")
def _(r):
    return dict(y=r.normal(0, 1, 14))


@density("misc/stochastic-volatility")
def _(d, p):
    h = [p["mu"] + p["sigma"] * p["e"][0] / np.sqrt(1 - p["phi"] ** 2)]
    for e in p["e"][1:]:
        h.append(p["mu"] + p["phi"] * (h[-1] - p["mu"]) + p["sigma"] * e)
    return stats.cauchy.logpdf(p["mu"], 0, 10) + cauchy(p["sigma"], 5) + normal(p["e"], 0, 1) + normal(d["y"], 0, np.exp(np.array(h) / 2))


@data("misc/multi_logit")
def _(r):
    return dict(x=r.normal(size=(14, 3)), y=levels(r, 4, 14))


@data("misc/nnmf_vec")
def _(r):
    g, f = r.lognormal(1, 0.5, (6, 2)), r.dirichlet(np.ones(4), 2)
    return dict(X=np.abs(g @ f + r.normal(0, 0.1, (6, 4))), sigma=[0.2, 0.3, 0.2, 0.4])


@density("misc/nnmf_vec")
def _(d, p):
    total = np.log(d["X"].sum(axis=1))
    lp = np.sum(stats.lognorm.logpdf(p["G"], total.std(ddof=1), scale=np.exp(total.mean())))
    return lp + normal(d["X"], p["G"] @ p["F"], d["sigma"])


def runge_kutta(change, z, h, steps):
    """The states of a system of differential equations before and after each step."""
    out = [np.array(z, float)]
    for _ in range(steps):
        z = out[-1]
        k1 = change(z)
        k2 = change(z + h / 2 * k1)
        k3 = change(z + h / 2 * k2)
        k4 = change(z + h * k3)
        out.append(z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(out)


@data("knitr/lotka-volterra")
def _(r):
    hares = 20 + 15 * np.cos(np.arange(1, 9) / 1.5)
    return dict(y=np.column_stack([hares, hares[::-1]]), y_init=[30, 4])


@density("knitr/lotka-volterra")
def _(d, p):
    change = lambda z: np.array([(p["alpha"] - p["beta"] * z[1]) * z[0], (p["delta"] * z[0] - p["gamma"]) * z[1]])
    z = runge_kutta(change, p["z_init"], 0.1, 80)
    lp = normal([p["alpha"], p["gamma"]], 1, 0.5) + normal([p["beta"], p["delta"]], 0.05, 0.05)
    lp += np.sum(stats.lognorm.logpdf(p["z_init"], 1, scale=10)) + np.sum(stats.lognorm.logpdf(p["sigma"], 1, scale=np.exp(-1)))
    return lp + np.sum(stats.lognorm.logpdf(d["y_init"], p["sigma"], scale=p["z_init"])) + np.sum(stats.lognorm.logpdf(d["y"], p["sigma"], scale=z[10::10]))


@data("knitr/sir_negbin")
def _(r):
    return dict(cases=[3, 8, 26, 76, 225, 298, 258, 233, 189, 128], y0=[762, 1, 0])


@density("knitr/sir_negbin")
def _(d, p):
    change = lambda y: np.array([-p["beta"] * y[0] * y[1] / 763, p["beta"] * y[0] * y[1] / 763 - p["gamma"] * y[1], p["gamma"] * y[1]])
    mu, phi = runge_kutta(change, d["y0"], 0.25, 40)[4::4, 1], 1 / p["phi_inv"]
    return normal(p["beta"], 2, 1) + normal(p["gamma"], 0.4, 0.5) - 5 * p["phi_inv"] + np.sum(stats.nbinom.logpmf(d["cases"], phi, phi / (mu + phi)))


@density("misc/regression_std")
def _(d, p):
    y, x = [(d[name] - d[name].mean()) / d[name].std(ddof=1) for name in ["y", "x"]]
    return normal(p["alpha_std"], 0, 10) + normal(p["beta_std"], 0, 10) + cauchy(p["sigma_std"], 5) + normal(y, p["alpha_std"] + p["beta_std"] * x, p["sigma_std"])
