# Writes bridge.json: results of the R package bridgesampling 1.1-2 for evidence_test.go (Rscript bridge.R).
suppressMessages({library(bridgesampling); library(jsonlite)})
lcg <- function(seed, n) {
  out <- numeric(n)
  for (i in seq_len(n)) { seed <- (1664525 * seed + 1013904223) %% 2^32; out[i] <- (seed + 0.5) / 2^32 }
  out
}
given <- -3 + 2 * lcg(1, 400); drawn <- -6 + 4 * lcg(2, 400)
it <- bridgesampling:::.run.iterative.scheme(q11 = given, q12 = 0 * given, q21 = drawn, q22 = 0 * drawn, r0 = 0.5,
  tol = 1e-14, L = NULL, method = "normal", maxiter = 1000, silent = TRUE, criterion = "r", neff = 300)
# error_measures multiplies the second term by the spectral density of f2 itself, not of f2 in its standard
# deviations as in the paper: here it is that of white noise, 1.
p <- exp(it$logml); g <- 0.5 * exp(drawn - it$logml); f1 <- 2 * g / (g + 0.5)
f2 <- 1 / (0.5 * exp(given - it$logml) + 0.5)
cv <- sqrt(var(f1) / 400 / mean(f1)^2 + var(f2) / 400 / mean(f2)^2)
write_json(list(log = it$logml, cv = cv), "bridge.json", digits = 13, auto_unbox = TRUE)
