"""Eleven problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py, of which none is of the same kind.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior, everything is vectorised, and what data alone determine is computed beforehand."""
import numpy as np

from unseen2 import groups, logistic


def costs(r):
    """2,000 costs in 50 groups, gamma with a log link."""
    g, x = groups(r, 2000, 50), r.normal(size=(2000, 3)).round(4)
    m = np.exp(2 + x @ np.array([0.4, -0.2, 0.1]) + 0.5 * r.normal(size=50)[g])
    return dict(y=(m * r.gamma(3, 1 / 3, 2000)).round(6) + 1e-6, X=x, g=g + 1)


def pupils(r):
    """3,000 pupils in 120 schools in 12 districts, a binary response."""
    school, district, x = groups(r, 3000, 120), groups(r, 120, 12), r.normal(size=(3000, 2)).round(4)
    v = 0.4 * r.normal(size=12)[district] + 0.6 * r.normal(size=120)
    return dict(y=r.binomial(1, logistic(0.2 + x @ np.array([0.5, -0.3]) + v[school])), X=x, school=school + 1, district=district + 1)


def studies(r):
    """40 studies with known standard errors and effects of Student's t."""
    se = r.uniform(0.1, 0.6, 40).round(3)
    return dict(y=(0.3 + 0.4 * r.standard_t(4, 40) + se * r.normal(size=40)).round(4), se=se)


def measured(r):
    """500 rows whose covariate is measured with an error of known size."""
    x = 1 + 1.2 * r.normal(size=500)
    return dict(y=(0.5 + 0.8 * x + 0.7 * r.normal(size=500)).round(4), w=(x + 0.5 * r.normal(size=500)).round(4))


def sites(r):
    """400 sites, occupied or not, with six visits each."""
    x, z = r.normal(size=(400, 2)).round(4), r.normal(size=(400, 6)).round(4)
    there = r.binomial(1, logistic(0.3 + x @ np.array([0.9, -0.5])))
    return dict(Y=there[:, None] * r.binomial(1, logistic(-0.4 + 0.6 * z)), X=x, Z=z)


def relapse(r):
    """1,500 lognormal times in 60 clinics, a third of them censored."""
    g, x = groups(r, 1500, 60), r.normal(size=(1500, 3)).round(4)
    t = np.exp(1 + x @ np.array([0.4, -0.3, 0]) + 0.5 * r.normal(size=60)[g] + 0.9 * r.normal(size=1500))
    end = r.uniform(1, 12, 1500)
    return dict(t=np.minimum(t, end).round(5) + 1e-5, event=(t <= end).astype(int), X=x, g=g + 1)


def probit_t(r):
    """2,000 binary rows, a probit regression on 20 covariates with priors of Student's t."""
    x = r.normal(size=(2000, 20)).round(4)
    b = np.r_[0.8, -0.6, 0.4, 0.3, np.zeros(16)]
    return dict(y=(0.2 + x @ b + r.normal(size=2000) > 0).astype(int), X=x)


def factor1(r):
    """300 persons, eight indicators of one factor."""
    f, load = r.normal(size=300), np.array([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
    return dict(Y=(r.normal(0, 1, 8) + f[:, None] * load + 0.6 * r.normal(size=(300, 8))).round(4))


def tennis(r):
    """1,500 games of 60 players, with an advantage at home."""
    skill, home = 0.9 * r.normal(size=60), groups(r, 1500, 60)
    away = (home + r.integers(1, 60, 1500)) % 60
    return dict(y=r.binomial(1, logistic(0.3 + skill[home] - skill[away])), home=home + 1, away=away + 1)


def dispersion(r):
    """2,000 counts whose mean and dispersion both depend on covariates."""
    x = r.normal(size=(2000, 3)).round(4)
    m, phi = np.exp(1.2 + x @ np.array([0.4, -0.3, 0.1])), np.exp(0.8 + x @ np.array([-0.4, 0, 0.3]))
    return dict(y=r.negative_binomial(phi, phi / (phi + m)), X=x)


def areas(r):
    """Counts of 144 areas on a lattice, whose neighbours are alike."""
    at = np.arange(144).reshape(12, 12)
    one, two = np.r_[at[:, :-1].ravel(), at[:-1].ravel()], np.r_[at[:, 1:].ravel(), at[1:].ravel()]
    q = np.zeros((144, 144))
    np.add.at(q, (one, one), 1), np.add.at(q, (two, two), 1), np.add.at(q, (one, two), -1), np.add.at(q, (two, one), -1)
    value, vector = np.linalg.eigh(q)
    u = vector[:, 1:] @ (r.normal(size=143) / np.sqrt(value[1:]))
    e = r.uniform(5, 40, 144).round(2)
    return dict(y=r.poisson(e * np.exp(0.1 + 0.6 * u)), e=e, node1=one + 1, node2=two + 1)


PROBLEMS = dict(costs=costs, pupils=pupils, studies=studies, measured=measured, sites=sites, relapse=relapse, probit_t=probit_t, factor1=factor1, tennis=tennis, dispersion=dispersion, areas=areas)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.stats import norm
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half = D.Normal, D.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n]).to_event())
    effects = lambda name, n, m, s: det(name, m + s * many("z_" + name, n, N(0, 1)))

    def f_costs():
        eta = sample("a", N(0, 5)) + d["X"] @ many("b", 3, N(0, 1)) + many("u", 50, N(0, sample("s", half(1))))[g]
        k = sample("shape", D.Gamma(2, 0.1))
        sample("y", D.Gamma(k, k * jnp.exp(-eta)), obs=d["y"])

    def f_pupils():
        u = effects("u", 12, 0, sample("su", half(1)))
        v = sample("v", N(u[d["district"] - 1], sample("sv", half(1))).to_event())
        sample("y", D.Bernoulli(logits=sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 1)) + v[d["school"] - 1]), obs=d["y"])

    def f_studies():
        mu, tau, nu = sample("mu", N(0, 2)), sample("tau", half(1)), sample("nu", D.Gamma(2, 0.1))
        theta = det("theta", mu + tau * many("z", 40, D.StudentT(nu, 0, 1)))
        sample("y", N(theta, d["se"]), obs=d["y"])

    def f_measured():
        x = many("x", 500, N(sample("mx", N(0, 5)), sample("sx", half(2))))
        sample("w", N(x, 0.5), obs=d["w"])
        sample("y", N(sample("a", N(0, 5)) + sample("b", N(0, 2)) * x, sample("sigma", half(2))), obs=d["y"])

    def f_sites():
        psi = sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 1))
        eta = sample("c", N(0, 2)) + sample("h", N(0, 1)) * d["Z"]
        there = jax.nn.log_sigmoid(psi) + (d["Y"] * eta - jax.nn.softplus(eta)).sum(1)
        never = raw["Y"].sum(1) == 0
        factor("y", there[~never].sum() + jnp.logaddexp(there[never], jax.nn.log_sigmoid(-psi[never])).sum())

    def f_relapse():
        eta = sample("a", N(0, 5)) + d["X"] @ many("b", 3, N(0, 1)) + many("u", 60, N(0, sample("s", half(1))))[g]
        sigma, e = sample("sigma", half(2)), raw["event"] == 1
        z = (jnp.log(d["t"]) - eta) / sigma
        factor("y", (-0.5 * z[e] ** 2 - jnp.log(sigma)).sum() + jax.scipy.special.log_ndtr(-z[~e]).sum())

    def f_probit_t():
        eta = sample("a", N(0, 2)) + d["X"] @ many("b", 20, D.StudentT(4, 0, 1))
        factor("y", jax.scipy.special.log_ndtr((2 * d["y"] - 1) * eta).sum())

    def f_factor1():
        m, load, s, f = many("m", 8, N(0, 2)), many("load", 8, half(1)), many("s", 8, half(1)), many("f", 300, N(0, 1))
        factor("y", norm.logpdf(d["Y"], m + f[:, None] * load, s).sum())

    def f_tennis():
        skill = many("skill", 60, N(0, sample("s", half(1))))
        sample("y", D.Bernoulli(logits=sample("a", N(0, 1)) + skill[d["home"] - 1] - skill[d["away"] - 1]), obs=d["y"])

    def f_dispersion():
        eta, c = sample("a", N(0, 2)) + d["X"] @ many("b", 3, N(0, 1)), sample("c", N(0, 1)) + d["X"] @ many("h", 3, N(0, 1))
        sample("y", D.NegativeBinomialLogits(jnp.exp(c), eta - c), obs=d["y"])

    def f_areas():
        u = sample("u", D.ZeroSumNormal(1.0, (144,)))
        factor("icar", -0.5 * ((u[d["node1"] - 1] - u[d["node2"] - 1]) ** 2).sum() + 0.5 * (u ** 2).sum())
        sample("y", D.Poisson(d["e"] * jnp.exp(sample("a", N(0, 2)) + sample("tau", half(1)) * u)), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    effects = lambda name, n, s: pm.Deterministic(name, s * N("z_" + name, 0, 1, shape=n))

    def f_costs():
        eta = N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 1, shape=3)) + N("u", 0, half("s", 1), shape=50)[g]
        k = pm.Gamma("shape", 2, 0.1)
        pm.Gamma("y", k, k * pt.exp(-eta), observed=d["y"])

    def f_pupils():
        u = effects("u", 12, half("su", 1))
        v = N("v", u[d["district"] - 1], half("sv", 1), shape=120)
        eta = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=2)) + v[d["school"] - 1]
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    def f_studies():
        mu, tau, nu = N("mu", 0, 2), half("tau", 1), pm.Gamma("nu", 2, 0.1)
        N("y", pm.Deterministic("theta", mu + tau * pm.StudentT("z", nu, 0, sigma=1, shape=40)), d["se"], observed=d["y"])

    def f_measured():
        x = N("x", N("mx", 0, 5), half("sx", 2), shape=500)
        N("w", x, 0.5, observed=d["w"])
        N("y", N("a", 0, 5) + N("b", 0, 2) * x, half("sigma", 2), observed=d["y"])

    def f_sites():
        psi = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=2))
        eta = N("c", 0, 2) + N("h", 0, 1) * d["Z"]
        there = -pt.softplus(-psi) + (d["Y"] * eta - pt.softplus(eta)).sum(1)
        never, ever = np.flatnonzero(d["Y"].sum(1) == 0), np.flatnonzero(d["Y"].sum(1) > 0)
        pm.Potential("y", there[ever].sum() + pt.logaddexp(there[never], -pt.softplus(psi[never])).sum())

    def f_relapse():
        eta = N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 1, shape=3)) + N("u", 0, half("s", 1), shape=60)[g]
        sigma, e, c = half("sigma", 2), np.flatnonzero(d["event"] == 1), np.flatnonzero(d["event"] == 0)
        z = (np.log(d["t"]) - eta) / sigma
        pm.Potential("y", (-0.5 * z[e] ** 2 - pt.log(sigma)).sum() + pm.logcdf(N.dist(0, 1), -z[c]).sum())

    def f_probit_t():
        eta = N("a", 0, 2) + pt.dot(d["X"], pm.StudentT("b", 4, 0, sigma=1, shape=20))
        pm.Potential("y", pm.logcdf(N.dist(0, 1), (2 * d["y"] - 1) * eta).sum())

    def f_factor1():
        m, load, s, f = N("m", 0, 2, shape=8), half("load", 1, shape=8), half("s", 1, shape=8), N("f", 0, 1, shape=300)
        N("y", m + f[:, None] * load, s, observed=d["Y"])

    def f_tennis():
        skill = N("skill", 0, half("s", 1), shape=60)
        eta = N("a", 0, 1) + skill[d["home"] - 1] - skill[d["away"] - 1]
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    def f_dispersion():
        eta, c = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=3)), N("c", 0, 1) + pt.dot(d["X"], N("h", 0, 1, shape=3))
        pm.NegativeBinomial("y", mu=pt.exp(eta), alpha=pt.exp(c), observed=d["y"])

    def f_areas():
        u = pm.ZeroSumNormal("u", sigma=1, shape=144)
        pm.Potential("icar", -0.5 * ((u[d["node1"] - 1] - u[d["node2"] - 1]) ** 2).sum() + 0.5 * (u ** 2).sum())
        eta = np.log(d["e"]) + N("a", 0, 2) + half("tau", 1) * u
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    costs="shape a b s u", pupils="su sv a b u v", studies="mu tau nu theta", measured="mx sx x a b sigma", sites="a b c h", relapse="a b s u sigma", probit_t="a b", factor1="m load s f",
    tennis="s skill a", dispersion="a b c h", areas="a tau u").items()}
