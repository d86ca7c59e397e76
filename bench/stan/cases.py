"""A register of models: how to draw small data for each, and for many of them the log density, written with NumPy and SciPy."""

import numpy as np
from scipy import special, stats

DATA, DENSITIES = {}, {}


def data(name):
    """Registers f(r) as the data of a model: a dict of numbers and arrays, drawn with r."""
    return lambda f: DATA.setdefault(name, f)


def density(name):
    """Registers f(d, p) as the log density of a model, up to a constant: d is its data, p its parameters on their declared scale."""
    return lambda f: DENSITIES.setdefault(name, f)


def levels(r, k, n):
    """n categories 1..k, each at least once."""
    return r.permutation(np.concatenate([np.arange(k), r.integers(0, k, n - k)])) + 1


def at(values, codes):
    """The elements of values at codes that count from 1."""
    return np.asarray(values)[np.asarray(codes) - 1]


def normal(x, mu, sigma):
    return np.sum(stats.norm.logpdf(x, mu, sigma))


def binomial(k, n, p):
    return np.sum(stats.binom.logpmf(k, n, p))


def bernoulli_logit(y, eta):
    y = np.asarray(y)
    return np.sum(-np.logaddexp(0, np.where(y == 1, -eta, eta)))


def binomial_logit(k, n, eta):
    k, n = np.asarray(k), np.asarray(n)
    choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.sum(choose - k * np.logaddexp(0, -eta) - (n - k) * np.logaddexp(0, eta))


def poisson_log(k, eta):
    k = np.asarray(k)
    return np.sum(k * eta - np.exp(eta) - special.gammaln(k + 1))


def inv_gamma(x, a, b):
    return stats.invgamma.logpdf(x, a, scale=b)


def gamma(x, a, b):
    return np.sum(stats.gamma.logpdf(x, a, scale=1 / np.asarray(b)))


def cauchy(x, scale):
    return np.sum(stats.cauchy.logpdf(x, 0, scale))
