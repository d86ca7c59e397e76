package encrypted

import (
	"math"
	"math/big"
	"testing"
)

// The rows that a bound of noise is worst for: all numbers at their bounds, with one sign or with two; one
// row alone; arguments where the slope of the polynomial is largest; a column that is the response, and the
// argument.
func worstRows(n int, k float64) map[string]*table {
	of := func(f func(i int) (s, x, y float64)) *table {
		out := &table{cuts: [][]float64{make([]float64, n), make([]float64, n)},
			x: [][]float64{make([]float64, n)}, y: make([]float64, n)}
		for i := range n {
			s, x, y := f(i)
			out.cuts[0][i], out.cuts[1][i], out.x[0][i], out.y[i] = s/2, s/2, x, y
		}
		return out
	}
	sign := func(i int) float64 { return float64(1 - 2*(i%2)) }
	return map[string]*table{
		"all at their bounds": of(func(int) (s, x, y float64) { return k, 4, 1 }),
		"with two signs":      of(func(i int) (s, x, y float64) { return k * sign(i), 4 * sign(i/2), 1 }),
		"the steepest":        of(func(int) (s, x, y float64) { return 1e-3, 4, 1 }),
		"one row alone": of(func(i int) (s, x, y float64) {
			if i == 1 {
				return k, 4, 1
			}
			return 0, 0, 0
		}),
		"all the same": of(func(i int) (s, x, y float64) {
			return float64(i % 2), float64(i % 2), float64(i % 2)
		}),
	}
}

// plans are those of a slope with a factor, and of a curvature.
func plans(t *testing.T, p *Parameters, k float64) (slope, curvature *Circuit) {
	t.Helper()
	factor, bent := residual(31, k, 1), residual(31, k, 2)
	factor.Factor, factor.Term, bent.Factor = factor.Term, residual(63, k, 1).Term, nil
	return must(p.Plan(factor, 2))(t), must(p.Plan(bent, 2))(t)
}

// sums are the kinds of sums that are opened.
func (r *run) sums(t *testing.T, d *table, k float64, factor, bent *Circuit) map[string]*EncryptedSum {
	t.Helper()
	v := r.vectors(t, d, k)
	x, by := v.columns[0], make([]float64, len(d.y))
	copy(by, []float64{1, -1})
	slope := must(r.keys.Rows(factor, v.cuts, v.y))(t)
	weighed := must(must(r.keys.Rows(bent, v.cuts, nil))(t).Weigh(x))(t)
	return map[string]*EncryptedSum{
		"slope":         must(slope.Product(x))(t),
		"total":         must(slope.Total(nil))(t),
		"of two rows":   must(slope.Total(by))(t),
		"plus":          must(must(slope.Plus(x))(t).Total(nil))(t),
		"curvature":     must(weighed.Product(x))(t),
		"square":        must(r.keys.Cross(x, x))(t),
		"with response": must(r.keys.Cross(x, v.y))(t),
		"binary":        must(must(r.keys.Binary(v.y, 1))(t).Total(nil))(t),
	}
}

// A sample is the noise of sums of one name over keys and encryptions, but for the first, and its bound.
type sample struct {
	first *big.Int
	noise []float64
	bound float64
}

// sampled derives sums of tables of numbers with so many keys. The numbers are the same, so that the sums
// differ by noise alone.
func sampled(t *testing.T, log, keys int, k float64, tables map[string]*table) map[string]*sample {
	t.Helper()
	p, out := must(Insecure(log, 2, 100))(t), map[string]*sample{}
	slope, curvature := plans(t, p, k)
	for i := range keys {
		r := ceremony(t, p, ReferenceString{byte(i)})
		for rows, d := range tables {
			for name, s := range r.sums(t, d, k, slope, curvature) {
				c, at := r.coefficient(s), name+", "+rows
				if out[at] == nil {
					out[at] = &sample{first: c, bound: s.wrong * s.unit()}
				}
				f, _ := new(big.Float).SetInt(new(big.Int).Sub(c, out[at].first)).Float64()
				out[at].noise = append(out[at].noise, f)
			}
		}
	}
	return out
}

// Over keys, encryptions and the rows that are worst, noise is far below its bound, and the bound at a
// hundred times the deviation of the noise and more: it is of at least tail deviations with the values of
// secrets at as many of theirs. Bounds that added up absolute values would be 11 times as large here.
func TestNoiseOfTheWorstRows(t *testing.T) {
	const log, keys, k = 6, 24, 6
	for at, s := range sampled(t, log, keys, k, worstRows(2<<log-3, k)) {
		mean, square, far := 0.0, 0.0, 0.0
		for _, v := range s.noise {
			mean += v / keys
		}
		for _, v := range s.noise {
			square += (v - mean) * (v - mean) / (keys - 1)
			far = max(far, math.Abs(v-mean))
		}
		if deviations := s.bound / math.Sqrt(square); deviations < 5*tail || deviations > 500*tail ||
			far > s.bound/10 {
			t.Errorf("%s: the bound is of %.3g deviations of the noise, and %.3g times the largest", at,
				deviations, s.bound/far)
		}
	}
}

// So it is in the ring of a run.
func TestNoiseInTheRingOfARun(t *testing.T) {
	const k, worst = 6, "all at their bounds"
	d := worstRows(1<<logDegree, k)[worst]
	for at, s := range sampled(t, logDegree, 2, k, map[string]*table{worst: d}) {
		if far := math.Abs(s.noise[1]); far > s.bound/5 || far < s.bound/1e6 {
			t.Errorf("%s: the bound is %.3g times the noise", at, s.bound/far)
		}
	}
}

// Special primes that are small leave the error of a relinearisation below that of rounding, of two parties
// and of a thousand.
func TestRelinearisationIsBelowRounding(t *testing.T) {
	for _, holders := range []int{2, 1000} {
		p := must(build(logDegree, holders, 1))(t)
		for l, v := range p.noise.relin {
			if relin := v / p.scale(); relin > p.noise.rounding/10 {
				t.Errorf("%d holders, level %d: %.3g, and rounding %.3g", holders, l, relin, p.noise.rounding)
			}
		}
	}
}
