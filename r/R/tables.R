# Tables of parties: data frames become CSV files whose numbers are exact.

# decimal writes doubles as decimals that are read as the same doubles: with 15 digits where these suffice.
decimal <- function(x) {
  text <- sprintf("%.15g", x)
  finite <- which(is.finite(x))
  read <- as.double(jsonlite::fromJSON(paste0("[", paste(text[finite], collapse = ","), "]")))
  longer <- finite[read != x[finite]]
  text[longer] <- sprintf("%.17g", x[longer])
  text
}

# cells writes a column: categories and text in quotes, TRUE as 1, dates as in ISO 8601, a missing cell blank.
cells <- function(x, name) {
  known <- !is.na(x)
  text <-
    if (is.factor(x) || is.character(x)) {
      quoted(enc2utf8(as.character(x)))
    } else if (inherits(x, "Date")) {
      format(x, "%Y-%m-%d")
    } else if (inherits(x, "POSIXt")) {
      format(as.POSIXct(x), "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")
    } else if (is.logical(x) || is.integer(x)) {
      as.character(as.integer(x))
    } else if (is.double(x) && (!is.object(x) || inherits(x, "difftime")) && is.null(dim(x))) {
      decimal(as.double(x))
    } else {
      refuse("the column ", name, " is of class ", paste(class(x), collapse = "/"),
             "; make numbers, text, a factor or dates of it")
    }
  ifelse(known, text, "")
}

quoted <- function(text) paste0('"', gsub('"', '""', text, fixed = TRUE), '"')

write_table <- function(table, file) {
  if (!is.null(dim(table)) && !is.data.frame(table)) table <- as.data.frame(table)
  names <- enc2utf8(names(table))
  columns <- unname(Map(cells, as.list(table), names))
  lines <- do.call(paste, c(columns, list(sep = ",")))
  out <- file(file, "wb")
  on.exit(close(out))
  writeLines(c(paste(quoted(names), collapse = ","), lines), out, useBytes = TRUE)
  file
}

# read_table reads what the command has written. read.csv would round some numbers to a neighbour, and take keys
# such as 007 for numbers.
read_table <- function(file) {
  text <- utils::read.csv(file, check.names = FALSE, colClasses = "character", encoding = "UTF-8", na.strings = "")
  text[] <- lapply(text, function(column) {
    known <- !is.na(column)
    if (!any(known) || !all(grepl("^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$", column[known]))) {
      return(column)
    }
    jsonlite::fromJSON(paste0("[", paste(ifelse(known, column, "null"), collapse = ","), "]"))
  })
  text
}

# data_flags are the flags that hand over tables: a data frame or a path of a model without clients, else a list
# by party, in which a family has a list of tables or several paths. Data frames are written to the folder.
data_flags <- function(data, folder) {
  if (is.null(data)) {
    return(character())
  }
  if (is.data.frame(data) || is.matrix(data) || is.character(data) && is.null(names(data))) {
    return(paste0("--data=", table_at(data, file.path(folder, "data.csv"))))
  }
  data <- as.list(data)
  if (is.null(names(data)) || !all(nzchar(names(data)))) {
    refuse("data must be a data frame, or a list with a table for each party: list(hospital = frame)")
  }
  at <- Map(function(party, tables) table_at(tables, file.path(folder, paste0(party, ".csv"))), names(data), data)
  paste0("--data=", names(data), "=", unlist(at))
}

table_at <- function(tables, file) {
  if (is.data.frame(tables) || is.matrix(tables)) {
    dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE, mode = "0700")
    return(write_table(tables, file))
  }
  if (is.character(tables)) {
    return(paste(tables, collapse = ","))
  }
  if (!is.list(tables)) refuse("a table must be a data frame or the path of a file")
  files <- sub("\\.csv$", "", file)
  paste(Map(table_at, tables, sprintf("%s-%d.csv", files, seq_along(tables))), collapse = ",")
}
