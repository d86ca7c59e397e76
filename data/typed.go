package data

import (
	"bytes"
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// blank reports whether a cell is missing: empty, or NA as R writes it.
func blank(cell []byte) bool {
	return len(cell) == 0 || len(cell) == 2 && cell[0] == 'N' && cell[1] == 'A'
}

// value reads a cell as a number, NaN where it is missing. It is false for words, and for numbers that are not finite: those are words too,
// since as categories they are what is written.
func value(cell []byte) (float64, bool) {
	if v, ok := decimal(cell); ok {
		return v, true
	}
	return math.NaN(), blank(cell)
}

// trim removes blanks around a cell.
func trim(cell []byte) []byte {
	if n := len(cell); n > 0 && (edge(cell[0]) || edge(cell[n-1])) {
		return bytes.TrimSpace(cell)
	}
	return cell
}

// edge reports whether a cell that begins or ends with the byte may have a blank there, which in Unicode need not be ASCII.
func edge(c byte) bool { return c <= ' ' || c >= 0x80 }

// words collects the cells of a column of words.
type words struct {
	column def.Column
	index  map[string]int32
}

// newWords returns a column with room for so many cells.
func newWords(name string, room int) *words {
	return &words{def.Column{Name: name, Words: []string{}, Codes: make([]int32, 0, room)}, map[string]int32{}}
}

func (w *words) add(cell []byte) {
	code, known := w.index[string(cell)]
	switch {
	case blank(cell):
		code = -1
	case !known:
		text := string(cell)
		code = int32(len(w.column.Words))
		w.index[text] = code
		w.column.Words = append(w.column.Words, text)
	}
	w.column.Codes = append(w.column.Codes, code)
}

// typed finds the type of cells that are at hand as texts, and whether all are serial numbers.
func typed(name string, cells []string) (column def.Column, serials bool) {
	column.Name, column.Numbers, serials = name, make([]float64, len(cells)), true
	for i, cell := range cells {
		v, ok := value([]byte(cell))
		if !ok {
			w := newWords(name, len(cells))
			for _, cell := range cells {
				w.add([]byte(cell))
			}
			return w.column, false
		}
		column.Numbers[i], serials = v, serials && serial([]byte(cell))
	}
	return column, serials
}
