package fit

import (
	"context"
	"errors"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// firstRounds repeats the first rounds of a run in memory and computes from each what crosses without noise:
// under exact a cut itself; under power the cut that solves the adjoint which a client sends, given the
// response, the sum of the others' z and the shared parameters that it was evaluated with; and of a fit by
// quadrature, which is repeated as a whole, what shows the span of the cuts.
type firstRounds struct {
	plan    *model.Plan
	parties []*model.Party // of the run
	// with these the receiver computes the adjoint as a function of the cut: it has the program and its
	// shared data
	copies []*model.Party
	clear  [][]*attack.Clear
	// by sum and member: parts of sums that have masks, where what crosses divides them
	divided [][]*attack.Clear
	kernel  backends.Kernel
	totals  []*attack.Variances
	sums    bool // those of the cuts cross without noise too
	rounds  int
	relayed *density.Exchange // the exchange that brought cuts at draws; nil: none did
	end     context.CancelCauseFunc
}

// Vectors are taken once a chain or a fit has left its starting point, where likelihoods are flat; not one
// after another, as those of a trajectory are hardly independent; until they show their span.
const (
	leaving     = 100
	spacing     = 8
	mostVectors = 256
)

// errEnough ends the repetition.
var errEnough = errors.New("enough rounds")

// bareRounds returns what crosses without noise by sum and member, the sum itself behind its members; nil
// where all has noise, single windows of rows are evaluated, or rows stay encrypted.
func (p *Prepared) bareRounds(ctx context.Context) (*firstRounds, error) {
	relayed := slices.ContainsFunc(p.exchanges(), func(u density.Use) bool {
		return attack.AtFinalDraws(u.Exchange) || first(u.Exchange) || moves(u.Exchange)
	})
	if !p.Plan.Exact && !p.Plan.AtClients && !relayed || len(p.Plan.Windows) > 0 || p.Plan.Wire.Encrypted {
		return &firstRounds{}, nil
	}
	f := &firstRounds{plan: p.Plan, sums: !p.Plan.AtClients || relayed}
	err := session.Run(ctx, p.Plan, session.OneLoop, p.options.Seed,
		func(ctx context.Context, env density.Env) error {
			ctx, f.end = context.WithCancelCause(ctx)
			defer f.end(nil)
			for k, b := range env.Blocks() {
				f.parties, f.copies = append(f.parties, b.(*model.Party)),
					append(f.copies, model.NewParty(p.Plan, k))
			}
			f.begin()
			env.(session.Watchable).Watch(f)
			return f.run(ctx, p, p.startedAt(density.Chain(env, 1), 1))
		})
	f.settle()
	return f, err
}

// run repeats the fit that the run begins with, if it has one, and then the run, until there is enough.
func (f *firstRounds) run(ctx context.Context, p *Prepared, env density.Env) (err error) {
	if p.near != nil && !p.near.earlier {
		var k backends.Kernel
		if k, err = p.near.algorithm.New(env, p.near.settings); err == nil {
			f.kernel = k
			_, err = p.near.fit(ctx, env, k)
		}
		if f.relayed != nil {
			return err
		}
	}
	if err == nil {
		err = f.steps(ctx, p, env)
	}
	if errors.Is(context.Cause(ctx), errEnough) {
		return nil
	}
	return err
}

func (f *firstRounds) steps(ctx context.Context, p *Prepared, env density.Env) error {
	k, err := p.Algorithm.New(env, p.Settings)
	if f.kernel = k; err == nil {
		err = k.Init(ctx)
	}
	for done := false; err == nil && !done; {
		info, failed := k.Step(ctx)
		done, err = info.Done, failed
	}
	return err
}

// settle leaves out what nothing was computed of.
func (f *firstRounds) settle() {
	for _, members := range append(slices.Clone(f.clear), f.divided...) {
		for m, c := range members {
			if c != nil && c.First.Of == 0 {
				members[m] = nil
			}
		}
	}
}

// begin finds what can be computed: all cuts and sums where these cross themselves, and under power the cuts
// of clients that evaluate a likelihood, and sums where cuts at draws are added up.
func (f *firstRounds) begin() {
	for g, group := range f.plan.Groups {
		members := make([]*attack.Clear, len(group.Members)+1)
		for m, port := range group.Members {
			if !f.plan.SumsAlone(g) && (!f.plan.AtClients || f.reception(g, port) != nil) {
				members[m] = &attack.Clear{}
			}
		}
		if f.sums && len(group.Members) > 1 {
			members[len(group.Members)] = &attack.Clear{}
		}
		f.clear, f.totals = append(f.clear, members), append(f.totals, attack.NewVariances(f.plan, g))
		f.divided = append(f.divided, make([]*attack.Clear, len(group.Members)))
	}
}

// reception is where a member of a sum receives it; nil where it does not.
func (f *firstRounds) reception(group int, member model.Port) *model.Reception {
	for _, r := range f.plan.Role(member.Party).Receptions {
		if r.Group == group && r.Cut == member.Index {
			return &r
		}
	}
	return nil
}

// Sent implements session.Watcher.
func (f *firstRounds) Sent(int, [][][]float64, [][]float64) {}

// Relayed implements session.Watcher. Of draws every second is taken: the others are their reflections in the
// mean, which is the first. Without draws the first round trip of the linear system has cuts too.
func (f *firstRounds) Relayed(x *density.Exchange, fit, columns int, up [][][]float64,
	sum, down [][]float64) {
	for _, v := range f.totals {
		if v != nil {
			v.Relayed(x, fit, columns, sum, down)
		}
	}
	switch {
	case moves(x) || spans(x):
		f.reveal(x, columns, up, sum, down)
		return
	case attack.AtFinalDraws(x):
	case first(x) && f.relayed == nil:
		columns -= 2
	default:
		return
	}
	more := f.relayed == x // a further piece of the draws
	f.relayed = x
	for g, members := range f.clear {
		for m, c := range members {
			switch {
			case c == nil:
			case m < len(up[g]):
				takeDraws(c, f.plan.Groups[g].Len, columns, up[g][m], more)
			default:
				takeDraws(c, f.plan.Groups[g].Len, columns, sum[g], more)
			}
		}
	}
}

// moves reports whether an exchange brings cuts at draws that its answers move, and spans whether it brings
// what shows by which covariances.
func moves(x *density.Exchange) bool {
	return x.Up.Shows(density.Circumstance{}) == density.CutAtPriorDraws
}
func spans(x *density.Exchange) bool {
	return x.Up.Shows(density.Circumstance{}) == density.PriorCovariance
}

// reveal takes what the server computes of cuts at draws that do not cross themselves: of all clients
// together, and of each.
func (f *firstRounds) reveal(x *density.Exchange, columns int, up [][][]float64, sum, down [][]float64) {
	k, ok := f.kernel.(backends.Revealing)
	if !ok {
		return
	}
	stacked := func(of func(g int) [][]float64) (out [][]float64) {
		for c := range columns {
			var all []float64
			for g, group := range f.plan.Groups {
				one := make([]float64, group.Len)
				for _, v := range of(g) {
					if len(v) > 0 {
						model.Add(one, v[c*group.Len:][:group.Len])
					}
				}
				all = append(all, one...)
			}
			out = append(out, all)
		}
		return out
	}
	answered := stacked(func(g int) [][]float64 { return [][]float64{down[g]} })
	total := k.Reveal(x, 0, stacked(func(g int) [][]float64 { return [][]float64{sum[g]} }), answered)
	f.keep(total, func(g int) *attack.Clear { return f.clear[g][len(f.clear[g])-1] })
	for party := range f.plan.Names[1:] {
		var sent [][]float64
		if !f.hidden(1 + party) {
			sent = stacked(func(g int) (own [][]float64) {
				for m, port := range f.plan.Groups[g].Members {
					if port.Party == 1+party {
						own = append(own, up[g][m])
					}
				}
				return own
			})
		}
		f.keep(k.Reveal(x, 1+party, sent, answered), func(g int) *attack.Clear {
			m := slices.IndexFunc(f.plan.Groups[g].Members, func(port model.Port) bool {
				return port.Party == 1+party
			})
			switch {
			case m < 0:
				return nil
			case sent != nil:
				return f.clear[g][m]
			case f.divided[g][m] == nil:
				f.divided[g][m] = &attack.Clear{}
			}
			return f.divided[g][m]
		})
	}
}

// hidden reports whether sums hide what a party sends.
func (f *firstRounds) hidden(party int) bool {
	for g, group := range f.plan.Groups {
		if f.plan.SumsAlone(g) && slices.ContainsFunc(group.Members, func(p model.Port) bool {
			return p.Party == party
		}) {
			return true
		}
	}
	return false
}

// keep keeps cuts at draws, of all sums one after another.
func (f *firstRounds) keep(cuts [][]float64, of func(g int) *attack.Clear) {
	for _, cut := range cuts {
		for g, group := range f.plan.Groups {
			if c := of(g); c != nil {
				c.Draw(followed(cut[:group.Len]))
			}
			cut = cut[group.Len:]
		}
	}
}

// first reports whether the first message of an exchange has cuts at draws.
func first(x *density.Exchange) bool {
	return x.Up.Shows(density.Circumstance{}) == density.CutThenVector
}

// takeDraws keeps as many cuts at draws as show their span, of those that are there, in place of what was
// kept or beside it.
func takeDraws(c *attack.Clear, n, columns int, cuts []float64, more bool) {
	if one := cuts[(columns-1)*n : columns*n]; !more {
		*c = attack.Clear{First: attack.Compare(one, one)}
	}
	for at := 0; at < columns && len(c.Vectors) < mostVectors; at += 1 + at%2 {
		c.Vectors = append(c.Vectors, followed(cuts[at*n:(at+1)*n]))
		if k := len(c.Vectors); k >= 32 && k&(k-1) == 0 && attack.Spanned(c.Vectors) {
			return
		}
	}
}

// followed are the elements that the attack follows.
func followed(all []float64) []float64 {
	picks := attack.Followed(len(all))
	v := make([]float64, len(picks))
	for k, e := range picks {
		v[k] = all[e]
	}
	return v
}

// Answered implements session.Watcher.
func (f *firstRounds) Answered(_ [][]float64, part [][][]float64) {
	if !f.plan.Exact && !f.plan.AtClients {
		return
	}
	f.rounds++
	vectors := (f.rounds - leaving) / spacing
	if f.rounds > 1 && (vectors < 1 || f.rounds%spacing != leaving%spacing) {
		return
	}
	for g, group := range f.plan.Groups {
		all := make([]float64, group.Len)
		for m, port := range group.Members {
			cut := f.parties[port.Party].Output(port.Index)
			model.Add(all, cut)
			switch r := f.reception(g, port); {
			case f.clear[g][m] == nil:
			case f.plan.Exact:
				f.take(f.clear[g][m], cut, cut)
			case r != nil:
				f.take(f.clear[g][m], f.solved(*r, port.Party, part[g][r.Place]), cut)
			}
		}
		if sum := f.clear[g][len(group.Members)]; sum != nil && f.plan.Exact {
			f.take(sum, all, all)
		}
	}
	if vectors >= mostVectors || vectors >= 32 && vectors&(vectors-1) == 0 && f.spanned() {
		f.end(errEnough)
	}
}

// take keeps a cut as it was computed, and at first how near it is.
func (f *firstRounds) take(c *attack.Clear, found, cut []float64) {
	if f.rounds == 1 {
		c.First = attack.Compare(found, cut)
		return
	}
	c.Vectors = append(c.Vectors, followed(found))
}

func (f *firstRounds) spanned() bool {
	for _, members := range f.clear {
		for _, c := range members {
			if c != nil && !attack.Spanned(c.Vectors) {
				return false
			}
		}
	}
	return true
}

// solved solves the adjoint that a party sent for the party's own cut. The likelihood has the cut and the
// others' sum added up, so the cut of the copy may be any, and the sum is moved.
func (f *firstRounds) solved(r model.Reception, party int, adjoint []float64) []float64 {
	own, other := f.parties[party], f.copies[party]
	for k := range f.plan.Parties[party].Graph.Inputs() {
		copy(other.Input(k), own.Input(k))
	}
	other.Evaluate(make([]float64, other.Dim()))
	fixed, in, sum := other.Output(r.Cut), other.Input(r.Input), own.Input(r.Input)
	return attack.Solve(func(x, out []float64) {
		for i := range in {
			in[i] = x[i] + sum[i] - fixed[i]
		}
		other.Target()
		copy(out, other.InputAdjoint(r.Input))
	}, adjoint)
}
