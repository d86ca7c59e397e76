package format

import (
	"regexp"
	"strings"

	"github.com/vflc/vflc/lang/ast"
)

// Stmt prints a statement on one line.
func Stmt(s ast.Stmt) string { return oneLine(cells(s)) }

// oneLine joins the cells of a statement that are not empty.
func oneLine(cells []string) string {
	var out []string
	for _, c := range cells {
		if c != "" {
			out = append(out, c)
		}
	}
	return strings.Join(out, " ")
}

// cells prints a statement as the parts that are aligned across adjacent statements. An absent part is empty.
func cells(s ast.Stmt) []string {
	switch s := s.(type) {
	case *ast.Server:
		return []string{"server " + s.Name.Name}
	case *ast.Client:
		return []string{"client " + join(s.Clients, family)}
	case *ast.Data:
		return []string{"data " + s.Name.Name, ": " + Type(s.Type), owner(s.Owner), from(s.From) + missing(s)}
	case *ast.Param:
		return []string{"param " + s.Name.Name, optionalType(s.Type), distribution(s), owner(s.Owner)}
	case *ast.Weight:
		return []string{"weight " + s.Name.Name, optionalType(s.Type), initial(s.Init), owner(s.Owner)}
	case *ast.Contribution:
		return []string{"contribution " + s.Name.Name, ": " + Type(s.Type), owner(s.Owner)}
	case *ast.Private:
		return []string{"module " + s.Client.Name + " implements " + s.Model.Name}
	case *ast.Body:
		return []string{s.Name.Name + " = " + Expr(s.Value)}
	case *ast.Let:
		return []string{"let " + s.Name.Name, optionalType(s.Type), "= " + Expr(s.Value), owner(s.Owner)}
	case *ast.Generate:
		if s.Dist != nil {
			return []string{"generate " + s.Name.Name, optionalType(s.Type),
				"~ " + Dist(s.Dist) + clause("truncate", s.Truncate), owner(s.Owner)}
		}
		return []string{"generate " + s.Name.Name, optionalType(s.Type), "= " + Expr(s.Value), owner(s.Owner)}
	case *ast.Const:
		return []string{"const " + s.Name.Name, "= " + Expr(s.Value)}
	case *ast.Levels:
		return []string{"levels " + s.Name.Name, "= " + join(s.Categories, category)}
	case *ast.Likelihood:
		if s.Left == nil { // as later passes keep a factor
			return []string{"factor " + Expr(s.Dist.Args[0].Value)}
		}
		return []string{Expr(s.Left) + " ~ " + Dist(s.Dist) + clause("truncate", s.Truncate) +
			clause("censor", s.Censor) + weights(s.Weights) + power(s.Power)}
	case *ast.Factor:
		return []string{"factor " + Expr(s.Value)}
	case *ast.Transform:
		return []string{"transform " + s.Kind.Name + rho(s)}
	case *ast.Program:
		return []string{"program " + s.Name.Name + " for " + s.For.Name}
	case *ast.Aux:
		return []string{"aux " + s.Name.Name, ": " + Type(s.Type), "~ " + Dist(s.Dist)}
	case *ast.Receive:
		return []string{"receive " + s.Name.Name, ": " + Type(s.Type), "from " + s.From.Name}
	case *ast.Send:
		return []string{"send " + s.Name.Name, sent(s.Value), "to " + join(s.To, func(i ast.Ident) string {
			return i.Name
		})}
	case *ast.Fn:
		return function(s)
	case *ast.Distribution:
		return declaredDistribution(s)
	case *ast.Import:
		if s.Name != nil {
			return []string{"import " + s.Name.Name}
		}
		return []string{"import " + quoted(s.Path)}
	}
	return nil
}

func join[T any](items []T, print func(T) string) string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = print(x)
	}
	return strings.Join(out, ", ")
}

func family(f *ast.Family) string {
	if f.Count == nil {
		return f.Name.Name
	}
	return f.Name.Name + "[" + Expr(f.Count) + "]"
}

func initial(kind *ast.Ident) string {
	if kind == nil {
		return ""
	}
	return "init " + kind.Name
}

func owner(o *ast.Ident) string {
	if o == nil {
		return ""
	}
	return "@ " + o.Name
}

// Type prints a type.
func Type(t *ast.Type) string {
	out := t.Elem.Name
	if t.Levels != nil {
		out += "(" + levels(t.Levels) + ")"
	}
	if len(t.Bounds) > 0 {
		out += "<" + join(t.Bounds, bound) + ">"
	}
	if len(t.Dims) > 0 {
		out += "[" + join(t.Dims, Expr) + "]"
	}
	return out
}

// levels prints the size of a level, or its categories.
func levels(e ast.Expr) string {
	if a, listed := e.(*ast.Array); listed {
		return join(a.Elems, Expr)
	}
	return Expr(e)
}

func optionalType(t *ast.Type) string {
	if t == nil {
		return ""
	}
	return ": " + Type(t)
}

// bound prints a bound, with parentheses around a value in which `>` would end the bounds.
func bound(b *ast.Bound) string {
	var p printer
	p.expr(b.Value, ast.Additive)
	return b.Which.Name + "=" + p.String()
}

// Dist prints a distribution.
func Dist(d *ast.Dist) string {
	return d.Name.Name + "(" + join(d.Args, argument) + ")"
}

func argument(a *ast.Arg) string {
	if a.Name == nil {
		return Expr(a.Value)
	}
	return a.Name.Name + "=" + Expr(a.Value)
}

// Prior prints the distribution of a parameter with its truncation.
func Prior(p *ast.Param) string { return Dist(p.Dist) + clause("truncate", p.Truncate) }

func distribution(p *ast.Param) string {
	text := "~ " + Prior(p)
	if p.Noncentered {
		text += " noncentered"
	}
	return text
}

// clause prints a clause with named arguments, as truncate(lower=0); "" where there is none.
func clause(word string, args []*ast.Arg) string {
	if args == nil {
		return ""
	}
	return " " + word + "(" + join(args, argument) + ")"
}

// weights prints a weights clause. An expression with `^(` is put in parentheses, because outside them `^(`
// begins the power of the likelihood.
func weights(e ast.Expr) string {
	if e == nil {
		return ""
	}
	if text := Expr(e); !strings.Contains(text, "^(") || levelOf(e) == ast.Postfix {
		return " weights " + text
	}
	return " weights (" + Expr(e) + ")"
}

func power(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return " ^ (" + Expr(e) + ")"
}

func rho(t *ast.Transform) string {
	switch {
	case t.Rho != nil:
		return "(rho = " + Expr(t.Rho) + ")"
	case len(t.RhoBy) > 0:
		return "(rho = {" + join(t.RhoBy, func(r *ast.Rho) string {
			return r.Client.Name + ": " + Expr(r.Value)
		}) + "})"
	case len(t.Terms) > 0:
		return "(" + join(t.Terms, func(a *ast.Term) string {
			return a.Name.Name + " = " + Expr(a.Value)
		}) + ")"
	}
	return ""
}

func sent(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return "= " + Expr(e)
}

func from(columns []*ast.Column) string {
	if len(columns) == 0 {
		return ""
	}
	return "from " + join(columns, Column)
}

// missing prints what is done about missing cells, behind a blank where columns stand before it.
func missing(s *ast.Data) string {
	if s.Missing == nil {
		return ""
	}
	text := "missing " + s.Missing.Name
	if s.Impute != nil {
		text += " ~ " + Dist(s.Impute)
	}
	if len(s.From) > 0 {
		text = " " + text
	}
	return text
}

// Column prints one item of a `from` clause.
func Column(c *ast.Column) string {
	switch {
	case c.Encoder != nil:
		args := join(c.Args, columnArgument)
		if c.Star {
			args = strings.TrimSuffix("*, "+args, ", ")
		}
		return c.Encoder.Name + "(" + args + ")"
	case c.Star:
		return "*"
	}
	return columnName(c.Name)
}

func columnArgument(a *ast.ColumnArg) string {
	out := ""
	if a.Key != nil {
		out = a.Key.Name + "="
	}
	if a.Number != nil {
		return out + numberText(a.Number)
	}
	return out + columnName(a.Column)
}

var plainName = regexp.MustCompile(`^[\pL_][\pL\pM\pN_]*(\.[\pL_][\pL\pM\pN_]*)*$`)

func columnName(n *ast.ColumnName) string {
	if !n.Quoted && plainName.MatchString(n.Name) {
		return n.Name
	}
	return quoted(n.Name)
}

func category(c *ast.Category) string {
	if !c.Quoted {
		return c.Text
	}
	return quoted(c.Text)
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
