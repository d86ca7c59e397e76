package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

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
	columns, err := parquetColumns(text)
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
func parquetColumns(text []byte) (columns []Values, err error) {
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
	for _, group := range file.RowGroups() {
		if err := readRows(group, cells); err != nil {
			return nil, fmt.Errorf("is damaged (%w)", err)
		}
	}
	for _, c := range cells {
		columns = append(columns, c.values())
	}
	return columns, nil
}

func readRows(group parquet.RowGroup, cells []*parquetCells) error {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, batchRows)
	for {
		n, err := rows.ReadRows(batch)
		for _, row := range batch[:n] {
			for _, v := range row {
				if err := cells[v.Column()].add(v); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parquetCells collects the cells of one column: as numbers, and where a number is no float64 or the column has texts, as words.
type parquetCells struct {
	name    string
	kind    parquet.Kind
	numbers []float64
	words   []string
	large   bool // a whole number that no float64 is
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
			number, text = float64(v.Int64()), strconv.FormatInt(v.Int64(), 10)
			c.large = c.large || math.Abs(number) >= maxWhole
		case parquet.Float:
			number = float64(v.Float())
		case parquet.Double:
			number = v.Double()
		case parquet.ByteArray, parquet.FixedLenByteArray:
			if text = string(v.ByteArray()); !utf8.ValidString(text) {
				return fmt.Errorf("column %s holds bytes that are no text", c.name)
			}
		default:
			return fmt.Errorf("column %s is of type %s, which is not supported", c.name, c.kind)
		}
	}
	if c.kind == parquet.Int64 || c.textual() {
		c.words = append(c.words, text)
	}
	c.numbers = append(c.numbers, number)
	return nil
}

func (c *parquetCells) textual() bool {
	return c.kind == parquet.ByteArray || c.kind == parquet.FixedLenByteArray
}

func (c *parquetCells) values() Values {
	if c.textual() || c.large {
		return Values{Name: c.name, Words: c.words}
	}
	return Values{Name: c.name, Numbers: c.numbers}
}
