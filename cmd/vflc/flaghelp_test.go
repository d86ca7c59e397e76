package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// Help of a command with many flags shows ten at most and how many more there are; --help-all shows each
// once, and as JSON to programs.
func TestHelpIsShort(t *testing.T) {
	short := 0
	for _, c := range newRoot().Commands() {
		if c.Flags().Lookup(helpAll) == nil {
			if n := len(visible(c)); n > mostFlags {
				t.Errorf("%s has %d flags, and all stand in its help", c.Name(), n)
			}
			continue
		}
		short++
		help := func(flag string) string {
			var out, errs bytes.Buffer
			if code := execute([]string{c.Name(), flag}, &out, &errs); code != 0 {
				t.Fatalf("%s %s: code %d: %s", c.Name(), flag, code, errs.String())
			}
			return out.String()
		}
		flags := func(text string) int {
			_, text, _ = strings.Cut(text, "\nUsage:")
			return strings.Count(text, "\n      --") + strings.Count(text, "\n  -")
		}
		all, few := help("--help-all"), help("--help")
		if n := flags(few); n < 5 || n > fewFlags || !strings.Contains(few, "--help-all prints") {
			t.Errorf("%s --help shows %d flags", c.Name(), n)
		}
		var listed []listedFlag
		if err := json.Unmarshal([]byte(help("--help-all=json")), &listed); err != nil {
			t.Fatal(err)
		}
		if n := flags(all); n != len(listed) || n < mostFlags {
			t.Errorf("%s --help-all shows %d flags, and JSON lists %d", c.Name(), n, len(listed))
		}
	}
	if short < 5 {
		t.Errorf("%d commands have a short help", short)
	}
}

// A table fits a terminal: cells have several lines, and no word is lost or divided; elsewhere it is as it
// was.
func TestTablesFoldToTheTerminal(t *testing.T) {
	table := [][]string{{"what", "from", "how often", "masked"},
		{"seals for the other clients of what hospital_a has received that they receive too", "hospital_a",
			"every evaluation, at the end", "a key of each two clients"}, {"z_1", "b", "once", "no"}}
	var b bytes.Buffer
	if got := foldedTable(&b, table); got != posterior.AlignLeft(table) {
		t.Errorf("off a terminal:\n%s", got)
	}
	for _, width := range []int{50, 80, 400} {
		w := &terminal.Sheet{Writer: &b, Columns: func() int { return width }}
		got := foldedText(w, foldedTable(w, table)+"\n(1) "+strings.Repeat("a word ", 30)+"\n")
		for line := range strings.Lines(got) {
			if n := posterior.Width(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
		count := func(text string) map[string]int {
			out := map[string]int{}
			for _, w := range strings.Fields(text) {
				out[w]++
			}
			return out
		}
		have := count(got)
		for word, n := range count(posterior.AlignLeft(table)) {
			if word != "a" && have[word] != n {
				t.Errorf("%d columns: %q stands %d times, want %d", width, word, have[word], n)
			}
		}
	}
}
