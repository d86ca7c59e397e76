package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lines are those of all receivers: the server's, and the clients', like ones together.
func (j *judge) lines() (out []Verdict) {
	for _, k := range j.known {
		j.find(k)
	}
	server := j.known[0]
	for at, k := range j.known {
		v := j.verdict(at, k)
		if like := j.like(at, k, server); like != "" {
			rest := v
			if rest.Columns = slices.DeleteFunc(slices.Clone(v.Columns), func(c Columns) bool {
				return c.Party != j.plan.Names[0]
			}); len(v.Sum) == 0 || like == same {
				rest.Each, rest.Sum, rest.Wide, rest.Narrow = nil, nil, nil, nil
			}
			v.Text = strings.Join(append([]string{like}, j.clauses(at, rest)...), "; ")
		}
		alike := slices.IndexFunc(out, func(o Verdict) bool {
			return at > 1 && o.Receivers[0] != j.plan.Names[0] && o.Text == v.Text
		})
		if alike < 0 {
			out = append(out, v)
			continue
		}
		merge(&out[alike], v)
		out[alike].every = len(out[alike].Receivers) > 2 && len(out[alike].Receivers) == len(j.known)-1
	}
	return out
}

// merge adds a like line of another receiver.
func merge(to *Verdict, v Verdict) {
	to.Receivers = append(to.Receivers, v.Receivers...)
	addAll(&to.Each, v.Each)
	addAll(&to.Sum, v.Sum)
	addAll(&to.Wide, v.Wide)
	addAll(&to.Narrow, v.Narrow)
	for _, c := range v.Columns {
		if !slices.ContainsFunc(to.Columns, func(o Columns) bool { return o.Party == c.Party }) {
			to.Columns = append(to.Columns, c)
		}
	}
}

// same is what a line says in place of names that the server's line has.
const same = "the same of the others"

// like is what a line of one of three clients or more says in place of the columns that the server's line
// names: the client can compute all that the server can of the other clients, or of all of them in their sum;
// "" where neither holds.
func (j *judge) like(at int, k, server *knowledge) string {
	equal, inSums, columns, based := true, true, false, false
	for of := range j.plan.Names {
		if of == 0 || of == at && !j.several(of) {
			continue
		}
		equal = equal && k.reached[of] == server.reached[of] &&
			slices.Equal(k.multiply[of], server.multiply[of])
		inSums = inSums && k.reached[of] == inSum
		columns = columns || k.columns[of] != nil
		based = based || server.columns[of] != nil && len(server.columns[of].Based) > 0
	}
	switch {
	case at == 0 || len(j.known) < 4 || len(server.reached) == 0:
	case equal && !based:
		return same
	case inSums && columns:
		return "the others' columns of two values and factors of every row"
	}
	return ""
}

// verdict is the line of one receiver.
func (j *judge) verdict(at int, k *knowledge) Verdict {
	v := Verdict{Receivers: []string{j.plan.Names[at]}, Response: k.response}
	for _, of := range slices.Sorted(maps.Keys(k.columns)) {
		v.Columns = append(v.Columns, *k.columns[of])
	}
	for _, of := range slices.Sorted(maps.Keys(k.reached)) {
		if k.reached[of] == inSum {
			v.Sum = append(v.Sum, j.plan.Names[of])
		} else {
			v.Each = append(v.Each, j.plan.Names[of])
		}
	}
	for _, of := range k.wide {
		if k.reached[of] == alone {
			v.Wide, v.WideFrom = append(v.Wide, j.plan.Names[of]), k.wideFrom
		}
	}
	for _, of := range slices.Sorted(slices.Values(k.narrow)) {
		v.Narrow = append(v.Narrow, j.plan.Names[of])
	}
	for _, of := range k.totals {
		v.Totals = append(v.Totals, j.plan.Names[of])
	}
	for _, of := range k.gaps {
		v.Gaps = append(v.Gaps, j.plan.Names[of])
	}
	v.Text = strings.Join(j.clauses(at, v), "; ")
	if v.Text == "" {
		v.Text = "nothing of a row"
	}
	return v
}

// clauses write a line.
func (j *judge) clauses(at int, v Verdict) (out []string) {
	rowwise := []string{}
	addAll(&rowwise, v.Response)
	for _, c := range v.Columns {
		rowwise = append(rowwise, j.owner(at, c.Party)+" "+c.String())
	}
	if len(rowwise) > 0 {
		out = append(out, strings.Join(rowwise, ", ")+" of every row")
	}
	if len(v.Each) > 0 {
		out = append(out, j.whose(at, v.Each, "each client's", "each other client's")+
			" contribution to every row")
	}
	var single []string
	if len(v.Narrow) > 0 {
		single = append(single, "one column")
	}
	if len(v.Wide) > 0 {
		single = append(single, fmt.Sprintf("more than %d parameters", v.WideFrom))
	}
	if len(single) > 0 {
		out = append(out, "single columns of a client with "+strings.Join(single, " or ")+
			", named once tables are given")
	}
	if len(v.Sum) > 0 {
		out = append(out, "the sum of "+j.whose(at, v.Sum, "the clients'", "the other clients'")+
			" contributions to every row")
	}
	if len(v.Totals) > 0 {
		text := ", of a row only where few share a parameter"
		if j.plan.Wire.Encrypted {
			text = ": D of them explain, to first order, at most D/n of the variance of a column that it " +
				"does not know, beyond regression on what it knows"
		}
		out = append(out, "sums over the rows of "+joined(v.Totals)+text)
	}
	if len(v.Gaps) > 0 {
		out = append(out, "which rows are incomplete at "+joined(v.Gaps))
	}
	return out
}

// whose names contributors: all clients there are, or their names.
func (j *judge) whose(at int, of []string, all, others string) string {
	clients := 0
	for k := range j.plan.Names[1:] {
		if k+1 != at || j.several(k+1) {
			clients++
		}
	}
	switch {
	case len(of) < 2 && !j.several(slices.Index(j.plan.Names, of[0])) || len(of) != clients ||
		slices.Contains(of, j.plan.Names[0]):
		out := make([]string, len(of))
		for k, name := range of {
			out[k] = j.owner(at, name)
		}
		return joined(out)
	case at == 0:
		return all
	}
	return others
}

// owner is a party's name in the genitive; a member of a family can compute what another has.
func (j *judge) owner(at int, name string) string {
	if j.plan.Names[at] == name {
		return "another " + name + "'s"
	}
	return name + "'s"
}

// String is as in "sex, ward and columns of two values in A".
func (c Columns) String() string {
	parts := slices.Clone(c.Names)
	for _, name := range c.All {
		parts = append(parts, name+" column by column")
	}
	for _, name := range c.Based {
		parts = append(parts, name+" up to a change of basis")
	}
	if len(c.Within) > 0 {
		parts = append(parts, "columns of two values in "+joined(c.Within))
	}
	return joined(parts)
}

// mostListed is how many names a line has before it counts the rest.
const mostListed = 8

// joined is a list in words: "a, b and c".
func joined(list []string) string {
	if n := len(list); n > mostListed {
		list = append(slices.Clone(list[:mostListed-1]), fmt.Sprintf("%d more", n-mostListed+1))
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
