package encoder

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vflc/vflc/stdlib/def"
)

// Poly gives orthogonal polynomials, those of R's poly: for k up to the degree, the polynomial of degree k
// with a positive leading coefficient that is orthogonal, over the rows, to all of lower degree, and has sum
// of squares 1 (Kennedy and Gentle, Statistical Computing, 1980, ch. 8.5).
//
// They are computed by their three-term recurrence in u = (x - center)/scale, which maps the fitted column
// into [-1, 1]. The fitted numbers are center and scale, then for each degree k from 0 the coefficient α_k =
// Σ u p_k² / Σ p_k² and the sum of squares Σ p_k².
func Poly() def.Encoder {
	const name, degree = "poly", "degree"
	return def.Encoder{
		Name: name,
		Doc: "Orthogonal polynomials of a numeric column, as R's poly: one column for each degree from 1, " +
			"each with mean 0 and sum of squares 1 over the fitted rows, and uncorrelated with the others. " +
			"The polynomial of degree k does not depend on the highest degree, and its column is named so: " +
			"poly(age, 1), poly(age, 2). New rows go through the same polynomials.",
		Examples: []string{"data X : real[N, P] from poly(age, 2)"},
		Columns:  one(),
		Options: []def.Option{{Name: degree,
			Doc: "the highest degree, less than the number of different values", Least: 1, Most: maxDegree,
			Positional: true}},
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			k, _ := strconv.Atoi(f.Options[degree])
			return fitPoly(c[0], k, f)
		},
		Names: func(columns []string, f *def.Fitted) []string {
			return numbered(name, columns[0], len(f.Numbers)/2-2)
		},
		Apply: applyPoly,
	}
}

// maxDegree bounds the degree: beyond, polynomials swing between the rows in double precision.
const maxDegree = 20

// numbered names the columns of an encoder that numbers them: "poly(age, 1)".
func numbered(encoder, column string, n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = fmt.Sprintf("%s(%s, %d)", encoder, column, k+1)
	}
	return out
}

// fitPoly finds the coefficients of the recurrence, Stieltjes' procedure.
func fitPoly(c def.Column, degree int, f *def.Fitted) *def.Fault {
	center := mean(c.Numbers)
	scale := 0.0
	for _, x := range c.Numbers {
		scale = max(scale, math.Abs(x-center))
	}
	if distinct(c.Numbers, degree+1) <= degree || scale == 0 || math.IsInf(scale, 0) {
		return &def.Fault{Kind: def.NoVariation,
			Text: fmt.Sprintf("has too few different values for polynomials of degree %d, which "+
				"need %d; lower the degree", degree, degree+1)}
	}
	f.Numbers = []float64{center, scale}
	u, p, before := make([]float64, len(c.Numbers)), make([]float64, len(c.Numbers)),
		make([]float64, len(c.Numbers))
	for i, x := range c.Numbers {
		u[i], p[i] = (x-center)/scale, 1
	}
	last := 1.0
	for k := 0; ; k++ {
		squares, moment := 0.0, 0.0
		for i, v := range p {
			squares += float64(v * v)
			moment += float64(u[i] * v * v)
		}
		if !(squares > 1e-28*last) {
			return &def.Fault{Kind: def.NoVariation,
				Text: fmt.Sprintf("its values are so close together that polynomials of degree %d cannot "+
					"be told apart; lower the degree", k)}
		}
		alpha := moment / squares
		f.Numbers = append(f.Numbers, alpha, squares)
		if k == degree {
			return nil
		}
		for i := range p {
			p[i], before[i] = step(u[i], p[i], before[i], alpha, squares/last, k), p[i]
		}
		last = squares
	}
}

// step gives the polynomial of degree k+1 from those of degrees k and k-1.
func step(u, p, before, alpha, beta float64, k int) float64 {
	if k == 0 {
		return u - alpha
	}
	return float64((u-alpha)*p) - float64(beta*before)
}

// distinct counts different values, up to a number.
func distinct(v []float64, enough int) int {
	seen := map[float64]bool{}
	for _, x := range v {
		if seen[x] = true; len(seen) > enough {
			break
		}
	}
	return len(seen)
}

func applyPoly(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	for i, x := range c[0].Numbers {
		u, p, before, last := (x-f.Numbers[0])/f.Numbers[1], 1.0, 0.0, 1.0
		for k := range out {
			alpha, squares := f.Numbers[2*k+2], f.Numbers[2*k+3]
			p, before, last = step(u, p, before, alpha, squares/last, k), p, squares
			out[k][i] = p / math.Sqrt(f.Numbers[2*k+5])
		}
		tooFar(i, x, out, fault)
	}
}

// tooFar reports a cell whose columns overflow.
func tooFar(i int, x float64, out [][]float64, fault func(int, def.Fault)) {
	for k := range out {
		if math.IsNaN(x) || !math.IsInf(out[k][i], 0) && !math.IsNaN(out[k][i]) {
			continue
		}
		fault(i, def.Fault{Kind: def.NotFinite,
			Text: "is so far from the data that the encoder was fitted to that its " +
				"columns are not finite numbers"})
		for _, column := range out {
			column[i] = math.NaN()
		}
		return
	}
}
