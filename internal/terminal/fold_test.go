package terminal

import "testing"

func TestFold(t *testing.T) {
	for _, c := range []struct {
		line          string
		width, indent int
		want          string
	}{
		{"as it is", 8, 2, "as it is"},
		{"one two three", 8, 2, "one two\n  three"},
		{"  one two three", 9, 4, "  one two\n    three"},
		{"a word-without-blanks b", 6, 1, "a\n word-without-blanks\n b"},
		{"日本 日本 日本", 9, 0, "日本 日本\n日本"}, // two columns a character
	} {
		if got := Fold(c.line, c.width, c.indent); got != c.want {
			t.Errorf("%q at %d columns is %q, want %q", c.line, c.width, got, c.want)
		}
	}
}
