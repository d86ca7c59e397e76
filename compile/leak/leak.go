// Package leak finds, without data, what would cross between parties as data although it has the form of a
// cut or of a gradient: cuts that no parameter moves, data that are added to a cut, and shared parameters
// whose gradient is a client's data or gives it away. compile.Bind finds the rest when data are bound.
package leak

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// Check examines the cuts that clients send, and what each evaluates alone. Errors are cuts that are data and
// gradients that are data, warnings are data offsets.
func Check(p *transform.Program) diag.List {
	var diags diag.List
	for _, q := range p.Parties[1:] {
		e := &examiner{reader: newReader(p.Program.Program, p.Facts, q.Name), diags: &diags}
		var sent []ast.Expr
		for _, k := range q.Sent {
			e.sent(k.Expr)
			sent = append(sent, k.Expr)
		}
		e.own(e.ownOf(p, q), sent)
	}
	return diags
}

// CheckProgram is Check for a client's program. offset reports whether a data offset in what the client sends
// under a name is listed: the others are errors.
func CheckProgram(p *check.Program, offset func(name string) bool) diag.List {
	var diags diag.List
	e := &examiner{reader: readerOf(p), diags: &diags}
	var sent []ast.Expr
	for name, x := range Sent(p) {
		e.unlisted = !offset(name)
		e.sent(x)
		sent = append(sent, x)
	}
	e.own(ownIn(e.reader), sent)
	return diags
}

// CheckBound is CheckProgram for what depends on how many elements the client's parameters have, which it
// knows when its data are bound. It also returns the parameters whose values shared ones tell.
func CheckBound(p *check.Program, length func(name string) int) (diag.List, map[string]string) {
	var diags diag.List
	e := &examiner{reader: readerOf(p), diags: &diags}
	e.length = length
	list, sent := ownIn(e.reader), slices.Collect(maps.Values(maps.Collect(Sent(p))))
	e.own(list, sent)
	return diags, e.tells(list, sent)
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

// Gradients lists the shared parameters whose gradient is data of the client that a program is for, or gives
// it away.
func Gradients(p *check.Program) []string {
	r, found, sent := readerOf(p), map[string]bool{}, []ast.Expr(nil)
	note := func(names []string) {
		for _, name := range names {
			found[name] = true
		}
	}
	for _, x := range Sent(p) {
		sent = append(sent, x)
		note(gradients(r.read(x)))
	}
	own := ownIn(r)
	told := r.tells(own, sent)
	known := r.knowing(told)
	again := known.again(own)
	for _, x := range leaving(own, sent) {
		note(told.by(known.columns(x)))
	}
	for i, t := range own {
		note(r.given(t))
		note(told.by(known.rows(t)))
		if again[i] {
			note(slices.Sorted(maps.Keys(r.namesOf(t.args...).shared)))
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// ByData lists the shared parameters in arguments of a client's likelihood, and reports those by which the
// derivative depends on the client's data: where such a derivative is 0, this is a fact about the data.
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

// gradients lists the shared parameters whose gradient gives rows away, of a cut in a form: see bare and
// apart.
func gradients(f form) []string {
	found := apart(f)
	for _, name := range bare(f) {
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// bare lists the shared parameters by which the derivative of a form depends, along some path, on data and on
// no parameter of the client.
func bare(f form) []string {
	paths := f.paths()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(paths)), func(name string) bool {
		return !paths[name].data()
	})
}

// apart finds the shared parameters by which the derivative of a cut is not a function of the cut and of what
// all know. Parameters of the client that multiply data leave a receiver of the cut with the span of these:
// its coordinates are the client's. A shared parameter that multiplies some of the columns, and others not,
// or others in other ways, has a gradient that tells the columns apart, round by round, until each is known.
// So all terms of a cut that are functions of data must have the same factor of shared parameters, up to a
// number, and none within them. Where the cut is a function of one expression that it tells, as tanh(k + x *
// b) is, this holds for the expression.
func apart(f form) map[string]bool {
	if inner := within(f); inner != nil {
		return apart(inner)
	}
	found, factors := map[string]bool{}, map[string][]term{}
	for _, t := range f {
		if t.deps()&onData == 0 {
			continue
		}
		factor, rest := t.parts(outside)
		for name := range rest.paths() {
			found[name] = true
		}
		factor.coef = t.coef
		factors[rest.key()] = append(factors[rest.key()], factor)
	}
	first, unlike := "", false
	names := map[string]bool{}
	for _, terms := range factors {
		s := sum(terms)
		for name := range s.paths() {
			names[name] = true
		}
		if text := proportion(s).String(); first == "" {
			first = text
		} else {
			unlike = unlike || text != first
		}
	}
	if unlike {
		maps.Copy(found, names)
	}
	return found
}

// outside reports values that neither the data nor the parameters of the client enter.
func outside(a *atom) bool { return a.deps&(onData|onPrivate) == 0 }

// proportion divides a factor by what all know in its first term: in equal ones shared parameters have equal
// shares.
func proportion(f form) form {
	if len(f) == 0 {
		return nil
	}
	known, _ := f[0].parts(func(a *atom) bool { return a.deps == 0 })
	known.coef = f[0].coef
	return product(form{known.raised(-1)}, f)
}

// within is the expression that the one term with data tells; nil where there are more, or nothing is told.
func within(f form) form {
	f = slices.DeleteFunc(slices.Clone(f), func(t term) bool { return t.deps()&onData == 0 })
	if len(f) != 1 {
		return nil
	}
	if _, rest := f[0].parts(outside); len(rest.factors) == 1 && rest.factors[0].power == 1 {
		return rest.factors[0].inner
	}
	return nil
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
	if data := bare(f); len(data) > 0 {
		for _, name := range data {
			e.gradient(x, name,
				"be data of %[2]s: the derivative of this in %[1]s depends on its data and "+
					"on none of its parameters")
		}
		return
	}
	for _, name := range gradients(f) {
		e.gradient(x, name,
			"give columns of %[2]s away: %[1]s is not one number that multiplies all that "+
				"depends on its data here")
	}
}

func (e *examiner) fixed(x ast.Expr, f form) {
	e.diags.Errorf(diag.DataCut, e.File.Source, x.Span(),
		"no parameter moves this: it is %s for every value of the parameters, and a client "+
			"sends no data as they are", f).
		Note("own the parameter that multiplies the data at %s, or declare the data `@ shared`", e.client)
}

func (e *examiner) offset(x ast.Expr, terms []string) {
	text := strings.Join(terms, ", ")
	if e.unlisted {
		e.diags.Errorf(diag.DataOffset, e.File.Source, x.Span(),
			"data of %s, %s, are added to what it sends, and the manifest lists no data offset here",
			e.client, text)
		return
	}
	e.diags.Warnf(diag.DataOffset, e.File.Source, x.Span(),
		"%s is data of %s that no parameter multiplies: whoever receives this can "+
			"recover it, whatever the noise", text, e.client).
		Note("if every party may hold it, declare it `@ shared`: it then stays out of what is sent; "+
			"otherwise %s takes it as it is", diag.AcceptFlag(diag.DataOffset))
}

func (e *examiner) gradient(x ast.Expr, name, why string) {
	d := e.diags.Errorf(diag.GradientLeak, e.File.Source, x.Span(),
		"the gradient of the shared parameter %s would "+why, name, e.client)
	or := ""
	if param, ok := e.centring(name); ok {
		d.Note("leave out `noncentered` in the declaration of %s: the gradient of %s is "+
			"then a function of %s alone", param, name, param)
		or = "or "
	}
	d.Note("%sown %s at %s (`@ %s`); %s takes it as it is", or, name, e.client, e.client,
		diag.AcceptFlag(diag.GradientLeak))
}

// centring is the noncentered parameter with a shared one in its location or scale of which, written centred,
// that one would tell no value.
func (e *examiner) centring(shared string) (string, bool) {
	param, ok := e.located[shared]
	return param, ok && e.Symbols[shared].Type.Scalar() && !e.Symbols[param].Type.Scalar()
}
