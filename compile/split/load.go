package split

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// Load parses and checks a party's program as if a stranger had sent it: it must have the manifest's digest,
// hold only what the party may hold, and send and receive exactly what the manifest lists. The program is
// usable only where the list has no errors.
func Load(m *Manifest, party, file, text string, universe *stdlib.Universe) (*check.Program, diag.List) {
	src := source.New(file, text)
	entry, known := m.Party(party)
	if known && Digest(text) != entry.SHA256 {
		var diags diag.List
		diags.Errorf(diag.WrongDigest, src, source.Span{},
			"this program differs from the manifest: its SHA-256 is %s…, the manifest's %s…",
			Digest(text)[:12], entry.SHA256[:min(12, len(entry.SHA256))]).
			Note("compile the model again, or ask who sent it")
		return nil, diags
	}
	if diags := m.invalid(src, universe); diags.HasErrors() {
		return nil, diags
	}
	return Examine(m, party, file, text, universe)
}

// Examine is Load without the comparison of digests and without a look at the manifest itself: it reports
// what is wrong in the program.
func Examine(m *Manifest, party, file, text string, universe *stdlib.Universe) (*check.Program, diag.List) {
	src := source.New(file, text)
	tree, diags := parser.Parse(src)
	if diags.HasErrors() {
		return nil, diags
	}
	program, problems := check.Check(&check.Linked{File: tree}, universe, check.Options{Server: m.Server})
	diags = append(diags, problems...)
	if diags.HasErrors() {
		return nil, diags
	}
	transform, _ := m.Kind()
	if m.Homes() {
		program.Sums = map[string]bool{}
		for _, s := range m.Sums {
			program.Sums[s.Name] = program.Sums[s.Name] || s.To == party
		}
	}
	e := &examiner{Program: program, manifest: m, party: party, powers: transform.Powers(),
		diags: diags, seen: map[string]bool{}}
	e.examine()
	return program, e.diags
}

type examiner struct {
	*check.Program
	manifest *Manifest
	party    string
	powers   bool // by the manifest's transform each client evaluates likelihoods
	diags    diag.List
	// what the program sends, receives and evaluates, as keys of the manifest's lists
	seen map[string]bool
}

func (e *examiner) errorf(code diag.Code, at ast.Node, format string, args ...any) {
	e.diags.Errorf(code, e.File.Source, at.Span(), format, args...)
}

func (e *examiner) examine() {
	if e.For != e.party {
		where := source.Span{}
		if len(e.File.Stmts) > 0 {
			where = e.File.Stmts[0].Span()
		}
		e.diags.Errorf(diag.NotParty, e.File.Source, where, "this is %s, not the program of %s", whose(e.For),
			e.party)
		return
	}
	if _, ok := e.manifest.Party(e.party); !ok {
		e.diags.Errorf(diag.NotParty, e.File.Source, e.File.Stmts[0].Span(), "the manifest lists no party %s",
			e.party)
		return
	}
	for _, s := range e.File.Stmts {
		switch s := s.(type) {
		case *ast.Client:
			e.families(s)
		case *ast.Data:
			e.data(s)
		case *ast.Send:
			e.send(s)
		case *ast.Receive:
			e.receive(s)
		case *ast.Aux:
			e.aux(s)
			e.noSums(s)
		case *ast.Contribution:
			e.contribution(s)
		case *ast.Param:
			e.noSums(s)
		case *ast.Factor:
			e.noSums(s)
		case *ast.Likelihood:
			e.likelihood(s)
		}
	}
	e.missing()
	e.leaks()
}

// leaks refuses what is data although it has the form of a cut or a gradient, apart from what the manifest
// lists as accepted.
func (e *examiner) leaks() {
	if e.client() && !e.diags.HasErrors() {
		offset := func(name string) bool { c := e.cut(name); return c != nil && c.Offset }
		e.diags = append(e.diags,
			e.manifest.Staying(e.manifest.Accepted.Drop(leak.CheckProgram(e.Program, offset)))...)
	}
}

// Staying returns findings without those about numbers a row that cross, where the programs are for a run
// whose rows stay encrypted.
func (m *Manifest) Staying(list diag.List) diag.List {
	if m.RowsStay() {
		return leak.Staying(list)
	}
	return list
}

// RowsStay reports whether the run of the programs is one whose rows stay encrypted.
func (m *Manifest) RowsStay() bool {
	return m.Encrypted || m.Release != nil || m.Run != nil && m.Run.Settings["wire"] == "encrypted"
}

// contribution checks that the manifest lists what the party computes in a module of its own.
func (e *examiner) contribution(s *ast.Contribution) {
	for _, c := range e.manifest.Contributions {
		if sym := e.Symbols[s.Name.Name]; c.Client == e.party && c.Name == s.Name.Name && sym != nil &&
			slices.Equal(c.Shape, sym.Type.Shape()) {
			return
		}
	}
	e.errorf(diag.UnlistedChannel, s, "the manifest lists no contribution %s of %s with this shape",
		s.Name.Name, e.party)
}

func (e *examiner) client() bool { return e.party != e.manifest.Server }

// families checks that the clients that a program names are those of the manifest.
func (e *examiner) families(s *ast.Client) {
	for _, f := range s.Clients {
		c, _ := e.Client(f.Name.Name)
		count := ""
		if c.Family {
			count = c.Count.String()
		}
		if p, ok := e.manifest.Party(f.Name.Name); !ok || p.Role != roleClient || p.Family != count {
			e.errorf(diag.UnlistedChannel, f.Name, "the manifest lists no client %s",
				memberList(f.Name.Name, count))
		}
	}
}

func memberList(name, count string) string {
	if count == "" {
		return name
	}
	return name + "[" + count + "]"
}

// data checks that data are shared only where the manifest lists them: they are compared with those of other
// parties.
func (e *examiner) data(s *ast.Data) {
	sym := e.Symbols[s.Name.Name]
	if sym == nil || sym.Owner != check.Shared {
		return
	}
	for _, d := range e.manifest.SharedData {
		if d.Name == s.Name.Name && slices.Contains(d.To, e.party) {
			e.shape(s, sym.Type, d.Shape)
			return
		}
	}
	for _, z := range e.manifest.Sizes {
		if z.Name == s.Name.Name && slices.Contains(z.To, e.party) && sym.Type.Elem == types.Int &&
			sym.Type.Scalar() {
			return
		}
	}
	e.errorf(diag.UnlistedChannel, s.Name, "the manifest does not list %s among the data that %s shares",
		s.Name.Name, e.party)
}

func (e *examiner) send(s *ast.Send) {
	for _, to := range s.To {
		if e.client() && to.Name != e.manifest.Server {
			e.errorf(diag.WrongPeer, to, "%s would send to %s: a client exchanges messages with %s only",
				e.party, to.Name, e.manifest.Server)
			return
		}
		if _, ok := e.manifest.Party(to.Name); !ok || to.Name == e.party {
			e.errorf(diag.WrongPeer, to, "%s would send to %s, which the manifest does not list", e.party,
				to.Name)
			return
		}
	}
	for _, to := range s.To {
		e.sendTo(s, to)
	}
}

func (e *examiner) sendTo(s *ast.Send, to ast.Ident) {
	name := s.Name.Name
	if e.seen[sent(name, to.Name)] {
		e.errorf(diag.UnlistedChannel, s, "%s is sent to %s twice, but the manifest lists it once", name,
			to.Name)
	}
	e.seen[sent(name, to.Name)] = true
	switch {
	case e.client():
		e.sendCut(s)
	case s.Value == nil && !e.received(name):
		e.sendParameter(s, to)
	default:
		e.sendSum(s, to)
	}
}

// sendCut checks that a client sends what the manifest lists: an auxiliary variable or, where its transform
// is without noise, the cut itself.
func (e *examiner) sendCut(s *ast.Send) {
	name := s.Name.Name
	c := e.cut(name)
	switch {
	case c == nil:
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no %s of %s: it may not be sent", name, e.party)
	case s.Value == nil:
	case c.Rho != "":
		e.errorf(diag.BareCut, s,
			"%s is sent without noise, but the manifest lists it as normal around its cut with sd %s", name,
			c.Rho)
	default:
		e.shape(s, e.Symbols[name].Type, c.Shape)
	}
}

func (e *examiner) sendParameter(s *ast.Send, to ast.Ident) {
	i := slices.IndexFunc(e.manifest.Shared, func(m ManifestShared) bool { return m.Name == s.Name.Name })
	switch {
	case i < 0:
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no shared parameter %s", s.Name.Name)
	case !slices.Contains(e.manifest.Shared[i].To, to.Name):
		e.errorf(diag.UnlistedChannel, to, "the manifest does not list %s among the parties that learn %s",
			to.Name, s.Name.Name)
	default:
		m, sym := e.manifest.Shared[i], e.Symbols[s.Name.Name]
		e.shape(s, sym.Type, m.Shape)
		if prior := priorOf(e.Program, sym, sym.Args); prior != m.Prior {
			e.errorf(diag.UnlistedChannel, sym.Ident, "the manifest lists another prior of %s: %q", sym.Name,
				m.Prior)
		}
	}
}

// sendSum checks that each client is sent the sum that the manifest lists for it, and in it only the z that
// the manifest lists for it.
func (e *examiner) sendSum(s *ast.Send, to ast.Ident) {
	value := s.Value
	if value == nil {
		value = &ast.Name{At: s.Name.At, Name: s.Name.Name}
	}
	for _, name := range namesIn(value) {
		if c := e.cut(name); c != nil && !slices.Contains(c.SeenBy, to.Name) {
			e.errorf(diag.UnlistedChannel, s, "the manifest does not list %s among the parties that learn %s",
				to.Name, name)
			return
		}
	}
	m := e.sum(s.Name.Name, to.Name)
	switch {
	case m == nil:
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no sum %s for %s", s.Name.Name, to.Name)
	case format.Expr(value) != m.Value:
		e.errorf(diag.UnlistedChannel, value, "%s is %s here, but the manifest lists %s", s.Name.Name,
			format.Expr(value), m.Value)
	}
}

func (e *examiner) cut(name string) *ManifestCut {
	for i, c := range e.manifest.Cuts {
		if c.Name == name && (!e.client() || c.Client == e.party) {
			return &e.manifest.Cuts[i]
		}
	}
	return nil
}

func (e *examiner) sum(name, to string) *ManifestSum {
	for i, m := range e.manifest.Sums {
		if m.Name == name && m.To == to {
			return &e.manifest.Sums[i]
		}
	}
	return nil
}

func (e *examiner) receive(s *ast.Receive) {
	name, t := s.Name.Name, e.Symbols[s.Name.Name].Type
	e.seen[received(name, s.From.Name)] = true
	if t.Elem != types.Real {
		e.errorf(diag.ChannelShape, s, "%s is %s here, but what crosses is real", name, t)
		return
	}
	if !e.client() {
		c := e.cut(name)
		if c == nil || c.Client != s.From.Name {
			e.errorf(diag.UnlistedChannel, s, "the manifest lists no %s from %s", name, s.From.Name)
			return
		}
		e.shape(s, t, c.Shape)
		return
	}
	if s.From.Name != e.manifest.Server {
		e.errorf(diag.WrongPeer, s.From, "%s would receive from %s: a client exchanges messages with %s only",
			e.party, s.From.Name, e.manifest.Server)
		return
	}
	for _, m := range e.manifest.Shared {
		if m.Name == name && slices.Contains(m.To, e.party) {
			e.shape(s, t, m.Shape)
			return
		}
	}
	if m := e.sum(name, e.party); m != nil {
		e.shape(s, t, m.Shape)
		return
	}
	e.errorf(diag.UnlistedChannel, s,
		"the manifest lists no %s that %s receives: %s would learn its gradient, which is "+
			"computed from data of %s", name, e.party, e.manifest.Server, e.party)
}

func (e *examiner) aux(s *ast.Aux) {
	sym := e.Symbols[s.Name.Name]
	if !e.client() {
		e.errorf(diag.WrongRole, s, "the server has no auxiliary variables")
		return
	}
	if c := e.cut(s.Name.Name); c != nil && sym != nil {
		e.shape(s, sym.Type, c.Shape)
		if c.Rho == "" {
			e.errorf(diag.BareCut, s,
				"%s is an auxiliary variable here, but the manifest lists the cut itself, without noise",
				s.Name.Name)
			return
		}
		if rho, _ := e.ConstValue(sym.Args[1]); formatRho(rho) != c.Rho {
			e.errorf(diag.UnlistedChannel, sym.Args[1],
				"the noise of %s has sd %v here, but the manifest lists %s", s.Name.Name, rho, c.Rho)
		}
	}
}

func (e *examiner) shape(at ast.Node, t types.Type, want []string) {
	if !slices.Equal(t.Shape(), want) {
		e.errorf(diag.ChannelShape, at, "its shape is [%s] here, but the manifest lists [%s]",
			strings.Join(t.Shape(), ", "), strings.Join(want, ", "))
	}
}

// Keys of what a program sends and receives.
func sent(name, to string) string       { return "send " + name + " to " + to }
func received(name, from string) string { return "receive " + name + " from " + from }

// missing reports what the manifest lists for the party and the program does not hold: its parties would wait
// for one another.
func (e *examiner) missing() {
	if e.diags.HasErrors() {
		return
	}
	for _, key := range e.manifest.channels(e.party) {
		if !e.seen[key] {
			e.errorf(diag.MissingChannel, e.File.Stmts[0],
				"the manifest lists `%s`, which this program does not hold", key)
		}
	}
}

// channels lists what the program of a party holds, in the order of the manifest.
func (m *Manifest) channels(party string) []string {
	var out []string
	for _, c := range m.Cuts {
		switch party {
		case c.Client:
			out = append(out, sent(c.Name, m.Server))
		case m.Server:
			out = append(out, received(c.Name, c.Client))
		}
	}
	down := func(name, to string) {
		switch party {
		case to:
			out = append(out, received(name, m.Server))
		case m.Server:
			out = append(out, sent(name, to))
		}
	}
	for _, s := range m.Shared {
		for _, to := range s.To {
			down(s.Name, to)
		}
	}
	for _, s := range m.Sums {
		down(s.Name, s.To)
	}
	for _, p := range m.Powers {
		if p.Party == party {
			out = append(out, p.String())
		}
	}
	return out
}

// namesIn lists the names in an expression.
func namesIn(e ast.Expr) []string {
	var out []string
	if e == nil {
		return nil
	}
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			out = append(out, name.Name)
		}
		return true
	})
	return out
}
