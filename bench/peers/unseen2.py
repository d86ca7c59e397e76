"""Fourteen problems more that were written down before anything of them was measured; unseen.py runs them with its own, of which none is of the same kind.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is
vectorised, and what data alone determine is computed beforehand."""
import os

import numpy as np

logistic = lambda x: 1 / (1 + np.exp(-x))
CENTRED = set("growth_t nb_offset ordinal_hier betabinom broken_stick choice4".split()) ^ set(os.environ.get("OTHER", "").split())


def groups(r, n, m):
    """The group of each of n rows, every one of m met."""
    return np.r_[np.arange(m), r.integers(0, m, n - m)]


def logit_slopes(r):
    """3,000 binary rows, an intercept and two slopes of 60 groups, correlated."""
    g, x = groups(r, 3000, 60), r.normal(size=(3000, 2)).round(4)
    c = np.array([[0.6, 0.2, -0.1], [0.2, 0.3, 0.05], [-0.1, 0.05, 0.2]])
    u = np.array([-0.3, 0.5, -0.4]) + r.multivariate_normal(np.zeros(3), c, 60)
    return dict(y=r.binomial(1, logistic(u[g, 0] + (u[g, 1:] * x).sum(1))), X=x, g=g + 1)


def growth_t(r):
    """60 subjects, a line each through eight ages, errors of Student's t."""
    g, x = np.repeat(np.arange(60), 8), np.tile(np.arange(8) - 3.5, 60)
    a, b = r.normal(20, 2, 60), r.normal(1.5, 0.4, 60)
    return dict(y=(a[g] + b[g] * x + 0.8 * r.standard_t(4, 480)).round(4), x=x, g=g + 1)


def nb_offset(r):
    """2,000 counts with exposures in 120 groups."""
    g, x, exposure = groups(r, 2000, 120), r.normal(size=(2000, 3)).round(4), r.gamma(4, 0.5, 2000).round(3) + 0.1
    m = exposure * np.exp(0.7 + x @ np.array([0.3, -0.2, 0.1]) + 0.5 * r.normal(size=120)[g])
    return dict(y=r.negative_binomial(3, 3 / (3 + m)), exposure=exposure, X=x, g=g + 1)


def choice4(r):
    """2,500 choices among four, with covariates, in 30 groups."""
    g, x = groups(r, 2500, 30), r.normal(size=(2500, 3)).round(4)
    eta = np.array([0.4, 0, -0.2, -0.5]) + x @ r.normal(0, 0.6, (3, 4)) + r.normal(0, 0.6, (30, 4))[g]
    return dict(y=1 + (eta + r.gumbel(size=(2500, 4))).argmax(1), X=x, g=g + 1)


def dirmult(r):
    """400 rows of 30 trials in five categories, more varied than multinomial."""
    x = r.normal(size=(400, 2)).round(4)
    eta = np.array([0.5, 0.2, 0, -0.3, -0.6]) + x @ r.normal(0, 0.5, (2, 5))
    p = np.exp(eta) / np.exp(eta).sum(1, keepdims=True)
    return dict(y=np.array([r.multinomial(30, r.dirichlet(12 * q)) for q in p]), X=x)


def walk_binomial(r):
    """250 weeks of binomial counts, whose log odds walk at random."""
    n = r.integers(5, 25, 250)
    return dict(y=r.binomial(n, logistic(-0.8 + np.cumsum(0.15 * r.normal(size=250)))), n=n)


def arx2(r):
    """600 days, a regression whose errors are an AR(2)."""
    x, e = r.normal(size=(600, 4)).round(4), [0.0, 0.0]
    for _ in range(600):
        e.append(0.6 * e[-1] + 0.25 * e[-2] + 0.5 * r.normal())
    return dict(y=(2 + x @ np.array([0.5, -0.3, 0.2, 0]) + np.array(e[2:])).round(5), X=x)


def ordinal_hier(r):
    """2,500 answers of six grades in 50 groups, with common cut points."""
    g, x = groups(r, 2500, 50), r.normal(size=(2500, 3)).round(4)
    latent = x @ np.array([0.7, -0.4, 0.2]) + 0.7 * r.normal(size=50)[g] + r.logistic(size=2500)
    return dict(y=1 + (latent[:, None] > np.array([-2, -1, 0, 1.2, 2.4])).sum(1), X=x, g=g + 1)


def betabinom(r):
    """800 rows of 5 to 30 trials in 40 groups, more varied than binomial."""
    g, x, n = groups(r, 800, 40), r.normal(size=(800, 2)).round(4), r.integers(5, 31, 800)
    m = logistic(-0.6 + x @ np.array([0.4, -0.3]) + 0.6 * r.normal(size=40)[g])
    return dict(y=r.binomial(n, r.beta(10 * m, 10 * (1 - m))), n=n, X=x, g=g + 1)


def irt_persons(r):
    """500 persons with two covariates, 20 questions."""
    w, j, k = r.normal(size=(500, 2)).round(4), np.repeat(np.arange(500), 20), np.tile(np.arange(20), 500)
    theta, a, b = w @ np.array([0.5, -0.3]) + r.normal(size=500), np.exp(0.3 * r.normal(size=20)), r.normal(0, 1.2, 20)
    return dict(y=r.binomial(1, logistic(a[k] * (theta[j] - b[k]))), W=w, person=j + 1, item=k + 1)


def level_t(r):
    """400 days, a local level, errors of Student's t."""
    return dict(y=(3 + np.cumsum(0.25 * r.normal(size=400)) + 0.7 * r.standard_t(4, 400)).round(5))


def broken_stick(r):
    """60 subjects at 12 times, two lines each that meet at a time of their own."""
    g, x = np.repeat(np.arange(60), 12), np.tile(np.linspace(0, 10, 12).round(3), 60)
    a, c, d = r.normal(5, 1, 60), r.normal(5, 0.8, 60), r.normal(-1.2, 0.3, 60)
    return dict(y=(a[g] + 0.5 * x + d[g] * np.maximum(x - c[g], 0) + 0.5 * r.normal(size=720)).round(4), x=x, g=g + 1)


def mix3(r):
    """1,500 numbers of three normals."""
    k = r.choice(3, 1500, p=[0.5, 0.3, 0.2])
    return dict(y=(np.array([-2, 0.5, 3.5])[k] + np.array([0.7, 0.6, 1.2])[k] * r.normal(size=1500)).round(5))


def smooths(r):
    """1,200 counts that follow two curves, each linear between 18 knots."""
    def basis(x):
        return np.maximum(1 - np.abs(17 * x[:, None] - np.arange(18)), 0).round(5)
    x = r.uniform(0, 1, (1200, 2)).round(4)
    eta = 1 + np.sin(5 * x[:, 0]) + 2 * (x[:, 1] - 0.5) ** 2
    return dict(y=r.poisson(np.exp(eta)), ZA=basis(x[:, 0]), ZB=basis(x[:, 1]))


PROBLEMS = dict(logit_slopes=logit_slopes, growth_t=growth_t, nb_offset=nb_offset, choice4=choice4, dirmult=dirmult, walk_binomial=walk_binomial, arx2=arx2, ordinal_hier=ordinal_hier,
                betabinom=betabinom, irt_persons=irt_persons, level_t=level_t, broken_stick=broken_stick, mix3=mix3, smooths=smooths)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import betaln, gammaln, logsumexp
    from jax.scipy.stats import norm
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    C, N, half = D.constraints, D.Normal, D.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else list(n)).to_event())

    def effects(name, n, m, s):
        return many(name, n, N(m, s)) if problem in CENTRED else det(name, m + s * many("z_" + name, n, N(0, 1)))

    def f_logit_slopes():
        chol, tau, m = sample("L", D.LKJCholesky(3, 2.0)), many("tau", 3, half(1)), many("m", 3, N(0, 2))
        scale = tau[:, None] * chol
        if problem in CENTRED:
            u = sample("u", D.MultivariateNormal(m, scale_tril=scale).expand([60]).to_event(1))
        else:
            u = det("u", m + many("z", (60, 3), N(0, 1)) @ scale.T)
        u = u[g]
        sample("y", D.Bernoulli(logits=u[:, 0] + (u[:, 1:] * d["X"]).sum(1)), obs=d["y"])

    def f_growth_t():
        a = effects("a", 60, sample("ma", N(0, 20)), sample("sa", half(5)))
        b = effects("b", 60, sample("mb", N(0, 5)), sample("sb", half(2)))
        sample("y", D.StudentT(sample("nu", D.Gamma(2, 0.1)), a[g] + b[g] * d["x"], sample("sigma", half(2))), obs=d["y"])

    def f_nb_offset():
        eta = jnp.log(d["exposure"]) + sample("a", N(0, 2)) + d["X"] @ many("b", 3, N(0, 1)) + effects("u", 120, 0, sample("s", half(1)))[g]
        phi = sample("phi", D.Gamma(2, 0.1))
        sample("y", D.NegativeBinomialLogits(phi, eta - jnp.log(phi)), obs=d["y"])

    def f_choice4():
        eta = many("a", 4, N(0, 1)) + d["X"] @ many("B", (3, 4), N(0, 1)) + effects("u", (30, 4), 0, sample("s", half(1)))[g]
        sample("y", D.Categorical(logits=eta), obs=d["y"] - 1)

    def f_dirmult():
        eta, kappa = many("a", 5, N(0, 1)) + d["X"] @ many("B", (2, 5), N(0, 1)), sample("kappa", D.Gamma(2, 0.05))
        alpha = kappa * jax.nn.softmax(eta)
        factor("y", 400 * (gammaln(kappa) - gammaln(kappa + 30)) + (gammaln(d["y"] + alpha) - gammaln(alpha)).sum())

    def f_walk_binomial():
        m, s = sample("m", N(0, 2)), sample("s", half(0.5))
        h = many("h", 250, N(0, 1)) if problem in CENTRED else det("h", s * jnp.cumsum(many("e", 250, N(0, 1))))
        if problem in CENTRED:
            factor("walk", norm.logpdf(jnp.diff(h, prepend=0.0), 0, s).sum() - norm.logpdf(h).sum())
        eta = m + h
        factor("y", (d["y"] * eta - d["n"] * jax.nn.softplus(eta)).sum())

    def f_arx2():
        b, phi, sigma = many("b", 4, N(0, 2)), many("phi", 2, N(0, 0.5)), sample("sigma", half(1))
        e = d["y"] - sample("a", N(0, 5)) - d["X"] @ b
        factor("y", norm.logpdf(e[2:] - phi[0] * e[1:-1] - phi[1] * e[:-2], 0, sigma).sum())

    def f_ordinal_hier():
        eta = d["X"] @ many("b", 3, N(0, 2)) + effects("u", 50, 0, sample("s", half(1)))[g]
        c = sample("c", D.ImproperUniform(C.ordered_vector, (), (5,)))
        factor("prior", norm.logpdf(c, 0, 3).sum())
        ends = jnp.pad(c, 1, constant_values=(-50, 50))
        low, high = ends[d["y"] - 1], ends[d["y"]]
        factor("y", (jax.nn.log_sigmoid(eta - low) + jax.nn.log_sigmoid(high - eta) + jnp.log1p(-jnp.exp(low - high))).sum())

    def f_betabinom():
        m = jax.nn.sigmoid(sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 1)) + effects("u", 40, 0, sample("s", half(1)))[g])
        kappa = sample("kappa", D.Gamma(2, 0.1))
        p, q = m * kappa, (1 - m) * kappa
        factor("y", (betaln(d["y"] + p, d["n"] - d["y"] + q) - betaln(p, q)).sum())

    def f_irt_persons():
        gamma, a = many("gamma", 2, N(0, 1)), many("a", 20, D.LogNormal(0, 0.5))
        b = effects("b", 20, 0, sample("sb", half(2)))
        theta = sample("theta", N(d["W"] @ gamma, 1).to_event())
        k = d["item"] - 1
        sample("y", D.Bernoulli(logits=a[k] * (theta[d["person"] - 1] - b[k])), obs=d["y"])

    def f_level_t():
        m, s = sample("m", N(0, 5)), sample("s", half(0.5))
        h = many("h", 400, N(0, 1)) if problem in CENTRED else det("h", s * jnp.cumsum(many("e", 400, N(0, 1))))
        if problem in CENTRED:
            factor("walk", norm.logpdf(jnp.diff(h, prepend=0.0), 0, s).sum() - norm.logpdf(h).sum())
        sample("y", D.StudentT(sample("nu", D.Gamma(2, 0.1)), m + h, sample("sigma", half(2))), obs=d["y"])

    def f_broken_stick():
        a = effects("a", 60, sample("ma", N(0, 10)), sample("sa", half(2)))
        c = effects("c", 60, sample("mc", N(5, 2)), sample("sc", half(1)))
        k = effects("k", 60, sample("mk", N(0, 2)), sample("sk", half(1)))
        m = a[g] + sample("b", N(0, 2)) * d["x"] + k[g] * jax.nn.relu(d["x"] - c[g])
        sample("y", N(m, sample("sigma", half(2))), obs=d["y"])

    def f_mix3():
        w, s = sample("w", D.Dirichlet(2 * jnp.ones(3))), many("s", 3, half(2))
        m = sample("m", D.ImproperUniform(C.ordered_vector, (), (3,)))
        factor("prior", norm.logpdf(m, 0, 5).sum())
        factor("y", logsumexp(jnp.log(w) + norm.logpdf(d["y"][:, None], m, s), 1).sum())

    def f_smooths():
        u, v = (effects(k, 18, 0, sample("s" + k, half(1))) for k in "uv")
        eta = sample("a", N(0, 2)) + d["ZA"] @ u + d["ZB"] @ v
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    ordered = pm.distributions.transforms.ordered
    g = d["g"] - 1 if "g" in d else None

    def effects(name, n, m, s):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def walk(n, s):
        if problem not in CENTRED:
            return pm.Deterministic("h", s * pt.cumsum(N("e", 0, 1, shape=n)))
        h = pm.Flat("h", shape=n, initval=np.zeros(n))
        pm.Potential("walk", -0.5 * ((h[0] / s) ** 2 + ((h[1:] - h[:-1]) ** 2).sum() / s ** 2) - n * pt.log(s))
        return h

    def f_logit_slopes():
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=3, sd_dist=half.dist(1, shape=3))
        pm.Deterministic("tau", tau), pm.Deterministic("L", chol / tau[:, None])
        m = N("m", 0, 2, shape=3)
        u = pm.MvNormal("u", m, chol=chol, shape=(60, 3)) if problem in CENTRED else pm.Deterministic("u", m + pt.dot(N("z", 0, 1, shape=(60, 3)), chol.T))
        eta = u[g, 0] + (u[g, 1:] * d["X"]).sum(1)
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    def f_growth_t():
        a = effects("a", 60, N("ma", 0, 20), half("sa", 5))
        b = effects("b", 60, N("mb", 0, 5), half("sb", 2))
        pm.StudentT("y", pm.Gamma("nu", 2, 0.1), a[g] + b[g] * d["x"], sigma=half("sigma", 2), observed=d["y"])

    def f_nb_offset():
        eta = np.log(d["exposure"]) + N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=3)) + effects("u", 120, 0, half("s", 1))[g]
        pm.NegativeBinomial("y", mu=pt.exp(eta), alpha=pm.Gamma("phi", 2, 0.1), observed=d["y"])

    def f_choice4():
        eta = N("a", 0, 1, shape=4) + pt.dot(d["X"], N("B", 0, 1, shape=(3, 4))) + effects("u", (30, 4), 0, half("s", 1))[g]
        pm.Potential("y", (eta[np.arange(len(g)), d["y"] - 1] - pt.logsumexp(eta, 1, keepdims=True).ravel()).sum())

    def f_dirmult():
        eta, kappa = N("a", 0, 1, shape=5) + pt.dot(d["X"], N("B", 0, 1, shape=(2, 5))), pm.Gamma("kappa", 2, 0.05)
        alpha = kappa * pm.math.softmax(eta, axis=1)
        pm.Potential("y", 400 * (pt.gammaln(kappa) - pt.gammaln(kappa + 30)) + (pt.gammaln(d["y"] + alpha) - pt.gammaln(alpha)).sum())

    def f_walk_binomial():
        eta = N("m", 0, 2) + walk(250, half("s", 0.5))
        pm.Potential("y", (d["y"] * eta - d["n"] * pt.softplus(eta)).sum())

    def f_arx2():
        b, phi, sigma = N("b", 0, 2, shape=4), N("phi", 0, 0.5, shape=2), half("sigma", 1)
        e = d["y"] - N("a", 0, 5) - pt.dot(d["X"], b)
        pm.Potential("y", -0.5 * ((e[2:] - phi[0] * e[1:-1] - phi[1] * e[:-2]) ** 2).sum() / sigma ** 2 - 598 * pt.log(sigma))

    def f_ordinal_hier():
        eta = pt.dot(d["X"], N("b", 0, 2, shape=3)) + effects("u", 50, 0, half("s", 1))[g]
        c = N("c", 0, 3, shape=5, transform=ordered, initval=np.linspace(-2, 2, 5))
        ends = pt.concatenate([[-50.0], c, [50.0]])
        low, high = ends[d["y"] - 1], ends[d["y"]]
        pm.Potential("y", (-pt.softplus(low - eta) - pt.softplus(eta - high) + pt.log1p(-pt.exp(low - high))).sum())

    def f_betabinom():
        m = pt.sigmoid(N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=2)) + effects("u", 40, 0, half("s", 1))[g])
        kappa = pm.Gamma("kappa", 2, 0.1)
        p, q = m * kappa, (1 - m) * kappa
        ln = pt.gammaln
        pm.Potential("y", (ln(d["y"] + p) + ln(d["n"] - d["y"] + q) - ln(d["n"] + kappa) - ln(p) - ln(q)).sum() + 800 * ln(kappa))

    def f_irt_persons():
        gamma, a = N("gamma", 0, 1, shape=2), pm.LogNormal("a", 0, 0.5, shape=20)
        b, theta, k = effects("b", 20, 0, half("sb", 2)), N("theta", pt.dot(d["W"], gamma), 1), d["item"] - 1
        eta = a[k] * (theta[d["person"] - 1] - b[k])
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    def f_level_t():
        m = N("m", 0, 5) + walk(400, half("s", 0.5))
        pm.StudentT("y", pm.Gamma("nu", 2, 0.1), m, sigma=half("sigma", 2), observed=d["y"])

    def f_broken_stick():
        a = effects("a", 60, N("ma", 0, 10), half("sa", 2))
        c = effects("c", 60, N("mc", 5, 2), half("sc", 1))
        k = effects("k", 60, N("mk", 0, 2), half("sk", 1))
        N("y", a[g] + N("b", 0, 2) * d["x"] + k[g] * pt.maximum(d["x"] - c[g], 0), half("sigma", 2), observed=d["y"])

    def f_mix3():
        w, s = pm.Dirichlet("w", 2 * np.ones(3)), half("s", 2, shape=3)
        m = N("m", 0, 5, shape=3, transform=ordered, initval=np.array([-1.0, 0, 1]))
        pm.NormalMixture("y", w=w, mu=m, sigma=s, observed=d["y"])

    def f_smooths():
        u, v = (effects(k, 18, 0, half("s" + k, 1)) for k in "uv")
        eta = N("a", 0, 2) + pt.dot(d["ZA"], u) + pt.dot(d["ZB"], v)
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    logit_slopes="L tau m u", growth_t="ma sa mb sb a b nu sigma", nb_offset="a b s u phi", choice4="a B s u", dirmult="a B kappa", walk_binomial="m s h", arx2="a b phi sigma",
    ordinal_hier="b s u c", betabinom="a b s u kappa", irt_persons="gamma a sb b theta", level_t="m s h nu sigma", broken_stick="ma sa mc sc mk sk a c k b sigma", mix3="w m s",
    smooths="a su u sv v").items()}
