package data

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/diag"
)

// Some returns the sources with some rows of the tables of some parties (members as lab[2]), in memory; other
// tables are as they were. keep is called with the number of a row in its file, from 0, and its key, ""
// without a key column. The error is that of a table that has no rows of one kind.
func (s Sources) Some(parties []string, key string, keep func(row int, key string) bool) (Sources, diag.List,
	error) {
	var list diag.List
	out := slices.Clone(s)
	for i, source := range s {
		var tables []Reader
		some := false
		for k := range source.tables() {
			party := source.Name
			if source.Family {
				party = fmt.Sprintf("%s[%d]", source.Name, k+1)
			}
			t, problems := source.read(k)
			list = append(list, problems...)
			if t == nil {
				return nil, list, nil
			}
			if !slices.Contains(parties, party) {
				tables = append(tables, t.reader)
				continue
			}
			some = true
			r, err := t.some(key, keep)
			if err != nil {
				return nil, list, err
			}
			tables = append(tables, r)
		}
		if some {
			out[i].Files, out[i].Tables = nil, tables
		}
	}
	return out, list, nil
}

// some are the rows of a table that are kept.
func (t *Table) some(key string, keep func(row int, key string) bool) (Reader, error) {
	if t.Document {
		return nil, fmt.Errorf("%s: a document has no rows that could be divided; give its rows as CSV",
			t.Name)
	}
	keys := make([]string, t.Rows)
	if _, ok := t.Array(key); ok {
		var err error
		if keys, err = t.reader.Texts(key); err != nil {
			return nil, err
		}
	}
	var columns []Values
	for _, a := range t.Arrays {
		texts, err := t.reader.Texts(a.Name)
		if err != nil {
			return nil, err
		}
		v := Values{Name: a.Name, Words: []string{}}
		for row, text := range texts {
			if keep(row, keys[row]) {
				v.Words = append(v.Words, text)
			}
		}
		columns = append(columns, v)
	}
	return Columns(t.Name, columns...), nil
}

// Texts returns the cells of a column of a party's table as they are written, in the order of the file; false
// where it has no such column.
func (s Sources) Texts(party, column string) ([]string, bool, error) {
	for _, source := range s {
		for k := range source.tables() {
			name := source.Name
			if source.Family {
				name = fmt.Sprintf("%s[%d]", source.Name, k+1)
			}
			if name != party {
				continue
			}
			t, list := source.read(k)
			if t == nil {
				return nil, false, Errors(list)
			}
			if _, ok := t.Array(column); !ok {
				return nil, false, nil
			}
			texts, err := t.reader.Texts(column)
			return texts, err == nil, err
		}
	}
	return nil, false, nil
}
