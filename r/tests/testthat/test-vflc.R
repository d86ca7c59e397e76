# One run of two parties is fitted once; all tests of results read it.

have <- nzchar(tryCatch(vf_binary(), vflc_error = function(e) ""))
skip_without <- function() skip_if_not(have, "the program vflc (VFLC_BINARY)")

model <- "server registry
client clinic
data died : binary[N]  @ shared
data X    : real[N, P] @ clinic from zscore(age), onehot(sex, drop=first)
param b              ~ normal(0, 2) @ registry
param beta : real[P] ~ normal(0, 1) @ clinic
died ~ bernoulli_logit(b + X * beta)"

clinic <- data.frame(patient = sprintf("%03d", 1:6), age = c(61, 47, 75, 58, 66.5, 39),
                     sex = factor(c("female", "male", "female", "male", "female", "male")))
registry <- data.frame(patient = sprintf("%03d", 6:1), died = c(FALSE, TRUE, TRUE, TRUE, FALSE, FALSE))

fit <- if (have) {
  suppressMessages(vf_run(model, data = list(clinic = clinic, registry = registry), key = "patient",
                          transform = "exact", warmup = 200, draws = 150, chains = 2, log_lik = TRUE))
}

# printed is what the command prints, without R between.
printed <- function(...) system2(vf_binary(), c(...), stdout = TRUE, stderr = FALSE)

test_that("numbers in tables are those of the data frame, bit for bit", {
  set.seed(1)
  x <- c(.Machine$double.xmax, 5e-324, 0.1, 1 / 3, 2^53 + 2, runif(1000), rnorm(1000) * 10^sample(-300:300, 1000, TRUE))
  expect_identical(as.double(jsonlite::fromJSON(paste0("[", paste(decimal(x), collapse = ","), "]"))), x)
  expect_identical(decimal(c(0.1, 1e5)), c("0.1", "100000"))
})

test_that("a table has categories as words, ISO dates, and blank cells where a value is missing", {
  file <- tempfile(fileext = ".csv")
  write_table(data.frame(f = factor(c("a \"b\"", NA)), d = as.Date(c("2024-03-01", NA)), l = c(NA, TRUE), i = c(3L, NA),
                         x = c(0.5, NaN), s = c("\u00e9, x", NA), check.names = FALSE), file)
  expect_identical(readLines(file, encoding = "UTF-8"),
                   c('"f","d","l","i","x","s"', '"a ""b""",2024-03-01,,3,0.5,"\u00e9, x"', ",,1,,,"))
  expect_error(write_table(data.frame(z = 1i), file), "the column z is of class complex", class = "vflc_error")
})

test_that("flags are those of the command", {
  expect_identical(flags_of(list(target_accept = 0.9, log_lik = TRUE, mala = FALSE, probs = c(0.1, 0.9))),
                   c("--target-accept=0.9", "--log-lik=true", "--mala=false", "--probs=0.1,0.9"))
  expect_identical(flags_of(list(set = c(K = 3, M = 4), rho = c(a = 0.5, b = 1), seed = 7L, from = NULL)),
                   c("--set=K=3", "--set=M=4", "--rho=a=0.5,b=1", "--seed=7"))
  expect_error(flags_of(list(3)), "need names", class = "vflc_error")
  expect_error(flags_of(list(seed = NA)), "without NA", class = "vflc_error")
  expect_identical(data_flags(list(lab = list("a.csv", "b.csv"), reg = "r.csv"), "."),
                   c("--data=lab=a.csv,b.csv", "--data=reg=r.csv"))
})

test_that("a program that is missing is said, with the way out", {
  keep <- Sys.getenv("VFLC_BINARY")
  Sys.setenv(VFLC_BINARY = "/nowhere/vflc")
  on.exit(Sys.setenv(VFLC_BINARY = keep))
  expect_error(vf_binary(), "no program can be run at /nowhere/vflc; install it", class = "vflc_error")
})

test_that("a summary has the numbers of the command", {
  skip_without()
  said <- jsonlite::fromJSON(paste(printed("summary", fit$folder, "--json"), collapse = ""))$parameters
  s <- summary(fit)
  expect_identical(s$parameter, c("b", "beta[zscore(age)]", "beta[sex=male]"))
  expect_identical(s$name, said$name)
  for (column in c("mean", "sd", "q5", "q95", "ess_bulk", "rhat")) expect_identical(s[[column]], said[[column]])
  expect_identical(summary(fit, "beta")$name, c("beta[1]", "beta[2]"))
  expect_output(print(fit), paste(printed("summary", fit$folder), collapse = "\n"), fixed = TRUE)
})

test_that("draws are those of the command, and posterior finds in them what it finds", {
  skip_without()
  draws <- as_draws_array(fit)
  expect_s3_class(draws, "draws_array")
  expect_identical(dim(draws), c(150L, 2L, 3L))
  for (chain in 1:2) {
    lines <- readLines(file.path(fit$folder, "draws", sprintf("chain-%d.csv", chain)))
    lines <- lines[!startsWith(lines, "#")]
    rows <- jsonlite::fromJSON(paste0("[[", paste(lines[-1], collapse = "],["), "]]"))
    colnames(rows) <- sub("\\.", "[", sub("(\\.[0-9]+)$", "\\1]", strsplit(lines[1], ",")[[1]]))
    for (name in c("b", "beta[1]", "beta[2]")) {
      expect_identical(as.vector(draws[, chain, name]), unname(tail(rows[, name], 150)))
    }
  }
  found <- posterior::summarise_draws(draws, "mean", "ess_bulk", "rhat")
  expect_equal(as.double(found$mean), summary(fit)$mean, tolerance = 1e-12)
  expect_equal(as.double(found$ess_bulk), summary(fit)$ess_bulk, tolerance = 1e-6)
  expect_equal(as.double(found$rhat), summary(fit)$rhat, tolerance = 1e-9)
  expect_identical(posterior::variables(as_draws_df(fit, labels = TRUE)), summary(fit)$parameter)
})

test_that("a folder that holds a run keeps its tables, which their owner alone reads", {
  skip_without()
  out <- tempfile("kept-")
  run <- function(x, ...) {
    vf_run("data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)", data.frame(y = x), draws = 50, warmup = 50,
           quiet = TRUE, output = out, ...)
  }
  suppressMessages(run(c(1, 2)))
  expect_error(run(c(3, 4)), "--overwrite", class = "vflc_error")
  table <- file.path(paste0(out, ".tables"), "data.csv")
  expect_identical(readLines(table), c('"y"', "1", "2"))
  suppressMessages(run(c(3, 4), overwrite = TRUE))
  expect_identical(readLines(table), c('"y"', "3", "4"))
  skip_on_os("windows")
  expect_identical(as.character(file.mode(dirname(table))), "700")
})

test_that("new rows are predicted from the draws", {
  skip_without()
  new <- data.frame(patient = c("007", "008"), age = c(50, 70), sex = c("male", "female"))
  p <- predict(fit, list(clinic = new), probs = c(0.1, 0.9))
  expect_identical(p$patient, c("007", "008"))
  d <- as_draws_matrix(fit)
  z <- (new$age - mean(clinic$age)) / sd(clinic$age)
  eta <- outer(as.vector(d[, "b"]), c(1, 1)) + outer(as.vector(d[, "beta[1]"]), z) + outer(as.vector(d[, "beta[2]"]), c(1, 0))
  expect_equal(p$mean, colMeans(plogis(eta)), tolerance = 1e-12)
  expect_equal(unname(unclass(predict(fit, list(clinic = new), draws = TRUE))), plogis(eta), tolerance = 1e-12,
               ignore_attr = TRUE)
})

test_that("leave-one-out adds up, and a run without log densities says what to do", {
  skip_without()
  l <- vf_loo(fit)
  expect_equal(sum(l$pointwise$elpd), l$estimates$elpd, tolerance = 1e-12)
  expect_identical(nrow(l$pointwise), 6L)
  expect_output(print(l), "elpd")
})

test_that("an error has code, place, reason and note, and its message is the command's", {
  skip_without()
  wrong <- sub("normal(0, 2)", "nrmal(0, 2)", model, fixed = TRUE)
  for (call in list(function() vf_check(wrong), function() vf_run(wrong), function() vf_audit(wrong),
                    function() vf_simulate(wrong, c(N = 3)))) {
    e <- expect_error(call(), class = "vflc_error")
    expect_identical(e$code, "V0208")
    expect_identical(e$place$line, 5L)
    expect_match(conditionMessage(e), 'model.vfl:5:24: error V0208: "nrmal" is not a distribution', fixed = TRUE)
    expect_match(e$notes, "did you mean normal")
    expect_identical(e$status, 1L)
  }
  e <- expect_error(vf_run(model, drows = 5), "unknown flag --drows; did you mean --draws", class = "vflc_error")
  expect_identical(c(e$code, e$status), c(NA, "2"))
  e <- expect_error(vf_load(tempfile()), "no finished run", class = "vflc_error")
})

test_that("a check warns, with tables of data frames too", {
  skip_without()
  expect_identical(nrow(vf_check(model)), 0L)
  found <- vf_check(paste0(model, "\nparam u ~ normal(0, 1) @ registry"))
  expect_identical(found[c("code", "line", "column")], data.frame(code = "V0290", line = 8L, column = 7L))
  expect_identical(vf_check(model, list(clinic = clinic, registry = registry), key = "patient")$code, "V0541")
  e <- expect_error(vf_check(model, list(clinic = clinic[-1, ], registry = registry), key = "patient"), class = "vflc_error")
  expect_identical(e$code, "V0520")
})

test_that("an audit is the command's", {
  skip_without()
  audit <- vf_audit(model, transform = "exact")
  expect_true(all(audit$crossings$from[1:2] %in% c("any holder", "clinic")))
  expect_output(print(audit), "registry can compute")
})

test_that("simulated tables fit the model that made them", {
  skip_without()
  made <- vf_simulate("data x : real[N]\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b * x, 0.1)", c(N = 30), seed = 2)
  expect_identical(names(made$data), c("id", "x", "y"))
  b <- summary(vf_run("data x : real[N]\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b * x, 0.1)", made$data,
                      draws = 100, warmup = 100, quiet = TRUE))
  post <- with(made$data, sum(x * y) / (0.01 + sum(x^2))) # the conjugate posterior mean
  expect_lt(abs(b$mean - post), 5 * b$mcse)
  expect_lt(abs(b$mean - made$truth$value[made$truth$parameter == "b"]), 5 * b$sd)
})

test_that("an interrupt stops the command, and the run goes on to the draws of one without it", {
  skip_without()
  skip_on_os("windows")
  settings <- list(model, data = list(clinic = clinic, registry = registry), key = "patient", transform = "exact",
                   chains = 1, draws = 200000, quiet = TRUE)
  folder <- tempfile("stopped-")
  stop <- sprintf("while [ ! -e %s/run.json ]; do sleep 0.02; done; kill -INT %d", folder, Sys.getpid())
  killer <- processx::process$new("sh", c("-c", stop))
  seen <- tryCatch(suppressMessages(do.call(vf_run, c(settings, output = folder))), interrupt = function(e) "interrupted")
  killer$wait()
  expect_identical(seen, "interrupted")
  resumed <- suppressMessages(vf_resume(folder))
  whole <- suppressMessages(do.call(vf_run, settings))
  expect_identical(as_draws_array(resumed), as_draws_array(whole))
})

test_that("a chunk of vfl is checked, names a model for later chunks, and shows errors with their places", {
  skip_without()
  skip_if_not_installed("knitr")
  knit <- function(...) knitr::knit(text = c(...), quiet = TRUE, envir = new.env())
  text <- strsplit(model, "\n")[[1]]
  out <- knit("```{vfl, output.var='visit'}", text, "```", "```{r}", "visit$name", "```")
  expect_match(out, '[1] "visit"', fixed = TRUE)
  wrong <- sub("bernoulli_logit", "bernouli_logit", text)
  out <- knit("```{vfl, output.var='visit', error=TRUE}", wrong, "```")
  expect_match(out, 'visit.vfl:7:8: error V0208', fixed = TRUE)
  expect_error(knit("```{vfl, error=FALSE}", wrong, "```"), "model.vfl:7:8: error V0208", fixed = TRUE)
})

test_that("a report is one page, shown within a document", {
  skip_without()
  skip_if_not_installed("knitr")
  r <- vf_report(fit, tempfile(fileext = ".html"))
  page <- paste(readLines(r$file), collapse = "\n")
  shown <- as.character(knitr::knit_print(r))
  inside <- sub('".*$', "", sub('^.*srcdoc="', "", shown))
  back <- gsub("&amp;", "&", gsub("&quot;", '"', inside, fixed = TRUE), fixed = TRUE)
  expect_true(identical(back, page))
})
