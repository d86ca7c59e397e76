package nested

import "github.com/vflc/vflc/density"

// A Grid is where a density of hyperparameters is that the caller can evaluate by itself, without a message:
// as a search finds it, on a lattice that is finer where it has one dimension or two, and without heavier
// tails.
type Grid struct{ search }

// finer is how many times as many points such a lattice has along an axis, by the number of hyperparameters:
// the function between them has a variance that is larger by a sixth of their distance squared.
var finer = [mostHyper + 1]float64{1, 3, 2, 1.5, 1.3}

// MostHyper is the largest number of hyperparameters.
const MostHyper = mostHyper

// Explore finds where f, the logarithm of a density, is, from a point on; false: it is finite nowhere near.
func Explore(from []float64, f func(point []float64) float64) (*Grid, bool) {
	g := &Grid{newSearch(append([]float64(nil), from...))}
	m := g.dim()
	g.gap, g.tails = g.gap/finer[m], 0
	if m == 0 {
		g.best = []float64{}
		return g, true
	}
	for g.stage == locating {
		points := g.stencil()
		values := make([]float64, len(points))
		for i, p := range points {
			values[i] = f(p)
		}
		if !g.located(points, values) {
			return nil, false
		}
	}
	for cells := g.wanted(mostNodes); len(cells) > 0; cells = g.wanted(mostNodes) {
		for _, c := range cells {
			n := node{cell: c, f: f(g.on(c))}
			g.at[c] = len(g.nodes)
			g.nodes = append(g.nodes, n)
			if n.f > g.top {
				g.top, g.best = n.f, g.on(c)
			}
		}
	}
	g.finish()
	return g, true
}

// Top is the best point that was found.
func (g *Grid) Top() []float64 { return g.best }

// Draw returns n points of the density, in random order.
func (g *Grid) Draw(n int, from density.Stream) [][]float64 { return g.draw(n, from) }

// Density is the logarithm of the density of the draws.
func (g *Grid) Density(point []float64) float64 { return g.density(point) }
