"""The log density of a model, for samplers of one's own."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

from ._commands import Path_, model_file
from ._errors import VflcError, diagnostic
from ._process import Outcome, flags, start
from ._tables import arguments

Vector = Any  # an array of numpy where that is there, else a list
Numbers = Union[Sequence[float], Any]


class Model:
    """The joint log density of a model and its data, of all parties, by one unconstrained vector.

    The functions are BridgeStan's. The program evaluates them, in a process that lives as long as the object or
    until :meth:`close`. ``model`` and ``data`` are as for :func:`vflc.run`; flags of ``vflc density`` are keyword
    arguments. Under a transform with noise the auxiliary variables follow the parameters: ``transform="exact"``
    gives the model as it is written.
    """

    def __init__(self, model: Path_, data: Any = None, **options: Any) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="vflc-")
        folder = Path(self._scratch.name)
        words = ["density", model_file(model, folder), *arguments(data, folder), "--serve", *flags(options)]
        self._child = start(words, stdin=subprocess.PIPE)
        self._said = Outcome()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._lock = threading.Lock()
        self._calls = 0
        first = self._child.stdout.readline() if self._child.stdout else ""
        if not first:
            raise self._ended()
        greeting = json.loads(first)
        self.names: list[str] = greeting["names"]
        """Names of the values on the declared scale: parameters, and auxiliary variables if there are any."""
        self.labels: list[str] = greeting["labels"]
        """The same by columns and categories."""
        self.generated_names: list[str] = greeting["generated"]
        """Names of the generated quantities."""
        self.unconstrained_names: list[str] = greeting["coordinates"]
        """Names of the elements of a point."""

    def _listen(self) -> None:
        assert self._child.stderr is not None
        for line in self._child.stderr:
            self._said.take(line)

    def _ended(self) -> VflcError:
        self._said.code = self._child.wait()
        self._listener.join()
        return self._said.error()

    @property
    def dimension(self) -> int:
        """The length of a point."""
        return len(self.unconstrained_names)

    def log_density(self, theta: Numbers, *, jacobian: bool = True, propto: bool = True) -> float:
        """The log density at a point, in nats. All constants are counted, also where ``propto`` allows less."""
        answer = self._call("log_density", x=_spelled(theta), jacobian=jacobian)
        return float(answer["value"])

    def gradient(self, theta: Numbers, *, jacobian: bool = True) -> Vector:
        """The gradient of the log density."""
        return self.log_density_gradient(theta, jacobian=jacobian)[1]

    def log_density_gradient(
        self, theta: Numbers, *, jacobian: bool = True, propto: bool = True
    ) -> tuple[float, Vector]:
        """The log density at a point and its gradient."""
        answer = self._call("log_density_gradient", x=_spelled(theta), jacobian=jacobian)
        return float(answer["value"]), _vector(answer.get("gradient", []))

    def constrain(self, theta: Numbers, *, generated: bool = False, draw: int = 0) -> Vector:
        """Values on the declared scale at a point, in the order of ``names``, and with ``generated`` those of
        ``generated_names``. Quantities that are drawn follow from the number of the draw."""
        answer = self._call("param_constrain", x=_spelled(theta), generated=generated, draw=draw)
        return _vector(answer.get("values", []))

    def unconstrain(self, values: Union[Numbers, Mapping[str, Any]]) -> Vector:
        """The point of values on the declared scale: a vector in the order of ``names``, or arrays by the names of
        parameters."""
        if isinstance(values, Mapping):
            given: Any = {k: _nested(v) for k, v in values.items()}
        else:
            given = _spelled(values)
        return _vector(self._call("param_unconstrain", values=given).get("x", []))

    def param_names(self, include_gq: bool = False) -> list[str]:
        """BridgeStan's name of :attr:`names`."""
        return self.names + (self.generated_names if include_gq else [])

    def param_unc_names(self) -> list[str]:
        """BridgeStan's name of :attr:`unconstrained_names`."""
        return self.unconstrained_names

    def param_constrain(self, theta_unc: Numbers, *, include_gq: bool = False, draw: int = 0) -> Vector:
        """BridgeStan's name of :meth:`constrain`."""
        return self.constrain(theta_unc, generated=include_gq, draw=draw)

    def param_unconstrain(self, theta: Numbers) -> Vector:
        """BridgeStan's name of :meth:`unconstrain`."""
        return self.unconstrain(theta)

    def _call(self, name: str, **request: Any) -> dict[str, Any]:
        with self._lock:
            if self._child.poll() is not None or self._child.stdin is None or self._child.stdout is None:
                raise VflcError("the density of this model is closed", exit_code=2)
            self._calls += 1
            line = json.dumps({"id": self._calls, "call": name, **request}, allow_nan=False)
            try:
                self._child.stdin.write(line + "\n")
                self._child.stdin.flush()
                while True:  # the answer to a call that was interrupted may come before
                    text = self._child.stdout.readline()
                    if not text:
                        raise self._ended()
                    answer = json.loads(text)
                    if answer.get("id") == self._calls:
                        break
            except BrokenPipeError:
                raise self._ended() from None
        if "errors" in answer:
            found = [diagnostic(e) for e in answer["errors"]]
            raise VflcError("\n".join(d.text for d in found), found)
        return dict(answer)

    def close(self) -> None:
        """End the process."""
        child = getattr(self, "_child", None)
        if child is None:
            return
        if child.stdin and not child.stdin.closed:
            child.stdin.close()
        child.wait()
        self._listener.join()
        for pipe in (child.stdout, child.stderr):
            if pipe:
                pipe.close()
        self._scratch.cleanup()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be half gone
            pass


def _spell(value: Any) -> Union[float, str]:
    v = float(value)
    if math.isnan(v):
        return "NaN"
    return v if math.isfinite(v) else ("Inf" if v > 0 else "-Inf")


def _spelled(values: Any) -> list[Union[float, str]]:
    return [_spell(v) for v in (values.tolist() if hasattr(values, "tolist") else values)]


def _nested(values: Any) -> Any:
    values = values.tolist() if hasattr(values, "tolist") else values
    return [_nested(v) for v in values] if isinstance(values, (list, tuple)) else _spell(values)


def _vector(values: list[Any]) -> Vector:
    numbers = [float(v) for v in values]
    try:
        import numpy
    except ImportError:
        return numbers
    return numpy.array(numbers, dtype=float)


