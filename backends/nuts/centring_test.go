package nuts

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// effectsBlock has a log scale s, the first coordinate, and effects v, the others, whose prior has the
// location 0 and the scale exp(s).
type effectsBlock struct {
	density.Block
	dim      int
	declared float64
	evidence float64
	// of effects in turn with scales 1 and 1000 data say a precision of 3 and of 1
	two bool
}

func (b effectsBlock) Dim() int { return b.dim }
func (b effectsBlock) Effects() []density.Effects {
	return []density.Effects{{Name: "v", Offset: 1, Len: b.dim - 1, Centring: b.declared}}
}
func (b effectsBlock) ToTheta() density.Map   { return &scaling{b: b, sign: 1} }
func (b effectsBlock) FromTheta() density.Map { return &scaling{b: b, sign: -1} }

// scaling multiplies effects by exp(power·s).
type scaling struct {
	b     effectsBlock
	sign  float64
	power float64
	to    []float64
}

func (m *scaling) At(c, from, to []float64) float64 {
	m.power = m.sign * (m.b.declared - c[0])
	to[0] = from[0]
	for i, v := range from[1:] {
		to[1+i] = v * math.Exp(m.power*from[0])
	}
	m.to = slices.Clone(to)
	return m.power * float64(m.b.dim-1) * from[0]
}

func (m *scaling) Pull(g []float64) {
	g[0] += m.power * float64(m.b.dim-1)
	for i := range g[1:] {
		g[0] += g[1+i] * m.power * m.to[1+i]
		g[1+i] *= math.Exp(m.power * m.to[0])
	}
}

func (m *scaling) Lift(g []float64) {
	for i := range g[1:] {
		g[1+i] /= math.Exp(m.power * m.to[0])
		g[0] -= g[1+i] * m.power * m.to[1+i]
	}
	g[0] -= m.power * float64(m.b.dim-1)
}

// Evidence implements density.Map: data say of effect i a normal density with precision i and mean 2, which
// theta and g need not know. Where the scale of effects is next to nothing, the derivative is of other things
// or not a number.
func (m *scaling) Evidence(theta, _, v, slope, weight []float64) {
	for i := range v {
		if m.b.two {
			v[i], slope[i], weight[i] = theta[1+i], -3*theta[1+i], 1
			if theta[0] > 0 {
				slope[i], weight[i] = -theta[1+i], 1e6
			}
			continue
		}
		v[i], weight[i] = theta[1+i], 1
		slope[i] = m.b.evidence * float64(i) * (2 - v[i])
		if next := i > 0 && math.Abs(v[0]) < 0.2; next && v[0] > 0 {
			v[i], weight[i], slope[i] = 1e-12*v[i], 1e-24, 1e6*v[i]
		} else if next {
			v[i], weight[i], slope[i] = 0, 0, math.NaN()
		}
	}
}

func (*anchoring) Evidence(_, _, _, _, _ []float64) {}
func (*bending) Evidence(_, _, _, _, _ []float64)   {}

// Anchors of effects are precisions and means that draws with their gradients tell; none where the log
// likelihood is flat, or rises to either side.
func TestEvidence(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		b := effectsBlock{dim: 4, declared: 1, evidence: sign}
		c := centringOf(t, b)
		r := rand.New(rand.NewPCG(8, 1))
		for range keptDraws {
			theta, g := independent(r, b, 1)
			keep(c, theta, g)
		}
		c.inform(keptDraws)
		want := []float64{0, 1, 2, 0, 2, 4}
		if sign < 0 {
			clear(want)
		}
		for i, got := range c.at[1:] {
			if math.Abs(got-want[i]) > 1e-12 {
				t.Errorf("sign %v: anchors %v, want %v", sign, c.at[1:], want)
				break
			}
		}
		if got := c.informative(0); got != (sign > 0) {
			t.Errorf("sign %v: informative %t", sign, got)
		}
	}
}

// Draws weigh by the variance that an effect has where its scale is s:
// h = (3/(1 + h) + 1/h)/(1/(1 + h) + 1/h) where half of them have the scale 1 and say 3, and the others,
// which have 1000, say 1.
func TestEvidenceOfManyScales(t *testing.T) {
	c := centringOf(t, effectsBlock{dim: 2, declared: 1, two: true})
	for i := range keptDraws {
		sign := float64(1 - i/2%2*2)
		keep(c, []float64{float64(1 - i%2*2), sign}, []float64{0, 0})
	}
	c.inform(keptDraws)
	if want, h := (3+math.Sqrt(17))/4, c.at[1]; math.Abs(h/want-1) > 0.02 {
		t.Errorf("precision %v, want %v", h, want)
	}
}

// Derivatives that are those of a normal density tell its precision matrix, whatever elements correlate with;
// those of a density that rises to either side tell nothing, and elements that do not vary have no answer.
func TestToldTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	for k := 1; k <= 4; k++ {
		at := make([]float64, k*k)
		for i := range at {
			at[i] = r.NormFloat64()
		}
		want := make([]float64, k*k)
		for i := range want {
			for l := range k {
				want[i] += at[i%k+k*l] * at[i/k+k*l]
			}
		}
		moments, products := make([]float64, k*k), make([]float64, k*k)
		for range 50 {
			v, last := make([]float64, k), 0.0
			for a := range v {
				last = r.NormFloat64() + last
				v[a] = math.Pow(10, float64(a)) * last
			}
			for i := range want {
				moments[i] += v[i/k] * v[i%k]
				for b := range k {
					products[i] -= want[i/k+k*b] * v[b] * v[i%k]
				}
			}
		}
		h := told(moments, products, k)
		for i, v := range products {
			if math.Abs(h[i]-want[i]) > 1e-4*math.Sqrt(want[i/k*(k+1)]*want[i%k*(k+1)]) {
				t.Errorf("element %d of %v, want %v", i, h, want[i])
			}
			products[i] = -v
		}
		for _, v := range told(moments, products, k) {
			if math.Abs(v) > 1e-9*want[0] {
				t.Errorf("a density that rises tells %v", v)
			}
		}
	}
	if h := told(make([]float64, 4), make([]float64, 4), 2); h != nil {
		t.Errorf("elements that do not vary tell %v", h)
	}
}

// independent draws from a target whose coordinates at one centring are independent normals of sd 0.5: θ and
// the gradient by it.
func independent(r *rand.Rand, b effectsBlock, at float64) (theta, g []float64) {
	theta, g = make([]float64, b.dim), make([]float64, b.dim)
	for i := range theta {
		theta[i] = 0.5 * r.NormFloat64()
		g[i] = -theta[i] / 0.25
	}
	u := slices.Clone(theta)
	to, from := b.ToTheta(), b.FromTheta()
	to.At([]float64{at}, u, theta)
	from.At([]float64{at}, theta, u)
	from.Pull(g)
	return theta, g
}

func centringOf(t *testing.T, b density.Block) *centring {
	t.Helper()
	s, err := Algorithm().Resolve(Algorithm().Transforms[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return newCentring(b, shape{}, s)
}

// keep notes a draw.
func keep(c *centring, theta, g []float64) {
	toTheta, toG := c.kept.add()
	copy(toTheta, theta)
	copy(toG, g)
}

// The coordinates in which a target is independent are chosen, whatever those of θ; there the criterion is
// the number of coordinates, up to the error of their variances.
func TestCentringOfIndependentCoordinates(t *testing.T) {
	for _, want := range []float64{0, 1} {
		for _, declared := range []float64{0, 1} {
			b := effectsBlock{dim: 30, declared: declared}
			c := centringOf(t, b)
			r := rand.New(rand.NewPCG(3, uint64(2*want+declared)))
			for range keptDraws {
				theta, g := independent(r, b, want)
				keep(c, theta, g)
			}
			changed := c.chooseByKept(keptDraws)
			if c.at[0] != want || changed != (want != declared) {
				t.Errorf("declared %v, independent at %v: chosen %v, changed %v", declared, want, c.at[0],
					changed)
			}
			got, sum := c.misfit([]float64{want}, keptDraws), 0.0
			for _, v := range c.trial.draws.Squares { // there ∂ = -4u
				sum += 4 * v / (keptDraws - 1)
			}
			if math.Abs(got-sum) > 1e-9 || math.Abs(sum-30) > 4*math.Sqrt(2*30.0/(keptDraws-1)) {
				t.Errorf("the criterion is %v at the independent coordinates, want %v, about 30", got, sum)
			}
		}
	}
}

// The moments of draws in chosen coordinates are whole: the diagonals of the matrices of the dense part are
// the squares of each coordinate.
func TestMomentsInChosenCoordinates(t *testing.T) {
	b := effectsBlock{dim: 30, declared: 1}
	c, r := centringOf(t, b), rand.New(rand.NewPCG(3, 8))
	c.trial = newEstimate(b.Dim(), 20)
	for range keptDraws {
		theta, g := independent(r, b, 0)
		keep(c, theta, g)
	}
	if !c.chooseByKept(keptDraws) {
		t.Fatal("the coordinates are as they were")
	}
	for _, of := range []struct {
		matrix  *covariance
		squares []float64
	}{{c.trial.drawMatrix, c.trial.draws.Squares}, {c.trial.gradMatrix, c.trial.gradients.Squares}} {
		for i, want := range of.squares[:20] {
			if got := of.matrix.Products[21*i]; math.Abs(got-want) > 1e-9*want {
				t.Errorf("coordinate %d: %v in the matrix, %v alone", i, got, want)
			}
		}
	}
}

// By the draws of an approximation alone, without gradients, the coordinates in which they are independent
// are chosen too, and they are returned in these.
func TestCentringOfAnApproximation(t *testing.T) {
	for _, want := range []float64{0, 0.5, 1} {
		for _, declared := range []float64{0, 1} {
			b := effectsBlock{dim: 100, declared: declared}
			c := centringOf(t, b)
			r := rand.New(rand.NewPCG(5, uint64(4*want+declared)))
			var cloud [][]float64
			for range 2 * cloudKept {
				theta, _ := independent(r, b, want)
				cloud = append(cloud, theta)
			}
			u := c.near(cloud)
			if c.chosen[0] != want || c.other != (want != declared) {
				t.Errorf("declared %v, independent at %v: chosen %v", declared, want, c.chosen[0])
				continue
			}
			for i, theta := range cloud {
				near(t, "θ", c.place(u[i]), theta)
			}
		}
	}
}

// Where nothing is gained, coordinates stay as they are declared: the scale is known, so that all are as
// good.
func TestCentringWithoutGain(t *testing.T) {
	b := effectsBlock{dim: 2, declared: 1}
	c := centringOf(t, b)
	for i := range keptDraws {
		x := math.Sin(float64(i))
		keep(c, []float64{0.3, x}, []float64{0, -x})
	}
	if c.chooseByKept(keptDraws) {
		t.Errorf("chosen %v", c.at)
	}
}

// A point keeps its θ when the coordinates change; its gradient is by the new ones, and estimates have the
// moments of the kept draws there.
func TestRecentredPoint(t *testing.T) {
	b := effectsBlock{dim: 5, declared: 1}
	s := &party{block: b, estimate: newEstimates(5, 0, true), centring: centringOf(t, b)}
	s.kept = s.centring.kept
	r := rand.New(rand.NewPCG(4, 4))
	var q, g []float64
	for range 40 {
		q, g = independent(r, b, 0)
		s.learn(q, g, nil)
	}
	theta, byTheta := slices.Clone(q), slices.Clone(g)
	s.recentre(q, g)
	if !s.centring.other || s.centring.chosen[0] != 0 {
		t.Fatalf("chosen %v", s.centring.chosen)
	}
	near(t, "θ", s.place(q), theta)
	if got, want := s.logJacobian(), 4*theta[0]; math.Abs(got-want) > 1e-13 {
		t.Errorf("log-Jacobian %v, want %v", got, want)
	}
	s.pull(byTheta)
	near(t, "the gradient", g, byTheta)
	if e := s.estimate.foreground; e.draws.N != 40 {
		t.Errorf("%d draws", e.draws.N)
	} else {
		// independent normals: ∂ = -4u
		near(t, "squares of gradients", e.gradients.Squares, scaledBy(e.draws.Squares, 16))
	}
}

func scaledBy(x []float64, by float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] *= by
	}
	return out
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(got[i]-w) > 1e-11*(1+math.Abs(w)) {
			t.Errorf("%s %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// A ring keeps the newest draws, over a checkpoint too; a number of draws that cannot be is an error.
func TestKeptRing(t *testing.T) {
	r := keptRing{dim: 1}
	for i := range keptDraws + 7 {
		q, g := r.add()
		q[0], g[0] = float64(i), -float64(i)
	}
	var saved bytes.Buffer
	if err := backends.SaveState(&saved, "ring", r.state); err != nil {
		t.Fatal(err)
	}
	again := keptRing{dim: 1}
	if err := backends.LoadState(&saved, "ring", again.state); err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= keptDraws; k++ {
		q, g := again.newest(k)
		if want := float64(keptDraws + 7 - k); q[0] != want || g[0] != -want {
			t.Errorf("draw %d from the end is %v with gradient %v, want %v", k, q[0], g[0], want)
		}
	}
	bad := keptRing{dim: 1, count: -1}
	saved.Reset()
	if err := backends.SaveState(&saved, "ring", bad.state); err == nil {
		t.Error("a negative number of draws is saved")
	}
}

// anchoredBlock has a log scale s, the first coordinate, and a location m, the second, with coordinates u =
// (m - a)/exp(s)^(1-c) + c·a for an anchor a.
type anchoredBlock struct{ density.Block }

func (anchoredBlock) Dim() int { return 2 }
func (anchoredBlock) Effects() []density.Effects {
	return []density.Effects{{Name: "m", Offset: 1, Len: 1, Centring: 1, Anchored: true}}
}
func (anchoredBlock) ToTheta() density.Map   { return &anchoring{sign: 1} }
func (anchoredBlock) FromTheta() density.Map { return &anchoring{sign: -1} }

type anchoring struct{ sign, log, misfit, power float64 }

func (m *anchoring) At(at, from, to []float64) float64 {
	before, after := at[0]*at[1], at[1]
	if m.sign < 0 {
		before, after = after, before
	}
	m.power = m.sign * (1 - at[0])
	m.log, m.misfit = from[0], from[1]-before
	to[0], to[1] = m.log, m.misfit*math.Exp(m.power*m.log)+after
	return m.power * m.log
}

func (m *anchoring) Pull(g []float64) {
	by := math.Exp(m.power * m.log)
	g[0] += m.power + g[1]*m.misfit*by*m.power
	g[1] *= by
}

func (m *anchoring) Lift(g []float64) {
	by := math.Exp(m.power * m.log)
	g[1] /= by
	g[0] -= m.power + g[1]*m.misfit*by*m.power
}

// A location that varies around 3 as far as a scale reaches gets coordinates in units of the scale, from an
// anchor at the mean of its draws; one that does not stays as it is, without an anchor. Points keep their θ,
// over a checkpoint too.
func TestAnchoredLocation(t *testing.T) {
	for _, relative := range []bool{true, false} {
		c := centringOf(t, anchoredBlock{})
		r := rand.New(rand.NewPCG(6, 1))
		mean := 0.0
		for range keptDraws {
			theta, g := anchoredDraw(r, relative)
			keep(c, theta, g)
			mean += theta[1] / keptDraws
		}
		want := []float64{1, 0}
		if relative {
			want = []float64{0, mean}
		}
		if changed := c.chooseByKept(keptDraws); changed != relative {
			t.Errorf("relative %t: changed %t", relative, changed)
		}
		near(t, "centring and anchor", c.at, want)
		theta, g := anchoredDraw(r, relative)
		u, by := slices.Clone(theta), slices.Clone(g)
		c.move(c.at, u, by)
		var saved bytes.Buffer
		if err := backends.SaveState(&saved, "coordinates", c.state); err != nil {
			t.Fatal(err)
		}
		again := centringOf(t, anchoredBlock{})
		if err := backends.LoadState(&saved, "coordinates", again.state); err != nil {
			t.Fatal(err)
		}
		near(t, "θ", again.place(u), theta)
		again.declare(u, by)
		near(t, "the gradient", by, g)
	}
}

// anchoredDraw draws from log s ~ N(0, 0.5²) and m = 3 + w·s or 3 + w, w ~ N(0, 1), and returns the gradient
// of the log density too.
func anchoredDraw(r *rand.Rand, relative bool) (theta, g []float64) {
	log, w := 0.5*r.NormFloat64(), r.NormFloat64()
	if !relative {
		return []float64{log, 3 + w}, []float64{-4 * log, -w}
	}
	s := math.Exp(log)
	return []float64{log, 3 + w*s}, []float64{-4*log - 1 + w*w, -w / s}
}

// scaleBlock has a log scale with coordinates of model.RecentringGraphs, written for themselves: t = a + u√(1
// + s²u²/4) below the anchor, s = 2(1 − c).
type scaleBlock struct{ density.Block }

func (scaleBlock) Dim() int { return 1 }
func (scaleBlock) Effects() []density.Effects {
	return []density.Effects{{Name: "s", Len: 1, Centring: 1, Anchored: true, Scale: true}}
}
func (scaleBlock) ToTheta() density.Map   { return &bending{to: true} }
func (scaleBlock) FromTheta() density.Map { return &bending{} }

type bending struct {
	to            bool
	slope, change float64
}

func (m *bending) At(at, from, to []float64) float64 {
	s2 := 4 * (1 - at[0]) * (1 - at[0])
	u := from[0]
	m.slope, m.change = 1, 0
	if m.to {
		to[0] = at[1] + u*math.Sqrt(1+s2*min(u, 0)*min(u, 0)/4)
	} else {
		if u -= at[1]; u < 0 && s2 > 0 {
			u = -math.Sqrt(2 / s2 * (math.Sqrt(1+s2*u*u) - 1))
		}
		to[0] = u
	}
	if x := s2 * u * u; u < 0 {
		m.slope, m.change = (1+x/2)/math.Sqrt(1+x/4), s2*u*(1/(1+x/2)-0.25/(1+x/4))
	}
	if m.to {
		return math.Log(m.slope)
	}
	return -math.Log(m.slope)
}

func (m *bending) pull(g []float64, fromTheta bool) {
	if fromTheta {
		g[0] = g[0]*m.slope + m.change
	} else {
		g[0] = (g[0] - m.change) / m.slope
	}
}
func (m *bending) Pull(g []float64) { m.pull(g, m.to) }
func (m *bending) Lift(g []float64) { m.pull(g, !m.to) }

// Of few draws a difference of a third of a nat decides nothing, and there is less of a funnel at the smaller
// centring; of a hundred it does where effects are given others.
func TestFewDrawsDecideLess(t *testing.T) {
	for draws, want := range map[int]float64{10: 0.25, keptDraws: 0.5} {
		c := centringOf(t, effectsBlock{dim: 30, declared: 1})
		c.given = true
		c.choose(func(at []float64) float64 {
			c.trial.draws.N = draws
			return map[float64]float64{0: 32, 0.25: 30.3, 0.5: 30, 0.75: 30.1, 1: 31}[at[0]]
		})
		if c.at[0] != want {
			t.Errorf("%d draws: chosen %v, want %v", draws, c.at[0], want)
		}
	}
}

// A scale that may be near 0 gets a coordinate that is nearly normal; one that data determine keeps its own.
// τ is half normal, or chi with 40 degrees of freedom.
func TestBentScale(t *testing.T) {
	for freedom, bends := range map[int]bool{1: true, 40: false} {
		c := centringOf(t, scaleBlock{})
		r := rand.New(rand.NewPCG(7, 1))
		for range keptDraws {
			squares := 0.0
			for range freedom {
				z := r.NormFloat64()
				squares += z * z
			}
			keep(c, []float64{0.5 * math.Log(squares)}, []float64{float64(freedom) - squares})
		}
		if changed := c.chooseByKept(keptDraws); changed != bends || (c.at[0] < 1) != bends {
			t.Fatalf("%d degrees of freedom: changed %t, to %v", freedom, changed, c.at)
		}
		if misfit := c.misfit(c.at, keptDraws); misfit > 1.15 {
			t.Errorf("%d degrees of freedom: √(variance of draws · variance of gradients) is %v", freedom,
				misfit)
		}
	}
}
