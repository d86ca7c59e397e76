"""Four problems more that were written down before anything of them was measured; unseen.py runs them with its own and those of unseen2.py to unseen12.py.

As there, an expert writes the peers' programs: effects are centred where rows of a group say more than the prior (CENTRED; OTHER names problems to run in the other coordinates), everything is vectorised, what data
alone determine is computed beforehand, differences of probits are taken in the tail where they are small, and what a person does is summed out."""
import os

import numpy as np

from unseen2 import groups, logistic

CENTRED = set("recognition serology retrieval".split()) ^ set(os.environ.get("OTHER", "").split())


def recognition(r):
    """Thirty old words and thirty new ones of each of 120 persons, six ratings."""
    from scipy.special import ndtr
    g, old = np.repeat(np.arange(120), 2), np.tile([0.0, 1.0], 120)
    d, v, b = 1.3 + 0.45 * r.normal(size=120), 0.22 + 0.15 * r.normal(size=120), 0.3 * r.normal(size=120)
    P = ndtr((np.array([-0.8, 0.0, 0.6, 1.1, 1.8]) + (b[g] - d[g] * old)[:, None]) / np.exp(v[g] * old)[:, None])
    return dict(Y=r.multinomial(30, np.diff(P, prepend=0, append=1)), old=old, g=g + 1)


def serology(r):
    """Twelve groups by age in each of 25 villages, eight periods of eight years."""
    age, g = np.tile(np.array([2, 5, 8, 12, 16, 21, 26, 32, 39, 46, 53, 61.0]), 25), np.repeat(np.arange(25), 12)
    born, start = 64 - age, 8 * np.arange(8)
    E = (start + 8 - np.maximum(start, born[:, None])).clip(0)
    force = np.exp(np.array([-2.7, -2.6, -2.8, -3.1, -3.2, -3.7, -4.0, -4.4]))
    p, n = 1 - np.exp(-(E @ force) * np.exp(0.4 * r.normal(size=25))[g]), r.integers(15, 41, 300)
    return dict(y=r.binomial(n, 0.92 * p + 0.04 * (1 - p)), n=n, E=E, g=g + 1, found=r.binomial(130, 0.92), ill=130, wrong=r.binomial(220, 0.04), well=220)


def genotypes(r):
    """Forty loci of about 30 animals in each of twelve populations."""
    pop, l = np.repeat(np.arange(12), 40), np.tile(np.arange(40), 12)
    q, F, f = r.beta(2, 2, 40).clip(0.05, 0.95), r.beta(3, 27, 12), r.beta(2, 18, 12)
    t = (1 / F - 1)[pop]
    p = r.beta(q[l] * t, (1 - q[l]) * t)
    w = np.stack([p ** 2 + f[pop] * p * (1 - p), 2 * p * (1 - p) * (1 - f[pop]), (1 - p) ** 2 + f[pop] * p * (1 - p)], 1)
    return dict(Y=r.multinomial(r.integers(24, 37, 480), w), pop=pop + 1, l=l + 1)


def retrieval(r):
    """36 sentences for each of 50 persons, half of them under either condition."""
    person, item = np.repeat(np.arange(50), 36), np.tile(np.arange(36), 50)
    x = np.where((person + item) % 2 == 0, 0.5, -0.5)
    u = r.multivariate_normal([0, 0], [[0.0625, 0.03], [0.03, 0.36]], 50)
    eta = 0.8 - 0.5 * x + u[person, 1] + 0.4 * r.normal(size=36)[item]
    first = r.random(1800) < logistic(eta)
    late = ~first & (r.random(1800) < 0.45)
    t = np.exp(0.3 + 0.05 * x + u[person, 0] + 0.12 * r.normal(size=36)[item] + 0.6 * late + 0.3 * r.normal(size=1800))
    return dict(t=t.round(3), correct=(first | late).astype(int), x=x, person=person + 1, item=item + 1)


PROBLEMS = dict(recognition=recognition, serology=serology, genotypes=genotypes, retrieval=retrieval)


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

    def f_recognition():
        c = sample("c", D.ImproperUniform(D.constraints.ordered_vector, (), (5,)))
        factor("prior", N(0, 1.5).log_prob(c).sum())
        m, s = many("m", 2, N(0, 1)), many("s", 3, half(0.5))
        e, v, b = effects("d", 120, s[0], m[0]), det("v", m[1] + s[1] * many("z_v", 120, N(0, 1))), effects("b", 120, s[2])
        z = jnp.concatenate([c + b[:, None], (c + (b - e)[:, None]) * jnp.exp(-v)[:, None]])
        low, high, right = z[:, :-1], z[:, 1:], z[:, :-1] > 0
        big, small = log_ndtr(jnp.where(right, -low, high)), log_ndtr(jnp.where(right, -high, low))
        inner = big + jnp.log1p(-jnp.exp(small - big))
        Y = np.concatenate([raw["Y"][::2], raw["Y"][1::2]])
        factor("y", Y[:, 0] @ log_ndtr(z[:, 0]) + (Y[:, 1:5] * inner).sum() + Y[:, 5] @ log_ndtr(-z[:, 4]))

    def f_serology():
        sens, spec, a, r = sample("sens", D.Beta(1, 1)), sample("spec", D.Beta(1, 1)), sample("a", N(-3, 1)), sample("r", half(0.5))
        z = det("z", r * many("z_z", 7, N(0, 1)))
        u = effects("u", 25, sample("s", half(1)))
        force = jnp.exp(a + jnp.concatenate([jnp.zeros(1), jnp.cumsum(z)]))
        free = jnp.exp(-(d["E"] @ force) * jnp.exp(u)[raw["g"] - 1])
        p = sens - (sens + spec - 1) * free
        sample("found", D.Binomial(raw["ill"], sens), obs=d["found"])
        sample("wrong", D.Binomial(raw["well"], 1 - spec), obs=d["wrong"])
        factor("y", d["y"] @ jnp.log(p) + (d["n"] - d["y"]) @ jnp.log1p(-p))

    def f_genotypes():
        q, F, f = many("q", 40, D.Beta(1, 1)), many("F", 12, D.Beta(1, 9)), many("f", 12, D.Beta(1, 9))
        pop, l, Y = raw["pop"] - 1, raw["l"] - 1, raw["Y"]
        t = (1 / F - 1)[pop]
        p = sample("p", D.Beta(q[l] * t, (1 - q[l]) * t).to_event())
        f_ = f[pop]
        one, none = np.bincount(pop, Y[:, 1]), Y[:, 1] + Y[:, 2]
        factor("y", (Y[:, 0] + Y[:, 1]) @ jnp.log(p) + none @ jnp.log1p(-p) + Y[:, 0] @ jnp.log(p + f_ * (1 - p)) + Y[:, 2] @ jnp.log1p(-p * (1 - f_)) + one @ jnp.log1p(-f))

    def f_retrieval():
        a, b, L, tau, s = many("a", 2, N(0, 1.5)), many("b", 2, N(0, 0.5)), sample("L", D.LKJCholesky(2, 2.0)), many("tau", 2, half(0.5)), many("s", 2, half(0.5))
        if problem in CENTRED:
            u = sample("u", D.MultivariateNormal(jnp.zeros(2), scale_tril=tau[:, None] * L).expand([50]).to_event())
        else:
            u = det("u", many("z_u", (50, 2), N(0, 1)) @ (tau[:, None] * L).T)
        v, w = effects("v", 36, s[0]), effects("w", 36, s[1])
        back, delta, sigma = sample("back", D.Beta(2, 2)), sample("delta", D.LogNormal(-1, 0.5)), sample("sigma", half(0.5))
        person, item, right = raw["person"] - 1, raw["item"] - 1, raw["correct"] == 1
        eta = a[1] + b[1] * d["x"] + u[person, 1] + w[item]
        z = (np.log(raw["t"]) - a[0] - b[0] * d["x"] - u[person, 0] - v[item]) / sigma
        lag = delta / sigma
        later = jnp.log(back) - eta + z * lag - lag ** 2 / 2  # of right answers, less what they have at once
        factor("y", jnp.where(right, softplus(later) - softplus(-eta), jnp.log1p(-back) - softplus(eta)).sum() - (z ** 2).sum() / 2 - len(right) * jnp.log(sigma))

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, half, softplus = pm.Normal, pm.HalfNormal, pt.softplus
    ordered = pm.distributions.transforms.ordered
    log_ndtr = lambda x: pm.logcdf(N.dist(0, 1), x)

    def effects(name, n, s, m=0.0):
        return N(name, m, s, shape=n) if problem in CENTRED else pm.Deterministic(name, m + s * N("z_" + name, 0, 1, shape=n))

    def f_recognition():
        c = N("c", 0, 1.5, shape=5, transform=ordered, initval=np.array([-1.0, -0.5, 0.0, 0.5, 1.0]))
        m, s = N("m", 0, 1, shape=2), half("s", 0.5, shape=3)
        e, v, b = effects("d", 120, s[0], m[0]), pm.Deterministic("v", m[1] + s[1] * N("z_v", 0, 1, shape=120)), effects("b", 120, s[2])
        z = pt.concatenate([c + b[:, None], (c + (b - e)[:, None]) * pt.exp(-v)[:, None]])
        low, high = z[:, :-1], z[:, 1:]
        right = pt.gt(low, 0)
        big, small = log_ndtr(pt.where(right, -low, high)), log_ndtr(pt.where(right, -high, low))
        inner = big + pt.log1p(-pt.exp(small - big))
        Y = np.concatenate([d["Y"][::2], d["Y"][1::2]])
        pm.Potential("y", (Y[:, 0] * log_ndtr(z[:, 0])).sum() + (Y[:, 1:5] * inner).sum() + (Y[:, 5] * log_ndtr(-z[:, 4])).sum())

    def f_serology():
        sens, spec, a, r = pm.Beta("sens", 1, 1), pm.Beta("spec", 1, 1), N("a", -3, 1), half("r", 0.5)
        z = pm.Deterministic("z", r * N("z_z", 0, 1, shape=7))
        u = effects("u", 25, half("s", 1))
        force = pt.exp(a + pt.concatenate([np.zeros(1), pt.cumsum(z)]))
        free = pt.exp(-pt.dot(d["E"].astype(float), force) * pt.exp(u)[d["g"] - 1])
        p = sens - (sens + spec - 1) * free
        pm.Binomial("found", d["ill"], sens, observed=d["found"])
        pm.Binomial("wrong", d["well"], 1 - spec, observed=d["wrong"])
        pm.Potential("y", (d["y"] * pt.log(p) + (d["n"] - d["y"]) * pt.log1p(-p)).sum())

    def f_genotypes():
        q, F, f = pm.Beta("q", 1, 1, shape=40), pm.Beta("F", 1, 9, shape=12), pm.Beta("f", 1, 9, shape=12)
        pop, l, Y = d["pop"] - 1, d["l"] - 1, d["Y"]
        t = (1 / F - 1)[pop]
        p = pm.Beta("p", q[l] * t, (1 - q[l]) * t, shape=480)
        f_ = f[pop]
        one, none = np.bincount(pop, Y[:, 1]), Y[:, 1] + Y[:, 2]
        pm.Potential("y", ((Y[:, 0] + Y[:, 1]) * pt.log(p) + none * pt.log1p(-p) + Y[:, 0] * pt.log(p + f_ * (1 - p)) + Y[:, 2] * pt.log1p(-p * (1 - f_))).sum() + (one * pt.log1p(-f)).sum())

    def f_retrieval():
        a, b, s = N("a", 0, 1.5, shape=2), N("b", 0, 0.5, shape=2), half("s", 0.5, shape=2)
        chol, _, tau = pm.LKJCholeskyCov("chol", eta=2, n=2, sd_dist=half.dist(0.5, shape=2))
        pm.Deterministic("tau", tau)
        pm.Deterministic("L", pt.set_subtensor((chol / tau[:, None])[0, 0], 1.0))  # else what is judged is the rounding of a number that is 1
        if problem in CENTRED:
            u = pm.MvNormal("u", np.zeros(2), chol=chol, shape=(50, 2))
        else:
            u = pm.Deterministic("u", pt.dot(N("z_u", 0, 1, shape=(50, 2)), chol.T))
        v, w = effects("v", 36, s[0]), effects("w", 36, s[1])
        back, delta, sigma = pm.Beta("back", 2, 2), pm.LogNormal("delta", -1, 0.5), half("sigma", 0.5)
        person, item, right = d["person"] - 1, d["item"] - 1, d["correct"] == 1
        eta = a[1] + b[1] * d["x"] + u[person, 1] + w[item]
        z = (np.log(d["t"]) - a[0] - b[0] * d["x"] - u[person, 0] - v[item]) / sigma
        lag = delta / sigma
        later = pt.log(back) - eta + z * lag - lag ** 2 / 2
        pm.Potential("y", pt.where(right, softplus(later) - softplus(-eta), pt.log1p(-back) - softplus(eta)).sum() - (z ** 2).sum() / 2 - len(right) * pt.log(sigma))

    f = locals()["f_" + problem]
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists.
KEEP = {k: v.split() for k, v in dict(
    recognition="c m s d v b", serology="sens spec a r z s u", genotypes="q F f p", retrieval="a b L tau u s v w back delta sigma").items()}
