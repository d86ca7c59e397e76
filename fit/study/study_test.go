package study

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// read reads a study that has a model m.vfl beside it.
func read(t *testing.T, text string) (*Study, diag.List) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.vfl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(source.New(filepath.Join(dir, "s.toml"), text), "")
}

func sound(t *testing.T, text string) *Study {
	t.Helper()
	s, list := read(t, text)
	if list = append(list, s.Check()...); len(list) > 0 {
		t.Fatalf("%s: %s", list[0].Code, list[0].Message)
	}
	return s
}

// A grid is every combination of what is varied, the last axis fastest; later flags take the place of earlier
// ones, and each element of a list is a flag.
func TestGrid(t *testing.T) {
	s := sound(t, `
[flags]
draws = 10
set = ["a=1", "b=2"]
[[cells]]
model = "m.vfl"
label = { kind = "k" }
flags = { draws = 1_000 }
vary.how = [{ is = "one", backend = "x", draws = 5 }, { is = "two", command = "cv" }]
vary.rho = [0.5, 1]
`)
	var got []string
	for _, c := range s.Cells {
		got = append(got, c.Name()+": "+strings.Join(append([]string{c.Command}, c.Args()[2:]...), " "))
	}
	want := []string{
		"kind k, how one, rho 0.5: run --set=a=1 --set=b=2 --backend=x --draws=5 --rho=0.5",
		"kind k, how one, rho 1: run --set=a=1 --set=b=2 --backend=x --draws=5 --rho=1",
		"kind k, how two, rho 0.5: cv --set=a=1 --set=b=2 --draws=1000 --rho=0.5",
		"kind k, how two, rho 1: cv --set=a=1 --set=b=2 --draws=1000 --rho=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the cells are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every mistake has its code and points at what is wrong.
func TestMistakesHavePlaces(t *testing.T) {
	cells := "[[cells]]\nmodel = \"m.vfl\"\nvary.seed = [1, 2]\n"
	for _, c := range []struct {
		text, at string
		code     diag.Code
	}{
		{"title = \n", "", diag.BadStudy},
		{"", "", diag.BadStudy},
		{"titel = \"a\"\n" + cells, "titel", diag.BadStudy},
		{"title = 3\n" + cells, "3", diag.BadStudy},
		{"cells = 3\n", "3", diag.BadStudy},
		{"[[cells]]\nvary.seed = [1]\n", "cells", diag.BadStudy},
		{"[[cells]]\nmodel = \"n.vfl\"\n", `"n.vfl"`, diag.BadStudy},
		{"[[cells]]\nmodel = \"m.vfl\"\ncommand = \"runn\"\n", `"runn"`, diag.BadStudy},
		{"[[cells]]\nmodel = \"m.vfl\"\nflags.output = \"o\"\n", "output", diag.BadCell},
		{"[[cells]]\nmodel = \"m.vfl\"\nvary.a = [{ b = 1 }]\n", "a", diag.BadStudy},
		{"[[cells]]\nmodel = \"m.vfl\"\nvary.a = []\n", "a", diag.BadStudy},
		{"[[cells]]\nmodel = \"m.vfl\"\ndata = \"two\"\n", `"two"`, diag.BadStudy},
		{cells + cells, "cells", diag.BadStudy},
		{cells + "[[table]]\nname = \"a\"\nrows = [\"sed\"]\ncolumns = [\"elbo.value\"]\n", "rows",
			diag.BadSelection},
		{cells + "[[table]]\nname = \"a\"\nrows = [\"seed\"]\ncolumns = [\"elbo\"]\n", `"elbo"`,
			diag.BadSelection},
		{cells + "[[table]]\nname = \"a b\"\nrows = [\"seed\"]\ncolumns = [\"elbo.value\"]\n", "table",
			diag.BadStudy},
		{cells + "[[table]]\nname = \"a\"\ncolumns = [\"elbo.value\"]\n", "table", diag.BadSelection},
		{cells + "[[table]]\nname = \"a\"\nrows = [\"seed\"]\nwhere.seed = 3\ncolumns = [\"elbo.value\"]\n",
			"3", diag.BadSelection},
		{cells + "[[figure]]\nname = \"a\"\nkind = \"forrest\"\n", `"forrest"`, diag.BadSelection},
		{cells + "[reference]\nsame = [\"seed\"]\n", "reference", diag.BadStudy},
		{"folder = \"f\"\n[data.two]\na = \"x.csv\"\n[[cells]]\nmodel = \"m.vfl\"\ndata = \"two\"\n",
			`"x.csv"`, diag.NoStudyData},
	} {
		s, list := read(t, c.text)
		if len(list) == 0 && s != nil {
			list = s.Check()
		}
		if len(list) == 0 {
			t.Errorf("%q: no diagnostic", c.text)
			continue
		}
		d := list[0]
		if got := d.File.Text[d.Span.Start:d.Span.End]; d.Code != c.code || got != c.at {
			t.Errorf("%q: %s at %q (%s), want %s at %q", c.text, d.Code, got, d.Message, c.code, c.at)
		}
	}
}

// A result has its name only when it is whole, and what an earlier process has left of one that cannot be
// continued is not mixed with it.
func TestStore(t *testing.T) {
	s, err := OpenStore(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := OpenStore(s.dir, true); err == nil {
		t.Error("two processes may write to the folder")
	}
	cell := &cells.Cell{Command: "cv"}
	half := func(dir string, _ bool, _ io.Writer) error {
		if err := os.WriteFile(filepath.Join(dir, "left"), nil, 0o600); err != nil {
			return err
		}
		return errors.New("killed")
	}
	if err := s.Make(cell, half); err == nil || s.Has(cell) {
		t.Errorf("half a result: %v", err)
	}
	if err := s.Make(cell, func(dir string, resumed bool, _ io.Writer) error {
		if _, err := os.Stat(filepath.Join(dir, "left")); err == nil || resumed {
			t.Error("what was left is there still")
		}
		return nil
	}); err != nil || !s.Has(cell) {
		t.Errorf("a whole result: %v", err)
	}
}

func some(v float64) *posterior.Number { p := posterior.Number(v); return &p }

// results are those of a grid of two designs and three seeds, cross-validated, in four rows and two folds.
func results(s *Study) []*Result {
	var out []*Result
	for k, c := range s.Cells {
		x := float64(k)
		y := crossvalidate.ResponseAccuracy{Name: "y", Rows: 4, Accuracy: some(0.5 + x/10),
			Fold:         []int{1, 1, 2, 2},
			LogDensities: []posterior.Number{-1, posterior.Number(-2 + x), -3, posterior.Number(-4 + 2*x)}}
		r := &Result{Cell: c, moments: map[string]moment{},
			cv: &crossvalidate.Report{Responses: []crossvalidate.ResponseAccuracy{y}}}
		r.validated()
		out = append(out, r)
	}
	for k, r := range out {
		if with := s.referenceOf(r.Cell); with != nil {
			out[k].compare(out[slices.IndexFunc(out, func(o *Result) bool { return o.Cell == with })])
		}
	}
	return out
}

// The numbers of a table by hand: means over seeds with their standard errors, gains over folds and seeds,
// and what stands beside them.
func TestTableByHand(t *testing.T) {
	s := sound(t, `
[[cells]]
command = "cv"
model = "m.vfl"
vary.design = [{ is = "plain" }, { is = "deep" }]
vary.seed = [1, 2, 3]
[reference]
where = { design = "plain" }
same = ["seed"]
[[table]]
name = "a"
rows = ["design"]
over = ["seed"]
columns = ["accuracy", { of = "gain", title = "better" }]
[[table.beside]]
source = "paper"
lines = [{ design = "deep", accuracy = 0.9 }]
`)
	sheet := s.Tables[0].Sheet(results(s))
	// The cells are numbered x = 0 to 5; of deep the accuracies are 0.8, 0.9 and 1, and the rows of each are
	// better by 0, 3, 0 and 6: by 1.5 and 3 in the two folds.
	want := [][]string{
		{"design", "accuracy", "accuracy, paper", "better"},
		{"plain", "0.600 ± 0.058", "", ""},
		{"deep", "0.900 ± 0.058", "0.9", "2.25 ± 0.34"},
	}
	for k, line := range slices.Concat([][]string{sheet.Header}, sheet.Lines) {
		if !slices.Equal(line, want[k]) {
			t.Errorf("line %d is %q, want %q", k, line, want[k])
		}
	}
	if a := average([]float64{1.5, 3, 1.5, 3, 1.5, 3}); math.Abs(a.SE-math.Sqrt(6*0.75*0.75/5/6)) > 1e-15 {
		t.Errorf("the standard error is %v", a.SE)
	}
}

// Distances from a reference by hand, over the parameters that both have.
func TestDistanceByHand(t *testing.T) {
	here := &Result{moments: map[string]moment{"a": {1, 2}, "b": {5, 1}, "c": {0, 1}}}
	here.compare(&Result{moments: map[string]moment{"a": {2, 4}, "b": {4, 0.5}, "d": {9, 9}}})
	for name, want := range map[string]float64{shift: 2, narrowest: 0.5, widest: 2} {
		if got := here.samples(name, ""); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Quantities are the keys of the documents that cells write.
func TestQuantities(t *testing.T) {
	all := Quantities()
	for _, name := range []string{"mean", "sd", "rhat", "elbo.value", "work.sequential_rounds",
		"diagnostics.khat", "diagnostics.divergences", "accuracy", "auc", "mean_log_density_where_wrong",
		gain} {
		if !slices.Contains(all, name) {
			t.Errorf("there is no %s among %q", name, all)
		}
	}
}

// Numbers keep the digits that matter.
func TestShownNumbers(t *testing.T) {
	for x, want := range map[float64]string{0.123456: "0.1235", -123.456: "-123.5", 123456.7: "123457",
		3: "3", 1e-7: "1e-07", 0: "0"} {
		if got := significant(x, 4); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
}
