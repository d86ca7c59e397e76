"""Ten problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen5.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior, everything is vectorised, and what data alone determine is computed beforehand."""
import numpy as np

from unseen2 import groups, logistic


def drinks(r):
    """Drinks of 200 persons on twelve days, who pass between a light and a heavy state, as a covariate says."""
    x, u = r.normal(size=(200, 12)).round(4), 0.4 * r.normal(size=200)
    z, y = r.random(200) < 0.4, []
    for t in range(12):
        z = r.random(200) < logistic(np.where(z, 1.2, -1.5) + 0.6 * x[:, t]) if t else z
        y.append(r.poisson(np.exp(np.where(z, 1.5, -0.3) + u)))
    return dict(Y=np.array(y).T, X=x)


def published(r):
    """300 estimates with known standard errors of 60 papers; those that are not significant were published less often."""
    g, x, u, kept = np.repeat(np.arange(60), 5), r.normal(size=300).round(4), 0.2 * r.normal(size=60), []
    for i, k in zip(g, x):
        while True:
            se = np.exp(r.uniform(np.log(0.08), np.log(0.4))).round(4)
            y = (0.15 + 0.1 * k + u[i] + np.hypot(0.15, se) * r.normal()).round(4)
            if r.random() < (1 if y > 1.96 * se else 0.5 if y > 0 else 0.2):
                break
        kept.append((y, se))
    y, se = np.array(kept).T
    return dict(y=y, se=se, x=x, g=g + 1)


def leecarter(r):
    """Deaths in 20 ages and 40 years, with exposures: a path over the years, which each age follows at a pace of its own."""
    age, e = np.arange(20), r.uniform(2e3, 2e4, (20, 40)).round()
    b = np.exp(-0.5 * ((age - 6) / 7) ** 2) + 0.3
    k = np.cumsum(-0.35 + 0.4 * r.normal(size=40))
    m = -6 + 0.22 * age + 0.1 * r.normal(size=20)
    return dict(D=r.poisson(e * np.exp(m[:, None] + np.outer(b / b.sum(), k))), E=e)


def probits(r):
    """300 rows of three binary responses that depend on each other, two covariates."""
    x = r.normal(size=(300, 2)).round(4)
    e = r.multivariate_normal(np.zeros(3), [[1, 0.6, 0.3], [0.6, 1, 0.5], [0.3, 0.5, 1]], 300)
    return dict(Y=(np.array([0.2, -0.3, 0.5]) + x @ np.array([[0.6, 0.3, -0.4], [0.2, -0.5, 0.3]]) + e > 0).astype(int), X=x)


def quarters(r):
    """Accidents in 160 quarters: a level, its slope, seasons that change, and a law after the hundredth."""
    law, q = (np.arange(160) >= 100).astype(int), [0.2, -0.1, -0.25]
    for t in range(157):
        q.append(0.03 * r.normal() - sum(q[-3:]))
    level = 4.2 + np.cumsum(np.cumsum(0.004 * r.normal(size=160)) + 0.04 * r.normal(size=160))
    return dict(y=r.poisson(np.exp(level + np.array(q) - 0.3 * law)), law=law)


def distances(r):
    """Animals along 200 lines in 25 regions, in four classes of distance; the farther they are, the fewer of them are seen."""
    g, x, z = groups(r, 200, 25), r.normal(size=(200, 2)).round(4), r.normal(size=200).round(4)
    n, width = r.poisson(np.exp(2 + x @ np.array([0.4, -0.3]) + 0.5 * r.normal(size=25)[g])), np.exp(-0.9 + 0.25 * z)
    y = np.zeros((200, 4), int)
    for i in range(200):
        d = r.random(n[i])
        np.add.at(y[i], (4 * d[r.random(n[i]) < np.exp(-0.5 * (d / width[i]) ** 2)]).astype(int), 1)
    return dict(Y=y, X=x, z=z, g=g + 1, near=[0, 0.25, 0.5, 0.75], far=[0.25, 0.5, 0.75, 1])


def changes(r):
    """Counts of 40 places in 60 years, whose rates change once, each place's in a year of its own."""
    u, d, when = 1 + 0.5 * r.normal(size=40), 0.5 + 0.6 * r.normal(size=40), r.integers(5, 56, 40)
    return dict(Y=r.poisson(np.exp(u[:, None] + d[:, None] * (np.arange(60) >= when[:, None]))))


def excesses(r):
    """1,500 losses above a threshold in 50 lines of business, generalised Pareto, with two covariates."""
    g, x = groups(r, 1500, 50), r.normal(size=(1500, 2)).round(4)
    scale, xi = np.exp(0.5 + x @ np.array([0.4, -0.2]) + 0.5 * r.normal(size=50)[g]), np.exp(-1.2 + 0.3 * r.normal(size=50))[g]
    return dict(y=(scale * ((1 - r.random(1500)) ** -xi - 1) / xi).round(5) + 1e-5, X=x, g=g + 1)


def frontier(r):
    """1,000 farms in 40 regions, whose outputs fall short of what they could be, with three inputs."""
    g, x = groups(r, 1000, 40), r.normal(size=(1000, 3)).round(4)
    y = 1 + x @ np.array([0.5, 0.3, 0.1]) + 0.3 * r.normal(size=40)[g] + 0.25 * r.normal(size=1000) - 0.5 * abs(r.normal(size=1000))
    return dict(y=y.round(5), X=x, g=g + 1)


def gifts(r):
    """Gifts between 25 households in both directions: 300 pairs, what a household gives and takes, and what two have with each other."""
    a, b = np.triu_indices(25, 1)
    x, u = r.normal(size=300).round(4), r.multivariate_normal([0, 0], [[0.5, -0.15], [-0.15, 0.2]], 25)
    d = 0.6 * r.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 300)
    one, two = np.exp(0.6 - 0.3 * x + u[a, 0] + u[b, 1] + d[:, 0]), np.exp(0.6 - 0.3 * x + u[b, 0] + u[a, 1] + d[:, 1])
    return dict(ab=r.poisson(one), ba=r.poisson(two), A=a + 1, B=b + 1, x=x)


PROBLEMS = dict(drinks=drinks, published=published, leecarter=leecarter, probits=probits, quarters=quarters, distances=distances, changes=changes, excesses=excesses, frontier=frontier,
                gifts=gifts)


def seasons(n):
    """The seasons of n quarters as two matrices: of the first three, and of the changes of the others."""
    first, moved = np.zeros((n, 3)), np.zeros((n, n - 3))
    first[:3] = np.eye(3)
    for t in range(3, n):
        first[t], moved[t] = (-m[t - 3:t].sum(0) for m in (first, moved))
        moved[t, t - 3] += 1
    return first, moved


def until(Y):
    """Of each place and year the years and the counts up to it, and those after it."""
    years, total = np.arange(1, Y.shape[1] + 1), Y.cumsum(1)
    return years, total, Y.shape[1] - years, total[:, -1:] - total


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from jax.scipy.special import log_ndtr, logsumexp, ndtr, ndtri
    from jax.scipy.stats import norm
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    C, N, half = D.constraints, D.Normal, D.HalfNormal
    g = d["g"] - 1 if "g" in d else None
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else n).to_event())

    def f_drinks():
        m = sample("m", D.ImproperUniform(C.ordered_vector, (), (2,)))
        factor("prior", norm.logpdf(m, 0, 2).sum())
        u, c, a, b = many("u", 200, N(0, sample("s", half(1)))), sample("c", N(0, 2)), many("a", 2, N(0, 2)), sample("b", N(0, 1))
        eta = m[:, None, None] + u[:, None]
        each = d["Y"] * eta - jnp.exp(eta)
        most = each.max(0)
        (light, heavy), (up, on) = jnp.exp(each - most), jax.nn.sigmoid(a[:, None, None] + b * d["X"])
        p, q = jax.nn.sigmoid(-c) * light[:, 0], jax.nn.sigmoid(c) * heavy[:, 0]
        for t in range(1, 12):
            rise = p * up[:, t] + q * on[:, t]
            p, q = (p + q - rise) * light[:, t], rise * heavy[:, t]
        factor("y", (most.sum(1) + jnp.log(p + q)).sum())

    def f_published():
        m = sample("mu", N(0, 1)) + sample("b", N(0, 1)) * d["x"] + many("u", 60, N(0, sample("s", half(0.5))))[g]
        sd, w = jnp.sqrt(sample("tau", half(0.5)) ** 2 + d["se"] ** 2), many("w", 2, D.Beta(2, 2))
        significant, positive = ndtr((m - 1.96 * d["se"]) / sd), ndtr(m / sd)
        sample("y", N(m, sd), obs=d["y"])
        kinds = np.array([((raw["y"] > 0) & (raw["y"] <= 1.96 * raw["se"])).sum(), (raw["y"] <= 0).sum()])
        factor("published", (kinds * jnp.log(w)).sum() - jnp.log(significant + w[0] * (positive - significant) + w[1] * (1 - positive)).sum())

    def f_leecarter():
        a, b = many("a", 20, N(-4, 3)), sample("b", D.Dirichlet(jnp.ones(20)))
        drift, s, k = sample("drift", N(0, 1)), sample("s", half(1)), sample("k", D.ImproperUniform(C.real_vector, (), (40,)))
        factor("walk", norm.logpdf(jnp.diff(k, prepend=0), drift, s).sum())
        eta = a[:, None] + b[:, None] * k
        factor("D", (d["D"] * eta - d["E"] * jnp.exp(eta)).sum())

    def f_probits():
        L, sign = sample("L", D.LKJCholesky(3, 2.0)), 2 * d["Y"] - 1
        m, u = many("a", 3, N(0, 2)) + d["X"] @ many("B", (2, 3), N(0, 1)), many("lp.u", (300, 2), D.Uniform(0, 1))
        one = sign[:, 0] * m[:, 0]
        e = -sign[:, 0] * ndtri(u[:, 0] * ndtr(one))
        two = sign[:, 1] * (m[:, 1] + L[1, 0] * e) / L[1, 1]
        f = -sign[:, 1] * ndtri(u[:, 1] * ndtr(two))
        three = sign[:, 2] * (m[:, 2] + L[2, 0] * e + L[2, 1] * f) / L[2, 2]
        factor("y", log_ndtr(jnp.stack([one, two, three])).sum())

    def f_quarters():
        first, moved = seasons(160)
        a, b = sample("a", N(0, 5)), sample("b", N(0, 1))
        sg, sh, sv = (det(name, s * sample("z_" + name, half(1))) for name, s in (("sg", 0.1), ("sh", 0.2), ("sv", 0.2)))  # starts are near 1
        slope, e = det("g", sg * jnp.cumsum(many("z_g", 160, N(0, 1)))), many("e", 160, N(0, 1))
        eta = a + jnp.cumsum(slope + sh * e) + first @ many("q", 3, N(0, 1)) + sv * (moved @ many("v", 157, N(0, 1))) + b * d["law"]
        factor("y", (d["y"] * eta - jnp.exp(eta)).sum())

    def f_distances():
        eta = sample("a", N(0, 3)) + d["X"] @ many("b", 2, N(0, 1)) + many("u", 25, N(0, sample("s", half(1))))[g]
        width = jnp.exp(sample("c", N(0, 1)) + sample("h", N(0, 1)) * d["z"])
        beyond = ndtr(-jnp.append(d["near"][0], d["far"]) / width[:, None])
        eta = (eta + jnp.log(width) + 0.5 * np.log(2 * np.pi))[:, None] + jnp.log(-jnp.diff(beyond) + 1e-300)
        factor("y", (d["Y"] * eta - jnp.exp(eta)).sum())

    def f_changes():
        years, counts, left, others = until(raw["Y"])
        u = many("u", 40, N(sample("m", N(1, 1)), sample("s", half(1))))
        v = u + many("d", 40, N(sample("n", N(0, 1)), sample("t", half(1))))
        u, v = u[:, None], v[:, None]
        factor("y", logsumexp(counts * u - years * jnp.exp(u) + others * v - left * jnp.exp(v), 1).sum())

    def f_excesses():
        eta = sample("a", N(0, 3)) + d["X"] @ many("b", 2, N(0, 1)) + many("u", 50, N(0, sample("s", half(1))))[g]
        xi = det("xi", jnp.exp(sample("m", N(-1, 1)) + sample("t", half(0.5)) * many("z", 50, N(0, 1))))[g]
        factor("y", -(eta + (1 + 1 / xi) * jnp.log1p(xi * d["y"] * jnp.exp(-eta))).sum())

    def f_frontier():
        m = sample("a", N(0, 5)) + d["X"] @ many("b", 3, N(0, 1)) + many("u", 40, N(0, sample("s", half(1))))[g]
        v, w = sample("v", half(1)), sample("w", half(1))
        sd = jnp.sqrt(v ** 2 + w ** 2)
        z = (d["y"] - m) / sd
        factor("y", (log_ndtr(-w / v * z) - 0.5 * z ** 2).sum() - 1000 * jnp.log(sd))

    def f_gifts():
        L, tau = sample("L", D.LKJCholesky(2, 4.0)), many("tau", 2, D.Exponential(1))
        u = sample("u", D.MultivariateNormal(jnp.zeros(2), scale_tril=tau[:, None] * L).expand([25]).to_event())
        M, s = sample("M", D.LKJCholesky(2, 8.0)), sample("s", D.Exponential(1))
        each = det("d", s * many("z", (300, 2), N(0, 1)) @ M.T)
        i, j, m = d["A"] - 1, d["B"] - 1, sample("a", N(0, 1)) + sample("b", N(0, 1)) * d["x"]
        eta = jnp.stack([m + u[i, 0] + u[j, 1] + each[:, 0], m + u[j, 0] + u[i, 1] + each[:, 1]])
        factor("y", (jnp.stack([d["ab"], d["ba"]]) * eta - jnp.exp(eta)).sum())

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half = pm.Normal, pm.HalfNormal
    ndtr = lambda x: 0.5 * pt.erfc(-x / np.sqrt(2))
    ndtri = lambda p: -np.sqrt(2) * pt.erfcinv(2 * p)
    log_ndtr = lambda x: pm.logcdf(N.dist(0, 1), x)
    g = d["g"] - 1 if "g" in d else None

    def f_drinks():
        m = N("m", 0, 2, shape=2, transform=pm.distributions.transforms.ordered, initval=np.array([-0.5, 1.0]))
        u, c, a, b = N("u", 0, half("s", 1), shape=200), N("c", 0, 2), N("a", 0, 2, shape=2), N("b", 0, 1)
        eta = m[:, None, None] + u[:, None]
        each = d["Y"] * eta - pt.exp(eta)
        most = each.max(0)
        weight, move = pt.exp(each - most), pt.sigmoid(a[:, None, None] + b * d["X"])
        p, q = pt.sigmoid(-c) * weight[0, :, 0], pt.sigmoid(c) * weight[1, :, 0]
        for t in range(1, 12):
            rise = p * move[0, :, t] + q * move[1, :, t]
            p, q = (p + q - rise) * weight[0, :, t], rise * weight[1, :, t]
        pm.Potential("y", (most.sum(1) + pt.log(p + q)).sum())

    def f_published():
        m = N("mu", 0, 1) + N("b", 0, 1) * d["x"] + N("u", 0, half("s", 0.5), shape=60)[g]
        sd, w = pt.sqrt(half("tau", 0.5) ** 2 + d["se"] ** 2), pm.Beta("w", 2, 2, shape=2)
        significant, positive = ndtr((m - 1.96 * d["se"]) / sd), ndtr(m / sd)
        N("y", m, sd, observed=d["y"])
        kinds = np.array([((d["y"] > 0) & (d["y"] <= 1.96 * d["se"])).sum(), (d["y"] <= 0).sum()])
        pm.Potential("published", (kinds * pt.log(w)).sum() - pt.log(significant + w[0] * (positive - significant) + w[1] * (1 - positive)).sum())

    def f_leecarter():
        a, b = N("a", -4, 3, shape=20), pm.Dirichlet("b", np.ones(20))
        drift, s, k = N("drift", 0, 1), half("s", 1), pm.Flat("k", shape=40, initval=np.zeros(40))
        pm.Potential("walk", -0.5 * ((k[0] - drift) ** 2 + ((k[1:] - k[:-1] - drift) ** 2).sum()) / s ** 2 - 40 * pt.log(s))
        eta = a[:, None] + b[:, None] * k
        pm.Potential("D", (d["D"] * eta - d["E"] * pt.exp(eta)).sum())

    def f_probits():
        r, p = 2 * pm.Beta("r", 2.5, 2.5, shape=2) - 1, 2 * pm.Beta("p", 2, 2) - 1  # correlations with the first, and the partial one of the others: LKJ(2)
        down, zero = pt.sqrt(1 - r ** 2), pt.zeros(())
        L = pm.Deterministic("L", pt.stack([pt.stack(k) for k in ([zero + 1, zero, zero], [r[0], down[0], zero], [r[1], p * down[1], down[1] * pt.sqrt(1 - p ** 2)])]))
        sign = 2 * d["Y"] - 1
        m, u = N("a", 0, 2, shape=3) + pt.dot(d["X"], N("B", 0, 1, shape=(2, 3))), pm.Uniform("lp.u", 0, 1, shape=(300, 2))
        one = sign[:, 0] * m[:, 0]
        e = -sign[:, 0] * ndtri(u[:, 0] * ndtr(one))
        two = sign[:, 1] * (m[:, 1] + L[1, 0] * e) / L[1, 1]
        f = -sign[:, 1] * ndtri(u[:, 1] * ndtr(two))
        three = sign[:, 2] * (m[:, 2] + L[2, 0] * e + L[2, 1] * f) / L[2, 2]
        pm.Potential("y", log_ndtr(pt.stack([one, two, three])).sum())

    def f_quarters():
        first, moved = seasons(160)
        a, b, sg, sh, sv = N("a", 0, 5), N("b", 0, 1), half("sg", 0.1), half("sh", 0.2), half("sv", 0.2)
        slope, e = pm.Deterministic("g", sg * pt.cumsum(N("z_g", 0, 1, shape=160))), N("e", 0, 1, shape=160)
        eta = a + pt.cumsum(slope + sh * e) + pt.dot(first, N("q", 0, 1, shape=3)) + sv * pt.dot(moved, N("v", 0, 1, shape=157)) + b * d["law"]
        pm.Potential("y", (d["y"] * eta - pt.exp(eta)).sum())

    def f_distances():
        eta = N("a", 0, 3) + pt.dot(d["X"], N("b", 0, 1, shape=2)) + N("u", 0, half("s", 1), shape=25)[g]
        width = pt.exp(N("c", 0, 1) + N("h", 0, 1) * d["z"])
        beyond = ndtr(-np.append(d["near"][0], d["far"]) / width[:, None])
        eta = (eta + pt.log(width) + 0.5 * np.log(2 * np.pi))[:, None] + pt.log(beyond[:, :-1] - beyond[:, 1:] + 1e-300)
        pm.Potential("y", (d["Y"] * eta - pt.exp(eta)).sum())

    def f_changes():
        years, counts, left, others = until(d["Y"])
        u = N("u", N("m", 1, 1), half("s", 1), shape=40)
        v = u + N("d", N("n", 0, 1), half("t", 1), shape=40)
        u, v = u[:, None], v[:, None]
        lp = counts * u - years * pt.exp(u) + others * v - left * pt.exp(v)
        most = lp.max(1, keepdims=True)  # the slope of PyTensor's logsumexp overflows above 709
        pm.Potential("y", (most[:, 0] + pt.log(pt.exp(lp - most).sum(1))).sum())

    def f_excesses():
        eta = N("a", 0, 3) + pt.dot(d["X"], N("b", 0, 1, shape=2)) + N("u", 0, half("s", 1), shape=50)[g]
        xi = pm.Deterministic("xi", pt.exp(N("m", -1, 1) + half("t", 0.5) * N("z", 0, 1, shape=50)))[g]
        pm.Potential("y", -(eta + (1 + 1 / xi) * pt.log1p(xi * d["y"] * pt.exp(-eta))).sum())

    def f_frontier():
        m = N("a", 0, 5) + pt.dot(d["X"], N("b", 0, 1, shape=3)) + N("u", 0, half("s", 1), shape=40)[g]
        v, w = half("v", 1), half("w", 1)
        sd = pt.sqrt(v ** 2 + w ** 2)
        z = (d["y"] - m) / sd
        pm.Potential("y", (log_ndtr(-w / v * z) - 0.5 * z ** 2).sum() - 1000 * pt.log(sd))

    def f_gifts():
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=4, n=2, sd_dist=pm.Exponential.dist(1, shape=2))
        pm.Deterministic("tau", tau), pm.Deterministic("L", chol / tau[:, None])
        u, s = pm.MvNormal("u", np.zeros(2), chol=chol, shape=(25, 2)), pm.Exponential("s", 1)
        r, zero = 2 * pm.Beta("r", 8, 8) - 1, pt.zeros(())  # LKJ(8)
        M = pm.Deterministic("M", pt.stack([pt.stack(k) for k in ([zero + 1, zero], [r, pt.sqrt(1 - r ** 2)])]))
        each = pm.Deterministic("d", s * pt.dot(N("z", 0, 1, shape=(300, 2)), M.T))
        i, j, m = d["A"] - 1, d["B"] - 1, N("a", 0, 1) + N("b", 0, 1) * d["x"]
        eta = pt.stack([m + u[i, 0] + u[j, 1] + each[:, 0], m + u[j, 0] + u[i, 1] + each[:, 1]])
        pm.Potential("y", (np.stack([d["ab"], d["ba"]]) * eta - pt.exp(eta)).sum())

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    drinks="m s u c a b", published="mu b s u tau w", leecarter="a b drift s k", probits="L a B lp.u", quarters="a b sg g sh e q sv v", distances="a b s u c h", changes="m s u n t d",
    excesses="a b s u m t xi", frontier="a b s u v w", gifts="a b L tau u M s d").items()}
