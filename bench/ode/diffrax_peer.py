"""CPU time of density and gradient of the equations of `go run ./bench/ode` in JAX with diffrax: pip install diffrax, then python bench/ode/diffrax_peer.py.

Both ways of diffrax: reverse mode through the steps, whose control sees the states alone, and forward mode."""

import os
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import diffrax
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

YEARS, TOLERANCE = 20, 1e-6
at = jnp.array([0.55, 0.028, 0.8, 0.024, 34.0, 6.0])


def change(t, y, p):
    return jnp.array([(p[0] - p[1] * y[1]) * y[0], (p[3] * y[0] - p[2]) * y[1]])


def density(p, adjoint):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(change), diffrax.Dopri5(), 0.0, float(YEARS), None, p[4:], args=p,
        saveat=diffrax.SaveAt(ts=jnp.arange(1.0, YEARS + 1)), max_steps=4096, adjoint=adjoint,
        stepsize_controller=diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE))
    return 0.5 * jnp.sum(solution.ys**2)


def forward(p):
    f = lambda q: density(q, diffrax.ForwardMode())
    return f(p), jax.jacfwd(f)(p)


ways = {"reverse mode": jax.jit(jax.value_and_grad(lambda p: density(p, diffrax.RecursiveCheckpointAdjoint()))),
        "forward mode": jax.jit(forward)}
for name, f in ways.items():
    value, slope = f(at)
    slope.block_until_ready()
    times = []
    for _ in range(15):
        start = time.process_time()
        for _ in range(20):
            f(at)[1].block_until_ready()
        times.append((time.process_time() - start) / 20)
    print(f"diffrax, {name}: {sorted(times)[7] * 1e6:.0f} us of CPU a gradient; value {value:.6f}, gradient {[f'{v:.4f}' for v in slope]}")
