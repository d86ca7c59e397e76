// Package split writes one vfl program per party, and the manifest that lists what crosses between them.
package split

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// A PartyProgram is what one party runs: text, so that it can be read, compared and signed.
type PartyProgram struct {
	Party  string
	Family bool // run by every member of the family
	File   string
	Text   string
}

// SHA256 returns the digest of the text in hexadecimal.
func (p PartyProgram) SHA256() string { return Digest(p.Text) }

// Digest returns the SHA-256 of a program's text in hexadecimal.
func Digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// ModelDigest returns the digest of a model's text, and of the modules that it uses.
func ModelDigest(f *check.Linked) string {
	text := f.File.Source.Text
	for _, m := range f.Modules {
		text += "\x00" + m.Name + "\x00" + m.Path + "\x00" + m.Text
	}
	return Digest(text)
}

// Split writes the party programs of a transformed model called name, and their manifest, which lists the
// disclosures that are accepted.
func Split(p *transform.Program, name string, accepted diag.Accepted) ([]PartyProgram, *Manifest) {
	s := &splitter{Program: p, name: name, model: ModelDigest(p.Linked), accepted: accepted}
	var programs []PartyProgram
	for _, q := range p.Parties {
		programs = append(programs, s.program(q))
	}
	return programs, s.manifest(programs)
}

type splitter struct {
	*transform.Program
	name, model string
	accepted    diag.Accepted
}

// writer collects the statements of one party's program.
type writer struct {
	*splitter
	party *transform.PartyShare
	body  []ast.Stmt      // likelihoods, auxiliary variables and sends: they decide which names are needed
	names map[string]bool // referred to
	sizes map[string]bool // names in shapes
	bound map[string]bool // sizes that a declaration of the program binds
	// learned are the sizes that only data of other parties bind.
	learned []string
}

func (s *splitter) program(q *transform.PartyShare) PartyProgram {
	file := s.writer(q).file()
	file.Source = source.New(q.Name+".vfl", "")
	text := format.File(file, "of model sha256:"+s.model)
	return PartyProgram{Party: q.Name, Family: q.Family, File: q.Name + ".vfl", Text: text}
}

func (s *splitter) writer(q *transform.PartyShare) *writer {
	return &writer{splitter: s, party: q, names: map[string]bool{}, sizes: map[string]bool{},
		bound: map[string]bool{}}
}

func (w *writer) file() *ast.File {
	w.channels()
	w.reach()
	var head, consts, data, received, params []ast.Stmt
	listed := w.levels()
	head = append(head, &ast.Program{Name: ident(w.name), For: ident(w.party.Name)})
	for _, sym := range w.Order {
		switch d := sym.Decl.(type) {
		case *ast.Const:
			if w.names[sym.Name] || w.sizes[sym.Name] {
				consts = append(consts, &ast.Const{Name: d.Name, Value: literal(sym.Value)})
				w.bound[sym.Name] = true
			}
		case *ast.Data:
			if w.holds(sym) {
				data = append(data, w.dataStmt(sym, d))
			}
		case *ast.Param:
			switch {
			case w.owns(sym):
				params = append(params, w.paramStmt(sym, d))
			case w.names[sym.Name]:
				received = append(received, w.receive(sym))
			}
		case *ast.Contribution:
			if w.owns(sym) {
				params = append(params, &ast.Contribution{Name: d.Name, Type: typeOf(sym.Type)})
			}
		case *ast.Weight:
			switch {
			case w.owns(sym):
				params = append(params, &ast.Weight{Name: d.Name, Type: d.Type, Init: d.Init})
			case w.names[sym.Name]:
				received = append(received, w.receive(sym))
			}
		}
	}
	clients, sizes := w.unboundSizes()
	var out []ast.Stmt
	declared := w.distributions(slices.Concat(params, w.body))
	for _, group := range [][]ast.Stmt{head, clients, consts, declared, listed, data, sizes, received, params,
		w.body} {
		out = append(out, group...)
	}
	return &ast.File{Stmts: out}
}

// distributions are the declared ones that statements use, with those that these need.
func (w *writer) distributions(stmts []ast.Stmt) (out []ast.Stmt) {
	used := map[string]bool{}
	mark := func(s ast.Stmt) {
		ast.Walk(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Dist:
				used[n.Name.Name] = true
			case *ast.Call: // a component of a mixture, or a density
				used[n.Name.Name] = true
				if of, _, _, density := ast.Density(n.Name.Name); density {
					used[of] = true
				}
			}
			return true
		})
	}
	for _, s := range stmts {
		mark(s)
	}
	for _, s := range slices.Backward(w.Distributions) { // each needs those above it alone
		if used[s.Name.Name] {
			mark(s)
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out
}

// receive writes how a client gets a parameter of the server.
func (w *writer) receive(sym *check.Symbol) ast.Stmt {
	return &ast.Receive{Name: sym.Ident, Type: typeOf(sym.Type), From: ident(w.Server)}
}

// channels writes what the party evaluates, receives and sends.
func (w *writer) channels() {
	for _, s := range w.party.Sums {
		w.body = append(w.body, &ast.Receive{Name: ident(s.Name), Type: typeOf(s.Type),
			From: ident(w.Server)})
	}
	for _, k := range w.party.Received {
		w.body = append(w.body, &ast.Receive{Name: ident(k.Name), Type: typeOf(k.Type),
			From: ident(k.Client)})
	}
	for _, k := range w.party.Sent {
		w.body = append(w.body, w.sent(k)...)
	}
	if w.party.Name == w.Server {
		w.serverSends()
	}
	for _, l := range w.party.Likelihoods {
		w.body = append(w.body, transform.Statement(l))
	}
	for _, g := range w.party.Generated {
		w.body = append(w.body, g)
	}
}

// sent writes how a cut leaves its client: itself, or as an auxiliary variable around it.
func (w *writer) sent(k *cut.Expression) []ast.Stmt {
	send := &ast.Send{Name: ident(k.Name), To: []ast.Ident{ident(w.Server)}}
	if w.Transform.Kind.CutsCross() {
		send.Value = k.Expr
		return []ast.Stmt{send}
	}
	rho := literal(w.RhoOf(k.Client))
	return []ast.Stmt{&ast.Aux{Name: ident(k.Name), Type: typeOf(k.Type),
		Dist: transform.Dist(stdlib.Noise, nil, []ast.Expr{k.Expr, rho})}, send}
}

// serverSends writes the parameters and the sums that the server sends to clients.
func (w *writer) serverSends() {
	for _, sym := range w.Order {
		if to := w.usersOf(sym); sym.Kind == check.Param && len(to) > 0 {
			w.body = append(w.body, &ast.Send{Name: ident(sym.Name), To: to})
		}
	}
	for _, q := range w.Parties[1:] {
		for _, sum := range q.Sums {
			w.body = append(w.body, &ast.Send{Name: ident(sum.Name), Value: sum.Of(q.Name),
				To: []ast.Ident{ident(q.Name)}})
		}
	}
}

// usersOf lists the clients whose programs refer to a parameter of the server.
func (w *writer) usersOf(sym *check.Symbol) []ast.Ident {
	if sym.Kind != check.Param || (sym.Owner != check.Shared && sym.Owner != w.Server) {
		return nil
	}
	var users []ast.Ident
	for _, q := range w.Parties[1:] {
		other := w.writer(q)
		other.channels()
		other.reach()
		if other.names[sym.Name] {
			users = append(users, ident(q.Name))
		}
	}
	return users
}

// reach collects the names that the program's statements and its parameters' priors refer to.
func (w *writer) reach() {
	for _, s := range w.body {
		w.refer(s)
	}
	for _, p := range w.Params {
		if w.owns(p.Symbol) {
			for _, a := range p.Args {
				w.refer(a)
			}
			w.referType(p.DeclaredType())
			w.sizesOf(p.Type)
		}
	}
	for _, sym := range w.Order {
		if sym.Kind == check.Data && w.owns(sym) {
			w.referType(sym.Decl.(*ast.Data).Type)
			w.sizesOf(sym.Type)
		}
	}
	for _, sym := range w.Order { // types of names that are only referred to
		if w.names[sym.Name] {
			w.sizesOf(sym.Type)
			if sym.Lower != nil {
				w.refer(sym.Lower)
			}
			if sym.Upper != nil {
				w.refer(sym.Upper)
			}
		}
	}
	for _, sym := range w.Order { // shared data are declared with their types as the model writes them
		if sym.Kind == check.Data && w.holds(sym) {
			w.referType(sym.Decl.(*ast.Data).Type)
		}
	}
}

// referType collects the names of a declared type, which the program repeats: consts that are sizes occur
// nowhere else.
func (w *writer) referType(t *ast.Type) {
	if t != nil {
		w.refer(t)
	}
}

func (w *writer) refer(n ast.Node) {
	if n == nil {
		return
	}
	ast.Walk(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			w.names[x.Name] = true
			if _, size := w.Sizes[x.Name]; size && w.foreign(x.Name) {
				w.sizes[x.Name] = true
			}
		case *ast.Sum:
			if x.Family != nil {
				w.names[x.Family.Name] = true
			}
		case *ast.Receive:
			w.names[x.From.Name] = true
		case *ast.Send:
			for _, to := range x.To {
				w.names[to.Name] = true
			}
		}
		return true
	})
}

func (w *writer) sizesOf(t types.Type) {
	dims := t.Dims
	if t.Levels != nil {
		dims = append(slices.Clone(dims), *t.Levels)
	}
	for _, d := range dims {
		for _, n := range d.Names() {
			w.sizes[n] = true
		}
	}
}

// owns reports whether the party keeps a declaration; the server keeps shared parameters.
func (w *writer) owns(sym *check.Symbol) bool {
	return sym.Owner == w.party.Name || sym.Kind == check.Param && sym.Owner == check.Shared &&
		w.party.Name == w.Server
}

// holds reports whether data are in the program: the party's own, and the shared data that it uses.
func (w *writer) holds(sym *check.Symbol) bool {
	return sym.Owner == w.party.Name || sym.Owner == check.Shared && (w.names[sym.Name] || w.sizes[sym.Name])
}

func (w *writer) dataStmt(sym *check.Symbol, d *ast.Data) ast.Stmt {
	out := &ast.Data{Name: d.Name, Type: d.Type, From: d.From, Missing: d.Missing}
	if sym.Owner == check.Shared {
		out.Owner = &ast.Ident{Name: check.Shared}
	}
	for _, e := range append(slices.Clone(d.Type.Dims), d.Type.Levels) {
		if n, ok := e.(*ast.Name); ok {
			w.bound[n.Name] = true
		}
	}
	if sym.Type.Elem == types.Int && sym.Type.Scalar() {
		w.bound[sym.Name] = true
	}
	w.sizesOf(sym.Type)
	return out
}

func (w *writer) paramStmt(sym *check.Symbol, d *ast.Param) ast.Stmt {
	text := transform.Written{Dist: d.Dist, Truncate: d.Truncate}
	for _, p := range w.Params {
		if p.Symbol == sym {
			text = transform.Write(sym.Dist, p.Args)
		}
	}
	return &ast.Param{Name: d.Name, Type: d.Type, Dist: text.Dist, Truncate: text.Truncate,
		Noncentered: d.Noncentered}
}

// levels writes the listed categories of the sizes that the program uses.
func (w *writer) levels() (out []ast.Stmt) {
	for _, s := range w.File.Stmts {
		if l, ok := s.(*ast.Levels); ok && (w.sizes[l.Name.Name] || w.names[l.Name.Name]) {
			out = append(out, l)
			w.bound[l.Name.Name] = true
		}
	}
	return out
}

func typeOf(t types.Type) *ast.Type {
	out := &ast.Type{Elem: ident("real")}
	for _, d := range t.Dims {
		out.Dims = append(out.Dims, transform.SizeExpr(d))
	}
	return out
}

// unboundSizes declares what the program's shapes need and none of its data bind: the number of a family's
// members, and sizes of other parties' data only, on which parties agree when the run starts.
func (w *writer) unboundSizes() (clients, sizes []ast.Stmt) {
	for _, c := range w.Clients {
		if !c.Family || c.Name == w.party.Name && !w.uses(c.Count) || c.Name != w.party.Name &&
			!w.names[c.Name] && !w.uses(c.Count) {
			continue
		}
		clients = append(clients,
			&ast.Client{Clients: []*ast.Family{{Name: ident(c.Name), Count: transform.SizeExpr(c.Count)}}})
		for _, n := range c.Count.Names() {
			w.bound[n] = true
		}
	}
	var names []string
	for n := range w.sizes {
		if !w.bound[n] && w.foreign(n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	w.learned = names
	for _, n := range names {
		sizes = append(sizes, &ast.Data{Name: ident(n), Type: &ast.Type{Elem: ident("int")},
			Owner: &ast.Ident{Name: check.Shared}})
	}
	return clients, sizes
}

// foreign reports whether a size has no declaration of its own, or one that only another party's program has.
func (w *writer) foreign(size string) bool {
	sym := w.Symbols[size]
	return sym == nil || sym.Kind == check.Data && sym.Owner != check.Shared && sym.Owner != w.party.Name
}

func (w *writer) uses(s types.Size) bool {
	return slices.ContainsFunc(s.Names(), func(n string) bool { return w.sizes[n] || w.names[n] })
}

func ident(name string) ast.Ident { return ast.Ident{Name: name} }

// literal writes a number so that it reads back as the same.
func literal(v float64) ast.Expr {
	if v < 0 {
		return &ast.Unary{Op: "-", X: literal(-v)}
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	_, err := strconv.Atoi(text)
	return &ast.Number{Text: text, Value: v, Int: err == nil}
}
