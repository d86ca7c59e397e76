package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/vflc/vflc/tests/console"
)

// drawnOver returns the lines that were drawn so far and can be drawn over: those of progress. The last one
// may not be whole and is left out.
func drawnOver(c *console.Console) []string {
	parts := strings.Split(c.Raw(), "\x1b[K")
	if len(parts) < 3 {
		return nil
	}
	var out []string
	for _, p := range parts[1 : len(parts)-1] {
		if end := strings.IndexAny(p, "\r\n\x1b"); end >= 0 {
			p = p[:end]
		}
		out = append(out, p)
	}
	return out
}

// until waits for so many lines of progress, or the end of the program.
func until(t *testing.T, c *console.Console, n int) []string {
	t.Helper()
	var out []string
	err := c.Wait(fmt.Sprintf("%d lines of progress", n), func(string, string) bool {
		out = drawnOver(c)
		return len(out) >= n
	})
	if err != nil && c.Running() {
		t.Fatal(err)
	}
	return out
}

// fitColumns requires that lines fit a terminal and say how far the program is. A character in the last
// column would move the cursor to the next row on some.
func fitColumns(t *testing.T, lines []string, columns int) {
	t.Helper()
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n >= columns {
			t.Errorf("%d columns: a line of %d: %q", columns, n, line)
		}
		if line != "" && !strings.Contains(line, "/") {
			t.Errorf("%d columns: %q", columns, line)
		}
	}
}

// watch starts a program on a terminal, makes the terminal narrower while it runs, and requires that progress
// fits both. perDraw lines are drawn at a time.
func watch(t *testing.T, columns, perDraw int, cmd *exec.Cmd) {
	t.Helper()
	const narrow = 40
	cmd.Env = append(os.Environ(), "CI=")
	c, err := console.Start(cmd, columns, 24)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	wide := until(t, c, perDraw)
	if len(wide) == 0 {
		t.Fatalf("no progress: %q", c.Raw())
	}
	if err := c.Resize(narrow, 24); err != nil {
		t.Fatal(err)
	}
	now := len(drawnOver(c))
	fitColumns(t, wide, columns)
	lines := until(t, c, now+4*perDraw)
	if from := now + 2*perDraw; from < len(lines) { // one drawing may have begun before
		fitColumns(t, lines[from:], narrow)
	} else if perDraw > 1 {
		t.Errorf("%d lines after the terminal became narrower", len(lines)-now)
	}
	cmd.Process.Signal(unix.SIGINT)
	c.End() // interrupted: its exit code says so
}

// terminalModel writes a model with data of some rows to a folder.
func terminalModel(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("y,x\n")
	for i := range rows {
		fmt.Fprintf(&table, "%d,%g\n", i%2, float64(i%17)/17)
	}
	for name, text := range map[string]string{
		"m.vfl": "data y : binary[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam u ~ normal(0, " +
			"1)\ny ~ bernoulli_logit(b + x * u)\n",
		"data.csv": table.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Progress fits terminals of 60, 80 and 200 columns, and ones that become narrower while it is shown.
func TestProgressFitsATerminal(t *testing.T) {
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := terminalModel(t, 3000)
	made := exec.Command(program, "run", "m.vfl", "--data", "data.csv", "--quiet", "-o", "out", "--chains",
		"2", "--warmup", "100", "--draws", "500")
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, c := range map[string]struct {
		perDraw int
		args    []string
	}{
		"nuts": {4, []string{"run", "m.vfl", "--data", "data.csv", "--draws", "1000000"}},
		"sfvi": {1, []string{"run", "m.vfl", "--data", "data.csv", "--backend", "sfvi", "--iterations",
			"10000000"}},
		"loo": {1, []string{"loo", "out"}},
	} {
		for _, columns := range []int{60, 80, 200} {
			t.Run(fmt.Sprint(name, " ", columns), func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(program, c.args...)
				cmd.Dir = dir
				watch(t, columns, c.perDraw, cmd)
			})
		}
	}
}
