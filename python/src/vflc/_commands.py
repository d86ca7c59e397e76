"""The commands that begin with a model."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Union

from ._errors import Diagnostic, Interrupted, VflcError, diagnostic
from ._fit import Document, Fit, document, load
from ._process import flags, perform
from ._progress import Progress
from ._tables import arguments, read_csv

Path_ = Union[str, "os.PathLike[str]"]


def is_text(model: Path_) -> bool:
    """Report whether a model is its text, which has several lines, and not the path of a file."""
    return isinstance(model, str) and "\n" in model


def model_file(model: Path_, folder: Path) -> str:
    """Return the file of a model. One that is given as text is written into a folder."""
    if not is_text(model):
        return os.fspath(model)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "model.vfl"
    path.write_text(str(model), encoding="utf-8")
    return str(path)


@contextmanager
def _file_of(model: Path_) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="vflc-") as scratch:
        yield model_file(model, Path(scratch))


def run(
    model: Path_,
    data: Any = None,
    *,
    output: Optional[Path_] = None,
    progress: bool = True,
    **options: Any,
) -> Fit:
    """Fit a model, with all parties simulated in one process.

    ``model`` is the path of a file, or text of several lines. ``data`` has the tables by party: data frames of
    pandas, polars or pyarrow, columns by name, or paths; of a family a list of these; of a model without clients
    the table alone. Without it the tables are those beside the model. A named index of pandas is a column.

    ``output`` is the folder of the run; tables that are no files are written beside it, in ``output + ".tables"``,
    where predictions read them again. Without it the run lives as long as the object. Flags of ``vflc run`` are
    keyword arguments: ``draws=1000``, ``transform="exact"``, ``target_accept=0.9``, ``set={"K": 3}``.

    What the program warns of is shown as :class:`VflcWarning`; what is wrong raises :class:`VflcError`. Ctrl-C
    stops the run in good order and raises :class:`Interrupted`, which says how to go on.
    """
    if output is None:
        tables = Path(tempfile.mkdtemp(prefix="vflc-"))
        folder = tables / "run"
    else:
        folder = Path(output)
        beside = folder.with_name(folder.name + ".tables")
        beside.mkdir(mode=0o700, parents=True, exist_ok=True)
        tables = Path(tempfile.mkdtemp(dir=beside, prefix="run-"))
    try:
        words = ["run", model_file(model, tables), *arguments(data, tables), "--output", str(folder), *flags(options)]
        fit = _fitted(words, folder, progress)
    except VflcError as err:
        if err.exit_code != _UNTRUSTED:
            _remove(tables)
        raise
    if output is None:
        fit.keep_until_gone(tables)
    elif options.get("overwrite"):
        for earlier in set(tables.parent.glob("run-*")) - {tables}:
            shutil.rmtree(earlier)
    if output is not None and not any(tables.iterdir()):
        _remove(tables)
    return fit


# The exit code of a run with ``strict=True`` that is written, and not to be trusted.
_UNTRUSTED = 3


def _remove(tables: Path) -> None:
    """Remove a folder of tables, and the one around it where that is of no other run."""
    shutil.rmtree(tables)
    if tables.parent.name.endswith(".tables") and not any(tables.parent.iterdir()):
        tables.parent.rmdir()


def resume(folder: Path_, *, progress: bool = True) -> Fit:
    """Continue a run that was interrupted, with the draws that it would have had. One that is complete, as an
    interrupt in its last moment leaves it, is loaded."""
    record = Path(folder) / "run.json"
    if record.exists() and json.loads(record.read_text(encoding="utf-8")).get("complete"):
        return load(Path(folder))
    return _fitted(["resume", os.fspath(folder)], Path(folder), progress)


def _fitted(words: list[str], folder: Path, progress: bool) -> Fit:
    shown = Progress()
    try:
        outcome = perform(words, shown if progress else None)
    except KeyboardInterrupt as err:
        raise Interrupted(str(folder)) from err
    finally:
        shown.end()
    outcome.warn()
    return Fit(folder, outcome)


def check(model: Path_, **options: Any) -> list[Diagnostic]:
    """Return the errors and warnings of a model; none raises an exception. Nothing is fitted."""
    with _file_of(model) as path:
        outcome = perform(["check", path, "--json", *flags(options)], fine=(0, 1))
    if not outcome.out:
        raise outcome.error()
    return [diagnostic(d) for d in json.loads(outcome.out)["diagnostics"]]


def compile(model: Path_, out: Path_, **options: Any) -> Path:
    """Write the program of each party, and the manifest of what crosses between them, to a folder."""
    with _file_of(model) as path:
        perform(["compile", path, "--split-by=client", "--output", os.fspath(out), *flags(options)]).warn(3)
    return Path(out)


def simulate(
    model: Path_,
    *,
    size: Optional[Mapping[str, int]] = None,
    data: Any = None,
    out: Optional[Path_] = None,
    **options: Any,
) -> dict[str, Any]:
    """Draw parameters from their priors, and tables for every party, of the sizes given: ``size={"N": 500}``.

    Return the tables by the names of their files (``truth`` has the parameters), of a family a list, as
    :func:`run` takes them. With ``out`` they stay there.
    """
    with tempfile.TemporaryDirectory(prefix="vflc-") as scratch:
        folder = Path(out) if out is not None else Path(scratch) / "out"
        words = ["simulate", model_file(model, Path(scratch)), "--output", str(folder)]
        perform([*words, *arguments(data, Path(scratch) / "data"), *flags({"size": size, **options})]).warn(3)
        return {name: table for name, table in _simulated(folder)}


def _simulated(folder: Path) -> Iterator[tuple[str, Any]]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            members = sorted(path.iterdir(), key=lambda p: (len(p.name), p.name))
            yield path.name, [_read(p) for p in members]
        else:
            yield path.stem, _read(path)


def _read(path: Path) -> Any:
    return read_csv(path) if path.suffix == ".csv" else json.loads(path.read_text(encoding="utf-8"))


def audit(model: Path_, **options: Any) -> Document:
    """What each party would learn of the others in a run of a model, a folder of programs, or in a finished run:
    ``verdict`` says who can compute what, and ``crossings`` what crosses."""
    if is_text(model):
        raise VflcError("the audit is of a model in a file: write its text to one", exit_code=2)
    return document(["audit", os.fspath(model), *flags(options)])
