// Package respond finds the party that holds the responses of the likelihoods in which several parties take
// part. It evaluates these likelihoods, so that it is the server of the model.
package respond

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// Serve returns a model in which the one client that holds such responses is the server; nil where there is
// none, there are several, or the server of the text has one. Parameters without an owner are the new
// server's, and data without an owner too, unless the text names its server: they stay with that party, which
// is then a client. A warning says so. Spans are those of the text.
func Serve(file *ast.File) (*ast.File, diag.List) {
	r := &reader{declared: map[string]ast.Stmt{}, clients: map[string]*ast.Family{},
		sizes: map[string]types.Owners{}}
	if !r.read(file) {
		return nil, nil
	}
	var holders types.Owners
	for _, s := range file.Stmts {
		if l, ok := s.(*ast.Likelihood); ok {
			left, right := r.owners(l.Left), r.owners(&ast.Likelihood{Dist: l.Dist, Truncate: l.Truncate,
				Censor: l.Censor, Weights: l.Weights})
			if _, alone := left.Join(right).Sole(); !alone {
				holders = holders.Join(left)
			}
		}
	}
	name, one := holders.Sole()
	if c := r.clients[name]; one && c != nil && c.Count == nil {
		return r.serve(file, c)
	}
	return nil, nil
}

// A reader knows what the names of a model are.
type reader struct {
	declared map[string]ast.Stmt
	clients  map[string]*ast.Family
	sizes    map[string]types.Owners // of the declarations in whose shapes a name occurs
	server   *ast.Server             // nil: the text names none
	keeps    bool                    // that server has something
}

// read collects the declarations. It returns false for a party's program.
func (r *reader) read(file *ast.File) bool {
	for _, s := range file.Stmts { // before any owner is resolved
		if server, ok := s.(*ast.Server); ok {
			r.server = server
		}
	}
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Program:
			return false
		case *ast.Client:
			for _, c := range s.Clients {
				r.clients[c.Name.Name] = c
			}
		case *ast.Data:
			r.declare(s, s.Name, s.Type)
		case *ast.Param:
			r.declare(s, s.Name, s.Type)
		case *ast.Weight:
			r.declare(s, s.Name, s.Type)
		case *ast.Contribution:
			r.declare(s, s.Name, s.Type)
		case *ast.Let:
			r.declare(s, s.Name, s.Type)
		}
	}
	return true
}

func (r *reader) declare(s ast.Stmt, name ast.Ident, t *ast.Type) {
	r.declared[name.Name] = s
	at, _ := owner(s)
	if t == nil {
		return
	}
	ast.Walk(t, func(n ast.Node) bool {
		if size, ok := n.(*ast.Name); ok {
			r.sizes[size.Name] = r.sizes[size.Name].Join(types.Owners{r.party(*at)})
		}
		return true
	})
}

// owners are the parties whose names a node has, directly or by lets; check.DefaultServer is the server,
// whatever its name.
func (r *reader) owners(n ast.Node) types.Owners { return r.collect(n, nil, map[string]bool{}) }

func (r *reader) collect(n ast.Node, out types.Owners, seen map[string]bool) types.Owners {
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Sum:
			if n.Family != nil {
				out = out.Join(types.Owners{check.DefaultServer})
			}
		case *ast.Name:
			if !seen[n.Name] {
				seen[n.Name] = true
				out = r.named(n.Name, out, seen)
			}
		}
		return true
	})
	return out
}

func (r *reader) named(name string, out types.Owners, seen map[string]bool) types.Owners {
	s := r.declared[name]
	if let, ok := s.(*ast.Let); ok {
		return r.collect(let.Value, out, seen)
	}
	if at, ok := owner(s); ok && (*at == nil || (*at).Name != check.Shared) {
		return out.Join(types.Owners{r.party(*at)})
	}
	if party, one := r.sizes[name].Sole(); one && s == nil && party != check.Shared {
		return out.Join(types.Owners{party})
	}
	return out
}

// party is the party that an owner names.
func (r *reader) party(owner *ast.Ident) string {
	if owner == nil || r.server != nil && owner.Name == r.server.Name.Name {
		return check.DefaultServer
	}
	return owner.Name
}

// owner is where a statement says whose its name is; false for one that has no such place.
func owner(s ast.Stmt) (at **ast.Ident, ok bool) {
	switch s := s.(type) {
	case *ast.Data:
		return &s.Owner, true
	case *ast.Param:
		return &s.Owner, true
	case *ast.Weight:
		return &s.Owner, true
	case *ast.Contribution:
		return &s.Owner, true
	case *ast.Let:
		return &s.Owner, true
	case *ast.Generate:
		return &s.Owner, true
	}
	return nil, false
}

// serve rewrites the model.
func (r *reader) serve(file *ast.File, home *ast.Family) (*ast.File, diag.List) {
	out := *file
	out.Stmts = nil
	for _, s := range file.Stmts {
		if client, ok := s.(*ast.Client); ok {
			out.Stmts = append(out.Stmts, without(client, home)...)
			continue
		}
		out.Stmts = append(out.Stmts, r.stays(s))
	}
	if r.server == nil {
		return &out, nil
	}
	return &out, r.replaced(&out, home)
}

// without is a statement of clients without the one that serves, which has a statement of its own.
func without(s *ast.Client, home *ast.Family) (out []ast.Stmt) {
	rest := &ast.Client{At: s.At}
	for _, c := range s.Clients {
		if c != home {
			rest.Clients = append(rest.Clients, c)
			continue
		}
		out = append(out, &ast.Server{At: c.At, Name: c.Name})
	}
	if len(rest.Clients) > 0 {
		out = append(out, rest)
	}
	return out
}

// stays writes the owner of data that are the named server's, and notes whether that has anything.
func (r *reader) stays(s ast.Stmt) ast.Stmt {
	at, owned := owner(s)
	if r.server == nil || !owned {
		return s
	}
	if *at != nil && (*at).Name == r.server.Name.Name {
		r.keeps = true
	}
	d, data := s.(*ast.Data)
	if !data || d.Owner != nil && d.Owner.Name != check.DefaultServer {
		return s
	}
	r.keeps = true
	here := *d
	here.Owner = &ast.Ident{At: d.Name.At, Name: r.server.Name.Name}
	return &here
}

// replaced makes a client of the server that the text names, or leaves it out where it has nothing.
func (r *reader) replaced(out *ast.File, home *ast.Family) (diags diag.List) {
	old := r.server.Name
	for i, s := range out.Stmts {
		if s != ast.Stmt(r.server) {
			continue
		}
		if out.Stmts = append(out.Stmts[:i:i], out.Stmts[i+1:]...); r.keeps {
			out.Stmts = append(out.Stmts[:i:i], append([]ast.Stmt{&ast.Client{At: r.server.At,
				Clients: []*ast.Family{{At: old.At, Name: old}}}}, out.Stmts[i:]...)...)
		}
		break
	}
	role := "takes no part in it: it has no data and no parameter"
	if r.keeps {
		role = "is a client"
	}
	diags.Warnf(diag.ServerMoved, out.Source, r.server.Span(), "%s holds the response of a likelihood of "+
		"several parties, and evaluates it: it is the server of the model, and %s %s", home.Name.Name, old.Name,
		role).
		Note("write `server %s` to say so; parameters without an owner are then kept by %s", home.Name.Name,
			home.Name.Name)
	return diags
}
