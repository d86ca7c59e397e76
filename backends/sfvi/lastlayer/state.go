package lastlayer

import (
	"bytes"
	"fmt"
	"io"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// Save implements backends.Kernel.
func (k *Kernel) Save(w io.Writer) error {
	var given []byte
	if k.given != nil {
		var b bytes.Buffer
		if err := k.given.Save(&b); err != nil {
			return err
		}
		given = b.Bytes()
	}
	return backends.SaveState(w, k.heading(), func(c *backends.Codec) { k.state(c, &given) })
}

// Load implements backends.Kernel.
func (k *Kernel) Load(r io.Reader) error {
	var given []byte
	if err := backends.LoadState(r, k.heading(), func(c *backends.Codec) { k.state(c, &given) }); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	if k.verdict != finish {
		return nil
	}
	if err := k.hold(); err != nil {
		return err
	}
	return k.given.Load(bytes.NewReader(given))
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *Kernel) heading() string {
	text := k.options.Heading
	for _, p := range k.parties {
		text += fmt.Sprintf("; %s %d %d", p.block.Party(), len(p.base), len(p.hidden()))
	}
	return text
}

// state carries what Load needs, and the state of the fit given the hidden layers.
func (k *Kernel) state(c *backends.Codec, given *[]byte) {
	c.Ints(&k.trips, &k.verdict, &k.hidden)
	c.Float(&k.damping, &k.value)
	c.Bool(&k.reached)
	c.Bool(&k.done)
	for _, p := range k.parties {
		for _, v := range [][]float64{p.theta, p.base, p.begun, p.adj, p.curve} {
			c.Floats(v)
		}
	}
	if s := k.server; s != nil {
		c.Float(&s.density)
		c.Ints(&s.calm, &s.rejected)
	}
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	c.Bytes(given)
}
