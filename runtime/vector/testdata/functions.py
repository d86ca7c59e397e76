#!/usr/bin/env python3
"""Prints functions.txt: values of the elementary functions, computed with mpmath at 400 bits.

Usage: python3 functions.py > functions.txt

Each line has the name, the argument, and the value as the nearest double and the double nearest to what is left, all as hexadecimal numbers. The arguments
are spread over the whole domain, and dense where a kernel may go wrong: thresholds of overflow and underflow, ends of the pieces that are approximated
apart, roots, subnormal arguments, results near one.
"""
import math
import random

import mpmath
from mpmath import mp, mpf

mp.prec = 400
random.seed(20)


def near(x, width=1e-3):
    """Neighbours of a point: the doubles next to it, and some further away."""
    out = [x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf)]
    out += [x * (1 + random.uniform(-1, 1) * w) for w in (width, width * 1e-4, 1e-12)]
    return out


def spread(lo, hi, n):
    return [random.uniform(lo, hi) for _ in range(n)]


def magnitudes(lo, hi, n):
    return [math.ldexp(1 + random.random(), random.randint(lo, hi)) for _ in range(n)]


def both(a):
    return a + [-x for x in a]


tiny = both([5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-30, 2**-60, 2**-54, 2**-53, 1.1e-16, 1e-8])
halves = [x for k in range(-9, 10) for x in near((k + 0.5) * math.log(2), 1e-12)]
exps = tiny + both(spread(0, 1, 30)) + spread(-745.2, 709.8, 60) + halves + near(709.782712893384, 1e-9) + near(-708.3964185322641) + spread(-745, -708, 25) + [-745.1332191019411, -744.4]
roots = near(math.sqrt(0.5)) + near(math.sqrt(2))
positive = [x for x in magnitudes(-1074, 1022, 60)] + [1.7976931348623157e308, 5e-324, 1e-310]
ones = [1 + s * 10.0**-k for k in range(1, 16) for s in (1, -1)]
gammas = [x for e in (0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16) for x in near(e)] + spread(1.2, 1.8, 50) + spread(0, 1, 30) + spread(1, 20, 60) + ones + [2 * x for x in ones]
normals = both(spread(0, 3, 60) + spread(0, 9, 40) + spread(3, 38.6, 40) + magnitudes(-1000, -1, 20)) + tiny + [-x for x in magnitudes(5, 500, 20)]
normals += both([0.0] + near(0.5459) + near(5) + near(10) + near(37.5)) + [-1e150, -1e154, 38.4, 38.5, 38.56]

points = {
    "exp": exps,
    "expm1": exps + both(magnitudes(-70, 5, 40)) + near(-40) + spread(-40, -1, 30),
    "log": positive + ones + roots + spread(0, 3, 60),
    "log1p": both(magnitudes(-1000, -1, 60)) + positive + [-x for x in spread(0, 1, 40)] + tiny + [x - 1 for x in roots] + near(-0.2928) + near(0.4142)
    + [-1 + 10.0**-k for k in range(1, 16)] + near(2.0**53) + near(2.0**60),
    "sigmoid": both(spread(0, 40, 60)) + [-x for x in spread(40, 745, 40)] + tiny + near(-744.4) + near(36.7),
    "tanh": both(spread(0, 1, 60)) + both(spread(0, 23, 50)) + both(magnitudes(-1000, 3, 30)) + tiny + near(19.06) + near(22) + [h / 2 for h in halves],
    "log1pExp": both(spread(0, 40, 60)) + both(spread(40, 745, 30)) + tiny + near(math.log(0.4142)) + both(spread(0, 2, 40)) + near(-744.4) + [1e300],
    "lgamma": positive + gammas + spread(20, 1e4, 20) + near(2.5563481638716906e305, 1e-6)[3:4] + [1e305, 2.55e305],
    "digamma": [x for x in positive if x > 1e-307] + gammas + near(1.4616321449683622, 1e-2) + near(1.4616321449683622, 1e-6) + spread(20, 1e4, 20),
    "logPhi": normals,
    "logPhiSlope": normals,
}


angles = both(spread(0, 7, 60) + spread(7, 1e3, 30) + spread(1e3, 2**20, 60) + magnitudes(-1000, -1, 30)) + tiny
angles += both([x for k in [*range(1, 9), 355, 710, 103993, 417000, 667543] for x in near(float(k * mpmath.pi / 4), 1e-9)])
points["sine"] = points["cosine"] = angles
points["log1mExp"] = points["oddsOfExp"] = [-abs(x) for x in tiny + spread(0, 40, 60) + spread(40, 708, 30) + spread(0, 2, 60) + magnitudes(-1022, 1, 40)
                                            + near(math.log(2)) + near(1.2279471772995158, 1e-2) + near(0.34657359027997264) + near(1.0397207708399179)]


def upper(x):
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def mills(t):
    """(1 - Phi(t))/phi(t), by its asymptotic series where that has all digits."""
    if t < 100:
        return upper(t) / mpmath.npdf(t)
    total, term = mpf(0), mpf(1)
    for k in range(1, 60):
        total += term
        term *= -(2 * k - 1) / t**2
    return total / t


functions = {
    "exp": mpmath.exp,
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log1p": mpmath.log1p,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "tanh": mpmath.tanh,
    "log1pExp": lambda x: mpmath.log1p(mpmath.exp(-abs(x))) + max(x, 0),
    "log1mExp": lambda x: mpmath.log1p(-mpmath.exp(x)) if x < -1 else mpmath.log(-mpmath.expm1(x)),
    "oddsOfExp": lambda x: 1 / mpmath.expm1(-x),
    "lgamma": mpmath.loggamma,
    "digamma": mpmath.digamma,
    "sine": mpmath.sin,
    "cosine": mpmath.cos,
    "logPhi": lambda x: mpmath.log1p(-upper(x)) if x > 0 else mpmath.log(mills(-x)) - x * x / 2 - mpmath.log(2 * mpmath.pi) / 2,
    "logPhiSlope": lambda x: mpmath.npdf(x) / (1 - upper(x)) if x > 0 else 1 / mills(-x),
}
limit = mpf(2) ** 1024 - mpf(2) ** 970  # from here on a double rounds to infinity


def double(v):
    """The nearest double, by hand where it is subnormal."""
    if abs(v) >= limit:
        return math.copysign(math.inf, v)
    if abs(v) < mpf(2) ** -1022:
        return math.ldexp(int(mpmath.nint(v * mpf(2) ** 1074)), -1074)
    return float(v)


def text(x):
    return "+Inf" if x == math.inf else "-Inf" if x == -math.inf else x.hex()


for name, xs in points.items():
    for x in map(float, xs):
        if name == "log1p" and x <= -1 or name in ("lgamma", "digamma", "log") and x <= 0:
            continue
        v = functions[name](mpf(x))
        high = double(v)
        low = 0.0 if math.isinf(high) else double(v - mpf(high))
        print(name, text(x), text(high), text(low))
