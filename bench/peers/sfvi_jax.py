"""sfvi_jax.py Y X...: iterations of SFVI on the augmented logistic model in JAX, float64, one thread, many in one compiled scan.

Y and each X (one a client) are CSV files whose first column is a key. Requests come one by one on standard input as
"GUIDE NOISE ITERATIONS"; the answer is the CPU time of the whole process in nanoseconds and the mean of log p - log q over the iterations.
The first request of a kind compiles before it is timed.

    GUIDE  noncentered, structured or amortized: those of backends/sfvi; q(theta) is Gaussian with a full covariance, theta = mu + S(I + C)eps
    NOISE  pairs: two iterations share their noise with opposite sign, as in backends/sfvi; fresh: every iteration draws its own

The estimator is one draw of log p - log q, differentiated along the path, the parameters of log q itself held fixed (sticking the landing).
Of what was tried the fastest stands here: clients as a batch dimension (written out one by one they take one and a half to four times as
long), units of the nets before rows, the default generator."""
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 " + os.environ.get("XLA_FLAGS", "")
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platform_name", "cpu")

RHO, RATE, BETA1, BETA2, TINY, WIDTH = 1.0, 1e-3, 0.9, 0.999, 1e-8, 16
HALF_LOG_2PI = 0.9189385332046727
hold = jax.lax.stop_gradient


def start(guide, columns, rows, key):
    """The initial parameters of one client."""
    phi = {"mu": jnp.zeros(columns), "logs": jnp.full(columns, np.log(0.1)), "c": jnp.zeros((columns, columns))}
    if guide in ("noncentered", "structured"):
        phi["m"], phi["h"] = jnp.zeros(rows), jnp.zeros(rows)
    if guide == "structured":
        phi["a"] = jnp.zeros(rows)
    if guide == "amortized":
        k1, k2, k3 = jax.random.split(key, 3)
        phi["net"] = {"w1": jax.random.normal(k1, (1, WIDTH)), "b1": jax.random.uniform(k3, (WIDTH,), minval=-1.0, maxval=1.0),
                      "w2": jax.random.normal(k2, (WIDTH, WIDTH)) / 4, "b2": jnp.zeros(WIDTH), "w3": jnp.zeros((WIDTH, 2)), "b3": jnp.zeros(2)}
    return phi


def net(w, u):
    """Mean and log sd of e at every row."""
    one = jnp.tanh(w["w1"][0][:, None] * u + w["b1"][:, None])
    two = jnp.tanh(w["w2"].T @ one + w["b2"][:, None])
    out = w["w3"].T @ two + w["b3"][:, None]
    return out[0], out[1]


def gaussian(phi, eps):
    """A draw, and -log q at it as a function of its value."""
    lower = jnp.tril(phi["c"], -1)
    theta = phi["mu"] + jnp.exp(phi["logs"]) * (eps + lower @ eps)
    fixed = hold(phi)
    unit = jnp.eye(eps.size) + hold(lower)
    # log q's derivative at the draw is -S^-1 (I + C)^-T eps: given so, autodiff need not go through a triangular solve of its own.
    slope = jax.scipy.linalg.solve_triangular(unit, eps, trans=1, lower=True, unit_diagonal=True) * jnp.exp(-fixed["logs"])
    constant = 0.5 * jnp.sum(eps * eps) + jnp.sum(fixed["logs"]) + HALF_LOG_2PI * eps.size
    return theta, constant + jnp.dot(slope, theta - hold(theta))


def e_of(guide, phi, g, x):
    """Mean and log sd of e = (z - g)/rho."""
    if guide == "noncentered":
        return phi["m"], phi["h"]
    if guide == "structured":
        return phi["m"] + phi["a"] * (g - x @ phi["mu"]), phi["h"]
    return net(phi["net"], g)


def client(phi, noise, x, guide):
    """z of a client and its share of log p - log q."""
    theta, value = gaussian(phi, noise["theta"])
    g = x @ theta
    mean, logs = e_of(guide, phi, g, x)
    e = mean + jnp.exp(logs) * noise["z"]
    mean0, logs0 = e_of(guide, hold(phi), g, x)
    eps = (e - mean0) * jnp.exp(-logs0)
    value += jnp.sum(-0.5 * e * e + 0.5 * eps * eps + logs0)
    return g + RHO * e, value - 0.5 * jnp.sum(theta * theta) - HALF_LOG_2PI * theta.size


def elbo(phi, noise, x, y, guide):
    """One draw of log p - log q, whose gradient is the estimator."""
    at = phi["b"]
    b = at[0] + jnp.exp(at[1]) * noise["b"]
    back = (b - hold(at[0])) * jnp.exp(-hold(at[1]))
    value = 0.5 * back * back + hold(at[1]) - 0.5 * b * b
    z, shares = jax.vmap(lambda p, n, x: client(p, n, x, guide))(phi["clients"], noise["clients"], x)
    eta, value = b + jnp.sum(z, 0), value + jnp.sum(shares)
    return value + jnp.sum(y * eta - jax.nn.softplus(eta))


def scan(guide, paired, length, x, y):
    clients, rows, columns = x.shape

    def draw(key):
        v = jax.random.normal(key, (1 + clients * (columns + rows),))
        theta, z = v[1:1 + clients * columns].reshape(clients, columns), v[1 + clients * columns:].reshape(clients, rows)
        return {"b": v[0], "clients": {"theta": theta, "z": z}}

    def ascend(state, noise):
        phi, first, second, k, total = state
        value, grad = jax.value_and_grad(elbo)(phi, noise, x, y, guide)
        k = k + 1
        step, scale = RATE / (1 - BETA1 ** k), 1 / (1 - BETA2 ** k)
        first = jax.tree.map(lambda m, d: BETA1 * m + (1 - BETA1) * d, first, grad)
        second = jax.tree.map(lambda v, d: BETA2 * v + (1 - BETA2) * d * d, second, grad)
        phi = jax.tree.map(lambda p, m, v: p + step * m / jnp.sqrt(v * scale + TINY * TINY), phi, first, second)
        return phi, first, second, k, total + value

    def pair(state, noise):
        return ascend(ascend(state, noise), jax.tree.map(jnp.negative, noise))

    def run(state, key):
        body, times = (pair, length // 2) if paired else (ascend, length)
        return jax.lax.scan(lambda s, i: (body(s, draw(jax.random.fold_in(key, i))), None), state, jnp.arange(times))[0]

    return jax.jit(run)


class Task:
    def __init__(self, guide, noise, x, y):
        self.key, self.calls = jax.random.key(1), 0
        self.guide, self.paired, self.x, self.y, self.compiled = guide, noise == "pairs", x, y, {}
        phis = [start(guide, x.shape[2], x.shape[1], jax.random.fold_in(self.key, j)) for j in range(len(x))]
        phi = {"b": jnp.array([0.0, np.log(0.1)]), "clients": jax.tree.map(lambda *v: jnp.stack(v), *phis)}
        zeros = jax.tree.map(jnp.zeros_like, phi)
        self.state = (phi, zeros, zeros, jnp.array(0.0))

    def run(self, iterations):
        start = self.state + (jnp.array(0.0),)
        if iterations not in self.compiled:
            self.compiled[iterations] = scan(self.guide, self.paired, iterations, self.x, self.y)
            jax.block_until_ready(self.compiled[iterations](start, self.key))
        self.calls += 1
        key = jax.random.fold_in(self.key, self.calls)
        begin = time.process_time_ns()
        end = jax.block_until_ready(self.compiled[iterations](start, key))
        took = time.process_time_ns() - begin
        self.state = end[:4]
        return took, float(end[4]) / iterations


def main():
    read = lambda path: jnp.array(np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:])
    y, x = read(sys.argv[1])[:, 0], jnp.stack([read(f) for f in sys.argv[2:]])
    tasks = {}
    for line in sys.stdin:
        *kind, iterations = line.split()
        if tuple(kind) not in tasks:
            tasks[tuple(kind)] = Task(*kind, x, y)
        print(*tasks[tuple(kind)].run(int(iterations)), flush=True)


if __name__ == "__main__":
    main()
