# Conditional effects and contrasts of vflc beside those of R's brms, on three models and data that brms and R
# bring along: a multilevel Poisson regression with an interaction, an ordinal one, and a linear one with an
# interaction of numbers.
#
# The draws of vflc's run are put into the fit object of brms, under brms's names, so that both compute from the
# same draws and only rounding may differ. With --fit brms also fits the first model itself, and the medians
# must agree within Monte Carlo error.
#
#   Rscript bench/effects/compare.R VFLC [--fit]
suppressMessages({library(brms); library(jsonlite)})
args <- commandArgs(TRUE)
vflc <- normalizePath(args[1])
here <- normalizePath(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))))
work <- tempfile(); dir.create(work); setwd(work)

run <- function(...) {
  out <- suppressWarnings(system2(vflc, shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(out, "status"))) stop(paste(c(..., out), collapse = "\n"))
  invisible(out)
}

# ours fits a model with vflc and returns its draws by name, in the order of chains.
ours <- function(name, data, draws) {
  write.csv(data, paste0(name, ".csv"), row.names = FALSE)
  run("run", file.path(here, paste0(name, ".vfl")), "--data", paste0(name, ".csv"), "--chains", "4", "--draws", draws,
      "--quiet", "-o", name)
  lapply(sort(Sys.glob(file.path(name, "draws", "*.csv"))), function(f) read.csv(f, comment.char = "#"))
}

# filled puts columns of vflc's draws into the fit object of brms. names lists brms's names in Stan's order,
# and value computes them from one chain.
filled <- function(formula, data, family, name, chains, value) {
  fit <- brm(formula, data, family = family, empty = TRUE)
  files <- character()
  for (k in seq_along(chains)) {
    source <- readLines(sort(Sys.glob(file.path(name, "draws", "*.csv")))[k])
    columns <- cbind(chains[[k]][, 1:7], value(chains[[k]]))
    head <- source[seq_len(grep("^lp__", source)[1] - 1)]
    text <- c(head, paste(names(columns), collapse = ","),
              "# Adaptation terminated", "# Step size = 1", "# Diagonal elements of inverse mass matrix:", "# 1",
              apply(columns, 1, function(r) paste(sprintf("%.17g", r), collapse = ",")), "# ",
              "#  Elapsed Time: 1 seconds (Warm-up)", "#                1 seconds (Sampling)",
              "#                2 seconds (Total)", "# ")
    files[k] <- sprintf("%s-%d.csv", name, k)
    writeLines(text, files[k])
  }
  fit$fit <- rstan::read_stan_csv(files)
  brms:::rename_pars(fit)
}

worst <- 0
said <- function(what, difference) {
  worst <<- max(worst, difference)
  cat(sprintf("%-44s %.1e\n", what, difference))
}
relative <- function(a, b) max(abs(a - b) / pmax(1e-3, abs(b)))

# compared compares effects of one term. brms's rows are found by the values of the columns.
compared <- function(name, term, fit, categorical = FALSE) {
  file <- paste0(name, gsub(":", "-", term), ".json")
  run("effects", name, term, "-o", file)
  theirs <- conditional_effects(fit, effects = term, categorical = categorical)[[1]]
  got <- fromJSON(file, simplifyDataFrame = FALSE)$effects
  difference <- 0
  for (e in got) {
    points <- do.call(rbind, lapply(e$points, function(p) as.data.frame(c(setNames(as.list(unlist(p$at)), unlist(e$columns)),
      list(m = p$median, lo = p$lower, hi = p$upper)), check.names = FALSE)))
    mine <- if (categorical) theirs[theirs$cats__ == e$category, ] else theirs
    stopifnot(nrow(points) == nrow(mine))
    key <- function(d) do.call(order, lapply(unlist(e$columns), function(c) as.numeric(as.character(d[[c]]))))
    points <- points[key(points), ]; mine <- mine[key(mine), ]
    for (c in unlist(e$columns)) difference <- max(difference,
      relative(as.numeric(as.character(points[[c]])), as.numeric(as.character(mine[[c]]))))
    difference <- max(difference, relative(points$m, mine$estimate__), relative(points$lo, mine$lower__),
                      relative(points$hi, mine$upper__))
  }
  said(paste(name, term), difference)
}

# contrasted compares an average over the rows of the data.
contrasted <- function(name, contrast, fit, left, right) {
  file <- paste0(name, ".contrast.json")
  run("contrast", name, contrast, "-o", file)
  got <- fromJSON(file)$contrasts
  draws <- rowMeans(posterior_epred(fit, newdata = left)) - rowMeans(posterior_epred(fit, newdata = right))
  said(paste(name, contrast), relative(unlist(got[1, c("mean", "lower", "upper")]),
       c(mean(draws), quantile(draws, c(0.025, 0.975)))))
}

chains <- ours("epilepsy", epilepsy, 1000)
fit <- filled(count ~ zAge + zBase * Trt + (1 | patient), epilepsy, poisson(), "epilepsy", chains, function(d) {
  u <- d[, grep("^u\\.", names(d))]
  b <- d[, c("b.1", "b.2", "b.3", "b.4")]
  data.frame(b, Intercept = d$a, sd_1.1 = d$tau, setNames(u, sprintf("r_1_1.%d", seq_len(ncol(u)))), b_Intercept = d$a)
})
for (term in c("zAge", "zBase:Trt", "Trt")) compared("epilepsy", term, fit)
higher <- lower <- epilepsy
higher$Trt[] <- "1"; lower$Trt[] <- "0"
contrasted("epilepsy", "Trt=1 - Trt=0", fit, higher, lower)
more <- epilepsy; more$zBase <- more$zBase + 1
contrasted("epilepsy", "zBase", fit, more, epilepsy)

draws <- ours("inhaler", inhaler, 250)
ordinal <- filled(rating ~ period + carry + treat + (1 | subject), inhaler, cumulative(), "inhaler", draws, function(d) {
  u <- d[, grep("^u\\.", names(d))]
  c <- d[, c("c.1", "c.2", "c.3")]
  data.frame(d[, c("b.1", "b.2", "b.3")], setNames(c, sprintf("Intercept.%d", 1:3)), sd_1.1 = d$tau,
             setNames(u, sprintf("r_1_1.%d", seq_len(ncol(u)))), setNames(c, sprintf("b_Intercept.%d", 1:3)), disc = 1)
})
for (term in c("treat", "carry")) compared("inhaler", term, ordinal, TRUE)

cars <- mtcars; cars$cyl <- factor(cars$cyl)
linear <- filled(mpg ~ hp * wt + cyl, cars, gaussian(), "mtcars", ours("mtcars", cars, 500), function(d) {
  # brms has the columns hp, wt, cyl6, cyl8, hp:wt
  data.frame(b.1 = d$b.1, b.2 = d$b.2, b.3 = d$b.4, b.4 = d$b.5, b.5 = d$b.3, Intercept = d$a, sigma = d$sigma,
             b_Intercept = d$a)
})
for (term in c("hp", "cyl", "hp:wt", "wt:cyl")) compared("mtcars", term, linear)
cat(sprintf("largest relative difference: %.1e\n", worst))
stopifnot(worst < 1e-8)

if ("--fit" %in% args) {
  if (system.file("include", package = "BH") == "") rstan::rstan_options(boost_lib = "/usr/include") # as in Debian
  true <- brm(count ~ zAge + zBase * Trt + (1 | patient), epilepsy, family = poisson(), seed = 1, refresh = 0, cores = 1,
              prior = c(prior(normal(0, 5), class = b)))
  a <- posterior_epred(true, newdata = conditional_effects(true, "zAge")[[1]][c(1, 50, 100), ], re_formula = NA)
  b <- posterior_epred(fit, newdata = conditional_effects(fit, "zAge")[[1]][c(1, 50, 100), ], re_formula = NA)
  for (k in 1:3) {
    error <- sqrt(posterior::mcse_mean(matrix(a[, k], ncol = 4))^2 + posterior::mcse_mean(matrix(b[, k], ncol = 4))^2)
    z <- (mean(a[, k]) - mean(b[, k])) / error
    cat(sprintf("a fit by brms, zAge, point %d: %.3f and %.3f, %.1f MCSE apart\n", c(1, 50, 100)[k], mean(a[, k]),
                mean(b[, k]), z))
    stopifnot(abs(z) < 4)
  }
}
