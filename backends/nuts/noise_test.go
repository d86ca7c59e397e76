package nuts

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// noisy is a chain of the linear model of three clients under a transform, after so many transitions.
func noisy(t *testing.T, transform string, transitions int, given map[string]string) *chain {
	t.Helper()
	m := testmodel.Linear(3, 12, []int{1, 2, 1}, 0.8)
	kind := stdlib.Augmented
	if transform == stdlib.Power.Name {
		kind = stdlib.Power
		m.Transform = kind
	}
	s, err := Algorithm().Resolve(kind, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newChain(m.Env(4), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range transitions {
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// Under augmented, noise of a sum over several parties has unit masses in the warm-up from draws and
// gradients; where all draws of a sum are one party's, and where chains warm up together it is under an
// estimated metric, as it is under power.
func TestWhichNoiseHasUnitMasses(t *testing.T) {
	for _, c := range []struct {
		transform     string
		given         map[string]string
		slopes, noise int
	}{
		{"augmented", nil, 1, 36},
		{"power", nil, 0, 0},
		{"augmented", map[string]string{initial: "sfvi"}, 0, 0},
	} {
		k := noisy(t, c.transform, 0, c.given)
		slopes, noise, estimated := 0, 0, 0
		for _, s := range k.parties {
			s.noise.each(func(*slope) { slopes++ })
			noise += s.noise.len
			estimated += s.aux.len
		}
		if slopes != c.slopes || noise != c.noise || estimated != 36-c.noise {
			t.Errorf("%s %v: %d slopes, %d coordinates with unit masses, %d under a metric; want %d, %d, %d",
				c.transform, c.given, slopes, noise, estimated, c.slopes, c.noise, 36-c.noise)
		}
	}
	m := testmodel.Linear(1, 12, []int{2}, 0.8)
	s, err := Algorithm().Resolve(stdlib.Augmented, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newChain(m.Env(4), s)
	if err != nil {
		t.Fatal(err)
	}
	if k.parties[1].noise.len != 0 || k.parties[1].aux.len != 12 {
		t.Errorf("one client: %d coordinates with unit masses, %d under a metric", k.parties[1].noise.len,
			k.parties[1].aux.len)
	}
}

// Steps forward and as many back return to where they began, and z with them; and a step conserves the energy
// up to the third power of its size.
func TestStepsOfNoise(t *testing.T) {
	k := noisy(t, "augmented", 300, map[string]string{"warmup": "300"})
	if slices.Max(k.parties[1].noise.pieces[0].slope.mean) == 0 {
		t.Fatal("the warm-up has found no means")
	}
	k.startTrajectory()
	at, p := k.tree.ends[1], k.tree.endMomenta[1]
	first := slices.Clone(at.q.noise)
	energy := func() float64 {
		if err := k.sum(context.Background(), criteria); err != nil {
			t.Fatal(err)
		}
		return k.total[kinetic] - k.total[logDensity]
	}
	var errs [2]float64
	for i, eps := range []float64{0.01, 0.005} {
		next, to, err := k.leapfrog(context.Background(), at, p, eps)
		if err != nil {
			t.Fatal(err)
		}
		errs[i] = energy() - (k.total[kineticStart] - at.lp)
		k.pool.dropPoint(next)
		k.pool.drop(to)
	}
	if ratio := errs[0] / errs[1]; !(6 < ratio && ratio < 10) && math.Abs(errs[0]) > 1e-9 {
		t.Errorf("energy errors %v of a step and of half of it, ratio %v", errs, ratio)
	}
	for _, eps := range []float64{k.eps, -k.eps} {
		for range 10 {
			next, to, err := k.leapfrog(context.Background(), at, p, eps)
			if err != nil {
				t.Fatal(err)
			}
			k.pool.dropPoint(at)
			k.pool.drop(p)
			at, p = next, to
		}
	}
	for i, x := range at.q.noise {
		if math.Abs(x-first[i]) > 1e-10 {
			t.Errorf("coordinate %d is %v, was %v", i, x, first[i])
		}
	}
}
