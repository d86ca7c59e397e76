package fn

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/stdlib/def"
)

// A function moves as its descriptor says, over the whole of its domain.
func TestMonotone(t *testing.T) {
	for _, f := range Elementwise() {
		var rises, falls, flat bool
		last, lastX := math.NaN(), math.NaN()
		for x := -30.0; x <= 30; x += 0.01 {
			y := value(f, x)
			if !math.IsNaN(last) && !math.IsNaN(y) && !math.IsInf(last, 0) {
				rises, falls = rises || y > last, falls || y < last
				flat = flat || y == last && math.Abs(x) < 1 && x-lastX > 0.005
			}
			last, lastX = y, x
		}
		want := map[def.Monotone]bool{
			def.NotMonotone: rises && falls, def.Increasing: rises && !falls && !flat,
			def.Nondecreasing: rises && !falls && flat, def.Decreasing: falls && !rises && !flat,
		}
		if !want[f.Monotone] {
			t.Errorf("%s: rises %v, falls %v, is flat %v, and its descriptor says %v", f.Name, rises, falls,
				flat, f.Monotone)
		}
		if g := f.TakesFactor; g != "" {
			x, y := 0.3, 1.7
			if got, want := value(f, x+value(named(t, g), y)), value(f, x)*y; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s(%v + %s(%v)) is %v, want %v", f.Name, x, g, y, got, want)
			}
		}
	}
}

func named(t *testing.T, name string) def.Func {
	for _, f := range Elementwise() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s is not a function", name)
	return def.Func{}
}

func drawRange(t *rapid.T, name string) def.Range {
	ends := []float64{math.Inf(-1), -3, -1, -0.5, 0, 0.5, 1, 2, math.Inf(1)}
	i := rapid.IntRange(0, len(ends)-2).Draw(t, name+" lower")
	j := rapid.IntRange(i+1, len(ends)-1).Draw(t, name+" upper")
	out := def.Open(ends[i], ends[j])
	out.LowerIn = !math.IsInf(out.Lower, 0) && rapid.Bool().Draw(t, name+" lower in")
	out.UpperIn = !math.IsInf(out.Upper, 0) && rapid.Bool().Draw(t, name+" upper in")
	if !math.IsInf(out.Lower, 0) && rapid.IntRange(0, 5).Draw(t, name+" point") == 0 {
		return def.Point(out.Lower)
	}
	return out
}

// in draws values of a range, its ends and values near them among them.
func in(t *rapid.T, r def.Range, name string) float64 {
	low, high := max(r.Lower, -3.5), min(r.Upper, 3.5) // further out, inv_cloglog is 1 and log_Phi is rounded
	x := low + (high-low)*rapid.SampledFrom([]float64{0, 1e-9, 0.1, 0.3, 0.5, 0.77, 1 - 1e-9, 1}).Draw(t,
		name)
	if x == r.Lower && !r.LowerIn || x == r.Upper && !r.UpperIn {
		return (low + high) / 2
	}
	return x
}

func holds(r def.Range, v float64) bool {
	const slack = 1e-12
	near := slack * (1 + math.Abs(v))
	return v > r.Lower-near && v < r.Upper+near && (v != r.Lower || r.LowerIn || math.IsInf(v, 0)) &&
		(v != r.Upper || r.UpperIn || math.IsInf(v, 0))
}

// What is computed from values of ranges is in the range computed from them, and moves in one direction with
// an operand where the descriptor says so.
func TestRangesHoldTheValues(t *testing.T) {
	apply := map[string]func(x, y float64) float64{
		"+": func(x, y float64) float64 { return x + y }, "-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 {
			return x * y
		}, "/": func(x, y float64) float64 { return x / y }, "^": math.Pow,
	}
	apply[".*"], apply["./"] = apply["*"], apply["/"]
	rapid.Check(t, func(r *rapid.T) {
		a, b := drawRange(r, "a"), drawRange(r, "b")
		x, y := in(r, a, "x"), in(r, b, "y")
		for _, op := range Operators() {
			got, v := op.Range(a, b), apply[op.Symbol](x, y)
			if got.Defined() && !math.IsNaN(v) && !math.IsInf(v, 0) && !holds(got, v) {
				r.Errorf("%v %s %v is %v, outside %+v, from %+v and %+v", x, op.Symbol, y, v, got, a, b)
			}
			left, right := op.Monotone(a, b)
			x2, x3 := in(r, a, "x2"), in(r, a, "x3")
			y2, y3 := in(r, b, "y2"), in(r, b, "y3")
			if left && turns(apply[op.Symbol], x, x2, x3, y) || right && turns(func(p, q float64) float64 {
				return apply[op.Symbol](q, p)
			}, y, y2, y3, x) {
				r.Errorf("%s turns on %+v and %+v", op.Symbol, a, b)
			}
		}
		for _, f := range Elementwise() {
			if got, v := f.Image(a), value(f, x); got.Defined() && !math.IsNaN(v) && !math.IsInf(v, 0) &&
				!holds(got, v) {
				r.Errorf("%s(%v) is %v, outside %+v, from %+v", f.Name, x, v, got, a)
			}
		}
	})
}

// turns reports whether f rises between two of three first operands and falls between others.
func turns(f func(x, y float64) float64, a, b, c, y float64) bool {
	x := []float64{a, b, c}
	slices.Sort(x)
	u, v, w := f(x[0], y), f(x[1], y), f(x[2], y)
	slack := 1e-9 * (1 + math.Abs(u) + math.Abs(v) + math.Abs(w))
	if math.IsNaN(slack) || math.IsInf(slack, 0) {
		return false
	}
	return v > u+slack && v > w+slack || v < u-slack && v < w-slack
}

// Functions of arrays move in one direction with each argument where they say so, and their ranges hold what
// they compute from elements.
func TestStructuralRanges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := drawRange(r, "a"), drawRange(r, "b")
		x := []float64{in(r, a, "x"), in(r, a, "x"), in(r, a, "x")}
		y := []float64{in(r, b, "y"), in(r, b, "y"), in(r, b, "y")}
		x1, x2 := in(r, a, "x1"), in(r, a, "x2")
		for _, f := range Structural() {
			of, ok := ofThree[f.Name]
			if !ok {
				t.Fatalf("%s has no test here", f.Name)
			}
			args, at := []def.Range{a, b}[:min(2, max(f.Arity.Max, f.Arity.Min))], 0
			if f.Arity.Min == 3 {
				args, at = []def.Range{def.Open(0, 1), a, b}, 1
			}
			got := f.Range(args)
			for i, v := range of(x, y) {
				if got.Defined() && !math.IsNaN(v) && !math.IsInf(v, 0) && !holds(got, v) {
					r.Errorf("%s of %v and %v is %v, outside %+v", f.Name, x, y, v, got)
				}
				along := func(v, _ float64) float64 { return of([]float64{v, x[1], x[2]}, y)[i] }
				if at < len(args) && f.MovesIn(args)[at] && turns(along, x[0], x1, x2, 0) {
					r.Errorf("%s turns on %+v", f.Name, a)
				}
			}
		}
	})
}

// ofThree computes elements of the value of each function for two arrays of three elements, as rows, columns
// or vectors.
var ofThree = map[string]func(x, y []float64) []float64{
	"sum": sumOfThree, "row_sums": sumOfThree, "col_sums": sumOfThree, "mean": third, "row_means": third,
	"col_means": third, "dot": products, "rowdot": products,
	"col": func(x, _ []float64) []float64 { return x },
	"row": func(x, _ []float64) []float64 { return x },
	"cumulative_sum": func(x, _ []float64) []float64 {
		return []float64{x[0], x[0] + x[1], x[0] + x[1] + x[2]}
	},
	"cumulative_max": func(x, _ []float64) []float64 {
		return []float64{x[0], max(x[0], x[1]), max(x[0], x[1], x[2])}
	},
	"where":  func(x, y []float64) []float64 { return append(slices.Clone(x), y...) },
	"append": func(x, y []float64) []float64 { return append(slices.Clone(x), y...) },
	"sd": func(x, _ []float64) []float64 {
		return []float64{math.Sqrt((square(x[0]-x[1]) + square(x[1]-x[2]) + square(x[0]-x[2])) / 6)}
	},
	"sort": func(x, _ []float64) []float64 { return slices.Sorted(slices.Values(x)) },
	"rank": func(_, _ []float64) []float64 { return []float64{1, 2, 3} },
	"quantile": func(x, _ []float64) []float64 {
		return append(slices.Sorted(slices.Values(x)), third(x, nil)...)
	},
	"outer": byPairs(func(x, y float64) float64 { return x * y }),
	"pow":   byPairs(math.Pow), "min": byPairs(math.Min), "max": byPairs(math.Max),
	"row_max": largestOfThree, "col_max": largestOfThree, "row_min": leastOfThree, "col_min": leastOfThree,
	"log_sum_exp": byPairs(logSumExp),
	"softmax": func(x, _ []float64) []float64 {
		return []float64{math.Exp(x[0] - logSumExp(x[0], logSumExp(x[1], x[2])))}
	},
	"log_softmax": func(x, _ []float64) []float64 {
		return []float64{x[0] - logSumExp(x[0], logSumExp(x[1], x[2]))}
	},
	"log_mix": byPairs(func(x, y float64) float64 { return logSumExp(math.Log(0.3)+x, math.Log(0.7)+y) }),
	"cholesky": func(x, _ []float64) []float64 {
		return []float64{math.Sqrt(x[0]), x[1] / math.Sqrt(x[0])}
	},
	"solve": func(x, y []float64) []float64 { return []float64{y[0] / x[0]} },
	"diag":  func(x, _ []float64) []float64 { return append([]float64{0}, x...) },
	"quad_form": func(x, y []float64) []float64 {
		return []float64{y[0]*y[0]*x[0] + 2*y[0]*y[1]*x[1] + y[1]*y[1]*x[2]}
	},
	"gp_exp_quad": covarianceOfThree, "gp_matern32": covarianceOfThree, "gp_matern52": covarianceOfThree,
	"hmm_marginal": func(x, _ []float64) []float64 { return []float64{logSumExp(x[0], x[1])} },
	"hmm_hidden_state_prob": func(x, _ []float64) []float64 {
		return []float64{math.Exp(x[0] - logSumExp(x[0], x[1]))}
	},
	"rep": func(x, _ []float64) []float64 { return x[:1] },
	"pi":  func(_, _ []float64) []float64 { return []float64{math.Pi} },
}

func largestOfThree(x, _ []float64) []float64 { return []float64{slices.Max(x)} }
func leastOfThree(x, _ []float64) []float64   { return []float64{slices.Min(x)} }
func sumOfThree(x, _ []float64) []float64     { return []float64{x[0] + x[1] + x[2]} }
func covarianceOfThree(x, y []float64) []float64 {
	return []float64{x[0] * x[0] * math.Exp(-square(y[0])), x[0] * x[0]}
}
func third(x, _ []float64) []float64    { return []float64{(x[0] + x[1] + x[2]) / 3} }
func products(x, y []float64) []float64 { return []float64{x[0]*y[0] + x[1]*y[1] + x[2]*y[2]} }
func square(x float64) float64          { return x * x }

func byPairs(f func(x, y float64) float64) func(x, y []float64) []float64 {
	return func(x, y []float64) []float64 { return []float64{f(x[0], y[0]), f(x[1], y[1]), f(x[2], y[2])} }
}
