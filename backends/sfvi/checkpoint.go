package sfvi

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/vflc/vflc/backends"
)

// A codec carries fields either to a writer or from a reader, so that one walk over the state serves both directions. Numbers are 8 bytes,
// little-endian.
type codec struct {
	w   io.Writer
	r   io.Reader
	buf [8]byte
	err error
}

func (c *codec) word(v uint64) uint64 {
	if c.err != nil {
		return v
	}
	if c.w != nil {
		binary.LittleEndian.PutUint64(c.buf[:], v)
		_, c.err = c.w.Write(c.buf[:])
		return v
	}
	_, c.err = io.ReadFull(c.r, c.buf[:])
	return binary.LittleEndian.Uint64(c.buf[:])
}

func (c *codec) ints(fields ...*int) {
	for _, p := range fields {
		*p = int(c.word(uint64(*p)))
	}
}

func (c *codec) floats(v []float64) {
	for i := range v {
		v[i] = math.Float64frombits(c.word(math.Float64bits(v[i])))
	}
}

func (c *codec) float(p *float64) { *p = math.Float64frombits(c.word(math.Float64bits(*p))) }

func (c *codec) running(r *running) {
	c.ints(&r.n)
	c.float(&r.mean)
	c.float(&r.square)
}

func (c *codec) estimate(e *backends.Estimate) {
	c.ints(&e.N)
	c.float(&e.Value)
	c.float(&e.SE)
}

// state carries everything that a Step reads and an earlier one wrote. The streams need nothing: their rounds are numbered by the iteration.
func (k *kernel) state(c *codec) {
	c.ints(&k.phase, &k.iter, &k.planned, &k.tail, &k.averaged, &k.bad, &k.row, &k.evaluated, &k.smooth.used)
	c.running(&k.elbo)
	c.estimate(&k.traced)
	c.estimate(&k.drift)
	for i := range k.smooth.batches {
		c.running(&k.smooth.batches[i])
	}
	for _, p := range k.parties {
		c.floats(p.phi)
		c.floats(p.mean)
		c.floats(p.opt.first)
		c.floats(p.opt.second)
		c.float(&p.opt.decay1)
		c.float(&p.opt.decay2)
	}
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *kernel) heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "vflc sfvi checkpoint 1: %s", k.settings)
	for _, p := range k.parties {
		fmt.Fprintf(&b, "; %s %d %d", p.block.Party(), p.block.Dim(), len(p.phi))
	}
	return b.String()
}

// Save implements backends.Kernel.
func (k *kernel) Save(w io.Writer) error {
	out := bufio.NewWriter(w)
	if _, err := fmt.Fprintln(out, k.heading()); err != nil {
		return err
	}
	c := &codec{w: out}
	k.state(c)
	if c.err != nil {
		return c.err
	}
	return out.Flush()
}

// Load implements backends.Kernel. The error says where the checkpoint does not fit this run.
func (k *kernel) Load(r io.Reader) error {
	in := bufio.NewReader(r)
	line, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if got, want := strings.TrimSuffix(line, "\n"), k.heading(); got != want {
		return fmt.Errorf("sfvi: the checkpoint is of another run: it says %.300q, this run is %q", got, want)
	}
	c := &codec{r: in}
	k.state(c)
	if c.err != nil {
		return fmt.Errorf("sfvi: the checkpoint is cut short: %w", c.err)
	}
	return nil
}
