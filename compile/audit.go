package compile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

// A Disclosure is one thing that a party learns from another.
type Disclosure struct {
	What   string   `json:"what"`
	From   string   `json:"from"`
	To     string   `json:"to"`
	Shape  []string `json:"shape"`
	Often  string   `json:"how_often"`
	Masked string   `json:"masked"`            // "no", or what hides it
	Learns string   `json:"receiver_computes"` // what a curious receiver can compute
	// the kinds of message that carry it, each with its channel: "aux: z z_1+z_2"
	Messages []string `json:"messages,omitempty"`
	// what crosses is an auxiliary variable on its way to the server, with noise of sd Rho around its cut
	Cut bool `json:"-"`
	// by masks: the receiver has the total over two or more clients alone
	Hidden bool     `json:"-"`
	Bare   bool     `json:"-"` // a cut is in what crosses without noise, or its mean
	Rho    string   `json:"-"`
	Cuts   []string `json:"-"` // the auxiliary variables that what crosses is, or is a sum of
	// of the adjoint that a client sends of a sum it has received: the name of the sum in its program; "" for
	// anything else
	Sum string `json:"-"`
}

// Crossing is the row as a manifest lists it.
func (d Disclosure) Crossing() split.ManifestCrossing {
	return split.ManifestCrossing{What: d.What, From: d.From, To: d.To, Shape: d.Shape, Often: d.Often,
		Masked: d.Masked, Learns: d.Learns, Messages: d.Messages}
}

// Carries reports whether what crosses is the auxiliary variable of this name, or a sum with it.
func (d Disclosure) Carries(cut string) bool { return slices.Contains(d.Cuts, cut) }

// A Bundle is the party programs of a model with their manifest: what an audit needs. Programs are in the
// order of the manifest.
type Bundle struct {
	Manifest *split.Manifest
	Programs []*check.Program
}

// ReadBundle reads the folder that Files were written to, and loads each program as its party would. The
// result is usable only where the list has no errors. The error is of reading a file.
func ReadBundle(dir string) (*Bundle, diag.List, error) {
	m, programs, diags, err := split.ReadPrograms(dir, stdlib.New())
	return &Bundle{m, programs}, diags, err
}

// Parameters counts the parameters of a party by its program, and reports whether all sizes that this takes
// are known.
func (p *Bundle) Parameters(party string, size func(string) (int, bool)) (n int, known bool) {
	known = true
	for _, program := range p.Programs {
		of, all := parametersOf(program, party, size)
		n, known = max(n, of), known && all
	}
	return n, known
}

// Grouped reports where the manifest has cuts in one sum that the server's program takes apart, or the other
// way round.
func (p *Bundle) Grouped() diag.List {
	sums := lower.Sums(p.Programs[0])
	for _, g := range p.Manifest.Groups {
		same := func(names []string) bool {
			return slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(g.Cuts)))
		}
		summed := g
		summed.Additive = true // a single cut of one client is the same either way
		if p.Manifest.Maskable(summed) && g.Additive != slices.ContainsFunc(sums, same) {
			said := map[bool]string{true: "needed as their sum alone", false: "needed singly"}
			return diag.List{p.Manifest.Contradicts("groups",
				"the manifest has %s as %s, and by the program of %s they are %s", strings.Join(g.Cuts, ", "),
				said[g.Additive], p.Manifest.Server, said[!g.Additive])}
		}
	}
	for _, c := range p.Manifest.Cuts {
		if !slices.Contains(c.SeenBy, p.Manifest.Server) {
			return diag.List{p.Manifest.Contradicts("cuts",
				"the manifest does not list %s among the parties that learn %s", p.Manifest.Server, c.Name)}
		}
	}
	return nil
}

// Bundle returns the party programs of a compiled model; nil for a pooled model, which has none. The list has
// the errors of MaySplit.
func (m *Model) Bundle() (*Bundle, diag.List) {
	if diags := m.MaySplit(); m.Pooled() || diags.HasErrors() {
		return nil, diags
	}
	p := &Bundle{Manifest: m.Manifest}
	var diags diag.List
	for _, q := range m.Programs {
		program, found := split.Load(m.Manifest, q.Party, q.File, q.Text, m.Universe)
		diags, p.Programs = append(diags, found...), append(p.Programs, program)
	}
	return p, diags
}

// Audit lists what each party learns from another in a run that uses these exchanges over this wire: before
// it, what the manifest lists of data and sizes; in it, what the scripts of the session hold.
func (p *Bundle) Audit(uses []density.Use, wire model.Wire) []Disclosure {
	a := p.auditor(wire)
	a.before()
	for _, u := range uses {
		for _, q := range a.Manifest.Parties {
			if u.Beforehand != "" {
				a.add(Disclosure{What: u.Beforehand, From: q.Name, To: "all parties",
					Shape: []string{"document"}, Often: "once, before the run", Masked: "no",
					Learns: "that: it follows from the program and the sizes of the data"})
			}
		}
	}
	for _, c := range crossings(a.plan, uses) {
		a.add(a.disclosure(c))
	}
	if wire.Encrypted {
		a.sealed(uses)
	}
	if len(a.rows) > 0 { // else there is no run in which it could be asked
		a.add(Disclosure{
			What: "answer to vflc preflight", From: a.Manifest.Server, To: "any party that asks",
			Shape: []string{"document"}, Often: "when asked", Masked: "no",
			Learns: "the settings of the run, how many rows the server has, and digests of their order, of " +
				"shared data and of categories, with the salt of the run, so that a guess of a " +
				"whole of these can be tested",
		})
	}
	return a.rows
}

type auditor struct {
	*Bundle
	plan *model.Plan
	cuts [][]split.ManifestCut // by sum of the plan: the auxiliary variables that enter it
	rows []Disclosure
}

// auditor looks at runs over this wire.
func (p *Bundle) auditor(wire model.Wire) *auditor {
	a := &auditor{Bundle: p, plan: p.wiring().On(wire)}
	own := p.byClient()
	for _, g := range a.plan.Groups {
		var cuts []split.ManifestCut
		for _, m := range g.Members {
			cuts = append(cuts, own[a.plan.Names[m.Party]][m.Index])
		}
		a.cuts = append(a.cuts, cuts)
	}
	return a
}

// add adds a row, or its messages and how often they are sent to a row that is the same otherwise.
func (a *auditor) add(d Disclosure) {
	same := func(e Disclosure) bool {
		return e.From == d.From && e.To == d.To && e.What == d.What && e.Learns == d.Learns &&
			slices.Equal(e.Shape, d.Shape)
	}
	i := slices.IndexFunc(a.rows, same)
	if i < 0 {
		a.rows = append(a.rows, d)
		return
	}
	e := &a.rows[i]
	if !strings.Contains(", "+e.Often+", ", ", "+d.Often+", ") {
		e.Often += ", " + d.Often
	}
	for _, m := range d.Messages {
		if !slices.Contains(e.Messages, m) {
			e.Messages = append(e.Messages, m)
		}
	}
}

// before lists what parties compare or tell one another before the first evaluation.
func (a *auditor) before() {
	for _, d := range a.Manifest.SharedData {
		for _, to := range d.To {
			a.add(Disclosure{What: "data " + d.Name, From: "any holder", To: to, Shape: d.Shape,
				Often: "once", Masked: "no", Learns: "the data themselves, of which it holds a copy"})
		}
	}
	for _, s := range a.Manifest.Sizes {
		for _, to := range s.To {
			a.add(Disclosure{What: "size " + s.Name, From: "its holders", To: to, Shape: []string{},
				Often: "once", Masked: "no",
				Learns: "how many rows, columns or levels the holders' data have"})
		}
	}
	a.incomplete()
}

// incomplete lists which rows clients tell the server to be incomplete, and the server all clients to be left
// out.
func (a *auditor) incomplete() {
	told := map[string]bool{}
	for k, program := range a.Programs {
		party := a.Manifest.Parties[k].Name
		var sizes []string
		for _, w := range lower.Wants(program) {
			if w.Drop && !slices.Contains(sizes, w.Rows.Name) &&
				slices.Contains(joinedSizes(a.Manifest, []data.Want{w}), w.Rows.Name) {
				sizes = append(sizes, w.Rows.Name)
			}
		}
		for _, size := range sizes {
			told[size] = true
			if party != a.Manifest.Server {
				a.add(Disclosure{What: "incomplete rows of " + size, From: party, To: a.Manifest.Server,
					Shape: []string{size}, Often: "once", Masked: "no",
					Learns: "in which rows " + party +
						" misses a value of the data that are declared with missing drop"})
			}
		}
	}
	for _, size := range slices.Sorted(maps.Keys(told)) {
		for _, q := range a.Manifest.Parties {
			if q.Name != a.Manifest.Server {
				a.add(Disclosure{What: "rows of " + size + " that are left out", From: a.Manifest.Server,
					To: q.Name, Shape: []string{size}, Often: "once", Masked: "no",
					Learns: "in which rows some party misses a value: beyond the own rows, another party"})
			}
		}
	}
}

// disclosure writes a crossing with the names of the model.
func (a *auditor) disclosure(c session.Crossing) Disclosure {
	client := a.plan.Names[c.Client]
	d := Disclosure{From: a.Manifest.Server, To: client, Often: c.HowOften(), Hidden: c.Hidden,
		Shape: a.shape(c), Messages: []string{c.Kind + ": " + c.Channel}}
	if c.Up {
		d.From, d.To = client, a.Manifest.Server
	}
	if c.Of < len(a.cuts) && c.Content.Of == density.OfCuts {
		for _, k := range a.cuts[c.Of] {
			if k.Client == client {
				d.Cuts = append(d.Cuts, k.Name)
			}
		}
	}
	name, cut, rho := a.names(c)
	fill := strings.NewReplacer("{name}", name, "{cut}", cut, "{rho}", shortRho(rho), "{client}", client,
		"{scalars}", c.Scalars, "{answers}", c.Answers, "{mask}", a.mask(c))
	switch {
	case c.Hidden:
	case c.Content == density.Auxiliary:
		d.Cut, d.Rho = true, rho
	case c.Content == session.Partial:
		d.Sum = a.plan.Groups[c.Of].Name
	default:
		d.Bare = c.Content.Bare
	}
	d.What, d.Masked, d.Learns = fill.Replace(c.What), fill.Replace(c.Masked), fill.Replace(c.Learns)
	if c.Content == session.Adjoint {
		if level := lower.LevelOf(a.Programs[0], a.cuts[c.Of][0].Name); level != "" {
			d.Learns = "for each level of " + level + " the sum over its rows of a function of the response and " +
				"of the sum of what all clients send; of a level with one row that function, whose sign gives a " +
				"binary response"
		}
	}
	if a.Manifest.Homes() {
		a.atHome(c, &d)
	}
	if (c.Content == session.Adjoint || c.Content == session.Whole) && !a.scored(c.Of) {
		d.Learns = "nothing: it is 0, since no likelihood has the sum"
	}
	if c.Hidden {
		d.Learns += a.between(c)
	} else {
		a.leaks(c, &d)
	}
	return d
}

// between says what contributors of a masked total know of each other where there are two.
func (a *auditor) between(c session.Crossing) string {
	ports := []model.Port{}
	switch c.Content.Of {
	case density.OfParameters:
		ports = a.plan.Shared[c.Of].To
	case density.OfScalars:
		for k := range a.plan.Names[1:] {
			ports = append(ports, model.Port{Party: k + 1})
		}
	case density.OfReceptions:
		ports = a.plan.Groups[c.Of].Receivers
	default:
		ports = a.plan.Groups[c.Of].Members
	}
	for _, p := range ports {
		if slices.Contains(a.plan.Several, p.Party) {
			return ""
		}
	}
	if len(ports) == 2 {
		return "; each of the two who contribute can compute the other's by subtracting its own from the " +
			"total, where it receives the total or can compute it"
	}
	return ""
}

// scored reports whether a likelihood has a sum.
func (a *auditor) scored(group int) bool { return len(a.readings(group)) > 0 }

// shortRho writes the noise of a manifest as messages do.
func shortRho(rho string) string {
	v, err := strconv.ParseFloat(rho, 64)
	if err != nil {
		return rho
	}
	return RhoText(map[string]float64{"": v})
}

// leaks adds what is data although it is a cut or a gradient, as far as the programs show it.
func (a *auditor) leaks(c session.Crossing, d *Disclosure) {
	program := a.Programs[c.Client]
	switch c.Content {
	case density.Auxiliary, density.BareCut:
		under := "under noise rho only"
		if c.Content == density.BareCut {
			under = "without noise"
		}
		for name, x := range leak.Sent(program) {
			if k := slices.IndexFunc(a.cuts[c.Of], func(k split.ManifestCut) bool {
				return k.Client == program.For && k.Name == name
			}); k < 0 {
				continue
			}
			if off := leak.Offsets(program, x); len(off) > 0 {
				d.Learns += fmt.Sprintf("; in it %s, data that no parameter multiplies, "+
					"crosses %s, recoverable", strings.Join(off, ", "), under)
			}
		}
	case session.Gradient:
		if name := a.plan.Shared[c.Of].Name; slices.Contains(leak.Gradients(program), name) {
			d.Learns = fmt.Sprintf("data of %s: each round is one more equation in them "+
				"for each element of %s; "+
				"enough rounds, solved by least squares, give the rows", program.For, name)
		}
	}
}

// mask says whether a crossing's cut can be masked.
func (a *auditor) mask(c session.Crossing) string {
	if c.Content != density.BareCut {
		return ""
	}
	for _, g := range a.Manifest.Groups {
		if slices.Contains(g.Cuts, a.cuts[c.Of][0].Name) && a.Manifest.Maskable(g) {
			return "no; sums of it can be masked"
		}
	}
	return "no; it is needed singly, so that it cannot be masked"
}

// names are what the texts of a crossing call its parameter or sum; at a client's own cuts, that auxiliary
// variable, its cut and its noise.
func (a *auditor) names(c session.Crossing) (name, cut, rho string) {
	switch c.Numbers.Of {
	case density.OfParameters:
		return a.plan.Shared[c.Of].Name, "", ""
	case density.OfShown, density.OfGiven:
		if !c.Up && c.Exchange.Up.Name != "" {
			return "each other party", "", ""
		}
		return a.plan.Names[c.Of], "", ""
	case density.OfScalars, density.OfAnswers, density.OfSeals:
		return "", "", ""
	case density.OfCuts:
		var names, cuts []string
		for _, k := range a.cuts[c.Of] {
			if k.Client == a.plan.Names[c.Client] {
				names, cuts, rho = append(names, k.Name), append(cuts, a.Expression(k)), k.Rho
			}
		}
		return strings.Join(names, ", "), strings.Join(cuts, ", "), rho
	}
	var names []string
	for _, k := range a.cuts[c.Of] {
		names = append(names, k.Name)
	}
	return strings.Join(names, " + "), "", ""
}

// shape is that of a crossing's array.
func (a *auditor) shape(c session.Crossing) []string {
	if c.Content == session.Mark || c.Content == session.Grid || c.Content == session.Again {
		return []string{}
	}
	switch c.Content.Of {
	case density.OfParameters:
		for _, s := range a.Manifest.Shared {
			if s.Name == a.plan.Shared[c.Of].Name {
				return s.Shape
			}
		}
	case density.OfSeals:
		if len(a.plan.Several) > 0 {
			return []string{between(1, 1000)}
		}
		return []string{fmt.Sprint(len(a.plan.Names) - 2)}
	case density.OfScalars:
		return []string{between(c.Least, c.Most)}
	case density.OfShown, density.OfGiven:
		return []string{c.Content.Size}
	case density.OfAnswers:
		return []string{between(c.LeastAnswers, c.MostAnswers)}
	}
	if !c.Content.Columns {
		return a.cuts[c.Of][0].Shape
	}
	return append(slices.Clone(a.cuts[c.Of][0].Shape), between(c.LeastColumns, c.MostColumns))
}

// between writes a range of sizes.
func between(least, most int) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// byClient lists each client's auxiliary variables in the order of the manifest.
func (p *Bundle) byClient() map[string][]split.ManifestCut {
	out := map[string][]split.ManifestCut{}
	for _, c := range p.Manifest.Cuts {
		out[c.Client] = append(out[c.Client], c)
	}
	return out
}

// Expression is the cut as the client's program writes it.
func (p *Bundle) Expression(c split.ManifestCut) string {
	for _, program := range p.Programs {
		if s := program.Symbols[c.Name]; program.For == c.Client && s != nil && s.Leaves() != nil {
			return format.Expr(s.Leaves())
		}
	}
	return c.Name
}

// wiring is the plan of a run as far as it follows from the manifest: sums, shared parameters and who has
// which, without graphs and lengths. A family is one party, whose members all do the same.
func (p *Bundle) wiring() *model.Plan {
	m := p.Manifest
	plan := &model.Plan{AtClients: len(m.Sums) > 0, Exact: len(m.Cuts) > 0 && m.Cuts[0].Rho == ""}
	for k, q := range m.Parties {
		plan.Names = append(plan.Names, q.Name)
		if q.Family != "" && q.Family != "1" {
			plan.Several = append(plan.Several, k)
		}
	}
	plan.Parties = make([]*model.Spec, len(plan.Names))
	if own := p.byClient(); plan.AtClients {
		p.powerSums(plan, own)
	} else {
		p.serverSums(plan, own)
	}
	for _, s := range m.Shared {
		shared := model.Shared{Name: s.Name}
		for k, q := range plan.Names {
			if slices.Contains(s.To, q) {
				shared.To = append(shared.To, model.Port{Party: k})
				shared.Early = shared.Early || earlyIn(p.Programs[k], s.Name)
			}
		}
		plan.Shared = append(plan.Shared, shared)
	}
	return plan
}

// serverSums adds the sums that the server receives.
func (p *Bundle) serverSums(plan *model.Plan, own map[string][]split.ManifestCut) {
	for _, g := range p.Manifest.Groups {
		group := model.Group{Name: strings.Join(g.Cuts, "+"), Receivers: []model.Port{{}}, Singly: !g.Additive}
		join(plan, own, &group, g.Cuts)
		p.quantities(&group, g.Cuts)
		plan.Groups = append(plan.Groups, group)
	}
}

// quantities notes that a generated quantity of the server reads a sum of cuts.
func (p *Bundle) quantities(g *model.Group, cuts []string) {
	for _, s := range p.Programs[0].Order {
		if s.Kind != check.Generated {
			continue
		}
		for _, e := range append(slices.Clone(s.Args), s.Decl.(*ast.Generate).Value) {
			if e != nil && slices.ContainsFunc(cuts, func(cut string) bool { return ast.Mentions(e, cut) }) {
				g.Quantities = []model.Port{{}}
				return
			}
		}
	}
}

// powerSums adds the sums at which the server evaluates a likelihood, those that clients receive, each under
// one name, and then those that generated quantities of the server alone read.
func (p *Bundle) powerSums(plan *model.Plan, own map[string][]split.ManifestCut) {
	for _, g := range p.Manifest.Groups {
		if len(readingOf(p.Programs[0], g.Cuts)) == 0 {
			continue
		}
		group := model.Group{Name: strings.Join(g.Cuts, "+"), Receivers: []model.Port{{}}, Singly: !g.Additive}
		join(plan, own, &group, g.Cuts)
		p.quantities(&group, g.Cuts)
		plan.Groups = append(plan.Groups, group)
	}
	for _, s := range p.Manifest.Sums {
		cuts, alone := p.cutsIn(s), model.Group{}
		join(plan, own, &alone, cuts)
		g := slices.IndexFunc(plan.Groups, func(g model.Group) bool {
			return g.Name == s.Name || slices.Equal(g.Members, alone.Members)
		})
		if g < 0 {
			g, plan.Groups = len(plan.Groups), append(plan.Groups, model.Group{Name: s.Name})
		}
		join(plan, own, &plan.Groups[g], cuts)
		if len(plan.Groups[g].Quantities) == 0 {
			p.quantities(&plan.Groups[g], cuts)
		}
		plan.Groups[g].Receivers = append(plan.Groups[g].Receivers,
			model.Port{Party: slices.Index(plan.Names, s.To)})
	}
	for _, g := range p.Manifest.Groups {
		group := model.Group{Name: strings.Join(g.Cuts, "+")}
		join(plan, own, &group, g.Cuts)
		if !slices.ContainsFunc(plan.Groups, func(other model.Group) bool {
			return slices.Contains(other.Members, group.Members[0])
		}) {
			p.quantities(&group, g.Cuts)
			plan.Groups = append(plan.Groups, group)
		}
	}
}

// cutsIn lists the cuts in a sum that the server sends.
func (p *Bundle) cutsIn(s split.ManifestSum) []string {
	return slices.DeleteFunc(namesIn(s.Value), func(name string) bool {
		return !slices.ContainsFunc(p.Manifest.Cuts, func(c split.ManifestCut) bool { return c.Name == name })
	})
}

// readingOf lists the likelihoods of a program that have some received names.
func readingOf(program *check.Program, received []string) (out []*check.Likelihood) {
	for _, l := range program.Likelihoods {
		read := names(program, append(slices.Clone(l.Args), l.Stmt.Left)...)
		if slices.ContainsFunc(received, func(name string) bool { return slices.Contains(read, name) }) {
			out = append(out, l)
		}
	}
	return out
}

// join makes cuts members of a sum, in party order.
func join(plan *model.Plan, own map[string][]split.ManifestCut, g *model.Group, cuts []string) {
	enters, in := map[string]bool{}, map[model.Port]bool{}
	for _, c := range cuts {
		enters[c] = true
	}
	for _, m := range g.Members {
		in[m] = true
	}
	for k, name := range plan.Names {
		for i, c := range own[name] {
			if port := (model.Port{Party: k, Index: i}); enters[c.Name] && !in[port] {
				g.Members = append(g.Members, port)
			}
		}
	}
	slices.SortStableFunc(g.Members, func(x, y model.Port) int { return x.Party - y.Party })
}

// namesIn lists the names in a sum of names, as written, with what stands between them.
func namesIn(sum string) []string {
	return strings.FieldsFunc(sum, func(r rune) bool { return strings.ContainsRune(" +()[],", r) })
}

// earlyIn reports whether a cut of the program depends on a received parameter: in its expression, or by a
// noncentered parameter, whose value is made of those of its prior.
func earlyIn(program *check.Program, parameter string) bool {
	seen := map[string]bool{}
	var reach func(e ast.Expr)
	reach = func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Walk(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || seen[name.Name] {
				return true
			}
			seen[name.Name] = true
			if s := program.Symbols[name.Name]; s != nil && s.Kind == check.Param && s.Noncentered() {
				for _, a := range s.Args {
					reach(a)
				}
			}
			return true
		})
	}
	for _, s := range program.Order {
		reach(s.Leaves())
	}
	return seen[parameter]
}

// AuditPooled lists what leaves a client under a transform that pools: all its data and parameters, which one
// process holds.
func (m *Model) AuditPooled() []Disclosure {
	var out []Disclosure
	for _, s := range m.Checked.Order {
		if _, client := m.Checked.Client(s.Owner); client && (s.Kind == check.Data || s.Kind == check.Param) {
			out = append(out, Disclosure{
				What: s.Kind.String() + " " + s.Name, From: s.Owner, To: "one process", Shape: s.Type.Shape(),
				Often: "always", Masked: "no",
				Learns: "everything: whoever runs the process reads it",
			})
		}
	}
	if d := m.Design; d != nil {
		out = append(out, Disclosure{
			What: "second moments of " + d.Described(), From: "all parties", To: "readers of moments.json",
			Shape: []string{}, Often: "once a run", Masked: m.Noise(),
			Learns: "of one person's row no more than the budget; the number of rows, bounds and " +
				"names of columns are public",
		})
	}
	return out
}
