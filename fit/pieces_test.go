package fit

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// narrow is an Env whose messages have few draws.
type narrow struct {
	density.Env
	most int
}

func (e narrow) Unwrap() density.Env { return e.Env }

func (e narrow) Piece(columns int) int { return min(columns, e.most) }

func (e narrow) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize,
	by density.Relayed) error {
	return density.Must[density.Relaying](e.Env).Relay(ctx, x, size, by)
}

// inPieces runs a fit with at most so many draws in a message. It returns the draws and the ratios of each
// party, and the round trips.
func inPieces(t *testing.T, b *compile.BoundModel, mode session.Execution, most int,
	given map[string]string) (out map[string][]float64, trips int64) {
	t.Helper()
	a := backend(t, "sfvi")
	settings, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	var lock sync.Mutex
	out = map[string][]float64{}
	err = session.Run(context.Background(), b.Plan, mode, 7,
		func(ctx context.Context, env density.Env) error {
			k, err := a.New(narrow{env, most}, settings)
			if err != nil {
				return err
			}
			if err := k.Init(ctx); err != nil {
				return err
			}
			for done := false; !done; {
				info, err := k.Step(ctx)
				if err != nil {
					return err
				}
				done = info.Done
			}
			lock.Lock()
			defer lock.Unlock()
			var theta [][]float64
			for _, block := range env.Blocks() {
				theta = append(theta, make([]float64, block.Dim()))
			}
			for id := range 5 {
				k.Draw(id, theta)
				for i, block := range env.Blocks() {
					out[block.Party()] = append(out[block.Party()], theta[i]...)
				}
			}
			for _, block := range env.Blocks() {
				out[block.Party()] = append(out[block.Party()],
					k.(interface{ Ratios() []float64 }).Ratios()...)
			}
			trips = max(trips, env.Work().Sequential)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return out, trips
}

// Draws that are too many for one message cross in several, each a round trip, with the result that they have
// in one; parties that are apart have the same bits.
func TestLongBatchesCrossInPieces(t *testing.T) {
	for name, c := range map[string]struct {
		transform def.Transform
		given     map[string]string
	}{
		"fixed": {stdlib.Exact, map[string]string{"estimator": "fixed", "draws-per-step": "24",
			"theta-guide": "meanfield", "iterations": "10", "draws": "30"}},
		"sampled": {stdlib.Exact, map[string]string{"estimator": "sampled", "iterations": "20",
			"elbo-every": "10", "elbo-draws": "100", "draws": "5"}},
		"quadrature": {stdlib.Exact, map[string]string{"estimator": "quadrature", "draws": "200"}},
		"nested":     {stdlib.Exact, map[string]string{"estimator": "nested", "draws": "200"}},
		"in noise":   {stdlib.Augmented, map[string]string{"estimator": "quadrature", "draws": "200"}},
		"at clients": {stdlib.Power, map[string]string{"estimator": "quadrature", "draws": "200"}},
		"augmented": {stdlib.Augmented, map[string]string{"estimator": "sampled", "iterations": "20",
			"elbo-every": "10", "elbo-draws": "100", "draws": "5"}},
	} {
		b := bindModel(t, "../examples/logistic.vfl", c.transform)
		whole, few := inPieces(t, b, session.OneLoop, 1000, c.given)
		pieces, many := inPieces(t, b, session.OneLoop, 8, c.given)
		apart, asMany := inPieces(t, b, session.PerParty, 8, c.given)
		for _, party := range b.Plan.Names {
			if len(whole[party]) == 0 || !slices.Equal(whole[party], pieces[party]) ||
				!slices.Equal(pieces[party], apart[party]) {
				t.Errorf("%s: %s has other draws or ratios in pieces", name, party)
			}
		}
		if many <= few || asMany != many {
			t.Errorf("%s: %d round trips in pieces, %d apart, %d in one message", name, many, asMany, few)
		}
	}
}

// On the fixed wire, with masks or without, pieces have the bits that one process has of them: in them
// numbers are rounded to the grids that the pieces before have told.
func TestPiecesOnTheFixedWire(t *testing.T) {
	for name, c := range map[string]struct {
		transform def.Transform
		given     map[string]string
	}{
		"fixed": {stdlib.Exact, map[string]string{"estimator": "fixed", "draws-per-step": "24",
			"theta-guide": "meanfield", "iterations": "10", "draws": "30"}},
		"quadrature": {stdlib.Exact, map[string]string{"estimator": "quadrature", "draws": "60"}},
		"in noise":   {stdlib.Augmented, map[string]string{"estimator": "quadrature", "draws": "60"}},
		"at clients": {stdlib.Power, map[string]string{"estimator": "quadrature", "draws": "60"}},
	} {
		b := bindModel(t, "../examples/logistic.vfl", c.transform)
		plain, trips := inPieces(t, b, session.OneLoop, 8, c.given)
		plan := b.Plan
		var first map[string][]float64
		for _, wire := range []model.Wire{{Fixed: true}, {Fixed: true, Masked: true}} {
			b.Plan = plan.On(wire)
			for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
				got, n := inPieces(t, b, mode, 8, c.given)
				if first == nil {
					first = got
				}
				for _, party := range plan.Names {
					if !slices.Equal(first[party], got[party]) {
						t.Errorf("%s: %s has other draws or ratios on the wire %+v in mode %v", name, party,
							wire, mode)
					}
					for i, v := range plain[party] {
						if !(math.Abs(v-got[party][i]) < 1e-4*(1+math.Abs(v))) {
							t.Fatalf("%s: %s has %v on the wire %+v, and %v on the plain one", name, party,
								got[party][i], wire, v)
						}
					}
				}
				if n != trips {
					t.Errorf("%s: %d trips on the wire %+v, %d on the plain one", name, n, wire, trips)
				}
			}
		}
	}
}
