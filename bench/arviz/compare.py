"""compare.py RUN: opens the files of a vflc run with ArviZ and cmdstanpy and compares every number with vflc's own.

Needs its own environment, beside nothing of the project: ArviZ 0.23, or 1.3 with Python 3.12 or newer
    python3 -m venv VENV && VENV/bin/pip install arviz==0.23.4 xarray==2024.11.0 "zarr<3" cmdstanpy==1.3.2 pyarrow
    python3 -m venv VENV && VENV/bin/pip install arviz==0.23.4 xarray==2026.9.0 zarr==3.1.6 cmdstanpy==1.3.2 pyarrow
    python3.12 -m venv VENV && VENV/bin/pip install arviz==1.3.0 xarray==2026.9.0 zarr==3.4.2 cmdstanpy==1.3.2 pyarrow
    vflc run MODEL -o RUN [--log-lik]
    VENV/bin/python bench/arviz/compare.py RUN vflc
The second argument is the vflc program, for the summary and LOO of the run. Exit code 1 where anything differs.
"""
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import warnings

import arviz as az
import cmdstanpy
import numpy as np
import xarray as xr

RUN, VFLC = sys.argv[1], sys.argv[2]
faults = 0


def check(what, ok, detail=""):
    global faults
    faults += not ok
    print("%-4s %s %s" % ("ok" if ok else "FAIL", what, detail))


def close(what, got, want, rel):
    worst = max((abs(g - w) / max(abs(w), 1e-300) for g, w in zip(got, want)), default=0)
    check(what, worst <= rel, "largest relative difference %.1e (allowed %.0e) over %d" % (worst, rel, len(list(want))))


def vflc(*args):
    return json.loads(subprocess.run([VFLC, *args, "--json"], check=True, capture_output=True, text=True).stdout)


def open_zarr(path):
    if az.__version__ < "1" and __import__("zarr").__version__ >= "3":
        return az.InferenceData.from_datatree(xr.open_datatree(path, engine="zarr"))
    return az.from_zarr(path)


OLD = az.__version__ < "1"


def groups(data):
    return list(data.groups()) if OLD else list(data.children)


def dataset_of(result):
    """What a function of draws returns, as a dataset."""
    return result if OLD else result.to_dataset()


def bfmi(data):
    return list(az.bfmi(data)) if OLD else list(az.bfmi(data)["energy"].values)


def loo_of(data, name):
    r = az.loo(data, var_name=name)
    return r.elpd_loo if OLD else r.elpd


def elements(dataset):
    """Name of each scalar as vflc writes it, with its draws (chain, draw)."""
    out = {}
    for name, v in dataset.data_vars.items():
        values = v.values
        for index in np.ndindex(values.shape[2:]):
            label = name + ("[%s]" % ",".join(str(i + 1) for i in index) if index else "")
            out[label] = values[(slice(None), slice(None)) + index]
    return out


warnings.simplefilter("error", RuntimeWarning)
own = {p["name"]: p for p in vflc("summary", RUN)["parameters"]}
z = open_zarr(os.path.join(RUN, "draws.zarr"))
print("arviz", az.__version__, "groups", groups(z))
draws = elements(z.posterior)
check("zarr: parameters", sorted(draws) == sorted(own), "%d" % len(draws))

def named(dataset):
    """Name of each scalar by the coordinates of its variable, without blanks, with its mean."""
    out = {}
    for name, v in dataset.data_vars.items():
        for index in np.ndindex(v.shape[2:]):
            where = [v.coords[d].values[i] for d, i in zip(v.dims[2:], index)]
            value = v.sel(dict(zip(v.dims[2:], where))).values.mean()
            out[spaceless(name + ("[%s]" % ",".join(map(str, where)) if index else ""))] = value
    return out


def spaceless(name):
    return name.replace(" ", "")


labels = {spaceless(p.get("label", p["name"])): p["mean"] for p in own.values()}
coordinates = named(z.posterior)
check("zarr: names by coordinates", sorted(coordinates) == sorted(labels), "%d, %d with labels" % (len(labels), sum("label" in p for p in own.values())))
close("mean by coordinates", [coordinates.get(k, np.nan) for k in labels], list(labels.values()), 1e-9)

files = sorted(glob.glob(os.path.join(RUN, "draws", "chain-*.csv")), key=lambda f: int(re.findall(r"\d+", f)[-1]))
fit = cmdstanpy.from_csv(files, method="sample")
csv = az.from_cmdstanpy(fit)
flat = {re.sub(r"[^A-Za-z0-9_]+", "_", re.sub(r"\[[\d,]+\]$", "", k)).strip("_") + (re.findall(r"\[[\d,]+\]$", k) or [""])[0]: v for k, v in draws.items()}
from_csv = elements(csv.posterior)
check("csv: parameters", sorted(from_csv) == sorted(flat), "%d" % len(from_csv))
check("csv: every draw equals zarr's", all(np.array_equal(from_csv[k], flat[k]) for k in flat if k in from_csv))

# The table of ArviZ, without its rounding. Its tail ESS is of vflc's quantiles in ArviZ 0, and of the ends of its own interval in ArviZ 1.
table = az.summary(z, round_to="none") if OLD else az.summary(z, round_to="none", ci_kind="eti", ci_prob=0.9)
shown = [spaceless(own[k].get("label", k)) for k in draws]
listed = [spaceless(name) for name in table.index]
check("summary: names", listed == shown, "%d" % len(shown))
if listed == shown:
    same = {"mean": "mean", "sd": "sd"}
    if "sample_stats" in groups(z):
        same |= {"mcse_mean": "mcse", "ess_bulk": "ess_bulk", "r_hat": "rhat"}
        if OLD:
            same["ess_tail"] = "ess_tail"
    if not OLD:
        same |= {"eti90_lb": "q5", "eti90_ub": "q95"}
    for theirs, ours in same.items():
        close("summary: " + theirs, table[theirs].astype(float), [own[k][ours] for k in draws], 1e-6)

close("mean", [d.mean() for d in draws.values()], [own[k]["mean"] for k in draws], 1e-9)
close("sd", [d.std(ddof=1) for d in draws.values()], [own[k]["sd"] for k in draws], 1e-9)
close("quantiles", [np.quantile(d, 0.95) for d in draws.values()], [own[k]["q95"] for k in draws], 1e-9)

def tied(ratios, r_eff):
    """Whether the largest log ratio outside the tail is the least in it."""
    tail = math.ceil(min(len(ratios) / 5, 3 * math.sqrt(len(ratios) / r_eff)))
    largest = np.sort(ratios)[-tail - 1:]
    return largest[0] == largest[1]


def by_name(dataset):
    return {k: v.item() for k, v in elements(dataset.expand_dims(["chain", "draw"])).items()}


if "sample_stats" in groups(z):
    check("csv: divergences", int(csv.sample_stats["diverging"].sum()) == int(z.sample_stats["diverging"].sum()))
    for key, got in [("rhat", az.rhat(z)), ("ess_bulk", az.ess(z, method="bulk")), ("ess_tail", az.ess(z, method="tail", prob=(0.05, 0.95))), ("mcse", az.mcse(z, method="mean"))]:
        value = by_name(dataset_of(got))
        close(key, [value[k] for k in own], [own[k][key] for k in own], 1e-6)
    with open(os.path.join(RUN, "summary.json")) as f:
        ebfmi = json.load(f)["diagnostics"]["ebfmi"]
    if ebfmi:
        close("E-BFMI", bfmi(z), ebfmi, 1e-9)

if "log_likelihood" in groups(z):
    loo, waic = ({r["name"]: r for r in vflc(c, RUN)["responses"]} for c in ("loo", "waic"))
    for name in z.log_likelihood.data_vars:
        close("loo of %s, as az.loo has it" % name, [loo_of(z, name)], [loo[name]["elpd"]], 1e-3)
        if not OLD:  # has no WAIC, and rounds the number of draws in the tail down where R's loo, vflc and ArviZ 0 round up
            continue
        ll = z.log_likelihood[name].values.reshape(-1, loo[name]["observations"])
        draws_, n, own_ = ll.shape[0], ll.shape[1], waic[name]
        # az.loo takes one r_eff for all observations; vflc, as R's loo, one for each: so the smoothing is called by observation
        # where a repeated draw stands on both sides of the tail's begin, ArviZ leaves it out of the tail, and vflc, as R's loo, does not
        some = [i for i, r in enumerate(loo[name]["r_eff"]) if not tied(-ll[:, i], r)]
        check("loo of %s, observations compared" % name, 2 * len(some) > n, "%d of %d" % (len(some), n))
        smoothed = [az.psislw(-ll[:, i], reff=loo[name]["r_eff"][i]) for i in some]
        elpd = [np.logaddexp.reduce(np.asarray(lw) + ll[:, i]) for i, (lw, _) in zip(some, smoothed)]
        close("loo of %s, pointwise" % name, elpd, [loo[name]["pointwise"][i] for i in some], 1e-9)
        close("loo of %s, Pareto k" % name, [float(k) for _, k in smoothed], [loo[name]["k"][i] for i in some], 1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = az.waic(z, var_name=name, pointwise=True)
        close("waic of %s, log pointwise density" % name, [got.elpd_waic + got.p_waic], [own_["elpd"] + own_["p"]], 1e-9)
        # ArviZ has variances with divisor n, R's loo and vflc with n - 1: those over draws, and that over observations
        close("waic of %s, p" % name, [got.p_waic * draws_ / (draws_ - 1)], [own_["p"]], 1e-9)
        density = np.logaddexp.reduce(ll, axis=0) - math.log(draws_)
        each = density - (density - np.asarray(got.waic_i).ravel()) * draws_ / (draws_ - 1)
        close("waic of %s, se" % name, [(n * each.var(ddof=1)) ** 0.5], [own_["se"]], 1e-9)

# Replicates of the responses, for the plots of predictive checks. A run whose model cannot be drawn from has none.
checked = os.path.join(RUN, "checked.tmp.zarr")
made = subprocess.run([VFLC, "ppc", RUN, "--draws", "0", "-o", checked, "--json"], capture_output=True, text=True)
try:
    if made.returncode != 0:
        print("no replicates:", made.stderr.strip())
    else:
        import matplotlib
        matplotlib.use("Agg")
        p = open_zarr(checked)
        checks = {(c["response"], c["statistic"]): c for c in json.loads(made.stdout)["checks"]}
        for name, y in p.posterior_predictive.data_vars.items():
            flat_y = y.values.reshape(-1, int(np.prod(y.shape[2:])))
            observed = p.observed_data[name].values
            check("posterior_predictive: %s" % name, y.shape[2:] == observed.shape and y.dtype == observed.dtype, "%s %s" % (y.shape, y.dtype))
            mean = checks[name, "mean"]
            close("ppc of %s" % name, [flat_y.mean(axis=1).mean(), observed.mean(), np.quantile(flat_y.mean(axis=1), 0.95)], [mean["mean"], mean["observed"], mean["q95"]], 1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawn = az.plot_ppc(p, num_pp_samples=20) if OLD else az.plot_ppc_dist(p, num_samples=20)
        check("plot of the predictive check", drawn is not None)
finally:
    if os.path.exists(checked):
        shutil.rmtree(checked)

parquet = os.path.join(RUN, "draws.parquet.tmp")
try:
    import pyarrow.parquet as pq
    subprocess.run([VFLC, "export", RUN, "--format", "parquet", "-o", parquet], check=True, capture_output=True)
    table = pq.read_table(parquet)
    order = np.lexsort((table["draw"].to_numpy(), table["chain"].to_numpy()))
    check("parquet: every draw equals zarr's", all(np.array_equal(table[k].to_numpy()[order], d.ravel()) for k, d in draws.items()), "columns %s …" % table.column_names[:4])
finally:
    if os.path.exists(parquet):
        os.remove(parquet)
sys.exit(1 if faults else 0)
