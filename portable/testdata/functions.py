#!/usr/bin/env python3
"""Prints functions.txt: values of functions of one and of two numbers, computed with mpmath at 1200 bits.

Usage: python3 functions.py > functions.txt

Each line has the name, two arguments, of which the second is 0 for a function of one, and the value as the nearest double and the double nearest to what is left,
all as hexadecimal numbers.
"""
import math
import random

import mpmath
from mpmath import mp, mpf

mp.prec = 1200
random.seed(21)


def spread(lo, hi, n):
    return [random.uniform(lo, hi) for _ in range(n)]


def magnitudes(lo, hi, n):
    return [random.choice((-1, 1)) * math.ldexp(1 + random.random(), random.randint(lo, hi)) for _ in range(n)]


def positive(a):
    return [abs(x) for x in a]


def show(name, x, y, v):
    high = float(v)
    low = 0.0 if math.isinf(high) else float(v - mpf(high))
    print(name, x.hex(), y.hex(), high.hex(), low.hex())


angles = magnitudes(20, 1022, 80) + magnitudes(-40, 19, 40) + [6381956970095103 * 2.0**797, 2.0**1000]
wide = magnitudes(-1000, 1000, 60) + spread(-3, 3, 100)
ones = {
    "sin": (mpmath.sin, angles),
    "cos": (mpmath.cos, angles),
    "tan": (mpmath.tan, angles),
    "atan": (mpmath.atan, wide),
    "asin": (mpmath.asin, spread(-1, 1, 100) + [x * 2.0**-30 for x in spread(-1, 1, 9)] + [1 - 2.0**-k for k in range(1, 50)]),
    "acos": (mpmath.acos, spread(-1, 1, 100) + [1 - 2.0**-k for k in range(1, 50)]),
    "sinh": (mpmath.sinh, magnitudes(-1000, 8, 80) + spread(-709.5, 709.5, 20)),
    "cosh": (mpmath.cosh, magnitudes(-1000, 8, 80) + spread(-709.5, 709.5, 20)),
    "asinh": (mpmath.asinh, wide),
    "erf": (mpmath.erf, magnitudes(-1000, -1, 60) + spread(-6, 6, 100)),
    "erfc": (mpmath.erfc, spread(-6, 6, 100) + spread(0.5, 26, 100)),
    "log2": (lambda x: mpmath.log(x, 2), positive(magnitudes(-1073, 1023, 100)) + spread(0.5, 2, 100) + [2.0**-1074]),
    "log10": (mpmath.log10, positive(magnitudes(-1073, 1023, 100)) + spread(0.5, 2, 100) + [10.0**k for k in range(23)]),
}
for name, (f, points) in ones.items():
    for x in points:
        show(name, x, 0.0, f(mpf(x)))

for x, y in zip(positive(magnitudes(-30, 30, 200)), spread(-20, 20, 200)):
    show("pow", x, y, mpmath.power(mpf(x), mpf(y)))
for x, y in [(1 + 1e-9, 5e11), (1.0001, 7e6), (0.999, 7e5), (3.0, 400.0), (10.0, 300.0), (10.0, -300.0), (7.0, 3.0), (10.0, 3.0), (2.0, 1000.0), (2.0, -1070.0), (1e-310, 0.25)]:
    show("pow", x, y, mpmath.power(mpf(x), mpf(y)))
for x, y in zip(magnitudes(-1000, 1000, 80) + spread(-3, 3, 80), magnitudes(-1000, 1000, 80) + spread(-3, 3, 80)):
    show("atan2", x, y, mpmath.atan2(mpf(x), mpf(y)))
    if abs(x) < 1e300 and abs(y) < 1e300:
        show("hypot", x, y, mpmath.sqrt(mpf(x) ** 2 + mpf(y) ** 2))
