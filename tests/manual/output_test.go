package manual

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSame(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"b  server  -1.156  0.0023  5726", "b   server   -1.150  0.0023  5500", true},
		{"b  server  -1.156", "b  server  -1.956", false},
		{"b  server", "c  server", false},
		{"2 clients", "3 clients", false},
		{"0 divergent; 2.3 s", "0 divergent; 11 s", true},
		{"0 divergent", "12 divergent", false},
		{"a gradient takes 3.03 µs", "a gradient takes 12 µs", true},
		{"beta ──━●━──  ┊", "beta   ───━━━●━━──  ┊", true},
		{"of model sha256:0123", "of model sha256:4567", true},
		{"130,926 rounds", "131,000 rounds", true},
		{"919 rows", "1919 rows", false},
	} {
		if got := Same(c.want, c.got); got != c.same {
			t.Errorf("%q, %q: %v", c.want, c.got, got)
		}
	}
}

func TestMissing(t *testing.T) {
	const got = "head\none\ntwo\nthree\nfour\n"
	for want, missing := range map[string]string{
		"one\ntwo\n": "", "one\n…\nfour\n": "", "one\nthree\n": "three", "two\none\n": "one",
		"five\n": "five", "…\nfour\n": "",
	} {
		if m := Missing(want, got); m != missing {
			t.Errorf("%q: %q is missing, want %q", want, m, missing)
		}
	}
}

func TestPage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.md")
	const text = "# A page\n\nSave it as `m.vfl`:\n\n```vfl\nclient a\n```\n\nSee [b](#a-page), [c](b.md), " +
		"[d](#nowhere) and `vflc run`.\n\n```text\nold\n```\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Block{Lang: "vfl", Text: "client a\n", Line: 6, File: "m.vfl"}); len(p.Blocks) != 2 ||
		p.Blocks[0] != want {
		t.Errorf("%+v", p.Blocks)
	}
	if got := p.BrokenLinks(); !slices.Equal(got, []string{"b.md", "#nowhere"}) {
		t.Errorf("broken: %q", got)
	}
	if got := p.Spans(); !slices.Equal(got, []string{"m.vfl", "vflc run"}) {
		t.Errorf("spans: %q", got)
	}
	if got := p.Replace(map[int]string{12: "new\n"}); got !=
		"# A page\n\nSave it as `m.vfl`:\n\n```vfl\nclient a\n```\n\nSee [b](#a-page), [c](b.md), "+
			"[d](#nowhere) and `vflc run`.\n\n```text\nnew\n```\n" {
		t.Errorf("%s", got)
	}
}
