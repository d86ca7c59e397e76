package released

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/release"
)

// leastPart is the least part of a budget that the moments have. They say where the first score is taken and
// in which coordinates, which takes means of products that are known to aimed over the square root of the
// number of columns.
const (
	leastPart = .08
	aimed     = .03
)

// following are the parts of the rest that scores have: the first only finds the place of the last.
var following = []float64{.17, .83}

// lost is how far from the first point the predictor may be, in standard deviations of the residual, for a
// score there to be better than moments.
const lost = 1.2

// Release makes the release of columns, the response last, of whose rows all are in this process: moments,
// and noisy scores at points that follow from what was released before. Where the moments do not find such a
// point, those of a normal response, which suffice alone, are released with what is left; without noise they
// tell all.
func (d *Design) Release(columns []release.Column, values [][]float64, t release.Terms) (*release.Moments,
	error) {
	normal := d.Scale != nil
	if normal && t.NoNoise {
		return release.Open(d.Family, columns, values, t)
	}
	t.Part = part(columns, len(values[0]), t)
	if t.Part > .5 {
		if normal {
			t.Part = 0
			return release.Open(d.Family, columns, values, t)
		}
		t.Part = .5
	}
	m, err := release.Open(d.Family, columns, values, t)
	if err != nil {
		return nil, err
	}
	w := where{Moments: m}
	if rest := t.Rho * (1 - t.Part); w.start(normal, float64(rest*following[1])) > lost && normal {
		t.Part = 1 - t.Part
		return release.Open(d.Family, columns, values, t)
	}
	steps := following
	if t.NoNoise { // it costs nothing to go all the way
		steps = slices.Repeat([]float64{1}, 8)
	}
	for k, part := range steps {
		if k > 0 {
			w.follow()
		}
		if err := m.Step(values, w.at, w.scale, float64(float64(t.Rho*(1-t.Part))*part)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// part is the part of a budget with which moments have the noise that is aimed at.
func part(columns []release.Column, rows int, t release.Terms) float64 {
	if t.NoNoise {
		return leastPart
	}
	noise := math.Sqrt(release.Noise(columns, t)/2) / float64(rows) * math.Sqrt(float64(len(columns)-
		1)) / aimed
	return max(leastPart, float64(noise*noise))
}

// where is the point of the next score.
type where struct {
	*release.Moments
	at    []float64
	scale float64 // of a normal response
}

// start makes columns uncorrelated, of mean 0 and variance 1, as far as the moments tell, and finds a first
// point: of a normal response least squares, of a binary one Fisher's discriminant, which is the logistic
// regression where columns are normal in both classes; each drawn to 0 where the noise is large. It returns
// how far the predictor is from there, by the noise.
func (w *where) start(normal bool, rho float64) (far float64) {
	all, n, last := w.Matrix(), float64(w.Rows), len(w.Columns)
	noise := math.Sqrt(w.Variance()/2) / n // of a mean product
	mean, cov := make([]float64, last), zeros(last-1)
	for k := range mean {
		mean[k] = all[0][k+1] / n
	}
	for i := range cov {
		for j := range cov {
			cov[i][j] = all[i+1][j+1]/n - float64(mean[i]*mean[j])
		}
	}
	floor := max(1e-6, noise)
	whiten := spectral(cov, func(l float64) float64 { return 1 / math.Sqrt(max(l, floor)) })
	w.Gradients = &release.Gradients{Map: zeros(last)}
	w.Gradients.Map[0][0] = 1
	size := 0.0
	for i, row := range whiten {
		w.Gradients.Map[i+1][0] = -times([][]float64{row}, mean)[0]
		copy(w.Gradients.Map[i+1][1:], row)
		for _, v := range row {
			size += float64(v*v) / float64(last-1)
		}
	}
	y := mean[last-1]
	products := make([]float64, last-1)
	for i := range products {
		products[i] = all[i+1][last]/n - float64(mean[i]*y)
	}
	products = times(whiten, products)
	spread := max(all[last][last]/n-float64(y*y), noise/2, 1e-4)
	w.at = append([]float64{y}, products...)
	signal := 0.0
	for i := range products {
		w.at[i+1] *= spread / (spread + float64(noise*noise*size))
		signal += float64(w.at[i+1] * w.at[i+1])
	}
	if normal {
		w.Gradients.Clip = 1
		w.scale = math.Sqrt(max(spread-signal, spread/20))
	} else {
		w.discriminant(max(noise, 1/n))
	}
	variance := make([]float64, last)
	for i := range cov {
		most := 1 - float64(mean[i]*mean[i])
		variance[i+1] = max(floor, min(cov[i][i], most))
	}
	w.bound(append([]float64{1}, mean[:last-1]...), variance, rho)
	return noise * math.Sqrt(float64(size*float64(last-1))/max(1e-12, float64(w.scale*w.scale)))
}

// discriminant makes of the mean of y = ±1 and its covariances with columns of variance 1 Fisher's linear
// discriminant.
func (w *where) discriminant(least float64) {
	p := max(least, min(1-least, float64((1+w.at[0])/2)))
	// covariance·2·between is the difference of the classes' means
	square, between := 0.0, 1/float64(4*p*(1-p))
	for _, c := range w.at[1:] {
		square += float64(c * c)
	}
	within := max(.2, 1-float64(square*between))
	w.at[0] = portable.Log(p / (1 - p))
	for i, c := range w.at[1:] {
		slope := 2 * between * c / within
		w.at[i+1] = slope
		w.at[0] -= float64(float64(slope*c*between) * float64(1-float64(2*p)))
	}
}

// follow takes the step that the last score tells: the mode of a normal approximation, with a prior of one
// standard deviation of the predictor about where the score was taken.
func (w *where) follow() {
	last := w.Gradients.Steps[len(w.Gradients.Steps)-1]
	s, n := w.Score(last), float64(len(last.At))
	slope := 1.0
	var h huber
	if w.Gradients.Clip > 0 {
		h = huberOf(w.Gradients.Clip, 1)
		slope = h.slope
	}
	v := s.OfGradient
	for i, row := range s.Spread {
		v += max(0, row[i]) / n
	}
	step := times(spectral(s.Curvature, func(l float64) float64 {
		l = max(l, 0) * slope
		return l / (float64(l*l) + v)
	}), s.Gradient)
	w.at = make([]float64, len(step))
	scale := 1.0
	if w.Gradients.Clip > 0 {
		scale = last.Scale
		w.scale = scale * ratio(w.Gradients.Clip, s.Square/float64(w.Rows), step)
	}
	for i, d := range step {
		w.at[i] = last.At[i] + float64(scale*d)
	}
}

// weightOf is Σs² of a score, which is at most the number of rows.
func weightOf(s release.Score, rows int) float64 {
	return max(float64(rows)/4, min(float64(rows), s.Curvature[0][0]))
}

// ratio is the standard deviation of residuals of which the mean square, held to c², is known, without what a
// step takes away.
func ratio(c, square float64, step []float64) float64 {
	low, high := .3, 3.0
	for range 50 {
		if middle := float64((low + high) / 2); huberOf(c, middle).square < square {
			low = middle
		} else {
			high = middle
		}
	}
	rest := float64(low * low)
	for _, d := range step {
		rest -= float64(d * d)
	}
	return math.Sqrt(max(rest, low*low/2))
}

// A huber has expectations over a normal e of ψ = max(−c, min(c, ρe + x)) at x = 0.
type huber struct{ slope, square float64 } // of Eψ in x, and Eψ²

func huberOf(c, rho float64) huber {
	a := c / rho
	tail := 2 * portable.Phi(-a)
	density := portable.Exp(float64(-a*a/2)) / math.Sqrt(2*math.Pi)
	return huber{1 - tail, float64(float64(rho*rho)*(1-tail-float64(2*a*density))) + float64(c*c*tail)}
}

func zeros(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	return out
}
