package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
)

// evaluations is how many of them a forecast is made for; a fit takes thousands.
const evaluations = 10_000

// A pace is what crosses equally often, as "every evaluation": how many numbers, from and to, and in messages
// of which kinds.
type pace struct {
	often   string
	numbers backends.Range
	kinds   map[string]bool
}

// pacesOf are those of what crosses so often, with no word of how many messages carry it, and whether it may
// be left out: what crosses once has none.
func pacesOf(often string) []string {
	bare := strings.NewReplacer(quadrature.InPieces, "", session.WhereWanted, "")
	all := strings.Split(bare.Replace(often), ", ")
	return slices.DeleteFunc(all, func(one string) bool { return !strings.HasPrefix(one, "every") })
}

// of are the exchanges of a pace.
func (one *pace) of(uses []density.Use) (out []density.Use) {
	for _, u := range uses {
		if slices.Contains(pacesOf(u.Often), one.often) {
			out = append(out, u)
		}
	}
	return out
}

// paced adds a crossing to each of its paces.
func (p *preflight) paced(all []*pace, d split.ManifestCrossing) []*pace {
	for _, often := range pacesOf(d.Often) {
		at := slices.IndexFunc(all, func(one *pace) bool { return one.often == often })
		if at < 0 {
			at, all = len(all), append(all, &pace{often: often, kinds: map[string]bool{}})
		}
		n := p.numbers(d.Shape)
		all[at].numbers = backends.Range{Least: all[at].numbers.Least + n.Least,
			Most: all[at].numbers.Most + n.Most}
		for _, m := range d.Messages {
			kind, _, _ := strings.Cut(m, ":")
			all[at].kinds[kind] = true
		}
	}
	return all
}

// forecast says what messages cost, those that cross equally often together, and how many rounds a fit takes.
func (p *preflight) forecast(a announcement, rtt time.Duration, paces []*pace, uses []density.Use) {
	if paces == nil {
		p.note("forecast", "nothing crosses more than once")
		return
	}
	if a.Task.Kind != Fitting {
		p.predicts(a, rtt, paces[0].numbers.Least)
		return
	}
	p.rounds(a)
	if k := a.Task.Folds; k > 0 {
		p.note("folds",
			"the cross-validation has %d fits, each followed by a prediction: what is "+
				"listed here crosses in each", k)
	}
	if p.encrypted(a) {
		p.ciphertexts(uses)
		return
	}
	for _, one := range paces {
		trips := session.RoundTrips(one.kinds, one.of(uses))
		wait, _ := posterior.Connection{RoundTrip: rtt,
			Bandwidth: 1}.Waits(density.Work{Sequential: int64(trips) * evaluations})
		p.note("forecast", "%s takes %s and about %s to and from this party; %s of them wait %s and move %s",
			one.often, grouped.Count(trips, "round trip"), inBytes(one.numbers), grouped.Digits(evaluations),
			posterior.Seconds(wait), inBytes(one.numbers.Times(evaluations)))
	}
	p.note("forecast", "vflc audit RUN --rtt counts those of a run")
}

// inBytes is how many bytes so many numbers take.
func inBytes(numbers backends.Range) string {
	least, most := posterior.Bytes(int64(8*numbers.Least)), posterior.Bytes(int64(8*numbers.Most))
	if least == most {
		return most
	}
	return least + " to " + most
}

// rounds forecasts them beside the line that bounds them.
func (p *preflight) rounds(a announcement) {
	algorithm, _ := fit.Backend(a.Backend)
	transform, _ := p.part.manifest.Kind()
	s, err := algorithm.Resolve(transform, a.Settings)
	set := "max_rounds (" + p.node.policy.Set("max_rounds") + ")"
	if err != nil || algorithm.Forecast == nil {
		p.note("rounds", "as many as the fit takes to converge; %s bounds those of all runs on these rows",
			set)
		return
	}
	f := algorithm.Forecast(s).Divided(p.column())
	p.note("rounds", "%s (%s); %s bounds those of all runs on these rows", between(f.Rounds), f.Basis, set)
	if p.node.policy == nil || p.node.policy.MaxRounds == 0 {
		return
	}
	const name = "policy: max_rounds"
	_, spent, err := policy.OpenHistory(p.Identity).Earlier(p.part.rows)
	left := int(p.node.policy.MaxRounds - spent.Rounds)
	short := fmt.Sprintf("%s rounds are left, and such a fit takes %s", grouped.Digits(max(0, left)),
		between(f.Rounds))
	way := fmt.Sprintf("max_rounds = %d suffices, or fewer chains or draws",
		spent.Rounds+int64(f.Rounds.Most))
	switch {
	case err != nil:
		p.problem(name, err, "")
	case left < f.Rounds.Least:
		p.problem(name, short, way)
	case left < f.Rounds.Most:
		p.note(name, "%s: it may end before the fit does; %s", short, way)
	}
}

// column is how many numbers all clients together send for one draw.
func (p *preflight) column() (numbers int) {
	for _, c := range p.part.manifest.Cuts {
		for _, name := range p.node.names()[1:] {
			if program, _, _ := compile.Member(name); program == c.Client {
				numbers += p.numbers(c.Shape).Most
			}
		}
	}
	return numbers
}

func between(r backends.Range) string {
	return grouped.Digits(r.Least) + " to " + grouped.Digits(r.Most)
}

// predicts forecasts a prediction with the draws of the party's run.
func (p *preflight) predicts(a announcement, rtt time.Duration, numbers int) {
	run, err := posterior.OpenRun(p.From)
	if err != nil {
		p.problem("run", err, "name this party's folder of the run whose draws are used")
		return
	}
	draws := run.Draws.Len(0) * run.Draws.Chains()
	if a.Task.Draws > 0 {
		draws = min(draws, a.Task.Draws)
	}
	trips := fit.PredictionTrips(draws)
	wait, _ := posterior.Connection{RoundTrip: rtt,
		Bandwidth: 1}.Waits(density.Work{Sequential: int64(trips)})
	p.note("forecast",
		"%s, with %s, takes %s and about %s to and from this party, and waits %s for the network", a.Task,
		grouped.Count(draws, "draw"), grouped.Count(trips, "round trip"),
		posterior.Bytes(int64(8*numbers*draws)), posterior.Seconds(wait))
}

// numbers is how many numbers an array of a shape has, from and to; 0 where that depends on what this party
// does not know.
func (p *preflight) numbers(shape []string) backends.Range {
	n := backends.Range{Least: 1, Most: 1}
	for _, one := range shape {
		least, most, several := strings.Cut(one, " to ")
		if !several {
			most = one
		}
		n.Least *= p.length(least)
		n.Most *= p.length(most)
	}
	return n
}

// length is that of an axis, a number or the name of a size.
func (p *preflight) length(axis string) int {
	if f, ok := p.part.facts.Sizes[axis]; ok {
		return f.Value
	}
	n, _ := strconv.Atoi(axis)
	return n
}
