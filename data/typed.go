package data

import (
	"bytes"
	"hash/maphash"
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// blank reports whether a cell is missing: empty, or NA as R writes it.
func blank(cell []byte) bool {
	return len(cell) == 0 || len(cell) == 2 && cell[0] == 'N' && cell[1] == 'A'
}

// value reads a cell as a number, NaN where it is missing. It is false for words, and for numbers that are
// not finite: these are read as words, since as categories they keep their text.
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

// edge reports whether a cell that begins or ends with the byte may have a blank there, which in Unicode need
// not be ASCII.
func edge(c byte) bool { return c <= ' ' || c >= 0x80 }

// words collects the cells of a column of words.
type words struct {
	column def.Column
	seed   maphash.Seed
	// slots holds one more than the code of each word at the place of its hash, or at the next free place
	// (0). At least half are free. A map would need several times the memory, which matters for keys: each
	// row has a different word.
	slots []int32
}

// newWords returns a column with room for a number of cells.
func newWords(name string, room int) *words {
	return &words{def.Column{Name: name, Words: []string{}, Codes: make([]int32, 0, room)},
		maphash.MakeSeed(), make([]int32, 16)}
}

func (w *words) add(cell []byte) {
	code := int32(-1)
	if !blank(cell) {
		code = w.code(cell)
	}
	w.column.Codes = append(w.column.Codes, code)
}

// code finds a word, or gives it the next code.
func (w *words) code(cell []byte) int32 {
	slot := w.slot(cell)
	if *slot > 0 {
		return *slot - 1
	}
	w.column.Words = append(w.column.Words, string(cell))
	*slot = int32(len(w.column.Words))
	if 2*len(w.column.Words) > len(w.slots) {
		w.grow()
	}
	return int32(len(w.column.Words)) - 1
}

// slot returns the place of a word, or the free place for it.
func (w *words) slot(cell []byte) *int32 {
	mask := len(w.slots) - 1
	for i := int(maphash.Bytes(w.seed, cell)) & mask; ; i = (i + 1) & mask {
		if code := w.slots[i]; code == 0 || w.column.Words[code-1] == string(cell) {
			return &w.slots[i]
		}
	}
}

func (w *words) grow() {
	w.slots = make([]int32, 2*len(w.slots))
	for k, word := range w.column.Words {
		*w.slot([]byte(word)) = int32(k) + 1
	}
}

// typed finds the type of cells that are texts, and whether all are serial numbers.
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
