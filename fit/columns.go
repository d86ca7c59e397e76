package fit

import (
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/lang/ast"
)

// columns lists the columns of a party's own data with an element a row that a cut depends on, with one
// column for each category of a level, at the elements that the attack follows; none where a cut has several
// numbers a row.
func (p *Prepared) columns(party, k int) (out []attack.Covariate) {
	c := p.Plan.Parties[party].Cuts[k]
	if c.Cols != 1 {
		return nil
	}
	values := p.Values[p.Plan.Names[party]]
	for _, s := range p.dataOf(c) {
		if v := values[s.Name]; v != nil && len(v.Dims) > 0 && v.Dims[0] == c.Rows {
			out = append(out, columnsOf(s, v)...)
		}
	}
	return out
}

// dataOf lists the private data that a cut depends on, in the order of the model.
func (p *Prepared) dataOf(c density.Cut) (out []*check.Symbol) {
	reached := map[string]bool{}
	var reach func(n ast.Node)
	reach = func(n ast.Node) {
		ast.Walk(n, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || reached[name.Name] {
				return true
			}
			reached[name.Name] = true
			if s := p.Checked.Symbols[name.Name]; s != nil && s.Kind == check.Let {
				reach(s.Decl.(*ast.Let).Value)
			}
			return true
		})
	}
	for _, k := range p.Cuts.Cuts {
		if k.Name == c.Name {
			reach(k.Expr)
		}
	}
	for _, s := range p.Checked.Order {
		if s.Kind == check.Data && s.Owner != check.Shared && reached[s.Name] {
			out = append(out, s)
		}
	}
	return out
}

// columnsOf are those of one declaration.
func columnsOf(s *check.Symbol, v *data.BoundValue) (out []attack.Covariate) {
	rows := v.Dims[0]
	picks := attack.Followed(rows)
	for k := 0; k < len(v.Values)/rows; k++ {
		column := attack.Covariate{Name: v.ColumnName(s.Name, k), Values: make([]float64, len(picks))}
		for i, row := range picks {
			column.Values[i] = v.Values[k*rows+row]
		}
		if d, ok := s.Decl.(*ast.Data); ok && d.Type != nil && d.Type.Levels != nil {
			out = append(out, categoriesOf(column, v)...)
			continue
		}
		out = append(out, column)
	}
	return out
}

// categoriesOf are the columns of the categories that a level has.
func categoriesOf(level attack.Covariate, v *data.BoundValue) (out []attack.Covariate) {
	for category := 1; category <= v.Levels; category++ {
		name := fmt.Sprint(category)
		if v.Labels != nil {
			name = v.Labels[category-1]
		}
		column := attack.Covariate{Name: level.Name + "=" + name, Factor: level.Name,
			Values: make([]float64, len(level.Values))}
		for i, value := range level.Values {
			if value == float64(category) {
				column.Values[i] = 1
			}
		}
		out = append(out, column)
	}
	return out
}
