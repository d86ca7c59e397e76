package plot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// A RunView is what a plot shows of a run. Name is how the plot calls it. ELBO is nil if the fit has none.
type RunView struct {
	Name  string
	Draws *posterior.Draws
	ELBO  []posterior.ELBOPoint
	// First are parameters, as summaries name them, that a kind begins with where it has no room for all.
	First []string
	// Responses are those of the model with replicates, for kinds that need them.
	Responses []Replicated
	Effects   []EffectPanel // for kinds that need them
}

// A Replicated is a response as observed, with draws of it from the model, by draw, then by element, or with
// LOO-PIT of each element.
type Replicated struct {
	Name       string
	Observed   []float64
	Replicates [][]float64
	PIT        []float64
}

// NeedsTransforms is NeedsResponses for LOO-PIT.
func NeedsTransforms(kind string) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Name == kind && k.Transformed })
}

// KindNamed is the kind of a name; one without a name where there is none.
func KindNamed(name string) Kind {
	if i := slices.Index(Names(), name); i >= 0 {
		return Kinds()[i]
	}
	return Kind{}
}

// NamesOfDraws lists the kinds that need nothing but draws and their trace.
func NamesOfDraws() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		k := KindNamed(name)
		return k.Responses || k.Effects
	})
}

// A ChoiceError reports what was asked for and is not there: a kind, a parameter, or more of them than a kind
// shows.
type ChoiceError struct{ text string }

func (e *ChoiceError) Error() string { return e.text }

func choicef(format string, args ...any) error { return &ChoiceError{fmt.Sprintf(format, args...)} }

// A scalar is one parameter, or element of one, with its draws by run and chain: nil of a run that does not
// have it.
type scalar struct {
	label string
	draws [][][]float64
}

// An input is what a figure is made from.
type input struct {
	runs    []RunView
	scalars []scalar
	left    int // how many parameters are left out, for which nobody asked by name
}

// Make makes the figure of a kind. Names are those of parameters, elements or patterns, as Draws.Choose finds
// them; without names it takes all parameters, or the first of them where the kind shows fewer. Several runs
// may have different parameters, but each name must be in one of them. A choice that cannot be met is a
// *ChoiceError; other errors say what the runs do not have.
func Make(kind string, runs []RunView, names []string) (*Figure, error) {
	i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		return nil, choicef("there is no plot %s%s; choose %s", kind, posterior.Suggestion(kind, Names()),
			strings.Join(Names(), ", "))
	}
	k := Kinds()[i]
	if len(runs) == 0 {
		panic("plot: no runs")
	}
	if k.one && len(runs) > 1 {
		return nil, choicef("%s shows one run, not %d", kind, len(runs))
	}
	if k.most == 0 && len(names) > 0 {
		return nil, choicef("%s is a plot of the run as a whole: name no parameters", kind)
	}
	in := input{runs: runs}
	if k.most > 0 {
		if err := in.choose(k, names); err != nil {
			return nil, err
		}
	}
	f, err := k.make(in)
	if err != nil {
		return nil, err
	}
	if in.left > 0 {
		rest := fmt.Sprintf("The first %d of %d parameters.", len(in.scalars), len(in.scalars)+in.left)
		if len(runs[0].First) > 0 {
			rest = fmt.Sprintf("%d of %d parameters, the first of them those that need a look.",
				len(in.scalars), len(in.scalars)+in.left)
		}
		f.note = strings.TrimSpace(f.note + " " + rest)
		if text := f.text; text != nil { // which has no notes of the figure
			f.text = func(s Canvas) string { return text(s) + "  " + rest + "\n" }
		}
	}
	return f, nil
}

// choose sets the scalars.
func (in *input) choose(k Kind, names []string) error {
	if err := in.check(names); err != nil {
		return err
	}
	index := map[string]int{}
	for r, run := range in.runs {
		columns, err := run.Draws.Choose(present(run.Draws, names))
		if err != nil || len(names) > 0 && len(present(run.Draws, names)) == 0 {
			continue // check has found each name in another run
		}
		if len(names) == 0 {
			columns = posterior.WithoutFolds(run.Draws, columns)
		}
		for _, c := range columns {
			label := run.Draws.Columns()[c].Shown()
			at, known := index[label]
			if !known {
				at = len(in.scalars)
				index[label] = at
				in.scalars = append(in.scalars, scalar{label, make([][][]float64, len(in.runs))})
			}
			in.scalars[at].draws[r] = run.Draws.Column(c)
		}
	}
	switch n := len(in.scalars); {
	case n == 0:
		return fmt.Errorf("%s has no parameters", in.runs[0].Name)
	case n < k.least:
		return choicef("%s needs at least %d parameters, not %d", k.Name, k.least, n)
	case len(names) > 0 && n > k.most:
		return choicef("%s shows at most %d parameters, not %d: name fewer", k.Name, k.most, n)
	case len(names) == 0 && n > k.first:
		first := in.runs[0].First
		place := func(s scalar) int {
			if i := slices.Index(first, s.label); i >= 0 {
				return i
			}
			return len(first)
		}
		slices.SortStableFunc(in.scalars, func(a, b scalar) int { return place(a) - place(b) })
		in.scalars, in.left = in.scalars[:k.first], n-k.first
	}
	return nil
}

// check returns the error of a name that no run has.
func (in *input) check(names []string) error {
	for _, name := range names {
		var missing error
		for _, run := range in.runs {
			if _, missing = run.Draws.Choose([]string{name}); missing == nil {
				break
			}
		}
		if missing != nil {
			return choicef("%v", missing)
		}
	}
	return nil
}

// present returns the names that some draws have.
func present(d *posterior.Draws, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := d.Choose([]string{name})
		return err != nil
	})
}

// title is the title of a figure: what it shows, and of which run if there is only one.
func (in input) title(what string) string {
	if len(in.runs) == 1 {
		return what + ": " + in.runs[0].Name
	}
	return what
}

// numbers returns the finite values of all chains.
func numbers(chains [][]float64) []float64 {
	return slices.DeleteFunc(slices.Concat(chains...), func(v float64) bool { return !finite(v) })
}

// chainLegend names the colours of chains, of as many as the runs have at most.
func (in input) chainLegend() []entry {
	most := 0
	for _, r := range in.runs {
		most = max(most, r.Draws.Chains())
	}
	var out []entry
	for c := range min(most, 12) {
		out = append(out, entry{text: fmt.Sprintf("chain %d", c+1), pen: penOf(c)})
	}
	if most < 2 {
		return nil
	}
	return out
}

// runLegend names the colours of runs, of which there are several.
func (in input) runLegend() []entry {
	if len(in.runs) < 2 {
		return nil
	}
	var out []entry
	for r, run := range in.runs {
		out = append(out, entry{text: run.Name, pen: penOf(r)})
	}
	return out
}

// penOf is the pen of the k-th chain or run.
func penOf(k int) pen {
	c, dashed := hue(k)
	return pen{c, 1.6, 1, dashed}
}

// grid has a panel for each scalar, in as many columns as suit their number; with several runs, a row for
// each scalar with a panel for each run.
func (in input) grid(one func(r int, s scalar) panel) *Figure {
	f := &Figure{across: len(in.runs)}
	if len(in.runs) == 1 {
		f.across, f.flows = columnsFor(len(in.scalars)), true
	}
	f.wide, f.high = panelSize(f.across)
	for _, s := range in.scalars {
		for r := range in.runs {
			f.panels = append(f.panels, in.filled(r, s, one))
		}
	}
	return f
}

// each has a panel for each scalar, in which all runs are.
func (in input) each(one func(s scalar) panel) *Figure {
	f := &Figure{across: columnsFor(len(in.scalars)), flows: true}
	f.wide, f.high = panelSize(f.across)
	for _, s := range in.scalars {
		p := one(s)
		p.title = s.label
		f.panels = append(f.panels, p)
	}
	return f
}

// filled is a panel, or a remark that there is nothing to draw.
func (in input) filled(r int, s scalar, one func(r int, s scalar) panel) panel {
	var p panel
	switch draws := numbers(s.draws[r]); {
	case s.draws[r] == nil:
		p = telling("not in this run")
	case len(draws) == 0:
		p = telling("no finite draws")
	default:
		p = one(r, s)
	}
	p.title = s.label
	if len(in.runs) > 1 {
		p.title = s.label + " · " + in.runs[r].Name
	}
	return p
}

// columnsFor is how many panels of n stand in a row.
func columnsFor(n int) int {
	for across, most := range []int{0, 1, 4, 12} {
		if n <= most {
			return max(1, across)
		}
	}
	return 4
}

// panelSize is the size of a panel, with its axes, if so many stand in a row.
func panelSize(across int) (wide, high float64) {
	switch across {
	case 1:
		return 760, 320
	case 2:
		return 400, 200
	case 3:
		return 290, 165
	}
	return 235, 140
}

// named calls a function for each scalar of each run that has it, with a name that tells them apart.
func (in input) named(one func(r int, name string, chains [][]float64)) {
	for _, s := range in.scalars {
		for r, draws := range s.draws {
			switch {
			case draws == nil:
			case len(in.runs) == 1:
				one(r, s.label, draws)
			default:
				one(r, s.label+" · "+in.runs[r].Name, draws)
			}
		}
	}
}
