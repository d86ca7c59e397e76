"""Eight problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen9.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, rows of
equal numbers are matrices, sums over rows that data alone determine are computed beforehand, and discrete states are summed out."""
import itertools, os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("maxima wages strengths plasma colonies admissions".split()) ^ set(os.environ.get("OTHER", "").split())


def maxima(r):
    """The greatest daily rain of 30 years at each of 40 stations (Coles)."""
    g, t = np.repeat(np.arange(40), 30), np.tile((np.arange(30) - 14.5) / 10, 40).round(3)
    u = r.multivariate_normal([4.5, 0.2], [[1.0, 0.2], [0.2, 0.09]], 40)[g]
    y = u[:, 0] + 0.15 * t + np.exp(u[:, 1]) * ((-np.log(r.random(1200))) ** -0.12 - 1) / 0.12
    return dict(y=y.round(4), t=t, g=g + 1)


def skills(r):
    """400 persons, 20 tasks, each of which needs some of three skills (de la Torre and Douglas)."""
    A = np.array(list(itertools.product((0, 1), repeat=3)))
    needs = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 3 + [[1, 1, 0], [1, 0, 1], [0, 1, 1]] * 3 + [[1, 1, 1]] * 2)
    theta, guess, slip = r.normal(size=400), r.beta(5, 20, 20), r.beta(5, 25, 20)
    has = r.random((400, 3)) < logistic(1.5 * theta[:, None] - np.array([-0.8, 0.0, 0.7]))
    able = (has[:, None] >= needs).all(2)
    return dict(Y=(r.random((400, 20)) < np.where(able, 1 - slip, guess)).astype(int), A=A, E=(A[:, None] >= needs).all(2).astype(int))


def wages(r):
    """2,000 persons in 30 regions, of whom some work and have a wage (Heckman)."""
    g, X = groups(r, 2000, 30), r.normal(size=(2000, 2)).round(4)
    Z = np.c_[X[:, 0], r.normal(size=2000).round(4), r.poisson(0.9, 2000)]
    e = r.multivariate_normal([0, 0], [[0.36, 0.3], [0.3, 1]], 2000)
    works = 0.5 + Z @ np.array([0.35, 0.25, -0.5]) + e[:, 1] > 0
    y = (2.4 + X @ np.array([0.3, 0.12]) + 0.2 * r.normal(size=30)[g] + e[:, 0]).round(4)
    return dict(works=works.astype(int), y=np.where(works, y, 0), X=X, Z=Z, g=g + 1)


def strengths(r):
    """Eight seasons of 20 sides, who meet once in each (Glickman and Stern)."""
    theta = [6 * r.normal(size=20)]
    for _ in range(7):
        theta.append(0.8 * theta[-1] + 3.5 * r.normal(size=20))
    home, away = np.array([r.permutation(k) for _ in range(8) for k in itertools.combinations(range(20), 2)]).T
    season = np.repeat(np.arange(8), 190)
    theta = np.array(theta)
    return dict(y=np.rint(2.5 + theta[season, home] - theta[season, away] + 11 * r.normal(size=1520)), season=season + 1, home=home + 1, away=away + 1)


def soil(r):
    """Logarithms of a metal at 220 places of a flood plain of three kilometres by four (Diggle and Ribeiro)."""
    P = (r.random((220, 2)) * [3, 4]).round(3)
    X = np.c_[np.sqrt(P[:, 0]) - 1.15, r.normal(size=220)].round(4)
    d = np.sqrt(((P[:, None] - P) ** 2).sum(2)) * np.sqrt(3) / 0.4
    f = np.linalg.cholesky(0.36 * (1 + d) * np.exp(-d) + 1e-9 * np.eye(220)) @ r.normal(size=220)
    return dict(y=(5.8 + X @ np.array([-0.7, 0.15]) + f + 0.25 * r.normal(size=220)).round(4), P=P, X=X)


def plasma(r):
    """Eleven concentrations of each of 40 subjects after an injection into a vein: two compartments, clearance and volume by weight."""
    t, lw = np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 4, 6, 9, 14, 24]), (0.2 * r.normal(size=40)).round(4)
    u = r.multivariate_normal([1.6, 2.3], [[0.09, 0.03], [0.03, 0.0625]], 40)
    v, q, w = np.exp(u[:, 1] + lw), 8.0, 20.0
    out, over, back = np.exp(u[:, 0] + 0.75 * lw) / v, q / v, q / w
    s = out + over + back
    fast = (s + np.sqrt(s ** 2 - 4 * out * back)) / 2
    slow = out * back / fast
    c = 100 / v * ((fast - back) * np.exp(-np.outer(t, fast)) + (back - slow) * np.exp(-np.outer(t, slow))) / (fast - slow)
    return dict(c=(c.T * np.exp(0.15 * r.normal(size=(40, 11)))).ravel().round(6), t=np.tile(t, 40), lw=lw, g=np.repeat(np.arange(40), 11) + 1)


def colonies(r):
    """250 sites in eight seasons, of up to four visits each; sites are colonised and deserted from one season to the next (MacKenzie and others)."""
    x, p, n = r.normal(size=250).round(4), logistic(-0.4 + 0.5 * r.normal(size=8)), r.integers(2, 5, (8, 250))
    there, Y = r.random(250) < logistic(0.2 + 0.9 * x), []
    for t in range(8):
        Y.append(r.binomial(n[t], p[t] * there))
        there = r.random(250) < np.where(there, 1 - logistic(-1.5 - 0.5 * x), logistic(-1.7 + 0.6 * x))
    return dict(Y=Y, n=n, x=x)


def admissions(r):
    """When 400 patients came to hospital, and when they died (Liu, Wolfe and Huang), followed for four years at most."""
    X, w = np.c_[np.arange(400) % 2, r.normal(size=400).round(4)], 0.8 * r.normal(size=400)
    eta, dead = 0.6 + X @ np.array([-0.4, 0.3]) + w, -1.9 + X @ np.array([-0.3, 0.4]) + 0.7 * w
    time, stop = (r.exponential(size=400) * np.exp(-dead)) ** (1 / 1.3), r.uniform(1, 4, 400)
    end = np.minimum(time, stop).clip(1e-3).round(5)
    who = np.repeat(np.arange(400), r.poisson(end ** 1.1 * np.exp(eta)))
    return dict(t=(end[who] * r.random(len(who)) ** (1 / 1.1)).clip(1e-5).round(6), who=who + 1, end=end, died=(time < stop).astype(int), X=X)


PROBLEMS = dict(maxima=maxima, skills=skills, wages=wages, strengths=strengths, soil=soil, plasma=plasma, colonies=colonies, admissions=admissions)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import log_ndtr
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half, softplus = D.Normal, D.HalfNormal, jax.nn.softplus
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def effects(name, n, s, m=0.0):
        if problem in CENTRED:
            return many(name, n, N(m, s))
        return det(name, m + s * many("z_" + name, n, N(0, 1)))

    def pairs(n, m):
        """Two effects of each of n groups, which go together."""
        L, tau = sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(1))
        if problem in CENTRED:
            return sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([n]).to_event())
        return det("u", m + many("z_u", (n, 2), N(0, 1)) @ (tau[:, None] * L).T)

    def f_maxima():
        u = pairs(40, sample("m", N(jnp.array([4.0, 0.0]), jnp.array([2.0, 1.0])).to_event()))
        b, xi = sample("b", N(0, 1)), sample("xi", N(0, 0.2))
        by = lambda k: d[k].reshape(40, 30)
        w = xi * (by("y") - u[:, :1] - b * by("t")) * jnp.exp(-u[:, 1:])
        h = jnp.log1p(jnp.where(w > -1, w, 0)) / xi
        factor("y", -30 * u[:, 1].sum() - jnp.where((w > -1).all(), ((1 + xi) * h + jnp.exp(-h)).sum(), jnp.inf))

    def f_skills():
        theta, b, scale = many("theta", 400, N(0, 1)), many("b", 3, N(0, 1.5)), sample("lambda", D.LogNormal(0, 0.5))
        guess, slip = many("guess", 20, D.Beta(5, 20)), many("slip", 20, D.Beta(5, 20))
        eta, Y, E = scale * theta[:, None] - b, d["Y"], d["E"]
        p = guess + E * (1 - slip - guess)
        no = jnp.log1p(-p)
        lp = eta @ d["A"].T + Y @ (jnp.log(p) - no).T + no.sum(1)
        factor("y", jax.nn.logsumexp(lp, 1).sum() - softplus(eta).sum())

    def f_wages():
        a, b, c, h = sample("a", N(0, 5)), many("b", 2, N(0, 1)), sample("c", N(0, 2)), many("h", 3, N(0, 1))
        u, sigma, rho = effects("u", 30, sample("s", half(1))), sample("sigma", half(1)), sample("rho", D.Uniform(-1, 1))
        some, none = np.flatnonzero(raw["works"]), np.flatnonzero(1 - raw["works"])
        e = (d["y"][some] - a - d["X"][some] @ b - u[raw["g"][some] - 1]) / sigma
        factor("y", -0.5 * (e ** 2).sum() - len(some) * jnp.log(sigma))
        factor("some", log_ndtr((c + d["Z"][some] @ h + rho * e) / jnp.sqrt(1 - rho ** 2)).sum())
        factor("none", log_ndtr(-c - d["Z"][none] @ h).sum())

    def f_strengths():
        h, sigma, phi, s0, s = sample("h", N(0, 5)), sample("sigma", half(20)), sample("phi", D.Uniform(0, 1)), sample("s0", half(10)), sample("s", half(5))
        if problem in CENTRED:
            theta = sample("theta", D.ImproperUniform(D.constraints.real_matrix, (), (8, 20)))
            z = det("z", jnp.concatenate([theta[:1] / s0, (theta[1:] - phi * theta[:-1]) / s]))
            factor("prior", -0.5 * (z ** 2).sum() - 20 * jnp.log(s0) - 140 * jnp.log(s))
        else:
            z = many("z", (8, 20), N(0, 1))
            theta = [s0 * z[0]]
            for t in range(1, 8):
                theta.append(phi * theta[-1] + s * z[t])
            theta = jnp.stack(theta)
        det("now", theta[7])
        t = d["season"] - 1
        sample("y", N(h + theta[t, d["home"] - 1] - theta[t, d["away"] - 1], sigma).to_event(), obs=d["y"])

    def f_soil():
        a, b, alpha, l, sigma = sample("a", N(0, 5)), many("b", 2, N(0, 1)), sample("alpha", half(1)), sample("l", D.InverseGamma(3, 1)), sample("sigma", half(1))
        far = np.sqrt(3 * ((raw["P"][:, None] - raw["P"]) ** 2).sum(2)) / l
        cov = alpha ** 2 * (1 + far) * jnp.exp(-far) + sigma ** 2 * jnp.eye(220)
        sample("y", D.MultivariateNormal(a + d["X"] @ b, cov), obs=d["y"])

    def f_plasma():
        u = pairs(40, sample("m", N(jnp.array([1.0, 2.0]), 1).to_event()))
        q, w, sigma, lw = sample("q", N(2, 1)), sample("w", N(3, 1)), sample("sigma", half(1)), d["lw"]
        v = u[:, 1] + lw
        out, over, back = jnp.exp(u[:, 0] + 0.75 * lw - v), jnp.exp(q - v), jnp.exp(q - w)
        s = out + over + back
        fast = (s + jnp.sqrt(s ** 2 - 4 * out * back)) / 2
        slow = out * back / fast
        first, of = (fast - back) / (fast - slow), lambda k: k[:, None]
        t = raw["t"][:11]
        sum_ = of(first) * jnp.exp(-of(fast) * t) + of(1 - first) * jnp.exp(-of(slow) * t)
        sample("c", N(np.log(100) - of(v) + jnp.log(sum_), sigma).to_event(), obs=np.log(raw["c"]).reshape(40, 11))

    def f_colonies():
        (a, b, c), x, n, Y = (many(k, 2, N(0, 1.5)) for k in "abc"), d["x"], d["n"], d["Y"]
        m = sample("m", N(0, 1.5))
        p = effects("p", 8, sample("s", half(1)), m)[:, None]
        seen, none = jnp.exp(Y * p - n * softplus(p)), (raw["Y"] == 0).astype(float)
        first, gained, lost = (jax.nn.sigmoid(k[0] + k[1] * x) for k in (a, b, c))
        there, gone = first * seen[0], (1 - first) * none[0]
        for t in range(1, 8):
            there, gone = (there * (1 - lost) + gone * gained) * seen[t], (there * lost + gone * (1 - gained)) * none[t]
        factor("y", jnp.log(there + gone).sum())

    def f_admissions():
        k, m, b, c = many("k", 2, D.Gamma(4, 3)), many("m", 2, N(0, 2)), many("b", 2, N(0, 1)), many("c", 2, N(0, 1))
        alpha, w = sample("alpha", N(0, 1)), effects("w", 400, sample("s", half(1)))
        n, log = np.bincount(raw["who"] - 1, minlength=400), np.log(raw["end"])
        eta, dead = m[0] + d["X"] @ b + w, m[1] + d["X"] @ c + alpha * w
        factor("t", n.sum() * jnp.log(k[0]) + (k[0] - 1) * np.log(raw["t"]).sum() + n @ eta - jnp.exp(k[0] * log + eta).sum())
        factor("end", (d["died"] * (jnp.log(k[1]) + (k[1] - 1) * log + dead) - jnp.exp(k[1] * log + dead)).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    log_ndtr = lambda x: pm.logcdf(N.dist(0, 1), x)

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def pairs(n, m):
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(1, shape=2))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        if problem in CENTRED:
            return pm.MvNormal("u", m, chol=chol, shape=(n, 2))
        return pm.Deterministic("u", m + pt.dot(N("z_u", 0, 1, shape=(n, 2)), chol.T))

    def f_maxima():
        u = pairs(40, N("m", np.array([4.0, 0.0]), np.array([2.0, 1.0])))
        b, xi = N("b", 0, 1), N("xi", 0, 0.2, initval=0.1)  # at 0 a quotient does not exist
        by = lambda k: d[k].reshape(40, 30)
        w = xi * (by("y") - u[:, :1] - b * by("t")) * pt.exp(-u[:, 1:])
        h = pt.log1p(pt.switch(w > -1, w, 0)) / xi
        pm.Potential("y", -30 * u[:, 1].sum() - pt.switch((w > -1).all(), ((1 + xi) * h + pt.exp(-h)).sum(), np.inf))

    def f_skills():
        theta, b, scale = N("theta", 0, 1, shape=400), N("b", 0, 1.5, shape=3), pm.LogNormal("lambda", 0, 0.5)
        guess, slip = pm.Beta("guess", 5, 20, shape=20), pm.Beta("slip", 5, 20, shape=20)
        eta, Y, E = scale * theta[:, None] - b, d["Y"].astype(float), d["E"].astype(float)
        p = guess + E * (1 - slip - guess)
        no = pt.log1p(-p)
        lp = pt.dot(eta, d["A"].T.astype(float)) + pt.dot(Y, (pt.log(p) - no).T) + no.sum(1)
        pm.Potential("y", pt.logsumexp(lp, 1).sum() - pt.softplus(eta).sum())

    def f_wages():
        a, b, c, h = N("a", 0, 5), N("b", 0, 1, shape=2), N("c", 0, 2), N("h", 0, 1, shape=3)
        u, sigma, rho = effects("u", 30, half("s", 1)), half("sigma", 1), pm.Uniform("rho", -1, 1)
        some, none = np.flatnonzero(d["works"]), np.flatnonzero(1 - d["works"])
        e = (d["y"][some] - a - pt.dot(d["X"][some], b) - u[d["g"][some] - 1]) / sigma
        pm.Potential("y", -0.5 * (e ** 2).sum() - len(some) * pt.log(sigma))
        pm.Potential("some", log_ndtr((c + pt.dot(d["Z"][some], h) + rho * e) / pt.sqrt(1 - rho ** 2)).sum())
        pm.Potential("none", log_ndtr(-c - pt.dot(d["Z"][none], h)).sum())

    def f_strengths():
        h, sigma, phi, s0, s = N("h", 0, 5), half("sigma", 20), pm.Uniform("phi", 0, 1), half("s0", 10), half("s", 5)
        if problem in CENTRED:
            theta = pm.Flat("theta", shape=(8, 20), initval=np.zeros((8, 20)))
            z = pm.Deterministic("z", pt.concatenate([theta[:1] / s0, (theta[1:] - phi * theta[:-1]) / s]))
            pm.Potential("prior", -0.5 * (z ** 2).sum() - 20 * pt.log(s0) - 140 * pt.log(s))
        else:
            z = N("z", 0, 1, shape=(8, 20))
            theta = [s0 * z[0]]
            for t in range(1, 8):
                theta.append(phi * theta[-1] + s * z[t])
            theta = pt.stack(theta)
        pm.Deterministic("now", theta[7])
        t = d["season"] - 1
        N("y", h + theta[t, d["home"] - 1] - theta[t, d["away"] - 1], sigma, observed=d["y"])

    def f_soil():
        a, b, alpha, l, sigma = N("a", 0, 5), N("b", 0, 1, shape=2), half("alpha", 1), pm.InverseGamma("l", 3, 1), half("sigma", 1)
        far = np.sqrt(3 * ((d["P"][:, None] - d["P"]) ** 2).sum(2)) / l
        pm.MvNormal("y", a + pt.dot(d["X"], b), alpha ** 2 * (1 + far) * pt.exp(-far) + sigma ** 2 * np.eye(220), observed=d["y"])

    def f_plasma():
        u = pairs(40, N("m", np.array([1.0, 2.0]), 1))
        q, w, sigma, lw = N("q", 2, 1), N("w", 3, 1), half("sigma", 1), d["lw"]
        v = u[:, 1] + lw
        out, over, back = pt.exp(u[:, 0] + 0.75 * lw - v), pt.exp(q - v), pt.exp(q - w)
        s = out + over + back
        fast = (s + pt.sqrt(s ** 2 - 4 * out * back)) / 2
        slow = out * back / fast
        first, of = (fast - back) / (fast - slow), lambda k: k[:, None]
        t = d["t"][:11]
        sum_ = of(first) * pt.exp(-of(fast) * t) + of(1 - first) * pt.exp(-of(slow) * t)
        N("c", np.log(100) - of(v) + pt.log(sum_), sigma, observed=np.log(d["c"]).reshape(40, 11))

    def f_colonies():
        (a, b, c), x, n, Y = (N(k, 0, 1.5, shape=2) for k in "abc"), d["x"], d["n"], d["Y"]
        m = N("m", 0, 1.5)
        p = effects("p", 8, half("s", 1), m)[:, None]
        seen, none = pt.exp(Y * p - n * pt.softplus(p)), (Y == 0).astype(float)
        first, gained, lost = (pt.sigmoid(k[0] + k[1] * x) for k in (a, b, c))
        there, gone = first * seen[0], (1 - first) * none[0]
        for t in range(1, 8):
            there, gone = (there * (1 - lost) + gone * gained) * seen[t], (there * lost + gone * (1 - gained)) * none[t]
        pm.Potential("y", pt.log(there + gone).sum())

    def f_admissions():
        k, m, b, c = pm.Gamma("k", 4, 3, shape=2), N("m", 0, 2, shape=2), N("b", 0, 1, shape=2), N("c", 0, 1, shape=2)
        alpha, w = N("alpha", 0, 1), effects("w", 400, half("s", 1))
        n, log = np.bincount(d["who"] - 1, minlength=400), np.log(d["end"])
        eta, dead = m[0] + pt.dot(d["X"], b) + w, m[1] + pt.dot(d["X"], c) + alpha * w
        pm.Potential("t", n.sum() * pt.log(k[0]) + (k[0] - 1) * np.log(d["t"]).sum() + (n * eta).sum() - pt.exp(k[0] * log + eta).sum())
        pm.Potential("end", (d["died"] * (pt.log(k[1]) + (k[1] - 1) * log + dead) - pt.exp(k[1] * log + dead)).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    maxima="m L tau u b xi", skills="theta b lambda guess slip", wages="a b c h s u sigma rho", strengths="h sigma phi s0 s z now", soil="a b alpha l sigma", plasma="m L tau u q w sigma",
    colonies="a b c m s p", admissions="k m b c alpha s w").items()}
