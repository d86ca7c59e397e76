"""The notebook of the examples goes from its first cell to its last, and the pages of the documentation do."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _outputs(cell: Any) -> dict[str, str]:
    out: dict[str, str] = {}
    for output in cell.outputs:
        for kind, text in output.get("data", {}).items():
            out[kind] = out.get(kind, "") + text
    return out


def test_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    if "VFLC_WHEELS" not in os.environ:
        pytest.skip("its first cell installs the wheel: name its folder in VFLC_WHEELS")
    monkeypatch.setenv("PIP_FIND_LINKS", os.environ["VFLC_WHEELS"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    book = nbformat.read(ROOT / "examples" / "notebooks" / "python.ipynb", as_version=4)
    code = [c for c in book.cells if c.cell_type == "code"]
    assert len(code) == 5 and not any(c.outputs for c in code)
    client.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert "4 chains" in _outputs(code[2])["text/html"]  # of progress
    result, report = _outputs(code[3]), _outputs(code[4])
    assert "a[zscore(age)]" in result["text/html"] and "u[north]" in result["text/html"]
    assert result["image/svg+xml"].startswith("<svg")
    assert "<iframe srcdoc=" in report["text/html"]


def test_the_page_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks run as one session, in a folder that holds the examples."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) > 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), names)
