# Documents: chunks of vfl, and reports within a page.

.onLoad <- function(libname, pkgname) {
  add <- function(...) knitr::knit_engines$set(vfl = eng_vfl)
  if (isNamespaceLoaded("knitr")) add() else setHook(packageEvent("knitr", "onLoad"), add)
}

# eng_vfl checks the model of a chunk, which `output.var` names for later chunks.
eng_vfl <- function(options) {
  name <- if (is.null(options$output.var)) "model" else options$output.var
  model <- vf_model(options$code, name)
  out <- ""
  if (!isFALSE(options$eval)) {
    found <- tryCatch(vf_check(model), vflc_error = identity)
    if (inherits(found, "vflc_error")) {
      if (!isTRUE(options$error)) stop(found)
      out <- conditionMessage(found)
    } else {
      assign(name, model, envir = knitr::knit_global())
      out <- sprintf("%s %s at line %d: %s", found$severity, found$code, found$line, found$message)
    }
  }
  knitr::engine_output(options, options$code, paste(out, collapse = "\n"))
}

# knit_print.vf_report shows a report within the page, which stays one file.
knit_print.vf_report <- function(x, ...) {
  page <- paste(readLines(x$file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  page <- gsub('"', "&quot;", gsub("&", "&amp;", page, fixed = TRUE), fixed = TRUE)
  frame <- '<iframe title="vflc report" style="width:100%%;height:40em;border:0" srcdoc="%s"></iframe>'
  knitr::asis_output(knitr::raw_html(sub("%s", page, gsub("%%", "%", frame, fixed = TRUE), fixed = TRUE)))
}
