//go:build linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tinyModel has two parameters, so that chains make hundreds of thousands of draws in seconds.
func tinyModel(t *testing.T) *prompt {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "y.csv"), []byte("y\n1\n2\n3\n1.5\n2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startRepl(t, dir, 80)
	for _, unit := range []string{"data y : real[N]", "param m ~ normal(0, 10)", "param s ~ gamma(4, 4)", "y ~ normal(m, s)", ":data server = y.csv"} {
		p.ask(unit)
	}
	return p
}

// Ctrl-C gives the prompt back at once also where the summary of the draws takes longer, and the draws are there for whoever asks.
func TestReplStopsLongChains(t *testing.T) {
	t.Parallel()
	p := tinyModel(t)
	before := prompts(p.Text())
	p.press(":fit warmup=100 draws=5000000\r")
	drawn := regexp.MustCompile(`chain 1 \S* +(\d+)/`)
	if err := p.Wait("30,000 draws", func(text, _ string) bool {
		all := drawn.FindAllStringSubmatch(text, -1)
		if all == nil {
			return false
		}
		n, _ := strconv.Atoi(all[len(all)-1][1])
		return n > 30_000
	}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p.press("\x03")
	p.ready(before + 1)
	if took := time.Since(begun); took > 3*time.Second { // under a second where nothing else runs
		t.Errorf("the prompt came back after %v", took)
	}
	got := p.ask("m")
	if !strings.Contains(p.Text(), "interrupted after") || !regexp.MustCompile(`(?m)^m +server`).MatchString(got) {
		t.Errorf("after an interrupt:\n%s", p.Text())
	}
	if again := p.ask("m"); strings.Contains(again, "interrupted after") {
		t.Errorf("the findings are said twice:\n%s", again)
	}
}

// Ctrl-C in the instant after a line has been entered, before its answer has begun, is for the answer: it stops a fit that has not begun, and takes nothing from the next line.
func TestReplStopsBeforeAFit(t *testing.T) {
	t.Parallel()
	p := tinyModel(t)
	for range 3 {
		before := prompts(p.Text())
		p.press(":fit warmup=100 draws=5000000\r\x03")
		p.ready(before + 1)
	}
	if got := p.ask(":fits"); !strings.Contains(got, "no fits yet") {
		t.Errorf("fits after interrupts before they began:\n%s", p.Text())
	}
	before := prompts(p.Text())
	p.press("1 + 1\r2 + 2\r\x033 + 3\r") // the interrupt forgets what was typed before it
	if err := p.WaitFor("\n6  @ shared"); err != nil {
		t.Fatal(err)
	}
	if n := prompts(p.Text()); n <= before {
		t.Error("no prompt")
	}
}
