package repl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/repl/term"
)

// A talk is a session whose answers are text.
type talk struct {
	*Session
	t   *testing.T
	out bytes.Buffer
}

func begin(t *testing.T) *talk {
	k := &talk{t: t}
	k.Session = New(Config{Out: &k.out, Verbs: []Verb{{Usage: "summary RUN [PARAMETER…]"},
		{Usage: "plot RUN [RUN…] [KIND]"}}})
	return k
}

// ask evaluates a unit that must be answered without an error.
func (k *talk) ask(unit string) string {
	k.t.Helper()
	k.out.Reset()
	if err := k.Eval(context.Background(), unit); err != nil {
		k.t.Fatalf("%s: %v", unit, err)
	}
	return k.out.String()
}

// fails evaluates a unit that must fail.
func (k *talk) fails(unit string) *Failure {
	k.t.Helper()
	k.out.Reset()
	err := k.Eval(context.Background(), unit)
	var f *Failure
	if !errors.As(err, &f) {
		k.t.Fatalf("%s: %v, %s", unit, err, k.out.String())
	}
	return f
}

// typedPath is a path as one types it that may have blanks.
func typedPath(path string) string { return `"` + path + `"` }

// withData is a session with a model and its table: 8 observations of a normal mean.
func withData(t *testing.T) *talk {
	path := filepath.Join(t.TempDir(), "y.csv")
	if err := os.WriteFile(path, []byte("y\n1\n2\n3\n2\n1\n3\n2.5\n1.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := begin(t)
	k.ask("data y : real[N]\nparam b ~ normal(0, 10)\nparam s ~ half_normal(2)\ny ~ normal(b, s)")
	k.ask(":data server = " + typedPath(path))
	return k
}

// A pasted text is kept byte for byte, wherever its statements end.
func TestTextIsKept(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		filler := rapid.SampledFrom([]string{"", " ", "\t", "\n", "// comment ~ ; \n", "/* two\nlines */ ",
			";", "\n\n"})
		names := rapid.IntRange(1, 6).Draw(rt, "statements")
		for i := range names {
			b.WriteString(filler.Draw(rt, "before"))
			fmt.Fprintf(&b, "param p%d%s~ normal(0,\t%d)", i,
				rapid.SampledFrom([]string{" ", "\n", " /* x */ "}).Draw(rt, "inside"), i+1)
			b.WriteString(filler.Draw(rt, "behind") + "\n")
		}
		k := &talk{t: t}
		k.Session = New(Config{Out: &k.out, Verbs: []Verb{{Usage: "summary RUN [PARAMETER…]"},
			{Usage: "plot RUN [RUN…] [KIND]"}}})
		if err := k.Eval(context.Background(), b.String()); err != nil {
			rt.Fatal(err)
		}
		if got := k.now.text(); got != b.String() {
			rt.Fatalf("%q became %q", b.String(), got)
		}
		if n := len(k.now.Statements); n != names {
			rt.Fatalf("%d statements of %d", n, names)
		}
	})
}

// Undo and redo step through states, which no later change alters.
func TestUndoIsAStepBack(t *testing.T) {
	k := begin(t)
	units := []string{"client a", "param b ~ normal(0, 1)", "param u ~ normal(0, 1) @ a",
		"param b ~ normal(0, 2)", ":drop u", ":key id", ":rows intersect"}
	states := []string{snapshot(k.now)}
	for _, u := range units {
		if strings.HasPrefix(u, ":rows") {
			_ = k.Eval(context.Background(), u) // there are no tables to count, and the setting is kept
		} else {
			k.ask(u)
		}
		states = append(states, snapshot(k.now))
	}
	for i := len(units) - 1; i >= 0; i-- {
		k.ask(":undo")
		if got := snapshot(k.now); got != states[i] {
			t.Errorf("undo of %s gives %s, want %s", units[i], got, states[i])
		}
	}
	k.fails(":undo")
	for i := range units {
		k.ask(":redo")
		if got := snapshot(k.now); got != states[i+1] {
			t.Errorf("redo of %s gives %s, want %s", units[i], got, states[i+1])
		}
	}
	k.fails(":redo")
}

func snapshot(s *state) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Errors name the place in what was typed, and leave the model as it was.
func TestErrorsAreAboutTheInput(t *testing.T) {
	k := begin(t)
	k.ask("param b ~ normal(0, 1)\nlet c = 2 * b")
	before := k.now
	for unit, column := range map[string]int{
		"param x ~ normal(0, nothing)": 21, "let y = b +\n  nothing": 3, "exp(b + nothing)": 9,
		"b + c + nothing": 9, "param b ~ normal(0, sd)": 21, ":type c * nothing": 5,
	} {
		f := k.fails(unit)
		if len(f.Diagnostics) != 1 {
			t.Fatalf("%s: %v", unit, f)
		}
		d := f.Diagnostics[0]
		if d.File.Name != inputName || d.File.Position(d.Span.Start).Column != column {
			t.Errorf("%s: %s:%d, want column %d", unit, d.File.Name, d.File.Position(d.Span.Start).Column,
				column)
		}
		if k.now != before {
			t.Errorf("%s has changed the model", unit)
		}
	}
}

var estimateIn = regexp.MustCompile(`= (-?[0-9.]+) ± ([0-9.e-]+)`)

// Numbers over draws agree with each other and with the posterior that is known: the mean is within Monte
// Carlo error of that of the normal posterior, of which P and quantile are functions.
func TestAnswersAreMathematics(t *testing.T) {
	k := withData(t)
	k.ask("param s ~ half_normal(1)")
	k.ask("y ~ normal(b, 1)")
	k.ask(":drop s")
	k.ask(":fit draws=1000 warmup=500")
	sd := 1 / math.Sqrt(8+0.01)
	mean := 16.0 * sd * sd
	for question, want := range map[string]float64{
		"mean(b)": mean, "sd(b)": sd, "var(b)": sd * sd, "median(b)": mean,
		"quantile(b, 0.841345)": mean + sd, "P(b > 2)": 0.5 * math.Erfc((2-mean)/sd/math.Sqrt2),
		"mean(exp(b))": math.Exp(mean + sd*sd/2), "mean((b - 2)^2)": sd*sd + (mean-2)*(mean-2),
		"P(b > 1.5 && !(b > 2.5))": math.Erf(0.5/sd/math.Sqrt2) - 0.001,
	} {
		m := estimateIn.FindStringSubmatch(k.ask(question))
		if m == nil {
			t.Fatalf("%s: %s", question, k.out.String())
		}
		got, _ := strconv.ParseFloat(m[1], 64)
		se, _ := strconv.ParseFloat(m[2], 64)
		if !(math.Abs(got-want) < 5*se) {
			t.Errorf("%s is %v ± %v, want %v", question, got, se, want)
		}
	}
	if got := k.ask("b"); !strings.Contains(got, "server") || !strings.Contains(got, "mcse") {
		t.Errorf("no owner or no error in:\n%s", got)
	}
}

// A fit answers from the model that it was made with; a let that nothing uses changes no posterior, and one
// that a likelihood uses does.
func TestFitsKeepTheirModel(t *testing.T) {
	k := withData(t)
	k.ask(":fit draws=200 warmup=200")
	before := k.ask("exp(b)")
	if got := k.ask("let twice = 2 * b"); strings.Contains(got, "differs") {
		t.Error(got)
	}
	if got := k.ask("twice"); !strings.Contains(got, "twice") || strings.Contains(got, "differs") {
		t.Error(got)
	}
	if got := k.ask("y ~ normal(twice, s)"); !strings.Contains(got,
		"fit1: of a model that differs in y, twice") {
		t.Error(got)
	}
	if got := k.ask("exp(b)"); !strings.HasPrefix(got, strings.TrimRight(before, "\n")) ||
		!strings.Contains(got, "differs in y, twice") {
		t.Errorf("%s\nwas\n%s", got, before)
	}
	k.ask(":fit draws=200 warmup=200")
	k.ask("let twice = 3 * b")
	if got := k.ask("b"); !strings.Contains(got, "fit2 is of a model that differs in twice") {
		t.Error(got)
	}
}

// twoTables is a session with two tables of words whose rows differ, nothing declared but the client.
func twoTables(t *testing.T) *talk {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "id_of,sex,ward\n4,f,south\n2,m,north\n3,m,south\n1,f,north\n5,f,south\n",
		"y.csv": "id_of,died\n1,yes\n2,no\n3,yes\n4,no\n6,no\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := begin(t)
	k.ask("client a")
	k.ask(":data a = " + typedPath(filepath.Join(dir, "a.csv")))
	k.ask(":data server = " + typedPath(filepath.Join(dir, "a.csv")))
	if got := k.ask(":data server = " + typedPath(filepath.Join(dir, "y.csv"))); !strings.Contains(got,
		"server was: "+filepath.Join(dir, "a.csv")) || !strings.Contains(got, ":key id_of joins the rows") {
		t.Errorf("a table in place of another, and no key:\n%s", got)
	}
	return k
}

// Whoever has two tables is told the next line to type, in the words of the prompt.
func TestTablesAreJoinedStepByStep(t *testing.T) {
	k := twoTables(t)
	if got := k.ask(`data died : binary[N] @ shared`); !strings.Contains(got, `from is(died, "WORD")`) {
		t.Errorf("words in place of 0 and 1:\n%s", got)
	}
	k.ask(`data died : binary[N] @ shared from is(died, "yes")`)
	k.ask("data X : real[N, P] @ a from onehot(sex, drop=first), onehot(ward)\nparam beta : real[P] ~ " +
		"normal(0, 1) @ a\ndied ~ bernoulli_logit(X * beta)")
	if f := k.fails(":fit"); !strings.Contains(k.typed(f.Error()), ":key id_of") {
		t.Errorf("no key: %v", f)
	}
	if got := k.ask(":rows"); !strings.Contains(got, ":key id_of") || strings.Contains(got, "--key") {
		t.Errorf("no key:\n%s", got)
	}
	k.ask(":key id_of")
	var b strings.Builder
	k.Show(&b, k.fails(":fit"))
	if got := b.String(); !strings.Contains(got, ":rows intersect") || strings.Contains(got, "--rows") {
		t.Errorf("different rows:\n%s", got)
	}
	k.ask(":rows intersect")
	k.ask(":fit chains=2 warmup=50 draws=50")
}

// Elements of expressions have the labels of the parameters whose sizes they have, and answer to them; a
// category alone names its element.
func TestLabelsOfExpressions(t *testing.T) {
	k := twoTables(t)
	for _, unit := range []string{
		":key id_of", ":rows intersect", `data died : binary[N] @ shared from is(died, "yes")`,
		"data X : real[N, P] @ a from onehot(sex, drop=first), onehot(ward)",
		"param m ~ normal(0, 1)", "param beta : real[P] ~ normal(0, 1) @ a",
		"died ~ bernoulli_logit(m + X * beta)", ":fit chains=2 warmup=50 draws=50", "let odds = exp(beta)",
	} {
		k.ask(unit)
	}
	for unit, want := range map[string]string{
		"exp(beta)":                "exp(beta)[ward=south] ",
		"odds":                     "odds[ward=north] ",
		"odds[north]":              "odds[ward=north] ",
		"log(odds[3])":             "log(odds[ward=south]) ",
		"beta[south]":              "beta[ward=south] ",
		"P(beta[m] > beta[north])": "P(beta[sex=m] > beta[ward=north]) = ",
		"mean(exp(beta))":          "mean(exp(beta))[sex=m] = ",
		":prior exp(beta)":         "exp(beta)[sex=m] ",
		"exp(m)":                   "exp(m) ",
		"P(beta[1 + 1] > 0)":       "P(beta[1 + 1] > 0) = ",
	} {
		if got := k.ask(unit); !strings.Contains(got, want) {
			t.Errorf("%s has no %q:\n%s", unit, want, got)
		}
	}
	one, two := k.ask("mean(log(odds[north]))"), k.ask("mean(beta[2])")
	if _, a, _ := strings.Cut(one, " = "); !strings.HasSuffix(two, a) {
		t.Errorf("a let and the parameter it is made of:\n%s%s", one, two)
	}
	for unit, want := range map[string]string{
		"beta[sout]":     "did you mean",
		"P(odds[f] > 0)": "odds has no element f (it has: sex=m, ward=north, ward=south)",
	} {
		if got := k.fails(unit).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", unit, got)
		}
	}
}

// A setting of a fit that is written elsewhere, or in another form, is answered with the line to write.
func TestSettingsAtThePromptNameTheWay(t *testing.T) {
	k := withData(t)
	for unit, want := range map[string]string{
		":set chains 2":      ":fit chains=2",
		":set chains=2":      ":fit chains=2",
		":fit chains 2":      ":fit chains=2",
		":fit iterations=10": ":fit sfvi iterations=10",
	} {
		if got := k.fails(unit).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", unit, got)
		}
	}
}

// JSON answers are one line each, of valid JSON with its kind.
func TestAnswersAsJSON(t *testing.T) {
	k := withData(t)
	k.ask(":set json on")
	for _, unit := range []string{":fit draws=100 warmup=100", "b", "P(b > 0)", "exp(b)",
		":data", ":rows", ":model", ":priors", ":prior b", ":type b", ":owners y", ":help",
		"?normal", ":fits", "1 + 1"} {
		for line := range strings.Lines(k.ask(unit)) {
			var a struct{ Answer string }
			if err := json.Unmarshal([]byte(line), &a); err != nil || a.Answer == "" {
				t.Errorf("%s: %v: %s", unit, err, line)
			}
		}
	}
}

// A unit goes on where it cannot end.
func TestMore(t *testing.T) {
	for text, want := range map[string]bool{
		"param b ~ normal(": true, "param b ~": true, "let x = a +": true, "data X : real[N,": true,
		"client a,": true, "param b ~ normal(0, 1)": false, "b": false,
		":fit (": false, "?normal(": false, "!echo (": false, "// comment (": false, "/* open": true,
		"/* closed */": false, "": false, "f(\"(\")": false, "let x = a // +": false,
	} {
		if got := More(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// Scripts divide into the units that a person would type.
func TestUnits(t *testing.T) {
	script := "client a\n\ndata X : real[N, P] @ a\n  from zscore(x),\n  zscore(z)\n:fit draws=1\nb\nparam " +
		"b ~ normal(\n0, 1)\n// end\n:quit"
	want := []string{"client a\n", "data X : real[N, P] @ a\n  from zscore(x),\n  zscore(z)\n",
		":fit draws=1\n", "b\n", "param b ~ normal(\n0, 1)\n", "// end\n", ":quit"}
	if got := Units(script); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	mixed := pieces("client a\n:rows\nlet x = f(\n:y)\n?normal\n")
	if len(mixed) != 4 || mixed[0].mark != 0 || mixed[1].text != "rows" ||
		mixed[2].text != "let x = f(\n:y)\n" || mixed[3].mark != '?' {
		t.Errorf("%+v", mixed)
	}
}

// Every command has a page, and its values can be listed at any time.
func TestCommandsAreDescribed(t *testing.T) {
	k := begin(t)
	for _, c := range ownCommands() {
		if c.doc == "" || !strings.Contains(k.ask(":help "+c.name), c.doc) {
			t.Errorf(":%s has no help", c.name)
		}
		if c.values != nil {
			c.values(k.Session, nil)
		}
	}
	for text, want := range map[string]string{":fi": "fit", ":fit sf": "sfvi", "param b ~ norm": "normal",
		"data y : real[N] @ sh": "shared", "let x = ex": "exp", "?V039": "V0390", "par": "param",
		"data X : real[N] from zs": "zscore"} {
		list, start := k.Complete(text, len(text))
		if !slices.ContainsFunc(list, func(c term.Candidate) bool {
			return c.Text == want
		}) || !strings.HasPrefix(want, text[start:]) {
			t.Errorf("%q completes to %v from %d", text, list, start)
		}
	}
}

// What vflc run takes beside the settings of a backend, :fit takes too: the posterior is that of the model
// that they choose, and the record says so.
func TestFitsTakeChoices(t *testing.T) {
	k := withData(t)
	k.ask("const scale = 10\nparam b ~ normal(0, scale)")
	k.ask(":fit draws=400 warmup=300 as wide seed=3")
	wide := mean(t, k, "b")
	k.ask(":fit draws=400 warmup=300 set=scale=0.1 as narrow transform=none")
	if narrow := mean(t, k, "b"); !(math.Abs(narrow) < 0.5 && wide > 1.5) {
		t.Errorf("b is %g with a prior of sd 10, and %g with one of sd 0.1", wide, narrow)
	}
	if got := k.ask("mean(scale + 0 * b)"); !strings.Contains(got, "= 0.1") {
		t.Errorf("an expression over a fit has another scale than the fit: %s", got)
	}
	k.ask(":fit --draws 400 --warmup 300 prior-only=true as prior set=scale=2")
	if got := spread(t, k, "b"); math.Abs(got-2) > 0.3 { // MCSE about 0.04
		t.Errorf("the sd of b is %g under its prior, normal(0, 2)", got)
	}
	if c := strings.Join(k.current.Record.Command, " "); !strings.Contains(c, "--prior-only=true") ||
		!strings.Contains(c, "--set=scale=2") || !strings.Contains(c, "--draws=400") {
		t.Errorf("the command that repeats it: %s", c)
	}
	for text, want := range map[string]string{
		":fit transform=e": "exact", ":fit accept=label-leak,g": "gradient-leak", ":fit prior-only=t": "true",
		":fit tran": "transform=", ":fit metric=d": "dense", ":plot wi": "wide", ":summary na": "narrow",
	} {
		switch list, _ := k.Complete(text, len(text)); {
		case !slices.ContainsFunc(list, func(c term.Candidate) bool { return c.Text == want }):
			t.Errorf("%q completes to %v, not %s", text, list, want)
		}
	}
	for line, want := range map[string]string{"plot wide narrow b forest > a.svg": "plot wide narrow b forest " +
		"--output a.svg", "summary b": "summary prior b", "summary wide \"b c\"": "summary wide b c"} {
		var words []string
		k.Carry = func(_ context.Context, l VerbLine) error {
			words = l.Words
			if l.Fit("wide") == nil || l.Fit("b") != nil {
				t.Error("wide is a fit, and b is none")
			}
			return nil
		}
		k.ask(":" + line)
		if got := strings.Join(words, " "); got != want {
			t.Errorf(":%s is %q, not %q", line, got, want)
		}
	}
}

// mean and spread are numbers of a parameter of the current fit.
func mean(t *testing.T, k *talk, name string) float64 { return float64(rowOf(t, k, name).Mean) }

func spread(t *testing.T, k *talk, name string) float64 { return float64(rowOf(t, k, name).SD) }

func rowOf(t *testing.T, k *talk, name string) posterior.SummaryRow {
	t.Helper()
	rows := posterior.Summarise(k.current.Draws)
	i := slices.IndexFunc(rows, func(r posterior.SummaryRow) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	return rows[i]
}

// The page of :fit and the pages of its settings name every setting, and its examples can be typed.
func TestFitIsExplained(t *testing.T) {
	k := begin(t)
	page := k.ask(":help :fit")
	for _, name := range settingNames() {
		if !strings.Contains(page, "\n  "+name+" ") || !strings.Contains(k.ask("?"+name), name+"=VALUE") ||
			!strings.Contains(k.ask(":help fit "+name), name+"=VALUE") {
			t.Errorf("%s is not explained", name)
		}
	}
	for _, line := range fitExamples() {
		if _, err := k.order(strings.TrimPrefix(line, ":fit ")); err != nil || !strings.Contains(page, line) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if len(fitExamples()) != 2 {
		t.Errorf("%d examples", len(fitExamples()))
	}
}

// Many estimates are one line.
func TestManyEstimatesAreFolded(t *testing.T) {
	k := withData(t)
	var y strings.Builder
	y.WriteString("y\n")
	for i := range 60 {
		fmt.Fprintf(&y, "%d\n", i%5)
	}
	path := filepath.Join(t.TempDir(), "many.csv")
	if err := os.WriteFile(path, []byte(y.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	k.ask(":data server = " + typedPath(path))
	k.ask("generate y_rep ~ normal(b + 0 * y, s)")
	k.ask(":fit draws=100 warmup=200")
	if got := k.ask("mean(y_rep)"); !strings.HasPrefix(got, "mean(y_rep): 60 values from ") ||
		strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
	if got := k.ask("mean(y_rep[60])"); !strings.Contains(got, " ± ") {
		t.Error(got)
	}
}

// A statement that changes nothing is no step of :undo, a run that was opened outlives statements, and a key
// that no table has is refused.
func TestStatementsBesideRuns(t *testing.T) {
	k := withData(t)
	k.ask("param s ~ half_normal(2)")
	if n := len(k.past); n != 2 { // the model, its table
		t.Errorf("%d steps can be undone", n)
	}
	k.ask(":fit draws=100 warmup=200")
	dir := filepath.Join(t.TempDir(), "saved")
	k.ask(":export " + dir)
	k.ask(":open " + dir)
	if got := k.ask("let twice = 2 * b"); !strings.Contains(got, "twice") {
		t.Error(got)
	}
	if f := k.fails(":key yy"); !strings.Contains(f.Error(), "no table has a column yy; did you mean y?") {
		t.Error(f)
	}
}

// Predictions are of the rows that the covariates have, under the keys of those.
func TestPredictsTheRowsOfTheFit(t *testing.T) {
	k := twoTables(t)
	k.ask(":key id_of")
	k.ask(":rows intersect")
	k.ask("data X : real[N, P] @ a from onehot(ward, drop=south)\ndata y : binary[N] @ server from " +
		"is(died, \"yes\")\nparam w : real[P] ~ normal(0, 1) @ a\ny ~ bernoulli_logit(X * w)")
	k.ask(":fit draws=100 warmup=200 transform=exact")
	if got := k.ask("w"); !strings.Contains(got, "w[ward=north]") {
		t.Error(got)
	}
	p, _, err := k.current.Predict(context.Background(), fit.PredictionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Keys
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("rows %v of a table with the rows %v", got, want)
	}
}
