package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A likelihood is a distribution of y with a predictor in one of its parameters.
type likelihood struct {
	dist *def.Dist
	at   int    // the parameter with a value in each row
	link string // the function of the predictor, "" for the predictor itself
	text string
}

// base is what all are compared with.
const base = "bernoulli_logit"

// likelihoods lists a use of every distribution of numbers, and of categories, base first.
func likelihoods() []likelihood {
	u := stdlib.New()
	out := []likelihood{}
	for k, name := range append([]string{base}, u.Dists()...) {
		d, _ := u.Dist(name)
		if k > 0 && name == base || len(d.Params) == 0 || d.Event != nil && !(d.Event.Rank == 0) {
			continue
		}
		at := predicted(d)
		if at < 0 {
			continue // of data alone
		}
		for _, link := range links(d, at) {
			out = append(out, newLikelihood(d, at, link))
		}
	}
	return out
}

// predicted is the parameter that takes the predictor: that of the link, else the first that is not data.
func predicted(d *def.Dist) int {
	if d.Link.Scale != def.NoLink {
		return d.Link.Param
	}
	free := -1
	if d.Support == def.FromFirst { // the first bounds the values
		return 1
	}
	for k, p := range d.Params {
		if k == d.ScaleAt || free < 0 && !p.Integral && !p.Data {
			free = k
		}
	}
	return free
}

// links are the functions that map a predictor to a parameter: those of the forms with a predictor, else one
// for its domain.
func links(d *def.Dist, at int) []string {
	var out []string
	for _, p := range d.Predicted {
		if p.Param == at {
			out = append(out, p.Func)
		}
	}
	switch domain := d.Params[at].Domain; {
	case len(out) > 0:
		return out
	case domain == def.Positive || domain == def.NonNegative:
		return []string{"exp"}
	case domain == def.UnitInterval:
		return []string{"inv_logit"}
	}
	return []string{""}
}

func newLikelihood(d *def.Dist, at int, link string) likelihood {
	names := make([]string, len(d.Params))
	for k, p := range d.Params {
		names[k] = p.Name
	}
	names[at] = "m"
	if link != "" {
		names[at] = link + "(m)"
	}
	return likelihood{d, at, link, d.Name + "(" + strings.Join(names, ", ") + ")"}
}

// categories is how many there are where the values are categories.
const categories = 4

// task is one evaluation of value and gradient with so many rows.
func (l likelihood) task(rows int) (stopwatch.Task, error) {
	g, x, err := l.graph(rows, rand.New(rand.NewPCG(31, 32)))
	if err != nil {
		return stopwatch.Task{}, err
	}
	e := g.NewExec()
	if e.Forward(x); math.IsNaN(e.Target()) || math.IsInf(e.Target(), 0) {
		return stopwatch.Task{}, fmt.Errorf("the density is %v", e.Target())
	}
	return stopwatch.Task{Name: l.text, Run: func() { e.Forward(x); e.Target() }}, nil
}

func (l likelihood) graph(rows int, r *rand.Rand) (*graph.Graph, []float64, error) {
	b := graph.New(l.text)
	var x []float64
	param := func(name string, shape graph.Shape, draw func() float64) graph.ID {
		for range shape.Len() {
			x = append(x, draw())
		}
		return b.Param(name, shape)
	}
	theta, values := make([]graph.ID, len(l.dist.Params)), make([]float64, len(l.dist.Params))
	for k, p := range l.dist.Params {
		switch {
		case k == l.at:
			shape := graph.Shape{rows}
			if p.Rank == 1 {
				shape = graph.Shape{rows, categories}
			}
			theta[k] = param("m", shape, func() float64 { return 0.3 * r.NormFloat64() })
			values[k] = 0.5
			if l.dist.Support == def.Interval { // above every m
				values[k] = 3
			}
			if l.link != "" {
				id, err := b.Apply(l.link, graph.Attr{}, theta[k])
				if err != nil {
					return nil, nil, err
				}
				theta[k] = id
			}
		case p.Rank == 1: // cutpoints
			v := -1.5
			theta[k] = param(p.Name, graph.Shape{categories - 1}, func() float64 { v++; return v })
		case p.Integral || p.Data:
			values[k] = 20
			theta[k] = b.Scalar(values[k])
		default:
			values[k] = 0.7
			if l.dist.Support == def.Interval {
				values[k] = 5
			}
			theta[k] = param(p.Name, graph.Shape{}, func() float64 { return values[k] })
		}
	}
	y := make([]float64, rows)
	for i := range y {
		if l.dist.Event != nil {
			y[i] = float64(1 + r.IntN(categories))
		} else {
			y[i] = l.dist.Sample(r, values)
		}
	}
	if err := b.Likelihood("y", l.dist, b.Const("y", graph.Shape{rows}, y), theta, graph.NoID, 1); err != nil {
		return nil, nil, err
	}
	g, err := b.Build()
	return g, x, err
}

// reason is why a row takes long: that of the form with a predictor, where the likelihood is computed by one.
func (l likelihood) reason() string {
	for _, p := range l.dist.Predicted {
		if p.Param == l.at && p.Func == l.link {
			return p.Form().Slow
		}
	}
	return l.dist.Slow
}
