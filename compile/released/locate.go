package released

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/stdlib/dist"
)

// leastPart and mostPart are the least and the most of a budget that the moments have. They say where the
// first score is taken and in which coordinates, which takes means of products that are known to aimed
// over the square root of the number of columns.
const (
	leastPart = .08
	mostPart  = .5
	aimed     = .03
)

// A score that only finds the place of the next has the part seeking of what is left of the budget, and
// the last all of it. It is the last where the scale of a normal response is no longer much less than it
// was taken at, or the predictor of a binary one has moved little, and at the latest the fifth. Without
// noise it costs nothing to go all the way.
const (
	seeking   = .15
	shrinks   = .6 // of the scale
	moves     = 1. // of the square of the distance
	mostSteps = 5
	allTheWay = 8
)

// Terms are those of a release of columns with so many rows, of which t is the promise, with the part that
// the moments have. Moments of a normal response without noise tell all.
func Terms(family string, columns []release.BoundedColumn, rows int, t release.Terms) release.Terms {
	if !t.NoNoise {
		t.Part = min(mostPart, part(columns, rows, t))
	} else if family != normalName {
		t.Part = leastPart
	}
	return t
}

// Release makes the release of columns, the response last, of whose rows all are in this process: moments,
// and noisy scores at points that follow from what was released before.
func (d *Design) Release(columns []release.BoundedColumn, values [][]float64,
	t release.Terms) (*release.Moments,
	error) {
	m, err := release.Open(d.Family, columns, values, Terms(d.Family, columns, len(values[0]), t))
	if err != nil {
		return nil, err
	}
	for s := Next(m); s != nil; s = Next(m) {
		if err := m.Step(s, values); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Next is the next score of a release, which follows from what was released before: the same at all who
// have that. It is nil where the release is complete.
func Next(m *release.Moments) *release.Step {
	w, rest := where{Moments: m}, float64(m.Terms.Rho*(1-m.Terms.Part))
	if m.Terms.Part == 0 {
		return nil
	}
	if m.Gradients == nil {
		w.start(rest)
		return w.step(rest * seeking)
	}
	steps := m.Gradients.Steps
	left := rest
	for _, s := range steps {
		left -= s.Rho
	}
	if m.Terms.NoNoise && len(steps) == allTheWay || !m.Terms.NoNoise && left < rest/1e6 {
		return nil
	}
	if far := w.follow(); far && len(steps)+1 < mostSteps {
		left *= seeking
	}
	return w.step(left)
}

// part is the part of a budget with which moments have the noise that is aimed at.
func part(columns []release.BoundedColumn, rows int, t release.Terms) float64 {
	noise := math.Sqrt(release.Noise(columns, t)/2) / float64(rows) * math.Sqrt(float64(len(columns)-
		1)) / aimed
	return max(leastPart, float64(noise*noise))
}

// where is the point of the next score.
type where struct {
	*release.Moments
	at    []float64
	scale float64     // of a normal response
	rows  [][]float64 // see drawn
}

// normal reports whether the response is.
func (w *where) normal() bool { return w.Family == normalName }

var normalName = dist.Normal().Name

// start makes each party's columns uncorrelated, of mean 0 and variance 1, as far as the moments tell,
// and finds a first point: of a normal response least squares, of a binary one Fisher's discriminant,
// which is the logistic regression where columns are normal in both classes; each drawn to 0 where the
// noise is large. The scale of a normal response has in it what the noise leaves unknown of the predictor
// of a long row.
func (w *where) start(rho float64) {
	all, n, last := w.Matrix(), float64(w.Rows), len(w.Columns)
	noise := w.noise()
	mean, cov := w.marginals()
	whiten := w.whiten(cov, w.floor())
	w.Gradients = &release.Gradients{Map: zeros(last)}
	w.Gradients.Map[0][0] = 1
	for i, row := range whiten {
		w.Gradients.Map[i+1][0] = -times([][]float64{row}, mean[1:])[0]
		copy(w.Gradients.Map[i+1][1:], row)
	}
	size := w.size()
	y := all[0][last] / n
	products := make([]float64, last-1)
	for i := range products {
		products[i] = all[i+1][last]/n - float64(mean[i+1]*y)
	}
	spread := max(all[last][last]/n-float64(y*y), noise/2, 1e-4)
	square := dot(mean, mean) / float64(last)           // a product is about means, which have noise too
	far := float64(noise * noise * size * (1 + square)) // of a coefficient
	by := spread / (spread + far)
	least := max(.05, min(1, noise*size))
	products = times(whiten, products)
	slopes := times(spectral(product(whiten, product(cov, whiten)), func(l float64) float64 {
		return by / max(l, least)
	}), products)
	signal := 0.0
	for i, v := range products {
		signal += float64(v * slopes[i])
	}
	w.at = append([]float64{y}, slopes...)
	if w.normal() {
		w.scale = math.Sqrt(max(spread-signal, spread/20))
	} else {
		w.discriminant(max(noise, 1/n), products, signal)
	}
	w.bound(rho)
	if w.normal() {
		w.scale = math.Sqrt(float64(w.scale*w.scale) + float64(far*w.Gradients.Norm*w.Gradients.Norm) + noise)
	}
}

// noise is the standard deviation of that in a mean product.
func (w *where) noise() float64 { return math.Sqrt(w.Variance()/2) / float64(w.Rows) }

// size is the mean square of what a column has in the Map.
func (w *where) size() (sum float64) {
	rows := w.Gradients.Map[1:]
	for _, row := range rows {
		sum += dot(row[1:], row[1:]) / float64(len(rows))
	}
	return sum
}

// whiten is the symmetric inverse root of a covariance of columns, within each party.
func (w *where) whiten(cov [][]float64, floor float64) [][]float64 {
	out := zeros(len(cov))
	for _, p := range release.Parties(w.Columns[:len(cov)]) {
		var at []int
		for k, c := range w.Columns[:len(cov)] {
			if c.Owner == p {
				at = append(at, k)
			}
		}
		own := zeros(len(at))
		for i, a := range at {
			for j, b := range at {
				own[i][j] = cov[a][b]
			}
		}
		for i, row := range spectral(own, func(l float64) float64 { return 1 / math.Sqrt(max(l, floor)) }) {
			for j, v := range row {
				out[at[i]][at[j]] = v
			}
		}
	}
	return out
}

// discriminant makes Fisher's linear discriminant of the mean of y = ±1, its covariances with columns, the
// slopes of its least squares, and what the two have for a product.
func (w *where) discriminant(least float64, covariances []float64, square float64) {
	p := max(least, min(1-least, float64((1+w.at[0])/2)))
	between := 1 / float64(4*p*(1-p)) // covariance·2·between is the difference of the classes' means
	within := max(.2, 1-float64(square*between))
	w.at[0] = portable.Log(p / (1 - p))
	for i, c := range covariances {
		w.at[i+1] = 2 * between * w.at[i+1] / within
		w.at[0] -= float64(float64(w.at[i+1]*c*between) * float64(1-float64(2*p)))
	}
}

// told is the likeliest distance given a score, with a prior of one standard deviation of the predictor about
// where it was taken, and the variance that it finds of residuals.
func (w *where) told(of *release.Step) (a *distance, whole float64) {
	a = &distance{score: w.shrunk(of)}
	a.of = w.expected(of, a.score.Curvature)
	if w.normal() {
		whole = residual(of.Shape, (a.score.Square+math.Sqrt(a.score.OfSquare))/float64(w.Rows))
		a.bent = float64(of.Shape*of.Shape) + min(1, whole)
	}
	a.noise = a.score.OfGradient
	for i, row := range a.score.Spread {
		a.noise += max(0, row[i]) / float64(len(of.At))
	}
	a.find()
	return a, whole
}

// follow takes the step that the last score tells, and reports whether it was far.
func (w *where) follow() (far bool) {
	last, scale := w.Gradients.Steps[len(w.Gradients.Steps)-1], 1.0
	a, whole := w.told(last)
	if w.normal() {
		scale = last.Scale
	}
	w.at = make([]float64, len(a.d))
	for i, d := range a.d {
		w.at[i] = last.At[i] + float64(scale*d)
	}
	if !w.normal() {
		return dot(a.d, a.d) > moves
	}
	left, r2 := w.longest(a.unknown()), max(whole-dot(a.d, a.d), whole/2)
	w.scale = scale * math.Sqrt(left+r2)
	return w.scale < shrinks*last.Scale || left > r2
}

// longest is the variance of the predictor, by a covariance of coefficients, of a row that is drawn: the mean
// of the tenth that have most of it.
func (w *where) longest(unknown [][]float64) (sum float64) {
	var all []float64
	for _, z := range w.drawn() {
		all = append(all, dot(z, times(unknown, z)))
	}
	slices.Sort(all)
	for _, v := range all[rowsDrawn-rowsDrawn/10:] {
		sum += v * 10 / rowsDrawn
	}
	return sum
}

// weightOf is Σs² of a score, which is at most the number of rows.
func weightOf(s release.Score, rows int) float64 {
	return max(float64(rows)/4, min(float64(rows), s.Curvature[0][0]))
}

// residual is the variance of residuals of which the mean of ψ² is known.
func residual(shape, square float64) float64 {
	sine := portable.Sin(math.Pi / 2 * max(.01, min(.95, square)))
	return max(.01, min(100, float64(shape*shape)*sine/(1-sine)))
}

// A bent has expectations over a normal e with variance v of ψ = erf((e + x)/√2·τ) at x = 0.
type bent struct{ slope, square float64 } // of Eψ in x, and Eψ²

func bentAt(shape, v float64) bent {
	all := float64(shape*shape) + v
	return bent{math.Sqrt(2 / math.Pi / all), 2 / math.Pi * portable.Asin(v/all)}
}

func product(a, b [][]float64) [][]float64 {
	out := zeros(len(a))
	for i, row := range a {
		for j := range out[i] {
			for k, v := range row {
				out[i][j] += float64(v * b[k][j])
			}
		}
	}
	return out
}

func zeros(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	return out
}
