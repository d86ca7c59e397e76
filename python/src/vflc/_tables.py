"""Tables on their way to the program, and back."""

from __future__ import annotations

import csv
import glob
import math
import os
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence

from ._errors import VflcError

# What pandas, polars and pyarrow write without loss and the program reads.
_ENDING = ".parquet"


def is_table(value: Any) -> bool:
    """Report whether a value is one table: a data frame, a path, or columns by name."""
    if isinstance(value, (str, os.PathLike)) or _library(value):
        return True
    return isinstance(value, Mapping) and all(_is_column(v) for v in value.values())


def _library(value: Any) -> str:
    """The library that a data frame is of; "" for none."""
    name = type(value).__module__.partition(".")[0]
    has_columns = hasattr(type(value), "columns")
    return name if name in ("pandas", "polars", "pyarrow") and has_columns else ""


def _is_column(value: Any) -> bool:
    if isinstance(value, (str, bytes, os.PathLike, Mapping)) or _library(value) or not hasattr(value, "__len__"):
        return False
    return not any(isinstance(v, (os.PathLike, Mapping)) or _library(v) for v in value)


def write(table: Any, folder: Path, name: str) -> str:
    """Write a table into a folder, and return the path of the file. One that is a file already stays there."""
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / (name + _ENDING)
    library = _library(table)
    if library == "polars":
        import polars
        import polars.selectors as of

        plain = table.with_columns(of.temporal().cast(polars.String), of.decimal().cast(polars.Float64))
        (plain.collect() if hasattr(plain, "collect") else plain).write_parquet(path)
        return str(path)
    if library == "pyarrow":
        return _write_arrow(table, path)
    if library == "pandas":
        frame = table.reset_index() if any(n is not None for n in table.index.names) else table
        try:
            import pyarrow
        except ImportError:
            return _write_csv(dict(frame.items()), folder / (name + ".csv"))
        return _write_arrow(pyarrow.Table.from_pandas(frame, preserve_index=False), path)
    if isinstance(table, Mapping):
        return _write_csv(table, folder / (name + ".csv"))
    raise VflcError(
        f"{name}: a {type(table).__name__} is no table; give a data frame of pandas, polars or pyarrow, columns "
        "by name, or the path of a file",
        exit_code=2,
    )


def _write_arrow(table: Any, path: Path) -> str:
    """Write numbers and texts. Dates and times become texts, and decimals the numbers nearest to them."""
    import pyarrow
    import pyarrow.parquet

    for k, field in enumerate(table.schema):
        plain = (
            pyarrow.string() if pyarrow.types.is_temporal(field.type)
            else pyarrow.float64() if pyarrow.types.is_decimal(field.type)
            else None
        )
        if plain is not None:
            table = table.set_column(k, field.name, table.column(k).cast(plain))
    pyarrow.parquet.write_table(table, path)
    return str(path)


def _write_csv(columns: Mapping[str, Sequence[Any]], path: Path) -> str:
    """Write columns with the shortest decimals that read back as the same numbers; what is missing is empty."""
    lengths = {len(c) for c in columns.values()}
    if len(lengths) > 1:
        raise VflcError(f"{path.stem}: the columns have {sorted(lengths)} rows; give all as many", exit_code=2)
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*([_cell(v) for v in c] for c in columns.values())))
    return str(path)


def _cell(value: Any) -> str:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "1" if value else "0"
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def arguments(data: Any, folder: Path) -> list[str]:
    """Write the tables of a run into a folder where they are no files, and return the flags that name them.

    ``data`` is a table, or tables by party; of a family it is a list of tables, or a path with ``*`` in it.
    """
    if data is None:
        return []
    if is_table(data):
        return ["--data=" + write(data, folder, "data")]
    if not isinstance(data, Mapping):
        raise VflcError("data is a table, or a mapping from parties to their tables", exit_code=2)
    out = []
    for party, table in data.items():
        several = not is_table(table) and isinstance(table, (list, tuple))
        parts = [write(t, folder, f"{party}{k + 1}") for k, t in enumerate(table)] if several else list(
            _files(write(table, folder, str(party)))
        )
        out.append(f"--data={party}={','.join(parts)}")
    return out


def _files(path: str) -> Iterator[str]:
    """The file, or the files that a pattern stands for, in the order of their names."""
    found = sorted(glob.glob(path)) if "*" in path and "://" not in path else []
    yield from found or [path]


def frame(columns: Mapping[str, Sequence[Any]], index: Optional[str] = None) -> Any:
    """Make a data frame of columns where pandas is there, else a list of rows."""
    try:
        import pandas
    except ImportError:
        names = list(columns)
        return [dict(zip(names, row)) for row in zip(*columns.values())]
    out = pandas.DataFrame(columns)
    return out.set_index(index) if index else out


def read_csv(path: Path) -> Any:
    """Read what the program has written as CSV, every digit of it."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        names = next(lines, [])
        cells = list(zip(*lines)) or [() for _ in names]
    return frame({name: [_number(v) for v in column] for name, column in zip(names, cells)})


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text or None
