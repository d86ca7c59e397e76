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
  epilepsy_obs = list("brms, help(brm)", epil, count ~ zAge + zBase * Trt + (1 | patient) + (1 | obs), poisson(),
    pop("normal(0, 5)", "normal(0, 5)", p(student, class = "sd")),
    c(eb, "sd_1[1]" = "sd_obs", "sd_2[1]" = "sd_patient")),
  epilepsy_negbinomial = list("brms, help(update)", epil, count ~ zAge + zBase * Trt + (1 | patient), negbinomial(),
    pop("normal(0, 5)", "normal(0, 5)", p(student, class = "sd"), p("gamma(1, 0.1)", class = "shape")),
    c(eb, "sd_1[1]" = "sd_patient", shape = "phi")),
  epilepsy_zeros = list("brms, help(brmsfamily)", epil, count ~ zAge + zBase * Trt, zero_inflated_poisson(),
    pop("normal(0, 5)", "normal(0, 5)", p("beta(1, 1)", class = "zi")), c(eb, zi = "theta")),
  epilepsy_visits = list("R, 0 + a + x:b", epil, count ~ 0 + visit + zBase:Trt + (0 + Trt | patient), poisson(),
    c(p("normal(0, 5)", class = "b"), p("exponential(1)", class = "sd"), p("lkj(2)", class = "cor")),
    c(setNames(paste0("beta_visit[visit=", 1:4, "]"), paste0("visit", 1:4)),
      "zBase:Trtt0" = "b_zBase_Trt[Trt=t0]", "zBase:Trtt1" = "b_zBase_Trt[Trt=t1]",
      "sd_1[1]" = "sd_patient[Trt=t0]", "sd_1[2]" = "sd_patient[Trt=t1]", "L_1[2,1]" = "L_patient[2,1]")),
  inhaler = list("brms, help(inhaler)", inhaler, rating ~ treat + period + carry, cumulative(),
    c(p("normal(0, 5)", class = "b"), p("normal(0, 5)", class = "Intercept")), c(ib, cuts)),
  inhaler_subject = list("brms, help(inhaler)", inhaler, rating ~ treat + period + carry + (1 | subject), cumulative(),
    c(p("normal(0, 5)", class = "b"), p("normal(0, 5)", class = "Intercept"), p("exponential(1)", class = "sd")),
    c(ib, cuts, "sd_1[1]" = "sd_subject")),
  kidney = list("brms, vignette brms_overview", kidney, time | cens(censored) ~ age * sex + disease + (1 | patient),
    lognormal(), pop("normal(0, 10)", "normal(0, 5)", p("cauchy(0, 2)", class = "sd"), p("exponential(1)", class = "sigma")),
    c(kb, "sd_1[1]" = "sd_patient", sigma = "sigma")),
  kidney_slopes = list("brms, vignette brms_overview", kidney,
    time | cens(censored) ~ age * sex + disease + (1 + age | patient), lognormal(),
    pop("normal(0, 10)", "normal(0, 5)", p("cauchy(0, 2)", class = "sd"), p("lkj(2)", class = "cor"),
      p("exponential(1)", class = "sigma")),
    c(kb, "sd_1[1]" = "sd_patient[1]", "sd_1[2]" = "sd_patient[2]", "L_1[2,1]" = "L_patient[2,1]", sigma = "sigma")),
  oats = list("MASS, split plots", oats, Y ~ A + V + (1 | B/V), gaussian(),
    pop("normal(80, 50)", "normal(0, 30)", p("exponential(0.05)", class = "sd"), p("exponential(0.05)", class = "sigma")),
    c(Intercept = "b", setNames(paste0("beta[N=0.", c(2, 4, 6), "cwt]"), paste0("A0.", c(2, 4, 6), "cwt")),
      VMarvellous = "beta[V=Marvellous]", VVictory = "beta[V=Victory]",
      "sd_1[1]" = "sd_B", "sd_2[1]" = "sd_B_V", sigma = "sigma")),
  npk = list("R, help(npk)", transform(npk, N = as.integer(N) - 1L, P = as.integer(P) - 1L, K = as.integer(K) - 1L),
    yield ~ (N + P + K)^2 + (1 | block), gaussian(),
    pop("normal(50, 20)", "normal(0, 10)", p("exponential(0.2)", class = "sd"), p("exponential(0.2)", class = "sigma")),
    c(Intercept = "b", N = "beta[N]", P = "beta[P]", K = "beta[K]", "N:P" = "b_N_P", "N:K" = "b_N_K", "P:K" = "b_P_K",
      "sd_1[1]" = "sd_block", sigma = "sigma")),
  insurance = list("MASS, help(Insurance)", ins, Claims ~ District + Group + Age + offset(log(Holders)), poisson(),
    pop("normal(0, 5)", "normal(0, 2)"),
    c(Intercept = "b", setNames(paste0("beta[District=", 2:4, "]"), paste0("District", 2:4)),
      "Group1M1.5l" = "beta[Group=1-1.5l]", "Group1.5M2l" = "beta[Group=1.5-2l]", "Group>2l" = "beta[Group=>2l]",
      "Age25M29" = "beta[Age=25-29]", "Age30M35" = "beta[Age=30-35]", "Age>35" = "beta[Age=>35]")),
  bacteria = list("MASS, help(bacteria)", bac, y ~ trt + I(week > 2) + (1 | ID), bernoulli(),
    pop("normal(0, 5)", "normal(0, 2.5)", p(student, class = "sd")),
    c(Intercept = "b", trtdrug = "beta_trt[trt=drug]", "trtdrugP" = "beta_trt[trt=drug+]",
      "Iweek>2TRUE" = "b_I_week_2", "sd_1[1]" = "sd_ID")),
  quine = list("MASS, help(quine)", MASS::quine, Days ~ Sex/(Age + Eth), negbinomial(),
    pop("normal(0, 5)", "normal(0, 2)", p("exponential(1)", class = "shape")),
    c(Intercept = "b", SexM = "beta_Sex[Sex=M]",
      setNames(paste0("b_Sex_Age[Sex=", rep(c("F", "M"), 3), ", Age=F", rep(1:3, each = 2), "]"),
               paste0("Sex", rep(c("F", "M"), 3), ":AgeF", rep(1:3, each = 2))),
      "SexF:EthN" = "b_Sex_Eth[Sex=F, Eth=N]", "SexM:EthN" = "b_Sex_Eth[Sex=M, Eth=N]", shape = "phi")),
  esoph = list("R, help(esoph)", eso, ncases | trials(n) ~ agegp + tobgp * alc, binomial(),
    pop("normal(0, 5)", "normal(0, 2.5)"),
    c(Intercept = "b", setNames(paste0("beta[agegp=", levels(eso$agegp)[-1], "]"), paste0("agegp", gsub("-", "M",
      gsub("+", "P", levels(eso$agegp)[-1], fixed = TRUE)))), alc = "beta[alc]",
      setNames(paste0("beta[tobgp=", levels(eso$tobgp)[-1], "]"), paste0("tobgp", c("10M19", "20M29", "30P"))),
      setNames(paste0("b_tobgp_alc[tobgp=", levels(eso$tobgp)[-1], "]"), paste0("tobgp", c("10M19", "20M29", "30P"), ":alc")))),
  chickweight = list("R, help(ChickWeight)", chick, weight ~ splines::ns(Time, 3) + Diet + (1 + Time || Chick), student(),
    pop("normal(50, 50)", "normal(0, 100)", p("exponential(0.1)", class = "sd"), p("exponential(0.1)", class = "sigma"),
      p("gamma(2, 0.1)", class = "nu")),
    c(Intercept = "b", setNames(paste0("beta[spline(Time, ", 1:3, ")]"), paste0("splines::nsTime3", 1:3)),
      setNames(paste0("beta[Diet=", 2:4, "]"), paste0("Diet", 2:4)),
      "sd_1[1]" = "sd_Chick", "sd_1[2]" = "sd_Chick_Time", sigma = "sigma", nu = "nu"))
)

# Stan's program for a formula with the intercept as it is, so that its prior is that of vfl.
reference <- function(m) {
  f <- bf(m[[3]], center = FALSE)
  code <- make_stancode(f, m[[2]], m[[4]], m[[5]]); data <- make_standata(f, m[[2]], m[[4]], m[[5]])
  time <- system.time(fit <- sampling(stan_model(model_code = code), unclass(data), chains = 4, cores = 1, iter = 3000,
    warmup = 1000, seed = 1, refresh = 0, control = list(adapt_delta = 0.95)))
  s <- summary(fit)$summary
  columns <- colnames(data$X)
  names(m[[6]]) |> sapply(function(k) if (k %in% columns) paste0("b[", match(k, columns), "]") else k) -> rows
  missing <- setdiff(rows, rownames(s))
  if (length(missing)) stop("no ", toString(missing), "; columns: ", toString(columns))
  data.frame(name = m[[6]], mean = s[rows, "mean"], mcse = s[rows, "se_mean"], sd = s[rows, "sd"], seconds = sum(time[c(1, 4)]))
}
ours <- function(name, m) {
  table <- file.path(folder, paste0(name, ".csv")); out <- file.path(folder, paste0(name, ".run"))
  write.csv(m[[2]], table, row.names = FALSE, quote = FALSE)
  unlink(out, TRUE)
  code <- system2(vflc, c("run", file.path(here, paste0(name, ".vfl")), "--data", table, "--key", "none", "--draws", 2000,
    "--quiet", "-o", out), stdout = file.path(folder, "log"), stderr = file.path(folder, "log"))
  if (code) stop(paste(readLines(file.path(folder, "log")), collapse = "\n"))
  d <- jsonlite::fromJSON(file.path(out, "summary.json"))$parameters
  shown <- if (is.null(d$label)) d$name else ifelse(is.na(d$label), d$name, d$label)
  rows <- match(m[[6]], shown)
  if (anyNA(rows)) stop("vfl has no ", toString(m[[6]][is.na(rows)]), ": ", toString(shown))
  d[rows, c("mean", "mcse", "sd")]
}
rows <- NULL
for (name in names(models)) if (!length(only) || name %in% only) {
  m <- models[[name]]; kept <- file.path(folder, paste0(name, ".rds"))
  r <- tryCatch({
    o <- ours(name, m)
    if (!file.exists(kept)) saveRDS(reference(m), kept)
    b <- readRDS(kept)
    z <- abs(o$mean - b$mean) / sqrt(o$mcse^2 + b$mcse^2); worst <- which.max(z)
    data.frame(model = name, from = m[[1]], parameters = length(z), "largest z" = sprintf("%.2f", z[worst]), of = m[[6]][worst],
      "largest ratio of sds" = sprintf("%.3f", max(exp(abs(log(o$sd / b$sd))))), check.names = FALSE)
  }, error = function(e) data.frame(model = name, from = conditionMessage(e), parameters = NA, "largest z" = NA, of = NA,
    "largest ratio of sds" = NA, check.names = FALSE))
  rows <- rbind(rows, r)
  write.csv(rows, file.path(folder, "table.csv"), row.names = FALSE)
}
cat("|", paste(names(rows), collapse = " | "), "|\n|", strrep(" --- |", ncol(rows)), "\n")
for (i in seq_len(nrow(rows))) cat("|", paste(unlist(rows[i, ]), collapse = " | "), "|\n")
