package data

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/spill"
)

// A Reader is a table before it is read: a file of some format, or columns in memory. A new format is one
// file and one line in newReader.
type Reader interface {
	// Read returns the columns, each typed as numbers or words. The table is nil if and only if there are
	// errors.
	Read() (*Table, diag.List)
	// Texts returns the cells of one column or entry as they are written, in the order of the file. Keys such
	// as 007 and messages that quote a cell need the text, which numbers do not keep; a file is read again.
	Texts(name string) ([]string, error)
}

// How an Arrow file begins, and a stream of version 5 of the format.
const (
	arrowMark   = "ARROW1"
	arrowStream = "\xff\xff\xff\xff"
)

// newReader returns the reader of a source of at most so many bytes: a table of a database where it is the
// address of one, Parquet, Arrow or Stan-JSON as it begins, else CSV. What is compressed is unpacked.
func newReader(path string, most int64, hold *spill.Storage) (Reader, error) {
	if d, err := databaseOf(path); d != nil || err != nil {
		if d != nil {
			d.most = most
		}
		return d, err
	}
	in, err := inputOf(path, most)
	if err != nil {
		return nil, errors.New(reason(err))
	}
	in.hold = hold
	if err := in.foreign(); err != nil {
		return nil, err
	}
	switch {
	case in.ending() == ".json", in.ending() == "" && bytes.HasPrefix(bytes.TrimSpace(in.head), []byte("{")):
		return &jsonFile{name: path, open: in.open}, nil
	case in.ending() == ".parquet", bytes.HasPrefix(in.head, []byte("PAR1")):
		return &columnFile{input: in, decode: parquetColumns, adjacent: true}, nil
	case slices.Contains([]string{".arrow", ".feather", ".ipc", ".arrows"}, in.ending()),
		bytes.HasPrefix(in.head, []byte(arrowMark)), bytes.HasPrefix(in.head, []byte(arrowStream)):
		return &columnFile{input: in, decode: arrowColumns}, nil
	}
	return &csvFile{name: path, open: in.open, packed: in.packed, most: most, hold: hold}, nil
}

// Open reads a table from a file or a database. The table is nil if and only if there are errors.
func Open(path string) (*Table, diag.List) { return openFile(path, safefile.MaxBytes, nil) }

func openFile(path string, most int64, hold *spill.Storage) (*Table, diag.List) {
	var list diag.List
	r, err := newReader(path, most, hold)
	if err != nil {
		fail(&list, diag.Unreadable, shown(path), "%v", err)
		return nil, list
	}
	t, list := r.Read()
	if t != nil {
		t.hold = hold
	}
	return t, list
}

// ReadCSV reads a table with a header row from its text. The table is nil if and only if there are errors.
func ReadCSV(name string, text []byte) (*Table, diag.List) {
	return (&csvFile{name: name, open: textOpener(text)}).Read()
}

// ReadJSON reads a Stan-JSON document from its text. The table is nil if and only if there are errors.
func ReadJSON(name string, text []byte) (*Table, diag.List) {
	return Document(name, text).Read()
}

// Document is a Stan-JSON document in memory.
func Document(name string, text []byte) Reader {
	return &jsonFile{name: name, open: textOpener(text)}
}

// An opener opens a file at its beginning, as often as it is called.
type opener func() (io.ReadCloser, error)

func textOpener(text []byte) opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
}

// fileOpener opens a file of at most so many bytes. A file that can be read only once, such as a pipe, is
// kept in memory.
func fileOpener(path string, most int64) opener {
	var kept opener
	return func() (io.ReadCloser, error) {
		if kept != nil {
			return kept()
		}
		f, err := safefile.Open(path, most)
		if err != nil || f.Again {
			return f, err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		kept = textOpener(text)
		return kept()
	}
}
