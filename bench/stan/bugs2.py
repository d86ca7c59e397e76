"""The examples of BUGS, volumes 2 and 3."""

import numpy as np
from scipy import special, stats

from cases import at, bernoulli_logit, binomial, binomial_logit, cauchy, data, density, gamma, inv_gamma, levels, normal, poisson_log


@data("bugs/air")
def _(r):
    return dict(y=[21, 20, 15], n=[48, 34, 21], Z=[10, 30, 50], alpha=4.48, beta=0.76, sigma2=81.14)


@density("bugs/air")
def _(d, p):
    lp = normal(p["theta1"], 0, 32) + normal(p["theta2"], 0, 32) + normal(p["X"], 4.48 + 0.76 * d["Z"], np.sqrt(81.14))
    return lp + binomial_logit(d["y"], d["n"], p["theta1"] + p["theta2"] * p["X"])


@data("bugs/alli2")
def _(r):
    lake, size = [a.ravel() + 1 for a in np.indices((4, 2))]
    return dict(X=r.poisson(5, (8, 5)), lake=lake, size=size)


@density("bugs/alli2")
def _(d, p):
    lp = sum(normal(p[name], 0, 320) for name in ["lambda", "alpha", "beta", "gamma"])
    beta, gamma_ = np.zeros((4, 5)), np.zeros((2, 5))
    beta[1:, 1:], gamma_[1:, 1:] = p["beta"], p["gamma"]
    return lp + poisson_log(d["X"], p["lambda"][:, None] + np.append(0, p["alpha"]) + at(beta, d["lake"]) + at(gamma_, d["size"]))


@data("bugs/beetles_cloglog")
@data("bugs/beetles_logit")
@data("bugs/beetles_probit")
def _(r):
    n = r.integers(55, 65, 8)
    return dict(r=r.binomial(n, np.linspace(0.1, 0.95, 8)), n=n, x=np.linspace(1.69, 1.88, 8))


@density("bugs/beetles_cloglog")
def _(d, p):
    rate = np.exp(p["alpha_star"] + p["beta"] * (d["x"] - d["x"].mean()))
    return normal(p["alpha_star"], 0, 1e4) + normal(p["beta"], 0, 1e4) + np.sum(d["r"] * np.log(-np.expm1(-rate)) - (d["n"] - d["r"]) * rate)


@density("bugs/beetles_probit")
def _(d, p):
    z = p["alpha_star"] + p["beta"] * (d["x"] - d["x"].mean())
    return normal(p["alpha_star"], 0, 1) + normal(p["beta"], 0, 1e4) + np.sum(d["r"] * special.log_ndtr(z) + (d["n"] - d["r"]) * special.log_ndtr(-z))


@data("bugs/birats")
def _(r):
    x = np.array([8.0, 15, 22, 29, 36])
    return dict(y=106 + np.outer(r.normal(6, 0.5, 5), x) + r.normal(0, 6, (5, 5)), x=x, Omega=[[200, 0], [0, 0.2]])


@density("bugs/birats")
def _(d, p):
    lp = normal(p["mu_beta"], 0, 100) + stats.invwishart.logpdf(p["Sigma_beta"], 2, d["Omega"]) + inv_gamma(p["sigmasq_y"], 0.001, 0.001)
    lp += np.sum(stats.multivariate_normal.logpdf(p["beta"], p["mu_beta"], p["Sigma_beta"]))
    return lp + normal(d["y"], p["beta"][:, :1] + np.outer(p["beta"][:, 1], d["x"]), np.sqrt(p["sigmasq_y"]))


@data("bugs/cervix2")
def _(r):
    return dict(xc=r.integers(0, 2, 12), wc=r.integers(0, 2, 12), dc=r.integers(0, 2, 12), wi=r.integers(0, 2, 15), di=r.integers(0, 2, 15))


@density("bugs/cervix2")
def _(d, p):
    q, phi, ber = p["q"], p["phi"], lambda k, s: np.log(s if k else 1 - s)
    lp = normal(p["beta0C"], 0, 320) + normal(p["beta"], 0, 320)
    for x, w, dd in zip(d["xc"], d["wc"], d["dc"]):
        lp += ber(x, q) + bernoulli_logit(dd, p["beta0C"] + p["beta"] * x) + ber(w, phi[x, dd])
    for w, dd in zip(d["wi"], d["di"]):
        lp += ber(dd, special.expit(p["beta0C"] + p["beta"]) * q + special.expit(p["beta0C"]) * (1 - q)) + ber(w, phi[0, dd] * (1 - q) + phi[1, dd] * q)
    return lp


@data("bugs/endo2")
def _(r):
    return dict(case=r.integers(0, 2, 20), control=r.integers(0, 2, 20))


@density("bugs/endo2")
def _(d, p):
    a, b = np.exp(p["beta"] * d["case"]), np.exp(p["beta"] * d["control"])
    return normal(p["beta"], 0, 1000) + np.sum(np.log(a / (a + b)))


@data("bugs/hearts")
def _(r):
    t = r.integers(2, 20, 12)
    return dict(y=r.binomial(t, 0.3) * r.integers(0, 2, 12), t=t)


@density("bugs/hearts")
def _(d, p):
    theta, q = special.expit(p["delta"]), special.expit(p["alpha"])
    many = np.log1p(-theta) + stats.binom.logpmf(d["y"], d["t"], q)
    return normal(p["alpha"], 0, 100) + normal(p["delta"], 0, 100) + np.sum(np.where(d["y"] == 0, np.log(theta + (1 - theta) * (1 - q) ** d["t"]), many))


@data("bugs/ice")
def _(r):
    return dict(cases=r.poisson(20, 18), age=levels(r, 4, 18), year=levels(r, 7, 18), pyr=r.integers(10000, 40000, 18), alpha1=-8)


@density("bugs/ice")
def _(d, p):
    b = p["beta"]
    lp = normal(b[:2], 0, 1000 * p["sigma"]) + normal(b[2:], 2 * b[1:-1] - b[:-2], p["sigma"]) + normal(p["alpha"], 0, 1000)
    return lp + poisson_log(d["cases"], at(np.append(-8, p["alpha"]), d["age"]) + np.log(d["pyr"]) + at(b, d["year"]))


@data("bugs/mvn_orange")
def _(r):
    x = np.array([118.0, 484, 664, 1004, 1231, 1372, 1582]) / 1000
    y = 190 / (1 + 8 * np.exp(-2.8 * x)) + r.normal(0, 8, (4, 7))
    return dict(Y=y, x=x, invR=np.eye(3) / 10, mu_var_prior=100 * np.eye(3), mu_m_prior=[0, 0, 0])


@data("bugs/stagnant")
@data("bugs/stagnant2")
def _(r):
    x = np.sort(r.uniform(-1.4, 1, 9))
    return dict(x=x, Y=0.5 - 0.4 * np.minimum(x, 0) - np.maximum(x, 0) + r.normal(0, 0.05, 9))


@density("bugs/stagnant")
def _(d, p):
    terms = []
    for k in range(9):
        mu = [p["alpha"] + p["beta"][0 if n <= k else 1] * (d["x"][n] - d["x"][k]) for n in range(9)]
        terms.append(np.log(p["theta"][k]) + normal(d["Y"], mu, p["sigma"]))
    lp = cauchy(p["sigma"], 5) + normal(p["alpha"], 0, 5) + normal(p["beta"], 0, 5) + np.sum(-0.99 * np.log(p["theta"]))
    return lp + special.logsumexp(terms)


@density("bugs/stagnant2")
def _(d, p):
    slope = np.where(d["x"] < p["x_change"], p["beta"][0], p["beta"][1])
    lp = cauchy(p["sigma"], 5) + normal(p["alpha"], 0, 5) + normal(p["beta"], 0, 5)
    return lp + normal(d["Y"], p["alpha"] + slope * (d["x"] - p["x_change"]), p["sigma"])


@data("bugs/estdof")
def _(r):
    return dict(y=r.standard_t(4, 30))


@density("bugs/estdof")
def _(d, p):
    return np.sum(stats.t.logpdf(d["y"], p["d"]))


@data("bugs/camel")
def _(r):
    return dict(both=[[1, 1], [1, -1], [-1, 1], [-1, -1]], first=[2, 2, -2, -2], second=[2, 2, -2, -2])


@density("bugs/camel")
def _(d, p):
    s = p["Sigma"]
    lp = -1.5 * np.log(np.linalg.det(s)) + np.sum(stats.multivariate_normal.logpdf(d["both"], [0, 0], s))
    return lp + normal(d["first"], 0, np.sqrt(s[0, 0])) + normal(d["second"], 0, np.sqrt(s[1, 1]))


@data("bugs/fire")
def _(r):
    return dict(x=np.concatenate([r.lognormal(0, 0.3, 15), 1 + r.pareto(1.5, 15)]))


@density("bugs/fire")
def _(d, p):
    theta, a, s = p["theta"], p["alpha"], p["sigma"]
    mu = np.log(theta) - a * s**2
    ratio = np.sqrt(2 * np.pi) * a * s * stats.norm.cdf(a * s) * np.exp((a * s) ** 2 / 2)
    below = np.log(ratio) - stats.norm.logcdf(a * s) + stats.lognorm.logpdf(d["x"], s, scale=np.exp(mu))
    beyond = np.log(a) + a * np.log(theta) - (a + 1) * np.log(d["x"])
    return sum(gamma(v, 0.001, 0.001) for v in (theta, a, s)) + np.sum(np.where(theta > d["x"], below, beyond) - np.log1p(ratio))


@data("bugs/hepatitis")
@data("bugs/hepatitisME")
def _(r):
    return dict(Yvec1=r.normal(6, 1, 16), tvec1=r.uniform(5.5, 7.5, 16), idxn1=levels(r, 6, 16), y0=r.normal(6, 1.5, 6))


@density("bugs/hepatitisME")
def _(d, p):
    lp = sum(inv_gamma(p[name], 0.001, 0.001) for name in ["sigmasq_y", "sigmasq_alpha", "sigmasq_beta", "sigma_mu0"])
    lp += sum(normal(p[name], 0, 1000) for name in ["alpha0", "beta0", "gamma", "theta"])
    lp += normal(p["mu0"], p["theta"], p["sigma_mu0"]) + normal(d["y0"], p["mu0"], np.sqrt(p["sigmasq_y"]))
    lp += normal(p["alpha"], p["alpha0"], np.sqrt(p["sigmasq_alpha"])) + normal(p["beta"], p["beta0"], np.sqrt(p["sigmasq_beta"]))
    m = at(p["alpha"], d["idxn1"]) + at(p["beta"], d["idxn1"]) * (d["tvec1"] - 6.5) + p["gamma"] * (at(p["mu0"], d["idxn1"]) - d["y0"].mean())
    return lp + normal(d["Yvec1"], m, np.sqrt(p["sigmasq_y"]))


@density("bugs/beetles_logit")
def _(d, p):
    eta = p["alpha_star"] + p["beta"] * (d["x"] - d["x"].mean())
    return normal(p["alpha_star"], 0, 1e4) + normal(p["beta"], 0, 1e4) + binomial_logit(d["r"], d["n"], eta)


@density("bugs/mvn_orange")
def _(d, p):
    lp = inv_gamma(p["sigmasq"], 0.001, 0.001) + normal(p["mu"], 0, 10) + stats.invwishart.logpdf(p["sigma2"], 3, d["invR"])
    for k in range(4):
        a, b, c = np.exp(p["theta"][k])
        lp += stats.multivariate_normal.logpdf(p["theta"][k], p["mu"], p["sigma2"])
        lp += normal(d["Y"][k], a / (1 + (b - 1) * np.exp(-c * d["x"])), np.sqrt(p["sigmasq"]))
    return lp


@density("bugs/hepatitis")
def _(d, p):
    lp = sum(inv_gamma(p[name], 0.001, 0.001) for name in ["sigmasq_y", "sigmasq_alpha", "sigmasq_beta"])
    lp += sum(normal(p[name], 0, 1000) for name in ["alpha0", "beta0", "gamma"])
    lp += normal(p["alpha"], p["alpha0"], np.sqrt(p["sigmasq_alpha"])) + normal(p["beta"], p["beta0"], np.sqrt(p["sigmasq_beta"]))
    m = at(p["alpha"] + p["gamma"] * (d["y0"] - d["y0"].mean()), d["idxn1"]) + at(p["beta"], d["idxn1"]) * (d["tvec1"] - 6.5)
    return lp + normal(d["Yvec1"], m, np.sqrt(p["sigmasq_y"]))
