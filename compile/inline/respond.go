package inline

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// Serve returns a model in which the one client that holds such responses is the server, or where there are
// several holders, one whose server contributes to none of the others' likelihoods; nil where that is so as
// it is written. Parameters without an owner are the new server's, and data without an owner too, unless the
// text names its server: they stay with that party, which is then a client. A warning says so. Spans are
// those of the text.
func Serve(file *ast.File) (*ast.File, diag.List) {
	for _, s := range file.Stmts {
		if _, program := s.(*ast.Program); program {
			return nil, nil
		}
	}
	d := DeclaredIn(file)
	sizes := d.sizes(file)
	var holders types.Owners
	contributes := false // the server of the text, to a likelihood of another party
	for _, s := range file.Stmts {
		l, ok := s.(*ast.Likelihood)
		if !ok {
			continue
		}
		left, whole := d.Owners(l.Left), d.Owners(l)
		ast.Walk(l, func(n ast.Node) bool {
			if name, ok := n.(*ast.Name); ok && d[name.Name] == nil && len(sizes[name.Name]) == 1 {
				whole = whole.Join(sizes[name.Name])
			}
			return true
		})
		if home, one := left.Sole(); len(whole) > 1 {
			holders = holders.Join(left)
			contributes = contributes || one && home != check.DefaultServer && d.named(l)
		}
	}
	name, one := holders.Sole()
	switch c := d.client(name); {
	case one && c != nil && c.Count == nil:
		return d.serve(file, c)
	case len(holders) > 1 && contributes:
		return d.serve(file, nil)
	}
	return nil, nil
}

// named reports whether a node has data of the server, or parameters that are declared with its name,
// directly or by lets.
func (d Declared) named(n ast.Node) bool {
	found, seen := false, map[string]bool{}
	var look func(n ast.Node)
	look = func(n ast.Node) {
		ast.Walk(n, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || seen[name.Name] {
				return !found
			}
			seen[name.Name] = true
			_, owner, _ := owned(d[name.Name])
			switch s := d[name.Name].(type) {
			case *ast.Let:
				look(s.Value)
			case *ast.Data, *ast.Param, *ast.Weight:
				_, data := s.(*ast.Data)
				found = found || (data || *owner != nil) && d.party(*owner) == check.DefaultServer &&
					(*owner == nil || (*owner).Name != check.Shared)
			}
			return !found
		})
	}
	look(n)
	return found
}

// Declared are the statements of a model by the names that they declare.
type Declared map[string]ast.Stmt

// DeclaredIn are those of a file.
func DeclaredIn(file *ast.File) Declared {
	d := Declared{}
	for _, s := range file.Stmts {
		d.add(s)
	}
	return d
}

func (d Declared) add(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Server:
		d[s.Name.Name] = s
	case *ast.Client:
		for _, c := range s.Clients {
			d[c.Name.Name] = s
		}
	default:
		if name, _, _ := owned(s); name != "" {
			d[name] = s
		}
	}
}

// Owners are the parties whose names a node has, directly or by lets; check.DefaultServer is the server,
// whatever its name.
func (d Declared) Owners(n ast.Node) types.Owners { return d.collect(n, nil, map[string]bool{}) }

func (d Declared) collect(n ast.Node, out types.Owners, seen map[string]bool) types.Owners {
	ast.Walk(n, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || seen[name.Name] {
			return true
		}
		seen[name.Name] = true
		of, owner, _ := owned(d[name.Name])
		let, computed := d[name.Name].(*ast.Let)
		switch {
		case of == "":
		case computed && *owner == nil:
			out = d.collect(let.Value, out, seen)
		case *owner == nil || (*owner).Name != check.Shared:
			out = out.Join(types.Owners{d.party(*owner)})
		}
		return true
	})
	return out
}

// sizes are the parties among whose declarations a name stands in a shape.
func (d Declared) sizes(file *ast.File) map[string]types.Owners {
	out := map[string]types.Owners{}
	for _, s := range file.Stmts {
		name, owner, t := owned(s)
		if name == "" || t == nil {
			continue
		}
		ast.Walk(t, func(n ast.Node) bool {
			if size, ok := n.(*ast.Name); ok {
				out[size.Name] = out[size.Name].Join(types.Owners{d.party(*owner)})
			}
			return true
		})
	}
	return out
}

// party is the party that an owner names.
func (d Declared) party(owner *ast.Ident) string {
	if owner == nil {
		return check.DefaultServer
	}
	if _, server := d[owner.Name].(*ast.Server); server {
		return check.DefaultServer
	}
	return owner.Name
}

func (d Declared) client(name string) *ast.Family {
	if s, ok := d[name].(*ast.Client); ok {
		for _, c := range s.Clients {
			if c.Name.Name == name {
				return c
			}
		}
	}
	return nil
}

// owned is the name that a statement declares, where it says whose that is, and the shape; "" for statements
// whose names belong to nobody or to whoever computes them.
func owned(s ast.Stmt) (name string, owner **ast.Ident, t *ast.Type) {
	switch s := s.(type) {
	case *ast.Data:
		return s.Name.Name, &s.Owner, s.Type
	case *ast.Param:
		return s.Name.Name, &s.Owner, s.Type
	case *ast.Weight:
		return s.Name.Name, &s.Owner, s.Type
	case *ast.Contribution:
		return s.Name.Name, &s.Owner, s.Type
	case *ast.Let:
		return s.Name.Name, &s.Owner, s.Type
	}
	return "", nil, nil
}

// serve rewrites the model: the client is the server, nil one that the text does not name, and a server of
// the text with something is a client.
func (d Declared) serve(file *ast.File, home *ast.Family) (*ast.File, diag.List) {
	out := *file
	out.Stmts = nil
	var old *ast.Server
	for _, s := range file.Stmts {
		if server, ok := s.(*ast.Server); ok {
			old = server
		}
	}
	keeps, at := false, 0
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Server:
			at = len(out.Stmts)
		case *ast.Client:
			out.Stmts = append(out.Stmts, without(s, home)...)
		default:
			stays, has := staying(s, old)
			out.Stmts, keeps = append(out.Stmts, stays), keeps || has
		}
	}
	switch {
	case old == nil && home == nil:
		return nil, nil // it has a name that is no party's
	case old == nil:
		return &out, nil
	}
	role := "takes no part in it: it has no data and no parameter"
	if keeps {
		role = "is a client"
		out.Stmts = slices.Insert(out.Stmts, at, ast.Stmt(&ast.Client{At: old.At,
			Clients: []*ast.Family{{At: old.Name.At, Name: old.Name}}}))
	}
	var diags diag.List
	if home == nil {
		diags.Warnf(diag.ServerMoved, out.Source, old.Span(), "several parties hold responses of likelihoods of "+
			"several parties, and %s has names of its own in one that another evaluates: it %s, and a party %s "+
			"coordinates them", old.Name.Name, role, check.DefaultServer).
			Note("leave out `server %s` and declare `client %s` to say so; parameters without an owner are then "+
				"kept by %s", old.Name.Name, old.Name.Name, check.DefaultServer)
		return &out, diags
	}
	diags.Warnf(diag.ServerMoved, out.Source, old.Span(), "%s holds the response of a likelihood of several "+
		"parties, and evaluates it: it is the server of the model, and %s %s", home.Name.Name, old.Name.Name,
		role).
		Note("write `server %s` to say so; parameters without an owner are then kept by %s", home.Name.Name,
			home.Name.Name)
	return &out, diags
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

// staying writes the owner of data that are those of the server of the text, and reports whether a statement
// is about something of that server.
func staying(s ast.Stmt, old *ast.Server) (ast.Stmt, bool) {
	_, owner, _ := owned(s)
	if g, ok := s.(*ast.Generate); ok {
		owner = &g.Owner
	}
	if old == nil || owner == nil {
		return s, false
	}
	if d, ok := s.(*ast.Data); ok && (d.Owner == nil || d.Owner.Name == check.DefaultServer) {
		here := *d
		here.Owner = &ast.Ident{At: d.Name.At, Name: old.Name.Name}
		return &here, true
	}
	return s, *owner != nil && (*owner).Name == old.Name.Name
}
