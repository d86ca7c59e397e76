//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostLines is how many lines a new user may need to a forest plot.
const mostLines = 15

// The session in docs/repl.md is one that happens, but for its numbers.
func TestReplDocs(t *testing.T) {
	t.Parallel()
	const path = "../../docs/repl.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const fence = "```text\n"
	head, rest, _ := strings.Cut(string(text), fence)
	want, tail, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/repl.md holds no session")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/repl")); err != nil {
		t.Fatal(err)
	}
	p := startRepl(t, dir, 96)
	lines := 0
	for line := range strings.Lines(want) {
		if unit, ok := strings.CutPrefix(line, replPrompt); ok {
			p.ask(strings.TrimSpace(unit))
			lines++
		}
	}
	if lines == 0 || lines > mostLines {
		t.Errorf("%d lines are typed, of at most %d", lines, mostLines)
	}
	got := p.Text()
	got = strings.TrimSuffix(got[strings.Index(got, replPrompt):], strings.TrimSpace(replPrompt)+"\n")
	switch diff := differ(elided(want), elided(got)); {
	case diff == "":
	case *update: // and not where numbers differ alone
		if err := os.WriteFile(filepath.FromSlash(path), []byte(head+fence+got+"```"+tail),
			0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/repl.md (-) and what happens (+) differ; go test ./cmd/vflc -run "+
			"Repl -update writes it:\n%s", diff)
	}
}
