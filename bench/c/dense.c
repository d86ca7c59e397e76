// A network 1-16-16-2 with tanh, forward and backward, in plain loops for gcc -Ofast -march=native, which makes vectors of them and calls libmvec. Reads
// lines "ROWS RUNS" and answers each with nanoseconds of CPU time a run, and the sum of the gradient.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

// A sequence that the Go side repeats: fractions of i times the golden ratio.
static double ramp(long i, double lo, double hi) { return lo + (hi - lo) * fmod((double)i * 1.618033988749895, 1); }

static double *room(size_t n) {
  double *p = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
  if (!p) exit(1);
  return p;
}

// The network: weights w1[16], c1[16], w2[16][16] (input, output), c2[16], w3[16][2], c3[2].
enum { H = 16, PARAMETERS = H + H + H * H + H + 2 * H + 2 };

static void dense(long n, const double *in, const double *w, const double *seed, double *grad, double *a, double *b, double *d) {
  const double *w1 = w, *c1 = w + H, *w2 = w + 2 * H, *c2 = w2 + H * H, *w3 = c2 + H, *c3 = w3 + 2 * H;
  double *g1 = grad, *e1 = grad + H, *g2 = grad + 2 * H, *e2 = g2 + H * H, *g3 = e2 + H, *e3 = g3 + 2 * H;
  enum { B = 64 };
  memset(grad, 0, PARAMETERS * sizeof(double));
  for (long from = 0; from < n; from += B) {
    const double *u = in + from;
    for (int o = 0; o < H; o++)
      for (int i = 0; i < B; i++) a[o * B + i] = tanh(c1[o] + w1[o] * u[i]);
    for (int o = 0; o < H; o++) {
      double s[B];
      for (int i = 0; i < B; i++) s[i] = c2[o];
      for (int k = 0; k < H; k++)
        for (int i = 0; i < B; i++) s[i] += a[k * B + i] * w2[k * H + o];
      for (int i = 0; i < B; i++) b[o * B + i] = tanh(s[i]);
    }
    for (int o = 0; o < 2; o++) { // outputs, and their seeds
      double s[B], total = 0;
      for (int i = 0; i < B; i++) s[i] = c3[o];
      for (int k = 0; k < H; k++)
        for (int i = 0; i < B; i++) s[i] += b[k * B + i] * w3[k * 2 + o];
      for (int i = 0; i < B; i++) d[(H + o) * B + i] = seed[i] * s[i];
      for (int i = 0; i < B; i++) total += d[(H + o) * B + i];
      e3[o] += total;
      for (int k = 0; k < H; k++) {
        double t = 0;
        for (int i = 0; i < B; i++) t += b[k * B + i] * d[(H + o) * B + i];
        g3[k * 2 + o] += t;
      }
    }
    for (int k = 0; k < H; k++) {
      double total = 0;
      for (int i = 0; i < B; i++) {
        double v = w3[k * 2] * d[H * B + i] + w3[k * 2 + 1] * d[(H + 1) * B + i];
        d[k * B + i] = v * (1 - b[k * B + i] * b[k * B + i]);
      }
      for (int i = 0; i < B; i++) total += d[k * B + i];
      e2[k] += total;
    }
    for (int k = 0; k < H; k++)
      for (int o = 0; o < H; o++) {
        double t = 0;
        for (int i = 0; i < B; i++) t += a[k * B + i] * d[o * B + i];
        g2[k * H + o] += t;
      }
    for (int k = 0; k < H; k++) {
      double s[B], total = 0, t = 0;
      for (int i = 0; i < B; i++) s[i] = 0;
      for (int o = 0; o < H; o++)
        for (int i = 0; i < B; i++) s[i] += w2[k * H + o] * d[o * B + i];
      for (int i = 0; i < B; i++) s[i] *= 1 - a[k * B + i] * a[k * B + i];
      for (int i = 0; i < B; i++) total += s[i];
      for (int i = 0; i < B; i++) t += s[i] * u[i];
      e1[k] += total;
      g1[k] += t;
    }
  }
}

static void answer(long n, long runs) {
  double *in = room(n), *seed = room(64), *a = room(H * 64), *b = room(H * 64), *d = room((H + 2) * 64);
  double w[PARAMETERS], grad[PARAMETERS];
  for (long i = 0; i < n; i++) in[i] = ramp(i, -2, 2);
  for (int i = 0; i < 64; i++) seed[i] = 1;
  for (int i = 0; i < PARAMETERS; i++) w[i] = ramp(i, -0.5, 0.5);
  double start = cpu();
  for (long r = 0; r < runs; r++) {
    dense(n, in, w, seed, grad, a, b, d);
    __asm__ volatile("" : : "r"(grad) : "memory");
  }
  double took = cpu() - start, check = 0;
  for (int i = 0; i < PARAMETERS; i++) check += grad[i];
  printf("%.3f %.17g\n", took / runs, check);
  free(in), free(seed), free(a), free(b), free(d);
}

int main(void) {
  long n, runs;
  while (scanf("%ld %ld", &n, &runs) == 2) {
    answer(n, runs);
    fflush(stdout);
  }
  return 0;
}
