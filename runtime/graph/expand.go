package graph

import "math"

// An expansion writes a density of many rows as operations, which have vector kernels and share what they compute with the rest of the graph.
// Elsewhere a distribution runs by its own loop.
type expansion struct {
	dist string
	// positive says that the left side must be constant and positive, so that no row lies outside the support.
	positive bool
	// constant is the parameter that must be one constant number in its domain, -1: none.
	constant int
	add      func(e *expanding, x ID, theta []ID)
}

// An expanding is a density on its way into a builder.
type expanding struct {
	*Builder
	term  string
	power float64
	rows  int // elements of the left side
}

// expansions lists the densities that are written as operations.
var expansions = []*expansion{
	{dist: "cauchy", constant: -1, add: func(e *expanding, x ID, theta []ID) {
		z := e.scaled(x, theta[0], theta[1], 1)
		e.sum(e.must("log1p", e.must("mul", z, z)), -1)
		e.sum(e.must("log", theta[1]), -1)
		e.number(-math.Log(math.Pi))
	}},
	{dist: "student_t", constant: 0, add: func(e *expanding, x ID, theta []ID) {
		nu, _ := e.scalarValue(theta[0])
		z := e.scaled(x, theta[1], theta[2], 1/math.Sqrt(nu))
		e.sum(e.must("log1p", e.must("mul", z, z)), -(nu+1)/2)
		e.sum(e.must("log", theta[2]), -1)
		e.number(lgamma((nu+1)/2) - lgamma(nu/2) - math.Log(nu*math.Pi)/2)
	}},
	{dist: "laplace", constant: -1, add: func(e *expanding, x ID, theta []ID) {
		e.sum(e.must("div", e.must("abs", e.must("sub", x, theta[0])), theta[1]), -1)
		e.sum(e.must("log", theta[1]), -1)
		e.number(-math.Ln2)
	}},
	{dist: "exponential", positive: true, constant: -1, add: func(e *expanding, x ID, theta []ID) {
		e.sum(e.must("mul", theta[0], x), -1)
		e.sum(e.must("log", theta[0]), 1)
	}},
	{dist: "gamma", positive: true, constant: 0, add: func(e *expanding, x ID, theta []ID) {
		alpha, _ := e.scalarValue(theta[0])
		e.sum(e.must("mul", theta[1], x), -1)
		e.sum(e.must("log", x), alpha-1)
		e.sum(e.must("log", theta[1]), alpha)
		e.number(-lgamma(alpha))
	}},
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// scaled is k·(x-mu)/sigma, with one division for all rows where sigma is one number.
func (e *expanding) scaled(x, mu, sigma ID, k float64) ID {
	return e.must("mul", e.must("sub", x, mu), e.must("div", e.Scalar(k), sigma))
}

// sum adds k times the sum of a value over all elements of the left side, to which it broadcasts.
func (e *expanding) sum(id ID, k float64) {
	times := float64(e.rows) / float64(max(e.Shape(id).Len(), 1))
	if err := e.Add(e.term, id, e.power*k*times); err != nil {
		panic("graph: " + err.Error())
	}
}

// number adds a constant for each element.
func (e *expanding) number(v float64) { e.constantPart(e.term, e.power*v*float64(e.rows)) }

// expand writes a density as operations where there are many rows and it is known how.
func (b *Builder) expand(term string, n *node) bool {
	x := &b.nodes[n.in[0]]
	if b.plain || n.likely.weighted || x.shape.Len() <= fewRows {
		return false
	}
	for _, e := range expansions {
		if e.dist == n.likely.dist.Name && e.suits(b, n) {
			e.add(&expanding{b, term, n.power, x.shape.Len()}, n.in[0], n.in[1:])
			return true
		}
	}
	return false
}

func (e *expansion) suits(b *Builder, n *node) bool {
	if e.positive {
		if x := &b.nodes[n.in[0]]; x.kind != constant || !allPositive(x.values) {
			return false
		}
	}
	if e.constant < 0 {
		return true
	}
	v, ok := b.scalarValue(n.in[1+e.constant])
	return ok && allPositive([]float64{v})
}
