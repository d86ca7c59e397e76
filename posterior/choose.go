package posterior

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Choose finds the columns of some names: a variable with all its elements (beta), an element by its number
// or its label (beta[2], beta[zscore(age)]), or a pattern of either (beta*). Without names it returns all
// parameters. The error gives the name that is not found, and what there is.
func (d *Draws) Choose(names []string) ([]int, error) {
	var out []int
	used := make([]bool, len(names))
	parameters := d.Parameters()
	names = d.byColumn(names)
	for k, c := range d.Columns() {
		take := len(names) == 0 && k < parameters
		for i, name := range names {
			if matches(name, c.Name) || c.Label != "" && matches(spaceless(name), spaceless(c.Label)) {
				used[i], take = true, true
			}
		}
		if take {
			out = append(out, k)
		}
	}
	for i, ok := range used {
		if !ok {
			near := d.near(names[i])
			return nil, fmt.Errorf("there is no parameter %s in these draws (%s)%s", names[i],
				strings.Join(near, ", "), Suggestion(names[i], near))
		}
	}
	return out, nil
}

// ColumnIn is the column that an encoder in a label reads alone, as age of zscore(age); "" where there is
// none.
func ColumnIn(label string) string {
	if m := encoded.FindStringSubmatch(label); m != nil {
		return m[1]
	}
	return ""
}

var encoded = regexp.MustCompile(`^\w+\((\w+)\)$`)

// byColumn replaces the name of an element by a column, as beta[age], by that of the one element whose label
// encodes it, beta[zscore(age)], where no element is called so itself.
func (d *Draws) byColumn(names []string) []string {
	out := slices.Clone(names)
	for i, name := range names {
		var found []string
		for _, c := range d.columns {
			if c.Name == name || c.Label == name {
				found = nil
				break
			}
			if base, inner, ok := strings.Cut(strings.TrimSuffix(c.Label, "]"), "["); ok &&
				ColumnIn(inner) != "" && base+"["+ColumnIn(inner)+"]" == name {
				found = append(found, c.Label)
			}
		}
		if len(found) == 1 {
			out[i] = found[0]
		}
	}
	return out
}

// fewElements are listed by an error, no more.
const fewElements = 8

// near lists what could have been meant by a name: the elements of its variable, else all variables.
func (d *Draws) near(name string) []string {
	base, _, indexed := strings.Cut(name, "[")
	if i := strings.LastIndex(name, "].") + 2; i > 1 { // of a member: lab[2].beta
		rest, _, more := strings.Cut(name[i:], "[")
		base, indexed = name[:i]+rest, more
	}
	var out []string
	for _, c := range d.columns {
		if indexed && strings.HasPrefix(c.Name, base+"[") {
			out = append(out, c.Shown())
		}
	}
	switch {
	case len(out) == 0:
		return d.Names()
	case len(out) > fewElements:
		return append(out[:fewElements], fmt.Sprintf("… %d more", len(out)-fewElements))
	}
	return out
}

// spaceless leaves out blanks, so that slope[west,zscore(age)] is a label too.
func spaceless(name string) string { return strings.ReplaceAll(name, " ", "") }

// matches reports whether a name or pattern matches a column. Brackets are indices, never character classes.
func matches(name, column string) bool {
	if name == column || strings.HasPrefix(column, name+"[") {
		return true
	}
	if !strings.ContainsAny(name, "*?") {
		return false
	}
	ok, err := path.Match(strings.NewReplacer("[", `\[`, "]", `\]`).Replace(name), column)
	return ok && err == nil
}

// Names lists the variables.
func (d *Draws) Names() []string {
	var out []string
	for _, v := range d.Vars {
		out = append(out, v.Name)
	}
	return out
}
