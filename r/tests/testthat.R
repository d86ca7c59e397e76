library(testthat)
library(vflc)

test_check("vflc")
