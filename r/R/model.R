# Models: as files or as text.

vf_model <- function(text, name = "model") {
  structure(list(text = paste(text, collapse = "\n"), name = name), class = "vf_model")
}

print.vf_model <- function(x, ...) {
  cat(x$text, "\n", sep = "")
  invisible(x)
}

# located is a model as a file: its path and, where it is text, the folder made for it, which messages leave out.
located <- function(model) {
  if (is.character(model) && (length(model) > 1 || grepl("\n", model, fixed = TRUE))) model <- vf_model(model)
  if (is.character(model)) {
    return(list(path = path.expand(model), within = NULL))
  }
  if (!inherits(model, "vf_model")) refuse("a model is a path, its text, or what vf_model makes of that")
  folder <- tempfile("vfl-")
  dir.create(folder)
  path <- file.path(folder, paste0(model$name, ".vfl"))
  writeLines(enc2utf8(model$text), path, useBytes = TRUE)
  list(path = path, within = folder)
}

vf_check <- function(model, data = NULL, ...) {
  at <- located(model)
  tables <- tempfile("tables-")
  on.exit(unlink(c(at$within, tables), recursive = TRUE))
  args <- c("check", at$path, data_flags(data, tables), flags_of(list(...)))
  command(args, within = at$within) # errors, in the words of the command
  frame_of(answer(args, within = at$within, simplify = FALSE)$diagnostics)
}

# frame_of has a line for each diagnostic.
frame_of <- function(diagnostics) {
  text <- function(of) vapply(diagnostics, of, "")
  number <- function(of) vapply(diagnostics, function(d) as.integer(c(d$place[[of]], NA)[[1]]), 0L)
  data.frame(code = text(function(d) d$code), severity = text(function(d) d$severity), line = number("line"),
             column = number("column"), message = text(function(d) d$message))
}

vf_audit <- function(x, ...) {
  at <- if (inherits(x, "vf_fit")) list(path = x$folder) else located(x)
  on.exit(unlink(at$within, recursive = TRUE))
  args <- c("audit", at$path, flags_of(list(...)))
  structure(c(answer(args, within = at$within), text = command(args, within = at$within)), class = "vf_audit")
}

print.vf_audit <- function(x, ...) {
  cat(x$text)
  invisible(x)
}

vf_simulate <- function(model, size = NULL, data = NULL, ..., output = tempfile("simulated-")) {
  at <- located(model)
  tables <- tempfile("tables-")
  on.exit(unlink(c(at$within, tables), recursive = TRUE))
  command(c("simulate", at$path, data_flags(data, tables), "-o", output, flags_of(list(size = size, ...))),
          within = at$within)
  made <- list()
  for (file in list.files(output, "\\.csv$")) made[[sub("\\.csv$", "", file)]] <- read_table(file.path(output, file))
  for (family in list.dirs(output, recursive = FALSE)) made[[basename(family)]] <- members(family)
  data <- made[names(made) != "truth"]
  list(data = if (identical(names(data), "data")) data$data else data, truth = made$truth, folder = output)
}

# members are the tables of a family, 1.csv, 2.csv, …, in the order of their numbers.
members <- function(folder) {
  files <- list.files(folder, "\\.csv$")
  files <- files[order(as.integer(sub("\\.csv$", "", files)))]
  lapply(file.path(folder, files), read_table)
}
