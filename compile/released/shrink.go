package released

import "github.com/vflc/vflc/runtime/release"

// shape is how far what a table has of the columns may be from that of rows drawn column by column, in
// units of its size: columns of other shapes, and dependent ones.
const shape = .15

// shrunk is the score of a step whose derivative and its covariance are drawn to those of rows like the
// moments': where noise is large these say more. They are expected about those with the standard
// deviation that noise of the moments and shape give, of an element of the diagonal; the others have 1/√2
// of it, as the noise has. Without noise nothing is drawn.
func (w *where) shrunk(of *release.Step) release.Score {
	s, n, norm2 := w.Score(of), len(of.At), float64(w.Gradients.Norm*w.Gradients.Norm)
	curvature, spread, size := zeros(n), zeros(n), 0.0
	for _, z := range w.drawn() {
		_, kappa, kappa2 := w.weigh(z, of.At, of.Shape)
		s2 := min(1, norm2/dot(z, z))
		kappa, kappa2 = float64(s2*kappa), float64(s2*s2*kappa2)
		for i, v := range z {
			for j, u := range z {
				c := float64(v*u) * float64(w.Rows) / rowsDrawn
				curvature[i][j] += float64(kappa * c)
				spread[i][j] += float64(kappa2 * c)
			}
		}
	}
	for i := range n {
		size += float64(curvature[i][i] / float64(n))
	}
	doubt := w.noise() * w.size()
	tau2 := float64(float64(size*size) * (float64(shape*shape) + float64(doubt*doubt)))
	draw := func(of, to [][]float64, noise float64) float64 {
		by := tau2 / (tau2 + noise)
		for i, row := range of {
			for j, v := range row {
				of[i][j] = to[i][j] + float64(by*(v-to[i][j]))
			}
		}
		return noise * by
	}
	s.OfCurvature = draw(s.Curvature, curvature, s.OfCurvature)
	s.OfSpread = draw(s.Spread, spread, s.OfSpread)
	return s
}
