package nuts

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// An arrowhead is a normal density of effects v, the middle coordinates, each normal with the location aᵀφ
// and the precision h given the others φ, whose precisions are r.
type arrowhead struct {
	first int // of φ that come before the effects
	a     [][]float64
	h, r  []float64
}

func newArrowhead(seed uint64, first, last, effects int) arrowhead {
	r := rand.New(rand.NewPCG(seed, 1))
	d := arrowhead{first: first}
	for range first + last {
		d.r = append(d.r, math.Exp(2*r.NormFloat64()))
	}
	for range effects {
		a := make([]float64, len(d.r))
		for k := range a {
			a[k] = 1 + r.NormFloat64()
		}
		d.a, d.h = append(d.a, a), append(d.h, math.Exp(r.NormFloat64()))
	}
	return d
}

// given is where the k-th of φ stands.
func (d arrowhead) given(k int) int {
	if k < d.first {
		return k
	}
	return k + len(d.h)
}

func (d arrowhead) log(x, grad []float64) (lp float64) {
	clear(grad)
	for k, r := range d.r {
		i := d.given(k)
		lp -= 0.5 * r * x[i] * x[i]
		grad[i] -= r * x[i]
	}
	for j, h := range d.h {
		e := x[d.first+j]
		for k, a := range d.a[j] {
			e -= a * x[d.given(k)]
		}
		lp -= 0.5 * h * e * e
		grad[d.first+j] -= h * e
		for k, a := range d.a[j] {
			grad[d.given(k)] += h * e * a
		}
	}
	return lp
}

// separableBlock knows its effects.
type separableBlock struct {
	density.Block
	effects []density.Effects
}

func (b separableBlock) Separable() []density.Effects { return b.effects }

type separableEnv struct {
	density.Env
	blocks []density.Block
}

func (e separableEnv) Blocks() []density.Block { return e.blocks }

func (d arrowhead) begun(t *testing.T, seed uint64, given map[string]string) *chain {
	t.Helper()
	s, err := Algorithm().Resolve(stdlib.NoTransform, given)
	if err != nil {
		t.Fatal(err)
	}
	env := testmodel.Density{Dims: []int{len(d.r) + len(d.h)}, Log: d.log}.Env(seed)
	block := separableBlock{env.Blocks()[0], []density.Effects{{Offset: d.first, Len: len(d.h)}}}
	k, err := newChain(separableEnv{env, []density.Block{block}}, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return k
}

// Differences of gradients give C of a normal density, whatever the standard deviations; without C the
// effects' gradients do not depend on φ any more. Coordinates go to θ and back, and gradients with them.
func TestShear(t *testing.T) {
	d := newArrowhead(3, 2, 3, 150)
	s := d.begun(t, 1, nil).parties[0].shear
	if s == nil {
		t.Fatal("no shear")
	}
	n, p := len(s.u), len(d.r)
	r := rand.New(rand.NewPCG(2, 1))
	at, sd := make([]float64, n), make([]float64, n)
	for i := range at {
		at[i], sd[i] = r.NormFloat64(), math.Exp(r.NormFloat64())
	}
	slope := func(q, g []float64) bool {
		d.log(s.place(q), g)
		s.pull(g)
		return true
	}
	s.fit(at, sd, slope)
	s.holds(t, d, func(int) bool { return true })
	g, moved := make([]float64, n), make([]float64, n)
	slope(at, g)
	for k := range p {
		q := slices.Clone(at)
		q[k]++
		slope(q, moved)
		near(t, "the effects' gradients where φ is another", moved[p:], g[p:])
	}
	theta, back := slices.Clone(at), slices.Clone(g)
	s.declare(theta, back)
	want := make([]float64, n)
	d.log(theta, want)
	near(t, "the gradient by θ", back, want)
	near(t, "θ", theta, s.place(at))
	s.undeclare(theta, back)
	near(t, "the coordinates", theta, at)
	near(t, "their gradient", back, g)
}

// holds fails unless C has the columns of d that are kept, and 0 in the place of others.
func (s *shear) holds(t *testing.T, d arrowhead, kept func(k int) bool) {
	t.Helper()
	p := len(d.r)
	for k := range p {
		for j, a := range d.a {
			got, want := 0.0, 0.0
			for r := range s.rank {
				got += s.left[r*s.count+j] * s.right[r*p+k]
			}
			if kept(k) {
				want = a[k]
			}
			if !(math.Abs(got-want) < 1e-9*(1+math.Abs(a[k]))) {
				t.Fatalf("C of effect %d by parameter %d is %v, want %v", j, k, got, want)
			}
		}
	}
}

// C has no directions along which φ hardly moves effects: of thirty effects with the precision h, which one
// of φ with the precision r moves by a, the spread is a·√(30h/r).
func TestShearLeavesOutWhatHardlyMovesEffects(t *testing.T) {
	spreads := []float64{0.2, 3, leastSpread - 0.05, leastSpread + 0.05, 1}
	d := newArrowhead(3, 2, 3, 150)
	for j := range d.a {
		k := j / 30
		clear(d.a[j])
		d.h[j] = float64(k + 1)
		d.a[j][k] = spreads[k] * math.Sqrt(d.r[k]/30/d.h[j])
	}
	s := d.begun(t, 1, nil).parties[0].shear
	n := len(s.u)
	sd := make([]float64, n)
	for i := range sd {
		sd[i] = 1
	}
	s.fit(make([]float64, n), sd, func(q, g []float64) bool {
		d.log(s.place(q), g)
		s.pull(g)
		return true
	})
	if s.rank != 3 {
		t.Errorf("%d directions are kept", s.rank)
	}
	s.holds(t, d, func(k int) bool { return spreads[k] > leastSpread })
}

// Chains of an arrowhead need few leapfrogs, and have its variances, within four Monte Carlo standard
// errors. A chain that is restored, in the warm-up or after, goes on bit for bit. Nothing is taken away where
// coordinates are declared, the metric is chosen or effects are few.
func TestChainsOfAnArrowhead(t *testing.T) {
	const warmup, draws = 200, 1000
	ctx := context.Background()
	d := newArrowhead(3, 2, 3, 150)
	given := map[string]string{"warmup": "200", "draws": "1000"}
	k := d.begun(t, 5, given)
	saved, next := map[int][]byte{}, map[int][]float64{}
	leapfrogs, squares := 0, make([][]float64, len(d.r)+1)
	theta := [][]float64{make([]float64, len(d.r)+len(d.h))}
	for n := 1; n <= warmup+draws; n++ {
		if _, err := k.Step(ctx); err != nil {
			t.Fatal(err)
		}
		if n == 110 || n == warmup+20 {
			var b bytes.Buffer
			if err := k.Save(&b); err != nil {
				t.Fatal(err)
			}
			saved[n] = b.Bytes()
		}
		if m := &k.parties[0].metric; n == warmup/4 && m.ref.first(len(m.inverse)) > 0 {
			t.Error("early steps with known second derivatives have no reference")
		}
		k.Draw(0, theta)
		if n == 120 || n == warmup+30 {
			next[n-10] = slices.Clone(theta[0])
		}
		if n <= warmup {
			continue
		}
		leapfrogs += k.last.Leapfrogs
		e := theta[0][d.first]
		for i, r := range d.r {
			x := theta[0][d.given(i)]
			e -= d.a[0][i] * x
			squares[i] = append(squares[i], r*x*x)
		}
		squares[len(d.r)] = append(squares[len(d.r)], d.h[0]*e*e)
	}
	for n, b := range saved {
		again := d.begun(t, 5, given)
		if err := again.Load(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := again.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if again.Draw(0, theta); !slices.Equal(theta[0], next[n]) {
			t.Errorf("restored after %d transitions, a chain makes other draws", n)
		}
	}
	if a := float64(leapfrogs) / draws; a > 4 {
		t.Errorf("%.1f leapfrogs a draw", a)
	}
	for i, v := range squares {
		mean := vector.Sum(draws, v) / draws
		// 0.126 are 125 effective draws
		if e := posterior.MCSEMean([][]float64{v}); !(math.Abs(mean-1) < 4*e) || !(e < 0.126) {
			t.Errorf("variance %d is %.4g ± %.2g of the target's", i, mean, e)
		}
	}
	few := newArrowhead(3, 2, 3, leastEffects-1)
	for what, k := range map[string]*chain{"diag": d.begun(t, 1, map[string]string{metricForm: "diag"}),
		"declared": d.begun(t, 1, map[string]string{coordinates: "declared"}), "few": few.begun(t, 1, nil)} {
		if k.parties[0].shear != nil {
			t.Errorf("%s: effects are given others", what)
		}
	}
}
