//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/tests/console"
)

const replPrompt = "vfl> "

// A prompt is a session at a terminal.
type prompt struct {
	*console.Console
	t   *testing.T
	dir string
}

// startRepl starts a session in a folder, with the history and journals of that folder.
func startRepl(t *testing.T, dir string, width int, args ...string) *prompt {
	t.Helper()
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"repl"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "PAGER=cat", "CI=", "NO_COLOR=1",
		"EDITOR=sh edit.sh", "VISUAL=")
	c, err := console.Start(cmd, width, 24)
	if err != nil {
		t.Fatal(err)
	}
	p := &prompt{c, t, dir}
	t.Cleanup(func() {
		c.Close()
		for _, fault := range []string{"DATA RACE", "panic:"} {
			if strings.Contains(c.Raw(), fault) {
				t.Errorf("%s:\n%s", fault, c.Text())
			}
		}
	})
	p.ready(1)
	return p
}

// prompts counts the prompts that have been shown.
func prompts(text string) int { return strings.Count("\n"+text, "\n"+strings.TrimSpace(replPrompt)) }

// ready waits for the n-th prompt, with nothing typed.
func (p *prompt) ready(n int) {
	p.t.Helper()
	if err := p.Wait("a prompt", func(text, line string) bool {
		return prompts(text) == n && line == replPrompt
	}); err != nil {
		p.t.Fatal(err)
	}
}

// keys types keys and waits until the line of the cursor is a text.
func (p *prompt) keys(keys, line string) {
	p.t.Helper()
	p.press(keys)
	if err := p.Wait(line, func(_, at string) bool {
		return strings.TrimRight(at, " ") == strings.TrimRight(line, " ")
	}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *prompt) press(keys string) {
	p.t.Helper()
	if err := p.Type(keys); err != nil {
		p.t.Fatal(err)
	}
}

// ask types a line and waits for the next prompt.
func (p *prompt) ask(line string) string {
	p.t.Helper()
	before := p.Text()
	p.press(line + "\r")
	p.ready(prompts(before) + 1)
	return p.Text()[len(strings.TrimRight(before, " \n")):]
}

// fit begins a fit by a command and waits until each of its chains has made so many transitions. That a chain
// samples says nothing of the others, which share its cores.
func (p *prompt) fit(command string, transitions int) {
	p.t.Helper()
	before := len(p.Text())
	p.press(command + "\r")
	if err := p.Wait(fmt.Sprint(transitions, " transitions of each chain"), func(text, _ string) bool {
		made := map[string]int{}
		for _, m := range chainProgress.FindAllStringSubmatch(text[min(before, len(text)):], -1) {
			n, _ := strconv.Atoi(m[2])
			made[m[1]] = max(made[m[1]], n)
		}
		for _, n := range made {
			if n < transitions {
				return false
			}
		}
		return len(made) == replChains
	}); err != nil {
		p.t.Fatal(err)
	}
}

const (
	longFit    = ":fit warmup=50 draws=100000"   // of hundreds of parameters it takes minutes
	longerFit  = ":fit warmup=100 draws=5000000" // and this one of two
	replChains = 4
)

var chainProgress = regexp.MustCompile(`(?m)^chain (\d+) \S* +(\d+)/`)

// pasted is a text as a terminal sends it that marks what is pasted.
func pasted(text string) string {
	return "\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~"
}

var (
	number = regexp.MustCompile(`[-+−]?[0-9][0-9.,]*(e[-+−]?[0-9]+)?(µs|ms|s|m)?`)
	drawn  = regexp.MustCompile(
		`[ ┼┤┊│╌─━●▏▎▍▌▋▊▉█\x{2800}-\x{28ff}]*[┼┤┊│╌─━●▏▎▍▌▋▊▉█\x{2800}-\x{28ff}][ ┼┤┊│╌─━●▏▎▍▌▋▊▉█\x{2800}-\x{28ff}]*`,
	)
	digest = regexp.MustCompile(`[0-9a-f]{64}`)
	spaces = regexp.MustCompile(`[ #]*#[ #]*|  +`)
	pieces = regexp.MustCompile(`[-+.0-9#]*#[-+.0-9#]*`) // of a number that the end of a line divides
	// lines of a curve, some of which begin with the number of a tick
	spot = regexp.MustCompile(`(?m)^( *(# )?~ *\n)+`)
)

// elided leaves out of a transcript what may differ between two runs: numbers, the width of their columns,
// and the curves of plots.
func elided(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "vflc ") && strings.Contains(line, " go1") {
			line = "vflc VERSION"
		}
		if strings.HasPrefix(line, replPrompt) || strings.HasPrefix(line, "...> ") {
			out = append(out, strings.TrimRight(line, " "))
			continue
		}
		if i := strings.Index(line, " mcse"); i > 0 && strings.HasPrefix(line, "parameter ") {
			line = line[:i] + " mcse …" // the other columns depend on the width of numbers
		}
		if strings.HasPrefix(line, "chain ") && strings.Contains(line, "━") {
			line = "chain #" // how much of the progress there is room for depends on its numbers
		}
		line = digest.ReplaceAllString(line, "#")
		line = drawn.ReplaceAllString(line, "~")
		line = number.ReplaceAllString(line, "#")
		line = spaces.ReplaceAllStringFunc(line, func(s string) string {
			if strings.Contains(s, "#") {
				return " # "
			}
			return "  "
		})
		out = append(out, strings.TrimRight(line, " "))
	}
	return spot.ReplaceAllString(strings.Join(out, "\n"), "~\n")
}

// answers divides a transcript at its prompts, and joins the lines of each answer, whose breaks depend on the
// width of numbers; the lines of a comparison come in an order that depends on them.
func answers(text string) []string {
	var out []string
	for _, a := range strings.Split("\n"+text, "\n"+strings.TrimSpace(replPrompt)) {
		if strings.HasPrefix(a, " :compare") {
			lines := strings.Split(a, "\n")
			slices.Sort(lines)
			a = strings.Join(lines, "\n")
		}
		blank := " "
		if strings.Contains(a, `{"answer"`) {
			blank = "" // lines of JSON are broken anywhere
		}
		// what a table has no room for depends on its numbers
		a = strings.Join(strings.Fields(strings.ReplaceAll(a, " …", "")), blank)
		out = append(out, pieces.ReplaceAllString(a, "#"))
	}
	return out
}

// differ compares two transcripts whose numbers are left out.
func differ(want, got string) string { return cmp.Diff(answers(want), answers(got)) }

// golden compares a transcript with that of testdata/repl.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "repl", name)
	want, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	switch diff := differ(string(want), got); {
	case diff == "":
	case *update: // and not where numbers differ alone
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s (-want +got); go test ./cmd/vflc -run Repl -update writes it:\n%s", path, diff)
	}
}

// replFiles are the tables and scripts that a session works on: two clients whose rows are in other orders,
// one of which has rows of its own.
func replFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range replFixture() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func replFixture() map[string]string {
	var a, b, y strings.Builder
	a.WriteString("patient,age,sex\n")
	b.WriteString("patient,dose,site\n")
	y.WriteString("patient,died\n")
	const n = 60
	for i := range n {
		k := i * 37 % n // another order
		a.WriteString(line("p%03d,%d,%s\n", k, 40+k*7%35, []string{"f", "m"}[k*5%7%2]))
		y.WriteString(line("p%03d,%d\n", i, i*i%11%2))
	}
	for i := range n + 5 {
		k := (i*23 + 4) % (n + 5)
		b.WriteString(line("p%03d,%.1f,%s\n", k, float64(k*13%29)/10,
			[]string{"north", "south", "west"}[k*11%13%3]))
	}
	return map[string]string{
		"a.csv": a.String(), "b.csv": b.String(), "y.csv": y.String(),
		"script":  ":priors\n",
		"edit.sh": "sed -i 's/normal(0, 2)/normal(0, 3)/' \"$1\"\n",
	}
}

func line(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// model is what is pasted: tabs and comments stay as they are.
const replModel = "// deaths\nclient a, b\ndata died : binary[N] @ shared\n" +
	"data XA : real[N, PA] @ a from zscore(age),\tonehot(sex, drop=first)\n" +
	"data site : level(S)[N] @ b\n\n" +
	"param m ~ normal(0, 2)\nparam beta : real[PA] ~ normal(0, 1) @ a\n" +
	"param u : real[S] ~ normal(0, 1) @ b\n" +
	"died ~ bernoulli_logit(m + XA * beta + u[site])\ntransform augmented(rho = 0.5)\n"

// A session goes through everything that a prompt is for, at two widths.
func TestReplTranscript(t *testing.T) {
	for _, width := range []int{80, 60} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			p := startRepl(t, replFiles(t), width)
			for _, unit := range []string{
				"client a, b", ":data a = a.csv key patient", ":data b = b.csv", ":data server = y.csv",
				":rows", ":rows intersect",
				"data died : binary[N] @ shared",
				"data XA : real[N, PA] @ a from zscore(age), onehot(sex, drop=first)",
			} {
				p.ask(unit)
			}
			p.press("param m ~ normal(\r") // an open bracket goes on
			if err := p.Wait("...> ", func(_, line string) bool { return line == "...> " }); err != nil {
				t.Fatal(err)
			}
			n := prompts(p.Text())
			p.press("\x03") // given up
			p.ready(n + 1)
			p.ask("param m ~ norml(0, 2)")
			p.keys("\x1b[A", "vfl> param m ~ norml(0, 2)") // the line comes back
			for range len("l(0, 2)") {
				p.press("\x1b[D")
			}
			p.ask("a")
			for _, unit := range []string{
				"param beta : real[PA] ~ normal(0, 1) @ a", "param u : real[S] ~ normal(0, 0.3) @ b",
				"data site : level(S)[N] @ b", "param u : real[S] ~ normal(0, 0.3) @ b",
				"died ~ bernoulli_logit(m + XA * beta + u[site])", "transform augmented(rho = 0.5)",
				"param m ~ normal(0, 1)", ":undo", ":redo", ":undo",
				"?bernoulli_logit", "?V0390", "?V039", ":type XA * beta", ":owners died", ":owners XA * beta",
				":split a", ":split", ":audit",
				":model", ":priors", ":prior inv_logit(m + u[site])", ":prior exp(m)",
				":fit warmup=200 draws=600", ":summary beta", "beta", "u[1]", "u[north]",
				"P(beta[1] > u[south])", "mean(exp(m))", "quantile(m, 0.9)", "let or = exp(beta)", "or",
				":plot beta", ":plot m trace", ":plot m histogram", ":plot m density > m.svg", ":plot elbo",
				":plot m violin",
				`:ppc died --stat "mean(died == 0)"`, ":ppc --prior", ":loo", ":predict --audit",
				":diagnose", "died ~ bernoulli_logit(m + u[site])", "m", ":fit warmup=200 draws=600 as small",
				":compare fit1 small", ":fits", ":fits fit1",
				":undo", ":head a", ":describe dose", ":describe sex", ":export out.csv", ":save saved",
				":edit", ":reload", ":time m", ":set json on", "m", "P(m > 0)", ":nothing", ":set json off",
				":script script", ":history or", "!echo shell", ":help fit draws", ":pcc y", ":demo",
				":open nothing", ":recover",
			} {
				p.ask(unit)
			}
			golden(t, fmt.Sprintf("transcript-%d.golden", width), elided(p.Text()))
			p.press(":quit\r")
			if err := p.End(); err != nil {
				t.Error(err)
			}
			if u := p.Unknown(); u != nil {
				t.Errorf("sequences that no terminal of the tests knows: %q", u)
			}
		})
	}
}
