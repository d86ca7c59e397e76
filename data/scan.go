package data

import (
	"bytes"
	"errors"
	"io"
)

// errQuote is a quote that is not closed, or that stands where none may.
var errQuote = errors.New(`a quoted cell is not closed, or a quote stands inside a cell; write a quote inside a quoted cell twice ("")`)

// scanBuffer is how much of a file is read at once: small enough for the second cache.
const scanBuffer = 256 << 10

// A scanner splits CSV (RFC 4180) into records, without a string for each cell. Blank lines are no records; CRLF ends a line as LF does, in
// a quoted cell too.
type scanner struct {
	source     io.Reader
	buffer     []byte
	start, end int   // what of the buffer is not yet read
	failed     error // of the source, io.EOF at its end
	line       int   // of the last line read, counted from 1
	fields     [][]byte
	quoted     []byte // the text of the fields of a record with quotes
	ends       []int  // of the fields in quoted
}

func newScanner(source io.Reader) *scanner {
	return &scanner{source: source, buffer: make([]byte, scanBuffer)}
}

// next returns the cells of the next record as they are written but for quotes, and the line where it starts. They are valid until the next
// call. The error is io.EOF, errQuote, or of the source.
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
		k := bytes.IndexByte(text, ',')
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

// take returns a line of n bytes, and passes its end. The first line may have a byte-order mark.
func (s *scanner) take(n, end int) []byte {
	text := s.buffer[s.start : s.start+n]
	s.start += n + end
	if s.line++; s.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return bytes.TrimSuffix(text, []byte("\r"))
}

// fill reads more after what is not yet read, which it moves to the front of the buffer. A buffer that is full doubles.
func (s *scanner) fill() {
	if s.start == 0 && s.end == len(s.buffer) {
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

// quotedRecord splits a record with quotes, which may go over several lines.
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

// plainField takes a cell without quotes. more says that another cell follows in rest.
func (s *scanner) plainField(text []byte) (rest []byte, more bool, err error) {
	field, rest, more := bytes.Cut(text, []byte(","))
	if bytes.IndexByte(field, '"') >= 0 {
		return nil, false, errQuote
	}
	s.quoted = append(s.quoted, field...)
	return rest, more, nil
}

// quotedField takes a cell after its opening quote.
func (s *scanner) quotedField(text []byte) (rest []byte, more bool, err error) {
	for {
		k := bytes.IndexByte(text, '"')
		if k < 0 { // the cell goes on in the next line
			s.quoted = append(append(s.quoted, text...), '\n')
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
		case text[0] == ',':
			return text[1:], true, nil
		case text[0] != '"':
			return nil, false, errQuote
		}
		s.quoted = append(s.quoted, '"')
		text = text[1:]
	}
}
