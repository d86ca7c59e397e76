"""Ten problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py and unseen3.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior, everything is vectorised, and what data alone determine is computed beforehand."""
import numpy as np

from unseen2 import groups, logistic


def firms(r):
    """1,200 outputs of 40 firms in 30 years, an effect of each of both."""
    i, t, x = np.repeat(np.arange(40), 30), np.tile(np.arange(30), 40), r.normal(size=(1200, 4)).round(4)
    y = 3 + x @ np.array([0.5, 0.3, -0.2, 0]) + 0.6 * r.normal(size=40)[i] + 0.3 * r.normal(size=30)[t] + 0.5 * r.normal(size=1200)
    return dict(y=y.round(4), X=x, firm=i + 1, year=t + 1)


def claims(r):
    """2,000 policies that claim or do not, and amounts of a gamma distribution where they do."""
    x = r.normal(size=(2000, 4)).round(4)
    claim, m = r.random(2000) < logistic(-0.8 + x @ np.array([0.5, -0.4, 0, 0.2])), np.exp(1 + x @ np.array([0.2, 0.3, -0.1, 0]))
    return dict(y=np.where(claim, (m * r.gamma(2, 0.5, 2000)).round(5) + 1e-5, 0), X=x)


def seemingly(r):
    """400 rows of three responses with correlated errors and two covariates."""
    x, c = r.normal(size=(400, 2)).round(4), np.array([[1, 0.5, -0.2], [0.5, 0.8, 0.1], [-0.2, 0.1, 0.6]])
    return dict(Y=(np.array([1.0, 0, -1]) + x @ np.array([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6]]) + r.multivariate_normal(np.zeros(3), c, 400)).round(4), X=x)


def assay(r):
    """240 readings of 12 plates along logistic curves whose middles differ."""
    g, x = np.repeat(np.arange(12), 20), np.tile(np.linspace(-3, 3, 20).round(4), 12)
    return dict(y=(0.3 + 2.5 * logistic(1.6 * (x - 0.4 - 0.5 * r.normal(size=12)[g])) + 0.12 * r.normal(size=240)).round(4), x=x, g=g + 1)


def reaction(r):
    """1,200 reaction times of 40 subjects, normal plus exponential."""
    g, x = np.repeat(np.arange(40), 30), r.integers(0, 2, 1200)
    return dict(y=(0.6 + 0.1 * r.normal(size=40)[g] + 0.08 * x + 0.06 * r.normal(size=1200) + r.exponential(0.15, 1200)).round(4), x=x, g=g + 1)


def doses(r):
    """240 concentrations of 30 subjects after a dose that is absorbed and cleared."""
    g, t = np.repeat(np.arange(30), 8), np.tile([0.25, 0.5, 1, 2, 4, 8, 12, 24], 30)
    ka, ke, v = 1.4, np.exp(-2 + 0.3 * r.normal(size=30))[g], np.exp(1.5 + 0.2 * r.normal(size=30))[g]
    c = 100 * ka / (v * (ka - ke)) * (np.exp(-ke * t) - np.exp(-ka * t))
    return dict(c=(c * np.exp(0.15 * r.normal(size=240))).round(5), t=t, g=g + 1)


def lasso(r):
    """400 binary rows, 60 coefficients of a Laplace distribution whose scale is a parameter."""
    x = r.normal(size=(400, 60)).round(4)
    return dict(y=r.binomial(1, logistic(0.3 + x @ np.r_[1.2, -1, 0.8, -0.6, 0.5, np.zeros(55)])), X=x)


def arma(r):
    """600 points of an ARMA(1, 1)."""
    e, u = r.normal(size=601), [0.0]
    for t in range(600):
        u.append(0.8 * u[-1] + e[t + 1] + 0.4 * e[t])
    return dict(y=(2 + np.array(u[1:])).round(4))


def mortality(r):
    """Deaths in 20 ages and 40 regions, with exposures."""
    i, j, e = np.repeat(np.arange(20), 40), np.tile(np.arange(40), 20), r.gamma(5, 40, 800).round(1) + 1
    return dict(y=r.poisson(e * np.exp(-3 + 0.8 * r.normal(size=20)[i] + 0.3 * r.normal(size=40)[j])), e=e, age=i + 1, region=j + 1)


def mono(r):
    """1,500 binary rows, a covariate of six ordered levels whose effect is monotone."""
    k, x = r.integers(0, 6, 1500), r.normal(size=(1500, 2)).round(4)
    z = (k[:, None] > np.arange(5)).astype(int)
    return dict(y=r.binomial(1, logistic(-1 + 2 * z @ np.array([0.4, 0.05, 0.3, 0.05, 0.2]) + x @ np.array([0.5, -0.3]))), Z=z, X=x)


PROBLEMS = dict(firms=firms, claims=claims, seemingly=seemingly, assay=assay, reaction=reaction, doses=doses, lasso=lasso, arma=arma, mortality=mortality, mono=mono)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half = D.Normal, D.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def f_firms():
        u, v = many("u", 40, N(0, sample("su", half(1)))), many("v", 30, N(0, sample("sv", half(1))))
        m = sample("a", N(0, 5)) + d["X"] @ many("b", 4, N(0, 1)) + u[d["firm"] - 1] + v[d["year"] - 1]
        sample("y", N(m, sample("sigma", half(2))), obs=d["y"])

    def f_claims():
        some = raw["y"] > 0
        occurs = sample("c", N(0, 2)) + d["X"] @ many("h", 4, N(0, 1))
        m, k = (sample("a", N(0, 5)) + d["X"] @ many("b", 4, N(0, 1)))[some], sample("shape", D.Gamma(2, 0.1))
        factor("claim", jax.nn.log_sigmoid(jnp.where(some, occurs, -occurs)).sum())
        sample("y", D.Gamma(k, k * jnp.exp(-m)), obs=d["y"][some])

    def f_seemingly():
        L, tau = sample("L", D.LKJCholesky(3, 2.0)), many("tau", 3, half(2))
        m = many("a", 3, N(0, 5)) + d["X"] @ many("B", (2, 3), N(0, 1))
        sample("y", D.MultivariateNormal(m, scale_tril=tau[:, None] * L), obs=d["Y"])

    def f_assay():
        low, top, slope = sample("low", N(0, 1)), sample("top", half(5)), sample("slope", half(2))
        middle = many("middle", 12, N(sample("m", N(0, 2)), sample("s", half(1))))
        sample("y", N(low + top * jax.nn.sigmoid(slope * (d["x"] - middle[g])), sample("sigma", half(1))), obs=d["y"])

    def f_reaction():
        m = many("mu", 40, N(sample("m", N(0, 2)), sample("s", half(1))))[g] + sample("b", N(0, 1)) * d["x"]
        sigma, rate = sample("sigma", half(1)), sample("rate", D.Gamma(2, 0.1))
        factor("y", (jnp.log(rate) + rate * (m - d["y"]) + 0.5 * (rate * sigma) ** 2 + jax.scipy.special.log_ndtr((d["y"] - m) / sigma - rate * sigma)).sum())

    def f_doses():
        clear = jnp.exp(many("clear", 30, N(sample("mc", N(-2, 1)), sample("sc", half(1)))))[g]
        v = many("v", 30, N(sample("mv", N(1, 1)), sample("sv", half(1))))[g]
        ka, t = jnp.exp(sample("ka", N(0, 1))), d["t"]
        m = jnp.log(100 * ka) - v + jnp.log((jnp.exp(-clear * t) - jnp.exp(-ka * t)) / (ka - clear))
        sample("c", D.LogNormal(m, sample("sigma", half(1))), obs=d["c"])

    def f_lasso():
        b = det("b", sample("s", half(1)) * many("z", 60, D.Laplace(0, 1)))
        sample("y", D.Bernoulli(logits=sample("a", N(0, 2)) + d["X"] @ b), obs=d["y"])

    def f_arma():
        mu, phi, theta, y = sample("mu", N(0, 10)), sample("phi", N(0, 0.5)), sample("theta", N(0, 0.5)), d["y"]

        def step(m, now):
            m = mu + phi * (now - mu) + theta * (now - m)
            return m, m
        m = jnp.concatenate([mu[None], jax.lax.scan(step, mu, y[:-1])[1]])
        sample("y", N(m, sample("sigma", half(2))), obs=y)

    def f_mortality():
        u, v = many("u", 20, N(0, sample("su", half(1)))), many("v", 40, N(0, sample("sv", half(1))))
        eta = jnp.log(d["e"]) + sample("a", N(0, 5)) + u[d["age"] - 1] + v[d["region"] - 1]
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    def f_mono():
        eta = sample("a", N(0, 2)) + sample("b", N(0, 2)) * (d["Z"] @ sample("w", D.Dirichlet(jnp.ones(5)))) + d["X"] @ many("h", 2, N(0, 1))
        sample("y", D.Bernoulli(logits=eta), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    g = d["g"] - 1 if "g" in d else None

    def f_firms():
        u, v = N("u", 0, half("su", 1), shape=40), N("v", 0, half("sv", 1), shape=30)
        N("y", N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 1, shape=4)) + u[d["firm"] - 1] + v[d["year"] - 1], half("sigma", 2), observed=d["y"])

    def f_claims():
        some = d["y"] > 0
        occurs = N("c", 0, 2) + pt.dot(d["X"], N("h", 0, 1, shape=4))
        m, k = N("a", 0, 5) + pt.dot(d["X"][some], N("b", 0, 1, shape=4)), pm.Gamma("shape", 2, 0.1)
        pm.Potential("claim", (some * occurs - pt.softplus(occurs)).sum())
        pm.Gamma("y", k, k * pt.exp(-m), observed=d["y"][some])

    def f_seemingly():
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=3, sd_dist=half.dist(2, shape=3))
        pm.Deterministic("tau", tau), pm.Deterministic("L", chol / tau[:, None])
        pm.MvNormal("y", N("a", 0, 5, shape=3) + pt.dot(d["X"], N("B", 0, 1, shape=(2, 3))), chol=chol, observed=d["Y"])

    def f_assay():
        low, top, slope = N("low", 0, 1), half("top", 5), half("slope", 2)
        middle = N("middle", N("m", 0, 2), half("s", 1), shape=12)
        N("y", low + top * pt.sigmoid(slope * (d["x"] - middle[g])), half("sigma", 1), observed=d["y"])

    def f_reaction():
        m = N("mu", N("m", 0, 2), half("s", 1), shape=40)[g] + N("b", 0, 1) * d["x"]
        sigma, rate = half("sigma", 1), pm.Gamma("rate", 2, 0.1)
        tail = pm.logcdf(N.dist(0, 1), (d["y"] - m) / sigma - rate * sigma)
        pm.Potential("y", (pt.log(rate) + rate * (m - d["y"]) + 0.5 * (rate * sigma) ** 2 + tail).sum())

    def f_doses():
        clear = pt.exp(N("clear", N("mc", -2, 1), half("sc", 1), shape=30))[g]
        v = N("v", N("mv", 1, 1), half("sv", 1), shape=30)[g]
        ka, t = pt.exp(N("ka", 0, 1)), d["t"]
        m = pt.log(100 * ka) - v + pt.log((pt.exp(-clear * t) - pt.exp(-ka * t)) / (ka - clear))
        pm.LogNormal("c", m, half("sigma", 1), observed=d["c"])

    def f_lasso():
        eta = N("a", 0, 2) + pt.dot(d["X"], pm.Deterministic("b", half("s", 1) * pm.Laplace("z", 0, 1, shape=60)))
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    def f_mortality():
        u, v = N("u", 0, half("su", 1), shape=20), N("v", 0, half("sv", 1), shape=40)
        eta = np.log(d["e"]) + N("a", 0, 5) + u[d["age"] - 1] + v[d["region"] - 1]
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    def f_mono():
        eta = N("a", 0, 2) + N("b", 0, 2) * pt.dot(d["Z"], pm.Dirichlet("w", np.ones(5))) + pt.dot(d["X"], N("h", 0, 1, shape=2))
        pm.Potential("y", (d["y"] * eta - pt.softplus(eta)).sum())

    f = locals().get("f_" + problem)
    if f is None:
        raise SystemExit(f"{problem}: a loop over points, which was not written for PyMC")
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    firms="su sv a b u v sigma", claims="c h shape a b", seemingly="L tau a B", assay="low top slope m s middle sigma", reaction="m s mu b sigma rate",
    doses="mc sc mv sv ka sigma clear v", lasso="s a b", arma="mu phi theta sigma", mortality="su sv a u v", mono="a b w h").items()}
