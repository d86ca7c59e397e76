package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// fixedSupport refuses a distribution whose support depends on a parameter: coordinates without bounds are
// made for one set of values.
func (c *checker) fixedSupport(s *ast.Param, sym *Symbol) {
	if sym.Dist == nil || sym.Dist.Event != nil {
		return
	}
	for k, a := range sym.Args {
		if a == nil || !c.Info[a].Random {
			continue
		}
		theta := make([]float64, len(sym.Args))
		theta[k] = math.NaN()
		if lower, upper := sym.Dist.Bounds(theta); math.IsNaN(lower) || math.IsNaN(upper) {
			d := c.errorf(diag.BadSupport, a, "the values of %s lie within bounds that depend on a parameter",
				s.Name.Name)
			if math.IsInf(upper, 1) {
				d.Note("declare param u with a fixed bound, as half_normal has, and compute the "+
					"value, as let %s = low + u", s.Name.Name)
				return
			}
			d.Note("declare param u ~ uniform(0, 1) and compute the value, as let %s = low + (high - low) "+
				"* u; probabilities that sum to 1 are a simplex", s.Name.Name)
			return
		}
	}
}

const fewStates = "samplers work on continuous parameters; one of few states is summed out: param k : level(3) ~ " +
	"categorical(w), or binary ~ bernoulli(p), with a state for each row as level(3)[N]"

func (c *checker) param(s *ast.Param) {
	owner, family, ok := c.owner(s.Owner)
	if family {
		c.family = owner
	}
	c.dataBounds = owner != Shared
	defer func() { c.family, c.dataBounds = "", false }()
	structure, t, lower, upper, ok2 := c.paramType(s.Type)
	if ok2 && t.Elem != types.Real {
		c.errorf(diag.DiscreteParameter, s.Type, "a parameter is real, but %s is declared %s", s.Name.Name,
			t.Elem).
			Note(fewStates)
		ok2 = false
	}
	if !ok || !ok2 {
		c.fail(s.Name.Name)
		c.dist(s.Dist)
		return
	}
	dist, args, owners, _, ok := c.clauses(s.Dist, s.Truncate, nil, t, s.Name.Name)
	if ok && !c.fixedEnds(s) {
		ok = false
	}
	owners = owners.Join(c.Info[lower].Owners).Join(c.Info[upper].Owners)
	sym := &Symbol{Name: s.Name.Name, Kind: Param, Ident: s.Name, Decl: s, Type: t, Owner: owner,
		Family: family, Dist: dist, Args: args, Lower: lower, Upper: upper, Structure: structure}
	if dist != nil && dist.Discrete {
		c.errorf(diag.DiscreteParameter, s.Dist.Name, "%s is discrete, but a parameter is continuous",
			dist.Name).
			Note(fewStates)
	}
	if dist != nil && dist.Joint() != "" {
		c.errorf(diag.MustBeData, s.Dist.Name,
			"the values of %s are data: it is a likelihood of all rows of a table, and no prior", dist.Name)
		ok = false
	}
	if dist != nil && dist.Atoms != nil {
		c.errorf(diag.MustBeData, s.Dist.Name,
			"the values of %s are data: some have a probability of their own, and a parameter is never exactly "+
				"one of them", dist.Name)
		ok = false
	}
	if dist != nil && s.Noncentered && dist.ScaleAt < 0 {
		way := "leave `noncentered` out"
		if dist.Event != nil && dist.Support == def.RealLine {
			way = "write it out: standard normal rows times the factor of the covariance, param z : " +
				"real[J, K] ~ normal(0, 1) and let u = z * (col(tau) .* L)'"
		}
		c.errorf(diag.NotLocationScale, s.Dist.Name,
			"%s has no location and scale of a number, so it cannot be `noncentered`", dist.Name).Note("%s",
			way)
	}
	if dist != nil && s.Noncentered && (lower != nil || upper != nil) {
		c.errorf(diag.NotLocationScale, s.Type, "a parameter with declared bounds cannot be `noncentered`").
			Note("drop the bounds, or drop `noncentered`")
	}
	if ok && !c.structure(s, sym) {
		c.fail(s.Name.Name)
		return
	}
	if ok && s.Type != nil && len(s.Type.Bounds) > 0 {
		c.interval(s, sym)
	}
	if ok {
		c.fixedSupport(s, sym)
		c.prior(s, sym, owners)
		c.length(sym)
	}
	if !c.declare(sym) {
		return
	}
}
