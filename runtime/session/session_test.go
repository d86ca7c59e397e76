package session_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/tests/contract"
)

// everyDesign runs a test for all designs.
func everyDesign(t *testing.T, test func(*testing.T, *world)) {
	for _, d := range designs() {
		t.Run(d.String(), func(t *testing.T) { test(t, newWorld(d)) })
	}
}

func local(t testing.TB, plan *model.Plan) density.Env {
	t.Helper()
	env, err := session.NewLocal(plan, session.SimulatedKeys(7, plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The parties' log densities add up to the formula of the design at the same z.
func TestDensityIsTheFormula(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		p := newPlayer(local(t, w.plan(t)), noncentred)
		must(t, p.density(t.Context()))
		var got float64
		for _, lp := range p.lp {
			got += lp
		}
		if want := w.logDensity(p.theta, p.z); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("log density %v, want %v", got, want)
		}
	})
}

// The gradient is the derivative of the joint density, in coordinates where z depends on the parameters and
// where it does not, whatever was evaluated before.
func TestGradientIsTheDerivative(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		env := local(t, w.plan(t))
		for name, s := range schemes {
			p := newPlayer(env, s)
			must(t, p.density(t.Context()))
			p.move(0)
			must(t, p.density(t.Context()))
			scale := 1 + math.Abs(p.joint())
			grads := append(clone(p.grad), clone(p.de)...)
			for k, x := range append(p.theta[:len(p.theta):len(p.theta)], p.e...) {
				for i := 0; i < len(x); i += stride(len(x)) {
					if got, want := grads[k][i], p.slope(t, &x[i]); math.Abs(got-want) > 1e-6*scale {
						t.Fatalf("%s: gradient %d of vector %d is %v, finite differences give %v", name, i, k,
							got, want)
					}
				}
			}
		}
	})
}

// stride leaves out coordinates of long vectors, of no cut all.
func stride(n int) int {
	if n > 2*rows {
		return 5
	}
	return 1
}

// slope is the central difference of the joint density in one coordinate.
func (p *player) slope(t *testing.T, x *float64) float64 {
	const h = 1e-4
	at := *x
	defer func() { *x = at }()
	*x = at + h
	must(t, p.density(t.Context()))
	up := p.joint()
	*x = at - h
	must(t, p.density(t.Context()))
	return (up - p.joint()) / (2 * h)
}

func clone(v [][]float64) [][]float64 {
	c := make([][]float64, len(v))
	for i := range v {
		c[i] = append([]float64(nil), v[i]...)
	}
	return c
}

// Rounds and bytes of one evaluation follow from the table of the protocol.
func TestWorkOfOneEvaluation(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		env := local(t, w.plan(t))
		p := newPlayer(env, noncentred)
		must(t, p.density(t.Context()))
		rounds, numbers := int64(1), 2*w.crossing() // z up, adjoints down
		if w.power {
			// Every client receives every group and returns its adjoint; b goes down and its gradient up.
			rounds, numbers = 2, numbers+w.clients*(2*w.groupLen()+2)
		}
		if w.late {
			numbers += 2 * vars * w.clients
		}
		if w.early {
			rounds, numbers = rounds+1, numbers+2*vars*w.clients
		}
		if got, want := *env.Work(),
			(density.Work{Gradients: 1, Rounds: rounds, Sequential: rounds,
				Bytes: int64(8*numbers) + w.seals()}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// seals are the bytes of the seals of an exchange: 8 from each client to each other, up to the server and
// down from it.
func (w *world) seals() int64 { return int64(2 * 8 * w.clients * (w.clients - 1)) }

// crossing is the total length of all cuts, groupLen that of all groups.
func (w *world) crossing() int {
	n := 3 * rows * w.clients
	if w.single {
		n += rows * w.clients
	}
	return n
}

func (w *world) groupLen() int {
	n := 3 * rows
	if w.single {
		n += rows * w.clients
	}
	return n
}

// Sum and Values cost one round each, of the scalars and the shared parameters.
func TestWorkOfOtherExchanges(t *testing.T) {
	w := newWorld(design{single: true, late: true, early: true, clients: 2})
	env := local(t, w.plan(t))
	p := newPlayer(env, noncentred)
	values := [][]float64{make([]float64, 1), make([]float64, vars), make([]float64, vars)}
	must(t, env.Sum(t.Context(), [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, make([]float64, 3)))
	sum := density.Work{Rounds: 1, Sequential: 1, Bytes: 8*2*3*2 + w.seals()}
	worked(t, env, sum)
	must(t, env.Values(t.Context(), density.Draw{Theta: p.theta}, values))
	worked(t, env, density.Work{Rounds: 2, Sequential: 1, Bytes: sum.Bytes + 8*2*vars*2})
}

func worked(t *testing.T, env density.Env, want density.Work) {
	t.Helper()
	if got := *env.Work(); got != want {
		t.Errorf("work %+v, want %+v", got, want)
	}
}

func sequence(n int, from float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = from + float64(i)
	}
	return v
}

// Values are on the declared scale, with the shared parameters of the same draw; Density is not disturbed.
func TestValues(t *testing.T) {
	w := newWorld(design{late: true, early: true, clients: 2})
	env := local(t, w.plan(t))
	p := newPlayer(env, noncentred)
	must(t, p.density(t.Context()))
	before := clone(p.grad)
	values := [][]float64{make([]float64, 1), make([]float64, vars), make([]float64, vars)}
	other := clone(p.theta)
	for b := range other {
		for i := range other[b] {
			other[b][i] += 1
		}
	}
	must(t, env.Values(t.Context(), density.Draw{Theta: other}, values))
	if want := 2 * other[0][0]; values[0][0] != want {
		t.Errorf("b is %v, want %v", values[0][0], want)
	}
	for j := 1; j <= 2; j++ {
		for k := range vars {
			if want := other[j][k] + other[0][1+k]; values[j][k] != want {
				t.Errorf("client %d: %v, want β + μ = %v", j, values[j][k], want)
			}
		}
	}
	must(t, p.density(t.Context()))
	for b := range before {
		for i := range before[b] {
			if before[b][i] != p.grad[b][i] {
				t.Errorf("gradient %d of block %d changed from %v to %v", i, b, before[b][i], p.grad[b][i])
			}
		}
	}
}

// Pull is the transposed Jacobian: wᵀ(J v) by finite differences equals (Jᵀw)ᵀ v. It neither needs nor
// disturbs what Density accumulated.
func TestPull(t *testing.T) {
	w := newWorld(design{power: true, single: true, late: true, early: true, clients: 2})
	env := local(t, w.plan(t))
	p := newPlayer(env, noncentred)
	must(t, p.density(t.Context()))
	block := env.Blocks()[1]
	cuts := block.(density.DifferentiableCuts)
	weights := sequence(block.AuxLen(), 0.5)
	for _, slot := range []density.Slot{density.Here, density.Centre} {
		block.Cut(slot, p.theta[1], p.g[1])
		grad, early := make([]float64, block.Dim()), make([]float64, cuts.Early())
		for range 2 { // adds each time the same
			cuts.Pull(slot, weights, grad)
			cuts.PullEarly(slot, weights, early)
		}
		for i := range grad {
			const h = 1e-5
			shift := func(by float64) []float64 {
				x, g := append([]float64(nil), p.theta[1]...), make([]float64, block.AuxLen())
				x[i] += by
				block.Cut(density.Centre, x, g)
				return g
			}
			up, down := shift(h), shift(-h)
			var want float64
			for k := range up {
				want += 2 * weights[k] * (up[k] - down[k]) / (2 * h)
			}
			if math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("slot %d, parameter %d: %v, want %v", slot, i, grad[i], want)
			}
		}
		block.Cut(slot, p.theta[1], p.g[1])
		if norm(early) == 0 {
			t.Errorf("slot %d: no gradient by the early parameters", slot)
		}
	}
}

// The server has no cuts: Cut does nothing there, whatever is going on.
func TestBlocksKeepTheContract(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) { contract.CheckBlocks(t, local(t, w.plan(t))) })
}

// A puller calls Pull at the point of the evaluation in progress, and again at a copy of that point in slot
// Centre.
type puller struct {
	*player
	here, centre, hereEarly, centreEarly []float64
}

func (m *puller) Adjoint(b int, adj, own, w, early []float64) {
	m.player.Adjoint(b, adj, own, w, early)
	block := m.env.Blocks()[b]
	m.here, m.centre = make([]float64, block.Dim()), make([]float64, block.Dim())
	cuts := block.(density.DifferentiableCuts)
	m.hereEarly, m.centreEarly = make([]float64, cuts.Early()), make([]float64, cuts.Early())
	cuts.Pull(density.Here, adj, m.here)
	cuts.PullEarly(density.Here, adj, m.hereEarly)
	block.Cut(density.Centre, m.theta[b], m.bar[b])
	cuts.Pull(density.Centre, adj, m.centre)
	cuts.PullEarly(density.Centre, adj, m.centreEarly)
	if !equal(m.here, m.centre) || !equal(m.hereEarly, m.centreEarly) {
		m.here = nil
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// Pull inside an evaluation gives what it gives elsewhere and does not change the evaluation.
func TestPullWithinDensity(t *testing.T) {
	for _, power := range []bool{false, true} {
		w := newWorld(design{power: power, single: true, late: true, early: true, clients: 2})
		p := newPlayer(local(t, w.plan(t)), noncentred)
		must(t, p.density(t.Context()))
		want := clone(p.grad)
		m := &puller{player: p}
		must(t, p.env.Density(t.Context(), p.theta, m, p.grad, p.lp))
		if m.here == nil || norm(m.here) == 0 || norm(m.hereEarly) == 0 {
			t.Errorf("power=%t: Pull differs from itself, or is zero", power)
		}
		for b := range want {
			if !equal(p.grad[b], want[b]) {
				t.Errorf("power=%t, block %d: gradient %v, want %v", power, b, p.grad[b], want[b])
			}
		}
	}
}

func norm(v []float64) (s float64) {
	for _, x := range v {
		s += math.Abs(x)
	}
	return s
}

func TestNoAllocations(t *testing.T) {
	for _, d := range []design{{clients: 2, single: true, late: true, early: true},
		{power: true, clients: 5, late: true, early: true}} {
		p := newPlayer(local(t, newWorld(d).plan(t)), shifted)
		ctx := t.Context()
		must(t, p.density(ctx))
		if n := testing.AllocsPerRun(20, func() {
			if err := p.env.Density(ctx, p.theta, p, p.grad, p.lp); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations per evaluation", d, n)
		}
	}
}

// What is not finite is returned as it is and named.
func TestWhy(t *testing.T) {
	w := newWorld(design{clients: 2})
	env := local(t, w.plan(t))
	p := newPlayer(env, noncentred)
	must(t, p.density(t.Context()))
	if why := env.Cause().String(); why != "" {
		t.Errorf("all is finite, but: %s", why)
	}
	p.theta[0][1] = math.Inf(1)
	must(t, p.density(t.Context()))
	if why := env.Cause().String(); !strings.Contains(why, "registry") || !strings.Contains(why, "mu") {
		t.Errorf("why: %q", why)
	}
	p.theta[0][1], p.theta[2][0] = 0, math.Inf(1)
	must(t, p.density(t.Context()))
	if why := env.Cause().String(); !strings.Contains(why, "registry") && !strings.Contains(why, "lab[2]") {
		t.Errorf("why: %q", why)
	}
}

// Streams are named by party and key: shared ones are everybody's, private ones nobody else's.
func TestStreams(t *testing.T) {
	w := newWorld(design{clients: 2})
	plan := w.plan(t)
	env := local(t, plan)
	seen := map[string]float64{}
	note := func(name string, x float64) {
		for other, y := range seen {
			if x == y {
				t.Errorf("streams %s and %s are equal", name, other)
			}
		}
		seen[name] = x
	}
	for b := range plan.Names {
		note(fmt.Sprint("a of ", b), env.Private(b, "a").Float64())
		note(fmt.Sprint("b of ", b), env.Private(b, "b").Float64())
	}
	note("shared a", env.Shared("a").Float64())
	if env.Shared("a").Float64() != seen["shared a"] || env.Private(1, "b").Float64() != seen["b of 1"] {
		t.Error("a stream does not begin the same way twice")
	}
}
