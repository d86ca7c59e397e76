package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
)

// TestPowers compares powers of many rows with those of the standard library, and their derivatives, for
// bases and exponents of every kind: numbers, data and parameters.
func TestPowers(t *testing.T) {
	const n = 24
	base, exponent := make([]float64, n), make([]float64, n)
	for i := range base {
		base[i], exponent[i] = math.Exp(0.9*float64(i-12)), 0.4*float64(i%7-3)
	}
	base[3], base[5], exponent[5] = 0, -2, 3
	for _, c := range []struct {
		name            string
		a, b            func(b *graph.Builder) graph.ID
		parts           []float64
		base, exponents []float64
	}{
		{"parameters", param("a", n), param("b", n), slices.Concat(base, exponent), base, exponent},
		{"a cube", param("a", n), number(3), base, base, repeated(3, n)},
		{"a fourth power", param("a", n), number(4), base, base, repeated(4, n)},
		{"an inverse square", param("a", n), number(-2), base, base, repeated(-2, n)},
		{"a power of a number", number(2), param("b", n), exponent, repeated(2, n), exponent},
		{"data to a number", data(positives(base)), param("b", 0), []float64{1.7}, positives(base),
			repeated(1.7, n)},
	} {
		b := graph.New(c.name)
		y := apply(t, b, "pow", c.a(b), c.b(b))
		b.Report("y", y)
		if err := b.Add("sum", y, 1); err != nil {
			t.Fatal(err)
		}
		e := build(t, b).NewExec()
		e.Forward(c.parts)
		e.Target()
		slopes := make([]float64, 0, len(c.parts))
		toB := 0.0
		for i, got := range e.Report(0) {
			want := portable.Pow(c.base[i], c.exponents[i])
			if !near(got, want, 1e-14) && !(math.Abs(got/want-1) <= 1e-14) {
				t.Errorf("%s, row %d: %v, want %v", c.name, i, got, want)
			}
			toB += portable.PowLog(c.base[i], want)
		}
		for i := range c.parts {
			switch {
			case len(c.parts) == 1:
				slopes = append(slopes, toB)
			case c.name == "a power of a number" || i >= n:
				power := portable.Pow(c.base[i%n], c.exponents[i%n])
				slopes = append(slopes, portable.PowLog(c.base[i%n], power))
			default:
				slopes = append(slopes, portable.PowSlope(c.base[i], c.exponents[i]))
			}
		}
		for i, got := range e.Grad() {
			if want := slopes[i]; got != want && !(math.Abs(got/want-1) <= 1e-13) &&
				!(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s, slope %d: %v, want %v", c.name, i, got, want)
			}
		}
	}
}

func param(name string, n int) func(b *graph.Builder) graph.ID {
	return func(b *graph.Builder) graph.ID {
		if n == 0 {
			return b.Param(name, shape{})
		}
		return b.Param(name, shape{n})
	}
}

func number(v float64) func(b *graph.Builder) graph.ID {
	return func(b *graph.Builder) graph.ID { return b.Scalar(v) }
}

func data(v []float64) func(b *graph.Builder) graph.ID {
	return func(b *graph.Builder) graph.ID { return b.Const("data", shape{len(v)}, v) }
}

func repeated(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func positives(v []float64) []float64 {
	out := slices.Clone(v)
	for i, x := range out {
		out[i] = math.Abs(x) + 0.5
	}
	return out
}

// TestListedVectors: a vector of a list of vectors is the one that was put there.
func TestListedVectors(t *testing.T) {
	const n = 6
	b := graph.New("list")
	m := b.Param("m", shape{n})
	vectors := []graph.ID{apply(t, b, "exp", m), apply(t, b, "sin", m), m}
	columns, err := b.Apply("reshape", graph.Attr{Shape: shape{n, 3}}, apply(t, b, "append", vectors...))
	if err != nil {
		t.Fatal(err)
	}
	list := apply(t, b, "transpose", columns)
	for k, want := range vectors {
		one, all := graph.Slice{Lo: k, Hi: k + 1, Drop: true}, graph.Slice{Hi: n}
		for _, c := range []struct {
			of   graph.ID
			cut  []graph.Slice
			want graph.ID
		}{{list, []graph.Slice{one, all}, want}, {columns, []graph.Slice{all, one}, want}} {
			got, err := b.Apply("slice", graph.Attr{Slices: c.cut}, c.of)
			if err != nil || got != c.want {
				t.Errorf("vector %d is node %d (%v), want %d", k, got, err, c.want)
			}
		}
		part, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{one, {Lo: 1, Hi: 4}}}, list)
		same, err2 := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: 1, Hi: 4}}}, want)
		if err != nil || err2 != nil || part != same {
			t.Errorf("part of vector %d is node %d, want %d (%v, %v)", k, part, same, err, err2)
		}
	}
}
