// Package leak finds, without data, what would cross between parties as data although it has the form of a cut or of a gradient: cuts that no parameter
// moves, data that are added to a cut, and shared parameters whose gradient is a client's data. Package atload finds the rest when data are bound.
package leak

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// Check examines the cuts that clients send. Errors are cuts that are data and gradients that are data, warnings are data offsets.
func Check(p *transform.Program) diag.List {
	var diags diag.List
	for _, q := range p.Parties[1:] {
		e := &examiner{reader: newReader(p.Program.Program, p.Facts, q.Name), diags: &diags}
		for _, k := range q.Sent {
			e.sent(k.Expr)
		}
	}
	return diags
}

// CheckProgram is Check for a client's program. offset reports whether a data offset in what the client sends under a name is listed: the others are errors.
func CheckProgram(p *check.Program, offset func(name string) bool) diag.List {
	var diags diag.List
	e := &examiner{reader: readerOf(p), diags: &diags}
	for name, x := range Sent(p) {
		e.unlisted = !offset(name)
		e.sent(x)
	}
	return diags
}

// Sent returns what a client's program sends besides noise, by name.
func Sent(p *check.Program) func(yield func(string, ast.Expr) bool) {
	return func(yield func(string, ast.Expr) bool) {
		for _, s := range p.Order {
			if x := s.Leaves(); x != nil && !yield(s.Name, x) {
				return
			}
		}
	}
}

// Offsets lists the data offsets in an expression of a client's program.
func Offsets(p *check.Program, e ast.Expr) []string {
	return offsets(readerOf(p).read(e))
}

// OffsetsOf is Offsets for a cut of a model.
func OffsetsOf(p *transform.Program, client string, e ast.Expr) []string {
	return offsets(newReader(p.Program.Program, p.Facts, client).read(e))
}

// Gradients lists the shared parameters whose gradient is data of the client that a program is for.
func Gradients(p *check.Program) []string {
	r, found := readerOf(p), map[string]bool{}
	for _, x := range Sent(p) {
		for _, name := range gradients(r.read(x)) {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// ByData lists the shared parameters in arguments of a client's likelihood, and reports those by which the derivative depends on the client's data: where
// such a derivative is 0, this is a fact about the data.
func ByData(p *check.Program, args []ast.Expr) map[string]bool {
	r, out := readerOf(p), map[string]bool{}
	for _, a := range args {
		if a == nil {
			continue
		}
		for name, w := range r.read(a).paths() {
			out[name] = out[name] || w&(way(onData)|way(onData|onPrivate)) != 0
		}
	}
	return out
}

// offsets lists the terms that are data of the client without a parameter.
func offsets(f form) []string {
	var out []string
	for _, t := range f {
		if t.deps() == onData {
			out = append(out, t.String())
		}
	}
	return out
}

// gradients lists the shared parameters by which the derivative of a form depends, along some path, on data and on no parameter of the client.
func gradients(f form) []string {
	paths := f.paths()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(paths)), func(name string) bool { return !paths[name].data() })
}

type examiner struct {
	*reader
	diags    *diag.List
	unlisted bool // data offsets are errors
}

// sent examines one expression that the client sends.
func (e *examiner) sent(x ast.Expr) {
	f := e.read(x)
	if f.deps()&(onPrivate|onShared) == 0 {
		e.fixed(x, f)
		return
	}
	if off := offsets(f); len(off) > 0 {
		e.offset(x, off)
	}
	for _, name := range gradients(f) {
		e.gradient(x, name)
	}
}

func (e *examiner) fixed(x ast.Expr, f form) {
	e.diags.Errorf(diag.DataCut, e.File.Source, x.Span(), "no parameter moves this: it is %s for every value of the parameters, and data never leave a client", f).
		Note("own the parameter that multiplies the data at %s, or declare the data `@ shared`", e.client)
}

func (e *examiner) offset(x ast.Expr, terms []string) {
	text := strings.Join(terms, ", ")
	if e.unlisted {
		e.diags.Errorf(diag.DataOffset, e.File.Source, x.Span(), "data of %s, %s, are added to what it sends, and the manifest lists no data offset here", e.client, text)
		return
	}
	e.diags.Warnf(diag.DataOffset, e.File.Source, x.Span(), "%s is data of %s that no parameter multiplies: whoever receives this can recover it, whatever the noise", text, e.client).
		Note("if every party may hold it, declare it `@ shared`: it then stays out of what is sent; otherwise %s takes it as it is", accept.Flag(diag.DataOffset))
}

func (e *examiner) gradient(x ast.Expr, name string) {
	d := e.diags.Errorf(diag.GradientLeak, e.File.Source, x.Span(), "the gradient of the shared parameter %s would be data of %s: the derivative of this in %s depends on its data and on none of its parameters", name, e.client, name)
	or := ""
	if param, ok := e.located[name]; ok {
		d.Note("leave out `noncentered` in the declaration of %s: the gradient of %s is then a function of %s alone", param, name, param)
		or = "or "
	}
	d.Note("%sown %s at %s (`@ %s`); %s takes it as it is", or, name, e.client, e.client, accept.Flag(diag.GradientLeak))
}
