"""The examples of BUGS, volume 1."""

import numpy as np
from scipy import special, stats

from cases import at, bernoulli_logit, binomial, binomial_logit, data, density, gamma, inv_gamma, levels, normal, poisson_log


@data("bugs/blocker")
def _(r):
    n = 7
    nt, nc = r.integers(40, 200, n), r.integers(40, 200, n)
    return dict(rt=r.binomial(nt, 0.1), nt=nt, rc=r.binomial(nc, 0.12), nc=nc)


@density("bugs/blocker")
def _(d, p):
    s = np.sqrt(p["sigmasq_delta"])
    lp = normal(p["d"], 0, 1000) + inv_gamma(p["sigmasq_delta"], 0.001, 0.001) + normal(p["mu"], 0, np.sqrt(1e5))
    lp += np.sum(stats.t.logpdf(p["delta"], 4, p["d"], s)) + stats.t.logpdf(p["delta_new"], 4, p["d"], s)
    return lp + binomial_logit(d["rt"], d["nt"], p["mu"] + p["delta"]) + binomial_logit(d["rc"], d["nc"], p["mu"])


@data("bugs/bones")
def _(r):
    ncat = np.array([2, 3, 5, 4])
    gamma_ = np.full((4, 4), -1.0)
    for j, k in enumerate(ncat):
        gamma_[j, :k - 1] = np.sort(r.normal(1, 1, k - 1))
    child, indicator = [a.ravel() + 1 for a in np.indices((5, 4))]
    return dict(child=child, indicator=indicator, grade=r.integers(0, 100, 20) % at(ncat, indicator) + 1, ncat=ncat, delta=r.uniform(0.5, 2, 4), gamma=gamma_)


@density("bugs/bones")
def _(d, p):
    lp = normal(p["theta"], 0, 36)
    for i, j, g in zip(d["child"], d["indicator"], d["grade"]):
        q = special.expit(d["delta"][j - 1] * (p["theta"][i - 1] - d["gamma"][j - 1, :d["ncat"][j - 1] - 1]))
        steps = np.concatenate([[1], q, [0]])
        lp += np.log(steps[g - 1] - steps[g])
    return lp


@data("bugs/dogs")
def _(r):
    return dict(Y=(r.uniform(size=(5, 8)) < np.linspace(0.1, 0.9, 8)).astype(int))


@density("bugs/dogs")
def _(d, p):
    lp = normal(p["alpha"], 0, 316.2) + normal(p["beta"], 0, 316.2)
    for dog in d["Y"]:
        for t in range(1, len(dog)):
            log_p = p["alpha"] * dog[:t].sum() + p["beta"] * (t - dog[:t].sum())
            lp += log_p if dog[t] == 0 else np.log(-np.expm1(log_p))
    return lp


@data("bugs/epil")
def _(r):
    base, treated = r.normal(1.8, 0.7, 8), r.integers(0, 2, 8)
    return dict(y=r.poisson(6, (8, 4)), Trt=treated, V4=[0, 0, 0, 1], log_Base4=base, log_Age=r.normal(3.3, 0.2, 8), BT=base * treated)


@density("bugs/epil")
def _(d, p):
    lp = sum(normal(p[name], 0, 100) for name in ["a0", "alpha_Base", "alpha_Trt", "alpha_BT", "alpha_Age", "alpha_V4"])
    lp += inv_gamma(p["sigmasq_b"], 0.001, 0.001) + inv_gamma(p["sigmasq_b1"], 0.001, 0.001)
    lp += normal(p["b1"], 0, np.sqrt(p["sigmasq_b1"])) + normal(p["b"], 0, np.sqrt(p["sigmasq_b"]))
    c = lambda name: np.asarray(d[name]) - np.mean(d[name])
    eta = p["alpha_Base"] * c("log_Base4") + p["alpha_Trt"] * c("Trt") + p["alpha_BT"] * c("BT") + p["alpha_Age"] * c("log_Age") + p["b1"]
    return lp + poisson_log(d["y"], p["a0"] + eta[:, None] + p["alpha_V4"] * c("V4")[None] + p["b"])


@data("bugs/inhalers")
def _(r):
    return dict(response=np.vstack([[1, 4], r.integers(1, 5, (11, 2))]), group=levels(r, 2, 12), treat=[[1, -1], [-1, 1]], period=[[1, -1], [1, -1]],
                carry=[[0, -1], [0, 1]])


@density("bugs/inhalers")
def _(d, p):
    lp = inv_gamma(p["sigmasq"], 0.001, 0.001) + sum(normal(p[name], 0, 1000) for name in ["beta", "pi", "kappa"]) + normal(p["b"], 0, np.sqrt(p["sigmasq"]))
    for i, g in enumerate(d["group"]):
        for t in range(2):
            mu = p["beta"] * d["treat"][g - 1, t] / 2 + p["pi"] * d["period"][g - 1, t] / 2 + p["kappa"] * d["carry"][g - 1, t]
            q = np.concatenate([[1], special.expit(-(p["a"] + mu + p["b"][i])), [0]])
            lp += np.log(q[d["response"][i, t] - 1] - q[d["response"][i, t]])
    return lp


@data("bugs/kidney")
def _(r):
    return dict(t=r.weibull(1, 14) * 60, event=r.integers(0, 2, 14), age=r.uniform(10, 70, 14), sex=r.integers(0, 2, 14), disease=levels(r, 4, 14),
                patient=levels(r, 7, 14))


@density("bugs/kidney")
def _(d, p):
    lp = sum(normal(p[name], 0, 100) for name in ["alpha", "beta_age", "beta_sex", "beta_disease"]) + gamma(p["tau"], 0.001, 0.001) + gamma(p["r"], 1, 0.001)
    lp += normal(p["b"], 0, np.sqrt(1 / p["tau"]))
    risk = p["alpha"] + p["beta_age"] * d["age"] + p["beta_sex"] * d["sex"] + at(np.append(0, p["beta_disease"]), d["disease"]) + at(p["b"], d["patient"])
    hazard = np.exp(risk) * d["t"] ** p["r"]
    return lp + np.sum(d["event"] * (risk + np.log(p["r"]) + (p["r"] - 1) * np.log(d["t"])) - hazard)


def leukaemia(r):
    t = np.unique(r.integers(1, 20, 6)).astype(float)
    return dict(NT=len(t), t=np.append(t, 35), obs_t=r.choice(t, 10), fail=r.integers(0, 2, 10), Z=np.tile([0.5, -0.5], 5))


@data("bugs/leuk")
def _(r):
    return leukaemia(r)


@data("bugs/leukfr")
def _(r):
    return dict(**leukaemia(r), pair=levels(r, 5, 10))


def counting(d, p, effect):
    lp = normal(p["beta"], 0, 1000)
    for j in range(d["NT"]):
        lp += gamma(p["dL0"][j], 0.1 * (d["t"][j + 1] - d["t"][j]) * 0.001, 0.001)
        for i in range(10):
            if d["obs_t"][i] >= d["t"][j]:
                died = d["fail"][i] * (d["t"][j + 1] > d["obs_t"][i])
                lp += stats.poisson.logpmf(died, np.exp(p["beta"] * d["Z"][i] + effect[i]) * p["dL0"][j])
    return lp


@density("bugs/leuk")
def _(d, p):
    return counting(d, p, np.zeros(10))


@density("bugs/leukfr")
def _(d, p):
    return counting(d, p, at(p["b"], d["pair"])) + gamma(p["tau"], 0.001, 0.001) + normal(p["b"], 0, p["tau"] ** -0.5)


@data("bugs/litter")
def _(r):
    n = r.integers(6, 14, (2, 5))
    return dict(n=n, r=r.binomial(n, 0.8))


@density("bugs/litter")
def _(d, p):
    a, b = p["mu"] * p["a_plus_b"], (1 - p["mu"]) * p["a_plus_b"]
    lp = np.sum(stats.pareto.logpdf(p["a_plus_b"], 1.5, scale=0.1)) + binomial(d["r"], d["n"], p["p"])
    return lp + np.sum(stats.beta.logpdf(p["p"], a[:, None], b[:, None]))


@data("bugs/lsat")
def _(r):
    return dict(r=r.integers(0, 2, (9, 4)))


@density("bugs/lsat")
def _(d, p):
    lp = normal(p["alpha"], 0, 100) + normal(p["beta"], 0, 100) + normal(p["theta"], 0, 1)
    return lp + bernoulli_logit(d["r"], p["beta"] * p["theta"][:, None] - p["alpha"][None])


@data("bugs/magnesium")
def _(r):
    nt, nc = r.integers(30, 90, 4), r.integers(30, 90, 4)
    return dict(rt=r.binomial(nt, 0.1), nt=nt, rc=r.binomial(nc, 0.15), nc=nc)


@density("bugs/magnesium")
def _(d, p):
    s2 = 0.1272041
    tau = [p["inv_tau_sq_1"] ** -0.5, p["tau_sq_2"] ** 0.5, p["tau_3"], np.sqrt(s2 * (1 - p["B0"]) / p["B0"]), np.sqrt(s2) * (1 - p["D0"]) / p["D0"], p["tau_sq_6"] ** 0.5]
    lp = gamma(p["inv_tau_sq_1"], 0.001, 0.001) + normal(p["tau_sq_6"], 0, 1 / np.sqrt(stats.norm.cdf(0.75) / s2))
    for k in range(6):
        lp += normal(p["theta"][k], p["mu"][k], tau[k]) + binomial(d["rc"], d["nc"], p["pc"][k])
        lp += binomial_logit(d["rt"], d["nt"], p["theta"][k] + special.logit(p["pc"][k]))
    return lp


@data("bugs/mice")
def _(r):
    return dict(t=r.uniform(5, 40, 16), dead=r.integers(0, 2, 16), group=levels(r, 4, 16))


@density("bugs/mice")
def _(d, p):
    lp, beta = normal(p["beta"], 0, 100) - 0.001 * p["r"], at(p["beta"], d["group"])
    return lp + np.sum(d["dead"] * (beta + np.log(p["r"]) + (p["r"] - 1) * np.log(d["t"])) - np.exp(beta) * d["t"] ** p["r"])


@data("bugs/oxford")
def _(r):
    n0, n1 = r.integers(10, 40, 8), r.integers(10, 40, 8)
    return dict(r0=r.binomial(n0, 0.2), n0=n0, r1=r.binomial(n1, 0.3), n1=n1, year=np.linspace(-8, 8, 8))


@data("bugs/pump")
def _(r):
    return dict(x=r.poisson(5, 10), t=r.uniform(1, 100, 10))


@density("bugs/pump")
def _(d, p):
    lp = -p["alpha"] + gamma(p["beta"], 0.1, 1) + gamma(p["theta"], p["alpha"], p["beta"])
    return lp + np.sum(stats.poisson.logpmf(d["x"], p["theta"] * d["t"]))


@data("bugs/rats")
def _(r):
    x = np.array([8.0, 15, 22, 29, 36])
    return dict(y=245 + np.outer(r.normal(6, 0.5, 6), x - 22) + r.normal(0, 6, (6, 5)), x=x, xbar=22)


@density("bugs/rats")
def _(d, p):
    lp = normal(p["mu_alpha"], 0, 100) + normal(p["mu_beta"], 0, 100) + sum(inv_gamma(p["sigmasq_" + name], 0.001, 0.001) for name in ["y", "alpha", "beta"])
    lp += normal(p["alpha"], p["mu_alpha"], np.sqrt(p["sigmasq_alpha"])) + normal(p["beta"], p["mu_beta"], np.sqrt(p["sigmasq_beta"]))
    return lp + normal(d["y"], p["alpha"][:, None] + np.outer(p["beta"], d["x"] - 22), np.sqrt(p["sigmasq_y"]))


@data("bugs/seeds")
def _(r):
    n = r.integers(4, 80, 10)
    return dict(n=r.binomial(n, 0.5), N=n, x1=r.integers(0, 2, 10), x2=r.integers(0, 2, 10))


@density("bugs/seeds")
def _(d, p):
    lp = sum(normal(p[name], 0, 1000) for name in ["alpha0", "alpha1", "alpha2", "alpha12"]) + gamma(p["tau"], 0.001, 0.001) + normal(p["b"], 0, p["tau"] ** -0.5)
    return lp + binomial_logit(d["n"], d["N"], p["alpha0"] + p["alpha1"] * d["x1"] + p["alpha2"] * d["x2"] + p["alpha12"] * d["x1"] * d["x2"] + p["b"])


@data("bugs/stacks_a_normal")
@data("bugs/stacks_e_dexp_ridge")
def _(r):
    return dict(Y=r.normal(17, 10, 12), airflow=r.uniform(50, 80, 12), temperature=r.uniform(17, 27, 12), acid=r.uniform(72, 93, 12))


@density("bugs/stacks_e_dexp_ridge")
def _(d, p):
    z = np.column_stack([(d[c] - d[c].mean()) / d[c].std(ddof=1) for c in ["airflow", "temperature", "acid"]])
    lp = normal(p["beta0"], 0, 316) + gamma(p["phi"], 0.01, 0.01) + normal(p["beta"], 0, np.sqrt(p["phi"])) + inv_gamma(p["sigmasq"], 0.001, 0.001)
    return lp + np.sum(stats.laplace.logpdf(d["Y"], p["beta0"] + z @ p["beta"], p["sigmasq"]))


@data("bugs/surgical")
def _(r):
    n = r.integers(50, 400, 12)
    return dict(r=r.binomial(n, 0.07), n=n)


@density("bugs/oxford")
def _(d, p):
    lp = sum(normal(p[name], 0, 1000) for name in ["alpha", "beta1", "beta2", "mu"]) + inv_gamma(p["sigma_sq"], 0.001, 0.001) + normal(p["b"], 0, 1)
    effect = p["alpha"] + p["beta1"] * d["year"] + p["beta2"] * (d["year"] ** 2 - 22) + np.sqrt(p["sigma_sq"]) * p["b"]
    return lp + binomial_logit(d["r0"], d["n0"], p["mu"]) + binomial_logit(d["r1"], d["n1"], p["mu"] + effect)


@density("bugs/stacks_a_normal")
def _(d, p):
    z = np.column_stack([(d[c] - d[c].mean()) / d[c].std(ddof=1) for c in ["airflow", "temperature", "acid"]])
    lp = normal(p["beta0"], 0, 316) + normal(p["beta"], 0, 316) + inv_gamma(p["sigmasq"], 0.001, 0.001)
    return lp + normal(d["Y"], p["beta0"] + z @ p["beta"], np.sqrt(p["sigmasq"]))


@density("bugs/surgical")
def _(d, p):
    lp = normal(p["mu"], 0, 1000) + inv_gamma(p["sigmasq"], 0.001, 0.001) + normal(p["b"], p["mu"], np.sqrt(p["sigmasq"]))
    return lp + binomial_logit(d["r"], d["n"], p["b"])
