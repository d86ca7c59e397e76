// Package repl is a prompt: a session in which a model is declared, tables are read, fits are made and their
// posteriors queried.
//
// A Session is all but the terminal. Session.Eval takes a unit of input, which is vfl, a command that begins
// with a colon, or a question, and writes its answer. A session works in the same way at a terminal (package
// term reads the lines), in a pipe, and in tests, where input and answers are text.
//
// The model is a list of statements as they were typed. It never changes: what changes it makes a new one, so
// that undo is a step back. A fit keeps the model and the data that it was made with, and answers from these.
//
// Commands are a table (commands.go), one file each.
package repl
