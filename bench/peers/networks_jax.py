"""networks_jax.py Y X...: iterations of the split networks of examples/ in JAX, float64, one thread, many in one compiled scan.

Y and each X (one a client) are CSV files without header: the response, and the encoded columns of a client. Requests come one by one on standard input as
"MODEL NOISE ITERATIONS"; the answer is the CPU time of the whole process in nanoseconds and the mean over the iterations of what is maximised.
The first request of a kind compiles before it is timed.

    MODEL  plain: every weight is a point, full batch (examples/paper/split_nn.vfl under exact); hierarchical: the last layer of a client has a Gaussian with a full
           covariance, the auxiliary variables an amortised guide (examples/paper/hier_bayes_split_nn.vfl under augmented)
    NOISE  pairs or fresh, as in sfvi_jax.py; plain has none

Clients are a batch dimension, which was the fastest in sfvi_jax.py: the client with fewer columns gets columns of zeros."""
import sys
import time

from sfvi_jax import BETA1, BETA2, HALF_LOG_2PI, RATE, RHO, TINY, WIDTH, gaussian, hold, jax, jnp, net, np

UNITS = 8


def features(layers, x):
    """The values of the last hidden layer, a column for each row of x: units before rows."""
    one = jax.nn.relu(layers["w1"].T @ x + layers["c1"][:, None])
    return jax.nn.relu(layers["w2"].T @ one + layers["c2"][:, None])


def start(model, columns, key):
    k1, k2, k3, k4, k5, k6 = jax.random.split(key, 6)
    layers = {"w1": jax.random.normal(k1, (columns, UNITS)) * np.sqrt(2 / columns), "c1": jnp.zeros(UNITS),
              "w2": jax.random.normal(k2, (UNITS, UNITS)) * np.sqrt(2 / UNITS), "c2": jnp.zeros(UNITS)}
    if model == "plain":
        return {"layers": layers, "w": jax.random.normal(k3, (UNITS,)) / np.sqrt(UNITS)}
    return {"layers": layers, "mu": jnp.zeros(UNITS), "logs": jnp.full(UNITS, np.log(0.1)), "c": jnp.zeros((UNITS, UNITS)),
            "net": {"w1": jax.random.normal(k4, (1, WIDTH)), "b1": jax.random.uniform(k6, (WIDTH,), minval=-1.0, maxval=1.0),
                    "w2": jax.random.normal(k5, (WIDTH, WIDTH)) / 4, "b2": jnp.zeros(WIDTH), "w3": jnp.zeros((WIDTH, 2)), "b3": jnp.zeros(2)}}


def plain(phi, noise, x, y):
    """The log likelihood of the network of points."""
    eta = phi["b"][0] + jnp.sum(jax.vmap(lambda p, x: p["w"] @ features(p["layers"], x))(phi["clients"], x), 0)
    return jnp.sum(y * eta - jax.nn.softplus(eta))


def client(phi, noise, x):
    """z of a client and its share of log p - log q."""
    w, value = gaussian(phi, noise["theta"])
    g = w @ features(phi["layers"], x)
    mean, logs = net(phi["net"], g)
    e = mean + jnp.exp(logs) * noise["z"]
    mean0, logs0 = net(hold(phi["net"]), g)
    eps = (e - mean0) * jnp.exp(-logs0)
    value += jnp.sum(-0.5 * e * e + 0.5 * eps * eps + logs0)
    return g + RHO * e, value - 0.5 * jnp.sum(w * w) - HALF_LOG_2PI * UNITS


def hierarchical(phi, noise, x, y):
    """One draw of log p - log q, whose gradient is the estimator."""
    at = phi["b"]
    b = at[0] + jnp.exp(at[1]) * noise["b"]
    back = (b - hold(at[0])) * jnp.exp(-hold(at[1]))
    value = 0.5 * back * back + hold(at[1]) - 0.5 * b * b
    z, shares = jax.vmap(client)(phi["clients"], noise["clients"], x)
    eta = b + jnp.sum(z, 0)
    return value + jnp.sum(shares) + jnp.sum(y * eta - jax.nn.softplus(eta))


def scan(model, paired, length, x, y):
    clients, _, rows = x.shape
    target = plain if model == "plain" else hierarchical

    def draw(key):
        v = jax.random.normal(key, (1 + clients * (UNITS + rows),))
        at = 1 + clients * UNITS
        return {"b": v[0], "clients": {"theta": v[1:at].reshape(clients, UNITS), "z": v[at:].reshape(clients, rows)}}

    def ascend(state, noise):
        phi, first, second, k, total = state
        value, grad = jax.value_and_grad(target)(phi, noise, x, y)
        k = k + 1
        step, scale = RATE / (1 - BETA1 ** k), 1 / (1 - BETA2 ** k)
        first = jax.tree.map(lambda m, d: BETA1 * m + (1 - BETA1) * d, first, grad)
        second = jax.tree.map(lambda v, d: BETA2 * v + (1 - BETA2) * d * d, second, grad)
        phi = jax.tree.map(lambda p, m, v: p + step * m / jnp.sqrt(v * scale + TINY * TINY), phi, first, second)
        return phi, first, second, k, total + value

    def pair(state, noise):
        return ascend(ascend(state, noise), jax.tree.map(jnp.negative, noise))

    def run(state, key):
        if model == "plain":
            return jax.lax.scan(lambda s, i: (ascend(s, None), None), state, jnp.arange(length))[0]
        body, times = (pair, length // 2) if paired else (ascend, length)
        return jax.lax.scan(lambda s, i: (body(s, draw(jax.random.fold_in(key, i))), None), state, jnp.arange(times))[0]

    return jax.jit(run)


class Task:
    def __init__(self, model, noise, x, y):
        self.key, self.calls = jax.random.key(1), 0
        self.model, self.paired, self.x, self.y, self.compiled = model, noise == "pairs", x, y, {}
        phis = [start(model, x.shape[1], jax.random.fold_in(self.key, j)) for j in range(len(x))]
        phi = {"b": jnp.array([0.0, np.log(0.1)]), "clients": jax.tree.map(lambda *v: jnp.stack(v), *phis)}
        zeros = jax.tree.map(jnp.zeros_like, phi)
        self.state = (phi, zeros, zeros, jnp.array(0.0))

    def run(self, iterations):
        begun = self.state + (jnp.array(0.0),)
        if iterations not in self.compiled:
            self.compiled[iterations] = scan(self.model, self.paired, iterations, self.x, self.y)
            jax.block_until_ready(self.compiled[iterations](begun, self.key))
        self.calls += 1
        key = jax.random.fold_in(self.key, self.calls)
        begin = time.process_time_ns()
        end = jax.block_until_ready(self.compiled[iterations](begun, key))
        took = time.process_time_ns() - begin
        self.state = end[:4]
        return took, float(end[4]) / iterations


def main():
    read = lambda path: np.genfromtxt(path, delimiter=",", ndmin=2)
    y, tables = jnp.array(read(sys.argv[1])[:, 0]), [read(f) for f in sys.argv[2:]]
    widest = max(t.shape[1] for t in tables)
    x = jnp.stack([jnp.array(np.pad(t, ((0, 0), (0, widest - t.shape[1]))).T) for t in tables])
    tasks = {}
    for line in sys.stdin:
        *kind, iterations = line.split()
        if tuple(kind) not in tasks:
            tasks[tuple(kind)] = Task(*kind, x, y)
        print(*tasks[tuple(kind)].run(int(iterations)), flush=True)


if __name__ == "__main__":
    main()
