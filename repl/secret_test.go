package repl

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typedLines is a person who types lines.
type typedLines []string

func (l *typedLines) Line(string) (string, error) {
	if len(*l) == 0 {
		return "", io.EOF
	}
	line := (*l)[0]
	*l = (*l)[1:]
	return line, nil
}

// A password in the address of a table is refused, and neither the history nor the answer has it.
func TestPasswordsAreNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := New(Config{Out: &out, History: h})
	lines := typedLines{"param b ~ normal(0, 1)", ":data postgres://u:hunter2@h/db?table=t", ":model"}
	if err := s.Talk(&lines, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text)+out.String(), "hunter2") ||
		!strings.Contains(string(text), ":model") || !strings.Contains(out.String(), "PGPASSWORD") {
		t.Errorf("%v\n%s\n%s", err, text, out.String())
	}
}
