package def

import (
	"fmt"
	"slices"
)

// A FormKind is how a distribution is built from others.
type FormKind int

// The kinds.
const (
	MixtureForm FormKind = iota
	TruncatedForm
	CensoredForm
)

// LowerEnd and UpperEnd are the parameters of a truncated distribution, and the arguments of the clause.
const (
	LowerEnd = "lower"
	UpperEnd = "upper"
)

// A Composition says of which distributions one is built: its parameters begin with theirs, in order.
type Composition struct {
	Kind FormKind
	Of   []*Dist
}

// Mixes reports whether the density may have several modes as a function of its parameters: that of a mixture
// or of an angle, also one that is truncated or censored.
func (d *Dist) Mixes() bool {
	return d.Periodic ||
		d.Form != nil && (d.Form.Kind == MixtureForm || slices.ContainsFunc(d.Form.Of, (*Dist).Mixes))
}

// Bounds returns the ends of the values that the distribution gives.
func (d *Dist) Bounds(theta []float64) (lower, upper float64) {
	lower, upper = d.Support.Bounds(theta)
	if d.Narrow != nil {
		return d.Narrow(theta, lower, upper)
	}
	return lower, upper
}

// Words describes the values in a sentence; names are the parameters, or what they are.
func (d *Dist) Words(names []string) string {
	if d.Declared && d.Form == nil {
		return d.declaredWords()
	}
	words := d.supportWords(names)
	for k, p := range d.Params {
		switch {
		case d.Narrow == nil || !p.NoNoise || k >= len(names):
		case p.Name == LowerEnd:
			words += ", " + names[k] + " or more"
		case p.Name == UpperEnd:
			words += ", " + names[k] + " or less"
		}
	}
	return words
}

func (d *Dist) supportWords(names []string) string {
	if d.Discrete && d.Support == RealLine {
		return "a whole number"
	}
	return d.Support.Words(names)
}

// declaredWords describes the domain that a declaration gives, whose bounds are numbers.
func (d *Dist) declaredWords() string {
	words := d.supportWords(nil)
	if d.Narrow == nil {
		return words
	}
	least, most := d.Support.Bounds(nil)
	lower, upper := d.Bounds(nil)
	if lower > least {
		words += fmt.Sprintf(", %g or more", lower)
	}
	if upper < most {
		words += fmt.Sprintf(", %g or less", upper)
	}
	return words
}
