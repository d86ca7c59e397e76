"""A finished run."""

from __future__ import annotations

import html
import json
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Optional, Union

from ._errors import VflcError
from ._process import Outcome, flags, perform
from ._tables import arguments, frame, read_csv


class Document(dict[str, Any]):
    """What a command prints as JSON, by key; where it is shown it is the command's own text."""

    def __init__(self, content: dict[str, Any], command: list[str]) -> None:
        super().__init__(content)
        self._command = command
        self._text: Optional[str] = None

    @property
    def text(self) -> str:
        """What the command prints."""
        if self._text is None:
            self._text = perform(self._command, fine=(0, 3)).out
        return self._text

    def __repr__(self) -> str:
        try:
            return self.text
        except VflcError:  # what it is about is gone
            return super().__repr__()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def document(command: list[str]) -> Document:
    """Run a command that prints JSON."""
    outcome = perform([*command, "--json"], fine=(0, 3))
    outcome.warn()
    return Document(json.loads(outcome.out), command)


class Plot:
    """A plot: shown in notebooks, saved as SVG."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "Path"]) -> Path:
        """Write the plot to an SVG file."""
        out = Path(path)
        out.write_text(self.svg, encoding="utf-8")
        return out


class Report:
    """The report of a run: one HTML file, which notebooks show inline. It holds results of all parties."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.html = path.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r})"

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" sandbox style="width:100%;height:42em;border:1px solid #ccc"></iframe>'


class Fit:
    """A finished run, in a folder of its own.

    ``messages`` and ``warnings`` are what the program has said while it ran.
    """

    def __init__(self, folder: Union[str, "Path"], outcome: Optional[Outcome] = None) -> None:
        self.folder = Path(folder)
        self.messages: list[str] = outcome.messages if outcome else []
        self.warnings: list[str] = outcome.warnings if outcome else []
        self._draws: Optional[Any] = None

    def keep_until_gone(self, scratch: Path) -> None:
        """Remove a folder when nothing refers to this run any more."""
        weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)

    def command(self, name: str, *words: str, **options: Any) -> str:
        """Run a command about the run, as ``fit.command("diagnose")``, and return what it prints."""
        return perform([name, str(self.folder), *words, *flags(options)]).out

    @property
    def summary(self) -> Any:
        """Mean, Monte Carlo error, sd, quantiles, effective sample sizes and R-hat of every parameter.

        A data frame where pandas is there, with the names by columns and categories as its index; else a list
        of mappings.
        """
        rows = json.loads(perform(["summary", str(self.folder), "--json"]).out)["parameters"]
        keys = ["owner", "mean", "mcse", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat", "name"]
        columns = {"parameter": [r.get("label", r["name"]) for r in rows]}
        columns.update({k: [r.get(k) for r in rows] for k in keys})
        return frame(columns, index="parameter")

    @property
    def draws(self) -> Any:
        """The draws as ArviZ has them: InferenceData of ArviZ 0, DataTree of ArviZ 1.

        Elements have the names of the columns and categories that they belong to.
        """
        if self._draws is None:
            kept = self.folder / "draws.zarr"
            with tempfile.TemporaryDirectory(prefix="vflc-") as scratch:
                if not kept.is_dir():  # of other folders that the program reads, as of Stan CSV files
                    kept = Path(scratch) / "draws.zarr"
                    self.command("export", format="zarr", output=kept)
                self._draws = _open_zarr(str(kept))
        return self._draws

    @property
    def diagnosis(self) -> Document:
        """Whether the draws can be trusted (``trusted``), and what is wrong (``findings``)."""
        return document(["diagnose", str(self.folder)])

    def predict(self, data: Any = None, **options: Any) -> Any:
        """Predict the responses of new rows, given as :func:`vflc.run` takes tables; those of the run without.

        Return a data frame (a list of mappings without pandas). Flags of ``vflc predict`` are keyword arguments.
        """
        with tempfile.TemporaryDirectory(prefix="vflc-") as scratch:
            out = Path(scratch) / "predictions.csv"
            perform(
                ["predict", str(self.folder), *arguments(data, Path(scratch)), "--output", str(out), *flags(options)]
            ).warn(3)
            return read_csv(out)

    def audit(self, **options: Any) -> Document:
        """What crossed between the parties in the run, and what a curious receiver can compute from it.

        ``attack=True`` tries to compute it.
        """
        return document(["audit", str(self.folder), *flags(options)])

    def loo(self, **options: Any) -> Document:
        """Expected log predictive density by PSIS-LOO, with each observation's Pareto k."""
        return document(["loo", str(self.folder), *flags(options)])

    def ppc(self, *responses: str, **options: Any) -> Document:
        """Statistics of the data among those of replicates from the fitted model."""
        return document(["ppc", str(self.folder), *responses, *flags(options)])

    def plot(self, *words: str, **options: Any) -> Plot:
        """Plot the draws: ``fit.plot("trace", "beta*")``; ``vflc plot --help`` lists the kinds."""
        with tempfile.TemporaryDirectory(prefix="vflc-") as scratch:
            out = Path(scratch) / "plot.svg"
            perform(["plot", str(self.folder), *words, "--output", str(out), *flags(options)])
            return Plot(out.read_text(encoding="utf-8"))

    def report(self, path: Optional[Union[str, "Path"]] = None) -> Report:
        """Write the run as one HTML page, and show it inline in a notebook."""
        out = Path(path) if path else self.folder / "report.html"
        perform(["report", str(self.folder), "--output", str(out)]).warn(3)
        return Report(out)

    def __repr__(self) -> str:
        try:
            return perform(["summary", str(self.folder)]).out
        except VflcError:  # the folder is gone
            return f"Fit({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def load(folder: Union[str, "Path"]) -> Fit:
    """Open the folder of an earlier run, ``vflc run -o``."""
    perform(["summary", str(folder), "--json"])
    return Fit(folder)


def _open_zarr(path: str) -> Any:
    try:
        import arviz
    except ImportError as err:
        raise VflcError("draws are read by ArviZ: pip install 'vflc[arviz]'", exit_code=2) from err
    if not hasattr(arviz.InferenceData, "from_datatree"):  # ArviZ 1, where it is another name of DataTree
        return arviz.from_zarr(path).load()
    import zarr

    if int(zarr.__version__.partition(".")[0]) < 3:
        return arviz.from_zarr(path).load()
    import xarray

    with xarray.open_datatree(path, engine="zarr") as tree:
        return arviz.InferenceData.from_datatree(tree.load())
