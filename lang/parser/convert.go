package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// place is in every part of the grammar. Participle finds the field by its name and type, and fills it with
// the tokens of the part.
type place struct{ Tokens []lexer.Token }

func (p place) at() ast.At {
	return ast.At(spanOf(p.Tokens[0]).Join(spanOf(p.Tokens[len(p.Tokens)-1])))
}

// all converts the parts of a list, nil for none.
func all[G, N any](list []G, convert func(G) N) []N {
	if list == nil {
		return nil
	}
	out := make([]N, len(list))
	for i, g := range list {
		out[i] = convert(g)
	}
	return out
}

func name(i *ident) *ast.Ident { return (*ast.Ident)(i) }
func argument(a *arg) *ast.Arg { return (*ast.Arg)(a) }
func value(x expr) ast.Expr    { return x.Expr }

func (s *serverStmt) node(p *parser) ast.Stmt {
	p.verifyParty(ast.Ident(s.Name))
	return &ast.Server{At: s.at(), Name: ast.Ident(s.Name)}
}

func (s *clientStmt) node(p *parser) ast.Stmt {
	return &ast.Client{At: s.at(), Clients: all(s.Clients, p.family)}
}

func (p *parser) family(f *familySpec) *ast.Family {
	out := &ast.Family{At: f.at(), Name: ast.Ident(f.Name), Count: f.Count.Expr}
	p.verifyFamily(out)
	return out
}

func (s *dataStmt) node(p *parser) ast.Stmt {
	return &ast.Data{
		At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Owner: name(s.Owner),
		From: all(s.From, p.column), Missing: name(s.Missing), Impute: (*ast.Dist)(s.Impute),
	}
}

func (s *paramStmt) node(p *parser) ast.Stmt {
	return &ast.Param{
		At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Dist: (*ast.Dist)(s.Dist),
		Truncate: all(s.Truncate, argument), Noncentered: s.Noncentered, Owner: name(s.Owner),
	}
}

func (s *weightStmt) node(p *parser) ast.Stmt {
	return &ast.Weight{
		At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Init: name(s.Init), Owner: name(s.Owner),
	}
}

func (s *contributionStmt) node(p *parser) ast.Stmt {
	return &ast.Contribution{At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Owner: name(s.Owner)}
}

func (s *privateStmt) node(*parser) ast.Stmt {
	return &ast.Private{At: s.at(), Client: ast.Ident(s.Client), Model: ast.Ident(s.Model)}
}

func (s *bodyStmt) node(*parser) ast.Stmt {
	return &ast.Body{At: s.at(), Name: ast.Ident(s.Name), Value: s.Value.Expr}
}

func (s *letStmt) node(p *parser) ast.Stmt {
	return &ast.Let{
		At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Value: s.Value.Expr, Owner: name(s.Owner),
	}
}

func (s *generateStmt) node(p *parser) ast.Stmt {
	return &ast.Generate{
		At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Value: s.Value.Expr,
		Dist: (*ast.Dist)(s.Dist), Truncate: all(s.Truncate, argument), Owner: name(s.Owner),
	}
}

func (s *constStmt) node(*parser) ast.Stmt {
	return &ast.Const{At: s.at(), Name: ast.Ident(s.Name), Value: s.Value.Expr}
}

func (s *fnStmt) node(p *parser) ast.Stmt {
	return &ast.Fn{
		At: s.at(), Name: ast.Ident(s.Name), Block: s.Block, Value: s.Value.Expr, Plain: s.Plain.Expr,
		Args: all(s.Args, func(a *fnArg) *ast.FnArg {
			return &ast.FnArg{At: a.at(), Name: name(a.Name), Elems: all(a.Elems, name)}
		}),
		Body: all(s.Body, func(s innerStmt) ast.Inner { return s.node(p).(ast.Inner) }),
	}
}

func (s *distStmt) node(p *parser) ast.Stmt {
	arg := func(a *distArg) *ast.DistArg {
		return &ast.DistArg{At: a.at(), Name: ast.Ident(a.Name), Type: p.typ(a.Type)}
	}
	return &ast.Distribution{
		At: s.at(), Name: ast.Ident(s.Name), Value: arg(s.Value), Args: all(s.Args, arg),
		Body: all(s.Body, func(s distPart) ast.Stmt { return s.node(p) }), Plain: s.Plain.Expr,
	}
}

func (s *importStmt) node(*parser) ast.Stmt {
	return &ast.Import{At: s.at(), Name: name(s.Name), Path: unquote(s.Path)}
}

func (s *levelsStmt) node(p *parser) ast.Stmt {
	return &ast.Levels{At: s.at(), Name: ast.Ident(s.Name), Categories: all(s.Categories, p.category)}
}

func (p *parser) category(c *category) *ast.Category {
	out := &ast.Category{At: c.at(), Text: unquote(c.Text), Quoted: quoted(c.Text)}
	p.verifyCategory(out)
	return out
}

func (s *likelihoodStmt) node(*parser) ast.Stmt {
	return &ast.Likelihood{
		At: s.at(), Left: s.Left.Expr, Dist: (*ast.Dist)(s.Dist), Truncate: all(s.Truncate, argument),
		Censor: all(s.Censor, argument), Weights: s.Weights.Expr, Power: s.Power.Expr,
	}
}

func (s *factorStmt) node(*parser) ast.Stmt { return &ast.Factor{At: s.at(), Value: s.Value.Expr} }

func (s *transformStmt) node(*parser) ast.Stmt {
	return &ast.Transform{
		At: s.at(), Kind: ast.Ident(s.Kind), Rho: s.Rho.Expr,
		RhoBy: all(s.RhoBy, func(r *rho) *ast.Rho {
			return &ast.Rho{At: r.at(), Client: ast.Ident(r.Client), Value: r.Value.Expr}
		}),
		Terms: all(s.Terms, func(t *term) *ast.Term {
			return &ast.Term{At: t.at(), Name: ast.Ident(t.Name), Value: t.Value.Expr}
		}),
	}
}

func (s *programStmt) node(*parser) ast.Stmt {
	return &ast.Program{At: s.at(), Name: ast.Ident(s.Name), For: ast.Ident(s.For)}
}

func (s *auxStmt) node(p *parser) ast.Stmt {
	return &ast.Aux{At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), Dist: (*ast.Dist)(s.Dist)}
}

func (s *receiveStmt) node(p *parser) ast.Stmt {
	return &ast.Receive{At: s.at(), Name: ast.Ident(s.Name), Type: p.typ(s.Type), From: ast.Ident(s.From)}
}

func (s *sendStmt) node(*parser) ast.Stmt {
	to := all(s.To, func(i ident) ast.Ident { return ast.Ident(i) })
	return &ast.Send{At: s.at(), Name: ast.Ident(s.Name), Value: s.Value.Expr, To: to}
}

func (p *parser) typ(t *typeSpec) *ast.Type {
	if t == nil {
		return nil
	}
	bound := func(b *boundSpec) *ast.Bound {
		return &ast.Bound{At: b.at(), Which: ast.Ident(b.Which), Value: b.Value.Expr}
	}
	out := &ast.Type{At: t.at(), Elem: ast.Ident(t.Elem), Levels: levels(t.Levels), Dims: all(t.Dims, value)}
	out.Bounds = all(t.Bounds, bound)
	p.verifyType(out)
	return out
}

// levels is what stands in the parentheses of a type: a size, or the categories.
func levels(list []expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	_, listed := list[0].Expr.(*ast.Text)
	if len(list) == 1 && !listed {
		return list[0].Expr
	}
	first, last := list[0].Span(), list[len(list)-1].Span()
	return &ast.Array{At: ast.At(first.Join(last)), Elems: all(list, value)}
}

func (p *parser) column(c *columnSpec) *ast.Column {
	out := &ast.Column{At: c.at(), Star: c.Star}
	switch {
	case c.Star:
	case c.Args == nil:
		out.Name = columnName(out.At, c.Quoted+c.Name.Name)
	default:
		encoder := ast.Ident(c.Name)
		if out.Encoder, out.Star = &encoder, c.Args[0].Star; out.Star {
			c.Args = c.Args[1:]
		}
		p.verifyColumn(out, c.Args)
		out.Args = all(c.Args, encoderArg)
	}
	return out
}

func columnName(at ast.At, text string) *ast.ColumnName {
	return &ast.ColumnName{At: at, Name: unquote(text), Quoted: quoted(text)}
}

func encoderArg(a *columnArg) *ast.ColumnArg {
	out := &ast.ColumnArg{At: a.at()}
	value := a.Only
	switch {
	case a.Value != nil:
		out.Key, value = name(a.Name), a.Value
	case a.Name != nil:
		out.Column = columnName(out.At, a.Name.Name)
		return out
	case a.Star: // which is refused
		out.Column = columnName(out.At, "*")
		return out
	}
	if value.Tokens[len(value.Tokens)-1].Type == numberToken {
		n := number(value.Text)
		n.At, out.Number = value.at(), &n
	} else {
		out.Column = columnName(value.at(), value.Text)
	}
	return out
}

// quoted reports whether the text of a token is a string.
func quoted(text string) bool { return strings.HasPrefix(text, `"`) }

// unquote returns the text of a string without its quotes and escapes, and a plain name unchanged.
func unquote(s string) string {
	if !quoted(s) {
		return s
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s[1 : len(s)-1])
}
