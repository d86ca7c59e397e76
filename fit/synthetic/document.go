package synthetic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/types"
)

// documented reports whether a party's data are a document: that is given, or holds what the columns of one
// table cannot.
func (d *drawer) documented(t *Table) bool {
	given := slices.ContainsFunc(d.request.Given, func(g Table) bool {
		return g.Party == t.Party && g.Member == t.Member
	})
	if given {
		return slices.ContainsFunc(d.request.Given, func(g Table) bool {
			return g.Party == t.Party && g.Member == t.Member && g.Document()
		})
	}
	rows, matrices := map[int]bool{}, 0
	for i := range d.wants {
		w := &d.wants[i]
		if w.Owner != t.Party {
			continue
		}
		if w.Rank == 0 || w.Rank > 2 {
			return true
		}
		if n, err := d.dimension(w.Name, 0); err == nil {
			rows[n] = true
		}
		if w.Rank == 2 && w.From == nil {
			matrices++
		}
	}
	return len(rows) > 1 || matrices > 1
}

// learn takes sizes from the documents that are given: their whole numbers, and the shapes of what the model
// reads from them.
func (d *drawer) learn() {
	d.learned = map[string]int{}
	know := func(size types.Size, n int) {
		if names := size.Names(); len(names) == 1 && size.Equal(types.Named(names[0])) {
			if _, known := d.learned[names[0]]; !known {
				d.learned[names[0]] = n
			}
		}
	}
	for _, g := range d.request.Given {
		for name, shape := range g.Shapes {
			if n, err := strconv.Atoi(g.column(name).Words[0]); len(shape) == 0 && err == nil {
				d.learned[name] = n
			}
		}
	}
	for _, g := range d.request.Given {
		for i := range d.wants {
			w := &d.wants[i]
			if w.Owner != g.Party || !g.Document() {
				continue
			}
			of := d.model.Checked.Symbols[w.Name].Type
			name := w.Name
			if w.From != nil && len(w.From[0].Columns) > 0 {
				name = w.From[0].Columns[0]
			}
			for k, n := range g.Shapes[name] {
				if k < len(of.Dims) {
					know(of.Dims[k], n)
				}
			}
			if c := g.column(name); c != nil && of.Levels != nil {
				know(*of.Levels, categories(c.Words))
			}
		}
	}
}

// categories counts those of a column: the largest of whole numbers, or the different words.
func categories(cells []string) int {
	most, words := 0, map[string]bool{}
	for _, cell := range cells {
		if n, err := strconv.Atoi(cell); err == nil {
			most = max(most, n)
		} else if cell != "" {
			words[cell] = true
		}
	}
	return max(most, len(words))
}

// entries draws the entries of a party's document that are not given.
func (d *drawer) entries(t *Table) error {
	t.Shapes = map[string][]int{}
	for _, g := range d.request.Given {
		if g.Party == t.Party && g.Member == t.Member {
			for _, c := range g.Columns { // responses will be replaced
				t.enter(c.Name, g.Shapes[c.Name], slices.Clone(c.Words))
			}
		}
	}
	for i := range d.wants {
		if w := &d.wants[i]; w.Owner == t.Party {
			if err := d.entry(t, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry draws what one declaration reads from a document: an entry of its shape, or the columns that it
// names.
func (d *drawer) entry(t *Table, w *data.Want) error {
	shape := make([]int, w.Rank)
	needed := w.From != nil || t.column(w.Name) == nil
	for k := range shape {
		n, err := d.dimension(w.Name, k)
		if err != nil && (k == 0 || w.From == nil) && needed {
			return err
		}
		shape[k] = n
	}
	found := []need{d.need(w)}
	if w.From != nil {
		var err error
		if found, err = d.needs(w, t); err != nil {
			return err
		}
		shape = shape[:1]
	} else if needed && w.Elem == types.Level {
		if found[0].words = w.Coding; w.Coding == nil {
			var err error
			if found[0].levels, err = d.model.Checked.Symbols[w.Name].Type.Levels.Eval(d.size); err != nil {
				return d.wanting(d.model.Checked.Symbols[w.Name].Type.Levels.Names())
			}
		}
	}
	for _, n := range merged(found) {
		if t.column(n.name) == nil {
			cells := d.cells(n, volume(shape))
			if size, ok := d.size(n.name); ok && w.Rank == 0 && w.Elem == types.Int {
				cells[0] = strconv.Itoa(size)
			}
			t.enter(n.name, slices.Clone(shape), cells)
		}
	}
	d.accompany(t, w, shape)
	return nil
}

// accompany adds what a declaration needs beside it: the key of rows that other parties have too, and the
// number of categories.
func (d *drawer) accompany(t *Table, w *data.Want, shape []int) {
	elsewhere := slices.ContainsFunc(d.wants, func(o data.Want) bool {
		return o.Owner != w.Owner && o.Rows.Name == w.Rows.Name
	})
	if w.Rank > 0 && !w.Rows.Own && elsewhere && t.column(data.DefaultKey) == nil {
		t.enter(data.DefaultKey, shape[:1], d.key(shape[0]).Words)
	}
	if w.Elem == types.Level && w.Coding == nil && w.Levels == 0 && w.Level.Name != "" && !w.Level.Own &&
		t.column(w.Level.Name) == nil {
		if n, ok := d.size(w.Level.Name); ok && d.model.Checked.Symbols[w.Level.Name] == nil {
			t.enter(w.Level.Name, []int{}, []string{strconv.Itoa(n)})
		}
	}
}

func (t *Table) enter(name string, shape []int, cells []string) {
	t.Columns = append(t.Columns, data.Values{Name: name, Words: cells})
	t.Shapes[name] = shape
}

// document is the text of a document, an entry a line.
func (t *Table) document() []byte {
	var out bytes.Buffer
	for i, c := range t.Columns {
		out.WriteString(map[bool]string{true: "{\n  ", false: ",\n  "}[i == 0])
		out.Write(quoted(c.Name))
		out.WriteString(": ")
		cells := c.Words
		nested(&out, t.Shapes[c.Name], &cells)
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

// nested writes the array of a shape, taking its cells.
func nested(out *bytes.Buffer, shape []int, cells *[]string) {
	if len(shape) == 0 {
		out.Write(cell((*cells)[0]))
		*cells = (*cells)[1:]
		return
	}
	out.WriteByte('[')
	for i := range shape[0] {
		if i > 0 {
			out.WriteString(", ")
		}
		nested(out, shape[1:], cells)
	}
	out.WriteByte(']')
}

// cell writes a number as it is, a missing cell as null, and anything else as a string.
func cell(text string) []byte {
	var number json.Number
	switch {
	case text == "":
		return []byte("null")
	case json.Unmarshal([]byte(text), &number) == nil && text[0] != '"':
		return []byte(text)
	}
	return quoted(text)
}

func quoted(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil {
		panic("synthetic: " + err.Error()) // a string can be written
	}
	return out
}

// readDocument reads the entries of a Stan-JSON document. Where it has a key, the rows are in its order.
func readDocument(path string, content []byte) (Table, error) {
	reader := data.Document(path, content)
	read, diags := reader.Read()
	if diags.HasErrors() {
		return Table{}, data.Errors(diags)
	}
	t := Table{Shapes: map[string][]int{}}
	for _, a := range read.Arrays {
		cells, err := reader.Texts(a.Name)
		if err != nil {
			return Table{}, err
		}
		if len(cells) != volume(a.Dims) || len(cells) == 0 {
			return Table{}, untabled("%s: entry %s is no number and no regular array of numbers", path,
				a.Name)
		}
		t.enter(a.Name, a.Dims, cells)
	}
	t.sort()
	return t, nil
}

// sort brings the rows of a document into the order of its key.
func (t *Table) sort() {
	key := t.column(data.DefaultKey)
	if key == nil || len(t.Shapes[data.DefaultKey]) != 1 {
		return
	}
	rows := len(key.Words)
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return data.Natural(key.Words[a], key.Words[b]) })
	for k := range t.Columns {
		c := &t.Columns[k]
		if shape := t.Shapes[c.Name]; len(shape) > 0 && shape[0] == rows {
			stride, sorted := len(c.Words)/rows, make([]string, 0, len(c.Words))
			for _, from := range order {
				sorted = append(sorted, c.Words[from*stride:(from+1)*stride]...)
			}
			c.Words = sorted
		}
	}
}

// volume is the number of cells of a shape.
func volume(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

// eachRowMajor calls f for every cell of a shape: its place in row-major order, and where the first index
// runs fastest.
func eachRowMajor(shape []int, f func(rowMajor, columnMajor int)) {
	index := make([]int, len(shape))
	for at := range volume(shape) {
		columnMajor, step := 0, 1
		for k, i := range index {
			columnMajor, step = columnMajor+i*step, step*shape[k]
		}
		f(at, columnMajor)
		for k := len(shape) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
}
