package dist

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// ICAR is the intrinsic conditional autoregression over the edges of a graph.
func ICAR() def.Dist {
	return def.Dist{
		Name: "icar",
		Doc: `The intrinsic conditional autoregression of regions: neighbours have similar values. Edge e joins the regions node1[e] and node2[e], counted from 1; each pair of neighbours is listed
once, and a path leads from each region to each other. The density does not change with a constant in x: let x be sum_to_zero[R]. Multiply x by a scale where it enters the model;
glm.bym2 adds independent effects, with a scale that means the same for every graph.

    log p(x) = -½ Σ_e (x[node1[e]] - x[node2[e]])²

Source: Besag (1974), Spatial interaction and the statistical analysis of lattice systems, JRSS B 36; Morris et al. (2019), Bayesian hierarchical spatial models, Spatial and
Spatio-temporal Epidemiology 31.`,
		Params: []def.Param{
			{Name: "node1", Doc: "one region of each edge", Domain: def.Codes, Rank: 1, Data: true,
				OwnSize: true},
			{Name: "node2", Doc: "the other region", Domain: def.Codes, Rank: 1, Data: true, OwnSize: true},
		},
		Support:    def.RealLine,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 1, Least: 1, Density: icarDensity, NoSampler: "its density does not integrate to 1",
			Centred: icarCentred,
			Check: func(theta [][]float64, k int) string {
				node1, node2 := theta[0], theta[1]
				if len(node1) != len(node2) {
					return "the edges have two ends each: node1 and node2 have different lengths"
				}
				for e := range node1 {
					if max(node1[e], node2[e]) > float64(k) {
						return "an edge names a region beyond the last: regions are counted from 1 to the " +
							"length of the left side"
					}
					if node1[e] == node2[e] {
						return "an edge joins a region with itself"
					}
				}
				return inParts(node1, node2, k)
			},
		},
		Examples: []string{
			"data cases : count[R]\ndata node1 : int[E] @ shared\ndata node2 : int[E] @ shared\nparam b ~ " +
				"normal(0, 2)\nparam tau ~ half_normal(1)\nparam u : sum_to_zero[R] ~ icar(node1, node2)\n" +
				"cases ~ poisson_log(b + tau * u)",
		},
	}
}

// inParts says that no path joins some of k regions, "" where paths join all.
func inParts(node1, node2 []float64, k int) string {
	group := make([]int, k)
	for i := range group {
		group[i] = i
	}
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	parts := k
	for e := range node1 {
		if a, b := find(int(node1[e])-1), find(int(node2[e])-1); a != b {
			group[a] = b
			parts--
		}
	}
	if parts <= 1 {
		return ""
	}
	return fmt.Sprintf("the regions fall into %d parts that no path of edges joins, whose levels the density leaves "+
		"free: give each part an icar of its own, and a region without neighbours a normal distribution", parts)
}

// icarCentred draws x with the precision Q of the density, given that it sums to 0: less its mean, a normal
// vector of precision Q + 11ᵀ/k, whose variance beyond the inverse of Q is that of its mean.
func icarCentred(r *rand.Rand, x []float64, theta [][]float64, k int) {
	q := make([]float64, k*k)
	for i := range q {
		q[i] = 1 / float64(k)
	}
	for e := range theta[0] {
		u, v := int(theta[0][e])-1, int(theta[1][e])-1
		q[u+k*u]++
		q[v+k*v]++
		q[u+k*v]--
		q[v+k*u]--
	}
	for j := range x {
		x[j] = portable.Normal(r)
	}
	linear.SolveUpper(x, factorOf(q, k), k)
	mean := 0.0
	for _, v := range x {
		mean += v / float64(k)
	}
	for j := range x {
		x[j] -= mean
	}
}

func icarDensity(b *def.Events) {
	from, to := b.Theta[0], b.Theta[1]
	eachEvent(b, func(i int) float64 {
		if from.Len != to.Len {
			return math.Inf(-1)
		}
		sum := 0.0
		for j := range b.X.Len {
			sum += float64(0 * b.X.At(i, j)) // no density at NaN, also of a region without neighbours
		}
		for e := range from.Len {
			u, v := from.At(i, e), to.At(i, e)
			if !(u >= 1 && v >= 1 && max(u, v) <= float64(b.X.Len)) || u != math.Floor(u) ||
				v != math.Floor(v) || u == v {
				return math.Inf(-1)
			}
			d := b.X.At(i, int(u)-1) - b.X.At(i, int(v)-1)
			sum -= float64(0.5 * d * d)
			if b.W != nil {
				b.GiveX(i, int(u)-1, -d)
				b.GiveX(i, int(v)-1, d)
			}
		}
		return sum
	})
}
