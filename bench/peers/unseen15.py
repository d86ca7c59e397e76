"""Four problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen12.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, what data
alone determine is computed beforehand, walks are cumulative sums, and when a customer left is summed out."""
import os

import numpy as np

CENTRED = set("customers states supernovae".split()) ^ set(os.environ.get("OTHER", "").split())


def customers(r):
    """Up to 104 weeks of 1,800 customers, who came in 18 months, with two covariates."""
    n, g = 1800, np.repeat(np.arange(18), 100)
    X = np.c_[r.random(n) < 0.4, r.normal(size=n)].round(4)
    age = (104 - 4.345 * g - r.uniform(0, 4.3, n)).round(2)
    rate = np.exp(-2 + X @ np.array([0.3, 0.2]) + 0.2 * r.normal(size=18)[g]) * r.gamma(0.9, 1 / 0.9, n)
    mean = 1 / (1 + np.exp(1.6 - X @ np.array([-0.4, 0.15])))
    leaves, x, last = r.beta(2.5 * mean, 2.5 * (1 - mean)), np.zeros(n, int), np.zeros(n)
    for i in range(n):
        t = r.exponential() / rate[i]
        while t < age[i]:
            x[i], last[i] = x[i] + 1, t
            if r.random() < leaves[i]:
                break
            t += r.exponential() / rate[i]
    return dict(x=x, last=last.round(4), age=age, X=X, g=g + 1)


def modes(r):
    """Eight trips of each of 300 travellers, with two covariates: has a car, income."""
    g = np.repeat(np.arange(300), 8)
    X = np.c_[r.random(300) < 0.7, r.normal(size=300)].round(4)[g]
    km = r.lognormal(1.8, 0.6, 2400)
    time = np.c_[km / 32 + 0.12, km / 17 + r.uniform(0.1, 0.3, 2400), km / 38 + r.uniform(0.2, 0.5, 2400), km / 15 + 0.03] * np.exp(0.15 * r.normal(size=(2400, 4)))
    cost = np.c_[0.05 * km + r.gamma(1, 0.25, 2400), 0.2 + 0.02 * km, 0.25 + 0.03 * km, 0 * km] * np.exp(0.1 * r.normal(size=(2400, 4)))
    V = np.c_[np.zeros(2400), np.array([0.6, 0.9, 0.2]) + X @ np.array([[-1.2, -1.0, -0.9], [-0.3, 0.1, 0.0]])]
    V += -0.9 * cost - np.exp(0.8 + 0.5 * r.normal(size=300))[g, None] * time
    V[:, 1:3] += 0.7 * r.normal(size=300)[g, None]
    both = 0.55 * np.logaddexp(V[:, 1] / 0.55, V[:, 2] / 0.55)
    public = np.exp(both) / (np.exp(V[:, 0]) + np.exp(both) + np.exp(V[:, 3]))
    bus, car = 1 / (1 + np.exp((V[:, 2] - V[:, 1]) / 0.55)), 1 / (1 + np.exp(V[:, 3] - V[:, 0]))
    y = np.where(r.random(2400) < public, np.where(r.random(2400) < bus, 2, 3), np.where(r.random(2400) < car, 1, 4))
    return dict(y=y, time=time.round(4), cost=cost.round(4), X=X, g=g + 1)


def states(r):
    """500 polls in 16 states and 120 in the nation in 26 weeks, by 25 pollsters."""
    share = r.dirichlet(4 * np.ones(16)).round(6)
    place = r.normal(size=(16, 3))
    C = np.linalg.cholesky(0.25 + 0.75 * np.exp(-0.15 * ((place[:, None] - place) ** 2).sum(2))).round(6)
    before = (0.3 * r.normal(size=16) + 0.05).round(4)
    theta = before + (np.r_[0.12, np.full(25, 0.035)][:, None] * (r.normal(size=(26, 16)) @ C.T)).cumsum(0)
    weeks, close = (np.arange(26) + 3.0) / np.arange(3, 29).sum(), np.exp(-2 * abs(before)) * np.sqrt(share)
    week, on = np.sort(r.choice(26, 500, p=weeks)), np.sort(r.choice(26, 120, p=weeks))
    state, lean, p = r.choice(16, 500, p=close / close.sum()), 0.07 * r.normal(size=25), r.dirichlet(np.ones(25))
    house, by = r.choice(25, 500, p=p), r.choice(25, 120, p=p)
    house[:25] = r.permutation(25)
    n, size = r.lognormal(6.5, 0.3, 500).astype(int), r.lognormal(7, 0.3, 120).astype(int)
    nation = (1 / (1 + np.exp(-theta))) @ share
    nation = np.log(nation / (1 - nation))
    prob = lambda eta: 1 / (1 + np.exp(-eta))
    y = r.binomial(n, prob(theta[week, state] + lean[house] + 0.08 * r.normal(size=500)))
    Y = r.binomial(size, prob(nation[on] + lean[by] + 0.05 * r.normal(size=120)))
    return dict(y=y, n=n, week=week + 1, state=state + 1, house=house + 1, Y=Y, size=size, on=on + 1, by=by + 1, C=C, before=before, share=share)


def supernovae(r):
    """600 of six surveys, of which some see farther than others."""
    survey = np.repeat(np.arange(6), [120, 80, 140, 130, 80, 50])
    z = (r.beta(2.2, 2.5, 600) * np.array([0.08, 0.12, 0.4, 0.9, 1.1, 1.6])[survey] + 0.012).round(5)
    node, part = np.polynomial.legendre.leggauss(10)
    node, part = (node + 1) / 2, part / 2
    a = 1 + np.outer(z, node)
    D = z * ((0.3 * a ** 3 + 0.7) ** -0.5 @ part)
    heavy = (r.random(600) < 0.55).astype(int)
    X, C = 0.3 - 0.6 * heavy + 0.9 * r.normal(size=600), -0.03 + 0.08 * r.normal(size=600)
    dy, dx, dc = (0.04 + 0.05 * r.gamma(2, 0.5, 600) + 0.04 * z).round(4), (0.1 + 0.3 * r.gamma(2, 0.5, 600) * (0.3 + z)).round(4), (0.015 + 0.02 * r.gamma(2, 0.5, 600) * (0.5 + z)).round(4)
    mu = 23.85 + 5 * np.log10((1 + z) * D) + 0.03 * r.normal(size=6)[survey]
    y = mu - 0.14 * X + 3.0 * C - 0.06 * heavy + np.hypot(dy, 0.1) * r.standard_t(6, 600)
    return dict(y=y.round(4), x=(X + dx * r.normal(size=600)).round(4), c=(C + dc * r.normal(size=600)).round(4), dy=dy, dx=dx, dc=dc, z=z, heavy=heavy, survey=survey + 1, node=node, part=part)


PROBLEMS = dict(customers=customers, modes=modes, states=states, supernovae=supernovae)


def numpyro_model(problem, d):
    import jax
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

    def f_customers():
        m, b, u, r = sample("m", N(-2, 1)), many("b", 2, N(0, 1)), effects("u", 18, sample("s", half(0.5))), sample("r", D.Gamma(2, 1))
        odds, kappa = sample("d", N(-1, 1)) + d["X"] @ many("h", 2, N(0, 1)), sample("kappa", D.Gamma(2, 0.5))
        x, some, none = raw["x"], np.flatnonzero(raw["x"]), np.flatnonzero(raw["x"] == 0)
        q, log = kappa * jax.nn.sigmoid(-odds), jnp.log(r) - m - d["X"] @ b - u[raw["g"] - 1]
        alpha, (values, times) = jnp.exp(log), np.unique(x, return_counts=True)
        factor("x", times @ (gammaln(r + values) - gammaln(kappa + values)) + len(x) * (gammaln(kappa) - gammaln(r)) + r * log.sum() + (gammaln(q[some] + x[some]) - gammaln(q[some])).sum())
        stays = -(r + x) * jnp.log(alpha + d["age"])
        left = jnp.log(kappa) + jax.nn.log_sigmoid(odds[some]) - jnp.log(q[some] + x[some] - 1) - (r + x[some]) * jnp.log(alpha[some] + raw["last"][some])
        factor("last", stays[none].sum() + jnp.logaddexp(stays[some], left).sum())

    def f_modes():
        a, B, c = many("a", 3, N(0, 2)), many("B", (2, 3), N(0, 1)), sample("c", N(0, 1))
        t, u = effects("t", 300, sample("s", half(1)), sample("m", N(0, 1))), effects("u", 300, sample("su", half(1)))
        scale, g = sample("lambda", D.Uniform(0, 1)), raw["g"] - 1
        V = -jnp.exp(c) * d["cost"] - jnp.exp(t)[g][:, None] * d["time"]
        V = V + jnp.concatenate([jnp.zeros((2400, 1)), a + d["X"] @ B], 1)
        public = (V[:, 1:3] + u[g][:, None]) / scale
        both = jnp.logaddexp(public[:, 0], public[:, 1])
        y = [np.flatnonzero(raw["y"] == k) for k in (1, 2, 3, 4)]
        rides = np.flatnonzero((raw["y"] == 2) | (raw["y"] == 3))
        chosen = V[y[0], 0].sum() + public[y[1], 0].sum() + public[y[2], 1].sum() + V[y[3], 3].sum() + (scale - 1) * both[rides].sum()
        factor("y", chosen - jnp.logaddexp(jnp.logaddexp(V[:, 0], V[:, 3]), scale * both).sum())

    def f_states():
        s0, s, z, h = sample("s0", half(0.5)), sample("s", half(0.1)), many("z", (26, 16), N(0, 1)), effects("h", 25, sample("sh", half(0.2)))
        e, f = (det(k, sample(s, half(0.2)) * many("z_" + k, n, N(0, 1))) for k, s, n in (("e", "se", 500), ("f", "sn", 120)))
        theta = d["before"] + jnp.cumsum((z @ d["C"].T) * jnp.append(s0, jnp.full(25, s))[:, None], 0)
        nation = jax.nn.sigmoid(theta) @ d["share"]
        eta = theta[raw["week"] - 1, raw["state"] - 1] + h[raw["house"] - 1] + e
        all_ = (jnp.log(nation) - jnp.log1p(-nation))[raw["on"] - 1] + h[raw["by"] - 1] + f
        factor("y", (d["y"] * eta - d["n"] * jax.nn.softplus(eta)).sum())
        factor("Y", (d["Y"] * all_ - d["size"] * jax.nn.softplus(all_)).sum())

    def f_supernovae():
        Om, w, M, alpha, beta, step = sample("Om", D.Beta(2, 4)), sample("w", N(-1, 0.5)), sample("M", N(24, 1)), sample("alpha", N(0, 0.5)), sample("beta", N(3, 1)), sample("step", N(0, 0.1))
        o, mx, tx = effects("o", 6, sample("so", half(0.1))), many("mx", 2, N(0, 1)), sample("tx", half(1))
        X, C = effects("X", 600, tx, mx[0] + mx[1] * d["heavy"]), effects("C", 600, sample("tc", half(0.2)), sample("mc", N(0, 0.1)))
        sigma, nu = sample("sigma", half(0.2)), sample("nu", D.Gamma(2, 0.1))
        log = np.log1p(np.outer(raw["z"], raw["node"]))
        far = (Om * np.exp(3 * log) + (1 - Om) * jnp.exp(3 * (1 + w) * log)) ** -0.5 @ d["part"]
        mu = M + 5 * np.log10((1 + raw["z"]) * raw["z"]) + 5 / np.log(10) * jnp.log(far) + o[raw["survey"] - 1]
        sample("x", N(X, d["dx"]).to_event(), obs=d["x"])
        sample("c", N(C, d["dc"]).to_event(), obs=d["c"])
        sample("y", D.StudentT(nu, mu - alpha * X + beta * C - step * d["heavy"], jnp.sqrt(d["dy"] ** 2 + sigma ** 2)).to_event(), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def f_customers():
        m, b, u, r = N("m", -2, 1), N("b", 0, 1, shape=2), effects("u", 18, half("s", 0.5)), pm.Gamma("r", 2, 1)
        odds, kappa = N("d", -1, 1) + pt.dot(d["X"], N("h", 0, 1, shape=2)), pm.Gamma("kappa", 2, 0.5)
        x, some, none = d["x"], np.flatnonzero(d["x"]), np.flatnonzero(d["x"] == 0)
        q, log = kappa * pt.sigmoid(-odds), pt.log(r) - m - pt.dot(d["X"], b) - u[d["g"] - 1]
        alpha, (values, times) = pt.exp(log), np.unique(x, return_counts=True)
        pm.Potential("x", (times * (pt.gammaln(r + values) - pt.gammaln(kappa + values))).sum() + len(x) * (pt.gammaln(kappa) - pt.gammaln(r)) + r * log.sum()
                     + (pt.gammaln(q[some] + x[some]) - pt.gammaln(q[some])).sum())
        stays = -(r + x) * pt.log(alpha + d["age"])
        left = pt.log(kappa) - pt.softplus(-odds[some]) - pt.log(q[some] + x[some] - 1) - (r + x[some]) * pt.log(alpha[some] + d["last"][some])
        pm.Potential("last", stays[none].sum() + pt.logaddexp(stays[some], left).sum())

    def f_modes():
        a, B, c = N("a", 0, 2, shape=3), N("B", 0, 1, shape=(2, 3)), N("c", 0, 1)
        t, u = effects("t", 300, half("s", 1), N("m", 0, 1)), effects("u", 300, half("su", 1))
        scale, g = pm.Uniform("lambda", 0, 1), d["g"] - 1
        V = -pt.exp(c) * d["cost"] - pt.exp(t)[g][:, None] * d["time"]
        V = V + pt.concatenate([np.zeros((2400, 1)), a + pt.dot(d["X"], B)], 1)
        public = (V[:, 1:3] + u[g][:, None]) / scale
        both = pt.logaddexp(public[:, 0], public[:, 1])
        y = [np.flatnonzero(d["y"] == k) for k in (1, 2, 3, 4)]
        rides = np.flatnonzero((d["y"] == 2) | (d["y"] == 3))
        chosen = V[y[0], 0].sum() + public[y[1], 0].sum() + public[y[2], 1].sum() + V[y[3], 3].sum() + (scale - 1) * both[rides].sum()
        pm.Potential("y", chosen - pt.logaddexp(pt.logaddexp(V[:, 0], V[:, 3]), scale * both).sum())

    def f_states():
        s0, s, z, h = half("s0", 0.5), half("s", 0.1), N("z", 0, 1, shape=(26, 16)), effects("h", 25, half("sh", 0.2))
        e, f = (pm.Deterministic(k, half(s, 0.2) * N("z_" + k, 0, 1, shape=n)) for k, s, n in (("e", "se", 500), ("f", "sn", 120)))
        theta = d["before"] + pt.cumsum(pt.dot(z, d["C"].T) * pt.concatenate([pt.stack([s0]), pt.repeat(s, 25)])[:, None], 0)
        nation = pt.dot(pt.sigmoid(theta), d["share"])
        eta = theta[d["week"] - 1, d["state"] - 1] + h[d["house"] - 1] + e
        all_ = (pt.log(nation) - pt.log1p(-nation))[d["on"] - 1] + h[d["by"] - 1] + f
        pm.Potential("y", (d["y"] * eta - d["n"] * pt.softplus(eta)).sum())
        pm.Potential("Y", (d["Y"] * all_ - d["size"] * pt.softplus(all_)).sum())

    def f_supernovae():
        Om, w, M, alpha, beta, step = pm.Beta("Om", 2, 4), N("w", -1, 0.5), N("M", 24, 1), N("alpha", 0, 0.5), N("beta", 3, 1), N("step", 0, 0.1)
        o, mx, tx = effects("o", 6, half("so", 0.1)), N("mx", 0, 1, shape=2), half("tx", 1)
        X, C = effects("X", 600, tx, mx[0] + mx[1] * d["heavy"]), effects("C", 600, half("tc", 0.2), N("mc", 0, 0.1))
        sigma, nu = half("sigma", 0.2), pm.Gamma("nu", 2, 0.1)
        log = np.log1p(np.outer(d["z"], d["node"]))
        far = pt.dot((Om * np.exp(3 * log) + (1 - Om) * pt.exp(3 * (1 + w) * log)) ** -0.5, d["part"])
        mu = M + 5 * np.log10((1 + d["z"]) * d["z"]) + 5 / np.log(10) * pt.log(far) + o[d["survey"] - 1]
        N("x", X, d["dx"], observed=d["x"])
        N("c", C, d["dc"], observed=d["c"])
        pm.StudentT("y", nu, mu - alpha * X + beta * C - step * d["heavy"], sigma=pt.sqrt(d["dy"] ** 2 + sigma ** 2), observed=d["y"])

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    customers="m b s u r d h kappa", modes="a B c m s t su u lambda", states="s0 s z sh h se e sn f", supernovae="Om w M alpha beta step so o mx tx mc tc X C sigma nu").items()}
