"""vflc.py VFLC PROBLEM DATA_DIR [--seed S] [--cores C]: vflc on one of the problems, 4 chains and 1 chain of 1000 + 1000; prints one JSON line.

VFLC is the binary. DATA_DIR holds paper/logistic, paper/poisson and posteriordb; for those of more.py, what its simulate wrote. CPU seconds are those of warm-up and sampling, as for the other
samplers, whose start, compilation and writing are not counted either; process_cpu_s is everything from the start of the process to its end."""
import argparse, json, os, resource, subprocess, tempfile

ap = argparse.ArgumentParser()
ap.add_argument("vflc"); ap.add_argument("problem"); ap.add_argument("data")
ap.add_argument("--seed", type=int, default=1); ap.add_argument("--cores", type=int, default=2)
ap.add_argument("--flags", default="")
a = ap.parse_args()
here = os.path.dirname(os.path.abspath(__file__))
paper = os.path.join(a.data, "paper")


def logistic(clients):
    d = os.path.join(paper, "logistic")
    out = ["--data", f"server={d}/server.csv"]
    if clients == 2:
        return [f"{here}/logistic2.vfl"] + out + ["--data", f"hospital_a={d}/2clients/client1.csv", "--data", f"hospital_b={d}/2clients/client2.csv"]
    return [f"{here}/logistic10.vfl"] + out + ["--data", f"lab={d}/10clients/client*.csv"]


def posteriordb(name):
    return [f"{here}/../../examples/posteriordb/{name}.vfl", "--data", f"{a.data}/posteriordb/{name}/data.json"]


def poisson():
    d = os.path.join(paper, "poisson")
    return [f"{here}/poisson.vfl", "--data", f"server={d}/server.csv", "--data", f"health={d}/client1.csv", "--data", f"census={d}/client2.csv", "--transform", "none"]


def simulated(name):
    return lambda: [f"{here}/{name}.vfl", "--data", f"{a.data}/{name}.json"]


def held(name, model):
    return lambda: [f"{here}/../../{model}.vfl", "--data", f"{a.data}/{name}.json"]


HELD = dict(surgical="examples/stan/bugs/surgical", pump="examples/stan/bugs/pump", blocker="examples/stan/bugs/blocker", epil="examples/stan/bugs/epil", roaches="examples/stan/arm/roaches_overdispersion",
            negbinomial="bench/chains/models/negbinomial", stacks="examples/stan/bugs/stacks_e_dexp_ridge", inhalers="examples/stan/bugs/inhalers", election88="examples/stan/arm/election88_full",
            irt2="examples/stan/misc/irt2", hier_multivariate="examples/stan/misc/hier_multivariate", gp="examples/stan/misc/gp-fit", volatility="examples/stan/misc/stochastic-volatility",
            garch="examples/stan/misc/garch1_1", kidney="examples/stan/bugs/kidney", mixture="examples/stan/knitr/mixture", seeds="examples/posteriordb/seeds_data-seeds_stanified_model",
            nes2000="examples/posteriordb/nes2000-nes", ark="examples/posteriordb/arK-arK", glm_poisson="examples/posteriordb/GLM_Poisson_Data-GLM_Poisson_model",
            kilpisjarvi="examples/posteriordb/kilpisjarvi_mod-kilpisjarvi")
PROBLEMS = {
    "logistic_true": lambda: logistic(2) + ["--transform", "none"],
    "logistic_aug_J2_rho1": lambda: logistic(2) + ["--transform", "augmented", "--rho", "1"],
    "logistic_aug_J2_rho0.5": lambda: logistic(2) + ["--transform", "augmented", "--rho", "0.5"],
    "logistic_aug_J10_rho1": lambda: logistic(10) + ["--transform", "augmented", "--rho", "1"],
    "logistic_power_J2_rho1": lambda: logistic(2) + ["--transform", "power", "--rho", "1"],
    "poisson_true": poisson,
    "eight_schools": lambda: posteriordb("eight_schools-eight_schools_noncentered"),
    "wells": lambda: posteriordb("wells_data-wells_dist100_model"),
    "nes_logit": lambda: posteriordb("nes_logit_data-nes_logit_model"),
    "kidiq_interaction": lambda: posteriordb("kidiq-kidscore_interaction"),
    "radon": lambda: posteriordb("radon_mn-radon_hierarchical_intercept_noncentered"),
    **{name: simulated(name) for name in ("correlated", "student", "crossed", "rats", "horseshoe")},
    "volatility1000": held("volatility1000", "examples/stan/misc/stochastic-volatility"),
    **{name: held(name, model) for name, model in HELD.items()},
    **{f[:-4]: held(f[:-4], f"bench/peers/unseen/{f[:-4]}") for f in os.listdir(f"{here}/unseen")},
    "clients50": lambda: [f"{here}/clients50.vfl", "--data", f"server={a.data}/server.csv", "--data", f"lab={a.data}/lab*.csv", "--transform", "augmented", "--rho", "1"],
}


def run(chains):
    """summary.json of a run, with its CPU seconds: of warm-up and sampling, and of the process."""
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "run")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([a.vflc, "run"] + PROBLEMS[a.problem]() + ["--backend", "nuts", "--chains", str(chains), "--warmup", "1000", "--draws", "1000",
                        "--seed", str(a.seed), "--quiet", "-o", out] + a.flags.split(), check=True, stdout=subprocess.DEVNULL, env={**os.environ, "GOMAXPROCS": str(a.cores)})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        s = json.load(open(os.path.join(out, "summary.json")))
    s["process"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    s["cpu"] = s["timing"]["warmup_cpu_s"] + s["timing"]["sampling_cpu_s"]
    return s


multi, single = run(4), run(1)
judged = [p for p in multi["parameters"] if p["ess_bulk"] is not None]  # a constant has none
least = min(judged, key=lambda p: p["ess_bulk"])
ess = least["ess_bulk"]
t = multi["timing"]
print(json.dumps(dict(
    peer="vflc", problem=a.problem, seed=a.seed, cores=a.cores, chains=4, start_s=t["load_s"],
    single_cpu_s=single["cpu"], single_wall_s=single["timing"]["warmup_s"] + single["timing"]["sampling_s"],
    us_per_leapfrog_cpu=1e6 * single["cpu"] / single["work"]["gradients"], us_per_leapfrog=1e6 * (single["timing"]["warmup_s"] + single["timing"]["sampling_s"]) / single["work"]["gradients"],
    process_cpu_s=multi["process"], single_process_cpu_s=single["process"], us_per_leapfrog_process=1e6 * single["process"] / single["work"]["gradients"],
    multi_cpu_s=multi["cpu"], multi_wall_s=t["warmup_s"] + t["sampling_s"], multi_us_per_leapfrog_cpu=1e6 * multi["cpu"] / multi["work"]["gradients"],
    min_ess_bulk=ess, worst=least["name"], ess_per_cpu_s=ess / multi["cpu"], ess_per_s=ess / (t["warmup_s"] + t["sampling_s"]),
    max_rhat=max(p["rhat"] for p in judged), divergences=multi["diagnostics"]["divergences"], gradients=multi["work"]["gradients"],
    means={p["name"]: [p["mean"], p["mcse"]] for p in judged})))
