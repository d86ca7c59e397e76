package released

import (
	"slices"

	"github.com/vflc/vflc/runtime/release"
)

// scored writes the likelihood of the last score. Earlier ones and the moments only say where it was taken:
// to first order the score less its slope times the distance of the parameters is the score at the
// parameters, wherever that was, and its distribution is that over responses given the columns, and of its
// own noise. What the moments say of the responses is said again in it, and is not used twice.
func (w *writer) scored() {
	g := w.m.Gradients
	last := g.Steps[len(g.Steps)-1]
	s := w.m.Score(last)
	back := inverse(g.Map)
	n := float64(w.m.Rows)
	w.line("const $n = %d", len(back))
	w.line("const $p = %d", len(w.columns))
	w.line("let $one = diag(rep(1, $n))")
	w.line("let $at = %s", vector(last.At))
	w.line("let $to = %s", matrix(transposed(back, w.columns))) // with x = back·z, zᵀβ = xᵀb for β = backᵀ·b
	w.line("let $m = %s", matrix(s.Curvature))
	w.line("let $md = %s", matrix(positive(s.Curvature, n/1000)))
	w.line("let $w = %s", matrix(positive(s.Spread, n/1000)))
	w.line("let $score = %s", vector(s.Gradient))
	if g.Clip > 0 {
		w.clipped(last, s)
	} else {
		w.line("let $c = $to * $b - $at")
		w.line("let $vary = 1")
	}
	w.line("let $z = %s * $one + %s * (dot($c, $c) * $one + outer($c, $c))", number(s.OfGradient),
		number(s.OfCurvature/2))
	w.line("let $all = $vary * $w + $z")
	w.line("let $rest = $score - $m * $c")
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
	if g.Clip > 0 {
		w.line("let $h = %s - %d * $vary", number(s.Square), w.m.Rows)
		w.line("let $hv = %d * ($four - $vary^2) + %s", w.m.Rows, number(s.OfSquare))
		w.line("factor -0.5 * $h^2 / $hv - 0.5 * log($hv)")
	}
}

// clipped writes what a clipped residual does. With x the predictor's distance in units of the scale, and ρ
// the scale's ratio, the expectation of ψ = max(−c, min(c, ρe + x)) over a normal e has the slope 1 −
// 2Φ(−c/ρ) at 0; over normal x of variance q, the covariance of ψ with anything that is jointly normal with x
// is that with x times the slope at √(ρ² + q) (Stein's lemma), and ψ² and ψ⁴ have the means that they have
// there.
func (w *writer) clipped(last *release.Step, s release.Score) {
	w.line("let $d = ($to * $b - $at) / %s", number(last.Scale))
	weight := weightOf(s, w.m.Rows)
	w.line("let $q = (%s / %s)^2 + quad_form($md, $d) / %s", "("+w.scale()+")",
		number(w.Response.Half()*last.Scale), number(weight))
	if left := w.leftOut(last); left != nil {
		w.line("let $left = $q - %s * dot(%s, $m * $d - $score / %s)",
			number(2/(weight*last.Scale)), vector(left), number(huberOf(w.m.Gradients.Clip, 1).slope))
		w.line("let $s2 = 0.5 * ($left + sqrt($left^2 + 1e-4))") // above 0
	} else {
		w.line("let $s2 = $q")
	}
	w.line("let $a = %s / sqrt($s2)", number(w.m.Gradients.Clip))
	w.line("let $tail = 2 * Phi(-$a)")
	w.line("let $density = exp(-0.5 * $a^2) * 0.7978845608028654 * $a") // 2aφ(a)
	w.line("let $c = (1 - $tail) * $d")
	w.line("let $vary = $s2 * (1 - $tail - $density) + $s2 * $a^2 * $tail")
	w.line("let $four = $s2^2 * (3 * (1 - $tail) - $density * ($a^2 + 3)) + $s2^2 * $a^4 * $tail")
}

// leftOut is what the columns that a model leaves out have in the predictor at the score, as a function of z;
// nil: it has them all. What is left out is in the model's residual e. With r = e + x and x's part l of
// columns left out, E r² is E e² + E x² + 2E(xe), and E(xe) = E(le) = E(lr) − E(lx): the score says what
// E(lr) is.
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
