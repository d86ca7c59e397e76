"""Nine problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen7.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, rows of
equal numbers are matrices, and what data alone determine is computed beforehand."""
import os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("stays directions endemic intervals diagnostic".split()) ^ set(os.environ.get("OTHER", "").split())


def stays(r):
    """1,500 stays in 50 wards: whether one costs anything, and how much, with three covariates."""
    g, x = groups(r, 1500, 50), r.normal(size=(1500, 3)).round(4)
    u = r.multivariate_normal([6, 0.5], [[0.36, 0.24], [0.24, 0.64]], 50)
    some = r.random(1500) < logistic(x @ [0.6, -0.4, 0] + u[g, 1])
    cost = np.exp(x @ [0.3, 0, -0.2] + u[g, 0] + 0.9 * r.normal(size=1500)).round(4)
    return dict(any=some.astype(int), X=x, g=g + 1, cost=cost[some], Z=x[some], h=g[some] + 1)


def directions(r):
    """Directions in which 800 animals leave 30 sites, with two covariates (Fisher and Lee)."""
    g, x = groups(r, 800, 30), r.normal(size=(800, 2)).round(4)
    y = r.vonmises(0.4 + 2 * np.arctan(x @ [0.3, -0.2] + 0.3 * r.normal(size=30)[g]), 2.5)
    return dict(y=((y + np.pi) % (2 * np.pi) - np.pi).round(5), X=x, g=g + 1)


def endemic(r):
    """Cases of 40 districts on a ring in 60 weeks (Held, Höhle and Hofmann)."""
    t = 2 * np.pi * np.arange(61) / 52
    season, e = np.c_[np.sin(t), np.cos(t)], r.lognormal(0, 0.5, 40).round(4)
    own = e * np.exp(0.8 + season @ [0.5, -0.3])[:, None] * np.exp(0.4 * r.normal(size=40))
    again, y = np.exp(-1 + 0.3 * r.normal(size=40)), [r.poisson(2 * e)]
    side = lambda k: np.roll(k, 1) + np.roll(k, -1)
    for m in own[1:]:
        m = m + again * y[-1] + np.exp(-2.5) * side(y[-1])
        y.append(r.poisson(m * r.gamma(8, 1 / 8, 40)))
    y = np.array(y)
    return dict(y=y[1:].ravel(), before=y[:-1].ravel(), near=np.array([side(k) for k in y[:-1]]).ravel(), e=np.tile(e, 60), season=np.repeat(season[1:], 40, 0), g=np.tile(np.arange(40), 60) + 1)


def days(r):
    """Three years of days: a smooth path of 30 basis functions, a yearly one of ten sines and cosines, days of the week (Solin and Särkkä)."""
    t = np.arange(1096.0)
    s, edge = (t - t.mean()) / t.std(), 2.6
    f = np.pi * np.arange(1, 31) / (2 * edge)
    w = 2 * np.pi * t / 365.25
    k = np.arange(1, 11)
    y = 0.3 + 0.4 * np.sin(2.2 * s) + 0.3 * s + 0.5 * np.cos(w - 1) + 0.15 * np.sin(3 * w) + np.array([0.1, 0.15, 0.1, 0.05, 0, -0.4, -0.5])[np.arange(1096) % 7] + 0.35 * r.normal(size=1096)
    return dict(y=y.round(4), F=(np.sin(np.outer(s + edge, f)) / np.sqrt(edge)).round(8), f=f, Y=np.c_[np.cos(np.outer(w, k)), np.sin(np.outer(w, k))].round(8), q=np.r_[k, k], day=np.arange(1096) % 7 + 1)


def intervals(r):
    """Times of 1,000 patients in 40 clinics, seen every quarter of a year or so, for four years."""
    g, x = groups(r, 1000, 40), r.normal(size=(1000, 3)).round(4)
    t = np.exp(0.7 + x @ [0.4, -0.3, 0.1] + 0.4 * r.normal(size=40)[g]) * r.weibull(1.6, 1000)
    visits = np.cumsum(r.uniform(0.15, 0.35, (1000, 24)), 1).round(3)
    visits = np.where(visits < 4, visits, 1e6)
    at = (visits < t[:, None]).sum(1)
    lo = np.where(at, np.take_along_axis(visits, np.maximum(at - 1, 0)[:, None], 1)[:, 0], 1e-3)
    hi = np.take_along_axis(visits, at.clip(0, 23)[:, None], 1)[:, 0]
    return dict(lo=lo, hi=hi, X=x, g=g + 1)


def diagnostic(r):
    """A test in 45 studies, of the ill and of the well (Reitsma and others), with a covariate of studies."""
    x, ill, well = r.normal(size=45).round(4), r.integers(20, 150, 45), r.integers(30, 300, 45)
    u = r.multivariate_normal([1.4, 2.1], [[0.49, -0.25], [-0.25, 0.64]], 45)
    return dict(found=r.binomial(ill, logistic(u[:, 0] + 0.3 * x)), ill=ill, left=r.binomial(well, logistic(u[:, 1] - 0.2 * x)), well=well, x=x)


def credit(r):
    """Answers in four grades of 250 persons to 15 questions (Muraki), with a covariate of persons."""
    x, a, c = r.normal(size=250).round(4), r.lognormal(0, 0.3, 15), np.sort(r.normal(0, 1, (15, 3)), 1)
    eta = a * (0.5 * x + r.normal(size=250))[:, None]
    s = np.concatenate([np.zeros((250, 15, 1)), np.cumsum(eta[:, :, None] - c, 2)], 2)
    y = np.argmax(s + r.gumbel(size=s.shape), 2)
    return dict(y=y.ravel() + 1, person=np.repeat(np.arange(250), 15) + 1, item=np.tile(np.arange(15), 250) + 1, x=x)


def genes(r):
    """A binary response of 200 rows, sixty covariates of which five matter."""
    x = r.normal(size=(200, 60)).round(4)
    return dict(y=(r.random(200) < logistic(0.3 + x[:, :5] @ [1.5, -1.2, 1, -0.8, 0.6])).astype(int), X=x)


def learning(r):
    """A hundred choices of each of 40 subjects between two arms (Rescorla and Wagner)."""
    rate, beta, q, Y, R = logistic(-0.8 + 0.7 * r.normal(size=40)), np.exp(1 + 0.4 * r.normal(size=40)), np.zeros((40, 2)), [], []
    for _ in range(100):
        Y.append((r.random(40) < logistic(beta * (q[:, 1] - q[:, 0]))).astype(int))
        R.append((r.random(40) < np.where(Y[-1], 0.7, 0.4)).astype(float))
        q[np.arange(40), Y[-1]] += rate * (R[-1] - q[np.arange(40), Y[-1]])
    return dict(Y=np.array(Y), R=np.array(R))


PROBLEMS = dict(stays=stays, directions=directions, endemic=endemic, days=days, intervals=intervals, diagnostic=diagnostic, credit=credit, genes=genes, learning=learning)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import gammaln, i0e
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half, softplus = D.Normal, D.HalfNormal, jax.nn.softplus
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def effects(name, n, s):
        return many(name, n, N(0, s)) if problem in CENTRED else det(name, s * many("z_" + name, n, N(0, 1)))

    def correlated(n, scale):
        m, L, tau = many("m", 2, N(0, 2)), sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(scale))
        if problem in CENTRED:
            return sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([n]).to_event())
        return det("u", m + many("z_u", (n, 2), N(0, 1)) @ (tau[:, None] * L).T)

    def horseshoe(n, scale, c2):
        tau, lam, z = sample("tau", D.HalfCauchy(scale)), many("lambda", n, D.HalfCauchy(1)), many("z", n, N(0, 1))
        return det("b", tau * lam * z / jnp.sqrt(1 + tau ** 2 * lam ** 2 / c2))

    def f_stays():
        b, c, u, s = many("b", 3, N(0, 1)), many("c", 3, N(0, 1)), correlated(50, 1), sample("s", half(2))
        factor("any", -softplus((1 - 2 * d["any"]) * (d["X"] @ c + u[g, 1])).sum())
        sample("cost", N(d["Z"] @ b + u[d["h"] - 1, 0], s), obs=np.log(raw["cost"]))

    def f_directions():
        m, b, u, kappa = sample("m", N(0, 1)), many("b", 2, N(0, 1)), effects("u", 30, sample("s", half(1))), sample("kappa", D.Gamma(2, 0.5))
        factor("y", (kappa * (jnp.cos(d["y"] - m - 2 * jnp.arctan(d["X"] @ b + u[g])) - 1)).sum() - 800 * jnp.log(i0e(kappa)))

    def f_endemic():
        a, b, u = sample("a", N(0, 2)), many("b", 2, N(0, 1)), effects("u", 40, sample("s", half(1)))
        c, v, e, phi = sample("c", N(-1, 1)), effects("v", 40, sample("w", half(0.5))), sample("d", N(-2, 1)), sample("phi", D.Gamma(2, 0.2))
        by = lambda k: raw[k].reshape(60, 40)
        season = raw["season"].reshape(60, 40, 2)[:, 0]
        mu = raw["e"][:40] * jnp.exp(u) * jnp.exp(a + season @ b)[:, None] + jnp.exp(c + v) * by("before") + jnp.exp(e) * by("near")
        y = by("y")
        factor("y", (y * jnp.log(mu) - (y + phi) * jnp.log(mu + phi) + gammaln(y + phi)).sum() + 2400 * (phi * jnp.log(phi) - gammaln(phi)))

    def f_days():
        m, l, a, z, r = sample("m", N(0, 1)), sample("l", D.LogNormal(-1, 0.5)), sample("a", half(1)), many("z", 30, N(0, 1)), sample("r", half(1))
        p, x, u, sigma = sample("p", half(1)), many("x", 20, N(0, 1)), effects("u", 7, sample("s", half(1))), sample("sigma", half(1))
        slow = d["F"] @ (a * jnp.sqrt(2.5066 * l) * jnp.exp(-0.25 * (l * d["f"]) ** 2) * z)
        sample("y", N(m + slow + d["Y"] @ (r * jnp.exp(-p * d["q"]) * x) + u[d["day"] - 1], sigma), obs=d["y"])

    def f_intervals():
        alpha, a, b, u = sample("alpha", D.Gamma(4, 2)), sample("a", N(0, 2)), many("b", 3, N(0, 1)), effects("u", 40, sample("s", half(1)))
        eta, open_ = a + d["X"] @ b + u[g], raw["hi"] > 1e5
        lo = jnp.exp(alpha * (np.log(raw["lo"]) - eta))
        more = jnp.where(open_, 1, jnp.exp(alpha * (np.log(np.where(open_, raw["lo"] + 1, raw["hi"])) - eta)) - lo)
        factor("y", -lo.sum() + jnp.where(open_, 0, jnp.log(-jnp.expm1(-more))).sum())

    def f_diagnostic():
        b, u = many("b", 2, N(0, 1)), correlated(45, 1)
        n, y = np.c_[raw["ill"], raw["well"]], np.c_[raw["found"], raw["left"]]
        eta = u + d["x"][:, None] * b
        factor("y", (y * eta - n * softplus(eta)).sum())

    def f_credit():
        theta, a, c = det("theta", sample("beta", N(0, 1)) * d["x"] + many("z_theta", 250, N(0, 1))), many("a", 15, D.LogNormal(0, 0.5)), many("c", (15, 3), N(0, 2))
        eta = theta[:, None] * a
        s = jnp.concatenate([jnp.zeros((250, 15, 1)), np.arange(1, 4) * eta[:, :, None] - jnp.cumsum(c, 1)], 2)
        hit = np.eye(4)[raw["y"].reshape(250, 15) - 1]
        factor("y", (hit * s).sum() - jax.nn.logsumexp(s, 2).sum())

    def f_genes():
        a, b = sample("a", N(0, 2)), horseshoe(60, 0.05, sample("c2", D.InverseGamma(2, 4)))
        factor("y", -softplus((1 - 2 * d["y"]) * (a + d["X"] @ b)).sum())

    def f_learning():
        m, s = many("m", 2, N(0, 1)), many("s", 2, half(1))
        alpha, beta = (det(k, m[i] + s[i] * many("z_" + k, 40, N(0, 1))) for i, k in enumerate(("alpha", "beta")))
        rate, scale = jax.nn.sigmoid(alpha), jnp.exp(beta)

        def step(q, now):
            y, r = now
            return (q[0] + rate * y * (r - q[0]), q[1] + rate * (1 - y) * (r - q[1])), q[0] - q[1]
        gap = jax.lax.scan(step, (jnp.zeros(40), jnp.zeros(40)), (d["Y"].astype(float), d["R"]))[1]
        factor("y", -softplus((1 - 2 * d["Y"]) * scale * gap).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    g = d["g"] - 1 if "g" in d else None

    def effects(name, n, s):
        return N(name, 0, s, shape=n) if problem in CENTRED else pm.Deterministic(name, s * N("z_" + name, 0, 1, shape=n))

    def correlated(n, sd):
        m = N("m", 0, 2, shape=2)
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(sd, shape=2))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        if problem in CENTRED:
            return pm.MvNormal("u", m, chol=chol, shape=(n, 2))
        return pm.Deterministic("u", m + pt.dot(N("z_u", 0, 1, shape=(n, 2)), chol.T))

    def f_stays():
        b, c, u, s = N("b", 0, 1, shape=3), N("c", 0, 1, shape=3), correlated(50, 1), half("s", 2)
        pm.Potential("any", -pt.softplus((1 - 2 * d["any"]) * (pt.dot(d["X"], c) + u[g, 1])).sum())
        N("cost", pt.dot(d["Z"], b) + u[d["h"] - 1, 0], s, observed=np.log(d["cost"]))

    def f_directions():
        m, b, u, kappa = N("m", 0, 1), N("b", 0, 1, shape=2), effects("u", 30, half("s", 1)), pm.Gamma("kappa", 2, 0.5)
        pm.Potential("y", (kappa * pt.cos(d["y"] - m - 2 * pt.arctan(pt.dot(d["X"], b) + u[g]))).sum() - 800 * pt.log(pt.i0(kappa)))

    def f_endemic():
        a, b, u = N("a", 0, 2), N("b", 0, 1, shape=2), effects("u", 40, half("s", 1))
        c, v, e, phi = N("c", -1, 1), effects("v", 40, half("w", 0.5)), N("d", -2, 1), pm.Gamma("phi", 2, 0.2)
        by = lambda k: d[k].reshape(60, 40)
        season = d["season"].reshape(60, 40, 2)[:, 0]
        mu = d["e"][:40] * pt.exp(u) * pt.exp(a + pt.dot(season, b))[:, None] + pt.exp(c + v) * by("before") + pt.exp(e) * by("near")
        y = by("y")
        pm.Potential("y", (y * pt.log(mu) - (y + phi) * pt.log(mu + phi) + pt.gammaln(y + phi)).sum() + 2400 * (phi * pt.log(phi) - pt.gammaln(phi)))

    def f_days():
        m, l, a, z, r = N("m", 0, 1), pm.LogNormal("l", -1, 0.5), half("a", 1), N("z", 0, 1, shape=30), half("r", 1)
        p, x, u, sigma = half("p", 1), N("x", 0, 1, shape=20), effects("u", 7, half("s", 1)), half("sigma", 1)
        slow = pt.dot(d["F"], a * pt.sqrt(2.5066 * l) * pt.exp(-0.25 * (l * d["f"]) ** 2) * z)
        N("y", m + slow + pt.dot(d["Y"], r * pt.exp(-p * d["q"]) * x) + u[d["day"] - 1], sigma, observed=d["y"])

    def f_intervals():
        alpha, a, b, u = pm.Gamma("alpha", 4, 2), N("a", 0, 2), N("b", 0, 1, shape=3), effects("u", 40, half("s", 1))
        eta, shut = a + pt.dot(d["X"], b) + u[g], np.flatnonzero(d["hi"] < 1e5)
        lo = pt.exp(alpha * (np.log(d["lo"]) - eta))
        more = pt.exp(alpha * (np.log(d["hi"][shut]) - eta[shut])) - lo[shut]
        pm.Potential("y", -lo.sum() + pt.log(-pt.expm1(-more)).sum())

    def f_diagnostic():
        b, u = N("b", 0, 1, shape=2), correlated(45, 1)
        n, y = np.c_[d["ill"], d["well"]], np.c_[d["found"], d["left"]]
        eta = u + d["x"][:, None] * b
        pm.Potential("y", (y * eta - n * pt.softplus(eta)).sum())

    def f_credit():
        theta = pm.Deterministic("theta", N("beta", 0, 1) * d["x"] + N("z_theta", 0, 1, shape=250))
        eta, steps = theta[:, None] * pm.LogNormal("a", 0, 0.5, shape=15), pt.cumsum(N("c", 0, 2, shape=(15, 3)), axis=1)
        s = [k * eta - steps[:, k - 1] for k in (1, 2, 3)]
        most = pt.maximum(pt.maximum(s[0], s[1]), pt.maximum(s[2], 0))
        y = d["y"].reshape(250, 15) - 1
        pm.Potential("y", sum((k * (y == i + 1)).sum() for i, k in enumerate(s)) - (most + pt.log(pt.exp(-most) + sum(pt.exp(k - most) for k in s))).sum())

    def f_genes():
        tau, lam, c2, z = pm.HalfCauchy("tau", 0.05), pm.HalfCauchy("lambda", 1, shape=60), pm.InverseGamma("c2", 2, 4), N("z", 0, 1, shape=60)
        b = pm.Deterministic("b", tau * lam * z / pt.sqrt(1 + tau ** 2 * lam ** 2 / c2))
        pm.Potential("y", -pt.softplus((1 - 2 * d["y"]) * (N("a", 0, 2) + pt.dot(d["X"], b))).sum())

    def f_learning():
        """The values in closed form: sums of what was paid times powers of 1 - rate, by the number of later choices of the arm."""
        m, s = N("m", 0, 1, shape=2), half("s", 1, shape=2)
        alpha, beta = (pm.Deterministic(k, m[i] + s[i] * N("z_" + k, 0, 1, shape=40)) for i, k in enumerate(("alpha", "beta")))
        rate, scale, Y, R = pt.sigmoid(alpha), pt.exp(beta), d["Y"], d["R"]

        def value(chosen):
            n = np.cumsum(chosen, 0)  # choices up to and with a step
            before = np.concatenate([np.zeros((1, 40)), n[:-1]])
            later = np.where(np.tri(100, k=-1)[:, :, None], before[:, None] - n[None], 0)  # step, earlier step, subject
            weight = np.tri(100, k=-1)[:, :, None] * (chosen * R)[None]
            return (weight * pt.exp(later * pt.log1p(-rate))).sum(1) * rate
        pm.Potential("y", -pt.softplus((1 - 2 * Y) * scale * (value(Y) - value(1 - Y))).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    stays="m b c L tau u s", directions="m b s u kappa", endemic="a b s u c w v d phi", days="m l a z r p x s u sigma", intervals="alpha a b s u", diagnostic="m b L tau u", credit="beta theta a c",
    genes="a tau lambda c2 z b", learning="m s alpha beta").items()}
