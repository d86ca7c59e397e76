#include <math.h>
#include <stdlib.h>

double normal(void);
void *pages(size_t bytes);

// Elementwise models, as one loop that gcc vectorises with the functions of libmvec.
static struct { int n; double *x, *y, p[4], g[4]; } el;

void elementwise_data(int n, int p) {
  (void)p;
  free(el.x), free(el.y);
  el.n = n, el.x = pages(8 * n), el.y = pages(8 * n);
  for (int i = 0; i < n; i++) el.x[i] = normal(), el.y[i] = normal();
  for (int k = 0; k < 4; k++) el.p[k] = 0.3 + 0.2 * k;
}

double decay(void) {
  double *restrict x = el.x, *restrict y = el.y, p0 = el.p[0], p1 = el.p[1], p2 = el.p[2], p3 = el.p[3], lp = 0, a = 0, b = 0, c = 0, d = 0;
  for (int i = 0; i < el.n; i++) {
    double e = exp(p1 * x[i]), z = (y[i] - p0 * e - p2) / p3;
    lp -= log1p(z * z);
    double w = 2 * z / (1 + z * z) / p3;
    a += w * e, b += w * p0 * e * x[i], c += w, d += w * z;
  }
  el.g[0] = a, el.g[1] = b, el.g[2] = c, el.g[3] = d;
  return lp;
}

double growth(void) {
  double *restrict x = el.x, *restrict y = el.y, p0 = el.p[0], p1 = el.p[1], p2 = el.p[2], p3 = el.p[3], lp = 0, a = 0, b = 0, c = 0, d = 0;
  for (int i = 0; i < el.n; i++) {
    double s = 1 / (1 + exp(-p1 * (x[i] - p2))), sd = exp(p3 * x[i]), z = (y[i] - p0 * s) / sd;
    lp -= 0.5 * z * z + log(sd);
    double w = z / sd, t = w * p0 * s * (1 - s);
    a += w * s, b += t * (x[i] - p2), c -= t * p1, d += (z * z - 1) * x[i];
  }
  el.g[0] = a, el.g[1] = b, el.g[2] = c, el.g[3] = d;
  return lp;
}

double student(void) {
  double *restrict x = el.x, *restrict y = el.y, p0 = el.p[0], p1 = el.p[1], p2 = el.p[2], p3 = el.p[3], lp = 0, a = 0, b = 0, c = 0, d = 0;
  const double nu = 4;
  for (int i = 0; i < el.n; i++) {
    double e = exp(-2 * fabs(p1 * x[i] + p2)), t = copysign((1 - e) / (1 + e), p1 * x[i] + p2), z = (y[i] - p0 * t) / p3;
    lp -= (nu + 1) / 2 * log1p(z * z / nu);
    double w = (nu + 1) * z / (nu + z * z) / p3, u = w * p0 * (1 - t * t);
    a += w * t, b += u * x[i], c += u, d += w * z;
  }
  el.g[0] = a, el.g[1] = b, el.g[2] = c, el.g[3] = d;
  return lp;
}
