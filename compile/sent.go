package compile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/spill"
)

// ManifestTerms are what a manifest says of a run.
type ManifestTerms struct {
	// shared parameters, each with the declaration of one element; nil where its prior is unknown
	Shared   map[string]*check.Symbol
	Accepted diag.Accepted
	// New is set for rows that are predicted: a few of them, of which those of a fit say whether parameters
	// move the cuts.
	New bool
}

// CheckSent examines, when a client binds its data and before anything is sent, that what its program would
// send is not its data: that parameters move the cuts, that the noise is not lost beside them, and that no
// element of a shared parameter is used by a few rows only. A client that ends a run for such a reason tells
// its peers the code of an ended run and no more: the numbers here are of its data.
func CheckSent(p lower.PartyData, t ManifestTerms) diag.List {
	c := &sentChecker{PartyData: p, ManifestTerms: t}
	if diags := c.prepare(); diags.HasErrors() {
		return diags
	}
	numbers := 0
	for k := range c.probe.Sent {
		c.cut(k)
		numbers += c.probe.Graph.Outputs()[k].Len
	}
	diags, told := leak.CheckBound(c.Program, c.length)
	c.told, c.diags = told, append(c.diags, diags...)
	if !t.Accepted.Code(diag.SmallCells) {
		c.cells()
	}
	c.probe, c.drawer = nil, nil
	spill.GiveBack(few * numbers)
	return t.Accepted.Drop(c.diags)
}

// few is how many vectors there are for each that is sent at least: its draws, their mean and squares.
const few = 4

type sentChecker struct {
	lower.PartyData
	ManifestTerms
	probe  *lower.Probe
	drawer *priorDrawer
	told   map[string]string // parameters of the client whose values shared ones tell
	diags  diag.List
}

// length is how many elements a parameter has.
func (c *sentChecker) length(name string) int {
	k := slices.IndexFunc(c.probe.Params, func(p model.Param) bool { return p.Name == name })
	if k < 0 {
		return math.MaxInt
	}
	return c.probe.Graph.Params()[k].Len
}

// prepare makes the probe of the client's data.
func (c *sentChecker) prepare() diag.List {
	probe, diags := lower.NewProbe(c.PartyData, lower.Probing{
		Prior: func(name string) *check.Symbol { return c.Shared[name] }, Sent: leak.Sent(c.Program),
		Args: func(k *check.Likelihood) []ast.Expr { return leak.Outside(c.Program, k) },
	})
	if !diags.HasErrors() {
		c.probe, c.drawer = probe, newPriorDrawer(probe, vector.NewGenerator(vector.SharedKey(0), "leak at load"))
	}
	return diags
}

func (c *sentChecker) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(code, c.Program.File.Source, at.Span(), format, args...)
}

// The bounds of LANGUAGE.md §7: least shares of the variance over rows that the variance over parameters, and
// of both that the noise, must have.
const (
	priorDraws = 64
	leastMove  = 1e-6
	leastRho2  = 1e-12
)

// cut examines what the client sends under one name.
func (c *sentChecker) cut(k int) {
	sent, v := c.probe.Sent[k], c.drawer.variation(k)
	switch rho, noisy := c.rho(sent.Name); {
	case v.bad != "":
		c.errorf(diag.FixedCut, sent.Expr,
			"%s: %s is no finite number at nearly every draw of its parameters from their priors (%s), so "+
				"it cannot be told from data", c.Name, sent.Name, v.bad).
			Note("look at the data in it, or narrow the priors of its parameters")
	case (v.draws == 0 || v.draws < leastMove*v.rows) && !(c.New && c.absent(k)):
		c.errorf(diag.FixedCut, sent.Expr,
			"%s: no parameter moves %s enough: over %d draws from the priors its variance is %.2g, between "+
				"rows it is %.2g, so what would cross is data", c.Name, sent.Name, priorDraws, v.draws, v.rows).
			Note("its parameters must have priors, and factors, that change it by more than 1/1000 of " +
				"its spread over the rows")
	case noisy && rho*rho < leastRho2*(v.draws+v.rows):
		d := c.errorf(diag.WeakNoise, sent.Expr,
			"%s: the noise of sd %g is nothing beside %s, whose sd is about %.2g: that "+
				"would be the cut itself", c.Name, rho, sent.Name, math.Sqrt(v.draws+v.rows))
		if name, spread := lower.Widest(c.Program, c.Data, sent.Expr); name != "" {
			d.Note("most of it is %s, whose standard deviation is %.2g: take a larger rho, standardise it "+
				"(`from zscore(…)` in the declaration), or narrow the prior of its coefficient", name, spread)
		} else {
			d.Note("take a larger rho, standardise the data, or narrow the priors")
		}
		if name := c.bare(); name != "" {
			d.Note("`transform %s` sends cuts without noise, and says so", name)
		}
	}
}

// absent reports whether nothing moves a cut of new rows only because covariates of theirs are 0. A cut of
// such a row is the same number at every draw, as it is in every evaluation of a fit with that row, and tells
// whoever receives it that they are 0. So with a 1 in place of each 0 the parameters must move it: a program
// that sends data does so with any numbers.
func (c *sentChecker) absent(k int) bool {
	other := *c
	other.Data = maps.Clone(c.Data)
	own := maps.Clone(c.Data[c.Name])
	for name, b := range own {
		if s := c.Program.Symbols[name]; s == nil || s.Kind != check.Data || !slices.Contains(b.Values, 0) {
			continue
		}
		ones := *b
		ones.Values = slices.Clone(b.Values)
		for i, v := range ones.Values {
			if v == 0 {
				ones.Values[i] = 1
			}
		}
		own[name] = &ones
	}
	other.Data[c.Name] = own
	if other.prepare().HasErrors() {
		return false
	}
	v := other.drawer.variation(k)
	return v.bad == "" && v.draws > 0 && v.draws >= leastMove*v.rows
}

// rho is the noise of what is sent, where it has any.
func (c *sentChecker) rho(name string) (float64, bool) {
	if s := c.Program.Symbols[name]; s != nil && s.Kind == check.Aux {
		return c.Program.ConstValue(s.Args[1])
	}
	return 0, false
}

// bare is the transform that sends cuts without noise, "" where there is none.
func (c *sentChecker) bare() string {
	for _, name := range c.Program.Universe.Transforms() {
		if t, _ := c.Program.Universe.Transform(name); !t.Pooled() && !t.Noise() {
			return name
		}
	}
	return ""
}

// cells refuses shared parameters with an element that few rows of the client's likelihoods reach.
func (c *sentChecker) cells() {
	if len(c.probe.Rows) == 0 {
		return
	}
	cells := c.shared()
	if len(cells) == 0 {
		return
	}
	c.drawer.reached(cells)
	for _, cell := range cells {
		if cell.few == 0 {
			continue
		}
		name := c.probe.Params[cell.param].Name
		elements := name
		if len(cell.rows) > 1 {
			elements = fmt.Sprintf("%d of the %d elements of %s", cell.few, len(cell.rows), name)
		}
		own := cmp.Or(c.told[name], name)
		c.errorf(diag.SmallCells, cell.used.Stmt,
			"%s: fewer than %d rows of its data reach %s: the gradient of %s, which it sends without "+
				"noise, would give these rows away", c.Name, leastRows, elements, own).
			Note("merge small categories, or own %s at %s; %s takes it as it is", own, c.Program.For,
				diag.AcceptFlag(diag.SmallCells))
	}
}

// shared lists the shared parameters and what they tell, each with the first likelihood that uses it.
func (c *sentChecker) shared() []sentCell {
	var out []sentCell
	for k, p := range c.probe.Params {
		s := c.Program.Symbols[p.Name]
		if _, shared := c.Shared[p.Name]; (!shared || s == nil || s.Kind != check.Receive) &&
			c.told[p.Name] == "" {
			continue
		}
		found := sentCell{param: k, used: c.probe.Rows[0].Of}
		for _, r := range slices.Backward(c.probe.Rows) {
			if zeros, used := leak.ByData(c.Program, r.Args)[p.Name]; used {
				found.used, found.zeros = r.Of, found.zeros || zeros
			}
		}
		out = append(out, found)
	}
	return out
}
