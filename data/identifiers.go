package data

import (
	"encoding/csv"
	"io"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
)

// Identifiers returns the cells of a column as they are written, one a row. Cells may be empty.
func (t *Table) Identifiers(name string) ([]string, diag.List) {
	var list diag.List
	c, ok := View{Table: t}.find(name, &list)
	if !ok {
		return nil, list
	}
	if t.Document || len(c.array.Dims) != 1 {
		fail(&list, diag.BadKey, t.Name, "%s is no column of a table; identifiers are one a row", name)
		return nil, list
	}
	texts, err := c.texts()
	if err != nil {
		fail(&list, diag.Unreadable, t.Name, "%v", err)
		return nil, list
	}
	return texts, nil
}

// RepeatedIdentifier adds the error that two rows have the same identifier; more is how many other pairs do.
func (t *Table) RepeatedIdentifier(name string, first, second, more int, list *diag.List) {
	c, ok := View{Table: t}.find(name, list)
	if !ok {
		return
	}
	others := ""
	if more > 0 {
		others = "; so are " + grouped.Count(more, "other row")
	}
	fail(list, diag.RepeatedIdentifier, c.line(second),
		"%s %q is the same identifier as %q in line %d%s; an identifier must name one row", name,
		c.text(second), c.text(first), c.lineNumber(first), others)
}

// WriteRows writes some rows as CSV with a header, in the order given, cells as they are written in the
// source but for one column, whose cells are given.
func (t *Table) WriteRows(w io.Writer, rows []int, name string, cells []string) error {
	var columns [][]string
	for _, a := range t.Arrays {
		if a.Name == name {
			columns = append(columns, nil)
			continue
		}
		texts, err := column{View{Table: t}, a}.texts()
		if err != nil {
			return err
		}
		columns = append(columns, texts)
	}
	out := csv.NewWriter(w)
	record := t.names()
	if err := out.Write(record); err != nil {
		return err
	}
	for i, row := range rows {
		for k, texts := range columns {
			if record[k] = cells[i]; texts != nil {
				record[k] = texts[row]
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
