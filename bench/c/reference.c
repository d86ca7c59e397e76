// One-pass loops in C to hold the graph against. This file: gcc -O3 -march=native; elementwise.c: -Ofast besides. Requests come one by one on standard input as "TASK N P REPEATS"; the answer
// is the processor time of all repeats in nanoseconds. Data are made on the first request of a task.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef double v8 __attribute__((vector_size(64)));
typedef int64_t i8 __attribute__((vector_size(64)));

enum { ROWS = 32, VECTORS = ROWS / 8 };

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}

static uint64_t state = 88172645463325252u;
static double uniform(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}
double normal(void) { return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()); }

void *pages(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(p, 0, bytes);
  return p;
}

static v8 all(double x) { return (v8){x, x, x, x, x, x, x, x}; }

static v8 choose(i8 mask, v8 a, v8 b) { return (v8)((mask & (i8)a) | (~mask & (i8)b)); }

// e^x for x <= 0: Cody-Waite reduction and a polynomial of degree 11. -Ofast would undo the reduction.
static inline v8 vexp(v8 x) {
  const v8 magic = all(0x1.8p52);
  x = choose(x < all(-708), all(-708), x);
  v8 k = x * all(1.4426950408889634) + magic;
  i8 shift = (i8)k << 52;
  k -= magic;
  v8 r = x - k * all(0x1.62e42fefa39efp-1);
  r -= k * all(0x1.abc9e3b39803fp-56);
  v8 p = all(1.0 / 39916800);
  const double c[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1};
  for (int i = 0; i < 11; i++) p = p * r + all(c[i]);
  return (v8)((i8)p + shift);
}

// Bernoulli-logit: X in tiles [tile][column][32 rows], read once for value and gradient; the product of factors 1+z in place of their logarithms.
static struct { int n, p; v8 *x, *y; double *b, *g; } lo;

static void logistic_data(int n, int p) {
  free(lo.x), free(lo.y), free(lo.b), free(lo.g);
  lo.n = n, lo.p = p;
  lo.x = pages(sizeof(double) * n * p), lo.y = pages(sizeof(double) * n), lo.b = pages(8 * (p + 8)), lo.g = pages(64 * (p + 1));
  for (long i = 0; i < (long)n * p; i++) ((double *)lo.x)[i] = uniform() - 0.5;
  for (int i = 0; i < n; i++) ((double *)lo.y)[i] = uniform() < 0.5;
  for (int i = 0; i <= p; i++) lo.b[i] = 0.3 * normal();
}

static double logistic(void) {
  int p = lo.p, factors = 0;
  v8 *g = (v8 *)lo.g, product[VECTORS], sum = all(0), da = all(0);
  double logs = 0;
  memset(g, 0, sizeof(v8) * (p + 1));
  for (int v = 0; v < VECTORS; v++) product[v] = all(1);
  for (int t = 0; t < lo.n / ROWS; t++) {
    const v8 *x = lo.x + (size_t)t * p * VECTORS, *y = lo.y + t * VECTORS;
    v8 eta[VECTORS], r[VECTORS];
    for (int v = 0; v < VECTORS; v++) eta[v] = all(lo.b[p]);
    for (int j = 0; j < p; j++)
      for (int v = 0; v < VECTORS; v++) eta[v] += x[j * VECTORS + v] * all(lo.b[j]);
    for (int v = 0; v < VECTORS; v++) {
      v8 sign = 2 * y[v] - 1, s = sign * eta[v];
      v8 z = vexp((v8)((i8)s | (i8)all(-0.0)));
      v8 one = 1 + z;
      product[v] *= one;
      sum += choose(s < all(0), s, all(0));
      r[v] = sign * (choose(s < all(0), all(1), z) / one);
      da += r[v];
    }
    for (int j = 0; j < p; j++) {
      v8 s = g[j];
      for (int v = 0; v < VECTORS; v++) s += x[j * VECTORS + v] * r[v];
      g[j] = s;
    }
    if (++factors == 1000 || t == lo.n / ROWS - 1) {
      for (int v = 0; v < VECTORS; v++) {
        for (int l = 0; l < 8; l++) logs += log(product[v][l]);
        product[v] = all(1);
      }
      factors = 0;
    }
  }
  double lp = -logs;
  for (int l = 0; l < 8; l++) lp += sum[l];
  for (int j = 0; j < p; j++) {
    double s = 0;
    for (int l = 0; l < 8; l++) s += g[j][l];
    lp += 1e-300 * s;
  }
  return lp + 1e-300 * da[0];
}

void elementwise_data(int, int);
double decay(void), growth(void), student(void);

static const struct { const char *name; void (*data)(int, int); double (*run)(void); } tasks[] = {
  {"logistic", logistic_data, logistic}, {"decay", elementwise_data, decay}, {"growth", elementwise_data, growth}, {"student", elementwise_data, student},
};

int main(void) {
  char name[32], last[32] = "";
  int n, p, ln = -1, lp = -1;
  long repeats;
  volatile double keep = 0;
  while (scanf("%31s %d %d %ld", name, &n, &p, &repeats) == 4) {
    size_t k = 0;
    while (strcmp(tasks[k].name, name)) if (++k == sizeof tasks / sizeof *tasks) return 1;
    if (strcmp(last, name) || n != ln || p != lp) tasks[k].data(n, p), strcpy(last, name), ln = n, lp = p;
    double begin = cpu();
    for (long i = 0; i < repeats; i++) keep += tasks[k].run();
    printf("%.0f\n", cpu() - begin);
    fflush(stdout);
  }
  return 0;
}
