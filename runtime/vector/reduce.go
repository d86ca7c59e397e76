package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// lanes is the number of partial sums of a reduction: element i belongs to lane i modulo 8.
const lanes = 8

// A partial holds the partial sums of one pass: four groups of lanes take eight elements each in turn.
type partial [4][lanes]float64

// sum adds up the groups in pairs, then the lanes.
func (p *partial) sum() float64 {
	var s [lanes]float64
	for l := range s {
		s[l] = (p[0][l] + p[1][l]) + (p[2][l] + p[3][l])
	}
	return fold(&s)
}

// fold adds lanes l and l+4, then l and l+2, then l and l+1.
func fold(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Sum returns Σ a: lane sums over four groups of eight lanes, added up at the end.
func Sum(n int, a []float64) float64 { return sum(active, n, a) }

// Dot returns Σ a·b, in the order of Sum, each product added with one rounding.
func Dot(n int, a, b []float64) float64 { return dot(active, n, a, b) }

// WeightedSum returns Σ w·a, part by part in the order of Dot. It leaves out elements of weight 0, even if a
// is not finite.
func WeightedSum(n int, w, a []float64) float64 {
	const few, part = 32, 256
	if n <= few { // the parts take longer to be made than to be added up
		var p partial
		for i, v := range w[:n] {
			s := &p[i/lanes%4][i%lanes]
			*s = math.FMA(v, portable.Where(v != 0, a[i], 0), *s)
		}
		return p.sum()
	}
	var chosen, none [part]float64
	total := 0.0
	for from := 0; from < n; from += part {
		k := min(part, n-from)
		Select(k, chosen[:], w[from:], a[from:], none[:])
		total += Dot(k, w[from:], chosen[:])
	}
	return total
}

func sumGo(n int, a []float64) float64 {
	var p partial
	for i, v := range a[:n] {
		p[i/lanes%4][i%lanes] += v
	}
	return p.sum()
}

func dotGo(n int, a, b []float64) float64 {
	var p partial
	for i, v := range a[:n] {
		s := &p[i/lanes%4][i%lanes]
		*s = math.FMA(v, b[i], *s)
	}
	return p.sum()
}
