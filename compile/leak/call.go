package leak

import (
	"slices"
	"strings"
)

// A choice is one term of one argument.
type choice struct {
	arg int
	term
}

// call is the value of an operation. It is multiplied out over the terms of the arguments in which it is linear (see def.Structural). more is on
// what it depends besides its arguments.
func call(name string, args []form, linear [][]int, more deps) form {
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
			return opaque(name, args, linear, more)
		}
	}
	var out []term
	for n := range count {
		coef, chosen := 1.0, map[int]term{}
		for _, g := range groups {
			c := g[n%len(g)]
			n /= len(g)
			coef *= c.coef
			chosen[c.arg] = term{1, c.factors}
		}
		out = append(out, scaled(opaque(name, narrowed(args, linear, chosen), linear, more), coef)...)
	}
	return sum(out)
}

// narrowed replaces the arguments in which an operation is linear by the chosen terms, and by 0 where none is chosen.
func narrowed(args []form, linear [][]int, chosen map[int]term) []form {
	out := slices.Clone(args)
	for _, group := range linear {
		for _, i := range group {
			out[i] = nil
			if t, ok := chosen[i]; ok {
				out[i] = form{t}
			}
		}
	}
	return out
}

// opaque is an operation as one atom. Its derivative in an argument depends on all arguments, but for those in which it is linear, on the others only.
func opaque(name string, args []form, linear [][]int, more deps) form {
	texts := make([]string, len(args))
	all := more
	for i, a := range args {
		texts[i] = a.String()
		all |= a.deps()
	}
	paths := pathMap{}
	for i, a := range args {
		paths.add(a.paths(), derivative(i, args, linear, more, all))
	}
	return single(atom{written(name, texts), all, paths})
}

// derivative is on what the derivative in argument i depends.
func derivative(i int, args []form, linear [][]int, more, all deps) deps {
	for _, group := range linear {
		if !slices.Contains(group, i) {
			continue
		}
		d := more
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
	return name + "(" + strings.Join(args, ", ") + ")"
}

func isWord(name string) bool {
	return name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z'
}
