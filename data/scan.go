package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errQuote is a quote that is not closed, or that is in a wrong place.
var errQuote = errors.New(
	`a quoted cell is not closed, or a cell contains a quote; quote the cell, and write a quote inside it twice ("")`,
)

// errLong is a record that no table has: a file of another kind, or a quote that is closed much later.
var errLong = fmt.Errorf("a row of more than %d MB; if a cell is quoted, look for the quote that closes it",
	mostRecord>>20)

// mostRecord is how many bytes a record may have: three million cells of 20 characters.
const mostRecord = 64 << 20

// scanBuffer is the number of bytes of a file that are read at once: few enough for the second-level cache.
const scanBuffer = 256 << 10

// A scanner splits CSV (RFC 4180, with any separator) into records, without a string for each cell. Blank
// lines are not records; CRLF ends a line as LF does, also in a quoted cell.
type scanner struct {
	source     io.Reader
	buffer     []byte
	start, end int   // the part of the buffer that is not yet read
	failed     error // the error of the source, io.EOF at its end
	line       int   // of the last line read, counted from 1
	fields     [][]byte
	separator  byte
	quoted     []byte // the text of the fields of a record with quotes
	ends       []int  // of the fields in quoted
}

func newScanner(source io.Reader, separator byte) *scanner {
	return &scanner{source: source, separator: separator, buffer: make([]byte, scanBuffer)}
}

// next returns the cells of the next record as they are written except for quotes, and the line where it
// starts. They are valid until the next call. The error is io.EOF, errQuote, errLong, or of the source.
func (s *scanner) next() (fields [][]byte, line int, err error) {
	text, err := s.nextLine()
	for err == nil && len(text) == 0 {
		text, err = s.nextLine()
	}
	if err != nil {
		return nil, s.line, err
	}
	line = s.line
	if bytes.IndexByte(text, '"') >= 0 {
		fields, err = s.quotedRecord(text)
		return fields, line, err
	}
	s.fields = s.fields[:0]
	for {
		k := bytes.IndexByte(text, s.separator)
		if k < 0 {
			s.fields = append(s.fields, text)
			return s.fields, line, nil
		}
		s.fields = append(s.fields, text[:k])
		text = text[k+1:]
	}
}

// nextLine returns the next line without its end.
func (s *scanner) nextLine() ([]byte, error) {
	seen := 0
	for {
		if k := bytes.IndexByte(s.buffer[s.start+seen:s.end], '\n'); k >= 0 {
			return s.take(seen+k, 1), nil
		}
		seen = s.end - s.start
		if s.failed != nil {
			break
		}
		s.fill()
	}
	if s.failed != io.EOF || seen == 0 {
		return nil, s.failed
	}
	return s.take(seen, 0), nil
}

// take returns a line of n bytes, and skips its end. The first line may have a byte-order mark.
func (s *scanner) take(n, end int) []byte {
	text := s.buffer[s.start : s.start+n]
	s.start += n + end
	if s.line++; s.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return bytes.TrimSuffix(text, []byte("\r"))
}

// fill moves the unread part to the front of the buffer and reads more after it. A full buffer doubles, up to
// the size of a record.
func (s *scanner) fill() {
	if s.start == 0 && s.end == len(s.buffer) {
		if len(s.buffer) >= mostRecord {
			s.failed = errLong
			s.line++ // of which the beginning is read
			return
		}
		s.buffer = append(s.buffer, make([]byte, len(s.buffer))...)
	}
	s.end = copy(s.buffer, s.buffer[s.start:s.end])
	s.start = 0
	for range 100 { // as many empty reads as bufio allows
		n, err := s.source.Read(s.buffer[s.end:])
		s.end += n
		s.failed = err
		if n > 0 || err != nil {
			return
		}
	}
	s.failed = io.ErrNoProgress
}

// quotedRecord splits a record with quotes, which may have several lines.
func (s *scanner) quotedRecord(text []byte) ([][]byte, error) {
	s.quoted, s.ends = s.quoted[:0], s.ends[:0]
	for more := true; more; {
		var err error
		if len(text) > 0 && text[0] == '"' {
			text, more, err = s.quotedField(text[1:])
		} else {
			text, more, err = s.plainField(text)
		}
		if err != nil {
			return nil, err
		}
		s.ends = append(s.ends, len(s.quoted))
	}
	s.fields = s.fields[:0]
	from := 0
	for _, end := range s.ends {
		s.fields = append(s.fields, s.quoted[from:end])
		from = end
	}
	return s.fields, nil
}

// plainField reads a cell without quotes. more reports whether another cell follows in rest.
func (s *scanner) plainField(text []byte) (rest []byte, more bool, err error) {
	field := text
	if k := bytes.IndexByte(text, s.separator); k >= 0 {
		field, rest, more = text[:k], text[k+1:], true
	}
	if bytes.IndexByte(field, '"') >= 0 {
		return nil, false, errQuote
	}
	s.quoted = append(s.quoted, field...)
	return rest, more, nil
}

// quotedField reads a cell after its opening quote.
func (s *scanner) quotedField(text []byte) (rest []byte, more bool, err error) {
	for {
		k := bytes.IndexByte(text, '"')
		if k < 0 { // the cell continues in the next line
			s.quoted = append(append(s.quoted, text...), '\n')
			if len(s.quoted) > mostRecord {
				return nil, false, errLong
			}
			if text, err = s.nextLine(); err == io.EOF {
				err = errQuote
			}
			if err != nil {
				return nil, false, err
			}
			continue
		}
		s.quoted = append(s.quoted, text[:k]...)
		text = text[k+1:]
		switch {
		case len(text) == 0:
			return nil, false, nil
		case text[0] == s.separator:
			return text[1:], true, nil
		case text[0] != '"':
			return nil, false, errQuote
		}
		s.quoted = append(s.quoted, '"')
		text = text[1:]
	}
}
