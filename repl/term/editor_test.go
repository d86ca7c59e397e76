//go:build linux

package term

import (
	"errors"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chzyer/readline"

	"github.com/vflc/vflc/tests/await"
	"github.com/vflc/vflc/tests/console"
)

// A typist is the person at a terminal, whose keys are typed when a line is being read: before, the terminal
// itself would edit them.
type typist struct {
	t     *testing.T
	keys  *os.File
	ready chan struct{} // holds a token for each line that has begun
}

// open returns an editor at a terminal, and the person there.
func open(t *testing.T, c Config) (*Editor, *typist) {
	t.Helper()
	person, program, err := console.Pair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close(); program.Close() })
	p := &typist{t, person, make(chan struct{}, 1000)}
	go p.watch()
	c.In, c.Out = program, program
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e, p
}

// watch reads what is shown, up to the end.
func (p *typist) watch() {
	text, b := "", make([]byte, 1024)
	for {
		n, err := p.keys.Read(b)
		if err != nil {
			return
		}
		text += string(b[:n])
		for strings.Contains(text, pasteOn) {
			_, text, _ = strings.Cut(text, pasteOn)
			p.ready <- struct{}{}
		}
		text = text[max(0, len(text)-len(pasteOn)):]
	}
}

// line types keys to a line, and returns what that gives.
func (p *typist) line(e *Editor, keys string) (text string, err error) {
	p.t.Helper()
	done := make(chan struct{})
	go func() {
		text, err = e.Line("? ")
		close(done)
	}()
	late := time.After(await.Patience)
	for {
		select {
		case <-p.ready:
			if _, err := p.keys.WriteString(keys); err != nil {
				p.t.Error(err)
			}
		case <-done:
			return text, err
		case <-late:
			p.t.Fatalf("%q ends no line", keys)
		}
	}
}

// Keys give the lines that they give in other editors.
func TestLines(t *testing.T) {
	e, person := open(t, Config{More: "> ", History: func() []string {
		return []string{"first", "second\nof two"}
	}})
	defer e.Close()
	for keys, want := range map[string]string{
		"abc\r":                                  "abc",
		"abc\x1b[D\x1b[Dx\r":                     "axbc",
		"abc\x01x\x05y\r":                        "xabcy",
		"one two\x17three\r":                     "one three",
		"one two\x1b[1;5D\x0b\r":                 "one ",
		"abc\x1b[3~\r":                           "abc", // nothing to delete
		"\x1b[3~abc\r":                           "abc", // on an empty line too
		"abc\x01\x1b[3~\r":                       "bc",
		"abc\x01\x04\r":                          "bc",
		"ab\x1b[200~c\td\x1b[201~\x1b[De\r":      "abc\ted",
		"a\x1b[200~b\rc\r\x1b[201~":              "ab\nc\n",
		"\x1b[A\r":                               "second\nof two",
		"\x1b[A\x1b[A\r":                         "first",
		"typed\x1b[A\x1b[A\x1b[B\x1b[B!\r":       "typed!",
		"\x12fir\r":                              "first",
		"\x12o\x12\x1b[Fx\r":                     "second\nof twox",
		"keep\x12zzz\x07\r":                      "keep",
		"a\x1b\rb\r":                             "a\nb",
		"日本😀\x1b[D\x7f\r":                        "日😀",
		"a\xffb\x1b[99zc\r":                      "abc", // no character, no key
		"\x0c\x13x\r":                            "x",
		"abc\x15\x19\x19\r":                      "abcabc",
		strings.Repeat("long ", 100) + "\x01x\r": "x" + strings.Repeat("long ", 100),
	} {
		if got, err := person.line(e, keys); err != nil || got != want {
			t.Errorf("%q gives %q, %v; want %q", keys, got, err, want)
		}
	}
}

// Ctrl-C gives a line up, and Ctrl-D ends the input on an empty line only.
func TestEndings(t *testing.T) {
	e, person := open(t, Config{})
	defer e.Close()
	if _, err := person.line(e, "abc\x03"); !errors.Is(err, ErrInterrupt) {
		t.Errorf("Ctrl-C: %v", err)
	}
	if got, err := person.line(e, "ab\x01\x04\x04\x04"); !errors.Is(err, io.EOF) {
		t.Errorf("Ctrl-D: %q, %v", got, err)
	}
}

// An editor leaves no goroutine behind, and the terminal as it was.
func TestCloseLeavesNothing(t *testing.T) {
	e, person := open(t, Config{})
	before, err := readline.GetState(int(e.In.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := person.line(e, "x\r"); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := readline.GetState(int(e.In.Fd())); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the terminal is in another mode: %+v, not %+v", after, before)
	}
	left := ""
	if !await.Until(func() bool { // they end on their own
		b := make([]byte, 1<<20)
		left = ""
		for _, g := range strings.Split(string(b[:runtime.Stack(b, true)]), "\n\n") {
			if !strings.Contains(g, "typist") && (strings.Contains(g, "chzyer/readline") ||
				strings.Contains(g, "repl/term.(")) {
				left = g
			}
		}
		return left == ""
	}) {
		t.Errorf("left behind:\n%s", left)
	}
}

// Candidates that agree complete the word; a menu is never wider than the terminal.
func TestCompletion(t *testing.T) {
	words := []Candidate{{Text: "alpha", Note: "(x)"}, {Text: "alphabet"}, {Text: "日本語日本語日本語"}}
	complete := func(text string, pos int) ([]Candidate, int) {
		start := strings.LastIndexByte(text[:pos], ' ') + 1
		var out []Candidate
		for _, w := range words {
			if strings.HasPrefix(w.Text, text[start:pos]) {
				out = append(out, w)
			}
		}
		return out, start
	}
	e, person := open(t, Config{Complete: complete})
	defer e.Close()
	for keys, want := range map[string]string{"a\t\t\r": "alpha", "alphab\t\r": "alphabet",
		"x al\ty\x1b[D\t\r": "x alphay", "zz\t\r": "zz", "日\t!\r": "日本語日本語日本語!"} {
		if got, err := person.line(e, keys); err != nil || got != want {
			t.Errorf("%q gives %q, %v; want %q", keys, got, err, want)
		}
	}
	for width := 1; width < 100; width++ {
		for _, list := range [][]Candidate{words, words[1:]} {
			for _, line := range menu(list, width, 5) {
				if n := columns(line); n >= max(2, width) {
					t.Errorf("%d columns at width %d: %q", n, width, line)
				}
			}
		}
	}
}

func columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// Every row of a layout fits, the rows together are the text, and the cursor is on the terminal.
func TestLayout(t *testing.T) {
	line := []rune("a\tb日本語😀\n second line with more text 日")
	for width := 3; width < 60; width++ {
		for pos := range len(line) + 1 {
			l := lay("vfl> ", "...> ", line, pos, width)
			for i, row := range l.rows {
				if n := columns(row); n > width || n != l.columns[i] {
					t.Fatalf("row %q of %d columns at width %d, recorded as %d", row, n, width, l.columns[i])
				}
			}
			if l.row >= len(l.rows) || l.col > width {
				t.Fatalf("the cursor at %d, %d of %d rows at width %d", l.row, l.col, len(l.rows), width)
			}
			if text := strings.Join(l.rows, ""); strings.ReplaceAll(text, " ",
				"") != "vfl>ab日本語😀...>secondlinewithmoretext日" {
				t.Fatalf("%q", text)
			}
		}
	}
}
