package attack

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A Separation is what the steps of Markov chains, or the variances of a fit, show of a sum over clients:
// whose share of it is whose.
type Separation struct {
	Name    string   `json:"name"`    // of the sum
	Parties []string `json:"parties"` // whose cuts it is of
	By      string   `json:"by"`      // "steps" of chains, "variances" of iterations, or what else it is by
	// whose steps follow a law; of variances, those that follow one, and another than those before
	Chains int `json:"chains"`
	Of     int `json:"chains_of"`
	// Directions lie in the columns of one client each; Dimensions is that of the span of the totals, 0 where
	// it is not small.
	Directions int `json:"directions"`
	Dimensions int `json:"dimensions"`
	// Gap is how many times the weakest coupling within a group of directions is the strongest between two
	// groups.
	Gap posterior.Number `json:"gap"`
	// why nothing, or not everything, was found; "" where nothing is missing
	Missing string  `json:"missing"`
	Groups  []Share `json:"groups"` // directions of one client each
}

// What a separation is by.
const (
	bySteps       = "steps"
	byVariances   = "variances"
	byDraws       = "draws"
	byPeriods     = "periods"
	byCovariances = "covariances"
)

// A Share is what is known of one client's share of a sum, or of a part of it. What compares with the truth
// is null, and Party "", where there is none.
type Share struct {
	Party      string `json:"party"` // the client in whose columns the directions lie best
	Directions int    `json:"directions"`
	// Within is the least share of the square of a direction that lies in the span of that client's cuts.
	Within posterior.Number `json:"within"`
	Whole  bool             `json:"whole"` // the directions are all of that client
	// Correlation is that of the reconstructed mean of the cut with the true mean, and Round the share of the
	// variance over rows of one reconstructed evaluation that lies in the span of the client's cuts.
	Correlation posterior.Number `json:"correlation"`
	Round       posterior.Number `json:"one_round"`
	// Single are private columns that a direction is which no other is coupled with; null where it is not
	// known which are.
	Single []Single `json:"single"`
	// Columns of two values in the span of the directions.
	Columns *ColumnRecovery `json:"columns"`
	// Of a run without truth: the mean of the cut, up to a constant, and the rows of what looks like a column
	// of two values.
	Mean []posterior.Number `json:"mean,omitempty"`
	Rows [][]int            `json:"rows,omitempty"`
}

// A Single is a column that one direction is, up to a constant and a factor.
type Single struct {
	Name        string           `json:"name"`
	Correlation posterior.Number `json:"correlation"` // its absolute value
}

// singleFrom is the correlation from which on a direction is taken for a column.
const singleFrom = 0.98

// A member's truth: nil where it is not known.
type member struct {
	party    string
	mean     []float64
	span     [][]float64 // orthonormal, of deviations from the mean over rows
	columns  []Covariate
	byColumn bool // as in Truth
}

// separations separates all sums by the steps of chains. The truth is nil where it is not known.
func separations(chains []*Recorder, truth func(party, cut int) Truth) []Separation {
	out := []Separation{}
	for k, first := range chains[0].steps {
		plan := chains[0].plan
		group := plan.Groups[first.group]
		sum := &sums{rows: first.rows}
		for _, port := range group.Members {
			rho := cutOf(plan, port).Rho
			sum.variance += float64(rho * rho)
		}
		seen := 0
		for _, r := range chains {
			sum.chains, seen = append(sum.chains, r.steps[k]), seen+r.steps[k].seen
		}
		if seen == 0 { // the algorithm makes no trajectories
			continue
		}
		one, members := begun(plan, first.group, truth)
		one.By, one.Of = bySteps, len(chains)
		if plan.AtClients {
			one.Missing = "under power each client's steps are of a likelihood of its own, which this " +
				"attack does not follow: that nothing is separated is no proof"
		} else {
			sum.report(&one, members)
		}
		out = append(out, one)
	}
	return out
}

// begun is the head of a separation of a sum, and what is true of its members.
func begun(plan *model.Plan, group int, truth func(party, cut int) Truth) (one Separation, members []member) {
	g := plan.Groups[group]
	one = Separation{Name: g.Name, Groups: []Share{}, Gap: posterior.NotApplicable()}
	for _, port := range g.Members {
		name := plan.Names[port.Party]
		one.Parties = append(one.Parties, name)
		if truth == nil {
			continue
		}
		t := truth(port.Party, port.Index)
		var deviations [][]float64
		for _, d := range t.Draws {
			v := slices.Clone(d)
			centred(v)
			deviations = append(deviations, v)
		}
		m := member{party: name, mean: t.Mean, columns: t.Columns, byColumn: t.ByColumn}
		if len(deviations) > 1 {
			m.span = orthonormal(deviations)
		}
		members = append(members, m)
	}
	return one, members
}

// Separate separates the sums that a run's recorders followed, and those of fits without trajectories, and
// compares with the truth.
func Separate(chains []*Recorder, s GroundTruth) []Separation {
	out := append(separations(chains, s.Truth), relayed(chains[0], s.Variances, s.Truth)...)
	for g, parts := range s.Divided {
		if slices.ContainsFunc(parts, func(c *Clear) bool { return c != nil }) {
			one, members := begun(chains[0].plan, g, s.Truth)
			one.divided(parts, s.Clear(g, len(parts)), members)
			out = append(out, one)
		}
	}
	return out
}

// divided describes the parts of a sum that the covariances of a fit over a grid divide.
func (out *Separation) divided(parts []*Clear, total *Clear, members []member) {
	out.By, out.Of = byCovariances, len(parts)
	if total != nil {
		all, _ := span(total.Vectors)
		out.Dimensions = len(all)
	}
	for _, c := range parts {
		if c == nil {
			continue
		}
		basis, elements := span(c.Vectors)
		whose, best := memberOf(basis, members)
		out.Chains++
		out.Directions += len(basis)
		one := Share{Party: whose.party, Directions: len(basis), Within: posterior.Number(best),
			Whole: len(basis) == len(whose.span), Round: posterior.NotApplicable()}
		one.Correlation = posterior.Number(stat.Correlation(c.Mean, whose.mean, nil))
		one.Columns = (&evidence{data: whose.columns}).columns(basis, elements)
		out.Groups = append(out.Groups, one)
	}
}

// SeparateRecorded does so without knowing the truth.
func SeparateRecorded(chains []*Recorder) []Separation {
	return append(separations(chains, nil), relayed(chains[0], chains[0].variances, nil)...)
}

// relayed separates the sums of fits: by quadrature, by fixed draws, and by sampling.
func relayed(r *Recorder, all []*Variances, truth func(party, cut int) Truth) []Separation {
	out := variances(r.plan, all, truth)
	for _, e := range r.periods {
		if e.seen > leaving && len(out) == 0 {
			one, members := begun(r.plan, e.span.group, truth)
			e.separate(&one, members)
			out = append(out, one)
		}
	}
	return out
}

// variances separates the sums of fits by quadrature and by fixed draws.
func variances(plan *model.Plan, all []*Variances, truth func(party, cut int) Truth) (out []Separation) {
	for _, v := range all {
		if v == nil || len(v.kept)+len(v.fixed.batches) == 0 {
			continue
		}
		one, members := begun(plan, v.group, truth)
		if len(v.kept) > 0 {
			v.separate(&one, members)
		} else {
			v.fixed.separate(&one, v.picks, members)
		}
		out = append(out, one)
	}
	return out
}

// sums are the steps of a sum in all chains, in coordinates of the first one's basis.
type sums struct {
	rows     int
	places   []int // the elements that these rows are of; nil: all
	chains   []*steps
	base     *steps
	kept     [][][]float64 // entries, by chain
	variance float64       // of the noise
}

// gather turns the entries of chains whose totals have the same span to the coordinates of one of them.
func (s *sums) gather() {
	for _, c := range s.chains {
		if s.base == nil || c.rank > s.base.rank {
			s.base = c
		}
	}
	r, n := s.base.rank, s.rows
	for _, c := range s.chains {
		if c.rank != r || r == 0 {
			s.kept = append(s.kept, nil)
			continue
		}
		turn, defect := mat.NewDense(r, r, nil), 0.0
		for j := range r {
			column := 0.0
			for i := range r {
				v := vec.Dot(n, s.base.basis[i*n:], c.basis[j*n:])
				turn.Set(i, j, v)
				column += float64(v * v)
			}
			defect = max(defect, 1-column)
		}
		if defect > 1-near {
			s.kept = append(s.kept, nil)
			continue
		}
		var turned [][]float64
		entries := c.entries()
		if c.noisy {
			entries = c.quiet()
		}
		for _, e := range entries {
			to := make([]float64, len(e))
			copy(to, e[:header])
			for at := header; at < len(e); at += r {
				mat.NewVecDense(r, to[at:at+r]).MulVec(turn, mat.NewVecDense(r, e[at:at+r]))
			}
			turned = append(turned, to)
		}
		s.kept = append(s.kept, turned)
	}
}

func (s *sums) report(out *Separation, members []member) {
	s.gather()
	r := s.base.rank
	out.Dimensions = r
	if r == 0 {
		if out.Missing = "the totals have no small span"; s.base.noisy {
			out.Missing = "too few points after the warm-up, or too many rows, to take the noise off the " +
				"steps, or it follows no law that all rows share: that nothing is separated is no proof"
		}
		return
	}
	laws, halves, few := s.laws()
	for k, c := range s.chains {
		if c.noisy && (laws[k] == nil || !c.restore(s.kept[k], laws[k], s.variance)) {
			s.kept[k], laws[k] = nil, nil
		}
	}
	for _, l := range laws {
		if l != nil {
			out.Chains++
		}
	}
	found := separated(laws, halves)
	switch {
	case found == nil && few:
		out.Missing = fmt.Sprintf("too few steps for %d dimensions", r)
	case out.Chains == 0:
		out.Missing = "the steps follow no law of a leapfrog with one metric"
	case out.Chains == 1:
		out.Missing = "it takes two chains, whose metrics differ, and a third to tell " +
			"whose the directions are"
	case found == nil:
		out.Missing = "the metrics of the chains do not differ"
	}
	if found == nil {
		return
	}
	s.describe(out, found, members, "steps", "a third chain")
	if out.Directions == 0 && few {
		out.Missing = fmt.Sprintf("too few steps for %d dimensions: two halves of them do not "+
			"give the same directions", r)
	}
}

// laws are those of the chains, by all late steps and by each half of them, and whether there are too few
// steps in one.
func (s *sums) laws() (laws []*law, halves [2][]*law, few bool) {
	r := s.base.rank
	for _, entries := range s.kept {
		all := slices.DeleteFunc(stepsOf(entries, r), func(one step) bool {
			return one.entry[0] < sampledFrom*entries[len(entries)-1][0]
		})
		few = few || trimmedTo*float64(len(all))/2 < fewestSteps*float64(2*r+1)
		laws = append(laws, lawOf(all, r))
		for k := range halves {
			var half []step
			for _, one := range all {
				if int(one.entry[0])/runEvery%2 == k {
					half = append(half, one)
				}
			}
			halves[k] = append(halves[k], lawOf(half, r))
		}
	}
	return laws, halves, few
}

// describe says what was found, from what, and with what it would be grouped.
func (s *sums) describe(out *Separation, found *separation, members []member, from, third string) {
	for _, is := range found.stable {
		if is {
			out.Directions++
		}
	}
	switch {
	case out.Directions == 0:
		out.Missing = "two halves of the " + from + " give different directions"
		return
	case found.groups == 0 && out.Directions == 1:
		out.Missing = "two halves of the " + from +
			" have one direction alone in common, which does not tell whose it is"
	case found.groups == 0:
		out.Missing = "it takes " + third + " to tell whose the directions are"
	}
	out.Gap = posterior.Number(found.gap)
	groups := found.groups
	if groups == 0 { // every direction for itself
		out.Gap = posterior.NotApplicable()
		for k, is := range found.stable {
			if is {
				found.group[k], groups = groups, groups+1
			}
		}
	}
	var shares []Share
	for g := range groups {
		shares = append(shares, s.share(found, g, members))
	}
	slices.SortStableFunc(shares, func(a, b Share) int {
		return slices.Index(out.Parties, a.Party) - slices.Index(out.Parties, b.Party)
	})
	out.Groups = append(out.Groups, shares...)
}

// vector is a combination of the basis at the elements that are followed.
func (s *sums) vector(coordinates []float64) []float64 {
	picks := Followed(s.rows)
	out := make([]float64, len(picks))
	for k, x := range coordinates {
		u := s.base.basis[k*s.rows:]
		for i, e := range picks {
			out[i] += float64(x * u[e])
		}
	}
	return out
}

// within is the share of the square of a vector that lies in a span.
func within(v []float64, basis [][]float64) float64 {
	in := 0.0
	for _, u := range basis {
		p := vec.Dot(len(v), u, v)
		in += float64(p * p)
	}
	return in / vec.Dot(len(v), v, v)
}

// spanOf is an orthonormal basis of some directions.
func spanOf(directions [][]float64) [][]float64 {
	var basis [][]float64
	for _, d := range directions {
		v := slices.Clone(d)
		before := norm(v)
		for range 2 {
			for _, u := range basis {
				vec.Axpy(len(v), v, -vec.Dot(len(v), u, v), u)
			}
		}
		if length := norm(v); length > exactly*before {
			vec.Scale(len(v), v, v, 1/length)
			basis = append(basis, v)
		}
	}
	return basis
}

// rowsOf lists, from 1, the rows with the rarer value of each column of two values in a span.
func rowsOf(basis [][]float64, picks []int) [][]int {
	out := [][]int{}
	for _, rare := range twoValued(basis) {
		var rows []int
		for i, is := range rare {
			if is {
				rows = append(rows, picks[i]+1)
			}
		}
		out = append(out, rows)
	}
	return out
}

// things are what separations count.
var things = map[string]string{bySteps: "chains", byVariances: "variances", byDraws: "evaluations",
	byPeriods: "periods", byCovariances: "clients' covariances"}

// separationText writes what was separated.
func separationText(b *strings.Builder, all []Separation, known bool) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\nSums over clients separated by the steps of chains, or by the variances or draws of a " +
		"variational fit: whose share is whose\n")
	lines := [][]string{{"sum", "of", "by", "directions", "client", "its directions", "in its columns",
		"correlation", "one round", "single columns", "columns of two values"}}
	names := ""
	for _, s := range all {
		head := []string{s.Name, listed(s.Parties), fmt.Sprintf("%d of %d %s", s.Chains, s.Of, things[s.By]),
			fmt.Sprintf("%d of %d", s.Directions, s.Dimensions)}
		if len(s.Groups) == 0 {
			lines = append(lines, append(head, "-", "-", "-", "-", "-", "-", "-"))
		}
		for k, g := range s.Groups {
			party, single, two := g.Party, "-", "-"
			if party == "" {
				party = fmt.Sprintf("group %d", k+1)
				two = fmt.Sprint(len(g.Rows))
			} else {
				if g.Single != nil {
					single = fmt.Sprint(len(g.Single))
				}
			}
			if g.Columns != nil {
				two = fmt.Sprintf("%d of %d", len(g.Columns.Found), g.Columns.TwoValued)
				if len(g.Columns.Found) > 0 {
					names += fmt.Sprintf("%s: %s found exactly, and known to be of %s\n", s.Name,
						strings.Join(first(g.Columns.Found), ", "), party)
				}
			}
			for _, c := range g.Single {
				names += fmt.Sprintf("%s: %s of %s is a direction, with correlation %s\n", s.Name, c.Name,
					party, digits(c.Correlation, "%.4f"))
			}
			lines = append(lines, append(slices.Clone(head), party, fmt.Sprint(g.Directions),
				digits(g.Within, "%.4f"), digits(g.Correlation, "%.4f"), digits(g.Round, "%.4f"), single,
				two))
			head = []string{"", "", "", ""}
		}
		if !math.IsNaN(float64(s.Gap)) {
			names += fmt.Sprintf("%s: grouped at the largest gap of the couplings between "+
				"directions, a factor of %s.\n", s.Name, digits(s.Gap, "%.2g"))
		}
		if s.Missing != "" {
			names += fmt.Sprintf("%s: %s.\n", s.Name, s.Missing)
		}
	}
	b.WriteString(posterior.AlignLeft(lines) + names + `its directions: of the span of the totals, found by their steps or variances; those of a group are coupled in the metric, or in the covariance, of one client. in its columns: the least share of one
of them that lies in the span of the client's columns. correlation: of the reconstructed mean of its cut with the true mean. one round: share of one reconstructed
evaluation in that span. single columns: of the client, each a direction that no other is coupled with, or any where the settings separate columns (|correlation| of 0.98 or more); a dash: not known.
`)
	if known {
		b.WriteString("The truth says whose the columns are; the server finds the groups without it.\n")
	} else {
		b.WriteString("Whose the groups are cannot be compared: the server knows no truth.\n")
	}
}
