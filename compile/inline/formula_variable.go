package inline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// A kind says how a variable enters a predictor.
type kind int

const (
	number  kind = iota // a number a row
	factor              // a category a row, coded in columns
	columns             // several columns
)

// A variable is one that terms are products of.
type variable struct {
	key    string // as it is written
	name   string // in the names of what is written
	at     ast.At
	kind   kind
	owners types.Owners // whose data it is
	owner  *ast.Ident   // of data that are declared for it
	rows   ast.Expr     // how many
	// column is what stands in a `from` clause, nil for what is computed from data or imputed; of a factor
	// it is the column that is coded.
	column  *ast.Column
	missing *ast.Ident
	value   ast.Expr // the array of its numbers, nil where a declaration must be written
	width   ast.Expr // the number of columns of a matrix that the model declares
	first   string   // the category that is listed first, "" where none is listed
	// standardised is set where a coefficient has a scale that its default prior fits, centred where the
	// intercept has.
	standardised, centred bool
}

// variable finds what a name or a call of a formula stands for; nil after an error.
func (m *formula) variable(e ast.Expr) *variable {
	key := format.Expr(e)
	if v := m.byKey[key]; v != nil {
		return v
	}
	var v *variable
	switch e := e.(type) {
	case *ast.Name:
		v = m.named(e)
	case *ast.Call:
		v = m.function(e)
	}
	if v == nil {
		return nil
	}
	v.key, v.at, v.name = key, ast.At(e.Span()), nameFor(e)
	if v.owners == nil {
		v.owners = m.declared.Owners(e)
	}
	m.byKey[key] = v
	return v
}

// nameFor is what a variable is called in names: an encoder without its numbers, spline_bmi.
func nameFor(e ast.Expr) string {
	if c, ok := e.(*ast.Call); ok && len(c.Args) > 1 {
		return plain(c.Name.Name + " " + format.Expr(c.Args[0]))
	}
	return plain(format.Expr(e))
}

// plain makes a name of an expression.
func plain(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
	})
	return strings.Join(words, "_")
}

// named finds a declaration of data, or a let.
func (m *formula) named(e *ast.Name) *variable {
	switch s := m.declared[e.Name].(type) {
	case *ast.Let:
		return &variable{value: e}
	case *ast.Data:
		return m.ofData(s, e)
	}
	m.errorf(diag.FormulaName, e, "%s is not declared as data", e.Name).
		Note("a formula has the names of columns of tables, each declared with its owner: data %s : real[N] @ "+
			"PARTY, or data %s : level(%s)[N] for categories", e.Name, e.Name, strings.ToUpper(e.Name))
	return nil
}

func (m *formula) ofData(s *ast.Data, e *ast.Name) *variable {
	v := &variable{owner: s.Owner, missing: s.Missing, value: e}
	level := s.Type.Elem.Name == "level"
	if n := len(s.Type.Dims); n == 0 || n > 2 || level && n > 1 {
		m.errorf(diag.FormulaName, e, "%s is no column: a term has a number, a category or a row of a matrix for "+
			"each row", e.Name)
		return nil
	}
	m.used[s.Name.Name] = true
	v.rows = s.Type.Dims[0]
	v.column = &ast.Column{Name: &ast.ColumnName{Name: s.Name.Name}}
	if len(s.From) == 1 {
		v.column = s.From[0]
	}
	imputed := s.Missing != nil && s.Missing.Name == imputing
	switch {
	case level:
		v.kind, v.first = factor, m.firstOf(s.Type.Levels)
	case len(s.Type.Dims) == 2:
		v.kind, v.width, v.column = columns, s.Type.Dims[1], nil
		v.standardised = len(s.From) > 0
		for _, c := range s.From {
			v.standardised = v.standardised && scaled(c)
		}
		v.centred = v.standardised
	default:
		v.standardised = s.Type.Elem.Name == "binary" || scaled(v.column)
		v.centred = v.standardised || v.column.Encoder != nil && v.column.Encoder.Name == "center"
		if imputed || v.column.Star {
			v.column = nil
		}
	}
	return v
}

// scaled reports whether what an encoder gives has a standard deviation near 1, or is 0 and 1 or between.
func scaled(c *ast.Column) bool {
	return c.Encoder != nil && slices.Contains([]string{"zscore", "onehot", "is", "spline"}, c.Encoder.Name)
}

// firstOf is the first of the categories that a model lists.
func (m *formula) firstOf(levels ast.Expr) string {
	switch l := levels.(type) {
	case *ast.Array:
		return l.Elems[0].(*ast.Text).Text
	case *ast.Name:
		for _, s := range m.file.Stmts {
			if list, ok := s.(*ast.Levels); ok && list.Name.Name == l.Name {
				return list.Categories[0].Text
			}
		}
	}
	return ""
}

// function finds an encoder of a column, or a function.
func (m *formula) function(e *ast.Call) *variable {
	name := e.Name.Name
	encoder, encodes := m.universe.Encoder(name)
	_, function := m.universe.Func(name)
	switch {
	case name == "I" && len(e.Args) == 1:
		return &variable{value: &ast.Paren{At: e.At, X: e.Args[0]}}
	case encodes:
		return m.encoded(e, encoder)
	case function:
		return &variable{value: e}
	}
	d := m.errorf(diag.BadFormula, e, "%s(…) does not stand in a formula", name)
	if note := map[string]string{
		"s": "spline(x, 4) is a natural cubic spline", "t2": "write splines of each", "te": "write splines of each",
		"bs": "spline(x, 4) is R's ns(x, df = 4)", "ns": "spline(x, 4) is R's ns(x, df = 4)",
		"scale": "zscore(x) is R's scale(x)", "factor": "declare the column as level(K)",
		"mi": "declare the column with missing impute", "gr": "write (1 | g)", "as": "declare the column",
		"mo": "declare the column as level(K), or as real", "cs": "write the model out",
	}[name]; note != "" {
		d.Note("%s", note)
	} else {
		d.Note("there are encoders (%s), functions of one number, I(…) and offset(…)",
			strings.Join(m.universe.Encoders(), ", "))
	}
	return nil
}

// encoded is an encoder of the column that a name is declared from.
func (m *formula) encoded(e *ast.Call, encoder *def.Encoder) *variable {
	c := &ast.Column{At: e.At, Encoder: &ast.Ident{At: e.Name.At, Name: e.Name.Name}}
	var of *variable
	set := encoder.Options
	for _, arg := range e.Args {
		switch a := arg.(type) {
		case *ast.Name:
			v := m.variable(a)
			if v == nil {
				return nil
			}
			if column := sourceOf(v.column); column != nil && of == nil && encoder.Each() {
				of = v
				c.Args = append(c.Args, &ast.ColumnArg{At: a.At, Column: column})
				continue
			}
		case *ast.Number, *ast.Unary:
			n, ok := literal(a)
			if !ok || len(set) == 0 || set[0].Most == 0 && !set[0].Number {
				break
			}
			given := &ast.ColumnArg{At: ast.At(a.Span()), Number: n}
			if !set[0].Positional {
				given.Key = &ast.Ident{At: given.At, Name: set[0].Name}
			}
			c.Args, set = append(c.Args, given), set[1:]
			continue
		case *ast.Text:
			word := &ast.ColumnName{Name: a.Text, Quoted: true}
			c.Args = append(c.Args, &ast.ColumnArg{At: a.At, Column: word})
			continue
		}
		m.errorf(diag.BadFormula, arg, "an encoder in a formula takes the name of one column, and numbers").
			Note("%s; a product of columns is a:b; other matrices are declared, data X : real[N, P] from …, and X "+
				"is a term", encoder.Usage())
		return nil
	}
	if of == nil {
		m.errorf(diag.BadFormula, e, "%s needs the name of a column", e.Name.Name).Note("%s", encoder.Usage())
		return nil
	}
	v := &variable{kind: columns, owner: of.owner, rows: of.rows, missing: of.missing, column: c,
		standardised: scaled(c)}
	if v.centred = v.standardised || e.Name.Name == "center"; encoder.Elementwise {
		v.kind = number
	}
	return v
}

// sourceOf is the column of a table that one column of a matrix is computed from; nil for several.
func sourceOf(c *ast.Column) *ast.ColumnName {
	switch {
	case c == nil || c.Star:
		return nil
	case c.Name != nil:
		return c.Name
	case len(c.Args) > 0:
		return c.Args[0].Column
	}
	return nil
}

// literal reads a number with a sign.
func literal(e ast.Expr) (*ast.Number, bool) {
	switch e := e.(type) {
	case *ast.Number:
		return e, true
	case *ast.Unary:
		if n, ok := e.X.(*ast.Number); ok && e.Op == "-" {
			return &ast.Number{At: e.At, Text: "-" + n.Text, Value: -n.Value, Int: n.Int}, true
		}
	}
	return nil, false
}

func digits(k int) string { return strconv.Itoa(k) }
