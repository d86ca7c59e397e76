//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pasted model is one unit, byte for byte: its tabs neither complete nor edit. The model that is saved
// gives the draws of the fit at the prompt.
func TestReplSavesWhatWasPasted(t *testing.T) {
	t.Parallel()
	dir := replFiles(t)
	p := startRepl(t, dir, 80)
	p.press(pasted(replModel))
	p.ready(2)
	for _, unit := range []string{
		":data a = a.csv key patient", ":data b = b.csv", ":data server = y.csv", ":rows intersect",
		":save m.vfl", ":fit warmup=100 draws=50 chains=2", ":export here",
	} {
		p.ask(unit)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "m.vfl")); err != nil || string(got) != replModel {
		t.Errorf("%v; saved:\n%s\npasted:\n%s", err, got, replModel)
	}
	cmd := exec.Command(program(t), "run", "m.vfl", "--data", "a=a.csv", "--data", "b=b.csv", "--data",
		"server=y.csv", "--key", "patient", "--rows", "intersect",
		"--warmup", "100", "--draws", "50", "--chains", "2", "-o", "there")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, file := range []string{"draws/chain-1.csv", "draws/chain-2.csv"} {
		here, there := withoutComments(t, filepath.Join(dir, "here", file)),
			withoutComments(t, filepath.Join(dir, "there", file))
		if here != there || len(here) < 1000 {
			t.Errorf("%s differs between the prompt and vflc run", file)
		}
	}
}

func program(t *testing.T) string {
	path, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// withoutComments are the draws of a Stan CSV file without the comments, which hold times.
func withoutComments(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Completion works at every width: no line of a menu is wider than the terminal, and what is typed stays
// whole, also through a change of the width while the menu is there.
func TestReplCompletes(t *testing.T) {
	for _, width := range []int{20, 60, 80} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			p := startRepl(t, replFiles(t), width)
			p.ask("param m ~ normal(0, 1)")
			p.shows("let x = inv_l\t", "vfl> let x = inv_logit")
			p.shows("\t", "inv_logit  (x)") // its arguments
			if err := p.Resize(width-4, 24); err != nil {
				t.Fatal(err)
			}
			p.press("(m)")
			if err := p.Resize(width+9, 24); err != nil {
				t.Fatal(err)
			}
			p.shows("\r", "x : real @ server")
			p.shows(":p\t\t\t", "priors")
			if strings.Contains(p.Raw(), "panic") {
				t.Error(p.Raw())
			}
		})
	}
}

// shows types keys and waits for a text, wherever its lines are broken.
func (p *prompt) shows(keys, text string) {
	p.t.Helper()
	p.press(keys)
	if err := p.Wait(text, func(all, _ string) bool {
		return strings.Contains(strings.ReplaceAll(all, "\n", ""), text)
	}); err != nil {
		p.t.Fatal(err)
	}
}

// Characters of two columns and of several bytes are edited as any other, and a whole unit of several lines
// comes back by the arrow and by Ctrl-R.
func TestReplEdits(t *testing.T) {
	t.Parallel()
	p := startRepl(t, replFiles(t), 60)
	p.keys("// 日本 😀 x\x1b[D\x1b[D\x7f", "vfl> // 日本  x")
	p.keys("é\x1b[1~\x1b[4~!", "vfl> // 日本 é x!") // Home, End
	p.keys("\x1b[1;5D\x1b[1;5D", "vfl> // 日本 é x!")
	p.ask("")
	unit := "param a ~ normal(\n\t0, 1) // 😀"
	p.press(pasted(unit + "\n"))
	p.ready(3)
	p.keys("\x1b[A", "...>     0, 1) // 😀")
	p.keys("\x03", "vfl>")
	p.keys("\x12rmal(", "...>     0, 1) // 😀")
	n := prompts(p.Text())
	p.press("\r")
	if err := p.Wait("the answer", func(text, line string) bool {
		return strings.Contains(text, "a is as it was") && line == replPrompt
	}); err != nil {
		t.Fatal(err, n)
	}
	if got := p.ask(":model"); !strings.Contains(got, "0, 1) // 😀") {
		t.Error(got)
	}
}

// A line of several rows at the top of the screen, after Ctrl-L, is edited as any other and is there once: no
// key leaves a copy of it above.
func TestReplEditsLongLines(t *testing.T) {
	line := "data XC : real = onehot(smoke, drop=first), zscore(age), poly(age, 3), spline(age, 5) from " +
		"clinic and more than that"
	head, tail, _ := strings.Cut(line, "poly(age, 3)")
	tail = "poly(age, 3)" + tail
	twice := head + "poly(age, !3)" + strings.TrimPrefix(tail, "poly(age, 3)")
	steps := []struct{ what, keys, prompt, line string }{
		{"typing", line, replPrompt, line},
		{"Home", "\x1b[H<", replPrompt, "<" + line},
		{"End", "\x1b[F>", replPrompt, "<" + line + ">"},
		{"Ctrl-A, Delete, Ctrl-E, Backspace", "\x01\x1b[3~\x05\x7f", replPrompt, line},
		{"typing in the middle", strings.Repeat("\x1b[D", len(tail)) + "some ", replPrompt,
			head + "some " + tail},
		{"Ctrl-W", "\x17", replPrompt, line},
		{"Ctrl-K", "\x0b", replPrompt, head},
		{"Ctrl-Y", "\x19", replPrompt, line},
		{"Ctrl-U", strings.Repeat("\x1b[D", len(tail)) + "\x15", replPrompt, tail},
		{"Ctrl-Y and Ctrl-arrows", "\x19\x1b[1;5C\x1b[1;5C\x1b[1;5C\x1b[1;5D!", replPrompt, twice},
		{"Ctrl-R", "\x12of tw", "search `of tw`: ", "param long ~ normal(\n0, 1) // of two"},
		{"Ctrl-G", "\x07", replPrompt, twice},
		{"an arrow to an entry of two lines", "\x05\x15\x1b[A", replPrompt,
			"param long ~ normal(\n0, 1) // of two"},
		{"typing at its end", line, replPrompt, "param long ~ normal(\n0, 1) // of two" + line},
		{"a menu above", "\x05\x15\x0clet x = " + strings.Repeat("0 + ", 30) + "inv_logit\t",
			"inv_logit  (x)\n" + replPrompt, "let x = " + strings.Repeat("0 + ", 30) + "inv_logit"},
	}
	for _, width := range []int{80, 60} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			p := startRepl(t, replFiles(t), width)
			p.press(pasted("param long ~ normal(\n0, 1) // of two\n"))
			p.ready(2)
			above := p.Text()
			p.press("\x0c")
			for _, step := range steps {
				if strings.Contains(step.keys, "\x0c") {
					above = "" // another screen begins: only what is on it counts
				}
				p.press(step.keys)
				want := above + rowsOf(step.prompt, step.line, width)
				if err := p.Wait(step.what, func(all, _ string) bool {
					all = strings.TrimRight(all, "\n")
					return all == want || above == "" && strings.HasSuffix(all, "\n"+want)
				}); err != nil {
					t.Fatalf("%v\nnot:\n%s", err, want)
				}
			}
		})
	}
}

// rowsOf lays out a text of characters of one column, as on a terminal, without blanks at the ends of rows.
func rowsOf(prompt, text string, width int) string {
	var rows []string
	for row := range strings.SplitSeq(prompt+strings.ReplaceAll(text, "\n", "\n...> "), "\n") {
		for ; len(row) > width; row = row[width:] {
			rows = append(rows, strings.TrimRight(row[:width], " "))
		}
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return strings.Join(rows, "\n")
}

// What is typed ahead of a command of the shell is the command's, and then the prompt's.
func TestReplTypeAhead(t *testing.T) {
	t.Parallel()
	p := startRepl(t, replFiles(t), 80)
	p.press("!echo ready; read x; echo \"got $x\"\r")
	if err := p.WaitFor("\nready"); err != nil {
		t.Fatal(err)
	}
	p.press("ahead\nparam m ~ normal(0, 1)\n")
	if err := p.WaitFor("got ahead"); err != nil {
		t.Fatal(err)
	}
	if err := p.WaitFor("m : real ~ normal(0, 1) @ server"); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C stops a fit, which keeps its draws, and the session goes on. A kill in a fit loses neither the model
// nor what was typed.
func TestReplStopsAndRecovers(t *testing.T) {
	t.Parallel()
	dir := replFiles(t)
	p := startRepl(t, dir, 80)
	// two hundred parameters, so that there are thousands of draws in a second and not a million
	for _, unit := range []string{"data died : binary[N]", "param m ~ normal(0, 1)",
		"param w : real[200] ~ normal(0, 1)", "died ~ bernoulli_logit(m + mean(w))", ":data server = y.csv"} {
		p.ask(unit)
	}
	before := prompts(p.Text())
	p.fit(longFit, 150)
	p.press("\x03")
	p.ready(before + 1)
	if got := p.ask("m"); !strings.Contains(got, "mcse") {
		t.Errorf("no draws after an interrupt:\n%s", p.Text())
	}
	p.fit(longFit, 150)
	p.Cmd.Process.Signal(syscall.SIGKILL)
	p.End()
	again := startRepl(t, dir, 80)
	if !strings.Contains(again.Text(), "4 statements of an earlier session were not saved") {
		t.Errorf("nothing is left:\n%s", again.Text())
	}
	again.keys("\x1b[A", replPrompt+longFit)
	again.keys("\x03", "vfl>")
	again.ask(":recover")
	if got := again.ask(":model"); !strings.Contains(got, "died ~ bernoulli_logit(m + mean(w))") {
		t.Error(got)
	}
	if info, err := os.Stat(filepath.Join(dir, "state", "vflc", "history.jsonl")); err != nil ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("the history: %v, %v", info.Mode(), err)
	}
}

// What a session has done leaves no goroutine behind: after fits, one of them interrupted, questions, plots,
// completion and the shell there are those that a session has that has done nothing.
func TestReplLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	idle, busy := startRepl(t, replFiles(t), 80), startRepl(t, replFiles(t), 80)
	for _, unit := range []string{
		"client a", "data died : binary[N] @ shared", "data X : real[N, P] @ a from zscore(age)",
		"param m ~ normal(0, 1)", "param w : real[P] ~ normal(0, 1) @ a",
		"param many : real[200] ~ normal(0, 1)",
		"died ~ bernoulli_logit(m + X * w + mean(many))", ":data server = y.csv key patient",
		":data a = a.csv", ":fit chains=2 warmup=50 draws=50", "exp(m)", ":prior m", ":plot m trace", "!true",
	} {
		busy.ask(unit)
	}
	n := prompts(busy.Text())
	busy.fit(longFit, 150)
	busy.press("\x03")
	busy.ready(n + 1)
	busy.ask("m") // the prompt may come before the draws are summarised; who asks for them waits for that
	busy.shows("?bernou\t\t", "bernoulli_logit")
	busy.keys("\x03", replPrompt)
	want, got := idle.goroutines(), busy.goroutines()
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("goroutines of a session that has done nothing (-) and of one that has worked (+):\n%s",
			diff)
	}
}

// goroutines ends a session with what Go prints of its goroutines, and returns where they were started.
func (p *prompt) goroutines() []string {
	p.t.Helper()
	p.Cmd.Process.Signal(syscall.SIGQUIT)
	p.End() // its error is that it was killed
	var out []string
	for _, m := range started.FindAllStringSubmatch(p.Raw(), -1) {
		if !strings.HasPrefix(m[1], "runtime.") { // the collector starts when it is first needed
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return out
}

var started = regexp.MustCompile(`created by (\S+)`)

// A session in a pipe answers the same units; --bail and -c end with the exit code of the first error.
func TestReplInAPipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args  []string
		input string
		code  int
		out   string
	}{
		{nil, "param m ~\n  normal(0, 1)\nm\n:nothing\n:quit\nm\n", 0,
			"m : real ~ normal(0, 1) @ server\nm : real ~ normal(0, 1) @ server\n"},
		{[]string{"--bail"}, "1 + 1\nparam m ~ norml(0, 1)\n2 + 2\n", 1, "2  @ shared\n"},
		{[]string{"--bail"}, ":nothing\n1\n", 2, ""},
		{[]string{"-c", "param m ~ normal(0, 1)", "-c", ":prior m > 0", "-c", ":fit x=1"}, "", 2, ""},
		{[]string{"nothing.vfl"}, "1\n", 1, ""},
	} {
		cmd := exec.Command(program(t), append([]string{"repl"}, c.args...)...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+cmd.Dir)
		cmd.Stdin = strings.NewReader(c.input)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != c.code || c.out != "" && out.String() != c.out {
			t.Errorf("%q with %q: exit code %d, want %d; output:\n%s\n%s", c.args, c.input, got, c.code,
				out.String(), errs.String())
		}
	}
}
