"""A fit, and what is asked of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import vflc
from vflc import _process

from conftest import FLAGS, MODEL, columns


def test_summary_has_labels_and_the_numbers_of_the_command(fit: vflc.Fit) -> None:
    rows = {r["name"]: r for r in json.loads(vflc.command("summary", fit.folder, json=True))["parameters"]}
    assert list(fit.summary.index) == ["a", "b[zscore(age)]", "b[sex=m]"]
    assert fit.summary.loc["b[sex=m]", "mean"] == rows["b[2]"]["mean"]
    assert fit.summary.loc["b[sex=m]", "owner"] == "clinic"


def test_draws_are_those_of_the_run(fit: vflc.Fit) -> None:
    posterior = fit.draws["posterior"] if "posterior" in fit.draws else fit.draws.posterior
    assert posterior["b"].shape == (2, 150, 2)
    labels = [str(v) for v in posterior["b"].coords[posterior["b"].dims[2]].values]
    assert labels == ["zscore(age)", "sex=m"]
    assert float(posterior["b"][:, :, 1].mean()) == pytest.approx(fit.summary.loc["b[sex=m]", "mean"], rel=1e-12)


def test_draws_of_stan_files(fit: vflc.Fit) -> None:
    alone = vflc.load(fit.folder / "draws")
    assert alone.draws["posterior"]["b"].shape == (2, 150, 2)
    assert repr(vflc.Fit("nowhere")) == "Fit('nowhere')"


def test_predictions_of_new_rows(fit: vflc.Fit) -> None:
    new = fit.predict({"clinic": {"id": ["N1", "N2"], "age": [40.0, 80.0], "sex": ["f", "m"]}})
    assert list(new["id"]) == ["N1", "N2"] and new["mean"][0] < new["mean"][1]
    with pytest.raises(vflc.VflcError) as caught:
        fit.predict({"clinic": {"id": ["N1"], "age": [40.0], "sex": ["x"]}})
    assert caught.value.code is not None


def test_documents(fit: vflc.Fit) -> None:
    assert fit.loo()["responses"][0]["observations"] == 80
    assert {c["statistic"] for c in fit.ppc()["checks"]} >= {"mean"}
    audit = fit.audit()
    assert audit["verdict"][0]["receivers"] == ["registry"]
    assert "registry can compute: clinic's sex of every row; clinic's contribution to every row" in repr(audit)
    assert fit.diagnosis["trusted"] in (True, False)


def test_plot_and_report_are_shown_inline(fit: vflc.Fit, tmp_path: Path) -> None:
    assert fit.plot("density", "b")._repr_svg_().startswith("<svg")
    with pytest.raises(vflc.VflcError, match="did you mean") as caught:
        fit.plot("density", "bb")
    assert caught.value.exit_code == 2
    shown = fit.report(tmp_path / "r.html")._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown and "<script" not in shown


def test_an_earlier_run_is_loaded(fit: vflc.Fit) -> None:
    assert vflc.load(fit.folder).summary.equals(fit.summary)
    with pytest.raises(vflc.VflcError, match="nowhere"):
        vflc.load("nowhere")


def test_a_run_without_a_folder_lives_as_long_as_its_object(model: Path) -> None:
    with pytest.warns(vflc.VflcWarning):
        short = vflc.run(MODEL, columns(), **{**FLAGS, "warmup": 30, "draws": 5}, seed=3)
    folder = short.folder
    assert len(short.predict()) == 80  # its tables are there
    del short
    assert not folder.exists()


def test_errors_have_code_place_reason_and_way_out(tmp_path: Path) -> None:
    with pytest.raises(vflc.VflcError) as caught:
        vflc.run(MODEL.replace("normal(0, 2)", "norml(0, 2)").replace("logit(a", "logit(aa"), columns())
    err = caught.value
    assert (err.code, err.place and err.place.line, err.exit_code) == ("V0208", 5, 1)
    assert err.reason == '"norml" is not a distribution' and "normal" in str(err.fix)
    assert "    5 | param a ~ norml(0, 2)" in str(err)
    with pytest.raises(vflc.VflcError, match="unknown flag --drawz; did you mean --draws") as usage:
        vflc.run(MODEL, columns(), drawz=3)
    assert (usage.value.code, usage.value.exit_code) == (None, 2)
    with pytest.raises(vflc.VflcError) as missing:
        vflc.run(MODEL, {**columns(), "clinic": {"id": ["P1"], "age": [1.0]}})
    assert missing.value.code is not None


def test_check_compile_audit_and_simulate(model: Path, tmp_path: Path) -> None:
    assert [(d.code, d.severity) for d in vflc.check(model, transform="exact")] == [("V0390", "warning")]
    several = vflc.check("param a ~ norml(0, 1)\nparam b ~ gama(1, 1)\n")
    assert [(d.code, d.place and d.place.line) for d in several] == [("V0208", 1), ("V0208", 2)]
    assert (vflc.compile(model, tmp_path / "build", transform="exact") / "manifest.json").is_file()
    assert vflc.audit(model, transform="exact")["crossings"]
    made = vflc.simulate(model, size={"N": 80}, data={"clinic": columns()["clinic"]}, seed=2)
    assert set(made) == {"clinic", "registry", "truth"}


def test_progress_is_one_line(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vflc._progress import Progress

    shown = Progress()
    shown.line({"chain": 1, "done": 50, "total": 100, "phase": "warmup", "text": ""})
    line = shown.line({"chain": 2, "done": 100, "total": 100, "phase": "sampling", "text": ""})
    assert line == "2 chains " + "━" * 18 + "─" * 6 + " 150 / 200 (75 %) sampling"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_keeps_the_run(model: Path, tmp_path: Path) -> None:
    """Ctrl-C stops the program in good order, and the run goes on where it was, with the same draws."""
    script = (
        "import os, signal, sys, vflc, warnings\nwarnings.simplefilter('ignore')\nsys.path.insert(0, sys.argv[1])\n"
        "from conftest import columns\nfrom vflc import _commands\n"
        "class Stop:\n"
        "    def __call__(self, event):\n"
        "        if event['phase'] == 'sampling': os.kill(os.getpid(), signal.SIGINT)\n"
        "    def end(self): pass\n"
        "_commands.Progress = Stop\n"
        "try: vflc.run(sys.argv[2], columns(), output=sys.argv[3], transform='exact', chains=1, warmup=100, draws=200000)\n"
        "except vflc.Interrupted as err: print(err); print(len(vflc.load(err.folder).summary))\n"
    )
    folder = tmp_path / "out"
    ran = subprocess.run(
        [sys.executable, "-c", script, os.path.dirname(__file__), str(model), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == [f"interrupted; vflc.resume({str(folder)!r}) continues the run", "3"], ran
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resumed = vflc.resume(folder, progress=False)
        whole = vflc.run(model, columns(), transform="exact", chains=1, warmup=100, draws=200000)
    assert resumed.summary.equals(whole.summary)
    assert vflc.resume(folder).summary.equals(whole.summary)


def test_where_the_program_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VFLC_BINARY", str(tmp_path / "absent"))
    with pytest.raises(vflc.VflcError, match="VFLC_BINARY names"):
        vflc.binary()
    monkeypatch.delenv("VFLC_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    if not (Path(_process.__file__).parent / "bin").exists():
        script = tmp_path / "vflc"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        with pytest.raises(vflc.VflcError, match="Install the wheel"):
            vflc.binary()


def test_flags() -> None:
    given: dict[str, Any] = {
        "target_accept": 0.9, "overwrite": True, "rho": {"a": 0.5, "b": 1}, "set": {"K": 3, "L": 2}, "accept": ["x", "y"], "key": None,
    }
    assert _process.flags(given) == [
        "--target-accept=0.9", "--overwrite=true", "--rho=a=0.5,b=1", "--set=K=3", "--set=L=2", "--accept=x", "--accept=y",
    ]


def test_another_run_leaves_the_tables_of_the_first(tmp_path: Path) -> None:
    folder, short = tmp_path / "out", {**FLAGS, "warmup": 30, "draws": 5}

    def kept() -> list[Path]:
        return sorted((tmp_path / "out.tables").glob("*/clinic*"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = vflc.run(MODEL, columns(), output=folder, **short)
        before = kept()
        with pytest.raises(vflc.VflcError, match="overwrite"):
            vflc.run(MODEL, columns(), output=folder, **short)
        assert kept() == before and len(before) == 1 and len(first.predict()) == 80
        vflc.run(MODEL, columns(), output=folder, overwrite=True, **short)
    assert len(kept()) == 1 and kept() != before


def test_the_core_needs_no_other_package(fit: vflc.Fit) -> None:
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name.partition('.')[0] in ('pandas', 'numpy', 'pyarrow', 'polars', 'arviz', 'IPython'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import vflc\n"
        "fit = vflc.load(sys.argv[1])\n"
        "assert fit.summary[1]['parameter'] == 'b[zscore(age)]' and isinstance(fit.summary[1]['mean'], float)\n"
        "assert fit.predict({'clinic': {'id': ['N'], 'age': [50.5], 'sex': ['f']}})[0]['id'] == 'N'\n"
        "try: fit.draws\n"
        "except vflc.VflcError as err: print(err)\n"
        "with vflc.Model('data y : real[N]\\nparam s ~ exponential(1)\\ny ~ normal(0, s)\\n', {'y': [1.0]}) as m:\n"
        "    assert type(m.gradient([0.5])) is list\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(fit.folder)], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "draws are read by ArviZ: pip install 'vflc[arviz]'\n"), ran.stderr
