package leak

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A form is an expression as a sum of terms, sorted by key and without zeros: equal terms have been added, and what cancels is gone. An empty form is 0.
// Two expressions with one form have equal values, up to the shape over which a number is spread; the reverse need not hold.
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
	key   string
	deps  deps
	paths pathMap
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
	if len(t.factors) == 0 {
		return "1"
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
	by := map[string]term{}
	for _, t := range terms {
		key := t.key()
		if old, ok := by[key]; ok {
			t.coef += old.coef
		}
		by[key] = t
	}
	var out form
	for _, key := range slices.Sorted(maps.Keys(by)) {
		if by[key].coef != 0 {
			out = append(out, by[key])
		}
	}
	return out
}

func scaled(f form, c float64) form {
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
		return single(atom{a.String() + " .* " + b.String(), a.deps() | b.deps(), paths})
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
	by := map[string]factor{}
	for _, f := range slices.Concat(t.factors, u.factors) {
		f.power += by[f.key].power
		by[f.key] = f
	}
	out := term{coef: t.coef * u.coef}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		if by[key].power != 0 {
			out.factors = append(out.factors, by[key])
		}
	}
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
	out := single(atom{f.String(), f.deps(), f.paths()})
	out[0].factors[0].power = -1
	return out
}
