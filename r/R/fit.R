# A fit is the folder of a run; its results are what the commands say of that.

vf_run <- function(model, data = NULL, ..., output = NULL, quiet = FALSE) {
  at <- located(model)
  on.exit(unlink(at$within, recursive = TRUE))
  folder <- if (is.null(output)) tempfile("fit-") else path.expand(output)
  if (quiet) settings <- list(quiet = TRUE, ...) else settings <- list(...)
  # The command refuses a folder that holds a run, whose tables must then stay as they are.
  taken <- file.exists(file.path(folder, "run.json")) && !isTRUE(settings$overwrite)
  tables <- data_flags(data, if (taken) tempfile("tables-") else paste0(folder, ".tables"))
  args <- c("run", "--json", at$path, "-o", folder, tables, flags_of(settings))
  command(args, show = TRUE, within = at$within)
  vf_load(folder)
}

vf_load <- function(folder) {
  folder <- path.expand(folder)
  at <- file.path(folder, "summary.json")
  if (!file.exists(at)) refuse("there is no finished run in the folder ", folder)
  said <- jsonlite::fromJSON(at)
  structure(list(folder = normalizePath(folder), model = said$model, backend = said$backend, transform = said$transform,
                 findings = as.character(said$diagnostics$messages)), class = "vf_fit")
}

vf_resume <- function(folder) {
  record <- file.path(path.expand(folder), "run.json")
  complete <- file.exists(record) && isTRUE(jsonlite::fromJSON(record)$complete)
  if (!complete) command(c("resume", path.expand(folder)), show = TRUE)
  vf_load(folder)
}

print.vf_fit <- function(x, ...) {
  cat(command(c("summary", x$folder)))
  invisible(x)
}

summary.vf_fit <- function(object, parameters = NULL, ...) {
  said <- answer(c("summary", object$folder, parameters))$parameters
  label <- if (is.null(said$label)) said$name else ifelse(is.na(said$label), said$name, said$label)
  rest <- said[setdiff(names(said), c("name", "label"))]
  cbind(data.frame(parameter = label, name = said$name), rest)
}

as_draws.vf_fit <- function(x, labels = FALSE, ...) {
  at <- file.path(x$folder, "draws.zarr", "posterior")
  parameters <- answer(c("summary", x$folder))$parameters
  of <- unique(sub("\\[[0-9,]*\\]$", "", parameters$name))
  draws <- do.call(cbind_variables, lapply(of, function(name) zarr_array(at, name)))
  dimnames(draws)[[3]] <- parameters$name
  if (labels) {
    known <- !is.na(parameters$label)
    dimnames(draws)[[3]][known] <- parameters$label[known]
  }
  posterior::as_draws_array(draws)
}

as_draws_array.vf_fit <- function(x, labels = FALSE, ...) as_draws(x, labels)
as_draws_df.vf_fit <- function(x, labels = FALSE, ...) posterior::as_draws_df(as_draws(x, labels))
as_draws_matrix.vf_fit <- function(x, labels = FALSE, ...) posterior::as_draws_matrix(as_draws(x, labels))

predict.vf_fit <- function(object, newdata = NULL, ..., draws = FALSE) {
  folder <- tempfile("predict-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  out <- file.path(folder, if (draws) "draws.csv" else "predictions.csv")
  command(c("predict", object$folder, data_flags(newdata, folder), if (draws) "--save-draws" else "-o", out,
            flags_of(list(...))))
  made <- read_table(out)
  if (draws) posterior::as_draws_matrix(as.matrix(made[names(made) != "draw"])) else made
}

vf_loo <- function(fit, ...) {
  said <- answer(c("loo", fit$folder, flags_of(list(...))), simplify = FALSE)
  scalar <- function(of) vapply(said$responses, function(r) r[[of]], if (of == "name") "" else 0)
  looic <- function(r) -2 * r$elpd
  each <- function(r) {
    part <- function(of) vapply(r[[of]], function(v) if (is.null(v)) NA_real_ else as.double(v), 0)
    data.frame(response = r$name, elpd = part("pointwise"), k = part("k"), r_eff = part("r_eff"))
  }
  structure(list(
    estimates = data.frame(response = scalar("name"), observations = scalar("observations"), elpd = scalar("elpd"),
                           se = scalar("se"), p = scalar("p"), looic = vapply(said$responses, looic, 0),
                           high_k = scalar("high_k")),
    pointwise = do.call(rbind, lapply(said$responses, each)), warnings = unlist(said$warnings)
  ), class = "vf_loo")
}

print.vf_loo <- function(x, ...) {
  print(x$estimates, row.names = FALSE, ...)
  for (text in x$warnings) cat(text, "\n", sep = "")
  invisible(x)
}

vf_report <- function(fit, file = file.path(fit$folder, "report.html")) {
  command(c("report", fit$folder, "-o", path.expand(file)))
  structure(list(file = normalizePath(file)), class = "vf_report")
}

print.vf_report <- function(x, ...) {
  cat(x$file, "\n", sep = "")
  if (interactive()) utils::browseURL(x$file)
  invisible(x)
}
