//go:build !light

package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	heap "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
)

// arrowColumns reads the columns of an Arrow file (Feather of version 2) or stream: numbers, booleans (0 and
// 1), texts, categories, and dates and times as ISO 8601 writes them. A null is a missing cell. The decoder
// panics on some damaged files, which is an error here.
func arrowColumns(text []byte, o decoding) (columns []Values, err error) {
	most := min(o.most, maxDecoded)
	defer func() {
		if r := recover(); r != nil {
			columns, err = nil, broken(r, "Arrow")
			if r == errTooLarge {
				err = errTooLarge
			}
		}
	}()
	if err := arrowSizes(text, most); err != nil {
		return nil, err
	}
	schema, batch, err := arrowBatches(text, ipc.WithAllocator(&limited{heap.DefaultAllocator, most}))
	if err != nil {
		return nil, fmt.Errorf("is no Arrow file, or is damaged (%w)", err)
	}
	cells, read, err := arrowCells(schema)
	if err != nil {
		return nil, err
	}
	row := int64(1) // bytes of memory: of the columns, and of the table that copies them
	for _, c := range cells {
		row += 2 * c.need()
	}
	room, rows := most, int64(0)
	for {
		b, err := batch()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("is damaged (%w)", err)
		}
		if rows += b.NumRows(); rows > most/row {
			return nil, errTooLarge
		}
		for k, c := range cells {
			add := func(v parquet.Value) error { return c.add(v, &room) }
			if err := read[k](b.Column(k), add); err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		b.Release()
	}
	for _, c := range cells {
		if o.only == "" || c.name == o.only {
			columns = append(columns, c.values())
		}
	}
	return columns, nil
}

// arrowBatches opens a file or a stream, and returns what reads its batches one after another.
func arrowBatches(text []byte, o ipc.Option) (*arrow.Schema, func() (arrow.RecordBatch, error), error) {
	if bytes.HasPrefix(text, []byte(arrowMark)) {
		f, err := ipc.NewFileReader(bytes.NewReader(text), o)
		if err != nil {
			return nil, nil, err
		}
		at := -1
		return f.Schema(), func() (arrow.RecordBatch, error) {
			if at++; at == f.NumRecords() {
				return nil, io.EOF
			}
			return f.RecordBatchAt(at)
		}, nil
	}
	s, err := ipc.NewReader(bytes.NewReader(text), o)
	if err != nil {
		return nil, nil, err
	}
	return s.Schema(), s.Read, nil
}

// errTooLarge is the error of a file whose columns take more memory than they may.
var errTooLarge = errors.New("takes more memory than the limit, once it is unpacked: leave out columns that no " +
	"declaration binds, or divide the rows")

// A limited allocator gives out so many bytes at most: a compressed buffer says how many it takes.
type limited struct {
	heap.Allocator
	left int64
}

// Allocate implements heap.Allocator.
func (a *limited) Allocate(size int) []byte {
	if a.left -= int64(size); a.left < 0 {
		panic(errTooLarge)
	}
	return a.Allocator.Allocate(size)
}

// Reallocate implements heap.Allocator.
func (a *limited) Reallocate(size int, b []byte) []byte {
	if a.left -= int64(size - cap(b)); a.left < 0 {
		panic(errTooLarge)
	}
	return a.Allocator.Reallocate(size, b)
}

// Free implements heap.Allocator.
func (a *limited) Free(b []byte) {
	a.left += int64(cap(b))
	a.Allocator.Free(b)
}

// An arrowReader adds the cells of a column of one batch.
type arrowReader func(a arrow.Array, add func(parquet.Value) error) error

// arrowCells checks that every column can be read, and returns what reads it.
func arrowCells(schema *arrow.Schema) (cells []*parquetCells, read []arrowReader, err error) {
	for _, f := range schema.Fields() {
		kind, of := arrowKind(f.Type)
		if of == nil {
			return nil, nil, fmt.Errorf("column %s is of type %s; convert it to a number or a text, or leave "+
				"it out", f.Name, f.Type)
		}
		cells = append(cells, &parquetCells{name: f.Name, kind: kind, exact: true,
			known: map[string]string{}})
		read = append(read, func(a arrow.Array, add func(parquet.Value) error) error {
			value := of(a)
			for i := range a.Len() {
				v := parquet.NullValue()
				if !a.IsNull(i) {
					v = value(i)
				}
				if err := add(v); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cells, read, nil
}

// arrowKind returns how cells of a type are kept, and what gives those of an array; nil for a type that a
// table does not have.
func arrowKind(t arrow.DataType) (kind parquet.Kind, of func(arrow.Array) func(i int) parquet.Value) {
	switch t := t.(type) {
	case *arrow.BooleanType:
		return parquet.Boolean, func(a arrow.Array) func(i int) parquet.Value {
			b := a.(*array.Boolean)
			return func(i int) parquet.Value { return parquet.BooleanValue(b.Value(i)) }
		}
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.Uint8Type,
		*arrow.Uint16Type, *arrow.Uint32Type:
		return parquet.Int64, wholes
	case *arrow.Float32Type:
		return parquet.Double, func(a arrow.Array) func(i int) parquet.Value {
			v := a.(*array.Float32).Float32Values()
			return func(i int) parquet.Value { return parquet.DoubleValue(float64(v[i])) }
		}
	case *arrow.Float64Type:
		return parquet.Double, func(a arrow.Array) func(i int) parquet.Value {
			v := a.(*array.Float64).Float64Values()
			return func(i int) parquet.Value { return parquet.DoubleValue(v[i]) }
		}
	case *arrow.NullType:
		return parquet.Double, func(arrow.Array) func(i int) parquet.Value { return nil }
	case *arrow.DictionaryType:
		kind, entry := arrowKind(t.ValueType)
		if entry == nil {
			return kind, nil
		}
		return kind, func(a arrow.Array) func(i int) parquet.Value {
			d := a.(*array.Dictionary)
			value := entry(d.Dictionary())
			return func(i int) parquet.Value {
				k := d.GetValueIndex(i)
				if d.Dictionary().IsNull(k) {
					return parquet.NullValue()
				}
				return value(k)
			}
		}
	}
	return parquet.ByteArray, arrowTexts(t)
}

// arrowTexts returns what gives the texts of an array of texts, dates or times, nil for other types.
func arrowTexts(t arrow.DataType) func(arrow.Array) func(i int) parquet.Value {
	text := func(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) }
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return func(a arrow.Array) func(i int) parquet.Value {
			s := a.(array.StringLike)
			return func(i int) parquet.Value { return text(s.Value(i)) }
		}
	case *arrow.Date32Type:
		return func(a arrow.Array) func(i int) parquet.Value {
			d := a.(*array.Date32)
			return func(i int) parquet.Value { return text(d.Value(i).ToTime().Format(time.DateOnly)) }
		}
	case *arrow.TimestampType:
		return func(a arrow.Array) func(i int) parquet.Value {
			s := a.(*array.Timestamp)
			return func(i int) parquet.Value {
				return text(s.Value(i).ToTime(t.Unit).UTC().Format(time.RFC3339Nano))
			}
		}
	}
	return nil
}

// wholes returns what gives the numbers of an array of whole numbers.
func wholes(a arrow.Array) func(i int) parquet.Value {
	switch a := a.(type) {
	case *array.Int64:
		return whole64(a.Int64Values())
	case *array.Int32:
		return whole64(a.Int32Values())
	case *array.Int16:
		return whole64(a.Int16Values())
	case *array.Int8:
		return whole64(a.Int8Values())
	case *array.Uint32:
		return whole64(a.Uint32Values())
	case *array.Uint16:
		return whole64(a.Uint16Values())
	}
	return whole64(a.(*array.Uint8).Uint8Values())
}

func whole64[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](v []T) func(i int) parquet.Value {
	return func(i int) parquet.Value { return parquet.Int64Value(int64(v[i])) }
}
