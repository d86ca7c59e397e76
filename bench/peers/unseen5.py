"""Ten problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py, unseen3.py and unseen4.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior, everything is vectorised, and what data alone determine is computed beforehand."""
import numpy as np

from unseen2 import groups, logistic


def recapture(r):
    """500 animals that were caught, marked and caught again in nine years, with two covariates of survival."""
    first, x = r.integers(0, 8, 500), r.normal(size=(500, 2)).round(4)
    stay, p = logistic(0.8 + x @ np.array([0.5, -0.3])), logistic(-0.2 + 0.5 * r.normal(size=8))
    last, year = first + r.geometric(1 - stay) - 1, np.arange(9)
    seen = (year > first[:, None]) & (year <= last[:, None]) & (r.random((500, 9)) < np.r_[0, p])
    return dict(Y=(seen | (year == first[:, None])).astype(int), X=x)


def abundance(r):
    """Three counts at each of 150 sites in 20 regions, whose animals are not all seen."""
    g, x, z = groups(r, 150, 20), r.normal(size=(150, 2)).round(4), r.normal(size=(150, 3)).round(4)
    n = r.poisson(np.exp(1.6 + x @ np.array([0.4, -0.2]) + 0.4 * r.normal(size=20)[g])).clip(0, 45)
    return dict(Y=r.binomial(n[:, None], logistic(-0.3 + 0.5 * z)), X=x, Z=z, g=g + 1)


def cure(r):
    """800 times, of patients who relapse, Weibull, and of others who never do."""
    x, end = r.normal(size=(800, 3)).round(4), r.uniform(2, 10, 800)
    ill = r.random(800) < logistic(0.4 + x @ np.array([0.8, -0.5, 0]))
    t = np.exp(-(-1.2 + x @ np.array([0.4, 0, -0.3])) / 1.4) * r.weibull(1.4, 800)
    t = np.where(ill, t, np.inf)
    return dict(t=np.minimum(t, end).round(5) + 1e-5, event=(t <= end).astype(int), X=x)


def joint(r):
    """200 patients, a marker at up to eight visits, and the time of death, which depends on its level and slope."""
    u, x, end = r.multivariate_normal([0, 0], [[0.8, 0.08], [0.08, 0.06]], 200), r.integers(0, 2, 200), r.uniform(3, 9, 200)
    t = np.exp(-(-2.6 - 0.5 * x + u @ np.array([0.5, 2.0])) / 1.5) * r.weibull(1.5, 200)
    time = np.minimum(t, end).round(5) + 1e-5
    g, visit = np.repeat(np.arange(200), 8), np.tile(np.arange(8), 200)
    g, visit = g[visit < time[g]], visit[visit < time[g]]
    y = 2 + u[g, 0] + (0.3 + u[g, 1]) * visit + 0.4 * r.normal(size=len(g))
    return dict(y=y.round(4), visit=visit, g=g + 1, time=time, event=(t <= end).astype(int), x=x)


def guessing(r):
    """500 persons, 24 questions that may be guessed."""
    theta, a, b, c = r.normal(size=500), np.exp(0.2 + 0.3 * r.normal(size=24)), r.normal(size=24), r.beta(5, 20, 24)
    j, k = np.repeat(np.arange(500), 24), np.tile(np.arange(24), 500)
    return dict(y=r.binomial(1, c[k] + (1 - c[k]) * logistic(a[k] * (theta[j] - b[k]))), person=j + 1, item=k + 1)


def quantiles(r):
    """1,500 rows in 50 groups, of which the quantile 0.9 is looked for."""
    g, x = groups(r, 1500, 50), r.normal(size=(1500, 3)).round(4)
    return dict(y=(1 + x @ np.array([0.6, -0.4, 0]) + 0.7 * r.normal(size=50)[g] + np.exp(0.3 * x[:, 0]) * r.standard_t(5, 1500)).round(4), X=x, g=g + 1)


def species(r):
    """500 counts of 80 species, which are alike as they have ancestors in common."""
    clades, tree = [np.arange(80)], np.zeros((80, 80))
    for t in np.diff(np.r_[0, np.sort(r.uniform(0, 1, 79)), 1]):
        for c in clades:
            tree[np.ix_(c, c)] += t
        many = [i for i, c in enumerate(clades) if len(c) > 1]
        if many:
            c = r.permutation(clades.pop(r.choice(many)))
            cut = r.integers(1, len(c))
            clades += [c[:cut], c[cut:]]
    L, g, x = np.linalg.cholesky(tree).round(8), groups(r, 500, 80), r.normal(size=500).round(4)
    return dict(y=r.poisson(np.exp(1.2 + 0.3 * x + (0.7 * L @ r.normal(size=80) + 0.3 * r.normal(size=80))[g])), x=x, g=g + 1, L=L)


def coefficients(r):
    """Sales in 300 weeks, whose level and whose answer to the price move."""
    x = r.normal(size=300).round(4)
    h, k = np.cumsum(r.normal(size=(300, 2)) * np.array([0.08, 0.05]), 0).T
    return dict(y=r.poisson(np.exp(2 + h + (-0.5 + k) * x)), x=x)


def copula(r):
    """800 pairs of Weibull times that are joined by Clayton's copula of their survival."""
    x, theta = r.normal(size=(800, 2)).round(4), 1.5
    u, w = r.random((2, 800))
    v = (u ** -theta * (w ** (-theta / (1 + theta)) - 1) + 1) ** (-1 / theta)
    one = np.exp(1 + x @ np.array([0.4, -0.2])) * (-np.log(u)) ** (1 / 1.5)
    two = np.exp(0.5 + x @ np.array([0.1, 0.3])) * (-np.log(v)) ** (1 / 0.9)
    return dict(t=one.round(6) + 1e-6, s=two.round(6) + 1e-6, X=x)


def hazards(r):
    """600 patients of 60 centres, a hazard for each of eight years and a gamma frailty of each centre."""
    g, x, end = groups(r, 600, 60), r.normal(size=(600, 2)).round(4), r.uniform(2, 8, 600)
    rate = r.gamma(3, 1 / 3, 60)[g] * np.exp(x @ np.array([0.5, -0.3]))
    at, base = np.arange(8), np.exp(np.array([-1.2, -1.5, -1.8, -2.0, -2.1, -2.0, -1.8, -1.7]))
    reached, hazard = r.exponential(size=600) / rate, np.r_[0, np.cumsum(base)]
    t = np.where(reached < hazard[-1], np.interp(reached, hazard, np.arange(9)), np.inf)
    time = np.minimum(t, end)
    i, k = np.nonzero(time[:, None] > at)
    died = (t[i] <= end[i]) & (t[i] <= k + 1)
    return dict(y=died.astype(int), e=(np.minimum(time[i], k + 1) - k).round(6) + 1e-6, year=k + 1, X=x[i], g=g[i] + 1)


PROBLEMS = dict(recapture=recapture, abundance=abundance, cure=cure, joint=joint, guessing=guessing, quantiles=quantiles, species=species, coefficients=coefficients, copula=copula,
                hazards=hazards)


def marked(Y):
    """Of each animal when it was last caught and the years that it has survived till then; of each year but the first, how many that are known to live were caught, and how many not."""
    year = np.arange(Y.shape[1])
    first, last = Y.argmax(1), (Y * year).max(1)
    known = (year > first[:, None]) & (year <= last[:, None])
    return last, last - first, (known & (Y == 1)).sum(0)[1:], (known & (Y == 0)).sum(0)[1:]


def animals(Y):
    """0 to 50, and for each site and number the part of the logarithm of its probability that data alone determine."""
    from scipy.special import gammaln
    n = np.arange(51)
    left = n - Y[:, :, None]
    ways = np.where(left < 0, -np.inf, gammaln(n + 1) - gammaln(Y[:, :, None] + 1) - gammaln(np.maximum(left, 0) + 1))
    return n, ways.sum(1) - gammaln(n + 1)


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    N, half, logsig = D.Normal, D.HalfNormal, jax.nn.log_sigmoid
    g = d["g"] - 1 if "g" in d else None
    some, none = (np.flatnonzero(raw["event"] == k) for k in (1, 0)) if "event" in d else (None, None)
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def f_recapture():
        last, years, caught, not_ = marked(raw["Y"])
        stay = sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 1))
        p = many("p", 8, N(sample("m", N(0, 1.5)), sample("s", half(1))))
        phi, missed, chi = jax.nn.sigmoid(stay), jax.nn.sigmoid(-p), [jnp.ones(500)]
        for t in range(7, -1, -1):
            chi.append(1 - phi + phi * missed[t] * chi[-1])
        factor("known", (years * logsig(stay)).sum() + (caught * logsig(p) + not_ * logsig(-p)).sum())
        factor("gone", jnp.log(jnp.stack(chi)[8 - last, np.arange(500)]).sum())

    def f_abundance():
        n, ways = animals(raw["Y"])
        eta = sample("a", N(0, 2)) + d["X"] @ many("b", 2, N(0, 1)) + many("u", 20, N(0, sample("s", half(1))))[g]
        seen = sample("c", N(0, 1.5)) + sample("h", N(0, 1)) * d["Z"]
        lp = ways + n * (eta + logsig(-seen).sum(1))[:, None]
        factor("y", jax.scipy.special.logsumexp(lp, 1).sum() + (d["Y"] * seen).sum() - jnp.exp(eta).sum())

    def f_cure():
        alpha = sample("alpha", D.Gamma(2, 1))
        eta, ill = sample("a", N(0, 3)) + d["X"] @ many("b", 3, N(0, 1)), sample("c", N(0, 2)) + d["X"] @ many("h", 3, N(0, 1))
        log = jnp.log(d["t"])
        hazard = jnp.exp(alpha * log + eta)
        factor("some", (logsig(ill) + jnp.log(alpha) + (alpha - 1) * log + eta - hazard)[some].sum())
        factor("none", jnp.logaddexp(logsig(-ill[none]), logsig(ill[none]) - hazard[none]).sum())

    def f_joint():
        L, tau, m, k = sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(1)), many("m", 2, N(0, 5)), many("k", 2, N(0, 2))
        u = sample("u", D.MultivariateNormal(jnp.zeros(2), scale_tril=tau[:, None] * L).expand([200]).to_event())
        sample("y", N(m[0] + u[g, 0] + (m[1] + u[g, 1]) * d["visit"], sample("sigma", half(1))), obs=d["y"])
        alpha, log = sample("alpha", D.Gamma(2, 1)), jnp.log(d["time"])
        eta = sample("a", N(0, 3)) + sample("b", N(0, 1)) * d["x"] + u @ k
        factor("time", (d["event"] * (jnp.log(alpha) + (alpha - 1) * log + eta) - jnp.exp(alpha * log + eta)).sum())

    def f_guessing():
        theta, a, b, c = many("theta", 500, N(0, 1)), many("a", 24, D.LogNormal(0, 0.5)), many("b", 24, N(0, 1.5)), many("c", 24, D.Beta(5, 20))
        i, right, wrong = raw["item"] - 1, np.flatnonzero(raw["y"] == 1), np.flatnonzero(raw["y"] == 0)
        eta, ci = a[i] * (theta[d["person"] - 1] - b[i]), c[i]
        factor("right", jnp.log(ci + (1 - ci) * jax.nn.sigmoid(eta))[right].sum())
        factor("wrong", (jnp.log1p(-ci) + logsig(-eta))[wrong].sum())

    def f_quantiles():
        m = sample("a", N(0, 5)) + d["X"] @ many("b", 3, N(0, 1)) + many("u", 50, N(0, sample("s", half(1))))[g]
        sigma = sample("sigma", half(1))
        z = (d["y"] - m) / sigma
        factor("y", -jnp.maximum(0.9 * z, -0.1 * z).sum() - 1500 * jnp.log(sigma))

    def f_species():
        u = det("u", sample("s", half(1)) * (d["L"] @ many("z", 80, N(0, 1))))
        w = sample("w", N(u, sample("t", half(1))).to_event())
        det("v", w - u)
        eta = sample("a", N(0, 2)) + sample("b", N(0, 1)) * d["x"] + w[g]
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    def f_coefficients():
        h, k = (det(name, sample("s" + name, half(0.5)) * jnp.cumsum(many("z_" + name, 300, N(0, 1)))) for name in "hk")
        eta = sample("a", N(0, 2)) + h + (sample("b", N(0, 1)) + k) * d["x"]
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    def f_copula():
        theta, alpha, a = sample("theta", D.Gamma(2, 1)), many("alpha", 2, D.Gamma(2, 1)), many("a", 2, N(0, 3))
        lt = alpha[0] * (jnp.log(d["t"]) - a[0] - d["X"] @ many("b", 2, N(0, 1)))
        ls = alpha[1] * (jnp.log(d["s"]) - a[1] - d["X"] @ many("c", 2, N(0, 1)))
        ht, hs = jnp.exp(lt), jnp.exp(ls)
        both = jnp.logaddexp(theta * ht, theta * hs)
        factor("margins", 800 * (jnp.log(alpha).sum() + jnp.log1p(theta)) + (lt + ls).sum())
        factor("pairs", (theta * (ht + hs) - (2 + 1 / theta) * (both + jnp.log1p(-jnp.exp(-both)))).sum())

    def f_hazards():
        h = sample("h", D.GaussianRandomWalk(sample("s", half(1)), 8))
        v = sample("v", half(1))
        w = many("w", 60, D.Gamma(1 / v, 1 / v))
        eta = jnp.log(d["e"]) + sample("a", N(0, 3)) + h[d["year"] - 1] + d["X"] @ many("b", 2, N(0, 1)) + jnp.log(w)[g]
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    logsig = lambda x: -pt.softplus(-x)
    g = d["g"] - 1 if "g" in d else None
    some, none = (np.flatnonzero(d["event"] == k) for k in (1, 0)) if "event" in d else (None, None)

    def f_recapture():
        last, years, caught, not_ = marked(d["Y"])
        stay = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=2))
        p = N("p", N("m", 0, 1.5), half("s", 1), shape=8)
        phi, missed, chi = pt.sigmoid(stay), pt.sigmoid(-p), [pt.ones(500)]
        for t in range(7, -1, -1):
            chi.append(1 - phi + phi * missed[t] * chi[-1])
        pm.Potential("known", (years * logsig(stay)).sum() + (caught * logsig(p) + not_ * logsig(-p)).sum())
        pm.Potential("gone", pt.log(pt.stack(chi)[8 - last, np.arange(500)]).sum())

    def f_abundance():
        n, ways = animals(d["Y"])
        eta = N("a", 0, 2) + pt.dot(d["X"], N("b", 0, 1, shape=2)) + N("u", 0, half("s", 1), shape=20)[g]
        seen = N("c", 0, 1.5) + N("h", 0, 1) * d["Z"]
        lp = ways + n * (eta - pt.softplus(seen).sum(1))[:, None]
        pm.Potential("y", pt.logsumexp(lp, 1).sum() + (d["Y"] * seen).sum() - pt.exp(eta).sum())

    def f_cure():
        alpha = pm.Gamma("alpha", 2, 1)
        eta, ill = N("a", 0, 3) + pt.dot(d["X"], N("b", 0, 1, shape=3)), N("c", 0, 2) + pt.dot(d["X"], N("h", 0, 1, shape=3))
        log = np.log(d["t"])
        hazard = pt.exp(alpha * log + eta)
        pm.Potential("some", (logsig(ill) + pt.log(alpha) + (alpha - 1) * log + eta - hazard)[some].sum())
        pm.Potential("none", pt.logaddexp(logsig(-ill[none]), logsig(ill[none]) - hazard[none]).sum())

    def f_joint():
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(1, shape=2))
        pm.Deterministic("tau", tau), pm.Deterministic("L", chol / tau[:, None])
        m, k, u = N("m", 0, 5, shape=2), N("k", 0, 2, shape=2), pm.MvNormal("u", np.zeros(2), chol=chol, shape=(200, 2))
        N("y", m[0] + u[g, 0] + (m[1] + u[g, 1]) * d["visit"], half("sigma", 1), observed=d["y"])
        alpha, log = pm.Gamma("alpha", 2, 1), np.log(d["time"])
        eta = N("a", 0, 3) + N("b", 0, 1) * d["x"] + pt.dot(u, k)
        pm.Potential("time", (d["event"] * (pt.log(alpha) + (alpha - 1) * log + eta) - pt.exp(alpha * log + eta)).sum())

    def f_guessing():
        theta, a, b, c = N("theta", 0, 1, shape=500), pm.LogNormal("a", 0, 0.5, shape=24), N("b", 0, 1.5, shape=24), pm.Beta("c", 5, 20, shape=24)
        i, right, wrong = d["item"] - 1, np.flatnonzero(d["y"] == 1), np.flatnonzero(d["y"] == 0)
        eta, ci = a[i] * (theta[d["person"] - 1] - b[i]), c[i]
        pm.Potential("right", pt.log(ci + (1 - ci) * pt.sigmoid(eta))[right].sum())
        pm.Potential("wrong", (pt.log1p(-ci) - pt.softplus(eta))[wrong].sum())

    def f_quantiles():
        m = N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 1, shape=3)) + N("u", 0, half("s", 1), shape=50)[g]
        sigma = half("sigma", 1)
        z = (d["y"] - m) / sigma
        pm.Potential("y", -pt.maximum(0.9 * z, -0.1 * z).sum() - 1500 * pt.log(sigma))

    def f_species():
        u = pm.Deterministic("u", half("s", 1) * pt.dot(d["L"], N("z", 0, 1, shape=80)))
        w = N("w", u, half("t", 1), shape=80)
        pm.Deterministic("v", w - u)
        eta = N("a", 0, 2) + N("b", 0, 1) * d["x"] + w[g]
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    def f_coefficients():
        h, k = (pm.Deterministic(name, half("s" + name, 0.5) * pt.cumsum(N("z_" + name, 0, 1, shape=300))) for name in "hk")
        eta = N("a", 0, 2) + h + (N("b", 0, 1) + k) * d["x"]
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    def f_copula():
        theta, alpha, a = pm.Gamma("theta", 2, 1), pm.Gamma("alpha", 2, 1, shape=2), N("a", 0, 3, shape=2)
        lt = alpha[0] * (np.log(d["t"]) - a[0] - pt.dot(d["X"], N("b", 0, 1, shape=2)))
        ls = alpha[1] * (np.log(d["s"]) - a[1] - pt.dot(d["X"], N("c", 0, 1, shape=2)))
        ht, hs = pt.exp(lt), pt.exp(ls)
        both = pt.logaddexp(theta * ht, theta * hs)
        pm.Potential("margins", 800 * (pt.log(alpha).sum() + pt.log1p(theta)) + (lt + ls).sum())
        pm.Potential("pairs", (theta * (ht + hs) - (2 + 1 / theta) * (both + pt.log1p(-pt.exp(-both)))).sum())

    def f_hazards():
        s, v, h = half("s", 1), half("v", 1), pm.Flat("h", shape=8, initval=np.zeros(8))
        pm.Potential("walk", -0.5 * (h[0] ** 2 + ((h[1:] - h[:-1]) ** 2).sum()) / s ** 2 - 8 * pt.log(s))
        w = pm.Gamma("w", 1 / v, 1 / v, shape=60)
        eta = np.log(d["e"]) + N("a", 0, 3) + h[d["year"] - 1] + pt.dot(d["X"], N("b", 0, 1, shape=2)) + pt.log(w)[g]
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    recapture="a b m s p", abundance="a b s u c h", cure="alpha a b c h", joint="L tau u m sigma alpha a b k", guessing="theta a b c", quantiles="a b s u sigma", species="a b s u t v",
    coefficients="a sh h b sk k", copula="theta alpha a b c", hazards="a s h b v w").items()}
