"""configured.py SHARED PEER PROBLEM DATA_DIR [options of one.py]: a peer with its other metric on one of the eleven problems, one thread; prints the JSON line of one.py.
configured.py SHARED table OUT.json: what bench.py wrote, as a table of minimum bulk ESS per CPU second.

SHARED is the folder of the peers' models and runners (one.py, bench.py). PEER is numpyro-dense or nutpie-lowrank, or one that one.py knows: that one is run as it is, but on
one thread too. Nothing else of a peer is changed: its kernel is asked for the metric, as its user would. Where there are auxiliary variables
NumPyro's dense matrix is of the coefficients alone."""
import functools, json, math, os, runpy, statistics, sys

METRICS = {"numpyro-dense": dict(dense_mass=True), "nutpie-lowrank": dict(adaptation="low_rank")}
COEFFICIENTS = dict(dense_mass=[("b", "beta")])  # a matrix over 1,000 or 5,000 auxiliary variables more takes minutes to hours
DEFAULT, CONFIGURED = ("numpyro", "nutpie"), ("numpyro", "numpyro-dense", "nutpie", "nutpie-lowrank")


def run(shared, peer, problem):
    os.environ.update(XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if peer == "numpyro-dense":
        import numpyro.infer as module
        name = "NUTS"
    elif peer == "nutpie-lowrank":
        import nutpie as module
        name = "sample"
    if peer in METRICS:
        auxiliary = peer == "numpyro-dense" and "_J" in problem
        setattr(module, name, functools.partial(getattr(module, name), **(COEFFICIENTS if auxiliary else METRICS[peer])))
    sys.path.insert(0, shared)
    sys.argv = ["one.py", *sys.argv[2:]]
    runpy.run_path(os.path.join(shared, "one.py"), run_name="__main__")


def table(path):
    """Medians over seeds; ratios are medians of the ratios within a seed, whose runs were taken in turn."""
    rates = {}
    for r in json.load(open(path))["runs"]:
        if "error" in r:
            print("failed:", r["peer"], r["problem"], r["seed"], r["error"][-200:], file=sys.stderr)
            continue
        rates.setdefault(r["problem"], {}).setdefault(r["peer"], {})[r["seed"]] = r["ess_per_cpu_s"]
    print("| problem | vflc | NumPyro | dense | nutpie | low-rank | to the best default | to the best configured |\n" + "|" + " --- |" * 8)
    means = {DEFAULT: [], CONFIGURED: []}
    for problem, by in rates.items():
        def ratio(peers):
            best = max((p for p in peers if p in by), key=lambda p: statistics.median(by[p].values()))
            v = [by["vflc"][s] / by[best][s] for s in by["vflc"] if s in by[best]]
            means[peers].append(statistics.median(v))
            return f"{means[peers][-1]:.2f} ({min(v):.2f}–{max(v):.2f})"

        def median(p):
            return f"{statistics.median(by[p].values()):,.0f}" if p in by else "failed"
        print("| " + " | ".join([problem, *map(median, ("vflc",) + CONFIGURED), ratio(DEFAULT), ratio(CONFIGURED)]) + " |")
    mean = [f"{math.exp(statistics.fmean(map(math.log, m))):.2f}" for m in means.values()]
    print("| geometric mean | | | | | | " + " | ".join(mean) + " |")


if sys.argv[2] == "table":
    table(sys.argv[3])
else:
    run(*sys.argv[1:4])
