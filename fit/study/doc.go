// Package study fits models many times, once for each cell of a grid of models, tables and settings, and puts what came out side by side.
//
// A study is a TOML file: [Read] gives its cells, tables and figures with diagnostics that point into the file. A cell is a command line of vflc, which whoever
// runs the study carries out; its result is a folder with a name that follows from everything that the result depends on, so that a study that is begun again
// takes what is there. A [Queue] hands out cells; [Work] takes them, one after another, and any number of goroutines or processes may do so.
package study
