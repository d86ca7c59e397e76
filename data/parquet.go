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
	"github.com/vflc/vflc/internal/inputfile"
	"github.com/vflc/vflc/lang/diag"
)

// A parquetFile is a Parquet file of flat columns: numbers, booleans (0 and 1) and texts. A null is a missing cell. Messages give the number of the row.
type parquetFile struct {
	name string
	most int64
	read *memory // once read
}

// Read implements Reader.
func (p *parquetFile) Read() (*Table, diag.List) {
	var list diag.List
	text, err := inputfile.Read(p.name, p.most)
	if err != nil {
		fail(&list, diag.Unreadable, p.name, "%s", reason(err))
		return nil, list
	}
	columns, err := parquetColumns(text, min(p.most, maxDecoded))
	if err != nil {
		fail(&list, diag.Unreadable, p.name, "%v", err)
		return nil, list
	}
	p.read = &memory{p.name, columns}
	table, list := p.read.Read()
	if table != nil {
		table.reader = p
	}
	return table, list
}

// Texts implements Reader.
func (p *parquetFile) Texts(name string) ([]string, error) { return p.read.Texts(name) }

// batchRows is the number of rows that are read at once.
const batchRows = 1024

// parquetColumns reads all columns of a file. The decoder panics on some damaged files, which is an error here.
func parquetColumns(text []byte, most int64) (columns []Values, err error) {
	defer func() {
		if r := recover(); r != nil {
			columns, err = nil, errors.New("is no Parquet file, or is damaged")
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("is no Parquet file, or is damaged (%w)", err)
	}
	cells, err := cellsOf(file.Schema())
	if err != nil {
		return nil, err
	}
	left := file.NumRows()
	if left < 0 || left > 0 && need(cells) > most/left {
		return nil, fmt.Errorf("has %s of %s by its footer, which would take %s in memory, more than the limit of %s: leave out columns that no declaration binds, or divide the rows",
			grouped.Count(int(max(left, 0)), "row"), grouped.Count(len(cells), "column"), megabytes(float64(need(cells))*float64(left)), megabytes(float64(most)))
	}
	for _, group := range file.RowGroups() {
		n, err := readRows(group, cells, left)
		if err != nil {
			return nil, fmt.Errorf("is damaged (%w)", err)
		}
		left -= n
	}
	for _, c := range cells {
		columns = append(columns, c.values())
	}
	return columns, nil
}

// maxDecoded is how much memory the columns of a Parquet file may take: 1.6 GB, 10⁸ numbers. A file of a megabyte can hold more rows than any memory, if they are alike.
const maxDecoded = 1_600_000_000

// need is how many bytes of memory a row takes: a number as it is read and in the table, the digits of a whole number that may be a key, a text without its characters.
func need(cells []*parquetCells) (bytes int64) {
	for _, c := range cells {
		switch {
		case c.textual():
			bytes += 48
		case c.kind == parquet.Int64:
			bytes += 24
		default:
			bytes += 16
		}
	}
	return max(1, bytes)
}

func megabytes(bytes float64) string {
	return fmt.Sprintf("%s MB", grouped.Digits(int(min(bytes, 1e18)/1e6)))
}

// readRows reads the rows of a group, of which there are at most so many, and returns how many there were.
func readRows(group parquet.RowGroup, cells []*parquetCells, most int64) (read int64, err error) {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, batchRows)
	for {
		n, err := rows.ReadRows(batch)
		if read += int64(n); read > most {
			return read, errors.New("it has more rows than its footer says")
		}
		for _, row := range batch[:n] {
			for _, v := range row {
				if err := cells[v.Column()].add(v); err != nil {
					return read, err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
}

// parquetCells collects the cells of one column: as numbers, and where a number is no float64 or the column has texts, as words.
type parquetCells struct {
	name    string
	kind    parquet.Kind
	numbers []float64
	wholes  []int64  // of a column of them
	words   []string // of a column of texts
	large   bool     // a whole number that no float64 is
}

// cellsOf checks that every column can be read.
func cellsOf(schema *parquet.Schema) ([]*parquetCells, error) {
	var out []*parquetCells
	for _, f := range schema.Fields() {
		switch {
		case !f.Leaf() || f.Repeated():
			return nil, fmt.Errorf("column %s is nested; a table has flat columns", f.Name())
		case f.Type().LogicalType() != nil && !asStored(f.Type()):
			return nil, fmt.Errorf("column %s is of type %s; convert it to a number or a text, or leave it out", f.Name(), f.Type())
		}
		out = append(out, &parquetCells{name: f.Name(), kind: f.Type().Kind()})
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

func (c *parquetCells) add(v parquet.Value) error {
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
			if text = string(v.ByteArray()); !isText(text) {
				return fmt.Errorf("column %s holds bytes that are no text", c.name)
			}
		default:
			return fmt.Errorf("column %s is of type %s, which is not supported", c.name, c.kind)
		}
	}
	switch {
	case c.textual():
		c.words = append(c.words, text)
		return nil
	case c.kind == parquet.Int64:
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
