package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Discrete parameters are summed out of a model: `param k : level(3)[N] ~ categorical(w)` becomes the
// logarithm of a sum over its states, and k a quantity that is drawn given all else. Samplers see what is
// continuous.
//
// Given its discrete parameters a model is one in which they are data, and that model is checked first:
// names, types and shapes are wrong or right as they would be there. What depends on a discrete parameter is
// then added up over its states: a mixture where that is one likelihood of numbers, else a factor.

// maxStates bounds the combinations of states of parameters that are summed out together.
const maxStates = 64

// probability ends the name of the probabilities of the states of a parameter, given all else.
const probability = ".probability"

// A latent is a discrete parameter.
type latent struct {
	*ast.Param
	sym    *check.Symbol
	binary bool     // its states are 0 and 1, else 1, …, last
	last   ast.Expr // the last state
	states int      // how many there are, 0 where only data tell
	// index is the name of the state in a sum over states.
	index *ast.Name
}

func (k *latent) name() string { return k.Name.Name }

// first is the first state.
func (k *latent) first() ast.Expr { return number(map[bool]int{true: 0, false: 1}[k.binary]) }

// rows is the size of the table whose rows, or of the groups, that have a state each; nil for a number.
func (k *latent) rows() ast.Expr {
	if len(k.Type.Dims) == 0 {
		return nil
	}
	return k.Type.Dims[0]
}

// A summer holds the state of one run of Sum.
type summer struct {
	*check.Program // of the model given its discrete parameters
	diags          diag.List
	latents        []*latent
	uses           map[ast.Stmt][]*latent // of statements that have a density, and of lets
	parts          []*component
	priorOnly      bool
}

func (s *summer) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return s.diags.Errorf(code, s.File.Source, at.Span(), format, args...)
}

// sumOut returns a file without discrete parameters. A file that has none, and the program of a party, is
// returned as it is.
func sumOut(linked *check.Linked, universe *stdlib.Universe, options check.Options) (*check.Linked,
	diag.List) {
	latents := find(linked.File)
	if latents == nil {
		return linked, nil
	}
	given := *linked
	given.File = conditional(linked.File, latents)
	asked := options
	asked.PriorOnly = false
	program, diags := check.Check(&given, universe, asked)
	if diags.HasErrors() {
		return linked, diags
	}
	s := &summer{Program: program, latents: latents, priorOnly: options.PriorOnly}
	if s.resolve(); s.diags.HasErrors() {
		return linked, s.diags
	}
	out := given
	out.File = s.write()
	for _, k := range latents {
		out.Summed = append(out.Summed, k.Param)
	}
	return &out, s.diags
}

// find lists the discrete parameters of a model.
func find(file *ast.File) (out []*latent) {
	for _, st := range file.Stmts {
		switch st := st.(type) {
		case *ast.Program:
			return nil
		case *ast.Param:
			if st.Type == nil || st.Type.Elem.Name != types.Level.String() &&
				st.Type.Elem.Name != types.Binary.String() {
				continue
			}
			k := &latent{Param: st, binary: st.Type.Levels == nil, last: st.Type.Levels,
				index: &ast.Name{At: st.Name.At, Name: st.Name.Name + ".state"}}
			if k.binary {
				k.last = number(1)
			}
			out = append(out, k)
		}
	}
	return out
}

// conditional is the model given its discrete parameters: they are data, with a likelihood each.
func conditional(file *ast.File, latents []*latent) *ast.File {
	out := *file
	out.Stmts = nil
	for _, st := range file.Stmts {
		at := slices.IndexFunc(latents, func(k *latent) bool { return ast.Stmt(k.Param) == st })
		if at < 0 {
			out.Stmts = append(out.Stmts, st)
			continue
		}
		k := latents[at]
		out.Stmts = append(out.Stmts, &ast.Data{At: k.At, Name: k.Name, Type: k.Type, Owner: k.Owner},
			&ast.Likelihood{At: k.At, Left: &ast.Name{At: k.Name.At, Name: k.name()}, Dist: k.Dist})
		if mentions(file, k.name()+probability) {
			t := &ast.Type{At: k.At, Elem: ast.Ident{At: k.At, Name: types.Real.String()},
				Dims: slices.Clone(k.Type.Dims)}
			if !k.binary {
				t.Dims = append(t.Dims, k.last)
			}
			out.Stmts = append(out.Stmts, &ast.Data{At: k.At, Owner: k.Owner, Type: t,
				Name: ast.Ident{At: k.Name.At, Name: k.name() + probability}})
		}
	}
	return &out
}

func mentions(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Stmts, func(s ast.Stmt) bool { return ast.Mentions(s, name) })
}

// resolve finds what depends on each parameter, and reports parameters that cannot be summed out.
func (s *summer) resolve() {
	s.uses = map[ast.Stmt][]*latent{}
	for _, k := range s.latents {
		k.sym = s.Symbols[k.name()]
		if k.states = 2; !k.binary {
			k.states, _ = k.sym.Type.Levels.Eval(func(name string) (int, bool) {
				if c := s.Symbols[name]; c != nil && c.Kind == check.Const {
					return int(c.Value), true
				}
				list, listed := s.Levels[name]
				return len(list), listed
			})
		}
		if len(k.Type.Dims) > 1 || k.Type.Bounds != nil || k.Truncate != nil || k.Noncentered {
			s.errorf(diag.LatentType, k.Type, "a discrete parameter is a number or a vector, without bounds, "+
				"`truncate` or `noncentered`").
				Note("write level(K), binary, level(K)[N] or binary[N]: a state for each row or group")
		}
	}
	for _, st := range s.File.Stmts {
		for _, k := range s.latents {
			if s.depends(st, k) {
				s.uses[st] = append(s.uses[st], k)
			}
		}
		if len(s.uses[st]) > 0 {
			s.statement(st)
		}
	}
}

// depends reports whether a statement has a parameter in it, directly or by lets.
func (s *summer) depends(n ast.Node, k *latent) bool {
	found := false
	ast.Walk(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && !found {
			sym := s.Symbols[name.Name]
			found = name.Name == k.name() || name.Name == k.name()+probability ||
				sym != nil && slices.Contains(s.uses[sym.Decl], k) && sym.Kind != check.Param
		}
		return !found
	})
	return found
}

// statement reports a statement in which a discrete parameter cannot be summed out.
func (s *summer) statement(st ast.Stmt) {
	var owner string
	var clause ast.Node
	switch st := st.(type) {
	case *ast.Likelihood:
		l := s.likelihood(st)
		if s.prior(st) != nil && l.Dist.Support != def.Codes && l.Dist.Support != def.ZeroOne {
			s.errorf(diag.LatentType, st.Dist, "the states of %s would be those of %s, which are not few",
				format.Expr(st.Left), l.Dist.Name).
				Note("a discrete parameter has a distribution of categories, or of 0 and 1")
		}
		owner = foreign(l.Owners, s.uses[st], s.Server)
		if s.prior(st) == nil && s.any(st.Left) {
			clause = st.Left
		} else if st.Truncate != nil {
			clause = st.Truncate[0]
		} else if l.Dist.Form != nil && l.Dist.Form.Kind == def.MixtureForm || l.Dist.Joint() != "" {
			clause = st.Dist
		}
	case *ast.Param:
		sym := s.Symbols[st.Name.Name]
		owner = foreign(types.Owners{sym.Owner}, s.uses[st], s.Server)
		if st.Truncate != nil {
			clause = st.Truncate[0]
		}
	case *ast.Weight, *ast.Data:
		return
	}
	if owner != "" {
		k := s.uses[st][0]
		s.errorf(diag.LatentParty, st, "%s is a parameter of %s, and is summed out there; here is what %s has",
			k.name(), k.sym.Owner, owner).
			Note("without `@ %s` the server sums it out, with what all parties contribute", k.sym.Owner).
			NoteAt(s.File.Source, k.Name.Span(), "it is declared here")
	}
	if clause != nil {
		s.errorf(diag.LatentClause, clause, "the density of this statement has no sum over the states of %s",
			s.uses[st][0].name()).
			Note("write the density of each state with NAME_lpdf, and add them up: factor log_sum_exp(…)")
	}
}

// foreign is a party other than the owner of a parameter that a client has, "" where there is none.
func foreign(owners types.Owners, of []*latent, server string) string {
	for _, k := range of {
		for _, o := range owners {
			if home := k.sym.Owner; o != home && home != check.Shared && home != server {
				return o
			}
		}
	}
	return ""
}

// likelihood returns the facts of a likelihood or a factor.
func (s *summer) likelihood(st ast.Stmt) *check.Likelihood {
	at := slices.IndexFunc(s.Likelihoods, func(l *check.Likelihood) bool {
		f, factor := st.(*ast.Factor)
		return ast.Stmt(l.Stmt) == st || factor && l.Factor() && l.Args[0] == f.Value
	})
	return s.Likelihoods[at]
}

// prior returns the discrete parameter that a statement is the prior of, nil for another statement.
func (s *summer) prior(st ast.Stmt) *latent {
	l, ok := st.(*ast.Likelihood)
	if !ok {
		return nil
	}
	name, ok := l.Left.(*ast.Name)
	if !ok {
		return nil
	}
	for _, k := range s.latents {
		if k.name() == name.Name {
			return k
		}
	}
	return nil
}

func number(v int) *ast.Number { return &ast.Number{Value: float64(v), Int: true} }

func callOf(name string, args ...ast.Expr) *ast.Call {
	return &ast.Call{Name: ast.Ident{Name: name}, Args: args}
}

func infix(op string, x, y ast.Expr) ast.Expr { return &ast.Binary{Op: op, X: x, Y: y} }

func paren(e ast.Expr) ast.Expr {
	switch e.(type) {
	case *ast.Name, *ast.Number, *ast.Call, *ast.Paren, *ast.Index:
		return e
	}
	return &ast.Paren{X: e}
}
