package split

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// Load parses and checks a party's program as if a stranger had sent it: it must have the manifest's digest, hold only what the party
// may hold, and send only what the manifest lists. The program is usable only where the list has no errors.
func Load(m *Manifest, party, file, text string, universe *stdlib.Universe) (*check.Program, diag.List) {
	src := source.New(file, text)
	entry, known := m.Party(party)
	if known && Digest(text) != entry.SHA256 {
		var diags diag.List
		diags.Errorf(diag.WrongDigest, src, source.Span{}, "this program differs from the manifest: its SHA-256 is %s…, the manifest's %s…", Digest(text)[:12], entry.SHA256[:min(12, len(entry.SHA256))]).
			Note("compile the model again, or ask who sent it")
		return nil, diags
	}
	return Examine(m, party, file, text, universe)
}

// Examine is Load without the comparison of digests: it reports what is wrong in the program.
func Examine(m *Manifest, party, file, text string, universe *stdlib.Universe) (*check.Program, diag.List) {
	src := source.New(file, text)
	tree, diags := parser.Parse(src)
	if diags.HasErrors() {
		return nil, diags
	}
	program, problems := check.Check(tree, universe, check.Options{Server: m.Server})
	diags = append(diags, problems...)
	if diags.HasErrors() {
		return nil, diags
	}
	e := &examiner{Program: program, manifest: m, party: party, diags: diags}
	e.examine()
	return program, e.diags
}

type examiner struct {
	*check.Program
	manifest *Manifest
	party    string
	diags    diag.List
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
		name := "a model"
		if e.For != "" {
			name = "the program of " + e.For
		}
		e.diags.Errorf(diag.NotParty, e.File.Source, where, "this is %s, not the program of %s", name, e.party)
		return
	}
	if _, ok := e.manifest.Party(e.party); !ok {
		e.diags.Errorf(diag.NotParty, e.File.Source, e.File.Stmts[0].Span(), "the manifest lists no party %s", e.party)
		return
	}
	for _, s := range e.File.Stmts {
		switch s := s.(type) {
		case *ast.Send:
			e.send(s)
		case *ast.Receive:
			e.receive(s)
		case *ast.Aux:
			e.aux(s)
		}
	}
}

func (e *examiner) client() bool { return e.party != e.manifest.Server }

func (e *examiner) send(s *ast.Send) {
	for _, to := range s.To {
		if e.client() && to.Name != e.manifest.Server {
			e.errorf(diag.WrongPeer, to, "%s would send to %s: a client exchanges messages with %s only", e.party, to.Name, e.manifest.Server)
			return
		}
		if _, ok := e.manifest.Party(to.Name); !ok || to.Name == e.party {
			e.errorf(diag.WrongPeer, to, "%s would send to %s, which the manifest does not list", e.party, to.Name)
			return
		}
	}
	switch {
	case e.client() && e.cut(s.Name.Name) == nil:
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no %s of %s: it may not be sent", s.Name.Name, e.party)
	case !e.client() && s.Value == nil:
		e.sendParameter(s)
	case !e.client():
		e.sendSum(s)
	}
}

func (e *examiner) sendParameter(s *ast.Send) {
	i := slices.IndexFunc(e.manifest.Shared, func(m ManifestShared) bool { return m.Name == s.Name.Name })
	if i < 0 {
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no shared parameter %s", s.Name.Name)
		return
	}
	for _, to := range s.To {
		if !slices.Contains(e.manifest.Shared[i].To, to.Name) {
			e.errorf(diag.UnlistedChannel, to, "the manifest does not list %s among the parties that learn %s", to.Name, s.Name.Name)
		}
	}
}

// sendSum checks that each client is sent only the z that the manifest lists for it.
func (e *examiner) sendSum(s *ast.Send) {
	ast.Walk(s.Value, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		c := e.cut(name.Name)
		if c == nil {
			return true
		}
		for _, to := range s.To {
			if !slices.Contains(c.SeenBy, to.Name) {
				e.errorf(diag.UnlistedChannel, s, "the manifest does not list %s among the parties that learn %s", to.Name, name.Name)
			}
		}
		return true
	})
}

func (e *examiner) cut(name string) *ManifestCut {
	for i, c := range e.manifest.Cuts {
		if c.Name == name && (!e.client() || c.Client == e.party) {
			return &e.manifest.Cuts[i]
		}
	}
	return nil
}

func (e *examiner) receive(s *ast.Receive) {
	sym := e.Symbols[s.Name.Name]
	if e.client() {
		if s.From.Name != e.manifest.Server {
			e.errorf(diag.WrongPeer, s.From, "%s would receive from %s: a client exchanges messages with %s only", e.party, s.From.Name, e.manifest.Server)
		}
		for _, m := range e.manifest.Shared {
			if m.Name == s.Name.Name {
				e.shape(s, sym.Type, m.Shape)
			}
		}
		return
	}
	c := e.cut(s.Name.Name)
	if c == nil || c.Client != s.From.Name {
		e.errorf(diag.UnlistedChannel, s, "the manifest lists no %s from %s", s.Name.Name, s.From.Name)
		return
	}
	e.shape(s, sym.Type, c.Shape)
}

func (e *examiner) aux(s *ast.Aux) {
	sym := e.Symbols[s.Name.Name]
	if !e.client() {
		e.errorf(diag.WrongRole, s, "the server has no auxiliary variables")
		return
	}
	if c := e.cut(s.Name.Name); c != nil && sym != nil {
		e.shape(s, sym.Type, c.Shape)
		if rho, _ := e.ConstValue(sym.Args[1]); formatRho(rho) != c.Rho {
			e.errorf(diag.UnlistedChannel, sym.Args[1], "the noise of %s has sd %v here, but the manifest lists %s", s.Name.Name, rho, c.Rho)
		}
	}
}

func (e *examiner) shape(at ast.Node, t types.Type, want []string) {
	if !slices.Equal(t.Shape(), want) {
		e.errorf(diag.ChannelShape, at, "its shape is [%s] here, but the manifest lists [%s]", strings.Join(t.Shape(), ", "), strings.Join(want, ", "))
	}
}
