package attack

import (
	"math"
	"slices"
	"sort"

	"github.com/vflc/vflc/posterior"
)

// Groups compares the rows that share their cut, such as those of one category of a client's factor, with the
// groups of rows that separate in what the server holds.
type Groups struct {
	True  int              `json:"true"`  // groups of rows with equal cuts
	Found int              `json:"found"` // groups that separate
	Rand  posterior.Number `json:"adjusted_rand_index"`
}

// groups is nil where the rows do not form groups: all differ, or all are equal.
func (e *evidence) groups(mean []float64, c components) *Groups {
	truth := equalRows(e.truth, e.center)
	n := groupsOf(truth)
	if n < 2 || n > len(truth)/2 || slices.ContainsFunc(mean, math.IsNaN) {
		return nil
	}
	found := separate(e.features(mean, c))
	return &Groups{True: n, Found: groupsOf(found), Rand: posterior.Number(adjustedRand(truth, found))}
}

// features are, for each row, its mean and its scores on the components of every chain, in units in which the
// noise of all is about the same: that of a score is σ/√samples, and that of the mean σ/√evaluations, half of
// those that are in the sums.
func (e *evidence) features(mean []float64, c components) [][]float64 {
	out, evaluations := make([][]float64, len(mean)), 0
	for _, v := range e.views {
		evaluations += v.each()[0].counts[0] / 2
	}
	for i, v := range mean {
		out[i] = append(out[i], v)
		for k, score := range c.scores {
			weight := 1.0
			if c.samples[k] > 0 {
				weight = math.Sqrt(float64(c.samples[k]) / float64(max(1, evaluations)))
			}
			out[i] = append(out[i], score[i]*weight)
		}
	}
	return out
}

// sameCut is the largest difference of two equal cuts, in sds of the cut: rounding.
const sameCut = 1e-9

// equalRows numbers the groups of rows whose cuts are equal in every draw.
func equalRows(draws [][]float64, mean []float64) []int {
	order := make([]int, len(mean))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return mean[order[a]] < mean[order[b]] })
	equal := func(a, b int) bool {
		for _, d := range draws {
			if math.Abs(d[a]-d[b]) > sameCut*(1+math.Abs(d[a])) {
				return false
			}
		}
		return true
	}
	out, n := make([]int, len(mean)), 0
	for k := 1; k < len(order); k++ {
		if !equal(order[k-1], order[k]) {
			n++
		}
		out[order[k]] = n
	}
	return out
}

// groupsOf is the number of groups of a partition whose groups are numbered from 0.
func groupsOf(partition []int) int {
	if len(partition) == 0 {
		return 0
	}
	return slices.Max(partition) + 1
}

// separate groups points by single linkage: the minimum spanning tree without its long edges. Most edges join
// points of one group, whose distance is noise; long are those that are farther above the median of all than
// edges of one group would be.
func separate(points [][]float64) []int {
	parent, length := spanningTree(points)
	sorted := slices.Sorted(slices.Values(length[1:]))
	quarter, half := sorted[len(sorted)/4], sorted[len(sorted)/2]
	bound := max(half+float64(long*(half-quarter)), sameCut*sorted[len(sorted)-1])
	for i, d := range length {
		if d > bound {
			parent[i] = -1
		}
	}
	return number(parent)
}

// long is how many times the distance of the lower quartile from the median an edge between two groups is
// above the median. For normal lengths it is 5.4 sds.
const long = 8

// spanningTree is the minimum spanning tree of some points.
func spanningTree(points [][]float64) (parent []int, length []float64) {
	return tree(len(points), func(i, j int) float64 { return distance(points[i], points[j]) })
}

// tree is a minimum spanning tree, by Prim's algorithm: the parent of each point, -1 for the first, and the
// length of the edge to it.
func tree(n int, distance func(i, j int) float64) (parent []int, length []float64) {
	parent, length = make([]int, n), make([]float64, n)
	in := make([]bool, n)
	for i := range n {
		parent[i], length[i] = -1, math.Inf(1)
	}
	length[0] = 0
	for range n {
		at := -1
		for i := range n {
			if !in[i] && (at < 0 || length[i] < length[at]) {
				at = i
			}
		}
		in[at] = true
		for i := range n {
			if !in[i] {
				if d := distance(at, i); d < length[i] {
					parent[i], length[i] = at, d
				}
			}
		}
	}
	return parent, length
}

func distance(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		s += float64((v - b[k]) * (v - b[k]))
	}
	return math.Sqrt(s)
}

// number numbers the trees of a forest from 0.
func number(parent []int) []int {
	out, n := make([]int, len(parent)), 0
	for i := range out {
		out[i] = -1
	}
	var find func(i int) int
	find = func(i int) int {
		if out[i] < 0 {
			if parent[i] < 0 {
				out[i] = n
				n++
			} else {
				out[i] = find(parent[i])
			}
		}
		return out[i]
	}
	for i := range out {
		find(i)
	}
	return out
}

// adjustedRand is the adjusted Rand index of two partitions: 1 where they are the same, 0 on average for
// random ones (Hubert and Arabie 1985).
func adjustedRand(a, b []int) float64 {
	joint, rows, columns := map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
	for i := range a {
		joint[[2]int{a[i], b[i]}]++
		rows[a[i]]++
		columns[b[i]]++
	}
	pairs := func(n float64) float64 { return float64(n * (n - 1) / 2) }
	index, first, second := 0.0, 0.0, 0.0
	for _, n := range joint {
		index += pairs(n)
	}
	for _, n := range rows {
		first += pairs(n)
	}
	for _, n := range columns {
		second += pairs(n)
	}
	expected := float64(first*second) / pairs(float64(len(a)))
	if most := float64((first + second) / 2); most != expected {
		return (index - expected) / (most - expected)
	}
	return 1
}
