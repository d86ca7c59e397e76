// The Bernoulli-logit density, value and gradient: X in tiles [tile][column][32 rows], read once, constants and residuals in registers, an exponential of its
// own, and the product of factors 1+z in place of their logarithms. With the vectors of AVX-512, or of AVX2 where the compiler is told to do without.
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double normal(void), uniform(void);
void *pages(size_t bytes);

// choose is a where s is negative, else b; scale is p·2^k, t being k + magic.
#ifdef __AVX512F__
typedef __m512d vec;
enum { LANES = 8 };
#define LOAD _mm512_load_pd
#define STORE _mm512_store_pd
#define ALL _mm512_set1_pd
#define ADD _mm512_add_pd
#define SUB _mm512_sub_pd
#define MUL _mm512_mul_pd
#define DIV _mm512_div_pd
#define MIN _mm512_min_pd
#define MAX _mm512_max_pd
#define FMA _mm512_fmadd_pd
#define OR _mm512_or_pd
static inline vec choose(vec s, vec a, vec b) { return _mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(s)), b, a); }
static inline vec scale(vec p, vec k, vec t) { (void)t; return _mm512_scalef_pd(p, k); }
#else
typedef __m256d vec;
enum { LANES = 4 };
#define LOAD _mm256_load_pd
#define STORE _mm256_store_pd
#define ALL _mm256_set1_pd
#define ADD _mm256_add_pd
#define SUB _mm256_sub_pd
#define MUL _mm256_mul_pd
#define DIV _mm256_div_pd
#define MIN _mm256_min_pd
#define MAX _mm256_max_pd
#define FMA _mm256_fmadd_pd
#define OR _mm256_or_pd
static inline vec choose(vec s, vec a, vec b) { return _mm256_blendv_pd(b, a, s); }
static inline vec scale(vec p, vec k, vec t) {
  (void)k;
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), _mm256_slli_epi64(_mm256_castpd_si256(t), 52)));
}
#endif

enum { ROWS = 32, VECTORS = ROWS / LANES };

// y is kept as signs 2y-1.
static struct { int n, p; double *x, *sign, *b, *g; } lo;

void logistic_data(int n, int p) {
  free(lo.x), free(lo.sign), free(lo.b), free(lo.g);
  lo.n = n, lo.p = p;
  lo.x = pages(sizeof(double) * n * p), lo.sign = pages(sizeof(double) * n), lo.b = pages(8 * (p + 8)), lo.g = pages(8 * LANES * (p + 1));
  for (long i = 0; i < (long)n * p; i++) lo.x[i] = uniform() - 0.5;
  for (int i = 0; i < n; i++) lo.sign[i] = uniform() < 0.5 ? -1 : 1;
  for (int i = 0; i <= p; i++) lo.b[i] = 0.3 * normal();
}

static double total(vec v) {
  double a[LANES] __attribute__((aligned(64))), s = 0;
  STORE(a, v);
  for (int l = 0; l < LANES; l++) s += a[l];
  return s;
}

// The logarithm of the product of all lanes, each from 1 to 2^1000: of their mantissas, and of their exponents.
static double logs(vec v) {
  double a[LANES] __attribute__((aligned(64))), m = 1;
  STORE(a, v);
  int64_t exponents = 0, bits;
  for (int l = 0; l < LANES; l++) {
    memcpy(&bits, &a[l], 8);
    exponents += (bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
    memcpy(&a[l], &bits, 8);
    m *= a[l];
  }
  return log(m) + exponents * 0.6931471805599453;
}

double logistic(void) {
  const int p = lo.p, n = lo.n;
  double *restrict g = lo.g;
  const double *restrict b = lo.b;
  const vec one = ALL(1), minus = ALL(-0.0), magic = ALL(0x1.8p52), least = ALL(-708), log2e = ALL(1.4426950408889634), high = ALL(-0x1.62e42fefa39efp-1),
            low = ALL(-0x1.abc9e3b39803fp-56);
  const vec c11 = ALL(1.0 / 39916800), c10 = ALL(1.0 / 3628800), c9 = ALL(1.0 / 362880), c8 = ALL(1.0 / 40320), c7 = ALL(1.0 / 5040), c6 = ALL(1.0 / 720),
            c5 = ALL(1.0 / 120), c4 = ALL(1.0 / 24), c3 = ALL(1.0 / 6), c2 = ALL(0.5);
  vec product = one, sum = ALL(0), da = ALL(0);
  double lp = 0;
  int factors = 0;
  memset(g, 0, sizeof(double) * LANES * p);
  const double *x = lo.x, *sign = lo.sign;
  for (int t = 0; t < n; t += ROWS, x += (size_t)ROWS * p, sign += ROWS) {
    vec eta[VECTORS], factor = one;
    for (int v = 0; v < VECTORS; v++) eta[v] = ALL(b[p]);
    for (int j = 0; j < p; j++) {
      vec w = ALL(b[j]);
      for (int v = 0; v < VECTORS; v++) eta[v] = FMA(LOAD(x + j * ROWS + v * LANES), w, eta[v]);
      for (int v = 0; v < ROWS; v += 8) _mm_prefetch(x + p * ROWS + j * ROWS + v, _MM_HINT_T0); // of the next tile
    }
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) { // e^-|s| by Cody and Waite, and a polynomial of degree 11
      vec sg = LOAD(sign + v * LANES), s = MUL(sg, eta[v]);
      vec a = MAX(least, OR(s, minus));
      vec tt = FMA(a, log2e, magic), k = SUB(tt, magic);
      vec r = FMA(k, low, FMA(k, high, a)), r2 = MUL(r, r);
      vec even = FMA(FMA(FMA(FMA(c10, r2, c8), r2, c6), r2, c4), r2, c2), odd = FMA(FMA(FMA(FMA(c11, r2, c9), r2, c7), r2, c5), r2, c3);
      vec z = scale(FMA(FMA(odd, r, even), r2, ADD(r, one)), k, tt);
      vec den = ADD(one, z);
      factor = MUL(factor, den);
      sum = ADD(sum, MIN(s, ALL(0)));
      eta[v] = DIV(MUL(sg, choose(s, one, z)), den);
      da = ADD(da, eta[v]);
    }
    for (int j = 0; j < p; j++) {
      vec s = LOAD(g + j * LANES);
      for (int v = 0; v < VECTORS; v++) s = FMA(LOAD(x + j * ROWS + v * LANES), eta[v], s);
      STORE(g + j * LANES, s);
    }
    product = MUL(product, factor);
    if ((factors += VECTORS) > 1000 - VECTORS) lp -= logs(product), product = one, factors = 0;
  }
  lp += total(sum) - logs(product);
  for (int j = 0; j < p; j++) g[j] = total(LOAD(g + j * LANES));
  g[p] = total(da);
  return lp;
}
