package leak

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// A plain cut has no private data in it but categories and columns of two values, which can be found in a
// cut: v, exp(v) or v[g]. It tells parameters in every evaluation. A cut that is data times these, as X * v,
// is then one linear equation in each row each time, and as many evaluations as there are columns solve it.

// A system is cuts of one number each, and the numbers that they are functions of.
type system struct {
	cuts  []ast.Expr
	names map[string]bool
}

// plain is a reader to which parameters that plain cuts tell are known, with how: each with such a cut.
// Numbers in a likelihood of the client do as much where it has shared parameters.
func (r *reader) plain(list []ownTerm, sent []ast.Expr) *reader {
	known, out := r.knowing(nil), told{}
	known.found = true
	var systems []system
	for _, x := range sent {
		if !known.isPlain(x) {
			continue
		}
		if known.facts(x).Type.Scalar() {
			systems = known.join(systems, x)
			continue
		}
		known.tellsArrays(x, out)
	}
	for _, x := range known.numberArguments(list) {
		systems = known.join(systems, x)
	}
	for _, s := range systems {
		if len(s.cuts) >= len(s.names) {
			for name := range s.names {
				out[name] = format.Expr(s.cuts[0])
			}
		}
	}
	r.byElements(systems, out)
	partly := known.partly(systems, out)
	known = r.knowing(out)
	known.found, known.partial = true, partly
	return known
}

// numberArguments are those without data of likelihoods that a client evaluates whose arguments are numbers,
// shared parameters among them: the gradients of these, and its log density, are functions of these few.
func (r *reader) numberArguments(list []ownTerm) (out []ast.Expr) {
	for _, t := range list {
		shared, numbers := false, t.prior == nil && !t.home
		var plain []ast.Expr
		for _, e := range t.args {
			if e == nil {
				continue
			}
			shared = shared || r.deps(e)&onShared != 0
			numbers = numbers && r.facts(e).Type.Scalar()
			if r.isPlain(e) {
				plain = append(plain, e)
			}
		}
		if shared && numbers {
			out = append(out, plain...)
		}
	}
	return out
}

func (r *reader) isPlain(x ast.Expr) bool { return r.deps(x)&(onData|onPrivate) == onPrivate }

// tellsArrays adds the parameters that a cut of several numbers tells: those of no more axes, unless another
// has an element for each row, which hides the rest, or they are added up by groups.
func (r *reader) tellsArrays(x ast.Expr, to told) {
	own, l, added := r.namesOf(x).own, r.cut(x), r.byGroups(x)
	for name, s := range own {
		hidden := added[name] != nil
		for other, o := range own {
			hidden = hidden || other != name && l.each(o.Type)
		}
		if !hidden && len(s.Type.Dims) <= len(r.facts(x).Type.Dims) {
			to[name] = format.Expr(x)
		}
	}
}

// byGroups are the parameters in functions by groups.
func (r *reader) byGroups(x ast.Expr) map[string]*check.Symbol {
	out := map[string]*check.Symbol{}
	r.expanded(x, map[string]bool{}, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if f, ok := r.Universe.Structural(call.Name.Name); ok && f.ByGroups {
				maps.Copy(out, r.namesOf(call).own)
			}
		}
		return true
	})
	return out
}

// expanded walks an expression and, once each, the lets in it, which may be recursions.
func (r *reader) expanded(e ast.Expr, seen map[string]bool, visit func(ast.Node) bool) {
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && !seen[name.Name] {
			seen[name.Name] = true
			if s := r.Symbols[name.Name]; s != nil && s.Leaves() != nil {
				r.expanded(s.Leaves(), seen, visit)
			} else if s != nil && s.Kind == check.Let {
				r.expanded(s.Decl.(*ast.Let).Value, seen, visit)
			}
		}
		return visit(n)
	})
}

// join adds a cut of one number to the system of those with which it has a number in common.
func (r *reader) join(systems []system, x ast.Expr) []system {
	s := system{[]ast.Expr{x}, map[string]bool{}}
	r.numbers(x, s.names)
	return append(slices.DeleteFunc(systems, func(o system) bool {
		for name := range o.names {
			if s.names[name] {
				s.cuts = append(s.cuts, o.cuts...)
				maps.Copy(s.names, o.names)
				return true
			}
		}
		return false
	}), s)
}

// numbers finds the elements and the parameters that are numbers in an expression. An array that is not taken
// by element stands for more than can be told, with a name for each of two elements.
func (r *reader) numbers(e ast.Expr, found map[string]bool) {
	r.expanded(e, map[string]bool{}, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Index:
			if r.facts(x).Type.Scalar() && !r.counted(x) && r.isPlain(x) {
				found[format.Expr(x)] = true
				return false
			}
		case *ast.Name:
			s := r.Symbols[x.Name]
			if s != nil && s.Kind == check.Param && s.Owner == r.client {
				found[s.Name] = true
				if !s.Type.Scalar() {
					found[s.Name+"[…]"] = true
				}
			}
		}
		return true
	})
}

// byElements adds arrays of which cuts of one number tell as many as there are elements, where that is known.
func (r *reader) byElements(systems []system, to told) {
	equations := map[string]int{}
	for _, s := range systems {
		for _, x := range s.cuts {
			own := r.namesOf(x).own
			for name, o := range own {
				if equations[name]++; len(own) == 1 && equations[name] >= r.elements(o) {
					to[name] = format.Expr(x)
				}
			}
		}
	}
}

// partly adds arrays of which cuts tell an element. The others move with little regard to it, so that
// regression on it gives its column in a cut with several, nearly. They are not known alone: it returns these
// arrays.
func (r *reader) partly(systems []system, to told) map[string]bool {
	out := map[string]bool{}
	for _, s := range systems {
		for _, x := range s.cuts {
			for name, o := range r.namesOf(x).own {
				for element := range s.names {
					of, _, is := strings.Cut(element, "[")
					if is && of == name && to[element] != "" && to[name] == "" && !o.Type.Scalar() {
						to[name], out[name] = to[element], true
					}
				}
			}
		}
	}
	return out
}

// elements is how many a parameter has, or more than there are cuts where that is not known.
func (r *reader) elements(s *check.Symbol) int {
	if r.length != nil {
		return r.length(s.Name)
	}
	n := 1
	for _, d := range s.Type.Dims {
		k, ok := d.Int()
		if !ok {
			return maxElements
		}
		n *= k
	}
	return n
}

const maxElements = 1 << 30

// dataTimes lists the told parameters that are all that multiplies data in an expression, but for what all
// know: of a function that tells its argument, in the argument. What elements of an array multiply may also
// depend on the client's parameters, as the columns of a Gaussian process do: few numbers beside the rows.
func (r *reader) dataTimes(x ast.Expr) []string {
	f := r.read(x)
	for inner := within(f); inner != nil; inner = within(f) {
		f = inner
	}
	names := bare(f)
	for name, w := range f.paths() {
		if r.partial[name] && !w.data() && w&way(onData|onPrivate) != 0 {
			names = append(names, name)
		}
	}
	return r.onlyTold(slices.Values(names))
}

// byPlainCuts lists for each of what leaves a client the parameters by which plain cuts give its rows away,
// and the cuts that do.
func (r *reader) byPlainCuts(list []ownTerm, leaving []ast.Expr) (names [][]string, by told) {
	known := r.plain(list, leaving)
	names = make([][]string, len(leaving))
	for i, x := range leaving {
		names[i] = known.dataTimes(x)
	}
	return names, known.told
}

// RowsByPlainCuts lists the data of a client whose rows follow from cuts, since others tell the parameters.
func RowsByPlainCuts(p *check.Program) (out []string) {
	r := readerOf(p)
	list := ownIn(r)
	sent := leaving(list, slices.Collect(maps.Values(maps.Collect(Sent(p)))))
	names, _ := r.byPlainCuts(list, sent)
	for i, x := range sent {
		if len(names[i]) > 0 {
			out = append(out, slices.Sorted(maps.Keys(r.namesOf(x).data))...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plainly reports cuts whose parameters plain cuts tell.
func (e *examiner) plainly(list []ownTerm, sent []ast.Expr) {
	names, by := e.byPlainCuts(list, sent)
	for i, x := range sent {
		if len(names[i]) == 0 {
			continue
		}
		list := strings.Join(names[i], ", ")
		d := e.diags.Errorf(diag.GradientLeak, e.File.Source, x.Span(),
			"%s also stands in `%s`, without data of %s: what %[3]s sends tells its value in every round, and "+
				"this, its data times a known number, gives columns of %[3]s away", list, by[names[i][0]], e.client)
		d.Note("give the two parameters of their own; %s takes it as it is", diag.AcceptFlag(diag.GradientLeak))
	}
}

// canBeFound reports data of which a cut tells the rows in any case: categories, and two values.
func canBeFound(t types.Type) bool { return t.Elem == types.Level || t.Elem == types.Binary }
