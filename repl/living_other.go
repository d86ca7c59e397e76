//go:build !unix

package repl

// living reports false where a process cannot be asked: its journal may then be recovered twice.
func living(string) bool { return false }
