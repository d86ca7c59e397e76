"""The log density: closed forms, differences, inverses, and requests that are wrong."""

from __future__ import annotations

import math
from typing import Iterator

import pytest

import vflc

from conftest import MODEL, columns

NORMAL = "data y : real[N]\nparam s ~ exponential(1)\ny ~ normal(0, s)\ngenerate twice = 2 * s\n"


@pytest.fixture(scope="module")
def normal() -> Iterator[vflc.Model]:
    with vflc.Model(NORMAL, {"y": [1.0, -1.0]}) as model:
        yield model


def closed_form(x: float, jacobian: bool) -> float:
    s = math.exp(x)
    each = -0.5 / s**2 - math.log(s) - 0.5 * math.log(2 * math.pi)
    return 2 * each - s + (x if jacobian else 0.0)


@pytest.mark.parametrize("x", [-1.5, 0.0, 0.3, 2.0])
def test_the_density_is_the_closed_form(normal: vflc.Model, x: float) -> None:
    for jacobian in (True, False):
        assert normal.log_density([x], jacobian=jacobian) == pytest.approx(closed_form(x, jacobian), rel=1e-14)
    value, gradient = normal.log_density_gradient([x])
    assert value == normal.log_density([x])
    h = 1e-6
    difference = (closed_form(x + h, True) - closed_form(x - h, True)) / (2 * h)
    assert float(gradient[0]) == pytest.approx(difference, rel=1e-7, abs=1e-7)


def test_values_and_points(normal: vflc.Model) -> None:
    assert normal.names == ["s"] and normal.generated_names == ["twice"] and normal.dimension == 1
    assert list(normal.constrain([0.0], generated=True)) == [1.0, 2.0]
    assert list(normal.unconstrain([2.0])) == list(normal.unconstrain({"s": 2.0})) == [math.log(2)]


def test_what_is_not_finite_and_what_is_wrong(normal: vflc.Model) -> None:
    assert normal.log_density([-math.inf]) == -math.inf
    assert math.isnan(normal.log_density([math.nan]))
    with pytest.raises(vflc.VflcError) as caught:
        normal.log_density([0.0, 1.0])
    assert caught.value.code == "V0844"
    with pytest.raises(vflc.VflcError, match="s is -1, but must be above 0") as outside:
        normal.unconstrain([-1.0])
    assert outside.value.code == "V0845"
    assert normal.log_density([0.0]) == closed_form(0.0, True)  # it goes on


def test_parties_and_their_inverse() -> None:
    with vflc.Model(MODEL, columns(), transform="exact") as model:
        assert model.unconstrained_names == ["a", "b[1]", "b[2]"]
        x = [0.3, -1.2, 0.7]
        assert list(model.unconstrain(model.constrain(x))) == x
        exact = model.log_density(x)
    with vflc.Model(MODEL, columns(), transform="none") as model:
        assert model.log_density(x) == pytest.approx(exact, rel=1e-13)


def test_a_closed_model_and_a_wrong_one() -> None:
    model = vflc.Model(NORMAL, {"y": [1.0]})
    model.close()
    with pytest.raises(vflc.VflcError, match="closed"):
        model.log_density([0.0])
    with pytest.raises(vflc.VflcError) as caught:
        vflc.Model(NORMAL.replace("exponential", "exponentail"), {"y": [1.0]})
    assert caught.value.code == "V0208"
