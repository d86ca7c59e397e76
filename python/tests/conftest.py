"""One small model of two parties, and one fit of it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import vflc

MODEL = """server registry
client clinic
data died : binary[N] @ registry
data X : real[N, P] @ clinic from zscore(age), onehot(sex, drop=first)
param a ~ normal(0, 2)
param b : real[P] ~ normal(0, 1) @ clinic
died ~ bernoulli_logit(a + X * b)
"""

FLAGS: dict[str, Any] = {"transform": "exact", "chains": 2, "warmup": 150, "draws": 150}


def columns() -> dict[str, dict[str, list[Any]]]:
    """Tables of both parties, of the same rows in different orders."""
    made = random.Random(1)
    rows = [(f"P{i}", made.gauss(60, 10), "fm"[i % 2]) for i in range(80)]
    died = [(key, int(made.random() < (0.6 if age > 60 else 0.3))) for key, age, _ in reversed(rows)]
    return {
        "registry": {"id": [k for k, _ in died], "died": [d for _, d in died]},
        "clinic": {"id": [r[0] for r in rows], "age": [r[1] for r in rows], "sex": [r[2] for r in rows]},
    }


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "clinic.vfl"
    path.write_text(MODEL, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def fit(model: Path, tmp_path_factory: pytest.TempPathFactory) -> vflc.Fit:
    with pytest.warns(vflc.VflcWarning, match="ESS"):  # of so few draws
        return vflc.run(model, columns(), output=tmp_path_factory.mktemp("fit") / "out", **FLAGS)
