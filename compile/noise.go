package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// settled returns the model with the noise that the number of members of its families decides. A model whose
// noise is known without them is returned as it is.
func (m *Model) settled(members map[string]int) (*Model, diag.List) {
	if _, open := m.Cuts.OpenFamily(); !open {
		return m, nil
	}
	o := m.options
	o.Members = members
	again, diags := Compile(m.Source, o)
	if !diags.HasErrors() {
		diags = nil // the warnings have been given
	}
	return again, diags
}

// MaySplit returns the error that a model has no party programs yet: where rho is left to the number of
// members of a family, and their tables are not known.
func (m *Model) MaySplit() (diags diag.List) {
	if c, open := m.Cuts.OpenFamily(); open {
		n := m.Checked.Transform.Kind
		diags.Errorf(diag.OpenNoise, m.Source, c.Span,
			"rho is %g/√J where it is not given, and J, the number of members of %s, is not "+
				"known without their tables", cut.Stretch, c.Name).
			Note("write the number, as in `client %s[10]`, or rho, as in `transform "+
				"%s(rho = 0.1)` or --rho 0.1", c.Name, n)
	}
	return diags
}

// Assumed says what the compiler chose where the model and the command line are silent: the transform, and
// rho. "" if nothing.
func (m *Model) Assumed() string {
	t := m.Checked.Transform
	switch {
	case !t.Kind.Noise():
		return ""
	case t.Implied:
		return fmt.Sprintf("no transform given: %s%s", t.Kind, inParentheses(m.noise())) + m.others()
	}
	switch without := m.unset(); {
	case !m.chosen():
		return ""
	case without != "":
		return "no rho given for " + without + ": " + m.noise() + m.others()
	}
	return "no rho given: " + m.noise() + m.others()
}

// others names the transforms that the model could have instead.
func (m *Model) others() string {
	var names []string
	for _, t := range stdlib.Transforms() {
		if !t.Pooled() && t.Name != m.Checked.Transform.Kind.Name {
			names = append(names, "transform "+t.Name)
		}
	}
	return "; instead: " + strings.Join(names, ", ")
}

// unset lists the clients for which no rho was given, "" where none was given for any.
func (m *Model) unset() string {
	var without []string
	given := false
	for _, k := range m.Cuts.Cuts {
		switch {
		case m.Checked.Transform.RhoOf(k.Client) != 0:
			given = true
		case !slices.Contains(without, k.Client):
			without = append(without, k.Client)
		}
	}
	if !given {
		return ""
	}
	return strings.Join(without, ", ")
}

// chosen reports whether the noise of a client was left to the compiler.
func (m *Model) chosen() bool {
	return slices.ContainsFunc(m.Cuts.Cuts, func(k *cut.Expression) bool {
		return m.Checked.Transform.RhoOf(k.Client) == 0
	})
}

// noise is the standard deviation of the auxiliary variables, with its origin where the compiler chose it; ""
// where there are none.
func (m *Model) noise() string {
	origin := ""
	if m.chosen() {
		origin = fmt.Sprintf("%g/√J, J the number of clients", cut.Stretch)
		if of := m.unset(); of != "" {
			origin = ", where that of " + of + " is " + origin
		} else {
			origin = ", which is " + origin
		}
	}
	if c, open := m.Cuts.OpenFamily(); open {
		return fmt.Sprintf("rho = %g/√J, J the number of clients with those of %s", cut.Stretch, c.Name)
	}
	by := map[string]float64{}
	for _, k := range m.Cuts.Cuts {
		by[k.Client] = m.Cuts.RhoOf(k.Client)
	}
	if len(by) == 0 {
		return ""
	}
	return "rho = " + RhoText(by) + origin
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

// RhoText writes the noise of clients as a model would, to four digits: one number where all are equal.
func RhoText(by map[string]float64) string {
	var parts []string
	values := slices.Collect(maps.Values(by))
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s: %.4g", name, by[name]))
	}
	if slices.Min(values) == slices.Max(values) {
		return fmt.Sprintf("%.4g", values[0])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
