package attack

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// principal finds the singular values and left vectors of a matrix, and completes the basis where its rank is
// less than its columns.
func TestPrincipal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const m, k = 12, 5
	for _, full := range []int{k, 2, 0} {
		a := mat.NewDense(m, k, nil)
		for j := range full {
			for i := range m {
				a.Set(i, j, random.NormFloat64())
			}
		}
		columns, left, values := make([][]float64, k), make([][]float64, k), make([]float64, k)
		for j := range k {
			columns[j], left[j] = mat.Col(nil, j, a), make([]float64, m)
		}
		principal(columns, left, values)
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			t.Fatal("no singular values")
		}
		for j, want := range svd.Values(nil) {
			if math.Abs(values[j]-want) > 1e-12*(1+want) {
				t.Errorf("rank %d, singular value %d: %v, want %v", full, j, values[j], want)
			}
			image := 0.0 // |Aᵀu| is the singular value
			for c := range k {
				d := vec.Dot(m, mat.Col(nil, c, a), left[j])
				image += d * d
			}
			if math.Abs(math.Sqrt(image)-want) > 1e-9 {
				t.Errorf("rank %d, vector %d: |Aᵀu| = %v, want %v", full, j, math.Sqrt(image), want)
			}
			for l := range j + 1 {
				if d := vec.Dot(m, left[j], left[l]); math.Abs(d-kronecker(j, l)) > 1e-12 {
					t.Errorf("rank %d: vectors %d and %d have product %v", full, j, l, d)
				}
			}
		}
	}
}

func kronecker(a, b int) float64 {
	if a == b {
		return 1
	}
	return 0
}

// spiked shows a sketch vectors Σ_j sd_j ε_j u_j + noise·ε, with unit vectors u_j along the coordinates.
func spiked(m, rounds int, noise float64, sd ...float64) *view {
	v := &view{picks: spaced(m, m), whole: true, members: nil, weight: 1}
	v.allocate(1)
	random := rand.New(rand.NewPCG(5, 6))
	for k := range rounds {
		for i := range v.v {
			v.v[i] = noise * random.NormFloat64()
		}
		for j, s := range sd {
			v.v[j] += s * random.NormFloat64()
		}
		v.add(-1, true)
		if n := k + 1; n&(n-1) == 0 {
			v.snapshot(n)
		}
	}
	return v
}

// The components of a sequence with three spikes above its noise are these, with their variances; pure noise
// has none.
func TestComponentsOfSpikes(t *testing.T) {
	const m, rounds = 200, 3000
	v := spiked(m, rounds, 1, 6, 4, 3)
	c := (&evidence{views: []*view{v}, rounds: []int{rounds}, center: make([]float64, m)}).components()
	if !c.known || len(c.directions) != 3 {
		t.Fatalf("%d components of 3", len(c.directions))
	}
	var spikes [][]float64
	for j, s := range []float64{6, 4, 3} {
		e := make([]float64, m)
		e[j] = 1
		spikes = append(spikes, e)
		// The sample variance of 3,000 normal numbers has a relative error of √(2/3000) = 2.6 %: four of
		// these, beside noise of (1 + m/N).
		if got, want := vec.Dot(m, c.scores[j], c.scores[j]), s*s+1; math.Abs(got/want-1) > 0.15 {
			t.Errorf("the variance along spike %d is %v, want %v", j, got, want)
		}
	}
	if got := c.share(spikes, make([]float64, m)); got < 0.97 {
		t.Errorf("the components hold %v of the spikes", got)
	}
	pure := spiked(m, rounds, 1)
	if c := (&evidence{views: []*view{pure}, rounds: []int{rounds},
		center: make([]float64, m)}).components(); !c.known || len(c.directions) != 0 {
		t.Errorf("%d components of pure noise", len(c.directions))
	}
}

// Without noise the components are the span itself, from the first block on, which ends after 64 vectors;
// before that nothing is known.
func TestComponentsWithoutNoise(t *testing.T) {
	const m = 50
	for rounds, known := range map[int]bool{20: false, 64: false, 80: true, 1000: true} {
		v := spiked(m, rounds, 0, 5, 1, 1e-4)
		c := (&evidence{views: []*view{v}, rounds: []int{rounds}, center: make([]float64, m)}).components()
		if c.known != known || known && len(c.directions) != 3 {
			t.Errorf("%d vectors: known %t, %d components of 3", rounds, c.known, len(c.directions))
		}
	}
}
