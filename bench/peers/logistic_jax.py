"""logistic_jax.py LAYOUT [CHAINS]: value and gradient of a logistic regression in JAX, float64, one thread, many in one compiled loop.

Requests come one by one on standard input as "logistic ROWS COLUMNS RUNS"; the answer is the CPU time of the whole process in nanoseconds, all runs
together. The first request of a size makes its data, of six decimals, and compiles before it is timed: how many digits float64 has to hold changes no time.

    LAYOUT  rows: X in the order of its rows; columns: its transpose in that order
    CHAINS  so many points at a time, by jax.vmap; 1 where it is left out. A run is then one value and gradient at each of them

A run is jax.value_and_grad at a point that depends on the gradient before it, as the steps of a sampler do: a loop in one call, since a call of a compiled
function alone costs more than a gradient of a thousand rows."""
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

HALF_LOG_2PI = 0.9189385332046727


def density(theta, x, y, transposed):
    """The log density of an intercept and coefficients with standard normal priors."""
    b, beta = theta
    eta = b + (beta @ x if transposed else x @ beta)
    prior = -0.5 * (b * b + jnp.sum(beta * beta)) - HALF_LOG_2PI * (1 + beta.size)
    return prior + jnp.sum(y * eta - jax.nn.softplus(eta))


def loop(transposed, chains):
    slope = jax.value_and_grad(density)
    if chains > 1:
        slope = jax.vmap(slope, in_axes=(0, None, None, None))

    def run(runs, theta, x, y):
        def step(_, state):
            theta, total = state
            value, grad = slope(theta, x, y, transposed)
            return jax.tree.map(lambda t, g: t + 1e-12 * g, theta, grad), total + jnp.sum(value)

        return jax.lax.fori_loop(0, runs, step, (theta, 0.0))

    return jax.jit(run)


def main():
    transposed = sys.argv[1] == "columns"
    chains = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    compiled, size, data = loop(transposed, chains), None, None
    for line in sys.stdin:
        _, rows, columns, runs = line.split()
        rows, columns, runs = int(rows), int(columns), int(runs)
        if size != (rows, columns):
            size, data = (rows, columns), None
            r = np.random.default_rng(1)
            x, y = np.round(r.standard_normal((columns, rows) if transposed else (rows, columns)), 6), r.integers(0, 2, rows).astype(float)
            theta = jnp.array(0.1), jnp.array(0.3 * np.sin(1.0 + np.arange(columns)))
            if chains > 1:
                theta = jax.tree.map(lambda t: jnp.stack([t * (1.0 + 0.01 * k) for k in range(chains)]), theta)
            data = theta, jnp.array(x), jnp.array(y)
            jax.block_until_ready(compiled(1, *data))
        begin = time.process_time_ns()
        jax.block_until_ready(compiled(runs, *data))
        print(time.process_time_ns() - begin, flush=True)


if __name__ == "__main__":
    main()
