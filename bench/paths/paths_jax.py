"""paths_jax.py: log densities of bench/paths in JAX, float64, one thread, many gradients in one compiled loop.

Requests come one by one on standard input as "TASK FILE RUNS". FILE has the data, arrays by columns, and the point. The answer is the CPU time of the whole
process in nanoseconds, all runs together, and for 0 runs the gradient at the point. The first request of a file compiles before it is timed.

A run is jax.value_and_grad at a point that depends on the gradient before it, as the steps of a sampler do: a loop in one call, since a call of a compiled
function alone costs more than a short gradient.

A task is a function of the coordinates and the data. The coordinates are unconstrained, in the order of the model's declarations: "positive" and the like map
them to parameters and give the logarithm of the Jacobian. Constants of densities are left out."""
import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 " + os.environ.get("XLA_FLAGS", "")
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platform_name", "cpu")

TASKS = {}


def task(density):
    TASKS[density.__name__] = density
    return density


def positive(x):
    return jnp.exp(x), jnp.sum(x)


def between(x):
    """Of 0 and 1."""
    return jax.nn.sigmoid(x), jnp.sum(jax.nn.log_sigmoid(x) + jax.nn.log_sigmoid(-x))


def log_simplex(x):
    """The logarithms of K probabilities, of K - 1 isometric log-ratios."""
    k = x.size + 1
    basis = np.array([[1.0] * i + [-i] + [0.0] * (k - 1 - i) for i in range(1, k)])
    basis /= np.sqrt([[i * (i + 1)] for i in range(1, k)])
    logs = jax.nn.log_softmax(x @ basis)
    return logs, jnp.sum(logs)


def normal(x, mean=0.0, sd=1.0):
    return -0.5 * ((x - mean) / sd) ** 2 - jnp.log(sd)


# Mixtures, and functions of each row.


@task
def two_normals(theta, d):
    w, j1 = between(theta[0])
    mu, (s, j2) = theta[1:3], positive(theta[3:5])
    prior = j1 + j2 + jnp.sum(normal(mu, 0, 5)) + jnp.sum(normal(s))
    y = d["y"]
    return prior + jnp.sum(jnp.logaddexp(jnp.log(w) + normal(y, mu[0], s[0]), jnp.log1p(-w) + normal(y, mu[1], s[1])))


@task
def five_normals(theta, d):
    (logs, j1), mu, (s, j2) = log_simplex(theta[:4]), theta[4:9], positive(theta[9:14])
    prior = j1 + j2 + jnp.sum(normal(mu, 0, 5)) + jnp.sum(normal(s))
    return prior + jnp.sum(jsp.special.logsumexp(logs[:, None] + normal(d["y"][None, :], mu[:, None], s[:, None]), axis=0))


@task
def two_poissons(theta, d):
    (w, j1), (rate, j2) = between(theta[0]), positive(theta[1:3])
    prior = j1 + j2 + jnp.sum(normal(rate, 0, 5))
    part = lambda k: d["k"] * jnp.log(rate[k]) - rate[k]
    return prior + jnp.sum(jnp.logaddexp(jnp.log(w) + part(0), jnp.log1p(-w) + part(1)))


@task
def two_regressions(theta, d):
    (w, j1), a, b, c, (s, j2) = between(theta[0]), theta[1:3], theta[3:8], theta[8:13], positive(theta[13:15])
    prior = j1 + j2 + jnp.sum(normal(a)) + jnp.sum(normal(b)) + jnp.sum(normal(c)) + jnp.sum(normal(s))
    first, second = normal(d["y"], a[0] + d["X"] @ b, s[0]), normal(d["y"], a[1] + d["X"] @ c, s[1])
    return prior + jnp.sum(jnp.logaddexp(jnp.log(w) + first, jnp.log1p(-w) + second))


TASKS["log_mix"] = two_normals


@task
def log_add_exp(theta, d):
    return jnp.sum(normal(theta)) + jnp.sum(jnp.logaddexp(theta[0] * d["y"], d["X"] @ theta[1:]))


@task
def soft(theta, d):
    (a, j), b = positive(theta[0]), theta[1:]
    m = d["X"] @ b
    return j + normal(a) + jnp.sum(normal(b)) + jnp.sum(jax.nn.softplus(m) + jnp.log(-jnp.expm1(-a - m * m)))


@task
def bernoulli(theta, d):
    m = theta[0] + d["X"] @ theta[1:]
    return jnp.sum(normal(theta)) + jnp.sum(d["y"] * m - jax.nn.softplus(m))


@task
def weighted(theta, d):
    m = theta[0] + d["X"] @ theta[1:]
    return jnp.sum(normal(theta)) + d["w"] @ (d["y"] * m - jax.nn.softplus(m))


@task
def log_softmax(theta, d):
    return jnp.sum(normal(theta)) + jnp.sum(d["X"] * jax.nn.log_softmax(d["X"] * theta, axis=1))


# Recursions.


@task
def garch(theta, d):
    mu, (a, j1), (logs, j2) = theta[0], positive(theta[1]), log_simplex(theta[2:4])
    w, y = jnp.exp(logs), d["y"]

    def step(v, square):
        v = a + w[0] * square + w[1] * v
        return v, v

    _, rest = jax.lax.scan(step, 1.0, (y[:-1] - mu) ** 2)
    v = jnp.concatenate([jnp.ones(1), rest])
    return j1 + j2 + normal(mu) + normal(a) + jnp.sum(-0.5 * (y - mu) ** 2 / v - 0.5 * jnp.log(v))


@task
def volatility(theta, d):
    mu, phi, (s, j1), e, y = theta[0], jnp.tanh(theta[1] / 2), positive(theta[2]), theta[3:], d["y"]
    j2 = between(theta[1])[1]

    def step(h, shock):
        h = mu + phi * (h - mu) + shock
        return h, h

    first = mu + s * e[0] / jnp.sqrt(1 - phi**2)
    _, rest = jax.lax.scan(step, first, s * e[1:])
    h = jnp.concatenate([first[None], rest])
    return j1 + j2 + normal(mu) + normal(s) + jnp.sum(-0.5 * e * e - 0.5 * h - 0.5 * y * y * jnp.exp(-h))


@task
def second_order(theta, d):
    a, b, (s, j), e, y = jnp.tanh(theta[0] / 2), jnp.tanh(theta[1] / 2), positive(theta[2]), theta[3:], d["y"]

    def step(last, shock):
        h = a * last[0] + b * last[1] + shock
        return (h, last[0]), h

    _, rest = jax.lax.scan(step, (e[1], e[0]), s * e[2:])
    h = jnp.concatenate([e[:2], rest])
    prior = j + between(theta[0])[1] + between(theta[1])[1] + normal(s)
    return prior + jnp.sum(-0.5 * e * e - 0.5 * h - 0.5 * y * y * jnp.exp(-h))


@task
def trend(theta, d):
    (a, j1), (b, j2), (s, j3), y = between(theta[0]), between(theta[1]), positive(theta[2]), d["y"]

    def step(x, seen):
        level = a * seen + (1 - a) * (x[0] + x[1])
        x = level, b * (level - x[0]) + (1 - b) * x[1]
        return x, x[0] + x[1]

    _, rest = jax.lax.scan(step, (0.0, 0.0), y[:-1])
    return j1 + j2 + j3 + normal(s) + jnp.sum(normal(y, jnp.concatenate([jnp.zeros(1), rest]), s))


@task
def level(theta, d):
    (s, j1), (q, j2), y = positive(theta[0]), positive(theta[1]), d["y"]

    def step(x, seen):
        k = x[1] / (x[1] + s**2)
        x = x[0] + k * (seen - x[0]), x[1] * (1 - k) + q**2
        return x, x

    _, (m, p) = jax.lax.scan(step, (0.0, 1.0), y[:-1])
    m, v = jnp.concatenate([jnp.zeros(1), m]), jnp.concatenate([jnp.ones(1), p]) + s**2
    return j1 + j2 + normal(s) + normal(q) + jnp.sum(-0.5 * (y - m) ** 2 / v - 0.5 * jnp.log(v))


def growth(step):
    def density(theta, d):
        (r, j1), (k, j2), (s, j3), e, y = between(theta[0]), positive(theta[1]), between(theta[2]), theta[3:], d["y"]

        def follow(n, shock):
            n = step(n, r, k, shock)
            return n, n

        _, rest = jax.lax.scan(follow, k, 0.1 * s * e[1:])
        n = jnp.concatenate([k[None], rest])
        return j1 + j2 + j3 + normal(k) + jnp.sum(normal(e)) + jnp.sum(normal(y, n))

    return density


TASKS["ricker"] = growth(lambda n, r, k, shock: n * jnp.exp(r * (1 - n / k) + shock))
TASKS["logistic"] = growth(lambda n, r, k, shock: n + r * n * (1 - n / k) + shock)


@task
def epidemic(theta, d):
    (b, j1), (g, j2), (s, j3), y = between(theta[0]), between(theta[1]), positive(theta[2]), d["y"]

    def step(x, _):
        new = 0.1 * b * x[0] * x[1]
        x = x[0] - new, x[1] + new - 0.1 * g * x[1]
        return x, x[1]

    _, rest = jax.lax.scan(step, (0.99, 0.01), None, y.size - 1)
    return j1 + j2 + j3 + normal(s) + jnp.sum(normal(y, jnp.concatenate([jnp.full(1, 0.01), rest]), s))


# Tails.


@task
def censored_normal(theta, d):
    mu, (s, j) = theta[0], positive(theta[1])
    z, exact = (d["y"] - mu) / s, d["y"] < 0
    return j + normal(mu, 0, 5) + normal(s) + jnp.sum(jnp.where(exact, -0.5 * z * z - jnp.log(s), jsp.special.log_ndtr(-z)))


def censored(theta, d):
    """Scale, prior and predictor of a regression."""
    (s, j), b = positive(theta[0]), theta[1:]
    return s, j + normal(s) + jnp.sum(normal(b)), d["X"] @ b


def log_between(lower, upper):
    """The log of Phi(upper) - Phi(lower), on the side where it keeps its digits."""
    flip = lower + upper > 0
    less, more = jnp.where(flip, -upper, lower), jnp.where(flip, -lower, upper)
    below = jsp.special.log_ndtr(more)
    return below + jnp.log1p(-jnp.exp(jsp.special.log_ndtr(less) - below))


@task
def right(theta, d):
    s, prior, m = censored(theta, d)
    z = (d["y"] - m) / s
    return prior + jnp.sum(jnp.where(d["c"] == 1, jsp.special.log_ndtr(-z), -0.5 * z * z - jnp.log(s)))


@task
def tobit(theta, d):
    s, prior, m = censored(theta, d)
    z = (d["y"] - m) / s
    return prior + jnp.sum(jnp.where(d["y"] <= 0, jsp.special.log_ndtr(-m / s), -0.5 * z * z - jnp.log(s)))


@task
def interval(theta, d):
    s, prior, m = censored(theta, d)
    return prior + jnp.sum(log_between((d["y"] - m) / s, (d["c"] - m) / s))


@task
def truncated(theta, d):
    s, prior, m = censored(theta, d)
    return prior + jnp.sum(normal(d["y"], m, s) - jsp.special.log_ndtr(m / s))


@task
def truncated_twice(theta, d):
    s, prior, m = censored(theta, d)
    return prior + jnp.sum(normal(d["y"], m, s) - log_between(-m / s, (6 - m) / s))


@task
def gumbel_interval(theta, d):
    s, prior, m = censored(theta, d)
    below, above = jnp.exp((m - d["c"]) / s), jnp.exp((m - d["y"]) / s)
    return prior + jnp.sum(jnp.log(-jnp.expm1(below - above)) - below)


@task
def logistic_left(theta, d):
    s, prior, m = censored(theta, d)
    z = (d["y"] - m) / s
    each = jnp.where(d["c"] == 1, -jax.nn.softplus(-z), -z - 2 * jax.nn.softplus(-z) - jnp.log(s))
    return prior + jnp.sum(each)


@task
def graded(theta, d):
    item, person, y = d["item"].astype(int) - 1, d["person"].astype(int) - 1, d["y"].astype(int)
    skill, a, u = theta[:1000], theta[1000:1020], theta[1020:].reshape(3, 20).T
    c = jnp.cumsum(jnp.concatenate([u[:, :1], jnp.exp(u[:, 1:])], axis=1), axis=1)
    ends = jnp.pad(c, ((0, 0), (1, 1)), constant_values=((0, 0), (-50, 50)))
    eta, low, high = a[item] * skill[person], ends[item, y - 1], ends[item, y]
    each = jax.nn.log_sigmoid(eta - low) + jax.nn.log_sigmoid(high - eta) + jnp.log1p(-jnp.exp(low - high))
    return jnp.sum(normal(skill)) + jnp.sum(normal(a)) + jnp.sum(normal(c, 0, 3)) + jnp.sum(u[:, 1:]) + jnp.sum(each)


# Gaussian processes.


@task
def process(theta, d):
    (rho, j1), (alpha, j2), (sigma, j3) = positive(theta[0]), positive(theta[1]), positive(theta[2])
    prior = j1 + j2 + j3 - 6 * jnp.log(rho) - 5 / rho + normal(alpha) + normal(sigma)
    x, y = d["x"], d["y"]
    k = alpha**2 * jnp.exp(-0.5 * ((x[:, None] - x[None, :]) / rho) ** 2) + sigma**2 * jnp.eye(x.size)
    factor = jnp.linalg.cholesky(k)
    z = jsp.linalg.solve_triangular(factor, y, lower=True)
    return prior - 0.5 * z @ z - jnp.sum(jnp.log(jnp.diagonal(factor)))


@task
def latent(theta, d):
    (rho, j1), (alpha, j2), z, x = positive(theta[0]), positive(theta[1]), theta[2:], d["x"]
    k = alpha**2 * jnp.exp(-0.5 * ((x[:, None] - x[None, :]) / rho) ** 2) + 1e-6 * jnp.eye(x.size)
    m = jnp.linalg.cholesky(k) @ z
    prior = j1 + j2 - 6 * jnp.log(rho) - 5 / rho + normal(alpha) + jnp.sum(normal(z))
    return prior + jnp.sum(d["y"] * m - jax.nn.softplus(m))


@task
def vectors(theta, d):
    (rho, j1), (sigma, j2), mu, x = positive(theta[0]), positive(theta[1]), theta[2:], d["x"]
    r = jnp.sqrt(3.0) * jnp.abs(x[:, None] - x[None, :]) / rho
    factor = jnp.linalg.cholesky((1 + r) * jnp.exp(-r) + sigma**2 * jnp.eye(x.size))
    z = jsp.linalg.solve_triangular(factor, (d["Y"] - mu).T, lower=True)
    prior = j1 + j2 - 6 * jnp.log(rho) - 5 / rho + normal(sigma) + jnp.sum(normal(mu))
    return prior - 0.5 * jnp.sum(z * z) - len(d["Y"]) * jnp.sum(jnp.log(jnp.diagonal(factor)))


def loop(density):
    slope = jax.value_and_grad(density)

    def run(runs, theta, data):
        def step(_, state):
            theta, total = state
            value, grad = slope(theta, data)
            return theta + 1e-15 * grad, total + value

        return jax.lax.fori_loop(0, runs, step, (theta, 0.0))

    return jax.jit(run)


def read(name):
    with open(name, encoding="utf-8") as f:
        content = json.load(f)
    data = {k: jnp.array(np.array(v["values"], dtype=float).reshape(v["dims"], order="F")) for k, v in content["data"].items()}
    return jnp.array(content["point"]), data


def main():
    known = None
    for line in sys.stdin:
        name, file, runs = line.split()
        if known != line.split()[:2]:
            known, (theta, data) = line.split()[:2], read(file)
            compiled = loop(TASKS[name])
            jax.block_until_ready(compiled(1, theta, data))
        if runs == "0":
            print(*jax.grad(TASKS[name])(theta, data), flush=True)
            continue
        begin = time.process_time_ns()
        jax.block_until_ready(compiled(int(runs), theta, data))
        print(time.process_time_ns() - begin, flush=True)


if __name__ == "__main__":
    main()
