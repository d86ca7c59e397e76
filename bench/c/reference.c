// One-pass loops in C to hold the graph against: logistic.c with the intrinsics of an instruction set, elementwise.c for the compiler. Requests come one by one
// on standard input as "TASK N P REPEATS"; the answer is the processor time of all repeats in nanoseconds. Data are made on the first request of a task.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}

static uint64_t state = 88172645463325252u;
double uniform(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}
double normal(void) { return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()); }

void *pages(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(p, 0, bytes);
  return p;
}

void logistic_data(int, int), elementwise_data(int, int);
double logistic(void), decay(void), growth(void), student(void);

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
