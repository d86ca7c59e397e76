package transport

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// frameVersion is the version of the form of messages as bytes.
const frameVersion = 3

// frameMagic begins every frame.
var frameMagic = [4]byte{'v', 'f', 'l', 'c'}

// Bounds on what Parse accepts, so that a frame cannot make it allocate more than its own length.
const (
	bytesPerNumber = 8
	headOfArray    = 2 + 1 + 1 + 1 + 1 + 2 + 2 + 4 // the bytes of an array without its name and numbers
	flagInvalid    = 1
	flagNotFinite  = 2
	mostStep       = 960 // of Short numbers in size, so that no product with an integer leaves the range
)

// Append appends a message as bytes, its frame: all numbers little-endian, texts after their length in 2
// bytes.
//
//	"vflc", version (1 byte), run (16), epoch (4), chain (4), round (8), sender, kind, reason, party, number of arrays (4);
//	each array: name, encoding (1), flags (1: bit 0 is Invalid, bit 1 NotFinite), size (1), next size (1), step (2), grid (2),
//	number of numbers (4), these
//
// The same message always gives the same bytes. It panics where a text is longer than 65,535 bytes, which no
// name is, and where an array has numbers of another encoding than its own.
func Append(dst []byte, m Message) []byte {
	dst = append(append(dst, frameMagic[:]...), frameVersion)
	dst = append(dst, m.Run[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, m.Epoch)
	dst = binary.LittleEndian.AppendUint32(dst, m.Chain)
	dst = binary.LittleEndian.AppendUint64(dst, m.Round)
	for _, text := range []string{m.Sender, m.Kind, m.Reason, m.Party} {
		dst = appendText(dst, text)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(m.Arrays)))
	for _, a := range m.Arrays {
		dst = appendArray(dst, a)
	}
	return dst
}

func appendText(dst []byte, text string) []byte {
	if len(text) > math.MaxUint16 {
		panic("transport: a name longer than a frame can hold")
	}
	return append(binary.LittleEndian.AppendUint16(dst, uint16(len(text))), text...)
}

// fault is why an array has no form as bytes; "": it has one.
func (a *Channel) fault() string {
	switch {
	case a.Encoding >= encodings:
		return "an array has an unknown encoding"
	case a.numeric() && len(a.Words) > 0, !a.numeric() && len(a.Data) > 0:
		return "an array has numbers of another encoding"
	case a.Size > 4, a.Size == 1, a.Encoding == Short && a.Size == 0, a.Encoding == Plain && a.Size != 0:
		return "an array has numbers of another size than its encoding"
	case a.Encoding != Short && a.Step != 0, a.Step > mostStep, a.Step < -mostStep:
		return "an array has a step that it cannot have"
	}
	return ""
}

// numeric reports whether an array has numbers that are no words.
func (a *Channel) numeric() bool { return a.Encoding == Plain || a.Encoding == Short }

func appendArray(dst []byte, a Channel) []byte {
	if what := a.fault(); what != "" {
		panic("transport: " + what)
	}
	flags := byte(0)
	if a.Invalid {
		flags = flagInvalid
	}
	if a.NotFinite {
		flags |= flagNotFinite
	}
	dst = append(appendText(dst, a.Name), byte(a.Encoding), flags, a.Size, a.NextSize)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(a.Step))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(a.Grid))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(a.Len()))
	return a.AppendNumbers(dst)
}

// AppendNumbers appends the numbers of an array as they stand in a frame, the lowest byte first: float64,
// words, or the integers of Short numbers, zeros where these are not finite.
func (a *Channel) AppendNumbers(dst []byte) []byte {
	size, n := a.bytes(), a.Len()
	at := len(dst)
	// a number is written as 8 bytes, of which the next one overwrites those that are too many
	dst = slices.Grow(dst, n*size+bytesPerNumber)[:at+n*size+bytesPerNumber]
	switch to := dst[at:]; {
	case a.Encoding == Plain:
		for i, v := range a.Data {
			binary.LittleEndian.PutUint64(to[i*bytesPerNumber:], math.Float64bits(v))
		}
	case a.Encoding == Short && a.NotFinite:
		clear(to)
	case a.Encoding == Short && size == 2:
		scale := math.Ldexp(1, -int(a.Step))
		for i, v := range a.Data {
			binary.LittleEndian.PutUint16(to[2*i:], uint16(int64(v*scale)))
		}
	case a.Encoding == Short:
		scale := math.Ldexp(1, -int(a.Step))
		for i, v := range a.Data {
			binary.LittleEndian.PutUint64(to[i*size:], uint64(int64(v*scale)))
		}
	default:
		words := a.Words
		if size == 3 {
			to, words = putThrees(to, words)
		}
		for _, w := range words {
			binary.LittleEndian.PutUint64(to, w)
			to = to[size:]
		}
	}
	return dst[:at+n*size]
}

// A FrameError is the error where bytes are not a frame.
type FrameError struct{ What string }

func (e *FrameError) Error() string { return "transport: not a frame: " + e.What }

// Parse reads a frame into m, whose buffers it uses where they are large enough. Whatever the bytes are it
// does not panic, and allocates no more than in proportion to their number. It accepts exactly what Append
// makes. The error is a *FrameError; m then means nothing.
func Parse(frame []byte, m *Message) error {
	r := reader{rest: frame}
	if magic := r.take(len(frameMagic)); string(magic) != string(frameMagic[:]) {
		return &FrameError{"it does not begin with " + string(frameMagic[:])}
	}
	if v := r.take(1); len(v) == 1 && v[0] != frameVersion {
		return &FrameError{fmt.Sprintf("its version is %d, this program's %d", v[0], frameVersion)}
	}
	copy(m.Run[:], r.take(len(m.Run)))
	m.Epoch, m.Chain = r.uint32(), r.uint32()
	m.Round = r.uint64()
	for _, text := range []*string{&m.Sender, &m.Kind, &m.Reason, &m.Party} {
		r.text(text)
	}
	n := int(r.uint32())
	if n > len(r.rest)/headOfArray {
		return &FrameError{"it is too short for its arrays"}
	}
	m.Arrays = m.Arrays[:cap(m.Arrays)]
	if more := n - len(m.Arrays); more > 0 {
		m.Arrays = append(m.Arrays, make([]Channel, more)...)
	}
	m.Arrays = m.Arrays[:n]
	for i := range m.Arrays {
		r.array(&m.Arrays[i])
	}
	switch {
	case r.bad != "":
		return &FrameError{r.bad}
	case len(r.rest) > 0:
		return &FrameError{"bytes follow its last array"}
	}
	return nil
}

// A reader takes a frame apart. After something that is not there it reads zeros.
type reader struct {
	rest []byte
	bad  string
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = "it is too short", nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads a text; one that is the same as the last time allocates nothing.
func (r *reader) text(to *string) {
	if b := r.take(int(r.uint16())); string(b) != *to {
		*to = string(b)
	}
}

func (r *reader) array(a *Channel) {
	r.text(&a.Name)
	a.Data, a.Words = a.Data[:0], a.Words[:0]
	head := r.take(4)
	if head == nil {
		return
	}
	a.Encoding, a.Invalid, a.NotFinite = Encoding(head[0]), head[1]&flagInvalid != 0,
		head[1]&flagNotFinite != 0
	a.Size, a.NextSize, a.Step, a.Grid = head[2], head[3], int16(r.uint16()), int16(r.uint16())
	if what := a.fault(); what != "" {
		r.bad = what
		return
	}
	if head[1]&^(flagInvalid|flagNotFinite) != 0 {
		r.bad = "an array has unknown flags"
		return
	}
	n, size := int(r.uint32()), a.bytes()
	if n > len(r.rest)/size {
		r.bad, r.rest = "it is too short", nil
		return
	}
	r.numbers(a, r.take(n*size), n)
}

// numbers reads the n numbers of an array whose head was read.
func (r *reader) numbers(a *Channel, body []byte, n int) {
	if a.numeric() {
		a.Data = slices.Grow(a.Data, n)[:n]
	} else {
		a.Words = slices.Grow(a.Words, n)[:n]
	}
	switch size := a.bytes(); {
	case a.Encoding == Plain:
		for i := range a.Data {
			a.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[i*size:]))
		}
	case size == bytesPerNumber:
		for i := range a.Words {
			a.Words[i] = binary.LittleEndian.Uint64(body[i*size:])
		}
	case a.Encoding != Short:
		words, mask := a.Words, uint64(1)<<(8*size)-1
		if size == 3 {
			words, body = threesOf(words, body)
		}
		for i := range words {
			words[i] = word(body, i*size, size) & mask
		}
	case a.NotFinite:
		for i := range a.Data {
			if shortWord(body[i*size:], size) != 0 {
				r.bad = "an array that is not finite has numbers"
			}
			a.Data[i] = math.NaN()
		}
	case size == 2:
		step := math.Ldexp(1, int(a.Step))
		for i := range a.Data {
			a.Data[i] = float64(int16(binary.LittleEndian.Uint16(body[2*i:]))) * step
		}
	default:
		step, drop := math.Ldexp(1, int(a.Step)), uint(64-8*size)
		for i := range a.Data {
			a.Data[i] = float64(int64(word(body, i*size, size)<<(drop&63))>>(drop&63)) * step
		}
	}
}

// word has a whole number of 2, 3 or 4 bytes at its lower end: what stands above it is of those that follow.
func word(b []byte, at, size int) uint64 {
	if at+bytesPerNumber <= len(b) {
		return binary.LittleEndian.Uint64(b[at:])
	}
	return shortWord(b[at:], size)
}

// shortWord is a whole number of 2, 3 or 4 bytes.
func shortWord(b []byte, size int) uint64 {
	w := uint64(b[0]) | uint64(b[1])<<8
	for k := 2; k < size; k++ {
		w |= uint64(b[k]) << (8 * k)
	}
	return w
}
