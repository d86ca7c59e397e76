package ast

// Fn is `fn NAME(args) = EXPR`, or `fn NAME(args) { let …; param …; weight …; return EXPR }`.
type Fn struct {
	At
	Name  Ident
	Args  []*FnArg
	Body  []Inner
	Block bool // written with braces
	Value Expr
	Plain Expr // nil with braces
}

// Result is what a call of the function stands for.
func (f *Fn) Result() Expr {
	if f.Plain != nil {
		return f.Plain
	}
	return f.Value
}

// Inner is a statement inside a function: a Let, a Param or a Weight.
type Inner interface {
	Stmt
	inner()
}

// FnArg is an argument of a function: a name, or `[a, b]`, names of the elements of an array.
type FnArg struct {
	At
	Name  *Ident
	Elems []*Ident
}

// Names returns the names that an argument declares.
func (a *FnArg) Names() []*Ident {
	if a.Name != nil {
		return []*Ident{a.Name}
	}
	return a.Elems
}

// Import is `import NAME`, a module of the standard library, or `import "./FILE.vfl"`, a file beside the
// model.
type Import struct {
	At
	Name *Ident
	Path string // without the quotes
}

// Distribution is `dist NAME(y | args) = EXPR`, the log density of a value y, or
// `dist NAME(y : TYPE | a : TYPE, …) { let …; log = …; cdf = …; ccdf = …; mean = …; generate … }`.
type Distribution struct {
	At
	Name  Ident
	Value *DistArg
	Args  []*DistArg
	Body  []Stmt // a Let, a Body or a Generate each, in order
	Plain Expr   // nil with braces
}

// DistArg is the value or an argument of a declared distribution. Type is nil where it is not written: real.
type DistArg struct {
	At
	Name Ident
	Type *Type
}

// Names returns the names of the value and of the arguments.
func (d *Distribution) Names() []string {
	out := []string{d.Value.Name.Name}
	for _, a := range d.Args {
		out = append(out, a.Name.Name)
	}
	return out
}
