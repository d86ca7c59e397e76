package noise

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A pilot fit has so many chains, of so many transitions of warm-up and draws: enough for the forecasts,
// which need a posterior mean, and for the number of leapfrogs.
const (
	pilotChains = 2
	pilotWarmup = 200
	pilotDraws  = 100
)

// GridSDs are the noises ρ√J that are compared where no rho is given, in units of Scale.
func GridSDs() []float64 { return []float64{0.1, 0.2, 0.35, 0.7, 1, 2} }

// Pilot returns the settings of a pilot fit: those given, but for the number of chains and their lengths.
func Pilot(a backends.Algorithm, given map[string]string) map[string]string {
	out := maps.Clone(given)
	if out == nil {
		out = map[string]string{}
	}
	for role, n := range map[backends.Role]int{backends.Chains: pilotChains, backends.Warmup: pilotWarmup,
		backends.Draws: pilotDraws} {
		if s, ok := a.In(role); ok {
			out[s.Name] = fmt.Sprint(n)
		}
	}
	return out
}

// A Choice is what one rho does and costs.
type Choice struct {
	Rho float64 `json:"rho"`
	SD  float64 `json:"noise_sd"` // rho√J
	// the largest, by the draws of the pilot; nil: too far to tell, or not known
	Moves     *posterior.Moved     `json:"moves"`
	Forecasts []posterior.Forecast `json:"forecasts"` // by response
	Leapfrogs posterior.Number     `json:"leapfrogs"` // per draw
	Rounds    posterior.Number     `json:"rounds"`    // of one chain of the run, one after another
	Bytes     posterior.Number     `json:"bytes"`     // of all chains of the run, over the server's line
	// Server is what the server is expected to have of a cut of sd 1 after the run: of the cut that it knows
	// best.
	Server *attack.Outlook `json:"server"`
}

// A Comparison is a table of choices, from the largest rho to the smallest.
type Comparison struct {
	Schema    int      `json:"schema"`
	Model     string   `json:"model"`
	Transform string   `json:"transform"`
	Backend   string   `json:"backend"`
	Clients   int      `json:"clients"`
	Seed      uint64   `json:"seed"`
	Choices   []Choice `json:"choices"`
}

// Compare tabulates the pilot fits of a series that has run, for a run of the algorithm with the settings
// given.
func (s *Series) Compare(a backends.Algorithm, given map[string]string) (Comparison, diag.List, error) {
	first := s.Fits[0].Result.Document
	c := Comparison{Schema: posterior.Schema, Model: first.Model, Transform: first.Transform,
		Backend: first.Backend, Clients: s.Clients, Seed: first.Seed}
	for _, f := range s.Fits {
		one, diags, err := s.choice(f, a, given)
		if err != nil || diags.HasErrors() {
			return c, diags, err
		}
		c.Choices = append(c.Choices, one)
	}
	return c, nil, nil
}

// choice describes one pilot.
func (s *Series) choice(f *Fit, a backends.Algorithm, given map[string]string) (Choice, diag.List, error) {
	out := Choice{Rho: f.Rho, SD: s.SD(f), Forecasts: f.Result.Document.Forecasts,
		Moves: f.Result.Document.Moves, Leapfrogs: posterior.Number(leapfrogs(f.Result.Draws))}
	settings, err := a.Resolve(f.Prepared.Settings.Transform, given)
	if err != nil {
		return out, nil, &fit.UsageError{Err: err}
	}
	work, transitions := f.Result.Document.Work, float64(settings.Plan.Warmup+settings.Plan.Draws)
	share := transitions / float64(pilotChains*(pilotWarmup+pilotDraws))
	out.Rounds, out.Bytes = posterior.Number(share*float64(work.Rounds)),
		posterior.Number(share*float64(work.Bytes)*float64(settings.Plan.Chains))
	bundle, diags := f.Prepared.Bundle()
	if diags.HasErrors() {
		return out, diags, nil
	}
	rows, err := fit.Audit(bundle, a, given)
	if err != nil {
		return out, nil, err
	}
	known, err := fit.ForecastAttack(rows, bundle, a, given)
	for _, k := range known {
		if k != nil && (out.Server == nil || k.Correlation > out.Server.Correlation) {
			out.Server = k
		}
	}
	return out, nil, err
}

// leapfrogs is the mean number of leapfrogs per draw; NaN where the algorithm has none.
func leapfrogs(d *posterior.Draws) float64 {
	if !d.HasTrajectories() {
		return math.NaN()
	}
	n, draws := 0, 0
	for _, chain := range d.Transitions {
		for _, t := range chain {
			n += t.Leapfrogs
			draws++
		}
	}
	return float64(n) / float64(draws)
}

// Table is the comparison as text, with the time that a run waits for messages where a link is given.
func (c Comparison) Table(over *posterior.Connection) string {
	lines := [][]string{{"rho", "rho√J", "coefficients", "intercept", "sds", "moves", "leapfrogs", "rounds",
		"correlation", "residual sd"}}
	if over != nil {
		lines[0] = append(lines[0], "waiting", "bytes take")
	}
	var reasons []string
	for _, k := range c.Choices {
		line := k.line()
		if over != nil {
			trips, bytes := over.Waits(density.Work{Sequential: int64(k.Rounds), Bytes: int64(k.Bytes)})
			line = append(line, posterior.Seconds(trips), posterior.Seconds(bytes))
		}
		lines = append(lines, line)
		for _, f := range k.Forecasts {
			if f.Reason != "" && !slices.Contains(reasons, f.Reason) {
				reasons = append(reasons, f.Reason)
			}
		}
	}
	text := fmt.Sprintf("model %s, transform %s, backend %s, %d clients; pilot fits with seed %d\n\n",
		c.Model, c.Transform, c.Backend, c.Clients, c.Seed) + posterior.AlignLeft(lines)
	if len(reasons) > 0 {
		text += "\nno forecast for a likelihood: " + strings.Join(reasons, "; ") + "\n"
	}
	if over != nil {
		text += fmt.Sprintf("\nwaiting: for the rounds of one chain, with the parties apart and %s for a "+
			"round trip. bytes take: those of all chains of the run, at %s.\n",
			posterior.Seconds(over.RoundTrip.Seconds()), over.Rate())
	}
	return text + comparisonLegend
}

const comparisonLegend = `
coefficients, sds: times those of the true model; intercept: added to it; of several responses the one that changes most.
moves: the mean of a parameter at most, in its standard deviations, by the draws of the pilot; far: too far to tell.
leapfrogs: per draw. rounds: of one chain with its warm-up, one after another, estimated from the pilot.
correlation, residual sd: what the server is expected to have of a cut of sd 1 after the run (vflc audit --attack measures it).
--transform exact changes nothing about the answer; its cuts cross without noise.
`

// line is one choice.
func (k Choice) line() []string {
	slope, shift, sd := "-", "-", "-"
	if f := worst(k.Forecasts); f != nil {
		slope, shift, sd = fmt.Sprintf("%.3f", float64(f.Slope)), fmt.Sprintf("%+.3f", float64(f.Shift)),
			fmt.Sprintf("%.3f", float64(f.SD))
	}
	correlation, residual := "-", "-"
	if k.Server != nil {
		correlation, residual = fmt.Sprintf("%.5f", k.Server.Correlation),
			fmt.Sprintf("%.2g", k.Server.ResidualSD)
	}
	moves := "far"
	if k.Moves != nil {
		moves = fmt.Sprintf("%.2g sd", float64(k.Moves.Means))
	}
	leaps := "-"
	if !math.IsNaN(float64(k.Leapfrogs)) {
		leaps = fmt.Sprintf("%.1f", float64(k.Leapfrogs))
	}
	return []string{fmt.Sprintf(rhoDigits, k.Rho), fmt.Sprintf("%.3g", k.SD), slope, shift, sd, moves, leaps,
		twoDigits(float64(k.Rounds)), correlation, residual}
}

// twoDigits is a number of rounds to two digits: a pilot knows no more.
func twoDigits(n float64) string {
	if n < 1 {
		return "0"
	}
	unit := portable.Pow(10, math.Floor(portable.Log10(n))-1)
	return fmt.Sprintf("%.0f", math.Round(n/unit)*unit)
}

// worst is the forecast of the response that changes most; nil where there is none.
func worst(all []posterior.Forecast) (out *posterior.Forecast) {
	change := func(f *posterior.Forecast) float64 {
		return max(math.Abs(portable.Log(float64(f.Slope))), math.Abs(portable.Log(float64(f.SD))))
	}
	for i := range all {
		if all[i].Reason == "" && (out == nil || change(&all[i]) > change(out)) {
			out = &all[i]
		}
	}
	return out
}

// Explore makes a pilot fit at every rho, those of GridSDs where none is given, and tabulates them for a run
// with the options given.
func Explore(ctx context.Context, m *compile.Model, sources data.Sources, rhos []float64,
	o fit.Options) (Comparison, diag.List, error) {
	if err := Suits(m, o.Algorithm); err != nil {
		return Comparison{}, nil, err
	}
	if rhos == nil {
		scale, diags, err := Scale(ctx, m, sources, o)
		if err != nil || diags.HasErrors() {
			return Comparison{}, diags, err
		}
		rhos = Values(scaled(GridSDs(), scale), max(1, m.Addends(sources)))
	}
	given := o.Settings
	o.Settings = Pilot(o.Algorithm, given)
	s, diags, err := Open(m, sources, rhos, o, nil)
	if err != nil || diags.HasErrors() {
		return Comparison{}, diags, err
	}
	if err := s.Run(ctx, nil); err != nil {
		return Comparison{}, diags, err
	}
	c, found, err := s.Compare(o.Algorithm, given)
	return c, append(diags, found...), err
}
