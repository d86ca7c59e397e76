# The command: where it is, how it is called, and what its errors become.

vf_binary <- function() {
  named <- c(Sys.getenv("VFLC_BINARY"), getOption("vflc.binary", ""))
  named <- named[nzchar(named)]
  found <- if (length(named) > 0) named[[1]] else unname(Sys.which("vflc"))
  if (nzchar(found) && file.access(found, 1) == 0 && !dir.exists(found)) {
    return(normalizePath(found))
  }
  what <- if (nzchar(found)) paste0("no program can be run at ", found) else "the program vflc is not on the PATH"
  refuse(what, "; install it (https://github.com/vflc/vflc#readme), or say where it is with ",
         "options(vflc.binary = \"/path/to/vflc\") or the environment variable VFLC_BINARY")
}

# refuse raises a vflc_error that the command has no part in.
refuse <- function(...) stop(condition_of(paste0(...), list(), status = NA_integer_))

# condition_of makes the condition of an error: its message as the command prints it, and the fields of its
# first diagnostic.
condition_of <- function(message, diagnostics, status) {
  first <- if (length(diagnostics) > 0) diagnostics[[1]] else list(message = message)
  code <- if (is.null(first$code) || !nzchar(first$code)) NA_character_ else first$code
  of <- function(kind) do.call(c, c(list(list()), lapply(diagnostics, function(d) d[[kind]])))
  structure(
    class = c("vflc_error", "error", "condition"),
    list(message = message, call = NULL, code = code, place = first$place, reason = first$message,
         notes = vapply(of("notes"), function(n) n$message, ""), fixes = of("fixes"),
         diagnostics = diagnostics, status = status)
  )
}

# flags_of makes flags of named arguments: target_accept = 0.9 becomes --target-accept=0.9.
flags_of <- function(settings) {
  if (length(settings) == 0) {
    return(character())
  }
  if (is.null(names(settings)) || !all(nzchar(names(settings)))) {
    refuse("flags of vflc need names, as in target_accept = 0.9")
  }
  unlist(Map(flag_of, names(settings), settings), use.names = FALSE)
}

# Flags that the command takes several times; other values of several elements are joined with commas.
repeated <- c("data", "identity", "module", "set", "size", "stat")

flag_of <- function(name, value) {
  if (is.null(value)) {
    return(character())
  }
  flag <- gsub("_", "-", name, fixed = TRUE)
  if (!is.atomic(value) || anyNA(value)) {
    refuse(name, " must be a number, a string, TRUE or FALSE, or a vector of these without NA")
  }
  text <- if (is.logical(value)) tolower(value) else if (is.double(value)) decimal(value) else as.character(value)
  if (!is.null(names(value))) text <- paste0(names(value), "=", text)
  if (!flag %in% repeated) text <- paste(text, collapse = ",")
  paste0("--", flag, "=", text)
}

# command runs vflc and returns its standard output, a string. show says whether what it tells beside it becomes
# messages while it runs. An error of the command is a vflc_error, whose places leave out the folder `within`.
# Whatever ends the call, such as an interrupt, ends the command in good order.
command <- function(args, show = FALSE, within = NULL) {
  process <- processx::process$new(vf_binary(), args, stdout = "|", stderr = "|", encoding = "UTF-8",
                                   env = c("current", VFLC_MESSAGES = "json"))
  seen <- new.env()
  seen$out <- character()
  seen$events <- list()
  on.exit(wind_up(process, seen, show, within))
  listen(process, seen, show, within)
  status <- process$get_exit_status()
  if (status != 0) {
    stop(failure(seen$events, status))
  }
  outside(within, seen$out)
}

# wind_up interrupts a command that still runs, and waits until it has saved what it has; a second interrupt
# ends it at once.
wind_up <- function(process, seen, show, within) {
  if (process$is_alive()) {
    process$interrupt()
    tryCatch(listen(process, seen, show, within), interrupt = function(e) process$kill())
  }
}

# listen takes what a process prints until it has ended. The errors with which it ends are no messages: the
# condition will have them.
listen <- function(process, seen, show, within) {
  repeat {
    process$poll_io(-1)
    lines <- process$read_error_lines()
    seen$out <- c(seen$out, process$read_output())
    for (event in lapply(outside(within, lines, sep = NULL), event_of)) {
      if (is_error(event)) {
        seen$events <- c(seen$events, list(event))
      } else if (show) {
        message(event$text)
      }
    }
    if (!process$is_incomplete_output() && !process$is_incomplete_error()) break
  }
  process$wait()
}

# event_of reads a line that the command tells; what is no JSON, such as the last words of a crash, is an error.
event_of <- function(line) {
  tryCatch(jsonlite::fromJSON(line, simplifyVector = FALSE), error = function(e) list(event = "error", text = line))
}

is_error <- function(event) {
  event$event == "error" || event$event == "diagnostic" && event$diagnostic$severity == "error"
}

failure <- function(events, status) {
  found <- lapply(events, function(event) {
    if (is.null(event$diagnostic)) list(code = "", severity = "error", message = event$text) else event$diagnostic
  })
  text <- paste(vapply(events, function(event) event$text, ""), collapse = "\n")
  condition_of(if (nzchar(text)) text else paste("vflc ended with exit code", status), found, status)
}

# outside puts output together, or leaves its lines where sep is NULL, without the folder that was made for a model.
outside <- function(within, text, sep = "") {
  if (!is.null(sep)) text <- paste(text, collapse = sep)
  if (is.null(within)) text else gsub(paste0(within, "/"), "", text, fixed = TRUE)
}

# answer is the JSON document that a command prints.
answer <- function(args, ..., simplify = TRUE) {
  jsonlite::fromJSON(command(append(args, "--json", 1), ...), simplifyVector = simplify)
}
