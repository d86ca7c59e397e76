"""Ten problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen6.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, rows of
equal numbers are matrices, and what data alone determine is computed beforehand."""
import os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("compositions diets ranks cohorts".split()) ^ set(os.environ.get("OTHER", "").split())


def fish(r):
    """Lengths of 50 fish at eight ages (von Bertalanffy), whose last lengths and rates go together."""
    age = np.sort(np.array([r.permutation(15)[:8] + 1 for _ in range(50)]))
    u = r.multivariate_normal([4.1, -1.2], [[0.0225, -0.027], [-0.027, 0.09]], 50)
    y = np.exp(u[:, :1]) * (1 - np.exp(-np.exp(u[:, 1:]) * (age + 0.4))) + 1.5 * r.normal(size=(50, 8))
    return dict(y=y.ravel().round(5), age=age.ravel(), g=np.repeat(np.arange(50), 8) + 1)


def compositions(r):
    """Shares of five kinds in the budgets of 600 households in 40 regions, Dirichlet, with two covariates of shares and precision."""
    g, x = groups(r, 600, 40), r.normal(size=(600, 2)).round(4)
    eta = np.array([0.8, 0.3, 0, -0.3, -0.6]) + x @ np.array([[0.3, -0.2, 0.1, 0, -0.2], [0, 0.2, -0.3, 0.2, 0]]) + 0.3 * r.normal(size=(40, 5))[g]
    p = np.exp(eta) / np.exp(eta).sum(1, keepdims=True)
    y = np.array([r.dirichlet(k) for k in p * np.exp(3.2 + x @ np.array([0.3, -0.2]))[:, None]]).clip(1e-4).round(6)
    return dict(Y=y / y.sum(1, keepdims=True), X=x, g=g + 1)


def diets(r):
    """Two isotopes of 160 animals in 20 packs, and of 20 samples of each of three kinds of prey."""
    g, prey = np.repeat(np.arange(20), 8), np.repeat(np.arange(3), 20)
    mu, omega = np.array([[-24.0, 4.0], [-21.0, 8.0], [-17.5, 11.0]]), np.array([[0.8, 0.6], [1.0, 0.9], [0.7, 1.1]])
    p = np.exp(np.array([0.5, 0, -0.4]) + 0.7 * r.normal(size=(20, 3)))
    p = (p / p.sum(1, keepdims=True))[g]
    y = p @ mu + np.sqrt(p ** 2 @ omega ** 2 + np.array([0.5, 0.4]) ** 2) * r.normal(size=(160, 2))
    return dict(Y=y.round(4), pack=g + 1, S=(mu[prey] + omega[prey] * r.normal(size=(60, 2))).round(4), prey=prey + 1)


def lotteries(r):
    """Eighty choices of each of 40 subjects between two lotteries, by cumulative prospect theory."""
    alpha, loss, gamma, phi = np.exp(np.array([-0.25, 0.5, -0.4, 0.6]) + np.array([0.2, 0.4, 0.25, 0.4]) * r.normal(size=(40, 4))).T[:, :, None]
    d = {k + i: r.uniform(*ends, (40, 80)).round(2) for i in "12" for k, ends in (("gain", (0.5, 5)), ("loss", (0.5, 5)), ("p", (0.05, 0.95)))}
    felt = lambda p: np.exp(-(-np.log(p)) ** gamma)
    one, two = (felt(d["p" + i]) * d["gain" + i] ** alpha - loss * felt(1 - d["p" + i]) * d["loss" + i] ** alpha for i in "12")
    y = (r.random((40, 80)) < logistic(phi * (one - two))).astype(int)
    return dict(y=y.ravel(), g=np.repeat(np.arange(40), 80) + 1) | {k: v.ravel() for k, v in d.items()}


def moods(r):
    """Moods of 80 persons on thirty days: means, inertias, answers to stress and spreads of persons, which go together."""
    sd, x = np.array([0.8, 0.2, 0.25, 0.3]), r.normal(size=(80, 30)).round(4)
    c = np.array([[1, -0.3, 0.2, 0.3], [-0.3, 1, 0, 0.2], [0.2, 0, 1, 0.1], [0.3, 0.2, 0.1, 1]])
    m, phi, b, s = r.multivariate_normal([1, 0.35, -0.4, -0.3], sd[:, None] * c * sd, 80).T
    y = [m + np.exp(s) * r.normal(size=80)]
    for t in range(1, 30):
        y.append(m + phi * (y[-1] - m) + b * x[:, t] + np.exp(s) * r.normal(size=80))
    y = np.array(y).T.round(5)
    return dict(y=y[:, 1:].ravel(), before=y[:, :-1].ravel(), stress=x[:, 1:].ravel(), g=np.repeat(np.arange(80), 29) + 1)


def ranks(r):
    """Rankings of eight items by 500 judges in 25 groups (Plackett and Luce), with a covariate of judges."""
    g, x = groups(r, 500, 25), r.normal(size=500).round(4)
    eta = np.linspace(-1, 1, 8) + np.outer(x, 0.4 * r.normal(size=8)) + 0.5 * r.normal(size=(25, 8))[g]
    return dict(R=np.argsort(-eta - r.gumbel(size=(500, 8)), 1) + 1, x=x, g=g + 1)


def speed(r):
    """Answers of 150 persons to 20 questions and the seconds that they took (van der Linden)."""
    u = r.multivariate_normal([0, 0], [[1, 0.12], [0.12, 0.09]], 150)
    a, b, c, sigma = r.lognormal(0, 0.3, 20), r.normal(size=20), 3.5 + 0.4 * r.normal(size=20), r.uniform(0.3, 0.6, 20)
    y = (r.random((150, 20)) < logistic(a * (u[:, :1] - b))).astype(int)
    t = np.exp(c - u[:, 1:] + sigma * r.normal(size=(150, 20))).round(2)
    return dict(y=y.ravel(), t=t.ravel(), person=np.repeat(np.arange(150), 20) + 1, item=np.tile(np.arange(20), 150) + 1)


def treatments(r):
    """Events in the arms of 50 trials, two to four arms each of eight treatments, with a covariate of trials."""
    arms = [np.sort(r.choice(8, k, replace=False, p=[0.3] + 7 * [0.1])) for k in r.choice([2, 3, 4], 50, p=[0.65, 0.25, 0.1])]
    trial, treat, x = np.repeat(np.arange(50), [len(k) for k in arms]), np.concatenate(arms), r.normal(size=50).round(4)
    n = r.integers(30, 300, len(trial))
    eta = (-1 + 0.6 * r.normal(size=50))[trial] + np.array([0, -0.3, -0.5, 0.1, -0.7, -0.2, -0.4, -0.9])[treat] + 0.15 * (treat > 0) * x[trial] + 0.15 * r.normal(size=len(trial))
    return dict(y=r.binomial(n, logistic(eta)), n=n, trial=trial + 1, treat=treat + 1, x=x)


def trial(r):
    """A response of 300 patients at five visits with an unstructured covariance, of whom some leave after the second, the third or the fourth; treatment and baseline."""
    x = np.c_[r.integers(0, 2, 300), r.normal(size=300).round(4)]
    tau, rho = np.array([1.5, 1.7, 2, 2.2, 2.5]), 0.7 ** abs(np.subtract.outer(np.arange(5), np.arange(5)))
    m = np.array([10, 9.5, 9, 8.7, 8.5]) + x @ np.array([[-0.3, -0.7, -1, -1.2, -1.4], [1, 0.9, 0.8, 0.7, 0.7]])
    y, last = (m + r.multivariate_normal(np.zeros(5), tau[:, None] * rho * tau, 300)).round(4), r.choice([5, 4, 3, 2], 300, p=[0.6, 0.15, 0.15, 0.1])
    return {f"Y{k}": y[last == k, :k] for k in (5, 4, 3, 2)} | {f"X{k}": x[last == k] for k in (5, 4, 3, 2)}


def cohorts(r):
    """Cases in 16 ages and 25 periods, of 40 cohorts, with persons at risk: three paths, and counts that vary more than those of Poisson."""
    age, period = np.repeat(np.arange(16), 25), np.tile(np.arange(25), 16)
    cohort, e = period - age + 15, r.uniform(5e3, 5e4, 400).round()
    u, v, w = np.cumsum(0.25 + 0.1 * r.normal(size=16)), np.cumsum(0.06 * r.normal(size=25)), np.cumsum(0.08 * r.normal(size=40))
    m = e * np.exp(-8.5 + u[age] + v[period] + w[cohort])
    return dict(y=r.poisson(m * r.gamma(40, 1 / 40, 400)), e=e, age=age + 1, period=period + 1, cohort=cohort + 1)


PROBLEMS = dict(fish=fish, compositions=compositions, diets=diets, lotteries=lotteries, moods=moods, ranks=ranks, speed=speed, treatments=treatments, trial=trial, cohorts=cohorts)


def visits(d):
    """The patients of a trial in one matrix each of responses (0 after the last visit), of which of them there are, and of covariates."""
    kinds = (5, 4, 3, 2)
    Y = np.concatenate([np.pad(d[f"Y{k}"], ((0, 0), (0, 5 - k))) for k in kinds])
    seen = np.concatenate([np.tile(np.arange(5) < k, (len(d[f"Y{k}"]), 1)) for k in kinds])
    return Y, seen.astype(float), np.concatenate([d[f"X{k}"] for k in kinds])


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.linalg import solve_triangular
    from jax.scipy.special import gammaln
    from jax.scipy.stats import norm
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    C, N, half = D.constraints, D.Normal, D.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())
    table = lambda name, n: d[name].reshape(n, -1)

    def effects(name, n, s):
        return many(name, n, N(0, s)) if problem in CENTRED else det(name, s * many("z_" + name, n, N(0, 1)))

    def walk(name, n, s):
        if problem not in CENTRED:
            return det(name, s * jnp.cumsum(many("z_" + name, n, N(0, 1))))
        h = sample(name, D.ImproperUniform(C.real_vector, (), (n,)))
        factor("walk_" + name, norm.logpdf(jnp.diff(h, prepend=0), 0, s).sum())
        return h

    def f_fish():
        m, L, tau = sample("m", N(jnp.array([4.0, -1.0]), 1).to_event()), sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(1))
        u = jnp.exp(sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([50]).to_event()))
        t0, sigma = sample("t0", N(0, 1)), sample("sigma", half(5))
        sample("y", N(-u[:, :1] * jnp.expm1(-u[:, 1:] * (table("age", 50) - t0)), sigma), obs=table("y", 50))

    def f_compositions():
        eta = many("a", 5, N(0, 1)) + d["X"] @ many("B", (2, 5), N(0, 1)) + effects("u", (40, 5), sample("s", half(1)))[g]
        kappa = jnp.exp(sample("c", N(3, 1)) + d["X"] @ many("h", 2, N(0, 1)))
        alpha = kappa[:, None] * jax.nn.softmax(eta)
        factor("y", gammaln(kappa).sum() + (alpha * np.log(raw["Y"]) - gammaln(alpha)).sum())

    def f_diets():
        mu, omega = many("mu", (3, 2), N(0, 10)), many("omega", (3, 2), half(2))
        p = jax.nn.softmax(many("a", 3, N(0, 1)) + effects("u", (20, 3), sample("s", half(1))))
        m, sd = p @ mu, jnp.sqrt(p ** 2 @ omega ** 2 + many("sigma", 2, half(1)) ** 2)
        sample("S", N(mu[:, None], omega[:, None]), obs=d["S"].reshape(3, 20, 2))
        sample("y", N(m[:, None], sd[:, None]), obs=d["Y"].reshape(20, 8, 2))

    def f_lotteries():
        m = det("m", jnp.array([-0.3, 0.5, -0.3, 0.5]) + 0.5 * many("z_m", 4, N(0, 1)))
        s = det("s", 0.5 * many("z_s", 4, half(1)))  # starts are near 1
        names = ("alpha", "lambda", "gamma", "phi")
        if problem in CENTRED:
            alpha, loss, gamma, phi = (many(k, 40, D.LogNormal(m[i], s[i]))[:, None] for i, k in enumerate(names))
        else:
            alpha, loss, gamma, phi = (det(k, jnp.exp(m[i] + s[i] * many("z_" + k, 40, N(0, 1))))[:, None] for i, k in enumerate(names))
        felt = lambda p: jnp.exp(-jnp.exp(gamma * np.log(-np.log(p.reshape(40, -1)))))
        power = lambda x: jnp.exp(alpha * np.log(x.reshape(40, -1)))
        one, two = (felt(raw["p" + i]) * power(raw["gain" + i]) - loss * felt(1 - raw["p" + i]) * power(raw["loss" + i]) for i in "12")
        factor("y", -jax.nn.softplus((1 - 2 * table("y", 40)) * phi * (one - two)).sum())

    def f_moods():
        m, L, tau = many("m", 4, N(0, 2)), sample("L", D.LKJCholesky(4, 2.0)), many("tau", 4, half(1))
        mean, phi, b, s = sample("u", D.MultivariateNormal(m, scale_tril=tau[:, None] * L).expand([80]).to_event()).T[:, :, None]
        sample("y", N(mean + phi * (table("before", 80) - mean) + b * table("stress", 80), jnp.exp(s)), obs=table("y", 80))

    def f_ranks():
        a, b = many("a", 8, N(0, 1)), many("b", 8, N(0, 1))
        eta = a + effects("u", (25, 8), sample("s", half(1)))[g] + d["x"][:, None] * b
        eta = jnp.take_along_axis(eta, d["R"] - 1, 1)
        factor("y", eta.sum() - jax.lax.cumlogsumexp(eta, 1, reverse=True).sum())

    def f_speed():
        L, tau = sample("L", D.LKJCholesky(2, 2.0)), sample("tau", half(1))
        u = sample("u", D.MultivariateNormal(jnp.zeros(2), scale_tril=jnp.stack([L[0], tau * L[1]])).expand([150]).to_event())
        a, b = many("a", 20, D.LogNormal(0, 0.5)), many("b", 20, N(0, sample("sb", half(2))))
        c, sigma = many("c", 20, N(sample("mc", N(3, 2)), sample("sc", half(1)))), many("sigma", 20, half(1))
        factor("y", -jax.nn.softplus((1 - 2 * table("y", 150)) * a * (u[:, :1] - b)).sum())
        sample("t", N(c - u[:, 1:], sigma), obs=np.log(raw["t"]).reshape(150, 20))

    def f_treatments():
        a, d_, b = many("a", 50, N(0, 2)), many("d", 7, N(0, 2)), sample("b", N(0, 1))
        w = effects("w", len(raw["y"]), sample("tau", half(1)) / np.sqrt(2))
        trial, treat = d["trial"] - 1, d["treat"] - 1
        eta = a[trial] + jnp.append(0, d_)[treat] + b * ((treat > 0) * d["x"][trial]) + w
        factor("y", (d["y"] * eta - d["n"] * jax.nn.softplus(eta)).sum())

    def f_trial():
        Y, seen, X = visits(raw)
        a, B = many("a", 5, N(0, 5)), many("B", (2, 5), N(0, 2))
        S = sample("L", D.LKJCholesky(5, 2.0))
        S = many("tau", 5, half(2))[:, None] * S
        z = ((Y - a - X @ B) * seen) @ solve_triangular(S, jnp.eye(5), lower=True).T
        factor("y", -0.5 * (seen * z ** 2).sum() - seen.sum(0) @ jnp.log(jnp.diag(S)))

    def f_cohorts():
        a, (u, v, w) = sample("a", N(-6, 3)), (walk(k, n, sample("s" + k, half(1))) for k, n in (("u", 16), ("v", 25), ("w", 40)))
        phi, cohort = sample("phi", D.Gamma(2, 0.1)), raw["cohort"].reshape(16, 25) - 1
        eta = np.log(raw["e"]).reshape(16, 25) + a + u[:, None] + v + w[cohort]
        y, log = table("y", 16), jnp.log(phi)
        factor("y", (y * eta - (y + phi) * jnp.logaddexp(eta, log) + gammaln(y + phi)).sum() + 400 * (phi * log - gammaln(phi)))

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    table = lambda name, n: d[name].reshape(n, -1)

    def effects(name, n, s):
        return N(name, 0, s, shape=n) if problem in CENTRED else pm.Deterministic(name, s * N("z_" + name, 0, 1, shape=n))

    def walk(name, n, s):
        if problem not in CENTRED:
            return pm.Deterministic(name, s * pt.cumsum(N("z_" + name, 0, 1, shape=n)))
        h = pm.Flat(name, shape=n, initval=np.zeros(n))
        pm.Potential("walk_" + name, -0.5 * (h[0] ** 2 + ((h[1:] - h[:-1]) ** 2).sum()) / s ** 2 - n * pt.log(s))
        return h

    def correlated(n, sd):
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=n, sd_dist=half.dist(sd, shape=n))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        return chol

    def f_fish():
        m = N("m", np.array([4.0, -1.0]), 1, shape=2)
        u = pt.exp(pm.MvNormal("u", m, chol=correlated(2, 1), shape=(50, 2)))
        N("y", -u[:, :1] * pt.expm1(-u[:, 1:] * (table("age", 50) - N("t0", 0, 1))), half("sigma", 5), observed=table("y", 50))

    def f_compositions():
        eta = N("a", 0, 1, shape=5) + pt.dot(d["X"], N("B", 0, 1, shape=(2, 5))) + effects("u", (40, 5), half("s", 1))[g]
        kappa = pt.exp(N("c", 3, 1) + pt.dot(d["X"], N("h", 0, 1, shape=2)))
        alpha = kappa[:, None] * pm.math.softmax(eta, axis=1)
        pm.Potential("y", pt.gammaln(kappa).sum() + (alpha * np.log(d["Y"]) - pt.gammaln(alpha)).sum())

    def f_diets():
        mu, omega = N("mu", 0, 10, shape=(3, 2)), half("omega", 2, shape=(3, 2))
        p = pm.math.softmax(N("a", 0, 1, shape=3) + effects("u", (20, 3), half("s", 1)), axis=1)
        m, sd = pt.dot(p, mu), pt.sqrt(pt.dot(p ** 2, omega ** 2) + half("sigma", 1, shape=2) ** 2)
        N("S", mu[:, None], omega[:, None], observed=d["S"].reshape(3, 20, 2))
        N("y", m[:, None], sd[:, None], observed=d["Y"].reshape(20, 8, 2))

    def f_lotteries():
        m = pm.Deterministic("m", np.array([-0.3, 0.5, -0.3, 0.5]) + 0.5 * N("z_m", 0, 1, shape=4))
        s = pm.Deterministic("s", 0.5 * half("z_s", 1, shape=4))
        names = ("alpha", "lambda", "gamma", "phi")
        if problem in CENTRED:
            alpha, loss, gamma, phi = (pm.LogNormal(k, m[i], s[i], shape=40)[:, None] for i, k in enumerate(names))
        else:
            alpha, loss, gamma, phi = (pm.Deterministic(k, pt.exp(m[i] + s[i] * N("z_" + k, 0, 1, shape=40)))[:, None] for i, k in enumerate(names))
        felt = lambda p: pt.exp(-pt.exp(gamma * np.log(-np.log(p.reshape(40, -1)))))
        power = lambda x: pt.exp(alpha * np.log(x.reshape(40, -1)))
        one, two = (felt(d["p" + i]) * power(d["gain" + i]) - loss * felt(1 - d["p" + i]) * power(d["loss" + i]) for i in "12")
        pm.Potential("y", -pt.softplus((1 - 2 * table("y", 40)) * phi * (one - two)).sum())

    def f_moods():
        u = pm.MvNormal("u", N("m", 0, 2, shape=4), chol=correlated(4, 1), shape=(80, 4))
        mean, phi, b, s = (u[:, k, None] for k in range(4))
        N("y", mean + phi * (table("before", 80) - mean) + b * table("stress", 80), pt.exp(s), observed=table("y", 80))

    def f_ranks():
        eta = N("a", 0, 1, shape=8) + effects("u", (25, 8), half("s", 1))[g] + d["x"][:, None] * N("b", 0, 1, shape=8)
        eta = eta[np.arange(500)[:, None], d["R"] - 1]
        most = eta.max(1, keepdims=True)
        left = most + pt.log(pt.cumsum(pt.exp(eta - most)[:, ::-1], axis=1) + 1e-300)
        pm.Potential("y", eta.sum() - left.sum())

    def f_speed():
        r, tau, zero = 2 * pm.Beta("r", 2, 2) - 1, half("tau", 1), pt.zeros(())  # LKJ(2)
        L = pm.Deterministic("L", pt.stack([pt.stack(k) for k in ([zero + 1, zero], [r, pt.sqrt(1 - r ** 2)])]))
        u = pm.MvNormal("u", np.zeros(2), chol=pt.stack([L[0], tau * L[1]]), shape=(150, 2))
        a, b = pm.LogNormal("a", 0, 0.5, shape=20), N("b", 0, half("sb", 2), shape=20)
        c, sigma = N("c", N("mc", 3, 2), half("sc", 1), shape=20), half("sigma", 1, shape=20)
        pm.Potential("y", -pt.softplus((1 - 2 * table("y", 150)) * a * (u[:, :1] - b)).sum())
        N("t", c - u[:, 1:], sigma, observed=np.log(d["t"]).reshape(150, 20))

    def f_treatments():
        a, d_, b = N("a", 0, 2, shape=50), N("d", 0, 2, shape=7), N("b", 0, 1)
        w = effects("w", len(d["y"]), half("tau", 1) / np.sqrt(2))
        trial, treat = d["trial"] - 1, d["treat"] - 1
        eta = a[trial] + pt.concatenate([np.zeros(1), d_])[treat] + b * ((treat > 0) * d["x"][trial]) + w
        pm.Potential("y", (d["y"] * eta - d["n"] * pt.softplus(eta)).sum())

    def f_trial():
        Y, seen, X = visits(d)
        a, B, S = N("a", 0, 5, shape=5), N("B", 0, 2, shape=(2, 5)), correlated(5, 2)
        z = pt.dot((Y - a - pt.dot(X, B)) * seen, pt.linalg.solve_triangular(S, np.eye(5), lower=True).T)
        pm.Potential("y", -0.5 * (seen * z ** 2).sum() - pt.dot(seen.sum(0), pt.log(pt.diag(S))))

    def f_cohorts():
        a, (u, v, w) = N("a", -6, 3), (walk(k, n, half("s" + k, 1)) for k, n in (("u", 16), ("v", 25), ("w", 40)))
        phi, cohort = pm.Gamma("phi", 2, 0.1), d["cohort"].reshape(16, 25) - 1
        eta = np.log(d["e"]).reshape(16, 25) + a + u[:, None] + v + w[cohort]
        y, log = table("y", 16), pt.log(phi)
        pm.Potential("y", (y * eta - (y + phi) * pt.logaddexp(eta, log) + pt.gammaln(y + phi)).sum() + 400 * (phi * log - pt.gammaln(phi)))

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    fish="m L tau u t0 sigma", compositions="a B s u c h", diets="mu omega a s u sigma", lotteries="m s alpha lambda gamma phi", moods="m L tau u", ranks="a b s u",
    speed="L tau u a sb b mc sc c sigma", treatments="a d b tau w", trial="a B L tau", cohorts="a su u sv v sw w phi").items()}
