package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
)

// A WiringError is what is wrong with a plan, and where.
type WiringError struct {
	Where string // `group "eta"`, `party "lab[2]"`
	What  string
}

func (e *WiringError) Error() string { return "plan: " + e.Where + ": " + e.What }

// Verify checks that the plan's wiring and the graphs that this process holds fit together: every cut enters
// one sum, every graph input and every later output of the server has one connection, lengths agree, lists
// are in party order. It returns the first *WiringError.
func (p *Plan) Verify() error {
	if p.AtClients && !slices.ContainsFunc(p.Groups, func(g Group) bool { return g.atClients() }) {
		return wrong("parties", "clients evaluate likelihoods, and none receives a sum")
	}
	v := verifier{plan: p, inputs: map[Port]string{}, cuts: map[Port]string{}, outputs: map[Port]string{},
		names: map[string]bool{}}
	for _, check := range []func() error{v.parties, v.groups, v.shared, v.connected, v.windows} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// A verifier collects, per port, the connection that uses it.
type verifier struct {
	plan                  *Plan
	inputs, cuts, outputs map[Port]string
	names                 map[string]bool // of groups and shared parameters
}

func wrong(where, format string, args ...any) error {
	return &WiringError{where, fmt.Sprintf(format, args...)}
}

func (v *verifier) parties() error {
	p := v.plan
	if len(p.Names) == 0 || len(p.Names) != len(p.Parties) {
		return wrong("parties", "%d names for %d parties", len(p.Names), len(p.Parties))
	}
	held := false
	for i, spec := range p.Parties {
		where := party(p.Names[i])
		if p.Names[i] == "" || slices.Contains(p.Names[:i], p.Names[i]) {
			return wrong(where, "the name is empty or used twice")
		}
		if spec == nil {
			continue
		}
		held = true
		if spec.Party != p.Names[i] {
			return wrong(where, "its program is for %q", spec.Party)
		}
		if err := v.spec(where, i, spec); err != nil {
			return err
		}
	}
	if !held {
		return wrong("parties", "no program is loaded")
	}
	return nil
}

func party(name string) string { return fmt.Sprintf("party %q", name) }

func (v *verifier) spec(where string, index int, spec *Spec) error {
	outputs, reports := spec.Graph.Outputs(), spec.Graph.Reports()
	arguments := 0
	for _, d := range spec.Draws {
		arguments += len(d.Args)
	}
	switch {
	case index == 0 && len(spec.Cuts) > 0:
		return wrong(where, "the server has no cuts, but %d are given", len(spec.Cuts))
	case index > 0 && len(spec.Cuts) != len(outputs):
		return wrong(where, "%d cuts for %d outputs", len(spec.Cuts), len(outputs))
	case len(spec.Params)+arguments != len(reports):
		return wrong(where, "%d parameters for %d reports", len(spec.Params), len(reports)-arguments)
	}
	if err := v.draws(where, index, spec); err != nil {
		return err
	}
	at := 0
	for k, c := range spec.Cuts {
		if err := v.cut(where, c, outputs[k], at); err != nil {
			return err
		}
		at += c.Len()
	}
	at = 0
	for k, q := range spec.Params {
		if q.Offset != at || q.Len != reports[k].Len {
			return wrong(where, "parameter %s: offset %d, length %d; its report has offset %d, length %d",
				q.Name, q.Offset, q.Len, at, reports[k].Len)
		}
		at += q.Len
	}
	return recentring(where, spec)
}

// recentring checks separable parameters, and what the maps between coordinates of hierarchies are made of.
func recentring(where string, spec *Spec) error {
	for _, e := range spec.Separable {
		if e.Offset < 0 || e.Len < 1 || e.Offset+e.Len > spec.Graph.Dim() {
			return wrong(where, "separable parameters are not among the party's parameters")
		}
	}
	r := spec.Recentring
	if r == nil {
		return nil
	}
	seen := 0
	for _, e := range r.Effects {
		if e.Scale {
			seen++
			if e.Offset < 0 || e.Len < 1 || e.Offset+e.Len > spec.Graph.Dim() {
				return wrong(where, "the scales %s are not among the party's parameters", e.Name)
			}
		}
	}
	for _, s := range r.Stages {
		outputs := 0
		for _, k := range s.Effects {
			if k < 0 || k >= len(r.Effects) || r.Effects[k].Scale {
				return wrong(where, "a map of coordinates is of effects %d of %d", k, len(r.Effects))
			}
			outputs += maps(r.Effects[k])
		}
		if s.Graph == nil || s.Graph.Dim() != spec.Graph.Dim() || len(s.Graph.Inputs()) != 0 ||
			len(s.Graph.Outputs()) != outputs || len(s.Roots) != len(s.Effects) {
			return wrong(where, "a map of coordinates does not fit the party's parameters")
		}
		ports := s.Graph.Outputs()
		for j, k := range s.Effects {
			e, root := r.Effects[k], s.Roots[j]
			of := ports[:maps(e)]
			if root != nil && (!e.Process || e.Vector > 0 || len(root) != e.Len*e.Len || of[1].Len != 1) {
				return wrong(where, "the root of %s does not fit its %d elements", e.Name, e.Len)
			}
			ports = ports[maps(e):]
			for i, port := range of {
				if i == 1 && e.Process && root == nil && port.Len == e.Size()*e.Size() {
					continue
				}
				if e.Walk && i < 2 && port.Len != 1 {
					return wrong(where, "the walk %s has %d drifts or scales", e.Name, port.Len)
				}
				if e.Offset < 0 || e.Offset+e.Len > s.Graph.Dim() || port.Len < 1 || e.Len%port.Len != 0 {
					return wrong(where, "the effects %s have %d elements, a map %d locations or scales",
						e.Name, e.Len, port.Len)
				}
			}
			seen++
		}
	}
	for k, e := range r.Effects {
		if e.Terms == nil {
			continue
		}
		n := 0
		for _, t := range e.Terms {
			alone := t.Effects < 0 || t.Effects < k && t.Len == r.Effects[t.Effects].Len &&
				t.Offset == r.Effects[t.Effects].Offset && maps(r.Effects[t.Effects]) == 2
			if t.Len < 1 || t.Offset < 0 || t.Offset+t.Len > spec.Graph.Dim() || !alone {
				return wrong(where, "a term is no parameter: elements %d to %d", t.Offset, t.Offset+t.Len)
			}
			n += t.Len
		}
		if k != len(r.Effects)-1 || n != e.Len {
			return wrong(where, "terms have %d elements, not %d, or are not the last", n, e.Len)
		}
		seen++
	}
	if seen != len(r.Effects) {
		return wrong(where, "maps of coordinates are of %d effects, and there are %d", seen, len(r.Effects))
	}
	return nil
}

// draws checks the quantities that a party draws: each has an input of its own and arguments among the
// reports.
func (v *verifier) draws(where string, index int, spec *Spec) error {
	reports := len(spec.Graph.Reports())
	for _, d := range spec.Draws {
		if err := v.input(where, Port{index, d.Input}, d.Shape.Len(), false); err != nil {
			return err
		}
		for _, k := range d.Args {
			if k < len(spec.Params) || k >= reports {
				return wrong(where, "an argument of the draw %s is report %d of %d", d.Name, k, reports)
			}
		}
	}
	return nil
}

// quantities checks where generated quantities read a sum: at an input of the server, which its density may
// read too.
func (v *verifier) quantities(where string, g Group) error {
	for _, q := range g.Quantities {
		if q.Party != 0 {
			return wrong(where, "generated quantities read it at party %d, which is not the server", q.Party)
		}
		if slices.Contains(g.Receivers, q) {
			continue
		}
		if err := v.input(where, q, g.Rows(), false); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) cut(where string, c density.Cut, out graph.Port, at int) error {
	switch {
	case c.Offset != at:
		return wrong(where, "cut %s: offset %d where %d is next", c.Name, c.Offset, at)
	case c.Rows < 0 || c.Cols < 0 || c.Len() != out.Len:
		return wrong(where, "cut %s: %d×%d for an output of %d", c.Name, c.Rows, c.Cols, out.Len)
	case v.plan.Exact && c.Rho != 0:
		return wrong(where, "cut %s: rho is %v, though the cuts themselves cross", c.Name, c.Rho)
	case !v.plan.Exact && (!(c.Rho > 0) || math.IsInf(c.Rho, 0)):
		return wrong(where, "cut %s: rho is %v", c.Name, c.Rho)
	case c.Group < 0 || c.Group >= len(v.plan.Groups):
		return wrong(where, "cut %s: group %d of %d", c.Name, c.Group, len(v.plan.Groups))
	}
	return nil
}

func (v *verifier) groups() error {
	for g, group := range v.plan.Groups {
		where := fmt.Sprintf("group %q", group.Name)
		if err := v.name(where, group.Name); err != nil {
			return err
		}
		if err := v.members(where, g, group); err != nil {
			return err
		}
		if err := v.receivers(where, group); err != nil {
			return err
		}
		if err := v.quantities(where, group); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) name(where, name string) error {
	if name == "" || v.names[name] {
		return wrong(where, "the name is empty or used twice")
	}
	v.names[name] = true
	return nil
}

func (v *verifier) members(where string, g int, group Group) error {
	if err := v.ordered(where, "member", group.Members, 1); err != nil {
		return err
	}
	for _, m := range group.Members {
		if err := use(where, "cut", v.plan.Names, v.cuts, m); err != nil {
			return err
		}
		spec := v.plan.Parties[m.Party]
		if spec == nil {
			continue
		}
		name := v.plan.Names[m.Party]
		if m.Index < 0 || m.Index >= len(spec.Cuts) {
			return wrong(where, "cut %d of %s, which has %d", m.Index, name, len(spec.Cuts))
		}
		if c := spec.Cuts[m.Index]; c.Group != g || c.Len() != group.Len {
			return wrong(where, "length %d as group %d; cut %s of %s has length %d for group %d", group.Len,
				g, c.Name, name, c.Len(), c.Group)
		}
	}
	return nil
}

func (v *verifier) receivers(where string, group Group) error {
	if v.plan.AtClients && len(group.Receivers) == 0 && len(group.Quantities) > 0 {
		return nil
	}
	if err := v.ordered(where, "receiver", group.Receivers, 0); err != nil {
		return err
	}
	if !v.plan.AtClients && group.atClients() {
		return wrong(where, "a client receives it, in a plan whose likelihoods the server evaluates")
	}
	if slices.ContainsFunc(group.At, func(k int) bool { return k < 0 || k >= group.Len }) {
		return wrong(where, "a row is looked up beyond its length %d", group.Len)
	}
	for _, r := range group.Receivers {
		if m, _ := find(group.Members, r.Party); m >= 0 && v.plan.Exact {
			return wrong(where, "%s receives a sum of cuts that has its own", v.plan.Names[r.Party])
		}
		if err := v.input(where, r, group.LenAt(r.Party), false); err != nil {
			return err
		}
	}
	return nil
}

// ordered checks that ports are there, of existing parties from the first allowed one on, and in party order.
func (v *verifier) ordered(where, what string, ports []Port, first int) error {
	if len(ports) == 0 {
		return wrong(where, "no %s", what)
	}
	for k, q := range ports {
		if q.Party < first || q.Party >= len(v.plan.Parties) {
			return wrong(where, "%s %d: party %d is not one of %d to %d", what, k, q.Party, first,
				len(v.plan.Parties)-1)
		}
		if k > 0 && q.Party <= ports[k-1].Party {
			return wrong(where, "%s %d: %s is not in party order", what, k, v.plan.Names[q.Party])
		}
	}
	return nil
}

// use records that a connection takes a port.
func use(where, what string, names []string, used map[Port]string, q Port) error {
	if other, ok := used[q]; ok {
		return wrong(where, "%s %d of %s is taken by %s", what, q.Index, names[q.Party], other)
	}
	used[q] = where
	return nil
}

// input checks a connection to a graph input.
func (v *verifier) input(where string, q Port, n int, early bool) error {
	if err := use(where, "input", v.plan.Names, v.inputs, q); err != nil {
		return err
	}
	spec := v.plan.Parties[q.Party]
	if spec == nil {
		return nil
	}
	name, ports := v.plan.Names[q.Party], spec.Graph.Inputs()
	if q.Index < 0 || q.Index >= len(ports) {
		return wrong(where, "input %d of %s, which has %d", q.Index, name, len(ports))
	}
	in := ports[q.Index]
	if in.Len != n {
		return wrong(where, "length %d; input %s of %s has length %d", n, in.Name, name, in.Len)
	}
	if in.Early && !early {
		return wrong(where,
			"an output of %s depends on input %s, which arrives after the outputs are evaluated", name,
			in.Name)
	}
	return nil
}

func (v *verifier) shared() error {
	for k, s := range v.plan.Shared {
		where := fmt.Sprintf("shared %q", s.Name)
		if err := v.name(where, s.Name); err != nil {
			return err
		}
		if s.From.Party != 0 {
			return wrong(where, "it comes from %d, not from the server", s.From.Party)
		}
		if err := v.from(where, s.From); err != nil {
			return err
		}
		if err := v.ordered(where, "destination", s.To, 1); err != nil {
			return err
		}
		if err := v.to(where, k, s); err != nil {
			return err
		}
		for _, g := range s.Beside {
			if g < 0 || g >= len(v.plan.Groups) || len(v.plan.Groups[g].Receivers) == 0 || s.Early {
				return wrong(where, "it is added to sum %d of %d", g, len(v.plan.Groups))
			}
		}
	}
	return nil
}

func (v *verifier) from(where string, q Port) error {
	if err := use(where, "output", v.plan.Names, v.outputs, q); err != nil {
		return err
	}
	server := v.plan.Parties[0]
	if server != nil && (q.Index < 0 || q.Index >= len(server.Graph.Outputs())) {
		return wrong(where, "output %d of %s, which has %d", q.Index, v.plan.Names[0],
			len(server.Graph.Outputs()))
	}
	return nil
}

// to checks the destinations; input ports are checked before SharedLen reads one of them.
func (v *verifier) to(where string, k int, s Shared) error {
	n := -1
	for _, q := range s.To {
		spec := v.plan.Parties[q.Party]
		if n < 0 && spec != nil && q.Index >= 0 && q.Index < len(spec.Graph.Inputs()) {
			n = v.plan.SharedLen(k)
		}
		if err := v.input(where, q, n, s.Early); err != nil {
			return err
		}
	}
	return nil
}

// connected checks that no port of a graph that is held is left open.
func (v *verifier) connected() error {
	for i, spec := range v.plan.Parties {
		if spec == nil {
			continue
		}
		where := party(v.plan.Names[i])
		for k, in := range spec.Graph.Inputs() {
			if _, ok := v.inputs[Port{i, k}]; !ok {
				return wrong(where, "nothing arrives at input %s", in.Name)
			}
		}
		for k, out := range spec.Graph.Outputs() {
			_, cut := v.cuts[Port{i, k}]
			if _, shared := v.outputs[Port{i, k}]; !cut && !shared {
				return wrong(where, "output %s goes nowhere", out.Name)
			}
		}
	}
	return nil
}
