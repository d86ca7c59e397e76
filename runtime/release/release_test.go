package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func seeded(k byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{k}) }

// Frequencies of draws are within four standard errors of the probabilities, and the variance of wide noise
// is within four of its own.
func TestNoiseHasItsDistribution(t *testing.T) {
	s, n := &sampler{random: seeded(1)}, 20000
	seen := map[int64]int{}
	for range n {
		seen[s.gaussian(big.NewInt(4)).Int64()]++
	}
	total := 0.0
	for x := -40.0; x <= 40; x++ {
		total += math.Exp(-x * x / 8)
	}
	for x := int64(-6); x <= 6; x++ {
		p := math.Exp(-float64(x*x)/8) / total
		if got := float64(seen[x]) / float64(n); math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/float64(n)) {
			t.Errorf("%d has frequency %.4f, and probability %.4f", x, got, p)
		}
	}
	wide, sum := new(big.Int).Lsh(big.NewInt(1), 90), 0.0
	const few = 4000
	for range few {
		v, _ := new(big.Float).SetInt(s.gaussian(wide)).Float64()
		sum += math.Ldexp(v, -45) * math.Ldexp(v, -45)
	}
	if got := sum / few; math.Abs(got-1) > 4*math.Sqrt(2.0/few) {
		t.Errorf("wide noise has %.3f of its variance", got)
	}
}

// What is charged lies between the exact delta of continuous noise and the bound of Bun and Steinke (2016),
// ε = ρ + 2√(ρ log 1/δ), and is the least over α.
func TestCharges(t *testing.T) {
	for _, epsilon := range []float64{.5, 1, 3, 8} {
		for _, delta := range []float64{1e-5, 1e-6, 1e-9} {
			rho := Rho(epsilon, delta)
			if got := Delta(rho, epsilon); math.Abs(got/delta-1) > 1e-6 {
				t.Errorf("(%g, %g): δ at ρ is %g", epsilon, delta, got)
			}
			if exact := gaussianDelta(Mu(rho), epsilon); !(exact < delta && exact > delta/100) {
				t.Errorf("(%g, %g): the Gaussian mechanism has %g", epsilon, delta, exact)
			}
			if loose := rho + 2*math.Sqrt(-rho*math.Log(delta)); loose < epsilon {
				t.Errorf("(%g, %g): more is charged than by Bun and Steinke: %g", epsilon, delta, loose)
			}
			for a := 1.01; a < 1e4; a *= 1.01 {
				if at := math.Exp((a-1)*(a*rho-epsilon)) / (a - 1) * math.Pow(1-1/a, a); at < delta*(1-1e-6) {
					t.Fatalf("(%g, %g): α = %g gives %g", epsilon, delta, a, at)
				}
			}
		}
	}
	// Balle and Wang: for μ = 1 and ε = 1, Φ(−½) − e·Φ(−3/2), with tabulated Φ.
	if got := gaussianDelta(1, 1); math.Abs(got-(0.30853754-math.E*0.06680720)) > 1e-7 {
		t.Errorf("the exact δ at μ = ε = 1 is %g", got)
	}
}

// two are moments of one row, of which a has x and b has z, so that the neighbour's row is at a right angle
// in the products: the worst case.
func two(t *testing.T, random *rand.ChaCha8, values ...float64) *Moments {
	columns := []BoundedColumn{{Name: "x", Owner: "a", Lower: -1, Upper: 1},
		{Name: "y", Owner: "b", Lower: -1, Upper: 1}}
	rho := Rho(3, 1e-6)
	m, err := open("normal", columns, [][]float64{{values[0]}, {values[1]}},
		Terms{Epsilon: 3, Delta: 1e-6, Rho: rho, Mu: Mu(rho), Norms: Widest(columns)}, random)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ratio is Σ d²/σ² of a difference of sums, with shares of a variance: the square of μ.
func (m *Moments) ratio(d []float64, share float64) (sum float64) {
	k := 0
	m.each(func(i, j int) {
		v := share
		if i != j {
			v /= 2
		}
		sum += d[k] * d[k] / v
		k++
	})
	return sum
}

// No pair of rows differs by more than the sensitivity, and a pair reaches it.
func TestSensitivity(t *testing.T) {
	r, most := rand.New(rand.NewPCG(1, 2)), 0.0
	m := two(t, seeded(2), 0, 0)
	share, _ := new(big.Float).SetInt(m.Share).Float64()
	for k := range 3000 {
		v := [][]float64{{1.2 * (2*r.Float64() - 1)}, {1.2 * (2*r.Float64() - 1)}}
		w := [][]float64{{1.2 * (2*r.Float64() - 1)}, {1.2 * (2*r.Float64() - 1)}}
		// (1, s, s) and (1, −s, −s) with s² = ½ are at right angles; within the bounds (1, 1, 1), (1, −1, −1)
		// are the furthest
		if k == 0 {
			v, w = [][]float64{{1}, {1}}, [][]float64{{-1}, {1}}
		}
		d := difference(m.plain(m.integers(v)), m.plain(m.integers(w)))
		most = max(most, m.ratio(d, share))
	}
	if limit := 2 * m.Terms.Rho; most > limit || most < .85*limit {
		t.Errorf("the largest μ² of a pair is %.4f, and %.4f is charged", most, limit)
	}
}

// An attacker who knows all rows but one, and all shares of noise but one, tells two tables apart by the
// optimal linear test as well as the stated μ says, and on the opened sum √J worse; of noise with half the
// standard deviation the test finds twice that.
func TestAttackMeetsTheStatedMu(t *testing.T) {
	m, other := two(t, seeded(3), 1, 1), two(t, seeded(4), -1, 1)
	d := difference(m.plain(m.integers([][]float64{{1}, {1}})),
		other.plain(other.integers([][]float64{{-1}, {1}})))
	share, _ := new(big.Float).SetInt(m.Share).Float64()
	stated := math.Sqrt(m.ratio(d, share))
	const n = 10000
	attack := func(parties int, halved bool) (mu float64) {
		random, noise := seeded(byte(10+parties)), *m
		if halved {
			noise.Share = new(big.Int).Rsh(m.Share, 2)
		}
		var at [2]float64
		squares := 0.0
		for k := range n {
			l := 0.0
			for range parties {
				i := 0
				e := noise.share(random)
				m.each(func(a, b int) {
					x, _ := new(big.Float).SetInt(e[i]).Float64()
					if a != b {
						x *= 2
					}
					l += x * d[i] / share
					i++
				})
			}
			squares += l * l
			at[k%2] += (l + float64(k%2)*stated*stated) * 2 / n
		}
		return (at[1] - at[0]) / math.Sqrt(squares/n)
	}
	for _, c := range []struct {
		name    string
		parties int
		halved  bool
		want    float64
		agrees  bool
	}{
		{"one share left", 1, false, stated, true},
		{"the opened sum", 2, false, stated / math.Sqrt2, true},
		{"halved noise", 1, true, stated, false},
		{"a sum with a share missing", 1, false, stated / math.Sqrt2, false},
	} {
		se := math.Sqrt((4 + c.want*c.want/2) / n)
		if got := attack(c.parties, c.halved); (math.Abs(got-c.want) < 3*se) != c.agrees {
			t.Errorf("%s: μ is %.4f, and %.4f is stated (standard error %.4f)", c.name, got, c.want, se)
		}
	}
	if stated > m.Terms.Mu {
		t.Errorf("the pair has μ = %g, and %g is charged", stated, m.Terms.Mu)
	}
}

// A file is read as it was written, and not with a number changed.
func TestFiles(t *testing.T) {
	text, err := two(t, seeded(5), .5, .25).JSON()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := m.JSON()
	if string(again) != string(text) {
		t.Error("what was read is written otherwise")
	}
	m.Rows++
	if text, _ = m.JSON(); text == nil {
		t.Fatal("no file")
	}
	if _, err := Parse(text); err == nil {
		t.Error("a changed file is read")
	}
}

// A norm holds on the integers that are summed.
func TestNormsClip(t *testing.T) {
	m := two(t, seeded(6), 0, 0)
	m.Columns = []BoundedColumn{{Name: "x", Owner: "a", Lower: -1, Upper: 1},
		{Name: "y", Owner: "a", Lower: -1, Upper: 1}}
	m.Terms.Norms = map[string]float64{"a": .7}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		row := m.integers([][]float64{{3*r.Float64() - 1.5}, {3*r.Float64() - 1.5}})[0]
		if n := math.Hypot(float64(row[1]), float64(row[2])); n > .7*math.Ldexp(1, int(m.Bits)) {
			t.Fatalf("a row has norm %g", n)
		}
	}
}

// The norm that clips no row clips none, of any number of columns with all entries at their bounds, and the
// square of a binary column is known there.
func TestWidestNormsClipNothing(t *testing.T) {
	for n := 1; n < 40; n++ {
		var columns []BoundedColumn
		var values [][]float64
		for range n {
			columns, values = append(columns, BoundedColumn{Name: "g", Owner: "a", Upper: 1, Binary: true}),
				append(values, []float64{1})
		}
		m, err := Blank("normal", columns, 1, Terms{NoNoise: true, Norms: Widest(columns)})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range m.integers(values)[0] {
			if v != m.Unit() || !m.Known(k) {
				t.Errorf("%d columns: entry %d is %d of %d, known: %t", n, k, v, m.Unit(), m.Known(k))
			}
		}
	}
}

// Epsilon is the inverse of Rho, and of releases that add up.
func TestEpsilonOfReleases(t *testing.T) {
	for _, epsilon := range []float64{.1, 1, 8} {
		if got := Epsilon(Rho(epsilon, 1e-6), 1e-6); math.Abs(got/epsilon-1) > 1e-6 {
			t.Errorf("%g is %g", epsilon, got)
		}
	}
	if two := Epsilon(2*Rho(1, 1e-6), 1e-6); two < 1.3 || two > 1.6 { // √2 and a little more
		t.Errorf("two releases of 1 are %g", two)
	}
}

// gaussianDelta is the exact δ at ε of a mechanism with continuous Gaussian noise and μ, Φ(−ε/μ + μ/2) −
// e^ε·Φ(−ε/μ − μ/2). Source: Balle and Wang (2018), theorem 8. A release is charged by Delta, which holds for
// discrete noise and is a little more.
func gaussianDelta(mu, epsilon float64) float64 {
	return normal(-epsilon/mu+float64(mu/2)) -
		float64(math.Exp(epsilon)*normal(-epsilon/mu-float64(mu/2)))
}
