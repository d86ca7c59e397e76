# Arrays of draws.zarr, as vflc writes them: Zarr 2, not compressed, in C order, in chunks of the first axis.

# zarr_array reads an array as draw × chain × element, elements in the order of vflc's names.
zarr_array <- function(group, name) {
  at <- file.path(group, name)
  meta <- jsonlite::fromJSON(file.path(at, ".zarray"))
  if (!is.null(meta$compressor) || !all(meta$chunks[-1] == meta$shape[-1])) {
    refuse("the array ", at, " is not written by vflc")
  }
  chunks <- paste(c("", rep(".0", length(meta$shape) - 1)), collapse = "")
  files <- file.path(at, paste0(seq_len(meta$shape[1] / meta$chunks[1]) - 1, chunks))
  values <- unlist(lapply(files, numbers, meta$dtype, prod(meta$chunks)))
  shape <- c(meta$shape[1:2], prod(meta$shape[-(1:2)]))
  aperm(array(values, rev(shape)), c(2, 3, 1))
}

numbers <- function(file, type, count) {
  connection <- file(file, "rb")
  on.exit(close(connection))
  switch(type,
    "<f8" = readBin(connection, "double", count, size = 8, endian = "little"),
    "<i8" = {
      halves <- matrix(readBin(connection, "integer", 2 * count, size = 4, endian = "little"), nrow = 2)
      halves[2, ] * 2^32 + halves[1, ] %% 2^32
    },
    "|b1" = readBin(connection, "integer", count, size = 1),
    refuse("the array ", file, " holds values of type ", type)
  )
}

# cbind_variables puts arrays of the same chains and draws beside one another.
cbind_variables <- function(...) {
  all <- list(...)
  size <- dim(all[[1]])[1:2]
  array(unlist(all), c(size, sum(vapply(all, function(a) dim(a)[3], 0L))), list(NULL, NULL, NULL))
}
