"""Tables of every library give the same numbers as one another."""

from __future__ import annotations

import builtins
import datetime
import decimal
import math
from pathlib import Path
from typing import Any, Callable

import pytest

import vflc
from vflc import _tables

from conftest import MODEL, columns

AWKWARD = [0.1, 1 / 3, 1e-300, 123456789.123456789, -2.5e17, 5e-324]


def _frames() -> dict[str, Callable[[dict[str, list[Any]]], Any]]:
    import pandas
    import polars
    import pyarrow

    def dated(c: dict[str, list[Any]]) -> dict[str, list[Any]]:
        rows = len(c["id"])
        return {**c, "day": [datetime.date(2026, 11, 28)] * rows, "cost": [decimal.Decimal("1.5")] * rows}

    return {
        "columns": lambda c: c,
        "pandas": pandas.DataFrame,
        "pandas with an index": lambda c: pandas.DataFrame(c).set_index("id"),
        "polars": polars.DataFrame,
        "lazy": lambda c: polars.DataFrame(c).lazy(),
        "pyarrow": pyarrow.table,
        "categories": lambda c: pandas.DataFrame(c).astype({k: "category" for k in ("sex",) if k in c}),
        "pandas with dates": lambda c: pandas.DataFrame(dated(c)),
        "polars with dates": lambda c: polars.DataFrame(dated(c)),
    }


def _density(frame: Callable[[dict[str, list[Any]]], Any]) -> float:
    data = {party: frame(table) for party, table in columns().items()}
    with vflc.Model(MODEL, data, transform="exact") as model:
        assert model.labels == ["a", "b[zscore(age)]", "b[sex=m]"]
        return model.log_density([0.1, -0.2, 0.3])


@pytest.mark.parametrize(
    "name",
    ["pandas", "pandas with an index", "polars", "lazy", "pyarrow", "categories", "pandas with dates", "polars with dates"],
)
def test_every_library_gives_the_same_density(name: str) -> None:
    assert _density(_frames()[name]) == _density(_frames()["columns"])


def test_pandas_without_pyarrow_writes_exact_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    table = pandas.DataFrame({"x": [*AWKWARD, math.nan], "ok": [True, False] * 3 + [True], "s": ["a,b", 'q"', None] * 2 + [""]})
    path = Path(_tables.write(table, tmp_path, "t"))
    assert path.suffix == ".csv"
    lines = path.read_text().splitlines()
    assert [float(line.split(",")[0]) for line in lines[1:7]] == AWKWARD
    assert lines[0] == "x,ok,s" and lines[1].endswith(',1,"a,b"') and lines[7].startswith(",1,")


def test_a_mapping_is_a_table_or_tables_by_party(tmp_path: Path) -> None:
    assert _tables.arguments({"x": [1, 2], "y": ["a", None]}, tmp_path) == [f"--data={tmp_path / 'data.csv'}"]
    assert _tables.arguments({"lab": [{"x": [1]}, {"x": [2]}], "s": "s.csv"}, tmp_path) == [
        f"--data=lab={tmp_path / 'lab1.csv'},{tmp_path / 'lab2.csv'}",
        "--data=s=s.csv",
    ]
    with pytest.raises(vflc.VflcError, match=r"\[1, 2\] rows"):
        _tables.arguments({"x": [1], "y": [1, 2]}, tmp_path)
    with pytest.raises(vflc.VflcError, match="a int is no table"):
        _tables.arguments({"a": 1}, tmp_path)
