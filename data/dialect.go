package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// separators are what may stand between the cells of a CSV file, each with its name.
func separators() []struct {
	by   byte
	name string
} {
	return []struct {
		by   byte
		name string
	}{{',', "commas"}, {'\t', "tabs"}, {';', "semicolons"}, {'|', "vertical bars"}}
}

// separatorName names a separator.
func separatorName(by byte) string {
	for _, s := range separators() {
		if s.by == by {
			return s.name
		}
	}
	return ""
}

// sniffed is how much of a file its separator is found from.
const sniffed = 64 << 10

// sniff finds the separator from the head of the file: the one that stands in the header, outside quotes. If
// several do, it is the one that divides every row of the head into as many cells as the header has; if that
// is true of several, the file is refused. A separator that divides no row alike is refused where rows are
// counted.
func (p *csvPass) sniff(head []byte) bool {
	if end := bytes.LastIndexByte(head, '\n') + 1; end > 0 && len(head) >= sniffed {
		// the last line is not whole
		head = head[:end]
	}
	var there, fit []byte
	for _, s := range separators() {
		if cells, alike := divides(head, s.by); cells > 1 {
			there = append(there, s.by)
			if alike {
				fit = append(fit, s.by)
			}
		}
	}
	p.file.separator = ','
	switch {
	case len(fit) > 1:
		fail(p.list, diag.Ambiguous, place(p.file.name, 1),
			"the cells may be separated by %s or by %s: every row has as many cells as the header either way; "+
				"quote the names and cells that hold one of them", separatorName(fit[0]), separatorName(fit[1]))
		return false
	case len(fit) == 1:
		p.file.separator = fit[0]
	case len(there) > 0:
		p.file.separator = there[0]
	}
	return true
}

// headOf reads the first part of a text, one line at least.
func headOf(source io.Reader) (head []byte, err error) {
	for n := sniffed; n <= mostRecord && bytes.IndexByte(head, '\n') < 0; n *= 2 {
		more := make([]byte, n-len(head))
		read, err := io.ReadFull(source, more)
		head = append(head, more[:read]...)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return head, nil
}

// divides returns the number of cells of a header that a separator divides, and whether all rows of the text
// have as many.
func divides(text []byte, by byte) (cells int, alike bool) {
	s := newScanner(bytes.NewReader(text), by)
	header, _, err := s.next()
	if err != nil {
		return 0, false
	}
	cells = len(header)
	for {
		row, _, err := s.next()
		if err != nil {
			return cells, true // at the end, or in a quoted cell that ends beyond it
		}
		if len(row) != cells {
			return cells, false
		}
	}
}

// A marked column is one of numbers in a file whose separator is not a comma, so that a comma may be a
// decimal mark: the lines where numbers were first written with a point and with a comma, 0: none.
type marked struct {
	point, comma int
	// of the commas one at least separates no thousands: as in 0,5 or 61,25
	sure bool
	room []byte // for a number while it is read
}

// value reads a cell as the function value does, and a decimal comma as a point.
func (m *marked) value(cell []byte, line int) (float64, bool) {
	at := bytes.IndexByte(cell, ',')
	if at < 0 {
		v, ok := value(cell)
		if ok && m.point == 0 && bytes.IndexByte(cell, '.') >= 0 {
			m.point = line
		}
		return v, ok
	}
	m.room = append(m.room[:0], cell...)
	m.room[at] = '.'
	v, ok := decimal(m.room)
	if ok {
		if m.comma == 0 {
			m.comma = line
		}
		m.sure = m.sure || !thousands(cell)
	}
	return v, ok
}

// pointed returns a cell that is a number with a decimal comma with a point in its place.
func pointed(cell []byte) ([]byte, bool) {
	at := bytes.IndexByte(cell, ',')
	if at < 0 {
		return cell, false
	}
	out := bytes.Clone(cell)
	out[at] = '.'
	if _, ok := decimal(out); !ok {
		return cell, false
	}
	return out, true
}

// thousands reports whether the comma of a number may separate thousands: 1,234 and 12,345.
func thousands(cell []byte) bool {
	cell = bytes.TrimLeft(cell, "+-")
	at := bytes.IndexByte(cell, ',')
	return at >= 1 && at <= 3 && len(cell) == at+4 && cell[0] != '0'
}

// commas decides whether commas are decimal marks, once all rows have been read: where there are some in
// columns of numbers, no number of such a column has a point, and one comma at least cannot separate
// thousands.
func (p *csvPass) commas() bool {
	point, comma, sure := -1, -1, false
	for k, m := range p.marks {
		if c := &p.columns[k]; c.numbers == nil || c.late {
			continue
		}
		if m.point > 0 && point < 0 {
			point = k
		}
		if m.comma > 0 && comma < 0 {
			comma = k
		}
		sure = sure || m.sure
	}
	if comma < 0 {
		return true
	}
	at, name := p.marks[comma].comma, p.table.Arrays[comma].Name
	switch {
	case point >= 0:
		fail(p.list, diag.Ambiguous, place(p.file.name, at),
			"column %s: a number with a comma, and in line %d column %s has one with a point: one of them may "+
				"separate thousands; write decimals alike in all columns, and no thousands", name,
			p.marks[point].point, p.table.Arrays[point].Name)
		return false
	case !sure:
		fail(p.list, diag.Ambiguous, place(p.file.name, at),
			"column %s: a number as 1,234, which is 1.234 with a decimal comma and 1234 with thousands, and no "+
				"number of the file tells which; write decimals with a point, or one number with another count "+
				"of decimals, as 1,2340", name)
		return false
	}
	p.file.decimals = true
	return true
}

// plainText is a cell of a column as it is compared and shown: where numbers have decimal commas, with a
// point.
func (m marked) plainText(cell []byte) []byte {
	if m.comma > 0 {
		if out, ok := pointed(cell); ok {
			return out
		}
	}
	return cell
}

// format describes what is particular about the file, "" where nothing is.
func (f *csvFile) format() string {
	var parts []string
	if f.separator != ',' {
		parts = append(parts, separatorName(f.separator))
	}
	if f.decimals {
		parts = append(parts, "decimal commas")
	}
	if f.packed != "" {
		parts = append(parts, f.packed)
	}
	return strings.Join(parts, ", ")
}

// mixed says why a row of one cell, or of more than the header has, is likely to be so.
func (p *csvPass) mixed(cells [][]byte) string {
	if len(cells) == 1 {
		for _, s := range separators() {
			if s.by != p.file.separator && bytes.Count(cells[0], []byte{s.by}) == p.width-1 && p.width > 1 {
				return fmt.Sprintf("; its cells are separated by %s, and those of the header by %s", s.name,
					separatorName(p.file.separator))
			}
		}
	}
	if p.file.separator == ',' && len(cells) > p.width {
		return "; quote a cell that holds a comma, and write decimals with a point, or separate cells by semicolons"
	}
	return fmt.Sprintf("; quote a cell that holds %s", map[byte]string{',': "a comma", '\t': "a tab",
		';': "a semicolon", '|': "a vertical bar"}[p.file.separator])
}
