package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// maxRank bounds the nesting of arrays in a document: far more than any declaration can have, far less than
// the stack allows.
const maxRank = 16

// A jsonFile is a Stan-JSON document: an object of numbers and regular nested arrays, by name. "NaN", "Inf"
// and the like are strings there, as Stan writes them; other strings are categories. An entry of another kind
// is an error only where it is used.
type jsonFile struct {
	name string
	open opener
}

// Read implements Reader.
func (f *jsonFile) Read() (*Table, diag.List) {
	r := f.read(func(a *Array, cells []string) { a.Column, a.serial = typed(a.Name, cells) })
	if len(r.list) > 0 {
		return nil, r.list
	}
	return r.table, nil
}

// Texts implements Reader.
func (f *jsonFile) Texts(name string) ([]string, error) {
	var out []string
	r := f.read(func(a *Array, cells []string) {
		if a.Name == name {
			out = slices.Clone(cells)
		}
	})
	if len(r.list) > 0 {
		return nil, Errors(r.list)
	}
	return out, nil
}

// read calls take with the cells of each entry as they are written, in row-major order.
func (f *jsonFile) read(take func(a *Array, cells []string)) *jsonReader {
	r := &jsonReader{line: 1, take: take, table: newTable(f.name, f)}
	r.table.Document = true
	source, err := f.open()
	if err == nil {
		defer source.Close()
		r.text, err = io.ReadAll(source)
	}
	if err != nil {
		fail(&r.list, diag.Unreadable, f.name, "%s", reason(err))
		return r
	}
	r.text = bytes.TrimPrefix(r.text, []byte("\ufeff"))
	r.dec = json.NewDecoder(bytes.NewReader(r.text))
	r.dec.UseNumber()
	if err := r.document(); err != nil {
		r.fail(err)
	}
	r.text, r.dec = nil, nil
	return r
}

type jsonReader struct {
	text   []byte
	dec    *json.Decoder
	table  *Table
	take   func(a *Array, cells []string)
	cells  []string // of the entry that is being read
	list   diag.List
	line   int // of the last token
	offset int // up to where line breaks have been counted
}

// token reads one token and sets line to the line where it ends.
func (r *jsonReader) token() (json.Token, error) {
	tok, err := r.dec.Token()
	if err == nil {
		r.countTo(int(r.dec.InputOffset()))
	}
	return tok, err
}

func (r *jsonReader) countTo(offset int) {
	offset = min(offset, len(r.text))
	if offset > r.offset {
		r.line += bytes.Count(r.text[r.offset:offset], []byte("\n"))
		r.offset = offset
	}
}

var errNoObject = errors.New(`expected an object of named numbers and arrays, as {"N": 3, "y": [1, 2, 3]}`)

func (r *jsonReader) document() error {
	if tok, err := r.token(); err != nil {
		return err
	} else if tok != json.Delim('{') {
		return errNoObject
	}
	for r.dec.More() {
		if err := r.entry(); err != nil {
			return err
		}
	}
	if _, err := r.token(); err != nil {
		return err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the end of the document")
	}
	return nil
}

func (r *jsonReader) entry() error {
	tok, err := r.token()
	if err != nil {
		return err
	}
	name, _ := tok.(string) // the decoder allows nothing else as a key
	a := &Array{line: r.line, lines: &lines{}}
	a.Name = name
	r.cells = r.cells[:0]
	if err := r.value(a); err != nil {
		return err
	}
	if _, dup := r.table.byName[name]; dup {
		fail(&r.list, diag.DuplicateColumn, place(r.table.Name, a.line),
			"entry %s: the name appears twice; rename one", name)
		return nil
	}
	r.take(a, r.cells)
	r.table.add(a)
	return nil
}

// value reads the value of an entry. It finds the dimensions on the way down to the first cell and checks
// every later array against them.
func (r *jsonReader) value(a *Array) error {
	tok, err := r.token()
	if err != nil {
		return err
	}
	return r.nested(a, tok, 0)
}

func (r *jsonReader) nested(a *Array, tok json.Token, depth int) error {
	switch v := tok.(type) {
	case json.Delim:
		if v == '{' {
			a.irregular("is an object; vfl reads numbers and arrays of numbers")
			return r.skip()
		}
		return r.array(a, depth)
	case json.Number:
		r.cell(a, v.String(), depth)
	case string:
		r.cell(a, strings.TrimSpace(v), depth)
	case bool:
		r.cell(a, fmt.Sprint(v), depth)
	default:
		r.cell(a, "", depth) // null: a missing value
	}
	return nil
}

func (a *Array) irregular(format string, args ...any) {
	if a.problem == "" {
		a.problem = fmt.Sprintf(format, args...)
	}
}

func (r *jsonReader) cell(a *Array, text string, depth int) {
	if depth != len(a.Dims) {
		a.irregular("mixes numbers and arrays; every part of an array must have the same shape")
	}
	if !isText(text) {
		a.irregular("holds a NUL character, which no text has")
	}
	if a.problem == "" {
		r.cells = append(r.cells, text)
		a.lines.add(r.line)
	}
}

func (r *jsonReader) array(a *Array, depth int) error {
	if depth >= maxRank {
		a.irregular("is nested more than %d deep", maxRank)
		return r.skip()
	}
	first := len(r.cells) == 0 && depth == len(a.Dims) && a.problem == ""
	if first {
		a.Dims = append(a.Dims, -1)
	} else if depth >= len(a.Dims) {
		a.irregular("mixes numbers and arrays; every part of an array must have the same shape")
	}
	n := 0
	for ; r.dec.More(); n++ {
		tok, err := r.token()
		if err != nil {
			return err
		}
		if err := r.nested(a, tok, depth+1); err != nil {
			return err
		}
	}
	switch {
	case a.problem != "":
	case a.Dims[depth] < 0:
		a.Dims[depth] = n
	case a.Dims[depth] != n:
		a.irregular("is not regular: line %d ends an array of %d values where others have %d", r.line, n,
			a.Dims[depth])
	}
	_, err := r.token() // the closing bracket
	return err
}

// skip reads to the end of the object or array that was just opened.
func (r *jsonReader) skip() error {
	for depth := 1; depth > 0; {
		tok, err := r.token()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

func (r *jsonReader) fail(err error) {
	// The offset of a SyntaxError counts wrongly between tokens; the offset of the decoder is at the start of
	// the text that it rejected.
	at := min(int(r.dec.InputOffset()), len(r.text))
	r.countTo(at)
	text := err.Error()
	switch {
	case nonFinite(r.text[at:]):
		text = `JSON has no bare NaN or Infinity; Stan writes them in quotes, as "NaN"`
	case len(bytes.TrimSpace(r.text)) == 0:
		text = errNoObject.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.countTo(len(bytes.TrimRight(r.text, " \t\r\n")))
		text = "the document ends too early; a closing bracket or quote is missing"
	}
	fail(&r.list, diag.BadJSON, place(r.table.Name, r.line), "%s", text)
}

// nonFinite reports whether text starts with NaN or Inf, which other programs write and JSON does not allow.
func nonFinite(text []byte) bool {
	text = bytes.TrimPrefix(bytes.TrimLeft(text, " \t\r\n,:"), []byte("-"))
	return bytes.HasPrefix(text, []byte("NaN")) || bytes.HasPrefix(text, []byte("Inf"))
}
