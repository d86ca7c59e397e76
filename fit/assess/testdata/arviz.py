# Writes arviz.json: results of arviz-stats 0.8.0 for sensitivity_test.go (python arviz.py, with arviz-base).
import json
import numpy as np
from arviz_base import from_dict
from arviz_stats.psense import psense

def chain(seed):
    last, out = 0.0, []
    for _ in range(500):
        total = 0.0
        for _ in range(3):
            seed = (1664525 * seed + 1013904223) % 2**32
            total += (seed + 0.5) / 2**32 - 0.5
        last = 0.6 * last + total
        out.append(last)
    return out

# Four chains of a location and of a logarithm of a scale, with a prior and a likelihood that are not those that
# the draws come from: the comparison is of numbers.
a = np.array([chain(s) for s in range(1, 5)])
b = np.array([chain(s) for s in range(5, 9)])
prior = -0.5 * (a - 1) ** 2 * 4 - 0.5 * b**2
likelihood = -8 * b - 10 * np.exp(-2 * b) * (0.3 + (a + 0.2) ** 2)
tree = from_dict({"posterior": {"a": a, "b": b}, "log_prior": {"p": prior}, "log_likelihood": {"y": likelihood}})
out = {}
for group in ["prior", "likelihood"]:
    s = psense(tree, group=group)
    out[group] = [float(s["a"]), float(s["b"])]
json.dump(out, open("arviz.json", "w"), indent=1)
