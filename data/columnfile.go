package data

import (
	"errors"
	"runtime/debug"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/spill"
)

// A columnFile is a file of whole columns, such as Parquet.
type columnFile struct {
	*input
	decode func(text []byte, o decoding) ([]Values, error)
	// decode returns numbers side by side, in memory that the table may keep
	adjacent bool
}

// A decoding is which columns are read, and where to.
type decoding struct {
	most int64          // bytes that columns may take
	only string         // this column alone; "": all
	hold *spill.Storage // of numbers
	rest func()         // gives back the pages of the file that have been read; nil: there are none
}

// Read implements Reader.
func (f *columnFile) Read() (*Table, diag.List) {
	columns, list := f.columns("")
	if list.HasErrors() {
		return nil, list
	}
	table, list := (&memory{f.name, columns, f.adjacent}).Read()
	if table != nil {
		table.reader, table.Format = f, f.packed
	}
	return table, list
}

// columns reads one column, or all.
func (f *columnFile) columns(only string) ([]Values, diag.List) {
	var list diag.List
	text, rest, done, err := f.text()
	if err != nil {
		fail(&list, diag.Unreadable, f.name, "%s", reason(err))
		return nil, list
	}
	defer done()
	// a file that another program cuts off is a fault where it is read
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	columns, err := f.decode(text, decoding{f.most, only, f.hold, rest})
	if coded := Errors(nil); errors.As(err, &coded) {
		return nil, diag.List(coded.At(f.name))
	}
	if err != nil {
		fail(&list, diag.Unreadable, f.name, "%v", err)
	}
	return columns, list
}

// broken is the error that a decoder's panic is: of a fault, that the file is no longer what it was when it
// was mapped.
func broken(panicked any, format string) error {
	if _, fault := panicked.(interface{ Addr() uintptr }); fault {
		return errors.New("was shortened while it was read, or its disk fails: where another program writes " +
			"it, wait for that to end")
	}
	return errors.New("is no " + format + " file, or is damaged")
}

// text is all of the file, unpacked, until done is called.
func (f *columnFile) text() (text []byte, rest, done func(), err error) {
	if f.packed == "" {
		return safefile.View(f.name, f.most, f.open)
	}
	return safefile.Whole(f.open)
}

// Texts implements Reader.
func (f *columnFile) Texts(name string) ([]string, error) {
	columns, list := f.columns(name)
	if list.HasErrors() {
		return nil, Errors(list)
	}
	return (&memory{name: f.name, columns: columns}).Texts(name)
}

// maxDecoded is how much memory the texts of a compressed file may take: 1.6 GB. A file of a megabyte can
// hold more of them than any memory, if they are alike.
const maxDecoded = 1_600_000_000
