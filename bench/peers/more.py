"""Eight problems beside the eleven of vflc.py, for NumPyro and nutpie, each with a diagonal and with its other metric.

    more.py simulate DIR                       writes the data (vflc.py reads them there)
    more.py PEER PROBLEM DIR [--seed S]        prints one JSON line; PEER: numpyro, numpyro-dense, nutpie, nutpie-lowrank

4 chains of 1000 + 1000 one after another, target 0.8, float64, one thread; CPU seconds are those of warm-up and sampling, without start and compilation. Needs numpyro, or
nutpie and pymc, and arviz."""
import argparse, csv, json, math, os, resource, sys

import numpy as np

CHAINS, WARMUP, DRAWS = 4, 1000, 1000


def crossed(r):
    """10,000 rows, factors of 50, 200 and 1,000 levels."""
    n, levels = 10_000, dict(ia=50, ib=200, ic=1000)
    d = dict(x=r.normal(size=n).round(6), **{k: np.r_[np.arange(m), r.integers(0, m, n - m)] + 1 for k, m in levels.items()})
    eta = -0.3 + 0.5 * d["x"] + sum(s * r.normal(size=m)[d[k] - 1] for (k, m), s in zip(levels.items(), (0.8, 0.5, 0.6)))
    return dict(y=(r.random(n) < 1 / (1 + np.exp(-eta))).astype(int), **d)


def correlated(r):
    """5,000 rows, 26 covariates with a correlation matrix near one of eigenvalues from 1 to 1e-4."""
    n, p = 5000, 26
    q, _ = np.linalg.qr(r.normal(size=(p, p)))
    x = r.normal(size=(n, p)) * np.sqrt(np.geomspace(1, 1e-4, p)) @ q.T
    x /= x.std(axis=0)
    x = x.round(9)
    return dict(y=(1 + x @ r.normal(size=p) + r.normal(size=n)).round(6), X=x)


def student(r):
    """20,000 rows, 50 covariates."""
    n, p = 20_000, 50
    x = r.normal(size=(n, p)).round(6)
    return dict(y=(1 + x @ r.normal(size=p) + 2 * r.standard_t(4, n)).round(6), X=x)


def rats(r):
    """30 animals, five weeks."""
    rat, week = np.repeat(np.arange(30), 5), np.tile(np.arange(5) - 2.0, 30)
    a, b = r.normal(24, 1.4, 30), r.normal(4.3, 0.35, 30)
    return dict(y=(a[rat] + b[rat] * week + 0.6 * r.normal(size=150)).round(4), x=week, rat=rat + 1)


def clients50(r):
    """200 rows, fifty clients with two covariates each."""
    n, j = 200, 50
    x = r.normal(size=(n, 2 * j)).round(6)
    return dict(y=(r.random(n) < 1 / (1 + np.exp(-x @ (0.5 * r.normal(size=2 * j))))).astype(int), X=x)


def volatility1000(r):
    """1,000 days."""
    h = [-1.0 + 0.2 / math.sqrt(1 - 0.95 ** 2) * r.normal()]
    for _ in range(999):
        h.append(-1.0 + 0.95 * (h[-1] + 1.0) + 0.2 * r.normal())
    return dict(y=(np.exp(np.array(h) / 2) * r.normal(size=1000)).round(6))


def horseshoe(r):
    """100 rows, 200 covariates of which ten matter."""
    x = r.normal(size=(100, 200)).round(6)
    return dict(y=(1 + x[:, :10] @ (2.0 * r.choice([-1, 1], 10)) + r.normal(size=100)).round(6), X=x)


# The log volatilities of the second are the peers' parameters, those of the first their standardised shocks.
PROBLEMS = dict(crossed=crossed, correlated=correlated, student=student, rats=rats, clients50=clients50, volatility1000=volatility1000,
                volatility1000_centred=volatility1000, horseshoe=horseshoe)
RHO = 1  # of clients50


def data(problem):
    return PROBLEMS[problem](np.random.default_rng(list(PROBLEMS).index(problem.removesuffix("_centred")) + 1))


def table(path, ids, d):
    head, columns = ["id"], [ids]
    for k, v in d.items():
        v = np.asarray(v)
        head += [k] if v.ndim == 1 else [f"{k}{i + 1}" for i in range(v.shape[1])]
        columns += [v] if v.ndim == 1 else list(v.T)
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(head)
        w.writerows(zip(*(c.tolist() for c in columns)))


def simulate(folder):
    """One JSON file a problem, as vflc reads it; of clients50 a CSV file a party."""
    os.makedirs(folder, exist_ok=True)
    for problem in PROBLEMS:
        d = data(problem)
        if problem != "clients50":
            with open(f"{folder}/{problem}.json", "w") as f:
                json.dump({k: v.tolist() for k, v in d.items()}, f)
            continue
        ids = np.arange(len(d["y"])) + 1
        table(f"{folder}/server.csv", ids, dict(y=d["y"]))
        for j in range(50):
            table(f"{folder}/lab{j + 1:02}.csv", ids, dict(x=d["X"][:, 2 * j:2 * j + 2]))


def numpyro_model(problem, d):
    import jax
    import jax.numpy as jnp
    import numpyro.distributions as D
    from numpyro import deterministic, factor, sample
    d = {k: jnp.asarray(v) for k, v in d.items()}
    flat = lambda name, n, sd: sample(name, D.Normal(0, sd).expand([n]).to_event(1))

    def f_crossed():
        eta = sample("alpha", D.Normal(0, 2)) + sample("beta", D.Normal(0, 2)) * d["x"]
        for k, n in (("a", 50), ("b", 200), ("c", 1000)):
            s = sample("s" + k, D.HalfNormal(1))
            eta = eta + deterministic("u" + k, s * flat("e" + k, n, 1.0))[d["i" + k] - 1]
        sample("y", D.Bernoulli(logits=eta), obs=d["y"])

    def f_correlated():
        m = sample("alpha", D.Normal(0, 10)) + d["X"] @ flat("beta", d["X"].shape[1], 10.0)
        sample("y", D.Normal(m, sample("sigma", D.HalfNormal(5))), obs=d["y"])

    def f_student():
        m = sample("alpha", D.Normal(0, 10)) + d["X"] @ flat("beta", d["X"].shape[1], 10.0)
        sample("y", D.StudentT(sample("nu", D.Gamma(2, 0.1)), m, sample("sigma", D.HalfNormal(10))), obs=d["y"])

    def f_rats():
        mu_a, mu_b = sample("mu_a", D.Normal(0, 10)), sample("mu_b", D.Normal(0, 10))
        sigma, sa, sb = (sample(k, D.HalfNormal(5)) for k in ("sigma", "sa", "sb"))
        a = sample("a", D.Normal(mu_a, sa).expand([30]).to_event(1))
        b = sample("b", D.Normal(mu_b, sb).expand([30]).to_event(1))
        sample("y", D.Normal(a[d["rat"] - 1] + b[d["rat"] - 1] * d["x"], sigma), obs=d["y"])

    def f_clients50():
        eta = sample("b", D.Normal(0, 1)) + d["X"] @ flat("beta", 100, 1.0)
        e = sample("eps", D.Normal(0, 1).expand([200, 50]).to_event(2))
        sample("y", D.Bernoulli(logits=eta + RHO * e.sum(1)), obs=d["y"])

    def ends(phi):
        return jnp.r_[1 / jnp.sqrt(1 - phi ** 2), jnp.ones(999)]

    def f_volatility1000():
        mu, phi, sigma = sample("mu", D.Cauchy(0, 10)), sample("phi", D.Uniform(-1, 1)), sample("sigma", D.HalfCauchy(5))
        _, h = jax.lax.scan(lambda h, e: (phi * h + e,) * 2, 0.0, sigma * flat("e", 1000, 1.0) * ends(phi))
        sample("y", D.Normal(0, deterministic("volatility", jnp.exp((mu + h) / 2))), obs=d["y"])

    def f_volatility1000_centred():
        mu, phi, sigma = sample("mu", D.Cauchy(0, 10)), sample("phi", D.Uniform(-1, 1)), sample("sigma", D.HalfCauchy(5))
        h = sample("h", D.ImproperUniform(D.constraints.real, (), (1000,)))
        factor("walk", D.Normal(mu + phi * jnp.r_[0, h[:-1] - mu], sigma * ends(phi)).log_prob(h).sum())
        sample("y", D.Normal(0, deterministic("volatility", jnp.exp(h / 2))), obs=d["y"])

    def f_horseshoe():
        alpha, sigma, tau = sample("alpha", D.Normal(0, 2)), sample("sigma", D.HalfNormal(2)), sample("tau", D.HalfCauchy(0.05))
        lam, c2 = sample("lambda", D.HalfCauchy(1).expand([200]).to_event(1)), sample("c2", D.InverseGamma(2, 8))
        beta = deterministic("b", tau * lam * flat("z", 200, 1.0) / jnp.sqrt(1 + tau ** 2 * lam ** 2 / c2))
        sample("y", D.Normal(alpha + d["X"] @ beta, sigma), obs=d["y"])

    return locals()["f_" + problem]


def pymc_model(problem, d):
    import pymc as pm
    import pytensor.tensor as pt
    with pm.Model() as m:
        if problem == "crossed":
            eta = pm.Normal("alpha", 0, 2) + pm.Normal("beta", 0, 2) * d["x"]
            for k, n in (("a", 50), ("b", 200), ("c", 1000)):
                eta = eta + pm.Deterministic("u" + k, pm.HalfNormal("s" + k, 1) * pm.Normal("e" + k, 0, 1, shape=n))[d["i" + k] - 1]
            pm.Bernoulli("y", logit_p=eta, observed=d["y"])
        elif problem in ("correlated", "student"):
            mean = pm.Normal("alpha", 0, 10) + pt.dot(d["X"], pm.Normal("beta", 0, 10, shape=d["X"].shape[1]))
            if problem == "correlated":
                pm.Normal("y", mean, pm.HalfNormal("sigma", 5), observed=d["y"])
            else:
                pm.StudentT("y", pm.Gamma("nu", 2, 0.1), mean, sigma=pm.HalfNormal("sigma", 10), observed=d["y"])
        elif problem == "rats":
            mu_a, mu_b = pm.Normal("mu_a", 0, 10), pm.Normal("mu_b", 0, 10)
            sigma, sa, sb = (pm.HalfNormal(k, 5) for k in ("sigma", "sa", "sb"))
            a, b = pm.Normal("a", mu_a, sa, shape=30), pm.Normal("b", mu_b, sb, shape=30)
            pm.Normal("y", a[d["rat"] - 1] + b[d["rat"] - 1] * d["x"], sigma, observed=d["y"])
        elif problem == "horseshoe":
            alpha, sigma, tau = pm.Normal("alpha", 0, 2), pm.HalfNormal("sigma", 2), pm.HalfCauchy("tau", 0.05)
            lam, c2 = pm.HalfCauchy("lambda", 1, shape=200), pm.InverseGamma("c2", 2, 8)
            beta = pm.Deterministic("b", tau * lam * pm.Normal("z", 0, 1, shape=200) / pt.sqrt(1 + tau ** 2 * lam ** 2 / c2))
            pm.Normal("y", alpha + pt.dot(d["X"], beta), sigma, observed=d["y"])
        elif problem.startswith("volatility1000"):
            import pytensor
            mu, phi, sigma = pm.Cauchy("mu", 0, 10), pm.Uniform("phi", -1, 1), pm.HalfCauchy("sigma", 5)
            scale = sigma * pt.concatenate([(1 / pt.sqrt(1 - phi ** 2))[None], pt.ones(999)])
            if problem.endswith("centred"):
                h = pm.Flat("h", shape=1000)
                pm.Potential("walk", pm.logp(pm.Normal.dist(mu + phi * pt.concatenate([pt.zeros(1), h[:-1] - mu]), scale), h).sum())
            else:
                h = mu + pytensor.scan(lambda e, h, phi: phi * h + e, sequences=scale * pm.Normal("e", 0, 1, shape=1000), outputs_info=pt.zeros(()),
                                       non_sequences=phi, return_updates=False)
            pm.Normal("y", 0, pm.Deterministic("volatility", pt.exp(h / 2)), observed=d["y"])
        else:
            eta = pm.Normal("b", 0, 1) + pt.dot(d["X"], pm.Normal("beta", 0, 1, shape=100))
            pm.Bernoulli("y", logit_p=eta + RHO * pm.Normal("eps", 0, 1, shape=(200, 50)).sum(1), observed=d["y"])
    return m


KEEP = dict(crossed=["alpha", "beta", "sa", "sb", "sc", "ua", "ub", "uc"], correlated=["alpha", "beta", "sigma"], student=["alpha", "beta", "sigma", "nu"],
            rats=["mu_a", "mu_b", "sigma", "sa", "sb", "a", "b"], clients50=["b", "beta"], volatility1000=["mu", "phi", "sigma", "volatility"],
            volatility1000_centred=["mu", "phi", "sigma", "volatility"], horseshoe=["alpha", "sigma", "tau", "lambda", "c2", "b"])


def cpu():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def numpyro_run(model, keep, seed, dense):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpyro
    numpyro.enable_x64()
    kernel = numpyro.infer.NUTS(model(), dense_mass=dense, target_accept_prob=0.8)

    def chain(state):
        def step(state, _):
            state = kernel.sample(state, (), {})
            return state, (state.z, state.num_steps, state.diverging)

        state, (_, warm, _) = jax.lax.scan(step, state, length=WARMUP)
        _, (z, steps, diverging) = jax.lax.scan(step, state, length=DRAWS)
        return jax.vmap(kernel.postprocess_fn((), {}))(z), warm.sum(), steps.sum(), diverging.sum()

    starts = [kernel.init(jax.random.PRNGKey(1000 * seed + i), WARMUP, None, (), {}) for i in range(CHAINS)]
    run = jax.jit(chain).lower(starts[0]).compile()
    before = cpu()
    out = [jax.block_until_ready(run(s)) for s in starts]
    spent = cpu() - before
    return spent, {k: np.stack([o[0][k] for o in out]) for k in keep}, [sum(int(o[i]) for o in out) for i in (1, 2, 3)]


def nutpie_run(model, keep, seed, low_rank):
    os.environ["OMP_NUM_THREADS"] = "1"
    import nutpie
    model = nutpie.compile_pymc_model(model())

    def sample(chains, draws, tune):
        kw = dict(low_rank_modified_mass_matrix=True) if low_rank else {}
        return nutpie.sample(model, draws=draws, tune=tune, chains=chains, cores=1, target_accept=0.8, seed=seed, progress_bar=False, save_warmup=True, **kw)

    sample(1, 5, 5)  # what is compiled late
    before = cpu()
    r = sample(CHAINS, DRAWS, WARMUP)
    spent = cpu() - before
    steps = [int(np.asarray(r[g]["n_steps"]).sum()) for g in ("warmup_sample_stats", "sample_stats")]
    return spent, {k: np.asarray(r["posterior"][k]) for k in keep}, steps + [int(np.asarray(r["sample_stats"]["diverging"]).sum())]


def main(simulate, data, numpyro_model, pymc_model, keep):
    """The command line of a set of problems: data(problem, folder) are the arrays of a problem, whose names in keep[problem] are judged."""
    if sys.argv[1] == "simulate":
        simulate(*sys.argv[2:])
        return
    a = argparse.ArgumentParser()
    a.add_argument("peer"), a.add_argument("problem"), a.add_argument("folder"), a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    numpyro = a.peer.startswith("numpyro")
    model = lambda: (numpyro_model if numpyro else pymc_model)(a.problem, data(a.problem, a.folder))
    spent, draws, (warm, steps, diverging) = (numpyro_run if numpyro else nutpie_run)(model, keep[a.problem], a.seed, a.peer.endswith(("dense", "lowrank")))
    import arviz
    flat = {f"{k}[{i + 1}]" if v.ndim > 2 else k: c for k, v in draws.items() for i, c in enumerate(np.moveaxis(v.reshape(CHAINS, DRAWS, -1), 2, 0))}
    ess = {k: float(arviz.ess(c)) for k, c in flat.items()}
    least = min(ess, key=ess.get)
    print(json.dumps(dict(peer=a.peer, problem=a.problem, seed=a.seed, multi_cpu_s=spent, gradients=warm + steps, us_per_leapfrog_cpu=1e6 * spent / (warm + steps), leapfrogs_a_draw=steps / CHAINS / DRAWS,
                          min_ess_bulk=ess[least], worst=least, ess_per_cpu_s=ess[least] / spent, ess_per_1000_gradients=1000 * ess[least] / (warm + steps),
                          max_rhat=max(float(arviz.rhat(c)) for c in flat.values()), divergences=diverging, means={k: [float(c.mean()), float(np.squeeze(arviz.mcse(c)))] for k, c in flat.items()})))


if __name__ == "__main__":
    main(simulate, lambda problem, folder: data(problem), numpyro_model, pymc_model, KEEP)
