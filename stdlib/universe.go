// Package stdlib is the Universe: the explicit list of what is built into the language, its pages, and what
// models build from distributions: mixtures, truncated and censored ones, and terms of the density.
package stdlib

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/encoder"
	"github.com/vflc/vflc/stdlib/fn"
)

// Noise is the distribution of an auxiliary variable: around its cut, with a standard deviation rho.
const Noise = "normal"

// Flat is the distribution with density 1 everywhere.
const Flat = "flat"

// A Universe finds built-in things by name. Distributions, functions and encoders have separate namespaces.
// It is immutable and safe for concurrent use; what it returns is shared and must not be changed.
type Universe struct {
	dists       map[string]*def.Dist
	funcs       map[string]*def.Func
	structurals map[string]*def.Structural
	operators   map[string]*def.Operator
	encoders    map[string]*def.Encoder
	bijectors   map[string]*def.Bijector
	structured  map[string]*def.Structured
	initials    []def.Initial
	modules     map[string]string
	factor      def.Dist
}

// New returns the Universe of this version of the language.
func New() *Universe {
	return &Universe{
		dists: byName(slices.Concat(dist.All(), dist.Events()), func(d *def.Dist) string {
			return d.Name
		}),
		funcs: byName(fn.Elementwise(), func(f *def.Func) string { return f.Name }),
		structurals: byName(fn.WithGrouped(fn.Structural()), func(s *def.Structural) string {
			return s.Name
		}),
		operators:  byName(fn.Operators(), func(o *def.Operator) string { return o.Symbol }),
		encoders:   byName(encoder.All(), func(e *def.Encoder) string { return e.Name }),
		bijectors:  byName(bijector.All(), func(b *def.Bijector) string { return b.Name }),
		structured: byName(bijector.Structured(), func(s *def.Structured) string { return s.Name }),
		initials:   initials(),
		modules:    modules(),
		factor:     Factor(),
	}
}

func byName[T any](list []T, name func(*T) string) map[string]*T {
	m := make(map[string]*T, len(list))
	for i := range list {
		m[name(&list[i])] = &list[i]
	}
	return m
}

// Dist returns the distribution with the given name.
func (u *Universe) Dist(name string) (*def.Dist, bool) {
	d, ok := u.dists[name]
	return d, ok
}

// With returns the Universe with one more distribution, which a model declares.
func (u *Universe) With(d *def.Dist) *Universe {
	out := *u
	out.dists = maps.Clone(u.dists)
	out.dists[d.Name] = d
	return &out
}

// Library returns the Universe without what a model declares.
func (u *Universe) Library() *Universe {
	out := *u
	out.dists = maps.Clone(u.dists)
	maps.DeleteFunc(out.dists, func(_ string, d *def.Dist) bool { return d.Declared })
	return &out
}

// Factor returns what the statement `factor` adds to the log density, in the form of a distribution of its
// value.
func (u *Universe) Factor() *def.Dist { return &u.factor }

// Mixes reports whether a function adds densities, so that it mixes distributions.
func (u *Universe) Mixes(name string) bool {
	s, ok := u.structurals[name]
	return ok && s.AddsDensities
}

// Func returns the elementwise function with the given name. Its result is real, with the shape of its
// argument.
func (u *Universe) Func(name string) (*def.Func, bool) {
	f, ok := u.funcs[name]
	return f, ok
}

// Structural returns the structural function with the given name.
func (u *Universe) Structural(name string) (*def.Structural, bool) {
	s, ok := u.structurals[name]
	return s, ok
}

// LinearIn lists the groups of arguments in which a call of a function with n arguments is linear: see
// def.Structural.
func (u *Universe) LinearIn(name string, n int) [][]int {
	if f, ok := u.Func(name); ok && f.Linear {
		return [][]int{{0}}
	}
	if f, ok := u.Structural(name); ok {
		return f.LinearIn(n)
	}
	return nil
}

// Operator returns the operator of arithmetic with the given symbol.
func (u *Universe) Operator(symbol string) (*def.Operator, bool) {
	o, ok := u.operators[symbol]
	return o, ok
}

// Encoder returns the encoder with the given name.
func (u *Universe) Encoder(name string) (*def.Encoder, bool) {
	e, ok := u.encoders[name]
	return e, ok
}

// Transform returns the transform with the given name.
func (u *Universe) Transform(name string) (def.Transform, bool) { return TransformNamed(name) }

// Transforms returns the names of the transforms, in the order of the documentation.
func (u *Universe) Transforms() []string { return TransformNames() }

// Initial returns the kind of initial values with the given name.
func (u *Universe) Initial(name string) (*def.Initial, bool) {
	for i := range u.initials {
		if u.initials[i].Name == name {
			return &u.initials[i], true
		}
	}
	return nil, false
}

// Initials returns the names of the kinds of initial values, in the order of the documentation.
func (u *Universe) Initials() []string {
	var names []string
	for _, k := range u.initials {
		names = append(names, k.Name)
	}
	return names
}

// DefaultInitial returns the kind of initial values of a weight that names none, by its number of dimensions:
// as in a dense layer of Keras, matrices are drawn and intercepts are 0.
func (u *Universe) DefaultInitial(rank int) *def.Initial {
	kind := zeros()
	if rank >= 2 {
		kind = glorotUniform()
	}
	return &kind
}

// For returns the map from the real line to the numbers between the bounds, nil where there is none. The
// bounds themselves are passed to its functions.
func (u *Universe) For(lower, upper *float64) *def.Bijector {
	switch {
	case lower != nil && upper != nil:
		return u.bijectors["interval"]
	case lower != nil:
		return u.bijectors["lower"]
	case upper != nil:
		return u.bijectors["upper"]
	}
	return u.bijectors["identity"]
}

// Dists returns the names of the distributions, sorted.
func (u *Universe) Dists() []string { return slices.Sorted(maps.Keys(u.dists)) }

// Funcs returns the names of the functions, elementwise and structural, which share a namespace, sorted.
func (u *Universe) Funcs() []string {
	names := slices.Collect(maps.Keys(u.funcs))
	for name, s := range u.structurals {
		if !s.ByGroups {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Encoders returns the names of the encoders, sorted.
func (u *Universe) Encoders() []string { return slices.Sorted(maps.Keys(u.encoders)) }

// Bijectors returns the names of the bijectors, sorted.
func (u *Universe) Bijectors() []string { return slices.Sorted(maps.Keys(u.bijectors)) }

// Structured returns the type of vectors or matrices with the given name.
func (u *Universe) Structured(name string) (*def.Structured, bool) {
	s, ok := u.structured[name]
	return s, ok
}

// StructuredOf returns the type whose values are a support, nil where there is none.
func (u *Universe) StructuredOf(support def.Support) *def.Structured {
	for _, s := range u.structured {
		if s.Support == support {
			return s
		}
	}
	return nil
}

// StructuredTypes returns the names of the types of vectors and matrices, sorted.
func (u *Universe) StructuredTypes() []string { return slices.Sorted(maps.Keys(u.structured)) }
