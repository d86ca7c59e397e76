# Formulas of brms and R beside those of vfl, with the same priors: Rscript bench/formula/study.R VFLC FOLDER [NAME…]
# prints a table, and keeps what each model gave in FOLDER, so that a study that is stopped goes on.
suppressPackageStartupMessages({library(brms); library(rstan)})
if (!nzchar(rstan_options("boost_lib"))) rstan_options(boost_lib = "/usr/include") # Debian's BH has no headers of its own
args <- commandArgs(TRUE)
vflc <- normalizePath(args[1]); folder <- args[2]; only <- args[-(1:2)]
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
dir.create(folder, FALSE)
p <- function(prior, ...) set_prior(prior, ...)
pop <- function(intercept, b, ...) c(p(intercept, class = "b", coef = "Intercept"), p(b, class = "b"), ...)
plain <- function(d) { for (n in names(d)) if (is.ordered(d[[n]])) d[[n]] <- factor(d[[n]], ordered = FALSE); d }

epil <- transform(epilepsy, Trt = factor(paste0("t", Trt)))
oats <- MASS::oats; oats$A <- oats$N
ins <- plain(MASS::Insurance)
bac <- transform(MASS::bacteria, y = as.integer(y == "y"), ID = as.integer(ID))
eso <- transform(plain(esoph), n = ncases + ncontrols, alc = as.numeric(alcgp))
chick <- transform(as.data.frame(ChickWeight), Chick = as.integer(as.character(Chick)))
eb <- c(Intercept = "b", zAge = "beta[zAge]", zBase = "beta[zBase]", Trtt1 = "beta[Trt=t1]",
        "zBase:Trtt1" = "b_zBase_Trt[Trt=t1]")
kb <- c(Intercept = "b", age = "beta[age]", sexfemale = "beta[sex=female]", diseaseGN = "beta[disease=GN]",
        diseaseAN = "beta[disease=AN]", diseasePKD = "beta[disease=PKD]", "age:sexfemale" = "b_age_sex[sex=female]")
ib <- c(treat = "beta[treat]", period = "beta[period]", carry = "beta[carry]")
cuts <- setNames(paste0("cutpoints[", 1:3, "]"), paste0("Intercept[", 1:3, "]"))
student <- "student_t(3, 0, 2.5)"
# Each: where it is from, data, formula, family, priors, and parameters: coefficients by the column of R's
# matrix (others by the name in Stan's program), with the name in vfl.
models <- list(
  epilepsy = list("brms, help(brm)", epil, count ~ zAge + zBase * Trt + (1 | patient), poisson(),
    pop("normal(0, 5)", "normal(0, 5)", p(student, class = "sd")), c(eb, "sd_1[1]" = "sd_patient")),
  epilepsy_obs = list("brms, help(get_prior)", epil, count ~ zAge + zBase * Trt + (1 | patient) + (1 | obs), poisson(),
    pop("normal(0, 5)", "normal(0, 5)", p(student, class = "sd")),
    c(eb, "sd_1[1]" = "sd_obs", "sd_2[1]" = "sd_patient")),
  epilepsy_negbinomial = list("the same, another family", epil, count ~ zAge + zBase * Trt + (1 | patient), negbinomial(),
    pop("normal(0, 5)", "normal(0, 5)", p(student, class = "sd"), p("gamma(1, 0.1)", class = "shape")),
    c(eb, "sd_1[1]" = "sd_patient", shape = "phi")),
  epilepsy_zeros = list("brms, help(epilepsy), another family", epil, count ~ zAge + zBase * Trt, zero_inflated_poisson(),
    pop("normal(0, 5)", "normal(0, 5)", p("beta(1, 1)", class = "zi")), c(eb, zi = "theta")),
  epilepsy_visits = list("R's coding without an intercept", epil, count ~ 0 + visit + zBase:Trt + (0 + Trt | patient), poisson(),
    c(p("normal(0, 5)", class = "b"), p("exponential(1)", class = "sd"), p("lkj(2)", class = "cor")),
    c(setNames(paste0("beta_visit[visit=", 1:4, "]"), paste0("visit", 1:4)),
      "zBase:Trtt0" = "b_zBase_Trt[Trt=t0]", "zBase:Trtt1" = "b_zBase_Trt[Trt=t1]",
      "sd_1[1]" = "sd_patient[Trt=t0]", "sd_1[2]" = "sd_patient[Trt=t1]", "L_1[2,1]" = "L_patient[2,1]")),
  inhaler = list("brms, help(inhaler)", inhaler, rating ~ treat + period + carry, cumulative(),
    c(p("normal(0, 5)", class = "b"), p("normal(0, 5)", class = "Intercept")), c(ib, cuts)),
  inhaler_subject = list("brms, help(inhaler)", inhaler, rating ~ treat + period + carry + (1 | subject), cumulative(),
    c(p("normal(0, 5)", class = "b"), p("normal(0, 5)", class = "Intercept"), p("exponential(1)", class = "sd")),
    c(ib, cuts, "sd_1[1]" = "sd_subject")),
  kidney = list("brms, help(brm)", kidney, time | cens(censored) ~ age * sex + disease + (1 | patient),
    lognormal(), pop("normal(0, 10)", "normal(0, 5)", p("cauchy(0, 2)", class = "sd"), p("exponential(1)", class = "sigma")),
    c(kb, "sd_1[1]" = "sd_patient", sigma = "sigma")),
  kidney_slopes = list("brms, vignette brms_overview", kidney,
    time | cens(censored) ~ age * sex + disease + (1 + age | patient), lognormal(),
    pop("normal(0, 10)", "normal(0, 5)", p("cauchy(0, 2)", class = "sd"), p("lkj(2)", class = "cor"),
      p("exponential(1)", class = "sigma")),
    c(kb, "sd_1[1]" = "sd_patient[1]", "sd_1[2]" = "sd_patient[2]", "L_1[2,1]" = "L_patient[2,1]", sigma = "sigma")),
  oats = list("MASS, help(oats)", oats, Y ~ A + V + (1 | B/V), gaussian(),
    pop("normal(80, 50)", "normal(0, 30)", p("exponential(0.05)", class = "sd"), p("exponential(0.05)", class = "sigma")),
    c(Intercept = "b", setNames(paste0("beta[N=0.", c(2, 4, 6), "cwt]"), paste0("A0.", c(2, 4, 6), "cwt")),
      VMarvellous = "beta[V=Marvellous]", VVictory = "beta[V=Victory]",
      "sd_1[1]" = "sd_B", "sd_2[1]" = "sd_B_V", sigma = "sigma")),
  npk = list("MASS, help(npk), without N:P:K", transform(npk, N = as.integer(N) - 1L, P = as.integer(P) - 1L, K = as.integer(K) - 1L),
    yield ~ (N + P + K)^2 + (1 | block), gaussian(),
    pop("normal(50, 20)", "normal(0, 10)", p("exponential(0.2)", class = "sd"), p("exponential(0.2)", class = "sigma")),
    c(Intercept = "b", N = "beta[N]", P = "beta[P]", K = "beta[K]", "N:P" = "b_N_P", "N:K" = "b_N_K", "P:K" = "b_P_K",
      "sd_1[1]" = "sd_block", sigma = "sigma")),
  insurance = list("MASS, help(Insurance)", ins, Claims ~ District + Group + Age + offset(log(Holders)), poisson(),
    pop("normal(0, 5)", "normal(0, 2)"),
    c(Intercept = "b", setNames(paste0("beta[District=", 2:4, "]"), paste0("District", 2:4)),
      "Group1M1.5l" = "beta[Group=1-1.5l]", "Group1.5M2l" = "beta[Group=1.5-2l]", "Group>2l" = "beta[Group=>2l]",
      "Age25M29" = "beta[Age=25-29]", "Age30M35" = "beta[Age=30-35]", "Age>35" = "beta[Age=>35]")),
  bacteria = list("MASS, help(glmmPQL)", bac, y ~ trt + I(week > 2) + (1 | ID), bernoulli(),
    pop("normal(0, 5)", "normal(0, 2.5)", p(student, class = "sd")),
    c(Intercept = "b", trtdrug = "beta_trt[trt=drug]", "trtdrugP" = "beta_trt[trt=drug+]",
      "Iweek>2TRUE" = "b_I_week_2", "sd_1[1]" = "sd_ID")),
  quine = list("MASS, help(glm.nb), without Lrn", MASS::quine, Days ~ Sex/(Age + Eth), negbinomial(),
    pop("normal(0, 5)", "normal(0, 2)", p("exponential(1)", class = "shape")),
    c(Intercept = "b", SexM = "beta_Sex[Sex=M]",
      setNames(paste0("b_Sex_Age[Sex=", rep(c("F", "M"), 3), ", Age=F", rep(1:3, each = 2), "]"),
               paste0("Sex", rep(c("F", "M"), 3), ":AgeF", rep(1:3, each = 2))),
      "SexF:EthN" = "b_Sex_Eth[Sex=F, Eth=N]", "SexM:EthN" = "b_Sex_Eth[Sex=M, Eth=N]", shape = "phi")),
  esoph = list("R, help(esoph), alcohol as a number", eso, ncases | trials(n) ~ agegp + tobgp * alc, binomial(),
    pop("normal(0, 5)", "normal(0, 2.5)"),
    c(Intercept = "b", setNames(paste0("beta[agegp=", levels(eso$agegp)[-1], "]"), paste0("agegp", gsub("-", "M",
      gsub("+", "P", levels(eso$agegp)[-1], fixed = TRUE)))), alc = "beta[alc]",
      setNames(paste0("beta[tobgp=", levels(eso$tobgp)[-1], "]"), paste0("tobgp", c("10M19", "20M29", "30P"))),
      setNames(paste0("b_tobgp_alc[tobgp=", levels(eso$tobgp)[-1], "]"), paste0("tobgp", c("10M19", "20M29", "30P"), ":alc")))),
  chickweight = list("growth curves of R's ChickWeight", chick, weight ~ splines::ns(Time, 3) + Diet + (1 + Time || Chick), student(),
    pop("normal(50, 50)", "normal(0, 100)", p("exponential(0.1)", class = "sd"), p("exponential(0.1)", class = "sigma"),
      p("gamma(2, 0.1)", class = "nu")),
    c(Intercept = "b", setNames(paste0("beta[spline(Time, ", 1:3, ")]"), paste0("splines::nsTime3", 1:3)),
      setNames(paste0("beta[Diet=", 2:4, "]"), paste0("Diet", 2:4)),
      "sd_1[1]" = "sd_Chick", "sd_1[2]" = "sd_Chick_Time", sigma = "sigma", nu = "nu"))
)

# What vflc makes of a model and its data: the rows of its summary with these names.
fitted <- function(model, data, name, wanted) {
  out <- file.path(folder, paste0(name, ".run")); log <- file.path(folder, "log"); unlink(out, TRUE)
  code <- system2(vflc, c("run", model, "--data", data, "--key", "none", "--draws", 2000, "--quiet", "-o", out),
    stdout = log, stderr = log)
  if (code) stop(paste(readLines(log), collapse = " "))
  d <- jsonlite::fromJSON(file.path(out, "summary.json"))$parameters
  shown <- if (is.null(d$label)) d$name else ifelse(is.na(d$label), d$name, d$label)
  rows <- match(wanted, shown)
  if (anyNA(rows)) stop("vfl has no ", toString(wanted[is.na(rows)]), ": ", toString(shown))
  d[rows, c("mean", "mcse", "sd")]
}
ours <- function(name, m) {
  table <- file.path(folder, paste0(name, ".csv"))
  write.csv(m[[2]], table, row.names = FALSE, quote = FALSE)
  fitted(file.path(here, paste0(name, ".vfl")), table, name, m[[6]])
}

# The names of parameters in Stan's program: b[k] for a column of R's matrix.
places <- function(m, d) sapply(names(m[[6]]), function(k) if (k %in% colnames(d$X)) paste0("b[", match(k, colnames(d$X)), "]") else k)
whole <- function(m) bf(m[[3]], center = FALSE) # the intercept as it is, so that its prior is that of vfl

# brms: its program, compiled and sampled by rstan.
by_stan <- function(m) {
  d <- make_standata(whole(m), m[[2]], m[[4]], m[[5]])
  fit <- sampling(stan_model(model_code = make_stancode(whole(m), m[[2]], m[[4]], m[[5]])), unclass(d), chains = 4, cores = 1,
    iter = 1500, warmup = 500, seed = 1, refresh = 0)
  s <- summary(fit)$summary[places(m, d), ]
  data.frame(mean = s[, "mean"], mcse = s[, "se_mean"], sd = s[, "sd"])
}

# The matrices that brms makes of the formula, in a model written by hand.
by_design <- function(name, m) {
  d <- unclass(make_standata(whole(m), m[[2]], m[[4]], m[[5]]))
  text <- paste(readLines(file.path(here, paste0(name, ".vfl"))), collapse = " ")
  prior <- function(what) regmatches(text, regexec(paste0(what, " ~ ([a-z0-9_]+\\([^)]*\\))"), text))[[1]][2]
  positive <- function(what) paste0(if (grepl("^(student_t|normal|cauchy)", prior(what))) "real<lower=0>" else "real")
  lines <- c("data Y : TYPE[N]", "data X : real[N, P]", "param b : real[P] ~ COEF")
  eta <- "X * b"
  at <- match("Intercept", colnames(d$X)); json <- list(Y = d$Y)
  if (!is.na(at)) {
    lines <- c(lines, paste("param b1 ~", prior("intercept"))); eta <- paste(eta, "+ b1"); d$X <- d$X[, -at, drop = FALSE]
  }
  json$X <- unname(d$X)
  if (!is.null(d$offsets)) { json$offsets <- d$offsets; lines <- c(lines, "data offsets : real[N]"); eta <- paste(eta, "+ offsets") }
  for (k in seq_len(9)) if (!is.null(d[[paste0("J_", k)]])) {
    K <- d[[paste0("M_", k)]]; json[[paste0("J_", k)]] <- as.integer(d[[paste0("J_", k)]])
    z <- sapply(seq_len(K), function(i) d[[paste0("Z_", k, "_", i)]]); json[[paste0("Z_", k)]] <- z
    lines <- c(lines, sprintf("data J_%d : level(N_%d)[N]\ndata Z_%d : real[N, %d]", k, k, k, K),
      sprintf("param sd_%d : %s[%d] ~ %s", k, positive("sd"), K, prior("sd")))
    if (K > 1 && !grepl("||", deparse1(m[[3]]), fixed = TRUE)) lines <- c(lines, sprintf(
      "param L_%d : corr_cholesky[%d] ~ %s\nparam z_%d : real[N_%d, %d] ~ normal(0, 1)\nlet u_%d = z_%d * (col(sd_%d) .* L_%d)'",
      k, K, prior("cor"), k, k, K, k, k, k, k))
    else lines <- c(lines, sprintf("param u_%d : real[N_%d, %d] ~ normal(0, row(sd_%d)) noncentered", k, k, K, k))
    eta <- paste0(eta, sprintf(" + rowdot(Z_%d, u_%d[J_%d, :])", k, k, k))
  }
  f <- m[[4]]$family
  if (is.null(f)) f <- m[[4]]
  param <- function(stan, vfl, type) lines <<- c(lines, sprintf("param %s : %s ~ %s", stan, type, prior(vfl)))
  type <- "count"; more <- ""
  if (f %in% c("gaussian", "lognormal", "student")) { type <- "real"; param("sigma", "sigma", "real") }
  if (f == "student") param("nu", "nu", "real")
  if (f == "negbinomial") param("shape", "phi", "real")
  if (f == "zero_inflated_poisson") param("zi", "theta", "real")
  if (f == "bernoulli") type <- "binary"
  if (f == "cumulative") {
    json$K <- d$nthres + 1; type <- "level(K)"; lines <- c("data K : int", lines); param("Intercept", "cutpoints", "ordered[K - 1]")
  }
  if (!is.null(d$trials)) { json$trials <- d$trials; lines <- c(lines, "data trials : count[N]") }
  if (!is.null(d$cens)) { json$cens <- d$cens; lines <- c(lines, "data cens : int[N]"); more <- " censor(right=cens == 1)" }
  call <- c(poisson = "poisson_log(ETA)", negbinomial = "neg_binomial_2_log(ETA, shape)", bernoulli = "bernoulli_logit(ETA)",
    zero_inflated_poisson = "zero_inflated_poisson_log(zi, ETA)", cumulative = "ordered_logistic(ETA, Intercept)",
    lognormal = "lognormal(ETA, sigma)", gaussian = "normal(ETA, sigma)", binomial = "binomial_logit(trials, ETA)",
    student = "student_t(nu, ETA, sigma)")[[f]]
  lines <- c(lines, paste0("Y ~ ", sub("ETA", eta, call, fixed = TRUE), more))
  lines <- sub("COEF", prior("coef"), sub("TYPE", type, lines, fixed = TRUE), fixed = TRUE)
  model <- file.path(folder, paste0(name, "_design.vfl")); writeLines(lines, model)
  table <- file.path(folder, paste0(name, "_design.json"))
  writeLines(jsonlite::toJSON(lapply(json, function(v) if (is.matrix(v)) v else as.vector(v)), auto_unbox = FALSE, digits = NA) |>
    gsub(pattern = '"(K)":\\[([0-9]+)\\]', replacement = '"\\1":\\2'), table)
  where <- sapply(names(m[[6]]), function(k) if (k == "Intercept") "b1" else if (k %in% colnames(d$X)) paste0("b[", match(k, colnames(d$X)), "]") else k)
  fitted(model, table, paste0(name, "_design"), unname(where))
}
compared <- function(a, b, names) {
  z <- abs(a$mean - b$mean) / sqrt(a$mcse^2 + b$mcse^2); worst <- which.max(z)
  c(sprintf("%.2f (%s)", z[worst], names[worst]), sprintf("%.3f", max(exp(abs(log(a$sd / b$sd))))))
}
stan <- "--stan" %in% only; only <- setdiff(only, "--stan")
rows <- NULL
for (name in if (length(only)) only else names(models)) {
  m <- models[[name]]; kept <- file.path(folder, paste0(name, ".rds"))
  r <- tryCatch({
    o <- ours(name, m); d <- compared(o, by_design(name, m), m[[6]]); b <- c("", "")
    if (stan && !file.exists(kept)) saveRDS(by_stan(m), kept)
    if (file.exists(kept)) b <- compared(o, readRDS(kept), m[[6]])
    data.frame(model = name, from = m[[1]], parameters = nrow(o), "z, by hand" = d[1], "sd" = d[2], "z, brms" = b[1], "sd " = b[2], check.names = FALSE)
  }, error = function(e) data.frame(model = name, from = conditionMessage(e), parameters = NA, "z, by hand" = NA, "sd" = NA,
    "z, brms" = NA, "sd " = NA, check.names = FALSE))
  rows <- rbind(rows, r)
  write.csv(rows, file.path(folder, "table.csv"), row.names = FALSE)
}
cat("|", paste(names(rows), collapse = " | "), "|\n|", strrep(" --- |", ncol(rows)), "\n")
for (i in seq_len(nrow(rows))) cat("|", paste(unlist(rows[i, ]), collapse = " | "), "|\n")
