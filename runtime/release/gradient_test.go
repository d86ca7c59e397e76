package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// scored is a release with the place of a score of one row of two parties' columns and a response.
func scored(normal bool) (*Moments, *Step) {
	m := &Moments{Rows: 1, Parties: 2, Terms: Terms{Rho: .4, Part: .5}, Columns: []BoundedColumn{
		{Owner: "a", Lower: -1, Upper: 1}, {Owner: "b", Lower: -1, Upper: 1},
		{Owner: "b", Lower: -1, Upper: 1},
	}}
	m.Gradients = &Gradients{Map: [][]float64{{1, 0, 0}, {.3, 2, 0}, {-.2, 0, 1.5}}}
	m.Hold(1.6)
	s := &Step{At: []float64{.2, .3, -.4}, Shape: .7, Rho: .2}
	if normal {
		s.Scale = .3
	}
	if err := m.Begin(s); err != nil {
		panic(err)
	}
	return m, s
}

// apart is Σ d²/σ² of two rows, in which σ² is what one party's noise has: the square of μ.
func apart(m *Moments, s *Step, a, b [3]float64) float64 {
	sums := func(v [3]float64) []*big.Int { return m.score(s, [][]float64{v[:1], v[1:2], v[2:]}) }
	total := 0.0
	variances := s.variances(m.Gradients.weighting(s))
	for i, d := range difference(sums(a), sums(b)) {
		v, _ := new(big.Float).SetInt(variances[i]).Float64()
		total += d * d / v
	}
	return total
}

// No pair of rows has a larger μ than is charged, of rows anywhere and of rows that climb towards the worst;
// and the worst that is found comes near it where coefficients are small, or a response is normal.
func TestSensitivityOfScores(t *testing.T) {
	for k, at := range [][]float64{{0, .02, -.02}, {.2, .3, -.4}, {.2, 2, -3}, {.2, .3, -.4}} {
		normal := k == 3
		r := rand.New(rand.NewPCG(3, 4))
		m, s := scored(normal)
		if s.At, s.curve = at, nil; m.Begin(s) != nil {
			t.Fatal()
		}
		most := 0.0
		for range 40 {
			var pair, best [2][3]float64
			at := 0.0
			for k := range 300 {
				for i := range pair {
					for j := range pair[i] {
						pair[i][j] = best[i][j] + r.NormFloat64()*math.Pow(.98, float64(k))
						if k == 0 || r.IntN(12) == 0 {
							pair[i][j] = 3*r.Float64() - 1.5
						}
					}
				}
				if v := apart(m, s, pair[0], pair[1]); v > at {
					at, best = v, pair
				}
			}
			most = max(most, at)
		}
		// where a predictor can be far from 0, no row has the largest residuals of both signs
		if limit := 2 * s.Rho; most > limit || most < .75*limit && k%3 == 0 || most < .4*limit {
			t.Errorf("%d: the largest μ² that is found is %.4f, and %.4f is charged", k, most, limit)
		}
	}
}

// As TestAttackMeetsTheStatedMu for scores: the optimal linear test on the noise that a party draws, in the
// units of one process and in those of encrypted sums, where all others' is known, tells two rows apart as
// well as stated; noise of half the standard
// deviation is found out, and so is a sum that lacks a share.
func TestAttackOfScoresMeetsTheStatedMu(t *testing.T) {
	m, s := scored(true)
	w := m.Gradients.weighting(s)
	a, b := [3]float64{.35, .6667, 1}, [3]float64{.35, .6667, -1}
	stated := math.Sqrt(apart(m, s, a, b))
	if limit := math.Sqrt(2 * s.Rho); stated > limit || stated < .9*limit {
		t.Errorf("the pair has μ = %.4f, and %.4f is charged", stated, limit)
	}
	variances := s.variances(w)
	d := difference(m.score(s, [][]float64{{.35}, {.6667}, {1}}),
		m.score(s, [][]float64{{.35}, {.6667}, {-1}}))
	const n = 10000
	attack := func(parties, seed int, unit float64, halved bool) float64 {
		random, noise := seeded(byte(seed)), *s
		if halved {
			noise.Share = new(big.Int).Rsh(s.Share, 2)
		}
		units := slices.Repeat([]float64{unit}, len(d))
		var sum, squares float64
		for k := range n {
			l := float64(k%2) * stated * stated
			for range parties {
				for i, e := range m.StepNoise(&noise, units, random) {
					drawn, _ := new(big.Float).SetInt(e).Float64()
					share, _ := new(big.Float).SetInt(variances[i]).Float64()
					l += math.Ldexp(drawn/unit, int(s.Bits)) * d[i] / share
				}
			}
			sum += float64(2*(k%2)-1) * l * 2 / n
			squares += (l - float64(k%2)*stated*stated) * (l - float64(k%2)*stated*stated) / n
		}
		return sum / math.Sqrt(squares)
	}
	for _, c := range []struct {
		name    string
		parties int
		unit    float64
		halved  bool
		want    float64
		agrees  bool
	}{
		{"one share left", 1, 1.01 * 0x1p59, false, stated, true},
		{"the opened sum", 2, math.Ldexp(1, int(s.Bits)), false, stated / math.Sqrt2, true},
		{"halved noise", 1, 0x1p59, true, stated, false},
	} {
		se := math.Sqrt((4 + c.want*c.want/2) / n)
		got := attack(c.parties, 20+c.parties, c.unit, c.halved)
		if missing := math.Abs(got-stated/math.Sqrt2) < 3*se; missing != (c.parties == 2) {
			t.Errorf("%s: a sum with a share missing is not found: μ is %.4f", c.name, got)
		}
		if (math.Abs(got-c.want) < 3*se) != c.agrees {
			t.Errorf("%s: μ is %.4f, and %.4f is stated (standard error %.4f)", c.name, got, c.want, se)
		}
	}
}

// step adds the noise of every party: in many releases of the same row each sum has the variance that Score
// states.
func TestScoresHaveTheStatedVariance(t *testing.T) {
	m, s := scored(true)
	const n = 400
	values, random := [][]float64{{.5}, {-.5}, {.1}}, seeded(9)
	plain := m.score(s, values)
	var squares []float64
	for range n {
		m.Gradients.Steps = nil
		if err := m.step(&Step{At: s.At, Scale: s.Scale, Shape: s.Shape, Rho: s.Rho}, values,
			random); err != nil {
			t.Fatal(err)
		}
		last := m.Gradients.Steps[0]
		for i, d := range difference(last.Sums, plain) {
			v, _ := new(big.Float).SetInt(last.variances(m.Gradients.weighting(last))[i]).Float64()
			if len(squares) <= i {
				squares = append(squares, 0)
			}
			squares[i] += d * d / v / n
		}
	}
	for i, v := range squares {
		if se := 2 * math.Sqrt(2.0/n); math.Abs(v-2) > 4*se {
			t.Errorf("sum %d has %.2f times the variance of a share, and two are stated", i, v)
		}
	}
}

// A file whose gradients would divide by 0 is refused, whatever its digest.
func TestFilesWithoutGradientsThatHold(t *testing.T) {
	for what, change := range map[string]func(m *Moments, s *Step){
		"":               func(*Moments, *Step) {},
		"no lengths":     func(m *Moments, _ *Step) { m.Gradients.Lengths = nil },
		"no shape":       func(_ *Moments, s *Step) { s.Shape = 0 },
		"no reach":       func(_ *Moments, s *Step) { s.Reach = nil },
		"too few sums":   func(_ *Moments, s *Step) { s.Sums = s.Sums[1:] },
		"negative scale": func(_ *Moments, s *Step) { s.Scale = -1 },
	} {
		m, s := scored(true)
		if err := m.Step(s, [][]float64{{.1}, {.2}, {.3}}); err != nil {
			t.Fatal(err)
		}
		change(m, s)
		if err := m.whole(); (err != nil) != (what != "") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A step that costs more than the rest of the budget is not taken.
func TestScoresKeepToTheBudget(t *testing.T) {
	m, s := scored(true)
	m.Gradients.Steps = []*Step{{Rho: .15}}
	for rho, fits := range map[float64]bool{.05: true, .051: false, 0: false, math.NaN(): false} {
		if err := m.Begin(&Step{At: s.At, Scale: s.Scale, Shape: s.Shape, Rho: rho}); (err == nil) != fits {
			t.Errorf("rho %g: %v", rho, err)
		}
	}
}
