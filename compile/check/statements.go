package check

import (
	"math"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// statement checks a statement, and returns it with the sizes that it takes of expressions.
func (c *checker) statement(s ast.Stmt) ast.Stmt {
	if c.misplaced(s) {
		return s
	}
	s, ok := c.withSizes(s)
	if !ok {
		return s
	}
	switch s := s.(type) {
	case *ast.Data:
		s = c.imputing(s)
		c.data(s)
		return s
	case *ast.Param:
		c.param(s)
	case *ast.Contribution:
		c.contribution(s)
	case *ast.Weight:
		c.weight(s)
	case *ast.Let:
		c.let(s)
	case *ast.Generate:
		c.generate(s)
	case *ast.Const:
		c.constant(s)
	case *ast.Distribution:
		return c.declares(s)
	case *ast.Levels:
		c.levels(s)
	case *ast.Likelihood:
		c.likelihood(s)
	case *ast.Factor:
		c.factor(s)
	case *ast.Transform:
		if c.stmt != nil {
			c.errorf(diag.DeclaredTwice, s, "there can be one transform").NoteAt(c.File.Source, c.stmt.Span(),
				"the first is here")
			return s
		}
		c.stmt = s
	case *ast.Aux:
		c.aux(s)
	case *ast.Receive:
		c.receive(s)
	case *ast.Send:
		c.send(s)
	}
	return s
}

// misplaced reports statements of party programs in a model and the reverse.
func (c *checker) misplaced(s ast.Stmt) bool {
	word, party := "", false
	switch s := s.(type) {
	case *ast.Aux:
		word, party = "aux", true
	case *ast.Receive:
		word, party = "receive", true
	case *ast.Send:
		word, party = "send", true
	case *ast.Likelihood:
		if s.Power == nil || c.For != "" {
			return false
		}
		c.errorf(diag.Misplaced, s.Power, "a power on a likelihood belongs to party programs").
			Note("write `transform power(rho = 1)` and the compiler sets the powers; to " +
				"weight rows use `weights`")
		return true
	case *ast.Transform:
		word = "transform"
	case *ast.Server:
		word = "server"
	case *ast.Fn:
		word = "fn"
	case *ast.Import:
		word = "import"
	case *ast.Private, *ast.Body:
		c.errorf(diag.BadPrivate, s,
			"a client's module is a file of its own, which is compiled with its model").
			Note("vflc check MODEL --module CLIENT=FILE checks it")
		return true
	case *ast.Let:
		word = "let"
	default:
		return false
	}
	if party == (c.For != "") {
		return false
	}
	c.fail(declared(s))
	if party {
		c.errorf(diag.Misplaced, s, "`%s` belongs to party programs, which the compiler writes", word).
			Note("a model declares owners with `@`; `vflc compile --split-by client` " +
				"makes the party programs")
	} else {
		c.errorf(diag.Misplaced, s, "`%s` does not belong in a party program", word)
	}
	return true
}

// declared is the name that a statement declares, "" for none.
func declared(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.Aux:
		return s.Name.Name
	case *ast.Receive:
		return s.Name.Name
	case *ast.Let:
		return s.Name.Name
	}
	return ""
}

// fail marks a name whose declaration is wrong, so that its uses are not reported as well.
func (c *checker) fail(name string) { c.failed[name] = true }

func (c *checker) data(s *ast.Data) {
	owner, family, ok := c.owner(s.Owner)
	c.family = ""
	if family {
		c.family = owner
	}
	defer func() { c.family = "" }()
	t, lower, upper, ok2 := c.declaredType(s.Type)
	if !ok || !ok2 {
		c.fail(s.Name.Name)
		return
	}
	c.columns(s, t)
	c.missing(s, t, owner)
	c.declare(&Symbol{Name: s.Name.Name, Kind: Data, Ident: s.Name, Decl: s, Type: t, Owner: owner,
		Family: family, Lower: lower, Upper: upper})
}

// columns checks a `from` clause against the universe's encoders and the declared type.
func (c *checker) columns(s *ast.Data, t types.Type) {
	for _, col := range s.From {
		if col.Star && len(t.Dims) < 2 {
			c.errorf(diag.BadFrom, col, "`*` gives a matrix, but %s is %s", s.Name.Name, t)
		}
		if col.Encoder == nil {
			continue
		}
		e, ok := c.Universe.Encoder(col.Encoder.Name)
		if !ok {
			d := c.errorf(diag.BadFrom, col.Encoder, "%q is not an encoder", col.Encoder.Name)
			if elsewhere(d, diag.Encoders, *col.Encoder, always) {
				continue
			}
			if near := Nearest(col.Encoder.Name, c.Universe.Encoders()); near != "" {
				perhaps(d, near)
			} else {
				d.Note("this version has %s", list(c.Universe.Encoders()))
			}
			continue
		}
		if t.Elem != types.Real && (!e.Whole || t.Elem == types.Level) {
			c.errorf(diag.BadFrom, col.Encoder, "%s gives real numbers, but %s is %s", e.Name, s.Name.Name,
				t).
				Note("declare it real, or bind the column itself")
			continue
		}
		args := EncoderArguments(e, col)
		if _, err := e.Settings(args.Count(), args.Further, args.Named); err != nil {
			c.errorf(diag.BadFrom, col, "%v", err).Note("`vflc doc %s` describes it", e.Name)
		}
		if len(t.Dims) == 1 && e.Each() && len(args.Columns) > 1 {
			c.errorf(diag.BadFrom, col, "%s is a vector: it takes one column", s.Name.Name).
				Note("declare it as a matrix, as real[%s, P], to bind several", t.Dims[0])
		}
	}
	if len(t.Dims) == 1 && len(s.From) > 1 {
		c.errorf(diag.BadFrom, s.From[1], "%s is a vector: it takes one column",
			s.Name.Name).Note("declare it as a matrix, as real[%s, P], to bind several", t.Dims[0])
	}
	if len(t.Dims) != 1 && len(t.Dims) != 2 && len(s.From) > 0 {
		c.errorf(diag.BadFrom, s.From[0], "`from` gives a vector or a matrix, but %s is %s", s.Name.Name, t)
	}
}

// EncoderArgs are the arguments of an encoder by their roles.
type EncoderArgs struct {
	Star    bool // all columns, each by itself
	Columns []string
	Further []string    // those that follow the columns, as written
	Named   [][2]string // name and value
}

// Count is the number of columns, 1 for all.
func (a EncoderArgs) Count() int {
	if a.Star {
		return 1
	}
	return len(a.Columns)
}

// EncoderArguments sorts the arguments in a call of an encoder: as many names as it has columns are columns,
// of one that takes one column as many as its settings leave.
func EncoderArguments(e *def.Encoder, c *ast.Column) EncoderArgs {
	out := EncoderArgs{Star: c.Star}
	room := 0
	if !c.Star {
		for _, a := range c.Args {
			if a.Key == nil {
				room++
			}
		}
		room = e.Room(room)
	}
	for _, a := range c.Args {
		text := ""
		if a.Column != nil {
			text = a.Column.Name
		} else {
			text = strings.ReplaceAll(a.Number.Text, "_", "")
		}
		switch {
		case a.Key != nil:
			out.Named = append(out.Named, [2]string{a.Key.Name, text})
		case a.Column != nil && len(out.Columns) < room && len(out.Further) == 0:
			out.Columns = append(out.Columns, text)
		default:
			out.Further = append(out.Further, text)
		}
	}
	return out
}

// declaredType resolves a type with its bounds.
func (c *checker) declaredType(t *ast.Type) (out types.Type, lower, upper ast.Expr, ok bool) {
	ok = true
	if t == nil {
		return types.Type{}, nil, nil, true
	}
	switch t.Elem.Name {
	case "real":
	case "int":
		out.Elem = types.Int
	case "binary":
		out.Elem = types.Binary
	case "count":
		out.Elem = types.Count
	case "level":
		out.Elem = types.Level
	default:
		if s, ok := c.Universe.Structured(t.Elem.Name); ok {
			c.notHere(t, s)
			return out, nil, nil, false
		}
		d := c.errorIn(t, diag.UnknownType, t.Elem, "%q is not a type", t.Elem.Name)
		if elsewhere(d, diag.Types, t.Elem, always) {
			return out, nil, nil, false
		}
		if near := Nearest(t.Elem.Name, append([]string{"real", "int", "binary", "count", "level"},
			c.Universe.StructuredTypes()...)); near != "" {
			d.Note("did you mean %s? a type says which values a name has, so that none is put in by itself",
				near)
		} else {
			d.Note("types are real, int, binary, count and level(R); of parameters also %s",
				list(c.Universe.StructuredTypes()))
		}
		return out, nil, nil, false
	}
	if out.Elem == types.Level {
		if t.Levels == nil {
			c.errorf(diag.UnknownType, t,
				"a level needs its number of categories, as level(R)").Fix(
				source.Span{Start: t.Elem.Span().End, End: t.Elem.Span().End}, "(R)",
				"name it, and the data will bind it",
			)
			return out, nil, nil, false
		}
		r, k := c.size(t.Levels)
		out.Levels, ok = &r, k && ok
	} else if t.Levels != nil {
		c.errorf(diag.UnknownType, t.Levels, "%s has no categories",
			t.Elem.Name).Note("only level(R) has; a shape goes in brackets, as %s[N]", t.Elem.Name)
		ok = false
	}
	for _, d := range t.Dims {
		s, k := c.size(d)
		out.Dims, ok = append(out.Dims, s), k && ok
	}
	if len(out.Dims) > 3 {
		c.errorf(diag.UnknownType, t, "a value has at most three dimensions").
			Note("join two of them: an axis of R * S elements, and a level of as many categories to index it")
		ok = false
	}
	for _, b := range t.Bounds {
		lower, upper = c.bound(b, lower, upper)
	}
	low, known := c.ConstValue(lower)
	if high, both := c.ConstValue(upper); known && both && low > high {
		c.errorf(diag.BadBounds, t, "the lower bound is %v and the upper bound %v: no value lies between",
			low, high)
		ok = false
	}
	return out, lower, upper, ok
}

func (c *checker) bound(b *ast.Bound, lower, upper ast.Expr) (ast.Expr, ast.Expr) {
	info, ok := c.expr(b.Value)
	if ok && info.Random {
		c.errorf(diag.BadBounds, b.Value, "a bound is a constant, but this depends on a parameter").
			Note("declare param u ~ uniform(0, 1) and compute the value, as low + (high - low) * u; " +
				"probabilities that sum to 1 are a simplex")
	} else if ok && (!info.Type.Scalar() || !c.dataBounds && !c.constantExpr(b.Value)) {
		c.errorf(diag.BadBounds, b.Value,
			"a bound is a constant").Note("it may use numbers, consts and sizes; that of a parameter which " +
			"is not shared also scalar data of its owner")
	}
	switch b.Which.Name {
	case "lower":
		return b.Value, upper
	case "upper":
		return lower, b.Value
	}
	c.errorf(diag.BadBounds, b.Which, "%q is not a bound", b.Which.Name).Note("bounds are lower and upper")
	return lower, upper
}

// constantExpr reports whether an expression uses numbers, consts and sizes only.
func (c *checker) constantExpr(e ast.Expr) bool {
	constant := true
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			if s := c.Symbols[name.Name]; s != nil && s.Kind != Const {
				constant = false
			}
		}
		return true
	})
	return constant
}

func (c *checker) let(s *ast.Let) {
	var owner string
	var family, ok = false, true
	if s.Owner != nil {
		owner, family, ok = c.owner(s.Owner)
	}
	if family {
		c.family = owner
	}
	defer func() { c.family = "" }()
	if r, is := s.Value.(*ast.Recur); is && r.Ode == nil && !c.namesItself(s, r) {
		c.fail(s.Name.Name)
		return
	}
	info, ok2 := c.expr(s.Value)
	t, _, _, ok3 := c.declaredType(s.Type)
	if !ok || !ok2 || !ok3 {
		c.fail(s.Name.Name)
		return
	}
	if s.Type != nil {
		if !t.SameShape(info.Type) || (t.Elem != info.Type.Elem && t.Elem != types.Real) {
			c.errorf(diag.LetType, s.Value, "%s is declared %s, but this is %s", s.Name.Name, t, info.Type)
			c.fail(s.Name.Name)
			return
		}
	}
	if s.Owner != nil {
		c.assertOwner(s, owner, info.Owners)
	}
	c.declare(&Symbol{Name: s.Name.Name, Kind: Let, Ident: s.Name, Decl: s, Type: info.Type, Owner: owner,
		Family: family, Owners: info.Owners, Random: info.Random})
}

func (c *checker) constant(s *ast.Const) {
	value, ok := c.options.Set[s.Name.Name]
	if !ok {
		value, ok = c.ConstValue(s.Value)
	}
	if !ok {
		if info, typed := c.expr(s.Value); typed {
			d := c.errorf(diag.NotConst, s.Value, "a const uses only numbers and other consts")
			if len(info.Owners) == 0 && !info.Type.Scalar() {
				d.Message = "a const is one number, but this is an array"
				d.Fix(source.Span{Start: s.Span().Start, End: s.Span().Start + len("const")}, "let",
					"name the array")
			} else {
				d.Note("for something that depends on data, write `let`")
			}
		}
		c.fail(s.Name.Name)
		return
	}
	t := types.Type{}
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		t.Elem = types.Int
	}
	if size := c.Sizes[s.Name.Name]; len(size.Owners) > 0 && (t.Elem != types.Int || value < 0) {
		c.errorf(diag.NotSize, s.Value, "%s is used as a size, so it must be a whole number ≥ 0, not %v",
			s.Name.Name, value)
	}
	c.declare(&Symbol{Name: s.Name.Name, Kind: Const, Ident: s.Name, Decl: s, Type: t, Owner: Shared,
		Value: value})
}

func (c *checker) likelihood(s *ast.Likelihood) {
	if n, ok := s.Left.(*ast.Name); ok {
		if sym := c.Symbols[n.Name]; sym != nil && sym.Family && c.For == "" {
			c.family = sym.Owner // a family's response: one term per member
		}
	}
	family := c.family
	defer func() { c.family = "" }()
	left, ok := c.expr(s.Left)
	if !ok {
		c.dist(s.Dist)
		return
	}
	if left.Random && !c.leftSide(s) {
		return
	}
	dist, args, owners, random, ok := c.clauses(s.Dist, s.Truncate, s.Censor, left.Type, "the left side")
	if !ok || dist == nil {
		return
	}
	if left.Type.Elem == types.Level && dist.Support != def.Codes {
		c.errorf(diag.WrongElement, s.Left, "a level cannot be the outcome of %s", dist.Name).
			Note("categories are the outcome of %s", list(c.withSupport(def.Codes)))
		return
	}
	if dist.Discrete && !left.Type.Elem.Integral() {
		d := c.errorf(diag.WrongElement, s.Left,
			"%s is a distribution of whole numbers, but the left side is %s", dist.Name, left.Type)
		if dist.Support == def.Codes {
			d.Note("declare it as level(K), a category")
		} else {
			d.Note("declare it as binary or count")
		}
		return
	}
	owners = owners.Join(left.Owners)
	if s.Weights != nil {
		w, good := c.expr(s.Weights)
		if !good {
			return
		}
		if w.Random {
			c.errorf(diag.MustBeData, s.Weights, "weights are data")
		}
		if v, ok := c.ConstValue(s.Weights); ok && !(v >= 0) {
			c.errorf(diag.BadConstant, s.Weights, "weights are 0 or positive, but this is %g", v)
		}
		weighted := outcomes(dist, left.Type)
		fits, told := c.goes(s.Weights, 0, weighted, "the weight", "the left side")
		if !fits && !told {
			c.errorf(diag.ArgShape, s.Weights, "the weights are %s, but the left side is %s", w.Type,
				left.Type)
		}
		owners = owners.Join(w.Owners)
	}
	if s.Power != nil && !c.constantExpr(s.Power) {
		c.errorf(diag.NotConst, s.Power, "the power of a likelihood is a constant")
	} else if s.Power != nil {
		c.expr(s.Power)
	}
	if !random && !left.Random && c.For == "" {
		c.diags.Warnf(diag.Unused, c.File.Source, s.Span(),
			"no parameter enters this likelihood: it is a constant")
	}
	c.Likelihoods = append(c.Likelihoods,
		&Likelihood{Stmt: s, Dist: dist, Args: args, Owners: owners, Family: family})
}
