package session_test

import (
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

// The round trips of an evaluation follow from the kinds of its messages: they are those that a run counts. A
// sum is one more, unless it travels with the next evaluation, and an exchange of which there are none takes
// none.
func TestRoundTripsOfAnEvaluation(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		plan := w.plan(t)
		kinds := map[string]bool{}
		evaluating, summing, pipeline := density.Use{Exchange: density.Evaluation},
			density.Use{Exchange: density.Summing}, density.Use{Exchange: density.Pipeline}
		relay := density.Use{Exchange: &density.Exchange{Up: density.MessageKind{Name: "up"},
			Down: density.MessageKind{Name: "down"}}}
		kinds["up"], kinds["down"] = true, true
		for _, c := range session.Crossings(plan, []density.Use{evaluating, summing}) {
			kinds[c.Kind] = true
		}
		for _, c := range []struct {
			uses []density.Use
			want int64
		}{
			{[]density.Use{evaluating}, w.rounds()}, {[]density.Use{evaluating, summing}, w.rounds() + 1},
			{[]density.Use{evaluating, pipeline, summing}, w.rounds()}, {[]density.Use{summing}, 1},
			{[]density.Use{relay}, 1},
		} {
			if got := int64(session.RoundTrips(kinds, c.uses)); got != c.want {
				t.Errorf("messages of the kinds %v in %d exchanges take %d round trips, want %d", kinds,
					len(c.uses), got, c.want)
			}
		}
	})
}
