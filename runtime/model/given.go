package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

var _ density.LinearisableGiven = (*Party)(nil)

// LinearGiven implements density.LinearisableGiven. Outputs and predictors are those of Linear; of the rest
// of the density, that is quadratic in some elements of θ given others.
func (p *Party) LinearGiven() (*density.Linear, error) {
	if p.spec.Split == nil || p.early > 0 {
		return nil, nil // for the reason of Linear
	}
	var sums []int
	for _, r := range p.role.Receptions {
		sums = append(sums, r.Input)
	}
	split, err := p.spec.Split.Given(sums)
	if err != nil {
		return nil, nil
	}
	g := &given{party: p, theta: make([]float64, p.Dim()), rest: split.Rest.NewExec(), bare: true}
	if p.index == 0 {
		g.split = split
	}
	l := &density.Linear{Sums: p.sums, Clients: p.clients, Members: p.members(),
		Given: &density.Conditional{}}
	for _, a := range p.role.Arrivals {
		g.got = append(g.got, make([]float64, a.Len)...)
		l.Given.Received += a.Len
	}
	if err := g.divide(); err != nil {
		return nil, err
	}
	if g.share(l); len(l.Given.Hyper) == 0 && l.Given.Received == 0 {
		return nil, nil
	}
	if err := g.readSends(l.Given); err != nil {
		return nil, err
	}
	if len(l.Given.Latent) > 0 {
		return nil, fmt.Errorf("%s: clients use a parameter whose prior is normal: declare it at the party "+
			"that uses it, or add it to the predictor", p.Party())
	}
	if err := p.readGiven(l, g); err != nil {
		return nil, err
	}
	p.readRows(l, split)
	return l, p.compareGiven(l, g)
}

// share divides the elements of θ: latent ones, those of likelihoods beside the predictor, and
// hyperparameters.
func (g *given) share(l *density.Linear) {
	c := l.Given
	for _, v := range g.party.spec.Graph.Params() {
		if v.Len == 0 {
			continue
		}
		of := &c.Hyper
		switch {
		case g.isGlobal(v.Offset):
			of = &l.Globals.Index
		case g.latent[v.Offset]:
			of = &l.Index
		default:
			c.Names = append(c.Names, v.Name)
		}
		for i := range v.Len {
			*of = append(*of, v.Offset+i)
		}
	}
	for _, index := range [][]int{l.Index, l.Globals.Index, c.Hyper} {
		slices.Sort(index)
	}
	c.Index, g.index = l.Index, l.Index
}

// readGiven reads cuts and prior.
func (p *Party) readGiven(l *density.Linear, g *given) error {
	l.Cuts = affine(p.Dim(), l.Index, p.Evaluate)
	g.receive(1)
	c := l.Given
	c.At = func(hyper, received []float64, form *density.ConditionalForm) { g.at(c, hyper, received, form) }
	var form density.ConditionalForm
	received := slices.Clone(g.got)
	c.At(make([]float64, len(c.Hyper)), received, &form)
	l.Prior = form.Prior
	if len(l.Globals.Index) == 0 {
		return nil
	}
	base, at := form.Prior.Value, make([]float64, p.Dim())
	l.Globals.Density = func(phi, grad []float64) float64 {
		for k, i := range l.Globals.Index {
			at[i] = phi[k]
		}
		g.rest.Forward(at)
		value := g.rest.Target()
		copy(grad, pick(g.rest.Grad(), l.Globals.Index))
		return value - base
	}
	clear(g.theta)
	sent := slices.Clone(g.send(g.theta))
	for _, i := range l.Globals.Index {
		g.theta[i] = 1
	}
	if !slices.Equal(sent, g.send(g.theta)) {
		return fmt.Errorf("%s: priors of clients depend on a parameter of its "+
			"likelihood beside the predictor", p.Party())
	}
	return nil
}

// compareGiven holds the parts against the density elsewhere: contributions and predictors must not depend on
// hyperparameters, nor the prior on what the likelihood depends on beside its predictor.
func (p *Party) compareGiven(l *density.Linear, g *given) error {
	theta := make([]float64, p.Dim())
	for i := range theta {
		theta[i] = portable.Sin(float64(i+1) * 0.7)
	}
	const centred = "give effects their scale by the prior, as a ~ normal(0, tau), and not " +
		"by a factor, as tau * z"
	at := pick(theta, l.Index)
	for k, v := range p.Evaluate(theta) {
		if !near(v, l.Cuts, k, at) {
			return fmt.Errorf("%s: its contribution depends on more than coefficients with normal priors: %s",
				p.Party(), centred)
		}
	}
	if g.split != nil {
		e := g.split.Predictors.NewExec()
		e.Forward(theta)
		for r := range l.Rows {
			for k, v := range e.Output(r) {
				if !near(v, l.Rows[r].Affine, k, at) {
					return fmt.Errorf("%s: %s: its predictor depends on more than "+
						"coefficients with normal priors: %s", p.Party(), l.Rows[r].Term, centred)
				}
			}
		}
	}
	var form density.ConditionalForm
	received := make([]float64, l.Given.Received)
	for i := range received {
		received[i] = 1
	}
	l.Given.At(pick(theta, l.Given.Hyper), received, &form)
	want, by := form.Prior.Value, make([]float64, len(l.Globals.Index))
	for i, x := range at {
		want += float64(form.Prior.Gradient[i] * x)
		for j, y := range at {
			want -= float64(0.5 * float64(x*form.Prior.Precision[i*len(at)+j]*y))
		}
	}
	if len(by) > 0 {
		want += l.Globals.Density(pick(theta, l.Globals.Index), by)
	}
	g.receive(1)
	g.rest.Forward(theta)
	if got := g.rest.Target(); !(math.Abs(got-want) <= exact*(1+math.Abs(want))) {
		return fmt.Errorf("%s: its prior given hyperparameters is not normal, or depends on a parameter of "+
			"the likelihood beside the predictor", p.Party())
	}
	return p.compare(l)
}

// near reports whether a value is that of an element of a map.
func near(v float64, a density.Affine, k int, at []float64) bool {
	want, size, n := a.Offset[k], 1+math.Abs(v), len(a.Offset)
	for i, x := range at {
		want += float64(a.Matrix[i*n+k] * x)
		size += math.Abs(a.Matrix[i*n+k] * x)
	}
	return math.Abs(v-want) <= exact*size
}
