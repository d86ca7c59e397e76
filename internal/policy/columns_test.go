package policy

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line of Go is at most, where a tab counts as four columns.
const mostColumns = 110

// A line has at most 110 columns. Texts are left out: a string of several lines, the longest literal of a
// line, and comments that are set as code.
func TestLinesAreShort(t *testing.T) {
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		if strings.HasPrefix(text, "// Code generated") {
			return
		}
		free := textColumns(src)
		for i, line := range strings.Split(text, "\n") {
			columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			code := strings.HasPrefix(strings.TrimSpace(line), "//\t")
			if most := mostColumns + free[i+1]; columns > most && !code {
				t.Errorf("%s:%d: %d columns, at most %d", name, i+1, columns, mostColumns)
			}
		}
	})
}

// textColumns is how many columns of each line are text: all of a string or comment of several lines, and
// else the longest literal.
func textColumns(src []byte) map[int]int {
	free := map[int]int{}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch line := file.Line(pos); {
		case tok == token.EOF:
			return free
		case strings.Contains(lit, "\n") && (tok == token.STRING || tok == token.COMMENT):
			for k := range strings.Count(lit, "\n") + 1 {
				free[line+k] = len(src)
			}
		case tok == token.STRING:
			free[line] = max(free[line], utf8.RuneCountInString(lit))
		}
	}
}

// Assembly has at most 60,000 lines.
func TestAssemblyIsShort(t *testing.T) {
	lines := 0
	walk(t, func(name string) {
		if strings.HasSuffix(name, ".s") {
			src, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(src), "\n")
		}
	})
	if lines == 0 || lines > 60_000 {
		t.Errorf("%d lines of assembly", lines)
	}
}
