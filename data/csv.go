package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/spill"
)

// A csvFile is a table with a header row, its cells separated by commas, tabs, semicolons or vertical bars.
// A byte-order mark, CRLF line ends and quoted newlines are allowed; blanks around a cell are not part of it.
// It is read twice, first to count the lines, so that memory for the numbers is allocated once.
type csvFile struct {
	name   string
	open   opener
	packed string // how it is compressed, "" where it is not
	most   int64  // bytes that columns of a compressed file may take
	hold   *spill.Storage
	// once read:
	separator byte
	decimals  bool              // numbers have decimal commas
	marks     map[string]marked // of the columns that have any, by name
}

// Read implements Reader.
func (f *csvFile) Read() (*Table, diag.List) {
	var list diag.List
	p := &csvPass{file: f, list: &list, table: newTable(f.name, f), lines: &lines{}}
	if !p.survey() || !p.each(p.header, p.row) || !p.late() || !p.commas() {
		return nil, list
	}
	if p.grown {
		p.changed()
		return nil, list
	}
	p.finish()
	return p.table, list
}

// Texts implements Reader.
func (f *csvFile) Texts(name string) ([]string, error) {
	var list diag.List
	var out []string
	at := -1
	p := &csvPass{file: f, list: &list}
	m := f.marks[name]
	p.each(func(cells [][]byte, _ int) bool {
		p.width = len(cells)
		at = slices.IndexFunc(cells, func(c []byte) bool { return string(trim(c)) == name })
		return at >= 0
	}, func(cells [][]byte, _ int) { out = append(out, string(m.plainText(trim(cells[at])))) })
	if len(list) > 0 {
		return nil, Errors(list)
	}
	return out, nil
}

// A csvPass reads the records of a file from its beginning.
type csvPass struct {
	file    *csvFile
	list    *diag.List
	table   *Table
	width   int // number of columns
	columns []csvColumn
	marks   []marked  // of the columns, where a comma separates no cells
	lines   *lines    // of the rows
	room    int       // for this many rows: the number of lines of the file
	slab    []float64 // the columns of numbers one after another, each with room for all rows
	grown   bool      // there are more rows than there were lines
}

// A csvColumn is a column that is being read. Its first cell decides whether it is read as numbers. If a word
// comes later, the column is read again.
type csvColumn struct {
	numbers []float64 // with room for all rows; nil: words
	serial  bool      // all cells so far are serial
	late    bool      // a word came after numbers
	words   *words
}

// each calls header for the first record, and row for all others of the same length. It returns false if
// there are errors.
func (p *csvPass) each(header func(cells [][]byte, line int) bool, row func(cells [][]byte, line int)) bool {
	source, err := p.file.open()
	if err != nil {
		p.broken(err, 0)
		return false
	}
	defer source.Close()
	s := newScanner(source, p.file.separator)
	cells, first, err := s.next()
	if err != nil {
		p.broken(err, first)
		return false
	}
	if !header(cells, first) {
		return false
	}
	rows, ok := p.rows(s, row)
	if ok && rows == 0 {
		fail(p.list, diag.EmptyTable, place(p.file.name, first), "the table has a header but no rows")
	}
	return len(*p.list) == 0
}

// rows reads the records after the header. In a table of one column a blank line can only be an empty cell.
func (p *csvPass) rows(s *scanner, row func(cells [][]byte, line int)) (rows int, ok bool) {
	ragged := 0
	for {
		next := s.line + 1
		cells, line, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.broken(err, line)
			return rows, false
		}
		if line > next && p.width == 1 {
			row([][]byte{nil}, next)
			rows++
		}
		if len(cells) != p.width {
			p.ragged(ragged, cells, line)
			ragged++
			continue
		}
		row(cells, line)
		rows++
	}
	if ragged > 1 {
		(*p.list)[len(*p.list)-1].Message += more(ragged-1, "row")
	}
	return rows, ragged == 0
}

// broken reports the error that ended the reading of a file.
func (p *csvPass) broken(err error, line int) {
	switch {
	case errors.Is(err, io.EOF):
		fail(p.list, diag.EmptyTable, place(p.file.name, 1),
			"the file is empty; expected a header row with the names of the columns")
	case errors.Is(err, errQuote), errors.Is(err, errLong):
		fail(p.list, diag.BadCSV, place(p.file.name, line), "%s", err)
	default:
		fail(p.list, diag.Unreadable, p.file.name, "%s", reason(err))
	}
}

// ragged reports the first row that is too short or too long.
func (p *csvPass) ragged(before int, cells [][]byte, line int) {
	if before == 0 {
		fail(p.list, diag.BadCSV, place(p.file.name, line), "%s, but the header has %s%s",
			grouped.Count(len(cells), "cell"), grouped.Count(p.width, "column"), p.mixed(cells))
	}
}

// header stores the names of the columns.
func (p *csvPass) header(cells [][]byte, line int) bool {
	t := p.table
	for i, cell := range cells {
		name := strings.TrimSpace(string(cell))
		switch _, dup := t.byName[name]; {
		case name == "":
			fail(p.list, diag.DuplicateColumn, place(t.Name, line),
				"column %d has no name; name it in the header or leave it out (pandas: "+
					"to_csv(index=False), R: row.names = FALSE)", i+1)
		case dup:
			fail(p.list, diag.DuplicateColumn, place(t.Name, line),
				"column %s: the name appears twice in the header; rename one", name)
		default:
			a := &Array{line: line, lines: p.lines}
			a.Name = name
			t.add(a)
		}
	}
	p.width = len(t.Arrays)
	if need := float64(p.width) * float64(p.room) * 8; p.file.packed != "" && need > float64(p.file.most) {
		fail(p.list, diag.Unreadable, p.file.name, "would take %s in memory, more than the limit of %s for a "+
			"compressed table: leave out columns that no declaration binds, or unpack it", megabytes(need),
			megabytes(float64(p.file.most)))
	}
	return len(*p.list) == 0
}

// row stores the cells of a row.
func (p *csvPass) row(cells [][]byte, line int) {
	i := p.lines.n
	if i == 0 && !p.grown {
		p.begin(cells)
	}
	if p.grown = i >= p.room; p.grown {
		return
	}
	p.lines.add(line)
	for k := range p.columns {
		c := &p.columns[k]
		cell := trim(cells[k])
		switch {
		case c.numbers == nil:
			c.words.add(cell)
		case !c.late:
			var v float64
			var ok bool
			if p.marks == nil {
				v, ok = value(cell)
			} else {
				v, ok = p.marks[k].value(cell, line)
			}
			c.numbers[i], c.late, c.serial = v, !ok, c.serial && serial(cell)
		}
	}
}

// begin decides by the first row whether columns are numbers or words, and allocates memory.
func (p *csvPass) begin(cells [][]byte) {
	p.columns = make([]csvColumn, p.width)
	if p.file.separator != ',' {
		p.marks = make([]marked, p.width)
	}
	numeric := 0
	for k := range p.columns {
		cell := trim(cells[k])
		if p.marks != nil {
			cell, _ = pointed(cell)
		}
		if _, ok := value(cell); ok {
			p.columns[k].serial = true
			numeric++
		} else {
			p.columns[k].words = newWords(p.table.Arrays[k].Name, p.room)
		}
	}
	var err error
	if p.slab, err = p.file.hold.Floats(numeric*p.room, copiesOfTable); err != nil {
		fail(p.list, diag.NoSpill, p.file.name, "%v", err)
		p.room = 0 // reads no row
		return
	}
	rest := p.slab
	for k := range p.columns {
		if c := &p.columns[k]; c.serial {
			c.numbers, rest = rest[:p.room], rest[p.room:]
		}
	}
}

// late reads again the columns in which a word came after numbers.
func (p *csvPass) late() bool {
	var again []int
	for k := range p.columns {
		if c := &p.columns[k]; c.late {
			c.words, c.numbers = newWords(p.table.Arrays[k].Name, p.lines.n), nil
			again = append(again, k)
		}
	}
	if again == nil {
		return true
	}
	rows := 0
	ok := p.each(func(cells [][]byte, _ int) bool {
		return len(cells) == p.width
	}, func(cells [][]byte, _ int) {
		rows++
		for _, k := range again {
			cell := trim(cells[k])
			if p.marks != nil {
				cell = p.marks[k].plainText(cell)
			}
			p.columns[k].words.add(cell)
		}
	})
	if ok && rows != p.lines.n || !ok && len(*p.list) == 0 {
		p.changed()
	}
	return len(*p.list) == 0
}

// changed reports that two readings of the file differ.
func (p *csvPass) changed() {
	fail(p.list, diag.Unreadable, p.file.name, "the file has changed while it was read")
}

// finish closes the gaps between the columns of numbers, so that a matrix of adjacent columns needs no copy.
func (p *csvPass) finish() {
	t, n := p.table, p.lines.n
	t.Rows, t.Format = n, p.file.format()
	p.file.marks = map[string]marked{}
	for k, m := range p.marks {
		p.file.marks[t.Arrays[k].Name] = m
	}
	used := 0
	for _, c := range p.columns {
		used += copy(p.slab[used:], c.numbers[:min(n, len(c.numbers))])
	}
	if len(p.slab) > used+used/8 { // cells with line breaks, or late words
		p.slab = slices.Clone(p.slab[:used])
	}
	t.held = len(p.slab)
	rest := p.slab
	for k, a := range t.Arrays {
		a.Dims = []int{n}
		if c := &p.columns[k]; c.numbers == nil {
			a.Column = c.words.column
		} else {
			a.Numbers, rest, a.serial = rest[:n], rest[n:], c.serial
		}
	}
}

// survey finds what separates the cells, counts the lines, and reports the first that is not UTF-8.
func (p *csvPass) survey() bool {
	source, err := p.file.open()
	if err != nil {
		p.broken(err, 0)
		return false
	}
	defer source.Close()
	head, err := headOf(source)
	if err != nil {
		p.broken(err, 0)
		return false
	}
	text := io.MultiReader(bytes.NewReader(head), source)
	p.room = 1
	buffer, kept := make([]byte, scanBuffer), 0
	for err == nil {
		var n int
		n, err = text.Read(buffer[kept:])
		text := buffer[:kept+n]
		valid := validPrefix(text)
		if at := bytes.IndexByte(text[:valid], 0); at >= 0 {
			fail(p.list, diag.BadCSV, place(p.file.name, p.room+bytes.Count(text[:at], []byte("\n"))),
				"a NUL byte, which no text has; save the file as UTF-8 text, or correct the cell")
			return false
		}
		p.room += bytes.Count(text[:valid], []byte("\n"))
		kept = copy(buffer, text[valid:])
		if kept >= utf8.UTFMax || kept > 0 && errors.Is(err, io.EOF) {
			fail(p.list, diag.BadCSV, place(p.file.name, p.room), "not UTF-8 text; save the file as UTF-8")
			return false
		}
	}
	if !errors.Is(err, io.EOF) {
		p.broken(err, 0)
	}
	return len(*p.list) == 0 && p.sniff(head)
}

// isText reports whether a cell is text: UTF-8 without NUL, which other tools take for its end, so that two
// identifiers would look alike.
func isText(cell string) bool { return utf8.ValidString(cell) && strings.IndexByte(cell, 0) < 0 }

// validPrefix returns how many bytes of a text are valid UTF-8, up to the first invalid or incomplete
// character.
func validPrefix(text []byte) int {
	if utf8.Valid(text) {
		return len(text)
	}
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func megabytes(bytes float64) string {
	return fmt.Sprintf("%s MB", grouped.Digits(int(min(bytes, 1e18)/1e6)))
}
