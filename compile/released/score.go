package released

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/release"
)

// scored writes the likelihood of the last score. Earlier ones and the moments only say where it was
// taken: to first order the score less its slope times the distance of the parameters is the score at the
// parameters, wherever that was, and its distribution is that over responses given the columns, and of
// its own noise. What the moments say of the responses is said again in it, and is not used twice.
func (w *writer) scored() {
	g, normal := w.m.Gradients, w.Scale != nil
	last := g.Steps[len(g.Steps)-1]
	s := (&where{Moments: w.m}).shrunk(last)
	back := inverse(g.Map)
	n := float64(w.m.Rows)
	w.line("const $n = %d", len(back))
	w.line("const $p = %d", len(w.columns))
	w.line("let $one = diag(rep(1, $n))")
	w.line("let $at = %s", vector(last.At))
	w.line("let $to = %s", matrix(transposed(back, w.columns))) // with x = back·z, zᵀβ = xᵀb for β = backᵀ·b
	w.line("let $md = %s", matrix(positive(s.Curvature, n/1000)))
	w.line("let $w = %s", matrix(positive(s.Spread, n/1000)))
	w.line("let $score = %s", vector(s.Gradient))
	if normal {
		w.bent(last, s)
	} else {
		w.line("let $d = $to * $b - $at")
		w.line("let $vary = 1")
	}
	if len(w.columns) == len(back) {
		(&where{Moments: w.m}).expected(last, s.Curvature).written(w)
		w.line("let $c = solve($md, $expected)") // the distance as first order has it
		w.near()
	} else { // what is left out is in the residual, and depends on the predictor: first order
		w.line("let $c = %s / sqrt($bent) * $d", number(math.Sqrt(2/math.Pi)))
		w.line("let $expected = %s * $c", matrix(s.Curvature))
	}
	w.line("let $z = %s * $one + %s * (dot($c, $c) * $one + outer($c, $c))", number(s.OfGradient),
		number(s.OfCurvature/2))
	w.line("let $all = $vary * $w + $z")
	w.line("let $rest = $score - $expected")
	if len(w.columns) < len(back) {
		var rows [][]float64
		for _, k := range w.columns {
			rows = append(rows, back[k])
		}
		w.line("let $pick = %s", matrix(rows))
		w.line("let $g = $pick * $rest")
		w.line("let $v = $pick * $all * $pick'")
	} else {
		w.line("let $g = $rest")
		w.line("let $v = $all")
	}
	w.gaussian()
	if normal {
		w.line("let $h = %s - %d * $vary", number(s.Square), w.m.Rows)
		w.line("let $hv = %d * ($four - $vary^2) + %s", w.m.Rows, number(s.OfSquare))
		w.line("factor -0.5 * $h^2 / $hv - 0.5 * log($hv)")
	}
}

// faintly is the weight that the score before the last has in the density, beside 1 of the last. Far from
// both the last is the same everywhere, and a chain that begins there would stay; what it says near them is
// in the last too.
const faintly = .01

// near writes what the score before the last says of the distance.
func (w *writer) near() {
	steps := w.m.Gradients.Steps
	if w.m.Terms.NoNoise || len(steps) < 2 {
		return
	}
	a, _ := (&where{Moments: w.m}).told(steps[len(steps)-2])
	by := 1.0
	if w.Scale != nil {
		by = steps[len(steps)-1].Scale / steps[len(steps)-2].Scale
	}
	w.line("factor %s * quad_form(%s, $d)", number(-faintly/2*by*by), matrix(a.precision()))
}

// bent writes what ψ does to a residual. With x the predictor's distance in units of the scale, and ρ the
// scale's ratio, the expectation of ψ = erf((ρe + x)/√2·τ) over a normal e has the slope √(2/π(τ² + ρ²))
// at 0; over normal x of variance q, the covariance of ψ with anything that is jointly normal with x is
// that with x times the slope at √(ρ² + q) (Stein's lemma), and ψ² has the mean v = (2/π)·arcsin(s²/(τ² +
// s²)) with s² = ρ² + q there. ψ⁴ has 3v²/(1 + 2v), to .4 % of 1: exact where ψ is uniform, and at both
// ends.
func (w *writer) bent(last *release.Step, s release.Score) {
	tau := last.Shape
	w.line("let $d = ($to * $b - $at) / %s", number(last.Scale))
	weight := weightOf(s, w.m.Rows)
	w.line("let $r2 = (%s / %s)^2", "("+w.scale()+")", number(w.Response.Half()*last.Scale))
	w.line("let $q = $r2 + quad_form($md, $d) / %s", number(weight))
	slope := "$r2"
	if left := w.leftOut(last); left != nil {
		w.line("let $left = $q - %s * dot(%s, %s * $d - $score / %s)",
			number(2/(weight*last.Scale)), vector(left), matrix(s.Curvature), number(bentAt(tau, 1).slope))
		w.line("let $s2 = 0.5 * ($left + sqrt($left^2 + 1e-4))") // above 0
		slope = "$s2"
	} else {
		w.line("let $s2 = $q")
	}
	w.line("let $all2 = $s2 + %s", number(tau*tau))
	w.line("let $bent = %s + %s", slope, number(tau*tau))
	w.line("let $vary = %s * asin($s2 / $all2)", number(2/math.Pi))
	w.line("let $four = 3 * $vary^2 / (1 + 2 * $vary)")
}

// leftOut is what the columns that a model leaves out have in the predictor at the score, as a function
// of z; nil: it has them all. What is left out is in the model's residual e. With r = e + x and x's part
// l of columns left out, E r² is E e² + E x² + 2E(xe), and E(xe) = E(le) = E(lr) − E(lx): the score says
// what E(lr) is.
func (w *writer) leftOut(last *release.Step) []float64 {
	g := w.m.Gradients
	n := len(g.Map)
	if len(w.columns) == n {
		return nil
	}
	of, back := times(transposed(g.Map, count(n)), last.At), inverse(g.Map)
	out := make([]float64, n)
	for k := range n {
		if slices.Contains(w.columns, k) {
			continue
		}
		for j, v := range back[k] {
			out[j] -= float64(of[k] * v)
		}
	}
	return out
}

func count(n int) (out []int) {
	for k := range n {
		out = append(out, k)
	}
	return out
}

// inverse is that of a Map: x = mean + root·z for z = root⁻¹·(x − mean).
func inverse(m [][]float64) [][]float64 {
	n := len(m)
	whiten := zeros(n - 1)
	for i := range whiten {
		copy(whiten[i], m[i+1][1:])
	}
	root := spectral(whiten, func(l float64) float64 { return 1 / l })
	out := zeros(n)
	out[0][0] = 1
	for i := range root {
		copy(out[i+1][1:], root[i])
		for j, v := range root[i] {
			out[i+1][0] -= float64(v * m[j+1][0])
		}
	}
	return out
}

// transposed has some of the rows of a matrix as its columns.
func transposed(a [][]float64, rows []int) [][]float64 {
	out := make([][]float64, len(a))
	for i := range out {
		for _, k := range rows {
			out[i] = append(out[i], a[k][i])
		}
	}
	return out
}
