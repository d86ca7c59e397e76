package leak

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// A form is an expression as a sum of terms, sorted by key and without zeros: equal terms have been added,
// and what cancels is gone. An empty form is 0. Two expressions with one form have equal values, up to the
// shape over which a number is spread; the reverse need not hold.
type form []term

// A term is a number times powers of atoms, element by element, sorted by key.
type term struct {
	coef    float64
	factors []factor
}

type factor struct {
	*atom
	power int
}

// An atom is a name, or a value of an operation that is not multiplied out. Equal keys are equal values.
type atom struct {
	key    string
	deps   deps
	paths  pathMap
	scalar bool // one number
	inner  form // of a value that tells it: the one argument with data
}

// maxTerms bounds the terms of a product that is multiplied out, and maxKey the length of a key.
const (
	maxTerms = 256
	maxKey   = 120
)

// short bounds a key: a long one keeps its beginning, and a digest of the rest.
func short(key string) string {
	if len(key) <= maxKey {
		return key
	}
	h := sha256.Sum256([]byte(key))
	cut := maxKey / 2
	for cut > 0 && key[cut]&0xC0 == 0x80 { // inside a character
		cut--
	}
	return key[:cut] + "… " + hex.EncodeToString(h[:8])
}

func number(v float64) form {
	if v == 0 {
		return nil
	}
	return form{{coef: v}}
}

func single(a atom) form {
	a.key = short(a.key)
	return form{{coef: 1, factors: []factor{{&a, 1}}}}
}

func (t term) key() string {
	switch {
	case len(t.factors) == 0:
		return "1"
	case len(t.factors) == 1 && t.factors[0].power == 1:
		return t.factors[0].key
	}
	parts := make([]string, len(t.factors))
	for i, f := range t.factors {
		parts[i] = f.key
		if f.power != 1 {
			parts[i] += " ^ " + strconv.Itoa(f.power)
		}
	}
	return strings.Join(parts, " .* ")
}

// String writes a term for messages and for keys.
func (t term) String() string {
	switch {
	case t.coef == 1:
		return t.key()
	case len(t.factors) == 0:
		return strconv.FormatFloat(t.coef, 'g', -1, 64)
	case t.coef == -1:
		return "-" + t.key()
	}
	return strconv.FormatFloat(t.coef, 'g', -1, 64) + " * " + t.key()
}

// String writes a form for keys, in parentheses where it is a sum.
func (f form) String() string {
	switch len(f) {
	case 0:
		return "0"
	case 1:
		return f[0].String()
	}
	parts := make([]string, len(f))
	for i, t := range f {
		parts[i] = t.String()
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

func (t term) deps() deps {
	var d deps
	for _, f := range t.factors {
		d |= f.deps
	}
	return d
}

func (f form) deps() deps {
	var d deps
	for _, t := range f {
		d |= t.deps()
	}
	return d
}

// paths are those of the product rule: the derivative of one factor times the others.
func (t term) paths() pathMap {
	out := pathMap{}
	for i, f := range t.factors {
		var others deps
		for k, g := range t.factors {
			if k != i || g.power != 1 {
				others |= g.deps
			}
		}
		out.add(f.atom.paths, others)
	}
	return out
}

func (f form) paths() pathMap {
	out := pathMap{}
	for _, t := range f {
		out.add(t.paths(), 0)
	}
	return out
}

// scalar reports one number.
func (f form) scalar() bool {
	for _, t := range f {
		if s, _ := t.parts(func(a *atom) bool { return a.scalar }); len(s.factors) < len(t.factors) {
			return false
		}
	}
	return true
}

// parts divides the factors of a term, without its coefficient, into those that are meant and the others.
func (t term) parts(meant func(*atom) bool) (with, without term) {
	with.coef, without.coef = 1, 1
	for _, f := range t.factors {
		to := &without
		if meant(f.atom) {
			to = &with
		}
		to.factors = append(to.factors, f)
	}
	return with, without
}

// constant returns the value of a number.
func (f form) constant() (float64, bool) {
	switch {
	case len(f) == 0:
		return 0, true
	case len(f) == 1 && len(f[0].factors) == 0:
		return f[0].coef, true
	}
	return 0, false
}

// sum adds terms: equal ones are one, those with the coefficient 0 are none.
func sum(terms []term) form {
	if len(terms) == 1 && terms[0].coef != 0 {
		return form{terms[0]}
	}
	type keyed struct {
		key string
		term
	}
	list := make([]keyed, len(terms))
	for i, t := range terms {
		list[i] = keyed{t.key(), t}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	out := make(form, 0, len(list))
	for i, k := range list {
		if i > 0 && k.key == list[i-1].key {
			k.coef += out[len(out)-1].coef
			out[len(out)-1] = k.term
			continue
		}
		out = append(out, k.term)
	}
	return slices.DeleteFunc(out, func(t term) bool { return t.coef == 0 })
}

func scaled(f form, c float64) form {
	if c == 1 {
		return f
	}
	var out []term
	for _, t := range f {
		out = append(out, term{t.coef * c, t.factors})
	}
	return sum(out)
}

// product multiplies element by element; a product of too many terms is an atom.
func product(a, b form) form {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > maxTerms {
		paths := pathMap{}
		paths.add(a.paths(), b.deps())
		paths.add(b.paths(), a.deps())
		return single(atom{a.String() + " .* " + b.String(), a.deps() | b.deps(), paths, a.scalar() &&
			b.scalar(), nil})
	}
	var out []term
	for _, s := range a {
		for _, t := range b {
			out = append(out, s.times(t))
		}
	}
	return sum(out)
}

// times multiplies terms: powers of one atom are one.
func (t term) times(u term) term {
	out := term{coef: t.coef * u.coef}
	a, b := t.factors, u.factors
	for len(a) > 0 && len(b) > 0 {
		switch order := strings.Compare(a[0].key, b[0].key); {
		case order < 0:
			out.factors, a = append(out.factors, a[0]), a[1:]
		case order > 0:
			out.factors, b = append(out.factors, b[0]), b[1:]
		default:
			if power := a[0].power + b[0].power; power != 0 {
				out.factors = append(out.factors, factor{b[0].atom, power})
			}
			a, b = a[1:], b[1:]
		}
	}
	out.factors = append(append(out.factors, a...), b...)
	return out
}

// raised is the power of a term by a whole number.
func (t term) raised(n int) term {
	out := term{coef: 1}
	for range max(n, -n) {
		out.coef *= t.coef
	}
	if n < 0 {
		out.coef = 1 / out.coef
	}
	for _, f := range t.factors {
		out.factors = append(out.factors, factor{f.atom, f.power * n})
	}
	return out
}

// inverse is 1 / f.
func inverse(f form) form {
	if len(f) == 1 {
		return sum([]term{f[0].raised(-1)})
	}
	out := single(atom{f.String(), f.deps(), f.paths(), f.scalar(), nil})
	out[0].factors[0].power = -1
	return out
}
