package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/lang/diag"
)

// ReadCSV reads a table with a header row. A byte-order mark, CRLF line ends and quoted newlines are allowed; blanks around a cell
// are not part of it. The table is nil if and only if there are errors.
func ReadCSV(name string, text []byte) (*Table, diag.List) {
	var list diag.List
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if line, ok := badUTF8(text); !ok {
		fail(&list, diag.BadCSV, place(name, line), "not UTF-8 text; save the file as UTF-8")
		return nil, list
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	t := &Table{Name: name, CSV: true, byName: map[string]*Array{}}
	if !t.readHeader(r, &list) || !t.readRows(r, &list) {
		return nil, list
	}
	return t, nil
}

// badUTF8 returns the first line that is not UTF-8.
func badUTF8(text []byte) (line int, ok bool) {
	if utf8.Valid(text) {
		return 0, true
	}
	for line = 1; ; line++ {
		head, rest, _ := bytes.Cut(text, []byte("\n"))
		if !utf8.Valid(head) {
			return line, false
		}
		text = rest
	}
}

func (t *Table) readHeader(r *csv.Reader, list *diag.List) bool {
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		fail(list, diag.EmptyTable, place(t.Name, 1), "the file is empty; expected a header row with the names of the columns")
		return false
	}
	if err != nil {
		t.csvError(list, err)
		return false
	}
	line, _ := r.FieldPos(0)
	for i, cell := range header {
		cell = strings.TrimSpace(cell)
		switch _, dup := t.byName[cell]; {
		case cell == "":
			fail(list, diag.DuplicateColumn, place(t.Name, line), "column %d has no name; name it in the header or leave it out (pandas: to_csv(index=False), R: row.names = FALSE)", i+1)
		case dup:
			fail(list, diag.DuplicateColumn, place(t.Name, line), "column %s: the name stands twice in the header; rename one", cell)
		default:
			t.add(&Array{Name: cell, line: line})
		}
	}
	return len(*list) == 0
}

// add appends an array whose name is new.
func (t *Table) add(a *Array) {
	t.Arrays = append(t.Arrays, a)
	t.byName[a.Name] = a
}

func (t *Table) readRows(r *csv.Reader, list *diag.List) bool {
	var lines []int
	ragged := 0
	next := t.Arrays[0].line + 1 + newlines(t.names()) // where a record starts if no line is blank
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.csvError(list, err)
			return false
		}
		line, _ := r.FieldPos(0)
		if line > next && len(t.Arrays) == 1 {
			// In a table of one column a blank line can only be an empty cell; encoding/csv would drop it.
			t.appendRow([]string{""})
			lines = append(lines, next)
		}
		next = line + 1 + newlines(record)
		if len(record) != len(t.Arrays) {
			if ragged++; ragged == 1 {
				fail(list, diag.BadCSV, place(t.Name, line), "%s, but the header has %s; quote a cell that holds a comma",
					count(len(record), "cell"), count(len(t.Arrays), "column"))
			}
			continue
		}
		t.appendRow(record)
		lines = append(lines, line)
	}
	if ragged > 1 {
		(*list)[len(*list)-1].Message += more(ragged-1, "row")
	}
	if ragged == 0 && len(lines) == 0 {
		fail(list, diag.EmptyTable, place(t.Name, t.Arrays[0].line), "the table has a header and no rows")
	}
	t.Rows = len(lines)
	for _, a := range t.Arrays {
		a.lines, a.Dims = lines, []int{t.Rows}
	}
	return len(*list) == 0
}

func (t *Table) appendRow(record []string) {
	for i, a := range t.Arrays {
		a.Cells = append(a.Cells, strings.TrimSpace(record[i]))
	}
}

func newlines(record []string) int {
	n := 0
	for _, cell := range record {
		n += strings.Count(cell, "\n")
	}
	return n
}

func (t *Table) csvError(list *diag.List, err error) {
	var bad *csv.ParseError
	line, text := 1, err.Error()
	if errors.As(err, &bad) {
		line, text = bad.Line, bad.Err.Error()
		if errors.Is(bad.Err, csv.ErrQuote) || errors.Is(bad.Err, csv.ErrBareQuote) {
			line, text = bad.StartLine, `a quoted cell is not closed, or a quote stands inside a cell; write a quote inside a quoted cell twice ("")`
		}
	}
	fail(list, diag.BadCSV, place(t.Name, line), "%s", text)
}
