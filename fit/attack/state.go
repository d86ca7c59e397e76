package attack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/model"
)

// Save writes the state.
func (r *Recorder) Save(w io.Writer) error { return backends.SaveState(w, r.heading(), r.state) }

// Load reads what Save wrote. The error names what does not fit the plan.
func (r *Recorder) Load(in io.Reader) error {
	if err := backends.LoadState(in, r.heading(), r.state); err != nil {
		return fmt.Errorf("what the server received: %w", err)
	}
	return nil
}

// heading is a line that two recorders share if one can load what the other saved.
func (r *Recorder) heading() string {
	var b strings.Builder
	b.WriteString("vflc server view 7")
	if r.plan.Wire.Masked {
		b.WriteString("; masked")
	}
	if r.recording {
		b.WriteString("; recorded")
	}
	for _, v := range r.views {
		fmt.Fprintf(&b, "; %s %d elements of %d cuts in %d windows", r.plan.Groups[v.of.group].Name,
			len(v.picks), len(v.covers), len(v.windows))
	}
	return b.String()
}

func (r *Recorder) state(c *backends.Codec) {
	c.Ints(&r.rounds, &r.fits)
	for _, v := range r.views {
		if v.bare != nil {
			v.bare.state(c, min(mostBareSnapshots, bits.Len(uint(max(0, r.fits)))))
		}
		if r.recording {
			v.vectorsState(c)
		}
		v.state(c, min(mostSnapshots, bits.Len(uint(max(0, r.rounds)))))
	}
	for _, s := range r.steps {
		s.state(c)
	}
	for _, e := range r.periods {
		e.state(c)
	}
	for _, v := range r.variances {
		v.state(c)
	}
}

var errSteps = errors.New("the steps that were kept do not fit their span")

func (v *view) state(c *backends.Codec, snapshots int) {
	carryCounts(c, v.counts)
	c.Floats(v.sum)
	for _, m := range v.snapshots[:min(snapshots, len(v.snapshots))] {
		carryCounts(c, m.counts)
		c.Floats(m.sum)
	}
	c.Floats(v.centre)
	c.Float(&v.squares, &v.level)
	c.Ints(&v.seen)
	if v.sketch != nil {
		v.sketch.state(c)
	}
}

func (s *sketch) state(c *backends.Codec) {
	c.Ints(&s.n, &s.before, &s.waiting)
	c.Float(&s.rest, &s.left)
	c.Bool(&s.judged)
	if s.waiting < 0 || s.waiting >= batched {
		c.Fail(fmt.Errorf("%d vectors wait for a sketch", s.waiting))
		s.waiting = 0
	}
	for _, v := range [][]float64{s.lambda, s.flatQ, s.flatS, s.batch[:s.waiting*s.m]} {
		c.Floats(v)
	}
}

func carryCounts(c *backends.Codec, counts []int) {
	for k := range counts {
		c.Ints(&counts[k])
	}
}

const fileHeading = "vflc server view of a run 1"

// Write writes the recorders of the chains of a run.
func Write(w io.Writer, chains []*Recorder) error {
	n := len(chains)
	if err := backends.SaveState(w, fileHeading, func(c *backends.Codec) { carryChains(c, &n) }); err != nil {
		return err
	}
	for _, r := range chains {
		if err := r.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// mostChains bounds what a damaged file can make Read allocate.
const mostChains = 1 << 16

// carryChains carries how many chains follow.
func carryChains(c *backends.Codec, n *int) {
	if c.Ints(n); *n < 1 || *n > mostChains {
		c.Fail(fmt.Errorf("it has %d chains", *n))
	}
}

// Read reads what Write wrote for runs of a plan.
func Read(in *bufio.Reader, plan *model.Plan) ([]*Recorder, error) {
	n := 0
	count := func(c *backends.Codec) { carryChains(c, &n) }
	if err := backends.LoadState(in, fileHeading, count); err != nil {
		return nil, err
	}
	var out []*Recorder
	for range n {
		r := NewRecorder(plan)
		if err := r.Load(in); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
