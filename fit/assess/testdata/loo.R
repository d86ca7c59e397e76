# Writes loo.json: results of the R package loo for loo_test.go (Rscript loo.R; loo 2.5.1, jsonlite).
suppressMessages({library(loo); library(jsonlite)})
lcg <- function(seed, n) {
  out <- numeric(n)
  for (i in seq_len(n)) { seed <- (1664525 * seed + 1013904223) %% 2^32; out[i] <- (seed + 0.5) / 2^32 }
  out
}
chain <- function(seed) {
  u <- lcg(seed, 1500); y <- numeric(500); last <- 0
  for (t in 1:500) { last <- 0.6 * last + sum(u[3 * t - 2:0] - 0.5); y[t] <- last }
  y
}
# A regression with two outliers, at draws about its posterior of intercept, slope and log standard deviation.
x <- (1:16 - 8) / 4
y <- 0.5 + 1.2 * x + 0.4 * sin(7 * (1:16)); y[4] <- 4.5; y[15] <- -3
mean0 <- c(0.5, 0.75, 0.62); sd0 <- c(0.44, 0.38, 0.18) / 0.62
upars <- sapply(1:3, function(j) mean0[j] + sd0[j] * unlist(lapply(4 * (j - 1) + 1:4, chain)))
row <- function(u, i) dnorm(y[i], u[, 1] + u[, 2] * x[i], exp(u[, 3]), log = TRUE)
joint <- function(u) rowSums(sapply(seq_along(y), function(i) row(u, i))) +
  dnorm(u[, 1], 0, 5, log = TRUE) + dnorm(u[, 2], 0, 5, log = TRUE) + u[, 3] - exp(u[, 3])
ll <- array(sapply(seq_along(y), function(i) row(upars, i)), c(500, 4, length(y)))
bound <- 0.3 # so that many observations are matched, by every kind of move
before <- suppressWarnings(loo(ll, r_eff = relative_eff(exp(ll))))
after <- suppressWarnings(loo_moment_match(NULL, before, post_draws = function(x, ...) upars,
  log_lik_i = function(x, i, ...) ll[, , i], unconstrain_pars = function(x, pars, ...) pars,
  log_prob_upars = function(x, upars, ...) joint(upars), k_threshold = bound,
  log_lik_i_upars = function(x, upars, i, ...) row(upars, i)))
lpd <- sapply(1:3, function(m) cos(m * (1:30)) - 0.1 * m * (1:30 %% 3))
stacked <- stacking_weights(lpd, optim_control = list(reltol = 1e-15, maxit = 10000))
write_json(list(bound = bound, elpd0 = before$pointwise[, "elpd_loo"], k0 = before$diagnostics$pareto_k,
  elpd = after$pointwise[, "elpd_loo"], p = after$pointwise[, "p_loo"], k = after$diagnostics$pareto_k,
  total = after$estimates["elpd_loo", ], total_p = after$estimates["p_loo", ], stacking = as.numeric(stacked),
  score = sum(log(exp(lpd) %*% as.numeric(stacked))),
  pseudo_bma = as.numeric(pseudobma_weights(lpd, BB = FALSE)),
  pseudo_bma_plus = {set.seed(1); as.numeric(pseudobma_weights(lpd, BB_n = 200000))}), "loo.json", digits = 12, auto_unbox = TRUE)
print(cbind(before$diagnostics$pareto_k, after$diagnostics$pareto_k, before$pointwise[,1], after$pointwise[,1]))
