"""Ten problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen8.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, rows of
equal numbers are matrices, and what data alone determine is computed beforehand."""
import os

import numpy as np
from scipy.special import ndtr

from unseen2 import groups, logistic

CENTRED = set("causes thresholds races economies tumours structural".split()) ^ set(os.environ.get("OTHER", "").split())


def goals(r):
    """A season of 20 sides (Maher)."""
    home, away = (k.ravel() for k in np.meshgrid(np.arange(20), np.arange(20), indexing="ij"))
    home, away = home[home != away], away[home != away]
    a, d = 0.25 * r.normal(size=20), 0.2 * r.normal(size=20)
    return dict(home=home + 1, away=away + 1, yh=r.poisson(np.exp(0.1 + 0.3 + a[home] - d[away])), ya=r.poisson(np.exp(0.1 + a[away] - d[home])))


def causes(r):
    """1,200 patients in 30 hospitals, followed for five years at most."""
    g, x = groups(r, 1200, 30), r.normal(size=(1200, 3)).round(4)
    u = r.multivariate_normal([-2, -2.3], [[0.25, 0.12], [0.12, 0.36]], 30)[g]
    t = [(r.exponential(size=1200) * np.exp(-u[:, i] - x @ b)) ** (1 / k) for i, (b, k) in enumerate((([0.5, -0.3, 0], 1.3), ([0, 0.4, 0.2], 0.9)))]
    end = r.uniform(1, 5, 1200)
    when = np.minimum(np.minimum(*t), end).clip(1e-4).round(5)
    return dict(t=when, first=((t[0] < t[1]) & (t[0] < end)).astype(int), other=((t[1] <= t[0]) & (t[1] < end)).astype(int), X=x, g=g + 1)


def structural(r):
    """300 persons, three indicators of each of two traits."""
    x, f = r.normal(size=300).round(4), 0.9 * r.normal(size=300)
    h = 0.6 * f + 0.4 * x + 0.7 * r.normal(size=300)
    part = lambda k, m, l, s: (np.array(m) + np.outer(k, l) + np.array(s) * r.normal(size=(300, 3))).round(4)
    return dict(Y=part(f, [1, 0, -1], [1, 0.8, 1.2], [0.6, 0.8, 0.5]), Z=part(h, [0, 0.5, 1], [1, 1.1, 0.7], [0.7, 0.6, 0.8]), x=x)


def thresholds(r):
    """40 subjects, nine strengths of a stimulus, 25 choices at each."""
    g, x = np.repeat(np.arange(40), 9), np.tile(np.linspace(-2, 2, 9), 40)
    t, w, l = 0.2 + 0.4 * r.normal(size=40), np.exp(-0.4 + 0.3 * r.normal(size=40)), r.beta(2, 40, 40)
    return dict(y=r.binomial(25, 0.5 + (0.5 - l[g]) * ndtr((x - t[g]) / w[g])), n=np.full(360, 25), x=x, g=g + 1)


def raters(r):
    """400 cases, twelve raters who see each."""
    x = r.normal(size=400).round(4)
    true = r.random(400) < logistic(-0.4 + 0.8 * x)
    a, b = 1.2 + 0.5 * r.normal(size=12), 1.6 + 0.5 * r.normal(size=12)
    return dict(Y=(r.random((400, 12)) < logistic(np.where(true[:, None], a, -b))).astype(int), x=x)


def tumours(r):
    """50 animals, ten volumes of each."""
    g, t, x = np.repeat(np.arange(50), 10), np.tile(np.arange(1, 11) * 0.8, 50), (np.repeat(np.arange(50), 10) % 2)
    a, c = 6 + 0.5 * r.normal(size=50), -1 + 0.25 * r.normal(size=50)
    return dict(y=np.exp(a[g] - 4 * np.exp(-np.exp(c[g] - 0.4 * x) * t) + 0.15 * r.normal(size=500)).round(4), t=t, x=x, g=g + 1)


def missing(r):
    """800 persons in 40 groups, of whom 200 lack a covariate, the more so the larger another is."""
    g, z = groups(r, 800, 40), r.normal(size=800).round(4)
    v = 0.5 + 0.6 * z + 0.8 * r.normal(size=800)
    y = 1 + 0.7 * v - 0.4 * z + 0.5 * r.normal(size=40)[g] + r.normal(size=800)
    lack = np.zeros(800, bool)
    lack[np.argsort(z + r.normal(size=800))[-200:]] = True
    lack[:40] = False  # the first row of every group has it
    y, v, m = y.round(4), v.round(4), ~lack
    return dict(y=y[m], v=v[m], z=z[m], g=g[m] + 1, y0=y[lack], z0=z[lack], g0=g[lack] + 1)


def races(r):
    """60 times of each of 40 subjects, half under either condition (Wald)."""
    g, x = np.repeat(np.arange(40), 60), np.tile(np.arange(60) % 2, 40)
    v, a = np.exp(0.8 + 0.3 * r.normal(size=40))[g] * np.exp(-0.25 * x), np.exp(0.3 + 0.25 * r.normal(size=40))[g]
    return dict(y=r.wald(a / v, a ** 2).clip(1e-3).round(5), x=x, g=g + 1)


def polls(r):
    """Cells of two sexes, six ages, five educations and 50 states in five regions."""
    sex, age, edu, state = (k.ravel() for k in np.meshgrid(*map(np.arange, (2, 6, 5, 50)), indexing="ij"))
    n = r.poisson(2.0 * r.lognormal(0, 0.7, 50)[state])
    sex, age, edu, state, n = (k[n > 0] for k in (sex, age, edu, state, n))
    region, v = np.arange(50) % 5, r.normal(size=50).round(4)
    us = 0.25 * r.normal(size=5)[region] + 0.4 * v + 0.3 * r.normal(size=50)
    eta = -0.2 + 0.3 * (sex - 0.5) + 0.4 * r.normal(size=6)[age] + 0.3 * r.normal(size=5)[edu] + 0.2 * r.normal(size=(6, 5))[age, edu] + us[state]
    return dict(y=r.binomial(n, logistic(eta)), n=n, sex=sex - 0.5, age=age + 1, edu=edu + 1, both=5 * age + edu + 1, state=state + 1, region=region + 1, v=v)


def economies(r):
    """60 quarters of 30 countries."""
    x = r.normal(size=61).round(4)
    a, p, b, h = (m + s * r.normal(size=30) for m, s in ((0.3, 0.2), (0.4, 0.15), (0.3, 0.2), (-0.7, 0.4)))
    y = [a / (1 - p)]
    for t in range(1, 61):
        y.append((a + p * y[-1] + b * x[t] + np.exp(h) * r.standard_t(5, 30)).round(4))
    y[0] = y[0].round(4)
    y = np.array(y)
    return dict(y=y[1:].ravel(), w=y[:-1].ravel(), x=np.repeat(x[1:], 30), g=np.tile(np.arange(30), 60) + 1)


PROBLEMS = dict(goals=goals, causes=causes, structural=structural, thresholds=thresholds, raters=raters, tumours=tumours, missing=missing, races=races, polls=polls, economies=economies)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half, softplus = D.Normal, D.HalfNormal, jax.nn.softplus
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def effects(name, n, s, m=0.0):
        if problem in CENTRED:
            return many(name, n, N(m, s))
        return det(name, m + s * many("z_" + name, n, N(0, 1)))

    def each(name, m, s):
        """The same for a mean that differs between elements."""
        if problem in CENTRED:
            return sample(name, N(m, s).to_event())
        return det(name, m + s * many("z_" + name, m.shape[0], N(0, 1)))

    def f_goals():
        m, h = sample("m", N(0, 1)), sample("h", N(0, 0.5))
        a, b = effects("att", 20, sample("sa", half(1))), effects("def", 20, sample("sd", half(1)))
        home, away = d["home"] - 1, d["away"] - 1
        for y, eta in ((d["yh"], m + h + a[home] - b[away]), (d["ya"], m + a[away] - b[home])):
            factor(f"y{len(eta)}{y is d['ya']}", (y * eta - jnp.exp(eta)).sum())

    def f_causes():
        k, m, b, c = many("k", 2, D.Gamma(4, 3)), many("m", 2, N(0, 2)), many("b", 3, N(0, 1)), many("c", 3, N(0, 1))
        L, tau = sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(1))
        if problem in CENTRED:
            u = sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([30]).to_event())
        else:
            u = det("u", m + many("z_u", (30, 2), N(0, 1)) @ (tau[:, None] * L).T)
        log = np.log(raw["t"])
        for i, (event, e) in enumerate(((d["first"], b), (d["other"], c))):
            eta = d["X"] @ e + u[g, i]
            factor(f"t{i}", (event * (jnp.log(k[i]) + (k[i] - 1) * log + eta) - jnp.exp(k[i] * log + eta)).sum())

    def f_structural():
        my, mz, ly, lz, sy, sz = (many(n, k, p) for n, k, p in (("my", 3, N(0, 2)), ("mz", 3, N(0, 2)), ("ly", 2, N(1, 0.5)), ("lz", 2, N(1, 0.5)), ("sy", 3, half(1)), ("sz", 3, half(1))))
        sf, sh, beta, gamma = sample("sf", half(1)), sample("sh", half(1)), sample("beta", N(0, 1)), sample("gamma", N(0, 1))
        f = effects("f", 300, sf)
        h = each("h", beta * f + gamma * d["x"], sh)
        one = jnp.ones(1)
        sample("Y", N(my + f[:, None] * jnp.concatenate([one, ly]), sy).to_event(), obs=d["Y"])
        sample("Z", N(mz + h[:, None] * jnp.concatenate([one, lz]), sz).to_event(), obs=d["Z"])

    def f_thresholds():
        t = effects("t", 40, sample("st", half(1)), sample("mt", N(0, 1)))
        w = effects("w", 40, sample("sw", half(1)), sample("mw", N(0, 1)))
        l = many("l", 40, D.Beta(2, 40))
        of = lambda k: k[:, None]
        x, y = d["x"].reshape(40, 9), d["y"].reshape(40, 9)
        p = 0.5 + (0.5 - of(l)) * jax.scipy.special.ndtr((x - of(t)) / jnp.exp(of(w)))
        factor("y", (y * jnp.log(p) + (25 - y) * jnp.log1p(-p)).sum())

    def f_raters():
        c, e, m, s = sample("c", N(0, 2)), sample("d", N(0, 1)), many("m", 2, half(2)), many("s", 2, half(1))
        a, b = effects("a", 12, s[0], m[0]), effects("b", 12, s[1], m[1])
        p, Y = c + e * d["x"], d["Y"]
        yes = Y @ a - softplus(a).sum()
        no = -(Y @ b) - softplus(-b).sum()
        factor("y", jnp.logaddexp(yes - softplus(-p), no - softplus(p)).sum())

    def f_tumours():
        a = effects("a", 50, sample("sa", half(1)), sample("ma", N(5, 2)))
        c = effects("c", 50, sample("sc", half(1)), sample("mc", N(-1, 1)))
        b, e, s = sample("b", half(5)), sample("d", N(0, 1)), sample("s", half(1))
        of = lambda k: k.reshape(50, 10)
        rate = jnp.exp(c + e * of(raw["x"])[:, 0])
        sample("y", N(a[:, None] - b * jnp.exp(-rate[:, None] * of(d["t"])), s).to_event(), obs=np.log(of(raw["y"])))

    def f_missing():
        m, e, r, a, b, c = sample("m", N(0, 2)), sample("e", N(0, 1)), sample("r", half(1)), sample("a", N(0, 5)), sample("b", N(0, 1)), sample("c", N(0, 1))
        u, sigma = effects("u", 40, sample("s", half(1))), sample("sigma", half(2))
        v0 = each("v0", m + e * d["z0"], r)
        sample("v", N(m + e * d["z"], r), obs=d["v"])
        sample("y", N(a + b * d["v"] + c * d["z"] + u[g], sigma), obs=d["y"])
        sample("y0", N(a + b * v0 + c * d["z0"] + u[d["g0"] - 1], sigma), obs=d["y0"])

    def f_races():
        v = effects("v", 40, sample("sv", half(1)), sample("mv", N(0, 1)))
        a = effects("a", 40, sample("sa", half(1)), sample("ma", N(0, 1)))
        e = sample("d", N(0, 1))
        y, x = raw["y"].reshape(40, 60), raw["x"].reshape(40, 60)
        rate = jnp.exp(v)[:, None] * jnp.where(x == 1, jnp.exp(e), 1)
        bound = jnp.exp(a)[:, None]
        factor("y", 60 * a.sum() - (0.5 * (bound - rate * y) ** 2 / y).sum())

    def f_polls():
        m, b, c = sample("m", N(0, 2)), sample("b", N(0, 1)), sample("c", N(0, 1))
        ua, ue, ub, ur = (effects("u" + k, n, sample("s" + k, half(1))) for k, n in (("a", 6), ("e", 5), ("b", 30), ("r", 5)))
        us = each("us", ur[d["region"] - 1] + c * d["v"], sample("ss", half(1)))
        eta = m + b * d["sex"] + (ua[:, None] + ue + ub.reshape(6, 5)).ravel()[d["both"] - 1] + us[d["state"] - 1]
        factor("y", (d["y"] * eta - d["n"] * softplus(eta)).sum())

    def f_economies():
        m, s, nu = many("m", 4, N(0, 1)), many("s", 4, half(1)), sample("nu", D.Gamma(2, 0.1))
        a, p, b, h = (effects(k, 30, s[i], m[i]) for i, k in enumerate("apbh"))
        by = lambda k: d[k].reshape(60, 30)
        sample("y", D.StudentT(nu, a + p * by("w") + b * by("x"), jnp.exp(h)).to_event(), obs=by("y"))

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    g = d["g"] - 1 if "g" in d else None

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def f_goals():
        m, h = N("m", 0, 1), N("h", 0, 0.5)
        a, b = effects("att", 20, half("sa", 1)), effects("def", 20, half("sd", 1))
        home, away = d["home"] - 1, d["away"] - 1
        for k, y, eta in (("h", d["yh"], m + h + a[home] - b[away]), ("a", d["ya"], m + a[away] - b[home])):
            pm.Potential("y" + k, (y * eta - pt.exp(eta)).sum())

    def f_causes():
        k, m, b, c = pm.Gamma("k", 4, 3, shape=2), N("m", 0, 2, shape=2), N("b", 0, 1, shape=3), N("c", 0, 1, shape=3)
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(1, shape=2))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        if problem in CENTRED:
            u = pm.MvNormal("u", m, chol=chol, shape=(30, 2))
        else:
            u = pm.Deterministic("u", m + pt.dot(N("z_u", 0, 1, shape=(30, 2)), chol.T))
        log = np.log(d["t"])
        for i, (event, e) in enumerate(((d["first"], b), (d["other"], c))):
            eta = pt.dot(d["X"], e) + u[g, i]
            pm.Potential(f"t{i}", (event * (pt.log(k[i]) + (k[i] - 1) * log + eta) - pt.exp(k[i] * log + eta)).sum())

    def f_structural():
        my, mz, ly, lz = N("my", 0, 2, shape=3), N("mz", 0, 2, shape=3), N("ly", 1, 0.5, shape=2), N("lz", 1, 0.5, shape=2)
        sy, sz, sf, sh, beta, gamma = half("sy", 1, shape=3), half("sz", 1, shape=3), half("sf", 1), half("sh", 1), N("beta", 0, 1), N("gamma", 0, 1)
        f = effects("f", 300, sf)
        h = effects("h", 300, sh, beta * f + gamma * d["x"])
        one = np.ones(1)
        N("Y", my + f[:, None] * pt.concatenate([one, ly]), sy, observed=d["Y"])
        N("Z", mz + h[:, None] * pt.concatenate([one, lz]), sz, observed=d["Z"])

    def f_thresholds():
        t = effects("t", 40, half("st", 1), N("mt", 0, 1))
        w = effects("w", 40, half("sw", 1), N("mw", 0, 1))
        l = pm.Beta("l", 2, 40, shape=40)
        of = lambda k: k[:, None]
        x, y = d["x"].reshape(40, 9), d["y"].reshape(40, 9)
        p = 0.5 + (0.5 - of(l)) * 0.5 * pt.erfc(-(x - of(t)) / pt.exp(of(w)) / np.sqrt(2))
        pm.Potential("y", (y * pt.log(p) + (25 - y) * pt.log1p(-p)).sum())

    def f_raters():
        c, e, m, s = N("c", 0, 2), N("d", 0, 1), half("m", 2, shape=2), half("s", 1, shape=2)
        a, b = effects("a", 12, s[0], m[0]), effects("b", 12, s[1], m[1])
        p, Y = c + e * d["x"], d["Y"].astype(float)
        yes, no = pt.dot(Y, a) - pt.softplus(a).sum(), -pt.dot(Y, b) - pt.softplus(-b).sum()
        pm.Potential("y", pt.logaddexp(yes - pt.softplus(-p), no - pt.softplus(p)).sum())

    def f_tumours():
        a = effects("a", 50, half("sa", 1), N("ma", 5, 2))
        c = effects("c", 50, half("sc", 1), N("mc", -1, 1))
        b, e, s = half("b", 5), N("d", 0, 1), half("s", 1)
        of = lambda k: k.reshape(50, 10)
        rate = pt.exp(c + e * of(d["x"])[:, 0])
        N("y", a[:, None] - b * pt.exp(-rate[:, None] * of(d["t"])), s, observed=np.log(of(d["y"])))

    def f_missing():
        m, e, r, a, b, c = N("m", 0, 2), N("e", 0, 1), half("r", 1), N("a", 0, 5), N("b", 0, 1), N("c", 0, 1)
        u, sigma = effects("u", 40, half("s", 1)), half("sigma", 2)
        v0 = effects("v0", len(d["y0"]), r, m + e * d["z0"])
        N("v", m + e * d["z"], r, observed=d["v"])
        N("y", a + b * d["v"] + c * d["z"] + u[g], sigma, observed=d["y"])
        N("y0", a + b * v0 + c * d["z0"] + u[d["g0"] - 1], sigma, observed=d["y0"])

    def f_races():
        v = effects("v", 40, half("sv", 1), N("mv", 0, 1))
        a = effects("a", 40, half("sa", 1), N("ma", 0, 1))
        e = N("d", 0, 1)
        y, x = d["y"].reshape(40, 60), d["x"].reshape(40, 60)
        rate = pt.exp(v)[:, None] * pt.switch(x == 1, pt.exp(e), 1.0)
        pm.Potential("y", 60 * a.sum() - (0.5 * (pt.exp(a)[:, None] - rate * y) ** 2 / y).sum())

    def f_polls():
        m, b, c = N("m", 0, 2), N("b", 0, 1), N("c", 0, 1)
        ua, ue, ub, ur = (effects("u" + k, n, half("s" + k, 1)) for k, n in (("a", 6), ("e", 5), ("b", 30), ("r", 5)))
        us = effects("us", 50, half("ss", 1), ur[d["region"] - 1] + c * d["v"])
        eta = m + b * d["sex"] + (ua[:, None] + ue + ub.reshape((6, 5))).ravel()[d["both"] - 1] + us[d["state"] - 1]
        pm.Potential("y", (d["y"] * eta - d["n"] * pt.softplus(eta)).sum())

    def f_economies():
        m, s, nu = N("m", 0, 1, shape=4), half("s", 1, shape=4), pm.Gamma("nu", 2, 0.1)
        a, p, b, h = (effects(k, 30, s[i], m[i]) for i, k in enumerate("apbh"))
        by = lambda k: d[k].reshape(60, 30)
        pm.StudentT("y", nu, a + p * by("w") + b * by("x"), sigma=pt.exp(h), observed=by("y"))

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    goals="m h sa sd att def", causes="k m b c L tau u", structural="my mz ly lz sy sz sf sh beta gamma f h", thresholds="mt st mw sw t w l", raters="c d m s a b", tumours="ma sa mc sc b d s a c",
    missing="m e r a b c s u sigma v0", races="mv sv ma sa d v a", polls="m b c sa se sb sr ss ua ue ub ur us", economies="m s nu a p b h").items()}
