package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// Attack reconstructs the clients' cuts from what the server received in a run, and compares with the true
// cuts, the mean over the run's draws. Where the folder does not hold what the server received, the run is
// repeated in memory, which progress reports. The diagnostics are those of the data.
func Attack(ctx context.Context, run *posterior.Run, progress Progress) (*attack.Assessment, diag.List,
	error) {
	b, diags, err := Reopen(run)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	switch {
	case len(b.Checked.Clients) == 0:
		return nil, diags,
			fmt.Errorf("%s: the model has no clients: one party held all data, and nothing crossed", run.Path)
	case b.Pooled():
		return nil, diags,
			fmt.Errorf("%s: a run with transform %s pools all data in one process: nothing crossed, and "+
				"there is nothing to reconstruct", run.Path, run.Record.Transform)
	case len(b.Plan.Groups) == 0:
		return nil, diags,
			fmt.Errorf("%s: no client contributes to another party's computation: nothing crossed", run.Path)
	}
	p, err := repeatable(run, b, progress)
	if err != nil {
		return nil, diags, err
	}
	views, err := readView(run, p.Plan)
	if err != nil {
		return nil, diags, err
	}
	repeated := views == nil
	if repeated {
		progress.Message(fmt.Sprintf("%s has no %s: the run is repeated from its seed, in memory", run.Path,
			posterior.ViewFile))
		if views, err = p.repeat(ctx, run); err != nil {
			return nil, diags, err
		}
	}
	truth, err := trueCuts(b, run.Draws)
	if err != nil {
		return nil, diags, err
	}
	bare, err := p.bareRounds(ctx)
	if err != nil {
		return nil, diags, err
	}
	return p.report(run, views, truth, bare, repeated), diags, nil
}

// repeatable prepares the run that a folder records, without the folder.
func repeatable(run *posterior.Run, b *compile.BoundModel, progress Progress) (*Prepared, error) {
	a, ok := Backend(run.Record.Backend)
	if !ok {
		return nil, fmt.Errorf("%s: this version has no backend %s", run.Path, run.Record.Backend)
	}
	inits, err := RecordedInits(run.Path, run.Record)
	if err != nil {
		return nil, err
	}
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: RecordedSettings(run.Record, a),
		Inits: inits, Seed: run.Record.Seed, Progress: progress, watch: true})
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	return p, err
}

// RecordedSettings are the settings of a run's algorithm, by name, as on the command line. A record has all
// of them; those about auxiliary variables are left out where the run had none.
func RecordedSettings(r *posterior.Record, a backends.Algorithm) map[string]string {
	given := map[string]string{}
	on, _ := stdlib.TransformNamed(r.Transform)
	for name, v := range r.Settings {
		given[name] = fmt.Sprint(v)
		if n, ok := v.(float64); ok { // read from JSON
			given[name] = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	for _, s := range a.Settings {
		if s.Auxiliary && on.CutsCross() {
			delete(given, s.Name)
		}
	}
	return given
}

// repeat runs again, and returns what the server receives. The error says where that is not the run of the
// folder.
func (p *Prepared) repeat(ctx context.Context, run *posterior.Run) ([]*attack.Recorder, error) {
	if slices.ContainsFunc(run.Record.Command, func(a string) bool {
		return strings.HasPrefix(a, "--from")
	}) {
		return nil, fmt.Errorf("%s: the run cannot be repeated from its seed alone: it started where "+
			"another had ended (--from)", run.Path)
	}
	r, err := p.Sample(ctx, nil)
	if err != nil {
		return nil, err
	}
	if run.Record.Complete && !sameParameters(r.Draws, run.Draws) {
		return nil, fmt.Errorf("%s: the run that its record describes has other draws than the folder: it "+
			"was made by another version or on another kind of processor, or the folder was altered",
			run.Path)
	}
	return r.views(), nil
}

// writtenTo is the relative precision to which the files of draws hold numbers.
const writtenTo = 1e-5

// sameParameters reports whether draws of parameters are the same up to the precision of their files.
func sameParameters(a, b *posterior.Draws) bool {
	if a.Chains() != b.Chains() || a.Len(0) != b.Len(0) || a.Parameters() != b.Parameters() {
		return false
	}
	for k := range a.Parameters() {
		x, y := a.Column(k), b.Column(k)
		for c := range x {
			for i := range x[c] {
				if math.Abs(x[c][i]-y[c][i]) > writtenTo*(1+math.Abs(x[c][i])) {
					return false
				}
			}
		}
	}
	return true
}

// A cutKey names a cut as the plan does.
type cutKey struct{ party, name string }

// True cuts are the mean over at most averaged draws of all chains; at most kept of them are kept.
const (
	averaged = 10000
	kept     = 400
)

// trueCuts evaluates all cuts at draws, evenly spaced over all chains.
func trueCuts(b *compile.BoundModel, d *posterior.Draws) (map[cutKey]attack.Truth, error) {
	m, diags := b.Contributions()
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	at, err := places(m, d)
	if err != nil {
		return nil, err
	}
	t := &truths{cuts: m.Cuts, of: map[cutKey]attack.Truth{}}
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	n := min(d.Len(0), averaged/d.Chains())
	t.every = max(1, n*d.Chains()/kept)
	for c := range d.Chains() {
		for i := range n {
			at.fill(x, func(column int) float64 { return d.Column(column)[c][i*d.Len(c)/n] })
			t.add(s.Contributions(x))
		}
	}
	if t.n == 0 {
		return nil, errors.New("the run has no draws")
	}
	for _, truth := range t.of {
		for k := range truth.Mean {
			truth.Mean[k] /= float64(t.n)
		}
	}
	return t.of, nil
}

// truths are the true cuts at n draws so far, of which one in every is kept.
type truths struct {
	cuts     []model.CutReport
	of       map[cutKey]attack.Truth
	n, every int
}

// add adds the elements that are followed of all cuts at one draw.
func (t *truths) add(value func(int) []float64) {
	for k, c := range t.cuts {
		all, key := value(k), cutKey{c.Party, c.Name}
		picks, truth := attack.Followed(len(all)), t.of[key]
		if truth.Mean == nil {
			truth.Mean = make([]float64, len(picks))
		}
		for i, e := range picks {
			truth.Mean[i] += all[e]
		}
		if t.n%t.every == 0 {
			draw := make([]float64, len(picks))
			for i, e := range picks {
				draw[i] = all[e]
			}
			truth.Draws = append(truth.Draws, draw)
		}
		t.of[key] = truth
	}
	t.n++
}

func (p *Prepared) report(run *posterior.Run, views []*attack.Recorder, truth map[cutKey]attack.Truth,
	bare *firstRounds, repeated bool) *attack.Assessment {
	byColumn := slices.ContainsFunc(p.exchanges(), func(u density.Use) bool {
		return u.Motion == density.ByColumn
	})
	simulation := attack.GroundTruth{
		Truth: func(party, k int) attack.Truth {
			t := truth[cutKey{p.Plan.Names[party], p.Plan.Parties[party].Cuts[k].Name}]
			t.Columns, t.ByColumn = p.columns(party, k), byColumn
			return t
		},
		Clear: func(group, member int) *attack.Clear {
			if bare.clear == nil || member >= len(bare.clear[group]) {
				return nil
			}
			return bare.clear[group][member]
		},
		Variances: bare.totals, Divided: bare.divided,
	}

	r := &attack.Assessment{
		Schema: posterior.Schema, Model: run.Name(), Backend: run.Record.Backend,
		Transform: run.Record.Transform, Repeated: repeated,
		Cuts: attack.Reconstruct(views, simulation), Separated: attack.Separate(views, simulation),
	}
	at := 0
	for g := range p.Plan.Groups {
		first, last := 0, len(p.Plan.Groups[g].Members)
		switch {
		case p.Plan.SumsAlone(g):
			first = last
		case last == 1:
			last = 0
		}
		for k := first; k <= last; k++ {
			r.Cuts[at].Receivers = p.receivers(g, k)
			at++
		}
	}
	r.Notes = p.attackNotes(r)
	return r
}

// receivers lists who can compute a member of a sum, or the sum where member is their number. The server has
// every z. A client that knows a sum takes its own z away, and has the other's where there are two.
func (p *Prepared) receivers(group, member int) []string {
	out, g := []string{p.Plan.Names[0]}, p.Plan.Groups[group]
	for k, port := range g.Members {
		if k == member || !p.knowsSum(group, port.Party) {
			continue
		}
		if member == len(g.Members) || len(g.Members) == 2 {
			out = append(out, p.Plan.Names[port.Party])
		}
	}
	return out
}

// knowsSum reports whether a client that has a cut in a sum can compute the sum: it receives it, or holds the
// response and can solve the adjoint for it.
func (p *Prepared) knowsSum(group, party int) bool {
	receives := slices.ContainsFunc(p.Plan.Groups[group].Receivers, func(r model.Port) bool {
		return r.Party == party
	})
	if receives || p.Settings.Transform.Powers() {
		return receives
	}
	name := p.Plan.Parties[party].Cuts[0].Name
	for _, m := range p.Plan.Groups[group].Members {
		if m.Party == party {
			name = p.Plan.Parties[party].Cuts[m.Index].Name
		}
	}
	return slices.ContainsFunc(p.Cuts.Likelihoods, func(l *cut.Likelihood) bool {
		return l.Left != nil && p.Cuts.Facts(l.Left).Owners.Shared() && slices.ContainsFunc(l.Groups,
			func(g *cut.Group) bool {
				return slices.ContainsFunc(g.Cuts, func(c *cut.Expression) bool { return c.Name == name })
			})
	})
}

// attackNotes are what the table does not show.
func (p *Prepared) attackNotes(r *attack.Assessment) []string {
	cuts, out := r.Cuts, []string{}
	if p.Plan.Wire.Encrypted {
		return append(out,
			"Rows stay encrypted: the server receives no number of a row that could be kept. What the sums "+
				"tell that were decrypted is bounded by their number D (vflc audit).")
	}
	if p.Plan.Wire.Masked {
		text := "Under masks the server received the sums alone where two or more clients add to them. " +
			"With two contributors each can compute the other's part by subtracting its own."
		if slices.ContainsFunc(r.Separated, func(s attack.Separation) bool { return s.Directions > 0 }) {
			text += " These sums separate by client: masks did not hide which client adds what."
		} else {
			text += " That this attack does not separate the sums by client is no proof that none does."
		}
		out = append(out, text)
	}
	byQuadrature := cuts[0].Rounds == 0 && cuts[0].Iterates > 0
	switch {
	case cuts[0].Rounds == 0 && cuts[0].Iterates == 0 && cuts[0].Draws > 0:
		out = append(out,
			fmt.Sprintf("The draws of a fit over a grid do not cross. The figures are of the cuts at %d "+
				"draws that the server computes, exactly: from draws from the clients' priors, from the "+
				"prior covariances of their cuts, and from the vectors that it answers itself.",
				cuts[0].Draws))
	case byQuadrature && cuts[0].Draws > 0:
		out = append(out,
			fmt.Sprintf("The fit by quadrature drew no noise. The cuts themselves crossed at %d draws, to "+
				"correct it: the correlations are of their mean, and those over rounds "+
				"of the iterates before.", cuts[0].Draws))
	case byQuadrature:
		out = append(out,
			"The fit by quadrature drew no noise: the correlations are of the mean of z - "+
				"rho²·slope at the newest iterate.")
	}
	clients := "Under transform " + p.Settings.Transform.Name + " the server also has the "
	switch {
	case !p.Settings.Transform.AtClients(), p.Plan.Wire.Masked:
	case byQuadrature:
		out = append(out,
			clients+"expected slope of the likelihood in the others' sum at each client, without noise: "+
				"solving it for the mean of the client's own cut takes one iteration.")
	default:
		out = append(out, "The correlations over rounds are of z alone, and rho matters for them only. "+
			clients+"adjoint of the others' sum at each client, without noise: solving it for the client's "+
			"own cut takes one evaluation.")
	}
	return out
}
