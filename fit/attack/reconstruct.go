package attack

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/posterior"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Truth is a client's true cut, which a simulation knows: the elements that are followed (Followed), their
// mean over the draws of a run, and some of the draws; and the columns of data that it depends on, if it has
// one number a row.
type Truth struct {
	Mean    []float64
	Draws   [][]float64
	Columns []Covariate
	// ByColumn: by the settings, which all know, contributions separate by column: under diagonal metrics or
	// covariances, and by fixed draws.
	ByColumn bool
}

// A GroundTruth is what the process that simulated a run knows beside its transcript.
type GroundTruth struct {
	// Truth returns the true cut of a party by its index in the plan and that of the cut.
	Truth func(party, cut int) Truth
	// Clear returns what crosses without noise of a member of a sum of the plan, or of the sum itself where
	// member is their number; nil for nothing.
	Clear func(group, member int) *Clear
	// Variances are those of the sums, where a fit by quadrature is in the run.
	Variances []*Variances
	// Divided are the members' parts of sums that have masks, where a fit over a grid divides these: by sum
	// and member; nil for what it does not.
	Divided [][]*Clear
}

// Followed lists the elements of a cut of n that recorders follow: all of a short one, evenly spaced ones of
// a long one.
func Followed(n int) []int { return spaced(n, mostElements) }

// A Reconstruction is what the server can compute of one cut, or of the sum of several, and how near it is to
// the truth.
type Reconstruction struct {
	Name      string   `json:"name"`      // of the auxiliary variable, or of the sum of several
	Parties   []string `json:"parties"`   // whose cut it is
	Receivers []string `json:"receivers"` // who can compute it
	Sum       bool     `json:"sum"`       // of the cuts of several parties: all that masked sums show
	Rho       float64  `json:"rho"`       // sd of the noise that is sent with it
	Rounds    int      `json:"rounds"`    // evaluations that were seen
	// of a fit by quadrature; the figures are of these where there are no evaluations
	Iterates int `json:"iterates"`
	Draws    int `json:"draws"`    // at which the cut itself crossed at the end of such a fit
	Elements int `json:"elements"` // of the cut
	Followed int `json:"followed"` // those of them that the figures are of
	Accuracy
	CutSD posterior.Number `json:"cut_sd"` // over the rows
	// Directions is how many principal components stand out of the noise, and Span the share of the posterior
	// variance of the true cut that they hold; null where there were too few rounds to tell.
	Directions int              `json:"directions"`
	Span       posterior.Number `json:"span"`
	Groups     *Groups          `json:"groups"` // null where no two rows share their cut
	// ColumnRecovery are those of two values in the span: of what crosses without noise if anything does,
	// else of the mean and the principal components. Null where the span is not known, or is that of more
	// than one number a row.
	Columns *ColumnRecovery `json:"columns"`
	// Inversion is what one evaluation shows without any noise; null where everything has noise.
	Inversion *Inversion `json:"inversion"`
	Progress  []Interim  `json:"progress"`
}

// Accuracy compares the mean of z − ρ²·adjoint, or what a fit by quadrature sends in its place, with the mean
// of the true cut, over rows.
type Accuracy struct {
	Correlation posterior.Number `json:"correlation"`
	ResidualSD  posterior.Number `json:"residual_sd"`
}

// Interim is the Accuracy after fewer evaluations: from the second half of so many.
type Interim struct {
	Rounds int `json:"rounds"`
	Accuracy
}

// Reconstruct computes, from the recorders of the chains of one run, what they hold of every cut and sum.
func Reconstruct(chains []*Recorder, s GroundTruth) []Reconstruction {
	var out []Reconstruction
	plan := chains[0].plan
	for k, v := range chains[0].views {
		views, rounds := make([]*view, len(chains)), make([]int, len(chains))
		for c, r := range chains {
			views[c], rounds[c] = r.views[k], r.rounds
		}
		e := &evidence{views: views, rounds: rounds, fits: chains[0].fits}
		r := Reconstruction{Sum: len(v.covers) > 1, Elements: plan.Groups[v.of.group].Len,
			Followed: len(v.picks)}
		squares, names := 0.0, []string{}
		for _, of := range v.covers {
			port := plan.Groups[of.group].Members[of.member]
			// members of a family have one name
			if name := cutOf(plan, port).Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
			r.Parties = append(r.Parties, plan.Names[port.Party])
			squares += float64(of.rho * of.rho)
			e.addTruth(plan.Names[port.Party], s.Truth(port.Party, port.Index))
		}
		r.Name, r.Rho = strings.Join(names, " + "), math.Sqrt(squares)
		member := v.of.member
		if r.Sum {
			member = len(v.covers)
		}
		e.fill(&r, s.Clear(v.of.group, member))
		out = append(out, r)
	}
	return out
}

// each lists the single views that a view is of.
func (v *view) each() []*view {
	if v.members == nil {
		return []*view{v}
	}
	return v.members
}

// evidence is the views of one cut in all chains, and the truth.
type evidence struct {
	views  []*view
	rounds []int       // by chain; 0 in a fit by quadrature, which draws no noise
	fits   int         // iterates of such a fit, of the first chain
	truth  [][]float64 // by draw
	center []float64   // mean of the truth
	data   []Covariate
}

// addTruth adds a member's cut, draw by draw, and its columns.
func (e *evidence) addTruth(party string, t Truth) {
	for _, c := range t.Columns {
		if len(e.views[0].covers) > 1 {
			if c.Name = party + ": " + c.Name; c.Factor != "" {
				c.Factor = party + ": " + c.Factor
			}
		}
		e.data = append(e.data, c)
	}
	if e.truth == nil {
		e.center = make([]float64, len(t.Mean))
		for range t.Draws {
			e.truth = append(e.truth, make([]float64, len(t.Mean)))
		}
	}
	vec.Accumulate(len(e.center), e.center, t.Mean)
	for i, draw := range t.Draws {
		vec.Accumulate(len(draw), e.truth[i], draw)
	}
}

func (e *evidence) fill(r *Reconstruction, bare *Clear) {
	var mean []float64
	var c components
	r.Iterates, r.Draws = e.fits, e.views[0].each()[0].bare.draws
	if slices.Max(e.rounds) == 0 {
		mean, r.Progress = e.newest(), e.iterates()
	} else {
		mean, r.Progress, c = e.late(), e.progress(), e.components()
		for _, n := range e.rounds {
			r.Rounds += n
		}
	}
	if bare != nil && (e.fits > 0 || bare.Draws > 0) {
		c = spanned(bare.Vectors)
	}
	if bare != nil && bare.Draws > 0 && r.Rounds == 0 {
		mean, r.Draws = bare.Mean, bare.Draws
	}
	r.Accuracy = e.compare(mean)
	r.CutSD = posterior.Number(spread(e.center))
	r.Directions, r.Span = len(c.directions), posterior.NotApplicable()
	if c.known {
		r.Span = posterior.Number(c.share(e.truth, e.center))
	}
	r.Groups = e.groups(mean, c)
	if bare != nil {
		r.Inversion = &bare.First
		r.Columns = e.columns(span(bare.Vectors))
		return
	}
	r.Columns = e.columns(c.noisySpan(mean), spaced(len(mean), len(mean)))
}

// late is the mean over chains of z − ρ²·adjoint after a power of two of evaluations that leaves out a
// quarter to a half of them, in which the chain or the fit may not have arrived.
func (e *evidence) late() []float64 {
	return e.mean(func(v *view, rounds int) (first, last snapshot) {
		for k := range mostSnapshots {
			if 2<<k <= rounds {
				first = v.snapshots[k]
			}
		}
		return first, snapshot{v.counts, v.sum}
	})
}

// progress compares after each power of two of evaluations that all chains have made.
func (e *evidence) progress() []Interim {
	out := []Interim{}
	for k := 0; k < mostSnapshots && 1<<k <= slices.Min(e.rounds); k++ {
		mean := e.mean(func(v *view, _ int) (first, last snapshot) {
			if k > 0 {
				first = v.snapshots[k-1]
			}
			return first, v.snapshots[k]
		})
		out = append(out, Interim{len(e.rounds) << k, e.compare(mean)})
	}
	return out
}

// mean averages over chains the mean of the evaluations between two snapshots, the first of which may be
// empty; that of a sum is the sum of those of its members. An element that no evaluation had is NaN.
func (e *evidence) mean(between func(v *view, rounds int) (first, last snapshot)) []float64 {
	out := make([]float64, len(e.center))
	for c, chain := range e.views {
		for _, v := range chain.each() {
			first, last := between(v, e.rounds[c])
			if first.sum == nil {
				first = snapshot{make([]int, len(last.counts)), make([]float64, len(last.sum))}
			}
			for k := range out {
				w := v.windowOf(k)
				out[k] += (last.sum[k] - first.sum[k]) / float64(last.counts[w]-
					first.counts[w]) / float64(len(e.views))
			}
		}
	}
	return out
}

// windowOf is the window of an element, 0 where rows are not divided.
func (v *view) windowOf(element int) int {
	for w, places := range v.windows {
		for _, p := range places {
			if p.to == element {
				return w
			}
		}
	}
	return 0
}

// compare compares with the mean of the true cut. Elements that are not known are left out.
func (e *evidence) compare(mean []float64) Accuracy {
	var a, b, rest []float64
	for k, v := range mean {
		if v-v == 0 {
			a, b, rest = append(a, v), append(b, e.center[k]), append(rest, v-e.center[k])
		}
	}
	if len(a) < 2 {
		return Accuracy{posterior.NotApplicable(), posterior.NotApplicable()}
	}
	return Accuracy{posterior.Number(stat.Correlation(a, b, nil)), posterior.Number(spread(rest))}
}

// spread is the standard deviation of v about its mean; 0 for less than two numbers.
func spread(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	return stat.StdDev(v, nil)
}
