package fit

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// A division is the windows into which the rows of a model are divided; nil where every evaluation uses all
// rows.
type division struct {
	size  string // the size that counts rows
	parts [][]int
	scale float64 // of the likelihood in each
}

// divide divides the rows into windows of about the size in the settings, or into those that are fitted and
// those that are held out, and lowers the programs for each. All parties have the same windows, which follow
// from the shared seed.
func (p *Prepared) divide() (diag.List, error) {
	if p.Settings.Plan.Minibatch == 0 && !p.holdsOut(hasWeights(p.Checked)) {
		return nil, nil
	}
	size, diags := suitable.ToSubsample(p.Cuts)
	switch {
	case diags.HasErrors() && p.Settings.Plan.Minibatch == 0:
		p.options.Progress.Message("no rows are held out: not all likelihoods are of rows that are " +
			"independent of each other")
		return nil, nil
	case diags.HasErrors():
		return diags, nil
	}
	n, _ := p.Sizes.Value(size, "")
	if err := p.window(size, n); err != nil {
		return nil, err
	}
	return p.windows.apply(p.Plan, p.Lowered)
}

// hasWeights reports whether a model has weights.
func hasWeights(p *check.Program) bool {
	return slices.ContainsFunc(p.Order, func(s *check.Symbol) bool { return s.Initial != nil })
}

// holdsOut reports whether rows of a model are held out, which they are for its weights alone.
func (p *Prepared) holdsOut(weights bool) bool { return weights && p.Settings.Plan.HeldOut > 0 }

// leastHeldOut is the smallest number of rows by which a fit is stopped.
const leastHeldOut = 10

// window chooses the windows of n rows, which a size counts.
func (p *Prepared) window(size string, n int) error {
	most := p.Settings.Plan.Minibatch
	if most >= n {
		return usagef("%s: %d is not less than the number of rows, %s = %d; use at most %d, or "+
			"leave it out to use all rows", p.setting(backends.Minibatch), most, size, n, n-1)
	}
	if most > 0 {
		parts := partition(n, most, p.options.Seed)
		p.windows = &division{size, parts, float64(len(parts))}
		return nil
	}
	held := int(p.Settings.Plan.HeldOut * float64(n))
	if held < leastHeldOut {
		p.options.Progress.Message(fmt.Sprintf("no rows are held out: %s of %d rows are fewer than %d",
			p.setting(backends.HeldOut), n, leastHeldOut))
		return nil
	}
	order := vector.NewGenerator(vector.SharedKey(p.options.Seed), "held-out rows").Rand().Perm(n)
	parts := [][]int{order[held:], order[:held]}
	for _, part := range parts {
		slices.Sort(part)
	}
	p.windows = &division{size, parts, 1}
	p.options.Progress.Message(fmt.Sprintf("%d of %d rows are held out, and stop the fit of "+
		"the weights; %s 0 fits all", held, n, p.setting(backends.HeldOut)))
	return nil
}

// setting is the name of the setting that has a role.
func (p *Prepared) setting(role backends.SettingRole) string {
	d, _ := p.Algorithm.In(role)
	return "--" + d.Name
}

// apply adds the windows to a plan.
func (d *division) apply(plan *model.Plan, parties []*lower.Lowered) (diag.List, error) {
	if d == nil {
		return nil, nil
	}
	return lower.Divide(plan, parties, d.size, d.parts, d.scale)
}

// With returns the model with other values of its data, of the same sizes, and with the rows divided into the
// same windows. Diagnostics and error are as for compile.Bind.
func (p *Prepared) With(values map[string]data.Bindings) (*compile.BoundModel, diag.List, error) {
	b, diags, err := p.BoundModel.With(values)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	b.Plan.Wire = p.Plan.Wire
	found, err := p.windows.apply(b.Plan, b.Lowered)
	return b, append(diags, found...), err
}

// partition divides n rows at random into the fewest windows of at most most rows each. The sizes differ by
// at most one.
func partition(n, most int, seed uint64) [][]int {
	windows := (n + most - 1) / most
	order := vector.NewGenerator(vector.SharedKey(seed), "minibatch rows").Rand().Perm(n)
	parts := make([][]int, windows)
	for k := range parts {
		parts[k] = order[k*n/windows : (k+1)*n/windows]
		slices.Sort(parts[k])
	}
	return parts
}
