"""Problems that no setting of vflc was chosen on, for NumPyro and nutpie, each with a diagonal and with its other metric.

    held.py simulate DIR POSTERIORDB           writes the data (vflc.py reads them there); POSTERIORDB is the folder of its posteriors
    held.py PEER PROBLEM DIR [--seed S]        prints one JSON line, as more.py does
    held.py agree OUT.json                     compares the means of parameters between the programs of what bench.py wrote

The models are those of Stan's example collection and of posteriordb with their own priors and coordinates (a hierarchy is centred where Stan's text is), except that the
effects of election88 and seeds are non-centred for the peers. The data are of the original's shape and size, simulated, or posteriordb's own."""
import json, math, os, sys

import numpy as np

import more

PDB = dict(seeds="seeds_data-seeds_stanified_model", nes2000="nes2000-nes", ark="arK-arK", glm_poisson="GLM_Poisson_Data-GLM_Poisson_model",
           kilpisjarvi="kilpisjarvi_mod-kilpisjarvi")
logistic = lambda x: 1 / (1 + np.exp(-x))


def surgical(r):
    """Twelve hospitals."""
    n = np.exp(r.normal(5.1, 0.6, 12)).astype(int) + 30
    return dict(n=n, r=r.binomial(n, logistic(r.normal(-2.55, 0.4, 12))))


def pump(r):
    """Ten pumps."""
    t = np.exp(r.normal(2.5, 1.5, 10)).round(2)
    return dict(t=t, x=r.poisson(r.gamma(0.8, 1 / 1.3, 10) * t))


def blocker(r):
    """22 trials."""
    n = np.exp(r.normal(5.5, 1, (2, 22))).astype(int) + 30
    mu = r.normal(-2.3, 0.5, 22)
    return dict(nt=n[0], nc=n[1], rt=r.binomial(n[0], logistic(mu - 0.25 + 0.2 * r.standard_t(4, 22))), rc=r.binomial(n[1], logistic(mu)))


def epil(r):
    """59 patients, four visits."""
    base, trt, age = r.normal(1.8, 0.75, 59).round(3), r.integers(0, 2, 59), r.normal(3.3, 0.22, 59).round(3)
    eta = 1.6 + 0.9 * (base - 1.8) - 0.9 * (trt - 0.5) + 0.35 * (base * trt - 0.9) + 0.5 * (age - 3.3) + 0.5 * r.normal(size=59)
    v4 = np.array([0, 0, 0, 1])
    return dict(y=r.poisson(np.exp(eta[:, None] - 0.1 * v4 + 0.36 * r.normal(size=(59, 4)))), Trt=trt, V4=v4, log_Base4=base, log_Age=age, BT=(base * trt).round(3))


def roaches(r):
    """262 apartments."""
    n = 262
    d = dict(roach1=(r.gamma(0.4, 100, n) / 100).round(4), senior=(r.random(n) < 0.3).astype(float), treatment=(r.random(n) < 0.6).astype(float), exposure2=r.gamma(20, 0.05, n).round(3))
    eta = 1.2 + 0.9 * d["roach1"] - 0.5 * d["senior"] - 0.6 * d["treatment"] + 1.4 * r.normal(size=n)
    return dict(y=r.poisson(d["exposure2"] * np.exp(eta)), **d)


def negbinomial(r):
    """1,000 rows, eight correlated covariates."""
    x = (r.normal(size=(1000, 8)) @ r.normal(size=(8, 8))).round(4)
    return dict(n=r.negative_binomial(1.5, 1.5 / (1.5 + np.exp(1 + x @ r.normal(0, 0.15, 8)))), X=x)


def stacks(r):
    """21 days, two of them outlying."""
    air = r.choice([50, 56, 58, 62, 70, 80], 21).astype(float)
    d = dict(airflow=air, temperature=(0.25 * air + 6 + r.normal(0, 1.5, 21)).round(), acid=(80 + 0.1 * air + r.normal(0, 4, 21)).round())
    return dict(Y=(-40 + 0.72 * d["airflow"] + 1.3 * d["temperature"] - 0.15 * d["acid"] + r.laplace(0, 2, 21) + 8 * (np.arange(21) < 2)).round(), **d)


def inhalers(r):
    """286 patients, two ratings each."""
    d = dict(group=np.repeat([1, 2], 143), treat=np.array([[1.0, -1], [-1, 1]]), period=np.array([[1.0, -1], [1, -1]]), carry=np.array([[0.0, -1], [0, 1]]))
    mu = 1.0 * d["treat"] / 2 - 0.2 * d["period"] / 2 + 0.2 * d["carry"]
    latent = -mu[d["group"] - 1] - 1.2 * r.normal(size=(286, 1)) + r.logistic(size=(286, 2))
    return dict(response=1 + (latent[:, :, None] > np.array([0.7, 3.9, 5.2])).sum(2), **d)


def election88(r):
    """2,000 voters; 4, 4, 16, 51 and 5 levels."""
    n = 2000
    level = lambda m: np.r_[np.arange(m), r.integers(0, m, n - m)] + 1
    d = dict(black=(r.random(n) < 0.1).astype(int), female=(r.random(n) < 0.55).astype(int), v_prev_full=r.normal(0.55, 0.07, 51).round(4), age=level(4), edu=level(4), state=level(51))
    d["age_edu"] = 4 * (d["age"] - 1) + d["edu"]
    d["region_full"] = (np.arange(51) % 5 + 1)[d["state"] - 1]
    d["v_prev_full"] = d["v_prev_full"][d["state"] - 1]
    effect = lambda s, m: s * r.normal(size=m)
    eta = -3.0 - 1.7 * d["black"] - 0.1 * d["female"] + 6.0 * d["v_prev_full"] - 0.2 * d["black"] * d["female"]
    for k, s, m in (("age", 0.2, 4), ("edu", 0.2, 4), ("age_edu", 0.2, 16), ("state", 0.25, 51), ("region_full", 0.3, 5)):
        eta = eta + effect(s, m)[d[k] - 1]
    return dict(y=(r.random(n) < logistic(eta)).astype(int), **d)


def irt2(r):
    """100 students, 20 questions."""
    a, b, g = r.normal(size=100), r.normal(size=20), np.exp(0.5 * r.normal(size=20))
    j, k = np.repeat(np.arange(100), 20), np.tile(np.arange(20), 100)
    return dict(y=(r.random(2000) < logistic(g[k] * (a[j] - b[k] + 0.75))).astype(int), jj=j + 1, kk=k + 1)


def hier_multivariate(r):
    """800 rows, 40 groups, three coefficients."""
    j = np.r_[np.arange(40), r.integers(0, 40, 760)]
    u = np.c_[np.ones(40), r.normal(size=40)].round(4)
    x = np.c_[np.ones(800), r.normal(size=(800, 2))].round(4)
    c = np.array([[1, 0.5, -0.3], [0.5, 1, 0.2], [-0.3, 0.2, 1]]) * np.outer([1, 0.5, 0.3], [1, 0.5, 0.3])
    beta = u @ np.array([[1, 2, -1], [0.5, 0, 0.3]]) + r.multivariate_normal(np.zeros(3), c, 40)
    return dict(y=((x * beta[j]).sum(1) + r.normal(size=800)).round(4), x=x, u=u, jj=j + 1)


def gp(r):
    """50 points."""
    x = np.sort(r.uniform(-5, 5, 50)).round(4)
    k = np.exp(-0.5 * (x[:, None] - x) ** 2 / 1.2 ** 2) + 0.09 * np.eye(50)
    return dict(x=x, y=(np.linalg.cholesky(k) @ r.normal(size=50)).round(5))


def volatility(r):
    """300 days."""
    h = [-1.0 + 0.5 * r.normal()]
    for _ in range(299):
        h.append(-1.0 + 0.95 * (h[-1] + 1.0) + 0.25 * r.normal())
    return dict(y=(np.exp(np.array(h) / 2) * r.normal(size=300)).round(6))


def garch(r):
    """300 days."""
    y, s = [], 1.0
    for _ in range(300):
        y.append(0.3 + math.sqrt(s) * r.normal())
        s = 0.2 + 0.3 * (y[-1] - 0.3) ** 2 + 0.5 * s
    return dict(r=np.array(y).round(6), sigma1=1.0)


def kidney(r):
    """38 patients, two times each."""
    p = np.repeat(np.arange(38), 2)
    d = dict(age=r.integers(10, 70, 38)[p].astype(float), sex=(r.random(38) < 0.7)[p].astype(float), disease=np.r_[np.arange(4), r.integers(0, 4, 34)][p] + 1)
    risk = -3.5 + 0.002 * d["age"] - 1.5 * d["sex"] + np.array([0, 0.1, 0.6, -1.2])[d["disease"] - 1] + (0.6 * r.normal(size=38))[p]
    t, c = np.exp(-risk / 1.2) * r.weibull(1.2, 76), r.exponential(250, 76)
    return dict(t=np.maximum(np.minimum(t, c), 0.5).round(2), event=(t < c).astype(int), patient=p + 1, **d)


def mixture(r):
    """1,000 rows, three components with known means."""
    mu = np.array([-1.0, 0.5, 2.5])
    return dict(y=(mu[r.choice(3, 1000, p=[0.3, 0.5, 0.2])] + 0.8 * r.normal(size=1000)).round(5), mu=mu)


PROBLEMS = dict(surgical=surgical, pump=pump, blocker=blocker, epil=epil, roaches=roaches, negbinomial=negbinomial, stacks=stacks, inhalers=inhalers, election88=election88, irt2=irt2,
                hier_multivariate=hier_multivariate, gp=gp, volatility=volatility, garch=garch, kidney=kidney, mixture=mixture)


def simulate(folder, posteriordb):
    os.makedirs(folder, exist_ok=True)
    for i, (problem, f) in enumerate(PROBLEMS.items()):
        with open(f"{folder}/{problem}.json", "w") as out:
            json.dump({k: np.asarray(v).tolist() for k, v in f(np.random.default_rng(100 + i)).items()}, out)
    for problem, name in PDB.items():
        with open(f"{posteriordb}/{name}/data.json") as f, open(f"{folder}/{problem}.json", "w") as out:
            out.write(f.read())


def data(problem, folder):
    with open(f"{folder}/{problem}.json") as f:
        return {k: np.asarray(v) for k, v in json.load(f).items()}


def lags(d):
    k = int(d["K"])
    return np.stack([d["y"][k - i - 1:len(d["y"]) - i - 1] for i in range(k)], 1), d["y"][k:]


def classes(d):
    """The design matrix of nes2000."""
    a = d["age_discrete"]
    return np.stack([np.ones(len(a)), d["real_ideo"], d["race_adj"], a == 2, a == 3, a == 4, d["educ1"], d["gender"], d["income"]], 1).astype(float)


def centred(d, *names):
    return [np.asarray(d[k], float) - np.mean(d[k]) for k in names]


def standard(*columns):
    return np.stack([(c - c.mean()) / c.std(ddof=1) for c in columns], 1)


ELECTION = (("a", "age", 4), ("b", "edu", 4), ("c", "age_edu", 16), ("d", "state", 51), ("e", "region_full", 5))


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from numpyro import deterministic as det, factor, sample
    raw, d = d, {k: jnp.asarray(v) for k, v in d.items()}
    C = D.constraints
    flat = lambda name, *shape, support=C.real: sample(name, D.ImproperUniform(support, (), shape))
    many = lambda name, n, dist: sample(name, dist.expand([n] if isinstance(n, int) else list(n)).to_event())
    vague = lambda name: sample(name, D.InverseGamma(0.001, 0.001))

    def f_surgical():
        b = many("b", 12, D.Normal(sample("mu", D.Normal(0, 1000)), jnp.sqrt(vague("sigmasq"))))
        sample("r", D.Binomial(d["n"], logits=b), obs=d["r"])

    def f_pump():
        theta = many("theta", 10, D.Gamma(sample("alpha", D.Exponential(1)), sample("beta", D.Gamma(0.1, 1))))
        sample("x", D.Poisson(theta * d["t"]), obs=d["x"])

    def f_blocker():
        effect = D.StudentT(4, sample("d", D.Normal(0, 1000)), jnp.sqrt(vague("sigmasq_delta")))
        mu, delta = many("mu", 22, D.Normal(0, math.sqrt(1e5))), many("delta", 22, effect)
        sample("delta_new", effect)
        sample("rt", D.Binomial(d["nt"], logits=mu + delta), obs=d["rt"])
        sample("rc", D.Binomial(d["nc"], logits=mu), obs=d["rc"])

    def f_seeds():
        a = [sample(k, D.Normal(0, 1)) for k in ("alpha0", "alpha1", "alpha2", "alpha12")]
        b = det("b", sample("sigma", D.HalfCauchy(1)) * many("z", 21, D.Normal(0, 1)))
        sample("n", D.Binomial(d["N"], logits=a[0] + a[1] * d["x1"] + a[2] * d["x2"] + a[3] * d["x1"] * d["x2"] + b), obs=d["n"])

    def f_epil():
        v = [sample(k, D.Normal(0, 100)) for k in ("a0", "alpha_Base", "alpha_Trt", "alpha_BT", "alpha_Age", "alpha_V4")]
        names = ("log_Base4", "Trt", "BT", "log_Age")
        b1, b = many("b1", 59, D.Normal(0, jnp.sqrt(vague("sigmasq_b1")))), many("b", (59, 4), D.Normal(0, jnp.sqrt(vague("sigmasq_b"))))
        patient = sum(s * x for s, x in zip(v[1:5], centred(raw, *names))) + b1
        det("alpha0", v[0] - sum(s * np.mean(raw[k]) for s, k in zip(v[1:], names + ("V4",))))
        sample("y", D.Poisson(jnp.exp(v[0] + patient[:, None] + v[5] * centred(raw, "V4")[0] + b)), obs=d["y"])

    def f_roaches():
        x = jnp.stack([d["roach1"], d["senior"], d["treatment"]], 1)
        lam = det("lambda", flat("sigma", support=C.positive) * many("z", 262, D.Normal(0, 1)))
        sample("y", D.Poisson(jnp.exp(flat("alpha") + x @ flat("beta", 3) + lam + jnp.log(d["exposure2"]))), obs=d["y"])

    def f_negbinomial():
        m = sample("alpha", D.Normal(0, 5)) + d["X"] @ many("beta", 8, D.Normal(0, 2))
        sample("n", D.NegativeBinomial2(jnp.exp(m), sample("phi", D.HalfNormal(10))), obs=d["n"])

    def f_stacks():
        z = standard(raw["airflow"], raw["temperature"], raw["acid"])
        beta = many("beta", 3, D.Normal(0, jnp.sqrt(sample("phi", D.Gamma(0.01, 0.01)))))
        sample("Y", D.Laplace(sample("beta0", D.Normal(0, 316)) + z @ beta, vague("sigmasq")), obs=d["Y"])

    def f_inhalers():
        mu = sum(sample(k, D.Normal(0, 1000)) * x for k, x in (("beta", d["treat"] / 2), ("pi", d["period"] / 2), ("kappa", d["carry"])))
        a = flat("a", 3, support=C.ordered_vector)
        b = many("b", 286, D.Normal(0, jnp.sqrt(vague("sigmasq"))))
        sample("response", D.OrderedLogistic(-mu[d["group"] - 1] - b[:, None], a), obs=d["response"] - 1)

    def f_election88():
        beta = many("beta", 5, D.Normal(0, 100))
        eta = beta[0] + beta[1] * d["black"] + beta[2] * d["female"] + beta[3] * d["v_prev_full"] + beta[4] * d["female"] * d["black"]
        for k, column, n in ELECTION:
            eta = eta + det(k, sample("sigma_" + k, D.Uniform(0, 100)) * many("z_" + k, n, D.Normal(0, 1)))[d[column] - 1]
        sample("y", D.Bernoulli(logits=eta), obs=d["y"])

    def f_irt2():
        delta, alpha = sample("delta", D.Normal(0.75, 1)), many("alpha", 100, D.Normal(0, 1))
        beta, g = many("beta", 20, D.Normal(0, 1)), many("log_gamma", 20, D.Normal(0, 1))
        sample("y", D.Bernoulli(logits=jnp.exp(g)[d["kk"] - 1] * (alpha[d["jj"] - 1] - beta[d["kk"] - 1] + delta)), obs=d["y"])

    def f_hier_multivariate():
        chol, tau = sample("L", D.LKJCholesky(3, 2.0)), many("tau", 3, D.HalfCauchy(2.5))
        gamma = many("gamma", (2, 3), D.Normal(0, 5))
        beta = sample("beta", D.MultivariateNormal(d["u"] @ gamma, scale_tril=tau[:, None] * chol).to_event(1))
        det("Omega", chol @ chol.T)
        sample("y", D.Normal((d["x"] * beta[d["jj"] - 1]).sum(1), flat("sigma", support=C.positive)), obs=d["y"])

    def f_gp():
        rho, alpha, sigma = sample("rho", D.InverseGamma(5, 5)), sample("alpha", D.HalfNormal(1)), sample("sigma", D.HalfNormal(1))
        k = alpha ** 2 * jnp.exp(-0.5 * ((d["x"][:, None] - d["x"]) / rho) ** 2) + sigma ** 2 * jnp.eye(50)
        sample("y", D.MultivariateNormal(jnp.zeros(50), k), obs=d["y"])

    def f_volatility():
        mu, phi, sigma = sample("mu", D.Cauchy(0, 10)), sample("phi", D.Uniform(-1, 1)), sample("sigma", D.HalfCauchy(5))
        e = sigma * many("e", 300, D.Normal(0, 1))
        step = lambda h, e: (phi * h + e,) * 2
        _, h = jax.lax.scan(step, 0.0, e.at[0].divide(jnp.sqrt(1 - phi ** 2)))
        sample("y", D.Normal(0, det("volatility", jnp.exp((mu + h) / 2))), obs=d["y"])

    def f_garch():
        mu, alpha0, w = flat("mu"), flat("alpha0", support=C.positive), sample("w", D.Dirichlet(jnp.ones(3)))
        step = lambda v, r: (alpha0 + w[0] * (r - mu) ** 2 + w[1] * v, v)
        _, v = jax.lax.scan(step, d["sigma1"] ** 2, d["r"])
        sample("r", D.Normal(mu, det("sigma", jnp.sqrt(v))), obs=d["r"])

    def f_kidney():
        alpha, age, sex = (sample(k, D.Normal(0, 100)) for k in ("alpha", "beta_age", "beta_sex"))
        disease = jnp.append(0, many("beta_disease", 3, D.Normal(0, 100)))
        r, tau = sample("r", D.Gamma(1, 0.001)), sample("tau", D.Gamma(0.001, 0.001))
        b = many("b", 38, D.Normal(0, jnp.sqrt(1 / tau)))
        risk = alpha + age * d["age"] + sex * d["sex"] + disease[d["disease"] - 1] + b[d["patient"] - 1]
        scale = jnp.exp(-risk / r)
        factor("t", jnp.where(d["event"] == 1, D.Weibull(scale, r).log_prob(d["t"]), -(d["t"] / scale) ** r).sum())

    def f_mixture():
        theta, sigma = sample("theta", D.Dirichlet(jnp.ones(3))), sample("sigma", D.HalfCauchy(2.5))
        sample("y", D.MixtureSameFamily(D.Categorical(theta), D.Normal(d["mu"], jnp.broadcast_to(sigma, (3,)))), obs=d["y"])

    def f_nes2000():
        sample("y", D.Normal(classes(raw) @ flat("beta", 9), flat("sigma", support=C.positive)), obs=d["partyid7"])

    def f_ark():
        x, y = lags(raw)
        sample("y", D.Normal(sample("alpha", D.Normal(0, 10)) + x @ many("beta", 5, D.Normal(0, 10)), sample("sigma", D.HalfCauchy(2.5))), obs=y)

    def f_glm_poisson():
        alpha, b = sample("alpha", D.Uniform(-20, 20)), [sample(f"beta{i}", D.Uniform(-10, 10)) for i in (1, 2, 3)]
        sample("C", D.Poisson(jnp.exp(alpha + sum(b[i] * d["year"] ** (i + 1) for i in range(3)))), obs=d["C"])

    def f_kilpisjarvi():
        m = sample("alpha", D.Normal(d["pmualpha"], d["psalpha"])) + sample("beta", D.Normal(d["pmubeta"], d["psbeta"])) * d["x"]
        sample("y", D.Normal(m, flat("sigma", support=C.positive)), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    N, vague = pm.Normal, lambda name: pm.InverseGamma(name, 0.001, 0.001)

    def f_surgical():
        pm.Binomial("r", d["n"], logit_p=N("b", N("mu", 0, 1000), pt.sqrt(vague("sigmasq")), shape=12), observed=d["r"])

    def f_pump():
        pm.Poisson("x", pm.Gamma("theta", pm.Exponential("alpha", 1), pm.Gamma("beta", 0.1, 1), shape=10) * d["t"], observed=d["x"])

    def f_blocker():
        centre, scale = N("d", 0, 1000), pt.sqrt(vague("sigmasq_delta"))
        mu, delta = N("mu", 0, math.sqrt(1e5), shape=22), pm.StudentT("delta", 4, centre, sigma=scale, shape=22)
        pm.StudentT("delta_new", 4, centre, sigma=scale)
        pm.Binomial("rt", d["nt"], logit_p=mu + delta, observed=d["rt"])
        pm.Binomial("rc", d["nc"], logit_p=mu, observed=d["rc"])

    def f_seeds():
        a = [N(k, 0, 1) for k in ("alpha0", "alpha1", "alpha2", "alpha12")]
        b = pm.Deterministic("b", pm.HalfCauchy("sigma", 1) * N("z", 0, 1, shape=21))
        pm.Binomial("n", d["N"], logit_p=a[0] + a[1] * d["x1"] + a[2] * d["x2"] + a[3] * d["x1"] * d["x2"] + b, observed=d["n"])

    def f_epil():
        v = [N(k, 0, 100) for k in ("a0", "alpha_Base", "alpha_Trt", "alpha_BT", "alpha_Age", "alpha_V4")]
        names = ("log_Base4", "Trt", "BT", "log_Age")
        b1, b = N("b1", 0, pt.sqrt(vague("sigmasq_b1")), shape=59), N("b", 0, pt.sqrt(vague("sigmasq_b")), shape=(59, 4))
        patient = sum(s * x for s, x in zip(v[1:5], centred(d, *names))) + b1
        pm.Deterministic("alpha0", v[0] - sum(s * np.mean(d[k]) for s, k in zip(v[1:], names + ("V4",))))
        pm.Poisson("y", pt.exp(v[0] + patient[:, None] + v[5] * centred(d, "V4")[0] + b), observed=d["y"])

    def f_roaches():
        x = np.stack([d["roach1"], d["senior"], d["treatment"]], 1)
        lam = pm.Deterministic("lambda", pm.HalfFlat("sigma") * N("z", 0, 1, shape=262))
        pm.Poisson("y", pt.exp(pm.Flat("alpha") + pt.dot(x, pm.Flat("beta", shape=3)) + lam + np.log(d["exposure2"])), observed=d["y"])

    def f_negbinomial():
        pm.NegativeBinomial("n", mu=pt.exp(N("alpha", 0, 5) + pt.dot(d["X"], N("beta", 0, 2, shape=8))), alpha=pm.HalfNormal("phi", 10), observed=d["n"])

    def f_stacks():
        z = standard(d["airflow"], d["temperature"], d["acid"])
        beta = N("beta", 0, pt.sqrt(pm.Gamma("phi", 0.01, 0.01)), shape=3)
        pm.Laplace("Y", N("beta0", 0, 316) + pt.dot(z, beta), vague("sigmasq"), observed=d["Y"])

    def f_inhalers():
        mu = sum(N(k, 0, 1000) * x for k, x in (("beta", d["treat"] / 2), ("pi", d["period"] / 2), ("kappa", d["carry"])))
        a = pm.Flat("a", shape=3, transform=pm.distributions.transforms.ordered, initval=np.array([0.0, 1, 2]))
        b = N("b", 0, pt.sqrt(vague("sigmasq")), shape=286)
        pm.OrderedLogistic("response", eta=-mu[d["group"] - 1] - b[:, None], cutpoints=a, compute_p=False, observed=d["response"] - 1)

    def f_election88():
        beta = N("beta", 0, 100, shape=5)
        eta = beta[0] + beta[1] * d["black"] + beta[2] * d["female"] + beta[3] * d["v_prev_full"] + beta[4] * d["female"] * d["black"]
        for k, column, n in ELECTION:
            eta = eta + pm.Deterministic(k, pm.Uniform("sigma_" + k, 0, 100) * N("z_" + k, 0, 1, shape=n))[d[column] - 1]
        pm.Bernoulli("y", logit_p=eta, observed=d["y"])

    def f_irt2():
        delta, alpha, beta, g = N("delta", 0.75, 1), N("alpha", 0, 1, shape=100), N("beta", 0, 1, shape=20), N("log_gamma", 0, 1, shape=20)
        pm.Bernoulli("y", logit_p=pt.exp(g)[d["kk"] - 1] * (alpha[d["jj"] - 1] - beta[d["kk"] - 1] + delta), observed=d["y"])

    def f_hier_multivariate():
        chol, corr, tau = pm.LKJCholeskyCov("chol", eta=2, n=3, sd_dist=pm.HalfCauchy.dist(2.5, shape=3))
        pm.Deterministic("Omega", corr), pm.Deterministic("tau", tau)
        beta = pm.MvNormal("beta", pt.dot(d["u"], N("gamma", 0, 5, shape=(2, 3))), chol=chol, shape=(40, 3))
        pm.Normal("y", (d["x"] * beta[d["jj"] - 1]).sum(1), pm.HalfFlat("sigma"), observed=d["y"])

    def f_gp():
        rho, alpha, sigma = pm.InverseGamma("rho", 5, 5), pm.HalfNormal("alpha", 1), pm.HalfNormal("sigma", 1)
        k = alpha ** 2 * pt.exp(-0.5 * ((d["x"][:, None] - d["x"]) / rho) ** 2) + sigma ** 2 * pt.eye(50)
        pm.MvNormal("y", np.zeros(50), cov=k, observed=d["y"])

    def f_kidney():
        alpha, age, sex = (N(k, 0, 100) for k in ("alpha", "beta_age", "beta_sex"))
        disease = pt.concatenate([pt.zeros(1), N("beta_disease", 0, 100, shape=3)])
        r, tau = pm.Gamma("r", 1, 0.001), pm.Gamma("tau", 0.001, 0.001)
        b = N("b", 0, pt.sqrt(1 / tau), shape=38)
        scale = pt.exp(-(alpha + age * d["age"] + sex * d["sex"] + disease[d["disease"] - 1] + b[d["patient"] - 1]) / r)
        pm.Potential("t", (d["event"] * (pt.log(r / scale) + (r - 1) * pt.log(d["t"] / scale)) - (d["t"] / scale) ** r).sum())

    def f_mixture():
        pm.NormalMixture("y", w=pm.Dirichlet("theta", np.ones(3)), mu=d["mu"], sigma=pm.HalfCauchy("sigma", 2.5), observed=d["y"])

    def f_nes2000():
        N("y", pt.dot(classes(d), pm.Flat("beta", shape=9)), pm.HalfFlat("sigma"), observed=d["partyid7"])

    def f_ark():
        x, y = lags(d)
        N("y", N("alpha", 0, 10) + pt.dot(x, N("beta", 0, 10, shape=5)), pm.HalfCauchy("sigma", 2.5), observed=y)

    def f_glm_poisson():
        alpha, b = pm.Uniform("alpha", -20, 20), [pm.Uniform(f"beta{i}", -10, 10) for i in (1, 2, 3)]
        pm.Poisson("C", pt.exp(alpha + sum(b[i] * d["year"] ** (i + 1) for i in range(3))), observed=d["C"])

    def f_kilpisjarvi():
        N("y", N("alpha", float(d["pmualpha"]), float(d["psalpha"])) + N("beta", float(d["pmubeta"]), float(d["psbeta"])) * d["x"], pm.HalfFlat("sigma"), observed=d["y"])

    f = locals().get("f_" + problem)
    if f is None:
        sys.exit(f"{problem}: a loop over days, which was not written for PyMC")
    with pm.Model() as m:
        f()
    return m


# What is judged: all that vflc lists, or something of which it is a monotone function.
KEEP = {k: v.split() for k, v in dict(
    surgical="mu sigmasq b", pump="alpha beta theta", blocker="d sigmasq_delta mu delta delta_new", seeds="alpha0 alpha1 alpha2 alpha12 sigma b",
    epil="a0 alpha_Base alpha_Trt alpha_BT alpha_Age alpha_V4 sigmasq_b1 sigmasq_b b1 b alpha0", roaches="alpha beta sigma lambda", negbinomial="alpha beta phi", stacks="beta0 phi beta sigmasq",
    inhalers="sigmasq beta pi kappa a b", election88="beta sigma_a sigma_b sigma_c sigma_d sigma_e a b c d e", irt2="delta alpha beta log_gamma",
    hier_multivariate="Omega tau gamma sigma beta", gp="rho alpha sigma", volatility="mu phi sigma e volatility", garch="mu alpha0 w sigma", kidney="alpha beta_age beta_sex beta_disease r tau b",
    mixture="theta sigma", nes2000="beta sigma", ark="alpha beta sigma", glm_poisson="alpha beta1 beta2 beta3", kilpisjarvi="alpha beta sigma").items()}


def agree(path):
    """The largest difference between the mean of a parameter and vflc's, in Monte Carlo standard errors of the difference."""
    by = {}
    for r in json.load(open(path))["runs"]:
        if "error" not in r:
            by.setdefault((r["problem"], r["seed"]), {})[r["peer"]] = r["means"]
    for (problem, seed), peers in by.items():
        ours = peers.get("vflc")
        for peer, means in peers.items():
            if ours and peer != "vflc":
                z = {k: abs(m - ours[k][0]) / math.hypot(s, ours[k][1]) for k, (m, s) in means.items() if k in ours and s > 0}
                worst = max(z, key=z.get)
                print(f"{problem:20} seed {seed} {peer:16} {len(z):4} of {len(ours):4} means, the worst of {worst}: {z[worst]:.1f} errors ({means[worst][0]:.4g} to {ours[worst][0]:.4g})")


if __name__ == "__main__":
    if sys.argv[1] == "agree":
        agree(sys.argv[2])
    else:
        more.main(simulate, data, numpyro_model, pymc_model, KEEP)
