//go:build !light

package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
)

// parquetColumns reads the columns of a Parquet file of flat columns: numbers, booleans (0 and 1) and texts.
// A null is a missing cell. Messages give the number of the row. Groups of rows are read one after another,
// to where the numbers stay, and the memory never has more of the file than a column of a group. The decoder
// panics on some damaged files, which is an error here.
func parquetColumns(text []byte, o decoding) (columns []Values, err error) {
	defer func() {
		if r := recover(); r != nil {
			columns, err = nil, broken(r, "Parquet")
		}
	}()
	if o.rest == nil {
		o.rest = func() {}
	}
	if err := parquetSizes(text, o.most, o.rest); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is no Parquet file, or is damaged (%w)", err)
	}
	cells, err := cellsOf(file.Schema())
	if err != nil {
		return nil, err
	}
	if cells, err = o.reserve(cells, file.NumRows()); err != nil {
		return nil, err
	}
	if err := o.rowGroups(file, cells); err != nil {
		return nil, err
	}
	// whole numbers that no float64 is are read again, as texts
	again := make([]*parquetCells, len(cells))
	for i, c := range cells {
		if c != nil && c.large {
			again[i], c.exact, c.numbers = c, true, nil
		}
	}
	if err := o.rowGroups(file, again); err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c != nil {
			columns = append(columns, c.values())
		}
	}
	return columns, nil
}

// reserve gives the columns that are wanted memory for their numbers, and leaves nil in place of the others.
// It refuses those that would take more than they may.
func (o decoding) reserve(cells []*parquetCells, rows int64) ([]*parquetCells, error) {
	out, row, numeric := make([]*parquetCells, len(cells)), int64(0), 0
	for i, c := range cells {
		if o.only != "" && c.name != o.only {
			continue
		}
		out[i] = c
		row += c.need()
		if !c.textual() {
			numeric++
		}
	}
	if row > 0 && rows < 0 || rows > 0 && row > o.most/rows {
		return nil, fmt.Errorf("has %s of %s by its footer, which would take %s in memory, more than the "+
			"limit of %s: leave out columns that no declaration binds, or divide the rows",
			grouped.Count(int(max(rows, 0)), "row"), grouped.Count(len(cells), "column"),
			megabytes(float64(row)*float64(rows)), megabytes(float64(o.most)))
	}
	slab, err := o.hold.Floats(numeric*int(rows), copiesOfTable)
	if err != nil {
		return nil, Coded(diag.NoSpill, "%v", err)
	}
	for _, c := range out {
		if c != nil && !c.textual() {
			c.numbers, slab = slab[:0], slab[rows:] // side by side: see sideBySide
		}
	}
	return out, nil
}

// rowGroups reads columns; those that are nil are left out.
func (o decoding) rowGroups(file *parquet.File, cells []*parquetCells) error {
	left, room := file.NumRows(), min(o.most, maxDecoded) // of the characters of texts
	for _, group := range file.RowGroups() {
		n := group.NumRows()
		if left -= n; n < 0 || left < 0 {
			return errors.New("is damaged (it has more rows than its footer says)")
		}
		for i, chunk := range group.ColumnChunks() {
			if cells[i] == nil {
				continue
			}
			if err := cells[i].read(chunk, n, &room); err != nil {
				return fmt.Errorf("is damaged, or too large (column %s: %w)", cells[i].name, err)
			}
			o.rest()
		}
	}
	return nil
}

// need is how many bytes of memory a cell takes: a number, or a text without its characters.
func (c *parquetCells) need() int64 {
	if c.textual() {
		return 48
	}
	return 8
}

// read adds the values of a group of rows, of which there are as many as the footer says.
func (c *parquetCells) read(chunk parquet.ColumnChunk, rows int64, room *int64) error {
	pages := chunk.Pages()
	defer pages.Close()
	batch, read := make([]parquet.Value, 1024), int64(0)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) && read == rows {
			return nil
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for more := true; more; {
			n, err := values.ReadValues(batch)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if read += int64(n); read > rows {
				return errors.New("it has more rows than the footer says")
			}
			for _, v := range batch[:n] {
				if err := c.add(v, room); err != nil {
					return err
				}
			}
			more = err == nil
		}
		parquet.Release(page)
	}
}

// parquetCells collects the cells of one column: as numbers, and where a number is no float64 or the column
// has texts, as words.
type parquetCells struct {
	name    string
	kind    parquet.Kind
	numbers []float64
	exact   bool     // wholes are kept
	wholes  []int64  // of a column of whole numbers
	words   []string // of a column of texts
	// the first of these, which are often alike: a file has each once, in a dictionary
	known map[string]string
	large bool // a whole number that no float64 is
}

// cellsOf checks that every column can be read.
func cellsOf(schema *parquet.Schema) ([]*parquetCells, error) {
	var out []*parquetCells
	for _, f := range schema.Fields() {
		switch {
		case !f.Leaf() || f.Repeated():
			return nil, fmt.Errorf("column %s is nested; a table has flat columns", f.Name())
		case f.Type().LogicalType() != nil && !asStored(f.Type()):
			return nil, fmt.Errorf("column %s is of type %s; convert it to a number or "+
				"a text, or leave it out", f.Name(), f.Type())
		}
		out = append(out, &parquetCells{name: f.Name(), kind: f.Type().Kind(), known: map[string]string{}})
	}
	return out, nil
}

// asStored reports whether the values of a logical type are the texts or numbers that are stored.
func asStored(t parquet.Type) bool {
	switch t.LogicalType().Value.(type) {
	case *format.StringType, *format.EnumType, *format.IntType, *format.JsonType:
		return true
	}
	return false
}

// mostKnown is how many texts of a column are compared with further ones.
const mostKnown = 1 << 16

// text is a text, of which those that are alike share their memory.
func (c *parquetCells) text(b []byte, room *int64) (string, error) {
	text, found := c.known[string(b)]
	if found {
		return text, nil
	}
	if text = string(b); !isText(text) {
		return "", errors.New("it holds bytes that are no text")
	}
	if *room -= int64(len(text)); *room < 0 {
		return "", errors.New("the texts of the table take more memory than its limit")
	}
	if len(c.known) < mostKnown {
		c.known[text] = text
	}
	return text, nil
}

// add takes a value; room is what is left for the characters of texts.
func (c *parquetCells) add(v parquet.Value, room *int64) (err error) {
	number, text := math.NaN(), ""
	if !v.IsNull() {
		switch c.kind {
		case parquet.Boolean:
			number = 0
			if v.Boolean() {
				number = 1
			}
		case parquet.Int32:
			number = float64(v.Int32())
		case parquet.Int64:
			number = float64(v.Int64())
			c.large = c.large || math.Abs(number) >= maxWhole
		case parquet.Float:
			number = float64(v.Float())
		case parquet.Double:
			number = v.Double()
		case parquet.ByteArray, parquet.FixedLenByteArray:
			if text, err = c.text(v.ByteArray(), room); err != nil {
				return err
			}
		default:
			return fmt.Errorf("it is of type %s, which is not supported", c.kind)
		}
	}
	switch {
	case c.textual():
		c.words = append(c.words, text)
		return nil
	case c.kind == parquet.Int64 && c.exact:
		whole := int64(0)
		if !v.IsNull() {
			whole = v.Int64()
		}
		c.wholes = append(c.wholes, whole)
	}
	c.numbers = append(c.numbers, number)
	return nil
}

func (c *parquetCells) textual() bool {
	return c.kind == parquet.ByteArray || c.kind == parquet.FixedLenByteArray
}

func (c *parquetCells) values() Values {
	if c.large {
		for k, v := range c.wholes {
			if math.IsNaN(c.numbers[k]) {
				c.words = append(c.words, "")
				continue
			}
			c.words = append(c.words, strconv.FormatInt(v, 10))
		}
	}
	if c.textual() || c.large {
		return Values{Name: c.name, Words: c.words}
	}
	return Values{Name: c.name, Numbers: c.numbers}
}
