"""Eight problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen10.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, what data
alone determine is computed beforehand, steps in time are scans over all groups at once, and where an animal lives is summed out."""
import os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("putts outbreaks traps remissions sliders aftershocks plots".split()) ^ set(os.environ.get("OTHER", "").split())


def putts(r):
    """40 golfers, putts from 2 to 20 feet (Gelman and Nolan)."""
    from scipy.special import ndtr
    x, g = np.tile(np.arange(2.0, 21), 40), np.repeat(np.arange(40), 19)
    n = 1 + r.poisson(4 + 60 * np.exp(-x / 8))
    angle, error = np.exp(-3.55 + 0.15 * r.normal(size=40))[g], (x + 1) * np.exp(-2.3 + 0.25 * r.normal(size=40))[g]
    p = (2 * ndtr(np.arcsin((2.125 - 0.84) / 12 / x) / angle) - 1) * (ndtr(2 / error) - ndtr(-1 / error))
    return dict(y=r.binomial(n, p), n=n, x=x, g=g + 1)


def outbreaks(r):
    """Cases of 20 towns on 60 days; of the ill a third is reported."""
    n, rate = np.exp(r.uniform(8, 11, 20)).round(), np.exp(-0.75 + 0.2 * r.normal(size=20))
    ill = logistic(-7 + 0.7 * r.normal(size=20))
    well, m = 1 - ill, []
    for _ in range(60):
        new = well * (1 - np.exp(-rate * ill))
        well, ill = well - new, 0.76 * ill + new
        m.append(0.33 * n * new)
    return dict(Y=r.negative_binomial(8, 8 / (8 + np.array(m))), n=n)


def conjoint(r):
    """Twelve choices of each of 150 respondents among three products: two brands beside a third, price, two features."""
    brand = r.integers(0, 3, (3, 1800))
    X = np.stack([brand == 1, brand == 2, r.choice([-1, -0.5, 0, 0.5, 1], (3, 1800)), r.random((3, 1800)) < 0.5, r.random((3, 1800)) < 0.5], 2).astype(float)
    R, tau = np.eye(5), np.array([1.0, 1.0, 0.9, 0.6, 0.7])
    R[0, 1] = R[1, 0] = 0.5
    R[2, 3] = R[3, 2] = -0.3
    u = r.multivariate_normal([0.5, -0.4, -1.5, 0.7, 0.3], tau[:, None] * R * tau, 150)
    g = np.repeat(np.arange(150), 12)
    return dict(y=((X * u[g]).sum(2) + r.gumbel(size=(3, 1800))).argmax(0) + 1, X=X, g=g + 1)


def traps(r):
    """36 cameras in the middle of a map of ten kilometres by ten, 400 cells (Efford)."""
    side = np.arange(20) / 2 + 0.25
    cells, cameras = (np.stack(np.meshgrid(k, k), 2).reshape(-1, 2) for k in (side, np.arange(6) + 2.5))
    D = ((cells[:, None] - cameras) ** 2).sum(2).round(4)
    x = (np.sin(cells[:, 0] / 2) + np.cos(cells[:, 1] / 3) + 0.5 * r.normal(size=400)).round(4)
    home = np.repeat(np.arange(400), r.poisson(0.25 * np.exp(0.2 + 0.4 * (x - x.mean()))))
    Y = r.poisson(np.exp(0.3 + 0.5 * r.normal(size=36) - D[home] / (2 * 0.8 ** 2)))
    return dict(Y=Y[Y.sum(1) > 0], D=D, x=(x - x.mean()).round(4), area=0.25)


def remissions(r):
    """1,200 patients in 30 centres, followed for five years at most; cubic splines of eight terms."""
    from scipy.interpolate import BSpline
    g, X = groups(r, 1200, 30), np.c_[np.arange(1200) % 2, r.normal(size=(1200, 2)).round(4)]
    eta = X @ np.array([-0.5, 0.3, 0.2]) + 0.4 * r.normal(size=30)[g]
    fast, times = r.random(1200) < 0.5, r.exponential(size=(2, 1200)) * np.exp(-eta)
    t = np.where(fast, (times[0] / 0.9) ** (1 / 1.8), (times[1] / 0.12) ** (1 / 0.9))  # of two kinds, so that the hazard rises and falls
    stop = r.uniform(1.5, 5, 1200)
    event, t = (t < stop).astype(int), np.minimum(t, stop).clip(1e-3)
    knots = np.r_[[0.0] * 4, np.quantile(t[event == 1], [0.2, 0.4, 0.6, 0.8]), [5.0] * 4]
    terms = [BSpline(knots, 4 / (knots[k + 4] - knots[k]) * np.eye(8)[k], 3) for k in range(8)]
    return dict(event=event, M=np.stack([f(t) for f in terms], 1).round(8), I=np.stack([f.antiderivative()(t) for f in terms], 1).round(8), X=X, g=g + 1)


def sliders(r):
    """120 persons, 14 questions, half of them asked in either form."""
    person, item, x = np.repeat(np.arange(120), 14), np.tile(np.arange(14), 120), r.normal(size=120).round(4)
    z = r.integers(0, 2, 1680).astype(float)
    eta = 0.3 * x[person] - 0.2 * z + 0.7 * r.normal(size=120)[person] + 0.5 * r.normal(size=14)[item]
    m, phi, e = logistic(eta), np.exp(1.6 - 0.5 * z), eta + r.logistic(size=1680)
    between = r.beta(m * phi, (1 - m) * phi).clip(0.005, 0.995).round(3)
    kind = 1 + (e > -2.3) + (e > 2.0)
    return dict(y=np.choose(kind - 1, [0.0, between, 1.0]), kind=kind, X=np.c_[x[person], z], z=z, person=person + 1, item=item + 1)


def aftershocks(r):
    """Earthquakes of 20 faults in 1,000 days (Ogata)."""
    rows = []
    for g in range(20):
        todo, t = [(k, r.exponential(1 / 2.3)) for k in r.uniform(0, 1000, 1 + r.poisson(15 * np.exp(0.5 * r.normal())))], []
        while todo:
            t.append(todo.pop())
            after = t[-1][0] + r.exponential(1 / 0.3, r.poisson(0.33 * np.exp(t[-1][1])))
            todo += [(k, r.exponential(1 / 2.3)) for k in after if k < 1000]
        t = np.array(sorted(t))
        rows.append(np.c_[np.diff(t[:, 0], prepend=0), np.arange(len(t)) > 0, 1000 - t[:, 0], t[:, 1], np.full(len(t), g + 1)])
    gap, later, rest, size, g = np.concatenate(rows).T
    return dict(gap=gap.round(5).clip(1e-5), later=later.astype(int), rest=rest.round(5).clip(1e-5), size=size.round(3), g=g.astype(int))


def plots(r):
    """Three plots of each of 200 varieties in 30 rows and 20 columns."""
    L = [np.linalg.cholesky(k ** abs(np.subtract.outer(np.arange(n), np.arange(n)))) for k, n in ((0.7, 30), (0.5, 20))]
    variety, W = r.permutation(np.repeat(np.arange(200), 3)).reshape(30, 20), r.normal(size=(30, 20)).round(3)
    Y = 6 + 0.15 * W + 0.5 * r.normal(size=200)[variety] + 0.8 * L[0] @ r.normal(size=(30, 20)) @ L[1].T
    return dict(Y=Y.round(4), variety=variety + 1, W=W)


PROBLEMS = dict(putts=putts, outbreaks=outbreaks, conjoint=conjoint, traps=traps, remissions=remissions, sliders=sliders, aftershocks=aftershocks, plots=plots)


def by_fault(d):
    """Rows of faults as matrices, a column a fault: those of gap, later and size, and where the rows are."""
    g = d["g"] - 1
    n = np.bincount(g)
    at = (np.arange(len(g)) - np.r_[0, n.cumsum()[:-1]][g], g)

    def padded(v):
        out = np.zeros((n.max(), len(n)))
        out[at] = v
        return out
    return [padded(d[k]) for k in ("gap", "later", "size")] + [at]


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import gammaln, ndtr
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half, log_sigmoid = D.Normal, D.HalfNormal, jax.nn.log_sigmoid
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def effects(name, n, s, m=0.0):
        if problem in CENTRED:
            return many(name, n, N(m, s))
        return det(name, m + s * many("z_" + name, n, N(0, 1)))

    def f_putts():
        m, s = sample("m", N(jnp.array([-3.5, -2.0]), 1).to_event()), many("s", 2, half(0.5))
        u, v = (effects(k, 40, s[i], m[i])[:, None] for i, k in enumerate("uv"))
        x, y, n = raw["x"][:19], d["y"].reshape(40, 19), d["n"].reshape(40, 19)
        hole, error = np.arcsin((2.125 - 0.84) / 12 / x), (x + 1) * jnp.exp(v)
        p = (2 * ndtr(hole * jnp.exp(-u)) - 1) * (ndtr(2 / error) - ndtr(-1 / error))
        factor("y", (y * jnp.log(p) + (n - y) * jnp.log1p(-p)).sum())

    def f_outbreaks():
        b, c = effects("b", 20, sample("s", half(0.5)), sample("m", N(-0.7, 0.5))), many("c", 20, N(-7, 1))
        gamma, rho, phi, rate = sample("gamma", D.LogNormal(-1.4, 0.2)), sample("rho", D.Beta(2, 4)), sample("phi", D.Gamma(2, 0.2)), jnp.exp(b)

        def step(state, _):
            well, ill = state
            new = -well * jnp.expm1(-rate * ill)
            return (well - new, jnp.exp(-gamma) * ill + new), new
        _, new = jax.lax.scan(step, (jax.nn.sigmoid(-c), jax.nn.sigmoid(c)), None, length=60)
        sample("y", D.NegativeBinomial2(rho * d["n"] * new, phi).to_event(), obs=d["Y"])

    def f_conjoint():
        m, L, tau = many("m", 5, N(0, 2)), sample("L", D.LKJCholesky(5, 2.0)), many("tau", 5, half(1))
        if problem in CENTRED:
            u = sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([150]).to_event())
        else:
            u = det("u", m + many("z_u", (150, 5), N(0, 1)) @ (tau[:, None] * L).T)
        than = raw["X"] - raw["X"][raw["y"] - 1, np.arange(1800)]  # what the others have more than the chosen one
        eta = (than.reshape(3, 150, 12, 5) * u[:, None]).sum(-1)
        factor("y", -jax.nn.logsumexp(eta, 0).sum())

    def f_traps():
        density, sigma = np.log(raw["area"]) + sample("d", N(0, 2)) + sample("b", N(0, 1)) * d["x"], sample("sigma", D.LogNormal(0, 0.5))
        eta = sample("a", N(0, 2)) + effects("u", 36, sample("s", half(1)))
        near = 1 / (2 * sigma ** 2)
        seen = jnp.exp(eta - near * d["D"]).sum(1)
        factor("y", raw["Y"].sum(0) @ eta + jax.nn.logsumexp(density - seen - near * (raw["Y"] @ raw["D"].T), 1).sum() + (jnp.exp(density) * jnp.expm1(-seen)).sum())

    def f_remissions():
        a, b, p, some = sample("a", N(0, 3)), many("b", 3, N(0, 1)), sample("p", D.Dirichlet(jnp.ones(8))), np.flatnonzero(raw["event"])
        eta = a + d["X"] @ b + effects("u", 30, sample("s", half(1)))[raw["g"] - 1]
        factor("t", d["event"] @ eta + jnp.log(raw["M"][some] @ p).sum() - jnp.exp(eta) @ (d["I"] @ p))

    def f_sliders():
        eta = d["X"] @ many("b", 2, N(0, 1)) + effects("u", 120, sample("su", half(1)))[raw["person"] - 1] + effects("v", 14, sample("sv", half(1)))[raw["item"] - 1]
        c, k = sample("c", D.ImproperUniform(D.constraints.ordered_vector, (), (2,))), many("k", 2, N(1, 1))
        factor("prior", -(c ** 2).sum() / 18)
        low, some, high = (np.flatnonzero(raw["kind"] == i) for i in (1, 2, 3))
        ends = log_sigmoid(c[0] - eta[low]).sum() + log_sigmoid(eta[high] - c[1]).sum()
        e, y = eta[some], raw["y"][some]
        phi, z = jnp.exp(k[0] + k[1] * np.array([0, 1])), raw["z"][some].astype(int)
        p, q = phi[z] * jax.nn.sigmoid(e), phi[z] * jax.nn.sigmoid(-e)
        between = (log_sigmoid(e - c[0]) + log_sigmoid(c[1] - e)).sum() + len(some) * jnp.log(-jnp.expm1(c[0] - c[1]))
        factor("y", ends + between + (p * np.log(y) + q * np.log1p(-y) - gammaln(p) - gammaln(q)).sum() + np.bincount(z) @ gammaln(phi))

    def f_aftershocks():
        gap, later, size, at = by_fault(raw)
        u, k, a, r = effects("u", 20, sample("s", half(1)), sample("m", N(-4, 1))), sample("k", half(0.5)), sample("a", half(1)), sample("r", D.LogNormal(-1, 1))
        strength, kept = jnp.exp(a * size), later * jnp.exp(-r * gap)

        def step(felt, row):
            felt = row[0] * felt
            return felt + row[1], felt
        _, felt = jax.lax.scan(step, jnp.zeros(20), (kept, strength))
        factor("t", jnp.log(jnp.exp(u) + k * r * felt)[at].sum() - 1000 * jnp.exp(u).sum() + k * (jnp.exp(a * d["size"]) @ jnp.expm1(-r * d["rest"])))

    def f_plots():
        a, b, sigma, p, q = sample("a", N(5, 5)), sample("b", N(0, 1)), sample("sigma", half(1)), sample("p", D.Uniform(-1, 1)), sample("q", D.Uniform(-1, 1))
        E = d["Y"] - a - b * d["W"] - effects("v", 200, sample("s", half(1)))[raw["variety"] - 1]
        F = jnp.concatenate([E[:1] * jnp.sqrt(1 - p ** 2), E[1:] - p * E[:-1]])
        H = jnp.concatenate([F[:, :1] * jnp.sqrt(1 - q ** 2), F[:, 1:] - q * F[:, :-1]], 1)
        p2, q2 = 1 - p ** 2, 1 - q ** 2
        factor("y", -0.5 * (H ** 2).sum() / (sigma ** 2 * p2 * q2) - 600 * jnp.log(sigma) - 290 * jnp.log(p2) - 285 * jnp.log(q2))

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    ordered = pm.distributions.transforms.ordered
    ndtr = lambda x: 0.5 * pt.erfc(-x / np.sqrt(2))

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def f_putts():
        m, s = N("m", np.array([-3.5, -2.0]), 1), half("s", 0.5, shape=2)
        u, v = (effects(k, 40, s[i], m[i])[:, None] for i, k in enumerate("uv"))
        x, y, n = d["x"][:19], d["y"].reshape(40, 19), d["n"].reshape(40, 19)
        hole, error = np.arcsin((2.125 - 0.84) / 12 / x), (x + 1) * pt.exp(v)
        p = (2 * ndtr(hole * pt.exp(-u)) - 1) * (ndtr(2 / error) - ndtr(-1 / error))
        pm.Potential("y", (y * pt.log(p) + (n - y) * pt.log1p(-p)).sum())

    def f_outbreaks():
        b, c = effects("b", 20, half("s", 0.5), N("m", -0.7, 0.5)), N("c", -7, 1, shape=20)
        gamma, rho, phi = pm.LogNormal("gamma", -1.4, 0.2), pm.Beta("rho", 2, 4), pm.Gamma("phi", 2, 0.2)

        def step(well, ill, rate, kept):
            new = -well * pt.expm1(-rate * ill)
            return well - new, kept * ill + new, new
        new = pytensor.scan(step, outputs_info=[pt.sigmoid(-c), pt.sigmoid(c), None], non_sequences=[pt.exp(b), pt.exp(-gamma)], n_steps=60, strict=True, return_updates=False)[2]
        pm.NegativeBinomial("y", mu=rho * d["n"] * new, alpha=phi, observed=d["Y"])

    def f_conjoint():
        m = N("m", 0, 2, shape=5)
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=5, sd_dist=half.dist(1, shape=5))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        if problem in CENTRED:
            u = pm.MvNormal("u", m, chol=chol, shape=(150, 5))
        else:
            u = pm.Deterministic("u", m + pt.dot(N("z_u", 0, 1, shape=(150, 5)), chol.T))
        than = d["X"] - d["X"][d["y"] - 1, np.arange(1800)]
        eta = (than.reshape(3, 150, 12, 5) * u[:, None]).sum(-1)
        pm.Potential("y", -pt.logsumexp(eta, 0).sum())

    def f_traps():
        density, sigma = np.log(d["area"]) + N("d", 0, 2) + N("b", 0, 1) * d["x"], pm.LogNormal("sigma", 0, 0.5)
        eta = N("a", 0, 2) + effects("u", 36, half("s", 1))
        near = 1 / (2 * sigma ** 2)
        seen = pt.exp(eta - near * d["D"]).sum(1)
        pm.Potential("y", (d["Y"].sum(0) * eta).sum() + pt.logsumexp(density - seen - near * (d["Y"] @ d["D"].T), 1).sum() + (pt.exp(density) * pt.expm1(-seen)).sum())

    def f_remissions():
        a, b, p, some = N("a", 0, 3), N("b", 0, 1, shape=3), pm.Dirichlet("p", np.ones(8)), np.flatnonzero(d["event"])
        eta = a + pt.dot(d["X"], b) + effects("u", 30, half("s", 1))[d["g"] - 1]
        pm.Potential("t", (d["event"] * eta).sum() + pt.log(pt.dot(d["M"][some], p)).sum() - (pt.exp(eta) * pt.dot(d["I"], p)).sum())

    def f_sliders():
        eta = pt.dot(d["X"], N("b", 0, 1, shape=2)) + effects("u", 120, half("su", 1))[d["person"] - 1] + effects("v", 14, half("sv", 1))[d["item"] - 1]
        c, k = N("c", 0, 3, shape=2, transform=ordered, initval=np.array([-1.0, 1.0])), N("k", 1, 1, shape=2)
        low, some, high = (np.flatnonzero(d["kind"] == i) for i in (1, 2, 3))
        ends = -pt.softplus(eta[low] - c[0]).sum() - pt.softplus(c[1] - eta[high]).sum()
        e, y = eta[some], d["y"][some]
        phi, z = pt.exp(k[0] + k[1] * np.array([0, 1])), d["z"][some].astype(int)
        p, q = phi[z] * pt.sigmoid(e), phi[z] * pt.sigmoid(-e)
        between = -(pt.softplus(c[0] - e) + pt.softplus(e - c[1])).sum() + len(some) * pt.log(-pt.expm1(c[0] - c[1]))
        pm.Potential("y", ends + between + (p * np.log(y) + q * np.log1p(-y) - pt.gammaln(p) - pt.gammaln(q)).sum() + (np.bincount(z) * pt.gammaln(phi)).sum())

    def f_aftershocks():
        gap, later, size, at = by_fault(d)
        u, k, a, r = effects("u", 20, half("s", 1), N("m", -4, 1)), half("k", 0.5), half("a", 1), pm.LogNormal("r", -1, 1)
        strength, kept = pt.exp(a * size), later * pt.exp(-r * gap)
        felt = pytensor.scan(lambda kept, before, felt: kept * (felt + before), sequences=[kept[1:], strength[:-1]], outputs_info=[pt.zeros(20)], strict=True, return_updates=False)
        felt = pt.concatenate([pt.zeros((1, 20)), felt])
        pm.Potential("t", pt.log(pt.exp(u) + k * r * felt)[at].sum() - 1000 * pt.exp(u).sum() + k * (pt.exp(a * d["size"]) * pt.expm1(-r * d["rest"])).sum())

    def f_plots():
        a, b, sigma, p, q = N("a", 5, 5), N("b", 0, 1), half("sigma", 1), pm.Uniform("p", -1, 1), pm.Uniform("q", -1, 1)
        E = d["Y"] - a - b * d["W"] - effects("v", 200, half("s", 1))[d["variety"] - 1]
        F = pt.concatenate([E[:1] * pt.sqrt(1 - p ** 2), E[1:] - p * E[:-1]])
        H = pt.concatenate([F[:, :1] * pt.sqrt(1 - q ** 2), F[:, 1:] - q * F[:, :-1]], 1)
        p2, q2 = 1 - p ** 2, 1 - q ** 2
        pm.Potential("y", -0.5 * (H ** 2).sum() / (sigma ** 2 * p2 * q2) - 600 * pt.log(sigma) - 290 * pt.log(p2) - 285 * pt.log(q2))

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    putts="m s u v", outbreaks="m s b c gamma rho phi", conjoint="m L tau u", traps="d b a s u sigma", remissions="a b p s u", sliders="b su u sv v c k", aftershocks="m s u k a r",
    plots="a b s v sigma p q").items()}
