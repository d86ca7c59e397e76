package leak

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
)

// A choice is one term of one argument.
type choice struct {
	arg int
	term
}

// An operation is a call of a function, or what is like one. linear is as in def.Structural; more is on what
// it depends besides its arguments, scalar that its value is one number, and tells that it tells its
// arguments, once the others are known, as an increasing function does.
type operation struct {
	name   string
	linear [][]int
	more   deps
	scalar bool
	tells  bool
}

// of is the value of an operation. It is multiplied out over the terms of the arguments in which it is
// linear, and numbers that multiply such a term multiply the value.
func (o operation) of(args []form) form {
	linear := o.linear
	count, groups := 1, make([][]choice, len(linear))
	for g, group := range linear {
		for _, i := range group {
			for _, t := range args[i] {
				groups[g] = append(groups[g], choice{i, t})
			}
		}
		if count *= len(groups[g]); count == 0 {
			return nil
		}
		if count > maxTerms {
			return o.atom(args, texts(args))
		}
	}
	var out []term
	for n := range count {
		outside, chosen := term{coef: 1}, map[int]term{}
		for _, g := range groups {
			c := g[n%len(g)]
			n /= len(g)
			numbers, rest := c.parts(func(a *atom) bool { return a.scalar })
			if len(rest.factors) == 0 { // they may be spread over a shape
				numbers, rest = term{coef: 1}, numbers
			}
			outside, chosen[c.arg] = outside.times(numbers), rest
			outside.coef *= c.coef
		}
		out = append(out, product(form{outside}, o.chosen(args, chosen))...)
	}
	return sum(out)
}

func texts(args []form) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.String()
	}
	return out
}

// chosen is the operation at the chosen terms of the arguments in which it is linear, and at 0 for those of
// which none is chosen. The key keeps their texts, since their shapes may decide where the others stand.
func (o operation) chosen(args []form, chosen map[int]term) form {
	args, text := slices.Clone(args), texts(args)
	for _, group := range o.linear {
		for _, i := range group {
			args[i], text[i] = nil, "0 * "+text[i]
			if t, ok := chosen[i]; ok {
				args[i], text[i] = form{t}, t.String()
			}
		}
	}
	return o.atom(args, text)
}

// atom is the operation as one atom. Its derivative in an argument depends on all arguments, but for those in
// which it is linear, on the others only.
func (o operation) atom(args []form, text []string) form {
	all, paths := o.more, pathMap{}
	for _, a := range args {
		all |= a.deps()
	}
	for i, a := range args {
		paths.add(a.paths(), o.derivative(i, args, all))
	}
	return single(atom{written(o.name, text), all, paths, o.scalar, o.inner(args)})
}

// inner is the one argument with data that the value tells; nil where there are more.
func (o operation) inner(args []form) (inner form) {
	for _, a := range args {
		switch {
		case !o.tells || a.deps()&onData == 0:
		case inner != nil:
			return nil
		default:
			inner = a
		}
	}
	return inner
}

// derivative is on what the derivative in argument i depends.
func (o operation) derivative(i int, args []form, all deps) deps {
	for _, group := range o.linear {
		if !slices.Contains(group, i) {
			continue
		}
		d := o.more
		for k, a := range args {
			if !slices.Contains(group, k) {
				d |= a.deps()
			}
		}
		return d
	}
	return all
}

// written is the key of an operation, in the form of the language where it has one.
func written(name string, args []string) string {
	switch {
	case strings.HasPrefix(name, "["):
		if strings.Contains(args[0], " ") {
			return "(" + args[0] + ")" + name
		}
		return args[0] + name
	case len(args) == 2 && !isWord(name):
		return "(" + args[0] + " " + name + " " + args[1] + ")"
	}
	if function, ok := ast.Grouped(name); ok {
		return function + "(" + args[0] + " by " + strings.Join(args[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func isWord(name string) bool {
	return name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z'
}
