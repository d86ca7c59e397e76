"""Eight problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen12.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, what data
alone determine is computed beforehand, years of rivers and of firms are matrices, and twins are the sum and the difference of a pair."""
import os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("reserves pollsters salmon panel gravity".split()) ^ set(os.environ.get("OTHER", "").split())


def reserves(r):
    """Claims that ten insurers had paid of ten years, by how long ago these were (a triangle each)."""
    i, w, d = np.array([(i, w, d) for i in range(10) for w in range(10) for d in range(1, 11 - w)]).T
    u, v, theta = -0.4 + 0.25 * r.normal(size=10), 0.1 * r.normal(size=10), np.exp(0.9 + 0.2 * r.normal(size=10))
    y = u[i] + v[w] + np.log1p(-np.exp(-(d / theta[i]) ** 1.3)) + 0.06 * r.normal(size=550)
    return dict(y=y.round(5), d=d.astype(float), i=i + 1, w=w + 1)


def pollsters(r):
    """300 polls by twelve firms in 200 days (Jackman)."""
    x = 0.45 + 0.003 * r.normal(size=200).cumsum()
    day, f, n = np.sort(r.integers(0, 200, 300)), groups(r, 300, 12), r.integers(500, 2000, 300)
    se = np.sqrt(0.25 / n)
    y = x[day] + 0.012 * r.normal(size=12)[f] + np.hypot(se, 0.006) * r.normal(size=300)
    return dict(y=(100 * y).round(2), se=(100 * se).round(4), day=day + 1, f=f + 1, T=200)


def twins(r):
    """900 pairs of twins of one egg or two: genes, the home, and all else (the ACE model)."""
    k, x = np.repeat([1.0, 0.5], [400, 500]), r.normal(size=900).round(4)
    a, c = np.sqrt(k)[:, None] * r.normal(size=(900, 1)) + np.sqrt(1 - k)[:, None] * r.normal(size=(900, 2)), r.normal(size=(900, 1))
    y = 0.4 + 0.3 * x[:, None] + 0.7 * a + 0.4 * c + 0.6 * r.normal(size=(900, 2))
    return dict(total=(y.sum(1) / np.sqrt(2)).round(5), apart=((y[:, 0] - y[:, 1]) / np.sqrt(2)).round(5), x=x, k=k)


def lifespans(r):
    """Ages at death, in decades, of 1,500 persons in 25 villages, or at which they moved away (Siler)."""
    g, x = groups(r, 1500, 25), r.integers(0, 2, 1500).astype(float)
    u, grid = 0.3 * r.normal(size=25), np.linspace(0, 11, 2201)
    h = np.exp(-0.2 - 2.5 * grid) + np.exp(-2.9 + u[g])[:, None] + np.exp(-4.6 - 0.35 * x)[:, None] * np.exp(0.85 * grid)
    H = np.c_[np.zeros(1500), ((h[:, 1:] + h[:, :-1]) / 2 * np.diff(grid)).cumsum(1)]
    e = r.exponential(size=1500)
    t = np.array([np.interp(a, b, grid) for a, b in zip(e, H)])
    away = r.uniform(2, 14, 1500)
    return dict(t=np.minimum(t, away).clip(1e-3).round(5), died=(t <= away).astype(int), x=x, g=g + 1)


def salmon(r):
    """Spawners and their offspring in 30 rivers and 30 years (Ricker), with errors that last."""
    S = np.exp(r.normal(0, 0.6, (30, 30))).round(4)
    a, b = 1.2 + 0.4 * r.normal(size=30), np.exp(-0.6 + 0.3 * r.normal(size=30))
    e = np.zeros((30, 30))
    for t in range(30):
        e[t] = (0.4 * e[t - 1] if t else 0) + 0.45 * r.normal(size=30)
    return dict(Y=(a - b * S + e).round(5), S=S)


def spells(r):
    """Which of 500 persons found work in each of up to eight months of search, from 40 towns."""
    home, X = groups(r, 500, 40), r.normal(size=(500, 3)).round(4)
    u = 0.4 * r.normal(size=40)
    rows = []
    for i in range(500):
        for t in range(8):
            p = 1 - np.exp(-np.exp(-1.4 - 0.08 * t + X[i] @ np.array([0.4, -0.3, 0.1]) + u[home[i]]))
            rows.append((r.random() < p, t, i))
            if rows[-1][0]:
                break
    y, t, i = np.array(rows).T
    return dict(y=y, month=t + 1, X=X[i], g=home[i] + 1)


def panel(r):
    """Investment of 200 firms in eight years, which depends on that of the year before (Wooldridge)."""
    first, X = r.normal(size=200).round(4), r.normal(size=(8, 200)).round(4)
    u, y = 0.2 + 0.4 * first + 0.5 * r.normal(size=200), []
    for t in range(8):
        y.append((0.5 * (y[-1] if y else first) + 0.3 * X[t] + u + 0.5 * r.standard_t(5, 200)).round(5))
    return dict(first=first, Y=y, X=X)


def gravity(r):
    """Numbers of contracts between 30 countries, in both directions."""
    i, j = np.array([(i, j) for i in range(30) for j in range(30) if i != j]).T
    P = r.normal(size=(30, 2))
    x = np.log(np.sqrt(((P[i] - P[j]) ** 2).sum(1))).round(4)
    near = (x < -0.4).astype(float)
    eta = 1.2 - 0.8 * x + 0.4 * near + 0.7 * r.normal(size=30)[i] + 0.5 * r.normal(size=30)[j]
    return dict(y=r.negative_binomial(3, 3 / (3 + np.exp(eta))), x=x, near=near, i=i + 1, j=j + 1)


PROBLEMS = dict(reserves=reserves, pollsters=pollsters, twins=twins, lifespans=lifespans, salmon=salmon, spells=spells, panel=panel, gravity=gravity)


def numpyro_model(problem, d):
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import gammaln
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half = D.Normal, D.HalfNormal
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def effects(name, n, s, m=0.0):
        if problem in CENTRED:
            return many(name, n, N(m, s))
        return det(name, m + s * many("z_" + name, n, N(0, 1)))

    def f_reserves():
        i, w = d["i"] - 1, d["w"] - 1
        u = effects("u", 10, sample("su", half(0.5)), sample("m", N(-0.5, 0.5)))
        v = effects("v", 10, sample("sv", half(0.5)))
        t = effects("t", 10, sample("st", half(0.5)), sample("mt", N(1, 0.5)))
        shape, sigma = sample("shape", D.LogNormal(0, 0.5)), sample("sigma", half(0.5))
        m = u[i] + v[w] + jnp.log1p(-jnp.exp(-(d["d"] * jnp.exp(-t)[i]) ** shape))
        sample("y", N(m, sigma).to_event(), obs=d["y"])

    def f_pollsters():
        x0, s = sample("x0", N(45, 5)), sample("s", half(0.5))
        x = det("x", x0 + s * jnp.cumsum(many("z", 200, N(0, 1))))
        h, tau = effects("h", 12, sample("sh", half(2))), sample("tau", half(1))
        sample("y", N(x[d["day"] - 1] + h[d["f"] - 1], jnp.sqrt(d["se"] ** 2 + tau ** 2)).to_event(), obs=d["y"])

    def f_twins():
        m, b, a, c, e = sample("m", N(0, 2)), sample("b", N(0, 1)), sample("a", half(1)), sample("c", half(1)), sample("e", half(1))
        sample("total", N(np.sqrt(2) * (m + b * d["x"]), jnp.sqrt((1 + d["k"]) * a ** 2 + 2 * c ** 2 + e ** 2)).to_event(), obs=d["total"])
        sample("apart", N(0, jnp.sqrt((1 - d["k"]) * a ** 2 + e ** 2)).to_event(), obs=d["apart"])

    def f_lifespans():
        a, b, c = many("a", 3, N(jnp.array([0.0, -3.0, -4.0]), 1)), many("b", 2, D.LogNormal(0, 0.5)), sample("c", N(0, 1))
        u, t = effects("u", 25, sample("s", half(0.5))), d["t"]
        young, old, base = jnp.exp(a[0]), jnp.exp(a[2] + c * d["x"]), jnp.exp(a[1] + u)[d["g"] - 1]
        less, more = jnp.exp(-b[0] * t), jnp.exp(b[1] * t)
        factor("t", (d["died"] * jnp.log(young * less + base + old * more) - young / b[0] * (1 - less) - base * t - old / b[1] * (more - 1)).sum())

    def f_salmon():
        a, b = effects("a", 30, sample("sa", half(1)), sample("ma", N(1, 1))), effects("b", 30, sample("sb", half(1)), sample("mb", N(-1, 1)))
        phi, sigma = sample("phi", D.Uniform(-1, 1)), sample("sigma", half(1))
        e = d["Y"] - a + jnp.exp(b) * d["S"]
        sample("first", N(0, sigma / jnp.sqrt(1 - phi ** 2)).expand([30]).to_event(), obs=e[0])
        sample("y", N(phi * e[:-1], sigma).to_event(), obs=e[1:])

    def f_spells():
        base, b = many("base", 8, N(-1.5, 1)), many("b", 3, N(0, 1))
        u = effects("u", 40, sample("s", half(1)))
        eta = base[d["month"] - 1] + d["X"] @ b + u[d["g"] - 1]
        some, none = np.flatnonzero(raw["y"]), np.flatnonzero(1 - raw["y"])
        factor("y", jnp.log(-jnp.expm1(-jnp.exp(eta[some]))).sum() - jnp.exp(eta[none]).sum())

    def f_panel():
        rho, b, a, c = sample("rho", N(0, 0.5)), sample("b", N(0, 1)), sample("a", N(0, 1)), sample("c", N(0, 1))
        s, sigma, nu = sample("s", half(1)), sample("sigma", half(1)), sample("nu", D.Gamma(2, 0.1))
        u = effects("u", 200, s, a + c * d["first"])
        before = np.concatenate([raw["first"][None], raw["Y"][:-1]])
        sample("y", D.StudentT(nu, rho * before + b * d["X"] + u, sigma).to_event(), obs=d["Y"])

    def f_gravity():
        m, b, c, phi = sample("m", N(0, 2)), sample("b", N(0, 1)), sample("c", N(0, 1)), sample("phi", D.Gamma(2, 0.5))
        e, f = effects("e", 30, sample("se", half(1))), effects("f", 30, sample("sf", half(1)))
        eta, y = m + b * d["x"] + c * d["near"] + e[d["i"] - 1] + f[d["j"] - 1], d["y"]
        values, count = np.unique(raw["y"], return_counts=True)
        factor("y", (count * gammaln(phi + values)).sum() - 870 * (gammaln(phi) - phi * jnp.log(phi)) + (y * eta - (y + phi) * jnp.logaddexp(eta, jnp.log(phi))).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def f_reserves():
        i, w = d["i"] - 1, d["w"] - 1
        u = effects("u", 10, half("su", 0.5), N("m", -0.5, 0.5))
        v = effects("v", 10, half("sv", 0.5))
        t = effects("t", 10, half("st", 0.5), N("mt", 1, 0.5))
        shape, sigma = pm.LogNormal("shape", 0, 0.5), half("sigma", 0.5)
        N("y", u[i] + v[w] + pt.log1p(-pt.exp(-(d["d"] * pt.exp(-t)[i]) ** shape)), sigma, observed=d["y"])

    def f_pollsters():
        x0, s = N("x0", 45, 5), half("s", 0.5)
        x = pm.Deterministic("x", x0 + s * pt.cumsum(N("z", 0, 1, shape=200)))
        h, tau = effects("h", 12, half("sh", 2)), half("tau", 1)
        N("y", x[d["day"] - 1] + h[d["f"] - 1], pt.sqrt(d["se"] ** 2 + tau ** 2), observed=d["y"])

    def f_twins():
        m, b, a, c, e = N("m", 0, 2), N("b", 0, 1), half("a", 1), half("c", 1), half("e", 1)
        N("total", np.sqrt(2) * (m + b * d["x"]), pt.sqrt((1 + d["k"]) * a ** 2 + 2 * c ** 2 + e ** 2), observed=d["total"])
        N("apart", 0, pt.sqrt((1 - d["k"]) * a ** 2 + e ** 2), observed=d["apart"])

    def f_lifespans():
        a, b, c = N("a", np.array([0.0, -3.0, -4.0]), 1), pm.LogNormal("b", 0, 0.5, shape=2), N("c", 0, 1)
        u, t = effects("u", 25, half("s", 0.5)), d["t"]
        young, old, base = pt.exp(a[0]), pt.exp(a[2] + c * d["x"]), pt.exp(a[1] + u)[d["g"] - 1]
        less, more = pt.exp(-b[0] * t), pt.exp(b[1] * t)
        pm.Potential("t", (d["died"] * pt.log(young * less + base + old * more) - young / b[0] * (1 - less) - base * t - old / b[1] * (more - 1)).sum())

    def f_salmon():
        a, b = effects("a", 30, half("sa", 1), N("ma", 1, 1)), effects("b", 30, half("sb", 1), N("mb", -1, 1))
        phi, sigma = pm.Uniform("phi", -1, 1), half("sigma", 1)
        e = d["Y"] - a + pt.exp(b) * d["S"]
        pm.Potential("y", pm.logp(N.dist(0, sigma / pt.sqrt(1 - phi ** 2)), e[0]).sum() + pm.logp(N.dist(phi * e[:-1], sigma), e[1:]).sum())

    def f_spells():
        base, b = N("base", -1.5, 1, shape=8), N("b", 0, 1, shape=3)
        u = effects("u", 40, half("s", 1))
        eta = base[d["month"] - 1] + pt.dot(d["X"], b) + u[d["g"] - 1]
        some, none = np.flatnonzero(d["y"]), np.flatnonzero(1 - d["y"])
        pm.Potential("y", pt.log(-pt.expm1(-pt.exp(eta[some]))).sum() - pt.exp(eta[none]).sum())

    def f_panel():
        rho, b, a, c = N("rho", 0, 0.5), N("b", 0, 1), N("a", 0, 1), N("c", 0, 1)
        s, sigma, nu = half("s", 1), half("sigma", 1), pm.Gamma("nu", 2, 0.1)
        u = effects("u", 200, s, a + c * d["first"])
        before = np.concatenate([d["first"][None], d["Y"][:-1]])
        pm.StudentT("y", nu, mu=rho * before + b * d["X"] + u, sigma=sigma, observed=d["Y"])

    def f_gravity():
        m, b, c, phi = N("m", 0, 2), N("b", 0, 1), N("c", 0, 1), pm.Gamma("phi", 2, 0.5)
        e, f = effects("e", 30, half("se", 1)), effects("f", 30, half("sf", 1))
        eta, y = m + b * d["x"] + c * d["near"] + e[d["i"] - 1] + f[d["j"] - 1], d["y"]
        values, count = np.unique(y, return_counts=True)
        pm.Potential("y", (count * pt.gammaln(phi + values)).sum() - 870 * (pt.gammaln(phi) - phi * pt.log(phi)) + (y * eta - (y + phi) * pt.logaddexp(eta, pt.log(phi))).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    reserves="su m u sv v st mt t shape sigma", pollsters="x0 s sh h tau x", twins="m b a c e", lifespans="a b c s u", salmon="sa ma a sb mb b phi sigma", spells="base b s u", panel="rho b a c s sigma nu u",
    gravity="m b c phi se sf e f").items()}
