package export

import (
	"fmt"

	"github.com/vflc/vflc/posterior"
)

// An Observed is a response with its pointwise log likelihood at the draws, if computed.
type Observed struct {
	Name   string
	Shape  []int
	Values []float64     // first index fastest
	LogLik [][][]float64 // by observation, chain, draw; nil: not computed
	// Outcomes are the dimensions of the observations, where these are vectors or matrices: those of Shape
	// without the last one or two. nil: Shape.
	Outcomes []int
	// Replicates are draws of the response from the model, by element of Values, chain, draw; nil: none were
	// made.
	Replicates [][][]float64
	// Whole is set for a discrete response: its values are whole numbers, and stored as such, by which ArviZ
	// chooses how to draw them.
	Whole bool
}

// array is an array of values of the response.
func (r *Observed) array(dims []string, shape []int, values []float64) Array {
	a := Array{Name: r.Name, Dims: dims, Shape: shape, Floats: values}
	if r.Whole {
		a.Floats, a.Ints = nil, make([]int64, len(values))
		for i, v := range values {
			a.Ints[i] = int64(v)
		}
	}
	return a
}

func (r *Observed) outcomes() []int {
	if r.Outcomes == nil {
		return r.Shape
	}
	return r.Outcomes
}

// Inference returns draws as ArviZ's groups: posterior, sample_stats for Markov chains, log_likelihood,
// posterior_predictive and observed_data for responses. Arrays of a parameter have the dimensions chain,
// draw, NAME_dim_0, …; the labels of a variable are coordinates of these.
func Inference(d *posterior.Draws, attrs map[string]any, responses []Observed) []Group {
	n := 0
	if d.Chains() > 0 {
		n = d.Len(0)
	}
	axes := []Array{counted("chain", d.Chains()), counted("draw", n)}
	main := Group{Name: "posterior", Attrs: attrs, Arrays: axes}
	column := 0
	for _, v := range d.Vars {
		main.Arrays = append(main.Arrays, variable(d, v, column, n))
		main.Arrays = append(main.Arrays, coordinates(v)...)
		column += v.Len()
	}
	groups := []Group{main}
	if !d.Independent() {
		groups = append(groups, Group{Name: "sample_stats", Attrs: attrs,
			Arrays: append(axes[:2:2], statistics(d)...)})
	}
	return append(groups, likelihoods(d, n, axes, attrs, responses)...)
}

// OfPrior returns the groups of draws from the prior by the names that ArviZ has for these, without those
// that only a fit has.
func OfPrior(groups []Group) (out []Group) {
	names := map[string]string{"posterior": "prior", "posterior_predictive": "prior_predictive",
		"observed_data": "observed_data"}
	for _, g := range groups {
		if name := names[g.Name]; name != "" {
			g.Name = name
			out = append(out, g)
		}
	}
	return out
}

func counted(name string, n int) Array {
	a := Array{Name: name, Dims: []string{name}, Shape: []int{n}, Ints: make([]int64, n)}
	for i := range a.Ints {
		a.Ints[i] = int64(i)
	}
	return a
}

// dims names the dimensions of a variable as ArviZ's converters do.
func dims(name string, shape []int) []string {
	var out []string
	for k := range shape {
		out = append(out, fmt.Sprintf("%s_dim_%d", name, k))
	}
	return out
}

// coordinates are the labels along the axes of a variable, and numbers from 1 along those without, so that
// ArviZ names elements as vflc does.
func coordinates(v posterior.Variable) (out []Array) {
	names := dims(v.Name, v.Dims)
	for k := range names {
		a := counted(names[k], v.Dims[k])
		for i := range a.Ints {
			a.Ints[i]++
		}
		if v.Labels != nil && v.Labels[k] != nil {
			a.Ints, a.Texts = nil, v.Labels[k]
		}
		out = append(out, a)
	}
	return out
}

func variable(d *posterior.Draws, v posterior.Variable, column, n int) Array {
	a := Array{Name: v.Name, Dims: append([]string{"chain", "draw"}, dims(v.Name, v.Dims)...),
		Shape: append([]int{d.Chains(), n}, v.Dims...)}
	order := rowMajor(v.Dims)
	columns := make([][][]float64, len(order))
	for k, at := range order {
		columns[k] = d.Column(column + at)
	}
	a.Floats = interleave(columns, d.Chains(), n)
	return a
}

// interleave orders values by chain, draw, element.
func interleave(columns [][][]float64, chains, n int) []float64 {
	out := make([]float64, 0, chains*n*len(columns))
	for c := range chains {
		for i := range n {
			for _, column := range columns {
				out = append(out, column[c][i])
			}
		}
	}
	return out
}

// rowMajor lists, in the order of the last index fastest, the positions of elements that are stored first
// index fastest.
func rowMajor(shape []int) []int {
	total := elements(shape)
	out := make([]int, total)
	for k := range out {
		rest, at := k, 0
		for axis := len(shape) - 1; axis >= 0; axis-- {
			stride := elements(shape[:axis])
			at += rest % shape[axis] * stride
			rest /= shape[axis]
		}
		out[k] = at
	}
	return out
}

func statistics(d *posterior.Draws) []Array {
	floats := func(name string, value func(posterior.Transition) float64) Array {
		a := perDraw(d, name)
		each(d, func(t posterior.Transition) { a.Floats = append(a.Floats, value(t)) })
		return a
	}
	ints := func(name string, value func(posterior.Transition) int) Array {
		a := perDraw(d, name)
		each(d, func(t posterior.Transition) { a.Ints = append(a.Ints, int64(value(t))) })
		return a
	}
	diverging := perDraw(d, "diverging")
	each(d, func(t posterior.Transition) { diverging.Bools = append(diverging.Bools, t.Divergent) })
	return []Array{
		floats("lp", func(t posterior.Transition) float64 { return t.LP }),
		floats("energy", func(t posterior.Transition) float64 { return t.Energy }),
		floats("acceptance_rate", func(t posterior.Transition) float64 { return t.Accept }),
		floats("step_size", func(t posterior.Transition) float64 { return t.StepSize }),
		ints("n_steps", func(t posterior.Transition) int { return t.Leapfrogs }),
		ints("tree_depth", func(t posterior.Transition) int { return t.TreeDepth }),
		diverging,
	}
}

func perDraw(d *posterior.Draws, name string) Array {
	return Array{Name: name, Dims: []string{"chain", "draw"}, Shape: []int{d.Chains(), d.Len(0)}}
}

func each(d *posterior.Draws, f func(posterior.Transition)) {
	for _, chain := range d.Transitions {
		for _, t := range chain {
			f(t)
		}
	}
}

func likelihoods(d *posterior.Draws, n int, axes []Array, attrs map[string]any,
	responses []Observed) []Group {
	if len(responses) == 0 {
		return nil
	}
	lik, data := Group{Name: "log_likelihood", Attrs: attrs, Arrays: axes[:2:2]},
		Group{Name: "observed_data", Attrs: attrs}
	predictive := Group{Name: "posterior_predictive", Attrs: attrs, Arrays: axes[:2:2]}
	for _, r := range responses {
		names, order := dims(r.Name, r.Shape), rowMajor(r.Shape)
		values := make([]float64, len(order))
		for k, at := range order {
			values[k] = r.Values[at]
		}
		data.Arrays = append(data.Arrays, r.array(names, append([]int{}, r.Shape...), values))
		if r.Replicates != nil {
			var columns [][][]float64
			for _, at := range order {
				columns = append(columns, r.Replicates[at])
			}
			predictive.Arrays = append(predictive.Arrays, r.array(append([]string{"chain", "draw"}, names...),
				append([]int{d.Chains(), n}, r.Shape...), interleave(columns, d.Chains(), n)))
		}
		if r.LogLik != nil {
			outcomes := r.outcomes()
			var pointwise [][][]float64
			for _, at := range rowMajor(outcomes) {
				pointwise = append(pointwise, r.LogLik[at])
			}
			lik.Arrays = append(lik.Arrays, Array{
				Name: r.Name, Dims: append([]string{"chain", "draw"}, names[:len(outcomes)]...),
				Shape:  append([]int{d.Chains(), n}, outcomes...),
				Floats: interleave(pointwise, d.Chains(), n),
			})
		}
	}
	var groups []Group
	for _, g := range []Group{lik, predictive} {
		if len(g.Arrays) > 2 {
			groups = append(groups, g)
		}
	}
	return append(groups, data)
}
