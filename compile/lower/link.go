package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/model"
)

// Link wires lowered parties: the server first, then the clients in order, members of a family one after
// another. What is sent at one end must be received at the other; anything else is an error, since programs
// may come from strangers.
func Link(parties []*Lowered) (*model.Plan, error) {
	k := &linker{parties: parties, plan: &model.Plan{}, groups: map[string]int{}}
	for _, p := range parties {
		k.plan.Names = append(k.plan.Names, p.Name)
		k.plan.Parties = append(k.plan.Parties, p.Spec)
	}
	if err := k.link(); err != nil {
		return nil, err
	}
	for _, p := range parties[1:] {
		if err := k.complete(p); err != nil {
			return nil, err
		}
	}
	parties[0].Look(k.plan, 0)
	for s := range k.plan.Shared {
		k.plan.Shared[s].Beside = k.beside(&k.plan.Shared[s])
	}
	for i, p := range parties {
		if p.Spec.Graph == nil {
			k.plan.Parties[i] = nil // an outline: the party is elsewhere
		}
	}
	return k.plan, k.plan.Verify()
}

type linker struct {
	parties []*Lowered
	plan    *model.Plan
	groups  map[string]int // by name
}

// program is the name of the program that a party runs: the family's for a member.
func program(p *Lowered) string {
	if p.Family != "" {
		return p.Family
	}
	return p.Name
}

func (k *linker) link() error {
	server := k.parties[0]
	sums := slices.ContainsFunc(server.Program.File.Stmts, func(stmt ast.Stmt) bool {
		s, ok := stmt.(*ast.Send)
		return ok && k.sum(s)
	})
	for i, in := range server.inputs {
		if in.drawn || sums && !k.evaluated(in) {
			continue
		}
		if err := k.augmented(i, in); err != nil {
			return err
		}
	}
	for _, stmt := range server.Program.File.Stmts {
		s, ok := stmt.(*ast.Send)
		if !ok {
			continue
		}
		for _, to := range s.To {
			var err error
			if k.sum(s) {
				err = k.atClient(s, to.Name)
			} else {
				err = k.shared(s.Name.Name, to.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	for i, in := range server.inputs {
		if sums && !in.drawn && !k.evaluated(in) {
			if err := k.quantities(i, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// sum reports whether the server sends what clients have sent it, and not a parameter.
func (k *linker) sum(s *ast.Send) bool { return s.Value != nil || k.source(s.Name.Name) != "" }

// evaluated reports whether the server evaluates a likelihood at a sum that it receives.
func (k *linker) evaluated(in inputPort) bool {
	return slices.ContainsFunc(k.parties[0].Program.Likelihoods, func(l *check.Likelihood) bool {
		return mentions(l.Args, in.sum)
	})
}

// quantities wires a sum of z that the server's generated quantities read: one that it adds up for the
// clients, or one that no likelihood has.
func (k *linker) quantities(input int, in inputPort) error {
	members, err := k.members(in)
	if err != nil {
		return err
	}
	for g := range k.plan.Groups {
		if group := &k.plan.Groups[g]; slices.Equal(group.Members, members) {
			group.Quantities = append(group.Quantities, model.Port{Party: 0, Index: input})
			return nil
		}
	}
	g := k.group(memberName(strings.Join(in.sum, "+"), in.member), members)
	k.plan.Groups[g].Quantities = append(k.plan.Groups[g].Quantities, model.Port{Party: 0, Index: input})
	return nil
}

// members are the cuts in a sum that the server receives, in party order.
func (k *linker) members(in inputPort) (members []model.Port, err error) {
	for _, z := range in.sum {
		ports, err := k.cuts(z, k.source(z), in.member)
		if err != nil {
			return nil, err
		}
		members = append(members, ports...)
	}
	slices.SortFunc(members, func(a, b model.Port) int { return a.Party - b.Party })
	return members, nil
}

// augmented wires a sum of z that the server receives.
func (k *linker) augmented(input int, in inputPort) error {
	members, err := k.members(in)
	if err != nil {
		return err
	}
	g := &k.plan.Groups[k.group(memberName(strings.Join(in.sum, "+"), in.member), members)]
	port := model.Port{Party: 0, Index: input}
	g.Receivers = append(g.Receivers, port)
	if in.read {
		g.Quantities = append(g.Quantities, port)
	}
	return nil
}

// Look gives the sums of a plan that the party with an index receives the rows that it looks up in them: the
// server alone does.
func (l *Lowered) Look(plan *model.Plan, index int) {
	for g := range plan.Groups {
		for _, r := range plan.Groups[g].Receivers {
			if r.Party == index && index == 0 && r.Index >= 0 && r.Index < len(l.inputs) {
				plan.Groups[g].At = l.inputs[r.Index].at
			}
		}
	}
}

// source is the client from which the server's program receives a z.
func (k *linker) source(z string) string {
	if s := k.parties[0].Program.Symbols[z]; s != nil && s.Kind == check.Receive {
		return s.Decl.(*ast.Receive).From.Name
	}
	return ""
}

// cuts finds the ports of a z: of one member, or of all who run the client's program.
func (k *linker) cuts(z, client string, member int) ([]model.Port, error) {
	var out []model.Port
	for i, p := range k.parties[1:] {
		if program(p) != client || member > 0 && p.Member != member {
			continue
		}
		c := slices.IndexFunc(p.Spec.Cuts, func(c density.Cut) bool { return c.Name == z })
		if c < 0 {
			return nil, fmt.Errorf("%s: the server expects %s, which this program does not send", p.Name, z)
		}
		out = append(out, model.Port{Party: i + 1, Index: c})
	}
	if out == nil {
		return nil, fmt.Errorf("%s: the server expects it from %s, which is not a party of this run", z,
			client)
	}
	return out, nil
}

// group returns the group of a name, with its members in party order.
func (k *linker) group(name string, members []model.Port) int {
	slices.SortFunc(members, func(a, b model.Port) int { return a.Party - b.Party })
	for g := range k.plan.Groups { // the server may receive what it sends on under another name
		if slices.Equal(k.plan.Groups[g].Members, members) {
			return g
		}
	}
	if g, ok := k.groups[name]; ok {
		for _, m := range members {
			if !slices.Contains(k.plan.Groups[g].Members, m) {
				k.join(g, m)
			}
		}
		return g
	}
	g := len(k.plan.Groups)
	k.groups[name] = g
	k.plan.Groups = append(k.plan.Groups, model.Group{Name: name})
	for _, m := range members {
		k.join(g, m)
	}
	return g
}

func (k *linker) join(g int, m model.Port) {
	group := &k.plan.Groups[g]
	cut := &k.plan.Parties[m.Party].Cuts[m.Index]
	cut.Group, group.Len = g, cut.Len()
	k.plan.Exact = k.plan.Exact || cut.Rho == 0
	group.Members = append(group.Members, m)
	slices.SortFunc(group.Members, func(a, b model.Port) int { return a.Party - b.Party })
}

// atClient wires `send o = SUM to CLIENT` and `send z to CLIENT`: the group is the union of the sums sent
// under that name.
func (k *linker) atClient(s *ast.Send, to string) error {
	var members []model.Port
	var err error
	value := s.Value
	if value == nil {
		value = &ast.Name{Name: s.Name.Name}
	}
	ast.Walk(value, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || k.source(name.Name) == "" || err != nil {
			return err == nil
		}
		var ports []model.Port
		ports, err = k.cuts(name.Name, k.source(name.Name), 0)
		members = append(members, ports...)
		return err == nil
	})
	if err != nil {
		return err
	}
	g := k.group(s.Name.Name, members)
	k.plan.AtClients = true
	for i, p := range k.parties {
		if i == 0 || program(p) != to {
			continue
		}
		in := slices.IndexFunc(p.inputs, func(x inputPort) bool { return x.name == s.Name.Name })
		if in < 0 {
			return fmt.Errorf("%s: the server sends %s, which this program does not receive", p.Name,
				s.Name.Name)
		}
		k.plan.Groups[g].Receivers = append(k.plan.Groups[g].Receivers, model.Port{Party: i, Index: in})
		slices.SortFunc(k.plan.Groups[g].Receivers, func(a, b model.Port) int { return a.Party - b.Party })
	}
	return nil
}

// shared wires a server parameter to one client.
func (k *linker) shared(name, to string) error {
	out := slices.Index(k.parties[0].outputs, name)
	from := model.Port{Party: 0, Index: len(k.parties[0].Spec.Cuts) + out}
	i := slices.IndexFunc(k.plan.Shared, func(s model.Shared) bool { return s.Name == name })
	if i < 0 {
		i = len(k.plan.Shared)
		k.plan.Shared = append(k.plan.Shared, model.Shared{Name: name, From: from})
	}
	s := &k.plan.Shared[i]
	for n, p := range k.parties {
		if n == 0 || program(p) != to {
			continue
		}
		in := slices.IndexFunc(p.inputs, func(x inputPort) bool { return x.name == name })
		if in < 0 {
			return fmt.Errorf("%s: the server sends %s, which this program does not receive", p.Name, name)
		}
		s.To = append(s.To, model.Port{Party: n, Index: in})
		s.Early = s.Early || p.inputs[in].early
	}
	slices.SortFunc(s.To, func(a, b model.Port) int { return a.Party - b.Party })
	return nil
}

// beside lists the sums to which a shared parameter is added wherever these are received; none where it is
// not so.
func (k *linker) beside(s *model.Shared) (groups []int) {
	if s.Early || len(s.To) < 2 {
		return nil
	}
	for i, to := range s.To {
		var at []int
		for _, in := range k.parties[to.Party].inputs[to.Index].beside {
			g := slices.IndexFunc(k.plan.Groups, func(g model.Group) bool {
				return slices.Contains(g.Receivers, model.Port{Party: to.Party, Index: in})
			})
			if g < 0 || len(k.plan.Groups[g].Receivers) != len(s.To) {
				return nil
			}
			at = append(at, g)
		}
		slices.Sort(at)
		if i == 0 {
			groups = at
		} else if !slices.Equal(groups, at) {
			return nil
		}
	}
	return groups
}

// complete checks that every cut of a client has a receiver and every input of it a sender.
func (k *linker) complete(p *Lowered) error {
	party := slices.Index(k.parties, p)
	for c, cut := range p.Spec.Cuts {
		if !slices.ContainsFunc(k.plan.Groups, func(g model.Group) bool {
			return slices.Contains(g.Members, model.Port{Party: party, Index: c})
		}) {
			return fmt.Errorf("%s: sends %s, which the server's program does not receive", p.Name, cut.Name)
		}
	}
	for i, in := range p.inputs {
		if in.drawn {
			continue
		}
		port := model.Port{Party: party, Index: i}
		wired := slices.ContainsFunc(k.plan.Shared, func(s model.Shared) bool {
			return slices.Contains(s.To, port)
		}) ||
			slices.ContainsFunc(k.plan.Groups, func(g model.Group) bool {
				return slices.Contains(g.Receivers, port)
			})
		if !wired {
			return fmt.Errorf("%s: receives %s, which the server's program does not send", p.Name, in.name)
		}
	}
	return nil
}

// Label gives the cuts of each group the response that they enter, where every party holds it: guides may
// take it as an input. A party that this process does not hold is nil.
func Label(plan *model.Plan, parties []*Lowered, shared data.Bindings) {
	for g := range plan.Groups {
		label := labelOf(plan, parties, g, shared)
		if label == nil {
			continue
		}
		for _, m := range plan.Groups[g].Members {
			if spec := plan.Parties[m.Party]; spec != nil && spec.Cuts[m.Index].Rows == len(label) {
				spec.Cuts[m.Index].Label = label
			}
		}
	}
}

func labelOf(plan *model.Plan, parties []*Lowered, g int, shared data.Bindings) []float64 {
	for _, r := range plan.Groups[g].Receivers {
		p := parties[r.Party]
		if p == nil || p.Program == nil {
			continue
		}
		name := p.inputs[r.Index].name
		names := p.inputs[r.Index].sum
		if name != "" {
			names = []string{name}
		}
		for _, l := range p.Program.Likelihoods {
			left, ok := l.Stmt.Left.(*ast.Name)
			if ok && shared[left.Name] != nil && mentions(l.Args, names) {
				return shared[left.Name].Values
			}
		}
	}
	return nil
}

func mentions(args []ast.Expr, names []string) bool {
	found := false
	for _, a := range args {
		if a == nil {
			continue
		}
		ast.Walk(a, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && slices.Contains(names, x.Name) {
				found = true
			}
			return !found
		})
	}
	return found
}
