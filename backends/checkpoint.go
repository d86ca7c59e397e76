package backends

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/vflc/vflc/density"
)

// A Codec carries fields either to a writer or from a reader, so that one walk over the state serves both
// directions. Numbers are 8 bytes, little-endian. After the first error it does nothing more.
type Codec struct {
	w    io.Writer
	r    io.Reader
	buf  [8]byte
	many [1024]byte // some numbers at once
	err  error
}

// Failed reports whether there was an error: whatever is read from then on is zero.
func (c *Codec) Failed() bool { return c.err != nil }

// Fail makes err the codec's error, unless it has one: for what was read and cannot be.
func (c *Codec) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *Codec) word(v uint64) uint64 {
	switch {
	case c.err != nil && c.r != nil:
		return 0
	case c.err != nil:
		return v
	case c.w != nil:
		binary.LittleEndian.PutUint64(c.buf[:], v)
		_, c.err = c.w.Write(c.buf[:])
		return v
	}
	if _, c.err = io.ReadFull(c.r, c.buf[:]); c.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(c.buf[:])
}

// Ints carries whole numbers.
func (c *Codec) Ints(fields ...*int) {
	for _, p := range fields {
		*p = int(c.word(uint64(*p)))
	}
}

// Bool carries a truth value.
func (c *Codec) Bool(p *bool) {
	v := uint64(0)
	if *p {
		v = 1
	}
	*p = c.word(v) != 0
}

// Float carries numbers, whatever their bits.
func (c *Codec) Float(fields ...*float64) {
	for _, p := range fields {
		*p = math.Float64frombits(c.word(math.Float64bits(*p)))
	}
}

// Floats carries a vector of a length that both sides know.
func (c *Codec) Floats(v []float64) {
	for len(v) > 0 {
		n := min(len(v), len(c.many)/8)
		if c.w != nil {
			c.writeFloats(v[:n])
		} else {
			c.readFloats(v[:n])
		}
		v = v[n:]
	}
}

func (c *Codec) writeFloats(v []float64) {
	if c.err != nil {
		return
	}
	text := c.many[:8*len(v)]
	for i, x := range v {
		binary.LittleEndian.PutUint64(text[8*i:], math.Float64bits(x))
	}
	_, c.err = c.w.Write(text)
}

func (c *Codec) readFloats(v []float64) {
	text := c.many[:8*len(v)]
	if c.err == nil {
		_, c.err = io.ReadFull(c.r, text)
	}
	if c.err != nil {
		clear(v)
		return
	}
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
}

// Remembered carries what an Env remembers of earlier evaluations; reading it, the Env recalls it. A state of
// an Env that remembers nothing suits any other.
func (c *Codec) Remembered(env density.Env, memory *[]int) {
	now := density.Remember(env, nil)
	n := len(*memory)
	if c.Ints(&n); n < 0 || n > mostRemembered {
		c.Fail(fmt.Errorf("it remembers %d numbers", n))
		return
	}
	if c.r == nil {
		for i := range *memory {
			c.Ints(&(*memory)[i])
		}
		return
	}
	if n > len(now) && len(now) > 0 {
		c.Fail(fmt.Errorf("it remembers %d numbers, this run %d", n, len(now)))
		return
	}
	*memory = make([]int, n)
	for i := range *memory {
		c.Ints(&(*memory)[i])
	}
	switch {
	case n == len(now) && !c.Failed():
		density.Recall(env, *memory)
	case n > 0 && len(now) > 0:
		c.Fail(fmt.Errorf("it remembers %d numbers, this run %d", n, len(now)))
	}
}

// mostRemembered bounds the memory that a damaged checkpoint can make Load allocate.
const mostRemembered = 1 << 20

// Bytes carries text of any length.
func (c *Codec) Bytes(p *[]byte) {
	n := int(c.word(uint64(len(*p))))
	switch {
	case c.err != nil:
	case c.w != nil:
		_, c.err = c.w.Write(*p)
	default: // a damaged length must not allocate what is not there
		var b bytes.Buffer
		if _, c.err = io.CopyN(&b, c.r, int64(n)); c.err == nil {
			*p = b.Bytes()
		}
	}
}

// Part carries what save writes, as Bytes does its text, which is read into p. It is not held in memory to be
// written: save is called twice, first to count.
func (c *Codec) Part(p *[]byte, save func(io.Writer) error) {
	if c.w == nil {
		c.Bytes(p)
		return
	}
	var n byteCount
	c.Fail(save(&n))
	c.word(uint64(n))
	if c.err == nil {
		c.err = save(c.w)
	}
}

// A byteCount counts what is written to it.
type byteCount int

func (n *byteCount) Write(p []byte) (int, error) {
	*n += byteCount(len(p))
	return len(p), nil
}

// SaveState writes the state of a kernel, to be read back bit for bit, after a heading, one line that two
// kernels share if one can load what the other saved.
func SaveState(w io.Writer, heading string, state func(*Codec)) error {
	out := bufio.NewWriter(w)
	if _, err := fmt.Fprintln(out, heading); err != nil {
		return err
	}
	c := &Codec{w: out}
	state(c)
	if c.err != nil {
		return c.err
	}
	return out.Flush()
}

// LoadState reads what SaveState wrote. The error names what does not fit this run.
func LoadState(r io.Reader, heading string, state func(*Codec)) error {
	in := bufio.NewReader(r)
	line, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if got := strings.TrimSuffix(line, "\n"); got != heading {
		return fmt.Errorf("the checkpoint is of another run: it says %.300q, this run is %q", got, heading)
	}
	c := &Codec{r: in}
	state(c)
	if c.err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", c.err)
	}
	return nil
}
