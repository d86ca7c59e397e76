package posterior

import (
	"fmt"
	"path"
	"strings"
)

// Choose finds the columns of some names: a variable with all its elements (beta), an element by its number or its label (beta[2], beta[zscore(age)]), or a
// pattern of either (beta*). Without names it returns all
// parameters. The error gives the name that is not found.
func (d *Draws) Choose(names []string) ([]int, error) {
	var out []int
	used := make([]bool, len(names))
	parameters := d.Parameters()
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
			return nil, fmt.Errorf("there is no parameter %s in these draws (%s)", names[i], strings.Join(d.Names(), ", "))
		}
	}
	return out, nil
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
