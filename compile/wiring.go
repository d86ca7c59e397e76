package compile

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
)

// A Wiring is a plan without the parties' graphs, as it is sent to them.
type Wiring struct {
	Names     []string       `json:"names"`
	Groups    []model.Group  `json:"groups"`
	Shared    []model.Shared `json:"shared"`
	AtClients bool           `json:"power,omitempty"`
	Exact     bool           `json:"exact,omitempty"`
}

// Lower lowers the party's program, given the sizes that all parties agree on and the numbers of members of
// families, and checks that what it will send is not its data. The diagnostics are for the party alone.
func (p *OneParty) Lower(sizes, members map[string]int) (diags diag.List) {
	if p.Sizes, diags = lower.Unify(p.Checked, p.Values, members, func(name string) (int, string, bool) {
		n, ok := sizes[name]
		return n, "", ok
	}); diags.HasErrors() {
		return diags
	}
	found, suspects := lower.Support(p.Checked, p.Values, p.Sizes, p.where)
	p.Suspects = suspects
	if diags = append(diags, found...); diags.HasErrors() {
		return diags
	}
	diags = append(diags, lower.Variation(p.Checked, p.Values)...)
	lowered, found := lower.Lower(lower.PartyData{Program: p.Checked, Name: p.Party, Family: p.Family,
		Member: p.Member, Data: p.Values, Sizes: p.Sizes, Declared: p.declared,
		Storage: p.sources.Storage()})
	if diags = append(diags, found...); diags.HasErrors() {
		return diags
	}
	p.Lowered = []*lower.Lowered{lowered}
	if p.Party != p.Manifest.Server {
		diags = append(diags, p.Manifest.Staying(CheckSent(lowered.PartyData, p.terms()))...)
	}
	return diags
}

// Outline is what the other parties need of this one, after Lower.
func (p *OneParty) Outline() lower.Outline { return p.Lowered[0].Outline() }

// Link wires the run from the outlines of all parties, the server first. The process that plays the server
// calls it; the others Take its wiring.
func (p *OneParty) Link(outlines []lower.Outline) (Wiring, error) {
	all := []*lower.Lowered{p.Lowered[0]}
	for _, o := range outlines[1:] {
		l, err := o.Elsewhere()
		if err != nil {
			return Wiring{}, err
		}
		all = append(all, l)
	}
	plan, err := lower.Link(all)
	if err != nil {
		return Wiring{}, err
	}
	return Wiring{Names: plan.Names, Groups: plan.Groups, Shared: plan.Shared, AtClients: plan.AtClients,
		Exact: plan.Exact}, nil
}

// Take sets the plan of the run from a wiring, after Lower. The error says where it does not fit this party's
// program and the manifest.
func (p *OneParty) Take(w Wiring) (index int, err error) {
	if index = slices.Index(w.Names, p.Party); index < 0 {
		return -1, fmt.Errorf("the wiring lists no party %s", p.Party)
	}
	if err := p.mayBe(w); err != nil {
		return -1, err
	}
	plan := &model.Plan{Names: w.Names, Parties: make([]*model.Spec, len(w.Names)),
		Groups: slices.Clone(w.Groups), Shared: w.Shared, AtClients: w.AtClients, Exact: w.Exact}
	spec := p.Lowered[0].Spec
	plan.Parties[index] = spec
	p.Lowered[0].Look(plan, index)
	for g, group := range w.Groups {
		for _, m := range group.Members {
			if m.Party == index && m.Index >= 0 && m.Index < len(spec.Cuts) {
				spec.Cuts[m.Index].Group = g
			}
		}
	}
	if err := plan.Verify(); err != nil {
		return -1, err
	}
	if err := p.whole(plan, index); err != nil {
		return -1, err
	}
	all := make([]*lower.Lowered, len(w.Names))
	all[index] = p.Lowered[0]
	lower.Label(plan, all, p.Values[p.Party])
	p.Plan = plan
	return index, nil
}

// whole compares the sums that this party contributes to with the manifest: one with fewer clients would show
// more of each.
func (p *OneParty) whole(plan *model.Plan, index int) error {
	for _, cut := range plan.Parties[index].Cuts {
		group := plan.Groups[cut.Group]
		for _, c := range p.Manifest.Together(cut.Name) {
			for k, name := range plan.Names {
				contributes := func(m model.Port) bool { return m.Party == k }
				if base, _, _ := Member(name); base == c.Client && !slices.ContainsFunc(group.Members,
					contributes) {
					return fmt.Errorf("the wiring leaves %s out of the sum %s, to which the "+
						"manifest has it contribute", name, group.Name)
				}
			}
		}
	}
	return nil
}

// mayBe compares a wiring with the manifest.
func (p *OneParty) mayBe(w Wiring) error {
	kind := p.Checked.Transform.Kind
	switch {
	case w.Names[0] != p.Manifest.Server:
		return fmt.Errorf("the wiring's server is %s, the manifest's %s", w.Names[0], p.Manifest.Server)
	case len(w.Groups) > 0 && (w.AtClients != kind.AtClients() || w.Exact != kind.CutsCross()):
		return fmt.Errorf("the wiring is not of transform %s, which the manifest names", kind)
	}
	listed := map[string]bool{}
	for _, name := range w.Names {
		base, _, err := Member(name)
		if err != nil {
			return err
		}
		if _, ok := p.Manifest.Party(base); !ok || listed[name] {
			return fmt.Errorf("the wiring lists %s, and the manifest does not", name)
		}
		listed[name] = true
	}
	for _, s := range w.Shared {
		if !slices.ContainsFunc(p.Manifest.Shared, func(m split.ManifestShared) bool {
			return m.Name == s.Name
		}) {
			return fmt.Errorf("the wiring shares %s, and the manifest does not", s.Name)
		}
	}
	for _, q := range p.Manifest.Parties {
		member := func(name string) bool { base, _, _ := Member(name); return base == q.Name }
		if !slices.ContainsFunc(w.Names, member) {
			return fmt.Errorf("the wiring leaves out %s, which the manifest lists", q.Name)
		}
	}
	return nil
}

// terms are what the manifest says to a client's check of its own data.
func (p *OneParty) terms() ManifestTerms {
	t := ManifestTerms{Shared: map[string]*check.Symbol{}, Accepted: p.Manifest.Accepted,
		New: len(p.Manifest.Predicted) > 0}
	for _, s := range p.Manifest.Shared {
		t.Shared[s.Name] = s.Declared(p.Universe)
	}
	return t
}
