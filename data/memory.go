package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
)

// copiesOfTable is how many arrays of the size of a table a run has at once while it begins: the table,
// values that encoders make of it, and the tiles of graphs.
const copiesOfTable = 3

// A Values is a column in memory: Numbers, or Words if those are not nil. A word that is empty or NA is a
// missing cell.
type Values struct {
	Name    string
	Numbers []float64
	Words   []string
}

func (v Values) len() int {
	if v.Words != nil {
		return len(v.Words)
	}
	return len(v.Numbers)
}

// Columns is a table in memory. Reading it copies the columns. Messages give the number of the row, from 1,
// in place of a line.
func Columns(name string, columns ...Values) Reader { return &memory{name: name, columns: columns} }

type memory struct {
	name    string
	columns []Values
	own     bool // columns are the table's: they lie side by side, and are not copied
}

// Read implements Reader.
func (m *memory) Read() (*Table, diag.List) {
	var list diag.List
	t := newTable(m.name, m)
	if len(m.columns) == 0 || m.columns[0].len() == 0 {
		fail(&list, diag.EmptyTable, m.name, "the table has no rows")
		return nil, list
	}
	t.Rows = m.columns[0].len()
	rows := &lines{marks: []mark{{line: 1, step: 1}}, n: t.Rows}
	var room []float64
	t.held = t.Rows * len(m.columns)
	if !m.own {
		room = make([]float64, 0, t.held)
	}
	for _, v := range m.columns {
		a := &Array{lines: rows, line: 1, Dims: []int{t.Rows}}
		if v.Words != nil {
			a.Column, a.serial = typed(v.Name, v.Words)
		} else if a.Name = v.Name; m.own {
			a.Numbers = v.Numbers
		} else {
			from := len(room)
			room = append(room, v.Numbers...)
			a.Numbers = room[from:]
		}
		switch _, dup := t.byName[v.Name]; {
		case v.Name == "" || dup:
			fail(&list, diag.DuplicateColumn, m.name, "column %q: every column needs its own name", v.Name)
		case v.len() != t.Rows:
			fail(&list, diag.DataShape, m.name, "column %s has %s, and column %s has %d", v.Name,
				grouped.Count(v.len(), "value"), m.columns[0].Name, t.Rows)
		}
		t.add(a)
	}
	if len(list) > 0 {
		return nil, list
	}
	return t, list
}

// Texts implements Reader.
func (m *memory) Texts(name string) ([]string, error) {
	i := slices.IndexFunc(m.columns, func(v Values) bool { return v.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no column %s", m.name, name)
	}
	if m.columns[i].Words != nil {
		return m.columns[i].Words, nil
	}
	var out []string
	for _, v := range m.columns[i].Numbers {
		out = append(out, written(v))
	}
	return out, nil
}

// written formats a number. Whole numbers, such as keys, have no exponent.
func written(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < maxWhole {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
