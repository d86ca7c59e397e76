"""simulate.py: writes the simulated data sets of glmm and gamma, beside data.csv in their folders. Nothing is discarded: a data set is what its number gives.

glmm: 40 yearly counts around 100, a cubic trend in the standardised year on the log scale, effects of years with sd 0.04; the generator's seed is the
data set's number. gamma: 60 rows, five cities with effects of sd 0.3, shape 2; the seed is 100 and the number."""
import math
import os
import random

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def poisson(r, mean):
    """A draw, by inversion."""
    u, k, p = r.random(), 0, math.exp(-mean)
    below = p
    while u > below:
        k += 1
        p *= mean / k
        below += p
    return k


def counts(r):
    centre = 20.5
    sd = math.sqrt(sum((t - centre) ** 2 for t in range(1, 41)) / 39)
    for t in range(1, 41):
        x = (t - centre) / sd
        yield poisson(r, math.exp(math.log(100) + 0.3 * x - 0.1 * x * x - 0.1 * x**3 + r.gauss(0, 0.04))), x


def costs(r):
    cities = [r.gauss(0, 0.3) for _ in range(5)]
    for i in range(60):
        x = r.gauss(0, 1)
        yield r.gammavariate(2, math.exp(3 + 0.5 * x + cities[i % 5]) / 2), x, i % 5 + 1


def write(model, number, head, rows):
    with open(os.path.join(here, model, f"data{number}.csv"), "w") as f:
        f.write(head + "\n")
        for row in rows:
            f.write(",".join(f"{v:.6g}" for v in row) + "\n")


for k in range(1, 11):
    write("glmm", k, "n,year", counts(random.Random(k)))
for k in range(1, 5):
    write("gamma", k, "y,x,city", costs(random.Random(100 + k)))
