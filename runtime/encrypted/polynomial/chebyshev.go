package polynomial

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/vflc/vflc/portable"
)

// An Interval is [Centre - K, Centre + K].
type Interval struct{ Centre, K float64 }

// String is the interval as text.
func (i Interval) String() string {
	return "[" + number(i.Centre-i.K) + ", " + number(i.Centre+i.K) + "]"
}

// number is a number in six digits at most.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// A Polynomial is Σ c_k·T_k((eta - Centre)/K), with T_k the Chebyshev polynomials.
type Polynomial struct {
	Interval
	Coefficients []float64 // c; none for 0
}

// Degree is that of the polynomial; 0 is of degree -1.
func (p Polynomial) Degree() int { return len(p.Coefficients) - 1 }

// Depth is how many multiplications follow each other in an evaluation.
func (p Polynomial) Depth() int { return bits.Len(uint(max(p.Degree(), 0))) }

// At is the value at a predictor.
func (p Polynomial) At(eta float64) float64 { return p.in((eta - p.Centre) / p.K) }

// in is the value at t in [-1, 1], by Clenshaw's recurrence.
func (p Polynomial) in(t float64) float64 {
	if len(p.Coefficients) == 0 {
		return 0
	}
	b1, b2 := 0.0, 0.0
	for k := len(p.Coefficients) - 1; k > 0; k-- {
		b1, b2 = p.Coefficients[k]+float64(2*t*b1)-b2, b1
	}
	return p.Coefficients[0] + float64(t*b1) - b2
}

// String is the coefficients as hexadecimal numbers, which every machine reads as the same.
func (p Polynomial) String() string {
	words := make([]string, len(p.Coefficients))
	for k, c := range p.Coefficients {
		words[k] = strconv.FormatFloat(c, 'x', -1, 64)
	}
	return strings.Join(words, " ")
}

// derivative is that by the predictor.
func (p Polynomial) derivative() Polynomial {
	n := len(p.Coefficients)
	d := Polynomial{Interval: p.Interval}
	if n < 2 {
		return d
	}
	c := make([]float64, n+1)
	for k := n - 1; k > 0; k-- {
		c[k-1] = c[k+1] + float64(2*float64(k)*p.Coefficients[k])
	}
	c[0] /= 2
	for k := range c {
		c[k] /= p.K
	}
	d.Coefficients = c[:n-1]
	return d
}

// cosines returns cos(πm/n) for m from 0 to n, antisymmetric about n/2.
func cosines(n int) []float64 {
	c := make([]float64, n+1)
	for m := range c {
		switch {
		case 2*m < n:
			c[m] = portable.Cos(math.Pi * float64(m) / float64(n))
		case 2*m > n:
			c[m] = -c[n-m]
		}
	}
	return c
}

// interpolate returns the polynomials of degree n ≥ 1 through two functions at the extrema of T_n, the ends
// of the interval among them.
func interpolate(on Interval, n int, f func(eta float64) parts) (a, b Polynomial) {
	cos := cosines(n)
	at := make([]parts, n+1)
	for k := range at {
		at[k] = f(on.Centre + float64(on.K*cos[k]))
	}
	at[0], at[n] = half(at[0]), half(at[n])
	a = Polynomial{on, make([]float64, n+1)}
	b = Polynomial{on, make([]float64, n+1)}
	for j := range n + 1 {
		var sum parts
		for k, v := range at {
			m := j * k % (2 * n)
			c := cos[min(m, 2*n-m)]
			sum.a += float64(v.a * c)
			sum.b += float64(v.b * c)
		}
		if j == 0 || j == n {
			sum = half(sum)
		}
		a.Coefficients[j], b.Coefficients[j] = 2*sum.a/float64(n), 2*sum.b/float64(n)
	}
	return a, b
}

// Interpolate returns the polynomial of degree n ≥ 1 through a function at the extrema of T_n, without
// coefficients that are a part 2^-46 of the largest.
func Interpolate(on Interval, n int, f func(eta float64) float64) Polynomial {
	p, _ := interpolate(on, n, func(eta float64) parts { return parts{a: f(eta)} })
	p, _ = p.rounded(0x1p-46 * p.size())
	return p
}

// Bounds are below and above all values of a polynomial on its interval: as a function of the angle arccos t
// it has a second derivative of at most the square of its degree times its largest absolute value
// (Bernstein), so that between points that are a step apart it is at most step²/8 of that beyond the larger.
func (p Polynomial) Bounds() (least, most float64) {
	n := perDegree * max(1, p.Degree())
	for _, t := range cosines(n) {
		v := p.in(t)
		least, most = min(least, v), max(most, v)
	}
	const between = math.Pi * math.Pi / (8 * perDegree * perDegree)
	beyond := float64(between / (1 - between) * max(most, -least))
	return least - beyond, most + beyond
}

func half(v parts) parts { return parts{v.a / 2, v.b / 2} }

// rounded is the polynomial without coefficients of a size up to least: those that are 0 but for rounding, or
// that the error does not notice. The difference is at most lost.
func (p Polynomial) rounded(least float64) (q Polynomial, lost float64) {
	q = Polynomial{Interval: p.Interval}
	for _, c := range p.Coefficients {
		if math.Abs(c) <= least {
			c, lost = 0, lost+math.Abs(c)
		}
		q.Coefficients = append(q.Coefficients, c)
	}
	for len(q.Coefficients) > 0 && q.Coefficients[len(q.Coefficients)-1] == 0 {
		q.Coefficients = q.Coefficients[:len(q.Coefficients)-1]
	}
	return q, lost
}

// size is the largest coefficient.
func (p Polynomial) size() float64 {
	v := 0.0
	for _, c := range p.Coefficients {
		v = max(v, math.Abs(c))
	}
	return v
}
