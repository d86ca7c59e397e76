package session_test

import (
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

// The round trips of an evaluation follow from the kinds of its messages: they are those that a run counts.
func TestRoundTripsOfAnEvaluation(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		plan := w.plan(t)
		kinds := map[string]bool{}
		uses := []density.Use{{Exchange: density.Evaluation}}
		for _, c := range session.Crossings(plan, uses) {
			kinds[c.Kind] = true
		}
		if got, want := int64(session.RoundTrips(kinds, uses)), w.rounds(); got != want {
			t.Errorf("messages of the kinds %v take %d round trips, want %d", kinds, got, want)
		}
	})
}
