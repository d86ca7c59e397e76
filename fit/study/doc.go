// Package study fits models many times, once for each cell of a grid of models, tables and settings, and puts
// the results side by side.
//
// A study is a TOML file: [Read] gives its cells, tables and figures with diagnostics that point into the
// file. The result of a cell (package cells) is a folder in a [Store], with a name that follows from
// everything that the result depends on, so that a study that is begun again takes what is there.
package study
