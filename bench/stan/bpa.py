"""Kéry and Schaub, Bayesian population analysis using WinBUGS."""

import numpy as np
from scipy import special, stats

from cases import at, bernoulli_logit, binomial, data, density, levels, normal, poisson_log


@data("bpa/GLMM5")
def _(r):
    return dict(obs=r.poisson(4, 18), obsyear=levels(r, 5, 18), obssite=levels(r, 4, 18), observer=levels(r, 3, 18), first=r.integers(0, 2, 18),
                year=np.linspace(-1, 1, 5))


@density("bpa/GLMM5")
def _(d, p):
    lp = sum(normal(p[name], 0, 10) for name in ["mu", "beta1", "beta2"])
    lp += normal(p["alpha"], 0, p["sd_alpha"]) + normal(p["eps"], 0, p["sd_eps"]) + normal(p["gamma"], 0, p["sd_gamma"])
    eta = p["mu"] + p["beta1"] * at(d["year"], d["obsyear"]) + p["beta2"] * d["first"] + at(p["alpha"], d["obssite"])
    return lp + poisson_log(d["obs"], eta + at(p["gamma"], d["observer"]) + at(p["eps"], d["obsyear"]))


@data("bpa/M0")
def _(r):
    return dict(y=np.vstack([r.integers(0, 2, (9, 3)), np.zeros((6, 3), int)]))


@density("bpa/M0")
def _(d, p):
    lp = 0
    for row in d["y"]:
        here = p["omega"] * stats.binom.pmf(row.sum(), 3, p["p"])
        lp += np.log(here + (1 - p["omega"] if row.sum() == 0 else 0))
    return lp


@data("bpa/cjs_c_c")
def _(r):
    y = (r.uniform(size=(12, 5)) < 0.5).astype(int)
    y[-1] = 0
    return dict(y=y)


@density("bpa/cjs_c_c")
def _(d, p):
    phi, q, lp = p["mean_phi"], p["mean_p"], 0
    for row in d["y"]:
        if not row.any():
            continue
        first, last, n = np.flatnonzero(row)[0], np.flatnonzero(row)[-1], len(row)
        for t in range(first + 1, last + 1):
            lp += np.log(phi) + np.log(q if row[t] else 1 - q)
        # the last occasion alive is enumerated
        lp += np.log(sum((phi * (1 - q)) ** (t - last) * ((1 - phi) if t < n - 1 else 1) for t in range(last, n)))
    return lp


@data("bpa/lifedead")
def _(r):
    y = np.full((8, 5), 3)
    for i in range(8):
        first = r.integers(0, 3)
        y[i, first] = 1
        for t in range(first + 1, 5):
            u = r.uniform()
            if u < 0.2:
                y[i, t] = 2
                break
            if u < 0.6:
                y[i, t] = 1
    y[0, :3] = [1, 3, 2]
    y[0, 3:] = 3
    y[1] = 3
    return dict(y=y)


@density("bpa/lifedead")
def _(d, p):
    s, f, r, q = p["s"], p["f"], p["r"], p["p"]
    step = np.array([[s * f, s * (1 - f), (1 - s) * r, (1 - s) * (1 - r)], [0, s, (1 - s) * r, (1 - s) * (1 - r)], [0, 0, 0, 1], [0, 0, 0, 1]])
    seen = np.array([[q, 0, 1 - q], [0, 0, 1], [0, 1, 0], [0, 0, 1]])
    lp = 0
    for row in d["y"]:
        if np.all(row == 3):
            continue
        first = np.flatnonzero(row != 3)[0]
        alpha = np.array([1.0, 0, 0, 0])
        for t in range(first + 1, len(row)):
            alpha = (alpha @ step) * seen[:, row[t] - 1]
        lp += np.log(alpha.sum())
    return lp


@data("bpa/Nmix1")
def _(r):
    sites, first, last = 6, [1, 1, 2, 1, 3, 1], [7, 6, 7, 7, 7, 5]
    y = r.poisson(2, (2, sites, 7))
    y[:, 4] = 0
    k = np.arange(1, 8)
    i, at = np.nonzero((k >= np.array(first)[:, None]) & (k <= np.array(last)[:, None]))
    return dict(site=i + 1, year=at + 1, y1=y[0, i, at], y2=y[1, i, at])


@density("bpa/Nmix1")
def _(d, p):
    lp = normal(p["alpha_lam"], 0, 10)
    for i in range(1, 7):
        suitable, rows = np.log(p["omega"]), np.flatnonzero(d["site"] == i)
        for row in rows:
            n, k = np.arange(0, 200), d["year"][row] - 1  # every number of animals that matters
            terms = stats.poisson.logpmf(n, np.exp(p["alpha_lam"][k]))
            for y in (d["y1"][row], d["y2"][row]):
                terms = terms + stats.binom.logpmf(y, n, p["p"][k])
            suitable += special.logsumexp(terms)
        never = d["y1"][rows].sum() + d["y2"][rows].sum() == 0
        lp += np.logaddexp(suitable, np.log1p(-p["omega"])) if never else suitable
    return lp


@data("bpa/Dynocc")
def _(r):
    seen = r.binomial(3, 0.5, (7, 4)) * r.integers(0, 2, (7, 4))
    seen[0] = 0
    return dict(seen=seen, nrep=3)


@density("bpa/Dynocc")
def _(d, p):
    lp = 0
    for row in d["seen"]:
        occ = np.array([p["psi1"], 1 - p["psi1"]])
        for t, k in enumerate(row):
            if t > 0:
                move = np.array([[p["phi"][t - 1], 1 - p["phi"][t - 1]], [p["gamma"][t - 1], 1 - p["gamma"][t - 1]]])
                occ = occ @ move
            occ = occ * [stats.binom.pmf(k, 3, p["p"][t]), float(k == 0)]
        lp += np.log(occ.sum())
    return lp


@data("bpa/site-occ_cov")
def _(r):
    y = r.integers(0, 2, (8, 3))
    y[:3] = 0
    return dict(y=y, X=r.normal(size=8))


@density("bpa/site-occ_cov")
def _(d, p):
    lp = 0
    for row, x in zip(d["y"], d["X"]):
        psi = special.expit(p["alpha_occ"] + p["beta_occ"] * x)
        here = psi * np.exp(bernoulli_logit(row, p["alpha_p"] + p["beta_p"] * x))
        lp += np.log(here + (0 if row.any() else 1 - psi))
    return lp


@data("cognitive/Rate_4")
def _(r):
    return dict(n=15, k=1)


@density("cognitive/Rate_4")
def _(d, p):
    return binomial(1, 15, p["theta"])


@data("cognitive/Survey")
def _(r):
    return dict(nmax=50, k=[16, 18, 22, 25, 27])


@density("cognitive/Survey")
def _(d, p):
    return special.logsumexp([binomial(d["k"], n, p["theta"]) for n in range(27, 51)])


@data("education/cace_with_exclusion")
def _(r):
    z = np.repeat([0, 1], 10)
    return dict(Z=z, W=z * r.integers(0, 2, 20), Y=r.integers(0, 2, 20))


@density("education/cace_with_exclusion")
def _(d, p):
    lp = sum(stats.beta.logpdf(p[name], 2, 2) for name in ["eta_c0", "eta_c1", "eta_n"])
    for z, w, y in zip(d["Z"], d["W"], d["Y"]):
        ber = lambda q: q if y == 1 else 1 - q
        complier, never = p["pi_c"] * ber(p["eta_c1"]), (1 - p["pi_c"]) * ber(p["eta_n"])
        lp += np.log(p["pi_c"] * ber(p["eta_c0"]) + never if z == 0 else complier if w == 1 else never)
    return lp


@data("education/dina_independent")
def _(r):
    alpha = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    needs = np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]])
    return dict(y=r.integers(0, 2, (7, 5)), alpha=alpha, xi=np.all(alpha[None] >= needs[:, None], axis=2).astype(int))


@density("education/dina_independent")
def _(d, p):
    lp = np.sum(stats.beta.logpdf(p["slip"], 5, 25)) + np.sum(stats.beta.logpdf(p["guess"], 5, 25))
    for y in d["y"]:
        total = 0
        for c, profile in enumerate(d["alpha"]):
            share = np.prod(np.where(profile == 1, p["eta"], 1 - p["eta"]))
            right = np.where(d["xi"][:, c] == 1, 1 - p["slip"], p["guess"])
            total += share * np.prod(np.where(y == 1, right, 1 - right))
        lp += np.log(total)
    return lp
