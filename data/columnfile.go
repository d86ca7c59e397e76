package data

import (
	"errors"
	"io"

	"github.com/vflc/vflc/lang/diag"
)

// A columnFile is a file of whole columns, such as Parquet.
type columnFile struct {
	*input
	decode func(text []byte, most int64) ([]Values, error) // columns that take at most so much memory
	read   *memory                                         // once read
}

// Read implements Reader.
func (f *columnFile) Read() (*Table, diag.List) {
	var list diag.List
	text, err := f.text()
	if err != nil {
		fail(&list, diag.Unreadable, f.name, "%s", reason(err))
		return nil, list
	}
	columns, err := f.decode(text, min(f.most, maxDecoded))
	if coded := Errors(nil); errors.As(err, &coded) {
		return nil, diag.List(coded.At(f.name))
	}
	if err != nil {
		fail(&list, diag.Unreadable, f.name, "%v", err)
		return nil, list
	}
	f.read = &memory{f.name, columns}
	table, list := f.read.Read()
	if table != nil {
		table.reader, table.Format = f, f.packed
	}
	return table, list
}

// text is all of the file, unpacked.
func (f *columnFile) text() ([]byte, error) {
	source, err := f.open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	return io.ReadAll(source)
}

// Texts implements Reader.
func (f *columnFile) Texts(name string) ([]string, error) { return f.read.Texts(name) }

// maxDecoded is how much memory the columns of a compressed file may take: 1.6 GB, 10⁸ numbers. A file of a
// megabyte can hold more rows than any memory, if they are alike.
const maxDecoded = 1_600_000_000
