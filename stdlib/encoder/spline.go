package encoder

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/stdlib/def"
)

// Spline gives a basis of natural cubic splines, the columns of R's ns(x, df): cubic between knots, linear
// beyond the smallest and the largest fitted value. The df - 1 inner knots are at equally spaced quantiles
// (R's type 7), and there is no column for the intercept.
//
// The cubic B-splines without the first one are multiplied by the part of an orthogonal matrix that is
// orthogonal to the two conditions of a natural spline, second derivatives of 0 at the ends; Householder
// reflections give this matrix, with signs as in LINPACK. The fitted numbers are the smallest value and the
// range; the df + 7 knots, mapped to [0, 1], the ends four times each; and the matrix, df + 2 rows by df
// columns, row by row.
func Spline() def.Encoder {
	const name, df = "spline", "df"
	return def.Encoder{
		Name: name,
		Doc: "A natural cubic spline of a numeric column, as R's ns: df columns, named spline(age, 1) and " +
			"so on. Between its knots the spline is cubic, beyond the smallest and largest value that it " +
			"was fitted to it is linear. " +
			"The df - 1 inner knots are the quantiles that divide the fitted rows equally. The " +
			"coefficients have no meaning one by one; the curve has.",
		Examples: []string{"data X : real[N, P] from spline(age, df=4)"},
		Columns:  one(),
		Options: []def.Option{{Name: df,
			Doc: "the number of columns, one more than there are inner knots; without it 4", Least: 1,
			Most: 50}},
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			n, err := strconv.Atoi(f.Options[df])
			if err != nil {
				n = 4
			}
			return fitSpline(c[0].Numbers, n, f)
		},
		Names: func(columns []string, f *def.Fitted) []string {
			return numbered(name, columns[0], columnsOf(f))
		},
		Apply: applySpline,
	}
}

// cubic is the degree of the pieces.
const cubic = 3

// columnsOf solves 2 + (df + 7) + (df + 2) df for df, the number of columns.
func columnsOf(f *def.Fitted) int {
	df := 1
	for 2+df+7+(df+2)*df < len(f.Numbers) {
		df++
	}
	return df
}

func fitSpline(x []float64, df int, f *def.Fitted) *def.Fault {
	sorted := slices.Sorted(slices.Values(x))
	low, high := sorted[0], sorted[len(sorted)-1]
	few := distinct(x, df+1) <= df
	inner := make([]float64, df+1)
	for k := range inner {
		inner[k] = (quantile(sorted, float64(k)/float64(df)) - low) / (high - low)
	}
	for k := range df {
		if few || !(inner[k] < inner[k+1]) {
			return &def.Fault{Kind: def.NoVariation,
				Text: fmt.Sprintf("has too few different values for spline with df=%d: its columns could "+
					"not be told apart; lower df", df)}
		}
	}
	knots := slices.Concat([]float64{0, 0, 0, 0}, inner[1:df], []float64{1, 1, 1, 1})
	f.Numbers = slices.Concat([]float64{low, high - low}, knots, natural(knots, df))
	return nil
}

// quantile is R's type 7: between the order statistics around (n-1)q.
func quantile(sorted []float64, q float64) float64 {
	at := float64(q * float64(len(sorted)-1))
	k := min(int(at), len(sorted)-2)
	if k < 0 {
		return sorted[0]
	}
	return sorted[k] + float64((at-float64(k))*(sorted[k+1]-sorted[k]))
}

// natural is the orthogonal matrix of the reflections that map the conditions at the two ends to the first
// two coordinates, without its first two columns.
func natural(knots []float64, df int) []float64 {
	n := df + 2
	ends := [2][]float64{make([]float64, n), make([]float64, n)}
	for j := range n {
		unit := make([]float64, n+1)
		unit[j+1] = 1
		ends[0][j], ends[1][j] = curvature(knots, unit, 0), curvature(knots, unit, 1)
	}
	first := reflector(ends[0], 0)
	reflect(first, ends[1])
	second := reflector(ends[1], 1)
	out := make([]float64, n*df)
	for k := range df {
		column := make([]float64, n)
		column[k+2] = 1
		reflect(second, column)
		reflect(first, column)
		for j, v := range column {
			out[j*df+k] = v
		}
	}
	return out
}

// reflector returns the vector w of the reflection I - 2ww' that maps v, from the element l on, to a multiple
// of the unit vector of l.
func reflector(v []float64, l int) []float64 {
	w := make([]float64, len(v))
	copy(w[l:], v[l:])
	w[l] += math.Copysign(norm(w), w[l])
	length := norm(w)
	for i := range w {
		w[i] /= length
	}
	return w
}

// reflect applies the reflection of w to v.
func reflect(w, v []float64) {
	d := 0.0
	for i := range v {
		d += float64(w[i] * v[i])
	}
	for i := range v {
		v[i] -= float64(2 * d * w[i])
	}
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += float64(x * x)
	}
	return math.Sqrt(s)
}

// curvature is the second derivative, at the end 0 or 1, of the cubic spline with the given coefficients.
func curvature(knots, c []float64, end float64) float64 {
	c = slices.Clone(c)
	for p := cubic; p > 1; p-- { // the coefficients of a derivative are differences
		for i := 0; i+1 < len(c); i++ {
			c[i] = float64(p) * (c[i+1] - c[i]) / (knots[i+p+1] - knots[i+1])
		}
		c, knots = c[:len(c)-1], knots[1:len(knots)-1]
	}
	if end == 0 {
		return c[0]
	}
	return c[len(c)-1]
}

func applySpline(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	df := len(out)
	knots, matrix := f.Numbers[2:df+9], f.Numbers[df+9:]
	for i, x := range c[0].Numbers {
		u := (x - f.Numbers[0]) / f.Numbers[1]
		var b [cubic + 1]float64
		first := bases(knots, u, &b)
		for k := range out {
			s := 0.0
			for j, v := range b {
				if row := first + j - 1; row >= 0 {
					s += float64(v * matrix[row*df+k])
				}
			}
			out[k][i] = s
		}
		tooFar(i, x, out, fault)
	}
}

// bases computes the cubic B-splines that are not 0 at u, and returns the index of the first. Beyond the ends
// they continue as straight lines.
func bases(knots []float64, u float64, b *[cubic + 1]float64) (first int) {
	at := max(0, min(1, u))
	m := cubic // the interval from knot m to knot m+1 holds u
	for m+2 < len(knots)-cubic && at >= knots[m+1] {
		m++
	}
	var slope [cubic + 1]float64
	*b = [cubic + 1]float64{1}
	for p := 1; p <= cubic; p++ { // de Boor, A Practical Guide to Splines, ch. X
		var next [cubic + 1]float64
		for j := range p {
			left, right := knots[m+1+j-p], knots[m+1+j]
			share := b[j] / (right - left)
			next[j] += float64((right - at) * share)
			next[j+1] += float64((at - left) * share)
			if p == cubic {
				slope[j] -= float64(cubic * share)
				slope[j+1] += float64(cubic * share)
			}
		}
		*b = next
	}
	if u != at {
		for j := range b {
			b[j] += float64((u - at) * slope[j])
		}
	}
	return m - cubic
}
