//go:build linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tinyModel has two parameters, so that chains make hundreds of thousands of draws in seconds.
func tinyModel(t *testing.T) *prompt {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "y.csv"), []byte("y\n1\n2\n3\n1.5\n2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startRepl(t, dir, 80)
	for _, unit := range []string{"data y : real[N]", "param m ~ normal(0, 10)", "param s ~ gamma(4, 4)",
		"y ~ normal(m, s)", ":data server = y.csv"} {
		p.ask(unit)
	}
	return p
}

// Ctrl-C gives the prompt back also while the draws, of which there are more until that takes long, are being
// summarised, and they are there for whoever asks.
func TestReplStopsLongChains(t *testing.T) {
	t.Parallel()
	p := tinyModel(t)
	shown := ""
	for least := 30_000; !strings.Contains(shown, "and are being summarised"); least *= 4 {
		if least > 2_000_000 {
			t.Fatalf("the prompt waits for the summary:\n%s", shown)
		}
		before := p.Text()
		p.fit(longerFit, least)
		p.press("\x03")
		p.ready(prompts(before) + 1)
		shown = p.Text()[len(strings.TrimRight(before, " \n")):]
		t.Logf("%d transitions", least)
	}
	got := p.ask("m")
	if !strings.Contains(p.Text(), "interrupted after") ||
		!regexp.MustCompile(`(?m)^m +server`).MatchString(got) {
		t.Errorf("after an interrupt:\n%s", p.Text())
	}
	if again := p.ask("m"); strings.Contains(again, "interrupted after") {
		t.Errorf("the findings are said twice:\n%s", again)
	}
}

// Ctrl-C in the instant after a line has been entered, before its answer has begun, is for the answer: it
// stops a fit that has not begun, and takes nothing from the next line.
func TestReplStopsBeforeAFit(t *testing.T) {
	t.Parallel()
	p := tinyModel(t)
	for range 3 {
		before := prompts(p.Text())
		p.press(longerFit + "\r\x03")
		p.ready(before + 1)
	}
	if got := p.ask(":fits"); !strings.Contains(got, "no fits yet") {
		t.Errorf("fits after interrupts before they began:\n%s", p.Text())
	}
	p.press("1 + 1\r2 + 2\r\x033 + 3\r")
	if err := p.WaitFor("\n6  @ shared"); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C stops the answer, and the lines that were typed ahead of it are answered.
func TestReplKeepsLinesTypedAhead(t *testing.T) {
	t.Parallel()
	p := tinyModel(t)
	p.fit(longerFit, 200)
	before := prompts(p.Text())
	p.press("10 + 1\r20 + 2\r\x03")
	if err := p.WaitFor("\n22  @ shared"); err != nil {
		t.Fatal(err)
	}
	p.ready(before + 3)
	if !strings.Contains(p.Text(), "\n11  @ shared") {
		t.Errorf("a line that was typed ahead is lost:\n%s", p.Text())
	}
}
