"""separable.py VFLC [--seeds 1 2 3 4]: effects given others (--metric auto) beside none (--metric low-rank), in turn, on four problems: min bulk ESS per CPU second of
warm-up and sampling, leapfrogs a transition, divergences, and how far means of all parameters differ in standard errors."""
import argparse, json, os, statistics, subprocess, tempfile

import numpy as np

import more

ap = argparse.ArgumentParser()
ap.add_argument("vflc"); ap.add_argument("--seeds", nargs="*", default=["1", "2", "3", "4"])
a = ap.parse_args()
here = os.path.dirname(os.path.abspath(__file__))


def irt(r):
    """Item response with two parameters of each question, 1,000 persons, 30 questions."""
    theta, slope, b = r.normal(size=1000), np.exp(0.5 * r.normal(size=30)), r.normal(size=30)
    y = r.uniform(size=(1000, 30)) < 1 / (1 + np.exp(-slope * (theta[:, None] - b)))
    return dict(y=y.astype(int).ravel(), person=np.repeat(np.arange(1000), 30) + 1, item=np.tile(np.arange(30), 1000) + 1)


def groups(counts):
    """Random intercepts of 500 groups, 5,000 rows."""
    def data(r):
        x, g = r.normal(size=(5000, 3)).round(6), np.r_[np.arange(500), r.integers(0, 500, 4500)]
        eta = (0.5 if counts else -0.3) + x @ [0.3, -0.2, 0.4] + 0.7 * r.normal(size=500)[g]
        return dict(y=r.poisson(np.exp(eta)) if counts else (r.random(5000) < 1 / (1 + np.exp(-eta))).astype(int), X=x, g=g + 1)
    return data


IRT = """data person : level(P)[N]
data item   : level(Q)[N]
data y      : binary[N]
param theta : real[P] ~ normal(0, 1)
param a     : real[Q] ~ lognormal(0, 0.5)
param b     : real[Q] ~ normal(0, 1)
y ~ bernoulli_logit(a[item] .* (theta[person] - b[item]))
"""
GROUPS = """data y : {}[N]
data X : real[N, 3]
data g : level(G)[N]
param alpha          ~ normal(0, 2)
param beta : real[3] ~ normal(0, 2)
param s              ~ half_normal(1)
param u    : real[G] ~ normal(0, s)
y ~ {}(alpha + X * beta + u[g])
"""
with open(f"{here}/crossed.vfl") as f:
    PROBLEMS = dict(poisson=(GROUPS.format("count", "poisson_log"), groups(True)), bernoulli=(GROUPS.format("binary", "bernoulli_logit"), groups(False)),
                    crossed=(f.read(), more.crossed), irt=(IRT, irt))


def run(folder, seed, form):
    out = f"{folder}/{form}{seed}"
    subprocess.run([a.vflc, "run", f"{folder}/model.vfl", "--data", f"{folder}/data.json", "--quiet", "-o", out, "--seed", seed, "--chains", "2", "--metric", form], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "GOMAXPROCS": "1"})
    with open(f"{out}/summary.json") as f:
        s = json.load(f)
    s["judged"] = {p["name"]: p for p in s["parameters"] if p["ess_bulk"] is not None}
    s["rate"] = min(p["ess_bulk"] for p in s["judged"].values()) / (s["timing"]["warmup_cpu_s"] + s["timing"]["sampling_cpu_s"])
    return s


for name, (model, data) in PROBLEMS.items():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/model.vfl", "w") as f:
            f.write(model)
        with open(f"{folder}/data.json", "w") as f:
            json.dump({k: v.tolist() for k, v in data(np.random.default_rng(1)).items()}, f)
        pairs = [[run(folder, seed, form) for form in ("low-rank", "auto")] for seed in a.seeds]
    z = [(p["mean"] - q["mean"]) / np.hypot(p["mcse"], q["mcse"]) for s, t in pairs for p, q in zip(s["judged"].values(), t["judged"].values())]
    for k, form in enumerate(("low-rank", "auto")):
        print(name, form, *(f"{what} {statistics.median(f(p[k]) for p in pairs):.4g}" for what, f in (
            ("ESS/s", lambda s: s["rate"]), ("leapfrogs", lambda s: s["work"]["gradients"] / s["work"]["iterations"]), ("divergences", lambda s: s["diagnostics"]["divergences"]))))
    print(name, f"ratios {[round(t['rate'] / s['rate'], 2) for s, t in pairs]}, z: root mean square {np.std(z):.2f}, largest {np.abs(z).max():.2f} of {len(z)}", flush=True)
