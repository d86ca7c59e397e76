package node

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/tests/metropolis"
)

// A forecast counts what an algorithm sends at each pace in the round trips of that pace alone, and the
// policy's bound on derivatives holds for every message that its declaration says so of.
func TestForecastHasEveryPace(t *testing.T) {
	slopes := &density.Content{Prefix: "slopes ", Of: density.OfSums, Bound: density.BoundSlopes}
	rare := density.Use{Often: "every tenth proposal, and at the end", Exchange: &density.Exchange{
		Up:   density.MessageKind{Name: "point", Carries: []density.Carried{{Content: density.BareCut}}},
		Down: density.MessageKind{Name: "slopes", Carries: []density.Carried{{Content: slopes}}},
	}}
	uses := append(metropolis.Algorithm().Exchanges(backends.Settings{}), rare)
	crossing := func(what, from, to, often string, shape []string,
		messages ...string) split.ManifestCrossing {
		return split.ManifestCrossing{What: what, From: from, To: to, Often: often, Shape: shape,
			Messages: messages}
	}
	seals := "every proposal, every tenth proposal, and at the end"
	crossings := []split.ManifestCrossing{
		crossing("z", "b", "server", "every proposal", []string{"N"}, "aux: z z"),
		crossing("adjoint", "server", "b", "every proposal", []string{"N"}, "reply: adjoint z"),
		crossing("cut", "b", "server", rare.Often, []string{"N", "2 to 5"}, "point: cut z"),
		crossing("slopes", "server", "b", rare.Often, []string{"N"}, "slopes: slopes z"),
		crossing("seals", "server", "b", seals, []string{"2"}, "reply: seals", "slopes: seals"),
		crossing("part", "b", "server", "every proposal", []string{"1"}, "sum part: scalars"),
		crossing("total", "server", "b", "every proposal", []string{"1"}, "sum: scalars"),
		crossing("the end", "b", "server", "once", []string{"N"}, "closing: seals"),
	}
	p := &preflight{node: &node{id: &identity.Identity{Party: "b"}}, part: &participant{
		manifest: &split.Manifest{Run: &split.ManifestRun{Crossings: crossings}},
		facts:    facts{Facts: compile.Facts{Sizes: map[string]lower.SizeFact{"N": {Value: 7}}}},
	}}
	var paces []*pace
	for _, d := range crossings {
		paces = p.paced(paces, d)
	}
	p.forecast(announcement{}, 0, paces, uses)
	var got []string
	for _, c := range p.checks {
		got = append(got, c.Name+": "+c.Found)
	}
	for _, want := range []string{"every proposal takes 2 round trips and about 144 to and from",
		"every tenth proposal takes 1 round trip and about 184 to 352 to and from"} {
		if !slices.ContainsFunc(got, func(line string) bool {
			return strings.HasPrefix(line, "forecast: "+want)
		}) {
			t.Errorf("no forecast %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if got, want := p.bounded(uses), "adjoint, every proposal; slopes, "+rare.Often; got != want {
		t.Errorf("bounded: %q, want %q", got, want)
	}
}
