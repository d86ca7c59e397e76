"""138 problems that were written down before anything of them was measured, for NumPyro and nutpie, each with a diagonal and with its other metric: fourteen here, the others in unseen2.py to unseen15.py.

    unseen.py simulate DIR                     writes the data (vflc.py reads them there)
    unseen.py PEER PROBLEM DIR [--seed S]      prints one JSON line, as more.py does
    unseen.py collect LINES OUT.json           what was printed, a line each, as configured.py and held.py read it

No setting or rule of vflc may be chosen on them. The programs of the peers are those of somebody who knows them: group effects are centred where a group's rows say more than the
prior (CENTRED) and non-centred elsewhere, everything is vectorised, rows that have a formula of their own are gathered beforehand. vflc's models, in the folder unseen, are what a
user writes."""
import importlib, json, os, sys

import numpy as np

import more

# The other sets, by the seed of their first problem's data.
SETS = {seed: importlib.import_module(f"unseen{k}") for k, seed in enumerate(
    (4900, 6100, 7300, 8500, 9700, 10900, 12100, 13300, 14500, 15000, 15800, 16600, 17400, 18200), start=2)}

logistic = lambda x: 1 / (1 + np.exp(-x))
CENTRED = set("tobit binomial_crossed beta_hier zip_effects location_scale emax".split())


def groups(r, n, m):
    """The group of each of n rows, every one of m met."""
    return np.r_[np.arange(m), r.integers(0, m, n - m)]


def tobit(r):
    """2,000 rows in 50 groups, left-censored at 0."""
    g, x = groups(r, 2000, 50), r.normal(size=(2000, 3)).round(4)
    y = 0.6 + x @ np.array([0.8, -0.5, 0.2]) + 0.8 * r.normal(size=50)[g] + 1.2 * r.normal(size=2000)
    return dict(y=np.maximum(y, 0).round(5), X=x, g=g + 1)


def mixreg(r):
    """2,000 rows of three lines."""
    x, k = r.normal(size=2000).round(5), r.choice(3, 2000, p=[0.3, 0.45, 0.25])
    m = np.array([-3.0, 0.0, 3.5])[k] + np.array([1.0, -0.6, 0.3])[k] * x
    return dict(y=(m + np.array([0.7, 1.0, 0.5])[k] * r.normal(size=2000)).round(5), x=x)


def garch_t(r):
    """1,500 days, GARCH(1, 1) with errors of Student's t."""
    y, v = [], 1.0
    for _ in range(1500):
        y.append(0.05 + np.sqrt(v) * r.standard_t(5) * np.sqrt(3 / 5))
        v = 0.05 + 0.08 * (y[-1] - 0.05) ** 2 + 0.87 * v
    return dict(y=np.array(y).round(5))


def poisson_ar(r):
    """500 counts whose log rates are an autoregression."""
    h = [0.3 * r.normal() / np.sqrt(1 - 0.9 ** 2)]
    for _ in range(499):
        h.append(0.9 * h[-1] + 0.3 * r.normal())
    return dict(y=r.poisson(np.exp(1.2 + np.array(h))))


def graded(r):
    """400 persons, 12 questions of five grades."""
    theta, a, j, k = r.normal(size=400), np.exp(0.1 + 0.35 * r.normal(size=12)), np.repeat(np.arange(400), 12), np.tile(np.arange(12), 400)
    c = np.sort(r.normal(0, 0.3, (12, 4)) + np.array([-2.0, -0.7, 0.6, 1.9]), 1)
    latent = a[k] * theta[j] + r.logistic(size=4800)
    return dict(y=1 + (latent[:, None] > c[k]).sum(1), person=j + 1, item=k + 1)


def binomial_crossed(r):
    """1,200 cells of 60 sites and 40 observers."""
    i, j, x = groups(r, 1200, 60), r.permutation(groups(r, 1200, 40)), r.normal(size=1200).round(4)
    n = r.integers(1, 11, 1200)
    return dict(y=r.binomial(n, logistic(-0.4 + 0.6 * x + 0.7 * r.normal(size=60)[i] + 0.5 * r.normal(size=40)[j])), n=n, x=x, site=i + 1, observer=j + 1)


def nb_slopes(r):
    """1,500 counts, correlated intercepts and slopes of 60 groups."""
    g, x = groups(r, 1500, 60), r.normal(size=1500).round(4)
    u = r.multivariate_normal([0, 0], [[0.25, -0.06], [-0.06, 0.09]], 60)
    m = np.exp(0.9 + u[g, 0] + (0.4 + u[g, 1]) * x)
    return dict(y=r.negative_binomial(2, 2 / (2 + m)), x=x, g=g + 1)


def weibull_frailty(r):
    """600 times in 100 families, half of them censored."""
    g, x = groups(r, 600, 100), r.normal(size=(600, 2)).round(4)
    t = np.exp(-(-1.0 + x @ np.array([0.6, -0.4]) + 0.7 * r.normal(size=100)[g]) / 1.5) * r.weibull(1.5, 600)
    c = np.quantile(t, 0.5) * r.uniform(0.2, 2.2, 600)
    return dict(t=np.minimum(t, c).round(5), event=(t < c).astype(int), X=x, g=g + 1)


def gp_poisson(r):
    """150 counts along a line."""
    x = np.sort(r.uniform(-3, 3, 150)).round(4)
    f = np.linalg.cholesky(0.64 * np.exp(-0.5 * ((x[:, None] - x) / 0.7) ** 2) + 1e-8 * np.eye(150)) @ r.normal(size=150)
    return dict(y=r.poisson(np.exp(1 + f)), x=x)


def zip_effects(r):
    """2,000 counts with extra zeros in 40 groups."""
    g, x, z = groups(r, 2000, 40), r.normal(size=2000).round(4), r.normal(size=2000).round(4)
    y = r.poisson(np.exp(0.8 + 0.5 * x + 0.5 * r.normal(size=40)[g]))
    return dict(y=y * (r.random(2000) > logistic(-1 + 0.7 * z)), x=x, z=z, g=g + 1)


def shrink_t(r):
    """150 rows, 100 coefficients, eight of them large."""
    x = r.normal(size=(150, 100)).round(4)
    return dict(y=(0.5 + x @ np.r_[np.linspace(-2, 2, 8), 0.05 * r.normal(size=92)] + r.normal(size=150)).round(5), X=x)


def beta_hier(r):
    """1,000 shares in 50 groups."""
    g, x = groups(r, 1000, 50), r.normal(size=(1000, 2)).round(4)
    m = logistic(-0.5 + x @ np.array([0.4, -0.3]) + 0.5 * r.normal(size=50)[g])
    return dict(y=r.beta(12 * m, 12 * (1 - m)).clip(1e-5, 1 - 1e-5).round(6), X=x, g=g + 1)


def location_scale(r):
    """1,500 rows in 50 groups, each with a mean and a scale."""
    g, x = groups(r, 1500, 50), r.normal(size=1500).round(4)
    s = np.exp(-0.2 + 0.3 * x + 0.3 * r.normal(size=50)[g])
    return dict(y=(1 + 0.5 * x + r.normal(size=50)[g] + s * r.normal(size=1500)).round(5), x=x, g=g + 1)


def emax(r):
    """300 responses of 30 subjects to ten doses."""
    g, dose = np.repeat(np.arange(30), 10), np.tile(np.array([0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128.0]), 30)
    top, half = np.exp(2.3 + 0.3 * r.normal(size=30)), np.exp(1.8 + 0.4 * r.normal(size=30))
    return dict(y=(2 + top[g] * dose / (half[g] + dose) + 0.5 * r.normal(size=300)).round(5), dose=dose, g=g + 1)


PROBLEMS = dict(tobit=tobit, mixreg=mixreg, garch_t=garch_t, poisson_ar=poisson_ar, graded=graded, binomial_crossed=binomial_crossed, nb_slopes=nb_slopes, weibull_frailty=weibull_frailty,
                gp_poisson=gp_poisson, zip_effects=zip_effects, shrink_t=shrink_t, beta_hier=beta_hier, location_scale=location_scale, emax=emax)


def simulate(folder):
    os.makedirs(folder, exist_ok=True)
    for first, problems in {3700: PROBLEMS, **{seed: s.PROBLEMS for seed, s in SETS.items()}}.items():
        for i, (problem, f) in enumerate(problems.items()):
            with open(f"{folder}/{problem}.json", "w") as out:
                json.dump({k: np.asarray(v).tolist() for k, v in f(np.random.default_rng(first + i)).items()}, out)


def data(problem, folder):
    with open(f"{folder}/{problem}.json") as f:
        return {k: np.asarray(v) for k, v in json.load(f).items()}


def numpyro_model(problem, d):
    for others in SETS.values():
        if problem in others.PROBLEMS:
            return others.numpyro_model(problem, d)
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import gammaln, log_ndtr
    from jax.scipy.stats import norm
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    C, N, half = D.constraints, D.Normal, D.HalfNormal
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else list(n)).to_event())

    def effects(name, n, s):
        return many(name, n, N(0, s)) if problem in CENTRED else det(name, s * many("z_" + name, n, N(0, 1)))

    def f_tobit():
        s, sigma = sample("s", half(1)), sample("sigma", half(2))
        m = sample("a", N(0, 5)) + d["X"] @ many("b", 3, N(0, 2)) + effects("u", 50, s)[d["g"] - 1]
        seen, cut = np.flatnonzero(raw["y"] > 0), np.flatnonzero(raw["y"] <= 0)
        sample("y", N(m[seen], sigma), obs=d["y"][seen])
        factor("cut", log_ndtr(-m[cut] / sigma).sum())

    def f_mixreg():
        w = sample("w", D.Dirichlet(2 * jnp.ones(3)))
        a = sample("a", D.ImproperUniform(C.ordered_vector, (), (3,)))
        factor("prior", norm.logpdf(a, 0, 5).sum())
        b, s = many("b", 3, N(0, 2)), many("s", 3, half(2))
        sample("y", D.MixtureSameFamily(D.Categorical(w), N(a + b * d["x"][:, None], s)), obs=d["y"])

    def f_garch_t():
        mu, omega, nu = sample("mu", N(0, 1)), sample("omega", half(0.5)), sample("nu", D.Gamma(2, 0.1))
        w = sample("w", D.Dirichlet(jnp.array([2.0, 8.0, 1.0])))
        step = lambda v, e: (omega + w[0] * e + w[1] * v, v)
        _, v = jax.lax.scan(step, jnp.var(d["y"]), (d["y"] - mu) ** 2)
        sample("y", D.StudentT(nu, mu, jnp.sqrt(v)), obs=d["y"])

    def f_poisson_ar():
        mu, phi, sigma, e = sample("mu", N(0, 2)), sample("phi", D.Uniform(-1, 1)), sample("sigma", half(1)), many("e", 500, N(0, 1))
        step = lambda h, e: (phi * h + e,) * 2
        _, h = jax.lax.scan(step, 0.0, (sigma * e).at[0].divide(jnp.sqrt(1 - phi ** 2)))
        h = mu + h
        factor("y", (d["y"] * h - jnp.exp(h)).sum())

    def f_graded():
        theta, a = many("theta", 400, N(0, 1)), many("a", 12, D.LogNormal(0, 0.5))
        c = sample("c", D.ImproperUniform(C.ordered_vector, (12,), (4,)))
        factor("prior", norm.logpdf(c, 0, 3).sum())
        ends = jnp.pad(c, ((0, 0), (1, 1)), constant_values=((0, 0), (-50, 50)))
        item = d["item"] - 1
        eta, low, high = a[item] * theta[d["person"] - 1], ends[item, d["y"] - 1], ends[item, d["y"]]
        factor("y", (jax.nn.log_sigmoid(eta - low) + jax.nn.log_sigmoid(high - eta) + jnp.log1p(-jnp.exp(low - high))).sum())

    def f_binomial_crossed():
        s = [sample(k, half(1)) for k in ("su", "sv")]
        eta = sample("a", N(0, 2)) + sample("b", N(0, 2)) * d["x"] + effects("u", 60, s[0])[d["site"] - 1] + effects("v", 40, s[1])[d["observer"] - 1]
        factor("y", (d["y"] * eta - d["n"] * jax.nn.softplus(eta)).sum())

    def f_nb_slopes():
        chol, tau = sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(1))
        u = det("u", many("z", (60, 2), N(0, 1)) @ (tau[:, None] * chol).T)[d["g"] - 1]
        eta, phi = sample("a", N(0, 2)) + u[:, 0] + (sample("b", N(0, 2)) + u[:, 1]) * d["x"], sample("phi", D.Gamma(2, 0.1))
        sample("y", D.NegativeBinomialLogits(phi, eta - jnp.log(phi)), obs=d["y"])

    def f_weibull_frailty():
        alpha, s = sample("alpha", D.Gamma(2, 1)), sample("s", half(1))
        eta = sample("a", N(0, 3)) + d["X"] @ many("b", 2, N(0, 2)) + effects("u", 100, s)[d["g"] - 1]
        log = jnp.log(d["t"])
        factor("t", (d["event"] * (jnp.log(alpha) + (alpha - 1) * log + eta) - jnp.exp(alpha * log + eta)).sum())

    def f_gp_poisson():
        rho, alpha = sample("rho", D.InverseGamma(5, 5)), sample("alpha", half(1))
        k = alpha ** 2 * jnp.exp(-0.5 * ((d["x"][:, None] - d["x"]) / rho) ** 2) + 1e-6 * jnp.eye(150)
        eta = sample("m", N(0, 2)) + jnp.linalg.cholesky(k) @ many("z", 150, N(0, 1))
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    def f_zip_effects():
        eta = sample("a", N(0, 2)) + sample("b", N(0, 2)) * d["x"] + effects("u", 40, sample("s", half(1)))[d["g"] - 1]
        zero = sample("c", N(0, 2)) + sample("h", N(0, 2)) * d["z"]
        none, some = np.flatnonzero(raw["y"] == 0), np.flatnonzero(raw["y"] > 0)
        inflated, not_ = jax.nn.log_sigmoid(zero[none]), jax.nn.log_sigmoid(-zero)
        factor("none", jnp.logaddexp(inflated, not_[none] - jnp.exp(eta[none])).sum())
        factor("some", (not_[some] + d["y"][some] * eta[some] - jnp.exp(eta[some])).sum())

    def f_shrink_t():
        tau = sample("tau", half(1))
        beta = det("beta", tau * many("z", 100, D.StudentT(3, 0, 1)))
        sample("y", N(sample("a", N(0, 5)) + d["X"] @ beta, sample("sigma", half(2))), obs=d["y"])

    def f_beta_hier():
        eta = sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 2)) + effects("u", 50, sample("s", half(1)))[d["g"] - 1]
        m, kappa = jax.nn.sigmoid(eta), sample("kappa", D.Gamma(2, 0.1))
        p, q = m * kappa, (1 - m) * kappa
        factor("y", (p * jnp.log(d["y"]) + q * jnp.log1p(-d["y"]) - gammaln(p) - gammaln(q)).sum() + 1000 * gammaln(kappa))

    def f_location_scale():
        g = d["g"] - 1
        m = sample("a", N(0, 5)) + sample("b", N(0, 2)) * d["x"] + effects("u", 50, sample("su", half(1)))[g]
        sample("y", N(m, jnp.exp(sample("c", N(0, 2)) + sample("h", N(0, 2)) * d["x"] + effects("v", 50, sample("sv", half(1)))[g])), obs=d["y"])

    def f_emax():
        g, e0, sigma = d["g"] - 1, sample("e0", N(0, 5)), sample("sigma", half(2))
        top = many("top", 30, N(sample("mt", N(1, 2)), sample("st", half(1))))
        half_ = many("half", 30, N(sample("mh", N(1, 2)), sample("sh", half(1))))
        sample("y", N(e0 + jnp.exp(top)[g] * d["dose"] / (jnp.exp(half_)[g] + d["dose"]), sigma), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    for others in SETS.values():
        if problem in others.PROBLEMS:
            return others.pymc_model(problem, d)
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    ordered = pm.distributions.transforms.ordered

    def effects(name, n, s):
        return N(name, 0, s, shape=n) if problem in CENTRED else pm.Deterministic(name, s * N("z_" + name, 0, 1, shape=n))

    def f_tobit():
        s, sigma = half("s", 1), half("sigma", 2)
        m = N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 2, shape=3)) + effects("u", 50, s)[d["g"] - 1]
        seen, cut = np.flatnonzero(d["y"] > 0), np.flatnonzero(d["y"] <= 0)
        N("y", m[seen], sigma, observed=d["y"][seen])
        pm.Potential("cut", pm.logcdf(N.dist(m[cut], sigma), np.zeros(len(cut))).sum())

    def f_mixreg():
        a = N("a", 0, 5, shape=3, transform=ordered, initval=np.array([-1.0, 0, 1]))
        w, b, s = pm.Dirichlet("w", 2 * np.ones(3)), N("b", 0, 2, shape=3), half("s", 2, shape=3)
        pm.NormalMixture("y", w=w, mu=a + b * d["x"][:, None], sigma=s, observed=d["y"])

    def f_poisson_ar():
        mu, phi, sigma, n = N("mu", 0, 2), pm.Uniform("phi", -1, 1), half("sigma", 1), len(d["y"])
        h = pm.Flat("h", shape=n, initval=np.full(n, np.log(d["y"].mean() + 1)))
        e = pm.Deterministic("e", pt.concatenate([(h[:1] - mu) * pt.sqrt(1 - phi ** 2), h[1:] - mu - phi * (h[:-1] - mu)]) / sigma)
        pm.Potential("h_prior", -0.5 * (e ** 2).sum() - n * pt.log(sigma) + 0.5 * pt.log(1 - phi ** 2))
        pm.Potential("y", (d["y"] * h - pt.exp(h)).sum())

    def f_graded():
        theta, a = N("theta", 0, 1, shape=400), pm.LogNormal("a", 0, 0.5, shape=12)
        c = N("c", 0, 3, shape=(12, 4), transform=ordered, initval=np.tile([-1.5, -0.5, 0.5, 1.5], (12, 1)))
        side = np.full((12, 1), 50.0)
        ends, item = pt.concatenate([-side, c, side], 1), d["item"] - 1
        eta, low, high = a[item] * theta[d["person"] - 1], ends[item, d["y"] - 1], ends[item, d["y"]]
        pm.Potential("y", (-pt.softplus(low - eta) - pt.softplus(eta - high) + pt.log1p(-pt.exp(low - high))).sum())

    def f_binomial_crossed():
        su, sv = half("su", 1), half("sv", 1)
        eta = N("a", 0, 2) + N("b", 0, 2) * d["x"] + effects("u", 60, su)[d["site"] - 1] + effects("v", 40, sv)[d["observer"] - 1]
        pm.Potential("y", (d["y"] * eta - d["n"] * pt.softplus(eta)).sum())

    def f_nb_slopes():
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(1, shape=2))
        pm.Deterministic("tau", tau), pm.Deterministic("L", chol / tau[:, None])
        u = pm.Deterministic("u", pt.dot(N("z", 0, 1, shape=(60, 2)), chol.T))[d["g"] - 1]
        eta = N("a", 0, 2) + u[:, 0] + (N("b", 0, 2) + u[:, 1]) * d["x"]
        pm.NegativeBinomial("y", mu=pt.exp(eta), alpha=pm.Gamma("phi", 2, 0.1), observed=d["y"])

    def f_weibull_frailty():
        alpha, s = pm.Gamma("alpha", 2, 1), half("s", 1)
        eta = N("a", 0, 3) + pt.dot(d["X"], N("b", 0, 2, shape=2)) + effects("u", 100, s)[d["g"] - 1]
        log = np.log(d["t"])
        pm.Potential("t", (d["event"] * (pt.log(alpha) + (alpha - 1) * log + eta) - pt.exp(alpha * log + eta)).sum())

    def f_gp_poisson():
        rho, alpha = pm.InverseGamma("rho", 5, 5), half("alpha", 1)
        k = alpha ** 2 * pt.exp(-0.5 * ((d["x"][:, None] - d["x"]) / rho) ** 2) + 1e-6 * pt.eye(150)
        eta = N("m", 0, 2) + pt.dot(pt.linalg.cholesky(k), N("z", 0, 1, shape=150))
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    def f_zip_effects():
        eta = N("a", 0, 2) + N("b", 0, 2) * d["x"] + effects("u", 40, half("s", 1))[d["g"] - 1]
        zero = N("c", 0, 2) + N("h", 0, 2) * d["z"]
        none, some = np.flatnonzero(d["y"] == 0), np.flatnonzero(d["y"] > 0)
        pm.Potential("none", pt.logaddexp(-pt.softplus(-zero[none]), -pt.softplus(zero[none]) - pt.exp(eta[none])).sum())
        pm.Potential("some", (-pt.softplus(zero[some]) + d["y"][some] * eta[some] - pt.exp(eta[some])).sum())

    def f_shrink_t():
        beta = pm.Deterministic("beta", half("tau", 1) * pm.StudentT("z", 3, 0, sigma=1, shape=100))
        N("y", N("a", 0, 5) + pt.dot(d["X"], beta), half("sigma", 2), observed=d["y"])

    def f_beta_hier():
        eta = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 2, shape=2)) + effects("u", 50, half("s", 1))[d["g"] - 1]
        m, kappa = pt.sigmoid(eta), pm.Gamma("kappa", 2, 0.1)
        p, q = m * kappa, (1 - m) * kappa
        pm.Potential("y", (p * np.log(d["y"]) + q * np.log1p(-d["y"]) - pt.gammaln(p) - pt.gammaln(q)).sum() + 1000 * pt.gammaln(kappa))

    def f_location_scale():
        g = d["g"] - 1
        m = N("a", 0, 5) + N("b", 0, 2) * d["x"] + effects("u", 50, half("su", 1))[g]
        N("y", m, pt.exp(N("c", 0, 2) + N("h", 0, 2) * d["x"] + effects("v", 50, half("sv", 1))[g]), observed=d["y"])

    def f_emax():
        g, e0, sigma = d["g"] - 1, N("e0", 0, 5), half("sigma", 2)
        top, middle = N("top", N("mt", 1, 2), half("st", 1), shape=30), N("half", N("mh", 1, 2), half("sh", 1), shape=30)
        N("y", e0 + pt.exp(top)[g] * d["dose"] / (pt.exp(middle)[g] + d["dose"]), sigma, observed=d["y"])

    f = locals().get("f_" + problem)
    if f is None:
        sys.exit(f"{problem}: a loop over days, which was not written for PyMC")
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    tobit="s sigma a b u", mixreg="w a b s", garch_t="mu omega nu w", poisson_ar="mu phi sigma e", graded="theta a c", binomial_crossed="su sv a b u v", nb_slopes="L tau a b phi u",
    weibull_frailty="alpha s a b u", gp_poisson="rho alpha m z", zip_effects="a b s c h u", shrink_t="tau beta a sigma", beta_hier="a b s kappa u", location_scale="a b c h su sv u v",
    emax="e0 sigma mt st mh sh top half").items()}


def collect(lines, out):
    with open(lines) as f, open(out, "w") as g:
        json.dump(dict(runs=[json.loads(x) for x in f]), g)


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(*sys.argv[2:])
    else:
        for s in SETS.values():
            KEEP |= s.KEEP
        more.main(simulate, data, numpyro_model, pymc_model, KEEP)
