"""Data and log densities of the models in examples/stan, independent of vflc.

    python main.py data      draws the data: examples/stan/FOLDER/NAME.json
    python main.py figures   computes the log densities at the points in examples/stan/testdata/FOLDER_NAME.json, and writes them there

The points are written by `go test ./examples/stan -run TestFigures -update`. Needs NumPy 2 and SciPy 1.17.
"""

import json
import pathlib
import sys
import zlib

import numpy as np

import arm, bpa, bugs1, bugs2, others  # noqa: E401, F401: they register their models
from cases import DATA, DENSITIES

HERE = pathlib.Path(__file__).parent.parent.parent / "examples" / "stan"


def plain(v):
    """A value for JSON, real numbers with six digits."""
    v = np.asarray(v)
    if v.dtype.kind == "f":
        v = np.vectorize(lambda x: float(f"{x:.6g}"))(v) if v.size else v
    return v.tolist()


def rows(value):
    """A JSON object with an entry a line."""
    return "{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n}\n"


def arrays(value):
    return {k: np.asarray(v) if isinstance(v, list) else v for k, v in value.items()}


def write_data():
    for name, draw in DATA.items():
        r = np.random.default_rng(zlib.crc32(name.encode()))
        (HERE / f"{name}.json").write_text(rows({k: plain(v) for k, v in draw(r).items()}))


def write_figures():
    for name, f in DENSITIES.items():
        path = HERE / "testdata" / (name.replace("/", "_") + ".json")
        d = arrays(json.loads((HERE / f"{name}.json").read_text()))
        points = json.loads(path.read_text())["points"]
        values = [float(f(d, arrays(p))) for p in points]
        path.write_text('{"points": [\n' + ",\n".join("  " + json.dumps(p) for p in points) + '\n],\n"density": ' + json.dumps(values) + "}\n")


if __name__ == "__main__":
    {"data": write_data, "figures": write_figures}[sys.argv[1]]()
