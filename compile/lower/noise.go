package lower

import (
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// noticeable is the share of a response's standard deviation from which noise on its predictor is worth a
// warning.
const noticeable = 0.2

// Noise warns where the auxiliary variables add noise to a response, in its own units, that is not small
// compared with the response's spread. That is where the predictor shifts the response; on a log or logit
// scale the units are always the same.
func Noise(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (diags diag.List) {
	l := &lowerer{
		Lowered: &Lowered{Program: c.Program, PartyData: PartyData{Program: c.Program, Name: c.Server,
			Data:  values,
			Sizes: sizes}},
		b:     graph.New(c.Server),
		names: map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
		sums: map[string]graph.ID{},
	}
	for _, sym := range c.Order {
		if (sym.Kind == check.Data || sym.Kind == check.Const || sym.Kind == check.Let && !sym.Random) &&
			!sym.Family {
			l.declare(sym)
		}
	}
	for _, k := range c.Likelihoods {
		if len(k.Groups) == 0 || k.Dist.Link.Scale != def.IdentityLink || l.diags.HasErrors() {
			continue
		}
		id := l.expr(k.Left)
		if l.diags.HasErrors() {
			break // Lower reports it
		}
		y, _ := l.b.Value(id)
		noise, spread := noiseOn(c, k, sizes), deviation(y)
		if noise > noticeable*spread {
			diags.Warnf(diag.NoiseOfResponse, c.File.Source, k.Stmt.Span(),
				"auxiliary variables add noise of standard deviation %.2g to %s, whose own is %.2g", noise,
				format.Expr(k.Left), spread).
				Note("it takes the place of residual variance, or widens the posterior; `transform %s(rho "+
					"= %.1[2]g)` in the model, or --rho %.1[2]g with a run, adds a tenth of the "+
					"response's standard deviation", c.Transform.Kind, 0.1*spread*rhoPerNoise(c, k, sizes))
		}
	}
	return diags
}

// noiseOn is the standard deviation of the sum of the noise of a likelihood's clients, ρ√J where all have the
// same ρ.
func noiseOn(c *cut.Program, k *cut.Likelihood, sizes *Sizes) float64 {
	squares, _ := squaredNoise(c, k, sizes)
	return math.Sqrt(squares)
}

// rhoPerNoise is the ρ for all clients whose sum has standard deviation 1.
func rhoPerNoise(c *cut.Program, k *cut.Likelihood, sizes *Sizes) float64 {
	_, clients := squaredNoise(c, k, sizes)
	return 1 / math.Sqrt(float64(clients))
}

// squaredNoise is Σ ρ² over the clients with a cut in a likelihood, members of families one by one, and their
// number.
func squaredNoise(c *cut.Program, k *cut.Likelihood, sizes *Sizes) (sum float64, clients int) {
	if !c.Transform.Kind.Noise() {
		return 0, 0
	}
	for _, name := range c.Evaluators(k) {
		members := 1
		if client, _ := c.Client(name); client.Family {
			members = sizes.Members[name]
		}
		clients += members
		sum += float64(float64(members) * c.RhoOf(name) * c.RhoOf(name))
	}
	return sum, clients
}

// deviation is the standard deviation of some numbers.
func deviation(y []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		squares += (v - mean) * (v - mean) / float64(len(y))
	}
	return math.Sqrt(squares)
}
