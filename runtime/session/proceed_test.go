package session_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/backends/sfvi"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Proceed adds what Sum adds and evaluates what Density evaluates, or does not, in the rounds of one
// evaluation.
func TestProceedIsSumAndDensity(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		plan := w.plan(t)
		one, other := newPlayer(local(t, plan), noncentred), newPlayer(local(t, plan), noncentred)
		part := make([][]float64, len(one.theta))
		for b := range part {
			part[b] = []float64{0.1 * float64(b), 1 / float64(b+3)}
		}
		total, want := make([]float64, 2), make([]float64, 2)
		must(t, one.proceed(t.Context(), part, total, false))
		if norm(one.lp) != 0 {
			t.Error("an evaluation that was not wanted was made")
		}
		sums := int64(2 * 2 * 8 * w.clients)
		opening := one.env.Work().Rounds
		rounds := int64(1)
		if w.early {
			rounds++
		}
		if opening != rounds {
			t.Errorf("an evaluation that is not wanted takes %d rounds, want %d", opening, rounds)
		}
		before := *one.env.Work()
		copy(one.theta[0], other.theta[0])
		for b := range one.theta {
			copy(one.theta[b], other.theta[b])
			copy(one.e[b], other.e[b])
		}
		must(t, one.proceed(t.Context(), part, total, true))
		for b := range one.theta {
			copy(other.theta[b], one.theta[b])
			copy(other.e[b], one.e[b])
		}
		must(t, other.density(t.Context()))
		alone := *other.env.Work()
		worked(t, one.env, density.Work{Gradients: 1, Rounds: before.Rounds + alone.Rounds,
			Sequential: before.Rounds + alone.Rounds, Bytes: before.Bytes + alone.Bytes + sums})
		must(t, other.env.Sum(t.Context(), part, want))
		if !equal(total, want) {
			t.Errorf("totals %v, want %v", total, want)
		}
		for b := range one.grad {
			if !equal(one.grad[b], other.grad[b]) || one.lp[b] != other.lp[b] {
				t.Errorf("block %d: %v with gradient %v, want %v with %v", b, one.lp[b], one.grad[b],
					other.lp[b], other.grad[b])
			}
		}
	})
}

// A runLog is the draws of one run of an algorithm, by party, and the work that the server counts.
type runLog struct {
	sync.Mutex
	draws map[int][]float64
	work  density.Work // counted by the server
	costs []int64      // rounds of each step, as the server counts them
	steps []backends.Transition
}

func (j *runLog) sample(a backends.Algorithm, given map[string]string,
	transform def.Transform) func(context.Context, density.Env) error {
	return func(ctx context.Context, env density.Env) error {
		s, err := a.Resolve(transform, given)
		if err != nil {
			return err
		}
		k, err := a.New(env, s)
		if err != nil {
			return err
		}
		if err := k.Init(ctx); err != nil {
			return err
		}
		theta, server := clone(newPlayer(env, noncentred).theta), env.Blocks()[0].Index() == 0
		have := 0
		for info := (backends.StepInfo{}); !info.Done; {
			before := env.Work().Rounds
			if info, err = k.Step(ctx); err != nil {
				return err
			}
			j.Lock()
			for ; have < info.Draws; have++ {
				k.Draw(have, theta)
				for b, block := range env.Blocks() {
					j.draws[block.Index()] = append(j.draws[block.Index()], theta[b]...)
				}
			}
			if server {
				j.costs, j.steps = append(j.costs, env.Work().Rounds-before), append(j.steps, info.Transition)
			}
			j.Unlock()
		}
		if server {
			j.work = *env.Work()
		}
		return nil
	}
}

func sampled(t *testing.T, w *world, mode session.Execution, a backends.Algorithm,
	given map[string]string) *runLog {
	t.Helper()
	j := &runLog{draws: map[int][]float64{}}
	transform := stdlib.Augmented
	if w.power {
		transform = stdlib.Power
	}
	must(t, session.Run(t.Context(), w.plan(t), mode, 5, j.sample(a, given, transform)))
	return j
}

// rounds is how many one evaluation takes.
func (w *world) rounds() int64 {
	n := int64(1)
	if w.power {
		n++
	}
	if w.early {
		n++
	}
	return n
}

// bothWays wants the same draws and the same work from one loop and from a goroutine per party, and returns
// what the latter left.
func bothWays(t *testing.T, w *world, a backends.Algorithm, given map[string]string) *runLog {
	t.Helper()
	one, parties := sampled(t, w, session.OneLoop, a, given), sampled(t, w, session.PerParty, a, given)
	if one.work != parties.work {
		t.Errorf("work %+v in one loop, %+v with a goroutine per party", one.work, parties.work)
	}
	for index, draws := range one.draws {
		if len(draws) == 0 {
			t.Fatalf("party %d has no draws", index)
		}
		for i, x := range draws {
			if math.Float64bits(x) != math.Float64bits(parties.draws[index][i]) {
				t.Fatalf("party %d, number %d: %v in one loop, %v with a goroutine per party", index, i, x,
					parties.draws[index][i])
			}
		}
	}
	return parties
}

// NUTS draws the same bits in one loop and with a goroutine per party, which exchange each leapfrog's scalars
// together with the next leapfrog: one round a leapfrog under augmented, two under power, one more where a
// cut reads a server's parameter, and one exchange a draw to learn that the trajectory ends. Some
// trajectories end at the greatest depth and some before.
func TestRoundsOfALeapfrog(t *testing.T) {
	const warmup = 12
	deepest, shorter := false, false
	everyDesign(t, func(t *testing.T, w *world) {
		given := map[string]string{"warmup": fmt.Sprint(warmup), "draws": "15", "max-depth": "4"}
		parties := bothWays(t, w, nuts.Algorithm(), given)
		each, end := w.rounds(), int64(1)
		if w.early {
			end++
		}
		for i, step := range parties.steps[warmup:] {
			want := each*int64(step.Leapfrogs) + end
			deepest, shorter = deepest || step.Leapfrogs == 15, shorter || step.Leapfrogs < 15
			if step.Leapfrogs == 15 { // nothing is begun after the greatest depth
				want += 1 - end
			}
			if got := parties.costs[warmup+i]; got != want {
				t.Errorf("draw %d takes %d rounds for %d leapfrogs, want %d", i, got, step.Leapfrogs, want)
			}
		}
	})
	if !deepest || !shorter {
		t.Errorf("trajectories of the greatest depth: %t, shorter ones: %t", deepest, shorter)
	}
}

// So does SFVI, whose draws exchange their scalars with the next one's z: the rounds of an evaluation for
// each, one more for the sums at a point of the trace and one for those before it, one for the start and one
// for the final value; the draws at these points take one round together where each party can evaluate its
// own density.
func TestRoundsOfAFit(t *testing.T) {
	const iterations, points, final = 24, 2, 64
	everyDesign(t, func(t *testing.T, w *world) {
		given := map[string]string{"iterations": "24", "elbo-every": "12",
			"elbo-draws": "64", "draws": "5", "guide": "noncentered"}
		parties := bothWays(t, w, sfvi.Algorithm(), given)
		evaluations := int64(1 + iterations + 32*points + final)
		want := evaluations*w.rounds() + 1 + 2*points + 1
		if plan := w.plan(t); !plan.AtClients && len(plan.Shared) == 0 { // draws go in one message
			want = (1+iterations)*w.rounds() + 1 + 2*points + 1
		}
		if got := parties.work.Rounds; got != want || parties.work.Gradients != evaluations {
			t.Errorf("%d rounds, want %d; %d evaluations, want %d", got, want, parties.work.Gradients,
				evaluations)
		}
	})
}
