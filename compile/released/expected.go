package released

import (
	"math"
	"strconv"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/release"
)

// An expected score is that of rows like those of the table, at a distance of the coefficients from where it
// was taken: rows that are drawn, moved so that the score's derivative at 0 is that of the table. Of columns
// of another shape the second order is wrong, which is small where the score was taken near the coefficients.
type expected struct {
	rows    [][]float64
	weights []float64 // s² of each, of all rows together
	each    []curved  // of a binary response
}

// curved is a row of a binary response: its predictor, p and the weight there.
type curved struct{ at, p, weight float64 }

// expected is that of a step whose derivative is about a curvature.
func (w *where) expected(of *release.Step, curvature [][]float64) *expected {
	e, norm2 := &expected{}, float64(w.Gradients.Norm*w.Gradients.Norm)
	drawn := zeros(len(of.At))
	for _, z := range w.drawn() {
		s2 := min(1, norm2/dot(z, z)) * float64(w.Rows) / rowsDrawn
		e.weights = append(e.weights, s2)
		_, kappa, _ := w.weigh(z, of.At, of.Shape)
		for j, v := range z {
			for k, u := range z {
				drawn[j][k] += float64(s2 * kappa * v * u)
			}
		}
		if !w.normal() {
			u := dot(z, of.At)
			t := portable.Tanh(float64(u / 2))
			e.each = append(e.each, curved{u, float64((1 + t) / 2), 1 - float64(of.Shape*t*t)})
		}
	}
	floor := float64(w.Rows) / 1000
	root := func(a [][]float64, power float64) [][]float64 {
		return spectral(a, func(l float64) float64 { return portable.Pow(max(l, floor), power) })
	}
	half := root(drawn, .5) // the symmetric A with A·drawn·A = curvature
	back := root(drawn, -.5)
	move := product(back, product(root(product(half, product(curvature, half)), .5), back))
	for _, z := range w.drawn() {
		e.rows = append(e.rows, times(move, z))
	}
	return e
}

// at is the expected score and its derivative at a distance, in units of the scale; bent is τ² and the
// variance of a residual.
func (e *expected) at(d []float64, bent float64) (sum []float64, slope [][]float64) {
	sum, slope = make([]float64, len(d)), zeros(len(d))
	for i, z := range e.rows {
		x := dot(z, d)
		var value, by float64
		if e.each == nil {
			value = portable.Erf(x / math.Sqrt(2*bent))
			by = math.Sqrt(2/math.Pi/bent) * portable.Exp(-float64(x*x)/float64(2*bent))
		} else {
			c := e.each[i]
			p := float64((1 + portable.Tanh(float64((c.at+x)/2))) / 2)
			value, by = float64(c.weight*(p-c.p)), float64(c.weight*p*(1-p))
		}
		for j, v := range z {
			v *= e.weights[i]
			sum[j] += float64(v * value)
			for k, u := range z {
				slope[j][k] += float64(v * u * by)
			}
		}
	}
	return sum, slope
}

// written writes the expected score as $expected, at the distance $d in units of the scale, with τ² and the
// variance of a residual in $bent.
func (e *expected) written(w *writer) {
	rows := make([][]float64, len(e.rows))
	var weight, at, p []float64
	for i, z := range e.rows {
		for _, v := range z {
			rows[i] = append(rows[i], short(v))
		}
		if e.each == nil {
			weight = append(weight, short(e.weights[i]))
			continue
		}
		c := e.each[i]
		weight = append(weight, short(float64(e.weights[i]*c.weight)))
		at, p = append(at, short(c.at)), append(p, float64(1/(1+portable.Exp(-short(c.at)))))
	}
	w.line("// rows like those of the table, as the moments tell their columns")
	w.line("let $rows = %s", matrix(rows))
	if e.each == nil {
		w.line("let $moved = erf($rows * $d / sqrt(2 * $bent))")
	} else {
		w.line("let $moved = inv_logit(%s + $rows * $d) - %s", vector(at), vector(p))
	}
	w.line("let $expected = $rows' * (%s .* $moved)", vector(weight))
}

// short has six digits.
func short(v float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return out
}

// A distance is what a score tells of how far it was taken from the coefficients.
type distance struct {
	of       *expected
	score    release.Score
	noise    float64 // variance of an element of the score, of its noise and of responses
	bent     float64 // see expected.at
	d        []float64
	slope    [][]float64 // of the score by d, there
	unlikely float64     // twice the negative log density of d, with a prior of one standard deviation
}

// to moves to a distance if it is the likelier, and returns what of the score it leaves.
func (a *distance) to(d []float64) (left []float64) {
	left, slope := a.of.at(d, a.bent)
	sum := dot(d, d)
	for i, v := range left {
		left[i] = a.score.Gradient[i] - v
		sum += float64(left[i] * left[i] / a.noise)
	}
	if a.slope != nil && sum >= a.unlikely {
		return nil
	}
	a.d, a.slope, a.unlikely = d, slope, sum
	return left
}

// find moves to the likeliest distance, by Gauss and Newton.
func (a *distance) find() {
	left := a.to(make([]float64, len(a.score.Gradient)))
	for range 30 {
		for i, v := range times(a.slope, a.d) {
			left[i] += v
		}
		aim := times(spectral(a.slope, func(l float64) float64 {
			return max(l, 0) / (float64(l*l) + a.noise)
		}), left)
		left = nil
		for part := 1.; part > 1e-3 && left == nil; part /= 2 {
			d := make([]float64, len(aim))
			for i, v := range aim {
				d[i] = a.d[i] + float64(part*(v-a.d[i]))
			}
			left = a.to(d)
		}
		if left == nil {
			return
		}
	}
}

// unknown is the covariance of the distance.
func (a *distance) unknown() [][]float64 {
	return spectral(a.slope, func(l float64) float64 {
		l = max(l, 0)
		return a.noise / (float64(l*l) + a.noise)
	})
}

// precision is the inverse of unknown.
func (a *distance) precision() [][]float64 {
	return spectral(a.slope, func(l float64) float64 {
		l = max(l, 0)
		return 1 + float64(l*l)/a.noise
	})
}
