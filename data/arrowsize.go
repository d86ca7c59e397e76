//go:build !light

package data

import (
	"bytes"
	"encoding/binary"
	"errors"

	flatbuffers "github.com/google/flatbuffers/go"
)

// errCounts is the error of metadata that count more entries than they have bytes.
var errCounts = errors.New("is damaged: its metadata count more than they hold")

// arrowSizes refuses an Arrow file or stream whose metadata say that they hold more fields, entries or texts
// than they do, or would take more than so many bytes: the decoder reserves memory by these numbers before it
// looks at what is there. It panics where a place lies outside the text. Slots are those of the project's
// Message.fbs, Schema.fbs and File.fbs (https://arrow.apache.org/docs/format/Columnar.html).
func arrowSizes(text []byte, most int64) error {
	a := &arrowMeter{left: most}
	if !bytes.HasPrefix(text, []byte(arrowMark)) {
		return a.stream(text)
	}
	end := len(text) - len(arrowMark)
	size := int(binary.LittleEndian.Uint32(text[end-4:]))
	footer := rootOf(text[end-4-size : end-4])
	schema, ok := inner(footer, 1)
	if ok {
		a.schema(schema)
	}
	for _, slot := range []int{2, 3} {
		blocks, n := a.vector(footer, slot, 24)
		for i := range n {
			at := footer.GetInt64(blocks + flatbuffers.UOffsetT(24*i))
			if _, err := a.message(text[at:]); err != nil {
				return err
			}
		}
	}
	return a.err
}

// An arrowMeter adds up what metadata take.
type arrowMeter struct {
	left int64
	err  error
}

// stream goes through the messages of a stream.
func (a *arrowMeter) stream(text []byte) error {
	for len(text) > 0 {
		n, err := a.message(text)
		if n == 0 || err != nil {
			return err
		}
		text = text[n:]
	}
	return a.err
}

// message looks at the message at the start of a text and returns how many bytes it and its body have, 0 for
// the mark of the end. What is cut off is the decoder's to name.
func (a *arrowMeter) message(text []byte) (int, error) {
	prefix, size := 4, binary.LittleEndian.Uint32(text)
	if size == 0xffffffff {
		prefix, size = 8, binary.LittleEndian.Uint32(text[4:])
	}
	if size == 0 {
		return 0, a.err
	}
	metadata := text[prefix : prefix+int(size)]
	m := rootOf(metadata)
	a.pairs(m, 4)
	if header, ok := inner(m, 2); ok {
		switch m.GetByteSlot(slotOf(1), 0) {
		case 1:
			a.schema(header)
		case 2:
			if batch, ok := inner(header, 1); ok {
				a.batch(batch)
			}
		case 3:
			a.batch(header)
		}
	}
	body := m.GetInt64Slot(slotOf(3), 0)
	if rest := len(text) - prefix - int(size); body < 0 || body > int64(rest) {
		return 0, errCounts
	}
	return prefix + int(size) + int(body), a.err
}

// schema looks at the fields of a schema, and theirs.
func (a *arrowMeter) schema(t flatbuffers.Table) {
	a.pairs(t, 2)
	a.fields(t, 1, 0)
}

const (
	fieldSize    = 256 // bytes: at least what the decoder's value of a field takes
	fieldNesting = 64  // fields within fields, the decoder's limit for arrays
)

func (a *arrowMeter) fields(t flatbuffers.Table, slot, depth int) {
	at, n := a.vector(t, slot, 4)
	if n > 0 && depth == fieldNesting {
		a.err = errTooLarge
	}
	for i := 0; i < n && a.take(fieldSize); i++ {
		field := entry(t, at, i)
		a.pairs(field, 6)
		a.fields(field, 5, depth+1)
	}
}

// pairs looks at a vector of keys and values.
func (a *arrowMeter) pairs(t flatbuffers.Table, slot int) {
	at, n := a.vector(t, slot, 4)
	for i := 0; i < n && a.take(16); i++ {
		pair := entry(t, at, i)
		for _, part := range []int{0, 1} {
			if o := flatbuffers.UOffsetT(pair.Offset(slotOf(part))); o != 0 {
				a.take(16 + int64(len(pair.ByteVector(pair.Pos+o))))
			}
		}
	}
}

// batch looks at how many buffers each column of views says that it has.
func (a *arrowMeter) batch(t flatbuffers.Table) {
	_, buffers := a.vector(t, 2, 16)
	at, n := a.vector(t, 4, 8)
	for i := range n {
		if of := t.GetInt64(at + flatbuffers.UOffsetT(8*i)); of < 0 || of > int64(buffers) {
			a.err = errCounts
		}
	}
}

// take reserves so many bytes.
func (a *arrowMeter) take(n int64) bool {
	if a.left -= n; a.left < 0 && a.err == nil {
		a.err = errTooLarge
	}
	return a.err == nil
}

// vector returns where the entries of a vector begin, and how many there are; none where it is not there or
// longer than the metadata.
func (a *arrowMeter) vector(t flatbuffers.Table, slot, width int) (flatbuffers.UOffsetT, int) {
	o := flatbuffers.UOffsetT(t.Offset(slotOf(slot)))
	if o == 0 || a.err != nil {
		return 0, 0
	}
	at, n := t.Vector(o), t.VectorLen(o)
	if int64(at)+int64(width)*int64(n) > int64(len(t.Bytes)) {
		a.err = errCounts
		return 0, 0
	}
	return at, n
}

// rootOf returns the table that a text of metadata is.
func rootOf(text []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}
}

// slotOf returns the place of a slot in a table's vtable.
func slotOf(k int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*k) }

// inner returns the table in a slot.
func inner(t flatbuffers.Table, slot int) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(slotOf(slot)))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}, true
}

// entry returns entry i of a vector of tables.
func entry(t flatbuffers.Table, at flatbuffers.UOffsetT, i int) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}
}
